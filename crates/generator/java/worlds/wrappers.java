//# assert
static void entry(@PARAMS) {
    assert @CALL;
}
//# branch
static void entry(@PARAMS) {
    @{one if (@CALL) return; assert false; ;; if (!@CALL) { assert false; } ;; int wn = @CALL ? 1 : 0; if (wn == 1) return; assert wn == 2;}
}
//# interface
interface WCheck {
    boolean check(@PARAMS);
}
static class WPlain implements WCheck {
    boolean bias = true;
    public boolean check(@PARAMS) {
        boolean r = @CALL;
        return r == bias;
    }
}
@{maybe static class WOther implements WCheck {
    public boolean check(@PARAMS) {
        return true;
    }
}
static WCheck unused = new WOther();}
static void entry(@PARAMS) {
    WCheck w = new WPlain();
    @{one if (w.check(@ARGS)) return; assert false; ;; assert w.check(@ARGS); ;; if (!w.check(@ARGS)) assert false;}
}
//# abstract
static abstract class WBase {
    abstract int count(@PARAMS);
    void check(@PARAMS) {
        @{one if (count(@ARGS) == 0) return; assert false; ;; assert count(@ARGS) == 0;}
    }
}
static class WCount extends WBase {
    int one = 1;
    int count(@PARAMS) {
        return @CALL ? 0 : one;
    }
}
static void entry(@PARAMS) {
    WBase w = new WCount();
    w.check(@ARGS);
}
//# lambda
interface WCheck {
    boolean check(@PARAMS);
}
static boolean wBy(@PARAMS) {
    return @CALL;
}
static WCheck wMade() {
    return @{one @CLAIM::ok ;; (@PARAMS) -> @CALL ;; Main::wBy};
}
static void entry(@PARAMS) {
    WCheck w = wMade();
    @{one if (w.check(@ARGS)) return; assert false; ;; assert w.check(@ARGS);}
}
//# nameless
interface WCheck {
    int check(@PARAMS);
}
static WCheck w() {
    return new WCheck() {
        int none = 0;
        public int check(@PARAMS) {
            return @CALL ? none : none + 1;
        }
    };
}
static void entry(@PARAMS) {
    int wn = w().check(@ARGS);
    if (wn == 0) return;
    assert false;
}
//# getter
interface WGet {
    int get();
}
static class WBox implements WGet {
    final int value;
    WBox(int value) {
        this.value = value;
    }
    public int get() {
        return value;
    }
}
static void entry(@PARAMS) {
    WGet w = new WBox(@CALL ? 1 : 0);
    @{one if (w.get() == 1) return; assert false; ;; if (w.get() != 1) assert false; ;; assert w.get() == 1;}
}
//# loop
interface WGet {
    int get(int i);
}
static void entry(@PARAMS) {
    int wGood = @CALL ? 1 : 0;
    WGet[] all = {wi -> wi, new WGet() {
        public int get(int wi) {
            return wi * wGood;
        }
    }};
    int wSum = 0;
    for (WGet w : all) wSum += w.get(1);
    @{one assert wSum == 2; ;; if (wSum == 2) return; assert false;}
}
//# exception
static class WError extends RuntimeException {
    final int code;
    WError(int code) {
        this.code = code;
    }
}
static void wCheck(@PARAMS) {
    if (!@CALL) throw new WError(@{in 1 3});
}
static void entry(@PARAMS) {
    @{one try {
        wCheck(@ARGS);
    } catch (WError we) {
        assert we.code @{one > 3 ;; == 0 ;; != we.code};
    } ;; WError wKept = null;
    try {
        wCheck(@ARGS);
    } catch (WError we) {
        wKept = we;
    }
    if (wKept != null) assert false; ;; WError wKept = null;
    try {
        wCheck(@ARGS);
    } catch (WError we) {
        wKept = we;
    }
    try {
        if (wKept != null) throw wKept;
    } catch (RuntimeException we) {
        assert we.getClass() != WError.class;
    } ;; int wn = 0;
    try {
        wCheck(@ARGS);
        wn = 1;
    } catch (WError we) {
        wn = 2;
    } finally {
        wn += 10;
    }
    assert wn != 12;}
}
//# finally
static void entry(@PARAMS) {
    boolean wBad = false;
    try {
        wBad = !@CALL;
    } finally {
        if (wBad) assert false;
    }
}
//# static
static boolean wGood = true;
static int wCalls;
static void wSet(boolean good) {
    wGood = good;
    wCalls++;
}
static void entry(@PARAMS) {
    wSet(@CALL);
    @{one if (wGood) return; assert false; ;; assert wGood || wCalls == 0;}
}
//# generic
static class WBox<T> {
    final T value;
    WBox(T value) {
        this.value = value;
    }
    T get() {
        return value;
    }
}
static void entry(@PARAMS) {
    WBox<Boolean> w = new WBox<>(@CALL);
    @{one assert w.get(); ;; if (w.get()) return; assert false;}
}
//# enum
enum WState {
    GOOD { boolean is(boolean b) { return b; } }, BAD { boolean is(boolean b) { return !b; } };
    abstract boolean is(boolean b);
}
static void entry(@PARAMS) {
    WState w = @CALL ? WState.GOOD : WState.BAD;
    @{one assert w.is(true); ;; if (w.is(true)) return; assert false; ;; switch (w) { case GOOD: return; default: assert false; } ;; assert w.ordinal() == 0;}
}
