//! The complete record of a game, and its text: the PGN-like game log.
//!
//! ```text
//! [Event "CS 441 final"]
//! [Black "greedy"]
//! [White "alphabeta"]
//! [Result "1-0"]
//! [TimeControl "60"]
//! [Termination "time"]
//! [Ruleset "gothello"]
//!
//! 1. c3 {[%emt 0:00:00.012034] [%clk 0:00:59.987966]}
//! {[%illegal "1 ... c3"]} {[%garbled "what?"]}
//! b2 {[%emt 0:00:00.500000] [%clk 0:00:59.500000]}
//! {[%unfinished 0:01:00.000001]} 1-0
//! ```
//!
//! As in PGN, `1-0` is a win for *white* (the second player here) and `0-1` for black, so that rating programs can read
//! the file unchanged; `*` is a double forfeit or a void game. These are the tags, in the order in which they are
//! written:
//!
//! | tag | value |
//! | --- | --- |
//! | Event, Site, Date | the tournament, the machine, the day |
//! | Round | from 1; `?` and `-` read as absent |
//! | Black, White, Result | always present; a log from another program needs no other tags |
//! | Margin | black's points minus white's, without compensation |
//! | `TimeControl` | `-` without clocks, `60` for 60 seconds each, `60+1` with an increment, `600:5x30` with five periods, `1/move` or `1/move+60bank` for each move, `black 120 white 0.5` for unequal clocks; `?` reads as absent |
//! | `TimeScale` | the factor by which the clocks in `TimeControl` were scaled for a slower or faster machine, such as `1.25`; absent if they were not scaled |
//! | Clock | what the clocks counted, such as `cpu wall 600`; absent if they counted wall time |
//! | Adjudicate | when a proof could end the game, such as `nodes 200000 after_ply 22` or, by the Seegover table, `table after_ply 30`; absent if there were no proofs |
//! | Termination | a word for a [`crate::referee::result::Termination`], or `void` |
//! | Reason | a description of what happened |
//! | Game, Seed | the game's id and seed |
//! | Ruleset | the rules; `gothello` if absent |
//! | `BlackDigest`, `WhiteDigest` | the digest of the program that was run |
//! | `OpeningPlies` | how many of the first plies were given rather than played; absent if none were |
//! | `BlackUsage`, `WhiteUsage` | the resources that the player's processes used, in the form of [`Usage`]; absent if unknown |
//! | any others | kept, in order |
//!
//! Values are quoted as in PGN; a control character is `\xHH`. A comment after a move contains its time: `%emt`
//! (spent), `%clk` (left, that is, the time that the side may use for its next turn before its flag falls), `%period`
//! (how many periods are left) or `%bank` (what is left of the bank) if the control has one, and `%late` (late credit).
//! A comment before a move contains a line refused in that turn, `%illegal` or `%garbled`; the plies of an opening have
//! neither times nor refused lines. `%more` counts the refused lines that were not kept. `%unfinished` is the turn that
//! was cut off by the game's end. A comment after a move can also contain the bot's claims, `%eval`
//! ([`crate::referee::thought`]), and a warning from an analysis, `%note`. All times are `h:mm:ss.ffffff`. A move is
//! preceded by its number if it is black's (`1.`), or if it is white's and the previous move was also white's (`1...`).
//!
//! The log of a game with four or six seats is a [`GroupRecord`]. It has the tags Seats, Player1, Player2 and so on,
//! Result `*`, Ruleset and, once the game is over, Placing, Totals, Points and one Counts for each mode. If seat 3
//! drops out, the log has the tags Out3 and Reason3, and `%out` at that point in the moves. The first move of each
//! round of turns is preceded by a number.
//!
//! The reader also accepts everything else that PGN allows: any order of tags, `1.c3`, `1... b2`, moves without
//! numbers, NAGs, `!` and `?` after a move, `;` comments, `%` lines, CRLF, and a byte order mark. Other comments are
//! dropped, so printing another program's log converts it to the arena's form. The reader refuses variations, more than
//! one game, and more than [`MAX_BYTES`].

