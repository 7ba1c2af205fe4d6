//! Makes the arguments of entry points that are not arbitrary values.

use super::targets::Target;
use super::{Held, Value};
use crate::layout::{INT, Shape};
use crate::loader::{ClassKind, Cs};
use crate::synthetic::references::convert;
use crate::synthetic::{arrays, literals, operations};
use crate::types::{Ty, TyId};
use aback_ir::builder::Builder;
use aback_ir::{
    BinaryOp, BlockId, ClassId, Const, Dispatch, Expr, ExprId, FieldId, Intrinsic, LocalId, OpKind, TerminatorKind,
    Type,
};

/// A truth value that may be either.
pub(super) fn choice(code: &mut Builder) -> ExprId {
    code.result(Type::Bool, |dst| OpKind::Intrinsic {
        dst: Some(dst),
        intrinsic: Intrinsic::Nondet(Type::Bool),
        args: Vec::new(),
    })
}

/// The same, in a synthetic method that the user's code calls: what a method chooses that it calls is not shown.
pub(crate) fn hidden_choice(cs: Cs, code: &mut Builder) -> Option<ExprId> {
    let method = cs.helper("a choice", &[], Some(Type::Bool), |_| {
        let mut code = Builder::new(&[]);
        let choice = choice(&mut code);
        code.ret(Some(choice));
        code.finish()
    });
    code.call(Dispatch::Static, method, Vec::new(), Some(Type::Bool))
}

/// Leaves executions out where a condition holds, visibly. The others go on in the block that is returned.
pub(crate) fn leave_out(code: &mut Builder, condition: ExprId, what: &str) -> BlockId {
    let (_, go_on) = code.branch(condition);
    code.end(TerminatorKind::Bound(what.into()));
    go_on
}

/// Leaves executions out in which an input has another value than the default of its type.
pub(super) fn assume_default(code: &mut Builder, index: usize, ty: Type) {
    let (input, default) = (code.param(index), code.expr(Expr::Const(Const::default_of(ty))));
    let condition = code.binary(BinaryOp::Eq, ty, input, default);
    code.op(OpKind::Assume { condition });
}

/// What an input stands for: its default value, the input itself, or an object to which a static field refers.
pub(super) fn value(cs: Cs, code: &mut Builder, index: usize, given: &Value) -> ExprId {
    let value = any_value(cs, code, index, given);
    if given.is_never_null {
        code.assume_not_null(value);
    }
    value
}

fn any_value(cs: Cs, code: &mut Builder, index: usize, &Value { ty, is_default, ref held, .. }: &Value) -> ExprId {
    if is_default {
        assume_default(code, index, ty);
    }
    if held.is_empty() {
        return code.param(index);
    }
    let chosen = code.variable(ty);
    let given = code.param(index);
    code.op(OpKind::Assign { dst: chosen, value: given });
    for &Held { field, is_given } in held {
        let (is_one, go_on) = (choice(code), code.block());
        let (_, other) = code.branch(is_one);
        initialize(cs, code, field);
        let own = cs.program.field(field).ty;
        let value = code.result(own, |dst| OpKind::GetStatic { dst, field });
        if !cs.program.is_assignable(own, ty) {
            let fits = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: value, ty });
            let (_, misses) = code.branch(fits);
            let same = code.block();
            code.end(TerminatorKind::Goto(same));
            code.switch_to(misses);
            code.end(TerminatorKind::Goto(go_on));
            code.switch_to(same);
        }
        if !is_given {
            let declared = cs.program.field(field);
            let class = cs.program.class_name(declared.class);
            let without =
                format!("arguments are not the object of {class}.{}, which callers may not have", declared.name);
            code.op(OpKind::Doubt { without });
        }
        let value = convert(code, value, own, ty);
        code.op(OpKind::Assign { dst: chosen, value });
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(other);
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(go_on);
    }
    code.local(chosen)
}

/// A variable of the caller, or another place that code can name.
#[derive(Clone)]
pub(super) struct Variable {
    /// Its type.
    pub(super) of: TyId,
    /// Whether the entry point only reads it: `in`.
    pub(super) is_read_only: bool,
    pub(super) shape: Shape,
    /// The leaves of its value.
    pub(super) leaves: Vec<Value>,
    /// The places other than a variable, each with what refers to the object or the array with it.
    pub(super) targets: Vec<(Target, Option<Value>)>,
}

impl Variable {
    /// The inputs: a value for a variable, and what the other places need.
    pub(super) fn inputs(&self, cs: Cs) -> Vec<Type> {
        self.leaves
            .iter()
            .map(|leaf| leaf.ty)
            .chain(self.targets.iter().flat_map(|(target, _)| target.inputs(cs)))
            .collect()
    }

