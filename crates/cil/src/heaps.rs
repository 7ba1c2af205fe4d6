//! Where are strings, blobs and identifiers?

use crate::bytes::Reader;
use crate::malformed::Malformed;
use crate::rows::Guid;
use std::ops::Range;

/// The streams of the metadata (ECMA-335, II.24.2), as places in the file.
#[derive(Default)]
pub(crate) struct Streams {
    pub(crate) strings: Range<usize>,
    pub(crate) user_strings: Range<usize>,
    pub(crate) blobs: Range<usize>,
    pub(crate) guids: Range<usize>,
    pub(crate) tables: Range<usize>,
    /// What only a PDB has.
    pub(crate) pdb: Range<usize>,
}

impl Streams {
    /// Finds the streams of metadata at this place, which must be in the file.
    pub(crate) fn parse(bytes: &[u8], metadata: Range<usize>) -> Result<Streams, Malformed> {
        let mut root = Reader::new(bytes.get(metadata.clone()).unwrap_or_default(), metadata.start);
        if root.u32()? != u32::from_le_bytes(*b"BSJB") {
            return Err(root.error("the metadata do not start as they must"));
        }
        root.take(8)?;
        let version = root.u32()? as usize;
        root.take(version)?;
        root.take(2)?;
        let mut streams = Streams::default();
        for _ in 0..root.u16()? {
            let (offset, size) = (root.u32()? as usize, root.u32()? as usize);
            let name = name(&mut root)?;
            let end = offset.checked_add(size).filter(|&end| end <= metadata.len());
            let end = end.ok_or_else(|| root.error("a stream is longer than the metadata"))?;
            let range = metadata.start + offset..metadata.start + end;
            match name {
                b"#Strings" => streams.strings = range,
                b"#US" => streams.user_strings = range,
                b"#Blob" => streams.blobs = range,
                b"#GUID" => streams.guids = range,
                b"#~" => streams.tables = range,
                b"#-" => return Err(root.error("the tables are those of an editing session")),
                b"#Pdb" => streams.pdb = range,
                _ => {}
            }
        }
        Ok(streams)
    }
}

/// A stream's name, with zeros to a multiple of four.
fn name<'a>(root: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    let rest = root.rest();
    let length = rest.iter().take(32).position(|&byte| byte == 0);
    let length = length.ok_or_else(|| root.error("a stream's name is too long"))?;
    root.take((length + 4) & !3)?;
    Ok(&rest[..length])
}

/// A name, by its offset in the heap.
pub(crate) fn string<'a>(bytes: &'a [u8], heap: &Range<usize>, offset: u32) -> Result<&'a str, Malformed> {
    let at = heap.start.saturating_add(offset as usize);
    if offset == 0 {
        return Ok("");
    }
    let tail = bytes.get(at..heap.end).unwrap_or_default();
    let length = tail.iter().position(|&byte| byte == 0).ok_or(Malformed::at("a name has no end", at))?;
    std::str::from_utf8(&tail[..length]).map_err(|_| Malformed::at("a name is not in UTF-8", at))
}

/// Bytes with their number ahead of them, by their offset in the heap.
pub(crate) fn blob<'a>(bytes: &'a [u8], heap: &Range<usize>, offset: u32) -> Result<Reader<'a>, Malformed> {
    let at = heap.start.saturating_add(offset as usize);
    if offset == 0 {
        return Ok(Reader::new(&[], at));
    }
    let mut reader = Reader::new(bytes.get(at..heap.end).unwrap_or_default(), at);
    let length = reader.compressed()? as usize;
    let base = at + reader.position();
    reader.take(length).map(|blob| Reader::new(blob, base))
}

/// An identifier, by its number from 1; 0 stands for none.
pub(crate) fn guid(bytes: &[u8], heap: &Range<usize>, number: u32) -> Option<Guid> {
    let at = heap.start.checked_add((number.checked_sub(1)? as usize).checked_mul(16)?)?;
    bytes.get(at..heap.end)?.first_chunk().copied().map(Guid)
}