mod adjudicated;
mod check_errors;
mod checked_clocks;
mod checked_tries;
mod cursor;
mod group;
mod group_check;
mod group_errors;
mod group_print;
mod group_text;
mod left;
mod logged_game;
mod moves;
mod parse;
mod print;
mod quoting;
mod replayed;
mod tags;
mod text_errors;
mod thoughts;
mod value_texts;
mod verify;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use adjudicated::RepeatedProof;
pub use check_errors::{CheckError, Contradiction};
pub use group::{Circumstances, GroupRecord, LoggedGame, Out, RecordedClocks};
pub use group_errors::{GroupCheckError, GroupContradiction, GroupPlace};
pub use replayed::Numbered;
pub use text_errors::{LogProblem, LogTextError, MAX_BYTES};
pub use verify::{CheckedGame, check, check_with};

use crate::exact::adjudication::Adjudication;
use crate::game::{BySide, Move, Outcome, Ruleset, Seat, Side};
use crate::referee::clock::Meter;
use crate::referee::pace::TimeScale;
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::starvation::Starvation;
use crate::referee::thought::Thought;
use crate::referee::time_control::TimeControl;
use crate::referee::usage::{TimeLoss, Usage};

/// The tag with the name of the worker that played a game for a coordinator.
pub const WORKER_TAG: &str = "Worker";

/// The tag with the [`crate::referee::pace::Speed`] of the machine that played a game: the worker's or, without
/// [`WORKER_TAG`], the coordinator's.
pub const SPEED_TAG: &str = "Speed";

/// The tag that states how late the arena itself was in a game.
pub const LATENESS_TAG: &str = "Lateness";

/// The tag that states how a player that lost on time was starved during its turns.
pub const STARVATION_TAG: &str = "Starvation";

/// The tag of a game in which one of the players had its own handicap or compensation, regardless of its seat.
/// The value states which player. The ratings leave these games out.
pub const ODDS_TAG: &str = "Odds";

/// The tag of a game in which the bots' reports about their thinking may be published. Its value is `public`.
pub const THOUGHTS_TAG: &str = "Thoughts";

/// The value of [`THOUGHTS_TAG`].
const PUBLIC: &str = "public";

/// Everything that is recorded about a game. Its `Display` is the game log's text, which `FromStr` reads back to an
/// equal value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The tournament's name.
    pub event: Option<String>,
    /// The machine.
    pub site: Option<String>,
    /// The day on which the game ended, UTC, as `2026.11.21`.
    pub date: Option<String>,
    /// The round, starting from 1.
    pub round: Option<u32>,
    /// The players' names.
    pub players: BySide<String>,
    /// The game's id, unique in its tournament.
    pub game: Option<String>,
    /// The game's own seed.
    pub seed: Option<u64>,
    /// The rules.
    pub ruleset: Ruleset,
    /// The clocks before they were scaled; `None` if not recorded.
    pub time_control: Option<TimeControl>,
    /// How the clocks were scaled for the machine that played the game.
    pub time_scale: TimeScale,
    /// What the clocks measured.
    pub meter: Meter,
    /// When a proof could end the game; `None` if no proof could.
    pub adjudicate: Option<Adjudication>,
    /// SHA-256 digests of the programs that were run, in hexadecimal.
    pub digests: BySide<Option<String>>,
    /// The resources that each player's processes used, if known.
    pub usage: BySide<Option<Usage>>,
    /// Tags that are not known to the arena, in file order. Each name consists of letters, digits and `_`, occurs only
    /// once, and is not the name of a known tag.
    pub other_tags: Vec<(String, String)>,
    /// How many of the first plies were given rather than played, so they have no times.
    pub opening_plies: usize,
    /// The moves in the order in which they were made. The text of each begins with a letter, as in every rule set.
    pub plies: Vec<Ply>,
    /// The turn that was cut off by the game's end, if anything was recorded about it.
    pub unfinished: Option<Unfinished>,
    /// How the game ended.
    pub result: Result<GameResult, Void>,
}

