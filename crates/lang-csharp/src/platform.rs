//! Finds the class library and the compiler.

use aback_frontend::{FoundTool, Tool, has_extension};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// What the user can do where there is no compiler.
const INSTALL: &str = "install a .NET SDK 8 or later (see https://dot.net/download; on Ubuntu: apt-get install \
                       dotnet-sdk-10.0), set DOTNET_ROOT to its folder";

/// The first version of the SDK that can write all its files to another folder.
const HAS_ARTIFACTS_PATH: u32 = 8;

/// An installation of .NET.
pub(crate) struct Platform {
    root: PathBuf,
    /// The folder with the implementation of the class library, of the newest runtime.
    pub(crate) library: PathBuf,
    /// The folder of the newest SDK.
    sdk: Option<PathBuf>,
}

/// A compiler with what runs it.
pub(crate) struct Sdk<'a> {
    pub(crate) platform: &'a Platform,
    /// The program that runs all others of the installation.
    pub(crate) host: PathBuf,
    /// The folder of the SDK, whose name is its version.
    pub(crate) folder: &'a Path,
}

impl Platform {
    /// The installation at `configured`; otherwise the first one with what is needed: that of `DOTNET_ROOT`, those of
    /// the `dotnet` on `PATH`, and the `.dotnet` that `make setup` puts beside the sources of aback.
    ///
    /// # Errors
    /// What is missing, as the end of a message for users.
    pub(crate) fn find(
        configured: Option<&Path>,
        needs_compiler: bool,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Platform, String> {
        let roots = match configured {
            Some(root) => vec![root.to_path_buf()],
            None => roots(environment),
        };
        let place = configured.map_or("DOTNET_ROOT or on PATH".to_string(), |root| root.display().to_string());
        let mut found = roots.into_iter().filter_map(Platform::at).peekable();
        if found.peek().is_none() && !needs_compiler {
            return Err(format!(
                "there is none in {place}: {INSTALL}, or, in the folder of aback's own sources, run `make setup`"
            ));
        }
        found
            .find(|platform| !needs_compiler || platform.compiler().is_some())
            .ok_or_else(|| format!("there is no .NET SDK in {place}: {INSTALL}, or give compiled .dll or .exe files"))
    }

    fn at(root: PathBuf) -> Option<Platform> {
        let library = newest(&root.join("shared/Microsoft.NETCore.App"), |_| true)?;
        let sdk = newest(&root.join("sdk"), |sdk| csc(sdk).is_file());
        Some(Platform { root, library, sdk })
    }

    pub(crate) fn compiler(&self) -> Option<Sdk<'_>> {
        let folder = self.sdk.as_deref()?;
        Some(Sdk { platform: self, host: self.host()?, folder })
    }

    /// The program that runs all others of the installation.
    pub(crate) fn host(&self) -> Option<PathBuf> {
        Some(self.root.join("dotnet")).filter(|host| is_executable(host))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The version of the runtime.
    pub(crate) fn version(&self) -> Option<&str> {
        self.library.file_name()?.to_str()
    }

    /// The assemblies against which sources are compiled. They describe the library with which the program is
    /// analysed, so that every member that the compiler finds exists there.
    pub(crate) fn references(&self) -> Vec<PathBuf> {
        let own = version(&self.library);
        let is_same = |pack: &Path| version(pack).zip(own.clone()).is_some_and(|(pack, own)| pack[..2] == own[..2]);
        let pack = newest(&self.root.join("packs/Microsoft.NETCore.App.Ref"), is_same);
        let described = pack.into_iter().flat_map(|pack| entries(&pack.join("ref"))).map(|folder| assemblies(&folder));
        described.filter(|found| !found.is_empty()).max().unwrap_or_else(|| assemblies(&self.library))
    }
}

impl Sdk<'_> {
    pub(crate) fn csc(&self) -> PathBuf {
        csc(self.folder)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.platform.root
    }

    /// Whether it can write all files of a build to another folder.
    pub(crate) fn builds_projects(&self) -> bool {
        self.major() >= HAS_ARTIFACTS_PATH
    }

    /// The first number of the version.
    pub(crate) fn major(&self) -> u32 {
        version(self.folder).and_then(|version| version.first().copied()).unwrap_or(0)
    }
}