    /// Whether two arguments may be one variable. Variables of different types are elements of arrays, which are also arrays
    /// of another type.
    fn may_be(&self, cs: Cs, other: &Variable) -> bool {
        let plain = |ty: TyId| cs.intern(Ty::Array(ty)).and_then(|array| cs.plain_array(array)).ok();
        // A reference for reading is one to an element of an array of a subtype, too.
        let reads = |one: &Variable, other: &Variable| match (&one.leaves[..], &other.leaves[..]) {
            ([wide], [narrow]) if wide.ty.is_reference() && narrow.ty.is_reference() => {
                one.is_read_only && cs.program.is_assignable(narrow.ty, wide.ty)
            }
            _ => false,
        };
        self.of == other.of
            || self.shape == other.shape
                && (plain(self.of).is_some_and(|ty| plain(other.of) == Some(ty))
                    || reads(self, other)
                    || reads(other, self))
    }
}

impl Target {
    /// The inputs that choose the place: the object with the field, or the array and the index.
    pub(super) fn inputs(&self, cs: Cs) -> Vec<Type> {
        match self {
            Target::Field(ids) => vec![Type::Class(cs.program.field(ids[0]).class)],
            Target::Static(_) => Vec::new(),
            Target::Element(array) => vec![cs.ir_type(*array).unwrap_or(Type::Null), INT],
        }
    }

    /// A pointer to the place, which the inputs from number `first` choose. Executions without the place end.
    fn point(&self, cs: Cs, code: &mut Builder, first: usize, holder: Option<&Value>, to: Type) -> ExprId {
        let class = cs.class_for(match self {
            Target::Field(ids) => ClassKind::FieldRef(ids.clone()),
            Target::Static(ids) => ClassKind::StaticRef(ids.clone()),
            Target::Element(array) => ClassKind::ElementRef(*array),
        });
        let inputs = self.inputs(cs);
        let mut values: Vec<ExprId> = (0..inputs.len()).map(|index| code.param(first + index)).collect();
        if let (Some(holder), Some(object)) = (holder, values.first_mut()) {
            *object = value(cs, code, first, holder);
        }
        if let (Some(&object), Some(&ty)) = (values.first(), inputs.first()) {
            let null = code.null();
            let condition = code.binary(BinaryOp::Ne, ty, object, null);
            code.op(OpKind::Assume { condition });
        }
        match self {
            Target::Field(_) => {}
            Target::Static(ids) => initialize(cs, code, ids[0]),
            Target::Element(array) => {
                let (Ty::Array(element) | Ty::Grid(element, _)) = *cs.ty(*array) else { return values[0] };
                let (plane, _) = arrays::plane(cs, code, *array, element, values[0], 0);
                let length = code.result(INT, |dst| OpKind::ArrayLength { dst, array: plane });
                let zero = code.int(0);
                for (op, low, high) in [(BinaryOp::Le, zero, values[1]), (BinaryOp::Lt, values[1], length)] {
                    let condition = code.binary(op, INT, low, high);
                    code.op(OpKind::Assume { condition });
                }
            }
        }
        new_pointer(cs, code, class, values, to)
    }
}

/// A new pointer of a class, with these values in its fields, as a reference of a type.
fn new_pointer(
    cs: Cs,
    code: &mut Builder,
    class: ClassId,
    values: impl IntoIterator<Item = ExprId>,
    to: Type,
) -> ExprId {
    let made = code.allocate(class);
    let fields = cs.program.class(class).fields.clone();
    for (field, value) in fields.into_iter().zip(values) {
        code.op(OpKind::PutField { object: made, field, value });
    }
    convert(code, made, Type::Class(class), to)
}

/// Initializes the class of a static field.
fn initialize(cs: Cs, code: &mut Builder, field: FieldId) {
    let class = cs.program.field(field).class;
    if let Some((guard, method)) = cs.program.profile().runtime.initialization(cs.program, class) {
        code.op(OpKind::Ensure { field: guard, method });
    }
}

