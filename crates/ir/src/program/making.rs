//! Makes the inputs of entry points in the way of callers: by constructors, static methods, and calls on the objects.

use super::{ClassId, MethodId, MethodKind, Program, Type, whole};
use crate::analysis::never_null_once_made;
use crate::body::{BinaryOp, Body, Dispatch, ExprId, Handler, Intrinsic, LocalId, OpKind, TerminatorKind};
use crate::builder::Builder;
use crate::program::{Access, Method};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, OnceLock, RwLock};

/// The classes of the synthetic methods that are made here: those with which executions start, and those that make one
/// object.
const STARTS: &str = "aback.made";
const MAKERS: &str = "aback.makers";

const INT: Type = Type::Machine { width: 32, signed: true };

/// A type as the sources have it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct SourceType {
    /// The type in the program model.
    pub ty: Type,
    /// What the sources give for the type's parameters, if the program model does not have it.
    pub arguments: Vec<SourceType>,
}

impl From<Type> for SourceType {
    fn from(ty: Type) -> Self {
        SourceType { ty, arguments: Vec::new() }
    }
}

/// A call by which a caller makes an object or changes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceCall {
    /// The method.
    pub method: MethodId,
    /// The types of its arguments, without the object that it makes or changes.
    pub arguments: Vec<SourceType>,
}

/// A way to make an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Maker {
    /// The constructor, or a static method that returns the object.
    pub make: SourceCall,
    /// What may be called on the object then.
    pub changes: Vec<SourceCall>,
    /// Whether these calls add elements to a collection.
    pub is_collection: bool,
}

/// How far inputs are made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MakingLimits {
    /// Most objects that are made for each other: an argument, what its constructor gets, and so on.
    pub depth: usize,
    /// Most elements that are added to a collection, and most elements of an array.
    pub elements: u32,
    /// Most calls that change another object.
    pub calls: u32,
}

impl Default for MakingLimits {
    fn default() -> Self {
        MakingLimits { depth: 3, elements: 3, calls: 2 }
    }
}

/// The methods that make inputs.
pub(super) struct Making {
    limits: MakingLimits,
    /// The class of the methods that make an object, once there is one.
    class: OnceLock<ClassId>,
    /// The methods with which executions start, by entry point.
    starts: RwLock<FxHashMap<MethodId, MethodId>>,
    /// The methods that make an object of a type, with the number of objects that are made for each other; none if there
    /// is no way to make one.
    makers: RwLock<FxHashMap<(SourceType, usize), Option<MethodId>>>,
}

impl Program {
    /// The same program, whose executions start with arguments that callers can make: objects come from the makers of the
    /// runtime ([`crate::Runtime::makers`]). Arguments of other types are any as before, without impossible objects. Exceptions while an object is made
    /// and false assertions mean that there is no such input.
    pub fn with_made_inputs(&self, limits: MakingLimits) -> Program {
        if self.making.as_ref().is_some_and(|making| making.limits == limits) {
            return self.clone();
        }
        let making = Making { limits, class: OnceLock::new(), starts: RwLock::default(), makers: RwLock::default() };
        Program { making: Some(making.into()), leaves_out_impossible: true, ..self.clone() }
    }

    /// How far inputs are made, if executions start with making them.
    pub fn making_limits(&self) -> Option<MakingLimits> {
        self.making.as_ref().map(|making| making.limits)
    }

    /// The same program, whose inputs have no objects that may be impossible ([`Program::may_be_impossible`]).
    pub fn without_impossible_inputs(&self) -> Program {
        Program { leaves_out_impossible: true, ..self.clone() }
    }

    /// The same program, whose inputs have only objects that constructors have made, as far as that can be read off the
    /// constructors: fields that they set to a new object are not null. No constructor may be the entry point.
    pub fn with_established_inputs(&self) -> Program {
        Program { established: never_null_once_made(self).into(), ..self.clone() }
    }

    /// The same program, without what [`Program::with_established_inputs`] adds.
    pub fn without_established_inputs(&self) -> Program {
        Program { established: Arc::default(), ..self.clone() }
    }

