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
            return Upper(codePoint);
        }

        static char ToLower(char codePoint)
        {
            if (codePoint < 128)
            {
                return codePoint >= 'A' && codePoint <= 'Z' ? (char)(codePoint + 32) : codePoint;
            }
            return Lower(codePoint);
        }

        internal static uint ToUpper(uint codePoint) => (codePoint & 0xffff0000) | Upper(codePoint);

        static uint ToLower(uint codePoint) => (codePoint & 0xffff0000) | Lower(codePoint);

        // The places of an unknown character in the tables would be too much work.
        static char Upper(uint character) =>
            Engine.Knows((character & 1) == 0)
                ? Moved(character, Library.System.Globalization.CharUnicodeInfo.get_UppercaseValues())
                : AnyToUpper(character);

        static char Lower(uint character) =>
            Engine.Knows((character & 1) == 0)
                ? Moved(character, Library.System.Globalization.CharUnicodeInfo.get_LowercaseValues())
                : AnyToLower(character);

        // Adds the distance of 16 bits that a table has for a character.
        static char Moved(uint character, ReadOnlySpan<byte> distances)
        {
            int at = 2 * (int)Library.System.Globalization.CharUnicodeInfo
                .GetCategoryCasingTableOffsetNoBoundsChecks(character);
            return (char)(character + (distances[at] | (distances[at + 1] << 8)));
        }

        static char AnyToUpper(uint character) => throw new NotImplementedException();

        static char AnyToLower(uint character) => throw new NotImplementedException();
    }

    static class Ordinal
    {
        static bool EqualsIgnoreCase(ref char charA, ref char charB, int length)
        {
            for (int i = 0; i < length; i++)
            {
                char a = Unsafe.Add(ref charA, i), b = Unsafe.Add(ref charB, i);
                if (a != b && Upper(ref charA, i) != Upper(ref charB, i))
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
                int order = (int)Upper(ref strA, i) - (int)Upper(ref strB, i);
                if (order != 0)
                {
                    return order;
                }
            }
            return lengthA - lengthB;
        }

        // Two surrogates are one character.
        static uint Upper(ref char text, int index)
        {
            char character = Unsafe.Add(ref text, index);
            return index > 0 && char.IsSurrogatePair(Unsafe.Add(ref text, index - 1), character)
                ? CharUnicodeInfo.ToUpper((uint)char.ConvertToUtf32(Unsafe.Add(ref text, index - 1), character))
                : CharUnicodeInfo.ToUpper(character);
        }

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

namespace Models.Library.System.Globalization
{
    using global::System;

    static class CharUnicodeInfo
    {
        internal static nuint GetCategoryCasingTableOffsetNoBoundsChecks(uint codePoint) =>
            throw new NotImplementedException();

        internal static ReadOnlySpan<byte> get_UppercaseValues() => throw new NotImplementedException();

        internal static ReadOnlySpan<byte> get_LowercaseValues() => throw new NotImplementedException();
    }
}

namespace Models.System
{
    using global::System;

    static class Engine
    {
        // Whether the engine that executes the program knows the condition.
        internal static bool Knows(bool condition) => throw new NotImplementedException();
    }
}
