//! Runs the code of users where it can do no harm, with bubblewrap if it is there.
//!
//! In the sandbox, there is no network and no other process. All files are read-only except for a folder of the run, `/tmp` is a
//! folder of its own, and the folders in which people and services keep what is theirs are empty, except for what the run needs.

use crate::Limits;
use crate::run::{Ended, cannot, run, within};
use aback_frontend::{FoundTool, Tool};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The program of bubblewrap.
const PROGRAM: &str = "bwrap";
/// What its own messages begin with.
const SAYS: &str = "bwrap: ";
/// The folder that is always private to a run.
const TEMPORARY: &str = "/tmp";
/// Folders with the files of users. Sockets of services are in `/run`: programs can connect to them on a read-only file system, too.
const HIDDEN: [&str; 5] = ["/home", "/root", "/run", "/var/tmp", TEMPORARY];
/// Folders without which no program starts. They are not hidden, even if the home of a user is above them.
const SYSTEM: [&str; 6] = ["/bin", "/etc", "/lib", "/lib64", "/sbin", "/usr"];
/// The variable of the environment that a run gets: the folders of libraries that the runtime needs.
const LIBRARIES: &str = "LD_LIBRARY_PATH";

/// When the code of users runs in a sandbox.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sandboxing {
    /// If there is one.
    #[default]
    Auto,
    /// Always: without one, nothing runs.
    Required,
    /// Never.
    Off,
}

/// What keeps a run from doing harm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// A sandbox.
    Sandbox,
    /// Nothing, for this reason.
    None(String),
    /// It is a run within aback, which cannot do any.
    Interpreter,
}

/// Whether commands run in a sandbox.
pub(crate) enum Sandbox {
    Bubblewrap(Bubblewrap),
    /// As any other process, for this reason.
    None(String),
}

/// A bubblewrap that works.
pub(crate) struct Bubblewrap {
    program: PathBuf,
    /// The folders that runs cannot read.
    hidden: BTreeSet<PathBuf>,
    /// The folders of libraries that runtimes need.
    libraries: Vec<PathBuf>,
}

/// How a place in a hidden folder is shown in the sandbox.
enum Shown {
    /// As the file or folder that it is.
    File,
    /// As the link to this target that it is.
    Link(PathBuf),
    /// As an empty folder, which a path passes to come back.
    Folder,
}

/// The files of a run.
pub(crate) struct View<'a> {
    /// A temporary folder with all that was made for the run.
    pub(crate) folder: &'a Path,
    /// The folder within it in which it runs, and to which it can write.
    pub(crate) work: &'a Path,
    /// What it needs besides.
    pub(crate) readable: Vec<PathBuf>,
}

impl Sandbox {
    /// The sandbox of a run.
    ///
    /// # Errors
    /// It must have one, and there is none.
    pub(crate) fn of(sandboxing: Sandboxing) -> Result<Sandbox, String> {
        if sandboxing == Sandboxing::Off {
            return Ok(Sandbox::None("none was asked for".into()));
        }
        match Bubblewrap::find() {
            Ok(found) => Ok(Sandbox::Bubblewrap(found)),
            Err(reason) if sandboxing == Sandboxing::Required => Err(format!("there is no sandbox: {reason}")),
            Err(reason) => Ok(Sandbox::None(reason)),
        }
    }

    pub(crate) fn isolation(&self) -> Isolation {
        match self {
            Sandbox::Bubblewrap(_) => Isolation::Sandbox,
            Sandbox::None(reason) => Isolation::None(reason.clone()),
        }
    }

    /// What users should know about unit tests that should run in a sandbox and do not.
    pub(crate) fn note(&self, sandboxing: Sandboxing) -> Option<String> {
        let Sandbox::None(reason) = self else { return None };
        let is_wanted = sandboxing != Sandboxing::Off;
        is_wanted.then(|| format!("the tests ran without a sandbox: {reason}"))
    }

    /// The command that runs another one in the sandbox, which is to be run before the next one is wrapped. It does not take over the environment and the folder of the other one.
    ///
    /// # Errors
    /// A folder of the run cannot be made.
    pub(crate) fn wrap(&self, command: Command, view: View) -> Result<Command, String> {
        match self {
            Sandbox::Bubblewrap(bubblewrap) => bubblewrap.wrap(&command, view),
            Sandbox::None(_) => Ok(command),
        }
    }

