class Shifts {
    static int i(int x, int n, int k) { return k == 0 ? x << n : k == 1 ? x >> n : x >>> n; }
    static long l(long x, int n, int k) { return k == 0 ? x << n : k == 1 ? x >> n : x >>> n; }
    public static void main(String[] args) {
        assert i(1, 33, 0) == 2 && i(-8, 1, 1) == -4 && i(-8, 1, 2) == 2147483644 && i(-1, 32, 2) == -1 && i(1, -1, 0) == Integer.MIN_VALUE;
        assert l(1, 33, 0) == 8589934592L && l(1, 64, 0) == 1 && l(-8, 65, 1) == -4 && l(-1, 63, 2) == 1 && l(-1, -1, 2) == 1;
        int n = 40; long sh = 33; assert (1 << sh) == 2 && (1L << n) == 1099511627776L;
        byte b = (byte) 0x80; assert b >> 1 == -64 && b >>> 1 == 2147483584 && (b & 0xff) >>> 1 == 64;
        assert (0xF0F0F0F0 ^ 0x0F0F0F0F) == -1 && (~0L >>> 32) == 0xFFFFFFFFL;
    }
}
