//! Maps types to types of the program model.
//!
//! A value of a struct is flattened: it becomes one value for each of its primitive parts, its *leaves*, so that copies
//! are copies and two structs never share anything. A reference is one leaf.

use crate::assemblies::TypeDefId;
use crate::loader::Cs;
use crate::types::{Kind, Result, Ty, TyId};
use aback_ir::Type;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A part of a value that is not a struct.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Leaf {
    /// The names of the fields that lead to it, with dots; empty if the value is not a struct.
    pub(crate) path: String,
    pub(crate) ty: Type,
}

/// The types of the leaves of a place, as far as code that reads and writes them through a managed pointer can tell:
/// without signs of integers and classes of references.
pub(crate) type Shape = Arc<[Type]>;

pub(crate) const INT: Type = Type::Machine { width: 32, signed: true };
pub(crate) const LONG: Type = Type::Machine { width: 64, signed: true };
pub(crate) const CHAR: Type = Type::Machine { width: 16, signed: false };

/// Most leaves of a value, and greatest depth of structs in structs.
const MOST_LEAVES: usize = 256;
const MOST_DEPTH: usize = 32;

impl<'a> Cs<'a> {
    /// The leaves of a value of a type.
    ///
    /// # Errors
    /// The reason why the type is not supported.
    pub(crate) fn leaves(self, ty: TyId) -> Result<Arc<[Leaf]>> {
        if let Some(known) = self.loader.known_leaves(ty) {
            return known;
        }
        let mut found = Vec::new();
        let leaves = self.collect(ty, String::new(), 0, &mut found).map(|()| found.into());
        self.loader.remember_leaves(ty, leaves)
    }

    fn collect(self, ty: TyId, path: String, depth: usize, found: &mut Vec<Leaf>) -> Result<()> {
        if depth > MOST_DEPTH || found.len() > MOST_LEAVES {
            return Err(format!("the struct {}, which has too many parts", self.name(ty)));
        }
        let is_struct = matches!(self.ty(ty), Ty::Named(..)) && self.kind(ty) == Kind::Struct;
        if !is_struct {
            if *self.ty(ty) != Ty::Void {
                found.push(Leaf { path, ty: self.scalar(ty)? });
            }
            return Ok(());
        }
        if let Some((element, _)) = self.inline_array(ty) {
            let array = self.intern(Ty::Array(element))?;
            found.push(Leaf { path, ty: self.ir_type(array)? });
            return Ok(());
        }
        for field in self.instance_fields(ty)?.iter() {
            let inner = if path.is_empty() { field.name.clone() } else { format!("{path}.{}", field.name) };
            self.collect(field.ty, inner, depth + 1, found)?;
        }
        Ok(())
    }

    /// The type of a value that is not a struct.
    fn scalar(self, ty: TyId) -> Result<Type> {
        Ok(match self.ty(ty) {
            Ty::Void => return Err("a value of type void".into()),
            Ty::Bool => Type::Bool,
            Ty::Char => CHAR,
            &Ty::Int { width, signed } => Type::Machine { width, signed },
            &Ty::Native { signed } => Type::Machine { width: 64, signed },
            Ty::F32 => Type::F32,
            Ty::F64 => Type::F64,
            Ty::Opaque => LONG,
            Ty::TypeParam(_) | Ty::MethodParam(_) => return Err("a type parameter without a type".into()),
            Ty::Named(..) => match self.kind(ty) {
                Kind::Enum(underlying) => self.scalar(underlying)?,
                _ => Type::Class(self.class_of(ty)),
            },
            Ty::Array(element) => match self.has_planes(*element) {
                true => Type::Class(self.class_of(ty)),
                false => self.program.array_of(self.element_type(*element)?),
            },
            Ty::Grid(..) => Type::Class(self.class_of(ty)),
            Ty::Pointer(target) if self.points_to_itself(*target) => {
                return Err(format!("the struct {}, which points to itself", self.name(*target)));
            }
            Ty::Ref(target) | Ty::Pointer(target) => Type::Class(self.reference_class(&self.shape(*target)?)),
        })
    }

    /// Whether a struct leads back to itself through pointers. Such pointers have no shape.
    fn points_to_itself(self, target: TyId) -> bool {
        let mut pending = vec![target];
        let mut seen = FxHashSet::default();
        while let Some(ty) = pending.pop() {
            let inner = match *self.ty(ty) {
                Ty::Pointer(inner) | Ty::Ref(inner) => vec![inner],
                Ty::Named(..) if self.kind(ty) == Kind::Struct => match self.instance_fields(ty) {
                    Ok(fields) => fields.iter().map(|field| field.ty).collect(),
                    Err(_) => return false,
                },
                _ => continue,
            };
            for part in inner {
                if part == target {
                    return true;
                }
                if seen.insert(part) {
                    pending.push(part);
                }
            }
        }
        false
    }

