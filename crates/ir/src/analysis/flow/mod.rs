//! Finds which references may refer to objects of static fields, and which parts of such objects are written; and which
//! references may refer to new objects of chosen classes.
//!
//! This is a points-to analysis with set constraints (Andersen, "Program analysis and specialization for the C
//! programming language", 1994). It is insensitive to flow and context, merges each field over all objects, and merges
//! the elements of all arrays. Platform code is not analysed; the front end describes what it does with its arguments.

mod callers;
mod new_objects;
mod platform;
mod types;

pub(super) use callers::results;
pub(super) use types::lead_to;
pub use types::{are_related, types_behind};

use super::callbacks::{is_made_up, selected_by_libraries};
use super::origins::{ARGUMENT, CLOSED, FOREIGN, NEW, OPEN, Origins, Roots};
use super::reached::{code, is_looked_at, is_mutable, runs_platform_code};
use super::{Stop, Stopped};
use crate::body::{Block, Body, Expr, ExprId, Intrinsic, LocalId, OpKind, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use callers::hand;
use platform::Called;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// The flow of references through the methods of a program.
pub(super) struct Flow<'p> {
    program: &'p Program,
    /// Methods that may have run before, other than as a part of class initialization.
    earlier: FxHashSet<MethodId>,
    /// Methods that platform code may call.
    called_back: FxHashSet<MethodId>,
    /// The classes whose new objects have the root [`NEW`].
    watched: FxHashSet<ClassId>,
    facts: Facts,
    /// Whether the current pass over the code has found a new fact.
    is_moving: bool,
    /// Methods that are instances of generic methods.
    instances: FxHashSet<MethodId>,
    known: Known,
}

/// Answers about the program, which are remembered because each pass asks for them.
#[derive(Default)]
struct Known {
    /// Whether an array may have a type.
    arrays: Answers<Type, bool>,
    /// Whether values of a type can lead to new objects of watched classes.
    holders: Answers<Type, bool>,
    /// Whether objects of a class have fields in which platform code keeps objects.
    keepers: Answers<ClassId, bool>,
    /// Whether values of a class are objects of static fields, wherever they come from.
    constants: Answers<ClassId, bool>,
    /// The methods that read the places to which managed pointers of a class point.
    readers: Answers<ClassId, Rc<[MethodId]>>,
    /// What calls run, by whether they are virtual and the method that they name.
    calls: Answers<(bool, MethodId), Rc<Called>>,
    /// What accesses of a field stand for, by whether an instance of a generic method has them ([`Flow::fields_meant`]).
    meant: Answers<(bool, FieldId), Rc<[FieldId]>>,
}

type Answers<K, V> = RefCell<FxHashMap<K, V>>;

impl Known {
    /// Forgets what other classes may change.
    fn forget(&mut self) {
        self.readers.get_mut().clear();
        self.calls.get_mut().clear();
        self.meant.get_mut().clear();
    }
}

