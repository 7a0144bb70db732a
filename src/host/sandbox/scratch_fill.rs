//! How full a bot's scratch space is, even if it is on a shared disk.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, openat2, statat};
use rustix::io::Errno;

/// How many files and directories a scratch space may contain: the same number as in a scratch space that is a separate
/// file system.
const MOST_FILES: usize = 65_536;

/// How full a scratch space is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fill {
    /// The number of bytes in the space.
    pub(super) bytes: u64,
    /// Whether the number of bytes or of files exceeds a limit.
    pub(super) is_full: bool,
}

/// The contents of a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// The observed disk space, in bytes.
    pub(super) bytes: u64,
    /// Whether there are too many files, or files too deeply nested, to examine all of them.
    pub(super) unmanageable: bool,
}

impl Held {
    /// How full the directory is if it may contain up to `most` bytes.
    pub(super) const fn of(self, most: u64) -> Fill {
        Fill { bytes: self.bytes, is_full: self.bytes > most || self.unmanageable }
    }
}

/// Whether `dir` is in memory.
pub(super) fn is_in_memory(dir: &Path) -> bool {
    const TMPFS: rustix::fs::FsWord = 0x0102_1994;
    rustix::fs::statfs(dir).is_ok_and(|system| system.f_type == TMPFS)
}

/// Measures the contents of `dir` and of all directories below it. Links are never followed out of `dir`, even if its
/// owner changes the contents in the meantime.
pub(super) fn held(dir: &Path) -> Held {
    let mut held = Held::default();
    let Ok(root) = fs::File::open(dir) else { return held };
    let (mut files, mut left) = (0, vec![PathBuf::from(".")]);
    while let Some(path) = left.pop() {
        let within = |flags| {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
            openat2(&root, &path, flags | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty(), resolve)
        };
        let opened = within(OFlags::RDONLY).or_else(|error| {
            if error == Errno::ACCESS {
                // The directory belongs to this process's own user, so the process may make it readable again.
                let hidden = within(OFlags::PATH)?;
                let again = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&hidden));
                let _ = fs::set_permissions(again, fs::Permissions::from_mode(0o700));
                return within(OFlags::RDONLY);
            }
            Err(error)
        });
        let opened = match opened {
            Ok(opened) => opened,
            Err(Errno::NAMETOOLONG) => return Held { unmanageable: true, ..held },
            // The bot has removed the directory in the meantime.
            Err(_) => continue,
        };
        let Ok(entries) = Dir::read_from(&opened) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if [c".", c".."].contains(&name) {
                continue;
            }
            files += 1;
            if files > MOST_FILES {
                return Held { unmanageable: true, ..held };
            }
            let Ok(stat) = statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            held.bytes += u64::try_from(stat.st_blocks).unwrap_or(0) * 512;
            if FileType::from_raw_mode(stat.st_mode).is_dir() {
                left.push(path.join(OsStr::from_bytes(name.to_bytes())));
            }
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::fs::symlink;

    const PIECE: usize = 1 << 20;

    fn write(path: &Path) -> fs::File {
        let mut file = fs::File::create(path).expect("made");
        file.write_all(&vec![1; PIECE]).expect("written");
        file
    }

    #[test]
    fn all_below_is_counted_and_nothing_outside() {
        let (dir, outside) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        write(&outside.path().join("file"));
        symlink(outside.path(), dir.path().join("link")).expect("made");
        let empty = held(dir.path());
        assert!(empty.bytes < PIECE as u64);
        let deep = dir.path().join("a/b/c");
        fs::create_dir_all(&deep).expect("made");
        write(&deep.join("file"));
        fs::set_permissions(dir.path().join("a"), fs::Permissions::from_mode(0o300)).expect("hidden");
        let full = held(dir.path());
        assert!((PIECE as u64..2 * PIECE as u64).contains(&full.bytes) && !full.unmanageable, "{full:?}");
    }

    #[test]
    fn what_lies_in_a_directory_of_any_name_is_counted() {
        let dir = tempfile::tempdir().expect("a directory");
        let odd = dir.path().join(OsStr::from_bytes(b"\xff\xfe"));
        fs::create_dir(&odd).expect("made");
        write(&odd.join("file"));
        assert!(held(dir.path()).bytes >= PIECE as u64);
    }
}