    /// The type and the number of the elements of an inline array: a struct whose only field is repeated, as its attribute
    /// or its size says (a `fixed` array). Its leaf is an array, which is copied with the struct; null as long as all
    /// elements are zero.
    pub(crate) fn inline_array(self, ty: TyId) -> Option<(TyId, u32)> {
        let (declared, _) = self.declared(ty)?;
        let read = self.assembly(declared.assembly);
        let token = aback_cil::Token::new(aback_cil::Table::TypeDef, declared.row);
        if let Some(attribute) = read.custom_attribute(token, "System.Runtime.CompilerServices.InlineArrayAttribute") {
            // The value is the prolog and one number.
            let length = attribute.value.get(2..6)?.try_into().ok().map(u32::from_le_bytes)?;
            return Some((self.instance_fields(ty).ok()?.first()?.ty, length));
        }
        if !read.type_def(declared.row).ok()?.name.ends_with(">e__FixedBuffer") {
            return None;
        }
        let (_, size) = read.class_layout(declared.row)?;
        let element = self.instance_fields(ty).ok()?.first()?.ty;
        let element_size = match *self.ty(element) {
            Ty::Bool => 1,
            Ty::Char => 2,
            Ty::Int { width, .. } => u32::from(width) / 8,
            Ty::F32 => 4,
            Ty::F64 => 8,
            _ => return None,
        };
        Some((element, size / element_size))
    }

    /// The leaves of a value that are the arrays of inline arrays, by number.
    pub(crate) fn inline_leaves(self, ty: TyId) -> Result<Vec<usize>> {
        let mut found = Vec::new();
        self.collect_inline(ty, 0, &mut found)?;
        Ok(found)
    }

    fn collect_inline(self, ty: TyId, first: usize, found: &mut Vec<usize>) -> Result<()> {
        if !matches!(self.ty(ty), Ty::Named(..)) || self.kind(ty) != Kind::Struct {
            return Ok(());
        }
        if self.inline_array(ty).is_some() {
            found.push(first);
            return Ok(());
        }
        let mut first = first;
        for field in self.instance_fields(ty)?.iter() {
            self.collect_inline(field.ty, first, found)?;
            first += self.leaves(field.ty)?.len();
        }
        Ok(())
    }

    /// Whether a type is a struct that is no primitive type.
    pub(crate) fn is_struct(self, ty: TyId) -> bool {
        matches!(self.ty(ty), Ty::Named(..)) && self.kind(ty) == Kind::Struct
    }

    /// Whether an array with these elements is an object with one array for each leaf of its elements. All structs
    /// are such elements, so that their arrays have types of their own. So are native integers, whose leaves are like those
    /// of 64-bit integers.
    pub(crate) fn has_planes(self, element: TyId) -> bool {
        self.is_struct(element) || matches!(self.ty(element), Ty::Native { .. })
    }

    /// The type of the elements of an array in the program model, for elements that are no structs. The runtime takes
    /// arrays of signed integers, of unsigned ones, and of enums for each other if the elements have the same size: they
    /// have one type. Bytes are unsigned there, and others are signed, so that they differ from characters.
    pub(crate) fn element_type(self, element: TyId) -> Result<Type> {
        let number = if let Kind::Enum(underlying) = self.kind(element) { underlying } else { element };
        match *self.ty(number) {
            Ty::Int { width, .. } => Ok(Type::Machine { width, signed: width != 8 }),
            Ty::Native { .. } => Ok(LONG),
            _ => self.scalar(element),
        }
    }

    /// Whether references of a type may be to objects of another type.
    pub(crate) fn has_subtypes(self, ty: TyId) -> bool {
        let is_open = |declared: TypeDefId| {
            self.assembly(declared.assembly).type_def(declared.row).is_ok_and(|ty| !ty.is_sealed())
        };
        !self.is_value(ty) && self.declared(ty).is_none_or(|(declared, _)| is_open(declared))
    }

    /// The array type that stands for all those that the runtime takes for each other.
    pub(crate) fn plain_array(self, array: TyId) -> Result<TyId> {
        let plain = |element: TyId| {
            let number = if let Kind::Enum(underlying) = self.kind(element) { underlying } else { element };
            match *self.ty(number) {
                Ty::Int { width, .. } => Ok(self.simple(Ty::Int { width, signed: width != 8 })),
                Ty::Native { .. } => Ok(self.simple(Ty::Native { signed: true })),
                Ty::Array(_) | Ty::Grid(..) => self.plain_array(element),
                _ => Ok(element),
            }
        };
        match *self.ty(array) {
            Ty::Array(element) => self.intern(Ty::Array(plain(element)?)),
            Ty::Grid(element, rank) => self.intern(Ty::Grid(plain(element)?, rank)),
            _ => Ok(array),
        }
    }

    /// The type of a value with one leaf.
    pub(crate) fn ir_type(self, ty: TyId) -> Result<Type> {
        match &self.leaves(ty)?[..] {
            [leaf] => Ok(leaf.ty),
            _ => Err(format!("a value of type {} where a single value is expected", self.name(ty))),
        }
    }

    /// The shape of a place for values of a type.
    pub(crate) fn shape(self, ty: TyId) -> Result<Shape> {
        Ok(self.leaves(ty)?.iter().map(|leaf| self.unsigned_away(leaf.ty)).collect())
    }

    /// The type of a leaf in a shape.
    pub(crate) fn unsigned_away(self, ty: Type) -> Type {
        match ty {
            Type::Machine { width, .. } => Type::Machine { width, signed: true },
            ty if ty.is_reference() => Type::Class(self.object_class()),
            ty => ty,
        }
    }
}
