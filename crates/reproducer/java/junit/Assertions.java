package org.junit.jupiter.api;

import java.util.Objects;

/** Stands in for the assertions of JUnit, where there are none. */
public final class Assertions {
    public interface Executable {
        void execute() throws Throwable;
    }

    private Assertions() {}

    private static void check(boolean condition, Object expected, Object actual) {
        if (!condition) {
            throw new AssertionError("expected: <" + expected + "> but was: <" + actual + ">");
        }
    }

    public static void assertTrue(boolean actual) {
        check(actual, true, actual);
    }

    public static void assertFalse(boolean actual) {
        check(!actual, false, actual);
    }

    public static void assertNull(Object actual) {
        check(actual == null, null, actual);
    }

    public static void assertNotNull(Object actual) {
        check(actual != null, "not null", actual);
    }

    public static void assertSame(Object expected, Object actual) {
        check(expected == actual, expected, actual);
    }

    public static void assertEquals(long expected, long actual) {
        check(expected == actual, expected, actual);
    }

    public static void assertEquals(Object expected, Object actual) {
        check(Objects.equals(expected, actual), expected, actual);
    }

    public static void assertArrayEquals(boolean[] expected, boolean[] actual) {
        check(java.util.Arrays.equals(expected, actual), java.util.Arrays.toString(expected), java.util.Arrays.toString(actual));
    }

    public static void assertArrayEquals(byte[] expected, byte[] actual) {
        check(java.util.Arrays.equals(expected, actual), java.util.Arrays.toString(expected), java.util.Arrays.toString(actual));
    }

    public static void assertArrayEquals(char[] expected, char[] actual) {
        check(java.util.Arrays.equals(expected, actual), java.util.Arrays.toString(expected), java.util.Arrays.toString(actual));
    }

    public static void assertArrayEquals(short[] expected, short[] actual) {
        check(java.util.Arrays.equals(expected, actual), java.util.Arrays.toString(expected), java.util.Arrays.toString(actual));
    }

    public static void assertArrayEquals(int[] expected, int[] actual) {
        check(java.util.Arrays.equals(expected, actual), java.util.Arrays.toString(expected), java.util.Arrays.toString(actual));
    }

    public static void assertArrayEquals(long[] expected, long[] actual) {
        check(java.util.Arrays.equals(expected, actual), java.util.Arrays.toString(expected), java.util.Arrays.toString(actual));
    }

    public static <T extends Throwable> T assertThrows(Class<T> expected, Executable executable) {
        try {
            executable.execute();
        } catch (Throwable thrown) {
            check(expected.isInstance(thrown), expected, thrown.getClass());
            return expected.cast(thrown);
        }
        throw new AssertionError("expected: <" + expected + "> but nothing was thrown");
    }
}
