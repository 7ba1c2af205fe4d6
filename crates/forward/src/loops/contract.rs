//! What is known of the calls of a recursive method, and how it is found from samples.

use super::relations::{is_countable, relation};
use crate::engine::Engine;
use crate::state::State;
use aback_heap as heap;
use aback_heap::{Heap, Value};
use aback_ir::{LocalId, MethodId, Type};
use aback_logic::{self as logic, Integer, Node, Pool, Term};
use aback_loops::{Linear, Relation, common_multiples, nearest_to_zero};
use aback_smt::Feasibility;
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

/// Most samples of one contract.
const MOST_SAMPLES: usize = 120;
/// Most conditions of the arguments by which cases are distinguished.
const MOST_ATOMS: usize = 5;
/// Most constants with which numbers are compared.
const MOST_THRESHOLDS: usize = 24;
/// Bounds that have changed more often are given up.
const MOST_CHANGES: u32 = 3;
/// Time limit for each question about a contract.
const AT_ONCE: Duration = Duration::from_millis(200);

/// What is known of a call of a method at any depth, as formulas over variables that stand for its arguments, its result,
/// and places of the heap.
pub(crate) struct Contract {
    pub(super) method: MethodId,
    pub(super) parameters: Vec<Parameter>,
    pub(super) changes: Vec<Change>,
    pub(super) result: Option<(Term, Type)>,
    /// What all calls keep of their arguments.
    pub(super) requires: Vec<Term>,
    /// What holds of all calls that return.
    pub(super) ensures: Term,
    /// The requirements that a nested call does not keep.
    pub(super) broken: RefCell<FxHashSet<Term>>,
}

/// A parameter of calls of any depth.
#[derive(Clone)]
pub(super) enum Parameter {
    /// It is unknown.
    Any(Term, Type),
    /// It is the same in all calls.
    Same(Value),
}

/// A number in the heap that calls change.
#[derive(Clone)]
pub(super) struct Change {
    pub(super) place: heap::Place,
    pub(super) before: Term,
    pub(super) after: Term,
    pub(super) ty: Type,
}

/// What was seen of calls that return.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) samples: Vec<Vec<Integer>>,
    atoms: Vec<Term>,
    pub(super) thresholds: Vec<Integer>,
    /// Relations of which a solver does not know whether they hold, with their cases.
    pub(super) given_up: Vec<(Vec<bool>, Relation)>,
}

impl Contract {
    /// The variables for numbers, in the order of samples: arguments, what was in the heap before and after, and the result.
    fn numbers(&self) -> Vec<(Term, Type)> {
        let arguments = self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Any(term, ty) => Some((*term, *ty)),
            Parameter::Same(_) => None,
        });
        let before = self.changes.iter().map(|change| (change.before, change.ty));
        let after = self.changes.iter().map(|change| (change.after, change.ty));
        let all = arguments.chain(before).chain(after).chain(self.result);
        all.filter(|(_, ty)| is_countable(*ty)).collect()
    }

    /// The variables for arguments that are numbers.
    pub(super) fn arguments(&self) -> Vec<(Term, Type)> {
        let arguments = self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Any(term, ty) if is_countable(*ty) => Some((*term, *ty)),
            _ => None,
        });
        arguments.collect()
    }

    /// The width of the machine integers among the numbers: `Some(None)` if they are unbounded, and `None` if they are of several
    /// types.
    fn width(&self) -> Option<Option<u32>> {
        let mut widths = self.numbers().into_iter().filter_map(|(_, ty)| match ty {
            Type::Machine { width, .. } => Some(Some(u32::from(width))),
            Type::Int => Some(None),
            _ => None,
        });
        let first = widths.next().unwrap_or(None);
        widths.all(|width| width == first).then_some(first)
    }
}

