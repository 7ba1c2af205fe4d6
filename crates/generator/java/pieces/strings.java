//# concat
static int calls;
static String call(String text) {
    calls++;
    return text + calls;
}
static void run() {
    String nothing = null;
    char c = @{lit char};
    char[] chars = {'o', 'k'};
    Object object = @{one "obj" ;; 42 ;; 'c' ;; null ;; 7L ;; true};
    int i = @{lit int};
    @{each System.out.println("a" + 1 + 2); ;; System.out.println(1 + 2 + "a"); ;; System.out.println('a' + 1 + "b"); ;; System.out.println("" + 'a' + 1);
    ;; System.out.println(nothing + "x"); ;; System.out.println("x" + null); ;; System.out.println(object + "" + i); ;; System.out.println("" + true + false);
    ;; System.out.println(call("p") + call("q") + calls); ;; System.out.println(Main.show("c=" + c)); ;; System.out.println("l" + @{lit long} + (byte) i + (short) i);
    ;; System.out.println(String.valueOf(chars) + chars.length); ;; System.out.println("t" + (i > 0 ? 1 : 'x')); ;; System.out.println("" + -i + ~i + i++ + ++i);
    ;; System.out.println(new String(chars) + new String(chars, 1, 1)); ;; System.out.println(chars);}
    String s = "s";
    s += 1;
    s += 'c';
    s += null;
    s += 2 + 3;
    s += s += "t";
    System.out.println(s);
    nothing += "!";
    System.out.println(nothing);
    String[] array = {"a", "b"};
    int k = 0;
    array[k++] += k + "z";
    System.out.println(array[0] + array[1] + k);
    final String constant = "con" + "stant";
    System.out.println(constant == "constant");
    System.out.println(("con" + s.substring(0, 0) + "stant") == constant);
    System.out.println(("con" + s.substring(0, 0) + "stant").intern() == constant);
    System.out.println(new String("constant") == constant);
    System.out.println("a" + 1 == "a1");
}
//# methods
static void attempt(int which, String s, String t) {
    try {
        Object result;
        switch (which) {
            case 0: result = s.charAt(@{in -1 5}); break;
            case 1: result = s.substring(@{in 0 4}); break;
            case 2: result = s.substring(@{in 0 3}, @{in 1 6}); break;
            case 3: result = s.indexOf(t); break;
            case 4: result = s.lastIndexOf('l'); break;
            case 5: result = s.indexOf('o', @{in -1 6}); break;
            case 6: result = s.replace('l', 'L'); break;
            case 7: result = s.replace(t, "<>"); break;
            case 8: result = s.compareTo(t); break;
            case 9: result = s.compareToIgnoreCase(t); break;
            case 10: result = s.equalsIgnoreCase(t); break;
            case 11: result = s.startsWith(t, 1); break;
            case 12: result = s.endsWith(t); break;
            case 13: result = s.contains(t); break;
            case 14: result = s.toUpperCase(); break;
            case 15: result = s.toLowerCase(); break;
            case 16: result = "[" + s.trim() + "]"; break;
            case 17: result = "[" + s.strip() + s.stripLeading() + s.stripTrailing() + "]"; break;
            case 18: result = s.repeat(@{in 0 3}); break;
            case 19: result = s.isBlank(); break;
            case 20: result = s.concat(t); break;
            case 21: result = s.hashCode(); break;
            case 22: result = s.length() + t.length(); break;
            case 23: result = String.join("-", s, t, "z"); break;
            case 24: result = s.split(",").length; break;
            case 25: result = String.join("|", s.split("l")); break;
            case 26: result = String.join("|", s.split(" ", @{in -1 3})); break;
            case 27: result = s.toCharArray().length; break;
            case 28: result = s.codePointAt(0); break;
            case 29: result = s.chars().filter(c -> c == 'l').count(); break;
            case 30: result = s.matches("[a-z]+"); break;
            case 31: result = s.lines().count(); break;
            case 32: result = String.valueOf((Object) null) + String.valueOf(new char[] {'x'}); break;
            case 33: result = s.regionMatches(1, t, 0, 2); break;
            case 34: result = s.subSequence(0, 1); break;
            case 35: result = s.repeat(-1); break;
            case 36: result = s.equals(null) || s.equals((Object) t); break;
            case 37: result = s.replaceAll("[aeiou]", "*"); break;
            default: result = s.compareTo(null);
        }
        System.out.println(Main.show("" + result));
    } catch (RuntimeException e) {
        Main.report(e);
    }
}
static void run() {
    String[] texts = {"hello", "", " two words ", "a,b,,c,,", "Äpfel", "HELLO", "ll", "\u4e2d\u6587l", "x"};
    int seed = @{in 0 99};
    for (int which = 0; which < 39; which++) {
        attempt(which, texts[(which + seed) % texts.length], texts[(which * 5 + seed * 3) % texts.length]);
    }
}
//# builder
static void run() {
    StringBuilder b = new StringBuilder(@{one "start" ;; 16 ;; }).append("0123456789");
    @{each b.append(@{lit int}); ;; b.append('c').append("str").append(true); ;; b.append(@{lit long}); ;; b.append((Object) null); ;; b.append((String) null);
    ;; b.insert(0, "in"); ;; b.insert(3, 42); ;; b.insert(2, 'x'); ;; b.reverse(); ;; b.deleteCharAt(1); ;; b.delete(1, 3); ;; b.setCharAt(0, '#');
    ;; b.replace(1, 4, "rep"); ;; b.setLength(b.length() - 1); ;; b.append(new char[] {'y', 'z'}); ;; b.append("abc", 1, 2); ;; b.append(b.length());
    ;; System.out.println(b); ;; System.out.println(b.indexOf("3")); ;; System.out.println(b.charAt(2)); ;; System.out.println(b.substring(2, 5)); ;; b.append(b, 0, 2);
    ;; b.appendCodePoint(65); ;; b.delete(5, 1000); b.append("0123456789");}
    System.out.println(b.toString());
    System.out.println(b.length());
    b.setLength(3);
    b.setLength(5);
    System.out.println(Main.show(b.toString()));
    try {
        @{one b.deleteCharAt(9); ;; b.setCharAt(-1, 'c'); ;; b.insert(9, "x"); ;; b.charAt(5); ;; b.setLength(-1); ;; b.delete(3, 2); ;; b.substring(4, 2);}
    } catch (IndexOutOfBoundsException e) {
        Main.report(e);
    }
    StringBuffer buffer = new StringBuffer("buf");
    buffer.append(1).append('c').insert(0, true).reverse();
    System.out.println(buffer);
    System.out.println("eurt".contentEquals(new StringBuilder("true").reverse()));
    System.out.println(new StringBuilder("a").compareTo(new StringBuilder("b")));
    CharSequence sequence = b;
    System.out.println(sequence.length() + " " + sequence.subSequence(0, 2));
}
//# unicode
static void run() {
    String s = "a\u00e9\u4e2d\ud83d\ude00z";
    System.out.println(s.length());
    System.out.println(s.codePointCount(0, s.length()));
    System.out.println(s.codePointAt(3));
    System.out.println(s.charAt(3) - 0);
    System.out.println(Main.show(new StringBuilder(s).reverse().toString()));
    System.out.println(Main.show(s.toUpperCase()));
    System.out.println("ß".toUpperCase());
    System.out.println("straße".length() - "STRASSE".length());
    System.out.println(s.hashCode());
    System.out.println(s);
    System.out.println("äöü€" + '\u00df' + "\t|");
    char c = 'é';
    c++;
    System.out.println(c);
    System.out.println(Character.isHighSurrogate(s.charAt(3)) + " " + Character.charCount(s.codePointAt(3)));
    System.out.println(s.indexOf('中') + s.indexOf("\ud83d\ude00") + s.lastIndexOf(0x1F600));
    System.out.println(Character.toChars(0x1F600).length);
    System.out.println("latin".equals("latin\u4e2d".substring(0, 5)));
    System.out.println(("latin\u4e2d".substring(0, 5)).hashCode() == "latin".hashCode());
    System.out.println("é".compareTo("中") < 0);
    System.out.println("Straße".equalsIgnoreCase("STRAßE"));
    for (char each : s.toCharArray()) System.out.println((int) each);
}
//# scanning
static boolean palindrome(String s) {
    for (int i = 0, j = s.length() - 1; i < j; i++, j--) if (s.charAt(i) != s.charAt(j)) return false;
    return true;
}
static String caesar(String s, int by) {
    StringBuilder b = new StringBuilder();
    for (char c : s.toCharArray()) {
        if (c >= 'a' && c <= 'z') c = (char) ('a' + Math.floorMod(c - 'a' + by, 26));
        else if (Character.isUpperCase(c)) c ^= 0x20;
        b.append(c);
    }
    return b.toString();
}
static int position;
static int sum(String s) {
    int value = product(s);
    while (position < s.length() && (s.charAt(position) == '+' || s.charAt(position) == '-'))
        value = s.charAt(position++) == '+' ? value + product(s) : value - product(s);
    return value;
}
static int product(String s) {
    int value = atom(s);
    while (position < s.length() && s.charAt(position) == '*') {
        position++;
        value *= atom(s);
    }
    return value;
}
static int atom(String s) {
    if (s.charAt(position) == '(') {
        position++;
        int value = sum(s);
        position++;
        return value;
    }
    int value = 0;
    while (position < s.length() && Character.isDigit(s.charAt(position))) value = 10 * value + s.charAt(position++) - '0';
    return value;
}
static void run() {
    System.out.println(palindrome(@{one "anna" ;; "x" ;; "abca" ;; ""}));
    System.out.println(caesar("Hello, zebra", @{in -30 30}));
    System.out.println(sum("@{in 1 99}+@{in 1 9}*(@{in 1 9}-@{in 1 99})*2"));
    try {
        position = 0;
        System.out.println(sum("1+"));
    } catch (StringIndexOutOfBoundsException e) {
        Main.report(e);
    }
    int[] counts = new int[26];
    for (char c : "the quick brown fox".toCharArray()) if (c != ' ') counts[c - 'a']++;
    String most = "";
    for (char c = 'a'; c <= 'z'; c++) if (counts[c - 'a'] > 1) most += c;
    System.out.println(most);
}
