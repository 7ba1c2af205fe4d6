//! What executions of an entry point are that start with something else than what an engine starts with: what ran before, and what
//! is not there.

use aback_ir::analysis::{
    Effects, Statics, allocated, depends_on_order, initialized_on_the_way, reached, runs_platform_code,
};
use aback_ir::{
    Body, ClassId, Dispatch, Expr, ExprId, FieldId, Intrinsic, LibraryState, MethodId, MethodKind, OpKind, Point,
    Program, Span, Type,
};
use aback_symbolic::{Gap, Query, Uncaught};
use aback_witness::{Inputs, Limits, Outcome, Place, run};
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Which classes there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum World {
    /// Those of the program and of its libraries.
    #[default]
    Closed,
    /// Others, too, which may extend and implement those that code outside of the program can.
    Open,
}

/// Most operations of an initializer of a class that is run to see whether it fails.
const MOST_STEPS: u64 = 1_000_000;
/// Names that a bound mentions.
const SHOWN: usize = 5;

/// What is known of the program before its executions start.
pub(crate) struct Before<'p> {
    pub(crate) program: &'p Program,
    world: World,
    /// The methods that executions start with.
    starts: Vec<MethodId>,
    statics: OnceCell<Statics<'p>>,
    allocated: OnceCell<FxHashSet<ClassId>>,
}

impl<'p> Before<'p> {
    pub(crate) fn new(program: &'p Program, world: World, starts: Vec<MethodId>) -> Self {
        Before { program, world, starts, statics: OnceCell::new(), allocated: OnceCell::new() }
    }

    /// What is taken for granted.
    pub(crate) fn assumptions(&self) -> Vec<String> {
        let of_language = self.program.assumptions().iter().copied();
        let world = "the classes of the program and of its libraries are all there are";
        let world = (self.world == World::Closed).then_some(world);
        ["memory and stack are unlimited"].into_iter().chain(of_language).chain(world).map(String::from).collect()
    }