    /// Runs a wrapped command. Returns `None` if the process had to be stopped.
    ///
    /// # Errors
    /// It cannot be started.
    pub(crate) fn run(
        &self,
        command: Command,
        deadline: Option<Instant>,
        limits: &Limits,
    ) -> Result<Option<Ended>, String> {
        let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ended = run(command, deadline, limits).map_err(|error| format!("cannot run {program}: {error}"))?;
        match (self, &ended) {
            // A program can say the same. Then it is not confirmed, which is safe.
            (Sandbox::Bubblewrap(_), Some(Ended { status, said })) if !status.success() && said.starts_with(SAYS) => {
                let said = said.lines().next().unwrap_or_default();
                Err(format!("the sandbox does not start ({said}); --sandbox off runs it without one"))
            }
            _ => Ok(ended),
        }
    }
}

impl Bubblewrap {
    /// The one on PATH.
    ///
    /// # Errors
    /// The reason why there is none that works.
    fn find() -> Result<Bubblewrap, String> {
        let paths = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&paths).map(|folder| folder.join(PROGRAM)).find(|path| path.is_file());
        let program = found.ok_or("there is no bwrap on PATH (Debian: apt install bubblewrap)")?;
        let libraries = std::env::var_os(LIBRARIES).unwrap_or_default();
        let libraries = std::env::split_paths(&libraries).collect();
        let homes = std::env::home_dir().into_iter().chain([std::env::temp_dir()]);
        let bubblewrap =
            Bubblewrap { program, hidden: hidden(HIDDEN.map(PathBuf::from).into_iter().chain(homes)), libraries };
        // Containers may forbid new namespaces, or some of the mounts.
        let folder = tempfile::Builder::new().prefix("aback-sandbox-").tempdir().map_err(cannot("make a folder"))?;
        let work = within(folder.path(), "work")?;
        let view = View { folder: folder.path(), work: &work, readable: Vec::new() };
        let mut probe = bubblewrap.wrap(&Command::new("true"), view)?;
        let output = probe.stdin(Stdio::null()).output().map_err(|error| format!("bwrap does not start: {error}"))?;
        if output.status.success() {
            return Ok(bubblewrap);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        match said.lines().next() {
            Some(said) => Err(format!("bwrap does not work here: {}", said.trim_start_matches(SAYS))),
            None => Err("bwrap does not work here".into()),
        }
    }

    fn wrap(&self, command: &Command, mut view: View) -> Result<Command, String> {
        // No run sees what another one left, such as the links that bubblewrap made for it.
        let temporary = view.folder.join("tmp");
        if temporary.is_dir() {
            std::fs::remove_dir_all(&temporary).map_err(cannot("empty a folder"))?;
        }
        within(view.folder, "tmp")?;
        view.readable.extend(self.libraries.iter().cloned());
        let mut wrapped = Command::new(&self.program);
        wrapped.args(self.options(&view, &temporary)).arg(command.get_program()).args(command.get_args());
        Ok(wrapped)
    }

    /// The options for a run. A process in the sandbox does not outlive this one, and has no privileges, not even those of the
    /// administrator.
    fn options(&self, view: &View, temporary: &Path) -> Vec<OsString> {
        let words =
            "--unshare-all --cap-drop ALL --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc";
        let mut options: Vec<OsString> = words.split(' ').map(OsString::from).collect();
        let mut add = |option: &str, paths: &[&Path]| {
            options.push(option.into());
            options.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
        };
        for folder in &self.hidden {
            match folder == Path::new(TEMPORARY) {
                // A file system in memory would have no limit.
                true => add("--bind", &[temporary, folder]),
                false => add("--tmpfs", &[folder]),
            }
        }
        for (place, shown) in self.shown(&view.readable) {
            match shown {
                Shown::File => add("--ro-bind", &[&place, &place]),
                Shown::Link(target) => add("--symlink", &[&target, &place]),
                Shown::Folder => add("--dir", &[&place]),
            }
        }
        add("--ro-bind", &[view.folder, view.folder]);
        add("--bind", &[view.work, view.work]);
        for folder in self.hidden.iter().filter(|folder| *folder != Path::new(TEMPORARY)) {
            add("--remount-ro", &[folder]);
        }
        add("--chdir", &[view.work]);
        options
    }

