class Overflow {
    static int add(int a, int b) { return a + b; } static int mul(int a, int b) { return a * b; }
    static int neg(int a) { return -a; } static long lmul(long a, long b) { return a * b; }
    public static void main(String[] args) {
        assert add(Integer.MAX_VALUE, 1) == Integer.MIN_VALUE && mul(65536, 65536) == 0 && mul(123456789, 987654321) == -67153019;
        assert neg(Integer.MIN_VALUE) == Integer.MIN_VALUE && lmul(Long.MAX_VALUE, 2) == -2 && Math.abs(Integer.MIN_VALUE) < 0;
        int h = 0; for (char c : new char[] {'h', 'a', 's', 'h', 'i', 'n', 'g'}) h = 31 * h + c;
        assert h == 142041331 * 1 || h == "hashing".hashCode();
        int i = Integer.MAX_VALUE; i++; assert i < 0; long l = Long.MIN_VALUE; l--; assert l > 0;
        assert (int) 3000000000L == -1294967296;
    }
}
