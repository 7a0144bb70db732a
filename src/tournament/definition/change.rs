//! Where two definitions differ.

use std::fmt;

use super::Facts;
use crate::base::printable::printable;

/// One difference between two definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A value for all games, or for one player.
    Value {
        /// The player whose value it is; `None` for all games.
        player: Option<String>,
        /// The key.
        key: String,
        /// The value before, if there was one.
        old: Option<String>,
        /// The value now, if there is one.
        new: Option<String>,
    },
    /// A player that was not there before.
    Added(String),
    /// A player that is no longer there.
    Removed(String),
    /// The same players in another order.
    Reordered,
}

impl Change {
    /// The player whose own keys differ; `None` if the difference concerns other players too.
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
            // Only a digest of the values is known.
            Self::Value { player: Some(player), key, .. } if key == "env" => {
                write!(f, "player `{}`: `env` has changed", printable(player))
            }
            Self::Value { player, key, old, new } => {
                if let Some(player) = player {
                    write!(f, "player `{}`: ", printable(player))?;
                }
                let shown = |value: &Option<String>| {
                    value.as_ref().map_or("not set".to_owned(), |value| format!("`{}`", printable(value)))
                };
                write!(f, "`{key}` was {} and is now {}", shown(old), shown(new))
            }
            Self::Added(player) => write!(f, "player `{}` is new", printable(player)),
            Self::Removed(player) => write!(f, "player `{}` is missing", printable(player)),
            Self::Reordered => f.write_str("the players are in another order"),
        }
    }
}

/// The keys in which `new` differs from `old`, at the top of the file or of one player.
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
