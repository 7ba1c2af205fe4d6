// Calls the methods of the class library that models and intrinsics replace, with corner values.
//
// Each public method of `Rows` gives the text of a table. `Main` prints them all, so that they can be compared with what
// the interpreter computes.

using System;
using System.Reflection;

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
        0.0000000000000000000000000001m, 3m, 10m, 2.5m, 1.00m,
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
            table.Add(Math.Abs(a)).Add(Math.Sign(a)).Add((double)a).Add((float)a);
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
        return table.Try(() => table.Add(((Enum)Plain.One).CompareTo(Small.A))).Add(Plain.One.CompareTo(null)).ToString();
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
                Console.WriteLine("# " + method.Name);
                Console.WriteLine(method.Invoke(null, null));
            }
        }
    }
}
