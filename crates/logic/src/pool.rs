//! Owns all terms and makes equal terms identical.

use crate::integer::Integer;
use crate::rules::Rule;
use crate::term::{ArraySort, FloatFormat, Node, Sort, Term, VarId};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cell::Cell;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};

/// A free variable: its name, unique in the pool, and its sort.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Name, for users and for solvers.
    pub name: String,
    /// Sort.
    pub sort: Sort,
}

/// The owner of all terms. The constructors in `build/` build terms and simplify them locally. Equal terms get equal
/// ids, and a term's id is greater than those of its subterms.
pub struct Pool {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    table: HashTable<Term>,
    variables: Vec<Variable>,
    variable_names: FxHashMap<String, VarId>,
    variable_terms: Vec<Term>,
    array_sorts: Vec<(Sort, Sort)>,
    array_sort_ids: FxHashMap<(Sort, Sort), ArraySort>,
    counts: Vec<Cell<u64>>,
    disabled: u64,
    compares_floats: bool,
    watch: Watch,
}

/// Units of work between two calls of the callback: a fraction of a millisecond.
const LOOK: u32 = 1024;

/// A callback that decides, from time to time, whether work on terms must stop.
#[derive(Default)]
struct Watch {
    /// Units of work since the last call of the callback.
    done: Cell<u32>,
    stopped: Cell<bool>,
    look: Option<Box<dyn Fn() -> bool>>,
}

impl Watch {
    #[cold]
    fn look(&self) {
        self.done.set(0);
        if !self.stopped.get() && self.look.as_ref().is_some_and(|look| look()) {
            self.stopped.set(true);
        }
    }
}

