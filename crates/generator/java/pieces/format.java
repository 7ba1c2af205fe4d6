//# format
static void run() {
    @{some System.out.println(String.format("%d|%5d|%-5d|%05d", @{lit int}, 42, 42, 42)); ;; System.out.println(String.format("%x %X %o", @{lit int}, 255, 8));
    ;; System.out.println(String.format("%s %S %10s|%-10s|", "abc", "abc", null, true)); ;; System.out.println(String.format("%c%c", 'a', 98));
    ;; System.out.println(String.format("%b %b", null, "x")); ;; System.out.println(String.format("%.2f %8.3f", @{in -9 9} / 4.0, 2.5)); ;; System.out.println(String.format("%,d", @{lit long}));
    ;; System.out.println(String.format("%+d %(d % d", 5, -5, 5)); ;; System.out.println(String.format("%2$s %1$s", "a", "b")); ;; System.out.println(String.format("%%%n").trim());
    ;; System.out.println("%d:%s".formatted(1, "x")); ;; System.out.printf("%s-%d%n", "printf", 3); ;; System.out.println(String.format("%e", 12345.678));}
    try {
        System.out.println(String.format(@{one "%d" ;; "%q" ;; "%s %s"}, "x"));
    } catch (java.util.IllegalFormatException e) {
        Main.report(e);
    }
}
