/** In which order records ask their components. */
class RecordCalls {
    static String log = "";
    record Named(String name) {
        public boolean equals(Object o) { log = log.concat("e").concat(name); return true; }
        public int hashCode() { log = log.concat("h").concat(name); return 1; }
        public String toString() { log = log.concat("t").concat(name); return name; }
    }
    record Pair(Named a, Named b) { }
    public static void main(String[] args) {
        Pair p = new Pair(new Named("a"), new Named("b"));
        assert p.hashCode() == 32 && log.equals("hahb") : log;
        log = "";
        assert p.toString().equals("Pair[a=a, b=b]") && log.equals("tatb") : log;
        log = "";
        assert p.equals(new Pair(new Named("c"), new Named("d")));
        assert log.equals("ebea") : log;
    }
}
