//! What a tournament file says of the games themselves, in a form that can be kept, compared and digested.
//!
//! Players, seed, format, rounds, openings, rules and clocks belong to it. How and where the games are run does not: not
//! concurrency, addresses, deadlines, the tournament's name, comments; and tokens least of all.

mod belonging;

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::hex::hex;
use crate::game::rules::Side;
use crate::players::bots::ErrorRate;
use crate::referee::clock::{Meter, TimeControl};
use crate::tournament::file::{
    BetweenMoves, FORMER_ILLEGAL_TRIES, Format, Player, PlayerKind, Template, Tournament, Transport,
};
use crate::tournament::schedule::{Frame, Schedule};

pub use belonging::{Belonging, Foreign};

/// Keys of a tournament file with their values, in one spelling.
type Facts = BTreeMap<String, String>;

/// The definition of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Which games there are.
    pub frame: Frame,
    /// How each is played: clocks and bounds.
    pub games: Facts,
    /// What holds for each player, in the order of the file.
    pub players: Vec<PlayerDefinition>,
}

/// What a player is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerDefinition {
    /// Its name.
    pub name: String,
    /// Everything else.
    pub facts: Facts,
}

impl From<&Tournament> for Definition {
    fn from(tournament: &Tournament) -> Self {
        let mut games = clock_facts(tournament.time_control, tournament.meter);
        let mut add = |key: &str, value: String| drop(games.insert(key.to_owned(), value));
        if tournament.between_moves == BetweenMoves::Freeze {
            add("between_moves", "freeze".to_owned());
        }
        if let Some(adjudicate) = tournament.adjudicate {
            add("adjudicate.nodes", adjudicate.nodes().to_string());
            add("adjudicate.after_ply", adjudicate.after_ply().to_string());
        }
        let limits = &tournament.limits;
        if let Some(limit) = limits.game_limit {
            add("game_limit", humantime::format_duration(limit).to_string());
        }
        for (key, tries) in [("illegal_tries", limits.illegal_tries), ("garbled_tries", limits.garbled_tries)] {
            add(key, tries.map_or_else(|| "unlimited".to_owned(), |tries| tries.to_string()));
        }
        let players = tournament.players.iter().map(PlayerDefinition::from).collect();
        Self { frame: Frame::from(tournament), games, players }
    }
}

impl From<&Player> for PlayerDefinition {
    fn from(player: &Player) -> Self {
        let mut facts = Facts::new();
        let mut add = |key: &str, value: String| drop(facts.insert(key.to_owned(), value));
        match &player.kind {
            PlayerKind::Program(program) => {
                add("command", words(program.command.iter().map(Template::to_string)));
                if let Some(dir) = &program.dir {
                    add("dir", dir.display().to_string());
                }
                if !program.env.is_empty() {
                    // Values may be secrets; that they are the same is all that counts.
                    let values = program.env.iter().map(|(name, value)| format!("{name}={value}"));
                    add("env", sha256(words(values).as_bytes()));
                }
                if let Some(build) = &program.build {
                    add("build", words(build.iter().cloned()));
                }
                add("transport", if program.transport == Transport::Tcp { "tcp" } else { "stdio" }.to_owned());
            }
            PlayerKind::Builtin(bot) => {
                add("builtin", bot.engine.to_string());
                let wide = |number: Option<NonZeroU32>| number.map(|number| u64::from(number.get()));
                let numbers = [("depth", wide(bot.depth)), ("playouts", wide(bot.playouts)), ("seed", bot.seed)];
                for (key, number) in numbers {
                    if let Some(number) = number {
                        add(key, number.to_string());
                    }
                }
                if bot.error != ErrorRate::NEVER {
                    add("error", bot.error.to_string());
                }
            }
            PlayerKind::Remote(_) => add("remote", "true".to_owned()),
        }
        Self { name: player.name.to_string(), facts }
    }
}

