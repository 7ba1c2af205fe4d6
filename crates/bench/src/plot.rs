//! Draws the quantile functions of runs (paper 4, section 4.1) as an SVG picture, or a page with it.

use crate::compare::Baseline;
use crate::published::Side;
use crate::results::{Results, Status};
use crate::{BenchError, Summary, table};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// A run and the name of its curve.
#[derive(Clone, Copy, Debug)]
struct NamedRun<'a> {
    name: &'a str,
    results: &'a Results,
}

/// A file for the quantile plot.
pub(crate) struct Plot<'a> {
    path: &'a Path,
    format: Format,
}

impl<'a> Plot<'a> {
    /// Makes sure that all plots can be written, before time is spent on running tasks.
    pub(crate) fn all(paths: &'a [PathBuf]) -> Result<Vec<Plot<'a>>, BenchError> {
        let plot = |path: &'a PathBuf| {
            let format = Format::of(path)?;
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).map_err(|source| BenchError::Write { path: folder.to_owned(), source })?;
            }
            Ok(Plot { path, format })
        };
        paths.iter().map(plot).collect()
    }

    /// Draws a run, named as in [`run_name`], and below it the baselines. A page has the published figures, too; they are no curves, because they have
    /// no times of single tasks.
    pub(crate) fn write(
        &self,
        summary: &Summary,
        out: Option<&Path>,
        baselines: &[Baseline],
    ) -> Result<(), BenchError> {
        let results = &summary.results;
        let published: Vec<Side> = summary.published.iter().map(|published| published.table(results)).collect();
        let name = run_name(results, out);
        let mut runs = vec![NamedRun { name: &name, results }];
        runs.extend(baselines.iter().map(|Baseline { name, results }| NamedRun { name, results }));
        fs::write(self.path, self.format.draw(&runs, &published))
            .map_err(|source| BenchError::Write { path: self.path.to_owned(), source })
    }
}

/// The name of the curve of a run: its tool, or the folder of its results, by which it is known when it is a baseline.
fn run_name(results: &Results, out: Option<&Path>) -> String {
    let folder = out.and_then(|folder| folder.canonicalize().ok()?.file_name()?.to_str().map(str::to_owned));
    match (&results.tool, folder) {
        (Some(tool), _) => tool.clone(),
        (None, Some(folder)) => format!("{folder} (this run)"),
        (None, None) => "this run".into(),
    }
}

/// The kinds of files in which a plot can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Svg,
    Html,
}

impl Format {
    /// The format of a file, by its extension.
    fn of(path: &Path) -> Result<Format, BenchError> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Format::Svg),
            Some("html") => Ok(Format::Html),
            _ => Err(BenchError::NotAPlot(path.to_owned())),
        }
    }

    /// The contents of a file that shows these runs.
    fn draw(self, runs: &[NamedRun<'_>], published: &[Side]) -> String {
        match self {
            Format::Svg => svg(runs),
            Format::Html => html(runs, published),
        }
    }
}

/// The area of the curves, in pixels from the upper left corner of the picture. The axes have their labels outside,
/// and the legend is below.
const LEFT: f64 = 80.0;
const RIGHT: f64 = 780.0;
const TOP: f64 = 20.0;
const BOTTOM: f64 = 420.0;
const WIDTH: f64 = 800.0;
const LEGEND_TOP: f64 = 490.0;
const LEGEND_ROW: f64 = 22.0;

/// Shorter times, in seconds, are drawn as this one, since the axis is logarithmic.
const SHORTEST: f64 = 0.001;

/// Most characters of a name in the legend.
const LONGEST_NAME: usize = 40;

/// Most markers on a curve. With more, they would hide it.
const MARKERS: usize = 25;

/// Colours that people with colour blindness can tell apart (Okabe and Ito), dark enough for paper.
const COLORS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9", "#e69f00"];

/// The patterns of lines. Their number and that of the colours have no common divisor, so that 35 curves differ.
const DASHES: [&str; 5] = ["none", "8 4", "2 3", "10 3 2 3", "16 5"];

/// The outlines of a circle, a square, a triangle and a diamond around a point, which tell curves apart in print.
const SHAPES: [&str; 4] =
    ["m-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", "m-3 -3h6v6h-6z", "m0 -4l4 7h-8z", "m0 -4l4 4l-4 4l-4 -4z"];

