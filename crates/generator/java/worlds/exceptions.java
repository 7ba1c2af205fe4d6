//# stored
static RuntimeException kept;
static void f(int n) {
    if (n > @{in 0 3}) throw new IllegalArgumentException("n" + n);
    if (n == @{in 0 3}) throw new IllegalStateException("s");
}
static boolean ok(int n) {
    try {
        f(n);
    } catch (RuntimeException e) {
        kept = e;
    }
    int r = 0;
    try {
        if (kept != null) throw kept;
        r = 1;
    } catch (IllegalArgumentException e) {
        r = 2;
    } catch (IllegalStateException e) {
        r = 3;
    } finally {
        r *= 2;
    }
    return r != @{one 2 ;; 4 ;; 6 ;; 3};
}
//# parameter
static int f(RuntimeException e, boolean up) {
    try {
        if (up) throw e;
        return 0;
    } catch (IllegalStateException s) {
        return 1;
    } catch (RuntimeException s) {
        return s == e ? 2 : 3;
    }
}
static boolean ok(int n) {
    RuntimeException e = n > 0 ? new IllegalStateException() : @{one new RuntimeException() ;; null ;; new ArithmeticException()};
    return f(e, n != @{in 1 2}) != @{in 0 3};
}
//# input entry
static int f(RuntimeException e) {
    try {
        throw e;
    } catch (NullPointerException n) {
        return 1;
    } catch (RuntimeException s) {
        return s.getClass() == RuntimeException.class ? 2 : 3;
    }
}
static boolean ok(RuntimeException e) {
    return f(e) != @{in 1 4};
}
//# nested
static int log;
static void f(int n) throws Exception {
    try {
        if (n == 1) throw new Exception("one");
        if (n == 2) throw new RuntimeException("two");
        log += 1;
    } finally {
        log += 10;
        @{maybe if (n == 2) throw new IllegalStateException("three");}
    }
}
static boolean ok(int n) {
    log = 0;
    try {
        f(n);
        log += 100;
    } catch (IllegalStateException e) {
        log += 200;
    } catch (RuntimeException e) {
        log += 300;
    } catch (Exception e) {
        log += 400;
    }
    return log != @{one 111 ;; 210 ;; 310 ;; 410 ;; 211};
}
//# traps-caught
static boolean ok(int i) {
    int[] a = {1, 2};
    Object o = i > 0 ? "s" : (Object) i;
    int r = 0;
    try {
        r = a[i];
        r += 10 / (i - @{in 0 1});
        Integer n = (Integer) o;
    } catch (ArrayIndexOutOfBoundsException e) {
        r = 5;
    } catch (ArithmeticException | ClassCastException e) {
        r = e instanceof ArithmeticException ? 6 : 7;
    }
    return r != @{one 5 ;; 6 ;; 7 ;; 8};
}
//# returns
@SuppressWarnings("finally")
static int f(int n) {
    try {
        if (n > @{in 0 2}) throw new RuntimeException();
        return 1;
    } finally {
        @{one if (n == 3) return 2; ;; return n == 3 ? 4 : 5; ;; n++;}
    }
}
static boolean ok(int n) {
    try {
        return f(n) != @{one 1 ;; 2 ;; 4 ;; 5};
    } catch (RuntimeException e) {
        return @{one true ;; n != 3 ;; false};
    }
}
//# loop
static void g(int n) {
    if (n == @{in 0 3}) throw new IllegalStateException("at " + n);
}
static boolean ok(int n) {
    RuntimeException last = null;
    int count = 0;
    for (int i = 0; i < @{in 1 4}; i++) {
        try {
            g(i + (n & 1));
            count++;
        } catch (IllegalStateException e) {
            last = e;
            continue;
        }
    }
    return @{one last == null ;; count != @{in 0 4} ;; last == null || last.getMessage().equals("at @{in 0 3}")};
}
//# cause
static boolean ok(int n) {
    Throwable e = new RuntimeException("m@{in 0 1}", n > 0 ? new Exception("c") : null);
    return @{one e.getCause() == null ;; e.getCause() != null ;; e.getMessage().equals("m0") ;; e.getCause() == null || e.getCause().getMessage().equals("c")};
}
//# resources
static int log;
static class R implements AutoCloseable {
    int n;
    R(int n) {
        this.n = n;
    }
    public void close() {
        log = log * 10 + n;
        @{maybe if (n == 2) throw new IllegalStateException("close");}
    }
}
static boolean ok(boolean fail) {
    log = 0;
    int suppressed = 0;
    try (R a = new R(1); R b = new R(2)) {
        if (fail) throw new RuntimeException("body");
    } catch (RuntimeException e) {
        suppressed = e.getSuppressed().length + 1;
    }
    return @{one log == 12 ;; log == 21 ;; suppressed != @{in 0 2}};
}
