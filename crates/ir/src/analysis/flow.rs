//! Finds which references may refer to objects of static fields, and which parts of such objects are written; and which
//! references may refer to new objects of chosen classes.
//!
//! This is a points-to analysis with set constraints (Andersen, "Program analysis and specialization for the C
//! programming language", 1994). It is insensitive to flow and context, merges each field over all objects, and merges
//! the elements of all arrays. Platform code is not analysed; the front end describes what it does with its arguments.

use super::callbacks::{is_made_up, selected_by_libraries};
use super::origins::{ARGUMENT, CLOSED, FOREIGN, NEW, OPEN, Origins, Roots};
use super::reached::{code, is_looked_at, is_mutable, runs_platform_code, targets};
use crate::body::{Body, Dispatch, Expr, ExprId, Intrinsic, LocalId, OpKind, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use crate::runtime::{Made, MadeFor, Passing};
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
    /// Whether an array may have a type.
    arrays: FxHashMap<Type, bool>,
    /// Whether values of a type can lead to new objects of watched classes.
    holders: RefCell<FxHashMap<Type, bool>>,
    /// What calls run, by whether they are virtual and the method that they name.
    calls: FxHashMap<(bool, MethodId), Rc<Called>>,
}

/// What a call runs.
struct Called {
    /// The methods whose code is analysed.
    targets: Vec<MethodId>,
    /// What platform code does with its arguments, if the call may run platform code.
    platform: Option<Platform>,
}

/// What platform code does with the arguments of a call.
struct Platform {
    passing: Passing,
    /// Whether it may change an argument, by index.
    changes: Vec<bool>,
    /// Whether it has no objects of watched classes as receivers: see [`Flow::is_code_of_watched`].
    is_without_watched: bool,
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
    pub(super) fn new(program: &'p Program, all: &[MethodId], earlier: FxHashSet<MethodId>) -> Self {
        Self::with(program, all, earlier, FxHashSet::default())
    }

    /// Analyses the flow of new objects of the `watched` classes through `all` methods ([`Flow::may_be_new`]).
    pub(super) fn of_new(program: &'p Program, all: &[MethodId], watched: FxHashSet<ClassId>) -> Self {
        Self::with(program, all, FxHashSet::default(), watched)
    }

    fn with(program: &'p Program, all: &[MethodId], earlier: FxHashSet<MethodId>, watched: FxHashSet<ClassId>) -> Self {
        let called_back = selected_by_libraries(program);
        let mut flow = Flow {
            program,
            earlier,
            called_back,
            watched,
            facts: Facts::default(),
            is_moving: true,
            arrays: FxHashMap::default(),
            holders: RefCell::default(),
            calls: FxHashMap::default(),
        };
        for (_, op) in all.iter().filter_map(|&method| code(program, method)).flat_map(Body::ops) {
            match op.kind {
                OpKind::GetStatic { field, .. } if flow.is_root(field) && !program.is_private_field(field) => {
                    hand(program, &mut flow.facts.handed, program.field(field).ty);
                }
                _ => {}
            }
        }
        let mut classes = program.class_count();
        while std::mem::take(&mut flow.is_moving) {
            // Reading code may have added classes.
            if std::mem::replace(&mut classes, program.class_count()) != program.class_count() {
                flow.calls.clear();
            }
            let handed = flow.facts.handed.len();
            flow.pass_all_arguments(all);
            for &method in all {
                if let Some(body) = code(program, method) {
                    flow.pass(method, body);
                }
            }
            flow.is_moving |= handed < flow.facts.handed.len();
        }
        flow
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
                facts.changed_fields.iter().any(|&(other, written)| other == field && is_shared(object, written))
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

    /// Whether the value of an expression may be or lead to a new object of a watched class, as the receiver of a call
    /// or through platform objects and arrays.
    pub(super) fn may_lead_to_new(&self, method: MethodId, body: &Body, expr: ExprId) -> bool {
        self.leads_to_new(body.expr_type(expr), self.of(method, body, expr))
    }

    /// Whether the value of a field may be or lead to a new object of a watched class.
    pub(super) fn field_may_lead_to_new(&self, field: FieldId) -> bool {
        self.leads_to_new(self.program.field(field).ty, self.field(field))
    }

    /// The fields whose values may be or lead to new objects of watched classes.
    pub(super) fn fields_that_lead_to_new(&self) -> impl Iterator<Item = FieldId> + '_ {
        self.facts.fields.keys().copied().filter(|&field| self.field_may_lead_to_new(field))
    }

