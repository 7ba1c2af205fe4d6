//! Asks git which lines of a project have changed.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The lines of files, with their new numbers, that differ from a revision. Where lines were removed, the ones around the gap
/// count.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Changes {
    files: BTreeMap<PathBuf, Vec<RangeInclusive<u32>>>,
}

/// The reason why changes are not known.
#[derive(thiserror::Error, Debug)]
pub enum ChangesError {
    /// Git cannot be started.
    #[error("cannot run git: {0}")]
    NoGit(#[source] std::io::Error),
    /// Git refuses.
    #[error("git does not know what has changed in {} since {revision}: {reason}", folder.display())]
    Refused {
        /// The folder.
        folder: PathBuf,
        /// The revision.
        revision: String,
        /// What git says.
        reason: String,
    },
}

impl Changes {
    /// What differs in the repository around a file or folder from a revision: changes that are committed, and others. Files that
    /// git does not know yet have changed as a whole.
    ///
    /// # Errors
    /// There is no git, no repository, or no such revision.
    pub fn since(path: &Path, revision: &str) -> Result<Self, ChangesError> {
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let git = |folder: &Path, arguments: &[&str]| -> Result<Vec<u8>, ChangesError> {
            let output = Command::new("git").arg("-C").arg(folder).args(arguments).output();
            let output = output.map_err(ChangesError::NoGit)?;
            match output.status.success() {
                true => Ok(output.stdout),
                false => {
                    let said = String::from_utf8_lossy(&output.stderr);
                    let reason = said.lines().next().unwrap_or_default().trim_start_matches("fatal: ").to_string();
                    Err(ChangesError::Refused { folder: folder.into(), revision: revision.into(), reason })
                }
            }
        };
        let top = git(folder, &["rev-parse", "--show-toplevel"])?;
        let top = PathBuf::from(OsStr::from_bytes(top.trim_ascii_end()));
        // Names end with a line; those of other files are not in quotes.
        let diff = ["-c", "core.quotePath=false", "diff", "--no-color", "--no-ext-diff", "--no-renames", "--unified=0"];
        let prefixes = ["--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", revision, "--"];
        let mut changes = Changes::default();
        changes.add_diff(&top, &git(&top, &[&diff[..], &prefixes[..]].concat())?);
        for name in git(&top, &["ls-files", "--others", "--exclude-standard", "-z"])?.split(|&byte| byte == 0) {
            if !name.is_empty() {
                changes.files.insert(top.join(OsStr::from_bytes(name)), vec![1..=u32::MAX]);
            }
        }
        Ok(changes)
    }

    /// Adds the changes of another repository.
    pub fn extend(&mut self, other: Changes) {
        self.files.extend(other.files);
    }

    /// Whether some of these lines of a file have changed.
    pub fn touch(&self, file: &Path, lines: &RangeInclusive<u32>) -> bool {
        let Ok(file) = file.canonicalize() else { return false };
        let changed = self.files.get(&file).into_iter().flatten();
        changed.into_iter().any(|range| range.start() <= lines.end() && lines.start() <= range.end())
    }

    fn add_diff(&mut self, top: &Path, diff: &[u8]) {
        let mut file = None;
        for line in diff.split(|&byte| byte == b'\n') {
            if let Some(name) = line.strip_prefix(b"+++ ") {
                // A deleted file has no lines any more.
                file = name.strip_prefix(b"b/").map(|name| top.join(OsStr::from_bytes(name.trim_ascii_end())));
            } else if let (Some(file), Some(hunk)) = (&file, line.strip_prefix(b"@@ "))
                && let Some(range) = new_lines(&String::from_utf8_lossy(hunk))
            {
                self.files.entry(file.clone()).or_default().push(range);
            }
        }
    }
}

/// The new lines of a hunk: `-3,2 +4,3 @@`.
fn new_lines(hunk: &str) -> Option<RangeInclusive<u32>> {
    let new = hunk.split(' ').find_map(|part| part.strip_prefix('+'))?;
    let (start, count) = new.split_once(',').unwrap_or((new, "1"));
    let (start, count): (u32, u32) = (start.parse().ok()?, count.parse().ok()?);
    Some(if count == 0 { start..=start.saturating_add(1) } else { start..=start.saturating_add(count - 1) })
}

#[cfg(test)]
mod tests {
    use super::Changes;
    use std::path::Path;
    use std::process::Command;

    #[track_caller]
    fn git(folder: &Path, arguments: &[&str]) {
        let name = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
        let status = Command::new("git").arg("-C").arg(folder).args(name).args(arguments).output().unwrap().status;
        assert!(status.success(), "{arguments:?}");
    }

    #[test]
    fn changed_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let numbers = |removed: u32| -> String {
            (1..=20).filter(|&line| line != removed).map(|line| format!("{line}\n")).collect()
        };
        std::fs::write(path("a b.txt"), numbers(0)).unwrap();
        git(folder.path(), &["init", "-q"]);
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "-qm", "first"]);
        let changed = |lines: std::ops::RangeInclusive<u32>| {
            Changes::since(folder.path(), "HEAD").unwrap().touch(&path("a b.txt"), &lines)
        };
        assert!(!changed(1..=20));
        std::fs::write(path("a b.txt"), numbers(0).replace("7\n", "seven\n")).unwrap();
        assert!(changed(5..=9) && changed(7..=7) && !changed(8..=12));
        std::fs::write(path("a b.txt"), numbers(10)).unwrap();
        assert!(changed(9..=9) && changed(10..=12) && !changed(11..=20) && !changed(1..=8));
        std::fs::write(path("new.txt"), "1\n").unwrap();
        assert!(Changes::since(&path("new.txt"), "HEAD").unwrap().touch(&path("new.txt"), &(1..=1)));
    }

    #[test]
    fn refusals() {
        let folder = tempfile::tempdir().unwrap();
        let said = |revision: &str| Changes::since(folder.path(), revision).unwrap_err().to_string();
        assert!(said("HEAD").contains("not a git repository"), "{}", said("HEAD"));
        git(folder.path(), &["init", "-q"]);
        assert!(said("--output=x").contains("since --output=x"), "{}", said("--output=x"));
    }
}
