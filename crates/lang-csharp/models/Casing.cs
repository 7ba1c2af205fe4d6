// Replaces comparisons without regard to case, and tables of cases, which are read through raw memory.

namespace Models.System.Globalization
{
    using global::System;
    using global::System.Runtime.CompilerServices;

    static class CharUnicodeInfo
    {
        internal static char ToUpper(char codePoint)
        {
            if (codePoint < 128)
            {
                return codePoint >= 'a' && codePoint <= 'z' ? (char)(codePoint - 32) : codePoint;
            }
            return Beyond(codePoint);
        }

        static char ToLower(char codePoint)
        {
            if (codePoint < 128)
            {
                return codePoint >= 'A' && codePoint <= 'Z' ? (char)(codePoint + 32) : codePoint;
            }
            return Beyond(codePoint);
        }

        // The case of characters beyond ASCII has no model.
        internal static char Beyond(char character) => throw new NotImplementedException();
    }

    static class Ordinal
    {
        static bool EqualsIgnoreCase(ref char charA, ref char charB, int length)
        {
            for (int i = 0; i < length; i++)
            {
                char a = Unsafe.Add(ref charA, i), b = Unsafe.Add(ref charB, i);
                if (a != b && Upper(a) != Upper(b))
                {
                    return false;
                }
            }
            return true;
        }

        static int CompareStringIgnoreCase(ref char strA, int lengthA, ref char strB, int lengthB)
        {
            int count = lengthA < lengthB ? lengthA : lengthB;
            for (int i = 0; i < count; i++)
            {
                char a = Unsafe.Add(ref strA, i), b = Unsafe.Add(ref strB, i);
                if (a == b)
                {
                    continue;
                }
                int order = Upper(a) - Upper(b);
                if (order != 0)
                {
                    return order;
                }
            }
            return lengthA - lengthB;
        }

        static char Upper(char character) => CharUnicodeInfo.ToUpper(character);

        static int IndexOfOrdinalIgnoreCase(ReadOnlySpan<char> source, ReadOnlySpan<char> value)
        {
            for (int start = 0; start <= source.Length - value.Length; start++)
            {
                if (EqualsIgnoreCase(ref Start(source, start), ref Start(value, 0), value.Length))
                {
                    return start;
                }
            }
            return -1;
        }

        static int LastIndexOfOrdinalIgnoreCase(ReadOnlySpan<char> source, ReadOnlySpan<char> value)
        {
            for (int start = source.Length - value.Length; start >= 0; start--)
            {
                if (EqualsIgnoreCase(ref Start(source, start), ref Start(value, 0), value.Length))
                {
                    return start;
                }
            }
            return -1;
        }

        static ref char Start(ReadOnlySpan<char> of, int index) =>
            ref Unsafe.Add(ref global::System.Runtime.InteropServices.MemoryMarshal.GetReference(of), index);
    }
}
