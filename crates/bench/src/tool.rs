//! External verifiers, which have command lines and outputs of their own.

use crate::BenchError;
use crate::results::Verdict;
use crate::tasks::Job;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

/// The word that stands for all inputs of a task, each as one word.
const INPUTS: &str = "{inputs}";
/// The text that stands for the path of the property file.
const PROPERTY: &str = "{property}";
/// The text that stands for the time limit in seconds.
const TIMEOUT: &str = "{timeout}";

/// An external verifier: how it is started, and how its verdict is found in its output. Its exit status says nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tool {
    name: String,
    program: String,
    /// The words after the program, with placeholders.
    arguments: Vec<String>,
    /// Texts in the output that mean that the property holds.
    says_true: Vec<String>,
    /// Texts in the output that mean that the property is violated.
    says_false: Vec<String>,
}

impl Tool {
    /// Reads a definition `NAME=TEMPLATE`. The template is split into words as a POSIX shell does, but nothing else is
    /// expanded except `{inputs}`, which must be a word of its own, and `{property}` and `{timeout}` anywhere.
    ///
    /// If the output contains a text of `says_true` and none of `says_false`, the property holds, and vice versa; else
    /// the verdict is unknown.
    ///
    /// ```
    /// # use aback_bench::Tool;
    /// let template = "jbmc=jbmc-wrapper --time {timeout}s '--property={property}' {inputs}";
    /// assert!(Tool::new(template, vec!["SUCCESSFUL".into()], vec!["FAILED".into()]).is_ok());
    /// assert!(Tool::new("jbmc", vec!["SUCCESSFUL".into()], vec![]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// The definition has no name or no program, cannot be split, or does not pass on the inputs; or no text is given,
    /// or an empty one, which would be in any output.
    pub fn new(definition: &str, says_true: Vec<String>, says_false: Vec<String>) -> Result<Tool, BenchError> {
        let bad =
            |message: &str| BenchError::BadTool { definition: definition.to_owned(), message: message.to_owned() };
        let (name, template) = definition.split_once('=').ok_or_else(|| bad("expected NAME=COMMAND LINE"))?;
        if name.trim().is_empty() {
            return Err(bad("there is no name before `=`"));
        }
        let words = shlex::split(template).ok_or_else(|| bad("a quotation mark or a backslash has no counterpart"))?;
        let mut words = words.into_iter();
        let program =
            words.next().filter(|word| !word.is_empty()).ok_or_else(|| bad("there is no program after `=`"))?;
        let arguments: Vec<String> = words.collect();
        if !arguments.iter().any(|word| word == INPUTS) {
            return Err(bad("the command line needs `{inputs}` as a word of its own"));
        }
        if says_true.is_empty() && says_false.is_empty() {
            return Err(bad("say how to find its verdict in the output, with `--tool-true` and `--tool-false`"));
        }
        if says_true.iter().chain(&says_false).any(String::is_empty) {
            return Err(bad("an empty text for a verdict is in any output"));
        }
        Ok(Tool { name: name.trim().to_owned(), program, arguments, says_true, says_false })
    }

    /// The name of the tool.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The program, with its path or to be looked up on PATH.
    pub(crate) fn program(&self) -> &Path {
        Path::new(&self.program)
    }

    /// The words after the program, with the placeholders replaced.
    pub(crate) fn arguments(&self, job: &Job, timeout: Duration) -> Vec<OsString> {
        let timeout = timeout.as_secs_f64().to_string();
        let mut arguments = Vec::new();
        for word in &self.arguments {
            if word == INPUTS {
                arguments.extend(job.inputs.iter().map(OsString::from));
            } else {
                arguments.push(replace(&word.replace(TIMEOUT, &timeout), PROPERTY, job.property_file.as_os_str()));
            }
        }
        arguments
    }

