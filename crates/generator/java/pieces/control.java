//# order
static int calls;
static int[] a = {0, 1, 2, 3};
static int next(int value) {
    calls = calls * 10 + 1 + (value & 7);
    return value;
}
static boolean ask(boolean value, int name) {
    calls = calls * 3 + name;
    return value;
}
static int[] array(int name) {
    next(name);
    return name == 5 ? null : a;
}
static void show() {
    System.out.println(calls);
    for (int value : a) {
        System.out.println(value);
    }
}
static void run() {
    int i = @{in 0 1};
    @{each a[i] = i = 2; ;; i = i++ + ++i; ;; i += i++ * 2 + i; ;; a[i & 3] += ++i; ;; a[i++ & 3] = a[i & 3] = i++;
    ;; i = next(1) + next(2) * next(3); ;; i = a[next(1)] - (a[next(2)] = 7) - a[next(2)]; ;; i -= (i = 3) - i--; ;; a[1] <<= a[1]++;
    ;; i = -i++ - --i; ;; a[next(0)] *= next(3) + (a[0] = 5); ;; i ^= i = 6; ;; i = i = i + 1;}
    System.out.println(i);
    show();
    calls = 0;
    boolean p = @{boolean with int i}, q = @{boolean with int i}, r = @{boolean with int i, boolean p};
    @{each p = ask(p, 1) && ask(q, 2) || ask(r, 0); ;; q = ask(q, 1) | ask(p, 2) & ask(r, 1); ;; r = ask(p, 2) ? ask(q, 1) : ask(r, 2);
    ;; p ^= ask(q, 1) != ask(r, 2); ;; q = !(ask(p, 1) || !ask(r, 2)) == ask(q, 0); ;; p &= q |= r;
    ;; if (ask(p, 1) && (ask(q, 2) || !ask(r, 1))) calls++; else calls--; ;; while (ask(r, 1) && calls < 1000) calls += 77;}
    System.out.println(p);
    System.out.println(q);
    System.out.println(r);
    show();
    try {
        array(5)[next(2)] = next(1) / (calls - calls);
    } catch (ArithmeticException e) {
        System.out.println("arithmetic");
    } catch (NullPointerException e) {
        System.out.println("null");
    }
    try {
        array(1)[next(9)] = next(4);
    } catch (ArrayIndexOutOfBoundsException e) {
        Main.report(e);
    }
    try {
        array(1)[next(4)] += next(5) / (calls & 0);
    } catch (ArrayIndexOutOfBoundsException e) {
        Main.report(e);
    } catch (ArithmeticException e) {
        Main.report(e);
    }
    show();
}
//# labels
static void run() {
    int count = 0;
    outer:
    for (int i = 0; i < @{in 3 6}; i++) {
        inner:
        for (int j = 0; ; j++) {
            count += i * j;
            if (j == @{in 2 4}) continue outer;
            if ((i ^ j) == @{in 3 7}) break outer;
            block: {
                if ((i & 1) == 0) break block;
                count += 100;
                if (j > 1) continue inner;
                int k = 0;
                do {
                    k++;
                    if (k == 2) continue;
                    if (k > 5) break inner;
                    count++;
                } while (k < @{in 3 8});
            }
            count += 1000;
        }
        count += 10000;
    }
    System.out.println(count);
    int n = @{in 10 40}, steps = 0;
    while (true) {
        if (n == 1) break;
        n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
        if (++steps > 200) return;
    }
    System.out.println(steps);
    for (int i = 0, j = 10; i < j; i += 2, j--) System.out.println(i * j);
    for (; ; ) {
        if (n++ > 5) break;
    }
    alone: if (n > 3) {
        if (n > @{in 5 8}) break alone;
        System.out.println("small");
    }
    System.out.println(n);
    ;
    {
        int scoped = 1;
        System.out.println(scoped);
    }
    {
        String scoped = "again";
        System.out.println(scoped);
    }
}
//# recursion
static int ackermann(int m, int n) {
    Main.step();
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static boolean even(int n) {
    return n == 0 || odd(n - 1);
}
static boolean odd(int n) {
    return n != 0 && even(n - 1);
}
static void hanoi(int n, char from, char to, char by) {
    if (n == 0) return;
    hanoi(n - 1, from, by, to);
    moves = moves * 7 + from - to;
    hanoi(n - 1, by, to, from);
}
static int moves;
static int queens(int n, int row, int columns, int left, int right) {
    if (row == n) return 1;
    int found = 0;
    for (int column = 0; column < n; column++) {
        int bit = 1 << column;
        if ((columns & bit) == 0 && (left & 1 << row + column) == 0 && (right & 1 << row - column + n) == 0)
            found += queens(n, row + 1, columns | bit, left | 1 << row + column, right | 1 << row - column + n);
    }
    return found;
}
static void run() {
    System.out.println(ackermann(2, @{in 1 3}));
    System.out.println(even(@{in 0 50}));
    hanoi(@{in 2 6}, 'a', 'b', 'c');
    System.out.println(moves);
    System.out.println(queens(@{in 4 6}, 0, 0, 0, 0));
}
