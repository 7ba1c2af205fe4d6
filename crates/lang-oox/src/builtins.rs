//! Defines the classes of every program: strings and exceptions.

use aback_ir::*;

/// The entities of the built-in classes.
#[derive(Clone, Copy)]
pub(crate) struct Builtins {
    /// `String`, the class of strings.
    pub string: ClassId,
    /// Its only field, the array of characters. Programs cannot name it, so strings never change.
    pub chars: FieldId,
    /// `Exception`, the superclass of all exceptions.
    pub exception: ClassId,
    /// Its field `message`.
    pub message: FieldId,
    /// Type of character arrays.
    pub char_array: Type,
}

/// The type `char`: a UTF-16 code unit.
pub(crate) const CHAR: Type = Type::Machine { width: 16, signed: false };

/// The name of constructors in the program model.
pub(crate) const CONSTRUCTOR: &str = "<init>";

/// The name of the class of strings.
pub(crate) const STRING: &str = "String";

/// The name of the exception class of a trap.
pub(crate) fn trap_class_name(trap: Trap) -> &'static str {
    match trap {
        Trap::NullDereference => "NullPointerException",
        Trap::IndexOutOfBounds => "IndexOutOfBoundsException",
        Trap::NegativeArraySize | Trap::ArrayTooLong => "NegativeArraySizeException",
        Trap::DivisionByZero => "ArithmeticException",
        Trap::BadCast => "ClassCastException",
        Trap::BadArrayStore => "ArrayStoreException",
    }
}

/// Adds the built-in classes to a program.
pub(crate) fn add(program: &mut Program) -> Builtins {
    let char_array = program.array_of(CHAR);
    let string = add_class(program, STRING, None);
    let chars = add_field(program, string, "chars", char_array);
    program.profile_mut().strings = Some(StringLayout { class: string, value: chars, coder: None, most: None });
    program.profile_mut().reads_before_tests = true;
    let exception = add_class(program, "Exception", None);
    let message = add_field(program, exception, "message", Type::Class(string));
    add_constructors(program, exception, string, message);
    // Arrays have unlimited length, so there is no class for `ArrayTooLong`.
    for trap in Trap::ALL.into_iter().filter(|&trap| trap != Trap::ArrayTooLong) {
        let class = add_class(program, trap_class_name(trap), Some(exception));
        add_constructors(program, class, string, message);
        program.set_trap_class(trap, class);
    }
    Builtins { string, chars, exception, message, char_array }
}

fn add_class(program: &mut Program, name: &str, superclass: Option<ClassId>) -> ClassId {
    program.add_class(Class {
        name: name.into(),
        superclass,
        interfaces: vec![],
        fields: vec![],
        methods: vec![],
        is_abstract: false,
        is_final: false,
        is_interface: false,
        is_library: true,
        span: Span::NONE,
    })
}

fn add_field(program: &mut Program, class: ClassId, name: &str, ty: Type) -> FieldId {
    program.add_field(Field { name: name.into(), class, ty, is_static: false, span: Span::NONE })
}

/// `E()` and `E(string message)`.
fn add_constructors(program: &mut Program, class: ClassId, string: ClassId, message: FieldId) {
    for with_message in [false, true] {
        let mut params = vec![Type::Class(class)];
        let mut body = Body::default();
        let this = body.add_local("this", Type::Class(class));
        let entry = body.add_block(vec![]);
        if with_message {
            params.push(Type::Class(string));
            let text = body.add_local("message", Type::Class(string));
            let (object, value) = (body.add_expr(Expr::Local(this)), body.add_expr(Expr::Local(text)));
            let kind = OpKind::PutField { object, field: message, value };
            body.block_mut(entry).ops.push(Op { kind, span: Span::NONE });
        }
        body.block_mut(entry).terminator.kind = TerminatorKind::Return(None);
        let constructor = program.add_method(Method {
            name: CONSTRUCTOR.into(),
            class,
            kind: MethodKind::Constructor,
            params,
            result: None,
            access: Access::Public,
            is_abstract: false,
            span: Span::NONE,
        });
        program.set_body(constructor, body);
    }
}
