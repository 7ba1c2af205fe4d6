//! Which files are programs, and what is said of those that are none.

use aback_frontend::{FrontEnd, LoadConfig, LoadError, Loaded, files_within};
use aback_ir::Severity;
use aback_lang_csharp::CsFrontEnd;
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MAIN: &str = "class Main { static int one() { return 1; } }";
const PROJECT: &str = r#"<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<TargetFramework>netFRAMEWORK</TargetFramework><ImplicitUsings>enable</ImplicitUsings>
</PropertyGroup></Project>"#;

/// The folder of the newest SDK. Tests that need one say that they are skipped where there is none.
fn sdk() -> Option<PathBuf> {
    let root = std::env::var_os("DOTNET_ROOT").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).filter_map(|folder| folder.join("dotnet").canonicalize().ok());
    let roots = root.into_iter().chain(on_path.filter_map(|host| Some(host.parent()?.to_path_buf())));
    let found = roots.filter_map(|root| std::fs::read_dir(root.join("sdk")).ok()).find_map(|sdks| {
        let major = |sdk: &PathBuf| sdk.file_name()?.to_str()?.split('.').next()?.parse::<u32>().ok();
        sdks.filter_map(|sdk| Some(sdk.ok()?.path())).filter(|sdk| major(sdk).is_some()).max_by_key(major)
    });
    if found.is_none() {
        eprintln!("skipped: there is no .NET SDK in DOTNET_ROOT or on PATH");
    }
    found
}

/// A project for the framework of the SDK.
fn project() -> String {
    let version = sdk().and_then(|sdk| Some(sdk.file_name()?.to_str()?.split('.').next()?.to_string()));
    PROJECT.replace("FRAMEWORK", &format!("{}.0", version.unwrap_or_default()))
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    // The name has what command lines and lists of files treat specially.
    let folder = tempfile::Builder::new().prefix("a b,ü;=").tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn load(folder: &Path, paths: &[&str], config: &LoadConfig) -> Result<Loaded, LoadError> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| folder.join(path)).collect();
    CsFrontEnd.load(&paths, config)
}

/// An error in a source is `file:line:column+length: text`.
fn show(error: &LoadError) -> String {
    let LoadError::Invalid { program, diagnostics } = error else { return error.to_string() };
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let shown = errors.map(|diagnostic| {
        let span = diagnostic.span;
        let file = program.file(span.file).map(|file| file.path.display().to_string()).unwrap_or_default();
        format!("{file}:{}:{}+{}: {}\n", span.line, span.column, span.length, diagnostic.message)
    });
    shown.collect()
}

/// Checks that `paths` are a program with these classes, or have the error, and that the folder stays as it is.
#[track_caller]
fn check(files: &[(&str, &str)], paths: &[&str], expected: Result<&[&str], &str>) {
    if sdk().is_none() {
        return;
    }
    let folder = folder(files);
    match (load(folder.path(), paths, &LoadConfig::default()), expected) {
        (Ok(loaded), Ok(classes)) => {
            for class in classes {
                assert!(loaded.program.class_named(class).is_some(), "no {class}");
            }
        }
        (Err(error), Err(expected)) => {
            let shown = show(&error).replace(&format!("{}/", folder.path().display()), "");
            assert!(shown.contains(expected), "{shown}");
        }
        (Ok(_), Err(expected)) => panic!("no error: {expected}"),
        (Err(error), Ok(_)) => panic!("{}", show(&error)),
    }
    assert_eq!(files_within(folder.path()).unwrap().len(), files.len());
}

#[test]
fn sources_are_one_program() {
    check(&[("Main.cs", MAIN)], &["Main.cs"], Ok(&["Main"]));
    let two = [("A.cs", "class A { B b; }"), ("b/B.cs", "class B { A a; }"), ("obj/A.cs", "class A { }")];
    check(&two, &["A.cs", "b/B.cs", "A.cs"], Ok(&["A", "B"]));
    check(&two, &[""], Ok(&["A", "B"]));
}

#[test]
fn sources_need_no_entry_point_and_no_usings() {
    check(&[("A.cs", "class A { static void Main() { } static List<int> l; }")], &["A.cs"], Ok(&["A"]));
    check(&[("A.cs", "Console.WriteLine(args.Length); class A { }")], &["A.cs"], Ok(&["A"]));
    check(&[("A.cs", "class A { /* Main() */ unsafe int* p; }")], &["A.cs"], Ok(&["A"]));
    let mains = "class A { static void Main() { } } class B { static void Main() { } }";
    check(&[("A.cs", mains)], &["A.cs"], Ok(&["A", "B"]));
}

