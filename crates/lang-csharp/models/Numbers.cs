// Replaces code of the class library that writes numbers through raw memory. The culture is the invariant one.

namespace Models.System
{
    using global::System;

    static class Number
    {
        public static string Int32ToDecStr(int value) => Int64ToDecStr(value);

        static string UInt32ToDecStr(uint value) => UInt64ToDecStr(value);

        static string UInt32ToDecStr(uint value, int digits) => UInt64ToDecStr(value, digits);

        static string UInt64ToDecStr(ulong value, int digits) =>
            digits <= 1 ? UInt64ToDecStr(value) : Text(value, digits, false);

        static string NegativeInt32ToDecStr(int value, int digits, string sNegative) =>
            Text((ulong)-(long)value, digits, true);

        static string NegativeInt64ToDecStr(long value, int digits, string sNegative) =>
            Text(0UL - (ulong)value, digits, true);

        public static string Int64ToDecStr(long value) =>
            value < 0 ? Text(0UL - (ulong)value, 1, true) : UInt64ToDecStr((ulong)value);

        static string UInt64ToDecStr(ulong value) =>
            value < (ulong)SmallNumbers() ? Small((int)value) : Text(value, 1, false);

        static readonly string[] s_small = new string[300];

        // The library keeps the texts of small numbers: those of equal numbers are one object.
        static string Small(int value) => s_small[value] ?? (s_small[value] = Text((ulong)value, 1, false));

        // How many there are, if the program can tell. The translator replaces this.
        static int SmallNumbers() => throw new NotImplementedException();

        // The decimal digits of a number, with zeros in front up to a number of digits.
        static string Text(ulong value, int digits, bool isNegative)
        {
            int count = 1;
            for (ulong rest = value / 10; rest != 0; rest /= 10)
            {
                count++;
            }
            if (count < digits)
            {
                count = digits;
            }
            int sign = isNegative ? 1 : 0;
            var characters = new char[count + sign];
            for (int i = count + sign - 1; i >= sign; i--)
            {
                characters[i] = (char)('0' + (int)(value % 10));
                value /= 10;
            }
            if (isNegative)
            {
                characters[0] = '-';
            }
            return String.Made(characters);
        }

        // Characters of UTF-16, or bytes of UTF-8.
        static TChar Digit<TChar>(uint digit) where TChar : unmanaged =>
            typeof(TChar) == typeof(char) ? (TChar)(object)(char)('0' + digit) : (TChar)(object)(byte)('0' + digit);

        static unsafe void WriteTwoDigits<TChar>(uint value, TChar* ptr) where TChar : unmanaged
        {
            ptr[0] = Digit<TChar>(value / 10);
            ptr[1] = Digit<TChar>(value % 10);
        }

        static unsafe void WriteFourDigits<TChar>(uint value, TChar* ptr) where TChar : unmanaged
        {
            WriteTwoDigits(value / 100, ptr);
            WriteTwoDigits(value % 100, ptr + 2);
        }
    }
}

namespace Models.System.Buffers.Text
{
    static class FormattingHelpers
    {
        public static int CountDigits(ulong value)
        {
            int count = 1;
            for (; value >= 10; value /= 10)
            {
                count++;
            }
            return count;
        }
    }
}
