//! Removes the parts of class files that are not needed.
//!
//! The library that parses class files trusts them: it allocates as many cases as a switch claims to have, and
//! recurses as deeply as annotations are nested. It gets a copy with only the parts that translation reads, in which
//! the tables of switches have the claimed lengths.

use crate::bootstrap::Reader;

const TRUNCATED: &str = "it ends too early";

/// A copy of a class file without unused attributes.
///
/// # Errors
/// The mistake in the class file, as a message for users.
pub(crate) fn slim(bytes: &[u8], pool: &Pool<'_>) -> Result<Vec<u8>, String> {
    let mut slimmer = Slimmer { pool, input: Reader { bytes, at: pool.end }, output: bytes[..pool.end].to_vec() };
    slimmer.class().unwrap_or_else(|| Err(TRUNCATED.into()))?;
    Ok(slimmer.output)
}

/// The constant pool of a class file.
pub(crate) struct Pool<'b> {
    pub(crate) bytes: &'b [u8],
    /// The offsets of the constant pool's entries, by index; 0 for an unused index.
    pub(crate) constants: &'b [usize],
    /// The offset of the end of the constant pool.
    pub(crate) end: usize,
}

impl<'b> Pool<'b> {
    pub(crate) fn utf8(&self, index: u16) -> Option<&'b [u8]> {
        let place = *self.constants.get(usize::from(index)).filter(|&&place| place > 0)?;
        let mut reader = Reader { bytes: self.bytes, at: place };
        (reader.u1()? == 1).then_some(())?;
        let length = reader.u2()?;
        reader.take(length.into())
    }
}

struct Slimmer<'b> {
    pool: &'b Pool<'b>,
    input: Reader<'b>,
    output: Vec<u8>,
}

/// `None` if the class file ends too early.
type Slimmed = Option<Result<(), String>>;

macro_rules! attempt {
    ($slimmed:expr) => {
        match $slimmed? {
            Ok(()) => {}
            Err(reason) => return Some(Err(reason)),
        }
    };
}

impl<'b> Slimmer<'b> {
    fn copy(&mut self, length: usize) -> Option<&'b [u8]> {
        let copied = self.input.take(length)?;
        self.output.extend(copied);
        Some(copied)
    }

    fn copy_u2(&mut self) -> Option<usize> {
        let copied = self.copy(2)?;
        Some(usize::from(u16::from_be_bytes(copied.try_into().ok()?)))
    }

    fn class(&mut self) -> Slimmed {
        self.copy(6)?;
        let interfaces = self.copy_u2()?;
        self.copy(2 * interfaces)?;
        for wanted in [&[&b"ConstantValue"[..], b"Signature"][..], &[b"Code", b"Signature"]] {
            for _ in 0..self.copy_u2()? {
                self.copy(6)?;
                attempt!(self.attributes(wanted));
            }
        }
        let wanted: &[&[u8]] =
            &[b"SourceFile", b"InnerClasses", b"BootstrapMethods", b"NestHost", b"NestMembers", b"Signature"];
        attempt!(self.attributes(wanted));
        match self.input.at == self.input.bytes.len() {
            true => Some(Ok(())),
            false => Some(Err("something follows its end".into())),
        }
    }

    /// Copies the wanted attributes.
    fn attributes(&mut self, wanted: &[&[u8]]) -> Slimmed {
        let place = self.output.len();
        self.output.extend([0, 0]);
        let mut kept = 0u16;
        for _ in 0..self.input.u2()? {
            let start = self.input.at;
            let (name, length) = (self.input.u2()?, self.input.u4()?);
            let content = self.input.take(length as usize)?;
            let Some(name) = self.pool.utf8(name).filter(|name| wanted.contains(name)) else { continue };
            kept += 1;
            if name == b"Code" {
                self.output.extend(&self.input.bytes[start..start + 2]);
                let length = self.output.len();
                self.output.extend([0; 4]);
                let mut code = Slimmer { pool: self.pool, input: Reader { bytes: content, at: 0 }, output: Vec::new() };
                attempt!(code.code());
                self.output[length..length + 4].copy_from_slice(&(code.output.len() as u32).to_be_bytes());
                self.output.extend(code.output);
            } else {
                self.output.extend(&self.input.bytes[start..self.input.at]);
            }
        }
        self.output[place..place + 2].copy_from_slice(&kept.to_be_bytes());
        Some(Ok(()))
    }

    fn code(&mut self) -> Slimmed {
        self.copy(4)?;
        let length = self.input.u4()?;
        // JVM specification, 4.7.3.
        if !(1..65536).contains(&length) {
            return Some(Err(format!("it has a method with {length} bytes of code")));
        }
        self.output.extend(length.to_be_bytes());
        let code = self.copy(length as usize)?;
        if let Err(at) = decodes(code) {
            return Some(Err(format!("it has a method whose code makes no sense at byte {at}")));
        }
        let handlers = self.copy_u2()?;
        self.copy(8 * handlers)?;
        attempt!(self.attributes(&[b"LineNumberTable", b"LocalVariableTable", b"StackMapTable"]));
        Some(Ok(()))
    }
}

/// Checks that code is a sequence of whole instructions. The error is the offset at which it is not.
fn decodes(code: &[u8]) -> Result<(), usize> {
    let mut at = 0;
    while let Some(&opcode) = code.get(at) {
        let next = length(code, at, opcode).and_then(|length| at.checked_add(length)).filter(|&end| end <= code.len());
        at = next.ok_or(at)?;
    }
    Ok(())
}

/// The length of an instruction (JVM specification, 6.5), or `None` if it is invalid.
fn length(code: &[u8], at: usize, opcode: u8) -> Option<usize> {
    let word = |place: usize| -> Option<i32> {
        code.get(place..place.checked_add(4)?)?.try_into().ok().map(i32::from_be_bytes)
    };
    Some(match opcode {
        0x00..=0x0f | 0x1a..=0x35 | 0x3b..=0x83 | 0x85..=0x98 | 0xac..=0xb1 | 0xbe | 0xbf | 0xc2 | 0xc3 => 1,
        0xca | 0xfe | 0xff => 1,
        0x10 | 0x12 | 0x15..=0x19 | 0x36..=0x3a | 0xa9 | 0xbc => 2,
        0x11 | 0x13 | 0x14 | 0x84 | 0x99..=0xa8 | 0xb2..=0xb8 | 0xbb | 0xbd | 0xc0 | 0xc1 | 0xc6 | 0xc7 => 3,
        0xc5 => 4,
        0xb9 | 0xba | 0xc8 | 0xc9 => 5,
        0xc4 if code.get(at + 1) == Some(&0x84) => 6,
        0xc4 => 4,
        0xaa => {
            let table = (at / 4 + 1) * 4;
            let (low, high) = (i64::from(word(table + 4)?), i64::from(word(table + 8)?));
            let cases = usize::try_from(high - low + 1).ok().filter(|&cases| cases <= code.len())?;
            table - at + 12 + 4 * cases
        }
        0xab => {
            let table = (at / 4 + 1) * 4;
            let cases = usize::try_from(word(table + 4)?).ok().filter(|&cases| cases <= code.len())?;
            table - at + 8 + 8 * cases
        }
        _ => return None,
    })
}
