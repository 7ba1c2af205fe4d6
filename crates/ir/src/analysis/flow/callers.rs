//! Finds which objects of static fields callers outside of the program can get, and what they change.

use super::types::{are_related, lead_to};
use super::{Flow, converted};
use crate::analysis::callbacks::is_made_up;
use crate::analysis::origins::{ARGUMENT, CLOSED, NEW, OPEN, Origins, Roots};
use crate::analysis::reached::{CALLS, code, is_looked_at, is_mutable};
use crate::body::{Body, Dispatch, Expr, ExprId, LocalId, OpKind, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use crate::runtime::FieldUse;
use rustc_hash::{FxHashMap, FxHashSet};

impl<'p> Flow<'p> {
    /// Adds what callers can do to the objects of static fields that they get: assign public fields and elements of
    /// arrays, and call methods of platform objects.
    pub(super) fn change_given_out(&mut self) {
        let program = self.program;
        for &(ty, root) in &self.facts.given_out {
            match ty {
                Type::Array(array) => {
                    self.facts.changed_elements.insert((program.element_type(array), root));
                }
                // It may be an array, too.
                Type::Class(class) if !is_looked_at(program, class) => self.facts.changed_through |= root,
                _ => {}
            }
        }
        let own = program.classes().filter(|&(id, _)| is_looked_at(program, id) && !is_made_up(program, id));
        for (id, class) in own {
            let open = class.fields.iter().filter(|&&field| program.use_outside(field) == FieldUse::Assign);
            let open: Vec<FieldId> = open.copied().filter(|&field| !program.field(field).is_static).collect();
            if open.is_empty() {
                continue;
            }
            let given_out = self.facts.given_out.iter();
            let given_out = given_out.filter(|&&(ty, _)| are_related(program, ty, Type::Class(id)));
            let roots = given_out.fold(0, |all, &(_, root)| all | root);
            if roots != 0 {
                self.facts.changed_fields.extend(open.into_iter().map(|field| (field, roots)));
            }
        }
    }

    /// Adds the arguments that callers and platform code may pass.
    pub(super) fn pass_all_arguments(&mut self, all: &[MethodId]) {
        let mut known = FxHashMap::default();
        for &method in all {
            self.pass_arguments(method, &mut known);
        }
    }

    /// Adds the arguments of a method. `known` has the answers for types of parameters whether callers have an object of
    /// the type.
    pub(super) fn pass_arguments(&mut self, method: MethodId, known: &mut FxHashMap<Type, bool>) {
        let program = self.program;
        let declared = program.method(method);
        let is_made_up = is_made_up(program, declared.class);
        let given = match self.is_called_back(method) {
            true if self.facts.given & NEW != 0 && !self.gets_new(declared.class) => {
                Origins::view(self.facts.given & !NEW)
            }
            true => Origins::view(self.facts.given),
            false => Origins::NONE,
        };
        let is_open = !is_made_up && self.is_earlier(method) && !program.is_private(method);
        let is_instance = self.instances.contains(&method);
        // What a method puts into objects of its callers, or returns in new ones.
        if self.is_earlier(method) && self.is_called_outside(method) {
            let results = code(program, method).into_iter().flat_map(|body| {
                results(program, body).into_iter().flat_map(|value| types_of(program, body, value, CALLS))
            });
            let left: Vec<Type> = declared.params.iter().copied().chain(results).collect();
            for ty in left.into_iter().filter(|&ty| is_mutable(program, ty)) {
                let origins = self.left_in(ty);
                self.publish(origins);
            }
        }
        for (index, &ty) in declared.params.iter().enumerate() {
            // A constructor starts with a new object, and a managed pointer is no object of a static field. What the
            // operations of synthetic objects do is known where libraries get the object.
            let is_new = declared.kind == MethodKind::Constructor || program.is_pointer(declared.class);
            if !is_mutable(program, ty) || index == 0 && is_new || is_made_up && declared.name.starts_with('$') {
                continue;
            }
            let handed = &self.facts.handed;
            let is_handed = || handed.iter().any(|&other| are_related(program, other, ty));
            // Other instances of the method have parameters of other types.
            let is_passed =
                is_open && (is_instance && !handed.is_empty() || *known.entry(ty).or_insert_with(is_handed));
            // Callers may have made a view of an object that they got.
            let passed = if is_passed { Origins::view(ARGUMENT) } else { Origins::NONE };
            self.add((method, LocalId(index as u32)), given | passed);
        }
    }

    /// Records that callers outside of the program may find objects with these origins somewhere.
    pub(super) fn publish(&mut self, origins: Origins) {
        if let (true, Some(root)) = (origins.roots() & (CLOSED | OPEN) != 0, self.program.root()) {
            self.note_leak(origins);
            hand(self.program, &mut self.facts.handed, Type::Class(root));
            self.lead_out(Type::Class(root), origins.roots());
        }
    }

    /// Records that callers outside of the program get a result of a method.
    pub(super) fn pass_to_callers(&mut self, method: MethodId, ty: Type, origins: Origins) {
        let program = self.program;
        let is_open = !program.is_private(method) && !is_made_up(program, program.method(method).class);
        if is_open && origins != Origins::NONE {
            self.note_leak(origins);
            hand(program, &mut self.facts.handed, ty);
            if self.is_called_outside(method) {
                self.lead_out_of(ty, origins);
            }
        }
    }

    /// Whether callers outside of the program may call a method. They may name another method, which it overrides.
    pub(super) fn is_called_outside(&self, method: MethodId) -> bool {
        let program = self.program;
        let declared = program.method(method);
        !program.is_private(method)
            && !is_made_up(program, declared.class)
            && (program.is_public(method) || declared.kind == MethodKind::Instance)
    }

    /// Records that callers outside of the program can get the objects to which a field refers, if they can read it.
    pub(super) fn give_out(&mut self, field: FieldId, roots: Roots) {
        if self.program.use_outside(field) != FieldUse::None {
            self.lead_out(self.program.field(field).ty, roots);
        }
    }

    /// Records that callers outside of the program can get a reference with these origins. What only holds objects of
    /// static fields is none itself.
    pub(super) fn lead_out_of(&mut self, ty: Type, origins: Origins) {
        let itself = origins.itself() | origins.changed_with();
        self.lead_out(ty, itself);
        let inside = match ty {
            Type::Array(array) => Some(self.program.element_type(array)),
            Type::Class(_) => self.program.root().map(Type::Class),
            _ => None,
        };
        if let Some(inside) = inside.filter(|_| itself != origins.roots()) {
            self.lead_out(inside, origins.roots());
        }
    }

    /// Records that callers outside of the program can get objects of a type, and those to which public fields lead, that
    /// belong to static fields of these roots.
    pub(super) fn lead_out(&mut self, ty: Type, roots: Roots) {
        let program = self.program;
        for root in [CLOSED, OPEN].into_iter().filter(|root| roots & root != 0) {
            if is_mutable(program, ty) && self.facts.given_out.insert((ty, root)) {
                let mut found = FxHashSet::default();
                lead_to(program, &mut found, ty, |field| program.use_outside(field) != FieldUse::None);
                self.facts.given_out.extend(found.into_iter().map(|ty| (ty, root)));
            }
        }
    }

    /// Whether callers can get objects of a type from static fields.
    pub(in crate::analysis) fn hands_out(&self, ty: Type) -> bool {
        self.facts.handed.iter().any(|&other| are_related(self.program, other, ty))
    }

    /// Records that callers can get references with these origins.
    pub(super) fn note_leak(&mut self, origins: Origins) {
        self.facts.is_leaking |= origins.roots() & CLOSED != 0;
    }

    /// The origins of what platform objects, arrays and places have in them to which references of a type refer.
    pub(super) fn left_in(&self, ty: Type) -> Origins {
        let program = self.program;
        let has_places = |&class: &ClassId| {
            let mut fields = program.instance_fields(class).into_iter();
            !is_looked_at(program, class) && fields.any(|field| is_mutable(program, program.field(field).ty))
        };
        let find = |class: ClassId| program.supertypes(class).iter().any(has_places);
        let is_keeper = |class: ClassId| *self.known.keepers.borrow_mut().entry(class).or_insert_with(|| find(class));
        let held = match ty {
            Type::Class(class) if program.is_pointer(class) => 0,
            Type::Class(class) if !is_looked_at(program, class) => self.facts.held,
            Type::Class(class) if is_keeper(class) => self.facts.held,
            _ => 0,
        };
        self.behind(ty) | Origins::holder(held)
    }
}

/// The references that a body returns: structs with several parts give the others in synthetic static fields.
pub(in crate::analysis) fn results(program: &Program, body: &Body) -> Vec<ExprId> {
    let returned = body.blocks.iter().filter_map(|block| match block.terminator.kind {
        TerminatorKind::Return(value) => value,
        _ => None,
    });
    let is_part = |field| is_made_up(program, program.field(field).class) && !program.is_private_field(field);
    let parts = body.ops().filter_map(|(_, op)| match op.kind {
        OpKind::PutStatic { field, value } if is_part(field) => Some(value),
        _ => None,
    });
    returned.chain(parts).filter(|&value| body.expr_type(value).is_reference()).collect()
}

/// The types of the references that may be the value of an expression, as far as the code tells more than the type of the
/// expression. It follows at most `calls` nested calls. Arguments do not count.
pub(super) fn types_of(program: &Program, body: &Body, expr: ExprId, calls: u32) -> Vec<Type> {
    let mut pending = vec![expr];
    let mut seen = FxHashSet::default();
    let mut types = Vec::new();
    while let Some(expr) = pending.pop() {
        let value = converted(body, expr);
        let Expr::Local(local) = *body.expr(value) else {
            types.push(body.expr_type(value));
            continue;
        };
        if !seen.insert(local) {
            continue;
        }
        for (_, op) in body.ops().filter(|(_, op)| op.kind.dst() == Some(local)) {
            match op.kind {
                OpKind::Assign { value, .. } => pending.push(value),
                OpKind::New { class, .. } => types.push(Type::Class(class)),
                OpKind::Call { dispatch: Dispatch::Static | Dispatch::Special, method, .. }
                    if calls > 0
                        && let Some(callee) = code(program, method) =>
                {
                    let results = results(program, callee).into_iter();
                    types.extend(results.flat_map(|value| types_of(program, callee, value, calls - 1)));
                }
                _ => types.push(body.local(local).ty),
            }
        }
    }
    types
}

/// Records that callers can get objects of a type, and the objects that these lead to.
pub(super) fn hand(program: &Program, handed: &mut FxHashSet<Type>, ty: Type) {
    lead_to(program, handed, ty, |field| !program.is_private_field(field));
}
