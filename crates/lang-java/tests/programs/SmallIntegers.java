class SmallIntegers {
    byte b; short s; char c; static byte sb = 1;
    static byte back(byte b) { return b; } static short two(short s) { return (short) (s * 2); }
    static char up(char c) { return (char) (c - 32); } static boolean flip(boolean b) { return !b; }
    public static void main(String[] args) {
        SmallIntegers o = new SmallIntegers();
        for (int i = 0; i < 300; i++) { o.b++; o.c++; o.s--; } assert o.b == 44 && o.c == 300 && o.s == -300;
        byte x = (byte) 130; assert x == -126 && back(x) == -126 && (x & 0xff) == 130; x -= 10; assert x == 120;
        assert two((short) 20000) == -25536 && up('q') == 'Q' && flip(false);
        char ch = 'a'; ch += 2; assert ch == 'c' && ch + 1 == 100 && (char) (ch + 1) == 'd';
        byte[] bs = new byte[2]; bs[0] = (byte) 0xff; bs[1] = (byte) (bs[0] >>> 4); assert bs[0] == -1 && bs[1] == -1;
        final char k = 5; byte small = k; assert small == 5; int total = sb + small + ch; assert total == 105;
        short sh = 0; sh = (short) ~sh; assert sh == -1 && sh >>> 28 == 15; long w = sh; assert w == -1L; w = ch;
        assert w == 99;
    }
}
