//! Collects the tasks from sets, definitions and folders, and reports mistakes in them.

use crate::BenchError;
use crate::yaml::{self, Mistake, Node, Value};
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A mistake in a task set or a task definition that does not stop the other tasks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file that must be changed.
    pub path: PathBuf,
    /// The line in the file, from 1, if the mistake is on a particular line.
    pub line: Option<usize>,
    /// The mistake and how to correct it, in one sentence without a full stop.
    pub message: String,
}

impl Problem {
    fn new(path: &Path, line: impl Into<Option<usize>>, message: impl Into<String>) -> Self {
        Problem { path: path.to_owned(), line: line.into(), message: message.into() }
    }
}

/// `path:line: message`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path.display(), self.message),
            None => write!(f, "{}: {}", self.path.display(), self.message),
        }
    }
}

/// A program and a property.
#[derive(Debug)]
pub(crate) struct Task {
    /// The file of the definition.
    pub(crate) definition: PathBuf,
    /// The folder of the definition, with as few components as distinguish the folders.
    pub(crate) category: String,
    /// `category/stem of the definition`
    pub(crate) name: String,
    /// The stem of the property file; empty if the definition could not be read so far.
    pub(crate) property: String,
    /// The verdict that the definition expects.
    pub(crate) expected: Option<bool>,
    /// The job to run, or the reason why there is none.
    pub(crate) job: Result<Job, Problem>,
}

/// The part of a task that the verifier receives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) property_file: PathBuf,
}

/// All tasks of a run.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The tasks in the order of their definitions, each definition once.
    pub(crate) tasks: Vec<Task>,
    /// Mistakes in sets. Mistakes in a definition are in its tasks.
    pub(crate) problems: Vec<Problem>,
}

/// Finds and reads all tasks.
///
/// # Errors
///
/// A path of `paths` cannot be read, or no task is found.
pub(crate) fn collect(paths: &[PathBuf]) -> Result<Plan, BenchError> {
    let mut definitions = Vec::new();
    let mut problems = Vec::new();
    for path in paths {
        let readable = |source| BenchError::Read { path: path.clone(), source };
        if fs::metadata(path).map_err(readable)?.is_dir() {
            let before = definitions.len();
            definitions_below(path, &mut definitions).map_err(readable)?;
            if definitions.len() == before {
                problems.push(Problem::new(path, None, "no task definition (`*.yml`) in this folder"));
            }
        } else if has_extension(path, "set") {
            let text = fs::read_to_string(path).map_err(readable)?;
            read_set(path, &text, &mut definitions, &mut problems);
        } else if has_extension(path, "yml") {
            definitions.push(path.clone());
        } else {
            return Err(BenchError::NotATask(path.clone()));
        }
    }

    let mut seen = HashSet::new();
    let mut located = Vec::new();
    for path in definitions {
        match fs::canonicalize(&path) {
            Ok(canonical) if seen.insert(canonical.clone()) => located.push((path, canonical)),
            Ok(_) => {}
            Err(error) => problems.push(Problem::new(&path, None, error.to_string())),
        }
    }
    if located.is_empty() {
        return Err(BenchError::NoTasks(problems));
    }

    let folders: Vec<&Path> = located.iter().filter_map(|(_, canonical)| canonical.parent()).collect();
    let depth = naming_depth(&folders);
    let mut tasks = Vec::new();
    for (path, canonical) in &located {
        let category = canonical.parent().map_or_else(String::new, |folder| last_components(folder, depth));
        tasks.extend(read_definition(path, &category));
    }
    Ok(Plan { tasks, problems })
}

/// Adds the files that match the globs of a `.set` file, relative to that file.
fn read_set(path: &Path, text: &str, definitions: &mut Vec<PathBuf>, problems: &mut Vec<Problem>) {
    let folder = path.parent().unwrap_or(Path::new(""));
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut report = |message: String| problems.push(Problem::new(path, index + 1, message));
        // The name of the folder is not a pattern, even if it contains special characters.
        let base = glob::Pattern::escape(&folder.to_string_lossy());
        let pattern = Path::new(&base).join(line);
        let matches = match glob::glob(&pattern.to_string_lossy()) {
            Ok(matches) => matches,
            Err(error) => {
                report(format!("`{line}` is not a file pattern: {}", error.msg));
                continue;
            }
        };
        let mut found = false;
        for entry in matches {
            found = true;
            match entry {
                Ok(entry) if has_extension(&entry, "yml") => definitions.push(entry),
                Ok(entry) => report(format!("`{}` is not a task definition (`*.yml`)", entry.display())),
                Err(error) => report(error.to_string()),
            }
        }
        if !found {
            report(format!("`{line}` matches no file; patterns are relative to the folder of this file"));
        }
    }
}

