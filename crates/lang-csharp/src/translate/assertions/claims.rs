//! What common assertion methods compare.

use super::{Framework, MSTEST, NUNIT, full_class_name};
use crate::layout::{CHAR, LONG};
use crate::loader::ClassKind;
use crate::members::Signature;
use crate::translate::stack::{Entry, Leaves};
use crate::translate::{Translated, Translator, malformed};
use crate::types::{Kind, Ty, TyId};
use aback_ir::{BinaryOp, Const, Dispatch, Expr, ExprId, OpKind, TerminatorKind, Type};

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

/// A reference to any object, and whether it may be one to a string.
struct Reference {
    value: ExprId,
    may_be_string: bool,
}

impl Translator<'_> {
    /// Pops the arguments of an assertion method, and returns whether it passes; `None`, with nothing popped, if that is
    /// not known.
    pub(super) fn known_claim(
        &mut self,
        framework: &Framework,
        name: &str,
        signature: &Signature,
    ) -> Translated<Option<ExprId>> {
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
    pub(super) fn is_message(&self, ty: TyId) -> bool {
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
    pub(super) fn is_true(&mut self, arg: &Entry, ty: TyId, wanted: bool) -> Translated<Option<ExprId>> {
        let is_nullable = self.cs.nullable(ty).is_some_and(|inner| *self.cs.ty(inner) == Ty::Bool);
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

    pub(super) fn is_null(&mut self, arg: &Entry, ty: TyId) -> Translated<Option<ExprId>> {
        if self.cs.nullable(ty).is_some() {
            let leaves = self.coerce(arg.clone(), ty)?;
            let Some(&has) = leaves.first() else { return malformed("a nullable type without values") };
            return Ok(Some(self.not(has)));
        }
        if self.cs.is_value(ty) {
            return Ok(None);
        }
        self.is_same(arg, &Entry::Null)
    }

    pub(super) fn is_same(&mut self, left: &Entry, right: &Entry) -> Translated<Option<ExprId>> {
        let (Some(left), Some(right)) = (self.reference(left)?, self.reference(right)?) else { return Ok(None) };
        Ok(Some(match left.may_be_string && right.may_be_string {
            true => self.are_one(left.value, right.value)?,
            false => self.is_reference_equal(left.value, right.value),
        }))
    }

    /// A reference as one to an object; `None` for values.
    fn reference(&mut self, entry: &Entry) -> Translated<Option<Reference>> {
        let (declared, leaves) = self.value(entry.clone())?;
        let [leaf] = leaves[..] else { return Ok(None) };
        let ty = self.body.expr_type(leaf);
        if !ty.is_reference() && ty != Type::Null {
            return Ok(None);
        }
        let may_be_string = self.may_be_string((declared, leaf));
        let value = self.coerce_leaf(leaf, Type::Class(self.cs.object_class()))?;
        Ok(Some(Reference { value, may_be_string }))
    }

    fn is_reference_equal(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let root = Type::Class(self.cs.object_class());
        self.expr(Expr::Binary(BinaryOp::Eq, root, left, right))
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
    pub(super) fn compare_numbers(
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
    pub(super) fn is_equal(
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
        if let Some(inner) = self.cs.nullable(ty) {
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
            && let Some(left) = self.reference(&Entry::Value(ty, left.clone()))?
            && let Some(right) = self.reference(&Entry::Value(ty, right.clone()))?
        {
            let same = self.is_reference_equal(left.value, right.value);
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
