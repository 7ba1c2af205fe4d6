//! Defines the options about engines, and which of them an engine has.

use super::{CheckArgs, count, seconds};
use aback_core::Rule;
use aback_forward::Pruning;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the engine.
#[derive(Args, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// Whether to search forward from the entry point, or backward from the target of the question
    #[arg(long, value_enum, value_name = "ENGINE", default_value = "forward")]
    pub engine: EngineArg,
    /// Backward: how conditions are carried to the entry point [default: conj-never]
    #[arg(long, value_enum, value_name = "HOW")]
    pub backward: Option<BackwardArg>,
    /// Backward: how conditions encode the heap [default: reads]
    #[arg(long, value_enum, value_name = "HOW")]
    pub encoding: Option<EncodingArg>,
    /// Backward: do not use facts from the forward unwinding
    #[arg(long)]
    pub no_facts: bool,
    /// Backward: do not use facts from branches (intervals, conditions that are known)
    #[arg(long)]
    pub no_branch_facts: bool,
    /// Do not leave out code that is irrelevant to the question
    #[arg(long)]
    pub no_slice: bool,
    /// Backward: do not initialize platform classes at the start
    #[arg(long)]
    pub no_hoisting: bool,
    /// Backward: do not learn from contradictory paths in a search path by path
    #[arg(long)]
    pub no_learning: bool,
    /// Most iterations of a loop; backward, also most activations of a recursive method [default: as many as necessary]
    #[arg(long, value_name = "N")]
    pub unwind: Option<u32>,
    /// Backward: print the condition at each node
    #[arg(long)]
    pub show_conditions: bool,
    /// Most threads that search at the same time; with one, the search does not depend on which thread is faster [default: one
    /// for each core]
    #[arg(long, value_name = "N", value_parser = count)]
    pub jobs: Option<NonZeroUsize>,
    /// Do not attack proofs by concrete runs, and do not begin `auto` with concrete runs
    #[arg(long)]
    pub no_attack: bool,
    /// Forward: which path is continued next [default: breadth]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub search: Option<SearchArg>,
    /// Forward: when the solver checks whether branches are feasible: never, constant, probabilistic, adaptive, eager, or
    /// P,A: with a probability, and how much this changes with the success of a check [default: constant]
    #[arg(long, value_name = "WHEN", value_parser = pruning)]
    pub prune: Option<Pruning>,
    /// Forward: where the pseudorandom numbers of `--search random` and `--prune` start
    #[arg(long, value_name = "N", default_value = "0")]
    pub seed: u64,
    /// Forward: whether states that meet become one [default: auto]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub merge: Option<MergeArg>,
    /// Forward: follow paths also where control flow and constants show that no violation is ahead
    #[arg(long)]
    pub no_ahead: bool,
    /// Forward: what becomes of a reference that may be one of a few allocated objects [default: split]
    #[arg(long, value_enum, value_name = "HOW")]
    pub choices: Option<ChoicesArg>,
    /// Forward: whether paths are dropped that go on like others did from the same place [default: auto]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub subsume: Option<SubsumeArg>,
    /// What is asked about loops while the engines unwind them: nothing, or what all iterations imply [default: light, if
    /// the engines do not answer soon, and off for the backward engine alone]
    #[arg(long, value_enum, value_name = "HOW")]
    pub loops: Option<LoopsArg>,
    /// In which form the conditions of all iterations of loops are asked about
    #[arg(long, value_enum, value_name = "WHICH", default_value_t = LoopConditionsArg::Both)]
    pub loop_conditions: LoopConditionsArg,
    /// Forward: the symbolic heap [default: combined]
    #[arg(long, value_enum, value_name = "HEAP")]
    pub heap: Option<HeapArg>,
    /// The solver: z3 in process, or programs on PATH (z3, cvc5, yices-smt2, bitwuzla, or several with commas, or `portfolio`
    /// for all that are there)
    #[arg(long, value_name = "NAME", default_value = "in-process")]
    pub solver: String,
    /// Time limit for one question to the solver [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub solver_timeout: Option<Duration>,
    /// How often intervals are narrowed by all conditions of a path when one is added
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    pub interval_iterations: u32,
    /// Do not answer solver questions by intervals
    #[arg(long)]
    pub no_intervals: bool,
    /// Do not leave unrelated conditions out of solver questions
    #[arg(long)]
    pub no_slicing: bool,
    /// Do not answer solver questions by models of earlier questions
    #[arg(long)]
    pub no_models: bool,
    /// Answers to earlier solver questions: not kept, kept, kept up to renaming, or also the cores of contradictions
    #[arg(long, value_enum, value_name = "HOW", default_value = "normalised")]
    pub cache: CacheArg,
    /// Kept answers that are also answers about more or fewer conditions
    #[arg(long, value_enum, value_name = "WHICH", default_value = "unsatisfiable")]
    pub cache_sets: SetsArg,
    /// Keep the solver's answers in this folder, for later runs
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Most megabytes in that folder
    #[arg(long, value_name = "MB", default_value = "256")]
    pub cache_size: u32,
    /// Do not translate machine integers to integers for the solver
    #[arg(long)]
    pub no_integers: bool,
    /// Do not look for contradictions in the order of values
    #[arg(long)]
    pub no_orders: bool,
    /// Do not look for values of floats between bounds
    #[arg(long)]
    pub no_boxes: bool,
    /// Do not try values instead of asking the solver
    #[arg(long)]
    pub no_enumeration: bool,
    /// Do not ask hard questions again in a new solver context
    #[arg(long)]
    pub no_afresh: bool,
    /// Switch off a simplification rule (a wrong name lists all names); may be given several times
    #[arg(long, value_name = "RULE", value_parser = rule)]
    pub no_rule: Vec<Rule>,
    /// Switch off all simplification rules
    #[arg(long)]
    pub no_rules: bool,
    /// Write each question that reaches the solver to this folder as SMT-LIB
    #[arg(long, value_name = "DIR")]
    pub smt_log: Option<PathBuf>,
}

