//! Chooses the expression that makes one object, and says which of its parts remain to be written.

use super::{Builder, Creation, DENSE, Helper, Slot, WRITTEN_OUT, is_default};
use crate::Unreproducible;
use crate::constructor::{Source, effect};
use aback_ir::{ClassId, Const, FieldId, MethodId, Program, Type};
use aback_witness::{InputObject, InputValue};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

impl Builder<'_> {
    /// The expression that makes an object, and the parts that remain to be written.
    pub(super) fn new_object(
        &mut self,
        index: usize,
        class: ClassId,
        fields: &BTreeMap<FieldId, InputValue>,
    ) -> Result<Creation, Unreproducible> {
        let program = self.program();
        let mut wanted: BTreeMap<FieldId, &InputValue> = BTreeMap::new();
        for (&field, value) in fields.iter().filter(|(_, value)| !is_default(value)) {
            if self.subject.java.field_declaration(program, field).is_none() {
                let field = program.field(field);
                return Err(Unreproducible::Object(format!(
                    "the field {}.{} exists only in aback's model of the class",
                    program.class_name(field.class),
                    field.name
                )));
            }
            wanted.insert(field, value);
        }
        if let Some(text) = self.list(class, &wanted)? {
            return Ok((text, Vec::new()));
        }
        if let Some(found) = self.by_constructor(index, class, &wanted)? {
            return Ok(found);
        }
        if self.subject.java.class_declaration(program, class).is_none() && !self.is_in_class_file(class) {
            return Err(Unreproducible::Object(format!(
                "only the JVM creates objects of {}",
                program.class_name(class)
            )));
        }
        self.built.helpers.insert(Helper::Make);
        self.built.unmade.insert(program.class_name(class).to_owned());
        let rest = wanted.into_iter().map(|(field, value)| (Slot::Field(field), value.clone())).collect();
        Ok((format!("make({})", self.names.class_object(Type::Class(class))), rest))
    }

    /// A call of the constructor that copies the elements of an array, if that makes a list of the JDK.
    fn list(
        &mut self,
        class: ClassId,
        wanted: &BTreeMap<FieldId, &InputValue>,
    ) -> Result<Option<String>, Unreproducible> {
        if !self.subject.java.is_list(self.program(), class) {
            return Ok(None);
        }
        let array = wanted.iter().find(|(_, value)| matches!(value, InputValue::Ref(_)));
        let (Some((&field, &value)), Some(name)) = (array, self.names.class(class)) else { return Ok(None) };
        // The elements must be there before they are copied.
        let is_filled =
            |array: usize| self.made.contains_key(&array) && self.later.iter().all(|later| later.owner != array);
        let InputValue::Ref(array) = *value else { return Ok(None) };
        if !is_filled(array) {
            return Ok(None);
        }
        let is_empty = matches!(self.object(array)?, InputObject::Array { length, .. } if *length == BigInt::ZERO);
        let elements = match is_empty {
            true => String::new(),
            false => {
                let array = self.value(value, self.program().field(field).ty, false)?;
                format!("java.util.Arrays.asList({array})")
            }
        };
        Ok(Some(format!("new {name}({elements})")))
    }

    /// Whether the JVM can load the class from a class file.
    fn is_in_class_file(&self, class: ClassId) -> bool {
        let name = self.program().class_name(class).replace('.', "/");
        self.subject.java.classpath().find(&name).is_some()
    }

    fn by_constructor(
        &mut self,
        index: usize,
        class: ClassId,
        wanted: &BTreeMap<FieldId, &InputValue>,
    ) -> Result<Option<Creation>, Unreproducible> {
        let program = self.program();
        if self.names.visible(class).is_none_or(|class| class.is_inner) {
            return Ok(None);
        }
        let constructors = program.methods_named(class, "<init>").to_vec();
        let is_overloaded = constructors.len() > 1;
        let mut best: Option<(usize, usize, MethodId)> = None;
        for &constructor in &constructors {
            if !self.names.can_call(constructor) {
                continue;
            }
            let params = &program.method(constructor).params;
            if params.iter().any(|&ty| self.names.ty(ty).is_none()) {
                continue;
            }
            let Some(effect) = self.effect(constructor) else { continue };
            let rest = self.left_over(index, class, &effect, wanted).len();
            let rank = (rest, params.len(), constructor);
            if best.is_none_or(|best| (rank.0, rank.1) < (best.0, best.1)) {
                best = Some(rank);
            }
        }
        let Some((_, _, constructor)) = best else { return Ok(None) };
        let Some(effect) = self.effect(constructor) else { return Ok(None) };
        let mut arguments = Vec::new();
        for (number, &ty) in program.method(constructor).params.iter().enumerate().skip(1) {
            let stored = effect.iter().find(|(_, source)| **source == Source::Param(number));
            let value =
                stored.and_then(|(field, _)| wanted.get(field).copied()).filter(|value| self.is_available(value));
            let text = match value {
                Some(value) => self.value(value, ty, true)?,
                None => self.value(&InputValue::default_of(ty), ty, true)?,
            };
            // A cast on reference arguments keeps overload resolution unambiguous, for example with `null`.
            let needs_cast = is_overloaded && ty.is_reference() && !text.starts_with('(');
            arguments.push(
                match self.names.ty(ty).filter(|_| needs_cast && constructors_clash(program, &constructors)) {
                    Some(name) => format!("({name}) {text}"),
                    None => text,
                },
            );
        }
        let rest = self.left_over(index, class, &effect, wanted);
        let Some(name) = self.names.class(class) else { return Ok(None) };
        Ok(Some((format!("new {name}({})", arguments.join(", ")), rest)))
    }

    fn effect(&mut self, constructor: MethodId) -> Option<BTreeMap<FieldId, Source>> {
        let program = self.program();
        self.effects.entry(constructor).or_insert_with(|| effect(program, constructor)).clone()
    }

    /// The parts that remain to be written after the constructor. It gets the wanted values as far as their objects
    /// exist.
    fn left_over(
        &self,
        index: usize,
        class: ClassId,
        effect: &BTreeMap<FieldId, Source>,
        wanted: &BTreeMap<FieldId, &InputValue>,
    ) -> Vec<(Slot, InputValue)> {
        let program = self.program();
        let mut rest = Vec::new();
        for field in program.instance_fields(class) {
            let ty = program.field(field).ty;
            let default = InputValue::default_of(ty);
            let value = wanted.get(&field).copied().unwrap_or(&default);
            let left = match effect.get(&field) {
                None => InputValue::default_of(ty),
                Some(Source::Const(constant)) => constant_value(constant),
                Some(Source::Param(0)) => InputValue::Ref(index),
                Some(Source::Param(number)) => {
                    let first = effect.iter().find(|(_, source)| **source == Source::Param(*number));
                    let passed = first.and_then(|(field, _)| wanted.get(field).copied());
                    passed
                        .filter(|value| self.is_available(value))
                        .cloned()
                        .unwrap_or_else(|| InputValue::default_of(ty))
                }
            };
            if left != *value {
                rest.push((Slot::Field(field), value.clone()));
            }
        }
        rest
    }

    fn is_available(&self, value: &InputValue) -> bool {
        match value {
            InputValue::Ref(target) => self.made.contains_key(target),
            _ => true,
        }
    }

    /// The expression that makes an array, and the parts that remain to be written.
    pub(super) fn new_array(
        &mut self,
        element: Type,
        length: &BigInt,
        elements: &BTreeMap<BigInt, InputValue>,
        rest: Option<&InputValue>,
    ) -> Result<Creation, Unreproducible> {
        if let (Some(rest), Some(name)) = (rest, self.names.ty(element)) {
            let (base, inner) = name.split_at(name.find("[]").unwrap_or(name.len()));
            let others = elements.iter().filter(|(_, value)| *value != rest);
            let others = others.map(|(at, value)| (Slot::Element(at.clone()), value.clone()));
            let filled = [(Slot::All, rest.clone())].into_iter().chain(others).collect();
            return Ok((format!("new {base}[{length}]{inner}"), filled));
        }
        let written: BTreeMap<&BigInt, &InputValue> = elements.iter().filter(|(_, value)| !is_default(value)).collect();
        let Some(name) = self.names.ty(element) else {
            let class = self.names.class_object(element);
            let made = format!("(Object[]) java.lang.reflect.Array.newInstance({class}, {length})");
            return Ok((
                made,
                written.into_iter().map(|(at, value)| (Slot::Element(at.clone()), value.clone())).collect(),
            ));
        };
        let size = usize::try_from(length).unwrap_or(usize::MAX);
        let is_written_out = !written.is_empty()
            && (size <= WRITTEN_OUT || (size <= DENSE && 2 * written.len() >= size))
            && written.values().all(|value| self.is_available(value));
        if is_written_out {
            let default = InputValue::default_of(element);
            let mut texts = Vec::new();
            for position in 0..size {
                let value = written.get(&BigInt::from(position)).copied().unwrap_or(&default);
                texts.push(self.value(value, element, false)?);
            }
            return Ok((format!("new {name}[] {{{}}}", texts.join(", ")), Vec::new()));
        }
        let (base, inner) = name.split_at(name.find("[]").unwrap_or(name.len()));
        let mut rest = Vec::new();
        let default = InputValue::default_of(element);
        let usual = usual(&written, size).unwrap_or(&default);
        if usual != &default {
            rest.push((Slot::All, usual.clone()));
            let others = (0..size).map(BigInt::from).filter(|at| !written.contains_key(at));
            rest.extend(others.map(|at| (Slot::Element(at), default.clone())));
        }
        let others = written.into_iter().filter(|(_, value)| *value != usual);
        rest.extend(others.map(|(at, value)| (Slot::Element(at.clone()), value.clone())));
        Ok((format!("new {base}[{length}]{inner}"), rest))
    }
}

