//! Errors and warnings of class paths.

use std::path::PathBuf;

/// What the user can do where there is no JDK.
pub(super) const INSTALL: &str = "install a JDK 17 to 25 (on Debian and Ubuntu: apt-get install default-jdk-headless)";

/// The reason why a class path cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A path that does not exist or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A file that contains no classes.
    #[error("{}: aback reads .java sources, .class files, .jar files and folders of them, not this kind of file", .0.display())]
    UnknownKind(PathBuf),
    /// Sources among the libraries.
    #[error(
        "{}: the class path takes compiled classes (.class, .jar, folders); name sources where the program is named",
        .0.display()
    )]
    SourceInClassPath(PathBuf),
    /// A named `.class` file that is malformed.
    #[error("{} cannot be read as a class file: {reason}; compile it again", path.display())]
    BadClass {
        /// The path as given.
        path: PathBuf,
        /// The mistake in the file.
        reason: String,
    },
    /// A named `.jar` file that is malformed.
    #[error("{} cannot be read as a jar file: {reason}; build it again", path.display())]
    BadJar {
        /// The path as given.
        path: PathBuf,
        /// The mistake in the file.
        reason: String,
    },
    /// The paths contain no class that can be used.
    #[error("there are no .java sources, .class files or .jar files with classes in {}{}", listed(paths), but(ignored))]
    NoClasses {
        /// The paths as given.
        paths: Vec<PathBuf>,
        /// What is in them and cannot be used.
        ignored: Vec<Warning>,
    },
    /// Sources must be compiled, but there is no compiler.
    #[error(
        "the .java sources must be compiled, and there is no javac in {searched}: {INSTALL}, set JAVA_HOME to one, or give \
         compiled .class files or a .jar"
    )]
    NoCompiler {
        /// Where the compiler was searched.
        searched: String,
    },
    /// The sources do not compile; the messages say why.
    #[error(transparent)]
    Compile(CompileErrors),
    /// The compiler did not finish normally.
    #[error("{} failed ({status}), which is not about the sources: {output}", javac.display())]
    Compiler {
        /// The compiler.
        javac: PathBuf,
        /// The exit status of the compiler.
        status: String,
        /// The output of the compiler.
        output: String,
    },
    /// An interruption or the deadline stopped the compilation.
    #[error("stopped while the sources were compiled")]
    Stopped,
    /// The compiled classes cannot be written.
    #[error("cannot write compiled classes to a temporary folder: {0}; set TMPDIR to a folder with space")]
    Temporary(std::io::Error),
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What was ignored, of which there may be much.
fn but(ignored: &[Warning]) -> String {
    /// Most files that are named.
    const MOST: usize = 3;
    let named = ignored.iter().take(MOST).map(|warning| format!("; {warning}"));
    let more = ignored.len().saturating_sub(MOST);
    named.collect::<String>() + &if more > 0 { format!("; and {more} more") } else { String::new() }
}

/// The compiler's error messages about the sources.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the Java sources have {}: {}", count(.messages.len()), .messages.first().map_or(.rest.trim(), |message| &message.text))]
pub struct CompileErrors {
    /// One message for each error, in the compiler's order.
    pub messages: Vec<CompileError>,
    /// Lines outside the messages: notes and counts.
    pub rest: String,
}

fn count(errors: usize) -> String {
    match errors {
        0 => "errors".into(),
        1 => "an error".into(),
        n => format!("{n} errors, first"),
    }
}

/// One error in the sources.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileError {
    /// The source as the user gave it. `None` if the compiler gives no place.
    pub path: Option<PathBuf>,
    /// The line, from 1; 0 if there is no place.
    pub line: u32,
    /// The column in characters, from 1; 0 if it is unknown.
    pub column: u32,
    /// The message, on one line.
    pub text: String,
    /// Further explanations of the compiler, line by line, without the source excerpt.
    pub details: Vec<String>,
}

/// A problem that the user should know but that does not stop the analysis.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Warning {
    /// Two of the user's files define the same class.
    #[error("{} is ignored: {} defines {class}, too, and comes first", ignored.display(), kept.display())]
    Duplicate {
        /// Internal name of the class.
        class: String,
        /// The file that is used.
        kept: PathBuf,
        /// The file that is ignored.
        ignored: PathBuf,
    },
    /// A class file that lies where another class belongs.
    #[error("{} is ignored: it defines {actual} and stands where {expected} belongs", path.display())]
    Misplaced {
        /// The class file, or the jar that contains it.
        path: PathBuf,
        /// The expected class.
        expected: String,
        /// The class that the file defines.
        actual: String,
    },
    /// A class whose class file is not valid.
    #[error("the class {class} of {} cannot be loaded: {reason}", path.display())]
    BadClass {
        /// The full name of the class.
        class: String,
        /// The source, class file or jar that contains the class.
        path: PathBuf,
        /// The mistake.
        reason: String,
    },
    /// A file or folder that cannot be used.
    #[error("{} is ignored: {reason}", path.display())]
    Unusable {
        /// The path of the file or folder; for a jar entry, the path of the jar.
        path: PathBuf,
        /// The reason why it cannot be used.
        reason: String,
    },
}

/// The reason why there are no JDK classes.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoLibrary {
    /// No Java was found.
    #[error("no Java was found: {INSTALL}, or set JAVA_HOME to one")]
    NoJava,
    /// Folders that should be a JDK but have no image of its classes.
    #[error("there are no Java classes at {}: name the folder of a JDK 17 to 25", listed(.0))]
    NoImage(Vec<PathBuf>),
    /// An image that cannot be read.
    #[error("{} cannot be read: {reason}; install a JDK 17 to 25", path.display())]
    BadImage {
        /// The image.
        path: PathBuf,
        /// The mistake in the image.
        reason: String,
    },
}
