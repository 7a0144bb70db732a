//! The game of the moment, which a projector replays while the bots are too fast to be watched.

use std::time::Duration;

use crate::game::Side;
use crate::page::shown::layers::Layers;
use crate::referee::record::GameRecord;
use crate::referee::result::Termination;

/// The reason why a game is worth watching, the best reason last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Appeal {
    /// No particular reason; longer games are better.
    Played(usize),
    /// It was won with a margin of at most two; smaller margins are better. The number is the negated margin.
    Close(i32),
    /// The lead in stones changed this many times.
    Leads(u32),
    /// The winner was rated lower, by this many Elo.
    Upset(i64),
}

/// The smallest difference in Elo that makes a win an upset.
const UPSET: i64 = 50;

/// The times for which the page shows a ply and the end of a game.
const PLY: Duration = Duration::from_millis(700);
const END: Duration = Duration::from_secs(6);

impl Appeal {
    /// The reason why the game of `record` is worth watching; `None` if nothing was played. `gap` is how many Elo the loser
    /// was rated above the winner, if known.
    pub(crate) fn of(record: &GameRecord, gap: Option<i64>) -> Option<Self> {
        let result = record.result.as_ref().ok()?;
        let plies = record.plies.len();
        if plies <= record.opening_plies || result.termination().is_forfeit() {
            return None;
        }
        let is_close = |margin: &i32| margin.unsigned_abs() <= 2 && result.winner().is_some();
        let close = result.margin().filter(is_close).filter(|_| result.termination() == Termination::Normal);
        Some(match (gap.filter(|&gap| gap >= UPSET), leads(record)) {
            (Some(gap), _) => Self::Upset(gap),
            // In most games, both sides are in the lead at some point.
            (None, leads @ 3..) => Self::Leads(leads),
            (None, _) => close.map_or(Self::Played(plies), |margin| Self::Close(-margin.abs())),
        })
    }
}

/// The number of times that the lead in stones changes sides.
fn leads(record: &GameRecord) -> u32 {
    let (layers, mut position) = (Layers::of(record.ruleset), record.ruleset.start());
    let (mut ahead, mut leads) = (None::<Side>, 0);
    for ply in &record.plies {
        if position.play(ply.played.as_str()).is_err() {
            break;
        }
        let now = layers.lead(&*position);
        if now.is_some() && now != ahead {
            leads += u32::from(ahead.is_some());
            ahead = now;
        }
    }
    leads
}

/// Chooses one game after another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moments {
    /// The best game since the last choice: its id on the page, its plies and its appeal.
    best: Option<(Appeal, String, usize)>,
    chosen: Option<String>,
    /// When the chosen game will have been shown.
    until: Duration,
}

impl Moments {
    /// A game whose id on the page is `shown_id` has ended.
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

    /// Chooses the best game since the last choice, if the current one has been shown by the time `at`. Returns the new
    /// choice.
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

    fn record(moves: &str, result: &str) -> GameRecord {
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
            Appeal::Upset(50),
            Appeal::Upset(400),
        ];
        assert!(order.is_sorted());
        let won = "[Result \"0-1\"]\n[Termination \"normal\"]\n[Margin \"1\"]";
        let moves = "1. c3 d3 2. d4 pass 3. pass";
        assert_eq!(Appeal::of(&record(moves, won), Some(200)), Some(Appeal::Upset(200)));
        assert_eq!(Appeal::of(&record(moves, won), Some(49)), Some(Appeal::Close(-1)));
        let far = won.replace("\"1\"]", "\"9\"]");
        assert_eq!(Appeal::of(&record(moves, &far), None), Some(Appeal::Played(5)));
        let by_half_a_point = won.replace("\"1\"]", "\"0\"]\n[Ruleset \"go-9\"]");
        assert_eq!(Appeal::of(&record(moves, &by_half_a_point), None), Some(Appeal::Close(0)));
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
