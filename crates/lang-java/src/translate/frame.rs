//! Tracks the locals and the stack at each offset, and reads stack maps (JVM specification, 4.7.4).

use super::{Entry, FRAME_LOCAL, Refusal, Result, Translator, malformed};
use crate::types::{INT, LONG, OBJECT, is_wide, named_type, stack_type};
use aback_ir::{LocalId, MethodKind, Type};
use cafebabe::attributes::{StackMapEntry, VerificationType};
use cafebabe::bytecode::Opcode;

/// The contents of a frame between two instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    /// The local that represents each JVM local, or `None` if it cannot be read.
    pub(super) locals: Vec<Option<LocalId>>,
    pub(super) stack: Vec<Entry>,
}

impl<'a> Translator<'a> {
    /// The frame at entry. Creates the parameters.
    pub(super) fn entry_frame(&mut self, max_locals: u16) -> Result<Frame> {
        let method = self.java.program.method(self.method);
        let mut frame = Frame { locals: vec![None; usize::from(max_locals)], stack: Vec::new() };
        let mut slot = 0u16;
        for (index, &ty) in method.params.iter().enumerate() {
            let is_receiver = index == 0 && method.kind != MethodKind::Static;
            let name = self.variable_at(slot, 0).filter(|variable| self.declared(variable) == Some(ty));
            let name: &'a str = name.map_or("", |variable| &variable.name);
            let local = match (name, is_receiver) {
                ("", true) => self.body.add_local("this", ty),
                ("", false) => {
                    let number = index - usize::from(method.kind != MethodKind::Static);
                    self.body.add_local(format!("arg{number}"), ty)
                }
                _ => self.body.add_local(name, ty),
            };
            self.note_place(local);
            self.is_place[local.index()] = false;
            self.locals.insert((slot, ty, name), local);
            *frame
                .locals
                .get_mut(usize::from(slot))
                .ok_or_else(|| Refusal("malformed code: too few locals".into()))? = Some(local);
            slot += if is_wide(ty) { 2 } else { 1 };
        }
        Ok(frame)
    }

    /// The frames of the stack map, by offset.
    pub(super) fn read_stack_map(&mut self, entry: &Frame, map: &[StackMapEntry<'a>]) -> Result<Vec<(usize, Frame)>> {
        // The types of locals, one for each value whatever its width; the entries of the map change them.
        let mut locals: Vec<Option<Type>> = Vec::new();
        let mut slot = 0;
        while let Some(local) = entry.locals.get(slot) {
            let ty = local.map(|local| stack_type(self.body.local(local).ty));
            if ty.is_none() && entry.locals[slot..].iter().all(Option::is_none) {
                break;
            }
            locals.push(ty);
            slot += if ty.is_some_and(is_wide) { 2 } else { 1 };
        }
        let mut frames = Vec::new();
        let mut next = 0usize;
        for change in map {
            let mut stack = Vec::new();
            let delta = match change {
                StackMapEntry::Same { offset_delta } => *offset_delta,
                StackMapEntry::SameLocals1StackItem { offset_delta, stack: item } => {
                    stack.push(self.verified(item)?);
                    *offset_delta
                }
                StackMapEntry::Chop { offset_delta, chop_count } => {
                    locals.truncate(locals.len().saturating_sub(usize::from(*chop_count)));
                    *offset_delta
                }
                StackMapEntry::Append { offset_delta, locals: more } => {
                    for item in more {
                        locals.push(self.verified(item)?);
                    }
                    *offset_delta
                }
                StackMapEntry::FullFrame { offset_delta, locals: all, stack: items } => {
                    locals = all.iter().map(|item| self.verified(item)).collect::<Result<_>>()?;
                    stack = items.iter().map(|item| self.verified(item)).collect::<Result<_>>()?;
                    *offset_delta
                }
            };
            let pc = next + usize::from(delta);
            next = pc + 1;
            let stack = stack.into_iter().collect::<Option<Vec<Type>>>();
            let Some(stack) = stack else { return malformed("a stack map with an unusable stack") };
            self.spend(FRAME_LOCAL * (entry.locals.len() + locals.len()));
            self.afford()?;
            let frame = self.frame_of(pc, &locals, &stack, entry.locals.len());
            frames.push((pc, frame));
        }
        Ok(frames)
    }

    /// The type of a verification type, or `None` for one that cannot be read.
    fn verified(&self, item: &VerificationType<'a>) -> Result<Option<Type>> {
        Ok(Some(match item {
            VerificationType::Top => return Ok(None),
            VerificationType::Integer => INT,
            VerificationType::Float => Type::F32,
            VerificationType::Long => LONG,
            VerificationType::Double => Type::F64,
            VerificationType::Null => Type::Null,
            VerificationType::UninitializedThis => Type::Class(self.class.id),
            VerificationType::Object { class_name } => match named_type(self.java.program, class_name) {
                Some(ty) => ty,
                None => return malformed("a stack map with a bad type"),
            },
            VerificationType::Uninitialized { code_offset } => {
                let place = usize::from(*code_offset);
                let found = self.opcodes.binary_search_by_key(&place, |&(pc, _)| pc);
                match found.ok().map(|index| &self.opcodes[index].1) {
                    Some(Opcode::New(name)) => self.java.class_type(&crate::types::class_name(name)),
                    _ => return malformed("a stack map that names a place without `new`"),
                }
            }
        }))
    }

    fn frame_of(&mut self, pc: usize, locals: &[Option<Type>], stack: &[Type], size: usize) -> Frame {
        let mut frame = Frame { locals: vec![None; size], stack: Vec::new() };
        let mut slot = 0usize;
        for &ty in locals {
            if let (Some(ty), Some(place)) = (ty, frame.locals.get(slot)) {
                debug_assert!(place.is_none());
                frame.locals[slot] = Some(self.variable(slot as u16, pc, ty));
            }
            slot += if ty.is_some_and(is_wide) { 2 } else { 1 };
        }
        for (height, &ty) in stack.iter().enumerate() {
            let entry = self.entry_at(height, ty);
            frame.stack.push(entry);
        }
        frame
    }

    /// The entry for a stack slot where blocks meet: a separate local for each height and type.
    pub(super) fn entry_at(&mut self, height: usize, ty: Type) -> Entry {
        let ty = if ty == Type::Null { self.java.class_type(OBJECT) } else { ty };
        let key = (height, ty, u32::MAX);
        let place = match self.places.get(&key) {
            Some(&place) => place,
            None => {
                let place = self.body.add_temp(ty);
                self.note_place(place);
                self.places.insert(key, place);
                place
            }
        };
        Entry { expr: self.read(place), ty, comparison: None }
    }
}
