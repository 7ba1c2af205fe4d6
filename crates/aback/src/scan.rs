//! Asks all questions of a project, shows the progress, and writes what was found.

use crate::args::{InputsArg, ScanArgs, Shard, VisibilityArg};
use crate::commands::{interrupt_flag, print};
use crate::evidence::{CONFIRM_TIME, expect_writable, write};
use crate::replays::write_replays;
use aback_report::{Reported, Run, ViolationDocument, sarif};
use aback_scan::{
    Answered, Asking, CallersFault, Counts, Effort, End, EntryPoint, Event, Finding, Hidden, Judgement, Known,
    ScanError, Settings, Store, Stored, Suspicion, Unproved, callers_fault, findings, hash_of_files, hash_of_text,
    html, joined, judged, judgements_text, junit, line_questions, open, scan, summary, suspicions,
};
use anyhow::{Context, anyhow};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

/// Time limit for a question by default.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The same if the scan has a limit, which long questions cannot exceed.
const LONG_TIMEOUT: Duration = Duration::from_secs(60);

/// Asks the questions of a project. The exit status is 1 if there are findings that are not known, and 3 if something is unknown and
/// `--strict` is given.
pub fn run_scan(args: &ScanArgs) -> anyhow::Result<u8> {
    let reports = [&args.sarif, &args.html, &args.junit, &args.json_lines];
    reports.into_iter().flatten().try_for_each(|file| expect_writable(file))?;
    let interrupt = interrupt_flag()?;
    let options = options(args);
    let of_program = of_program(args);
    let program = std::env::current_exe().context("cannot find aback itself")?;
    let command = || {
        let mut command = Command::new(&program);
        command.arg("worker").args(&args.program.paths).args(&of_program).args(&options);
        command
    };
    let settings = Settings {
        aback: env!("CARGO_PKG_VERSION").into(),
        options: options.clone(),
        files: hash_of_files(&files_beside(args)).context("cannot read a file of the program")?,
    };
    let mut listing = command();
    // Answers about a line rely on whatever leads to it.
    let visibility = if args.questions.is_some() { VisibilityArg::Private } else { args.entry_visibility };
    let visibility = visibility.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned());
    listing.args(["--list", &visibility]);
    if let Some(revision) = &args.changed_since {
        listing.args(["--changed-since", revision]);
    }
    let known = args.known.as_deref().map(known).transpose()?;
    let (first, mut entries) = match open(listing, &interrupt) {
        Err(ScanError::Interrupted) => {
            print("interrupted: the program was not loaded yet, so that nothing was asked; the next scan goes on")?;
            return Ok(if args.strict { 3 } else { 0 });
        }
        opened => opened?,
    };
    let sources = Sources::default();
    let counts = |violation: &ViolationDocument| counts(args, violation, known.as_ref(), &sources);
    let ask = |questions: &[EntryPoint], store: &mut Store| {
        let mut display = Display::new();
        let effort = effort(args);
        let asking = Asking { command: &command, effort: &effort, counts: &counts, interrupt: &interrupt };
        let end = scan(questions, first, asking, store, |event| display.show(&event));
        display.finish();
        end
    };
    if let Some(file) = &args.questions {
        return judge(args, file, &entries, &settings, ask);
    }
    if entries.is_empty() {
        let hint = match args.entry_visibility {
            VisibilityArg::Private => "the program has no methods with code",
            _ => {
                "the program has no such entry points; --entry-visibility package takes all methods that are not private"
            }
        };
        return Err(anyhow!(hint));
    }
    keep(&mut entries, &args.entry)?;
    let untouched = retain(&mut entries, |entry| entry.is_touched);
    if let Some(Shard { number, of }) = args.shard {
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        entries = entries.into_iter().skip(number - 1).step_by(of).collect();
    }
    // A folder that cannot be used changes nothing.
    let collected = args.collect.iter().map(|folder| collected(folder, &settings));
    let collected = collected.collect::<anyhow::Result<Vec<_>>>()?;
    let cannot_use = || format!("cannot use {}", args.out.display());
    let mut store = Store::open(&args.out, &settings).with_context(cannot_use)?;
    store.collect(collected.into_iter().flatten()).with_context(cannot_use)?;
    let end = match args.collect.is_empty() {
        true => ask(&entries, &mut store)?,
        false => End::Complete,
    };
    let answers: Vec<&Stored> = entries.iter().filter_map(|entry| store.answer(entry)).collect();
    let is_shown = |violation: &ViolationDocument| fault(args, violation).is_none();
    let mut found = findings(answers.iter().copied(), is_shown, |file| sources.text(file));
    let replies = answers.iter().filter_map(|stored| match &stored.answer {
        Answered::Reply(reply) => Some(&reply.violations),
        Answered::Lost(_) => None,
    });
    let faults: Vec<CallersFault> = replies.flatten().filter_map(|violation| fault(args, violation)).collect();
    let count = |kind: CallersFault| faults.iter().filter(|&&fault| fault == kind).count();
    let (refused, unexpected_nulls) = (count(CallersFault::Refused), count(CallersFault::UnexpectedNull));
    let mut hidden = Hidden { refused, unexpected_nulls, ..Hidden::default() };
    if args.inputs == InputsArg::Constructible {
        hidden.unmade = retain(&mut found, |finding| finding.violation.unmade.is_none());
    }
    if let Some(known) = &known {
        hidden.known = known.hide(&mut found);
    }
    let (suppressed, found): (Vec<Finding>, Vec<Finding>) =
        found.into_iter().partition(|finding| finding.suppressed.is_some());
    hidden.suppressed = suppressed.len();
    let found = joined(found);
    let counts = Counts::of(answers.iter().copied());
    print(summary(&found, &hidden, &counts).trim_end())?;
    if let (Some(revision), 1..) = (&args.changed_since, untouched) {
        let points = if untouched == 1 { "entry point" } else { "entry points" };
        print(&format!("not asked: {untouched} {points} that what has changed since {revision} does not lead to"))?;
    }
    let unasked = entries.len() - answers.len();
    match end {
        End::Complete if unasked > 0 => {
            print(&format!("{} no answer in these folders", entry_points_have(unasked)))?;
        }
        End::Complete => {}
        End::OutOfBudget => print(&format!("the time limit of the scan is over: {}", left(unasked)))?,
        End::Interrupted => print(&format!("interrupted: {}", left(unasked)))?,
    }
    let replays = match &args.html {
        Some(page) if args.replays => {
            let findings = found.iter().flat_map(Finding::places);
            write_replays(findings, page, &command, effort(args).timeout, &interrupt)?
        }
        _ => BTreeMap::new(),
    };
    write_reports(args, &answers, (&found, &suppressed), (&counts, &replays), &sources)?;
    Ok(status(&found, &counts, unasked, args.strict))
}

