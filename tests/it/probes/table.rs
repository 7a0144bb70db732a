//! Every probe, with the ending that its games come to. docs/confinement.md has the same table in words.

use std::time::Duration;

use super::ways::{Memory, Way};

/// How a probe's games end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// Its mode, as `tests/probes/probe.c` knows it.
    pub(super) mode: &'static str,
    /// The termination of its games.
    pub(super) ends: &'static str,
    /// The termination in a confinement, where that differs.
    pub(super) ends_in_c: Option<&'static str>,
    /// What the reason says, among other things.
    pub(super) reason: &'static str,
    /// How it ends as a player that connects by itself, if that makes sense.
    pub(super) remote: Option<&'static str>,
    /// Where it is refused what it would use up, and plays on.
    pub(super) refused: Refused,
    /// Keys of its player.
    pub(super) keys: &'static str,
    /// How many things it tries in a game that it is refused.
    pub(super) refusals: usize,
    /// Whether it is nothing without confinement: what it tries is then allowed, or nobody counts.
    pub(super) is_for_confinement: bool,
    /// Whether it is the file with its name that is run, and no mode of the program.
    pub(super) is_file: bool,
    /// Whether it takes long before its hello, which no clock counts, if that comes at all.
    pub(super) dawdles: bool,
    /// The tournament that it plays in.
    pub(super) terms: Terms,
}

/// Where a probe is refused what it would use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Nowhere.
    Nowhere,
    /// Where no control group counts it.
    Uncounted,
    /// There, and where the host's are shared.
    UncountedOrShared,
}

/// The deadlines of a tournament. They leave an honest bot, which needs some milliseconds, all the room that a busy machine may
/// take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    /// The time of each side; `None` is no clock.
    pub(super) time: Option<Duration>,
    /// By when a bot has said hello.
    pub(super) hello: Duration,
}

/// For most, whose games end by no clock: a busy machine would use it up before they get there, and that of honest bots too.
pub(super) const UNTIMED: Terms = Terms { time: None, hello: Duration::from_mins(1) };

/// For those who lose on time.
const TIMED: Terms = Terms { time: Some(Duration::from_secs(3)), ..UNTIMED };

/// For those who never say hello.
const SOON: Terms = Terms { hello: Duration::from_secs(3), ..UNTIMED };

/// For who keeps the arena busy before its game, and says hello only behind all that: with more games at a time than cores some
/// share its thread, and then start later.
const CROWDED: Terms = Terms { hello: Duration::from_mins(2), ..UNTIMED };

impl Terms {
    pub(super) const ALL: [Self; 4] = [UNTIMED, TIMED, SOON, CROWDED];
}

const fn ends(mode: &'static str, ends: &'static str, reason: &'static str) -> Probe {
    let (ends_in_c, remote, keys, refusals) = (None, None, "", 0);
    let (is_for_confinement, is_file, dawdles) = (false, false, false);
    let refused = Refused::Nowhere;
    Probe {
        mode,
        ends,
        ends_in_c,
        reason,
        remote,
        refused,
        keys,
        refusals,
        is_for_confinement,
        is_file,
        dawdles,
        terms: UNTIMED,
    }
}

const fn time(mode: &'static str) -> Probe {
    Probe { terms: TIMED, ..ends(mode, "time", "more than 3s used") }
}

const fn normal(mode: &'static str) -> Probe {
    ends(mode, "normal", "")
}

impl Probe {
    /// It ends alike as a player that connects by itself.
    const fn also_remote(self) -> Self {
        self.remotely(self.ends)
    }

    /// So it ends as a player that connects by itself.
    const fn remotely(self, ends: &'static str) -> Self {
        Self { remote: Some(ends), ..self }
    }

    const fn limited(self, keys: &'static str) -> Self {
        Self { keys, is_for_confinement: true, ..self }
    }

    /// It holds memory that no process shows.
    const fn unseen(self, refused: Refused) -> Self {
        Self { refused, ..self.limited("memory = \"64 MiB\"") }
    }

    const fn refused(self, refusals: usize) -> Self {
        Self { refusals, is_for_confinement: true, ..self }
    }

    const fn confined(self) -> Self {
        Self { is_for_confinement: true, ..self }
    }

    const fn ends_in_tier_c(self, ends: &'static str) -> Self {
        Self { ends_in_c: Some(ends), ..self }
    }

    const fn file(self) -> Self {
        Self { is_file: true, ..self }
    }

    const fn dawdling(self) -> Self {
        Self { dawdles: true, terms: CROWDED, ..self }
    }

    const fn late(self) -> Self {
        Self { dawdles: true, terms: SOON, ..self }
    }
}

impl Probe {
    /// How its games end this way, what the reason says, and how many things it is refused in each.
    pub(super) fn ends_in(&self, way: Way) -> (&'static str, &'static str, usize) {
        let is_uncounted = way.memory == Memory::Watched;
        let is_refused = match self.refused {
            Refused::Nowhere => false,
            Refused::Uncounted => is_uncounted,
            Refused::UncountedOrShared => is_uncounted || way.tier == "C",
        };
        match self.ends_in_c {
            _ if is_refused => ("normal", "", 1),
            Some(ends) if way.tier == "C" => (ends, self.reason, self.refusals),
            _ => (self.ends, self.reason, self.refusals),
        }
    }

