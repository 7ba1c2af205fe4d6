//! Translates calls and the creation of objects.

use super::intrinsics::full_name;
use super::places::Place;
use super::stack::{Entry, Leaves};
use super::{Translated, Translator, malformed};
use crate::dispatch;
use crate::layout::INT;
use crate::loader::{ClassKind, Cs, Target};
use crate::members::{MethodKey, MethodRef, Signature};
use crate::receivers;
use crate::synthetic::arrays;
use crate::types::{Kind, Ty, TyId};
use aback_cil::Token;
use aback_ir::{BinaryOp, Dispatch, DivideOp, Expr, ExprId, OpKind, Type};

impl<'a> Translator<'a> {
    /// Translates a call. The result tells whether the next instruction follows.
    pub(super) fn call(&mut self, token: Token, is_virtual: bool, constrained: Option<Token>) -> Translated<bool> {
        let key = match self.cs.method_token(self.assembly, token, &self.generics)? {
            MethodRef::Declared(key) => key,
            MethodRef::OfArray(array, name, _) => {
                self.array_call(array, &name)?;
                return Ok(true);
            }
        };
        let constrained = match constrained {
            Some(token) => Some(self.cs.token(self.assembly, token, &self.generics)?),
            None => None,
        };
        if self.is_own_code() && compares_identities(self.cs, &key) {
            self.cs.loader.note_identities_in_libraries();
        }
        if crate::supplied::of(self.cs, &key).is_some() {
            return self.plain_call(key, is_virtual, constrained);
        }
        if self.is_own_code() {
            self.note_environment(&key)?;
        }
        if let Some(goes_on) = self.intrinsic(&key)? {
            return Ok(goes_on);
        }
        if self.framework_call(&key)? {
            return Ok(true);
        }
        let key = self.text_to_read(&key)?.unwrap_or(key);
        let key = crate::models::of_library(self.cs, &key).unwrap_or(key);
        let signature = self.cs.signature(&key)?;
        if self.is_number_of_bucket(&key) {
            self.pop()?;
            self.divide(DivideOp::Rem, true)?;
            return Ok(true);
        }
        if let Some(&[of]) = self.cs.declared(key.owner).as_ref().map(|(_, arguments)| &arguments[..])
            && signature.params.len() == 1
            && self.cs.is_library_type(key.owner, "System.Collections.Generic", "EqualityComparer`1")
            && self.is_hash_of_no_matter(&key, of)
        {
            self.pop()?;
            self.pop()?;
            let zero = self.int(0);
            self.push_number(zero);
            return Ok(true);
        }
        self.plain_call(key, is_virtual, constrained)
    }

    /// Translates a call whose meaning only the called method tells.
    fn plain_call(&mut self, key: MethodKey, is_virtual: bool, constrained: Option<TyId>) -> Translated<bool> {
        let signature = self.cs.signature(&key)?;
        let args = self.pop_arguments(&signature)?;
        if !signature.has_this {
            let key = match constrained {
                Some(of) => dispatch::implementation(self.cs, of, &key)
                    .ok_or_else(|| format!("a static method that {} does not have", self.ty_name(of)))?,
                None => key,
            };
            self.emit(&key, &signature, Dispatch::Static, Vec::new(), args)?;
            return Ok(true);
        }
        let receiver = self.pop()?;
        match constrained {
            Some(of) => self.constrained_call(key, &signature, of, receiver, args)?,
            None => self.instance_call(&key, &signature, is_virtual, receiver, args)?,
        }
        Ok(true)
    }