/// What a file says of the clocks.
fn clock_facts(time_control: TimeControl, meter: Meter) -> Facts {
    let mut facts = Facts::new();
    let mut add = |key: &str, value: String| drop(facts.insert(key.to_owned(), value));
    match time_control {
        TimeControl::Unlimited => add("time", "none".to_owned()),
        TimeControl::SuddenDeath(times) => {
            for side in Side::BOTH {
                add(&format!("{side}_time"), humantime::format_duration(times[side]).to_string());
            }
        }
    }
    // Where these are as ever, a run that began before there was a choice stays the same.
    if let Meter::Cpu { wall_limit } = meter {
        add("clock", "cpu".to_owned());
        for side in Side::BOTH {
            add(&format!("{side}_wall_limit"), humantime::format_duration(wall_limit[side]).to_string());
        }
    }
    facts
}

/// Words as an unambiguous text.
fn words(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ")
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// One difference between two definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A value for all games, or for one player.
    Value {
        /// The player, if it is one's.
        player: Option<String>,
        /// The key.
        key: String,
        /// Its value before, if it had one.
        old: Option<String>,
        /// Its value now, if it has one.
        new: Option<String>,
    },
    /// A player that was not there.
    Added(String),
    /// A player that is there no more.
    Removed(String),
    /// The same players in another order.
    Reordered,
}

impl Change {
    /// The player in whose own keys the difference lies; `None` where it concerns others, too.
    pub fn player_s_own(&self) -> Option<&str> {
        match self {
            Self::Value { player, .. } => player.as_deref(),
            Self::Added(_) | Self::Removed(_) | Self::Reordered => None,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // What is known of these is a digest.
            Self::Value { player: Some(player), key, .. } if key == "env" => {
                write!(f, "player `{player}`: `env` is not what it was")
            }
            Self::Value { player, key, old, new } => {
                if let Some(player) = player {
                    write!(f, "player `{player}`: ")?;
                }
                let shown = |value: &Option<String>| {
                    value.as_ref().map_or("not there".to_owned(), |value| format!("`{value}`"))
                };
                write!(f, "`{key}` was {} and is now {}", shown(old), shown(new))
            }
            Self::Added(player) => write!(f, "player `{player}` is new"),
            Self::Removed(player) => write!(f, "player `{player}` is missing"),
            Self::Reordered => f.write_str("the players stand in another order"),
        }
    }
}

impl Definition {
    /// Whether `tournament` leaves `illegal_tries` to the default, and this run was begun under the former one.
    pub fn has_former_tries(&self, tournament: &Tournament) -> bool {
        let had = self.games.get("illegal_tries");
        tournament.default_tries && had.is_some_and(|had| *had == FORMER_ILLEGAL_TRIES.to_string())
    }

    /// The SHA-256 of the definition, in hexadecimal: the digest of the run.
    pub fn digest(&self) -> String {
        // Plain data with text keys, which JSON can always hold; the maps are ordered.
        sha256(serde_json::to_string(self).unwrap_or_else(|error| unreachable!("{error}")).as_bytes())
    }

    /// The games of this run, `earlier` being its definitions before each extension, the oldest first.
    pub fn schedule(&self, earlier: &[Self]) -> Schedule {
        let earlier: Vec<Frame> = earlier.iter().map(|definition| definition.frame.clone()).collect();
        Schedule::of(&self.frame, &earlier)
    }

    /// Everything in which `new` differs.
    pub fn changes(&self, new: &Self) -> Vec<Change> {
        let mut changes = changes_of(None, &self.facts(), &new.facts());
        for player in &self.players {
            match new.player(&player.name) {
                Some(now) => changes.extend(changes_of(Some(&player.name), &player.facts, &now.facts)),
                None => changes.push(Change::Removed(player.name.clone())),
            }
        }
        let added = new.players.iter().filter(|player| self.player(&player.name).is_none());
        changes.extend(added.map(|player| Change::Added(player.name.clone())));
        if changes.is_empty() && self != new {
            changes.push(Change::Reordered);
        }
        changes
    }

