//! Measures questions about machine integers, asked as bit-vectors and as integers. The results are in
//! `docs/measurements.md`.
//!
//! `cargo run --release -p aback-smt --example integers [NAME…]` runs only the questions whose name contains a given
//! name.

use aback_logic::{BvOp, BvOrder, Pool, Sort, Term};
use aback_smt::{Chain, Config, Feasibility, PathCondition};
use std::time::{Duration, Instant};

/// Formulas over machine integers of one width.
struct Program {
    pool: Pool,
    width: u32,
    path: Vec<Term>,
}

impl Program {
    fn new(width: u32) -> Program {
        Program { pool: Pool::new(), width, path: Vec::new() }
    }

    fn inputs(&mut self, number: usize) -> Vec<Term> {
        (0..number).map(|_| self.pool.fresh_var("x", Sort::BitVec(self.width))).collect()
    }

    fn int(&mut self, value: i64) -> Term {
        self.pool.bv(self.width, i128::from(value) as u128)
    }

    fn add(&mut self, a: Term, b: Term) -> Term {
        self.pool.bv_binary(BvOp::Add, a, b)
    }

    /// An operator applied to a term and a constant.
    fn by(&mut self, op: BvOp, a: Term, constant: i64) -> Term {
        let constant = self.int(constant);
        self.pool.bv_binary(op, a, constant)
    }

    fn total(&mut self, parts: &[Term]) -> Term {
        let zero = self.int(0);
        parts.iter().fold(zero, |sum, &part| self.add(sum, part))
    }

    fn less(&mut self, a: Term, b: Term) -> Term {
        self.pool.bv_compare(BvOrder::SLt, a, b)
    }

    fn less_equal(&mut self, a: Term, b: Term) -> Term {
        self.pool.bv_compare(BvOrder::SLe, a, b)
    }

    fn assume(&mut self, formula: Term) {
        self.path.push(formula);
    }

    fn assume_within(&mut self, a: Term, low: i64, high: i64) {
        let (low, high) = (self.int(low), self.int(high));
        let (above, below) = (self.less_equal(low, a), self.less_equal(a, high));
        self.path.extend([above, below]);
    }

    fn assume_is(&mut self, a: Term, value: i64) {
        let value = self.int(value);
        let equal = self.pool.eq(a, value);
        self.assume(equal);
    }

    fn chars(&mut self, number: usize) -> Vec<Term> {
        let width = self.width;
        (0..number)
            .map(|_| {
                let char = self.pool.fresh_var("c", Sort::BitVec(16));
                self.pool.resize(width, false, char)
            })
            .collect()
    }
}

/// Each of `n` references increments the count of the node to which it refers. The question is whether two different
/// nodes can have counts of at least `most`. Reads are expanded over the writes.
fn in_degree(p: &mut Program, n: usize, most: i64) {
    let (references, nodes) = (p.inputs(n), p.inputs(n));
    let zero = p.int(0);
    let mut writes: Vec<(Term, Term)> = Vec::new();
    let read = |p: &mut Program, at: Term, writes: &[(Term, Term)]| {
        let counts = nodes.iter().map(|&node| (node, zero)).chain(writes.iter().copied());
        counts.fold(zero, |value, (written, count)| {
            let same = p.pool.eq(written, at);
            p.pool.ite(same, count, value)
        })
    };
    for &reference in &references {
        let old = read(p, reference, &writes);
        let new = p.by(BvOp::Add, old, 1);
        writes.push((reference, new));
    }
    let same = p.pool.eq(references[0], references[n - 1]);
    let differ = p.pool.not(same);
    p.assume(differ);
    for node in [references[0], references[n - 1]] {
        let (count, most) = (read(p, node, &writes), p.int(most));
        let reached = p.less_equal(most, count);
        p.assume(reached);
    }
}

/// Ordered values within bounds, whose sum is a given number or at least `n` times the largest value.
fn sum(p: &mut Program, n: usize, possible: bool) {
    let values = p.inputs(n);
    for &value in &values {
        p.assume_within(value, 0, 1000);
    }
    for pair in values.windows(2) {
        let ordered = p.less(pair[0], pair[1]);
        p.assume(ordered);
    }
    let total = p.total(&values);
    if possible {
        p.assume_is(total, n as i64 * 500 + 7);
    } else {
        let most = p.by(BvOp::Mul, values[n - 1], n as i64);
        let beyond = p.less_equal(most, total);
        p.assume(beyond);
    }
}

