//! Which lines, variables and files does a portable PDB name?

use crate::bytes::Reader;
use crate::heaps::{self, Streams};
use crate::malformed::Malformed;
use crate::rows::{Constant, Guid};
use crate::tables::{HAS_CUSTOM_DEBUG_INFORMATION, Metadata, TABLES, Table, Token};
use flate2::read::DeflateDecoder;
use std::io::Read;
use std::ops::Range;

/// A portable PDB. Methods have the rows that they have in the assembly.
pub struct Pdb {
    metadata: Metadata,
    id: [u8; 20],
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its path as the compiler was told, or as `-pathmap` changed it.
    pub name: String,
    /// How its hash was made.
    pub hash_algorithm: Guid,
    /// The hash of its bytes.
    pub hash: Vec<u8>,
    /// Its language.
    pub language: Guid,
}

impl Document {
    /// The language C#.
    pub const CSHARP: Guid = Guid::from_digits(0x3f5162f8_07c6_11d3_9053_00c04fa302a1);
    /// The language Visual Basic.
    pub const VISUAL_BASIC: Guid = Guid::from_digits(0x3a12d0b8_c26c_11d0_b442_00a0244a1dd2);
    /// The language F#.
    pub const FSHARP: Guid = Guid::from_digits(0xab4f38c9_b6e6_43ba_be3b_58080b2ccce3);
    /// The hash SHA-1.
    pub const SHA1: Guid = Guid::from_digits(0xff1816ec_aa5e_4d10_87f7_6f4963833460);
    /// The hash SHA-256.
    pub const SHA256: Guid = Guid::from_digits(0x8829d00f_11b8_4213_878b_770e8597ac16);
}

/// The source text of the code from an offset to the next sequence point's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequencePoint {
    /// Where the code starts.
    pub offset: u32,
    /// Row of the document.
    pub document: u32,
    /// The text; none for hidden code, which no debugger stops at.
    pub position: Option<Position>,
}

/// A part of a document. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    /// Line where it starts.
    pub start_line: u32,
    /// Column where it starts.
    pub start_column: u32,
    /// Line where it ends.
    pub end_line: u32,
    /// Column behind its last character.
    pub end_column: u32,
}

/// A part of a method's code that has variables of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalScope {
    /// Offset where it starts.
    pub start: u32,
    /// Number of bytes of its code.
    pub length: u32,
    /// Its variables.
    pub variables: Vec<LocalVariable>,
    /// Its constants.
    pub constants: Vec<LocalConstant>,
}

/// A local variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// Its index in [`MethodBody::locals`](crate::MethodBody::locals).
    pub index: u16,
    /// Its name.
    pub name: String,
    /// Whether the compiler made it.
    pub is_hidden: bool,
}

/// A local constant of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalConstant {
    /// Its name.
    pub name: String,
    /// Its value; none for `decimal` and other structs. Members of enums are their numbers.
    pub value: Option<Constant>,
}

const EMBEDDED_SOURCE: Guid = Guid::from_digits(0x0e8a571b_6926_466e_b4ad_8ab04611f5fe);
const HOISTED_SCOPES: Guid = Guid::from_digits(0x6da9a61e_f8c7_4874_be62_68bc5630df71);

impl Pdb {
    /// Reads a portable PDB.
    ///
    /// # Errors
    /// The bytes are no portable PDB, or its directory of tables is broken.
    pub fn parse(bytes: Vec<u8>) -> Result<Pdb, Malformed> {
        let streams = Streams::parse(&bytes, 0..bytes.len())?;
        let mut header = Reader::new(bytes.get(streams.pdb.clone()).unwrap_or_default(), streams.pdb.start);
        let id = header.array()?;
        header.take(4)?;
        let referenced = header.u64()?;
        let mut elsewhere = [0; TABLES];
        for number in (0..64).filter(|number| referenced >> number & 1 == 1) {
            let rows = elsewhere.get_mut(number).ok_or_else(|| header.error("a table is unknown"))?;
            *rows = header.u32()?;
        }
        let metadata = Metadata::parse(bytes, streams, elsewhere)?;
        Ok(Pdb { metadata, id })
    }

    /// Identifies the assembly's build, see [`Assembly::pdb_id`](crate::Assembly::pdb_id).
    pub fn id(&self) -> [u8; 20] {
        self.id
    }

    /// Number of documents; their rows count from 1.
    pub fn documents(&self) -> u32 {
        self.metadata.rows(Table::Document)
    }

