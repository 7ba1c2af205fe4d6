//! Checks aback on class files and assemblies that no compiler made.

mod assemblies;
mod classes;
mod inputs;

use crate::random::Random;
use aback_core::{CheckConfig, Exceptions, Verdict, Violations, check};
use aback_ir::{BlockId, MethodKind, Program, validate_body};
use aback_lang_java::classpath::{ClassPath, Options};
use aback_witness::{Inputs, Limits, run};
use inputs::argument;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Places in a class file that mutations change.
#[derive(Default)]
pub struct Places {
    /// Where the entries of the constant pool start.
    constants: Vec<usize>,
    /// The same offsets by constant pool index; 0 for unused indices.
    indices: Vec<usize>,
    /// Where the constant pool ends.
    end: usize,
    /// Where the code of methods is.
    pub code: Vec<std::ops::Range<usize>>,
    /// Where the exception tables and attributes of methods are.
    tables: Vec<std::ops::Range<usize>>,
}

fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    Some(bytes.get(at..at + size)?.iter().fold(0, |value, &byte| value << 8 | usize::from(byte)))
}

impl Places {
    pub fn constant(&self, index: usize) -> Option<usize> {
        self.indices.get(index).copied().filter(|&place| place > 0)
    }

    #[allow(dead_code, reason = "not all that include this file use it")]
    pub fn utf8<'b>(&self, bytes: &'b [u8], index: usize) -> Option<&'b [u8]> {
        let at = self.constant(index).filter(|&at| bytes[at] == 1)?;
        bytes.get(at + 3..at + 3 + number(bytes, at + 1, 2)?)
    }

    pub fn of(bytes: &[u8]) -> Option<Places> {
        let mut places = Places::default();
        let (count, mut at) = (number(bytes, 8, 2)?, 10);
        places.indices.push(0);
        while places.indices.len() < count {
            places.constants.push(at);
            places.indices.push(at);
            let tag = bytes.get(at)?;
            at += match tag {
                1 => 3 + number(bytes, at + 1, 2)?,
                7 | 8 | 16 | 19 | 20 => 3,
                15 => 4,
                5 | 6 => 9,
                _ => 5,
            };
            if matches!(tag, 5 | 6) {
                places.indices.push(0);
            }
        }
        places.end = at;
        at += 8 + 2 * number(bytes, at + 6, 2)?;
        for is_method in [false, true] {
            let members = number(bytes, at, 2)?;
            at += 2;
            for _ in 0..members {
                let attributes = number(bytes, at + 6, 2)?;
                at += 8;
                for _ in 0..attributes {
                    let (start, length) = (at + 6, number(bytes, at + 2, 4)?);
                    at = start + length;
                    // An attribute of a method that may be a Code attribute.
                    let code = number(bytes, start + 4, 4).filter(|&code| is_method && code > 0 && code + 12 <= length);
                    if let Some(code) = code {
                        places.code.push(start + 8..start + 8 + code);
                        places.tables.push(start + 8 + code..at);
                    }
                }
            }
        }
        Some(places)
    }
}

/// The length of an instruction in bytes; `None` for switches, which mutations leave alone, and for bytes that are no
/// instruction.
fn length(opcode: u8) -> Option<usize> {
    Some(match opcode {
        0x00..=0x0f | 0x1a..=0x35 | 0x3b..=0x83 | 0x85..=0x98 | 0xac..=0xb1 | 0xbe | 0xbf | 0xc2 | 0xc3 => 1,
        0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => 2,
        0x11 | 0x13 | 0x14 | 0x84 | 0x99..=0xa8 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 | 0xc6 | 0xc7 => 3,
        0xc5 => 4,
        0xb9 | 0xba | 0xc8 | 0xc9 => 5,
        _ => return None,
    })
}

/// Opcodes whose operands are of one kind.
const KINDS: [&[std::ops::RangeInclusive<u8>]; 5] = [
    &[0x00..=0x0f, 0x1a..=0x35, 0x3b..=0x83, 0x85..=0x98, 0xac..=0xb1, 0xbe..=0xbf, 0xc2..=0xc3],
    &[0x15..=0x19, 0x36..=0x3a],
    &[0x99..=0xa7, 0xc6..=0xc7],
    &[0xb2..=0xb5],
    &[0xbb..=0xbb, 0xbd..=0xbd, 0xc0..=0xc1],
];

