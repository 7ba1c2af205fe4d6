//! Makes the classes of managed pointers.
//!
//! A managed pointer is an object that reads and writes the place to which it points. All pointers to places of one
//! shape implement one interface, with a method for each leaf: `get0`, `set0` and so on. Such objects have no identity
//! that a program can see, except through [`SAME`]. So engines need to know nothing about pointers.

use crate::layout::{CHAR, INT, LONG, Shape};
use crate::loader::{ClassKind, Cs, MadeClass, MadeMethod};
use crate::synthetic::arrays;
use crate::types::{Result, Ty, TyId};
use aback_ir::builder::Builder;
use aback_ir::{BinaryOp, ClassId, Dispatch, Expr, ExprId, FieldId, MethodId, OpKind, Type};
use std::sync::Arc;

/// The method that gives a pointer to the place a number of elements further.
pub(crate) const ADD: &str = "add";
/// The method that tells whether another pointer points to the same place.
pub(crate) const SAME: &str = "same";
/// The method that tells whether a pointer points to an element before that of another pointer into the same array.
pub(crate) const BEFORE: &str = "before";
/// The method that tells how many elements a pointer is behind another one into the same array.
pub(crate) const DISTANCE: &str = "distance";

/// The method of an interface of pointers that reads a leaf.
pub(crate) fn getter(cs: Cs, shape: &Shape, leaf: usize) -> Result<MethodId> {
    cs.made_method(cs.reference_class(shape), &format!("get{leaf}"))
}

/// The method of an interface of pointers that writes a leaf.
pub(crate) fn setter(cs: Cs, shape: &Shape, leaf: usize) -> Result<MethodId> {
    cs.made_method(cs.reference_class(shape), &format!("set{leaf}"))
}

/// A value of one type as a value of another: the same bits, or the same reference.
pub(crate) fn convert(code: &mut Builder, value: ExprId, from: Type, to: Type) -> ExprId {
    if from == to { value } else { code.expr(Expr::Convert { from, to, value }) }
}

/// The interface of all pointers to places of a shape.
pub(crate) fn interface(cs: Cs, shape: &Shape) -> MadeClass {
    let own = Type::Class(cs.reference_class(shape));
    let mut methods = Vec::new();
    for (leaf, &ty) in shape.iter().enumerate() {
        methods.push(MadeMethod::abstract_method(&format!("get{leaf}"), &[], Some(ty)));
        methods.push(MadeMethod::abstract_method(&format!("set{leaf}"), &[ty], None));
    }
    methods.push(MadeMethod::abstract_method(ADD, &[LONG], Some(own)));
    methods.push(MadeMethod::abstract_method(SAME, &[own], Some(Type::Bool)));
    methods.push(MadeMethod::abstract_method(BEFORE, &[own], Some(Type::Bool)));
    methods.push(MadeMethod::abstract_method(DISTANCE, &[own], Some(LONG)));
    MadeClass { is_interface: true, methods, ..MadeClass::default() }
}

/// Reads a leaf, and writes a leaf, of the place of the pointer that is parameter 0.
trait Place: Clone + Send + Sync + 'static {
    fn get(&self, cs: Cs, code: &mut Builder, leaf: usize) -> ExprId;
    fn set(&self, cs: Cs, code: &mut Builder, leaf: usize, value: ExprId);
}

/// A place that is no element of an array.
trait Variable: Place {
    /// Whether the place is that of another pointer of the same class, which is another object.
    fn same(&self, cs: Cs, code: &mut Builder, other: ExprId) -> ExprId;
}

/// The methods with which the pointers of a class read and write their place.
fn accessors(class: ClassId, shape: &Shape, place: impl Place) -> Vec<MadeMethod> {
    let own = Type::Class(class);
    let mut methods = Vec::new();
    for (leaf, &ty) in shape.iter().enumerate() {
        let read = place.clone();
        methods.push(MadeMethod::new(&format!("get{leaf}"), &[], Some(ty), move |cs| {
            let mut code = Builder::new(&[own]);
            let value = read.get(cs, &mut code, leaf);
            code.ret(Some(value));
            code.finish()
        }));
        let write = place.clone();
        methods.push(MadeMethod::new(&format!("set{leaf}"), &[ty], None, move |cs| {
            let mut code = Builder::new(&[own, ty]);
            let value = code.param(1);
            write.set(cs, &mut code, leaf, value);
            code.ret(None);
            code.finish()
        }));
    }
    methods
}

