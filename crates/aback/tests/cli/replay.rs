//! Counterexamples in files: they are written and followed, and changed files are refused.

use crate::{Place, files, main_of, on_examples};
use insta::assert_snapshot;

/// A folder with a program and the witness of its violation, `found.json`.
fn found() -> Place {
    let place = main_of("int x, int y", "int z := x + y;\n    assert z != 10 || x != 4;");
    place.run("check Main.oox --witness found.json").ends(1).says("follow it with: aback replay found.json");
    place
}

#[test]
fn a_counterexample_is_followed_as_text() {
    assert_snapshot!(found().run("replay found.json").ends(0));
    assert_snapshot!(found().run("replay found.json --step 2").ends(0));
    let place = found();
    assert_eq!(place.run("replay found.json --text").stdout, place.run("replay found.json").stdout);
}

#[test]
fn files_for_browsers_and_graphs() {
    let place = found();
    let ran = place.run("replay found.json --html page.html --svg heap.svg --dot heap.dot --step 1").ends(0);
    assert_eq!(ran.stdout, "");
    for (name, start) in [("page.html", "<!DOCTYPE html>"), ("heap.svg", "<svg"), ("heap.dot", "digraph")] {
        assert!(std::fs::read_to_string(place.path(name)).unwrap().starts_with(start), "{name}");
    }
    place.run("replay found.json --html no/such/page.html").ends(2).says("cannot write no/such/page.html");
}

#[test]
fn java_strings_and_exceptions() {
    let place = files([(
        "Main.java",
        "class Main {\n    static void f(String s) {\n        String t = s + \"!\";\n        if (t.equals(\"a\\\"!\"))\n            throw new IllegalStateException(t);\n    }\n}\n",
    )]);
    place.run("check Main.java --entry Main.f --traps --witness found.json").ends(1);
    assert_snapshot!(place.run("replay found.json").ends(0));
}

#[test]
fn without_a_counterexample_there_is_no_file() {
    let place = found();
    place.write("Main.oox", b"class Main { static void main(int x) { assert x == x; } }");
    place.run("check Main.oox --witness found.json").ends(0);
    assert!(!place.path("found.json").exists());
    place.run("check Main.oox --witness found.json").ends(0);
    place.run("replay found.json").ends(2).says("found.json: it cannot be read");
}

#[test]
fn files_that_are_not_what_they_were() {
    let place = found();
    let text = std::fs::read_to_string(place.path("found.json")).unwrap();
    let check = |text: &str, what: &str| {
        place.write("other.json", text.as_bytes());
        place.run("replay other.json").ends(2).says("other.json: ").says(what);
    };
    check(&text.replacen("\"version\":5", "\"version\":9", 1), "version 9 of the format");
    check(&text.replace("{\"int\":\"4\"}", "{\"int\":\"5\"}"), "edited after aback wrote it");
    check(&text[..text.len() / 2], "the file ends too early");
    check("{\"name\": \"package\"}", "is not a witness of aback");
    check("class Main {}", "is not a witness of aback");
    place.write("other.json", b"\xff\xfe");
    place.run("replay other.json").ends(2).says("it cannot be read");
    place.run("replay found.json --step 0").ends(2).says("there is no step 0: steps are 1 to 2");
    place.run("replay found.json --step 3").ends(2).says("there is no step 3");
}

#[test]
fn sources_that_have_changed() {
    let place = found();
    place.write("Main.oox", b"class Main { static void main() {} }");
    place
        .run("replay found.json")
        .ends(2)
        .says("Main.oox has changed since the witness was written")
        .says("--as-recorded");
    place.run("replay found.json --as-recorded").ends(0).says("int z := x + y;");
    std::fs::remove_file(place.path("Main.oox")).unwrap();
    place.run("replay found.json").ends(0).says("int z := x + y;");
}

#[test]
fn examples() {
    on_examples("check examples/java/Account.java --entry Account.transfer --witness no/such/folder.json")
        .ends(2)
        .says("cannot write no/such/folder.json");
}