/// The answers in the folder of another scan.
fn collected(folder: &Path, settings: &Settings) -> anyhow::Result<Vec<Stored>> {
    let stored = Store::stored(folder, settings);
    let stored = stored.with_context(|| format!("cannot read the answers in {}", folder.display()))?;
    let answers = stored.ok_or_else(|| {
        anyhow!("{} has no answers of a scan with the same version of aback, options and libraries", folder.display())
    })?;
    Ok(answers.into_values().collect())
}

/// What is left to do for the next scan.
fn left(unasked: usize) -> String {
    match unasked {
        0 => "each entry point has an answer; the next scan tries longer where it is unknown".into(),
        _ => format!("{} no answer yet; the next scan goes on", entry_points_have(unasked)),
    }
}

fn entry_points_have(number: usize) -> String {
    if number == 1 { "1 entry point has".into() } else { format!("{number} entry points have") }
}

fn effort(args: &ScanArgs) -> Effort {
    Effort {
        timeout: args.timeout.unwrap_or(if args.budget.is_some() { LONG_TIMEOUT } else { TIMEOUT }),
        budget: args.budget,
        violations: args.violations.get(),
        confirmation: args.confirm.then_some(CONFIRM_TIME),
        jobs: args.jobs.or_else(|| std::thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get),
    }
}

