// Replaces arithmetic of decimals, which the library does in structs whose fields overlap.
//
// A decimal is a sign, a mantissa of 96 bits and a scale of at most 28: mantissa / 10^scale. Results that do not fit
// are rounded to as many digits as do, to the nearest, and to even in the middle.

namespace Models.System
{
    using global::System;

    static class Decimal
    {
        const int MostScale = 28;

        // The digits of powers of ten in 64 bits.
        const int LongDigits = 19;

        // Divisors of this power of ten add at most so many digits, with which quotients of smaller numbers than the
        // bound have less than 63 bits.
        const int FewDigits = 6;
        const long DigitsPower = 1000000;
        const long MostDivided = 1L << 42;

        // Numbers of 192 bits, as limbs of 32 bits, the lowest first.
        const int Limbs = 6;

        static uint[] Product(UInt128 a, UInt128 b)
        {
            var product = new uint[Limbs];
            for (int i = 0; i < 4; i++)
            {
                ulong carry = 0, factor = (uint)(a >> (32 * i));
                for (int j = 0; i + j < Limbs; j++)
                {
                    carry += product[i + j] + factor * (j < 4 ? (uint)(b >> (32 * j)) : 0);
                    product[i + j] = (uint)carry;
                    carry >>= 32;
                }
            }
            return product;
        }

        // Adds a number to another one.
        static void Increase(uint[] number, uint[] by)
        {
            ulong carry = 0;
            for (int i = 0; i < Limbs; i++)
            {
                carry += (ulong)number[i] + by[i];
                number[i] = (uint)carry;
                carry >>= 32;
            }
        }

        // Subtracts a number from one that is not smaller.
        static void Decrease(uint[] number, uint[] by)
        {
            long borrow = 0;
            for (int i = 0; i < Limbs; i++)
            {
                borrow += (long)number[i] - by[i];
                number[i] = (uint)borrow;
                borrow >>= 32;
            }
        }

        static bool IsLess(uint[] a, uint[] b)
        {
            for (int i = Limbs - 1; i >= 0; i--)
            {
                if (a[i] != b[i])
                {
                    return a[i] < b[i];
                }
            }
            return false;
        }

        // Divides a number by ten, and returns the last digit.
        static uint Shorten(uint[] number)
        {
            ulong rest = 0;
            for (int i = Limbs - 1; i >= 0; i--)
            {
                rest = (rest << 32) | number[i];
                number[i] = (uint)(rest / 10);
                rest %= 10;
            }
            return (uint)rest;
        }

        static decimal Rounded(uint[] mantissa, int scale, bool isNegative)
        {
            // The last digit that was removed, and whether others were not zero.
            uint digit = 0;
            bool isMore = false;
            while (scale > MostScale || (mantissa[3] | mantissa[4] | mantissa[5]) != 0)
            {
                if (scale == 0)
                {
                    throw Overflow();
                }
                isMore |= digit != 0;
                digit = Shorten(mantissa);
                scale--;
            }
            UInt128 kept = new UInt128(mantissa[2], ((ulong)mantissa[1] << 32) | mantissa[0]);
            if (digit > 5 || digit == 5 && (isMore || (kept & 1) == 1))
            {
                kept++;
                if (!Fits(kept))
                {
                    return Rounded(Product(kept, 1), scale, isNegative);
                }
            }
            return Make(kept, scale, isNegative);
        }

        static OverflowException Overflow() => new OverflowException(SR.GetResourceString("Overflow_Decimal"));

        static bool IsNegative(decimal d) => decimal.GetBits(d)[3] < 0;

        static int Scale(decimal d) => (decimal.GetBits(d)[3] >> 16) & 0xff;

        static bool IsSmall(decimal d)
        {
            int[] bits = decimal.GetBits(d);
            return bits[2] == 0 && bits[1] >= 0 && bits[1] < 0x40000000;
        }

        // The mantissa of a decimal that has at most 62 bits.
        static long Small(decimal d)
        {
            int[] bits = decimal.GetBits(d);
            return ((long)bits[1] << 32) | (uint)bits[0];
        }

        static long SmallPower(int exponent)
        {
            long power = 1;
            for (int i = 0; i < exponent; i++)
            {
                power *= 10;
            }
            return power;
        }

        // Whether the mantissa has at most 62 bits with a scale that is not below its own.
        static bool IsSmallAt(decimal d, int scale)
        {
            int more = scale - Scale(d);
            return IsSmall(d) && (more == 0 || more < LongDigits && Small(d) <= (1L << 62) / SmallPower(more) - 1);
        }

