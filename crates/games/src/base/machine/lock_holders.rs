//! Finds the processes that hold a lock on a file.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;

use crate::base::sanitise::sanitised;

/// The maximum length of a command line in a message, in characters.
const MOST_CHARACTERS: usize = 200;

/// The processes that hold a lock, as far as they are visible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockHolders {
    /// The id and the command line of the first one. The command line is printable, and can be empty.
    first: Option<(u32, String)>,
    /// How many others there are.
    others: usize,
}

impl LockHolders {
    /// Returns the processes that currently hold an flock(2) lock on `file`.
    ///
    /// # Errors
    /// Fails if the file cannot be examined.
    pub fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        let locks = fs::read_to_string("/proc/locks").unwrap_or_default();
        let (major, minor) = (rustix::fs::major(metadata.dev()), rustix::fs::minor(metadata.dev()));
        let device = format!("{major:02x}:{minor:02x}");
        let mut ids = holders(&locks, &device, metadata.ino());
        ids.sort_unstable();
        ids.dedup();
        let first = ids.first().map(|id| (*id, command_line(*id)));
        Ok(Self { first, others: ids.len().saturating_sub(1) })
    }
}

/// Writes, for example, `` `gothello-arena run class.toml` (process 4711) and 2 more ``.
impl fmt::Display for LockHolders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.first {
            None => return f.write_str("a process that this one cannot see"),
            Some((id, command)) if command.is_empty() => write!(f, "process {id}"),
            Some((id, command)) => write!(f, "`{command}` (process {id})"),
        }?;
        if self.others > 0 { write!(f, " and {} more", self.others) } else { Ok(()) }
    }
}

/// The ids of the processes that hold a lock on the file `inode` of the file system `device`, from the text of
/// /proc/locks. For some file systems, the device numbers there differ from those elsewhere, in which case the inode
/// number has to suffice.
fn holders(locks: &str, device: &str, inode: u64) -> Vec<u32> {
    let of_inode: Vec<(bool, u32)> = locks.lines().filter_map(|line| holder(line, device, inode)).collect();
    let is_sure = of_inode.iter().any(|(is_there, _)| *is_there);
    of_inode.into_iter().filter(|(is_there, _)| *is_there || !is_sure).map(|(_, id)| id).collect()
}

/// The id in a line of /proc/locks that concerns the file `inode`, and whether the file is on the file system `device`.
fn holder(line: &str, device: &str, inode: u64) -> Option<(bool, u32)> {
    // A process that waits for a lock has `->` in the second column.
    let columns: Vec<&str> = line.split_whitespace().collect();
    let [_, "FLOCK", _, _, id, file, ..] = columns[..] else { return None };
    let (on, number) = file.rsplit_once(':')?;
    (number.parse() == Ok(inode)).then_some((on == device, id.parse().ok()?))
}

/// The command line of the process `id`, printable; empty if unknown.
fn command_line(id: u32) -> String {
    let bytes = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words: Vec<_> = bytes.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    let text: String = words.join(" ").trim_end().chars().take(MOST_CHARACTERS).collect();
    sanitised(&text)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{FlockOperation, flock};

    use super::*;

    #[test]
    fn whoever_holds_a_lock_is_named() {
        let file = tempfile::tempfile().expect("a file");
        assert_eq!(LockHolders::of(&file).expect("examined"), LockHolders::default());
        flock(&file, FlockOperation::NonBlockingLockExclusive).expect("locked");
        let said = LockHolders::of(&file).expect("examined").to_string();
        assert!(said.contains(&format!("(process {})", std::process::id())), "{said}");
    }

    #[test]
    fn only_holders_of_this_very_file_count() {
        let locks = "1: FLOCK  ADVISORY  WRITE 11 08:01:77 0 EOF\n\
                     1: -> FLOCK  ADVISORY  WRITE 12 08:01:77 0 EOF\n\
                     2: POSIX  ADVISORY  WRITE 13 08:01:77 0 EOF\n\
                     3: FLOCK  ADVISORY  READ 14 08:02:77 0 EOF\n\
                     4: FLOCK  ADVISORY  READ 15 08:01:770 0 EOF\n\
                     5: FLOCK  ADVISORY  READ -1 08:01:77 0 EOF\n";
        assert_eq!(holders(locks, "08:01", 77), [11]);
        assert_eq!(holders(locks, "00:2a", 77), [11, 14], "if the file system has another number here");
        assert_eq!(holders(locks, "08:01", 7), [0_u32; 0]);
    }

    #[test]
    fn more_than_one_holder_are_counted() {
        let of = |first, others| LockHolders { first, others }.to_string();
        assert_eq!(of(Some((7, "a b".to_owned())), 2), "`a b` (process 7) and 2 more");
        assert_eq!(of(Some((7, String::new())), 0), "process 7");
        assert_eq!(of(None, 0), "a process that this one cannot see");
    }
}
