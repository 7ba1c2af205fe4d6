//# generics
static class Box<T extends Comparable<T>> implements Comparable<Box<T>> {
    private T content;
    Box(T content) {
        this.content = content;
    }
    T get() {
        return content;
    }
    <U extends Comparable<U>> Box<U> map(java.util.function.Function<? super T, ? extends U> f) {
        return new Box<>(f.apply(content));
    }
    @Override
    public int compareTo(Box<T> other) {
        return content.compareTo(other.content);
    }
    @Override
    public String toString() {
        return "Box(" + content + ")";
    }
}
static abstract class Visitor<R> {
    abstract R visit(int n);
    R twice(int n) {
        visit(n);
        return visit(n + 1);
    }
}
static class Sum extends Visitor<Integer> {
    int sum;
    @Override
    Integer visit(int n) {
        return sum += n;
    }
}
static class Text extends Visitor<String> {
    @Override
    String visit(int n) {
        return "#" + n;
    }
}
interface Source<T> {
    T next();
    default Source<T> skip(int n) {
        while (n-- > 0) next();
        return this;
    }
}
static class Naturals implements Source<Integer> {
    int at;
    @Override
    public Integer next() {
        return at++;
    }
}
static <T extends Comparable<? super T>> T max(T first, T... rest) {
    T max = first;
    for (T t : rest) if (t.compareTo(max) > 0) max = t;
    return max;
}
static <A, B> String pair(A a, B b) {
    return "<" + a + "," + b + ">";
}
static <T> void swap(T[] array, int i, int j) {
    T t = array[i];
    array[i] = array[j];
    array[j] = t;
}
static class Stack<E> implements Iterable<E> {
    private Object[] elements = new Object[1];
    private int size;
    void push(E e) {
        if (size == elements.length) elements = java.util.Arrays.copyOf(elements, size * 2);
        elements[size++] = e;
    }
    @SuppressWarnings("unchecked")
    E pop() {
        if (size == 0) throw new java.util.NoSuchElementException("empty");
        return (E) elements[--size];
    }
    @Override
    public java.util.Iterator<E> iterator() {
        return new java.util.Iterator<E>() {
            int at = size;
            @Override
            public boolean hasNext() {
                return at > 0;
            }
            @Override
            @SuppressWarnings("unchecked")
            public E next() {
                return (E) elements[--at];
            }
        };
    }
}
@SuppressWarnings({"unchecked", "rawtypes"})
static void run() {
    Box<Integer> box = new Box<>(@{in 1 99});
    System.out.println(box.map(n -> "n" + n));
    System.out.println(box.compareTo(new Box<>(50)));
    System.out.println(box.get() + 1);
    System.out.println(new Sum().twice(@{in 1 9}) + new Text().twice(3));
    Visitor<?> visitor = @{boolean} ? new Sum() : new Text();
    System.out.println(visitor.visit(4));
    System.out.println(new Naturals().skip(@{in 0 9}).next());
    System.out.println(max(3, 9, @{in 0 20}) + max("a", "c", "b"));
    System.out.println(pair(1, "x") + pair('c', null) + @PIECE.<Long, Integer>pair(5L, 6));
    Integer[] array = {1, 2, 3};
    swap(array, 0, 2);
    System.out.println(array[0] * 10 + array[2]);
    Stack<String> stack = new Stack<>();
    for (String s : "to be or not".split(" ")) stack.push(s);
    for (String s : stack) System.out.println(s);
    System.out.println(stack.pop() + stack.pop());
    Stack raw = stack;
    raw.push(5);
    try {
        String s = stack.pop();
        System.out.println(s);
    } catch (ClassCastException e) {
        Main.report(e);
    }
    try {
        new Stack<Integer>().pop();
    } catch (java.util.NoSuchElementException e) {
        Main.report(e);
    }
    Comparable c = box;
    try {
        System.out.println(c.compareTo("text"));
    } catch (ClassCastException e) {
        Main.report(e);
    }
    try {
        Visitor<Integer> lie = (Visitor<Integer>) (Visitor) new Text();
        Object fine = lie.visit(1);
        System.out.println(fine);
        Integer bad = lie.visit(2);
        System.out.println(bad);
    } catch (ClassCastException e) {
        Main.report(e);
    }
}
