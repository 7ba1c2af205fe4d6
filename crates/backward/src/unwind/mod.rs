//! Unwinds a program for a query into an acyclic graph.
//!
//! The unwinder runs forward from the entry point, with one activation inside of the other. Within an activation, it
//! processes blocks in weak topological order ([`Nesting`]), so that all ways into a block have arrived, and are
//! joined, before the block begins. The lowered form ([`aback_lower`]) defines an operation, and each of its steps
//! becomes a part of the graph ([`step`]). Facts about values ([`facts`]) decide branches, calls and traps where they
//! can.
//!
//! A loop is unwound while constants decide that it continues. Iterations after which the loop may have ended are
//! counted, and so are activations of a method that is still active. Beyond the bound, the way ends in [`Leaf::Cut`].

mod arrays;
mod branches;
mod calls;
mod exceptions;
mod facts;
mod hoist;
mod objects;
mod run;
mod step;
mod way;

use crate::config::Config;
use crate::graph::{Cell, Graph, Leaf, Step, nowhere};
use crate::points::PointSet;
use aback_heap::{InputHeap, Layout, sort_of};
use aback_ir::analysis::{Cfg, Nesting, Returning};
use aback_ir::{Body, FieldId, LocalId, MethodId, MethodKind, Point, Program, Type};
use aback_logic::{Pool, Sort, Term};
use aback_symbolic::expr::PreparedBody;
use aback_symbolic::pure::Dispatched;
use aback_symbolic::{Focus, Gap, Query};
use aback_witness::Place;
use facts::{Facts, Origin};
pub(crate) use hoist::Hoisted;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use way::{Locals, Way};

/// Number of operations between two checks of the clock.
const CLOCK: u64 = 32;

/// An unwound program, with the context of its terms.
pub(crate) struct Unwound {
    pub graph: Graph,
    pub pool: Pool,
    pub input: InputHeap,
    pub layout: Layout,
    /// The program variables, with their types.
    pub variables: FxHashMap<Term, Type>,
    /// Number of operations of the program that were unwound.
    pub operations: u64,
    /// Number of branches that facts from earlier branches decided.
    pub decided: u64,
}

/// Unwinds the program for `query`, with terms in `pool`, and leaves out what is outside of `focus`. Loops are
/// unwound for `bound` iterations that may be the last.
pub(crate) fn unwind(
    program: &Program,
    query: &Query,
    config: &Config,
    focus: Option<&Focus>,
    bound: u32,
    mut pool: Pool,
    hoisted: &mut Hoisted,
) -> Unwound {
    loop {
        let mut unwinder = Unwinder {
            program,
            query,
            config,
            focus,
            bound,
            origins: Vec::new(),
            origin: None,
            pool,
            layout: Layout::new(program),
            input: InputHeap::of(program, query.entry),
            graph: Graph::default(),
            prepared: FxHashMap::default(),
            dispatched: Dispatched::default(),
            variables: FxHashMap::default(),
            locals: FxHashMap::default(),
            statics: FxHashMap::default(),
            active: Vec::new(),
            activations: 1,
            hoisted: &mut *hoisted,
            ends: 0,
            decided: 0,
            operations: 0,
        };
        unwinder.start();
        let Unwinder { mut graph, pool: used, input, layout, variables, operations, decided, hoisted, .. } = unwinder;
        pool = used;
        if hoisted.is_changed && graph.stopped.is_none() {
            hoisted.renew();
            continue;
        }
        graph.prune();
        if config.facts {
            graph.note_updates(&pool);
        }
        return Unwound { graph, pool, input, layout, variables, operations, decided };
    }
}

/// Data that is computed once for each method.
struct Prepared {
    code: PreparedBody,
    nesting: Nesting,
    returning: Rc<Returning>,
}

/// An activation that has not ended.
struct Active {
    method: MethodId,
    /// The current point, or the call that it waits for.
    point: Point,
    /// Whether facts did not decide some branch or call of it.
    is_uncertain: bool,
    /// Whether facts decided a branch of it.
    is_driven: bool,
}

