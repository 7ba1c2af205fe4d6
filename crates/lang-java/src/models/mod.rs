//! Models library code that is native or that is better not executed as it is.
//!
//! Models are classes in the text form of programs, with one file for each topic (`docs/java.md` lists them). Their
//! members are added to those of the class of the same name, or replace them. A class without a class file, or one
//! marked `whole`, consists of its model only. The first and the last line of a class begin without indentation, so
//! that a file is split without being parsed: a class is parsed when it is loaded, and code when it is needed.

use crate::loader::Java;
use crate::synthetic::{classes, constants};
use aback_ir::builder::{Builder, unsupported};
use aback_ir::text::{ClassHead, ClassText, MemberText, MethodText, ParseError, Surroundings};
use aback_ir::{Body, ClassId, Field, FieldId, Method, MethodId, Type};
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock};

mod handles;
pub(crate) mod reflect;
#[cfg(test)]
mod tests;
mod unsafe_access;

pub(crate) use handles::polymorphic;
pub(crate) use reflect::{array_methods, class_object_methods, counts_monitors, modifiers};
pub(crate) use unsafe_access::object_methods;

const FILES: &[(&str, &str)] = &[
    ("atomic", include_str!("atomic.ir")),
    ("class", include_str!("class.ir")),
    ("handles", include_str!("handles.ir")),
    ("numbers", include_str!("numbers.ir")),
    ("object", include_str!("object.ir")),
    ("print", include_str!("print.ir")),
    ("string", include_str!("string.ir")),
    ("system", include_str!("system.ir")),
    ("threads", include_str!("threads.ir")),
    ("throwable", include_str!("throwable.ir")),
    ("unsafe", include_str!("unsafe.ir")),
    ("verifier", include_str!("verifier.ir")),
    ("vm", include_str!("vm.ir")),
];

/// The prefix of methods that do nothing if the JDK lacks something that their code names.
const OPTIONAL: &str = "$try";

/// The models of a class.
#[derive(Default)]
struct Index {
    /// The texts, each with the name of its file.
    texts: Vec<(&'static str, &'static str)>,
    /// Whether the class file is ignored.
    whole: bool,
}

static INDEX: LazyLock<FxHashMap<&'static str, Index>> = LazyLock::new(|| {
    let mut index: FxHashMap<&str, Index> = FxHashMap::default();
    for &(file, text) in FILES {
        let (mut offset, mut start) = (0, None);
        for line in text.split_inclusive('\n') {
            let whole = line.strip_prefix("whole ");
            let head = whole.unwrap_or(line);
            if ["class ", "abstract ", "interface "].iter().any(|word| head.starts_with(word)) {
                start = Some((offset + line.len() - head.len(), whole.is_some()));
            }
            offset += line.len();
            if let (Some((from, whole)), true) = (start, line.starts_with('}')) {
                let class = &text[from..offset];
                let mut words = class.split([' ', '{']).skip_while(|&word| word != "class" && word != "interface");
                let entry = index.entry(words.nth(1).unwrap_or("")).or_default();
                entry.texts.push((file, class));
                entry.whole |= whole;
                start = None;
            }
        }
    }
    index
});

/// Whether there is a model of the class.
pub(crate) fn has_class(name: &str) -> bool {
    INDEX.contains_key(name)
}

/// Whether the model of a class replaces its class file.
pub(crate) fn replaces(name: &str) -> bool {
    INDEX.get(name).is_some_and(|index| index.whole)
}

/// The declarations of a model.
pub(crate) struct Model {
    pub(crate) head: ClassHead,
    pub(crate) fields: Vec<Field>,
    pub(crate) methods: Vec<(Method, ModelledMethod)>,
}

/// The code of a method of a model.
pub(crate) struct ModelledMethod {
    file: &'static str,
    class: Arc<ClassText<'static>>,
    code: MethodText<'static>,
}

impl ModelledMethod {
    pub(crate) fn body(&self, java: Java, method: MethodId) -> Body {
        let declared = java.program.method(method);
        match self.class.body(java.program, &java, declared, &self.code) {
            Ok(Some(body)) => body,
            Ok(None) => unsupported(&declared.params, "a model without code"),
            Err(_) if declared.name.starts_with(OPTIONAL) => {
                let mut code = Builder::new(&declared.params);
                code.ret(None);
                code.finish()
            }
            Err(error) => {
                let name = java.program.method_name(method);
                unsupported(&declared.params, format!("the model of {name} ({}.ir), in this JDK: {error}", self.file))
            }
        }
    }
}

