//! The states at the entry point, and the inputs of a program.

use crate::access::Stop;
use crate::engine::Engine;
use crate::state::{Frame, State};
use aback_heap::{Heap, Observer, Value, sort_of};
use aback_ir::{Body, MethodKind, Type};
use aback_logic::{Pool, Term};
use aback_symbolic::Gap;
use aback_witness::Place;

impl<H: Heap> Engine<'_, H> {
    /// Adds the initial state to the frontier, with an input of any value for each parameter.
    pub(crate) fn start(&mut self, observer: Option<Box<dyn Observer>>) {
        let program = self.program;
        let method = program.method(self.query.entry);
        let Some(body) = program.body(self.query.entry) else {
            let construct = format!("{} has no code", program.method_name(self.query.entry));
            let point = aback_ir::Point { block: Body::ENTRY, op: 0 };
            let place = Place { method: self.query.entry, point, span: method.span };
            return self.gap(Gap::Unsupported { construct, place });
        };
        let mut state = State::new(Frame::new(self.query.entry, Vec::new(), None), self.chain.path(), observer);
        for (i, &ty) in method.params.iter().enumerate() {
            let name = body.locals.get(i).map_or("input", |local| local.name.as_str());
            let Some(value) = self.input_value(&mut state, name, ty) else { return };
            if i == 0 && method.kind != MethodKind::Static {
                let receiver = value.to_term(&mut self.pool, ty);
                let mut holds = self.pool.ne(receiver, Pool::ZERO);
                if let (MethodKind::Constructor, Type::Class(class)) = (method.kind, ty) {
                    let new = self.input.construct(&mut self.pool, program, &self.layout, receiver, class);
                    holds = self.pool.and(holds, new);
                }
                if !self.assume(&mut state, holds) {
                    return;
                }
            }
            self.arguments.push((value, ty));
        }
        let locals = &mut state.frame.locals;
        locals.extend(self.arguments.iter().map(|(value, _)| *value));
        let rest = body.locals.iter().skip(locals.len()).map(|local| Value::default_of(local.ty));
        locals.extend(rest.collect::<Vec<_>>());
        match self.arguments.first() {
            Some(&receiver) if method.kind == MethodKind::Instance => self.start_on(state, receiver),
            _ => self.enqueue(state),
        }
    }

    /// Continues where a call on the receiver runs the entry point, because its class does not override it.
    fn start_on(&mut self, mut state: State<H>, (receiver, ty): (Value, Type)) {
        let entry = self.query.entry;
        match self.try_access(&mut state, |heap, scope| heap.exact_types(scope, receiver, ty, None)) {
            Ok(types) => {
                let runs = types.into_iter().filter_map(|(condition, exact)| match exact {
                    Type::Class(class) => (self.program.dispatch(class, entry) == entry).then_some(condition),
                    _ => Some(condition),
                });
                let runs: Vec<Term> = runs.collect();
                let runs = self.pool.or_all(&runs);
                if self.assume(&mut state, runs) {
                    self.enqueue(state);
                }
            }
            Err(Stop::Split(outcomes)) => {
                for state in self.split(&state, outcomes) {
                    self.start_on(state, (receiver, ty));
                }
            }
            Err(Stop::Flow(_)) => {}
        }
    }

    /// An input of a type with any value; `None` if its axiom makes the path infeasible.
    pub(crate) fn input_value(&mut self, state: &mut State<H>, name: &str, ty: Type) -> Option<Value> {
        if !ty.is_reference() {
            return Some(Value::Term(self.pool.fresh_var(name, sort_of(ty))));
        }
        self.access(state, |heap, scope| Ok(heap.input(scope, name, ty))).ok()
    }
}
