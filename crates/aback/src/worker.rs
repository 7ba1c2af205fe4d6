//! Answers the questions of a scan: a line of JSON for each question, and one for each answer.

use crate::args::{CheckArgs, VisibilityArg, WorkerArgs};
use crate::commands::{Messages, chain, check_config, check_load_config, open, print, refused};
use crate::evidence::confirm_config;
use aback_backward::Trail;
use aback_core::{
    Answer, Blame, CheckConfig, CheckError, KnownViolation, Line, LoadConfig, QuestionError, Session, Violation,
    Violations, Visibility, cause,
};
use aback_ir::Span;
use aback_project::{Changes, ChangesError};
use aback_report::{Document, PlaceDocument, ViolationDocument, counted};
use aback_scan::{
    Asks, Before, EntryPoint, Explored, Opening, Question, Reply, Said, StopDocument, TrailQuestion, callers_fault,
    stop_when_unread,
};
use aback_symbolic::{Gap, Progress};
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time between two messages about how far a question has come.
const TELL: Duration = Duration::from_millis(500);
/// Least time for further paths to a line.
const FURTHER: Duration = Duration::from_secs(1);

/// Loads the program, and answers questions until there are no more. The exit status is 0 unless the program cannot be
/// loaded.
pub fn run_worker(args: &WorkerArgs) -> anyhow::Result<u8> {
    let (args, lists, revision) = (&args.check, args.list, args.changed_since.as_deref());
    let config = check_config(args)?;
    stop_when_unread(Arc::clone(&config.interrupt));
    let load_config = LoadConfig { interrupt: Arc::clone(&config.interrupt), ..check_load_config(args) };
    // A scan has one worker that lists the entry points, and shows its messages once.
    let messages = match lists {
        Some(_) => Messages::Text { color: args.color, all: args.verbose },
        None => Messages::Errors(args.color),
    };
    if !args.assumed.assume.is_empty() {
        let reason = "--assume is about the inputs of one entry point: aback check asks about it";
        say(&Opening::Failed(reason.into()))?;
        return Ok(2);
    }
    let opened = open(&args.program.paths, &load_config, messages).map_err(|bad| bad.describe());
    let not_refused = |session: Session| match refused(args, session.language()) {
        Ok(()) => Ok(session),
        Err(error) => Err(chain(&error)),
    };
    let session = match opened.and_then(not_refused) {
        Ok(session) => session,
        Err(reason) => {
            say(&Opening::Failed(reason))?;
            return Ok(2);
        }
    };
    let changes = revision.map(|revision| changes_since(&args.program.paths, revision)).transpose();
    let changes = match changes {
        Ok(changes) => changes,
        Err(error) => {
            say(&Opening::Failed(error.to_string()))?;
            return Ok(2);
        }
    };
    let entries = lists.map_or(Vec::new(), |visibility| entry_points(&session, visibility, args, changes.as_ref()));
    say(&Opening::Loaded(entries))?;
    for line in std::io::stdin().lock().lines() {
        let question: Question = serde_json::from_str(&line?)?;
        let reply = match (&question.trail, &question.witnesses) {
            (Some(trail), folder) => go_back(&session, args, &config, &question, (trail, folder.as_deref())),
            (None, Some(folder)) => paths(&session, args, &config, &question, folder),
            (None, None) => answer(&session, args, &config, question),
        };
        say(&Said::Answer(Box::new(reply)))?;
    }
    Ok(0)
}

/// What has changed in the repositories of the program, its sources included.
fn changes_since(paths: &[PathBuf], revision: &str) -> Result<Changes, ChangesError> {
    let mut changes = Changes::default();
    for path in paths {
        changes.extend(Changes::since(path, revision)?);
    }
    Ok(changes)
}

