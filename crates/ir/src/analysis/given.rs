//! Finds out whether callers of a program can have the objects to which its static fields refer.
//!
//! The analysis follows the values of variables and fields that may refer to the object of a static field, in each method
//! from where a variable gets the value to where it gets another one. If none of them leads out of the program, no
//! caller has the object, because everything that can read the field is known. If copies alone lead from the field to
//! something that callers get, they have it. Everything else is not known.

use super::are_related;
use super::callbacks::{is_made_up, selected_by_libraries};
use super::functions::FunctionObjects;
use super::reached::{is_looked_at, is_mutable, read_own_code, targets};
use crate::body::{BlockId, Body, Const, Dispatch, Expr, ExprId, Intrinsic, LocalId, OpKind, Point, TerminatorKind};
use crate::program::{FieldId, MethodId, MethodKind, Program, Type};
use crate::runtime::Made;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// What the code of callers can name.
pub trait Callers {
    /// Whether callers can read a field.
    fn can_read(&self, field: FieldId) -> bool;
    /// Whether callers can call a method by its name.
    fn can_call(&self, method: MethodId) -> bool;
    /// Whether all code is known that can read a field: that of generic classes has other instances.
    fn is_whole(&self, field: FieldId) -> bool;
}

/// Whether callers can have an object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Given {
    /// No caller can.
    No,
    /// Not known.
    Unknown,
    /// Callers can.
    Yes,
}

/// What the program's own code does with objects of static fields.
pub struct GivenObjects<'a> {
    program: &'a Program,
    callers: &'a dyn Callers,
    reads: FxHashMap<FieldId, Vec<(MethodId, Point)>>,
    writes: FxHashMap<FieldId, Vec<Value>>,
    /// The calls of each method.
    calls: FxHashMap<MethodId, Vec<(MethodId, Point)>>,
    /// Fields to which code makes managed pointers.
    pointed: FxHashSet<FieldId>,
    functions: FunctionObjects,
    called_back: FxHashSet<MethodId>,
    /// The answers of [`GivenObjects::is_given`], because each parameter asks for them.
    answers: RefCell<FxHashMap<FieldId, Given>>,
}

/// The value of an expression where an operation or terminator uses it.
#[derive(Clone, Copy)]
struct Value {
    method: MethodId,
    at: Point,
    expr: ExprId,
}

/// A variable that may refer to the object.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Alias {
    method: MethodId,
    local: LocalId,
    /// The operation that sets the variable; `None` for a parameter.
    set: Option<Point>,
    /// Whether only copies lead to it. Otherwise it may refer to something that leads to the object.
    is_exact: bool,
}

/// The variables and fields that may refer to the object of a field, and what it is.
#[derive(Default)]
struct Aliases {
    /// Whether objects to which the object leads count like the object itself.
    with_parts: bool,
    /// The type of the field, if its objects never change, such as strings. Other such types have no aliases.
    value: Option<Type>,
    seen: FxHashSet<Alias>,
    pending: Vec<Alias>,
    fields: FxHashSet<FieldId>,
    types: FxHashSet<Type>,
    /// The number of types for which platform code has called methods with the object.
    called_back: usize,
}

impl Aliases {
    fn add(&mut self, alias: Alias) {
        if self.seen.insert(alias) {
            self.pending.push(alias);
        }
    }

    /// Whether references of a type are aliases that are followed.
    fn are_followed(&self, program: &Program, ty: Type) -> bool {
        is_mutable(program, ty) || self.value.is_some_and(|value| are_related(program, value, ty))
    }

    /// Adds the local that gets the result of an operation.
    fn add_result(&mut self, program: &Program, method: MethodId, at: Point, is_exact: bool) {
        let Some(body) = program.body(method) else { return };
        let set = body.block(at.block).ops.get(at.op as usize).and_then(|op| op.kind.dst());
        if let Some(local) = set.filter(|&local| self.are_followed(program, body.local(local).ty)) {
            self.add(Alias { method, local, set: Some(at), is_exact });
        }
    }
}

