//# caches
static void run() {
    Integer a = 127, b = 127, c = 128, d = 128;
    System.out.println(a == b);
    System.out.println(c == d);
    System.out.println(c.equals(d));
    System.out.println(c == 128);
    System.out.println(a.equals(127L));
    Long e = 127L, f = 127L, g = -129L, h = -129L;
    System.out.println(e == f);
    System.out.println(g == h);
    System.out.println(e.equals(f) ^ e.equals(127));
    Character p = 'x', q = 'x', r = '\u0080', s = '\u0080';
    System.out.println(p == q);
    System.out.println(r == s);
    Boolean t = true, u = Boolean.valueOf("TRUE");
    System.out.println(t == u);
    Byte v = -128, w = (byte) 128;
    System.out.println(v == w);
    Short x = 1000, y = 1000;
    System.out.println(x == y);
    System.out.println(x <= y && x >= y);
    Integer z = @{lit int}, zz = z;
    System.out.println(z == zz);
    zz++;
    System.out.println(z == zz);
    zz--;
    System.out.println(z == zz);
    System.out.println(z.equals(zz));
    Object o = true ? 1 : "one";
    System.out.println(o);
    Object n = true ? 1 : Long.valueOf(2);
    System.out.println(n.getClass().getName());
    Object m = @{boolean} ? Integer.valueOf(7) : (Object) Character.valueOf('c');
    System.out.println(m);
    Object k = 'a' + 1;
    System.out.println(k instanceof Integer);
}
//# unboxing
static Integer nothing;
static long add(Long a, Integer b, Character c, Short d, Byte e) {
    return a + b * c - d / (e | 1);
}
static Integer count = @{lit int};
static Integer[] boxes = {1, 2, null, @{lit int}};
static void run() {
    System.out.println(add(@{long}, @{int}, @{char}, @{short}, @{byte}));
    count++;
    ++count;
    count += 5;
    count <<= 2;
    count = -count;
    System.out.println(count--);
    System.out.println(count);
    boxes[0]++;
    boxes[1] += boxes[0]--;
    System.out.println(boxes[0] + boxes[1]);
    try {
        int sum = 0;
        for (int box : boxes) {
            sum += box;
            System.out.println(sum);
        }
    } catch (NullPointerException e) {
        Main.report(e);
    }
    try {
        int value = @{boolean} ? 1 : nothing;
        System.out.println(value);
    } catch (NullPointerException e) {
        Main.report(e);
    }
    try {
        if (nothing == null) {
            nothing++;
        }
    } catch (NullPointerException e) {
        System.out.println(nothing);
    }
    Boolean flag = @{boolean};
    System.out.println(flag ? "yes" : "no");
    System.out.println(!flag | flag);
    Object o = 5;
    int back = (int) o;
    Integer same = (Integer) o;
    System.out.println(back + same);
    try {
        System.out.println((long) o);
    } catch (ClassCastException e) {
        Main.report(e);
    }
    Number number = @{one 3 ;; 3L ;; (short) 3 ;; (byte) 3};
    System.out.println(number.intValue() + number.longValue());
    System.out.println(number instanceof Integer);
    Comparable<Integer> comparable = 5;
    System.out.println(comparable.compareTo(@{in 3 7}));
}
//# statics
static void parse(String text) {
    try {
        System.out.println(Integer.parseInt(text));
    } catch (NumberFormatException e) {
        Main.report(e);
    }
    try {
        System.out.println(Long.parseLong(text, 16));
    } catch (NumberFormatException e) {
        System.out.println(e.getClass());
    }
    try {
        System.out.println(Byte.parseByte(text));
    } catch (NumberFormatException e) {
        Main.report(e);
    }
}
static void run() {
    String[] texts = {@{some "42", ;; "-0", ;; "+7", ;; "", ;; "-", ;; "2147483648", ;; "-2147483648", ;; "12a", ;; " 1", ;; "0x10", ;; "127", ;; "128", ;; "\u0663", ;; "ff", ;; "99999999999999999999",} null};
    for (String text : texts) {
        parse(text);
    }
    @{some System.out.println(Integer.toHexString(@{lit int})); ;; System.out.println(Integer.toBinaryString(@{lit int}));
    ;; System.out.println(Long.toHexString(@{lit long})); ;; System.out.println(Long.toOctalString(@{lit long}));
    ;; System.out.println(Integer.toString(@{lit int}, @{in 2 36})); ;; System.out.println(Long.toString(@{lit long}, @{in 2 36}));
    ;; System.out.println(Integer.toUnsignedString(@{lit int})); ;; System.out.println(Long.toUnsignedString(@{lit long}));
    ;; System.out.println(Integer.bitCount(@{lit int})); ;; System.out.println(Integer.MAX_VALUE + 1 == Integer.MIN_VALUE);
    ;; System.out.println(Integer.valueOf(77).hashCode() + Long.valueOf(-1L).hashCode() + Boolean.hashCode(true) + Character.hashCode('c'));
    ;; System.out.println(Integer.compare(@{int}, @{int})); ;; System.out.println(Character.compare('a', 'c')); ;; System.out.println(Boolean.compare(false, true));
    ;; System.out.println(Character.isDigit('7') && !Character.isDigit('x')); ;; System.out.println(Character.isLetterOrDigit('_'));
    ;; System.out.println(Character.toUpperCase('q')); ;; System.out.println(Character.toLowerCase('Q')); ;; System.out.println((int) Character.toUpperCase('ÿ'));
    ;; System.out.println(Character.getNumericValue('k')); ;; System.out.println(Character.digit('f', 16) + Character.digit('g', 16)); ;; System.out.println(Character.forDigit(11, 16));
    ;; System.out.println(Character.isWhitespace('\t')); ;; System.out.println(Character.isAlphabetic('é')); ;; System.out.println(Character.isSurrogate('\ud800'));
    ;; System.out.println(Byte.toUnsignedInt(@{lit byte})); ;; System.out.println(Short.toUnsignedLong(@{lit short})); ;; System.out.println(Short.compare((short) 3, @{lit short}));
    ;; System.out.println(Integer.parseUnsignedInt("4294967295")); ;; System.out.println(Integer.decode("#ff") + Integer.decode("-010"));
    ;; System.out.println(Integer.sum(@{int}, @{int})); ;; System.out.println(Long.max(@{long}, 3)); ;; System.out.println(Boolean.logicalXor(true, @{boolean}));
    ;; System.out.println(Integer.lowestOneBit(@{lit int})); ;; System.out.println(Byte.MIN_VALUE + Short.MAX_VALUE + Character.MAX_VALUE);}
}
//# overloads
static String f(int x) { return "int"; }
static String f(long x) { return "long"; }
static String f(Integer x) { return "Integer"; }
static String f(Object x) { return "Object"; }
static String f(int... x) { return "int..." + x.length; }
static String g(long x) { return "long"; }
static String g(Integer x) { return "Integer"; }
static String g(Object... x) { return "Object..." + (x == null ? -1 : x.length); }
static String h(double x) { return "double"; }
static String h(Object x) { return "Object"; }
static String h(char x) { return "char"; }
static String k(Object x) { return "Object"; }
static String k(String x) { return "String"; }
static String k(CharSequence x, Object... more) { return "CharSequence" + more.length; }
static void run() {
    byte b = 1;
    char c = 'c';
    Long l = 5L;
    @{each System.out.println(f(b)); ;; System.out.println(f(c)); ;; System.out.println(f(3)); ;; System.out.println(f(3L));
    ;; System.out.println(f(l)); ;; System.out.println(f(Integer.valueOf(3))); ;; System.out.println(f()); ;; System.out.println(f(1, b, c));
    ;; System.out.println(f("x")); ;; System.out.println(f((Object) 3)); ;; System.out.println(f(new int[3])); ;; System.out.println(f(Character.valueOf(c)));
    ;; System.out.println(g(3)); ;; System.out.println(g(b)); ;; System.out.println(g("a", 2)); ;; System.out.println(g((Object[]) null));
    ;; System.out.println(g((Object) null)); ;; System.out.println(g(new String[] {"a", "b"})); ;; System.out.println(g(new int[2])); ;; System.out.println(g(l));
    ;; System.out.println(h(3)); ;; System.out.println(h(3L)); ;; System.out.println(h(c)); ;; System.out.println(h(l)); ;; System.out.println(h(b));
    ;; System.out.println(k(null)); ;; System.out.println(k("a")); ;; System.out.println(k("a", "b")); ;; System.out.println(k((Object) "a"));
    ;; System.out.println(k(new StringBuilder("x"))); ;; System.out.println(k(new StringBuilder("x"), 1, 2L));}
}