/// Replaces an instruction by another valid one.
fn mutate_code(bytes: &mut [u8], places: &Places, random: &mut Random) {
    if places.code.is_empty() {
        return;
    }
    let code = places.code[random.below(places.code.len())].clone();
    let mut starts = Vec::new();
    let mut at = code.start;
    while at < code.end {
        starts.push(at);
        match length(bytes[at]) {
            Some(length) => at += length,
            None => break,
        }
    }
    let at = starts[random.below(starts.len())];
    let other = starts[random.below(starts.len())];
    let opcode = bytes[at];
    let operand = at + 1;
    match (random.below(4), opcode) {
        (0 | 1, _) => {
            let of_kind = KINDS.iter().find(|kind| kind.iter().any(|range| range.contains(&opcode)));
            let choices: Vec<u8> = of_kind.into_iter().flat_map(|kind| kind.iter().cloned().flatten()).collect();
            if !choices.is_empty() {
                bytes[at] = choices[random.below(choices.len())];
            }
        }
        (_, 0x99..=0xa8 | 0xc6 | 0xc7) => {
            let offset = (other as i64 - at as i64) as i16;
            set(bytes, operand, &offset.to_be_bytes());
        }
        (_, 0x15..=0x19 | 0x36..=0x3a | 0x84) => bytes[operand] = random.below(8) as u8,
        (_, 0x10 | 0x11 | 0xbc) => bytes[operand] = [0, 1, 4, 5, 8, 10, 11, 0x7f, 0x80, 0xff][random.below(10)],
        (_, 0x12 | 0x13 | 0x14 | 0xb2..=0xbb | 0xbd | 0xc0 | 0xc1 | 0xc5) => {
            // Another constant of the same kind.
            let size = if opcode == 0x12 { 1 } else { 2 };
            let known = number(bytes, operand, size).unwrap_or(0);
            let tag = places.constant(known).map(|place| bytes[place]);
            let constants = (1..places.indices.len()).filter(|&index| {
                let other = places.constant(index).map(|place| bytes[place]);
                other == tag || opcode <= 0x13 && matches!(other, Some(3 | 4 | 7 | 8))
            });
            let constants: Vec<usize> = constants.collect();
            if !constants.is_empty() {
                let index = constants[random.below(constants.len())];
                set(bytes, operand, &(index as u16).to_be_bytes()[2 - size..]);
            }
        }
        _ => {
            // Exchange two instructions of the same length.
            if let (Some(one), Some(two)) = (length(opcode), length(bytes[other]))
                && one == two
            {
                for index in 0..one {
                    bytes.swap(at + index, other + index);
                }
            }
        }
    }
}

/// Changes some bytes of a class file.
pub fn mutate(original: &[u8], places: &Places, random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    if random.below(4) == 0 {
        return mutate_bytes(original, places, random);
    }
    for _ in 0..=random.below(3) {
        if random.below(4) == 0 && !places.tables.is_empty() {
            // Change exception tables, line numbers, local variable tables or stack maps.
            let table = &places.tables[random.below(places.tables.len())];
            let at = table.start + random.below(table.len());
            bytes[at] =
                [bytes[at].wrapping_add(1), bytes[at].wrapping_sub(1), random.below(256) as u8][random.below(3)];
        } else {
            mutate_code(&mut bytes, places, random);
        }
    }
    bytes
}

