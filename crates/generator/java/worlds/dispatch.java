//# getter
interface I {
    int d();
}
static class G implements I {
    int v = @{in 0 7};
    public int d() {
        return v;
    }
}
@{maybe static class H implements I {
    public int d() {
        return @{in 0 7};
    }
}
static I other = new H();}
static boolean ok() {
    I g = new G();
    if (g.d() == @{in 0 7}) return true;
    return @{one true ;; false ;; g.d() < 4};
}
//# comparator
static boolean ok() {
    Integer[] a = {@{in 0 4}, @{in 0 4}, @{in 0 4}};
    java.util.Comparator<Integer> by = @{one (x, y) -> y - x ;; Integer::compare ;; new java.util.Comparator<Integer>() { public int compare(Integer x, Integer y) { return y.compareTo(x); } }};
    return by.compare(a[0], a[1]) @{one <= ;; < ;; ==} 0 || by.compare(a[1], a[2]) > 0;
}
//# chain
interface I {
    I next();
    int value();
}
static class N implements I {
    final I next;
    int value;
    N(I next, int value) {
        this.next = next;
        this.value = value;
    }
    public I next() {
        return next;
    }
    public int value() {
        return value;
    }
}
static boolean ok() {
    I list = new N(new N(null, @{in 0 3}), @{in 0 3});
    int sum = 0;
    for (I i = list; i != null; i = i.next()) sum += i.value();
    return sum @{one != ;; < ;; ==} @{in 1 5};
}
//# visitor
interface V {
    int leaf(int n);
    int both(T a, T b);
}
static abstract class T {
    abstract int take(V v);
}
static class Leaf extends T {
    int n;
    Leaf(int n) {
        this.n = n;
    }
    int take(V v) {
        return v.leaf(n);
    }
}
static class Both extends T {
    T a, b;
    Both(T a, T b) {
        this.a = a;
        this.b = b;
    }
    int take(V v) {
        return v.both(a, b);
    }
}
static class Sum implements V {
    public int leaf(int n) {
        return n;
    }
    public int both(T a, T b) {
        return a.take(this) @{one + ;; - ;; *} b.take(this);
    }
}
static boolean ok() {
    T t = new Both(new Leaf(@{in 0 3}), @{one new Leaf(@{in 1 3}) ;; new Both(new Leaf(@{in 0 3}), new Leaf(1))});
    int n = t.take(new Sum());
    if (n == @{in 0 4}) return true;
    return @{one false ;; true ;; n > 2};
}
//# input
interface I {
    int f(int x);
}
static class G implements I {
    public int f(int x) {
        int y = x * 2;
        if (y > @{in 3 10}) y = @{in 3 10};
        return y;
    }
}
static boolean ok(int x) {
    I g = new G();
    return g.f(x) != @{in 2 10};
}
//# list
static int n;
static boolean ok() {
    java.util.List<Integer> l = new java.util.AbstractList<Integer>() {
        public Integer get(int i) {
            n++;
            return i;
        }
        public int size() {
            return @{in 1 3};
        }
    };
    int s = 0;
    for (int x : l) s += x;
    return n @{one != ;; < ;; ==} @{in 1 3};
}
//# supplier
static java.util.function.Supplier<Integer> s = () -> @{in 0 3};
java.util.function.IntUnaryOperator f = x -> x + @{in 0 2};
static boolean ok() {
    int n = new @CLAIM().f.applyAsInt(s.get());
    if (n == @{in 0 4}) return true;
    return n @{one > ;; < ;; !=} @{in 0 4};
}
//# iterate
static class R implements Iterable<Integer> {
    int to = @{in 1 3};
    public java.util.Iterator<Integer> iterator() {
        return new java.util.Iterator<>() {
            int at = 0;
            public boolean hasNext() {
                return at < to;
            }
            public Integer next() {
                return at++;
            }
        };
    }
}
static boolean ok() {
    int s = 0;
    for (int x : new R()) s += x;
    return s @{one != ;; < ;; ==} @{in 0 3};
}
