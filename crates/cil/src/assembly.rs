//! What is in an assembly?

use crate::body::{self, MethodBody};
use crate::bytes::utf16;
use crate::heaps::{self, Streams};
use crate::image::{DebugEntry, Image};
use crate::lookup::{self, NameIndex, Nested};
use crate::malformed::Malformed;
use crate::pdb::{self, Pdb};
use crate::resources;
use crate::rows::{
    AssemblyRef, Constant, Event, ExportedType, FieldDef, GenericParam, Guid, MemberRef, MethodDef, Param, Property,
    TypeDef, TypeRef, Visibility,
};
use crate::signatures::{self, StandAloneSig, TypeSig};
use crate::tables::{
    HAS_CONSTANT, HAS_SEMANTICS, MEMBER_FORWARDED, Metadata, Row, TABLES, TYPE_OR_METHOD_DEF, Table, Token,
};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// An assembly, or more exactly the module in one file. It owns the bytes of the file.
///
/// Rows count from 1. A row that is not there is an error, or `None`, or an empty list.
pub struct Assembly {
    pub(crate) metadata: Metadata,
    image: Image,
    types: OnceLock<NameIndex>,
    exported: OnceLock<NameIndex>,
    nested: OnceLock<Nested>,
    properties: OnceLock<FxHashMap<u32, u32>>,
    events: OnceLock<FxHashMap<u32, u32>>,
}

const CODE_VIEW: u32 = 2;
const EMBEDDED_PDB: u32 = 17;
/// The minor version of an entry for a portable PDB: "PM".
const PORTABLE: u16 = 0x504d;

impl Assembly {
    /// Reads a file in the PE format with managed code.
    ///
    /// # Errors
    /// The file has no managed code (see [`Malformed::is_not_dotnet`]), or its headers or directory of tables are broken.
    pub fn parse(bytes: Vec<u8>) -> Result<Assembly, Malformed> {
        let image = Image::parse(&bytes)?;
        let streams = Streams::parse(&bytes, image.metadata.clone())?;
        let metadata = Metadata::parse(bytes, streams, [0; TABLES])?;
        if let Ok(row) = metadata.row(Table::Assembly, 1) {
            row.string(7)?;
        }
        Ok(Assembly {
            metadata,
            image,
            types: OnceLock::new(),
            exported: OnceLock::new(),
            nested: OnceLock::new(),
            properties: OnceLock::new(),
            events: OnceLock::new(),
        })
    }

    /// The bytes of the file, with all types, fields and methods public.
    pub fn exposed(&self) -> Vec<u8> {
        /// The bits of flags that say who may use a type or a member.
        const ACCESS: u32 = 7;
        const PUBLIC: u32 = 1;
        const NESTED_PUBLIC: u32 = 2;
        const PUBLIC_MEMBER: u32 = 6;
        let mut bytes = self.metadata.bytes.clone();
        let mut set = |table: Table, row: u32, column: usize, access: u32| {
            if let Some((at, flags)) = self.metadata.cell_in_file(table, row, column)
                && let Some(low) = bytes.get_mut(at)
            {
                *low = (flags & 0xff & !ACCESS | access) as u8;
            }
        };
        for row in 1..=self.rows(Table::TypeDef) {
            let access = if self.enclosing(row).is_some() { NESTED_PUBLIC } else { PUBLIC };
            set(Table::TypeDef, row, 0, access);
        }
        (1..=self.rows(Table::Field)).for_each(|row| set(Table::Field, row, 0, PUBLIC_MEMBER));
        (1..=self.rows(Table::MethodDef)).for_each(|row| set(Table::MethodDef, row, 2, PUBLIC_MEMBER));
        bytes
    }

