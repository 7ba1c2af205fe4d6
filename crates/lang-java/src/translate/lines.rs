//! Knows the lines of instructions, and which of these instructions are not really there.
//!
//! A table gives lines to ranges of instructions. In `r = a ? b : c` over several lines, `b` and `c` begin ranges, and what follows
//! the whole, the assignment, does not. So it is in the range of `c` also where `b` was evaluated. Control that gets there has been at the line
//! of `c` only if more of the line is evaluated after `c`.

use super::Translator;
use aback_ir::Span;
use cafebabe::bytecode::Opcode;

impl Translator<'_> {
    pub(super) fn span_of(&self, pc: usize) -> Span {
        let line = self.range_of(pc).map_or(0, |index| u32::from(self.lines[index].1));
        Span { file: self.class.source, line, column: 0, length: 0 }
    }

    /// The number of the range with an instruction.
    fn range_of(&self, pc: usize) -> Option<usize> {
        self.lines.partition_point(|&(start, _)| usize::from(start) <= pc).checked_sub(1)
    }

    /// The number of instructions of a block that go on with an expression whose value several ways lead to, within the range of one of
    /// them, so that their own text is at another line.
    pub(super) fn strays(&self, start: usize, end: usize) -> usize {
        let range = self.range_of(self.opcodes[start].0);
        let begins = |index: usize| {
            let pc = self.opcodes[index].0;
            self.range_of(pc).is_none_or(|range| usize::from(self.lines[range].0) == pc)
        };
        if self.class.is_trusted || begins(start) {
            return 0;
        }
        let within = (start..end).take_while(|&index| self.range_of(self.opcodes[index].0) == range).count();
        let text = self.java.program.line_text(self.span_of(self.opcodes[start].0));
        if self.is_value_of_condition(start, end) && text.is_some_and(|line| !names_values(line)) {
            return within;
        }
        let first = range.map_or(0, |range| usize::from(self.lines[range].0));
        if text.is_some_and(is_operand) && self.gets_around(first, self.opcodes[start].0) {
            return within;
        }
        if self.frame.stack.is_empty() {
            return 0;
        }
        if text.is_some_and(ends_with_way) {
            return within;
        }
        let tail = (start..start + within).take_while(|&index| finishes(&self.opcodes[index].1)).count();
        // What follows in the range is a statement that begins at the same line, whatever its instructions are.
        let last = start + tail;
        let is_end = tail > 0 && leaves(&self.opcodes[last - 1].1);
        if is_end || last < self.opcodes.len() && begins(last) { tail } else { 0 }
    }

    /// Whether a block does nothing but give a condition one of its two values, as in `a && b` that is stored: the operands are evaluated
    /// before it, and one of them may not be.
    fn is_value_of_condition(&self, start: usize, end: usize) -> bool {
        let is_value = |opcode: &Opcode| matches!(opcode, Opcode::Iconst0 | Opcode::Iconst1);
        match &self.opcodes[start..end] {
            [(_, value)] => is_value(value) && start > 0 && matches!(self.opcodes[start - 1].1, Opcode::Goto(_)),
            [(_, value), (_, Opcode::Goto(_))] => {
                is_value(value) && self.opcodes.get(end).is_some_and(|(_, other)| is_value(other))
            }
            _ => false,
        }
    }
}

/// What operators are written with that can end a line whose next operand is on another one.
const OPERATORS: &[char] = &['&', '|', '=', '<', '>', '+', '-', '*', '/', '%', '^', '?'];

/// Whether a line is one operand of an expression over several lines, with `&&` or `||` before it or any operator behind it. Code of an operand
/// is entered at its start only: what control gets to without that is what follows on the next lines.
fn is_operand(line: &str) -> bool {
    let Some(code) = code_of(line) else { return false };
    let code = code.trim();
    let begins = code.starts_with("&&") || code.starts_with("||");
    let operand = code.trim_end_matches(OPERATORS);
    let ends = operand.len() < code.len() && !code.ends_with("->");
    if !begins && !ends {
        return false;
    }
    // A line can consist of operators only.
    let rest = if begins { operand.get(2..).unwrap_or_default() } else { operand };
    let is_more = ["&&", "||", "?", "->", "{"].iter().any(|sign| rest.trim_end().trim_end_matches('{').contains(sign));
    !is_more && !has_more_behind(rest)
}

/// Whether anything but brackets and separators is behind the text that ends with an unmatched bracket, or a separator.
fn has_more_behind(code: &str) -> bool {
    let (mut depth, mut is_over) = (0_u32, false);
    for c in code.chars() {
        match c {
            ')' | ']' | '}' | ',' | ';' if depth == 0 => is_over = true,
            ')' | ']' | '}' => depth -= 1,
            '{' if depth == 0 => is_over = true,
            c if c.is_whitespace() => {}
            _ if is_over => return true,
            '(' | '[' | '{' => depth += 1,
            _ => {}
        }
    }
    false
}

