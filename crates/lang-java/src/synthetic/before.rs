//! Executes what happened before an entry point is called: classes were initialized, and other methods may have
//! written static fields.

use crate::loader::Java;
use crate::synthetic::entry::{any_constant, constants, is_main, nondet};
use aback_ir::analysis::{Effects, Statics, initializations_that_run, noticed_initializations, with_enclosing};
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, Body, ClassId, ExprId, FieldId, Handler, MethodId, MethodKind, OpKind, TerminatorKind, Type};
use rustc_hash::FxHashSet;

/// The observable actions before an entry point is called.
pub(crate) struct Before {
    /// Indices of arguments, each with a class that is initialized if the argument is an object of it.
    initialized: Vec<(usize, Initialized)>,
    /// Static fields that may hold any value.
    any: Vec<FieldId>,
}

struct Initialized {
    /// The class of the argument.
    of: ClassId,
    /// The class that is initialized: that of the argument, or that of an object that encloses it.
    class: ClassId,
    /// Whether the argument is such an object unless it is null.
    unless_null: bool,
    /// Whether the argument may be null.
    nullable: bool,
    /// Whether the initialization contains an assertion ([`asserting`]).
    asserts: bool,
}

impl Before {
    pub(crate) fn of(java: Java, entry: MethodId) -> Before {
        if is_main(java, entry) {
            return Before { initialized: Vec::new(), any: Vec::new() };
        }
        let method = java.program.method(entry);
        let mut initialized = Vec::new();
        for (index, &ty) in method.params.iter().enumerate() {
            let is_receiver = index == 0 && method.kind != MethodKind::Static;
            // `new` initializes the class of an object that is made; the method that returns the constants of an enum
            // initializes the enum.
            if is_receiver && java.program.constructs(entry) || is_enum(java, ty) {
                continue;
            }
            let Type::Class(class) = ty else { continue };
            // The class of the object comes before its superclasses, which its initialization initializes. The order
            // matters if these use the class in turn.
            let mut classes = java.program.subclasses(class);
            classes.reverse();
            classes.retain(|&below| {
                let declared = java.program.class(below);
                !declared.is_interface && (below == class || !declared.is_abstract) && !java.program.is_platform(below)
            });
            let is_noticed = |effects: Effects| effects.matters() || effects.throws;
            let implied: Vec<(ClassId, ClassId)> = classes
                .iter()
                .flat_map(|&of| with_enclosing(java.program, of).into_iter().map(move |one| (of, one)))
                .collect();
            let classes: Vec<ClassId> = implied.iter().map(|&(_, one)| one).collect();
            let noticed = noticed_initializations(java.program, &classes, is_noticed);
            let asserting = asserting(java, &classes);
            let implied = implied.into_iter().filter(|(_, one)| noticed.contains(one));
            initialized.extend(implied.map(|(of, one)| {
                let (unless_null, asserts) = (of == class, asserting.contains(&one));
                (index, Initialized { of, class: one, unless_null, nullable: !is_receiver, asserts })
            }));
        }
        let any = if java.loader.has_any_statics() {
            // Nothing stops the analysis.
            Statics::new(java.program, [entry], &|| false)
                .map_or(Vec::new(), |statics| statics.read_by(entry, |_, _| true).fields)
        } else {
            Vec::new()
        };
        Before { initialized, any }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.initialized.is_empty() && self.any.is_empty()
    }

    /// Initializes the classes of the arguments, then assigns the static fields. If a class cannot be initialized, no
    /// such object exists, so the execution ends.
    pub(crate) fn emit(&self, java: Java, code: &mut Builder, args: &[ExprId]) {
        if self.is_empty() {
            return;
        }
        let exception = code.variable(java.class_type("java.lang.Throwable"));
        let impossible = code.block();
        let end = code.block();
        let handler = Handler { class: None, target: impossible, exception };
        let work = code.guarded_block(handler);
        code.end(TerminatorKind::Goto(work));
        code.switch_to(work);
        for (index, one) in &self.initialized {
            let Some((field, method)) = java.initialization(one.class) else { continue };
            let object = args[*index];
            let ensure = code.guarded_block(handler);
            let next = code.guarded_block(handler);
            let is_one = match (one.unless_null, one.nullable) {
                (true, false) => code.bool(true),
                (true, true) => {
                    let null = code.null();
                    code.binary(BinaryOp::Ne, Type::Null, object, null)
                }
                (false, _) => {
                    let ty = Type::Class(one.of);
                    code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty })
                }
            };
            code.end(TerminatorKind::Branch { condition: is_one, then_block: ensure, else_block: next });
            code.switch_to(ensure);
            if one.asserts {
                code.end(TerminatorKind::Bound(beyond(java, one.class)));
            } else {
                code.op(OpKind::Ensure { field, method });
                code.end(TerminatorKind::Goto(next));
            }
            code.switch_to(next);
        }
        for &field in &self.any {
            if let Some((field, method)) = java.initialization(java.program.field(field).class) {
                code.op(OpKind::Ensure { field, method });
            }
        }
        code.end(TerminatorKind::Goto(end));
        code.switch_to(impossible);
        let condition = code.bool(false);
        code.op(OpKind::Assume { condition });
        code.end(TerminatorKind::Unreachable);
        code.switch_to(end);
        for &field in &self.any {
            let ty = java.program.field(field).ty;
            let value = match ty {
                Type::Class(class) if is_enum(java, ty) => null_or_constant(java, code, class),
                _ => code.result(ty, |dst| nondet(dst, ty)),
            };
            code.op(OpKind::PutStatic { field, value });
        }
    }
}

/// Those of some classes whose initialization contains an assertion. If the assertion is false, no object of the class
/// exists; this is not a violation of an entry point that would get one.
pub(crate) fn asserting(java: Java, classes: &[ClassId]) -> FxHashSet<ClassId> {
    initializations_that_run(java.program, classes, |method| {
        let mut ops = java.program.body(method).into_iter().flat_map(Body::ops);
        ops.any(|(_, op)| matches!(op.kind, OpKind::Assert { .. }))
    })
}

/// The incompleteness that results if the initialization of a class contains an assertion.
fn beyond(java: Java, class: ClassId) -> String {
    let name = java.program.class_name(class);
    format!("no input is an object of {name}, whose initialization contains assertions")
}

/// Whether a type is an enum, whose only objects are its constants.
fn is_enum(java: Java, ty: Type) -> bool {
    matches!(ty, Type::Class(class) if constants(java, class).is_some())
}

/// Null, which initializes nothing, or one of an enum's constants.
fn null_or_constant(java: Java, code: &mut Builder, class: ClassId) -> ExprId {
    let null = code.null();
    let result = code.variable(Type::Class(class));
    code.op(OpKind::Assign { dst: result, value: null });
    let Some(values) = constants(java, class) else { return null };
    let is_null = code.result(Type::Bool, |dst| nondet(dst, Type::Bool));
    let (_, chosen) = code.branch(is_null);
    let end = code.block();
    code.end(TerminatorKind::Goto(end));
    code.switch_to(chosen);
    any_constant(java, code, result, class, values);
    code.end(TerminatorKind::Goto(end));
    code.switch_to(end);
    code.local(result)
}
