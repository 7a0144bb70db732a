//! Whether the machine has all the resources that builds and games may use: disk space, processes and memory.
//!
//! Limits are upper bounds, and the defaults are generous: few machines have enough for all bots at their default
//! limits, and few bots come close to these limits. Therefore, a limit in bytes that does not exceed its default counts
//! only as the amount that bots usually use, and a limit that the user has raised counts in full. Processes always
//! count in full, since a program that cannot start a process fails.
//!
//! In addition, there should be enough for a single bot that uses everything it is allowed to use, and for a normal
//! build, so that a build that needs more is itself responsible for the shortage.

use std::fmt;
use std::num::NonZeroUsize;

use crate::base::machine::{MachineRoom, RoomLeft};
use crate::base::units::bytes;
use crate::host::sandbox::Tier;
use crate::host::shortage::MUCH_FOR_BUILD;
use crate::run::entrants::build_resources;
use crate::tournament::{Player, Program, Resources};

/// The usual maximum memory of a bot or a build, in bytes: enough for a JVM, a compiler, or an interpreter with its
/// libraries.
const USUAL_MEMORY: u64 = 512 << 20;

/// The usual maximum that a bot writes to its scratch space, in bytes.
const USUAL_SCRATCH: u64 = 64 << 20;

/// The usual maximum that a build writes to its copy of the player's directory, and also to its scratch space, in
/// bytes.
const USUAL_PRODUCTS: u64 = 128 << 20;

/// The size of the directories that the arena itself creates in TMPDIR for a confined bot, in bytes.
const OWN_DIRECTORIES: u64 = 64 << 10;

/// The threads of the stage that oversees a program, which is pid 1 of the namespaces or the warden: its main thread,
/// which reaps processes, and the threads `control`, `watch` and `files`.
const THREADS_OF_OVERSEER: u64 = 4;

/// The number of the arena's own processes and threads for each program that it confines by `tier`.
const fn own_processes(tier: Tier) -> u64 {
    match tier {
        // In addition, pid 1 has a parent, which waits for it: in tier A a thread of the arena, and in tier B the stage
        // that has created the namespaces.
        Tier::A | Tier::B => THREADS_OF_OVERSEER + 1,
        // The warden's child, the stage `enter`, becomes the program.
        Tier::C => THREADS_OF_OVERSEER,
        Tier::D => 0,
    }
}

/// The activities for which there must be enough resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtATime {
    /// Games between players of the tournament.
    Games {
        /// How many games.
        count: NonZeroUsize,
        /// How many seats each of them has.
        seats: u8,
    },
    /// Games between a player of the tournament and an opponent that hardly needs any resources, such as a built-in
    /// bot.
    GamesOfOne(NonZeroUsize),
    /// Scenarios of a drill.
    Scenarios(NonZeroUsize),
}

impl AtATime {
    const fn count(self) -> NonZeroUsize {
        match self {
            Self::Games { count, .. } | Self::GamesOfOne(count) | Self::Scenarios(count) => count,
        }
    }

    /// How many programs each activity starts.
    fn programs(self) -> usize {
        match self {
            Self::Games { seats, .. } => seats.into(),
            Self::GamesOfOne(_) | Self::Scenarios(_) => 1,
        }
    }

    const fn thing(self) -> &'static str {
        match self {
            Self::Games { .. } | Self::GamesOfOne(_) => "game",
            Self::Scenarios(_) => "scenario",
        }
    }
}

/// Something that needs resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needy {
    /// One build.
    Build,
    /// Everything played at the same time.
    Played(AtATime),
    /// A single bot that uses everything it is allowed to use.
    Bot,
}

/// A resource that may run short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Supply {
    /// Bytes in TMPDIR.
    Disk,
    /// Processes and threads.
    Processes,
    /// Bytes of memory.
    Memory,
}

impl Supply {
    const ALL: [Self; 3] = [Self::Disk, Self::Processes, Self::Memory];