fn mutate_bytes(original: &[u8], places: &Places, random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        let in_range = |range: &std::ops::Range<usize>, random: &mut Random| range.start + random.below(range.len());
        let code = (!places.code.is_empty()).then(|| places.code[random.below(places.code.len())].clone());
        let at = match (random.below(8), code) {
            (0..=3, Some(code)) => in_range(&code, random),
            (4, Some(_)) => in_range(&places.tables[random.below(places.tables.len())], random),
            (5, _) => places.end + random.below(bytes.len().saturating_sub(places.end)),
            (6, _) if !places.constants.is_empty() => places.constants[random.below(places.constants.len())],
            _ => random.below(bytes.len()),
        };
        let constants = places.constants.len();
        match random.below(10) {
            // Change an opcode or an operand.
            0..=2 => set(&mut bytes, at, &[random.below(203) as u8]),
            3 => {
                let flipped = bytes.get(at).copied().unwrap_or(0) ^ 1 << random.below(8);
                set(&mut bytes, at, &[flipped]);
            }
            // Change an index of the constant pool.
            4 | 5 => set(&mut bytes, at, &(random.below(constants + 2) as u16).to_be_bytes()),
            6 => {
                let value = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff][random.below(9)];
                set(&mut bytes, at, &(value as u16).to_be_bytes());
            }
            7 => {
                let from = random.below(bytes.len());
                let copied = bytes[from..(from + 1 + random.below(16)).min(bytes.len())].to_vec();
                set(&mut bytes, at, &copied);
            }
            // Exchange the kinds or the contents of two constants.
            8 if constants > 0 => {
                let (a, b) = (places.constants[random.below(constants)], places.constants[random.below(constants)]);
                let size = if random.below(2) == 0 { 1 } else { 3 };
                let (Some(first), Some(second)) = (bytes.get(a..a + size), bytes.get(b..b + size)) else { continue };
                let (first, second) = (first.to_vec(), second.to_vec());
                set(&mut bytes, a, &second);
                set(&mut bytes, b, &first);
            }
            _ if random.below(8) == 0 => bytes.truncate(at),
            _ => {
                let from = random.below(bytes.len());
                let copied = bytes[from..(from + 1 + random.below(24)).min(bytes.len())].to_vec();
                bytes.splice(at.min(from)..at.min(from), copied);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

fn set(bytes: &mut [u8], at: usize, new: &[u8]) {
    for (place, &byte) in bytes.iter_mut().skip(at).zip(new) {
        *place = byte;
    }
}

/// Statistics about mutants.
#[derive(Default, Clone, Debug)]
pub struct Tally {
    pub cases: u64,
    /// Number of class paths that could be opened.
    pub opened: u64,
    /// Number of methods that were translated, and of those that were refused.
    pub methods: u64,
    pub refused: u64,
    pub runs: u64,
    pub checks: u64,
    /// The longest time that one mutant took.
    pub longest: Duration,
}

/// Loads a class file as a user's program, translates all of its code, runs it and checks it.
///
/// # Panics
/// If the code under test panics, or if the resulting program model is not well formed.
pub fn exercise(file: &Path, others: &Path, random: &mut Random, tally: &mut Tally) {
    let start = Instant::now();
    tally.cases += 1;
    let options = Options { extra: vec![others.to_path_buf()], ..Options::default() };
    if let Ok(classes) = ClassPath::open(&[PathBuf::from(file)], &options) {
        tally.opened += 1;
        let names: Vec<String> = classes.user_classes().map(|name| name.replace('/', ".")).collect();
        let program = aback_lang_java::load(classes);
        for name in names {
            let Some(class) = program.class_named(&name) else { continue };
            for &method in &program.class(class).methods {
                tally.methods += 1;
                let Some(body) = program.body(method) else { continue };
                let problems = validate_body(&program, method, body);
                assert!(problems.is_empty(), "{}: {}", program.method_name(method), problems[0]);
                let first = &body.block(BlockId(0)).terminator.kind;
                tally.refused += u64::from(matches!(first, aback_ir::TerminatorKind::Unsupported { .. }));
            }
            ask(&program, class, random, tally);
        }
    }
    tally.longest = tally.longest.max(start.elapsed());
}

/// Runs and checks some static methods of a class.
fn ask(program: &Program, class: aback_ir::ClassId, random: &mut Random, tally: &mut Tally) {
    let methods = &program.class(class).methods;
    let entries: Vec<_> =
        methods.iter().copied().filter(|&method| program.method(method).kind == MethodKind::Static).collect();
    let main = entries.iter().copied().find(|&method| program.method(method).name == "main");
    let other = (!entries.is_empty()).then(|| entries[random.below(entries.len())]);
    for entry in main.into_iter().chain(other) {
        let args = program.method(entry).params.iter().map(|&ty| argument(ty)).collect();
        let limits = Limits {
            max_steps: 200_000,
            max_cells: 1 << 22,
            deadline: Some(Instant::now() + Duration::from_secs(1)),
            ..Limits::default()
        };
        tally.runs += 1;
        let _ = run(program, entry, &Inputs { args, ..Inputs::default() }, limits, &mut ());
        if random.below(3) > 0 {
            continue;
        }
        let config = CheckConfig {
            entry: Some(format!("{}.{}", program.class_name(class), program.method(entry).name)),
            timeout: Some(Duration::from_millis(200)),
            memory: Some(4 << 30),
            violations: Violations { assertions: true, exceptions: Exceptions::All },
            ..CheckConfig::default()
        };
        tally.checks += 1;
        let answer = check(program, &config);
        assert!(!matches!(answer, Ok(answer) if answer.verdict == Verdict::Violated && answer.violation.is_none()));
    }
}

/// Original class files: those compiled from a folder of sources, and some of the JDK's.
pub struct Corpus {
    /// Folder of the unchanged class files.
    pub folder: tempfile::TempDir,
    pub files: Vec<(String, Vec<u8>, Places)>,
}

impl Corpus {
    pub fn compile(sources: &[PathBuf], of_jdk: &[&str]) -> Corpus {
        let folder = tempfile::tempdir().expect("a folder");
        let classes = ClassPath::open(sources, &Options::default()).expect("the sources compile");
        let mut names: Vec<String> = classes.user_classes().map(str::to_owned).collect();
        names.extend(of_jdk.iter().map(|&name| name.to_owned()));
        let mut files = Vec::new();
        for name in names {
            let Some(found) = classes.find(&name) else { continue };
            let path = folder.path().join(format!("{name}.class"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(&path, &found.bytes).expect("a file");
            let places = Places::of(&found.bytes).expect("a class file");
            files.push((name, found.bytes, places));
        }
        Corpus { folder, files }
    }

    /// The mutant with this number.
    pub fn mutant(&self, seed: u64) -> (&str, Vec<u8>, Random) {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let (name, bytes, places) = &self.files[random.below(self.files.len())];
        let mutant = mutate(bytes, places, &mut random);
        (name, mutant, random)
    }
}