    /// Whether an argument of an entry point, or a field to which it leads in objects of the program, may be a collection
    /// of the library.
    pub fn takes_collections(&self, entry: MethodId) -> bool {
        let mut pending = self.method(entry).params.clone();
        let mut seen = FxHashSet::default();
        while let Some(ty) = pending.pop() {
            if !seen.insert(ty) {
                continue;
            }
            match ty {
                Type::Array(array) => pending.push(self.element_type(array)),
                Type::Class(class) => {
                    let makers = self.tables.profile.runtime.makers(self, &ty.into());
                    if makers.iter().any(|maker| maker.is_collection && !self.is_given(maker)) {
                        return true;
                    }
                    let own = self.subclasses(class).into_iter().filter(|&class| !self.class(class).is_library);
                    let fields = own.flat_map(|class| self.instance_fields(class));
                    pending.extend(fields.map(|field| self.field(field).ty));
                }
                _ => {}
            }
        }
        false
    }

    /// Whether objects of a type of the library are inputs only if calls make them: collections that may be impossible.
    pub fn is_made_by_calls(&self, class: ClassId) -> bool {
        let makers = || self.tables.profile.runtime.makers(self, &Type::Class(class).into());
        self.class(class).is_library && makers().iter().any(|maker| maker.is_collection && !self.is_given(maker))
    }

    /// Whether the objects that a maker makes are among inputs that are not made, in any state.
    fn is_given(&self, maker: &Maker) -> bool {
        let class = self.method(maker.make.method).class;
        !self.may_be_impossible(class) && !self.is_made_only(class)
    }

    /// Whether this method makes inputs before the entry point is called.
    pub fn is_maker(&self, method: MethodId) -> bool {
        self.making.as_ref().is_some_and(|making| making.class.get() == Some(&self.method(method).class))
    }

    /// The method that executions of `entry` start with if `start` is the one whose inputs are any.
    pub(super) fn made_start(&self, entry: MethodId, start: MethodId) -> MethodId {
        // What the runtime itself passes to a main method is not made.
        let Some(making) = self.making.as_ref().filter(|_| !self.has_no_null_inputs(entry)) else { return start };
        if let Some(&known) = whole(making.starts.read()).get(&entry) {
            return known;
        }
        let types = self.source_types_of(entry, start);
        // A start that checks inputs of a constructor ignores its first parameter, too.
        let is_built = self.constructs(entry) && self.method(start).params == self.method(entry).params;
        let made = types.iter().enumerate().map(|(index, ty)| match (index, ty.ty) {
            (0, _) if is_built => None,
            (_, Type::Array(array)) if !self.element_type(array).is_reference() => None,
            _ if self.is_any_object_made(ty) => None,
            _ => self.maker(making, ty, making.limits.depth),
        });
        let made: Vec<Option<MethodId>> = made.collect();
        let found = if made.iter().all(Option::is_none) {
            start
        } else {
            let (params, body) = self.start_code(entry, start);
            let body = self.making_body(body, &params, &made);
            let name = format!("made inputs of {}", self.method_name(entry));
            let class = self.synthetic_class(STARTS);
            self.made(Method::synthetic(class, MethodKind::Static, &name, params, None), body)
        };
        *whole(making.starts.write()).entry(entry).or_insert(found)
    }

    /// Whether callers can make any object of a type of the library, as with strings, so that nothing has to make it.
    fn is_any_object_made(&self, ty: &SourceType) -> bool {
        let Type::Class(class) = ty.ty else { return false };
        let makes_it = |maker: &Maker| {
            let method = self.method(maker.make.method);
            let made =
                if method.kind == MethodKind::Constructor { Some(Type::Class(method.class)) } else { method.result };
            let is_plain = maker.make.arguments.iter().all(|argument| !argument.ty.is_reference());
            made == Some(ty.ty) && is_plain && maker.changes.is_empty()
        };
        let makers = self.tables.profile.runtime.makers(self, ty);
        self.class(class).is_library && !makers.is_empty() && makers.iter().all(makes_it)
    }

    /// Whether an entry point is a constructor that is called on a new object.
    fn constructs(&self, entry: MethodId) -> bool {
        let method = self.method(entry);
        method.kind == MethodKind::Constructor && !self.class(method.class).is_abstract
    }

