class NullArrays {
    static int attempt(int which) {
        boolean[] truths = null; byte[] bytes = null; int[][] rows = null; String[] names = null; int[] more, others = null;
        try {
            switch (which) {
                case 0: return truths.length;
                case 1: return truths[0] ? 1 : 0;
                case 2: bytes[0] = 1; break;
                case 3: return rows[0].length;
                case 4: names[1] = "a"; break;
                case 5: more = others; return more.length;
                case 6: others = new int[2]; break;
                case 7: for (int number : others) which += number; break;
                default: for (int i = 0; i < 2; i++) { if (others == null) others = new int[i + 3]; else return others.length; }
            }
            return -1;
        } catch (NullPointerException e) {
            return -2;
        }
    }
    public static void main(String[] args) {
        for (int i = 0; i < 8; i++) { int expected = i == 6 ? -1 : -2; assert attempt(i) == expected; }
        assert attempt(8) == 3;
        Object o = null; assert !(o instanceof String) && o == null; String s = (String) o; assert s == null;
        for (String t = null; ; t = "a") { if (t != null) { assert t.length() == 1; break; } }
    }
}
