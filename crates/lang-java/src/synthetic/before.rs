//! Executes what happened before an entry point is called: classes were initialized, and other methods may have
//! written static fields.

use crate::loader::Java;
use crate::synthetic::entry::{any_constant, constants, is_main, nondet};
use aback_ir::analysis::Statics;
use aback_ir::builder::Builder;
use aback_ir::{ArgumentClasses, ClassId, ExprId, FieldId, MethodId, MethodKind, OpKind, TerminatorKind, Type};

/// The observable actions before an entry point is called.
pub(crate) struct Before {
    classes: ArgumentClasses,
    /// Static fields that may hold any value.
    any: Vec<FieldId>,
}

impl Before {
    pub(crate) fn of(java: Java, entry: MethodId) -> Before {
        if is_main(java, entry) {
            return Before { classes: ArgumentClasses::new(java.program, []), any: Vec::new() };
        }
        let method = java.program.method(entry);
        let arguments = method.params.iter().enumerate().filter_map(|(index, &ty)| {
            let is_receiver = index == 0 && method.kind != MethodKind::Static;
            // `new` initializes the class of an object that is made; the method that returns the constants of an enum
            // initializes the enum.
            match ty {
                _ if is_receiver && java.program.constructs(entry) || is_enum(java, ty) => None,
                Type::Class(class) => Some((index, class, !is_receiver)),
                _ => None,
            }
        });
        let classes = ArgumentClasses::new(java.program, arguments);
        let any = if java.loader.has_any_statics() {
            // Nothing stops the analysis.
            Statics::new(java.program, [entry], &|| false)
                .map_or(Vec::new(), |statics| statics.read_by(entry, |_, _| true).fields)
        } else {
            Vec::new()
        };
        Before { classes, any }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.classes.is_empty() && self.any.is_empty()
    }

    /// Initializes the classes of the arguments, then assigns the static fields.
    pub(crate) fn emit(&self, java: Java, code: &mut Builder, args: &[ExprId]) {
        if self.is_empty() {
            return;
        }
        let classes: Vec<ClassId> = self.any.iter().map(|&field| java.program.field(field).class).collect();
        let throwable = java.class_type("java.lang.Throwable");
        self.classes.initialize(java.program, code, args, &classes, throwable);
        for &field in &self.any {
            let ty = java.program.field(field).ty;
            let value = match ty {
                Type::Class(class) if is_enum(java, ty) => null_or_constant(java, code, class),
                _ => code.result(ty, |dst| nondet(dst, ty)),
            };
            code.op(OpKind::PutStatic { field, value });
        }
    }
}

/// Whether a type is an enum, whose only objects are its constants.
fn is_enum(java: Java, ty: Type) -> bool {
    matches!(ty, Type::Class(class) if constants(java, class).is_some())
}

/// Null, which initializes nothing, or one of an enum's constants.
fn null_or_constant(java: Java, code: &mut Builder, class: ClassId) -> ExprId {
    let null = code.null();
    let result = code.variable(Type::Class(class));
    code.op(OpKind::Assign { dst: result, value: null });
    let Some(values) = constants(java, class) else { return null };
    let is_null = code.result(Type::Bool, |dst| nondet(dst, Type::Bool));
    let (_, chosen) = code.branch(is_null);
    let end = code.block();
    code.end(TerminatorKind::Goto(end));
    code.switch_to(chosen);
    any_constant(java, code, result, class, values);
    code.end(TerminatorKind::Goto(end));
    code.switch_to(end);
    code.local(result)
}
