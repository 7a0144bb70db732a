//! Causes related to time: D01, D13, D15 and D16.

use std::time::Duration;

use super::inquiry::{Subject, finding, is_due, seconds};
use super::language::Language;
use super::source_lines::has_bare_word;
use crate::base::units::counted;
use crate::drill::readiness::{Cause, Diagnosis};
use crate::drill::script::{BoutEnd, BoutFacts, ClockPart, ClockUse, Coming, Speaker};
use crate::game::Side;
use crate::referee::time_control::{SideControl, TimeControl};

/// The causes related to the use of time: D15, D13 and D16, most specific first.
pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnosis> {
    [busy(subject), swapped(subject), slow(subject)].into_iter().flatten().collect()
}

/// Whether `game` has clocks.
pub(super) fn has_clocks(game: &BoutFacts) -> bool {
    game.time_control != TimeControl::Unlimited
}

/// Whether the bot had sent nothing but its hello when `game` ended.
fn is_mute(game: &BoutFacts) -> bool {
    game.coming == Coming::Seated && game.transcript.lines_by(Speaker::Bot).count() <= 1 && game.plies.len() <= 1
}

/// Whether the bot's process or its connection ended in the middle of `game`.
pub(super) fn has_crashed(game: &BoutFacts) -> bool {
    matches!(game.end, BoutEnd::Crashed(_) | BoutEnd::Disconnected)
}

/// D01: the bot crashes on the line `101`.
pub(super) fn fails_on_101(subject: &Subject<'_>) -> Option<Diagnosis> {
    let game = subject.game;
    let line = game.transcript.lines_by(Speaker::Arena).find(|line| line.starts_with("101 "))?;
    if !has_clocks(game) || !is_mute(game) || !subject.has_ended_early() {
        return None;
    }
    let name = subject.uncaught.as_ref().and_then(|uncaught| unknown_name(&uncaught.headline));
    let code = subject.failing_code();
    let name = name.filter(|name| name.contains("time") || code.contains("time"));
    if name.is_none() && !is_only_with_clocks(subject) {
        return None;
    }
    let (text, fix) = match &name {
        Some(name) => old_client(subject, name, &code),
        None => (
            "Your bot exits when it reads the line `101`, which replaces `100` in games with clocks. Without clocks, it plays.".to_owned(),
            format!("Two whole numbers follow the code `101`: your own seconds and your opponent's. {}", reading_101(subject.inquiry.code.language)),
        ),
    };
    let place = subject.failing_line().or_else(|| {
        let name = name.as_ref()?;
        subject.inquiry.code.find(|line| has_bare_word(line, name) && line.contains('='))
    });
    let rest =
        subject.uncaught.iter().map(|uncaught| format!("stderr: {}", uncaught.headline)).chain(subject.exit_words());
    Some(
        finding(Cause::ClockNameError, text, fix)
            .showing(std::iter::once(format!("arena: {line}")).chain(rest))
            .at(place),
    )
}

/// The name in `NameError: name 'x' is not defined` and similar messages.
fn unknown_name(headline: &str) -> Option<String> {
    let is_kin = ["NameError", "UnboundLocalError", "AttributeError"].iter().any(|kind| headline.contains(kind));
    let name = headline.split('\'').rev().nth(1)?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_') && !name.is_empty();
    (is_kin && is_name).then(|| name.to_owned())
}

/// The advice about an old copy of the course's client.
fn old_client(subject: &Subject<'_>, name: &str, code: &str) -> (String, String) {
    let name = super::inquiry::shown(name);
    let file = subject.failing_line().map(|line| line.place().file);
    let file = file.map_or("client".to_owned(), |file| format!("`{file}`"));
    let text = format!(
        "Your {file} is an old copy of the course's client, with a bug that appears only in games with clocks. On the line `101`, it uses the name `{name}`, which does not exist."
    );
    let corrected = code.replacen(&name, &format!("self.{name}"), 1);
    let fix = if has_bare_word(code, &name) && code.contains('=') {
        format!(
            "Write `{}` there and make the same change in the lines below that name a time control, or use the client that `gothello-arena init bot python` writes.",
            super::inquiry::shown(&corrected)
        )
    } else {
        format!(
            "Assign a value to `{name}` before it is used, or use the client that `gothello-arena init bot python` writes."
        )
    };
    (text, fix)
}

