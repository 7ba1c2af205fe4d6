//! Translates calls of the assertion methods of test frameworks: xUnit, NUnit and MSTest.
//!
//! A call of an assertion method is an assertion, which is violated if the call throws the assertion exception of the
//! framework. What common methods compare is known here, because the code of the frameworks formats messages and asks
//! for attributes before anything else. Other methods run, and an assertion exception that leaves them is a violation.

use super::stack::{Entry, Leaves};
use super::{Translated, Translator, malformed};
use crate::layout::{CHAR, INT, LONG};
use crate::loader::{ClassKind, Cs};
use crate::members::{MethodKey, Signature};
use crate::synthetic::{Made, exceptions};
use crate::types::{Kind, Ty, TyId};
use aback_cil::Table;
use aback_ir::{
    AssertKind, BinaryOp, ClassId, Const, Dispatch, Expr, ExprId, FieldId, Handler, MethodId, OpKind, TerminatorKind,
    Type,
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

/// What an assertion method says about its first arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Claim {
    True,
    Null,
    Same,
    Equal,
    /// The first argument is between the other two.
    InRange,
    /// The second argument, a constraint, holds for the first one.
    Constraint,
    Never,
}

/// The claim of a method, and whether the method says the opposite.
fn claim(name: &str) -> Option<(Claim, bool)> {
    Some(match name {
        "True" | "IsTrue" => (Claim::True, false),
        "False" | "IsFalse" => (Claim::True, true),
        "Null" | "IsNull" => (Claim::Null, false),
        "NotNull" | "IsNotNull" => (Claim::Null, true),
        "Same" | "AreSame" => (Claim::Same, false),
        "NotSame" | "AreNotSame" => (Claim::Same, true),
        "Equal" | "AreEqual" | "StrictEqual" => (Claim::Equal, false),
        "NotEqual" | "AreNotEqual" | "NotStrictEqual" => (Claim::Equal, true),
        "InRange" => (Claim::InRange, false),
        "NotInRange" => (Claim::InRange, true),
        "Fail" => (Claim::Never, false),
        "That" => (Claim::Constraint, false),
        _ => return None,
    })
}

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
        let made = self.cs.made(Made::AssertionDepth, |cs| {
            (cs.new_static_field("calls of Assert.Multiple", INT), MethodId(u32::MAX))
        });
        made.0
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
        let root = Type::Class(self.cs.object_class());
        let null = self.expr(Expr::Const(Const::Null));
        let object = self.coerce_leaf(delegate, root)?;
        let is_there = self.expr(Expr::Binary(BinaryOp::Ne, root, object, null));
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

    /// Pops the arguments of an assertion method, and returns whether it passes; `None`, with nothing popped, if that is
    /// not known.
    fn known_claim(&mut self, framework: &Framework, name: &str, signature: &Signature) -> Translated<Option<ExprId>> {
        let Some((mut claim, is_opposite)) = claim(name) else { return Ok(None) };
        let count = signature.params.len();
        if self.stack.len() < count || *self.cs.ty(signature.result) != Ty::Void {
            return Ok(None);
        }
        if claim == Claim::Constraint && signature.params.first().is_some_and(|&ty| *self.cs.ty(ty) == Ty::Bool) {
            let second = signature.params.get(1).and_then(|&ty| self.cs.declared(ty).map(|_| self.ty_name(ty)));
            if second.is_none_or(|name| !name.ends_with("IResolveConstraint")) {
                claim = Claim::True;
            }
        }
        let compared = match claim {
            Claim::Never => 0,
            Claim::True | Claim::Null => 1,
            Claim::Same | Claim::Equal | Claim::Constraint => 2,
            Claim::InRange => 3,
        };
        let Some((of, messages)) = signature.params.split_at_checked(compared) else { return Ok(None) };
        if !messages.iter().all(|&param| self.is_message(param)) {
            return Ok(None);
        }
        let entries: Vec<Entry> = self.stack[self.stack.len() - count..][..compared].to_vec();
        let Some(holds) = self.claimed(framework, (claim, is_opposite), of, &entries)? else { return Ok(None) };
        self.stack.truncate(self.stack.len() - count);
        Ok(Some(holds))
    }

    /// Whether a parameter takes a message, which is only shown.
    fn is_message(&self, ty: TyId) -> bool {
        match self.cs.ty(ty) {
            Ty::Array(element) => self.cs.is_library_type(*element, "System", "Object"),
            _ => {
                self.cs.is_library_type(ty, "System", "String")
                    || full_class_name(self.cs, ty).is_some_and(|name| name == "NUnit.Framework.NUnitString")
            }
        }
    }

    /// Whether a claim, or its opposite, is true of some arguments; `None`, with nothing translated, if that is not
    /// known.
    fn claimed(
        &mut self,
        framework: &Framework,
        (claim, is_opposite): (Claim, bool),
        of: &[TyId],
        args: &[Entry],
    ) -> Translated<Option<ExprId>> {
        let found = match (claim, of, args) {
            (Claim::Never, ..) => Some(self.expr(Expr::Const(Const::Bool(false)))),
            (Claim::True, &[ty], [arg]) => return self.is_true(arg, ty, !is_opposite),
            (Claim::Null, &[ty], [arg]) => self.is_null(arg, ty)?,
            (Claim::Same, _, [left, right]) => self.is_same(left, right)?,
            (Claim::Equal, &[left_ty, right_ty], [left, right]) => {
                self.is_equal(framework, (left, left_ty), (right, right_ty))?
            }
            (Claim::InRange, &[ty, ..], [arg, low, high]) if of.iter().all(|&other| other == ty) => {
                match (self.compare_numbers((arg, ty), (low, ty), BinaryOp::Ge)?, (high, ty)) {
                    (Some(low), high) => self
                        .compare_numbers((arg, ty), high, BinaryOp::Le)?
                        .map(|high| self.expr(Expr::Binary(BinaryOp::And, Type::Bool, low, high))),
                    (None, _) => None,
                }
            }
            (Claim::Constraint, &[ty, _], [arg, Entry::Deferred(key, given)]) => {
                self.satisfies(framework, (arg, ty), key, given)?
            }
            _ => None,
        };
        Ok(found.map(|holds| if is_opposite { self.not(holds) } else { holds }))
    }

    /// Whether a truth value, which may be missing, is the wanted one.
    fn is_true(&mut self, arg: &Entry, ty: TyId, wanted: bool) -> Translated<Option<ExprId>> {
        let is_nullable = self.nullable(ty).is_some_and(|inner| *self.cs.ty(inner) == Ty::Bool);
        if !is_nullable && *self.cs.ty(ty) != Ty::Bool {
            return Ok(None);
        }
        let leaves = self.coerce(arg.clone(), ty)?;
        let Some((&value, has)) = leaves.split_last() else { return malformed("a truth value of nothing") };
        let value = if wanted { value } else { self.not(value) };
        Ok(Some(match has.first() {
            Some(&has) => self.expr(Expr::Binary(BinaryOp::And, Type::Bool, has, value)),
            None => value,
        }))
    }

    fn is_null(&mut self, arg: &Entry, ty: TyId) -> Translated<Option<ExprId>> {
        if self.nullable(ty).is_some() {
            let leaves = self.coerce(arg.clone(), ty)?;
            let Some(&has) = leaves.first() else { return malformed("a nullable type without values") };
            return Ok(Some(self.not(has)));
        }
        if self.cs.is_value(ty) {
            return Ok(None);
        }
        self.is_same(arg, &Entry::Null)
    }

    fn is_same(&mut self, left: &Entry, right: &Entry) -> Translated<Option<ExprId>> {
        let root = Type::Class(self.cs.object_class());
        let mut references = Vec::new();
        for entry in [left, right] {
            let (_, leaves) = self.value(entry.clone())?;
            let [leaf] = leaves[..] else { return Ok(None) };
            let ty = self.body.expr_type(leaf);
            if !ty.is_reference() && ty != Type::Null {
                return Ok(None);
            }
            references.push(self.coerce_leaf(leaf, root)?);
        }
        Ok(Some(self.expr(Expr::Binary(BinaryOp::Eq, root, references[0], references[1]))))
    }

    /// An argument with the type that is known of it: that of the value in a new box, or of a string.
    fn known(&mut self, (entry, ty): (&Entry, TyId)) -> Option<(TyId, BoxedValue)> {
        if !self.cs.is_library_type(ty, "System", "Object") {
            return Some((ty, BoxedValue::Itself));
        }
        let string = self.cs.library("System", "String").ok()?;
        match entry {
            Entry::Literal(_) => Some((string, BoxedValue::Itself)),
            Entry::Value(own, _) if *own == string => Some((string, BoxedValue::Itself)),
            Entry::Value(_, leaves) => {
                let [mut leaf] = leaves[..] else { return None };
                while let Expr::Convert { value, .. } = *self.body.expr(leaf) {
                    leaf = value;
                }
                let Expr::Local(local) = *self.body.expr(leaf) else { return None };
                let ops = &self.body.block(self.block).ops;
                let class = ops.iter().find_map(|op| match op.kind {
                    OpKind::New { dst, class } if dst == local => Some(class),
                    _ => None,
                })?;
                match self.cs.loader.kind_of(class)? {
                    ClassKind::Type(ty) if self.cs.is_value(ty) => Some((ty, BoxedValue::In(leaf))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The leaves of an argument whose type is known.
    fn argument(&mut self, entry: &Entry, (ty, place): (TyId, BoxedValue)) -> Translated<Leaves> {
        match place {
            BoxedValue::Itself => self.coerce(entry.clone(), ty),
            BoxedValue::In(object) => {
                let fields = self.cs.boxed_fields(ty)?;
                Ok(fields.into_iter().map(|field| self.get_field(object, field)).collect())
            }
        }
    }

    /// Whether two integers or characters are in an order; `None` for other types.
    fn compare_numbers(
        &mut self,
        left: (&Entry, TyId),
        right: (&Entry, TyId),
        op: BinaryOp,
    ) -> Translated<Option<ExprId>> {
        let (Some(known_left), Some(known_right)) = (self.known(left), self.known(right)) else { return Ok(None) };
        let (left_ty, right_ty) = (self.integer(known_left.0), self.integer(known_right.0));
        let (Some(left_ty), Some(right_ty)) = (left_ty, right_ty) else { return Ok(None) };
        let common = match left_ty == right_ty {
            true if known_left.0 == known_right.0 => left_ty,
            // Numbers of different types are compared as numbers, but some of them are converted to a type that is too
            // narrow.
            _ if [left_ty, right_ty].iter().all(|&ty| ty != CHAR && is_narrow(ty)) => LONG,
            _ => return Ok(None),
        };
        let left = self.argument(left.0, known_left)?[0];
        let right = self.argument(right.0, known_right)?[0];
        let (left, right) = (self.coerce_leaf(left, common)?, self.coerce_leaf(right, common)?);
        Ok(Some(self.expr(Expr::Binary(op, common, left, right))))
    }

    /// The type in the program model of integers and characters.
    fn integer(&self, ty: TyId) -> Option<Type> {
        match self.cs.ty(ty) {
            Ty::Char | Ty::Int { .. } => self.cs.ir_type(ty).ok(),
            _ => None,
        }
    }

    /// Whether two values are equal, as test frameworks compare them.
    fn is_equal(
        &mut self,
        framework: &Framework,
        left: (&Entry, TyId),
        right: (&Entry, TyId),
    ) -> Translated<Option<ExprId>> {
        let (Some(known_left), Some(known_right)) = (self.known(left), self.known(right)) else { return Ok(None) };
        if known_left.0 != known_right.0 {
            let is_number = framework.namespace == NUNIT.namespace;
            return if is_number { self.compare_numbers(left, right, BinaryOp::Eq) } else { Ok(None) };
        }
        let ty = known_left.0;
        let equality = match self.equality(framework, ty) {
            Some(equality) => equality,
            None => return Ok(None),
        };
        let left = self.argument(left.0, known_left)?;
        let left = left.into_iter().map(|leaf| self.stable(leaf)).collect();
        let right = self.argument(right.0, known_right)?;
        let right = right.into_iter().map(|leaf| self.stable(leaf)).collect();
        self.equal(ty, equality, left, right).map(Some)
    }

    /// How values of a type are compared, if that is known.
    fn equality(&self, framework: &Framework, ty: TyId) -> Option<Equality> {
        if let Some(inner) = self.nullable(ty) {
            let equality = self.equality(framework, inner)?;
            return matches!(equality, Equality::Bits | Equality::Float).then_some(Equality::Nullable(inner));
        }
        match self.cs.ty(ty) {
            Ty::Bool | Ty::Char | Ty::Int { .. } => return Some(Equality::Bits),
            Ty::F32 | Ty::F64 => return Some(Equality::Float),
            _ => {}
        }
        if matches!(self.cs.kind(ty), Kind::Enum(_)) {
            return Some(Equality::Bits);
        }
        if self.cs.is_library_type(ty, "System", "String") {
            return Some(Equality::Comparer);
        }
        let (declared, _) = self.cs.declared(ty)?;
        let is_own = self.cs.loader.assemblies.module(declared.assembly).is_own;
        if !is_own || !matches!(self.cs.kind(ty), Kind::Struct | Kind::Class) {
            return None;
        }
        let below = self.cs.program.subclasses(self.cs.class_of(ty));
        let types = below.into_iter().filter_map(|class| match self.cs.loader.kind_of(class) {
            Some(ClassKind::Type(ty)) => Some(ty),
            _ => None,
        });
        let types: Vec<TyId> = types.filter(|&below| below != ty).collect();
        let equatable = self.cs.generic_library("System", "IEquatable`1", &[ty]).ok()?;
        // Frameworks compare what is a collection, or has an order, in other ways.
        let mut is_equatable = false;
        for interface in types.iter().chain([&ty]).flat_map(|&ty| crate::dispatch::all_interfaces(self.cs, ty)) {
            let (declared, _) = self.cs.declared(interface)?;
            is_equatable |= interface == equatable;
            let is_own = self.cs.loader.assemblies.module(declared.assembly).is_own;
            if !is_own && interface != equatable && !self.cs.is_library_type(interface, "System", "IDisposable") {
                return None;
            }
        }
        (!is_equatable || types.is_empty() && framework.namespace != MSTEST.namespace).then_some(Equality::Comparer)
    }

    /// Whether two values are equal.
    fn equal(&mut self, ty: TyId, equality: Equality, left: Leaves, right: Leaves) -> Translated<ExprId> {
        let both = |(left, right): (Leaves, Leaves)| match (&left[..], &right[..]) {
            (&[left], &[right]) => Ok((left, right)),
            _ => malformed("a struct instead of a number or a reference"),
        };
        match equality {
            Equality::Bits => {
                let (left, right) = both((left, right))?;
                let of = self.body.expr_type(left);
                Ok(self.expr(Expr::Binary(BinaryOp::Eq, of, left, right)))
            }
            Equality::Float => {
                let (left, right) = both((left, right))?;
                let of = self.body.expr_type(left);
                let same = self.expr(Expr::Binary(BinaryOp::Eq, of, left, right));
                let not_left = self.expr(Expr::Binary(BinaryOp::Ne, of, left, left));
                let not_right = self.expr(Expr::Binary(BinaryOp::Ne, of, right, right));
                let neither = self.expr(Expr::Binary(BinaryOp::And, Type::Bool, not_left, not_right));
                Ok(self.expr(Expr::Binary(BinaryOp::Or, Type::Bool, same, neither)))
            }
            Equality::Nullable(inner) => {
                let split =
                    |leaves: &Leaves| leaves.split_first().map(|(&has, value)| (has, Leaves::from_slice(value)));
                let (Some((has_left, left)), Some((has_right, right))) = (split(&left), split(&right)) else {
                    return malformed("a nullable type without values");
                };
                let is_float = matches!(self.cs.ty(inner), Ty::F32 | Ty::F64);
                let equality = if is_float { Equality::Float } else { Equality::Bits };
                let same = self.equal(inner, equality, left, right)?;
                let missing = self.not(has_left);
                let same = self.expr(Expr::Binary(BinaryOp::Or, Type::Bool, missing, same));
                let alike = self.expr(Expr::Binary(BinaryOp::Eq, Type::Bool, has_left, has_right));
                Ok(self.expr(Expr::Binary(BinaryOp::And, Type::Bool, alike, same)))
            }
            Equality::Comparer => self.equal_by_comparer(ty, left, right),
        }
    }

    /// Whether two values are the same object, or equal for the default comparer of their type.
    fn equal_by_comparer(&mut self, ty: TyId, left: Leaves, right: Leaves) -> Translated<ExprId> {
        let found = self.variable_local(None, Type::Bool);
        let join = self.new_block();
        if !self.cs.is_value(ty)
            && let Some(same) = self.is_same(&Entry::Value(ty, left.clone()), &Entry::Value(ty, right.clone()))?
        {
            let (then_block, else_block) = (self.new_block(), self.new_block());
            self.end(TerminatorKind::Branch { condition: same, then_block, else_block });
            self.block = then_block;
            let yes = self.expr(Expr::Const(Const::Bool(true)));
            self.op(OpKind::Assign { dst: found, value: yes });
            self.end(TerminatorKind::Goto(join));
            self.block = else_block;
        }
        let comparer = self.cs.generic_library("System.Collections.Generic", "EqualityComparer`1", &[ty])?;
        let default = self.cs.method_named(comparer, "get_Default", 0).ok_or("a comparer without a default")?;
        let signature = self.cs.signature(&default)?;
        self.emit(&default, &signature, Dispatch::Static, Vec::new(), Vec::new())?;
        let (_, object) = self.pop_reference()?;
        let equals = self.cs.method_named(comparer, "Equals", 2).ok_or("a comparer that compares nothing")?;
        let signature = self.cs.signature(&equals)?;
        let args = left.into_iter().chain(right).collect();
        self.emit(&equals, &signature, Dispatch::Virtual, vec![object], args)?;
        let value = self.truth()?;
        self.op(OpKind::Assign { dst: found, value });
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        let found = self.local(found);
        Ok(self.stable(found))
    }

    /// Puts off the call that makes a constraint of NUnit, because the assertion that gets the constraint may need no
    /// object. The result tells whether the method is one of these.
    fn defer(&mut self, key: &MethodKey, name: &str) -> Translated<bool> {
        const NAMES: [&str; 12] = [
            "EqualTo",
            "SameAs",
            "GreaterThan",
            "GreaterThanOrEqualTo",
            "AtLeast",
            "LessThan",
            "LessThanOrEqualTo",
            "AtMost",
            "get_True",
            "get_False",
            "get_Null",
            "get_Not",
        ];
        let signature = self.cs.signature(key)?;
        let count = signature.params.len() + usize::from(signature.has_this);
        let Some(first) = self.stack.len().checked_sub(count) else { return malformed("an empty stack") };
        let is_negated = |entry: &Entry| matches!(entry, Entry::Deferred(..));
        let is_known = |entry: &Entry| matches!(entry, Entry::Value(..) | Entry::Null | Entry::Literal(_));
        let (receiver, args) = self.stack[first..].split_at(usize::from(signature.has_this));
        if !NAMES.contains(&name) || !receiver.iter().all(is_negated) || !args.iter().all(is_known) {
            return Ok(false);
        }
        self.stabilize_stack();
        let given = self.stack.split_off(first);
        self.push(Entry::Deferred(key.clone(), given));
        Ok(true)
    }

    /// The object that a call makes that was put off.
    pub(super) fn undefer(&mut self, key: &MethodKey, given: Vec<Entry>) -> Translated<(TyId, Leaves)> {
        let signature = self.cs.signature(key)?;
        let mut given = given.into_iter();
        let mut receiver = Vec::new();
        if signature.has_this {
            let (_, leaves) = self.value(given.next().unwrap_or(Entry::Null))?;
            let [object] = leaves[..] else { return malformed("a call on a struct") };
            receiver.push(self.coerce_leaf(object, Type::Class(self.cs.class_of(key.owner)))?);
        }
        let mut args = Vec::new();
        for (entry, &param) in given.zip(&signature.params) {
            args.extend(self.coerce(entry, param)?);
        }
        let dispatch = if signature.has_this { Dispatch::Virtual } else { Dispatch::Static };
        self.emit(key, &signature, dispatch, receiver, args)?;
        self.pop_value()
    }

    /// Whether an argument satisfies a constraint.
    fn satisfies(
        &mut self,
        framework: &Framework,
        actual: (&Entry, TyId),
        key: &MethodKey,
        given: &[Entry],
    ) -> Translated<Option<ExprId>> {
        let Some((_, name)) = super::intrinsics::full_name(self.cs, key) else { return Ok(None) };
        let signature = self.cs.signature(key)?;
        let (negation, given) = given.split_at(usize::from(signature.has_this));
        if let Some(Entry::Deferred(before, _)) = negation.first() {
            let is_not = super::intrinsics::full_name(self.cs, before)
                .is_some_and(|(class, name)| class == CONSTRAINTS && name == "get_Not");
            if !is_not {
                return Ok(None);
            }
        }
        let expected = given.first().zip(signature.params.first().copied());
        let found = match (name.as_str(), expected) {
            ("get_True", _) => self.is_true(actual.0, actual.1, true)?,
            ("get_False", _) => self.is_true(actual.0, actual.1, false)?,
            ("get_Null", _) => self.is_null(actual.0, actual.1)?,
            ("SameAs", Some((expected, _))) => self.is_same(actual.0, expected)?,
            ("EqualTo", Some(expected)) => self.is_equal(framework, actual, expected)?,
            ("GreaterThan", Some(expected)) => self.compare_numbers(actual, expected, BinaryOp::Gt)?,
            ("GreaterThanOrEqualTo" | "AtLeast", Some(expected)) => {
                self.compare_numbers(actual, expected, BinaryOp::Ge)?
            }
            ("LessThan", Some(expected)) => self.compare_numbers(actual, expected, BinaryOp::Lt)?,
            ("LessThanOrEqualTo" | "AtMost", Some(expected)) => self.compare_numbers(actual, expected, BinaryOp::Le)?,
            _ => None,
        };
        let is_negated = !negation.is_empty();
        Ok(found.map(|holds| if is_negated { self.not(holds) } else { holds }))
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

/// Where the value of an argument is whose type is known.
#[derive(Clone, Copy)]
enum BoxedValue {
    /// The argument is the value.
    Itself,
    /// In this box.
    In(ExprId),
}

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Equality {
    /// As numbers or truth values.
    Bits,
    /// As floating-point numbers, where NaNs are equal.
    Float,
    /// Two values are missing, or equal numbers of this type.
    Nullable(TyId),
    /// By the default comparer.
    Comparer,
}

/// Whether an integer type has a sign or is narrower than 32 bits.
fn is_narrow(ty: Type) -> bool {
    matches!(ty, Type::Machine { width, signed } if width < 32 || signed)
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
