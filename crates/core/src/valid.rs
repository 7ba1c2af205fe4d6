//! Restricts the inputs of an entry point to valid ones: those that methods of the program, such as `boolean repOk()`,
//! accept (paper 3, section 4.1).

use crate::before::{bound, shortened};
use aback_forward::ValidInputs as EngineChecks;
use aback_ir::analysis::{are_related, is_made_here, reached, runs_platform_code, types_behind};
use aback_ir::{Body, Expr, ExprId, LocalId, MethodId, MethodKind, OpKind, Program, Span, Type};
use aback_symbolic::Gap;
use aback_witness::{Inputs, Limits, Outcome, Value, run};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// Most operations of a run that checks an input.
const MOST_OPERATIONS: u64 = 1_000_000;

/// Which inputs of an entry point are considered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValidInputs {
    /// The name of the methods that say whether their object is valid: they have no parameters and return a truth value.
    pub method: String,
    /// When they run.
    pub checked: Checked,
}

impl Default for ValidInputs {
    fn default() -> Self {
        ValidInputs { method: "repOk".into(), checked: Checked::Never }
    }
}

/// When the methods run that say whether inputs are valid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Checked {
    /// Never: inputs need not be valid.
    #[default]
    Never,
    /// Before the entry point, so that all that they read of the input is decided then ("PrEP" in paper 3).
    Before,
    /// Along the way, whenever a reference of the input gets a meaning, as far as the input is known then ("ConsP" in paper
    /// 3). The forward engine does this, by lazy initialization.
    Along,
}

impl ValidInputs {
    /// The program whose executions start with checks of their inputs, unless they are never checked.
    pub(crate) fn applied_to(&self, program: &Program) -> Program {
        match self.checked {
            Checked::Never => program.clone(),
            Checked::Before | Checked::Along => program.with_valid_inputs(&self.method),
        }
    }

    /// Whether only valid inputs count.
    pub(crate) fn is_on(&self) -> bool {
        self.checked != Checked::Never
    }
}

/// What decides whether inputs of one entry point are valid.
pub(crate) struct Validity {
    /// The program whose executions start with checks.
    program: Program,
    /// The method that makes the inputs, without checks.
    start: MethodId,
    /// The methods that check an argument, each with its index.
    guards: Vec<(usize, MethodId)>,
}

impl Validity {
    /// The checks of the arguments of an entry point by methods with this name.
    pub(crate) fn new(program: &Program, entry: MethodId, method: &str) -> Validity {
        let program = program.with_valid_inputs(method);
        let start = program.unchecked_start(entry);
        let guards = program.validity_guards(start, entry);
        Validity { program, start, guards }
    }

    /// Whether something checks the inputs.
    pub(crate) fn is_known(&self) -> bool {
        !self.guards.is_empty()
    }

    /// The method that makes the inputs, without checks.
    pub(crate) fn start(&self) -> MethodId {
        self.start
    }

    /// How the forward engine takes validity into account. `required`: invalid inputs do not count.
    pub(crate) fn for_engine(&self, along: bool, required: bool) -> EngineChecks {
        EngineChecks { guards: self.guards.clone(), along, required }
    }

    /// Whether a concrete run of each check accepts the inputs.
    pub(crate) fn accepts(&self, inputs: &Inputs) -> bool {
        self.guards.iter().all(|&(index, guard)| {
            let Some(argument) = inputs.args.get(index) else { return false };
            let inputs = Inputs { args: vec![argument.clone()], nondet: Vec::new(), ..inputs.clone() };
            let limits = Limits { max_steps: MOST_OPERATIONS, ..Limits::default() };
            let outcome = run(&self.program, guard, &inputs, limits, &mut ());
            matches!(outcome, Ok(Outcome::Returned(Some(Value::Bool(true)))))
        })
    }

    /// What valid inputs satisfy, in readable form.
    pub(crate) fn assumption(&self) -> Option<String> {
        let checks: BTreeSet<String> = self.checks().into_iter().map(|check| self.program.source_name(check)).collect();
        let checks: Vec<String> = checks.into_iter().collect();
        self.is_known().then(|| format!("the arguments are valid: {}() returns true", shortened(&checks)))
    }

