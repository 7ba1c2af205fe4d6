//! Java programs may get any value from their environment that the platform's documentation allows. Needs a JDK.

use crate::numbered::{check_both, numbered};

/// Any value is possible, so that an assertion that is not true for all of them can be violated.
const VIOLATED: &str = "violated";
/// A proof for all values.
const HOLDS: &str = "holds";
/// The engines explore one value, and the answer names this bound.
const BOUND: &str = "holds within bounds";
/// The engines do not guess what the documentation leaves open.
const UNKNOWN: &str = "unknown";

/// Checks the answers of the engines about these statements.
fn check_with(members: &str, statements: &[(&str, &str)]) {
    let program = numbered("int[] input", statements, members);
    check_both(&program, statements, |_, config| config);
}

fn check_all(statements: &[(&str, &str)]) {
    check_with("", statements);
}

#[test]
fn time() {
    check_all(&[
        (VIOLATED, "assert System.nanoTime() >= 0;"),
        (VIOLATED, "long t = System.nanoTime(); assert System.nanoTime() >= t;"),
        (HOLDS, "long t = System.nanoTime(); assert System.nanoTime() - t >= 0;"),
        (HOLDS, "long t = System.nanoTime(), u = System.nanoTime(); assert System.nanoTime() - t >= u - t;"),
        (VIOLATED, "long t = System.currentTimeMillis(); assert System.currentTimeMillis() >= t;"),
    ]);
}

#[test]
fn memory_and_processors() {
    check_all(&[
        (VIOLATED, "assert Runtime.getRuntime().totalMemory() == 0x10000000L;"),
        (VIOLATED, "assert Runtime.getRuntime().maxMemory() < Long.MAX_VALUE;"),
        (HOLDS, "assert Runtime.getRuntime().freeMemory() >= 0 && Runtime.getRuntime().maxMemory() > 0;"),
        (BOUND, "Runtime r = Runtime.getRuntime(); assert r.totalMemory() - r.freeMemory() >= 0;"),
        (BOUND, "Runtime r = Runtime.getRuntime(); assert r.totalMemory() <= r.maxMemory();"),
        (BOUND, "Runtime r = Runtime.getRuntime(); assert r.freeMemory() <= r.totalMemory();"),
        (VIOLATED, "Runtime r = Runtime.getRuntime(); assert r.availableProcessors() == r.availableProcessors();"),
    ]);
}

#[test]
fn properties_and_variables() {
    check_all(&[
        (BOUND, "assert System.getProperty(\"java.vm.version\") != null;"),
        (BOUND, "assert System.getProperty(\"my.flag\") == null;"),
        (BOUND, "assert !Boolean.getBoolean(\"my.flag\");"),
        // The library reads a system property of its own.
        (HOLDS, "List<Integer> l = new ArrayList<>(); l.add(2); l.add(1); Collections.sort(l); assert l.get(0) == 1;"),
        (BOUND, "assert System.getSecurityManager() == null;"),
        (BOUND, "assert System.getenv(\"HOME\") == null;"),
        (HOLDS, "try { System.getProperty(\"\"); assert false; } catch (IllegalArgumentException e) { }"),
        (HOLDS, "try { System.getenv((String) null); assert false; } catch (NullPointerException e) { }"),
    ]);
}

#[test]
fn line_ends() {
    check_all(&[
        (BOUND, "assert String.format(\"%n\").equals(\"\\n\");"),
        (
            BOUND,
            "StringWriter w = new StringWriter(); new PrintWriter(w).println(); assert w.toString().length() == 1;",
        ),
        (HOLDS, "System.out.printf(\"%d %s%n\", 5, \"a\"); System.out.println(7); int x = 1; assert x == 1;"),
    ]);
}

