//! Implements the front end for C#.

use crate::assemblies::Assemblies;
use crate::compile::{Compilation, folder_of};
use crate::conditions;
use crate::input::Input;
use crate::loader::{Cs, CsLoader};
use crate::platform::Platform;
use crate::project::{self, NotBuilt};
use crate::{models, platform, process, profile, supplied, synthetic};
use aback_cil::{Assembly, Table};
use aback_frontend::{FrontEnd, LoadConfig, LoadError, Loaded, Origin, Setting, Tool, files_within, has_extension};
use aback_ir::{Diagnostic, MethodId, Program, SourceFile, Span, Trap};
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// The front end for C#: `.cs` sources and `.csproj` projects through the SDK, assemblies, and folders of them.
pub struct CsFrontEnd;

impl FrontEnd for CsFrontEnd {
    fn name(&self) -> &'static str {
        "C#"
    }

    fn key(&self) -> &'static str {
        "csharp"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["cs", "csproj", "dll", "exe"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &["cs", "csproj"]
    }

    fn supports(&self, setting: Setting) -> bool {
        matches!(
            setting,
            Setting::MachineIntegers
                | Setting::AssertMethods
                | Setting::Invariants
                | Setting::ConstructibleInputs
                | Setting::Preconditions
                | Setting::Models
        )
    }

    fn load(&self, paths: &[PathBuf], config: &LoadConfig) -> Result<Loaded, LoadError> {
        let input = Input::at(paths)?;
        let needs_compiler = !input.sources.is_empty() || !input.projects.is_empty();
        let platform = Platform::find(config.platform.as_deref(), needs_compiler, |name| std::env::var_os(name))
            .map_err(|missing| {
                let need = match needs_compiler {
                    true => "C# sources must be compiled",
                    false => "C# programs need the class library of .NET",
                };
                LoadError::Platform(format!("{need}, and {missing}"))
            })?;
        let built = build(&input, &platform, config, "Program")?;
        let left_out = built.without_packages.iter();
        let left_out = left_out.map(|why| Diagnostic::warning(Span::NONE, format!("a project is left out: {why}")));
        let mut own = Own { warnings: left_out.collect(), ..Own::default() };
        for path in &built.assemblies {
            own.add(path, true)?;
        }
        for (path, is_named) in &input.assemblies {
            own.add(path, *is_named)?;
        }
        if own.assemblies.is_empty() {
            let errors = own.warnings.into_iter().map(|warning| Diagnostic::error(warning.span, warning.message));
            return Err(LoadError::Invalid { program: Box::default(), diagnostics: errors.collect() });
        }
        let library = platform.library.clone();
        refuse_newer(&own.assemblies, &platform)?;
        let beside = own.assemblies.iter().filter_map(|(path, _)| path.parent().map(PathBuf::from));
        let folders = library_folders(config).chain(beside).chain([library.clone()]).collect();
        let assemblies = Assemblies::new(folders);
        for (path, assembly) in own.assemblies {
            let id = assemblies.add(&path, assembly, true);
            // It may be in a temporary folder.
            assemblies.module(id).pdb();
        }
        models::add(&assemblies);
        let loader = Arc::new(CsLoader::new(assemblies).with_trusted_nullness(config.trusted_nullness));
        let of_models = add_models(&loader, &platform, config)?;
        let mut program = Program::new();
        program.set_loader(loader.clone());
        let traps = Trap::ALL.map(|trap| {
            let class =
                Cs { program: &program, loader: &loader }.library_class("System", synthetic::exceptions::class(trap));
            class.map(|class| (trap, class))
        });
        for found in traps {
            let (trap, class) = found.map_err(|what| LoadError::Platform(format!("{}: {what}", library.display())))?;
            program.set_trap_class(trap, class);
        }
        let profile = profile::profile(Cs { program: &program, loader: &loader }, &loader);
        program.set_profile(profile);
        supplied::check(Cs { program: &program, loader: &loader }, &library)?;
        Cs { program: &program, loader: &loader }.load_own();
        let inputs = input.paths();
        let sources = input.sources.into_iter().map(|path| {
            let text = std::fs::read(&path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            SourceFile { path, text }
        });
        let folders = built.folders.into_iter().chain(of_models).collect();
        let origin = CsOrigin { platform, loader, inputs, sources: sources.collect(), _built: folders };
        Ok(Loaded { program, warnings: own.warnings, origin: Arc::new(origin) })
    }

    /// The program grows by the conditions and stays the same otherwise.
    fn load_with_preconditions(
        &self,
        _: &[PathBuf],
        config: &LoadConfig,
        loaded: &Loaded,
        entry: MethodId,
    ) -> Result<Loaded, LoadError> {
        let origin: &dyn Any = &*loaded.origin;
        let Some(origin) = origin.downcast_ref::<CsOrigin>() else {
            return Err(LoadError::Precondition("--assume needs a program that was read from files".into()));
        };
        let program = conditions::with_preconditions(&loaded.program, origin, config, entry)?;
        Ok(Loaded { program, warnings: loaded.warnings.clone(), origin: Arc::clone(&loaded.origin) })
    }

    fn tools(&self, platform: Option<&Path>) -> Vec<Tool> {
        platform::tools(platform)
    }
}