    /// The types of the parameters of `start`, which calls an entry point or is it, as the sources of the entry point have
    /// them, by the names of the parameters.
    pub fn source_types_of(&self, entry: MethodId, start: MethodId) -> Vec<SourceType> {
        let known = self.tables.profile.runtime.source_types(self, entry);
        let names = |method: MethodId| self.body(method).map_or(&[][..], |body| &body.locals);
        let (of_start, of_entry) = (names(start), names(entry));
        let params = self.method(start).params.iter().enumerate();
        let source_type = |(index, &ty): (usize, &Type)| {
            let name = of_start.get(index).map(|local| &local.name);
            let mut named = known.iter().zip(of_entry);
            let found = named.find(|(known, local)| known.ty == ty && Some(&local.name) == name);
            found.map_or_else(|| ty.into(), |(known, _)| known.clone())
        };
        params.map(source_type).collect()
    }

    /// Code that makes some arguments in front of code that calls an entry point. It has the same parameters, and ignores
    /// those of arguments that it makes.
    fn making_body(&self, body: Body, params: &[Type], made: &[Option<MethodId>]) -> Body {
        let (mut code, next) = Builder::in_front_of(body);
        for (index, &ty) in params.iter().enumerate() {
            let Some(maker) = made[index] else { continue };
            let same: Vec<usize> = (0..index).filter(|&earlier| params[earlier] == ty).collect();
            let same: Vec<ExprId> = same.into_iter().map(|earlier| code.param(earlier)).collect();
            let value = self.made_or_same(&mut code, maker, ty, true, &same);
            code.op(OpKind::Assign { dst: LocalId(index as u32), value });
        }
        code.end(TerminatorKind::Goto(next));
        code.finish()
    }

    /// A new object, null, or one of some objects that exist.
    fn made_or_same(
        &self,
        code: &mut Builder,
        maker: MethodId,
        ty: Type,
        may_be_null: bool,
        same: &[ExprId],
    ) -> ExprId {
        let null = code.null();
        let others: Vec<ExprId> = same.iter().copied().chain(may_be_null.then_some(null)).collect();
        let result = code.variable(ty);
        let end = code.block();
        for other in others {
            let is_it = any(code, Type::Bool);
            let (_, next) = code.branch(is_it);
            code.op(OpKind::Assign { dst: result, value: other });
            code.end(TerminatorKind::Goto(end));
            code.switch_to(next);
        }
        code.op(OpKind::Call { dst: Some(result), dispatch: Dispatch::Static, method: maker, args: Vec::new() });
        code.end(TerminatorKind::Goto(end));
        code.switch_to(end);
        code.local(result)
    }

    /// The method that makes an object of a type, which is never null. `depth` is the number of objects that are made for
    /// each other.
    fn maker(&self, making: &Making, ty: &SourceType, depth: usize) -> Option<MethodId> {
        if !ty.ty.is_reference() {
            return None;
        }
        let key = (ty.clone(), depth);
        if let Some(&known) = whole(making.makers.read()).get(&key) {
            return known;
        }
        let body = match ty.ty {
            Type::Array(array) => {
                let element = SourceType {
                    ty: self.element_type(array),
                    arguments: ty.arguments.first().map(|element| element.arguments.clone()).unwrap_or_default(),
                };
                let is_made = element.ty.is_reference() && depth > 0;
                let maker = is_made.then(|| self.maker(making, &element, depth - 1)).flatten();
                maker.map(|maker| self.array_body(making, element.ty, maker))
            }
            _ => {
                let mut makers = self.tables.profile.runtime.makers(self, ty);
                let is_leaf = |call: &SourceCall| call.arguments.iter().all(|argument| !argument.ty.is_reference());
                if depth == 0 {
                    makers.retain(|maker| is_leaf(&maker.make));
                    makers.iter_mut().for_each(|maker| maker.changes.retain(is_leaf));
                }
                (!makers.is_empty()).then(|| self.maker_body(making, ty.ty, &makers, depth))
            }
        };
        let made = body.map(|body| {
            let number = whole(making.makers.read()).len();
            let name = format!("make {} #{number}", self.show_type(ty.ty));
            let class = *making.class.get_or_init(|| self.synthetic_class(MAKERS));
            self.made(Method::synthetic(class, MethodKind::Static, &name, Vec::new(), Some(ty.ty)), body)
        });
        *whole(making.makers.write()).entry(key).or_insert(made)
    }