/// Why callers are to blame for a violation, if they are and that matters.
fn fault(args: &ScanArgs, violation: &ViolationDocument) -> Option<CallersFault> {
    if args.no_trust { None } else { callers_fault(violation) }
}

/// Whether a violation takes one of the places that `--violations` gives: those that are not shown do not.
fn counts(args: &ScanArgs, violation: &ViolationDocument, known: Option<&Known>, sources: &Sources) -> bool {
    let is_made = args.inputs != InputsArg::Constructible || violation.unmade.is_none();
    if !is_made || fault(args, violation).is_some() {
        return false;
    }
    let finding = Finding::new(violation, |file| sources.text(file));
    finding.suppressed.is_none() && !known.is_some_and(|known| known.may_have(&finding))
}

/// Asks about the warnings in a SARIF file, and says which are true. The exit status is 1 if one is confirmed, and 3 if `--strict` is given and
/// one is neither confirmed nor refuted without bounds.
fn judge(
    args: &ScanArgs,
    file: &Path,
    entries: &[EntryPoint],
    settings: &Settings,
    ask: impl FnOnce(&[EntryPoint], &mut Store) -> Result<End, ScanError>,
) -> anyhow::Result<u8> {
    let log = read_sarif(file)?;
    let found = suspicions(&log).ok_or_else(|| anyhow!("{} is not a SARIF file", file.display()))?;
    let codes: String = entries.iter().map(|entry| entry.code.as_str()).collect();
    let places: String = entries.iter().map(|entry| entry.places.as_str()).collect();
    let questions = line_questions(&found, &hash_of_text(&(codes + &places)));
    let folder = args.out.join("questions");
    let mut store = Store::open(&folder, settings).with_context(|| format!("cannot use {}", folder.display()))?;
    ask(&questions, &mut store)?;
    let sources = Sources::default();
    let is_shown = |violation: &ViolationDocument| {
        let is_made = args.inputs != InputsArg::Constructible || violation.unmade.is_none();
        // A tool may suspect a null for which the program does not provide.
        is_made && fault(args, violation) != Some(CallersFault::Refused)
    };
    let judgements: Vec<(Suspicion, Judgement)> = found
        .into_iter()
        .map(|suspicion| {
            let name = suspicion.question();
            let question = questions.iter().find(|question| Some(&question.name) == name.as_ref());
            let answer = question.and_then(|question| store.answer(question));
            let judgement = suspicion.judge(answer, is_shown, |file| sources.text(file));
            (suspicion, judgement)
        })
        .collect();
    print(judgements_text(&judgements).trim_end())?;
    if let Some(path) = &args.sarif {
        let judged = judged(&log, &judgements, |path| sources.whole(path));
        write(path, &(serde_json::to_string_pretty(&judged)? + "\n"))?;
    }
    let is_confirmed = |judgement: &Judgement| matches!(judgement, Judgement::Confirmed(_));
    let is_decided = |judgement: &Judgement| is_confirmed(judgement) || matches!(judgement, Judgement::Refuted(_));
    Ok(match judgements.iter().any(|(_, judgement)| is_confirmed(judgement)) {
        true => 1,
        false if args.strict && !judgements.iter().all(|(_, judgement)| is_decided(judgement)) => 3,
        false => 0,
    })
}

