//! Compares expressions and integer division with Rust's own arithmetic.

use crate::world::*;
use aback_ir::*;
use aback_witness::{InputValue, MAX_INT_BITS, Outcome, Value};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use proptest::prelude::*;

/// The value of an expression over two parameters.
fn eval(ty: Type, x: InputValue, y: InputValue, build: impl FnOnce(&mut Code, ExprId, ExprId) -> ExprId) -> Outcome {
    let mut code = Code::new();
    let (_, px) = code.param(ty);
    let (_, py) = code.param(ty);
    let value = build(&mut code, px, py);
    World::new().run(code.ret(value), vec![x, y])
}

fn check(ty: Type, op: BinaryOp, x: i128, y: i128, expected: i128) {
    let found = eval(ty, int(x), int(y), |c, x, y| c.binary(op, ty, x, y));
    assert_eq!(found, returned_int(expected), "{x} {op:?} {y} at {ty:?}");
}

fn check_unary(ty: Type, op: UnaryOp, x: i128, expected: i128) {
    let found = eval(ty, int(x), int(0), |c, x, _| c.unary(op, ty, x));
    assert_eq!(found, returned_int(expected), "{op:?} {x} at {ty:?}");
}

fn check_divide(ty: Type, op: DivideOp, x: i128, y: i128, expected: i128) {
    let found =
        eval(ty, int(x), int(y), |c, dividend, divisor| c.set(ty, |dst| OpKind::Divide { dst, op, dividend, divisor }));
    assert_eq!(found, returned_int(expected), "{x} {op:?} {y} at {ty:?}");
}

fn check_convert(from: Type, x: InputValue, to: Type, expected: Value) {
    let shown = format!("{x:?} from {from:?} to {to:?}");
    let mut code = Code::new();
    let (_, px) = code.param(from);
    let value = code.convert(from, to, px);
    assert_eq!(World::new().run(code.ret(value), vec![x]), returned(expected), "{shown}");
}

fn range(ty: Type) -> (i128, i128) {
    match ty {
        Type::Machine { width, signed: true } => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        Type::Machine { width, .. } => (0, (1 << width) - 1),
        _ => panic!("no machine type"),
    }
}

/// The number in the range of `ty` that equals `x` modulo 2^width, found without shifts.
fn oracle_wrap(ty: Type, x: &BigInt) -> i128 {
    let (min, max) = range(ty);
    let modulus = BigInt::from(max - min + 1);
    let (min, max) = (BigInt::from(min), BigInt::from(max));
    let mut rest = x % &modulus;
    if rest < min {
        rest += &modulus;
    }
    if rest > max {
        rest -= &modulus;
    }
    rest.to_i128().unwrap()
}

#[test]
fn machine_integers_wrap_at_every_width() {
    for ty in MACHINE {
        let (min, max) = range(ty);
        check(ty, BinaryOp::Add, max, 1, min);
        check(ty, BinaryOp::Sub, min, 1, max);
        check(ty, BinaryOp::Mul, max, max, 1);
        check_unary(ty, UnaryOp::BitNot, min, max);
        check_unary(ty, UnaryOp::Neg, min, min);
        check_divide(ty, DivideOp::Div, max, 2, max / 2);
        if min < 0 {
            check_divide(ty, DivideOp::Div, min, -1, min);
            check_divide(ty, DivideOp::Rem, min, -1, 0);
            check_divide(ty, DivideOp::Div, -7, 2, -3);
            check_divide(ty, DivideOp::Rem, -7, 2, -1);
            check_divide(ty, DivideOp::Rem, 7, -2, 1);
        }
    }
}

