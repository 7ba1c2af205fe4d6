//! Represents symbolic states: frames, heap, path condition.

use crate::iterations::Iterations;
use crate::loops::Summarised;
use aback_heap::{Heap, ObjectId, Observer, Value};
use aback_ir::{BlockId, Body, LocalId, MethodId, Point, Trap};
use aback_logic::{Pool, Term};
use aback_smt::PathCondition;
use aback_symbolic::Fault;
use aback_symbolic::inputs::Nondet;
use aback_witness::Place;
use rpds::HashTrieMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// An activation of a method.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The method.
    pub method: MethodId,
    /// The values of its locals.
    pub locals: Vec<Value>,
    /// The place of the activation: before this operation or before the block's terminator.
    pub at: Point,
    /// The local of the caller that gets the result.
    pub result: Option<LocalId>,
    /// If this activation throws the exception of a trap: that trap of the operation in the frame below.
    pub trap: Option<Trap>,
    /// Whether the path continues only if the activation returns `true`. The frame below then repeats its operation.
    pub must_hold: Option<Holding>,
    /// The block from which control has just come.
    pub came_from: Option<BlockId>,
    /// The iterations of the loops around the place, if they are bounded.
    pub iterations: Vec<Iterations>,
}

/// How an activation is executed that must return `true`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holding {
    /// Like any other.
    Fully,
    /// As far as the input heap is known: it counts as `true` as soon as it examines a reference without a meaning, or when
    /// the path has this number of operations ("conservative" in paper 3, section 4.1).
    Known(u64),
    /// Like [`Holding::Fully`], behind the end of the path.
    AtEnd,
}

/// The frames below the current one, innermost first. States that were forked in a callee share them.
#[derive(Clone, Debug)]
struct Callers {
    frame: Frame,
    next: Option<Rc<Callers>>,
    /// Whether this frame or one below has handlers at its place.
    guarded: bool,
}

impl Drop for Callers {
    // The default drop would recurse once for each frame.
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

/// The state of a path during its execution. Cloning copies the current frame's locals and shares the rest.
pub struct State<H> {
    /// The current frame.
    pub frame: Frame,
    callers: Option<Rc<Callers>>,
    /// Number of frames.
    pub frames: usize,
    /// The heap.
    pub heap: H,
    /// The path condition.
    pub path: PathCondition,
    /// Operations executed so far.
    pub depth: u64,
    /// How often the path has gone another way than its model before.
    pub deviations: u32,
    /// At how many more places the state may be compared with others ([`crate::subsumption`]).
    pub(crate) comparisons: u8,
    /// Whether the state has come to the start of its block, and has executed nothing there.
    pub(crate) has_arrived: bool,
    /// The values that nondeterministic intrinsics have returned so far, each with the condition under which the
    /// intrinsic ran: if paths were joined, it may have run on only one of them.
    pub nondet: Rc<Vec<(Term, Nondet)>>,
    /// Receives the heap's decisions about the input heap.
    pub observer: Option<Box<dyn Observer>>,
    /// The exceptions that were thrown so far, with their origins.
    pub thrown: Thrown,
    /// The heap of the program while methods run that must return `true`: they see the heap at entry.
    pub suspended: Option<H>,
    /// The loops that the path has passed or is in, if loops are summarised.
    pub summarised: Summarised,
}

impl<H: Clone> Clone for State<H> {
    fn clone(&self) -> Self {
        State {
            frame: self.frame.clone(),
            callers: self.callers.clone(),
            frames: self.frames,
            heap: self.heap.clone(),
            path: self.path.clone(),
            depth: self.depth,
            deviations: self.deviations,
            comparisons: self.comparisons,
            has_arrived: self.has_arrived,
            nondet: Rc::clone(&self.nondet),
            observer: self.observer.as_ref().map(|observer| observer.boxed_clone()),
            thrown: self.thrown.clone(),
            suspended: self.suspended.clone(),
            summarised: self.summarised.clone(),
        }
    }
}

/// The origins of the exceptions that were thrown so far: the fault of each, and the place where it was first thrown.
#[derive(Clone)]
pub struct Thrown {
    origins: HashTrieMap<Value, (Fault, Place), archery::RcK, FxBuildHasher>,
    /// The exceptions that are terms. Such a term may be an alias of another exception.
    terms: Rc<Vec<Value>>,
}

impl Thrown {
    fn new() -> Self {
        Thrown { origins: HashTrieMap::new_with_hasher_and_ptr_kind(FxBuildHasher), terms: Rc::default() }
    }

