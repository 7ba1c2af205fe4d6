package org.sosy_lab.sv_benchmarks;

/** Returns the inputs from the driver, in order. */
public final class Verifier {
    /** The program asks to ignore this run. */
    public static final class AssumptionFailed extends Error {
        AssumptionFailed() {
            super(null, null, false, false);
        }
    }

    private static String[] inputs = {};
    private static int next;

    private Verifier() {}

    /** Sets the inputs of the next run; the first element is not an input. */
    public static void feed(String[] run) {
        inputs = run;
        next = 1;
    }

    private static String input() {
        if (next >= inputs.length) {
            throw new IllegalStateException("there is no such input");
        }
        return inputs[next++];
    }

    public static void assume(boolean condition) {
        if (!condition) {
            throw new AssumptionFailed();
        }
    }

    public static boolean nondetBoolean() {
        return Boolean.parseBoolean(input());
    }

    public static byte nondetByte() {
        return Byte.parseByte(input());
    }

    public static char nondetChar() {
        return (char) Integer.parseInt(input());
    }

    public static short nondetShort() {
        return Short.parseShort(input());
    }

    public static int nondetInt() {
        return Integer.parseInt(input());
    }

    public static long nondetLong() {
        return Long.parseLong(input());
    }

    public static float nondetFloat() {
        return Float.parseFloat(input());
    }

    public static double nondetDouble() {
        return Double.parseDouble(input());
    }

    public static String nondetString() {
        return input();
    }
}