    /// What writes values into a text that is read at once: messages are made by exceptions when they are asked for them,
    /// and elsewhere only kept.
    fn text_to_read(&self, key: &MethodKey) -> Translated<Option<MethodKey>> {
        let is_read = matches!(self.method_name(), "get_Message" | "ToString");
        let is_format = || {
            super::intrinsics::full_name(self.cs, key)
                .is_some_and(|(class, name)| class == "System.SR" && name == "Format")
        };
        if !is_read || !is_format() {
            return Ok(None);
        }
        let params = self.cs.signature(key)?.params;
        let name = format!("Format{}", params.len().saturating_sub(1));
        let text = crate::models::helper(self.cs, "System", "Texts", std::sync::Arc::new([]), &name)
            .filter(|text| self.cs.signature(text).is_ok_and(|own| own.params == params));
        text.map(Some).ok_or_else(|| "a text with values in it".into())
    }

    /// Pops the arguments of a call, as values of the parameters' types.
    pub(super) fn pop_arguments(&mut self, signature: &Signature) -> Translated<Vec<ExprId>> {
        let count = signature.params.len();
        if self.stack.len() < count {
            return malformed("an empty stack");
        }
        let entries = self.stack.split_off(self.stack.len() - count);
        let mut args = Vec::new();
        for (entry, &param) in entries.into_iter().zip(&signature.params) {
            args.extend(self.coerce(entry, param)?);
        }
        Ok(args)
    }

    fn instance_call(
        &mut self,
        key: &MethodKey,
        signature: &Signature,
        is_virtual: bool,
        receiver: Entry,
        args: Vec<ExprId>,
    ) -> Translated<()> {
        if self.cs.is_value(key.owner) {
            let receiver = self.struct_receiver(key, receiver)?;
            return self.emit(key, signature, Dispatch::Static, receiver, args);
        }
        let (_, leaves) = self.value(receiver)?;
        let [object] = leaves[..] else { return malformed("a call on a struct") };
        let object = self.coerce_leaf(object, Type::Class(self.cs.class_of(key.owner)))?;
        if !is_virtual && !self.is_receiver(object) {
            self.refuse_null(object, "a call of an instance method on null")?;
        }
        let is_dispatched = is_virtual && self.is_dispatched(key);
        let dispatch = if is_dispatched { Dispatch::Virtual } else { Dispatch::Special };
        self.emit(key, signature, dispatch, vec![object], args)
    }

    pub(super) fn is_dispatched(&self, key: &MethodKey) -> bool {
        let Some((declared, _)) = self.cs.declared(key.owner) else { return false };
        let read = self.cs.assembly(declared.assembly);
        let is_final = read.type_def(declared.row).is_ok_and(|ty| ty.is_sealed());
        let is_delegate = self.cs.kind(key.owner) == Kind::Delegate;
        read.method(key.row).is_ok_and(|method| method.is_virtual() && (is_delegate || !method.is_final() && !is_final))
    }

    /// The arguments for the receiver of a method of a struct.
    pub(super) fn struct_receiver(&mut self, key: &MethodKey, receiver: Entry) -> Translated<Vec<ExprId>> {
        let (place, _) = match receiver {
            // A struct on the stack is a copy.
            Entry::Value(ty, leaves) if ty == key.owner && !matches!(self.cs.ty(ty), Ty::Ref(_) | Ty::Pointer(_)) => {
                (self.copied(ty, &leaves)?, ty)
            }
            receiver => self.pointed(receiver)?,
        };
        if receivers::is_by_value(self.cs, key) {
            return Ok(self.read(&place, key.owner)?.into_vec());
        }
        Ok(vec![self.materialize(&place, key.owner)?])
    }

    /// A new variable with a value, as a place.
    fn copied(&mut self, ty: TyId, leaves: &Leaves) -> Translated<Place> {
        let shape = self.cs.shape(ty)?;
        let class = self.cs.class_for(ClassKind::Cell(shape.clone()));
        let object = self.result(Type::Class(class), |dst| OpKind::New { dst, class });
        let place = Place::Cell { object, class, first: 0, count: shape.len(), shape };
        self.write(&place, leaves)?;
        Ok(place)
    }

