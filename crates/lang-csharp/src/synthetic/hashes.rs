//! Makes the method that says by which numbers the runtime computes the hash code of a struct that has none of its own
//! (`ValueTypeHashCodeStrategy` in the sources of CoreCLR): all its bits, or those of its first field.

use crate::dispatch;
use crate::layout::INT;
use crate::loader::{Cs, MadeMethod};
use crate::members::MethodKey;
use crate::synthetic::references::convert;
use crate::synthetic::values::{boxed, filled};
use crate::types::{Kind, Result, Ty, TyId};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::{BinaryOp, Body, Dispatch, Expr, ExprId, FieldId, OpKind, TerminatorKind, Type};

/// The numbers from which the runtime computes the hash code of a box, as an array.
pub(crate) const PARTS: &str = "$parts";

/// The method [`PARTS`] of the boxes of a struct.
pub(super) fn method(cs: Cs, ty: TyId) -> MadeMethod {
    let own = Type::Class(cs.class_of(ty));
    MadeMethod::new(PARTS, &[], Some(cs.program.array_of(INT)), move |cs| {
        parts(cs, own, ty).unwrap_or_else(|what| unsupported(&[own], what))
    })
}

fn parts(cs: Cs, own: Type, ty: TyId) -> Result<Body> {
    let mut hashed = Hashed { cs, code: Builder::new(&[own]) };
    match memory(cs, ty)? {
        Some(memory) => hashed.bits(&memory, &cs.boxed_fields(ty)?),
        None => {
            if !hashed.first_field(ty, &cs.boxed_fields(ty)?)? {
                hashed.ret(&[]);
            }
        }
    }
    Ok(hashed.code.finish())
}

/// Where the leaves of a struct lie.
struct Memory {
    /// The offset and the size of each leaf in bytes.
    leaves: Vec<(u32, u32)>,
    size: u32,
    alignment: u32,
}

/// Where the leaves of a type lie if the runtime compares its values by their bits: it has no references, no floats, no
/// gaps, and no part that overrides `Equals` or `GetHashCode`.
fn memory(cs: Cs, ty: TyId) -> Result<Option<Memory>> {
    let one = |size| Ok(Some(Memory { leaves: vec![(0, size)], size, alignment: size }));
    match cs.ty(ty) {
        Ty::Bool => return one(1),
        Ty::Char => return one(2),
        &Ty::Int { width, .. } => return one(u32::from(width) / 8),
        Ty::Native { .. } => return one(8),
        Ty::Pointer(_) | Ty::Ref(_) | Ty::Opaque => return Err("the hash code of a struct with pointers".into()),
        Ty::Named(..) => match cs.kind(ty) {
            Kind::Enum(underlying) => return memory(cs, underlying),
            Kind::Struct => {}
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }
    if cs.inline_array(ty).is_some() {
        return Err("the hash code of a struct with an inline array".into());
    }
    if overrides(cs, ty, "Equals", 1)? || overrides(cs, ty, "GetHashCode", 0)? {
        return Ok(None);
    }
    let (declared, _) = cs.declared(ty).ok_or("a struct without a declaration")?;
    let read = cs.assembly(declared.assembly);
    let is_sequential = read.type_def(declared.row).is_ok_and(|def| def.is_sequential_layout());
    let (most, least) = read.class_layout(declared.row).unwrap_or_default();
    let most = if most == 0 { u32::MAX } else { most.into() };
    let mut all = Memory { leaves: Vec::new(), size: 0, alignment: 1 };
    let mut has_gaps = false;
    for field in cs.instance_fields(ty)?.iter() {
        let Some(part) = memory(cs, field.ty)? else { return Ok(None) };
        let alignment = part.alignment.min(most);
        let start = all.size.next_multiple_of(alignment);
        has_gaps |= start != all.size;
        all.leaves.extend(part.leaves.into_iter().map(|(offset, size)| (start + offset, size)));
        all.size = start + part.size;
        all.alignment = all.alignment.max(alignment);
    }
    has_gaps |= all.size == 0 || all.size < least || !all.size.is_multiple_of(all.alignment);
    let crosses = |&(offset, size): &(u32, u32)| offset % 4 + size > 4 && (size, offset % 4) != (8, 0);
    if !is_sequential && all.leaves.len() > 1 || !has_gaps && all.leaves.iter().any(crosses) {
        return Err("the hash code of a struct whose fields lie in an order of their own".into());
    }
    Ok((!has_gaps).then_some(all))
}

/// Whether a struct overrides a method that all objects have.
fn overrides(cs: Cs, ty: TyId, name: &str, params: usize) -> Result<bool> {
    let found = dispatch::implementation(cs, ty, &of_objects(cs, name, params)?);
    Ok(found.is_none_or(|found| found.owner == ty))
}

fn of_objects(cs: Cs, name: &str, params: usize) -> Result<MethodKey> {
    cs.method_named(cs.library("System", "Object")?, name, params).ok_or_else(|| format!("objects without {name}"))
}

/// Code that reads the box that is its parameter.
struct Hashed<'a> {
    cs: Cs<'a>,
    code: Builder,
}

