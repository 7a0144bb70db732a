//! Causes that lie in how a bot reads and writes lines: D08, D09 and D10.

mod flush;

use std::time::Duration;

use self::flush::Flushing;
use super::inquiry::{Subject, finding, shown};
use super::language::Language;
use crate::game::rules::{Ruleset, Side};
use crate::referee::drill::{BoutEnd, BoutFacts, Coming, Refusal, Speaker};
use crate::referee::record::TryKind;
use crate::results::readiness::TrialStatus;
use crate::results::readiness::{Cause, Diagnosis};

/// The cause that lies in how the bot reads and writes. These exclude each other.
pub(super) fn find(subject: &Subject<'_>) -> Option<Diagnosis> {
    // A bot that loses a line loses count, too.
    by_recv(subject).or_else(|| number(subject)).or_else(|| buffered(subject))
}

/// D08: a line was refused whose only fault is the number or the dots.
fn number(subject: &Subject<'_>) -> Option<Diagnosis> {
    let game = subject.game;
    let refusal = game.true_refusals().next()?;
    let expected = meant(game, refusal)?;
    let (counted, played) = match game.ruleset {
        Ruleset::Gothello => ("moves and passes", "point"),
        Ruleset::Seegover(_) => ("drops and moves", "turn"),
        Ruleset::Quantum(_) => ("moves and passes", "move"),
    };
    let sent = shown(&refusal.text);
    let text = format!(
        "Your bot sent `{sent}` where `{expected}` was expected. {}",
        match game.side {
            Side::Black =>
                format!("Black's lines are a number, which counts black's own {counted} from 1, and the {played}."),
            Side::White => format!(
                "White's lines are a number, which counts white's own {counted} from 1, then `...`, and the {played}."
            ),
        }
    );
    let form = match subject.inquiry.code.language {
        Language::Python => "`f\"{number} {'... ' if side == 'white' else ''}{move}\\r\\n\"`",
        Language::Java => "`number + (isWhite ? \" ... \" : \" \") + move + \"\\r\\n\"`",
        Language::C | Language::Cpp => "`\"%d %s%s\\r\\n\", number, is_white ? \"... \" : \"\", move`",
        Language::Rust => "`format!(\"{number} {}{played}\\r\\n\", if is_white { \"... \" } else { \"\" })`",
        Language::JavaScript => "`${number} ${isWhite ? '... ' : ''}${move}\\r\\n` in back-quotes",
        Language::Other => "`7 c4` for black and `7 ... c4` for white",
    };
    let fix = format!(
        "Write {form}. Count up after each of your own {counted} that was accepted, and not when a line was refused (291, 299)."
    );
    let evidence = [format!("bot: {}", refusal.text), format!("arena: 299 {}", refusal.why)];
    Some(finding(Cause::MoveNumber, text, fix).showing(evidence))
}

/// The line that `refusal` should have been, if only its number or its dots are wrong.
fn meant(game: &BoutFacts, refusal: &Refusal) -> Option<String> {
    let mut position = game.ruleset.start();
    for ply in game.plies.get(..refusal.ply)? {
        position.play(ply.played.as_str()).ok()?;
    }
    let is_own_turn = position.to_move() == game.side && refusal.kind == TryKind::Garbled;
    let is_mark = |c: char| c.is_ascii_digit() || c == '.' || c == '-' || c == '+';
    let mut words =
        refusal.text.split_whitespace().map(|word| word.trim_start_matches(is_mark)).filter(|word| !word.is_empty());
    let word = words.next().filter(|_| is_own_turn)?;
    let played = position.play(word).ok()?;
    let number = 1 + game.plies[..refusal.ply].iter().filter(|ply| ply.side == game.side).count();
    let dots = if game.side == Side::White { "... " } else { "" };
    Some(format!("{number} {dots}{played}"))
}