impl<'a> GivenObjects<'a> {
    /// Analyses the whole program.
    pub fn new(program: &'a Program, callers: &'a dyn Callers) -> Self {
        read_own_code(program);
        let mut given = GivenObjects {
            program,
            callers,
            reads: FxHashMap::default(),
            writes: FxHashMap::default(),
            calls: FxHashMap::default(),
            pointed: FxHashSet::default(),
            functions: FunctionObjects::new(program),
            called_back: selected_by_libraries(program),
            answers: RefCell::default(),
        };
        let mut pointers = FxHashSet::default();
        for method in program.own_methods() {
            for (at, op) in program.body(method).into_iter().flat_map(Body::ops) {
                match op.kind {
                    OpKind::GetStatic { field, .. } | OpKind::GetField { field, .. } => {
                        given.reads.entry(field).or_default().push((method, at));
                    }
                    OpKind::PutStatic { field, value: expr } | OpKind::PutField { field, value: expr, .. } => {
                        given.writes.entry(field).or_default().push(Value { method, at, expr });
                    }
                    OpKind::Call { method: named, .. } => {
                        given.calls.entry(named).or_default().push((method, at));
                    }
                    OpKind::New { class, .. } if program.is_pointer(class) => {
                        pointers.insert(class);
                    }
                    _ => {}
                }
            }
        }
        let places = pointers.iter().flat_map(|&class| &program.class(class).methods);
        for (_, op) in places.filter_map(|&method| program.body(method)).flat_map(Body::ops) {
            if let OpKind::GetStatic { field, .. } | OpKind::GetField { field, .. } = op.kind {
                given.pointed.insert(field);
            }
        }
        given
    }

    /// Whether callers can have an object of a static field.
    pub fn is_given(&self, field: FieldId) -> Given {
        let known = self.answers.borrow().get(&field).copied();
        known.unwrap_or_else(|| {
            let given = self.find(field, Aliases::default());
            self.answers.borrow_mut().insert(field, given);
            given
        })
    }

    /// Whether callers can have an object of a static field, or one to which it leads.
    pub fn leads_to_given(&self, field: FieldId) -> Given {
        self.find(field, Aliases { with_parts: true, ..Aliases::default() })
    }

    fn find(&self, field: FieldId, mut aliases: Aliases) -> Given {
        if self.callers.can_read(field) {
            return Given::Yes;
        }
        let ty = self.program.field(field).ty;
        aliases.value = (ty.is_reference() && !is_mutable(self.program, ty)).then_some(ty);
        let written = self.writes.get(&field).into_iter().flatten().copied().collect();
        let mut given = self.add_field(&mut aliases, field, true).max(self.made(&mut aliases, written));
        while let (false, Some(alias)) = (given == Given::Yes, aliases.pending.pop()) {
            given = given.max(self.follow(&mut aliases, alias));
        }
        given
    }

    /// Adds the variables that get the value of a field that callers cannot read.
    fn add_field(&self, aliases: &mut Aliases, field: FieldId, is_exact: bool) -> Given {
        // What made-up classes keep, function objects for example, made-up code reads.
        let is_made_up = is_made_up(self.program, self.program.field(field).class);
        if is_made_up || !self.callers.is_whole(field) || self.pointed.contains(&field) {
            return Given::Unknown;
        }
        if aliases.fields.insert(field) {
            for &(method, at) in self.reads.get(&field).into_iter().flatten() {
                aliases.add_result(self.program, method, at, is_exact);
            }
        }
        Given::No
    }

