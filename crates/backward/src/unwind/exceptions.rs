//! Unwinds traps, and exceptions on their way to a handler.

use super::Unwinder;
use super::facts::Origin;
use super::objects::At;
use super::run::Run;
use super::way::{Thrown, Valued, Way};
use crate::graph::{Cell, Leaf, Step};
use crate::points::PointSet;
use aback_heap::{ObjectId, Value};
use aback_ir::{ClassId, Trap, Type};
use aback_logic::{Pool, Sort, Term};
use aback_lower::takes;
use aback_symbolic::{Fault, Uncaught};
use aback_witness::Place;
use std::rc::Rc;

impl<'a> Unwinder<'a> {
    /// Returns the way on which `bad` is false. If it is true, control follows the exception of the trap. `operands`
    /// are the arguments of the trap's thrower ([`aback_ir::Program::trap_thrower`]).
    pub(super) fn trap_if(
        &mut self,
        run: &mut Run<'a>,
        way: Way,
        bad: Value,
        trap: Trap,
        operands: &[Valued],
    ) -> Option<Way> {
        let (failing, good) = self.split(way, bad, run.place);
        if let Some(failing) = failing {
            self.raise(run, failing, trap, operands);
        }
        good
    }

    /// Whether no handler of any activation catches an exception of this class.
    fn is_uncaught(&self, class: Option<ClassId>) -> bool {
        self.active.iter().all(|active| {
            let body = self.program.body(active.method);
            body.is_none_or(|body| {
                !body.block(active.point.block).handlers.iter().any(|handler| takes(self.program, handler, class))
            })
        })
    }

    /// Ends a way in a violation, if the query asks for this violation.
    pub(super) fn violation(&mut self, way: Way, fault: Fault, place: Place) {
        self.ends += 1;
        if self.query.is_asked(place) {
            let known = self.graph.targets.iter().position(|known| *known == (fault, place));
            let number = known.unwrap_or_else(|| {
                self.graph.targets.push((fault, place));
                self.graph.targets.len() - 1
            });
            self.leaf(way, Leaf::Target(number as u32), place);
        }
    }

    /// Continues where the exception of a trap leads: at the method that throws it, or at the handler for a new
    /// object of the trap's class.
    fn raise(&mut self, run: &mut Run<'a>, way: Way, trap: Trap, operands: &[Valued]) {
        self.ends += 1;
        let place = self.blamed(run.place);
        let class = self.program.trap_class(trap);
        let thrower = self.program.trap_thrower(trap);
        // If nothing catches the exception, only its class matters.
        if (class.is_some() || thrower.is_none()) && self.is_uncaught(class) {
            if self.query.is_violation(self.program, class) {
                self.violation(way, Fault::Trap(trap), place);
            }
            return;
        }
        if let Some(thrower) = thrower {
            let Some((returned, thrown)) = self.enter(run, way, thrower, operands.to_vec()) else { return };
            if let Some((way, _)) = returned {
                self.unsupported(way, "a return from a method that should throw the exception of a trap", place);
            }
            for thrown in thrown {
                let thrown = self.trapped(thrown, trap, place);
                self.throw(run, thrown);
            }
            return;
        }
        let Some(class) = class else {
            return self.unsupported(way, format!("no class for {}", trap.describe()), place);
        };
        let (mut way, ty) = (way, Type::Class(class));
        let exception = self.allocate(&mut way, None, ty, None, None, place);
        let thrown = self.trapped(Thrown { way, exception: exception.into(), ty }, trap, place);
        self.throw(run, thrown);
    }

    /// Passes an exception to the handler of the current block that catches it, or out of the activation.
    pub(super) fn throw(&mut self, run: &mut Run<'a>, thrown: Thrown) {
        self.ends += 1;
        let Thrown { mut way, exception, ty } = thrown;
        let body = run.body;
        for handler in &body.block(run.place.point.block).handlers {
            let caught = match handler.class {
                None => Some(way.clone()),
                Some(class) => {
                    let fits = self.instance_of(&mut way, (&exception, ty), Type::Class(class), run.place);
                    let (caught, rest) = self.split(way, fits, run.place);
                    match (caught, rest) {
                        (caught, Some(rest)) => {
                            way = rest;
                            caught
                        }
                        (Some(mut caught), None) => {
                            self.set(&mut caught, run.activation, handler.exception, exception, run.place);
                            return self.arrive(run, caught, handler.target);
                        }
                        (None, None) => return,
                    }
                }
            };
            if let Some(mut caught) = caught {
                self.set(&mut caught, run.activation, handler.exception, exception.clone(), run.place);
                self.arrive(run, caught, handler.target);
            }
            if handler.class.is_none() {
                return;
            }
        }
        run.thrown.push(Thrown { way, exception, ty });
    }

