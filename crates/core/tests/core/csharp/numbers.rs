//! Whole numbers, floats, and conversions.

use crate::csharp::{check, check_forward};

#[test]
fn narrow_numbers() {
    check(
        "
    public static void Wraps(byte b, short s, sbyte t) {
        byte next = (byte)(b + 1);
        Assert(next > b); // FAILS
        Assert(b + 1 > b); // HOLDS
        Assert((sbyte)b == b); // FAILS
        Assert((short)(s - 1) < s || s == short.MinValue); // HOLDS
        Assert(-t > 0 || t >= 0); // HOLDS
        Assert((sbyte)-t >= 0 || t > 0); // FAILS
        Assert((ushort)s == (s & 0xffff)); // HOLDS
    }",
    );
}

#[test]
fn unsigned_numbers() {
    check(
        "
    public static void Unsigned(uint a, uint b, ulong l, int i) {
        Assert(a - b <= a); // FAILS
        Assert(b > a || a - b <= a); // HOLDS
        Assert((uint)i > 5 || i >= 0); // HOLDS
        Assert(a >> 31 <= 1); // HOLDS
        Assert(l + a >= l); // FAILS
        Assert((long)a == a); // HOLDS
        Assert(a / 2 * 2 + a % 2 == a); // HOLDS
        Assert(-(long)a <= 0 && (int)a >= 0); // FAILS
    }",
    );
}

#[test]
fn checked_arithmetic() {
    check(
        "
    public static int Sum(int a, int b) {
        try {
            int sum = checked(a + b);
            Assert(sum - b == a); // HOLDS
            Assert(sum == (long)a + b); // HOLDS
            return sum;
        } catch (OverflowException) {
            Assert(a > 0 == b > 0); // HOLDS
            return 0; // REACHABLE
        }
    }
    public static void Narrow(int i) {
        byte b = checked((byte)i);
        Assert(i >= 0 && i <= 255); // HOLDS
        uint u = checked((uint)-i);
        Assert(i == 0 && b == u); // HOLDS
    }",
    );
}

#[test]
fn division() {
    check(
        "
    public static int Quotient(int a, int b) {
        try {
            return a / b;
        } catch (DivideByZeroException) {
            Assert(b == 0); // HOLDS
        } catch (OverflowException) {
            Assert(a == int.MinValue && b == -1); // HOLDS
            Assert(false); // FAILS
        }
        return 0;
    }
    public static void Remainder(int a) {
        Assert(a % 7 >= 0); // FAILS
        Assert(a / 7 * 7 + a % 7 == a); // HOLDS
        Assert(a % 2 == 0 || a % 2 == 1 || a < 0); // HOLDS
    }",
    );
}

#[test]
fn shifts() {
    check(
        "
    public static void Shifts(int x, int n) {
        Assert(x << 33 == x << 1); // HOLDS
        Assert(x >> n == x >> (n & 31)); // HOLDS
        Assert(x >> 31 == 0 || x < 0); // HOLDS
        Assert(x >>> 1 >= 0); // HOLDS
        Assert(x >>> 32 == 0); // FAILS
        Assert(1L << n != 0); // HOLDS
        Assert(1 << n > 0); // FAILS
    }",
    );
}

#[test]
fn floats() {
    check(
        "
    public static void Floats(double d, float f) {
        Assert(d == d); // FAILS
        Assert(d == d || double.IsNaN(d)); // HOLDS
        Assert((float)d == d || double.IsNaN(d)); // FAILS
        Assert((float)(double)f == f || float.IsNaN(f)); // HOLDS
        Assert(d * 0 == 0); // FAILS
        Assert(d + 1 > d); // FAILS
        Assert(!(d < 0) || d <= 0); // HOLDS
    }",
    );
}

#[test]
fn conversions() {
    check(
        "
    public static void Conversions(long l, double d, char c, int i) {
        Assert((int)l == l || l > int.MaxValue || l < int.MinValue); // HOLDS
        Assert((char)(c + 1) != 0); // FAILS
        Assert((long)(int)l == l); // FAILS
        Assert((double)(float)i == i); // FAILS
        if (!(d > 0 && d < 100)) return;
        Assert((int)d <= d); // HOLDS
        Assert((int)d == d); // FAILS
    }",
    );
}

#[test]
fn mathematical_functions() {
    check(
        "
    public static void Functions(int a, int b, uint u) {
        Assert(Math.Max(a, b) >= a && Math.Min(a, b) <= b); // HOLDS
        Assert(Math.Sign(a) * Math.Sign(a) <= 1); // HOLDS
        Assert(Math.Clamp(a, 1, 10) > 1); // FAILS
        if (a == int.MinValue) return;
        Assert(Math.Abs(a) >= a); // HOLDS
        Assert(Math.Abs(a) == a || a < 0); // HOLDS
    }
    public static void Least(int a) {
        int abs = Math.Abs(a);
        Assert(a != int.MinValue); // HOLDS
        Assert(abs > 0); // FAILS
    }",
    );
}

// Floats of the program model have one NaN, and those of the runtime have many.
#[test]
fn bits_of_nan_are_not_known() {
    check(
        r#"
    public static void Bits(double a) {
        Assert(BitConverter.DoubleToInt64Bits(a) != 0x7ff8000000000001); // UNKNOWN because the bits of a NaN
    }
    public static void Signs(double a) {
        Assert(!double.IsNaN(a) || !double.IsNegative(a)); // UNKNOWN because the bits of a NaN
    }
    public static void Known(double a) {
        Assert(double.IsNaN(a) || Math.Abs(a) >= 0); // HOLDS
        Assert(double.IsFinite(a) == !(double.IsNaN(a) || double.IsInfinity(a))); // HOLDS
        Assert(a.GetHashCode() == (a + 0).GetHashCode() && double.NaN.GetHashCode() == 0x7ff00000); // HOLDS
    }"#,
    );
}

// The double is halfway between two floats, and the number a little more.
#[test]
fn unsigned_numbers_become_floats_with_one_rounding() {
    check(
        r#"
    public static void Rounded(ulong n) {
        if (n != (1UL << 62) + (1UL << 38) + 1) return;
        Assert((float)n > 4.611686e18f); // HOLDS
        Assert((float)(double)n > 4.611686e18f); // FAILS
    }"#,
    );
}

/// Quotients of products that do not overflow are factors, and the two parts of a division give the dividend.
#[test]
fn exact_products() {
    check(
        "
    public static void Unchecked(int a, int b) {
        if (a <= 0) return;
        Assert(a * b / a == b); // FAILS
    }",
    );
    check_forward(
        "
    public static void Divided(int a, int b) {
        if (b == 0) return;
        Assert(a / b * b + a % b == a); // HOLDS
        Assert(a - a / b * b == a % b); // HOLDS
        Assert(a / b * b == a); // FAILS
    }
    public static void Checked(int a, int b) {
        int product = checked(a * b);
        if (a == 0) return;
        Assert(product / a == b && product % a == 0); // HOLDS
        Assert(b == 0 || product / b == a); // HOLDS
        Assert(product / a != 3); // FAILS
    }
    public static void Unsigned(uint a, uint b) {
        uint product = checked(a * b);
        Assert(a == 0 || product / a == b); // HOLDS
    }
    public static void Wide(int a, int b) {
        long exact = (long)a * b;
        if ((int)exact != exact || b == 0) return;
        Assert((int)exact / b == a); // HOLDS
    }",
    );
}
