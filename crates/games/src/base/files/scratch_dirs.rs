//! Scratch directories, which last as long as their arena. They are removed when the arena ends or, if it was killed,
//! when the next arena creates its own.
//!
//! All scratch directories of a process are in one directory, named `gothello-arena-UID-XXXXXX`, which the process
//! keeps locked. The kernel releases the lock when the process ends, however it ends, so an unlocked directory with a
//! name of this form has been left behind.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, flock, openat, renameat, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;
use tempfile::TempDir;

use super::remove_tree;

/// How many times to create a new directory if another arena mistakes it for a leftover just before it is locked.
const TRIES: u32 = 16;

/// A directory that is removed on drop, with everything in it.
#[derive(Debug)]
pub struct Scratch {
    /// `None` only while the value is being dropped.
    dir: Option<TempDir>,
    /// The directory that contains this one.
    _house: Arc<House>,
}

impl Scratch {
    /// Creates an empty directory in the system's directory for temporary files. The first call in a process also
    /// removes the directories that killed arenas of the same user left there.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created.
    pub fn new() -> io::Result<Self> {
        static HOUSE: Mutex<Weak<House>> = Mutex::new(Weak::new());
        static SWEPT: Once = Once::new();
        let tmp = std::env::temp_dir();
        SWEPT.call_once(|| sweep(&tmp));
        let mut current = HOUSE.lock().unwrap_or_else(PoisonError::into_inner);
        let house = match current.upgrade() {
            Some(house) => house,
            None => Arc::new(House::build(&tmp)?),
        };
        *current = Arc::downgrade(&house);
        drop(current);
        Ok(Self { dir: Some(tempfile::Builder::new().prefix("").tempdir_in(&house.path)?), _house: house })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        self.dir.as_ref().map_or(Path::new(""), TempDir::path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(dir) = self.dir.take() {
            // Anything that cannot be removed now is left for a later sweep.
            let _ = remove_tree(&dir.keep());
        }
    }
}

/// The directory that contains all scratch directories of this process.
#[derive(Debug)]
struct House {
    path: PathBuf,
    /// The lock. It has to be closed last.
    _lock: File,
}

impl House {
    /// Creates and locks a directory in `tmp`.
    fn build(tmp: &Path) -> io::Result<Self> {
        for _ in 0..TRIES {
            let dir = tempfile::Builder::new().prefix(&prefix()).tempdir_in(tmp)?;
            let lock = match File::open(dir.path()) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened?,
            };
            let is_locked = flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
            if is_locked && is_at(&lock, dir.path()) {
                if geteuid().is_root() {
                    // Bots may run as separate users, which must be able to traverse this directory.
                    lock.set_permissions(Permissions::from_mode(0o711))?;
                }
                return Ok(Self { path: dir.keep(), _lock: lock });
            }
        }
        Err(io::Error::other("other arenas removed every new directory"))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = remove_tree(&self.path);
    }
}

/// Returns the prefix of the names of this user's scratch directories.
fn prefix() -> String {
    format!("gothello-arena-{}-", geteuid().as_raw())
}

