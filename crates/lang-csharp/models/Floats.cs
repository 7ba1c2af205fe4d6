// Replaces functions of floating-point numbers that the runtime takes from the C library.

namespace Models.System
{
    using global::System;

    // The results do not depend on the bits of a NaN, which are not known.
    static class Double
    {
        // What the processor makes of numbers that do not fit is not known.
        public static TInteger ConvertToIntegerNative<TInteger>(double value)
        {
            if (typeof(TInteger) == typeof(int) && value > -2147483649d && value < 2147483648d)
            {
                return (TInteger)(object)(int)value;
            }
            if (typeof(TInteger) == typeof(long) && value >= -9223372036854775808d && value < 9223372036854775808d)
            {
                return (TInteger)(object)(long)value;
            }
            return Unfit<TInteger>(value);
        }

        static TInteger Unfit<TInteger>(double value) => throw new NotImplementedException();

        public static bool IsFinite(double d) => d - d == 0;

        public static bool IsInfinity(double d) =>
            d == double.PositiveInfinity || d == double.NegativeInfinity;

        public static int GetHashCode(ref double self)
        {
            if (double.IsNaN(self))
            {
                return 0x7ff00000;
            }
            long bits = self == 0 ? 0 : BitConverter.DoubleToInt64Bits(self);
            return (int)bits ^ (int)(bits >> 32);
        }
    }

    // The results do not depend on the bits of a NaN, which are not known.
    static class Single
    {
        // What the processor makes of numbers that do not fit is not known.
        public static TInteger ConvertToIntegerNative<TInteger>(float value)
        {
            if (typeof(TInteger) == typeof(int) && value > -2147483649d && value < 2147483648d)
            {
                return (TInteger)(object)(int)value;
            }
            if (typeof(TInteger) == typeof(long) && value >= -9223372036854775808d && value < 9223372036854775808d)
            {
                return (TInteger)(object)(long)value;
            }
            return Unfit<TInteger>(value);
        }

        static TInteger Unfit<TInteger>(float value) => throw new NotImplementedException();

        public static bool IsFinite(float f) => f - f == 0;

        public static bool IsInfinity(float f) =>
            f == float.PositiveInfinity || f == float.NegativeInfinity;

        public static int GetHashCode(ref float self)
        {
            if (double.IsNaN(self))
            {
                return 0x7f800000;
            }
            return self == 0 ? 0 : BitConverter.SingleToInt32Bits(self);
        }
    }

    static class MathF
    {
        // All numbers from the limit on are whole. The sign of a NaN does not matter.
        public static float Round(float x)
        {
            const float Limit = 8388608f;
            if (!(x > -Limit && x < Limit))
            {
                return x;
            }
            float limit = CopySign(Limit, x);
            return CopySign(x + limit - limit, x);
        }

        public static float CopySign(float x, float y)
        {
            if (float.IsNaN(x))
            {
                return x;
            }
            return BitConverter.SingleToInt32Bits(x) < 0 == BitConverter.SingleToInt32Bits(y) < 0 ? x : -x;
        }

        public static float Truncate(float x) =>
            x < 0 ? global::System.MathF.Ceiling(x) : global::System.MathF.Floor(x);

        static unsafe float ModF(float x, float* whole)
        {
            *whole = Truncate(x);
            float rest = float.IsInfinity(x) ? 0 : x - *whole;
            return rest == 0 ? global::System.MathF.CopySign(0f, x) : rest;
        }
    }

    static class Math
    {
        // All numbers from the limit on are whole. The sign of a NaN does not matter.
        public static double Round(double x)
        {
            const double Limit = 4503599627370496.0;
            if (!(x > -Limit && x < Limit))
            {
                return x;
            }
            double limit = CopySign(Limit, x);
            return CopySign(x + limit - limit, x);
        }

        public static double CopySign(double x, double y)
        {
            if (double.IsNaN(x))
            {
                return x;
            }
            return BitConverter.DoubleToInt64Bits(x) < 0 == BitConverter.DoubleToInt64Bits(y) < 0 ? x : -x;
        }

        public static double Truncate(double d) =>
            d < 0 ? global::System.Math.Ceiling(d) : global::System.Math.Floor(d);

        static unsafe double ModF(double x, double* whole)
        {
            *whole = Truncate(x);
            double rest = double.IsInfinity(x) ? 0 : x - *whole;
            return rest == 0 ? global::System.Math.CopySign(0.0, x) : rest;
        }

        // Whole powers are exact as long as they fit into the bits of the result.
        public static double Pow(double x, double y)
        {
            if (y == 0)
            {
                return 1;
            }
            if (y == 1)
            {
                return x;
            }
            if (y > 0 && y <= 64 && Truncate(y) == y && Truncate(x) == x)
            {
                double power = x;
                for (int i = 1; i < y; i++)
                {
                    power *= x;
                    if (power > 9007199254740992.0 || power < -9007199254740992.0)
                    {
                        return OtherPower(x, y);
                    }
                }
                return power;
            }
            return OtherPower(x, y);
        }

        static double OtherPower(double x, double y) => throw new NotImplementedException();
    }
}
