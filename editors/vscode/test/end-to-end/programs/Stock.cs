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
        Debug.Assert(stock[1] <= 10);
    }
}
