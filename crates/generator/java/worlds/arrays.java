//# number traps
static boolean ok(Number[] a) {
    if (a != null && a.length > 0) a[0] = @{one Integer.valueOf(1) ;; 2.5 ;; null};
    return true;
}
//# object traps
static boolean ok(Object[] a, Object o) {
    if (a != null && a.length > 0) a[0] = o;
    return true;
}
//# strings traps
static boolean ok(@{one CharSequence ;; Object ;; Comparable<String>}[] a) {
    if (a != null && a.length > 1) a[1] = "s";
    return true;
}
//# interface traps
interface I {
}
static class A implements I {
}
static class B @{one implements I ;; extends A} {
}
static boolean ok(@{one I ;; A}[] a) {
    if (a != null && a.length > 0) a[0] = new A();
    return true;
}
//# rows traps
static boolean ok(Object[][] a) {
    if (a != null && a.length > 0) a[0] = new @{one Object ;; String}[1];
    return true;
}
//# final traps
static final class A {
}
static boolean ok(A[] a) {
    if (a != null && a.length > 0) a[0] = new A();
    return true;
}
//# class
static class A {
}
static class B extends A {
}
static boolean ok(A[] a) {
    return a == null || a.getClass() == A[].class;
}
//# caught
static class A {
}
static class B extends A {
}
static boolean ok(A[] a) {
    try {
        if (a != null && a.length > 0) a[0] = new A();
    } catch (ArrayStoreException e) {
        return @{one false ;; true ;; a instanceof B[]};
    }
    return true;
}
//# alias
static boolean ok(@{one Object[] a, String[] b ;; int[] a, int[] b ;; int[] a, Object b ;; Object[] a, Object b}) {
    return a == null || (Object) a != (Object) b;
}
//# write
static boolean ok(int[] a, int[] b, int i) {
    if (a == null || b == null || i < 0 || i >= a.length || i >= b.length) return true;
    a[i] = 1;
    b[i] = 2;
    return a[i] == 1;
}
//# shared
static boolean ok(int[][] a) {
    if (a == null || a.length != 2 || a[0] == null || a[1] == null || a[0].length < 1 || a[1].length < 1) return true;
    a[0][0] = 1;
    a[1][0] = 2;
    return a[0][0] == 1;
}
//# itself
static boolean ok(Object[] a) {
    return a == null || a.length == 0 || a[0] != a;
}
//# copied
static boolean ok(int n) {
    Object[] a = @{one new String[2] ;; new Object[2] ;; new Integer[] {1, n}};
    try {
        a[0] = @{one "x" ;; (Object) n ;; null};
    } catch (ArrayStoreException e) {
        return @{one true ;; false};
    }
    return @{one true ;; false ;; a[0] != null};
}