impl GameRecord {
    /// Creates the record of a game without moves, about which nothing else is known.
    pub fn of(ruleset: Ruleset, players: BySide<String>, result: Result<GameResult, Void>) -> Self {
        Self {
            event: None,
            site: None,
            date: None,
            round: None,
            players,
            game: None,
            seed: None,
            ruleset,
            time_control: None,
            time_scale: TimeScale::ONE,
            meter: Meter::default(),
            adjudicate: None,
            digests: BySide::default(),
            usage: BySide::default(),
            other_tags: Vec::new(),
            opening_plies: 0,
            plies: Vec::new(),
            unfinished: None,
            result,
        }
    }

    /// The clocks that were used, that is, the tournament's clocks after scaling. `None` if not recorded.
    pub fn clocks(&self) -> Option<TimeControl> {
        self.time_control.map(|control| self.time_scale.clocks(control))
    }

    /// The move of the ply with this index, starting from 0, together with the move's number.
    ///
    /// # Panics
    /// Panics if there is no such ply.
    pub fn numbered(&self, index: usize) -> Numbered {
        let (side, played) = (self.plies[index].side(), self.plies[index].played);
        let number = self.plies[..=index].iter().filter(|ply| ply.side() == side).count();
        Numbered { number, side, played }
    }

    /// How many plies the players made themselves.
    pub const fn plies_played(&self) -> usize {
        self.plies.len().saturating_sub(self.opening_plies)
    }

    /// The time that `side` has spent according to the record, including an unfinished turn.
    pub fn used(&self, side: Side) -> Duration {
        let own = self.plies.iter().filter(|ply| ply.side() == side);
        let unfinished = self.unfinished.as_ref().filter(|turn| turn.side() == side);
        own.filter_map(|ply| ply.elapsed)
            .chain(unfinished.and_then(|turn| turn.elapsed))
            .fold(Duration::ZERO, Duration::saturating_add)
    }

    /// The side that lost on time, and what its CPU time indicates about the loss, as far as this is known.
    pub fn time_loss(&self) -> Option<(Side, TimeLoss)> {
        let used = BySide::from_fn(|side| self.used(side));
        TimeLoss::in_game(self.result.as_ref().ok(), &used, &self.usage)
    }

    /// The side that lost on time, and how it was starved during its turns, as far as this is known.
    pub fn starved_loss(&self) -> Option<(Side, Starvation)> {
        let lost_on_time = self.result.as_ref().ok().filter(|result| result.termination() == Termination::Time)?;
        Some((lost_on_time.winner()?.opponent(), self.starvation()?))
    }

    /// The starvation of the player that lost on time, or would have lost on time if its starvation had not made the
    /// game void.
    pub fn starvation(&self) -> Option<Starvation> {
        let (_, text) = self.other_tags.iter().find(|(name, _)| name == STARVATION_TAG)?;
        text.parse().ok()
    }

    /// The result as written in PGN: `1-0` if white won, `0-1` if black did, `1/2-1/2`, or `*` if there is no result.
    pub fn result_token(&self) -> &'static str {
        let Ok(result) = &self.result else { return "*" };
        match result.winner() {
            Some(Side::White) => "1-0",
            Some(Side::Black) => "0-1",
            None if result.termination() == Termination::DoubleForfeit => "*",
            None => "1/2-1/2",
        }
    }
}

/// Describes how a game ended: `black wins by 5`, `white wins (time)`, `draw`, `both forfeit`, `void: out of memory`.
pub fn verdict(result: &Result<GameResult, Void>) -> String {
    let result = match result {
        Ok(result) => result,
        Err(void) => return void.to_string(),
    };
    if result.termination() == Termination::DoubleForfeit {
        return "both forfeit".to_owned();
    }
    let outcome = Outcome { winner: result.winner(), margin: result.margin() };
    let how = match result.termination() {
        Termination::Normal => String::new(),
        termination => format!(" ({termination})"),
    };
    format!("{outcome}{how}")
}