/// The facts about references. They only grow.
#[derive(Default)]
struct Facts {
    locals: FxHashMap<(MethodId, LocalId), Origins>,
    fields: FxHashMap<FieldId, Origins>,
    elements: Origins,
    results: FxHashMap<MethodId, Origins>,
    thrown: Origins,
    /// Roots of objects that platform code has received. It may pass them to methods that it calls.
    given: Roots,
    /// Whether platform code has received a new object of a watched class together with a managed pointer.
    is_new_given_with_pointer: bool,
    /// Roots of objects that platform objects may keep.
    held: Roots,
    /// Types of objects that callers can get from static fields.
    handed: FxHashSet<Type>,
    /// Types of objects of static fields that callers outside of the program can get, by the field's root.
    given_out: FxHashSet<(Type, Roots)>,
    /// Whether callers can get an object of a field that they cannot access.
    is_leaking: bool,
    /// The roots in which initialization stores the object of a local.
    stored: FxHashMap<(MethodId, LocalId), Roots>,
    /// Whether a static field refers to something through which objects of static fields can be changed.
    is_view_kept: bool,
    /// Whether initialization stores objects of other classes' static fields in those of the class.
    is_foreign_kept: bool,
    /// Whether initialization makes objects of accessible static fields lead to objects of other fields, or the other
    /// way round.
    is_linked: bool,
    /// What methods have whose code is not known as a whole: that code may store it anywhere, and pass it to anything.
    lost: Origins,
    /// Whether state of a library, or a static method of one, keeps a new object of a watched class.
    is_new_kept_by_library: bool,
    /// Roots of which any field may change.
    changed_anyhow: Roots,
    changed_fields: FxHashSet<(FieldId, Roots)>,
    changed_elements: FxHashSet<(Type, Roots)>,
    /// Types of platform objects that may change.
    changed_objects: FxHashSet<(Type, Roots)>,
    /// Roots whose arrays and platform objects, of any type, may change through another object.
    changed_through: Roots,
}
impl<'p> Flow<'p> {
    /// Analyses the flow through `all` methods. Those in `earlier` may have run before, other than as a part of class
    /// initialization.
    ///
    /// # Errors
    /// The analysis had to stop.
    pub(super) fn new(
        program: &'p Program,
        all: &[MethodId],
        earlier: FxHashSet<MethodId>,
        stop: Stop,
    ) -> Result<Self, Stopped> {
        Self::with(program, all, earlier, FxHashSet::default(), stop)
    }

    /// Analyses the flow of new objects of the `watched` classes through `all` methods ([`Flow::may_lead_to_new`]).
    ///
    /// # Errors
    /// The analysis had to stop.
    pub(super) fn of_new(
        program: &'p Program,
        all: &[MethodId],
        watched: FxHashSet<ClassId>,
        stop: Stop,
    ) -> Result<Self, Stopped> {
        Self::with(program, all, FxHashSet::default(), watched, stop)
    }

    fn with(
        program: &'p Program,
        all: &[MethodId],
        earlier: FxHashSet<MethodId>,
        watched: FxHashSet<ClassId>,
        stop: Stop,
    ) -> Result<Self, Stopped> {
        let called_back = selected_by_libraries(program);
        let mut flow = Flow {
            program,
            earlier,
            called_back,
            watched,
            facts: Facts::default(),
            is_moving: true,
            instances: all.iter().copied().filter(|&method| program.is_instance_of_generic(method)).collect(),
            known: Known::default(),
        };
        for (_, op) in all.iter().filter_map(|&method| code(program, method)).flat_map(Body::ops) {
            match op.kind {
                OpKind::GetStatic { field, .. } if flow.is_root(field) && !program.is_private_field(field) => {
                    hand(program, &mut flow.facts.handed, program.field(field).ty);
                    flow.give_out(field, flow.root(field));
                }
                _ => {}
            }
        }
        let mut changes = program.hierarchy_changes();
        while std::mem::take(&mut flow.is_moving) {
            // Reading code may have added subtypes.
            if std::mem::replace(&mut changes, program.hierarchy_changes()) != program.hierarchy_changes() {
                flow.known.forget();
            }
            let handed = flow.facts.handed.len();
            flow.pass_all_arguments(all);
            for &method in all {
                if stop() {
                    return Err(Stopped);
                }
                if let Some(body) = code(program, method) {
                    flow.pass(method, body);
                }
            }
            flow.is_moving |= handed < flow.facts.handed.len();
        }
        flow.change_given_out();
        Ok(flow)
    }

    /// Whether a method may have run before, other than as a part of class initialization.
    pub(super) fn is_earlier(&self, method: MethodId) -> bool {
        self.earlier.contains(&method)
    }

    /// Whether a method runs only as a part of the initialization of the static field's class. Nothing else has
    /// accessed the field before.
    pub(super) fn is_own_initialization(&self, method: MethodId, field: FieldId) -> bool {
        !self.is_earlier(method) && self.program.method(method).class == self.program.field(field).class
    }

    /// Whether a static field of the program may refer to objects that change.
    pub(super) fn is_root(&self, field: FieldId) -> bool {
        let declared = self.program.field(field);
        is_looked_at(self.program, declared.class)
            && !is_made_up(self.program, declared.class)
            && is_mutable(self.program, declared.ty)
    }

