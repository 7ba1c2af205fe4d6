package aback.confirm;

import java.io.PrintWriter;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/**
 * Runs tests, given as a class and a method each, in this order and then in the opposite order, and reports in a file
 * how each of them ended.
 */
public final class TestDriver {
    /** Most frames of a stack trace that are reported. */
    private static final int FRAMES = 200;

    public static void main(String[] arguments) throws Exception {
        try (PrintWriter report = new PrintWriter(arguments[0], "UTF-8")) {
            String name = System.getProperty("java.runtime.name", "").split(" ")[0].toLowerCase(java.util.Locale.ROOT);
            report.println(name + " " + System.getProperty("java.version"));
            for (int i = 1; i + 1 < arguments.length; i += 2) {
                run(report, i / 2, arguments[i], arguments[i + 1]);
            }
            for (int i = arguments.length - 2; i > 0; i -= 2) {
                run(report, i / 2, arguments[i], arguments[i + 1]);
            }
        }
        // Do not wait for threads that the program has left running.
        Runtime.getRuntime().halt(0);
    }

    private static void run(PrintWriter report, int number, String type, String name) {
        report.println("test\t" + number);
        // The test may end the JVM.
        report.flush();
        Throwable thrown = null;
        try {
            Constructor<?> constructor = Class.forName(type).getDeclaredConstructor();
            Method method = Class.forName(type).getDeclaredMethod(name);
            method.invoke(constructor.newInstance());
        } catch (InvocationTargetException e) {
            thrown = e.getCause();
        } catch (Throwable e) {
            thrown = e;
        }
        if (thrown != null) {
            String message = String.valueOf(thrown.getMessage()).replaceAll("\\s+", " ");
            report.println("thrown\t" + thrown.getClass().getName() + "\t" + message);
            StackTraceElement[] trace = thrown.getStackTrace();
            for (int i = 0; i < trace.length && i < FRAMES; i++) {
                StackTraceElement frame = trace[i];
                report.println(frame.getClassName() + "\t" + frame.getMethodName() + "\t" + frame.getLineNumber());
            }
        }
        report.println("done");
        report.flush();
    }
}