/// The methods of the pointers of a class, if they do not point to elements.
fn methods(cs: Cs, class: ClassId, shape: &Shape, place: impl Variable) -> Vec<MadeMethod> {
    let own = Type::Class(class);
    let reference = Type::Class(cs.reference_class(shape));
    let mut methods = accessors(class, shape, place.clone());
    methods.push(MadeMethod::new(ADD, &[LONG], Some(reference), move |_| {
        let mut code = Builder::new(&[own, LONG]);
        let (distance, zero) = (code.param(1), code.constant(0, LONG));
        let stays = code.binary(BinaryOp::Eq, LONG, distance, zero);
        let (_, moves) = code.branch(stays);
        let this = code.param(0);
        let this = convert(&mut code, this, own, reference);
        code.ret(Some(this));
        code.switch_to(moves);
        code.unsupported("a managed pointer that moves from one variable to another");
        code.finish()
    }));
    methods.push(MadeMethod::new(SAME, &[reference], Some(Type::Bool), move |cs| {
        let mut code = Builder::new(&[own, reference]);
        let (this, other) = (code.param(0), code.param(1));
        let this = convert(&mut code, this, own, reference);
        let identical = code.binary(BinaryOp::Eq, reference, this, other);
        let (_, further) = code.branch(identical);
        let yes = code.bool(true);
        code.ret(Some(yes));
        code.switch_to(further);
        let null = code.null();
        let is_null = code.binary(BinaryOp::Eq, reference, other, null);
        let (_, further) = code.branch(is_null);
        let no = code.bool(false);
        code.ret(Some(no));
        code.switch_to(further);
        let is_alike = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: other, ty: own });
        let (_, unlike) = code.branch(is_alike);
        let other = convert(&mut code, other, reference, own);
        let same = place.same(cs, &mut code, other);
        code.ret(Some(same));
        code.switch_to(unlike);
        code.unsupported("a comparison of pointers of different kinds");
        code.finish()
    }));
    for (name, result) in [(BEFORE, Type::Bool), (DISTANCE, LONG)] {
        methods.push(MadeMethod::new(name, &[reference], Some(result), move |_| {
            let mut code = Builder::new(&[own, reference]);
            code.unsupported("the order of pointers to variables");
            code.finish()
        }));
    }
    methods
}

/// Fields of an object, for the leaves of a shape.
#[derive(Clone)]
struct Fields {
    shape: Shape,
    of: Owner,
}

/// The object with the fields. Those of the pointer's own class are known once the class is loaded.
#[derive(Clone)]
enum Owner {
    /// The pointer, which is the box of a struct.
    Box(TyId),
    /// The pointer, which is an object of this class.
    Pointer(ClassId),
    /// The object that a pointer of this class holds.
    Held(ClassId, Arc<[FieldId]>),
}

impl Fields {
    /// The object, and its field for a leaf.
    fn cell(&self, cs: Cs, code: &mut Builder, leaf: usize) -> (ExprId, FieldId) {
        let this = code.param(0);
        match &self.of {
            Owner::Box(ty) => (this, cs.boxed_fields(*ty).unwrap_or_default()[leaf]),
            Owner::Pointer(class) => (this, cs.program.class(*class).fields[leaf]),
            Owner::Held(class, ids) => {
                let holder = cs.program.class(*class).fields[0];
                (code.get(this, holder, cs.program.field(holder).ty), ids[leaf])
            }
        }
    }
}

impl Place for Fields {
    fn get(&self, cs: Cs, code: &mut Builder, leaf: usize) -> ExprId {
        let (object, field) = self.cell(cs, code, leaf);
        let ty = cs.program.field(field).ty;
        let value = code.get(object, field, ty);
        convert(code, value, ty, self.shape[leaf])
    }

