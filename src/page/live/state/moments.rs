//! The game of the moment, which a projector replays while the bots are too fast to be watched.

use std::time::Duration;

use super::lead::changes_of_lead;
use crate::game::{Fraction, Standing};
use crate::referee::record::{GameRecord, GroupRecord, LoggedGame};
use crate::referee::result::Termination;

/// The reason why a game is worth watching, the best reason last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Appeal {
    /// No particular reason; longer games are better.
    Played(usize),
    /// The game was won with a margin of at most [`CLOSE`]; smaller margins are better. The number is the negated
    /// margin.
    Close(i32),
    /// The lead in stones changed this many times.
    Leads(u32),
    /// The winner was certainly rated lower, by this many Elo.
    Upset(i64),
}

/// The largest margin of a close game.
const CLOSE: i32 = 2;

/// The smallest difference in Elo that makes a win an upset.
const UPSET: i64 = 100;

/// The times for which the page shows most plies, and the end of a game. The page stays longer with some plies, and
/// begins another game only when it has shown one to its end.
const PLY: Duration = Duration::from_millis(700);
const END: Duration = Duration::from_secs(6);

/// The difference in Elo by which `other` is rated above `winner`, if their intervals do not overlap. Both are given as
/// Elo with its error at 95 %; a rating whose error is not known may have any value.
pub(super) fn certain_gap(winner: (i64, Option<i64>), other: (i64, Option<i64>)) -> Option<i64> {
    let gap = other.0 - winner.0;
    (gap > winner.1? + other.1?).then_some(gap)
}

impl Appeal {
    /// The reason why `game` is worth watching; `None` if nothing was played. `gap` is the difference in Elo by which
    /// the loser (with more than two seats, the lowest-rated other player) was rated above the winner, if it is certain
    /// that the loser was.
    pub(crate) fn of(game: &LoggedGame, gap: Option<i64>) -> Option<Self> {
        let plies = game.plies().len();
        let (is_played, close) = match game {
            LoggedGame::Two(record) => (is_played(record), close_margin(record)),
            LoggedGame::Group(record) => (is_played_by_some(record), close_lead(record)),
        };
        if !is_played {
            return None;
        }
        Some(match (gap.filter(|&gap| gap >= UPSET), changes_of_lead(game)) {
            (Some(gap), _) => Self::Upset(gap),
            // In most games, both sides are in the lead at some point.
            (None, leads @ 3..) => Self::Leads(leads),
            (None, _) => close.map_or(Self::Played(plies), |margin| Self::Close(-margin)),
        })
    }
}

/// Whether a move after the opening was played, and no forfeit ended the game.
fn is_played(record: &GameRecord) -> bool {
    let is_forfeit = record.result.as_ref().is_ok_and(|result| result.termination().is_forfeit());
    record.result.is_ok() && record.plies.len() > record.opening_plies && !is_forfeit
}

/// The margin by which the game of `record` was won, if it is small.
fn close_margin(record: &GameRecord) -> Option<i32> {
    let result = record.result.as_ref().ok()?;
    let is_close = |margin: &i32| *margin <= CLOSE && result.winner().is_some();
    result.margin().map(i32::abs).filter(is_close).filter(|_| result.termination() == Termination::Normal)
}

/// Whether a move was played, and at least two players stayed in the game.
fn is_played_by_some(record: &GroupRecord) -> bool {
    record.result.is_ok() && !record.plies.is_empty() && record.outs.len() + 1 < usize::from(record.seats())
}

/// The winner's lead over the runner-up, if it is small and no player dropped out.
fn close_lead(record: &GroupRecord) -> Option<i32> {
    let standing = record.result.as_ref().ok().filter(|_| record.outs.is_empty())?;
    lead_of_winner(standing).filter(|lead| *lead <= CLOSE)
}

/// The difference between the totals of the winner and the runner-up, rounded up, if both have won the same number of
/// modes.
fn lead_of_winner(standing: &Standing) -> Option<i32> {
    /// Every total is a multiple of one point divided by this number.
    const PARTS: u8 = 12;
    let winner = standing.winner()?;
    let second = standing.placing.iter().filter(|(_, place)| **place == 2).map(|(seat, _)| seat).next()?;
    let parts = |total: Fraction| total.parts(PARTS);
    let lead = parts(standing.totals[winner])? - parts(standing.totals[second])?;
    let is_even = standing.points[winner] == standing.points[second];
    is_even.then(|| (lead.abs() + i32::from(PARTS) - 1) / i32::from(PARTS))
}

