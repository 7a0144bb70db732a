//! The tournament file as a whole.

use std::num::NonZeroUsize;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::player::Players;
use super::problem::{Flaw, Problem, Problems};
use super::read::Reader;
use super::{BetweenMoves, Endings, GameLimits, Isolation, PlayerKind, Resources, Site, Tournament, format, player};
use crate::base::printable::is_unprintable;
use crate::exact::adjudication::Adjudication;
use crate::exact::balance;
use crate::game::rules::{BySide, Ruleset};
use crate::referee::clock::{Meter, TimeControl, whole_micros};

/// The keys at the top of the file. `rounds` and those at the end are of formats.
const KEYS: &[&str] = &[
    "name",
    "ruleset",
    "format",
    "rounds",
    "seed",
    "concurrency",
    "time",
    "black_time",
    "white_time",
    "clock",
    "wall_limit",
    "between_moves",
    "game_limit",
    "illegal_tries",
    "garbled_tries",
    "hello_timeout",
    "join_timeout",
    "void_retries",
    "build_timeout",
    "quit_timeout",
    "output_cap",
    "isolation",
    "affinity",
    "memory",
    "processes",
    "cpu",
    "scratch",
    "open_files",
    "output",
    "pass_env",
    "build_network",
    "endings",
    "adjudicate",
    "openings",
    "listen",
    "player",
    "games",
    "pairs",
    "elo0",
    "elo1",
    "alpha",
    "beta",
    "max_pairs",
];

/// The most that a seed can be: TOML has no greater numbers.
pub(super) const MAX_SEED: u64 = i64::MAX as u64;

const MAX_CONCURRENCY: u64 = 1_024;
const MAX_NAME: usize = 200;
/// Later than this, a game is decided too often before it has begun.
const MAX_OPENING_PLIES: u64 = 10;
const MAX_OUTPUT_CAP: u64 = 1 << 30;
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);
const WEEK: Duration = Duration::from_hours(168);

