//! Provides the arguments of entry points that are not arbitrary objects, and executes what happens before an entry
//! point is called.

use crate::inputs;
use crate::loader::{Java, MadeMethod};
use crate::synthetic::before::Before;
use crate::synthetic::classes::{self, CLASS};
use crate::synthetic::shared::{self, Uses};
use crate::types::{self, INT, STRING, internal_name};
use aback_ir::analysis::{Callers, Given, GivenObjects};
use aback_ir::builder::Builder;
use aback_ir::{
    BinaryOp, Body, ClassId, Dispatch, ExprId, FieldId, Handler, Intrinsic, LocalId, MethodId, MethodKind, OpKind,
    TerminatorKind, Type, asserting_initializations,
};
use std::cell::OnceCell;

/// The name of [`keep_within_bound`].
pub(crate) const KEEP_WITHIN_BOUND: &str = "$keepWithinBound";

/// A method of strings that are created as inputs. It keeps their length within the bound.
pub(crate) fn keep_within_bound() -> MadeMethod {
    MadeMethod::new(KEEP_WITHIN_BOUND, &[INT], None, |java| {
        let string = java.class_type(crate::types::STRING);
        let mut code = Builder::new(&[string, INT]);
        // The program with strings of any length, which shares this code, replaces it.
        let strings = java.program.profile().inputs.strings.as_ref();
        let Some((most, bound)) = strings.and_then(|strings| strings.most.zip(strings.bound())) else {
            code.ret(None);
            return code.finish();
        };
        let (length, most) = (code.param(1), code.int(most.into()));
        let is_within = code.binary(BinaryOp::Le, INT, length, most);
        let (_, beyond) = code.branch(is_within);
        code.ret(None);
        code.switch_to(beyond);
        code.end(TerminatorKind::Bound(bound));
        code.finish()
    })
}

/// Whether a method is one that the virtual machine calls itself. Its argument is an array of strings, none of which
/// is null (Java Language Specification, 12.1.4).
pub(crate) fn is_main(java: Java, entry: MethodId) -> bool {
    let method = java.program.method(entry);
    let strings = || java.program.array_of(java.class_type(crate::types::STRING));
    method.name == "main"
        && method.kind == MethodKind::Static
        && method.result.is_none()
        && method.params.len() == 1
        && method.params[0] == strings()
}

/// Objects outside the input heap that exist before an entry point is called, and that a caller could pass to it.
#[derive(Clone)]
enum Known {
    /// One of the constants of an enum, with the method that returns them.
    Constants(ClassId, MethodId),
    /// The objects that static fields of a class hold after its initialization.
    Held(ClassId, Vec<FieldId>, Given),
    /// The result of a static method for a value of a type: a box, which may be cached.
    Box(MethodId, Type),
    /// The string that `intern` returns, which is identical to an equal literal.
    Interned(MethodId),
    /// One of the class objects that the program names, by the fields that hold them and the methods that create
    /// them.
    Classes(Vec<(FieldId, MethodId)>),
}

/// The sources of an argument of an entry point.
#[derive(Clone)]
struct Argument {
    ty: Type,
    /// Whether the argument can be an object of the input heap.
    is_given: bool,
    known: Vec<Known>,
    /// Whether the argument could also be an object from elsewhere.
    is_lacking: bool,
    /// Whether it is not null for callers that do what declarations say.
    is_never_null: bool,
}

impl Argument {
    /// An argument that is any input.
    fn any(ty: Type) -> Self {
        Argument { ty, is_given: true, known: Vec::new(), is_lacking: false, is_never_null: false }
    }

    /// Whether it is any input.
    fn is_arbitrary(&self) -> bool {
        self.is_given && self.known.is_empty() && !self.is_never_null
    }
}

/// Greatest number of classes whose constants, and of classes whose static fields, are offered as arguments.
const MOST_CLASSES: usize = 4;

