//! Executes traps of operations, throws exceptions, and finds their handlers.

use crate::engine::{Engine, Flow};
use crate::feasibility::Side;
use crate::state::{Frame, State};
use aback_heap::{Heap, Value};
use aback_ir::{ClassId, Trap, Type};
use aback_logic::{Pool, Term};
use aback_lower::takes;
use aback_symbolic::Fault;
use aback_witness::Place;

impl<H: Heap> Engine<'_, H> {
    /// Continues where `bad` is false. If it can be true, forks a state that follows the exception. `operands` are the
    /// arguments for the trap's thrower ([`aback_ir::Program::trap_thrower`]).
    #[inline]
    pub(crate) fn trap_if(
        &mut self,
        state: &mut State<H>,
        bad: Term,
        trap: Trap,
        operands: &[Value],
    ) -> Result<(), Flow> {
        if bad == Pool::FALSE { Ok(()) } else { self.trap_if_possible(state, bad, trap, operands) }
    }

    fn trap_if_possible(
        &mut self,
        state: &mut State<H>,
        bad: Term,
        trap: Trap,
        operands: &[Value],
    ) -> Result<(), Flow> {
        let class = self.program.trap_class(trap);
        // If no handler takes the exception, only its class matters.
        let is_known = class.is_some() || self.program.trap_thrower(trap).is_none();
        let is_end = is_known && self.is_uncaught(state, class);
        let place = self.blamed(state);
        let good = self.pool.not(bad);
        // Otherwise, whether the exception is possible makes no difference.
        let matters = !is_end || self.query.is_violation(self.program, class) && self.query.is_asked(place);
        if !matters && state.path.is_shown(&self.pool, good) {
            return if self.assume(state, good) { Ok(()) } else { Err(Flow::End) };
        }
        // Both sides, because that the exception is impossible is mostly an easier question than that it does not occur.
        let sides = self.trap_sides(state, bad);
        if matters && !matches!(sides.yes, Side::Infeasible) {
            let good_is_possible = !matches!(sides.no, Side::Infeasible);
            if is_end {
                self.violation(state, bad, &sides.yes, Fault::Trap(trap), place);
                self.result.work.paths += good_is_possible as u64;
            } else if good_is_possible {
                let mut failing = state.clone();
                if self.take(&mut failing, bad, sides.yes)
                    && matches!(self.raise(&mut failing, trap, operands), Flow::Jumped)
                {
                    self.forked(failing);
                }
            } else {
                let possible = self.take(state, bad, sides.yes);
                return Err(if possible { self.raise(state, trap, operands) } else { Flow::End });
            }
        }
        if self.take(state, good, sides.no) { Ok(()) } else { Err(Flow::End) }
    }

    /// Follows the exception of a trap: to the method that throws it, or to the handler for a new object of the trap's
    /// class.
    fn raise(&mut self, state: &mut State<H>, trap: Trap, operands: &[Value]) -> Flow {
        if let Some(thrower) = self.program.trap_thrower(trap) {
            return self.enter_for(state, thrower, operands, None, Some(trap));
        }
        let Some(class) = self.program.trap_class(trap) else {
            return self.unsupported(state, format!("no class for {}", trap.describe()));
        };
        let exception = match self.access(state, |heap, scope| heap.allocate(scope, class)) {
            Ok(exception) => exception,
            Err(flow) => return flow,
        };
        let place = self.place(state);
        state.thrown.note(exception, (Fault::Trap(trap), place));
        if self.find_handler(state, exception, class) { Flow::Jumped } else { Flow::End }
    }

    /// Whether no handler of any frame takes an exception of this class.
    fn is_uncaught(&self, state: &State<H>, class: Option<ClassId>) -> bool {
        state.guarded_stack().all(|(method, at)| {
            let body = self.program.body(method);
            body.is_none_or(|body| {
                !body.block(at.block).handlers.iter().any(|handler| takes(self.program, handler, class))
            })
        })
    }

    /// Whether the innermost method that decides whether the path continues, or one that it calls, catches an exception.
    fn is_caught_in_condition(&self, state: &State<H>, class: ClassId) -> bool {
        let takes_it = |frame: &Frame| {
            let body = self.program.body(frame.method);
            let handlers = body.map(|body| body.block(frame.at.block).handlers.as_slice()).unwrap_or_default();
            handlers.iter().any(|handler| takes(self.program, handler, Some(class)))
        };
        let inner = state.frames().take_while(|frame| frame.must_hold.is_none());
        inner.chain(state.frames().find(|frame| frame.must_hold.is_some())).any(takes_it)
    }

    /// Jumps to the innermost handler that takes the exception. Returns whether there is one.
    fn find_handler(&mut self, state: &mut State<H>, exception: Value, class: ClassId) -> bool {
        loop {
            let body = self.program.body(state.frame.method);
            let handlers = body.map(|body| body.block(state.frame.at.block).handlers.as_slice()).unwrap_or_default();
            if let Some(handler) = handlers.iter().find(|handler| takes(self.program, handler, Some(class))) {
                state.frame.locals[handler.exception.index()] = exception;
                state.jump(handler.target);
                return true;
            }
            let Some(left) = state.leave() else { return false };
            let origin = state.thrown.origin(exception);
            if let (Some(trap), Some((Fault::Thrown(_), _)) | None) = (left.trap, origin) {
                let place = self.blamed(state);
                state.thrown.note(exception, (Fault::Trap(trap), place));
            }
        }
    }

    /// Throws an object that is not null.
    pub(crate) fn throw(&mut self, state: &mut State<H>, exception: Value, ty: Type) -> Flow {
        for (is_same, origin) in self.thrown_before(state, exception, ty) {
            let sides = self.branch(state, is_same);
            if !matches!(sides.yes, Side::Infeasible) {
                let mut again = state.clone();
                if self.take(&mut again, is_same, sides.yes) {
                    again.thrown.note(exception, origin);
                    if matches!(self.throw_new(&mut again, exception, ty), Flow::Jumped) {
                        self.forked(again);
                    }
                }
            }
            let is_other = self.pool.not(is_same);
            if !self.take(state, is_other, sides.no) {
                return Flow::End;
            }
        }
        self.throw_new(state, exception, ty)
    }

    /// The origins of earlier exceptions that may be the same object as `exception` under another term, each with the
    /// condition that it is.
    fn thrown_before(&mut self, state: &State<H>, exception: Value, ty: Type) -> Vec<(Term, (Fault, Place))> {
        if state.thrown.origin(exception).is_some() {
            return Vec::new();
        }
        let known = state.thrown.others(exception).into_iter();
        let known = known.map(|(other, origin)| (Value::equals(&mut self.pool, other, exception, ty), origin));
        let mut known: Vec<(Term, (Fault, Place))> = known.filter(|&(is_same, _)| is_same != Pool::FALSE).collect();
        known.sort_unstable_by_key(|&(is_same, _)| is_same);
        known
    }

    /// Throws an object that is none of the earlier exceptions, unless its origin is known.
    fn throw_new(&mut self, state: &mut State<H>, exception: Value, ty: Type) -> Flow {
        let place = self.blamed(state);
        let types = match self.access(state, |heap, scope| heap.exact_types(scope, exception, ty, None)) {
            Ok(types) => types,
            Err(flow) => return flow,
        };
        let classes: Vec<(Term, ClassId)> = types
            .into_iter()
            .filter_map(|(condition, exact)| match exact {
                Type::Class(class) => Some((condition, class)),
                _ => None,
            })
            .collect();
        if let [(_, class)] = classes[..] {
            return self.throw_object(state, exception, class, place);
        }
        for (condition, class) in classes {
            let mut thrown = state.clone();
            let sides = self.branch(state, condition);
            if self.take(&mut thrown, condition, sides.yes)
                && matches!(self.throw_object(&mut thrown, exception, class, place), Flow::Jumped)
            {
                self.forked(thrown);
            }
        }
        Flow::Moved
    }

    fn throw_object(&mut self, state: &mut State<H>, exception: Value, class: ClassId, place: Place) -> Flow {
        if state.is_condition() && !self.is_caught_in_condition(state, class) {
            return self.unsupported(state, "an exception in a method that checks an invariant");
        }
        // A handler that rethrows an exception, as a contract does, is not its origin.
        let (fault, place) = match state.thrown.origin(exception) {
            Some(origin) => origin,
            None => {
                let origin = (Fault::Thrown(class), place);
                state.thrown.note(exception, origin);
                origin
            }
        };
        if self.is_uncaught(state, Some(class)) {
            if self.query.is_violation(self.program, Some(class)) {
                let (fault, place) = self.origin(state, fault, place);
                self.violation(state, Pool::TRUE, &Side::Certain, fault, place);
            }
            return Flow::End;
        }
        if self.find_handler(state, exception, class) { Flow::Jumped } else { Flow::End }
    }

    /// The origin of an exception that leaves all frames. If it leaves a frame that throws the exception of a trap, the
    /// origin is the operation in the frame below.
    fn origin(&self, state: &State<H>, fault: Fault, place: Place) -> (Fault, Place) {
        let mut frames = state.frames();
        let trap = frames.find_map(|frame| frame.trap);
        match (fault, trap, frames.next()) {
            (Fault::Thrown(_), Some(trap), Some(beneath)) => {
                let place = self.place_of(beneath.method, beneath.at);
                let callers = frames.map(|frame| (frame.method, frame.at));
                (Fault::Trap(trap), self.query.blamed(self.program, place, callers))
            }
            _ => (fault, place),
        }
    }

    /// The place to which the query ascribes an exception that is thrown now.
    fn blamed(&self, state: &State<H>) -> Place {
        let callers = state.frames().map(|frame| (frame.method, frame.at));
        self.query.blamed(self.program, self.place(state), callers)
    }
}
