//! What can static fields hold when a method is called, other than what initialization gives, and who reads it?
//!
//! A method that is asked about is executed as if nothing had run before it. Where the program is not started with it, any
//! method of the program may have run, and have written static fields or changed the objects that they refer to. Both
//! executions are the same up to the first read of a cell that can differ, so that only such reads matter: those of static
//! fields that something other than the initialization of their class writes, and those of cells that are
//! written somewhere, in objects that may be those of static fields.
//!
//! Which references may be to objects of static fields is found without regard to order and context, in the way of
//! set constraints (Andersen, "Program analysis and specialization for the C programming language", 1994), with all fields of a
//! name and all elements of arrays taken as one. Code that comes with the language is not looked at.

use super::callbacks::{is_made_up, selected_by_libraries};
use super::initialization::initializer;
use super::origins::{ARGUMENT, CLOSED, FOREIGN, OPEN, Origins, Roots};
use crate::body::{BlockId, Body, Const, Dispatch, Expr, ExprId, Intrinsic, LocalId, OpKind, Point, TerminatorKind};
use crate::loader::Made;
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the methods of a program may do with static fields and what these refer to.
pub struct Statics<'p> {
    program: &'p Program,
    /// All code that is looked at.
    all: Vec<MethodId>,
    /// Methods that may have run before, and not as a part of the initialization of classes.
    earlier: FxHashSet<MethodId>,
    /// Methods that code may call that is not looked at.
    called_back: FxHashSet<MethodId>,
    /// Static fields that something other than the initialization of their class writes.
    written: FxHashSet<FieldId>,
    flow: Flow,
    /// Whether something in the flow has changed since it was last looked at.
    is_moving: bool,
}

/// The references that may be to objects of static fields, and what of such objects is written.
#[derive(Default)]
struct Flow {
    locals: FxHashMap<(MethodId, LocalId), Origins>,
    fields: FxHashMap<FieldId, Origins>,
    elements: Origins,
    results: FxHashMap<MethodId, Origins>,
    thrown: Origins,
    /// What code that is not looked at was given: methods that it calls may get it.
    given: Roots,
    /// What objects of such code may hold for later.
    held: Roots,
    /// Types of objects of static fields that callers can get at.
    handed: FxHashSet<Type>,
    /// Whether callers can get at what a field refers to that is itself closed to them.
    is_leaking: bool,
    /// Where initialization puts what a local refers to.
    stored: FxHashMap<(MethodId, LocalId), Roots>,
    /// Whether static fields refer to something by which objects of others can be changed.
    is_view_kept: bool,
    /// Whether initialization keeps objects of other classes' static fields in those of the class.
    is_foreign_kept: bool,
    /// Whether initialization lets fields that callers can get at lead to what other fields refer to, or the other way round.
    is_linked: bool,
    changed_fields: FxHashSet<(FieldId, Roots)>,
    changed_elements: FxHashSet<(Type, Roots)>,
    /// Types of objects whose code is not looked at and that may change.
    changed_objects: FxHashSet<(Type, Roots)>,
    /// What may change through something else: arrays and objects of any type whose code is not looked at.
    changed_through: Roots,
}

/// What executions of a method read that can be other than what initialization gives.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Differing {
    /// Static fields, sorted.
    pub fields: Vec<FieldId>,
    /// Static fields that refer to objects of which something is read that is written elsewhere, sorted.
    pub objects: Vec<FieldId>,
}

impl<'p> Statics<'p> {
    /// Those of `program`, which has to be well formed ([`crate::validate`]), and of methods that may be none of its own.
    pub fn new(program: &'p Program, entries: impl IntoIterator<Item = MethodId>) -> Self {
        let own: Vec<MethodId> = program.own_methods().collect();
        let entries: Vec<MethodId> = entries.into_iter().collect();
        let all = closure(program, own.iter().chain(&entries).copied(), Follow::Everything);
        let is_open = |&id: &MethodId| !program.is_private(id) && !program.is_initializer(id);
        let earlier = closure(program, own.into_iter().filter(is_open).chain(entries), Follow::CallsOnly);
        let mut earlier: FxHashSet<MethodId> = earlier.into_iter().collect();
        earlier.extend(shared_by_initializers(program, &all));
        let mut statics = Statics {
            program,
            all,
            earlier,
            called_back: selected_by_libraries(program),
            written: FxHashSet::default(),
            flow: Flow::default(),
            is_moving: true,
        };
        statics.solve();
        statics
    }