    fn maker_body(&self, making: &Making, ty: Type, makers: &[Maker], depth: usize) -> Body {
        let mut code = Builder::new(&[]);
        let failed = code.block();
        let exception = code.variable(self.root().map_or(ty, Type::Class));
        let handler = Handler { class: None, target: failed, exception };
        let guarded = |code: &mut Builder| code.guarded_block(handler);
        for (index, maker) in makers.iter().enumerate() {
            let work = guarded(&mut code);
            if index + 1 < makers.len() {
                let is_it = any(&mut code, Type::Bool);
                let next = code.block();
                code.end(TerminatorKind::Branch { condition: is_it, then_block: work, else_block: next });
                code.switch_to(work);
                self.make(making, &mut code, maker, depth, &guarded);
                code.switch_to(next);
            } else {
                code.end(TerminatorKind::Goto(work));
                code.switch_to(work);
                self.make(making, &mut code, maker, depth, &guarded);
            }
        }
        code.switch_to(failed);
        never(&mut code);
        let null = code.null();
        code.ret(Some(null));
        code.finish()
    }

    /// Makes an object and returns it.
    fn make(
        &self,
        making: &Making,
        code: &mut Builder,
        maker: &Maker,
        depth: usize,
        guarded: &impl Fn(&mut Builder) -> crate::body::BlockId,
    ) {
        let method = self.method(maker.make.method);
        let inner = depth.saturating_sub(1);
        if let Some((field, initializer)) = self.initialization(method.class) {
            code.op(OpKind::Ensure { field, method: initializer });
        }
        let arguments = |code: &mut Builder, call: &SourceCall, may_be_null: bool| -> Vec<ExprId> {
            call.arguments.iter().map(|ty| self.argument(making, code, ty, inner, may_be_null)).collect()
        };
        // Making arguments leaves blocks that no handler covers.
        let guard = |code: &mut Builder| {
            let block = guarded(code);
            code.end(TerminatorKind::Goto(block));
            code.switch_to(block);
        };
        let object = match method.kind {
            MethodKind::Constructor => {
                let args = arguments(code, &maker.make, true);
                guard(code);
                let object = code.allocate(method.class);
                code.call(Dispatch::Special, maker.make.method, [vec![object], args].concat(), None);
                object
            }
            _ => {
                let args = arguments(code, &maker.make, true);
                guard(code);
                let made = code.call(Dispatch::Static, maker.make.method, args, method.result);
                made.unwrap_or_else(|| code.null())
            }
        };
        if method.kind != MethodKind::Constructor {
            let null = code.null();
            let condition = code.binary(BinaryOp::Ne, Type::Null, object, null);
            code.op(OpKind::Assume { condition });
        }
        if maker.changes.is_empty() {
            return code.ret(Some(object));
        }
        let most = if maker.is_collection { making.limits.elements } else { making.limits.calls };
        let (done, count) = (code.variable(INT), any_number(code, most));
        let zero = code.int(0);
        code.op(OpKind::Assign { dst: done, value: zero });
        let (head, change, end) = (guarded(code), guarded(code), code.block());
        code.end(TerminatorKind::Goto(head));
        code.switch_to(head);
        let so_far = code.local(done);
        let more = code.binary(BinaryOp::Lt, INT, so_far, count);
        code.end(TerminatorKind::Branch { condition: more, then_block: change, else_block: end });
        code.switch_to(change);
        let one = code.int(1);
        let next = code.binary(BinaryOp::Add, INT, so_far, one);
        code.op(OpKind::Assign { dst: done, value: next });
        for (index, call) in maker.changes.iter().enumerate() {
            let mut other = None;
            if index + 1 < maker.changes.len() {
                let (this, next) = (guarded(code), guarded(code));
                let condition = any(code, Type::Bool);
                code.end(TerminatorKind::Branch { condition, then_block: this, else_block: next });
                code.switch_to(this);
                other = Some(next);
            }
            let method = self.method(call.method);
            let args = arguments(code, call, !maker.is_collection);
            guard(code);
            let is_fixed = method.access == Access::Private || method.kind != MethodKind::Instance;
            let dispatch = if is_fixed { Dispatch::Special } else { Dispatch::Virtual };
            code.call(dispatch, call.method, [vec![object], args].concat(), method.result);
            code.end(TerminatorKind::Goto(head));
            if let Some(other) = other {
                code.switch_to(other);
            }
        }
        code.switch_to(end);
        code.ret(Some(object));
    }

