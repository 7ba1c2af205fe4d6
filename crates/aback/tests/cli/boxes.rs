//! Boxed numbers: the value determines whether a box is cached, and thus its identity; boxing does not add paths.

use crate::{Place, files};

/// One method for each box type, with the expected verdict of its assertions.
const BOXES: &str = "\
import java.util.ArrayList;

public class Boxes {
    static boolean isHeld(long value) { return -128 <= value && value <= 127; }

    public static void integers(int x, int y) {
        Integer a = x, b = x, c = y;
        assert (a == b) == isHeld(x);
        assert !(a == c) || x == y && isHeld(x);
        assert a.intValue() == x && a.equals(c) == (x == y);
    }

    public static void longs(long x, long y) {
        Long a = x, b = y;
        assert a != b || x == y && isHeld(x);
        assert a == x;
    }

    public static void shorts(short x, short y) {
        Short a = x, b = y;
        assert a != b || x == y && isHeld(x);
        assert a == x;
    }

    public static void characters(char x, char y) {
        Character a = x, b = y;
        assert a != b || x == y && x <= 127;
        assert a == x;
    }

    public static void bytes(byte x, byte y) {
        Byte a = x, b = y;
        assert (a == b) == (x == y);
        assert a == x;
    }

    public static void same(int x) {
        Integer a = x, b = x;
        assert a == b;
    }

    public static void others(int x) {
        Integer a = x, b = x;
        assert a != b;
    }

    /// The JDK allows a box to be locked. Nothing changes a box's field, but fields that refer to a box can change.
    public static void chosen(int x, int y, boolean first) {
        Integer a = x, b = y, c = first ? a : b;
        assert c == (first ? x : y);
        Integer[] boxes = {a, b, c};
        boxes[first ? 0 : 1] = 7;
        assert boxes[0] == 7 || boxes[1] == 7;
    }

    public static void ten(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j) {
        ArrayList<Integer> list = new ArrayList<>();
        Integer[] boxes = {a, b, c, d, e, f, g, h, i, j};
        Integer sum = 0;
        for (Integer box : boxes) {
            list.add(box);
            sum += box;
        }
        for (Integer box : list) {
            sum -= box;
        }
        assert sum == 0 && list.size() == 10;
        assert !boxes[0].equals(boxes[9]) || a == j;
    }
}
";

#[track_caller]
fn check(place: &Place, method: &str, engine: &str, status: i32) {
    place.run(&format!("check Boxes.java --entry Boxes.{method} --engine {engine} --timeout 300")).ends(status);
}

#[test]
fn boxes_are_what_their_values_say() {
    let place = files([("Boxes.java", BOXES)]);
    for engine in ["forward", "backward"] {
        for method in ["integers", "longs", "shorts", "characters", "bytes", "chosen"] {
            check(&place, method, engine, 0);
        }
        check(&place, "same", engine, 1);
        check(&place, "others", engine, 1);
    }
}

/// Ten boxes, each cached or not, give a thousand combinations, which must not become separate paths.
#[test]
fn ten_boxes_are_one_path() {
    let place = files([("Boxes.java", BOXES)]);
    let ran = place.run("check Boxes.java --entry Boxes.ten --json --timeout 300").ends(0);
    let paths = ran.json()["statistics"]["paths"].as_u64().unwrap();
    assert!(paths <= 10, "{paths} paths");
}

/// Where a model gives all elements of an array at once, the run uses them, however long the array is.
#[test]
fn long_arrays_replay() {
    let text = "class Main { static void main(int[] a, int i) {
        assume a != null && #a > 100000 && 0 <= i && i < #a;
        int x := a[70000];
        assert a[i] == 0 || i == 70000 || x != 5;
    } }";
    let place = files([("Main.oox", text)]);
    for engine in ["forward", "backward"] {
        place.run(&format!("check Main.oox --engine {engine} --witness w.json")).ends(1).says("violated");
    }
}