    /// A call on a value whose type is a type parameter in the source.
    fn constrained_call(
        &mut self,
        key: MethodKey,
        signature: &Signature,
        of: TyId,
        receiver: Entry,
        args: Vec<ExprId>,
    ) -> Translated<()> {
        if signature.params.is_empty() && self.is_hash_of_no_matter(&key, of) {
            let zero = self.int(0);
            self.push_number(zero);
            return Ok(());
        }
        let (place, _) = self.pointed(receiver)?;
        if !self.cs.is_value(of) {
            let leaves = self.read(&place, of)?;
            let [object] = leaves[..] else { return malformed("a call on a struct") };
            let object = self.coerce_leaf(object, Type::Class(self.cs.class_of(key.owner)))?;
            return self.emit(&key, signature, Dispatch::Virtual, vec![object], args);
        }
        match dispatch::implementation(self.cs, of, &key) {
            Some(own) if own.owner == of => {
                let own_signature = self.cs.signature(&own)?;
                let receiver = self.struct_receiver(&own, Entry::Pointer(place, of))?;
                self.emit(&own, &own_signature, Dispatch::Static, receiver, args)
            }
            // The struct inherits the method, so that it runs on a box.
            _ => {
                let leaves = self.read(&place, of)?;
                self.box_value(Entry::Value(of, leaves), of)?;
                let (_, object) = self.pop_reference()?;
                let object = self.coerce_leaf(object, Type::Class(self.cs.class_of(key.owner)))?;
                self.emit(&key, signature, Dispatch::Virtual, vec![object], args)
            }
        }
    }

    /// Adds a call, and pushes its result.
    pub(super) fn emit(
        &mut self,
        key: &MethodKey,
        signature: &Signature,
        dispatch: Dispatch,
        receiver: Vec<ExprId>,
        args: Vec<ExprId>,
    ) -> Translated<()> {
        let (method, dispatch) = match self.is_call_in_own_model(key) {
            true if dispatch == Dispatch::Static => (self.cs.method_with_code_of(key), dispatch),
            true => (self.cs.method_with_code_of(key), Dispatch::Special),
            false => (self.cs.method(key), dispatch),
        };
        let declared = self.cs.program.method(method);
        let mut all = receiver;
        all.extend(args);
        if all.len() != declared.params.len() {
            return Err(format!("the method {}, whose types are not supported", self.cs.program.method_name(method)));
        }
        let args = all
            .into_iter()
            .zip(&declared.params)
            .map(|(value, &to)| self.coerce_leaf(value, to))
            .collect::<Translated<Vec<ExprId>>>()?;
        let leaves = self.cs.leaves(signature.result)?;
        let dst = declared.result.map(|ty| self.temporary(ty));
        self.op(OpKind::Call { dst, dispatch, method, args });
        if *self.cs.ty(signature.result) == Ty::Void {
            return Ok(());
        }
        let mut values = Leaves::new();
        for (index, leaf) in leaves.iter().enumerate() {
            values.push(match dst {
                Some(dst) if index == 0 => self.local(dst),
                _ => {
                    let field = self.cs.result_register(index, leaf.ty);
                    self.result(leaf.ty, |dst| OpKind::GetStatic { dst, field })
                }
            });
        }
        self.push_leaves(signature.result, values);
        Ok(())
    }

    /// Whether this code is the user's model of a method that it calls, so that it means the library's own code.
    fn is_call_in_own_model(&self, key: &MethodKey) -> bool {
        crate::supplied::of(self.cs, key).as_ref() == Some(self.key)
    }

    /// Creates an object and runs its constructor.
    pub(super) fn new_object(&mut self, token: Token) -> Translated<()> {
        let key = match self.cs.method_token(self.assembly, token, &self.generics)? {
            MethodRef::Declared(key) => key,
            MethodRef::OfArray(array, _, count) => return self.new_grid(array, count),
        };
        if self.cs.kind(key.owner) == Kind::Delegate {
            return self.new_delegate(key.owner);
        }
        if crate::supplied::of(self.cs, &key).is_none() && self.new_intrinsic(&key)? {
            return Ok(());
        }
        self.construct(&key)
    }