/// The assemblies that were made from sources and projects.
#[derive(Default)]
struct Built {
    assemblies: Vec<PathBuf>,
    folders: Vec<TempDir>,
    /// For each project that was left out, why its packages are missing.
    without_packages: Vec<String>,
}

/// Adds the user's models, and returns the folders of what was compiled.
fn add_models(loader: &CsLoader, platform: &Platform, config: &LoadConfig) -> Result<Vec<TempDir>, LoadError> {
    if config.models.is_empty() {
        return Ok(Vec::new());
    }
    let unreadable = |path: &PathBuf| std::fs::metadata(path).err().map(|source| (path.clone(), source));
    if let Some((path, source)) = config.models.iter().find_map(unreadable) {
        return Err(LoadError::Unreadable { path, source });
    }
    let input = Input::at(&config.models)?;
    if platform.compiler().is_none() && !(input.sources.is_empty() && input.projects.is_empty()) {
        return Err(LoadError::Platform("--models needs a .NET SDK to compile the models: set DOTNET_ROOT".into()));
    }
    let built = build(&input, platform, config, supplied::NAME)?;
    if let Some(reason) = built.without_packages.first() {
        return Err(LoadError::Platform(reason.clone()));
    }
    let given = input.assemblies.into_iter().map(|(path, _)| path);
    let assemblies: Vec<PathBuf> = built.assemblies.into_iter().chain(given).collect();
    supplied::add(loader, &assemblies)?;
    Ok(built.folders)
}

/// Compiles the sources to an assembly with this name, and builds the projects. Of several projects, those without their packages are
/// left out.
fn build(input: &Input, platform: &Platform, config: &LoadConfig, name: &str) -> Result<Built, LoadError> {
    let mut built = Built::default();
    let Some(sdk) = platform.compiler() else { return Ok(built) };
    let work = || tempfile::Builder::new().prefix("aback-csharp-").tempdir().map_err(process::temporary);
    for project in &input.projects {
        if config.no_build {
            return Err(LoadError::Platform(format!(
                "{} must be built, which runs what its files say, and that is not allowed: build it, and name its assembly",
                project.display()
            )));
        }
        let work = work()?;
        match project::build(&sdk, project, work.path(), config) {
            Ok(assembly) => {
                built.assemblies.push(assembly);
                built.folders.push(work);
            }
            Err(NotBuilt::Packages(reason)) => built.without_packages.push(reason),
            Err(NotBuilt::Failed(error)) => return Err(error),
        }
    }
    if let (Some(reason), []) = (built.without_packages.first(), &built.assemblies[..]) {
        return Err(LoadError::Platform(reason.clone()));
    }
    if !input.sources.is_empty() {
        let work = work()?;
        let named = input.assemblies.iter().map(|(path, _)| path).chain(&built.assemblies).cloned();
        let references = named.chain(libraries(config)?).collect();
        let compilation = Compilation {
            sdk: &sdk,
            sources: &input.sources,
            references,
            name,
            work: work.path(),
            cache: config.compiled.as_ref(),
            stops: config.into(),
        };
        built.assemblies.push(compilation.compile()?);
        built.folders.push(work);
    }
    Ok(built)
}

/// The folders of the libraries that the user names.
fn library_folders(config: &LoadConfig) -> impl Iterator<Item = PathBuf> {
    config.libraries.iter().map(|path| if path.is_dir() { path.clone() } else { folder_of(path).to_path_buf() })
}

