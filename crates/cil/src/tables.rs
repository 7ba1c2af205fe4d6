//! Which tables are there, how wide are their columns, and what is in a cell?

use crate::bytes::Reader;
use crate::heaps::{self, Streams};
use crate::malformed::Malformed;
use crate::rows::Guid;
use std::ops::Range;

/// Tables of an assembly (ECMA-335, II.22) and of a portable PDB (from `Document` on).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[rustfmt::skip]
#[expect(missing_docs, reason = "the names are those of the specifications")]
pub enum Table {
    Module = 0, TypeRef = 1, TypeDef = 2, FieldPtr = 3, Field = 4, MethodPtr = 5, MethodDef = 6, ParamPtr = 7, Param = 8,
    InterfaceImpl = 9, MemberRef = 10, Constant = 11, CustomAttribute = 12, FieldMarshal = 13, DeclSecurity = 14,
    ClassLayout = 15, FieldLayout = 16, StandAloneSig = 17, EventMap = 18, EventPtr = 19, Event = 20, PropertyMap = 21,
    PropertyPtr = 22, Property = 23, MethodSemantics = 24, MethodImpl = 25, ModuleRef = 26, TypeSpec = 27, ImplMap = 28,
    FieldRva = 29, EncLog = 30, EncMap = 31, Assembly = 32, AssemblyProcessor = 33, AssemblyOs = 34, AssemblyRef = 35,
    AssemblyRefProcessor = 36, AssemblyRefOs = 37, File = 38, ExportedType = 39, ManifestResource = 40, NestedClass = 41,
    GenericParam = 42, MethodSpec = 43, GenericParamConstraint = 44,
    Document = 48, MethodDebugInformation = 49, LocalScope = 50, LocalVariable = 51, LocalConstant = 52, ImportScope = 53,
    StateMachineMethod = 54, CustomDebugInformation = 55,
}

/// One more than the largest number of a table.
pub(crate) const TABLES: usize = 56;

impl Table {
    /// Every table, by its number.
    #[rustfmt::skip]
    pub const ALL: [Table; 53] = {
        use Table::*;
        [Module, TypeRef, TypeDef, FieldPtr, Field, MethodPtr, MethodDef, ParamPtr, Param, InterfaceImpl, MemberRef, Constant,
         CustomAttribute, FieldMarshal, DeclSecurity, ClassLayout, FieldLayout, StandAloneSig, EventMap, EventPtr, Event,
         PropertyMap, PropertyPtr, Property, MethodSemantics, MethodImpl, ModuleRef, TypeSpec, ImplMap, FieldRva, EncLog, EncMap,
         Assembly, AssemblyProcessor, AssemblyOs, AssemblyRef, AssemblyRefProcessor, AssemblyRefOs, File, ExportedType,
         ManifestResource, NestedClass, GenericParam, MethodSpec, GenericParamConstraint, Document, MethodDebugInformation,
         LocalScope, LocalVariable, LocalConstant, ImportScope, StateMachineMethod, CustomDebugInformation]
    };

    /// The table with this number, if there is one.
    pub fn from_number(number: u8) -> Option<Table> {
        // The numbers have one gap, from 45 to 47.
        let index = match number {
            0..=44 => number,
            48..=55 => number - 3,
            _ => return None,
        };
        Table::ALL.get(usize::from(index)).copied()
    }
}

/// Names a row: its table is in the top byte and its number, from 1, below.
///
/// In the operand of `ldstr` the top byte is 0x70 and the rest is for [`Assembly::user_string`](crate::Assembly::user_string).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Token(pub u32);

impl Token {
    /// The token of a row; the row has at most 24 bits.
    pub fn new(table: Table, row: u32) -> Token {
        Token((table as u32) << 24 | row & 0x00ff_ffff)
    }

    /// The table, unless the top byte is no table's number.
    pub fn table(self) -> Option<Table> {
        Table::from_number((self.0 >> 24) as u8)
    }

    /// The row, from 1; 0 stands for no row.
    pub fn row(self) -> u32 {
        self.0 & 0x00ff_ffff
    }
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.table() {
            Some(table) => write!(f, "{table:?} {}", self.row()),
            None => write!(f, "{:#010x}", self.0),
        }
    }
}

