package aback.generator;

import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Calls methods with many inputs, each call with its own classes, until a call fails.
 *
 * <p>Arguments: the folder of the classes; a file with one question per line (the root package of the program, the class and
 * the name of the method, "true" if exceptions count as well as assertions, and the number of calls, separated by tabs); and
 * the file for the results: a line for each question, "passes", or "fails", a tab and the call that failed.
 *
 * <p>These objects are tried: null; the values of static fields of the program, and the elements of collections and arrays in
 * them; enum constants; the results of static methods whose names begin with "make" (including lambdas and objects of
 * anonymous classes); new objects of all classes of the program, whose fields keep the constructor's values or get others;
 * arrays, including those of subclasses; some library objects; and any earlier argument of the call. Some calls are preceded
 * by calls of static methods whose names begin with "mutate".
 */
public final class Entries {
    private static final int[] INTEGERS = {0, 1, 2, 3, -1, 5, 7, 4, 6, 8, 127, 128, 1000, Integer.MAX_VALUE, Integer.MIN_VALUE};

    /** The requested input cannot be created. */
    private static final class NoInput extends Exception {
        NoInput() {
            super(null, null, false, false);
        }
    }

    private final List<Class<?>> classes = new ArrayList<>();
    private final Random random;
    /** The receiver and the arguments created so far for this call. */
    private final List<Object> made = new ArrayList<>();
    private String mutated = "";

