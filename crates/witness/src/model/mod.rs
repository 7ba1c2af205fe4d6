//! Records what a run did, line by line, as data that outlives the program.
//!
//! An [`Execution`] is the record of a run through the user's own code: the tree of calls, the lines in order, and what
//! had changed in variables and on the heap when the run reached each line. A [`Recorder`] makes the execution while
//! the interpreter runs. A [`Cursor`] moves through it in both directions. A [`Witness`] is the file that holds it
//! together with the inputs and the violation.

mod collection;
mod cursor;
mod execution;
mod file;
mod format;
mod record;
mod snapshot;
mod text;
mod witness;

pub use collection::{ElementPlace, ElementValue, Elements};
pub use cursor::{Cursor, OpenCall};
pub use execution::{
    BlockShape, Call, Change, ClassShape, CollectionShape, Content, Execution, FieldName, FieldShape, IntegerShape,
    MethodShape, NextShape, SourceText, StaticShape, Step, VariableShape, WalkShape,
};
pub use file::{Inconsistency, SourcesChanged, WitnessError};
pub use record::{Constant, EndRecorder, Given, Recorder, Recording};
pub use snapshot::{ObjectView, Snapshot};
pub use text::Text;
pub use witness::{
    ArgumentDocument, ExceptionRecord, GivenRecord, MakingRecord, PlaceRecord, ProgramDocument, ViolationKind,
    ViolationRecord, WITNESS_VERSION, Witness,
};
