//! Finds the place for a unit test in the user's project, and the edit that puts it there.

use crate::convert::uri_of;
use lsp_types::{
    CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// How deep a test project is looked for below the folder of a program.
const DEPTH: u32 = 3;

/// Where a test belongs that is about a document of a program: in Java, in the folder of its package below `src/test/java`; in C#, beside the project
/// file that names xUnit. `None` if there is no such place.
pub(crate) fn place(test: &Path, text: &str, document: &Path, program: &Path) -> Option<PathBuf> {
    let name = test.file_name()?;
    match document.extension()?.to_str()? {
        "java" => {
            let package = text.lines().find_map(|line| line.strip_prefix("package ")?.strip_suffix(';'));
            let mut folder = test_sources(document)?;
            folder.extend(package.into_iter().flat_map(|package| package.split('.')));
            Some(folder.join(name))
        }
        "cs" => Some(test_project(program, DEPTH)?.join(name)),
        _ => None,
    }
}

/// The folder for tests beside the `src/main/java` around a document.
fn test_sources(document: &Path) -> Option<PathBuf> {
    let parts: Vec<Component<'_>> = document.components().collect();
    let main = parts.windows(3).rposition(|parts| {
        let names: Vec<&OsStr> = parts.iter().map(|part| part.as_os_str()).collect();
        names == ["src", "main", "java"]
    })?;
    let mut folder: PathBuf = parts[..=main].iter().collect();
    folder.extend(["test", "java"]);
    Some(folder)
}

/// The first folder, from the top, with a project file that names xUnit.
fn test_project(folder: &Path, depth: u32) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let is_for_tests = |file: &PathBuf| {
        let is_project = file.extension().is_some_and(|extension| extension == "csproj");
        is_project && std::fs::read_to_string(file).is_ok_and(|text| text.to_ascii_lowercase().contains("\"xunit"))
    };
    if entries.iter().any(is_for_tests) {
        return Some(folder.to_path_buf());
    }
    let is_source = |folder: &&PathBuf| {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && !["bin", "obj"].contains(&&*name) && folder.is_dir()
    };
    let next = depth.checked_sub(1)?;
    entries.iter().filter(is_source).find_map(|folder| test_project(folder, next))
}

/// Makes a file with a text.
pub(crate) fn edit(file: &Path, text: String) -> Option<WorkspaceEdit> {
    let uri = uri_of(file)?;
    let start = Position { line: 0, character: 0 };
    let create = CreateFile {
        uri: uri.clone(),
        options: Some(CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) }),
        annotation_id: None,
    };
    let write = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: vec![OneOf::Left(TextEdit { range: Range { start, end: start }, new_text: text })],
    };
    let changes = vec![DocumentChangeOperation::Op(ResourceOp::Create(create)), DocumentChangeOperation::Edit(write)];
    Some(WorkspaceEdit { document_changes: Some(DocumentChanges::Operations(changes)), ..WorkspaceEdit::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_tests() {
        let folder = tempfile::TempDir::new().unwrap();
        let program = folder.path();
        let of =
            |document: &str, text: &str, test: &str| place(Path::new(test), text, &program.join(document), program);
        let java = of("a/src/main/java/p/q/C.java", "package p.q;\n\nclass T {}", "/tmp/T.java");
        assert_eq!(java, Some(program.join("a/src/test/java/p/q/T.java")));
        assert_eq!(of("C.java", "class T {}", "/tmp/T.java"), None);
        std::fs::create_dir_all(program.join("Tests/obj")).unwrap();
        std::fs::write(program.join("Main.csproj"), "<Project/>").unwrap();
        assert_eq!(of("C.cs", "", "/tmp/T.cs"), None);
        std::fs::write(program.join("Tests/Tests.csproj"), "<PackageReference Include=\"xunit\"/>").unwrap();
        assert_eq!(of("C.cs", "", "/tmp/T.cs"), Some(program.join("Tests/T.cs")));
        assert_eq!(of("C.oox", "", "/tmp/T.oox"), None);
    }
}
