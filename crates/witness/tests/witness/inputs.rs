//! Tests which inputs are refused, how they are printed, and how they are written to files.

use crate::world::*;
use aback_ir::*;
use aback_witness::{DocumentError, InputError, InputObject, InputValue, Inputs, InputsDocument, Limits, Outcome, run};
use num_bigint::BigInt;

fn object(class: ClassId, fields: &[(FieldId, InputValue)]) -> InputObject {
    InputObject::Object { class, fields: fields.iter().cloned().collect() }
}

fn array(element: Type, length: impl Into<BigInt>, elements: &[(i64, InputValue)]) -> InputObject {
    let elements = elements.iter().map(|(index, value)| ((*index).into(), value.clone())).collect();
    InputObject::Array { element, length: length.into(), elements, rest: None }
}

/// The reason why the input is refused for a method with parameters of these types.
fn refused(world: World, params: &[Type], inputs: Inputs) -> String {
    let mut world = world;
    let mut code = Code::new();
    for ty in params {
        code.local(*ty);
    }
    let entry = world.method("entry", params.len(), code.ret_void());
    let error = inputs.check(&world.program, entry).expect_err("a malformed input");
    assert_eq!(run(&world.program, entry, &inputs, Limits::default(), &mut ()), Err(error.clone()));
    error.to_string()
}

fn refused_value(ty: Type, value: InputValue) -> String {
    refused(World::new(), &[ty], Inputs { args: vec![value], ..Inputs::default() })
}

fn refused_heap(heap: Vec<InputObject>) -> String {
    refused(World::new(), &[], Inputs { heap, ..Inputs::default() })
}

#[test]
fn arguments_must_fit() {
    let w = World::new();
    let node = Type::Class(w.node);
    assert_eq!(refused(World::new(), &[INT], Inputs::default()), "Main.entry takes 1 arguments, not 0");
    assert_eq!(refused_value(INT, InputValue::Null), "argument 0 must be of type int, not null");
    assert_eq!(refused_value(Type::Bool, int(1)), "argument 0 must be of type bool, not 1");
    assert_eq!(refused_value(Type::F32, InputValue::F64(0)), "argument 0 must be of type f32, not a 64-bit float");
    assert_eq!(refused_value(node, InputValue::Bool(true)), "argument 0 must be of type Node, not true");
    assert_eq!(refused_value(node, InputValue::Ref(0)), "argument 0 refers to object 0 of a heap of 0");
    for ty in MACHINE {
        let Type::Machine { width, signed } = ty else { unreachable!() };
        let max = (BigInt::from(1) << (width - u8::from(signed))) - 1;
        let min = if signed { -&max - 1 } else { BigInt::ZERO };
        for outside in [&max + 1, &min - 1] {
            let name = w.program.type_name(ty);
            let expected = format!("argument 0 must be in the range of {name}; {outside} is not");
            assert_eq!(refused_value(ty, int(outside)), expected);
        }
        for inside in [max, min] {
            let mut code = Code::new();
            let (_, x) = code.param(ty);
            let number = i128::try_from(&inside).unwrap();
            assert_eq!(World::new().run(code.ret(x), vec![int(inside)]), returned_int(number));
        }
    }
}

#[test]
fn references_must_have_the_type_of_their_place() {
    let w = World::new();
    let refused_reference = |ty, object| {
        let inputs = Inputs { args: vec![InputValue::Ref(0)], heap: vec![object], ..Inputs::default() };
        refused(World::new(), &[ty], inputs)
    };
    assert_eq!(
        refused_reference(Type::Class(w.leaf), object(w.node, &[])),
        "argument 0 must be of type Leaf, not Node"
    );
    assert_eq!(
        refused_reference(w.leaves, array(Type::Class(w.node), 0, &[])),
        "argument 0 must be of type Leaf[], not Node[]"
    );
    assert_eq!(refused_reference(w.ints, object(w.node, &[])), "argument 0 must be of type int[], not Node");
    assert_eq!(refused_reference(INT, object(w.node, &[])), "argument 0 must be of type int, not Node");
    for (ty, object) in [
        (Type::Class(w.node), object(w.leaf, &[])),
        (w.nodes, array(Type::Class(w.leaf), 1, &[])),
        (w.object_type(), array(INT, 1, &[])),
    ] {
        let mut world = World::new();
        let mut code = Code::new();
        code.local(ty);
        let entry = world.method("entry", 1, code.ret_void());
        let inputs = Inputs { args: vec![InputValue::Ref(0)], heap: vec![object], ..Inputs::default() };
        assert_eq!(inputs.check(&world.program, entry), Ok(()));
    }
}

