//! Path conditions that share a common prefix.

use aback_logic::{ArrayValue, Contradiction, Domain, Evaluator, Integer, Model, Node, Pool, Sort, Term, Value, VarId};
use archery::RcK;
use rpds::{HashTrieMap, List, Vector};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// A conjunction of formulas over one pool that grows during execution. Cloning takes constant time: clones share the
/// conjuncts, the inferred intervals ([`Domain`]), the index for [`PathCondition::slice`], and the current model.
///
/// ```
/// use aback_logic::{Pool, Sort};
/// use aback_smt::PathCondition;
///
/// let mut pool = Pool::new();
/// let (x, y) = (pool.fresh_var("x", Sort::Int), pool.fresh_var("y", Sort::Int));
/// let (zero, five) = (pool.int(0), pool.int(5));
/// let mut path = PathCondition::new();
/// for formula in [pool.le(zero, x), pool.lt(y, five), pool.le(zero, x)] {
///     path.assume(&mut pool, formula).unwrap();
/// }
/// assert_eq!(path.len(), 2);
/// let about_x = pool.lt(x, five);
/// assert_eq!(path.slice(&pool, about_x).len(), 1);
/// ```
#[derive(Clone)]
pub struct PathCondition {
    conjuncts: Vector<Term, RcK>,
    /// The indices of the conjuncts that are the upper (`true`) and the lower bound of a term. A stronger bound
    /// replaces a weaker one, so that a counting loop adds no conjuncts.
    bounds: HashTrieMap<(Term, bool), usize, RcK, FxBuildHasher>,
    domain: Domain,
    index: Index,
    current: Option<Rc<RefCell<Evaluator>>>,
    /// How often intervals are narrowed by all conjuncts when one is added.
    iterations: u32,
    narrowed: u64,
}

impl Default for PathCondition {
    fn default() -> Self {
        Self::new()
    }
}