    /// Whether a synthetic static field holds a mutable object. It is a place through which methods pass on parts of
    /// structs.
    fn is_register(&self, field: FieldId) -> bool {
        let declared = self.program.field(field);
        is_made_up(self.program, declared.class) && is_mutable(self.program, declared.ty)
    }

    /// Whether an operation reads a cell that is written elsewhere, in an object that may be one of a static field.
    pub(super) fn reads_changed(&self, method: MethodId, body: &Body, op: &OpKind, seen: Roots) -> bool {
        let facts = &self.facts;
        let is_shared = |expr: ExprId, written: Roots| {
            self.reach(self.of(method, body, expr).roots() & seen) & self.reach(written) != 0
        };
        let reads_elements = |array: ExprId| {
            let Type::Array(id) = body.expr_type(array) else { return false };
            let element = self.program.element_type(id);
            let mut changed = facts.changed_elements.iter();
            is_shared(array, facts.changed_through)
                || changed.any(|&(ty, written)| are_related(self.program, ty, element) && is_shared(array, written))
        };
        match *op {
            OpKind::GetField { object, field, .. } => {
                is_shared(object, facts.changed_anyhow)
                    || facts.changed_fields.iter().any(|&(other, written)| other == field && is_shared(object, written))
            }
            OpKind::ArrayGet { array, .. } | OpKind::Quantify { array, .. } => reads_elements(array),
            OpKind::Intrinsic { intrinsic: Intrinsic::Alike, ref args, .. } => {
                args.iter().any(|&arg| reads_elements(arg))
            }
            OpKind::Call { dispatch, method: named, ref args, .. }
                if runs_platform_code(self.program, dispatch, named) =>
            {
                args.iter().any(|&arg| {
                    let ty = body.expr_type(arg);
                    let is_changed = |&(changed, written): &(Type, Roots)| {
                        are_related(self.program, changed, ty) && is_shared(arg, written)
                    };
                    ty.is_reference() && is_shared(arg, facts.changed_through)
                        || reads_elements(arg)
                        || facts.changed_objects.iter().any(is_changed)
                })
            }
            _ => false,
        }
    }

    /// The static fields to whose objects references with these roots may refer.
    fn reach(&self, roots: Roots) -> Roots {
        if self.facts.is_linked && roots != 0 {
            return CLOSED | OPEN;
        }
        match (roots & ARGUMENT != 0, self.facts.is_leaking) {
            (false, _) => roots & (CLOSED | OPEN),
            (true, false) => roots & CLOSED | OPEN,
            (true, true) => CLOSED | OPEN,
        }
    }

    fn pass(&mut self, method: MethodId, body: &'p Body) {
        for (_, op) in body.ops() {
            self.pass_op(method, body, &op.kind);
        }
        if let Some(lost) = body.lost_code() {
            self.pass_lost(method, body, body.block(lost));
        }
        for block in &body.blocks {
            match block.terminator.kind {
                TerminatorKind::Return(Some(value)) => {
                    let origins = self.of(method, body, value);
                    if origins != Origins::NONE {
                        merge(&mut self.is_moving, self.facts.results.entry(method).or_default(), origins);
                        let ty = body.expr_type(value);
                        self.pass_back(method, ty, origins);
                        self.pass_to_callers(method, ty, origins);
                    }
                }
                TerminatorKind::Throw(value) => {
                    let origins = self.of(method, body, value);
                    merge(&mut self.is_moving, &mut self.facts.thrown, origins);
                    if self.is_earlier(method) {
                        self.publish(origins);
                    }
                }
                _ => {}
            }
            for handler in &block.handlers {
                self.add((method, handler.exception), self.facts.thrown);
            }
        }
    }

