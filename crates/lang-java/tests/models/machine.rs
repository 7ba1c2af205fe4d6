//! Objects, exceptions, classes, arrays, the system.

use super::{check, check_with};

#[test]
fn objects_have_classes_and_hash_codes_that_stay() {
    check_with(
        "static class A implements Cloneable { int x = 3; A copy() throws Exception { return (A) clone(); } }",
        r#"A a = new A(); A b = a.copy();
        System.out.println(a.getClass() == b.getClass() && a != b && b.x == 3);
        System.out.println(a.hashCode() == a.hashCode() && System.identityHashCode(a) == a.hashCode());
        System.out.println(a.hashCode() == b.hashCode() && false);
        System.out.println(a.equals(a) + " " + a.equals(b));
        try { new Object() { Object copy() throws Exception { return clone(); } }.copy(); }
        catch (CloneNotSupportedException e) { System.out.println("no copy"); }"#,
    );
}

#[test]
fn exceptions_have_the_messages_of_the_virtual_machine() {
    check_with(
        "static int zero() { return 0; } static int[] none() { return null; }",
        r#"try { System.out.println(new int[2][zero() + 3].length); } catch (Throwable e) { System.out.println(e); }
        try { int[] a = new int[4]; a[7 + zero()] = 1; } catch (Exception e) { System.out.println(e.getMessage()); }
        try { System.out.println(1 / zero()); } catch (ArithmeticException e) { System.out.println(e); }
        try { System.out.println(1L % zero()); } catch (ArithmeticException e) { System.out.println(e); }
        try { int[] a = new int[zero() - 1]; } catch (RuntimeException e) { System.out.println(e); }
        try { System.out.println(none()[0]); } catch (NullPointerException e) { System.out.println("null"); }
        try { throw new NullPointerException(); } catch (NullPointerException e) { System.out.println(e.getMessage()); }
        try { Object o = "s"; Integer i = (Integer) o; } catch (ClassCastException e) { System.out.println("cast"); }
        try { Object[] o = new String[1]; o[0] = 1; } catch (ArrayStoreException e) { System.out.println("store"); }
        try { throw new IllegalStateException("why", new Error("cause")); }
        catch (IllegalStateException e) { e.printStackTrace(); System.out.println(e + " " + e.getCause()); }
        try { "abc".charAt(5 + zero()); } catch (StringIndexOutOfBoundsException e) { System.out.println(e.getMessage()); }
        try { List.of(1).get(3); } catch (IndexOutOfBoundsException e) { System.out.println(e.getMessage()); }
        Throwable t = new Throwable("main"); t.addSuppressed(new Exception("other"));
        System.out.println(t.getSuppressed().length + t.getSuppressed()[0].getMessage());"#,
    );
}

#[test]
fn errors_leave_main() {
    check("System.out.println(1); throw new IllegalStateException();");
    check("System.out.println(1); assert Integer.valueOf(1) > 5 : \"no\";");
}

#[test]
fn arrays_are_copied() {
    check(
        r#"int[] a = {1, 2, 3, 4, 5};
        System.arraycopy(a, 0, a, 1, 4); System.out.println(Arrays.toString(a));
        System.arraycopy(a, 1, a, 0, 4); System.out.println(Arrays.toString(a));
        System.arraycopy(a, 5, a, 0, 0);
        for (int[] bad : new int[][] {{-1, 0, 1}, {0, -1, 1}, {0, 0, -1}, {3, 0, 3}, {0, 3, 3}, {0x7fffffff, 1, 0x7fffffff}})
            try { System.arraycopy(a, bad[0], a, bad[1], bad[2]); System.out.println("?"); }
            catch (ArrayIndexOutOfBoundsException e) { System.out.println("bounds"); }
        Object[] o = {"a", 1, "b"}; String[] s = new String[3];
        try { System.arraycopy(o, 0, s, 0, 3); } catch (ArrayStoreException e) { System.out.println(Arrays.toString(s)); }
        try { System.arraycopy(o, 0, a, 0, 3); } catch (ArrayStoreException e) { System.out.println("types"); }
        try { System.arraycopy("x", 0, a, 0, 3); } catch (ArrayStoreException e) { System.out.println("no array"); }
        try { System.arraycopy(a, 0, null, 0, 3); } catch (NullPointerException e) { System.out.println("null"); }
        double[] d = Arrays.copyOf(new double[] {1.5, 2}, 3); System.out.println(Arrays.toString(d));
        String[] t = Arrays.copyOfRange(new String[] {"x", "y", "z"}, 1, 5); System.out.println(Arrays.toString(t));
        System.out.println(t.getClass().getName() + new boolean[0][0].getClass().getName());
        long[] l = new long[3]; Arrays.fill(l, 7); System.out.println(Arrays.equals(l, l.clone()) + " " + Arrays.hashCode(l));
        System.out.println(Arrays.deepToString(new int[][] {{1}, {2, 3}}));
        Object lists = new List[] {List.of(1)}; System.out.println(((Object[]) lists).length);
        System.out.println(java.lang.reflect.Array.getLength(a) + " " + java.lang.reflect.Array.get(a, 2));"#,
    );
}

