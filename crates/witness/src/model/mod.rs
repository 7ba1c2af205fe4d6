//! The execution model: what a run did, line by line, as data that outlives the program.
//!
//! An [`Execution`] is the record of a run through the user's own code: the tree of calls, the lines in their order, and
//! what had changed in variables and on the heap when each line was reached. A [`Recorder`] makes it while the
//! interpreter runs, a [`Cursor`] moves through it in both directions, and a [`Witness`] is the file that holds it
//! together with the inputs and the violation.

mod cursor;
mod execution;
mod file;
mod format;
mod record;
mod snapshot;
mod text;
mod witness;

pub use cursor::{Cursor, OpenCall};
pub use execution::{
    Call, Change, ClassShape, Content, Execution, FieldShape, MethodShape, SourceText, StaticShape, Step, VariableShape,
};
pub use file::{Inconsistency, SourcesChanged, WitnessError};
pub use record::{Constant, Given, Recorder, Recording};
pub use snapshot::{ObjectView, Snapshot};
pub use text::Text;
pub use witness::{
    ArgumentDocument, ExceptionRecord, GivenRecord, PlaceRecord, ProgramDocument, ViolationKind, ViolationRecord,
    WITNESS_VERSION, Witness,
};
