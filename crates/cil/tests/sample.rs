//! What the crate says of `assemblies/Sample.cs`.

use aback_cil::{
    Access, Argument, Assembly, ClauseKind, Constant, Document, EnumType, MemberSig, MethodBody, MethodSig, Operand,
    Pdb, Position, StandAloneSig, Table, Token, TypeSig, Visibility,
};

fn sample() -> Assembly {
    Assembly::parse(include_bytes!("assemblies/Sample.dll").to_vec()).unwrap()
}

fn empty() -> Assembly {
    Assembly::parse(include_bytes!("assemblies/Empty.dll").to_vec()).unwrap()
}

fn pdb() -> Pdb {
    Pdb::parse(include_bytes!("assemblies/Sample.pdb").to_vec()).unwrap()
}

fn type_row(assembly: &Assembly, name: &str) -> u32 {
    assembly.find_full_name(name).unwrap()
}

fn method_row(assembly: &Assembly, of: &str, name: &str) -> u32 {
    let mut methods = assembly.type_def(type_row(assembly, of)).unwrap().methods;
    methods.find(|&row| assembly.method_name(row) == Ok(name)).unwrap()
}

fn field_row(assembly: &Assembly, of: &str, name: &str) -> u32 {
    let mut fields = assembly.type_def(type_row(assembly, of)).unwrap().fields;
    fields.find(|&row| assembly.field_name(row) == Ok(name)).unwrap()
}

/// A type as text.
fn show(assembly: &Assembly, sig: &TypeSig) -> String {
    let name = |token: &Token| assembly.full_name(*token).unwrap_or_else(|| token.to_string());
    let shown = |inner: &TypeSig| show(assembly, inner);
    match sig {
        TypeSig::Class(token) => name(token),
        TypeSig::ValueType(token) => format!("struct {}", name(token)),
        TypeSig::SzArray(element) => format!("{}[]", shown(element)),
        TypeSig::Array { element, rank } => format!("{}[{rank}]", shown(element)),
        TypeSig::Pointer(inner) => format!("{}*", shown(inner)),
        TypeSig::ByRef(inner) => format!("{}&", shown(inner)),
        TypeSig::Generic { definition, arguments, .. } => {
            format!("{}<{}>", name(definition), show_all(assembly, arguments))
        }
        TypeSig::TypeParam(number) => format!("!{number}"),
        TypeSig::MethodParam(number) => format!("!!{number}"),
        TypeSig::FunctionPointer(method) => format!("fn {}", show_method(assembly, method)),
        TypeSig::Pinned(inner) => format!("pinned {}", shown(inner)),
        TypeSig::Modified { modifier, inner, .. } => format!("{} [{}]", shown(inner), name(modifier)),
        other => format!("{other:?}"),
    }
}

fn show_all(assembly: &Assembly, sigs: &[TypeSig]) -> String {
    sigs.iter().map(|sig| show(assembly, sig)).collect::<Vec<_>>().join(", ")
}

fn show_method(assembly: &Assembly, sig: &MethodSig) -> String {
    let this = if sig.has_this { "this " } else { "" };
    let arity = if sig.generic_arity == 0 { String::new() } else { format!("<{}>", sig.generic_arity) };
    format!("{this}{}{arity}({})", show(assembly, &sig.result), show_all(assembly, &sig.params))
}

