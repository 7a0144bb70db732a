//! Every probe, with the termination of its games. docs/reference/confinement.md contains the same table in words.

use std::time::Duration;

use super::ways::{Memory, Way};

/// A probe, and how its games end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// The probe's mode, as in `tests/probes/probe.c`.
    pub(super) mode: &'static str,
    /// The termination of the probe's games.
    pub(super) ends: &'static str,
    /// The termination in tier C, if it differs.
    pub(super) ends_in_c: Option<&'static str>,
    /// A part of the reason for the termination.
    pub(super) reason: &'static str,
    /// The termination if the probe is a remote player, if that makes sense.
    pub(super) remote: Option<&'static str>,
    /// Where the probe is refused a limited resource. A probe that is refused a resource plays on.
    pub(super) refused: Refused,
    /// Further keys of the probe's player.
    pub(super) keys: &'static str,
    /// How many of the probe's attempts are refused in a game.
    pub(super) refusals: usize,
    /// Where the probe makes sense.
    pub(super) place: ProbePlace,
    /// Whether the file with the probe's name is run instead of the probe program.
    pub(super) is_file: bool,
    /// Whether the probe is slow to say hello or never does; no clock counts this time.
    pub(super) dawdles: bool,
    /// The deadlines of the tournament in which the probe plays.
    pub(super) terms: Terms,
}

/// Where a probe makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProbePlace {
    /// Everywhere.
    Anywhere,
    /// Under confinement; otherwise its attempts are allowed, or the resources that it uses are not counted.
    Confined,
    /// In its own namespaces.
    Namespaces,
    /// Where each bot has its own user id.
    OwnUser,
}

impl ProbePlace {
    /// Whether the probe is played under `way`.
    fn has(self, way: Way) -> bool {
        match self {
            Self::Anywhere => true,
            Self::Confined => way.tier != "D",
            Self::Namespaces => ["A", "B"].contains(&way.tier),
            Self::OwnUser => way.gives_users(),
        }
    }

    /// The tiers, as docs/reference/confinement.md names them.
    const fn tiers(self) -> &'static str {
        match self {
            Self::Anywhere => "A to D",
            Self::Confined => "A to C",
            Self::Namespaces => "A and B",
            Self::OwnUser => "A, and C as root",
        }
    }
}

/// Where a probe's use of a resource is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Nowhere.
    Nowhere,
    /// Where no control group counts the resource.
    Uncounted,
    /// Where no control group counts the resource, and where the host's resource is shared.
    UncountedOrShared,
}

/// The deadlines of a tournament. They leave an honest bot, which needs a few milliseconds, enough time even on a busy
/// machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    /// The time for each side; `None` means no clock.
    pub(super) time: Option<Duration>,
    /// How long a bot may take to say hello.
    pub(super) hello: Duration,
}

/// The deadlines for most probes: no clock ends their games, and on a busy machine even an honest bot could use up its
/// clock.
pub(super) const UNTIMED: Terms = Terms { time: None, hello: Duration::from_mins(1) };

/// The deadlines for probes that lose on time.
const TIMED: Terms = Terms { time: Some(Duration::from_secs(3)), ..UNTIMED };

/// The deadlines for probes that never say hello.
const SOON: Terms = Terms { hello: Duration::from_secs(3), ..UNTIMED };

/// The deadlines for probes that keep the arena busy before their game and say hello only afterwards. If more games are
/// played at a time than there are cores, other games share the probe's thread and start later.
const CROWDED: Terms = Terms { hello: Duration::from_mins(2), ..UNTIMED };

impl Terms {
    pub(super) const ALL: [Self; 4] = [UNTIMED, TIMED, SOON, CROWDED];
}

const fn ends(mode: &'static str, ends: &'static str, reason: &'static str) -> Probe {
    let (ends_in_c, remote, keys, refusals) = (None, None, "", 0);
    let (is_file, dawdles) = (false, false);
    let (place, refused) = (ProbePlace::Anywhere, Refused::Nowhere);
    Probe { mode, ends, ends_in_c, reason, remote, refused, keys, refusals, place, is_file, dawdles, terms: UNTIMED }
}