impl CheckArgs {
    /// The given options that the chosen engine does not have, each with the engine that has it.
    pub fn ignored(&self) -> Vec<(&'static str, &'static str)> {
        let engine = &self.engine;
        let backward = [
            ("--backward", engine.backward.is_some()),
            ("--encoding", engine.encoding.is_some()),
            ("--no-facts", engine.no_facts),
            ("--show-conditions", engine.show_conditions),
        ];
        let forward = [
            ("--search", engine.search.is_some()),
            ("--prune", engine.prune.is_some()),
            ("--heap", engine.heap.is_some()),
            ("--merge", engine.merge.is_some()),
            ("--no-ahead", engine.no_ahead),
            ("--subsume", engine.subsume.is_some()),
            ("--choices", engine.choices.is_some()),
            ("--depth", self.depth.is_some()),
        ];
        let (options, owner) = match engine.engine {
            EngineArg::Forward => (&backward[..], "backward"),
            EngineArg::Backward => (&forward[..], "forward"),
            EngineArg::Auto => (&[][..], ""),
        };
        // The second engine of --double-check may have the option.
        let options = options.iter().filter(|(_, is_given)| *is_given && !self.double_check);
        options.map(|&(option, _)| (option, owner)).collect()
    }
}

/// See [`aback_core::Engine`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineArg {
    /// From the entry point forward
    Forward,
    /// From the target of the question backward
    Backward,
    /// Both, in turns
    Auto,
}

/// See [`aback_backward::Variant`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackwardArg {
    /// Disjuncts, a set of terms for each node
    DisjSet,
    /// Disjuncts, one term for each node
    DisjTerm,
    /// Disjuncts, a set of terms that becomes one term where paths join
    DisjCombined,
    /// Conjuncts; a solver is asked at the entry point only
    ConjNever,
    /// Conjuncts; a solver is asked at every node
    ConjAlways,
    /// Conjuncts; a solver is asked where iterations of loops start
    ConjLoops,
    /// Disjuncts while they are small, conjuncts where they grow
    Mixed,
    /// `conj-never`, then `mixed` if the solver does not soon answer
    Both,
    /// Path by path
    Paths,
}