/// The entry points, with hashes of what answers about them rely on: the code, and the platform.
fn entry_points(
    session: &Session,
    visibility: VisibilityArg,
    args: &CheckArgs,
    changes: Option<&Changes>,
) -> Vec<EntryPoint> {
    let platform = session.origin().platform().map_or(String::new(), |(name, version)| format!("{name} {version} "));
    let visibility = match visibility {
        VisibilityArg::Public => Visibility::Public,
        VisibilityArg::Package => Visibility::Package,
        VisibilityArg::Private => Visibility::Private,
    };
    let validity = args.valid.valid_inputs.map(|_| args.valid.valid_method.as_str());
    let touched =
        changes.map(|changes| session.entry_points_through(visibility, &|file, lines| changes.touch(file, lines)));
    let entries = session.entry_points(visibility, validity).into_iter().map(|found| EntryPoint {
        place: PlaceDocument::of(session.program(), found.span),
        at: None,
        asks: Asks::Violation,
        is_touched: touched.as_ref().is_none_or(|touched| touched.contains(&found.name)),
        name: found.name,
        annotations: found.annotations,
        code: format!("{platform}{}", found.fingerprint.code),
        places: found.fingerprint.places,
    });
    entries.collect()
}

fn say(message: &impl serde::Serialize) -> anyhow::Result<()> {
    print(&serde_json::to_string(message)?)
}

/// The question about a line, or about an entry point.
fn asked(session: &Session, args: &CheckArgs, config: &CheckConfig, question: &Question) -> CheckConfig {
    CheckConfig {
        question: match question.asks {
            Asks::Violation => aback_core::Question::Violation,
            Asks::Reach => aback_core::Question::Reach,
            Asks::Null { column } => aback_core::Question::Null { column },
        },
        entry: question.at.is_none().then(|| question.entry.clone()),
        at: question.at.as_ref().map(|at| Line { file: at.file.clone(), line: at.line }),
        timeout: Duration::try_from_secs_f64(question.seconds).ok(),
        // Properties fail by exceptions.
        violations: Violations::in_language(session.program(), args.traps || session.is_property(&question.entry)),
        // What one question has found out does not go for another.
        progress: Arc::default(),
        iterations: Arc::default(),
        beside: Arc::default(),
        ..config.clone()
    }
}

/// Does the work of a question that somebody watches, and says again and again how far it has come.
fn telling<R>(progress: &Progress, work: impl FnOnce() -> R) -> R {
    let tell = |done: &AtomicBool| {
        let mut told = Explored::default();
        loop {
            std::thread::park_timeout(TELL);
            if done.load(Ordering::Acquire) {
                return;
            }
            // Each search counts from the beginning.
            let most = |counter: &AtomicU64, told: u64| counter.load(Ordering::Relaxed).max(told);
            let now = Explored {
                paths: most(&progress.paths, told.paths),
                operations: most(&progress.operations, told.operations),
            };
            // Nobody reads any more if this fails, which ends the worker.
            if now != told && say(&Said::Explored(now)).is_ok() {
                told = now;
            }
        }
    };
    aback_core::watched(tell, work)
}

/// Looks for several paths at once, and writes a witness for each.
fn paths(session: &Session, args: &CheckArgs, config: &CheckConfig, question: &Question, folder: &Path) -> Reply {
    let config = asked(session, args, config, question);
    let start = Instant::now();
    let mut answer = match (telling(&config.progress, || session.check(&config)), question.asks) {
        (Ok(answer), _) => answer,
        // Where the cursor is no object is used. Then the question is about the whole line.
        (Err(CheckError::Question(QuestionError::NoReference { .. })), Asks::Null { column: Some(_) }) => {
            let question = Question { asks: Asks::Null { column: None }, ..question.clone() };
            return paths(session, args, &config, &question, folder);
        }
        (Err(error), _) => return without_answer(Vec::new(), "error", error.to_string()),
    };
    let mut reply = with_files(session, &mut answer, folder, &config);
    // Most users need one path, so that others get about the time that this one took.
    let Some(first) = answer.violation.as_ref().filter(|_| question.violations > 1) else { return reply };
    if say(&Said::Found(Box::new(reply.clone()))).is_err() {
        return reply;
    }
    let left = config.timeout.map_or(Duration::MAX, |limit| limit.saturating_sub(start.elapsed()));
    let timeout = Some(left.min((start.elapsed() * 2).max(FURTHER)));
    let several = CheckConfig { counterexamples: question.violations, timeout, ..config.clone() };
    let Ok(mut others) = telling(&config.progress, || session.check(&several)) else { return reply };
    // The same lines can end in other exceptions, and one line can have several assertions.
    let way = |violation: &Violation| {
        let spans: Vec<Span> = violation.path.iter().map(|step| step.span).collect();
        (violation.class, violation.place, spans)
    };
    let found = others.violation.take().into_iter().chain(std::mem::take(&mut others.more));
    let mut found = found.filter(|other| way(other) != way(first)).take(question.violations - 1);
    (others.violation, others.more) = (found.next(), found.collect());
    let beside = folder.join("others");
    // Witnesses belong to violations by their order.
    let is_whole = reply.witnesses.len() == reply.violations.len();
    if is_whole && others.violation.is_some() && std::fs::create_dir_all(&beside).is_ok() {
        let others = with_files(session, &mut others, &beside, &config);
        reply.violations.extend(others.violations);
        reply.witnesses.extend(others.witnesses);
        reply.tests.extend(others.tests);
    }
    reply
}

