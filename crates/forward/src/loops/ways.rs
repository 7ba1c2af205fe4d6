//! Shows the necessary conditions of paths with summarised loops (paper 5's abstract path conditions).

use super::unrolling::{Passed, Trail};
use crate::engine::Engine;
use crate::state::State;
use aback_heap::Heap;
use aback_logic::{Node, Term};
use aback_loops::{Iterated, Looping};
use aback_smt::{PathCondition, script};
use aback_symbolic::{Along, Iterations, Way};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of variables.
type Names = FxHashMap<Term, String>;

impl<H: Heap> Engine<'_, H> {
    /// Shows a way to a place that is in question where `violating` holds. `path` is the condition that was looked at.
    pub(super) fn way(&mut self, state: &State<H>, path: &PathCondition, violating: Term, is_excluded: bool) -> Way {
        let mut names = Names::default();
        let mut count = 0;
        let loops = self.shown_loops(&state.summarised.passed, &mut names, &mut count);
        let conditions: Vec<Term> = state.path.conjuncts().chain([violating]).collect();
        let conditions = self.shown(&conditions, &state.summarised.passed, &names);
        let formulas: Vec<Term> = path.conjuncts().chain([violating]).collect();
        let script = script(&self.pool, &formulas, None).unwrap_or_else(|reason| format!("; not written: {reason}\n"));
        Way { loops, conditions, is_excluded, script }
    }

    /// Shows loops, and names their counters and the variables behind them.
    fn shown_loops(&mut self, passed: &[Passed], names: &mut Names, count: &mut usize) -> Vec<Iterations> {
        let mut loops = Vec::new();
        for passed in passed {
            let looping = &passed.looping;
            let first = *count + 1;
            *count += looping.counters().len();
            let counters = |letter: &str| -> Names {
                let numbered = looping.counters().iter().zip(first..);
                numbered.map(|(&counter, number)| (counter, format!("{letter}{number}"))).collect()
            };
            let mut here = names.clone();
            here.extend(counters("τ"));
            names.extend(counters("κ"));
            self.name_values(passed, looping, &mut here, |variable| looping.changed()[variable].start);
            self.name_values(passed, looping, names, |variable| looping.behind()[variable]);
            let mut backbones = Vec::new();
            for (trail, number) in passed.iterations.iter().zip(first..) {
                let mut inside = here.clone();
                let Trail { condition, passed, .. } = trail;
                let loops = self.shown_loops(passed, &mut inside, count);
                let conditions = self.shown(condition, passed, &inside);
                backbones.push(Along {
                    counter: format!("κ{number}"),
                    before: format!("τ{number}"),
                    conditions,
                    loops,
                });
            }
            loops.push(Iterations { place: passed.place, backbones });
        }
        loops
    }

    /// Names the values of variables that a loop changes.
    fn name_values(&mut self, passed: &Passed, looping: &Looping, names: &mut Names, value: impl Fn(usize) -> Term) {
        for (variable, known) in looping.values().iter().enumerate() {
            let value = value(variable);
            if !matches!(self.pool.node(value), Node::Var(_)) {
                continue;
            }
            let name = match *known {
                Iterated::Unknown => passed.names[variable].clone(),
                Iterated::Term(term) | Iterated::Exact(term) => {
                    let shown = self.input.show_term(&self.pool, self.program, term, &|term| names.get(&term).cloned());
                    if shown.contains(' ') { format!("({shown})") } else { shown }
                }
            };
            names.insert(value, name);
        }
    }

    /// The conditions for users, each once, without what they say of single iterations of the loops on the way.
    fn shown(&mut self, conditions: &[Term], passed: &[Passed], names: &Names) -> Vec<String> {
        let known: FxHashSet<Term> = passed.iter().flat_map(|passed| passed.facts.iter().copied()).collect();
        let mut shown: Vec<String> = Vec::new();
        let mut pending: Vec<Term> =
            conditions.iter().rev().copied().filter(|condition| !known.contains(condition)).collect();
        while let Some(condition) = pending.pop() {
            if let Node::Not(inner) = *self.pool.node(condition)
                && let Node::Or(parts) = self.pool.node(inner)
            {
                let parts: Vec<Term> = parts.iter().rev().copied().collect();
                pending.extend(parts.into_iter().map(|part| self.pool.not(part)));
                continue;
            }
            if !self.input.is_about_values(&mut self.pool, self.program, condition) {
                continue;
            }
            let text = self.input.show_term(&self.pool, self.program, condition, &|term| names.get(&term).cloned());
            let text = without_brackets(&text).to_string();
            if !shown.contains(&text) {
                shown.push(text);
            }
        }
        shown
    }
}

/// A condition without brackets around the whole of it.
fn without_brackets(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut depth = 0;
    for letter in inner.chars() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth < 0 {
            return text;
        }
    }
    inner
}
