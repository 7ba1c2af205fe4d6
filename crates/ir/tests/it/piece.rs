//! Classes that are read into a program that exists already.

use aback_ir::text::{ClassText, MemberText, Surroundings, print_method};
use aback_ir::{ClassId, FieldId, MethodId, Program, Type};

/// Everything is made by `Maker.make`, which sets `Maker.made`.
struct Maker<'p>(&'p Program, FieldId, MethodId);

impl Surroundings for Maker<'_> {
    fn class(&self, name: &str) -> ClassId {
        self.0.declare_class(name)
    }

    fn string(&self, _: &str) -> (FieldId, MethodId) {
        (self.1, self.2)
    }

    fn class_object(&self, _: Option<Type>) -> (FieldId, MethodId) {
        (self.1, self.2)
    }

    fn initialization(&self, class: ClassId) -> Option<(FieldId, MethodId)> {
        (self.0.class_name(class) == "Lazy").then_some((self.1, self.2))
    }
}

#[test]
fn what_surroundings_make_is_ensured_before_it_is_read() {
    let program = crate::program(
        "class Lazy {
           static field value: Lazy
         }
         class Maker {
           static field made: Maker
           static method make() {
           b0: return
           }
         }",
    );
    let (maker, lazy) = (program.class_named("Maker").unwrap(), program.class_named("Lazy").unwrap());
    let surroundings = Maker(&program, program.class(maker).fields[0], program.class(maker).methods[0]);
    let text = ClassText::new(
        "class Lazy {
           static method all() -> Lazy {
             local m: Maker
             local l: Lazy
           b0:
             m := string \"text\"
             m := class i32[]
             initialize Maker
             l := static Lazy::value
             return l
           }
         }",
    )
    .unwrap();
    let (_, members) = text.declarations(&program, &surroundings, lazy).unwrap();
    let [MemberText::Method(method, code)] = &members[..] else { panic!("one method") };
    let body = text.body(&program, &surroundings, method, code).unwrap().unwrap();
    let id = program.new_method(method.clone());
    let mut program = program;
    program.set_body(id, body);
    let printed = print_method(&program, id);
    let ops: Vec<&str> = printed
        .lines()
        .map(str::trim)
        .filter(|line| line.contains("static") || line.contains("ensure"))
        .skip(1)
        .collect();
    let ensure = "ensure Maker::made by Maker::make";
    let read = "m := static Maker::made";
    assert_eq!(ops, [ensure, read, ensure, read, ensure, "l := static Lazy::value"], "{printed}");
}
