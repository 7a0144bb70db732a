//! `--sprt`: the sequential test whose outcome the requirement `sprt == H1` checks.

use std::str::FromStr;

use anyhow::anyhow;

use crate::base::sanitise::sanitised;
use crate::cli::Failure;
use crate::results::standings::{GameSummary, Tally, Test, played_pairs};
use crate::tournament::sprt::{NoTest, Sprt, TestedPairs};

/// A test of `player` against the only other player.
#[derive(Clone, Debug)]
pub(super) struct SequentialTest {
    player: String,
    sprt: Sprt,
}

impl SequentialTest {
    /// Tests the games of a field, which must consist of two players.
    pub(super) fn test(&self, tally: &Tally, games: &[GameSummary]) -> Result<Test, Failure> {
        let others: Vec<&str> = tally.players().filter(|&name| name != self.player).collect();
        let players = tally.players().count();
        if others.len() == players {
            let names: Vec<&str> = tally.players().collect();
            let problem = anyhow!(
                "--sprt: no player is named `{}` (choose from `{}`)",
                self.player,
                sanitised(&names.join("`, `"))
            );
            return Err(Failure::usage(problem));
        }
        let [opponent] = others[..] else {
            return Err(Failure::usage(anyhow!("--sprt: a test compares two players, but there are {players}")));
        };
        let mut tested = TestedPairs::new(self.sprt);
        tested.extend(played_pairs(games, &self.player, opponent));
        Ok(Test { player: self.player.clone(), opponent: opponent.to_owned(), progress: *tested.progress() })
    }
}

impl FromStr for SequentialTest {
    type Err = String;

    /// Parses `player=NAME,elo0=0,elo1=10`, optionally with `alpha=0.05,beta=0.05`, in any order. The name must not
    /// contain a comma.
    fn from_str(text: &str) -> Result<Self, String> {
        const EXPECTED: &str = "expected `player=NAME,elo0=0,elo1=10`, optionally with `,alpha=0.05,beta=0.05`";

        let mut player = None;
        let (mut elo0, mut elo1, mut alpha, mut beta) = (None, None, None, None);
        for part in text.split(',') {
            let (key, value) = part.split_once('=').ok_or(EXPECTED)?;
            let place = match key.trim() {
                "player" if player.is_none() && !value.is_empty() => {
                    player = Some(value.to_owned());
                    continue;
                }
                "elo0" => &mut elo0,
                "elo1" => &mut elo1,
                "alpha" => &mut alpha,
                "beta" => &mut beta,
                _ => return Err(EXPECTED.to_owned()),
            };
            let number: f64 = value.trim().parse().map_err(|_| EXPECTED)?;
            if place.replace(number).is_some() {
                return Err(format!("`{}` is given twice", key.trim()));
            }
        }
        let (Some(player), Some(elo0), Some(elo1)) = (player, elo0, elo1) else {
            return Err(EXPECTED.to_owned());
        };
        let risk = |given: Option<f64>| given.unwrap_or(Sprt::DEFAULT_RISK);
        let sprt = Sprt::new(elo0, elo1, risk(alpha), risk(beta)).ok_or_else(|| NoTest.to_string())?;
        Ok(Self { player, sprt })
    }
}
