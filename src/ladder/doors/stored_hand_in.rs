//! Hand-ins stored in the inbox, with what is known about them, from their arrival until they are settled. Uploads are
//! not among them: an upload stays as it arrived.

use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::base::files::sync_tree;
use crate::base::sanitise::sanitised;
use crate::base::time::WallTime;
use crate::ladder::hand_in::{DoorKind, HandIn, HandedInSources};
use crate::ladder::sources_digest::sources_digest;
use crate::results::report::WaitingRow;
use crate::tournament::PlayerName;

/// The name of the file in the hand-in's directory that stores what is known about the hand-in.
const ABOUT: &str = "about.json";

/// What is known about a hand-in.
#[derive(Debug, Serialize, Deserialize)]
struct HandInAbout {
    player: String,
    door: String,
    arrived: Timestamp,
    origin: String,
    digest: String,
    sources: Result<AboutSources, String>,
}

/// What is known about sources.
#[derive(Debug, Serialize, Deserialize)]
struct AboutSources {
    /// Their directory, relative to the directory of the hand-in.
    tree: PathBuf,
    files: Vec<String>,
    warnings: Vec<String>,
}

/// Stores what is known about `hand_in` in its directory `entry`. After that, the hand-in survives both the end of this
/// process and a power failure.
///
/// # Errors
/// Fails if a file cannot be written.
pub(super) fn store(hand_in: &HandIn, entry: &Path) -> io::Result<()> {
    let about_sources = |sources: &HandedInSources| {
        let tree = sources.dir.strip_prefix(entry).map_err(io::Error::other)?.to_owned();
        Ok::<_, io::Error>(AboutSources { tree, files: sources.files.clone(), warnings: sources.warnings.clone() })
    };
    let about = HandInAbout {
        player: hand_in.player.to_string(),
        door: hand_in.door.to_string(),
        arrived: Timestamp::try_from(hand_in.arrived).map_err(io::Error::other)?,
        origin: hand_in.origin.clone(),
        digest: hand_in.digest.clone(),
        sources: match &hand_in.sources {
            Ok(sources) => Ok(about_sources(sources)?),
            Err(why) => Err(why.clone()),
        },
    };
    // This file is written last, so if it exists, everything else exists as well.
    sync_tree(entry)?;
    let mut file = File::create_new(entry.join(ABOUT))?;
    io::Write::write_all(&mut file, &serde_json::to_vec(&about).map_err(io::Error::from)?)?;
    file.sync_all()?;
    File::open(entry)?.sync_all()?;
    entry.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

/// When the hand-in in the directory `entry` arrived, and what is shown of it, whether or not its sources are complete;
/// `None` if the hand-in has not been stored.
pub(super) fn told_of_hand_in(entry: &Path) -> Option<(Timestamp, WaitingRow)> {
    let about: HandInAbout = serde_json::from_slice(&fs::read(entry.join(ABOUT)).ok()?).ok()?;
    let (player, arrived) = (PlayerName::new(about.player).ok()?.to_string(), about.arrived);
    let door = DoorKind::ALL.into_iter().map(DoorKind::name).find(|name| *name == about.door)?;
    Some((arrived, WaitingRow { player, door, arrived: arrived.to_string() }))
}

/// The hand-in in the directory `entry`; `None` if it is incomplete.
pub(super) fn stored(entry: &Path) -> Option<HandIn> {
    let about: HandInAbout = serde_json::from_slice(&fs::read(entry.join(ABOUT)).ok()?).ok()?;
    let HandInAbout { player, door, arrived, origin, digest, sources } = about;
    let sources = match sources {
        Ok(AboutSources { tree, files, warnings }) => {
            let is_below = tree.components().all(|part| matches!(part, Component::Normal(_)));
            let dir = entry.join(tree);
            let is_whole = is_below && sources_digest(&dir, &files).is_ok_and(|found| found == digest);
            is_whole.then_some(Ok(HandedInSources { dir, files, warnings }))?
        }
        Err(why) => Err(why),
    };
    Some(HandIn {
        player: PlayerName::new(player).ok()?,
        door: DoorKind::ALL.into_iter().find(|kind| kind.name() == door)?,
        arrived: WallTime::from(arrived),
        origin: sanitised(&origin),
        digest,
        sources,
        entries: vec![entry.to_owned()],
    })
}
