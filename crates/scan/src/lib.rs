//! Asks all questions of a project, and gathers what was found.
//!
//! A scan starts processes that load the program and answer questions about single entry points ([`Worker`]), asks the easy
//! questions first ([`scan()`]), and keeps each answer in a file ([`Store`]), so that a scan that was stopped goes on where it was. Its
//! [`Finding`]s are the violations in the answers, sorted by how odd an input they need.

mod annotation;
mod files;
mod finding;
mod html;
mod junit;
mod known;
mod oddity;
mod protocol;
mod refusal;
mod scan;
mod store;
mod summary;
mod suppression;
mod suspicion;
pub mod tokens;
mod worker;

pub use files::{hash_of_files, hash_of_text};
pub use finding::{Finding, findings, identity, joined};
pub use html::html;
pub use junit::junit;
pub use known::Known;
pub use oddity::oddity;
pub use protocol::{
    Asks, Before, EntryPoint, Explored, LineQuestion, Opening, Question, Reply, Said, StopDocument, TrailQuestion,
};
pub use refusal::{CallersFault, callers_fault};
pub use scan::{Asking, Effort, End, Event, ScanError, open, scan};
pub use store::{Answered, Settings, Store, Stored, Unproved};
pub use summary::{Counts, Hidden, judgements_text, summary};
pub use suspicion::{Judgement, Suspicion, judged, line_questions, suspicions};
pub use worker::{GRACE, Lost, Worker, stop_when_unread};
