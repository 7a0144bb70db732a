//! What is in the inbox, for people who ask while no arena, or another one, is running. Nothing is changed.

use std::fs;
use std::path::{Path, PathBuf};

use super::stored_hand_in::told_of_hand_in;
use super::submit::told_of_upload;
use super::teacher::ADDED;
use super::{TREES, UPLOADS};
use crate::results::report::WaitingRow;

/// The hand-ins in the directory `inbox`, the earliest first. Anything that has not arrived completely is left out, and
/// so is anything that cannot be read.
pub(crate) fn listed(inbox: &Path) -> Vec<WaitingRow> {
    let stored = [TREES, ADDED].into_iter().flat_map(|part| entries(&inbox.join(part)));
    let uploads = entries(&inbox.join(UPLOADS)).filter_map(|entry| told_of_upload(&entry));
    let mut all: Vec<_> = stored.filter_map(|entry| told_of_hand_in(&entry)).chain(uploads).collect();
    all.sort_by(|(one, it), (other, that)| (one, &it.player).cmp(&(other, &that.player)));
    all.into_iter().map(|(_, row)| row).collect()
}

/// The paths of the entries of `dir`.
fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ladder::doors::add;
    use crate::tournament::PlayerName;

    #[test]
    fn what_has_arrived_by_any_door_is_listed_the_earliest_first() {
        let dir = tempfile::tempdir().expect("a directory");
        let (inbox, bot) = (dir.path().join("inbox"), dir.path().join("bot"));
        assert_eq!(listed(&inbox), []);
        fs::create_dir(&bot).expect("made");
        fs::write(bot.join("bot.py"), "1").expect("written");
        let name = |name: &str| PlayerName::new(name).expect("a name");
        add(&inbox, &name("cy"), &bot).expect("added");
        for (path, about) in [
            (
                "trees/3",
                r#"{"player":"bo","door":"git","arrived":"2001-09-01T10:00:00Z","origin":"x","digest":"x","sources":{"Err":"x"}}"#,
            ),
            ("uploads/7", r#"{"player":"ada","arrived_ms":1000,"from":"127.0.0.1"}"#),
            // Only a part of these has arrived.
            ("trees/4", "{"),
            ("uploads/.arena-999999999-1.tmp", r#"{"player":"ada","arrived_ms":2000,"from":"127.0.0.1"}"#),
        ] {
            fs::create_dir_all(inbox.join(path)).expect("made");
            fs::write(inbox.join(path).join("about.json"), about).expect("written");
        }
        fs::create_dir_all(inbox.join("trees/5")).expect("made");
        let found: Vec<_> = listed(&inbox).into_iter().map(|it| (it.player, it.door)).collect();
        let expected = [("ada", "submit"), ("bo", "git"), ("cy", "teacher")];
        assert_eq!(found, expected.map(|(player, door)| (player.to_owned(), door)));
    }
}
