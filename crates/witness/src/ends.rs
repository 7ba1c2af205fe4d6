//! Notes what an entry point gets and what it returns.

use crate::observer::Observer;
use crate::outcome::{Outcome, Place};
use crate::state::State;
use crate::value::Value;
use aback_ir::{Body, LocalId, MethodId, OpKind, Program};

/// Observes the arguments and the result of an entry point, which another method may call first.
#[derive(Debug)]
pub struct Ends {
    entry: MethodId,
    start: MethodId,
    /// The local of the start method that gets the result.
    local: Option<LocalId>,
    /// The arguments, the receiver first; `None` before the call.
    pub arguments: Option<Vec<Value>>,
    /// The result, once the entry point has returned one.
    pub result: Option<Value>,
}

impl Ends {
    /// An observer of a run that begins with `start`: the entry point, or a method that calls it.
    pub fn new(program: &Program, start: MethodId, entry: MethodId) -> Self {
        let calls = program.body(start).into_iter().flat_map(Body::ops).filter_map(|(_, op)| match op.kind {
            OpKind::Call { dst, method, .. } if method == entry => dst,
            _ => None,
        });
        let local = calls.last().filter(|_| start != entry);
        Ends { entry, start, local, arguments: None, result: None }
    }
}

impl Observer for Ends {
    fn step(&mut self, state: &State<'_>, place: Place) {
        if self.arguments.is_none() {
            if place.method == self.entry && state.is_in_entry(self.entry) {
                let count = state.program().method(self.entry).params.len();
                self.arguments = state.top().map(|frame| frame.locals.iter().take(count).cloned().collect());
            }
        } else if place.method == self.start
            && let Some(local) = self.local
        {
            self.result = state.top().and_then(|frame| frame.local(local).cloned());
        }
    }

    fn end(&mut self, _: &State<'_>, outcome: &Outcome) {
        match outcome {
            Outcome::Returned(value) => self.result = value.clone().or(self.result.take()),
            _ => self.result = None,
        }
    }
}
