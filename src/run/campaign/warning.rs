//! What a user should know about a campaign.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::enough_resources::{AtATime, LittleRoom, little_room};
use crate::base::facts::with_facts;
use crate::base::machine::CoreLack;
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::units::counted;
use crate::exact::tablebase::build_command;
use crate::game::seegover::MoveRules;
use crate::host::sandbox::{Accounting, Cage, Demonstration, Tier};
use crate::host::starvation::is_measurable_by_threads;
use crate::referee::result::Termination;
use crate::run::campaign::checked::Unplayable;
use crate::run::entrants::DirNews;
use crate::run::journal::Ledger;
use crate::run::play::Lateness;
use crate::run::results_dir::LogError;
use crate::tournament::definition::Foreign;
use crate::tournament::{HostName, Player, PlayerName, Tournament};
use Saying::{News, Urgent};

/// Why the game of a log is not used.
#[derive(Debug, Error)]
pub(crate) enum Refused {
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The game cannot have been played as recorded.
    #[error(transparent)]
    Check(#[from] Unplayable),
    /// The tournament has no such game.
    #[error(transparent)]
    Foreign(#[from] Foreign),
    /// The game has no result.
    #[error("the game is void")]
    Void,
    /// The log has been edited.
    #[error("the log differs from what the arena would write")]
    Rewritten,
    /// A player ran a different program.
    #[error("{player} ran a different program at the time")]
    OtherProgram {
        /// The player.
        player: String,
    },
    /// The schedule does not call for the game.
    #[error("given the known results, the schedule contains no such game")]
    Uncalled,
}

with_facts! {
    /// Something that a user should know; displayed as one or two sentences.
    #[derive(Debug)]
    pub(crate) enum Warning {
        /// The results of a fresh run are written to this directory.
        ResultsGoTo {
            /// The directory.
            dir: PathBuf,
        } => News(format!("results go to `{}`", dir.shown()));
        /// The run was begun by another version of the arena.
        OtherVersion {
            /// The run's directory.
            dir: PathBuf,
            /// The other version.
            version: String,
        } => Urgent(format!("the run in `{}` was begun by version {version}", dir.shown()));
        /// The user requested a replay of a void game; void games are replayed anyway.
        VoidAnyway {
            /// The game's id.
            game: String,
        } => Urgent(format!("--redo {game}: that game is void and will be played again anyway"));
        /// The user wants games with this ending replayed, but no other game ended this way.
        NoneEnded {
            /// The ending.
            ending: Termination,
        } => Urgent(format!("--redo \"{ending}\": no other game has ended this way"));
        /// The journal's last line was never finished.
        TornLine {
            /// The journal.
            path: PathBuf,
        } => Urgent(format!(
            "the last line of `{}` was cut off when the previous run ended; it is dropped, and its game will be played again",
            path.shown()
        ));
        /// The last line of the journal that `rebuild` reads was never finished.
        TornLineDropped {
            /// The run's directory.
            dir: PathBuf,
        } => Urgent(format!(
            "the last line of the journal in `{}` was cut off when the run ended; it is dropped",
            dir.shown()
        ));
        /// All games have been played.
        Complete {
            /// The run's directory.
            dir: PathBuf,
            /// How many games.
            played: usize,
        } => News(format!("the run in `{}` is complete: {}", dir.shown(), counted(*played as u64, "game")));
        /// An existing run continues.
        GoesOn {
            /// The run's directory.
            dir: PathBuf,
            /// How many games have been played.
            played: usize,
            /// The total number of games, if known.
            of: Option<u64>,
        } => {
            let of = of.map(|all| format!(" of {all}")).unwrap_or_default();
            News(format!("continuing the run in `{}`: {played}{of} games have been played", dir.shown()))
        };
        /// Bots are not confined, by the user's choice.
        IsolationOff => Urgent(
            "bots are not confined: they can access and use up everything that the arena can (isolation = \"off\")".to_owned(),
        );
        /// Bots are not confined, because the machine does not support it.
        Unconfined {
            /// Why not.
            why: String,
        } => Urgent(format!(
            "bots are not confined, because this machine does not support it ({why}): see `gothello-arena doctor`"
        ));
        /// Bots are confined.
        Confined {
            /// The tier of the bots' confinement.
            tier: Tier,
            /// Why no better tier is used.
            why: String,
            /// How the bots' memory and processes are counted.
            accounting: Accounting,
            /// The result of the tier's self-test.
            shown: Demonstration,
        } => {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            let text = format!("bots are confined by tier {tier}: {}{why}; {accounting}; {shown}", tier.words());
            if tier.has_namespaces() { News(text) } else { Urgent(text) }
        };
        /// A player's `hosts` have no effect, because its bots have no loopback interface of their own.
        IdleHosts {
            /// The player.
            player: PlayerName,
            /// The player's hosts.
            hosts: Vec<HostName>,
            /// The tier of the player's confinement; `None` if bots are not confined.
            tier: Option<Tier>,
        } => {
            let hosts: Vec<String> = hosts.iter().map(|host| format!("`{host}`")).collect();
            let why = tier.map_or("bots are not confined".to_owned(), |tier| format!("tier {tier} is in force"));
            Urgent(format!(
                "`hosts` of player `{player}` needs confinement by tier A or B, but {why}: the player finds the referee only if this \
                 machine itself resolves {} to 127.0.0.1, for example through `/etc/hosts`",
                hosts.join(", ")
            ))
        };
        /// There are not enough cores for each bot to have its own.
        SharedCores {
            /// How many cores would be needed.
            wanted: NonZeroUsize,
            /// The number of games played at a time.
            concurrency: NonZeroUsize,
        } => News(format!(
            "bots share cores, so their clocks include waiting: giving each bot its own core requires {wanted} cores at `concurrency = \
             {concurrency}` (with `clock = \"cpu\"`, only the CPU time that a bot uses counts)"
        ));
        /// A game has begun without cores for its bots.
        NoCores(lack: CoreLack) => News(format!(
            "there were no cores for the bots of a game: {lack}; games for which no cores are free are played without them, \
             and their clocks include waiting (`affinity`)"
        ));
        /// News about a player's directory.
        PlayerDir(news: DirNews) => Urgent(news.to_string());
        /// The games may need more open files than the limit of this process.
        FewFiles {
            /// The number of games played at a time.
            concurrency: NonZeroUsize,
            /// How many open files the games may need.
            needed: u64,
            /// The limit.
            limit: u64,
        } => Urgent(format!(
            "{concurrency} concurrent games may need {needed} open files, but the limit of this process is {limit}: a game that cannot \
             open its files is void and is played again; play fewer at a time, or allow more open files with `ulimit -n`"
        ));
        /// It is impossible to tell whether a bot that ran out of time was waiting for a core, so the bot is not
        /// excused.
        StarvationUnknown => Urgent(
            "this machine does not report how long a bot waits for a core (neither in a cgroup's `cpu.pressure` \
             nor in /proc/PID/task/TID/{schedstat,children}), so a bot that runs out of time because the machine is busy \
             is not excused: play fewer games at a time"
                .to_owned(),
        );
        /// The machine may have too few resources for builds or games.
        LittleRoom(little: LittleRoom) => Urgent(little.to_string());
        /// The tournament file sets `scale_time`, but no other machine takes part.
        NothingToScale => News("`scale_time` has no effect here: it is for workers (--nats)".to_owned());
        /// Clients tried wrong names or tokens at the public port; the text says how many, and from which hosts.
        WrongTokens(text: String) => Urgent(text.clone());
        /// How long the arena itself delayed the players' moves.
        Lateness {
            /// How many moves there were.
            moves: u64,
            /// The 99th percentile of the delays.
            p99: Duration,
            /// The longest delay.
            longest: Duration,
        } => {
            let millis = |time: &Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
            News(format!(
                "the arena's own delay was at most {} in 99% of {moves} moves, and at most {} overall; it was not charged to any clock",
                millis(p99),
                millis(longest)
            ))
        };
        /// Runs were merged.
        Merged {
            /// The directory of the merged run.
            dir: PathBuf,
            /// How many games were added to it.
            added: u64,
            /// How many games have a result now.
            finished: usize,
        } => {
            let [added, finished] = [*added, *finished as u64].map(|games| counted(games, "game"));
            News(format!("{added} added to `{}`, which now contains the results of {finished}", dir.shown()))
        };
        /// Something happened between this machine and others.
        OfBroker(text: String) => News(text.clone());
        /// A damaged journal was rewritten.
        Salvaged {
            /// How many lines of the journal were kept.
            kept: u64,
            /// The new path of the damaged journal.
            aside: PathBuf,
        } => Urgent(format!("{kept} intact lines were kept; the damaged journal is now `{}`", aside.shown()));
        /// These lines of a damaged journal were dropped: they are damaged, or belong to another tournament.
        DroppedDamaged(lines: Vec<u64>) => Urgent(format!(
            "lines dropped because they are damaged or belong to another tournament: {}; the games recorded there will be played again",
            list(lines)
        ));
        /// These lines of a damaged journal were dropped: a later line contains the same game.
        DroppedRepeated(lines: Vec<u64>) => Urgent(format!("lines dropped because a later line contains the same game: {}", list(lines)));
        /// Games were decided by a Seegover table that does not exist here.
        ProofsNotRepeated {
            /// How many games.
            games: u64,
            /// The rules of the games.
            rules: MoveRules,
        } => Urgent(format!(
            "the winner was not checked in {} that the Seegover table decided, because the table is missing ({})",
            counted(*games, "game"),
            build_command(*rules)
        ));
        /// Games were taken from logs.
        Taken {
            /// How many games.
            games: usize,
        } => Urgent(match games {
            1 => "1 game missing from the journal was recovered from its log".to_owned(),
            games => format!("{games} games missing from the journal were recovered from their logs"),
        });
        /// The game of a log was not accepted.
        NotTaken {
            /// The log.
            path: PathBuf,
            /// Why not.
            why: Refused,
        } => Urgent(sanitised(&format!("`{}` is not used: {why}", path.shown())));
        /// A log unknown to the journal was renamed.
        SetAside {
            /// The log's previous name.
            path: PathBuf,
            /// The log's new name.
            aside: PathBuf,
        } => Urgent(format!("the journal contains no such game: `{}` is now `{}`", path.shown(), aside.shown()));
    }

    /// The text of the warning, and its urgency.
    fn saying() -> Saying;
}

/// The text of a warning.
enum Saying {
    /// The warning requires action, so it is shown even in quiet mode.
    Urgent(String),
    /// The warning is useful, but requires no action.
    News(String),
}

impl Warning {
    /// Whether to show the warning even to a user who only wants warnings that require action.
    pub(crate) fn is_urgent(&self) -> bool {
        matches!(self.saying(), Urgent(_))
    }

    /// The file or directory that the warning names between back-quotes, if a user may want to open it.
    pub(crate) fn place(&self) -> Option<&Path> {
        match self {
            Self::ResultsGoTo { dir }
            | Self::OtherVersion { dir, .. }
            | Self::Complete { dir, .. }
            | Self::GoesOn { dir, .. }
            | Self::Merged { dir, .. } => Some(dir),
            Self::NotTaken { path, .. } => Some(path),
            Self::Salvaged { aside, .. } | Self::SetAside { aside, .. } => Some(aside),
            _ => None,
        }
    }

    /// Additional text for a user who wants details.
    pub(crate) fn details(&self) -> Option<String> {
        match self {
            Self::Confined { tier, shown, .. } => Some(Demonstration::table(&[(*tier, Some(shown))])),
            _ => None,
        }
    }

    /// The text of the warning, without figures that differ each time.
    pub(crate) fn topic(&self) -> String {
        match self {
            Self::LittleRoom(little) => little.topic(),
            warning => warning.to_string(),
        }
    }

    /// The progress of the run in `dir`; `None` before the run's first result.
    pub(crate) fn of_state(ledger: &Ledger, dir: &Path) -> Option<Self> {
        let played = ledger.finished();
        if played == 0 {
            return None;
        }
        let dir = dir.to_owned();
        let schedule = ledger.schedule();
        Some(if ledger.ladder().is_none() && ledger.state().missing.games() == 0 {
            Self::Complete { dir, played }
        } else {
            Self::GoesOn { dir, played, of: schedule.len() }
        })
    }

    /// The resources that may be insufficient for the builds of `players` and for everything played at the same time,
    /// if bots are confined by `tier`.
    pub(crate) fn of_room(players: &[Player], at_a_time: AtATime, tier: Tier) -> Vec<Self> {
        little_room(players, at_a_time, tier).into_iter().map(Self::LittleRoom).collect()
    }

    /// A warning if starvation cannot be measured here, to be shown before a check or grading, where starved bots are
    /// excused. The bots are confined by `cage`, or not confined if `cage` is `None`.
    pub(crate) fn of_starvation(cage: Option<&Cage>) -> Option<Self> {
        let is_told = cage.map_or_else(is_measurable_by_threads, Cage::tells_starvation);
        (!is_told).then_some(Self::StarvationUnknown)
    }

    /// The players of `tournament` whose `hosts` have no effect, because bots that are confined by `tier`, or not
    /// confined at all, share the host's network.
    pub(crate) fn of_idle_hosts(tournament: &Tournament, tier: Option<Tier>) -> Vec<Self> {
        let players = tournament.players.iter().filter_map(|player| {
            let hosts: Vec<_> = player.programs().flat_map(|(_, program)| program.hosts.iter().cloned()).collect();
            (!hosts.is_empty()).then(|| Self::IdleHosts { player: player.name.clone(), hosts, tier })
        });
        players.collect()
    }

    /// How late the arena was; `None` if no move was made.
    pub(crate) fn of_lateness(lateness: &Lateness) -> Option<Self> {
        let moves = lateness.moves();
        (moves > 0).then(|| Self::Lateness { moves, p99: lateness.p99(), longest: lateness.max() })
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Urgent(text) | News(text)) = self.saying();
        f.write_str(&text)
    }
}

/// A comma-separated list of line numbers.
fn list(lines: &[u64]) -> String {
    lines.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}
