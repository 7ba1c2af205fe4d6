//! Tests of `--loops`.

use super::files;

const JAVA: &str = "class Steps {
    static void meet(int n) {
        int i = 0, j = 0;
        while (i < n) i += 4;
        while (i != j + 7) j += 2;
        assert false;
    }
    static void far(int[] a) {
        int ones = 0;
        for (int i = 0; i < a.length; i++) if (a[i] == 1) ones++;
        assert ones != 5;
    }
    static void missing(String text) {
        int at = 0;
        while (at < text.length() && text.charAt(at) != '!') at++;
        assert at <= text.length();
    }
}
";

#[test]
fn any_number_of_iterations() {
    let place = files([("Steps.java", JAVA)]);
    place
        .run("check Steps.java --entry Steps.meet --loops light")
        .ends(0)
        .says("holds: no execution violates anything");
    place.run("check Steps.java --entry Steps.meet --loops light --engine backward").ends(0).says("holds: ");
    place.run("check Steps.java --entry Steps.far --loops light --confirm").ends(1).says("confirmed by");
    // What summaries leave open is decided as without them.
    place.run("check Steps.java --entry Steps.missing --loops light").ends(3).says("strings from inputs have at most");
    place.run("check Steps.java --entry Steps.far --loops light --heap lazy").ends(1).says("violated");
}
