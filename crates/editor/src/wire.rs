//! Reads and writes the messages of both protocols: a header with the length, and a text in JSON.

use serde_json::Value;
use std::io::{self, BufRead, Write};

/// Longest message that is read.
const LONGEST: usize = 64 << 20;

/// The reason why a message cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The input fails.
    #[error(transparent)]
    Input(#[from] io::Error),
    /// What comes is no message, so that it is unknown where the next one begins.
    #[error("a message without its length")]
    NoMessage,
    /// The message is no JSON.
    #[error("a message that is no JSON: {0}")]
    NoJson(#[from] serde_json::Error),
}

/// The next message; `None` at the end of the input.
///
/// # Errors
/// See [`ReadError`].
pub(crate) fn read(input: &mut impl BufRead) -> Result<Option<Value>, ReadError> {
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
    let length = length.filter(|&length| length <= LONGEST).ok_or(ReadError::NoMessage)?;
    let mut text = vec![0; length];
    input.read_exact(&mut text)?;
    Ok(Some(serde_json::from_slice(&text)?))
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
