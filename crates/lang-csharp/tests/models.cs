// Calls the methods of the class library that models and intrinsics replace, with corner values.
//
// Each public method of `Rows` gives the text of a table. `Main` prints them all, so that they can be compared with what
// the interpreter computes.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Reflection;
using System.Text;

/// Lines of values. They are written without the library's own formatting, which is compared, too.
class Table
{
    char[] characters = new char[256];
    int count;

    public override string ToString() => new string(characters, 0, count);

    void Put(char c)
    {
        if (count == characters.Length)
        {
            var longer = new char[2 * count];
            for (int i = 0; i < count; i++) longer[i] = characters[i];
            characters = longer;
        }
        characters[count++] = c;
    }

    void Put(string text)
    {
        foreach (char c in text) Put(c);
    }

    void PutNumber(ulong value)
    {
        if (value >= 10) PutNumber(value / 10);
        Put((char)('0' + (int)(value % 10)));
    }

    public Table Line()
    {
        Put('\n');
        return this;
    }

    public Table Add(string text)
    {
        if (text == null)
        {
            Put("null ");
            return this;
        }
        Put('"');
        foreach (char c in text)
        {
            if (c >= ' ' && c < 127)
            {
                Put(c);
                continue;
            }
            Put('<');
            PutNumber(c);
            Put('>');
        }
        Put("\" ");
        return this;
    }

    public Table Add(char c)
    {
        Put('\'');
        PutNumber(c);
        Put("' ");
        return this;
    }

    public Table Add(ulong value)
    {
        PutNumber(value);
        Put(' ');
        return this;
    }

    public Table Add(long value)
    {
        if (value < 0) Put('-');
        return Add(value < 0 ? 0UL - (ulong)value : (ulong)value);
    }

    public Table Add(int value) => Add((long)value);

    public Table Add(bool value)
    {
        Put(value ? "yes " : "no ");
        return this;
    }

    public Table Add(double value)
    {
        if (value != value)
        {
            Put("NaN ");
            return this;
        }
        Put('d');
        return Add(BitConverter.DoubleToInt64Bits(value));
    }

    public Table Add(float value)
    {
        if (value != value)
        {
            Put("NaN ");
            return this;
        }
        Put('f');
        return Add(BitConverter.SingleToInt32Bits(value));
    }

    public Table Add(decimal value)
    {
        foreach (int part in decimal.GetBits(value))
        {
            Put('_');
            PutNumber((uint)part);
        }
        Put(' ');
        return this;
    }

    /// The value of an expression, or the name of the exception that it throws.
    public Table Try(Func<Table> add)
    {
        try
        {
            return add();
        }
        catch (Exception e)
        {
            for (int kind = 0; kind < Kinds.Length; kind++)
            {
                if (Kinds[kind](e))
                {
                    Put('!');
                    return Add(kind);
                }
            }
            throw;
        }
    }

    static readonly Func<Exception, bool>[] Kinds =
    {
        e => e is ArgumentNullException, e => e is ArgumentOutOfRangeException, e => e is ArgumentException,
        e => e is DivideByZeroException, e => e is OverflowException, e => e is ArithmeticException,
        e => e is IndexOutOfRangeException, e => e is ArrayTypeMismatchException, e => e is InvalidCastException,
        e => e is FormatException, e => e is NullReferenceException,
    };
}

static partial class Rows
{
    static readonly decimal[] Decimals =
    {
        0m, 1m, -1m, 0.0m, 0.1m, -2.50m, 1234567.89m, 4611686018427387904m, 79228162514264337593543950335m, -7.9m,
        0.0000000000000000000000000001m, 3m, 10m, 2.5m, 1.00m, 0.04m, -640m, 4398046511103.7m,
    };

    public static string DecimalSums()
    {
        var table = new Table();
        foreach (decimal a in Decimals)
        {
            foreach (decimal b in Decimals)
            {
                table.Try(() => table.Add(a + b)).Try(() => table.Add(a - b));
            }
            table.Line();
        }
        decimal sum = 1.5m;
        sum++;
        table.Add(sum).Add(decimal.Add(sum, 0.25m)).Add(decimal.Subtract(sum, 0.25m)).Add(--sum).Add(-sum);
        return table.ToString();
    }

    public static string DecimalProducts()
    {
        var table = new Table();
        foreach (decimal a in Decimals)
        {
            foreach (decimal b in Decimals)
            {
                table.Try(() => table.Add(a * b));
            }
            table.Line();
        }
        return table.Add(decimal.Multiply(1.5m, -0.3m)).ToString();
    }

    public static string DecimalQuotients()
    {
        var table = new Table();
        foreach (decimal a in Decimals)
        {
            foreach (decimal b in Decimals)
            {
                table.Try(() => table.Add(a / b)).Try(() => table.Add(a % b));
            }
            table.Line();
        }
        decimal few = 123456.7m, most = decimal.MaxValue;
        table.Add(few % 1.0000000000000000000001m).Add(most % 1.0000000001m);
        return table.Add(decimal.Divide(1.5m, -0.3m)).Add(decimal.Remainder(1.5m, -0.4m)).ToString();
    }

    public static string DecimalOrder()
    {
        var table = new Table();
        foreach (decimal a in Decimals)
        {
            foreach (decimal b in Decimals)
            {
                table.Add(decimal.Compare(a, b)).Add(a == b).Add(a != b).Add(a < b).Add(a <= b).Add(a > b).Add(a >= b);
                table.Add(decimal.Equals(a, b)).Add(a.Equals(b)).Add(a.Equals((object)b)).Add(a.CompareTo(b));
                table.Add(Math.Max(a, b)).Add(decimal.Min(a, b)).Add(a.GetHashCode() == b.GetHashCode());
            }
            table.Line();
        }
        return table.Add(1m.Equals((object)1)).Add(1m.Equals(null)).Add(1m.CompareTo(null)).ToString();
    }