        // This mantissa.
        static long SmallAt(decimal d, int scale) => Small(d) * SmallPower(scale - Scale(d));

        static UInt128 Mantissa(decimal d)
        {
            int[] bits = decimal.GetBits(d);
            return new UInt128((uint)bits[2], ((ulong)(uint)bits[1] << 32) | (uint)bits[0]);
        }

        static decimal Make(ulong mantissa, int scale, bool isNegative) =>
            new decimal((int)mantissa, (int)(mantissa >> 32), 0, isNegative, (byte)scale);

        static decimal Make(UInt128 mantissa, int scale, bool isNegative)
        {
            ulong low = (ulong)mantissa;
            return new decimal((int)low, (int)(low >> 32), (int)(ulong)(mantissa >> 64), isNegative, (byte)scale);
        }

        static UInt128 Most => UInt128.MaxValue >> 32;

        static bool Fits(UInt128 mantissa) => (ulong)(mantissa >> 64) <= uint.MaxValue;

        static UInt128 Power(int exponent)
        {
            UInt128 power = 1;
            for (int i = 0; i < exponent; i++)
            {
                power *= 10;
            }
            return power;
        }

        static decimal Sum(decimal a, decimal b, bool isDifference)
        {
            bool negativeA = IsNegative(a), negativeB = IsNegative(b) != isDifference;
            int scaleA = Scale(a), scaleB = Scale(b);
            int scale = scaleA > scaleB ? scaleA : scaleB;
            if (IsSmallAt(a, scale) && IsSmallAt(b, scale))
            {
                long x = SmallAt(a, scale), y = SmallAt(b, scale);
                if (negativeA == negativeB)
                {
                    return Make((ulong)(x + y), scale, negativeA);
                }
                if (x == y && scaleA != scaleB)
                {
                    return Make(0ul, scale, (x == 0) == (scaleA > scaleB) ? negativeA : negativeB);
                }
                long rest = x - y;
                return rest < 0 ? Make((ulong)-rest, scale, !negativeA) : Make((ulong)rest, scale, negativeA);
            }
            UInt128 left = Mantissa(a), right = Mantissa(b);
            UInt128 powerA = Power(scale - scaleA), powerB = Power(scale - scaleB);
            if (left > UInt128.MaxValue / 4 / powerA || right > UInt128.MaxValue / 4 / powerB)
            {
                return WideSum(Product(left, powerA), Product(right, powerB), scale, negativeA, negativeB);
            }
            left *= powerA;
            right *= powerB;
            if (negativeA == negativeB)
            {
                UInt128 sum = left + right;
                return Fits(sum) ? Make(sum, scale, negativeA) : Rounded(Product(sum, 1), scale, negativeA);
            }
            if (left == right && scaleA != scaleB)
            {
                // The sign of a zero is that of the number with the longer or the shorter fraction.
                return Make(left - right, scale, (left == 0) == (scaleA > scaleB) ? negativeA : negativeB);
            }
            bool isReversed = left < right, isNegative = negativeA != isReversed;
            UInt128 difference = isReversed ? right - left : left - right;
            return Fits(difference)
                ? Make(difference, scale, isNegative)
                : Rounded(Product(difference, 1), scale, isNegative);
        }

        static decimal WideSum(uint[] left, uint[] right, int scale, bool negativeLeft, bool negativeRight)
        {
            if (negativeLeft == negativeRight)
            {
                Increase(left, right);
                return Rounded(left, scale, negativeLeft);
            }
            if (IsLess(left, right))
            {
                Decrease(right, left);
                return Rounded(right, scale, negativeRight);
            }
            Decrease(left, right);
            return Rounded(left, scale, negativeLeft);
        }

        public static decimal op_Addition(decimal d1, decimal d2) => Sum(d1, d2, false);

        public static decimal Add(decimal d1, decimal d2) => Sum(d1, d2, false);

        public static decimal op_Subtraction(decimal d1, decimal d2) => Sum(d1, d2, true);

        public static decimal Subtract(decimal d1, decimal d2) => Sum(d1, d2, true);

        public static decimal op_Increment(decimal d) => Sum(d, 1m, false);

        public static decimal op_Decrement(decimal d) => Sum(d, 1m, true);

