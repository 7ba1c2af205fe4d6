class ArrayStores {
    static void put(Object[] a, Object o) { a[0] = o; } static Number[] numbers() { return new Integer[1]; }
    public static void main(String[] args) {
        put(new Object[1], "a"); put(new String[1], "a"); put(new String[1], null); put(new int[1][], new int[0]);
        try { put(new String[1], 1); assert false; } catch (ArrayStoreException e) { }
        try { numbers()[0] = 1.5; assert false; } catch (ArrayStoreException e) { }
        try { put(new String[1], new int[0][]); assert false; } catch (ArrayStoreException e) { assert e.getMessage().equals("[[I"); }
        Number[] n = numbers(); n[0] = 3; assert n[0].intValue() == 3;
        Object o = n;
        assert o instanceof Integer[] && o instanceof Number[] && o instanceof Comparable[] && !(o instanceof String[]);
        try { String[] s = (String[]) o; assert false; } catch (ClassCastException e) { }
        CharSequence[] cs = new String[] {"x"}; assert cs[0].length() == 1;
    }
}
