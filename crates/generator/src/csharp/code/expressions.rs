//! Generates expressions.

use super::{Code, Prim, Ty};

/// Methods without side effects: the result, the name, the types of the parameters.
const CALLS: [(Prim, &str, &[Prim]); 38] = [
    (Prim::Int, "Math.Abs", &[Prim::Int]),
    (Prim::Int, "Math.Max", &[Prim::Int, Prim::Int]),
    (Prim::Int, "Math.Min", &[Prim::Int, Prim::Int]),
    (Prim::Int, "Math.Sign", &[Prim::Int]),
    (Prim::Int, "Math.Sign", &[Prim::Long]),
    (Prim::Int, "int.Clamp", &[Prim::Int, Prim::Short, Prim::Int]),
    (Prim::Int, "System.Numerics.BitOperations.PopCount", &[Prim::UInt]),
    (Prim::Int, "System.Numerics.BitOperations.PopCount", &[Prim::ULong]),
    (Prim::Int, "System.Numerics.BitOperations.LeadingZeroCount", &[Prim::UInt]),
    (Prim::Int, "System.Numerics.BitOperations.TrailingZeroCount", &[Prim::Int]),
    (Prim::Int, "System.Numerics.BitOperations.Log2", &[Prim::ULong]),
    (Prim::Int, "int.RotateLeft", &[Prim::Int, Prim::Int]),
    (Prim::UInt, "Math.Max", &[Prim::UInt, Prim::UInt]),
    (Prim::UInt, "System.Numerics.BitOperations.RotateLeft", &[Prim::UInt, Prim::Int]),
    (Prim::UInt, "System.Numerics.BitOperations.RoundUpToPowerOf2", &[Prim::UInt]),
    (Prim::Long, "Math.Abs", &[Prim::Long]),
    (Prim::Long, "Math.Max", &[Prim::Long, Prim::Int]),
    (Prim::Long, "Math.Min", &[Prim::UInt, Prim::Long]),
    (Prim::Long, "Math.BigMul", &[Prim::Int, Prim::Int]),
    (Prim::ULong, "Math.Min", &[Prim::ULong, Prim::ULong]),
    (Prim::ULong, "System.Numerics.BitOperations.RotateRight", &[Prim::ULong, Prim::Int]),
    (Prim::SByte, "Math.Max", &[Prim::SByte, Prim::SByte]),
    (Prim::Byte, "Math.Min", &[Prim::Byte, Prim::Byte]),
    (Prim::Short, "Math.Abs", &[Prim::Short]),
    (Prim::Bool, "int.IsPow2", &[Prim::Int]),
    (Prim::Bool, "char.IsAsciiDigit", &[Prim::Char]),
    (Prim::Bool, "char.IsWhiteSpace", &[Prim::Char]),
    (Prim::Bool, "double.IsNaN", &[Prim::Double]),
    (Prim::Bool, "float.IsInfinity", &[Prim::Float]),
    (Prim::Float, "Math.Abs", &[Prim::Float]),
    (Prim::Float, "Math.Max", &[Prim::Float, Prim::Float]),
    (Prim::Float, "MathF.Floor", &[Prim::Float]),
    (Prim::Double, "Math.Min", &[Prim::Double, Prim::Double]),
    (Prim::Double, "Math.Sqrt", &[Prim::Double]),
    (Prim::Double, "Math.Floor", &[Prim::Double]),
    (Prim::Double, "Math.Ceiling", &[Prim::Double]),
    (Prim::Double, "Math.Truncate", &[Prim::Double]),
    (Prim::Double, "Math.Round", &[Prim::Double]),
];

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

impl Code {
    /// An index that is nearly always inside of arrays.
    fn index(&mut self, depth: usize) -> String {
        match self.rng.below(20) {
            0 => self.int(depth),
            1..8 => format!("({} & 3)", self.int(depth)),
            8 => format!("^{}", self.rng.within(1, 4)),
            _ => self.rng.below(4).to_string(),
        }
    }

    /// An expression whose value must not be known to the compiler, as in a division.
    fn unknown(&mut self, prim: Prim, depth: usize) -> String {
        format!("Log.K({})", self.prim(prim, depth))
    }

