//! Finds the operations at a line of the sources.

use crate::body::{BlockId, Point};
use crate::program::{Class, Method, MethodId, Program};
use crate::span::FileId;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use thiserror::Error;

/// Why no operation is at a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoCode {
    /// The program has no such file.
    #[error("no file of the program is called `{path}`")]
    NoFile {
        /// The path that was asked for.
        path: String,
    },
    /// The file has no code at the line.
    #[error("there is no code at {path}:{line}{}", .next.map(|n| format!("; the next line with code is {n}")).unwrap_or_default())]
    NoLine {
        /// The path that was asked for.
        path: String,
        /// The line that was asked for.
        line: u32,
        /// The first line after it that has code, if there is one.
        next: Option<u32>,
    },
}

/// The files that a user can mean by `path`, in order: those whose path ends with it, in whole components; if there are
/// none, those whose path is a suffix of it (a class file names its source `org/x/A.java`, which the user knows as
/// `src/main/org/x/A.java`). Both kinds of slashes separate components. If a path matches exactly, only exact matches
/// count.
pub fn files_matching(program: &Program, path: &str) -> Vec<FileId> {
    let wanted = components(path);
    let files: Vec<(FileId, Vec<String>)> =
        program.files().map(|(id, file)| (id, components(&file.path.to_string_lossy()))).collect();
    let select = |fits: &dyn Fn(&[String]) -> bool| -> Vec<FileId> {
        files.iter().filter(|(_, path)| !path.is_empty() && fits(path)).map(|&(id, _)| id).collect()
    };
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut found = select(&|path| path == wanted);
    if found.is_empty() {
        found = select(&|path| path.ends_with(&wanted));
    }
    if found.is_empty() {
        found = select(&|path| wanted.ends_with(path));
    }
    found
}

/// Splits a path: `./a\b/../c` becomes `a`, `b`, `..`, `c`.
fn components(path: &str) -> Vec<String> {
    path.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
}

/// The points whose operations or terminators are at `line` of a file that [`files_matching`] finds for `path`, ordered
/// by method, block, and operation. A source line that was translated several times has several, as does the body of a
/// `finally`.
///
/// # Errors
///
/// There is no such file, or no code at the line; the error then names the next line with code.
pub fn points_at_line(program: &Program, path: &str, line: u32) -> Result<Vec<(MethodId, Point)>, NoCode> {
    let files: FxHashSet<FileId> = files_matching(program, path).into_iter().collect();
    if files.is_empty() {
        return Err(NoCode::NoFile { path: path.to_owned() });
    }
    let mut found = Vec::new();
    let mut next: Option<u32> = None;
    visit(program, &files, |id, point, here| {
        if here == line {
            found.push((id, point));
        } else if here > line && next.is_none_or(|next| here < next) {
            next = Some(here);
        }
    });
    if found.is_empty() { Err(NoCode::NoLine { path: path.to_owned(), line, next }) } else { Ok(found) }
}

/// The methods with code at `line` of a file that [`files_matching`] finds for `path`. If there is none, the method whose code is around the line, which
/// is the shortest one where methods are nested, or those with the next code: the line may be a header. Initializers of fields belong to
/// constructors, which are around everything in between, so that these come last. In order of their numbers.
///
/// # Errors
///
/// There is no such file, or no method at the line; the error then names the next line with code.
pub fn methods_at_line(program: &Program, path: &str, line: u32) -> Result<Vec<MethodId>, NoCode> {
    let missing = match points_at_line(program, path, line) {
        Ok(points) => {
            let mut methods: Vec<MethodId> = points.into_iter().map(|(method, _)| method).collect();
            methods.dedup();
            return Ok(methods);
        }
        Err(missing) => missing,
    };
    let files = files_matching(program, path).into_iter().collect();
    let mut extents: BTreeMap<MethodId, (u32, u32)> = BTreeMap::new();
    visit(program, &files, |id, _, here| {
        let declared = program.method(id).span;
        let start = if files.contains(&declared.file) && declared.is_known() { declared.line } else { here };
        let (first, last) = extents.entry(id).or_insert((start, here));
        (*first, *last) = ((*first).min(here), (*last).max(here));
    });
    let around = extents.into_iter().filter(|(_, (first, last))| (first..=last).contains(&&line));
    let innermost = around.min_by_key(|(_, (first, last))| last - first).map(|(method, _)| method);
    let makes = |method: MethodId| program.method(method).name.starts_with(['<', '.']);
    match (innermost, &missing) {
        (Some(method), _) if !makes(method) => Ok(vec![method]),
        (_, NoCode::NoLine { next: Some(next), .. }) => methods_at_line(program, path, *next),
        (Some(method), _) => Ok(vec![method]),
        (None, _) => Err(missing),
    }
}

/// Visits all operations and terminators of the program's own methods in these files, with their lines, ordered by method, block, and operation.
fn visit(program: &Program, files: &FxHashSet<FileId>, mut see: impl FnMut(MethodId, Point, u32)) {
    // If classes are loaded on demand, only relevant code is loaded. A class may be in several files, and so may a method.
    let is_elsewhere = |class: &Class, id: MethodId, method: &Method| {
        let is_here = files.contains(&class.span.file) || method.span.is_known() && files.contains(&method.span.file);
        program.grows() && !is_here && !program.has_other_files(id)
    };
    for (id, method) in program.methods() {
        let class = program.class(method.class);
        if class.is_library || is_elsewhere(class, id, method) {
            continue;
        }
        let Some(body) = program.body(id) else { continue };
        for (block_index, block) in body.blocks.iter().enumerate() {
            let spans = block.ops.iter().map(|op| op.span).chain([block.terminator.span]);
            for (op, span) in spans.enumerate() {
                if !span.is_known() || !files.contains(&span.file) {
                    continue;
                }
                see(id, Point { block: BlockId(block_index as u32), op: op as u32 }, span.line);
            }
        }
    }
}
