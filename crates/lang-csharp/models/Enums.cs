// Replaces code of the class library that finds the names of enums by reflection.

namespace Models.System
{
    using global::System;
    using global::System.Globalization;
    using global::System.Numerics;

    static class Enum
    {
        // The translator replaces these by methods of the boxes of enums.
        static long Bits(global::System.Enum of) => throw new NotImplementedException();
        static object Number(global::System.Enum of) => throw new NotImplementedException();
        static string Text(global::System.Enum of) => throw new NotImplementedException();
        static string[] Names(global::System.Enum like) => throw new NotImplementedException();
        static global::System.Array Values(global::System.Enum like) => throw new NotImplementedException();
        static bool IsFlags(global::System.Enum like) => throw new NotImplementedException();
        static object Of(global::System.Enum like, long bits) => throw new NotImplementedException();

        static global::System.Enum Box<T>(T value) => (global::System.Enum)(object)value;

        public static bool HasFlag(global::System.Enum self, global::System.Enum flag)
        {
            ArgumentNullException.ThrowIfNull(flag);
            if (self.GetType() != flag.GetType())
            {
                throw new ArgumentException(
                    SR.Format(SR.GetResourceString("Argument_EnumTypeDoesNotMatch"), flag.GetType(), self.GetType()));
            }
            long bits = Bits(flag);
            return (Bits(self) & bits) == bits;
        }

        public static bool Equals(global::System.Enum self, object obj) =>
            obj != null && self.GetType() == obj.GetType() && Bits(self) == Bits((global::System.Enum)obj);

        public static int GetHashCode(global::System.Enum self) => Number(self).GetHashCode();

        public static int CompareTo(global::System.Enum self, object target)
        {
            if (target == null)
            {
                return 1;
            }
            if (self.GetType() != target.GetType())
            {
                throw new ArgumentException(
                    SR.Format(
                        SR.GetResourceString("Arg_EnumAndObjectMustBeSameType"), target.GetType(), self.GetType()));
            }
            return ((IComparable)Number(self)).CompareTo(Number((global::System.Enum)target));
        }

        public static string ToString(global::System.Enum self) =>
            Text(self) ?? (IsFlags(self) ? Flags(self) : null) ?? Number(self).ToString();

        public static string ToString(global::System.Enum self, string format)
        {
            if (string.IsNullOrEmpty(format))
            {
                return ToString(self);
            }
            if (format.Length == 1)
            {
                switch (format[0])
                {
                    case 'G' or 'g':
                        return ToString(self);
                    case 'D' or 'd':
                        return Number(self).ToString();
                    case 'X' or 'x':
                        return Hexadecimal(Number(self));
                    case 'F' or 'f':
                        return Text(self) ?? Flags(self) ?? Number(self).ToString();
                }
            }
            throw new FormatException(SR.GetResourceString("Format_InvalidEnumFormatSpecification"));
        }

        public static string ToString(global::System.Enum self, string format, IFormatProvider provider) =>
            ToString(self, format);

        static string Hexadecimal(object number) => number switch
        {
            byte value => value.ToString("X2"),
            sbyte value => value.ToString("X2"),
            short value => value.ToString("X4"),
            ushort value => value.ToString("X4"),
            int value => value.ToString("X8"),
            uint value => value.ToString("X8"),
            long value => value.ToString("X16"),
            ulong value => value.ToString("X16"),
            _ => throw new NotImplementedException(),
        };

        // The names of the values that are together in one; null if there are none for some of its bits.
        static string Flags(global::System.Enum self)
        {
            string[] names = Names(self);
            global::System.Array values = Values(self);
            long rest = Bits(self);
            if (rest == 0)
            {
                return "0";
            }
            string text = null;
            for (int i = names.Length - 1; i >= 0; i--)
            {
                long bits = At(self, values, i);
                if (bits != 0 && (rest & bits) == bits)
                {
                    rest -= bits;
                    text = text == null ? names[i] : names[i] + ", " + text;
                }
            }
            return rest == 0 ? text : null;
        }

        // The bits of a value in an array of values.
        static long At(global::System.Enum like, global::System.Array values, int index) => Number(like) switch
        {
            byte => ((byte[])values)[index],
            sbyte => ((sbyte[])values)[index],
            short => ((short[])values)[index],
            ushort => ((ushort[])values)[index],
            int => ((int[])values)[index],
            uint => ((uint[])values)[index],
            long => ((long[])values)[index],
            ulong => (long)((ulong[])values)[index],
            _ => throw new NotImplementedException(),
        };

        static bool TryFormatUnconstrained<TEnum>(
            TEnum value, global::System.Span<char> destination, out int charsWritten, ReadOnlySpan<char> format)
        {
            string text = format.Length == 0 ? ToString(Box(value)) : ToString(Box(value), format.ToString());
            bool fits = text.Length <= destination.Length;
            charsWritten = fits ? text.Length : 0;
            for (int i = 0; i < charsWritten; i++)
            {
                destination[i] = text[i];
            }
            return fits;
        }