#[test]
fn bits_and_shifts() {
    use BinaryOp::*;
    check(I8, And, -1, 0x55, 0x55);
    check(I8, Or, -128, 1, -127);
    check(I8, Xor, -1, 1, -2);
    check(I32, Shl, 1, 31, i32::MIN.into());
    check(I32, Shl, 1, 33, 2);
    check(I32, Shl, 1, -1, i32::MIN.into());
    check(I32, ShrSigned, -8, 1, -4);
    check(I32, ShrSigned, -8, 32, -8);
    check(I32, ShrUnsigned, -1, 28, 15);
    check(I64, ShrUnsigned, -1, 0, -1);
    check(I64, ShrUnsigned, i64::MIN.into(), 63, 1);
    check(U64, Shl, u64::MAX.into(), 63, 1 << 63);
    check(U64, ShrUnsigned, u64::MAX.into(), 60, 15);
    check(U64, ShrSigned, u64::MAX.into(), 60, u64::MAX.into());
    check(I8, Shl, 1, 8, 1);
    check(I8, ShrUnsigned, -1, 4, 15);
}

#[test]
fn the_distance_of_a_shift_may_be_of_another_type() {
    let mut code = Code::new();
    let (_, x) = code.param(I64);
    let (_, distance) = code.param(I32);
    let value = code.binary(BinaryOp::Shl, I64, x, distance);
    assert_eq!(World::new().run(code.ret(value), vec![int(1), int(65)]), returned_int(2));
}

#[test]
fn truth_values() {
    for x in [false, true] {
        for y in [false, true] {
            for (op, expected) in [
                (BinaryOp::And, x & y),
                (BinaryOp::Or, x | y),
                (BinaryOp::Xor, x ^ y),
                (BinaryOp::Eq, x == y),
                (BinaryOp::Ne, x != y),
            ] {
                let found = eval(Type::Bool, InputValue::Bool(x), InputValue::Bool(y), |c, x, y| {
                    c.binary(op, Type::Bool, x, y)
                });
                assert_eq!(found, returned_bool(expected), "{x} {op:?} {y}");
            }
        }
        let not =
            eval(Type::Bool, InputValue::Bool(x), InputValue::Bool(x), |c, x, _| c.unary(UnaryOp::Not, Type::Bool, x));
        assert_eq!(not, returned_bool(!x));
    }
}

const INTERESTING: [f64; 17] = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    2.5,
    0.1,
    1e10,
    -1e10,
    1e300,
    -1e300,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    9_007_199_254_740_993.0,
];

const COMPARISONS: [BinaryOp; 6] = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];
const FLOAT_OPS: [BinaryOp; 5] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::FloatDiv, BinaryOp::FloatRem];

fn oracle_compare<T: PartialOrd>(op: BinaryOp, x: T, y: T) -> bool {
    match op {
        BinaryOp::Eq => x == y,
        BinaryOp::Ne => x != y,
        BinaryOp::Lt => x < y,
        BinaryOp::Le => x <= y,
        BinaryOp::Gt => x > y,
        BinaryOp::Ge => x >= y,
        _ => panic!("no comparison"),
    }
}

#[test]
fn floats_are_ieee() {
    for x in INTERESTING {
        for y in INTERESTING {
            for op in FLOAT_OPS {
                let oracle = match op {
                    BinaryOp::Add => (x + y, x as f32 + y as f32),
                    BinaryOp::Sub => (x - y, x as f32 - y as f32),
                    BinaryOp::Mul => (x * y, x as f32 * y as f32),
                    BinaryOp::FloatDiv => (x / y, x as f32 / y as f32),
                    _ => (x % y, x as f32 % y as f32),
                };
                match eval(Type::F64, InputValue::F64(x.to_bits()), InputValue::F64(y.to_bits()), |c, x, y| {
                    c.binary(op, Type::F64, x, y)
                }) {
                    Outcome::Returned(Some(Value::F64(bits))) => {
                        let found = f64::from_bits(bits);
                        assert!(
                            bits == oracle.0.to_bits() || found.is_nan() && oracle.0.is_nan(),
                            "{x} {op:?} {y} = {found}"
                        );
                    }
                    other => panic!("{other:?}"),
                }
                match eval(
                    Type::F32,
                    InputValue::F32((x as f32).to_bits()),
                    InputValue::F32((y as f32).to_bits()),
                    |c, x, y| c.binary(op, Type::F32, x, y),
                ) {
                    Outcome::Returned(Some(Value::F32(bits))) => {
                        let found = f32::from_bits(bits);
                        assert!(
                            bits == oracle.1.to_bits() || found.is_nan() && oracle.1.is_nan(),
                            "{x} {op:?} {y} = {found}"
                        );
                    }
                    other => panic!("{other:?}"),
                }
            }
            for op in COMPARISONS {
                let found = eval(Type::F64, InputValue::F64(x.to_bits()), InputValue::F64(y.to_bits()), |c, x, y| {
                    c.binary(op, Type::F64, x, y)
                });
                assert_eq!(found, returned_bool(oracle_compare(op, x, y)), "{x} {op:?} {y}");
            }
        }
    }
}