/// References to one of several tables (ECMA-335, II.24.2.6): the tag is in the low bits.
#[derive(Clone, Copy)]
pub(crate) struct Coded {
    bits: u32,
    tables: &'static [Option<Table>],
}

impl Coded {
    /// The row that an encoded reference names, with row 0 for none; `None` if the tag has no meaning.
    pub(crate) fn decode(&self, value: u32) -> Option<Token> {
        let row = value >> self.bits;
        let table = self.tables.get((value & ((1 << self.bits) - 1)) as usize).copied().flatten()?;
        (row <= 0x00ff_ffff).then(|| Token::new(table, row))
    }

    /// The number that stands for a token, unless its table is none of these.
    pub(crate) fn encode(&self, token: Token) -> Option<u32> {
        let table = token.table()?;
        let tag = self.tables.iter().position(|&candidate| candidate == Some(table))?;
        Some(token.row() << self.bits | u32::try_from(tag).ok()?)
    }
}

macro_rules! some { ($($table:ident)*) => { &[$(Some(Table::$table)),*] }; }

pub(crate) const TYPE_DEF_OR_REF: Coded = Coded { bits: 2, tables: some![TypeDef TypeRef TypeSpec] };
pub(crate) const HAS_CONSTANT: Coded = Coded { bits: 2, tables: some![Field Param Property] };
pub(crate) const HAS_CUSTOM_ATTRIBUTE: Coded = Coded {
    bits: 5,
    tables: some![MethodDef Field TypeRef TypeDef Param InterfaceImpl MemberRef Module DeclSecurity Property Event
        StandAloneSig ModuleRef TypeSpec Assembly AssemblyRef File ExportedType ManifestResource GenericParam
        GenericParamConstraint MethodSpec],
};
pub(crate) const HAS_FIELD_MARSHAL: Coded = Coded { bits: 1, tables: some![Field Param] };
pub(crate) const HAS_DECL_SECURITY: Coded = Coded { bits: 2, tables: some![TypeDef MethodDef Assembly] };
pub(crate) const MEMBER_REF_PARENT: Coded =
    Coded { bits: 3, tables: some![TypeDef TypeRef ModuleRef MethodDef TypeSpec] };
pub(crate) const HAS_SEMANTICS: Coded = Coded { bits: 1, tables: some![Event Property] };
pub(crate) const METHOD_DEF_OR_REF: Coded = Coded { bits: 1, tables: some![MethodDef MemberRef] };
pub(crate) const MEMBER_FORWARDED: Coded = Coded { bits: 1, tables: some![Field MethodDef] };
pub(crate) const IMPLEMENTATION: Coded = Coded { bits: 2, tables: some![File AssemblyRef ExportedType] };
pub(crate) const CUSTOM_ATTRIBUTE_TYPE: Coded =
    Coded { bits: 3, tables: &[None, None, Some(Table::MethodDef), Some(Table::MemberRef), None] };
pub(crate) const RESOLUTION_SCOPE: Coded = Coded { bits: 2, tables: some![Module ModuleRef AssemblyRef TypeRef] };
pub(crate) const TYPE_OR_METHOD_DEF: Coded = Coded { bits: 1, tables: some![TypeDef MethodDef] };
pub(crate) const HAS_CUSTOM_DEBUG_INFORMATION: Coded = Coded {
    bits: 5,
    tables: some![MethodDef Field TypeRef TypeDef Param InterfaceImpl MemberRef Module DeclSecurity Property Event
        StandAloneSig ModuleRef TypeSpec Assembly AssemblyRef File ExportedType ManifestResource GenericParam
        GenericParamConstraint MethodSpec Document LocalScope LocalVariable LocalConstant ImportScope],
};

/// What a cell holds.
#[derive(Clone, Copy)]
enum Column {
    U16,
    U32,
    Str,
    Guid,
    Blob,
    Row(Table),
    Coded(Coded),
}

/// No table has more columns.
const COLUMNS: usize = 9;

