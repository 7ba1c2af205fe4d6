/** Accounts that money is moved between. Can a transfer make money? */
class Account {
    int balance;

    Account(int balance) {
        this.balance = balance;
    }

    /** Keeps the sum of both balances. Or does it? */
    static void transfer(Account from, Account to, int amount) {
        if (from == null || to == null || amount < 0 || amount > from.balance) {
            return;
        }
        int source = from.balance - amount;
        int target = to.balance + amount;
        long sum = (long) from.balance + to.balance;
        from.balance = source;
        to.balance = target;
        assert (long) from.balance + to.balance == sum;
    }

    /** Keeps it: between two accounts, and without overflow. */
    static void safeTransfer(Account from, Account to, int amount) {
        if (from == null || to == null || from == to || amount < 0 || amount > from.balance) {
            return;
        }
        if (to.balance > Integer.MAX_VALUE - amount) {
            return;
        }
        long sum = (long) from.balance + to.balance;
        from.balance -= amount;
        to.balance += amount;
        assert (long) from.balance + to.balance == sum;
    }
}
