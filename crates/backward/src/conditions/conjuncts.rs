//! Conjunct combination (paper 1, figures 3 and 5): conjuncts are added and never changed.
//!
//! Each node has a propositional variable, "control gets here", that implies what must hold. A *symbol* is a variable
//! of the formula. It stands for the value that a program variable, or a heap cell that is read later, has at a node.
//! An assignment relates the symbol to the assigned term and forgets the symbol: the value before the assignment does
//! not matter, unless it is read there, too.

use super::heap::{is_row, object_term};
use super::{Context, Strategy};
use crate::config::Variant;
use crate::graph::{Cell, Given, Node, NodeId, Step};
use crate::points::{PointSet, Points, may_meet};
use aback_ir::Type;
use aback_logic::{Pool, Sort, Term};
use aback_smt::{Chain, Feasibility, PathCondition};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// All conjuncts so far.
pub(crate) struct Conjuncts {
    /// The variant, which determines when a solver is asked.
    policy: Variant,
    /// What control at a node implies. An implication comes after those of the nodes that its conclusion mentions.
    pub implications: Vec<(Term, Term)>,
    /// The implications as a path condition for solver checks. It contains the first `told` of them; implications are
    /// only ever added.
    asked: PathCondition,
    told: usize,
}

/// A cell that is read later.
#[derive(Clone, Debug)]
struct Pending {
    object: Term,
    /// The object's static type.
    of: Type,
    index: Option<Term>,
    /// The objects that the reference may point to.
    points: Points,
    /// The symbol for the contents of the cell.
    symbol: Term,
}

/// Identifies a read within a family of cells: the object, its static type, the index.
type Key = (Term, Type, Option<Term>);

impl Pending {
    fn key(&self) -> Key {
        (self.object, self.of, self.index)
    }
}

/// The symbols of all variables and cells that are read later.
#[derive(Clone, Default, Debug)]
struct Symbols {
    /// By program variable (paper 1: the environment and the versions of variables).
    variables: FxHashMap<Term, Term>,
    /// By family of cells, if each read has a value of its own.
    reads: FxHashMap<Cell, Vec<Pending>>,
    /// By family of cells, if fields are arrays: the current version of each array.
    arrays: FxHashMap<Cell, Term>,
}

/// The state at a node.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The variable "control gets here".
    reached: Term,
    /// Whether other nodes have the same `reached`, so that nothing may be added to what it implies.
    is_shared: bool,
    symbols: Rc<Symbols>,
    /// Symbols with a larger number occur only in this state.
    floor: Term,
    /// Formulas that were added at this node, for display.
    added: Vec<Term>,
}

impl Conjuncts {
    /// Creates the strategy without implications; `path` is the path condition `true`.
    pub fn new(policy: Variant, path: PathCondition) -> Self {
        Conjuncts { policy, implications: Vec::new(), asked: path, told: 0 }
    }

    /// Adds what must hold if control gets to the state's node.
    fn add(&mut self, cx: &mut Context, state: &mut State, formula: Term) {
        if formula == Pool::TRUE {
            return;
        }
        if state.is_shared {
            let reached = cx.pool.fresh_var("c", Sort::Bool);
            self.implications.push((reached, state.reached));
            state.reached = reached;
            state.is_shared = false;
        }
        self.implications.push((state.reached, formula));
        if cx.config.show_conditions {
            state.added.push(formula);
        }
    }

    fn add_equal(&mut self, cx: &mut Context, state: &mut State, symbol: Term, value: Term) {
        let equal = cx.pool.eq(symbol, value);
        self.add(cx, state, equal);
    }

    /// Processes `target := value`, where the target is read later.
    fn assign(&mut self, cx: &mut Context, state: &mut State, target: Term, value: Term) {
        let Some(symbol) = state.forget(target) else { return };
        if cx.variables.contains_key(&value) && !state.symbols.variables.contains_key(&value) {
            // Paper 1, figure 5, line 6: reads of the target become reads of the value.
            Rc::make_mut(&mut state.symbols).variables.insert(value, symbol);
            return;
        }
        let value = state.rename(cx, value);
        self.add_equal(cx, state, symbol, value);
    }