/// Positive values whose sum is negative.
fn overflow(p: &mut Program, n: usize, possible: bool) {
    let (values, zero) = (p.inputs(n), p.int(0));
    let mut total = zero;
    for (place, &value) in values.iter().enumerate() {
        let positive = p.less(zero, value);
        p.assume(positive);
        total = p.add(total, value);
        if place > 0 && !possible {
            let grows = p.less(value, total);
            p.assume(grows);
        }
    }
    let negative = p.less(total, zero);
    p.assume(negative);
}

/// `h = 31 * h + c` over lower-case letters or arbitrary values.
fn hash_of(p: &mut Program, n: usize, letters: bool) -> Term {
    let mut hash = p.int(0);
    for value in p.inputs(n) {
        if letters {
            p.assume_within(value, 97, 122);
        }
        let scaled = p.by(BvOp::Mul, hash, 31);
        hash = p.add(scaled, value);
    }
    hash
}

/// Such a hash equals a given number.
fn hash(p: &mut Program, n: usize, letters: bool, is: i64) {
    let hash = hash_of(p, n, letters);
    p.assume_is(hash, is);
}

/// The last four bits of such a hash are at least a given number.
fn bucket(p: &mut Program, n: usize, least: i64) {
    let hash = hash_of(p, n, true);
    let (least, bucket) = (p.int(least), p.by(BvOp::And, hash, 15));
    let reached = p.less_equal(least, bucket);
    p.assume(reached);
}

/// The sum of the digits of a non-negative number.
fn digits(p: &mut Program, n: usize, is: i64) {
    let mut rest = p.inputs(1)[0];
    let zero = p.int(0);
    let not_negative = p.less_equal(zero, rest);
    p.assume(not_negative);
    let mut digits = Vec::new();
    for _ in 0..n {
        digits.push(p.by(BvOp::SRem, rest, 10));
        rest = p.by(BvOp::SDiv, rest, 10);
    }
    let total = p.total(&digits);
    p.assume_is(total, is);
}

/// The value of a string of digits.
fn parse(p: &mut Program, n: usize, possible: bool) {
    let mut number = p.int(0);
    for char in p.chars(n) {
        p.assume_within(char, 48, 57);
        let digit = p.by(BvOp::Add, char, -48);
        let scaled = p.by(BvOp::Mul, number, 10);
        number = p.add(scaled, digit);
    }
    let most = 10i64.pow(n as u32) - 1;
    if possible {
        p.assume_is(number, most / 3 * 2);
    } else {
        let limit = p.int(most);
        let beyond = p.less(limit, number);
        p.assume(beyond);
    }
}

/// `(char) (c - 32)` of lower-case letters never makes a string larger.
fn upper_case(p: &mut Program, n: usize) {
    let width = p.width;
    let mut letters = Vec::new();
    for char in p.chars(n) {
        let (first, last) = (p.int(97), p.int(122));
        let (above, below) = (p.less_equal(first, char), p.less_equal(char, last));
        let is_lower = p.pool.and(above, below);
        let upper = p.by(BvOp::Add, char, -32);
        let upper = p.pool.extract(15, 0, upper);
        let upper = p.pool.resize(width, false, upper);
        let letter = p.pool.ite(is_lower, upper, char);
        p.assume_within(letter, 65, 97);
        letters.push(letter);
    }
    let total = p.total(&letters);
    let limit = p.int(97 * n as i64);
    let beyond = p.less(limit, total);
    p.assume(beyond);
}

/// Indices within an array of unknown length, by unsigned comparison, each greater than the one before.
fn indices(p: &mut Program, n: usize) {
    let length = p.inputs(1)[0];
    p.assume_within(length, 0, 100);
    let indices = p.inputs(n);
    for &index in &indices {
        let inside = p.pool.bv_compare(BvOrder::ULt, index, length);
        p.assume(inside);
    }
    for pair in indices.windows(2) {
        let step = p.pool.bv_sub(pair[1], pair[0]);
        p.assume_within(step, 1, 100);
    }
    let distance = p.pool.bv_sub(indices[n - 1], indices[0]);
    let least = p.int(n as i64 - 1);
    let closer = p.less(distance, least);
    p.assume(closer);
}

