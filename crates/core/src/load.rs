//! Loads a program from paths, with the front end of its language.

use aback_frontend::{FrontEnd, LoadConfig, LoadError, Loaded, Model, Setting, Tool, files_within, has_extension};
use aback_lang_csharp::CsFrontEnd;
use aback_lang_java::JavaFrontEnd;
use aback_lang_oox::OoxFrontEnd;
use std::path::{Path, PathBuf};

/// The front ends. To add a language, add a crate and an entry here.
const LANGUAGES: [&dyn FrontEnd; 4] = [&JavaFrontEnd, &CsFrontEnd, &OoxFrontEnd, &Model];

/// Reads the files and folders at `paths` as one program, and returns the front end of its language.
///
/// # Errors
/// See [`LoadError`].
pub fn load(paths: &[PathBuf], config: &LoadConfig) -> Result<(Loaded, &'static dyn FrontEnd), LoadError> {
    let language = language(paths, config.language.as_deref())?;
    if !config.models.is_empty()
        && let Some(refusal) = refusal("--models", Setting::Models, language)
    {
        return Err(LoadError::Models(refusal));
    }
    Ok((language.load(paths, config)?, language))
}

/// The tools of all languages on this machine. `platform` gives the folder of the platform of a language by its name in
/// files, if the user names one.
pub fn tools(platform: impl Fn(&str) -> Option<PathBuf>) -> Vec<Tool> {
    let of_languages = LANGUAGES.into_iter().flat_map(|language| language.tools(platform(language.key()).as_deref()));
    of_languages.chain(aback_reproducer::tools()).collect()
}

/// The reason why programs in a language cannot have an option; `None` if the language supports its setting.
pub fn refusal(option: &str, setting: Setting, language: &dyn FrontEnd) -> Option<String> {
    if language.supports(setting) {
        return None;
    }
    let others = LANGUAGES.into_iter().filter(|language| language.supports(setting)).map(FrontEnd::name);
    let others: Vec<&str> = others.collect();
    Some(format!("{option} is for {}, and this is {}", others.join(" and "), language.name()))
}

/// The language that all files at these paths have in common.
///
/// # Errors
/// There is none: see [`LoadError`].
pub fn language(paths: &[PathBuf], wanted: Option<&str>) -> Result<&'static dyn FrontEnd, LoadError> {
    let mut first: Option<(&PathBuf, &'static dyn FrontEnd)> = None;
    for path in paths {
        let language = language_at(path, wanted)?;
        if !language.takes_several_paths() && paths.len() > 1 {
            return Err(LoadError::NotAlone { language: language.name(), extension: language.extensions()[0] });
        }
        match first {
            None => first = Some((path, language)),
            Some((_, known)) if known.key() == language.key() => {}
            Some((other, known)) => {
                let paths = [(known.name(), other.clone()), (language.name(), path.clone())];
                return Err(LoadError::MixedLanguages { paths: Box::new(paths) });
            }
        }
    }
    let nowhere = || LoadError::NoSources { path: PathBuf::new(), kinds: kinds(|_| true) };
    Ok(first.ok_or_else(nowhere)?.1)
}

/// The language of a file, or the common language of all source files in a folder, or of all compiled ones. If a folder has files of several,
/// it is the one with the key `wanted`.
fn language_at(path: &Path, wanted: Option<&str>) -> Result<&'static dyn FrontEnd, LoadError> {
    let unreadable = |source| LoadError::Unreadable { path: path.to_path_buf(), source };
    if !std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        let language = LANGUAGES.into_iter().find(|language| has_extension(path, language.extensions()));
        return language.ok_or_else(|| LoadError::UnknownKind { path: path.to_path_buf(), kinds: kinds(|_| true) });
    }
    let mut files = files_within(path)?;
    files.sort();
    let with = |extensions: fn(&dyn FrontEnd) -> &'static [&'static str]| -> Vec<_> {
        let languages = LANGUAGES.into_iter().filter(|language| language.is_found_in_folders());
        let found = languages.filter_map(|language| {
            let file = files.iter().find(|file| has_extension(file, extensions(language)))?;
            Some((language, file.clone()))
        });
        found.collect()
    };
    // A program may use what was compiled from another language, such as a library for the processor in a `.dll`.
    let mut found = with(|language| language.written_extensions());
    if found.is_empty() {
        found = with(|language| language.extensions());
    }
    if found.iter().any(|(language, _)| Some(language.key()) == wanted) {
        found.retain(|(language, _)| Some(language.key()) == wanted);
    }
    match &found[..] {
        [] => Err(LoadError::NoSources {
            path: path.to_path_buf(),
            kinds: kinds(|language| language.is_found_in_folders()),
        }),
        [(language, _)] => Ok(*language),
        [first, second, ..] => {
            let found = [first, second].map(|(language, file)| (language.name(), file.clone()));
            Err(LoadError::MixedFolder { folder: path.to_path_buf(), found: Box::new(found) })
        }
    }
}

/// The file name extensions of some languages, in readable form: `.java, .class, .jar or .oox`.
fn kinds(which: impl Fn(&dyn FrontEnd) -> bool) -> String {
    let languages = LANGUAGES.into_iter().filter(|&language| which(language));
    let endings: Vec<String> =
        languages.flat_map(|language| language.extensions().iter().map(|extension| format!(".{extension}"))).collect();
    match &endings[..] {
        [] => String::new(),
        [one] => one.clone(),
        [several @ .., last] => format!("{} or {last}", several.join(", ")),
    }
}