fn show_body(assembly: &Assembly, body: &MethodBody) -> String {
    let line = |instruction: &aback_cil::Instruction| {
        let operand = match &instruction.operand {
            Operand::None => String::new(),
            Operand::Token(token) if token.0 >> 24 == 0x70 => {
                format!(" {:?}", String::from_utf16(&assembly.user_string(token.row()).unwrap()).unwrap())
            }
            Operand::Token(token) => match token.table().unwrap() {
                Table::MemberRef => {
                    let member = assembly.member_ref(token.row()).unwrap();
                    let sig = match &member.signature {
                        MemberSig::Field(sig) => show(assembly, sig),
                        MemberSig::Method(sig) => show_method(assembly, sig),
                    };
                    format!(" {}.{}: {sig}", assembly.full_name(member.parent).unwrap(), member.name)
                }
                Table::StandAloneSig => match assembly.stand_alone_sig(token.row()).unwrap() {
                    StandAloneSig::Method(sig) => format!(" {}", show_method(assembly, &sig)),
                    other => format!(" {other:?}"),
                },
                _ => format!(" {token}"),
            },
            Operand::I32(number) => format!(" {number}"),
            Operand::Variable(index) => format!(" {index}"),
            Operand::Target(target) => format!(" -> {target}"),
            Operand::Switch(targets) => format!(" -> {targets:?}"),
            other => format!(" {other:?}"),
        };
        let constrained = instruction.prefixes.constrained.map_or(String::new(), |token| {
            format!("constrained {} ", show(assembly, &assembly.type_spec(token.row()).unwrap()))
        });
        format!("{}: {constrained}{}{operand}", instruction.offset, instruction.opcode)
    };
    body.instructions.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn check_body(name: &str, locals: &str, expected: &str) {
    let assembly = sample();
    let body = assembly.body(method_row(&assembly, "Sample.Code", name)).unwrap().unwrap();
    assert_eq!(show_body(&assembly, &body), expected.trim().replace("        ", ""));
    assert_eq!(show_all(&assembly, &body.locals), locals);
}

fn check_method(of: &str, name: &str, expected: &str) {
    let assembly = sample();
    let method = assembly.method(method_row(&assembly, of, name)).unwrap();
    assert_eq!(show_method(&assembly, &method.signature), expected);
}

fn check_field(of: &str, name: &str, expected: &str) {
    let assembly = sample();
    assert_eq!(show(&assembly, &assembly.field(field_row(&assembly, of, name)).unwrap().signature), expected);
}

#[test]
fn is_shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<Assembly>();
    check::<Pdb>();
}

#[test]
fn assemblies() {
    let assembly = sample();
    assert_eq!((assembly.name(), assembly.version(), assembly.entry_point()), ("Sample", [0; 4], None));
    assert_eq!(assembly.pdb_path().as_deref(), Some("/src/Sample.pdb"));
    assert_eq!(assembly.pdb_id(), Some(pdb().id()));
    assert!(assembly.mvid().is_some());
    let runtime = assembly.assembly_ref(1).unwrap();
    assert_eq!((runtime.name, runtime.version[0], runtime.public_key_or_token.len()), ("System.Runtime", 10, 8));
    let list = assembly.find_forwarder("System.Collections.Generic", "List`1").unwrap();
    assert_eq!(assembly.assembly_ref(list).unwrap().name, "System.Collections");
    assert_eq!(assembly.find_forwarder("System", "List`1"), None);

    let main = method_row(&empty(), "Program", "Main");
    assert_eq!(empty().entry_point(), Some(Token::new(Table::MethodDef, main)));
}

