//! Translates calls of methods that the runtime implements, or whose meaning the translator knows.

mod bodies;
mod steps;

pub(super) use bodies::whole_body;

use super::numbers::Comparison;
use super::places::Place;
use super::stack::Entry;
use super::{Translated, Translator, malformed};
use crate::layout::{CHAR, INT, LONG};
use crate::loader::Cs;
use crate::members::MethodKey;
use crate::synthetic::{self, operations, references};
use crate::types::{Kind, Ty, TyId};
use aback_ir::{BinaryOp, Const, Dispatch, Expr, OpKind, TerminatorKind, Type, UnaryOp};
use std::sync::Arc;

/// The name of a method: the full name of its class, and its own.
pub(super) fn full_name(cs: Cs, key: &MethodKey) -> Option<(String, String)> {
    let (declared, _) = cs.declared(key.owner)?;
    let read = cs.assembly(declared.assembly);
    let class = crate::types::declared_name(&cs.loader.assemblies, declared);
    Some((class, read.method_name(key.row).ok()?.to_string()))
}

/// What a method does that makes or follows assertions.
enum Assertion {
    Assert,
    Assume,
    /// Is false.
    Fail,
    /// Writes to listeners, which nobody sees.
    Write,
}

/// Whether a method is an assertion of the class library.
pub(super) fn is_assertion(class: &str, name: &str) -> bool {
    let kind = class.strip_prefix("System.Diagnostics.").and_then(|class| assertion(class, name));
    matches!(kind, Some(Assertion::Assert | Assertion::Fail))
}

fn assertion(class: &str, name: &str) -> Option<Assertion> {
    match (class, name) {
        ("Debug" | "Trace" | "Contracts.Contract", "Assert") => Some(Assertion::Assert),
        ("Contracts.Contract", "Assume") => Some(Assertion::Assume),
        ("Debug" | "Trace", "Fail") => Some(Assertion::Fail),
        ("Debug" | "Trace", "Write" | "WriteLine" | "WriteIf" | "WriteLineIf" | "Print") => Some(Assertion::Write),
        _ => None,
    }
}

