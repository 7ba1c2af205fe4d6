//! State of the program and of the class library that exists before an entry point is called.

use crate::csharp::check;

/// They run before any other code of the assembly.
#[test]
fn module_initializers() {
    check(
        "
    static int first, second;
    static void Checked(int n) {
        Assert(n == 5); // FAILS
    }
    [System.Runtime.CompilerServices.ModuleInitializer] internal static void Initialize() { first = 5; Checked(6); }
    public static void A() { Assert(first == 5); } // HOLDS within static fields
    public static void B() { Assert(first == 0); } // FAILS
    public static void C() { Assert(second == 0); } // HOLDS",
    );
}

/// The program changes state that another call reads.
#[test]
fn state_of_the_library() {
    let within = "HOLDS within the library is in the state in which a program starts";
    let check_state = |change: &str, assertion: &str| {
        check(&format!(
            "
    public static void Changes() {{ {change} }}
    public static void M() {{ {assertion} }} // {within}"
        ));
    };
    check("public static void M(int n) { n = 3; Assert(n == 3 && IndentLevel == 0); } // HOLDS");
    check_state("System.Diagnostics.Trace.IndentLevel = 3;", "Assert(IndentLevel == 0);");
    check_state(
        "System.Globalization.CultureInfo.CurrentCulture = new(\"sv-SE\");",
        "Assert(5.ToString().Length == 1);",
    );
    check_state("typeof(Test).GetField(\"F\").SetValue(null, 3);", "int n = 3; Assert(n == 3);");
    check_state("Environment.SetEnvironmentVariable(\"A\", \"b\");", "int n = 3; Assert(n == 3);");
    check_state(
        "AppDomain.CurrentDomain.FirstChanceException += (sender, e) => { };",
        "int n = 3; try { throw new Exception(); } catch { } Assert(n == 3);",
    );
    // Reflection may run any method of the program.
    check(
        "
    public static void Changes() { typeof(Test).GetField(\"F\").SetValue(null, 3); }
    public static void M(int n) { n = 3; Assert(n == 3); } // HOLDS within the library is in the state",
    );
    check(&format!(
        "public static void M() {{ Assert(System.Threading.Thread.CurrentThread.Name == null); }} // {within}"
    ));
}

/// Execution goes on with the changed state, or is refused.
#[test]
fn changed_state() {
    check(
        r#"
    class Listener : System.Diagnostics.TraceListener {
        public override void Write(string s) { } public override void WriteLine(string s) { }
    }
    public static void A() { System.Diagnostics.Trace.Listeners.Add(new Listener());
        Assert(true); // UNKNOWN because the listeners of assertions
    }
    public static void B() { int n = 0; AppDomain.CurrentDomain.FirstChanceException += (sender, e) => n++;
        try { throw new Exception(); } catch { }
        Assert(n == 0); // UNKNOWN because an event handler that runs at each throw
    }
    public static void C() { var thread = System.Threading.Thread.CurrentThread; thread.Name = "x"; string s = thread.Name;
        Assert(s == null); // FAILS
    }
    public static void D() { var thread = System.Threading.Thread.CurrentThread; thread.IsBackground = true;
        Assert(!thread.IsBackground); // UNKNOWN because the state of a thread
    }
    public static void E(object o) { System.Threading.Monitor.Exit(o);
        Assert(o == null); // UNKNOWN because Monitor.Exit outside of a lock statement
    }
    public static void F(object o) { lock (o) { }
        Assert(o == null); // FAILS
    }
    static IEnumerable<int> Locked(object o) { lock (o) { yield return 1; } }
    public static void G() {
        Assert(Locked("a").Count() == 1); // HOLDS within listeners
    }"#,
    );
}

/// In the program model, methods of structs have no receiver. Properties of values are no settings.
#[test]
fn properties_of_library_structs() {
    check(
        "
    public static void Change(ArraySegment<int> a) { a[0] = 1; }
    public static void M() { Assert(Task.CompletedTask.IsCompleted); } // HOLDS",
    );
}

#[test]
fn the_end_of_the_process() {
    check(
        "
    public static void M(int n) {
        try { if (n > 2) Environment.Exit(1); }
        finally {
            Assert(n <= 2); // HOLDS
        }
        if (n < 0) Environment.FailFast(\"negative\");
        Assert(n >= 0 && n <= 2); // HOLDS
        Assert(n <= 1); // FAILS
    }",
    );
}