#[test]
fn errors_in_sources_have_places() {
    let wrong = "class A {\n    int ä() { return \"one\"; }\n}\n";
    let expected = "A.cs:2:22+5: Cannot implicitly convert type 'string' to 'int' (CS0029)";
    check(&[("A.cs", wrong)], &["A.cs"], Err(expected));
    check(&[("A.csproj", &project()), ("A.cs", wrong)], &[""], Err(expected));
    check(&[("A.cs", "class A : None { List<int> l; }")], &["A.cs"], Err("A.cs:1:11+4: The type or namespace"));
}

#[test]
fn a_folder_with_a_project_is_that_project() {
    let project = project();
    let library = project.replace("</Project>", r#"<ItemGroup><Compile Remove="App/**" /></ItemGroup></Project>"#);
    let reference = r#"<ItemGroup><ProjectReference Include="../Lib.csproj" /></ItemGroup></Project>"#;
    let files = [
        ("Lib.csproj", &*library),
        ("Lib.cs", "public class Lib { public List<int> list; }"),
        ("bin/Debug/Old.dll", "old"),
        ("obj/Debug/Old.cs", "old"),
        ("App/App.csproj", &project.replace("</Project>", reference)),
        ("App/App.cs", "class App { Lib lib = new Lib(); }"),
    ];
    check(&files, &[""], Ok(&["Lib"]));
    check(&files, &["App/App.csproj"], Ok(&["App"]));
    let several = [("a/A.csproj", &*project), ("b/B.csproj", &*project)];
    check(&several, &[""], Err("has several projects: a/A.csproj, b/B.csproj; name one of them"));
}

#[test]
fn assemblies_stand_beside_programs_for_the_processor() {
    if sdk().is_none() {
        return;
    }
    let folder = folder(&[("Native.dll", "MZ, and nothing")]);
    let load = |path| load(folder.path(), &[path], &LoadConfig::default());
    let said = |path| show(&load(path).err().unwrap());
    assert!(said("Native.dll").contains("Native.dll: "), "{}", said("Native.dll"));
    assert!(said("").contains("Native.dll is ignored: "), "{}", said(""));
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cil/tests/assemblies/Sample.dll");
    std::fs::copy(sample, folder.path().join("Sample.dll")).unwrap();
    let loaded = load("").ok().unwrap();
    let [warning] = &loaded.warnings[..] else { panic!("{:?}", loaded.warnings) };
    assert!(warning.message.contains("Native.dll is ignored: "), "{}", warning.message);
}

#[test]
fn an_installation_without_a_compiler_is_said() {
    let folder = folder(&[("Main.cs", MAIN)]);
    let config = LoadConfig { platform: Some(folder.path().into()), ..LoadConfig::default() };
    let said = show(&load(folder.path(), &["Main.cs"], &config).err().unwrap());
    assert!(said.contains("install a .NET SDK 8 or later"), "{said}");
}

/// An installation like that of the SDK, whose programs do not end: how fast a compiler is does not matter.
fn endless(sdk: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(sdk.ancestors().nth(2).unwrap()).unwrap() {
        let entry = entry.unwrap();
        if entry.file_name() != "dotnet" {
            symlink(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let host = folder.path().join("dotnet");
    std::fs::write(&host, "#!/bin/sh\nexec sleep 60\n").unwrap();
    std::fs::set_permissions(&host, Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
fn a_compiler_is_stopped() {
    let Some(sdk) = sdk() else { return };
    let folder = folder(&[("A.csproj", &project()), ("Main.cs", MAIN)]);
    let endless = endless(&sdk);
    let platform = Some(endless.path().to_path_buf());
    for path in ["Main.cs", "A.csproj"] {
        let interrupted = LoadConfig { interrupt: Arc::new(AtomicBool::new(true)), ..LoadConfig::default() };
        let late = Instant::now() + Duration::from_millis(100);
        for config in [interrupted, LoadConfig { deadline: Some(late), ..LoadConfig::default() }] {
            let config = LoadConfig { platform: platform.clone(), ..config };
            let start = Instant::now();
            assert!(matches!(load(folder.path(), &[path], &config), Err(LoadError::Stopped)));
            assert!(start.elapsed() < Duration::from_secs(2));
        }
    }
}
