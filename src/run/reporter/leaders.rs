//! The leaders of a run, with ratings based on the games so far.

use std::time::Duration;

use crate::base::sanitise::sanitised;
use crate::base::time::now;
use crate::results::rating::Elo;
use crate::results::standings::{Counting, FieldStandings, FieldTally, PlayedSummary, RatingOptions, ShownRating};

/// How many leaders are shown.
const LEADERS: usize = 5;

/// The minimum interval between fits of the ratings.
const FIT_EVERY: Duration = Duration::from_secs(2);

/// The time to wait before the next fit, as a multiple of the time that the last fit took, so that fits stay far below
/// one percent of a core.
const REST: u32 = 200;

/// The players of a run. Times count from the beginning of the run.
#[derive(Debug)]
pub(super) struct Leaders {
    tally: FieldTally,
    /// Whether games have been added since the last fit.
    is_stale: bool,
    next_fit: Duration,
    line: Option<String>,
}

impl Leaders {
    /// The players in a run whose games have `seats` seats.
    pub(super) fn new(seats: u8) -> Self {
        let tally = FieldTally::of_seats(Counting::default(), seats);
        Self { tally, is_stale: false, next_fit: Duration::ZERO, line: None }
    }

    /// Adds a game.
    pub(super) fn add<S: AsRef<str>>(&mut self, game: &PlayedSummary<S>) {
        // A game with a different number of seats cannot be in the same run, and would change no rating.
        self.is_stale |= self.tally.add(game).is_ok();
    }

    /// The leaders, as of a short time before `at`; `None` before the first result.
    pub(super) fn line(&mut self, at: Duration) -> Option<&str> {
        if self.is_stale && at >= self.next_fit {
            let begun = now();
            // Without anchors, ratings can always be computed.
            if let Ok(standings) = self.tally.standings(&RatingOptions::default()) {
                self.line = leaders(&standings);
            }
            self.next_fit = at + FIT_EVERY.max(begun.elapsed() * REST);
            self.is_stale = false;
        }
        self.line.as_deref()
    }
}

/// `1 kestrel +312 ± 81   2 heron +240 ± 77`; `None` if no player has a rating.
fn leaders(standings: &FieldStandings) -> Option<String> {
    let one = |rank: Option<usize>, player: &str, rating: ShownRating, error: Option<Elo>| {
        let error = error.map(|error| format!(" ± {error:.0}")).unwrap_or_default();
        rank.map(|rank| format!("{rank} {} {rating:+.0}{error}", sanitised(player)))
    };
    let shown: Vec<String> = match standings {
        FieldStandings::Pairs(standings) => {
            let rows = standings.rows().iter();
            rows.filter_map(|row| one(row.rank, &row.player, row.shown_rating("-"), row.error95))
                .take(LEADERS)
                .collect()
        }
        FieldStandings::Groups(standings) => {
            let rows = standings.rows().iter();
            rows.filter_map(|row| one(row.rank, &row.player, row.shown_rating("-"), row.error95))
                .take(LEADERS)
                .collect()
        }
    };
    (!shown.is_empty()).then(|| shown.join("   "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::record::LoggedGame;

    /// A game that `black` won against `white`.
    fn won(black: &str, white: &str) -> PlayedSummary {
        let text = format!(
            "[Round \"1\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"0-1\"]\n[Termination \"crash\"]\n\
             [Reason \"why\"]\n[Game \"r1-a-b\"]\n\n0-1\n"
        );
        PlayedSummary::from(&text.parse::<LoggedGame>().unwrap_or_else(|error| panic!("{error}\n{text}")))
    }

    #[test]
    fn the_leaders_have_their_ratings_and_are_not_fitted_for_every_game() {
        let mut leaders = Leaders::new(2);
        assert_eq!(leaders.line(Duration::ZERO), None);
        leaders.add(&won("ann", "bo"));
        let first = leaders.line(Duration::ZERO).expect("a result").to_owned();
        assert!(first.starts_with("1 ann +") && first.contains(" ± ") && first.contains("   2 bo -"), "{first}");
        for _ in 0..9 {
            leaders.add(&won("bo", "ann"));
        }
        assert_eq!(leaders.line(Duration::from_millis(100)), Some(first.as_str()));
        let later = leaders.line(Duration::from_hours(1)).expect("a result");
        assert!(later.starts_with("1 bo +"), "{later}");
    }

    #[test]
    fn only_the_first_players_are_named_and_their_names_are_printable() {
        let mut leaders = Leaders::new(2);
        for name in ["b\u{1b}c", "d", "e", "f", "g", "h"] {
            leaders.add(&won("a", name));
        }
        let line = leaders.line(Duration::ZERO).expect("results");
        assert_eq!((line.matches(" ± ").count(), line.contains('\u{1b}')), (5, false), "{line}");
    }
}