/// Classes with methods that depend on the environment or on what specifications leave open. With each class, the
/// beginnings of the names of JDK classes that pass the result on to programs: the bits of a float, a call of `wait`
/// with other arguments, a property (`Integer.getInteger`) or line separators, and whether objects were collected.
const SURROUNDINGS: [(&str, &[&str]); 9] = [
    ("java.lang.Boolean", &[]),
    ("java.lang.Double", &["java.nio."]),
    ("java.lang.Float", &["java.nio."]),
    ("java.lang.Object", &["java.lang.Object"]),
    ("java.lang.Runtime", &[]),
    (
        "java.lang.System",
        &[
            "java.io.BufferedWriter",
            "java.io.PrintStream",
            "java.io.PrintWriter",
            "java.lang.Boolean",
            "java.lang.Integer",
            "java.lang.Long",
            "java.util.Formatter",
        ],
    ),
    ("java.lang.ref.Reference", &["java.util.WeakHashMap"]),
    ("java.lang.ref.ReferenceQueue", &["java.util.WeakHashMap"]),
    ("java.lang.ref.SoftReference", &[]),
];

/// Classes whose `$` methods, which report no incompleteness, are used only by some of the JDK's own code, given by the
/// beginnings of class names. They are functions whose last digits are open, where the first digits suffice; the class
/// loader that a new thread inherits; and the default locale, where models report the incompleteness as soon as a
/// result depends on it.
const GUARDED: [(&str, &[&str]); 3] = [
    ("java.lang.Math", &["java.math.", "jdk.internal.math."]),
    ("java.lang.Thread", &["java.lang.Thread"]),
    ("java.util.Locale", &["java.util.Formatter"]),
];

/// The method that JDK code calls instead of a method that depends on the environment and reports an incompleteness.
/// It has the same name with the prefix `$`, and makes one choice, on which no behaviour that the library guarantees
/// depends.
pub(crate) fn for_library(java: Java, caller: &str, method: MethodId, descriptor: &str) -> MethodId {
    let declared = java.program.method(method);
    let owner = java.program.class_name(declared.class);
    let is_caller = |names: &[&str]| names.iter().any(|name| caller.starts_with(name));
    let of = |table: &[(&str, &'static [&'static str])]| {
        table.iter().find(|(name, _)| *name == owner).map(|&(_, callers)| callers)
    };
    let is_meant = match of(&GUARDED) {
        Some(callers) => is_caller(callers),
        None => of(&SURROUNDINGS).is_some_and(|callers| !is_caller(callers)),
    };
    if !is_meant {
        return method;
    }
    java.declared_method(declared.class, &format!("${}", declared.name), descriptor).unwrap_or(method)
}

/// The models of a class. A model that does not fit the JDK of the class path is left out.
pub(crate) fn of(java: Java, class: ClassId) -> Vec<Model> {
    let texts = INDEX.get(java.program.class_name(class)).map_or(&[][..], |index| &index.texts);
    texts.iter().filter_map(|&(file, text)| read(java, class, file, text).ok()).collect()
}

fn read(java: Java, class: ClassId, file: &'static str, text: &'static str) -> Result<Model, ParseError> {
    let text = Arc::new(ClassText::new(text)?);
    let (head, members) = text.declarations(java.program, &java, class)?;
    let mut model = Model { head, fields: Vec::new(), methods: Vec::new() };
    for member in members {
        match member {
            MemberText::Field(field) => model.fields.push(field),
            MemberText::Method(method, code) => {
                model.methods.push((method, ModelledMethod { file, class: text.clone(), code }));
            }
        }
    }
    Ok(model)
}

impl Surroundings for Java<'_> {
    fn class(&self, name: &str) -> ClassId {
        self.named(name)
    }

    fn string(&self, text: &str) -> (FieldId, MethodId) {
        constants::string(*self, text.encode_utf16().collect())
    }

    fn class_object(&self, ty: Option<Type>) -> (FieldId, MethodId) {
        classes::class_object(*self, ty)
    }

    fn initialization(&self, class: ClassId) -> Option<(FieldId, MethodId)> {
        Java::initialization(*self, class)
    }
}