/// A method that calls an entry point. It creates the arguments that are known objects of the program and the object
/// on which a constructor is called, and takes the other arguments as parameters. `None` if there is nothing to
/// create.
pub(crate) fn with_inputs(java: Java, entry: MethodId) -> Option<MethodId> {
    if is_main(java, entry) {
        return None;
    }
    let method = java.program.method(entry);
    inputs::make_lambdas(java);
    inputs::load_lists(java, entry);
    let uses = Uses::new(java, entry);
    let callers = CallersOf { java, is_within: java.program.is_private(entry) };
    let objects = OnceCell::new();
    let objects = || objects.get_or_init(|| GivenObjects::new(java.program, &callers));
    let arguments = method.params.iter().map(|&ty| argument(java, entry, ty, &uses, &objects));
    let mut arguments: Vec<Argument> = arguments.collect();
    if java.program.constructs(entry) {
        arguments[0] = Argument { is_given: false, ..Argument::any(method.params[0]) };
    }
    if java.program.takes_enclosing_object(entry) {
        arguments[1].is_never_null = true;
    }
    for (index, argument) in arguments.iter_mut().enumerate() {
        argument.is_never_null |= java.program.takes_no_null(entry, index);
    }
    let lacking = arguments.iter().any(|argument| argument.is_lacking).then_some(LACKING);
    let bounds: Vec<&str> = lacking.into_iter().chain(shared::bounds(java, &uses, &method.params)).collect();
    let before = Before::of(java, entry);
    if bounds.is_empty() && before.is_empty() && arguments.iter().all(|argument| argument.is_arbitrary()) {
        return None;
    }
    let given: Vec<Type> = arguments.iter().filter(|argument| argument.is_given).map(|argument| argument.ty).collect();
    // Overloads have the same name.
    let name = format!("inputs of {} #{}", java.program.method_name(entry), entry.index());
    let params = given.clone();
    Some(java.helper(&name, &params, None, move |java| body(java, entry, &given, &arguments, &bounds, &before)))
}

/// The incompleteness that results from objects that are not offered.
const LACKING: &str = "arguments are none of the objects of some static fields";

/// The callers of an entry point: code that can name it.
struct CallersOf<'a> {
    java: Java<'a>,
    /// Whether they are within the entry point's class.
    is_within: bool,
}

impl Callers for CallersOf<'_> {
    fn can_read(&self, field: FieldId) -> bool {
        self.is_within || !self.java.program.is_private_field(field)
    }

    fn can_call(&self, method: MethodId) -> bool {
        self.is_within || !self.java.program.is_private(method)
    }

    fn is_whole(&self, _: FieldId) -> bool {
        true
    }
}

