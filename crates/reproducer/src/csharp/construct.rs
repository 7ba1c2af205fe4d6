//! Writes the creation of objects of classes.

use super::build::{Builder, Creation, Place};
use super::expressions::Helper;
use super::plan::{Content, Object, Value, default_of};
use crate::Unreproducible;
use crate::constructor::{Source, effect};
use aback_ir::{Const, FieldId};
use aback_lang_csharp::{CsType, DeclaredField, DeclaredMethod, Shape, escaped};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;

/// The field of lists, stacks and queues with the number of elements in use.
const COUNT: &str = "_size";

/// A call of a constructor.
struct Candidate {
    arguments: Vec<Value>,
    /// The fields that remain to be written.
    rest: Vec<(Place, Value)>,
}

impl Candidate {
    /// The effort that it leaves: fields that need reflection, other fields, and arguments.
    fn rank(&self) -> (usize, usize, usize) {
        let is_hard =
            |(place, _): &&(Place, Value)| !matches!(place, Place::Field(DeclaredField { settable: Some(_), .. }));
        (self.rest.iter().filter(is_hard).count(), self.rest.len(), self.arguments.len())
    }
}

impl Builder<'_> {
    /// The expression that makes an object with these fields, and those that remain to be written.
    pub(super) fn new_object(
        &mut self,
        ty: CsType,
        fields: &[(DeclaredField, Value)],
    ) -> Result<Creation, Unreproducible> {
        if let Some(text) = self.collection(ty, fields)? {
            return Ok((text, Vec::new()));
        }
        if let Some((text, rest)) = self.by_constructor(ty, fields)? {
            let is_direct = |(place, value): &(Place, Value)| {
                matches!(place, Place::Field(DeclaredField { settable: Some(_), .. }))
                    && self.is_available(value)
                    && self.named(value.ty).is_some()
            };
            if !rest.is_empty() && rest.iter().all(is_direct) {
                let mut parts = Vec::new();
                for (place, value) in &rest {
                    if let Place::Field(DeclaredField { settable: Some(name), .. }) = place {
                        parts.push(format!("{} = {}", escaped(name), self.typed(value)?));
                    }
                }
                let text = text.strip_suffix("()").unwrap_or(&text);
                return Ok((format!("{text} {{ {} }}", parts.join(", ")), Vec::new()));
            }
            return Ok((text, rest));
        }
        self.helpers.insert(Helper::Make);
        self.is_unmade(ty);
        let made = format!("Make({})", self.type_object(ty)?);
        let text = match self.named(ty) {
            Some(name) => format!("({name}){made}"),
            None => made,
        };
        let rest = fields.iter().map(|(field, value)| (Place::Field(field.clone()), value.clone())).collect();
        Ok((text, rest))
    }

    /// A call of the constructor that copies the elements of an array, if that makes a collection of the library.
    fn collection(&mut self, ty: CsType, fields: &[(DeclaredField, Value)]) -> Result<Option<String>, Unreproducible> {
        let (true, Some(name)) = (self.plan.declarations.is_collection(ty), self.named(ty)) else { return Ok(None) };
        let array = fields.iter().find_map(|(_, value)| match value.content {
            Content::Ref(array) => Some((array, value)),
            _ => None,
        });
        let Some((array, value)) = array else { return Ok(None) };
        // The elements must be there before they are copied.
        if !self.is_complete(array) || self.named(value.ty).is_none() {
            return Ok(None);
        }
        // A copy has no room for further elements. If the program can see how much room there is, the fields are set.
        let count = fields.iter().find_map(|(field, value)| match (&*field.name, &value.content) {
            (COUNT, Content::Int(count)) => count.to_u64(),
            _ => None,
        });
        let length = match self.plan.objects.get(&array) {
            Some(Object::Array(array)) => array.lengths.first().copied(),
            _ => None,
        };
        if length != Some(count.unwrap_or(0)) {
            return Ok(None);
        }
        let is_empty = length == Some(0);
        let elements = if is_empty { String::new() } else { self.typed(value)? };
        Ok(Some(format!("new {name}({elements})")))
    }

    /// A call of a constructor that does nothing but copy parameters and constants into fields.
    fn by_constructor(
        &mut self,
        ty: CsType,
        fields: &[(DeclaredField, Value)],
    ) -> Result<Option<Creation>, Unreproducible> {
        let declarations = self.plan.declarations;
        let Some(name) = self.named(ty) else { return Ok(None) };
        let constructors = declarations.constructors(ty);
        let declared = declarations.fields(ty).map_err(Unreproducible::Object)?;
        let mut best: Option<Candidate> = None;
        for (id, constructor) in &constructors {
            let Some(effect) = effect(declarations.program(), *id) else { continue };
            let Some(candidate) = self.candidate(constructor, &effect, &declared, fields) else { continue };
            if best.as_ref().is_none_or(|known| candidate.rank() < known.rank()) {
                best = Some(candidate);
            }
        }
        let Some(Candidate { arguments, rest }) = best else { return Ok(None) };
        let is_overloaded = constructors.len() > 1;
        let mut texts = Vec::new();
        for value in &arguments {
            let text = self.typed(value)?;
            texts.push(match self.named(value.ty) {
                Some(name) if is_overloaded && !matches!(value.content, Content::Bool(_)) => format!("({name}){text}"),
                _ => text,
            });
        }
        Ok(Some((format!("new {name}({})", texts.join(", ")), rest)))
    }

    /// The call of a constructor with this effect for an object with these fields; `None` if it leaves something that
    /// nothing overwrites.
    fn candidate(
        &self,
        constructor: &DeclaredMethod,
        effect: &BTreeMap<FieldId, Source>,
        declared: &[DeclaredField],
        fields: &[(DeclaredField, Value)],
    ) -> Option<Candidate> {
        let declarations = self.plan.declarations;
        if !constructor.params.iter().all(|param| self.is_single(param.ty)) {
            return None;
        }
        let mut passed: Vec<Option<Value>> = vec![None; constructor.params.len()];
        let mut rest = Vec::new();
        for field in declared {
            let wanted = fields.iter().find(|(own, _)| own.owner == field.owner && own.name == field.name);
            let wanted = wanted.map(|(_, value)| value);
            let sources: Vec<&Source> = field.leaves.iter().filter_map(|leaf| effect.get(leaf)).collect();
            let is_right = match (&sources[..], field.leaves.len()) {
                ([], _) => wanted.is_none(),
                ([Source::Const(constant)], 1) => {
                    wanted.map_or_else(|| is_zero(constant), |wanted| is_constant(wanted, constant))
                }
                (&[&Source::Param(number)], 1) if number > 0 => {
                    let param = constructor.params.get(number - 1)?;
                    let given = passed.get_mut(number - 1)?;
                    let value = wanted.cloned().unwrap_or_else(|| default_of(declarations, field.ty));
                    // The first field decides what is passed, as far as its objects exist.
                    match given {
                        None if param.ty == field.ty && self.is_available(&value) => {
                            *given = Some(value);
                            true
                        }
                        given => given.as_ref() == Some(&value),
                    }
                }
                // A part of a struct.
                _ => false,
            };
            match (is_right, wanted) {
                (true, _) => {}
                (false, Some(wanted)) => rest.push((Place::Field(field.clone()), wanted.clone())),
                (false, None) => return None,
            }
        }
        let given = passed.into_iter().zip(&constructor.params);
        let arguments =
            given.map(|(value, param)| value.unwrap_or_else(|| default_of(declarations, param.ty))).collect();
        Some(Candidate { arguments, rest })
    }

    /// Whether a value of a type is one leaf and no struct.
    fn is_single(&self, ty: CsType) -> bool {
        let declarations = self.plan.declarations;
        let is_struct = matches!(
            declarations.shape(ty),
            Shape::Struct | Shape::Nullable(_) | Shape::Pointer(_) | Shape::Span(_) | Shape::Other
        );
        !is_struct && declarations.leaves(ty) == 1
    }
}

fn is_zero(constant: &Const) -> bool {
    match constant {
        Const::Bool(value) => !value,
        Const::Int(value, _) => *value == BigInt::ZERO,
        Const::F32(bits) => *bits == 0,
        Const::F64(bits) => *bits == 0,
        Const::Null => true,
    }
}

fn is_constant(value: &Value, constant: &Const) -> bool {
    match (&value.content, constant) {
        (Content::Bool(value), Const::Bool(constant)) => value == constant,
        (Content::Int(value), Const::Int(constant, _)) => value == constant,
        (Content::F32(value), Const::F32(constant)) => value == constant,
        (Content::F64(value), Const::F64(constant)) => value == constant,
        (Content::Null, Const::Null) => true,
        _ => false,
    }
}
