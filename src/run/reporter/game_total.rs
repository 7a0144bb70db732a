//! How many games a run has, as far as this is known.

use crate::tournament::schedule::Schedule;

/// How many games a run has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameTotal {
    /// So many games.
    Exactly(u64),
    /// At most so many games: the results of a knockout or of a sequential test decide how many.
    AtMost(u64),
    /// A ladder decides on each game while it is played.
    Open,
}

impl GameTotal {
    /// The total for a run with `schedule`.
    pub(super) fn of(schedule: &Schedule) -> Self {
        match schedule.len() {
            Some(games) => Self::Exactly(games),
            None if schedule.fixtures().is_some() => Self::Open,
            None => Self::AtMost(schedule.at_most()),
        }
    }

    /// How many games are finished, and how many there are: `412/660`, `12 of at most 56` or `412`. The numbers of a run
    /// are equally wide.
    pub(super) fn count(self, finished: u64) -> String {
        match self {
            Self::Exactly(games) => format!("{finished:>width$}/{games}", width = width(games)),
            Self::AtMost(games) => format!("{finished:>width$} of at most {games}", width = width(games)),
            Self::Open => finished.to_string(),
        }
    }
}

/// The width of the numbers up to `games`.
fn width(games: u64) -> usize {
    games.to_string().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;

    #[test]
    fn only_a_planned_schedule_has_an_exact_number_of_games() {
        let total = |format: &str| {
            let player = |name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
            let text = format!("format = {format}\n{}", ["ann", "bo"].map(player).concat());
            let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
            GameTotal::of(&Schedule::new(&tournament)).count(1)
        };
        assert_eq!(total("\"round-robin\"\nrounds = 6"), " 1/12");
        assert_eq!(total("\"sprt\"\nelo0 = 0\nelo1 = 50\nmax_pairs = 10"), " 1 of at most 20");
        assert!(total("\"knockout\"").contains("1 of at most "));
        assert_eq!(GameTotal::Open.count(1), "1");
    }
}
