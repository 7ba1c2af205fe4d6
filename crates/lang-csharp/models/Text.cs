// Replaces code of the class library that reads strings and spans through raw memory.

namespace Models.System
{
    using global::System;
    using global::System.Runtime.CompilerServices;

    // What code finds out that compares references to strings.
    static class Identity
    {
        static bool AreOne(object a, object b) =>
            a == b || a is string s && b is string t && s.Length == t.Length
                && (s.Length == 0 ? OfEmptyStrings() : s == t && MayBeOne());

        // Most empty strings are one object. Only the obsolete `string.Copy` makes others.
        static bool OfEmptyStrings() => throw new NotImplementedException();

        // The translator replaces this: strings in inputs may be objects of literals.
        static bool MayBeOne() => throw new NotImplementedException();
    }

    static class String
    {
        public static int GetHashCode(string self) => Hashes.OfText(self);

        public static bool StartsWith(string self, string value, StringComparison comparisonType)
        {
            ArgumentNullException.ThrowIfNull(value);
            switch (comparisonType)
            {
                // Those of cultures are the same, because the culture is the invariant one.
                case StringComparison.Ordinal or StringComparison.CurrentCulture or StringComparison.InvariantCulture:
                    return MemoryExtensions.StartsWith((ReadOnlySpan<char>)self, (ReadOnlySpan<char>)value);
                case StringComparison.OrdinalIgnoreCase
                    or StringComparison.CurrentCultureIgnoreCase
                    or StringComparison.InvariantCultureIgnoreCase:
                    return value.Length <= self.Length
                        && self.AsSpan(0, value.Length).Equals(value, StringComparison.OrdinalIgnoreCase);
                default:
                    throw new ArgumentException(
                        SR.GetResourceString("NotSupported_StringComparison"), nameof(comparisonType));
            }
        }

        static bool EqualsHelper(string strA, string strB) => Same(strA, strB);

        public static bool Equals(string a, string b)
        {
            if ((object)a == (object)b)
            {
                return true;
            }
            return (object)a != null && (object)b != null && Same(a, b);
        }

        // Engines compare the lengths first and stop at the first difference, as the library does.
        static bool Same(string a, string b)
        {
            if (a.Length != b.Length)
            {
                return false;
            }
            for (int i = 0; i < a.Length; i++)
            {
                if (a[i] != b[i])
                {
                    return false;
                }
            }
            return true;
        }

        static int CompareOrdinalHelper(string strA, string strB)
        {
            int count = strA.Length < strB.Length ? strA.Length : strB.Length;
            for (int i = 0; i < count; i++)
            {
                if (strA[i] != strB[i])
                {
                    return strA[i] - strB[i];
                }
            }
            // The library compares two characters at a time, with zeros behind the end of a string.
            for (int i = count; i < 2 || i % 2 == 1; i++)
            {
                int difference = (i < strA.Length ? strA[i] : 0) - (i < strB.Length ? strB[i] : 0);
                if (difference != 0)
                {
                    return difference;
                }
            }
            return strA.Length - strB.Length;
        }

        static int CompareOrdinalHelper(string strA, int indexA, int countA, string strB, int indexB, int countB)
        {
            int count = countA < countB ? countA : countB;
            for (int i = 0; i < count; i++)
            {
                char a = strA[indexA + i], b = strB[indexB + i];
                if (a != b)
                {
                    return a - b;
                }
            }
            return countA - countB;
        }

        static void CopyStringContent(string dest, int destPos, string src)
        {
            ref char to = ref Unsafe.AsRef(in dest.GetPinnableReference());
            for (int i = 0; i < src.Length; i++)
            {
                Unsafe.Add(ref to, destPos + i) = src[i];
            }
        }

        static string InternalSubString(string self, int startIndex, int length)
        {
            return Part(self, startIndex, length);
        }

        internal static string Part(string text, int start, int length)
        {
            var characters = new char[length];
            for (int i = 0; i < length; i++)
            {
                characters[i] = text[start + i];
            }
            return Made(characters);
        }

        // The translator makes a string whose characters are those of the array, which nothing else refers to.
        internal static string Made(char[] characters) => throw new NotImplementedException();

        static string Ctor(string self, char[] value)
        {
            if (value == null)
            {
                return "";
            }
            return Ctor(self, value, 0, value.Length);
        }

