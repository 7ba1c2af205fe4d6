//# enums
enum Planet {
    MERCURY(1), VENUS(@{in 2 5}), EARTH;
    static int made;
    private final int mass;
    static {
        for (Planet p : values()) made += p.mass;
    }
    Planet() {
        this(9);
    }
    Planet(int mass) {
        this.mass = mass;
    }
    int weight(int by) {
        return mass * by + ordinal();
    }
}
enum Op implements java.util.function.IntBinaryOperator {
    PLUS("+") {
        @Override
        public int applyAsInt(int a, int b) {
            return a + b;
        }
    },
    TIMES("*") {
        @Override
        public int applyAsInt(int a, int b) {
            return a * b;
        }
        @Override
        boolean strong() {
            return true;
        }
    };
    final String symbol;
    Op(String symbol) {
        this.symbol = symbol;
    }
    boolean strong() {
        return false;
    }
    @Override
    public String toString() {
        return "(" + symbol + ")";
    }
}
enum Single { INSTANCE; int state; }
static Planet next(Planet p) {
    return Planet.values()[(p.ordinal() + 1) % Planet.values().length];
}
static void run() {
    for (Planet p : Planet.values()) {
        System.out.println(p + " " + p.ordinal() + " " + p.weight(@{in 1 9}) + " " + next(p).name());
        System.out.println(p.compareTo(Planet.VENUS));
    }
    System.out.println(Planet.made);
    for (Op op : Op.values()) {
        System.out.println(op + op.name() + op.strong() + op.applyAsInt(@{int}, @{int}));
        System.out.println(op.getDeclaringClass().getSimpleName() + (op.getClass() == Op.class));
    }
    try {
        System.out.println(Planet.valueOf("@{one EARTH ;; earth ;; PLUTO}").mass);
    } catch (IllegalArgumentException e) {
        System.out.println(e.getClass().getName());
    }
    Single.INSTANCE.state += 4;
    System.out.println(Single.valueOf("INSTANCE").state);
    System.out.println(Planet.EARTH == next(Planet.VENUS));
    System.out.println(Planet.EARTH.equals(Op.PLUS));
    java.util.EnumMap<Planet, Integer> map = new java.util.EnumMap<>(Planet.class);
    map.put(Planet.EARTH, 3);
    map.put(Planet.MERCURY, 1);
    map.merge(Planet.EARTH, 4, Integer::sum);
    System.out.println(map);
    System.out.println(map.containsKey(Planet.VENUS));
    java.util.EnumSet<Planet> set = java.util.EnumSet.complementOf(java.util.EnumSet.of(Planet.VENUS));
    System.out.println(set);
    Object o = Op.TIMES;
    System.out.println(o instanceof Op && o instanceof Comparable);
}
//# states
enum State {
    START { State next(char c) { return Character.isDigit(c) ? NUMBER : c == '-' ? SIGN : FAIL; } },
    SIGN { State next(char c) { return Character.isDigit(c) ? NUMBER : FAIL; } },
    NUMBER { State next(char c) { return Character.isDigit(c) ? this : c == '.' ? SIGN : FAIL; } },
    FAIL { State next(char c) { return this; } };
    abstract State next(char c);
    static State of(String s) {
        State state = START;
        for (char c : s.toCharArray()) state = state.next(c);
        return state;
    }
}
static int value(State state) {
    switch (state) {
        case NUMBER: return 1;
        case FAIL: return -1;
        default: return 0;
    }
}
static void run() {
    for (String s : new String[] {"12", "-3.@{in 0 99}", "", "-", "1x", "1.", "--"}) System.out.println(State.of(s) + " " + value(State.of(s)));
}
