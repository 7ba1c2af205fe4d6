//! Disjunct propagation (paper 1, figures 2 and 4): the condition at a node is a formula over the values of the
//! program variables there, represented as a set of disjuncts. An assignment substitutes the value for the variable.

use super::heap::{is_row, object_term};
use super::{Context, Strategy};
use crate::config::Variant;
use crate::graph::{Cell, Given, NodeId, Step};
use aback_ir::Type;
use aback_logic::{Node as TermNode, Pool, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Disjunct propagation.
pub(crate) struct Disjuncts {
    /// The variant, which determines when the set becomes one term.
    variant: Variant,
    /// The current arrays, if fields are arrays with versions.
    arrays: FxHashMap<Cell, Term>,
    /// Families of cells that were read, with the static types of the objects.
    read: FxHashSet<(Cell, Type)>,
    /// Their arrays.
    current: FxHashSet<Term>,
}

/// A set of terms; one of them must hold.
pub(crate) type State = Vec<Term>;

/// An operation over which terms are taken back.
pub(crate) struct Before {
    /// The families of cells that it may change or read: the family, its array, and the terms that were taken back already.
    families: Vec<(Cell, Term, FxHashMap<Term, Term>)>,
    /// What holds of the input heap where the terms are read.
    pub axioms: Vec<Term>,
}

/// A cell of an object, with an index if the cell is an element.
type Place = (Term, Option<Term>);

impl Disjuncts {
    /// The families of cells with their current arrays.
    pub(crate) fn cells(&self) -> impl Iterator<Item = (Cell, Term)> {
        self.arrays.iter().map(|(&cell, &array)| (cell, array))
    }

    pub fn new(variant: Variant) -> Self {
        Disjuncts { variant, arrays: FxHashMap::default(), read: FxHashSet::default(), current: FxHashSet::default() }
    }

    /// The array that stands for a family of cells at every node: the array of the input heap, or a variable if
    /// fields are arrays with versions.
    fn array(&mut self, cx: &mut Context, cell: Cell) -> Term {
        if !cx.has_arrays() {
            return cx.input_array(cell);
        }
        if let Some(&array) = self.arrays.get(&cell) {
            return array;
        }
        let sort = cx.array_sort(cell);
        let array = cx.pool.fresh_var(&cell.name(cx.program), sort);
        self.arrays.insert(cell, array);
        array
    }

    /// Applies `f` to each disjunct and removes disjuncts that are false.
    fn each(cx: &mut Context, state: State, mut f: impl FnMut(&mut Context, Term) -> Term) -> State {
        let mut seen = FxHashSet::default();
        let disjuncts = state.into_iter().map(|disjunct| f(cx, disjunct));
        disjuncts.filter(|&disjunct| disjunct != Pool::FALSE && seen.insert(disjunct)).collect()
    }

    /// Whether a term is a place that operations change as a whole: a program variable, the present version of a field, or
    /// a cell of the present heap.
    pub fn is_place(&self, cx: &Context, term: Term) -> bool {
        match *cx.pool.node(term) {
            TermNode::Var(_) => cx.variables.contains_key(&term) || self.current.contains(&term) && cx.has_arrays(),
            TermNode::Select(from, _) if !cx.has_arrays() => {
                self.current.contains(&from)
                    || matches!(*cx.pool.node(from), TermNode::Select(rows, _) if self.current.contains(&rows))
            }
            _ => false,
        }
    }

    /// The object and the index of a cell; nothing for a variable.
    pub fn parts(cx: &Context, place: Term) -> SmallVec<[Term; 2]> {
        let TermNode::Select(from, index) = *cx.pool.node(place) else { return SmallVec::new() };
        match *cx.pool.node(from) {
            TermNode::Select(_, object) => [object, index].into_iter().collect(),
            _ => [index].into_iter().collect(),
        }
    }

    /// A place with terms replaced in its object and index.
    pub fn map_parts(cx: &mut Context, place: Term, pairs: &[(Term, Term)]) -> Term {
        let TermNode::Select(from, index) = *cx.pool.node(place) else { return place };
        let index = cx.pool.substitute(index, pairs);
        let from = match *cx.pool.node(from) {
            TermNode::Select(rows, object) => {
                let object = cx.pool.substitute(object, pairs);
                cx.pool.select(rows, object)
            }
            _ => from,
        };
        cx.pool.select(from, index)
    }

    /// Begins with an operation; then [`Self::before`] takes terms back over it.
    pub fn begin(&mut self, cx: &mut Context, step: &Step) -> Before {
        if let Step::Read { cell, of, .. } = step {
            self.read.insert((*cell, *of));
            let array = self.array(cx, *cell);
            self.current.insert(array);
        }
        let mut families: Vec<Cell> = match step {
            Step::New { .. } => self.read.iter().map(|&(cell, _)| cell).collect(),
            Step::Read { cell, .. } | Step::Write { cell, .. } => vec![*cell],
            _ => Vec::new(),
        };
        families.sort_unstable();
        families.dedup();
        let families = families.into_iter().map(|cell| (cell, self.array(cx, cell), FxHashMap::default())).collect();
        Before { families, axioms: Vec::new() }
    }

    /// The value of a term over the state after an operation, as a term over the state before it. If the term is read in
    /// a condition, the condition needs the axioms of `before`, too.
    pub fn before(cx: &mut Context, step: &Step, before: &mut Before, term: Term) -> Term {
        if !cx.has_arrays() && matches!(cx.pool.node(term), TermNode::Var(_)) && !step.sets(term) {
            return term;
        }
        match step {
            Step::Nothing | Step::Leaf(_) => term,
            Step::Assign { target, value } => cx.pool.substitute(term, &[(*target, *value)]),
            Step::Defaults(values) => cx.pool.substitute(term, values),
            Step::New { target, object } => new_object(cx, term, (*target, *object), before),
            Step::Read { .. } => read(cx, term, step, before),
            Step::Write { .. } => write(cx, term, step, before),
            Step::Input { target, input } => match cx.graph.inputs.get(*input as usize) {
                Some(&Given::Value(value, _)) => cx.pool.substitute(term, &[(*target, value)]),
                _ => term,
            },
        }
    }

    /// What holds at the start of every execution of the heap that a formula there reads, and of the inputs.
    pub fn given(&mut self, cx: &mut Context, formula: Term) -> Vec<Term> {
        let mut parts = Vec::new();
        if cx.has_arrays() {
            let mut arrays: Vec<(Cell, Term)> = self.arrays.iter().map(|(&cell, &array)| (cell, array)).collect();
            arrays.sort_unstable();
            for (cell, array) in arrays {
                let input = cx.input_array(cell);
                parts.push(cx.pool.eq(array, input));
            }
        } else {
            let axioms = self.axioms(cx, formula);
            parts.extend(axioms);
        }
        parts.extend_from_slice(&cx.graph.assumptions);
        parts
    }

    /// Axioms about everything that a formula reads from the input heap.
    fn axioms(&mut self, cx: &mut Context, formula: Term) -> Vec<Term> {
        let mut read: Vec<(Cell, Type)> = self.read.iter().copied().collect();
        read.sort_unstable_by_key(|&(cell, _)| cell);
        let mut axioms = Vec::new();
        let mut rows = FxHashSet::default();
        // Only quantified formulas bind variables.
        let is_bound = cx.graph.quantified.is_some();
        let free: FxHashSet<_> = cx.pool.free_variables(&[formula]).into_iter().collect();
        for (cell, of) in read {
            let array = cx.input_array(cell);
            for term in cx.pool.subterms(&[formula]) {
                if let Some((object, index)) = read_place(cx.pool, term, (cell, array)) {
                    let is_free = |term: Term| {
                        !is_bound || cx.pool.free_variables(&[term]).iter().all(|variable| free.contains(variable))
                    };
                    if !is_free(term) {
                        // If the object depends on a bound variable, omit the axiom, because the variable may stand
                        // for more objects than exist.
                        if is_free(object) && rows.insert((cell, object)) {
                            axioms.push(cx.row_axiom(cell, of, object));
                        }
                        continue;
                    }
                    axioms.push(cx.is_input(cell, of, (object, index), term, &None));
                }
            }
        }
        axioms
    }
}

fn read(cx: &mut Context, term: Term, step: &Step, before: &mut Before) -> Term {
    let Step::Read { target, cell, object, of, index, .. } = step else { return term };
    let &(_, array, _) = &before.families[0];
    let held = cx.select(array, *object, *index);
    let replaced = cx.pool.substitute(term, &[(*target, held)]);
    // Paper 1, figure 4, line 13: cells of the input heap hold objects of the input heap.
    if cx.has_arrays() && cx.variables_of(term).contains(target) {
        let axiom = match is_row(*cell, *index) {
            true => cx.row_axiom(*cell, *of, *object),
            false => {
                let input = cx.input_array(*cell);
                let of_input = cx.select(input, *object, *index);
                cx.array_axiom(*cell, *of, *object, of_input)
            }
        };
        before.axioms.push(axiom);
    }
    replaced
}

fn write(cx: &mut Context, term: Term, step: &Step, before: &mut Before) -> Term {
    let Step::Write { cell, object, index, value, old, .. } = step else { return term };
    let (_, array, done) = &mut before.families[0];
    if cx.has_arrays() {
        let written = cx.store(*array, *object, *index, *value);
        return cx.pool.substitute(term, &[(*array, written)]);
    }
    map_reads(cx, term, (*cell, *array), done, &mut |cx, held, place| {
        let is_it = cx.same(place, (*object, *index));
        let value = match *old {
            Some(old) if is_it != Pool::FALSE => cx.pool.substitute(*value, &[(old, held)]),
            _ => *value,
        };
        cx.pool.ite(is_it, value, held)
    })
}

fn new_object(cx: &mut Context, term: Term, (target, object): (Term, u32), before: &mut Before) -> Term {
    let id = object_term(cx, object);
    let mut term = cx.pool.substitute(term, &[(target, id)]);
    for (cell, array, done) in &mut before.families {
        if cx.has_arrays() {
            let Some((written, _)) = cx.new_cell(object, *cell, None) else { continue };
            // Erratum 5: the cells of a new object hold default values.
            if cx.pool.subterms(&[term]).contains(array) {
                let held = cx.pool.select(*array, id);
                before.axioms.push(cx.pool.eq(held, written));
            }
            continue;
        }
        let axioms = &mut before.axioms;
        term = map_reads(cx, term, (*cell, *array), done, &mut |cx, held, place| {
            let is_it = cx.pool.eq(place.0, id);
            if is_it == Pool::FALSE {
                return held;
            }
            match cx.new_cell(object, *cell, place.1) {
                Some((value, axiom)) => {
                    axioms.extend(axiom);
                    cx.pool.ite(is_it, value, held)
                }
                None => held,
            }
        });
    }
    term
}

/// The cell that a term reads, if the cell belongs to the family.
fn read_place(pool: &Pool, term: Term, (cell, array): (Cell, Term)) -> Option<Place> {
    let TermNode::Select(from, index) = *pool.node(term) else { return None };
    match cell {
        Cell::Elements(..) => match *pool.node(from) {
            TermNode::Select(rows, object) if rows == array => Some((object, Some(index))),
            _ => None,
        },
        _ => (from == array).then_some((index, None)),
    }
}

/// Replaces the reads of a family of cells in a formula. `f` gets a read and its place, in which reads are already
/// replaced. `done` caches the results for subterms.
fn map_reads(
    cx: &mut Context,
    formula: Term,
    family: (Cell, Term),
    done: &mut FxHashMap<Term, Term>,
    f: &mut dyn FnMut(&mut Context, Term, Place) -> Term,
) -> Term {
    let mut pending = vec![formula];
    while let Some(&top) = pending.last() {
        if done.contains_key(&top) {
            pending.pop();
            continue;
        }
        cx.pool.work();
        if cx.pool.is_stopped() {
            break;
        }
        let before = pending.len();
        cx.pool.node(top).for_each_child(|child| {
            if !done.contains_key(&child) {
                pending.push(child);
            }
        });
        if pending.len() == before {
            pending.pop();
            let rebuilt = cx.pool.rebuild(top, |child| done.get(&child).copied().unwrap_or(child));
            // A term that only simplifies to a read consists of reads that are already replaced.
            let place = read_place(cx.pool, top, family).and_then(|_| read_place(cx.pool, rebuilt, family));
            let replaced = match place {
                Some(place) => f(cx, rebuilt, place),
                None => rebuilt,
            };
            done.insert(top, replaced);
        }
    }
    done.get(&formula).copied().unwrap_or(formula)
}

impl Strategy for Disjuncts {
    type State = State;

    fn leaf(&mut self, _: &mut Context, _: NodeId, selector: Term) -> State {
        vec![selector]
    }

    fn merge(&mut self, cx: &mut Context, _: NodeId, ways: Vec<(Term, State)>) -> State {
        let is_join = ways.len() > 1;
        let mut merged = Vec::new();
        for (condition, state) in ways {
            merged.extend(Self::each(cx, state, |cx, disjunct| cx.pool.and(condition, disjunct)));
        }
        let mut seen = FxHashSet::default();
        merged.retain(|&disjunct| seen.insert(disjunct));
        match self.variant {
            Variant::DisjTerm => vec![cx.pool.or_all(&merged)],
            Variant::DisjCombined if is_join => vec![cx.pool.or_all(&merged)],
            _ => merged,
        }
    }

    fn process(&mut self, cx: &mut Context, step: &Step, state: State) -> State {
        let mut before = self.begin(cx, step);
        let state = Self::each(cx, state, |cx, disjunct| Self::before(cx, step, &mut before, disjunct));
        // The axioms hold of the input heap whatever the disjunct, and disjuncts share what they read.
        let axioms = cx.pool.and_all(&before.axioms);
        Self::each(cx, state, |cx, disjunct| cx.pool.and(disjunct, axioms))
    }

    fn condition(&mut self, cx: &mut Context, state: &State) -> Vec<Term> {
        let mut formula = cx.pool.or_all(state);
        formula = cx.pool.substitute(formula, &cx.graph.statics);
        let given = self.given(cx, formula);
        [&[formula][..], &given].concat()
    }

    fn show(&self, cx: &Context, state: &State) -> String {
        let disjuncts: Vec<String> = state.iter().map(|&disjunct| cx.pool.show(disjunct)).collect();
        if disjuncts.is_empty() { "false".into() } else { disjuncts.join(" || ") }
    }
}
