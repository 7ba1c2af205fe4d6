class InitializationFailure {
    static int tries;
    static class Bad { static int x = fail(); static int fail() { tries++; throw new IllegalStateException(); } static void touch() { } }
    static class Sub extends Bad { static int y = 1; }
    static class Err { static { if (tries >= 0) throw new StackOverflowError(); } static int z; }
    public static void main(String[] args) {
        try { Bad.touch(); assert false; } catch (ExceptionInInitializerError e) { assert e.getCause() instanceof IllegalStateException; }
        try { Bad.x++; assert false; } catch (NoClassDefFoundError e) { }
        try { new Sub(); assert false; } catch (NoClassDefFoundError e) { }
        try { Err.z = 1; assert false; } catch (StackOverflowError e) { }
        assert tries == 1;
    }
}