    fn leaf(&mut self, prim: Prim) -> String {
        if self.rng.chance(20) {
            return self.literal(prim);
        }
        if let Some(name) = self.variable(Ty::Prim(prim), |_| true) {
            return name;
        }
        // The compiler would fold constants: a variable of another type is better.
        let other = self.numeric();
        match self.variable(Ty::Prim(other), |_| true) {
            Some(name) if prim == Prim::Bool => {
                let literal = self.literal(other);
                format!("({name} {} {literal})", self.rng.pick(&COMPARISONS))
            }
            Some(name) if castable(other, prim) => self.in_context(|_| format!("({}) {name}", prim.name())),
            _ => self.literal(prim),
        }
    }

    /// An operation that may overflow, in a context that says what then happens.
    fn in_context(&mut self, make: impl FnOnce(&mut Self) -> String) -> String {
        let outer = self.language.checked;
        if outer && self.rng.chance(60) {
            return format!("({})", make(self));
        }
        self.language.checked = outer || self.rng.chance(12);
        let is_checked = self.language.checked && (!outer || self.rng.chance(50));
        let text = make(self);
        self.language.checked = outer;
        format!("{}({text})", if is_checked { "checked" } else { "unchecked" })
    }

    pub fn prim(&mut self, prim: Prim, depth: usize) -> String {
        if depth == 0 || self.rng.chance(12) {
            return self.leaf(prim);
        }
        let d = depth - 1;
        // A case that does not apply falls through to the cases of the specific type.
        match self.rng.below(26) {
            0 => return format!("({} ? {} : {})", self.condition(d), self.prim(prim, d), self.prim(prim, d)),
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
            6 => {
                return match self.rng.below(3) {
                    0 => format!("({} ?? {})", self.nullable(prim, d), self.prim(prim, d)),
                    1 => format!("({}).GetValueOrDefault()", self.nullable(prim, d)),
                    _ => format!("({}).GetValueOrDefault({})", self.nullable(prim, d), self.prim(prim, d)),
                };
            }
            7 => return self.switch_expression(Ty::Prim(prim), d),
            8 => {
                let (object, name) = (self.object(d), self.fresh("t"));
                return format!("({object} is {} {name} ? {name} : {})", prim.name(), self.prim(prim, d));
            }
            9 | 10 => {
                let calls: Vec<_> = CALLS.iter().filter(|call| call.0 == prim).collect();
                if !calls.is_empty() {
                    let (_, name, params) = *self.rng.pick(&calls);
                    if self.language.floats || params.iter().all(|param| param.is_integral()) {
                        let arguments: Vec<String> = params.iter().map(|&param| self.prim(param, d)).collect();
                        return format!("{name}({})", arguments.join(", "));
                    }
                }
            }
            11 => {
                let ty = Ty::Prim(self.any_prim());
                let argument = self.expression(ty, d);
                let (x, body) = self.in_lambda(ty, |code| code.prim(prim, d));
                let types = format!("{}, {}", ty.name(), prim.name());
                return format!("((Func<{types}>) ({x} => {body}))({argument})");
            }
            _ => {}
        }
        match prim {
            Prim::Bool => self.boolean(d),
            Prim::Char if self.rng.chance(25) => {
                let padding = if self.rng.chance(90) { " + \"..\"" } else { "" };
                format!("({}{padding})[{}]", self.text(d), self.rng.below(2))
            }
            Prim::Int if self.rng.chance(15) => self.int_of_other(d),
            _ if !prim.has_operators() => self.cast(prim, d),
            _ => match self.rng.below(10) {
                0 | 1 => self.cast(prim, d),
                2 if prim != Prim::ULong && prim != Prim::UInt => {
                    self.in_context(|code| format!("- {}", code.prim(prim, d)))
                }
                3 if prim.is_integral() => format!("(~ {})", self.prim(prim, d)),
                _ => self.arithmetic(prim, d),
            },
        }
    }

    fn cast(&mut self, to: Prim, depth: usize) -> String {
        let from = self.prim_where(|from| castable(from, to));
        // A constant decimal or float may be outside of the type, and there is no context for constant decimals.
        self.in_context(|code| match from {
            _ if from.is_integral() && to != Prim::Decimal => format!("({}) {}", to.name(), code.prim(from, depth)),
            _ => format!("({}) {}", to.name(), code.unknown(from, depth)),
        })
    }

