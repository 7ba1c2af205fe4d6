//! Checks that the models fit the installed JDK.

use super::*;
use crate::classpath::{ClassPath, Options};
use aback_ir::{Program, validate_method};

/// The JDK, with a class of a user.
fn classpath() -> ClassPath {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("Empty.java"), "class Empty {}").expect("a file");
    ClassPath::open(&[folder.path().to_path_buf()], &Options::default()).expect("a JDK")
}

fn library() -> Program {
    crate::load(classpath())
}

#[test]
fn models_parse_and_are_well_formed() {
    let program = library();
    let loader = crate::JavaLoader::new(classpath());
    let mut problems = Vec::new();
    for (&name, index) in INDEX.iter() {
        let class = program.declare_class(name);
        let java = Java { program: &program, loader: &loader };
        for &(file, text) in &index.texts {
            if let Err(error) = read(java, class, file, text) {
                problems.push(format!("{file}.ir, {name}: {error}"));
            }
        }
        for &method in &program.class(class).methods {
            let is_modelled = index.texts.iter().any(|(_, text)| text.contains(&*program.method(method).name));
            if is_modelled && !program.method(method).name.starts_with(OPTIONAL) {
                problems.extend(validate_method(&program, method).iter().map(|problem| format!("{name}: {problem}")));
                problems.extend(program.body(method).and_then(misfit).map(|text| format!("{name}: {text}")));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// The message of a body whose model does not fit the JDK.
fn misfit(body: &Body) -> Option<&str> {
    match &body.blocks.first()?.terminator.kind {
        aback_ir::TerminatorKind::Unsupported { construct: what, .. } if what.starts_with("the model of") => Some(what),
        _ => None,
    }
}

/// Methods that only later JDKs have.
const LATER: &[&str] = &["currentCarrierThread", "getZero"];

#[test]
fn models_of_library_methods_take_the_place_of_library_methods() {
    let classpath = classpath();
    let program = library();
    let loader = crate::JavaLoader::new(self::classpath());
    let mut strange = Vec::new();
    for (&name, index) in INDEX.iter().filter(|(name, index)| !index.whole && name.starts_with("java.")) {
        let Some(found) = classpath.find(&name.replace('.', "/")) else { continue };
        let bytes = found.bytes;
        let file = cafebabe::parse_class(&bytes).expect("a class file");
        let class = program.declare_class(name);
        let java = Java { program: &program, loader: &loader };
        for &(of, text) in &index.texts {
            let Ok(model) = read(java, class, of, text) else { continue };
            for (method, _) in model.methods {
                let skip = usize::from(method.kind != aback_ir::MethodKind::Static);
                let descriptor = java.descriptor(&method.params[skip..], method.result);
                let exists =
                    file.methods.iter().any(|m| m.name == method.name && m.descriptor.to_string() == descriptor);
                if !exists && !method.name.starts_with('$') && !LATER.contains(&&*method.name) {
                    strange.push(format!("{name}.{}{descriptor}", method.name));
                }
            }
        }
    }
    assert!(strange.is_empty(), "no such methods in this JDK: {strange:#?}");
}
