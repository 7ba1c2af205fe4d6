//! What does a method do?

use crate::bytes::Reader;
use crate::malformed::Malformed;
use crate::opcode::{self, Follows, Opcode};
use crate::signatures::TypeSig;
use crate::tables::Token;

/// The code of a method (ECMA-335, II.25.4).
///
/// Targets of jumps, and where clauses start, are offsets of instructions; a clause's ends may also be the code's. Local
/// variables that instructions name are there. Nothing is known of other operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodBody {
    /// How many values the evaluation stack may hold.
    pub max_stack: u16,
    /// Whether local variables start with zeros.
    pub init_locals: bool,
    /// Types of the local variables.
    pub locals: Vec<TypeSig>,
    /// The instructions in order.
    pub instructions: Vec<Instruction>,
    /// Handlers in order: inner ones come before those around them.
    pub clauses: Vec<Clause>,
    /// Number of bytes of the code.
    pub code_size: u32,
}

impl MethodBody {
    /// Index of the instruction at this offset.
    pub fn index_of(&self, offset: u32) -> Option<usize> {
        self.instructions.binary_search_by_key(&offset, |instruction| instruction.offset).ok()
    }
}

/// An operation with its operand and prefixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Where it starts in the code, with its prefixes.
    pub offset: u32,
    /// What it does.
    pub opcode: Opcode,
    /// With what.
    pub operand: Operand,
    /// And how.
    pub prefixes: Prefixes,
}

/// Operand of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// There is none.
    None,
    /// Of `ldc.i4`.
    I32(i32),
    /// Of `ldc.i8`.
    I64(i64),
    /// Of `ldc.r4`, the bits of a number.
    F32(u32),
    /// Of `ldc.r8`, the bits of a number.
    F64(u64),
    /// A row, or for `ldstr` a string.
    Token(Token),
    /// Offset where a jump goes.
    Target(u32),
    /// Offsets where the jumps of a `switch` go, from case 0.
    Switch(Vec<u32>),
    /// A local variable or argument; argument 0 is the instance if there is one.
    Variable(u16),
}

/// Prefixes of an instruction (ECMA-335, III.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefixes {
    /// `volatile.`
    pub is_volatile: bool,
    /// `unaligned.` with an alignment in bytes.
    pub unaligned: Option<u8>,
    /// `tail.`
    pub is_tail: bool,
    /// `constrained.` with the type of the instance.
    pub constrained: Option<Token>,
    /// `readonly.`
    pub is_readonly: bool,
    /// `no.` with the checks to skip: 1 for the type, 2 for the range, 4 for null. The runtime ignores it.
    pub no: u8,
}

/// A handler of exceptions (ECMA-335, II.25.4.6). Ends are behind the last instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// When the handler runs.
    pub kind: ClauseKind,
    /// Offset where the protected code starts.
    pub try_start: u32,
    /// Offset where the protected code ends.
    pub try_end: u32,
    /// Offset where the handler starts.
    pub handler_start: u32,
    /// Offset where the handler ends.
    pub handler_end: u32,
}

/// When a handler runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// For exceptions of this class.
    Catch(Token),
    /// For exceptions that the code at this offset, up to the handler, accepts.
    Filter(u32),
    /// However the protected code ends.
    Finally,
    /// When the protected code ends by an exception.
    Fault,
}

/// Reads a body at the start of the bytes. `locals` decodes the types of local variables.
pub(crate) fn parse(
    bytes: &[u8],
    base: usize,
    locals: impl Fn(Token) -> Result<Vec<TypeSig>, Malformed>,
) -> Result<MethodBody, Malformed> {
    let mut reader = Reader::new(bytes, base);
    let first = reader.peek().ok_or_else(|| reader.error("the code is missing"))?;
    let mut body = MethodBody {
        max_stack: 8,
        init_locals: false,
        locals: Vec::new(),
        instructions: Vec::new(),
        clauses: Vec::new(),
        code_size: u32::from(first >> 2),
    };
    let mut has_sections = false;
    match first & 3 {
        2 => reader.take(1).map(drop)?,
        3 => {
            let flags = reader.u16()?;
            body.max_stack = reader.u16()?;
            body.code_size = reader.u32()?;
            body.init_locals = flags & 0x10 != 0;
            has_sections = flags & 0x08 != 0;
            match reader.u32()? {
                0 => {}
                token => body.locals = locals(Token(token))?,
            }
            if flags >> 12 != 3 {
                return Err(reader.error("the header of the code has a wrong size"));
            }
        }
        _ => return Err(reader.error("the header of the code is of an unknown kind")),
    }
    let start = base + reader.position();
    let code = reader.take(body.code_size as usize)?;
    body.instructions = instructions(Reader::new(code, start))?;
    while has_sections {
        reader.take(reader.position().next_multiple_of(4) - reader.position())?;
        has_sections = section(&mut reader, &mut body.clauses)?;
    }
    body.check().map_err(|(what, offset)| Malformed::at(what, start + offset as usize))?;
    Ok(body)
}