/// The sources of a parameter of a type.
fn argument<'a>(
    java: Java,
    entry: MethodId,
    ty: Type,
    uses: &Uses,
    objects: &impl Fn() -> &'a GivenObjects<'a>,
) -> Argument {
    let mut argument = Argument::any(ty);
    if !ty.is_reference() {
        return argument;
    }
    let compares = uses.compares(java, ty);
    if let Type::Class(class) = ty {
        let name = java.program.class_name(class);
        argument.is_given = !java.program.is_made_only(class);
        match name {
            CLASS => argument.known.push(Known::Classes(class_objects(java, entry))),
            STRING if compares => {
                let intern = java.declared_method(class, "intern", "()Ljava/lang/String;");
                argument.known.extend(intern.map(Known::Interned));
            }
            _ => {}
        }
        if let Some((_, held)) = inputs::BOXES.iter().find(|(boxed, _)| *boxed == name && compares) {
            let made = java.declared_method(class, "valueOf", &format!("({held})L{};", internal_name(name)));
            let held = types::field_type(java.program, held);
            argument.known.extend(made.zip(held).map(|(made, held)| Known::Box(made, held)));
        }
    }
    let own: Vec<ClassId> = java.program.classes().filter(|(_, class)| !class.is_library).map(|(id, _)| id).collect();
    // An enum of a library is not a class of the program, but its constants can be arguments.
    let of_library = uses.constants.iter().chain(if let Type::Class(class) = &ty { Some(class) } else { None });
    let of_library = of_library.copied().filter(|&class| java.program.class(class).is_library);
    let mut enums: Vec<ClassId> = own.iter().copied().chain(of_library).collect();
    enums.retain(|&class| java.program.is_assignable(Type::Class(class), ty) && constants(java, class).is_some());
    enums.sort_unstable_by_key(|class| (!uses.constants.contains(class), *class));
    enums.dedup();
    enums.truncate(MOST_CLASSES);
    let known = |class| Some(Known::Constants(class, constants(java, class)?));
    argument.known.extend(enums.iter().copied().filter_map(known));
    let classes = java.named(CLASS);
    if uses.constants.contains(&classes) && uses.tells_constants_of(java, classes, ty) {
        argument.known.push(Known::Classes(class_objects(java, entry)));
        enums.push(classes);
    }
    let mut others = uses.constants.iter().filter(|class| !enums.contains(class));
    let lacks_told = others.any(|&class| uses.tells_constants_of(java, class, ty));
    let mut holders = holders(java, entry, ty, own, uses);
    for (_, fields) in &mut holders {
        fields.retain(|&field| objects().is_given(field) != Given::No);
    }
    holders.retain(|(_, fields)| !fields.is_empty());
    // A supertype of all enums has the constants of any enum.
    let is_one_of_these = |known: &Known| matches!(known, Known::Constants(class, _) if Type::Class(*class) == ty);
    let lacks_constants = !argument.is_given && !argument.known.iter().any(is_one_of_these);
    let count = holders.len();
    // The entry point itself initializes its own class.
    let classes: Vec<ClassId> = holders.iter().map(|&(class, _)| class).collect();
    let asserting = asserting_initializations(java.program, &classes);
    holders.retain(|(class, _)| *class == java.program.method(entry).class || !asserting.contains(class));
    argument.is_lacking = lacks_constants || lacks_told || holders.len() < count || holders.len() > MOST_CLASSES;
    holders.truncate(MOST_CLASSES);
    for (class, fields) in holders {
        let given = |wanted: Given| -> Vec<FieldId> {
            fields.iter().copied().filter(|&field| objects().is_given(field) == wanted).collect()
        };
        let groups = [Given::Yes, Given::Unknown].map(|wanted| (given(wanted), wanted));
        let groups = groups.into_iter().filter(|(fields, _)| !fields.is_empty());
        argument.known.extend(groups.map(|(fields, given)| Known::Held(class, fields, given)));
    }
    argument
}

/// The static fields that the program's code reads and that may hold an object of a type, by class.
fn holders(java: Java, entry: MethodId, ty: Type, own: Vec<ClassId>, uses: &Uses) -> Vec<(ClassId, Vec<FieldId>)> {
    let declaring = java.program.method(entry).class;
    let fits = |field: FieldId| {
        let field = java.program.field(field);
        // Constants of enums, class objects, and strings and boxes have another source. Where references are compared,
        // static fields may hold strings and boxes that this source does not have.
        let is_opaque = match field.ty {
            Type::Class(class) if java.program.is_made_only(class) => true,
            _ => shared::is_value(java, field.ty) && !uses.compares(java, field.ty),
        };
        let is_related = java.program.is_assignable(field.ty, ty) || java.program.is_assignable(ty, field.ty);
        field.is_static && field.ty.is_reference() && !is_opaque && is_related && field.name != "$VALUES"
    };
    let fields_of = |class: ClassId| -> Vec<FieldId> {
        java.program
            .class(class)
            .fields
            .iter()
            .copied()
            .filter(|&field| fits(field) && uses.read.contains(&field))
            .collect()
    };
    let mut found: Vec<(ClassId, Vec<FieldId>)> = own.into_iter().map(|class| (class, fields_of(class))).collect();
    for (class, names) in inputs::WELL_KNOWN.into_iter().filter(|_| uses.compares(java, ty)) {
        let class = java.named(class);
        let is_one = |&field: &FieldId| {
            let field = java.program.field(field);
            names.contains(&field.name.as_str()) && field.ty == ty
        };
        found.push((class, java.program.class(class).fields.iter().copied().filter(is_one).collect()));
    }
    found.retain(|(_, fields)| !fields.is_empty());
    found.sort_by_key(|&(class, _)| (class != declaring, Type::Class(class) != ty));
    found
}

