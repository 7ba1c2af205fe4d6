//! Checks what a person sees of variables to which a C# program has references, of what references refer to, and of exceptions.

mod common;

use aback_report::Collections;
use common::{found, steps};
use insta::assert_snapshot;

const PROGRAM: &str = r#"using System.Diagnostics;
public struct Inner { public uint U; public char C; }
public struct Outer {
    public Inner In;
    public int N;
    public void Bump() { N++; }
}
public class Node {
    public Outer O;
    public int[] A = new int[3];
    public Outer[] Os = new Outer[2];
    public static int S;
    public static Inner Shared;
}
public class Other {
    public static Inner Shared;
}
public static class Main {
    static void Add(ref int n, int k) {
        n = n + k;
        n = n + 1;
    }
    static void Lower(ref uint n) { n = n - 1; }
    static void Fill(ref Inner i) {
        i.C = 'x';
        i.U = 7;
    }
    static void Down(ref int n, int depth) {
        if (depth > 0) {
            Down(ref n, depth - 1);
            n++;
        }
    }
    static bool Halve(int n, out int half) {
        half = n / 2;
        return n % 2 == 0;
    }
    public static void run(int a) {
        Add(ref a, 2);
        uint u = 0;
        Lower(ref u);
        var node = new Node();
        Add(ref node.A[1], 5);
        Add(ref node.O.N, 6);
        Add(ref Node.S, 7);
        Node.Shared.C = 'y';
        Other.Shared.C = 'z';
        Fill(ref node.O.In);
        Fill(ref node.Os[1].In);
        Outer own = new Outer();
        own.Bump();
        Fill(ref own.In);
        ref int r = ref node.A[0];
        r = 4;
        r = ref node.A[2];
        r = 9;
        Halve(9, out int half);
        int zero = 0;
        Down(ref zero, 2);
        int total = 0;
        void Local(int x) { total += x; }
        Local(4);
        Debug.Assert(a != 4);
    }
}
"#;

/// Users see values under the names in the source, also after another method has written them: of numbers, structs, parts of
/// structs, elements, fields, static fields, variables of local functions, and of parameters that are changed.
#[test]
fn values_behind_references() {
    let Some(witness) = found("Main.cs", PROGRAM) else { return };
    assert_snapshot!(steps(&witness, Collections::Elements));
}

const CAPTURING: &str = r#"using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
public class Main {
    int weight = 2;
    int Weighted(int a) {
        int factor = a + 1;
        Func<int, int> weigh = b => {
            int own = b * weight;
            Func<int> inner = () => {
                own++;
                return own + factor;
            };
            return inner();
        };
        return weigh(3);
    }
    static IEnumerable<int> Twice(int n) {
        for (int i = 0; i < n; i++) yield return i;
        for (int i = 10; i < 10 + n; i++) {
            int zero = 0;
            Func<int> f = () => zero++;
            yield return f() + n;
        }
    }
    public static void run(int a) {
        int total = Twice(1).Sum();
        for (int i = 0; i < 2; i++) {
            int copy = i;
            Action add = () => total += copy;
            add();
        }
        Func<int, int> plain = x => x + 1;
        total = plain(total);
        total += new Main().Weighted(a);
        Debug.Assert(a != 4);
    }
}
"#;

/// Variables that functions capture are variables of the methods that see them, under their own names.
#[test]
fn captured_variables() {
    let Some(witness) = found("Main.cs", CAPTURING) else { return };
    assert_snapshot!(steps(&witness, Collections::Elements));
}

/// The frames of exceptions mean nothing to users.
#[test]
fn exceptions() {
    let text = "class Main {
    static class Bad extends RuntimeException {
        int code;
        Bad(String message, Throwable cause, int code) { super(message, cause); this.code = code; }
    }
    static void run(int a) {
        Bad bad = new Bad(\"bad\", new IllegalStateException(\"why\"), 7);
        assert a != 4;
    }
}
";
    let witness = found("Main.java", text).expect("a JDK");
    assert_snapshot!(steps(&witness, Collections::Elements));
}
