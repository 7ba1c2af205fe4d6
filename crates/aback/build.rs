//! Lets the binary find the Z3 library that `make setup` puts beside the sources.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let library = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.z3/lib");
    if let Ok(library) = library.canonicalize() {
        println!("cargo:rustc-link-arg-bins=-Wl,-rpath,{}", library.display());
    }
}