/// See [`Tournament::parse`].
pub(super) fn tournament(text: &str, default_name: &str, site: &Site<'_>) -> Result<Tournament, Problems> {
    let (table, syntax_errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader::new(text);
    let read = top(&mut reader, table.get_ref(), default_name, site);
    if !syntax_errors.is_empty() {
        keep_what_is_sure(&mut reader, &syntax_errors);
    }
    match (read, Problems::new(reader.into_problems())) {
        (Some(tournament), None) => Ok(tournament),
        (_, Some(problems)) => Err(problems),
        (None, None) => unreachable!("a tournament is missing only where a problem was noted"),
    }
}

/// The problem of `content` that is UTF-8 only up to byte `valid`.
pub(super) fn not_utf8(content: &[u8], valid: usize) -> Problems {
    let text = String::from_utf8_lossy(&content[..valid]);
    let place = Reader::new(&text).place(valid);
    Problems::one(Problem { place, flaw: Flaw::NotUtf8 })
}

/// Notes the errors of the TOML parser, the first in each line, and drops what may be their consequence: that something is missing, and
/// anything in a line that was not understood.
fn keep_what_is_sure(reader: &mut Reader<'_>, syntax_errors: &[toml::de::Error]) {
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let mut errors: Vec<(usize, &str)> = syntax_errors.iter().map(|error| (start(error), error.message())).collect();
    // Further errors in a line come of the first.
    errors.sort_by_key(|&(offset, _)| offset);
    errors.dedup_by_key(|&mut (offset, _)| reader.line(offset));
    let lines: Vec<usize> = errors.iter().map(|&(offset, _)| reader.line(offset)).collect();
    reader.retain(|line, flaw| !flaw.is_absence() && lines.binary_search(&line).is_err());
    for (offset, message) in errors {
        reader.note(offset, Flaw::Syntax(message.to_owned()));
    }
}

fn top(reader: &mut Reader<'_>, table: &DeTable<'_>, default_name: &str, site: &Site<'_>) -> Option<Tournament> {
    reader.unknown_keys(table, KEYS);
    let name = name(reader, table).unwrap_or_else(|| default_name.to_owned());
    let ruleset = reader.word(table, "ruleset", &[(Ruleset::Gothello.name(), Ruleset::Gothello)]).unwrap_or_default();
    let draft = format::draft(reader, table);
    let seed = reader.integer(table, "seed", 0..=MAX_SEED).unwrap_or(0);
    let concurrency = reader.integer(table, "concurrency", 1..=MAX_CONCURRENCY);
    let concurrency = concurrency.and_then(|games| NonZeroUsize::new(usize::try_from(games).ok()?));
    let time_control = time_control(reader, table);
    let meter = meter(reader, table, time_control);
    let between_moves =
        reader.word(table, "between_moves", &[("run", BetweenMoves::Run), ("freeze", BetweenMoves::Freeze)]);
    let limits = limits(reader, table);
    let endings =
        reader.word(table, "endings", &[("documented", Endings::Documented), ("compatible", Endings::Compatible)]);
    let adjudicate = adjudicate(reader, table);
    let (opening_plies, balanced) = openings(reader, table);
    let listen = reader.address(table, "listen");
    let isolation = reader.word(
        table,
        "isolation",
        &[("require", Isolation::Require), ("auto", Isolation::Auto), ("off", Isolation::Off)],
    );
    let affinity = reader.boolean(table, "affinity").unwrap_or(true);
    let resources = resources(reader, table, Resources::default());
    let build_network = reader.boolean(table, "build_network").unwrap_or(false);
    let shared = player::Shared { resources, pass_env: player::pass_env(reader, table), build_network };
    let needs = player::Needs {
        site,
        public: listen,
        openings: opening_plies > 0,
        processes: [
            (meter != Meter::Wall).then_some("clock = \"cpu\""),
            (between_moves == Some(BetweenMoves::Freeze)).then_some("between_moves = \"freeze\""),
        ]
        .into_iter()
        .flatten()
        .next(),
    };
    let Players { players, challengers } = player::all(reader, table, needs, &shared)?;
    let format = draft.and_then(|draft| draft.of(reader, table, &challengers));
    let (endings, format, players) = (endings.unwrap_or_default(), format?, players?);
    Some(Tournament {
        name,
        ruleset,
        format,
        seed,
        concurrency,
        time_control,
        meter,
        between_moves: between_moves.unwrap_or_default(),
        limits,
        default_tries: !table.contains_key("illegal_tries"),
        endings,
        adjudicate,
        opening_plies,
        balanced,
        affinity,
        isolation: isolation.unwrap_or_default(),
        listen,
        players,
    })
}

/// `adjudicate = { nodes = 200000, after_ply = 10 }`, each of the two with a default.
fn adjudicate(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<Adjudication> {
    const EXPECTED: &str = "a table such as { nodes = 200000, after_ply = 10 }";
    let value = table.get("adjudicate")?;
    let DeValue::Table(adjudicate) = value.get_ref() else {
        reader.wrong_type("adjudicate", value, EXPECTED);
        return None;
    };
    reader.unknown_keys(adjudicate, &["nodes", "after_ply"]);
    let default = Adjudication::default();
    let nodes = reader.integer(adjudicate, "nodes", Adjudication::NODES).unwrap_or(default.nodes());
    let (first, last) = Adjudication::AFTER_PLY.into_inner();
    let after_ply = reader.integer(adjudicate, "after_ply", first.into()..=last.into());
    let after_ply = after_ply.map_or(Some(default.after_ply()), |ply| u32::try_from(ply).ok())?;
    Adjudication::new(nodes, after_ply)
}

/// The number of plies in `openings = { plies = 2, balanced = true }`, 0 where there is none, and whether it is balanced.
fn openings(reader: &mut Reader<'_>, table: &DeTable<'_>) -> (u32, bool) {
    const EXPECTED: &str = "a table such as { plies = 2 }";
    let Some(value) = table.get("openings") else {
        return (0, false);
    };
    let DeValue::Table(openings) = value.get_ref() else {
        reader.wrong_type("openings", value, EXPECTED);
        return (0, false);
    };
    reader.unknown_keys(openings, &["plies", "balanced"]);
    if !openings.contains_key("plies") {
        reader.note(value.span().start, Flaw::MissingPlies);
    }
    let plies = reader.integer(openings, "plies", 1..=MAX_OPENING_PLIES);
    let plies = plies.and_then(|plies| u32::try_from(plies).ok()).unwrap_or(0);
    let balanced = reader.boolean(openings, "balanced").unwrap_or(false);
    if balanced && plies > 0 {
        let at = Reader::key_offset(openings, "balanced");
        if !balance::PLIES.contains(&plies) {
            reader.note(at, Flaw::BalancedPlies { plies, most: *balance::PLIES.end() });
        } else if let Err(unknown) = balance::balanced(plies) {
            reader.note(at, Flaw::BalancedUnknown(unknown));
        }
    }
    (plies, balanced)
}

fn name(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<String> {
    let name = reader.text(table, "name", "a string such as \"CS 441 final\"")?;
    let key = name.key.to_owned();
    let flaw = if name.content.trim().is_empty() {
        Flaw::Empty { key, example: "" }
    } else if name.content.chars().any(is_unprintable) {
        Flaw::ControlCharacter { key }
    } else if name.content.chars().count() > MAX_NAME {
        Flaw::TooLong { key, most: MAX_NAME }
    } else {
        return Some(name.content.to_owned());
    };
    reader.note(name.span.start, flaw);
    None
}

/// The clocks: `time` for both sides, or one key for each.
fn time_control(reader: &mut Reader<'_>, table: &DeTable<'_>) -> TimeControl {
    // Less than a second would be 0 in the protocol's whole seconds.
    let range = SECOND..=WEEK;
    let both = reader.duration(table, "time", range.clone());
    let black = reader.duration(table, "black_time", range.clone());
    let white = reader.duration(table, "white_time", range);
    for (key, other) in [("black_time", "white_time"), ("white_time", "black_time")] {
        if !table.contains_key(key) {
            continue;
        }
        if table.contains_key("time") {
            reader.note(Reader::key_offset(table, key), Flaw::Excluding { key, other: "time" });
        } else if !table.contains_key(other) {
            reader.note(Reader::key_offset(table, key), Flaw::OneClock { key, other });
        }
    }
    match (both, black, white) {
        (Some(time), _, _) => TimeControl::sudden_death(BySide { black: time, white: time }),
        (None, Some(black), Some(white)) => TimeControl::sudden_death(BySide { black, white }),
        _ => TimeControl::Unlimited,
    }
}

/// How much more time than CPU time may pass where nothing is said: more than the load of any machine that is fit to play on.
const WALL_FACTOR: u32 = 10;

/// What the clocks count: `clock`, and `wall_limit` where it is CPU time.
fn meter(reader: &mut Reader<'_>, table: &DeTable<'_>, time_control: TimeControl) -> Meter {
    let counts_cpu = reader.word(table, "clock", &[("wall", false), ("cpu", true)]).unwrap_or(false);
    let wall_limit = reader.duration(table, "wall_limit", SECOND..=WEEK).map(whole_micros);
    if !counts_cpu {
        if table.contains_key("wall_limit") {
            reader.note(Reader::key_offset(table, "wall_limit"), Flaw::WallLimitWithoutCpu);
        }
        return Meter::Wall;
    }
    let TimeControl::SuddenDeath(times) = time_control else {
        if !["time", "black_time", "white_time"].iter().any(|key| table.contains_key(*key)) {
            reader.note(Reader::key_offset(table, "clock"), Flaw::CpuWithoutTime);
        }
        return Meter::Wall;
    };
    Meter::Cpu { wall_limit: times.map(|time| wall_limit.unwrap_or(time * WALL_FACTOR)) }
}

fn limits(reader: &mut Reader<'_>, table: &DeTable<'_>) -> GameLimits {
    let default = GameLimits::default();
    let instant = Duration::from_millis(100);
    GameLimits {
        illegal_tries: reader.tries(table, "illegal_tries", default.illegal_tries),
        garbled_tries: reader.tries(table, "garbled_tries", default.garbled_tries),
        hello_timeout: reader.duration(table, "hello_timeout", instant..=HOUR).unwrap_or(default.hello_timeout),
        void_retries: reader
            .integer(table, "void_retries", 0..=100)
            .and_then(|retries| u32::try_from(retries).ok())
            .unwrap_or(default.void_retries),
        join_timeout: reader.duration(table, "join_timeout", SECOND..=WEEK).unwrap_or(default.join_timeout),
        build_timeout: reader.duration(table, "build_timeout", SECOND..=WEEK).unwrap_or(default.build_timeout),
        game_limit: reader.duration_or_unlimited(table, "game_limit", SECOND..=WEEK, default.game_limit),
        quit_timeout: reader.duration(table, "quit_timeout", Duration::ZERO..=HOUR).unwrap_or(default.quit_timeout),
        output_cap: reader
            .size(table, "output_cap", 0..=MAX_OUTPUT_CAP)
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(default.output_cap),
    }
}

/// What a bot may use up, at the top of the file or of one player; `default` where nothing is said.
pub(super) fn resources(reader: &mut Reader<'_>, table: &DeTable<'_>, default: Resources) -> Resources {
    const MIB: u64 = 1 << 20;
    const TIB: u64 = 1 << 40;
    Resources {
        memory: reader.size(table, "memory", 16 * MIB..=TIB).unwrap_or(default.memory),
        processes: reader.integer(table, "processes", 1..=100_000).unwrap_or(default.processes),
        cpu: reader.duration(table, "cpu", SECOND..=WEEK).or(default.cpu),
        scratch: reader.size(table, "scratch", MIB..=TIB).unwrap_or(default.scratch),
        open_files: reader.integer(table, "open_files", 16..=1_000_000).unwrap_or(default.open_files),
        output: reader.size(table, "output", MIB..=TIB).unwrap_or(default.output),
    }
}

impl Tournament {
    /// Whether any player comes by name and token, so that the public address is needed.
    pub fn needs_public_address(&self) -> bool {
        self.players.iter().any(|player| matches!(&player.kind, PlayerKind::Remote(remote) if remote.token.is_some()))
    }
}