#[test]
fn negating_a_float_flips_its_sign_alone() {
    for x in INTERESTING {
        let found = eval(Type::F64, InputValue::F64(x.to_bits()), InputValue::F64(0), |c, x, _| {
            c.unary(UnaryOp::Neg, Type::F64, x)
        });
        assert_eq!(found, returned(Value::F64(x.to_bits() ^ (1 << 63))), "{x}");
    }
}

#[test]
fn floats_to_integers_saturate_as_in_java() {
    let to_int = |x: f64, to, expected: i128| {
        check_convert(Type::F64, InputValue::F64(x.to_bits()), to, Value::Int(expected.into()));
    };
    for x in INTERESTING {
        to_int(x, I32, (x as i32).into());
        to_int(x, I64, (x as i64).into());
        to_int(x, U64, (x as u64).into());
        to_int(x, Type::Machine { width: 32, signed: false }, (x as u32).into());
        to_int(x, I8, (x as i32 as i8).into());
        to_int(x, Type::Machine { width: 16, signed: false }, (x as i32 as u16).into());
    }
    to_int(300.0, I8, 44);
    to_int(1e10, I8, -1);
    to_int(-2.9, INT, -2);
    to_int(f64::NAN, INT, 0);
    to_int(1e30, INT, 1_000_000_000_000_000_019_884_624_838_656);
    check_convert(Type::F32, InputValue::F32(f32::MAX.to_bits()), I32, Value::Int(i64::from(i32::MAX).into()));
}

#[test]
fn an_infinite_float_is_no_unbounded_integer() {
    let convert = |guarded: bool| {
        let mut code = Code::new();
        let (_, x) = code.param(Type::F64);
        let mut value = code.convert(Type::F64, INT, x);
        if guarded {
            let (zero, huge) = (code.int(INT, 0), code.body.add_expr(Expr::Const(Const::F64(1e300f64.to_bits()))));
            let finite = code.binary(BinaryOp::Lt, Type::F64, x, huge);
            value = code.body.add_expr(Expr::Select(finite, value, zero));
        }
        World::new().run(code.ret(value), vec![InputValue::F64(f64::INFINITY.to_bits())])
    };
    assert!(matches!(convert(false), Outcome::Unsupported { .. }));
    // The side of a conditional expression that is not taken does not matter.
    assert_eq!(convert(true), returned_int(0));
}

#[test]
fn conversions_between_integers_wrap_and_extend() {
    let value = |x: i128| Value::Int(x.into());
    check_convert(I32, int(-1), U64, value(u64::MAX.into()));
    check_convert(U64, int(u64::MAX), I32, value(-1));
    check_convert(I32, int(200), I8, value(-56));
    check_convert(I8, int(-1), Type::Machine { width: 16, signed: false }, value(0xffff));
    check_convert(I8, int(-1), INT, value(-1));
    check_convert(INT, int(BigInt::from(1) << 200), I64, value(0));
    check_convert(INT, int((BigInt::from(-1) << 200) - 1), I64, value(-1));
    check_convert(INT, int((BigInt::from(1) << 200) + 0xff), I8, value(-1));
}