/// The value of more than half of an array's elements, if there is one and it is not a reference.
fn usual<'v>(written: &BTreeMap<&BigInt, &'v InputValue>, size: usize) -> Option<&'v InputValue> {
    // Boyer-Moore majority vote: values have no order, so the median of the sorted values is not available.
    let mut candidate: Option<&InputValue> = None;
    let mut votes = 0usize;
    for &value in written.values() {
        match candidate {
            Some(current) if current == value => votes += 1,
            _ if votes == 0 => (candidate, votes) = (Some(value), 1),
            _ => votes -= 1,
        }
    }
    let candidate = candidate.filter(|value| !matches!(value, InputValue::Ref(_)))?;
    let count = written.values().filter(|value| **value == candidate).count();
    (2 * count > size).then_some(candidate)
}

/// Whether two of the constructors have the same number of parameters.
fn constructors_clash(program: &Program, constructors: &[MethodId]) -> bool {
    let lengths: Vec<usize> = constructors.iter().map(|&id| program.method(id).params.len()).collect();
    let distinct: BTreeSet<usize> = lengths.iter().copied().collect();
    distinct.len() < lengths.len()
}

fn constant_value(constant: &Const) -> InputValue {
    match constant {
        Const::Bool(value) => InputValue::Bool(*value),
        Const::Int(value, _) => InputValue::Int(value.clone()),
        Const::F32(bits) => InputValue::F32(*bits),
        Const::F64(bits) => InputValue::F64(*bits),
        Const::Null => InputValue::Null,
    }
}
