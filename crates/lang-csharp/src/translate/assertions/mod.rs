//! Translates calls of the assertion methods of test frameworks: xUnit, NUnit and MSTest.
//!
//! A call of an assertion method is an assertion, which is violated if the call throws the assertion exception of the
//! framework. What common methods compare is known here, because the code of the frameworks formats messages and asks
//! for attributes before anything else. Other methods run, and an assertion exception that leaves them is a violation.

mod claims;
mod constraints;

use super::stack::Entry;
use super::{Translated, Translator, malformed};
use crate::layout::INT;
use crate::loader::Cs;
use crate::members::{MethodKey, Signature};
use crate::synthetic::{Made, exceptions};
use crate::types::{Kind, Ty, TyId};
use aback_cil::Table;
use aback_ir::{
    AssertKind, BinaryOp, ClassId, Const, Dispatch, Expr, ExprId, FieldId, Handler, OpKind, TerminatorKind, Type,
};

/// A test framework.
pub(super) struct Framework {
    /// The full names of its classes with assertion methods.
    classes: &'static [&'static str],
    /// The assembly of its exceptions, if it is another one than that of the assertion methods.
    assembly: Option<&'static str>,
    /// The namespace of its exceptions.
    namespace: &'static str,
    /// The exception that a false assertion throws, or the one from which it derives.
    exception: &'static str,
    /// Whether each assertion method has an exception of its own, which is named like it.
    has_own_exceptions: bool,
}

const XUNIT: Framework = Framework {
    classes: &["Xunit.Assert"],
    assembly: None,
    namespace: "Xunit.Sdk",
    exception: "XunitException",
    has_own_exceptions: true,
};

const NUNIT: Framework = Framework {
    classes: &[
        "NUnit.Framework.Assert",
        "NUnit.Framework.StringAssert",
        "NUnit.Framework.CollectionAssert",
        "NUnit.Framework.Legacy.ClassicAssert",
        "NUnit.Framework.Legacy.StringAssert",
        "NUnit.Framework.Legacy.CollectionAssert",
    ],
    assembly: Some("nunit.framework"),
    namespace: "NUnit.Framework",
    exception: "AssertionException",
    has_own_exceptions: false,
};

const MSTEST: Framework = Framework {
    classes: &[
        "Microsoft.VisualStudio.TestTools.UnitTesting.Assert",
        "Microsoft.VisualStudio.TestTools.UnitTesting.StringAssert",
        "Microsoft.VisualStudio.TestTools.UnitTesting.CollectionAssert",
    ],
    assembly: None,
    namespace: "Microsoft.VisualStudio.TestTools.UnitTesting",
    exception: "AssertFailedException",
    has_own_exceptions: false,
};

const FRAMEWORKS: [&Framework; 3] = [&XUNIT, &NUNIT, &MSTEST];

/// The class whose methods and properties are the constraints of NUnit.
const CONSTRAINTS: &str = "NUnit.Framework.Is";
/// The class of `Is.Not`.
const EXPRESSION: &str = "NUnit.Framework.Constraints.ConstraintExpression";

/// Whether a class has assertion methods.
pub(super) fn is_assertion(class: &str) -> bool {
    framework(class).is_some()
}

/// The framework to which an assertion method belongs.
fn framework(class: &str) -> Option<&'static Framework> {
    FRAMEWORKS.into_iter().find(|framework| framework.classes.contains(&class))
}

/// The type of the exceptions of a framework, or the exception of one of its assertion methods.
fn exception(cs: Cs, framework: &Framework, key: &MethodKey, method: Option<&str>) -> Option<TyId> {
    let assemblies = &cs.loader.assemblies;
    let beside = cs.declaration_of(key).ok()?.assembly;
    let assembly = framework.assembly.and_then(|name| assemblies.named(name)).unwrap_or(beside);
    let find = |name: &str| assemblies.find(assembly, framework.namespace, name);
    let own = method.filter(|_| framework.has_own_exceptions).and_then(|name| find(&format!("{name}Exception")));
    let declared = own.or_else(|| find(framework.exception))?;
    Some(cs.named(declared, [].into()))
}

