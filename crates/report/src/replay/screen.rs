//! Shows a counterexample on a terminal: source, calls and variables, and the heap, with keys for navigation.
//!
//! [`Screen`] is the state of the display, which commands change, and [`draw_screen`] draws it. Reading keys and
//! managing the terminal are the caller's task.

use super::graph::{Graph, Node};
use super::view::{Collections, Variable, View, place};
use aback_witness::{Cursor, OpenCall, Witness};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph};

/// The help line of the keys.
const KEYS: &str = "→ step  ← back  ↓ over  ↑ back over  o out  O back out  End failure  Home start  hjkl move objects  PgUp/PgDn calls  r raw collections  q quit";
/// Greatest number of calls whose variables are shown.
const CALLS: usize = 50;

/// A command of the user.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    /// One step forward, into calls.
    Into,
    /// One step back, into calls.
    BackInto,
    /// Forward, over calls.
    Over,
    /// Back, over calls.
    BackOver,
    /// Forward to the caller.
    Out,
    /// Back to the caller.
    BackOut,
    /// To the violation, or to the last step if there is none.
    Failure,
    /// To the first step.
    Start,
    /// Moves the drawing of the heap by columns and rows.
    MoveHeap(i32, i32),
    /// Scrolls calls and variables by lines.
    Scroll(i32),
    /// Shows collections by their fields, or by their elements again.
    Raw,
    /// Quits.
    Quit,
}

impl Command {
    /// The command of a key.
    pub fn of(key: KeyEvent) -> Option<Command> {
        Some(match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Command::Quit,
            KeyCode::Right | KeyCode::Char('s') => Command::Into,
            KeyCode::Left | KeyCode::Char('S') => Command::BackInto,
            KeyCode::Down | KeyCode::Char('n') => Command::Over,
            KeyCode::Up | KeyCode::Char('N') => Command::BackOver,
            KeyCode::Char('o') => Command::Out,
            KeyCode::Char('O') => Command::BackOut,
            KeyCode::End | KeyCode::Char('f') => Command::Failure,
            KeyCode::Home | KeyCode::Char('0') => Command::Start,
            KeyCode::Char('h') => Command::MoveHeap(-8, 0),
            KeyCode::Char('l') => Command::MoveHeap(8, 0),
            KeyCode::Char('k') => Command::MoveHeap(0, -3),
            KeyCode::Char('j') => Command::MoveHeap(0, 3),
            KeyCode::PageUp => Command::Scroll(-8),
            KeyCode::PageDown => Command::Scroll(8),
            KeyCode::Char('r') => Command::Raw,
            KeyCode::Char('q') | KeyCode::Esc => Command::Quit,
            _ => return None,
        })
    }
}

/// The state of the display.
#[derive(Debug)]
pub struct Screen<'a> {
    witness: &'a Witness,
    cursor: Cursor<'a>,
    files: Vec<Vec<&'a str>>,
    /// The offset of the heap drawing, in columns and rows.
    heap: (u16, u16),
    /// The offset of calls and variables, in lines.
    scroll: u16,
    collections: Collections,
}

impl<'a> Screen<'a> {
    /// The display of the first step, with collections shown in this way at first. Returns `None` if there are no steps.
    pub fn new(witness: &'a Witness, collections: Collections) -> Option<Self> {
        let cursor = Cursor::new(&witness.execution)?;
        let files = super::view::lines(&witness.execution);
        Some(Screen { witness, cursor, files, heap: (0, 0), scroll: 0, collections })
    }

