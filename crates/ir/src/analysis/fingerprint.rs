//! Hashes of everything that an answer about a method relies on. If they are the same in a later version of a program, the
//! answer is, too.
//!
//! An answer relies on
//!
//! - the code that the method may run, with class initialization and all overriders ([`super::reached()`]);
//! - the classes of objects in the inputs, and the code that makes and changes these objects: any method of these classes that
//!   makers may call ([`crate::Maker`]) and that does not only look at objects;
//! - facts about the whole program: its declarations with what the program model lacks ([`Program::declarations`]), its class initializers, and what code does with objects and
//!   static fields. The hash has the outlines of all methods ([`super::outline`]).
//!
//! The code of the platform and of libraries in files of their own is not looked at: whoever compares hashes has to know that these
//! are the same.

use super::observers::observes;
use super::outline::outline;
use super::reached::{Follow, Step, code, is_looked_at, is_mutable, next, read_own_code};
use crate::body::Body;
use crate::program::{ClassId, MethodId, Program, Type};
use crate::span::Span;
use crate::text::{BodyPrinter, print_type};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};
use sha2::{Digest, Sha256};
use std::hash::Hash as StdHash;

type Hash = [u8; 32];

/// The hashes of a method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fingerprint {
    /// A hash of what an answer relies on, in hexadecimal digits.
    pub code: String,
    /// The same with the places of the code in the sources, which counterexamples show.
    pub places: String,
}

/// The hashes of some methods of a program.
pub struct Fingerprints<'p> {
    program: &'p Program,
    facts: Hash,
    /// The hashes of methods and of classes, without and with places.
    methods: [FxHashMap<Step, Hash>; 2],
    classes: [FxHashMap<ClassId, Hash>; 2],
}

impl<'p> Fingerprints<'p> {
    /// The hashes of these methods. Objects of the inputs may be asked by methods of a name whether they are valid
    /// ([`Program::with_valid_inputs`]).
    pub fn new(program: &'p Program, methods: &[MethodId], validity: Option<&str>) -> Self {
        read_own_code(program);
        let own: Vec<MethodId> = program.own_methods().collect();
        let starts: Vec<Step> = own.iter().chain(methods).map(|&method| Step::Method(method)).collect();
        let steps = Graph::new(starts, |step| next(program, step, Follow::Everything));
        // Reading code loads further classes, so that these are looked at last.
        let methods = [false, true].map(|places| steps.hashes(|step| content(program, step, places)));
        let classes: Vec<ClassId> = program.classes().map(|(id, _)| id).collect();
        // Only methods with hashes count.
        let makers: FxHashSet<MethodId> = (methods[0].keys())
            .filter_map(|&step| if let Step::Method(method) = step { Some(method) } else { None })
            .filter(|&method| {
                let makes = program.can_be_of_maker(method) && !observes(program, method);
                makes || validity == Some(program.method(method).name.as_str())
            })
            .collect();
        let of_objects = Graph::new(classes, |class| beside(program, class));
        let classes = [0, 1].map(|index: usize| {
            of_objects.hashes(|class| {
                let own = program.class(class).methods.iter().copied();
                let own = own.filter(|method| makers.contains(method)).map(Step::Method);
                let hashes: Vec<Hash> = own.filter_map(|step| methods[index].get(&step).copied()).collect();
                hash_of([program.class_name(class).as_bytes(), hash_of_all(hashes).as_slice()])
            })
        });
        let facts = facts(program, &own, &methods[0]);
        Fingerprints { program, facts, methods, classes }
    }

    /// The hashes of a method.
    pub fn of(&self, method: MethodId) -> Fingerprint {
        let [code, places] = [0, 1].map(|index: usize| {
            let mut hash = Sha256::new();
            hash.update(self.facts);
            hash.update(self.methods[index].get(&Step::Method(method)).copied().unwrap_or_default());
            let given = self.program.method(method).params.iter().skip(usize::from(self.program.constructs(method)));
            for class in given.filter_map(|&ty| class_of(self.program, ty)) {
                hash.update(self.classes[index].get(&class).copied().unwrap_or_default());
            }
            hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
        });
        Fingerprint { code, places }
    }
}