/// The style of a curve.
#[derive(Clone, Copy)]
struct Style {
    color: &'static str,
    dash: &'static str,
    shape: &'static str,
}

impl Style {
    fn of_curve(index: usize) -> Style {
        Style {
            color: COLORS[index % COLORS.len()],
            dash: DASHES[index % DASHES.len()],
            shape: SHAPES[index % SHAPES.len()],
        }
    }
}

/// The ranges of the axes.
struct Axes {
    /// The least and the greatest score.
    scores: (f64, f64),
    /// The powers of ten of the shortest and the longest time.
    decades: (i32, i32),
}

impl Axes {
    /// Axes on which all runs have their place. The score 0 is always shown.
    fn around(runs: &[NamedRun<'_>]) -> Axes {
        let mut scores = (0_i64, 1_i64);
        let mut seconds = (f64::INFINITY, SHORTEST);
        for run in runs {
            scores.0 = scores.0.min(run.results.penalty());
            for (score, time) in run.results.quantiles() {
                scores = (scores.0.min(score), scores.1.max(score));
                seconds = (seconds.0.min(time.max(SHORTEST)), seconds.1.max(time));
            }
        }
        let first = seconds.0.min(1.0).log10().floor() as i32;
        let last = seconds.1.max(1.0).log10().ceil() as i32;
        Axes { scores: (scores.0 as f64, scores.1 as f64), decades: (first, last.max(first + 1)) }
    }

    /// The place of a score, in pixels from the left.
    fn x(&self, score: f64) -> f64 {
        LEFT + (score - self.scores.0) / (self.scores.1 - self.scores.0) * (RIGHT - LEFT)
    }

    /// The place of a time in seconds, in pixels from the top.
    fn y(&self, seconds: f64) -> f64 {
        let (first, last) = (f64::from(self.decades.0), f64::from(self.decades.1));
        BOTTOM - (seconds.max(SHORTEST).log10() - first) / (last - first) * (BOTTOM - TOP)
    }

    /// Round numbers on the axis of scores, at most about ten.
    fn score_ticks(&self) -> Vec<f64> {
        let rough = (self.scores.1 - self.scores.0) / 10.0;
        let power = 10_f64.powf(rough.log10().floor());
        let round = [1.0, 2.0, 5.0].map(|factor| factor * power).into_iter().find(|&step| step >= rough);
        let step = round.unwrap_or(10.0 * power).max(1.0);
        let first = (self.scores.0 / step).ceil();
        // Adding 0 turns -0 into 0.
        (0..=10)
            .map(|index| (first + f64::from(index)) * step + 0.0)
            .take_while(|&tick| tick <= self.scores.1)
            .collect()
    }

    /// Round times in seconds with their labels: 1, 2 and 5 times the powers of ten, or only powers if there are many.
    fn time_ticks(&self) -> Vec<(f64, String)> {
        let (first, last) = self.decades;
        let factors: &[u8] = if last - first <= 4 { &[1, 2, 5] } else { &[1] };
        let distance = usize::try_from((last - first) / 10 + 1).unwrap_or(1);
        let ticks =
            (first..=last).step_by(distance).flat_map(|power| factors.iter().map(move |&factor| (factor, power)));
        ticks
            .filter(|&(factor, power)| factor == 1 || power < last)
            .map(|(factor, power)| (f64::from(factor) * 10_f64.powi(power), time_label(factor, power)))
            .collect()
    }
}

/// The number `factor` times 10 to the power of `power`, with all digits if they are few.
fn time_label(factor: u8, power: i32) -> String {
    match usize::try_from(power.unsigned_abs()) {
        Ok(zeros @ 0..=6) if power >= 0 => format!("{factor}{}", "0".repeat(zeros)),
        Ok(digits @ 0..=6) => format!("{:.digits$}", f64::from(factor) * 10_f64.powi(power)),
        _ => format!("{factor}e{power}"),
    }
}

/// The plot of the quantile functions: for each score, the least time limit with which it is reached.
fn svg(runs: &[NamedRun<'_>]) -> String {
    let axes = Axes::around(runs);
    let height = LEGEND_TOP + LEGEND_ROW * runs.len() as f64;
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" font-size=\"14\" role=\"img\">\n\
         <title>Quantile plot</title>\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>"
    );
    draw_axes(&mut out, &axes);
    for (index, run) in runs.iter().enumerate() {
        draw_curve(&mut out, &axes, run, Style::of_curve(index));
        draw_legend(&mut out, LEGEND_TOP + LEGEND_ROW * index as f64, run, Style::of_curve(index));
    }
    out.push_str("</svg>\n");
    out
}

/// Draws the frame, and a grid line with a label for each tick.
fn draw_axes(out: &mut String, axes: &Axes) {
    for score in axes.score_ticks() {
        let x = axes.x(score);
        let _ = writeln!(
            out,
            "<path d=\"M{x:.1} {TOP}V{BOTTOM}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{score:.0}</text>",
            BOTTOM + 20.0
        );
    }
    for (seconds, label) in axes.time_ticks() {
        let y = axes.y(seconds);
        let _ = writeln!(
            out,
            "<path d=\"M{LEFT} {y:.1}H{RIGHT}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT - 8.0,
            y + 5.0
        );
    }
    let (middle_x, middle_y) = (f64::midpoint(LEFT, RIGHT), f64::midpoint(TOP, BOTTOM));
    let _ = writeln!(
        out,
        "<path d=\"M{LEFT} {TOP}V{BOTTOM}H{RIGHT}\" fill=\"none\" stroke=\"black\"/>\n\
         <text x=\"{middle_x}\" y=\"{}\" text-anchor=\"middle\">accumulated score</text>\n\
         <text transform=\"translate(18 {middle_y}) rotate(-90)\" text-anchor=\"middle\">\
         least time limit in seconds</text>",
        BOTTOM + 45.0
    );
}

/// Draws a curve as steps: a score between two points needs the time limit of the upper one.
fn draw_curve(out: &mut String, axes: &Axes, run: &NamedRun<'_>, style: Style) {
    let points: Vec<(f64, f64)> =
        run.results.quantiles().iter().map(|&(score, seconds)| (axes.x(score as f64), axes.y(seconds))).collect();
    let Some(&(_, lowest)) = points.first() else { return };
    let mut path = format!("M{:.1} {lowest:.1}", axes.x(run.results.penalty() as f64));
    for (x, y) in &points {
        let _ = write!(path, "V{y:.1}H{x:.1}");
    }
    draw_line(out, &path, style);
    for &(x, y) in points.iter().rev().step_by(points.len().div_ceil(MARKERS)) {
        draw_marker(out, x, y, style);
    }
}

/// Draws the row of the legend at `y` that explains a curve.
fn draw_legend(out: &mut String, y: f64, run: &NamedRun<'_>, style: Style) {
    draw_line(out, &format!("M{LEFT} {y}H{}", LEFT + 50.0), style);
    draw_marker(out, LEFT + 25.0, y, style);
    let solved = count(run.results, Status::is_correct);
    let tasks = run.results.tasks.len();
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\">{}: score {}, {solved} of {tasks} tasks solved</text>",
        LEFT + 60.0,
        y + 5.0,
        escape(&shorten(run.name)),
        run.results.score()
    );
}

