//# identities
static void check(int a, int b) {
    assert @{one (a ^ b) == (a | b) - (a & b) ;; a + b == (a ^ b) + 2 * (a & b) ;; (a - b) * (a + b) == a * a - b * b ;; a / b * b + a % b == a || b == 0
    ;; -a == ~a + 1 ;; (a & b) <= Math.max(a, b) ;; a * b == b * a ;; a << 3 == a * 8 ;; b == 0 || Math.abs(a % b) < Math.abs(b) ;; Math.floorMod(a, 5) >= 0
    ;; (a ^ b) == a + b ;; a % 3 >= 0 ;; a >> 1 == a / 2 ;; a >>> 1 == a / 2 ;; Math.abs(a + b) == Math.abs(a) + Math.abs(b) ;; a * a != b + @{in 0 9}
    ;; a * b != @{in -9 9} ;; (byte) (a * 100) == a * 100 ;; (char) a == a ;; a - b != @{in 0 4} ;; (a & 1) == a % 2} : "identity";
}
//# sorting
static void check(int a, int b, int c) {
    int[] x = {a, b, c};
    for (int i = 0; i < x.length@{one  - 1 ;; }; i++) {
        for (int j = @{one 0 ;; i}; j + 1 < x.length; j++) {
            if (x[j] @{one > ;; >= ;; >} x[j + 1]) {
                int t = x[j];
                x[j] = x[j + 1];
                x[j + 1] = t;
            }
        }
    }
    assert x[0] <= x[1] && x[1] <= x[2];
    assert x[0] + x[1] + x[2] == a + b + c;
}
//# loop
static void check(int n, int step) {
    int sum = 0;
    for (int i = 0; i @{one < ;; <= ;; <} n; i++) sum += @{one 2 * i + 1 ;; i ;; step};
    if (n >= 0) assert @{one sum == n * n ;; sum == n * step ;; sum >= 0 ;; 2 * sum <= n * n + n ;; sum != @{in 3 16}} : sum;
}
//# list
static class Node {
    int value;
    Node next;
    Node(int value, Node next) {
        this.value = value;
        this.next = next;
    }
}
static Node insert(Node list, int value) {
    if (list == null || value @{one < ;; <= ;; >} list.value) return new Node(value, list);
    list.next = insert(list.next, value);
    return list;
}
static Node reverse(Node list) {
    Node result = null;
    while (list != null) {
        Node next = list.next;
        list.next = result;
        result = list;
        list = next;
    }
    return result;
}
static void check(int a, int b, int c) {
    Node list = insert(insert(insert(null, a), b), c);
    @{maybe list = reverse(list);}
    int length = 0;
    for (Node n = list; n != null; n = n.next) {
        length++;
        assert n.next == null || n.value @{one <= ;; <= ;; < ;; >=} n.next.value;
    }
    assert length == 3;
}
//# dispatch
static abstract class Account {
    int money;
    abstract boolean take(int amount);
    void give(int amount) {
        if (amount > 0) money += amount;
    }
}
static class Strict extends Account {
    @Override
    boolean take(int amount) {
        if (amount < 0 || amount > money) return false;
        money -= amount;
        return true;
    }
}
static class Loose extends Account {
    @Override
    boolean take(int amount) {
        money -= amount;
        return amount @{one > ;; >=} 0;
    }
}
static void check(int first, int second, boolean strict) {
    Account account = strict ? new Strict() : new @{one Loose ;; Strict}();
    account.give(first);
    boolean taken = account.take(second);
    assert @{one account.money >= 0 ;; account.money >= 0 || !strict ;; !taken || account.money <= first ;; taken || account.money >= 0 ;; account.money != @{in 1 3} || !taken};
}
//# digits
static int digits(int n) {
    int digits = 0;
    do {
        digits++;
        n /= @{one 10 ;; 2};
    } while (n != 0);
    return digits;
}
static void check(int n) {
    assert @{one digits(n) >= 1 ;; digits(n) <= 6 ;; digits(n) != @{in 1 6} ;; n < 0 || digits(n) <= digits(n + 1) ;; digits(n) == Integer.toString(n).length()};
}
//# exceptions
static int place(int[] a, int i, int d) {
    try {
        return a[i] / d;
    } catch (ArithmeticException e) {
        return @{one -1 ;; 7};
    } finally {
        @{maybe if (i == @{in 0 2}) a[i] = 0;}
    }
}
static void check(int i, int d) {
    int[] a = {4, 5, 6};
    int r;
    try {
        r = place(a, i, d);
    } catch (ArrayIndexOutOfBoundsException e) {
        assert i < 0 || i @{one > ;; >= ;; >=} a.length;
        r = 0;
    }
    assert @{one r <= 7 ;; r != @{in 2 7} ;; a[0] + a[1] + a[2] == 15 ;; r * d <= 6 || d == 0 || i > 2} : "r";
}
//# machine
static void check(int a, int b, int c, int d) {
    int state = 0;
    for (int input : new int[] {a, b, c, d}) {
        switch (state) {
            case 0: state = input > 0 ? 1 : 0; break;
            case 1: state = input == @{in -1 2} ? 2 : 0; break;
            case 2: if (input < 0) state = 3; else state = 1; break;
            case 3: state = @{one 0 ;; 3 ;; 4 ;; 5}; break;
            default: state = 0;
        }
    }
    assert state != @{one 3 ;; 4 ;; 5 ;; 6};
}
//# wide
static void check(long a, int b, short c, byte d) {
    long sum = a + b + c + d;
    c += @{one 32767 ;; 5};
    d *= @{one 64 ;; 2};
    int low = (int) (a << 31);
    assert @{one sum - d == a + b + c ;; c > 0 || d != 0 ;; low == 0 || (a & 1) == 1 ;; d % 2 == 0 ;; c >= d ;; d >= 0 || c < 0 || a > 0 ;; sum <= @{in 2 30}};
}
//# letters
static int score(char c, char d) {
    int score = 0;
    for (char x = c; x <= d; x++) score += x - 'a';
    return score;
}
static void check(char c, char d, boolean up) {
    char e = up ? (char) (c + 1) : c--;
    assert @{one score(c, d) >= 0 ;; c > d || score(c, d) >= -1 ;; e != c ;; e > c ;; score(c, d) != @{in 1 9}} : score(c, d);
}
//# doubles
static void check(double x, float y, int n) {
    double z = x * n + y;
    assert @{one z == z || x != x || y != y ;; x != y ;; !(x < y) || !(y < x) ;; (int) z <= z || z < 0 || z != z ;; z - y == x * n ;; x + y == y + x || x != x || y != y ;; (float) x == x ;; n * y / 2 == n / 2 * y};
}
//# texts
static void check(String s, String t, int n) {
    String u = s + t.substring(t.length() / 2) + n;
    assert @{one u.length() > s.length() ;; !u.equals("@{one ab1 ;; abc2 ;; b0}") ;; u.indexOf(s) == 0 ;; !s.equals(t) || n < 3 ;; u.charAt(0) != 'a' ;; u.startsWith(t) || !s.equals(t) ;; s.compareTo(t) != 0 ;; (s + t).equals(t + s) ;; new StringBuilder(u).reverse().reverse().toString().equals(u)};
}
//# boxes
static void check(int a, int b) {
    Integer x = a + @{one 0 ;; 125}, y = b + @{one 0 ;; 125};
    assert @{one x.equals(y) == (x.intValue() == y.intValue()) ;; (x == y) == x.equals(y) ;; !x.equals(y) || x <= y ;; x.hashCode() == x ;; x < y || y < x || x == y};
}
//# collections
static void check(int a, int b, int c) {
    java.util.@{one List<Integer> all = new java.util.ArrayList<>() ;; Collection<Integer> all = new java.util.TreeSet<>() ;; Collection<Integer> all = new java.util.HashSet<>()};
    all.add(a);
    all.add(b);
    all.add(c);
    all.remove((Object) @{in 0 3});
    assert @{one all.size() <= 3 ;; all.size() == 3 ;; all.size() >= 1 ;; all.contains(a) || a < 4 && a >= 0 ;; !all.contains(@{in 0 3}) ;; all.size() + @{in 0 3} != 2};
}
//# lambdas
static void check(int a, int b) {
    java.util.function.IntUnaryOperator f = x -> x * a + b, g = x -> x - b;
    assert @{one f.andThen(g).applyAsInt(3) == 3 * a ;; f.compose(g).applyAsInt(b) == b ;; f.applyAsInt(a) >= b ;; f.applyAsInt(2) != @{in -5 9} ;; g.applyAsInt(f.applyAsInt(a)) == f.applyAsInt(g.applyAsInt(a))};
}
//# bits
static int count(int n) {
    int count = 0;
    while (n != 0) {
        n @{one &= n - 1 ;; >>>= 1};
        count++;
    }
    return count;
}
static void check(int n, boolean flip) {
    int m = flip ? ~n : n;
    assert @{one count(m) + count(~m) == 32 ;; count(m) == Integer.bitCount(m) ;; count(m) <= 32 ;; count(m) != @{in 1 5} ;; count(n) < 6 || n < 0};
}
