//! Uploads on the disk. An upload appears in its directory complete, together with what is known about it, and stays
//! there until it is settled, no matter how many times the arena is killed before then.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::base::files::{TemporaryName, is_temporary, remove_tree};
use crate::base::held_dir::HeldDir;
use crate::base::time::WallTime;
use crate::ladder::hand_in::DoorKind;
use crate::results::report::WaitingRow;
use crate::tournament::PlayerName;

/// What is known about an upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UploadAbout {
    player: String,
    arrived_ms: u64,
    /// The address of the sender.
    pub(super) from: String,
}

impl UploadAbout {
    pub(super) fn new(player: &PlayerName, arrived: WallTime, from: String) -> Self {
        let since = arrived.duration_since(UNIX_EPOCH).unwrap_or_default();
        let arrived_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        Self { player: player.to_string(), arrived_ms, from }
    }

    pub(super) fn player(&self) -> Option<PlayerName> {
        PlayerName::new(self.player.clone()).ok()
    }

    pub(super) fn arrived(&self) -> WallTime {
        UNIX_EPOCH.checked_add(Duration::from_millis(self.arrived_ms)).unwrap_or(UNIX_EPOCH)
    }
}

/// An upload that has arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredUpload {
    /// The directory that belongs to the upload.
    pub(super) dir: PathBuf,
    /// The archive in `dir`.
    pub(super) archive: PathBuf,
    pub(super) about: UploadAbout,
}

/// Why an upload cannot be stored.
#[derive(Debug)]
pub(super) enum UploadFault {
    /// The upload is not an archive.
    NoArchive,
    /// The upload is too large.
    TooLarge,
    /// The machine is at fault.
    Io(io::Error),
}

impl From<io::Error> for UploadFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

const ABOUT: &str = "about.json";

/// The file names of archives, one for each kind.
const ARCHIVE_NAMES: [&str; 3] = ["upload.zip", "upload.tar.gz", "upload.tar"];

/// The file name of an archive that begins with `start`; `None` if this is not an archive that can be unpacked.
fn archive_name(start: &[u8]) -> Option<&'static str> {
    /// The position of the magic bytes in a tar archive.
    const TAR_MAGIC: std::ops::Range<usize> = 257..262;
    let [zip, tar_gz, tar] = ARCHIVE_NAMES;
    match start {
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(zip),
        [0x1f, 0x8b, ..] => Some(tar_gz),
        start if start.get(TAR_MAGIC) == Some(b"ustar") => Some(tar),
        _ => None,
    }
}

impl StoredUpload {
    /// Copies the file `ticket` from the directory `incoming`, whose contents the arena does not trust, to the
    /// directory `uploads`, and removes the original.
    ///
    /// # Errors
    /// Fails if the file is not an archive, if it has more than `most` bytes, or if the machine cannot store it.
    pub(super) fn store(
        incoming: &Path,
        uploads: &Path,
        ticket: &str,
        about: &UploadAbout,
        most: u64,
    ) -> Result<Self, UploadFault> {
        let temporary = uploads.join(std::ffi::OsString::from(TemporaryName::unused()));
        let stored = Self::store_in(&temporary, incoming, uploads, ticket, about, most);
        if stored.is_err() {
            let _ = remove_tree(&temporary);
        }
        let _ = fs::remove_file(incoming.join(ticket));
        stored
    }

    fn store_in(
        temporary: &Path,
        incoming: &Path,
        uploads: &Path,
        ticket: &str,
        about: &UploadAbout,
        most: u64,
    ) -> Result<Self, UploadFault> {
        // The copy can no longer change, even if another process still has the original open.
        let mut upload = HeldDir::open(incoming)?.file(Path::new(ticket))?;
        let mut start = Vec::new();
        upload.by_ref().take(512).read_to_end(&mut start)?;
        let name = archive_name(&start).ok_or(UploadFault::NoArchive)?;
        upload.rewind()?;
        fs::create_dir(temporary)?;
        let mut archive = File::create_new(temporary.join(name))?;
        if io::copy(&mut upload.take(most + 1), &mut archive)? > most {
            return Err(UploadFault::TooLarge);
        }
        archive.sync_all()?;
        let mut told = File::create_new(temporary.join(ABOUT))?;
        io::Write::write_all(&mut told, &serde_json::to_vec(about).map_err(io::Error::from)?)?;
        told.sync_all()?;
        File::open(temporary)?.sync_all()?;
        let dir = uploads.join(ticket);
        fs::rename(temporary, &dir)?;
        File::open(uploads)?.sync_all()?;
        Ok(Self { archive: dir.join(name), dir, about: about.clone() })
    }

