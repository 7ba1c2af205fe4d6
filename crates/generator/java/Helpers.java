static final Object LOCK = new Object();
static int fuel;
static class OutOfFuel extends Error {
    OutOfFuel() {
        super("out of fuel");
    }
}
static void step() {
    if (--fuel < 0) {
        throw new OutOfFuel();
    }
}
static void report(Throwable e) {
    System.out.println(e.getClass().getName());
    if (!(e instanceof NullPointerException) && !(e instanceof ClassCastException)) {
        System.out.println(e.getMessage() == null ? "null" : show(e.getMessage()));
    }
}
static String cut(String text) {
    return text.length() > 40 ? text.substring(0, 40) : text;
}
static String show(String text) {
    StringBuilder shown = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        if (c >= 127 || c < 32) {
            shown.append((char) 92).append("u").append(Integer.toHexString(c));
        } else {
            shown.append(c);
        }
    }
    return shown.toString();
}
