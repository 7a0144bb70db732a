//! The part of a tournament that determines its games.

use serde::{Deserialize, Serialize};

use super::PlayerIndex;
use crate::exact::balanced_openings::Balanced;
use crate::game::{BySeat, Ruleset, Side};
use crate::tournament::{Advantages, Format, Tournament};

/// The properties of a tournament that determine its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScheduleFrame {
    /// The rules of the game.
    pub ruleset: Ruleset,
    /// The advantages that some players have in addition to the rules.
    #[serde(default, skip_serializing_if = "Advantages::is_empty")]
    pub advantages: Advantages,
    /// Which players meet, and how often.
    pub format: Format,
    /// The seed of all randomness.
    pub seed: u64,
    /// How many plies of an opening each game starts with.
    pub opening_plies: u32,
    /// The digest of the openings, if they are drawn only from those nearest to a draw. Earlier versions of the program
    /// contained the margins of fewer positions, and thus drew from different openings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced: Option<String>,
    /// The players' slugs, in the order of the tournament.
    pub slugs: Vec<String>,
    /// The only side of each player, for those that play just one; empty if all players play both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Option<Side>>,
}

impl From<&Tournament> for ScheduleFrame {
    fn from(tournament: &Tournament) -> Self {
        Self {
            ruleset: tournament.ruleset,
            advantages: tournament.advantages,
            format: tournament.format.clone(),
            seed: tournament.seed,
            opening_plies: tournament.opening_plies,
            balanced: chosen(tournament.opening_plies, tournament.balanced).map(Balanced::digest),
            slugs: tournament.players.iter().map(|player| player.name.slug()).collect(),
            sides: if tournament.players.iter().any(|player| player.only_side.is_some()) {
                tournament.players.iter().map(|player| player.only_side).collect()
            } else {
                Vec::new()
            },
        }
    }
}

impl ScheduleFrame {
    /// The rules of a game of `players`.
    pub fn rules_of(&self, players: &BySeat<PlayerIndex>) -> Ruleset {
        self.advantages.rules(self.ruleset, players)
    }
}

/// Returns the openings to draw from; `None` means all openings.
pub(super) fn chosen(plies: u32, balanced: bool) -> Option<&'static Balanced> {
    if balanced { crate::exact::balanced_openings::balanced(plies) } else { None }
}
