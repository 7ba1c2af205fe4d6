//! Lets test processes and `cargo run` find a Z3 library that is not installed in the system. Cargo adds a library
//! folder to the search path of the processes that it starts only if the folder is in a build script's output.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let Some(out) = env::var_os("OUT_DIR").map(PathBuf::from) else {
        return;
    };
    // Without pkg-config or its file for Z3, the system's own search path must suffice.
    let Ok(library) = pkg_config::Config::new().cargo_metadata(false).probe("z3") else {
        return;
    };
    let mut found = false;
    for file in library.link_paths.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let name = file.file_name();
        if name.to_string_lossy().starts_with("libz3.") {
            found |= provide(&file.path(), &out.join(&name));
        }
    }
    if found {
        println!("cargo:rustc-link-search=native={}", out.display());
    }
}

/// Links or copies `from` to `to`.
fn provide(from: &Path, to: &Path) -> bool {
    let Ok(from) = from.canonicalize() else {
        return false;
    };
    println!("cargo:rerun-if-changed={}", from.display());
    // Replace the file of an earlier build.
    let _ = fs::remove_file(to);
    #[cfg(unix)]
    let done = std::os::unix::fs::symlink(&from, to);
    #[cfg(not(unix))]
    let done = fs::copy(&from, to);
    done.is_ok()
}