#[test]
fn objects_must_be_possible() {
    let w = World::new();
    let (node, null) = (Type::Class(w.node), InputValue::Null);
    assert_eq!(
        refused_heap(vec![object(ClassId(99), &[])]),
        "heap[0] has class number 99, which the program does not have"
    );
    assert_eq!(refused_heap(vec![object(w.shape, &[])]), "heap[0] is an object of Shape, which is abstract");
    assert_eq!(
        refused_heap(vec![object(w.node, &[]), object(w.object, &[(w.value, int(1))])]),
        format!("heap[1] has no field number {}", w.value.0)
    );
    assert_eq!(refused_heap(vec![object(w.node, &[(FieldId(99), int(1))])]), "heap[0] has no field number 99");
    assert_eq!(
        refused_heap(vec![object(w.main, &[(w.counter, int(1))])]),
        format!("heap[0] has no field number {}", w.counter.0)
    );
    assert_eq!(
        refused_heap(vec![object(w.node, &[(w.value, null.clone())])]),
        "heap[0].value must be of type int, not null"
    );
    assert_eq!(
        refused_heap(vec![object(w.node, &[(w.next, InputValue::Ref(7))])]),
        "heap[0].next refers to object 7 of a heap of 1"
    );
    assert_eq!(refused_heap(vec![array(INT, -1, &[])]), "heap[0] is an array of length -1");
    assert_eq!(
        refused_heap(vec![array(INT, 2, &[(2, int(1))])]),
        "heap[0] has an element at index 2, but its length is 2"
    );
    assert_eq!(
        refused_heap(vec![array(INT, 2, &[(-1, int(1))])]),
        "heap[0] has an element at index -1, but its length is 2"
    );
    assert_eq!(refused_heap(vec![array(INT, 2, &[(1, null)])]), "heap[0][1] must be of type int, not null");
    assert_eq!(
        refused_heap(vec![array(node, 2, &[(1, InputValue::Ref(1))]), object(w.object, &[])]),
        "heap[0][1] must be of type Node, not Object"
    );
    for unknown in [Type::F32, Type::Null, Type::Class(ClassId(99)), Type::Array(ArrayTypeId(99))] {
        let expected = "heap[0] is an array of a type that the program does not have";
        assert_eq!(refused_heap(vec![array(unknown, 2, &[])]), expected);
    }
}

#[test]
fn statics_must_be_static_and_fit() {
    let w = World::new();
    let refused_static =
        |field, value| refused(World::new(), &[], Inputs { statics: [(field, value)].into(), ..Inputs::default() });
    assert_eq!(refused_static(w.value, int(1)), format!("statics has no field number {}", w.value.0));
    assert_eq!(refused_static(FieldId(99), int(1)), "statics has no field number 99");
    assert_eq!(refused_static(w.counter, InputValue::Null), "Main.counter must be of type int, not null");
    assert_eq!(refused_static(w.root, InputValue::Ref(0)), "Main.root refers to object 0 of a heap of 0");
}

#[test]
fn nondeterministic_values_must_fit_where_they_are_asked_for() {
    let mut world = World::new();
    let mut code = Code::new();
    code.set(I8, |dst| OpKind::Intrinsic { dst: Some(dst), intrinsic: Intrinsic::Nondet(I8), args: vec![] });
    let entry = world.method("entry", 0, code.ret_void());
    let refused = |value| {
        let inputs = Inputs { nondet: vec![value], ..Inputs::default() };
        run(&world.program, entry, &inputs, Limits::default(), &mut ()).expect_err("refused").to_string()
    };
    assert_eq!(refused(int(128)), "nondeterministic value 0 must be in the range of i8; 128 is not");
    assert_eq!(refused(InputValue::Null), "nondeterministic value 0 must be of type i8, not null");
    assert_eq!(refused(InputValue::Ref(3)), "nondeterministic value 0 refers to object 3 of a heap of 0");
}

