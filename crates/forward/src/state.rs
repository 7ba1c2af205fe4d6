//! Symbolic states: frames, heap, path condition.

use crate::report::Fault;
use aback_heap::{Heap, Value};
use aback_ir::{BlockId, Body, LocalId, MethodId, Point};
use aback_logic::Term;
use aback_smt::PathCondition;
use aback_witness::Place;
use rpds::HashTrieMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// An activation of a method.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The method.
    pub method: MethodId,
    /// Values of its locals.
    pub locals: Vec<Value>,
    /// Where it is: before this operation, or before the block's terminator.
    pub at: Point,
    /// Where the caller wants the result.
    pub result: Option<LocalId>,
}

/// The frames below the current one, innermost first; shared by states that were forked in a callee.
#[derive(Clone, Debug)]
struct Callers {
    frame: Frame,
    next: Option<Rc<Callers>>,
}

impl Drop for Callers {
    // The default drop recurses, once a frame.
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(callers) = next {
            match Rc::try_unwrap(callers) {
                Ok(mut callers) => next = callers.next.take(),
                Err(_) => break,
            }
        }
    }
}

/// A path that is being executed. Cloning is cheap but for the current frame's locals.
#[derive(Clone)]
pub struct State {
    /// The current frame.
    pub frame: Frame,
    callers: Option<Rc<Callers>>,
    /// Number of frames.
    pub frames: usize,
    /// The heap.
    pub heap: Heap,
    /// What holds on the path.
    pub path: PathCondition,
    /// Operations executed so far.
    pub depth: u64,
    /// Values of nondeterministic intrinsics so far, with their types.
    pub nondet: Rc<Vec<(Term, aback_ir::Type)>>,
    /// What made the exceptions that were thrown so far, and where they were thrown first.
    pub thrown: HashTrieMap<Value, (Fault, Place), archery::RcK, FxBuildHasher>,
}

impl State {
    /// A state before the first operation of a method.
    pub fn new(frame: Frame) -> Self {
        State {
            frame,
            callers: None,
            frames: 1,
            heap: Heap::new(),
            path: PathCondition::new(),
            depth: 0,
            nondet: Rc::default(),
            thrown: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher),
        }
    }

    /// Enters a method; the current frame waits after its call.
    pub fn enter(&mut self, mut frame: Frame) {
        std::mem::swap(&mut self.frame, &mut frame);
        self.callers = Some(Rc::new(Callers { frame, next: self.callers.take() }));
        self.frames += 1;
    }

    /// Leaves the current method; gives back its frame, or `None` if it is the entry point's.
    pub fn leave(&mut self) -> Option<Frame> {
        let callers = self.callers.take()?;
        let caller = match Rc::try_unwrap(callers) {
            Ok(mut callers) => {
                self.callers = callers.next.take();
                std::mem::replace(
                    &mut callers.frame,
                    Frame { method: self.frame.method, locals: Vec::new(), at: self.frame.at, result: None },
                )
            }
            Err(shared) => {
                self.callers = shared.next.clone();
                shared.frame.clone()
            }
        };
        self.frames -= 1;
        Some(std::mem::replace(&mut self.frame, caller))
    }

    /// Methods and places of the frames, innermost first.
    pub fn stack(&self) -> impl Iterator<Item = (MethodId, Point)> + '_ {
        let mut next = self.callers.as_deref();
        std::iter::once((self.frame.method, self.frame.at)).chain(std::iter::from_fn(move || {
            let callers = next?;
            next = callers.next.as_deref();
            Some((callers.frame.method, callers.frame.at))
        }))
    }

    /// Goes to the start of a block.
    pub fn jump(&mut self, block: BlockId) {
        self.frame.at = Point { block, op: 0 };
    }
}

impl Frame {
    /// A frame at the start of a method, with the arguments in the first locals and defaults in the others.
    pub fn new(method: MethodId, body: &Body, mut args: Vec<Value>, result: Option<LocalId>) -> Self {
        args.extend(body.locals.iter().skip(args.len()).map(|local| Value::default_of(local.ty)));
        Frame { method, locals: args, at: Point { block: Body::ENTRY, op: 0 }, result }
    }
}
