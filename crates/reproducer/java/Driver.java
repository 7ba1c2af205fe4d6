package aback.confirm;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;

/** Runs a main method and reports its end in a file: the version of Java, the exception, and its stack trace. */
public final class Driver {
    /** Most frames of a stack trace that are reported. */
    private static final int FRAMES = 2000;

    public static void main(String[] arguments) throws Exception {
        Throwable thrown = null;
        try {
            Class<?> program = Class.forName(arguments[1]);
            program.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } catch (InvocationTargetException e) {
            thrown = e.getCause();
        }
        try (PrintWriter report = new PrintWriter(arguments[0], "UTF-8")) {
            String name = System.getProperty("java.runtime.name", "").split(" ")[0].toLowerCase(java.util.Locale.ROOT);
            report.println(name + " " + System.getProperty("java.version"));
            if (thrown != null) {
                report.println(thrown.getClass().getName());
                StackTraceElement[] trace = thrown.getStackTrace();
                for (int i = 0; i < trace.length && i < FRAMES; i++) {
                    StackTraceElement frame = trace[i];
                    report.println(frame.getClassName() + "\t" + frame.getMethodName() + "\t" + frame.getLineNumber());
                }
            }
            report.println("end");
        }
        // Do not wait for threads that the program has left running.
        Runtime.getRuntime().halt(0);
    }
}
