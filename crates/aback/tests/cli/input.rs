//! Bad input gives exit status 2 and a message that says where the problem is and what to do.

use crate::{files, main_of, on_examples, program};
use insta::assert_snapshot;

#[test]
fn paths() {
    files([]).run("check nothing.oox").ends(2).says("cannot read nothing.oox: No such file");
    files([]).run("show ir nothing.oox").ends(2).says("cannot read nothing.oox: No such file");
    files([("a.txt", "hello")])
        .run("check a.txt")
        .ends(2)
        .says("a.txt: aback reads .java, .class, .jar, .cs, .csproj, .dll, .exe, .oox or .ir files");
    files([("src/a.txt", "hello")])
        .run("check src")
        .ends(2)
        .says("src has no .java, .class, .jar, .cs, .csproj, .dll, .exe or .oox files");
    files([]).run("check").ends(2).says("<PATH>...");
    files([]).run("check /dev/null").ends(2).says("/dev/null");
}

#[test]
fn files_that_are_no_programs() {
    program("").run("check Main.oox").ends(2).says("the program has no methods: there is nothing to check");
    program("// nothing\n").run("check Main.oox").ends(2).says("no methods");
    let place = files([]);
    place.write("binary.oox", &(0..=255u8).cycle().take(5000).collect::<Vec<_>>());
    place.run("check binary.oox").ends(2).says("binary.oox:2: the file is not text in UTF-8");
    place.write("latin.oox", b"class Main {\n  // \xe4\n}");
    place.run("check latin.oox").ends(2).says("latin.oox:2: the file is not text in UTF-8");
    place.write("zeros.oox", &[0; 100]);
    place.run("check zeros.oox").ends(2).says("zeros.oox:1:1");
    place.write("a.ir", b"class");
    place.run("check a.ir").ends(2).says("a.ir:1");
    place.write("b.ir", b"");
    place.run("check b.ir").ends(2).says("no methods");
}

#[cfg(unix)]
#[test]
fn unreadable_files_and_circular_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = main_of("", "");
    symlink(place.path("."), place.path("loop")).unwrap();
    place.run("check .").ends(0);
    symlink(place.path("gone.oox"), place.path("dangling.oox")).unwrap();
    place.run("check dangling.oox").ends(2).says("cannot read dangling.oox");
    std::fs::remove_file(place.path("dangling.oox")).unwrap();
    place.write("secret.oox", b"class A {}");
    let secret = place.path("secret.oox");
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o0)).unwrap();
    // The superuser can read every file, so that this check does not apply.
    if std::fs::read(&secret).is_err() {
        place.run("check secret.oox").ends(2).says("cannot read secret.oox: Permission denied");
    }
}

#[test]
fn syntax_and_type_errors_point_at_the_place() {
    assert_snapshot!(main_of("int a", "int x := ;\n    bool b := (a +;").run("check Main.oox").ends(2));
    assert_snapshot!(main_of("int a", "bool b := a + true;\n    Foo f := null;").run("check Main.oox").ends(2));
}

#[test]
fn unsupported_constructs_point_at_the_place() {
    main_of("int a", "int[][] x := new int[a][a];")
        .run("check Main.oox")
        .ends(2)
        .says("Main.oox:3:28")
        .says("help: write");
    program("interface I { }").run("check Main.oox").ends(2).says("Main.oox:1:1").says("neither interfaces");
    program("abstract class I { }").run("check Main.oox").ends(2).says("Main.oox:1:1");
}

/// Each prefix of an example gives an error or a program, and never a panic.
#[test]
fn truncated_files() {
    let place = files([]);
    let text = include_str!("../../../../examples/account.oox");
    for length in (0..text.len()).step_by(97) {
        place.write("Main.oox", &text.as_bytes()[..length]);
        place.run("check Main.oox").ends(2);
    }
}

#[test]
fn options() {
    let check = |options: &str| on_examples(&format!("check examples/account.oox {options}")).ends(2);
    for time in ["nonsense", "-1", "nan", "inf", "1e300", "1s"] {
        check(&format!("--timeout {time}")).says("give a number of seconds, as in 30 or 0.5");
    }
    check("--memory much").says("--memory");
    check("--depth -1").says("--depth");
    check("--search sideways").says("[possible values: breadth, depth, directed, random, coverage]");
    check("--solver nope").says("the solver `nope` is not installed");
    check("--smt-log examples/list.oox").says("cannot write queries to examples/list.oox");
    check("--nonsense").says("unexpected argument '--nonsense'");
    on_examples("chekc examples").ends(2).says("a similar subcommand exists: 'check'");
}
