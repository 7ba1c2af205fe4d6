//! The interpreter does the same as .NET for each instruction of CIL (ECMA-335, III). `instructions/Generator.cs` makes the
//! methods and the table of what they return.

use aback_cil::{Assembly, Opcode, Table};
use aback_frontend::{FrontEnd, LoadConfig, LoadError};
use aback_ir::{MethodId, Program, Type};
use aback_lang_csharp::CsFrontEnd;
use aback_witness::{InputValue, Inputs, Limits, Outcome, Value, run};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const RESULTS: &str = include_str!("instructions/results.txt");

/// What is not supported: beginnings of the names of cases, and part of the reason that is given.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("", "a truth value that is neither 0 nor 1"),
    ("call_plain", "a call of an instance method on null"),
    ("call_virtual_method", "a call of an instance method on null"),
    ("calli", "a call through a pointer to a method"),
    ("cpblk", "an operation on raw memory"),
    ("ind_i4_as_r4", "a int that is read or written as a float"),
    ("ind_i4_as_u1", "a int that is read or written as a byte"),
    ("ind_i8_as_i4", "a long that is read or written as a int"),
    ("ind_null", "a ulong that is used as a pointer"),
    ("initblk", "an operation on raw memory"),
    ("jmp", "a jump to another method"),
    ("ldtoken_method", "the handle of a method"),
    ("localloc_dup", "memory on the stack whose use is not known"),
    ("mkrefany", "a variable argument list"),
    ("refany", "a variable argument list"),
    ("sizeof_nullable", "the size of the struct System.Nullable<int>"),
    ("sizeof_struct", "the size of the struct Pair"),
    ("throw_string", "an object that is thrown and no exception"),
    ("unbox_i4_as_nullable", "a pointer into a nullable value"),
    ("unbox_i8_as_nullable", "a pointer into a nullable value"),
    ("unbox_null_as_nullable", "a pointer into a nullable value"),
];

/// Operations that no method contains, and why.
const MISSING: &[(Opcode, &str)] = &[];

/// A result as the table shows it.
fn show(program: &Program, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned(Some(value)) => match value {
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::F32(bits) => format!("{:?}", f32::from_bits(*bits)),
            Value::F64(bits) => format!("{:?}", f64::from_bits(*bits)),
            _ => "a reference".into(),
        },
        Outcome::Uncaught { class, .. } => program.class_name(*class).replace("System.", ""),
        Outcome::Unsupported { reason, .. } => format!("unsupported: {reason}"),
        other => format!("{other:?}"),
    }
}

/// A float of the table as Rust shows it.
fn rust_text(text: &str, result: Option<Type>) -> Option<String> {
    match result {
        Some(Type::F32) => text.parse().ok().map(|value: f32| format!("{value:?}")),
        Some(Type::F64) => text.parse().ok().map(|value: f64| format!("{value:?}")),
        _ => None,
    }
}

fn argument(ty: Type, text: &str) -> InputValue {
    match ty {
        Type::F32 => InputValue::F32(text.parse::<f32>().unwrap().to_bits()),
        Type::F64 => InputValue::F64(text.parse::<f64>().unwrap().to_bits()),
        _ => InputValue::Int(text.parse().unwrap()),
    }
}

fn call(program: &Program, method: MethodId, arguments: &str) -> String {
    let params = &program.method(method).params;
    let args = params.iter().zip(arguments.split(' ')).map(|(&ty, text)| argument(ty, text)).collect();
    let inputs = Inputs { args, ..Inputs::default() };
    match run(program, method, &inputs, Limits { max_steps: 100_000, ..Limits::default() }, &mut ()) {
        Ok(outcome) => show(program, &outcome),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_instruction_does_what_dotnet_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instructions/Instructions.dll");
    let program = match CsFrontEnd.load(&[path], &LoadConfig::default()) {
        Ok(loaded) => loaded.program,
        Err(LoadError::Platform(missing)) => return eprintln!("skipped: {missing}"),
        Err(error) => panic!("{error}"),
    };
    let class = program.class(program.class_named("Cases").unwrap());
    let mut arguments = Vec::new();
    let (mut wrong, mut right, mut unsupported) = (String::new(), 0, BTreeSet::new());
    for line in RESULTS.lines() {
        let (name, results) = line.split_once(' ').unwrap_or((line, ""));
        if name == "arguments" {
            arguments = results.split(", ").collect();
            continue;
        }
        let method = class.methods.iter().copied().find(|&method| program.method(method).name == name);
        let Some(method) = method else { panic!("there is no method {name}") };
        let result = program.method(method).result;
        for (&given, expected) in arguments.iter().zip(results.split(' ')) {
            let expected = rust_text(expected, result).unwrap_or(expected.into());
            let found = call(&program, method, given);
            let known = UNSUPPORTED.iter().find(|(prefix, reason)| {
                name.starts_with(prefix) && found.starts_with("unsupported: ") && found.contains(reason)
            });
            if let Some((prefix, _)) = known {
                unsupported.insert(*prefix);
            } else if found == expected {
                right += 1;
            } else {
                let _ = writeln!(wrong, "{name}({given}) is {expected}, not {found}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}{right} are right");
    let all: BTreeSet<&str> = UNSUPPORTED.iter().map(|(prefix, _)| *prefix).collect();
    assert_eq!(unsupported, all, "what is supported is no longer on the list");
    assert!(right > 5000, "{right}");
}

#[test]
fn each_operation_occurs() {
    let assembly = Assembly::parse(include_bytes!("instructions/Instructions.dll").to_vec()).unwrap();
    let bodies = (1..=assembly.rows(Table::MethodDef)).filter_map(|row| assembly.body(row).unwrap());
    let found: BTreeSet<Opcode> =
        bodies.flat_map(|body| body.instructions.iter().map(|one| one.opcode).collect::<Vec<_>>()).collect();
    let missing: BTreeSet<Opcode> = Opcode::ALL.iter().copied().filter(|opcode| !found.contains(opcode)).collect();
    assert_eq!(missing, MISSING.iter().map(|(opcode, _)| *opcode).collect());
}
