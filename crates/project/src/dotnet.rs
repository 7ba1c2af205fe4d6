//! Finds the projects of a solution (`.sln`), or of a folder with several projects.

use crate::{Project, ProjectError, files, read};
use std::path::{Path, PathBuf};

/// What the project files of tests name.
const OF_TESTS: [&str; 5] = ["Microsoft.NET.Test.Sdk", "<IsTestProject>true", "\"xunit", "\"NUnit\"", "\"MSTest"];

/// The projects at a path; `None` if there is none or only one, which the front end for C# builds.
pub(crate) fn project(path: &Path, with_tests: bool) -> Result<Option<Project>, ProjectError> {
    let solutions = || files(path, "sln").into_iter().find(|file| file.parent() == Some(path));
    let solution =
        if path.is_dir() { solutions() } else { Some(path.into()).filter(|path: &PathBuf| has_extension(path, "sln")) };
    let mut projects = match &solution {
        Some(solution) => of_solution(solution)?,
        None if path.is_dir() => files(path, "csproj"),
        None => return Ok(None),
    };
    if projects.is_empty() && solution.is_none() {
        return Ok(None);
    }
    let count = projects.len();
    projects.sort();
    let mut program = Vec::new();
    for project in projects {
        if let Some(solution) = solution.as_ref().filter(|_| !project.exists()) {
            return Err(ProjectError::Missing { path: solution.clone(), part: project });
        }
        let text = read(&project)?;
        if with_tests || !OF_TESTS.iter().any(|mark| text.contains(mark)) {
            program.push(project);
        }
    }
    match (&program[..], solution) {
        ([], solution) => Err(ProjectError::Empty { path: solution.unwrap_or_else(|| path.into()) }),
        (_, None) if count == 1 => Ok(None),
        _ => Ok(Some(Project { program, ..Project::default() })),
    }
}

/// The C# projects that a solution names, as in `Project("{…}") = "Name", "folder\Name.csproj", "{…}"`.
fn of_solution(solution: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    let folder = solution.parent().unwrap_or(Path::new(""));
    let text = read(solution)?;
    let lines = text.lines().filter(|line| line.trim_start().starts_with("Project("));
    let paths = lines.filter_map(|line| line.split('"').nth(5)).map(|path| folder.join(path.replace('\\', "/")));
    Ok(paths.filter(|path| has_extension(path, "csproj")).collect())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Look;

    #[test]
    fn solutions() {
        let folder = tempfile::TempDir::new().unwrap();
        let at = folder.path();
        let write = |name: &str, text: &str| {
            let file = at.join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        let project = |more: &str| format!("<Project Sdk=\"Microsoft.NET.Sdk\">{more}</Project>");
        write("Lib/Lib.csproj", &project(""));
        assert_eq!(crate::find(at, Look { with_tests: false, asks: true }).unwrap(), None);
        write("Tests/Tests.csproj", &project("<PackageReference Include=\"xunit\" />"));
        write("Tool/Tool.csproj", &project(""));
        let programs =
            |path: &Path, with_tests| crate::find(path, Look { with_tests, asks: true }).unwrap().unwrap().program;
        let [lib, tests, tool] = ["Lib/Lib.csproj", "Tests/Tests.csproj", "Tool/Tool.csproj"].map(|file| at.join(file));
        assert_eq!(programs(at, false), [lib.clone(), tool.clone()]);
        assert_eq!(programs(at, true), [lib.clone(), tests.clone(), tool]);
        let line = |name: &str| {
            format!("Project(\"{{FAE0}}\") = \"{name}\", \"{name}\\{name}.csproj\", \"{{1}}\"\nEndProject\n")
        };
        write("All.sln", &(line("Lib") + &line("Tests")));
        assert_eq!(programs(at, false), std::slice::from_ref(&lib));
        assert_eq!(programs(&at.join("All.sln"), true), [lib, tests]);
        write("All.sln", &line("Gone"));
        let error = crate::find(at, Look { with_tests: false, asks: true }).unwrap_err().to_string();
        assert!(error.contains("Gone.csproj, which does not exist"), "{error}");
    }
}
