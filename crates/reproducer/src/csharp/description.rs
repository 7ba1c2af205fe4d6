//! Describes a plan to the driver that follows it by reflection (`csharp/driver/Description.cs`).

use super::plan::{self, Argument, Content, Object, Plan, Value};
use crate::Unreproducible;
use aback_lang_csharp::{CsType, Shape};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Describes a plan.
///
/// # Errors
/// The driver cannot name a type.
pub(crate) fn describe(plan: &Plan) -> Result<String, Unreproducible> {
    let mut writer = Writer { plan, text: String::new(), types: FxHashMap::default() };
    writer.objects()?;
    writer.contents()?;
    writer.call()?;
    Ok(writer.text)
}

struct Writer<'a> {
    plan: &'a Plan<'a>,
    text: String,
    /// The numbers of the types that have been named.
    types: FxHashMap<CsType, usize>,
}

impl Writer<'_> {
    fn line(&mut self, instruction: &str, parts: &[String]) {
        let _ = writeln!(self.text, "{instruction}\t{}", parts.join("\t"));
    }

    fn ty(&mut self, ty: CsType) -> Result<String, Unreproducible> {
        if let Some(known) = self.types.get(&ty) {
            return Ok(known.to_string());
        }
        let name = self.plan.declarations.qualified_name(ty);
        let name = name.ok_or_else(|| Unreproducible::Object("no program can name a type".into()))?;
        self.line("type", &[name]);
        let number = self.types.len();
        self.types.insert(ty, number);
        Ok(number.to_string())
    }

    /// Makes all objects, without their contents.
    fn objects(&mut self) -> Result<(), Unreproducible> {
        for (number, object) in &self.plan.objects {
            let number = number.to_string();
            match object {
                Object::String(units) => {
                    let units: String = units.iter().map(|unit| format!("{unit:04x}")).collect();
                    self.line("string", &[number, units]);
                }
                Object::Instance(ty, _) => {
                    let ty = self.ty(*ty)?;
                    self.line("object", &[number, ty]);
                }
                Object::Box(value) => match &value.content {
                    Content::Struct(_) => {
                        let ty = self.ty(value.ty)?;
                        self.line("object", &[number, ty]);
                    }
                    _ => {
                        let mut parts = vec![number];
                        self.value(value, &mut parts)?;
                        self.line("box", &parts);
                    }
                },
                Object::Array(array) => {
                    let mut parts = vec![number, self.ty(array.element)?, array.lengths.len().to_string()];
                    parts.extend(array.lengths.iter().map(u64::to_string));
                    self.line("array", &parts);
                }
                Object::Held(field) => {
                    let owner = self.ty(field.owner)?;
                    self.line("held", &[number, owner, field.name.clone()]);
                }
                Object::Made(_) => {
                    let reason = "the calls that make the input have to be compiled, which needs an SDK";
                    return Err(Unreproducible::Object(reason.into()));
                }
            }
        }
        Ok(())
    }

    fn contents(&mut self) -> Result<(), Unreproducible> {
        for (number, object) in &self.plan.objects {
            let number = number.to_string();
            match object {
                Object::String(_) | Object::Held(_) | Object::Made(_) => {}
                Object::Instance(_, fields) => {
                    for (field, value) in fields {
                        self.field(&number, field.owner, &field.name, value)?;
                    }
                }
                Object::Box(boxed) => {
                    if let Content::Struct(fields) = &boxed.content {
                        for (name, value) in fields {
                            self.field(&number, boxed.ty, name, value)?;
                        }
                    }
                }
                Object::Array(array) => {
                    if !array.rest.is_default() {
                        let mut parts = vec![number.clone()];
                        self.value(&array.rest, &mut parts)?;
                        self.line("fill", &parts);
                    }
                    for (&position, value) in &array.elements {
                        let mut parts = vec![number.clone()];
                        parts.extend(indices(position, &array.lengths).iter().map(u64::to_string));
                        self.value(value, &mut parts)?;
                        self.line("element", &parts);
                    }
                }
            }
        }
        Ok(())
    }

    fn field(&mut self, object: &str, owner: CsType, name: &str, value: &Value) -> Result<(), Unreproducible> {
        let mut parts = vec![object.to_string(), self.ty(owner)?, name.to_string()];
        self.value(value, &mut parts)?;
        self.line("field", &parts);
        Ok(())
    }

    fn value(&mut self, value: &Value, parts: &mut Vec<String>) -> Result<(), Unreproducible> {
        let shape = self.plan.declarations.shape(value.ty);
        match &value.content {
            Content::Null => parts.push("null".into()),
            Content::Ref(target) => parts.extend(["reference".into(), target.to_string()]),
            Content::Bool(value) => parts.extend(["bool".into(), u8::from(*value).to_string()]),
            Content::F32(bits) => parts.extend(["single".into(), bits.to_string()]),
            Content::F64(bits) => parts.extend(["double".into(), bits.to_string()]),
            Content::Int(number) => {
                let word = if matches!(shape, Shape::Enum(_)) { "enum" } else { "integer" };
                parts.extend([word.into(), self.ty(value.ty)?, number.to_string()]);
            }
            // Boxes of nullable values are boxes of their values.
            Content::Some(inner) => self.value(inner, parts)?,
            Content::Struct(fields) => {
                parts.extend(["struct".into(), self.ty(value.ty)?, fields.len().to_string()]);
                for (name, value) in fields {
                    parts.push(name.clone());
                    self.value(value, parts)?;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self) -> Result<(), Unreproducible> {
        let method = &self.plan.method;
        let mut parts = vec![self.ty(method.owner)?, method.name.clone(), method.arguments.len().to_string()];
        for &argument in method.arguments.iter() {
            parts.push(self.ty(argument)?);
        }
        parts.push(method.params.len().to_string());
        for param in &method.params {
            parts.push(self.ty(param.ty)?);
        }
        self.line("method", &parts);
        let (plan, count) = (self.plan, self.plan.variables.len());
        for (index, argument) in plan.receiver.iter().chain(&plan.arguments).enumerate() {
            match argument {
                Argument::Variable(variable) => {
                    let mut parts = vec![variable.to_string()];
                    self.value(&plan.variables[*variable].1, &mut parts)?;
                    self.line("argument", &parts);
                }
                // A struct whose method does not change it is a variable of its own.
                Argument::Value(value) => {
                    let mut parts = vec![(count + index).to_string()];
                    self.value(value, &mut parts)?;
                    self.line("argument", &parts);
                }
                Argument::Place(_) => return Err(plan::not_by_reflection()),
                Argument::Span(_, array, start, length) => {
                    let mut parts = Vec::new();
                    self.value(array, &mut parts)?;
                    parts.extend([start.to_string(), length.to_string()]);
                    self.line("span", &parts);
                }
            }
        }
        Ok(())
    }
}

/// The index in each dimension of the element at a position.
pub(crate) fn indices(position: u64, lengths: &[u64]) -> Vec<u64> {
    let mut left = position;
    let mut found: Vec<u64> = Vec::new();
    for &length in lengths.iter().rev() {
        found.push(left % length.max(1));
        left /= length.max(1);
    }
    found.reverse();
    found
}