    fn row(&self, table: Table, number: u32) -> Result<Row<'_>, Malformed> {
        self.metadata.row(table, number)
    }

    /// The rows of a run of a table that are there.
    fn run(&self, table: Table, rows: std::ops::Range<u32>) -> impl Iterator<Item = Row<'_>> {
        rows.filter_map(move |number| self.row(table, number).ok())
    }

    /// Name of the assembly, without `.dll`; empty for a module that is not an assembly of its own.
    pub fn name(&self) -> &str {
        self.row(Table::Assembly, 1).and_then(|row| row.string(7)).unwrap_or("")
    }

    /// Version of the assembly: major, minor, build, revision.
    pub fn version(&self) -> [u16; 4] {
        self.row(Table::Assembly, 1).map_or([0; 4], |row| [1, 2, 3, 4].map(|column| row.u16(column)))
    }

    /// Identifies this build of the module.
    pub fn mvid(&self) -> Option<Guid> {
        self.row(Table::Module, 1).ok()?.guid(2)
    }

    /// The identifier that the assembly's portable PDB has: [`Pdb::id`] of the right PDB equals it.
    pub fn pdb_id(&self) -> Option<[u8; 20]> {
        let (stamp, data) = self.code_view()?;
        let mut id = [0; 20];
        id[..16].copy_from_slice(data.get(4..20)?);
        id[16..].copy_from_slice(&stamp.to_le_bytes());
        Some(id)
    }

    /// Where the compiler put the PDB; often a path on the machine of the build.
    pub fn pdb_path(&self) -> Option<String> {
        let path = self.code_view()?.1.get(24..)?;
        let path = path.split(|&byte| byte == 0).next()?;
        Some(String::from_utf8_lossy(path).into_owned())
    }

    /// Stamp and data of the debug directory's entry for the PDB. Native code may have an entry of its own.
    fn code_view(&self) -> Option<(u32, &[u8])> {
        let entries = || self.image.debug.iter().filter(|entry| entry.kind == CODE_VIEW);
        let entry = entries().find(|entry| entry.minor_version == PORTABLE).or_else(|| entries().next())?;
        let data = self.debug_data(entry);
        data.starts_with(b"RSDS").then_some((entry.stamp, data))
    }

    fn debug_data(&self, entry: &DebugEntry) -> &[u8] {
        self.metadata.bytes.get(entry.file.clone()).unwrap_or_default()
    }

    /// The portable PDB inside the assembly, if there is one.
    ///
    /// # Errors
    /// The PDB cannot be decompressed or read.
    pub fn embedded_pdb(&self) -> Result<Option<Pdb>, Malformed> {
        let Some(entry) = self.image.debug.iter().find(|entry| entry.kind == EMBEDDED_PDB) else { return Ok(None) };
        pdb::decompress(self.debug_data(entry), entry.file.start).and_then(Pdb::parse).map(Some)
    }

    /// Number of rows of a table.
    pub fn rows(&self, table: Table) -> u32 {
        self.metadata.rows(table)
    }

    /// The method where the program starts: a `MethodDef`, or the `File` that has it.
    pub fn entry_point(&self) -> Option<Token> {
        self.image.entry_point
    }

    /// A type.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn type_def(&self, row: u32) -> Result<TypeDef<'_>, Malformed> {
        let row = self.row(Table::TypeDef, row)?;
        Ok(TypeDef {
            flags: row.u32(0),
            name: row.string(1)?,
            namespace: row.string(2)?,
            extends: row.reference(3)?,
            fields: row.run(4, Table::Field)?,
            methods: row.run(5, Table::MethodDef)?,
        })
    }

    /// Row of the type that a nested type is in. A broken assembly may have types inside each other.
    pub fn enclosing(&self, type_row: u32) -> Option<u32> {
        let enclosing = self.metadata.only(Table::NestedClass, 0, type_row)?.u32(1);
        (1..=self.rows(Table::TypeDef)).contains(&enclosing).then_some(enclosing)
    }

    /// Rows of the types that are nested in a type directly.
    pub fn nested(&self, type_row: u32) -> &[u32] {
        self.nested.get_or_init(|| Nested::new(&self.metadata)).of(type_row)
    }

    /// The text with a name in the resources of the assembly, for example that of a message.
    pub fn text(&self, name: &str) -> Option<String> {
        let resources = self.metadata.bytes.get(self.image.resources.clone())?;
        let mut texts = (1..=self.rows(Table::ManifestResource)).filter_map(|number| {
            let row = self.row(Table::ManifestResource, number).ok()?;
            // A resource with an implementation is in another file.
            if row.u32(3) != 0 {
                return None;
            }
            let at = resources.get(row.u32(0) as usize..)?;
            let (size, rest) = at.split_first_chunk()?;
            resources::text(rest.get(..u32::from_le_bytes(*size) as usize)?, name).ok()?
        });
        texts.next()
    }

    /// Row of a type that is not nested.
    pub fn find_type(&self, namespace: &str, name: &str) -> Option<u32> {
        let named = |row: u32| self.type_def(row).ok().map(|def| (row, def));
        let index = self.types.get_or_init(|| {
            let all = (1..=self.rows(Table::TypeDef)).filter_map(named);
            let top = all.filter(|(_, def)| !matches!(def.visibility(), Visibility::Nested(_)));
            NameIndex::new(top.map(|(row, def)| (row, def.namespace, def.name)))
        });
        let is_it = |def: TypeDef<'_>| def.namespace == namespace && def.name == name;
        index.candidates(namespace, name).find(|&row| self.type_def(row).is_ok_and(is_it))
    }

    /// Row of the type with this [full name](Assembly::full_name).
    pub fn find_full_name(&self, name: &str) -> Option<u32> {
        let (outer, nested) = name.split_once('+').map_or((name, None), |(outer, nested)| (outer, Some(nested)));
        let (namespace, outer) = outer.rsplit_once('.').unwrap_or(("", outer));
        let outer = self.find_type(namespace, outer)?;
        let has_name = |row: u32, name: &str| self.type_def(row).is_ok_and(|def| def.name == name);
        let step = |row: u32, name: &str| self.nested(row).iter().copied().find(|&nested| has_name(nested, name));
        nested.into_iter().flat_map(|names| names.split('+')).try_fold(outer, step)
    }

    /// A type elsewhere.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn type_ref(&self, row: u32) -> Result<TypeRef<'_>, Malformed> {
        let row = self.row(Table::TypeRef, row)?;
        Ok(TypeRef { scope: row.reference(0)?, name: row.string(1)?, namespace: row.string(2)? })
    }

    /// A type that is not merely a name: an instance of a generic type, an array, a type parameter and so on.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn type_spec(&self, row: u32) -> Result<TypeSig, Malformed> {
        let row = self.row(Table::TypeSpec, row)?;
        signatures::type_spec(row.blob(0)?).map_err(|malformed| malformed.within(row.token()))
    }

    /// Full name of a `TypeDef` or `TypeRef`, or of the generic type whose instance a `TypeSpec` is: its namespace and a
    /// dot, then the names of the types around it and its own with `+` between them.
    pub fn full_name(&self, type_token: Token) -> Option<String> {
        let mut token = type_token;
        let mut names: Vec<&str> = Vec::new();
        // Types inside each other would have no end.
        for _ in 0..64 {
            let (namespace, name, outer) = match token.table()? {
                Table::TypeDef => {
                    let def = self.type_def(token.row()).ok()?;
                    (def.namespace, def.name, self.enclosing(token.row()).map(|row| Token::new(Table::TypeDef, row)))
                }
                Table::TypeRef => {
                    let reference = self.type_ref(token.row()).ok()?;
                    let outer = reference.scope.filter(|scope| scope.table() == Some(Table::TypeRef));
                    (reference.namespace, reference.name, outer)
                }
                Table::TypeSpec => match self.type_spec(token.row()).ok()? {
                    TypeSig::Generic { definition, .. } if definition.table() != Some(Table::TypeSpec) => {
                        token = definition;
                        continue;
                    }
                    _ => return None,
                },
                _ => return None,
            };
            names.push(name);
            match outer {
                Some(outer) => token = outer,
                None => {
                    names.reverse();
                    let name = names.join("+");
                    return Some(if namespace.is_empty() { name } else { format!("{namespace}.{name}") });
                }
            }
        }
        None
    }

    /// A field.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn field(&self, row: u32) -> Result<FieldDef<'_>, Malformed> {
        let row = self.row(Table::Field, row)?;
        let signature = signatures::field(row.blob(2)?).map_err(|malformed| malformed.within(row.token()))?;
        Ok(FieldDef { flags: row.u16(0), name: row.string(1)?, signature })
    }

    /// Row of the type that has a field.
    pub fn field_owner(&self, row: u32) -> Option<u32> {
        self.row(Table::Field, row).ok().and_then(|_| self.metadata.owner(Table::TypeDef, 4, row))
    }

    /// Name of a field, for searches that need not decode its type.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn field_name(&self, row: u32) -> Result<&str, Malformed> {
        self.row(Table::Field, row)?.string(1)
    }

    /// A method.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn method(&self, row: u32) -> Result<MethodDef<'_>, Malformed> {
        let row = self.row(Table::MethodDef, row)?;
        let signature = signatures::method(row.blob(4)?).map_err(|malformed| malformed.within(row.token()))?;
        Ok(MethodDef { rva: row.u32(0), impl_flags: row.u16(1), flags: row.u16(2), name: row.string(3)?, signature })
    }

    /// Row of the type that has a method.
    pub fn method_owner(&self, row: u32) -> Option<u32> {
        self.row(Table::MethodDef, row).ok().and_then(|_| self.metadata.owner(Table::TypeDef, 5, row))
    }

    /// Name of a method, for searches that need not decode its signature.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn method_name(&self, row: u32) -> Result<&str, Malformed> {
        self.row(Table::MethodDef, row)?.string(3)
    }

    /// Parameters of a method that have rows, in the order of their positions; the result may be the first.
    pub fn params(&self, method_row: u32) -> Vec<Param<'_>> {
        let Ok(run) = self.row(Table::MethodDef, method_row).and_then(|row| row.run(5, Table::Param)) else {
            return Vec::new();
        };
        self.run(Table::Param, run)
            .filter_map(|row| {
                Some(Param { row: row.number, flags: row.u16(0), sequence: row.u16(1), name: row.string(2).ok()? })
            })
            .collect()
    }

    /// Code of a method; `None` for methods without CIL.
    ///
    /// # Errors
    /// There is no such row, or the code breaks the rules that [`MethodBody`] states.
    pub fn body(&self, method_row: u32) -> Result<Option<MethodBody>, Malformed> {
        let row = self.row(Table::MethodDef, method_row)?;
        let (rva, impl_flags) = (row.u32(0), row.u16(1));
        if rva == 0 || impl_flags & 3 != 0 {
            return Ok(None);
        }
        let within = |malformed: Malformed| malformed.within(row.token());
        let file = self.image.to_section_end(rva);
        let file = file.ok_or_else(|| Malformed::of("the code is in no section", row.token()))?;
        let bytes = self.metadata.bytes.get(file.clone()).unwrap_or_default();
        let locals = |token: Token| match self.stand_alone_sig(token.row())? {
            StandAloneSig::Locals(locals) => Ok(locals),
            _ => Err(Malformed::of("these are no types of local variables", token)),
        };
        body::parse(bytes, file.start, locals).map(Some).map_err(within)
    }

    /// A field or method elsewhere, or of a generic type's instance.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn member_ref(&self, row: u32) -> Result<MemberRef<'_>, Malformed> {
        let row = self.row(Table::MemberRef, row)?;
        let signature = signatures::member(row.blob(2)?).map_err(|malformed| malformed.within(row.token()))?;
        Ok(MemberRef { parent: row.some_reference(0)?, name: row.string(1)?, signature })
    }

    /// An instance of a generic method: the method, a `MethodDef` or `MemberRef`, and what its parameters stand for.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn method_spec(&self, row: u32) -> Result<(Token, Vec<TypeSig>), Malformed> {
        let row = self.row(Table::MethodSpec, row)?;
        let arguments = signatures::method_spec(row.blob(1)?).map_err(|malformed| malformed.within(row.token()))?;
        Ok((row.some_reference(0)?, arguments))
    }

    /// A signature that no member has, as the operand of `calli` names.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn stand_alone_sig(&self, row: u32) -> Result<StandAloneSig, Malformed> {
        let row = self.row(Table::StandAloneSig, row)?;
        signatures::stand_alone(row.blob(0)?).map_err(|malformed| malformed.within(row.token()))
    }

    /// Name of another module, or of a native library.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn module_ref(&self, row: u32) -> Result<&str, Malformed> {
        self.row(Table::ModuleRef, row)?.string(0)
    }

    /// Interfaces that a type names among its own: `TypeDef`, `TypeRef` or `TypeSpec`.
    pub fn interface_impls(&self, type_row: u32) -> Vec<Token> {
        let rows = self.metadata.equal(Table::InterfaceImpl, 0, type_row);
        self.run(Table::InterfaceImpl, rows).filter_map(|row| row.reference(1).ok().flatten()).collect()
    }

    /// Explicit overrides of a type: the method with the body, and the method that it overrides; each a `MethodDef` or
    /// `MemberRef`.
    pub fn method_impls(&self, type_row: u32) -> Vec<(Token, Token)> {
        let rows = self.metadata.equal(Table::MethodImpl, 0, type_row);
        let pair = |row: Row<'_>| Some((row.reference(1).ok()??, row.reference(2).ok()??));
        self.run(Table::MethodImpl, rows).filter_map(pair).collect()
    }

    /// Parameters of a generic type or method (`TypeDef` or `MethodDef`), by their positions.
    pub fn generic_params(&self, owner: Token) -> Vec<GenericParam<'_>> {
        let Some(owner) = TYPE_OR_METHOD_DEF.encode(owner) else { return Vec::new() };
        let constraints = |param: u32| {
            let rows = self.metadata.equal(Table::GenericParamConstraint, 0, param);
            self.run(Table::GenericParamConstraint, rows).filter_map(|row| row.reference(1).ok().flatten()).collect()
        };
        self.run(Table::GenericParam, self.metadata.equal(Table::GenericParam, 2, owner))
            .filter_map(|row| {
                Some(GenericParam {
                    row: row.number,
                    number: row.u16(0),
                    flags: row.u16(1),
                    name: row.string(3).ok()?,
                    constraints: constraints(row.number),
                })
            })
            .collect()
    }

    /// The constant of a `Field`, `Param` or `Property`.
    pub fn constant(&self, parent: Token) -> Option<Constant> {
        let row = self.metadata.only(Table::Constant, 1, HAS_CONSTANT.encode(parent)?)?;
        Constant::decode(row.u16(0) as u8, row.blob(2).ok()?.rest())
    }

    /// First bytes of a static field, to the end of the section that has them: the field's type tells how many are its own.
    pub fn field_data(&self, field_row: u32) -> Option<&[u8]> {
        let rva = self.metadata.only(Table::FieldRva, 1, field_row)?.u32(0);
        self.metadata.bytes.get(self.image.to_section_end(rva)?)
    }

    /// Greatest alignment of fields (0 for the usual one) and least size in bytes of a type, where it says so.
    pub fn class_layout(&self, type_row: u32) -> Option<(u16, u32)> {
        let row = self.metadata.only(Table::ClassLayout, 2, type_row)?;
        Some((row.u16(0), row.u32(1)))
    }

    /// Offset of a field in its type's instances, where the type says so.
    pub fn field_offset(&self, field_row: u32) -> Option<u32> {
        Some(self.metadata.only(Table::FieldLayout, 1, field_row)?.u32(0))
    }

    /// An assembly that this one uses.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn assembly_ref(&self, row: u32) -> Result<AssemblyRef<'_>, Malformed> {
        let row = self.row(Table::AssemblyRef, row)?;
        Ok(AssemblyRef {
            version: [0, 1, 2, 3].map(|column| row.u16(column)),
            flags: row.u32(4),
            public_key_or_token: row.blob(5)?.rest(),
            name: row.string(6)?,
            culture: row.string(7)?,
        })
    }

    /// A type that users find through this assembly.
    ///
    /// # Errors
    /// There is no such row, or it is broken.
    pub fn exported_type(&self, row: u32) -> Result<ExportedType<'_>, Malformed> {
        let row = self.row(Table::ExportedType, row)?;
        Ok(ExportedType {
            flags: row.u32(0),
            name: row.string(2)?,
            namespace: row.string(3)?,
            implementation: row.some_reference(4)?,
        })
    }

    /// Row of the assembly (`AssemblyRef`) that has a type, not nested, that this one only forwards.
    pub fn find_forwarder(&self, namespace: &str, name: &str) -> Option<u32> {
        let index = self.exported.get_or_init(|| {
            let all = (1..=self.rows(Table::ExportedType)).filter_map(|row| Some((row, self.exported_type(row).ok()?)));
            NameIndex::new(all.map(|(row, exported)| (row, exported.namespace, exported.name)))
        });
        index.candidates(namespace, name).find_map(|row| {
            let exported = self.exported_type(row).ok()?;
            let is_it = exported.namespace == namespace && exported.name == name;
            (is_it && exported.implementation.table() == Some(Table::AssemblyRef))
                .then(|| exported.implementation.row())
        })
    }

    /// Properties of a type.
    pub fn properties(&self, type_row: u32) -> Vec<Property<'_>> {
        let maps = self.properties.get_or_init(|| lookup::by_type(&self.metadata, Table::PropertyMap));
        let rows = self.members(maps, type_row, Table::PropertyMap, Table::Property);
        rows.filter_map(|row| self.property(row)).collect()
    }

    fn property<'a>(&self, row: Row<'a>) -> Option<Property<'a>> {
        Some(Property {
            row: row.number,
            flags: row.u16(0),
            name: row.string(1).ok()?,
            signature: signatures::property(row.blob(2).ok()?).ok()?,
            getter: self.accessor(row.token(), 0x02),
            setter: self.accessor(row.token(), 0x01),
        })
    }

    /// Events of a type.
    pub fn events(&self, type_row: u32) -> Vec<Event<'_>> {
        let maps = self.events.get_or_init(|| lookup::by_type(&self.metadata, Table::EventMap));
        let rows = self.members(maps, type_row, Table::EventMap, Table::Event);
        rows.filter_map(|row| self.event(row)).collect()
    }

    fn event<'a>(&self, row: Row<'a>) -> Option<Event<'a>> {
        Some(Event {
            row: row.number,
            flags: row.u16(0),
            name: row.string(1).ok()?,
            handler: row.reference(2).ok()?,
            add: self.accessor(row.token(), 0x08),
            remove: self.accessor(row.token(), 0x10),
            raise: self.accessor(row.token(), 0x20),
        })
    }

    fn members<'a>(
        &'a self,
        maps: &FxHashMap<u32, u32>,
        type_row: u32,
        map: Table,
        members: Table,
    ) -> impl Iterator<Item = Row<'a>> {
        let row = maps.get(&type_row).and_then(|&row| self.row(map, row).ok());
        let run = row.and_then(|row| row.run(1, members).ok()).unwrap_or_default();
        self.run(members, run)
    }

    /// Row of the method that a property or event has for a purpose (ECMA-335, II.23.1.12).
    fn accessor(&self, member: Token, purpose: u16) -> Option<u32> {
        let rows = self.metadata.equal(Table::MethodSemantics, 2, HAS_SEMANTICS.encode(member)?);
        self.run(Table::MethodSemantics, rows).find(|row| row.u16(0) == purpose).map(|row| row.u32(1))
    }

    /// The native library that has a method's code, and its name there.
    pub fn pinvoke(&self, method_row: u32) -> Option<(&str, &str)> {
        let method = MEMBER_FORWARDED.encode(Token::new(Table::MethodDef, method_row))?;
        let row = self.metadata.only(Table::ImplMap, 1, method)?;
        Some((self.module_ref(row.u32(3)).ok()?, row.string(2).ok()?))
    }

    /// A string of `ldstr`, in UTF-16, by its token's [`row`](Token::row).
    pub fn user_string(&self, offset: u32) -> Option<Vec<u16>> {
        heaps::blob(&self.metadata.bytes, &self.metadata.streams.user_strings, offset)
            .ok()
            .map(|blob| utf16(blob.rest()))
    }
}
