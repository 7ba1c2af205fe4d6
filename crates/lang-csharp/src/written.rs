//! Writes values of library structs as C# code.

use crate::loader::Cs;
use crate::types::TyId;
use num_bigint::BigInt;

/// Writes a value from its leaves.
type Writer = fn(&[BigInt]) -> Option<String>;

/// How values of a struct are written.
pub(crate) fn writer(cs: Cs, ty: TyId) -> Option<Writer> {
    let writers: [(&str, Writer); 11] = [
        ("Decimal", decimal),
        ("DateTime", date_time),
        ("DateTimeOffset", date_time_offset),
        ("DateOnly", date_only),
        ("TimeOnly", time_only),
        ("TimeSpan", time_span),
        ("Guid", guid),
        ("Half", half),
        ("Index", index),
        ("Range", range),
        ("Rune", rune),
    ];
    let namespace = |name: &str| if name == "Rune" { "System.Text" } else { "System" };
    writers.into_iter().find(|(name, _)| cs.is_library_type(ty, namespace(name), name)).map(|(_, writer)| writer)
}

/// Its leaves are the flags and the upper and the lower bits of the number without its point.
fn decimal(leaves: &[BigInt]) -> Option<String> {
    let [flags, upper, lower] = leaves else { return None };
    let flags = i32::try_from(flags).ok()?;
    let number = (u128::from(u32::try_from(upper).ok()?) << 64) | u128::from(u64::try_from(lower).ok()?);
    let scale = (flags >> 16) as u8 as usize;
    let digits = format!("{number:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let point = if fraction.is_empty() { "" } else { "." };
    let sign = if flags < 0 { "-" } else { "" };
    Some(format!("{sign}{whole}{point}{fraction}m"))
}

/// Ticks in a second and in a day.
const SECOND: u64 = 10_000_000;
const DAY: u64 = 86_400 * SECOND;

/// Its leaf is the number of ticks since the first day of the year 1, and in the highest two bits the kind.
fn date_time(leaves: &[BigInt]) -> Option<String> {
    let [data] = leaves else { return None };
    let data = u64::try_from(data).ok()?;
    let (kind, ticks) = (data >> 62, data & ((1 << 62) - 1));
    let kind = match kind {
        0 => "",
        1 => ", DateTimeKind.Utc",
        _ => ", DateTimeKind.Local",
    };
    let (days, time) = (ticks / DAY, ticks % DAY);
    if time % SECOND != 0 {
        return Some(format!("new DateTime({ticks}{kind})"));
    }
    let (year, month, day) = date(days);
    let seconds = time / SECOND;
    let time = match (seconds, kind) {
        (0, "") => String::new(),
        _ => format!(", {}, {}, {}", seconds / 3600, seconds / 60 % 60, seconds % 60),
    };
    Some(format!("new DateTime({year}, {month}, {day}{time}{kind})"))
}

/// Its leaves are the number of ticks of UTC and the difference of the clock to it in minutes.
fn date_time_offset(leaves: &[BigInt]) -> Option<String> {
    let [ticks, offset] = leaves else { return None };
    let (ticks, offset) = (i64::try_from(ticks).ok()?, i64::try_from(offset).ok()?);
    let clock = u64::try_from(ticks.checked_add(offset * 60 * SECOND as i64)?).ok()?;
    let offset = match offset {
        0 => "TimeSpan.Zero".into(),
        _ => format!("TimeSpan.FromMinutes({offset})"),
    };
    Some(match clock % SECOND {
        0 => {
            let (year, month, day) = date(clock / DAY);
            let seconds = clock % DAY / SECOND;
            let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
            format!("new DateTimeOffset({year}, {month}, {day}, {hours}, {minutes}, {}, {offset})", seconds % 60)
        }
        _ => format!("new DateTimeOffset({clock}, {offset})"),
    })
}

/// Its leaf is the number of days since the first day of the year 1.
fn date_only(leaves: &[BigInt]) -> Option<String> {
    let [days] = leaves else { return None };
    let (year, month, day) = date(u32::try_from(days).ok()?.into());
    Some(format!("new DateOnly({year}, {month}, {day})"))
}

/// Its leaf is the number of ticks since midnight.
fn time_only(leaves: &[BigInt]) -> Option<String> {
    let [ticks] = leaves else { return None };
    let ticks = u64::try_from(ticks).ok()?;
    let seconds = ticks / SECOND;
    Some(match ticks % SECOND {
        0 => format!("new TimeOnly({}, {}, {})", seconds / 3600, seconds / 60 % 60, seconds % 60),
        _ => format!("new TimeOnly({ticks}L)"),
    })
}

/// Its leaf is the 16 bits of the number.
fn half(leaves: &[BigInt]) -> Option<String> {
    let [bits] = leaves else { return None };
    let bits = u16::try_from(bits).ok()?;
    let (exponent, fraction) = (bits >> 10 & 0x1f, f32::from(bits & 0x3ff));
    let sign = if bits >> 15 == 0 { "" } else { "-" };
    let magnitude = match exponent {
        0x1f if bits == 0xfe00 => return Some("Half.NaN".into()),
        0x1f if fraction != 0.0 => return Some(format!("BitConverter.UInt16BitsToHalf(0x{bits:04x})")),
        0x1f if sign.is_empty() => return Some("Half.PositiveInfinity".into()),
        0x1f => return Some("Half.NegativeInfinity".into()),
        0 => fraction * 2f32.powi(-24),
        _ => (1024.0 + fraction) * 2f32.powi(i32::from(exponent) - 25),
    };
    Some(format!("(Half)({sign}{magnitude:?}f)"))
}

/// Its leaf is the index from the start, or the complement of the one from the end.
fn index(leaves: &[BigInt]) -> Option<String> {
    let [value] = leaves else { return None };
    let value = i32::try_from(value).ok()?;
    Some(if value < 0 { format!("^{}", !value) } else { format!("new Index({value})") })
}

/// Its leaves are those of the two indices.
fn range(leaves: &[BigInt]) -> Option<String> {
    let indices: Option<Vec<i32>> = leaves.iter().map(|leaf| i32::try_from(leaf).ok()).collect();
    let shown: Vec<String> =
        indices?.into_iter().map(|value| if value < 0 { format!("^{}", !value) } else { value.to_string() }).collect();
    let [start, end] = &shown[..] else { return None };
    Some(format!("{start}..{end}"))
}

/// Its leaf is the number of the character.
fn rune(leaves: &[BigInt]) -> Option<String> {
    let [scalar] = leaves else { return None };
    Some(format!("new System.Text.Rune(0x{:x})", u32::try_from(scalar).ok()?))
}

/// The year, month and day of a number of days since the first day of the year 1, in the Gregorian calendar.
fn date(days: u64) -> (u64, u64, u64) {
    // Years that begin in March end with the day that not all years have.
    let days = days + 306;
    let (era, days) = (days / 146_097, days % 146_097);
    let year = (days - days / 1460 + days / 36_524 - days / 146_096) / 365;
    let days = days - (365 * year + year / 4 - year / 100);
    let month = (5 * days + 2) / 153;
    let day = days - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    (era * 400 + year, month, day)
}

fn time_span(leaves: &[BigInt]) -> Option<String> {
    let [ticks] = leaves else { return None };
    Some(format!("TimeSpan.FromTicks({ticks})"))
}

/// Its leaves are the groups of digits, the last two of which are single bytes.
fn guid(leaves: &[BigInt]) -> Option<String> {
    let bits = |at: usize| i64::try_from(leaves.get(at)?).ok();
    let bytes: Option<Vec<String>> = (3..11).map(|at| Some(format!("{:02x}", bits(at)? as u8))).collect();
    let bytes = bytes?;
    let (first, second, third) = (bits(0)? as u32, bits(1)? as u16, bits(2)? as u16);
    Some(format!("new Guid(\"{first:08x}-{second:04x}-{third:04x}-{}-{}\")", bytes[..2].concat(), bytes[2..].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(writer: Writer, leaves: &[i128], text: &str) {
        let leaves: Vec<BigInt> = leaves.iter().map(|&leaf| leaf.into()).collect();
        assert_eq!(writer(&leaves).as_deref(), Some(text));
    }

    #[test]
    fn decimals() {
        check(decimal, &[0, 0, 12], "12m");
        check(decimal, &[0x20000, 0, 5], "0.05m");
        check(decimal, &[i128::from(i32::MIN) + 0x10000, 0, 15], "-1.5m");
        check(decimal, &[0, 0xffff_ffff, 0xffff_ffff_ffff_ffff], "79228162514264337593543950335m");
        check(decimal, &[0x1c0000, 0, 1], "0.0000000000000000000000000001m");
    }

    /// The numbers come from .NET.
    #[test]
    fn dates() {
        check(date_time, &[0], "new DateTime(1, 1, 1)");
        check(date_time, &[638_447_616_000_000_000], "new DateTime(2024, 2, 29)");
        check(date_time, &[638_448_480_000_000_000], "new DateTime(2024, 3, 1)");
        check(date_time, &[599_266_080_000_000_000], "new DateTime(1900, 1, 1)");
        check(date_time, &[3_155_378_975_990_000_000], "new DateTime(9999, 12, 31, 23, 59, 59)");
        check(date_time, &[(1 << 62) + 36_000_000_000], "new DateTime(1, 1, 1, 1, 0, 0, DateTimeKind.Utc)");
        check(date_time, &[(1 << 63) + 7], "new DateTime(7, DateTimeKind.Local)");
        check(time_span, &[-5], "TimeSpan.FromTicks(-5)");
        check(date_only, &[738_944], "new DateOnly(2024, 2, 29)");
        check(date_only, &[3_652_058], "new DateOnly(9999, 12, 31)");
        check(time_only, &[863_999_999_999], "new TimeOnly(863999999999L)");
        check(time_only, &[863_990_000_000], "new TimeOnly(23, 59, 59)");
        let noon = 638_447_616_000_000_000 + 12 * 3600 * 10_000_000;
        check(date_time_offset, &[noon, -90], "new DateTimeOffset(2024, 2, 29, 10, 30, 0, TimeSpan.FromMinutes(-90))");
        check(date_time_offset, &[1, 0], "new DateTimeOffset(1, TimeSpan.Zero)");
    }

    #[test]
    fn halves() {
        check(half, &[0x3c00], "(Half)(1.0f)");
        check(half, &[0xbe00], "(Half)(-1.5f)");
        check(half, &[0x8000], "(Half)(-0.0f)");
        check(half, &[1], "(Half)(5.9604645e-8f)");
        check(half, &[0x7bff], "(Half)(65504.0f)");
        check(half, &[0xfc00], "Half.NegativeInfinity");
        check(half, &[0xfe00], "Half.NaN");
        check(half, &[0x7e00], "BitConverter.UInt16BitsToHalf(0x7e00)");
    }

    #[test]
    fn indices() {
        check(index, &[3], "new Index(3)");
        check(index, &[-1], "^0");
        check(range, &[1, -2], "1..^1");
        check(rune, &[0x1f600], "new System.Text.Rune(0x1f600)");
    }

    #[test]
    fn guids() {
        let leaves = [-1, 0x0102, 0, 1, 2, 3, 4, 5, 6, 7, 255];
        check(guid, &leaves, "new Guid(\"ffffffff-0102-0000-0102-0304050607ff\")");
    }
}
