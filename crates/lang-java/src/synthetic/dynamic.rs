//! What invokedynamic instructions are linked to: for each a static method with the same arguments and result.

use crate::loader::{Java, JavaClass};
use aback_ir::{MethodId, Type};
use cafebabe::attributes::BootstrapMethodEntry;

/// An invokedynamic instruction.
pub(crate) struct CallSite<'a> {
    pub(crate) class: &'a JavaClass,
    /// Number of the instruction in its method.
    pub(crate) index: u32,
    pub(crate) method: MethodId,
    pub(crate) name: &'a str,
    pub(crate) params: Vec<Type>,
    pub(crate) result: Option<Type>,
}

/// The method that an instruction calls.
///
/// # Errors
/// What is not supported, for a person.
pub(crate) fn link(_java: Java, _site: &CallSite, bootstrap: &BootstrapMethodEntry<'_>) -> Result<MethodId, String> {
    Err(format!("invokedynamic with {}.{}", bootstrap.method.class_name, bootstrap.method.member_ref.name))
}
