//! Executes the steps of operations, with one match arm for each kind of step.

use crate::engine::{Engine, Flow};
use crate::state::State;
use aback_heap::{Cells, Heap, Value};
use aback_ir::{AssertKind, Body, DivideOp, ExprId, FieldId, LocalId, MethodId, Program, Type};
use aback_logic::{BvOp, Node, Pool, Sort, Term};
use aback_lower::{Allocation, Cell, Pure, Step, Target};
use aback_symbolic::expr::PreparedBody;
use aback_symbolic::inputs::Nondet;
use aback_symbolic::pure::{self, Site};
use aback_symbolic::{Fault, expr};
use smallvec::SmallVec;

/// Most bits of a factor: bit-vectors have at most 128, and the product is computed with twice as many.
const MOST_FACTOR: u32 = 64;

/// A state before an operation, as the [`Site`] at which its values are computed.
struct Operation<'o, 'a, H> {
    engine: &'o mut Engine<'a, H>,
    state: &'o mut State<H>,
    body: &'o Body,
    code: &'o PreparedBody,
}

impl<H: Heap> Site for Operation<'_, '_, H> {
    type End = Flow;

    fn program(&self) -> &Program {
        self.engine.program
    }

    fn pool(&mut self) -> &mut Pool {
        &mut self.engine.pool
    }

    fn type_of(&self, expr: ExprId) -> Type {
        self.code.type_of(expr)
    }

    fn expr(&mut self, expr: ExprId) -> Value {
        self.engine.eval(self.state, self.body, self.code, expr)
    }

    fn length(&mut self, array: ExprId) -> Result<Value, Flow> {
        let (ty, array) = (self.type_of(array), self.expr(array));
        self.engine.access(self.state, |heap, scope| heap.array_length(scope, array, ty))
    }

    fn exact_types(&mut self, reference: ExprId, tested: Option<Type>) -> Result<Vec<(Value, Type)>, Flow> {
        let (ty, reference) = (self.type_of(reference), self.expr(reference));
        let types = self.engine.access(self.state, |heap, scope| heap.exact_types(scope, reference, ty, tested))?;
        let pool = &self.engine.pool;
        let valued = |(condition, exact)| (Value::from_term(pool, condition, Type::Bool), exact);
        Ok(types.into_iter().map(valued).collect())
    }

    fn unsupported(&mut self, construct: &str) -> Flow {
        self.engine.unsupported(self.state, construct)
    }

    fn is_assignable(&mut self, from: Type, to: Type) -> bool {
        self.engine.is_assignable(from, to)
    }

    fn quotient(&mut self, op: DivideOp, ty: Type, dividend: Value, divisor: Value) -> Value {
        self.engine.quotient(self.state, op, ty, dividend, divisor)
    }
}

