//! Reads and writes the messages of the debug adapter protocol: a header with the length, and a text in JSON.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// Longest message that is read.
const LONGEST: usize = 64 << 20;

/// The next message; `None` at the end of the input.
///
/// # Errors
/// What comes is no message.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Value>> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_string());
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => {
                if let Some((name, value)) = line.split_once(':')
                    && name.eq_ignore_ascii_case("content-length")
                {
                    length = value.trim().parse().ok();
                }
            }
        }
    }
    let length = length.filter(|&length| length <= LONGEST).ok_or_else(|| invalid("a message without its length"))?;
    let mut text = vec![0; length];
    input.read_exact(&mut text)?;
    serde_json::from_slice(&text).map(Some).map_err(|error| invalid(&format!("a message that is no JSON: {error}")))
}

/// Writes a message.
///
/// # Errors
/// Nobody reads it.
pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let text = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}