    /// The uploads in the directory `uploads` that were not settled, the earliest first. Anything that is not an upload
    /// is removed.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub(super) fn left(uploads: &Path) -> io::Result<Vec<Self>> {
        let mut left = Vec::new();
        for entry in fs::read_dir(uploads)? {
            let (dir, name) = {
                let entry = entry?;
                (entry.path(), entry.file_name())
            };
            let read = || {
                let about = serde_json::from_slice(&fs::read(dir.join(ABOUT)).ok()?).ok()?;
                let archive = ARCHIVE_NAMES.iter().map(|name| dir.join(name)).find(|path| path.is_file())?;
                Some(Self { dir: dir.clone(), archive, about })
            };
            match read().filter(|_| !name.to_str().is_some_and(is_temporary)) {
                Some(upload) => left.push(upload),
                None => drop(remove_tree(&dir)),
            }
        }
        left.sort_by(|one, other| (one.about.arrived_ms, &one.dir).cmp(&(other.about.arrived_ms, &other.dir)));
        Ok(left)
    }
}

/// When the upload in the directory `dir` arrived, and what is shown of it; `None` if the upload has not arrived
/// completely.
pub(in crate::ladder::doors) fn told_of_upload(dir: &Path) -> Option<(Timestamp, WaitingRow)> {
    if dir.file_name()?.to_str().is_some_and(is_temporary) {
        return None;
    }
    let about: UploadAbout = serde_json::from_slice(&fs::read(dir.join(ABOUT)).ok()?).ok()?;
    let arrived = Timestamp::try_from(about.arrived()).ok()?;
    let (player, door) = (about.player()?.to_string(), DoorKind::Submit.name());
    Some((arrived, WaitingRow { player, door, arrived: arrived.to_string() }))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_upload_is_stored_as_a_whole_or_not_at_all_and_found_again() {
        let dir = tempfile::tempdir().expect("a directory");
        let [incoming, uploads] = ["incoming", "uploads"].map(|name| dir.path().join(name));
        for dir in [&incoming, &uploads] {
            fs::create_dir(dir).expect("made");
        }
        let about = |millis: u64| {
            let arrived = UNIX_EPOCH + Duration::from_millis(millis);
            UploadAbout::new(&PlayerName::new("ada").expect("a name"), arrived, "127.0.0.1".to_owned())
        };
        let store = |name: &str, bytes: &[u8], millis| {
            fs::write(incoming.join(name), bytes).expect("written");
            StoredUpload::store(&incoming, &uploads, name, &about(millis), 1000)
        };
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let later = store("1", b"PK\x03\x04", 20).expect("stored");
        let earlier = store("2", &tar, 10).expect("stored");
        assert!(later.archive.ends_with("1/upload.zip") && earlier.archive.ends_with("2/upload.tar"));
        assert_eq!(fs::read(&earlier.archive).expect("readable"), tar);
        assert!(matches!(store("3", b"#!/bin/sh", 1), Err(UploadFault::NoArchive)));
        assert!(matches!(store("4", b"", 1), Err(UploadFault::NoArchive)));
        assert!(matches!(store("5", &[b"\x1f\x8b", &[0; 999][..]].concat(), 1), Err(UploadFault::TooLarge)));
        // The process of the door is not trusted, either.
        symlink("/etc/passwd", incoming.join("6")).expect("linked");
        assert!(matches!(StoredUpload::store(&incoming, &uploads, "6", &about(1), 1000), Err(UploadFault::Io(_))));
        nix::unistd::mkfifo(&incoming.join("7"), nix::sys::stat::Mode::S_IRWXU).expect("made");
        assert!(matches!(StoredUpload::store(&incoming, &uploads, "7", &about(1), 1000), Err(UploadFault::Io(_))));
        assert_eq!(fs::read_dir(&incoming).expect("readable").count(), 0);
        // A killed arena left half of an upload behind.
        fs::create_dir(uploads.join(".arena-999999999-1.tmp")).expect("made");
        fs::create_dir(uploads.join("9")).expect("made");
        assert_eq!(StoredUpload::left(&uploads).expect("readable"), [earlier, later]);
        assert_eq!(fs::read_dir(&uploads).expect("readable").count(), 2);
    }
}