    fn left(self, room: &MachineRoom) -> Option<&RoomLeft> {
        match self {
            Self::Disk => room.disk.as_ref(),
            Self::Processes => room.processes.as_ref(),
            Self::Memory => room.memory.as_ref(),
        }
    }

    /// The key that limits this resource for a bot.
    const fn key(self) -> &'static str {
        match self {
            Self::Disk => "scratch",
            Self::Processes => "processes",
            Self::Memory => "memory",
        }
    }

    /// An amount in words.
    fn words(self, amount: u64) -> String {
        match self {
            Self::Disk => format!("{} of disk space", bytes(amount)),
            Self::Processes => format!("{amount} processes and threads"),
            Self::Memory => format!("{} of memory", bytes(amount)),
        }
    }

    /// An amount, worded to follow the name of the resource.
    fn short(self, amount: u64) -> String {
        match self {
            Self::Disk | Self::Memory => bytes(amount),
            Self::Processes => amount.to_string(),
        }
    }
}

/// The resources that something may use.
#[derive(Clone, Copy, Debug, Default)]
struct RoomNeeds {
    disk: u64,
    processes: u64,
    memory: u64,
}

impl RoomNeeds {
    const fn of(self, supply: Supply) -> u64 {
        match supply {
            Supply::Disk => self.disk,
            Supply::Processes => self.processes,
            Supply::Memory => self.memory,
        }
    }

    /// The resources that a program or a build may use within `limits`; `defaults` are the default limits. The
    /// program's scratch space usually takes `scratch` bytes, and the program also uses `disk` bytes.
    fn within(limits: &Resources, defaults: &Resources, scratch: u64, disk: u64, tier: Tier) -> Self {
        let counted = |limit: u64, default: u64, usual: u64| if limit > default { limit } else { limit.min(usual) };
        let memory = counted(limits.memory, defaults.memory, USUAL_MEMORY);
        let scratch = counted(limits.scratch, defaults.scratch, scratch);
        // In namespaces, scratch space is in memory.
        let (in_memory, on_disk) = if tier.has_namespaces() { (scratch, 0) } else { (0, scratch) };
        Self {
            disk: disk + on_disk,
            processes: limits.processes + own_processes(tier),
            memory: memory.saturating_add(in_memory),
        }
    }

    fn of_bot(program: &Program, tier: Tier) -> Self {
        Self::within(&program.resources, &Resources::default(), USUAL_SCRATCH, OWN_DIRECTORIES, tier)
    }

    /// Everything that a bot may use.
    const fn most_of_bot(program: &Program, tier: Tier) -> Self {
        let Resources { memory, processes, scratch, .. } = program.resources;
        let disk = OWN_DIRECTORIES + if tier.has_namespaces() { 0 } else { scratch };
        Self { disk, processes: processes + own_processes(tier), memory }
    }

    fn of_build(program: &Program, tier: Tier) -> Self {
        let limits = build_resources(&program.resources);
        let defaults = build_resources(&Resources::default());
        let usual = Self::within(&limits, &defaults, USUAL_PRODUCTS, USUAL_PRODUCTS, tier);
        Self { disk: usual.disk.max(MUCH_FOR_BUILD), memory: usual.memory.max(limits.memory / 2), ..usual }
    }
}

/// A possible shortage of a resource for a build, for everything played at the same time, or even for a single bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LittleRoom {
    /// The resource.
    supply: Supply,
    /// The activity that needs the resource.
    needy: Needy,
    /// How much a single build, game, scenario or bot may use.
    each: u64,
    /// How much is available.
    left: RoomLeft,
}

impl LittleRoom {
    /// A key for the warning that does not depend on the current figures.
    pub(crate) fn topic(&self) -> String {
        // If there is too little for games, there is too little for scenarios.
        format!("{:?} for {}", self.supply, if self.needy == Needy::Build { "builds" } else { "bots" })
    }

