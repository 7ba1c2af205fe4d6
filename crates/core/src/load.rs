//! From paths to a program.

use aback_ir::{Diagnostic, Program, Severity, SourceFile, Span};
use aback_lang_java::classpath::{ClassPath, CompileError, NoLibrary, OpenError, Options};
use aback_lang_java::{JavaLoader, JavaProgram, Settings};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// What a program is written in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Language {
    /// OOX: `.oox`.
    Oox,
    /// Java: `.java`, `.class`, `.jar`.
    Java,
    /// The text form of the program model itself: `.ir`.
    Model,
}

impl Language {
    /// The language of a file, by its ending.
    fn of(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "oox" => Some(Language::Oox),
            "java" | "class" | "jar" => Some(Language::Java),
            "ir" => Some(Language::Model),
            _ => None,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::Oox => "OOX",
            Language::Java => "Java",
            Language::Model => "a program model",
        })
    }
}

/// Where a program is looked for beside its paths, and when that stops.
#[derive(Clone, Debug, Default)]
pub struct LoadConfig {
    /// Libraries of a Java program: folders, `.jar` and `.class` files.
    pub class_path: Vec<PathBuf>,
    /// The folder of the JDK; none to look where the environment says.
    pub java_home: Option<PathBuf>,
    /// Most characters of strings that are inputs of a Java program; none for the usual bound.
    pub string_length: Option<u32>,
    /// Whether executions of a Java program in which an integer of the user's own code overflows are left out.
    pub unbounded_integers: bool,
    /// Whether static fields of a Java program hold anything at an entry point that a program does not start with.
    pub any_statics: bool,
    /// When the Java compiler is stopped.
    pub deadline: Option<Instant>,
    /// Stops the Java compiler when set.
    pub interrupt: Arc<AtomicBool>,
}

/// A program with what its front end had to say about it.
pub struct Loaded {
    /// The program.
    pub program: Program,
    /// What it is written in.
    pub language: Language,
    /// Warnings: errors are a [`LoadError`].
    pub warnings: Vec<Diagnostic>,
    /// Where the classes are from, if it is written in Java.
    pub java: Option<Arc<JavaLoader>>,
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A path that does not exist or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is not text.
    #[error("{}:{line}: the file is not text in UTF-8", path.display())]
    NotText {
        /// The path as given.
        path: PathBuf,
        /// The line of the first bytes that are no text, from 1.
        line: usize,
    },
    /// A file of a kind that no front end reads.
    #[error(
        "{}: aback reads .java sources, .class and .jar files, .oox sources, folders of them, and .ir program models, \
         not this kind of file",
        .0.display()
    )]
    UnknownKind(PathBuf),
    /// A folder without sources.
    #[error("{} has no .java, .class, .jar or .oox files", .0.display())]
    NoSources(PathBuf),
    /// A folder with programs in several languages.
    #[error(
        "{} has files of both OOX ({}) and Java ({}): name the files, or folders, of one of them",
        folder.display(), oox.display(), java.display()
    )]
    MixedFolder {
        /// The folder as given.
        folder: PathBuf,
        /// An OOX source in it.
        oox: PathBuf,
        /// A Java file in it.
        java: PathBuf,
    },
    /// Paths of several languages.
    #[error("{} is {first} and {} is {second}: a program is in one language, so ask about them one by one", paths.0.display(), paths.1.display())]
    MixedLanguages {
        /// The language of the first path.
        first: Language,
        /// That of the second one.
        second: Language,
        /// Two paths as given.
        paths: Box<(PathBuf, PathBuf)>,
    },
    /// Files that cannot be one program.
    #[error("a program model (.ir) stands alone: give one such file and no sources")]
    ModelNotAlone,
    /// A program model that is not well formed.
    #[error("{}:{message}", path.display())]
    Model {
        /// The file.
        path: PathBuf,
        /// Where and what.
        message: String,
    },
    /// Java's classes cannot be found.
    #[error(transparent)]
    Java(OpenError),
    /// The classes of the JDK cannot be found.
    #[error("Java programs need the classes of a JDK, and {0}")]
    NoLibrary(NoLibrary),
    /// The interrupt or the deadline came while sources were compiled.
    #[error("stopped while the sources were compiled")]
    Stopped,
    /// The sources are not a program; the messages say why.
    #[error("the program has {} error{}", errors(.diagnostics), if errors(.diagnostics) == 1 { "" } else { "s" })]
    Invalid {
        /// What was read, for the places in the messages.
        program: Box<Program>,
        /// Errors and warnings.
        diagnostics: Vec<Diagnostic>,
    },
}

fn errors(diagnostics: &[Diagnostic]) -> usize {
    diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
}

/// Reads what is at `paths`, files or folders, as one program. A file that is named twice is read once.
///
/// # Errors
/// See [`LoadError`].
pub fn load(paths: &[PathBuf], config: &LoadConfig) -> Result<Loaded, LoadError> {
    let found: Vec<Found> = paths.iter().map(|path| find(path)).collect::<Result<_, _>>()?;
    let different = found.iter().zip(paths).find(|(other, _)| other.language != found[0].language);
    match (found.first().map(|first| first.language), different) {
        (Some(Language::Model), _) if paths.len() > 1 => Err(LoadError::ModelNotAlone),
        (_, Some((other, _))) if other.language == Language::Model => Err(LoadError::ModelNotAlone),
        (Some(first), Some((other, path))) => Err(LoadError::MixedLanguages {
            first,
            second: other.language,
            paths: Box::new((paths[0].clone(), path.clone())),
        }),
        (Some(Language::Java), None) => load_java(paths, config),
        (Some(Language::Model), None) => load_model(&paths[0]),
        (Some(Language::Oox) | None, None) => load_oox(found.into_iter().flat_map(|found| found.files).collect()),
        (None, Some(_)) => Err(LoadError::NoSources(PathBuf::new())),
    }
}

