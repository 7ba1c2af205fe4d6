//! Texts that the library makes: of numbers, of exceptions, and in other cases.

use crate::csharp::check_forward;

#[test]
fn texts_of_numbers() {
    check_forward(
        r#"
    public static void Small(int n) {
        if (n < 0 || n > 120) return;
        string text = $"<{n}>";
        Assert(text.Length == (n < 10 ? 3 : n < 100 ? 4 : 5)); // HOLDS
        Assert(text != "<42>"); // FAILS
        Assert(int.Parse($"{n:D4}") == n); // HOLDS
    }
    public static void Formats() {
        Assert($"{"a",3}|{"b",-3}|" == "  a|b  |" && $"{255:X}|{255:x4}" == "FF|00ff"); // HOLDS
        Assert((-5).ToString("D3") == "-005" && 1234567.ToString("N0") == "1,234,567"); // HOLDS
        Assert(1.5.ToString("F2") == "1.50" && $"{2.345:0.00}" == "2.35"); // HOLDS
        Assert(0.125.ToString("F2") == "0.12" && $"{1234.5:N1}" == "1,234.5"); // HOLDS
        Assert(1.5.ToString() == "1.5" && Convert.ToString(5, 2) == "101"); // HOLDS
        Assert(double.Parse("2.5") == 2.5 && !int.TryParse("2147483648", out _)); // HOLDS
        Assert(new System.Text.StringBuilder("a").Append(5).Append(1.5).Insert(0, -3).ToString() == "-3a51.5"); // HOLDS
    }
    public static void Large() {
        Assert(1e22.ToString("F0") != ""); // UNKNOWN because a uint that is used as a
    }"#,
    );
}

#[test]
fn messages_of_exceptions() {
    check_forward(
        r#"
    public static void Known(int[] a, int n) {
        try { a[n] = 1 / n; }
        catch (NullReferenceException e) {
            Assert(e.Message == "Object reference not set to an instance of an object."); // HOLDS
        }
        catch (IndexOutOfRangeException e) {
            Assert(e.Message == "Index was outside the bounds of the array."); // HOLDS
        }
        catch (DivideByZeroException e) {
            Assert(e.Message != "Attempted to divide by zero."); // FAILS
        }
    }
    public static void Parameters() {
        try { throw new ArgumentNullException("x"); }
        catch (ArgumentException e) { Assert(e.Message == "Value cannot be null. (Parameter 'x')"); } // HOLDS
        var range = new ArgumentOutOfRangeException("p", 5, "m");
        Assert(range.Message.EndsWith("Actual value was 5.")); // HOLDS
        try { throw new InvalidOperationException(); }
        catch (Exception e) { Assert(e.Message == "Operation is not valid due to the current state of the object."); } // HOLDS
    }
    public static void Values(int n) {
        try { n = new Dictionary<int, int>()[5]; }
        catch (KeyNotFoundException e) { Assert(e.Message == "The given key '5' was not present in the dictionary."); } // HOLDS
    }
    class Own { public override string ToString() => "own"; }
    public static void Changing(object[] keys) {
        try { new Dictionary<Own, int>()[new Own()]++; }
        catch (KeyNotFoundException e) { Assert(e.Message.Length > 0); } // UNKNOWN because a message with values in it
    }
    public static void Identities(int n) {
        try { n = 1 / n; }
        catch (DivideByZeroException e) {
            Assert(ReferenceEquals(e.Message, new DivideByZeroException().Message)); // HOLDS
            Assert(!ReferenceEquals(e.Message, "Attempted to divide by zero.")); // HOLDS
        }
        try { new List<int>().First(); }
        catch (InvalidOperationException e) {
            Assert(!ReferenceEquals(e.Message, "Sequence contains no elements")); // HOLDS
        }
        try { n = new Dictionary<int, int>()[5]; }
        catch (KeyNotFoundException e) { Assert(ReferenceEquals(e.Message, e.Message)); } // HOLDS
        var argument = new ArgumentNullException("p");
        Assert(!ReferenceEquals(argument.Message, argument.Message)); // HOLDS
    }
    public static void Default() {
        try { throw new Exception(); }
        catch (Exception e) { Assert(e.Message == "Exception of type 'System.Exception' was thrown."); } // HOLDS
    }
    public static void Cast(object o) {
        try { string text = (string)o; }
        catch (InvalidCastException e) { Assert(e.Message.Length > 0); } // UNKNOWN because that was made without one
    }"#,
    );
}

