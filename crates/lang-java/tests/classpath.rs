//! Which classes are found where. Needs a JDK.

use aback_lang_java::classpath::{ClassPath, OpenError, Options, Origin, Warning};
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use zip::write::{SimpleFileOptions, ZipWriter};

/// Class files that tests copy to where they need them: `Main`, `p/A`, `p/A$Inner`, `p/B`, and another `p/A` as `old/p/A`.
static CLASSES: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let compile = |to: &str, sources: &[(&str, &str)]| {
        let paths: Vec<PathBuf> = sources.iter().map(|(name, text)| write(folder.path(), name, text)).collect();
        let out = folder.path().join(to);
        fs::create_dir_all(&out).unwrap();
        let status = std::process::Command::new("javac").arg("-g").arg("-d").arg(&out).args(&paths).status();
        assert!(status.expect("a JDK is needed: make setup").success());
    };
    compile("new", &[("Main.java", "class Main {}"), ("A.java", A), ("B.java", "package p; public class B {}")]);
    compile("old", &[("A.java", "package p; public class A { int old; }")]);
    folder
});

const A: &str = "package p;\npublic class A { class Inner {} }\n";

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, content).unwrap();
    path
}

/// The bytes of a file below [`CLASSES`]: `new/p/A.class`.
fn class(name: &str) -> Vec<u8> {
    fs::read(CLASSES.path().join(name)).unwrap()
}

fn jar(path: &Path, entries: &[(&str, &[u8])]) {
    let mut jar = ZipWriter::new(fs::File::create(path).unwrap());
    for (name, content) in entries {
        jar.start_file(*name, SimpleFileOptions::default()).unwrap();
        jar.write_all(content).unwrap();
    }
    jar.finish().unwrap();
}

/// A folder of a test, and what is opened in it.
struct Setup {
    folder: TempDir,
    options: Options<'static>,
}

