//! Generates expressions.

use super::{Code, Prim, Ty};

/// Methods from integers to integers without side effects, with the types of their parameters.
const INT_CALLS: [(&str, &[Prim]); 17] = [
    ("Math.abs", &[Prim::Int]),
    ("Math.max", &[Prim::Int, Prim::Int]),
    ("Math.min", &[Prim::Int, Prim::Int]),
    ("Math.floorMod", &[Prim::Int, Prim::Int]),
    ("Math.floorDiv", &[Prim::Int, Prim::Int]),
    ("Math.addExact", &[Prim::Int, Prim::Int]),
    ("Integer.bitCount", &[Prim::Int]),
    ("Integer.reverse", &[Prim::Int]),
    ("Integer.highestOneBit", &[Prim::Int]),
    ("Integer.numberOfTrailingZeros", &[Prim::Int]),
    ("Integer.numberOfLeadingZeros", &[Prim::Int]),
    ("Integer.rotateLeft", &[Prim::Int, Prim::Int]),
    ("Integer.signum", &[Prim::Int]),
    ("Integer.compare", &[Prim::Int, Prim::Int]),
    ("Integer.compareUnsigned", &[Prim::Int, Prim::Int]),
    ("Long.compare", &[Prim::Long, Prim::Long]),
    ("Long.bitCount", &[Prim::Long]),
];

const LONG_CALLS: [(&str, &[Prim]); 9] = [
    ("Math.abs", &[Prim::Long]),
    ("Math.max", &[Prim::Long, Prim::Int]),
    ("Math.min", &[Prim::Short, Prim::Long]),
    ("Math.floorMod", &[Prim::Long, Prim::Long]),
    ("Math.multiplyExact", &[Prim::Long, Prim::Long]),
    ("Long.reverse", &[Prim::Long]),
    ("Long.rotateRight", &[Prim::Long, Prim::Int]),
    ("Long.highestOneBit", &[Prim::Long]),
    ("Integer.toUnsignedLong", &[Prim::Int]),
];

const FLOAT_CALLS: [(&str, &[Prim]); 5] = [
    ("Math.abs", &[Prim::Float]),
    ("Math.max", &[Prim::Float, Prim::Float]),
    ("Math.min", &[Prim::Float, Prim::Int]),
    ("Float.intBitsToFloat", &[Prim::Int]),
    ("Math.signum", &[Prim::Float]),
];

const DOUBLE_CALLS: [(&str, &[Prim]); 9] = [
    ("Math.abs", &[Prim::Double]),
    ("Math.max", &[Prim::Double, Prim::Double]),
    ("Math.min", &[Prim::Double, Prim::Float]),
    ("Math.sqrt", &[Prim::Double]),
    ("Math.floor", &[Prim::Double]),
    ("Math.ceil", &[Prim::Double]),
    ("Math.rint", &[Prim::Double]),
    ("Double.longBitsToDouble", &[Prim::Long]),
    ("Math.signum", &[Prim::Double]),
];

impl Code {
    fn leaf(&mut self, prim: Prim) -> String {
        if self.rng.chance(20) {
            return self.literal(prim);
        }
        if let Some(name) = self.variable(Ty::Prim(prim), |_| true) {
            return name;
        }
        // javac would fold constants: a variable of another type is better.
        let other = self.numeric();
        match self.variable(Ty::Prim(other), |_| true) {
            Some(name) if prim == Prim::Boolean => {
                let operator = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({name} {operator} {})", self.literal(other))
            }
            Some(name) => format!("(({}) {name})", prim.name()),
            None => self.literal(prim),
        }
    }

