//! A verifier that executes the program it receives: the programs are shell scripts.

use aback_bench::{Config, Summary, run_to};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;
use tempfile::TempDir;

/// The verifier, which is written only once: no other thread may start a process while a program is open for writing.
fn verifier() -> PathBuf {
    static VERIFIER: OnceLock<PathBuf> = OnceLock::new();
    VERIFIER
        .get_or_init(|| {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(concat!(env!("CARGO_CRATE_NAME"), "-verifier"));
            fs::write(&path, "#!/bin/sh\n. \"$2\"\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        })
        .clone()
}

pub const HOLDS: &str = r#"echo '{"verdict": "holds", "reason": "proved"}'; exit 0"#;
#[allow(dead_code, reason = "not every test file has a violation")]
pub const VIOLATED: &str = r#"echo '{"verdict": "violated", "reason": "x = 1"}'; exit 1"#;

/// A folder of tasks, each given by its name, its expected verdict and a script.
pub fn tasks(programs: &[(&str, bool, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("assert.prp"), "").unwrap();
    for (name, expected, program) in programs {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path.with_extension("sh"), program).unwrap();
        let definition = format!(
            "format_version: '2.0'\ninput_files: {}.sh\nproperties:\n- property_file: ../assert.prp\n  \
             expected_verdict: {expected}\n",
            path.file_name().unwrap().display(),
        );
        fs::write(path.with_extension("yml"), definition).unwrap();
    }
    root
}

/// A configuration under which only a program itself ends its run.
pub fn config(folder: &TempDir) -> Config {
    Config { program: Some(verifier()), ..Config::new(vec![folder.path().to_owned()], Duration::from_secs(600)) }
}

/// Runs the tasks. Returns the summary and the printed text.
pub fn bench(config: &Config) -> (Summary, String) {
    let mut printed = Vec::new();
    let summary = run_to(config, &mut printed).unwrap();
    (summary, String::from_utf8(printed).unwrap())
}
