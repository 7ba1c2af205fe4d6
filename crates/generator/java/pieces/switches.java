//# kinds
enum Color { RED, GREEN, BLUE }
static String dense(int n) {
    switch (n) {
        case 0: return "zero";
        case 1:
        case 2: return "few";
        case 4: n++;
        case 3: return "fell" + n;
        default: return "many";
        case 5: break;
    }
    return "five";
}
static int sparse(long l) {
    switch ((int) l) {
        case Integer.MIN_VALUE: return 1;
        case -1000000: return 2;
        case 0: return 3;
        case 1 << 20: return 4;
        case Integer.MAX_VALUE: return 5;
    }
    return 6;
}
static int text(String s) {
    int n = 0;
    switch (s) {
        default: n += 1;
        case "Aa": n += 10; break;
        case "BB": n += 100;
        case "C#": n += 1000; break;
        case "": n = -1;
    }
    return n;
}
static String color(Color color) {
    return switch (color) {
        case RED -> "r";
        case GREEN -> {
            String s = "";
            for (int i = 0; i < 3; i++) s += i;
            yield s;
        }
        case BLUE -> throw new IllegalStateException("blue");
    };
}
static int old(Color color) {
    int n = 0;
    switch (color) {
        case GREEN: n++;
        case RED: n += 2; break;
        default:
    }
    return n;
}
static int yields(char c, int depth) {
    return 1 + switch (c) {
        case 'a', 'e', 'i', 'o', 'u': yield 10;
        case 'x': {
            try {
                yield depth / (depth - depth);
            } catch (ArithmeticException e) {
                yield -5;
            } finally {
                depth = 0;
            }
        }
        case 'n': if (depth > 2) yield 3;
        default: yield switch (depth) { case 0 -> 0; default -> yields((char) (c + 1), depth - 1) * 2; };
    } * 2;
}
static int boxed(Integer n, Character c) {
    switch (n) {
        case 1: return 10;
        case 1000:
            switch (c) {
                case 'c': return 20;
                default: break;
            }
    }
    return 30;
}
static void run() {
    for (int n = -1; n < 8; n++) System.out.println(dense(n));
    System.out.println(sparse(@{long}) + sparse(Integer.MAX_VALUE) * 10 + sparse(@{one 0 ;; -1000000 ;; 1048576 ;; 4294967296L}) * 100);
    for (String s : new String[] {"Aa", "BB", "C#", "Bb", "AaBB", "", @{lit String}}) System.out.println(text(s));
    for (Color c : Color.values()) {
        try {
            System.out.println(old(c));
            System.out.println(color(c));
        } catch (IllegalStateException e) {
            Main.report(e);
        }
    }
    for (char c : "axnzq".toCharArray()) System.out.println(yields(c, @{in 0 4}));
    System.out.println(boxed(1000, '@{one c ;; d}') + boxed(@{in 0 2}, 'x'));
    try {
        System.out.println(text(null));
    } catch (NullPointerException e) {
        Main.report(e);
    }
    try {
        System.out.println(old(null));
    } catch (NullPointerException e) {
        Main.report(e);
    }
    try {
        System.out.println(boxed(null, 'c'));
    } catch (NullPointerException e) {
        Main.report(e);
    }
    int k = 0;
    loop:
    while (true) {
        switch (k++) {
            case 0: continue;
            case 1: continue loop;
            case 3: break loop;
            default: break;
        }
        System.out.println(k);
    }
    byte b = @{lit byte};
    switch (b) {
        case -128 -> System.out.println("least");
        case 0, 1, 2 -> System.out.println("small");
        default -> {
            if (b > 0) break;
            System.out.println("negative");
        }
    }
    int local;
    switch (k) {
        case 4: local = 1; break;
        default: local = 2;
    }
    System.out.println(local);
    switch (k) { }
    switch (k) { default: System.out.println(k); }
}
//# machine
static int run(int[] code, int input) {
    int[] stack = new int[16];
    int top = 0, at = 0, fuel = 300;
    while (fuel-- > 0) {
        switch (code[at++]) {
            case 0: return stack[--top];
            case 1: stack[top++] = code[at++]; break;
            case 2: stack[top++] = input; break;
            case 3: stack[top - 2] += stack[--top]; break;
            case 4: stack[top - 2] *= stack[--top]; break;
            case 5: stack[top - 2] -= stack[--top]; break;
            case 6: stack[top] = stack[top - 1]; top++; break;
            case 7: if (stack[--top] > 0) at = code[at]; else at++; break;
            case 8: int t = stack[top - 1]; stack[top - 1] = stack[top - 2]; stack[top - 2] = t; break;
            default: throw new IllegalStateException("code " + code[at - 1]);
        }
    }
    return -1;
}
static void run() {
    int[] factorial = {1, 1, 2, 6, 1, 20, 8, 5, 7, 12, 0, 99, 8, 0};
    int[] polynomial = {2, 6, 4, 1, @{in -9 9}, 4, 2, 1, @{lit int}, 4, 3, 0};
    int[] countdown = {2, 1, 1, 5, 6, 7, 1, 0};
    int[][] codes = {factorial, polynomial, countdown, {1, 2, 3}, {@{in 9 20}}, {2}};
    for (int[] code : codes) {
        try {
            System.out.println(run(code, @{in 1 9}));
        } catch (ArrayIndexOutOfBoundsException | IllegalStateException e) {
            Main.report(e);
        }
    }
}