        public static decimal op_Multiply(decimal d1, decimal d2)
        {
            bool isNegative = IsNegative(d1) != IsNegative(d2);
            int scale = Scale(d1) + Scale(d2);
            if (scale <= MostScale && IsSmall(d1) && IsSmall(d2))
            {
                long x = Small(d1), y = Small(d2);
                if (x < 0x80000000 && y < 0x80000000)
                {
                    return Make((ulong)(x * y), scale, isNegative);
                }
            }
            UInt128 left = Mantissa(d1), right = Mantissa(d2);
            bool isShort = left <= uint.MaxValue && right <= uint.MaxValue;
            if (isShort ? scale > MostScale + LongDigits : left == 0 || right == 0)
            {
                // The library has no place for the scale of such a zero.
                return 0m;
            }
            if (scale > MostScale || right != 0 && left > UInt128.MaxValue / right)
            {
                return Rounded(Product(left, right), scale, isNegative);
            }
            UInt128 product = left * right;
            return Fits(product) ? Make(product, scale, isNegative) : Rounded(Product(product, 1), scale, isNegative);
        }

        public static decimal Multiply(decimal d1, decimal d2) => op_Multiply(d1, d2);

        public static decimal op_Division(decimal d1, decimal d2)
        {
            UInt128 divisor = Mantissa(d2);
            if (divisor == 0)
            {
                throw new DivideByZeroException();
            }
            bool isNegative = IsNegative(d1) != IsNegative(d2);
            int scale = Scale(d1) - Scale(d2);
            if (scale >= 0 && scale <= MostScale - FewDigits && IsSmall(d1) && IsSmall(d2) && Small(d1) < MostDivided
                && Small(d2) <= DigitsPower && DigitsPower % Small(d2) == 0)
            {
                return Exact(Small(d1), Small(d2), scale, isNegative);
            }
            UInt128 quotient = Mantissa(d1) / divisor, rest = Mantissa(d1) - quotient * divisor;
            bool isExtended = rest != 0;
            while (rest != 0 && scale < MostScale || scale < 0)
            {
                UInt128 digit = rest * 10 / divisor;
                UInt128 longer = quotient * 10 + digit;
                if (!Fits(longer))
                {
                    if (scale < 0)
                    {
                        throw Overflow();
                    }
                    break;
                }
                quotient = longer;
                rest = rest * 10 - digit * divisor;
                scale++;
            }
            if (rest != 0)
            {
                // To the nearest, and to even in the middle.
                UInt128 twice = rest * 2;
                if (twice > divisor || twice == divisor && (quotient & 1) == 1)
                {
                    quotient++;
                    if (!Fits(quotient))
                    {
                        return Rounded(Product(quotient, 1), scale, isNegative);
                    }
                }
            }
            // Digits that the division added end without zeros.
            while (isExtended && scale > 0)
            {
                UInt128 shorter = quotient / 10;
                if (shorter * 10 != quotient)
                {
                    break;
                }
                quotient = shorter;
                scale--;
            }
            return Make(quotient, scale, isNegative);
        }

        // A quotient whose fraction ends after a few digits, such as that of a percentage.
        static decimal Exact(long dividend, long divisor, int scale, bool isNegative)
        {
            long quotient = dividend / divisor, rest = dividend % divisor;
            while (rest != 0)
            {
                rest *= 10;
                quotient = quotient * 10 + rest / divisor;
                rest %= divisor;
                scale++;
            }
            return Make((ulong)quotient, scale, isNegative);
        }

        public static decimal Divide(decimal d1, decimal d2) => op_Division(d1, d2);

        public static decimal op_Modulus(decimal d1, decimal d2)
        {
            UInt128 left = Mantissa(d1), right = Mantissa(d2);
            if (right == 0)
            {
                throw new DivideByZeroException();
            }
            int scaleA = Scale(d1), scaleB = Scale(d2), scale = scaleA > scaleB ? scaleA : scaleB;
            UInt128 power = Power(scale - scaleB);
            // A smaller number is its own remainder, with its own scale.
            if (right > UInt128.MaxValue / power || scaleB <= scaleA && left < right * power)
            {
                return d1;
            }
            if (scaleB <= scaleA)
            {
                return Make(left % (right * power), scale, IsNegative(d1));
            }
            UInt128 whole = left / right, rest = left - whole * right;
            for (int i = scaleA; i < scale; i++)
            {
                whole |= rest * 10 / right;
                rest = rest * 10 % right;
            }
            if (whole == 0)
            {
                return d1;
            }
            return right > ulong.MaxValue && left > Most / Power(scaleB - scaleA)
                ? LongRemainderOnThisProcessor(d1, d2)
                : Make(rest, scale, IsNegative(d1));
        }

