//! Campaigns of kills. A campaign plays a tournament of seeded bots while processes of the run are killed, or while its
//! machine loses power, and continues it each time. The tournament must end exactly like an undisturbed one.
//!
//! The tests play a few short campaigns, and `benches/kills` plays thousands of them.

mod alone;
mod course;
mod disk;
mod leftovers;
pub(crate) mod moment;
mod over_nats;
mod stages;
mod tournament;
mod watch;

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::harness::arena::{Arena, text};
use crate::harness::restricted::{in_a_thread, own_mounts};
use crate::harness::waiting::{InTime as _, Owned};
use course::Course;
use disk::Disk;
pub(crate) use disk::can_lose_power;
pub(crate) use stages::can_confine;
pub(crate) use tournament::Format;
use tournament::Tournament;
use watch::Watch;

/// What is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Victim {
    /// The arena, alone on its machine.
    Arena,
    /// The power of the machine: its file system loses what has not been synced.
    Power,
    /// A stage of confinement of a bot: its pid 1, its namespaces, or its warden.
    Stage,
    /// The coordinator of a run over NATS.
    Coordinator,
    /// A worker.
    Worker,
    /// The broker; in one of three cases, its files are lost as well.
    Broker,
}

impl Victim {
    /// Whether the games of a run still end in the same order, if it plays one game at a time. Otherwise, other games
    /// are played before a game that was lost with its worker or void.
    const fn keeps_order(self) -> bool {
        matches!(self, Self::Arena | Self::Power)
    }

    /// Whether the victim belongs to a run over NATS.
    const fn is_over_nats(self) -> bool {
        matches!(self, Self::Coordinator | Self::Worker | Self::Broker)
    }
}

/// A campaign: up to `kills` kills in a tournament. The moments of the kills follow from its values, but what the program
/// is doing at such a moment depends on the machine.
pub(crate) struct Campaign {
    /// The victims, in turn: either all in a run over NATS, or none.
    pub(crate) victims: Vec<Victim>,
    pub(crate) kills: u64,
    pub(crate) seed: u64,
}

/// The figures of a campaign.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// How many kills happened before the tournament was over.
    pub(crate) kills: u64,
    /// How many games the undisturbed tournament has.
    pub(crate) games: usize,
    /// How many games were missing at the end, or at any time after they had been reported as finished.
    pub(crate) lost: usize,
    /// How many games had more than one result in the journal, or were reported twice.
    pub(crate) twice: usize,
    /// How many times a game was void on the way.
    pub(crate) void: usize,
    /// Everything else that differs from the undisturbed tournament or fails a check.
    pub(crate) differences: Vec<String>,
}

impl Tally {
    /// Whether the tournament ended like the undisturbed one.
    pub(crate) fn is_clean(&self) -> bool {
        self.lost == 0 && self.twice == 0 && self.differences.is_empty()
    }
}

/// A tournament, and how it ends without any disturbance.
pub(crate) struct Undisturbed {
    tournament: Tournament,
    course: Course,
}