/// Writes the files that the options name.
fn write_reports(
    args: &ScanArgs,
    answers: &[&Stored],
    (found, suppressed): (&[Finding], &[Finding]),
    (counts, replays): (&Counts, &BTreeMap<String, String>),
    sources: &Sources,
) -> anyhow::Result<()> {
    if let Some(file) = &args.sarif {
        let results = found.iter().chain(suppressed).map(|finding| Reported {
            violation: &finding.violation,
            fingerprint: finding.fingerprint.clone(),
            suppressed: finding.suppressed.as_deref(),
            also: finding.also.iter().map(|other| (&other.violation, other.fingerprint.as_str())).collect(),
        });
        write(file, &sarif(results, run_of(answers, counts), |path| sources.whole(path)))?;
    }
    if let Some(file) = &args.html {
        write(file, &html(found.iter().chain(suppressed), counts, replays, |path| sources.whole(path)))?;
    }
    if let Some(file) = &args.junit {
        write(file, &junit(answers.iter().copied(), found))?;
    }
    if let Some(file) = &args.json_lines {
        let lines = found.iter().map(serde_json::to_string);
        let unproved = answers.iter().filter_map(|stored| stored.unproved());
        let lines = lines.chain(unproved.map(|unproved| serde_json::to_string(&unproved)));
        write(file, &lines.map(|line| Ok(line? + "\n")).collect::<serde_json::Result<String>>()?)?;
    }
    Ok(())
}

/// The files on which answers rely besides the code of the program: libraries, but not their sources, models, and files that
/// further options name.
fn files_beside(args: &ScanArgs) -> Vec<PathBuf> {
    let is_compiled = |path: &&PathBuf| path.is_file() || !aback_project::has_sources(path);
    let libraries = args.program.classpath.iter().filter(is_compiled).cloned();
    let named = args.options.iter().map(PathBuf::from).filter(|path| path.exists());
    libraries.chain(args.program.models.iter().cloned()).chain(named).collect()
}

fn status(found: &[Finding], counts: &Counts, unasked: usize, strict: bool) -> u8 {
    match found {
        [_, ..] => 1,
        [] if strict && counts.undecided() + unasked > 0 => 3,
        [] => 0,
    }
}

/// How workers read the program. The answers depend on what is read, and not on these options: stored answers know the code and the libraries.
fn of_program(args: &ScanArgs) -> Vec<String> {
    let program = &args.program;
    let mut options = Vec::new();
    let libraries: Vec<String> = program.classpath.iter().map(|path| path.display().to_string()).collect();
    if !libraries.is_empty() {
        options.extend(["--classpath".into(), libraries.join(":")]);
    }
    if let Some(language) = &program.language {
        options.extend(["--language".into(), language.clone()]);
    }
    if program.no_build {
        options.push("--no-build".into());
    }
    if program.recompile {
        options.push("--recompile".into());
    }
    options
}

/// The options that the workers get besides. Each answers one question at a time.
fn options(args: &ScanArgs) -> Vec<String> {
    let mut options = vec!["--jobs".into(), "1".into()];
    if args.traps || args.questions.is_some() {
        options.push("--traps".into());
    }
    if !args.no_trust {
        options.push("--trust".into());
    }
    if args.confirm {
        options.push("--confirm".into());
    }
    let program = &args.program;
    let folders = program.models.iter().map(|folder| ("--models", folder));
    let folders = folders.chain(program.java_home.iter().map(|folder| ("--java-home", folder)));
    let folders = folders.chain(program.dotnet_root.iter().map(|folder| ("--dotnet-root", folder)));
    options.extend(folders.flat_map(|(option, folder)| [option.to_string(), folder.display().to_string()]));
    options.extend(args.options.iter().cloned());
    options
}

