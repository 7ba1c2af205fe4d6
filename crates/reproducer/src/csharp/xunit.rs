//! Finds xUnit: beside the program's assemblies, or in the folders of NuGet.

use aback_frontend::{FoundTool, Tool};
use aback_lang_csharp::CsOrigin;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The assemblies that tests use, with the packages that have them.
const PARTS: [(&str, &str); 2] = [("xunit.assert.dll", "xunit.assert"), ("xunit.core.dll", "xunit.extensibility.core")];
/// The version of the packages that is looked for: newer ones have other names.
const MAJOR: u32 = 2;
/// The names of the files that name folders of packages.
const CONFIGURATIONS: [&str; 3] = ["nuget.config", "NuGet.config", "NuGet.Config"];

/// The xUnit that tests are compiled and run with.
pub(super) struct Xunit {
    pub(super) assemblies: Vec<PathBuf>,
}

impl Xunit {
    /// The assemblies beside those of the program and of its libraries, or else those of the newest packages. Packages that are
    /// not unpacked are unpacked into `folder`.
    pub(super) fn find(origin: &CsOrigin, folder: &Path) -> Option<Xunit> {
        let beside = |place: &PathBuf| {
            let paths = PARTS.map(|(name, _)| place.join(name));
            paths.iter().all(|path| path.is_file()).then(|| paths.to_vec())
        };
        if let Some(assemblies) = origin.folders().iter().find_map(beside) {
            return Some(Xunit { assemblies });
        }
        let places = places(origin);
        let newest = origin.runtime_version().and_then(|version| version.split('.').next()?.parse().ok()).unwrap_or(0);
        let found = PARTS.map(|(assembly, package)| {
            let mut versions: Vec<_> = places.iter().flat_map(|place| packages(place, package)).collect();
            versions.sort();
            versions.iter().rev().find_map(|(_, package)| package.assembly(assembly, newest, folder))
        });
        found.into_iter().collect::<Option<_>>().map(|assemblies| Xunit { assemblies })
    }
}

/// The folders in which packages can be: those of the user, those that configurations name, and the one beside the SDK.
fn places(origin: &CsOrigin) -> Vec<PathBuf> {
    let mut places = places_of_user();
    let mut above = BTreeSet::new();
    for input in origin.inputs() {
        let input = std::path::absolute(input).unwrap_or_else(|_| input.clone());
        above.extend(input.ancestors().skip(1).map(Path::to_path_buf));
    }
    above.extend(home().map(|home| home.join(".nuget/NuGet")));
    for folder in above {
        for text in CONFIGURATIONS.iter().filter_map(|name| std::fs::read_to_string(folder.join(name)).ok()) {
            places.extend(named(&text).map(|place| folder.join(place)));
        }
    }
    places.push(origin.root().join("nuget"));
    places
}

/// The folders in which NuGet keeps what it has downloaded for the user.
fn places_of_user() -> Vec<PathBuf> {
    let named = std::env::var_os("NUGET_PACKAGES").map(PathBuf::from);
    named.into_iter().chain(home().map(|home| home.join(".nuget/packages"))).collect()
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from)
}

/// The packages of the user.
pub(crate) fn tool() -> Tool {
    let places = places_of_user();
    let missing = || {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        format!("there is no {}; `dotnet restore` in a project makes it", places.join(" or "))
    };
    Tool {
        name: "NuGet's packages",
        purpose: "libraries of C# projects, and xUnit",
        found: places
            .iter()
            .find(|place| place.is_dir())
            .ok_or_else(missing)
            .map(|place| FoundTool { version: None, path: place.clone() }),
    }
}

/// The folders that a configuration names: all values that are no addresses.
fn named(text: &str) -> impl Iterator<Item = &str> {
    text.split("value=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'))
        .map(|(value, _)| value)
        .filter(|value| !value.contains("://"))
}

/// A package: a folder in which it is unpacked, or a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Package {
    File(PathBuf),
    Folder(PathBuf),
}