    pub fn prim(&mut self, prim: Prim, depth: usize) -> String {
        if depth == 0 || self.rng.chance(12) {
            return self.leaf(prim);
        }
        let d = depth - 1;
        // A case that does not apply falls through to the cases of the specific type.
        match self.rng.below(24) {
            0 => {
                let text = format!("({} ? {} : {})", self.condition(d), self.prim(prim, d), self.prim(prim, d));
                return standalone(Ty::Prim(prim), depth, text);
            }
            1 | 2 if self.effects => {
                if let Some(text) = self.assignment(Ty::Prim(prim), d) {
                    return format!("({text})");
                }
            }
            3 => {
                if let Some(array) = self.variable(Ty::Array(prim), |_| true) {
                    return format!("{array}[{}]", self.index(d));
                }
            }
            4 | 5 => {
                if let Some(call) = self.call(Ty::Prim(prim), d) {
                    return call;
                }
            }
            6 if self.language.topics.boxing => {
                let wrapper = prim.wrapper();
                return match self.rng.below(3) {
                    0 => format!("{wrapper}.valueOf({}).{}Value()", self.prim(prim, d), prim.name()),
                    1 => format!("(({}) {})", prim.name(), self.boxed(prim, d)),
                    _ => self.boxed(prim, d).to_string() + &format!(".{}Value()", prim.name()),
                };
            }
            7 if self.language.topics.switches => return self.switch_expression(Ty::Prim(prim), d),
            // A conditional whose operands have different types: the cast applies to the promoted type.
            8 if prim != Prim::Boolean => {
                let (left, right) = (self.numeric(), self.numeric());
                let (condition, left, right) = (self.condition(d), self.prim(left, d), self.prim(right, d));
                return format!("(({}) ({condition} ? {left} : {right}))", prim.name());
            }
            _ => {}
        }
        match prim {
            Prim::Boolean => self.boolean(d),
            Prim::Byte | Prim::Short | Prim::Char => match self.rng.below(6) {
                0 if prim == Prim::Char && self.language.topics.strings => {
                    let padding = if self.rng.chance(90) { " + \"..\"" } else { "" };
                    format!("({}{padding}).charAt({})", self.text(d), self.rng.below(2))
                }
                1 if prim != Prim::Char && self.language.topics.boxing => {
                    format!("{}.{}Value()", self.wrapped_number(d), prim.name())
                }
                _ => self.cast(prim, d),
            },
            Prim::Int => match self.rng.below(10) {
                0 => self.cast(prim, d),
                1 => self.library(&INT_CALLS, d),
                2 => self.int_of_other(d),
                3 => {
                    let operand = self.prim_where(Prim::promotes_to_int);
                    format!("({}{})", self.rng.pick(&["-", "~", "+"]), self.spaced(operand, d))
                }
                _ => self.arithmetic(prim, d),
            },
            Prim::Long => match self.rng.below(8) {
                0 => self.cast(prim, d),
                1 => self.library(&LONG_CALLS, d),
                2 => format!("({}{})", self.rng.pick(&["-", "~"]), self.spaced(Prim::Long, d)),
                3 if self.language.topics.floats => match self.rng.below(2) {
                    0 => format!("Double.doubleToLongBits({})", self.prim(Prim::Double, d)),
                    _ => format!("Math.round({})", self.prim(Prim::Double, d)),
                },
                _ => self.arithmetic(prim, d),
            },
            Prim::Float | Prim::Double => match self.rng.below(8) {
                0 => self.cast(prim, d),
                1 if prim == Prim::Float => self.library(&FLOAT_CALLS, d),
                1 => self.library(&DOUBLE_CALLS, d),
                2 => format!("(-{})", self.spaced(prim, d)),
                _ => self.arithmetic(prim, d),
            },
        }
    }

    /// An operand that may follow a sign: without the space, `-` and `-x++` would form the token `--`.
    fn spaced(&mut self, prim: Prim, depth: usize) -> String {
        format!(" {}", self.prim(prim, depth))
    }

    fn wrapped_number(&mut self, depth: usize) -> String {
        let from = self.prim_where(|prim| !matches!(prim, Prim::Boolean | Prim::Char));
        format!("{}.valueOf({})", from.wrapper(), self.prim(from, depth))
    }

    fn cast(&mut self, to: Prim, depth: usize) -> String {
        let from = self.numeric();
        format!("(({}) {})", to.name(), self.prim(from, depth))
    }

