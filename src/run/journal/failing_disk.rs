//! A disk that fails, for tests of when the program waits for the disk.

use std::collections::BTreeMap;

use nix::libc::{EIO, SYS_fsync};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

use super::*;
use crate::tournament::Tournament;
use crate::tournament::definition::Definition;

/// The result of `work` on a thread whose disk fails whenever a file or a directory is synced with `fsync`; `fdatasync`
/// succeeds.
pub(super) fn without_fsync<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let failing = move || {
        let calls = BTreeMap::from([(SYS_fsync, Vec::new())]);
        let errno = SeccompAction::Errno(EIO.cast_unsigned());
        let arch = std::env::consts::ARCH.try_into().expect("an architecture with seccomp");
        let filter = SeccompFilter::new(calls, SeccompAction::Allow, errno, arch).expect("a filter");
        apply_filter(&BpfProgram::try_from(filter).expect("a program")).expect("the filter is in effect");
        work()
    };
    std::thread::spawn(failing).join().expect("no panic")
}

/// The header of a tournament of two players.
pub(super) fn header() -> Header {
    let text = "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
    let tournament = Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}"));
    let definition = Definition::from(&tournament);
    let digest = definition.digest();
    Header { format: FORMAT, program: String::new(), digest, definition, players: Vec::new(), shard: None }
}

#[test]
fn a_run_is_not_continued_before_what_was_read_is_on_disk() {
    for durability in [Durability::Safe, Durability::Fast] {
        let dir = tempfile::tempdir().expect("a directory");
        let mut journal = Journal::create(dir.path(), &header(), durability).unwrap_or_else(|error| panic!("{error}"));
        journal.append(&[JournalEntry::Again { games: Vec::new(), kept_to: None }]).expect("written");
        drop(journal);
        let read = dir.path().to_owned();
        let mended = without_fsync(move || {
            let (mut journal, ..) = Journal::resume(&read, durability).unwrap_or_else(|error| panic!("{error}"));
            journal.mend()
        });
        assert!(matches!(mended, Err(JournalError::Io { action: "mend", .. })), "{mended:?}");
        let (mut journal, ..) = Journal::resume(dir.path(), durability).unwrap_or_else(|error| panic!("{error}"));
        assert!(!journal.mend().expect("it is on disk"), "no line is torn");
        // Once is enough.
        assert!(!without_fsync(move || journal.mend()).expect("nothing is left to do"));
    }
}