/// D09: what the bot says stays in its buffer.
fn buffered(subject: &Subject<'_>) -> Option<Diagnosis> {
    let game = subject.game;
    // What it says when its game is over was in its buffer until then.
    let lines = game.transcript.lines_by(Speaker::Bot).count().saturating_sub(game.said_after_end.len());
    let has_greeted = match &game.coming {
        Coming::Failed { reason, .. } if reason.starts_with("no hello") && lines == 0 => false,
        Coming::Seated if lines <= 1 && game.own_plies().next().is_none() && is_silent(game) => true,
        _ => return None,
    };
    let is_mute = |game: &BoutFacts| game.own_plies().next().is_none() && game.refusals.is_empty();
    // The greeting shows that the bot has connected, or has pipes.
    if !subject.has_connected() || !is_idle(game) || !subject.inquiry.games().all(is_mute) {
        return None;
    }
    let place = match flush::flushing(&subject.inquiry.code) {
        Flushing::Lacks(line) => Some(line),
        Flushing::Unknown if !has_said_anything_else(subject) => None,
        Flushing::Unknown | Flushing::Always => return None,
    };
    let fact = if has_greeted {
        "Your bot is at its turn, runs, and hardly computes, but no move comes."
    } else {
        "Your bot runs and hardly computes, but no hello comes."
    };
    let text =
        format!("{fact} What it writes stays in a buffer of its own until the buffer is full or the program ends.");
    let fix = match subject.inquiry.code.language {
        Language::Python => {
            "Flush after each line: `print(..., flush=True)`, or `file.flush()` after `file.write(...)`."
        }
        Language::Java => {
            "Flush after each line: `out.flush();` after `out.print(...)`. `new PrintWriter(stream, true)` flushes after `println` alone."
        }
        Language::C => "Flush after each line: `fflush(stdout);`, or `setvbuf(stdout, NULL, _IONBF, 0);` at the start.",
        Language::Cpp => {
            "Flush after each line: `std::cout << ... << std::flush;`, or `std::cout << std::unitbuf;` at the start."
        }
        Language::Rust => "Flush after each line: `stdout().flush()?;`. `print!` and `BufWriter` do not by themselves.",
        Language::JavaScript => "Write with `process.stdout.write(line)` or `socket.write(line)`, without `cork()`.",
        Language::Other => "Flush the output after each line.",
    };
    let said = game.transcript.lines_by(Speaker::Bot).last().map(|line| format!("bot: {line}"));
    let evidence = subject.last_told().map(|line| format!("arena: {line}")).into_iter().chain(said);
    let evidence = evidence.chain([format!("bot: nothing{}", if has_greeted { " more" } else { "" })]);
    Some(finding(Cause::Buffered, text, fix.to_owned()).showing(evidence).at(place))
}

/// Whether the bot was on move, said nothing, and did not end.
fn is_silent(game: &BoutFacts) -> bool {
    matches!(game.end, BoutEnd::FlagFell | BoutEnd::TimedOut)
}

/// Whether the bot's processes used little CPU time for the time that they were there.
fn is_idle(game: &BoutFacts) -> bool {
    const STARTING: Duration = Duration::from_secs(1);
    let usage = game.process.as_ref().and_then(|process| process.usage);
    usage.is_none_or(|usage| usage.cpu() < STARTING.max(usage.wall / 4))
}

/// Whether the bot tells on stderr that it does something else.
fn has_said_anything_else(subject: &Subject<'_>) -> bool {
    subject.uncaught.is_some()
}

/// D10: the bot plays as long as each line comes in a segment of its own.
fn by_recv(subject: &Subject<'_>) -> Option<Diagnosis> {
    const TRIED: [&str; 2] = ["split", "merged"];
    let plays = |id: &str| subject.other(id).map(|trial| trial.status == TrialStatus::Pass);
    if !subject.is_one_of(&TRIED) || plays("plain") != Some(true) {
        return None;
    }
    if matches!(subject.game.end, BoutEnd::Resigned | BoutEnd::LimitExceeded(_)) {
        return None;
    }
    // A bot that makes illegal moves anyway makes them here, too.
    if subject.game.true_refusals().any(|refusal| refusal.kind == TryKind::Illegal) && plays("legal-20") == Some(false)
    {
        return None;
    }
    let code = &subject.inquiry.code;
    let words: &[&str] = match code.language {
        Language::Python => &[".recv(", ".recv_into(", ".read1(", "os.read(", "select(", "settimeout(", "setblocking("],
        Language::Java => &["InputStream", ".ready()", ".available()", ".read(", "SocketChannel"],
        Language::C | Language::Cpp => &["recv(", "read(", "select(", "poll("],
        Language::Rust => &[".read(&mut", ".recv(", ".read(", "fill_buf("],
        Language::JavaScript => &["'data'", "\"data\"", "`data`", ".ondata", "'readable'", "\"readable\""],
        Language::Other => &[],
    };
    let place = code.find_any(words);
    if place.is_none() && code.is_known() {
        return None;
    }
    let fact = if subject.is_one_of(&["split"]) {
        "Your bot plays when each line comes at once, and fails when a line comes in pieces."
    } else {
        "Your bot plays when each line comes alone, and fails when several lines come at once."
    };
    let text =
        format!("{fact} One `recv` or `read` returns whatever has come, which may be half a line or three lines.");
    let fix = match code.language {
        Language::Python => "Read lines: `file = sock.makefile(\"r\", newline=\"\")` once, and then `file.readline()`.",
        Language::Java => {
            "Read lines: `new BufferedReader(new InputStreamReader(socket.getInputStream()))` once, and then `readLine()`."
        }
        Language::C | Language::Cpp => {
            "Read lines: `FILE *in = fdopen(sock, \"r\");` once, and then `fgets(line, sizeof line, in)`."
        }
        Language::Rust => "Read lines: `BufReader::new(stream)` once, and then `read_line(&mut line)`.",
        Language::JavaScript => {
            "Read lines: `readline.createInterface({ input: socket })` and its `line` event, or keep what follows the last line end for the next `data`."
        }
        Language::Other => "Collect what comes in a buffer, and take lines from it as long as it has a whole one.",
    };
    Some(subject.diagnosis(Cause::LineByRecv, text, fix.to_owned()).at(place))
}
