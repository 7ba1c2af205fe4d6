using System;

namespace Letters;

/// <summary>What letters cost, in cents, by their weight in grams.</summary>
public static class Tariff
{
    private static readonly int[] Weights = { 20, 50, 500, 1000 };
    private static readonly int[] Prices = { 95, 110, 180, 290 };

    /// <summary>The price of a letter.</summary>
    public static int Price(int grams)
    {
        if (grams <= 0)
        {
            throw new ArgumentOutOfRangeException(nameof(grams));
        }
        int step = 0;
        while (step < Weights.Length && grams > Weights[step])
        {
            step++;
        }
        return Prices[step];
    }

    /// <summary>The price after a discount in percent.</summary>
    public static int Discounted(int price, int percent)
    {
        return price - price * percent / 100;
    }
}