impl<'a> Translator<'a> {
    /// Translates a call if the translator knows what the method does. The result tells whether the next instruction
    /// follows.
    pub(super) fn intrinsic(&mut self, key: &MethodKey) -> Translated<Option<bool>> {
        let Some((class, name)) = full_name(self.cs, key) else { return Ok(None) };
        let signature = self.cs.signature(key)?;
        // Models use the texts of the library.
        let texts = match class.as_str() {
            "System.SR" => Some(key.owner),
            "Models.System.SR" => Some(self.cs.library("System", "Object")?),
            _ => None,
        };
        if name == "GetResourceString"
            && let Some((declared, _)) = texts.and_then(|owner| self.cs.declared(owner))
            && let Some(Entry::Literal(key)) = self.stack.get(self.stack.len().wrapping_sub(signature.params.len()))
            && let Ok(key) = String::from_utf16(key)
        {
            let text = synthetic::literals::text(self.cs, declared.assembly, &key);
            let text = text.ok_or_else(|| format!("the library's text {key}, which is not there"))?;
            self.stack.truncate(self.stack.len() - signature.params.len());
            let text = self.load_made(text);
            self.push_object(self.cs.library("System", "String")?, text);
            return Ok(Some(true));
        }
        let Some(class) = class.strip_prefix("System.") else { return Ok(None) };
        if let Some(diagnostics) = class.strip_prefix("Diagnostics.")
            && let Some(kind) = assertion(diagnostics, &name)
        {
            let is_text = |&ty: &TyId| *self.cs.ty(ty) == Ty::Bool || self.cs.is_library_type(ty, "System", "String");
            // Other values are asked for their text.
            if matches!(kind, Assertion::Write) && !signature.params.iter().all(is_text) {
                return Ok(None);
            }
            self.assertion(kind, signature.params.len())?;
            return Ok(Some(true));
        }
        if class == "Diagnostics.Contracts.Contract"
            && matches!(name.as_str(), "Requires" | "Ensures" | "EnsuresOnThrow" | "Invariant")
        {
            let next = self.new_block();
            let construct = format!("Contract.{name}, which the rewriter of Code Contracts has to replace");
            self.end(TerminatorKind::Unsupported { construct, lost: Some(next) });
            self.block = next;
            for _ in &signature.params {
                self.pop()?;
            }
            return Ok(Some(true));
        }
        let count = signature.params.len();
        let type_argument = key.arguments.first().copied();
        match (class, name.as_str(), count) {
            // The library writes these arrays before it reads them.
            ("Buffers.ArrayPool", "Rent", 1) | ("GC", "AllocateUninitializedArray", _)
                if self.cs.loader.assemblies.module(self.assembly).is_own =>
            {
                return Err("an array whose elements are what memory contained before".into());
            }
            ("Object", ".ctor", 0) => {
                self.pop()?;
            }
            ("Object", "ReferenceEquals", 2) if self.is_own_code() => {
                let value = self.compare(Comparison { op: BinaryOp::Eq, is_un: false })?;
                let bool = self.cs.simple(Ty::Bool);
                self.push_value(bool, value);
            }
            ("Object", "GetType", 0) => {
                let object = self.cs.library("System", "Object")?;
                if self.is_own_code() || self.key.owner == object {
                    let (ty, value) = self.pop_reference()?;
                    let value = self.stable(value);
                    let class = self.cs.object_class();
                    let method = self.cs.made_method(class, operations::KNOWN)?;
                    let args = vec![self.coerce_leaf(value, Type::Class(class))?];
                    self.op(OpKind::Call { dst: None, dispatch: Dispatch::Virtual, method, args });
                    self.push_value(ty, value);
                }
                return Ok(None);
            }
            ("Type", "GetTypeFromHandle", 1) => match self.pop()? {
                Entry::Type(ty) => self.push(Entry::Type(ty)),
                _ => return Err("the handle of an unknown type".into()),
            },
            ("Type", "op_Equality" | "op_Inequality", 2) => {
                let is_equality = name == "op_Equality";
                let op = if is_equality { BinaryOp::Eq } else { BinaryOp::Ne };
                let [.., left, right] = &self.stack[..] else { return malformed("an empty stack") };
                let value = match (left, right) {
                    (&Entry::Type(left), &Entry::Type(right)) => {
                        self.stack.truncate(self.stack.len() - 2);
                        self.expr(Expr::Const(Const::Bool((left == right) == is_equality)))
                    }
                    _ => {
                        let (right, left) = (self.pop_reference()?.1, self.pop_reference()?.1);
                        let ty = Type::Class(self.cs.object_class());
                        let (left, right) = (self.coerce_leaf(left, ty)?, self.coerce_leaf(right, ty)?);
                        self.expr(Expr::Binary(op, ty, left, right))
                    }
                };
                self.push_bool(value);
            }
            ("Type", "get_IsValueType" | "get_IsEnum" | "get_IsPrimitive", 0) => {
                let Some(&Entry::Type(ty)) = self.stack.last() else { return Ok(None) };
                self.pop()?;
                let value = match name.as_str() {
                    "get_IsValueType" => self.cs.is_value(ty),
                    "get_IsEnum" => matches!(self.cs.kind(ty), Kind::Enum(_)),
                    _ => !matches!(self.cs.ty(ty), Ty::Named(..) | Ty::Array(_) | Ty::Grid(..)),
                };
                self.push_known(value);
            }
            ("Runtime.CompilerServices.RuntimeHelpers", "IsReferenceOrContainsReferences", 0) => {
                let leaves = self.cs.leaves(type_argument.ok_or("a missing type argument")?)?;
                self.push_known(leaves.iter().any(|leaf| leaf.ty.is_reference()));
            }
            ("Runtime.CompilerServices.RuntimeHelpers", "IsBitwiseEquatable", 0) => {
                let ty = type_argument.ok_or("a missing type argument")?;
                let is_one = matches!(self.cs.ty(ty), Ty::Char | Ty::Int { .. } | Ty::Native { .. });
                self.push_known(is_one || matches!(self.cs.kind(ty), Kind::Enum(_)));
            }
            ("Runtime.CompilerServices.RuntimeHelpers", "IsKnownConstant", 1) => {
                self.pop()?;
                self.push_known(false);
            }
            ("Runtime.CompilerServices.RuntimeHelpers", "InitializeArray", 2) => {
                let Entry::FieldData(field) = self.pop()? else { return malformed("an initial value of nothing") };
                let (ty, array) = self.pop_reference()?;
                self.fill_array(ty, array, field)?;
            }
            ("Runtime.CompilerServices.RuntimeHelpers", "EnsureSufficientExecutionStack", 0) => {}
            ("Runtime.CompilerServices.RuntimeHelpers", "TryEnsureSufficientExecutionStack", 0) => {
                self.push_known(true);
            }
            ("Runtime.CompilerServices.Unsafe", "As", 1) => match key.arguments.len() {
                1 => {
                    let to = key.arguments[0];
                    let (_, value) = self.pop_reference()?;
                    let value = self.coerce_leaf(value, self.cs.ir_type(to)?)?;
                    self.push_value(to, value);
                }
                _ => self.reinterpret(key.arguments[0], key.arguments[1])?,
            },
            ("Runtime.CompilerServices.Unsafe", "AsRef", 1) => {}
            ("Runtime.CompilerServices.Unsafe", "NullRef", 0) => {
                let target = type_argument.ok_or("a missing type argument")?;
                let of = self.cs.intern(Ty::Ref(target))?;
                let null = self.default_leaf(self.cs.ir_type(of)?);
                self.push_value(of, null);
            }
            ("Runtime.CompilerServices.Unsafe", "IsNullRef", 1) => {
                let (_, pointer) = self.pop_reference()?;
                let root = Type::Class(self.cs.object_class());
                let pointer = self.coerce_leaf(pointer, root)?;
                let null = self.expr(Expr::Const(Const::Null));
                let value = self.expr(Expr::Binary(BinaryOp::Eq, root, pointer, null));
                self.push_bool(value);
            }
            ("Runtime.CompilerServices.RuntimeHelpers", "CreateSpan", 1) => {
                let Entry::FieldData(field) = self.pop()? else { return malformed("an initial value of nothing") };
                let element = type_argument.ok_or("a missing type argument")?;
                let bytes = self.initial_size(field)?.ok_or("an initial value of unknown size")? as i64;
                let length = self.int(bytes / self.size_of(element)?.max(1));
                let pointer = self.data(field, element)?;
                let span = signature.result;
                self.push_leaves(span, smallvec::smallvec![pointer, length]);
            }
            ("Runtime.CompilerServices.Unsafe", "SkipInit", 1) => {
                self.pop()?;
            }
            ("Runtime.CompilerServices.Unsafe", "Add" | "Subtract", 2) => {
                let (distance, ty) = self.pop_number()?;
                let distance = if ty == LONG { distance } else { self.convert(distance, LONG) };
                let zero = self.constant(0, LONG);
                let distance = match name.as_str() {
                    "Add" => distance,
                    _ => self.expr(Expr::Binary(BinaryOp::Sub, LONG, zero, distance)),
                };
                let entry = self.pop()?;
                self.move_pointer(entry, distance)?;
            }
            ("Runtime.CompilerServices.Unsafe", "AsPointer", 1) => {}
            ("Runtime.CompilerServices.Unsafe", "ReadUnaligned", 1) => {
                self.read_bytes(type_argument.ok_or("a missing type argument")?)?;
            }
            ("Runtime.CompilerServices.Unsafe", "WriteUnaligned", 2) => {
                self.write_bytes(type_argument.ok_or("a missing type argument")?)?;
            }
            ("Runtime.CompilerServices.Unsafe", "AddByteOffset" | "SubtractByteOffset", 2) => {
                self.pointer_arithmetic(if name == "AddByteOffset" { BinaryOp::Add } else { BinaryOp::Sub })?;
            }
            ("Runtime.CompilerServices.Unsafe", "ByteOffset", 2) => {
                let from = self.pop()?;
                let to = self.pop()?;
                self.push(from);
                self.push(to);
                self.pointer_arithmetic(BinaryOp::Sub)?;
            }
            ("Runtime.CompilerServices.Unsafe", "AreSame" | "IsAddressLessThan" | "IsAddressGreaterThan", 2) => {
                let target = type_argument.ok_or("a missing type argument")?;
                let shape = self.cs.shape(target)?;
                let (mut right, mut left) = (self.pop_reference()?.1, self.pop_reference()?.1);
                if name == "IsAddressGreaterThan" {
                    std::mem::swap(&mut left, &mut right);
                }
                let operation = if name == "AreSame" { references::SAME } else { references::BEFORE };
                let method = self.cs.made_method(self.cs.reference_class(&shape), operation)?;
                let args = vec![left, right];
                let value = self.result(Type::Bool, |dst| OpKind::Call {
                    dst: Some(dst),
                    dispatch: Dispatch::Virtual,
                    method,
                    args,
                });
                self.push_bool(value);
            }
            ("Runtime.CompilerServices.Unsafe", "SizeOf", 0) => {
                let size = self.size_of(type_argument.ok_or("a missing type argument")?)?;
                let size = self.int(size);
                self.push_number(size);
            }
            ("Runtime.CompilerServices.Unsafe", "BitCast", 1) if key.arguments.len() == 2 => {
                let entry = self.pop()?;
                let leaves = self.coerce(entry, key.arguments[0])?;
                let (from, to) = (self.cs.shape(key.arguments[0])?, self.cs.leaves(key.arguments[1])?);
                if from != self.cs.shape(key.arguments[1])? {
                    let [value] = leaves[..] else { return Err("a struct that is read as another".into()) };
                    let from = self.body.expr_type(value);
                    let value = self.as_bits(value, from, to[0].ty);
                    self.push_value(key.arguments[1], value);
                    return Ok(Some(true));
                }
                let leaves = leaves.into_iter().zip(to.iter()).map(|(leaf, to)| self.coerce_leaf(leaf, to.ty));
                let leaves = leaves.collect::<Translated<_>>()?;
                self.push_leaves(key.arguments[1], leaves);
            }
            ("Runtime.InteropServices.MemoryMarshal", "GetArrayDataReference", 1) => {
                let element = type_argument.ok_or("a reference to the data of an unknown array")?;
                let (_, array) = self.pop_reference()?;
                let ty = self.cs.intern(Ty::Array(element))?;
                let array = self.stable(array);
                let array = self.coerce_leaf(array, self.cs.ir_type(ty)?)?;
                let index = self.int(0);
                let count = self.cs.leaves(element)?.len();
                self.push(Entry::Pointer(Place::Element { array, index, ty, element, first: 0, count }, element));
            }
            ("String", "get_Length", 0) => {
                let (_, string) = self.pop_reference()?;
                let characters = self.characters(string)?;
                let length = self.result(INT, |dst| OpKind::ArrayLength { dst, array: characters });
                self.push_number(length);
            }
            ("String", "get_Chars", 1) => {
                let (index, _) = self.pop_number()?;
                let index = self.stable(index);
                let (_, string) = self.pop_reference()?;
                let array = self.characters(string)?;
                let value = self.result(CHAR, |dst| OpKind::ArrayGet { dst, array, index });
                self.push_value(self.cs.simple(Ty::Char), value);
            }
            ("Math" | "MathF", "Sqrt" | "Floor" | "Ceiling" | "Abs", 1)
                if matches!(self.cs.ty(signature.params[0]), Ty::F64 | Ty::F32) =>
            {
                self.unary(match name.as_str() {
                    "Sqrt" => UnaryOp::Sqrt,
                    "Floor" => UnaryOp::Floor,
                    "Ceiling" => UnaryOp::Ceil,
                    _ => UnaryOp::Abs,
                })?;
            }
            ("BitConverter", "SingleToInt32Bits" | "SingleToUInt32Bits", 1) => self.bits(Type::F32, INT)?,
            ("BitConverter", "DoubleToInt64Bits" | "DoubleToUInt64Bits", 1) => self.bits(Type::F64, LONG)?,
            ("BitConverter", "Int32BitsToSingle" | "UInt32BitsToSingle", 1) => self.bits(INT, Type::F32)?,
            ("BitConverter", "Int64BitsToDouble" | "UInt64BitsToDouble", 1) => self.bits(LONG, Type::F64)?,
            ("Threading.Volatile", "Read", 1) => {
                let entry = self.pop()?;
                let (place, ty) = self.pointed(entry)?;
                let leaves = self.read(&place, ty)?;
                self.push_leaves(ty, leaves);
            }
            ("Threading.Volatile", "Write", 2) => {
                let value = self.pop()?;
                let entry = self.pop()?;
                let (place, ty) = self.pointed(entry)?;
                let leaves = self.coerce(value, ty)?;
                self.write(&place, &leaves)?;
            }
            ("Threading.Interlocked", "CompareExchange", 3) => self.compare_exchange(&signature.params)?,
            ("Threading.Interlocked", "Exchange", 2) => {
                let value = self.pop()?;
                let entry = self.pop()?;
                let (place, ty) = self.pointed(entry)?;
                let old = self.read(&place, ty)?;
                let old = old.into_iter().map(|leaf| self.stable(leaf)).collect();
                let leaves = self.coerce(value, ty)?;
                self.write(&place, &leaves)?;
                self.push_leaves(ty, old);
            }
            ("Threading.Interlocked", "Add" | "ExchangeAdd", 2) => {
                let (amount, _) = self.pop_number()?;
                let entry = self.pop()?;
                self.add_to_place(entry, amount, name == "Add")?;
            }
            ("Threading.Interlocked", "Increment" | "Decrement", 1) => {
                let entry = self.pop()?;
                let amount = self.int(if name == "Increment" { 1 } else { -1 });
                self.add_to_place(entry, amount, true)?;
            }
            ("Threading.Interlocked", "MemoryBarrier", 0) | ("Threading.Thread", "MemoryBarrier", 0) => {}
            ("Threading.Monitor", "Enter", 2) => {
                let entry = self.pop()?;
                let (place, _) = self.pointed(entry)?;
                self.require_object()?;
                let yes = self.expr(Expr::Const(Const::Bool(true)));
                self.write(&place, &[yes])?;
            }
            ("Threading.Monitor", "Exit", 1) if !self.is_in_lock_statement() => {
                return Err("Monitor.Exit outside of a lock statement".into());
            }
            ("Threading.Monitor", "Enter" | "Exit", 1) => self.require_object()?,
            ("Threading.Lock", "get_IsHeldByCurrentThread", 0) if self.is_own_code() => {
                return Err("whether a lock is held".into());
            }
            ("AppDomain" | "AppContext", "add_FirstChanceException", 1) => {
                return Err("an event handler that runs at each throw".into());
            }
            ("Diagnostics.Trace" | "Diagnostics.Debug", "get_Listeners", 0) if self.is_own_code() => {
                return Err("the listeners of assertions and traces".into());
            }
            ("Collections.Generic.ComparerHelpers", "CreateDefaultEqualityComparer" | "CreateDefaultComparer", 1) => {
                let Entry::Type(ty) = self.pop()? else { return Err("a comparer for an unknown type".into()) };
                self.default_comparer(ty, name == "CreateDefaultComparer")?;
            }
            ("Activator", "CreateInstance", 0) => self.create_instance(type_argument)?,
            ("Enum", "IsDefined", 1) => {
                let ty = type_argument.ok_or("a missing type argument")?;
                let (_, value) = self.pop_scalar()?;
                let of = self.body.expr_type(value);
                let mut any = self.expr(Expr::Const(Const::Bool(false)));
                for (number, _) in synthetic::values::names(self.cs, ty)? {
                    let bits = self.number(number as u64, of);
                    let same = self.expr(Expr::Binary(BinaryOp::Eq, of, value, bits));
                    any = self.expr(Expr::Binary(BinaryOp::Or, Type::Bool, any, same));
                }
                self.push_bool(any);
            }
            ("Runtime.InteropServices.NativeMemory", "Clear", 2) => {
                let (bytes, _) = self.pop_number()?;
                let pointer = self.pop()?;
                let target = self.target(&pointer).ok_or("memory of an unknown type")?;
                let size = self.size_of(target)?;
                let count = self.elements(bytes, size)?;
                let zero = crate::models::helper(self.cs, "System", "SpanHelpers", Arc::new([]), "Zero");
                let zero = zero.ok_or("a missing model")?;
                let zero = MethodKey { arguments: Arc::new([target]), ..zero };
                let of = self.cs.intern(Ty::Ref(target))?;
                let mut args = self.coerce(pointer, of)?.into_vec();
                args.push(count);
                let signature = self.cs.signature(&zero)?;
                self.emit(&zero, &signature, Dispatch::Static, Vec::new(), args)?;
            }
            // The process ends, and no code of the program runs any more, except what the library keeps for that.
            ("Environment", "Exit" | "FailFast", _) if self.is_own_code() => {
                self.stack.truncate(self.stack.len().saturating_sub(count));
                let condition = self.expr(Expr::Const(Const::Bool(false)));
                self.op(OpKind::Assume { condition });
            }
            ("Environment", "GetEnvironmentVariable", 1) => {
                self.pop()?;
                self.push(Entry::Null);
            }
            ("Exception", "get_Message", 0) => {
                self.refuse_message()?;
                return Ok(None);
            }
            ("Exception", "CaptureDispatchState", 0) => {
                self.pop()?;
                let leaves = self.default_leaves(signature.result)?;
                self.push_leaves(signature.result, leaves);
            }
            ("Exception", "RestoreDispatchState", 1) => {
                self.pop()?;
                self.pop()?;
            }
            ("Diagnostics.Debugger", "get_IsAttached" | "IsManagedDebuggerAttached", 0) => self.push_known(false),
            ("GC", "KeepAlive" | "SuppressFinalize", 1) => {
                self.pop()?;
                // The line has code, although it does nothing.
                let value = self.expr(Expr::Const(Const::Bool(false)));
                self.result(Type::Bool, |dst| OpKind::Assign { dst, value });
            }
            // Those of generic vectors tell whether there are vectors of a type at all, which is not up to the processor.
            (_, "get_IsSupported" | "get_IsHardwareAccelerated", 0)
                if !signature.has_this && !crate::generics::is_instance(self.cs, key) =>
            {
                self.push_known(false);
            }
            _ => return Ok(None),
        }
        Ok(Some(true))
    }