/// Whether the bot exits before its first move in every game with clocks, including games in which it moves first, but
/// plays in games without clocks.
fn is_only_with_clocks(subject: &Subject<'_>) -> bool {
    let seated = || subject.inquiry.games().filter(|game| game.coming == Coming::Seated);
    let is_over_at_once = |game: &BoutFacts| is_mute(game) && has_crashed(game);
    // An exception that also ended a game in which the bot had moved is not caused by the first line that it reads.
    let is_elsewhere = subject.uncaught.as_ref().is_some_and(|uncaught| {
        let has_moved = |game: &&BoutFacts| game.own_plies().next().is_some();
        subject.inquiry.games().filter(has_moved).any(|game| game.stderr().contains(&uncaught.headline))
    });
    let with = seated().filter(|game| has_clocks(game) && game.side == subject.game.side).all(is_over_at_once);
    let as_black = seated().any(|game| has_clocks(game) && game.side == Side::Black && is_over_at_once(game));
    let plays =
        subject.other("plain").is_some_and(|plain| plain.games.iter().all(|game| !has_crashed(game) && !is_mute(game)));
    with && as_black && plays && !is_elsewhere
}

const fn reading_101(language: Language) -> &'static str {
    match language {
        Language::Python => "Read them with `own, opponent = map(int, line.split()[1:3])`.",
        Language::Java => "Read them with `Integer.parseInt(words[1])` and `Integer.parseInt(words[2])`.",
        Language::C | Language::Cpp => "Read them with `sscanf(line, \"101 %d %d\", &own, &opponent)`.",
        Language::Rust => "Read them with `line.split_whitespace().skip(1).take(2)`.",
        Language::JavaScript => "Read them with `line.split(/\\s+/).slice(1, 3).map(Number)`.",
        Language::Other => "Accept both codes.",
    }
}

/// How much faster a bot moves on its long clock than on its short one if it has swapped them.
const SWAPPED_RATIO: u32 = 2;

/// D13: the bot loses on time when its clock is short, and hurries when its clock is long.
fn swapped(subject: &Subject<'_>) -> Option<Diagnosis> {
    if !subject.is_one_of(&["clock-uneven"]) {
        return None;
    }
    let times = |game: &BoutFacts| {
        let times = game.time_control.sudden_death_times()?;
        let side = game.side.side();
        Some((times[side], times[side.opponent()]))
    };
    let games = &subject.trial.games;
    let short = games
        .iter()
        .find(|game| times(game).is_some_and(|(own, other)| own < other) && game.end == BoutEnd::FlagFell)?;
    let long = games
        .iter()
        .find(|game| times(game).is_some_and(|(own, other)| own > other) && game.end != BoutEnd::FlagFell)?;
    let (slow, quick) = (usual_turn(short)?, usual_turn(long)?);
    if slow <= quick * SWAPPED_RATIO || !is_thinking(subject, short) {
        return None;
    }
    let (own, other) = times(short)?;
    let text = format!(
        "Your bot mistakes its opponent's time for its own: its flag fell when it started with {} and its \
         opponent with {}. With the longer clock, it moved {} times as fast.",
        seconds(own),
        seconds(other),
        slow.as_millis() / quick.as_millis().max(1)
    );
    let language = subject.inquiry.code.language;
    let fix = format!(
        "The line `101` contains your own seconds first and then your opponent's, whichever side you are. {}",
        reading_101(language)
    );
    let evidence = [
        short
            .transcript
            .lines_by(Speaker::Arena)
            .find(|line| line.starts_with("101 "))
            .map(|line| format!("arena: {line}")),
        Some(format!("the flag fell after {}", moves(short.own_plies().count()))),
        long.transcript
            .lines_by(Speaker::Arena)
            .find(|line| line.starts_with("101 "))
            .map(|line| format!("arena: {line}")),
        Some(format!("{} used for {}", seconds(long.used), moves(long.own_plies().count()))),
    ];
    let place = subject.inquiry.code.find(|line| line.contains("101"));
    Some(finding(Cause::OwnOpponentSwapped, text, fix).showing(evidence.into_iter().flatten()).at(place))
}