fn settings(config: &LoadConfig) -> Settings {
    let usual = Settings::default();
    Settings {
        string_length: config.string_length.unwrap_or(usual.string_length),
        unbounded_integers: config.unbounded_integers,
        any_statics: config.any_statics,
    }
}

fn load_oox(mut files: Vec<PathBuf>) -> Result<Loaded, LoadError> {
    let mut seen = FxHashSet::default();
    files.retain(|file| file.canonicalize().map_or(true, |file| seen.insert(file)));
    let mut sources = Vec::new();
    for file in files {
        let text = read(&file)?;
        sources.push((file, text));
    }
    let aback_lang_oox::Loaded { program, diagnostics } = aback_lang_oox::load(sources);
    if errors(&diagnostics) > 0 {
        return Err(LoadError::Invalid { program: Box::new(program), diagnostics });
    }
    Ok(Loaded { program, language: Language::Oox, warnings: diagnostics, java: None })
}

fn load_java(paths: &[PathBuf], config: &LoadConfig) -> Result<Loaded, LoadError> {
    let options = Options {
        java_home: config.java_home.clone(),
        extra: config.class_path.clone(),
        deadline: config.deadline,
        interrupt: Some(&config.interrupt),
    };
    let classes = ClassPath::open(paths, &options).map_err(|error| match error {
        OpenError::Compile(errors) => not_compiled(&errors.messages),
        OpenError::Stopped => LoadError::Stopped,
        other => LoadError::Java(other),
    })?;
    classes.library().map_err(|missing| LoadError::NoLibrary(missing.clone()))?;
    let JavaProgram { program, loader, warnings } = aback_lang_java::load_with(classes, &settings(config));
    let warnings = warnings.iter().map(|warning| Diagnostic::warning(Span::NONE, warning.to_string())).collect();
    Ok(Loaded { program, language: Language::Java, warnings, java: Some(loader) })
}

/// What the Java compiler said, as messages about places.
fn not_compiled(messages: &[CompileError]) -> LoadError {
    let program = Program::new();
    let mut files = FxHashMap::default();
    let mut diagnostics = Vec::new();
    for CompileError { path, line, column, text, details } in messages {
        let file = path.as_ref().map(|path| {
            *files.entry(path).or_insert_with(|| {
                let text = std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                program.add_file(SourceFile { path: path.clone(), text })
            })
        });
        let span = file.map_or(Span::NONE, |file| Span { file, line: *line, column: *column, length: 0 });
        // "symbol:   class B" reads as one line as well.
        let details: Vec<String> =
            details.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let details = details.iter().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        let message = if details.is_empty() { text.clone() } else { format!("{text} ({details})") };
        diagnostics.push(Diagnostic::error(span, message));
    }
    LoadError::Invalid { program: Box::new(program), diagnostics }
}

fn load_model(path: &Path) -> Result<Loaded, LoadError> {
    let text = read(path)?;
    let program = aback_ir::text::parse(&text)
        .map_err(|error| LoadError::Model { path: path.to_path_buf(), message: error.to_string() })?;
    Ok(Loaded { program, language: Language::Model, warnings: Vec::new(), java: None })
}

fn read(path: &Path) -> Result<String, LoadError> {
    let bytes = std::fs::read(path).map_err(|source| LoadError::Unreadable { path: path.to_path_buf(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let text = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
        LoadError::NotText { path: path.to_path_buf(), line }
    })
}

/// What is at a path.
struct Found {
    language: Language,
    /// The OOX sources, in order of their names.
    files: Vec<PathBuf>,
}

fn find(path: &Path) -> Result<Found, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_path_buf(), source };
    if std::fs::metadata(path).map_err(unreadable)?.is_file() {
        let language = Language::of(path).ok_or_else(|| LoadError::UnknownKind(path.to_path_buf()))?;
        return Ok(Found { language, files: vec![path.to_path_buf()] });
    }
    let mut files = Vec::new();
    let mut java = None;
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let unreadable = |source| LoadError::Unreadable { path: folder.clone(), source };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let kind = entry.file_type().map_err(unreadable)?;
            // Links are not followed into folders: they may be circular.
            if kind.is_dir() {
                folders.push(entry.path());
            } else {
                match Language::of(&entry.path()) {
                    Some(Language::Oox) => files.push(entry.path()),
                    Some(Language::Java) => java = java.or_else(|| Some(entry.path())),
                    Some(Language::Model) | None => {}
                }
            }
        }
    }
    files.sort();
    match (files.first(), java) {
        (Some(_), None) => Ok(Found { language: Language::Oox, files }),
        (None, Some(_)) => Ok(Found { language: Language::Java, files }),
        (Some(oox), Some(java)) => Err(LoadError::MixedFolder { folder: path.to_path_buf(), oox: oox.clone(), java }),
        (None, None) => Err(LoadError::NoSources(path.to_path_buf())),
    }
}
