//! Names the simplification rules, so that they can be listed, counted and disabled.
//!
//! The normal forms are not rules and are not in this table: sums are linear combinations, operands of commutative
//! operators are in order, and integers are compared with zero (see [`crate::Node`]).

macro_rules! rules {
    ($($name:ident = $text:literal: $doc:literal;)*) => {
        /// A simplification that [`crate::Pool`]'s constructors apply.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Rule {
            $(#[doc = $doc] $name,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Rule] = &[$(Rule::$name,)*];

            /// The name of the rule in statistics.
            pub fn name(self) -> &'static str {
                match self { $(Rule::$name => $text,)* }
            }

            /// A description of the rule.
            pub fn describe(self) -> &'static str {
                match self { $(Rule::$name => $doc,)* }
            }
        }
    };
}

rules! {
    NotConst = "not-const": "`!true` is `false`, `!false` is `true`";
    NotNot = "not-not": "`!!a` is `a`";
    NotLe = "not-le": "`!(a <= 0)` is `1 - a <= 0` on integers";
    AndFlatten = "and-flatten": "`a && (b && c)` is one conjunction";
    AndUnit = "and-unit": "`a && true` is `a`, `a && false` is `false`, `a && a` is `a`";
    AndContradiction = "and-contradiction": "`a && !a` is `false`";
    OrFlatten = "or-flatten": "`a || (b || c)` is one disjunction";
    OrUnit = "or-unit": "`a || false` is `a`, `a || true` is `true`, `a || a` is `a`";
    OrTautology = "or-tautology": "`a || !a` is `true`";
    IteConst = "ite-const": "`ite(true, a, b)` is `a`, `ite(false, a, b)` is `b`";
    IteSame = "ite-same": "`ite(c, a, a)` is `a`";
    IteNot = "ite-not": "`ite(!c, a, b)` is `ite(c, b, a)`";
    IteBool = "ite-bool": "an `ite` of truth values with a constant branch is a conjunction or disjunction";
    IteNested = "ite-nested": "`ite(c, ite(c, a, b), d)` is `ite(c, a, d)`, and the mirror case";
    EqSame = "eq-same": "`a = a` is `true`";
    EqConst = "eq-const": "equality of two constants is decided";
    EqBv = "eq-bv": "`a + c = d` on bit-vectors with constants `c` and `d` is `a = d - c`";
    EqCommon = "eq-common": "`a + b = a + c` is `b = c`, `a + b = a` is `b = 0`, and `a * k = b * k` with an odd constant `k` is `a = b` on \
        bit-vectors";
    EqBool = "eq-bool": "`a = true` is `a`, `a = false` is `!a`, `a = !a` is `false`";
    CompareConst = "compare-const": "comparison of a constant with zero is decided";
    CompareGcd = "compare-gcd": "a common divisor of all factors is divided out; the constant is rounded, or the equality fails";
    CompareIte = "compare-ite": "a comparison of `ite(c, k, a)` with a constant `k` is an `ite` of comparisons; so is an equality of two such \
        terms";
    CompareBv = "compare-bv": "a comparison of a bit-vector's value with a constant, or with another bit-vector's value, is a comparison of \
        bit-vectors";
    MulDistribute = "mul-distribute": "products of small sums are multiplied out";
    DivConst = "div-const": "a quotient of constants is computed; a quotient by 1 is the dividend, and by -1 its negation";
    ModConst = "mod-const": "a remainder of constants is computed; a remainder by 1 or -1 is zero";
    BvConst = "bv-const": "an operator on constant bit-vectors is computed";
    BvUnit = "bv-unit": "bit-vector operators with neutral or absorbing operands are simplified";
    BvSame = "bv-same": "bit-vector operators on equal operands are simplified: `a & a`, `a | a`, `a ^ a`, `a < a` and others";
    BvAddConst = "bv-add-const": "`(a + k) + l` is `a + (k + l)` on bit-vectors";
    BvDivRem = "bv-div-rem": "`(a / b) * b + a % b` is `a`, and `a - (a / b) * b` is `a % b` on bit-vectors";
    BvNegNeg = "bv-neg-neg": "`--a` and `~~a` are `a`";
    BvExtract = "bv-extract": "an extraction of all bits, of an extraction, within one part of an extension or concatenation, or of the \
        lowest bits of `a + k` is simplified";
    BvIte = "bv-ite": "an operator on an `ite` of constant bit-vectors, and perhaps a constant, is an `ite` of constants; a comparison or an \
        equality of `ite(c, k, a)` and a constant is an `ite` of comparisons";
    BvHalves = "bv-halves": "the parts of a bit-vector that are put together are the vector, a comparison of its upper part is one of the \
        vector, and a shift of all bits out of an extension by zeros gives 0";
    BvSign = "bv-sign": "`(a ^ b) < 0` is `(a < 0) != (b < 0)`, and other bitwise operators have the signs of their operands in the same way";
    BvExtend = "bv-extend": "an extension by no bits, or of an extension of the same kind, is simplified";
    FloatConst = "float-const": "an operator on constant floats is computed";
    FloatNegNeg = "float-neg-neg": "`--a` is `a` on floats";
    FloatUnaryTwice = "float-unary-twice": "a repeated absolute value, or a repeated rounding of a float, is dropped";
    FloatIntegral = "float-integral": "a rounding to an integer of a float that is one is dropped";
    FloatNan = "float-nan": "a converted integer is no NaN; a float is NaN after a rounding to an integer, a change of its sign, or a conversion \
        to another format if and only if it was before";
    FloatAbsSign = "float-abs-sign": "an absolute value that is no NaN is at least 0, and none is below";
    FloatSame = "float-same": "a comparison of a float with itself asks whether it is NaN, or is false";
    FloatAbsNeg = "float-abs-neg": "the absolute value of `-a` is that of `a`";
    ConvertConst = "convert-const": "conversion of a constant is computed";
    ConvertBack = "convert-back": "a conversion that undoes another one is dropped; a sum of converted bit-vectors is a sum of bit-vectors";
    SelectStore = "select-store": "a read over a write is resolved if the indices are provably equal or provably different";
    SelectConst = "select-const": "a read of a constant array is its value";
    StoreStore = "store-store": "a write over a write at the same index replaces it";
    QuantifiedConst = "quantified-const": "a quantifier over a constant, or over an empty range, is decided";
    QuantifiedUnfold = "quantified-unfold": "a quantifier over a short constant range is a conjunction or disjunction";
}