impl PathCondition {
    /// The condition `true`. Its current model assigns defaults to all variables.
    pub fn new() -> Self {
        PathCondition {
            conjuncts: Vector::new_with_ptr_kind(),
            bounds: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher),
            domain: Domain::new(),
            index: Index::new(),
            current: Some(Rc::new(RefCell::new(Evaluator::new(Model::new())))),
            iterations: 1,
            narrowed: 0,
        }
    }

    /// The same condition, whose intervals are narrowed so often by all conjuncts, at most, when one is added (paper 4, section 3.4.2). The
    /// first time is that of the new conjunct alone.
    pub fn with_iterations(self, iterations: u32) -> Self {
        PathCondition { iterations, ..self }
    }

    /// The condition `true` of a path without interval inference.
    pub fn without_intervals() -> Self {
        PathCondition { domain: Domain::blind(), ..PathCondition::new() }
    }

    /// Adds a condition. Conjunctions are split, and a conjunct that follows from the inferred intervals is dropped.
    /// The current model stays if it makes the condition true; otherwise the path has none from now on.
    ///
    /// # Errors
    ///
    /// Intervals show that the condition contradicts the path; other contradictions are not found here. The path must
    /// not be used any more.
    pub fn assume(&mut self, pool: &mut Pool, formula: Term) -> Result<(), Contradiction> {
        let mut pending = vec![formula];
        let mut split: FxHashSet<Term> = FxHashSet::default();
        while let Some(formula) = pending.pop() {
            if let Node::And(parts) = pool.node(formula) {
                if split.insert(formula) {
                    pending.extend(parts.iter().rev());
                }
                continue;
            }
            match self.domain.decide(pool, formula) {
                Some(true) => continue,
                Some(false) => return Err(Contradiction),
                None => {}
            }
            self.narrowed += 1;
            let stronger = self.stronger(pool, formula);
            self.domain.assume(pool, formula)?;
            if stronger != formula {
                self.domain.assume(pool, stronger)?;
            }
            let formula = stronger;
            if !self.is_shown(pool, formula) {
                self.current = None;
            }
            if let Some((bound, constant)) = bound(pool, formula) {
                if let Some(&place) = self.bounds.get(&bound) {
                    // Without intervals, nothing has shown so far that a weaker bound follows.
                    let known = self.conjuncts.get(place).and_then(|&known| self::bound(pool, known));
                    if known.is_none_or(|(_, known)| known < constant) {
                        // The old and the new conjunct bound the same term and have the same variables: the index stays
                        // as it is.
                        self.conjuncts.set_mut(place, formula);
                    }
                    continue;
                }
                self.bounds.insert_mut(bound, self.conjuncts.len());
            }
            self.index.add(pool, self.conjuncts.len(), formula);
            self.conjuncts.push_back_mut(formula);
        }
        self.iterate(pool)
    }

    /// Narrows intervals by all conjuncts, until nothing changes or the iterations are done.
    fn iterate(&mut self, pool: &mut Pool) -> Result<(), Contradiction> {
        for _ in 1..self.iterations {
            let mut is_changed = false;
            for &conjunct in &self.conjuncts {
                is_changed |= self.domain.refine(pool, conjunct)?;
            }
            if !is_changed {
                break;
            }
        }
        Ok(())
    }

    /// Whether the current model makes a formula true.
    pub fn is_shown(&self, pool: &Pool, formula: Term) -> bool {
        self.current.as_ref().is_some_and(|current| holds(current, pool, formula))
    }

    /// Strengthens "not this value" to "beyond this value" if the value is a bound of the interval.
    fn stronger(&self, pool: &mut Pool, formula: Term) -> Term {
        let Node::Not(inner) = *pool.node(formula) else {
            return formula;
        };
        let Node::EqZero(sum) = *pool.node(inner) else {
            return formula;
        };
        let interval = self.domain.interval(pool, sum);
        let zero = pool.int(0);
        if interval.low.is_some_and(|low| low.is_zero()) {
            pool.lt(zero, sum)
        } else if interval.high.is_some_and(|high| high.is_zero()) {
            pool.lt(sum, zero)
        } else {
            formula
        }
    }

    /// The conjuncts, oldest first.
    pub fn conjuncts(&self) -> impl Iterator<Item = Term> {
        self.conjuncts.iter().copied()
    }

    /// Number of conjuncts.
    pub fn len(&self) -> usize {
        self.conjuncts.len()
    }

    /// How often a conjunct was added that did not follow from the inferred intervals. Some of them replaced others. Of joined paths, it is that
    /// of the one with more.
    pub fn narrowed(&self) -> u64 {
        self.narrowed
    }

    /// Whether there are no conjuncts: the condition is `true`.
    pub fn is_empty(&self) -> bool {
        self.conjuncts.is_empty()
    }

    /// The inferred intervals.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The current model of the path: it makes all conjuncts true. `None` if no model is known.
    pub fn current_model(&self) -> Option<&Rc<RefCell<Evaluator>>> {
        self.current.as_ref()
    }

    /// Sets the current model. It must make all conjuncts true: this is not tested, and slicing relies on it.
    pub fn set_current_model(&mut self, current: Rc<RefCell<Evaluator>>) {
        self.current = Some(current);
    }

    /// Joins the conditions of two paths: the result is the conjunction of the common conjuncts and of a disjunction of
    /// the others. Also returns a formula that is true if an execution is on this path and false if it is on the other
    /// one. `path` must be the condition `true`.
    ///
    /// If intervals do not show that the conditions exclude each other, the formula is a new variable, so that an
    /// execution may be on either path.
    ///
    /// # Errors
    ///
    /// Intervals show that there is no execution on either path.
    pub fn join(
        &self,
        other: &PathCondition,
        pool: &mut Pool,
        mut path: PathCondition,
    ) -> Result<(PathCondition, Term), Contradiction> {
        let theirs: FxHashSet<Term> = other.conjuncts().collect();
        let (shared, ours): (Vec<Term>, Vec<Term>) = self.conjuncts().partition(|conjunct| theirs.contains(conjunct));
        let known: FxHashSet<Term> = shared.iter().copied().collect();
        let theirs: Vec<Term> = other.conjuncts().filter(|conjunct| !known.contains(conjunct)).collect();
        for conjunct in shared {
            path.assume(pool, conjunct)?;
        }
        let excludes = |path: &PathCondition, conjuncts: &[Term]| {
            conjuncts.iter().copied().find(|&conjunct| path.domain.decide(pool, conjunct) == Some(false))
        };
        let (choice, is_new) = match (excludes(other, &ours), excludes(self, &theirs)) {
            (Some(ours), _) => (ours, false),
            (None, Some(theirs)) => (pool.not(theirs), false),
            (None, None) => (pool.fresh_var("path", Sort::Bool), true),
        };
        let negated = pool.not(choice);
        let [ours, theirs] = [(choice, ours), (negated, theirs)].map(|(condition, mut rest)| {
            rest.push(condition);
            pool.and_all(&rest)
        });
        let either = pool.or(ours, theirs);
        // A model of the other path assigns `false` to a new variable, as to every Boolean variable that it does not
        // contain.
        let current = other.current.clone().or_else(|| self.current.clone().filter(|_| !is_new));
        path.assume(pool, either)?;
        path.current = current;
        path.narrowed = self.narrowed.max(other.narrowed);
        Ok((path, choice))
    }

    /// The conjuncts that share a variable with the formula, directly or through other conjuncts, oldest first. The
    /// work is linear in the size of these conjuncts, regardless of the rest of the path.
    ///
    /// What is read of an array at one variable index only is a variable of its own, such as a field of an object that is an input: conditions
    /// about `this.x` and about `this.y` have nothing in common.
    pub fn slice(&self, pool: &Pool, formula: Term) -> Vec<Term> {
        let connected = self.index.connected(pool, formula);
        connected.into_iter().filter_map(|conjunct| self.conjuncts.get(conjunct)).copied().collect()
    }

    /// Extends a model of a [slice](PathCondition::slice) and of the formula that it is about to a model of the path and the formula:
    /// `formulas` are all of these. `None` if the path has no current model, or if this is in use.
    ///
    /// Variables of the slice have the values of `model`, and all others those of the current model. Where an index has another value than in
    /// the model that determines what is read at it, the array is changed, so that this is read at the new index.
    pub(crate) fn complete(&self, pool: &Pool, formulas: &[Term], model: &mut Evaluator) -> Option<Model> {
        let mut current = self.current.as_ref()?.try_borrow_mut().ok()?;
        let slice: FxHashSet<Term> = formulas.iter().copied().collect();
        // A variable that only indexes in the slice belongs to conjuncts outside of it, if there are some.
        let is_of_slice = |variable: Term| match self.index.owners.get(&variable) {
            Some(&Some(owner)) => self.conjuncts.get(owner).is_some_and(|conjunct| slice.contains(conjunct)),
            _ => true,
        };
        let mut whole = current.model().clone();
        for variable in pool.free_variables(formulas) {
            let term = pool.variable_term(variable);
            if is_of_slice(term)
                && let Some(value) = model.value(pool, term)
            {
                whole.set(variable, value);
            }
        }
        let mut indices = Evaluator::new(whole.clone());
        for (array, cell) in self.index.cells() {
            let source = if is_of_slice(array) { &mut *model } else { &mut *current };
            let (from, to) = (source.value(pool, cell.index)?, indices.value(pool, cell.index)?);
            if from != to {
                let Some(Value::Array(old)) = source.value(pool, array) else { return None };
                let mut moved: ArrayValue = (*old).clone();
                moved.set(to, old.get(&from).clone());
                whole.set(cell.array, Value::Array(Rc::new(moved)));
            }
        }
        Some(whole)
    }

    /// Whether a model has the values of the current one for all variables that are the only index of an array.
    pub(crate) fn keeps_indices(&self, pool: &Pool, model: &mut Evaluator) -> bool {
        let Some(mut current) = self.current.as_ref().and_then(|current| current.try_borrow_mut().ok()) else {
            return false;
        };
        self.index.cells().all(|(_, cell)| model.value(pool, cell.index) == current.value(pool, cell.index))
    }
}