#[test]
fn conversions_between_floats_round_to_even() {
    let f32 = |x: f32| Value::F32(x.to_bits());
    check_convert(Type::F64, InputValue::F64(0.1f64.to_bits()), Type::F32, f32(0.1f64 as f32));
    check_convert(Type::F64, InputValue::F64(1e300f64.to_bits()), Type::F32, f32(f32::INFINITY));
    check_convert(Type::F32, InputValue::F32(0.1f32.to_bits()), Type::F64, Value::F64(f64::from(0.1f32).to_bits()));
    check_convert(I32, int(16_777_217), Type::F32, f32(16_777_216.0));
    check_convert(I32, int(16_777_219), Type::F32, f32(16_777_220.0));
    check_convert(I64, int(i64::MAX), Type::F64, Value::F64((i64::MAX as f64).to_bits()));
}

#[test]
fn unbounded_integers_do_not_wrap() {
    let big = BigInt::from(i64::MAX) * BigInt::from(i64::MAX);
    check(INT, BinaryOp::Mul, i64::MAX.into(), i64::MAX.into(), big.to_i128().unwrap());
    check(INT, BinaryOp::Add, i64::MAX.into(), 1, 1 << 63);
    check(INT, BinaryOp::Sub, 1 << 63, 1, i64::MAX.into());
    check_unary(INT, UnaryOp::Neg, i64::MIN.into(), 1 << 63);
    check_unary(INT, UnaryOp::Neg, 1 << 63, i64::MIN.into());
    check_divide(INT, DivideOp::Div, i64::MIN.into(), -1, 1 << 63);
    check_divide(INT, DivideOp::Div, -(1 << 100), (1 << 99) + 1, -1);
    check_divide(INT, DivideOp::Rem, -(1 << 100), (1 << 99) + 1, -((1 << 99) - 1));
}

#[test]
fn an_integer_without_end_meets_the_memory_limit() {
    let mut code = Code::new();
    let (_, mut x) = code.param(INT);
    for _ in 0..2 + MAX_INT_BITS.ilog2() {
        x = code.binary(BinaryOp::Mul, INT, x, x);
    }
    assert_eq!(World::new().run(code.ret(x), vec![int(2)]), Outcome::MemoryLimit);
}

#[test]
fn references_compare_by_identity() {
    let mut world = World::new();
    let node = world.node;
    let mut code = Code::new();
    let x = code.set(Type::Class(node), |dst| OpKind::New { dst, class: node });
    let y = code.set(Type::Class(node), |dst| OpKind::New { dst, class: node });
    let null = code.null();
    let ty = Type::Class(node);
    let same = code.binary(BinaryOp::Eq, ty, x, x);
    let differ = code.binary(BinaryOp::Ne, ty, x, y);
    let not_null = code.binary(BinaryOp::Ne, ty, x, null);
    let null_is_null = code.binary(BinaryOp::Eq, Type::Null, null, null);
    let both = code.binary(BinaryOp::And, Type::Bool, same, differ);
    let others = code.binary(BinaryOp::And, Type::Bool, not_null, null_is_null);
    let all = code.binary(BinaryOp::And, Type::Bool, both, others);
    let entry = world.method("entry", 0, code.ret(all));
    assert_eq!(world.start(entry, Default::default()), returned_bool(true));
}

#[test]
fn deep_and_shared_expressions_are_cheap() {
    let mut code = Code::new();
    let (_, x) = code.param(I32);
    // 200,000 levels, and 2^200,000 paths from the root to the leaf.
    let mut sum = x;
    for _ in 0..200_000 {
        sum = code.binary(BinaryOp::Add, I32, sum, sum);
    }
    assert_eq!(World::new().run(code.ret(sum), vec![int(1)]), returned_int(0));
}