    /// Passes what a method has to code of the method that is not known: it may do anything with that.
    fn pass_lost(&mut self, method: MethodId, body: &'p Body, lost: &Block) {
        let program = self.program;
        let locals = (0..body.locals.len()).map(|index| (method, LocalId(index as u32)));
        let known = locals.filter_map(|local| self.facts.locals.get(&local).copied());
        let all = known.fold(Origins::NONE, |all, origins| all | origins);
        merge(&mut self.is_moving, &mut self.facts.lost, all);
        for op in &lost.ops {
            if let OpKind::Call { dispatch, method: named, ref args, .. } = op.kind {
                for &callee in &self.called(dispatch, named, args.len()).targets {
                    for index in 0..args.len() {
                        self.add((callee, LocalId(index as u32)), all);
                    }
                }
            }
        }
        merge_roots(&mut self.is_moving, &mut self.facts.given, all.roots());
        merge_roots(&mut self.is_moving, &mut self.facts.held, all.roots());
        merge(&mut self.is_moving, &mut self.facts.elements, all);
        merge(&mut self.is_moving, &mut self.facts.thrown, all);
        merge(&mut self.is_moving, self.facts.results.entry(method).or_default(), all);
        note(&mut self.is_moving, &mut self.facts.is_new_kept_by_library, all.roots() & NEW != 0);
        if let Some(ty) = program.method(method).result {
            self.pass_to_callers(method, ty, all);
        }
        if self.is_change(method, all.roots()) {
            self.facts.changed_anyhow |= all.roots();
            self.facts.changed_through |= all.roots();
        }
        if all.roots() & (CLOSED | OPEN) != 0 {
            self.note_leak(all);
            self.facts.is_linked |= !self.is_earlier(method);
        }
    }