    public static string DecimalRounding()
    {
        var table = new Table();
        foreach (decimal a in Decimals)
        {
            table.Add(decimal.Truncate(a)).Add(decimal.Floor(a)).Add(decimal.Ceiling(a)).Add(decimal.Negate(a));
            table.Add(Math.Abs(a)).Add(Math.Sign(a)).Add((double)a).Add((float)a).Add(decimal.ToDouble(a)).Add(decimal.ToSingle(a));
            table.Try(() => table.Add((int)a)).Try(() => table.Add((long)a)).Try(() => table.Add((ulong)a));
            for (int digits = 0; digits < 3; digits++)
            {
                for (int mode = 0; mode < 5; mode++)
                {
                    table.Add(decimal.Round(a, digits, (MidpointRounding)mode));
                }
            }
            table.Line();
        }
        table.Try(() => table.Add(decimal.Round(1m, 29))).Try(() => table.Add(decimal.Round(1m, (MidpointRounding)7)));
        return table.ToString();
    }

    public static string DecimalTexts()
    {
        var table = new Table();
        foreach (decimal a in Decimals)
        {
            table.Add(a.ToString()).Add(a.ToString("N2")).Add(a.ToString("F1")).Add($"{a:C}|{a:0.00}|{a,12:#,##0.#}").Line();
        }
        foreach (string text in new[] { "1", "-1.50", " 12,345.6 ", "1e5", "", "x", "99999999999999999999999999999", ".5", "0.00000000000000000000000000005" })
        {
            table.Try(() => table.Add(decimal.Parse(text))).Add(decimal.TryParse(text, out decimal value)).Add(value).Line();
        }
        return table.ToString();
    }

    static readonly double[] Doubles =
    {
        0, -0.0, 1, -1, 0.1, -2.5, 0.5, 1.5, 3.5, 1234567.89, 1e15, 1e16, 123456789012345678, 1e28, 7.9e28, 8e28, 1e300,
        1e-5, 1.23456789012345678e-20, 5e-29, 4e-29, 1e-300, 5e-324, double.MaxValue, double.NaN,
        double.PositiveInfinity, double.NegativeInfinity, 2147483647.5, -2147483648.9, 9.2233720368547758e18, 1.0 / 3,
    };

    public static string DecimalsOfFloats()
    {
        var table = new Table();
        foreach (double value in Doubles)
        {
            table.Try(() => table.Add((decimal)value)).Try(() => table.Add(new decimal(value)));
            table.Try(() => table.Add((decimal)(float)value)).Try(() => table.Add(new decimal((float)value)));
            table.Try(() => table.Add(Convert.ToDecimal(value))).Line();
        }
        return table.ToString();
    }

    static void NamesOf<T>(Table table, params T[] values) where T : struct, Enum
    {
        foreach (string name in Enum.GetNames<T>()) table.Add(name);
        foreach (T value in Enum.GetValues<T>()) table.Add(value.ToString("D"));
        table.Line();
        foreach (T a in values)
        {
            table.Add(a.ToString()).Add(a.ToString("D")).Add(a.ToString("X")).Add(a.ToString("F")).Add($"<{a}|{a,9:g}>");
            table.Add(Enum.GetName(a)).Add(Enum.IsDefined(a)).Add(a.GetHashCode()).Add(((object)a).Equals(1));
            foreach (T b in values)
            {
                table.Add(a.CompareTo(b)).Add(a.Equals(b)).Add(a.HasFlag(b));
            }
            table.Line();
        }
        foreach (string text in new[] { "One", " one ", "Read,Write", "read , TOP", "A,B", "First", "1", " -1 ", "300", "+2", "99999999999999999999", "0x1", "1,2", ",", "", null, "Zero," })
        {
            table.Add(Enum.TryParse(text, out T value)).Add(value.ToString());
            table.Add(Enum.TryParse(text, true, out value)).Add(value.ToString());
            ReadOnlySpan<char> span = text;
            table.Add(Enum.TryParse(span, out value)).Add(value.ToString());
            table.Try(() => table.Add(Enum.Parse<T>((ReadOnlySpan<char>)text).ToString()));
            table.Try(() => table.Add(Enum.Parse<T>(text).ToString())).Line();
        }
    }

    public static string Enums()
    {
        var table = new Table();
        NamesOf(table, Plain.Zero, Plain.One, Plain.Minus, Plain.Large, (Plain)3, (Plain)int.MinValue);
        NamesOf(table, Small.A, Small.B, Small.C, (Small)5);
        NamesOf(table, Rights.Read, Rights.Both, Rights.Top, Rights.Top | Rights.Write, (Rights)0, (Rights)5);
        NamesOf(table, Doubled.None, Doubled.First, Doubled.Last | Doubled.Also, (Doubled)2);
        table.Try(() => table.Add(Plain.One.ToString("Q"))).Try(() => table.Add(((Enum)Plain.One).HasFlag(Small.A)));
        return table.Try(() => table.Add(((Enum)Plain.One).CompareTo(Small.A))).Add(Plain.One.CompareTo(null)).Add(((IFormattable)Plain.One).ToString("g", null)).ToString();
    }

    static string Joined<T>(IEnumerable<T> items)
    {
        var text = new StringBuilder();
        foreach (T item in items) text.Append(item).Append(' ');
        return text.ToString();
    }