fn draw_line(out: &mut String, path: &str, Style { color, dash, .. }: Style) {
    let _ = writeln!(
        out,
        "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>"
    );
}

fn draw_marker(out: &mut String, x: f64, y: f64, Style { color, shape, .. }: Style) {
    let _ = writeln!(out, "<path d=\"M{x:.1} {y:.1}{shape}\" fill=\"white\" stroke=\"{color}\"/>");
}

/// A page with the plot, a table of the runs, and one for each publication.
fn html(runs: &[NamedRun<'_>], published: &[Side]) -> String {
    let mut rows = String::new();
    for run in runs {
        let results = run.results;
        let _ = write!(rows, "<tr><th>{}</th>", escape(run.name));
        let cells = [
            results.score().to_string(),
            results.tasks.len().to_string(),
            count(results, Status::is_correct).to_string(),
            count(results, Status::is_wrong).to_string(),
            count(results, Status::is_unknown).to_string(),
            count(results, |status| status == Status::Error).to_string(),
            table::seconds(results.tasks.iter().map(|task| task.cpu_seconds).sum()),
            table::megabytes(results.tasks.iter().map(|task| task.memory_bytes).max().unwrap_or(0)),
            format!("{} s", results.timeout_seconds),
        ];
        for cell in cells {
            let _ = write!(rows, "<td>{cell}</td>");
        }
        rows.push_str("</tr>\n");
    }
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n<title>Quantile plot</title>\n\
         <style>\nbody {{ font-family: sans-serif; max-width: 60em; margin: 2em auto; }}\n\
         svg {{ max-width: 100%; height: auto; }}\n\
         table {{ border-collapse: collapse; }}\n\
         th, td {{ padding: 0.3em 0.8em; text-align: right; border-bottom: 1px solid #ccc; }}\n\
         th:first-child {{ text-align: left; overflow-wrap: anywhere; }}\n</style>\n</head>\n<body>\n\
         <h1>Quantile plot</h1>\n\
         <p>For each score, the least time limit (wall time) with which a run reaches it. Wrong answers count from the \
         start.</p>\n{}<table>\n<tr><th>run</th><th>score</th><th>tasks</th><th>correct</th><th>wrong</th>\
         <th>unknown</th><th>errors</th><th>processor time</th><th>memory</th><th>time limit</th></tr>\n{rows}</table>\n{}</body>\n\
         </html>\n",
        svg(runs),
        published.iter().map(published_table).collect::<String>()
    )
}

/// The table of a publication for a page, with its notes.
fn published_table(side: &Side) -> String {
    let mut out = format!("<h2>{}</h2>\n<table>\n", escape(&side.caption));
    for (index, row) in side.rows.iter().enumerate() {
        out.push_str("<tr>");
        for (column, cell) in row.iter().enumerate() {
            let tag = if index == 0 || column == 0 { "th" } else { "td" };
            let _ = write!(out, "<{tag}>{}</{tag}>", escape(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
    for note in &side.notes {
        let _ = writeln!(out, "<p>{}</p>", escape(note));
    }
    out
}

/// The number of tasks whose status is of a kind.
fn count(results: &Results, holds: impl Fn(Status) -> bool) -> usize {
    results.tasks.iter().filter(|task| holds(task.status)).count()
}

/// A name that fits into the legend: the end of a long one, since paths differ there.
fn shorten(name: &str) -> String {
    match name.char_indices().rev().nth(LONGEST_NAME) {
        Some((cut, _)) => name.chars().take(1).map(|_| '…').chain(name[cut..].chars().skip(1)).collect(),
        None => name.to_owned(),
    }
}

/// A text for XML and HTML. Characters that XML does not allow become replacement characters.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Published;
    use crate::results::tests::{record, results};
    use proptest::prelude::*;

    /// A run with these times and results.
    fn run(tasks: &[(Status, f64)]) -> Results {
        results(tasks.iter().map(|&(status, seconds)| record(status, seconds)).collect())
    }

    /// The example of paper 4, table 4.2.
    fn example() -> Results {
        use Status::*;
        run(&[(CorrectFalse, 5.0), (CorrectTrue, 10.0), (CorrectFalse, 20.0), (CorrectTrue, 40.0)])
    }

    /// Panics unless all elements are closed in order, and no `<` or `&` is left in a text.
    fn assert_well_formed(text: &str) {
        let mut open = Vec::new();
        let mut pieces = text.trim_start_matches("<!DOCTYPE html>").split('<');
        assert_eq!(pieces.next().unwrap().trim(), "");
        for piece in pieces {
            let (tag, content) = piece.split_once('>').expect("a tag ends");
            let name = tag.split_whitespace().next().unwrap();
            if let Some(closed) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(closed), "{piece}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            for entity in content.split('&').skip(1) {
                let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
                assert!(known.iter().any(|known| entity.starts_with(known)), "{piece}");
            }
            assert!(!content.contains(|c: char| c.is_control() && c != '\n'), "{piece:?}");
            assert!(!tag.contains("NaN") && !tag.contains("inf"), "{piece}");
        }
        assert!(open.is_empty(), "{open:?}");
    }

    #[test]
    fn paper_4_table_4_2_as_a_picture() {
        let picture = svg(&[NamedRun { name: "table 4.2", results: &example() }]);
        assert_well_formed(&picture);
        insta::assert_snapshot!(picture);
    }

    #[test]
    fn a_page_shows_the_plot_and_a_table() {
        let other = run(&[(Status::CorrectTrue, 1.0), (Status::WrongFalse, 2.0), (Status::Error, 0.5)]);
        let runs =
            [NamedRun { name: "ours", results: &example() }, NamedRun { name: "<other> & 'co'", results: &other }];
        let figures = r#"{"source": "<s> & t", "figures": [{"tool": "<T>", "score": 9}]}"#;
        let published: Published = serde_json::from_str(figures).unwrap();
        let page = html(&runs, &[published.table(&example())]);
        assert_well_formed(&page);
        assert!(page.contains("<svg ") && page.contains(">ours: score 6, 4 of 4 tasks solved<"), "{page}");
        let row = "<tr><th>&lt;other&gt; &amp; &#39;co&#39;</th><td>-14</td><td>3</td><td>1</td><td>1</td><td>0</td>\
                   <td>1</td><td>3.50 s</td><td>0 MB</td><td>10 s</td></tr>";
        assert!(page.contains(row), "{page}");
        assert!(page.contains("<h2>Published figures, which are not runs: &lt;s&gt; &amp; t</h2>"), "{page}");
        assert!(page.contains("<tr><th>&lt;T&gt; (published)</th><td>-</td>"), "{page}");
    }

    #[test]
    fn the_ticks_of_scores_are_round_and_few() {
        let ticks = |least, greatest| Axes { scores: (least, greatest), decades: (0, 1) }.score_ticks();
        assert_eq!(ticks(0.0, 1.0), [0.0, 1.0]);
        assert_eq!(ticks(0.0, 6.0), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(ticks(-32.0, 45.0), [-30.0, -20.0, -10.0, 0.0, 10.0, 20.0, 30.0, 40.0]);
        assert!(ticks(i64::MIN as f64, i64::MAX as f64).len() <= 11);
    }

    #[test]
    fn the_ticks_of_times_are_round_and_few() {
        let labels = |first, last| {
            let ticks = Axes { scores: (0.0, 1.0), decades: (first, last) }.time_ticks();
            ticks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(-1, 1), "0.1 0.2 0.5 1 2 5 10");
        assert_eq!(labels(-3, 3), "0.001 0.01 0.1 1 10 100 1000");
        assert_eq!(labels(-3, 308).split(' ').count(), 10);
    }

    #[test]
    fn formats_are_known_by_the_extension() {
        assert!(matches!(Format::of(Path::new("a/b.svg")), Ok(Format::Svg)));
        assert!(matches!(Format::of(Path::new("b.html")), Ok(Format::Html)));
        assert!(matches!(Format::of(Path::new("b.png")), Err(BenchError::NotAPlot(_))));
    }

    #[test]
    fn names_are_shortened_from_the_left() {
        assert_eq!(shorten("short"), "short");
        let long = format!("{}ä/the end", "é".repeat(100));
        let short = shorten(&long);
        assert_eq!((short.chars().count(), short.chars().next()), (LONGEST_NAME + 1, Some('…')));
        assert!(short.ends_with("éä/the end"), "{short}");
    }

    proptest! {
        #[test]
        fn any_results_are_drawn(
            tasks in proptest::collection::vec((0_usize..4, proptest::num::f64::NORMAL, any::<i64>()), 0..60),
            name in "\\PC{0,80}|[<>&'\"\u{0}-\u{ffff}]{0,9}",
        ) {
            use Status::*;
            let kinds = [CorrectTrue, CorrectFalse, WrongTrue, Timeout];
            let mut results = run(&tasks.iter().map(|&(kind, seconds, _)| (kinds[kind], seconds)).collect::<Vec<_>>());
            for (record, &(.., score)) in results.tasks.iter_mut().zip(&tasks) {
                record.score = score;
            }
            let runs = [NamedRun { name: &name, results: &results }; 2];
            assert_well_formed(&html(&runs, &[]));
        }
    }
}
