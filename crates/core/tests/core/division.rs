//! Quotients, remainders and checks of overflow, where nothing is a constant. Needs a JDK.

use crate::numbered::{check_both, numbered};

const HOLDS: &str = "holds";
const VIOLATED: &str = "violated";

#[test]
fn by_numbers_that_are_no_constants() {
    let questions = [
        (HOLDS, "if (y > 0 && y <= 100) assert x / y * y + x % y == x;"),
        (HOLDS, "if (y > 0 && y <= 1000) { int m = Math.floorMod(x, y); assert 0 <= m && m < y; }"),
        (HOLDS, "if (0 <= x && x < y) { int next = (x + 1) % y; assert 0 <= next && next < y; }"),
        (
            HOLDS,
            "if (x >= 0 && y > 0 && y <= 50) { int share = x / y; assert share * y <= x && x < (share + 1L) * y; }",
        ),
        (HOLDS, "if (y < 0 && x > 0) assert x / y <= 0 && x % y >= 0 && x % y < -(long) y;"),
        (HOLDS, "if (y > 1 && x > 0) assert x / y < x;"),
        (VIOLATED, "if (y > 1) assert x % y >= 0;"),
        // Only of the smallest number by -1.
        (VIOLATED, "if (y < 0 && x < 0) assert x / y >= 0;"),
        (VIOLATED, "if (y > 0 && x >= 0) assert (x + 1) % y >= 0;"),
        (VIOLATED, "if (y > 1 && x > 1000) assert x / y != 7 || x % y != 5;"),
    ];
    check_both(&numbered("int x, int y", &questions, ""), &questions, |_, config| config);
}

#[test]
fn checks_of_overflow() {
    let questions = [
        (HOLDS, "try { int s = Math.addExact(x, y); assert s == (long) x + y; } catch (ArithmeticException e) { }"),
        (
            HOLDS,
            "try { Math.subtractExact(x, y); } catch (ArithmeticException e) { long d = (long) x - y; assert d != (int) d; }",
        ),
        (VIOLATED, "try { Math.addExact(x, y); } catch (ArithmeticException e) { assert x > 0 || y > 0; }"),
        (HOLDS, "if ((x ^ y) < 0) assert x != y && (x < 0) != (y < 0);"),
        (HOLDS, "if ((x & y) >= 0) assert x >= 0 || y >= 0;"),
        (VIOLATED, "if ((x | y) < 0) assert x < 0;"),
    ];
    check_both(&numbered("int x, int y", &questions, ""), &questions, |_, config| config);
}
