//! Lets the binary find the library of Z3.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=ABACK_RPATH");
    // Packages have the library at a place of their own, relative to the binary (`scripts/dist`).
    let packaged = env::var("ABACK_RPATH").ok();
    // Otherwise it is where `make setup` puts it, which may come after the first build.
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    if let Some(folder) = packaged.or_else(|| Some(sources?.join(".z3/lib").display().to_string())) {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{folder}");
    }
}