    /// Executions that an engine does not look at where it finds no violation. `query` starts with `entry`, or with what makes its
    /// inputs and calls it.
    pub(crate) fn gaps(&self, entry: MethodId, query: &Query) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let has_past = self.program.has_loader() && !self.program.is_start(entry);
        if has_past && Statics::concern(self.program, query.entry) {
            gaps.extend(self.differing_statics(query));
        }
        if has_past {
            gaps.extend(self.first_uses(entry, query));
            gaps.extend(self.library_state(query));
        }
        if self.world == World::Open {
            gaps.extend(self.unknown_code(query));
        }
        gaps
    }

    /// Why there is no execution of an entry point to look at.
    pub(crate) fn vacuous(&self, entry: MethodId) -> Option<Gap> {
        (!self.has_receiver(entry)).then(|| Gap::Vacuous { entry: self.program.method_name(entry) })
    }

    fn bound(&self, what: String, start: MethodId) -> Gap {
        let point = Point { block: Body::ENTRY, op: 0 };
        Gap::Bound { what, place: Place { method: start, point, span: Span::NONE } }
    }

    fn statics(&self) -> &Statics<'p> {
        self.statics.get_or_init(|| Statics::new(self.program, self.starts.iter().copied()))
    }

    /// Static fields that are read and may hold something else than what initialization gives.
    fn differing_statics(&self, query: &Query) -> Vec<Gap> {
        let statics = self.statics();
        let mut differing = statics.read_by(query.entry, |_, _| true);
        if !differing.fields.is_empty() || !differing.objects.is_empty() {
            differing = statics.read_by(query.entry, self.matters(query));
        }
        let mut gaps = Vec::new();
        let given = self.given_objects(query.entry);
        if !given.is_empty() {
            let what = format!("static fields refer to no objects that initializers make: {}", self.names(&given));
            gaps.push(self.bound(what, query.entry));
        }
        if !differing.fields.is_empty() {
            let fields = self.names(&differing.fields);
            gaps.push(self.bound(format!("static fields hold what initialization gives them: {fields}"), query.entry));
        }
        if !differing.objects.is_empty() {
            let fields = self.names(&differing.objects);
            let what = format!("objects that static fields refer to are as initialization leaves them: {fields}");
            gaps.push(self.bound(what, query.entry));
        }
        gaps
    }

    /// Classes that may have been initialized before, where that makes a difference.
    fn first_uses(&self, entry: MethodId, query: &Query) -> Option<Gap> {
        let program = self.program;
        let is_noticed = |&class: &ClassId| {
            let effects = Effects::of(program, class);
            effects.writes
                || effects.reads
                    && (depends_on_order(program, class) || self.statics().is_read_by_initialization(class))
                || self.fails_to_initialize(class)
        };
        let later = initialized_on_the_way(program, entry).into_iter().filter(is_noticed);
        // These are initialized before, but nobody knows which class came first.
        let earlier = program.supertypes(program.method(entry).class).into_iter();
        let earlier = earlier.filter(|&class| depends_on_order(program, class));
        let classes: BTreeSet<ClassId> = later.chain(earlier).collect();
        let names: Vec<&str> = classes.iter().map(|&class| self.program.class_name(class)).collect();
        let what = || format!("classes are initialized when they are first used: {}", shortened(&names));
        (!names.is_empty()).then(|| self.bound(what(), query.entry))
    }

    /// State of the library that is read and that may be another one than when a program starts.
    fn library_state(&self, query: &Query) -> Option<Gap> {
        let program = self.program;
        let ops = |methods: Vec<MethodId>| {
            let bodies = methods.into_iter().filter_map(|method| Some((method, program.body(method)?)));
            bodies.flat_map(|(method, body)| body.ops().map(move |(point, op)| (method, point, &op.kind)))
        };
        let mut own = reached(program, query.entry);
        // What the front end makes up reads for its own purposes.
        own.retain(|&method| !program.class(program.method(method).class).is_library);
        let read: Vec<(MethodId, Point, LibraryState)> =
            ops(own).filter_map(|(method, point, op)| Some((method, point, program.state_read(op)?))).collect();
        if read.is_empty() {
            return None;
        }
        let changed: BTreeSet<LibraryState> =
            ops(program.own_methods().collect()).filter_map(|(_, _, op)| program.state_changed(op)).collect();
        let matters = self.matters(query);
        let differs = |&&(method, point, state): &&(MethodId, Point, LibraryState)| {
            (state.is_open || changed.contains(&state)) && matters(method, point)
        };
        let names: BTreeSet<&str> = read.iter().filter(differs).map(|(_, _, state)| state.name).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let what = || format!("the library is as a program finds it when it starts: {}", shortened(&names));
        (!names.is_empty()).then(|| self.bound(what(), query.entry))
    }

    /// Static fields that what makes the inputs lets refer to any input.
    fn given_objects(&self, start: MethodId) -> Vec<FieldId> {
        if !self.program.class(self.program.method(start).class).is_library {
            return Vec::new();
        }
        let ops = self.program.body(start).into_iter().flat_map(Body::ops);
        let given = ops.filter_map(|(_, op)| match op.kind {
            OpKind::PutStatic { field, .. } => Some(field),
            _ => None,
        });
        let refers = |&field: &FieldId| match self.program.field(field).ty {
            Type::Class(class) => !self.program.is_immutable(class) && !self.program.is_made_only(class),
            ty => ty.is_reference(),
        };
        let given: BTreeSet<FieldId> = given.filter(refers).collect();
        given.into_iter().collect()
    }

    fn names(&self, fields: &[FieldId]) -> String {
        let name = |&field: &FieldId| {
            let field = self.program.field(field);
            let class = self.program.class_name(field.class);
            // Where compilers keep the constants of an enum is no name that a person knows.
            if field.name.starts_with('$') {
                format!("the constants of {class}")
            } else {
                format!("{class}.{}", field.name)
            }
        };
        shortened(&fields.iter().map(name).collect::<Vec<String>>())
    }

    /// Which operations matter to what is asked of what can run.
    fn matters(&self, query: &Query) -> impl Fn(MethodId, Point) -> bool + use<> {
        let at = match &query.at {
            Some(at) => at.clone(),
            None => {
                let assertions = reached(self.program, query.entry).into_iter().flat_map(|method| {
                    let ops = self.program.body(method).into_iter().flat_map(Body::ops);
                    let asserts = ops.filter(|(_, op)| matches!(op.kind, OpKind::Assert { .. }));
                    asserts.map(move |(point, _)| (method, point))
                });
                assertions.collect()
            }
        };
        let focus = (query.uncaught == Uncaught::Never)
            .then(|| Query { at: Some(at), ..query.clone() }.focus(self.program))
            .flatten();
        let relevance = focus.and_then(|focus| focus.relevance);
        move |method, point| relevance.as_ref().is_none_or(|relevance| relevance.matters(method, point))
    }

    /// Whether there may be an object that a method can be called on; methods without a receiver need none.
    fn has_receiver(&self, entry: MethodId) -> bool {
        let program = self.program;
        let declared = program.method(entry);
        if declared.kind != MethodKind::Instance || program.class(declared.class).is_library {
            return true;
        }
        // First: function objects get their classes where code that makes them is looked at.
        let allocated = self.allocated.get_or_init(|| allocated(program));
        program.subclasses(declared.class).into_iter().any(|class| {
            let of = program.class(class);
            !of.is_abstract
                && !of.is_interface
                && program.dispatch(class, entry) == entry
                && (allocated.contains(&class) || self.can_be_made(class))
                && !self.fails_to_initialize(class)
        })
    }

    /// Whether code outside of the program can make objects of a class.
    fn can_be_made(&self, class: ClassId) -> bool {
        let mut methods = self.program.class(class).methods.iter();
        !self.program.has_loader()
            || methods.any(|&method| {
                self.program.method(method).kind == MethodKind::Constructor && !self.program.is_private(method)
            })
    }

    /// Whether no object of a class can be made, because its initializer throws an exception.
    fn fails_to_initialize(&self, class: ClassId) -> bool {
        let Some((_, method)) = self.program.initialization(class) else { return false };
        let limits = Limits { max_steps: MOST_STEPS, ..Limits::default() };
        let outcome = run(self.program, method, &Inputs::default(), limits, &mut ());
        matches!(outcome, Ok(Outcome::Uncaught { .. }))
    }

    /// Calls on inputs that classes that are not there could answer.
    fn unknown_code(&self, query: &Query) -> Vec<Gap> {
        let program = self.program;
        let methods = reached(program, query.entry);
        let bodies: Vec<(MethodId, &Body)> =
            methods.into_iter().filter_map(|method| Some((method, program.body(method)?))).collect();
        let is_object = |ty: &Type| match *ty {
            Type::Class(class) => !program.is_immutable(class),
            Type::Array(array) => match program.element_type(array) {
                Type::Class(class) => !program.is_immutable(class),
                element => element.is_reference(),
            },
            _ => false,
        };
        let asks = |body: &Body| {
            body.ops().any(|(_, op)| match &op.kind {
                OpKind::Intrinsic { intrinsic: Intrinsic::Nondet(ty) | Intrinsic::NondetArray(ty), .. } => {
                    is_object(ty)
                }
                _ => false,
            })
        };
        let has_objects =
            program.method(query.entry).params.iter().any(is_object) || bodies.iter().any(|(_, body)| asks(body));
        if !has_objects {
            return Vec::new();
        }
        let matters = self.matters(query);
        let mut unknown = Unknown::default();
        // What the front end makes up asks for its own purposes.
        let is_own = |&(method, _): &(MethodId, &Body)| !program.class(program.method(method).class).is_library;
        for (method, body) in bodies.into_iter().filter(is_own) {
            for (point, op) in body.ops() {
                let mut here = Unknown::default();
                here.look(program, body, program.method(method).params.len(), &op.kind);
                if !(here.methods.is_empty() && here.classes.is_empty()) && matters(method, point) {
                    unknown.methods.append(&mut here.methods);
                    unknown.classes.append(&mut here.classes);
                }
            }
        }
        let methods: Vec<String> = unknown.methods.iter().map(|&method| program.method_name(method)).collect();
        let classes: Vec<&str> = unknown.classes.iter().map(|&class| program.class_name(class)).collect();
        let overrides = || format!("no class that is not there overrides {}", shortened(&methods));
        let extends = || format!("no class that is not there extends or implements {}", shortened(&classes));
        let overrides = (!methods.is_empty()).then(|| self.bound(overrides(), query.entry));
        let extends = (!classes.is_empty()).then(|| self.bound(extends(), query.entry));
        overrides.into_iter().chain(extends).collect()
    }
}

