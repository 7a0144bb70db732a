//! Causes that appear after a game: D11, D12 and D17.

use super::inquiry::{Subject, exit_words};
use super::language::Language;
use super::stderr::uncaught;
use crate::drill::readiness::{Cause, Diagnosis};
use crate::drill::script::{BoutFacts, ProcessExit, Speaker};

/// The causes that appear after the game, most specific first.
pub(super) fn find(subject: &Subject<'_>) -> Vec<Diagnosis> {
    let Some(wrong) = Wrong::of(subject.game) else { return Vec::new() };
    [draw(subject, wrong), early_end(subject, wrong), dies(subject, wrong)].into_iter().flatten().collect()
}

/// A mistake of a bot after its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// The bot's process fails.
    Fails,
    /// The bot's process reports an exception, and exits with status 0.
    Raises,
    /// The bot's process does not exit on its own.
    Stays,
}

impl Wrong {
    fn of(game: &BoutFacts) -> Option<Self> {
        let process = game.process.as_ref().filter(|_| game.end.is_as_planned())?;
        match process.exit {
            Some(ProcessExit::Signal(_)) => Some(Self::Fails),
            Some(ProcessExit::Status(status)) if status != 0 => Some(Self::Fails),
            _ if uncaught(&process.stderr).is_some() => Some(Self::Raises),
            None if process.left_after.is_none() => Some(Self::Stays),
            _ => None,
        }
    }
}

/// The code that announced the end of `game` to the bot, if the game was played to its end. A move that ends the game
/// on the board is announced by two lines, and the bot may have read only the first.
pub(super) fn code_of(game: &BoutFacts) -> Option<u32> {
    let is_played = game.end.is_as_planned();
    let lines: Vec<String> = game.transcript.lines_by(Speaker::Arena).filter(|_| is_played).collect();
    let codes: Vec<u32> = lines.iter().filter_map(|line| line.get(..3)?.parse().ok()).collect();
    match codes[..] {
        [.., first @ 201..=204, _] | [.., first] => Some(first),
        [] => None,
    }
}

/// Whether `code` announces a win or a loss on the board.
pub(super) const fn is_ordinary(code: u32) -> bool {
    matches!(code, 201 | 202 | 321..=324)
}

/// Whether the bot handles the end of `game` correctly.
pub(super) fn takes_end(game: &BoutFacts) -> bool {
    game.process.is_some() && game.end.is_as_planned() && Wrong::of(game).is_none()
}

/// Whether the bot handles the ordinary endings, a win and a loss, correctly. `None` if no game ended in either way.
fn takes_ordinary_ends(subject: &Subject<'_>) -> Option<bool> {
    let has_ordinary_end = |game: &&BoutFacts| code_of(game).is_some_and(is_ordinary);
    let trials = subject.inquiry.trials.iter().filter(|trial| !EARLY.contains(&trial.scenario.id));
    let games = trials.flat_map(|trial| &trial.games).filter(|game| !game.is_void());
    let mut ends = games.filter(has_ordinary_end).map(takes_end).peekable();
    ends.peek().is_some().then(|| ends.all(|takes| takes))
}

/// Whether the exception contains one of `words`.
fn says(subject: &Subject<'_>, words: &[&str]) -> bool {
    subject.last_words().iter().any(|line| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(word))
    })
}

/// The bot's mistake, worded to follow "Your bot".
const fn does(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::Fails | Wrong::Raises => "fails",
        Wrong::Stays => "does not exit",
    }
}

/// D11: the bot treats a draw as an error.
fn draw(subject: &Subject<'_>, wrong: Wrong) -> Option<Diagnosis> {
    let code = code_of(subject.game)?;
    let is_draw = matches!(code, 203 | 325 | 326);
    let has_words = || says(subject, &["terminated early", "disconnected"]);
    if !is_draw || !takes_ordinary_ends(subject).unwrap_or_else(has_words) {
        return None;
    }
    let text = format!(
        "Your bot {} when a game ends in a draw (code `{code}`), although it handles wins and losses correctly. A draw ends a game like any other result; its codes are 203, 325 and 326.",
        does(wrong)
    );
    let fix = format!(
        "Where your bot checks for the codes of a win and a loss, add those of a draw: `203`, `325` (black made the last move) and `326` (white did). {}",
        leaving(subject.inquiry.code.language)
    );
    let place = subject.failing_line().or_else(|| subject.inquiry.code.find_any(&["terminated early", "202"]));
    Some(subject.diagnosis(Cause::DrawAsError, text, fix).at(place))
}

/// The scenarios in which a game ends before the board is full.
const EARLY: [&str; 4] = ["opponent-resigns", "opponent-leaves", "opponent-flags", "own-flag"];

/// D12: the bot does not know a code that ends a game early.
fn early_end(subject: &Subject<'_>, wrong: Wrong) -> Option<Diagnosis> {
    let code = code_of(subject.game)?;
    let is_early = subject.is_one_of(&EARLY) || matches!(code, 204 | 327 | 328 | 361 | 362 | 391 | 392);
    let has_words = || says(subject, &["unknown move status code"]);
    if !is_early || !takes_ordinary_ends(subject).unwrap_or_else(has_words) {
        return None;
    }
    let meaning = match code {
        327 | 328 => "a player has resigned",
        361 | 362 => "a player's time is up",
        391 | 392 => "a player has left",
        201 => "you have won",
        202 => "you have lost",
        203 => "the game is a draw",
        _ => "the game is over",
    };
    let text = format!(
        "Your bot {} on the code `{code}`, which means that {meaning}. A game can also end before the board is full, and the bot has to recognise every code that ends a game.",
        does(wrong)
    );
    let fix = format!(
        "Treat 201 to 204, 321 to 328, 361, 362, 391, 392 and the end of the input as the end of the game. {}",
        leaving(subject.inquiry.code.language)
    );
    let place = subject.failing_line().or_else(|| subject.inquiry.code.find_any(&["unknown move status code"]));
    Some(subject.diagnosis(Cause::EndCodes, text, fix).at(place))
}

/// D17: the process fails after the game.
fn dies(subject: &Subject<'_>, wrong: Wrong) -> Option<Diagnosis> {
    let how = exit_words(subject.game).filter(|_| wrong == Wrong::Fails)?;
    let text = format!(
        "After the game, your bot's process does not exit cleanly ({how}). This changes no result, but it looks like a crash in a log."
    );
    let place = subject.failing_line().or_else(|| {
        let ways = [
            "sys.exit(1",
            "System.exit(1",
            "System.exit(-1",
            "process.exit(1",
            "process::exit(1",
            "exit(1)",
            "sys.exit(\"",
            "sys.exit('",
        ];
        subject.inquiry.code.find_any(&ways)
    });
    let fix =
        format!("Exit when the game is over, and read no further lines. {}", leaving(subject.inquiry.code.language));
    Some(subject.diagnosis(Cause::DiesAfterEnd, text, fix).at(place))
}

const fn leaving(language: Language) -> &'static str {
    match language {
        Language::Python => "Exit with `sys.exit(0)`.",
        Language::Java => "Exit with `System.exit(0);`, which also ends other threads.",
        Language::C | Language::Cpp => "Return 0 from `main`.",
        Language::Rust => "Return from `main` normally, or call `process::exit(0)`.",
        Language::JavaScript => "Exit with `process.exit(0)`.",
        Language::Other => "Exit with status 0.",
    }
}
