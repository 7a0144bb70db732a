//! Whether a game's record belongs to the tournament that a definition describes.

use std::sync::OnceLock;

use thiserror::Error;

use super::{Definition, Facts, SCALE_KEY, clock_facts};
use crate::base::random::mix;
use crate::game::{BySide, Ruleset, Side};
use crate::referee::clock::Meter;
use crate::referee::pace::TimeScale;
use crate::referee::record::GameRecord;
use crate::referee::time_control::TimeControl;
use crate::tournament::Advantages;
use crate::tournament::schedule::{GamePlace, Ids};

/// The keys of [`clock_facts`].
const CLOCK_KEYS: [&str; 10] = [
    "time",
    "black_time",
    "white_time",
    "black_move_time",
    "white_move_time",
    "black_bank",
    "white_bank",
    "clock",
    "black_wall_limit",
    "white_wall_limit",
];

/// The reason why a record does not belong to any game of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Foreign {
    /// No game of the tournament can have the record's id.
    #[error("this tournament has no such game")]
    Id,
    /// A tag's value differs from the one in the tournament's game with this id.
    #[error("its {0} does not match this tournament's game")]
    Value(&'static str),
}

/// The requirements for every record of a tournament.
#[derive(Clone, Debug)]
pub struct Belonging {
    ids: Ids,
    names: Vec<String>,
    seed: u64,
    ruleset: Ruleset,
    advantages: Advantages,
    opening_plies: u32,
    clocks: Facts,
    /// Whether clocks may be scaled.
    scales: bool,
    /// The clocks of the first record that agreed with `clocks`. They save converting the clocks of the other records
    /// to text.
    agreed: OnceLock<(TimeControl, Meter)>,
}

impl Belonging {
    /// Returns the requirements of `definition`; `None` if it contradicts itself.
    pub fn new(definition: &Definition) -> Option<Self> {
        let frame = &definition.frame;
        if frame.slugs.len() != definition.players.len() {
            return None;
        }
        let clocks = definition.games.iter().filter(|(key, _)| CLOCK_KEYS.contains(&key.as_str()));
        Some(Self {
            ids: Ids::new(frame)?,
            names: definition.players.iter().map(|player| player.name.clone()).collect(),
            seed: frame.seed,
            ruleset: frame.ruleset,
            advantages: frame.advantages,
            opening_plies: frame.opening_plies,
            clocks: clocks.map(|(key, value)| (key.clone(), value.clone())).collect(),
            scales: definition.games.contains_key(SCALE_KEY),
            agreed: OnceLock::new(),
        })
    }

    /// Parses the id of a game of this tournament; `None` if no game can have it.
    pub fn place(&self, id: &str) -> Option<GamePlace> {
        self.ids.find(id)
    }

    /// Checks that `record` belongs to the game `id` of this tournament, as far as its tags show.
    ///
    /// # Errors
    /// Returns the first tag that disagrees.
    pub fn check(&self, id: &str, record: &GameRecord) -> Result<(), Foreign> {
        let GamePlace { round, players } = self.ids.find(id).ok_or(Foreign::Id)?;
        let names = BySide::from_fn(|side: Side| &self.names[players[side]]);
        let facts = [
            ("`Game`", record.game.as_deref() == Some(id)),
            ("`Black`", record.players.black == *names.black),
            ("`White`", record.players.white == *names.white),
            ("`Round`", record.round == Some(round)),
            ("`Seed`", record.seed == Some(mix(self.seed, id))),
            ("`Ruleset`", record.ruleset == self.advantages.rules(self.ruleset, &players)),
            ("`TimeControl`", record.time_control.is_some_and(|control| self.has_clocks(control, record.meter))),
            ("`TimeScale`", self.scales || record.time_scale == TimeScale::ONE),
            // A game that ended before its first move does not have any of the opening's plies.
            ("`OpeningPlies`", record.opening_plies as u64 <= u64::from(self.opening_plies)),
        ];
        facts.into_iter().find(|(_, holds)| !holds).map_or(Ok(()), |(tag, _)| Err(Foreign::Value(tag)))
    }

    fn has_clocks(&self, control: TimeControl, meter: Meter) -> bool {
        if self.agreed.get() == Some(&(control, meter)) {
            return true;
        }
        let agrees = clock_facts(control, meter) == self.clocks;
        if agrees {
            self.agreed.get_or_init(|| (control, meter));
        }
        agrees
    }
}