#[test]
fn types() {
    let assembly = sample();
    let shapes = type_row(&assembly, "Sample.Shapes`2");
    let def = assembly.type_def(shapes).unwrap();
    assert_eq!((def.namespace, def.name, def.visibility()), ("Sample", "Shapes`2", Visibility::Public));
    assert!(def.is_abstract() && !def.is_sealed() && !def.is_interface());
    assert_eq!(assembly.full_name(def.extends.unwrap()).as_deref(), Some("System.Object"));
    let innermost = type_row(&assembly, "Sample.Shapes`2+Inner+Innermost");
    let full = assembly.full_name(Token::new(Table::TypeDef, innermost));
    assert_eq!(full.as_deref(), Some("Sample.Shapes`2+Inner+Innermost"));
    assert_eq!(assembly.enclosing(innermost).and_then(|inner| assembly.enclosing(inner)), Some(shapes));
    assert_eq!(assembly.type_def(innermost).unwrap().visibility(), Visibility::Nested(Access::Public));
    assert_eq!(assembly.enclosing(shapes), None);
    assert_eq!((assembly.find_type("", "Inner"), assembly.find_type("Sample", "Nothing")), (None, None));
    assert_eq!((assembly.find_full_name("Sample.Shapes`2+Innermost"), assembly.find_full_name("")), (None, None));

    let interfaces: Vec<_> =
        assembly.interface_impls(shapes).into_iter().map(|t| assembly.full_name(t).unwrap()).collect();
    assert_eq!(interfaces, ["Sample.ISource`1"]);
    let [(body, declaration)] = assembly.method_impls(shapes)[..] else { panic!() };
    assert_eq!(assembly.method_name(body.row()).unwrap(), "Sample.ISource<T>.Next");
    assert_eq!(assembly.member_ref(declaration.row()).unwrap().name, "Next");
}

#[test]
fn generic_params() {
    let assembly = sample();
    let params = assembly.generic_params(Token::new(Table::TypeDef, type_row(&assembly, "Sample.Shapes`2")));
    let [t, u] = &params[..] else { panic!("{params:?}") };
    assert!(t.is_reference() && t.has_constructor() && !t.is_value() && u.is_value());
    assert_eq!((t.name, t.number, u.name, u.number), ("T", 0, "U", 1));
    let constraint = assembly.type_spec(t.constraints[0].row()).unwrap();
    assert_eq!(show(&assembly, &constraint), "System.IComparable`1<!0>");
    let source = assembly.generic_params(Token::new(Table::TypeDef, type_row(&assembly, "Sample.ISource`1")));
    assert!(source[0].is_covariant() && !source[0].is_contravariant());
    let text = assembly.generic_params(Token::new(Table::MethodDef, method_row(&assembly, "Sample.Code", "Text")));
    assert_eq!(text[0].name, "V");
}

#[test]
fn signatures() {
    check_field("Sample.Shapes`2", "Table", "I4[]");
    check_field("Sample.Shapes`2", "Count", "I4 [System.Runtime.CompilerServices.IsVolatile]");
    check_field(
        "Sample.Shapes`2",
        "grid",
        "System.Collections.Generic.Dictionary`2<String, System.Collections.Generic.List`1<!0[]>>[2]",
    );
    check_field("Sample.Colour", "Red", "struct Sample.Colour");
    check_method(
        "Sample.Shapes`2",
        "Draw",
        "this Void(I4&, String&, I8& [System.Runtime.InteropServices.InAttribute])",
    );
    check_method("Sample.Shapes`2", "Sample.ISource<T>.Next", "this !0()");
    check_method("Sample.Code", "Text", "String<1>(!!0)");
    check_method("Sample.Code", "Pointers", "I4(fn I8(I4), I4*)");
}

#[test]
fn fields() {
    let assembly = sample();
    let constant = |name| assembly.constant(Token::new(Table::Field, field_row(&assembly, "Sample.Shapes`2", name)));
    let name = "name".encode_utf16().chain([0xd800]).collect();
    assert_eq!(constant("Name"), Some(Constant::String(name)));
    assert_eq!(constant("Half"), Some(Constant::R8(0.5f64.to_bits())));
    assert_eq!(constant("Favourite"), Some(Constant::U1(200)));
    assert_eq!(constant("Nothing"), Some(Constant::Null));
    assert_eq!(constant("Count"), None);

    let table = assembly.field(field_row(&assembly, "Sample.Shapes`2", "Table")).unwrap();
    assert!(table.is_static() && table.is_init_only() && !table.is_literal());
    assert_eq!(table.access(), Access::Family);

    let bits = type_row(&assembly, "Sample.Bits");
    assert_eq!(assembly.class_layout(bits), Some((4, 24)));
    assert!(assembly.type_def(bits).unwrap().is_explicit_layout());
    assert_eq!(assembly.field_offset(field_row(&assembly, "Sample.Bits", "High")), Some(4));
    assert_eq!(assembly.field_owner(field_row(&assembly, "Sample.Bits", "High")), Some(bits));

    let data = assembly.type_def(type_row(&assembly, "<PrivateImplementationDetails>")).unwrap().fields.start;
    let bytes = assembly.field_data(data).unwrap();
    let numbers: Vec<u8> = bytes[..20].iter().copied().filter(|&byte| byte != 0).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5]);
    assert_eq!(assembly.field_data(1), None);
}