impl<H: Heap> Engine<'_, H> {
    /// Notes the conditions of arguments that the ends of calls depend on, and the constants in all conditions.
    pub(super) fn note_constants(&mut self, start: &State<H>, ends: &[State<H>], contract: &Contract, seen: &mut Seen) {
        let arguments: Vec<Term> = contract.arguments().into_iter().map(|(term, _)| term).collect();
        let known: FxHashSet<Term> = start.path.conjuncts().collect();
        for condition in ends.iter().flat_map(|end| end.path.conjuncts()).filter(|part| !known.contains(part)) {
            let is_argument = |id| arguments.contains(&self.pool.variable_term(id));
            let is_about_arguments = self.pool.free_variables(&[condition]).into_iter().all(is_argument);
            let is_atom = !matches!(self.pool.node(condition), Node::And(_) | Node::Or(_));
            let negated = self.pool.not(condition);
            if is_about_arguments
                && is_atom
                && seen.atoms.len() < MOST_ATOMS
                && !seen.atoms.iter().any(|&atom| atom == condition || atom == negated)
            {
                seen.atoms.push(condition);
            }
        }
        let mut thresholds: FxHashSet<Integer> = seen.thresholds.drain(..).collect();
        thresholds.extend([-1, 0, 1].map(Integer::from));
        let more = self.constants(start, ends);
        let room = MOST_THRESHOLDS.saturating_sub(thresholds.len());
        thresholds.extend(more.into_iter().take(room));
        seen.thresholds = thresholds.into_iter().collect();
        seen.thresholds.sort_unstable();
    }

    pub(super) fn constant(&mut self, number: &Integer, ty: Type) -> Term {
        match ty {
            Type::Machine { width, .. } => self.pool.bv(width.into(), number.to_bits(width.into())),
            Type::Bool => self.pool.bool(!number.is_zero()),
            _ => self.pool.integer(number.clone()),
        }
    }

    /// What the samples and the ends of calls have in common, as a formula. The ends add to the samples.
    pub(super) fn generalised(
        &mut self,
        contract: &Contract,
        ends: &[State<H>],
        result: Option<LocalId>,
        seen: &mut Seen,
    ) -> Option<Term> {
        let width = contract.width();
        let numbers = contract.numbers();
        let mut values_at: Vec<Vec<Term>> = Vec::new();
        for end in ends {
            let mut pairs: Vec<(Term, Term)> = Vec::new();
            for change in &contract.changes {
                pairs.push((change.after, self.number_at(end, change.place)?));
            }
            if let (Some((term, ty)), Some(local)) = (contract.result, result) {
                let value = end.frame.locals[local.index()];
                pairs.push((term, value.to_term(&mut self.pool, ty)));
            }
            let of_end = numbers.iter().map(|&(term, _)| {
                let value = pairs.iter().find(|(variable, _)| *variable == term).map_or(term, |&(_, value)| value);
                self.as_integer(value, width.flatten())
            });
            let mut of_end: Vec<Term> = of_end.collect();
            of_end.push(self.pool.int(1));
            values_at.push(of_end);
        }
        let canonical = numbers.iter().map(|&(term, _)| self.as_integer(term, width.flatten()));
        let mut canonical: Vec<Term> = canonical.collect();
        canonical.push(self.pool.int(1));
        loop {
            let cases = self.cases(contract, seen);
            let mut is_more = false;
            for (end, values) in ends.iter().zip(&values_at) {
                let holds = self.ensured(&cases, values);
                let fails = self.pool.not(holds);
                match self.asked_within(&end.path, fails, AT_ONCE) {
                    Feasibility::Infeasible => {}
                    Feasibility::Feasible(model) => {
                        let mut model = model.try_borrow_mut().ok()?;
                        let number = |&value: &Term| match model.value(&self.pool, value)? {
                            logic::Value::Int(number) => Some(number),
                            _ => None,
                        };
                        let sample: Vec<Integer> = values.iter().map(number).collect::<Option<_>>()?;
                        if seen.samples.contains(&sample) {
                            return None;
                        }
                        seen.samples.push(sample);
                        is_more = true;
                        break;
                    }
                    Feasibility::Unknown(_) => {
                        let mut is_given_up = false;
                        for case in &cases {
                            for relation in &case.relations {
                                let holds = relation.between(&mut self.pool, values);
                                let fails = self.pool.not(holds);
                                let fails = self.pool.and(case.guard, fails);
                                if !self.excludes(&end.path, fails) {
                                    seen.given_up.push((case.key.clone(), relation.clone()));
                                    is_given_up = true;
                                }
                            }
                        }
                        if !is_given_up {
                            return None;
                        }
                        is_more = true;
                        break;
                    }
                }
            }
            if seen.samples.len() > MOST_SAMPLES || seen.given_up.len() > MOST_SAMPLES || self.is_out_of_time() {
                return None;
            }
            if !is_more {
                return Some(self.ensured(&cases, &canonical));
            }
        }
    }

    /// What samples have in common, for those that agree in the conditions of arguments.
    fn cases(&mut self, contract: &Contract, seen: &Seen) -> Vec<Case> {
        let arguments = contract.arguments();
        let mut cases: BTreeMap<Vec<bool>, Vec<Vec<Integer>>> = BTreeMap::new();
        for sample in &seen.samples {
            let pairs: Vec<(Term, Term)> =
                arguments.iter().zip(sample).map(|(&(term, ty), number)| (term, self.constant(number, ty))).collect();
            let key = seen.atoms.iter().map(|&atom| self.pool.substitute(atom, &pairs) == Pool::TRUE);
            let key = key.collect();
            cases.entry(key).or_default().push(sample.clone());
        }
        let mut found = Vec::new();
        for (key, samples) in cases {
            let literals = seen.atoms.iter().zip(&key);
            let literals = literals.map(|(&atom, &holds)| if holds { atom } else { self.pool.not(atom) });
            let literals: Vec<Term> = literals.collect();
            let guard = self.pool.and_all(&literals);
            let mut relations = common(contract, &samples, &seen.thresholds);
            relations.retain(|relation| {
                !seen.given_up.iter().any(|(given_up_in, given_up)| *given_up_in == key && given_up == relation)
            });
            found.push(Case { key, guard, relations });
        }
        found
    }

    /// That one of the cases applies to numbers, and what it says.
    fn ensured(&mut self, cases: &[Case], numbers: &[Term]) -> Term {
        let guards: Vec<Term> = cases.iter().map(|case| case.guard).collect();
        let mut all = vec![self.pool.or_all(&guards)];
        for case in cases {
            let relations: Vec<Term> =
                case.relations.iter().map(|relation| relation.between(&mut self.pool, numbers)).collect();
            let (holds, other) = (self.pool.and_all(&relations), self.pool.not(case.guard));
            all.push(self.pool.or(other, holds));
        }
        self.pool.and_all(&all)
    }
}

