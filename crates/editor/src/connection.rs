//! Connects the server to an editor over standard input and output.

use crate::wire;
use lsp_server::{Connection, Message};
use serde_json::{Value, json};
use std::io::{self, BufReader};
use std::thread::JoinHandle;

/// The threads that read and write.
pub struct Threads {
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until everything is written. Reading ends with the process, because an editor may leave the input open.
    ///
    /// # Errors
    /// Nobody reads the output.
    pub fn join(self) -> io::Result<()> {
        self.writer.join().unwrap_or(Ok(()))
    }
}

/// A connection over standard input and output. What is no message is answered by an error, and ends nothing.
pub fn stdio() -> (Connection, Threads) {
    let (to_editor, outgoing) = crossbeam_channel::bounded::<Option<Value>>(0);
    // The server never waits for an editor that does not read.
    let (sender, messages) = crossbeam_channel::unbounded::<Message>();
    let (to_server, receiver) = crossbeam_channel::bounded(0);
    let own = to_editor.clone();
    std::thread::spawn(move || {
        for message in messages {
            let mut value = serde_json::to_value(message).unwrap_or_default();
            value["jsonrpc"] = "2.0".into();
            if own.send(Some(value)).is_err() {
                return;
            }
        }
        // The server is done.
        let _ = own.send(None);
    });
    let writer = std::thread::spawn(move || {
        let mut output = io::stdout().lock();
        outgoing.into_iter().map_while(|value| value).try_for_each(|value| wire::write(&mut output, &value))
    });
    std::thread::spawn(move || {
        let mut input = BufReader::new(io::stdin());
        loop {
            let value = match wire::read(&mut input) {
                Ok(Some(value)) => value,
                Ok(None) => return,
                Err(wire::ReadError::NoJson(reason)) => {
                    if to_editor.send(Some(error(&Value::Null, -32700, &reason.to_string()))).is_err() {
                        return;
                    }
                    continue;
                }
                // Where the next message begins is unknown.
                Err(wire::ReadError::NoMessage | wire::ReadError::Input(_)) => return,
            };
            let id = value.get("id").cloned().unwrap_or(Value::Null);
            let sent = match serde_json::from_value::<Message>(value) {
                Ok(message) => to_server.send(message).is_ok(),
                Err(reason) => to_editor.send(Some(error(&id, -32600, &reason.to_string()))).is_ok(),
            };
            if !sent {
                return;
            }
        }
    });
    (Connection { sender, receiver }, Threads { writer })
}

fn error(id: &Value, code: i32, reason: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": format!("aback cannot read the message: {reason}") } })
}