/// A line without what is in its quotes and behind it in a comment. `None` if it has parts of a comment or a text of several lines.
fn code_of(line: &str) -> Option<String> {
    if line.contains("\"\"\"") || line.contains("/*") || line.contains("*/") {
        return None;
    }
    let (mut code, mut quote) = (String::new(), None);
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(_), '\\') => _ = rest.next(),
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '/') if rest.as_str().starts_with('/') => break,
            (None, '"' | '\'') => {
                quote = Some(c);
                code.push('_');
            }
            (None, c) => code.push(c),
        }
    }
    Some(code)
}

/// Whether a line may have text for the values of a condition, and not only the condition.
fn names_values(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    line.contains('?') || words.any(|word| matches!(word, "true" | "false"))
}

/// Whether a line begins with a way of a conditional or `switch` expression, and has nothing behind it but brackets and separators.
fn ends_with_way(line: &str) -> bool {
    let way = match line.strip_prefix(':') {
        Some(way) => Some(way),
        None if line.starts_with("case ") || line.starts_with("default ") => line.split_once("->").map(|(_, way)| way),
        None => None,
    };
    way.and_then(code_of).is_some_and(|way| !has_more_behind(&way))
}

/// Whether an instruction only uses what is on the stack, so that its text is before the last operand: assignments, returns and operators with
/// all operands. What comes behind an operand, such as `.field`, is none of these, nor is anything that evaluates another operand.
fn finishes(opcode: &Opcode) -> bool {
    use Opcode::*;
    leaves(opcode)
        || matches!(opcode, Istore(_) | Lstore(_) | Fstore(_) | Dstore(_) | Astore(_) | Putfield(_) | Putstatic(_))
        || matches!(opcode, Iastore | Lastore | Fastore | Dastore | Aastore | Bastore | Castore | Sastore)
        || matches!(
            opcode,
            Iadd | Ladd
                | Fadd
                | Dadd
                | Isub
                | Lsub
                | Fsub
                | Dsub
                | Imul
                | Lmul
                | Fmul
                | Dmul
                | Idiv
                | Ldiv
                | Fdiv
                | Ddiv
        )
        || matches!(
            opcode,
            Irem | Lrem | Frem | Drem | Ineg | Lneg | Fneg | Dneg | Ishl | Lshl | Ishr | Lshr | Iushr | Lushr
        )
        || matches!(opcode, Iand | Land | Ior | Lor | Ixor | Lxor | I2l | I2f | I2d | L2i | L2f | L2d | F2i | F2l | F2d)
        || matches!(opcode, D2i | D2l | D2f | I2b | I2c | I2s | Checkcast(_))
        || matches!(opcode, Dup | DupX1 | DupX2 | Dup2 | Dup2X1 | Dup2X2)
}

/// Whether control leaves the method, or goes to a handler.
fn leaves(opcode: &Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, Ireturn | Lreturn | Freturn | Dreturn | Areturn | Athrow)
}

#[cfg(test)]
mod tests {
    use super::{ends_with_way, is_operand, names_values};

    #[test]
    fn operands_on_lines_of_their_own() {
        for line in [
            "&& t(b))",
            "|| t(b);",
            "t(b)) ||",
            "&& t(b)) {",
            "&& a[i] == f(x) // ?",
            "&& t(\"? &&\")",
            "|| !t(b)))) &&",
            "t(b)) ==",
            "t(b) !=",
            "&& t(b) |",
            "t(a[i + 1])) ?",
            "||",
            "&& t(b),",
        ] {
            assert!(is_operand(line), "{line}");
        }
        for line in [
            "t(b)",
            "&& t(b) || u(c)",
            "t(b) || u(c) ==",
            "t(b)) == u(c) +",
            "case 1 ->",
            "} while (t(b) <",
            "x ? t(b) +",
            "&& t(b)) == f(x)",
            "&& (t(b) ? x : y)",
            "&& t(b)) { x = 1; }",
            "&& t(b); y();",
            "? t(b) : c",
            "&& l.any(x -> x)",
            "&& t(/* b */ c)",
        ] {
            assert!(!is_operand(line), "{line}");
        }
    }

    #[test]
    fn lines_with_text_for_the_values_of_a_condition() {
        for line in ["b ? x : y;", "b && c == true;", "b) ? 1", "false)"] {
            assert!(names_values(line), "{line}");
        }
        for line in ["b;", "b && isTrue(falseName);", "true_b)"] {
            assert!(!names_values(line), "{line}");
        }
    }

    #[test]
    fn lines_that_end_with_a_way() {
        for line in [
            ": 2;",
            ": -k);",
            ": f(a, \"x;\") }, // done",
            ": g[1]",
            ": ';',",
            "case 3 -> 30;",
            "default -> f(x)[2]; }",
            ": x > 5 ? 1 : 2;",
            ": \"a\\\"\");",
            ": f(x,",
        ] {
            assert!(ends_with_way(line), "{line}");
        }
        for line in [
            ": 2; r = x +",
            ": 2) + f(x);",
            ": 2, f(x));",
            ": 2).length();",
            "? 1 : 2;",
            "2;",
            "case 1: return 2;",
            ": \"\"\"",
            ": 1 /* ; */ ; y();",
            "case 1 -> 2; default -> 3;",
        ] {
            assert!(!ends_with_way(line), "{line}");
        }
    }
}