    /// Whether `new` is this with more rounds (with `sprt` more pairs), or with more players behind the others where the
    /// format's games are known from the start, or both: then every game of this one is a game of `new`.
    pub fn is_extended_by(&self, new: &Self) -> bool {
        let (old_frame, new_frame) = (&self.frame, &new.frame);
        let same_but_size = old_frame.ruleset == new_frame.ruleset
            && old_frame.seed == new_frame.seed
            && old_frame.opening_plies == new_frame.opening_plies
            && old_frame.balanced == new_frame.balanced
            && self.games == new.games
            && new.players.starts_with(&self.players);
        let same_players = self.players.len() == new.players.len();
        same_but_size
            && match (&old_frame.format, &new_frame.format) {
                (Format::RoundRobin { rounds: old }, Format::RoundRobin { rounds: new }) => old <= new,
                (
                    Format::Gauntlet { rounds: old, challengers: old_challengers },
                    Format::Gauntlet { rounds: new, challengers: new_challengers },
                ) => {
                    old <= new && new_challengers.starts_with(old_challengers) && {
                        let added = &new_challengers[old_challengers.len()..];
                        added.iter().all(|&challenger| challenger >= self.players.len())
                    }
                }
                (Format::Swiss { rounds: old, legs: old_legs }, Format::Swiss { rounds: new, legs: new_legs }) => {
                    same_players && old <= new && old_legs == new_legs
                }
                (Format::Sprt { test: old_test, max_pairs: old }, Format::Sprt { test: new_test, max_pairs: new }) => {
                    same_players && old <= new && old_test == new_test
                }
                _ => false,
            }
    }

    /// Puts `player` in the place of the player with its name, if there is one.
    pub fn redefine(&mut self, player: PlayerDefinition) {
        if let Some(before) = self.players.iter_mut().find(|before| before.name == player.name) {
            *before = player;
        }
    }

    /// What it says of the player called `name`.
    pub fn player(&self, name: &str) -> Option<&PlayerDefinition> {
        self.players.iter().find(|player| player.name == name)
    }

    /// Everything but the players, as keys of the file.
    fn facts(&self) -> Facts {
        let Frame { ruleset, format, seed, opening_plies, balanced, slugs: _ } = &self.frame;
        let mut facts = self.games.clone();
        let mut add = |key: &str, value: String| drop(facts.insert(key.to_owned(), value));
        add("ruleset", ruleset.to_string());
        add("seed", seed.to_string());
        add("openings.plies", opening_plies.to_string());
        if let Some(digest) = balanced {
            add("openings.balanced", format!("true, of {digest:.12}"));
        }
        match format {
            Format::RoundRobin { rounds } => {
                add("format", "round-robin".to_owned());
                add("rounds", rounds.to_string());
            }
            Format::Gauntlet { rounds, challengers } => {
                add("format", "gauntlet".to_owned());
                add("rounds", rounds.to_string());
                let names = challengers.iter().filter_map(|&index| Some(self.players.get(index)?.name.as_str()));
                add("challengers", names.collect::<Vec<_>>().join(", "));
            }
            Format::Swiss { rounds, legs } => {
                add("format", "swiss".to_owned());
                add("rounds", rounds.to_string());
                add("games", legs.games().to_string());
            }
            Format::Knockout { pairs } => {
                add("format", "knockout".to_owned());
                add("pairs", pairs.to_string());
            }
            Format::Sprt { test, max_pairs } => {
                add("format", "sprt".to_owned());
                let numbers =
                    [("elo0", test.elo0()), ("elo1", test.elo1()), ("alpha", test.alpha()), ("beta", test.beta())];
                for (key, number) in numbers {
                    add(key, number.to_string());
                }
                add("max_pairs", max_pairs.to_string());
            }
        }
        facts
    }
}

fn changes_of(player: Option<&str>, old: &Facts, new: &Facts) -> Vec<Change> {
    let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
    let changed = keys.filter(|key| old.get(*key) != new.get(*key));
    changed
        .map(|key| Change::Value {
            player: player.map(str::to_owned),
            key: key.clone(),
            old: old.get(key).cloned(),
            new: new.get(key).cloned(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
