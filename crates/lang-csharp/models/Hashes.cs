// Replaces hash codes that differ from run to run: any number, but the same one for the same value.

namespace Models.System
{
    using global::System;

    static class Hashes
    {
        sealed class Known
        {
            internal object Value;
            internal int Hash;
            internal Known Next;
        }

        sealed class Parts
        {
            internal int Count, A, B, C, D, E, F, G, H;
            internal int Hash;
            internal Parts Next;
        }

        static Known objects, texts, values;
        static Parts combined;

        // The translator replaces this by an input.
        static int Any() => throw new NotImplementedException();

        internal static int OfObject(object value)
        {
            for (Known known = objects; known != null; known = known.Next)
            {
                if (known.Value == value)
                {
                    return known.Hash;
                }
            }
            // The runtime uses 26 bits, and no zero.
            int some = Any() & 0x3ffffff;
            objects = new Known { Value = value, Hash = some | (int)((uint)(some - 1) >> 31), Next = objects };
            return objects.Hash;
        }

        internal static int OfText(string text)
        {
            for (Known known = texts; known != null; known = known.Next)
            {
                if (String.Equals((string)known.Value, text))
                {
                    return known.Hash;
                }
            }
            texts = new Known { Value = text, Hash = Any(), Next = texts };
            return texts.Hash;
        }

        // Structs with equal fields have equal hash codes, whatever their own `Equals` says.
        internal static int OfValue(object value)
        {
            for (Known known = values; known != null; known = known.Next)
            {
                if (ValueType.Alike((global::System.ValueType)known.Value, value))
                {
                    return known.Hash;
                }
            }
            values = new Known { Value = value, Hash = Any(), Next = values };
            return values.Hash;
        }

        internal static int OfParts(
            int count, int a, int b = 0, int c = 0, int d = 0, int e = 0, int f = 0, int g = 0, int h = 0)
        {
            for (Parts known = combined; known != null; known = known.Next)
            {
                if (known.Count == count && known.A == a && known.B == b && known.C == c && known.D == d
                    && known.E == e && known.F == f && known.G == g && known.H == h)
                {
                    return known.Hash;
                }
            }
            combined = new Parts
            {
                Count = count, A = a, B = b, C = c, D = d, E = e, F = f, G = g, H = h, Hash = Any(), Next = combined,
            };
            return combined.Hash;
        }

        internal static uint Seed() => (uint)Any();
    }

    static class HashCode
    {
        static uint GenerateGlobalSeed() => Hashes.Seed();

        static int Of<T>(T value) => value?.GetHashCode() ?? 0;

        public static int Combine<T1>(T1 a) => Hashes.OfParts(1, Of(a));

        public static int Combine<T1, T2>(T1 a, T2 b) => Hashes.OfParts(2, Of(a), Of(b));

        public static int Combine<T1, T2, T3>(T1 a, T2 b, T3 c) => Hashes.OfParts(3, Of(a), Of(b), Of(c));

        public static int Combine<T1, T2, T3, T4>(T1 a, T2 b, T3 c, T4 d) =>
            Hashes.OfParts(4, Of(a), Of(b), Of(c), Of(d));

        public static int Combine<T1, T2, T3, T4, T5>(T1 a, T2 b, T3 c, T4 d, T5 e) =>
            Hashes.OfParts(5, Of(a), Of(b), Of(c), Of(d), Of(e));

        public static int Combine<T1, T2, T3, T4, T5, T6>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f) =>
            Hashes.OfParts(6, Of(a), Of(b), Of(c), Of(d), Of(e), Of(f));

        public static int Combine<T1, T2, T3, T4, T5, T6, T7>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g) =>
            Hashes.OfParts(7, Of(a), Of(b), Of(c), Of(d), Of(e), Of(f), Of(g));

        public static int Combine<T1, T2, T3, T4, T5, T6, T7, T8>(
            T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h) =>
            Hashes.OfParts(8, Of(a), Of(b), Of(c), Of(d), Of(e), Of(f), Of(g), Of(h));
    }

    static class Marvin
    {
        static ulong GenerateSeed() => ((ulong)Hashes.Seed() << 32) | Hashes.Seed();
    }
}

namespace Models.System.Runtime.CompilerServices
{
    static class RuntimeHelpers
    {
        static bool ObjectHasComponentSize(object obj) => obj is string || obj is global::System.Array;

        public static int GetHashCode(object o) => o == null ? 0 : Hashes.OfObject(o);
    }
}

namespace Models.System.Collections
{
    static class HashHelpers
    {
        // The library multiplies by the inverse of the divisor.
        public static uint FastMod(uint value, uint divisor, ulong multiplier) => value % divisor;
    }
}

namespace Models.System.Buffers
{
    using global::System;

    // Whether an array is new or was returned before cannot be seen without reading what nobody has written.
    static class Pool<T>
    {
        internal static T[] Rent(int minimumLength)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(minimumLength);
            if (minimumLength == 0)
            {
                return new T[0];
            }
            int length = 16;
            while (length < minimumLength && length < 0x40000000)
            {
                length *= 2;
            }
            return new T[length < minimumLength ? minimumLength : length];
        }

        internal static void Return(T[] array, bool clearArray) => ArgumentNullException.ThrowIfNull(array);
    }
}
