//! Generates worlds: programs of several files with a question.
//!
//! A *claim* is a method that returns whether something holds, with everything that it needs. It is either a random
//! hierarchy ([`hierarchy`]) or a handwritten piece in `worlds/`. A *wrapper* is code that asserts a claim: at once,
//! behind a branch, through an interface, in an exception handler, … A world is a claim of some family in some
//! wrapper, called by `main` or by a separate entry point.

mod hierarchy;

use crate::format::indent;
use crate::java::code::{Code, Java};
use crate::java::task::{Input, Value, bound, input, parameters};
use crate::java::topics::Topics;
use crate::rng::Rng;
use crate::template::{self, sections};
use hierarchy::Features;
use std::fmt::Write;

/// A program of several files in its own packages, and a question about it.
#[derive(Clone, Debug)]
pub struct World {
    /// The subject of the world.
    pub family: Family,
    /// The package that contains all other packages of the world.
    pub root: String,
    /// The public classes, `package/Class`, with their sources.
    pub files: Vec<(String, String)>,
    /// The entry point, as in `boxes1.Main.main`, or `singletons1.Claim$S.f` in a member class.
    pub entry: String,
    /// Whether exceptions that leave the entry point count as violations.
    pub traps: bool,
    /// The inputs of the program.
    pub start: Start,
    /// Whether an assertion can be false according to documentation, which may allow more behaviour than a JVM shows.
    pub documented: Option<bool>,
}

/// The inputs of a program.
#[derive(Clone, Debug)]
pub enum Start {
    /// The program starts at `main` and asks for these inputs.
    Main {
        /// The inputs in the order of the calls that return them.
        inputs: Vec<Input>,
        /// Whether the program continues only with these values.
        bounded: bool,
    },
    /// The entry point has parameters, which [`call_entries`](crate::java::jvm::Classes::call_entries) tries.
    Entry,
}

impl World {
    /// The entry point in the notation of users: `singletons1.Claim.S.f`.
    pub fn question_entry(&self) -> String {
        self.entry.replace('$', ".")
    }

    /// Whether the tried inputs are all that can make a difference.
    pub fn is_exhaustive(&self) -> bool {
        match &self.start {
            Start::Main { inputs, bounded } => *bounded || inputs.iter().all(|input| input.ty == "boolean"),
            Start::Entry => false,
        }
    }
}

/// A claim with everything that it needs.
#[derive(Default)]
struct Claim {
    files: Vec<(String, String)>,
    /// The members of a class, including a static method `ok`.
    members: String,
    /// Types and names of the parameters of `ok`.
    params: Vec<(String, String)>,
    traps: bool,
    /// Whether `Verifier` cannot provide some parameters.
    needs_entry: bool,
    needs_main: bool,
    /// Whether it must not be in the class that asserts it.
    apart: bool,
    /// The method of a member class that contains assertions itself.
    own_entry: Option<String>,
}

