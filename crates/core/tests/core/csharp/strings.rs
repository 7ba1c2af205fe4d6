//! Strings and characters.

use crate::csharp::{check, check_forward};

#[test]
fn equality() {
    check(
        "
    public static void Equality(string s, string t) {
        object a = s, b = t;
        Assert(s != t || a == b); // FAILS
        Assert(s != \"abc\"); // FAILS
    }
    public static void Literals(string s) {
        if (s == null || s.Length > 3) return;
        Assert(s != \"abc\" || s.Length == 3 && s[1] == 'b'); // HOLDS
        Assert(string.IsNullOrEmpty(s) || s.Length > 0); // HOLDS
        Assert(s.Equals((object)s) && !s.Equals(null)); // HOLDS
    }",
    );
}

#[test]
fn positions() {
    check(
        "
    public static void Parts(string s) {
        if (s == null || s.Length != 4) return;
        Assert(s[0] == 'x' || s[0] != 'x'); // HOLDS
        Assert(s[3] != 'z'); // FAILS
        char c = s[4]; // REACHABLE
        c = 'a'; // UNREACHABLE
    }",
    );
}

#[test]
fn switches_over_strings() {
    check(
        "
    static int Code(string s) {
        switch (s) {
            case \"one\": return 1;
            case \"two\": case \"2\": return 2;
            case null: return -1;
            default: return 0;
        }
    }
    public static void Switch(string s) {
        Assert(Code(s) != 2 || s == \"two\" || s == \"2\"); // HOLDS
        Assert(Code(s) >= 0); // FAILS
        Assert(Code(s) != 2); // FAILS
        Assert(Code(\"one\") == 1 && Code(\"\") == 0); // HOLDS
    }",
    );
}

#[test]
fn characters() {
    check(
        "
    static int Digit(char c) => c >= '0' && c <= '9' ? c - '0' : -1;
    public static void Characters(char c) {
        Assert(Digit(c) <= 9); // HOLDS
        Assert(Digit(c) != 5); // FAILS
        Assert(Digit((char)(c + 1)) == Digit(c) + 1); // FAILS
    }",
    );
}

#[test]
fn nothing_to_read() {
    check(
        r#"
    public static void Empty(string text) {
        ReadOnlySpan<char> none = default;
        Assert(none.Slice(0).Length == 0 && none.Trim().IsEmpty && none.ToString() == ""); // HOLDS
        Assert(string.CompareOrdinal("", "a") == -97 && string.CompareOrdinal("a", "") == 97); // HOLDS
        if (text != null && text.Length <= 1) {
            Assert(string.CompareOrdinal(text, "b") != 0); // FAILS
        }
    }"#,
    );
}

/// Which strings are one object.
#[test]
fn identities() {
    let within = "HOLDS within strings in inputs are not the objects of literals";
    check(&format!(
        "
    public enum Color {{ Red }}
    public static void Literals() {{
        Assert(ReferenceEquals(\"ab\", \"a\" + \"b\")); // HOLDS
        string b = string.Concat(\"a\", new string('b', 1));
        Assert((object)b != \"ab\"); // HOLDS
    }}
    public static void Input(string a) {{ if (a == \"ab\") Assert((object)a != \"ab\"); }} // {within}
    public static void Names() {{
        Assert(ReferenceEquals(Color.Red.ToString(), Color.Red.ToString())); // HOLDS
        Assert(!ReferenceEquals(Color.Red.ToString(), \"Red\")); // HOLDS
        Assert(!ReferenceEquals(typeof(Color).Name, \"Color\")); // HOLDS
    }}
    public static void Empty(string a) {{
        if (a != null && a.Length == 0) Assert(ReferenceEquals(a, \"\")); // UNKNOWN because OfEmptyStrings
    }}"
    ));
    // The backward engine does not know which objects the comparison gets.
    check_forward(
        "
    public static void Numbers(byte n) {
        if (n > 1) return;
        Assert(ReferenceEquals(n.ToString(), ((long)n).ToString())); // HOLDS
        Assert(!ReferenceEquals(n.ToString(), \"1\")); // HOLDS
        Assert(!ReferenceEquals(300.ToString(), 300.ToString())); // HOLDS
    }",
    );
    // Nothing here depends on it.
    check("public static void M(string a) { if (a == \"ab\") Assert(a.Length == 2); } // HOLDS");
}

/// No string has more than 2^30 - 33 characters.
#[test]
fn longest_strings() {
    check(
        "
    public static void M(string a, string b) {
        if (a == null || b == null) return;
        Assert(a.Length + b.Length >= 0); // HOLDS
        Assert(a.Length < 70000); // FAILS
        Assert(a.Length <= 1073741791); // HOLDS
    }",
    );
}