fn instructions(mut code: Reader<'_>) -> Result<Vec<Instruction>, Malformed> {
    let mut instructions = Vec::with_capacity(code.remaining() / 2);
    while !code.is_empty() {
        instructions.push(instruction(&mut code)?);
    }
    Ok(instructions)
}

fn instruction(code: &mut Reader<'_>) -> Result<Instruction, Malformed> {
    let offset = code.position() as u32;
    let mut prefixes = Prefixes::default();
    let (opcode, follows) = loop {
        let found = match code.u8()? {
            0xfe => match code.u8()? {
                0x12 => {
                    prefixes.unaligned = Some(code.u8()?);
                    continue;
                }
                0x13 => {
                    prefixes.is_volatile = true;
                    continue;
                }
                0x14 => {
                    prefixes.is_tail = true;
                    continue;
                }
                0x16 => {
                    prefixes.constrained = Some(Token(code.u32()?));
                    continue;
                }
                0x19 => {
                    prefixes.no = code.u8()?;
                    continue;
                }
                0x1e => {
                    prefixes.is_readonly = true;
                    continue;
                }
                second => opcode::long(second),
            },
            first => opcode::short(first),
        };
        break found.ok_or_else(|| code.error("there is no such operation"))?;
    };
    Ok(Instruction { offset, opcode, operand: operand(code, follows)?, prefixes })
}

fn operand(code: &mut Reader<'_>, follows: Follows) -> Result<Operand, Malformed> {
    let target = |distance: i32, code: &Reader<'_>| {
        let target = i64::try_from(code.position()).ok().and_then(|end| end.checked_add(i64::from(distance)));
        target.and_then(|target| u32::try_from(target).ok()).ok_or_else(|| code.error("a jump leads out of the code"))
    };
    Ok(match follows {
        Follows::Nothing => Operand::None,
        Follows::ThisVariable(index) => Operand::Variable(index),
        Follows::Variable8 => Operand::Variable(code.u8()?.into()),
        Follows::Variable16 => Operand::Variable(code.u16()?),
        Follows::ThisNumber(number) => Operand::I32(number),
        Follows::I8 => Operand::I32(code.u8()?.cast_signed().into()),
        Follows::I32 => Operand::I32(code.u32()?.cast_signed()),
        Follows::I64 => Operand::I64(code.u64()?.cast_signed()),
        Follows::F32 => Operand::F32(code.u32()?),
        Follows::F64 => Operand::F64(code.u64()?),
        Follows::Token => Operand::Token(Token(code.u32()?)),
        Follows::Branch8 => {
            let distance = code.u8()?.cast_signed().into();
            Operand::Target(target(distance, code)?)
        }
        Follows::Branch32 => {
            let distance = code.u32()?.cast_signed();
            Operand::Target(target(distance, code)?)
        }
        Follows::Switch => {
            let count = code.u32()? as usize;
            let size = count.checked_mul(4).ok_or_else(|| code.error("a switch is too long"))?;
            let distances = code.take(size)?;
            let distances =
                distances.chunks_exact(4).map(|four| i32::from_le_bytes([four[0], four[1], four[2], four[3]]));
            Operand::Switch(distances.map(|distance| target(distance, code)).collect::<Result<_, _>>()?)
        }
    })
}

/// Reads clauses, if the section has some; tells whether another section follows (ECMA-335, II.25.4.5).
fn section(reader: &mut Reader<'_>, clauses: &mut Vec<Clause>) -> Result<bool, Malformed> {
    let [kind, low, middle, high] = reader.array()?;
    let is_fat = kind & 0x40 != 0;
    let size = if is_fat { u32::from_le_bytes([low, middle, high, 0]) } else { u32::from(low) };
    // Some compilers leave the header out of the size. The quotient is the same.
    let count = size / if is_fat { 24 } else { 12 };
    if kind & 0x3f == 1 {
        for _ in 0..count {
            clauses.push(clause(reader, is_fat)?);
        }
    } else {
        reader.take((size as usize).saturating_sub(4))?;
    }
    Ok(kind & 0x80 != 0)
}

