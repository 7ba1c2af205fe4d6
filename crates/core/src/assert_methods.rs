//! Turns calls of methods that the user names into assertions.

use crate::question::{QuestionError, named_methods};
use aback_ir::builder::Builder;
use aback_ir::{AssertKind, Body, Dispatch, MethodId, MethodKind, Op, OpKind, Program};
use rustc_hash::FxHashMap;

/// The reason why a method cannot be an assertion.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NoAssertion {
    /// The name does not mean one method or its overloads.
    #[error("--assert-method: {}", .0.to_string().replace("--entry", "--assert-method"))]
    Name(#[from] QuestionError),
    /// No method of this name has a condition and no result.
    #[error(
        "--assert-method: `{name}` cannot be an assertion: it must have a parameter of type {word}, and return nothing"
    )]
    Form {
        /// The method with its parameters.
        name: String,
        /// The type of truth values.
        word: String,
    },
}

/// A method whose calls are assertions.
struct AssertMethod {
    /// The index of the argument that must be true.
    condition: usize,
    /// An empty method that is called instead if the method has a receiver, which must not be null.
    instead: Option<MethodId>,
}

/// The program in which the calls of some methods in its own code are assertions of the kind [`AssertKind::Check`].
/// The methods themselves do not run. A name without types of parameters means all overloads that have the form of
/// assertions.
///
/// # Errors
/// A name does not exist, or means methods of several classes or methods of another form.
pub(crate) fn with_assert_methods(program: &Program, names: &[String]) -> Result<Program, NoAssertion> {
    let mut methods = FxHashMap::default();
    let mut bodies = Vec::new();
    for name in names {
        let found = named_methods(program, name.trim())?;
        let known: Vec<String> = found.iter().map(|&method| program.signature(method)).collect();
        if found.iter().any(|&method| program.method(method).class != program.method(found[0]).class) {
            return Err(QuestionError::Ambiguous { name: name.clone(), known }.into());
        }
        let before = methods.len();
        for &method in &found {
            let declared = program.method(method);
            let condition = program.profile().runtime.condition(program, method);
            let (Some(condition), None) = (condition, declared.result) else { continue };
            let instead = (declared.kind != MethodKind::Static && !methods.contains_key(&method)).then(|| {
                let mut code = Builder::new(&declared.params);
                code.ret(None);
                let empty = program.new_method(declared.clone());
                bodies.push((empty, code.finish()));
                empty
            });
            methods.insert(method, AssertMethod { condition, instead });
        }
        if methods.len() == before && !found.iter().any(|method| methods.contains_key(method)) {
            let word = program.show_type(aback_ir::Type::Bool);
            return Err(NoAssertion::Form { name: known.join("`, `"), word });
        }
    }
    for method in program.own_methods() {
        let Some(body) = program.body(method) else { continue };
        if body.ops().any(|(_, op)| assert_method(&methods, op).is_some()) {
            bodies.push((method, asserting(body.clone(), &methods)));
        }
    }
    Ok(program.with_bodies(bodies))
}

/// The method that an operation calls, if its calls are assertions.
fn assert_method<'a>(methods: &'a FxHashMap<MethodId, AssertMethod>, op: &Op) -> Option<&'a AssertMethod> {
    match &op.kind {
        OpKind::Call { method, .. } => methods.get(method),
        _ => None,
    }
}

/// The code with assertions instead of calls.
fn asserting(mut body: Body, methods: &FxHashMap<MethodId, AssertMethod>) -> Body {
    for block in &mut body.blocks {
        let ops = std::mem::take(&mut block.ops);
        for mut op in ops {
            let found = assert_method(methods, &op);
            if let (Some(found), OpKind::Call { dispatch, method, args, .. }) = (found, &mut op.kind) {
                let condition = args[found.condition];
                let assertion = OpKind::Assert { condition, kind: AssertKind::Check };
                match found.instead {
                    None => op.kind = assertion,
                    Some(empty) => {
                        (*dispatch, *method) = (Dispatch::Special, empty);
                        let span = op.span;
                        block.ops.push(op);
                        op = Op { kind: assertion, span };
                    }
                }
            }
            block.ops.push(op);
        }
    }
    body
}