    /// Creates an object of a class whose constructor the translator knows.
    pub(super) fn new_intrinsic(&mut self, key: &MethodKey) -> Translated<bool> {
        let is_span =
            ["Span`1", "ReadOnlySpan`1"].iter().any(|name| self.cs.is_library_type(key.owner, "System", name));
        let is_pointer = |entry: &Entry| match entry {
            Entry::Memory(_) => true,
            Entry::Value(ty, _) => matches!(self.cs.ty(*ty), Ty::Pointer(_)),
            _ => false,
        };
        if is_span && matches!(&self.stack[..], [.., pointer, _] if is_pointer(pointer)) {
            let (length, _) = self.pop_number()?;
            let length = self.stable(length);
            let zero = self.int(0);
            let fits = self.expr(Expr::Binary(BinaryOp::Ge, INT, length, zero));
            self.require(fits, "ArgumentOutOfRangeException");
            let (_, arguments) = self.cs.declared(key.owner).ok_or("a span of no type")?;
            let element = *arguments.first().ok_or("a span of no type")?;
            let memory = self.pop()?;
            let to = self.cs.intern(Ty::Pointer(element))?;
            let pointer = self.coerce(memory, to)?;
            self.push_leaves(key.owner, smallvec::smallvec![pointer[0], length]);
            return Ok(true);
        }
        if is_span && let [.., Entry::FieldData(field), _] = self.stack[..] {
            let (length, _) = self.pop_number()?;
            let length = self.stable(length);
            self.pop()?;
            let (_, arguments) = self.cs.declared(key.owner).ok_or("a span of no type")?;
            let pointer = self.data(field, *arguments.first().ok_or("a span of no type")?)?;
            self.push_leaves(key.owner, smallvec::smallvec![pointer, length]);
            return Ok(true);
        }
        if self.cs.class_of(key.owner) != self.cs.string_class() {
            return Ok(false);
        }
        // Constructors of strings are methods that return one.
        let signature = self.cs.signature(key)?;
        let (declared, _) = self.cs.declared(key.owner).ok_or("strings without a class")?;
        let read = self.cs.assembly(declared.assembly);
        let rows = read.type_def(declared.row).map_err(|error| error.to_string())?.methods;
        let made = rows.into_iter().find_map(|row| {
            let candidate = MethodKey { row, ..key.clone() };
            let fits = read.method_name(row) == Ok("Ctor")
                && self.cs.signature(&candidate).is_ok_and(|own| own.params == signature.params);
            fits.then_some(candidate)
        });
        let Some(made) = made else { return Err("a constructor of strings".into()) };
        let signature = self.cs.signature(&made)?;
        let args = self.pop_arguments(&signature)?;
        let receiver = match signature.has_this {
            true => vec![self.string_literal(Vec::new())],
            false => Vec::new(),
        };
        let dispatch = if signature.has_this { Dispatch::Special } else { Dispatch::Static };
        self.emit(&made, &signature, dispatch, receiver, args)?;
        Ok(true)
    }
}