const fn time(mode: &'static str) -> Probe {
    Probe { terms: TIMED, ..ends(mode, "time", "used more than 3s") }
}

const fn normal(mode: &'static str) -> Probe {
    ends(mode, "normal", "")
}

impl Probe {
    /// This probe, also played as a remote player, whose games then end in the same way.
    const fn also_remote(self) -> Self {
        self.remotely(self.ends)
    }

    /// This probe, also played as a remote player, whose games then end with `ends`.
    const fn remotely(self, ends: &'static str) -> Self {
        Self { remote: Some(ends), ..self }
    }

    const fn limited(self, keys: &'static str) -> Self {
        Self { keys, place: ProbePlace::Confined, ..self }
    }

    /// This probe, which holds memory that belongs to no process. `refused` specifies where this memory is refused.
    const fn unseen(self, refused: Refused) -> Self {
        Self { refused, ..self.limited("memory = \"64 MiB\"") }
    }

    const fn refused(self, refusals: usize) -> Self {
        Self { refusals, place: ProbePlace::Confined, ..self }
    }

    const fn confined(self) -> Self {
        Self { place: ProbePlace::Confined, ..self }
    }

    const fn placed(self, place: ProbePlace) -> Self {
        Self { place, ..self }
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
    /// How the probe's games end under `way`: the termination, a part of the reason, and the number of refusals in each
    /// game.
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

    /// Whether the probe is played under `way`.
    pub(super) fn is_for(&self, way: Way) -> bool {
        self.place.has(way)
    }

    /// Whether the probe only attempts things that confinement refuses.
    pub(super) fn is_refused(&self) -> bool {
        self.refusals > 0
    }

    /// Whether the probe uses memory that a control group counts but an inspection of the processes does not show.
    pub(super) fn is_about_memory(&self) -> bool {
        self.ends == "limit memory"
    }

    /// The probe's row in docs/reference/confinement.md: the probe, the tiers in which it is played, its termination,
    /// and its termination as a remote player.
    pub(crate) fn row(&self) -> [String; 4] {
        let remote = self.remote.map_or("-", |remote| if remote == self.ends { "the same" } else { remote });
        let or_normal = if self.refused == Refused::Nowhere { "" } else { ", or normal" };
        [
            format!("`{}`", self.mode),
            self.place.tiers().to_owned(),
            format!("{}{or_normal}", self.ends),
            remote.to_owned(),
        ]
    }
}

const CONNECTION_ENDED: &str = "the connection ended";
const GARBLED: &str = "garbled line 11";

pub(crate) const PROBES: &[Probe] = &[
    // Not started.
    ends("missing", "not started", "missing").file(),
    ends("plain", "not started", "plain: not executable").file(),
    // In tier C, the shell tries to run it.
    ends("nonsense", "not started", "").ends_in_tier_c("no show").file(),
    ends("no-interpreter", "not started", "No such file or directory").file(),
    // No show, or nearly so.
    ends("gone", "no show", "exited with code 0 before it said hello"),
    ends("gone-badly", "no show", "exited with code 7 before it said hello"),
    ends("aloof", "no show", "no hello by its deadline").late(),
    ends("mute", "no show", "no hello by its deadline").late(),
    ends("half", "no show", "no hello by its deadline").late(),
    ends("other-side", "protocol", "never for its own side").late(),
    // Crash and disconnect. The arena cannot see how a program on another machine ended.
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
    // Too many lines or too many bad lines: which limit is reached first depends on when the other side moves.
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
    // Normal games.
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
    normal("read").refused(13),
    normal("attack").refused(3),
    normal("reach").refused(10),
    normal("change").refused(2),
    normal("lease").refused(4),
    normal("namespaces").refused(2).placed(ProbePlace::Namespaces),
    normal("owner").refused(4).placed(ProbePlace::OwnUser),
    normal("rights").refused(8),
    normal("mounts").refused(7).placed(ProbePlace::Namespaces),
    normal("settings").refused(5),
    normal("calls").refused(39),
];
