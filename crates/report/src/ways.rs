//! Shows the necessary conditions of ways through loops.

use crate::answer::{Detail, painted};
use crate::json::PlaceDocument;
use aback_core::{Answer, Question, Verdict};
use aback_ir::Program;
use aback_symbolic::{Along, Iterations, Way};
use serde::Serialize;
use std::fmt::{Result, Write};

/// The ways of an answer as text: what each requires of the iterations of its loops and behind them.
pub fn render_ways(program: &Program, answer: &Answer, detail: Detail) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_ways(&mut out, program, answer, detail);
    out
}

fn write_ways(out: &mut String, program: &Program, answer: &Answer, detail: Detail) -> Result {
    let what = match answer.question {
        Question::Violation => "violates an assertion",
        Question::Reach => "reaches the line",
        Question::Null { .. } => "reaches the line with null",
    };
    for (number, way) in (1..).zip(&answer.ways) {
        writeln!(
            out,
            "{}",
            painted(&format!("an execution that {what} on way {number} satisfies"), "1", detail.color)
        )?;
        for iterations in &way.loops {
            write_iterations(out, program, iterations, 1)?;
        }
        for condition in &way.conditions {
            writeln!(out, "  {condition}")?;
        }
        if way.loops.is_empty() && way.conditions.is_empty() {
            writeln!(out, "  nothing in particular")?;
        }
        if way.is_excluded {
            writeln!(out, "  which is impossible for any numbers of iterations")?;
        }
    }
    if answer.verdict == Verdict::Violated && !answer.ways.is_empty() {
        writeln!(out, "further ways were not looked at")?;
    }
    Ok(())
}

fn write_iterations(out: &mut String, program: &Program, iterations: &Iterations, depth: usize) -> Result {
    let margin = "  ".repeat(depth);
    writeln!(out, "{margin}for the loop at {}:", program.show_span(iterations.place.span))?;
    for Along { counter, before, conditions, loops } in &iterations.backbones {
        let conditions = if conditions.is_empty() { String::new() } else { format!(": {}", conditions.join(" && ")) };
        writeln!(out, "{margin}  {counter} iterations, each behind {before} of them{conditions}")?;
        for inner in loops {
            write_iterations(out, program, inner, depth + 2)?;
        }
    }
    Ok(())
}

/// A way to the places in question.
#[derive(Clone, Serialize, Debug)]
pub struct WayDocument {
    /// The loops on the way, in order.
    pub loops: Vec<LoopDocument>,
    /// What holds behind them.
    pub conditions: Vec<String>,
    /// Whether this is impossible.
    pub excluded: bool,
}

/// A loop that runs any number of times.
#[derive(Clone, Serialize, Debug)]
pub struct LoopDocument {
    /// Its head.
    pub place: PlaceDocument,
    /// The iterations along each way through it.
    pub iterations: Vec<IterationsDocument>,
}

/// The iterations along one way through a loop.
#[derive(Clone, Serialize, Debug)]
pub struct IterationsDocument {
    /// The name of their number.
    pub count: String,
    /// The name of the number of those before one of them.
    pub before: String,
    /// What holds in each of them.
    pub conditions: Vec<String>,
    /// The loops in it.
    pub loops: Vec<LoopDocument>,
}

impl WayDocument {
    pub(crate) fn new(program: &Program, way: &Way) -> Self {
        WayDocument {
            loops: way.loops.iter().map(|iterations| loop_document(program, iterations)).collect(),
            conditions: way.conditions.clone(),
            excluded: way.is_excluded,
        }
    }
}

fn loop_document(program: &Program, iterations: &Iterations) -> LoopDocument {
    let backbones = iterations.backbones.iter().map(|along| IterationsDocument {
        count: along.counter.clone(),
        before: along.before.clone(),
        conditions: along.conditions.clone(),
        loops: along.loops.iter().map(|inner| loop_document(program, inner)).collect(),
    });
    LoopDocument { place: PlaceDocument::of(program, iterations.place.span), iterations: backbones.collect() }
}