    fn set(&self, cs: Cs, code: &mut Builder, leaf: usize, value: ExprId) {
        let (object, field) = self.cell(cs, code, leaf);
        let value = convert(code, value, self.shape[leaf], cs.program.field(field).ty);
        code.op(OpKind::PutField { object, field, value });
    }
}

impl Variable for Fields {
    fn same(&self, cs: Cs, code: &mut Builder, other: ExprId) -> ExprId {
        let Owner::Held(class, _) = self.of else { return code.bool(false) };
        let holder = cs.program.class(class).fields[0];
        let ty = cs.program.field(holder).ty;
        let this = code.param(0);
        let (one, other) = (code.get(this, holder, ty), code.get(other, holder, ty));
        code.binary(BinaryOp::Eq, ty, one, other)
    }
}

/// The methods of a box that make it a pointer to its contents.
pub(crate) fn of_box(cs: Cs, ty: TyId) -> Result<Vec<MadeMethod>> {
    let shape = cs.shape(ty)?;
    let place = Fields { shape: shape.clone(), of: Owner::Box(ty) };
    Ok(methods(cs, cs.class_of(ty), &shape, place))
}

/// The class of variables to which pointers exist.
pub(crate) fn cell(cs: Cs, shape: &Shape) -> MadeClass {
    let class = cs.class_for(ClassKind::Cell(shape.clone()));
    let fields = shape.iter().enumerate().map(|(leaf, &ty)| (format!("v{leaf}"), ty)).collect();
    pointers(cs, class, shape, fields, Fields { shape: shape.clone(), of: Owner::Pointer(class) })
}

/// The class of pointers to an instance field, which hold the object.
pub(crate) fn field(cs: Cs, ids: &[FieldId]) -> MadeClass {
    let class = cs.class_for(ClassKind::FieldRef(ids.to_vec()));
    let shape = shape_of(cs, ids);
    let object = ids.first().map_or(cs.object_class(), |&id| cs.program.field(id).class);
    let place = Fields { shape: shape.clone(), of: Owner::Held(class, ids.into()) };
    pointers(cs, class, &shape, vec![("object".into(), Type::Class(object))], place)
}

/// The shape of the place that some fields are.
fn shape_of(cs: Cs, ids: &[FieldId]) -> Shape {
    ids.iter().map(|&id| cs.unsigned_away(cs.program.field(id).ty)).collect()
}

/// A class of pointers to places of a shape, with these fields of their own.
fn pointers(cs: Cs, class: ClassId, shape: &Shape, fields: Vec<(String, Type)>, place: impl Variable) -> MadeClass {
    MadeClass {
        superclass: Some(cs.object_class()),
        interfaces: vec![cs.reference_class(shape)],
        fields,
        methods: methods(cs, class, shape, place),
        ..MadeClass::default()
    }
}

/// The class of pointers to a static field.
pub(crate) fn static_field(cs: Cs, ids: &[FieldId]) -> MadeClass {
    let class = cs.class_for(ClassKind::StaticRef(ids.to_vec()));
    let shape = shape_of(cs, ids);
    let place = Statics { shape: shape.clone(), ids: ids.into() };
    pointers(cs, class, &shape, Vec::new(), place)
}

#[derive(Clone)]
struct Statics {
    shape: Shape,
    ids: Arc<[FieldId]>,
}

impl Place for Statics {
    fn get(&self, cs: Cs, code: &mut Builder, leaf: usize) -> ExprId {
        let field = self.ids[leaf];
        let ty = cs.program.field(field).ty;
        let value = code.result(ty, |dst| OpKind::GetStatic { dst, field });
        convert(code, value, ty, self.shape[leaf])
    }

    fn set(&self, cs: Cs, code: &mut Builder, leaf: usize, value: ExprId) {
        let field = self.ids[leaf];
        let value = convert(code, value, self.shape[leaf], cs.program.field(field).ty);
        code.op(OpKind::PutStatic { field, value });
    }
}

impl Variable for Statics {
    fn same(&self, _: Cs, code: &mut Builder, _: ExprId) -> ExprId {
        code.bool(true)
    }
}