    /// A source file.
    ///
    /// # Errors
    /// There is no such row, or its name cannot be read.
    pub fn document(&self, row: u32) -> Result<Document, Malformed> {
        let row = self.metadata.row(Table::Document, row)?;
        Ok(Document {
            name: self.document_name(row.blob(0)?).map_err(|malformed| malformed.within(row.token()))?,
            hash_algorithm: row.guid(1).unwrap_or_default(),
            hash: row.blob(2)?.rest().to_vec(),
            language: row.guid(3).unwrap_or_default(),
        })
    }

    /// A name is a separator and parts, which documents in the same folder share.
    fn document_name(&self, mut name: Reader<'_>) -> Result<String, Malformed> {
        if name.is_empty() {
            return Ok(String::new());
        }
        let separator = match name.u8()? {
            0 => None,
            byte if byte.is_ascii() => Some(char::from(byte)),
            _ => return Err(name.error("a separator is not in ASCII")),
        };
        let mut text = String::new();
        let mut is_first = true;
        while !name.is_empty() {
            text.extend(separator.filter(|_| !is_first));
            is_first = false;
            let part = heaps::blob(&self.metadata.bytes, &self.metadata.streams.blobs, name.compressed()?)?.rest();
            text += std::str::from_utf8(part).map_err(|_| name.error("a document's name is not in UTF-8"))?;
            // Many parts may name the same blob.
            if text.len() > LONGEST_NAME {
                return Err(name.error("a document's name is too long"));
            }
        }
        Ok(text)
    }

    /// Sequence points of a method in the order of their offsets; those up to a mistake if there is one.
    pub fn sequence_points(&self, method_row: u32) -> Vec<SequencePoint> {
        let mut points = Vec::new();
        if let Ok(row) = self.metadata.row(Table::MethodDebugInformation, method_row)
            && let Ok(blob) = row.blob(1)
        {
            // What is read up to a mistake is right.
            let _ = sequence_points(blob, row.u32(0), &mut points);
        }
        points
    }

    /// Scopes of a method, outer ones first.
    pub fn local_scopes(&self, method_row: u32) -> Vec<LocalScope> {
        // Each variable belongs to one scope. Those of a broken PDB could have all variables, each of them.
        let (mut first_variable, mut first_constant) = (1, 1);
        let rows = self.metadata.equal(Table::LocalScope, 0, method_row);
        rows.filter_map(|row| {
            let row = self.metadata.row(Table::LocalScope, row).ok()?;
            let variables = row.run(2, Table::LocalVariable).unwrap_or_default();
            let constants = row.run(3, Table::LocalConstant).unwrap_or_default();
            let scope = LocalScope {
                start: row.u32(4),
                length: row.u32(5),
                variables: self.variables(variables.start.max(first_variable)..variables.end),
                constants: self.constants(constants.start.max(first_constant)..constants.end),
            };
            first_variable = first_variable.max(variables.end);
            first_constant = first_constant.max(constants.end);
            Some(scope)
        })
        .collect()
    }

    fn variables(&self, rows: Range<u32>) -> Vec<LocalVariable> {
        rows.filter_map(|row| {
            let row = self.metadata.row(Table::LocalVariable, row).ok()?;
            Some(LocalVariable {
                index: row.u16(1),
                name: row.string(2).ok()?.to_owned(),
                is_hidden: row.u16(0) & 1 != 0,
            })
        })
        .collect()
    }

    fn constants(&self, rows: Range<u32>) -> Vec<LocalConstant> {
        rows.filter_map(|row| {
            let row = self.metadata.row(Table::LocalConstant, row).ok()?;
            Some(LocalConstant { name: row.string(0).ok()?.to_owned(), value: constant(row.blob(1).ok()?) })
        })
        .collect()
    }

    /// Row of the method in the source whose state machine this method (`MoveNext`) runs.
    pub fn kickoff(&self, method_row: u32) -> Option<u32> {
        let row = self.metadata.only(Table::StateMachineMethod, 0, method_row)?;
        Some(row.u32(1)).filter(|&kickoff| kickoff != 0)
    }

    /// Text of a source file, if the PDB has it.
    pub fn embedded_source(&self, document: u32) -> Option<String> {
        let mut source = self.custom(Token::new(Table::Document, document), EMBEDDED_SOURCE)?;
        let text = match source.u32().ok()? {
            0 => source.rest().to_vec(),
            size => inflate(source.rest(), size)?,
        };
        let text = String::from_utf8(text).ok()?;
        Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }

    /// Parts of the code, as start and length, in which the variables live that a state machine (of the method `MoveNext`)
    /// keeps in fields. The number in a field's name, as the 2 in `<count>5__2`, counts them from 1.
    pub fn hoisted_scopes(&self, method_row: u32) -> Vec<(u32, u32)> {
        let mut scopes = Vec::new();
        if let Some(mut blob) = self.custom(Token::new(Table::MethodDef, method_row), HOISTED_SCOPES) {
            while let (Ok(start), Ok(length)) = (blob.u32(), blob.u32()) {
                scopes.push((start, length));
            }
        }
        scopes
    }

    /// Further data of a row, by their kind.
    fn custom(&self, parent: Token, kind: Guid) -> Option<Reader<'_>> {
        let parent = HAS_CUSTOM_DEBUG_INFORMATION.encode(parent)?;
        let rows = self.metadata.equal(Table::CustomDebugInformation, 0, parent);
        let mut rows = rows.filter_map(|row| self.metadata.row(Table::CustomDebugInformation, row).ok());
        rows.find(|row| row.guid(1) == Some(kind))?.blob(2).ok()
    }
}

/// No system has longer paths.
const LONGEST_NAME: usize = 1 << 16;

/// Reads the sequence points of a blob. The document is 0 if the blob tells it.
fn sequence_points(mut blob: Reader<'_>, mut document: u32, points: &mut Vec<SequencePoint>) -> Result<(), Malformed> {
    if blob.is_empty() {
        return Ok(());
    }
    blob.compressed()?;
    if document == 0 {
        document = blob.compressed()?;
    }
    let mut offset = 0u32;
    let mut last: Option<(u32, u32)> = None;
    while !blob.is_empty() {
        let distance = blob.compressed()?;
        if distance == 0 && !points.is_empty() {
            document = blob.compressed()?;
            continue;
        }
        let overflow = blob.error("a sequence point is out of range");
        offset = offset.checked_add(distance).ok_or(overflow.clone())?;
        let lines = blob.compressed()?;
        let columns = if lines == 0 { i64::from(blob.compressed()?) } else { i64::from(blob.compressed_signed()?) };
        let position = if lines == 0 && columns == 0 {
            None
        } else {
            let (start_line, start_column) = match last {
                None => (blob.compressed()?, blob.compressed()?),
                Some((line, column)) => {
                    let (lines, columns) = (blob.compressed_signed()?, blob.compressed_signed()?);
                    line.checked_add_signed(lines).zip(column.checked_add_signed(columns)).ok_or(overflow.clone())?
                }
            };
            last = Some((start_line, start_column));
            let end_line = start_line.checked_add(lines).ok_or(overflow.clone())?;
            let end_column = u32::try_from(i64::from(start_column) + columns).map_err(|_| overflow)?;
            Some(Position { start_line, start_column, end_line, end_column })
        };
        points.push(SequencePoint { offset, document, position });
    }
    Ok(())
}

/// The value of a local constant: a type, with modifiers ahead, and the value's bytes.
fn constant(mut blob: Reader<'_>) -> Option<Constant> {
    while let Some(0x1f | 0x20) = blob.peek() {
        blob.u8().ok()?;
        blob.compressed().ok()?;
    }
    match blob.u8().ok()? {
        // The null string has a single byte that no text in UTF-16 has.
        0x0e if blob.rest() == [0xff] => Some(Constant::Null),
        0x12 | 0x1c if blob.remaining() <= 4 => Some(Constant::Null),
        0x12 => None,
        code => Constant::decode(code, blob.rest()),
    }
}

/// The PDB in an entry of the debug directory.
pub(crate) fn decompress(data: &[u8], base: usize) -> Result<Vec<u8>, Malformed> {
    let mut reader = Reader::new(data, base);
    if reader.take(4)? != b"MPDB" {
        return Err(reader.error("the embedded PDB does not start as it must"));
    }
    let size = reader.u32()?;
    inflate(reader.rest(), size).ok_or_else(|| reader.error("the embedded PDB cannot be decompressed"))
}

/// Decompresses data that have this size then. No memory is set aside for a size that the data do not have.
fn inflate(data: &[u8], size: u32) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    DeflateDecoder::new(data).take(size.into()).read_to_end(&mut bytes).ok()?;
    (bytes.len() == size as usize).then_some(bytes)
}