impl Hashed<'_> {
    fn ret(&mut self, parts: &[ExprId]) {
        let array = filled(self.cs, &mut self.code, INT, parts);
        self.code.ret(Some(array));
    }

    fn leaf(&mut self, field: FieldId) -> (ExprId, Type) {
        let (this, ty) = (self.code.param(0), self.cs.program.field(field).ty);
        (self.code.get(this, field, ty), ty)
    }

    /// Returns four bytes at a time, and then the rest byte by byte.
    fn bits(&mut self, memory: &Memory, leaves: &[FieldId]) {
        let mut parts: Vec<Option<ExprId>> = vec![None; (memory.size / 4 + memory.size % 4) as usize];
        let rest = memory.size / 4;
        for (&field, &(offset, size)) in leaves.iter().zip(&memory.leaves) {
            let (value, ty) = self.leaf(field);
            let first = offset / 4;
            match size {
                8 => {
                    parts[first as usize] = Some(self.shifted(value, ty, 0, INT));
                    parts[first as usize + 1] = Some(self.shifted(value, ty, 32, INT));
                }
                _ if first < rest => {
                    let value = self.shifted(value, ty, 0, unsigned(size));
                    let distance = self.code.int(i64::from(offset % 4 * 8));
                    let value = self.code.binary(BinaryOp::Shl, INT, value, distance);
                    let part = &mut parts[first as usize];
                    *part = Some(part.map_or(value, |other| self.code.binary(BinaryOp::Or, INT, other, value)));
                }
                _ => {
                    for byte in 0..size {
                        let at = rest + offset % 4 + byte;
                        parts[at as usize] = Some(self.shifted(value, ty, byte * 8, unsigned(1)));
                    }
                }
            }
        }
        let parts: Vec<ExprId> = parts.into_iter().flatten().collect();
        self.ret(&parts);
    }

    /// Bits of a value from one on, as a number of 32 bits.
    fn shifted(&mut self, value: ExprId, ty: Type, from: u32, through: Type) -> ExprId {
        if ty == Type::Bool {
            let (one, zero) = (self.code.int(1), self.code.int(0));
            return self.code.expr(Expr::Select(value, one, zero));
        }
        let mut value = value;
        if from > 0 {
            let distance = self.code.constant(i64::from(from), ty);
            value = self.code.binary(BinaryOp::ShrUnsigned, ty, value, distance);
        }
        let value = convert(&mut self.code, value, ty, through);
        convert(&mut self.code, value, through, INT)
    }

    /// Returns what the first field has that is not null. A struct in it counts as this field even if it has nothing but
    /// null. The result tells whether all ways have returned.
    fn first_field(&mut self, ty: TyId, leaves: &[FieldId]) -> Result<bool> {
        let mut first = 0;
        for field in self.cs.instance_fields(ty)?.iter() {
            let count = self.cs.leaves(field.ty)?.len();
            let leaves = leaves.get(first..first + count).ok_or("a struct with other fields")?;
            first += count;
            if let Some(memory) = memory(self.cs, field.ty)? {
                self.bits(&memory, leaves);
                return Ok(true);
            }
            let has_own = !self.cs.is_struct(field.ty) || overrides(self.cs, field.ty, "GetHashCode", 0)?;
            if !has_own {
                if !self.first_field(field.ty, leaves)? {
                    self.ret(&[]);
                }
                return Ok(true);
            }
            let may_be_null = self.hash_code(field.ty, leaves)?;
            if !may_be_null {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the hash code that an object or a value has itself. The result tells whether other code follows for null.
    fn hash_code(&mut self, ty: TyId, leaves: &[FieldId]) -> Result<bool> {
        let root = Type::Class(self.cs.object_class());
        let values: Vec<(ExprId, Type)> = leaves.iter().map(|&field| self.leaf(field)).collect();
        let object = match values[..] {
            [(value, from)] if !self.cs.is_value(ty) => convert(&mut self.code, value, from, root),
            _ => {
                let values: Vec<ExprId> = values.into_iter().map(|(value, _)| value).collect();
                boxed(self.cs, &mut self.code, ty, &values)?
            }
        };
        let null = self.code.null();
        let is_there = self.code.binary(BinaryOp::Ne, root, object, null);
        let (_, missing) = self.code.branch(is_there);
        let method = self.cs.method(&of_objects(self.cs, "GetHashCode", 0)?);
        let code = self.code.result(INT, |dst| OpKind::Call {
            dst: Some(dst),
            dispatch: Dispatch::Virtual,
            method,
            args: vec![object],
        });
        self.ret(&[code]);
        self.code.switch_to(missing);
        if self.cs.is_value(ty) {
            let zero = self.code.int(0);
            self.ret(&[zero]);
            return Ok(false);
        }
        let next = self.code.block();
        self.code.end(TerminatorKind::Goto(next));
        self.code.switch_to(next);
        Ok(true)
    }
}

fn unsigned(size: u32) -> Type {
    match size {
        1 => Type::Machine { width: 8, signed: false },
        2 => Type::Machine { width: 16, signed: false },
        _ => INT,
    }
}