    fn new_object(&mut self, cx: &mut Context, state: &mut State, target: Term, object: u32) {
        let id = object_term(cx, object);
        if let Some(symbol) = state.forget(target) {
            self.add_equal(cx, state, symbol, id);
        }
        let arrays: Vec<(Cell, Term)> = state.symbols.arrays.iter().map(|(&cell, &array)| (cell, array)).collect();
        for (cell, array) in arrays {
            self.new_cells(cx, state, (object, id), cell, array);
        }
        let families: Vec<Cell> = state.symbols.reads.keys().copied().collect();
        for cell in families {
            let pending = state.symbols.reads.get(&cell).cloned().unwrap_or_default();
            let mut kept = Vec::with_capacity(pending.len());
            for read in pending {
                let may_be = read.points.as_ref().is_none_or(|points| points.has(object));
                let is_it = if may_be { cx.pool.eq(read.object, id) } else { Pool::FALSE };
                let held = if is_it == Pool::FALSE { None } else { cx.new_cell(object, cell, read.index) };
                if let Some((value, axiom)) = held {
                    let value = state.rename(cx, value);
                    let equal = cx.pool.eq(read.symbol, value);
                    let held = cx.pool.and(equal, axiom.unwrap_or(Pool::TRUE));
                    let held = cx.pool.implies(is_it, held);
                    self.add(cx, state, held);
                }
                if is_it != Pool::TRUE {
                    kept.push(read);
                }
            }
            Rc::make_mut(&mut state.symbols).reads.insert(cell, kept);
        }
    }

    /// Relates the cells of a new object to their initial values, if fields are arrays (erratum 5).
    fn new_cells(&mut self, cx: &mut Context, state: &mut State, (object, id): (u32, Term), cell: Cell, array: Term) {
        let Some((held, _)) = cx.new_cell(object, cell, None) else { return };
        let held = state.rename(cx, held);
        let cell = cx.pool.select(array, id);
        self.add_equal(cx, state, cell, held);
    }

    fn read(&mut self, cx: &mut Context, state: &mut State, step: &Step) {
        let Step::Read { target, cell, object, of, index, points } = step else { return };
        let Some(symbol) = state.forget(*target) else { return };
        let object = state.rename(cx, *object);
        let index = index.map(|index| state.rename(cx, index));
        if cx.has_arrays() {
            let array = state.array(cx, *cell);
            let held = cx.select(array, object, index);
            self.add_equal(cx, state, symbol, held);
            if is_row(*cell, index) {
                let axiom = cx.row_axiom(*cell, *of, object);
                return self.add(cx, state, axiom);
            }
            // Paper 1, figure 5, line 33: cells of the input heap hold objects of the input heap.
            let input = cx.input_array(*cell);
            let held = cx.select(input, object, index);
            let axiom = cx.array_axiom(*cell, *of, object, held);
            return self.add(cx, state, axiom);
        }
        let key = (object, *of, index);
        let reads = Rc::make_mut(&mut state.symbols).reads.entry(*cell).or_default();
        match reads.iter_mut().find(|read| read.key() == key) {
            Some(read) => {
                read.points = PointSet::union(&read.points, points);
                let other = read.symbol;
                self.add_equal(cx, state, symbol, other);
            }
            None => reads.push(Pending { object, of: *of, index, points: points.clone(), symbol }),
        }
    }

