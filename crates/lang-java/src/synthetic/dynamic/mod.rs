//! Links invokedynamic instructions, each to a static method with the same parameters and result.

mod concat;
mod convert;
mod lambda;
mod records;
mod switches;

use crate::bootstrap::Bootstrap;
use crate::loader::{Java, JavaClass};
use crate::types::class_name;
use aback_ir::{MethodId, Type};

/// An invokedynamic instruction.
pub(crate) struct CallSite<'a> {
    pub(crate) class: &'a JavaClass,
    /// Index of the instruction in its method.
    pub(crate) index: u32,
    pub(crate) method: MethodId,
    pub(crate) name: &'a str,
    pub(crate) params: Vec<Type>,
    pub(crate) result: Option<Type>,
}

/// The method that an instruction calls.
///
/// # Errors
/// The unsupported feature, as a message for users.
pub(crate) fn link(java: Java, site: &CallSite, bootstrap: &Bootstrap) -> Result<MethodId, String> {
    let (class, name) = (&*bootstrap.method.class, &*bootstrap.method.name);
    let args = &bootstrap.args[..];
    let linked = match (class, name) {
        ("java/lang/invoke/StringConcatFactory", "makeConcat") => Some(concat::plain(java, site)),
        ("java/lang/invoke/StringConcatFactory", "makeConcatWithConstants") => concat::with_constants(java, site, args),
        ("java/lang/invoke/LambdaMetafactory", "metafactory" | "altMetafactory") => {
            return lambda::link(java, site, args);
        }
        ("java/lang/runtime/ObjectMethods", "bootstrap") => records::link(java, site, args),
        ("java/lang/runtime/SwitchBootstraps", "typeSwitch") => switches::on_type(java, site, args),
        ("java/lang/runtime/SwitchBootstraps", "enumSwitch") => switches::on_enum(java, site, args),
        _ => None,
    };
    linked.ok_or_else(|| format!("invokedynamic with {}.{name} in this form", class_name(class)))
}

impl CallSite<'_> {
    /// A name for the generated members: `makeConcat in Main.main`.
    fn label(&self, java: Java) -> String {
        format!("{} in {}", self.name, java.program.method_name(self.method))
    }
}
