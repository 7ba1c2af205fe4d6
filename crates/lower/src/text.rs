//! Prints the lowered form for users and tests.

use crate::{Allocation, Cell, LoweredBody, Pure, Step, Target};
use aback_ir::text::{BodyPrinter, print_type};
use aback_ir::{Block, BlockId, Body, DivideOp, ExprId, FieldId, MethodId, Point, Program, Quantifier};
use std::fmt::Write;

/// The lowered form of a method, one step per line; empty if the method has no code.
pub fn print(program: &Program, method: MethodId) -> String {
    let Some(body) = program.body(method) else { return String::new() };
    let printer = BodyPrinter::new(program, body);
    let mut out = format!("{}\n", program.method_name(method));
    for line in printer.lets() {
        let _ = writeln!(out, "    {line}");
    }
    for (id, lines) in body.block_ids().zip(blocks(program, body)) {
        let _ = writeln!(out, "  {}", printer.label(id));
        for line in lines {
            let _ = writeln!(out, "    {line}");
        }
    }
    out
}

/// The lowered form of each block of a body, one line for each step and one for the terminator.
pub fn blocks(program: &Program, body: &Body) -> Vec<Vec<String>> {
    let code = LoweredBody::new(program, body);
    let printer = Printer { program, body, of_body: BodyPrinter::new(program, body) };
    let lines = |(id, block): (BlockId, &Block)| {
        let points = (0..=block.ops.len() as u32).map(|op| Point { block: id, op });
        let steps = points.flat_map(|point| code.steps(point)).map(|step| printer.step(step));
        steps.chain([printer.of_body.terminator(&block.terminator.kind)]).collect()
    };
    body.block_ids().zip(&body.blocks).map(lines).collect()
}

struct Printer<'p> {
    program: &'p Program,
    body: &'p Body,
    of_body: BodyPrinter<'p>,
}

impl Printer<'_> {
    fn step(&self, step: &Step) -> String {
        let local = |local| self.of_body.local(local);
        let expr = |expr| self.of_body.expr(expr);
        match step {
            Step::Set { dst, value } => format!("{} := {}", local(*dst), self.pure(value)),
            Step::Guard { bad, trap, operands } => {
                let operands: Vec<String> = operands.iter().map(|operand| self.pure(operand)).collect();
                let with = if operands.is_empty() { String::new() } else { format!(" with {}", operands.join(", ")) };
                format!("trap {}{with} if {}", trap.describe(), self.pure(bad))
            }
            Step::Read { dst, cell } => format!("{} := {}", local(*dst), self.cell(cell)),
            Step::Write { cell, value } => format!("{} := {}", self.cell(cell), expr(*value)),
            Step::Allocate { dst, object: Allocation::Object(class) } => {
                format!("{} := new {}", local(*dst), self.program.class_name(*class))
            }
            Step::Allocate { dst, object: Allocation::Array { element, length, is_input } } => {
                let what = if *is_input { "input" } else { "new" };
                format!("{} := {what} {}[{}]", local(*dst), print_type(self.program, *element), self.pure(length))
            }
            Step::Call { dst, target, args } => {
                let args: Vec<String> = args.iter().map(|&arg| expr(arg)).collect();
                let dst = dst.map(|dst| format!("{} := ", local(dst))).unwrap_or_default();
                let name = |method: MethodId| self.program.method_name(method);
                let args = args.join(", ");
                match *target {
                    Target::Known(method) => format!("{dst}call {}({args})", name(method)),
                    Target::Virtual(method) => format!("{dst}call an overrider of {}({args})", name(method)),
                    Target::Unless(field, method) => {
                        format!("call {}({args}) unless {}", name(method), self.field(field))
                    }
                }
            }
            Step::Input { dst, ty } => format!("{} := input {}", local(*dst), print_type(self.program, *ty)),
            Step::Known { dst, condition } => format!("{} := known {}", local(*dst), expr(*condition)),
            Step::Alike { dst, arrays: [left, right] } => {
                format!("{} := alike {}, {}", local(*dst), expr(*left), expr(*right))
            }
            Step::Quantify { dst, quantified } => {
                let word = match quantified.quantifier {
                    Quantifier::ForAll => "forall",
                    Quantifier::Exists => "exists",
                };
                let (index, element) = (local(quantified.index), local(quantified.element));
                let (array, condition) = (expr(quantified.array), expr(quantified.condition));
                format!("{} := {word} {index}, {element} in {array}: {condition}", local(*dst))
            }
            Step::Assume { condition } => format!("assume {}", expr(*condition)),
            Step::Assert { condition, kind } => format!("{} {}", kind.keyword(), expr(*condition)),
            Step::Unsupported(construct) => format!("unsupported: {construct}"),
        }
    }

    fn field(&self, field: FieldId) -> String {
        let field = self.program.field(field);
        format!("{}.{}", self.program.class_name(field.class), field.name)
    }

    fn cell(&self, cell: &Cell) -> String {
        match cell {
            Cell::Field(object, field) => {
                format!("{}.{}", self.of_body.expr(*object), self.program.field(*field).name)
            }
            Cell::Static(field) => self.field(*field),
            Cell::Element { array, index, .. } => format!("{}[{}]", self.of_body.expr(*array), self.pure(index)),
        }
    }

    fn pure(&self, value: &Pure) -> String {
        let expr = |expr: ExprId| self.of_body.expr(expr);
        match value {
            Pure::Expr(value) => expr(*value),
            Pure::Index(index) => index.to_string(),
            Pure::ToIndex(value) => match self.body.expr_type(*value) == self.program.index_type() {
                true => expr(*value),
                false => format!("index({})", expr(*value)),
            },
            Pure::FromIndex(index, ty) => match *ty == self.program.index_type() {
                true => self.pure(index),
                false => format!("{}({})", print_type(self.program, *ty), self.pure(index)),
            },
            Pure::Length(array) => format!("#{}", expr(*array)),
            Pure::IsNull(reference) => format!("{} == null", expr(*reference)),
            Pure::IsZero(value) => format!("{} == 0", expr(*value)),
            Pure::IsA(object, ty) => format!("{} is {}", expr(*object), print_type(self.program, *ty)),
            Pure::CanHold { array, object } => format!("{} can hold {}", expr(*array), expr(*object)),
            Pure::Quotient { op, dividend, divisor } => {
                let sign = if *op == DivideOp::Div { "/" } else { "%" };
                format!("{} {sign} {}", expr(*dividend), expr(*divisor))
            }
            Pure::Less(a, b) => format!("{} < {}", self.pure(a), self.pure(b)),
            Pure::Not(value) => format!("!({})", self.pure(value)),
            Pure::And(a, b) => format!("{} & {}", self.pure(a), self.pure(b)),
            Pure::Or(a, b) => format!("{} | {}", self.pure(a), self.pure(b)),
        }
    }
}