const _: () = assert!(Rule::ALL.len() <= 64, "the set of disabled rules is one word");

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// The term `false` of every pool.
    pub const FALSE: Term = Term(0);
    /// The term `true` of every pool.
    pub const TRUE: Term = Term(1);
    /// The integer 0 of every pool.
    pub const ZERO: Term = Term(2);

    /// A number that is the same for pools in which the same terms were built in the same order, and most likely another one for other
    /// pools. It is computed from all terms and variables.
    pub fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.nodes, &self.sorts, &self.array_sorts).hash(&mut hasher);
        for variable in &self.variables {
            (&variable.name, variable.sort).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// A pool with all rules enabled.
    pub fn new() -> Self {
        let mut pool = Pool {
            nodes: Vec::new(),
            sorts: Vec::new(),
            table: HashTable::new(),
            variables: Vec::new(),
            variable_names: FxHashMap::default(),
            variable_terms: Vec::new(),
            array_sorts: Vec::new(),
            array_sort_ids: FxHashMap::default(),
            counts: vec![Cell::new(0); Rule::ALL.len()],
            disabled: 0,
            compares_floats: false,
            watch: Watch::default(),
        };
        let constants =
            [pool.intern(Node::Bool(false)), pool.intern(Node::Bool(true)), pool.intern(Node::Int(Integer::ZERO))];
        debug_assert_eq!(constants, [Self::FALSE, Self::TRUE, Self::ZERO]);
        pool
    }

    /// An empty pool with some rules disabled.
    pub fn without(rules: &[Rule]) -> Self {
        let mut pool = Pool::new();
        for &rule in rules {
            pool.set_rule(rule, false);
        }
        pool
    }

    /// Calls `look` after every 1024 units of work on terms; work on terms stops once `look` returns true. One
    /// operation of a program can spend a long time building terms, and nothing else would check a clock meanwhile.
    pub fn watch(&mut self, look: impl Fn() -> bool + 'static) {
        self.watch = Watch { look: Some(Box::new(look)), ..Watch::default() };
    }

    /// Whether work on terms must stop. If so, loops over terms end early: their results are then wrong, and the
    /// caller must discard everything that depends on them.
    pub fn is_stopped(&self) -> bool {
        self.watch.stopped.get()
    }

    /// Counts a unit of work: one term built or examined.
    pub fn work(&self) {
        let done = self.watch.done.get() + 1;
        self.watch.done.set(done);
        if done >= LOOK {
            self.watch.look();
        }
    }

    /// Enables or disables a rule for the terms that are built from now on.
    pub fn set_rule(&mut self, rule: Rule, enabled: bool) {
        let bit = 1 << rule as u8;
        self.disabled = if enabled { self.disabled & !bit } else { self.disabled | bit };
    }

    /// How often each rule was applied, in the order of [`Rule::ALL`].
    pub fn rule_counts(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL.iter().copied().zip(self.counts.iter().map(Cell::get))
    }

    /// Whether `rule` is enabled and `matches`, which says whether its pattern matches. Counts the application if so.
    pub(crate) fn fires(&self, rule: Rule, matches: bool) -> bool {
        let fires = matches && self.disabled & (1 << rule as u8) == 0;
        let count = &self.counts[rule as usize];
        count.set(count.get() + fires as u64);
        fires
    }

    /// Number of different terms built so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the pool has no terms; this is never the case, since every pool has its constants.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The outermost level of a term.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.sorts[term.index()]
    }

    /// The term with this node. The node must be in normal form.
    pub(crate) fn intern(&mut self, node: Node) -> Term {
        self.work();
        let hash = FxBuildHasher.hash_one(&node);
        if let Some(&term) = self.table.find(hash, |&term| self.nodes[term.index()] == node) {
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms fit into memory"));
        self.sorts.push(self.sort_of(&node));
        self.compares_floats |= matches!(node, Node::FloatCompare(..) | Node::FloatIsNan(_));
        self.nodes.push(node);
        let nodes = &self.nodes;
        self.table.insert_unique(hash, term, |&term| FxBuildHasher.hash_one(&nodes[term.index()]));
        term
    }

    /// Whether a term of the pool compares floats.
    pub(crate) fn compares_floats(&self) -> bool {
        self.compares_floats
    }

    /// The term with this node, if it was ever built.
    pub(crate) fn find(&self, node: &Node) -> Option<Term> {
        let hash = FxBuildHasher.hash_one(node);
        self.table.find(hash, |&term| self.nodes[term.index()] == *node).copied()
    }

    fn sort_of(&self, node: &Node) -> Sort {
        use crate::term::Conversion;
        use Node::*;
        match node {
            Bool(_)
            | Not(_)
            | And(_)
            | Or(_)
            | Eq(..)
            | LeZero(_)
            | EqZero(_)
            | BvCompare(..)
            | FloatCompare(..)
            | FloatIsNan(_)
            | Quantified { .. } => Sort::Bool,
            Int(_) | Sum(..) | Product(_) | IntDiv(..) | IntMod(..) => Sort::Int,
            Bv { width, .. } => Sort::BitVec(*width),
            Float(format, _) => Sort::Float(*format),
            Var(var) => self.variables[var.0 as usize].sort,
            Ite(_, a, _)
            | BvBinary(_, a, _)
            | BvNot(a)
            | BvNeg(a)
            | FloatBinary(_, a, _)
            | FloatNeg(a)
            | FloatUnary(_, a)
            | Store(a, ..) => self.sort(*a),
            Extract { high, low, .. } => Sort::BitVec(high - low + 1),
            Concat(a, b) => Sort::BitVec(self.width(*a) + self.width(*b)),
            Extend { by, value, .. } => Sort::BitVec(self.width(*value) + by),
            Convert(conversion, _) => match conversion {
                Conversion::IntToBv(width) | Conversion::FloatToBv(width) => Sort::BitVec(*width),
                Conversion::FloatToBits(format) => Sort::BitVec(format.width()),
                Conversion::BvToInt { .. } => Sort::Int,
                Conversion::BvToFloat { format, .. }
                | Conversion::FloatToFloat(format)
                | Conversion::BitsToFloat(format) => Sort::Float(*format),
            },
            Select(array, _) => match self.sort(*array) {
                Sort::Array(sort) => self.array_sorts[sort.0 as usize].1,
                other => other,
            },
            ConstArray(sort, _) => Sort::Array(*sort),
        }
    }

    /// Width of a bit-vector or float term in bits; 0 for other sorts.
    pub fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            Sort::Float(format) => format.width(),
            _ => 0,
        }
    }

    /// The format of a float term; binary64 for other sorts.
    pub(crate) fn float_format(&self, term: Term) -> FloatFormat {
        match self.sort(term) {
            Sort::Float(format) => format,
            _ => FloatFormat::F64,
        }
    }

    /// The sort of arrays from `index` to `value`.
    pub fn array_sort(&mut self, index: Sort, value: Sort) -> Sort {
        let next = ArraySort(self.array_sorts.len() as u32);
        let id = *self.array_sort_ids.entry((index, value)).or_insert(next);
        if id == next {
            self.array_sorts.push((index, value));
        }
        Sort::Array(id)
    }

    /// The sorts of an array's indices and values.
    pub fn array_parts(&self, sort: ArraySort) -> (Sort, Sort) {
        self.array_sorts[sort.0 as usize]
    }

    /// A new variable. If the name is taken, a number is appended to it.
    pub fn fresh_var(&mut self, name: &str, sort: Sort) -> Term {
        let mut unique = name.to_string();
        let mut number = self.variables.len();
        while self.variable_names.contains_key(&unique) {
            unique = format!("{name}#{number}");
            number += 1;
        }
        let id = VarId(self.variables.len() as u32);
        self.variable_names.insert(unique.clone(), id);
        self.variables.push(Variable { name: unique, sort });
        let term = self.intern(Node::Var(id));
        self.variable_terms.push(term);
        term
    }

    /// The name and sort of a variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// The variable as a term.
    pub fn variable_term(&self, id: VarId) -> Term {
        self.variable_terms[id.0 as usize]
    }

    /// All variables in order of creation.
    pub fn variables(&self) -> impl Iterator<Item = (VarId, &Variable)> {
        self.variables.iter().enumerate().map(|(i, v)| (VarId(i as u32), v))
    }

    /// The value of an integer constant, or `None` for other terms.
    pub fn as_int(&self, term: Term) -> Option<&Integer> {
        match self.node(term) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a Boolean constant, or `None` for other terms.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match term {
            Self::TRUE => Some(true),
            Self::FALSE => Some(false),
            _ => None,
        }
    }

    /// The bits of a bit-vector constant, or `None` for other terms.
    pub fn as_bits(&self, term: Term) -> Option<u128> {
        match self.node(term) {
            Node::Bv { bits, .. } => Some(*bits),
            _ => None,
        }
    }

    /// Whether the term is a constant of a scalar sort.
    pub fn is_const(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Bool(_) | Node::Int(_) | Node::Bv { .. } | Node::Float(..))
    }
}