/// Adds all `.yml` files below a folder in order of their names, without following links to folders.
fn definitions_below(folder: &Path, definitions: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        if has_extension(&path, "yml") && path.is_file() {
            definitions.push(path);
            continue;
        }
        let mut entries = fs::read_dir(&path)?.collect::<std::io::Result<Vec<_>>>()?;
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.file_name()));
        for entry in entries {
            if entry.file_type()?.is_dir() || has_extension(&entry.path(), "yml") && entry.path().is_file() {
                pending.push(entry.path());
            }
        }
    }
    Ok(())
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found == extension)
}

/// The number of last components that distinguishes all of these folders.
pub(crate) fn naming_depth(folders: &[&Path]) -> usize {
    let distinct: HashSet<&Path> = folders.iter().copied().collect();
    let deepest = distinct.iter().map(|folder| folder.components().count()).max().unwrap_or(1);
    (1..deepest)
        .find(|&depth| {
            distinct.iter().map(|folder| last_components(folder, depth)).collect::<HashSet<_>>().len() == distinct.len()
        })
        .unwrap_or(deepest)
}

/// The last `depth` components of a path.
pub(crate) fn last_components(folder: &Path, depth: usize) -> String {
    let components: Vec<_> = folder
        .components()
        .filter(|component| matches!(component, Component::Normal(_)))
        .map(|component| component.as_os_str().to_string_lossy())
        .collect();
    components[components.len().saturating_sub(depth)..].join("/")
}

/// The tasks of a definition, one for each property. If the definition is wrong, a single task that carries the
/// problem.
fn read_definition(path: &Path, category: &str) -> Vec<Task> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = if category.is_empty() { stem.into_owned() } else { format!("{category}/{stem}") };
    let task = |property: String, expected, job| Task {
        definition: path.to_owned(),
        category: category.to_owned(),
        name: name.clone(),
        property,
        expected,
        job,
    };
    let questions = fs::read_to_string(path)
        .map_err(|error| Problem::new(path, None, error.to_string()))
        .and_then(|text| questions(path, &text).map_err(|mistake| Problem::new(path, mistake.line, mistake.message)));
    match questions {
        Err(problem) => vec![task(String::new(), None, Err(problem))],
        Ok(questions) => questions
            .into_iter()
            .map(|question| {
                let job = question.job.map_err(|mistake| Problem::new(path, mistake.line, mistake.message));
                task(question.property, Some(question.expected), job)
            })
            .collect(),
    }
}

/// One entry of `properties`.
struct Question {
    property: String,
    expected: bool,
    job: Result<Job, Mistake>,
}

/// Reads a definition in the task-definition format 2 of BenchExec and SV-COMP. Skips keys that affect neither what
/// to run nor what to expect (`options`, `subproperty`, …).
fn questions(path: &Path, text: &str) -> Result<Vec<Question>, Mistake> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let root = yaml::parse(text)?.ok_or_else(|| Mistake::new(1, "the file is empty; expected a task definition"))?;
    let entry = |key: &str| {
        root.get(key).ok_or_else(|| Mistake::new(root.line, format!("no `{key}`; a task definition must have one")))
    };

    let version = entry("format_version")?;
    let number = version.scalar("`format_version`")?;
    if number != "2" && !number.starts_with("2.") {
        return Err(Mistake::new(
            version.line,
            format!("`format_version` is {number}; only 2.0 and later 2.x is read"),
        ));
    }

    let input_files = entry("input_files")?;
    let names: Vec<&Node> = match &input_files.value {
        Value::List(items) => items.iter().collect(),
        _ => vec![input_files],
    };
    if names.is_empty() {
        return Err(Mistake::new(input_files.line, "`input_files` is empty; name the files of the program"));
    }
    let mut inputs = Vec::new();
    let mut missing = None;
    for node in names {
        match existing(folder, node, "an input file")? {
            Ok(input) => inputs.push(input),
            Err(mistake) => missing = missing.or(Some(mistake)),
        }
    }

    let properties = entry("properties")?;
    let Value::List(items) = &properties.value else {
        return Err(Mistake::new(properties.line, "`properties` must be a list of entries with a `property_file`"));
    };
    if items.is_empty() {
        return Err(Mistake::new(properties.line, "`properties` is empty; there is nothing to check"));
    }
    let mut questions: Vec<Question> = Vec::new();
    for item in items {
        let key =
            |key: &str| item.get(key).ok_or_else(|| Mistake::new(item.line, format!("this property has no `{key}`")));
        let expected = key("expected_verdict")?;
        let verdict = expected.scalar("`expected_verdict`")?;
        let verdict = match verdict.to_ascii_lowercase().as_str() {
            "true" => true,
            "false" => false,
            _ => {
                return Err(Mistake::new(expected.line, format!("`expected_verdict` is {verdict}, not true or false")));
            }
        };
        let property_node = key("property_file")?;
        let property_file = existing(folder, property_node, "`property_file`")?;
        let property = Path::new(property_node.scalar("`property_file`")?).file_stem().unwrap_or_default();
        let property = property.to_string_lossy().into_owned();
        if questions.iter().any(|question| question.property == property) {
            return Err(Mistake::new(property_node.line, format!("two properties are called `{property}`")));
        }
        let job = match (&missing, property_file) {
            (Some(Mistake { line, message }), _) => Err(Mistake::new(*line, message.clone())),
            (None, Err(mistake)) => Err(mistake),
            (None, Ok(property_file)) => Ok(Job { inputs: inputs.clone(), property_file }),
        };
        questions.push(Question { property, expected: verdict, job });
    }
    Ok(questions)
}

