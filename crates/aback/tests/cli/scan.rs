//! Scans of small projects.

use crate::{Place, files};
use serde_json::Value;
use std::process::Command;

const SHOP: &str = r#"package acme;

import java.util.ArrayList;
import java.util.List;

public class Shop {
    private final List<Integer> prices = new ArrayList<>();

    public void add(int price) {
        prices.add(price);
    }

    public int average() {
        int sum = 0;
        for (int price : prices) {
            sum += price;
        }
        return sum / prices.size();
    }

    public static int clamp(int x, int low, int high) {
        assert low <= high;
        return x < low ? low : x > high ? high : x;
    }

    public static int digit(int x) {
        int result = clamp(x, 0, 9);
        assert 0 <= result && result <= 9;
        return result;
    }
}
"#;

/// A project with class files in `classes` and sources beside them.
fn project(text: &str) -> Place {
    let place = files([("acme/Shop.java", text)]);
    compile(&place);
    place
}

fn compile(place: &Place) {
    let mut javac = Command::new("javac");
    javac.args(["-g", "-d", "classes", "acme/Shop.java"]).current_dir(place.path(""));
    assert!(javac.status().expect("javac").success());
}

#[test]
fn findings_come_with_the_plainest_inputs_first() {
    let shop = project(SHOP);
    let said = shop.run("scan classes --traps --jobs 1").ends(1);
    insta::assert_snapshot!(said.stdout);
    // All answers are known now.
    assert_eq!(shop.run("scan classes --traps --jobs 1").ends(1).stdout, said.stdout);
}

#[test]
fn known_findings_are_hidden() {
    let shop = project(SHOP);
    shop.run("scan classes --sarif all.sarif").ends(1).says("1 finding\n");
    let log: Value = serde_json::from_str(&shop.read("all.sarif")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["region"]["startLine"], 22);
    // The same finding in a later version, on another line.
    shop.write("acme/Shop.java", format!("// A comment.\n{SHOP}").as_bytes());
    compile(&shop);
    shop.run("scan classes --known all.sarif").ends(0).says("not shown: 1 known");
    shop.run("scan classes --known acme/Shop.java").ends(2).says("is not a SARIF file");
}

#[test]
fn entry_points_are_chosen_by_patterns() {
    let shop = project(SHOP);
    shop.run("scan classes --entry acme.*.digit").ends(0).says("1 entry point: 0 can fail, 1 cannot");
    shop.run("scan classes --entry *clamp(int*").ends(1).says("acme/Shop.java:22");
    shop.run("scan classes --entry other.*").ends(2).says("no entry point fits");
}

#[test]
fn what_is_unknown_is_no_success_for_a_strict_scan() {
    let place = files([(
        "Main.oox",
        "class Main { static int f(int n) { int s := 0; while (s * s * s < n) { s := s + 1; } assert s * s * s != 7 * n + 3; return s; } }",
    )]);
    place.run("scan Main.oox --timeout 0.2 -- --loops off").ends(0).says("because of time limit");
    place.run("scan Main.oox --timeout 0.2 --strict -- --loops off").ends(3);
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let place =
        files([("Broken.oox", "class Main { static int f( }"), ("Main.oox", "class Main { static void f() { } }")]);
    place.run("scan nothing").ends(2).says("nothing");
    place.run("scan Broken.oox").ends(2);
    place.run("scan Main.oox -- --no-such-option").ends(2);
    place.run("scan Main.oox --out Main.oox").ends(2).says("cannot use Main.oox");
}