impl Undisturbed {
    /// Plays a tournament of this format, which is then disturbed by kills of `victims`. The results depend on `seed`.
    pub(crate) fn play(format: Format, victims: &[Victim], seed: u64) -> Self {
        let arena = Arena::new("");
        let tournament = Tournament { format, seed, is_in_order: victims.iter().all(|victim| victim.keeps_order()) };
        tournament.write(arena.path());
        let output = arena.run(&[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        Self { tournament, course: Course::of(&arena, &output) }
    }
}

impl Campaign {
    /// Plays the campaign, and compares its end with `expected`. If it panics or ends differently, it leaves its files
    /// in the directory `keep`, if given.
    pub(crate) fn play(&self, expected: &Undisturbed, keep: Option<PathBuf>) -> Tally {
        let play = || {
            let mut ground = Ground::new(self.victims.contains(&Victim::Power), keep);
            expected.tournament.write(ground.arena.path());
            let disturb = if self.is_over_nats() { over_nats::disturb } else { alone::disturb };
            let kills = disturb(self, expected.course.games.len(), &mut ground);
            let tally = Self::judge(kills, expected, &mut ground);
            ground.is_wanted = !tally.is_clean();
            tally
        };
        if !self.victims.contains(&Victim::Power) {
            return play();
        }
        in_a_thread(|| {
            own_mounts();
            play()
        })
    }

    /// Whether workers play the games.
    fn is_over_nats(&self) -> bool {
        let is_over_nats = self.victims[0].is_over_nats();
        assert!(self.victims.iter().all(|victim| victim.is_over_nats() == is_over_nats));
        is_over_nats
    }

    /// The victim of kill number `kill`.
    fn victim(&self, kill: u64) -> Victim {
        self.victims[usize::try_from(kill % self.victims.len() as u64).expect("few")]
    }

    /// Compares the run on `ground`, which is over after `kills` kills, with the undisturbed run.
    fn judge(kills: u64, expected: &Undisturbed, ground: &mut Ground) -> Tally {
        let mut differences = std::mem::take(&mut ground.differences);
        let arena = &ground.arena;
        let printed = arena.run(&[]);
        if printed.status.code() == Some(0) {
            differences.extend(Course::of(arena, &printed).differences(&expected.course));
        } else {
            differences.push(text(&printed.stderr));
        }
        for check in ["rebuild", "replay"] {
            let checked = arena.output(&[check, "--check", "out"]);
            if !checked.status.success() {
                differences.push(format!("{check} --check: {}{}", text(&checked.stdout), text(&checked.stderr)));
            }
        }
        if let Some(control) = expected.tournament.format.time_control().filter(|_| differences.is_empty()) {
            arena.assert_clocks_were(control);
        }
        differences.extend(leftovers::of(arena));
        let journal = ground.watch.look(arena);
        let (lost, twice) = ground.watch.lost_and_twice(&journal, expected.course.games.keys());
        Tally { kills, games: expected.course.games.len(), lost, twice, void: journal.void, differences }
    }
}

/// Where a campaign is played.
struct Ground {
    /// The arena's directory is on this disk, if there is one, so it must be dropped first.
    disk: Option<Disk>,
    arena: Arena,
    /// What is not on the disk: the output of the processes, and the scratch space of bots.
    beside: TempDir,
    watch: Watch,
    /// What a campaign has found to be wrong before its end.
    differences: Vec<String>,
    /// Where to keep all files if they are wanted.
    keep: Option<PathBuf>,
    is_wanted: bool,
}

impl Ground {
    fn new(has_disk: bool, keep: Option<PathBuf>) -> Self {
        let (arena, beside) = (Arena::new(""), TempDir::new().expect("a directory"));
        let disk = has_disk.then(|| Disk::mounted_at(arena.path()));
        // Bots have their own users, which must be able to reach their programs and their scratch space.
        for dir in [arena.path(), beside.path()] {
            fs::set_permissions(dir, Permissions::from_mode(0o755)).expect("set");
        }
        let watch = Watch::new(beside.path().join("said"));
        Self { disk, arena, beside, watch, differences: Vec::new(), keep, is_wanted: false }
    }

    /// Starts `command` without input, and collects its stderr in the file `said`.
    fn start(&self, command: &mut Command, said: &str) -> Owned {
        let said = File::options().create(true).append(true).open(self.beside.path().join(said)).expect("opened");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(said).start().expect("the program starts")
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        let is_wanted = self.is_wanted || std::thread::panicking() && !moment::is_interrupted();
        if let Some(keep) = self.keep.as_ref().filter(|_| is_wanted) {
            let mut copy = Command::new("cp");
            copy.arg("-r").args([self.arena.path(), self.beside.path()]).arg(keep);
            // Without the copy, the figures still tell what happened.
            let _ = fs::create_dir_all(keep).and_then(|()| copy.status_in_time());
        }
    }
}
