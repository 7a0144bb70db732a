//! The plan of the doors, according to the tournament file and the journal.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use crate::base::time::{WallTime, wall_clock};
use crate::course::submissions::EntryPath;
use crate::ladder::doors::{DoorsPlan, Entrance, FolderDoor, GitCredential, GitDoor, PlayerDoor};
use crate::ladder::hand_in::{DoorKind, VERSION_BOUNDS};
use crate::run::journal::LadderHistory;
use crate::tournament::ladder::{GitSource, Ladder, LadderDoor, LadderEntry};

/// How long a version counts against the daily limit.
const DAY: Duration = Duration::from_hours(24);

/// The doors of the players of `ladder`, whose tournament file is in the directory `base`. They close at the time
/// `end`, if it is known.
///
/// # Errors
/// Fails if the settings of a player's repository are invalid.
pub(super) fn doors_plan(
    ladder: &Ladder,
    end: Option<Timestamp>,
    history: &LadderHistory,
    base: &Path,
) -> Result<DoorsPlan, String> {
    let terms = &ladder.terms;
    let player = |entry: &LadderEntry| {
        let name = entry.name.as_str();
        let arrived = |hand_in: &crate::run::journal::HandInEntry| WallTime::from(hand_in.arrived);
        // Versions that the teacher added do not change what the player's own door delivers.
        let own = || history.hand_ins(name).filter(|hand_in| hand_in.door != DoorKind::Teacher.name());
        let last = own().max_by_key(|hand_in| hand_in.number);
        let since = wall_clock() - DAY;
        Ok(PlayerDoor {
            name: entry.name.clone(),
            entrance: entrance(&entry.door, base)?,
            closes: closing(entry, end, history),
            last_digest: last.map(|hand_in| hand_in.sources.clone()),
            recent: own().map(arrived).filter(|time| *time > since).collect(),
        })
    };
    Ok(DoorsPlan {
        players: ladder.entries.iter().map(player).collect::<Result<_, String>>()?,
        bounds: VERSION_BOUNDS,
        poll: terms.poll,
        versions_per_day: usize::try_from(terms.versions_per_day)
            .ok()
            .and_then(NonZeroUsize::new)
            .unwrap_or(NonZeroUsize::MIN),
    })
}

/// When the door of `entry` closes: at the `end` of the hand-ins, unless the player has an extension; `None` if no end
/// is known.
pub(super) fn closing(entry: &LadderEntry, end: Option<Timestamp>, history: &LadderHistory) -> Option<WallTime> {
    let extension = history.reopened(entry.name.as_str());
    end.map(|end| WallTime::from(extension.map_or(end, |extension| end.max(extension))))
}

fn entrance(door: &LadderDoor, base: &Path) -> Result<Entrance, String> {
    Ok(match door {
        LadderDoor::Folder(folder) => Entrance::Folder(FolderDoor { dir: base.join(folder) }),
        LadderDoor::Submit => Entrance::Submit,
        LadderDoor::Git(source) => Entrance::Git(git_door(source, base)?),
    })
}

fn git_door(source: &GitSource, base: &Path) -> Result<GitDoor, String> {
    let GitSource { url, branch, subdirectory, key, token_file } = source;
    let subdirectory = subdirectory.as_ref().map(|path| EntryPath::parse(&path.to_string_lossy())).transpose();
    Ok(GitDoor {
        address: url.parse().map_err(|error| format!("`git`: `{url}` {error}"))?,
        branch: branch.as_deref().map(str::parse).transpose().map_err(|error| format!("`branch`: {error}"))?,
        subdirectory: subdirectory.map_err(|error| format!("`subdirectory`: {error:?}"))?,
        credential: match (key, token_file) {
            (Some(key), _) => GitCredential::Key(base.join(key)),
            (None, Some(file)) => GitCredential::TokenFile(base.join(file)),
            (None, None) => GitCredential::None,
        },
    })
}
