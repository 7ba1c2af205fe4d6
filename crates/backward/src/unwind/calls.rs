//! Unwinds calls: the activation of the callee becomes part of the graph at the call.

use super::Unwinder;
use super::run::Run;
use super::way::{Thrown, Valued, Way};
use crate::graph::Leaf;
use aback_heap::{ObjectId, Value};
use aback_ir::{LocalId, MethodId, Type};
use aback_symbolic::Gap;

/// Most nested activations.
const MAX_FRAMES: usize = 2_000;
/// Least free stack for one activation, and the size of a new stack segment, in bytes.
const RED_ZONE: usize = 256 << 10;
const MORE_STACK: usize = 8 << 20;

/// The way on which a call returns, with its result, and the ways on which it throws.
type Left = (Option<(Way, Valued)>, Vec<Thrown>);

impl<'a> Unwinder<'a> {
    /// Calls the overrider of a method in the class of the receiver, which is not null.
    pub(super) fn call_virtual(
        &mut self,
        run: &mut Run<'a>,
        mut way: Way,
        method: MethodId,
        args: Vec<Valued>,
        receiver_type: Type,
        result: Option<LocalId>,
    ) -> Option<Way> {
        let Some(receiver) = args.first().cloned() else {
            self.unsupported(way, "a call without a receiver", run.place);
            return None;
        };
        if let Value::Object(ObjectId(object)) = receiver.value {
            let class = self.program.class_of(self.graph.objects[object as usize].ty);
            let target = class.map_or(method, |class| self.dispatched.callee(self.program, class, method));
            return self.invoke(run, way, target, args, result);
        }
        let types = self.exact_types(&mut way, &receiver, (receiver_type, None), run.place);
        let targets = self.dispatched.callees(&mut self.pool, self.program, types, method);
        let mut joined = Vec::new();
        let last = targets.len().saturating_sub(1);
        for (number, (condition, target)) in targets.into_iter().enumerate() {
            let (yes, no) = if number == last { (Some(way), None) } else { self.split(way, condition, run.place) };
            if let Some(yes) = yes {
                joined.extend(self.invoke(run, yes, target, args.clone(), result));
            }
            match no {
                Some(no) => way = no,
                None => break,
            }
        }
        self.join(joined, run.activation, run.place)
    }

    /// Calls a method; returns the way on which it returns.
    pub(super) fn invoke(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        method: MethodId,
        args: Vec<Valued>,
        result: Option<LocalId>,
    ) -> Option<Way> {
        let (returned, thrown) = self.enter(run, way, method, args)?;
        for thrown in thrown {
            self.throw(run, thrown);
        }
        let (mut way, value) = returned?;
        if let Some(result) = result {
            self.set(&mut way, run.activation, result, value, run.place);
        }
        Some(way)
    }

    /// Unwinds a callee. The ways out of it have the caller's variables again. `None`: the callee is not entered.
    pub(super) fn enter(
        &mut self,
        run: &mut Run<'a>,
        mut way: Way,
        method: MethodId,
        args: Vec<Valued>,
    ) -> Option<Left> {
        let program = self.program;
        let Some(body) = program.body(method) else {
            let name = program.method_name(method);
            self.unsupported(way, format!("a call of {name}, which has no code"), run.place);
            return None;
        };
        if self.is_too_deep(method) {
            self.leaf(way, Leaf::Cut, run.place);
            return None;
        }
        let most = self.config.call_depth.map_or(MAX_FRAMES, |most| most.min(MAX_FRAMES));
        if self.active.len() >= most {
            self.gap(way, Gap::Recursion(most), run.place);
            return None;
        }
        let locals = std::mem::take(&mut way.locals);
        let (ends, number) = (self.counted_ends(), self.next_activation());
        let (mut returned, mut thrown) =
            stacker::maybe_grow(RED_ZONE, MORE_STACK, || self.activation(way, (method, number), body, args, run.place));
        if self.counted_ends() != ends {
            self.note_uncertain();
        }
        for thrown in &mut thrown {
            thrown.way.locals = locals.clone();
        }
        if let Some((way, _)) = &mut returned {
            way.locals = locals;
        }
        Some((returned, thrown))
    }
}