/// What holds of calls whose arguments satisfy a condition.
struct Case {
    /// The truth values of the conditions of arguments.
    key: Vec<bool>,
    guard: Term,
    relations: Vec<Relation>,
}

/// The relations that samples of calls have in common: linear equations and congruences, and bounds of results and of how much they
/// differ from arguments.
fn common(contract: &Contract, samples: &[Vec<Integer>], thresholds: &[Integer]) -> Vec<Relation> {
    let mut found = Vec::new();
    let numbers = contract.numbers();
    if let Some(width) = contract.width() {
        let rows: Vec<Vec<Integer>> = match width {
            Some(width) => {
                let of = Integer::power_of_two(width);
                samples
                    .iter()
                    .map(|sample| sample.iter().map(|number| nearest_to_zero(number, &of)).collect())
                    .collect()
            }
            None => samples.to_vec(),
        };
        found.extend(common_multiples(&rows).into_iter().filter_map(|multiple| relation(multiple, width)));
    }
    let (inputs, outputs) = (contract.arguments().len(), numbers.len());
    let changes = contract.changes.iter().filter(|change| is_countable(change.ty)).count();
    let one = Integer::ONE;
    let minus = -&one;
    let mut forms: Vec<Linear> = Vec::new();
    for output in inputs + changes..outputs {
        forms.push(vec![(one.clone(), output)]);
        let is_result = output == inputs + 2 * changes;
        let against = if is_result { 0..inputs } else { output - changes..output - changes + 1 };
        let differences =
            against.filter(|&input| numbers[input].1 == numbers[output].1 && numbers[input].1 != Type::Bool);
        forms.extend(differences.map(|input| vec![(one.clone(), output), (minus.clone(), input)]));
    }
    for form in forms {
        let value = |sample: &Vec<Integer>| {
            form.iter().fold(Integer::ZERO, |sum, (factor, at)| &sum + &(factor * &sample[*at]))
        };
        let values: Vec<Integer> = samples.iter().map(value).collect();
        let above = |value: &Integer| thresholds.iter().position(|threshold| value <= threshold);
        let below = |value: &Integer| thresholds.iter().rposition(|threshold| threshold <= value);
        if let Some(at) = settled(values.iter().map(above), Option::max) {
            found.push(Relation::Limited(form.clone(), thresholds[at].clone()));
        }
        if let Some(at) = settled(values.iter().map(below), Option::min) {
            let negated = form.iter().map(|(factor, at)| (-factor, *at)).collect();
            found.push(Relation::Limited(negated, -&thresholds[at]));
        }
    }
    found
}

/// The extreme of positions, in the order in which they were found. `None` if one has none, or if the extreme has changed often: it
/// would change with each sample.
fn settled(
    positions: impl Iterator<Item = Option<usize>>,
    extreme: fn(Option<usize>, Option<usize>) -> Option<usize>,
) -> Option<usize> {
    let (mut last, mut changes) = (None, 0);
    for position in positions {
        position?;
        let next = if last.is_none() { position } else { extreme(last, position) };
        changes += u32::from(next != last);
        last = next;
    }
    last.filter(|_| changes <= MOST_CHANGES)
}
