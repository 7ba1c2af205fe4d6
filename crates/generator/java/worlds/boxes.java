//# cache
static boolean ok(int a, int b) {
    Integer x = a, y = b;
    return @{one (x == y) == x.equals(y) ;; x != y || a == b ;; a != b || x == y ;; a != b || x == y || a > 127 || a < -128 ;; !x.equals(y) || a == b};
}
//# long
static boolean ok(int a) {
    Long x = (long) a, y = Long.valueOf(a);
    return @{one x == y ;; x.equals(y) ;; x == y || a > 127 || a < -128 ;; !x.equals(a)};
}
//# equal entry
static boolean ok(Integer a, Integer b) {
    if (a == null || b == null) return true;
    return @{one !a.equals(b) || a == b ;; a != b || a.equals(b) ;; a != b ;; a == b || a.intValue() != b.intValue() || a > 127};
}
//# cached entry
static boolean ok(Integer a) {
    return @{one a == null || a != Integer.valueOf(a) ;; a == null || a == Integer.valueOf(a) ;; a != Integer.valueOf(@{in 0 5}) ;; a == null || a > @{in 1 6} || a < 0 || a == Integer.valueOf(a)};
}
//# object entry
static boolean ok(Object o) {
    return @{one !(o instanceof Integer) || (Integer) o != @{in 0 3} ;; o != (Object) 1 ;; !(o instanceof Character) || (Character) o < 'c' ;; !(o instanceof Number) || o instanceof Integer};
}
//# char
static boolean ok(char c) {
    Character x = c, y = c;
    return @{one x == y ;; x.equals(y) ;; x == y || c > 127 ;; x.charValue() != 'b'};
}
//# boolean
static boolean ok(boolean b) {
    Boolean x = b;
    return @{one x == Boolean.TRUE || x == Boolean.FALSE ;; x == Boolean.TRUE ;; x == new Boolean(b) ;; x.equals(b)};
}
//# sum
static boolean ok(int a, int b) {
    Integer x = a;
    x += b;
    x++;
    Integer y = a + b + 1;
    return @{one x.equals(y) ;; x == y ;; x != @{in 0 4} ;; x - 1 == a + b};
}
//# ternary
static boolean ok(boolean b, int n) {
    Object o = @{one b ? n : 2.0 ;; b ? (Object) n : 2.0 ;; b ? 'a' : 0};
    return @{one o instanceof Integer ;; !(o instanceof Integer) ;; o instanceof Double ;; !b || o.equals(n)};
}
