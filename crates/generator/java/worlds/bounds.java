//# length
static boolean ok(String s) {
    return s.length() @{one <= 10 ;; <= 12 ;; < 11 ;; != 11 ;; != 3 ;; >= 0 ;; < 1000};
}
//# index
static boolean ok(String s) {
    return @{one s.indexOf('k') != 10 ;; s.length() < 11 || s.charAt(10) != 'k' ;; !s.equals("abcdefghijk") ;; s.isEmpty() || s.length() < 12 ;; !s.startsWith("abcdefghijk")};
}
//# later
static boolean ok(String s) {
    int n = s.length();
    if (n @{one < ;; <=} 10) return true;
    int k = 0;
    for (int i = 0; i < @{in 1 3}; i++) k++;
    return k == @{in 1 3};
}
//# hash
static boolean ok() {
    Object a = new Object(), b = new Object();
    return /*fails*/ @{one a.hashCode() != b.hashCode() ;; a.hashCode() != @{in 0 9} ;; System.identityHashCode(a) > 5 ;; new int[1].hashCode() != 77 ;; (a.hashCode() & 1) == @{in 0 1} ;; a.toString().length() > 18};
}
//# hash-fixed
static boolean ok() {
    Object a = new Object();
    int n = a.hashCode();
    return /*holds*/ @{one n == a.hashCode() ;; n == System.identityHashCode(a) ;; System.identityHashCode(null) == 0 ;; a.equals(a)};
}
//# property
static boolean ok() {
    return /*fails*/ @{one System.getProperty("my.flag") == null ;; System.getenv("MY_FLAG") == null ;; !Boolean.getBoolean("my.flag") ;; Integer.getInteger("my.size", 5) == 5 ;; System.getProperty("my.flag", "x").equals("x")};
}