#[test]
fn the_entry_point_must_be_runnable() {
    let mut world = World::new();
    let inputs = Inputs::default();
    assert_eq!(inputs.check(&world.program, MethodId(5)), Err(InputError::NoSuchMethod(5)));
    let native = world.method("native", 0, Code::new());
    let mut method = world.program.method(native).clone();
    method.is_abstract = true;
    let native = world.program.add_method(method);
    assert_eq!(inputs.check(&world.program, native), Err(InputError::NoCode("Main.native".into())));
}

#[test]
fn the_receiver_must_be_one_that_calls_get_there_with() {
    let mut world = World::new();
    let method = |world: &mut World, class, kind| {
        let mut code = Code::new();
        code.local(Type::Class(class));
        world.method_of(class, kind, "size", 1, code.ret_void())
    };
    let (node, leaf) = (world.node, world.leaf);
    let base = method(&mut world, node, MethodKind::Instance);
    let overriding = method(&mut world, leaf, MethodKind::Instance);
    let check = |method, receiver, class| {
        let heap = vec![object(class, &[])];
        Inputs { args: vec![receiver], heap, ..Inputs::default() }.check(&world.program, method)
    };
    assert_eq!(check(base, InputValue::Null, node), Err(InputError::NullReceiver("Node.size".into())));
    assert_eq!(check(base, InputValue::Ref(0), node), Ok(()));
    assert_eq!(check(overriding, InputValue::Ref(0), leaf), Ok(()));
    assert_eq!(
        check(base, InputValue::Ref(0), leaf),
        Err(InputError::Overridden { method: "Node.size".into(), class: "Leaf".into() })
    );
}

/// Describes an input for a method with parameters `%0`, `%1`, … of these types.
fn describe(mut world: World, params: &[Type], inputs: &Inputs) -> Vec<(String, String)> {
    let mut code = Code::new();
    for ty in params {
        code.local(*ty);
    }
    let entry = world.method("entry", params.len(), code.ret_void());
    inputs.describe(&world.program, entry).unwrap()
}

fn rows(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|&(name, text)| (name.into(), text.into())).collect()
}

#[test]
fn inputs_look_like_their_language() {
    let w = World::new();
    let node = Type::Class(w.node);
    let inputs = Inputs {
        args: vec![
            InputValue::Ref(0),
            InputValue::Ref(0),
            InputValue::Ref(1),
            InputValue::Bool(true),
            InputValue::F64(1.5f64.to_bits()),
            InputValue::F32(f32::NEG_INFINITY.to_bits()),
            InputValue::Ref(2),
        ],
        heap: vec![
            object(w.node, &[(w.value, int(3)), (w.next, InputValue::Ref(0))]),
            array(INT, 3, &[(0, int(1)), (1, int(2))]),
            array(node, 2, &[(1, InputValue::Ref(3))]),
            object(w.leaf, &[]),
        ],
        nondet: vec![InputValue::Null],
        statics: [(w.root, InputValue::Ref(3)), (w.counter, int(9))].into(),
    };
    let params = [node, node, w.ints, Type::Bool, Type::F64, Type::F32, w.nodes];
    assert_eq!(
        describe(World::new(), &params, &inputs),
        rows(&[
            ("%0", "Node#1 { value = 3, next = Node#1 }"),
            ("%1", "Node#1"),
            ("%2", "int[3]#2 = [1, 2, 0]"),
            ("%3", "true"),
            ("%4", "1.5"),
            ("%5", "-Infinity"),
            ("%6", "Node[2]#3 = [null, Leaf#4 { value = 0, next = null }]"),
            ("Main.counter", "9"),
            ("Main.root", "Leaf#4"),
            ("nondet 1", "null"),
        ])
    );
}

