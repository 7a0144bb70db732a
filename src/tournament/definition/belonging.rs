//! Whether a game's record belongs to the tournament that a definition describes.

use std::sync::OnceLock;

use thiserror::Error;

use super::{Definition, Facts, SCALE_KEY, clock_facts};
use crate::base::random::mix;
use crate::game::{BySeat, MOST_SEATS, Ruleset, Seat};
use crate::referee::clock::Meter;
use crate::referee::pace::TimeScale;
use crate::referee::record::{LoggedGame, ODDS_TAG};
use crate::referee::time_control::TimeControl;
use crate::tournament::schedule::PlayerIndex;
use crate::tournament::schedule::{GamePlace, Ids};
use crate::tournament::{Advantages, slug};

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

/// The tags of the players in the order of the seats, in games with two seats and of more.
const PLAYER_TAGS: [[&str; MOST_SEATS]; 2] = [
    ["`Black`", "`White`", "", "", "", ""],
    ["`Player1`", "`Player2`", "`Player3`", "`Player4`", "`Player5`", "`Player6`"],
];

/// The reason why a record does not belong to any game of a tournament.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Foreign {
    /// No game of the tournament can have the record's id.
    #[error("this tournament has no such game")]
    Id,
    /// A tag's value differs from its value in the tournament's game with this id.
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
    /// The clocks of the first record that agreed with `clocks`. Remembering them avoids converting the clocks of the
    /// other records to text.
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

    /// Adds a player to a ladder.
    pub fn add_player(&mut self, name: &str) {
        self.ids.add_player(&slug(name));
        self.names.push(name.to_owned());
    }

    /// Parses the id of a game of this tournament; `None` if no game can have this id.
    pub fn place(&self, id: &str) -> Option<GamePlace> {
        self.ids.find(id)
    }

    /// Checks that `record` belongs to the game `id` of this tournament, as far as its tags show.
    ///
    /// # Errors
    /// Returns the first tag that disagrees.
    pub fn check(&self, id: &str, game: &LoggedGame) -> Result<(), Foreign> {
        let GamePlace { round, players } = self.ids.find(id).ok_or(Foreign::Id)?;
        let tags = PLAYER_TAGS[usize::from(players.seats() > 2)];
        let is_other = |seat: &Seat| game.player(*seat) != self.names[players[*seat]];
        if game.game() != Some(id) {
            return Err(Foreign::Value("`Game`"));
        }
        if game.seats() != players.seats() {
            return Err(Foreign::Value("`Ruleset`"));
        }
        if let Some(seat) = players.all_seats().find(is_other) {
            return Err(Foreign::Value(tags[seat.index()]));
        }
        let facts = [
            ("`Round`", game.round() == Some(round)),
            ("`Seed`", game.seed() == Some(mix(self.seed, id))),
            ("`Ruleset`", game.ruleset() == self.advantages.rules(self.ruleset, &players)),
            ("`Odds`", game.void().is_some() || self.has_odds(game, &players)),
            ("`TimeControl`", game.time_control().is_some_and(|control| self.has_clocks(control, game.meter()))),
            ("`TimeScale`", self.scales || game.time_scale() == TimeScale::ONE),
            // A game that ended before its first move does not have any of the opening's plies.
            ("`OpeningPlies`", game.opening_plies() as u64 <= u64::from(self.opening_plies)),
        ];
        facts.into_iter().find(|(_, holds)| !holds).map_or(Ok(()), |(tag, _)| Err(Foreign::Value(tag)))
    }

    /// Whether the log states the advantages of its players, which determine whether the game is rated.
    fn has_odds(&self, game: &LoggedGame, players: &BySeat<PlayerIndex>) -> bool {
        let told = game.other_tags().iter().find(|(name, _)| name == ODDS_TAG).map(|(_, text)| text.as_str());
        told == self.advantages.text(players.values().copied(), |player| &self.names[player]).as_deref()
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