#[test]
fn ill_typed_code_is_unsupported() {
    let check = |build: fn(&mut Code) -> ExprId| {
        let mut code = Code::new();
        let value = build(&mut code);
        let outcome = World::new().run(code.ret(value), vec![]);
        assert!(matches!(outcome, Outcome::Unsupported { .. }), "{outcome:?}");
    };
    check(|c| {
        let (x, y) = (c.int(INT, 1), c.bool(true));
        c.binary(BinaryOp::Add, INT, x, y)
    });
    check(|c| {
        let x = c.int(INT, 1);
        c.binary(BinaryOp::And, INT, x, x)
    });
    check(|c| {
        let x = c.int(INT, 1);
        c.binary(BinaryOp::Add, Type::Machine { width: 0, signed: true }, x, x)
    });
    check(|c| {
        let x = c.int(INT, 1);
        c.binary(BinaryOp::Shl, Type::Machine { width: 0, signed: false }, x, x)
    });
    check(|c| {
        let x = c.body.add_expr(Expr::Const(Const::Int(i128::MIN.into(), I64)));
        c.unary(UnaryOp::Neg, I64, x)
    });
    check(|c| c.body.add_expr(Expr::Unary(UnaryOp::Not, Type::Bool, ExprId(99))));
    check(|c| c.body.add_expr(Expr::Unary(UnaryOp::Not, Type::Bool, ExprId(0))));
    check(|c| c.get(LocalId(99)));
    check(|_| ExprId(99));
}

/// A random expression of one type over two parameters, as reverse Polish notation.
#[derive(Clone, Debug)]
enum Token {
    X,
    Y,
    Number(i64),
    Unary(UnaryOp),
    Binary(BinaryOp),
}

fn token(unary: Vec<UnaryOp>, binary: Vec<BinaryOp>) -> impl Strategy<Value = Token> {
    prop_oneof![
        Just(Token::X),
        Just(Token::Y),
        prop_oneof![any::<i64>(), -3i64..70].prop_map(Token::Number),
        prop::sample::select(unary).prop_map(Token::Unary),
        prop::sample::select(binary).prop_map(Token::Binary),
    ]
}

/// Builds the expression and computes its value, with `wrap` applied to every intermediate result.
fn interpret(
    tokens: &[Token],
    ty: Type,
    (x, y): (i128, i128),
    wrap: impl Fn(&BigInt) -> BigInt,
    width: u32,
) -> (Code, BigInt) {
    let mut code = Code::new();
    let (_, px) = code.param(ty);
    let (_, py) = code.param(ty);
    let mut stack = vec![(px, BigInt::from(x))];
    for token in tokens {
        let next = match token {
            Token::X => (px, BigInt::from(x)),
            Token::Y => (py, BigInt::from(y)),
            Token::Number(number) => {
                let number = wrap(&BigInt::from(*number));
                (code.body.add_expr(Expr::Const(Const::Int(number.clone(), ty))), number)
            }
            Token::Unary(op) => {
                let (expr, value) = stack.pop().unwrap();
                let value = match op {
                    UnaryOp::Neg => -value,
                    _ => -value - 1,
                };
                (code.unary(*op, ty, expr), wrap(&value))
            }
            Token::Binary(op) => {
                let (y, b) = stack.pop().unwrap();
                let Some((x, a)) = stack.pop() else {
                    stack.push((y, b));
                    continue;
                };
                let unsigned = |x: &BigInt| if *x < BigInt::ZERO { x + (BigInt::from(1) << width) } else { x.clone() };
                let distance = || (((&b % width) + width) % width).to_u32().unwrap();
                let value = match op {
                    BinaryOp::Add => a + b,
                    BinaryOp::Sub => a - b,
                    BinaryOp::Mul => a * b,
                    BinaryOp::And => a & b,
                    BinaryOp::Or => a | b,
                    BinaryOp::Xor => a ^ b,
                    BinaryOp::Shl => a << distance(),
                    // `>>` of `BigInt` rounds down, which is the arithmetic shift.
                    BinaryOp::ShrSigned => {
                        let half = BigInt::from(1) << (width - 1);
                        let signed = if a >= half { a - (BigInt::from(1) << width) } else { a };
                        signed >> distance()
                    }
                    _ => unsigned(&a) >> distance(),
                };
                (code.binary(*op, ty, x, y), wrap(&value))
            }
        };
        stack.push(next);
    }
    let (expr, value) = stack.pop().unwrap();
    (code.ret(expr), value)
}