#[test]
fn locales() {
    check_all(&[
        (BOUND, "assert String.format(\"%.1f\", 1.5).equals(\"1.5\");"),
        (BOUND, "assert String.format(\"%d\", 5).equals(\"5\");"),
        (HOLDS, "assert String.format(\"%s-%s\", \"a\", 5).equals(\"a-5\");"),
        (HOLDS, "assert String.format(Locale.US, \"%d\", 5).equals(\"5\");"),
        (HOLDS, "Locale.setDefault(Locale.US); assert String.format(\"%d\", 5).equals(\"5\");"),
        (BOUND, "assert Locale.getDefault().equals(Locale.US);"),
        (BOUND, "assert \"TITLE\".toLowerCase().equals(\"title\");"),
        (BOUND, "assert \"title\".toUpperCase().equals(\"TITLE\");"),
        (HOLDS, "assert \"ABC\".toLowerCase().equals(\"abc\") && \"xyz\".toUpperCase().equals(\"XYZ\");"),
        (HOLDS, "assert \"TITLE\".toLowerCase(Locale.ROOT).equals(\"title\");"),
    ]);
}

#[test]
fn charsets() {
    check_all(&[
        (BOUND, "assert java.nio.charset.Charset.defaultCharset() == java.nio.charset.StandardCharsets.UTF_8;"),
        (BOUND, "assert \"\\u00e9\".getBytes().length == 2;"),
        (HOLDS, "assert \"\\u00e9\".getBytes(java.nio.charset.StandardCharsets.UTF_8).length == 2;"),
    ]);
}

#[test]
fn references_and_finalizers() {
    let members = "static boolean done; static class F { protected void finalize() { done = true; } }";
    check_with(
        members,
        &[
            (BOUND, "Reference<Object> r = new WeakReference<>(new Object()); System.gc(); assert r.get() != null;"),
            (BOUND, "Reference<Object> r = new SoftReference<>(new Object()); assert r.get() != null;"),
            (
                HOLDS,
                "Object o = new Object(); Reference<Object> r = new WeakReference<>(o); r.clear(); assert o != null;",
            ),
            (HOLDS, "assert new PhantomReference<>(\"a\", null).get() == null;"),
            (BOUND, "Map<Object, String> m = new WeakHashMap<>(); m.put(\"a\", \"b\"); assert m.size() == 1;"),
            (BOUND, "new F(); assert !done;"),
            (HOLDS, "ThreadLocal<Integer> t = new ThreadLocal<>(); t.set(4); assert t.get() == 4;"),
        ],
    );
}

#[test]
fn threads() {
    check_all(&[
        (HOLDS, "assert Thread.currentThread().getState() == Thread.State.RUNNABLE;"),
        (HOLDS, "assert new Thread().getState() == Thread.State.NEW && !new Thread().isAlive();"),
        (
            BOUND,
            "assert Thread.currentThread().isAlive() && Thread.currentThread().getThreadGroup().getName().equals(\"main\");",
        ),
        (HOLDS, "assert new Thread().getId() != Thread.currentThread().getId();"),
        (VIOLATED, "assert new Thread().getId() < 100;"),
        (BOUND, "Thread.currentThread().interrupt(); assert Thread.interrupted() && !Thread.interrupted();"),
        // Another method of the program interrupts the thread.
        (
            BOUND,
            "Thread.currentThread().interrupt(); try { Thread.sleep(1); assert false; } catch (InterruptedException e) { }",
        ),
        (BOUND, "try { Thread.sleep(-1); assert false; } catch (IllegalArgumentException e) { }"),
        (UNKNOWN, "assert Thread.currentThread().getContextClassLoader() == null;"),
        (UNKNOWN, "new Thread(() -> { assert false; }).start();"),
        (BOUND, "Thread.setDefaultUncaughtExceptionHandler((t, e) -> { assert false; });"),
        (BOUND, "Runtime.getRuntime().addShutdownHook(new Thread(() -> { assert false; }));"),
        (VIOLATED, "java.util.concurrent.locks.LockSupport.parkNanos(1000); assert false;"),
    ]);
}

