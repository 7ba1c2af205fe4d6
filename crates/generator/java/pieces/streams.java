//# streams
record Person(String name, int age) {}
static void run() {
    java.util.List<Integer> numbers = java.util.Arrays.asList(@{in -9 9}, 3, @{in -9 9}, 8, 3, @{lit int});
    java.util.List<Person> people = java.util.List.of(new Person("Ann", @{in 20 40}), new Person("Bob", 30), new Person("Cid", @{in 20 40}), new Person("Dan", 30));
    @{some System.out.println(numbers.stream().map(n -> n * 2).collect(java.util.stream.Collectors.toList()));
    ;; System.out.println(numbers.stream().filter(n -> n > 2).count()); ;; System.out.println(numbers.stream().mapToInt(Integer::intValue).sum());
    ;; System.out.println(numbers.stream().sorted(java.util.Comparator.reverseOrder()).toList()); ;; System.out.println(numbers.stream().distinct().reduce(0, Integer::sum));
    ;; System.out.println(numbers.stream().reduce(Integer::max).get()); ;; System.out.println(java.util.stream.IntStream.rangeClosed(1, @{in 1 9}).mapToObj(Integer::toString).collect(java.util.stream.Collectors.joining(",", "[", "]")));
    ;; System.out.println((Object) people.stream().collect(java.util.stream.Collectors.groupingBy(Person::age, java.util.TreeMap::new, java.util.stream.Collectors.mapping(Person::name, java.util.stream.Collectors.toList()))));
    ;; System.out.println(people.stream().map(Person::name).collect(java.util.stream.Collectors.joining("|"))); ;; System.out.println((Object) people.stream().collect(java.util.stream.Collectors.partitioningBy(p -> p.age() > 30, java.util.stream.Collectors.counting())));
    ;; System.out.println(people.stream().sorted(java.util.Comparator.comparingInt(Person::age).thenComparing(Person::name, java.util.Comparator.reverseOrder())).map(Person::name).toList());
    ;; System.out.println(java.util.stream.Stream.iterate(1, n -> n * 3).limit(@{in 1 9}).toList()); ;; System.out.println(numbers.stream().anyMatch(n -> n < 0) + " " + numbers.stream().allMatch(n -> n != 3) + " " + numbers.stream().noneMatch(n -> n == 99));
    ;; System.out.println(java.util.stream.IntStream.range(0, 5).boxed().flatMap(i -> java.util.stream.Stream.of(i, -i)).skip(2).toList()); ;; System.out.println(numbers.stream().findFirst().map(n -> n + 1).orElse(-1));
    ;; System.out.println(numbers.stream().filter(n -> n == 77).findAny().isPresent()); ;; System.out.println(java.util.stream.LongStream.range(1, @{in 2 25}).reduce(1, (a, b) -> a * b));
    ;; numbers.stream().peek(n -> System.out.println("see " + n)).map(n -> n % 3).takeWhile(n -> n != 2).forEach(System.out::println);
    ;; System.out.println((Object) people.stream().collect(java.util.stream.Collectors.toMap(Person::name, Person::age, (a, b) -> a, java.util.LinkedHashMap::new)));
    ;; System.out.println("hello".chars().mapToObj(c -> (char) c).filter(c -> c > 'h').map(String::valueOf).collect(java.util.stream.Collectors.joining()));
    ;; System.out.println(numbers.stream().mapToInt(n -> n).max().getAsInt() + " " + numbers.stream().mapToInt(n -> n).summaryStatistics().getMin());
    ;; System.out.println(java.util.Arrays.stream(new int[] {3, 1, 2}).sorted().mapToObj(i -> "x".repeat(i)).toList()); ;; System.out.println(numbers.stream().mapToLong(n -> n).average().isPresent());}
    try {
        System.out.println(java.util.stream.Stream.of("a", "b", "@{one a ;; c}").collect(java.util.stream.Collectors.toMap(s -> s, String::length)).size());
    } catch (IllegalStateException e) {
        Main.report(e);
    }
    java.util.stream.Stream<Integer> once = numbers.stream();
    once.count();
    try {
        once.count();
    } catch (IllegalStateException e) {
        Main.report(e);
    }
    try {
        numbers.stream().toList().add(1);
    } catch (UnsupportedOperationException e) {
        Main.report(e);
    }
}
//# optional
static java.util.Optional<Integer> parse(String s) {
    try {
        return java.util.Optional.of(Integer.parseInt(s));
    } catch (NumberFormatException e) {
        return java.util.Optional.empty();
    }
}
static void run() {
    for (String s : new String[] {"@{in 0 99}", "x", "-5"}) {
        java.util.Optional<Integer> o = parse(s);
        System.out.println(o);
        System.out.println(o.filter(n -> n > 0).map(n -> n * 2).orElseGet(() -> s.length()));
        System.out.println(o.isEmpty() ? "none" : "some " + o.get());
        System.out.println(o.flatMap(n -> parse(s + n)).or(() -> java.util.Optional.of(0)).get());
        o.ifPresentOrElse(n -> System.out.println(n + 1), () -> System.out.println("absent"));
        try {
            System.out.println(o.orElseThrow());
        } catch (java.util.NoSuchElementException e) {
            Main.report(e);
        }
        System.out.println(o.equals(parse(s)) + " " + o.stream().count());
    }
    System.out.println(java.util.Optional.ofNullable((String) null).isPresent());
    try {
        java.util.Optional.of((String) null);
    } catch (NullPointerException e) {
        Main.report(e);
    }
}
