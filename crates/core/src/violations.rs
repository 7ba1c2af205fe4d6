//! Defines what counts as a violation, and reads property files.

use aback_ir::Program;

/// What counts as a violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violations {
    /// Whether false assertions and contracts count.
    pub assertions: bool,
    /// Which exceptions that leave the entry point count.
    pub exceptions: Exceptions,
}

/// The exceptions that count as violations when they leave the entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exceptions {
    /// None.
    None,
    /// All.
    All,
    /// Instances of the class with this name and of its subclasses.
    InstancesOf(String),
}

/// By default, everything that can go wrong counts.
impl Default for Violations {
    fn default() -> Self {
        Violations { assertions: true, exceptions: Exceptions::All }
    }
}

impl Violations {
    /// What counts in the language of a program: assertions, and exceptions if an uncaught exception is an error in
    /// the language or if `traps` is set.
    pub fn in_language(program: &Program, traps: bool) -> Self {
        let is_error = traps || program.profile().uncaught_is_error;
        let exceptions = if is_error { Exceptions::All } else { Exceptions::None };
        Violations { assertions: true, exceptions }
    }
}

/// The property that an SV-COMP property file states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The property as the file states it.
    pub text: String,
    /// The entry point as `Class.method`; `None` means the main method.
    pub entry: Option<String>,
    /// What must not happen.
    pub asks: Asks,
}

/// The condition of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asks {
    /// `G assert`: no assertion is false.
    Assertions,
    /// `G ! uncaught(CLASS)`: no instance of the class leaves the entry point.
    NoUncaught(String),
}

/// A property that aback cannot check.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("aback checks `LTL(G assert)` and `LTL(G ! uncaught(CLASS))`, one at a time, but not `{0}`")]
pub struct UnknownProperty(String);

impl Property {
    /// Reads the text of a property file. Returns `None` for a file without a `CHECK`, like the one of paper 4's
    /// tasks.
    ///
    /// # Errors
    /// The property is none of [`Asks`], or there are several properties.
    ///
    /// ```
    /// use aback_core::{Asks, Property};
    ///
    /// let text = "CHECK( init(Main.main()), LTL(G ! uncaught(java.lang.RuntimeException)) )\n";
    /// let property = Property::parse(text).unwrap().unwrap();
    /// assert_eq!(property.entry.as_deref(), Some("Main.main"));
    /// assert_eq!(property.asks, Asks::NoUncaught("java.lang.RuntimeException".into()));
    /// ```
    pub fn parse(text: &str) -> Result<Option<Property>, UnknownProperty> {
        let checks: Vec<&str> = text.lines().map(str::trim).filter(|line| line.starts_with("CHECK")).collect();
        match checks[..] {
            [] => Ok(None),
            [check] => read(check).map(Some).ok_or_else(|| UnknownProperty(check.into())),
            [..] => Err(UnknownProperty(checks.join("` and `"))),
        }
    }

    /// What violates this property in a program.
    pub fn violations(&self, program: &Program) -> Violations {
        match &self.asks {
            Asks::Assertions => Violations::in_language(program, false),
            Asks::NoUncaught(class) => {
                Violations { assertions: false, exceptions: Exceptions::InstancesOf(class.clone()) }
            }
        }
    }
}

fn read(check: &str) -> Option<Property> {
    let text: String = check.chars().filter(|char| !char.is_whitespace()).collect();
    let (entry, formula) = text.strip_prefix("CHECK(init(")?.strip_suffix("))")?.split_once("),LTL(")?;
    let entry = entry.strip_suffix("()").unwrap_or(entry);
    let asks = match formula {
        "Gassert" => Asks::Assertions,
        other => Asks::NoUncaught(other.strip_prefix("G!uncaught(")?.strip_suffix(')')?.into()),
    };
    Some(Property { text: check.into(), entry: entry.contains('.').then(|| entry.to_string()), asks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, entry: Option<&str>, asks: Asks) {
        let property = Property { text: text.trim().into(), entry: entry.map(Into::into), asks };
        assert_eq!(Property::parse(text), Ok(Some(property)));
    }

    #[test]
    fn properties() {
        check("CHECK( init(main()), LTL(G assert) )", None, Asks::Assertions);
        check("\n  CHECK(init(a.Main.main()),LTL(G assert))\n", Some("a.Main.main"), Asks::Assertions);
        check("CHECK( init(Main.main()), LTL(G ! uncaught(a.B)) )", Some("Main.main"), Asks::NoUncaught("a.B".into()));
        // As the tasks of SV-COMP 2026 have them.
        check("CHECK( init(Main.main()), LTL(G assert) )\n", Some("Main.main"), Asks::Assertions);
        let exceptions = Asks::NoUncaught("java.lang.RuntimeException".into());
        let texts = [
            "CHECK(init(Main.main()), LTL(G ! uncaught(java.lang.RuntimeException)))\n",
            "CHECK( init(Main.main()), LTL(G ! uncaught(java.lang.RuntimeException)) )\n",
        ];
        for text in texts {
            check(text, Some("Main.main"), exceptions.clone());
        }
        assert_eq!(Property::parse("OBSERVER AUTOMATON\n"), Ok(None));
    }

    #[test]
    fn other_properties_are_refused() {
        for text in [
            "CHECK( init(main()), LTL(G ! overflow) )",
            "CHECK( init(main()), LTL(G assert)",
            "CHECK( init(main()), LTL(G assert) )\nCHECK( init(main()), LTL(G assert) )",
            "CHECK",
        ] {
            assert!(Property::parse(text).is_err(), "{text}");
        }
    }
}