/// The tools of the installation at `configured`, or of those which the environment gives: sources and assemblies may
/// use two.
pub(crate) fn tools(configured: Option<&Path>) -> Vec<Tool> {
    let find = |needs_compiler| Platform::find(configured, needs_compiler, |name| std::env::var_os(name));
    let (library, compiler) = (find(false), find(true));
    let classes = library
        .as_ref()
        .map_err(String::clone)
        .map(|platform| FoundTool { version: platform.version().map(String::from), path: platform.library.clone() });
    let sdk = compiler.as_ref().map(Platform::compiler).map_err(String::clone);
    let is_old = matches!(&sdk, Ok(Some(sdk)) if !sdk.builds_projects());
    let sdk = sdk.and_then(|sdk| {
        let folder = sdk.ok_or("it does not run")?.folder.to_path_buf();
        Ok(FoundTool { version: folder.file_name().map(|name| name.to_string_lossy().into_owned()), path: folder })
    });
    let host = match library.as_ref().map(|platform| (platform, platform.host())) {
        Ok((platform, Some(path))) => Ok(FoundTool { version: platform.version().map(String::from), path }),
        Ok((platform, None)) => Err(format!("there is no program `dotnet` in {}: {INSTALL}", platform.root.display())),
        Err(_) => Err("it belongs to .NET".into()),
    };
    let uses = match is_old {
        false => "C# sources and projects, unit tests, and --assume and --models for C#",
        true => "C# sources (projects need an SDK 8 or later), unit tests, and --assume and --models for C#",
    };
    vec![
        Tool { name: ".NET class library", purpose: "C# assemblies", found: classes },
        Tool { name: ".NET SDK", purpose: uses, found: sdk },
        Tool { name: "dotnet", purpose: "--confirm for C#", found: host },
    ]
}

fn csc(sdk: &Path) -> PathBuf {
    sdk.join("Roslyn/bincore/csc.dll")
}

/// The folders that may be installations, where the user names none.
fn roots(environment: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let named = environment("DOTNET_ROOT").filter(|root| !root.is_empty()).map(PathBuf::from);
    let path = environment("PATH").unwrap_or_default();
    // The program on PATH may be a link into the installation.
    let on_path = std::env::split_paths(&path).filter_map(|folder| {
        let host = Some(folder.join("dotnet")).filter(|host| is_executable(host))?.canonicalize().ok()?;
        host.parent().map(Path::to_path_buf)
    });
    let tool = std::env::current_exe().ok();
    let built = tool.iter().flat_map(|tool| tool.ancestors()).find(|folder| folder.ends_with("target"));
    let beside = built.and_then(Path::parent).map(|sources| sources.join(".dotnet"));
    named.into_iter().chain(on_path).chain(beside).collect()
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten();
    found.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// The assemblies in a folder, in the order of their names.
fn assemblies(folder: &Path) -> Vec<PathBuf> {
    let mut found = entries(folder);
    found.retain(|file| has_extension(file, &["dll"]));
    found.sort();
    found
}

/// The version that the name of a folder is. It has at least two numbers.
fn version(folder: &Path) -> Option<Vec<u32>> {
    let name = folder.file_name()?.to_str()?.split('-').next()?;
    let version: Option<Vec<u32>> = name.split('.').map(|part| part.parse().ok()).collect();
    version.filter(|version| version.len() >= 2)
}

/// The suitable subfolder with the highest version as its name.
fn newest(folder: &Path, is_suitable: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let suitable = entries(folder).into_iter().filter(|path| path.is_dir() && is_suitable(path));
    let is_release = |path: &Path| path.file_name().is_some_and(|name| !name.to_string_lossy().contains('-'));
    suitable.filter_map(|path| Some((version(&path)?, is_release(&path), path))).max().map(|(_, _, path)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(root: &Path, needs_compiler: bool, expected: &str) {
        let environment = |name: &str| (name == "DOTNET_ROOT").then(|| root.into());
        match Platform::find(None, needs_compiler, environment) {
            Ok(found) => assert_eq!(found.library, root.join(expected)),
            Err(message) => assert!(message.contains(expected), "{message}"),
        }
    }

    #[test]
    fn an_installation_is_used_for_what_it_has() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        // The tests may run beside a `.dotnet`, which has no compiler.
        check(root, true, "no .NET SDK in DOTNET_ROOT or on PATH: install a .NET SDK 8 or later");
        for version in ["9.0.11", "10.0.2", "10.0.2-preview.1", "9.0.9"] {
            std::fs::create_dir_all(root.join("shared/Microsoft.NETCore.App").join(version)).unwrap();
        }
        check(root, false, "shared/Microsoft.NETCore.App/10.0.2");
        check(root, true, "or give compiled .dll or .exe files");
        let sdk = root.join("sdk/10.0.100/Roslyn/bincore");
        std::fs::create_dir_all(&sdk).unwrap();
        std::fs::write(sdk.join("csc.dll"), "").unwrap();
        std::fs::write(root.join("dotnet"), "").unwrap();
        std::fs::set_permissions(root.join("dotnet"), PermissionsExt::from_mode(0o755)).unwrap();
        check(root, true, "shared/Microsoft.NETCore.App/10.0.2");
    }
}