#[test]
fn classes_know_their_types() {
    check_with(
        "enum Color { RED, GREEN { String s() { return \"g\"; } }; String s() { return \"r\"; } }
         record Point(int x, int y) {} interface I {} static class B implements I {} static class C extends B {}",
        r#"System.out.println(Main.class.getName() + Main.class.getSimpleName() + C.class.getName() + C.class.getSimpleName());
        System.out.println(new Object() {}.getClass().getSimpleName() + "|" + String[][].class.getSimpleName());
        System.out.println(int.class + " " + int[].class + " " + I.class + " " + Integer.TYPE + " " + void.class);
        System.out.println(B.class.isAssignableFrom(C.class) + " " + C.class.isAssignableFrom(B.class)
            + I.class.isAssignableFrom(C.class) + Object.class.isAssignableFrom(I.class) + Object[].class.isAssignableFrom(String[].class)
            + Object[].class.isAssignableFrom(int[].class) + Cloneable.class.isAssignableFrom(int[].class) + long.class.isAssignableFrom(int.class));
        System.out.println(B.class.isInstance(new C()) + " " + I.class.isInterface() + int[].class.isArray() + C.class.getSuperclass());
        System.out.println(Color.class.isEnum() + " " + Color.GREEN.getClass().isEnum() + Color.GREEN.getDeclaringClass() + Point.class.isRecord());
        System.out.println(Color.valueOf("GREEN").s() + Color.RED.s() + Color.values().length + Color.RED.compareTo(Color.GREEN));
        try { Color.valueOf("BLUE"); } catch (IllegalArgumentException e) { System.out.println(e.getMessage()); }
        EnumMap<Color, Integer> m = new EnumMap<>(Color.class); m.put(Color.GREEN, 1); System.out.println(m);
        System.out.println(EnumSet.allOf(Color.class) + " " + EnumSet.of(Color.RED).contains(Color.GREEN));
        System.out.println(new Point(1, 2) + " " + new Point(1, 2).equals(new Point(1, 2)) + new Point(1, 2).hashCode());
        switch (Color.RED) { case RED -> System.out.println("red"); default -> System.out.println("other"); }
        System.out.println(String.class.cast("x") + Number.class.getPackageName());"#,
    );
}

#[test]
fn the_system_has_properties_and_streams() {
    check(
        r#"System.out.print('c'); System.out.print(1); System.out.print(2L); System.out.print(true); System.out.print(1.5f);
        System.out.print(2.5); System.out.print((Object) null); System.out.print((String) null); System.out.println();
        System.out.println(new char[] {'x', 'y'}); System.out.println('\u00e9' == 233);
        System.out.append("abc").append('d').append("xyz", 1, 2).println(); System.out.write('w'); System.out.flush();
        System.err.println("nothing of this"); System.out.println(System.lineSeparator().length());
        System.out.println(System.getProperty("no such property") + System.getProperty("none", "other") + System.getProperty("file.separator"));
        long a = System.nanoTime(), b = System.nanoTime(); System.out.println(b >= a && System.currentTimeMillis() >= 0);
        System.out.println(Integer.getInteger("missing", 5) + " " + Boolean.getBoolean("missing"));
        System.exit(0); System.out.println("never");"#,
    );
}