    /// The methods of the program that the guards call.
    fn checks(&self) -> Vec<MethodId> {
        let bodies = self.guards.iter().filter_map(|&(_, guard)| self.program.body(guard));
        let calls = bodies.flat_map(Body::ops).filter_map(|(_, op)| match op.kind {
            OpKind::Call { method, .. } => Some(method),
            _ => None,
        });
        calls.collect()
    }

    /// The executions that are left out because checks may change their input before the entry point is called.
    pub(crate) fn gap(&self) -> Option<Gap> {
        let params = &self.program.method(self.start).params;
        let roots = self.guards.iter().filter_map(|&(index, _)| params.get(index).copied());
        let guards = self.guards.iter().map(|&(_, guard)| guard);
        changed_by(&self.program, self.start, roots, guards, "checks of inputs leave them as they are")
    }
}

/// What the inputs of an entry point satisfy by its preconditions, in readable form.
pub(crate) fn preconditions(program: &Program, entry: MethodId) -> impl Iterator<Item = String> + '_ {
    program.preconditions(entry).iter().map(|condition| format!("the input satisfies: {}", condition.text))
}

/// The executions that are left out because preconditions may change their input before the entry point is called.
pub(crate) fn changed_by_preconditions(program: &Program, entry: MethodId) -> Option<Gap> {
    let start = program.unchecked_start(entry);
    let roots = program.method(entry).params.iter().copied();
    let guards = program.precondition_guards(entry).into_iter();
    changed_by(program, start, roots, guards, "preconditions leave inputs as they are")
}

/// The executions that are left out because methods may change what `roots` lead to before the entry point is called.
fn changed_by(
    program: &Program,
    start: MethodId,
    roots: impl Iterator<Item = Type>,
    guards: impl Iterator<Item = MethodId>,
    otherwise: &str,
) -> Option<Gap> {
    let behind = types_behind(program, roots);
    let mut changing: BTreeSet<String> = BTreeSet::new();
    for guard in guards {
        for method in reached(program, guard) {
            let class = program.class(program.method(method).class);
            // What a front end adds for the language itself keeps inputs as they are.
            let is_added = class.is_library && class.span == Span::NONE && program.condition_by(method).is_none();
            let Some(body) = program.body(method).filter(|_| !is_added) else { continue };
            if body.ops().any(|(_, op)| changes_input(program, method, body, &op.kind, &behind)) {
                let condition = program.condition_by(method);
                changing.insert(condition.map_or_else(|| program.source_name(method), str::to_owned));
            }
        }
    }
    let names: Vec<String> = changing.into_iter().collect();
    let what = || format!("{otherwise}: {}", shortened(&names));
    (!names.is_empty()).then(|| bound(what(), start))
}

/// Whether an operation may write to an object that existed before the checks, or to a static field. `behind` are the
/// types of the objects of the input.
fn changes_input(program: &Program, method: MethodId, body: &Body, op: &OpKind, behind: &FxHashSet<Type>) -> bool {
    let declared = program.method(method);
    let may_be_input = |object: ExprId| {
        let is_built = declared.kind == MethodKind::Constructor && *body.expr(object) == Expr::Local(LocalId(0));
        let ty = body.expr_type(object);
        !is_built
            && ty.is_reference()
            && behind.iter().any(|&other| are_related(program, ty, other))
            && !is_made_here(program, method, object)
    };
    match op {
        OpKind::PutField { object, .. } => may_be_input(*object),
        OpKind::ArrayPut { array, .. } => may_be_input(*array),
        OpKind::PutStatic { .. } => !program.is_initializer(method),
        OpKind::Call { dispatch, method: named, args, .. } if runs_platform_code(program, *dispatch, *named) => {
            args.iter().enumerate().any(|(index, &arg)| program.may_change(*named, index) && may_be_input(arg))
        }
        _ => false,
    }
}
