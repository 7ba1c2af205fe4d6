using System.Collections.Generic;
using System.Diagnostics;

/// <summary>Orders from a stock of two goods.</summary>
public static class Stock
{
    public static void Order(int good, int count)
    {
        var stock = new Dictionary<int, int> { [1] = 10, [2] = 5 };
        if (stock.TryGetValue(good, out int left) && count <= left)
        {
            stock[good] = left - count;
        }
        foreach (KeyValuePair<int, int> entry in stock)
        {
            Debug.Assert(entry.Value <= 10);
        }
    }

    public static void CheckedOrder(int good, int count)
    {
        var stock = new Dictionary<int, int> { [1] = 10, [2] = 5 };
        if (count >= 0 && stock.TryGetValue(good, out int left) && count <= left)
        {
            stock[good] = left - count;
        }
        foreach (KeyValuePair<int, int> entry in stock)
        {
            Debug.Assert(entry.Value <= 10);
        }
    }
}
