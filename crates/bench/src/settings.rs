//! What must be the same in two runs for their results to belong together.

use crate::results::command_line;
use crate::{Config, Tool};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Names and values, as they are shown.
pub(crate) type Settings = BTreeMap<String, String>;

/// The settings of a run of `program`.
pub(crate) fn of(config: &Config, program: &Path) -> Settings {
    let mut settings = Settings::new();
    let mut set = |name: &str, value: String| settings.insert(name.to_owned(), value);
    set("program", program.display().to_string());
    if let Some(metadata) = found(program).and_then(|file| fs::metadata(file).ok()) {
        set("size of the program", format!("{} bytes", metadata.len()));
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        if let Some(modified) = modified {
            set("modification time of the program", format!("{:.3} s after 1970", modified.as_secs_f64()));
        }
    }
    let options = command_line(&config.check_options);
    set("further options", if options.is_empty() { "none".to_owned() } else { options });
    set("--timeout", format!("{} s", config.timeout.as_secs_f64()));
    set("time of grace", format!("{} s", config.grace.as_secs_f64()));
    if let Some(bytes) = config.memory_limit {
        set("--memory", format!("{bytes} bytes"));
    }
    set("--jobs", config.jobs.to_string());
    set("--repeat", config.repeat.to_string());
    for (name, value) in config.tool.iter().flat_map(Tool::settings) {
        set(name, value);
    }
    settings
}

/// The file of a program. A bare name is looked up on PATH, as it is when the program is started.
fn found(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.to_owned());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The settings that differ, with their values before and now.
pub(crate) fn differences(before: &Settings, now: &Settings) -> Vec<String> {
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort();
    names.dedup();
    let value = |settings: &Settings, name: &str| settings.get(name).map_or("not set".to_owned(), String::clone);
    let pairs = names.into_iter().map(|name| (name, value(before, name), value(now, name)));
    pairs
        .filter(|(_, before, now)| before != now)
        .map(|(name, before, now)| format!("{name}: was {before}, now {now}"))
        .collect()
}