    private Entries(ClassLoader loader, List<String> names, long seed) throws ClassNotFoundException {
        random = new Random(seed);
        for (String name : names) {
            classes.add(Class.forName(name, false, loader));
        }
    }

    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        Path results = Path.of(args[2]);
        PrintStream stdout = System.out;
        PrintStream stderr = System.err;
        try (PrintStream lines = new PrintStream(Files.newOutputStream(results), true, StandardCharsets.UTF_8)) {
            for (String question : Files.readAllLines(Path.of(args[1]), StandardCharsets.UTF_8)) {
                String[] parts = question.split("\t");
                System.setOut(new PrintStream(java.io.OutputStream.nullOutputStream()));
                System.setErr(new PrintStream(java.io.OutputStream.nullOutputStream()));
                String failure = failure(folder, parts);
                System.setOut(stdout);
                System.setErr(stderr);
                Thread.interrupted();
                lines.println(failure == null ? "passes" : "fails\t" + failure.replaceAll("\\s+", " "));
            }
        }
    }

    /** The first call that fails, or null. */
    private static String failure(Path folder, String[] parts) throws Exception {
        List<String> names = new ArrayList<>();
        try (Stream<Path> all = Files.walk(folder.resolve(parts[0]))) {
            all.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> folder.relativize(file).toString().replace('/', '.'))
                    .forEach(file -> names.add(file.substring(0, file.length() - ".class".length())));
        }
        names.sort(null);
        boolean traps = Boolean.parseBoolean(parts[3]);
        int calls = Integer.parseInt(parts[4]);
        Map<String, byte[]> files = new HashMap<>();
        for (int call = 0; call < calls; call++) {
            Entries entries = new Entries(new Driver.Loader(folder, files), names, call);
            String failure = entries.call(parts[1], parts[2], traps, call);
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    /** Creates arguments and calls the method. Returns the call if it fails, else null. */
    private String call(String type, String name, boolean traps, int number) throws Exception {
        Class<?> declaring = classes.stream().filter(c -> c.getName().equals(type)).findFirst().orElseThrow();
        Method method = Stream.of(declaring.getDeclaredMethods())
                .filter(m -> m.getName().equals(name) && !m.isBridge() && !m.isSynthetic())
                .findFirst()
                .orElseThrow();
        method.setAccessible(true);
        Object receiver = null;
        Object[] arguments = new Object[method.getParameterCount()];
        try {
            if (!Modifier.isStatic(method.getModifiers())) {
                receiver = input(declaring, 0);
                if (receiver == null || !owner(receiver.getClass(), method).equals(declaring)) {
                    return null;
                }
                made.add(receiver);
            }
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = input(method.getParameterTypes()[i], 0);
                if (arguments[i] != null && !method.getParameterTypes()[i].isPrimitive()) {
                    made.add(arguments[i]);
                }
            }
            if (number % 3 == 2) {
                mutate();
            }
        } catch (NoInput e) {
            return null;
        }
        String shown = (receiver == null ? declaring.getSimpleName() : show(receiver)) + "." + name + Arrays.toString(Stream.of(arguments).map(Entries::show).toArray());
        try {
            method.invoke(receiver, arguments);
            return null;
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            boolean fails = cause instanceof AssertionError && !"user".equals(cause.getMessage())
                    || traps && !(cause instanceof VirtualMachineError) && !cause.getClass().getName().endsWith("AssumptionFailed");
            return fails ? mutated + shown + ": " + cause : null;
        }
    }

    /** The class whose method is executed when the method is called on an object of the given class. */
    private static Class<?> owner(Class<?> type, Method method) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            try {
                c.getDeclaredMethod(method.getName(), method.getParameterTypes());
                return c;
            } catch (NoSuchMethodException e) {
                // Look in the superclass.
            }
        }
        return method.getDeclaringClass();
    }

    /** Calls some methods that change static fields. */
    private void mutate() throws NoInput {
        for (Class<?> c : classes) {
            for (Method method : sorted(c.getDeclaredMethods())) {
                boolean can = Modifier.isStatic(method.getModifiers()) && !Modifier.isPrivate(method.getModifiers());
                if (can && method.getName().startsWith("mutate") && random.nextBoolean()) {
                    try {
                        method.setAccessible(true);
                        Object[] arguments = new Object[method.getParameterCount()];
                        for (int i = 0; i < arguments.length; i++) {
                            arguments[i] = input(method.getParameterTypes()[i], 1);
                        }
                        method.invoke(null, arguments);
                        mutated += "after " + method.getName() + Arrays.toString(Stream.of(arguments).map(Entries::show).toArray()) + ": ";
                    } catch (InvocationTargetException | IllegalAccessException e) {
                        throw new NoInput();
                    }
                }
            }
        }
    }

    /** A value of the type. */
    private Object input(Class<?> type, int depth) throws NoInput {
        if (type.isPrimitive()) {
            return primitive(type);
        }
        List<Way> ways = ways(type, depth);
        for (int attempt = 0; attempt < 4; attempt++) {
            Object found = ways.get(random.nextInt(ways.size())).make();
            if (type.isInstance(found)) {
                return found;
            }
            if (found == null) {
                return null;
            }
        }
        throw new NoInput();
    }

    private interface Way {
        Object make() throws NoInput;
    }

    private List<Way> ways(Class<?> type, int depth) {
        List<Way> ways = new ArrayList<>();
        ways.add(() -> null);
        for (Object earlier : made) {
            if (type.isInstance(earlier)) {
                ways.add(() -> earlier);
                ways.add(() -> earlier);
            }
        }
        for (Class<?> c : classes) {
            for (Field field : sorted(c.getDeclaredFields())) {
                boolean related = field.getType().isAssignableFrom(type) || type.isAssignableFrom(field.getType());
                if (!Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) {
                    continue;
                }
                if (related && !field.getType().isPrimitive()) {
                    ways.add(() -> held(field));
                }
                if (Collection.class.isAssignableFrom(field.getType()) || Map.class.isAssignableFrom(field.getType())
                        || field.getType().isArray()) {
                    ways.add(() -> element(held(field)));
                }
            }
            for (Method method : sorted(c.getDeclaredMethods())) {
                if (Modifier.isStatic(method.getModifiers()) && method.getName().startsWith("make")
                        && type.isAssignableFrom(method.getReturnType())) {
                    ways.add(() -> invoke(method, null, depth));
                }
            }
            if (type.isAssignableFrom(c) && !Modifier.isAbstract(c.getModifiers()) && !c.isEnum()
                    && !c.isSynthetic() && !c.isAnonymousClass() && !c.isLocalClass()
                    && (c.getSuperclass() == null || !c.getSuperclass().isEnum())) {
                for (Constructor<?> constructor : c.getDeclaredConstructors()) {
                    if (!constructor.isSynthetic()) {
                        ways.add(() -> object(constructor, depth));
                        ways.add(() -> object(constructor, depth));
                    }
                }
            }
            if (type == Object.class || type == Class.class) {
                ways.add(() -> c);
            }
        }
        if (type.isArray()) {
            ways.add(() -> array(type.getComponentType(), depth));
            ways.add(() -> array(type.getComponentType(), depth));
            ways.add(() -> array(type.getComponentType(), depth));
        }
        Way[] library = {
            () -> Boolean.TRUE, () -> Boolean.FALSE, () -> Boolean.TRUE, () -> integer(), () -> integer(), () -> integer(),
            () -> (long) integer(), () -> (char) ('a' + random.nextInt(3)), () -> (double) integer(), () -> "a", () -> "", () -> new String("a"), () -> "abc",
            () -> new String("abc"), () -> "lit", () -> "abcdefghijklmno", () -> new StringBuilder("ab"), () -> new Object(),
            () -> new RuntimeException("x"), () -> new IllegalStateException("y", new RuntimeException()), () -> new Exception(), () -> new Error("e"),
            () -> String.class, () -> int.class, () -> Integer.class, () -> Object[].class,
            () -> new int[random.nextInt(3)], () -> new String[random.nextInt(3)], () -> new Integer[] {integer(), null},
            () -> new ArrayList<>(List.of("a")), () -> List.of(), () -> new HashMap<>(), () -> Thread.State.RUNNABLE, () -> System.out, () -> System.err,
        };
        if (type.getName().startsWith("java.")) {
            for (Way way : library) {
                try {
                    if (type.isInstance(way.make())) {
                        ways.add(way);
                    }
                } catch (NoInput e) {
                    throw new AssertionError(e);
                }
            }
        }
        return ways;
    }

    @SuppressWarnings("removal")
    private Integer integer() {
        int value = INTEGERS[random.nextInt(INTEGERS.length)];
        return random.nextInt(4) == 0 ? new Integer(value) : Integer.valueOf(value);
    }

    private Object primitive(Class<?> type) {
        int value = INTEGERS[random.nextInt(random.nextInt(3) == 0 ? INTEGERS.length : 6)];
        if (type == boolean.class) {
            return random.nextBoolean();
        } else if (type == byte.class) {
            return (byte) value;
        } else if (type == short.class) {
            return (short) value;
        } else if (type == char.class) {
            return (char) (random.nextBoolean() ? 'a' + random.nextInt(3) : value);
        } else if (type == int.class) {
            return value;
        } else if (type == long.class) {
            return (long) value;
        } else if (type == float.class) {
            return random.nextInt(6) == 0 ? Float.NaN : value / 2f;
        }
        return random.nextInt(6) == 0 ? Double.NaN : value / 2.0;
    }

    private static Object held(Field field) throws NoInput {
        try {
            field.setAccessible(true);
            return field.get(null);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new NoInput();
        }
    }

    private Object element(Object of) {
        Object[] all = of instanceof Map<?, ?> map
                ? map.values().toArray()
                : of instanceof Collection<?> some ? some.toArray() : of instanceof Object[] array ? array : new Object[0];
        return all.length == 0 ? null : all[random.nextInt(all.length)];
    }

    private Object invoke(Executable executable, Object receiver, int depth) throws NoInput {
        if (depth > 2) {
            throw new NoInput();
        }
        Object[] arguments = new Object[executable.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = input(executable.getParameterTypes()[i], depth + 1);
        }
        try {
            executable.setAccessible(true);
            return executable instanceof Constructor<?> constructor
                    ? constructor.newInstance(arguments)
                    : ((Method) executable).invoke(receiver, arguments);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new NoInput();
        }
    }

    /** A new object, some of whose fields differ from what the constructor assigned. */
    private Object object(Constructor<?> constructor, int depth) throws NoInput {
        Object object = invoke(constructor, null, depth);
        made.add(object);
        if (random.nextInt(3) == 0 || Throwable.class.isAssignableFrom(object.getClass()) || object.getClass().isRecord()) {
            return object;
        }
        for (Class<?> c = object.getClass(); c != null && classes.contains(c); c = c.getSuperclass()) {
            for (Field field : sorted(c.getDeclaredFields())) {
                if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic() || random.nextBoolean()) {
                    continue;
                }
                try {
                    field.setAccessible(true);
                    field.set(object, input(field.getType(), depth + 1));
                } catch (ReflectiveOperationException e) {
                    throw new NoInput();
                }
            }
        }
        return object;
    }

    /** An array of the type or of a subtype. */
    private Object array(Class<?> element, int depth) throws NoInput {
        List<Class<?>> elements = new ArrayList<>(List.of(element));
        for (Class<?> c : classes) {
            if (element.isAssignableFrom(c) && !c.isSynthetic()) {
                elements.add(c);
            }
        }
        for (Class<?> c : List.of(String.class, Integer.class, Double.class, Object.class, Number.class, int[].class)) {
            if (element.isAssignableFrom(c)) {
                elements.add(c);
            }
        }
        Class<?> chosen = elements.get(random.nextInt(elements.size()));
        Object array = Array.newInstance(chosen, random.nextInt(4));
        made.add(array);
        for (int i = 0; i < Array.getLength(array); i++) {
            if (depth < 3 && (chosen.isPrimitive() || random.nextInt(3) > 0)) {
                Array.set(array, i, input(chosen, depth + 1));
            }
        }
        return array;
    }

    private static Field[] sorted(Field[] fields) {
        Arrays.sort(fields, (a, b) -> a.getName().compareTo(b.getName()));
        return fields;
    }

    private static Method[] sorted(Method[] methods) {
        Arrays.sort(methods, (a, b) -> a.toString().compareTo(b.toString()));
        return methods;
    }

    /** A short text for a value, without running code of the program. */
    private static String show(Object value) {
        if (value == null || value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof Class) {
            return String.valueOf(value);
        }
        // The class names of lambda expressions differ from run to run.
        return value.getClass().getSimpleName().replaceAll("Lambda.*", "Lambda");
    }
}