    /// Whether what has run before can matter to executions of `entry` at all, as far as can be told by a look at what they run: they
    /// read static fields, or run code of function objects, which may be any.
    pub fn concern(program: &Program, entry: MethodId) -> bool {
        let mut ops =
            reached(program, entry).into_iter().filter_map(|method| code(program, method)).flat_map(Body::ops);
        ops.any(|(_, op)| match op.kind {
            OpKind::GetStatic { field, .. } => {
                let class = program.field(field).class;
                is_looked_at(program, class) && !is_made_up(program, class)
            }
            OpKind::Call { dispatch: Dispatch::Virtual, method, .. } => {
                program.class(program.method(method).class).is_interface
            }
            _ => false,
        })
    }

    /// Whether a static field may hold something else than what initialization gives.
    pub fn may_differ(&self, field: FieldId) -> bool {
        self.written.contains(&field)
    }

    /// Whether the initialization of a class reads what may be something else at another time: it matters when that is done.
    pub fn is_read_by_initialization(&self, class: ClassId) -> bool {
        let Some(initializer) = initializer(self.program, class) else { return false };
        let Differing { fields, objects } = self.read_by(initializer, |_, _| true);
        // Nobody gets at those of the class itself before.
        fields.into_iter().chain(objects).any(|field| self.program.field(field).class != class)
    }

    /// What of that executions of `entry` may read, at operations that matter.
    pub fn read_by(&self, entry: MethodId, matters: impl Fn(MethodId, Point) -> bool) -> Differing {
        let program = self.program;
        let reached = reached(program, entry);
        let assigned = assigned_first(program, entry);
        let (mut fields, mut roots) = (Vec::new(), Vec::new());
        let mut bodies = Vec::new();
        for method in reached {
            let Some(body) = code(program, method) else { continue };
            for (point, op) in body.ops() {
                if let OpKind::GetStatic { field, .. } = op.kind
                    && !self.is_own_initialization(method, field)
                {
                    if self.may_differ(field) && !assigned.contains(&field) && matters(method, point) {
                        fields.push(field);
                    }
                    if self.is_root(field) {
                        roots.push(field);
                    }
                }
            }
            bodies.push((method, body));
        }
        // Without a reference from a static field, an argument that is the same object tells no one from another object.
        let seen = if roots.is_empty() { CLOSED | OPEN } else { CLOSED | OPEN | ARGUMENT };
        let reads_changed = bodies.iter().any(|&(method, body)| {
            body.ops().any(|(point, op)| self.reads_changed(method, body, &op.kind, seen) && matters(method, point))
        });
        let mut differing = Differing { fields, objects: if reads_changed { roots } else { Vec::new() } };
        for list in [&mut differing.fields, &mut differing.objects] {
            list.sort_unstable();
            list.dedup();
        }
        differing.objects.retain(|field| !differing.fields.contains(field));
        differing
    }

    fn solve(&mut self) {
        let program = self.program;
        for &method in &self.all {
            for (_, op) in code(program, method).into_iter().flat_map(Body::ops) {
                match op.kind {
                    OpKind::PutStatic { field, .. }
                        if self.is_foreign(method, field) && !is_made_up(program, program.field(field).class) =>
                    {
                        self.written.insert(field);
                    }
                    OpKind::GetStatic { field, .. } if self.is_root(field) && !program.is_private_field(field) => {
                        hand(program, &mut self.flow.handed, program.field(field).ty);
                    }
                    _ => {}
                }
            }
        }
        let all = self.all.clone();
        while std::mem::take(&mut self.is_moving) {
            let handed = self.flow.handed.len();
            for &method in &all {
                self.pass_arguments(method);
                if let Some(body) = code(program, method) {
                    self.pass(method, body);
                }
            }
            self.is_moving |= handed < self.flow.handed.len();
        }
    }

    /// Whether a write of a static field is something other than the initialization of its class.
    fn is_foreign(&self, method: MethodId, field: FieldId) -> bool {
        let class = self.program.method(method).class;
        self.earlier.contains(&method) || class != self.program.field(field).class && !is_made_up(self.program, class)
    }

    /// Whether a method runs only as a part of the initialization of the class of a static field. Nothing else has got at the
    /// field before.
    fn is_own_initialization(&self, method: MethodId, field: FieldId) -> bool {
        !self.earlier.contains(&method) && self.program.method(method).class == self.program.field(field).class
    }

