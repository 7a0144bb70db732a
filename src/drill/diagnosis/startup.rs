//! Causes that keep a bot from connecting to its seat: D02, D03, D14 and D21.

mod host;
mod missing;
mod streams;

pub(super) use missing::lack_line;

use super::inquiry::{Subject, shown};
use super::language::Language;
use super::source_lines::{CodeLine, quoted};
use crate::drill::readiness::{Cause, Diagnosis};
use crate::drill::script::{BotSeat, Coming, Speaker};

/// The causes that keep the bot from connecting to its seat, or that end the bot because something is missing, most
/// certain first.
pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnosis> {
    let absent = || [host::find(subject).or_else(|| arguments(subject)), streams::find(subject)];
    let absent = subject.is_absent().then(absent).into_iter().flatten();
    std::iter::once(missing::find(subject)).chain(absent).flatten().collect()
}

/// D03: the bot ignores or misreads the arguments that its command passes.
fn arguments(subject: &Subject<'_>) -> Option<Diagnosis> {
    let (fact, evidence) = other_side(subject)
        .or_else(|| failed_reading(subject))
        .or_else(|| usage(subject))
        .or_else(|| elsewhere(subject))?;
    let own_fix = own_fix(subject.inquiry.code.language);
    // If the side is hard-coded, changing the command does not help, and an exception in a client library is only a
    // consequence.
    let (line, text, fix) = match names_side(subject) {
        Some(line) => (Some(line), format!("{fact} The side is hard-coded."), own_fix.to_owned()),
        None => (
            subject.failing_line().or_else(|| reads_arguments(subject)),
            format!("{fact} The arguments in `command` must be the ones that the bot reads, in the same order."),
            format!(
                "{own_fix} Or change `command` to match the bot: `{{side}}`, `{{host}}`, `{{port}}` and `{{server}}` are replaced by their values."
            ),
        ),
    };
    let diagnosis = subject.diagnosis(Cause::FixedSide, text, fix);
    let rest: Vec<String> = diagnosis.evidence.iter().filter(|line| !evidence.contains(line)).cloned().collect();
    Some(diagnosis.showing(evidence.into_iter().chain(rest)).at(line))
}

const fn own_fix(language: Language) -> &'static str {
    match language {
        Language::Python => "Take the side from the arguments: `side, host, server = sys.argv[1:4]`.",
        Language::Java => {
            "Take the side from the arguments: `args[0]` is the side, `args[1]` the host, `args[2]` the server."
        }
        Language::C | Language::Cpp => {
            "Take the side from the arguments: `argv[1]` is the side, `argv[2]` the host, `argv[3]` the server."
        }
        Language::Rust => "Take the side from the arguments: `let side = env::args().nth(1)`, and so on.",
        Language::JavaScript => {
            "Take the side from the arguments: `const [side, host, server] = process.argv.slice(2)`."
        }
        Language::Other => "Take the side, the host and the server from the bot's arguments.",
    }
}

/// The bot asks for a side other than its own, or for one that does not exist.
fn other_side(subject: &Subject<'_>) -> Option<(String, Vec<String>)> {
    let own = subject.game.side;
    let seats = subject.game.ruleset.seats();
    for line in subject.game.transcript.lines_by(Speaker::Bot) {
        let mut words = line.split_whitespace();
        let wish = words.by_ref().skip_while(|word| *word != "player").nth(1);
        let Some(wish) = wish.filter(|_| line.trim_start().starts_with(|c: char| c.is_ascii_digit())) else { continue };
        let evidence = vec![format!("bot: {line}")];
        let asked = asked_for(wish, seats);
        if let Some(other) = asked.filter(|asked| *asked != own) {
            return Some((format!("Your bot asks for {other} although it was started as {own}."), evidence));
        }
        if asked.is_none() && wish != "?" && !wish.eq_ignore_ascii_case(&own.word()) {
            return Some((
                format!("Your bot asks for the side `{}`, which is another of its arguments.", shown(wish)),
                evidence,
            ));
        }
    }
    None
}

/// The seat that `wish` names in a game with `seats` seats.
fn asked_for(wish: &str, seats: u8) -> Option<BotSeat> {
    let asked: BotSeat = wish.parse().ok()?;
    (asked.seat().number() <= seats).then(|| BotSeat::of(seats, asked))
}

/// The bot fails on the line that reads its arguments.
fn failed_reading(subject: &Subject<'_>) -> Option<(String, Vec<String>)> {
    let uncaught = subject.uncaught.as_ref().filter(|_| !subject.has_connected())?;
    let (kind, code) = (uncaught.headline.as_str(), subject.failing_code());
    let kinds =
        ["IndexError", "OutOfBounds", "out of bounds", "out of range", "None", "not enough values", "too many values"];
    let is_index = kinds.iter().any(|word| kind.contains(word));
    let has_value =
        ["'black'", "'white'", "\"black\"", "\"white\"", "'127.", "\"127."].iter().any(|word| kind.contains(word));
    let is_bad_port =
        ["ERR_SOCKET_BAD_PORT", "port must be 0-65535", "port out of range"].iter().any(|word| kind.contains(word));
    let says_so = (is_index && is_about_arguments(&code)) || has_value || is_bad_port;
    says_so.then(|| ("Your bot fails while reading its arguments.".to_owned(), Vec::new()))
}

fn is_about_arguments(code: &str) -> bool {
    ["argv", "args", "arguments", "nth("].iter().any(|word| code.contains(word))
}

/// The line that contains the hard-coded side.
fn names_side<'a>(subject: &Subject<'a>) -> Option<CodeLine<'a>> {
    let BotSeat::Side(side) = subject.game.side else { return None };
    let other = side.opponent();
    let wish = format!("player {other}");
    let asks = || subject.game.transcript.lines_by(Speaker::Bot).any(|line| line.contains(&wish));
    let names = |line: &str| quoted(line).into_iter().any(|text| text == other.name());
    let code = &subject.inquiry.code;
    let is_call = |line: &str| names(line) && line.contains("Client(");
    // A line that compares sides does not set the bot's side. Every library contains such lines.
    let gives = |line: &str| names(line) && line.contains("side") && !line.contains("==") && !line.contains("equals(");
    let found = || code.find(|line| line.contains(&wish)).or_else(|| code.find(is_call)).or_else(|| code.find(gives));
    asks().then(found).flatten()
}

/// The line that reads the arguments.
fn reads_arguments<'a>(subject: &Subject<'a>) -> Option<CodeLine<'a>> {
    subject.inquiry.code.find_any(&["argv[", "sys.argv", "process.argv", "args[", "env::args", "argparse"])
}

/// The bot prints its usage, and exits.
fn usage(subject: &Subject<'_>) -> Option<(String, Vec<String>)> {
    let line =
        subject.stderr_tail(20).into_iter().find(|line| line.trim_start().to_lowercase().starts_with("usage"))?;
    let has_gone = subject.has_ended_early() && !subject.has_connected();
    has_gone.then(|| ("Your bot prints its usage message and exits.".to_owned(), vec![format!("stderr: {line}")]))
}

/// The bot connects to an address that is not the address in its command, and has no hard-coded host.
fn elsewhere(subject: &Subject<'_>) -> Option<(String, Vec<String>)> {
    let Coming::Failed { .. } = &subject.game.coming else { return None };
    let says = host::says_unreachable(subject).filter(|_| !subject.has_connected())?;
    reads_arguments(subject)?;
    Some((
        "Your bot looks for the referee at an address other than the one in its arguments.".to_owned(),
        vec![format!("stderr: {says}")],
    ))
}
