//! Builds a project with the SDK.

use crate::compile::folder_of;
use crate::messages::{self, Message};
use crate::platform::Sdk;
use crate::process::{self, temporary};
use aback_frontend::{LoadConfig, LoadError};
use std::path::{Path, PathBuf};

/// Lets the build of the project write which assemblies it made: one for each framework.
const REPORT: &str = r#"<Project>
  <Target Name="AbackReport" AfterTargets="Build" Condition="'$(MSBuildProjectFullPath)' == '$(AbackProject)'">
    <WriteLinesToFile File="$(AbackReport)"
      Lines="$([MSBuild]::Escape('$(TargetFrameworkIdentifier) $(TargetFrameworkVersion) $(TargetPath)'))" />
  </Target>
</Project>
"#;

/// The reason why a project has no assembly.
pub(crate) enum NotBuilt {
    /// The SDK cannot get the packages that the project needs. The code of the project may be correct.
    Packages(String),
    /// Any other reason.
    Failed(LoadError),
}

impl From<LoadError> for NotBuilt {
    fn from(error: LoadError) -> Self {
        NotBuilt::Failed(error)
    }
}

/// Builds a project. `work` is an empty folder created by aback, which gets all files that the build makes. Returns
/// the path of the assembly of the project, which has the other assemblies that it needs beside it.
///
/// # Errors
/// The build has errors or fails, or it was stopped.
pub(crate) fn build(sdk: &Sdk, project: &Path, work: &Path, config: &LoadConfig) -> Result<PathBuf, NotBuilt> {
    if !sdk.builds_projects() {
        return Err(NotBuilt::Failed(LoadError::Platform(format!(
            "{} must be built, and {} is too old: install a .NET SDK 8 or later, or give compiled .dll or .exe files",
            project.display(),
            sdk.folder.display()
        ))));
    }
    let unreadable = |source| LoadError::Unreadable { path: project.to_path_buf(), source };
    let given = folder_of(project);
    let folder = given.canonicalize().map_err(unreadable)?;
    let absolute = folder.join(project.file_name().unwrap_or_default());
    let (targets, report) = (work.join("report.targets"), work.join("report"));
    std::fs::write(&targets, REPORT).map_err(temporary)?;
    // The compiler takes the longest prefix, and the names of the user's files become what the user calls them.
    let current = std::env::current_dir().and_then(|folder| folder.canonicalize()).ok();
    let mut names = vec![(folder.clone(), given.to_path_buf())];
    names.extend(current.filter(|current| *current != folder).map(|current| (current, PathBuf::from("."))));
    let path_map = names.iter().filter(|(_, name)| name.is_relative()).map(|(folder, name)| {
        let escaped = |path: &Path| path.to_string_lossy().replace(',', ",,").replace('=', "==");
        format!("{}={}", escaped(folder), escaped(name))
    });
    let path_map = path_map.collect::<Vec<_>>().join(",");

    let mut command = process::host(sdk, work);
    command.current_dir(&folder).arg("build").arg(&absolute).args(["-nologo", "-v:q", "-c", "Debug"]);
    command.arg("--artifacts-path").arg(work.join("artifacts"));
    // One process, so that none stays behind. A compiler that waits for further requests would be another.
    command.args(["-m:1", "-nodeReuse:false", "-p:UseSharedCompilation=false"]);
    // What does not change the code is left out.
    command.args(["-p:NuGetAudit=false", "-p:RunAnalyzers=false", "-p:ErrorEndLocation=true"]);
    for (property, value) in [
        ("CustomAfterMicrosoftCommonTargets", targets.to_string_lossy()),
        ("AbackProject", absolute.to_string_lossy()),
        ("AbackReport", report.to_string_lossy()),
        ("PathMap", path_map.into()),
    ] {
        command.arg(format!("-p:{property}={}", escape(&value)));
    }
    let ended = process::run(command, work, config.into())?;
    if !ended.status.success() {
        let errors = messages::parse(&ended.said);
        if errors.is_empty() {
            let host = sdk.host.display();
            let said = ended.said.trim();
            let status = ended.status;
            let said = format!("{host} build {} failed ({status}): {said}", project.display());
            return Err(NotBuilt::Failed(LoadError::Platform(said)));
        }
        if let Some(first) = errors.first().filter(|_| errors.iter().all(Message::is_about_packages)) {
            let (project, said) = (project.display(), first.shown());
            return Err(NotBuilt::Packages(format!(
                "{project} needs packages that the SDK cannot get: {said}; `dotnet restore {project}` shows more, and gets \
                 them where it can"
            )));
        }
        let shown = |path: &Path| {
            let name = names.iter().find_map(|(folder, name)| Some((path.strip_prefix(folder).ok()?, name)));
            name.map_or_else(
                || path.to_path_buf(),
                |(rest, name)| if name == Path::new(".") { rest.to_path_buf() } else { name.join(rest) },
            )
        };
        return Err(NotBuilt::Failed(messages::invalid(errors, shown)));
    }
    let made = std::fs::read_to_string(&report).unwrap_or_default();
    newest(&made).ok_or_else(|| {
        let said = format!("{} was built, but the build made no assembly", project.display());
        NotBuilt::Failed(LoadError::Platform(said))
    })
}

/// The assembly for the newest framework. Frameworks other than .NET count less.
fn newest(report: &str) -> Option<PathBuf> {
    let assemblies = report.lines().filter_map(|line| {
        let mut parts = line.trim_start_matches('\u{feff}').splitn(3, ' ');
        let (framework, version, path) = (parts.next()?, parts.next()?, PathBuf::from(parts.next()?));
        let version: Vec<u32> =
            version.trim_start_matches('v').split('.').filter_map(|part| part.parse().ok()).collect();
        path.is_file().then_some((framework == ".NETCoreApp", version, path))
    });
    assemblies.max().map(|(_, _, path)| path)
}

/// Escapes the characters of a property that have a meaning for MSBuild.
fn escape(value: &str) -> String {
    let mut escaped = String::new();
    for c in value.chars() {
        match c {
            '%' | '*' | '?' | '@' | '$' | '(' | ')' | ';' | '\'' | ',' | '"' => {
                escaped.push_str(&format!("%{:02X}", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    escaped
}
