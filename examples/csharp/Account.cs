using System.Diagnostics;

/// <summary>Two versions of a transfer. Each should keep the sum of the balances.</summary>
public class Account
{
    public int Balance;

    public static void Transfer(Account from, Account to, int amount)
    {
        if (from == null || to == null || amount < 0 || amount > from.Balance)
        {
            return;
        }
        int source = from.Balance - amount;
        int target = to.Balance + amount;
        long sum = (long)from.Balance + to.Balance;
        from.Balance = source;
        to.Balance = target;
        Debug.Assert((long)from.Balance + to.Balance == sum);
    }

    public static void SafeTransfer(Account from, Account to, int amount)
    {
        if (from == null || to == null || amount < 0 || amount > from.Balance || to.Balance > int.MaxValue - amount)
        {
            return;
        }
        long sum = (long)from.Balance + to.Balance;
        from.Balance -= amount;
        to.Balance += amount;
        Debug.Assert((long)from.Balance + to.Balance == sum);
    }
}