    /// Whether a static field of the program may refer to objects that change.
    fn is_root(&self, field: FieldId) -> bool {
        let declared = self.program.field(field);
        is_looked_at(self.program, declared.class)
            && !is_made_up(self.program, declared.class)
            && is_mutable(self.program, declared.ty)
    }

    fn root(&self, field: FieldId) -> Roots {
        if self.program.is_private_field(field) { CLOSED } else { OPEN }
    }

    /// What callers may pass, and what code that is not looked at passes.
    fn pass_arguments(&mut self, method: MethodId) {
        let program = self.program;
        let declared = program.method(method);
        let is_made_up = is_made_up(program, declared.class);
        let given = if self.is_called_back(method) { Origins::view(self.flow.given) } else { Origins::NONE };
        let is_open = !is_made_up && self.earlier.contains(&method) && !program.is_private(method);
        for (index, &ty) in declared.params.iter().enumerate() {
            // A constructor starts with a new object.
            if !is_mutable(program, ty) || index == 0 && declared.kind == MethodKind::Constructor {
                continue;
            }
            let is_passed = is_open && self.flow.handed.iter().any(|&other| are_related(program, other, ty));
            // Callers may have made a view of what they got.
            let passed = if is_passed { Origins::view(ARGUMENT) } else { Origins::NONE };
            self.add((method, LocalId(index as u32)), given | passed);
        }
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
                        self.pass_back(method, origins);
                        merge(&mut self.is_moving, self.flow.results.entry(method).or_default(), origins);
                        let declared = self.program.method(method);
                        let is_open = !self.program.is_private(method) && !is_made_up(self.program, declared.class);
                        if let Some(ty) = declared.result.filter(|_| is_open) {
                            self.note_leak(origins);
                            hand(self.program, &mut self.flow.handed, ty);
                        }
                    }
                }
                TerminatorKind::Throw(value) => {
                    let origins = self.of(method, body, value);
                    merge(&mut self.is_moving, &mut self.flow.thrown, origins);
                }
                _ => {}
            }
            for handler in &block.handlers {
                self.add((method, handler.exception), self.flow.thrown);
            }
        }
    }

    fn pass_op(&mut self, method: MethodId, body: &'p Body, op: &OpKind) {
        let program = self.program;
        let of = |expr: ExprId| self.of(method, body, expr);
        let is_earlier = self.earlier.contains(&method);
        match *op {
            OpKind::Assign { dst, value } | OpKind::Cast { dst, object: value, .. } => {
                let origins = of(value);
                self.set(method, body, dst, origins);
                let stored = self.flow.stored.get(&(method, dst)).copied().unwrap_or(0);
                self.store(method, body, value, stored);
            }
            OpKind::PutStatic { field, value } if self.is_root(field) => {
                let (root, origins) = (self.root(field), of(value));
                // What is being constructed may be what another static field is about to hold.
                self.flow.is_linked |= is_constructed(program, method, body, value);
                note(&mut self.is_moving, &mut self.flow.is_view_kept, origins.changed_with() != 0);
                if !is_earlier {
                    self.flow.is_linked |= origins.roots() & (CLOSED | OPEN) & !root != 0;
                    note(&mut self.is_moving, &mut self.flow.is_foreign_kept, origins.roots() & FOREIGN != 0);
                    self.store(method, body, value, root);
                }
            }
            OpKind::GetStatic { dst, field } if self.is_root(field) => {
                let is_own = !is_earlier && program.field(field).class == program.method(method).class;
                let foreign = if is_own && !self.flow.is_foreign_kept { 0 } else { FOREIGN };
                let roots = self.root(field) | foreign;
                let origins = if self.flow.is_view_kept { Origins::view(roots) } else { Origins::of(roots) };
                self.set(method, body, dst, origins);
            }
            OpKind::GetField { dst, object, field } => {
                let origins = of(object).part() | self.flow.fields.get(&field).copied().unwrap_or_default();
                self.set(method, body, dst, origins);
            }
            OpKind::ArrayGet { dst, array, .. } => {
                let origins = of(array).part() | self.flow.elements;
                self.set(method, body, dst, origins);
            }
            OpKind::PutField { object, field, value } => {
                let (into, origins) = (of(object).itself(), of(value));
                merge(&mut self.is_moving, self.flow.fields.entry(field).or_default(), origins);
                if origins != Origins::NONE && !program.is_private_field(field) {
                    self.note_leak(origins);
                    hand(program, &mut self.flow.handed, program.field(field).ty);
                }
                if into != 0 && (is_earlier || into & FOREIGN != 0) {
                    self.flow.changed_fields.insert((field, into));
                }
            }
            OpKind::ArrayPut { array, value, .. } => {
                let (into, origins) = (of(array).itself(), of(value));
                merge(&mut self.is_moving, &mut self.flow.elements, origins);
                if let (true, Type::Array(array)) =
                    (into != 0 && (is_earlier || into & FOREIGN != 0), body.expr_type(array))
                {
                    self.flow.changed_elements.insert((program.element_type(array), into));
                }
            }
            OpKind::Call { dst, dispatch, method: named, ref args } => {
                let origins: Vec<Origins> = args.iter().map(|&arg| of(arg)).collect();
                let mut result = Origins::NONE;
                for callee in targets(program, dispatch, named) {
                    // A constructor starts with a new object.
                    let own = usize::from(program.method(callee).kind == MethodKind::Constructor);
                    for (index, &origins) in origins.iter().enumerate().skip(own) {
                        self.add((callee, LocalId(index as u32)), origins);
                    }
                    result = result | self.flow.results.get(&callee).copied().unwrap_or_default();
                }
                if runs_platform_code(program, dispatch, named) {
                    result = result | self.pass_away(method, body, named, args, &origins);
                }
                if let Some(dst) = dst {
                    self.set(method, body, dst, result);
                }
            }
            _ => {}
        }
    }

    /// Passes arguments to code that is not looked at; gives what may come back.
    fn pass_away(
        &mut self,
        method: MethodId,
        body: &'p Body,
        named: MethodId,
        args: &[ExprId],
        origins: &[Origins],
    ) -> Origins {
        let program = self.program;
        let declared = program.method(named);
        let passing = program.passing(named);
        let all = |filter: &dyn Fn(usize) -> bool| {
            let chosen = origins.iter().enumerate().filter(|&(index, _)| filter(index));
            chosen.fold(Origins::NONE, |all, (_, &origins)| all | origins)
        };
        let passed = all(&|_| true);
        merge_roots(&mut self.is_moving, &mut self.flow.given, passed.roots());
        let is_earlier = self.earlier.contains(&method);
        for (index, &arg) in args.iter().enumerate() {
            let is_elsewhere = is_earlier || origins[index].roots() & FOREIGN != 0;
            if is_elsewhere && program.may_change(named, index) {
                let changed = origins[index].itself();
                if changed != 0 {
                    match body.expr_type(arg) {
                        // An array, perhaps.
                        Type::Class(class) if program.array_superclass() == Some(class) => {
                            self.flow.changed_through |= changed;
                            false
                        }
                        Type::Array(array) => self.flow.changed_elements.insert((program.element_type(array), changed)),
                        ty => self.flow.changed_objects.insert((ty, changed)),
                    };
                }
                if passing.changes_through {
                    self.flow.changed_through |= origins[index].changed_with();
                }
            }
        }
        if passing.keeps {
            // The receiver itself is where its caller has it.
            let own = usize::from(declared.kind != MethodKind::Static);
            merge_roots(&mut self.is_moving, &mut self.flow.held, all(&|index| index >= own).roots());
        }
        let is_constructor = declared.kind == MethodKind::Constructor;
        let made = match passing.made {
            Made::Views => Origins::view(passed.roots() | if is_constructor { 0 } else { self.flow.held }),
            Made::Holds => Origins::holder(passed.roots() | if is_constructor { 0 } else { self.flow.held }),
            Made::Flat => {
                let is_like = |index: usize| {
                    declared.result.is_some_and(|ty| are_related(program, body.expr_type(args[index]), ty))
                };
                all(&is_like)
            }
        };
        // A new object may keep what its constructor gets.
        if let (true, Some(&object)) = (is_constructor, args.first())
            && let Expr::Local(local) = *body.expr(object)
        {
            self.set(method, body, local, made);
        }
        made
    }

    /// Whether code that is not looked at may call a method. Function objects are made up for interfaces of the library, too.
    fn is_called_back(&self, method: MethodId) -> bool {
        let declared = self.program.method(method);
        let is_made_up = is_made_up(self.program, declared.class);
        declared.kind == MethodKind::Instance && (is_made_up || self.called_back.contains(&method))
    }

    /// Notes what a method returns to code that is not looked at, which may change it. Class objects give their constants to nobody.
    fn pass_back(&mut self, method: MethodId, origins: Origins) {
        let declared = self.program.method(method);
        let is_of_class =
            self.program.supertypes(declared.class).into_iter().any(|class| self.program.is_immutable(class));
        if self.is_called_back(method) && !is_of_class && declared.result.is_some_and(|ty| is_mutable(self.program, ty))
        {
            merge_roots(&mut self.is_moving, &mut self.flow.held, origins.roots());
            self.flow.changed_through |= origins.itself() | origins.changed_with();
        }
    }

    /// Whether an operation reads a cell that is written elsewhere of an object that may be a static field's.
    fn reads_changed(&self, method: MethodId, body: &Body, op: &OpKind, seen: Roots) -> bool {
        let flow = &self.flow;
        let is_shared = |expr: ExprId, written: Roots| {
            self.reach(self.of(method, body, expr).roots() & seen) & self.reach(written) != 0
        };
        let reads_elements = |array: ExprId| {
            let Type::Array(id) = body.expr_type(array) else { return false };
            let element = self.program.element_type(id);
            let mut changed = flow.changed_elements.iter();
            is_shared(array, flow.changed_through)
                || changed.any(|&(ty, written)| are_related(self.program, ty, element) && is_shared(array, written))
        };
        match *op {
            OpKind::GetField { object, field, .. } => {
                flow.changed_fields.iter().any(|&(other, written)| other == field && is_shared(object, written))
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
                    ty.is_reference() && is_shared(arg, flow.changed_through)
                        || reads_elements(arg)
                        || flow.changed_objects.iter().any(is_changed)
                })
            }
            _ => false,
        }
    }

    /// The static fields whose objects references of these origins may be to.
    fn reach(&self, roots: Roots) -> Roots {
        if self.flow.is_linked && roots != 0 {
            return CLOSED | OPEN;
        }
        match (roots & ARGUMENT != 0, self.flow.is_leaking) {
            (false, _) => roots & (CLOSED | OPEN),
            (true, false) => roots & CLOSED | OPEN,
            (true, true) => CLOSED | OPEN,
        }
    }

    /// Notes that callers can get at references of these origins.
    fn note_leak(&mut self, origins: Origins) {
        self.flow.is_leaking |= origins.roots() & CLOSED != 0;
    }

    /// Where an expression's value may come from.
    fn of(&self, method: MethodId, body: &Body, expr: ExprId) -> Origins {
        let mut origins = Origins::NONE;
        // A constant of an enum is a static field's, wherever it comes from.
        if matches!(body.expr_type(expr), Type::Class(class) if self.program.is_made_only(class) && is_looked_at(self.program, class))
        {
            origins = Origins::view(CLOSED | OPEN);
        }
        let mut pending = vec![expr];
        while let Some(expr) = pending.pop() {
            match *body.expr(expr) {
                Expr::Local(local) => {
                    let stored = self.flow.stored.get(&(method, local)).copied().unwrap_or(0);
                    let known = self.flow.locals.get(&(method, local)).copied().unwrap_or_default();
                    origins = origins | known | Origins::of(stored);
                }
                // The condition is no reference.
                Expr::Select(_, yes, no) => pending.extend([yes, no]),
                _ => {}
            }
        }
        origins
    }

    /// Notes where initialization puts what an expression refers to.
    fn store(&mut self, method: MethodId, body: &Body, value: ExprId, roots: Roots) {
        if let (true, &Expr::Local(local)) = (roots != 0, body.expr(value)) {
            merge_roots(&mut self.is_moving, self.flow.stored.entry((method, local)).or_default(), roots);
        }
    }

    fn set(&mut self, method: MethodId, body: &Body, dst: LocalId, origins: Origins) {
        if is_mutable(self.program, body.local(dst).ty) {
            self.add((method, dst), origins);
        }
    }

    fn add(&mut self, local: (MethodId, LocalId), origins: Origins) {
        if origins != Origins::NONE {
            merge(&mut self.is_moving, self.flow.locals.entry(local).or_default(), origins);
        }
    }
}