    fn library(&mut self, calls: &[(&str, &[Prim])], depth: usize) -> String {
        let (name, params) = *self.rng.pick(calls);
        // These methods throw on zero or on overflow, which should be rare.
        let throws = name.contains("floor") || name.contains("Exact");
        let mut arguments: Vec<String> = params.iter().map(|&param| self.prim(param, depth)).collect();
        if throws && params.len() == 2 && self.rng.chance(90) {
            let suffix = if params[1] == Prim::Long { "L" } else { "" };
            arguments[1] = format!("{}{suffix}", self.rng.within(1, 9));
        }
        format!("{name}({})", arguments.join(", "))
    }

    /// An `int` that is computed from values of other types.
    fn int_of_other(&mut self, depth: usize) -> String {
        match self.rng.below(9) {
            0 if self.language.topics.strings => format!("{}.length()", self.text(depth)),
            1 if self.language.topics.strings => format!("{}.hashCode()", self.text(depth)),
            2 if self.language.topics.strings => format!("{}.indexOf({})", self.text(depth), self.text_literal()),
            3 if self.language.topics.strings => format!("{}.compareTo({})", self.text(depth), self.text(depth)),
            4 if self.language.topics.floats => format!("Float.floatToIntBits({})", self.prim(Prim::Float, depth)),
            5 if self.language.topics.floats => {
                format!("Double.compare({}, {})", self.prim(Prim::Double, depth), self.prim(Prim::Double, depth))
            }
            6 if self.language.topics.boxing => {
                let prim = self.any_prim();
                format!("{}.hashCode()", self.boxed(prim, depth))
            }
            7 if self.language.topics.lambdas => {
                let argument = self.int(depth);
                let (x, body) = self.in_lambda(Ty::Prim(Prim::Int), |code| code.int(depth));
                format!("((java.util.function.IntUnaryOperator) {x} -> {body}).applyAsInt({argument})")
            }
            _ => match self.prim_where(|prim| prim != Prim::Boolean) {
                prim if self.language.topics.arrays => format!("{}.length", self.array(prim, 0)),
                prim => format!("((int) {})", self.prim(prim, depth)),
            },
        }
    }