/// All violations of an answer. For each, there are a witness and a unit test in a folder, as far as they can be written.
fn with_files(session: &Session, answer: &mut Answer, folder: &Path, config: &CheckConfig) -> Reply {
    session.note_unmade(answer, &config.interrupt);
    let (mut witnesses, mut tests) = (Vec::new(), Vec::new());
    for (number, violation) in (1..).zip(answer.violation.iter().chain(&answer.more)) {
        let file = folder.join(format!("{number}.json"));
        if std::fs::write(&file, session.witness(answer, violation, None).to_text()).is_err() {
            break;
        }
        witnesses.push(file);
        let test = session.test_of(&answer.program, violation, &config.interrupt).ok().and_then(|(name, text)| {
            let folder = folder.join(number.to_string());
            let file = folder.join(name);
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, text)).ok().map(|()| file)
        });
        tests.push(test);
    }
    let mut document = Document::of_answer(&answer.program, &[], answer, None);
    let violations = document.violation.take().into_iter().chain(std::mem::take(&mut document.more)).collect();
    Reply { witnesses, tests, ..reply(violations, document, answer) }
}

/// Goes back from a line by hand.
fn go_back(
    session: &Session,
    args: &CheckArgs,
    config: &CheckConfig,
    question: &Question,
    (trail, folder): (&TrailQuestion, Option<&Path>),
) -> Reply {
    let mut config = asked(session, args, config, question);
    config.backward.unwind = trail.unwind.or(config.backward.unwind);
    let before = |entries, stops| Some(Before { entries, stops });
    if question.entry.is_empty() {
        return match session.starts(&config) {
            Ok(entries) => {
                let nothing = without_answer(Vec::new(), "unknown", String::new());
                Reply { before: before(entries, Vec::new()), ..nothing }
            }
            Err(error) => without_answer(Vec::new(), "error", error.to_string()),
        };
    }
    let chosen = Trail { stops: trail.stops.clone(), asks: trail.asks };
    let mut answer = match telling(&config.progress, || session.go_back(&config, &question.entry, chosen)) {
        Ok(answer) => answer,
        Err(error) => return without_answer(Vec::new(), "error", error.to_string()),
    };
    let program = answer.program.clone();
    let place = |place: &aback_witness::Place| PlaceDocument::of(&program, place.span);
    let stops = answer.stops.iter().map(|stop| StopDocument {
        node: stop.node,
        place: place(&stop.place),
        text: program.line_text(stop.place.span).unwrap_or_default().to_owned(),
        is_start: stop.is_start,
        before: stop.before.iter().map(|(before, times)| (place(before), *times)).collect(),
        condition: stop.condition.clone(),
    });
    let stops = stops.collect();
    let reply = match folder {
        Some(folder) => with_files(session, &mut answer, folder, &config),
        None => reply(Vec::new(), Document::of_answer(&answer.program, &[], &answer, None), &answer),
    };
    // Without a question, only what keeps lines from being found is a reason.
    let is_over = answer.gaps.iter().any(|gap| matches!(gap, Gap::Time | Gap::Memory | Gap::Interrupted));
    let reason = match (trail.asks || is_over, answer.stops.is_empty()) {
        (true, _) => reply.reason.clone(),
        (false, true) => "control does not come here on this way, as far as loops were unwound".into(),
        (false, false) => String::new(),
    };
    Reply { before: before(Vec::new(), stops), reason, ..reply }
}