#[test]
fn long_inputs_are_abbreviated() {
    let w = World::new();
    let huge = array(INT, i64::MAX, &[(1, int(7)), (5000, int(8))]);
    let inputs = Inputs { args: vec![InputValue::Ref(0)], heap: vec![huge], ..Inputs::default() };
    assert_eq!(
        describe(World::new(), &[w.ints], &inputs),
        rows(&[("%0", "int[9223372036854775807]#1 = [0, 7, 0, 0, … 5000: 8, …]")])
    );
    // Elements that differ from most others come first.
    let elements: Vec<(i64, InputValue)> =
        (0..60).map(|at| (at, int(if at == 30 || at == 31 { 4 } else { 5 }))).collect();
    let inputs = Inputs { args: vec![InputValue::Ref(0)], heap: vec![array(INT, 60, &elements)], ..Inputs::default() };
    assert_eq!(
        describe(World::new(), &[w.ints], &inputs),
        rows(&[("%0", "int[60]#1 = [5, 5, 5, 5, … 30: 4, 4, … most others: 5]")])
    );

    // A list of 100,000 nodes. Each row shows a few of them, and the number of rows is limited.
    let heap = (0..100_000).map(|index| match index {
        99_999 => object(w.node, &[]),
        _ => object(w.node, &[(w.next, InputValue::Ref(index + 1))]),
    });
    let inputs = Inputs { args: vec![InputValue::Ref(0)], heap: heap.collect(), ..Inputs::default() };
    let rows = describe(World::new(), &[Type::Class(w.node)], &inputs);
    assert!(rows[0].1.ends_with("next = Node#5 } } } }"), "{}", rows[0].1);
    assert_eq!(rows[1].0, "Node#5");
    assert_eq!((rows.len(), rows.last().unwrap().0.as_str()), (52, "…"));
}

#[test]
fn results_are_shown_with_their_heap() {
    let mut world = World::new();
    let node = Type::Class(world.node);
    let mut code = Code::new();
    let object = code.set(node, |dst| OpKind::New { dst, class: world.node });
    code.op(OpKind::PutField { object, field: world.next, value: object });
    let entry = world.method("entry", 0, code.ret(object));
    let mut shown = Shown::default();
    run(&world.program, entry, &Inputs::default(), Limits::default(), &mut shown).unwrap();
    assert_eq!(shown.0, "Node#1 { value = 0, next = Node#1 }");
}

#[test]
fn documents_go_to_json_and_back() {
    let w = World::new();
    let inputs = Inputs {
        args: vec![
            InputValue::Ref(0),
            InputValue::Bool(true),
            InputValue::Int(BigInt::from(10).pow(30)),
            InputValue::F32(0.1f32.to_bits()),
            InputValue::F64((-0.0f64).to_bits()),
            InputValue::F64(f64::INFINITY.to_bits()),
            InputValue::F64(0x7ff8_0000_0000_0001),
            InputValue::F32(0xffc0_0000),
            InputValue::Null,
        ],
        heap: vec![
            object(w.leaf, &[(w.value, int(3)), (w.next, InputValue::Ref(0))]),
            array(Type::Class(w.node), 3, &[(2, InputValue::Ref(0))]),
        ],
        nondet: vec![int(-1)],
        statics: [(w.root, InputValue::Ref(0))].into(),
    };
    let text = serde_json::to_string(&InputsDocument::of(&inputs, &w.program)).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"args":[{"ref":0},{"bool":true},{"int":"1000000000000000000000000000000"},{"f32":"0.1"},{"f64":"-0.0"},"#,
            r#"{"f64":"inf"},{"f64":"0x7ff8000000000001"},{"f32":"0xffc00000"},"null"],"#,
            r#""heap":[{"class":"Leaf","fields":{"Node.next":{"ref":0},"Node.value":{"int":"3"}}},"#,
            r#"{"element":"Node","length":"3","elements":{"2":{"ref":0}}}],"#,
            r#""nondet":[{"int":"-1"}],"statics":{"Main.root":{"ref":0}}}"#
        )
    );
    let document: InputsDocument = serde_json::from_str(&text).unwrap();
    assert_eq!(document.resolve(&w.program), Ok(inputs));
}

