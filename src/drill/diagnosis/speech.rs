//! Causes related to reading and writing lines: D08, D09, D10 and D19.

mod unflushed_writes;

use std::time::Duration;

use self::unflushed_writes::Flushing;
use super::clocks::median;
use super::inquiry::{Subject, finding, is_due, shown};
use super::language::Language;
use crate::drill::readiness::TrialStatus;
use crate::drill::readiness::{Cause, Diagnosis};
use crate::drill::script::{BotSeat, BoutEnd, BoutFacts, Coming, Refusal};
use crate::game::{Ruleset, Seat, Side};
use crate::referee::record::TryKind;
use crate::referee::wire::Hello;

/// The cause related to writing: D08, D09 or D19.
pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnosis> {
    [number(subject), early(subject), buffered(subject)].into_iter().flatten().collect()
}

/// D08: the bot's line was refused only because of its number or its dots.
fn number(subject: &Subject<'_>) -> Option<Diagnosis> {
    let game = subject.game;
    let refusal = game.true_refusals().next().filter(|_| subject.is_by_refusal() && game.early != Some(true))?;
    let expected = meant(game, refusal)?;
    let (counted, what) = match game.ruleset {
        Ruleset::Gothello => ("moves and passes", "point"),
        Ruleset::Seegover(_) => ("drops and moves", "turn"),
        Ruleset::Quantum(_) => ("moves and passes", "move"),
    };
    let sent = shown(&refusal.text);
    let text = format!(
        "Your bot sent `{sent}` where `{expected}` was expected. {}",
        match game.side {
            BotSeat::Side(Side::Black) => format!(
                "Each of black's lines consists of a number, which counts black's own {counted} from 1, and the {what}."
            ),
            BotSeat::Side(Side::White) => format!(
                "Each of white's lines consists of a number, which counts white's own {counted} from 1, then `...`, and the \
                 {what}."
            ),
            BotSeat::Seat(number) => format!(
                "Each line of {} consists of a number, which counts its own {counted} from 1, then {}, and the {what}.",
                game.side,
                dots_in_words(number)
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
        "Write {form}. Increase the number after each of your own {counted} that was accepted, but not when a line was refused (291, 299)."
    );
    let evidence = [format!("bot: {}", refusal.text), format!("arena: 299 {}", refusal.why)];
    Some(finding(Cause::MoveNumber, text, fix).showing(evidence))
}

/// D19: the bot sent a refused line before it had read all earlier lines. This is visible only in a game in which the
/// opponent's moves are held back; in other games, a wrong number looks the same.
fn early(subject: &Subject<'_>) -> Option<Diagnosis> {
    let game = subject.game;
    let refusal = game.true_refusals().next().filter(|_| subject.is_by_refusal() && game.early != Some(false))?;
    meant(game, refusal)?;
    let text = format!(
        "Your bot sent `{}` before it had read the answer to its last line or its opponent's move. A client that counts moves as it reads them then uses the number of an earlier move.",
        shown(&refusal.text)
    );
    let own = match game.side {
        BotSeat::Side(Side::Black) => {
            "as black, move after the line `351` or `352`, and then after each of white's moves"
        }
        BotSeat::Side(Side::White) => {
            "as white, move only after the line with black's first move, and then after each of black's moves"
        }
        BotSeat::Seat(_) => {
            "move only after the moves of all seats before yours, except those that have dropped out (`335`)"
        }
    };
    let fix = format!(
        "Read after each line that you send, a pass included, until the referee has accepted it and has sent your opponent's move: {own}. After `291` or `299`, it is still your turn."
    );
    let evidence = [format!("bot: {}", refusal.text), format!("arena: 299 {}", refusal.why)];
    Some(finding(Cause::MovesEarly, text, fix).showing(evidence))
}

/// The line that the bot should have sent instead of the refused line, if only its number or its dots are wrong.
fn meant(game: &BoutFacts, refusal: &Refusal) -> Option<String> {
    let mut position = game.position_after(refusal.ply);
    let is_own_turn = position.seat_to_move() == game.side.seat() && refusal.kind == TryKind::Garbled;
    let is_mark = |c: char| c.is_ascii_digit() || c == '.' || c == '-' || c == '+';
    let mut words =
        refusal.text.split_whitespace().map(|word| word.trim_start_matches(is_mark)).filter(|word| !word.is_empty());
    let word = words.next().filter(|_| is_own_turn)?;
    let played = position.play(word).ok()?;
    let seat = game.side.seat();
    let number = 1 + game.plies[..refusal.ply].iter().filter(|ply| ply.seat == seat).count();
    let dots = "... ".repeat(seat.index());
    Some(format!("{number} {dots}{played}"))
}

/// The dots before the moves of `seat`, as the object of a sentence.
fn dots_in_words(seat: Seat) -> String {
    match seat.index() {
        0 => "no `...`".to_owned(),
        1 => "`...` once".to_owned(),
        times => format!("`...` {times} times"),
    }
}

/// The maximum time after the end of a game within which a bot that was waiting for a line sends the contents of its
/// buffer.
const AT_ONCE: Duration = Duration::from_secs(1);

/// D09: the bot's output stays in its buffer. This becomes visible when the arena ends the silence: the program flushes
/// its buffers as it exits, and the overdue line arrives. Java flushes nothing on exit; for a bot in Java, the signs
/// are that it leaves immediately although it is its turn, and that its sources contain a write without a flush.
fn buffered(subject: &Subject<'_>) -> Option<Diagnosis> {
    let game = subject.game;
    let has_greeted = match &game.coming {
        Coming::Failed { reason, .. } if reason.starts_with("no hello") => false,
        Coming::Seated if matches!(game.end, BoutEnd::FlagFell | BoutEnd::OutOfWallTime | BoutEnd::TimedOut) => true,
        _ => return None,
    };
    // The greeting shows that the bot has connected or uses pipes.
    if !subject.has_connected() || game.refusals.last().is_some_and(|refusal| refusal.ply == game.plies.len()) {
        return None;
    }
    if has_greeted && !is_long_silence(game) {
        return None;
    }
    let is_late = |line: &String| if has_greeted { is_due(game, line) } else { line.parse::<Hello>().is_ok() };
    let came_late = game.said_after_end.first().filter(|line| is_late(line));
    let is_at_once = game.spoke_after.is_some_and(|after| after <= AT_ONCE);
    let place = match (came_late, unflushed_writes::flushing(&subject.inquiry.code)) {
        (Some(_), flushing) if is_at_once => flushing.lacking(),
        (None, Flushing::Lacks(line)) if leaves_without_flushing(subject) => Some(line),
        _ => return None,
    };
    let fact = if has_greeted {
        "It was your bot's turn, but its move did not arrive before the arena gave up waiting."
    } else {
        "Your bot's hello did not arrive before the arena gave up waiting."
    };
    let text =
        format!("{fact} The bot's output stays in the bot's own buffer until the buffer is full or the program exits.");
    let fix = match subject.inquiry.code.language {
        Language::Python => {
            "Flush after each line: `print(..., flush=True)`, or `file.flush()` after `file.write(...)`."
        }
        Language::Java => {
            "Flush after each line: `out.flush();` after `out.print(...)`. `new PrintWriter(stream, true)` flushes only after `println`."
        }
        Language::C => "Flush after each line: `fflush(stdout);`, or `setvbuf(stdout, NULL, _IONBF, 0);` at the start.",
        Language::Cpp => {
            "Flush after each line: `std::cout << ... << std::flush;`, or `std::cout << std::unitbuf;` at the start."
        }
        Language::Rust => {
            "Flush after each line: `stdout().flush()?;`. `print!` and `BufWriter` do not flush on their own."
        }
        Language::JavaScript => "Write with `process.stdout.write(line)` or `socket.write(line)`, without `cork()`.",
        Language::Other => "Flush the output after each line.",
    };
    let late = came_late.map_or("the process exited on its own when its input ended".to_owned(), |line| {
        format!("bot: {line} (after its input had ended)")
    });
    let evidence = subject.last_told().map(|line| format!("arena: {line}")).into_iter().chain([late]);
    Some(finding(Cause::Buffered, text, fix.to_owned()).showing(evidence).at(place))
}

/// Whether the silence at the end of `game` was far longer than the bot's usual turn. A shorter silence proves nothing:
/// a slow bot may send its move just when its time runs out.
fn is_long_silence(game: &BoutFacts) -> bool {
    const LONG: u32 = 4;
    // A clock that counts CPU time does not show a silence.
    let turns = game.wall_turns();
    let all = if game.end == BoutEnd::FlagFell && !game.counts_cpu() { game.used } else { game.took };
    let silence = all.saturating_sub(turns.iter().sum());
    median(turns).is_none_or(|usual| silence >= usual * LONG)
}

/// Whether the bot is written in Java, was waiting for a line while it was expected to send something, and left when
/// its input ended.
fn leaves_without_flushing(subject: &Subject<'_>) -> bool {
    let has_left = subject.game.process.as_ref().is_some_and(|process| process.exit.is_some());
    subject.inquiry.code.language == Language::Java && has_left && subject.uncaught.is_none() && is_idle(subject.game)
}

/// Whether the bot's processes used little CPU time compared with their lifetime.
fn is_idle(game: &BoutFacts) -> bool {
    const STARTING: Duration = Duration::from_secs(1);
    let usage = game.process.as_ref().and_then(|process| process.usage);
    usage.is_none_or(|usage| usage.cpu() < STARTING.max(usage.wall / 4))
}

/// D10: the bot plays only if each line arrives in a separate segment.
pub(super) fn by_recv(subject: &Subject<'_>) -> Option<Diagnosis> {
    const TRIED: [&str; 2] = ["split", "merged"];
    let plays = subject.other("plain").is_some_and(|trial| trial.status == TrialStatus::Pass);
    if !subject.is_one_of(&TRIED) || !plays {
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
        "Your bot plays when each line arrives whole, and fails when a line arrives in pieces."
    } else {
        "Your bot plays when lines arrive one by one, and fails when several arrive at once."
    };
    let text = format!(
        "{fact} A single `recv` or `read` returns whatever has arrived, which may be half a line or three lines."
    );
    let fix = match code.language {
        Language::Python => {
            "Read whole lines: call `file = sock.makefile(\"r\", newline=\"\")` once, and then `file.readline()`."
        }
        Language::Java => {
            "Read whole lines: create `new BufferedReader(new InputStreamReader(socket.getInputStream()))` once, and then call `readLine()`."
        }
        Language::C | Language::Cpp => {
            "Read whole lines: call `FILE *in = fdopen(sock, \"r\");` once, and then `fgets(line, sizeof line, in)`."
        }
        Language::Rust => {
            "Read whole lines: create `BufReader::new(stream)` once, and then call `read_line(&mut line)`."
        }
        Language::JavaScript => {
            "Read whole lines: `readline.createInterface({ input: socket })` and its `line` event, or keep the text after the last line end for the next `data` event."
        }
        Language::Other => "Collect the input in a buffer, and take lines from it as long as it contains a whole line.",
    };
    Some(subject.diagnosis(Cause::LineByRecv, text, fix.to_owned()).at(place))
}
