//! Follows the open activations of the user's code and their variables.

use super::objects::Holder;
use super::views::{self, Target, Variable};
use super::{Call, Change, MethodShape, Recorder, VariableShape};
use crate::heap::Write;
use crate::state::State;
use crate::value::{Address, Value};
use aback_ir::{BlockId, FieldId, Local, LocalId, MethodId, Point, Program, Type};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// Most activations, the innermost ones, whose variables follow each write to what they refer to. Those of others are
/// brought up to date when the activation goes on: a recursion would change as many variables as it has levels.
const MOST_WATCHING: usize = 16;

/// The variables of a method that users see, each with the type of its values.
pub(super) type Variables = Rc<[(Variable, Type)]>;

/// An open activation of the user's own code.
pub(super) struct Open {
    /// Number of activations below it, those of libraries included.
    pub(super) level: usize,
    pub(super) call: u32,
    /// Its variables that users see.
    pub(super) variables: Variables,
    /// What holds the values to which locals refer: objects, or static fields.
    pub(super) watched: FxHashSet<(Option<Address>, LocalId)>,
    /// The fields that are parts of what locals refer to, each with the local and the number of the part.
    pub(super) places: FxHashSet<((Address, FieldId), LocalId, usize)>,
    /// For each of them: whether it was assigned, and its last recorded value.
    pub(super) values: Vec<(bool, Option<Value>)>,
    /// The operation that it executes, and the local that receives the result.
    pub(super) executing: Option<(Point, Option<LocalId>)>,
    /// Whether it has returned from a call since its last operation.
    pub(super) came_back: bool,
    /// Blocks that it has entered since the last step.
    pub(super) visited: Vec<BlockId>,
    pub(super) touched: bool,
}

impl Recorder {
    /// Closes the activations of the user's code above `level`, which have ended.
    pub(super) fn close(&mut self, level: usize) {
        while let Some(ended) = self.open.pop_if(|open| open.level > level) {
            for (holder, _) in &ended.watched {
                if let Some(watching) = self.watching.get_mut(holder) {
                    watching.retain(|&at| at < self.open.len());
                }
            }
            if let Some(caller) = self.open.last_mut() {
                caller.came_back = true;
            }
        }
    }

    pub(super) fn open_call(&mut self, program: &Program, method: MethodId, level: usize) {
        let execution = &mut self.execution;
        let (row, variables) = self
            .tables
            .methods
            .entry(method)
            .or_insert_with(|| {
                let params = program.method(method).params.len();
                let variables = program.body(method).map_or_else(Vec::new, |body| views::variables(body, params));
                let shape = |local: &Local| VariableShape { name: local.name.clone(), ty: program.show_type(local.ty) };
                let (ids, shapes): (Vec<_>, Vec<_>) =
                    variables.into_iter().map(|(variable, local)| ((variable, local.ty), shape(local))).unzip();
                execution.methods.push(MethodShape {
                    name: program.source_name(method),
                    variables: shapes,
                    blocks: Vec::new(),
                });
                (execution.methods.len() as u32 - 1, ids.into())
            })
            .clone();
        let values = variables.iter().map(|(variable, _)| (variable.is_given, None)).collect();
        let parent = self.open.last().map(|open| open.call);
        let call = execution.calls.len() as u32;
        execution.calls.push(Call { method: row, parent });
        self.open.push(Open {
            level,
            call,
            variables,
            watched: FxHashSet::default(),
            places: FxHashSet::default(),
            values,
            executing: None,
            came_back: false,
            visited: Vec::new(),
            touched: false,
        });
    }

    /// Notes that variables of an activation may have changed.
    pub(super) fn touch(&mut self, index: usize) {
        if let Some(open) = self.open.get_mut(index).filter(|open| !open.touched && self.with_state) {
            open.touched = true;
            self.touched.push(index);
        }
    }

