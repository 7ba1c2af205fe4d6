//! Lets the binary find the Z3 library that `make setup` puts beside the sources.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // The library may come after the first build, so that its folder is named whether it is there or not.
    if let Some(sources) = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2) {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{}", sources.join(".z3/lib").display());
    }
}