/// What classes that are not there could make different.
#[derive(Default)]
struct Unknown {
    /// Methods that they could override.
    methods: BTreeSet<MethodId>,
    /// Classes that they could extend or implement, where it is asked of what class an object is, or the library calls its methods.
    classes: BTreeSet<ClassId>,
}

impl Unknown {
    /// Looks at an operation of a method with so many parameters.
    fn look(&mut self, program: &Program, body: &Body, params: usize, op: &OpKind) {
        let open = |object: ExprId| match body.expr_type(object) {
            Type::Class(class) if program.is_extendable(class) && !is_made_here(body, params, object) => Some(class),
            _ => None,
        };
        match *op {
            OpKind::InstanceOf { object, ty, .. } => {
                self.classes.extend(open(object));
                self.classes.extend(program.class_of(ty).filter(|&class| program.is_extendable(class)));
            }
            OpKind::Cast { object, .. } => self.classes.extend(open(object)),
            OpKind::Call { dispatch, method: named, ref args, .. } => {
                let receiver = args.first().copied();
                let is_own = dispatch == Dispatch::Virtual && program.is_overridable(named);
                if is_own && !receiver.is_some_and(|receiver| is_made_here(body, params, receiver)) {
                    self.methods.insert(named);
                }
                if runs_platform_code(program, dispatch, named) && program.may_call_back(named) {
                    self.classes.extend(args.iter().filter_map(|&arg| open(arg)));
                }
            }
            _ => {}
        }
    }
}

/// The first names of a list, sorted: the order in which a program was loaded is nobody's business.
fn shortened<S: AsRef<str>>(names: &[S]) -> String {
    let names: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
    let mut shown: Vec<String> = names.iter().take(SHOWN).map(|&name| name.to_owned()).collect();
    if names.len() > SHOWN {
        shown.push(format!("and {} more", names.len() - SHOWN));
    }
    shown.join(", ")
}

/// Whether a reference is to an object that the method itself makes.
fn is_made_here(body: &Body, params: usize, receiver: ExprId) -> bool {
    let Expr::Local(mut local) = *body.expr(receiver) else { return false };
    // What is made is often put into a variable that has a name.
    for _ in 0..3 {
        if local.index() < params {
            return false;
        }
        let mut sources = body.ops().filter(|(_, op)| op.kind.dst() == Some(local));
        match (sources.next().map(|(_, op)| &op.kind), sources.next()) {
            (Some(OpKind::New { .. }), None) => return true,
            (Some(&OpKind::Assign { value, .. }), None) => match *body.expr(value) {
                Expr::Local(other) => local = other,
                _ => return false,
            },
            _ => return false,
        }
    }
    false
}
