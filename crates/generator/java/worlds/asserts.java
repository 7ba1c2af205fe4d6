//# made apart
static boolean test(Object o) {
    return o @{one != ;; != ;; ==} null;
}
static boolean ok() {
    assert test(new AssertionError("user"));
    return true;
}
//# made-twice apart
static boolean test(Error e, int n) {
    return e.getMessage().length() @{one == ;; >} n;
}
static boolean ok() {
    assert @{in 0 1} == 0 || test(new AssertionError("user"), @{in 3 5}) : "text";
    return true;
}
//# field apart
static @{one final ;;  ;; } boolean $assertionsDisabled = @{one true ;; false};
static int check(int n) {
    if (!$assertionsDisabled && @{one !(n > 0) ;; n < 1}) throw new AssertionError(@{one "user" ;; });
    return n;
}
static boolean ok() {
    int r = 0;
    try {
        r = check(@{in -1 1});
    } catch (AssertionError e) {
        r = 2;
    }
    return r @{one < ;; < ;; !=} @{in 1 3};
}
//# flag apart
static boolean $assertionsDisabled;
static boolean ok() {
    boolean was = $assertionsDisabled;
    $assertionsDisabled = @{one true ;; !was};
    return $assertionsDisabled @{one != ;; ==} was;
}
//# other-flag apart
static class Flags {
    static boolean $assertionsDisabled = @{one true ;; false};
    boolean on = true;
}
static boolean ok() {
    if (!Flags.$assertionsDisabled) return @{one true ;; false};
    return @{one true ;; false ;; new Flags().on};
}
//# thrown apart
static boolean ok(int n) {
    if (n @{one > ;; ==} @{in 0 3}) throw new AssertionError("user");
    return @{one true ;; n != @{in 0 5}};
}
//# caught apart
static int check(boolean fine) {
    if (!fine) throw new AssertionError();
    return 1;
}
static boolean ok(int n) {
    int r = 0;
    try {
        r = check(n != @{in 1 3});
    } catch (AssertionError e) {
        r = 2;
    }
    return r != @{in 0 3};
}
//# returned apart
static AssertionError fail(int n) {
    return n > @{in 0 3} ? new AssertionError("user") : null;
}
static boolean ok(int n) {
    AssertionError e = fail(n);
    return e == null || @{one n > 1 ;; n > 0 ;; e.getMessage() != null};
}
//# status
static class Inner {
}
static boolean ok() {
    return @{one @CLAIM.class.desiredAssertionStatus() ;; !String.class.desiredAssertionStatus() ;; String.class.desiredAssertionStatus() ;; !java.util.ArrayList.class.desiredAssertionStatus() ;; Inner.class.desiredAssertionStatus()};
}
//# enabled
static boolean ok() {
    boolean on = false;
    assert on = true;
    return @{one on ;; on ;; !on};
}
//# effect
static int n = @{in 0 2};
static boolean ok() {
    assert n++ < @{in 0 4} : n;
    return n != @{in 0 4};
}