#[test]
fn monitors() {
    let members = "static synchronized int own(boolean fails) {
            if (fails) throw new IllegalStateException();
            Main.class.notify();
            return 1;
        }
        synchronized boolean turn(int n) { while (n-- > 0) notifyAll(); return Thread.holdsLock(this); }";
    check_with(
        members,
        &[
            (
                HOLDS,
                "boolean b = false; try { new Object().notify(); } catch (IllegalMonitorStateException e) { b = true; } assert b;",
            ),
            (
                HOLDS,
                "Object o = new Object(); synchronized (o) { o.notifyAll(); synchronized (o) { } o.notify(); assert Thread.holdsLock(o); }
                 assert !Thread.holdsLock(o);",
            ),
            (
                HOLDS,
                "try { own(true); } catch (IllegalStateException e) { } assert !Thread.holdsLock(Main.class) && own(false) == 1;",
            ),
            (HOLDS, "Main m = new Main(); assert m.turn(3) && !Thread.holdsLock(m);"),
            (BOUND, "Object o = new Object(); synchronized (o) { o.wait(); } assert false;"),
            (VIOLATED, "Object o = new Object(); synchronized (o) { o.wait(5); } assert false;"),
            (VIOLATED, "if (input != null) return; Object o = new Object(); synchronized (o) { assert !Thread.holdsLock(o); }"),
            (UNKNOWN, "int[] a = { 1 }; synchronized (a) { a.notify(); assert false; }"),
        ],
    );
}

#[test]
fn streams() {
    let members = "static class E extends Exception { public String toString() { assert false; return \"\"; } }
        static class C extends RuntimeException { public String getMessage() { throw new IllegalStateException(); } }";
    check_with(
        members,
        &[
            (VIOLATED, "try { throw new E(); } catch (E e) { e.printStackTrace(); }"),
            (VIOLATED, "new Exception(new E()).printStackTrace();"),
            (VIOLATED, "boolean b = false; try { new C().printStackTrace(); } catch (IllegalStateException e) { b = true; } assert !b;"),
            (HOLDS, "Exception e = new Exception(\"a\"); e.initCause(new Exception(e)); e.printStackTrace();"),
            (
                VIOLATED,
                "System.setErr(new PrintStream(new ByteArrayOutputStream()) { public void println(Object o) { assert false; } });
                 new Exception().printStackTrace();",
            ),
            (HOLDS, "System.setErr(null); try { new Exception().printStackTrace(); assert false; } catch (NullPointerException e) { }"),
            (VIOLATED, "System.out.close(); System.out.println(1); assert !System.out.checkError();"),
            (BOUND, "System.out.println(1); assert !System.out.checkError();"),
        ],
    );
}

#[test]
fn exceptions() {
    check_with(
        "static class Bad { static int x = 1 / zero(); static int zero() { return 0; } }",
        &[
            (
                BOUND,
                "try { int x = Bad.x; } catch (ExceptionInInitializerError e) { }
                 try { int x = Bad.x; assert false; } catch (NoClassDefFoundError e) { assert e.getMessage() != null; }",
            ),
            (
                UNKNOWN,
                "try { int x = Bad.x; } catch (ExceptionInInitializerError e) { }
                 try { int x = Bad.x; } catch (NoClassDefFoundError e) { assert e.getCause() == null; }",
            ),
            (UNKNOWN, "assert new Exception().getStackTrace().length == 0;"),
            (HOLDS, "Exception e = new Exception(\"a\", null, true, false) { }; assert e.getStackTrace().length == 0;"),
            (
                HOLDS,
                "Exception e = new Exception(); e.setStackTrace(new StackTraceElement[0]); assert e.getStackTrace().length == 0;",
            ),
            (
                HOLDS,
                "try { new Main().clone(); } catch (CloneNotSupportedException e) { assert e.getMessage().equals(\"Main\"); }",
            ),
        ],
    );
}

#[test]
fn classes() {
    let members = "static class Inner { } private interface P { }";
    check_with(
        members,
        &[
            (
                HOLDS,
                "assert Modifier.isStatic(Inner.class.getModifiers()) && Modifier.isPrivate(P.class.getModifiers());",
            ),
            (
                HOLDS,
                "assert !Modifier.isPublic(Main[].class.getModifiers()) && Modifier.isPublic(String[].class.getModifiers());",
            ),
            (HOLDS, "assert String.class.getClassLoader() == null && int[].class.getClassLoader() == null;"),
            (UNKNOWN, "assert java.sql.Date.class.getClassLoader() == null;"),
            (UNKNOWN, "assert Main.class.getModule() == null;"),
            (UNKNOWN, "Runnable r = () -> { }; assert r.getClass().getName() == null;"),
        ],
    );
}

