//! D21: the bot communicates over stdin and stdout, but was started as if it connected to a socket.

use super::super::exceptions::is_unreadable;
use super::super::inquiry::Subject;
use super::super::language::Language;
use super::super::source_lines::CodeLine;
use crate::drill::readiness::{Cause, Diagnosis};
use crate::referee::wire::Hello;

/// D21, if no connection was made, nothing in the bot's sources makes one, and the bot sent its hello to stdout or
/// reads stdin. A replay over stdin and stdout tests whether the bot can play over them.
pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnosis> {
    let process = subject.game.process.as_ref().filter(|_| !subject.has_connected())?;
    let code = &subject.inquiry.code;
    if code.find(makes_connection).is_some() {
        return None;
    }
    let greeting = process.stdout.lines().find(|line| line.parse::<Hello>().is_ok());
    let reading = reads_stdin(subject);
    let (fact, shown) = match (greeting, reading) {
        (Some(line), _) => ("writes its hello to stdout", format!("stdout: {line}")),
        (None, Some(line)) if !is_unreadable(subject) => {
            ("reads from stdin", format!("the bot's code: {}", line.text.trim()))
        }
        (None, _) => return None,
    };
    let text = format!(
        "Your bot {fact}, and the referee received no connection. The arena expected the bot to connect on its own, but the bot takes its seat when the arena talks to it over stdin and stdout."
    );
    let fix = "Declare that it uses stdin and stdout: `transport = \"stdio\"` under the player in the tournament file or in gothello.toml, or `check --stdio`. Or make the bot connect to the host and port given in its arguments.";
    let diagnosis = subject.diagnosis(Cause::StandardStreams, text, fix.to_owned()).at(reading);
    let evidence =
        [shown, "the referee received no connection".to_owned()].into_iter().chain(diagnosis.evidence.clone());
    Some(diagnosis.showing(evidence))
}

/// Whether `line` may make a connection: it mentions a socket or the course's client library.
fn makes_connection(line: &str) -> bool {
    const WORDS: [&str; 10] = [
        "socket",
        "connect(",
        "connection(",
        "tcpstream",
        "net.dial",
        "inet",
        "gthclient",
        "gothelloclient",
        "gothello_client",
        "gth_start_game",
    ];
    let low = line.to_lowercase();
    WORDS.iter().any(|word| low.contains(word))
}

/// The line that reads stdin.
fn reads_stdin<'a>(subject: &Subject<'a>) -> Option<CodeLine<'a>> {
    let code = &subject.inquiry.code;
    code.find_any(match code.language {
        Language::Python => &["stdin", "input(", "fileinput"],
        Language::Java => &["System.in"],
        Language::C => &["stdin", "scanf(", "getchar(", "gets(", "STDIN_FILENO", "read(0"],
        Language::Cpp => {
            &["cin >>", "cin>>", "cin.", "(cin", "::cin", "stdin", "scanf(", "getchar(", "STDIN_FILENO", "read(0"]
        }
        Language::Rust => &["stdin()"],
        Language::JavaScript => &["process.stdin", "readFileSync(0"],
        Language::Other => &[],
    })
}