/// What leads to what. Each node has a hash of its own content and of all that it leads to.
struct Graph<N> {
    graph: DiGraph<N, ()>,
}

impl<N: Copy + Eq + StdHash> Graph<N> {
    fn new(starts: impl IntoIterator<Item = N>, next: impl Fn(N) -> Vec<N>) -> Self {
        let mut graph = DiGraph::new();
        let mut indices: FxHashMap<N, NodeIndex> = FxHashMap::default();
        let mut pending: Vec<N> = Vec::new();
        let mut index_of = |graph: &mut DiGraph<N, ()>, pending: &mut Vec<N>, node: N| {
            *indices.entry(node).or_insert_with(|| {
                pending.push(node);
                graph.add_node(node)
            })
        };
        for start in starts {
            index_of(&mut graph, &mut pending, start);
        }
        while let Some(node) = pending.pop() {
            let from = index_of(&mut graph, &mut pending, node);
            for after in next(node) {
                let to = index_of(&mut graph, &mut pending, after);
                graph.update_edge(from, to, ());
            }
        }
        Graph { graph }
    }

    /// Nodes that lead to each other have one hash.
    fn hashes(&self, content: impl Fn(N) -> Hash) -> FxHashMap<N, Hash> {
        let mut hashes: FxHashMap<N, Hash> = FxHashMap::default();
        // What a component leads to comes before it.
        for component in kosaraju_scc(&self.graph) {
            let inside: FxHashSet<NodeIndex> = component.iter().copied().collect();
            let after = component.iter().flat_map(|&index| self.graph.neighbors(index));
            let after = after.filter(|index| !inside.contains(index)).map(|index| hashes[&self.graph[index]]);
            let after = hash_of_all(after.collect());
            let own = hash_of_all(component.iter().map(|&index| content(self.graph[index])).collect());
            let hash = hash_of([own.as_slice(), after.as_slice()]);
            hashes.extend(component.iter().map(|&index| (self.graph[index], hash)));
        }
        hashes
    }
}

