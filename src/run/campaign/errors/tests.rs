//! The exit codes and hints of errors.

use super::*;
use crate::run::journal::{BadLine, Disturbance};
use crate::run::results_dir::open;

/// Every journal error, with the exit code of a run that cannot start because of it, and the text that the hint must
/// and must not contain.
#[test]
fn every_error_of_a_journal_has_its_exit_code_and_the_hint_that_helps() {
    let path = || PathBuf::from("out/journal.jsonl");
    let full = || io::Error::from(io::ErrorKind::StorageFull);
    let not_a_file = || open(Path::new("/")).expect_err("a directory");
    let damaged = |line| JournalError::Damaged { path: path(), line, source: BadLine::Checksum };
    let refusal = |error| {
        let error = CampaignError::of_journal(error, Path::new("out"));
        let ErrorExit { exit, hint } = error.error_exit();
        (exit, hint.unwrap_or_default())
    };
    for (error, code, named, unnamed) in [
        (JournalError::Io { action: "write", path: path(), source: full() }, Exit::ArenaFailed, "", "--fresh"),
        (JournalError::Io { action: "read", path: path(), source: not_a_file() }, Exit::DoesNotHold, "", "--fresh"),
        (JournalError::Locked { path: path() }, Exit::Usage, "wait until it ends", "--fresh"),
        (
            JournalError::Disturbed { path: path(), how: Disturbance::Gone, rescued: Err(full()) },
            Exit::ArenaFailed,
            "",
            "--fresh",
        ),
        (JournalError::NoHeader { path: path() }, Exit::DoesNotHold, "run FILE --fresh", "--salvage"),
        (damaged(1), Exit::DoesNotHold, "run FILE --fresh", "--salvage"),
        (JournalError::Development { path: path(), format: 3 }, Exit::DoesNotHold, "nothing was changed", "--salvage"),
        (damaged(2), Exit::DoesNotHold, "rebuild --salvage out", "FILE"),
        (
            JournalError::Inconsistent { path: path(), line: 3, source: Box::new(LedgerError::Header) },
            Exit::DoesNotHold,
            "rebuild --salvage out",
            "FILE",
        ),
    ] {
        let (found, hint) = refusal(error);
        assert_eq!(found, code, "{hint}");
        assert!(hint.contains(named) && !hint.contains(unnamed), "{code:?}: {hint}");
    }
}
