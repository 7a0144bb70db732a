//! What a tournament file says of the games themselves, in a form that can be kept, compared and digested.
//!
//! Players, seed, rounds, format, rules, openings and clocks belong to it. How and where the games are run does not: not
//! concurrency, addresses, deadlines, names of the tournament, comments; and tokens least of all.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::clock::TimeControl;
use crate::rules::Side;
use crate::tournament::{Player, PlayerKind, Template, Tournament, Transport};

/// Keys of a tournament file with their values, in one spelling.
type Facts = BTreeMap<String, String>;

/// The definition of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// What holds for all games.
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
        let mut games = Facts::new();
        let mut add = |key: &str, value: String| drop(games.insert(key.to_owned(), value));
        add("ruleset", tournament.ruleset.to_string());
        add(ROUNDS, tournament.rounds.to_string());
        add("seed", tournament.seed.to_string());
        match tournament.time_control {
            TimeControl::Unlimited => add("time", "none".to_owned()),
            TimeControl::SuddenDeath(times) => {
                for side in Side::BOTH {
                    add(&format!("{side}_time"), humantime::format_duration(times[side]).to_string());
                }
            }
        }
        Self { games, players: tournament.players.iter().map(PlayerDefinition::from).collect() }
    }
}

/// The one number of a run that may grow while it is on.
const ROUNDS: &str = "rounds";

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
                let numbers = [("depth", bot.depth.map(|depth| u64::from(depth.get()))), ("seed", bot.seed)];
                for (key, number) in numbers {
                    if let Some(number) = number {
                        add(key, number.to_string());
                    }
                }
            }
            PlayerKind::Remote(_) => add("remote", "true".to_owned()),
        }
        Self { name: player.name.to_string(), facts }
    }
}

/// Words as an unambiguous text.
fn words(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!("{word:?}")).collect::<Vec<_>>().join(" ")
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
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

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { player, key, old, new } => {
                if let Some(player) = player {
                    write!(f, "player `{player}`: ")?;
                }
                let shown =
                    |value: &Option<String>| value.as_ref().map_or("nothing".to_owned(), |value| format!("`{value}`"));
                write!(f, "`{key}` was {} and is now {}", shown(old), shown(new))
            }
            Self::Added(player) => write!(f, "player `{player}` is new"),
            Self::Removed(player) => write!(f, "player `{player}` is missing"),
            Self::Reordered => f.write_str("the players stand in another order"),
        }
    }
}

impl Definition {
    /// The SHA-256 of the definition, in hexadecimal: the digest of the run.
    pub fn digest(&self) -> String {
        // Plain text keys and values, which JSON can always hold; the maps are ordered.
        sha256(serde_json::to_string(self).unwrap_or_else(|error| unreachable!("{error}")).as_bytes())
    }

    /// Everything in which `new` differs.
    pub fn changes(&self, new: &Self) -> Vec<Change> {
        let mut changes = facts_changes(None, &self.games, &new.games);
        for player in &self.players {
            match new.player(&player.name) {
                Some(now) => changes.extend(facts_changes(Some(&player.name), &player.facts, &now.facts)),
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

    /// Whether `new` is this with more rounds, or with more players behind the others, or both: then every game of this
    /// one is a game of `new`.
    pub fn is_extended_by(&self, new: &Self) -> bool {
        let rounds = |definition: &Self| definition.games.get(ROUNDS).and_then(|rounds| rounds.parse::<u64>().ok());
        let grown = |key: &String| key == ROUNDS && rounds(self) <= rounds(new);
        let same_games = facts_changes(None, &self.games, &new.games)
            .iter()
            .all(|change| matches!(change, Change::Value { key, .. } if grown(key)));
        same_games && new.players.starts_with(&self.players)
    }

    fn player(&self, name: &str) -> Option<&PlayerDefinition> {
        self.players.iter().find(|player| player.name == name)
    }
}

fn facts_changes(player: Option<&str>, old: &Facts, new: &Facts) -> Vec<Change> {
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