/// Keeps the entry points whose names, with or without parameters, fit one of the patterns.
fn keep(entries: &mut Vec<EntryPoint>, patterns: &[String]) -> anyhow::Result<()> {
    if patterns.is_empty() {
        return Ok(());
    }
    // Brackets are those of array types here.
    let parsed = |pattern: &String| {
        let escaped: String =
            pattern.chars().map(|c| if c == '[' { "[[]".to_string() } else { c.to_string() }).collect();
        glob::Pattern::new(&escaped).with_context(|| format!("`{pattern}` is not a pattern"))
    };
    let patterns = patterns.iter().map(parsed).collect::<anyhow::Result<Vec<_>>>()?;
    entries.retain(|entry| {
        let plain = entry.name.split('(').next().unwrap_or(&entry.name);
        let is_annotated = |pattern: &glob::Pattern| {
            let mut names = entry.annotations.iter().map(|name| format!("@{name}"));
            pattern.as_str().starts_with('@') && names.any(|name| pattern.matches(&name))
        };
        patterns.iter().any(|pattern| pattern.matches(plain) || pattern.matches(&entry.name) || is_annotated(pattern))
    });
    if entries.is_empty() {
        return Err(anyhow!(
            "no entry point fits the patterns of --entry, as in --entry 'com.acme.*', or --entry '@GetMapping' for annotations"
        ));
    }
    Ok(())
}

/// Keeps what has a property, and returns the number of the others.
fn retain<T>(found: &mut Vec<T>, is_kept: impl FnMut(&T) -> bool) -> usize {
    let before = found.len();
    found.retain(is_kept);
    before - found.len()
}

/// The texts of source files, each of which is read once.
#[derive(Default)]
struct Sources(RefCell<BTreeMap<String, Option<Rc<str>>>>);

impl Sources {
    fn text(&self, file: &str) -> Option<Rc<str>> {
        let mut texts = self.0.borrow_mut();
        texts.entry(file.into()).or_insert_with(|| std::fs::read_to_string(file).ok().map(Rc::from)).clone()
    }

    fn whole(&self, file: &str) -> Option<String> {
        self.text(file).map(|text| text.to_string())
    }
}

fn read_sarif(file: &Path) -> anyhow::Result<serde_json::Value> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a SARIF file", file.display()))
}

/// The findings in a SARIF file of an earlier scan.
fn known(file: &Path) -> anyhow::Result<Known> {
    Known::of(&read_sarif(file)?).ok_or_else(|| anyhow!("{} is not a SARIF file", file.display()))
}

/// What a SARIF log says beside the findings: the entry points that are not proved.
fn run_of(answers: &[&Stored], counts: &Counts) -> Run {
    let unproved = answers.iter().filter_map(|stored| stored.unproved());
    let notifications = unproved.map(|Unproved { entry, rest, reason }| format!("{entry}: {rest}: {reason}"));
    let numbers = [
        ("holds", counts.holds),
        ("violated", counts.violated),
        ("violated, perhaps at other places, too", counts.open()),
        ("holds within bounds", counts.within_bounds),
        ("unknown", counts.unknowns()),
    ];
    let properties = numbers.into_iter().map(|(name, number)| (name.to_string(), number.into())).collect();
    Run { notifications: notifications.collect(), properties }
}

/// The progress of a scan: a line on a terminal, and each place that can fail as soon as it is known.
struct Display {
    bar: Option<ProgressBar>,
    shown: BTreeSet<(String, u32)>,
}

impl Display {
    fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            match ProgressStyle::with_template("{elapsed} {bar:30} {pos}/{len} {wide_msg}") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Display { bar, shown: BTreeSet::new() }
    }

    fn show(&mut self, event: &Event) {
        let Some(bar) = &self.bar else { return };
        match event {
            Event::Try { questions, seconds } => {
                bar.set_length(*questions as u64);
                bar.set_position(0);
                bar.set_message(format!("at most {seconds} s each"));
            }
            Event::Answer(stored) => {
                bar.inc(1);
                bar.set_message(stored.entry.clone());
                let Answered::Reply(reply) = &stored.answer else { return };
                for violation in &reply.violations {
                    let place = &violation.place;
                    if self.shown.insert((place.file.clone(), place.line)) {
                        bar.suspend(|| {
                            let _ =
                                writeln!(std::io::stderr(), "{}:{}: {}", place.file, place.line, violation.description);
                        });
                    }
                }
            }
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