impl Setup {
    /// Files of a test: a content that starts with `@` names a file of [`CLASSES`].
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            match content.strip_prefix('@') {
                Some(compiled) => write(folder.path(), name, class(compiled)),
                None => write(folder.path(), name, content),
            };
        }
        Setup { folder, options: Options::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn extra(mut self, name: &str) -> Self {
        self.options.extra.push(self.path(name));
        self
    }

    fn open(&self, paths: &[&str]) -> Result<ClassPath, OpenError> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| self.path(path)).collect();
        ClassPath::open(&paths, &self.options)
    }

    /// Opens `paths` and compares all classes of the user with `expected`: `name < file that it comes from`.
    #[track_caller]
    fn check(&self, paths: &[&str], expected: &[&str]) -> ClassPath {
        let classes = self.open(paths).unwrap();
        let shown = |name: &str| match classes.find(name).map(|class| class.origin) {
            Some(Origin::User { path }) => {
                let path = path.strip_prefix(self.folder.path()).unwrap_or(&path).to_owned();
                format!("{name} < {}", path.display())
            }
            other => format!("{name} < {other:?}"),
        };
        assert_eq!(classes.user_classes().map(shown).collect::<Vec<_>>(), expected);
        classes
    }

    #[track_caller]
    fn check_error(&self, paths: &[&str], expected: &str) {
        let error = self.open(paths).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn class_files_are_named_by_what_they_define() {
    let setup = Setup::new(&[
        ("flat/A.class", "@new/p/A.class"),
        ("flat/X.class", "@new/Main.class"),
        ("out/p/A$Inner.class", "@new/p/A$Inner.class"),
        ("out/p/B.class", "@new/p/B.class"),
        ("out/p/package-info.class", ""),
        (".hidden/p/Z.class", "@new/p/A.class"),
    ]);
    let expected =
        ["Main < flat/X.class", "p/A < flat/A.class", "p/A$Inner < out/p/A$Inner.class", "p/B < out/p/B.class"];
    let classes = setup.check(&["."], &expected);
    assert_eq!(classes.warnings(), []);
    setup.check(&["out/p"], &expected[2..]);
    setup.check(&["flat/X.class", "flat"], &expected[..2]);
}

#[test]
fn the_first_file_of_a_class_counts() {
    let setup = Setup::new(&[("a/p/A.class", "@old/p/A.class"), ("b/p/A.class", "@new/p/A.class")]);
    let classes = setup.check(&["b", "a"], &["p/A < b/p/A.class"]);
    let [Warning::Duplicate { class, kept, ignored }] = &classes.warnings()[..] else { panic!() };
    assert_eq!((class.as_str(), kept, ignored), ("p/A", &setup.path("b/p/A.class"), &setup.path("a/p/A.class")));
}

#[test]
fn files_that_lie_about_their_class_are_passed_over() {
    let setup = Setup::new(&[
        ("p/A.class", "@new/p/A.class"),
        ("p/B.class", "@new/Main.class"),
        ("p/C.class", "no class"),
        ("q/D.class", "no class"),
    ]);
    let classes = setup.open(&["."]).unwrap();
    assert!(classes.find("p/A").is_some());
    assert!(classes.find("p/B").is_none() && classes.find("p/C").is_none() && classes.find("p/C").is_none());
    let warnings: Vec<String> = classes.warnings().iter().map(Warning::to_string).collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    assert!(warnings[1].contains("it defines Main and stands where p/B belongs"), "{warnings:?}");
    setup.check_error(&["p/C.class"], "it is not a class file; compile it again");
}

#[test]
fn damaged_class_files_are_no_classes() {
    let setup = Setup::new(&[]);
    let whole = class("new/p/A.class");
    for end in 0..whole.len() {
        write(setup.folder.path(), "A.class", &whole[..end]);
        match setup.open(&["A.class"]) {
            Ok(classes) => assert!(classes.find("p/A").is_some()),
            Err(error) => assert!(matches!(error, OpenError::BadClass { .. }), "{error}"),
        }
    }
}

#[test]
fn sources_are_compiled_together_and_win_over_class_files() {
    let setup = Setup::new(&[
        ("common/p/A.java", A),
        ("common/p/A.class", "@old/p/A.class"),
        ("common/module-info.java", "module m {}"),
        ("prog/- x/Main.java", "/* é */ import p.*; public class Main { A a; B b; } class Second {}"),
        ("lib/p/B.class", "@new/p/B.class"),
    ])
    .extra("lib");
    let classes = setup.check(
        &["common", "prog", "common/p/A.java"],
        &[
            "Main < prog/- x/Main.java",
            "Second < prog/- x/Main.java",
            "p/A < common/p/A.java",
            "p/A$Inner < common/p/A.java",
        ],
    );
    assert_eq!(classes.warnings(), []);
    assert_eq!(classes.sources().len(), 2);
    let source = classes.source("p", "A.java").unwrap();
    assert_eq!((source.path, source.text.as_deref()), (setup.path("common/p/A.java"), Some(A)));
    assert!(classes.source("", "A.java").is_none() && classes.source("p", "../p/A.java").is_none());
    assert!(matches!(classes.find("p/B").unwrap().origin, Origin::Extra { path } if path.ends_with("lib/p/B.class")));
}

#[test]
fn sources_see_class_files_wherever_they_lie() {
    let setup = Setup::new(&[
        ("flat/x.class", "@new/p/A.class"),
        ("flat/B.class", "@new/p/B.class"),
        ("Use.java", "class Use { p.A a; }"),
    ]);
    setup.check(&["Use.java", "flat"], &["Use < Use.java", "p/A < flat/x.class", "p/B < flat/B.class"]);
}

#[test]
fn errors_in_sources_have_places() {
    let setup = Setup::new(&[("Bad.java", "class Bad {\n  int x = \"a\";\n  void f() { g(); }\n}\n")]);
    let Err(OpenError::Compile(errors)) = setup.open(&["Bad.java"]) else { panic!() };
    let places: Vec<_> = errors.messages.iter().map(|message| (message.line, message.column)).collect();
    assert_eq!(places, [(2, 11), (3, 14)]);
    assert!(errors.messages.iter().all(|message| message.path == Some(setup.path("Bad.java"))));
    assert_eq!(errors.messages[1].text, "cannot find symbol");
    assert!(errors.messages[1].details.iter().any(|line| line.contains("method g()")), "{errors:?}");
    assert_eq!(
        errors.to_string(),
        "the Java sources have 2 errors, first: incompatible types: String cannot be converted to int"
    );
}

#[test]
fn the_compiler_is_stopped_in_time() {
    static INTERRUPT: AtomicBool = AtomicBool::new(true);
    // A compiler that does not end, so that it does not matter how fast one is.
    let mut setup = Setup::new(&[("Main.java", "class Main {}"), ("jdk/bin/javac", "#!/bin/sh\nexec sleep 60\n")]);
    fs::set_permissions(setup.path("jdk/bin/javac"), Permissions::from_mode(0o755)).unwrap();
    let java_home = Some(setup.path("jdk"));
    let start = Instant::now();
    setup.options = Options { java_home: java_home.clone(), interrupt: Some(&INTERRUPT), ..Options::default() };
    setup.check_error(&["Main.java"], "stopped");
    let late = Instant::now() + Duration::from_millis(50);
    setup.options = Options { java_home, deadline: Some(late), ..Options::default() };
    setup.check_error(&["Main.java"], "stopped");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn jars_give_classes_of_the_right_release() {
    let setup = Setup::new(&[]);
    let (old, new, b) = (class("old/p/A.class"), class("new/p/A.class"), class("new/p/B.class"));
    let manifest = b"Manifest-Version: 1.0\r\nmulti-release: true\r\n\r\nName: x\r\n";
    let entries: &[(&str, &[u8])] = &[
        ("META-INF/MANIFEST.MF", manifest),
        ("module-info.class", b""),
        ("p/A.class", &old),
        ("p/A.java", b"in the jar"),
        ("META-INF/versions/11/p/A.class", &new),
        ("META-INF/versions/999/p/A.class", b""),
        ("META-INF/versions/9/p/B.class", &b),
    ];
    jar(&setup.path("multi.jar"), entries);
    jar(&setup.path("single.jar"), &entries[2..]);
    let classes = setup.check(&["multi.jar"], &["p/A < multi.jar", "p/B < multi.jar"]);
    assert_eq!(classes.find("p/A").unwrap().bytes, new);
    assert_eq!(classes.source("p", "A.java").unwrap().text.as_deref(), Some("in the jar"));
    let classes = setup.check(&["single.jar"], &["p/A < single.jar"]);
    assert_eq!(classes.find("p/A").unwrap().bytes, old);
}

#[test]
fn jars_in_folders_are_libraries() {
    let setup = Setup::new(&[("Main.class", "@new/Main.class"), ("lib/broken.jar", "PK")]);
    jar(&setup.path("lib/a.jar"), &[("p/A.class", &class("new/p/A.class"))]);
    let classes = setup.check(&["."], &["Main < Main.class"]);
    assert!(matches!(classes.find("p/A").unwrap().origin, Origin::Extra { .. }));
    assert!(matches!(&classes.warnings()[..], [Warning::Unusable { path, .. }] if path.ends_with("lib/broken.jar")));
}

#[test]
fn damaged_jars_are_errors_or_warnings() {
    let setup = Setup::new(&[]);
    let path = setup.path("x.jar");
    jar(&path, &[("p/A.class", &class("new/p/A.class")), ("p/B.class", &vec![0; 65 << 20])]);
    let classes = setup.open(&["x.jar"]).unwrap();
    assert!(classes.find("p/B").is_none());
    assert!(classes.warnings()[0].to_string().contains("larger than 64 MB"), "{:?}", classes.warnings());

    jar(&path, &[("p/A.class", &class("new/p/A.class"))]);
    let whole = fs::read(&path).unwrap();
    for end in 0..whole.len() {
        fs::write(&path, &whole[..end]).unwrap();
        setup.check_error(&["x.jar"], "cannot be read as a jar file");
    }
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        fs::write(&path, &bytes).unwrap();
        let _ = setup.open(&["x.jar"]).map(|classes| classes.find("p/A"));
    }
    // Bit 0 of the flags, in the entry's header and in the directory, says that the entry is encrypted.
    let mut bytes = whole.clone();
    let directory = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    bytes[6] |= 1;
    bytes[directory + 8] |= 1;
    fs::write(&path, &bytes).unwrap();
    let classes = setup.open(&["x.jar"]).unwrap();
    assert!(classes.find("p/A").is_none());
    assert!(classes.warnings()[0].to_string().contains("it is encrypted"), "{:?}", classes.warnings());
}

#[test]
fn the_jdk_has_classes_of_all_its_modules() {
    let setup = Setup::new(&[("java/lang/Object.class", "@new/Main.class"), ("Main.class", "@new/Main.class")]);
    let classes = setup.open(&["."]).unwrap();
    for name in
        ["java/lang/Object", "java/util/HashMap$Node", "java/util/logging/Logger", "javax/xml/parsers/SAXParser"]
    {
        let class = classes.find(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(class.origin, Origin::Library);
        assert!(class.bytes.starts_with(&[0xca, 0xfe, 0xba, 0xbe]));
    }
    for name in ["java/util/Nope", "[I", "", "/", "../x", "java/util/", "java.util.Map"] {
        assert!(classes.find(name).is_none(), "{name}");
    }
    assert!(classes.library().unwrap().version() >= Some(17));
}

#[test]
fn a_missing_or_damaged_jdk_is_explained() {
    let mut setup = Setup::new(&[
        ("Main.class", "@new/Main.class"),
        ("Main.java", "class Main {}"),
        ("none/release", ""),
        ("bad/lib/modules", "no image"),
    ]);
    let with_home = |setup: &mut Setup, home: &str| {
        setup.options.java_home = Some(setup.path(home));
        let classes = setup.open(&["Main.class"]).unwrap();
        assert!(classes.find("Main").is_some() && classes.find("java/lang/Object").is_none());
        classes.library().unwrap_err().to_string()
    };
    let reason = with_home(&mut setup, "none");
    assert!(reason.contains("no Java classes") && reason.contains("JDK 17 to 25"), "{reason}");
    setup.check_error(&["Main.java"], "there is no javac in");
    let reason = with_home(&mut setup, "bad");
    assert!(reason.contains("bad/lib/modules cannot be read"), "{reason}");
}

#[test]
fn paths_that_hold_nothing_are_errors() {
    let setup = Setup::new(&[("a.txt", ""), ("empty/x.txt", ""), ("Main.java", ""), ("Main.class", "@new/Main.class")]);
    setup.check_error(&["missing"], "cannot read");
    setup.check_error(&["a.txt"], "not this kind of file");
    setup.check_error(&["empty"], "there are no .java sources");
    setup.extra("Main.java").check_error(&["Main.class"], "class path takes compiled classes");
}

#[test]
fn links_to_folders_are_not_followed() {
    let setup = Setup::new(&[("a/Main.class", "@new/Main.class")]);
    std::os::unix::fs::symlink(setup.path("."), setup.path("a/loop")).unwrap();
    setup.check(&["a"], &["Main < a/Main.class"]);
}

#[test]
fn class_paths_are_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<ClassPath>();
}

/// A JDK that two programs share is opened once, and what was parsed for one is there for the next; without sharing there is nothing.
#[test]
fn programs_share_what_was_read_of_the_jdk() {
    let setup = Setup::new(&[("Main.class", "@new/Main.class")]);
    let platforms = aback_frontend::Platforms::default();
    let open = |platforms| {
        let options = Options { platforms, ..Options::default() };
        ClassPath::open(&[setup.path("Main.class")], &options).unwrap()
    };
    let (first, second, other) = (open(Some(&platforms)), open(Some(&platforms)), open(None));
    let library = |classes: &ClassPath| std::ptr::from_ref(classes.library().unwrap());
    assert_eq!(library(&first), library(&second));
    assert_ne!(library(&first), library(&other));
    let read = |classes: ClassPath| {
        let program = aback_lang_java::load(classes);
        let map = program.class_named("java.util.HashMap").unwrap();
        program.class(map).methods.len()
    };
    assert_eq!(read(first), read(second));
}