    /// The origin of an exception that was thrown as this value.
    pub fn origin(&self, exception: Value) -> Option<(Fault, Place)> {
        self.origins.get(&exception).copied()
    }

    /// Notes the origin of an exception.
    pub fn note(&mut self, exception: Value, origin: (Fault, Place)) {
        if matches!(exception, Value::Term(_)) && !self.origins.contains_key(&exception) {
            Rc::make_mut(&mut self.terms).push(exception);
        }
        self.origins.insert_mut(exception, origin);
    }

    /// The origins from two paths; `None` if these have different origins of the same exception.
    pub fn join(&self, other: &Thrown) -> Option<Thrown> {
        let mut joined = self.clone();
        for (&exception, &origin) in other.origins.iter() {
            match joined.origin(exception) {
                Some(known) if known != origin => return None,
                Some(_) => {}
                None => joined.note(exception, origin),
            }
        }
        Some(joined)
    }

    /// Whether the exceptions of another state have the origins of those whose places they take. `by` gives the object that takes the
    /// place of another, and `original` the one whose place an object takes; `None` for objects that are not reachable any more.
    pub fn has_instance(
        &self,
        other: &Thrown,
        by: impl Fn(ObjectId) -> Option<ObjectId>,
        original: impl Fn(ObjectId) -> Option<ObjectId>,
    ) -> bool {
        let all_are_in = |one: &Thrown, other: &Thrown, by: &dyn Fn(ObjectId) -> Option<ObjectId>| {
            one.origins.iter().all(|(&exception, &origin)| match exception {
                Value::Object(id) => by(id).is_none_or(|id| other.origin(Value::Object(id)) == Some(origin)),
                _ => other.origin(exception) == Some(origin),
            })
        };
        all_are_in(self, other, &by) && all_are_in(other, self, &original)
    }

    /// The exceptions, with their origins, that may be the same object as `exception`, which was not thrown as this
    /// value.
    pub fn others(&self, exception: Value) -> Vec<(Value, (Fault, Place))> {
        match exception {
            Value::Term(_) => self.origins.iter().map(|(&other, &origin)| (other, origin)).collect(),
            _ => self.terms.iter().filter_map(|&other| Some((other, self.origin(other)?))).collect(),
        }
    }
}

impl<H: Heap> State<H> {
    /// A state before the first operation of a method; `path` is the condition `true`.
    pub fn new(frame: Frame, path: PathCondition, observer: Option<Box<dyn Observer>>) -> Self {
        State {
            frame,
            callers: None,
            frames: 1,
            heap: H::at_entry(),
            path,
            depth: 0,
            deviations: 0,
            comparisons: 0,
            has_arrived: true,
            nondet: Rc::default(),
            observer,
            thrown: Thrown::new(),
            suspended: None,
            summarised: Summarised::default(),
        }
    }

    /// Enters a method. The current frame becomes the caller; `has_handlers` says whether its block has handlers.
    pub fn enter(&mut self, mut frame: Frame, has_handlers: bool) {
        std::mem::swap(&mut self.frame, &mut frame);
        let guarded = has_handlers || self.is_guarded_below();
        self.callers = Some(Rc::new(Callers { frame, next: self.callers.take(), guarded }));
        self.frames += 1;
        self.has_arrived = true;
    }

    /// Whether a method runs that decides whether the path continues.
    pub fn is_condition(&self) -> bool {
        self.suspended.is_some()
    }

    /// How the innermost method that decides whether the path continues is executed.
    pub fn holding(&self) -> Option<Holding> {
        let mut conditions = self.frames().filter_map(|frame| frame.must_hold);
        self.suspended.as_ref().and_then(|_| conditions.next())
    }