/// The minimum amount of CPU time during the arena's silence that shows that the bot is not waiting.
const MUCH_CPU: Duration = Duration::from_millis(900);

/// D15: the bot computes while it waits.
fn busy(subject: &Subject<'_>) -> Option<Diagnosis> {
    let cpu = subject.game.idle_cpu.filter(|cpu| subject.is_one_of(&["slow"]) && *cpu >= MUCH_CPU)?;
    let text = format!(
        "Your bot used {} of CPU time while the arena was silent for 3 s. Either it polls for the next line, or it thinks during its opponent's turn; both take time from its opponent if the two share a machine.",
        seconds(cpu)
    );
    let (words, fix): (&[&str], _) = match subject.inquiry.code.language {
        Language::Python => (
            &["setblocking(False", "setblocking(0", "settimeout(0", "MSG_DONTWAIT", "select(", "poll("],
            "Use a blocking read: `line = file.readline()` on a blocking socket, without a polling loop.",
        ),
        Language::Java => (
            &[".ready()", ".available()", "selectNow(", "configureBlocking(false"],
            "Use a blocking read: `reader.readLine()`, without a loop over `ready()` or `available()`.",
        ),
        Language::C | Language::Cpp => (
            &["O_NONBLOCK", "MSG_DONTWAIT", "FIONBIO", "select(", "poll("],
            "Use a blocking read: `fgets` or `recv` on a blocking socket, without a polling loop.",
        ),
        Language::Rust => (
            &["set_nonblocking(true", "try_recv(", "spin_loop", "WouldBlock"],
            "Use a blocking read: `reader.read_line(&mut line)` on a blocking stream.",
        ),
        Language::JavaScript => (
            &["setImmediate(", "setInterval(", "while (true", "while(true"],
            "Wait for the `data` or `line` event, without a polling loop or timer.",
        ),
        Language::Other => (&[], "Use a read that waits for the next line, without a polling loop."),
    };
    let evidence = [format!("{} of CPU time in 3 s of silence", seconds(cpu))];
    let place = subject.inquiry.code.find_any(words);
    Some(finding(Cause::BusyWait, text, fix.to_owned()).showing(evidence).at(place))
}

/// Calls that sleep, in several languages.
const SLEEPS: [&str; 7] =
    ["time.sleep(", "Thread.sleep(", "usleep(", "nanosleep(", "sleep_for(", "thread::sleep(", "setTimeout("];

/// The end of the advice if the clock counts CPU time.
const MEASURE_CPU: &str =
    " The clock counts the CPU time of all your processes and threads (`clock = \"cpu\"`); measure that time.";