    public static string Arrays()
    {
        var table = new Table();
        for (int from = -1; from < 5; from++)
        {
            for (int to = -1; to < 5; to++)
            {
                for (int count = -1; count < 5; count++)
                {
                    int[] array = { 1, 2, 3, 4 };
                    table.Try(() =>
                    {
                        Array.Copy(array, from, array, to, count);
                        return table.Add(array[0]).Add(array[1]).Add(array[2]).Add(array[3]);
                    });
                }
            }
            table.Line();
        }
        var texts = new[] { "a", "b", "c" };
        var objects = new object[4];
        Array.Copy(texts, objects, 3);
        table.Add((string)objects[2]).Add(objects[3] == null);
        table.Try(() => { Array.Copy(null, texts, 1); return table; }).Try(() => { Array.Clear(null); return table; });
        var pairs = new[] { (1, "x"), (2, "y") };
        Array.Copy(pairs, 0, pairs, 1, 1);
        table.Add(pairs[1].Item1).Add(pairs[1].Item2);
        int[] numbers = { 5, 3, 9, 1 };
        Array.Clear(numbers, 1, 2);
        table.Add(Joined(numbers)).Try(() => { Array.Clear(numbers, 3, 2); return table; });
        foreach (Array each in new Array[] { texts, pairs, new double?[] { 1.5, null }, new char[0][], new bool[2, 2] })
            foreach (int at in new[] { -1, 0, 1, 2, int.MinValue })
                table.Try(() => table.Add(each.GetValue(at)?.ToString() ?? "null"));
        foreach (object each in (System.Collections.IEnumerable)pairs) table.Add(each.ToString());
        table.Add(objects.OfType<string>().Count()).Add(objects.Cast<string>().First()).Line();
        Array.Clear(numbers);
        Array.Resize(ref numbers, 6);
        Array.Fill(numbers, 7, 2, 3);
        table.Add(Joined(numbers)).Add(Array.IndexOf(numbers, 7)).Add(Array.LastIndexOf(numbers, 7)).Line();
        var list = new List<string> { "c", "a" };
        list.Insert(1, "d");
        list.AddRange(texts);
        list.RemoveRange(1, 2);
        list.Reverse();
        table.Add(Joined(list)).Add(list.IndexOf("a")).Add(list.Contains("x")).Add(list.ToArray().Length);
        list.Sort(string.CompareOrdinal);
        return table.Add(Joined(list)).ToString();
    }

    public static string Spans()
    {
        var table = new Table();
        Span<int> span = new[] { 1, 2, 3, 2, 1 };
        ReadOnlySpan<int> other = new[] { 1, 2 };
        table.Add(span.IndexOf(2)).Add(span.LastIndexOf(2)).Add(span.Contains(9)).Add(span.IndexOfAny(3, 2));
        table.Add(span.StartsWith(other)).Add(span.EndsWith(other)).Add(span.SequenceEqual(other)).Add(span.IndexOf(other));
        table.Add(span.Slice(0, 2).SequenceEqual(other)).Add(other.SequenceEqual(span.Slice(0, 2)));
        span.Slice(1, 2).Clear();
        span.Slice(3).Fill(8);
        table.Add(Joined(span.ToArray()));
        span.Slice(1).CopyTo(span);
        span.Reverse();
        table.Add(Joined(span.ToArray())).Line();
        ReadOnlySpan<string> texts = new[] { "a", null, "b" };
        table.Add(texts.IndexOf("b")).Add(texts.IndexOf((string)null)).Add(texts.Contains("c"));
        table.Add(texts.SequenceEqual(new[] { "a", null, "b" })).Add(texts.StartsWith(new[] { "a", "x" })).Line();
        ReadOnlySpan<char> empty = default, word = "abcabc";
        table.Add(empty.Length).Add(empty.Slice(0).Length).Add(empty.Trim().Length).Add(empty.ToString());
        table.Add(empty.SequenceEqual("")).Add(word.IndexOf("ca")).Add(word.LastIndexOf("bc")).Add(word.IndexOf("x"));
        table.Add(word.SequenceCompareTo("abd")).Add(word.SequenceCompareTo("abcabcd")).Add(word.LastIndexOf('c'));
        table.Add(word.IndexOf("")).Add(word.LastIndexOf("")).Add(word.Slice(2, 3).ToString());
        table.Add(word.StartsWith("ab")).Add(word.EndsWith("abc")).Add(word.EndsWith("b")).Line();
        Span<byte> bytes = stackalloc byte[4];
        bytes.Fill(200);
        bytes[2] = 3;
        table.Add(bytes.IndexOf((byte)3)).Add(bytes.Contains((byte)200)).Add(bytes.LastIndexOf((byte)200));
        var copy = new List<double> { 1.5, double.NaN };
        return table.Add(copy.IndexOf(double.NaN)).Add(copy.Contains(1.5)).ToString();
    }

    static readonly string[] Words = { null, "", "a", "A", "ab", "aB", "b", "abcab", "\0", "a\0b", "[", "{" };

    public static string Strings()
    {
        var table = new Table();
        foreach (string a in Words)
        {
            foreach (string b in Words)
            {
                table.Add(a == b).Add(string.Equals(a, b)).Add(string.CompareOrdinal(a, b)).Add(a + b);
                table.Add(string.Equals(a, b, StringComparison.OrdinalIgnoreCase));
                table.Add(string.Compare(a, b, StringComparison.OrdinalIgnoreCase));
                if (a == null || b == null) continue;
                table.Add(a.Equals(b)).Add(a.Contains(b)).Add(a.IndexOf(b, StringComparison.Ordinal)).Add(a.CompareTo(b));
                table.Add(a.LastIndexOf(b, StringComparison.Ordinal)).Add(a.StartsWith(b, StringComparison.Ordinal));
                table.Add(a.EndsWith(b, StringComparison.Ordinal)).Add(a != b || a.GetHashCode() == b.GetHashCode());
                table.Add(a.IndexOf(b, StringComparison.OrdinalIgnoreCase)).Add(string.CompareOrdinal(a, 0, b, 0, 1));
                table.Add(a.LastIndexOf(b, StringComparison.OrdinalIgnoreCase)).Add(a.IndexOf(b)).Add(a.StartsWith(b));
            }
            table.Line();
        }
        return table.ToString();
    }

