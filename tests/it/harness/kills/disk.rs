//! A disk whose power can fail: an ext4 file system in a file.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::harness::arena::text;
use crate::harness::restricted::{in_a_thread, own_mounts};
use crate::harness::skipping::{Need, skipped};
use crate::harness::waiting::{InTime as _, until};

/// The size of a disk. Only the parts that are in use take memory.
const SIZE: u64 = 48 << 20;

/// Stops the file system at `sys.argv[1]` as a power failure does: `EXT4_IOC_SHUTDOWN` with the flag
/// `EXT4_GOING_FLAGS_NOLOGFLUSH`. From then on, every access fails, and nothing else reaches the disk.
const FAILURE: &str = "import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";

/// How the disk is mounted. Without these options, ext4 writes the data of a file before it makes the file's size or
/// its new name permanent, which most file systems do not promise.
const OPTIONS: &str = "loop,noauto_da_alloc,data=writeback";

/// A disk that is mounted at a directory. The thread must have its own mounts.
pub(super) struct Disk {
    /// The directory with the disk's image, which is in memory.
    store: TempDir,
    at: PathBuf,
}

impl Disk {
    /// Makes an empty disk and mounts it at `at`.
    pub(super) fn mounted_at(at: &Path) -> Self {
        let store = TempDir::new().expect("a directory");
        done(Command::new("mount").args(["-t", "tmpfs", "none"]).arg(store.path()));
        let disk = Self { store, at: at.to_owned() };
        File::create(disk.image()).and_then(|file| file.set_len(SIZE)).expect("an image");
        done(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(disk.image()));
        disk.mount();
        fs::remove_dir(at.join("lost+found")).expect("removed");
        disk
    }

    fn image(&self) -> PathBuf {
        self.store.path().join("image")
    }

    fn mount(&self) {
        done(Command::new("mount").args(["-o", OPTIONS]).arg(self.image()).arg(&self.at));
    }

    /// Writes everything to the disk.
    pub(super) fn sync(&self) {
        done(Command::new("sync").arg("-f").arg(&self.at));
    }

    /// The power fails: everything that has not been written to the disk is lost.
    pub(super) fn lose_power(&self) {
        done(Command::new("python3").args(["-c", FAILURE]).arg(&self.at));
    }

    /// The machine starts again. Waits until no process of the time before uses the disk.
    pub(super) fn restart(&self) {
        let unmounted =
            || Command::new("umount").arg(&self.at).output_in_time().expect("umount starts").status.success();
        until("the end of all processes on the disk", || unmounted().then_some(()));
        self.mount();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        for at in [&self.at, self.store.path()] {
            // The mounts disappear with the thread at the latest.
            let _ = Command::new("umount").arg("-l").arg(at).output_in_time();
        }
    }
}

/// Runs a command that must succeed.
#[track_caller]
fn done(command: &mut Command) {
    let output = command.output_in_time().expect("the command starts");
    assert!(output.status.success(), "{command:?}: {}", text(&output.stderr));
}

/// Whether a disk can lose power on this machine. If not, reports that this is skipped.
pub(crate) fn can_lose_power() -> bool {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();
    let obstacle = OBSTACLE.get_or_init(|| {
        if !rustix::process::geteuid().is_root() {
            return Some("only root can mount a file system".to_owned());
        }
        let trial = || {
            own_mounts();
            let dir = TempDir::new().expect("a directory");
            let disk = Disk::mounted_at(dir.path());
            disk.lose_power();
            disk.restart();
        };
        let tried = std::panic::catch_unwind(|| in_a_thread(trial));
        let said = |panic: Box<dyn std::any::Any + Send>| panic.downcast_ref::<String>().cloned().unwrap_or_default();
        tried.err().map(said)
    });
    if let Some(why) = obstacle {
        skipped(Need::Mounts, format_args!("this machine cannot mount a file system and take its power away: {why}"));
    }
    obstacle.is_none()
}