    /// Whether it is about what a control group counts and a look at the processes does not show.
    pub(super) fn is_about_memory(&self) -> bool {
        self.ends == "limit memory"
    }

    /// What docs/confinement.md says of it: the probe, the tiers that it is played in, its ending, and the one when it connects by
    /// itself.
    pub(crate) fn row(&self) -> [String; 4] {
        let tiers = if self.is_for_confinement { "A to C" } else { "A to D" };
        let remote = self.remote.map_or("-", |remote| if remote == self.ends { "the same" } else { remote });
        let or_normal = if self.refused == Refused::Nowhere { "" } else { ", or normal" };
        [format!("`{}`", self.mode), tiers.to_owned(), format!("{}{or_normal}", self.ends), remote.to_owned()]
    }
}

const CONNECTION_ENDED: &str = "the connection ended";
const GARBLED: &str = "garbled line 11";

pub(crate) const PROBES: &[Probe] = &[
    // Not started.
    ends("missing", "not started", "missing").file(),
    ends("plain", "not started", "plain: not executable").file(),
    // There the shell tries it.
    ends("nonsense", "not started", "").ends_in_tier_c("no show").file(),
    ends("no-interpreter", "not started", "No such file or directory").file(),
    // No show, or as good as that.
    ends("gone", "no show", "exited with code 0 before it said hello"),
    ends("gone-badly", "no show", "exited with code 7 before it said hello"),
    ends("aloof", "no show", "no hello by its deadline").late(),
    ends("mute", "no show", "no hello by its deadline").late(),
    ends("half", "no show", "no hello by its deadline").late(),
    ends("other-side", "protocol", "never for its own side").late(),
    // Crash and disconnect; nobody sees how another machine's program ended.
    ends("crash", "crash", "exited with code 3").remotely("disconnect"),
    ends("signal", "crash", "SIGSEGV").remotely("disconnect"),
    ends("exit", "disconnect", CONNECTION_ENDED).also_remote(),
    ends("close", "disconnect", CONNECTION_ENDED).also_remote(),
    ends("half-close", "disconnect", CONNECTION_ENDED).also_remote(),
    // Time.
    time("silent").also_remote(),
    time("late").also_remote(),
    time("mutter").also_remote(),
    time("blank").also_remote(),
    time("drip").also_remote(),
    time("no-line-end").also_remote(),
    time("stop"),
    time("orphan"),
    time("hang").confined(),
    // Protocol.
    ends("garbage", "protocol", GARBLED).also_remote(),
    ends("nuls", "protocol", GARBLED).also_remote(),
    ends("encoding", "protocol", GARBLED).also_remote(),
    ends("long-lines", "protocol", GARBLED).also_remote(),
    ends("numbers", "protocol", GARBLED).also_remote(),
    // Whether it is the lines kept or what they say that is too much depends on when the other side moves.
    ends("flood", "protocol", "").also_remote(),
    ends("illegal", "illegal", "illegal move 21").also_remote(),
    // Limits.
    ends("memory", "limit memory", "MiB of memory").limited("memory = \"64 MiB\""),
    ends("headless", "limit memory", "MiB of memory").limited("memory = \"64 MiB\""),
    ends("given-back", "limit memory", "MiB of memory").unseen(Refused::Uncounted),
    ends("memfd", "limit memory", "MiB of memory").unseen(Refused::Uncounted),
    ends("memfd-mapped", "limit memory", "MiB of memory").unseen(Refused::Uncounted),
    ends("zeros", "limit memory", "MiB of memory").unseen(Refused::Uncounted),
    ends("detached", "limit memory", "MiB of memory").unseen(Refused::UncountedOrShared),
    ends("semaphores", "limit memory", "MiB of memory").unseen(Refused::UncountedOrShared),
    ends("buffers", "limit memory", "MiB of memory").limited("memory = \"64 MiB\""),
    ends("processes", "limit processes", "processes and threads").limited("processes = 50"),
    ends("scratch", "limit scratch", "filled its scratch space with ").limited("scratch = \"8 MiB\""),
    ends("cpu", "limit cpu", "s of CPU time").limited("cpu = \"1s\""),
    ends("relay", "limit cpu", "s of CPU time").limited("cpu = \"1s\""),
    ends("burn", "limit cpu", "s of CPU time").limited("cpu = \"1s\""),
    // Games like any other.
    normal("eager").also_remote(),
    normal("blind").also_remote(),
    normal("twice").also_remote(),
    normal("connections").dawdling(),
    normal("delegate"),
    normal("leave").confined(),
    normal("deaf"),
    normal("stop-children"),
    normal("shout"),
    normal("files").refused(1).limited("open_files = 64"),
    normal("read").refused(9),
    normal("attack").refused(3),
    normal("reach").refused(8),
    normal("change").refused(2),
    normal("lease").refused(3),
];