    /// Whether callers have one of these values: no if they are objects that the program makes, or null. Adds the
    /// variables and fields that have them.
    fn made(&self, aliases: &mut Aliases, values: Vec<Value>) -> Given {
        let program = self.program;
        let mut pending = values;
        let mut seen: FxHashSet<(MethodId, Point)> = FxHashSet::default();
        while let Some(Value { method, at, expr }) = pending.pop() {
            let Some(body) = program.body(method) else { return Given::Unknown };
            let local = match *body.expr(expr) {
                Expr::Convert { value, .. } => {
                    pending.push(Value { method, at, expr: value });
                    continue;
                }
                Expr::Select(_, yes, no) => {
                    pending.extend([yes, no].map(|expr| Value { method, at, expr }));
                    continue;
                }
                Expr::Const(Const::Null) => continue,
                Expr::Local(local) => local,
                _ => return Given::Unknown,
            };
            let is_param = local.index() < program.method(method).params.len();
            if is_param && span_of(body, local, None).contains(&at) {
                return if self.callers.can_call(method) { Given::Yes } else { Given::Unknown };
            }
            for (set, op) in body.ops().filter(|(_, op)| op.kind.dst() == Some(local)) {
                if !span_of(body, local, Some(set)).contains(&at) || !seen.insert((method, set)) {
                    continue;
                }
                aliases.add_result(program, method, set, true);
                match op.kind {
                    OpKind::New { class, .. } => _ = aliases.types.insert(Type::Class(class)),
                    OpKind::NewArray { .. } => _ = aliases.types.insert(body.local(local).ty),
                    OpKind::Assign { value: expr, .. } | OpKind::Cast { object: expr, .. } => {
                        pending.push(Value { method, at: set, expr });
                    }
                    OpKind::GetStatic { field, .. } if self.callers.can_read(field) => return Given::Yes,
                    OpKind::GetStatic { field, .. } => match self.add_field(aliases, field, true) {
                        Given::No => pending.extend(self.writes.get(&field).into_iter().flatten()),
                        given => return given,
                    },
                    OpKind::Call { dispatch: Dispatch::Static | Dispatch::Special, method: callee, .. } => {
                        if let (true, Some(code)) = (self.is_followed(callee), program.body(callee)) {
                            pending.extend(returned(code).map(|(at, expr)| Value { method: callee, at, expr }));
                        } else if self.makes_array(callee) {
                            aliases.types.insert(body.local(local).ty);
                        } else {
                            return Given::Unknown;
                        }
                    }
                    _ => return Given::Unknown,
                }
            }
        }
        Given::No
    }

    /// Whether platform code makes a new array.
    fn makes_array(&self, callee: MethodId) -> bool {
        let result = self.program.method(callee).result;
        matches!(result, Some(Type::Array(_))) && self.program.passing(callee).made == Made::Holds
    }

    fn is_followed(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        is_looked_at(self.program, declared.class) && !declared.is_abstract
    }

    /// Whether a method gives callers what a variable refers to. Adds the variables and fields that get it.
    fn follow(&self, aliases: &mut Aliases, alias: Alias) -> Given {
        let Alias { method, local, is_exact, .. } = alias;
        let program = self.program;
        let Some(body) = program.body(method) else { return Given::Unknown };
        let mut given = if body.lost_code().is_some() { Given::Unknown } else { Given::No };
        let is_it = |value: ExprId| may_be(body, value, local);
        for at in span_of(body, local, alias.set) {
            let block = body.block(at.block);
            let Some(op) = block.ops.get(at.op as usize) else {
                let so = match block.terminator.kind {
                    TerminatorKind::Return(Some(value)) if is_it(value) => self.give_back(aliases, alias),
                    TerminatorKind::Throw(value) => unknown_if(is_it(value)),
                    _ => Given::No,
                };
                given = given.max(so);
                continue;
            };
            let so = match op.kind {
                OpKind::GetField { object: whole, .. } | OpKind::ArrayGet { array: whole, .. }
                    if aliases.with_parts && is_it(whole) =>
                {
                    aliases.add_result(program, method, at, false);
                    Given::No
                }
                OpKind::PutField { object: whole, value, .. } | OpKind::ArrayPut { array: whole, value, .. }
                    if aliases.with_parts && is_it(whole) =>
                {
                    match is_mutable(program, body.expr_type(value)) {
                        true => self.made(aliases, vec![Value { method, at, expr: value }]),
                        false => Given::No,
                    }
                }
                OpKind::Assign { value, .. } | OpKind::Cast { object: value, .. } => {
                    if is_it(value) {
                        aliases.add_result(program, method, at, is_exact);
                    }
                    Given::No
                }
                OpKind::PutStatic { field, value } if is_it(value) => match self.callers.can_read(field) {
                    true if is_exact => Given::Yes,
                    true => Given::Unknown,
                    false => self.add_field(aliases, field, is_exact && self.has_one_value(field)),
                },
                OpKind::PutField { field, value, .. } if is_it(value) => match self.callers.can_read(field) {
                    true => Given::Unknown,
                    false => self.add_field(aliases, field, false),
                },
                OpKind::PutStatic { .. }
                | OpKind::PutField { .. }
                | OpKind::GetField { .. }
                | OpKind::ArrayGet { .. }
                | OpKind::ArrayLength { .. }
                | OpKind::Quantify { .. }
                | OpKind::InstanceOf { .. }
                | OpKind::Intrinsic { intrinsic: Intrinsic::Known | Intrinsic::Alike, .. } => Given::No,
                OpKind::ArrayPut { value, .. } => unknown_if(is_it(value)),
                OpKind::Call { dispatch, method: named, ref args, .. } => {
                    let indices = args.iter().enumerate().filter(|(_, arg)| is_it(**arg));
                    let call = Call { at, dispatch, named };
                    indices.map(|(index, _)| self.pass(aliases, alias, &call, index)).max().unwrap_or(Given::No)
                }
                ref other => unknown_if(other.operands().into_iter().any(is_it)),
            };
            given = given.max(so);
        }
        given
    }

