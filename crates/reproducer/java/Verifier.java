package org.sosy_lab.sv_benchmarks;

import java.util.ArrayDeque;
import java.util.Queue;

/** Returns the values of the counterexample, in order. */
public final class Verifier {
    private static final Queue<Object> VALUES = new ArrayDeque<>();

    static {
        // values
    }

    private Verifier() {}
    // parts

    /** Ends the program if the condition is false, because then this is not the counterexample. */
    public static void assume(boolean condition) {
        if (!condition) {
            System.err.println("an assumption is false");
            Runtime.getRuntime().halt(3);
        }
    }

    public static boolean nondetBoolean() {
        return (boolean) VALUES.remove();
    }

    public static byte nondetByte() {
        return (byte) VALUES.remove();
    }

    public static char nondetChar() {
        return (char) VALUES.remove();
    }

    public static short nondetShort() {
        return (short) VALUES.remove();
    }

    public static int nondetInt() {
        return (int) VALUES.remove();
    }

    public static long nondetLong() {
        return (long) VALUES.remove();
    }

    public static float nondetFloat() {
        return (float) VALUES.remove();
    }

    public static double nondetDouble() {
        return (double) VALUES.remove();
    }

    public static String nondetString() {
        return (String) VALUES.remove();
    }
}