/// The term that a formula bounds, whether from above, and a constant that is larger for stronger bounds. `None` if the formula is
/// not a bound.
fn bound(pool: &Pool, formula: Term) -> Option<((Term, bool), Integer)> {
    let Node::LeZero(sum) = *pool.node(formula) else {
        return None;
    };
    let (constant, monomials) = pool.linear(sum);
    match &monomials[..] {
        [(factor, term)] if factor.abs().is_one() => Some(((*term, factor.signum() > 0), constant)),
        _ => None,
    }
}

/// Whether a model that several paths share makes a formula true.
pub(crate) fn holds(model: &Rc<RefCell<Evaluator>>, pool: &Pool, formula: Term) -> bool {
    // A model that the caller is borrowing counts as unsuitable.
    model.try_borrow_mut().is_ok_and(|mut model| model.holds(pool, formula) == Some(true))
}

/// Which conjuncts have common variables.
///
/// The first conjunct in which a term with variables occurs owns the term. When a later conjunct reaches the term,
/// the two conjuncts are linked and the traversal stops there, because the owner has all of the term's variables.
/// Hence conjuncts with a common variable are always connected through its owner, and adding conjuncts visits each
/// subterm of the path once.
///
/// An array variable that only occurs in reads at one index, which is a variable, stands for the value there ([`Cell`]): the traversal does not
/// go on to the index. Any value of the index will do, since the array may have the same value there (Ackermann). As soon as the array occurs in
/// another way, the conjunct with this occurrence has the index, too.
#[derive(Clone)]
struct Index {
    /// The owners of the terms seen so far; a term without variables has none.
    owners: HashTrieMap<Term, Option<usize>, RcK, FxBuildHasher>,
    links: HashTrieMap<usize, List<usize, RcK>, RcK, FxBuildHasher>,
    /// The array variables seen so far, with their cells. Those that occur in other ways have none.
    cells: HashTrieMap<Term, Option<Cell>, RcK, FxBuildHasher>,
}

