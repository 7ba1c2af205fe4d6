//! What can go wrong while classes are looked for.

use std::path::PathBuf;

/// Why a class path cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// A path that does not exist or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path as given.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that holds no classes.
    #[error("{}: aback reads .java sources, .class files, .jar files and folders of them, not this kind of file", .0.display())]
    UnknownKind(PathBuf),
    /// Sources among the libraries.
    #[error(
        "{}: the class path takes compiled classes (.class, .jar, folders); name sources where the program is named",
        .0.display()
    )]
    SourceInClassPath(PathBuf),
    /// A `.class` file that was named and is none.
    #[error("{} cannot be read as a class file: {reason}; compile it again", path.display())]
    BadClass {
        /// The path as given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A `.jar` file that was named and is none.
    #[error("{} cannot be read as a jar file: {reason}; build it again", path.display())]
    BadJar {
        /// The path as given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The paths hold no class.
    #[error("there are no .java sources, .class files or .jar files with classes in {}", listed(.0))]
    NoClasses(Vec<PathBuf>),
    /// Sources are to be compiled and there is no compiler.
    #[error(
        "the .java sources must be compiled, and there is no javac in {searched}: install a JDK 17 to 25 (on Debian and \
         Ubuntu: apt-get install default-jdk-headless), set JAVA_HOME to one, or give compiled .class files or a .jar"
    )]
    NoCompiler {
        /// Where it was looked for.
        searched: String,
    },
    /// The sources are no Java program; the messages say why.
    #[error(transparent)]
    Compile(CompileErrors),
    /// The compiler could not run to its end.
    #[error("{} failed ({status}), which is not about the sources: {output}", javac.display())]
    Compiler {
        /// The compiler.
        javac: PathBuf,
        /// How it ended.
        status: String,
        /// What it said.
        output: String,
    },
    /// The interrupt or the deadline came while sources were compiled.
    #[error("stopped while the sources were compiled")]
    Stopped,
    /// There is no room for what is compiled.
    #[error("cannot write compiled classes to a temporary folder: {0}; set TMPDIR to a folder with space")]
    Temporary(std::io::Error),
}

fn listed(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// What the Java compiler has against the sources.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the Java sources have {}: {}", count(.messages.len()), .messages.first().map_or(.rest.trim(), |message| &message.text))]
pub struct CompileErrors {
    /// One message an error, in the compiler's order.
    pub messages: Vec<CompileError>,
    /// The lines that belong to no message: notes and counts.
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
    /// The source as the user gave it; none if the compiler names no place.
    pub path: Option<PathBuf>,
    /// The line from 1; 0 if there is no place.
    pub line: u32,
    /// The column from 1, in characters; 0 if it is not known.
    pub column: u32,
    /// What is wrong, on one line.
    pub text: String,
    /// The compiler's further explanations, line by line, without the excerpt of the source.
    pub details: Vec<String>,
}

/// Something that the user should know and that does not stop the analysis.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Warning {
    /// Two files among the user's define the same class.
    #[error("{} is ignored: {} defines {class}, too, and comes first", ignored.display(), kept.display())]
    Duplicate {
        /// Internal name of the class.
        class: String,
        /// The file that counts.
        kept: PathBuf,
        /// The file that does not.
        ignored: PathBuf,
    },
    /// A class file that stands where another class belongs.
    #[error("{} is ignored: it defines {actual} and stands where {expected} belongs", path.display())]
    Misplaced {
        /// The class file or the jar that it is in.
        path: PathBuf,
        /// The class that was looked for.
        expected: String,
        /// The class that it defines.
        actual: String,
    },
    /// A class that its class file does not define properly.
    #[error("the class {class} of {} cannot be loaded: {reason}", path.display())]
    BadClass {
        /// Its full name.
        class: String,
        /// The source, class file or jar that it is in.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file or folder that cannot be used.
    #[error("{} is ignored: {reason}", path.display())]
    Unusable {
        /// Its path; for an entry of a jar, the jar's.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// Why there are no classes of the JDK.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoLibrary {
    /// No Java at all.
    #[error(
        "no Java was found: install a JDK 17 to 25 (on Debian and Ubuntu: apt-get install default-jdk-headless), or set \
         JAVA_HOME to one"
    )]
    NoJava,
    /// Folders that should be a JDK and have no image of its classes.
    #[error("there are no Java classes at {}: name the folder of a JDK 17 to 25", listed(.0))]
    NoImage(Vec<PathBuf>),
    /// An image that cannot be read.
    #[error("{} cannot be read: {reason}; install a JDK 17 to 25", path.display())]
    BadImage {
        /// The image.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}
