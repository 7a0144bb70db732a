//! The program of a player, as the journal identifies it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The program that a player ran when the run began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerEntry {
    /// The player's name.
    pub name: String,
    /// The digest of the player's program, if the arena starts it.
    pub digest: Option<String>,
    /// The digest of each file of the player's program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The digest of each file that the player's build produced, if there is a build. These files do not identify the
    /// player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub products: Option<BTreeMap<String, String>>,
}

impl PlayerEntry {
    /// The change since `self` was written, in words; `None` if there is no change. New files do not count as a change:
    /// bots may have written them.
    pub fn change(&self, now: &Self) -> Option<String> {
        match (&self.digest, &now.digest) {
            (None, Some(_)) => Some("could not be started at the time".to_owned()),
            (Some(_), None) => Some("cannot be started now".to_owned()),
            (None, None) => None,
            (Some(_), Some(_)) => {
                let changed = self.files.iter().find(|(file, digest)| now.files.get(*file) != Some(digest));
                changed.map(|(file, _)| format!("`{file}`"))
            }
        }
    }
}