/// The only place at which an array variable is read.
#[derive(Clone, Copy)]
struct Cell {
    array: VarId,
    /// A variable. If a quantifier binds it, no model has a value of it, and the array is not changed.
    index: Term,
}

impl Index {
    fn new() -> Self {
        Index {
            owners: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher),
            links: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher),
            cells: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher),
        }
    }

    /// The array variables with a cell.
    fn cells(&self) -> impl Iterator<Item = (Term, Cell)> {
        self.cells.iter().filter_map(|(&array, &cell)| Some((array, cell?)))
    }

    /// The array variable of a read, and the cell that it is if nothing else is read of the array.
    fn read(pool: &Pool, term: Term) -> Option<(Term, Cell)> {
        let Node::Select(from, index) = *pool.node(term) else { return None };
        match (pool.node(from), pool.node(index)) {
            (&Node::Var(array), Node::Var(_)) => Some((from, Cell { array, index })),
            _ => None,
        }
    }

    fn add(&mut self, pool: &Pool, conjunct: usize, formula: Term) {
        let mut linked: FxHashSet<usize> = FxHashSet::default();
        let mut pending = vec![(formula, false)];
        while let Some((term, expanded)) = pending.pop() {
            if expanded {
                let mut varies = matches!(pool.node(term), Node::Var(_));
                pool.node(term).for_each_child(|child| varies |= self.owners.get(&child).is_some_and(Option::is_some));
                self.owners.insert_mut(term, varies.then_some(conjunct));
                continue;
            }
            if let Some(&Some(cell)) = self.cells.get(&term) {
                // The array itself, or a read at another index.
                self.cells.insert_mut(term, None);
                pending.push((cell.index, false));
            }
            match self.owners.get(&term) {
                Some(&Some(owner)) => {
                    if owner != conjunct {
                        linked.insert(owner);
                    }
                }
                Some(None) => {}
                None => {
                    if let Some((array, cell)) = Self::read(pool, term)
                        && !self.cells.contains_key(&array)
                    {
                        self.cells.insert_mut(array, Some(cell));
                        self.owners.insert_mut(array, Some(conjunct));
                        self.owners.insert_mut(term, Some(conjunct));
                        continue;
                    }
                    if matches!(pool.node(term), Node::Var(_)) && matches!(pool.sort(term), Sort::Array(_)) {
                        self.cells.insert_mut(term, None);
                    }
                    pending.push((term, true));
                    pool.node(term).for_each_child(|child| pending.push((child, false)));
                }
            }
        }
        for owner in linked {
            self.link(owner, conjunct);
            self.link(conjunct, owner);
        }
    }

    fn link(&mut self, from: usize, to: usize) {
        match self.links.get_mut(&from) {
            Some(links) => {
                links.push_front_mut(to);
            }
            None => {
                let mut links = List::new_with_ptr_kind();
                links.push_front_mut(to);
                self.links.insert_mut(from, links);
            }
        }
    }

    /// The conjuncts connected with a formula, in order.
    fn connected(&self, pool: &Pool, formula: Term) -> Vec<usize> {
        let mut found: FxHashSet<usize> = FxHashSet::default();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        let mut pending = vec![formula];
        let mut frontier = Vec::new();
        while let Some(term) = pending.pop() {
            if let Some(&Some(cell)) = self.cells.get(&term) {
                // As in `add`.
                pending.push(cell.index);
            }
            match self.owners.get(&term) {
                Some(&Some(owner)) => {
                    if found.insert(owner) {
                        frontier.push(owner);
                    }
                }
                Some(None) => {}
                None => {
                    if seen.insert(term) {
                        pool.node(term).for_each_child(|child| pending.push(child));
                    }
                }
            }
        }
        while let Some(conjunct) = frontier.pop() {
            for &neighbour in self.links.get(&conjunct).into_iter().flatten() {
                if found.insert(neighbour) {
                    frontier.push(neighbour);
                }
            }
        }
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        found
    }
}
