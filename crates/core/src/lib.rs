//! Answers questions about programs. Every user interface calls this crate.
//!
//! [`Session::open`] reads sources into a program. [`Session::check`] asks whether an execution can violate
//! something, or reach a line, and returns an [`Answer`]: a proof, a violation that a concrete run has confirmed, or
//! the reasons why neither was found.
//!
//! ```
//! use aback_core::{CheckConfig, LoadConfig, Session, Verdict};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let file = folder.path().join("Main.oox");
//! std::fs::write(&file, "class Main { static void main(int x) { assert x * x != 49; } }").unwrap();
//!
//! let session = Session::open(&[file], &LoadConfig::default()).unwrap();
//! let answer = session.check(&CheckConfig::default()).unwrap();
//! assert_eq!(answer.verdict, Verdict::Violated);
//! let violation = answer.violation.unwrap();
//! assert!(["7", "-7"].contains(&violation.shown_inputs[0].1.as_str()));
//! ```

mod answer;
mod asked;
mod assert_methods;
mod attacked;
mod before;
mod blame;
mod by_entry;
mod cause;
mod check;
mod choice;
mod confirm;
mod coverage;
mod engines;
mod entries;
mod explore;
mod flow_graph;
mod invariants;
mod joins;
mod load;
mod made;
mod passed;
mod plain_objects;
mod question;
mod reach;
mod referee;
mod session;
mod side_by_side;
mod time_limit;
mod type_arguments;
mod uncovered;
mod unit_tests;
mod unused_reads;
mod valid;
mod violations;
mod watched;
mod witness;
mod workers;
mod world;

pub use aback_frontend::{CompileCache, FoundTool, FrontEnd, LoadConfig, LoadError, Preconditions, Setting, Tool};
pub use aback_logic::Rule;
pub use aback_reproducer::{Confirmation, Isolation, Reproducer, Runtime, Sandboxing, Unreproducible};
pub use answer::{Answer, DoubleCheck, Rejected, SecondSaid, Verdict, Violation};
pub use attacked::Effort;
pub use blame::Blame;
pub use cause::cause;
pub use check::{CheckConfig, CheckError, KnownViolation, Loops, Merge, Question, check};
pub use confirm::{ConfirmConfig, UnfitWitness};
pub use coverage::Coverage;
pub use engines::Engine;
pub use entries::Visibility;
pub use explore::{Behaviour, Counts, End, Explored};
pub use flow_graph::FlowGraph;
pub use invariants::{InvariantFile, SHIPPED};
pub use load::{language, refusal, tools};
pub use question::{Line, QuestionError, Spot, class_named, entry_point, methods_at, points_at};
pub use session::{EntryPoint, Session};
pub use unit_tests::{KeptTest, Tests};
pub use valid::{Checked, ValidInputs};
pub use violations::{Asks, Exceptions, Property, UnknownProperty, Violations};
pub use watched::watched;
pub use world::World;
