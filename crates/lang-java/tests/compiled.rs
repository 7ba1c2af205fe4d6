//! What is taken from earlier compilations, and that it is what the compiler would make now. Needs a JDK.

use aback_frontend::CompileCache;
use aback_lang_java::classpath::{ClassPath, OpenError, Options};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;

/// A program, a cache, and a JDK whose compiler counts the sources that it is given.
struct Setup {
    folder: TempDir,
    cache: CompileCache,
}

impl Setup {
    fn new(files: &[(&str, &str)]) -> Setup {
        let folder = tempfile::tempdir().unwrap();
        let setup = Setup { cache: CompileCache::at(folder.path().join("cache")), folder };
        setup.counting_jdk();
        for (name, text) in files {
            setup.write(name, text);
        }
        setup
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path("program").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn counting_jdk(&self) {
        let output = Command::new("sh").args(["-c", "command -v javac"]).output().unwrap();
        let javac = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
            .canonicalize()
            .expect("a JDK is needed: make setup");
        let home = javac.ancestors().nth(2).unwrap();
        fs::create_dir_all(self.path("jdk/bin")).unwrap();
        fs::create_dir_all(self.path("jdk/lib")).unwrap();
        symlink(home.join("lib/modules"), self.path("jdk/lib/modules")).unwrap();
        let log = self.path("log");
        let script = format!(
            "#!/bin/sh\nfor last; do :; done\ngrep -c 'java\"$' \"${{last#@}}\" >> '{log}'\n\
             [ -f '{before}' ] && sh '{before}'\n'{javac}' \"$@\"\nstatus=$?\n\
             [ -f '{after}' ] && sh '{after}'\nexit $status\n",
            log = log.display(),
            javac = javac.display(),
            before = self.path("before").display(),
            after = self.path("after").display(),
        );
        fs::write(self.path("jdk/bin/javac"), script).unwrap();
        fs::set_permissions(self.path("jdk/bin/javac"), Permissions::from_mode(0o755)).unwrap();
    }

    fn open(&self, cache: Option<&CompileCache>) -> Result<ClassPath, OpenError> {
        let options = Options { java_home: Some(self.path("jdk")), compiled: cache, ..Options::default() };
        ClassPath::open(&[self.path("program")], &options)
    }

    /// Lets the compiler write a source before it runs, and again after it.
    fn while_compiling(&self, name: &str, before: &str, after: &str) {
        for (when, text) in [("before", before), ("after", after)] {
            fs::write(self.path(&format!("{when}.java")), text).unwrap();
            let copy = format!(
                "cat '{}' > '{}'",
                self.path(&format!("{when}.java")).display(),
                self.path("program").join(name).display()
            );
            fs::write(self.path(when), copy).unwrap();
        }
    }

    /// How many sources the compiler was given since the last call, for each run.
    fn compiled(&self) -> Vec<usize> {
        let log = fs::read_to_string(self.path("log")).unwrap_or_default();
        let _ = fs::remove_file(self.path("log"));
        log.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// Opens the program with the cache, for which all of so many sources are compiled.
    #[track_caller]
    fn compiles(&self, sources: usize) {
        self.open(Some(&self.cache)).unwrap();
        assert_eq!(self.compiled(), [sources]);
    }

    /// Opens the program with the cache. The classes must be those that the compiler makes of all sources.
    #[track_caller]
    fn check(&self, what: &str, compiled: &[usize]) {
        let kept = self.open(Some(&self.cache)).unwrap();
        assert_eq!(self.compiled(), compiled, "{what}");
        let fresh = self.open(None).unwrap();
        self.compiled();
        let names = |classes: &ClassPath| classes.user_classes().map(String::from).collect::<Vec<_>>();
        assert_eq!(names(&kept), names(&fresh), "{what}");
        for name in names(&fresh) {
            assert!(kept.find(&name).unwrap() == fresh.find(&name).unwrap(), "{what}: {name} is another class");
        }
    }
}

const USER: &str = "package p; public class User { int use() { return q.Helper.LIMIT + new q.Helper().help(1); } }";
const OTHER: &str = "package p; class Other { Runnable run() { return () -> new User().use(); } }";
const HELPER: &str = "package q; public class Helper { public static final int LIMIT = 3; int own; \
                      public int help(int n) { return n + LIMIT; } }";

/// A program that was compiled once.
fn program() -> Setup {
    let setup = Setup::new(&[("p/User.java", USER), ("p/Other.java", OTHER), ("q/Helper.java", HELPER)]);
    // What was compiled with a compiler that may still be written to is not kept.
    std::thread::sleep(Duration::from_secs(3));
    setup.compiles(3);
    setup
}

#[test]
fn only_changed_sources_are_compiled() {
    let program = program();
    program.write("q/Helper.java", &HELPER.replace("n + LIMIT", "own + java.util.Map.entry(n, 2).getValue()"));
    program.check("another method body, which names further classes", &[1]);
    program
        .write("p/Other.java", &OTHER.replace("() -> new User().use()", "() -> { Runnable r = () -> {}; r.run(); }"));
    program.check("one more lambda, which is a synthetic method", &[1]);
    program.write("p/Other.java", &format!("\n\n{OTHER}"));
    program.check("other lines", &[1]);
    program.check("nothing", &[]);
}

#[test]
fn all_sources_are_compiled_where_others_see_the_change() {
    let program = program();
    let edit = |what: &str, from: &str, to: &str| {
        assert!(HELPER.contains(from));
        program.write("q/Helper.java", &HELPER.replace(from, to));
        program.check(what, &[1, 3]);
    };
    edit("another constant", "LIMIT = 3", "LIMIT = 4");
    edit(
        "a better overload",
        "int own;",
        "public int help(byte n) { return 2; } public int help(Object n) { return 1; }",
    );
    program.write("q/Helper.java", &format!("{HELPER} class Extra {{}}"));
    program.check("a class that was not there", &[1, 3]);
    program.write("p/Helper.java", "package p; class Helper {}");
    program.check("a source that was not there", &[4]);
}

#[test]
fn errors_are_those_of_all_sources() {
    let program = program();
    program.write("q/Helper.java", &HELPER.replace("int n)", "String n)"));
    let Err(OpenError::Compile(errors)) = program.open(Some(&program.cache)) else { panic!("it compiles") };
    assert_eq!(
        errors.messages.iter().filter(|error| error.path == Some(program.path("program/p/User.java"))).count(),
        1
    );
    program.write("q/Helper.java", HELPER);
    program.compiled();
    program.check("as it was kept", &[]);
}

#[test]
fn names_of_class_files_are_no_names_of_classes() {
    let program = program();
    program.write("p/Other.java", "package p; class Other { class Inner {} void f() { class Local {} } }");
    program.check("nested and local classes", &[1, 3]);
    program.write("p/User.java", &USER.replace("int use()", "Other\\u0024Inner field; int use()"));
    assert!(matches!(program.open(Some(&program.cache)), Err(OpenError::Compile(_))));
}

#[test]
fn classes_belong_to_the_sources_they_were_compiled_from() {
    let setup = Setup::new(&[
        ("x/U.java", "package p; class A {}"),
        ("y/U.java", "package p; class C {}"),
        ("M.java", "class M {}"),
    ]);
    std::thread::sleep(Duration::from_secs(3));
    setup.compiles(3);
    setup.write("x/U.java", "// package p; class A {}");
    setup.check("a source that is commented out", &[3]);
}

#[test]
fn edits_that_are_undone_while_the_compiler_runs() {
    let program = program();
    let edited = HELPER.replace("n + LIMIT", "n - LIMIT");
    program.write("q/Helper.java", &HELPER.replace("n + LIMIT", "n * LIMIT"));
    program.while_compiling("q/Helper.java", &edited, &HELPER.replace("n + LIMIT", "n * LIMIT"));
    program.open(Some(&program.cache)).unwrap();
    fs::remove_file(program.path("before")).unwrap();
    fs::remove_file(program.path("after")).unwrap();
    program.compiled();
    program.check("an edit that was undone", &[1]);
}

#[test]
fn files_that_are_damaged_or_cannot_be_written_do_not_count() {
    let program = program();
    let files = fs::read_dir(program.path("cache")).unwrap().map(|entry| entry.unwrap().path());
    let kept: Vec<PathBuf> = files.filter(|file| fs::metadata(file).unwrap().len() > 0).collect();
    let [kept] = &kept[..] else { panic!("{kept:?}") };
    let bytes = fs::read(kept).unwrap();
    for damaged in [&bytes[..bytes.len() / 2], &[]] {
        fs::write(kept, damaged).unwrap();
        program.compiles(3);
    }
    let mut changed = bytes.clone();
    let at = changed.windows(4).position(|window| window == b"help").unwrap();
    changed[at] = b'H';
    fs::write(kept, changed).unwrap();
    program.compiles(3);
    fs::remove_dir_all(program.path("cache")).unwrap();
    fs::write(program.path("cache"), "no folder").unwrap();
    program.compiles(3);
}

#[test]
fn libraries_count() {
    let program = program();
    let library = |text: &str| {
        let source = program.path("library/L.java");
        fs::create_dir_all(program.path("classes")).unwrap();
        fs::create_dir_all(source.parent().unwrap()).unwrap();
        fs::write(&source, text).unwrap();
        let status = Command::new("javac").arg("-d").arg(program.path("classes")).arg(source).status().unwrap();
        assert!(status.success());
    };
    library("public class L { public static final int X = 1; }");
    program.write("M.java", "class M { int m() { return L.X; } }");
    let open = || {
        let extra = vec![program.path("classes")];
        let options = Options {
            java_home: Some(program.path("jdk")),
            compiled: Some(&program.cache),
            extra,
            ..Options::default()
        };
        ClassPath::open(&[program.path("program")], &options).unwrap().find("M").unwrap().bytes
    };
    std::thread::sleep(Duration::from_secs(3));
    program.compiled();
    let first = open();
    assert!(open() == first);
    assert_eq!(program.compiled(), [4]);
    library("public class L { public static final int X = 2; }");
    assert!(open() != first);
}