/// The classes of the exceptions of the frameworks that the program uses. Their text is not known.
fn exceptions(cs: Cs) -> Vec<ClassId> {
    let assemblies = &cs.loader.assemblies;
    let mut found = Vec::new();
    for id in assemblies.own() {
        let read = cs.assembly(id);
        let used = (1..=read.rows(Table::AssemblyRef)).filter_map(|row| read.assembly_ref(row).ok());
        let used = used.filter_map(|reference| assemblies.named(reference.name)).chain([id]);
        for assembly in used.collect::<Vec<_>>() {
            let declared = FRAMEWORKS.iter().filter_map(|one| assemblies.find(assembly, one.namespace, one.exception));
            found.extend(declared.map(|declared| cs.class_of(cs.named(declared, [].into()))));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

impl<'a> Translator<'a> {
    /// Translates a call if it is one of an assertion method, or of a constraint that such a method gets.
    pub(super) fn framework_call(&mut self, key: &MethodKey) -> Translated<bool> {
        let Some((class, name)) = super::intrinsics::full_name(self.cs, key) else { return Ok(false) };
        if class == CONSTRAINTS || class == EXPRESSION {
            return self.defer(key, &name);
        }
        let Some(framework) = framework(&class) else { return Ok(false) };
        // The methods of a framework call each other.
        let is_own = self.cs.loader.assemblies.module(self.assembly).is_own;
        let is_inside = full_class_name(self.cs, self.key.owner).is_some_and(|own| {
            let is_of = |one: &&Framework| !is_own && own.starts_with(one.namespace) || one.classes.contains(&&*own);
            FRAMEWORKS.iter().any(is_of)
        });
        if is_inside {
            return Ok(false);
        }
        let signature = self.cs.signature(key)?;
        if signature.has_this {
            return Ok(false);
        }
        if class.ends_with(".Assert") || class.ends_with(".ClassicAssert") {
            match name.as_str() {
                "Multiple" => {
                    self.multiple(&signature)?;
                    return Ok(true);
                }
                "MultipleAsync" | "EnterMultipleScope" => return Err(format!("Assert.{name}")),
                _ => {}
            }
            if let Some(is_exact) = catching(framework, &name)
                && let Some(&wanted) = key.arguments.first()
                && self.is_action(&signature)
            {
                self.throws((framework, key, &name), &signature, wanted, is_exact)?;
                return Ok(true);
            }
            if let Some(holds) = self.known_claim(framework, &name, &signature)? {
                let holds = self.stable(holds);
                self.check((framework, key, &name), holds)?;
                return Ok(true);
            }
        }
        self.watched_call(framework, key, &signature)?;
        Ok(true)
    }

    /// Asserts a condition, and throws the exception of an assertion method if it is false.
    fn check(&mut self, method: (&Framework, &MethodKey, &str), holds: ExprId) -> Translated<()> {
        let (framework, key, name) = method;
        self.op(OpKind::Assert { condition: holds, kind: AssertKind::Check });
        let (then_block, else_block) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition: holds, then_block, else_block });
        self.block = else_block;
        if framework.namespace == NUNIT.namespace {
            let (field, several, one) = (self.depth(), self.new_block(), self.new_block());
            let depth = self.result(INT, |dst| OpKind::GetStatic { dst, field });
            let zero = self.int(0);
            let condition = self.expr(Expr::Binary(BinaryOp::Ne, INT, depth, zero));
            self.end(TerminatorKind::Branch { condition, then_block: several, else_block: one });
            self.block = several;
            self.end(TerminatorKind::unsupported("what follows a failed assertion in Assert.Multiple"));
            self.block = one;
        }
        let ty = exception(self.cs, framework, key, Some(name)).ok_or("an assertion without an exception")?;
        let class = self.cs.class_of(ty);
        let object = self.result(Type::Class(class), |dst| OpKind::New { dst, class });
        let base = self.cs.library("System", "Exception")?;
        let constructor = self.cs.method_named(base, ".ctor", 0).ok_or("an exception without a constructor")?;
        let signature = self.cs.signature(&constructor)?;
        let thrown = self.coerce_leaf(object, exceptions::exception(self.cs))?;
        self.emit(&constructor, &signature, Dispatch::Special, vec![thrown], Vec::new())?;
        self.end(TerminatorKind::Throw(thrown));
        self.block = then_block;
        Ok(())
    }

    /// The static field with the number of calls of `Assert.Multiple` that have not ended.
    fn depth(&self) -> FieldId {
        self.cs.made_field(Made::AssertionDepth, || "calls of Assert.Multiple".into(), INT)
    }

    /// Adds a number to the number of calls of `Assert.Multiple`.
    fn change_depth(&mut self, by: i64) {
        let field = self.depth();
        let depth = self.result(INT, |dst| OpKind::GetStatic { dst, field });
        let by = self.int(by);
        let value = self.expr(Expr::Binary(BinaryOp::Add, INT, depth, by));
        self.op(OpKind::PutStatic { field, value });
    }

    /// Translates `Assert.Multiple`, which calls a delegate.
    fn multiple(&mut self, signature: &Signature) -> Translated<()> {
        if !self.is_action(signature) {
            return Err("Assert.Multiple with an async method".into());
        }
        let ty = signature.params[0];
        let delegate = self.pop()?;
        let leaves = self.coerce(delegate, ty)?;
        let leaves = leaves.into_iter().map(|leaf| self.stable(leaf)).collect();
        self.change_depth(1);
        let caught = self.new_block();
        let exception = self.variable_local(None, exceptions::exception(self.cs));
        let guarded = self.body.add_block(vec![Handler { class: None, target: caught, exception }]);
        let after = self.new_block();
        self.end(TerminatorKind::Goto(guarded));
        self.block = guarded;
        self.invoke(Entry::Value(ty, leaves), ty)?;
        self.end(TerminatorKind::Goto(after));
        self.block = caught;
        self.change_depth(-1);
        let thrown = self.local(exception);
        self.end(TerminatorKind::Throw(thrown));
        self.block = after;
        self.change_depth(-1);
        Ok(())
    }

    /// Whether the first parameter is a delegate without parameters and result, and the others are messages.
    fn is_action(&self, signature: &Signature) -> bool {
        let Some((&first, rest)) = signature.params.split_first() else { return false };
        let invoke =
            (self.cs.kind(first) == Kind::Delegate).then(|| self.cs.method_named(first, "Invoke", 0)).flatten();
        let is_void = |key: MethodKey| self.cs.signature(&key).is_ok_and(|own| *self.cs.ty(own.result) == Ty::Void);
        invoke.is_some_and(is_void) && rest.iter().all(|&param| self.is_message(param))
    }

    /// Calls a delegate without parameters and result.
    fn invoke(&mut self, delegate: Entry, ty: TyId) -> Translated<()> {
        let key = self.cs.method_named(ty, "Invoke", 0).ok_or("a delegate without a method")?;
        let signature = self.cs.signature(&key)?;
        let leaves = self.coerce(delegate, ty)?;
        self.emit(&key, &signature, Dispatch::Virtual, leaves.into_vec(), Vec::new())
    }

    /// Translates a method that says that a delegate throws an exception, and returns this exception.
    fn throws(
        &mut self,
        method: (&Framework, &MethodKey, &str),
        signature: &Signature,
        wanted: TyId,
        is_exact: bool,
    ) -> Translated<()> {
        for _ in 1..signature.params.len() {
            self.pop()?;
        }
        let delegate = self.pop()?;
        let leaves = self.coerce(delegate, signature.params[0])?;
        let [delegate] = leaves[..] else { return malformed("a struct as a delegate") };
        let delegate = self.stable(delegate);
        let is_there = self.is_there(delegate)?;
        self.require(is_there, "ArgumentNullException");
        let thrown_ty = exceptions::exception(self.cs);
        let exception = self.variable_local(None, thrown_ty);
        let holds = self.variable_local(None, Type::Bool);
        let (caught, join) = (self.new_block(), self.new_block());
        let handlers = vec![Handler { class: None, target: caught, exception }];
        let guarded = self.body.add_block(handlers);
        self.end(TerminatorKind::Goto(guarded));
        self.block = guarded;
        self.invoke(Entry::Value(signature.params[0], smallvec::smallvec![delegate]), signature.params[0])?;
        let no = self.expr(Expr::Const(Const::Bool(false)));
        self.op(OpKind::Assign { dst: holds, value: no });
        self.end(TerminatorKind::Goto(join));
        self.block = caught;
        let value = self.local(exception);
        let found = self.is_of_type(value, wanted, is_exact)?;
        self.op(OpKind::Assign { dst: holds, value: found });
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        let condition = self.local(holds);
        let condition = self.stable(condition);
        self.check(method, condition)?;
        if *self.cs.ty(signature.result) != Ty::Void {
            let value = self.local(exception);
            let value = self.stable(value);
            let value = self.coerce_leaf(value, self.cs.ir_type(signature.result)?)?;
            self.push_value(signature.result, value);
        }
        Ok(())
    }

    /// Whether an object that is not null is an instance of a class, or of no class that derives from it.
    fn is_of_type(&mut self, object: ExprId, wanted: TyId, is_exact: bool) -> Translated<ExprId> {
        if !is_exact {
            let ty = self.cs.ir_type(wanted)?;
            return Ok(self.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty }));
        }
        let root = Type::Class(self.cs.object_class());
        let base = self.cs.library("System", "Object")?;
        let key = self.cs.method_named(base, "GetType", 0).ok_or("objects without a type")?;
        let signature = self.cs.signature(&key)?;
        let object = self.coerce_leaf(object, root)?;
        self.emit(&key, &signature, Dispatch::Special, vec![object], Vec::new())?;
        let (_, own) = self.pop_reference()?;
        let (_, leaves) = self.value(Entry::Type(wanted))?;
        let (own, other) = (self.coerce_leaf(own, root)?, self.coerce_leaf(leaves[0], root)?);
        Ok(self.expr(Expr::Binary(BinaryOp::Eq, root, own, other)))
    }

    /// Translates a call of an assertion method as it is. An assertion exception that leaves it is a violation.
    fn watched_call(&mut self, framework: &Framework, key: &MethodKey, signature: &Signature) -> Translated<()> {
        let args = self.pop_arguments(signature)?;
        let args: Vec<ExprId> = args.into_iter().map(|arg| self.stable(arg)).collect();
        let ty = exception(self.cs, framework, key, None).ok_or("an assertion without an exception")?;
        let caught = self.new_block();
        let thrown = self.variable_local(None, exceptions::exception(self.cs));
        let outer = self.body.block(self.block).handlers.clone();
        let own = Handler { class: Some(self.cs.class_of(ty)), target: caught, exception: thrown };
        let handlers = [own].into_iter().chain(outer).collect();
        let (guarded, after) = (self.body.add_block(handlers), self.new_block());
        self.end(TerminatorKind::Goto(guarded));
        self.block = caught;
        let no = self.expr(Expr::Const(Const::Bool(false)));
        self.op(OpKind::Assert { condition: no, kind: AssertKind::Check });
        let value = self.local(thrown);
        self.end(TerminatorKind::Throw(value));
        self.block = guarded;
        self.emit(key, signature, Dispatch::Static, Vec::new(), args)?;
        self.end(TerminatorKind::Goto(after));
        self.block = after;
        Ok(())
    }

    /// Refuses to read the text of an assertion exception, which is not known.
    pub(super) fn refuse_message(&mut self) -> Translated<()> {
        let classes = exceptions(self.cs);
        if classes.is_empty() {
            return Ok(());
        }
        let (ty, exception) = self.pop_reference()?;
        let exception = self.stable(exception);
        let base = exceptions::exception(self.cs);
        let object = self.coerce_leaf(exception, base)?;
        let Some(field) = self.cs.program.profile().message_field else { return malformed("exceptions without text") };
        for class in classes {
            let is_one = self.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: Type::Class(class) });
            let (inside, after) = (self.new_block(), self.new_block());
            self.end(TerminatorKind::Branch { condition: is_one, then_block: inside, else_block: after });
            self.block = inside;
            let text = self.get_field(object, field);
            let of = self.body.expr_type(text);
            let null = self.expr(Expr::Const(Const::Null));
            let condition = self.expr(Expr::Binary(BinaryOp::Eq, of, text, null));
            let refused = self.new_block();
            self.end(TerminatorKind::Branch { condition, then_block: refused, else_block: after });
            self.block = refused;
            self.end(TerminatorKind::unsupported("the text of a failed assertion"));
            self.block = after;
        }
        self.push(Entry::Value(ty, smallvec::smallvec![exception]));
        Ok(())
    }
}

/// Whether a method says that a delegate throws an exception, and whether the exception must have exactly the named
/// class.
fn catching(framework: &Framework, name: &str) -> Option<bool> {
    match (framework.namespace, name) {
        ("Xunit.Sdk" | "NUnit.Framework", "Throws") => Some(true),
        ("Xunit.Sdk", "ThrowsAny") | ("NUnit.Framework", "Catch") => Some(false),
        (_, "ThrowsException" | "ThrowsExactly") if framework.namespace == MSTEST.namespace => Some(true),
        _ => None,
    }
}

fn full_class_name(cs: Cs, ty: TyId) -> Option<String> {
    let (declared, _) = cs.declared(ty)?;
    Some(crate::types::declared_name(&cs.loader.assemblies, declared))
}