/// D16: the bot uses nearly all of its clock, or exceeds the scenario's time. If the bot would have kept a tenth of its
/// clock, not counting the time that it waited for a core, the machine was slow.
fn slow(subject: &Subject<'_>) -> Option<Diagnosis> {
    let game = subject.game;
    let turns: Vec<Duration> = game.own_plies().filter_map(|ply| ply.elapsed).collect();
    let spent: Duration = turns.iter().sum();
    let late = late_move(game);
    let uses_most = |used: &ClockUse| {
        let is_slow = is_thinking(subject, game) || is_slower_than_a_move(subject, used) || late.is_some();
        used.is_nearly_all(game.starved()) && is_slow
    };
    let fact = match ClockUse::of(game) {
        Some(used) if game.end == BoutEnd::FlagFell && uses_most(&used) => {
            format!("Your bot's flag fell after {}: {}.", moves(turns.len()), used.of_flag_fall())
        }
        Some(used) if game.end != BoutEnd::FlagFell && uses_most(&used) => {
            let reserve = if game.counts_cpu() { "hardly any reserve" } else { "no reserve for a busy machine" };
            format!("Your bot {used}, which leaves {reserve}.")
        }
        None if game.end == BoutEnd::TimedOut && is_slow_pace(game) => {
            format!(
                "Your bot made only {} before the scenario's time ran out; its slowest turn took {}.",
                moves(turns.len()),
                seconds(game.slowest)
            )
        }
        _ => return None,
    };
    let (duty, fix) = pacing(game);
    let text = format!("{fact} {duty}");
    let (measure, of_cpu) = if game.counts_cpu() { (MEASURE_CPU, " of CPU time") } else { ("", "") };
    let slowest = game.slowest.max(turns.iter().copied().max().unwrap_or_default());
    let evidence = [
        format!("{} in {}{of_cpu}", moves(turns.len()), seconds(spent)),
        format!("the slowest turn took {}{of_cpu}", seconds(slowest)),
    ];
    let evidence =
        evidence.into_iter().chain(late.map(|late| format!("the next move came {} too late", seconds(late))));
    // Sleeping costs no CPU time.
    let place = subject.inquiry.code.find_any(&SLEEPS).filter(|_| !game.counts_cpu());
    Some(finding(Cause::Slow, text, format!("{fix}{measure}")).showing(evidence).at(place))
}

/// The advice for a bot that is too slow: what it has to do, and how. The bot can look at its clock only if the game
/// has clocks and the arena sends them to the bot.
fn pacing(game: &BoutFacts) -> (&'static str, &'static str) {
    let is_told = game.transcript.lines_by(Speaker::Arena).any(|line| line.starts_with("101"));
    match game.time_control.of(game.side) {
        None => (
            "There are no clocks in this scenario, so it has to set its own limit for each move.",
            "Search to a depth that takes less than half a second per move: deepen step by step, and measure your own turns.",
        ),
        Some(SideControl::PerMove { .. }) => (
            "It has to end each move in time, whatever its search has found by then.",
            "Deepen step by step, measure your own turns, and stop after three quarters of the time for a move, which `{move_time}` in the command passes to the bot. With a bank, the seconds in the lines `101` and `207` include it.",
        ),
        Some(_) if !is_told => (
            "The arena does not announce the clock to it (`tell_clock = false`), so it has to set its own limit for each move.",
            "Give each move a fixed time, such as a twentieth of the tournament's clock: deepen step by step, and measure your own turns. Or fix the client so that it reads the line `101`, and remove `tell_clock = false`.",
        ),
        Some(SideControl::Game { increment: Duration::ZERO, .. }) => (
            "It has to watch its clock and decide how long each move may take.",
            "Search to a depth that depends on the time left: deepen step by step, and stop after a twentieth of the clock. The first number after `101` is your time for the whole game; measure your own turns.",
        ),
        Some(SideControl::Game { .. }) => (
            "It has to watch its clock and decide how long each move may take.",
            "Search to a depth that depends on the time left: deepen step by step, and stop after a twentieth of the clock. Take the time left from the line `207`, which includes the increments; a move that takes no longer than the increment costs nothing.",
        ),
        Some(SideControl::ByoYomi { .. }) => (
            "It has to watch its clock and decide how long each move may take.",
            "Search to a depth that depends on the time left: deepen step by step, and stop after a twentieth of the clock. Take the time left from the line `207`, which includes all periods; a move within a period costs nothing.",
        ),
    }
}

