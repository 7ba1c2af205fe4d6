//! Exports the class path for other programs: as folders and jars for a JVM, and for the same compiler.

use super::{ClassPath, Extra, OpenError, Options, javac, read_file};
use std::io;
use std::path::{Path, PathBuf};

impl ClassPath {
    /// The class path of a JVM with the user's classes and libraries as aback sees them. Classes that a JVM would not
    /// find at their location are copied into `folder`, which must exist and be empty.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn export(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let write = |name: &str, bytes: Result<Vec<u8>, String>| {
            let path = folder.join(format!("{name}.class"));
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(path, bytes.map_err(io::Error::other)?)
        };
        for name in self.user.keys() {
            // If a class file and a jar define the same class, the first one counts both here and in the JVM.
            if let Some(bytes) = self.in_user_classes(name) {
                write(name, Ok(bytes.bytes))
                    .map_err(|error| io::Error::new(error.kind(), format!("{name}.class: {error}")))?;
            }
        }
        for library in &self.libraries {
            if let Extra::Class(class) = library {
                write(&class.name, read_file(&class.path))?;
            }
        }
        // The user's jars may also contain resources.
        let jars = self.jars.iter().map(|jar| jar.path.clone());
        let libraries = self.libraries.iter().filter_map(|library| match library {
            Extra::Folder(path) => Some(path.clone()),
            Extra::Jar(jar) => Some(jar.path.clone()),
            Extra::Class(_) => None,
        });
        let paths = jars.chain(libraries).map(std::path::absolute);
        std::iter::once(Ok(folder.to_owned())).chain(paths).collect()
    }

    /// Compiles additional sources against a class path, with debug information. `work` is an empty folder of the
    /// caller. Returns the folder of the classes.
    ///
    /// # Errors
    /// There is no compiler, the compilation was stopped as specified in `options`, or the sources do not compile.
    pub fn compile(
        &self,
        sources: &[PathBuf],
        class_path: &[PathBuf],
        work: &Path,
        options: &Options,
    ) -> Result<PathBuf, OpenError> {
        let compiler =
            self.compiler.as_ref().map_err(|searched| OpenError::NoCompiler { searched: searched.clone() })?;
        javac::compile_to_folder(compiler, sources, class_path, work, options)
    }

    /// The `java` program, if the JDK has it.
    pub fn java(&self) -> Option<PathBuf> {
        self.library.as_ref().ok().map(|library| library.java()).filter(|java| java.is_file())
    }
}
