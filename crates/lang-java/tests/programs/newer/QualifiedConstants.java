class QualifiedConstants {
    sealed interface I permits X, Y { } enum X implements I { A, B } enum Y implements I { C }
    static int f(I i) { return switch (i) { case X.A -> 1; case X.B -> 2; case Y.C -> 3; }; }
    public static void main(String[] args) { assert f(X.A) == 1 && f(X.B) == 2 && f(Y.C) == 3; }
}