    /// The cursor at the current step.
    pub fn cursor(&self) -> &Cursor<'a> {
        &self.cursor
    }

    /// Executes a command. Returns false if the user quits.
    pub fn apply(&mut self, command: Command) -> bool {
        match command {
            Command::Into => self.cursor.step_into(),
            Command::BackInto => self.cursor.back_into(),
            Command::Over => self.cursor.step_over(),
            Command::BackOver => self.cursor.back_over(),
            Command::Out => self.cursor.step_out(),
            Command::BackOut => self.cursor.back_out(),
            Command::Start => self.cursor.go_to(0),
            Command::Failure => {
                let failure = self.witness.violation.step.map_or(usize::MAX, |step| step as usize);
                self.cursor.go_to(failure);
            }
            Command::MoveHeap(columns, rows) => {
                self.heap = (moved(self.heap.0, columns), moved(self.heap.1, rows));
            }
            Command::Scroll(lines) => self.scroll = moved(self.scroll, lines),
            Command::Raw => {
                self.collections = match self.collections {
                    Collections::Elements => Collections::Fields,
                    Collections::Fields => Collections::Elements,
                };
            }
            Command::Quit => return false,
        }
        if !matches!(command, Command::MoveHeap(..) | Command::Scroll(_) | Command::Raw) {
            self.scroll = 0;
        }
        true
    }
}

fn moved(at: u16, by: i32) -> u16 {
    u16::try_from((i32::from(at) + by).max(0)).unwrap_or(u16::MAX)
}

/// Draws a screen on the whole frame.
pub fn draw_screen(frame: &mut Frame<'_>, screen: &Screen<'_>) {
    let [head, main, says, keys] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Min(4),
        Constraint::Length(1),
        Constraint::Length(if frame.area().width < 130 { 2 } else { 1 }),
    ])
    .areas(frame.area());
    let [source, right] = Layout::horizontal([Constraint::Percentage(50), Constraint::Percentage(50)]).areas(main);
    let [state, heap] = Layout::vertical([Constraint::Percentage(42), Constraint::Percentage(58)]).areas(right);
    let claim = &screen.witness.violation.description;
    let said = if screen.witness.confirmed { "violated: " } else { "not confirmed: " };
    let title = Line::from(vec![
        Span::styled(said, Style::new().fg(Color::Red).add_modifier(Modifier::BOLD)),
        Span::raw(format!("{claim}  in an execution of {}", screen.witness.entry)),
    ]);
    frame.render_widget(Paragraph::new(title), head);
    draw_source(frame, screen, source);
    draw_state(frame, screen, state);
    draw_heap(frame, screen, heap);
    draw_says(frame, screen, says);
    let keys_text = Paragraph::new(KEYS).style(Style::new().fg(Color::DarkGray));
    frame.render_widget(keys_text.wrap(ratatui::widgets::Wrap { trim: true }), keys);
}

fn draw_source(frame: &mut Frame<'_>, screen: &Screen<'_>, area: Rect) {
    let step = screen.cursor.step();
    let file = screen.cursor.execution().files.get(step.file as usize);
    let block = Block::new().borders(Borders::ALL).title(file.map_or("", |file| file.path.as_str()));
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let lines = screen.files.get(step.file as usize).map_or(&[][..], Vec::as_slice);
    let height = inner.height as usize;
    let current = (step.line as usize).saturating_sub(1);
    let first = current.saturating_sub(height / 2).min(lines.len().saturating_sub(height));
    let digits = lines.len().to_string().len();
    let fails = screen.witness.violation.step == Some(screen.cursor.position() as u32);
    let shown = lines.iter().enumerate().skip(first).take(height).map(|(number, text)| {
        let is_current = number == current;
        let mark = if is_current { '▶' } else { ' ' };
        let text = format!("{mark}{:>digits$} {}", number + 1, text.replace('\t', "    "));
        let style = match (is_current, fails) {
            (true, true) => Style::new().bg(Color::Red).fg(Color::White).add_modifier(Modifier::BOLD),
            (true, false) => Style::new().bg(Color::Yellow).fg(Color::Black),
            (false, _) => Style::new(),
        };
        Line::styled(text, style)
    });
    let shown: Vec<Line<'_>> = shown.collect();
    let text = if lines.is_empty() {
        Paragraph::new(format!("{}\nThe text of this file was not at hand.", place(screen.cursor.execution(), step)))
    } else {
        Paragraph::new(shown)
    };
    frame.render_widget(text, inner);
}