        // The runtime divides numbers of more than 96 bits by such divisors in several steps, and on x86 the processor
        // raises an overflow in a later one if the top word of what is left is the top word of the divisor
        // (DecCalc.Div128By96 of .NET 10). Other processors return the remainder.
        [global::System.Runtime.CompilerServices.MethodImpl(global::System.Runtime.CompilerServices.MethodImplOptions.InternalCall)]
        static extern decimal LongRemainderOnThisProcessor(decimal d1, decimal d2);

        public static decimal Remainder(decimal d1, decimal d2) => op_Modulus(d1, d2);

        public static int Compare(decimal d1, decimal d2)
        {
            int scaleA = Scale(d1), scaleB = Scale(d2);
            bool negativeA = IsNegative(d1), negativeB = IsNegative(d2);
            int scale = scaleA > scaleB ? scaleA : scaleB;
            if (IsSmallAt(d1, scale) && IsSmallAt(d2, scale))
            {
                long x = negativeA ? -SmallAt(d1, scale) : SmallAt(d1, scale);
                long y = negativeB ? -SmallAt(d2, scale) : SmallAt(d2, scale);
                return x < y ? -1 : x > y ? 1 : 0;
            }
            UInt128 left = Mantissa(d1), right = Mantissa(d2);
            if (left == 0 && right == 0)
            {
                return 0;
            }
            if (left == 0 || right == 0 || negativeA != negativeB)
            {
                int signA = left == 0 ? 0 : negativeA ? -1 : 1, signB = right == 0 ? 0 : negativeB ? -1 : 1;
                return signA < signB ? -1 : signA > signB ? 1 : 0;
            }
            int order = Order(left, scaleA, right, scaleB);
            return negativeA ? -order : order;
        }

        static int Order(UInt128 left, int scaleA, UInt128 right, int scaleB)
        {
            if (scaleA < scaleB)
            {
                return -Order(right, scaleB, left, scaleA);
            }
            UInt128 power = Power(scaleA - scaleB);
            if (right > UInt128.MaxValue / power)
            {
                return -1;
            }
            right *= power;
            return left < right ? -1 : left > right ? 1 : 0;
        }

        public static bool op_Equality(decimal d1, decimal d2) => Compare(d1, d2) == 0;

        public static bool op_Inequality(decimal d1, decimal d2) => Compare(d1, d2) != 0;

        public static bool op_LessThan(decimal d1, decimal d2) => Compare(d1, d2) < 0;

        public static bool op_LessThanOrEqual(decimal d1, decimal d2) => Compare(d1, d2) <= 0;

        public static bool op_GreaterThan(decimal d1, decimal d2) => Compare(d1, d2) > 0;

        public static bool op_GreaterThanOrEqual(decimal d1, decimal d2) => Compare(d1, d2) >= 0;

        public static bool Equals(decimal d1, decimal d2) => Compare(d1, d2) == 0;

        public static bool Equals(ref decimal self, decimal value) => Compare(self, value) == 0;

        public static bool Equals(ref decimal self, object value) =>
            value is decimal && Compare(self, (decimal)value) == 0;

        public static int CompareTo(ref decimal self, decimal value) => Compare(self, value);

        public static decimal Max(decimal x, decimal y) => Compare(x, y) >= 0 ? x : y;

        public static decimal Min(decimal x, decimal y) => Compare(x, y) < 0 ? x : y;