    /// How many games or scenarios there are enough resources for.
    const fn fit(&self) -> u64 {
        match self.left.amount.checked_div(self.each) {
            Some(fit) => fit,
            None => u64::MAX,
        }
    }
}

impl fmt::Display for LittleRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { supply, needy, each, left } = self;
        let (amount, bound) = (supply.short(left.amount), &left.bound);
        let at_a_time = match needy {
            Needy::Build => {
                return write!(
                    f,
                    "a build may use {}, but {bound} has only {amount} left: a build that runs short is void, and has to be \
                     repeated when more is available",
                    supply.words(*each)
                );
            }
            Needy::Bot => {
                return write!(
                    f,
                    "a bot may use {} (`{}`), but {bound} has only {amount} left: a bot that uses all of it may make its \
                     games void; make more available, or lower the limit",
                    supply.words(*each),
                    supply.key()
                );
            }
            Needy::Played(at_a_time) => at_a_time,
        };
        let (count, thing) = (at_a_time.count().get() as u64, at_a_time.thing());
        let option = match at_a_time {
            AtATime::Games { .. } | AtATime::GamesOfOne(_) => "concurrency",
            AtATime::Scenarios(_) => "--jobs",
        };
        match count {
            1 => write!(f, "a {thing} may use {}", supply.words(*each))?,
            _ => write!(
                f,
                "{count} concurrent {thing}s may use {} ({} each)",
                supply.words(each.saturating_mul(count)),
                supply.short(*each)
            )?,
        }
        write!(f, ", but {bound} has only {amount} left: ")?;
        match self.fit() {
            0 if count == 1 => f.write_str("it does not fit")?,
            0 => write!(f, "not even one {thing} fits")?,
            1 => write!(f, "1 {thing} fits (`{option}`)")?,
            fit => write!(f, "{fit} {thing}s fit (`{option}`)")?,
        }
        write!(f, "; a {thing} that runs short is void")
    }
}

/// Compares the available resources, `room`, with the resources that the builds and games of `players` may use if bots
/// are confined by `tier`. Builds run one at a time. Returns the possible shortages.
fn lacking(players: &[Player], at_a_time: AtATime, tier: Tier, room: &MachineRoom) -> Vec<LittleRoom> {
    // Players that are not programs use little, and no key limits their resources.
    let of_players: Vec<Vec<&Program>> =
        players.iter().map(|player| player.programs().map(|(_, program)| program).collect()).collect();
    let programs: Vec<&Program> = of_players.iter().flatten().copied().collect();
    // The needs of a team's programs are not added up, since only one of them plays at a time.
    let bots: Vec<Vec<RoomNeeds>> = of_players
        .iter()
        .map(|programs| programs.iter().map(|program| RoomNeeds::of_bot(program, tier)).collect())
        .collect();
    let builds = programs.iter().filter(|program| program.build.is_some());
    let builds: Vec<RoomNeeds> = builds.map(|program| RoomNeeds::of_build(program, tier)).collect();
    let mut lacking = Vec::new();
    for supply in Supply::ALL {
        let Some(left) = supply.left(room) else { continue };
        let of_build = builds.iter().map(|needs| needs.of(supply)).max().unwrap_or(0);
        let most = |bots: &Vec<RoomNeeds>| bots.iter().map(|needs| needs.of(supply)).max();
        let mut of_bots: Vec<u64> = bots.iter().filter_map(most).collect();
        of_bots.sort_unstable_by(|one, other| other.cmp(one));
        // No player plays against itself.
        let of_game: u64 = of_bots.iter().take(at_a_time.programs()).fold(0, |sum, &need| sum.saturating_add(need));
        let most_of_bot =
            programs.iter().map(|program| RoomNeeds::most_of_bot(program, tier).of(supply)).max().unwrap_or(0);
        let lacks = |needy, each: u64, count: NonZeroUsize| {
            let is_little = each.saturating_mul(count.get() as u64) > left.amount;
            is_little.then(|| LittleRoom { supply, needy, each, left: left.clone() })
        };
        lacking.extend(lacks(Needy::Build, of_build, NonZeroUsize::MIN));
        let of_bots = lacks(Needy::Played(at_a_time), of_game, at_a_time.count());
        lacking.extend(of_bots.or_else(|| lacks(Needy::Bot, most_of_bot, NonZeroUsize::MIN)));
    }
    lacking
}