    /// What there is to be read in hidden folders, by its place: files, and what leads to them. No place is behind a
    /// link, and folders come before what is in them.
    fn shown(&self, readable: &[PathBuf]) -> BTreeMap<PathBuf, Shown> {
        let files: BTreeSet<PathBuf> = readable.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let ways = readable.iter().filter(|path| path.exists()).flat_map(|path| way(path));
        // What is in a folder that is shown is there already, links included.
        let ways = ways.filter(|(place, _)| !place.ancestors().any(|above| files.contains(above)));
        let ways: Vec<_> = ways.collect();
        let shown = files.into_iter().map(|file| (file, Shown::File)).chain(ways);
        shown.filter(|(place, _)| place.ancestors().any(|above| self.hidden.contains(above))).collect()
    }
}

/// What must be there for a path to lead to its file: links, and folders that it leaves by `..`. No place of these is behind a link.
fn way(path: &Path) -> Vec<(PathBuf, Shown)> {
    let Ok(path) = std::path::absolute(path) else { return Vec::new() };
    let mut found = Vec::new();
    let mut walked = PathBuf::new();
    let mut ahead: Vec<OsString> = backward(&path);
    while let Some(name) = ahead.pop() {
        if name == ".." {
            found.push((walked.clone(), Shown::Folder));
            walked.pop();
            continue;
        }
        walked.push(name);
        if let Ok(target) = std::fs::read_link(&walked) {
            ahead.extend(backward(&target));
            found.push((walked.clone(), Shown::Link(target)));
            walked.pop();
        }
    }
    found
}

/// The components of a path without `.`, the last one first.
fn backward(path: &Path) -> Vec<OsString> {
    let components = path.components().rev().filter(|component| *component != Component::CurDir);
    components.map(|component| component.as_os_str().to_owned()).collect()
}

/// Gives a command the same environment for every user, so that its arguments alone decide what it does, and secrets stay where
/// they are.
pub(crate) fn clear_environment(command: &mut Command) {
    command.env_clear().env("LC_ALL", "C.UTF-8");
    command.envs(std::env::var_os(LIBRARIES).map(|folders| (LIBRARIES, folders)));
}

/// Those of some folders that can be hidden: folders that exist, without those within others.
fn hidden(folders: impl Iterator<Item = PathBuf>) -> BTreeSet<PathBuf> {
    let folders = folders.filter_map(|folder| folder.canonicalize().ok());
    let folders =
        folders.filter(|folder| folder.is_dir() && !SYSTEM.iter().any(|system| Path::new(system).starts_with(folder)));
    let found: BTreeSet<PathBuf> = folders.collect();
    let is_outermost = |folder: &&PathBuf| !folder.ancestors().skip(1).any(|above| found.contains(above));
    found.iter().filter(is_outermost).cloned().collect()
}

