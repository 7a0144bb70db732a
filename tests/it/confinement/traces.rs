//! Whatever a bot leaves behind in a game, it does not find in its next game. docs/reference/confinement.md contains the
//! same table in words.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use crate::confinement::probes::{MARK, Memory, Way, compiled, marked, probe};
use crate::harness::arena::{Arena, text};
use crate::harness::waiting::InTime as _;

/// What becomes of a trace that a bot tries to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It is left, the bot's other processes see it, and it ends with the game.
    Ends,
    /// As `Ends` if a control group counts the bot's memory, and otherwise refused.
    EndsIfCounted,
    /// As `Ends` if the machine has several cores, and otherwise refused.
    EndsWithCores,
    /// It is refused.
    Refused,
    /// The kernel's features, or the priority of the tests, decide whether it is left. If it is, it ends with the game.
    Either,
    /// The next game may see it.
    Stays,
}

use Fate::{Either, Ends, EndsIfCounted, EndsWithCores, Refused, Stays};

/// The traces of `tests/probes/traces.c`, each with its fate in namespaces (tiers A and B) and without (tier C).
const TRACES: [(&str, Fate, Fate); 43] = [
    ("scratch-file", Ends, Ends),
    ("home-file", Ends, Ends),
    ("tmp-file", Ends, Refused),
    ("var-tmp-file", Refused, Refused),
    ("shm-file", Ends, Refused),
    ("own-file", Refused, Refused),
    ("fifo", Ends, Ends),
    ("scratch-space", Ends, Refused),
    ("file-mode", Refused, Refused),
    ("file-time", Refused, Refused),
    ("file-flags", Refused, Refused),
    ("file-attribute", Refused, Refused),
    ("device-time", Refused, Refused),
    ("access-time", Refused, Stays),
    ("sysv-memory", EndsIfCounted, Refused),
    ("sysv-semaphore", EndsIfCounted, Refused),
    ("sysv-messages", EndsIfCounted, Refused),
    ("posix-semaphore", Ends, Refused),
    ("posix-queue", Either, Refused),
    ("key", Refused, Refused),
    ("abstract-socket", Ends, Refused),
    ("path-socket", Ends, Refused),
    ("listener", Ends, Refused),
    ("time-wait", Ends, Stays),
    ("network-counter", Ends, Stays),
    ("process", Ends, Ends),
    ("stopped-process", Ends, Ends),
    ("flock", Ends, Ends),
    ("record-lock", Ends, Ends),
    ("descriptor-lock", Ends, Ends),
    ("lease", Refused, Refused),
    ("limit", Ends, Ends),
    ("umask", Ends, Ends),
    ("priority", Either, Either),
    ("scheduler", Ends, Ends),
    ("cores", EndsWithCores, EndsWithCores),
    ("personality", Ends, Ends),
    ("timer-slack", Ends, Ends),
    ("oom-score", Refused, Refused),
    ("user-id", Refused, Refused),
    ("host-name", Refused, Refused),
    ("variable", Ends, Ends),
    ("directory", Ends, Ends),
];

/// More memory than a game of the bot uses, and less than the bot uses as black in addition to that.
const MUCH_MEMORY: u64 = 48 << 20;

impl Fate {
    /// The fate under `way`: `Ends`, `Refused`, `Either` or `Stays`.
    fn under(self, way: Way) -> Self {
        let ends = match self {
            EndsIfCounted => way.memory == Memory::Counted,
            EndsWithCores => std::thread::available_parallelism().is_ok_and(|cores| cores.get() > 1),
            fate => return fate,
        };
        if ends { Ends } else { Refused }
    }
}

/// The bot's program, compiled once.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<(tempfile::TempDir, PathBuf)> = OnceLock::new();
    &PROGRAM.get_or_init(|| compiled("traces")).1
}