/// The class objects that an entry point may get: those that the surrounding code names, and those of a class, an
/// interface, an array and a primitive type.
fn class_objects(java: Java, entry: MethodId) -> Vec<(FieldId, MethodId)> {
    const MOST: usize = 16;
    let declaring = java.program.method(entry).class;
    let object = java.class_type(types::OBJECT);
    let array = java.program.array_of(object);
    let others = [Type::Class(declaring), object, java.class_type("java.lang.Runnable"), array, INT];
    for ty in others {
        classes::class_object(java, Some(ty));
    }
    let mut found = java.class_objects();
    found.truncate(MOST);
    found
}

/// The method that returns the constants of an enum.
pub(crate) fn constants(java: Java, class: ClassId) -> Option<MethodId> {
    let superclass = java.program.class(class).superclass?;
    if java.program.class_name(superclass) != "java.lang.Enum" {
        return None;
    }
    let name = internal_name(java.program.class_name(class));
    java.declared_method(class, "values", &format!("()[L{name};"))
}

fn body(java: Java, entry: MethodId, given: &[Type], arguments: &[Argument], bounds: &[&str], before: &Before) -> Body {
    let method = java.program.method(entry);
    let mut code = Builder::new(given);
    for &bound in bounds {
        let is_other = code.result(Type::Bool, |dst| nondet(dst, Type::Bool));
        let (_, own) = code.branch(is_other);
        code.end(TerminatorKind::Bound(bound.into()));
        code.switch_to(own);
    }
    let names = java.program.body(entry).map_or(&[][..], |body| &body.locals);
    let mut own = 0;
    let mut args = Vec::new();
    let constructs = java.program.constructs(entry);
    for (index, argument) in arguments.iter().enumerate() {
        if index == 0 && constructs {
            args.push(new_object(java, &mut code, method.class));
            continue;
        }
        let given = if argument.is_given {
            let local = LocalId(own);
            if let Some(named) = names.get(index) {
                code.name(local, &named.name);
            }
            own += 1;
            code.local(local)
        } else {
            code.null()
        };
        let any = any_of(java, &mut code, argument, given);
        if argument.is_never_null {
            code.assume_not_null(any);
        }
        args.push(any);
    }
    let dispatch = match method.kind {
        MethodKind::Static => Dispatch::Static,
        MethodKind::Constructor if constructs => Dispatch::Special,
        MethodKind::Instance | MethodKind::Constructor => {
            java.program.keep_to_entry(&mut code, entry, args[0]);
            Dispatch::Special
        }
    };
    before.emit(java, &mut code, &args);
    code.call(dispatch, entry, args, method.result);
    code.ret(None);
    code.finish()
}