/// The class of pointers to a part of what another pointer points to.
pub(crate) fn part(cs: Cs, whole: &Shape, first: u32, count: u32) -> MadeClass {
    let class = cs.class_for(ClassKind::Part(whole.clone(), first, count));
    let (first, count) = (first as usize, count as usize);
    let shape: Shape = whole.iter().copied().skip(first).take(count).collect();
    let place = Inner { class, whole: whole.clone(), first };
    pointers(cs, class, &shape, vec![("whole".into(), Type::Class(cs.reference_class(whole)))], place)
}

#[derive(Clone)]
struct Inner {
    class: ClassId,
    whole: Shape,
    first: usize,
}

impl Inner {
    fn pointer(&self, cs: Cs, code: &mut Builder) -> ExprId {
        let this = code.param(0);
        match cs.program.class(self.class).fields.first() {
            Some(&holder) => code.get(this, holder, cs.program.field(holder).ty),
            None => this,
        }
    }
}

impl Place for Inner {
    fn get(&self, cs: Cs, code: &mut Builder, leaf: usize) -> ExprId {
        let pointer = self.pointer(cs, code);
        let leaf = self.first + leaf;
        let value = getter(cs, &self.whole, leaf)
            .ok()
            .and_then(|getter| code.call(Dispatch::Virtual, getter, vec![pointer], Some(self.whole[leaf])));
        value.unwrap_or(pointer)
    }

    fn set(&self, cs: Cs, code: &mut Builder, leaf: usize, value: ExprId) {
        let pointer = self.pointer(cs, code);
        if let Ok(setter) = setter(cs, &self.whole, self.first + leaf) {
            code.call(Dispatch::Virtual, setter, vec![pointer, value], None);
        }
    }
}

impl Variable for Inner {
    fn same(&self, cs: Cs, code: &mut Builder, other: ExprId) -> ExprId {
        let one = self.pointer(cs, code);
        let same = cs.made_method(cs.reference_class(&self.whole), SAME);
        let (Some(&holder), Ok(same)) = (cs.program.class(self.class).fields.first(), same) else {
            return code.bool(false);
        };
        let other = code.get(other, holder, cs.program.field(holder).ty);
        let found = code.call(Dispatch::Virtual, same, vec![one, other], Some(Type::Bool));
        found.unwrap_or(one)
    }
}

/// The class of pointers to the elements of arrays of a type.
pub(crate) fn element(cs: Cs, array: TyId) -> Result<MadeClass> {
    let (Ty::Array(element) | Ty::Grid(element, _)) = *cs.ty(array) else { return Err("no such class".into()) };
    let class = cs.class_for(ClassKind::ElementRef(array));
    let shape = cs.shape(element)?;
    let reference = Type::Class(cs.reference_class(&shape));
    let place = Element { class, array, element, shape: shape.clone() };
    let mut methods = accessors(class, &shape, place);
    let own = Type::Class(class);
    methods.push(MadeMethod::new(ADD, &[LONG], Some(reference), move |cs| {
        let mut code = Builder::new(&[own, LONG]);
        let (array_field, index_field) = element_fields(cs, class);
        let (this, distance) = (code.param(0), code.param(1));
        let array = code.get(this, array_field, cs.program.field(array_field).ty);
        let index = code.get(this, index_field, INT);
        let distance = convert(&mut code, distance, LONG, INT);
        let index = code.binary(BinaryOp::Add, INT, index, distance);
        let moved = code.allocate(class);
        code.op(OpKind::PutField { object: moved, field: array_field, value: array });
        code.op(OpKind::PutField { object: moved, field: index_field, value: index });
        let moved = convert(&mut code, moved, own, reference);
        code.ret(Some(moved));
        code.finish()
    }));
    methods.push(related(class, reference, SAME, BinaryOp::Eq));
    methods.push(related(class, reference, BEFORE, BinaryOp::Lt));
    methods.push(related(class, reference, DISTANCE, BinaryOp::Sub));
    Ok(MadeClass {
        superclass: Some(cs.object_class()),
        interfaces: vec![cs.reference_class(&shape)],
        fields: vec![("array".into(), cs.ir_type(array)?), ("index".into(), INT)],
        methods,
        ..MadeClass::default()
    })
}