/// The assemblies of the libraries that the user names.
pub(crate) fn libraries(config: &LoadConfig) -> Result<Vec<PathBuf>, LoadError> {
    let mut libraries = Vec::new();
    for path in &config.libraries {
        if path.is_dir() {
            let mut within = files_within(path)?;
            // Libraries for the processor have the same extension, and the compiler rejects them.
            within.retain(|file| {
                let is_assembly = || std::fs::read(file).is_ok_and(|bytes| Assembly::parse(bytes).is_ok());
                file.parent() == Some(path) && has_extension(file, &["dll"]) && is_assembly()
            });
            within.sort();
            libraries.extend(within);
        } else {
            libraries.push(path.clone());
        }
    }
    Ok(libraries)
}

/// Refuses assemblies that were compiled for a newer class library than the one that was found: members are missing
/// there, the methods of `Debug` among them.
fn refuse_newer(assemblies: &[(PathBuf, Assembly)], platform: &Platform) -> Result<(), LoadError> {
    let wanted = |assembly: &Assembly| {
        let references = (1..=assembly.rows(Table::AssemblyRef)).filter_map(|row| assembly.assembly_ref(row).ok());
        references.filter(|one| one.name == "System.Runtime").map(|one| one.version).max()
    };
    let mut known = assemblies.iter().filter_map(|(path, assembly)| Some((path, wanted(assembly)?))).peekable();
    if known.peek().is_none() {
        return Ok(());
    }
    let found = std::fs::read(platform.library.join("System.Runtime.dll")).ok();
    let Some(found) = found.and_then(|bytes| Assembly::parse(bytes).ok()) else { return Ok(()) };
    let Some((path, wanted)) = known.find(|(_, wanted)| *wanted > found.version()) else { return Ok(()) };
    let found = platform.version().unwrap_or("another version");
    // Before .NET 5, the numbers of System.Runtime were its own.
    let wanted = if wanted[0] < 5 { "a newer .NET".into() } else { format!(".NET {}.{}", wanted[0], wanted[1]) };
    Err(LoadError::Platform(format!(
        "{} was compiled for {wanted}, but the class library that was found is that of .NET {found} ({}): \
         set DOTNET_ROOT to a newer .NET",
        path.display(),
        platform.library.display()
    )))
}

/// The assemblies of the program.
#[derive(Default)]
struct Own {
    assemblies: Vec<(PathBuf, Assembly)>,
    warnings: Vec<Diagnostic>,
}

impl Own {
    /// Adds an assembly. The first one of a name counts. One that the user does not name is ignored if it cannot be
    /// read, because folders have programs for the processor with the same extensions.
    fn add(&mut self, path: &Path, is_named: bool) -> Result<(), LoadError> {
        let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable { path: path.into(), source })?;
        let reason = match Assembly::parse(bytes) {
            Ok(assembly) => match self.assemblies.iter().find(|(_, known)| known.name() == assembly.name()) {
                None => {
                    self.assemblies.push((path.to_path_buf(), assembly));
                    return Ok(());
                }
                Some((known, _)) => format!("{} has the same name, and comes first", known.display()),
            },
            Err(error) if is_named => {
                return Err(LoadError::Malformed { path: path.into(), message: format!(" {error}") });
            }
            Err(error) => error.to_string(),
        };
        let message = format!("{} is ignored: {reason}", path.display());
        self.warnings.push(Diagnostic::warning(Span::NONE, message));
        Ok(())
    }
}

/// Where a C# program comes from.
pub struct CsOrigin {
    pub(crate) platform: Platform,
    pub(crate) loader: Arc<CsLoader>,
    /// The files that the user named, or that are in folders that the user named.
    pub(crate) inputs: Vec<PathBuf>,
    /// The sources that were compiled one by one, and not as a project.
    sources: Vec<SourceFile>,
    /// The folders of the built assemblies. Libraries in them are read when they are needed.
    _built: Vec<TempDir>,
}

impl Origin for CsOrigin {
    fn platform(&self) -> Option<(&'static str, String)> {
        Some(("dotnet", self.platform.version()?.to_string()))
    }

    fn sources(&self) -> &[SourceFile] {
        &self.sources
    }
}
