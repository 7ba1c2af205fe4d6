//! Finds JUnit: on the program's class path, or where Debian's packages put it.

use aback_frontend::{FoundTool, Tool};
use aback_lang_java::classpath::ClassPath;
use std::path::{Path, PathBuf};

/// Where Debian's packages put the jars of libraries.
const DEBIAN: &str = "/usr/share/java";

/// A version of JUnit, with the source names that differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    Four,
    Five,
}

impl Version {
    pub(super) fn name(self) -> &'static str {
        match self {
            Version::Four => "JUnit 4",
            Version::Five => "JUnit 5",
        }
    }

    /// The annotation of tests.
    pub(super) fn test(self) -> &'static str {
        match self {
            Version::Four => "org.junit.Test",
            Version::Five => "org.junit.jupiter.api.Test",
        }
    }

    /// The class of assertions.
    pub(super) fn assertions(self) -> &'static str {
        match self {
            Version::Four => "org.junit.Assert",
            Version::Five => "org.junit.jupiter.api.Assertions",
        }
    }
}

/// The JUnit that tests are for.
pub(super) struct JUnit {
    pub(super) version: Version,
    /// Its jars, as far as the program's class path does not have them; `None` if there is no JUnit.
    pub(super) jars: Option<Vec<PathBuf>>,
}

impl JUnit {
    /// The JUnit on the class path, or else that of Debian's packages. Without one, tests are for JUnit 5.
    pub(super) fn find(classpath: &ClassPath) -> JUnit {
        let has = |version: Version| classpath.find(&version.test().replace('.', "/")).is_some();
        if let Some(version) = [Version::Five, Version::Four].into_iter().find(|&version| has(version)) {
            return JUnit { version, jars: Some(Vec::new()) };
        }
        JUnit::installed().unwrap_or(JUnit { version: Version::Five, jars: None })
    }

    /// The JUnit of Debian's packages.
    fn installed() -> Option<JUnit> {
        let jars = |names: &[&str]| {
            let paths = names.iter().map(|name| Path::new(DEBIAN).join(format!("{name}.jar")));
            Some(paths.collect::<Vec<_>>()).filter(|paths| paths.iter().all(|path| path.is_file()))
        };
        let five = || {
            let jars = jars(&["junit-jupiter-api", "junit-platform-commons", "opentest4j", "apiguardian-api"]);
            Some(JUnit { version: Version::Five, jars: Some(jars?) })
        };
        let four = || Some(JUnit { version: Version::Four, jars: Some(jars(&["junit4", "hamcrest"])?) });
        five().or_else(four)
    }
}

/// The JUnit that tests are for if the class path of the program has none.
pub(crate) fn tool() -> Tool {
    let installed = JUnit::installed();
    let jar = installed.as_ref().and_then(|junit| junit.jars.as_ref()?.first().cloned());
    Tool {
        name: installed.map_or("JUnit", |junit| junit.version.name()),
        purpose: "unit tests of Java programs without a JUnit of their own",
        found: jar
            .map(|path| FoundTool { version: None, path })
            .ok_or_else(|| format!("it is not in {DEBIAN} (Debian: apt install junit5); --classpath names one")),
    }
}
