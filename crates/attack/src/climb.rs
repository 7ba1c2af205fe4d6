//! Brings inputs nearer to code that no run has reached: of each condition that has had only one outcome so far, the inputs
//! that came nearest to the other one are changed further (search-based testing; McMinn, "Search-based software test data
//! generation: a survey", 2004).

use crate::distance::distance;
use aback_ir::{ExprId, MethodId, OpKind, Point, Program, TerminatorKind};
use aback_witness::{InputValue, Inputs, Place, State};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Most outcomes for which inputs are kept.
const MOST_GOALS: usize = 48;

/// An outcome of a condition.
type Side = (MethodId, Point, bool);

/// The conditions that a run comes to, with the outcomes that no run has seen.
#[derive(Default)]
pub(crate) struct Conditions {
    open: FxHashMap<(MethodId, Point), Open>,
    /// How near this run has come to outcomes that no run has seen.
    nearest: FxHashMap<Side, f64>,
    /// The outcomes that this run has seen first.
    seen: Vec<Side>,
}

struct Open {
    condition: ExprId,
    /// Whether it has been false, and true.
    seen: [bool; 2],
}

impl Conditions {
    /// Begins a run.
    pub(crate) fn begin(&mut self) {
        self.nearest.clear();
        self.seen.clear();
    }

    /// Notes a place that no run has come to before.
    pub(crate) fn add(&mut self, program: &Program, place: Place) {
        let block = program.body(place.method).and_then(|body| body.blocks.get(place.point.block.index()));
        let Some(block) = block else { return };
        let found = match (block.ops.get(place.point.op as usize).map(|op| &op.kind), &block.terminator.kind) {
            // That it holds is nothing new.
            (Some(&OpKind::Assert { condition, .. }), _) => Some((condition, [false, true])),
            // A run ends where it does not.
            (Some(&OpKind::Assume { condition }), _) => Some((condition, [true, false])),
            (None, &TerminatorKind::Branch { condition, .. }) => Some((condition, [false, false])),
            _ => None,
        };
        if let Some((condition, seen)) = found {
            self.open.insert((place.method, place.point), Open { condition, seen });
        }
    }

    /// Measures the condition at a place.
    pub(crate) fn measure(&mut self, state: &State<'_>, place: Place) {
        let Some(open) = self.open.get_mut(&(place.method, place.point)) else { return };
        let (Some(body), Some(frame)) = (state.program().body(place.method), state.top()) else { return };
        for outcome in [false, true] {
            if open.seen[usize::from(outcome)] {
                continue;
            }
            let side = (place.method, place.point, outcome);
            match distance(body, open.condition, outcome, frame.locals) {
                Some(0.0) => {
                    open.seen[usize::from(outcome)] = true;
                    self.seen.push(side);
                }
                Some(missing) => {
                    let nearest = self.nearest.entry(side).or_insert(missing);
                    *nearest = nearest.min(missing);
                }
                None => {}
            }
        }
        if open.seen == [true, true] {
            self.open.remove(&(place.method, place.point));
        }
    }

    /// Whether this run has seen an outcome that no earlier run has seen.
    pub(crate) fn has_new(&self) -> bool {
        !self.seen.is_empty()
    }
}

/// The inputs that came nearest to outcomes that no run has seen.
#[derive(Default)]
pub(crate) struct Climb {
    goals: Vec<Goal>,
    /// The last change that brought a run nearer, to be made again elsewhere.
    momentum: Option<Change>,
}

/// A change of values in inputs.
#[derive(Clone)]
pub(crate) struct Change {
    /// The values that are changed.
    pub(crate) from: InputValue,
    /// What they become.
    pub(crate) to: InputValue,
    /// How many of them.
    pub(crate) times: usize,
}

struct Goal {
    side: Side,
    distance: f64,
    inputs: Rc<Inputs>,
    /// Number of changes that brought nothing.
    tries: u32,
}

impl Climb {
    /// Notes what a run has measured on inputs in which this was changed.
    pub(crate) fn note(&mut self, conditions: &Conditions, inputs: &Inputs, change: Option<Change>) {
        let mut is_any_nearer = false;
        self.goals.retain(|goal| !conditions.seen.contains(&goal.side));
        let mut shared: Option<Rc<Inputs>> = None;
        let mut nearest: Vec<(&Side, &f64)> = conditions.nearest.iter().collect();
        nearest.sort_unstable_by_key(|(side, _)| **side);
        for (&side, &distance) in nearest {
            if conditions.seen.contains(&side) {
                continue;
            }
            let known = self.goals.iter().position(|goal| goal.side == side);
            let is_nearer = match known {
                Some(at) => distance < self.goals[at].distance,
                None => self.goals.len() < MOST_GOALS,
            };
            if is_nearer {
                is_any_nearer |= known.is_some();
                let inputs = Rc::clone(shared.get_or_insert_with(|| Rc::new(inputs.clone())));
                let goal = Goal { side, distance, inputs, tries: 0 };
                match known {
                    Some(at) => self.goals[at] = goal,
                    None => self.goals.push(goal),
                }
            }
        }
        if let Some(Change { from, to, times }) = change {
            let times = if is_any_nearer { times * 2 } else { times / 2 };
            let is_repeated = self.momentum.as_ref().is_some_and(|last| last.from == from && last.to == to);
            if is_any_nearer || is_repeated {
                self.momentum = (times > 0).then_some(Change { from, to, times });
            }
        }
    }

    /// The last change that brought a run nearer.
    pub(crate) fn momentum(&self) -> Option<&Change> {
        self.momentum.as_ref()
    }

    /// Inputs to change, and what is missing: those for which the fewest changes have brought nothing.
    pub(crate) fn next(&mut self) -> Option<(Rc<Inputs>, f64)> {
        let goal = self.goals.iter_mut().min_by_key(|goal| goal.tries)?;
        goal.tries += 1;
        Some((Rc::clone(&goal.inputs), goal.distance))
    }
}
