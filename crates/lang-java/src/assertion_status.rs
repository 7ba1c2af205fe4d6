//! Tells in which types `java -ea` enables assertions.

use crate::loader::Java;
use crate::types::internal_name;
use aback_ir::Type;

/// The modules of the JDK that the bootstrap loader defines (`make/conf/module-loader-map.conf` in its sources). The
/// platform loader or the application loader defines the others.
const BOOTSTRAP: [&str; 24] = [
    "java.base",
    "java.datatransfer",
    "java.desktop",
    "java.instrument",
    "java.logging",
    "java.management",
    "java.management.rmi",
    "java.naming",
    "java.prefs",
    "java.rmi",
    "java.security.sasl",
    "java.xml",
    "jdk.incubator.foreign",
    "jdk.incubator.vector",
    "jdk.internal.vm.ci",
    "jdk.jfr",
    "jdk.management",
    "jdk.management.agent",
    "jdk.naming.rmi",
    "jdk.net",
    "jdk.nio.mapmode",
    "jdk.sctp",
    "jdk.unsupported",
    "jdk.internal.ffi",
];

/// Whether `java -ea` enables assertions in a type: it does unless the bootstrap loader defines the type
/// (`Class.desiredAssertionStatus`). `None` if that is not known.
pub(crate) fn desires_assertions(java: Java, ty: Type) -> Option<bool> {
    match ty {
        // An array type has the loader of its element type. If this is not the bootstrap loader, the status is not known.
        Type::Array(array) => desires_assertions(java, java.program.element_type(array)).filter(|are_on| !are_on),
        Type::Class(class) => {
            let loaded = java.class(class)?;
            loaded.file.as_ref()?;
            if !loaded.is_trusted {
                return Some(true);
            }
            let internal = internal_name(&loaded.name);
            let package = internal.rsplit_once('/').map_or("", |(package, _)| package);
            let module = java.loader.classpath().library().ok()?.module(package)?;
            Some(!BOOTSTRAP.contains(&module))
        }
        _ => Some(false),
    }
}
