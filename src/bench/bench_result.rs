//! The result of a version against an opponent.

use serde::Serialize;

use super::decision::{BenchAnswer, answer};
use crate::results::standings::{GameSummary, RunState, Test};
use crate::tournament::definition::Definition;

/// `figure`, rounded to tenths. A zero has no sign.
fn tenths(figure: f64) -> f64 {
    (figure * 10.0).round() / 10.0 + 0.0
}

/// The clock of each side in the games of `definition`: `10s` or `500ms/move`.
fn clock(definition: &Definition) -> String {
    let of = |key: &str| definition.games.get(key).cloned();
    let per_move = || Some(format!("{}/move", of("black_move_time")?));
    of("black_time").or_else(per_move).unwrap_or_else(|| "no clock".to_owned())
}

/// The result of a version against an opponent.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct BenchResult {
    /// The opponent: the id of a version, or a built-in bot.
    pub(crate) opponent: String,
    /// The rules.
    pub(crate) ruleset: String,
    /// The clock of each side: `10s`.
    pub(crate) time: String,
    /// How many opening plies each game begins with.
    pub(crate) opening_plies: u32,
    /// Whether the version is better.
    pub(crate) answer: BenchAnswer,
    /// The number of games that the version has won.
    pub(crate) wins: u64,
    /// The number of draws.
    pub(crate) draws: u64,
    /// The number of games that the version has lost.
    pub(crate) losses: u64,
    /// The number of lost games that the version forfeited.
    pub(crate) forfeits: u64,
    /// The number of games in pairs that repeat earlier ones move for move. The estimate of the lead leaves them out.
    pub(crate) repeats: u64,
    /// The estimated lead in Elo; `None` if it is unknown.
    pub(crate) elo: Option<f64>,
    /// The lower end of the 95% interval of the lead.
    pub(crate) elo_low: Option<f64>,
    /// The upper end of the 95% interval of the lead.
    pub(crate) elo_high: Option<f64>,
    /// The directory of the run.
    pub(crate) run: String,
}

impl BenchResult {
    /// The result of a run in this `state`, with these `games` and this `definition`, in the directory `run`. `None` if
    /// the run is not a test of two players.
    pub(crate) fn of<'g>(
        state: &RunState,
        games: impl Iterator<Item = GameSummary<&'g str>>,
        (definition, run): (&Definition, String),
    ) -> Option<Self> {
        let Test { player, opponent, progress } = state.test.as_ref()?;
        let lead = progress.lead();
        let mut result = Self {
            opponent: opponent.clone(),
            ruleset: definition.frame.ruleset.name().to_owned(),
            time: clock(definition),
            opening_plies: definition.frame.opening_plies,
            answer: answer(progress, state.missing.games() == 0),
            wins: 0,
            draws: 0,
            losses: 0,
            forfeits: 0,
            repeats: 2 * progress.repeats(),
            elo: lead.map(|lead| tenths(lead.elo)),
            elo_low: lead.and_then(|lead| lead.low).map(tenths),
            elo_high: lead.and_then(|lead| lead.high).map(tenths),
            run,
        };
        let last = progress.last_round();
        let counts = |game: &GameSummary<&str>| last.is_none_or(|last| game.round.is_some_and(|round| round <= last));
        for game in games.filter(counts) {
            let Some(ended) = &game.result else { continue };
            match ended.winner().map(|side| game.players[side] == player) {
                Some(true) => result.wins += 1,
                Some(false) => {
                    result.losses += 1;
                    result.forfeits += u64::from(ended.termination().is_forfeit());
                }
                None => result.draws += 1,
            }
        }
        Some(result)
    }

    /// The number of games.
    pub(crate) const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;

    #[test]
    fn a_figure_that_rounds_to_zero_has_no_sign() {
        assert_eq!(format!("{:+.0}", tenths(-0.04)), "+0");
        assert!((tenths(-12.34) + 12.3).abs() < 1e-9);
    }

    #[test]
    fn the_clock_of_each_side_is_told() {
        for (key, expected) in
            [("time = \"10s\"", "10s"), ("time = \"90s\"", "1m 30s"), ("move_time = \"5s\"", "5s/move")]
        {
            let text = format!(
                "{key}\n[[player]]\nname = \"a\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n"
            );
            let tournament = Tournament::parse(&text, "bench").unwrap_or_else(|problems| panic!("{problems:?}"));
            assert_eq!(clock(&Definition::from(&tournament)), expected, "{key}");
        }
    }
}