    fn has_one_value(&self, field: FieldId) -> bool {
        self.writes.get(&field).is_some_and(|writes| writes.len() == 1)
    }

    /// Whether a call gives callers its argument with this index, from 0. Adds the variables that get it.
    fn pass(&self, aliases: &mut Aliases, alias: Alias, call: &Call, index: usize) -> Given {
        let program = self.program;
        let named = call.named;
        let mut callees: Vec<MethodId> = match call.dispatch {
            Dispatch::Static | Dispatch::Special => vec![named],
            // Other code may override the method of an object that is not known.
            Dispatch::Virtual if index > 0 && self.is_overridden_elsewhere(named) => return Given::Unknown,
            Dispatch::Virtual if !is_looked_at(program, program.method(named).class) => vec![named],
            Dispatch::Virtual => targets(program, call.dispatch, named),
        };
        if let (Dispatch::Virtual, 0) = (call.dispatch, index) {
            let known = aliases.types.iter().filter_map(|&ty| match ty {
                Type::Class(class) => Some(program.dispatch(class, named)),
                _ => None,
            });
            callees.extend(known);
        }
        let passed = callees.into_iter().map(|callee| {
            if !is_looked_at(program, program.method(callee).class) {
                return self.pass_away(aliases, alias, call, callee, index);
            }
            let is_operation = program.is_synthetic(callee) && program.method(callee).name.starts_with('$');
            if is_operation && index == 0 {
                return Given::No;
            }
            if self.is_followed(callee) {
                aliases.add(Alias { method: callee, local: LocalId(index as u32), set: None, ..alias });
            }
            unknown_if(!self.is_followed(callee))
        });
        passed.max().unwrap_or(Given::Unknown)
    }

    /// Whether code outside of the program may override a method, or implement it.
    fn is_overridden_elsewhere(&self, method: MethodId) -> bool {
        let class = self.program.method(method).class;
        match is_looked_at(self.program, class) {
            true => !self.program.is_private(method),
            false => self.program.class(class).is_interface || self.program.is_root(class),
        }
    }

    /// The same for platform code.
    fn pass_away(&self, aliases: &mut Aliases, alias: Alias, call: &Call, callee: MethodId, index: usize) -> Given {
        let program = self.program;
        let declared = program.method(callee);
        let is_receiver = index == 0 && declared.kind != MethodKind::Static;
        let is_constructor = declared.kind == MethodKind::Constructor;
        if is_receiver && (is_constructor || declared.name.starts_with('$')) {
            return Given::No;
        }
        let passing = program.passing(callee);
        // What else the object gets may come from callers.
        if aliases.with_parts && passing.keeps {
            return Given::Unknown;
        }
        // What a collection is made of is not the array itself.
        let is_array = aliases.types.iter().all(|ty| matches!(ty, Type::Array(_))) && !aliases.types.is_empty();
        let is_copied = passing.made == Made::Holds && is_array && (is_constructor || !passing.keeps);
        // Whoever has the place to which another pointer leads finds there what the code puts into it.
        let is_place = |(other, &ty): (usize, &Type)| {
            other != index && matches!(ty, Type::Class(class) if program.is_pointer(class))
        };
        let has_place = passing.made != Made::Flat && declared.params.iter().enumerate().any(is_place);
        if passing.keeps && !is_receiver && !is_copied || has_place {
            return Given::Unknown;
        }
        if program.may_call_back(callee) {
            self.call_back(aliases);
        }
        let is_result = match passing.made {
            Made::Views => true,
            Made::Holds => aliases.with_parts || !is_receiver && !is_array,
            Made::Flat => {
                declared.result.is_some_and(|ty| aliases.types.iter().any(|&own| are_related(program, own, ty)))
            }
        };
        let has_result = declared.result.is_some_and(|ty| aliases.are_followed(program, ty));
        if is_result && has_result {
            aliases.add_result(program, alias.method, call.at, false);
        }
        Given::No
    }

