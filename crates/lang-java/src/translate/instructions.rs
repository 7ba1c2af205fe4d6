//! Translates each instruction (JVM specification, 6.5), with one match arm for each kind.

use super::{Refusal, Result, Translator, malformed};
use crate::synthetic::{arrays, constants, monitors};
use crate::types::{BYTE, CHAR, INT, LONG, OBJECT, SHORT, STRING, class_name, is_wide, named_type};
use aback_ir::{
    AssertKind, BinaryOp, Const, Dispatch, DivideOp, Expr, ExprId, MethodId, OpKind, TerminatorKind, Type, UnaryOp,
};
use cafebabe::bytecode::Opcode::*;
use cafebabe::bytecode::{Opcode, PrimitiveArrayType};
use cafebabe::constant_pool::{LiteralConstant, Loadable};

impl<'a> Translator<'a> {
    /// Translates one instruction. Returns whether control continues after it in the same block.
    pub(super) fn instruction(&mut self, index: usize, opcode: &Opcode<'a>) -> Result<bool> {
        let pc = self.pc;
        let next = self.opcodes.get(index + 1).map_or(usize::MAX, |&(next, _)| next);
        let at = |offset: i32| pc.wrapping_add_signed(offset as isize);
        match opcode {
            Nop | Breakpoint => {}
            AconstNull => {
                let null = self.expr(Expr::Const(Const::Null));
                self.push(null, Type::Null);
            }
            IconstM1 => self.push_int(-1),
            Iconst0 => self.push_int(0),
            Iconst1 => self.push_int(1),
            Iconst2 => self.push_int(2),
            Iconst3 => self.push_int(3),
            Iconst4 => self.push_int(4),
            Iconst5 => self.push_int(5),
            Bipush(value) => self.push_int(i32::from(*value)),
            Sipush(value) => self.push_int(i32::from(*value)),
            Lconst0 => self.push_long(0),
            Lconst1 => self.push_long(1),
            Fconst0 => self.push_float(0.0),
            Fconst1 => self.push_float(1.0),
            Fconst2 => self.push_float(2.0),
            Dconst0 => self.push_double(0.0),
            Dconst1 => self.push_double(1.0),
            Ldc(Loadable::ClassInfo(class)) | LdcW(Loadable::ClassInfo(class))
                if let Some(are_on) = self.known_status(class, index + 1) =>
            {
                self.status = Some(index + 1);
                self.push_int(i32::from(are_on));
            }
            Ldc(constant) | LdcW(constant) | Ldc2W(constant) => self.load_constant(constant)?,

            Iload(slot) | Lload(slot) | Fload(slot) | Dload(slot) | Aload(slot) => self.load(*slot)?,
            Istore(slot) | Lstore(slot) | Fstore(slot) | Dstore(slot) | Astore(slot) => self.store(*slot, next)?,
            Iinc(slot, by) => self.increment(*slot, *by, next)?,

            Iaload => self.array_get(INT)?,
            Laload => self.array_get(LONG)?,
            Faload => self.array_get(Type::F32)?,
            Daload => self.array_get(Type::F64)?,
            Aaload => self.array_get(self.java.class_type(OBJECT))?,
            Baload => self.array_get(BYTE)?,
            Caload => self.array_get(CHAR)?,
            Saload => self.array_get(SHORT)?,
            Iastore => self.array_put(INT)?,
            Lastore => self.array_put(LONG)?,
            Fastore => self.array_put(Type::F32)?,
            Dastore => self.array_put(Type::F64)?,
            Aastore => self.array_put(self.java.class_type(OBJECT))?,
            Bastore => self.array_put(BYTE)?,
            Castore => self.array_put(CHAR)?,
            Sastore => self.array_put(SHORT)?,

            Pop => {
                self.pop()?;
            }
            Pop2 => {
                if !is_wide(self.pop()?.ty) {
                    self.pop()?;
                }
            }
            Dup => {
                let top = self.pop_simple()?;
                self.frame.stack.extend([top, top]);
            }
            DupX1 => {
                let pair = self.pop_pair()?;
                let &[lower, top] = &pair[..] else { return malformed("dup_x1 of a wide value") };
                self.frame.stack.extend([top, lower, top]);
            }
            DupX2 => {
                let top = self.pop_simple()?;
                self.frame.stack.push(top);
                let top = self.pop()?;
                let below = self.pop_pair()?;
                self.frame.stack.push(top);
                self.frame.stack.extend(below);
                self.frame.stack.push(top);
            }
            Dup2 => {
                let pair = self.pop_pair()?;
                self.frame.stack.extend(pair.iter().chain(&pair));
            }
            Dup2X1 => {
                let pair = self.pop_pair()?;
                let below = self.pop_simple()?;
                self.frame.stack.extend(pair.iter().chain([&below]).chain(&pair));
            }
            Dup2X2 => {
                let pair = self.pop_pair()?;
                let below = self.pop_pair()?;
                self.frame.stack.extend(pair.iter().chain(&below).chain(&pair));
            }
            Swap => {
                let pair = self.pop_pair()?;
                self.frame.stack.extend(pair.iter().rev());
            }

            Iadd => self.binary(BinaryOp::Add, INT)?,
            Ladd => self.binary(BinaryOp::Add, LONG)?,
            Fadd => self.binary(BinaryOp::Add, Type::F32)?,
            Dadd => self.binary(BinaryOp::Add, Type::F64)?,
            Isub => self.binary(BinaryOp::Sub, INT)?,
            Lsub => self.binary(BinaryOp::Sub, LONG)?,
            Fsub => self.binary(BinaryOp::Sub, Type::F32)?,
            Dsub => self.binary(BinaryOp::Sub, Type::F64)?,
            Imul => self.binary(BinaryOp::Mul, INT)?,
            Lmul => self.binary(BinaryOp::Mul, LONG)?,
            Fmul => self.binary(BinaryOp::Mul, Type::F32)?,
            Dmul => self.binary(BinaryOp::Mul, Type::F64)?,
            Fdiv => self.binary(BinaryOp::FloatDiv, Type::F32)?,
            Ddiv => self.binary(BinaryOp::FloatDiv, Type::F64)?,
            Frem => self.binary(BinaryOp::FloatRem, Type::F32)?,
            Drem => self.binary(BinaryOp::FloatRem, Type::F64)?,
            Idiv => self.divide(DivideOp::Div, INT)?,
            Ldiv => self.divide(DivideOp::Div, LONG)?,
            Irem => self.divide(DivideOp::Rem, INT)?,
            Lrem => self.divide(DivideOp::Rem, LONG)?,
            Ineg => self.negate(INT)?,
            Lneg => self.negate(LONG)?,
            Fneg => self.negate(Type::F32)?,
            Dneg => self.negate(Type::F64)?,
            Ishl => self.binary(BinaryOp::Shl, INT)?,
            Lshl => self.binary(BinaryOp::Shl, LONG)?,
            Ishr => self.binary(BinaryOp::ShrSigned, INT)?,
            Lshr => self.binary(BinaryOp::ShrSigned, LONG)?,
            Iushr => self.binary(BinaryOp::ShrUnsigned, INT)?,
            Lushr => self.binary(BinaryOp::ShrUnsigned, LONG)?,
            Iand => self.logic(BinaryOp::And)?,
            Land => self.binary(BinaryOp::And, LONG)?,
            Ior => self.logic(BinaryOp::Or)?,
            Lor => self.binary(BinaryOp::Or, LONG)?,
            Ixor => self.logic(BinaryOp::Xor)?,
            Lxor => self.binary(BinaryOp::Xor, LONG)?,

            I2l => self.convert(INT, LONG)?,
            I2f => self.convert(INT, Type::F32)?,
            I2d => self.convert(INT, Type::F64)?,
            L2i => self.convert(LONG, INT)?,
            L2f => self.convert(LONG, Type::F32)?,
            L2d => self.convert(LONG, Type::F64)?,
            F2i => self.convert(Type::F32, INT)?,
            F2l => self.convert(Type::F32, LONG)?,
            F2d => self.convert(Type::F32, Type::F64)?,
            D2i => self.convert(Type::F64, INT)?,
            D2l => self.convert(Type::F64, LONG)?,
            D2f => self.convert(Type::F64, Type::F32)?,
            I2b => self.cut_to(BYTE)?,
            I2c => self.cut_to(CHAR)?,
            I2s => self.cut_to(SHORT)?,

            Lcmp => self.compare(LONG, true)?,
            Fcmpl => self.compare(Type::F32, false)?,
            Fcmpg => self.compare(Type::F32, true)?,
            Dcmpl => self.compare(Type::F64, false)?,
            Dcmpg => self.compare(Type::F64, true)?,

            Ifeq(to) => return self.branch_on_zero(BinaryOp::Eq, at(*to), next).map(|()| false),
            Ifne(to) => return self.branch_on_zero(BinaryOp::Ne, at(*to), next).map(|()| false),
            Iflt(to) => return self.branch_on_zero(BinaryOp::Lt, at(*to), next).map(|()| false),
            Ifge(to) => return self.branch_on_zero(BinaryOp::Ge, at(*to), next).map(|()| false),
            Ifgt(to) => return self.branch_on_zero(BinaryOp::Gt, at(*to), next).map(|()| false),
            Ifle(to) => return self.branch_on_zero(BinaryOp::Le, at(*to), next).map(|()| false),
            IfIcmpeq(to) | IfAcmpeq(to) => return self.branch_on_order(BinaryOp::Eq, at(*to), next).map(|()| false),
            IfIcmpne(to) | IfAcmpne(to) => return self.branch_on_order(BinaryOp::Ne, at(*to), next).map(|()| false),
            IfIcmplt(to) => return self.branch_on_order(BinaryOp::Lt, at(*to), next).map(|()| false),
            IfIcmpge(to) => return self.branch_on_order(BinaryOp::Ge, at(*to), next).map(|()| false),
            IfIcmpgt(to) => return self.branch_on_order(BinaryOp::Gt, at(*to), next).map(|()| false),
            IfIcmple(to) => return self.branch_on_order(BinaryOp::Le, at(*to), next).map(|()| false),
            Ifnull(to) => return self.branch_on_null(BinaryOp::Eq, at(*to), next).map(|()| false),
            Ifnonnull(to) => return self.branch_on_null(BinaryOp::Ne, at(*to), next).map(|()| false),
            Goto(to) => return self.go_to(at(*to)).map(|()| false),
            Tableswitch(table) => {
                let cases = table.jumps.iter().enumerate();
                let cases = cases.map(|(index, &to)| (i64::from(table.low) + index as i64, at(to))).collect();
                return self.switch(cases, at(table.default)).map(|()| false);
            }
            Lookupswitch(table) => {
                let cases = table.match_offsets.iter().map(|&(case, to)| (i64::from(case), at(to))).collect();
                return self.switch(cases, at(table.default)).map(|()| false);
            }
            Jsr(_) | Ret(_) => {
                return Err(Refusal("a subroutine (jsr, ret), which compilers made before Java 6".into()));
            }

            Ireturn | Lreturn | Freturn | Dreturn | Areturn => {
                let value = self.pop_expr()?;
                let Some(result) = self.java.program.method(self.method).result else {
                    return malformed("a result of a void method");
                };
                let value = self.narrow(value, result);
                self.end(TerminatorKind::Return(Some(value)));
                return Ok(false);
            }
            Return => {
                self.end(TerminatorKind::Return(None));
                return Ok(false);
            }
            Athrow => {
                let exception = self.pop_expr()?;
                self.end(TerminatorKind::Throw(exception));
                return Ok(false);
            }

            Getstatic(field) => {
                if let Some(target) = self.assertions_guard(index)? {
                    return self.go_to(target).map(|()| false);
                }
                self.get_static(field)?;
            }
            Putstatic(field) => self.put_static(field)?,
            Getfield(field) => self.get_field(field)?,
            Putfield(field) => self.put_field(field)?,
            // The result of this call was pushed instead of the class object.
            Invokevirtual(_) if self.status == Some(index) => {}
            Invokevirtual(method) if method.name_and_type.name == "hashCode" => match self.string_switch(index) {
                Some(switch) => return self.switch_on_string(&switch).map(|()| false),
                None => self.invoke(Dispatch::Virtual, method)?,
            },
            Invokevirtual(method) => self.invoke(Dispatch::Virtual, method)?,
            Invokeinterface(method, _) => self.invoke(Dispatch::Virtual, method)?,
            Invokespecial(method) => self.invoke(Dispatch::Special, method)?,
            Invokestatic(method) => self.invoke(Dispatch::Static, method)?,
            Invokedynamic(call) => self.invoke_dynamic(index, call)?,

            New(name) => {
                if self.asserts.contains(&pc) {
                    let condition = self.expr(Expr::Const(Const::Bool(false)));
                    self.emit(OpKind::Assert { condition, kind: AssertKind::Thrown });
                }
                let class = self.java.named(&class_name(name));
                self.ensure_loaded(class)?;
                self.ensure_initialized(class);
                self.push_result(Type::Class(class), |dst| OpKind::New { dst, class });
            }
            Newarray(element) => self.new_array(match element {
                PrimitiveArrayType::Boolean => Type::Bool,
                PrimitiveArrayType::Char => CHAR,
                PrimitiveArrayType::Float => Type::F32,
                PrimitiveArrayType::Double => Type::F64,
                PrimitiveArrayType::Byte => BYTE,
                PrimitiveArrayType::Short => SHORT,
                PrimitiveArrayType::Int => INT,
                PrimitiveArrayType::Long => LONG,
            })?,
            Anewarray(element) => {
                let element = self.named(element)?;
                self.new_array(element)?;
            }
            Multianewarray(array, dimensions) => {
                let ty = self.named(array)?;
                if *dimensions == 0 {
                    return malformed("an array of no dimensions");
                }
                let mut lengths = Vec::new();
                for _ in 0..*dimensions {
                    lengths.push(self.pop_expr()?);
                }
                lengths.reverse();
                let method = arrays::multi(self.java, ty, usize::from(*dimensions));
                let call = |dst| OpKind::Call { dst: Some(dst), dispatch: Dispatch::Static, method, args: lengths };
                self.push_result(ty, call);
            }
            Arraylength => {
                let array = self.pop()?;
                let (array, _) = self.as_array(array, None)?;
                self.push_result(INT, |dst| OpKind::ArrayLength { dst, array });
            }
            Checkcast(name) => {
                let ty = self.named(name)?;
                let object = self.pop()?;
                if object.ty == ty || object.ty == Type::Null {
                    self.push(object.expr, ty);
                } else {
                    self.push_result(ty, |dst| OpKind::Cast { dst, object: object.expr, ty });
                }
            }
            Instanceof(name) => {
                let ty = self.named(name)?;
                let object = self.pop_expr()?;
                self.push_result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty });
            }
            // There is only one thread: a monitor is free or owned by it.
            Monitorenter => {
                let object = self.pop_simple()?;
                match self.monitor_counter("$enter") {
                    Some(method) => self.count_monitor(method, object.expr),
                    None => self.null_check(object.expr, object.ty),
                }
            }
            Monitorexit => {
                let object = self.pop_simple()?;
                if let Some(method) = self.monitor_counter("$leave") {
                    self.count_monitor(method, object.expr);
                }
            }
            Impdep1 | Impdep2 => return Err(Refusal("an instruction that is reserved for debuggers".into())),
        }
        Ok(true)
    }

    // ---- constants ------------------------------------------------------------------------------------------

    fn push_int(&mut self, value: i32) {
        let value = self.int(value);
        self.push(value, INT);
    }

    fn push_long(&mut self, value: i64) {
        let value = self.constant(value, LONG);
        self.push(value, LONG);
    }

    fn push_float(&mut self, value: f32) {
        let value = self.expr(Expr::Const(Const::F32(value.to_bits())));
        self.push(value, Type::F32);
    }

    fn push_double(&mut self, value: f64) {
        let value = self.expr(Expr::Const(Const::F64(value.to_bits())));
        self.push(value, Type::F64);
    }

    pub(super) fn load_constant(&mut self, constant: &Loadable<'a>) -> Result<()> {
        match constant {
            Loadable::LiteralConstant(literal) => self.push_literal(literal)?,
            Loadable::ClassInfo(name) => {
                let Some(ty) = named_type(self.java.program, name) else { return malformed("a bad class constant") };
                self.push_class_object(Some(ty));
            }
            Loadable::MethodHandle(_) => return Err(Refusal("a method handle as a constant".into())),
            Loadable::MethodType(_) => return Err(Refusal("a method type as a constant".into())),
            Loadable::Dynamic(_) => return Err(Refusal("a constant that is computed at run time (condy)".into())),
        }
        Ok(())
    }

    pub(super) fn push_literal(&mut self, literal: &LiteralConstant<'a>) -> Result<()> {
        match literal {
            LiteralConstant::Integer(value) => self.push_int(*value),
            LiteralConstant::Long(value) => self.push_long(*value),
            LiteralConstant::Float(value) => self.push_float(*value),
            LiteralConstant::Double(value) => self.push_double(*value),
            LiteralConstant::String(_) | LiteralConstant::StringBytes(_) => {
                let Some(units) = constants::units(literal) else { return malformed("a bad string constant") };
                let (field, method) = constants::string(self.java, units);
                self.push_made(field, method, self.java.class_type(STRING));
            }
        }
        Ok(())
    }

    /// Pushes the class object of a type, or of `void` for `None`.
    pub(super) fn push_class_object(&mut self, ty: Option<Type>) {
        let (field, method) = crate::synthetic::classes::class_object(self.java, ty);
        self.push_made(field, method, self.java.class_type(crate::synthetic::classes::CLASS));
    }

    /// Pushes an object that is created once.
    pub(super) fn push_made(&mut self, field: aback_ir::FieldId, method: aback_ir::MethodId, ty: Type) {
        self.emit(OpKind::Ensure { field, method });
        self.push_result(ty, |dst| OpKind::GetStatic { dst, field });
    }

    fn named(&mut self, name: &cafebabe::constant_pool::ObjectArrayType<'a>) -> Result<Type> {
        use cafebabe::constant_pool::ObjectArrayType;
        let found = match name {
            ObjectArrayType::BinaryName(name) => named_type(self.java.program, name),
            ObjectArrayType::ArrayType(descriptor) => named_type(self.java.program, &descriptor.to_string()),
        };
        found.ok_or_else(|| Refusal("malformed code: a bad type".into()))
    }

    // ---- arithmetic -----------------------------------------------------------------------------------------

    fn binary(&mut self, op: BinaryOp, ty: Type) -> Result<()> {
        let (right, left) = (self.pop_expr()?, self.pop_expr()?);
        self.exclude_overflow(op, ty, left, right);
        let value = self.binary_expr(op, ty, left, right);
        self.push(value, ty);
        Ok(())
    }

    /// `&`, `|` and `^` on `int`s and on truth values.
    fn logic(&mut self, op: BinaryOp) -> Result<()> {
        let (right, left) = (self.pop_expr()?, self.pop_expr()?);
        let (one, zero) = (self.int(1), self.int(0));
        let is_truth = |expr: ExprId| match *self.body.expr(expr) {
            Expr::Select(_, then, other) => (then, other) == (one, zero),
            _ => expr == one || expr == zero,
        };
        let is_computed = |expr: ExprId| expr != one && expr != zero;
        if is_truth(left) && is_truth(right) && (is_computed(left) || is_computed(right)) {
            let (a, b) = (self.truth(left), self.truth(right));
            let truth = self.binary_expr(op, Type::Bool, a, b);
            let (value, ty) = self.widen(truth, Type::Bool);
            self.push(value, ty);
            return Ok(());
        }
        let value = self.binary_expr(op, INT, left, right);
        self.push(value, INT);
        Ok(())
    }

    fn divide(&mut self, op: DivideOp, ty: Type) -> Result<()> {
        let (divisor, dividend) = (self.pop_expr()?, self.pop_expr()?);
        if op == DivideOp::Div {
            self.exclude_overflow_of_quotient(ty, dividend, divisor);
        }
        self.push_result(ty, |dst| OpKind::Divide { dst, op, dividend, divisor });
        Ok(())
    }

    fn negate(&mut self, ty: Type) -> Result<()> {
        let value = self.pop_expr()?;
        self.exclude_overflow_of_negation(ty, value);
        let value = self.expr(Expr::Unary(UnaryOp::Neg, ty, value));
        self.push(value, ty);
        Ok(())
    }

    fn convert(&mut self, from: Type, to: Type) -> Result<()> {
        let value = self.pop_expr()?;
        let value = self.expr(Expr::Convert { from, to, value });
        self.push(value, to);
        Ok(())
    }

    /// Truncates an `int` to a smaller type.
    fn cut_to(&mut self, ty: Type) -> Result<()> {
        let value = self.pop_expr()?;
        let value = self.narrow(value, ty);
        let (value, ty) = self.widen(value, ty);
        self.push(value, ty);
        Ok(())
    }

    // ---- arrays ---------------------------------------------------------------------------------------------

    fn new_array(&mut self, element: Type) -> Result<()> {
        let length = self.pop_expr()?;
        let array = self.java.program.array_of(element);
        self.push_result(array, |dst| OpKind::NewArray { dst, element, length });
        Ok(())
    }

    /// A reference as an array, with its element type. `element` is the element type that the instruction implies.
    fn as_array(&mut self, array: super::Entry, element: Option<Type>) -> Result<(ExprId, Type)> {
        if let Type::Array(id) = array.ty {
            return Ok((array.expr, self.java.program.element_type(id)));
        }
        if self.is_null(&array) {
            let element = element.unwrap_or(INT);
            let (to, value) = (self.java.program.array_of(element), self.expr(Expr::Const(Const::Null)));
            return Ok((self.expr(Expr::Convert { from: Type::Null, to, value }), element));
        }
        // The code has no stack map.
        let Some(element) = element else {
            return Err(Refusal("the length of an array whose type the class file does not determine".into()));
        };
        if element == BYTE {
            return Err(Refusal(
                "an array of bytes or of truth values: the class file does not determine which".into(),
            ));
        }
        let to = self.java.program.array_of(element);
        Ok((self.expr(Expr::Convert { from: array.ty, to, value: array.expr }), element))
    }

    fn array_get(&mut self, element: Type) -> Result<()> {
        let (index, array) = (self.pop_expr()?, self.pop()?);
        let (array, element) = self.as_array(array, Some(element))?;
        self.push_result(element, |dst| OpKind::ArrayGet { dst, array, index });
        Ok(())
    }

    fn array_put(&mut self, element: Type) -> Result<()> {
        let (value, index, array) = (self.pop_expr()?, self.pop_expr()?, self.pop()?);
        let (array, element) = self.as_array(array, Some(element))?;
        let value = self.narrow(value, element);
        self.emit(OpKind::ArrayPut { array, index, value });
        Ok(())
    }

    // ---- control --------------------------------------------------------------------------------------------

    fn switch(&mut self, cases: Vec<(i64, usize)>, default: usize) -> Result<()> {
        let value = self.pop_expr()?;
        let default_block = self.edge(default)?;
        let mut blocks = Vec::new();
        for (case, target) in cases.into_iter().filter(|&(_, target)| target != default) {
            blocks.push((case.into(), self.edge(target)?));
        }
        self.end(TerminatorKind::Switch { value, cases: blocks, default: default_block });
        Ok(())
    }

    /// The method that counts monitors, if they are counted.
    fn monitor_counter(&self, name: &str) -> Option<MethodId> {
        self.java.loader.counts_monitors().then(|| monitors::counter(self.java, name))?
    }

    fn count_monitor(&mut self, method: MethodId, object: ExprId) {
        self.emit(OpKind::Call { dst: None, dispatch: Dispatch::Virtual, method, args: vec![object] });
    }

    /// Continues only if a reference is not null; otherwise throws.
    pub(super) fn null_check(&mut self, object: ExprId, ty: Type) {
        let null = self.expr(Expr::Const(Const::Null));
        let condition = self.binary_expr(BinaryOp::Eq, ty, object, null);
        let (then_block, else_block) = (self.new_block(), self.new_block());
        self.end(TerminatorKind::Branch { condition, then_block, else_block });
        self.block = then_block;
        self.end(TerminatorKind::Throw(null));
        self.block = else_block;
    }
}