    public static string PartsOfStrings()
    {
        var table = new Table();
        char[] characters = { 'x', 'y', 'z' };
        table.Add(new string(characters)).Add(new string((char[])null)).Add(new string(new char[0])).Add(new string('c', 3));
        table.Add(new string('c', 0)).Add(new string((ReadOnlySpan<char>)"abc")).Add(new string(default(ReadOnlySpan<char>)));
        for (int start = -1; start < 5; start++)
        {
            for (int length = -1; length < 5; length++)
            {
                table.Try(() => table.Add(new string(characters, start, length)));
            }
        }
        table.Try(() => table.Add(new string('c', -1))).Try(() => table.Add(new string((char[])null, 0, 0))).Line();
        foreach (string word in Words)
        {
            if (word == null) continue;
            table.Add(word.IndexOf('b')).Add(word.LastIndexOf('a')).Add(word.Contains('\0')).Add(word.Replace('a', 'x'));
            table.Add(word.Replace("ab", "-")).Add(word.Insert(0, "<")).Add(word.PadLeft(4, '.')).Add(word.PadRight(3));
            table.Add(word.TrimStart('a')).Add(word.Trim()).Add(word.ToUpperInvariant()).Add(word.ToLower()).Add(word.IndexOfAny(characters));
            table.Try(() => table.Add(word.Remove(1))).Try(() => table.Add(word.Substring(1))).Add(Joined(word.Split('b')));
            table.Add(string.Concat(word, "1", word, "2")).Add(string.Join(",", word, "x")).Add(Joined(word.Split("ab"))).Line();
        }
        table.Add(string.Join(", ", new List<int> { 1, -2, 3 })).Add(string.Format("{0}-{1:X}-{0,4}|{2,-3}|", 7, 255, "a"));
        var builder = new StringBuilder();
        for (int i = 0; i < 700; i++) builder.Append(i % 7).Append("ab");
        table.Add(builder.Length).Add(builder.ToString(1990, 20)).Add(builder.Replace("6ab", "#").Length);
        return table.Add("\u00e9\u00df".Equals("\u00e9\u00df", StringComparison.OrdinalIgnoreCase)).ToString();
    }

    public static string NumberTexts()
    {
        var table = new Table();
        foreach (long n in new[] { 0, 1, -1, 9, 10, 255, -255, 12345, int.MaxValue, int.MinValue, 1234567890123, long.MaxValue, long.MinValue })
        {
            table.Add(n.ToString()).Add(((int)n).ToString()).Add(((uint)n).ToString()).Add(((ulong)n).ToString()).Add(((short)n).ToString());
            table.Add(((byte)n).ToString()).Add(((sbyte)n).ToString()).Add(n.ToString("D4")).Add(((int)n).ToString("D6"));
            table.Add(((uint)n).ToString("D3")).Add(((ulong)n).ToString("D22")).Add(((int)n).ToString("X")).Add(n.ToString("x8"));
            table.Add(((int)n).ToString("N0")).Add(n.ToString("N2")).Add(((int)n).ToString("000")).Add($"{(int)n:D3}|{n,6}|{(byte)n:X2}");
            table.Add(((int)n).ToString("F1")).Add(((int)n).ToString("C")).Add(n.ToString("#,##0")).Add(((int)n).ToString("P0")).Add(((int)n).ToString("E2"));
            table.Add(((char)n).ToString()).Add((n > 0).ToString()).Add(Convert.ToString((int)n, 2)).Add(Convert.ToString((int)n, 16)).Line();
        }
        foreach (string text in new[] { "0", "-1", "+7", " 12 ", "1,000", "2147483648", "-2147483649", "0x1F", "1F", "", null, "1.5", "--1", "9223372036854775808" })
        {
            table.Try(() => table.Add(int.Parse(text))).Try(() => table.Add(long.Parse(text))).Try(() => table.Add(byte.Parse(text)));
            table.Add(int.TryParse(text, out int n)).Add(n).Add(ulong.TryParse(text, out ulong u)).Add(u);
            table.Add(int.TryParse(text, System.Globalization.NumberStyles.HexNumber, null, out n)).Add(n);
            table.Add(double.TryParse(text, out double d)).Add(d).Try(() => table.Add(Convert.ToInt32(text))).Line();
        }
        return table.ToString();
    }

    public static string Floats()
    {
        var table = new Table();
        foreach (double d in Doubles)
        {
            float f = (float)d;
            table.Add(double.IsFinite(d)).Add(double.IsInfinity(d)).Add(d.GetHashCode()).Add(double.IsNaN(d)).Add(double.IsInteger(d));
            table.Add(float.IsFinite(f)).Add(float.IsInfinity(f)).Add(f.GetHashCode()).Add(f).Add(float.IsNaN(f));
            table.Add(Math.Truncate(d)).Add(Math.Floor(d)).Add(Math.Ceiling(d)).Add(Math.Abs(d)).Add(Math.Sqrt(d)).Add(Math.Round(d));
            for (int digits = 0; digits < 4; digits++) table.Add(Math.Round(d, digits)).Add(Math.Round(d == d ? d : 0, digits, MidpointRounding.AwayFromZero));
            table.Add(Math.Round(d, MidpointRounding.ToZero)).Add(MathF.Floor(f)).Add(MathF.Sqrt(f)).Add(MathF.Round(f)).Add(Math.Clamp(d, -1, 2));
            table.Try(() => table.Add(Math.Sign(d))).Add(Math.Max(d, 1)).Add(Math.Min(d, 1)).Add(MathF.Truncate(f)).Add(MathF.Abs(f));
            table.Add((int)d).Add((long)d).Add((ulong)d).Add((byte)d).Try(() => table.Add(checked((int)d))).Try(() => table.Add(Convert.ToInt32(d)));
            table.Add(d.Equals(double.NaN)).Add(d.CompareTo(1)).Add(d == 1).Add(d < 1).Line();
        }
        return table.ToString();
    }