impl<H: Heap> Engine<'_, H> {
    /// Executes the steps at the state's place.
    pub(crate) fn steps(&mut self, state: &mut State<H>, body: &Body, code: &PreparedBody) -> Flow {
        for step in code.steps(self.program, body, state.frame.at) {
            let flow = self.step(state, body, code, step).unwrap_or_else(|flow| flow);
            if !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }

    fn step(&mut self, state: &mut State<H>, body: &Body, code: &PreparedBody, step: &Step) -> Result<Flow, Flow> {
        let flow = match *step {
            Step::Set { dst, ref value } => {
                let value = self.pure(state, body, code, value)?;
                self.set(state, body, dst, value)
            }
            Step::Guard { ref bad, trap, ref operands } => {
                let bad = self.pure(state, body, code, bad)?.to_term(&mut self.pool, Type::Bool);
                if bad != Pool::FALSE {
                    let operands = operands.iter().map(|operand| self.pure(state, body, code, operand));
                    let operands: SmallVec<[Value; 2]> = operands.collect::<Result<_, Flow>>()?;
                    self.trap_if(state, bad, trap, &operands)?;
                }
                Flow::Next
            }
            Step::Read { dst, ref cell } => {
                let value = self.read(state, body, code, cell)?;
                self.set(state, body, dst, value)
            }
            Step::Write { ref cell, value } => {
                self.write(state, body, code, cell, value)?;
                Flow::Next
            }
            Step::Allocate { dst, ref object } => {
                state.frame.locals[dst.index()] = self.allocate(state, body, code, object)?;
                Flow::Next
            }
            Step::Call { dst, target, ref args } => {
                let receiver_type = args.first().map_or(Type::Null, |&receiver| code.type_of(receiver));
                let args: SmallVec<[Value; 6]> = args.iter().map(|&arg| self.eval(state, body, code, arg)).collect();
                match target {
                    Target::Known(method) => self.enter(state, method, &args, dst),
                    Target::Virtual(method) => self.call_virtual(state, method, &args, receiver_type, dst),
                    Target::Unless(field, method) => match state.heap.read_static(self.program, &self.layout, field) {
                        Value::Bool(false) | Value::Null => self.enter(state, method, &args, dst),
                        Value::Term(done) => self.enter_unless(state, done, field, method, dst),
                        _ => Flow::Next,
                    },
                }
            }
            Step::Input { dst, ty } => {
                let value = self.input_value(state, "input", ty).ok_or(Flow::End)?;
                if let Value::Term(term) = value {
                    state.give(Nondet::Value(term, ty));
                }
                state.frame.locals[dst.index()] = value;
                Flow::Next
            }
            Step::Known { dst, condition } => {
                let is_known = match self.eval(state, body, code, condition) {
                    Value::Term(term) => state.path.domain().decide(&self.pool, term).is_some(),
                    _ => true,
                };
                self.set(state, body, dst, Value::Bool(is_known))
            }
            Step::Alike { dst, arrays: [left, right] } => {
                let ty = code.type_of(left);
                let [left, right] = [left, right].map(|array| self.eval(state, body, code, array));
                let truth = self.alike(state, left, right, ty)?;
                self.set(state, body, dst, truth)
            }
            Step::Quantify { dst, ref quantified } => {
                let truth = self.quantify(state, body, code, quantified)?;
                for local in [quantified.index, quantified.element] {
                    state.frame.locals[local.index()] = Value::default_of(body.local(local).ty);
                }
                self.set(state, body, dst, truth)
            }
            Step::Assume { condition } => match self.eval(state, body, code, condition) {
                Value::Bool(true) => Flow::Next,
                condition => {
                    let condition = condition.to_term(&mut self.pool, Type::Bool);
                    self.suppose(state, condition)
                }
            },
            Step::Assert { condition, kind } => match self.eval(state, body, code, condition) {
                Value::Bool(true) => Flow::Next,
                condition => {
                    let condition = condition.to_term(&mut self.pool, Type::Bool);
                    self.assertion(state, condition, kind)
                }
            },
            Step::Unsupported(ref construct) => self.unsupported(state, construct),
        };
        Ok(flow)
    }

    /// Calls the initializer `method` where the class-initialization guard `field`, with the value `done`, does not
    /// hold. On a joined path it may hold in some executions only.
    fn enter_unless(
        &mut self,
        state: &mut State<H>,
        done: Term,
        field: FieldId,
        method: MethodId,
        result: Option<LocalId>,
    ) -> Flow {
        let done = match self.program.field(field).ty {
            Type::Bool => done,
            _ => self.pool.ne(done, Pool::ZERO),
        };
        let missing = self.pool.not(done);
        let sides = self.branch(state, missing);
        let mut entering = state.clone();
        if self.take(&mut entering, missing, sides.yes)
            && matches!(self.enter(&mut entering, method, &[], result), Flow::Jumped)
        {
            self.forked(entering);
        }
        if self.take(state, done, sides.no) { Flow::Next } else { Flow::End }
    }

    fn pure(&mut self, state: &mut State<H>, body: &Body, code: &PreparedBody, value: &Pure) -> Result<Value, Flow> {
        pure::value(&mut Operation { engine: self, state, body, code }, value)
    }

    fn read(&mut self, state: &mut State<H>, body: &Body, code: &PreparedBody, cell: &Cell) -> Result<Value, Flow> {
        match *cell {
            Cell::Field(object, field) => {
                let object = self.eval(state, body, code, object);
                self.access(state, |heap, scope| heap.read_field(scope, object, field))
            }
            Cell::Static(field) => Ok(state.heap.read_static(self.program, &self.layout, field)),
            Cell::Element { array, ref index, element } => {
                let (ty, array) = (code.type_of(array), self.eval(state, body, code, array));
                let index = self.pure(state, body, code, index)?;
                self.access(state, |heap, scope| heap.read_element(scope, (array, ty), element, index))
            }
        }
    }

    fn write(
        &mut self,
        state: &mut State<H>,
        body: &Body,
        code: &PreparedBody,
        cell: &Cell,
        value: ExprId,
    ) -> Result<(), Flow> {
        let value = self.eval(state, body, code, value);
        match *cell {
            Cell::Field(object, field) => {
                let object = self.eval(state, body, code, object);
                self.access(state, |heap, scope| heap.write_field(scope, object, field, value))
            }
            Cell::Static(field) => {
                state.heap.write_static(self.program, &self.layout, field, value);
                Ok(())
            }
            Cell::Element { array, ref index, element } => {
                let array = (self.eval(state, body, code, array), code.type_of(array));
                let index = self.pure(state, body, code, index)?;
                self.access(state, |heap, scope| heap.write_element(scope, array, element, index, value))
            }
        }
    }

    fn allocate(
        &mut self,
        state: &mut State<H>,
        body: &Body,
        code: &PreparedBody,
        object: &Allocation,
    ) -> Result<Value, Flow> {
        match *object {
            Allocation::Object(class) => {
                aback_lower::check_class(self.program, class).map_err(|why| self.unsupported(state, why))?;
                self.access(state, |heap, scope| heap.allocate(scope, class))
            }
            Allocation::Array { element, ref length, is_input } => {
                aback_lower::array_of(self.program, element).map_err(|why| self.unsupported(state, why))?;
                let length = self.pure(state, body, code, length)?;
                if is_input {
                    return self.nondet_array(state, element, length);
                }
                let cells = match self.most_elements(state, length) {
                    Some(most) => Cells::Dense(vec![Value::default_of(element); most]),
                    None => Cells::new(length, element),
                };
                self.access(state, |heap, scope| heap.allocate_array(scope, element, length, cells))
            }
        }
    }

    /// Assigns the value of an expression to a local.
    #[inline(always)]
    pub(crate) fn assign(
        &mut self,
        state: &mut State<H>,
        body: &Body,
        code: &PreparedBody,
        dst: LocalId,
        value: ExprId,
    ) -> Flow {
        let value = self.eval(state, body, code, value);
        self.set(state, body, dst, value)
    }

    /// Assigns a value to a local.
    #[inline(always)]
    pub(crate) fn set(&mut self, state: &mut State<H>, body: &Body, dst: LocalId, value: Value) -> Flow {
        state.frame.locals[dst.index()] = match value {
            Value::Term(_) => self.settle(state, value, body.local(dst).ty),
            concrete => concrete,
        };
        Flow::Next
    }

    /// Continues where a condition holds.
    pub(crate) fn suppose(&mut self, state: &mut State<H>, condition: Term) -> Flow {
        // Only one side continues. It is checked for feasibility at once, as at a branch.
        let sides = self.branch(state, condition);
        if self.take(state, condition, sides.yes) { Flow::Next } else { Flow::End }
    }

    /// Whether inputs for which a condition is false are left out.
    fn excludes_input(&self, state: &State<H>, kind: AssertKind) -> bool {
        let Some(inner) = state.frames.checked_sub(2).filter(|_| self.program.prepares_inputs()) else {
            return self.program.excludes_input(kind, [Some(self.query.entry), None], state.frames);
        };
        let called = state.stack().nth(inner).map(|(method, _)| method);
        self.program.excludes_input(kind, [Some(self.query.entry), called], state.frames)
    }

    fn assertion(&mut self, state: &mut State<H>, condition: Term, kind: AssertKind) -> Flow {
        if !self.query.assertions || self.excludes_input(state, kind) {
            return self.suppose(state, condition);
        }
        let violated = self.pool.not(condition);
        let sides = self.trap_sides(state, violated);
        let place = self.place(state);
        self.violation(state, violated, &sides.yes, Fault::Assertion(kind), place);
        if self.take(state, condition, sides.no) { Flow::Next } else { Flow::End }
    }

    fn quotient(&mut self, state: &State<H>, op: DivideOp, ty: Type, a: Value, b: Value) -> Value {
        if let Type::Int = ty
            && (matches!(a, Value::Term(_)) || matches!(b, Value::Term(_)))
        {
            // Quotients of nonnegative dividends need no case distinction.
            let (a, b) = (a.to_term(&mut self.pool, ty), b.to_term(&mut self.pool, ty));
            let not_negative = self.pool.le(Pool::ZERO, a);
            if state.path.domain().decide(&self.pool, not_negative) == Some(true) {
                let term = match op {
                    DivideOp::Div => self.pool.int_div(a, b),
                    DivideOp::Rem => self.pool.int_mod(a, b),
                };
                return Value::from_term(&self.pool, term, ty);
            }
        }
        if let (Type::Machine { width, signed }, Value::Term(product)) = (ty, a)
            && let divisor = b.to_term(&mut self.pool, ty)
            && let Some(factor) = self.other_factor(state, (width.into(), signed), product, divisor)
        {
            let zero = self.pool.bv(width.into(), 0);
            return Value::from_term(&self.pool, if op == DivideOp::Div { factor } else { zero }, ty);
        }
        expr::divide(&mut self.pool, op, ty, a, b)
    }

    /// The factor by which `divisor` was multiplied to get `product`, if the path says that the product did not overflow, as
    /// checked arithmetic does: the product of the extended factors is the extended product. Solvers take long to divide
    /// products. The divisor is not zero.
    fn other_factor(
        &mut self,
        state: &State<H>,
        (width, signed): (u32, bool),
        product: Term,
        divisor: Term,
    ) -> Option<Term> {
        if width > MOST_FACTOR {
            return None;
        }
        let wide = 2 * width;
        let pool = &mut self.pool;
        let factors = match *pool.node(product) {
            Node::BvBinary(BvOp::Mul, a, b) => [a, b],
            Node::Extract { low: 0, value, .. } => match *pool.node(value) {
                Node::BvBinary(BvOp::Mul, a, b) if pool.sort(value) == Sort::BitVec(wide) => {
                    [a, b].map(|factor| pool.extract(width - 1, 0, factor))
                }
                _ => return None,
            },
            _ => return None,
        };
        let at = factors.iter().position(|&factor| factor == divisor)?;
        let [a, b] = factors.map(|factor| pool.resize(wide, signed, factor));
        let exact = pool.bv_binary(BvOp::Mul, a, b);
        let extended = pool.resize(wide, signed, product);
        let fits = pool.eq(exact, extended);
        let zero = pool.bv(width, 0);
        let divides = pool.ne(divisor, zero);
        let is_known = [fits, divides].into_iter().all(|fact| state.path.domain().decide(pool, fact) == Some(true));
        is_known.then_some(factors[1 - at])
    }
}
