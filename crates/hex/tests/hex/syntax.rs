//! The syntax: messages about errors, printing, and any text at all.

use crate::support::{Random, World};
use aback_hex::Invariants;
use aback_ir::FileId;

fn check(text: &str, expected: &str) {
    assert_eq!(World::new().problem(text), expected, "{text:.80}");
}

#[test]
fn errors() {
    check(
        "root.list",
        "1:10+1: expected `not null`, `expands to`, `aliases`, or a reference: `.FIELD`, `[]` or `(`, \
         found the end of the file",
    );
    check("list not null;", "1:1+4: expected `root.NAME`, `any TYPE`, `not` or `(`, found `list`");
    check("root.list not nul;", "1:15+3: expected `null`, found `nul`");
    check("root.list not null root", "1:20+4: expected `and`, `or`, `implies` or `;`, found `root`");
    check("(root.list not null;", "1:20+1: expected `and`, `or`, `implies` or `)`, found `;`");
    check("root.list expands nothing;", "1:19+7: expected `to`, found `nothing`");
    check("root.list expands to ;", "1:22+1: expected `nothing` or a type, found `;`");
    check(
        "root.list aliases Node;",
        "1:19+4: expected `nothing`, `some`, `max` or a path: `root.NAME` or `any TYPE`, \
         found `Node`",
    );
    check("root.list aliases max nothing;", "1:23+7: expected a path, found `nothing`");
    check("root.list(.next|) not null;", "1:17+1: expected a reference: `.FIELD`, `[]` or `(`, found `)`");
    check("root.list(.next not null;", "1:17+3: expected `|`, `)` or a reference: `.FIELD`, `[]` or `(`, found `not`");
    check("root.list. not null;", "1:12+3: no class has a field `not`");
    check("root.list[ not null;", "1:12+3: expected `]`, found `not`");
    check(
        "root.list+ not null;",
        "1:10+1: nothing to repeat before `+` (only references after the start of a path can \
         be repeated: `root.list(.next)*`)",
    );
    check("root.list.next*?+ not null;", "1:17+1: too many signs of repetition");
    check("root.list not null triggers one;", "1:32+1: expected `.METHOD`, found `;`");
    check("// ok\n% root", "2:1+1: expected `root.NAME`, `any TYPE`, `not` or `(`, found `%`");
    check("any \"Node", "1:5+5: expected a type, found a quotation mark that is not closed");
    check(&"(".repeat(100_000), "1:51+1: this is nested too deeply");
    check(&"not ".repeat(100_000), "1:201+3: this is nested too deeply");
    check(&format!("root.list{} not null;", ".next".repeat(64)), "1:326+4: a path can have at most 63 references");
}

#[test]
fn each_sentence_can_have_an_error() {
    let world = World::new();
    let text = "root.lst not null;\nroot.list not null;\nroot.list.nxt not null;";
    let problems = Invariants::parse(&world.program, &world.roots, FileId(7), text).unwrap_err();
    let places: Vec<String> = problems.iter().map(|problem| problem.span.to_string()).collect();
    assert_eq!(places, ["1:6", "3:11"]);
    assert_eq!(problems[0].span.file, FileId(7));
}

/// Sentences in the form in which they are printed.
const PRINTED: &[&str] = &[
    "root.list not null",
    "root.list(.next)+ not null and root.list(.next)+ aliases root.list",
    "any Tree(.left|.right)+ aliases nothing",
    "any Tree(.left.next|[]|.right(.parent)*)?.(Tree.next) expands to nothing",
    "any (Tree[])[][]+ expands to Tree[]",
    "root.app.Config.first(.next)*+ aliases some app.Config",
    "not root.list not null or root.other not null and root.tree not null",
    "not (root.list not null or root.other not null)",
    "(root.list not null implies root.other not null) implies root.tree not null implies root.list not null",
    "root.list.prev aliases max root.list(.next)* triggers Check.one",
    "any Node(.next|.prev) not null triggers Check.pair",
    "root.list not null and (root.list not null and root.other not null)",
    "not not root.list not null",
];

#[test]
fn printing_and_parsing() {
    let world = World::new();
    for &text in PRINTED {
        let invariants = world.parse(&format!("{text};"));
        assert_eq!(invariants.print(&world.program), format!("{text};\n"));
        let again = world.parse(&invariants.print(&world.program));
        assert_eq!(again.sentences(), invariants.sentences());
    }
}

#[test]
fn comments_and_spaces() {
    let world = World::new();
    let text = "// a comment; with text\nroot . list ( .next ) + // more\n  not null;\r\n;";
    assert!(Invariants::parse(&world.program, &world.roots, FileId(0), text).is_err());
    let text = text.strip_suffix(";").unwrap();
    assert_eq!(world.parse(text).print(&world.program), "root.list(.next)+ not null;\n");
    assert!(world.parse(" // nothing").sentences().is_empty());
}

/// No text makes the parser fail otherwise than with messages at places in the text.
#[test]
fn any_text() {
    let world = World::new();
    let mut random = Random(1);
    let whole = PRINTED.join(";\n");
    let words =
        ["root.list", "any ", "Node", ".", "(", ")", "[]", "*", "|", " not ", " null", ";", "\"", "//", "é", "\n"];
    for round in 0..6_000 {
        let text = match round % 3 {
            0 => {
                let bytes: Vec<u8> = (0..random.below(60)).map(|_| random.next() as u8).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            1 => (0..random.below(20)).map(|_| *random.pick(&words)).collect(),
            _ => {
                let mut characters: Vec<char> = random.pick(PRINTED).chars().chain(";".chars()).collect();
                for _ in 0..=random.below(4) {
                    let at = random.below(characters.len());
                    let other: Vec<char> = whole.chars().collect();
                    match random.below(3) {
                        0 => drop(characters.remove(at)),
                        1 => characters.insert(at, *random.pick(&other)),
                        _ => characters[at] = *random.pick(&other),
                    }
                }
                characters.into_iter().collect()
            }
        };
        match Invariants::parse(&world.program, &world.roots, FileId(0), &text) {
            Ok(invariants) => {
                let again = world.parse(&invariants.print(&world.program));
                assert_eq!(again.sentences(), invariants.sentences(), "{text}");
            }
            Err(problems) => {
                let lines = text.split('\n').count() as u32;
                assert!(problems.iter().all(|problem| (1..=lines).contains(&problem.span.line)), "{text}");
            }
        }
    }
}