/// The middle of two bounds, by a division that may overflow or by a shift that is always correct.
fn middle(p: &mut Program, shift: bool) {
    let bounds = p.inputs(2);
    let zero = p.int(0);
    let (first, second) = (p.less_equal(zero, bounds[0]), p.less_equal(bounds[0], bounds[1]));
    p.path.extend([first, second]);
    let total = p.total(&bounds);
    let middle = if shift { p.by(BvOp::LShr, total, 1) } else { p.by(BvOp::SDiv, total, 2) };
    let (below, above) = (p.less(middle, bounds[0]), p.less(bounds[1], middle));
    let outside = p.pool.or(below, above);
    p.assume(outside);
}

/// A position in a ring of unknown size that moves on, at most all around: whether it is in the ring, or whether it can come to a given place.
fn ring(p: &mut Program, steps: i64, possible: bool) {
    let parts = p.inputs(2);
    let (head, size) = (parts[0], parts[1]);
    p.assume_within(size, steps, 1_000_000);
    let (zero, inside) = (p.int(0), p.less(head, size));
    let not_negative = p.less_equal(zero, head);
    p.path.extend([not_negative, inside]);
    let next = p.by(BvOp::Add, head, steps);
    let next = p.pool.bv_binary(BvOp::SRem, next, size);
    if possible {
        p.assume_is(next, 4711);
    } else {
        let (below, above) = (p.less(next, zero), p.less_equal(size, next));
        let outside = p.pool.or(below, above);
        p.assume(outside);
    }
}

/// A number that is shared among several, of any sign: whether the shares and the rest, rounded down, are the whole.
fn shares(p: &mut Program, most: i64, possible: bool) {
    let parts = p.inputs(2);
    let (whole, number) = (parts[0], parts[1]);
    p.assume_within(number, 1, most);
    let (share, rest) = (p.pool.bv_binary(BvOp::SDiv, whole, number), p.pool.bv_binary(BvOp::SRem, whole, number));
    let (zero, less) = (p.int(0), p.by(BvOp::Add, share, -1));
    let (is_negative, more) = (p.less(rest, zero), p.add(rest, number));
    let (share, rest) = (p.pool.ite(is_negative, less, share), p.pool.ite(is_negative, more, rest));
    let product = p.pool.bv_binary(BvOp::Mul, share, number);
    let sum = p.add(product, rest);
    if possible {
        p.assume_is(sum, 1_000_000);
        p.assume_is(rest, most / 2);
    } else {
        let equal = p.pool.eq(sum, whole);
        let differ = p.pool.not(equal);
        p.assume(differ);
    }
}

/// The median time of the last question of the path in milliseconds, and the answer.
fn time(build: &dyn Fn(&mut Program), width: u32, integers: bool) -> (f64, &'static str) {
    let mut times = Vec::new();
    let mut answer = "";
    for seed in 0..3 {
        let mut program = Program::new(width);
        build(&mut program);
        let config = Config { integers, seed, check_timeout: Duration::from_secs(20), ..Config::plain() };
        let mut chain = Chain::new(&config).expect("Z3 is linked in");
        // A separate question starts the solver.
        let warm = program.inputs(1)[0];
        let zero = program.int(0);
        let warm = program.pool.eq(warm, zero);
        chain.check(&mut program.pool, &PathCondition::new(), warm);
        let mut path = PathCondition::new();
        let Some((last, before)) = program.path.split_last() else { break };
        for &formula in before {
            path.assume(&mut program.pool, formula).expect("only the last formula contradicts");
        }
        let start = Instant::now();
        answer = match chain.check(&mut program.pool, &path, *last) {
            Feasibility::Feasible(_) => "sat",
            Feasibility::Infeasible => "unsat",
            Feasibility::Unknown(_) => "unknown",
        };
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if times[0] > 5e3 {
            break;
        }
    }
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], answer)
}

/// A name, the width of integers, and a function that builds the formulas.
type Task = (String, u32, Box<dyn Fn(&mut Program)>);