    /// What makes two tools the same, as names and values for messages.
    pub(crate) fn settings(&self) -> [(&'static str, String); 3] {
        let words = |words: &[String]| crate::results::command_line(words);
        [
            ("--tool", format!("{}={}", self.name, words(&[&[self.program.clone()][..], &self.arguments].concat()))),
            ("--tool-true", words(&self.says_true)),
            ("--tool-false", words(&self.says_false)),
        ]
    }

    /// The verdict that the output contains, and the reason if it is unknown.
    pub(crate) fn verdict(&self, stdout: &[u8], stderr: &str) -> (Verdict, &'static str) {
        let stdout = String::from_utf8_lossy(stdout);
        let says = |texts: &[String]| texts.iter().any(|text| stdout.contains(text) || stderr.contains(text));
        match (says(&self.says_true), says(&self.says_false)) {
            (true, false) => (Verdict::Holds, ""),
            (false, true) => (Verdict::Violated, ""),
            (true, true) => (Verdict::Unknown, "the output says both true and false"),
            (false, false) => (Verdict::Unknown, "the output says neither true nor false"),
        }
    }
}

/// A word with each occurrence of a placeholder replaced by a path, which need not be UTF-8.
fn replace(word: &str, placeholder: &str, path: &OsStr) -> OsString {
    let mut out = OsString::new();
    for (index, piece) in word.split(placeholder).enumerate() {
        if index > 0 {
            out.push(path);
        }
        out.push(piece);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tool(definition: &str) -> Result<Tool, BenchError> {
        Tool::new(definition, vec!["Result: TRUE".into(), "safe".into()], vec!["FALSE".into()])
    }

    #[test]
    fn templates_are_split_and_filled() {
        let check = |template: &str, expected: &[&str]| {
            let inputs = vec!["a b.java".into(), "{property}".into()];
            let job = Job { inputs, property_file: "{timeout}/x.prp".into() };
            assert_eq!(tool(template).unwrap().arguments(&job, Duration::from_millis(1500)), expected);
        };
        check("n=run {inputs}", &["a b.java", "{property}"]);
        check(
            "n=run -p={property},{property} {inputs}",
            &["-p={timeout}/x.prp,{timeout}/x.prp", "a b.java", "{property}"],
        );
        check(
            r#"n=run {inputs} 'a  b' "c\"" d\ e x=y {timeout}s"#,
            &["a b.java", "{property}", "a  b", "c\"", "d e", "x=y", "1.5s"],
        );
        check("n=run {inputs} $HOME *", &["a b.java", "{property}", "$HOME", "*"]);
    }

    #[test]
    fn bad_definitions_are_told_with_the_reason() {
        let check = |definition: &str, expected: &str| {
            let message = tool(definition).unwrap_err().to_string();
            assert_eq!(message, format!("`{definition}` is no tool: {expected}"));
        };
        check("run {inputs}", "expected NAME=COMMAND LINE");
        check(" =run {inputs}", "there is no name before `=`");
        check("n= ", "there is no program after `=`");
        check("n='run {inputs}", "a quotation mark or a backslash has no counterpart");
        check("n={inputs}", "the command line needs `{inputs}` as a word of its own");
        check("n=run --all={inputs}", "the command line needs `{inputs}` as a word of its own");
        let texts =
            |texts: &[&str]| Tool::new("n=run {inputs}", texts.iter().map(|&text| text.into()).collect(), vec![]);
        assert!(texts(&[]).unwrap_err().to_string().contains("--tool-true"));
        assert!(texts(&["", "x"]).unwrap_err().to_string().contains("empty text"));
    }

    #[test]
    fn verdicts_are_found_in_the_output() {
        let check = |stdout: &str, stderr: &str, verdict: Verdict| {
            assert_eq!(tool("n=run {inputs}").unwrap().verdict(stdout.as_bytes(), stderr).0, verdict, "{stdout}");
        };
        check("...\nResult: TRUE\n", "", Verdict::Holds);
        check("", "safe", Verdict::Holds);
        check("Result: FALSE (x)", "", Verdict::Violated);
        check("Result: TRUE", "FALSE", Verdict::Unknown);
        check("Result:\nTRUE", "", Verdict::Unknown);
    }

    proptest! {
        #[test]
        fn no_definition_panics(definition in "(n=)?([a-c'\"\\\\#=$ {}\t\n]|\\{inputs\\}|\\PC){0,40}") {
            let _ = tool(&definition);
        }
    }
}
