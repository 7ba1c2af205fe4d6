class ConcatenationOrder {
    static String log = "";
    static class T { final String n; T(String n) { this.n = n; } public String toString() { log = log.concat(n); return n; } }
    static T t(String n) { log = log.concat("<").concat(n).concat(">"); return new T(n); }
    public static void main(String[] args) {
        String s = "" + t("a") + 1 + t("b") + "-" + t("c");
        assert s.equals("a1b-c"); assert log.replace("<a>", "").replace("<b>", "").replace("<c>", "").equals("abc");
        log = "";
        try { String r = "x" + t("a") + fail() + t("b"); assert false; } catch (IllegalStateException e) { assert log.startsWith("<a>") && !log.contains("b"); }
    }
    static String fail() { throw new IllegalStateException(); }
}