    fn pass_op(&mut self, method: MethodId, body: &'p Body, op: &OpKind) {
        let program = self.program;
        let of = |expr: ExprId| self.of(method, body, expr);
        let is_earlier = self.is_earlier(method);
        match *op {
            OpKind::New { dst, class } if self.watched.contains(&class) => {
                self.set(method, body, dst, Origins::of(NEW));
            }
            OpKind::Assign { dst, value } | OpKind::Cast { dst, object: value, .. } => {
                let origins = of(value);
                self.set(method, body, dst, origins);
                let stored = self.facts.stored.get(&(method, dst)).copied().unwrap_or(0);
                self.store(method, body, value, stored);
            }
            OpKind::PutStatic { field, value } if self.is_root(field) => {
                let (root, origins) = (self.root(field), of(value));
                // An object under construction may be about to be stored in another static field.
                self.facts.is_linked |= is_constructed(program, method, body, value);
                note(&mut self.is_moving, &mut self.facts.is_view_kept, origins.changed_with() != 0);
                for &meant in self.fields_meant(method, field).iter() {
                    merge(&mut self.is_moving, self.facts.fields.entry(meant).or_default(), origins.new_objects());
                }
                if !is_earlier {
                    self.facts.is_linked |= origins.roots() & (CLOSED | OPEN) & !root != 0;
                    note(&mut self.is_moving, &mut self.facts.is_foreign_kept, origins.roots() & FOREIGN != 0);
                    self.store(method, body, value, root);
                }
            }
            OpKind::PutStatic { field, value } if self.is_register(field) => {
                let origins = of(value);
                merge(&mut self.is_moving, self.facts.fields.entry(field).or_default(), origins);
                self.pass_back(method, program.field(field).ty, origins);
                self.pass_to_callers(method, program.field(field).ty, origins);
            }
            OpKind::GetStatic { dst, field } if self.is_register(field) => {
                let origins = self.field(field);
                self.set(method, body, dst, origins);
            }
            OpKind::GetStatic { dst, field } if self.is_root(field) => {
                let is_own = self.is_own_initialization(method, field);
                let foreign = if is_own && !self.facts.is_foreign_kept { 0 } else { FOREIGN };
                let roots = self.root(field) | foreign;
                let origins = if self.facts.is_view_kept { Origins::view(roots) } else { Origins::of(roots) };
                self.set(method, body, dst, origins | self.fields(method, field));
            }
            OpKind::GetField { dst, object, field } => {
                let origins = of(object).part() | self.fields(method, field);
                self.set(method, body, dst, origins);
            }
            OpKind::ArrayGet { dst, array, .. } => {
                let origins = of(array).part() | self.facts.elements;
                self.set(method, body, dst, origins);
            }
            OpKind::PutField { object, field, value } => {
                let (into, origins) = (of(object).itself(), of(value));
                let meant = self.fields_meant(method, field);
                for &meant in meant.iter() {
                    merge(&mut self.is_moving, self.facts.fields.entry(meant).or_default(), origins);
                }
                if origins != Origins::NONE && !program.is_private_field(field) {
                    self.note_leak(origins);
                    hand(program, &mut self.facts.handed, program.field(field).ty);
                    self.give_out(field, origins.roots());
                }
                if origins != Origins::NONE && program.is_open_target(field) {
                    let ty = body.expr_type(value);
                    self.note_leak(origins);
                    hand(program, &mut self.facts.handed, ty);
                    self.lead_out_of(ty, origins);
                }
                // Synthetic objects do not change after their creation, except variables to which managed pointers lead:
                // they are no objects of static fields.
                let is_fixed = is_made_up(program, program.field(field).class);
                if !is_fixed && self.is_change(method, into) {
                    self.facts.changed_fields.extend(meant.iter().map(|&meant| (meant, into)));
                }
            }
            OpKind::ArrayPut { array, value, .. } => {
                let (into, origins) = (of(array).itself(), of(value));
                merge(&mut self.is_moving, &mut self.facts.elements, origins);
                if let (true, Type::Array(array)) = (self.is_change(method, into), body.expr_type(array)) {
                    self.facts.changed_elements.insert((program.element_type(array), into));
                    // Another instance of the method changes arrays of other types.
                    self.facts.changed_through |= if self.instances.contains(&method) { into } else { 0 };
                }
            }
            OpKind::Call { dst, dispatch, method: named, ref args } => {
                let origins: Vec<Origins> = args.iter().map(|&arg| of(arg)).collect();
                let all = origins.iter().fold(Origins::NONE, |all, &origins| all | origins);
                // The place may be an element of an array.
                if program.is_pointer(program.method(named).class) && all != Origins::NONE {
                    let stored = origins[1..].iter().fold(Origins::NONE, |all, &origins| all | origins);
                    merge(&mut self.is_moving, &mut self.facts.elements, stored);
                }
                let is_kept = || program.state_changed(op).is_some();
                if all.roots() & NEW != 0 && !self.facts.is_new_kept_by_library && is_kept() {
                    note(&mut self.is_moving, &mut self.facts.is_new_kept_by_library, true);
                }
                let mut result = Origins::NONE;
                let called = self.called(dispatch, named, args.len());
                for &callee in &called.targets {
                    // A constructor starts with a new object.
                    let own = usize::from(program.method(callee).kind == MethodKind::Constructor);
                    for (index, &origins) in origins.iter().enumerate().skip(own) {
                        self.add((callee, LocalId(index as u32)), origins);
                    }
                    result = result | self.facts.results.get(&callee).copied().unwrap_or_default();
                }
                if let Some(platform) = &called.platform {
                    let mut origins = origins;
                    if let (true, Some(receiver)) = (platform.is_without_watched, origins.first_mut()) {
                        *receiver = receiver.held_by_others();
                    }
                    result = result | self.pass_away(method, body, (named, platform), args, &origins);
                }
                if let Some(dst) = dst {
                    self.set(method, body, dst, result);
                }
            }
            _ => {}
        }
    }

    /// The fields that an access of a field in a method stands for: in an instance of a generic method, those of all
    /// instances of their class.
    pub(super) fn fields_meant(&self, method: MethodId, field: FieldId) -> Rc<[FieldId]> {
        let is_instance = self.instances.contains(&method);
        let meant = || {
            let others = if is_instance { self.program.other_instances(field) } else { Vec::new() };
            others.into_iter().chain([field]).collect()
        };
        self.known.meant.borrow_mut().entry((is_instance, field)).or_insert_with(meant).clone()
    }

    /// Whether a change of objects of these roots counts. It does not if the method only initializes a class and
    /// changes objects that this class has just made.
    fn is_change(&self, method: MethodId, roots: Roots) -> bool {
        roots != 0 && (self.is_earlier(method) || roots & FOREIGN != 0)
    }

