using System.Diagnostics;

/// <summary>A struct with two ends, and methods that change variables of the caller.</summary>
public struct Range
{
    public int Low, High;

    /// <summary>Makes the range larger, so that it contains a number.</summary>
    public static void Include(ref Range range, in int number)
    {
        if (range.Low > range.High)
        {
            range.Low = range.High = number;
        }
        if (number < range.Low)
        {
            range.Low = number;
        }
        if (number > range.High)
        {
            range.High = number;
        }
        Debug.Assert(range.Low <= number && number <= range.High);
    }

    /// <summary>Exchanges two numbers without a third variable.</summary>
    public static void Swap(ref int first, ref int second)
    {
        int a = first, b = second;
        first ^= second;
        second ^= first;
        first ^= second;
        Debug.Assert(first == b && second == a);
    }
}