/// The columns of a table in order (ECMA-335, II.22, and the Portable PDB specification).
fn columns(table: Table) -> &'static [Column] {
    use Column::{Blob, Coded, Guid, Row, Str, U16, U32};
    match table {
        Table::Module => &[U16, Str, Guid, Guid, Guid],
        Table::TypeRef => &[Coded(RESOLUTION_SCOPE), Str, Str],
        Table::TypeDef => &[U32, Str, Str, Coded(TYPE_DEF_OR_REF), Row(Table::Field), Row(Table::MethodDef)],
        Table::FieldPtr => &[Row(Table::Field)],
        Table::Field => &[U16, Str, Blob],
        Table::MethodPtr => &[Row(Table::MethodDef)],
        Table::MethodDef => &[U32, U16, U16, Str, Blob, Row(Table::Param)],
        Table::ParamPtr => &[Row(Table::Param)],
        Table::Param => &[U16, U16, Str],
        Table::InterfaceImpl => &[Row(Table::TypeDef), Coded(TYPE_DEF_OR_REF)],
        Table::MemberRef => &[Coded(MEMBER_REF_PARENT), Str, Blob],
        Table::Constant => &[U16, Coded(HAS_CONSTANT), Blob],
        Table::CustomAttribute => &[Coded(HAS_CUSTOM_ATTRIBUTE), Coded(CUSTOM_ATTRIBUTE_TYPE), Blob],
        Table::FieldMarshal => &[Coded(HAS_FIELD_MARSHAL), Blob],
        Table::DeclSecurity => &[U16, Coded(HAS_DECL_SECURITY), Blob],
        Table::ClassLayout => &[U16, U32, Row(Table::TypeDef)],
        Table::FieldLayout => &[U32, Row(Table::Field)],
        Table::StandAloneSig => &[Blob],
        Table::EventMap => &[Row(Table::TypeDef), Row(Table::Event)],
        Table::EventPtr => &[Row(Table::Event)],
        Table::Event => &[U16, Str, Coded(TYPE_DEF_OR_REF)],
        Table::PropertyMap => &[Row(Table::TypeDef), Row(Table::Property)],
        Table::PropertyPtr => &[Row(Table::Property)],
        Table::Property => &[U16, Str, Blob],
        Table::MethodSemantics => &[U16, Row(Table::MethodDef), Coded(HAS_SEMANTICS)],
        Table::MethodImpl => &[Row(Table::TypeDef), Coded(METHOD_DEF_OR_REF), Coded(METHOD_DEF_OR_REF)],
        Table::ModuleRef => &[Str],
        Table::TypeSpec => &[Blob],
        Table::ImplMap => &[U16, Coded(MEMBER_FORWARDED), Str, Row(Table::ModuleRef)],
        Table::FieldRva => &[U32, Row(Table::Field)],
        Table::EncLog => &[U32, U32],
        Table::EncMap | Table::AssemblyProcessor => &[U32],
        Table::Assembly => &[U32, U16, U16, U16, U16, U32, Blob, Str, Str],
        Table::AssemblyOs => &[U32, U32, U32],
        Table::AssemblyRef => &[U16, U16, U16, U16, U32, Blob, Str, Str, Blob],
        Table::AssemblyRefProcessor => &[U32, Row(Table::AssemblyRef)],
        Table::AssemblyRefOs => &[U32, U32, U32, Row(Table::AssemblyRef)],
        Table::File => &[U32, Str, Blob],
        Table::ExportedType => &[U32, U32, Str, Str, Coded(IMPLEMENTATION)],
        Table::ManifestResource => &[U32, U32, Str, Coded(IMPLEMENTATION)],
        Table::NestedClass => &[Row(Table::TypeDef), Row(Table::TypeDef)],
        Table::GenericParam => &[U16, U16, Coded(TYPE_OR_METHOD_DEF), Str],
        Table::MethodSpec => &[Coded(METHOD_DEF_OR_REF), Blob],
        Table::GenericParamConstraint => &[Row(Table::GenericParam), Coded(TYPE_DEF_OR_REF)],
        Table::Document => &[Blob, Guid, Blob, Guid],
        Table::MethodDebugInformation => &[Row(Table::Document), Blob],
        Table::LocalScope => &[
            Row(Table::MethodDef),
            Row(Table::ImportScope),
            Row(Table::LocalVariable),
            Row(Table::LocalConstant),
            U32,
            U32,
        ],
        Table::LocalVariable => &[U16, U16, Str],
        Table::LocalConstant => &[Str, Blob],
        Table::ImportScope => &[Row(Table::ImportScope), Blob],
        Table::StateMachineMethod => &[Row(Table::MethodDef), Row(Table::MethodDef)],
        Table::CustomDebugInformation => &[Coded(HAS_CUSTOM_DEBUG_INFORMATION), Guid, Blob],
    }
}