proptest! {
    #[test]
    fn random_machine_expressions_agree_with_big_integers(
        ty in prop::sample::select(MACHINE.to_vec()),
        (x, y) in (any::<i128>(), any::<i128>()),
        tokens in prop::collection::vec(
            token(
                vec![UnaryOp::Neg, UnaryOp::BitNot],
                vec![
                    BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor,
                    BinaryOp::Shl, BinaryOp::ShrSigned, BinaryOp::ShrUnsigned,
                ],
            ),
            1..30,
        ),
    ) {
        let Type::Machine { width, .. } = ty else { unreachable!() };
        let wrap = |x: &BigInt| BigInt::from(oracle_wrap(ty, x));
        let (x, y) = (oracle_wrap(ty, &x.into()), oracle_wrap(ty, &y.into()));
        let (code, expected) = interpret(&tokens, ty, (x, y), wrap, width.into());
        prop_assert_eq!(World::new().run(code, vec![int(x), int(y)]), returned(Value::Int(expected.into())));
    }

    #[test]
    fn random_unbounded_expressions_agree_with_big_integers(
        (x, y) in (any::<i128>(), any::<i64>()),
        tokens in prop::collection::vec(
            token(vec![UnaryOp::Neg], vec![BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]),
            1..40,
        ),
    ) {
        let (code, expected) = interpret(&tokens, INT, (x, y.into()), BigInt::clone, 64);
        prop_assert_eq!(World::new().run(code, vec![int(x), int(y)]), returned(Value::Int(expected.into())));
    }

    #[test]
    fn division_agrees_with_i128(ty in prop::sample::select(MACHINE.to_vec()), x: i128, y: i128) {
        let (x, y) = (oracle_wrap(ty, &x.into()), oracle_wrap(ty, &y.into()));
        prop_assume!(y != 0);
        check_divide(ty, DivideOp::Div, x, y, oracle_wrap(ty, &(x / y).into()));
        check_divide(ty, DivideOp::Rem, x, y, x % y);
    }

    #[test]
    fn unbounded_division_agrees_with_i128(x: i128, y in prop_oneof![any::<i128>(), -9i128..9]) {
        prop_assume!(y != 0 && (x, y) != (i128::MIN, -1));
        check_divide(INT, DivideOp::Div, x, y, x / y);
        check_divide(INT, DivideOp::Rem, x, y, x % y);
    }

    #[test]
    fn comparisons_agree_with_i128(x: i128, y: i128, near in -1i128..=1) {
        for y in [y, x.saturating_add(near)] {
            for op in COMPARISONS {
                let found = eval(INT, int(x), int(y), |c, x, y| c.binary(op, INT, x, y));
                prop_assert_eq!(found, returned_bool(oracle_compare(op, x, y)));
            }
        }
    }

    #[test]
    fn integers_round_to_floats_as_their_decimal_digits_do(digits in "-?[1-9][0-9]{0,330}", x: i64, shift in 0u32..1100) {
        // `str::parse` rounds correctly; shifted numbers produce ties.
        for number in [digits.parse::<BigInt>().unwrap(), BigInt::from(x) << shift] {
            let text = number.to_string();
            let double: f64 = text.parse().unwrap();
            let single: f32 = text.parse().unwrap();
            check_convert(INT, int(number.clone()), Type::F64, Value::F64(double.to_bits()));
            check_convert(INT, int(number), Type::F32, Value::F32(single.to_bits()));
        }
    }

    #[test]
    fn random_floats_agree_with_rust(x: u64, y: u64) {
        let (a, b) = (f64::from_bits(x), f64::from_bits(y));
        for (op, oracle) in [(BinaryOp::Add, a + b), (BinaryOp::Mul, a * b), (BinaryOp::FloatRem, a % b)] {
            let found = eval(Type::F64, InputValue::F64(x), InputValue::F64(y), |c, x, y| c.binary(op, Type::F64, x, y));
            match found {
                Outcome::Returned(Some(Value::F64(bits))) => {
                    prop_assert!(bits == oracle.to_bits() || f64::from_bits(bits).is_nan() && oracle.is_nan());
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
    }
}