    /// Leaves the current method and returns its frame. `None` if it is the entry point, which stays.
    pub fn leave(&mut self) -> Option<Frame> {
        let callers = self.callers.take()?;
        let caller = match Rc::try_unwrap(callers) {
            Ok(mut callers) => {
                self.callers = callers.next.take();
                std::mem::replace(
                    &mut callers.frame,
                    Frame { locals: Vec::new(), iterations: Vec::new(), ..self.frame },
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

    /// Whether a frame below the current one has handlers at its place.
    pub fn is_guarded_below(&self) -> bool {
        self.callers.as_ref().is_some_and(|callers| callers.guarded)
    }

    /// The methods and places of the current frame and of those below it, down to the last frame that has handlers.
    pub fn guarded_stack(&self) -> impl Iterator<Item = (MethodId, Point)> + '_ {
        let mut next = self.callers.as_deref();
        std::iter::once((self.frame.method, self.frame.at)).chain(std::iter::from_fn(move || {
            let callers = next.filter(|callers| callers.guarded)?;
            next = callers.next.as_deref();
            Some((callers.frame.method, callers.frame.at))
        }))
    }

    /// The frames, innermost first.
    pub fn frames(&self) -> impl Iterator<Item = &Frame> + '_ {
        let mut next = self.callers.as_deref();
        std::iter::once(&self.frame).chain(std::iter::from_fn(move || {
            let callers = next?;
            next = callers.next.as_deref();
            Some(&callers.frame)
        }))
    }

    /// The methods and places of the frames, innermost first.
    pub fn stack(&self) -> impl Iterator<Item = (MethodId, Point)> + '_ {
        self.frames().map(|frame| (frame.method, frame.at))
    }

    /// Records the value that a nondeterministic intrinsic returns.
    pub fn give(&mut self, given: Nondet) {
        Rc::make_mut(&mut self.nondet).push((Pool::TRUE, given));
    }

    /// The block of a method that the state is in.
    pub(crate) fn place(&self) -> (MethodId, BlockId) {
        (self.frame.method, self.frame.at.block)
    }

    /// Whether the frames of two states are activations of the same methods at the same places.
    pub fn is_at_place_of(&self, other: &State<H>) -> bool {
        let place = |frame: &Frame| (frame.method, frame.at, frame.result, frame.trap);
        let is_same = |one: &Frame, other: &Frame| place(one) == place(other);
        if self.frames != other.frames || !is_same(&self.frame, &other.frame) {
            return false;
        }
        let (mut one, mut another) = (&self.callers, &other.callers);
        while let (Some(ours), Some(theirs)) = (one, another) {
            if Rc::ptr_eq(ours, theirs) {
                return true;
            }
            if !is_same(&ours.frame, &theirs.frame) {
                return false;
            }
            (one, another) = (&ours.next, &theirs.next);
        }
        true
    }

    /// The frames of this state and of another at the same place that are not shared, innermost first.
    pub fn frames_besides<'a>(&'a self, other: &'a State<H>) -> impl Iterator<Item = (&'a Frame, &'a Frame)> {
        let mut next = (&self.callers, &other.callers);
        std::iter::once((&self.frame, &other.frame)).chain(std::iter::from_fn(move || {
            let (Some(ours), Some(theirs)) = next else { return None };
            next = (&ours.next, &theirs.next);
            (!Rc::ptr_eq(ours, theirs)).then_some((&ours.frame, &theirs.frame))
        }))
    }

    /// Joins each frame with the corresponding one of a state at the same place. Shared frames stay as they are.
    pub fn join_frames(&mut self, other: &State<H>, mut join: impl FnMut(&Frame, &Frame) -> Frame) {
        self.frame = join(&self.frame, &other.frame);
        let (mut one, mut another) = (self.callers.clone(), &other.callers);
        let mut different = Vec::new();
        while let (Some(ours), Some(theirs)) = (&one, another) {
            if Rc::ptr_eq(ours, theirs) {
                break;
            }
            different.push((join(&ours.frame, &theirs.frame), ours.guarded));
            another = &theirs.next;
            one = ours.next.clone();
        }
        self.callers = different
            .into_iter()
            .rev()
            .fold(one, |next, (frame, guarded)| Some(Rc::new(Callers { frame, next, guarded })));
    }