        static string Ctor(string self, char[] value, int startIndex, int length)
        {
            ArgumentNullException.ThrowIfNull(value);
            ArgumentOutOfRangeException.ThrowIfNegative(startIndex);
            ArgumentOutOfRangeException.ThrowIfNegative(length);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(startIndex, value.Length - length);
            if (length == 0)
            {
                return "";
            }
            var characters = new char[length];
            for (int i = 0; i < length; i++)
            {
                characters[i] = value[startIndex + i];
            }
            return Made(characters);
        }

        static string Ctor(string self, char c, int count)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(count);
            if (count == 0)
            {
                return "";
            }
            var characters = new char[count];
            for (int i = 0; i < count; i++)
            {
                characters[i] = c;
            }
            return Made(characters);
        }

        static string Ctor(string self, ReadOnlySpan<char> value)
        {
            if (value.Length == 0)
            {
                return "";
            }
            var characters = new char[value.Length];
            for (int i = 0; i < value.Length; i++)
            {
                characters[i] = value[i];
            }
            return Made(characters);
        }
    }

    static class SpanHelpers
    {
        static bool SequenceEqual<T>(ref T first, ref T second, int length) where T : IEquatable<T>
        {
            for (int i = 0; i < length; i++)
            {
                T a = Unsafe.Add(ref first, i), b = Unsafe.Add(ref second, i);
                if (!(a?.Equals(b) ?? (object)b is null))
                {
                    return false;
                }
            }
            return true;
        }

        static int SequenceCompareTo(ref char first, int firstLength, ref char second, int secondLength)
        {
            int count = firstLength < secondLength ? firstLength : secondLength;
            for (int i = 0; i < count; i++)
            {
                char a = Unsafe.Add(ref first, i), b = Unsafe.Add(ref second, i);
                if (a != b)
                {
                    return a.CompareTo(b);
                }
            }
            return firstLength - secondLength;
        }

        static int IndexOfChar(ref char searchSpace, char value, int length)
        {
            for (int i = 0; i < length; i++)
            {
                if (Unsafe.Add(ref searchSpace, i) == value)
                {
                    return i;
                }
            }
            return -1;
        }

        static int LastIndexOfChar(ref char searchSpace, char value, int length)
        {
            for (int i = length - 1; i >= 0; i--)
            {
                if (Unsafe.Add(ref searchSpace, i) == value)
                {
                    return i;
                }
            }
            return -1;
        }

        static bool ContainsValueType<T>(ref T searchSpace, T value, int length) where T : struct, IEquatable<T>
        {
            return IndexOfValueType(ref searchSpace, value, length) >= 0;
        }

        static int IndexOfValueType<T>(ref T searchSpace, T value, int length) where T : struct, IEquatable<T>
        {
            for (int i = 0; i < length; i++)
            {
                if (Unsafe.Add(ref searchSpace, i).Equals(value))
                {
                    return i;
                }
            }
            return -1;
        }

        static int LastIndexOfValueType<T>(ref T searchSpace, T value, int length) where T : struct, IEquatable<T>
        {
            for (int i = length - 1; i >= 0; i--)
            {
                if (Unsafe.Add(ref searchSpace, i).Equals(value))
                {
                    return i;
                }
            }
            return -1;
        }

        static int IndexOfAnyValueType<T>(ref T searchSpace, T value0, T value1, int length)
            where T : struct, IEquatable<T>
        {
            for (int i = 0; i < length; i++)
            {
                T one = Unsafe.Add(ref searchSpace, i);
                if (one.Equals(value0) || one.Equals(value1))
                {
                    return i;
                }
            }
            return -1;
        }

        static bool StartsWith(ref char text, ref char value, int length)
        {
            for (int i = 0; i < length; i++)
            {
                if (Unsafe.Add(ref text, i) != Unsafe.Add(ref value, i))
                {
                    return false;
                }
            }
            return true;
        }

        static int IndexOf(ref char searchSpace, int searchSpaceLength, ref char value, int valueLength)
        {
            for (int start = 0; start <= searchSpaceLength - valueLength; start++)
            {
                if (StartsWith(ref Unsafe.Add(ref searchSpace, start), ref value, valueLength))
                {
                    return start;
                }
            }
            return -1;
        }

        static int LastIndexOf(ref char searchSpace, int searchSpaceLength, ref char value, int valueLength)
        {
            for (int start = searchSpaceLength - valueLength; start >= 0; start--)
            {
                if (StartsWith(ref Unsafe.Add(ref searchSpace, start), ref value, valueLength))
                {
                    return start;
                }
            }
            return -1;
        }

        static void Fill<T>(ref T refData, nuint numElements, T value)
        {
            for (nuint i = 0; i < numElements; i++)
            {
                Unsafe.Add(ref refData, (nint)i) = value;
            }
        }

        // Clears elements of memory.
        static void Zero<T>(ref T start, long count)
        {
            for (long i = 0; i < count; i++)
            {
                Unsafe.Add(ref start, (nint)i) = default;
            }
        }

        static void ClearWithReferences(ref IntPtr ip, nuint pointerSizeLength) => throw new NotImplementedException();

        static void Reverse<T>(ref T elements, nuint length)
        {
            for (nint i = 0, j = (nint)length - 1; i < j; i++, j--)
            {
                T kept = Unsafe.Add(ref elements, i);
                Unsafe.Add(ref elements, i) = Unsafe.Add(ref elements, j);
                Unsafe.Add(ref elements, j) = kept;
            }
        }
    }

    static class Buffer
    {
        // The two ranges may overlap.
        static void Memmove<T>(ref T destination, ref T source, nuint elementCount)
        {
            int count = (int)elementCount;
            var kept = new T[count];
            for (int i = 0; i < count; i++)
            {
                kept[i] = Unsafe.Add(ref source, i);
            }
            for (int i = 0; i < count; i++)
            {
                Unsafe.Add(ref destination, i) = kept[i];
            }
        }
    }

    static class MemoryExtensions
    {
        static bool SequenceEqual<T>(ReadOnlySpan<T> span, ReadOnlySpan<T> other) where T : IEquatable<T>
        {
            return span.Length == other.Length && Alike(span, other, span.Length);
        }

        static bool SequenceEqual<T>(global::System.Span<T> span, ReadOnlySpan<T> other) where T : IEquatable<T>
        {
            return span.Length == other.Length && Alike(span, other, span.Length);
        }

        public static bool SequenceEqual<T>(
            ReadOnlySpan<T> span,
            ReadOnlySpan<T> other,
            global::System.Collections.Generic.IEqualityComparer<T> comparer)
        {
            if (span.Length != other.Length)
            {
                return false;
            }
            comparer ??= global::System.Collections.Generic.EqualityComparer<T>.Default;
            for (int i = 0; i < span.Length; i++)
            {
                if (!comparer.Equals(span[i], other[i]))
                {
                    return false;
                }
            }
            return true;
        }

        public static bool StartsWith<T>(ReadOnlySpan<T> span, ReadOnlySpan<T> value) where T : IEquatable<T>
        {
            return value.Length <= span.Length && Alike(span, value, value.Length);
        }

        public static bool EndsWith<T>(ReadOnlySpan<T> span, ReadOnlySpan<T> value) where T : IEquatable<T>
        {
            return value.Length <= span.Length && Alike(span.Slice(span.Length - value.Length), value, value.Length);
        }

        static bool Alike<T>(ReadOnlySpan<T> a, ReadOnlySpan<T> b, int count) where T : IEquatable<T>
        {
            for (int i = 0; i < count; i++)
            {
                T one = a[i], other = b[i];
                if (!(one?.Equals(other) ?? (object)other is null))
                {
                    return false;
                }
            }
            return true;
        }

        static int IndexOf<T>(ReadOnlySpan<T> span, T value) where T : IEquatable<T>
        {
            for (int i = 0; i < span.Length; i++)
            {
                T one = span[i];
                if (one?.Equals(value) ?? (object)value is null)
                {
                    return i;
                }
            }
            return -1;
        }

        static bool Contains<T>(ReadOnlySpan<T> span, T value) where T : IEquatable<T> => IndexOf(span, value) >= 0;
    }

    // Output is not observed. Objects are asked for their text, which may do anything.
    static class Console
    {
        public static void WriteLine() { }
        public static void WriteLine(bool value) { }
        public static void WriteLine(char value) { }
        public static void WriteLine(int value) { }
        public static void WriteLine(uint value) { }
        public static void WriteLine(long value) { }
        public static void WriteLine(ulong value) { }
        public static void WriteLine(float value) { }
        public static void WriteLine(double value) { }
        public static void WriteLine(decimal value) { }
        public static void WriteLine(string value) { }
        public static void WriteLine(char[] value) { }
        public static void WriteLine(object value) => value?.ToString();
        public static void Write(bool value) { }
        public static void Write(char value) { }
        public static void Write(int value) { }
        public static void Write(uint value) { }
        public static void Write(long value) { }
        public static void Write(ulong value) { }
        public static void Write(float value) { }
        public static void Write(double value) { }
        public static void Write(decimal value) { }
        public static void Write(string value) { }
        public static void Write(char[] value) { }
        public static void Write(object value) => value?.ToString();
    }
}
