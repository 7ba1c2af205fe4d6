//! Finds out what constructors establish: fields that are not null in any object that they have made.

use super::{Cfg, Dominators};
use crate::body::{BlockId, Body, Dispatch, Expr, ExprId, LocalId, OpKind, TerminatorKind};
use crate::program::{ClassId, FieldId, MethodId, MethodKind, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The private instance fields of the program's own classes that are not null in any object that code can have: each
/// constructor assigns a new object, and everything else that assigns the field does so, too. Nobody gets the object before
/// the constructor has returned, because the constructors only read and write its fields.
///
/// Nothing is found if the program makes managed pointers to its fields, or calls methods that may write fields whose names
/// they get, because code assigns fields through them.
pub fn never_null_once_made(program: &Program) -> FxHashSet<FieldId> {
    let methods: Vec<MethodId> = program.own_methods().collect();
    let bodies = || methods.iter().filter_map(|&method| Some((method, program.body(method)?)));
    let makes_pointer = |op: &OpKind| matches!(op, OpKind::New { class, .. } if program.is_own_pointer(*class));
    let reflects = |op: &OpKind| matches!(op, OpKind::Call { method, .. } if program.is_reflective(*method));
    if bodies().any(|(_, body)| body.ops().any(|(_, op)| makes_pointer(&op.kind) || reflects(&op.kind))) {
        return FxHashSet::default();
    }
    let mut found: FxHashSet<FieldId> = FxHashSet::default();
    let runtime = &program.profile().runtime;
    let own = program.classes().filter(|(_, class)| !class.is_library && !class.is_interface);
    for (_, class) in own.filter(|(id, _)| !runtime.has_other_origins(program, *id)) {
        let is_candidate = |field: &&FieldId| {
            let declared = program.field(**field);
            !declared.is_static && declared.ty.is_reference() && program.is_private_field(**field)
        };
        found.extend(class.fields.iter().filter(is_candidate));
    }
    let mut established: FxHashMap<MethodId, FxHashSet<FieldId>> = FxHashMap::default();
    for (method, body) in bodies() {
        let not_null = NotNull::new(program, method, body);
        for (_, op) in body.ops() {
            if let OpKind::PutField { field, value, .. } = &op.kind
                && !not_null.is_so(*value)
            {
                found.remove(field);
            }
        }
        if program.method(method).kind == MethodKind::Constructor {
            established.insert(method, assigned(program, method, body));
        }
    }
    found.retain(|&field| {
        let class = program.field(field).class;
        let mut constructors = program
            .class(class)
            .methods
            .iter()
            .filter(|&&method| program.method(method).kind == MethodKind::Constructor)
            .peekable();
        constructors.peek().is_some()
            && constructors.all(|method| established.get(method).is_some_and(|fields| fields.contains(&field)))
            && !lets_out(program, class)
    });
    found
}

/// Whether a constructor of a class, or of one from which it derives, may let others have its object: it does more with it
/// than to read and write its fields and to call such constructors. Those of the root class do nothing.
fn lets_out(program: &Program, class: ClassId) -> bool {
    program.superclass_chain(class).any(|class| {
        if program.class(class).is_library {
            return program.root() != Some(class);
        }
        let constructors = program.class(class).methods.iter().copied();
        let mut constructors = constructors.filter(|&id| program.method(id).kind == MethodKind::Constructor);
        constructors.any(|id| {
            program.body(id).is_none_or(|body| body.ops().any(|(_, op)| passes_this(program, body, &op.kind)))
        })
    })
}

/// Whether an operation of a constructor does something else with its object.
fn passes_this(program: &Program, body: &Body, op: &OpKind) -> bool {
    let is_object = |value: ExprId| mentions_this(body, value);
    match op {
        OpKind::GetField { object, .. } => is_object(*object) && *body.expr(*object) != Expr::Local(LocalId(0)),
        OpKind::PutField { object, value, .. } => {
            is_object(*value) || is_object(*object) && *body.expr(*object) != Expr::Local(LocalId(0))
        }
        OpKind::Call { dispatch: Dispatch::Special, method, args, .. }
            if program.method(*method).kind == MethodKind::Constructor =>
        {
            args.iter().skip(1).any(|&arg| is_object(arg))
        }
        other => other.operands().into_iter().any(is_object),
    }
}

/// The fields of its object that a constructor has assigned when it returns, itself or through another constructor of its
/// class, which then assigns all fields that matter here.
fn assigned(program: &Program, constructor: MethodId, body: &Body) -> FxHashSet<FieldId> {
    let class = program.method(constructor).class;
    let cfg = Cfg::new(body);
    let dominators = Dominators::new(&cfg);
    let returns = body.block_ids().filter(|&block| {
        dominators.is_reachable(block) && matches!(body.block(block).terminator.kind, TerminatorKind::Return(_))
    });
    let returns: Vec<BlockId> = returns.collect();
    // An exception within a block that has a handler may leave out what follows in the block.
    let always = |block: BlockId| {
        body.block(block).handlers.is_empty() && returns.iter().all(|&end| dominators.dominates(block, end))
    };
    let mut found = FxHashSet::default();
    for block in body.block_ids().filter(|&block| always(block)) {
        for op in &body.block(block).ops {
            match &op.kind {
                OpKind::PutField { object, field, .. } if is_this(body, *object) => {
                    found.insert(*field);
                }
                OpKind::Call { dispatch: Dispatch::Special, method, args, .. } => {
                    let called = program.method(*method);
                    let is_own = called.kind == MethodKind::Constructor && called.class == class;
                    if is_own && args.first().is_some_and(|&object| is_this(body, object)) {
                        found.extend(program.class(class).fields.iter().copied());
                    }
                }
                _ => {}
            }
        }
    }
    found
}

fn is_this(body: &Body, object: ExprId) -> bool {
    *body.expr(object) == Expr::Local(LocalId(0)) && !body.ops().any(|(_, op)| op.kind.dst() == Some(LocalId(0)))
}

/// Whether the object of a constructor is part of an expression.
fn mentions_this(body: &Body, value: ExprId) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        if *body.expr(value) == Expr::Local(LocalId(0)) {
            return true;
        }
        pending.extend(body.expr(value).operands());
    }
    false
}

