class CopyMessages {
    static void check(Object from, int start, Object to, int place, int count, String message) {
        try {
            System.arraycopy(from, start, to, place, count);
            assert message == null;
        } catch (ArrayIndexOutOfBoundsException | ArrayStoreException e) {
            assert e.getMessage().equals("arraycopy: " + message);
        }
    }
    public static void main(String[] args) {
        int[] ints = new int[3]; Object[] objects = {1, "b", 2}; int last = Integer.MAX_VALUE;
        check(ints, -1, ints, 0, 1, "source index -1 out of bounds for int[3]");
        check(objects, 0, objects, -2, 1, "destination index -2 out of bounds for object array[3]");
        check(ints, 0, ints, 0, -1, "length -1 is negative");
        check(ints, 2, ints, 0, 2, "last source index 4 out of bounds for int[3]");
        check(ints, last, ints, 0, 2, "last source index 2147483649 out of bounds for int[3]");
        check(new byte[9], 0, new byte[2], 1, 2, "last destination index 3 out of bounds for byte[2]");
        check("a", 0, ints, 0, 0, "source type java.lang.String is not an array");
        check(ints, 0, "a", 0, 0, "destination type java.lang.String is not an array");
        check(objects, 0, "a", 0, 0, "destination type java.lang.String is not an array");
        check(ints, 0, new long[3], 0, 1, "type mismatch: can not copy int[] into long[]");
        check(ints, 0, objects, 0, 1, "type mismatch: can not copy int[] into object array[]");
        check(objects, 0, ints, 0, 1, "type mismatch: can not copy object array[] into int[]");
        check(new String[] {"a"}, 0, new Integer[1], 0, 1, "type mismatch: can not copy java.lang.String[] into java.lang.Integer[]");
        check(new String[1], 0, new Integer[1], 0, 1, null);
        Integer[] to = new Integer[3];
        check(objects, 0, to, 0, 3, "element type mismatch: can not cast one of the elements of java.lang.Object[] to the type of the destination array, java.lang.Integer");
        assert to[0] == 1 && to[1] == null;
    }
}