#[test]
fn methods() {
    let assembly = sample();
    let method = |of, name| assembly.method(method_row(&assembly, of, name)).unwrap();
    let draw = method("Sample.Shapes`2", "Draw");
    assert!(draw.is_abstract() && draw.is_virtual() && draw.is_newslot() && !draw.is_static() && draw.rva == 0);
    assert_eq!(assembly.body(method_row(&assembly, "Sample.Shapes`2", "Draw")), Ok(None));
    assert_eq!(draw.access(), Access::Public);
    let next = method("Sample.Shapes`2", "Sample.ISource<T>.Next");
    assert!(next.is_final() && next.access() == Access::Private);
    assert!(method("Sample.Shapes`2", ".cctor").is_constructor());
    let params = assembly.params(method_row(&assembly, "Sample.Shapes`2", "Draw"));
    let shown: Vec<_> =
        params.iter().map(|param| (param.sequence, param.name, param.is_in(), param.is_out())).collect();
    assert_eq!(shown, [(1, "x", false, false), (2, "y", false, true), (3, "z", true, false)]);

    assert!(method("Sample.Code", "Native").is_pinvoke());
    assert_eq!(assembly.pinvoke(method_row(&assembly, "Sample.Code", "Native")), Some(("native", "entry")));
    assert_eq!(assembly.pinvoke(method_row(&assembly, "Sample.Code", "Text")), None);
    let owner = assembly.method_owner(method_row(&assembly, "Sample.Code", "Text"));
    assert_eq!(owner, Some(type_row(&assembly, "Sample.Code")));
}

#[test]
fn properties_and_events() {
    let assembly = sample();
    let shapes = type_row(&assembly, "Sample.Shapes`2");
    let [item] = &assembly.properties(shapes)[..] else { panic!() };
    let name = |row: Option<u32>| assembly.method_name(row.unwrap()).unwrap();
    assert_eq!((item.name, name(item.getter), name(item.setter)), ("Item", "get_Item", "set_Item"));
    assert_eq!(show_method(&assembly, &item.signature), "this I4(I4, String)");
    let [changed] = &assembly.events(shapes)[..] else { panic!() };
    assert_eq!((changed.name, name(changed.add), name(changed.remove)), ("Changed", "add_Changed", "remove_Changed"));
    assert_eq!(changed.raise, None);
    assert_eq!(assembly.full_name(changed.handler.unwrap()).as_deref(), Some("System.EventHandler"));
    assert!(assembly.properties(type_row(&assembly, "Sample.Code")).is_empty());
}

#[test]
fn attributes() {
    let assembly = sample();
    let attributes = assembly.custom_attributes(Token::new(Table::TypeDef, type_row(&assembly, "Sample.Shapes`2")));
    let arguments = |class: &str| {
        let of_class = |attribute: &&aback_cil::CustomAttribute<'_>| {
            assembly.attribute_class(attribute).and_then(|class| assembly.full_name(class)).as_deref() == Some(class)
        };
        let attribute = attributes.iter().find(of_class).unwrap();
        assembly.attribute_arguments(attribute, &|of: EnumType<'_>| panic!("{of:?}")).unwrap()
    };
    let note = arguments("Sample.NoteAttribute");
    let [text, numbers, Argument::Type(Some(class)), colour, boxed] = &note.fixed[..] else { panic!("{note:?}") };
    assert_eq!(text, &Argument::String(Some("text".into())));
    assert_eq!(numbers, &Argument::Array(Some(vec![Argument::I4(1), Argument::I4(-2)])));
    assert!(class.starts_with("System.String, System.Runtime, "), "{class}");
    assert_eq!((colour, boxed), (&Argument::U1(200), &Argument::U1(200)));
    assert_eq!(note.named, [("Flag".into(), Argument::Bool(true)), ("Shade".into(), Argument::U1(200))]);
    assert_eq!(arguments("Sample.TagAttribute`1").fixed, [Argument::String(Some("tag".into()))]);
}

