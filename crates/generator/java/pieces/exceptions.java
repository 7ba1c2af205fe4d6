//# finally
static int trace;
static class Mine extends Exception {
    final int code;
    Mine(String message, int code) {
        super(message);
        this.code = code;
    }
}
static class Worse extends Mine {
    Worse(Throwable cause) {
        super("worse", 9);
        initCause(cause);
    }
}
@SuppressWarnings("finally")
static int overridden(int n) {
    try {
        if (n == 0) throw new IllegalStateException("lost");
        return n;
    } finally {
        trace = trace * 10 + 1;
        if (n < 2) return -1;
    }
}
static int kept(int n) {
    int result = n;
    try {
        return result;
    } finally {
        result = 99;
        trace = trace * 10 + 2;
    }
}
static int[] keptArray() {
    int[] result = {1};
    try {
        return result;
    } finally {
        result[0] = 99;
        result = null;
    }
}
@SuppressWarnings("finally")
static int loop(int n) {
    int rounds = 0;
    for (int i = 0; i < n; i++) {
        try {
            if (i == 1) continue;
            if (i == 3) break;
            rounds += 10;
            if (i == 2) throw new RuntimeException();
        } catch (RuntimeException e) {
            rounds += 100;
            if (n > 4) continue;
            rounds += 500;
        } finally {
            rounds++;
            if (i > 5) break;
        }
        rounds += 1000;
    }
    return rounds;
}
static void thrower(int n) throws Mine {
    switch (n) {
        case 0: return;
        case 1: throw new Mine("one", 1);
        case 2: throw new Worse(new RuntimeException("cause"));
        case 3: throw new IllegalArgumentException("three");
        case 4: throw null;
        case 5: Object o = "x"; System.out.println((Integer) o); break;
        case 6: throw new StackOverflowError("made up");
        default: throw new UnsupportedOperationException(new Mine("inner", n));
    }
}
static String nested(int n) {
    String log = "";
    try {
        try {
            try {
                thrower(n);
                log += "a";
            } finally {
                log += "b";
                if (n == 7) thrower(1);
            }
        } catch (Worse e) {
            log += "w" + e.getCause().getMessage() + e.code;
            throw e;
        } catch (IllegalArgumentException | NullPointerException e) {
            log += "i" + (e instanceof NullPointerException);
        } finally {
            log += "f";
        }
        log += "z";
    } catch (Mine e) {
        log += "m" + e.code + e.getMessage();
    } catch (RuntimeException e) {
        log += "r" + e.getClass().getSimpleName() + (e.getCause() != null ? e.getCause().toString() : "");
    } catch (Error e) {
        log += "e" + e.getMessage();
    }
    return log;
}
static void rethrow(int n) throws Mine {
    try {
        thrower(n);
    } catch (Exception e) {
        trace++;
        throw e;
    }
}
static void run() {
    for (int n = 0; n < 4; n++) {
        System.out.println(overridden(n));
        System.out.println(kept(n));
    }
    System.out.println(trace);
    System.out.println(keptArray()[0]);
    System.out.println(loop(@{in 0 9}));
    for (int n = 0; n < 9; n++) System.out.println(nested(n));
    for (int n = 0; n < 5; n++) {
        try {
            rethrow(n);
        } catch (Mine | RuntimeException e) {
            System.out.println(e.getClass().getSimpleName());
        }
    }
    System.out.println(trace);
    Throwable t = new RuntimeException("outer", new IllegalStateException(new Mine("root", 3)));
    int depth = 0;
    while (t != null) {
        System.out.println(depth++ + " " + t.getClass().getSimpleName() + " " + (t.getMessage() == null));
        if (t instanceof Mine) System.out.println(((Mine) t).code);
        t = t.getCause();
    }
    System.out.println(new RuntimeException(new RuntimeException("x")).getMessage());
    System.out.println(new RuntimeException((String) null).toString());
    try {
        throw new RuntimeException("self");
    } catch (RuntimeException e) {
        try {
            e.initCause(e);
        } catch (IllegalStateException | IllegalArgumentException f) {
            System.out.println(f.getClass().getName());
        }
    }
}
//# resources
static class Resource implements AutoCloseable {
    final String name;
    final boolean bad;
    Resource(String name, boolean bad) {
        if (name.isEmpty()) throw new IllegalArgumentException("no name");
        this.name = name;
        this.bad = bad;
        System.out.println("open " + name);
    }
    @Override
    public void close() {
        System.out.println("close " + name);
        if (bad) throw new IllegalStateException("close " + name);
    }
}
static int use(String first, boolean a, String second, boolean b, boolean fail) {
    try (Resource x = new Resource(first, a); Resource y = new Resource(second, b); Resource none = null) {
        if (fail) throw new UnsupportedOperationException("body");
        return x.name.length();
    } catch (RuntimeException e) {
        System.out.println(e.getMessage());
        System.out.println(e.getSuppressed().length);
        for (Throwable t : e.getSuppressed()) System.out.println(" " + t.getMessage());
        return -1;
    } finally {
        System.out.println("done");
    }
}
static void run() {
    @{some System.out.println(use("a", false, "b", false, false)); ;; System.out.println(use("a", true, "b", true, true)); ;; System.out.println(use("a", true, "", true, false));
    ;; System.out.println(use("a", @{boolean}, "b", true, false)); ;; System.out.println(use("a", false, "b", true, @{boolean})); ;; System.out.println(use("", true, "b", false, true));}
    Resource shared = new Resource("shared", @{boolean});
    try (shared) {
        System.out.println("in");
    } catch (IllegalStateException e) {
        Main.report(e);
    }
    synchronized (shared) {
        synchronized (Main.LOCK) {
            System.out.println("locked");
        }
    }
    try {
        synchronized (shared) {
            throw new IllegalStateException("in lock");
        }
    } catch (IllegalStateException e) {
        Main.report(e);
    }
    try {
        Resource nothing = null;
        synchronized (nothing) {
            System.out.println("never");
        }
    } catch (NullPointerException e) {
        Main.report(e);
    }
    Throwable t = new Exception("main");
    t.addSuppressed(new Exception("extra"));
    System.out.println(t.getSuppressed()[0].getMessage());
}
