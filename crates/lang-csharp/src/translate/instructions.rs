//! Translates single instructions, in the order of ECMA-335, III.

use super::numbers::{Comparison, Overflow};
use super::places::Place;
use super::stack::Entry;
use super::{Translated, Translator, malformed};
use crate::layout::{INT, LONG};
use crate::types::{Kind, Ty, TyId};
use aback_cil::{Instruction, Opcode, Operand, Table, Token};
use aback_ir::{BinaryOp, Const, DivideOp, Expr, OpKind, TerminatorKind, Type, UnaryOp};
use smallvec::smallvec;

const fn machine(width: u8, signed: bool) -> Type {
    Type::Machine { width, signed }
}

const ULONG: Type = machine(64, false);

fn token(instruction: &Instruction) -> Translated<Token> {
    match instruction.operand {
        Operand::Token(token) => Ok(token),
        _ => malformed("an instruction without its token"),
    }
}

fn variable(instruction: &Instruction) -> Translated<u16> {
    match instruction.operand {
        Operand::Variable(index) => Ok(index),
        _ => malformed("an instruction without its variable"),
    }
}

fn target(instruction: &Instruction) -> Translated<u32> {
    match instruction.operand {
        Operand::Target(target) => Ok(target),
        _ => malformed("a jump without a target"),
    }
}

fn comparison(op: BinaryOp, is_un: bool) -> Comparison {
    Comparison { op, is_un }
}

impl<'a> Translator<'a> {
    fn type_token(&mut self, instruction: &Instruction) -> Translated<TyId> {
        self.cs.token(self.assembly, token(instruction)?, &self.generics)
    }

    fn primitive(&self, width: u8, signed: bool) -> Option<TyId> {
        Some(self.cs.simple(Ty::Int { width, signed }))
    }

    /// Is the next instruction of the block one with this operation?
    fn is_next(&self, opcode: Opcode) -> bool {
        let next = self.at + 1;
        !self.starts.contains(&next) && self.code.instructions.get(next).is_some_and(|next| next.opcode == opcode)
    }

