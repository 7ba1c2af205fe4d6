//! No change to a file makes the crate panic.

use aback_cil::{Assembly, Pdb, Table};
use walk::Walk;

mod walk;

const SAMPLE: &[u8] = include_bytes!("assemblies/Sample.dll");
const SAMPLE_PDB: &[u8] = include_bytes!("assemblies/Sample.pdb");
const EMPTY: &[u8] = include_bytes!("assemblies/Empty.dll");

fn assembly(bytes: Vec<u8>) {
    if let Ok(assembly) = Assembly::parse(bytes) {
        Walk::default().assembly(&assembly);
    }
}

fn pdb(bytes: Vec<u8>) {
    if let Ok(pdb) = Pdb::parse(bytes) {
        Walk::default().pdb(&pdb, 40);
    }
}

/// Numbers that look random and are the same in each run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }
}

/// Changes some bytes, mostly to those that stand at the ends of ranges.
fn mutate(bytes: &[u8], rounds: usize, read: fn(Vec<u8>)) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..rounds {
        let mut changed = bytes.to_vec();
        for _ in 0..=numbers.next(8) {
            let at = numbers.next(changed.len());
            changed[at] = match numbers.next(6) {
                0 => 0,
                1 => 0xff,
                2 => 0x7f,
                3 => changed[at] ^ 1 << numbers.next(8),
                4 => changed[numbers.next(bytes.len())],
                _ => numbers.next(256) as u8,
            };
        }
        if numbers.next(10) == 0 {
            changed.truncate(numbers.next(bytes.len()));
        }
        read(changed);
    }
}

/// `ABACK_FUZZ` asks for more.
fn rounds() -> usize {
    std::env::var("ABACK_FUZZ").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(2000)
}

#[test]
fn changed_assemblies() {
    mutate(SAMPLE, rounds(), assembly);
    mutate(EMPTY, rounds(), assembly);
}

#[test]
fn changed_pdbs() {
    mutate(SAMPLE_PDB, rounds(), pdb);
}

#[test]
fn each_byte_changed() {
    for (bytes, read) in [(SAMPLE, assembly as fn(Vec<u8>)), (SAMPLE_PDB, pdb)] {
        for at in 0..bytes.len() {
            let mut changed = bytes.to_vec();
            changed[at] = [0, 0xff, 0x80][at % 3] ^ changed[at] & 1;
            read(changed);
        }
    }
}

#[test]
fn truncated() {
    for (bytes, read) in [(SAMPLE, assembly as fn(Vec<u8>)), (EMPTY, assembly), (SAMPLE_PDB, pdb)] {
        for length in (0..bytes.len()).step_by(5) {
            read(bytes[..length].to_vec());
        }
    }
}

#[test]
fn everything_is_there() {
    let mut walk = Walk::default();
    for bytes in [SAMPLE, EMPTY] {
        walk.assembly(&Assembly::parse(bytes.to_vec()).unwrap());
    }
    walk.pdb(&Pdb::parse(SAMPLE_PDB.to_vec()).unwrap(), 40);
    assert_eq!(walk.failures, [""; 0]);
    let Walk { types, methods, bodies, attributes, sequence_points, .. } = walk;
    assert_eq!((types, methods, bodies, sequence_points), (16, 34, 31, 76));
    assert!(attributes > 0 && walk.instructions > 300);
}

#[test]
fn not_dotnet() {
    for bytes in [&b""[..], b"\x7fELF", b"MZ"] {
        let malformed = Assembly::parse(bytes.to_vec()).err().unwrap();
        assert_eq!(malformed.is_not_dotnet(), !bytes.starts_with(b"MZ"), "{malformed}");
    }
    // A PE file without a CLI header.
    let mut native = SAMPLE.to_vec();
    let optional = u32::from_le_bytes(*native[0x3c..].first_chunk().unwrap()) as usize + 24;
    let cli = optional + 96 + 8 * 14;
    native[cli..cli + 8].fill(0);
    assert_eq!(Assembly::parse(native).err().unwrap().to_string(), "not a .NET assembly");
    assert!(Pdb::parse(SAMPLE.to_vec()).is_err());
    assert_eq!(Assembly::parse(SAMPLE.to_vec()).unwrap().rows(Table::Document), 0);
}