#[test]
fn body_with_switch() {
    check_body(
        "Branches",
        "Bool, I4, I4, I4, I4",
        r#"
        0: nop
        1: ldarg 0
        2: ldc.i4 7
        3: cgt
        5: stloc 0
        6: ldloc 0
        7: brfalse -> 18
        9: nop
        10: ldarg 0
        11: ldc.i4 2
        12: mul
        13: stloc 1
        14: ldloc 1
        15: stloc 2
        16: br -> 72
        18: ldarg 0
        19: stloc 4
        21: ldloc 4
        23: stloc 3
        24: ldloc 3
        25: switch -> [44, 49, 54]
        42: br -> 59
        44: ldc.i4 10
        46: stloc 2
        47: br -> 72
        49: ldc.i4 11
        51: stloc 2
        52: br -> 72
        54: ldc.i4 12
        56: stloc 2
        57: br -> 72
        59: ldstr "hi"
        64: call System.String.get_Length: this I4()
        69: stloc 2
        70: br -> 72
        72: ldloc 2
        73: ret
        "#,
    );
}

#[test]
fn body_with_constrained_call() {
    check_body(
        "Text",
        "",
        r#"
        0: ldarga 0
        2: constrained !!0 callvirt System.Object.ToString: this String()
        13: ldstr "é😀"
        18: call System.String.Concat: String(String, String)
        23: ret
        "#,
    );
}

#[test]
fn body_with_pointers() {
    check_body(
        "Pointers",
        "I4*, pinned I4[], fn I8(I4), I4",
        r#"
        0: nop
        1: ldc.i4 3
        2: newarr TypeRef 47
        7: dup
        8: stloc 1
        9: brfalse -> 16
        11: ldloc 1
        12: ldlen
        13: conv.i4
        14: brtrue -> 21
        16: ldc.i4 0
        17: conv.u
        18: stloc 0
        19: br -> 30
        21: ldloc 1
        22: ldc.i4 0
        23: ldelema TypeRef 47
        28: conv.u
        29: stloc 0
        30: nop
        31: ldarg 0
        32: stloc 2
        33: ldarg 1
        34: ldind.i4
        35: ldloc 2
        36: calli I8(I4)
        41: conv.i4
        42: ldloc 0
        43: ldc.i4 4
        44: add
        45: ldind.i4
        46: add
        47: stloc 3
        48: br -> 50
        50: ldloc 3
        51: ret
        "#,
    );
}

#[test]
fn handlers() {
    let assembly = sample();
    let body = assembly.body(method_row(&assembly, "Sample.Code", "Handlers")).unwrap().unwrap();
    let kinds: Vec<_> = body.clauses.iter().map(|clause| clause.kind).collect();
    let [ClauseKind::Filter(filter), ClauseKind::Catch(class), ClauseKind::Finally] = kinds[..] else {
        panic!("{kinds:?}")
    };
    assert_eq!(assembly.full_name(class).as_deref(), Some("System.IO.IOException"));
    assert_eq!(filter, body.clauses[0].try_end);
    let [inner, outer] = [&body.clauses[1], &body.clauses[2]];
    assert_eq!((inner.try_start, inner.try_end, inner.handler_start, inner.handler_end), (2, 9, 44, 48));
    assert_eq!((outer.try_start, outer.try_end, outer.handler_start, outer.handler_end), (1, 48, 48, 62));
    assert!(body.init_locals && body.index_of(filter).is_some() && body.index_of(3) == Some(3));
}

