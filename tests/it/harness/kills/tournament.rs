//! The tournaments of campaigns, one for each format: twenty short games or fewer.

use std::fs;
use std::path::Path;

use crate::harness::arena::{UNEQUAL_CONTROL, program, unequal_clocks};

/// Who plays whom. Every format but [`Format::Seegover`] is one of the arena's, with the rules of Gothello, or of
/// Quantum Gothello for groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    RoundRobin,
    Swiss,
    Knockout,
    Sprt,
    /// A round robin under the rules of Seegover.
    Seegover,
    /// Tables of four.
    Group,
}

impl Format {
    const fn keys(self) -> &'static str {
        match self {
            Self::RoundRobin => concat!("rounds = 1\n", unequal_clocks!()),
            Self::Swiss => "format = \"swiss\"\nrounds = 5\ntime = \"2s, 3 x 10s\"\n",
            Self::Knockout => "format = \"knockout\"\npairs = 3\nopenings = { plies = 2 }\n",
            Self::Sprt => "format = \"sprt\"\nmax_pairs = 10\n",
            Self::Seegover => "ruleset = \"seegover\"\nrounds = 1\n",
            Self::Group => "format = \"group\"\nruleset = \"quantum-8-4p\"\ntables = \"all\"\n",
        }
    }

    /// The clocks of every game, as in a log.
    pub(super) const fn time_control(self) -> Option<&'static str> {
        match self {
            Self::RoundRobin => Some(UNEQUAL_CONTROL),
            Self::Swiss => Some("2:3x10"),
            _ => None,
        }
    }
}

/// The table of a player that drops out of every game at its start.
const GONE: &str = "[[player]]\nname = \"gone\"\ntransport = \"stdio\"\ncommand = [\"sh\", \"-c\", \"exit 3\"]\n";

/// A tournament of seeded bots, which play the same games every time.
pub(super) struct Tournament {
    pub(super) format: Format,
    pub(super) seed: u64,
    /// Whether its games end in the same order every time, so that a sequential test can come to its verdict early.
    pub(super) is_in_order: bool,
}

impl Tournament {
    /// Writes into `dir` the file `class.toml`, and the bot that it names.
    pub(super) fn write(&self, dir: &Path) {
        let (is_sprt, program, seed) = (self.format == Format::Sprt, program(), self.seed);
        // A sequential test plays one game at a time, so that it starts no game that its verdict makes unnecessary.
        let (concurrency, others, rest) = match self.format {
            Format::Sprt => (1, 1, ""),
            Format::Group => (2, 3, GONE),
            _ => (2, 4, ""),
        };
        let verdict = if is_sprt && self.is_in_order { "elo1 = 400\n" } else { "" };
        let keys = format!(
            "concurrency = {concurrency}\nseed = {seed}\naffinity = false\nvoid_retries = 100\n{}{verdict}",
            self.format.keys()
        );
        let bot = format!(
            "[[player]]\nname = \"program\"\ndir = \"bot\"\nreadable = [\"{program}\"]\nopenings = true\n\
             command = [\"sh\", \"bot.sh\", \"{{side}}\", \"{{host}}\", \"{{port}}\", \"{{seed}}\"]\n"
        );
        let builtin = |(name, kind): (&str, &str)| format!("[[player]]\nname = \"{name}\"\nbuiltin = {kind}\n");
        let all = [
            ("random", "\"random\""),
            ("greedy", "\"greedy\""),
            ("deep", "\"alphabeta\"\ndepth = 1"),
            ("other", "\"random\""),
        ];
        let others = all[..others].iter().copied().map(builtin).collect::<String>() + rest;
        fs::write(dir.join("class.toml"), format!("{keys}{bot}{others}")).expect("written");
        fs::create_dir_all(dir.join("bot")).expect("made");
        let script = format!("exec '{program}' bot random --side $1 --host $2 --port $3 --seed $4\n");
        fs::write(dir.join("bot/bot.sh"), script).expect("written");
    }
}
