//! No assembly and no PDB makes aback panic, hang or use all memory: mutants of compiled assemblies. Needs a .NET runtime.
//!
//! `MUTANTS=20000 cargo test -p aback-core --test core hostile::assemblies -- --nocapture` tries more, and `FIRST=N` begins at the
//! mutant with this number.

use super::inputs::argument;
use crate::random::Random;
use aback_cil::{Assembly, Instruction, Opcode, Operand, Table, Token};
use aback_core::{CheckConfig, Engine, Exceptions, LoadConfig, LoadError, Session, Verdict, Violations};
use aback_ir::{ClassId, MethodId, MethodKind, validate_body};
use aback_witness::{Inputs, Limits, run};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

/// Assemblies, from the folder of all crates.
const ORIGINALS: [&str; 5] = [
    "cil/tests/assemblies/Sample.dll",
    "../examples/csharp/Account.dll",
    "../examples/csharp/Range.dll",
    "../examples/csharp/Stock.dll",
    "lang-csharp/tests/instructions/Instructions.dll",
];

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize)
}

struct Original {
    bytes: Vec<u8>,
    pdb: Option<Vec<u8>>,
    /// Full names of the types.
    types: Vec<String>,
    /// Where the tables, the signatures and other parts are.
    parts: Vec<Range<usize>>,
    /// Where the code of each method is, with the instructions.
    code: Vec<(usize, Vec<Instruction>)>,
}

impl Original {
    fn read(path: &Path) -> Original {
        let bytes = fs::read(path).unwrap();
        let assembly = Assembly::parse(bytes.clone()).unwrap();
        let rows = 1..=assembly.rows(Table::TypeDef);
        let types = rows.filter_map(|row| assembly.full_name(Token::new(Table::TypeDef, row))).collect();
        let code = (1..=assembly.rows(Table::MethodDef)).filter_map(|row| {
            let header = offset(&bytes, assembly.method(row).ok()?.rva as usize)?;
            let start = header + if bytes.get(header)? & 3 == 2 { 1 } else { 12 };
            Some((start, assembly.body(row).ok()??.instructions))
        });
        let code = code.collect();
        Original { parts: parts(&bytes).unwrap(), pdb: fs::read(path.with_extension("pdb")).ok(), types, code, bytes }
    }
}

/// Where in the file an address is.
fn offset(bytes: &[u8], address: usize) -> Option<usize> {
    let header = number(bytes, 0x3c)?;
    let sections = number(bytes, header + 6)? & 0xffff;
    let table = header + 24 + (number(bytes, header + 20)? & 0xffff);
    (0..sections).find_map(|index| {
        let section = table + 40 * index;
        let (start, size, file) =
            (number(bytes, section + 12)?, number(bytes, section + 16)?, number(bytes, section + 20)?);
        (start..start + size).contains(&address).then(|| address - start + file)
    })
}

/// The headers and the streams of the metadata.
fn parts(bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    let root = bytes.windows(4).position(|four| four == b"BSJB")?;
    let mut at = root + 16 + number(bytes, root + 12)?;
    let count = number(bytes, at)? >> 16;
    at += 4;
    let mut parts = vec![0..0x200, root..at + 32];
    for _ in 0..count {
        let start = root + number(bytes, at)?;
        parts.push(start..start + number(bytes, at + 4)?);
        let name = bytes.get(at + 8..)?.iter().position(|&byte| byte == 0)?;
        at += 8 + (name / 4 + 1) * 4;
    }
    Some(parts)
}

/// Operations without operands, which take and leave different things.
const PLAIN: [u8; 24] = [
    0x00, 0x02, 0x03, 0x06, 0x0a, 0x14, 0x15, 0x17, 0x25, 0x26, 0x2a, 0x50, 0x58, 0x5b, 0x66, 0x6a, 0x6c, 0x7a, 0x8e,
    0x94, 0x9a, 0xa2, 0xdc, 0xd6,
];

/// Replaces an instruction by another with an operand of the same kind, or its operand.
fn mutate_code(bytes: &mut [u8], original: &Original, random: &mut Random) {
    let Some((start, instructions)) = random.pick(&original.code) else { return };
    let Some(instruction) = random.pick(instructions) else { return };
    let at = start + instruction.offset as usize;
    match &instruction.operand {
        Operand::Token(_) => {
            let Some((other_start, others)) = random.pick(&original.code) else { return };
            let tokens: Vec<&Instruction> =
                others.iter().filter(|other| matches!(other.operand, Operand::Token(_))).collect();
            let Some(other) = random.pick(&tokens) else { return };
            let from = other_start + other.offset as usize;
            let is_long = |at: usize| bytes[at] == 0xfe;
            match (is_long(at), is_long(from), random.below(3)) {
                // Another operation on the same token, the same on another, or all of the other instruction.
                (false, false, 0) => bytes[at] = bytes[from],
                (false, false, 1) => bytes.copy_within(from + 1..from + 5, at + 1),
                (false, false, _) => bytes.copy_within(from..from + 5, at),
                _ => bytes[at + 2] ^= 1 << random.below(5),
            }
        }
        Operand::Target(_) if instruction.opcode != Opcode::Leave || random.below(2) == 0 => {
            bytes[at + 1] = bytes[at + 1].wrapping_add([1, 2, 0xfe, 0xfb, 0x80][random.below(5)]);
        }
        _ => bytes[at] = PLAIN[random.below(PLAIN.len())],
    }
}

