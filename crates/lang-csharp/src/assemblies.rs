//! Finds assemblies by name, and types in them.

use aback_cil::{Assembly, Pdb, Table, Token};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock};

/// An assembly of the program or of the class library.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct AssemblyId(u32);

/// The declaration of a type: the assembly, and the row in its table of types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct TypeDefId {
    pub(crate) assembly: AssemblyId,
    pub(crate) row: u32,
}

/// An assembly that has been read.
pub(crate) struct Module {
    pub(crate) assembly: Assembly,
    pub(crate) path: PathBuf,
    /// Whether the assembly belongs to the user and not to a library.
    pub(crate) is_own: bool,
    pdb: OnceLock<Option<Pdb>>,
}

impl Module {
    /// The debug information of the assembly: embedded in it, or in the file beside it that belongs to it.
    pub(crate) fn pdb(&self) -> Option<&Pdb> {
        let read = || {
            if let Ok(Some(embedded)) = self.assembly.embedded_pdb() {
                return Some(embedded);
            }
            let bytes = std::fs::read(self.path.with_extension("pdb")).ok()?;
            let pdb = Pdb::parse(bytes).ok()?;
            let wanted = self.assembly.pdb_id();
            (wanted.is_none() || wanted == Some(pdb.id())).then_some(pdb)
        };
        self.pdb.get_or_init(read).as_ref()
    }
}

/// Most assemblies through which the reference to a type is followed.
const MOST_FORWARDS: usize = 16;

/// The assemblies of a program.
pub(crate) struct Assemblies {
    modules: boxcar::Vec<Module>,
    by_name: RwLock<FxHashMap<String, Option<AssemblyId>>>,
    /// Where assemblies are looked for that the user does not name.
    folders: Vec<PathBuf>,
    references: RwLock<FxHashMap<(AssemblyId, u32), Option<TypeDefId>>>,
}

/// Ignores the poisoning of a lock: each write is a single insertion, so that a panic cannot leave a table
/// inconsistent.
pub(crate) fn whole<T>(lock: Result<T, PoisonError<T>>) -> T {
    lock.unwrap_or_else(PoisonError::into_inner)
}

impl Assemblies {
    /// The assemblies in these folders, which are read when they are needed.
    pub(crate) fn new(folders: Vec<PathBuf>) -> Self {
        Assemblies { modules: boxcar::Vec::new(), by_name: RwLock::default(), folders, references: RwLock::default() }
    }

    /// Adds an assembly. The first one of a name is found by its name.
    pub(crate) fn add(&self, path: &Path, assembly: Assembly, is_own: bool) -> AssemblyId {
        let name = assembly.name().to_string();
        let module = Module { assembly, path: path.to_path_buf(), is_own, pdb: OnceLock::new() };
        let mut names = whole(self.by_name.write());
        let id = AssemblyId(self.modules.push(module) as u32);
        names.entry(name).or_insert(Some(id));
        id
    }

    pub(crate) fn module(&self, id: AssemblyId) -> &Module {
        &self.modules[id.0 as usize]
    }

    pub(crate) fn assembly(&self, id: AssemblyId) -> &Assembly {
        &self.module(id).assembly
    }

    /// The assembly with this simple name.
    pub(crate) fn named(&self, name: &str) -> Option<AssemblyId> {
        if let Some(&known) = whole(self.by_name.read()).get(name) {
            return known;
        }
        let read = |folder: &PathBuf| {
            let path = folder.join(format!("{name}.dll"));
            let assembly = Assembly::parse(std::fs::read(&path).ok()?).ok()?;
            Some((path, assembly))
        };
        let found = self.folders.iter().find_map(read);
        let mut names = whole(self.by_name.write());
        if let Some(&known) = names.get(name) {
            return known;
        }
        let id = found.map(|(path, assembly)| {
            let module = Module { assembly, path, is_own: false, pdb: OnceLock::new() };
            AssemblyId(self.modules.push(module) as u32)
        });
        names.insert(name.to_string(), id);
        id
    }

    /// Whether the user's code names a member of another assembly that is called like one of these.
    pub(crate) fn own_code_names(&self, names: &[&str]) -> bool {
        self.own().into_iter().map(|id| self.assembly(id)).any(|read| {
            let is_one = |row| read.member_ref(row).is_ok_and(|member| names.contains(&member.name));
            (1..=read.rows(Table::MemberRef)).any(is_one)
        })
    }

    /// The declaration of a top-level type with this name in an assembly, or in the one to which that forwards it.
    pub(crate) fn find(&self, assembly: AssemblyId, namespace: &str, name: &str) -> Option<TypeDefId> {
        let mut assembly = assembly;
        for _ in 0..MOST_FORWARDS {
            let read = self.assembly(assembly);
            if let Some(row) = read.find_type(namespace, name) {
                return Some(TypeDefId { assembly, row });
            }
            let reference = read.find_forwarder(namespace, name)?;
            assembly = self.named(read.assembly_ref(reference).ok()?.name)?;
        }
        None
    }

    /// The declaration that a reference to a type means.
    pub(crate) fn resolve(&self, from: AssemblyId, token: Token) -> Option<TypeDefId> {
        match token.table()? {
            Table::TypeDef => Some(TypeDefId { assembly: from, row: token.row() }),
            Table::TypeRef => self.resolve_reference(from, token.row(), 0),
            _ => None,
        }
    }

    fn resolve_reference(&self, from: AssemblyId, row: u32, depth: usize) -> Option<TypeDefId> {
        if let Some(&known) = whole(self.references.read()).get(&(from, row)) {
            return known;
        }
        let found = self.follow(from, row, depth);
        whole(self.references.write()).insert((from, row), found);
        found
    }

    fn follow(&self, from: AssemblyId, row: u32, depth: usize) -> Option<TypeDefId> {
        let read = self.assembly(from);
        let reference = read.type_ref(row).ok()?;
        let scope = reference.scope?;
        match scope.table()? {
            Table::AssemblyRef => {
                let assembly = self.named(read.assembly_ref(scope.row()).ok()?.name)?;
                self.find(assembly, reference.namespace, reference.name)
            }
            Table::TypeRef if depth < MOST_FORWARDS => {
                let outer = self.resolve_reference(from, scope.row(), depth + 1)?;
                self.nested(outer, reference.name)
            }
            Table::Module => self.find(from, reference.namespace, reference.name),
            _ => None,
        }
    }

    /// The type with this name that is nested in another.
    pub(crate) fn nested(&self, outer: TypeDefId, name: &str) -> Option<TypeDefId> {
        let read = self.assembly(outer.assembly);
        let row =
            read.nested(outer.row).iter().copied().find(|&row| read.type_def(row).is_ok_and(|ty| ty.name == name))?;
        Some(TypeDefId { assembly: outer.assembly, row })
    }

    /// The files of the assemblies that have been read and are outside of a folder.
    pub(crate) fn outside(&self, folder: &Path) -> Vec<PathBuf> {
        let modules = self.modules.iter().map(|(_, module)| &module.path);
        modules.filter(|path| path.is_file() && path.parent() != Some(folder)).cloned().collect()
    }

    /// The folders in which assemblies are looked for.
    pub(crate) fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The user's assemblies.
    pub(crate) fn own(&self) -> Vec<AssemblyId> {
        let own = self.modules.iter().filter(|(_, module)| module.is_own);
        own.map(|(index, _)| AssemblyId(index as u32)).collect()
    }
}