    fn write(&mut self, cx: &mut Context, state: &mut State, step: &Step) {
        let Step::Write { cell, object, index, value, old, points } = step else { return };
        if let Some(&array) = state.symbols.arrays.get(cell) {
            let [object, value] = [*object, *value].map(|term| state.rename(cx, term));
            let index = index.map(|index| state.rename(cx, index));
            let sort = cx.array_sort(*cell);
            let before = cx.pool.fresh_var(&cell.name(cx.program), sort);
            let written = cx.store(before, object, index, value);
            Rc::make_mut(&mut state.symbols).arrays.insert(*cell, before);
            self.add_equal(cx, state, array, written);
        }
        let Some(reads) = state.symbols.reads.get(cell) else { return };
        if !reads.iter().any(|read| may_meet(&read.points, points)) {
            return;
        }
        let reads = reads.clone();
        let object = state.rename(cx, *object);
        let index = index.map(|index| state.rename(cx, index));
        // The value of an update differs from read to read.
        let value = if old.is_none() { state.rename(cx, *value) } else { *value };
        let mut kept = Vec::with_capacity(reads.len());
        for mut read in reads {
            let is_it = match may_meet(&read.points, points) {
                true => cx.same((read.object, read.index), (object, index)),
                false => Pool::FALSE,
            };
            if is_it == Pool::FALSE {
                kept.push(read);
                continue;
            }
            let is_part = read.index.is_none() && index.is_some();
            if is_it == Pool::TRUE && old.is_none() && !is_part {
                self.add_equal(cx, state, read.symbol, value);
                continue;
            }
            let sort = cx.pool.sort(read.symbol);
            let before = cx.pool.fresh_var(&cell.name(cx.program), sort);
            let part = index.filter(|_| is_part);
            let held = part.map_or(before, |index| cx.pool.select(before, index));
            let written = match *old {
                // The variable holds the old contents of the cell, so that the cell is read before the write.
                Some(old) => {
                    let written = cx.pool.substitute(value, &[(old, held)]);
                    state.rename(cx, written)
                }
                None => value,
            };
            let written = part.map_or(written, |index| cx.pool.store(before, index, written));
            let [written, unchanged] = [written, before].map(|value| cx.pool.eq(read.symbol, value));
            let either = cx.pool.ite(is_it, written, unchanged);
            self.add(cx, state, either);
            read.symbol = before;
            kept.push(read);
        }
        Rc::make_mut(&mut state.symbols).reads.insert(*cell, kept);
    }

    /// Merges the states of several successors into the state of their common predecessor.
    fn merge_states(&mut self, cx: &mut Context, mut ways: Vec<(Term, State)>) -> State {
        // If an edge's condition reads a variable, all states read it.
        let read: FxHashSet<Term> = ways.iter().flat_map(|&(condition, _)| cx.variables_of(condition)).collect();
        let mut read: Vec<Term> = read.into_iter().collect();
        read.sort_unstable();
        for variable in read {
            if ways.iter().all(|(_, state)| state.symbols.variables.contains_key(&variable)) {
                continue;
            }
            // A symbol that only one state uses may stand for the variable on the other ways, too.
            let own = ways.iter().find_map(|(_, state)| {
                let symbol = state.symbols.variables.get(&variable).copied();
                symbol.filter(|&symbol| symbol > state.floor)
            });
            let symbol = own.unwrap_or_else(|| cx.new_symbol(variable));
            for (_, state) in &mut ways {
                Rc::make_mut(&mut state.symbols).variables.entry(variable).or_insert(symbol);
            }
        }
        let conditions: Vec<Term> = ways.iter_mut().map(|(condition, state)| state.rename(cx, *condition)).collect();
        let states: Vec<State> = ways.into_iter().map(|(_, state)| state).collect();
        let mut joins: Vec<Vec<Term>> = vec![Vec::new(); states.len()];
        let symbols = merge_symbols(cx, &states, &mut joins);
        let floor = states.iter().map(|state| state.floor).max().unwrap_or(Pool::TRUE);
        let first = states[0].reached;
        if joins.iter().all(Vec::is_empty)
            && states.iter().all(|state| state.reached == first)
            && cx.pool.or_all(&conditions) == Pool::TRUE
        {
            // The ways do not differ in anything that is read later.
            return State { reached: first, is_shared: true, symbols: Rc::new(symbols), floor, added: Vec::new() };
        }
        let mut options = Vec::with_capacity(states.len());
        for ((condition, state), mut join) in conditions.into_iter().zip(&states).zip(joins) {
            join.push(condition);
            join.push(state.reached);
            options.push(cx.pool.and_all(&join));
        }
        let either = cx.pool.or_all(&options);
        let reached = cx.pool.fresh_var("c", Sort::Bool);
        self.implications.push((reached, either));
        State { reached, is_shared: false, symbols: Rc::new(symbols), floor, added: vec![either] }
    }
}