/// Metadata with their tables; owns the bytes of the file.
pub(crate) struct Metadata {
    pub(crate) bytes: Vec<u8>,
    pub(crate) streams: Streams,
    layouts: [Layout; TABLES],
}

/// Where a table is in the file. Its rows are all there.
#[derive(Clone, Copy, Default)]
struct Layout {
    rows: u32,
    start: usize,
    width: usize,
    /// Offset in the row and width of each column.
    columns: [(u8, u8); COLUMNS],
}

impl Metadata {
    /// Lays out the tables. `elsewhere` has the sizes of tables that are in another file.
    pub(crate) fn parse(bytes: Vec<u8>, streams: Streams, elsewhere: [u32; TABLES]) -> Result<Metadata, Malformed> {
        let base = streams.tables.start;
        let mut header = Reader::new(bytes.get(streams.tables.clone()).unwrap_or_default(), base);
        header.take(6)?;
        let heaps = header.u8()?;
        header.take(1)?;
        let present = header.u64()?;
        header.take(8)?;
        let mut rows = elsewhere;
        let mut layouts = [Layout::default(); TABLES];
        for number in (0..64).filter(|number| present >> number & 1 == 1) {
            let count = header.u32()?;
            if Table::from_number(number).is_none() || count > 0x00ff_ffff {
                return Err(header.error("a table is unknown or too long"));
            }
            rows[usize::from(number)] = count;
            layouts[usize::from(number)].rows = count;
        }
        if heaps & 0x40 != 0 {
            header.take(4)?;
        }
        for table in Table::ALL {
            let layout = &mut layouts[table as usize];
            layout.start = base + header.position();
            for (column, cell) in columns(table).iter().zip(&mut layout.columns) {
                let width = column.width(heaps, &rows);
                *cell = (layout.width as u8, width);
                layout.width += usize::from(width);
            }
            let size = (layout.rows as usize).checked_mul(layout.width);
            let size = size.ok_or_else(|| header.error("a table is too long"))?;
            header.take(size)?;
        }
        Ok(Metadata { bytes, streams, layouts })
    }

    /// Number of rows of a table.
    pub(crate) fn rows(&self, table: Table) -> u32 {
        self.layouts[table as usize].rows
    }

    /// A row.
    pub(crate) fn row(&self, table: Table, number: u32) -> Result<Row<'_>, Malformed> {
        (1..=self.rows(table))
            .contains(&number)
            .then_some(Row { metadata: self, table, number })
            .ok_or_else(|| Malformed::of("there is no such row", Token::new(table, number)))
    }

    fn row_bytes(&self, table: Table, number: u32) -> Option<&[u8]> {
        let layout = &self.layouts[table as usize];
        let index = number.checked_sub(1).filter(|_| number <= layout.rows)? as usize;
        let start = layout.start + index * layout.width;
        self.bytes.get(start..start + layout.width)
    }

    fn cell(&self, table: Table, number: u32, column: usize) -> u32 {
        let (offset, width) = self.layouts[table as usize].columns[column];
        let cell = self.row_bytes(table, number).and_then(|bytes| bytes.get(usize::from(offset)..));
        match cell {
            Some([a, b, c, d, ..]) if width == 4 => u32::from_le_bytes([*a, *b, *c, *d]),
            Some([a, b, ..]) => u32::from(u16::from_le_bytes([*a, *b])),
            _ => 0,
        }
    }

    /// Where a cell is in the file, and its value.
    pub(crate) fn cell_in_file(&self, table: Table, number: u32, column: usize) -> Option<(usize, u32)> {
        let layout = &self.layouts[table as usize];
        let index = number.checked_sub(1).filter(|_| number <= layout.rows)? as usize;
        let at = layout.start + index * layout.width + usize::from(layout.columns[column].0);
        Some((at, self.cell(table, number, column)))
    }

    /// The rows with this number in a column by which the table is sorted. A table that is not sorted gives some rows.
    pub(crate) fn equal(&self, table: Table, column: usize, value: u32) -> Range<u32> {
        let start = self.first_not(table, |row| self.cell(table, row, column) < value);
        start..self.first_not(table, |row| self.cell(table, row, column) <= value).max(start)
    }

    /// The row with this number in a column by which the table is sorted.
    pub(crate) fn only(&self, table: Table, column: usize, value: u32) -> Option<Row<'_>> {
        let rows = self.equal(table, column, value);
        if rows.is_empty() { None } else { self.row(table, rows.start).ok() }
    }

    /// The row whose run of another table's rows, which starts at the row in the column, has this row.
    pub(crate) fn owner(&self, table: Table, column: usize, member: u32) -> Option<u32> {
        let next = self.first_not(table, |row| self.cell(table, row, column) <= member);
        next.checked_sub(1).filter(|&owner| owner != 0)
    }

    /// The first row that does not have a property that the rows up to it have.
    fn first_not(&self, table: Table, property: impl Fn(u32) -> bool) -> u32 {
        let (mut low, mut high) = (1, self.rows(table) + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            if property(middle) { low = middle + 1 } else { high = middle }
        }
        low
    }
}