/// The text of the warning about a loss on time that may be the machine's fault; `None` for any other game.
pub fn doubtful_loss(record: &GameRecord) -> Option<String> {
    if let Some((loser, starvation)) = record.starved_loss().filter(|(_, starvation)| starvation.explains_time_loss()) {
        let [starved, ran] = [starvation.starved, starvation.ran].map(|time| time.as_secs_f64());
        return Some(format!("{loser} waited {starved:.3}s for a core and ran for {ran:.3}s: the machine was busy"));
    }
    let Some((loser, TimeLoss::Idle)) = record.time_loss() else { return None };
    let cpu = record.usage[loser]?.cpu().as_secs_f64();
    let charged = record.used(loser).as_secs_f64();
    Some(format!(
        "{loser} was charged {charged:.3}s but used only {cpu:.3}s of CPU time: it slept, waited or was held up by the \
         machine instead of thinking"
    ))
}

/// An accepted move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ply {
    /// The seat that made the move.
    pub seat: Seat,
    /// The move.
    pub played: Move,
    /// The time spent on the move, in whole microseconds.
    pub elapsed: Option<Duration>,
    /// The time left on the mover's clock after the move, that is, the time that the mover may use for its next turn.
    pub left: Option<Duration>,
    /// Whether the move was in time only because of credit for the arena's own lateness. Such a move uses all of the
    /// time that was available for it.
    pub late_credit: bool,
    /// The lines refused before the move in the same turn.
    pub tries: Tries,
    /// What the mover claimed about the position before the move.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<Box<Thought>>,
    /// A note from an analysis: printable ASCII, at most [`Ply::MAX_NOTE`] characters.
    pub note: Option<String>,
}

impl Ply {
    /// The maximum length of a note, in characters.
    pub const MAX_NOTE: usize = 60;

    /// The side that made the move in a game with two seats.
    pub const fn side(&self) -> Side {
        self.seat.side()
    }

    /// Creates the move `played` by `seat` without a time, as in openings and untimed logs, and without refused lines
    /// before it.
    pub fn untimed(seat: impl Into<Seat>, played: Move) -> Self {
        Self {
            seat: seat.into(),
            played,
            elapsed: None,
            left: None,
            late_credit: false,
            tries: Tries::default(),
            thought: None,
            note: None,
        }
    }
}

/// A turn that ended without a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The seat whose turn it was.
    pub seat: Seat,
    /// The time spent on the turn, in whole microseconds.
    pub elapsed: Option<Duration>,
    /// The lines refused in the turn.
    pub tries: Tries,
}

impl Unfinished {
    /// The side whose turn it was in a game with two seats.
    pub const fn side(&self) -> Side {
        self.seat.side()
    }
}

/// The lines refused in a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tries {
    /// The first refused lines, at most [`Tries::SHOWN`].
    pub shown: Vec<Try>,
    /// How many more lines were refused.
    pub more: u32,
}

impl Tries {
    /// How many refused lines of a turn a record keeps.
    pub const SHOWN: usize = 16;

    /// Adds a refused line. If there are [`Tries::SHOWN`] lines already, the new one is only counted.
    pub fn push(&mut self, refused: Try) {
        if self.shown.len() < Self::SHOWN {
            self.shown.push(refused);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Whether no line was refused.
    pub const fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.more == 0
    }
}

/// One refused line.
///
/// Invariant: `text` is the line that was sent, with everything outside printable ASCII escaped, truncated to
/// [`Try::MAX_TEXT`] characters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Try {
    text: String,
    /// Why the line was refused.
    pub kind: TryKind,
}

/// The reason why a line was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TryKind {
    /// The line was understood, but not allowed (291).
    Illegal,
    /// The line was not understood (299).
    Garbled,
}

impl Try {
    /// The maximum length of the text that is kept, in characters.
    pub const MAX_TEXT: usize = 60;

    /// Creates a refused line, with `text` sanitised for a log.
    pub fn new(kind: TryKind, text: &str) -> Self {
        let text = text.chars().flat_map(char::escape_default).take(Self::MAX_TEXT).collect();
        Self { text, kind }
    }

    /// The line that was sent, sanitised for a log.
    pub fn text(&self) -> &str {
        &self.text
    }
}
