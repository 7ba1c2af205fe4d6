//! Executes calls and returns.

use crate::config::Loops;
use crate::engine::{Engine, Flow};
use crate::state::{Frame, Holding, State};
use aback_heap::{Heap, Object, Value};
use aback_ir::{LocalId, MethodId, Trap, Type};

/// Greatest number of vectors of locals that are kept for reuse.
const SPARE_FRAMES: usize = 256;

impl<H: Heap> Engine<'_, H> {
    /// Dispatches a call by the class of the receiver, which is not null.
    pub(crate) fn call_virtual(
        &mut self,
        state: &mut State<H>,
        method: MethodId,
        args: &[Value],
        receiver_type: Type,
        result: Option<LocalId>,
    ) -> Flow {
        let Some(&receiver) = args.first() else {
            return self.unsupported(state, "a call without a receiver");
        };
        if let Value::Object(id) = receiver
            && let Some(Object::Instance { class, .. }) = state.heap.object(id)
        {
            let target = self.dispatched.callee(self.program, *class, method);
            return self.enter(state, target, args, result);
        }
        let types = match self.access(state, |heap, scope| heap.exact_types(scope, receiver, receiver_type, None)) {
            Ok(types) => types,
            Err(flow) => return flow,
        };
        let types = types.into_iter().map(|(condition, exact)| (Value::Term(condition), exact));
        let targets = self.dispatched.callees(&mut self.pool, self.program, types, method);
        if let [(_, target)] = targets[..] {
            return self.enter(state, target, args, result);
        }
        for (condition, target) in targets {
            // An input can have thousands of exact types.
            if self.is_out_of_time() {
                break;
            }
            let condition = condition.to_term(&mut self.pool, Type::Bool);
            let sides = self.branch(state, condition);
            let mut callee = state.clone();
            if self.take(&mut callee, condition, sides.yes)
                && matches!(self.enter(&mut callee, target, args, result), Flow::Jumped)
            {
                self.forked(callee);
            }
        }
        Flow::Moved
    }

    /// Enters a method at a call.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        state: &mut State<H>,
        method: MethodId,
        args: &[Value],
        result: Option<LocalId>,
    ) -> Flow {
        if self.loops != Loops::Unwound
            && let Some(flow) = self.call_recursively(state, method, args, result)
        {
            return flow;
        }
        self.enter_for(state, method, args, result, None)
    }

    /// Enters a method at a call, or at an operation if the method throws the exception of the operation's trap.
    pub(crate) fn enter_for(
        &mut self,
        state: &mut State<H>,
        method: MethodId,
        args: &[Value],
        result: Option<LocalId>,
        trap: Option<Trap>,
    ) -> Flow {
        let Some(code) = self.code_of(method) else {
            let name = self.program.method_name(method);
            return self.unsupported(state, format!("a call of {name}, which has no code"));
        };
        if self.too_deep(state) {
            return Flow::End;
        }
        let mut locals = self.spare.pop().unwrap_or_default();
        locals.reserve(code.defaults.len());
        locals.extend_from_slice(args);
        locals.extend_from_slice(code.defaults.get(args.len()..).unwrap_or_default());
        let has_handlers = self.has_handlers(state);
        state.enter(Frame { trap, ..Frame::new(method, locals, result) }, has_handlers);
        Flow::Jumped
    }

    /// Whether the current block of the current frame has handlers.
    fn has_handlers(&self, state: &State<H>) -> bool {
        let body = self.program.body(state.frame.method);
        body.is_some_and(|body| !body.block(state.frame.at.block).handlers.is_empty())
    }

    pub(crate) fn return_from(&mut self, state: &mut State<H>, value: Option<Value>) -> Flow {
        if state.frame.trap.is_some() {
            return self.unsupported(state, "a return from a method that should throw the exception of a trap");
        }
        let Some(mut callee) = state.leave() else {
            self.returned(state);
            return Flow::End;
        };
        if self.spare.len() < SPARE_FRAMES {
            callee.locals.clear();
            self.spare.push(callee.locals);
        }
        if let Some(holding) = callee.must_hold {
            self.resume(state);
            let holds = value.unwrap_or(Value::Bool(true)).to_term(&mut self.pool, Type::Bool);
            return match self.suppose(state, holds) {
                Flow::Next if holding == Holding::AtEnd && !state.is_condition() => self.complete(state),
                Flow::Next => Flow::Jumped,
                other => other,
            };
        }
        if let (Some(dst), Some(value)) = (callee.result, value) {
            state.frame.locals[dst.index()] = value;
        }
        state.frame.at.op += 1;
        Flow::Jumped
    }
}
