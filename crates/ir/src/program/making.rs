//! Makes the inputs of entry points in the way of callers: by constructors, static methods, and calls on the objects.

use super::{ClassId, FieldId, MethodId, MethodKind, Program, Type, whole};
use crate::analysis::never_null_once_made;
use crate::body::{BinaryOp, Body, Dispatch, ExprId, Handler, Intrinsic, LocalId, OpKind, TerminatorKind};
use crate::builder::Builder;
use crate::profile::InputStrings;
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
    /// All fields of the object, if callers can give each of them any value and the constructor does nothing else. Then they
    /// get values, and nothing is called.
    pub open_fields: Vec<FieldId>,
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

/// How large inputs are, as a bound of proofs. `None` means that there is no limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InputLimits {
    /// Most elements of an array, except for those that are parts of strings and collections.
    pub elements: Option<u32>,
    /// Most objects, arrays and the parts of strings and collections included.
    pub objects: Option<u32>,
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
    /// runtime ([`crate::Runtime::makers`]). Arguments of other types are any as before, without impossible objects.
    /// Exceptions while an object is made and false assertions mean that there is no such input.
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

    /// The same program, whose inputs are no larger than that.
    pub fn with_input_limits(&self, input_limits: InputLimits) -> Program {
        Program { input_limits, ..self.clone() }
    }

    /// How large inputs are.
    pub fn input_limits(&self) -> InputLimits {
        self.input_limits
    }

    /// The same program, whose inputs may have strings of any length.
    pub fn with_long_strings(&self) -> Program {
        let Some(strings) = self.input_strings() else { return self.clone() };
        let keep_within_bound = strings.keep_within_bound.map(|method| {
            let mut code = Builder::new(&self.method(method).params);
            code.ret(None);
            (method, code.finish())
        });
        let long = InputStrings { most: None, ..strings.clone() };
        let program = Program { long_strings: Some(long.into()), ..self.clone() };
        program.with_bodies(keep_within_bound)
    }

    /// The same program, whose inputs may be objects of these classes of the library with any values in their fields, as far
    /// as they can be described ([`crate::Runtime::can_be_described`]).
    pub fn with_described_inputs(&self, classes: impl IntoIterator<Item = ClassId>) -> Program {
        let can_be = |class: &ClassId| self.tables.profile.runtime.can_be_described(self, *class);
        let described: FxHashSet<ClassId> = classes.into_iter().filter(can_be).collect();
        Program { described: described.into(), ..self.clone() }
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
                Type::Class(class) if self.is_made_by_calls(class) => return true,
                Type::Class(class) => {
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
        // Collections that may be in any state are among the inputs that are not made.
        let is_left_out = |class: ClassId| self.may_be_impossible(class) || self.is_made_only(class);
        let makes_one = |maker: &Maker| maker.is_collection && is_left_out(self.method(maker.make.method).class);
        self.class(class).is_library && self.makers(&Type::Class(class).into()).iter().any(makes_one)
    }

    fn makers(&self, ty: &SourceType) -> Vec<Maker> {
        let mut makers = self.tables.profile.runtime.makers(self, ty);
        makers.retain(|maker| {
            let mut calls = std::iter::once(&maker.make).chain(&maker.changes);
            calls.all(|call| self.can_be_of_maker(call.method))
        });
        makers
    }

    /// Whether a maker may call this method: constructors, methods of the object that is made, and static methods that return an
    /// object.
    pub(crate) fn can_be_of_maker(&self, method: MethodId) -> bool {
        let method = self.method(method);
        method.kind != MethodKind::Static || matches!(method.result, Some(Type::Class(_)))
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
            let body = self.making_body(making, body, &params, &made);
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
        let makers = self.makers(ty);
        self.class(class).is_library && !makers.is_empty() && makers.iter().all(makes_it)
    }

    /// Whether an entry point is a constructor that is called on a new object. That of an abstract class is called on an
    /// object of a subclass instead.
    pub fn constructs(&self, entry: MethodId) -> bool {
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
    fn making_body(&self, making: &Making, body: Body, params: &[Type], made: &[Option<MethodId>]) -> Body {
        let (code, next) = Builder::in_front_of(body);
        let mut writer = MakerCode { code, ..MakerCode::new(self, making, making.limits.depth) };
        for (index, &ty) in params.iter().enumerate() {
            let Some(maker) = made[index] else { continue };
            let same = (0..index).filter(|&earlier| params[earlier] == ty);
            let same: Vec<ExprId> = same.map(|earlier| writer.code.param(earlier)).collect();
            let value = writer.made_or_same(maker, ty, true, &same);
            writer.code.op(OpKind::Assign { dst: LocalId(index as u32), value });
        }
        writer.code.end(TerminatorKind::Goto(next));
        writer.code.finish()
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
                maker.map(|maker| MakerCode::new(self, making, depth).array(element.ty, maker))
            }
            _ => {
                let mut makers = self.makers(ty);
                let is_leaf = |call: &SourceCall| call.arguments.iter().all(|argument| !argument.ty.is_reference());
                if depth == 0 {
                    let is_plain = |&field: &FieldId| !self.field(field).ty.is_reference();
                    makers.retain(|maker| is_leaf(&maker.make) && maker.open_fields.iter().all(is_plain));
                    makers.iter_mut().for_each(|maker| maker.changes.retain(is_leaf));
                }
                (!makers.is_empty()).then(|| MakerCode::new(self, making, depth).object(ty.ty, &makers))
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

    /// Code that returns any string of at most `most` characters, with one element of its array for each character.
    pub fn any_string(&self, most: u32) -> Body {
        let mut code = Builder::new(&[]);
        let Some(layout) = self.string_layout() else {
            let null = code.null();
            code.ret(Some(null));
            return code.finish();
        };
        let value = any_elements(self, &mut code, self.field(layout.value).ty, most);
        let text = code.allocate(layout.class);
        code.op(OpKind::PutField { object: text, field: layout.value, value });
        code.ret(Some(text));
        code.finish()
    }
}

/// Writes the code of a method that makes an object.
struct MakerCode<'a> {
    program: &'a Program,
    making: &'a Making,
    code: Builder,
    /// The number of objects that are made for each other, for those that the object needs.
    inner: usize,
    /// What catches exceptions.
    handler: Option<Handler>,
}

impl<'a> MakerCode<'a> {
    fn new(program: &'a Program, making: &'a Making, depth: usize) -> Self {
        let inner = depth.saturating_sub(1);
        MakerCode { program, making, code: Builder::new(&[]), inner, handler: None }
    }

    /// The code that makes an object in one of these ways.
    fn object(mut self, ty: Type, makers: &[Maker]) -> Body {
        let failed = self.code.block();
        let exception = self.code.variable(self.program.root().map_or(ty, Type::Class));
        self.handler = Some(Handler { class: None, target: failed, exception });
        self.choose(makers.len(), |writer, index| writer.make(&makers[index]));
        // An exception means that there is no such object.
        self.code.switch_to(failed);
        let condition = self.code.bool(false);
        self.code.op(OpKind::Assume { condition });
        let null = self.code.null();
        self.code.ret(Some(null));
        self.code.finish()
    }

    /// The code that makes an array whose elements are made.
    fn array(mut self, element: Type, maker: MethodId) -> Body {
        let length = any_number(&mut self.code, self.making.limits.elements);
        let array = self.program.array_of(element);
        let array = self.code.result(array, |dst| OpKind::NewArray { dst, element, length });
        self.repeat(length, |writer, index| {
            let value = writer.made_or_same(maker, element, true, &[]);
            writer.code.op(OpKind::ArrayPut { array, index, value });
        });
        self.code.ret(Some(array));
        self.code.finish()
    }

    /// Makes an object and returns it.
    fn make(&mut self, maker: &Maker) {
        let method = self.program.method(maker.make.method);
        self.guard();
        if let Some((field, initializer)) = self.program.initialization(method.class) {
            self.code.op(OpKind::Ensure { field, method: initializer });
        }
        let args = self.arguments(&maker.make, true);
        self.guard();
        let object = match method.kind {
            MethodKind::Constructor if !maker.open_fields.is_empty() => {
                let object = self.code.allocate(method.class);
                for &field in &maker.open_fields {
                    let value = self.argument(&self.program.field(field).ty.into(), true);
                    self.code.op(OpKind::PutField { object, field, value });
                }
                object
            }
            MethodKind::Constructor => {
                let object = self.code.allocate(method.class);
                self.code.call(Dispatch::Special, maker.make.method, [vec![object], args].concat(), None);
                object
            }
            _ => {
                let made = self.code.call(Dispatch::Static, maker.make.method, args, method.result);
                let made = made.unwrap_or_else(|| self.code.null());
                self.code.assume_not_null(made);
                made
            }
        };
        if !maker.changes.is_empty() {
            let limits = self.making.limits;
            let count = any_number(&mut self.code, if maker.is_collection { limits.elements } else { limits.calls });
            self.repeat(count, |writer, _| writer.change(maker, object));
        }
        let class = match (method.kind, method.result) {
            (MethodKind::Constructor, _) => Some(method.class),
            (_, Some(Type::Class(class))) => Some(class),
            _ => None,
        };
        // Declarations are trusted although a constructor may leave the field null.
        for field in class.into_iter().flat_map(|class| self.program.instance_fields(class)) {
            let ty = self.program.field(field).ty;
            if ty.is_reference() && self.program.is_never_null(field) {
                let value = self.code.get(object, field, ty);
                self.code.assume_not_null(value);
            }
        }
        self.code.ret(Some(object));
    }

    /// Calls one of the methods that change an object.
    fn change(&mut self, maker: &Maker, object: ExprId) {
        let end = self.code.block();
        self.choose(maker.changes.len(), |writer, index| {
            let call = &maker.changes[index];
            let method = writer.program.method(call.method);
            let args = writer.arguments(call, !maker.is_collection);
            writer.guard();
            let is_fixed = method.access == Access::Private || method.kind != MethodKind::Instance;
            let dispatch = if is_fixed { Dispatch::Special } else { Dispatch::Virtual };
            writer.code.call(dispatch, call.method, [vec![object], args].concat(), method.result);
            writer.code.end(TerminatorKind::Goto(end));
        });
        self.code.switch_to(end);
    }

    /// The arguments of a call that makes or changes an object.
    fn arguments(&mut self, call: &SourceCall, may_be_null: bool) -> Vec<ExprId> {
        let method = self.program.method(call.method);
        let receivers = usize::from(method.kind != MethodKind::Static);
        let is_enclosed = self.program.takes_enclosing_object(call.method);
        let mut arguments = Vec::new();
        for (index, ty) in call.arguments.iter().enumerate() {
            let argument = self.argument(ty, may_be_null);
            if is_enclosed && index == 0 || self.program.takes_no_null(call.method, index + receivers) {
                self.code.assume_not_null(argument);
            }
            arguments.push(argument);
        }
        arguments
    }

    fn argument(&mut self, ty: &SourceType, may_be_null: bool) -> ExprId {
        match ty.ty {
            plain if !plain.is_reference() => any(&mut self.code, plain),
            Type::Array(array) if !self.program.element_type(array).is_reference() => {
                any_elements(self.program, &mut self.code, ty.ty, self.making.limits.elements)
            }
            _ => match self.program.maker(self.making, ty, self.inner) {
                Some(maker) => self.made_or_same(maker, ty.ty, may_be_null, &[]),
                None => self.code.null(),
            },
        }
    }

    /// A new object, null, or one of some objects that exist.
    fn made_or_same(&mut self, maker: MethodId, ty: Type, may_be_null: bool, same: &[ExprId]) -> ExprId {
        let null = self.code.null();
        let others: Vec<ExprId> = same.iter().copied().chain(may_be_null.then_some(null)).collect();
        let (result, end) = (self.code.variable(ty), self.code.block());
        self.choose(others.len() + 1, |writer, index| {
            writer.code.op(match others.get(index) {
                Some(&value) => OpKind::Assign { dst: result, value },
                None => OpKind::Call { dst: Some(result), dispatch: Dispatch::Static, method: maker, args: Vec::new() },
            });
            writer.code.end(TerminatorKind::Goto(end));
        });
        self.code.switch_to(end);
        self.code.local(result)
    }

    /// Goes on in a block whose exceptions are caught. Other code leaves blocks that no handler covers.
    fn guard(&mut self) {
        let block = match self.handler {
            Some(handler) => self.code.guarded_block(handler),
            None => self.code.block(),
        };
        self.code.end(TerminatorKind::Goto(block));
        self.code.switch_to(block);
    }

    /// Any one of `count` pieces of code, which end their blocks.
    fn choose(&mut self, count: usize, mut each: impl FnMut(&mut Self, usize)) {
        for index in 0..count.saturating_sub(1) {
            let is_it = any(&mut self.code, Type::Bool);
            let (_, next) = self.code.branch(is_it);
            each(self, index);
            self.code.switch_to(next);
        }
        if let Some(last) = count.checked_sub(1) {
            each(self, last);
        }
    }

    /// Code that runs `count` times, with the number of the time from 0.
    fn repeat(&mut self, count: ExprId, each: impl FnOnce(&mut Self, ExprId)) {
        let done = self.code.variable(INT);
        let zero = self.code.int(0);
        self.code.op(OpKind::Assign { dst: done, value: zero });
        let (head, work, end) = (self.code.block(), self.code.block(), self.code.block());
        self.code.end(TerminatorKind::Goto(head));
        self.code.switch_to(head);
        let index = self.code.local(done);
        let condition = self.code.binary(BinaryOp::Lt, INT, index, count);
        self.code.end(TerminatorKind::Branch { condition, then_block: work, else_block: end });
        self.code.switch_to(work);
        each(self, index);
        let one = self.code.int(1);
        let value = self.code.binary(BinaryOp::Add, INT, index, one);
        self.code.op(OpKind::Assign { dst: done, value });
        self.code.end(TerminatorKind::Goto(head));
        self.code.switch_to(end);
    }
}

/// Any array of a type whose elements are no references.
fn any_elements(program: &Program, code: &mut Builder, ty: Type, most: u32) -> ExprId {
    let length = any_number(code, most);
    let Type::Array(array) = ty else { return code.null() };
    let intrinsic = Intrinsic::NondetArray(program.element_type(array));
    code.result(ty, |dst| OpKind::Intrinsic { dst: Some(dst), intrinsic, args: vec![length] })
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