#[test]
fn numbers() {
    check_all(&[
        (UNKNOWN, "assert Float.floatToRawIntBits(Float.intBitsToFloat(0x7fc00001)) == 0x7fc00000;"),
        (HOLDS, "assert Float.floatToIntBits(0f / 0f) == 0x7fc00000 && Float.floatToRawIntBits(1f) == 0x3f800000;"),
        (HOLDS, "assert Math.round(Double.NaN) == 0 && Double.isNaN(Math.max(Double.NaN, 1));"),
        (UNKNOWN, "assert Math.exp(1) == Math.E;"),
        (HOLDS, "assert Math.exp(0) == 1 && Math.exp(Double.NEGATIVE_INFINITY) == 0 && Math.pow(2, 10) == 1024;"),
        (HOLDS, "assert Math.pow(10, 20) == 1e20 && Math.pow(5, 0) == 1 && Math.pow(2, -1) == 0.5;"),
        (BOUND, "assert Math.cbrt(27) == 3;"),
        (BOUND, "double x = 1.5; assert Math.pow(x, 2) == 2.25;"),
        (HOLDS, "assert StrictMath.exp(1) == 2.7182818284590455;"),
    ]);
}

#[test]
fn identity() {
    check_with(
        "enum Color { RED, GREEN }",
        &[
            (BOUND, "assert new Object().hashCode() != 5;"),
            (BOUND, "assert Color.RED.hashCode() != 5;"),
            (BOUND, "assert String.class.hashCode() != 5;"),
            // The one choice that is explored first makes these true.
            (BOUND, "assert new Object().hashCode() != new Object().hashCode();"),
            (BOUND, "assert new Object().hashCode() > 0;"),
            (
                BOUND,
                "Set<Object> s = new HashSet<>(); Object a = new Object(), b = new Object(); s.add(a); s.add(b); assert s.iterator().next() == b;",
            ),
            (HOLDS, "Object o = new Object(); assert o.hashCode() == System.identityHashCode(o);"),
            (HOLDS, "assert Objects.hash(Color.RED, input) == Objects.hash(Color.RED, input);"),
            (
                HOLDS,
                "Map<Color, Integer> m = new HashMap<>(); m.put(Color.RED, 1); m.put(Color.GREEN, 2); assert m.get(Color.RED) == 1 && m.size() == 2;",
            ),
            (
                HOLDS,
                "Set<Object> s = new HashSet<>(); Object a = new Object(); s.add(a); assert !s.contains(new Object()) && s.contains(a);",
            ),
            (BOUND, "assert new int[1].hashCode() != 5;"),
            (
                HOLDS,
                "Map<Color, Integer> m = new EnumMap<>(Color.class); m.put(Color.RED, 1); assert m.get(Color.RED) == 1;",
            ),
            (
                HOLDS,
                "Map<String, Integer> m = new HashMap<>(); m.put(\"a\", 1); assert m.get(\"a\") == 1 && m.size() == 1;",
            ),
            (HOLDS, "assert new Random(5).nextInt() == new Random(5).nextInt() && List.of(1, 2).hashCode() == 994;"),
        ],
    );
}

#[test]
fn lengths_of_arrays() {
    check_all(&[
        (
            HOLDS,
            "boolean b = false; try { int[] a = new int[Integer.MAX_VALUE - 1]; } catch (OutOfMemoryError e) { b = true; } assert b;",
        ),
        (HOLDS, "assert input == null || input.length <= Integer.MAX_VALUE - 2;"),
        (VIOLATED, "assert input == null || input.length < Integer.MAX_VALUE - 2;"),
        (HOLDS, "int[] a = new int[Integer.MAX_VALUE - 2]; assert a.length == Integer.MAX_VALUE - 2;"),
        (
            VIOLATED,
            "int n = new Random().nextInt(); if (n < 0) return; try { int[] a = new int[n]; } catch (OutOfMemoryError e) { assert false; }",
        ),
    ]);
}
