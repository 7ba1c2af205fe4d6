//! The code of methods that the runtime implements.

use super::full_name;
use crate::layout::{CHAR, INT};
use crate::loader::{ClassKind, Cs};
use crate::members::MethodKey;
use crate::synthetic::{self, characters, literals, operations, references};
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, Body, Dispatch, ExprId, MethodId, OpKind, Type};
use std::sync::Arc;

/// The code of a method that the runtime implements.
pub(in crate::translate) fn whole_body(cs: Cs, method: MethodId, key: &MethodKey) -> Option<Body> {
    let (class, name) = full_name(cs, key)?;
    let params = cs.program.method(method).params.clone();
    let mut code = Builder::new(&params);
    if let Some(class) = class.strip_prefix("Models.System.") {
        return operations::primitive(cs, class, &name, &params);
    }
    let class = class.strip_prefix("System.")?;
    match (class, name.as_str()) {
        ("Char", question) if question.starts_with("Is") => return characters::question(cs, question, &params),
        ("Object", ".ctor") => code.ret(None),
        ("String", "FastAllocateString") => {
            let last = params.len().checked_sub(1)?;
            let length = code.param(last);
            let length = references::convert(&mut code, length, params[last], INT);
            let array = cs.program.array_of(CHAR);
            let array = code.result(array, |dst| OpKind::NewArray { dst, element: CHAR, length });
            let class = cs.string_class();
            let string = code.allocate(class);
            let field = cs.program.find_field(class, synthetic::CHARACTERS)?;
            code.op(OpKind::PutField { object: string, field, value: array });
            code.ret(Some(string));
        }
        ("Globalization.GlobalizationMode", "get_Invariant") => {
            let yes = code.bool(true);
            code.ret(Some(yes));
        }
        ("Globalization.GlobalizationMode", "get_UseNls" | "get_Hybrid") => {
            let no = code.bool(false);
            code.ret(Some(no));
        }
        ("Environment", "get_CurrentManagedThreadId") => {
            let one = code.int(1);
            code.ret(Some(one));
        }
        ("Buffers.SharedArrayPool", "Rent" | "Return") => {
            let (_, arguments) = cs.declared(key.owner)?;
            let helper = crate::models::helper(cs, "System.Buffers", "Pool`1", arguments, &name)?;
            let result = cs.program.method(method).result;
            let args = (1..params.len()).map(|index| code.param(index)).collect();
            let value = code.call(Dispatch::Static, cs.method(&helper), args, result);
            code.ret(value);
        }
        ("Environment", "GetProcessorCount" | "get_ProcessorCount") => {
            let one = code.int(1);
            code.ret(Some(one));
        }
        // The other helper differs in speed only.
        ("Collections.Generic.ArraySortHelper", "CreateArraySortHelper") => {
            let class = cs.class_of(key.owner);
            let result = cs.program.method(method).result?;
            let helper = code.allocate(class);
            let helper = references::convert(&mut code, helper, Type::Class(class), result);
            code.ret(Some(helper));
        }
        ("Threading.Thread", "get_CurrentThread") => {
            let class = cs.class_of(key.owner);
            let thread = literals::load(cs, &mut code, literals::current_thread(cs, class));
            code.ret(Some(thread));
        }
        // The object for the thread has no handle.
        ("Threading.Thread", "GetNativeHandle") => code.unsupported("the state of a thread"),
        ("Threading.Thread", "ThreadNameChanged") => code.ret(None),
        ("Runtime.InteropServices.Marshal", "SetLastSystemError" | "SetLastPInvokeError") => code.ret(None),
        ("Object", "GetType") => {
            let this = code.param(0);
            let result = cs.program.method(method).result?;
            let found = operations::call(cs, &mut code, "Object", operations::TYPE, vec![this])?;
            let found = references::convert(&mut code, found, Type::Class(cs.object_class()), result);
            code.ret(Some(found));
        }
        ("RuntimeType", "get_Name" | "get_FullName" | "ToString") => {
            let this = code.param(0);
            let of_type = match name.as_str() {
                "get_Name" => synthetic::NAME,
                "get_FullName" => synthetic::FULL_NAME,
                _ => synthetic::SHOWN_NAME,
            };
            let field = cs.program.find_field(cs.class_of(key.owner), of_type)?;
            let ty = cs.program.field(field).ty;
            let text = code.get(this, field, ty);
            let null = code.null();
            let is_known = code.binary(BinaryOp::Ne, ty, text, null);
            let (_, unknown) = code.branch(is_known);
            code.ret(Some(text));
            code.switch_to(unknown);
            code.unsupported("the full name of a type with type arguments");
        }
        ("Array", "get_Length" | "get_Rank" | "GetLength" | "GetUpperBound" | "Clone") => {
            let operation = match name.as_str() {
                "get_Length" => operations::LENGTH,
                "get_Rank" => operations::RANK,
                "Clone" => operations::CLONE,
                _ => operations::DIMENSION,
            };
            let args = (0..params.len()).map(|index| code.param(index)).collect();
            let mut value = operations::call(cs, &mut code, "Array", operation, args)?;
            if name == "GetUpperBound" {
                let one = code.int(1);
                value = code.binary(BinaryOp::Sub, INT, value, one);
            }
            code.ret(Some(value));
        }
        ("Exception", "get_StackTrace" | "get_Source" | "get_TargetSite") => {
            code.unsupported(format!("what the runtime notes in an exception ({name})"));
        }
        ("Delegate", "get_Target") => {
            let this = code.param(0);
            let target = operations::call(cs, &mut code, "Delegate", synthetic::delegates::TARGET, vec![this])?;
            code.ret(Some(target));
        }
        ("Array", "get_LongLength" | "get_NativeLength") => {
            let this = code.param(0);
            let result = cs.program.method(method).result?;
            let value = operations::call(cs, &mut code, "Array", operations::LENGTH, vec![this])?;
            let value = references::convert(&mut code, value, INT, result);
            code.ret(Some(value));
        }
        ("Array", "GetLowerBound") => {
            let args = vec![code.param(0), code.param(1)];
            operations::call(cs, &mut code, "Array", operations::DIMENSION, args)?;
            let zero = code.int(0);
            code.ret(Some(zero));
        }
        ("SR", "GetResourceString" | "InternalGetResourceString") => {
            code.unsupported("a text of the library whose name is not known");
        }
        ("TypeInitializationException", "get_TypeName") => {
            code.unsupported("the name of a type that could not be initialized");
        }
        ("Exception", "get_Message") => {
            let this = code.param(0);
            let field = cs.program.find_field(cs.class_of(key.owner), "_message")?;
            let string = Type::Class(cs.string_class());
            let message = code.get(this, field, string);
            let null = code.null();
            let is_default = code.binary(BinaryOp::Eq, string, message, null);
            let (_, given) = code.branch(is_default);
            crate::synthetic::exceptions::own_message(cs, &mut code, this);
            code.switch_to(given);
            let class = cs.class_for(ClassKind::Unformatted);
            let ty = Type::Class(class);
            let is_unformatted = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: message, ty });
            let (_, written) = code.branch(is_unformatted);
            let template = references::convert(&mut code, message, string, ty);
            let object = Type::Class(cs.object_class());
            let values = cs.program.class(class).fields.clone().into_iter();
            let values: Vec<ExprId> = values.map(|field| code.get(template, field, object)).collect();
            let write = crate::models::helper(cs, "System", "SR", Arc::new([]), "Written")?;
            let args = std::iter::once(message).chain(values).collect();
            let text = code.call(Dispatch::Static, cs.method(&write), args, Some(string))?;
            let is_missing = code.binary(BinaryOp::Eq, string, text, null);
            let (_, known) = code.branch(is_missing);
            code.unsupported("a message with values in it");
            code.switch_to(known);
            // The runtime wrote the text once, when the exception was made.
            code.op(OpKind::PutField { object: this, field, value: text });
            code.ret(Some(text));
            code.switch_to(written);
            code.ret(Some(message));
        }
        ("String", "GetNonRandomizedHashCode" | "GetNonRandomizedHashCodeOrdinalIgnoreCase") => {
            // The order of what a hash table holds does not depend on it.
            let this = code.param(0);
            let field = cs.program.find_field(cs.string_class(), synthetic::CHARACTERS)?;
            code.get(this, field, cs.program.field(field).ty);
            let zero = code.int(0);
            code.ret(Some(zero));
        }
        _ => return None,
    }
    Some(code.finish())
}