    public static string Functions()
    {
        var table = new Table();
        foreach (int a in new[] { 0, 1, -1, 7, -7, 100, int.MaxValue, int.MinValue })
        {
            foreach (int b in new[] { 1, -1, 2, -3, 10, int.MaxValue, int.MinValue })
            {
                table.Try(() => table.Add(Math.DivRem(a, b).Quotient)).Try(() => table.Add(a % b)).Add(Math.BigMul(a, b));
                table.Add(Math.Max(a, b)).Add(Math.Min(a, b)).Add(Math.Clamp(a, -5, 5)).Add(Math.DivRem((long)a, b, out long rest)).Add(rest);
            }
            table.Try(() => table.Add(Math.Abs(a))).Add(Math.Sign(a)).Add(BitOperations.PopCount((uint)a)).Add(BitOperations.Log2((uint)a));
            table.Add(BitOperations.LeadingZeroCount((uint)a)).Add(BitOperations.TrailingZeroCount(a)).Add(BitOperations.RotateLeft((uint)a, 5));
            table.Add(BitOperations.IsPow2(a)).Add(BitOperations.RoundUpToPowerOf2((uint)a)).Add(BitOperations.PopCount((ulong)a));
            table.Add(BitOperations.LeadingZeroCount((ulong)a)).Add(BitOperations.TrailingZeroCount((long)a)).Add(int.PopCount(a));
            table.Add(Math.BigMul((ulong)a, (ulong)a, out ulong low)).Add(low).Line();
        }
        foreach (double x in new[] { 0, 1, -1, 2, -2, 10, 0.5, 3, 100 })
        {
            for (int y = 0; y < 8; y++) table.Add(Math.Pow(x == 0.5 ? 5 : x, y));
            table.Line();
        }
        table.Add(Math.Pow(2, 52)).Add(Math.Pow(2.5, 1)).Add(Math.CopySign(3, -0.0)).Add(Math.CopySign(-3, 1));
        return table.Add(Math.IEEERemainder(7, 4)).Add(5.5 % 2).Add(-5.5 % 2).Add(Math.ScaleB(3, 4)).ToString();
    }

    public static string MoreDelegates()
    {
        var table = new Table();
        Action a = () => table.Add("a");
        Delegate first = a, second = a + a;
        MulticastDelegate third = a, fourth = (Action)second;
        table.Add(first == second).Add(first != second).Add(third == fourth).Add(third != fourth).Add(first.Equals(third)).Add(third.Equals(null));
        table.Add(first.GetInvocationList().Length).Add(fourth.GetInvocationList().Length).Add(Delegate.Remove(null, first) == null);
        table.Add(Delegate.Combine(null, first) == first).Add(Delegate.Remove(second, null) == second).Add(Delegate.Remove(first, first) == null);
        table.Add(((Delegate)third).Equals(fourth)).Add(third.Equals((object)second));
        Func<int> other = () => 1;
        table.Try(() => table.Add(Delegate.Combine(first, other) == null)).Try(() => table.Add(Delegate.Remove(first, other) == null));
        return table.Add((object)first == null).Add(first.Equals(other)).ToString();
    }

    struct Plainly { public int A; public string B; public double C; }

    record struct Point(int X, string Y);

    record Line(Point From, Point To);

    public static string Hashes()
    {
        var table = new Table();
        var one = new Plainly { A = 1, B = "x", C = double.NaN };
        var same = new Plainly { A = 1, B = "X".ToLowerInvariant(), C = double.NaN };
        table.Add(one.Equals(same)).Add(one.Equals(default(Plainly))).Add(one.Equals(null)).Add(one.Equals("x")).Add(one.GetHashCode() == same.GetHashCode());
        table.Add(new Line(new Point(1, "a"), default) == new Line(new Point(1, "a"), default)).Add(new Line(default, default).Equals(null));
        table.Add(HashCode.Combine(1) == HashCode.Combine(1)).Add(HashCode.Combine(1, 2) == HashCode.Combine(1, 2)).Add(HashCode.Combine(1, 2, 3) == HashCode.Combine(1, 2, 3));
        table.Add(HashCode.Combine(1, 2, 3, 4) == HashCode.Combine(1, 2, 3, 4)).Add(HashCode.Combine(1, 2, 3, 4, 5) == HashCode.Combine(1, 2, 3, 4, 5));
        table.Add(HashCode.Combine(1, 2, 3, 4, 5, 6) == HashCode.Combine(1, 2, 3, 4, 5, 6)).Add(HashCode.Combine(1, 2, 3, 4, 5, 6, 7) == HashCode.Combine(1, 2, 3, 4, 5, 6, 7));
        table.Add(HashCode.Combine(1, 2, 3, 4, 5, 6, 7, 8) == HashCode.Combine(1, 2, 3, 4, 5, 6, 7, 8));
        var code = new HashCode();
        code.Add(1);
        var again = new HashCode();
        again.Add(1);
        table.Add(code.ToHashCode() == again.ToHashCode()).Add(new object().GetHashCode() != 0).Line();
        var table1 = new Dictionary<Plainly, int> { [one] = 1 };
        var table2 = new Dictionary<Line, int> { [new Line(new Point(1, "a"), default)] = 2 };
        var table3 = new HashSet<(string, Plain)> { ("a", Plain.One), ("a", Plain.Two), ("a", Plain.One) };
        table.Add(table1[same]).Add(table2[new Line(new Point(1, "a"), default)]).Add(table3.Count).Add(table3.Contains(("a", Plain.Two)));
        var table4 = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { ["Ab"] = 5 };
        var table5 = new HashSet<object> { table4, "x", 5, 'c', 5m, 0.5f, true, new Plainly() };
        table.Add(table4["aB"]).Add(table5.Contains("x")).Add(table5.Contains(5)).Add(table5.Contains(5L)).Add(table5.Contains(new Plainly()));
        for (int i = 0; i < 40; i++) table4[(i * 7).ToString()] = i;
        return table.Add(table4.Count).Add(table4["133"]).Add(table5.Contains(5.0m)).ToString();
    }