    /// Translates an instruction. The result tells whether the next instruction follows.
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Translated<bool> {
        use Opcode::*;
        self.afford()?;
        match instruction.opcode {
            Nop | Break => {}
            Ldarg => self.load_variable(false, variable(instruction)?)?,
            Ldloc => self.load_variable(true, variable(instruction)?)?,
            Starg => self.store_variable(false, variable(instruction)?)?,
            Stloc => self.store_variable(true, variable(instruction)?)?,
            Ldarga => self.load_variable_address(false, variable(instruction)?)?,
            Ldloca => self.load_variable_address(true, variable(instruction)?)?,
            Ldnull => self.push(Entry::Null),
            LdcI4 => {
                let Operand::I32(value) = instruction.operand else { return malformed("a missing constant") };
                let value = self.int(value.into());
                self.push_number(value);
            }
            LdcI8 => {
                let Operand::I64(value) = instruction.operand else { return malformed("a missing constant") };
                let value = self.constant(value, LONG);
                self.push_number(value);
            }
            LdcR4 => {
                let Operand::F32(bits) = instruction.operand else { return malformed("a missing constant") };
                let value = self.expr(Expr::Const(Const::F32(bits)));
                self.push_number(value);
            }
            LdcR8 => {
                let Operand::F64(bits) = instruction.operand else { return malformed("a missing constant") };
                let value = self.expr(Expr::Const(Const::F64(bits)));
                self.push_number(value);
            }
            Dup => {
                let entry = self.pop()?;
                self.push(entry.clone());
                self.push(entry);
            }
            Pop => {
                self.pop()?;
            }
            Jmp => return Err("a jump to another method".into()),
            Calli => return Err("a call through a pointer to a method".into()),
            Call => return self.call(token(instruction)?, false, instruction.prefixes.constrained),
            Callvirt => return self.call(token(instruction)?, true, instruction.prefixes.constrained),
            Newobj => self.new_object(token(instruction)?)?,
            Ldftn => self.load_function(token(instruction)?, false)?,
            Ldvirtftn => {
                let (_, object) = self.pop_reference()?;
                let is_there = self.is_there(object)?;
                self.require(is_there, "NullReferenceException");
                self.load_function(token(instruction)?, true)?;
            }
            Ret => {
                self.ret()?;
                return Ok(false);
            }

            Br => {
                let index = self.index_of(target(instruction)?)?;
                let block = self.jump(index)?;
                self.end(TerminatorKind::Goto(block));
                return Ok(false);
            }
            Brtrue | Brfalse => {
                let condition = self.truth()?;
                let condition = if instruction.opcode == Brtrue { condition } else { self.not(condition) };
                return self.branch(condition, target(instruction)?);
            }
            Beq => return self.compare_and_branch(BinaryOp::Eq, false, instruction),
            BneUn => return self.compare_and_branch(BinaryOp::Ne, true, instruction),
            Bge => return self.compare_and_branch(BinaryOp::Ge, false, instruction),
            BgeUn => return self.compare_and_branch(BinaryOp::Ge, true, instruction),
            Bgt => return self.compare_and_branch(BinaryOp::Gt, false, instruction),
            BgtUn => return self.compare_and_branch(BinaryOp::Gt, true, instruction),
            Ble => return self.compare_and_branch(BinaryOp::Le, false, instruction),
            BleUn => return self.compare_and_branch(BinaryOp::Le, true, instruction),
            Blt => return self.compare_and_branch(BinaryOp::Lt, false, instruction),
            BltUn => return self.compare_and_branch(BinaryOp::Lt, true, instruction),
            Switch => {
                self.switch(instruction)?;
                return Ok(false);
            }
            Ceq => self.push_comparison(BinaryOp::Eq, false)?,
            Cgt => self.push_comparison(BinaryOp::Gt, false)?,
            CgtUn => self.push_comparison(BinaryOp::Gt, true)?,
            Clt => self.push_comparison(BinaryOp::Lt, false)?,
            CltUn => self.push_comparison(BinaryOp::Lt, true)?,

            LdindI1 => self.load_indirect(self.primitive(8, true))?,
            LdindU1 => self.load_indirect(self.primitive(8, false))?,
            LdindI2 => self.load_indirect(self.primitive(16, true))?,
            LdindU2 => self.load_indirect(self.primitive(16, false))?,
            LdindI4 => self.load_indirect(self.primitive(32, true))?,
            LdindU4 => self.load_indirect(self.primitive(32, false))?,
            LdindI8 => self.load_indirect(self.primitive(64, true))?,
            LdindI => self.load_indirect(Some(self.cs.simple(Ty::Native { signed: true })))?,
            LdindR4 => self.load_indirect(Some(self.cs.simple(Ty::F32)))?,
            LdindR8 => self.load_indirect(Some(self.cs.simple(Ty::F64)))?,
            LdindRef => self.load_indirect(None)?,
            Ldobj => {
                let ty = self.type_token(instruction)?;
                self.load_indirect(Some(ty))?;
            }
            StindRef | StindI1 | StindI2 | StindI4 | StindI8 | StindR4 | StindR8 | StindI => {
                self.store_indirect(None)?;
            }
            Stobj => {
                let ty = self.type_token(instruction)?;
                self.store_indirect(Some(ty))?;
            }
            Cpobj => {
                let ty = self.type_token(instruction)?;
                self.load_indirect(Some(ty))?;
                self.store_indirect(Some(ty))?;
            }
            Initobj => {
                let ty = self.type_token(instruction)?;
                let entry = self.pop()?;
                let (place, _) = self.pointed(entry)?;
                let leaves = self.default_leaves(ty)?;
                self.write(&place, &leaves)?;
            }

            Add => self.binary(BinaryOp::Add, Overflow::Wraps)?,
            Sub => self.binary(BinaryOp::Sub, Overflow::Wraps)?,
            Mul => self.binary(BinaryOp::Mul, Overflow::Wraps)?,
            AddOvf => self.binary(BinaryOp::Add, Overflow::Signed)?,
            AddOvfUn => self.binary(BinaryOp::Add, Overflow::Unsigned)?,
            SubOvf => self.binary(BinaryOp::Sub, Overflow::Signed)?,
            SubOvfUn => self.binary(BinaryOp::Sub, Overflow::Unsigned)?,
            MulOvf => self.binary(BinaryOp::Mul, Overflow::Signed)?,
            MulOvfUn => self.binary(BinaryOp::Mul, Overflow::Unsigned)?,
            Div => self.divide(DivideOp::Div, false)?,
            DivUn => self.divide(DivideOp::Div, true)?,
            Rem => self.divide(DivideOp::Rem, false)?,
            RemUn => self.divide(DivideOp::Rem, true)?,
            And => self.binary(BinaryOp::And, Overflow::Wraps)?,
            Or => self.binary(BinaryOp::Or, Overflow::Wraps)?,
            Xor => self.binary(BinaryOp::Xor, Overflow::Wraps)?,
            Shl => self.shift(BinaryOp::Shl)?,
            Shr => self.shift(BinaryOp::ShrSigned)?,
            ShrUn => self.shift(BinaryOp::ShrUnsigned)?,
            Neg => self.unary(UnaryOp::Neg)?,
            Not => self.unary(UnaryOp::BitNot)?,

            ConvI1 => self.conversion(machine(8, true), false)?,
            ConvI2 => self.conversion(machine(16, true), false)?,
            ConvI4 => self.conversion(INT, false)?,
            ConvI8 | ConvI => self.conversion(LONG, false)?,
            ConvU1 => self.conversion(machine(8, false), false)?,
            ConvU2 => self.conversion(machine(16, false), false)?,
            ConvU4 => self.conversion(machine(32, false), false)?,
            ConvU8 | ConvU => self.conversion(ULONG, false)?,
            ConvR4 => self.conversion(Type::F32, false)?,
            ConvR8 => self.conversion(Type::F64, false)?,
            // No instruction makes unsigned integers `float32`. The runtime takes two of them for one, which rounds once.
            ConvRUn if self.is_next(ConvR4) => self.conversion(Type::F32, true)?,
            ConvRUn => self.conversion(Type::F64, true)?,
            ConvOvfI1 => self.checked_conversion(machine(8, true), false)?,
            ConvOvfI2 => self.checked_conversion(machine(16, true), false)?,
            ConvOvfI4 => self.checked_conversion(INT, false)?,
            ConvOvfI8 | ConvOvfI => self.checked_conversion(LONG, false)?,
            ConvOvfU1 => self.checked_conversion(machine(8, false), false)?,
            ConvOvfU2 => self.checked_conversion(machine(16, false), false)?,
            ConvOvfU4 => self.checked_conversion(machine(32, false), false)?,
            ConvOvfU8 | ConvOvfU => self.checked_conversion(ULONG, false)?,
            ConvOvfI1Un => self.checked_conversion(machine(8, true), true)?,
            ConvOvfI2Un => self.checked_conversion(machine(16, true), true)?,
            ConvOvfI4Un => self.checked_conversion(INT, true)?,
            ConvOvfI8Un | ConvOvfIUn => self.checked_conversion(LONG, true)?,
            ConvOvfU1Un => self.checked_conversion(machine(8, false), true)?,
            ConvOvfU2Un => self.checked_conversion(machine(16, false), true)?,
            ConvOvfU4Un => self.checked_conversion(machine(32, false), true)?,
            ConvOvfU8Un | ConvOvfUUn => self.checked_conversion(ULONG, true)?,
            Ckfinite => self.check_finite()?,

            Ldstr => {
                let units = self.cs.assembly(self.assembly).user_string(token(instruction)?.0 & 0x00ff_ffff);
                let units = units.ok_or("malformed code: a missing string")?;
                self.push(Entry::Literal(units));
            }
            Ldtoken => self.load_token(token(instruction)?)?,
            Ldfld => self.load_field(token(instruction)?)?,
            Ldflda => self.load_field_address(token(instruction)?)?,
            Stfld => self.store_field(token(instruction)?)?,
            Ldsfld => self.load_static(token(instruction)?)?,
            Ldsflda => self.load_static_address(token(instruction)?)?,
            Stsfld => self.store_static(token(instruction)?)?,

            Newarr => {
                let element = self.type_token(instruction)?;
                self.new_array(element)?;
            }
            Ldlen => self.load_length()?,
            Ldelema => {
                let element = self.type_token(instruction)?;
                self.load_element_address(element, instruction.prefixes.is_readonly)?;
            }
            Ldelem => {
                let element = self.type_token(instruction)?;
                self.load_element(Some(element))?;
            }
            LdelemI1 => self.load_element(self.primitive(8, true))?,
            LdelemU1 => self.load_element(self.primitive(8, false))?,
            LdelemI2 => self.load_element(self.primitive(16, true))?,
            LdelemU2 => self.load_element(self.primitive(16, false))?,
            LdelemI4 => self.load_element(self.primitive(32, true))?,
            LdelemU4 => self.load_element(self.primitive(32, false))?,
            LdelemI8 => self.load_element(self.primitive(64, true))?,
            LdelemI => self.load_element(Some(self.cs.simple(Ty::Native { signed: true })))?,
            LdelemR4 => self.load_element(Some(self.cs.simple(Ty::F32)))?,
            LdelemR8 => self.load_element(Some(self.cs.simple(Ty::F64)))?,
            LdelemRef => self.load_element(None)?,
            Stelem => {
                let element = self.type_token(instruction)?;
                self.store_element(Some(element))?;
            }
            StelemI1 => self.store_element(self.primitive(8, true))?,
            StelemI2 => self.store_element(self.primitive(16, true))?,
            StelemI4 => self.store_element(self.primitive(32, true))?,
            StelemI8 => self.store_element(self.primitive(64, true))?,
            StelemI => self.store_element(Some(self.cs.simple(Ty::Native { signed: true })))?,
            StelemR4 => self.store_element(Some(self.cs.simple(Ty::F32)))?,
            StelemR8 => self.store_element(Some(self.cs.simple(Ty::F64)))?,
            StelemRef => self.store_element(None)?,

            Castclass => {
                let ty = self.type_token(instruction)?;
                let (_, object) = self.pop_reference()?;
                let to = Type::Class(self.cs.object_class());
                let object = self.coerce_leaf(object, to)?;
                let of = self.tested_type(ty)?;
                let value = self.result(of, |dst| OpKind::Cast { dst, object, ty: of });
                self.push_value(ty, value);
            }
            Isinst => {
                let ty = self.type_token(instruction)?;
                self.is_instance(ty)?;
            }
            Box => {
                let ty = self.type_token(instruction)?;
                let entry = self.pop()?;
                self.box_value(entry, ty)?;
            }
            Unbox => {
                let ty = self.type_token(instruction)?;
                let (_, object) = self.pop_reference()?;
                if self.cs.nullable(ty).is_some() {
                    return Err("a pointer into a nullable value that no variable holds".into());
                }
                let place = self.unboxed(object, ty, false)?;
                self.push(Entry::Pointer(place, ty));
            }
            UnboxAny => {
                let ty = self.type_token(instruction)?;
                self.unbox_any(ty)?;
            }
            Throw => {
                let (_, exception) = self.pop_reference()?;
                let ty = crate::synthetic::exceptions::exception(self.cs);
                let own = self.body.expr_type(exception);
                // Where control joins, the type of the stack may be `object`.
                if own != Type::Null && !self.cs.program.is_assignable(own, ty) {
                    let null = self.expr(Expr::Const(Const::Null));
                    let is_null = self.expr(Expr::Binary(BinaryOp::Eq, own, exception, null));
                    let is_one = self.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object: exception, ty });
                    let is_thrown = self.expr(Expr::Binary(BinaryOp::Or, Type::Bool, is_null, is_one));
                    let what = self.located("an object that is thrown and no exception".into());
                    self.unless_refused(is_thrown, &what);
                }
                let exception = self.coerce_leaf(exception, ty)?;
                self.end(TerminatorKind::Throw(exception));
                return Ok(false);
            }
            Rethrow => {
                self.rethrow()?;
                return Ok(false);
            }
            Leave => {
                self.leave(target(instruction)?)?;
                return Ok(false);
            }
            Endfinally => {
                self.end_finally()?;
                return Ok(false);
            }
            Endfilter => {
                self.end_filter()?;
                return Ok(false);
            }
            Sizeof => {
                let ty = self.type_token(instruction)?;
                let size = self.size_of(ty)?;
                let size = self.int(size);
                self.push_number(size);
            }
            Localloc => {
                let (bytes, ty) = self.pop_number()?;
                let bytes = if ty == LONG { bytes } else { self.convert(bytes, LONG) };
                let bytes = self.stable(bytes);
                self.push(Entry::Memory(bytes));
            }
            Cpblk | Initblk => return Err("an operation on raw memory".into()),
            Refanyval | Mkrefany | Refanytype | Arglist => return Err("a variable argument list".into()),
        }
        Ok(true)
    }

    /// The size of the values of a primitive type, in bytes.
    pub(super) fn size_of(&self, ty: TyId) -> Translated<i64> {
        Ok(match self.cs.ty(ty) {
            Ty::Bool => 1,
            Ty::Char => 2,
            Ty::Int { width, .. } => i64::from(width / 8),
            Ty::F32 => 4,
            Ty::F64 | Ty::Native { .. } => 8,
            Ty::Named(..) => match self.cs.kind(ty) {
                Kind::Enum(underlying) => self.size_of(underlying)?,
                Kind::Struct => return Err(format!("the size of the struct {}", self.ty_name(ty))),
                _ => 8,
            },
            _ => 8,
        })
    }

    fn load_variable(&mut self, is_local: bool, index: u16) -> Translated<()> {
        if self.is_receiver_by_value(is_local, index) {
            // The receiver is a pointer to its leaves.
            return self.load_variable_address(is_local, index);
        }
        let (place, ty) = self.variable_place(is_local, index)?;
        let leaves = self.read(&place, ty)?;
        self.push_leaves(ty, leaves);
        Ok(())
    }

    fn store_variable(&mut self, is_local: bool, index: u16) -> Translated<()> {
        let entry = self.pop()?;
        let (place, ty) = self.variable_place(is_local, index)?;
        let leaves = self.coerce(entry, ty)?;
        self.write(&place, &leaves)
    }

    fn load_variable_address(&mut self, is_local: bool, index: u16) -> Translated<()> {
        let (place, ty) = self.variable_place(is_local, index)?;
        self.push(Entry::Pointer(place, ty));
        Ok(())
    }

    fn ret(&mut self) -> Translated<()> {
        let result = self.signature.result;
        let expected = self.cs.leaves(result)?;
        if *self.cs.ty(result) == Ty::Void {
            self.end(TerminatorKind::Return(None));
            return Ok(());
        }
        let entry = self.pop()?;
        let leaves = self.coerce(entry, result)?;
        for (index, (&value, leaf)) in leaves.iter().zip(expected.iter()).enumerate().skip(1) {
            let field = self.cs.result_register(index, leaf.ty);
            self.op(OpKind::PutStatic { field, value });
        }
        self.end(TerminatorKind::Return(leaves.first().copied()));
        Ok(())
    }

    fn branch(&mut self, condition: aback_ir::ExprId, target: u32) -> Translated<bool> {
        let index = self.index_of(target)?;
        let next = self.at + 1;
        self.starts_at(next);
        if let Expr::Const(Const::Bool(known)) = *self.body.expr(condition) {
            let block = self.jump(if known { index } else { next })?;
            self.end(TerminatorKind::Goto(block));
            return Ok(false);
        }
        // The values on the stack go into the places of both targets.
        let condition = if self.stack.is_empty() { condition } else { self.stable(condition) };
        let then_block = self.jump(index)?;
        let else_block = self.jump(next)?;
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        Ok(false)
    }

    /// Makes an instruction the start of a block.
    fn starts_at(&mut self, index: usize) {
        self.starts.insert(index);
    }

    fn compare_and_branch(&mut self, op: BinaryOp, is_un: bool, instruction: &Instruction) -> Translated<bool> {
        let condition = self.compare(comparison(op, is_un))?;
        self.branch(condition, target(instruction)?)
    }

    fn push_comparison(&mut self, op: BinaryOp, is_un: bool) -> Translated<()> {
        let value = self.compare(comparison(op, is_un))?;
        let bool = self.cs.simple(Ty::Bool);
        self.push_value(bool, value);
        Ok(())
    }

    fn switch(&mut self, instruction: &Instruction) -> Translated<()> {
        let Operand::Switch(targets) = &instruction.operand else { return malformed("a switch without targets") };
        let (value, _) = self.pop_number()?;
        let value = self.stable(value);
        let mut cases = Vec::new();
        for (number, &target) in targets.iter().enumerate() {
            let index = self.index_of(target)?;
            let block = self.jump(index)?;
            cases.push((number.into(), block));
        }
        let next = self.at + 1;
        self.starts_at(next);
        let default = self.jump(next)?;
        self.end(TerminatorKind::Switch { value, cases, default });
        Ok(())
    }

    pub(super) fn load_indirect(&mut self, ty: Option<TyId>) -> Translated<()> {
        let entry = self.pop()?;
        let (place, own) = self.pointed(entry)?;
        let ty = self.view(own, ty)?;
        let leaves = self.read(&place, ty)?;
        // A later write must not change the value.
        let leaves = leaves.into_iter().map(|leaf| self.stable(leaf)).collect();
        self.push_leaves(ty, leaves);
        Ok(())
    }

    pub(super) fn store_indirect(&mut self, ty: Option<TyId>) -> Translated<()> {
        let value = self.pop()?;
        let entry = self.pop()?;
        let (place, own) = self.pointed(entry)?;
        let ty = self.view(own, ty)?;
        let leaves = self.coerce(value, ty)?;
        self.write(&place, &leaves)
    }

    /// The type as which a place is read or written: the one of the instruction, if the place has the same parts.
    fn view(&mut self, own: TyId, ty: Option<TyId>) -> Translated<TyId> {
        let Some(ty) = ty else { return Ok(own) };
        if own == ty {
            return Ok(ty);
        }
        let (shape, wanted) = (self.cs.shape(own)?, self.cs.shape(ty)?);
        if shape == wanted {
            return Ok(ty);
        }
        match (&shape[..], &wanted[..]) {
            // Truth values are bytes.
            ([Type::Bool], [Type::Machine { width: 8, .. }]) => Ok(own),
            // Pointers are native integers.
            _ if matches!((self.cs.ty(own), self.cs.ty(ty)), (Ty::Pointer(_), Ty::Native { .. })) => Ok(own),
            _ => Err(format!("a {} that is read or written as a {}", self.ty_name(own), self.ty_name(ty))),
        }
    }

    /// The type of the objects that a test for a type accepts.
    fn tested_type(&mut self, ty: TyId) -> Translated<Type> {
        if self.cs.is_value(ty) {
            let of = self.cs.nullable(ty).unwrap_or(ty);
            return Ok(Type::Class(self.cs.class_of(of)));
        }
        self.cs.ir_type(ty)
    }

    pub(super) fn is_own_code(&self) -> bool {
        self.cs.loader.assemblies.module(self.assembly).is_own
    }

    fn is_instance(&mut self, ty: TyId) -> Translated<()> {
        let entry = self.pop()?;
        let (_, leaves) = self.value(entry)?;
        let [object] = leaves[..] else { return malformed("a test of a struct") };
        let root = Type::Class(self.cs.object_class());
        let object = self.coerce_leaf(object, root)?;
        let object = self.stable(object);
        let of = self.tested_type(ty)?;
        let condition = self.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: of });
        let then = self.coerce_leaf(object, of)?;
        let null = self.expr(Expr::Const(Const::Null));
        let other = self.coerce_leaf(null, of)?;
        let value = self.expr(Expr::Select(condition, then, other));
        let shown = if self.cs.is_value(ty) { self.cs.library("System", "Object")? } else { ty };
        self.push_value(shown, value);
        Ok(())
    }

    /// Pushes a value as an object.
    pub(super) fn box_value(&mut self, entry: Entry, ty: TyId) -> Translated<()> {
        if !self.cs.is_value(ty) {
            self.push(entry);
            return Ok(());
        }
        let leaves = self.coerce(entry, ty)?;
        let object = self.cs.library("System", "Object")?;
        let Some(inner) = self.cs.nullable(ty) else {
            let value = self.new_box(ty, &leaves)?;
            let root = Type::Class(self.cs.object_class());
            let value = self.coerce_leaf(value, root)?;
            self.push_value(object, value);
            return Ok(());
        };
        // A nullable value becomes null or the box of its value.
        let root = Type::Class(self.cs.object_class());
        let dst = self.variable_local(None, root);
        let leaves: Vec<_> = leaves.into_iter().map(|leaf| self.stable(leaf)).collect();
        let Some((&condition, rest)) = leaves.split_first() else { return malformed("a nullable type without values") };
        let (then_block, else_block, join) = (self.new_block(), self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        self.block = then_block;
        let value = self.new_box(inner, rest)?;
        let value = self.coerce_leaf(value, root)?;
        self.op(OpKind::Assign { dst, value });
        self.end(TerminatorKind::Goto(join));
        self.block = else_block;
        let null = self.expr(Expr::Const(Const::Null));
        self.op(OpKind::Assign { dst, value: null });
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        let value = self.local(dst);
        let value = self.stable(value);
        self.push_value(object, value);
        Ok(())
    }

    fn new_box(&mut self, ty: TyId, leaves: &[aback_ir::ExprId]) -> Translated<aback_ir::ExprId> {
        let class = self.cs.class_of(ty);
        let fields = self.cs.boxed_fields(ty)?;
        if fields.len() != leaves.len() {
            return malformed("a box of another type");
        }
        let object = self.result(Type::Class(class), |dst| OpKind::New { dst, class });
        for (field, &value) in fields.into_iter().zip(leaves) {
            let value = self.coerce_leaf(value, self.cs.program.field(field).ty)?;
            self.op(OpKind::PutField { object, field, value });
        }
        Ok(object)
    }

    /// The contents of a box, as a place. The box of an enum is accepted as one of its underlying type, unless only boxes
    /// of exactly this type are.
    fn unboxed(&mut self, object: aback_ir::ExprId, ty: TyId, is_exact: bool) -> Translated<Place> {
        let class = Type::Class(self.cs.class_of(ty));
        let root = Type::Class(self.cs.object_class());
        let object = self.coerce_leaf(object, root)?;
        let object = self.stable(object);
        if *self.cs.ty(ty) == Ty::Void {
            return malformed("a box of nothing");
        }
        let ids = self.cs.boxed_fields(ty)?;
        let underlying = match self.cs.kind(ty) {
            Kind::Enum(underlying) => Some(underlying),
            _ => matches!(self.cs.ty(ty), Ty::Int { .. }).then_some(ty),
        };
        let Some(underlying) = underlying.filter(|_| !is_exact) else {
            let cast = self.result(class, |dst| OpKind::Cast { dst, object, ty: class });
            // Null is no value.
            if let Some(&field) = ids.first() {
                self.get_field(cast, field);
            }
            return Ok(Place::Field { object: cast, ids });
        };
        let is_there = self.is_there(object)?;
        self.require(is_there, "NullReferenceException");
        let mut fits = self.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: class });
        for other in [
            Type::Class(self.cs.class_of(underlying)),
            Type::Class(self.cs.class_for(crate::loader::ClassKind::EnumOf(underlying))),
        ] {
            if other != class {
                let one = self.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty: other });
                fits = self.expr(Expr::Binary(BinaryOp::Or, Type::Bool, fits, one));
            }
        }
        self.require(fits, "InvalidCastException");
        let shape = self.cs.shape(ty)?;
        let reference = Type::Class(self.cs.reference_class(&shape));
        let pointer = self.coerce_leaf(object, reference)?;
        Ok(Place::Indirect { pointer, shape, first: 0, count: 1 })
    }

    fn unbox_any(&mut self, ty: TyId) -> Translated<()> {
        if !self.cs.is_value(ty) {
            let (_, object) = self.pop_reference()?;
            let root = Type::Class(self.cs.object_class());
            let object = self.coerce_leaf(object, root)?;
            let of = self.cs.ir_type(ty)?;
            let value = self.result(of, |dst| OpKind::Cast { dst, object, ty: of });
            self.push_value(ty, value);
            return Ok(());
        }
        let (_, object) = self.pop_reference()?;
        let Some(inner) = self.cs.nullable(ty) else {
            let place = self.unboxed(object, ty, false)?;
            let leaves = self.read(&place, ty)?;
            self.push_leaves(ty, leaves);
            return Ok(());
        };
        let root = Type::Class(self.cs.object_class());
        let object = self.coerce_leaf(object, root)?;
        let object = self.stable(object);
        let locals: Vec<_> = self.cs.leaves(ty)?.iter().map(|leaf| self.variable_local(None, leaf.ty)).collect();
        let null = self.expr(Expr::Const(Const::Null));
        let condition = self.expr(Expr::Binary(BinaryOp::Ne, root, object, null));
        let (then_block, else_block, join) = (self.new_block(), self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        self.block = then_block;
        let place = self.unboxed(object, inner, true)?;
        let leaves = self.read(&place, inner)?;
        let yes = self.expr(Expr::Const(Const::Bool(true)));
        for (&dst, value) in locals.iter().zip(std::iter::once(yes).chain(leaves)) {
            self.op(OpKind::Assign { dst, value });
        }
        self.end(TerminatorKind::Goto(join));
        self.block = else_block;
        for &dst in &locals {
            let value = self.default_leaf(self.body.local(dst).ty);
            self.op(OpKind::Assign { dst, value });
        }
        self.end(TerminatorKind::Goto(join));
        self.block = join;
        let values = locals.into_iter().map(|local| {
            let value = self.local(local);
            self.stable(value)
        });
        let values = values.collect();
        self.push_leaves(ty, values);
        Ok(())
    }

    fn load_token(&mut self, token: Token) -> Translated<()> {
        match token.table() {
            Some(Table::Field) => self.push(Entry::FieldData(token)),
            Some(Table::TypeDef | Table::TypeRef | Table::TypeSpec) => {
                let ty = self.cs.token(self.assembly, token, &self.generics)?;
                self.push(Entry::Type(ty));
            }
            _ => return Err("the handle of a method".into()),
        }
        Ok(())
    }

    /// The object that stands for a type.
    pub(super) fn type_object(&mut self, ty: TyId) -> Translated<aback_ir::ExprId> {
        let object = self.load_made(crate::synthetic::literals::type_object(self.cs, ty));
        let to = self.cs.library("System", "Type")?;
        self.coerce_leaf(object, self.cs.ir_type(to)?)
    }

    /// Pushes a reference.
    pub(super) fn push_object(&mut self, ty: TyId, value: aback_ir::ExprId) {
        self.push(Entry::Value(ty, smallvec![value]));
    }
}
