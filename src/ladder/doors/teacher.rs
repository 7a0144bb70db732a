//! The teacher's own entrance, `ladder add`: sources for any player, in a part of the inbox that the doors do not
//! touch.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

use super::intake::{Intake, TakenIn};
use super::stored_hand_in::{store, stored};
use crate::base::sanitise::Shown as _;
use crate::base::time::wall_clock;
use crate::course::unpacking::UnpackError;
use crate::ladder::hand_in::{DoorKind, HandIn, VERSION_BOUNDS, removed};
use crate::tournament::PlayerName;

/// The directory in the inbox to which `ladder add` adds sources.
pub(super) const ADDED: &str = "added";

/// After this time, anything to which no request refers is considered left behind by a command or an arena that was
/// killed.
const ABANDONED: Duration = Duration::from_hours(1);

/// Why nothing was added.
#[derive(Debug, Error)]
pub(crate) enum AddError {
    /// The sources are refused for this reason, a printable clause.
    #[error("{0}")]
    Refused(String),
    /// The sources cannot be read.
    #[error(transparent)]
    Unread(UnpackError),
    /// The inbox cannot be written.
    #[error("cannot write to the ladder's inbox")]
    Inbox(#[source] io::Error),
    /// The sources cannot be copied to the inbox.
    #[error("cannot copy the sources to the ladder's inbox")]
    Uncopied(#[source] UnpackError),
}

/// The sources that were added.
#[derive(Debug)]
pub(crate) struct AddedSources {
    /// The name of their directory in the inbox, for [`added`].
    pub(crate) entry: String,
    /// The digest that identifies the sources.
    pub(crate) digest: String,
    /// The number of files.
    pub(crate) files: usize,
    /// Printable clauses about files that were left out or look odd.
    pub(crate) warnings: Vec<String>,
}

/// Puts the directory or the archive at `path` into the inbox `inbox`, as a hand-in of `player` that arrives now.
///
/// # Errors
/// Fails if the sources are refused or cannot be read, or if the inbox cannot be written.
pub(crate) fn add(inbox: &Path, player: &PlayerName, path: &Path) -> Result<AddedSources, AddError> {
    let intake = Intake::in_dir(inbox.join(ADDED)).map_err(AddError::Inbox)?;
    let failed = |error| match error {
        UnpackError::Io { ref path, .. } if path.starts_with(inbox) => AddError::Uncopied(error),
        error => AddError::Unread(error),
    };
    let TakenIn { digest, sources, entry } = intake.take_path(path, VERSION_BOUNDS).map_err(failed)?;
    let name = entry.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let added = match &sources {
        Ok(sources) => Ok(AddedSources {
            entry: name,
            digest: digest.clone(),
            files: sources.files.len(),
            warnings: sources.warnings.clone(),
        }),
        Err(why) => Err(AddError::Refused(why.clone())),
    };
    let hand_in = HandIn {
        player: player.clone(),
        door: DoorKind::Teacher,
        arrived: wall_clock(),
        origin: format!("`{}`", Path::new(path.file_name().unwrap_or(path.as_os_str())).shown()),
        digest,
        sources,
        entries: vec![entry.clone()],
    };
    let added = added.and_then(|added| store(&hand_in, &entry).map(|()| added).map_err(AddError::Inbox));
    if added.is_err() {
        // Anything that cannot be removed does no harm.
        let _ = removed(&entry);
    }
    added
}

/// The hand-in that [`add`] put into the directory `entry` of the inbox; `None` if it is incomplete.
pub(crate) fn added(inbox: &Path, entry: &str) -> Option<HandIn> {
    let is_number = !entry.is_empty() && entry.bytes().all(|byte| byte.is_ascii_digit());
    let hand_in = is_number.then(|| stored(&inbox.join(ADDED).join(entry)))??;
    (hand_in.door == DoorKind::Teacher).then_some(hand_in)
}

/// Removes what [`add`] put into the directory `entry` of the inbox. There will be no request for it.
pub(crate) fn discard(inbox: &Path, entry: &str) {
    // Anything that cannot be removed now is removed when a run begins.
    let _ = removed(&inbox.join(ADDED).join(entry));
}

/// Removes everything that has been in the inbox for a long time and that, according to `is_added`, is not added by any
/// request.
pub(crate) fn sweep(inbox: &Path, is_added: impl Fn(&str) -> bool) {
    let Ok(entries) = fs::read_dir(inbox.join(ADDED)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|time| wall_clock().duration_since(time).ok());
        if !is_added(&name.to_string_lossy()) && age.is_some_and(|age| age > ABANDONED) {
            // Anything that cannot be removed does no harm.
            let _ = removed(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    #[test]
    fn what_no_request_adds_is_removed_after_some_time() {
        let dir = tempfile::tempdir().expect("a directory");
        let player = PlayerName::new("ada").expect("a name");
        let bot = dir.path().join("bot");
        fs::create_dir(&bot).expect("made");
        fs::write(bot.join("bot.py"), "1").expect("written");
        let names: Vec<String> = (0..3).map(|_| add(dir.path(), &player, &bot).expect("added").entry).collect();
        for name in &names[..2] {
            let opened = fs::File::open(dir.path().join(ADDED).join(name)).expect("there");
            opened.set_modified(SystemTime::now() - 2 * ABANDONED).expect("set");
        }
        sweep(dir.path(), |name| name == names[0]);
        let is_there = |name: &String| added(dir.path(), name).is_some();
        assert_eq!(names.iter().map(is_there).collect::<Vec<_>>(), [true, false, true]);
        discard(dir.path(), &names[2]);
        assert!(!is_there(&names[2]));
    }

    #[test]
    fn what_is_added_is_a_hand_in_until_it_is_settled() {
        let dir = tempfile::tempdir().expect("a directory");
        let (inbox, bot) = (dir.path().join("inbox"), dir.path().join("bot"));
        fs::create_dir_all(bot.join(".git")).expect("made");
        fs::write(bot.join(".git/config"), "x").expect("written");
        fs::write(bot.join("bot.py"), "1").expect("written");
        let player = PlayerName::new("ada").expect("a name");
        let first = add(&inbox, &player, &bot).expect("added");
        fs::write(bot.join("bot.py"), "2").expect("written");
        let second = add(&inbox, &player, &bot).expect("added");
        assert_eq!((first.files, second.files), (1, 1));
        let [one, other] = [&first, &second].map(|sources| added(&inbox, &sources.entry).expect("there"));
        assert_eq!((one.player.as_str(), one.door, one.origin.as_str()), ("ada", DoorKind::Teacher, "`bot`"));
        assert!(one.digest != other.digest && one.arrived <= other.arrived);
        one.settle().expect("removed");
        assert!(added(&inbox, &first.entry).is_none() && added(&inbox, &second.entry).is_some());
        for wrong in ["", "..", "../trees/0", "/", "1 "] {
            assert!(added(&inbox, wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn what_is_refused_leaves_nothing_behind() {
        let dir = tempfile::tempdir().expect("a directory");
        let (inbox, bot) = (dir.path().join("inbox"), dir.path().join("bot"));
        fs::create_dir(&bot).expect("made");
        let player = PlayerName::new("ada").expect("a name");
        let refused = add(&inbox, &player, &bot).expect_err("it is empty");
        assert!(matches!(&refused, AddError::Refused(why) if why == "it contains no files"), "{refused}");
        assert!(add(&inbox, &player, &dir.path().join("nowhere")).is_err());
        assert_eq!(fs::read_dir(inbox.join(ADDED)).expect("there").count(), 0);
    }
}
