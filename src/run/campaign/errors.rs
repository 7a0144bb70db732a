//! Why a campaign cannot proceed, with the exit code and what the user can do.

mod hints;
mod subjects;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use thiserror::Error;

use self::hints::{NO_SHARDS, OTHER_DIR, how_to_go_on, unconfinable, unknown_logs};
pub(crate) use self::hints::{Remedy, redo_words};
pub(crate) use self::subjects::{SeegoverTableUse, TwoRecords};
use self::subjects::{chain, part};
use crate::base::exit::{CommandError, ErrorExit, Exit};
use crate::base::facts::with_facts;
use crate::base::machine::not_listening;
use crate::base::sanitise::{Shown as _, beneath, listed, quoted, sanitised};
use crate::exact::tablebase::{Unusable, build_command};
use crate::game::seegover::MoveRules;
use crate::host::sandbox::{CageError, Tier, Undecided};
use crate::run::collector::CollectError;
use crate::run::derived::DerivedError;
use crate::run::elsewhere::CannotShare;
use crate::run::entrants::Shortage;
use crate::run::journal::{JournalError, LedgerError};
use crate::run::results_dir::run_around;
use crate::tournament::definition::Change;
use crate::tournament::shard::Shard;

with_facts! {
    /// Why a run cannot begin, continue, be rebuilt, or be merged.
    #[derive(Debug, Error)]
    pub(crate) enum CampaignError {
        /// The directory for the results contains something other than a run.
        #[error("`{}` is not empty, and contains no run to continue", dir.shown())]
        Occupied {
            /// The directory.
            dir: PathBuf,
        } => Exit::Usage.hint("name another directory with `--out DIR`, or move this one elsewhere");
        /// The directory for the results cannot be read.
        #[error("`{}` cannot be used for results", dir.shown())]
        Unreadable {
            /// The directory.
            dir: PathBuf,
            /// The reason.
            source: io::Error,
        } => Exit::Usage.alone();
        /// The directory for the results, or the journal in it, cannot be created.
        #[error("could not create the directory `{}`", dir.shown())]
        Unmade {
            /// The directory.
            dir: PathBuf,
            /// The reason.
            source: io::Error,
        } => Exit::ArenaFailed.hint(OTHER_DIR);
        /// The journal of a new run cannot be written.
        #[error(transparent)]
        Unbegun(error: JournalError) => match error.exit() {
            Exit::DoesNotHold => Exit::DoesNotHold.alone(),
            exit => exit.hint(OTHER_DIR),
        };
        /// The tournament needs the Seegover table, which cannot be used.
        #[error("{need} needs the Seegover table, and `{}` cannot be used", file.shown())]
        NoTable {
            /// The purpose for which the table is needed.
            need: SeegoverTableUse,
            /// The rules that the table is for.
            rules: MoveRules,
            /// The expected location of the table.
            file: PathBuf,
            /// Why the table cannot be used.
            source: Unusable,
        } => Exit::Usage.hint(format!("build it, which takes about a minute: {}", build_command(*rules)));
        /// The tournament needs the Seegover table, whose location is unknown.
        #[error("{need} needs the Seegover table, and neither XDG_CACHE_HOME nor HOME says where it is")]
        NoPlaceForTable {
            /// The purpose for which the table is needed.
            need: SeegoverTableUse,
        } => Exit::Usage.hint("set one of them");
        /// A shard was requested for a tournament whose games depend on results.
        #[error("--shard {shard}: the games of a tournament with this `format` depend on earlier results, so it cannot be split into shards")]
        Unsplittable {
            /// The shard.
            shard: Shard,
        } => Exit::Usage.hint(NO_SHARDS);
        /// The run plays another part of the tournament.
        #[error("the run in `{}` plays {}, not {}", dir.shown(), part(*begun), part(*asked))]
        OtherShard {
            /// The run's directory.
            dir: PathBuf,
            /// The shard that the run plays.
            begun: Option<Shard>,
            /// The shard that the user wants.
            asked: Option<Shard>,
        } => Exit::Usage.hint(
            "name another directory with `--out DIR`; each shard has its own directory there, which `run --shard I/N` continues, \
             and `gothello-arena merge` merges them into one run",
        );
        /// The directory for the results contains only shards that have not been merged.
        #[error("`{}` contains shards that have not been merged", dir.shown())]
        Unmerged {
            /// The directory.
            dir: PathBuf,
        } => {
            let dir = quoted(&dir.to_string_lossy());
            Exit::Usage.hint(format!("merge them into one run: `gothello-arena merge {dir} {dir}/shard-*`"))
        };
        /// The runs to be merged belong to different tournaments.
        #[error("the runs in `{}` and `{}` belong to different tournaments:{}", first.shown(), other.shown(), beneath(changes.iter().map(Change::side_by_side)))]
        Unlike {
            /// The directory of one of the runs.
            first: PathBuf,
            /// The directory of the other run.
            other: PathBuf,
            /// Every difference between the two tournaments.
            changes: Vec<Change>,
        } => Exit::Usage.hint("nothing was changed; play both from the same tournament file");
        /// The runs to be merged were extended at different times.
        #[error(
            "the runs in `{}` and `{}` were extended differently, so their games are in different orders",
            first.shown(),
            other.shown()
        )]
        ExtendedDifferently {
            /// The directory of one of the runs.
            first: PathBuf,
            /// The directory of the other run.
            other: PathBuf,
        } => Exit::Usage.hint(
            "nothing was changed; extend every shard before merging, each with `run --shard I/N --extend`",
        );
        /// Players ran different programs in the runs to be merged.
        #[error(
            "players differ between the runs in `{}` and `{}`:{}",
            first.shown(),
            other.shown(),
            beneath(players.iter().map(|(name, what)| sanitised(&format!("{name}: {what}"))))
        )]
        UnlikePlayers {
            /// The directory of one of the runs.
            first: PathBuf,
            /// The directory of the other run.
            other: PathBuf,
            /// The players' names, each with the difference.
            players: Vec<(String, String)>,
        } => Exit::Usage.hint(format!(
            "nothing was changed; restore the same programs on both machines, and play the games of one run again: `run {}`",
            redo_words(players.iter().map(|(name, _)| name.as_str()))
        ));
        /// Games have different records in the runs to be merged.
        #[error("these games were played twice, with different records:{}", listed(games.iter()))]
        Conflicts {
            /// The games, each with both runs.
            games: Vec<TwoRecords>,
        } => Exit::DoesNotHold.hint(
            "nothing was changed; `--keep first` keeps the record of the run named first",
        );
        /// The games of a run depend on results.
        #[error("`{}`: the games of a tournament with this `format` depend on earlier results, so its runs cannot be merged", dir.shown())]
        Unmergeable {
            /// The run's directory.
            dir: PathBuf,
        } => Exit::Usage.hint(NO_SHARDS);
        /// The user wants to merge a run into itself.
        #[error("`{}` is the directory to merge into, and cannot also be one of the merged runs", dir.shown())]
        MergedIntoItself {
            /// The directory.
            dir: PathBuf,
        } => Exit::Usage.alone();
        /// The user wants something replayed, but there is no run.
        #[error("--redo {word}: there is no run in `{}`", dir.shown())]
        NothingPlayed {
            /// The first word that says what to replay.
            word: String,
            /// The directory.
            dir: PathBuf,
        } => Exit::Usage.alone();
        /// A word that should say what to replay does not name a player, a game or an ending.
        #[error(
            "--redo {word}: no player has this name, no game with this id has a result, and no ending has this name{}",
            meant.as_ref().map(|meant| format!(" (did you mean `{}`?)", sanitised(meant))).unwrap_or_default()
        )]
        UnknownWord {
            /// The word.
            word: String,
            /// The closest name that exists.
            meant: Option<String>,
        } => Exit::Usage.alone();
        /// Another process is writing to the journal.
        #[error("another run is in progress in `{}`", dir.shown())]
        InUse {
            /// The run's directory.
            dir: PathBuf,
        } => Exit::Usage.hint("wait until it ends, or name another directory with `--out DIR`");
        /// The journal is damaged.
        #[error("{error}")]
        Damaged {
            /// The run's directory.
            dir: PathBuf,
            /// The location and the kind of the damage.
            error: JournalError,
        } => Exit::DoesNotHold.hint(match error {
            JournalError::NoHeader { .. } | JournalError::Damaged { line: 1, .. } => {
                "nothing was changed; a journal without its first line cannot be salvaged, so begin a new run next to it: \
                 `gothello-arena run FILE --fresh`"
                    .to_owned()
            }
            JournalError::Development { .. } => "nothing was changed".to_owned(),
            _ => format!(
                "nothing was changed; `gothello-arena rebuild --salvage {}` keeps the undamaged part, and `--fresh` starts a new \
                 run next to it",
                dir.shown()
            ),
        });
        /// The journal cannot be read or written.
        #[error(transparent)]
        Journal(error: JournalError) => error.exit().alone();
        /// There is no journal to read.
        #[error("`{}` does not contain a run's journal", dir.shown())]
        NoJournal {
            /// The directory.
            dir: PathBuf,
        } => Exit::Usage.hint(match run_around(dir) {
            Some(run) => format!("name its run's directory, `{}`", run.shown()),
            None => "name a run's directory, which contains a file `journal.jsonl`".to_owned(),
        });
        /// The existing run belongs to another tournament.
        #[error("the run in `{}` belongs to another tournament:{}", dir.shown(), beneath(changes))]
        OtherTournament {
            /// The run's directory.
            dir: PathBuf,
            /// Every difference between the two tournaments.
            changes: Vec<Change>,
            /// What would allow the run to continue.
            remedy: Remedy,
        } => Exit::Usage.hint(remedy.hint());
        /// Some players run programs that differ from those in the games that count.
        #[error(
            "players have changed since the run began:{}",
            beneath(players.iter().map(|(name, what)| sanitised(&format!("{name}: {what}"))))
        )]
        OtherPlayers {
            /// The players' names, each with the change.
            players: Vec<(String, String)>,
        } => Exit::Usage.hint(format!(
            "add `{}` to play their games again, restore the old programs, or add `--fresh` to start a new run next to this one",
            redo_words(players.iter().map(|(name, _)| name.as_str()))
        ));
        /// Game logs disagree with the journal.
        #[error("these game logs differ from the journal:{}", listed(logs.iter().map(|path| path.shown())))]
        OtherLogs {
            /// The run's directory.
            dir: PathBuf,
            /// The logs.
            logs: Vec<PathBuf>,
        } => Exit::DoesNotHold.hint(format!(
            "`gothello-arena rebuild {}` rebuilds all logs and tables from the journal; with `--from-logs` it first adds the games \
             that the journal lacks",
            dir.shown()
        ));
        /// The journal contains records of games that cannot have been played.
        #[error("the journal in `{}` contains games that cannot have been played as recorded:{}", dir.shown(), listed(faults.iter()))]
        Faults {
            /// The run's directory.
            dir: PathBuf,
            /// What is wrong with each of these games.
            faults: Vec<String>,
        } => Exit::DoesNotHold.hint("nothing was changed");
        /// More than a few logs belong to games that are missing from the journal, so the journal may be the wrong one.
        #[error(
            "the journal in `{}` contains no games for {} game logs:{}",
            dir.shown(),
            logs.len(),
            listed(logs.iter().map(|path| path.shown()))
        )]
        ManyUnknownLogs {
            /// The run's directory.
            dir: PathBuf,
            /// The paths of the logs.
            logs: Vec<PathBuf>,
            /// Whether an attempt to add the games of these logs to the journal has already been made.
            were_offered: bool,
        } => Exit::DoesNotHold.hint(unknown_logs(dir, *were_offered));
        /// A log cannot be renamed.
        #[error("could not rename `{}` to `{}`", from.shown(), to.shown())]
        NotSetAside {
            /// The log's current name.
            from: PathBuf,
            /// The log's new name.
            to: PathBuf,
            /// The reason.
            source: io::Error,
        } => Exit::ArenaFailed.alone();
        /// The tournament file or its results are in a directory that every bot may read.
        #[error("every bot may read `{system}`, so neither the tournament file nor the results can be there")]
        InSystemDir {
            /// The directory, which belongs to the system.
            system: String,
        } => Exit::Usage.hint("copy the tournament to another directory");
        /// A player could read the results.
        #[error("player `{player}` could read the results: `{}` is in its `{key}`, `{}`", results.shown(), path.shown())]
        ResultsShown {
            /// The player.
            player: String,
            /// The key of the tournament file that exposes the results.
            key: &'static str,
            /// The path that this key names.
            path: PathBuf,
            /// The results directory.
            results: PathBuf,
        } => Exit::Usage.hint(OTHER_DIR);
        /// The tournament demands confinement in namespaces, which this machine does not support.
        #[error("this machine cannot confine bots in namespaces, as isolation = \"require\" demands ({why})")]
        Unconfinable {
            /// The best tier that this machine supports.
            tier: Tier,
            /// Why it does not support a better one.
            why: String,
        } => Exit::ArenaFailed.hint(unconfinable(*tier));
        /// The arena could not find out whether it can confine bots.
        #[error(transparent)]
        Undecided(#[from] error: Undecided) => Exit::ArenaFailed.alone();
        /// The confinement of bots could not be prepared.
        #[error("could not prepare the confinement of bots")]
        Cage(#[source] error: CageError) => Exit::ArenaFailed.alone();
        /// The arena cannot listen for remote players.
        #[error("{}", not_listening(*address, source))]
        NotListening {
            /// The address.
            address: SocketAddr,
            /// Why the arena cannot listen at this address.
            source: io::Error,
        } => Exit::Usage.alone();
        /// Games cannot be shared with other machines.
        #[error(transparent)]
        Unshared(#[from] error: CannotShare) => match error {
            CannotShare::Misused(_) => Exit::Usage.alone(),
            CannotShare::Failed(_) => {
                Exit::ArenaFailed.hint("no game was played; docs/reference/several-machines.md explains how to set up a broker")
            }
        };
        /// A ladder could not start accepting versions.
        #[error("{source}")]
        NoGrowth {
            /// The exit code.
            exit: Exit,
            /// The reason.
            source: Box<dyn std::error::Error + Send + Sync>,
        } => exit.hint("no game was played; correct this, and repeat the command");
        /// A ladder's journal contains a player that neither the tournament file nor the journal describes, and that
        /// still has games to play.
        #[error("`{}` still has unplayed games of player `{player}`, which is not in the tournament file", dir.shown())]
        NoSuchLadderPlayer {
            /// The directory of the run.
            dir: PathBuf,
            /// The player.
            player: String,
        } => Exit::Usage.hint("put the player back into the file, and keep it there until these games have been played");
        /// The work on a ladder has ended because of a bug. Every game reported as finished is safe.
        #[error("the processing of versions and pairings has stopped because of a bug in the arena: {why}")]
        LadderFailed {
            /// The directory of the run.
            dir: PathBuf,
            /// The last message, sanitised for printing.
            why: String,
        } => Exit::ArenaFailed.hint(format!(
            "every game that was reported as finished is safe in `{}`; the same command continues where this run stopped",
            dir.shown()
        ));
        /// The coordinator's work at the broker has ended because of a bug. Every game reported as finished is safe.
        #[error("communication with the broker has stopped because of a bug in the arena: {why}")]
        CoordinatorFailed {
            /// The directory of the run.
            dir: PathBuf,
            /// The coordinator's last message, sanitised for printing.
            why: String,
        } => Exit::ArenaFailed.hint(format!(
            "every game that was reported as finished is safe in `{}`; the same command continues where this run stopped. Please \
             report the bug with this message",
            dir.shown()
        ));
        /// Players could not be prepared, through no fault of their own.
        #[error(transparent)]
        Unprepared(#[from] error: Shortage) => Exit::ArenaFailed.hint(
            "no player is at fault, and no game was lost because of this; free some resources, and run the same command again",
        );
        /// The machine has no thread left for the results.
        #[error("could not start a thread for the results")]
        NoThread(#[source] error: io::Error) => Exit::ArenaFailed.alone();
        /// The machine has no threads left for the games.
        #[error("could not start the threads for the games")]
        NoGameThreads(#[source] error: io::Error) => Exit::ArenaFailed.alone();
        /// A file derived from the journal could not be written.
        #[error(transparent)]
        Derived(#[from] error: DerivedError) => error.exit().alone();
        /// The journal contradicts itself.
        #[error(transparent)]
        Ledger(#[from] error: LedgerError) => Exit::ArenaFailed.alone();
        /// Results could not be saved. Every game reported as finished is safe.
        #[error("{}", chain(error))]
        Unwritten {
            /// The run's directory.
            dir: PathBuf,
            /// The reason.
            error: CollectError,
        } => match error {
            CollectError::Journal(JournalError::Disturbed { path, rescued, .. }) => {
                Exit::Disturbed.hint(how_to_go_on(path, rescued))
            }
            _ => Exit::ArenaFailed.hint(format!(
                "every game that was reported as finished is safe in `{}`; once that directory is writable again, the same \
                 command continues where this run stopped",
                dir.shown()
            )),
        };
    }

    /// The exit code of a command that ends with `self`, and what the user can do about it.
    fn exit_and_hint() -> ErrorExit;
}

impl CommandError for CampaignError {
    fn error_exit(&self) -> ErrorExit {
        self.exit_and_hint()
    }
}

impl CampaignError {
    /// Why the journal of `dir` cannot be created.
    pub(crate) fn of_new_journal(error: JournalError, dir: &Path) -> Self {
        match error {
            JournalError::Locked { .. } => Self::InUse { dir: dir.to_owned() },
            error => Self::Unbegun(error),
        }
    }

    /// Why the journal of `dir` cannot be used.
    pub(crate) fn of_journal(error: JournalError, dir: &Path) -> Self {
        let dir = dir.to_owned();
        match error {
            JournalError::Locked { .. } => Self::InUse { dir },
            JournalError::Damaged { .. }
            | JournalError::Inconsistent { .. }
            | JournalError::NoHeader { .. }
            | JournalError::Development { .. } => Self::Damaged { dir, error },
            JournalError::Io { .. } | JournalError::Disturbed { .. } => Self::Journal(error),
        }
    }
}
