//! Lists of the JDK as inputs: they are in a valid state, whichever heap and engine, and reproducers make them.

use crate::files;

const LISTS: &str = "\
import java.util.*;

public class Lists {
    static class Item { int price; Lists owner; }
    static class Stock extends ArrayList<Item> { int limit; }
    private final List<Item> items = new ArrayList<>();

    public static void added(ArrayList<Integer> list) {
        int size = list.size();
        list.add(7);
        assert list.size() == size + 1 && list.get(size) == 7 && size >= 0;
    }

    public static void sorted(List<Integer> list) {
        assert list.size() != 2 || list.get(0) == null || list.get(1) == null || list.get(0) <= list.get(1);
    }

    public static void kept(ArrayList<Item> list, Object[] others) {
        Object first = list.get(0);
        others[0] = null;
        assert list.get(0) == first;
    }

    public static void aliased(ArrayList<Item> one, ArrayList<Item> other) {
        int size = one.size();
        other.add(null);
        assert one.size() == size;
    }

    public static void own(Stock stock) {
        assert stock.size() <= stock.limit;
    }

    public int sum() {
        int sum = 0;
        for (Item item : items) sum += item.price;
        assert sum >= 0;
        return sum;
    }
}
";

#[test]
fn lists_are_valid() {
    let place = files([("Lists.java", LISTS)]);
    let options = ["--engine backward", "--heap combined", "--heap lazy", "--heap symbolic", "--heap arrays"];
    for (number, (method, holds)) in
        [("added", true), ("kept", true), ("sorted", false), ("aliased", false), ("own", false), ("sum", false)]
            .into_iter()
            .enumerate()
    {
        // All ways for one method, and another two for each of the others.
        let options = if number == 0 { &options[..] } else { &options[number - 1..number.min(4) + 1] };
        for option in options {
            let ran = place.run(&format!("check Lists.java --entry Lists.{method} {option} --timeout 300"));
            match holds {
                // A library may have lists of its own.
                true => ran.ends(3).says("inputs of type java.util.ArrayList are instances of loaded classes"),
                false => ran.ends(1).says("violated"),
            };
        }
    }
}

#[test]
fn lists_are_shown_and_made() {
    let text = "
        class Main {
            static class Item { int price; }
            java.util.List<Item> items;
            int sum() { int sum = 0; for (Item item : items) sum += item.price; assert sum >= 0; return sum; }
        }";
    let place = files([("Main.java", text)]);
    place
        .run("check Main.java --entry Main.sum --confirm --reproducer out")
        .ends(1)
        .says("items = ArrayList#2 = [")
        .says("confirmed by");
    let text = place.read("out/Reproducer.java");
    assert!(text.contains("new java.util.ArrayList(java.util.Arrays.asList("), "{text}");
}

/// A field of a generic class has a value of the type that the parameter names, even if nothing in the code asks for it.
#[test]
fn generic_fields_have_values_of_their_types() {
    let place = files([(
        "Box.java",
        "public class Box<T> {
            public T value;
            static void integer(Box<Integer> box) { assert box == null || box.value == null; }
            static void text(Box<String> box) { assert box == null || box.value == null; }
            static void own(Box<Box<String>> box) { assert box == null || box.value == null || box.value.value == null; }
            static void number(Box<Integer> box) { assert box == null || !((Object) box.value instanceof String); }
        }",
    )]);
    let check = |entry: &str| place.run(&format!("check Box.java --jobs 1 --entry Box.{entry}"));
    check("integer").ends(1).says("Integer");
    check("text").ends(1).says("value = \"\"");
    check("own").ends(1);
    check("number").ends(3);
}