    fn arithmetic(&mut self, prim: Prim, depth: usize) -> String {
        // At least one side has the type itself; the other side may be promoted to it.
        let other = self.prim_where(|other| match prim {
            Prim::Int => other.promotes_to_int(),
            Prim::Long => other.is_integral(),
            Prim::Float => !matches!(other, Prim::Boolean | Prim::Double),
            _ => other != Prim::Boolean,
        });
        let (mut left, mut right) = (prim, other);
        if prim == Prim::Int && self.rng.chance(50) {
            left = self.prim_where(Prim::promotes_to_int);
        } else if self.rng.chance(50) {
            (left, right) = (right, left);
        }
        let operators: &[&str] = match prim.is_floating() {
            true => &["+", "-", "*", "/", "%"],
            false => &["+", "-", "*", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"],
        };
        let operator = *self.rng.pick(operators);
        if operator.len() > 1 {
            let (left, right) = (prim, self.integral());
            return format!("({} {operator} {})", self.prim(left, depth), self.prim(right, depth));
        }
        let left = self.prim(left, depth);
        let right = self.divisor(operator, right, depth);
        format!("({left} {operator} {right})")
    }

    /// The right operand of an operator. An integer divisor is rarely zero, because an exception skips the rest of a
    /// part.
    fn divisor(&mut self, operator: &str, prim: Prim, depth: usize) -> String {
        let right = self.prim(prim, depth);
        if "/%".contains(operator) && prim.is_integral() && self.rng.chance(95) {
            // An or-ed `byte` is an `int`, which is just as good here.
            return match prim {
                Prim::Long => format!("({right} | 1L)"),
                _ => format!("({right} | 1)"),
            };
        }
        right
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.rng.below(14) {
            0 => format!("!{}", self.condition(depth)),
            1 | 2 => format!("({} && {})", self.condition(depth), self.condition(depth)),
            3 | 4 => format!("({} || {})", self.condition(depth), self.condition(depth)),
            5 => {
                let operator = *self.rng.pick(&["&", "|", "^", "==", "!="]);
                format!("({} {operator} {})", self.condition(depth), self.condition(depth))
            }
            6 if self.language.topics.boxing => {
                let prim = self.any_prim();
                let (left, right) = (self.boxed(prim, depth), self.boxed(prim, depth));
                match self.rng.below(3) {
                    0 => format!("({left} == {right})"),
                    1 => format!("({left} != {right})"),
                    _ => format!("{left}.equals({right})"),
                }
            }
            7 if self.language.topics.strings => {
                let (left, right) = (self.text(depth), self.text(depth));
                let method = self.rng.pick(&[
                    "equals",
                    "equalsIgnoreCase",
                    "startsWith",
                    "endsWith",
                    "contains",
                    "contentEquals",
                ]);
                format!("{left}.{method}({right})")
            }
            8 if self.language.topics.strings => format!("{}.isEmpty()", self.text(depth)),
            9 if self.language.topics.floats => match self.rng.below(2) {
                0 => format!("Double.isNaN({})", self.prim(Prim::Double, depth)),
                _ => format!("Float.isInfinite({})", self.prim(Prim::Float, depth)),
            },
            10 if self.language.topics.boxing => {
                let method = self.rng.pick(&["isDigit", "isLetter", "isUpperCase", "isWhitespace"]);
                format!("Character.{method}({})", self.prim(Prim::Char, depth))
            }
            _ => {
                let (left, right) = (self.numeric(), self.numeric());
                let operator = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({} {operator} {})", self.prim(left, depth), self.prim(right, depth))
            }
        }
    }

    pub fn boxed(&mut self, prim: Prim, depth: usize) -> String {
        let variable = self.variable(Ty::Boxed(prim), |_| true);
        match (self.rng.below(6), variable) {
            (0..4, Some(name)) => name,
            (4, _) if depth > 0 => {
                let d = depth - 1;
                let text = format!("({} ? {} : {})", self.condition(d), self.boxed(prim, d), self.boxed(prim, d));
                standalone(Ty::Boxed(prim), depth, text)
            }
            (3, _) => format!("(({}) {})", prim.wrapper(), self.prim_operand(prim, depth)),
            _ => format!("{}.valueOf({})", prim.wrapper(), self.prim(prim, depth.saturating_sub(1))),
        }
    }

    /// The operand of a cast to a class: `(Integer) -1` would be a subtraction.
    fn prim_operand(&mut self, prim: Prim, depth: usize) -> String {
        format!("({})", self.prim(prim, depth.saturating_sub(1)))
    }

    pub fn text(&mut self, depth: usize) -> String {
        let variable = if self.rng.chance(70) { self.variable(Ty::Text, |_| true) } else { None };
        if depth == 0 || self.rng.chance(20) {
            return variable.unwrap_or_else(|| self.text_literal());
        }
        let d = depth - 1;
        match self.rng.below(22) {
            0 => format!("{}.toUpperCase()", self.text(d)),
            1 => format!("{}.toLowerCase()", self.text(d)),
            2 => format!("{}.trim()", self.text(d)),
            3 => format!("{}.repeat({})", self.text(d), self.rng.below(3)),
            4 => format!("{}.replace('{}', '{}')", self.text(d), self.ascii(), self.ascii()),
            5 => format!("{}.replace({}, {})", self.text(d), self.text_literal(), self.text_literal()),
            6 => format!("{}.concat({})", self.text(d), self.text(d)),
            7 => {
                let low = self.rng.below(3);
                format!("{}.substring({})", self.text(d), low.saturating_sub(1))
            }
            8 => format!("(\"<\" + {} + \">\").substring(1, {})", self.text(d), self.rng.within(1, 3)),
            9 => {
                let text = format!("({} ? {} : {})", self.condition(d), self.text(d), self.text(d));
                standalone(Ty::Text, depth, text)
            }
            10 => {
                let prim = self.prim_where(|prim| !prim.is_floating());
                format!("String.valueOf({})", self.prim(prim, d))
            }
            11 => {
                let method = self.rng.pick(&["toHexString", "toBinaryString", "toOctalString", "toString"]);
                match self.rng.below(2) {
                    0 => format!("Integer.{method}({})", self.int(d)),
                    _ => format!("Long.{method}({})", self.prim(Prim::Long, d)),
                }
            }
            12 => format!("Integer.toString({}, {})", self.int(d), self.rng.within(2, 36)),
            13 => {
                let appended = self.printable_prim();
                format!("new StringBuilder({}).append({}).reverse().toString()", self.text(d), self.prim(appended, d))
            }
            14 if self.language.topics.switches => self.switch_expression(Ty::Text, d),
            15 => match self.call(Ty::Text, d) {
                Some(call) => call,
                None => self.text_literal(),
            },
            16 if self.effects => match self.assignment(Ty::Text, d) {
                Some(text) => format!("({text})"),
                None => self.text_literal(),
            },
            17 if self.language.topics.boxing => {
                let prim = self.printable_prim();
                format!("({} + {})", self.boxed(prim, d), self.text(d))
            }
            18 => format!("{}.strip().intern()", self.text(d)),
            _ => {
                let prim = self.printable_prim();
                let (left, right) = (self.text(d), self.prim(prim, d));
                if self.rng.chance(50) { format!("({left} + {right})") } else { format!("({right} + {left})") }
            }
        }
    }

    /// A type whose values may be converted to text.
    fn printable_prim(&mut self) -> Prim {
        let decimals = self.language.topics.decimals;
        self.prim_where(|prim| decimals || !prim.is_floating())
    }

    fn ascii(&mut self) -> char {
        *self.rng.pick(&['a', 'b', 'l', 'o', ' ', 'x', '4'])
    }

    pub fn array(&mut self, prim: Prim, depth: usize) -> String {
        match self.variable(Ty::Array(prim), |_| true) {
            Some(name) if depth == 0 || self.rng.chance(60) => {
                if self.rng.chance(20) {
                    format!("{name}.clone()")
                } else {
                    name
                }
            }
            _ if self.rng.chance(25) => format!("new {}[{}]", prim.name(), self.rng.within(4, 6)),
            _ => {
                let elements: Vec<String> =
                    (0..self.rng.within(4, 6)).map(|_| self.prim(prim, depth.saturating_sub(1))).collect();
                format!("new {}[] {{{}}}", prim.name(), elements.join(", "))
            }
        }
    }

    /// An array index, which is usually in bounds.
    fn index(&mut self, depth: usize) -> String {
        match self.rng.below(40) {
            0 => self.int(depth),
            1..12 => self.rng.below(4).to_string(),
            _ => {
                let prim = self.prim_where(Prim::promotes_to_int);
                format!("({} & 3)", self.prim(prim, depth))
            }
        }
    }

    /// An assignable location of the type.
    fn place(&mut self, ty: Ty, depth: usize) -> Option<String> {
        if let Ty::Prim(prim) = ty
            && self.rng.chance(25)
            && let Some(array) = self.variable(Ty::Array(prim), |_| true)
        {
            return Some(format!("{array}[{}]", self.index(depth)));
        }
        self.variable(ty, |var| var.writable)
    }

    /// An assignment to a location of the type, without the parentheses that an operand needs.
    pub fn assignment(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let place = self.place(ty, depth)?;
        let simple = self.rng.chance(35);
        Some(match ty {
            // Text that grows in a loop is cut.
            Ty::Text => match &self.language.helpers {
                Some(helpers) => format!("{place} = {}.cut({})", helpers.clone(), self.text(depth)),
                None => format!("{place} = {}", self.text_literal()),
            },
            Ty::Array(_) => format!("{place} = {}", self.expression(ty, depth)),
            _ if simple => format!("{place} = {}", self.expression(ty, depth)),
            Ty::Prim(Prim::Boolean) => {
                format!("{place} {}= {}", self.rng.pick(&["&", "|", "^"]), self.condition(depth))
            }
            Ty::Boxed(Prim::Boolean) => format!("{place} = {}", self.condition(depth)),
            Ty::Prim(_) | Ty::Boxed(_) if self.rng.chance(35) => {
                let operator = *self.rng.pick(&["++", "--"]);
                if self.rng.chance(50) { format!("{place}{operator}") } else { format!("{operator}{place}") }
            }
            Ty::Prim(prim) => self.compound(&place, prim, depth),
            Ty::Boxed(prim @ (Prim::Int | Prim::Long | Prim::Float | Prim::Double)) => {
                let operator = *self.rng.pick(&["+", "-", "*"]);
                format!("{place} {operator}= {}", self.prim(prim, depth))
            }
            Ty::Boxed(_) => format!("{place} = {}", self.expression(ty, depth)),
        })
    }

    /// A compound assignment, whose right side may have a wider type than its left side.
    fn compound(&mut self, place: &str, prim: Prim, depth: usize) -> String {
        let bits = prim.is_integral() && self.rng.chance(50);
        if bits {
            let operator = *self.rng.pick(&["&", "|", "^", "<<", ">>", ">>>"]);
            let right = self.integral();
            return format!("{place} {operator}= {}", self.prim(right, depth));
        }
        let operator = *self.rng.pick(&["+", "-", "*", "/", "%"]);
        let right = self.numeric();
        format!("{place} {operator}= {}", self.divisor(operator, right, depth))
    }

    pub fn switch_expression(&mut self, ty: Ty, depth: usize) -> String {
        let (selector, labels) = self.selector(depth);
        let mut text = format!("(switch ({selector}) {{ ");
        let cases = self.rng.within(1, 3) as usize;
        let mut labels = labels.into_iter();
        for _ in 0..cases {
            let Some(first) = labels.next() else { break };
            let label = match labels.next() {
                Some(second) if self.rng.chance(40) => format!("{first}, {second}"),
                _ => first,
            };
            text += &format!("case {label} -> {}; ", self.expression(ty, depth));
        }
        if self.rng.chance(30) {
            // javac does not parse everything that may follow `yield (`.
            let (name, value) = (self.fresh("y"), self.expression(ty, depth));
            text += &format!("default -> {{ {} {name} = {value}; yield {name}; }} }})", ty.name());
        } else {
            text += &format!("default -> {}; }})", self.expression(ty, depth));
        }
        // If all arms are the same constant, javac 17 treats what the condition guards as dead code, and generates a
        // class that does not verify if it contains a switch. It does not treat the operand of a cast as such a
        // condition.
        if ty == Ty::Prim(Prim::Boolean) {
            return format!("((boolean) {text})");
        }
        standalone(ty, depth + 1, text)
    }

    /// A switch selector and distinct labels that it often matches.
    pub fn selector(&mut self, depth: usize) -> (String, Vec<String>) {
        let (selector, mut labels): (String, Vec<String>) = match self.rng.below(5) {
            0 if self.language.topics.strings => {
                let labels = ["\"\"", "\"a\"", "\"abc\"", "\"Aa\"", "\"BB\"", "\"42\"", "\"äöü\""];
                (self.text(depth), labels.map(String::from).into())
            }
            1 => {
                let labels = ["'a'", "'b'", "'\\0'", "'é'", "'\\uffff'", "98 + 1"];
                (self.prim(Prim::Char, depth), labels.map(String::from).into())
            }
            2 => {
                let labels = ["0", "1", "-1", "100", "-128", "127", "'a'"];
                (self.prim(Prim::Byte, depth), labels.map(String::from).into())
            }
            3 => {
                let labels = ["0", "1", "-1", "1000000", "Integer.MIN_VALUE", "Integer.MAX_VALUE", "32"];
                (self.int(depth), labels.map(String::from).into())
            }
            _ => (format!("({} & 7)", self.int(depth)), (0..8).map(|label: i32| label.to_string()).collect()),
        };
        self.rng.shuffle(&mut labels);
        (selector, labels)
    }
}

/// Keeps javac from checking `text`, a conditional or a switch, against each overload of the method of which it may
/// be an argument. If such expressions nest, that takes exponential time.
fn standalone(ty: Ty, depth: usize, text: String) -> String {
    if depth < 2 { text } else { format!("(({}) {text})", ty.name()) }
}
