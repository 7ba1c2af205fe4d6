//! Tests of `doctor`.

use crate::{Place, Ran, files};
use insta::assert_snapshot;
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

/// Runs `doctor` where nothing is found but what is in the folder: programs in `bin`, and the home of the user.
#[track_caller]
fn alone(place: &Place, options: &str) -> Ran {
    let mut command = place.command(&format!("doctor --java-home jdk --dotnet-root dotnet {options}"));
    command.env("PATH", place.path("bin")).env("HOME", place.path(""));
    for name in ["JAVA_HOME", "DOTNET_ROOT", "NUGET_PACKAGES", "GRADLE_USER_HOME"] {
        command.env_remove(name);
    }
    place.finish(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()).ends(0)
}

/// The lines, without what depends on the machine: the library of Z3, and JUnit, which Debian puts into a fixed folder.
fn lines(ran: &Ran) -> String {
    let masked = ran.stdout.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    let line = |line: &str| match line {
        line if line.contains(" JUnit") => "(JUnit)".to_string(),
        line if line.starts_with("found    Z3 library ") => "found    Z3 library (…)".to_string(),
        line => line.to_string(),
    };
    masked.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Writes a program.
fn program(place: &Place, name: &str, text: &str) {
    place.write(name, text.as_bytes());
    std::fs::set_permissions(place.path(name), PermissionsExt::from_mode(0o755)).unwrap();
}

#[test]
fn nothing_but_z3_is_found() {
    assert_snapshot!(lines(&alone(&files([]), "")));
}

#[test]
fn tools_are_found_with_their_versions() {
    let place = files([
        ("jdk/release", "JAVA_VERSION=\"17.0.15\"\n"),
        ("dotnet/shared/Microsoft.NETCore.App/10.0.2/System.Runtime.dll", ""),
        ("dotnet/sdk/10.0.100/Roslyn/bincore/csc.dll", ""),
        (".m2/repository/a", ""),
        (".gradle/caches/modules-2/files-2.1/a", ""),
        (".nuget/packages/a", ""),
    ]);
    for name in ["jdk/bin/javac", "dotnet/dotnet"] {
        program(&place, name, "#!/bin/sh\n");
    }
    program(&place, "bin/z3", "#!/bin/sh\nread command && echo '(:version \"4.8.12 - build 7\")'\n");
    program(&place, "bin/cvc5", "#!/bin/sh\nread command && echo '(error \"unknown\")'\n");
    assert_snapshot!(lines(&alone(&place, "")));
}

#[test]
fn a_document_says_the_same() {
    let document = alone(&files([]), "--json").json();
    assert_eq!(document["aback"], env!("CARGO_PKG_VERSION"));
    let tools = document["tools"].as_array().unwrap();
    assert_eq!((&tools[0]["name"], &tools[0]["found"]), (&"Z3 library".into(), &true.into()));
    assert!(tools[0]["version"].as_str().is_some_and(|version| version.contains('.')), "{document}");
    let jdk = tools.iter().find(|tool| tool["name"] == "JDK").unwrap();
    assert_eq!(jdk["found"], false);
    assert!(jdk["missing"].as_str().is_some_and(|missing| missing.contains("JDK 17 to 25")), "{document}");
}

/// The JDK of the environment is the one with which programs are checked.
#[test]
fn the_environment_counts() {
    let document = files([]).run("doctor --json").ends(0).json();
    let jdk = document["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "JDK").unwrap();
    assert_eq!(jdk["found"], true, "{document}");
    let place = files([]);
    let mut command = place.command("doctor");
    command.env("JAVA_HOME", "nowhere").env("PATH", "nowhere").stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = place.finish(command.spawn().unwrap()).ends(0);
    ran.says("missing  JDK, for Java class files and jars: there are no Java classes at nowhere");
}