    public static string Output()
    {
        Console.WriteLine(); Console.WriteLine(true); Console.WriteLine('c'); Console.WriteLine(1); Console.WriteLine(1u); Console.WriteLine(1L);
        Console.WriteLine(1UL); Console.WriteLine(1f); Console.WriteLine(1.5); Console.WriteLine(1m); Console.WriteLine("text");
        Console.WriteLine(new[] { 'c' }); Console.WriteLine(new object()); Console.Write(true); Console.Write('c'); Console.Write(1); Console.Write(1u);
        Console.Write(1L); Console.Write(1UL); Console.Write(1f); Console.Write(1.5); Console.Write(1m); Console.Write("text"); Console.Write(new[] { 'c' });
        Console.Write((object)null);
        return "";
    }

    static Table Says(Table table, Func<object> act)
    {
        try
        {
            act();
            return table.Add("nothing");
        }
        catch (Exception e)
        {
            return table.Add(e.Message).Line();
        }
    }

    public static string Messages()
    {
        var table = new Table();
        string none = null;
        int zero = 0;
        int[] array = { 1 };
        Says(table, () => none.Length);
        Says(table, () => 1 / zero);
        Says(table, () => array[1]);
        Says(table, () => throw new InvalidOperationException());
        Says(table, () => throw new ArgumentException());
        Says(table, () => throw new ArgumentException("m", "p"));
        Says(table, () => throw new ArgumentNullException());
        Says(table, () => throw new ArgumentNullException("p"));
        Says(table, () => throw new ArgumentNullException("p", "m"));
        Says(table, () => throw new ArgumentOutOfRangeException());
        Says(table, () => throw new ArgumentOutOfRangeException("p"));
        Says(table, () => throw new ArgumentOutOfRangeException("p", 5, "m"));
        Says(table, () => throw new NotSupportedException());
        Says(table, () => throw new KeyNotFoundException());
        Says(table, () => throw new FormatException());
        Says(table, () => throw new NotImplementedException());
        Says(table, () => throw new Exception("m", new Exception("n")));
        Says(table, () => new List<int>()[0]);
        Says(table, () => new Stack<int>().Pop());
        Says(table, () => new Queue<int>().Dequeue());
        Says(table, () => new int[0].First());
        Says(table, () => new[] { 1, 2 }.Single());
        Says(table, () => new int?().Value);
        Says(table, () => "abc".Substring(4));
        Says(table, () => "abc".Substring(0, 4));
        Says(table, () => checked(int.MaxValue + array[0]));
        Says(table, () => decimal.MaxValue + array[0]);
        Says(table, () => 1m / (decimal)zero);
        Says(table, () => (decimal)(1e30 * array[0]));
        Says(table, () => decimal.Round(1m, 30));
        Says(table, () => Plain.One.ToString("Q"));
        Says(table, () => Enum.Parse<Plain>("x"));
        Says(table, () => Enum.Parse<Plain>(""));
        Says(table, () => Enum.Parse<Plain>(none));
        Says(table, () => { Array.Copy(array, 0, array, 1, 1); return 0; });
        Says(table, () => { Array.Copy(array, 0, array, 0, -1); return 0; });
        Says(table, () => { Array.Clear(array, 1, 1); return 0; });
        Says(table, () => new string('c', -1));
        Says(table, () => new string(new[] { 'c' }, 0, 2));
        Says(table, () => Delegate.Combine(new Action(() => { }), new Func<int>(() => 1)));
        Says(table, () => Delegate.Remove(new Action(() => { }), new Func<int>(() => 1)));
        return table.ToString();
    }

    public static string MessageOfFlags() => Says(new Table(), () => ((Enum)Plain.One).HasFlag(Small.A)).ToString();

    public static string MessageOfException() => Says(new Table(), () => throw new Exception()).ToString();

    class Own : Exception { }

    public static string MessageOfOwnException() => Says(new Table(), () => throw new Own()).ToString();

    public static string MessageOfKey() => Says(new Table(), () => new Dictionary<int, int>()[5]).ToString();

    public static string MessageOfCast() => Says(new Table(), () => (string)(object)new Line(default, default)).ToString();

    public static string MessageOfFormat() => Says(new Table(), () => int.Parse("x")).ToString();

    public static string MessageOfOverflow() => Says(new Table(), () => int.Parse("99999999999")).ToString();

    public static string MessageOfRange() => Says(new Table(), () => { ArgumentOutOfRangeException.ThrowIfNegative(-1, "p"); return 0; }).ToString();

    public static string MessageOfDuplicate() => Says(new Table(), () => { new Dictionary<string, int> { { "a", 1 } }.Add("a", 2); return 0; }).ToString();

    public static string TextsOfFloats()
    {
        var table = new Table();
        foreach (double d in Doubles) table.Add(d.ToString()).Add(((float)d).ToString()).Add($"{d}").Line();
        return table.ToString();
    }

    static Table FormatsOf(Table table, double d)
    {
        table.Add(d.ToString("F2")).Add(d.ToString("0.00")).Add(d.ToString("N1")).Add($"{d:F0}|{d,10:0.#}|{d:P1}");
        return table.Add(d.ToString("E3")).Add(d.ToString("G5")).Add(d.ToString("R")).Add(((float)d).ToString("F1")).Line();
    }

    public static string FormatsOfFloats()
    {
        var table = new Table();
        foreach (double d in new[] { 0, -0.0, 0.5, 1.5, 2.5, 0.125, -0.005, 0.1, 2.345, 1234567.891, -99.995, 1e6, double.NaN, double.NegativeInfinity })
        {
            FormatsOf(table, d);
        }
        return table.ToString();
    }

    public static string FormatsOfLargeFloats() => FormatsOf(new Table(), 1e22).ToString();