fn clause(reader: &mut Reader<'_>, is_fat: bool) -> Result<Clause, Malformed> {
    let (flags, try_start, try_length, handler_start, handler_length) = if is_fat {
        (reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?)
    } else {
        (reader.u16()?.into(), reader.u16()?.into(), reader.u8()?.into(), reader.u16()?.into(), reader.u8()?.into())
    };
    let detail = reader.u32()?;
    let kind = match flags {
        0 => ClauseKind::Catch(Token(detail)),
        1 => ClauseKind::Filter(detail),
        2 => ClauseKind::Finally,
        4 => ClauseKind::Fault,
        _ => return Err(reader.error("a handler is of an unknown kind")),
    };
    let end = |start: u32, length: u32| {
        start.checked_add(length).ok_or_else(|| reader.error("a handler leads out of the code"))
    };
    let (try_end, handler_end) = (end(try_start, try_length)?, end(handler_start, handler_length)?);
    Ok(Clause { kind, try_start, try_end, handler_start, handler_end })
}

impl MethodBody {
    /// Checks what the type promises; tells what is wrong, and at which offset.
    fn check(&self) -> Result<(), (&'static str, u32)> {
        let start = |offset: u32| match self.index_of(offset) {
            Some(_) => Ok(()),
            None => Err(("this is not where an instruction starts", offset)),
        };
        let end = |offset: u32| if offset == self.code_size { Ok(()) } else { start(offset) };
        for Instruction { offset, opcode, operand, .. } in &self.instructions {
            match operand {
                Operand::Target(target) => start(*target)?,
                Operand::Switch(targets) => targets.iter().try_for_each(|&target| start(target))?,
                Operand::Variable(index)
                    if matches!(opcode, Opcode::Ldloc | Opcode::Ldloca | Opcode::Stloc)
                        && usize::from(*index) >= self.locals.len() =>
                {
                    return Err(("there is no such local variable", *offset));
                }
                _ => {}
            }
        }
        for clause in &self.clauses {
            start(clause.try_start)?;
            end(clause.try_end)?;
            start(clause.handler_start)?;
            end(clause.handler_end)?;
            if let ClauseKind::Filter(filter) = clause.kind {
                start(filter)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The general form of an operation, and its variable or number if the abbreviated form has it.
    fn fold(name: &str) -> (String, Option<i32>) {
        let name = name.strip_suffix(".s").unwrap_or(name);
        let folded = ["ldarg", "ldloc", "stloc", "ldc.i4"].into_iter().find_map(|general| {
            let last = name.strip_prefix(general)?.strip_prefix('.')?;
            Some((general.to_owned(), if last == "m1" { -1 } else { last.parse().ok()? }))
        });
        folded.map_or((name.to_owned(), None), |(general, number)| (general, Some(number)))
    }

    /// A code of one or two bytes from its hexadecimal digits.
    fn code(digits: &str) -> Vec<u8> {
        let number = u16::from_str_radix(digits, 16).unwrap();
        if number > 0xff { number.to_be_bytes().to_vec() } else { vec![number as u8] }
    }

    #[test]
    fn every_operation() {
        let mut seen = rustc_hash::FxHashSet::default();
        for line in include_str!("../tests/assemblies/opcodes.txt").lines() {
            let [digits, name, kind] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            let (general, number) = fold(name);
            let is_load = general == "ldc.i4";
            let mut bytes = code(digits);
            let (operand_bytes, operand): (&[u8], Operand) = match kind {
                "InlineNone" => match number {
                    Some(number) if is_load => (&[], Operand::I32(number)),
                    Some(number) => (&[], Operand::Variable(number as u16)),
                    None => (&[], Operand::None),
                },
                "ShortInlineI" => (&[0xfe], Operand::I32(-2)),
                "InlineI" => (&[0xfe, 0xff, 0xff, 0xff], Operand::I32(-2)),
                "InlineI8" => (&[1, 0, 0, 0, 0, 0, 0, 0x80], Operand::I64(i64::MIN + 1)),
                "ShortInlineR" => (&[0, 0, 0xc0, 0x7f], Operand::F32(f32::NAN.to_bits())),
                "InlineR" => (&[0, 0, 0, 0, 0, 0, 0xe0, 0x3f], Operand::F64(0.5f64.to_bits())),
                "ShortInlineVar" => (&[0xff], Operand::Variable(255)),
                "InlineVar" => (&[0xff, 0xff], Operand::Variable(65535)),
                "ShortInlineBrTarget" => (&[0xfe], Operand::Target(0)),
                "InlineBrTarget" => (&[1, 0, 0, 0], Operand::Target(6)),
                "InlineSwitch" => (&[2, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], Operand::Switch(vec![13, 12])),
                _ => (&[7, 0, 0, 6], Operand::Token(Token(0x0600_0007))),
            };
            bytes.extend(operand_bytes);
            let is_prefix = name.ends_with('.');
            bytes.extend(is_prefix.then_some(0x2a));
            let all = match instructions(Reader::new(&bytes, 0)) {
                Err(_) => panic!("{line}"),
                Ok(all) => all,
            };
            let [instruction] = all.as_slice() else { panic!("{line}: {all:?}") };
            if is_prefix {
                let mut prefixes = Prefixes::default();
                match name {
                    "volatile." => prefixes.is_volatile = true,
                    "unaligned." => prefixes.unaligned = Some(0xfe),
                    "tail." => prefixes.is_tail = true,
                    "constrained." => prefixes.constrained = Some(Token(0x0600_0007)),
                    "readonly." => prefixes.is_readonly = true,
                    _ => panic!("{line}"),
                }
                assert_eq!((instruction.prefixes, instruction.opcode), (prefixes, Opcode::Ret), "{line}");
            } else {
                assert_eq!(
                    (instruction.opcode.mnemonic(), &instruction.operand),
                    (general.as_str(), &operand),
                    "{line}"
                );
                seen.insert(instruction.opcode);
            }
        }
        assert_eq!(seen.len(), Opcode::ALL.len());
    }

    fn check(bytes: &[u8], expected: &str) {
        let locals = |_| Ok(vec![TypeSig::I4]);
        let answer = match parse(bytes, 0, locals) {
            Err(malformed) => malformed.to_string(),
            Ok(body) => format!("{} instructions, {} clauses", body.instructions.len(), body.clauses.len()),
        };
        assert_eq!(answer, expected, "{bytes:x?}");
    }

    const FAT: [u8; 12] = [0x03, 0x30, 1, 0, 2, 0, 0, 0, 1, 0, 0, 0x11];

    #[test]
    fn prefixes_belong_to_the_instruction() {
        let all =
            instructions(Reader::new(&[0xfe, 0x12, 1, 0xfe, 0x13, 0x4a, 0xfe, 0x19, 5, 0x7b, 1, 0, 0, 4], 0)).unwrap();
        assert_eq!(all.iter().map(|instruction| instruction.offset).collect::<Vec<_>>(), [0, 6]);
        assert_eq!((all[0].prefixes.unaligned, all[0].prefixes.is_volatile, all[1].prefixes.no), (Some(1), true, 5));
    }

    #[test]
    fn headers() {
        check(&[0x06, 0x2a], "1 instructions, 0 clauses");
        check(&[FAT.as_slice(), &[0x06, 0x2a]].concat(), "2 instructions, 0 clauses");
        check(&[], "the code is missing, at byte 0x0");
        check(&[0x01, 0x2a], "the header of the code is of an unknown kind, at byte 0x0");
        check(&[0x0a, 0x2a], "the data end too early, at byte 0x1");
        check(&FAT, "the data end too early, at byte 0xc");
    }

    #[test]
    fn broken_code() {
        check(&[0x06, 0x24], "there is no such operation, at byte 0x2");
        check(&[0x0a, 0xfe, 0x22], "there is no such operation, at byte 0x3");
        check(&[0x06, 0x20], "the data end too early, at byte 0x2");
        check(&[0x0a, 0xfe, 0x13], "the data end too early, at byte 0x3");
        check(&[0x0e, 0x2b, 0xff, 0x2a], "this is not where an instruction starts, at byte 0x2");
        check(&[0x0a, 0x2b, 0x00], "this is not where an instruction starts, at byte 0x3");
        check(&[0x0a, 0x2b, 0x80], "a jump leads out of the code, at byte 0x3");
        check(&[0x06, 0x06], "there is no such local variable, at byte 0x1");
        check(&[0x16, 0x45, 0xff, 0xff, 0xff, 0xff], "the data end too early, at byte 0x6");
    }

    #[test]
    fn clauses() {
        let body = |section: &[u8]| [&[0x0b, 0x30], &FAT[2..], &[0, 0x2a, 0, 0], section].concat();
        let small = |try_end, handler_start| [1, 16, 0, 0, 2, 0, 0, 0, try_end, handler_start, 0, 1, 0, 0, 0, 0];
        check(&body(&small(1, 1)), "2 instructions, 1 clauses");
        check(&body(&small(3, 1)), "this is not where an instruction starts, at byte 0xf");
        check(&body(&small(1, 2)), "this is not where an instruction starts, at byte 0xe");
        let word = |number: u32| number.to_le_bytes();
        let fat = [[0x41, 28, 0, 0], word(1), word(0), word(1), word(1), word(1), word(0)].concat();
        check(&body(&fat), "2 instructions, 1 clauses");
        // Another section follows the first.
        let mut two = small(1, 1).to_vec();
        two[0] |= 0x80;
        check(&body(&[two, fat].concat()), "2 instructions, 2 clauses");
        check(&body(&[0x41, 0xff, 0xff, 0xff]), "the data end too early, at byte 0x14");
    }
}
