//! Finds the projects of a solution (`.sln`, `.slnx`), or of a folder with several projects.

use crate::{Project, ProjectError, files, read};
use roxmltree::Document;
use std::path::{Path, PathBuf};

/// The extensions of solutions: the old form, and the one in XML.
const SOLUTIONS: [&str; 2] = ["sln", "slnx"];
/// What the project files of tests name.
const OF_TESTS: [&str; 5] = ["Microsoft.NET.Test.Sdk", "<IsTestProject>true", "\"xunit", "\"NUnit\"", "\"MSTest"];

/// The projects at a path; `None` if there is none or only one, which the front end for C# builds.
pub(crate) fn project(path: &Path, with_tests: bool) -> Result<Option<Project>, ProjectError> {
    let is_solution = |path: &PathBuf| SOLUTIONS.iter().any(|extension| has_extension(path, extension));
    let solutions = || SOLUTIONS.iter().flat_map(|extension| files(path, extension));
    let solution = match path.is_dir() {
        true => solutions().find(|file| file.parent() == Some(path)),
        false => Some(path.to_path_buf()).filter(is_solution),
    };
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

/// The C# projects that a solution names, as in `Project("{…}") = "Name", "folder\Name.csproj", "{…}"` or in
/// `<Project Path="folder/Name.csproj" />`, which may be in a `<Folder>`.
fn of_solution(solution: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    let folder = solution.parent().unwrap_or(Path::new(""));
    let text = read(solution)?;
    let named: Vec<String> = if has_extension(solution, "slnx") {
        let invalid =
            |reason: String| ProjectError::Invalid { path: solution.to_path_buf(), tool: "Visual Studio", reason };
        let document = Document::parse(&text).map_err(|error| invalid(error.to_string()))?;
        if document.root_element().tag_name().name() != "Solution" {
            return Err(invalid("its outermost element is not `Solution`".into()));
        }
        let projects = document.descendants().filter(|node| node.has_tag_name("Project"));
        projects.filter_map(|node| node.attribute("Path").map(str::to_owned)).collect()
    } else {
        let lines = text.lines().filter(|line| line.trim_start().starts_with("Project("));
        lines.filter_map(|line| line.split('"').nth(5).map(str::to_owned)).collect()
    };
    let paths = named.into_iter().map(|path| folder.join(path.replace('\\', "/")));
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
        std::fs::remove_file(at.join("All.sln")).unwrap();
        let project = |path: &str| format!("<Project Path=\"{path}\" />");
        let inside = format!("<Folder Name=\"/a/\">{}</Folder>", project("Tests\\Tests.csproj"));
        write(
            "All.slnx",
            &format!("<Solution>{}{inside}{}</Solution>", project("Lib/Lib.csproj"), project("x.vcxproj")),
        );
        let [lib, tests] = ["Lib/Lib.csproj", "Tests/Tests.csproj"].map(|file| at.join(file));
        assert_eq!(programs(at, false), std::slice::from_ref(&lib));
        assert_eq!(programs(&at.join("All.slnx"), true), [lib, tests]);
        for broken in ["<Solution>", "<Project />", ""] {
            write("All.slnx", broken);
            let error = crate::find(at, Look { with_tests: false, asks: true }).unwrap_err().to_string();
            assert!(error.contains("All.slnx is not a file of Visual Studio"), "{error}");
        }
    }
}