/// The methods that an execution of `entry` may run, but for those of code that comes with the language.
pub fn reached(program: &Program, entry: MethodId) -> Vec<MethodId> {
    closure(program, [entry], Follow::Everything)
}

/// The classes of which the code of the program makes objects.
pub fn allocated(program: &Program) -> FxHashSet<ClassId> {
    let all = closure(program, program.own_methods(), Follow::Everything);
    let ops = all.into_iter().filter_map(|method| code(program, method)).flat_map(Body::ops);
    let made = ops.filter_map(|(_, op)| match op.kind {
        OpKind::New { class, .. } => Some(class),
        _ => None,
    });
    made.collect()
}

/// The methods of which the initialization of a class is not alone to run: it is that of another class, or of several.
fn shared_by_initializers(program: &Program, all: &[MethodId]) -> Vec<MethodId> {
    let mut run: FxHashSet<MethodId> = FxHashSet::default();
    let mut shared = Vec::new();
    for &initializer in all.iter().filter(|&&method| program.is_initializer(method)) {
        let class = program.method(initializer).class;
        for method in closure(program, [initializer], Follow::CallsOnly) {
            if program.method(method).class != class || !run.insert(method) {
                shared.push(method);
            }
        }
    }
    shared
}

/// Whether an expression is the object that a constructor makes.
fn is_constructed(program: &Program, method: MethodId, body: &Body, value: ExprId) -> bool {
    let Expr::Local(local) = *body.expr(value) else { return false };
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

/// Notes that callers can get at objects of a type, and at what these refer to.
fn hand(program: &Program, handed: &mut FxHashSet<Type>, ty: Type) {
    let mut pending = vec![ty];
    while let Some(ty) = pending.pop() {
        if !is_mutable(program, ty) || !handed.insert(ty) {
            continue;
        }
        match ty {
            Type::Array(array) => pending.push(program.element_type(array)),
            Type::Class(class) if is_looked_at(program, class) => {
                let fields = program.subclasses(class).into_iter().flat_map(|class| program.instance_fields(class));
                let open = fields.filter(|&field| !program.is_private_field(field));
                pending.extend(open.map(|field| program.field(field).ty));
            }
            // A collection, say, which may hold anything.
            Type::Class(_) => pending.extend(program.array_superclass().map(Type::Class)),
            _ => {}
        }
    }
}

/// Whether a reference of one type may be of the other.
fn are_related(program: &Program, a: Type, b: Type) -> bool {
    a == b || a.is_reference() && b.is_reference() && (program.is_assignable(a, b) || program.is_assignable(b, a))
}

/// Whether objects of a type may change.
pub(super) fn is_mutable(program: &Program, ty: Type) -> bool {
    match ty {
        Type::Array(_) => true,
        Type::Class(class) => !program.is_immutable(class),
        _ => false,
    }
}

pub(super) fn is_looked_at(program: &Program, class: ClassId) -> bool {
    !program.is_platform(class) || is_made_up(program, class)
}

pub(super) fn code(program: &Program, method: MethodId) -> Option<&Body> {
    if is_looked_at(program, program.method(method).class) { program.body(method) } else { None }
}

/// Whether a call may run code that comes with the language.
pub fn runs_platform_code(program: &Program, dispatch: Dispatch, named: MethodId) -> bool {
    let class = program.method(named).class;
    match dispatch {
        Dispatch::Static | Dispatch::Special => !is_looked_at(program, class),
        // A class of the program may inherit the code.
        Dispatch::Virtual => {
            !is_looked_at(program, class)
                || targets_of(program, named).iter().any(|&target| !is_looked_at(program, program.method(target).class))
        }
    }
}

/// The methods whose code is looked at that a call may run.
fn targets(program: &Program, dispatch: Dispatch, named: MethodId) -> Vec<MethodId> {
    let mut found = match dispatch {
        Dispatch::Static | Dispatch::Special => vec![named],
        Dispatch::Virtual => targets_of(program, named),
    };
    found.retain(|&target| is_looked_at(program, program.method(target).class));
    found
}

fn targets_of(program: &Program, named: MethodId) -> Vec<MethodId> {
    let below = program.subclasses(program.method(named).class).into_iter();
    let concrete = below.filter(|&class| {
        let declared = program.class(class);
        is_looked_at(program, class) && !declared.is_abstract && !declared.is_interface
    });
    let mut found: Vec<MethodId> = concrete.map(|class| program.dispatch(class, named)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// What leads from one method to others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    /// Calls, and the initialization of classes.
    Everything,
    CallsOnly,
}

/// The methods, and those that they lead to, whose code is looked at.
pub(super) fn closure(program: &Program, start: impl IntoIterator<Item = MethodId>, follow: Follow) -> Vec<MethodId> {
    let mut found: Vec<MethodId> = Vec::new();
    let mut seen: FxHashSet<MethodId> = FxHashSet::default();
    let mut named_before: FxHashSet<(bool, MethodId)> = FxHashSet::default();
    let mut pending: Vec<MethodId> = start.into_iter().collect();
    let mut calls_back = false;
    loop {
        while let Some(method) = pending.pop() {
            if !seen.insert(method) {
                continue;
            }
            let Some(body) = code(program, method) else { continue };
            found.push(method);
            for (_, op) in body.ops() {
                match op.kind {
                    OpKind::Call { dispatch, method: named, .. } => {
                        if !named_before.insert((dispatch == Dispatch::Virtual, named)) {
                            continue;
                        }
                        pending.extend(targets(program, dispatch, named));
                        calls_back |= runs_platform_code(program, dispatch, named) && takes_objects(program, named);
                    }
                    OpKind::Ensure { method, .. } if follow == Follow::Everything => pending.push(method),
                    // Function objects: whoever gets them may call them. Class objects initialize their class for nobody but
                    // who calls methods by name.
                    OpKind::New { class, .. } if is_made_up(program, class) => {
                        let methods = program.class(class).methods.iter().copied();
                        pending.extend(methods.filter(|&method| !program.is_initializer(method)));
                    }
                    _ => {}
                }
            }
        }
        if !std::mem::take(&mut calls_back) {
            return found;
        }
        pending.extend(selected_by_libraries(program));
    }
}

/// Whether code that is not looked at may get objects of the program from a call, whose methods it may call.
fn takes_objects(program: &Program, named: MethodId) -> bool {
    if !program.may_call_back(named) {
        return false;
    }
    let declared = program.method(named);
    let own = if declared.kind == MethodKind::Constructor { 1 } else { 0 };
    declared.params.iter().skip(own).any(|&ty| match ty {
        Type::Array(array) => is_mutable(program, program.element_type(array)),
        ty => is_mutable(program, ty),
    })
}

/// Static fields that executions of a method write before anything can read them.
fn assigned_first(program: &Program, entry: MethodId) -> FxHashSet<FieldId> {
    let (mut assigned, mut read) = (FxHashSet::default(), FxHashSet::default());
    let mut seen = FxHashSet::default();
    let mut at = Some((entry, Body::ENTRY));
    while let Some((method, block)) = at.take().filter(|&place| seen.insert(place)) {
        let Some(body) = code(program, method) else { break };
        let block = body.block(block);
        // Who catches what is thrown may read what was not written then.
        let is_caught = block.handlers.iter().any(|handler| !is_cut_off(body, handler.target));
        for op in &block.ops {
            if is_caught && op.kind.may_throw() {
                return assigned;
            }
            match op.kind {
                OpKind::GetStatic { field, .. } => {
                    read.insert(field);
                }
                OpKind::PutStatic { field, .. } if !read.contains(&field) => {
                    assigned.insert(field);
                }
                OpKind::Ensure { method, .. } => {
                    let run = closure(program, [method], Follow::Everything);
                    let ops = run.into_iter().filter_map(|method| code(program, method)).flat_map(Body::ops);
                    read.extend(ops.filter_map(|(_, op)| match op.kind {
                        OpKind::GetStatic { field, .. } => Some(field),
                        _ => None,
                    }));
                }
                OpKind::Call { dispatch: Dispatch::Static | Dispatch::Special, method: callee, .. } => {
                    at = Some((callee, Body::ENTRY));
                    break;
                }
                OpKind::Call { .. } => return assigned,
                _ => {}
            }
        }
        if let (None, TerminatorKind::Goto(target)) = (at, &block.terminator.kind) {
            at = Some((method, *target));
        }
    }
    assigned
}

/// Whether executions end as soon as they get to a block.
fn is_cut_off(body: &Body, block: BlockId) -> bool {
    let first = body.block(block).ops.first();
    first.is_some_and(|op| match op.kind {
        OpKind::Assume { condition } => *body.expr(condition) == Expr::Const(Const::Bool(false)),
        _ => false,
    })
}