impl Column {
    /// Number of bytes (ECMA-335, II.24.2.6).
    fn width(self, heaps: u8, rows: &[u32; TABLES]) -> u8 {
        let is_wide = match self {
            Column::U16 => false,
            Column::U32 => true,
            Column::Str => heaps & 1 != 0,
            Column::Guid => heaps & 2 != 0,
            Column::Blob => heaps & 4 != 0,
            Column::Row(table) => rows[table as usize] > 0xffff,
            Column::Coded(coded) => {
                coded.tables.iter().flatten().any(|&table| rows[table as usize] > 0xffff >> coded.bits)
            }
        };
        if is_wide { 4 } else { 2 }
    }
}

/// A row of a table. Columns have their numbers from [`columns`].
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    metadata: &'a Metadata,
    table: Table,
    pub(crate) number: u32,
}

impl<'a> Row<'a> {
    pub(crate) fn token(&self) -> Token {
        Token::new(self.table, self.number)
    }

    pub(crate) fn u32(&self, column: usize) -> u32 {
        self.metadata.cell(self.table, self.number, column)
    }

    /// A cell of two bytes.
    pub(crate) fn u16(&self, column: usize) -> u16 {
        self.u32(column) as u16
    }

    pub(crate) fn string(&self, column: usize) -> Result<&'a str, Malformed> {
        let metadata = self.metadata;
        heaps::string(&metadata.bytes, &metadata.streams.strings, self.u32(column)).map_err(|m| m.within(self.token()))
    }

    pub(crate) fn blob(&self, column: usize) -> Result<Reader<'a>, Malformed> {
        let metadata = self.metadata;
        heaps::blob(&metadata.bytes, &metadata.streams.blobs, self.u32(column)).map_err(|m| m.within(self.token()))
    }

    pub(crate) fn guid(&self, column: usize) -> Option<Guid> {
        heaps::guid(&self.metadata.bytes, &self.metadata.streams.guids, self.u32(column))
    }

    /// The row that the cell names, if any.
    pub(crate) fn reference(&self, column: usize) -> Result<Option<Token>, Malformed> {
        let value = self.u32(column);
        let token = match columns(self.table).get(column) {
            Some(Column::Coded(coded)) => coded.decode(value),
            Some(Column::Row(table)) => (value <= 0x00ff_ffff).then(|| Token::new(*table, value)),
            _ => None,
        };
        let token = token.ok_or_else(|| Malformed::of("a reference names no table", self.token()))?;
        Ok((token.row() != 0).then_some(token))
    }

    /// The row that the cell names, where there must be one.
    pub(crate) fn some_reference(&self, column: usize) -> Result<Token, Malformed> {
        self.reference(column)?.ok_or_else(|| Malformed::of("a reference is missing", self.token()))
    }

    /// The rows of another table that belong to this one: from the row in the column to that in the next row's.
    pub(crate) fn run(&self, column: usize, members: Table) -> Result<Range<u32>, Malformed> {
        let end = self.metadata.rows(members) + 1;
        let is_last = self.number == self.metadata.rows(self.table);
        let end = if is_last { end } else { self.metadata.cell(self.table, self.number + 1, column).min(end) };
        let start = self.u32(column);
        if start == 0 || start > end {
            return Err(Malformed::of("a run of members ends before it starts", self.token()));
        }
        Ok(start..end)
    }
}