/// A pointer to a new variable, to the place of an earlier parameter, or to another place. The inputs for it begin at
/// number `first`.
pub(super) fn variable(
    cs: Cs,
    code: &mut Builder,
    first: usize,
    given: &Variable,
    earlier: &[(Variable, LocalId)],
) -> LocalId {
    let Variable { shape, leaves, targets, .. } = given;
    let ty = Type::Class(cs.reference_class(shape));
    let pointer = code.variable(ty);
    let class = cs.class_for(ClassKind::Cell(shape.clone()));
    let mut values = Vec::new();
    for (number, (leaf, &to)) in leaves.iter().zip(shape.iter()).enumerate() {
        let value = value(cs, code, first + number, leaf);
        values.push(convert(code, value, leaf.ty, to));
    }
    let value = new_pointer(cs, code, class, values, ty);
    code.op(OpKind::Assign { dst: pointer, value });
    let or_else = |code: &mut Builder, point: &mut dyn FnMut(&mut Builder) -> ExprId| {
        // Engines try the first branch first, and users prefer variables.
        let (stays, go_on) = (choice(code), code.block());
        let (_, other) = code.branch(stays);
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(other);
        let value = point(code);
        code.op(OpKind::Assign { dst: pointer, value });
        code.end(TerminatorKind::Goto(go_on));
        code.switch_to(go_on);
    };
    let mut next = first + leaves.len();
    for (target, holder) in targets {
        or_else(code, &mut |code| target.point(cs, code, next, holder.as_ref(), ty));
        next += target.inputs(cs).len();
    }
    for (_, other) in earlier.iter().filter(|(other, _)| given.may_be(cs, other)) {
        or_else(code, &mut |code| code.local(*other));
    }
    pointer
}

/// Leaves executions out in which an array has another type than its static one.
fn assume_type(cs: Cs, code: &mut Builder, array: ExprId, own: Type, ty: TyId) {
    let object = cs.object_class();
    let root = Type::Class(object);
    let Some(method) = cs.made_method(object, operations::TYPE).ok() else { return };
    let array = convert(code, array, own, root);
    let Some(found) = code.call(Dispatch::Virtual, method, vec![array], Some(root)) else { return };
    let wanted = literals::load(cs, code, literals::type_object(cs, ty));
    let condition = code.binary(BinaryOp::Eq, root, found, wanted);
    code.op(OpKind::Assume { condition });
}

/// The type of the elements of a span.
pub(super) fn span_of(cs: Cs, ty: TyId) -> Option<TyId> {
    let is_span = ["Span`1", "ReadOnlySpan`1"].iter().any(|name| cs.is_library_type(ty, "System", name));
    let (_, arguments) = cs.declared(ty).filter(|_| is_span)?;
    arguments.first().copied()
}

/// The types of the inputs for a span: an array, and the start and the length of the part.
pub(super) fn span_inputs(cs: Cs, element: TyId) -> Vec<Type> {
    let array = cs.intern(Ty::Array(element)).and_then(|array| cs.ir_type(array));
    vec![array.unwrap_or(Type::Null), INT, INT]
}

/// A span over a part of an array, or the empty span if the array is null.
pub(super) fn span(
    cs: Cs,
    code: &mut Builder,
    first: usize,
    (element, is_exact): (TyId, bool),
    holder: &Value,
) -> Vec<ExprId> {
    let shape: Shape = cs.shape(element).unwrap_or_else(|_| Shape::from([]));
    let reference = Type::Class(cs.reference_class(&shape));
    let (pointer, length) = (code.variable(reference), code.variable(INT));
    let array = value(cs, code, first, holder);
    let (start, count) = (code.param(first + 1), code.param(first + 2));
    let (Ok(ty), join) = (cs.intern(Ty::Array(element)), code.block()) else { return vec![array, start] };
    let own = span_inputs(cs, element)[0];
    let null = code.null();
    let is_there = code.binary(BinaryOp::Ne, own, array, null);
    let (_, missing) = code.branch(is_there);
    if is_exact && cs.has_subtypes(element) {
        assume_type(cs, code, array, own, ty);
    }
    let (plane, _) = arrays::plane(cs, code, ty, element, array, 0);
    let whole = code.result(INT, |dst| OpKind::ArrayLength { dst, array: plane });
    let zero = code.int(0);
    for (low, high) in [(zero, start), (zero, count), (start, whole)] {
        let condition = code.binary(BinaryOp::Le, INT, low, high);
        code.op(OpKind::Assume { condition });
    }
    let rest = code.binary(BinaryOp::Sub, INT, whole, start);
    let condition = code.binary(BinaryOp::Le, INT, count, rest);
    code.op(OpKind::Assume { condition });
    let class = cs.class_for(ClassKind::ElementRef(ty));
    let value = new_pointer(cs, code, class, [array, start], reference);
    code.op(OpKind::Assign { dst: pointer, value });
    code.op(OpKind::Assign { dst: length, value: count });
    code.end(TerminatorKind::Goto(join));
    code.switch_to(missing);
    for input in [start, count] {
        let condition = code.binary(BinaryOp::Eq, INT, input, zero);
        code.op(OpKind::Assume { condition });
    }
    code.end(TerminatorKind::Goto(join));
    code.switch_to(join);
    vec![code.local(pointer), code.local(length)]
}