fn tasks() -> Vec<Task> {
    let mut tasks: Vec<Task> = Vec::new();
    let mut add = |name: String, width: u32, build: Box<dyn Fn(&mut Program)>| tasks.push((name, width, build));
    for n in [4, 6, 8, 10, 12] {
        add(format!("in-degree {n}, too much"), 32, Box::new(move |p| in_degree(p, n, n as i64 / 2 + 1)));
        add(format!("in-degree {n}"), 32, Box::new(move |p| in_degree(p, n, n as i64 / 2)));
    }
    for (n, width) in [(5, 32), (10, 32), (20, 32), (5, 64), (10, 64)] {
        add(format!("sum of {n}, {width} bits, too much"), width, Box::new(move |p| sum(p, n, false)));
        add(format!("sum of {n}, {width} bits"), width, Box::new(move |p| sum(p, n, true)));
    }
    for (n, width) in [(3, 32), (6, 32), (12, 32), (3, 64), (6, 64)] {
        add(format!("overflow of {n}, {width} bits, none"), width, Box::new(move |p| overflow(p, n, false)));
        add(format!("overflow of {n}, {width} bits"), width, Box::new(move |p| overflow(p, n, true)));
    }
    for (n, width) in [(3, 32), (6, 32), (12, 32), (3, 64), (6, 64)] {
        add(format!("hash of {n}, {width} bits"), width, Box::new(move |p| hash(p, n, false, 1_234_567)));
    }
    for (n, is) in [(3, 1_234_567), (5, 1_234_567), (5, 99_162_322), (8, 1_216_985_755)] {
        add(format!("hash of {n} letters = {is}"), 32, Box::new(move |p| hash(p, n, true, is)));
    }
    for n in [3, 6, 10] {
        add(format!("bucket of {n} letters, too much"), 32, Box::new(move |p| bucket(p, n, 16)));
        add(format!("bucket of {n} letters"), 32, Box::new(move |p| bucket(p, n, 15)));
    }
    for (n, is, width) in [(3, 20, 32), (4, 37, 32), (6, 40, 32), (8, 60, 32), (4, 37, 64), (6, 40, 64)] {
        add(format!("{n} digits, {width} bits, sum {is}"), width, Box::new(move |p| digits(p, n, is)));
    }
    for n in [3, 6, 9] {
        add(format!("parse {n} chars, too much"), 32, Box::new(move |p| parse(p, n, false)));
        add(format!("parse {n} chars"), 32, Box::new(move |p| parse(p, n, true)));
    }
    for n in [2, 4, 8] {
        add(format!("upper case of {n} chars"), 32, Box::new(move |p| upper_case(p, n)));
        add(format!("{n} indices without sign"), 32, Box::new(move |p| indices(p, n)));
    }
    for (steps, width) in [(1, 32), (100, 32), (1, 64)] {
        add(format!("ring, {steps} steps, {width} bits, outside"), width, Box::new(move |p| ring(p, steps, false)));
        add(format!("ring, {steps} steps, {width} bits"), width, Box::new(move |p| ring(p, steps, true)));
    }
    for (most, width) in [(10, 32), (1000, 32), (1000, 64)] {
        add(format!("shares of {most}, {width} bits, lost"), width, Box::new(move |p| shares(p, most, false)));
        add(format!("shares of {most}, {width} bits"), width, Box::new(move |p| shares(p, most, true)));
    }
    for width in [32, 64] {
        add(format!("middle by division, {width} bits"), width, Box::new(|p| middle(p, false)));
        add(format!("middle by shift, {width} bits"), width, Box::new(|p| middle(p, true)));
    }
    tasks
}

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let mut ratios = Vec::new();
    println!("{:<36}{:>14}{:>14}{:>10}", "", "bit-vectors", "integers", "ratio");
    for (name, width, build) in tasks() {
        if !names.is_empty() && !names.iter().any(|part| name.contains(part)) {
            continue;
        }
        let ((bits, answer), (integers, other)) = (time(&*build, width, false), time(&*build, width, true));
        assert!(answer == other || [answer, other].contains(&"unknown"), "{name}: {answer} and {other}");
        println!("{name:<36}{bits:>11.1} ms{integers:>11.1} ms{:>10.1}  {answer} {other}", bits / integers);
        ratios.push(bits / integers);
    }
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        println!("median ratio {median:.1} of {}", ratios.len());
    }
}
