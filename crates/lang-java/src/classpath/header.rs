//! Reads class names and declarations without parsing whole class files.

use ristretto_classfile::mutf8;

const MAGIC: u32 = 0xCAFE_BABE;

/// Whether a class file names a class, given by its internal name: alone or in a descriptor.
pub(super) fn names_class(bytes: &[u8], class: &str) -> bool {
    let Ok(name) = mutf8::to_bytes(class) else { return false };
    let mut reader = Reader { bytes, at: 0 };
    let Ok(pool) = Pool::read(&mut reader) else { return false };
    let descriptor = [b"L", &name[..], b";"].concat();
    let array = [b"[L", &name[..], b";"].concat();
    let texts = (0..=u16::MAX).take(pool.entries.len()).filter_map(|index| pool.utf8(index));
    texts
        .into_iter()
        .any(|text| text == name || text == array || text.windows(descriptor.len()).any(|part| part == descriptor))
}

/// The internal name of the class that `bytes` defines, or the reason why it defines none.
pub(super) fn this_class(bytes: &[u8]) -> Result<String, &'static str> {
    let mut reader = Reader { bytes, at: 0 };
    let pool = Pool::read(&mut reader)?;
    let _access = reader.u16().ok_or(TRUNCATED)?;
    let this = reader.u16().ok_or(TRUNCATED)?;
    pool.class_name(this).ok_or("it does not say what its class is called")
}

/// The declaration of a class in its class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// The release of Java for which the class file was compiled; class file versions up to 45 correspond to 1.
    pub(crate) release: u16,
    pub(crate) is_final: bool,
    pub(crate) is_interface: bool,
    /// Internal names.
    pub(crate) superclass: Option<String>,
    pub(crate) interfaces: Vec<String>,
}

/// The declaration of a class in its class file. `None` if the file ends too early or names something other than a
/// class.
pub(crate) fn declaration(bytes: &[u8]) -> Option<Declaration> {
    let mut reader = Reader { bytes, at: 0 };
    let pool = Pool::read(&mut reader).ok()?;
    let version = u16::from_be_bytes(bytes.get(6..8)?.try_into().ok()?);
    let flags = reader.u16()?;
    let _this = reader.u16()?;
    let superclass = match reader.u16()? {
        0 => None,
        index => Some(pool.class_name(index)?),
    };
    let interfaces = (0..reader.u16()?).map(|_| pool.class_name(reader.u16()?)).collect::<Option<_>>()?;
    Some(Declaration {
        release: version.saturating_sub(44).max(1),
        is_final: flags & 0x0010 != 0,
        is_interface: flags & 0x0200 != 0,
        superclass,
        interfaces,
    })
}

/// The name of the source file of the class, if the class file contains it.
pub(super) fn source_file(bytes: &[u8]) -> Option<String> {
    let mut reader = Reader { bytes, at: 0 };
    let pool = Pool::read(&mut reader).ok()?;
    reader.skip(6)?;
    let interfaces = reader.u16()?;
    reader.skip(2 * usize::from(interfaces))?;
    for _fields_then_methods in 0..2 {
        for _ in 0..reader.u16()? {
            reader.skip(6)?;
            for _ in 0..reader.u16()? {
                reader.attribute()?;
            }
        }
    }
    for _ in 0..reader.u16()? {
        let (name, content) = reader.attribute()?;
        if pool.utf8(name)? == b"SourceFile" {
            return text(pool.utf8(u16::from_be_bytes(content.try_into().ok()?))?);
        }
    }
    None
}

const TRUNCATED: &str = "it ends too early";

/// The constant pool: the offset of each entry (JVM specification, 4.4). Entry 0 and the second halves of long
/// entries have no offset.
struct Pool<'a> {
    bytes: &'a [u8],
    entries: Vec<Option<usize>>,
}

impl<'a> Pool<'a> {
    fn read(reader: &mut Reader<'a>) -> Result<Self, &'static str> {
        if reader.u32() != Some(MAGIC) {
            return Err("it is not a class file");
        }
        reader.skip(4).ok_or(TRUNCATED)?;
        let count = usize::from(reader.u16().ok_or(TRUNCATED)?);
        let mut entries = vec![None];
        while entries.len() < count {
            entries.push(Some(reader.at));
            let rest = match reader.u8().ok_or(TRUNCATED)? {
                1 => usize::from(reader.u16().ok_or(TRUNCATED)?),
                3 | 4 | 9..=12 | 17 | 18 => 4,
                5 | 6 => {
                    entries.push(None);
                    8
                }
                7 | 8 | 16 | 19 | 20 => 2,
                15 => 3,
                _ => return Err("it has a constant of an unknown kind"),
            };
            reader.skip(rest).ok_or(TRUNCATED)?;
        }
        Ok(Pool { bytes: reader.bytes, entries })
    }

    fn entry(&self, index: u16, tag: u8) -> Option<Reader<'a>> {
        let at = (*self.entries.get(usize::from(index))?)?;
        let mut reader = Reader { bytes: self.bytes, at };
        (reader.u8()? == tag).then_some(reader)
    }

    fn utf8(&self, index: u16) -> Option<&'a [u8]> {
        let mut reader = self.entry(index, 1)?;
        let length = usize::from(reader.u16()?);
        reader.skip(length)
    }

    fn class_name(&self, index: u16) -> Option<String> {
        text(self.utf8(self.entry(index, 7)?.u16()?)?)
    }
}

fn text(bytes: &[u8]) -> Option<String> {
    mutf8::from_bytes(bytes).ok()
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(length)?;
        let skipped = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(skipped)
    }

    fn u8(&mut self) -> Option<u8> {
        self.skip(1).map(|byte| byte[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.skip(2)?.try_into().ok().map(u16::from_be_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.skip(4)?.try_into().ok().map(u32::from_be_bytes)
    }

    /// The index of an attribute's name, and the attribute's content.
    fn attribute(&mut self) -> Option<(u16, &'a [u8])> {
        let name = self.u16()?;
        let length = usize::try_from(self.u32()?).ok()?;
        Some((name, self.skip(length)?))
    }
}
