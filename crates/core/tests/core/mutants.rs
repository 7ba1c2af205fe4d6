//! No program makes aback panic between the sources and the answer, and no concrete run contradicts a proof.
//!
//! The programs are mutants of small programs: names, numbers and operators are exchanged for others of the program,
//! so that most mutants are still valid. `MUTANTS=20000 cargo test -p aback-core --test core mutants -- --nocapture` tries
//! more.

use aback_core::{CheckConfig, LoadConfig, Session, Verdict, check, entry_point};
use aback_ir::{ClassId, MethodId, MethodKind, Program, Type};
use aback_witness::{InputObject, InputValue, Inputs, Limits, Outcome, run};
use std::time::Duration;

/// Original programs, with the entry points of each.
const SEEDS: [(&str, &[&str]); 4] = [
    (
        include_str!("../../../../examples/account.oox"),
        &["Main.main", "Bank.transfer", "Bank.safeTransfer", "Account.withdraw"],
    ),
    (include_str!("../../../../examples/list.oox"), &["Main.main", "Main.lastOfThree", "SortedList.insert"]),
    (include_str!("../../../../examples/search.oox"), &["Main.main", "Search.find"]),
    (SHAPES, &["Main.main", "Main.area", "Main.fill"]),
];

/// Dispatch, exceptions, arrays, recursion and quantifiers on a small scale.
const SHAPES: &str = "\
class Shape {
    int size;
    Shape inner;
    int area() { return 0; }
    int depth() { if (this.inner == null) return 1; else return 1 + this.inner.depth(); }
}
class Square extends Shape {
    int area() { return this.size * this.size; }
}
class Line extends Shape {
    int area() { if (this.size < 0) throw \"negative\"; return this.size / 2; }
}
class Main {
    static void main(int a, int b) {
        Shape s := new Square();
        if (a > b) s := new Line();
        s.size := a;
        int sum := 0;
        try { sum := s.area(); } catch (e) { sum := 0 - a; }
        assert sum >= 0 || a > b;
    }
    static int area(Shape s, Shape[] others)
        requires(s != null && others != null && #others < 3)
        requires(forall others, i, o : o != null)
        ensures(retval >= 0 || s.size < 0)
    {
        int sum := 0;
        int i := 0;
        while (i < #others) {
            if (others[i] instanceof Square) { Square q := (Square) others[i]; sum := sum + q.area(); }
            i := i + 1;
        }
        assert s.inner != s || sum >= 0;
        return sum;
    }
    static void fill(int[] a, int n, bool up) {
        assume a != null && 0 <= n && n <= #a && #a < 4;
        int i := 0;
        while (i < n) { if (up) a[i] := i; else a[i] := 0 - i; i := i + 1; }
        assert forall a, j, v : j >= n || v == j || !up;
    }
}
";

/// A generator of pseudorandom numbers (xorshift), so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }
}

/// The kind of a token. Tokens are exchanged for others of the same kind.
fn kind(token: &str) -> usize {
    const OPERATORS: [&[&str]; 3] =
        [&["<", "<=", ">", ">=", "==", "!="], &["+", "-", "*", "/", "%"], &["&&", "||", "==>"]];
    const KEYWORDS: &str = " class extends static int bool void string if else while return new try catch throw assert \
                            assume requires ensures forall exists instanceof ";
    let first = token.chars().next().unwrap_or(' ');
    match OPERATORS.iter().position(|operators| operators.contains(&token)) {
        Some(kind) => kind,
        None if first.is_ascii_digit() => 3,
        None if KEYWORDS.contains(&format!(" {token} ")) => 4,
        None if first.is_alphabetic() => 5,
        None if first.is_whitespace() => 6,
        None => 7,
    }
}

/// Splits a text into words, numbers, spaces and symbols.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let symbols = ["==>", "&&", "||", "<=", ">=", "==", "!=", ":="];
        let length = match symbols.iter().find(|symbol| rest.starts_with(**symbol)) {
            Some(symbol) => symbol.len(),
            None if word(first) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            None if first.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            None => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

fn mutate(text: &str, random: &mut Random) -> String {
    let mut parts = tokens(text);
    for _ in 0..=random.below(2) {
        let at = random.below(parts.len());
        // Mostly exchange operators and numbers, because a name seldom fits in another's place.
        let kinds = if random.below(4) == 0 { 6 } else { 4 };
        match random.below(20) {
            0 => drop(parts.remove(at)),
            1 => parts.insert(at, ["null", "0", "1", "-", "!", "this", ";"][random.below(7)]),
            _ => {
                // The next token from here on that can be exchanged.
                let exchanged = (at..parts.len()).find(|&at| kind(parts[at]) < kinds).unwrap_or(at);
                let same: Vec<&str> =
                    parts.iter().copied().filter(|part| kind(part) == kind(parts[exchanged])).collect();
                parts[exchanged] = random.pick(&same).copied().unwrap_or("");
            }
        }
    }
    parts.concat()
}

/// Random inputs of a method, over a heap with a few objects.
fn inputs(program: &Program, entry: MethodId, random: &mut Random) -> Inputs {
    let method = program.method(entry);
    let mut inputs = Inputs::default();
    for (i, &ty) in method.params.iter().enumerate() {
        let value = value(program, ty, 3, &mut inputs, random);
        let receiver = i == 0 && method.kind != MethodKind::Static;
        let value = match value {
            InputValue::Null if receiver => object(program, method.class, 3, &mut inputs, random),
            value => value,
        };
        inputs.args.push(value);
    }
    inputs
}

fn value(program: &Program, ty: Type, depth: usize, inputs: &mut Inputs, random: &mut Random) -> InputValue {
    match ty {
        Type::Bool => InputValue::Bool(random.below(2) == 0),
        Type::Class(_) | Type::Array(_) if depth == 0 || random.below(4) == 0 => InputValue::Null,
        Type::Class(class) => {
            let classes: Vec<ClassId> = [vec![class], program.subclasses(class)].concat();
            let fits =
                |object: &InputObject| matches!(object, InputObject::Object { class, .. } if classes.contains(class));
            let old: Vec<usize> = (0..inputs.heap.len()).filter(|&i| fits(&inputs.heap[i])).collect();
            match random.pick(&old) {
                Some(&old) if random.below(2) == 0 => InputValue::Ref(old),
                _ => {
                    let class = random.pick(&classes).copied().unwrap_or(class);
                    object(program, class, depth, inputs, random)
                }
            }
        }
        Type::Array(array) => {
            let index = inputs.heap.len();
            let element = program.element_type(array);
            let length = random.below(7);
            inputs.heap.push(InputObject::Array {
                element,
                length: length.into(),
                elements: Default::default(),
                rest: None,
            });
            let mut sorted = -3;
            for i in 0..length {
                let mut item = value(program, element, depth - 1, inputs, random);
                // Half of the integer arrays are sorted, because many programs require it.
                if let (InputValue::Int(item), 0) = (&mut item, index % 2) {
                    sorted += random.below(3) as i64;
                    *item = sorted.into();
                }
                if let InputObject::Array { elements, .. } = &mut inputs.heap[index] {
                    elements.insert(i.into(), item);
                }
            }
            InputValue::Ref(index)
        }
        _ => InputValue::Int((random.below(12) as i64 - 3).into()),
    }
}

fn object(program: &Program, class: ClassId, depth: usize, inputs: &mut Inputs, random: &mut Random) -> InputValue {
    let index = inputs.heap.len();
    inputs.heap.push(InputObject::Object { class, fields: Default::default() });
    let mut next = Some(class);
    while let Some(class) = next {
        for &field in &program.class(class).fields {
            let item = value(program, program.field(field).ty, depth.saturating_sub(1), inputs, random);
            if let InputObject::Object { fields, .. } = &mut inputs.heap[index] {
                fields.insert(field, item);
            }
        }
        next = program.class(class).superclass;
    }
    InputValue::Ref(index)
}

/// Number of mutants that reached each stage.
#[derive(Default, Debug)]
struct Counts {
    mutants: usize,
    programs: usize,
    violated: usize,
    held: usize,
    undecided: usize,
    runs: usize,
    useful_runs: usize,
}

fn try_mutant(number: u64, folder: &std::path::Path, counts: &mut Counts) {
    const RUNS: usize = 20;
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ (number + 1).wrapping_mul(0xff51_afd7_ed55_8ccd));
    let (seed, entries) = SEEDS[random.below(SEEDS.len())];
    let text = mutate(seed, &mut random);
    let file = folder.join("Mutant.oox");
    std::fs::write(&file, &text).unwrap();
    counts.mutants += 1;
    let Ok(loaded) = Session::open(&[file], &LoadConfig::default()) else { return };
    counts.programs += 1;
    let entry = random.pick(entries).copied();
    let config = CheckConfig {
        entry: entry.map(Into::into),
        depth: Some(200),
        timeout: Some(Duration::from_millis(200)),
        ..CheckConfig::default()
    };
    let Ok(answer) = check(loaded.program(), &config) else { return };
    assert_eq!(answer.violation.is_some(), answer.verdict == Verdict::Violated, "mutant {number}:\n{text}");
    assert!(
        !answer.reason(loaded.program()).contains("did not replay"),
        "mutant {number}, {entry:?}: {}\n{text}",
        answer.reason(loaded.program())
    );
    match answer.verdict {
        Verdict::Violated => counts.violated += 1,
        Verdict::HoldsWithinBounds | Verdict::Unknown => counts.undecided += 1,
        Verdict::Holds => {
            counts.held += 1;
            let entry = entry_point(loaded.program(), entry).unwrap();
            for _ in 0..RUNS {
                let inputs = inputs(loaded.program(), entry, &mut random);
                let limits = Limits { max_steps: 10_000, ..Limits::default() };
                let outcome = run(loaded.program(), entry, &inputs, limits, &mut ());
                let outcome = outcome.unwrap_or_else(|error| panic!("mutant {number}: {error}: {inputs:?}\n{text}"));
                counts.runs += 1;
                counts.useful_runs += usize::from(!matches!(outcome, Outcome::AssumptionFailed(_)));
                let violated = matches!(outcome, Outcome::AssertionFailed { .. } | Outcome::Uncaught { .. });
                assert!(!violated, "mutant {number} holds, but {outcome:?} on {inputs:?}\n{text}");
            }
        }
    }
}

#[test]
fn mutants_never_panic_and_proofs_are_not_contradicted() {
    let folder = tempfile::tempdir().unwrap();
    let number = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<u64>().ok());
    let first = number("FIRST_MUTANT").unwrap_or(0);
    let mut counts = Counts::default();
    for mutant in first..first + number("MUTANTS").unwrap_or(150) {
        try_mutant(mutant, folder.path(), &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.programs * 4 > counts.mutants, "too few of the mutants are programs: {counts:?}");
}
