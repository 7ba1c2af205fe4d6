//! Where in the file is what an address names?

use crate::bytes::Reader;
use crate::malformed::Malformed;
use crate::tables::Token;
use std::ops::Range;

/// Headers of a PE file with managed code (ECMA-335, II.25).
pub(crate) struct Image {
    sections: Vec<Section>,
    /// Where the metadata are in the file.
    pub(crate) metadata: Range<usize>,
    /// Where the resources are in the file.
    pub(crate) resources: Range<usize>,
    pub(crate) entry_point: Option<Token>,
    pub(crate) debug: Vec<DebugEntry>,
}

struct Section {
    address: u32,
    file: Range<usize>,
}

/// An entry of the debug directory.
pub(crate) struct DebugEntry {
    pub(crate) stamp: u32,
    pub(crate) minor_version: u16,
    pub(crate) kind: u32,
    pub(crate) file: Range<usize>,
}

const DEBUG_DIRECTORY: usize = 6;
const CLI_DIRECTORY: usize = 14;
const DEBUG_ENTRY_SIZE: u32 = 28;
const NATIVE_ENTRY_POINT: u32 = 0x10;

impl Image {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Image, Malformed> {
        let reader = |at: usize| Reader::new(bytes.get(at..).unwrap_or_default(), at);
        if !bytes.starts_with(b"MZ") {
            return Err(Malformed::not_dotnet());
        }
        let header = reader(0x3c).u32()? as usize;
        let mut coff = reader(header);
        if coff.take(4)? != b"PE\0\0" {
            return Err(Malformed::not_dotnet());
        }
        coff.take(2)?;
        let sections = coff.u16()?;
        coff.take(12)?;
        let optional_size = usize::from(coff.u16()?);
        coff.take(2)?;
        let optional = header.saturating_add(coff.position());
        // A header for 64 bits has four wider numbers ahead of the directories, and lacks one.
        let directories = match coff.u16()? {
            0x10b => optional.saturating_add(92),
            0x20b => optional.saturating_add(108),
            _ => return Err(coff.error("the optional header is of an unknown kind")),
        };
        let count = reader(directories).u32()? as usize;
        let directory = |index: usize| -> Result<(u32, u32), Malformed> {
            if index >= count {
                return Ok((0, 0));
            }
            let mut entry = reader(directories.saturating_add(4 + 8 * index));
            Ok((entry.u32()?, entry.u32()?))
        };

        let mut table = reader(optional.saturating_add(optional_size));
        let sections = (0..sections).map(|_| Section::parse(&mut table, bytes.len())).collect::<Result<_, _>>()?;
        let mut image = Image { sections, metadata: 0..0, resources: 0..0, entry_point: None, debug: Vec::new() };

        let (address, _) = directory(CLI_DIRECTORY)?;
        if address == 0 {
            return Err(Malformed::not_dotnet());
        }
        let mut cli = reader(image.offset(address).ok_or_else(|| table.error("the CLI header is in no section"))?);
        cli.take(8)?;
        let (metadata, metadata_size, flags, entry_point) = (cli.u32()?, cli.u32()?, cli.u32()?, cli.u32()?);
        image.metadata =
            image.range(metadata, metadata_size).ok_or_else(|| cli.error("the metadata are in no section"))?;
        let (resources, resources_size) = (cli.u32()?, cli.u32()?);
        image.resources = image.range(resources, resources_size).unwrap_or_default();
        if flags & NATIVE_ENTRY_POINT == 0 && entry_point != 0 {
            image.entry_point = Some(Token(entry_point));
        }

        let (address, size) = directory(DEBUG_DIRECTORY)?;
        if let Some(at) = image.offset(address) {
            let mut entries = reader(at);
            for _ in 0..size / DEBUG_ENTRY_SIZE {
                match DebugEntry::parse(&mut entries, bytes.len()) {
                    Ok(entry) => image.debug.extend(entry),
                    Err(_) => break,
                }
            }
        }
        Ok(image)
    }

    /// Where the bytes from an address to its section's end are in the file. Bytes that are zero in memory only are not.
    pub(crate) fn to_section_end(&self, address: u32) -> Option<Range<usize>> {
        self.sections.iter().find_map(|section| {
            let start = section.file.start.checked_add(address.checked_sub(section.address)? as usize)?;
            (start < section.file.end).then_some(start..section.file.end)
        })
    }

    fn offset(&self, address: u32) -> Option<usize> {
        self.to_section_end(address).map(|range| range.start)
    }

    fn range(&self, address: u32, size: u32) -> Option<Range<usize>> {
        let range = self.to_section_end(address)?;
        (size as usize <= range.len()).then(|| range.start..range.start + size as usize)
    }
}

impl Section {
    fn parse(table: &mut Reader<'_>, file_size: usize) -> Result<Section, Malformed> {
        table.take(12)?;
        let (address, size, offset) = (table.u32()?, table.u32()? as usize, table.u32()? as usize);
        table.take(16)?;
        let start = offset.min(file_size);
        Ok(Section { address, file: start..start + size.min(file_size - start) })
    }
}

impl DebugEntry {
    /// The next entry; `None` if its data are not in the file.
    fn parse(entries: &mut Reader<'_>, file_size: usize) -> Result<Option<DebugEntry>, Malformed> {
        entries.take(4)?;
        let (stamp, _, minor_version, kind) = (entries.u32()?, entries.u16()?, entries.u16()?, entries.u32()?);
        let (size, _, start) = (entries.u32()? as usize, entries.u32()?, entries.u32()? as usize);
        let end = start.checked_add(size).filter(|&end| end <= file_size);
        Ok(end.map(|end| DebugEntry { stamp, minor_version, kind, file: start..end }))
    }
}