#[test]
fn documents_with_unknown_names_are_refused() {
    let w = World::new();
    let resolve = |text: &str| serde_json::from_str::<InputsDocument>(text).unwrap().resolve(&w.program);
    let unknown = DocumentError::NoSuchClass("Nod".into());
    assert_eq!(resolve(r#"{"heap": [{"class": "Nod"}]}"#), Err(unknown));
    for name in ["Leaf.value", "Node.valu", "value", "Nod.value"] {
        let text = format!(r#"{{"heap": [{{"class": "Leaf", "fields": {{"{name}": "null"}}}}]}}"#);
        assert_eq!(resolve(&text), Err(DocumentError::NoSuchField(name.into())));
    }
    for name in ["i33", "Nod[][]", "[]", ""] {
        let text = format!(r#"{{"heap": [{{"element": "{name}", "length": "1"}}]}}"#);
        assert_eq!(resolve(&text), Err(DocumentError::NoSuchType(name.into())));
    }
    for value in [r#"{"int": "1x"}"#, r#"{"f32": "x"}"#, r#"{"f64": "0xx"}"#] {
        assert!(matches!(resolve(&format!(r#"{{"args": [{value}]}}"#)), Err(DocumentError::NotANumber(_))));
    }
    for text in [r#"{"arg": []}"#, r#"{"args": [{"int": 5}]}"#, r#"{"heap": [{"klass": "Node"}]}"#] {
        assert!(serde_json::from_str::<InputsDocument>(text).is_err(), "{text}");
    }
}

#[test]
fn every_type_name_resolves() {
    let world = World::new();
    let elements = [Type::Bool, INT, Type::F32, Type::F64, world.ints, Type::Class(world.node), world.nodes];
    for element in elements.into_iter().chain(MACHINE) {
        world.program.array_of(element);
        let inputs = Inputs { heap: vec![array(element, 0, &[])], ..Inputs::default() };
        assert_eq!(InputsDocument::of(&inputs, &world.program).resolve(&world.program), Ok(inputs));
    }
}

/// `main` makes an array of `length` numbers from its input and reads element 1, between two other inputs.
fn nondet_array(length: &str, nondet: Vec<InputValue>) -> Result<Outcome, InputError> {
    let text = format!(
        "indices i32
        class Error {{
        }}
        trap NullDereference Error
        trap IndexOutOfBounds Error
        class Main {{
          static method main() -> i32 {{
            local a: i32[]
            local x, n: i32
          b0:
            n := nondet i32
            a := nondet i32[{length}]
            x := a[1i32]
            n := nondet i32
            return x * 10i32 + n
          }}
        }}"
    );
    let program = text::parse(&text).unwrap();
    let inputs = Inputs { nondet, ..Inputs::default() };
    run(&program, main_of(&program), &inputs, Limits::default(), &mut ())
}

#[test]
fn elements_of_an_input_array_are_given_in_order() {
    let elements = |numbers: &[i64]| InputValue::Elements(numbers.iter().map(|&number| int(number)).collect());
    for (length, given, result) in
        [("3i32", vec![1, 2, 3], 25), ("2i32", vec![4, 5, 6], 55), ("2i32", vec![4], 5), ("2147483647i32", vec![], 5)]
    {
        let outcome = nondet_array(length, vec![int(9), elements(&given), int(5)]);
        assert_eq!(outcome, Ok(returned_int(result)), "{length} {given:?}");
    }
    assert_eq!(nondet_array("2i32", vec![]), Ok(returned_int(0)));
    assert!(matches!(nondet_array("-1i32", vec![]), Ok(Outcome::Unsupported { .. })));
}

#[test]
fn elements_of_an_input_array_must_fit() {
    let refused = |nondet| nondet_array("3i32", nondet).unwrap_err().to_string();
    assert_eq!(refused(vec![int(1), int(2)]), "nondeterministic value 1 must be of type i32[], not 2");
    assert_eq!(
        refused(vec![int(1), InputValue::Elements(vec![int(2), InputValue::Bool(true)])]),
        "element 1 of nondeterministic value 1 must be of type i32, not true"
    );
    assert_eq!(
        refused(vec![InputValue::Elements(vec![])]),
        "nondeterministic value 0 must be of type i32, not a list of elements"
    );
    let dangling = refused(vec![int(1), InputValue::Elements(vec![InputValue::Ref(3)])]);
    assert!(dangling.contains("object 3 of a heap of 0"), "{dangling}");
}

#[test]
fn elements_are_shown_and_stand_in_documents() {
    let mut w = World::new();
    let main = w.method("main", 0, Code::new().ret_void());
    let nondet = vec![int(7), InputValue::Elements(vec![int(1), int(2), int(3)])];
    let inputs = Inputs { nondet, ..Inputs::default() };
    let rows = inputs.describe(&w.program, main).unwrap();
    assert_eq!(rows, [("nondet 1".into(), "7".into()), ("nondet 2".into(), "[1, 2, 3]".into())]);
    let document = InputsDocument::of(&inputs, &w.program);
    let json = serde_json::to_string(&document).unwrap();
    assert_eq!(json, r#"{"args":[],"nondet":[{"int":"7"},{"elements":[{"int":"1"},{"int":"2"},{"int":"3"}]}]}"#);
    let read: InputsDocument = serde_json::from_str(&json).unwrap();
    assert_eq!(read.resolve(&w.program), Ok(inputs));
}