    fn field(&self, field: FieldId) -> Origins {
        self.facts.fields.get(&field).copied().unwrap_or_default() | self.facts.lost
    }

    /// What a read of a field in a method may give.
    fn fields(&self, method: MethodId, field: FieldId) -> Origins {
        let meant = self.fields_meant(method, field);
        meant.iter().fold(Origins::NONE, |all, &field| all | self.field(field))
    }

    fn root(&self, field: FieldId) -> Roots {
        if self.program.is_private_field(field) { CLOSED } else { OPEN }
    }

    /// The origins of an expression's value.
    fn of(&self, method: MethodId, body: &Body, expr: ExprId) -> Origins {
        let mut origins = Origins::NONE;
        if matches!(body.expr_type(expr), Type::Class(class) if self.is_constant(class)) {
            origins = Origins::view(CLOSED | OPEN);
        }
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            match *body.expr(expr) {
                Expr::Local(local) => {
                    let stored = self.facts.stored.get(&(method, local)).copied().unwrap_or(0);
                    let known = self.facts.locals.get(&(method, local)).copied().unwrap_or_default();
                    origins = origins | known | Origins::of(stored);
                }
                // The condition is not a reference.
                Expr::Select(_, yes, no) => pending.extend([yes, no]),
                Expr::Convert { value, .. } => pending.push(value),
                _ => {}
            }
        }
        match origins.roots() & NEW != 0 && !self.can_lead_to_new(body.expr_type(expr)) {
            true => origins.of_others(),
            false => origins,
        }
    }

    /// Whether the values of a class are the constants of an enum: objects of static fields, wherever they come from.
    fn is_constant(&self, class: ClassId) -> bool {
        let program = self.program;
        let is_constant =
            || program.is_made_only(class) && is_looked_at(program, class) && program.made_for(class).is_none();
        *self.known.constants.borrow_mut().entry(class).or_insert_with(is_constant)
    }

    /// Records in which roots initialization stores the object of an expression.
    fn store(&mut self, method: MethodId, body: &Body, value: ExprId, roots: Roots) {
        if let (true, &Expr::Local(local)) = (roots != 0, body.expr(converted(body, value))) {
            merge_roots(&mut self.is_moving, self.facts.stored.entry((method, local)).or_default(), roots);
        }
    }

    fn set(&mut self, method: MethodId, body: &Body, dst: LocalId, origins: Origins) {
        let ty = body.local(dst).ty;
        if is_mutable(self.program, ty) {
            let is_flat =
                matches!(ty, Type::Array(array) if !is_mutable(self.program, self.program.element_type(array)));
            self.add((method, dst), if is_flat { origins.without_held() } else { origins });
        }
    }

    fn add(&mut self, local: (MethodId, LocalId), origins: Origins) {
        if origins != Origins::NONE {
            merge(&mut self.is_moving, self.facts.locals.entry(local).or_default(), origins);
        }
    }
}

/// The value that conversions start with. Conversions of references give the same object.
fn converted(body: &Body, mut value: ExprId) -> ExprId {
    while let Expr::Convert { value: inner, .. } = *body.expr(value) {
        value = inner;
    }
    value
}

/// Whether an expression is the object that the constructor initializes.
fn is_constructed(program: &Program, method: MethodId, body: &Body, value: ExprId) -> bool {
    let Expr::Local(local) = *body.expr(converted(body, value)) else { return false };
    let is_this = |value: ExprId| *body.expr(value) == Expr::Local(LocalId(0));
    program.method(method).kind == MethodKind::Constructor
        && (local == LocalId(0)
            || body
                .ops()
                .any(|(_, op)| matches!(op.kind, OpKind::Assign { dst, value } if dst == local && is_this(value))))
}

fn merge(is_moving: &mut bool, into: &mut Origins, origins: Origins) {
    *is_moving |= *into | origins != *into;
    *into = *into | origins;
}

fn note(is_moving: &mut bool, into: &mut bool, is: bool) {
    *is_moving |= is && !*into;
    *into |= is;
}

fn merge_roots(is_moving: &mut bool, into: &mut Roots, roots: Roots) {
    *is_moving |= *into | roots != *into;
    *into |= roots;
}