/// A tournament in which the bot plays two games, one after the other, and the mark of its processes.
fn tournament(way: Way) -> (Arena, String) {
    let arena = Arena::new("");
    let path = |name: &str| arena.path().join(name);
    let (mark, since) = (arena.path().display().to_string(), SystemTime::UNIX_EPOCH.elapsed().expect("after 1970"));
    let toml = format!(
        "isolation = \"{}\"\nseed = 3\nconcurrency = 1\naffinity = false\nquit_timeout = \"300ms\"\nhello_timeout = \"60s\"\n\
         [[player]]\nname = \"one\"\nbuiltin = \"random\"\n\
         [[player]]\nname = \"traces\"\ndir = \"bot\"\nreadable = [\"{1}/unread\"]\n\
         command = [\"./traces\", \"{{side}}\", \"{{host}}\", \"{{port}}\"]\n\
         env = {{ {MARK} = \"{1}\", TRACES_SINCE = \"{2}\", TRACES_UNREAD = \"{1}/unread\", TRACES_TAG = \"{3}\" }}\n",
        way.isolation(),
        mark,
        since.as_secs(),
        &mark[mark.len() - 6..]
    );
    fs::write(path("class.toml"), toml).expect("written");
    for dir in ["bot", "scratch"] {
        fs::create_dir(path(dir)).expect("made");
    }
    fs::copy(program(), path("bot/traces")).expect("copied");
    fs::copy(probe(), path("bot/probe")).expect("copied");
    for file in ["bot/shared", "unread"] {
        fs::write(path(file), "a file\n").expect("written");
        fs::set_permissions(path(file), Permissions::from_mode(0o644)).expect("set");
    }
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    let unread = File::options().write(true).open(path("unread")).expect("there");
    unread.set_times(FileTimes::new().set_accessed(long_ago)).expect("set");
    for name in ["", "class.toml", "unread", "scratch", "bot", "bot/shared", "bot/traces", "bot/probe"] {
        way.user.give(&path(name));
    }
    (arena, mark)
}

/// The traces named on the lines of `said` that begin with `words`.
fn named<'a>(said: &'a str, words: &str) -> BTreeSet<&'a str> {
    said.lines().filter_map(|line| line.strip_prefix(words)?.split_whitespace().next()).collect()
}

/// Everything that is wrong with a game in which the bot printed `said`.
fn faults(way: Way, said: &str) -> Vec<String> {
    let [found, left, refused, seen] =
        ["first: found ", "left ", "refused ", "then: found "].map(|words| named(said, words));
    let mut wrong = Vec::new();
    let mut tell = |is_wrong: bool, name: &str, what: &str| {
        if is_wrong {
            wrong.push(format!("{name}: {what}"));
        }
    };
    for (name, in_namespaces, without) in TRACES {
        let fate = if way.tier == "C" { without } else { in_namespaces }.under(way);
        tell(left.contains(name) == refused.contains(name), name, "was not tried");
        tell(found.contains(name) && fate != Stays, name, "was there when the game began");
        tell(left.contains(name) && fate == Refused, name, "was not refused");
        tell(refused.contains(name) && fate == Ends, name, "was refused");
        tell(left.contains(name) != seen.contains(name) && fate != Stays, name, "was left, but not seen");
    }
    let known: BTreeSet<&str> = TRACES.iter().map(|(name, ..)| *name).collect();
    wrong.extend(left.union(&refused).filter(|name| !known.contains(**name)).map(|name| format!("{name}: unknown")));
    wrong
}

/// Plays two games of the bot in each of the ways to run the arena in `tier`.
fn nothing_is_found_in(tier: &'static str) {
    for way in Way::all(tier) {
        let (arena, mark) = tournament(way);
        let mut command = arena.command(&["run", "class.toml", "--out", "out"]);
        command.env("TMPDIR", arena.path().join("scratch"));
        let output = way.act(&mut command, |command| command.output_in_time().expect("the program starts"));
        assert_eq!(output.status.code(), Some(0), "{way:?}: {}", text(&output.stderr));
        assert_eq!(marked(&mark), [""; 0], "{way:?}");
        assert_eq!(fs::read_dir(arena.path().join("scratch")).expect("there").count(), 0, "{way:?}");
        let rows = arena.results();
        let sides: Vec<&str> =
            rows.iter().map(|row| if row["black"] == "traces" { "black" } else { "white" }).collect();
        assert_eq!(sides, ["black", "white"]);
        for (row, side) in rows.iter().zip(sides) {
            assert_eq!(row["termination"], "normal", "{way:?}: {row:?}");
            let record = arena.record(&row["game"]);
            assert!(record.other_tags.iter().any(|(tag, value)| tag == "Isolation" && value == way.tier), "{way:?}");
            let said = fs::read_to_string(arena.out().join(format!("games/{}.{side}.stderr", row["game"])));
            let said = said.expect("there");
            assert_eq!(faults(way, &said), [""; 0], "{way:?}, {side}:\n{said}");
            // The first game's peak of memory is not in the second game's figure.
            let usage = if side == "black" { record.usage.black } else { record.usage.white };
            let peak = usage.expect("counted").peak_memory;
            assert_eq!(peak > MUCH_MEMORY, side == "black", "{way:?}: {peak} bytes as {side}");
        }
    }
}

#[test]
fn nothing_reaches_the_next_game_in_namespaces_as_root() {
    nothing_is_found_in("A");
}

#[test]
fn nothing_reaches_the_next_game_in_namespaces_as_an_ordinary_user() {
    nothing_is_found_in("B");
}

#[test]
fn nothing_but_what_the_host_shows_reaches_the_next_game_without_namespaces() {
    nothing_is_found_in("C");
}