/// See [`aback_backward::Encoding`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum EncodingArg {
    /// Each read has a value of its own
    Reads,
    /// Fields are arrays with versions
    Arrays,
}

/// See [`aback_forward::Search`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchArg {
    /// The path that has waited longest: finds short counterexamples first
    Breadth,
    /// The newest path: needs the least memory
    Depth,
    /// The path nearest to the line or the assertions
    Directed,
    /// Any path
    Random,
    /// The path at the place that the fewest paths have gone on from
    Coverage,
}

/// See [`aback_core::Merge`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum MergeArg {
    /// Each path is followed by itself
    Never,
    /// In a second search, which begins when many paths wait
    Auto,
    /// Where the ways behind a branch meet
    Regions,
    /// Wherever states can meet; they wait for each other
    Always,
}

/// See [`aback_forward::Choices`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChoicesArg {
    /// Each access goes to all of the objects, under conditions
    Keep,
    /// Paths fork
    Split,
}

/// See [`aback_forward::Subsumption`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SubsumeArg {
    /// Never
    Never,
    /// After forks, while many paths wait
    Auto,
    /// Wherever they can be compared
    Always,
}

/// How loops are looked at beside unwinding them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LoopsArg {
    /// Not at all
    Off,
    /// By what all iterations imply
    Light,
    /// In the same way, and loops within others are counted
    Heavy,
}

/// See [`aback_forward::LoopConditions`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LoopConditionsArg {
    /// Both, side by side
    Both,
    /// What they say about more and more iterations
    Unfolded,
    /// With quantifiers
    Quantified,
}

/// See [`aback_forward::HeapKind`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapArg {
    /// Known identities, arrays for the input, and guarded references in one
    Combined,
    /// Lazy initialization: each path has one shape, and forks over null, aliases and new objects
    Lazy,
    /// Symbolic initialization: each reference has a guarded set of objects
    Symbolic,
    /// Theory of arrays: one array for each field, which the solver reads
    Arrays,
}

/// See [`aback_smt::CacheMode`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheArg {
    /// Not kept
    Off,
    /// Kept as they are
    Plain,
    /// Kept up to the names of variables
    Normalised,
    /// And contradictions are kept without the conditions that they do not need
    Cores,
}

/// See [`aback_smt::SetMode`].
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetsArg {
    /// None
    Off,
    /// Contradictions, also about more conditions
    Unsatisfiable,
    /// And models, also about fewer conditions
    All,
}

/// The pruning policy with a name, or with a pair (p, a) of paper 4.
fn pruning(text: &str) -> Result<Pruning, String> {
    Ok(match text {
        "never" => Pruning::Never,
        "constant" => Pruning::Constant,
        "probabilistic" => Pruning::PROBABILISTIC,
        "adaptive" => Pruning::ADAPTIVE,
        "eager" => Pruning::EAGER,
        pair => {
            let numbers: Option<Vec<u32>> = pair.split(',').map(thousandths).collect();
            match numbers.as_deref() {
                Some(&[start, step]) => Pruning::Varying { start, rise: step, fall: step },
                _ => return Err("expected never, constant, probabilistic, adaptive, eager, or two numbers from 0 to 1, like 0.5,0.05".into()),
            }
        }
    })
}

/// A number from 0 to 1, in thousandths.
fn thousandths(text: &str) -> Option<u32> {
    let number: f64 = text.trim().parse().ok()?;
    (0.0..=1.0).contains(&number).then(|| (number * 1000.0).round() as u32)
}

fn rule(text: &str) -> Result<Rule, String> {
    let found = Rule::ALL.iter().find(|rule| rule.name() == text);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        format!("the rules are {}", names.join(", "))
    })
}