fn hash_of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Hash {
    let mut hash = Sha256::new();
    for part in parts {
        // Lengths separate the parts.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// A hash of a set, whatever its order, which depends on the order in which classes were loaded.
fn hash_of_all(mut hashes: Vec<Hash>) -> Hash {
    hashes.sort_unstable();
    hashes.dedup();
    hash_of(hashes.iter().map(Hash::as_slice))
}

/// The content of a step itself.
fn content(program: &Program, step: Step, places: bool) -> Hash {
    let text = match step {
        Step::Method(method) => {
            let body = code(program, method).map(|body| text_of(program, body, places));
            format!("{} {}", declared(program, method), body.unwrap_or_default())
        }
        Step::Call(dispatch, method) => format!("call {dispatch:?} {}", declared(program, method)),
        Step::Platform => "platform".into(),
        Step::CallsBack => "calls back".into(),
    };
    hash_of([text.as_bytes()])
}

/// The declaration of a method.
fn declared(program: &Program, method: MethodId) -> String {
    let of = program.method(method);
    let types: Vec<String> = of.params.iter().chain(&of.result).map(|&ty| print_type(program, ty)).collect();
    let (class, kind, access) = (program.class_name(of.class), of.kind, of.access);
    let is_own = is_looked_at(program, of.class);
    let never_null: Vec<usize> =
        (0..of.params.len()).filter(|&index| is_own && program.takes_no_null(method, index)).collect();
    let (name, types) = (&of.name, types.join(", "));
    format!("{class}.{name}({types}) {kind:?} {access:?} {} {} {never_null:?}", of.result.is_some(), of.is_abstract)
}

/// The code of a method as text, with names in place of numbers, which depend on the order in which classes were loaded.
fn text_of(program: &Program, body: &Body, places: bool) -> String {
    let printer = BodyPrinter::new(program, body);
    // Locals without a name stand for numbers.
    let locals = body.locals.iter().filter(|local| !local.name.is_empty());
    let mut lines: Vec<String> = locals.map(|local| print_type(program, local.ty)).collect();
    lines.extend(printer.lets());
    for id in body.block_ids() {
        let block = body.block(id);
        lines.push(printer.label(id));
        for op in &block.ops {
            lines.push(printer.op(&op.kind));
            lines.extend(places.then(|| place(program, op.span)));
        }
        lines.push(printer.terminator(&block.terminator.kind));
        lines.extend(places.then(|| place(program, block.terminator.span)));
    }
    lines.join("\n")
}

fn place(program: &Program, span: Span) -> String {
    let file = program.file(span.file).map_or(String::new(), |file| file.path.display().to_string());
    format!("{file} {} {} {}", span.line, span.column, span.length)
}

/// The class of the objects that references of a type lead to.
fn class_of(program: &Program, ty: Type) -> Option<ClassId> {
    match ty {
        Type::Array(array) => class_of(program, program.element_type(array)),
        Type::Class(class) if is_looked_at(program, class) => Some(class),
        // Platform objects may hold anything.
        Type::Class(_) if is_mutable(program, ty) => program.root(),
        _ => None,
    }
}

/// The classes of objects to which an object of a class may lead, or which its methods may get.
fn beside(program: &Program, class: ClassId) -> Vec<ClassId> {
    if !is_looked_at(program, class) {
        let is_root = program.root() == Some(class);
        let all = program.classes().map(|(id, _)| id).filter(|&id| is_root && is_looked_at(program, id));
        return all.chain(program.root().filter(|_| !is_root)).collect();
    }
    let declared = program.class(class);
    let params = declared.methods.iter().flat_map(|&method| program.method(method).params.clone());
    let types = declared.fields.iter().map(|&field| program.field(field).ty).chain(params);
    let others = types.filter_map(|ty| class_of(program, ty));
    others
        .chain(program.direct_subclasses(class))
        .chain(declared.superclass.filter(|&class| is_looked_at(program, class)))
        .collect()
}

/// A hash of the facts about the whole program.
fn facts(program: &Program, own: &[MethodId], deep: &FxHashMap<Step, Hash>) -> Hash {
    let mut hashes = Vec::new();
    for (id, class) in program.classes().filter(|(_, class)| !class.is_library) {
        let names =
            |classes: &[ClassId]| classes.iter().map(|&class| program.class_name(class)).collect::<Vec<_>>().join(", ");
        let fields = class.fields.iter().map(|&field| {
            let is_never_null = !program.field(field).is_static && program.is_never_null(field);
            let outside = (program.use_outside(field), program.is_private_field(field));
            let field = program.field(field);
            format!("{} {} {} {is_never_null} {outside:?}", field.name, print_type(program, field.ty), field.is_static)
        });
        let methods =
            class.methods.iter().map(|&method| format!("{} {}", declared(program, method), program.is_public(method)));
        let above: Vec<ClassId> = class.superclass.into_iter().chain(class.interfaces.iter().copied()).collect();
        let flags = [class.is_abstract, class.is_final, class.is_interface];
        let head = format!("{} {} {flags:?}", program.class_name(id), names(&above));
        let text: Vec<String> = [head, program.declarations(id)].into_iter().chain(fields).chain(methods).collect();
        hashes.push(hash_of([text.join("\n").as_bytes()]));
    }
    for &method in own {
        let Some(body) = program.body(method) else { continue };
        let text = format!("{} {}", declared(program, method), text_of(program, &outline(body), false));
        hashes.push(hash_of([text.as_bytes()]));
        if program.is_initializer(method) {
            hashes.extend(deep.get(&Step::Method(method)));
        }
    }
    hash_of_all(hashes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    const CODE: &str = "trap NullDereference Object
     class Object {
     }
     class A extends Object {
       field next: A
       field size: int
       static field s: int
       static method twice(n: int) -> int {
       b0: return n * 2
       }
       static method calls(n: int) -> int {
         local r: int
       b0: r := call static A::twice(n)
         return r
       }
       static method given(a: A) {
       b0: return
       }
       static method other(n: int) -> int {
       b0: return n + 1
       }
       method grow(this: A, n: int) {
       b0: this.A::next := this
         this.A::size := n + 2
         return
       }
       static method fill(a: A, n: int) {
       b0: a.A::size := n
         return
       }
       method size_is_fine(this: A) -> bool {
         local n: int
       b0: n := this.A::size
         return n < 7
       }
       static method store(n: int) {
       b0: static A::s := n
         return
       }
     }
     class B extends A {
     }";

    /// The methods whose code hash changes if a text in the program is replaced.
    #[track_caller]
    fn check(old: &str, new: &str, expected: &[&str]) {
        check_with(None, old, new, expected);
    }

    #[track_caller]
    fn check_with(validity: Option<&str>, old: &str, new: &str, expected: &[&str]) {
        assert!(CODE.contains(old), "{old}");
        let hashes = |code: &str| -> Vec<(String, Fingerprint)> {
            let program = text::parse(code).unwrap_or_else(|errors| panic!("{errors:?}"));
            let methods: Vec<MethodId> = program.own_methods().collect();
            let found = Fingerprints::new(&program, &methods, validity);
            methods.iter().map(|&method| (program.method(method).name.clone(), found.of(method))).collect()
        };
        let (before, after) = (hashes(CODE), hashes(&CODE.replacen(old, new, 1)));
        let known = |(name, _): &&(String, Fingerprint)| after.iter().any(|(other, _)| other == name);
        let is_changed = |(name, fingerprint): &&(String, Fingerprint)| {
            after.iter().any(|(other, now)| other == name && now.code != fingerprint.code)
        };
        let changed: Vec<&str> =
            before.iter().filter(known).filter(is_changed).map(|(name, _)| name.as_str()).collect();
        assert_eq!(changed, expected, "{old} -> {new}");
    }

    const ALL: [&str; 8] = ["twice", "calls", "given", "other", "grow", "fill", "size_is_fine", "store"];

    #[test]
    fn what_answers_rely_on() {
        check("n * 2", "n * 2", &[]);
        // The method and its callers. It makes no inputs.
        check("n * 2", "n * 3", &["twice", "calls"]);
        check("n + 1", "n - 1", &["other"]);
        // What code writes may be seen anywhere, and so may declarations, but not which number it is, unless a maker calls it.
        check("static A::s := n", "static A::s := n + 1", &["store"]);
        check("a.A::size := n", "a.A::size := n + 1", &["fill"]);
        check("n + 2", "n + 3", &["given", "grow", "fill", "size_is_fine"]);
        check("n < 7", "n < 9", &["size_is_fine"]);
        check_with(Some("size_is_fine"), "n < 7", "n < 9", &["given", "grow", "fill", "size_is_fine"]);
        check("return n + 1", "static A::s := n\n return n + 1", &ALL);
        check("this.A::next := this", "this.A::next := null", &ALL);
        check("static field s: int", "static field s: int\n field more: int", &ALL);
        check("class B extends A {", "class B extends Object {", &ALL);
        check("class B extends A {", "class B extends A {\n method grow(this: B, n: int) {\n b0: return\n }\n", &ALL);
    }

    #[test]
    fn places_count_for_counterexamples() {
        let program = |line: u32| {
            let code = CODE.replacen("return n + 1", &format!("return n + 1 @ {line}"), 1);
            text::parse(&format!("file 0 \"A.java\"\n{code}")).unwrap_or_else(|errors| panic!("{errors:?}"))
        };
        let of = |line: u32| {
            let program = program(line);
            let other = program.own_methods().find(|&method| program.method(method).name == "other").unwrap();
            Fingerprints::new(&program, &[other], None).of(other)
        };
        let (one, two) = (of(4), of(5));
        assert!(one.code == two.code && one.places != two.places);
    }
}