/// Merges the symbols of several states. If they differ, all are made equal to one symbol, under the condition of the
/// way. This is a symbol that no other state uses (paper 1: the highest version), or a new one. Otherwise, terms
/// could become aliases that are none.
fn merge_symbols(cx: &mut Context, states: &[State], joins: &mut [Vec<Term>]) -> Symbols {
    let mut merged = Symbols::default();
    let mut one = |cx: &mut Context, found: &[(usize, Term)]| -> Term {
        let (_, first) = found[0];
        if found.len() == states.len() && found.iter().all(|&(_, symbol)| symbol == first) {
            return first;
        }
        let own = found.iter().find(|&&(state, symbol)| symbol > states[state].floor);
        let chosen = match own {
            Some(&(_, symbol)) => symbol,
            None => cx.pool.fresh_var("s", cx.pool.sort(first)),
        };
        for &(state, symbol) in found {
            if symbol != chosen {
                joins[state].push(cx.pool.eq(symbol, chosen));
            }
        }
        chosen
    };
    let found = gather(states, |state| state.symbols.variables.iter().map(|(&variable, &symbol)| (variable, symbol)));
    for (variable, found) in found {
        let symbol = one(cx, &found);
        merged.variables.insert(variable, symbol);
    }
    let found = gather(states, |state| state.symbols.arrays.iter().map(|(&cell, &symbol)| (cell, symbol)));
    for (cell, found) in found {
        let symbol = one(cx, &found);
        merged.arrays.insert(cell, symbol);
    }
    let mut reads: FxHashMap<(Cell, Key), Pending> = FxHashMap::default();
    let found = gather(states, |state| {
        let families = state.symbols.reads.iter();
        families.flat_map(|(&cell, reads)| reads.iter().map(move |read| ((cell, read.key()), read.symbol)))
    });
    for state in states {
        for (&cell, pending) in &state.symbols.reads {
            for read in pending {
                let merged = reads.entry((cell, read.key())).or_insert_with(|| read.clone());
                merged.points = PointSet::union(&merged.points, &read.points);
            }
        }
    }
    for (key, found) in found {
        let symbol = one(cx, &found);
        if let Some(read) = reads.remove(&key) {
            merged.reads.entry(key.0).or_default().push(Pending { symbol, ..read });
        }
    }
    merged
}