struct Unwinder<'a> {
    program: &'a Program,
    query: &'a Query,
    config: &'a Config,
    focus: Option<&'a Focus>,
    bound: u32,
    pool: Pool,
    layout: Layout,
    input: InputHeap,
    graph: Graph,
    prepared: FxHashMap<MethodId, Rc<Prepared>>,
    dispatched: Dispatched,
    /// The program variables, with their types.
    variables: FxHashMap<Term, Type>,
    locals: FxHashMap<(u32, LocalId), Term>,
    statics: FxHashMap<FieldId, Term>,
    /// Places where exceptions were thrown first; origin number `n` has index `n - 1`.
    origins: Vec<Origin>,
    /// The cell with the number of an exception's origin, once an exception was thrown.
    origin: Option<Cell>,
    /// The activations that have not ended, outermost first.
    active: Vec<Active>,
    /// Number of activations so far. Number 0 is that of the entry point.
    activations: u32,
    hoisted: &'a mut Hoisted,
    /// Number of times that a way ended.
    ends: u64,
    /// Number of branches that facts from earlier branches decided.
    decided: u64,
    operations: u64,
}

impl<'a> Unwinder<'a> {
    /// Unwinds the program, starting at the entry point.
    fn start(&mut self) {
        let program = self.program;
        let entry = self.query.entry;
        let method = program.method(entry);
        let place = Place { method: entry, point: Point { block: Body::ENTRY, op: 0 }, span: method.span };
        self.graph.add(&[], Step::Nothing, place);
        let way = Way {
            edges: [(crate::graph::NodeId::ENTRY, Pool::TRUE)].into_iter().collect(),
            facts: Facts::default(),
            locals: Locals::default(),
        };
        let Some(body) = program.body(entry) else {
            let construct = format!("{} has no code", program.method_name(entry));
            return self.gap(way, Gap::Unsupported { construct, place }, place);
        };
        let mut arguments = Vec::new();
        for (i, &ty) in method.params.iter().enumerate() {
            let variable = self.variable(0, LocalId(i as u32));
            self.graph.parameters.push((variable, ty));
            if ty.is_reference() {
                let axiom = self.input.reference_axiom(&mut self.pool, program, &self.layout, variable, ty);
                self.graph.assumptions.push(axiom);
            }
            let is_receiver = i == 0 && method.kind != MethodKind::Static;
            if is_receiver {
                let not_null = self.pool.ne(variable, Pool::ZERO);
                self.graph.assumptions.push(not_null);
                if let (MethodKind::Constructor, Type::Class(class)) = (method.kind, ty) {
                    let new = self.input.construct(&mut self.pool, program, &self.layout, variable, class);
                    self.graph.assumptions.push(new);
                }
            }
            let points = if ty.is_reference() && self.config.facts { PointSet::inputs(ty) } else { None };
            arguments.push((variable, points, is_receiver));
        }
        if method.kind == MethodKind::Instance
            && let Some(&(receiver, ..)) = arguments.first()
        {
            let runs = self.runs_entry(receiver, method.params[0]);
            self.graph.assumptions.push(runs);
        }
        let way = self.make_hoisted(way, nowhere(place));
        self.run_entry(way, entry, body, arguments, nowhere(place));
    }

    /// The condition that a call on the receiver runs the entry point, because the receiver's class does not override
    /// it.
    fn runs_entry(&mut self, receiver: Term, ty: Type) -> Term {
        let entry = self.query.entry;
        let exact = self.layout.exact_types(self.program, ty);
        let runs: Vec<Term> = exact
            .iter()
            .filter(|&&exact| match exact {
                Type::Class(class) => self.program.dispatch(class, entry) == entry,
                _ => true,
            })
            .map(|&exact| self.input.has_type(&mut self.pool, &self.layout, receiver, exact))
            .collect();
        self.pool.or_all(&runs)
    }

    /// The number of a new activation.
    fn next_activation(&mut self) -> u32 {
        let number = self.activations;
        self.activations += 1;
        number
    }

    // ---- variables ------------------------------------------------------------------------------------------

