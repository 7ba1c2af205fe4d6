//! Finds static fields whose objects no caller can have: nothing outside can read the field, and no code of the program
//! stores the object elsewhere, returns it or passes it on.
//!
//! The analysis follows variables that may refer to the object, without regard to the order of operations. What it does
//! not know counts as giving the object away.

use crate::loader::{ClassKind, Cs};
use aback_cil::{Access, Visibility};
use aback_ir::analysis::FunctionObjects;
use aback_ir::{
    Body, ClassId, Const, Dispatch, Expr, ExprId, FieldId, Intrinsic, LocalId, MethodId, MethodKind, OpKind,
    TerminatorKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Methods of all objects that neither keep nor return their receiver.
const HARMLESS: &[&str] = &["<init>", "Equals", "GetHashCode", "GetType", "ToString"];

/// The model that compares references where strings may be among them.
const COMPARISON: &str = "Models.System.Identity";

/// What the program's own code does with static fields.
pub(super) struct Hidden<'a> {
    cs: Cs<'a>,
    reads: FxHashMap<FieldId, Vec<(MethodId, LocalId)>>,
    writes: FxHashMap<FieldId, Vec<(MethodId, ExprId)>>,
    /// The methods that call a method, with the variables that get the results.
    calls: FxHashMap<MethodId, Vec<(MethodId, Option<LocalId>)>>,
    /// Fields to which code makes managed pointers.
    pointed: FxHashSet<FieldId>,
    functions: FunctionObjects,
}

/// The variables that may refer to the object of a field, and what it is.
#[derive(Default)]
struct Aliases {
    seen: FxHashSet<(MethodId, LocalId)>,
    pending: Vec<(MethodId, LocalId)>,
    classes: Vec<ClassId>,
    is_array: bool,
}

impl Aliases {
    fn add(&mut self, method: MethodId, local: LocalId) {
        if self.seen.insert((method, local)) {
            self.pending.push((method, local));
        }
    }
}

impl<'a> Hidden<'a> {
    pub(super) fn new(cs: Cs<'a>) -> Self {
        let program = cs.program;
        // Reading code may make more of it.
        loop {
            let known = program.method_count();
            program.own_methods().for_each(|method| _ = program.body(method));
            if program.method_count() == known {
                break;
            }
        }
        let mut hidden = Hidden {
            cs,
            reads: FxHashMap::default(),
            writes: FxHashMap::default(),
            calls: FxHashMap::default(),
            pointed: FxHashSet::default(),
            functions: FunctionObjects::new(program),
        };
        for method in program.own_methods() {
            for (_, op) in program.body(method).into_iter().flat_map(Body::ops) {
                match op.kind {
                    OpKind::GetStatic { dst, field } => hidden.reads.entry(field).or_default().push((method, dst)),
                    OpKind::PutStatic { field, value } => {
                        hidden.writes.entry(field).or_default().push((method, value));
                    }
                    OpKind::Call { dst, method: named, .. } => {
                        hidden.calls.entry(named).or_default().push((method, dst));
                    }
                    OpKind::New { class, .. } => {
                        if let Some(ClassKind::StaticRef(fields)) = cs.loader.kind_of(class) {
                            hidden.pointed.extend(fields);
                        }
                    }
                    _ => {}
                }
            }
        }
        hidden
    }

    /// Whether no caller can have an object of a field.
    pub(super) fn hides(&self, field: FieldId) -> bool {
        if !is_closed(self.cs, field) || self.pointed.contains(&field) {
            return false;
        }
        let mut aliases = Aliases::default();
        for &(method, value) in self.writes.get(&field).into_iter().flatten() {
            if !self.is_new(&mut aliases, method, value) {
                return false;
            }
        }
        for &(method, dst) in self.reads.get(&field).into_iter().flatten() {
            aliases.add(method, dst);
        }
        while let Some((method, local)) = aliases.pending.pop() {
            if !self.keeps(&mut aliases, field, method, local) {
                return false;
            }
        }
        true
    }

