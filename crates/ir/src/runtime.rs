//! What a language, its libraries and its runtime do, as far as engines have to ask.

use crate::body::OpKind;
use crate::program::{ClassId, FieldId, MethodId, Program, Unselected};

/// What a method that comes with the language does with the objects that it is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passing {
    /// What its result is to them, or what a constructor makes of them.
    pub made: Made,
    /// Whether they may be kept, where its receiver or other code that comes with the language finds them later.
    pub keeps: bool,
    /// Whether what it changes may be a change of what that leads to, as the elements of a list are those of the array behind it.
    pub changes_through: bool,
}

impl Passing {
    /// What a method may do of which nothing is known.
    pub const UNKNOWN: Passing = Passing { made: Made::Views, keeps: true, changes_through: true };
}

/// State of code that comes with the language: it is there before an entry point is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct LibraryState {
    /// What it is, for a person.
    pub name: &'static str,
    /// Whether it may be any without the program having changed it.
    pub is_open: bool,
}

/// What an object is to those that it is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Made {
    /// One of them, or something by which they can be changed.
    Views,
    /// Something that holds them or what they hold: its own changes are none of theirs.
    Holds,
    /// One of those of its own type, or nothing to them: objects of its class lead to no others.
    Flat,
}

/// Answers questions about the declarations of a program that only its language can answer: who may call what, what libraries do with
/// the objects that they are given, what runs before an entry point. The answers that are given here by default are those of a
/// language without libraries in which every method can be called.
pub trait Runtime: Send + Sync {
    /// A method that makes inputs for an entry point where these are more than any object, and then calls it; its
    /// parameters are the rest, with their names. `None`: there is nothing to make.
    fn entry(&self, program: &Program, entry: MethodId) -> Option<MethodId> {
        let _ = (program, entry);
        None
    }

    /// The method that runs in place of one where a call of `method` on an object of exactly `class` selects none: it takes the
    /// same parameters, and throws what the language throws then. `None`: the call runs `method` itself.
    fn unselected(&self, program: &Program, class: ClassId, method: MethodId, reason: Unselected) -> Option<MethodId> {
        let _ = (program, class, method, reason);
        None
    }

    /// Whether no reference is null among the inputs of an entry point, nor in what they refer to: whoever calls it
    /// passes none.
    fn has_no_nulls(&self, program: &Program, entry: MethodId) -> bool {
        let _ = (program, entry);
        false
    }

    /// Whether an instance field is not null in any object that exists when the program starts: whatever makes such an
    /// object sets it.
    fn is_never_null(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// Whether a class comes with the language, so that its initializer does not depend on what a program did before.
    fn is_platform(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether a method of a library may call methods that it is told by name.
    fn is_reflective(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether code outside of the program can call a method: it is public, and so is its class.
    fn is_public(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        true
    }

    /// The same of a field.
    fn is_private_field(&self, program: &Program, field: FieldId) -> bool {
        let _ = (program, field);
        false
    }

    /// Whether a method does nothing but initialize its class, and nothing calls it but what initializes classes.
    fn is_initializer(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether objects of a class, which comes with the language, never change.
    fn is_immutable(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether a method that comes with the language may change the object that is its argument of this number, from 0, or what
    /// that refers to, by other means than methods of the program.
    fn may_change(&self, program: &Program, method: MethodId, argument: usize) -> bool {
        let _ = (program, method, argument);
        true
    }

    /// What a method that comes with the language does with the objects that it is given, beside changing them.
    fn passing(&self, program: &Program, method: MethodId) -> Passing {
        let _ = (program, method);
        Passing::UNKNOWN
    }

    /// The state of code that comes with the language that an operation reads.
    fn state_read(&self, program: &Program, op: &OpKind) -> Option<LibraryState> {
        let _ = (program, op);
        None
    }

    /// The same of state that an operation changes.
    fn state_changed(&self, program: &Program, op: &OpKind) -> Option<LibraryState> {
        let _ = (program, op);
        None
    }

    /// Whether a method that comes with the language may call methods of the objects that it is given.
    fn may_call_back(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        true
    }

    /// Whether a program starts with this method: nothing has run before it.
    fn is_start(&self, program: &Program, method: MethodId) -> bool {
        program.method_name(method) == "Main.main"
    }

    /// Whether sources have no word of a method, which does nothing but call one that they have.
    fn is_bridge(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// Whether classes that are not there could extend or implement a class.
    fn is_extendable(&self, program: &Program, class: ClassId) -> bool {
        let _ = (program, class);
        false
    }

    /// Whether classes that are not there could override a method: it and its class are neither private nor final.
    fn is_overridable(&self, program: &Program, method: MethodId) -> bool {
        let _ = (program, method);
        false
    }

    /// What initializes a class ([`OpKind::Ensure`](crate::OpKind::Ensure)), if there is anything to do.
    fn initialization(&self, program: &Program, class: ClassId) -> Option<(FieldId, MethodId)> {
        let _ = (program, class);
        None
    }
}

/// The runtime of a language that has nothing to say.
pub(crate) struct NoRuntime;

impl Runtime for NoRuntime {}