        public static string[] GetNames<TEnum>() where TEnum : struct => Names(Box(default(TEnum)));

        public static TEnum[] GetValues<TEnum>() where TEnum : struct => (TEnum[])(object)Values(Box(default(TEnum)));

        public static string GetName<TEnum>(TEnum value) where TEnum : struct
        {
            var box = Box(value);
            if (!IsFlags(box))
            {
                return Text(box);
            }
            string[] names = Names(box);
            global::System.Array values = Values(box);
            for (int i = 0; i < names.Length; i++)
            {
                if (At(box, values, i) == Bits(box))
                {
                    return names[i];
                }
            }
            return null;
        }

        public static TEnum Parse<TEnum>(string value) where TEnum : struct => Parse<TEnum>(value, false);

        public static TEnum Parse<TEnum>(string value, bool ignoreCase) where TEnum : struct
        {
            ArgumentNullException.ThrowIfNull(value);
            return Parse<TEnum>((ReadOnlySpan<char>)value, ignoreCase);
        }

        public static TEnum Parse<TEnum>(ReadOnlySpan<char> value) where TEnum : struct => Parse<TEnum>(value, false);

        public static TEnum Parse<TEnum>(ReadOnlySpan<char> value, bool ignoreCase) where TEnum : struct
        {
            var like = Box(default(TEnum));
            if (!Find(like, value, ignoreCase, true, out long bits))
            {
                throw value.Trim().Length == 0
                    ? new ArgumentException(SR.GetResourceString("Arg_MustContainEnumInfo"), nameof(value))
                    : new ArgumentException(
                        SR.Format(SR.GetResourceString("Arg_EnumValueNotFound"), value.ToString()));
            }
            return (TEnum)Of(like, bits);
        }

        public static bool TryParse<TEnum>(string value, out TEnum result) where TEnum : struct =>
            TryParse((ReadOnlySpan<char>)value, false, out result);

        public static bool TryParse<TEnum>(string value, bool ignoreCase, out TEnum result) where TEnum : struct =>
            TryParse((ReadOnlySpan<char>)value, ignoreCase, out result);

        public static bool TryParse<TEnum>(ReadOnlySpan<char> value, out TEnum result) where TEnum : struct =>
            TryParse(value, false, out result);

        public static bool TryParse<TEnum>(ReadOnlySpan<char> value, bool ignoreCase, out TEnum result)
            where TEnum : struct
        {
            var like = Box(default(TEnum));
            bool isFound = Find(like, value, ignoreCase, false, out long bits);
            result = isFound ? (TEnum)Of(like, bits) : default;
            return isFound;
        }

        // The bits of a number or of a list of names.
        static bool Find(
            global::System.Enum like, ReadOnlySpan<char> value, bool ignoreCase, bool throwsOverflow, out long bits)
        {
            bits = 0;
            value = value.TrimStart();
            if (value.Length == 0)
            {
                return false;
            }
            char first = value[0];
            if (char.IsAsciiDigit(first) || first == '-' || first == '+')
            {
                try
                {
                    bits = NumberIn(value, Number(like));
                    return true;
                }
                catch (FormatException)
                {
                }
                catch (OverflowException) when (!throwsOverflow)
                {
                    return false;
                }
            }
            string[] names = Names(like);
            global::System.Array values = Values(like);
            bool isMore = true;
            while (isMore)
            {
                int comma = value.IndexOf(',');
                isMore = comma >= 0;
                ReadOnlySpan<char> name = (isMore ? value.Slice(0, comma) : value).Trim();
                value = isMore ? value.Slice(comma + 1) : value;
                int found = -1;
                for (int i = 0; i < names.Length && found < 0; i++)
                {
                    bool isOne = ignoreCase
                        ? name.Equals(names[i], StringComparison.OrdinalIgnoreCase)
                        : name.SequenceEqual(names[i]);
                    found = isOne ? i : -1;
                }
                if (found < 0)
                {
                    bits = 0;
                    return false;
                }
                bits |= At(like, values, found);
            }
            return true;
        }

        static long NumberIn(ReadOnlySpan<char> text, object like) => like switch
        {
            byte => NumberIn<byte>(text),
            sbyte => NumberIn<sbyte>(text),
            short => NumberIn<short>(text),
            ushort => NumberIn<ushort>(text),
            int => NumberIn<int>(text),
            uint => NumberIn<uint>(text),
            long => NumberIn<long>(text),
            ulong => (long)NumberOf<ulong>(text),
            _ => throw new NotImplementedException(),
        };

        static long NumberIn<T>(ReadOnlySpan<char> text) where T : INumber<T> =>
            long.CreateTruncating(NumberOf<T>(text));

        static T NumberOf<T>(ReadOnlySpan<char> text) where T : INumber<T> => T.Parse(
            text, NumberStyles.AllowLeadingSign | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture);
    }
}
