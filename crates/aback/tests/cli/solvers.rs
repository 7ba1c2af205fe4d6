//! Solvers other than Z3 in this process, where they are installed.

use crate::main_of;
use std::path::Path;
use std::process::{Command, Stdio};

/// The Z3 that `make setup` puts beside the sources is also a program. A portfolio of it and others answers what it answers alone.
#[test]
fn programs_answer_questions() {
    let bundled = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.z3/bin");
    if !bundled.join("z3").is_file() {
        return;
    }
    let place = main_of("int x, int y", "assert x * 3 + y * 5 != 7000001 || x < 1000;");
    let path = format!("{}:{}", bundled.display(), std::env::var("PATH").unwrap_or_default());
    for solver in ["z3", "z3,z3", "portfolio"] {
        let options = "--no-models --no-intervals --no-enumeration --cache off";
        let mut command = place.command(&format!("check Main.oox --solver {solver} {options}"));
        let child = command.env("PATH", &path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        place.finish(child).ends(1).says("violated");
    }
    place.run("check Main.oox --solver none").ends(2).says("the solver `none` is not installed");
}

/// Where no file can be written, answers are not kept, and verdicts stay the same.
#[test]
fn a_full_disk_changes_no_verdict() {
    for (condition, status) in [("x * x != 49", 1), ("x * x != 50", 0)] {
        let place = main_of("int x", &format!("assert {condition};"));
        let options = "--cache-dir kept --no-models --no-intervals --no-enumeration --cache off --loops off";
        let script = format!("ulimit -f 0; exec \"$0\" check Main.oox {options}");
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_aback")]).current_dir(place.path("."));
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        place.finish(child).ends(status);
    }
}