/// Returns whether `path` is the directory that is open as `open`, and not a link to it.
fn is_at(open: &File, path: &Path) -> bool {
    let (Ok(one), Ok(other)) = (open.metadata(), fs::symlink_metadata(path)) else { return false };
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Removes the directories of this user's dead arenas from `tmp`. Directories that cannot be removed are left for a
/// later sweep: a stage of a killed arena may still be using them for a moment.
fn sweep(tmp: &Path) {
    let prefix = prefix();
    let names = fs::read_dir(tmp).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut left = names.filter(|name| name.as_bytes().starts_with(prefix.as_bytes())).peekable();
    if left.peek().is_none() {
        return;
    }
    let Ok(tmp) = File::open(tmp) else { return };
    for name in left {
        let _ = remove_abandoned(&tmp, &name);
    }
}

/// Removes `name` from `tmp` if it is a directory, belongs to this user, and is not locked.
fn remove_abandoned(tmp: &File, name: &OsStr) -> io::Result<()> {
    let dir = File::from(enter(tmp, name)?);
    if dir.metadata()?.uid() != geteuid().as_raw() {
        return Ok(());
    }
    flock(&dir, FlockOperation::NonBlockingLockExclusive)?;
    clear(&dir)?;
    Ok(unlinkat(tmp, name, AtFlags::REMOVEDIR)?)
}

/// Opens the directory `name` in `dir`. A symbolic link is refused.
fn enter(dir: impl AsFd, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    openat(dir, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

/// Removes everything in `dir`, however deeply nested. The subdirectories of each directory are moved up to `dir`
/// before it is removed, so deep nesting uses up neither stack nor descriptors. Links are not followed.
fn clear(dir: &File) -> io::Result<()> {
    let mut number = 0_u64;
    loop {
        let names = entries(dir)?;
        if names.is_empty() {
            return Ok(());
        }
        for (name, is_dir) in names {
            if is_dir {
                empty(dir, &name, &mut number)?;
            }
            unlinkat(dir, &*name, if is_dir { AtFlags::REMOVEDIR } else { AtFlags::empty() })?;
        }
    }
}

/// Empties the directory `name` in `root`: its files are removed, and its subdirectories move to `root`, named by
/// `number`.
fn empty(root: &File, name: &OsStr, number: &mut u64) -> io::Result<()> {
    unlock(root, name);
    let dir = enter(root, name)?;
    for (inner, is_dir) in entries(&dir)? {
        if !is_dir {
            unlinkat(&dir, &*inner, AtFlags::empty())?;
            continue;
        }
        unlock(&dir, &inner);
        loop {
            *number += 1;
            match renameat(&dir, &*inner, root, &*format!("{number}.left")) {
                // A bot may have created an entry with this very name.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => {}
                renamed => break renamed?,
            }
        }
    }
    Ok(())
}

/// Restores the owner's permissions on a directory that belongs to this user; does nothing if it belongs to another
/// user.
fn unlock(dir: impl AsFd, name: &OsStr) {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if let Ok(found) = openat(dir, name, flags, Mode::empty()) {
        let found = format!("/proc/self/fd/{}", found.as_raw_fd());
        let _ = fs::set_permissions(found, Permissions::from_mode(0o700));
    }
}

/// Lists the entries of `dir`, and whether each of them is a directory.
fn entries(dir: impl AsFd) -> io::Result<Vec<(OsString, bool)>> {
    let mut found = Vec::new();
    for entry in Dir::read_from(&dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if ![c".", c".."].contains(&name) {
            let kind = FileType::from_raw_mode(statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode);
            found.push((OsStr::from_bytes(name.to_bytes()).to_owned(), kind.is_dir()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{chown, symlink};

    use super::*;

    /// Creates a directory in `tmp` as a killed arena would leave it behind.
    fn leave(tmp: &Path) -> PathBuf {
        let dir = tempfile::Builder::new().prefix(&prefix()).tempdir_in(tmp).expect("a directory").keep();
        fs::create_dir_all(dir.join("bot/home/deep")).expect("made");
        fs::write(dir.join("bot/home/deep/file"), "text").expect("written");
        dir
    }

    #[test]
    fn leftovers_are_removed_and_no_link_is_followed() {
        let (tmp, outside) = (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("a directory"));
        fs::create_dir_all(outside.path().join("kept")).expect("made");
        let left = leave(tmp.path());
        symlink(outside.path(), left.join("bot/link")).expect("linked");
        // The names of these entries conflict with the names that the sweep gives to the directories it moves.
        fs::write(left.join("1.left"), "").expect("written");
        fs::create_dir_all(left.join("2.left/full")).expect("made");
        let mut deep = File::open(&left).map(OwnedFd::from).expect("opened");
        for _ in 0..3000 {
            rustix::fs::mkdirat(&deep, "a", Mode::from_raw_mode(0o700)).expect("made");
            deep = enter(&deep, OsStr::new("a")).expect("opened");
        }
        fs::set_permissions(left.join("bot/home"), Permissions::from_mode(0o000)).expect("hidden");
        if geteuid().is_root() {
            chown(left.join("bot"), Some(0x6773_7fff), None).expect("given away");
        }
        sweep(tmp.path());
        assert!(!left.exists());
        assert!(outside.path().join("kept").exists());
    }

    #[test]
    fn locked_or_foreign_directories_and_links_stay() {
        let tmp = tempfile::tempdir().expect("a directory");
        let house = House::build(tmp.path()).expect("made");
        fs::write(house.path.join("file"), "").expect("written");
        let elsewhere = tmp.path().join("elsewhere");
        fs::create_dir(&elsewhere).expect("made");
        fs::write(elsewhere.join("file"), "").expect("written");
        symlink(&elsewhere, tmp.path().join(prefix() + "link")).expect("linked");
        fs::write(tmp.path().join(prefix() + "file"), "").expect("written");
        if geteuid().is_root() {
            chown(leave(tmp.path()), Some(0x6773_7fff), None).expect("given away");
        }
        let count = || fs::read_dir(tmp.path()).expect("read").count();
        let before = count();
        sweep(tmp.path());
        assert_eq!(count(), before);
        assert!(elsewhere.join("file").exists() && house.path.join("file").exists());
        let path = house.path.clone();
        drop(house);
        assert!(!path.exists());
    }

    #[test]
    fn a_directory_is_made_while_others_take_each_new_one_for_a_leftover() {
        let tmp = tempfile::tempdir().expect("a directory");
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        sweep(tmp.path());
                    }
                });
            }
            let built: io::Result<Vec<House>> = (0..500).map(|_| House::build(tmp.path())).collect();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            let built = built.expect("every directory is created in the end");
            assert!(built.iter().all(|house| house.path.is_dir()), "a locked directory was removed");
        });
    }

    #[test]
    fn a_scratch_directory_lies_in_its_process_directory_and_is_removed_on_drop() {
        let scratch = Scratch::new().expect("a directory");
        let path = scratch.path().to_owned();
        let parent = path.parent().and_then(Path::file_name).expect("a parent").to_owned();
        assert!(parent.as_bytes().starts_with(prefix().as_bytes()), "{}", path.display());
        fs::write(path.join("file"), "").expect("written");
        drop(scratch);
        assert!(!path.exists());
    }
}