/// The packages with a name in a folder, with their versions.
fn packages(place: &Path, name: &str) -> Vec<(Vec<u32>, Package)> {
    let mut found = Vec::new();
    let entries =
        |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    for path in entries(place) {
        let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
        let text =
            file.strip_suffix(".nupkg").and_then(|rest| rest.strip_prefix(name)?.strip_prefix('.').map(str::to_string));
        found.extend(text.and_then(|text| Some((version(&text)?, Package::File(path)))));
    }
    for path in entries(&place.join(name)) {
        let Some(version) = path.file_name().and_then(|name| version(name.to_str()?)) else { continue };
        let number = version.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        let file = path.join(format!("{name}.{number}.nupkg"));
        let package =
            if path.join("lib").is_dir() || !file.is_file() { Package::Folder(path) } else { Package::File(file) };
        found.push((version, package));
    }
    found
}

/// The numbers of a version that tests can use; `None` for a preview.
fn version(text: &str) -> Option<Vec<u32>> {
    let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
    numbers.filter(|numbers| numbers.first() == Some(&MAJOR))
}

impl Package {
    /// The assembly with a name for the newest framework that a .NET of this version has.
    fn assembly(&self, name: &str, newest: u32, folder: &Path) -> Option<PathBuf> {
        match self {
            Package::Folder(package) => {
                let frameworks =
                    std::fs::read_dir(package.join("lib")).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
                let ranked = frameworks.filter_map(|path| {
                    let assembly = Some(path.join(name)).filter(|path| path.is_file())?;
                    Some((rank(path.file_name()?.to_str()?, newest)?, assembly))
                });
                ranked.max().map(|(_, path)| path)
            }
            Package::File(package) => {
                let mut archive = zip::ZipArchive::new(File::open(package).ok()?).ok()?;
                let names = archive.file_names().filter_map(|entry| {
                    let entry = entry.ok()?;
                    let framework = entry.strip_prefix("lib/")?.strip_suffix(name)?.strip_suffix('/')?;
                    Some((rank(framework, newest)?, entry.to_string()))
                });
                let (_, entry) = names.max()?;
                let path = folder.join(name);
                std::io::copy(&mut archive.by_name(&entry).ok()?, &mut File::create(&path).ok()?).ok()?;
                Some(path)
            }
        }
    }
}

/// The order of frameworks, the best one last; `None` if the runtime does not have it.
fn rank(framework: &str, newest: u32) -> Option<(bool, u32, u32)> {
    let standard = framework.strip_prefix("netstandard");
    let (major, minor) = standard.or_else(|| framework.strip_prefix("net"))?.split_once('.')?;
    let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
    (standard.is_some() || major <= newest).then_some((standard.is_none(), major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frameworks_have_an_order() {
        let mut all = ["netstandard1.1", "net6.0", "netstandard2.0", "net9.0", "net452", "net8.0", "lib"];
        all.sort_by_key(|framework| rank(framework, 8));
        assert_eq!(all[3..], ["netstandard1.1", "netstandard2.0", "net6.0", "net8.0"]);
    }

    #[test]
    fn packages_are_found_in_each_layout() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        for path in
            ["xunit.assert/2.9.3/lib/net6.0", "xunit.assert/2.4.0", "xunit.assert/3.0.0", "xunit.assert/2.9.4-pre.1"]
        {
            std::fs::create_dir_all(place.join(path)).unwrap();
        }
        for path in [
            "Xunit.Assert.2.8.0.nupkg",
            "xunit.assert/2.4.0/xunit.assert.2.4.0.nupkg",
            "xunit.assert.source.2.9.3.nupkg",
        ] {
            std::fs::write(place.join(path), "").unwrap();
        }
        let mut found = packages(place, "xunit.assert");
        found.sort();
        let expected = [
            (vec![2, 4, 0], Package::File(place.join("xunit.assert/2.4.0/xunit.assert.2.4.0.nupkg"))),
            (vec![2, 8, 0], Package::File(place.join("Xunit.Assert.2.8.0.nupkg"))),
            (vec![2, 9, 3], Package::Folder(place.join("xunit.assert/2.9.3"))),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn configurations_name_folders() {
        let text = r#"<add key="a" value="https://x/y.json" /><add key="b" value="../packages" />"#;
        assert_eq!(named(text).collect::<Vec<_>>(), ["../packages"]);
    }
}