        static decimal Round(ref decimal d, int decimals, MidpointRounding mode)
        {
            if ((uint)decimals > MostScale)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(decimals), SR.GetResourceString("ArgumentOutOfRange_DecimalRound"));
            }
            if ((uint)mode > (uint)MidpointRounding.ToPositiveInfinity)
            {
                throw new ArgumentException(null, nameof(mode));
            }
            return Scale(d) > decimals ? Shorter(d, decimals, mode) : d;
        }

        static decimal Shorter(decimal d, int decimals, MidpointRounding mode)
        {
            UInt128 power = Power(Scale(d) - decimals), mantissa = Mantissa(d);
            UInt128 quotient = mantissa / power, rest = mantissa - quotient * power;
            bool isNegative = IsNegative(d), isUp = false;
            if (mode == MidpointRounding.ToEven)
            {
                isUp = rest * 2 > power || rest * 2 == power && (quotient & 1) == 1;
            }
            else if (mode == MidpointRounding.AwayFromZero)
            {
                isUp = rest * 2 >= power;
            }
            else if (mode == MidpointRounding.ToNegativeInfinity)
            {
                isUp = isNegative && rest != 0;
            }
            else if (mode == MidpointRounding.ToPositiveInfinity)
            {
                isUp = !isNegative && rest != 0;
            }
            return Make(isUp ? quotient + 1 : quotient, decimals, isNegative);
        }

        internal static void Truncate(ref decimal d)
        {
            if (Scale(d) != 0)
            {
                d = Shorter(d, 0, MidpointRounding.ToZero);
            }
        }

        public static decimal Truncate(decimal d) => Scale(d) == 0 ? d : Shorter(d, 0, MidpointRounding.ToZero);

        public static decimal Floor(decimal d) =>
            Scale(d) == 0 ? d : Shorter(d, 0, MidpointRounding.ToNegativeInfinity);

        public static decimal Ceiling(decimal d) =>
            Scale(d) == 0 ? d : Shorter(d, 0, MidpointRounding.ToPositiveInfinity);

        // Powers of ten up to 22 are exact; the others are the nearest doubles.
        static double[] Powers() => new[]
        {
            1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
            1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28,
        };

        public static double ToDouble(decimal d)
        {
            int[] bits = decimal.GetBits(d);
            ulong low = ((ulong)(uint)bits[1] << 32) | (uint)bits[0];
            double value = (low + (uint)bits[2] * 1.8446744073709552e+19) / Powers()[Scale(d)];
            return bits[3] < 0 ? -value : value;
        }

        public static float ToSingle(decimal d) => (float)ToDouble(d);

        // A decimal of a float has as many digits as all floats of the type have.
        static void Ctor(ref decimal self, double value)
        {
            int exponent = double.IsNaN(value) ? 0x7ff : (int)(BitConverter.DoubleToInt64Bits(value) >> 52) & 0x7ff;
            self = OfFloat(value, exponent - 1022, 15, 1e15);
        }

        static void Ctor(ref decimal self, float value)
        {
            int exponent = float.IsNaN(value) ? 0xff : (BitConverter.SingleToInt32Bits(value) >> 23) & 0xff;
            self = OfFloat(value, exponent - 126, 7, 1e7);
        }

        public static decimal op_Explicit(double value) => new decimal(value);

        public static decimal op_Explicit(float value) => new decimal(value);

        // The decimal with a number of digits for a float that is below 2^exponent. `bound` is 10^digits.
        static decimal OfFloat(double value, int exponent, int digits, double bound)
        {
            if (exponent < -94)
            {
                return 0m;
            }
            if (exponent > 96)
            {
                throw Overflow();
            }
            bool isNegative = value < 0;
            value = isNegative ? -value : value;
            // The logarithm of 2 in units of 2^-16.
            int scale = digits - 1 - ((exponent * 19728) >> 16);
            double[] powers = Powers();
            if (scale >= 0)
            {
                scale = scale > MostScale ? MostScale : scale;
                value *= powers[scale];
            }
            else if (scale != -1 || value >= bound)
            {
                value /= powers[-scale];
            }
            else
            {
                scale = 0;
            }
            if (value < bound / 10 && scale < MostScale)
            {
                value *= 10;
                scale++;
            }
            long mantissa = (long)value;
            double rest = value - mantissa;
            if (rest > 0.5 || rest == 0.5 && (mantissa & 1) == 1)
            {
                mantissa++;
            }
            if (mantissa == 0)
            {
                return 0m;
            }
            if (scale < 0)
            {
                return Make((UInt128)(ulong)mantissa * Power(-scale), 0, isNegative);
            }
            for (int i = 1; i < digits && scale > 0 && mantissa % 10 == 0; i++)
            {
                mantissa /= 10;
                scale--;
            }
            return Make((ulong)mantissa, scale, isNegative);
        }

        static uint DecDivMod1E9(ref decimal value)
        {
            UInt128 mantissa = Mantissa(value), quotient = mantissa / 1000000000;
            uint rest = (uint)(ulong)(mantissa - quotient * 1000000000);
            value = Make(quotient, Scale(value), IsNegative(value));
            return rest;
        }
    }
}
