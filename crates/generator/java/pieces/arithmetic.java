//# narrowing
static byte b = @{lit byte};
static short s = @{lit short};
static char c = @{lit char};
static int i = @{lit int};
static long l = @{lit long};
static void show() {
    System.out.println(b);
    System.out.println(s);
    System.out.println((int) c);
    System.out.println(i);
    System.out.println(l);
}
static void run() {
    @{some b += @{int}; ;; b -= @{long}; ;; b *= @{lit int}; ;; b <<= @{in 0 40}; ;; b >>= @{in 0 9}; ;; b >>>= @{in 0 40};
    ;; b ^= @{lit long}; ;; b |= @{lit int}; ;; b /= @{in 1 9}; ;; b %= @{in 2 9}; ;; b++; ;; --b;
    ;; s += @{lit int}; ;; s *= @{lit long}; ;; s >>>= @{in 1 20}; ;; s--; ;; s <<= @{lit int}; ;; s = (short) (s + b);
    ;; c += @{lit int}; ;; c++; ;; c -= 'a'; ;; c >>= @{in 1 3}; ;; c *= 2L; ;; c = (char) (c + 1); ;; c ^= @{lit char};
    ;; i += @{lit long}; ;; i <<= @{lit long}; ;; i >>>= @{lit int}; ;; i = -i; ;; i = ~i; ;; i = i * i; ;; i *= @{lit long};
    ;; l <<= @{lit int}; ;; l >>>= @{lit long}; ;; l = -l; ;; l += i; ;; l ^= l << 13; ;; l = l * @{lit long} + 11; ;; l >>= b;}
    show();
    @{some b = (byte) l; ;; c = (char) i; ;; s = (short) c; ;; i = (char) b; ;; l = (byte) c; ;; i = (short) l; ;; c = (char) (byte) i;}
    show();
}
//# division
static int quotient(int a, int b) {
    return a / b;
}
static long remainder(long a, long b) {
    return a % b;
}
static void run() {
    int[] ints = {0, 1, -1, @{lit int}, @{lit int}, Integer.MIN_VALUE, Integer.MAX_VALUE, @{in 2 9}};
    long sum = 0;
    int zeros = 0;
    for (int a : ints) {
        for (int b : ints) {
            try {
                int q = quotient(a, b);
                sum = sum * 31 + q;
                sum = sum * 31 + a % b;
                sum ^= remainder(a * 3000000000L, b);
                if (q * b + a % b != a) {
                    System.out.println("wrong");
                }
            } catch (ArithmeticException e) {
                zeros++;
            }
        }
    }
    System.out.println(sum);
    System.out.println(zeros);
    System.out.println(Integer.MIN_VALUE / quotient(1, -1));
    System.out.println(Long.MIN_VALUE / remainder(-1, 5));
    System.out.println(Long.MIN_VALUE % remainder(-1, 5));
    try {
        System.out.println(@{lit long} % remainder(4, 2));
    } catch (ArithmeticException e) {
        Main.report(e);
    }
    try {
        i = @{one i / zero ;; i % zero ;; (int) (5L / zero)};
        System.out.println(i);
    } catch (ArithmeticException e) {
        System.out.println(e);
    }
    try {
        i /= zero;
    } finally {
        System.out.println(i);
    }
}
static int i = @{in 1 9};
static int zero;
//# shifts
static void run() {
    int[] counts = {0, 1, 31, 32, 33, 63, 64, 65, -1, -31, -32, -33, @{lit int}};
    int a = @{lit int};
    long b = @{lit long};
    byte c = @{lit byte};
    for (int count : counts) {
        System.out.println(a << count);
        System.out.println(a >> count);
        System.out.println(a >>> (long) count);
        System.out.println(b << count);
        System.out.println(b >> count);
        System.out.println(b >>> count);
        System.out.println(c >>> count);
        System.out.println((byte) (c << count));
    }
}
//# constants
static final int A = @{int};
static final long B = @{long with int A};
static final byte C = (byte) @{int with int A, long B};
static final char D = (char) (A + 'x');
static final boolean E = @{boolean with int A, long B, byte C, char D};
static final int F = 0x7fff_ffff + 1, G = 0b1010_1010 ^ 0777, H = 'a' + 'b', I = -2147483648, J = 1 << 33;
static void run() {
    System.out.println(A);
    System.out.println(B);
    System.out.println(C);
    System.out.println((int) D);
    System.out.println(E);
    System.out.println(F + G + H + I + J);
    final byte small = 100;
    byte other = small + 27;
    char letter = 'a' + 1;
    final int k = 10;
    byte fits = k;
    short shorts = (short) (fits + letter);
    System.out.println(other + letter + fits + shorts);
    System.out.println(letter);
    System.out.println((char) (letter + 1));
    System.out.println(letter + 1);
    System.out.println(E ? letter : 0);
    System.out.println(E ? 1 : 'x');
    System.out.println(E ? k : letter);
    int n = @{in 0 3};
    System.out.println(n > 1 ? letter : n);
    System.out.println(n > 1 ? 'b' : fits);
    System.out.println(n > 1 ? 5L : n);
}
//# hashing
static long state = @{lit long};
static int next(int bits) {
    state = (state * 0x5DEECE66DL + 0xBL) & ((1L << 48) - 1);
    return (int) (state >>> (48 - bits));
}
static int crc(int value) {
    int crc = ~0;
    for (int k = 0; k < 4; k++) {
        crc ^= value >>> 8 * k & 0xff;
        for (int j = 0; j < 8; j++) {
            crc = (crc & 1) != 0 ? crc >>> 1 ^ 0xEDB88320 : crc >>> 1;
        }
    }
    return ~crc;
}
static int gcd(int a, int b) {
    return b == 0 ? a : gcd(b, a % b);
}
static void run() {
    for (int k = 0; k < @{in 2 6}; k++) {
        int n = next(32);
        System.out.println(n);
        System.out.println(crc(n));
        System.out.println(gcd(n, next(20)));
    }
    long a = 0, b = 1;
    for (int k = 0; k < 100; k++) {
        long t = a + b;
        a = b;
        b = t;
    }
    System.out.println(a);
    java.util.Random random = new java.util.Random(@{in 0 99});
    @{some System.out.println(random.nextInt()); ;; System.out.println(random.nextInt(10)); ;; System.out.println(random.nextBoolean());
    ;; System.out.println(random.nextLong()); ;; System.out.println(random.nextInt(64));}
}
//# exact
static void attempt(int which, int a, int b) {
    try {
        int result;
        switch (which) {
            case 0: result = Math.addExact(a, b); break;
            case 1: result = Math.subtractExact(a, b); break;
            case 2: result = Math.multiplyExact(a, b); break;
            case 3: result = Math.negateExact(a); break;
            case 4: result = Math.toIntExact((long) a * b); break;
            case 5: result = Math.incrementExact(a); break;
            case 6: result = Math.floorDiv(a, b); break;
            case 7: result = Math.floorMod(a, b); break;
            default: result = (int) Math.addExact(a * 0x100000000L, (long) b << 62);
        }
        System.out.println(result);
    } catch (ArithmeticException e) {
        Main.report(e);
    }
}
static void run() {
    for (int which = 0; which < 9; which++) {
        attempt(which, @{lit int}, @{lit int});
        attempt(which, Integer.MIN_VALUE, @{in -2 2});
    }
    System.out.println(Math.abs(Integer.MIN_VALUE) + Math.abs(-5));
    System.out.println(Math.abs(Long.MIN_VALUE));
    System.out.println(Integer.divideUnsigned(@{lit int}, @{in 1 9}) + Integer.remainderUnsigned(@{lit int}, @{in 1 9}));
    System.out.println(Long.divideUnsigned(@{lit long}, @{in 1 9}));
    System.out.println(Long.numberOfLeadingZeros(@{lit long}) + Long.numberOfTrailingZeros(@{lit long}));
    System.out.println(Integer.reverseBytes(@{lit int}));
    System.out.println(Short.reverseBytes(@{lit short}));
}