/// A method that relates the index to that of another pointer into the same array. Other pointers are different; how
/// memory orders them is not known.
fn related(class: ClassId, reference: Type, name: &str, op: BinaryOp) -> MadeMethod {
    let own = Type::Class(class);
    let result = if op == BinaryOp::Sub { LONG } else { Type::Bool };
    MadeMethod::new(name, &[reference], Some(result), move |cs| {
        let mut code = Builder::new(&[own, reference]);
        let (array_field, index_field) = element_fields(cs, class);
        let (this, other) = (code.param(0), code.param(1));
        let alike = code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: other, ty: own });
        let (_, different) = code.branch(alike);
        let other = convert(&mut code, other, reference, own);
        let ty = cs.program.field(array_field).ty;
        let arrays = [code.get(this, array_field, ty), code.get(other, array_field, ty)];
        let same_array = code.binary(BinaryOp::Eq, ty, arrays[0], arrays[1]);
        let (_, other_array) = code.branch(same_array);
        let indices = [code.get(this, index_field, INT), code.get(other, index_field, INT)];
        let related = code.binary(op, INT, indices[0], indices[1]);
        let related = if result == LONG { convert(&mut code, related, INT, LONG) } else { related };
        code.ret(Some(related));
        for block in [different, other_array] {
            code.switch_to(block);
            if op == BinaryOp::Eq {
                let no = code.bool(false);
                code.ret(Some(no));
            } else {
                code.unsupported("the order of pointers into different arrays");
            }
        }
        code.finish()
    })
}

/// The fields of a pointer to an element: the array and the index.
pub(crate) fn element_fields(cs: Cs, class: ClassId) -> (FieldId, FieldId) {
    let fields = &cs.program.class(class).fields;
    (fields[0], fields[1])
}

#[derive(Clone)]
struct Element {
    class: ClassId,
    array: TyId,
    element: TyId,
    shape: Shape,
}

impl Element {
    fn parts(&self, cs: Cs, code: &mut Builder, leaf: usize) -> (ExprId, ExprId, Type) {
        let (array_field, index_field) = element_fields(cs, self.class);
        let this = code.param(0);
        let array = code.get(this, array_field, cs.program.field(array_field).ty);
        let index = code.get(this, index_field, INT);
        let (plane, ty) = arrays::plane(cs, code, self.array, self.element, array, leaf);
        (plane, index, ty)
    }
}

impl Element {
    /// Refuses accesses beyond the end of an array, which are no errors for pointers. Behind the characters of a string is
    /// a zero, which code may read.
    fn stay_inside(&self, code: &mut Builder, array: ExprId, index: ExprId, is_text: bool) {
        let length = code.result(INT, |dst| OpKind::ArrayLength { dst, array });
        let zero = code.int(0);
        let after_start = code.binary(BinaryOp::Ge, INT, index, zero);
        let before_end = code.binary(BinaryOp::Lt, INT, index, length);
        let is_inside = code.binary(BinaryOp::And, Type::Bool, after_start, before_end);
        let (inside, outside) = code.branch(is_inside);
        code.switch_to(outside);
        if is_text {
            let is_end = code.binary(BinaryOp::Eq, INT, index, length);
            let (_, beyond) = code.branch(is_end);
            let zero = code.constant(0, self.shape[0]);
            code.ret(Some(zero));
            code.switch_to(beyond);
        }
        code.unsupported("a pointer beyond the end of an array");
        code.switch_to(inside);
    }
}

impl Place for Element {
    fn get(&self, cs: Cs, code: &mut Builder, leaf: usize) -> ExprId {
        let (array, index, ty) = self.parts(cs, code, leaf);
        self.stay_inside(code, array, index, ty == CHAR);
        let value = code.result(ty, |dst| OpKind::ArrayGet { dst, array, index });
        convert(code, value, ty, self.shape[leaf])
    }

    fn set(&self, cs: Cs, code: &mut Builder, leaf: usize, value: ExprId) {
        let (array, index, ty) = self.parts(cs, code, leaf);
        let value = convert(code, value, self.shape[leaf], ty);
        self.stay_inside(code, array, index, false);
        code.op(OpKind::ArrayPut { array, index, value });
    }
}
