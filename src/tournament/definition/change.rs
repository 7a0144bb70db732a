//! The differences between two definitions.

use std::fmt;

use super::Facts;
use crate::base::sanitise::sanitised;

/// One difference between two definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A value for all games, or for one player.
    Value {
        /// The player whose value it is; `None` for all games.
        player: Option<String>,
        /// The key.
        key: String,
        /// The old value, if there was one.
        old: Option<String>,
        /// The new value, if there is one.
        new: Option<String>,
    },
    /// A player that was added.
    Added(String),
    /// A player that was removed.
    Removed(String),
    /// The same players in another order.
    Reordered,
}

impl Change {
    /// The player whose own keys differ; `None` if the difference also concerns other players.
    pub fn player_s_own(&self) -> Option<&str> {
        match self {
            Self::Value { player, .. } => player.as_deref(),
            Self::Added(_) | Self::Removed(_) | Self::Reordered => None,
        }
    }

    /// Describes the difference between two runs when neither run is the later one.
    pub fn side_by_side(&self) -> String {
        match self {
            Self::Value { player, key, .. } if is_secret(player.as_deref(), key) => {
                format!("{}the two have different values of `{key}`", of_player(player.as_deref()))
            }
            Self::Value { player, key, old, new } => format!(
                "{}`{key}` is {} in the first and {} in the second",
                of_player(player.as_deref()),
                shown(old.as_deref()),
                shown(new.as_deref())
            ),
            Self::Added(player) => format!("only the second has player `{}`", sanitised(player)),
            Self::Removed(player) => format!("only the first has player `{}`", sanitised(player)),
            Self::Reordered => "the players are in different orders".to_owned(),
        }
    }
}

/// Whether only digests of the values are known.
fn is_secret(player: Option<&str>, key: &str) -> bool {
    player.is_some() && key == "env"
}

/// The text before a difference that concerns one player.
fn of_player(player: Option<&str>) -> String {
    player.map(|player| format!("player `{}`: ", sanitised(player))).unwrap_or_default()
}

/// The text for a value.
fn shown(value: Option<&str>) -> String {
    value.map_or("not set".to_owned(), |value| format!("`{}`", sanitised(value)))
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { player, key, .. } if is_secret(player.as_deref(), key) => {
                write!(f, "{}`{key}` has changed", of_player(player.as_deref()))
            }
            Self::Value { player, key, old, new } => {
                let (player, old, new) = (of_player(player.as_deref()), shown(old.as_deref()), shown(new.as_deref()));
                write!(f, "{player}`{key}` was {old} and is now {new}")
            }
            Self::Added(player) => write!(f, "player `{}` is new", sanitised(player)),
            Self::Removed(player) => write!(f, "player `{}` is missing", sanitised(player)),
            Self::Reordered => f.write_str("the players are in a different order"),
        }
    }
}

/// The keys in which `new` differs from `old`, at the top of the file or for one player.
pub(super) fn changes_of(player: Option<&str>, old: &Facts, new: &Facts) -> Vec<Change> {
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