/// The locals of a method that hold new objects only.
struct NotNull<'a> {
    body: &'a Body,
    locals: FxHashSet<LocalId>,
}

impl<'a> NotNull<'a> {
    fn new(program: &Program, method: MethodId, body: &'a Body) -> Self {
        let parameters = program.method(method).params.len();
        let others = (parameters..body.locals.len()).map(|index| LocalId(index as u32));
        let references = others.filter(|local| body.locals[local.index()].ty.is_reference());
        // Handlers assign the exception, which is an object, but that does not matter here.
        let caught: FxHashSet<LocalId> =
            body.blocks.iter().flat_map(|block| &block.handlers).map(|handler| handler.exception).collect();
        let mut found = NotNull { body, locals: references.filter(|local| !caught.contains(local)).collect() };
        loop {
            let assigned = body.ops().filter_map(|(_, op)| Some((op.kind.dst()?, &op.kind)));
            let lost: Vec<LocalId> = assigned.filter(|(_, op)| !found.makes(op)).map(|(dst, _)| dst).collect();
            let count = found.locals.len();
            lost.iter().for_each(|local| _ = found.locals.remove(local));
            if found.locals.len() == count {
                break;
            }
        }
        // A local that nothing assigns holds null.
        let assigned: FxHashSet<LocalId> = body.ops().filter_map(|(_, op)| op.kind.dst()).collect();
        found.locals.retain(|local| assigned.contains(local));
        found
    }

    /// Whether an operation leaves an object in its destination.
    fn makes(&self, op: &OpKind) -> bool {
        match op {
            OpKind::New { .. } | OpKind::NewArray { .. } => true,
            OpKind::Assign { value, .. } => self.is_so(*value),
            OpKind::Cast { object, .. } => self.is_so(*object),
            _ => false,
        }
    }

    fn is_so(&self, value: ExprId) -> bool {
        match self.body.expr(value) {
            Expr::Local(local) => self.locals.contains(local),
            Expr::Convert { from, to, value } => {
                let is_reference = |ty: &Type| ty.is_reference();
                is_reference(from) && is_reference(to) && self.is_so(*value)
            }
            _ => false,
        }
    }
}
