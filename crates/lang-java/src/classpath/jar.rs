//! Reads classes from jar files.

use super::read_at_most;
use rustc_hash::FxHashSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use zip::ZipArchive;
use zip::result::ZipError;

/// A jar file. Its directory is in memory, its entries are not.
#[derive(Debug)]
pub(crate) struct Jar {
    pub(super) path: PathBuf,
    /// The releases of Java for which the jar has variants of classes, the preferred one first.
    releases: Vec<u32>,
    /// Whether its manifest names further jars, which belong to every class path that has this one.
    pub(super) names_others: bool,
    archive: Mutex<ZipArchive<BufReader<File>>>,
}

const MANIFEST: &str = "META-INF/MANIFEST.MF";
const VERSIONS: &str = "META-INF/versions/";

impl Jar {
    /// Reads the directory. Variants for releases of Java up to `release` are preferred to the classes for all
    /// releases.
    pub(super) fn open(path: &Path, release: u32) -> Result<Jar, String> {
        let file = File::open(path).map_err(|error| error.to_string())?;
        let archive = ZipArchive::new(BufReader::new(file)).map_err(|error| reason(&error))?;
        let mut jar =
            Jar { path: path.into(), releases: Vec::new(), names_others: false, archive: Mutex::new(archive) };
        let manifest = jar.entry(MANIFEST).and_then(Result::ok).unwrap_or_default();
        let manifest = String::from_utf8_lossy(&manifest);
        jar.names_others = main_section(&manifest).any(|(key, _)| key.eq_ignore_ascii_case("Class-Path"));
        if is_multi_release(&manifest) {
            let names = jar.names();
            let releases = names.iter().filter_map(|name| versioned(name)).map(|(of, _)| of);
            let releases: FxHashSet<u32> = releases.filter(|of| (9..=release).contains(of)).collect();
            jar.releases = releases.into_iter().collect();
            jar.releases.sort_unstable_by(|a, b| b.cmp(a));
        }
        Ok(jar)
    }

    /// The internal names of the classes in the jar, each once.
    pub(super) fn classes(&self) -> FxHashSet<String> {
        let names = self.names();
        let applicable = names.iter().filter_map(|name| match versioned(name) {
            Some((release, rest)) => self.releases.contains(&release).then_some(rest),
            None => (!name.starts_with("META-INF/")).then_some(name.as_str()),
        });
        applicable.filter_map(|name| name.strip_suffix(".class")).map(str::to_owned).collect()
    }

    /// The bytes of a class, or `None` if the jar does not contain it.
    pub(super) fn class(&self, name: &str) -> Option<Result<Vec<u8>, String>> {
        let variants = self.releases.iter().map(|release| format!("{VERSIONS}{release}/{name}.class"));
        variants.chain([format!("{name}.class")]).find_map(|name| self.entry(&name))
    }

    /// The bytes of an entry, or `None` if the jar does not contain it.
    pub(super) fn entry(&self, name: &str) -> Option<Result<Vec<u8>, String>> {
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let index = archive.index_for_name(name)?;
        let bytes = archive.by_index(index).map_err(|error| reason(&error));
        Some(bytes.and_then(read_at_most).map_err(|reason| format!("{name}: {reason}")))
    }

    fn names(&self) -> Vec<String> {
        let archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        archive.file_names().filter_map(Result::ok).map(|name| name.into_owned()).collect()
    }
}

/// The release and the remaining name of an entry below `META-INF/versions`.
fn versioned(name: &str) -> Option<(u32, &str)> {
    let (release, rest) = name.strip_prefix(VERSIONS)?.split_once('/')?;
    Some((release.parse().ok()?, rest))
}

/// The keys and values in the main section of a manifest, which ends at the first empty line.
fn main_section(manifest: &str) -> impl Iterator<Item = (&str, &str)> {
    manifest.lines().take_while(|line| !line.trim().is_empty()).filter_map(|line| line.split_once(':'))
}

/// Whether a manifest declares a multi-release jar.
fn is_multi_release(manifest: &str) -> bool {
    let is_true = |value: &str| value.trim().eq_ignore_ascii_case("true");
    main_section(manifest).any(|(key, value)| key.eq_ignore_ascii_case("Multi-Release") && is_true(value))
}

fn reason(error: &ZipError) -> String {
    match error {
        ZipError::UnsupportedArchive(what) if *what == ZipError::PASSWORD_REQUIRED => "it is encrypted".into(),
        error => error.to_string(),
    }
}
