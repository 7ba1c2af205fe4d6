//! Defines the sources that show a counterexample.

use std::io;
use std::path::Path;

/// The sources that reproduce a counterexample.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reproducer {
    /// The class with the main method. In Java, it is in the package of the entry point, to have the same access.
    pub class: String,
    /// Options that the runtime needs.
    pub options: Vec<String>,
    /// Classes of input objects that the program makes by reflection: neither a constructor that only copies its
    /// parameters nor writes to accessible fields can make these objects.
    pub unmade: Vec<String>,
    /// The sources of the program by file name, the class with the main method first.
    pub program: Vec<(String, String)>,
    /// The source of the unit test, and its file name.
    pub test: (String, String),
}

impl Reproducer {
    /// Writes the sources to a folder, which is created if necessary.
    ///
    /// # Errors
    /// The folder or a file cannot be written.
    pub fn write_to(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let files = self.program.iter().chain([&self.test]);
        files.into_iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
    }
}