    /// Goes to the start of a block.
    pub fn jump(&mut self, block: BlockId) {
        self.frame.came_from = Some(self.frame.at.block);
        self.frame.at = Point { block, op: 0 };
        self.has_arrived = true;
    }
}

impl Frame {
    /// A frame at the start of a method whose locals have these values.
    pub fn new(method: MethodId, locals: Vec<Value>, result: Option<LocalId>) -> Self {
        Frame {
            method,
            locals,
            at: Point { block: Body::ENTRY, op: 0 },
            result,
            trap: None,
            must_hold: None,
            came_from: None,
            iterations: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aback_heap::{Combined, ObjectId};
    use aback_ir::{ClassId, Span};

    fn frame(method: u32, locals: &[i64]) -> Frame {
        Frame::new(MethodId(method), locals.iter().map(|&value| Value::Int(value)).collect(), None)
    }

    fn state() -> State<Combined> {
        State::new(frame(0, &[1]), PathCondition::new(), None)
    }

    fn locals(state: &State<Combined>) -> Vec<Vec<Value>> {
        state.frames().map(|frame| frame.locals.clone()).collect()
    }

    #[test]
    fn frames_are_entered_and_left_in_order() {
        let mut state = state();
        state.enter(frame(1, &[2]), true);
        state.enter(frame(2, &[3]), false);
        assert_eq!(state.stack().map(|(method, _)| method.0).collect::<Vec<_>>(), [2, 1, 0]);
        assert!(state.is_guarded_below());
        // The frames down to the last one that has handlers.
        assert_eq!(state.guarded_stack().map(|(method, _)| method.0).collect::<Vec<_>>(), [2, 1, 0]);
        let fork = state.clone();
        assert_eq!(state.leave().map(|frame| frame.method.0), Some(2));
        assert_eq!(state.leave().map(|frame| frame.method.0), Some(1));
        assert!(!state.is_guarded_below() && state.leave().is_none());
        assert_eq!((state.frames, fork.frames), (1, 3));
    }

    #[test]
    fn a_million_frames_are_dropped_without_recursion() {
        let mut state = state();
        for _ in 0..1_000_000 {
            state.enter(frame(1, &[]), false);
        }
        drop(state);
    }

    #[test]
    fn frames_that_differ_are_joined_and_others_shared() {
        let mut one = state();
        one.enter(frame(1, &[2]), true);
        let mut other = one.clone();
        one.enter(frame(2, &[3]), false);
        other.enter(frame(2, &[4]), false);
        assert!(one.is_at_place_of(&other));
        let mut joins = 0;
        one.join_frames(&other, |ours, theirs| {
            joins += 1;
            Frame { locals: [&ours.locals[..], &theirs.locals[..]].concat(), ..ours.clone() }
        });
        // Each state has its own copy of the frame that called a method after the fork; they share the frame below.
        let expected = [vec![3, 4], vec![2, 2], vec![1]].map(|values| values.into_iter().map(Value::Int).collect());
        assert_eq!((locals(&one), joins), (Vec::from(expected), 2));
        assert!(one.is_guarded_below());
        other.jump(BlockId(3));
        assert!(!one.is_at_place_of(&other));
        other.leave();
        assert!(!one.is_at_place_of(&other));
    }

    #[test]
    fn origins_of_exceptions_are_joined_unless_they_contradict() {
        let place =
            |method| Place { method: MethodId(method), point: Point { block: Body::ENTRY, op: 0 }, span: Span::NONE };
        let thrown = |object, method| {
            let mut thrown = Thrown::new();
            thrown.note(Value::Object(ObjectId(object)), (Fault::Thrown(ClassId(0)), place(method)));
            thrown
        };
        let joined = thrown(1, 5).join(&thrown(2, 6)).unwrap();
        let origin = |object| joined.origin(Value::Object(ObjectId(object))).map(|(_, place)| place.method.0);
        assert_eq!([1, 2, 3].map(origin), [Some(5), Some(6), None]);
        let (one, other) = (Some(ObjectId(1)), Some(ObjectId(2)));
        assert!(thrown(1, 5).has_instance(&thrown(2, 5), |_| other, |_| one));
        assert!(!thrown(1, 5).has_instance(&thrown(2, 6), |_| other, |_| one));
        assert!(!thrown(1, 5).has_instance(&thrown(1, 6), |_| one, |_| one));
        assert!(!thrown(1, 5).has_instance(&Thrown::new(), |_| other, |_| None));
        assert!(!Thrown::new().has_instance(&thrown(2, 6), |_| None, |_| one));
        assert!(thrown(1, 5).has_instance(&thrown(2, 6), |_| None, |_| None), "nothing refers to them");
        assert!(thrown(1, 5).join(&thrown(1, 5)).is_some());
        assert!(thrown(1, 5).join(&thrown(1, 6)).is_none());
    }
}