    /// Whether callers find a new object of a watched class in an argument of a type, after the call, unless it is a
    /// pointer.
    pub(super) fn argument_may_lead_to_new(&self, ty: Type) -> bool {
        let held = if matches!(ty, Type::Class(_)) { self.facts.held } else { 0 };
        self.leads_to_new(ty, Origins::holder(held))
    }

    /// Whether platform objects may keep new objects of watched classes.
    pub(super) fn is_new_held(&self) -> bool {
        self.facts.held & NEW != 0
    }

    /// Whether an exception may be or lead to a new object of a watched class.
    pub(super) fn is_new_thrown(&self) -> bool {
        self.facts.thrown.roots() & NEW != 0
    }

    fn leads_to_new(&self, ty: Type, origins: Origins) -> bool {
        let origins = if matches!(ty, Type::Array(_)) { origins | self.facts.elements } else { origins };
        origins.roots() & NEW != 0 && self.can_lead_to_new(ty)
    }

    /// Whether values of a type, or elements of arrays of a type, can be objects of a watched class, or platform objects
    /// that may hold some.
    fn can_lead_to_new(&self, ty: Type) -> bool {
        if let Some(&known) = self.holders.borrow().get(&ty) {
            return known;
        }
        let program = self.program;
        let mut element = ty;
        while let Type::Array(array) = element {
            element = program.element_type(array);
        }
        let has_fields = |class| !program.instance_fields(class).is_empty();
        let is_holder = |class| !is_looked_at(program, class) && has_fields(class);
        let may_be = |class: ClassId| {
            !is_looked_at(program, class)
                || program
                    .subclasses(class)
                    .into_iter()
                    .any(|below| self.watched.contains(&below) || program.supertypes(below).into_iter().any(is_holder))
        };
        let can = matches!(element, Type::Class(class) if is_mutable(program, element) && may_be(class));
        self.holders.borrow_mut().insert(ty, can);
        can
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

    /// Adds the arguments that callers and platform code may pass.
    fn pass_all_arguments(&mut self, all: &[MethodId]) {
        let mut known = FxHashMap::default();
        for &method in all {
            self.pass_arguments(method, &mut known);
        }
    }

    /// Adds the arguments of a method. `known` has the answers for types of parameters whether callers have an object of
    /// the type.
    fn pass_arguments(&mut self, method: MethodId, known: &mut FxHashMap<Type, bool>) {
        let program = self.program;
        let declared = program.method(method);
        let is_made_up = is_made_up(program, declared.class);
        let given = match self.is_called_back(method) {
            true if self.facts.given & NEW != 0 && !self.gets_new(declared.class) => {
                Origins::view(self.facts.given & !NEW)
            }
            true => Origins::view(self.facts.given),
            false => Origins::NONE,
        };
        let is_open = !is_made_up && self.is_earlier(method) && !program.is_private(method);
        for (index, &ty) in declared.params.iter().enumerate() {
            // A constructor starts with a new object, and a managed pointer is no object of a static field. What the
            // operations of synthetic objects do is known where libraries get the object.
            let is_new = declared.kind == MethodKind::Constructor || program.is_pointer(declared.class);
            if !is_mutable(program, ty) || index == 0 && is_new || is_made_up && declared.name.starts_with('$') {
                continue;
            }
            let handed = &self.facts.handed;
            let is_handed = || handed.iter().any(|&other| are_related(program, other, ty));
            let is_passed = is_open && *known.entry(ty).or_insert_with(is_handed);
            // Callers may have made a view of an object that they got.
            let passed = if is_passed { Origins::view(ARGUMENT) } else { Origins::NONE };
            self.add((method, LocalId(index as u32)), given | passed);
        }
    }

    /// Whether platform code may pass a new object of a watched class to methods of a class, if it has one. It passes
    /// nothing to iterators and async methods except their own state, and writes to a variable what it has when it gets
    /// the pointer.
    fn gets_new(&self, class: ClassId) -> bool {
        let program = self.program;
        if program.is_pointer(class) {
            return self.facts.held & NEW != 0 || self.facts.is_new_given_with_pointer;
        }
        matches!(program.made_for(class), None | Some(MadeFor::Functions))
    }

    fn pass(&mut self, method: MethodId, body: &'p Body) {
        for (_, op) in body.ops() {
            self.pass_op(method, body, &op.kind);
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
                }
                _ => {}
            }
            for handler in &block.handlers {
                self.add((method, handler.exception), self.facts.thrown);
            }
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
                merge(&mut self.is_moving, self.facts.fields.entry(field).or_default(), origins.new_objects());
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
                self.set(method, body, dst, origins | self.field(field));
            }
            OpKind::GetField { dst, object, field } => {
                let origins = of(object).part() | self.field(field);
                self.set(method, body, dst, origins);
            }
            OpKind::ArrayGet { dst, array, .. } => {
                let origins = of(array).part() | self.facts.elements;
                self.set(method, body, dst, origins);
            }
            OpKind::PutField { object, field, value } => {
                let (into, origins) = (of(object).itself(), of(value));
                merge(&mut self.is_moving, self.facts.fields.entry(field).or_default(), origins);
                if origins != Origins::NONE && !program.is_private_field(field) {
                    self.note_leak(origins);
                    hand(program, &mut self.facts.handed, program.field(field).ty);
                }
                // Synthetic objects do not change after their creation, except variables to which managed pointers lead:
                // they are no objects of static fields.
                let is_fixed = is_made_up(program, program.field(field).class);
                if !is_fixed && self.is_change(method, into) {
                    self.facts.changed_fields.insert((field, into));
                }
            }
            OpKind::ArrayPut { array, value, .. } => {
                let (into, origins) = (of(array).itself(), of(value));
                merge(&mut self.is_moving, &mut self.facts.elements, origins);
                if let (true, Type::Array(array)) = (self.is_change(method, into), body.expr_type(array)) {
                    self.facts.changed_elements.insert((program.element_type(array), into));
                }
            }
            OpKind::Call { dst, dispatch, method: named, ref args } => {
                let origins: Vec<Origins> = args.iter().map(|&arg| of(arg)).collect();
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

    fn called(&mut self, dispatch: Dispatch, named: MethodId, args: usize) -> Rc<Called> {
        let program = self.program;
        let is_virtual = dispatch == Dispatch::Virtual;
        if let Some(known) = self.calls.get(&(is_virtual, named)) {
            return known.clone();
        }
        let platform = runs_platform_code(program, dispatch, named).then(|| Platform {
            passing: program.passing(named),
            changes: (0..args).map(|index| program.may_change(named, index)).collect(),
            is_without_watched: is_virtual && self.is_code_of_watched(named),
        });
        let called = Rc::new(Called { targets: targets(program, dispatch, named), platform });
        self.calls.insert((is_virtual, named), called.clone());
        called
    }

    /// Whether a virtual call runs code of the program if the receiver is an object of a watched class.
    fn is_code_of_watched(&self, named: MethodId) -> bool {
        let program = self.program;
        let class = program.method(named).class;
        let mut possible = self.watched.iter().filter(|&&watched| program.is_subclass(watched, class));
        possible.all(|&watched| is_looked_at(program, program.method(program.dispatch(watched, named)).class))
    }

    /// Passes arguments to platform code. Returns the origins of the result.
    fn pass_away(
        &mut self,
        method: MethodId,
        body: &'p Body,
        (named, platform): (MethodId, &Platform),
        args: &[ExprId],
        origins: &[Origins],
    ) -> Origins {
        let program = self.program;
        let declared = program.method(named);
        let passing = platform.passing;
        let all = |filter: &dyn Fn(usize) -> bool| {
            let chosen = origins.iter().enumerate().filter(|&(index, _)| filter(index));
            chosen.fold(Origins::NONE, |all, (_, &origins)| all | origins)
        };
        let behind: Vec<Origins> = args.iter().map(|&arg| self.behind(body.expr_type(arg))).collect();
        let passed = behind.iter().fold(all(&|_| true), |all, &contents| all | contents);
        merge_roots(&mut self.is_moving, &mut self.facts.given, passed.roots());
        if passed.roots() & NEW != 0 {
            let is_pointer =
                |&arg: &ExprId| matches!(body.expr_type(arg), Type::Class(class) if program.is_pointer(class));
            note(&mut self.is_moving, &mut self.facts.is_new_given_with_pointer, args.iter().any(is_pointer));
        }
        for (index, &arg) in args.iter().enumerate() {
            if self.is_change(method, origins[index].roots()) && platform.changes[index] {
                let changed = origins[index].itself();
                if changed != 0 {
                    match body.expr_type(arg) {
                        ty @ Type::Class(_) if self.may_be_array(ty) => {
                            self.facts.changed_through |= changed;
                            false
                        }
                        Type::Array(array) => {
                            self.facts.changed_elements.insert((program.element_type(array), changed))
                        }
                        ty => self.facts.changed_objects.insert((ty, changed)),
                    };
                }
                if passing.changes_through {
                    self.facts.changed_through |= origins[index].changed_with();
                }
            }
            if self.is_change(method, behind[index].roots()) && platform.changes[index] {
                self.facts.changed_through |= behind[index].itself() | behind[index].changed_with();
            }
        }
        if passing.keeps {
            // The receiver is not kept by anything new: its caller already holds it.
            let own = usize::from(declared.kind != MethodKind::Static);
            merge_roots(&mut self.is_moving, &mut self.facts.held, all(&|index| index >= own).roots());
        }
        let is_constructor = declared.kind == MethodKind::Constructor;
        // Methods may return objects that platform objects keep. A constructor's new object is unrelated to these.
        let within = passed.roots() | if is_constructor { 0 } else { self.facts.held };
        let made = match passing.made {
            Made::Views => Origins::view(within),
            Made::Holds => Origins::holder(within),
            Made::Flat => {
                let is_like = |index: usize| {
                    declared.result.is_some_and(|ty| are_related(program, body.expr_type(args[index]), ty))
                };
                all(&is_like)
            }
        };
        // A new object may keep the arguments of its constructor.
        if let (true, Some(&object)) = (is_constructor, args.first())
            && let Expr::Local(local) = *body.expr(object)
        {
            self.set(method, body, local, made);
        }
        made
    }

    /// The origins of the references that platform code finds in arrays of a type, and in the places to which managed
    /// pointers of a type may point.
    fn behind(&mut self, ty: Type) -> Origins {
        let program = self.program;
        match ty {
            Type::Class(class) if program.is_pointer(class) => {
                let methods = program.subclasses(class).into_iter().flat_map(|class| &program.class(class).methods);
                let results = methods.filter_map(|method| self.facts.results.get(method));
                results.fold(Origins::NONE, |all, &result| all | result)
            }
            ty if self.facts.elements != Origins::NONE && self.may_be_array(ty) => self.facts.elements,
            _ => Origins::NONE,
        }
    }

    /// Whether an array of references, or an object that consists of arrays, may have a type.
    fn may_be_array(&mut self, ty: Type) -> bool {
        let program = self.program;
        *self.arrays.entry(ty).or_insert_with(|| match ty {
            Type::Class(class) => may_be_array(program, class),
            Type::Array(array) => is_mutable(program, program.element_type(array)),
            _ => false,
        })
    }

    /// Whether platform code may call a method. Synthetic function objects implement library interfaces, too.
    fn is_called_back(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        let is_made_up = is_made_up(self.program, declared.class);
        declared.kind == MethodKind::Instance && (is_made_up || self.called_back.contains(&method))
    }

    /// Records that platform code gets the result of a method and may change it. Class objects pass their constants to
    /// nobody, and synthetic operations of function objects do not, either. What code does with the contents of a place
    /// is known where it gets the pointer.
    fn pass_back(&mut self, method: MethodId, ty: Type, origins: Origins) {
        let declared = self.program.method(method);
        let is_operation = match is_made_up(self.program, declared.class) {
            true => declared.name.starts_with('$'),
            false => self.program.is_synthetic(method),
        };
        if is_operation || self.program.is_pointer(declared.class) {
            return;
        }
        let is_of_class =
            self.program.supertypes(declared.class).into_iter().any(|class| self.program.is_immutable(class));
        if self.is_called_back(method) && !is_of_class && is_mutable(self.program, ty) {
            // Nothing calls the methods of new objects of watched classes before platform code has got one.
            let unknown = if self.facts.given & NEW == 0 { NEW } else { 0 };
            merge_roots(&mut self.is_moving, &mut self.facts.held, origins.roots() & !unknown);
            self.facts.changed_through |= origins.itself() | origins.changed_with();
        }
    }

    /// Records that callers outside of the program get a result of a method.
    fn pass_to_callers(&mut self, method: MethodId, ty: Type, origins: Origins) {
        let program = self.program;
        let is_open = !program.is_private(method) && !is_made_up(program, program.method(method).class);
        if is_open && origins != Origins::NONE {
            self.note_leak(origins);
            hand(program, &mut self.facts.handed, ty);
        }
    }

    /// Whether a change of objects of these roots counts. It does not if the method only initializes a class and
    /// changes objects that this class has just made.
    fn is_change(&self, method: MethodId, roots: Roots) -> bool {
        roots != 0 && (self.is_earlier(method) || roots & FOREIGN != 0)
    }

    fn field(&self, field: FieldId) -> Origins {
        self.facts.fields.get(&field).copied().unwrap_or_default()
    }

    fn root(&self, field: FieldId) -> Roots {
        if self.program.is_private_field(field) { CLOSED } else { OPEN }
    }

    /// Records that callers can get references with these origins.
    fn note_leak(&mut self, origins: Origins) {
        self.facts.is_leaking |= origins.roots() & CLOSED != 0;
    }

    /// The origins of an expression's value.
    fn of(&self, method: MethodId, body: &Body, expr: ExprId) -> Origins {
        let mut origins = Origins::NONE;
        // An enum constant is the object of a static field, wherever it comes from.
        let is_constant = |class: ClassId| {
            let program = self.program;
            program.is_made_only(class) && is_looked_at(program, class) && program.made_for(class).is_none()
        };
        if matches!(body.expr_type(expr), Type::Class(class) if is_constant(class)) {
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

    /// Records in which roots initialization stores the object of an expression.
    fn store(&mut self, method: MethodId, body: &Body, value: ExprId, roots: Roots) {
        if let (true, &Expr::Local(local)) = (roots != 0, body.expr(converted(body, value))) {
            merge_roots(&mut self.is_moving, self.facts.stored.entry((method, local)).or_default(), roots);
        }
    }

    fn set(&mut self, method: MethodId, body: &Body, dst: LocalId, origins: Origins) {
        if is_mutable(self.program, body.local(dst).ty) {
            self.add((method, dst), origins);
        }
    }

    fn add(&mut self, local: (MethodId, LocalId), origins: Origins) {
        if origins != Origins::NONE {
            merge(&mut self.is_moving, self.facts.locals.entry(local).or_default(), origins);
        }
    }
}

/// Whether an array, or an object that consists of arrays, may have a class as its type.
fn may_be_array(program: &Program, class: ClassId) -> bool {
    let is_of = |id: ClassId| program.owned_arrays(id).is_some() && program.is_subclass(id, class);
    program.is_root(class)
        || program.array_types().any(|(id, _)| program.is_assignable(Type::Array(id), Type::Class(class)))
        || program.has_owned_arrays() && program.classes().any(|(id, _)| is_of(id))
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

/// The types of the objects to which references of these types may refer, or to which these objects lead through any
/// fields, except objects that never change. The root class among them stands for objects of any type.
pub fn types_behind(program: &Program, references: impl IntoIterator<Item = Type>) -> FxHashSet<Type> {
    let mut types = FxHashSet::default();
    references.into_iter().for_each(|ty| lead_to(program, &mut types, ty, |_| true));
    types
}

/// Records that callers can get objects of a type, and the objects that these lead to.
fn hand(program: &Program, handed: &mut FxHashSet<Type>, ty: Type) {
    lead_to(program, handed, ty, |field| !program.is_private_field(field));
}

/// Adds the mutable types of the objects that a reference of type `ty` may refer to, or that these lead to through
/// fields that satisfy `follows`.
pub(super) fn lead_to(program: &Program, types: &mut FxHashSet<Type>, ty: Type, follows: impl Fn(FieldId) -> bool) {
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if !is_mutable(program, ty) || !types.insert(ty) {
            continue;
        }
        match ty {
            Type::Array(array) => pending.push(program.element_type(array)),
            Type::Class(class) if is_looked_at(program, class) => {
                let fields = program.subclasses(class).into_iter().flat_map(|class| program.instance_fields(class));
                pending.extend(fields.filter(|&field| follows(field)).map(|field| program.field(field).ty));
            }
            // A platform object, such as a collection, may hold anything.
            Type::Class(_) => pending.extend(program.root().map(Type::Class)),
            _ => {}
        }
    }
}

/// Whether a reference of one type may also have the other type.
pub fn are_related(program: &Program, a: Type, b: Type) -> bool {
    a == b || a.is_reference() && b.is_reference() && (program.is_assignable(a, b) || program.is_assignable(b, a))
}