    /// Ends a way on which an exception leaves the entry point.
    pub(super) fn uncaught(&mut self, thrown: Thrown, place: Place) {
        let Thrown { mut way, exception, ty } = thrown;
        if let Value::Object(ObjectId(object)) = exception.value {
            return self.uncaught_object(way, object, place);
        }
        if let Some(points) = exception.points().filter(|points| !points.input && !points.any && !points.null) {
            let points: Rc<PointSet> = points;
            for object in points.members() {
                let id = crate::graph::Graph::object_term(&mut self.pool, object);
                let value = exception.value.to_term(&mut self.pool, ty);
                let is_it = Value::Term(self.pool.eq(value, id));
                let (yes, no) = self.split(way, is_it, place);
                if let Some(yes) = yes {
                    self.uncaught_object(yes, object, place);
                }
                match no {
                    Some(no) => way = no,
                    None => return,
                }
            }
            return;
        }
        for (condition, exact) in self.exact_types(&mut way, &exception, (ty, None), place) {
            let Type::Class(class) = exact else { continue };
            let (yes, no) = self.split(way, condition, place);
            if let Some(yes) = yes {
                let may_be = |object: u32| self.graph.objects[object as usize].ty == exact;
                let origins = yes.facts.thrown.of(may_be);
                self.uncaught_from(yes, (&exception, ty), class, origins, place);
            }
            match no {
                Some(no) => way = no,
                None => return,
            }
        }
    }

    fn uncaught_object(&mut self, way: Way, object: u32, place: Place) {
        let ty = self.graph.objects[object as usize].ty;
        let Type::Class(class) = ty else { return };
        let origins = way.facts.thrown.of(|other| other == object);
        self.uncaught_from(way, (&Value::Object(ObjectId(object)).into(), ty), class, origins, place);
    }

    /// Ends a way on which an exception of a class leaves the entry point. `origins` are the places where it may have
    /// been thrown first.
    fn uncaught_from(
        &mut self,
        mut way: Way,
        (exception, ty): (&Valued, Type),
        class: ClassId,
        origins: Vec<Origin>,
        place: Place,
    ) {
        self.ends += 1;
        if !self.query.is_violation(self.program, Some(class)) {
            return;
        }
        let fault = |trap: Option<Trap>| trap.map_or(Fault::Thrown(class), Fault::Trap);
        let Some((&(trap, last), others)) = origins.split_last() else { return };
        if others.is_empty() {
            return self.violation(way, fault(trap), last);
        }
        let known = self.read_origin(&mut way, exception, ty, place);
        for &(trap, origin) in &origins {
            let number = self.number_of((trap, origin));
            let is_it = Value::Term(self.pool.eq(known, number));
            let (yes, no) = self.split(way, is_it, place);
            if let Some(yes) = yes {
                self.violation(yes, fault(trap), origin);
            }
            match no {
                Some(no) => way = no,
                None => return,
            }
        }
    }

    /// The place to which the query ascribes an exception that is thrown at `place` now.
    fn blamed(&self, place: Place) -> Place {
        let callers = self.active.iter().rev().map(|active| (active.method, active.point));
        self.query.blamed(self.program, place, callers)
    }

    // ---- origins ----------------------------------------------------------------------------------------------

    /// The number of an origin in [`Cell::Origin`].
    fn number_of(&mut self, origin: Origin) -> Term {
        let known = self.origins.iter().position(|&known| known == origin);
        let place = known.unwrap_or_else(|| {
            self.origins.push(origin);
            self.origins.len() - 1
        });
        self.pool.int(place as i64 + 1)
    }

    /// The cell with the number of an exception's origin.
    fn origin_cell(&mut self) -> Cell {
        if let Some(cell) = self.origin {
            return cell;
        }
        let sort = self.pool.array_sort(Sort::Int, Sort::Int);
        let cell = Cell::Origin(self.pool.fresh_var("origin", sort));
        self.origin = Some(cell);
        cell
    }

    fn read_origin(&mut self, way: &mut Way, exception: &Valued, ty: Type, place: Place) -> Term {
        let target = self.new_variable("origin", Type::Int);
        let cell = self.origin_cell();
        let at = At { cell, object: exception, of: ty, index: None };
        self.emit_read(way, target, &at, place);
        target
    }

    /// Notes where an exception is thrown, if it was not thrown before.
    pub(super) fn note_thrown(&mut self, way: &mut Way, exception: &Valued, ty: Type, place: Place) {
        let place = self.blamed(place);
        let origin = (None, place);
        if self.query.uncaught == Uncaught::Never {
            return;
        }
        Rc::make_mut(&mut way.facts.thrown).note(&exception.points(), origin);
        let known = self.read_origin(way, exception, ty, place);
        let (is_new, number) = (self.pool.eq(known, Pool::ZERO), self.number_of(origin));
        let first = self.pool.ite(is_new, number, known);
        self.write_origin(way, exception, ty, first, place);
    }

    /// Notes that an exception comes from a trap, whatever the method that makes it threw.
    fn trapped(&mut self, mut thrown: Thrown, trap: Trap, place: Place) -> Thrown {
        let origin = (Some(trap), place);
        if self.query.uncaught == Uncaught::Never {
            return thrown;
        }
        let origins = Rc::make_mut(&mut thrown.way.facts.thrown);
        match thrown.exception.value {
            Value::Object(ObjectId(object)) => origins.set(object, origin),
            _ => origins.note(&thrown.exception.points(), origin),
        }
        let number = self.number_of(origin);
        self.write_origin(&mut thrown.way, &thrown.exception, thrown.ty, number, place);
        thrown
    }

    fn write_origin(&mut self, way: &mut Way, exception: &Valued, ty: Type, value: Term, place: Place) {
        let object = exception.value.to_term(&mut self.pool, ty);
        let cell = self.origin_cell();
        let step = Step::Write { cell, object, index: None, value, old: None, points: exception.points() };
        self.emit(way, step, place);
    }
}