/// These violations, and what an answer says about the rest.
fn reply(violations: Vec<ViolationDocument>, document: Document, answer: &Answer) -> Reply {
    Reply {
        violations,
        rest: document.verdict,
        reason: document.reason,
        bounds: document.bounds,
        assumptions: document.assumptions,
        is_out_of_time: answer.gaps.contains(&Gap::Time) || answer.is_searching,
        is_cut: false,
        witnesses: Vec::new(),
        tests: Vec::new(),
        before: None,
    }
}

/// Looks for one violation after the other, and then whether there are no others.
fn answer(session: &Session, args: &CheckArgs, config: &CheckConfig, question: Question) -> Reply {
    let end = Duration::try_from_secs_f64(question.seconds).ok().and_then(|limit| Instant::now().checked_add(limit));
    let mut known: Vec<KnownViolation> = Vec::new();
    let mut violations = Vec::new();
    loop {
        let config = CheckConfig {
            timeout: end.map(|end| end.saturating_duration_since(Instant::now())),
            known: Arc::new(known.clone()),
            ..asked(session, args, config, &question)
        };
        let mut answer = match session.check(&config) {
            Ok(answer) => answer,
            Err(error) => return without_answer(violations, "error", error.to_string()),
        };
        session.note_unmade(&mut answer, &config.interrupt);
        let mut document = Document::of_answer(&answer.program, &[], &answer, None);
        let Some(mut violation) = document.violation.take() else {
            return reply(violations, document, &answer);
        };
        let blame = answer.violation.as_ref().map(|found| Blame::of(&answer.program, found, &config.interrupt));
        let nulls = blame.iter().flat_map(|blame| &blame.nulls).map(|(index, _)| *index);
        // What only a null shows for which the caller is to blame does not hide anything else at the same line.
        let nulls: Vec<usize> = nulls.filter(|_| args.assumed.trust).collect();
        let null_elements = args.assumed.trust && blame.as_ref().is_some_and(|blame| blame.null_elements);
        violation.blame = blame.map(Into::into);
        violation.cause = answer.violation.as_ref().and_then(|found| cause(&answer.program, found));
        // What is not shown needs no run.
        let is_blamed = args.assumed.trust && callers_fault(&violation).is_some();
        if args.evidence.confirm && violation.unmade.is_none() && !is_blamed {
            session.confirm(&mut answer, &confirm_config(args.evidence.sandbox, &config.interrupt));
            let confirmation = answer.violation.as_ref().and_then(|found| found.confirmation.as_ref());
            violation.confirmation = confirmation.map(Into::into);
        }
        known.push(KnownViolation {
            nulls,
            null_elements,
            file: violation.place.file.clone(),
            line: violation.place.line,
            exception: violation.exception.as_ref().map(|exception| exception.class.clone()),
        });
        violations.push(violation);
        // A line is reached or not.
        if question.asks == Asks::Reach {
            return without_answer(violations, "unknown", String::new());
        }
        if violations.len() >= question.violations {
            let reason = format!("the limit of {} (--violations)", counted(question.violations, "violation"));
            return Reply { is_cut: true, ..without_answer(violations, "unknown", reason) };
        }
    }
}

fn without_answer(violations: Vec<ViolationDocument>, rest: &str, reason: String) -> Reply {
    let (bounds, assumptions) = (Vec::new(), Vec::new());
    Reply {
        violations,
        rest: rest.into(),
        reason,
        bounds,
        assumptions,
        is_out_of_time: false,
        is_cut: false,
        witnesses: Vec::new(),
        tests: Vec::new(),
        before: None,
    }
}