    /// An `int` that is computed from values of other types.
    fn int_of_other(&mut self, depth: usize) -> String {
        match self.rng.below(8) {
            0 => format!("{}.Length", self.text(depth)),
            1 => format!("{}.IndexOf({})", self.text(depth), self.prim(Prim::Char, depth)),
            2 => format!("Math.Sign(string.CompareOrdinal({}, {}))", self.text(depth), self.text(depth)),
            3 => {
                let prim = self.any_prim();
                format!("{}.CompareTo({})", self.prim(prim, depth), self.prim(prim, depth))
            }
            4 => {
                let prim = self.prim_where(Prim::is_integral);
                format!("{}.GetHashCode()", self.prim(prim, depth))
            }
            5 => {
                let prim = self.any_prim();
                let array = self.array(prim, 0);
                format!("Array.IndexOf({array}, {})", self.prim(prim, depth))
            }
            _ => {
                let prim = self.any_prim();
                format!("{}.Length", self.array(prim, 0))
            }
        }
    }

    fn arithmetic(&mut self, prim: Prim, depth: usize) -> String {
        self.in_context(|code| {
            let other = code.prim_where(|other| other.widens_to(prim));
            let (mut left, mut right) = (prim, other);
            if prim == Prim::Int && code.rng.chance(50) {
                left = code.prim_where(|left| left.widens_to(prim));
            } else if code.rng.chance(50) {
                (left, right) = (right, left);
            }
            let operators: &[&str] = match prim {
                Prim::Decimal => &["+", "-", "*", "%", "+", "-"],
                _ if prim.is_floating() => &["+", "-", "*", "/", "%"],
                _ => &["+", "-", "*", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"],
            };
            let operator = *code.rng.pick(operators);
            if operator.len() > 1 {
                return format!("{} {operator} {}", code.prim(prim, depth), code.prim(Prim::Int, depth));
            }
            let left = code.prim(left, depth);
            format!("{left} {operator} {}", code.divisor(operator, right, depth))
        })
    }

    /// The right operand of an operator. A divisor is rarely zero, because an exception skips the rest of a part.
    fn divisor(&mut self, operator: &str, prim: Prim, depth: usize) -> String {
        if !"/%".contains(operator) || prim.is_floating() {
            return self.prim(prim, depth);
        }
        let right = self.unknown(prim, depth);
        match prim.is_integral() && self.rng.chance(95) {
            true if prim.has_operators() => format!("({right} | 1)"),
            true => format!("unchecked(({}) ({right} | 1))", prim.name()),
            false => right,
        }
    }

    fn boolean(&mut self, depth: usize) -> String {
        match self.rng.below(16) {
            0 => format!("!{}", self.condition(depth)),
            1 | 2 => format!("({} && {})", self.condition(depth), self.condition(depth)),
            3 | 4 => format!("({} || {})", self.condition(depth), self.condition(depth)),
            5 => {
                let operator = *self.rng.pick(&["&", "|", "^", "==", "!="]);
                format!("({} {operator} {})", self.condition(depth), self.condition(depth))
            }
            6 => {
                let prim = self.numeric();
                let (left, right) = (self.nullable(prim, depth), self.nullable(prim, depth));
                format!("({left} {} {right})", self.rng.pick(&COMPARISONS))
            }
            7 => {
                let (left, right) = (self.text(depth), self.text(depth));
                match self.rng.below(5) {
                    0 => format!("({left} == {right})"),
                    1 => format!("({left} != {right})"),
                    2 => format!("{left}.Contains({right})"),
                    3 => format!("{left}.StartsWith({right}, StringComparison.Ordinal)"),
                    _ => format!("{left}.EndsWith({right}, StringComparison.Ordinal)"),
                }
            }
            8 => {
                let prim = self.any_prim();
                format!("({}).HasValue", self.nullable(prim, depth))
            }
            9 => {
                let object = self.object(depth);
                match self.rng.below(5) {
                    0 => format!("({object} is null)"),
                    1 => format!("({object} is string)"),
                    2 => format!("({object} is int and > {})", self.rng.within(-5, 5)),
                    3 => format!("object.Equals({object}, {})", self.object(depth)),
                    _ => format!("({object} is not {})", self.any_prim().name()),
                }
            }
            10 => {
                let prim = self.prim_where(|prim| prim.is_integral() && prim != Prim::Char);
                let (low, high) = (self.rng.within(0, 8), self.rng.within(10, 120));
                let pattern = match self.rng.below(4) {
                    0 => format!("> {low} and < {high}"),
                    1 => format!("{low} or {high}"),
                    2 => format!("not {low}"),
                    _ => format!("<= {low} or >= {high}"),
                };
                format!("({} is {pattern})", self.unknown(prim, depth))
            }
            _ => {
                let prim = self.prim_where(Prim::has_operators);
                let other = self.prim_where(|other| other.widens_to(prim));
                let (left, right) = (self.prim(prim, depth), self.prim(other, depth));
                format!("({left} {} {right})", self.rng.pick(&COMPARISONS))
            }
        }
    }

    pub fn nullable(&mut self, prim: Prim, depth: usize) -> String {
        let name = prim.name();
        if depth == 0 || self.rng.chance(25) {
            if let Some(variable) = self.variable(Ty::Nullable(prim), |_| true) {
                return variable;
            }
            return match self.rng.below(3) {
                0 => format!("(({name}?) null)"),
                _ => format!("(({name}?) {})", self.leaf(prim)),
            };
        }
        let d = depth - 1;
        match self.rng.below(6) {
            0 => format!("({} ? {} : null)", self.condition(d), self.nullable(prim, d)),
            1 if prim.has_operators() => {
                let operator = self.rng.pick::<&str>(&["+", "-", "*"]).to_string();
                self.in_context(|code| format!("{} {operator} {}", code.nullable(prim, d), code.nullable(prim, d)))
            }
            2 => format!("({} as {name}?)", self.object(d)),
            3 if self.effects => match self.assignment(Ty::Nullable(prim), d) {
                Some(text) => format!("({text})"),
                None => self.nullable(prim, 0),
            },
            4 if prim == Prim::Bool => {
                let operator = *self.rng.pick(&["&", "|", "^"]);
                format!("({} {operator} {})", self.nullable(prim, d), self.nullable(prim, d))
            }
            _ => format!("(({name}?) {})", self.prim(prim, d)),
        }
    }

    pub fn object(&mut self, depth: usize) -> String {
        if (depth == 0 || self.rng.chance(30))
            && let Some(variable) = self.variable(Ty::Object, |_| true)
        {
            return variable;
        }
        match self.rng.below(6) {
            0 => "((object) null)".into(),
            1 => format!("((object) {})", self.text(depth / 2)),
            2 => {
                let prim = self.any_prim();
                format!("((object) {})", self.nullable(prim, depth / 2))
            }
            _ => {
                let prim = self.any_prim();
                format!("((object) {})", self.prim(prim, depth / 2))
            }
        }
    }

    pub fn text(&mut self, depth: usize) -> String {
        if depth == 0 || self.rng.chance(25) {
            if self.rng.chance(60)
                && let Some(variable) = self.variable(Ty::Text, |_| true)
            {
                return variable;
            }
            return self.text_literal();
        }
        let d = depth - 1;
        let shown = |code: &mut Self| match code.rng.below(3) {
            0 => code.text(d),
            1 => {
                let prim = code.any_prim();
                code.nullable(prim, d)
            }
            _ => {
                let prim = code.any_prim();
                code.prim(prim, d)
            }
        };
        match self.rng.below(12) {
            0 | 1 => format!("({} + {})", self.text(d), shown(self)),
            2 => format!("$\"{{({})}}:{{({})}}\"", self.text(0), shown(self)),
            3 => format!("Log.Cut({}).ToUpperInvariant()", self.ascii()),
            4 => format!("{}.Trim()", self.text(d)),
            5 => format!("{}.Replace('a', {})", self.text(d), self.prim(Prim::Char, d)),
            6 => format!("{}.Substring({})", self.text(d), self.rng.below(3)),
            7 => format!("{}.PadLeft({}, '*')", self.text(d), self.rng.below(8)),
            8 => format!("string.Concat({}, {}, {})", self.text(d), self.text(d), self.text(d)),
            9 => format!("({} ? {} : {})", self.condition(d), self.text(d), self.text(d)),
            10 => self.call(Ty::Text, d).unwrap_or_else(|| self.text_literal()),
            _ => {
                let prim = self.prim_where(|prim| prim != Prim::Bool);
                format!("{}.ToString()", self.unknown(prim, d))
            }
        }
    }

    /// A string of ASCII characters.
    fn ascii(&mut self) -> &'static str {
        self.rng.pick::<&str>(&["\"abc\"", "\"Hello, World\"", "\"\"", "\"x1y2\"", "\"ZZtop\""])
    }