fn draw_state(frame: &mut Frame<'_>, screen: &Screen<'_>, area: Rect) {
    let view = View::new(&screen.cursor, screen.collections);
    let execution = screen.cursor.execution();
    let row = |variable: Variable| {
        let style = if variable.changed { changed() } else { Style::new() };
        Line::from(vec![
            Span::raw("    "),
            Span::styled(variable.name, style.fg(if variable.changed { Color::Black } else { Color::Blue })),
            Span::styled(format!(" = {}", variable.text), style),
        ])
    };
    let stack = screen.cursor.stack();
    let mut lines = Vec::new();
    for (depth, OpenCall { call, step }) in stack.iter().take(CALLS).copied().enumerate() {
        let at = step.and_then(|step| execution.steps.get(step)).map(|step| place(execution, step));
        let style = if depth == 0 { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
        lines.push(Line::styled(format!("{}  {}", view.method(call), at.unwrap_or_default()), style));
        lines.extend(view.variables(call).into_iter().map(row));
    }
    if stack.len() > CALLS {
        lines.push(Line::raw(format!("… {} more calls", stack.len() - CALLS)));
    }
    let statics = view.statics();
    if !statics.is_empty() {
        lines.push(Line::raw("static fields"));
        lines.extend(statics.into_iter().map(row));
    }
    let most = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_sub(area.height.saturating_sub(2));
    let block = Block::new().borders(Borders::ALL).title("calls and variables");
    frame.render_widget(Paragraph::new(lines).block(block).scroll((screen.scroll.min(most), 0)), area);
}

fn draw_heap(frame: &mut Frame<'_>, screen: &Screen<'_>, area: Rect) {
    let graph = Graph::new(&screen.cursor, screen.collections);
    let raw = if screen.collections == Collections::Fields { ", with the fields of collections" } else { "" };
    let title = match graph.left_out {
        0 => format!("objects{raw}"),
        more => format!("objects{raw} (… and {more} more)"),
    };
    let block = Block::new().borders(Borders::ALL).title(title);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let picture = Picture::of(&graph);
    let (width, height) = picture.size();
    // The drawing stays in sight.
    let left = (screen.heap.0 as usize).min(width.saturating_sub(inner.width as usize));
    let top = (screen.heap.1 as usize).min(height.saturating_sub(inner.height as usize));
    let lines: Vec<Line<'_>> = picture.lines(left, top, inner.width as usize, inner.height as usize);
    frame.render_widget(Paragraph::new(lines), inner);
}

fn draw_says(frame: &mut Frame<'_>, screen: &Screen<'_>, area: Rect) {
    let cursor = &screen.cursor;
    let omitted = cursor.execution().omitted as usize;
    let number = format!("step {} of {}", cursor.position() + 1 + omitted, cursor.last() + 1 + omitted);
    let (text, style) = if screen.witness.violation.step == Some(cursor.position() as u32) {
        (format!("{number}: {}", screen.witness.violation.description), Style::new().fg(Color::Red))
    } else if let Some(value) = &cursor.step().returned {
        (format!("{number}: returned {}", View::new(cursor, screen.collections).value(value, "")), Style::new())
    } else {
        (number, Style::new())
    };
    frame.render_widget(Paragraph::new(text).style(style.add_modifier(Modifier::BOLD)), area);
}

fn changed() -> Style {
    Style::new().bg(Color::Yellow).fg(Color::Black)
}

/// A drawing of the heap in characters.
struct Picture {
    cells: Vec<Vec<(char, Style)>>,
}

/// Gaps between columns and between rows of objects, in characters.
const GAP: (f64, f64) = (6.0, 1.0);

/// Width and height of an object with the names above it, in characters.
fn size(node: &Node) -> (f64, f64) {
    let rows = node.rows.iter().map(|row| row.line(40).chars().count());
    let inner = rows.chain([node.name.chars().count() + 2]).max().unwrap_or(0).min(40);
    let labels = node.labels.join(", ").chars().count();
    ((inner + 4).max(labels) as f64, node.rows.len() as f64 + 3.0)
}

impl Picture {
    fn of(graph: &Graph) -> Picture {
        let places = graph.places(size, GAP);
        let blank = (' ', Style::new());
        let mut picture = Picture { cells: vec![vec![blank; places.width as usize + 2]; places.height as usize + 1] };
        for (node, &(x, y)) in graph.nodes.iter().zip(&places.nodes) {
            let (left, top) = (x as usize, y.round() as usize);
            let (width, _) = size(node);
            let width = width as usize;
            picture.text(left, top, &node.labels.join(", "), Style::new().fg(Color::Blue));
            let frame = if node.is_new { Style::new().fg(Color::Green) } else { Style::new() };
            let fill = "─".repeat(width.saturating_sub(node.name.chars().count() + 3));
            picture.text(left, top + 1, &format!("┌─{}{fill}┐", node.name), frame);
            for (number, row) in node.rows.iter().enumerate() {
                let style = if row.changed { changed() } else { Style::new() };
                let line = top + 2 + number;
                picture.text(left, line, "│", frame);
                picture.text(left + 2, line, &row.line(40), style);
                picture.text(left + width - 1, line, "│", frame);
            }
            let below = top + 2 + node.rows.len();
            picture.text(left, below, &format!("└{}┘", "─".repeat(width - 2)), frame);
        }
        for edge in &graph.edges {
            let ((from_x, from_y), (to_x, to_y)) = (places.nodes[edge.from], places.nodes[edge.to]);
            let (from, to) = (&graph.nodes[edge.from], &graph.nodes[edge.to]);
            let line = from_y.round() as usize + 2 + edge.row;
            let (top, bottom) = (to_y.round() as usize + 1, to_y.round() as usize + 2 + to.rows.len());
            // Draw a straight arrow if there is room for one. Otherwise the name in the row must suffice.
            if to.column == from.column + 1 && (top..=bottom).contains(&line) {
                let start = (from_x + size(from).0) as usize;
                let end = to_x as usize;
                if end > start + 1 {
                    picture.text(start, line, &format!("{}▶", "─".repeat(end - start - 1)), Style::new());
                }
            }
        }
        picture
    }

    fn text(&mut self, column: usize, row: usize, text: &str, style: Style) {
        let Some(cells) = self.cells.get_mut(row) else { return };
        for (cell, char) in cells.iter_mut().skip(column).zip(text.chars()) {
            *cell = (char, style);
        }
    }

    fn size(&self) -> (usize, usize) {
        (self.cells.first().map_or(0, Vec::len), self.cells.len())
    }

    fn lines(&self, left: usize, top: usize, width: usize, height: usize) -> Vec<Line<'static>> {
        let rows = self.cells.iter().skip(top).take(height);
        rows.map(|row| {
            let mut spans: Vec<(String, Style)> = Vec::new();
            for &(char, style) in row.iter().skip(left).take(width) {
                match spans.last_mut() {
                    Some((text, of)) if *of == style => text.push(char),
                    _ => spans.push((char.to_string(), style)),
                }
            }
            Line::from(spans.into_iter().map(|(text, style)| Span::styled(text, style)).collect::<Vec<_>>())
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let command = |code| Command::of(KeyEvent::new(code, KeyModifiers::NONE));
        assert_eq!(command(KeyCode::Right), Some(Command::Into));
        assert_eq!(command(KeyCode::Char('O')), Some(Command::BackOut));
        assert_eq!(command(KeyCode::Char('r')), Some(Command::Raw));
        assert_eq!(command(KeyCode::Char('x')), None);
        assert_eq!(command(KeyCode::Char('c')), None);
        let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(Command::of(ctrl_c), Some(Command::Quit));
    }
}