    /// Adds the parameters of methods that platform code may call with the object.
    fn call_back(&self, aliases: &mut Aliases) {
        let program = self.program;
        // The same types lead to the same methods.
        if std::mem::replace(&mut aliases.called_back, aliases.types.len()) == aliases.types.len() {
            return;
        }
        let functions =
            program.classes().filter(|&(id, _)| is_made_up(program, id)).flat_map(|(_, class)| &class.methods);
        let run = functions.copied().filter(|&method| !program.method(method).name.starts_with('$'));
        for method in self.called_back.iter().copied().chain(run) {
            let declared = program.method(method);
            if declared.is_abstract || program.is_pointer(declared.class) {
                continue;
            }
            for (index, &ty) in declared.params.iter().enumerate() {
                if aliases.types.iter().any(|&own| are_related(program, own, ty)) {
                    aliases.add(Alias { method, local: LocalId(index as u32), set: None, is_exact: false });
                }
            }
        }
    }

    /// Whether callers get the result of a method. Adds the variables that get it.
    fn give_back(&self, aliases: &mut Aliases, alias: Alias) -> Given {
        let program = self.program;
        let declared = program.method(alias.method);
        let is_own = !program.class(declared.class).is_library;
        if is_own && self.callers.can_call(alias.method) {
            return if alias.is_exact { Given::Yes } else { Given::Unknown };
        }
        // Type parameters lead to explicit implementations, whose names have that of the interface in them.
        let is_named_only = (declared.kind == MethodKind::Static || program.is_private(alias.method))
            && is_own
            && !declared.name.contains('.')
            && self.functions.classes(alias.method).next().is_none();
        for &(method, at) in self.calls.get(&alias.method).into_iter().flatten().filter(|_| is_named_only) {
            aliases.add_result(program, method, at, alias.is_exact);
        }
        unknown_if(!is_named_only)
    }
}

/// A call as the code has it.
struct Call {
    at: Point,
    dispatch: Dispatch,
    named: MethodId,
}

fn unknown_if(is: bool) -> Given {
    if is { Given::Unknown } else { Given::No }
}

/// The values that a body returns.
fn returned(body: &Body) -> impl Iterator<Item = (Point, ExprId)> + '_ {
    body.block_ids().filter_map(|id| match body.block(id).terminator.kind {
        TerminatorKind::Return(Some(value)) => Some((end_of(body, id), value)),
        _ => None,
    })
}

/// The point before the terminator of a block.
fn end_of(body: &Body, block: BlockId) -> Point {
    Point { block, op: body.block(block).ops.len() as u32 }
}

/// The points at which a local may have the value that an operation set, or that it had at the start.
fn span_of(body: &Body, local: LocalId, set: Option<Point>) -> Vec<Point> {
    let start = set.map_or(Point { block: Body::ENTRY, op: 0 }, |set| Point { op: set.op + 1, ..set });
    let mut pending = vec![start];
    let mut seen: FxHashSet<BlockId> = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(from) = pending.pop() {
        if from.op == 0 && !seen.insert(from.block) {
            continue;
        }
        let block = body.block(from.block);
        let handlers = block.handlers.iter().map(|handler| handler.target);
        pending.extend(handlers.map(|block| Point { block, op: 0 }));
        let rest = block.ops.iter().enumerate().skip(from.op as usize);
        let mut is_set = false;
        for (op, kind) in rest.map(|(op, code)| (op, &code.kind)) {
            found.push(Point { op: op as u32, ..from });
            is_set = kind.dst() == Some(local);
            if is_set {
                break;
            }
        }
        if !is_set {
            found.push(end_of(body, from.block));
            let successors = block.terminator.kind.successors().into_iter();
            pending.extend(successors.map(|block| Point { block, op: 0 }));
        }
    }
    found
}

/// Whether the value of an expression may be that of a variable with a reference.
fn may_be(body: &Body, value: ExprId, local: LocalId) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match *body.expr(value) {
            Expr::Local(other) if other == local => return true,
            Expr::Convert { value, .. } => pending.push(value),
            Expr::Select(_, yes, no) => pending.extend([yes, no]),
            _ => {}
        }
    }
    false
}
