//! Checks that declarations fit each other: types, classes, and members.

use super::{Checker, Place, ProblemKind};
use crate::program::{ArrayTypeId, Class, ClassId, MethodKind, Trap, Type};
use rustc_hash::FxHashSet;

impl<'p> Checker<'p> {
    pub(super) fn types(&mut self) {
        let program = self.program;
        let place = Place::default();
        for array in 0..program.array_type_count() as u32 {
            let element = program.element_type(ArrayTypeId(array));
            match element {
                Type::Array(inner) if inner.0 >= array => self.report(&place, ProblemKind::CyclicArrayType(array)),
                _ => self.ty(element, &place),
            }
        }
        for trap in Trap::ALL {
            if let Some(class) = program.trap_class(trap) {
                self.class_id(class, &place);
            }
        }
        if let Some(class) = program.array_superclass() {
            self.class_id(class, &place);
        }
    }

    pub(super) fn classes(&mut self) {
        let program = self.program;
        let mut names = FxHashSet::default();
        let mut parents = Vec::new();
        for (id, class) in program.classes() {
            let place = self.class_place(id);
            self.span(class.span, &place);
            if !names.insert(class.name.as_str()) {
                self.report(&place, ProblemKind::Duplicate { what: "classes", name: class.name.clone() });
            }
            for &parent in class.superclass.iter().chain(&class.interfaces) {
                if self.class_id(parent, &place) {
                    parents.push((id.0, parent.0));
                }
            }
            let role = |wanted: bool, name: &str, parent: &Class| {
                (parent.is_interface != wanted).then(|| ProblemKind::BadParent {
                    name: name.to_owned(),
                    role: if wanted { "interface" } else { "superclass" },
                })
            };
            let known = |c: &&ClassId| c.index() < program.class_count();
            for (parent, wanted) in class
                .superclass
                .iter()
                .filter(known)
                .map(|&c| (c, false))
                .chain(class.interfaces.iter().filter(known).map(|&c| (c, true)))
            {
                let parent = program.class(parent);
                if let Some(problem) = role(wanted, &parent.name, parent) {
                    self.report(&place, problem);
                }
            }
        }
        let mut graph = petgraph::graph::DiGraph::<(), ()>::from_edges(parents.iter().copied());
        while graph.node_count() < program.class_count() {
            graph.add_node(());
        }
        let own_parents: FxHashSet<u32> = parents.iter().filter(|(a, b)| a == b).map(|&(a, _)| a).collect();
        for component in petgraph::algo::kosaraju_scc(&graph) {
            for node in &component {
                if component.len() > 1 || own_parents.contains(&(node.index() as u32)) {
                    let place = self.class_place(ClassId(node.index() as u32));
                    self.report(&place, ProblemKind::CyclicHierarchy);
                }
            }
        }
    }

    pub(super) fn members(&mut self) {
        let program = self.program;
        for (id, class) in program.classes() {
            let place = self.class_place(id);
            let mut names = FxHashSet::default();
            for &field in &class.fields {
                if !self.in_range("field", field.0, program.field_count(), &place) {
                    continue;
                }
                let field = program.field(field);
                if field.class != id {
                    self.report(&place, ProblemKind::ForeignMember { what: "field" });
                }
                if !names.insert(field.name.as_str()) {
                    self.report(&place, ProblemKind::Duplicate { what: "fields", name: field.name.clone() });
                }
                self.span(field.span, &place);
                self.ty(field.ty, &place);
            }
            let mut signatures = FxHashSet::default();
            for &method in &class.methods {
                if !self.in_range("method", method.0, program.method_count(), &place) {
                    continue;
                }
                let method = program.method(method);
                if method.class != id {
                    self.report(&place, ProblemKind::ForeignMember { what: "method" });
                }
                if !signatures.insert((method.name.as_str(), &method.params, method.result)) {
                    self.report(&place, ProblemKind::Duplicate { what: "methods", name: method.name.clone() });
                }
            }
        }
        let hierarchy_is_sound = self.problems.is_empty();
        for (id, method) in program.methods() {
            let place = self.method_place(id);
            self.span(method.span, &place);
            let before = self.problems.len();
            for &ty in method.params.iter().chain(&method.result) {
                self.ty(ty, &place);
            }
            if method.kind != MethodKind::Static {
                match method.params.first() {
                    None => self.report(&place, ProblemKind::NoReceiver),
                    Some(&receiver) if hierarchy_is_sound && self.problems.len() == before => {
                        self.assignable(Type::Class(method.class), receiver, "the receiver", &place);
                    }
                    Some(_) => {}
                }
            }
        }
    }
}