    /// Creates an object with a constructor.
    pub(super) fn construct(&mut self, key: &MethodKey) -> Translated<()> {
        let signature = self.cs.signature(key)?;
        let args = self.pop_arguments(&signature)?;
        let args: Vec<ExprId> = args.into_iter().map(|arg| self.stable(arg)).collect();
        if self.cs.is_value(key.owner) {
            let leaves = self.default_leaves(key.owner)?;
            let place = self.copied(key.owner, &leaves)?;
            let pointer = self.materialize(&place, key.owner)?;
            let receiver = match receivers::is_by_value(self.cs, key) {
                true => leaves.into_vec(),
                false => vec![pointer],
            };
            self.emit(key, &signature, Dispatch::Static, receiver, args)?;
            let leaves = self.read(&place, key.owner)?;
            self.push_leaves(key.owner, leaves);
            return Ok(());
        }
        let class = self.cs.class_of(key.owner);
        let declared = self.cs.program.class(class);
        if declared.is_abstract || declared.is_interface {
            return malformed("an object of an abstract class");
        }
        let object = self.result(Type::Class(class), |dst| OpKind::New { dst, class });
        // The constructor of `object` does nothing.
        if class != self.cs.object_class() {
            self.emit(key, &signature, Dispatch::Special, vec![object], args)?;
        }
        self.push_object(key.owner, object);
        Ok(())
    }

    pub(super) fn load_function(&mut self, token: Token, is_virtual: bool) -> Translated<()> {
        match self.cs.method_token(self.assembly, token, &self.generics)? {
            MethodRef::Declared(key) => {
                let is_dispatched = is_virtual && self.is_dispatched(&key);
                self.push(Entry::Function(key, is_dispatched));
            }
            MethodRef::OfArray(..) => return Err("a delegate to a method of arrays".into()),
        }
        Ok(())
    }

    /// Pops a method and a target and pushes a delegate.
    fn new_delegate(&mut self, ty: TyId) -> Translated<()> {
        let Entry::Function(key, is_dispatched) = self.pop()? else {
            return Err("a delegate of an unknown method".into());
        };
        let target = self.pop()?;
        let method = self.cs.method(&key);
        let signature = self.cs.signature(&key)?;
        let invoke = crate::synthetic::delegates::invoke(self.cs, ty)?;
        let invoke = self.cs.loader.key_of(invoke).ok_or("a delegate without a method")?;
        let given = self.cs.signature(&invoke)?.params.len();
        let has_target = signature.has_this || signature.params.len() > given;
        let kind = match (has_target, is_dispatched || !self.is_dispatched(&key)) {
            (false, _) => Target::None,
            (true, true) => Target::Dispatched,
            (true, false) => Target::Exact,
        };
        let class = self.cs.class_for(ClassKind::Delegate(ty, method, kind));
        let root = Type::Class(self.cs.object_class());
        let mut held = None;
        if has_target {
            let (_, leaves) = self.value(target)?;
            let [object] = leaves[..] else { return malformed("a struct as the target of a delegate") };
            let object = self.coerce_leaf(object, root)?;
            let object = self.stable(object);
            if signature.has_this {
                let is_there = self.is_there(object)?;
                self.require(is_there, "ArgumentException");
            }
            held = Some(object);
        }
        let delegate = self.result(Type::Class(class), |dst| OpKind::New { dst, class });
        if let Some(value) = held
            && let Some(&field) = self.cs.program.class(class).fields.first()
        {
            self.op(OpKind::PutField { object: delegate, field, value });
        }
        let delegate = self.coerce_leaf(delegate, Type::Class(self.cs.class_of(ty)))?;
        self.push_object(ty, delegate);
        Ok(())
    }