#[test]
fn cases() {
    check_forward(
        r#"
    public static void Cases(char c) {
        Assert("aBc".ToUpper() == "ABC" && "aBc".ToLowerInvariant() == "abc" && char.ToUpper('x') == 'X'); // HOLDS
        Assert("AbC".Equals("aBc", StringComparison.OrdinalIgnoreCase)); // HOLDS
        Assert("[".Equals("{", StringComparison.OrdinalIgnoreCase)); // FAILS
        Assert("hello".IndexOf("LL", StringComparison.OrdinalIgnoreCase) == 2); // HOLDS
        Assert(string.Compare("a", "B", StringComparison.OrdinalIgnoreCase) < 0); // HOLDS
        if (c < 128) {
            Assert(char.ToUpperInvariant(c) == c || c >= 'a' && c <= 'z'); // HOLDS
            Assert(char.ToLowerInvariant(c) == c); // FAILS
        }
    }
    public static void Questions(char c) {
        Assert(!char.IsLetter(c) || !char.IsDigit(c)); // HOLDS
        Assert(!char.IsUpper(c) || char.IsLetter(c)); // HOLDS
        Assert(char.IsLetterOrDigit(c) == (char.IsLetter(c) || char.IsDigit(c))); // HOLDS
        Assert(!char.IsDigit(c) || c <= '9'); // FAILS
        Assert(!char.IsWhiteSpace(c) || c != '\u3000'); // FAILS
        Assert(!char.IsUpper(c) || char.ToLowerInvariant(c) != c); // FAILS
        Assert(char.ToUpperInvariant(c) != '\u0416' || c == '\u0416' || c == '\u0436'); // HOLDS
    }
    public static void Trimmed(string s) {
        if (s == null || s.Length > 2) return;
        Assert(string.IsNullOrWhiteSpace(s) == (s.Trim() == "")); // HOLDS
        Assert(s.Trim().Length != 1 || s[0] <= ' ' || s[s.Length - 1] <= ' ' || s.Length == 1); // FAILS
        Assert(s.ToLowerInvariant() != "\u0436" || s == "\u0436"); // FAILS
        Assert(s.ToLowerInvariant() != "\ud801\udc28" || s[1] == '\udc28'); // FAILS
    }
    public static void Beyond() {
        Assert("é".ToUpperInvariant() == "É" && "ÀÉ".Equals("àé", StringComparison.OrdinalIgnoreCase)); // HOLDS
    }"#,
    );
}

#[test]
fn sorting() {
    check_forward(
        r#"
    public static void Sorted(int a, int b, int c) {
        int[] numbers = { a, b, c };
        Array.Sort(numbers);
        Assert(numbers[0] <= numbers[1] && numbers[1] <= numbers[2]); // HOLDS
        Assert(numbers[1] == b); // FAILS
    }
    public static void Lists(int a, int b) {
        var numbers = new List<int> { a, b };
        numbers.Sort((x, y) => y.CompareTo(x));
        Assert(numbers[0] >= numbers[1]); // HOLDS
        string[] names = { "b", "a", "c" };
        int[] keys = { 2, 1, 3 };
        Array.Sort(keys, names);
        Assert(names[0] == "a" && Array.BinarySearch(keys, 3) == 2); // HOLDS
    }"#,
    );
}