/// The path that a definition in `folder` names. The inner error means that the file or folder does not exist; the
/// rest of the definition is still readable.
fn existing(folder: &Path, node: &Node, what: &str) -> Result<Result<PathBuf, Mistake>, Mistake> {
    let name = node.scalar(what)?;
    let path = folder.join(name);
    Ok(if path.exists() {
        Ok(tidy(path))
    } else {
        Err(Mistake::new(node.line, format!("`{name}` does not exist; paths are relative to the folder of this file")))
    })
}

/// The same path without `x/..` and trailing slashes, for readability, unless links make it a different file.
fn tidy(path: PathBuf) -> PathBuf {
    let mut short = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir if matches!(short.components().next_back(), Some(Component::Normal(_))) => {
                short.pop();
            }
            other => short.push(other),
        }
    }
    let same = matches!((short.canonicalize(), path.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if same { short } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A folder with these files. A name that ends in `/` is a folder.
    fn folder(files: &[(&str, &str)]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = root.path().join(name);
            if name.ends_with('/') {
                fs::create_dir_all(path).unwrap();
            } else {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
        }
        root
    }

    /// All tasks and problems as text, without the folder.
    fn check(files: &[(&str, &str)], paths: &[&str], expected: &[&str]) {
        let root = folder(files);
        let paths: Vec<PathBuf> = paths.iter().map(|path| root.path().join(path)).collect();
        let plan = collect(&paths);
        let mut found = Vec::new();
        match plan {
            Err(BenchError::NoTasks(problems)) => found.extend(problems.iter().map(Problem::to_string)),
            Err(error) => found.push(error.to_string()),
            Ok(plan) => {
                for task in &plan.tasks {
                    found.push(match &task.job {
                        Err(problem) => problem.to_string(),
                        Ok(job) => {
                            let inputs: Vec<_> = job.inputs.iter().map(|input| input.display().to_string()).collect();
                            let expected = task.expected.map_or("?".into(), |expected| expected.to_string());
                            format!("{} {} {expected}: {}", task.name, task.property, inputs.join(" "))
                        }
                    });
                }
                found.extend(plan.problems.iter().map(Problem::to_string));
            }
        }
        let prefix = format!("{}/", root.path().display());
        let found: Vec<String> = found.iter().map(|line| line.replace(&prefix, "")).collect();
        assert_eq!(found, expected);
    }

    const DEFINITION: &str = "format_version: \"2.0\"\ninput_files:\n  - T.oox\nproperties:\n  \
                              - property_file: ../p/assert.prp\n    expected_verdict: true\n\n\n";
    const FILES: [(&str, &str); 3] = [("p/assert.prp", ""), ("a/T.oox", ""), ("a/T.yml", DEFINITION)];

    /// One definition `a/T.yml`, with `a/T.oox`, `p/assert.prp` and `p/other.prp`.
    fn check_definition(definition: &str, expected: &[&str]) {
        let mut files = FILES.to_vec();
        files[2].1 = definition;
        files.push(("p/other.prp", ""));
        check(&files, &["a/T.yml"], expected);
    }

    #[test]
    fn a_definition_is_found_alone_in_a_folder_and_through_a_set() {
        let mut files = FILES.to_vec();
        files.push(("all.set", "# comment\n\n a/*.yml"));
        for path in ["a/T.yml", "a", "", "all.set"] {
            check(&files, &[path], &["a/T assert true: a/T.oox"]);
        }
    }

    #[test]
    fn a_definition_named_twice_is_one_task() {
        check(&FILES, &["a", "a/T.yml"], &["a/T assert true: a/T.oox"]);
    }

    #[test]
    fn folders_of_the_same_name_are_told_apart() {
        let files = [("p/assert.prp", ""), ("x/a/T.oox", ""), ("y/a/T.oox", ""), ("x/a/T.yml", ""), ("y/a/T.yml", "")];
        let definition = DEFINITION.replace("../p", "../../p");
        let files = files.map(|(name, _)| (name, if name.ends_with("yml") { definition.as_str() } else { "" }));
        check(&files, &["x", "y"], &["x/a/T assert true: x/a/T.oox", "y/a/T assert true: y/a/T.oox"]);
    }

    #[test]
    fn sets_report_lines_that_match_nothing_or_no_definition() {
        let mut files = FILES.to_vec();
        files.push(("all.set", "a/*.yml\nb/*.yml\na/*.oox\n[\n"));
        check(
            &files,
            &["all.set"],
            &[
                "a/T assert true: a/T.oox",
                "all.set:2: `b/*.yml` matches no file; patterns are relative to the folder of this file",
                "all.set:3: `a/T.oox` is not a task definition (`*.yml`)",
                "all.set:4: `[` is not a file pattern: invalid range pattern",
            ],
        );
    }

    #[test]
    fn without_any_task_the_reasons_are_told() {
        check(&[("a/", "")], &["a"], &["a: no task definition (`*.yml`) in this folder"]);
        let message = "all.set:1: `x` matches no file; patterns are relative to the folder of this file";
        check(&[("all.set", "x")], &["all.set"], &[message]);
    }

    #[test]
    fn folders_with_pattern_characters_in_their_names() {
        check(
            &[("[a]*/T.yml", DEFINITION), ("[a]*/T.oox", ""), ("p/assert.prp", ""), ("[a]*/all.set", "*.yml")],
            &["[a]*/all.set"],
            &["[a]*/T assert true: [a]*/T.oox"],
        );
    }

    #[test]
    fn input_files_may_be_a_scalar_a_list_or_folders_in_any_indentation() {
        let rest = "properties:\n- property_file: ../p/assert.prp\n  expected_verdict: false\n";
        for inputs in ["input_files: T.oox\n", "input_files: [T.oox]\n", "input_files:\n- 'T.oox'\n"] {
            check_definition(&format!("format_version: 2.0\n{inputs}{rest}"), &["a/T assert false: a/T.oox"]);
        }
        check_definition(
            &format!("format_version: '2.1'\ninput_files:\n      - ../p/\n      - T.oox\n{rest}"),
            &["a/T assert false: p a/T.oox"],
        );
    }

    #[test]
    fn each_property_is_a_task_and_unneeded_keys_are_skipped() {
        check_definition(
            "format_version: \"2.0\"\ninput_files: T.oox\nproperties:\n  - property_file: ../p/assert.prp\n    \
             expected_verdict: true\n  - property_file: ../p/other.prp\n    expected_verdict: false\n    \
             subproperty: valid-free\noptions:\n  language: Java\n",
            &["a/T assert true: a/T.oox", "a/T other false: a/T.oox"],
        );
    }

    #[test]
    fn mistakes_in_a_definition_name_the_line() {
        let replace = |from: &str, to: &str| DEFINITION.replace(from, to);
        let relative = "does not exist; paths are relative to the folder of this file";
        let cases = [
            (replace("- T.oox", "- U.oox"), format!("3: `U.oox` {relative}")),
            (replace("../p/assert.prp", "assert.prp"), format!("5: `assert.prp` {relative}")),
            (replace("true", "maybe"), "6: `expected_verdict` is maybe, not true or false".into()),
            (replace("    expected_verdict: true\n", ""), "5: this property has no `expected_verdict`".into()),
            (replace("2.0", "1.0"), "1: `format_version` is 1.0; only 2.0 and later 2.x is read".into()),
            (replace("input_files", "files"), "1: no `input_files`; a task definition must have one".into()),
            (replace("properties:", "properties: ["), "5: \"-\" is only valid inside a block".into()),
            (String::new(), "1: the file is empty; expected a task definition".into()),
            ("- a\n".into(), "1: no `format_version`; a task definition must have one".into()),
        ];
        for (definition, expected) in cases {
            check_definition(&definition, &[&format!("a/T.yml:{expected}")]);
        }
    }

    #[test]
    fn paths_that_are_no_tasks() {
        let root = folder(&FILES);
        let fails = |path: &str| collect(&[root.path().join(path)]).unwrap_err();
        assert!(matches!(fails("a/T.oox"), BenchError::NotATask(_)));
        assert!(matches!(fails("a/U.yml"), BenchError::Read { .. }));
    }
}
