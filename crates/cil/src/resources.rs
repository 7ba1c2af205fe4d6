//! Which texts does an assembly hold under which names?

use crate::bytes::Reader;
use crate::malformed::Malformed;

const MAGIC: u32 = 0xbeef_cace;
/// The code of strings among the types of resources.
const STRING: u32 = 1;

/// The text with a name in a resource in the format that the class library reads (`.resources`, version 2); `None` if
/// there is none with this name, or if it is no text.
///
/// # Errors
/// The resource is broken.
pub(crate) fn text(resource: &[u8], name: &str) -> Result<Option<String>, Malformed> {
    let mut reader = Reader::new(resource, 0);
    if reader.u32()? != MAGIC {
        return Ok(None);
    }
    reader.u32()?;
    let skipped = reader.u32()? as usize;
    reader.take(skipped)?;
    if reader.u32()? != 2 {
        return Ok(None);
    }
    let (count, types) = (reader.u32()? as usize, reader.u32()?);
    for _ in 0..types {
        let length = length(&mut reader)?;
        reader.take(length)?;
    }
    // The tables begin at a multiple of 8.
    while !reader.position().is_multiple_of(8) {
        reader.u8()?;
    }
    let tables = count.checked_mul(4).ok_or_else(|| reader.error("there are too many resources"))?;
    reader.take(tables)?;
    let mut places = Reader::new(reader.take(tables)?, 0);
    let data = reader.u32()? as usize;
    let names = reader.rest();
    let wanted: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    while !places.is_empty() {
        let mut entry = Reader::new(names.get(places.u32()? as usize..).unwrap_or_default(), 0);
        let size = length(&mut entry)?;
        if entry.take(size)? != wanted {
            continue;
        }
        let at = data.saturating_add(entry.u32()? as usize);
        let mut value = Reader::new(resource.get(at..).unwrap_or_default(), at);
        if length(&mut value)? as u32 != STRING {
            return Ok(None);
        }
        let size = length(&mut value)?;
        return Ok(String::from_utf8(value.take(size)?.to_vec()).ok());
    }
    Ok(None)
}

/// A number in groups of 7 bits, the lowest first.
fn length(reader: &mut Reader<'_>) -> Result<usize, Malformed> {
    let mut value = 0;
    for shift in (0..35).step_by(7) {
        let byte = reader.u8()?;
        value |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(reader.error("a number has too many bytes"))
}
