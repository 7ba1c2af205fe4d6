//! Compares calls that make inputs.

/// A call without the numbers of objects, and with `*` for each argument that is a number.
pub fn without_numbers(call: &str) -> String {
    let mut text = String::new();
    let mut chars = call.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '#' => while chars.next_if(char::is_ascii_digit).is_some() {},
            '-' | '0'..='9' => {
                while chars.next_if(char::is_ascii_digit).is_some() {}
                text.push('*');
            }
            other => text.push(other),
        }
    }
    text
}
