//! What editors and their servers write to each other: a header with the length, and a text in JSON.

use serde_json::Value;
use std::io::{BufRead, Result, Write};

/// Writes a text as a message.
pub fn write(input: &mut impl Write, text: &str) -> Result<()> {
    write!(input, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    input.flush()
}

/// The next message; `None` if the server is gone.
pub fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|&read| read > 0)?;
        match line.trim() {
            "" => break,
            line => length = line.strip_prefix("Content-Length: ").map_or(length, |rest| rest.parse().unwrap()),
        }
    }
    let mut text = vec![0; length];
    output.read_exact(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}