    pub fn array(&mut self, prim: Prim, depth: usize) -> String {
        if self.rng.chance(60)
            && let Some(variable) = self.variable(Ty::Array(prim), |_| true)
        {
            return variable;
        }
        let elements: Vec<String> =
            (0..4 + self.rng.below(2)).map(|_| self.prim(prim, depth.saturating_sub(1))).collect();
        match self.rng.below(8) {
            0 => format!("(new {}[{}])", prim.name(), self.rng.within(4, 6)),
            _ => format!("(new {}[] {{ {} }})", prim.name(), elements.join(", ")),
        }
    }

    /// An assignment to a variable or element of the type, without parentheses.
    pub fn assignment(&mut self, ty: Ty, depth: usize) -> Option<String> {
        let element = match ty {
            Ty::Prim(prim) if self.rng.chance(30) => self.variable(Ty::Array(prim), |_| true),
            _ => None,
        };
        let target = match element {
            Some(array) => format!("{array}[{}]", self.index(0)),
            None => self.variable(ty, |var| var.writable)?,
        };
        Some(match ty {
            Ty::Prim(prim) if prim.is_numeric() && self.rng.chance(50) => match self.rng.below(8) {
                0 => format!("{target}{}", self.rng.pick(&["++", "--"])),
                1 => format!("{}{target}", self.rng.pick(&["++", "--"])),
                2 if prim.is_integral() => {
                    let operator = *self.rng.pick(&["<<=", ">>=", ">>>="]);
                    format!("{target} {operator} {}", self.int(depth))
                }
                3 if prim.is_integral() => {
                    let operator = *self.rng.pick(&["&=", "|=", "^="]);
                    format!("{target} {operator} {}", self.prim(prim, depth))
                }
                4 => {
                    let operator = if prim == Prim::Decimal { "%=" } else { *self.rng.pick(&["/=", "%="]) };
                    format!("{target} {operator} {}", self.unknown(prim, depth))
                }
                _ => {
                    let operator = *self.rng.pick(&["+=", "-=", "*="]);
                    format!("{target} {operator} {}", self.prim(prim, depth))
                }
            },
            Ty::Nullable(_) if self.rng.chance(30) => format!("{target} ??= {}", self.expression(ty, depth)),
            Ty::Text => format!("{target} = Log.Cut({})", self.text(depth)),
            _ => format!("{target} = {}", self.expression(ty, depth)),
        })
    }

