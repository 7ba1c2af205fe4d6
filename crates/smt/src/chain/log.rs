//! Logs the queries that reach the solver as SMT-LIB files.

use crate::smtlib::script;
use crate::solver::Check;
use aback_logic::{Pool, Term};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes numbered files into a folder.
pub(super) struct Log {
    folder: PathBuf,
    number: u64,
}

impl Log {
    pub(super) fn new(folder: &Path) -> io::Result<Log> {
        fs::create_dir_all(folder)?;
        Ok(Log { folder: folder.to_path_buf(), number: 0 })
    }

    /// Writes a query with its answer. If the query has no SMT-LIB form, the file states the reason.
    pub(super) fn write(&mut self, pool: &Pool, formulas: &[Term], answer: &Check) -> io::Result<()> {
        let text = script(pool, formulas, Some(answer)).unwrap_or_else(|reason| format!("; not written: {reason}\n"));
        let path = self.folder.join(format!("{:06}.smt2", self.number));
        self.number += 1;
        fs::write(path, text)
    }
}
