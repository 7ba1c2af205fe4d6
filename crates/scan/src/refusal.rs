//! Recognizes exceptions by which a method refuses its arguments: what it throws is what it says about its callers, and not a
//! defect. A call within the program that a method refuses is one.
//!
//! This only decides what a scan shows, and the summary tells how many such violations there are.

use aback_report::ViolationDocument;

/// Exceptions that say that an argument is wrong, as do those of classes that extend them. Operations of the languages throw none of them.
const ARGUMENT_ERRORS: [&str; 2] = ["java.lang.IllegalArgumentException", "System.ArgumentException"];
/// Exceptions by which a test says that its arguments are none that it is about.
const SKIPPED: [&str; 4] = [
    "org.opentest4j.TestAbortedException",
    "org.junit.AssumptionViolatedException",
    "org.junit.internal.AssumptionViolatedException",
    "Xunit.SkipException",
];
/// Methods of libraries that throw if an argument is wrong, and do nothing else.
const CHECKS: [&str; 7] = [
    "java.util.Objects.requireNonNull",
    "java.util.Objects.check",
    "com.google.common.base.Preconditions.check",
    "org.apache.commons.lang3.Validate.",
    "System.ArgumentException.ThrowIf",
    "System.ArgumentNullException.ThrowIf",
    "System.ArgumentOutOfRangeException.ThrowIf",
];
/// How the names of classes of the program end whose methods are such checks.
const CHECKING_CLASSES: [&str; 7] = ["Args", "Assert", "Checks", "Ensure", "Guard", "Preconditions", "Validate"];

/// Why the callers of an entry point are to blame for a violation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CallersFault {
    /// The entry point refuses their arguments.
    Refused,
    /// An argument is null, or has null in an array, although nothing in the program provides for that.
    UnexpectedNull,
}

/// Why callers are to blame for a violation, if they are.
pub fn callers_fault(violation: &ViolationDocument) -> Option<CallersFault> {
    if is_refusal(violation) {
        return Some(CallersFault::Refused);
    }
    let has_unexpected_null =
        violation.blame.as_ref().is_some_and(|blame| !blame.nulls.is_empty() || blame.null_elements);
    has_unexpected_null.then_some(CallersFault::UnexpectedNull)
}

/// Whether an entry point itself refuses the arguments of a counterexample, with the private methods, constructors and overloads
/// that run as parts of it.
fn is_refusal(violation: &ViolationDocument) -> bool {
    let (Some(exception), Some(last)) = (&violation.exception, violation.path.last()) else { return false };
    if SKIPPED.contains(&exception.class.as_str()) {
        return true;
    }
    let may_refuse = violation.blame.as_ref().map_or(last.depth == 0, |blame| blame.may_refuse);
    if let Some(library) = &exception.thrown_in {
        return may_refuse && CHECKS.iter().any(|check| library.starts_with(check));
    }
    let class = last.method.rsplit_once('.').map_or("", |(class, _)| class);
    let simple = class.rsplit(['.', '$', '+']).next().unwrap_or(class);
    let is_check = CHECKING_CLASSES.iter().any(|name| simple.ends_with(name));
    let is_argument_error = |class: &String| ARGUMENT_ERRORS.contains(&class.as_str());
    let mut classes = violation.blame.iter().flat_map(|blame| &blame.classes).chain([&exception.class]);
    classes.any(is_argument_error) && (may_refuse || last.depth == 1 && is_check)
}
