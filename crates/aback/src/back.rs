//! Implements `aback back`, which goes back from a line by hand.

use crate::args::BackArgs;
use crate::commands::{check_config, check_load_config, open, print, refused, use_color, write_witness};
use aback_backward::{Stop, Trail};
use aback_core::{Answer, CheckConfig, LoadConfig, Question, Session, Verdict};
use aback_ir::{Program, Span};
use aback_report::{Detail, render_answer};
use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;

const HELP: &str = "\
NUMBER  go back to this line, or choose this entry point
?       does an execution go along the chosen lines?
u       undo the last choice
h       this help
q       quit";

/// Most characters of a condition.
const LONGEST: usize = 400;

/// Reads commands from standard input until it ends. The exit status is 0.
pub fn run_back(args: &BackArgs) -> anyhow::Result<u8> {
    let question = if args.fails { Question::Violation } else { Question::Reach };
    let config = CheckConfig { question, ..check_config(&args.check)? };
    let load_config = LoadConfig { interrupt: Arc::clone(&config.interrupt), ..check_load_config(&args.check) };
    let session = open(&args.check.program.paths, &load_config, args.check.messages()).map_err(|bad| bad.error)?;
    refused(&args.check, session.language())?;
    let starts = session.starts(&config)?;
    let mut walk =
        Walk { args, session: &session, config, starts, entry: None, chosen: Vec::new(), offered: Vec::new() };
    if let [only] = &walk.starts[..] {
        walk.entry = Some(only.clone());
    }
    walk.offer()?;
    walk.prompt();
    for line in std::io::stdin().lock().lines() {
        match line?.trim() {
            "" => {}
            "q" => break,
            "h" => print(HELP)?,
            "u" => walk.undo()?,
            "?" => walk.ask()?,
            number => match number.parse::<usize>().ok().and_then(|number| number.checked_sub(1)) {
                Some(number) => walk.choose(number)?,
                None => print(&format!("`{number}` is no command\n{HELP}"))?,
            },
        }
        walk.prompt();
    }
    Ok(0)
}

/// Where a user is.
struct Walk<'a> {
    args: &'a BackArgs,
    session: &'a Session,
    config: CheckConfig,
    /// The entry points from which control comes to the line.
    starts: Vec<String>,
    /// The chosen one.
    entry: Option<String>,
    /// The chosen lines, the last one before the target first.
    chosen: Vec<Stop>,
    /// The lines from which control comes to the first of them.
    offered: Vec<Stop>,
}

impl Walk<'_> {
    fn trail(&self, asks: bool) -> Trail {
        Trail { stops: self.chosen.iter().map(|stop| stop.node).collect(), asks }
    }

    fn answer(&self, entry: &str, asks: bool) -> anyhow::Result<Answer> {
        Ok(self.session.go_back(&self.config, entry, self.trail(asks))?)
    }

    /// Shows where control can come from.
    fn offer(&mut self) -> anyhow::Result<()> {
        let Some(entry) = self.entry.clone() else {
            print("The line can be reached from several entry points:")?;
            for (number, start) in (1..).zip(&self.starts) {
                print(&format!("  {number}  {start}"))?;
            }
            return Ok(());
        };
        if self.chosen.last().is_some_and(|stop| stop.is_start) {
            self.offered.clear();
            return print(&format!(
                "This is the start of {entry}. `?` asks whether an execution goes along the chosen lines."
            ));
        }
        let answer = self.answer(&entry, false)?;
        self.offered = answer.stops;
        let program = self.session.program();
        match self.offered.is_empty() {
            true if self.chosen.is_empty() => print(
                "Nothing can fail at this line, or no execution gets there, as far as loops were unwound (--unwind N).",
            )?,
            true => print("Control does not come here on this way, as far as loops were unwound (--unwind N).")?,
            false => print("Control comes from")?,
        }
        for (number, stop) in (1..).zip(&self.offered) {
            print(&format!("  {number}  {}", self.describe(program, stop)))?;
            print(&format!("       if {}", self.shortened(&stop.condition)))?;
        }
        Ok(())
    }

    /// A line and, if another one of the offered ones is the same, where control comes from to it.
    fn describe(&self, program: &Program, stop: &Stop) -> String {
        let shown = line_of(program, stop.place.span);
        let twins = self.offered.iter().filter(|other| other.place.span.line == stop.place.span.line).count();
        let before: Vec<String> = stop
            .before
            .iter()
            .map(|(place, number)| format!("{}, number {number}", place_of(program, place.span)))
            .collect();
        let start = if stop.is_start { format!("{} begins", program.method_name(stop.place.method)) } else { shown };
        if twins > 1 && !before.is_empty() { format!("{start}  (after {})", before.join(", ")) } else { start }
    }

    /// The beginning of a condition that is too long to be read.
    fn shortened(&self, condition: &str) -> String {
        let count = condition.chars().count();
        if self.args.check.verbose || count <= LONGEST {
            return condition.into();
        }
        format!("{}… ({count} characters; -v shows them)", condition.chars().take(LONGEST).collect::<String>())
    }

    fn choose(&mut self, number: usize) -> anyhow::Result<()> {
        match &self.entry {
            None => match self.starts.get(number) {
                Some(start) => self.entry = Some(start.clone()),
                None => return print("There is no such entry point."),
            },
            Some(_) => match self.offered.get(number) {
                Some(stop) => self.chosen.push(stop.clone()),
                None => return print("There is no such line."),
            },
        }
        self.offer()
    }

    fn undo(&mut self) -> anyhow::Result<()> {
        if self.chosen.pop().is_none() && self.starts.len() > 1 {
            self.entry = None;
        }
        self.offer()
    }

    fn ask(&self) -> anyhow::Result<()> {
        let Some(entry) = &self.entry else { return print("Choose an entry point first.") };
        let answer = self.answer(entry, true)?;
        let color = use_color(self.args.check.color, std::io::stdout().is_terminal());
        let detail = Detail { color, verbose: self.args.check.verbose, ..Detail::default() };
        match answer.verdict {
            Verdict::Holds => print("No execution goes this way, in these calls and iterations.")?,
            Verdict::HoldsWithinBounds => {
                print("No execution goes this way, as far as loops were unwound (--unwind N).")?;
                print(render_answer(&answer.program, &answer, detail).trim_end())?;
            }
            Verdict::Violated | Verdict::Unknown => {
                print(render_answer(&answer.program, &answer, detail).trim_end())?;
            }
        }
        if let (Some(file), Verdict::Violated) = (&self.args.check.witness, answer.verdict)
            && let Some(wrote) = write_witness(file, &self.args.check, self.session, &answer)?
        {
            print(&wrote)?;
        }
        Ok(())
    }

    /// On a terminal, users see where to type.
    fn prompt(&self) {
        if std::io::stdin().is_terminal() {
            // An error would be one of the next output, too.
            let _ = write!(std::io::stdout(), "back> ").and_then(|()| std::io::stdout().flush());
        }
    }
}

fn place_of(program: &Program, span: Span) -> String {
    let name = program.file(span.file).and_then(|file| file.path.file_name());
    format!("{}:{}", name.unwrap_or_default().to_string_lossy(), span.line)
}

/// A place and the text of its line.
fn line_of(program: &Program, span: Span) -> String {
    format!("{}  {}", place_of(program, span), program.line_text(span).unwrap_or_default())
}