    /// Creates an array with several dimensions.
    fn new_grid(&mut self, array: TyId, count: usize) -> Translated<()> {
        let &Ty::Grid(element, rank) = self.cs.ty(array) else { return Err("an array with a lower bound".into()) };
        if count != rank as usize {
            return Err("an array with lower bounds".into());
        }
        let mut lengths = Vec::new();
        for _ in 0..rank {
            let (length, ty) = self.pop_number()?;
            if ty != INT {
                return Err("an array with a length of 64 bits".into());
            }
            lengths.insert(0, self.stable(length));
        }
        let zero = self.int(0);
        for &length in &lengths {
            let fits = self.expr(Expr::Binary(BinaryOp::Ge, INT, length, zero));
            self.require(fits, "OverflowException");
        }
        let mut total = lengths[0];
        for &length in &lengths[1..] {
            total = self.checked_product(total, length)?;
        }
        let object = self.allocate_array(array, element, total)?;
        let (_, fields) = arrays::fields(self.cs, array, element)?;
        for (field, value) in fields.into_iter().zip(lengths) {
            self.op(OpKind::PutField { object, field, value });
        }
        self.push_object(array, object);
        Ok(())
    }

    /// A product of two lengths; throws an exception if it is not one.
    fn checked_product(&mut self, left: ExprId, right: ExprId) -> Translated<ExprId> {
        self.push_number(left);
        self.push_number(right);
        self.binary(BinaryOp::Mul, super::numbers::Overflow::Signed)?;
        Ok(self.pop_number()?.0)
    }

    /// Translates a call of `Get`, `Set` or `Address` of an array with several dimensions.
    fn array_call(&mut self, array: TyId, name: &str) -> Translated<()> {
        let &Ty::Grid(element, rank) = self.cs.ty(array) else { return Err("an array with a lower bound".into()) };
        let value = if name == "Set" { Some(self.pop()?) } else { None };
        let mut indices = Vec::new();
        for _ in 0..rank {
            let (index, _) = self.pop_number()?;
            let index = self.convert(index, INT);
            indices.insert(0, self.stable(index));
        }
        let (_, object) = self.pop_reference()?;
        let object = self.stable(object);
        let object = self.coerce_leaf(object, Type::Class(self.cs.class_of(array)))?;
        let (_, lengths) = arrays::fields(self.cs, array, element)?;
        let zero = self.int(0);
        let mut at = None;
        for (&index, field) in indices.iter().zip(lengths) {
            let length = self.get_field(object, field);
            let low = self.expr(Expr::Binary(BinaryOp::Ge, INT, index, zero));
            let high = self.expr(Expr::Binary(BinaryOp::Lt, INT, index, length));
            let fits = self.expr(Expr::Binary(BinaryOp::And, Type::Bool, low, high));
            self.require(fits, "IndexOutOfRangeException");
            at = Some(match at {
                None => index,
                Some(before) => {
                    let row = self.expr(Expr::Binary(BinaryOp::Mul, INT, before, length));
                    self.expr(Expr::Binary(BinaryOp::Add, INT, row, index))
                }
            });
        }
        let Some(index) = at else { return malformed("an array without dimensions") };
        let count = self.cs.leaves(element)?.len();
        let place = Place::Element { array: object, index, ty: array, element, first: 0, count };
        match (name, value) {
            ("Get", _) => {
                let leaves = self.read(&place, element)?;
                self.push_leaves(element, leaves);
            }
            ("Set", Some(value)) => {
                let leaves = self.coerce(value, element)?;
                self.write(&place, &leaves)?;
            }
            ("Address", _) => self.push(Entry::Pointer(place, element)),
            _ => return Err(format!("the method {name} of an array")),
        }
        Ok(())
    }
}

/// Whether a method belongs to a class of the library that tells objects by their identities.
fn compares_identities(cs: Cs, key: &MethodKey) -> bool {
    let class = full_name(cs, key).map(|(class, _)| class).unwrap_or_default();
    let class = class.rsplit('.').next().unwrap_or_default();
    matches!(class, "ReferenceEqualityComparer" | "ConditionalWeakTable" | "ObjectIDGenerator")
}
