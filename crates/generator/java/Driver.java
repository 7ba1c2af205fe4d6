package aback.generator;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.sosy_lab.sv_benchmarks.Verifier;

/**
 * Runs main methods, each with its own classes, and writes what they print.
 *
 * <p>Arguments: the folder of the classes; a file with one run per line (the class and its inputs, separated by tabs); and
 * the file for the results: for each run, the printed bytes and the exception ("" for none), each preceded by its length.
 */
public final class Driver {
    static final class Loader extends ClassLoader {
        private final Path folder;
        private final Map<String, byte[]> files;

        Loader(Path folder, Map<String, byte[]> files) {
            super(Driver.class.getClassLoader());
            this.folder = folder;
            this.files = files;
            setDefaultAssertionStatus(true);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try {
                byte[] bytes = files.get(name);
                if (bytes == null) {
                    bytes = Files.readAllBytes(folder.resolve(name.replace('.', '/') + ".class"));
                    files.put(name, bytes);
                }
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        List<String> runs = Files.readAllLines(Path.of(args[1]), StandardCharsets.UTF_8);
        PrintStream stdout = System.out;
        PrintStream stderr = System.err;
        Map<String, byte[]> files = new HashMap<>();
        String last = null;
        try (DataOutputStream results =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(args[2]))))) {
            for (String run : runs) {
                String[] parts = run.split("\t", -1);
                if (!parts[0].equals(last)) {
                    files.clear();
                    last = parts[0];
                }
                Verifier.feed(parts);
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                PrintStream captured = new PrintStream(bytes, false, StandardCharsets.UTF_8);
                System.setOut(captured);
                String exception = "";
                try {
                    Class<?> main = Class.forName(parts[0], true, new Loader(folder, files));
                    main.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
                } catch (InvocationTargetException e) {
                    exception = describe(e.getCause());
                } catch (Throwable e) {
                    exception = describe(e);
                }
                captured.flush();
                System.setOut(stdout);
                System.setErr(stderr);
                Thread.interrupted();
                write(results, bytes.toByteArray());
                write(results, exception.getBytes(StandardCharsets.UTF_8));
                // If the reader waits in vain for the next run, it must know which run that is.
                results.flush();
            }
        }
    }

    private static String describe(Throwable e) {
        return e.getMessage() == null ? e.getClass().getName() : e.getClass().getName() + ": " + e.getMessage();
    }

    private static void write(DataOutputStream results, byte[] bytes) throws IOException {
        results.writeInt(bytes.length);
        results.write(bytes);
    }
}