/// Chooses games of the moment, one after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    /// The best game since the last choice: its id on the page, its plies and its appeal.
    best: Option<(Appeal, String, usize)>,
    chosen: Option<String>,
    /// The time at which the chosen game has been shown to its end.
    until: Duration,
}

impl Moments {
    /// Adds the finished game that the page calls `shown_id`.
    pub(crate) fn add(&mut self, appeal: Appeal, shown_id: &str, plies: usize) {
        if self.best.as_ref().is_none_or(|(best, ..)| appeal >= *best) {
            self.best = Some((appeal, shown_id.to_owned(), plies));
        }
    }

    /// The game of the moment.
    pub(crate) fn chosen(&self) -> Option<&str> {
        self.chosen.as_deref()
    }

    /// The best game since the last choice.
    pub(crate) fn best(&self) -> Option<&str> {
        self.best.as_ref().map(|(_, id, _)| id.as_str())
    }

    /// Chooses the best game since the last choice, if the current choice has been shown to its end by the time `at`.
    /// Returns the new choice.
    pub(crate) fn choose(&mut self, at: Duration) -> Option<&str> {
        if at < self.until {
            return None;
        }
        let (_, id, plies) = self.best.take()?;
        self.until = at + PLY * u32::try_from(plies).unwrap_or(u32::MAX).min(1000) + END;
        self.chosen = Some(id);
        self.chosen()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(moves: &str, result: &str) -> LoggedGame {
        let text = format!("[Black \"a\"]\n[White \"b\"]\n{result}\n\n{moves} *\n");
        let end = if result.contains("1-0") { "1-0" } else { "0-1" };
        text.replace('*', end).parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn an_upset_comes_before_changes_of_lead_and_these_before_a_close_end() {
        let order = [
            Appeal::Played(9),
            Appeal::Played(30),
            Appeal::Close(-2),
            Appeal::Close(-1),
            Appeal::Leads(3),
            Appeal::Leads(9),
            Appeal::Upset(100),
            Appeal::Upset(400),
        ];
        assert!(order.is_sorted());
        let won = "[Result \"0-1\"]\n[Termination \"normal\"]\n[Margin \"1\"]";
        let moves = "1. c3 d3 2. d4 pass 3. pass";
        assert_eq!(Appeal::of(&record(moves, won), Some(200)), Some(Appeal::Upset(200)));
        assert_eq!(Appeal::of(&record(moves, won), Some(99)), Some(Appeal::Close(-1)));
        let far = won.replace("\"1\"]", "\"9\"]");
        assert_eq!(Appeal::of(&record(moves, &far), None), Some(Appeal::Played(5)));
        let by_half_a_point = won.replace("\"1\"]", "\"0\"]\n[Ruleset \"go-9\"]");
        assert_eq!(Appeal::of(&record(moves, &by_half_a_point), None), Some(Appeal::Close(0)));
    }

    #[test]
    fn a_gap_is_certain_if_the_intervals_do_not_overlap() {
        assert_eq!(certain_gap((0, Some(100)), (201, Some(100))), Some(201));
        assert_eq!(certain_gap((0, Some(100)), (200, Some(100))), None);
        assert_eq!(certain_gap((300, Some(10)), (0, Some(10))), None, "the winner is the favourite");
        let unknown = [(None, Some(1)), (Some(1), None)];
        assert!(unknown.iter().all(|&(own, other)| certain_gap((0, own), (900, other)).is_none()));
    }

    #[test]
    fn a_game_without_moves_and_a_forfeit_are_nothing_to_look_at() {
        let forfeit = "[Result \"1-0\"]\n[Termination \"crash\"]";
        assert_eq!(Appeal::of(&record("1. c3 d3", forfeit), Some(500)), None);
        assert_eq!(Appeal::of(&record("", &forfeit.replace("crash", "resignation")), Some(500)), None);
    }

    #[test]
    fn the_next_game_is_chosen_once_the_last_one_has_been_shown() {
        let mut moments = Moments::default();
        assert_eq!(moments.choose(Duration::ZERO), None);
        moments.add(Appeal::Leads(3), "leads", 10);
        moments.add(Appeal::Close(-1), "close", 10);
        let second = Duration::from_secs;
        assert_eq!(moments.choose(second(1)), Some("leads"));
        moments.add(Appeal::Upset(60), "upset", 10);
        moments.add(Appeal::Upset(50), "smaller", 10);
        assert_eq!(moments.choose(second(13)), None);
        assert_eq!(moments.chosen(), Some("leads"));
        assert_eq!(moments.choose(second(14)), Some("upset"));
        assert_eq!(moments.choose(second(999)), None, "no game has ended since");
        assert_eq!(moments.chosen(), Some("upset"));
    }
}
