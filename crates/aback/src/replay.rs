//! Implements `aback replay`, which shows the counterexample of a file as text, as files, or on the terminal's
//! screen.

use crate::args::ReplayArgs;
use crate::commands::interrupt_flag;
use crate::evidence::write;
use aback_report::{
    Collections, Command, Screen, draw_screen, render_dot, render_html, render_state, render_steps, render_svg,
};
use aback_witness::{Cursor, Witness};
use anyhow::{Context, anyhow};
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Shows a witness; the exit status is 0.
pub fn run_replay(args: &ReplayArgs) -> anyhow::Result<u8> {
    let path = args.witness.display();
    let witness = Witness::read(&args.witness).with_context(|| path.to_string())?;
    if !args.as_recorded {
        witness
            .check_sources()
            .with_context(|| format!("{path}: --as-recorded shows it with the sources it was made for"))?;
    }
    let collections = if args.raw { Collections::Fields } else { Collections::Elements };
    let writes = [(&args.svg, render_svg as fn(&Cursor<'_>, Collections) -> String), (&args.dot, render_dot)];
    let mut wrote = false;
    for (file, render) in writes {
        if let Some(file) = file {
            write(file, &render(&at(&witness, args.step)?, collections))?;
            wrote = true;
        }
    }
    if let Some(file) = &args.html {
        write(file, &render_html(&witness, collections))?;
        wrote = true;
    }
    if wrote {
        return Ok(0);
    }
    if args.step.is_some() {
        let mut text = String::new();
        let _ = render_state(&at(&witness, args.step)?, collections, &mut text);
        print_all(&text)?;
    } else if !args.text && std::io::stdout().is_terminal() && std::io::stdin().is_terminal() {
        let screen =
            Screen::new(&witness, collections).context("there is nothing to step through: the run did not begin")?;
        on_terminal(screen)?;
    } else {
        let mut text = String::new();
        let _ = render_steps(&witness, collections, &mut text);
        print_all(&text)?;
    }
    Ok(0)
}

/// The step with this number (from 1). By default, the step of the violation, or else the last step.
fn at(witness: &Witness, step: Option<usize>) -> anyhow::Result<Cursor<'_>> {
    let mut cursor = Cursor::new(&witness.execution).context("there are no steps: the run did not begin")?;
    let omitted = usize::try_from(witness.execution.omitted).unwrap_or(usize::MAX);
    let (first, last) = (omitted.saturating_add(1), omitted.saturating_add(cursor.last() + 1));
    let position = match (step, witness.violation.step) {
        (Some(step), _) if (first..=last).contains(&step) => step - first,
        (Some(step), _) => return Err(anyhow!("there is no step {step}: steps are {first} to {last}")),
        (None, Some(step)) => step as usize,
        (None, None) => cursor.last(),
    };
    cursor.go_to(position);
    Ok(cursor)
}

/// Prints text. It is not an error if the reader has closed the pipe.
fn print_all(text: &str) -> anyhow::Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Time between two checks for a signal.
const SIGNAL_POLL: Duration = Duration::from_millis(100);

/// Takes over the terminal until the user quits or a signal arrives. The terminal is restored in any case, also after
/// a panic, for which `ratatui::try_init` sets a hook.
fn on_terminal(mut screen: Screen<'_>) -> anyhow::Result<()> {
    let interrupt = interrupt_flag()?;
    let mut terminal = ratatui::try_init().context("cannot use the terminal: --text prints the steps")?;
    let result = follow(&mut screen, &interrupt, &mut terminal);
    ratatui::restore();
    result.context("the terminal failed")
}

fn follow(
    screen: &mut Screen<'_>,
    interrupt: &AtomicBool,
    terminal: &mut ratatui::DefaultTerminal,
) -> std::io::Result<()> {
    loop {
        terminal.draw(|frame| draw_screen(frame, screen))?;
        while !event::poll(SIGNAL_POLL)? {
            if interrupt.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
        let Event::Key(key) = event::read()? else { continue };
        let command = Command::of(key).filter(|_| key.kind != KeyEventKind::Release);
        if command.is_some_and(|command| !screen.apply(command)) {
            return Ok(());
        }
    }
}