    /// Notes that something has been written to which variables refer: a field, an element, or a static field.
    pub(super) fn touch_watching(&mut self, write: Option<&Write>) {
        let (holder, field) = match write {
            Some(&Write::Field(address, field)) => (Some(address), Some((address, field))),
            Some(Write::Element(address, _)) => (Some(*address), None),
            None => (None, None),
        };
        let Some(watching) = self.watching.get(&holder).filter(|watching| !watching.is_empty()) else { return };
        let innermost: Vec<usize> = watching.iter().rev().take(MOST_WATCHING).copied().collect();
        for index in innermost {
            self.touch(index);
            let Some(open) = self.open.get_mut(index) else { continue };
            for ((variable, _), (assigned, _)) in open.variables.iter().zip(&mut open.values) {
                let is_it = || match (field, variable.part) {
                    (Some(field), Some(part)) => open.places.contains(&(field, variable.local, part)),
                    _ => true,
                };
                *assigned |= open.watched.contains(&(holder, variable.local)) && is_it();
            }
        }
    }

    /// Notes that a local of an activation refers to a target.
    fn watch(&mut self, index: usize, local: LocalId, target: &Target) {
        let Some(open) = self.open.get_mut(index) else { return };
        let statics = target.holders.is_empty().then_some(None);
        for holder in target.holders.iter().copied().map(Some).chain(statics) {
            if open.watched.insert((holder, local)) {
                self.watching.entry(holder).or_default().push(index);
            }
        }
        let places = target.places.iter().enumerate().filter_map(|(part, place)| Some(((*place)?, local, part)));
        open.places.extend(places);
    }

    pub(super) fn changed_locals(&mut self, state: &State<'_>, index: usize, changes: &mut Vec<Change>) {
        let Some(open) = self.open.get_mut(index) else { return };
        open.touched = false;
        let Some(frame) = state.frame(open.level) else { return };
        let (call, variables) = (open.call, Rc::clone(&open.variables));
        let mut target: Option<(LocalId, Option<Target>)> = None;
        for (at, &(Variable { local, part, row, has_namesakes, .. }, ty)) in variables.iter().enumerate() {
            let Some(value) = frame.local(local) else { continue };
            let behind = part.map(|part| {
                let Value::Ref(reference) = value else { return None };
                let known = target.take().filter(|(of, _)| *of == local);
                let (_, target) = target.insert(known.unwrap_or_else(|| (local, Target::of(state, *reference))));
                let target = target.as_ref()?;
                self.watch(index, local, target);
                target.part(part, ty)
            });
            let value = match &behind {
                None => value,
                Some(None) => continue,
                Some(Some(value)) => value,
            };
            let Some((assigned, last)) = self.open.get_mut(index).and_then(|open| open.values.get_mut(at)) else {
                continue;
            };
            let is_default = matches!(value, Value::Null | Value::Bool(false) | Value::F32(0) | Value::F64(0))
                || matches!(value, Value::Int(int) if int.to_i64() == Some(0));
            if (*assigned || !is_default && !has_namesakes) && last.as_ref() != Some(value) {
                *last = Some(value.clone());
                if has_namesakes {
                    changes.extend(self.namesakes_end(index, at));
                }
                let value = self.value(state, value, Holder::Variable);
                changes.push(Change::Local(call, row, value));
            }
        }
    }

    /// The other variables of an activation with the name of this one that have values. They are out of scope.
    fn namesakes_end(&mut self, index: usize, at: usize) -> Vec<Change> {
        let Some(open) = self.open.get_mut(index) else { return Vec::new() };
        let shapes = self.execution.calls.get(open.call as usize).map(|call| call.method as usize);
        let Some(shapes) = shapes.and_then(|method| self.execution.methods.get(method)) else { return Vec::new() };
        let name = |variable: &Variable| shapes.variables.get(variable.row as usize).map(|shape| &shape.name);
        let own = name(&open.variables[at].0);
        let others = open.variables.iter().zip(&mut open.values).enumerate();
        let ended = others.filter(|(other, ((variable, _), (assigned, last)))| {
            *other != at && name(variable) == own && (*assigned || last.is_some())
        });
        let ended = ended.map(|(_, ((variable, _), value))| {
            *value = (false, None);
            Change::Gone(open.call, variable.row)
        });
        ended.collect()
    }
}