/// The sandbox of this machine, as a tool.
pub(crate) fn tool() -> Tool {
    let found = Bubblewrap::find().map(|found| FoundTool { version: None, path: found.program });
    Tool { name: "bubblewrap", purpose: "a sandbox for --confirm and for unit tests", found }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// The options with which a command is run, without those that are always the same, and the command; `@` is for the folder of the test.
    fn wrapped(root: &Path, hidden: &[PathBuf], readable: Vec<PathBuf>) -> String {
        let (folder, work) = (root.join("tmp/run"), root.join("tmp/run/work"));
        std::fs::create_dir_all(&work).unwrap();
        let bubblewrap = Bubblewrap {
            program: "/usr/bin/bwrap".into(),
            hidden: hidden.iter().cloned().collect(),
            libraries: Vec::new(),
        };
        let mut command = Command::new("java");
        command.arg("Main");
        let wrapped = bubblewrap.wrap(&command, View { folder: &folder, work: &work, readable }).unwrap();
        let words = [wrapped.get_program()].into_iter().chain(wrapped.get_args());
        let text = words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ");
        let always = "/usr/bin/bwrap --unshare-all --cap-drop ALL --die-with-parent --new-session --ro-bind / / --dev /dev --proc /proc ";
        text.strip_prefix(always).unwrap().replace(&*root.to_string_lossy(), "@")
    }

    #[test]
    fn commands() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = &folder.path().canonicalize().unwrap();
        let (home, data) = (root.join("home"), root.join("data"));
        for folder in ["home/user/libraries", "data"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["home/user/libraries/a.jar", "data/b.jar"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        symlink(&data, home.join("user/link")).unwrap();
        symlink(home.join("user/libraries"), data.join("link")).unwrap();
        let run = "--ro-bind @/tmp/run @/tmp/run --bind @/tmp/run/work @/tmp/run/work";
        let end = "--chdir @/tmp/run/work java Main";
        // What is not hidden needs no options.
        assert_eq!(wrapped(root, &[], vec![data.join("b.jar")]), format!("{run} {end}"));
        let temporary = PathBuf::from(TEMPORARY);
        let own = "--bind @/tmp/run/tmp /tmp";
        assert_eq!(wrapped(root, &[temporary], Vec::new()), format!("{own} {run} {end}"));
        let check = |readable: &[&str], expected: &str| {
            let readable = readable.iter().map(|path| root.join(path)).collect();
            let expected = format!("--tmpfs @/home {expected}{run} --remount-ro @/home {end}");
            assert_eq!(wrapped(root, std::slice::from_ref(&home), readable), expected);
        };
        check(&["home/user/missing.jar"], "");
        let jar = "--ro-bind @/home/user/libraries/a.jar @/home/user/libraries/a.jar ";
        check(&["home/user/libraries/a.jar"], jar);
        // Folders come first.
        let libraries = "--ro-bind @/home/user/libraries @/home/user/libraries ";
        check(&["home/user/libraries/a.jar", "home/user/libraries"], &format!("{libraries}{jar}"));
        // Links from a hidden folder, and to one.
        check(&["home/user/link/b.jar"], "--symlink @/data @/home/user/link ");
        check(&["data/link/a.jar"], jar);
        // A link to a link, whose target is hidden, and one back to the folder above.
        symlink("./../user/libraries", home.join("user/near")).unwrap();
        symlink(home.join("user/near"), home.join("user/far")).unwrap();
        let (far, near) =
            ("--symlink @/home/user/near @/home/user/far ", "--symlink ./../user/libraries @/home/user/near ");
        check(&["home/user/far/a.jar"], &format!("--dir @/home/user {far}{jar}{near}"));
        check(&["home/user"], "--ro-bind @/home/user @/home/user ");
        check(&["home/user", "home/user/far/a.jar"], &format!("--ro-bind @/home/user @/home/user {jar}"));
        std::fs::create_dir(home.join("other")).unwrap();
        check(&["home/other/../user/libraries/a.jar"], &format!("--dir @/home/other {jar}"));
        // Above hidden folders, only these are hidden.
        check(&["."], "");
    }

    /// Skips the test where there is no sandbox.
    #[test]
    fn files_behind_links_are_read() {
        let Sandbox::Bubblewrap(bubblewrap) = Sandbox::of(Sandboxing::Auto).unwrap() else { return };
        let folder = tempfile::TempDir::new().unwrap();
        let root = folder.path();
        for folder in ["libraries", "other", "run/work"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("libraries/a.jar"), "read").unwrap();
        symlink("./other/../libraries", root.join("near")).unwrap();
        symlink(root.join("near"), root.join("far")).unwrap();
        let cat = |file: &str, readable: &[&str]| {
            let (folder, work) = (root.join("run"), root.join("run/work"));
            let mut command = Command::new("cat");
            command.arg(root.join(file));
            let readable = readable.iter().map(|path| root.join(path)).collect();
            let output = bubblewrap.wrap(&command, View { folder: &folder, work: &work, readable }).unwrap().output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        for file in ["libraries/a.jar", "far/a.jar", "other/../near/a.jar"] {
            assert_eq!(cat(file, &[file]), "read", "{file}");
            assert_eq!(cat(file, &["far", file]), "read", "{file} behind a link that is shown");
            assert_eq!(cat(file, &[""]), "read", "{file} in a folder that is shown");
            assert_eq!(cat(file, &[]), "", "{file} is hidden");
        }
    }

    #[test]
    fn folders_that_are_hidden() {
        let folder = tempfile::TempDir::new().unwrap();
        let root = &folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("home/user")).unwrap();
        symlink(root.join("home"), root.join("link")).unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        let folders = ["home/user", "home", "link/user", "file", "missing"].map(|name| root.join(name));
        let system = ["/", "/usr"].map(PathBuf::from);
        assert_eq!(hidden(folders.into_iter().chain(system)), BTreeSet::from([root.join("home")]));
    }

    #[test]
    fn runs_without_a_sandbox() {
        let off = Sandbox::of(Sandboxing::Off).unwrap();
        assert_eq!((off.isolation(), off.note(Sandboxing::Off)), (Isolation::None("none was asked for".into()), None));
        let none = Sandbox::None("a reason".into());
        assert_eq!(none.note(Sandboxing::Auto).as_deref(), Some("the tests ran without a sandbox: a reason"));
    }
}
