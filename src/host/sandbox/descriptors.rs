//! The open descriptors of a bot's processes, which reveal resources that are not visible elsewhere.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::procfs::ProcessSnapshot;

/// The maximum number of descriptors that all processes of a bot may have in total. With this limit, examining the
/// descriptors never takes long.
const MOST: u64 = 32_768;

/// The open descriptors of a bot's processes.
#[derive(Debug, Default)]
pub(super) struct OpenDescriptors {
    /// Sockets and pipes by name, since processes can share them.
    channels: HashSet<PathBuf>,
    /// Deleted files, by device and inode.
    deleted: HashSet<(u64, u64)>,
    /// The disk space that the deleted files occupy, in bytes.
    deleted_bytes: u64,
    number: u64,
}

/// A lower bound on the number of descriptors. It is used when the arena cannot examine all descriptors, because there
/// are too many or a process hides its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unmanageable(pub(super) u64);

impl OpenDescriptors {
    /// Collects the open descriptors of `processes`.
    pub(super) fn of(processes: impl IntoIterator<Item = u32>) -> Result<Self, Unmanageable> {
        let mut open = Self::default();
        for pid in processes {
            open.look(pid)?;
        }
        Ok(open)
    }

    fn look(&mut self, pid: u32) -> Result<(), Unmanageable> {
        let thread = ProcessSnapshot::of(pid).dir;
        let Ok(entries) = fs::read_dir(thread.join("fd")) else {
            // A process that is about to end hides its descriptors as well, but no longer has any memory.
            return if ProcessSnapshot::of_thread(&thread).memory > 0 {
                Err(Unmanageable(self.number + 1))
            } else {
                Ok(())
            };
        };
        for entry in entries.flatten() {
            self.number += 1;
            if self.number > MOST {
                return Err(Unmanageable(self.number));
            }
            // Reading the name is cheaper than examining the file.
            if let Ok(name) = fs::read_link(entry.path()) {
                self.note(name, &entry.path());
            }
        }
        Ok(())
    }

    fn note(&mut self, name: PathBuf, descriptor: &Path) {
        let bytes = name.as_os_str().as_bytes();
        if bytes.starts_with(b"socket:") || bytes.starts_with(b"pipe:") {
            self.channels.insert(name);
        } else if bytes.ends_with(b" (deleted)") && !bytes.starts_with(b"/memfd:") {
            let Ok(metadata) = fs::metadata(descriptor) else { return };
            let is_gone = metadata.is_file() && metadata.nlink() == 0;
            if is_gone && self.deleted.insert((metadata.dev(), metadata.ino())) {
                self.deleted_bytes += metadata.blocks() * 512;
            }
        }
    }

    /// The number of open sockets and pipes.
    pub(super) fn channels(&self) -> u64 {
        self.channels.len() as u64
    }

    /// The disk space that deleted files occupy, in bytes.
    pub(super) const fn deleted_bytes(&self) -> u64 {
        self.deleted_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    #[test]
    fn each_socket_counts_once_however_many_have_it() {
        let pair = UnixStream::pair().expect("made");
        let _again = pair.0.try_clone().expect("made");
        let name = fs::read_link(format!("/proc/self/fd/{}", pair.0.as_raw_fd())).expect("there");
        let own = std::process::id();
        let open = OpenDescriptors::of([own, own]).expect("few");
        // Other tests that run in this process have open descriptors as well.
        assert!(open.channels.contains(&name) && open.number >= 6, "{open:?}");
        assert!(open.channels() < open.number, "{open:?}");
    }

    #[test]
    fn a_deleted_file_counts_while_it_is_open() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("file");
        let mut file = fs::File::create(&path).expect("made");
        file.write_all(&vec![1; 1 << 20]).expect("written");
        let (metadata, own) = (file.metadata().expect("there"), std::process::id());
        let is_seen =
            || OpenDescriptors::of([own, own]).expect("few").deleted.contains(&(metadata.dev(), metadata.ino()));
        assert!(!is_seen(), "the file has a name");
        fs::remove_file(path).expect("removed");
        assert!(is_seen());
        assert!(OpenDescriptors::of([own]).expect("few").deleted_bytes() >= 1 << 20);
        drop(file);
        assert!(!is_seen());
    }

    #[test]
    fn more_than_can_be_looked_at_soon_is_too_many() {
        let mut open = OpenDescriptors { number: MOST, ..OpenDescriptors::default() };
        assert_eq!(open.look(std::process::id()), Err(Unmanageable(MOST + 1)));
    }
}
