//# nested
static boolean ok(String s) {
    boolean hit = false;
    switch (s.hashCode()) {
        case @{one 97 ;; 5 ;; 98}:
            if (s.equals("@{one a ;; b}")) hit = true;
            break;
        case @{one 6 ;; 2112 ;; 0}:
            if (s.equals("@{one c ;; Aa ;; BB ;; ab}")) hit = true;
            break;
        default:
            @{maybe hit = s.length() == 2;}
    }
    return @{one !hit ;; !hit ;; hit}@{maybe  || s.length() > 2};
}
//# chosen
static boolean ok(boolean first) {
    String s = first ? "@{one a ;; Aa}" : "@{one b ;; BB}";
    boolean hit = false;
    switch (s.hashCode()) {
        case @{one 97 ;; 5}:
            if (s.equals("a")) hit = true;
            break;
        case @{one 98 ;; 6}:
            if (s.equals("@{one b ;; c}")) hit = true;
            break;
        case 2112:
            if (s.equals("Aa")) hit = true;
            @{maybe else if (s.equals("BB")) hit = @{one true ;; false};}
            break;
        default:
    }
    return !hit;
}
//# twice
static boolean ok(String s) {
    int index = -1;
    switch (s.hashCode()) {
        case @{one 97 ;; 7}:
            if (s.equals("a")) index = 0;
            break;
        case @{one 98 ;; 8}:
            if (s.equals("b")) index = 1;
            break;
        case @{one 2112 ;; 2113}:
            if (s.equals("Aa")) index = 2;
            else if (s.equals("BB")) index = 3;
            break;
    }
    int r;
    switch (index) {
        case 0:
            r = @{in 1 3};
            break;
        case 1:
            r = @{in 1 3};
            break;
        case 2:
        case 3:
            r = 4;
            break;
        default:
            r = @{one 0 ;; 5};
    }
    return r != @{in 1 5};
}
//# string
static boolean ok(String s) {
    int r;
    switch (s) {
        case "a":
        case "Aa":
            r = @{in 0 2};
            break;
        case "BB":
            r = @{in 0 3};
            break;
        case "lit":
            r = @{in 0 3};
            @{maybe break;}
        default:
            r = @{in 0 3};
    }
    return r != @{in 0 3};
}
//# own-hash
static class K {
    int n;
    K(int n) {
        this.n = n;
    }
    @Override
    public int hashCode() {
        return @{one 1 ;; n ;; n & 1};
    }
    @Override
    public boolean equals(Object o) {
        return @{one o instanceof K && ((K) o).n == n ;; o == this ;; true};
    }
}
static boolean ok(int n) {
    K k = new K(n);
    int r = 0;
    switch (k.hashCode()) {
        case 1:
            if (k.equals(new K(@{in 1 3}))) r = 1;
            break;
        case 2:
            if (k.equals(k)) r = 2;
            break;
    }
    return r != @{in 1 2};
}
