//! Calls and returns.

use crate::engine::{Engine, Flow};
use crate::state::{Frame, State};
use aback_heap::Value;
use aback_ir::{ClassId, Dispatch, LocalId, MethodId, Type};
use aback_logic::Term;

impl Engine<'_> {
    pub(crate) fn call(
        &mut self,
        state: &mut State,
        result: Option<LocalId>,
        dispatch: Dispatch,
        method: MethodId,
        args: Vec<Value>,
        types: &[Type],
    ) -> Flow {
        if dispatch == Dispatch::Static {
            return self.enter(state, method, args, result);
        }
        let (Some(&receiver), Some(&receiver_type)) = (args.first(), types.first()) else {
            return self.unsupported(state, "a call without a receiver");
        };
        if let Err(flow) = self.trap_if_null(state, receiver) {
            return flow;
        }
        if dispatch == Dispatch::Special {
            return self.enter(state, method, args, result);
        }
        let Some(types) = self.heap(state, |heap, scope| heap.exact_types(scope, receiver, receiver_type)) else {
            return Flow::End;
        };
        let mut targets: Vec<(Term, MethodId)> = Vec::new();
        for (condition, exact) in types {
            let class = match exact {
                Type::Class(class) => Some(class),
                _ => self.program.array_superclass(),
            };
            let Some(class) = class else { continue };
            let target = self.dispatch(class, method);
            match targets.iter_mut().find(|(_, other)| *other == target) {
                Some((other, _)) => *other = self.pool.or(*other, condition),
                None => targets.push((condition, target)),
            }
        }
        if let [(_, target)] = targets[..] {
            return self.enter(state, target, args, result);
        }
        for (condition, target) in targets {
            // An input can be of thousands of classes.
            if self.is_out_of_time() {
                break;
            }
            let sides = self.branch(state, condition);
            let mut callee = state.clone();
            if self.take(&mut callee, condition, sides.yes)
                && matches!(self.enter(&mut callee, target, args.clone(), result), Flow::Jumped)
            {
                self.forked(callee);
            }
        }
        Flow::Moved
    }

    fn dispatch(&mut self, class: ClassId, method: MethodId) -> MethodId {
        let program = self.program;
        *self.dispatched.entry((class, method)).or_insert_with(|| program.dispatch(class, method))
    }

    fn enter(&mut self, state: &mut State, method: MethodId, args: Vec<Value>, result: Option<LocalId>) -> Flow {
        let Some(body) = self.program.body(method) else {
            let name = self.program.method_name(method);
            return self.unsupported(state, format!("a call of {name}, which has no code"));
        };
        if self.too_deep(state) {
            return Flow::End;
        }
        state.enter(Frame::new(method, body, args, result));
        Flow::Jumped
    }

    pub(crate) fn return_from(&mut self, state: &mut State, value: Option<Value>) -> Flow {
        let Some(callee) = state.leave() else {
            return Flow::End;
        };
        if let (Some(dst), Some(value)) = (callee.result, value) {
            state.frame.locals[dst.index()] = value;
        }
        state.frame.at.op += 1;
        Flow::Jumped
    }
}