#[test]
fn sequence_points() {
    let (assembly, pdb) = (sample(), pdb());
    let points = pdb.sequence_points(method_row(&assembly, "Sample.Code", "Branches"));
    let shown: Vec<_> = points.iter().map(|point| (point.offset, point.position.map(|it| it.start_line))).collect();
    let lines = [(0, 77), (1, 81), (6, 0), (9, 82), (10, 83), (14, 84), (18, 86), (21, 0), (24, 0), (44, 88), (49, 89)];
    let expected: Vec<_> = lines.map(|(offset, line)| (offset, (line != 0).then_some(line))).into();
    assert_eq!(shown[..lines.len()], expected);
    let position = Position { start_line: 81, start_column: 13, end_line: 81, end_column: 27 };
    assert_eq!((points[1].position, points[1].document), (Some(position), 1));
    assert!(pdb.sequence_points(method_row(&assembly, "Sample.Code", "Native")).is_empty());

    let document = pdb.document(1).unwrap();
    assert_eq!((document.name.as_str(), document.language), ("/src/Sample.cs", Document::CSHARP));
    assert_eq!((document.hash_algorithm, document.hash.len()), (Document::SHA256, 32));
    assert_eq!(Document::CSHARP.to_string(), "3f5162f8-07c6-11d3-9053-00c04fa302a1");
    assert_eq!((pdb.documents(), pdb.embedded_source(1)), (1, None));
    assert!(pdb.document(2).is_err());
}

#[test]
fn local_scopes() {
    let (assembly, pdb) = (sample(), pdb());
    let scopes = pdb.local_scopes(method_row(&assembly, "Sample.Code", "Branches"));
    let [outer, inner] = &scopes[..] else { panic!("{scopes:?}") };
    let constants: Vec<_> =
        outer.constants.iter().map(|constant| (constant.name.as_str(), constant.value.clone())).collect();
    let hi = Constant::String("hi".encode_utf16().collect());
    let expected = [("limit", Some(Constant::I4(7))), ("nothing", Some(Constant::Null)), ("greeting", Some(hi))];
    assert_eq!(constants, expected);
    assert_eq!((outer.start, outer.length, inner.start, inner.length), (0, 74, 9, 9));
    let [variable] = &inner.variables[..] else { panic!("{inner:?}") };
    assert_eq!((variable.index, variable.name.as_str(), variable.is_hidden), (1, "inner", false));
}

#[test]
fn state_machines() {
    let (assembly, pdb) = (sample(), pdb());
    for (machine, method) in [("Sample.Code+<Numbers>d__5", "Numbers"), ("Sample.Code+<Later>d__6", "Later")] {
        let kickoff = pdb.kickoff(method_row(&assembly, machine, "MoveNext"));
        assert_eq!(kickoff, Some(method_row(&assembly, "Sample.Code", method)));
    }
    assert_eq!(pdb.kickoff(method_row(&assembly, "Sample.Code", "Numbers")), None);
    let scopes = pdb.hoisted_scopes(method_row(&assembly, "Sample.Code+<Numbers>d__5", "MoveNext"));
    assert_eq!(scopes.len(), 1);
}

#[test]
fn embedded() {
    let pdb = empty().embedded_pdb().unwrap().unwrap();
    assert_eq!(Some(pdb.id()), empty().pdb_id());
    assert_eq!(pdb.document(1).unwrap().name, "/src/Empty.cs");
    assert_eq!(pdb.embedded_source(1).as_deref(), Some(include_str!("assemblies/Empty.cs")));
    let position = Position { start_line: 1, start_column: 59, end_line: 1, end_column: 61 };
    assert_eq!(pdb.sequence_points(1)[0].position, Some(position));
    assert!(sample().embedded_pdb().unwrap().is_none());
}
