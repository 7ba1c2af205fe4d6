//! Questions about exceptions at a line: what a library throws counts at the line that called it. Needs a JDK and .NET.

use aback_core::{CheckConfig, Engine, Line, LoadConfig, Loops, Question, Session, Violations};
use std::time::Duration;

/// Asks about each line with a mark, `//@ VERDICT`, in all engines. No answer may be another one, and one must be this.
#[track_caller]
fn check(name: &str, text: &str, question: Question) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let session = Session::open(&[file], &LoadConfig::default()).unwrap();
    let mut wrong = Vec::new();
    for (line, marked) in (1..).zip(text.lines()) {
        let Some((_, expected)) = marked.split_once("//@ ") else { continue };
        let settings = [(Engine::Forward, Loops::Off), (Engine::Backward, Loops::Off), (Engine::Auto, Loops::Light)];
        let said = settings.map(|(engine, loops)| {
            let config = CheckConfig {
                question,
                at: Some(Line { file: name.into(), line }),
                violations: Violations::in_language(session.program(), true),
                engine,
                loops,
                timeout: Some(Duration::from_secs(60)),
                ..CheckConfig::default()
            };
            let answer = session.check(&config).unwrap();
            if let Some(violation) = &answer.violation {
                assert_eq!(violation.span.line, line, "{}", violation.describe(&answer.program));
            }
            answer.verdict.to_string()
        });
        let is_right = |said: &String| said == expected || said == "unknown";
        if !said.iter().all(is_right) || !said.iter().any(|said| said == expected) {
            wrong.push(format!("{line}: {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// They count at their own line, and where the class is used first.
#[test]
fn exceptions_of_initializers() {
    let text = r#"public class Main {
    public static int use(int x) {
        return Late.v + x; //@ violated
    }
    public static int call(int x) {
        return Order.of(x); //@ violated
    }
}
class Late {
    static int v = div(0);
    static int div(int x) {
        return 1 / x; //@ violated
    }
}
enum Order {
    ONE(1), NONE(0);
    Order(int x) {
        System.out.println(1 / x); //@ violated
    }
    static int of(int x) { return x; }
}
"#;
    check("Main.java", text, Question::Violation);
    let text = r#"public class Main {
    public static int well(int x) {
        return Fine.v + x; //@ holds
    }
}
class Fine {
    static int v = div(1);
    static int div(int x) {
        return 1 / x; //@ holds
    }
}
"#;
    check("Main.java", text, Question::Violation);
    // A run with one time of day says nothing about others.
    let text = r#"public class Main {
    public static int use(int x) {
        return Clock.v + x; //@ violated
    }
}
class Clock {
    static int v = div(System.currentTimeMillis() > 1000 ? 0 : 1);
    static int div(int x) {
        return 1 / x; //@ violated
    }
}
"#;
    check("Main.java", text, Question::Violation);
    let text = r#"public class Program {
    public static int Use(int x) {
        return Late.V + x; //@ violated
    }
}
class Late {
    public static int V;
    static Late() {
        int zero = 0;
        V = 1 / zero; //@ violated
    }
}
"#;
    check("Program.cs", text, Question::Violation);
}

#[test]
fn exceptions_of_java_libraries() {
    let text = r#"import java.util.*;
public class Main {
    public static int add(int x) {
        return Math.addExact(x, 1); //@ violated
    }
    public static int safe(int x) {
        if (x > 5)
            return 0; //@ holds
        return Math.addExact(x, 1); //@ holds
    }
    public static int two(int x, int y) {
        int a = Math.addExact(x & 7, 1); //@ holds
        int b = Math.addExact(y, 1); //@ violated
        return a + b;
    }
    public static int caught(int x) {
        try {
            return Math.negateExact(x); //@ holds
        } catch (ArithmeticException e) {
            return Math.toIntExact(x * 0L); //@ holds
        }
    }
    public static int again(int x) {
        try {
            return Math.negateExact(x); //@ violated
        } catch (ArithmeticException e) {
            throw e; //@ holds
        }
    }
    public static char at(String s) {
        if (s == null)
            return 'x';
        return s.charAt(2); //@ violated
    }
    public static int called(int x) {
        return inner(x) + 1; //@ holds
    }
    private static int inner(int x) {
        return Math.multiplyExact(x, 2); //@ violated
    }
    public static void back(int[] a) {
        List<Integer> all = new ArrayList<>();
        all.add(1);
        all.forEach(one -> a[one] = one / (one + 1)); //@ violated
        all.remove(3); //@ violated
    }
    public static Object empty() {
        return new ArrayDeque<Integer>().pop(); //@ violated
    }
    static class Failing {
        static int zero = 0;
        static int value = 3 / zero;
        static int two() {
            return 2; //@ holds within bounds
        }
    }
    public static int initialized(boolean b) {
        if (b)
            return Failing.two(); //@ violated
        return 0;
    }
}
"#;
    check("Main.java", text, Question::Violation);
}

#[test]
fn exceptions_of_csharp_libraries() {
    let text = r#"using System.Collections.Generic;
public class Main {
    public static int Add(int x) {
        return checked(x + 1); //@ violated
    }
    public static int Safe(int x) {
        if (x > 5)
            return 0;
        return checked(x + 1); //@ holds
    }
    public static int Get(int i) {
        List<int> all = new List<int> { 1, 2 };
        int first = all[0]; //@ holds
        return first + all[i]; //@ violated
    }
    public static int Unboxed(object o) {
        if (o != null) return 0;
        return (int)o; //@ violated
    }
    public static int Abs(int x) {
        return System.Math.Abs(x); //@ violated
    }
    public static int Other(int x) {
        return x switch { //@ violated
            1 => 2, 2 => 3, };
    }
    public static int Added(int x) {
        IEnumerable<int> all = [x, 2];
        var list = (IList<int>)all;
        if (x == 3)
            list.Add(3); //@ violated
        return list[1];
    }
}
"#;
    check("Main.cs", text, Question::Violation);
}

/// Compilers check references by calls.
#[test]
fn references_that_calls_check() {
    let java = r#"import java.util.function.*;
public class Main {
    class Inner { int q; }
    public static void bound(String s) {
        Supplier<Integer> f = s::length; //@ violated
    }
    public static void inner(Main m) {
        Inner i = m.new Inner(); //@ violated
        i.q = 3; //@ holds
    }
    public static void known(Main m) {
        if (m != null)
            m.new Inner(); //@ holds
    }
}
"#;
    check("Main.java", java, Question::Null { column: None });
    let csharp = "public class Main {
    public static int Unboxed(object o) {
        return (int)o; //@ violated
    }
    public static int Known(object o) {
        if (o == null) return 0;
        return (int)o; //@ holds within bounds
    }
}
";
    check("Main.cs", csharp, Question::Null { column: None });
}
