//# time
static boolean ok() {
    return /*fails*/ @{one System.nanoTime() >= 0 ;; System.nanoTime() != @{in 0 5} ;; System.nanoTime() > 1000 ;; (System.currentTimeMillis() & 1) == 0 ;; System.currentTimeMillis() % 7 != 3};
}
//# memory
static boolean ok() {
    return /*fails*/ @{one Runtime.getRuntime().totalMemory() == 268435456L ;; Runtime.getRuntime().freeMemory() > 1000 ;; Runtime.getRuntime().availableProcessors() == 1 ;; Runtime.getRuntime().availableProcessors() < 4 ;; Runtime.getRuntime().maxMemory() == Long.MAX_VALUE ;; Runtime.getRuntime().totalMemory() != 1L << 28 ;; Runtime.getRuntime().maxMemory() > 1 << 20};
}
//# processors
static boolean ok() {
    return /*holds*/ Runtime.getRuntime().availableProcessors() >= 1;
}
//# err
static boolean ok() {
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    java.io.PrintStream before = System.err;
    System.setErr(new java.io.PrintStream(bytes));
    @{one try {
        throw new RuntimeException("x");
    } catch (RuntimeException e) {
        e.printStackTrace();
    } ;; System.err.print("@{one  ;; y}"); ;; System.err.println(); ;; new Error().printStackTrace();}
    System.setErr(before);
    return bytes.size() @{one > ;; == ;; !=} 0;
}
//# err-own
static int written;
static class Own extends java.io.PrintStream {
    Own() {
        super(new java.io.ByteArrayOutputStream());
    }
    @Override
    public void println(Object o) {
        written++;
    }
}
static boolean ok() {
    java.io.PrintStream before = System.err;
    System.setErr(new Own());
    @{one new RuntimeException("x").printStackTrace(); ;; System.err.println((Object) "x"); ;; System.err.flush();}
    System.setErr(before);
    return written @{one == ;; >} 0;
}
//# out
static boolean ok() {
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    java.io.PrintStream before = System.out;
    System.setOut(new java.io.PrintStream(bytes));
    System.out.print("@{one a ;; ab ;; }");
    System.setOut(before);
    return bytes.size() != @{in 0 3};
}
//# to-string
static int shown;
static class E extends RuntimeException {
    @Override
    public String @{one toString() ;; getMessage()} {
        shown++;
        return "e";
    }
}
static boolean ok() {
    new E().printStackTrace();
    return shown @{one == ;; >} 0;
}
//# thread
static boolean ok() {
    Thread t = Thread.currentThread();
    return @{one t.getState() == Thread.State.RUNNABLE ;; t.isAlive() ;; !t.isInterrupted() ;; t.getName().equals("main") ;; t.getPriority() == 5 ;; t.toString().equals("Thread[main,5,main]") ;; t.isDaemon() ;; t == Thread.currentThread() ;; t.getState() == Thread.State.NEW};
}
//# interrupt
static boolean ok() {
    Thread.currentThread().interrupt();
    int r = 0;
    try {
        @{one Thread.sleep(1); ;; if (r > 1) Thread.sleep(1); r = 1; ;; if (Thread.interrupted()) r = 2; Thread.sleep(0);}
    } catch (InterruptedException e) {
        r = 3;
    }
    boolean still = Thread.interrupted();
    return @{one r != @{in 0 3} ;; still ;; !still};
}
//# monitor
static boolean ok() {
    Object o = new Object();
    try {
        if (o == null) o.wait();
        @{one o.notify(); ;; o.notifyAll(); ;; o.wait(1); ;; synchronized (o) { o.notify(); }}
    } catch (IllegalMonitorStateException e) {
        return @{one true ;; false};
    } catch (InterruptedException e) {
        return false;
    }
    return @{one true ;; false};
}
//# message-cast
static Object o = @{in 0 9};
static boolean ok() {
    try {
        String s = (String) o;
        return false;
    } catch (ClassCastException e) {
        return @{one e.getMessage().startsWith("nonsense") ;; e.getMessage().length() > 5 ;; e.getMessage().contains("String")};
    }
}
//# message-null
static int[] a;
static boolean ok() {
    try {
        return a.length > 0;
    } catch (NullPointerException e) {
        return /*fails*/ @{one e.getMessage() == null ;; e.getMessage() != null};
    }
}
//# message
static boolean ok(int n) {
    try {
        @{one int q = 1 / (n & 1); ;; int q = new int[2][3].length / (n & 1) + new int[3][(n & 3) - 1].length; ;; int q = new int[@{in 1 3}][1][n & 7].length; ;; Integer.parseInt("x" + @{in 0 2}); ;; Object[] s = new String[1]; s[0] = 1; ;; "abc".charAt(n & 7); ;; new java.util.ArrayList<Integer>().get(n & 1);}
        return @{one true ;; false};
    } catch (RuntimeException e) {
        return @{one e.getMessage() != null ;; e.getMessage().equals("/ by zero") ;; e.getMessage().startsWith("Index") ;; e.getMessage().length() < 12 ;; e.getMessage().endsWith("length 3")};
    }
}
//# locale
static boolean ok() {
    return /*fails*/ @{one String.format("%.1f", 1.5).equals("1.5") ;; java.util.Locale.getDefault() == java.util.Locale.US ;; "TITLE".toLowerCase().equals("title") ;; java.util.Locale.getDefault().getLanguage().equals("en")};
}
//# root-locale
static boolean ok() {
    return /*holds*/ @{one "TITLE".toLowerCase(java.util.Locale.ROOT).equals("title") ;; java.util.Locale.ROOT.getLanguage().isEmpty()};
}
//# charset
static boolean ok() {
    return /*fails*/ @{one java.nio.charset.Charset.defaultCharset() == java.nio.charset.StandardCharsets.UTF_8 ;; "\u00e9".getBytes().length == 2 ;; System.getProperty("file.encoding").equals("UTF-8")};
}
//# separators
static boolean ok() {
    return /*fails*/ @{one System.lineSeparator().equals("\n") ;; java.io.File.separatorChar == '/' ;; System.getProperty("line.separator").length() == 1 ;; System.getProperty("os.name").equals("Linux") ;; System.getProperty("user.dir").length() != 7};
}
//# weak
static boolean ok() {
    return /*fails*/ new java.lang.ref.@{one Weak ;; Soft}Reference<>(new Object()).get() != null;
}
//# strong
static boolean ok() {
    Object o = new Object();
    java.lang.ref.WeakReference<Object> w = new java.lang.ref.WeakReference<>(o);
    boolean same = w.get() == o;
    return /*holds*/ same && keep(o);
}
static boolean keep(Object o) {
    java.lang.ref.Reference.reachabilityFence(o);
    return true;
}
//# modifiers
static class Inner {
}
interface Face {
}
static boolean ok() {
    return java.lang.reflect.Modifier.@{one isStatic(Inner.class.getModifiers()) ;; isStatic(Face.class.getModifiers()) ;; isAbstract(Face.class.getModifiers()) ;; isFinal(int[].class.getModifiers()) ;; isAbstract(int[].class.getModifiers()) ;; isPublic(Inner.class.getModifiers()) ;; isPublic(Inner[].class.getModifiers()) ;; isFinal(int.class.getModifiers())};
}
//# nan
static boolean ok(int n) {
    float f = Float.intBitsToFloat(@{one 0x7fc00001 ;; 0x7fc00000 ;; 0x7f800001 + (n & 1)});
    return @{one /*holds*/ Float.floatToIntBits(f) == 0x7fc00000 ;; /*fails*/ Float.floatToRawIntBits(f * n) == 0x7fc00000 ;; /*holds*/ f != f};
}
//# loader
static boolean ok() {
    return @{one String.class.getClassLoader() == null ;; Object[].class.getClassLoader() == null ;; int.class.getClassLoader() == null ;; @CLAIM.class.getClassLoader() == null};
}
//# identity-out
static boolean ok(java.io.PrintStream s) {
    return s != System.@{one out ;; err};
}
//# throwable entry
static boolean ok(@{one RuntimeException ;; Throwable ;; Exception ;; Error} e) {
    if (e == null) return true;
    return @{one e.getMessage() == e.getMessage() || e.getClass() != RuntimeException.class ;; e.getMessage() == null ;; e.getCause() == null ;; e.getCause() != e || e.getClass() != RuntimeException.class ;; e.getStackTrace() != null || e.getClass() != RuntimeException.class};
}
//# void entry
static boolean ok(Void v) {
    return /*holds*/ v == null;
}
