//! Reads every assembly and PDB in the folders given, counts what is there, and prints what cannot be read.
//! `cargo run --release -p aback-cil --example dump -- shared/Microsoft.NETCore.App/10.0.12`

use aback_cil::{Assembly, Pdb};
use std::path::{Path, PathBuf};
use std::time::Instant;
use walk::Walk;

#[path = "../tests/walk/mod.rs"]
mod walk;

fn main() -> std::io::Result<()> {
    let mut total = Walk::default();
    let start = Instant::now();
    for folder in std::env::args_os().skip(1) {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "dll")) {
            dump(path, &mut total)?;
        }
    }
    println!(
        "{} types, {} methods, {} bodies, {} instructions, {} attributes, {} sequence points in {:.1?}; {} failures",
        total.types,
        total.methods,
        total.bodies,
        total.instructions,
        total.attributes,
        total.sequence_points,
        start.elapsed(),
        total.failures.len()
    );
    Ok(())
}

fn dump(path: &Path, total: &mut Walk) -> std::io::Result<()> {
    let failures = total.failures.len();
    let bytes = std::fs::read(path)?;
    let start = Instant::now();
    match Assembly::parse(bytes) {
        Ok(assembly) => {
            let parsed = start.elapsed();
            total.assembly(&assembly);
            println!("{} {}: open {parsed:.1?}, all {:.1?}", path.display(), assembly.name(), start.elapsed());
            if let Ok(bytes) = std::fs::read(path.with_extension("pdb")) {
                match Pdb::parse(bytes) {
                    Ok(pdb) if Some(pdb.id()) != assembly.pdb_id() => println!("  the PDB is of another build"),
                    Ok(pdb) => total.pdb(&pdb, assembly.rows(aback_cil::Table::MethodDef)),
                    Err(malformed) => total.failures.push(malformed.to_string()),
                }
            }
        }
        Err(malformed) if malformed.is_not_dotnet() => println!("{}: {malformed}", path.display()),
        Err(malformed) => total.failures.push(malformed.to_string()),
    }
    for failure in &total.failures[failures..] {
        println!("  {failure}");
    }
    Ok(())
}
