// Replaces hash codes that differ from run to run: any number, but the same one for the same value.

#define DEBUG // for calls of Contract.Assume

namespace Models.System
{
    using global::System;
    using global::System.Diagnostics.Contracts;

    static class Hashes
    {
        sealed class Known
        {
            internal object Value;
            internal int Hash;
            internal Known Next;
        }

        sealed class Mixed
        {
            internal object Kind;
            internal int[] Parts;
            internal int Hash;
            internal Mixed Next;
        }

        static Known objects, texts;
        static Mixed mixed;

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

        // The hash code of numbers, and of the type of the struct that has them. The runtime mixes one number after the
        // other. Each of these steps is a bijection, so that hash codes are different where one number alone is.
        internal static int OfParts(object kind, params int[] parts)
        {
            for (Mixed known = mixed; known != null; known = known.Next)
            {
                if (IsLike(known, kind, parts) && Same(known.Parts, parts))
                {
                    return known.Hash;
                }
            }
            // The sum makes the assumptions true where all unknown numbers are zero.
            int hash = Any();
            foreach (int part in parts)
            {
                hash += part;
            }
            for (Mixed known = mixed; known != null; known = known.Next)
            {
                if (IsLike(known, kind, parts))
                {
                    Contract.Assume(hash != known.Hash | Differing(known.Parts, parts) != 1);
                }
            }
            mixed = new Mixed { Kind = kind, Parts = parts, Hash = hash, Next = mixed };
            return hash;
        }

        static bool IsLike(Mixed known, object kind, int[] parts) =>
            known.Kind == kind && known.Parts.Length == parts.Length;

        // Without branches, which would be paths of their own.
        static bool Same(int[] a, int[] b)
        {
            bool same = true;
            for (int i = 0; i < a.Length; i++)
            {
                same &= a[i] == b[i];
            }
            return same;
        }

        static int Differing(int[] a, int[] b)
        {
            int count = a.Length;
            for (int i = 0; i < a.Length; i++)
            {
                count -= a[i] == b[i] ? 1 : 0;
            }
            return count;
        }

        internal static uint Seed() => (uint)Any();
    }

    static class HashCode
    {
        static uint GenerateGlobalSeed() => Hashes.Seed();

        static int Of<T>(T value) => value?.GetHashCode() ?? 0;

        public static int Combine<T1>(T1 a) => Hashes.OfParts(null, Of(a));

        public static int Combine<T1, T2>(T1 a, T2 b) => Hashes.OfParts(null, Of(a), Of(b));

        public static int Combine<T1, T2, T3>(T1 a, T2 b, T3 c) => Hashes.OfParts(null, Of(a), Of(b), Of(c));

        public static int Combine<T1, T2, T3, T4>(T1 a, T2 b, T3 c, T4 d) =>
            Hashes.OfParts(null, Of(a), Of(b), Of(c), Of(d));

        public static int Combine<T1, T2, T3, T4, T5>(T1 a, T2 b, T3 c, T4 d, T5 e) =>
            Hashes.OfParts(null, Of(a), Of(b), Of(c), Of(d), Of(e));

        public static int Combine<T1, T2, T3, T4, T5, T6>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f) =>
            Hashes.OfParts(null, Of(a), Of(b), Of(c), Of(d), Of(e), Of(f));

        public static int Combine<T1, T2, T3, T4, T5, T6, T7>(T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g) =>
            Hashes.OfParts(null, Of(a), Of(b), Of(c), Of(d), Of(e), Of(f), Of(g));

        public static int Combine<T1, T2, T3, T4, T5, T6, T7, T8>(
            T1 a, T2 b, T3 c, T4 d, T5 e, T6 f, T7 g, T8 h) =>
            Hashes.OfParts(null, Of(a), Of(b), Of(c), Of(d), Of(e), Of(f), Of(g), Of(h));
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
