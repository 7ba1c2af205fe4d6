//! Runs programs of others against the assemblies of a program that was analysed.

use crate::compile::Compilation;
use crate::declarations::Declarations;
use crate::front_end::CsOrigin;
use crate::loader::Cs;
use crate::process::Stops;
use aback_cil::Table;
use aback_frontend::LoadError;
use aback_ir::Program;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

impl CsOrigin {
    /// The declarations of the program, or of one that shares its tables.
    pub fn declarations<'a>(&'a self, program: &'a Program) -> Declarations<'a> {
        Declarations::new(Cs { program, loader: &self.loader })
    }

    /// The version of the runtime whose class library was read: `10.0.2`.
    pub fn runtime_version(&self) -> Option<&str> {
        self.platform.version()
    }

    /// The files of the program's assemblies and of the libraries of which something was read, besides the class library.
    pub fn assemblies(&self) -> Vec<PathBuf> {
        self.loader.assemblies.outside(&self.platform.library)
    }

    /// The names of the user's own assemblies.
    pub fn own_assemblies(&self) -> Vec<&str> {
        let assemblies = &self.loader.assemblies;
        assemblies.own().into_iter().map(|id| assemblies.assembly(id).name()).collect()
    }

    /// The line of the code before an offset of a method, where the code of another line begins at the offset: older
    /// runtimes take the place to which a call returns for the place of the call.
    pub fn line_before(&self, assembly: &str, token: u32, offset: u32) -> Option<u32> {
        let assemblies = &self.loader.assemblies;
        let points = assemblies.module(assemblies.named(assembly)?).pdb()?.sequence_points(token & 0x00ff_ffff);
        let begins = points.iter().any(|point| point.offset == offset);
        let before = points.iter().rfind(|point| point.offset < offset && point.position.is_some());
        before.filter(|_| begins)?.position.as_ref().map(|position| position.start_line)
    }

    /// The folders in which assemblies are looked for.
    pub fn folders(&self) -> &[PathBuf] {
        self.loader.assemblies.folders()
    }

    /// The program that runs all others of the installation; `None` if it has none.
    pub fn host(&self) -> Option<PathBuf> {
        self.platform.host()
    }

    /// The folder of the installation.
    pub fn root(&self) -> &Path {
        self.platform.root()
    }

    /// Whether the installation has a compiler.
    pub fn has_compiler(&self) -> bool {
        self.platform.compiler().is_some()
    }

    /// What the user named: sources, projects and assemblies.
    pub fn inputs(&self) -> &[PathBuf] {
        &self.inputs
    }

    /// Whether the code of a program outside of all types is its entry point, as its sources say.
    pub fn has_top_level_code(&self) -> bool {
        let assemblies = &self.loader.assemblies;
        assemblies.own().into_iter().map(|id| assemblies.assembly(id)).any(|read| {
            let main = read.entry_point().filter(|token| token.table() == Some(Table::MethodDef));
            main.is_some_and(|main| read.method_name(main.row()) == Ok("<Main>$"))
        })
    }

    /// Compiles sources to an assembly with this name, against the program's assemblies and `others`. Returns the path of the
    /// assembly, which is in the folder `work`; `None` if the installation has no compiler.
    ///
    /// # Errors
    /// The sources have errors, the compiler fails, or it was stopped.
    pub fn compile(
        &self,
        name: &str,
        sources: &[PathBuf],
        others: &[PathBuf],
        work: &Path,
        deadline: Option<Instant>,
        interrupt: &AtomicBool,
    ) -> Result<Option<PathBuf>, LoadError> {
        let Some(sdk) = self.platform.compiler() else { return Ok(None) };
        let stops = Stops { deadline, interrupt };
        let references = self.assemblies().into_iter().chain(others.iter().cloned()).collect();
        let compilation = Compilation { sdk: &sdk, sources, references, name, work, cache: None, stops };
        compilation.compile().map(Some)
    }
}