    /// Whether a value is an object that the method makes, or null. Adds the variables that have it.
    fn is_new(&self, aliases: &mut Aliases, method: MethodId, value: ExprId) -> bool {
        let Some(body) = self.cs.program.body(method) else { return false };
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            let local = match *body.expr(value) {
                Expr::Convert { value, .. } => {
                    pending.push(value);
                    continue;
                }
                Expr::Const(Const::Null) => continue,
                Expr::Local(local) if local.index() >= self.cs.program.method(method).params.len() => local,
                _ => return false,
            };
            if aliases.seen.contains(&(method, local)) {
                continue;
            }
            aliases.add(method, local);
            for (_, op) in body.ops().filter(|(_, op)| op.kind.dst() == Some(local)) {
                match op.kind {
                    OpKind::New { class, .. } => aliases.classes.push(class),
                    OpKind::NewArray { .. } => aliases.is_array = true,
                    OpKind::Assign { value, .. } => pending.push(value),
                    _ => return false,
                }
            }
        }
        true
    }

    /// Whether a method keeps to itself what a variable refers to. Adds the variables that get it.
    fn keeps(&self, aliases: &mut Aliases, field: FieldId, method: MethodId, local: LocalId) -> bool {
        let program = self.cs.program;
        let Some(body) = program.body(method).filter(|body| body.lost_code().is_none()) else { return false };
        let is_it = |value: ExprId| may_be(body, value, local);
        for (_, op) in body.ops() {
            let is_kept = match op.kind {
                OpKind::Assign { dst, value } | OpKind::Cast { dst, object: value, .. } => {
                    if is_it(value) {
                        aliases.add(method, dst);
                    }
                    true
                }
                OpKind::PutStatic { field: other, value } => other == field || !is_it(value),
                OpKind::PutField { value, .. } | OpKind::ArrayPut { value, .. } => !is_it(value),
                OpKind::GetField { .. }
                | OpKind::ArrayGet { .. }
                | OpKind::ArrayLength { .. }
                | OpKind::InstanceOf { .. } => true,
                OpKind::Intrinsic { intrinsic: Intrinsic::Known, .. } => true,
                OpKind::Call { dispatch, method: named, ref args, .. } => {
                    let mut given = args.iter().enumerate().filter(|(_, arg)| is_it(**arg));
                    given.all(|(index, _)| self.takes(aliases, dispatch, named, index))
                }
                ref other => !other.operands().into_iter().any(is_it),
            };
            if !is_kept {
                return false;
            }
        }
        body.blocks.iter().all(|block| match block.terminator.kind {
            TerminatorKind::Return(Some(value)) if is_it(value) => self.returns(aliases, method),
            TerminatorKind::Throw(value) => !is_it(value),
            _ => true,
        })
    }

    /// Whether what a call runs keeps an argument to itself.
    fn takes(&self, aliases: &mut Aliases, dispatch: Dispatch, named: MethodId, index: usize) -> bool {
        let program = self.cs.program;
        let callees: Vec<MethodId> = match dispatch {
            Dispatch::Static | Dispatch::Special => vec![named],
            // Other code may override the method of an object that is not known.
            Dispatch::Virtual if index > 0 => return false,
            Dispatch::Virtual => {
                let of_array = aliases.is_array.then_some(named);
                aliases.classes.iter().map(|&class| program.dispatch(class, named)).chain(of_array).collect()
            }
        };
        callees.into_iter().all(|callee| {
            let declared = program.method(callee);
            if program.class_name(declared.class) == COMPARISON {
                return true;
            }
            let is_operation = program.is_synthetic(callee) && declared.name.starts_with('$');
            let is_of_all = declared.class == self.cs.object_class() && HARMLESS.contains(&&declared.name[..]);
            if index == 0 && dispatch != Dispatch::Static && (is_of_all || is_operation) {
                return true;
            }
            let is_followed = !program.class(declared.class).is_library && !declared.is_abstract;
            if is_followed {
                aliases.add(callee, LocalId(index as u32));
            }
            is_followed
        })
    }

    /// Whether only known code gets the result of a method. Adds the variables that get it.
    fn returns(&self, aliases: &mut Aliases, method: MethodId) -> bool {
        let program = self.cs.program;
        let declared = program.method(method);
        // Type parameters lead to explicit implementations, whose names have that of the interface in them.
        let is_named_only = declared.kind == MethodKind::Static
            && program.is_private(method)
            && !declared.name.contains('.')
            && self.functions.classes(method).next().is_none();
        for &(caller, dst) in self.calls.get(&method).into_iter().flatten().filter(|_| is_named_only) {
            if let Some(dst) = dst {
                aliases.add(caller, dst);
            }
        }
        is_named_only
    }
}

/// Whether only code of the program can read a static field, by its access or that of a class around it. All code that
/// can is known: that of generic classes has other instances.
fn is_closed(cs: Cs, field: FieldId) -> bool {
    let Some(ClassKind::Type(ty)) = cs.loader.kind_of(cs.program.field(field).class) else { return false };
    let Some((declared, arguments)) = cs.declared(ty) else { return false };
    if !arguments.is_empty() {
        return false;
    }
    let read = cs.assembly(declared.assembly);
    let is_private =
        |&row: &u32| read.type_def(row).is_ok_and(|def| def.visibility() == Visibility::Nested(Access::Private));
    cs.loader.is_private_field(field)
        || std::iter::successors(Some(declared.row), |&row| read.enclosing(row)).any(|row| is_private(&row))
}

/// Whether the value of an expression may be that of a variable with a reference.
fn may_be(body: &Body, value: ExprId, local: LocalId) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match *body.expr(value) {
            Expr::Local(other) if other == local => return true,
            Expr::Convert { value, .. } => pending.push(value),
            Expr::Select(_, yes, no) => pending.extend([yes, no]),
            _ => {}
        }
    }
    false
}
