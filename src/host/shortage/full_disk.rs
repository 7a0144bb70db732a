//! Whether the file system to which a program writes is full.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{StatVfs, statvfs};
use serde::{Deserialize, Serialize};

use crate::base::time::uptime;

/// A file system that was full, and how much of it a program used at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FullDisk {
    /// The number of bytes that the program used on the file system.
    pub held: u64,
    /// The number of bytes that were free before the program started.
    pub before: u64,
    /// When the file system was full, as an [`uptime`].
    pub at: Duration,
}

/// With fewer free bytes than this, a file system counts as full for a bot. The data that did not fit may have been a
/// single block or a megabyte, and the program may have removed it immediately.
const SPARE: u64 = 1 << 20;

/// With fewer free bytes than this, a file system counts as full for a build. Compilers remove output that they could
/// not complete.
const SPARE_OF_BUILD: u64 = 16 << 20;

/// Checks whether the disk to which a program writes is full.
#[derive(Debug)]
pub(crate) struct DiskWatch {
    dir: PathBuf,
    spare: u64,
    /// The number of bytes that were free at the beginning.
    before: u64,
}

impl DiskWatch {
    /// Watches the file system of `dir` for a bot or a build that is about to start.
    pub(crate) fn begin(dir: &Path, is_build: bool) -> Self {
        let before = statvfs(dir).map_or(0, |figures| free(&figures));
        Self { dir: dir.to_owned(), spare: if is_build { SPARE_OF_BUILD } else { SPARE }, before }
    }

    /// Checks the disk once. `held` returns how many bytes the program uses on the disk, and is called only if the disk
    /// is full.
    pub(crate) fn look(&self, held: impl FnOnce() -> u64) -> Option<FullDisk> {
        let figures = statvfs(&self.dir).ok()?;
        is_full(&figures, self.spare).then(|| FullDisk { held: held(), before: self.before, at: uptime() })
    }
}

/// The number of bytes that an ordinary user can still write.
const fn free(figures: &StatVfs) -> u64 {
    figures.f_bavail.saturating_mul(figures.f_frsize)
}

/// Whether fewer than `spare` bytes, or no inodes, are left.
const fn is_full(figures: &StatVfs, spare: u64) -> bool {
    // Some file systems allocate inodes on demand, and report none.
    free(figures) < spare || (figures.f_files > 0 && figures.f_favail == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_is_full_without_room_or_files() {
        let dir = tempfile::tempdir().expect("a directory");
        let roomy =
            StatVfs { f_frsize: 4096, f_bavail: 4096, f_files: 9, f_favail: 1, ..statvfs(dir.path()).expect("read") };
        assert!(!is_full(&roomy, SPARE) && !is_full(&roomy, SPARE_OF_BUILD));
        assert!(!is_full(&StatVfs { f_files: 0, f_favail: 0, ..roomy }, SPARE), "the file system does not count files");
        let less = StatVfs { f_bavail: 4095, ..roomy };
        assert!(!is_full(&less, SPARE) && is_full(&less, SPARE_OF_BUILD));
        assert!(is_full(&StatVfs { f_bavail: 255, ..roomy }, SPARE));
        assert!(is_full(&StatVfs { f_favail: 0, ..roomy }, SPARE));
    }
}