    pub fn switch_expression(&mut self, ty: Ty, depth: usize) -> String {
        let (selector, labels) = self.selector(depth);
        let mut text = format!("({selector} switch {{ ");
        for label in labels {
            text += &format!("{label} => {}, ", self.expression(ty, depth));
        }
        if self.rng.chance(95) {
            text += &format!("_ => {} ", self.expression(ty, depth));
        }
        text + "})"
    }

    /// A value to switch over, and some patterns none of which makes a later one superfluous.
    pub fn selector(&mut self, depth: usize) -> (String, Vec<String>) {
        let (selector, mut labels): (String, Vec<String>) = match self.rng.below(5) {
            0 => {
                let labels = ["\"\"", "\"a\"", "\"abc\"", "\"42\"", "\"Abc\"", "\"aaa\"", "{ Length: 9 }"];
                (self.text(depth), labels.map(String::from).into())
            }
            1 => {
                let labels = ["'a'", "'b'", "'\\0'", "'\\uffff'", ">= '0' and <= '9'", "> 'w' and < '}'"];
                (self.prim(Prim::Char, depth), labels.map(String::from).into())
            }
            2 => {
                let labels =
                    ["null", "string", "int and < 10", "bool", "char", "double", "long and not 3", "byte", "uint"];
                (self.object(depth), labels.map(String::from).into())
            }
            3 => {
                let prim = self.prim_where(|prim| prim.is_integral() && prim != Prim::Char);
                let labels = ["0", "1", "2", "100", "127", ">= 3 and <= 6", "> 20 and < 30"];
                (self.unknown(prim, depth), labels.map(String::from).into())
            }
            _ => (format!("({} & 7)", self.int(depth)), (0..8).map(|label: i32| label.to_string()).collect()),
        };
        self.rng.shuffle(&mut labels);
        labels.truncate(1 + self.rng.below(5));
        (selector, labels)
    }
}

/// Whether there is a cast that aback supports and whose result C# defines.
fn castable(from: Prim, to: Prim) -> bool {
    from.is_numeric()
        && to.is_numeric()
        && !(from.is_floating() && to == Prim::Decimal)
        && !(from == Prim::Decimal && to.is_floating())
}