macro_rules! families {
    ($($(#[doc = $doc:literal])+ $family:ident $name:literal,)+) => {
        /// The subject of a world.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Family {
            $($(#[doc = $doc])+ $family,)+
        }

        impl Family {
            /// All families.
            pub const ALL: &[Family] = &[$(Family::$family),+];

            /// The name of the family on command lines.
            pub fn name(self) -> &'static str {
                match self {
                    $(Family::$family => $name,)+
                }
            }
        }
    };
}

families! {
    /// Interfaces and abstract classes with several implementations that are called through them.
    Dispatch "dispatch",
    /// Classes in several packages, with methods of all kinds of access.
    Packages "packages",
    /// Private methods in classes and interfaces, together with other methods of the same name.
    Private "private",
    /// Answers that depend on lengths of strings, hash codes and properties.
    Bounds "bounds",
    /// Switches over hash codes.
    Switches "switches",
    /// Code that looks like an assert statement but is none.
    Asserts "asserts",
    /// Inputs that are held by static fields.
    Singletons "singletons",
    /// Inputs that are enum constants but have another static type.
    Enums "enums",
    /// Inputs that are lambda expressions, method references or objects of anonymous classes.
    Lambdas "lambdas",
    /// Arrays of subclasses, and stores into them.
    Arrays "arrays",
    /// Static state and class initialization.
    Statics "statics",
    /// Time, memory, streams, messages, threads, locales.
    Environment "environment",
    /// Exceptions that are stored, rethrown and caught around calls.
    Exceptions "exceptions",
    /// Boxed values and their identity.
    Boxes "boxes",
}

/// A world of one of the families, which must not be empty. The result depends only on the seed and the families.
pub fn world(seed: u64, families: &[Family]) -> World {
    let topics = Topics { arithmetic: true, ..Topics::NONE };
    let mut code = Code::new(Rng::new(seed), Java { topics, helpers: None });
    let family = *code.rng.pick(families);
    let root = format!("{}{seed}", family.name());
    let claim = family.claim(&mut code, &root);
    wrapped(&mut code, family, root, claim)
}

impl Family {
    fn claim(self, code: &mut Code, root: &str) -> Claim {
        let inputs = code.rng.chance(50);
        let plain = Features::default();
        let (by_hand, features, file) = match self {
            Family::Dispatch => (
                30,
                Features { inputs, lambdas: code.rng.chance(30), ..plain },
                include_str!("../../../java/worlds/dispatch.java"),
            ),
            Family::Packages => (0, Features { packages: true, inputs: inputs && code.rng.chance(50), ..plain }, ""),
            Family::Private => (
                0,
                Features {
                    private: true,
                    packages: code.rng.chance(30),
                    inputs: inputs && code.rng.chance(50),
                    ..plain
                },
                "",
            ),
            Family::Singletons => (
                60,
                Features { singletons: true, inputs: true, ..plain },
                include_str!("../../../java/worlds/singletons.java"),
            ),
            Family::Enums => {
                (30, Features { enums: true, inputs: true, ..plain }, include_str!("../../../java/worlds/enums.java"))
            }
            Family::Lambdas => (
                50,
                Features { lambdas: true, inputs: true, ..plain },
                include_str!("../../../java/worlds/lambdas.java"),
            ),
            Family::Statics => {
                (60, Features { statics: true, inputs, ..plain }, include_str!("../../../java/worlds/statics.java"))
            }
            Family::Bounds => (100, plain, include_str!("../../../java/worlds/bounds.java")),
            Family::Switches => (100, plain, include_str!("../../../java/worlds/switches.java")),
            Family::Asserts => (100, plain, include_str!("../../../java/worlds/asserts.java")),
            Family::Arrays => (100, plain, include_str!("../../../java/worlds/arrays.java")),
            Family::Environment => (100, plain, include_str!("../../../java/worlds/environment.java")),
            Family::Exceptions => (100, plain, include_str!("../../../java/worlds/exceptions.java")),
            Family::Boxes => (100, plain, include_str!("../../../java/worlds/boxes.java")),
        };
        if code.rng.chance(by_hand) {
            let pieces: Vec<_> = sections(file).collect();
            let (title, text) = *code.rng.pick(&pieces);
            return by_hand_claim(title, text, code);
        }
        let mut claim = hierarchy::claim(code, features, root);
        claim.needs_entry = features.inputs;
        claim
    }
}

/// The claim of a handwritten piece. The title consists of its name and its properties, which correspond to the
/// members of [`Claim`].
fn by_hand_claim(title: &str, text: &str, code: &mut Code) -> Claim {
    let members = template::fill(text, code);
    let words = || title.split_whitespace().skip(1);
    let has = |word: &str| words().any(|other| other == word);
    let params = if let Some(start) = members.find("boolean ok(") {
        let list = &members[start + "boolean ok(".len()..];
        let list = &list[..list.find(") {").expect("a list of parameters ends")];
        let split = list.split(", ").filter_map(|declared| declared.rsplit_once(' '));
        split.map(|(ty, name)| (ty.to_owned(), name.to_owned())).collect()
    } else {
        Vec::new()
    };
    Claim {
        members,
        params,
        traps: has("traps"),
        needs_entry: has("entry"),
        needs_main: has("main"),
        apart: has("apart"),
        own_entry: words().find_map(|word| word.strip_prefix("at:")).map(str::to_owned),
        ..Claim::default()
    }
}

/// Wraps a claim into code that asserts it.
fn wrapped(code: &mut Code, family: Family, root: String, claim: Claim) -> World {
    let given = |(ty, _): &(String, String)| parameters(&format!("void check({ty} x)")).is_some();
    let at_main = match (claim.needs_entry || !claim.params.iter().all(given), claim.needs_main) {
        (true, _) => false,
        (false, true) => true,
        (false, false) => code.rng.chance(if claim.params.is_empty() { 85 } else { 60 }),
    };
    let apart = claim.apart || code.rng.chance(40);
    let class = if apart { "Claim" } else { "Main" };
    let list = |text: fn(&(String, String)) -> String| claim.params.iter().map(text).collect::<Vec<_>>().join(", ");
    let (params, args) = (list(|(ty, name)| format!("{ty} {name}")), list(|(_, name)| name.clone()));
    let wrappers: Vec<_> = sections(include_str!("../../../java/worlds/wrappers.java")).collect();
    let (title, wrapper) = if code.rng.chance(30) { wrappers[0] } else { *code.rng.pick(&wrappers) };
    let wrapper = match claim.own_entry {
        Some(_) => String::new(),
        None => template::fill(wrapper, code)
            .replace("@CALL", &format!("{class}.ok({args})"))
            .replace("@PARAMS", &params)
            .replace("@ARGS", &args),
    };
    let mut main = String::new();
    let start = if at_main {
        let declared = format!("void check({params})");
        let inputs = if claim.params.is_empty() { Vec::new() } else { parameters(&declared).unwrap_or_default() };
        let bounded = !inputs.is_empty() && code.rng.chance(40);
        let mut read = Vec::new();
        for (ty, name) in &inputs {
            let input = if bounded { input(code, ty, inputs.len()) } else { free(ty) };
            let mut method = String::from(*ty);
            method[..1].make_ascii_uppercase();
            writeln!(main, "{ty} {name} = org.sosy_lab.sv_benchmarks.Verifier.nondet{method}();")
                .expect("strings take all text");
            if bounded {
                main +=
                    &bound(code, &input, name).replace("Verifier.assume", "org.sosy_lab.sv_benchmarks.Verifier.assume");
            }
            read.push(input);
        }
        Start::Main { bounded: bounded || read.is_empty(), inputs: read }
    } else {
        Start::Entry
    };
    let main =
        if at_main { format!("public static void main(String[] args) {{\n{main}entry({args});\n}}\n") } else { main };
    let mut files = claim.files;
    let about =
        format!("package {root};\n// {}, {}\npublic class", family.name(), title.split(' ').next().unwrap_or_default());
    if apart {
        files.push((format!("{root}/Claim"), format!("{about} Claim {{\n{}}}\n", claim.members)));
        files.push((
            format!("{root}/Main"),
            about.replacen("public", "import @CLAIM.*;\npublic", 1) + &format!(" Main {{\n{wrapper}{main}}}\n"),
        ));
    } else {
        files.push((format!("{root}/Main"), format!("{about} Main {{\n{}{wrapper}{main}}}\n", claim.members)));
    }
    let files: Vec<_> = files
        .into_iter()
        .map(|(name, text)| (name, indent(&text.replace("@CLAIM", &format!("{root}.{class}")).replace("@ROOT", &root))))
        .collect();
    let says = |mark: &str| files.iter().any(|(_, text)| text.contains(mark));
    let documented = if says("/*fails*/") {
        Some(true)
    } else if says("/*holds*/") {
        Some(false)
    } else {
        None
    };
    let entry = match (&claim.own_entry, at_main) {
        (Some(own), _) => format!("{root}.{class}${own}"),
        (None, true) => format!("{root}.Main.main"),
        (None, false) => format!("{root}.Main.entry"),
    };
    World { family, root, files, entry, traps: claim.traps, start, documented }
}

/// Some values of an unrestricted input.
fn free(ty: &'static str) -> Input {
    let integers = |all: &[i64]| all.iter().map(|&value| Value::Integer(value)).collect();
    let values = match ty {
        "boolean" => vec![Value::Boolean(false), Value::Boolean(true)],
        "float" | "double" => [0.0, -0.0, 0.5, 1.0, -2.25, 1e9, f64::NAN].map(Value::Float).to_vec(),
        "String" => ["", "a", "b", "ab", "Aa", "BB", "lit", "abcdefghij", "abcdefghijk", "abcdefghijklmnop"]
            .map(|text| Value::Text(text.into()))
            .to_vec(),
        "char" => integers(&[0, 97, 98, 99, 65]),
        "byte" | "short" => integers(&[-1, 0, 1, 2, 3, 5, 127, -128]),
        _ => integers(&[-1, 0, 1, 2, 3, 4, 5, 6, 7, 10, 127, 128, 1000, i64::from(i32::MAX), i64::from(i32::MIN)]),
    };
    Input { ty, values }
}