fn mutate_bytes(bytes: &mut Vec<u8>, parts: &[Range<usize>], random: &mut Random) {
    let part = match random.below(4) {
        0 => 0..bytes.len(),
        _ => parts.get(random.below(parts.len())).cloned().unwrap_or(0..bytes.len()),
    };
    let part = part.start.min(bytes.len())..part.end.min(bytes.len());
    if part.is_empty() {
        return;
    }
    let at = part.start + random.below(part.len());
    match random.below(12) {
        0 => bytes[at] = 0,
        1 => bytes[at] = 0xff,
        2 => bytes[at] = 0x7f,
        3 | 4 => bytes[at] ^= 1 << random.below(8),
        5 => bytes[at] = bytes[at].wrapping_add(1),
        6 => bytes[at] = bytes[at].wrapping_sub(1),
        7 => bytes[at] = random.below(256) as u8,
        // Exchanges rows, or parts of them.
        8..=10 => {
            let length = 1 + random.below(16);
            let from = part.start + random.below(part.len());
            let length = length.min(part.end - at).min(part.end - from);
            bytes.copy_within(from..from + length, at);
        }
        _ if random.below(4) == 0 => bytes.truncate(at),
        _ => bytes[at..part.end.min(at + 4)].fill(0xff),
    }
}

/// What became of the mutants.
#[derive(Default, Debug)]
struct Tally {
    cases: u64,
    opened: u64,
    methods: u64,
    refused: u64,
    runs: u64,
    checks: u64,
    longest: Duration,
}

/// Translates, runs and checks methods of the program at a path; `false` without a .NET.
fn exercise(path: &Path, original: &Original, random: &mut Random, tally: &mut Tally) -> bool {
    let start = Instant::now();
    tally.cases += 1;
    let session = match Session::open(&[path.into()], &LoadConfig::default()) {
        Ok(session) => session,
        Err(LoadError::Platform(missing)) => {
            eprintln!("skipped: {missing}");
            return false;
        }
        Err(_) => return true,
    };
    tally.opened += 1;
    let program = session.program();
    let classes: Vec<ClassId> = original.types.iter().filter_map(|name| program.class_named(name)).collect();
    let mut methods: Vec<MethodId> = classes.iter().flat_map(|&class| program.class(class).methods.clone()).collect();
    // Of an assembly with many methods, some.
    while methods.len() > 60 {
        methods.swap_remove(random.below(methods.len()));
    }
    for &method in &methods {
        tally.methods += 1;
        let Some(body) = program.body(method) else { continue };
        let problems = validate_body(program, method, body);
        assert!(problems.is_empty(), "{}: {}", program.method_name(method), problems[0]);
        let first = &body.block(aback_ir::BlockId(0)).terminator.kind;
        tally.refused += u64::from(matches!(first, aback_ir::TerminatorKind::Unsupported { .. }));
    }
    methods.retain(|&method| program.method(method).kind == MethodKind::Static && program.body(method).is_some());
    for _ in 0..3 {
        let Some(&entry) = random.pick(&methods) else { break };
        let args = program.method(entry).params.iter().map(|&ty| argument(ty)).collect();
        let deadline = Some(Instant::now() + Duration::from_secs(1));
        let limits = Limits { max_steps: 100_000, max_cells: 1 << 22, deadline, ..Limits::default() };
        tally.runs += 1;
        let _ = run(program, entry, &Inputs { args, ..Inputs::default() }, limits, &mut ());
    }
    if random.below(3) == 0
        && let Some(&entry) = random.pick(&methods)
    {
        let config = CheckConfig {
            entry: Some(program.method_name(entry)),
            engine: [Engine::Forward, Engine::Backward][random.below(2)],
            timeout: Some(Duration::from_millis(200)),
            memory: Some(4 << 30),
            violations: Violations { assertions: true, exceptions: Exceptions::All },
            ..CheckConfig::default()
        };
        tally.checks += 1;
        let answer = session.check(&config);
        assert!(!matches!(answer, Ok(answer) if answer.verdict == Verdict::Violated && answer.violation.is_none()));
    }
    tally.longest = tally.longest.max(start.elapsed());
    true
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn mutants_are_translated_or_refused() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let originals: Vec<Original> = ORIGINALS.iter().map(|name| Original::read(&crates.join(name))).collect();
    let folder = tempfile::tempdir().unwrap();
    let (file, pdb) = (folder.path().join("Mutant.dll"), folder.path().join("Mutant.pdb"));
    let (first, count) = (setting("FIRST").unwrap_or(0), setting("MUTANTS").unwrap_or(60));
    let mut tally = Tally::default();
    for seed in first..first + count {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let original = &originals[random.below(originals.len())];
        let mut bytes = original.bytes.clone();
        for _ in 0..=random.below(3) {
            match random.below(2) {
                0 if bytes.len() == original.bytes.len() => mutate_code(&mut bytes, original, &mut random),
                _ => mutate_bytes(&mut bytes, &original.parts, &mut random),
            }
        }
        fs::write(&file, bytes).unwrap();
        if let Some(mut symbols) = original.pdb.clone() {
            for _ in 0..random.below(3) {
                mutate_bytes(&mut symbols, &[], &mut random);
            }
            fs::write(&pdb, symbols).unwrap();
        } else {
            let _ = fs::remove_file(&pdb);
        }
        if count > 1000 {
            eprintln!("mutant {seed}: {:?} so far", tally.longest);
        }
        if !exercise(&file, original, &mut random, &mut tally) {
            return;
        }
    }
    eprintln!("{tally:?}");
    assert!(tally.methods > tally.refused && tally.refused > 0 && tally.cases > tally.opened, "{tally:?}");
}
