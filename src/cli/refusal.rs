//! The exit codes and hints for what keeps a run from starting or finishing.

use std::io;
use std::path::{Path, PathBuf};

use super::Exit;
use super::run_input::run_around;
use crate::base::sanitise::{Shown as _, quoted};
use crate::exact::tablebase::BUILD;
use crate::host::sandbox::Tier;
use crate::run::campaign::{CampaignError, Remedy};
use crate::run::collector::CollectError;
use crate::run::elsewhere::CannotShare;
use crate::run::journal::JournalError;

/// The exit code for `error`.
pub(super) fn exit(error: &CampaignError) -> Exit {
    use CampaignError as E;
    match error {
        E::Occupied { .. }
        | E::Unreadable { .. }
        | E::NoTable { .. }
        | E::NoPlaceForTable { .. }
        | E::NothingPlayed { .. }
        | E::UnknownWord { .. }
        | E::InUse { .. }
        | E::NoJournal { .. }
        | E::OtherTournament { .. }
        | E::OtherPlayers { .. }
        | E::Unsplittable { .. }
        | E::OtherShard { .. }
        | E::Unmerged { .. }
        | E::Unlike { .. }
        | E::ExtendedDifferently { .. }
        | E::UnlikePlayers { .. }
        | E::Unmergeable { .. }
        | E::MergedIntoItself { .. }
        | E::InSystemDir { .. }
        | E::ResultsShown { .. }
        | E::Unshared(CannotShare::Misused(_)) => Exit::Usage,
        E::Damaged { .. }
        | E::OtherLogs { .. }
        | E::Faults { .. }
        | E::ManyUnknownLogs { .. }
        | E::Conflicts { .. } => Exit::DoesNotHold,
        E::Unwritten { error: CollectError::Journal(JournalError::Disturbed { .. }), .. } => Exit::Disturbed,
        E::Unshared(CannotShare::Failed(_))
        | E::Unmade { .. }
        | E::Unbegun(_)
        | E::Journal(_)
        | E::NotSetAside { .. }
        | E::Unconfinable { .. }
        | E::Undecided(_)
        | E::Cage(_)
        | E::NotListening { .. }
        | E::Unprepared(_)
        | E::NoThread(_)
        | E::NoGameThreads(_)
        | E::Derived(_)
        | E::Ledger(_)
        | E::CoordinatorFailed { .. }
        | E::Unwritten { .. } => Exit::ArenaFailed,
    }
}

/// What the user can do about `error`, if anything.
pub(super) fn hint(error: &CampaignError) -> Option<String> {
    use CampaignError as E;
    Some(match error {
        E::Occupied { .. } => "name another directory with `--out DIR`, or move this one away".to_owned(),
        E::Unmade { .. } | E::Unbegun(_) | E::ResultsShown { .. } => {
            "name another directory with `--out DIR`".to_owned()
        }
        E::NoTable { .. } => format!("build it, which takes about a minute: {BUILD}"),
        E::NoPlaceForTable { .. } => "set one of them".to_owned(),
        E::NoJournal { dir } => match run_around(dir) {
            Some(run) => format!("name the directory of its run, `{}`", run.shown()),
            None => "name the directory of a run, which has a file `journal.jsonl`".to_owned(),
        },
        E::InUse { .. } => "wait until it ends, or name another directory with `--out DIR`".to_owned(),
        E::Damaged { error: JournalError::NoHeader { .. } | JournalError::Damaged { line: 1, .. }, .. } => {
            "nothing was changed; nothing can be kept of a journal without its first line, so begin a new run next to it: `gothello-arena run FILE --fresh`"
                .to_owned()
        }
        E::Damaged { error: JournalError::Development { .. }, .. } => "nothing was changed".to_owned(),
        E::Damaged { dir, .. } => format!(
            "nothing was changed; `gothello-arena rebuild --salvage {}` keeps the undamaged part, and `--fresh` starts a new \
             run next to it",
            dir.shown()
        ),
        E::Unsplittable { .. } | E::Unmergeable { .. } => {
            "shards and `merge` are for `round-robin` and `gauntlet`; `run --nats URL` plays every format on several machines, see docs/reference/several-machines.md"
                .to_owned()
        }
        E::OtherShard { .. } => "name another directory with `--out DIR`; each shard has its own in it, which `run --shard I/N` \
                                 continues, and `gothello-arena merge` makes one run of them"
            .to_owned(),
        E::Unmerged { dir } => {
            let dir = quoted(&dir.to_string_lossy());
            format!("make one run of them: `gothello-arena merge {dir} {dir}/shard-*`")
        }
        E::Unlike { .. } => "nothing was changed; play both from the same tournament file".to_owned(),
        E::ExtendedDifferently { .. } => {
            "nothing was changed; extend every shard before merging, each by `run --shard I/N --extend`".to_owned()
        }
        E::UnlikePlayers { players, .. } => format!(
            "nothing was changed; restore the same programs on both machines, and play the games of one run again: `run {}`",
            redo_words(players.iter().map(|(name, _)| name.as_str()))
        ),
        E::Conflicts { .. } => "nothing was changed; `--keep first` keeps the record of the run that is named first".to_owned(),
        E::OtherTournament { remedy, .. } => way_out(remedy),
        E::OtherPlayers { players } => format!(
            "add `{}` to play their games again, restore the old programs, or add `--fresh` to start a new \
             run next to this one",
            redo_words(players.iter().map(|(name, _)| name.as_str()))
        ),
        E::OtherLogs { dir, .. } => format!(
            "`gothello-arena rebuild {}` rebuilds all logs and tables from the journal; with `--from-logs` it first adds the \
             games that the journal lacks",
            dir.shown()
        ),
        E::Faults { .. } => "nothing was changed".to_owned(),
        E::ManyUnknownLogs { dir, were_offered, .. } => unknown_logs(dir, *were_offered),
        E::InSystemDir { .. } => "copy the tournament to another directory".to_owned(),
        E::Unconfinable { tier, .. } => unconfinable(*tier),
        E::Unwritten { error: CollectError::Journal(JournalError::Disturbed { path, rescued, .. }), .. } => {
            how_to_go_on(path, rescued)
        }
        E::Unwritten { dir, .. } => format!(
            "every game that was reported as finished is safe in `{}`; once that directory can be written again, the \
             same command continues where this run stopped",
            dir.shown()
        ),
        E::CoordinatorFailed { dir, .. } => format!(
            "every game that was reported as finished is safe in `{}`; the same command continues where this run stopped. \
             Please report the bug with this message",
            dir.shown()
        ),
        E::Unshared(CannotShare::Failed(_)) => "no game was played; docs/reference/several-machines.md says how to set up a broker".to_owned(),
        E::Unprepared(_) => {
            "no player is at fault, and nobody has lost a game because of it: make room, and run the same command again".to_owned()
        }
        E::Unshared(CannotShare::Misused(_))
        | E::Unreadable { .. }
        | E::NothingPlayed { .. }
        | E::UnknownWord { .. }
        | E::MergedIntoItself { .. }
        | E::Journal(_)
        | E::NotSetAside { .. }
        | E::Undecided(_)
        | E::Cage(_)
        | E::NotListening { .. }
        | E::NoThread(_)
        | E::NoGameThreads(_)
        | E::Derived(_)
        | E::Ledger(_) => return None,
    })
}