    public static string Characters()
    {
        var table = new Table();
        for (char c = '\0'; c < 128; c++)
        {
            table.Add(char.IsLetter(c)).Add(char.IsDigit(c)).Add(char.IsWhiteSpace(c)).Add(char.IsPunctuation(c)).Add(char.IsUpper(c)).Add(char.IsLower(c));
            table.Add(char.ToUpper(c)).Add(char.ToLower(c)).Add(char.IsControl(c)).Add(char.IsSymbol(c)).Add((int)char.GetUnicodeCategory(c)).Line();
        }
        return table.ToString();
    }

    public static string Fused() => new Table().Add(Math.FusedMultiplyAdd(2, 3, 4)).ToString();

    public static string RoundedNaN() => new Table().Add(Math.Round(double.NaN, MidpointRounding.AwayFromZero)).ToString();

    public static string Powers() => new Table().Add(Math.Pow(2, 0.5)).ToString();

    public static string NumericValues() => new Table().Add(char.GetNumericValue('7')).ToString();

    public static string CharactersBeyond()
    {
        var table = new Table();
        for (int n = 128; n < 0x10000; n += n < 0x600 ? 1 : 97)
        {
            char c = (char)n;
            table.Add(char.IsLetter(c)).Add(char.IsDigit(c)).Add(char.IsWhiteSpace(c)).Add(char.IsPunctuation(c)).Add(char.IsUpper(c)).Add(char.IsLower(c));
            table.Add(char.IsLetterOrDigit(c)).Add((int)char.GetUnicodeCategory(c)).Line();
        }
        return table.ToString();
    }

    static readonly Func<char, bool>[] questions =
    {
        c => char.IsLetter(c), c => char.IsDigit(c), c => char.IsLetterOrDigit(c), c => char.IsUpper(c), c => char.IsLower(c),
        c => char.IsWhiteSpace(c), c => char.IsPunctuation(c), c => char.IsSeparator(c), c => char.IsSymbol(c),
        c => char.IsNumber(c),
    };

    /// The answers for 32 characters each, as bits.
    public static string QuestionsAboutAll()
    {
        var table = new Table();
        for (int first = 0; first < 0x10000; first += 32)
        {
            table.Add(first);
            foreach (var question in questions)
            {
                ulong answers = 0;
                for (int n = 0; n < 32; n++) if (question((char)(first + n))) answers |= 1UL << n;
                table.Add(answers);
            }
            table.Line();
        }
        return table.ToString();
    }

    /// The characters that have another case.
    public static string Moved()
    {
        var table = new Table();
        for (int n = 0; n < 0x10000; n++)
        {
            char c = (char)n, upper = char.ToUpperInvariant(c), lower = char.ToLowerInvariant(c);
            if (upper != c || lower != c) table.Add(n).Add((int)upper).Add((int)lower).Line();
        }
        return table.ToString();
    }

    public static string CasesBeyond()
    {
        var table = new Table();
        for (int n = 128; n < 0x10000; n += n < 0x600 ? 1 : 97)
        {
            char c = (char)n;
            table.Add(char.ToUpper(c)).Add(char.ToLowerInvariant(c)).Line();
        }
        foreach (string word in new[] { "\u00e9t\u00e9", "\u00df", "\u0130\u0131", "\ud801\udc28" })
        {
            table.Add(word.ToUpper()).Add(word.ToLowerInvariant()).Add(word.Equals(word.ToUpper(), StringComparison.OrdinalIgnoreCase));
        }
        return table.Add(string.Compare("\u00e9", "\u00c8", StringComparison.OrdinalIgnoreCase)).ToString();
    }

    public static string Dates()
    {
        var table = new Table();
        foreach (var date in new[] { default, new DateTime(2024, 2, 29), new DateTime(1999, 12, 31, 23, 59, 58, 7), DateTime.MaxValue })
        {
            table.Add(date.ToString()).Add(date.ToString("yyyy-MM-dd")).Add(date.ToString("o")).Add(date.ToString("s")).Add($"{date:dd.MM.yy HH:mm}");
            table.Add(date.ToShortDateString()).Add(date.ToString("D")).Add(date.DayOfWeek.ToString()).Add(date.DayOfYear).Add(date.Ticks);
            table.Try(() => table.Add(date.AddDays(1).ToString("u"))).Try(() => table.Add(date.AddMonths(-1).Month)).Line();
        }
        foreach (string text in new[] { "2024-02-29", "2023-02-29", "2024-01-02T03:04:05", "x" })
        {
            table.Add(DateTime.TryParse(text, out DateTime date)).Add(date.Ticks).Line();
        }
        return table.ToString();
    }

    public static string Times()
    {
        var table = new Table();
        foreach (var span in new[] { default, TimeSpan.FromMinutes(61.5), new TimeSpan(-1, 2, 3, 4, 5), TimeSpan.MaxValue, TimeSpan.FromDays(12) })
        {
            table.Add(span.ToString()).Add(span.ToString("c")).Add(span.ToString("g")).Add(span.ToString(@"hh\:mm")).Add($"{span}").Add(span.TotalHours);
            table.Add(span.Days).Add(span.Milliseconds).Line();
        }
        return table.Add(new DateOnly(2024, 5, 6).ToString("yyyy-MM-dd")).Add(new TimeOnly(7, 8).ToString()).Add(TimeSpan.Parse("1:02:03").Ticks).ToString();
    }

