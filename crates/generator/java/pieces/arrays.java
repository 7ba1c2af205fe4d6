//# exceptions
static int zero;
static void attempt(int which) {
    try {
        int[] ints = {1, 2, 3};
        Object[] objects = new Integer[2];
        switch (which) {
            case 0: System.out.println(ints[@{in -3 5}]); break;
            case 1: ints[zero + 3] = 4; break;
            case 2: System.out.println(new int[zero - @{in 1 5}].length); break;
            case 3: objects[0] = "text"; break;
            case 4: objects[1] = 5; System.out.println(objects[1]); break;
            case 5: System.out.println(new long[2][zero - 7][3].length); break;
            case 6: ints = null; System.out.println(ints[zero]); break;
            case 7: ints = null; System.out.println(ints.length); break;
            case 8: Object o = ints; System.out.println(((long[]) o).length); break;
            case 9: System.arraycopy(ints, 0, ints, 1, @{in 1 4}); System.out.println(ints[2]); break;
            case 10: System.arraycopy(ints, 0, new long[3], 0, 1); break;
            case 11: System.arraycopy(new Object[] {1, "b", 2}, 0, objects, 0, 2); break;
            case 12: Object[][] grid = new String[2][2]; grid[0] = new Integer[1]; break;
            case 13: Object[] mixed = new String[][] {{"a"}}; mixed[0] = new String[] {"b"}; System.out.println(((String[]) mixed[0])[0]); break;
            case 14: (new byte[2][3])[1][2]++; break;
            default: (new byte[2][3])[zero + 1][zero + 3]--;
        }
    } catch (RuntimeException e) {
        Main.report(e);
    }
}
static void run() {
    for (int which = 0; which < 16; which++) {
        System.out.println(which);
        attempt(which);
    }
}
//# shapes
static int[][] jagged = {{1}, {}, {2, 3, @{lit int}}, null, new int[@{in 0 4}]};
static long total(int[]... rows) {
    long total = 0;
    for (int[] row : rows) {
        if (row == null) {
            total -= 1;
            continue;
        }
        for (int value : row) total = total * 3 + value;
    }
    return total;
}
static int[] matrix()[] {
    int m[][] = new int[@{in 2 4}][@{in 2 4}], k = 0;
    for (int[] row : m) for (int j = 0; j < row.length; j++) row[j] = k++ * k;
    return m;
}
static void run() {
    System.out.println(total(jagged));
    System.out.println(total());
    System.out.println(total(jagged[2]));
    System.out.println(total(matrix()));
    int[][] shallow = matrix(), copy = shallow.clone();
    copy[0][0] = 99;
    copy[1] = new int[] {5};
    System.out.println(total(shallow) - total(copy));
    boolean[] booleans = new boolean[3];
    char[] chars = new char[2];
    String[] strings = new String[2];
    long[][][] cube = new long[2][3][];
    cube[1][2] = new long[] {@{lit long}};
    booleans[1] |= true;
    booleans[2] ^= booleans[1];
    chars[0] += 'a';
    chars[1]--;
    System.out.println(booleans[0] ^ booleans[2]);
    System.out.println((int) chars[0] + chars[1]);
    System.out.println(strings[1]);
    System.out.println(cube[1][2][0]);
    System.out.println(cube[0][0] == null);
    byte[] bytes = {1, -1, 'a', (byte) 200};
    short[] shorts = {bytes[3], (short) 40000};
    int sum = 0;
    for (byte value : bytes) sum += value;
    for (int value : shorts) sum += value;
    System.out.println(sum);
    Object o = bytes;
    System.out.println(o instanceof byte[]);
    System.out.println(o.getClass().getName());
    System.out.println(jagged.getClass().getName());
    System.out.println(strings.getClass().getSimpleName());
    System.out.println(((Object) strings) instanceof Object[] && !(o instanceof Object[]));
    Object[] covariant = strings;
    covariant[0] = "stored";
    System.out.println(strings[0]);
    int i = 0;
    int[] sequence = {i++, i++, i++ + i, i};
    System.out.println(total(sequence));
}
//# utilities
static void run() {
    int[] a = {@{in -9 9}, @{in -9 9}, @{in -9 9}, @{in -9 9}, @{lit int}, 0};
    int[] b = a.clone();
    @{each java.util.Arrays.sort(a); ;; java.util.Arrays.fill(b, 1, 3, @{in 0 9}); ;; System.out.println(java.util.Arrays.toString(b));
    ;; System.out.println(java.util.Arrays.equals(a, b)); ;; System.arraycopy(b, 0, b, 2, 4); ;; System.arraycopy(a, 2, a, 0, 3);
    ;; System.out.println(java.util.Arrays.toString(java.util.Arrays.copyOf(a, @{in 0 9}))); ;; System.out.println(java.util.Arrays.hashCode(b));
    ;; System.out.println(java.util.Arrays.toString(java.util.Arrays.copyOfRange(b, @{in 0 3}, @{in 4 8}))); ;; java.util.Arrays.sort(b, 1, 4);
    ;; System.out.println(java.util.Arrays.asList(1, 2, @{in 3 9}).indexOf(2)); ;; System.out.println(java.util.Arrays.stream(a).sum());}
    System.out.println(java.util.Arrays.toString(a));
    System.out.println(java.util.Arrays.toString(b));
    java.util.Arrays.sort(a);
    System.out.println(java.util.Arrays.binarySearch(a, @{in -9 9}) >= 0);
    String[] words = {"pear", "Apple", "fig", "apple", ""};
    java.util.Arrays.sort(words);
    System.out.println(java.util.Arrays.asList(words));
    java.util.Arrays.sort(words, java.util.Comparator.comparing(String::length));
    System.out.println(java.util.Arrays.toString(words));
    int[][] deep = {{1, 2}, {3}, null};
    System.out.println(java.util.Arrays.deepToString(deep));
    System.out.println(java.util.Arrays.deepEquals(deep, new int[][] {{1, 2}, {3}, null}));
    System.out.println(java.util.Arrays.toString(new boolean[] {true, @{boolean}}));
    System.out.println(java.util.Arrays.toString(new char[] {'x', 'y'}));
    System.out.println(java.util.Arrays.toString((int[]) null));
    System.out.println(java.util.Arrays.toString(new Object[] {null, 1, 'c', "s", 2L}));
    java.util.List<String> view = java.util.Arrays.asList(words);
    view.set(0, "changed");
    System.out.println(words[0]);
    try {
        view.add("more");
    } catch (UnsupportedOperationException e) {
        Main.report(e);
    }
    Integer[] boxed = {3, 1, 2};
    java.util.Arrays.sort(boxed, java.util.Collections.reverseOrder());
    System.out.println(java.util.Arrays.toString(boxed));
    try {
        System.out.println(java.util.Arrays.copyOfRange(a, 3, @{in 0 4}).length);
    } catch (IllegalArgumentException e) {
        Main.report(e);
    }
    long[] longs = new long[5];
    java.util.Arrays.setAll(longs, k -> k * @{lit long});
    System.out.println(java.util.Arrays.toString(longs));
}
//# algorithms
static void bubble(int[] a) {
    for (int i = a.length; i-- > 0; )
        for (int j = 0; j < i; j++)
            if (a[j] > a[j + 1]) {
                int t = a[j];
                a[j] = a[j + 1];
                a[j + 1] = t;
            }
}
static void quick(int[] a, int low, int high) {
    if (low >= high) return;
    int pivot = a[(low + high) >>> 1], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) {
            a[i] ^= a[j];
            if (i != j) {
                a[j] ^= a[i];
                a[i] ^= a[j];
            } else {
                a[i] = pivot;
            }
            i++;
            j--;
        }
    }
    quick(a, low, j);
    quick(a, i, high);
}
static int[] merge(int[] a) {
    if (a.length < 2) return a;
    int[] left = new int[a.length / 2], right = new int[a.length - left.length];
    System.arraycopy(a, 0, left, 0, left.length);
    System.arraycopy(a, left.length, right, 0, right.length);
    left = merge(left);
    right = merge(right);
    int[] merged = new int[a.length];
    for (int i = 0, j = 0, k = 0; k < merged.length; k++)
        merged[k] = j == right.length || i < left.length && left[i] <= right[j] ? left[i++] : right[j++];
    return merged;
}
static void show(int[] a) {
    for (int value : a) System.out.println(value);
}
static void run() {
    int[] a = {@{lit int}, @{in -9 9}, @{in -9 9}, @{lit int}, @{in -99 99}, @{in -9 9}};
    int[] b = a.clone();
    show(merge(a));
    bubble(a);
    show(a);
    quick(b, 0, b.length - 1);
    for (int i = 0; i < a.length; i++) if (a[i] != b[i]) System.out.println("differs at " + i);
    boolean[] composite = new boolean[@{in 20 60}];
    for (int i = 2; i < composite.length; i++) {
        if (composite[i]) continue;
        System.out.println(i);
        for (int j = i * i; j < composite.length; j += i) composite[j] = true;
    }
    long[][] m = {{1, 1}, {1, 0}}, p = {{1, 0}, {0, 1}};
    for (int n = @{in 1 99}; n > 0; n >>= 1) {
        if ((n & 1) == 1) p = times(p, m);
        m = times(m, m);
    }
    System.out.println(p[0][1]);
}
static long[][] times(long[][] x, long[][] y) {
    long[][] z = new long[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 2; k++) z[i][j] += x[i][k] * y[k][j];
    return z;
}
