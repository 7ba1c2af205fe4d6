//! Implements the front end for Java.

use crate::classpath::{self, ClassPath, CompileError, OpenError, Options};
use crate::conditions::Conditions;
use crate::loader::Java;
use crate::{JavaLoader, JavaProgram, Settings, load_with, supplied};
use aback_frontend::{FrontEnd, LoadConfig, LoadError, Loaded, Origin, Tool};
use aback_ir::{Diagnostic, MethodId, Program, SourceFile, Span};
use rustc_hash::FxHashMap;
use std::any::Any;
use std::path::{Path, PathBuf};

/// The front end for Java: `.java` sources through `javac`, `.class` and `.jar` files, and folders of them.
pub struct JavaFrontEnd;

impl FrontEnd for JavaFrontEnd {
    fn name(&self) -> &'static str {
        "Java"
    }

    fn key(&self) -> &'static str {
        "java"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["java", "class", "jar"]
    }

    fn written_extensions(&self) -> &'static [&'static str] {
        &["java"]
    }

    fn load(&self, paths: &[PathBuf], config: &LoadConfig) -> Result<Loaded, LoadError> {
        let classes = ClassPath::open(paths, &options(config)).map_err(|error| match error {
            OpenError::Compile(errors) => not_compiled(&errors.messages),
            OpenError::Stopped => LoadError::Stopped,
            other => LoadError::Platform(other.to_string()),
        })?;
        classes.library().map_err(|missing| {
            LoadError::Platform(format!("Java programs need the classes of a JDK, and {missing}"))
        })?;
        let JavaProgram { program, loader, warnings } = with_models(classes, config)?;
        let warnings = warnings.iter().map(|warning| Diagnostic::warning(Span::NONE, warning.to_string())).collect();
        Ok(Loaded { program, warnings, origin: loader })
    }

    fn load_with_preconditions(
        &self,
        paths: &[PathBuf],
        config: &LoadConfig,
        loaded: &Loaded,
        entry: MethodId,
    ) -> Result<Loaded, LoadError> {
        let origin: &dyn Any = &*loaded.origin;
        let Some(loader) = origin.downcast_ref::<JavaLoader>() else {
            return Err(LoadError::Precondition("--assume needs a program that was read from files".into()));
        };
        let conditions = Conditions::new(&loaded.program, loader, entry, &config.preconditions.conditions)?;
        let options = Options { addition: Some(&conditions.addition), ..options(config) };
        let classes = ClassPath::open(paths, &options).map_err(|error| conditions.error(error))?;
        let JavaProgram { program, loader, .. } = with_models(classes, config)?;
        let program = conditions.preconditions_in(&program, &loaded.program, entry)?;
        Ok(Loaded { program, warnings: loaded.warnings.clone(), origin: loader })
    }

    fn tools(&self, platform: Option<&Path>) -> Vec<Tool> {
        classpath::tools(platform)
    }
}

/// The program of the classes, with the user's models.
fn with_models(classes: ClassPath, config: &LoadConfig) -> Result<JavaProgram, LoadError> {
    let read = load_with(classes, &settings(config));
    let models = supplied::read(Java { program: &read.program, loader: &read.loader })?;
    read.loader.set_supplied(models);
    Ok(read)
}

fn options(config: &LoadConfig) -> Options<'_> {
    Options {
        java_home: config.platform.clone(),
        extra: config.libraries.clone(),
        platforms: Some(&config.platforms),
        models: config.models.clone(),
        addition: None,
        compiled: config.compiled.as_ref(),
        deadline: config.deadline,
        interrupt: Some(&config.interrupt),
    }
}

impl Origin for JavaLoader {
    fn platform(&self) -> Option<(&'static str, String)> {
        let version = self.classpath().library().ok()?.full_version()?;
        Some(("jdk", version.to_string()))
    }

    fn sources(&self) -> &[SourceFile] {
        self.classpath().sources()
    }

    fn competition_language(&self) -> Option<&'static str> {
        Some("Java")
    }
}

fn settings(config: &LoadConfig) -> Settings {
    let usual = Settings::default();
    Settings {
        string_length: config.string_length.unwrap_or(usual.string_length),
        unbounded_integers: config.unbounded_integers,
        any_statics: config.any_statics,
        trusted_nullness: config.trusted_nullness,
    }
}

/// The messages of the Java compiler, as diagnostics.
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
        // Lines like "symbol:   class B" are aligned with spaces, which a single line does not need.
        let details: Vec<String> =
            details.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let details = details.iter().filter(|line| !line.is_empty()).cloned().collect::<Vec<_>>().join(", ");
        let message = if details.is_empty() { text.clone() } else { format!("{text} ({details})") };
        diagnostics.push(Diagnostic::error(span, message));
    }
    LoadError::Invalid { program: Box::new(program), diagnostics }
}