/// The given object or one of the known objects.
fn any_of(java: Java, code: &mut Builder, argument: &Argument, given: ExprId) -> ExprId {
    if argument.known.is_empty() {
        return given;
    }
    let result = code.variable(argument.ty);
    code.op(OpKind::Assign { dst: result, value: given });
    let end = code.block();
    for known in &argument.known {
        let is_it = code.result(Type::Bool, |dst| nondet(dst, Type::Bool));
        let (_, other) = code.branch(is_it);
        // If a class cannot be initialized, no caller can pass an object that it holds.
        let failed = code.block();
        let exception = code.variable(java.class_type("java.lang.Throwable"));
        let work = code.guarded_block(Handler { class: None, target: failed, exception });
        code.end(TerminatorKind::Goto(work));
        code.switch_to(work);
        match known {
            Known::Constants(class, values) => any_constant(java, code, result, *class, *values),
            Known::Held(class, fields, given) => {
                ensure(java, code, *class);
                if *given == Given::Unknown {
                    let class = java.program.class_name(*class);
                    let names = fields.iter().map(|&field| java.program.field(field).name.as_str());
                    let names: Vec<String> = names.map(|name| format!("{class}.{name}")).collect();
                    let without =
                        format!("arguments are not the object of {}, which callers may not have", names.join(" or "));
                    code.op(OpKind::Doubt { without });
                }
                let held: Vec<ExprId> = fields.iter().map(|&field| held(java, code, field)).collect();
                let chosen = one_of(java, code, held);
                let ty = argument.ty;
                let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: chosen, ty });
                code.op(OpKind::Assume { condition: fits });
                code.op(OpKind::Cast { dst: result, object: chosen, ty });
            }
            Known::Box(method, held) => {
                if let Type::Class(class) = argument.ty {
                    ensure(java, code, class);
                }
                let value = code.result(*held, |dst| nondet(dst, *held));
                let args = vec![value];
                code.op(OpKind::Call { dst: Some(result), dispatch: Dispatch::Static, method: *method, args });
            }
            Known::Interned(method) => {
                code.assume_not_null(given);
                let args = vec![given];
                code.op(OpKind::Call { dst: Some(result), dispatch: Dispatch::Special, method: *method, args });
            }
            Known::Classes(made) => {
                let objects: Vec<ExprId> = made
                    .iter()
                    .map(|&(field, method)| {
                        code.op(OpKind::Ensure { field, method });
                        held(java, code, field)
                    })
                    .collect();
                let chosen = one_of(java, code, objects);
                code.op(OpKind::Cast { dst: result, object: chosen, ty: argument.ty });
            }
        }
        code.end(TerminatorKind::Goto(end));
        code.switch_to(failed);
        let never = code.bool(false);
        code.op(OpKind::Assume { condition: never });
        code.end(TerminatorKind::Goto(end));
        code.switch_to(other);
    }
    if argument.known.iter().any(|known| matches!(known, Known::Classes(_))) {
        let is_other = code.result(Type::Bool, |dst| nondet(dst, Type::Bool));
        let (_, null) = code.branch(is_other);
        code.end(TerminatorKind::Bound("input class objects represent only types that the program names".into()));
        code.switch_to(null);
    }
    code.end(TerminatorKind::Goto(end));
    code.switch_to(end);
    code.local(result)
}

/// Initializes a class.
fn ensure(java: Java, code: &mut Builder, class: ClassId) {
    if let Some((field, method)) = java.initialization(class) {
        code.op(OpKind::Ensure { field, method });
    }
}

/// The value of a static field.
fn held(java: Java, code: &mut Builder, field: FieldId) -> ExprId {
    code.result(java.program.field(field).ty, |dst| OpKind::GetStatic { dst, field })
}

/// Any one of some objects.
fn one_of(java: Java, code: &mut Builder, objects: Vec<ExprId>) -> ExprId {
    if let [object] = objects[..] {
        return object;
    }
    let element = java.class_type(types::OBJECT);
    let length = code.int(objects.len() as i64);
    let array = code.result(java.program.array_of(element), |dst| OpKind::NewArray { dst, element, length });
    for (index, value) in objects.into_iter().enumerate() {
        let index = code.int(index as i64);
        code.op(OpKind::ArrayPut { array, index, value });
    }
    let dst = code.variable(element);
    any_element(code, dst, array);
    code.local(dst)
}

/// A new object on which to call a constructor: its fields have default values.
fn new_object(java: Java, code: &mut Builder, class: ClassId) -> ExprId {
    ensure(java, code, class);
    code.result(Type::Class(class), |dst| OpKind::New { dst, class })
}

/// Any one of an enum's constants.
pub(crate) fn any_constant(java: Java, code: &mut Builder, dst: LocalId, class: ClassId, values: MethodId) {
    ensure(java, code, class);
    let array = java.program.method(values).result.unwrap_or(Type::Null);
    if let Some(all) = code.call(Dispatch::Static, values, Vec::new(), Some(array)) {
        any_element(code, dst, all);
    }
}

/// Any element of an array.
fn any_element(code: &mut Builder, dst: LocalId, array: ExprId) {
    let index = code.result(INT, |dst| nondet(dst, INT));
    let length = code.result(INT, |dst| OpKind::ArrayLength { dst, array });
    let zero = code.int(0);
    let low = code.binary(BinaryOp::Le, INT, zero, index);
    code.op(OpKind::Assume { condition: low });
    let high = code.binary(BinaryOp::Lt, INT, index, length);
    code.op(OpKind::Assume { condition: high });
    code.op(OpKind::ArrayGet { dst, array, index });
}

pub(crate) fn nondet(dst: LocalId, ty: Type) -> OpKind {
    OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Nondet(ty), args: Vec::new() }
}