/// The resources that may currently be insufficient for building `players` one at a time, and for everything played at
/// the same time. Bots are confined by `tier`.
pub(crate) fn little_room(players: &[Player], at_a_time: AtATime, tier: Tier) -> Vec<LittleRoom> {
    lacking(players, at_a_time, tier, &MachineRoom::now())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;

    const GIB: u64 = 1 << 30;

    fn players(keys: &str) -> Vec<Player> {
        let player = |name: &str| format!("[[player]]\nname = \"{name}\"\ncommand = [\"true\", \"{{port}}\"]\n{keys}");
        let text = format!("{}{}[[player]]\nname = \"c\"\nbuiltin = \"greedy\"\n", player("a"), player("b"));
        Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}")).players
    }

    fn games(count: usize) -> AtATime {
        AtATime::Games { count: NonZeroUsize::new(count).expect("some"), seats: 2 }
    }

    fn room(disk: u64, processes: u64, memory: u64) -> MachineRoom {
        let left = |amount, bound: &str| Some(RoomLeft { amount, bound: bound.to_owned() });
        MachineRoom {
            disk: left(disk, "`/tmp` (TMPDIR)"),
            processes: left(processes, "`pids.max`"),
            memory: left(memory, "`memory.max`"),
        }
    }

    fn said(keys: &str, at_a_time: AtATime, tier: Tier, room: &MachineRoom) -> Vec<String> {
        lacking(&players(keys), at_a_time, tier, room).iter().map(LittleRoom::to_string).collect()
    }

    const BUILT: &str = "dir = \"a\"\nbuild = [\"make\"]\n";

    #[test]
    fn an_ordinary_machine_has_room_for_everything_by_default() {
        // The number of concurrent games, which is the maximum for the machine's cores; free memory in GiB; the limit
        // on a user's processes.
        for (count, memory, processes) in [(1, 2, 3800), (1, 4, 7600), (3, 5, 15_000), (7, 10, 31_000)] {
            for tier in [Tier::A, Tier::B, Tier::C, Tier::D] {
                let room = room(4 * GIB, processes, memory * GIB);
                assert_eq!(said(BUILT, games(count), tier, &room), Vec::<String>::new(), "{count} games, {tier}");
            }
        }
        assert_eq!(
            said(BUILT, games(100), Tier::A, &MachineRoom::default()),
            Vec::<String>::new(),
            "no bound is known"
        );
    }

    #[test]
    fn the_warning_says_how_many_games_fit() {
        let lacks = |keys: &str, at_a_time, tier, room: &MachineRoom| said(keys, at_a_time, tier, room).join("\n");
        let few = lacks("", games(8), Tier::A, &room(GIB, 1600, 64 * GIB));
        assert_eq!(
            few,
            "8 concurrent games may use 4176 processes and threads (522 each), but `pids.max` has only 1600 left: 3 games fit \
             (`concurrency`); a game that runs short is void"
        );
        for (tier, each) in [(Tier::B, "522 each"), (Tier::C, "520 each"), (Tier::D, "512 each")] {
            let few = lacks("", games(8), tier, &room(4 * GIB, 1600, 64 * GIB));
            assert!(few.contains(each), "{tier}: {few}");
        }
        let none = lacks("", games(1), Tier::A, &room(GIB, 150, 64 * GIB));
        assert!(none.contains("it does not fit"), "{none}");
        // A raised limit counts in full.
        let raised = lacks("memory = \"3 GiB\"\n", games(2), Tier::C, &room(GIB, 9999, 8 * GIB));
        assert!(raised.starts_with("2 concurrent games may use 12.0 GiB of memory (6.0 GiB each)"), "{raised}");
        assert!(raised.contains("1 game fits"), "{raised}");
        // A lowered limit never counts more than the default.
        assert_eq!(lacks("memory = \"1 GiB\"\n", games(2), Tier::C, &room(GIB, 9999, 3 * GIB)), "");
        let one = AtATime::Scenarios(NonZeroUsize::new(3).expect("some"));
        let scenarios = lacks("", one, Tier::A, &room(GIB, 600, 64 * GIB));
        assert!(scenarios.contains("783 processes") && scenarios.contains("2 scenarios fit (`--jobs`)"), "{scenarios}");
        let of_one = AtATime::GamesOfOne(NonZeroUsize::new(2).expect("some"));
        assert_eq!(lacks("", of_one, Tier::A, &room(GIB, 600, 64 * GIB)), "");
    }

    #[test]
    fn scratch_space_is_in_memory_in_namespaces_and_on_the_disk_elsewhere() {
        let keys = "scratch = \"2 GiB\"\n";
        let small = room(GIB, 9999, GIB);
        for (tier, lacks) in
            [(Tier::A, "of memory"), (Tier::B, "of memory"), (Tier::C, "of disk space"), (Tier::D, "of disk space")]
        {
            let said = said(keys, games(1), tier, &small);
            assert!(said.iter().any(|line| line.contains(lacks)), "{tier}: {said:?}");
        }
    }

    #[test]
    fn there_should_be_room_for_a_bot_that_uses_all_that_it_may() {
        let little = said("", games(1), Tier::A, &room(GIB, 9999, 3 * GIB / 2));
        assert_eq!(
            little,
            [
                "a bot may use 2.0 GiB of memory (`memory`), but `memory.max` has only 1.5 GiB left: a bot that uses all of \
                 it may make its games void; make more available, or lower the limit"
            ]
        );
        assert_eq!(said("", games(1), Tier::A, &room(GIB, 9999, 2 * GIB)), Vec::<String>::new());
        assert_eq!(
            said("memory = \"1 GiB\"\n", games(1), Tier::A, &room(GIB, 9999, 3 * GIB / 2)),
            Vec::<String>::new()
        );
        for (tier, lines) in [(Tier::A, 0), (Tier::C, 1)] {
            let said = said("", games(1), tier, &room(200 << 20, 9999, 8 * GIB));
            assert_eq!(
                said.iter().filter(|line| line.contains("256.1 MiB of disk space (`scratch`)")).count(),
                lines,
                "{said:?}"
            );
        }
        let both = said("", games(8), Tier::A, &room(GIB, 9999, GIB));
        assert!(both.len() == 1 && both[0].starts_with("8 concurrent games"), "it is reported once: {both:?}");
    }

    #[test]
    fn there_should_be_room_for_a_build_that_is_to_blame_if_it_takes_the_rest() {
        let little = said(BUILT, games(1), Tier::A, &room(400 << 20, 9999, 3 * GIB / 2)).join("\n");
        for words in ["a build may use 512.0 MiB of disk space", "a build may use 2.0 GiB of memory"] {
            assert!(little.contains(words), "{words}: {little}");
        }
    }

    #[test]
    fn a_build_has_room_of_its_own() {
        let tiny = said(BUILT, games(1), Tier::A, &room(5 << 20, 300, 100 << 20)).join("\n");
        for word in ["a build may use 512.0 MiB of disk space", "517 processes", "of memory", "5.0 MiB"] {
            assert!(tiny.contains(word), "{word}: {tiny}");
        }
        assert!(!said("", games(1), Tier::A, &room(5 << 20, 9999, 8 * GIB)).iter().any(|line| line.contains("build")));
    }
}