    /// The variable for a local of an activation.
    fn variable(&mut self, activation: u32, local: LocalId) -> Term {
        if let Some(&variable) = self.locals.get(&(activation, local)) {
            return variable;
        }
        // Only variables of the current activation are requested.
        let method = self.active.last().map_or(self.query.entry, |active| active.method);
        let declared = self.program.body(method).and_then(|body| body.locals.get(local.index()));
        let (name, ty) = declared.map_or(("value", Type::Null), |local| (local.name.as_str(), local.ty));
        let variable = self.new_variable(name, ty);
        self.locals.insert((activation, local), variable);
        variable
    }

    /// A new variable.
    fn new_variable(&mut self, name: &str, ty: Type) -> Term {
        let variable = self.pool.fresh_var(name, sort_of(ty));
        self.variables.insert(variable, ty);
        variable
    }

    fn variable_type(&self, variable: Term) -> Type {
        self.variables.get(&variable).copied().unwrap_or(Type::Null)
    }

    /// The variable for a static field.
    fn static_variable(&mut self, field: FieldId) -> Term {
        if let Some(&variable) = self.statics.get(&field) {
            return variable;
        }
        let declared = self.program.field(field);
        let name = format!("{}.{}", self.program.class_name(declared.class), declared.name);
        let variable = self.new_variable(&name, declared.ty);
        let default = aback_heap::Value::default_of(declared.ty).to_term(&mut self.pool, declared.ty);
        self.graph.statics.push((variable, default));
        self.statics.insert(field, variable);
        variable
    }

    /// Any value of a type, as an input. No operation changes this term.
    fn new_input(&mut self, ty: Type) -> Term {
        let term = self.pool.fresh_var("input", sort_of(ty));
        if ty.is_reference() {
            let axiom = self.input.reference_axiom(&mut self.pool, self.program, &self.layout, term, ty);
            self.graph.assumptions.push(axiom);
        }
        term
    }

    // ---- ends -------------------------------------------------------------------------------------------------

    /// Ends a way in a leaf.
    fn leaf(&mut self, mut way: Way, leaf: Leaf, place: Place) {
        self.graph.is_cut |= leaf == Leaf::Cut;
        self.ends += 1;
        self.emit(&mut way, Step::Leaf(leaf), place);
    }

    /// Ends a way in a gap.
    fn gap(&mut self, way: Way, gap: Gap, place: Place) {
        let known = self.graph.gaps.iter().position(|known| *known == gap);
        let number = known.unwrap_or_else(|| {
            self.graph.gaps.push(gap);
            self.graph.gaps.len() - 1
        });
        self.leaf(way, Leaf::Gap(number as u32), place);
    }

    fn unsupported(&mut self, way: Way, construct: impl Into<String>, place: Place) {
        self.gap(way, Gap::Unsupported { construct: construct.into(), place }, place);
    }

    /// Whether the budget is used up.
    fn is_over(&mut self, place: Place) -> bool {
        if self.graph.stopped.is_some() || self.hoisted.is_changed {
            return true;
        }
        let budget = &self.config.budget;
        let gap = if self.graph.nodes.len() > self.config.nodes {
            Some(Gap::Bound {
                what: format!("programs that unwind to more than {} operations", self.config.nodes),
                place,
            })
        } else if self.operations.is_multiple_of(CLOCK) {
            budget.done.fetch_add(CLOCK, Ordering::Relaxed);
            let memory = || self.operations.is_multiple_of(64 * CLOCK).then(|| budget.out_of_memory()).flatten();
            budget.out_of_time().or_else(memory)
        } else {
            None
        };
        self.graph.stopped = gap;
        self.graph.stopped.is_some()
    }

    /// The sort of indices.
    fn index_sort(&self) -> Sort {
        sort_of(self.program.index_type())
    }

    fn prepared(&mut self, method: MethodId, body: &Body) -> Rc<Prepared> {
        if let Some(prepared) = self.prepared.get(&method) {
            return Rc::clone(prepared);
        }
        let code = PreparedBody::new(&mut self.pool, body);
        let cfg = Cfg::new(body);
        let prepared =
            Rc::new(Prepared { code, nesting: Nesting::new(&cfg), returning: Returning::new(body, &cfg).into() });
        self.prepared.insert(method, Rc::clone(&prepared));
        prepared
    }
}