    public static string NativeConversions()
    {
        var table = new Table();
        foreach (double x in new[] { 0, -0.5, 1.9, -1.9, 2147483647.5, -2147483648.9 })
        {
            table.Add(double.ConvertToIntegerNative<int>(x)).Add(double.ConvertToIntegerNative<long>(x)).Line();
        }
        foreach (float x in new[] { 0f, -0.5f, 1.9f, 16777216f, -2147483648f })
        {
            table.Add(float.ConvertToIntegerNative<int>(x)).Add(float.ConvertToIntegerNative<long>(x)).Line();
        }
        table.Add(double.ConvertToIntegerNative<long>(9007199254740993d)).Add(double.ConvertToIntegerNative<long>(-9.2e18)).Line();
        var random = new Random(7);
        for (int i = 0; i < 20; i++) table.Add(random.Next()).Add(random.Next(10)).Add(random.Next(-5, 5)).Line();
        return table.ToString();
    }

    public static string UnfitConversion() => new Table().Add(double.ConvertToIntegerNative<int>(1e10)).ToString();

    public static string UnfitSmallConversion() => new Table().Add(float.ConvertToIntegerNative<int>(float.NaN)).ToString();

    public static string Sequences()
    {
        var table = new Table();
        string[] texts = { "a", null, "b" };
        int[] numbers = { 1, 2, 3 };
        foreach (int count in new[] { 0, 2, 3 })
        {
            table.Add(new List<int>(numbers).SequenceEqual(numbers.Take(count))).Add(new List<int>(numbers).SequenceEqual(new List<int> { 1, 2, 3 }));
            table.Add(new List<string>(texts).SequenceEqual(new List<string> { "a", null, "b" })).Add(new List<string>(texts).SequenceEqual(new List<string> { "A", null, "b" }, StringComparer.OrdinalIgnoreCase));
            table.Add(numbers.AsSpan().SequenceEqual(numbers.AsSpan(0, count), EqualityComparer<int>.Default)).Line();
        }
        foreach (bool x in new[] { false, true }) table.Add(Array.IndexOf(new[] { true, false }, x)).Add(new List<bool> { x }.Contains(true)).Line();
        Memory<int> memory = numbers.AsMemory(1);
        ReadOnlyMemory<char> letters = "abc".AsMemory(1, 2);
        memory.Span[0] = 7;
        return table.Add(memory.Length).Add(memory.Span[1]).Add(numbers[1]).Add(letters.Span[1]).Add(letters.ToString()).ToString();
    }

    public static string Encodings()
    {
        var table = new Table();
        foreach (string text in new[] { "a", "hello, world", "0123456789abcdef0123456789abcdef" })
        {
            byte[] utf8 = Encoding.UTF8.GetBytes(text), ascii = Encoding.ASCII.GetBytes(text);
            table.Add(utf8.Length).Add(ascii.Length).Add(Encoding.UTF8.GetString(utf8)).Add(Encoding.ASCII.GetString(ascii)).Line();
        }
        return table.ToString();
    }

    public static string Guids()
    {
        var table = new Table();
        Guid guid = new Guid(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        return table.Add(guid.ToString()).Add(guid == Guid.Empty).Add(Guid.Parse("00000001-0002-0003-0405-060708090a0b") == guid).ToString();
    }

    public static string Substrings()
    {
        var table = new Table();
        foreach (string text in new[] { "", "a", "hello", "h\u00e9\0llo" })
        {
            for (int start = -1; start < 7; start++)
            {
                for (int length = -1; length < 7; length++)
                {
                    table.Try(() => table.Add(text.Substring(start, length)));
                }
            }
            table.Line();
        }
        return table.ToString();
    }

    public static string Delegates()
    {
        var table = new Table();
        Action a = () => table.Add("a"), b = () => table.Add("b");
        Action both = a + b, more = both + a + b;
        (more - both)();
        more();
        table.Line().Add(both == a + b).Add(both != more).Add(both.Equals(a + b)).Add((a - a) == null);
        table.Add(more.GetInvocationList().Length).Add((more - b - a)?.GetInvocationList().Length ?? 0);
        return table.ToString();
    }

    public static string Identities()
    {
        var table = new Table();
        foreach (int n in new[] { 0, 7, 299, 300, -1 })
        {
            table.Add(ReferenceEquals(n.ToString(), ((long)n).ToString())).Add(ReferenceEquals(((byte)n).ToString(), ((byte)n).ToString("D")));
            table.Add(ReferenceEquals(n.ToString(), string.Concat(n))).Add(ReferenceEquals(n.ToString("D3"), n.ToString("D3"))).Line();
        }
        string a = "a";
        table.Add(ReferenceEquals(a, "ab".Substring(0, 1))).Add((object)(a + "b") == "ab").Add(ReferenceEquals("a" + "b", "ab"));
        table.Add(ReferenceEquals(Plain.One.ToString(), Plain.One.ToString())).Add(ReferenceEquals(Plain.One.ToString(), "One"));
        return table.Add(ReferenceEquals(typeof(Plain).Name, typeof(Plain).Name)).Add(ReferenceEquals(typeof(Plain).Name, "Plain")).ToString();
    }

    public static string EmptyStrings() => new Table().Add(ReferenceEquals(new string(new[] { 'a' }).Trim('a'), "")).Add(ReferenceEquals(Copied(""), "")).ToString();

#pragma warning disable CS0618
    static string Copied(string text) => string.Copy(text);
#pragma warning restore CS0618
}

enum Plain { Zero, One, Two = 2, Minus = -1, Large = 1000 }

enum Small : sbyte { A = -128, B = 127, C = 0 }

[Flags] enum Rights : ulong { Read = 1, Write = 2, Both = 3, Top = 1UL << 63 }

[Flags] enum Doubled : byte { None = 0, Default = 0, First = 1, Also = 1, Last = 128 }

static class Program
{
    static void Main()
    {
        foreach (MethodInfo method in typeof(Rows).GetMethods(BindingFlags.Public | BindingFlags.Static))
        {
            if (method.ReturnType == typeof(string))
            {
                TextWriter output = Console.Out;
                Console.SetOut(TextWriter.Null);
                object text = method.Invoke(null, null);
                Console.SetOut(output);
                Console.WriteLine("# " + method.Name + "\n" + text);
            }
        }
    }
}