/// How to continue a run whose tournament file has changed.
fn way_out(remedy: &Remedy) -> String {
    match remedy {
        Remedy::Redo(players) => format!(
            "add `{}` to play their games again, undo the change, or add `--fresh` to start a new run next to \
             this one",
            redo_words(players.iter().map(String::as_str))
        ),
        Remedy::Extend => {
            "add `--extend` to play the additions, too, or `--fresh` to start a new run next to this one".to_owned()
        }
        Remedy::NotByExtending => {
            "`--extend` accepts more rounds, and more players after the others, but nothing else; `--fresh` starts a \
             new run next to this one"
                .to_owned()
        }
        Remedy::Undo => {
            "undo the change to continue this run, or add `--fresh` to start a new run next to it".to_owned()
        }
    }
}

/// What to do if the journal lacks many games that have logs. `were_offered` says whether they were to be added to it.
fn unknown_logs(dir: &Path, were_offered: bool) -> String {
    let advice = if were_offered {
        "these cannot be added to it: they do not hold, belong to another tournament, or were played by other programs"
            .to_owned()
    } else {
        format!("`gothello-arena rebuild --from-logs {}` adds the games that the journal lacks", dir.shown())
    };
    format!(
        "no log was changed; {advice}; `--force` sets them aside as `*.log.not-in-journal`. If the journal is an older copy, \
         put the newer one back instead"
    )
}

/// What to do if bots cannot be confined as the tournament file demands.
fn unconfinable(tier: Tier) -> String {
    let instead = match tier {
        Tier::C => "; without namespaces, the arena can confine them by tier C, which isolation = \"auto\" takes",
        Tier::A | Tier::B | Tier::D => "",
    };
    format!("`gothello-arena doctor` reports what is missing{instead}")
}

/// What to do after another program has moved or changed the journal, which should be at `path`.
fn how_to_go_on(path: &Path, rescued: &io::Result<PathBuf>) -> String {
    match rescued {
        Ok(copy) => format!(
            "the run has ended without writing its tables; all its games are in `{copy}`. Keep sync clients, editors and \
             scripts away from the directory, then continue with\n  mv {} {}\nand the same command again",
            quoted(&copy.to_string_lossy()),
            quoted(&path.to_string_lossy()),
            copy = copy.shown(),
        ),
        Err(error) => format!(
            "the run has ended without writing its tables, and without a copy of its journal: {error}\nthe games that \
             were reported as finished are in the game logs: put the journal back, then `gothello-arena rebuild \
             --from-logs {}` adds the games that it lacks",
            quoted(&path.parent().unwrap_or(Path::new(".")).to_string_lossy())
        ),
    }
}

/// The options that play all games of the players `names` again.
pub(super) fn redo_words<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("--redo {}", quoted(name))).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::journal::{BadLine, Disturbance, LedgerError};

    /// Every error of a journal, with the exit code of a run that it keeps from starting, and what the hint names.
    #[test]
    fn every_error_of_a_journal_has_its_exit_code_and_the_hint_that_helps() {
        let path = || PathBuf::from("out/journal.jsonl");
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let damaged = |line| JournalError::Damaged { path: path(), line, source: BadLine::Checksum };
        let refusal = |error| {
            let error = CampaignError::of_journal(error, Path::new("out"));
            (exit(&error), hint(&error).unwrap_or_default())
        };
        for (error, code, named, unnamed) in [
            (JournalError::Io { action: "write", path: path(), source: full() }, Exit::ArenaFailed, "", "--fresh"),
            (JournalError::Locked { path: path() }, Exit::Usage, "wait until it ends", "--fresh"),
            (
                JournalError::Disturbed { path: path(), how: Disturbance::Gone, rescued: Err(full()) },
                Exit::ArenaFailed,
                "",
                "--fresh",
            ),
            (JournalError::NoHeader { path: path() }, Exit::DoesNotHold, "run FILE --fresh", "--salvage"),
            (damaged(1), Exit::DoesNotHold, "run FILE --fresh", "--salvage"),
            (
                JournalError::Development { path: path(), format: 3 },
                Exit::DoesNotHold,
                "nothing was changed",
                "--salvage",
            ),
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
}
