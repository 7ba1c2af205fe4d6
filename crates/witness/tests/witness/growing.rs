//! Tests programs that grow while they run.

use crate::world::*;
use aback_ir::*;
use aback_witness::{InputObject, Inputs, Limits, Outcome, run};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Loads the classes of a parsed program on demand. The ids of the growing program differ from those of the text.
struct Lazy {
    text: Program,
}

impl Lazy {
    fn program(text: &str) -> Program {
        let text = text::parse(text).expect("the program is well formed");
        let mut program = Program::new();
        if let Some(class) = text.array_superclass() {
            let root = program.declare_class(text.class_name(class));
            program.profile_mut().set_root(root);
        }
        program.profile_mut().index_type = text.index_type();
        program.set_loader(Arc::new(Lazy { text }));
        program
    }

    fn class(&self, program: &Program, id: ClassId) -> ClassId {
        program.declare_class(self.text.class_name(id))
    }

    fn ty(&self, program: &Program, ty: Type) -> Type {
        match ty {
            Type::Class(class) => Type::Class(self.class(program, class)),
            Type::Array(array) => program.array_of(self.ty(program, self.text.element_type(array))),
            other => other,
        }
    }

    /// The entity of the growing program that corresponds to an entity of the text.
    fn field(&self, program: &Program, id: FieldId) -> FieldId {
        let field = self.text.field(id);
        program.find_field(self.class(program, field.class), &field.name).unwrap()
    }

    fn method(&self, program: &Program, id: MethodId) -> MethodId {
        let method = self.text.method(id);
        program.methods_named(self.class(program, method.class), &method.name)[0]
    }
}

impl Loader for Lazy {
    fn has_class(&self, name: &str) -> bool {
        self.text.class_named(name).is_some()
    }

    fn class(&self, program: &Program, id: ClassId) -> Class {
        // The program may also ask for the class of an array type's methods.
        let Some(known) = self.text.class_named(program.class_name(id)) else {
            return Class::missing(program.class_name(id).to_string());
        };
        let declared = self.text.class(known);
        let fields = declared.fields.iter().map(|&field| {
            let field = self.text.field(field);
            program.new_field(Field { class: id, ty: self.ty(program, field.ty), ..field.clone() })
        });
        let methods = declared.methods.iter().map(|&method| {
            let method = self.text.method(method);
            let params = method.params.iter().map(|&ty| self.ty(program, ty)).collect();
            let result = method.result.map(|ty| self.ty(program, ty));
            program.new_method(Method { class: id, params, result, ..method.clone() })
        });
        Class {
            fields: fields.collect(),
            methods: methods.collect(),
            superclass: declared.superclass.map(|class| self.class(program, class)),
            interfaces: declared.interfaces.iter().map(|&class| self.class(program, class)).collect(),
            ..declared.clone()
        }
    }

    fn body(&self, program: &Program, method: MethodId) -> Option<Body> {
        let declared = program.method(method);
        let class = self.text.class_named(program.class_name(declared.class))?;
        let mut body = self.text.body(self.text.methods_named(class, &declared.name)[0])?.clone();
        for local in &mut body.locals {
            local.ty = self.ty(program, local.ty);
        }
        for op in body.blocks.iter_mut().flat_map(|block| &mut block.ops) {
            match &mut op.kind {
                OpKind::New { class, .. } => *class = self.class(program, *class),
                OpKind::NewArray { element, .. } => *element = self.ty(program, *element),
                OpKind::InstanceOf { ty, .. } => *ty = self.ty(program, *ty),
                OpKind::GetField { field, .. }
                | OpKind::PutField { field, .. }
                | OpKind::GetStatic { field, .. }
                | OpKind::PutStatic { field, .. } => {
                    *field = self.field(program, *field);
                }
                OpKind::Call { method, .. } => *method = self.method(program, *method),
                OpKind::Ensure { field, method } => {
                    *field = self.field(program, *field);
                    *method = self.method(program, *method);
                }
                _ => {}
            }
        }
        Some(body)
    }
}

const ZOO: &str = "
indices i32
class Object {
  method code(this: Object) -> i32 {
  b0:
    return 1i32
  }
}
interface Named {
  method name(Named) -> i32
  method twice(this: Named) -> i32 {
    local n: i32
  b0:
    n := call virtual Named::name(this)
    return n * 2i32
  }
}
abstract class Animal extends Object implements Named {
  field age: i32
  static field ready: bool
  static field count: i32
  static method prepare() {
  b0:
    static Animal::ready := true
    static Animal::count := 40i32
    return
  }
}
class Dog extends Animal {
  field next: Dog
  method name(this: Dog) -> i32 {
    local a: i32
  b0:
    a := this.Animal::age
    return a + 1i32
  }
}
arrays Object
class Exception {
}
trap NullDereference Exception
trap NegativeArraySize Exception
class Main {
  static method main() -> i32 {
    local d: Dog
    local n: Named
    local x: i32
  b0:
    ensure Animal::ready by Animal::prepare
    x := static Animal::count
    d := new Dog
    d.Animal::age := x
    n := d
    x := call virtual Named::twice(n)
    return x
  }
  static method of_array() -> i32 {
    local a: Dog[]
    local o: Object
    local x: i32
    local y: bool
  b0:
    a := new Dog[2i32]
    o := a
    x := call virtual Object::code(o)
    y := o instanceof Object
    return y ? x : 0i32
  }
  static method take(d: Dog) -> i32 {
    local x: i32
  b0:
    x := call virtual Dog::name(d)
    return x
  }
}
";

fn entry(program: &Program, name: &str) -> MethodId {
    program.methods_named(program.class_named("Main").unwrap(), name)[0]
}

fn outcome(program: &Program, name: &str, inputs: &Inputs) -> Outcome {
    run(program, entry(program, name), inputs, Limits::default(), &mut ()).unwrap()
}

#[test]
fn classes_load_while_a_program_runs() {
    let program = Lazy::program(ZOO);
    let main = entry(&program, "main");
    assert!(!program.is_loaded(program.declare_class("Dog")));
    assert_eq!(outcome(&program, "main", &Inputs::default()), returned_int(82));
    assert!(program.is_loaded(program.declare_class("Dog")));
    assert!(program.class_count() > 4 && main.index() < program.method_count());
}

#[test]
fn arrays_are_receivers_of_the_methods_of_their_class() {
    let program = Lazy::program(ZOO);
    assert_eq!(outcome(&program, "of_array", &Inputs::default()), returned_int(1));
}

#[test]
fn inputs_may_name_classes_that_are_not_loaded() {
    let program = Lazy::program(ZOO);
    let take = entry(&program, "take");
    let dog = program.declare_class("Dog");
    let age = program.find_field(dog, "age").unwrap();
    let object = InputObject::Object { class: dog, fields: BTreeMap::from([(age, int(6))]) };
    let inputs = Inputs { args: vec![aback_witness::InputValue::Ref(0)], heap: vec![object], ..Inputs::default() };
    assert_eq!(run(&program, take, &inputs, Limits::default(), &mut ()), Ok(returned_int(7)));
    let cat = InputObject::Object { class: ClassId(99), fields: BTreeMap::new() };
    let error = run(&program, take, &Inputs { heap: vec![cat], ..inputs }, Limits::default(), &mut ()).unwrap_err();
    assert_eq!(error.to_string(), "heap[0] has class number 99, which the program does not have");
}