/// For each key, the states that have it, with their symbols, in a fixed order.
fn gather<'s, K: Ord + std::hash::Hash, I: Iterator<Item = (K, Term)>>(
    states: &'s [State],
    symbols: impl Fn(&'s State) -> I,
) -> Vec<(K, Vec<(usize, Term)>)> {
    let mut found: FxHashMap<K, Vec<(usize, Term)>> = FxHashMap::default();
    for (number, state) in states.iter().enumerate() {
        for (key, symbol) in symbols(state) {
            found.entry(key).or_default().push((number, symbol));
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

impl State {
    /// Forgets a variable and returns its symbol.
    fn forget(&mut self, variable: Term) -> Option<Term> {
        if !self.symbols.variables.contains_key(&variable) {
            return None;
        }
        Rc::make_mut(&mut self.symbols).variables.remove(&variable)
    }

    /// Replaces program variables in a term by symbols. Variables without a symbol get one, because they are now read
    /// later.
    fn rename(&mut self, cx: &mut Context, term: Term) -> Term {
        let variables = cx.variables_of(term);
        if variables.is_empty() {
            return term;
        }
        let mut pairs = Vec::with_capacity(variables.len());
        for variable in variables {
            let symbol = match self.symbols.variables.get(&variable) {
                Some(&symbol) => symbol,
                None => {
                    let symbol = cx.new_symbol(variable);
                    Rc::make_mut(&mut self.symbols).variables.insert(variable, symbol);
                    symbol
                }
            };
            pairs.push((variable, symbol));
        }
        match pairs[..] {
            [(variable, symbol)] if variable == term => symbol,
            _ => cx.pool.substitute(term, &pairs),
        }
    }

    /// The current version of a family of cells.
    fn array(&mut self, cx: &mut Context, cell: Cell) -> Term {
        if let Some(&array) = self.symbols.arrays.get(&cell) {
            return array;
        }
        let sort = cx.array_sort(cell);
        let array = cx.pool.fresh_var(&cell.name(cx.program), sort);
        Rc::make_mut(&mut self.symbols).arrays.insert(cell, array);
        array
    }
}

impl Context<'_> {
    /// A symbol for the value of a program variable.
    fn new_symbol(&mut self, variable: Term) -> Term {
        let sort = self.pool.sort(variable);
        let name = self.pool.show(variable);
        self.pool.fresh_var(&name, sort)
    }
}

impl Strategy for Conjuncts {
    type State = State;

    fn leaf(&mut self, cx: &mut Context, _: NodeId, selector: Term) -> State {
        let reached = cx.pool.fresh_var("c", Sort::Bool);
        self.implications.push((reached, selector));
        State { reached, is_shared: false, symbols: Rc::default(), floor: reached, added: vec![] }
    }

    fn merge(&mut self, cx: &mut Context, _: NodeId, mut ways: Vec<(Term, State)>) -> State {
        if ways.len() > 1 {
            return self.merge_states(cx, ways);
        }
        let Some((condition, mut state)) = ways.pop() else { unreachable!("a node that leads somewhere") };
        state.added.clear();
        if condition != Pool::TRUE {
            let condition = state.rename(cx, condition);
            self.add(cx, &mut state, condition);
        }
        state
    }

    fn process(&mut self, cx: &mut Context, step: &Step, mut state: State) -> State {
        match step {
            Step::Nothing | Step::Leaf(_) => {}
            Step::Assign { target, value } => self.assign(cx, &mut state, *target, *value),
            Step::Defaults(values) => {
                for &(target, value) in values {
                    self.assign(cx, &mut state, target, value);
                }
            }
            Step::New { target, object } => self.new_object(cx, &mut state, *target, *object),
            Step::Read { .. } => self.read(cx, &mut state, step),
            Step::Write { .. } => self.write(cx, &mut state, step),
            Step::Input { target, input } => {
                if let Some(&Given::Value(value, _)) = cx.graph.inputs.get(*input as usize) {
                    self.assign(cx, &mut state, *target, value);
                }
            }
        }
        state
    }

    fn share(&mut self, cx: &mut Context, mut state: State) -> State {
        state.is_shared = true;
        // All existing symbols are shared; later ones are not.
        state.floor = cx.pool.fresh_var("floor", Sort::Bool);
        state
    }

    fn is_hopeless(&mut self, cx: &mut Context, chain: &mut Chain, node: &Node, state: &State) -> bool {
        let asks = match self.policy {
            Variant::ConjAlways => true,
            Variant::ConjLoops => node.starts_iteration,
            _ => false,
        };
        if !asks {
            return false;
        }
        for &(reached, conclusion) in &self.implications[self.told..] {
            let implication = cx.pool.implies(reached, conclusion);
            // All "control gets here" variables may be false, so that implications alone are always satisfiable.
            let _ = self.asked.assume(cx.pool, implication);
        }
        self.told = self.implications.len();
        matches!(chain.check(cx.pool, &self.asked, state.reached), Feasibility::Infeasible)
    }

    fn condition(&mut self, cx: &mut Context, state: &State) -> Vec<Term> {
        let mut parts = vec![state.reached];
        for &(variable, default) in &cx.graph.statics {
            if let Some(&symbol) = state.symbols.variables.get(&variable) {
                parts.push(cx.pool.eq(symbol, default));
            }
        }
        for &(parameter, _) in &cx.graph.parameters {
            if let Some(&symbol) = state.symbols.variables.get(&parameter) {
                parts.push(cx.pool.eq(symbol, parameter));
            }
        }
        let mut arrays: Vec<(Cell, Term)> = state.symbols.arrays.iter().map(|(&cell, &array)| (cell, array)).collect();
        arrays.sort_unstable();
        for (cell, array) in arrays {
            let input = cx.input_array(cell);
            parts.push(cx.pool.eq(array, input));
        }
        let mut families: Vec<(&Cell, &Vec<Pending>)> = state.symbols.reads.iter().collect();
        families.sort_unstable_by_key(|(cell, _)| **cell);
        for (&cell, reads) in families {
            for read in reads {
                parts.push(cx.is_input(cell, read.of, (read.object, read.index), read.symbol, &read.points));
            }
        }
        parts.extend_from_slice(&cx.graph.assumptions);
        parts
    }

    fn show(&self, cx: &Context, state: &State) -> String {
        let added: Vec<String> = state.added.iter().map(|&formula| cx.pool.show(formula)).collect();
        let added = if added.is_empty() { "true".to_string() } else { added.join(" && ") };
        format!("{} => {added}", cx.pool.show(state.reached))
    }
}