/// `number` with its noun, for example `8 moves`.
fn moves(number: usize) -> String {
    counted(number as u64, "move")
}

/// The median time that the bot took for a move, by its clock; `None` if it made no moves.
fn usual_turn(game: &BoutFacts) -> Option<Duration> {
    median(game.own_plies().filter_map(|ply| ply.elapsed).collect())
}

/// The median of `turns`, which is not affected if the machine hung once. `None` if there are no turns.
pub(super) fn median(mut turns: Vec<Duration>) -> Option<Duration> {
    turns.sort_unstable();
    turns.get(turns.len() / 2).copied()
}

/// Whether the bot spent its time on its moves: each move takes a long time, or the bot computed for most of the time.
/// A bot that moves quickly and then falls silent without computing, or that falls silent after a refusal, hangs.
fn is_thinking(subject: &Subject<'_>, game: &BoutFacts) -> bool {
    let turns = u32::try_from(game.own_plies().count() + 1).unwrap_or(u32::MAX);
    let is_usual = usual_turn(game).is_some_and(|usual| usual.saturating_mul(turns) * 2 > game.used);
    let cpu = game.process.as_ref().and_then(|process| process.usage).map_or(Duration::ZERO, |usage| usage.cpu());
    // A bot that polls also uses CPU time while it waits.
    let polls = || subject.inquiry.games().any(|game| game.idle_cpu.is_some_and(|cpu| cpu >= MUCH_CPU));
    !is_silent_after_refusal(game) && (is_usual || (cpu * 2 > game.used && !polls()))
}

/// Whether, in some game with the same kind of clock, the bot's usual move takes nearly all of the time that this game
/// allows for one move. The flag may fall in this game before any of its moves shows this.
fn is_slower_than_a_move(subject: &Subject<'_>, used: &ClockUse) -> bool {
    let is_slow = |game: &BoutFacts| {
        let turns = u32::try_from(game.own_plies().count()).unwrap_or(u32::MAX).max(1);
        usual_turn(game).is_some_and(|usual| usual.saturating_sub(game.starved() / turns) * 10 > used.whole * 9)
    };
    matches!(used.part, ClockPart::Move { .. })
        && !is_silent_after_refusal(subject.game)
        && subject.inquiry.games().filter(|game| game.counts_cpu() == subject.game.counts_cpu()).any(is_slow)
}

/// How late the bot's move came, if its flag fell in a single long turn; the bot then did not hang. A move that arrives
/// immediately after the flag fell may have waited in a buffer.
fn late_move(game: &BoutFacts) -> Option<Duration> {
    const LATE: Duration = Duration::from_millis(100);
    let has_moved = game.own_plies().next().is_some();
    let is_its_move = game.said_after_end.first().is_some_and(|line| is_due(game, line));
    game.spoke_after.filter(|late| *late >= LATE && has_moved && is_its_move && game.end == BoutEnd::FlagFell)
}

/// Whether the last line that the bot received is a refusal.
fn is_silent_after_refusal(game: &BoutFacts) -> bool {
    game.refusals.last().is_some_and(|refusal| refusal.ply == game.plies.len())
}

/// Whether moves took so long that the scenario's time was not enough: the bot's usual move is slow, even without its
/// share of the time that the bot waited for a core; and the usual move's time, multiplied by the number of the bot's
/// turns, exceeds half of the game's time.
fn is_slow_pace(game: &BoutFacts) -> bool {
    const SLOW_MOVE: Duration = Duration::from_millis(500);
    let turns = u32::try_from(game.own_plies().count() + 1).unwrap_or(u32::MAX);
    let is_slow = |usual: Duration| usual > SLOW_MOVE && usual.saturating_mul(turns) * 2 > game.took;
    let unstarved = usual_turn(game).map(|usual| usual.saturating_sub(game.starved() / turns));
    !is_silent_after_refusal(game) && unstarved.is_some_and(is_slow)
}
