using System;

/// What programs write, and where they are: the runtime and the interpreter must leave the same here.
public static class Log
{
    public static char[] text = new char[1 << 16];
    public static int length;
    public static int fuel;
    /// The statements that were reached, as bits.
    public static long reached;

    public sealed class OutOfFuel : Exception
    {
    }

    /// Bounds the work of a program.
    public static void Step()
    {
        if (--fuel < 0)
        {
            throw new OutOfFuel();
        }
    }

    public static void Reach(int mark)
    {
        reached |= 1L << mark;
    }

    /// The value, which is not a constant for the compiler.
    public static T K<T>(T value) => value;

    public static string Cut(string text) => text != null && text.Length > 24 ? text.Substring(0, 24) : text;

    private static void Put(char c)
    {
        if (length < text.Length)
        {
            text[length++] = c;
        }
    }

    public static void Write(string line)
    {
        line = line ?? "null";
        for (int i = 0; i < line.Length; i++)
        {
            char c = line[i];
            if (c >= ' ' && c < 127)
            {
                Put(c);
            }
            else
            {
                Put('\\');
                for (int shift = 12; shift >= 0; shift -= 4)
                {
                    Put("0123456789abcdef"[c >> shift & 15]);
                }
            }
        }
        Put('\n');
    }

    public static void Write(bool value) => Write(value ? "True" : "False");
    public static void Write(char value) => Write(new string(value, 1));
    public static void Write(int value) => Write(value.ToString());
    public static void Write(uint value) => Write(value.ToString());
    public static void Write(long value) => Write(value.ToString());
    public static void Write(ulong value) => Write(value.ToString());
    public static void Write(float value) => Write(value.ToString());
    public static void Write(double value) => Write(value.ToString());
    public static void Write(decimal value) => Write(value.ToString());
    public static void Write(object value) => Write(value == null ? "null" : value.ToString());

    public static void Write<T>(T[] values)
    {
        if (values == null)
        {
            Write("null");
            return;
        }
        string line = "[";
        foreach (T value in values)
        {
            line += (value == null ? "null" : value.ToString()) + ";";
        }
        Write(line + "]");
    }

    /// The bits of a float: all NaN are one here.
    public static void Bits(double value) => Write(value != value ? "NaN" : BitConverter.DoubleToInt64Bits(value).ToString());
    public static void Bits(float value) => Write(value != value ? "NaN" : BitConverter.SingleToInt32Bits(value).ToString());

    /// The class of an exception; messages are those of the program only.
    public static void Report(Exception e) => Write(e.GetType().Name);
}
