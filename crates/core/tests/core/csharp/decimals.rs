//! Decimals: exact numbers with a scale that their text shows.

use crate::csharp::check_forward;

#[test]
fn arithmetic_is_exact() {
    check_forward(
        r#"
    public static void Exact() {
        Assert(0.1m + 0.2m == 0.3m && 1.5m * 1.5m == 2.25m && 1.10m - 2.205m == -1.105m); // HOLDS
        Assert(-7.5m % 2m == -1.5m && 7m % -2m == 1m && 1m % 5.25m == 1.0m); // HOLDS
        decimal sum = 0;
        foreach (decimal part in new[] { 0.10m, 0.20m, 0.30m }) sum += part;
        sum++;
        Assert(sum == 1.6m && sum.CompareTo(1.60m) == 0 && sum.Equals((object)1.600m)); // HOLDS
    }
    public static void Inputs(int price, int count) {
        if (price < 0 || count < 0 || price > 1000 || count > 1000) return;
        decimal total = price * 0.25m * count;
        Assert(total >= 0); // HOLDS
        Assert(total != 7.5m); // FAILS
    }
    public static void Reduced(int units, int percent) {
        if (units < 0 || units > 1000 || percent < 0 || percent > 100) return;
        decimal full = units * 19.95m;
        decimal paid = full - full * percent / 100;
        Assert(paid >= 0 && paid <= full); // HOLDS
        Assert(paid != 0 || units == 0); // FAILS
    }
    public static void Any(decimal d) {
        Assert(d != 5m); // FAILS
    }"#,
    );
}

#[test]
fn quotients_are_rounded_to_even() {
    check_forward(
        r#"
    public static void Quotients(int zero) {
        Assert(1m / 3m == 0.3333333333333333333333333333m); // HOLDS
        Assert(2m / 3m == 0.6666666666666666666666666667m && 10m / 4m == 2.5m); // HOLDS
        try { decimal all = 1m / (zero * 0m); Assert(false); } // HOLDS
        catch (DivideByZeroException) { zero = 1; } // REACHABLE
    }
    public static void Rounded() {
        Assert(decimal.Round(2.5m) == 2m && decimal.Round(3.5m) == 4m && Math.Round(1.25m, 1) == 1.2m); // HOLDS
        Assert(decimal.Round(-2.5m, MidpointRounding.AwayFromZero) == -3m && decimal.Floor(-1.5m) == -2m); // HOLDS
        Assert(decimal.Ceiling(-1.5m) == -1m && (int)-1.9m == -1 && (double)0.1m == 0.1); // HOLDS
    }"#,
    );
}

#[test]
fn the_text_shows_the_scale() {
    check_forward(
        r#"
    public static void Text() {
        Assert((1.10m + 2.20m).ToString() == "3.30" && (1m / 2m).ToString() == "0.5"); // HOLDS
        Assert((1.00m / 2m).ToString() == "0.50" && (100m / 0.5m).ToString() == "200"); // HOLDS
        Assert(1234.5m.ToString("N2") == "1,234.50" && decimal.Parse("12.34") == 12.34m); // HOLDS
    }"#,
    );
}

#[test]
fn results_that_do_not_fit_are_rounded() {
    check_forward(
        r#"
    public static void Rounded() {
        decimal two = 2m, third = 1m / 3m;
        Assert(third * third == 0.1111111111111111111111111111m && third + third + third == 0.9999999999999999999999999999m); // HOLDS
        Assert(79228162514264337593543950335m - 0.5m == 79228162514264337593543950334m); // HOLDS
        Assert((0.0m * 10000000000m).ToString() == "0" && (0.00m * 1m).ToString() == "0.00"); // HOLDS
        try { decimal all = decimal.MaxValue * two; Assert(all < 0); } // HOLDS
        catch (OverflowException e) { Assert(e.Message == "Value was either too large or too small for a Decimal."); } // HOLDS
    }
    public static void Floats() {
        Assert((decimal)0.1 == 0.1m && new decimal(1e-5) == 0.00001m && (decimal)0.1f == 0.1m); // HOLDS
    }"#,
    );
}

/// The x86 processor raises an overflow in some remainders of long numbers (`4398046511103.7m % 1.0000000000000000000001m`).
#[test]
fn remainders_in_several_steps_are_refused() {
    check_forward(
        r#"
    public static void Short() {
        decimal few = 123456.7m, most = 79228162514264337593543950335m;
        Assert(few % 1.0000000000000000000001m < 1m); // HOLDS
        Assert(most % 1.0000000001m < 1.1m); // HOLDS
    }
    public static void Long() {
        decimal dividend = 4398046511103.7m;
        Assert(dividend % 1.0000000000000000000001m < 2m); // UNKNOWN because LongRemainderOnThisProcessor
    }"#,
    );
}
