//! Initializes the classes of arguments before an entry point is called: these objects exist, so that their classes have
//! been initialized.

use crate::analysis::{
    Effects, initializations_that_run, initialized_by_objects, noticed_initializations, with_enclosing,
};
use crate::body::{BinaryOp, Body, ExprId, Handler, OpKind, TerminatorKind};
use crate::builder::Builder;
use crate::program::{ClassId, Program, Type};
use rustc_hash::FxHashSet;

/// The observable initializations of the classes of arguments.
pub struct ArgumentClasses {
    initialized: Vec<Initialized>,
}

struct Initialized {
    /// The index of the argument.
    index: usize,
    /// The class of the argument.
    of: ClassId,
    /// The class that is initialized: that of the argument, or another one that its objects imply.
    class: ClassId,
    /// Whether the argument is an object of the class unless it is null.
    unless_null: bool,
    /// Whether the argument may be null.
    nullable: bool,
    /// Whether the initialization contains an assertion ([`asserting_initializations`]).
    asserts: bool,
}

impl ArgumentClasses {
    /// The initializations for arguments, each given by its index, its class and whether it may be null.
    pub fn new(program: &Program, arguments: impl IntoIterator<Item = (usize, ClassId, bool)>) -> Self {
        let mut initialized = Vec::new();
        for (index, class, nullable) in arguments {
            // The class of the object comes before its superclasses, whose initialization follows from its own. The order
            // matters if these use the class in turn.
            let mut classes = program.subclasses(class);
            classes.reverse();
            classes.retain(|&below| {
                let declared = program.class(below);
                !declared.is_interface && (below == class || !declared.is_abstract) && !program.is_platform(below)
            });
            let includes_superclasses = program.profile().initializes_superclasses;
            let chain = |class: ClassId| {
                let mut classes = initialized_by_objects(program, class);
                classes.retain(|&one| one == class || !includes_superclasses && !program.is_platform(one));
                classes
            };
            let implied: Vec<(ClassId, ClassId)> = classes
                .iter()
                .flat_map(|&of| with_enclosing(program, of).into_iter().flat_map(chain).map(move |one| (of, one)))
                .collect();
            let classes: Vec<ClassId> = implied.iter().map(|&(_, one)| one).collect();
            let is_noticed = |effects: Effects| effects.matters() || effects.throws;
            let noticed = noticed_initializations(program, &classes, is_noticed);
            let asserting = asserting_initializations(program, &classes);
            let implied = implied.into_iter().filter(|(_, one)| noticed.contains(one));
            initialized.extend(implied.map(|(of, one)| {
                let asserts = asserting.contains(&one);
                Initialized { index, of, class: one, unless_null: of == class, nullable, asserts }
            }));
        }
        ArgumentClasses { initialized }
    }

    /// Whether there is nothing to initialize.
    pub fn is_empty(&self) -> bool {
        self.initialized.is_empty()
    }

    /// Initializes the classes of these arguments, then some others. If a class cannot be initialized, no such object
    /// exists, so that the execution ends. `throwable` is the type of all exceptions.
    pub fn initialize(
        &self,
        program: &Program,
        code: &mut Builder,
        args: &[ExprId],
        others: &[ClassId],
        throwable: Type,
    ) {
        let exception = code.variable(throwable);
        let (impossible, end) = (code.block(), code.block());
        let handler = Handler { class: None, target: impossible, exception };
        let work = code.guarded_block(handler);
        code.end(TerminatorKind::Goto(work));
        code.switch_to(work);
        for one in &self.initialized {
            let Some((field, method)) = program.initialization(one.class) else { continue };
            let object = args[one.index];
            let ensure = code.guarded_block(handler);
            let next = code.guarded_block(handler);
            let condition = match (one.unless_null, one.nullable) {
                (true, false) => code.bool(true),
                (true, true) => {
                    let null = code.null();
                    code.binary(BinaryOp::Ne, Type::Null, object, null)
                }
                (false, _) => {
                    let ty = Type::Class(one.of);
                    code.result(Type::Bool, |dst| OpKind::InstanceOf { dst, object, ty })
                }
            };
            code.end(TerminatorKind::Branch { condition, then_block: ensure, else_block: next });
            code.switch_to(ensure);
            if one.asserts {
                code.end(TerminatorKind::Bound(beyond(program, one.class)));
            } else {
                code.op(OpKind::Ensure { field, method });
                code.end(TerminatorKind::Goto(next));
            }
            code.switch_to(next);
        }
        for &class in others {
            if let Some((field, method)) = program.initialization(class) {
                code.op(OpKind::Ensure { field, method });
            }
        }
        code.end(TerminatorKind::Goto(end));
        code.switch_to(impossible);
        let condition = code.bool(false);
        code.op(OpKind::Assume { condition });
        code.end(TerminatorKind::Unreachable);
        code.switch_to(end);
    }
}

/// Those of some classes whose initialization contains an assertion. If the assertion is false, no object of the class
/// exists; this is not a violation of an entry point that would get one.
pub fn asserting_initializations(program: &Program, classes: &[ClassId]) -> FxHashSet<ClassId> {
    initializations_that_run(program, classes, |method| {
        let mut ops = program.body(method).into_iter().flat_map(Body::ops);
        ops.any(|(_, op)| matches!(op.kind, OpKind::Assert { .. }))
    })
}

/// The incompleteness that results if the initialization of a class contains an assertion.
fn beyond(program: &Program, class: ClassId) -> String {
    let name = program.class_name(class);
    format!("no input is an object of {name}, whose initialization contains assertions")
}