    /// An argument of a call that makes or changes an object.
    fn argument(
        &self,
        making: &Making,
        code: &mut Builder,
        ty: &SourceType,
        depth: usize,
        may_be_null: bool,
    ) -> ExprId {
        if !ty.ty.is_reference() {
            return any(code, ty.ty);
        }
        if let Type::Array(array) = ty.ty
            && !self.element_type(array).is_reference()
        {
            return self.any_elements(code, ty.ty, making.limits.elements);
        }
        match self.maker(making, ty, depth) {
            Some(maker) => self.made_or_same(code, maker, ty.ty, may_be_null, &[]),
            None => code.null(),
        }
    }

    /// Code that returns any string of at most `most` characters, with one element of its array for each character.
    pub fn any_string(&self, most: u32) -> Body {
        let mut code = Builder::new(&[]);
        let Some(layout) = self.string_layout() else {
            let null = code.null();
            code.ret(Some(null));
            return code.finish();
        };
        let value = self.any_elements(&mut code, self.field(layout.value).ty, most);
        let text = code.allocate(layout.class);
        code.op(OpKind::PutField { object: text, field: layout.value, value });
        code.ret(Some(text));
        code.finish()
    }

    /// An array of a type whose elements are no references.
    fn any_elements(&self, code: &mut Builder, ty: Type, most: u32) -> ExprId {
        let length = any_number(code, most);
        let Type::Array(array) = ty else { return code.null() };
        let element = self.element_type(array);
        let intrinsic = Intrinsic::NondetArray(element);
        code.result(ty, |dst| OpKind::Intrinsic { dst: Some(dst), intrinsic, args: vec![length] })
    }

    /// An array whose elements are made.
    fn array_body(&self, making: &Making, element: Type, maker: MethodId) -> Body {
        let mut code = Builder::new(&[]);
        let length = any_number(&mut code, making.limits.elements);
        let zero = code.int(0);
        let array = code.result(self.array_of(element), |dst| OpKind::NewArray { dst, element, length });
        let done = code.variable(INT);
        code.op(OpKind::Assign { dst: done, value: zero });
        let (head, fill, end) = (code.block(), code.block(), code.block());
        code.end(TerminatorKind::Goto(head));
        code.switch_to(head);
        let index = code.local(done);
        let more = code.binary(BinaryOp::Lt, INT, index, length);
        code.end(TerminatorKind::Branch { condition: more, then_block: fill, else_block: end });
        code.switch_to(fill);
        let value = self.made_or_same(&mut code, maker, element, true, &[]);
        code.op(OpKind::ArrayPut { array, index, value });
        let one = code.int(1);
        let next = code.binary(BinaryOp::Add, INT, index, one);
        code.op(OpKind::Assign { dst: done, value: next });
        code.end(TerminatorKind::Goto(head));
        code.switch_to(end);
        code.ret(Some(array));
        code.finish()
    }
}

/// Any value of a type that is not a reference.
fn any(code: &mut Builder, ty: Type) -> ExprId {
    code.result(ty, |dst| OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Nondet(ty), args: Vec::new() })
}

/// Any number from 0 to `most`.
fn any_number(code: &mut Builder, most: u32) -> ExprId {
    let number = any(code, INT);
    for (low, high) in [(code.int(0), number), (number, code.int(most.into()))] {
        let condition = code.binary(BinaryOp::Le, INT, low, high);
        code.op(OpKind::Assume { condition });
    }
    number
}

/// Ends all executions here.
fn never(code: &mut Builder) {
    let condition = code.bool(false);
    code.op(OpKind::Assume { condition });
}
