//! The tournament file as a whole.

use std::num::NonZeroUsize;
use std::time::Duration;

use toml::de::{DeTable, DeValue};

use super::flaw::Flaw;
use super::players::{self, Players};
use super::problem::{FileProblem, FileProblems};
use super::problem_places::KeyReader;
use super::program_keys::{ProgramDefaults, pass_env};
use super::resource_keys::resources;
use super::section::Section;
use super::{Site, features, format_keys, rules_table};
use crate::base::sanitise::is_unprintable;
use crate::exact::adjudication::Adjudication;
use crate::exact::balanced_openings;
use crate::game::{BySide, Ruleset, Side};
use crate::referee::clock::{Meter, TimeControl, whole_micros};
use crate::referee::sans_io::Endings;
use crate::tournament::{BetweenMoves, Format, GameLimits, Isolation, Player, Resources, Tournament};

const MAX_CONCURRENCY: u64 = 1_024;
const MAX_NAME: usize = 200;
/// With more plies than this, the opening decides too many games.
const MAX_OPENING_PLIES: u64 = 10;
const MAX_OUTPUT_CAP: u64 = 1 << 30;
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_hours(1);
const WEEK: Duration = Duration::from_hours(168);

/// See [`Tournament::parse`].
pub(crate) fn tournament(text: &str, default_name: &str, site: &Site<'_>) -> Result<Tournament, FileProblems> {
    let (table, syntax_errors) = DeTable::parse_recoverable(text);
    let mut reader = KeyReader::new(text);
    let read = top(&mut reader, &mut Section::new(table.get_ref()), default_name, site);
    if !syntax_errors.is_empty() {
        keep_what_is_sure(&mut reader, &syntax_errors);
    }
    match (read, FileProblems::new(reader.into_problems())) {
        (Some(tournament), None) => Ok(tournament),
        (_, Some(problems)) => Err(problems),
        (None, None) => unreachable!("a tournament is missing only where a problem was noted"),
    }
}

/// The problem with `content`, which is UTF-8 only up to byte `valid`.
pub(crate) fn not_utf8(content: &[u8], valid: usize) -> FileProblems {
    let text = String::from_utf8_lossy(&content[..valid]);
    let place = KeyReader::new(&text).place(valid);
    FileProblems::one(FileProblem { place, flaw: Flaw::NotUtf8 })
}

/// Notes the first error of the TOML parser in each line, and drops what those errors may have caused: everything missing, and
/// anything in a line that the parser did not understand.
pub(crate) fn keep_what_is_sure(reader: &mut KeyReader<'_>, syntax_errors: &[toml::de::Error]) {
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let mut errors: Vec<(usize, &str)> = syntax_errors.iter().map(|error| (start(error), error.message())).collect();
    // The first error in a line causes the others.
    errors.sort_by_key(|&(offset, _)| offset);
    errors.dedup_by_key(|&mut (offset, _)| reader.line(offset));
    let lines: Vec<usize> = errors.iter().map(|&(offset, _)| reader.line(offset)).collect();
    reader.retain(|line, flaw| !flaw.is_absence() && lines.binary_search(&line).is_err());
    for (offset, message) in errors {
        reader.note(offset, Flaw::Syntax(message.to_owned()));
    }
}

fn top(
    reader: &mut KeyReader<'_>,
    section: &mut Section<'_>,
    default_name: &str,
    site: &Site<'_>,
) -> Option<Tournament> {
    let name = sanitised_name(reader, section, "name").unwrap_or_else(|| default_name.to_owned());
    let ruleset = rules_table::ruleset(reader, section);
    let draft = format_keys::draft(reader, section);
    let seed = reader.seed(section).unwrap_or(0);
    let concurrency = reader.integer(section, "concurrency", 1..=MAX_CONCURRENCY);
    let concurrency = concurrency.and_then(|games| NonZeroUsize::new(usize::try_from(games).ok()?));
    let time_control = time_control(reader, section);
    let meter = meter(reader, section, time_control);
    let scale_time = scale_time(reader, section);
    let between_moves = reader.word(section, "between_moves", &BetweenMoves::ALL.map(|moves| (moves.name(), moves)));
    let limits = limits(reader, section);
    let endings =
        reader.word(section, "endings", &[("documented", Endings::Documented), ("compatible", Endings::Compatible)]);
    let adjudicate = adjudicate(reader, section, ruleset);
    let (opening_plies, balanced) = openings(reader, section);
    let listen = reader.address(section, "listen");
    let isolation = reader.word(section, "isolation", &Isolation::ALL.map(|isolation| (isolation.name(), isolation)));
    let affinity = reader.boolean(section, "affinity").unwrap_or(true);
    let resources = resources(reader, section, Resources::default());
    let build_network = reader.boolean(section, "build_network").unwrap_or(false);
    let defaults = ProgramDefaults { resources, pass_env: pass_env(reader, section), build_network };
    let needs = players::Needs {
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
    let players = players::all(reader, section, needs, &defaults);
    rules_table::misplaced_keys(reader, section, ruleset);
    // What a rule set for more than two seats lacks besides is no advice: nobody can play it here.
    if ruleset.require_two_seats().is_ok() {
        features::refuse_missing(reader, section, |feature| ruleset.require(feature));
        if let Err(missing) = ruleset.gtp_form() {
            features::refuse_engines(reader, section, missing);
        }
    }
    let Players { list: players, challengers, sides } = players?;
    let format = draft.and_then(|draft| draft.of(reader, section, &challengers));
    let (endings, format, players) = (endings.unwrap_or_default(), format?, players?);
    sides_fit(reader, &format, &players, &sides);
    Some(Tournament {
        name,
        ruleset,
        format,
        seed,
        concurrency,
        time_control,
        meter,
        scale_time,
        between_moves: between_moves.unwrap_or_default(),
        limits,
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

/// A player with a single side needs a format in which it need not change colours, and somebody to play with.
fn sides_fit(reader: &mut KeyReader<'_>, format: &Format, players: &[Player], offsets: &[Option<usize>]) {
    let sided =
        || players.iter().zip(offsets).filter_map(|(player, offset)| Some((player, player.only_side.and(*offset)?)));
    match format {
        Format::RoundRobin { .. } | Format::Gauntlet { .. } => {
            // Of any two groups that meet, one has a player that plays the other side, unless all play the same one.
            let first = players.first().and_then(|player| player.only_side);
            let has_game = first.is_none() || players.iter().any(|player| player.only_side != first);
            if let Some((player, offset)) = sided().next().filter(|_| !has_game) {
                reader.note(offset, Flaw::NobodyMeets { side: player.only_side.unwrap_or(Side::Black) });
            }
        }
        Format::Swiss { .. } | Format::Knockout { .. } | Format::Sprt { .. } => {
            for (player, offset) in sided() {
                reader.note(
                    offset,
                    Flaw::SidesInFormat { player: player.name.clone(), format: format_keys::name_of(format) },
                );
            }
        }
    }
}

/// `adjudicate = { nodes = 200000, after_ply = 22 }`, each key with a default. Seegover has a table in place of nodes.
fn adjudicate(reader: &mut KeyReader<'_>, section: &mut Section<'_>, ruleset: Ruleset) -> Option<Adjudication> {
    let expected = match ruleset {
        Ruleset::Gothello | Ruleset::Quantum(_) => "a table such as { nodes = 200000, after_ply = 22 }",
        Ruleset::Seegover(_) => "a table such as { after_ply = 30 }",
    };
    let value = section.get("adjudicate")?;
    let DeValue::Table(adjudicate) = value.get_ref() else {
        reader.wrong_type("adjudicate", value, expected);
        return None;
    };
    let mut section = Section::new(adjudicate);
    let nodes = reader.integer(&mut section, "nodes", Adjudication::NODES);
    let (first, last) = Adjudication::AFTER_PLY.into_inner();
    let after_ply = reader.integer(&mut section, "after_ply", first.into()..=last.into());
    reader.unknown_keys(&section);
    let after_ply = after_ply.map_or(Some(Adjudication::default().after_ply()), |ply| u32::try_from(ply).ok())?;
    match (ruleset, nodes) {
        (Ruleset::Gothello, nodes) => Adjudication::new(nodes.unwrap_or(Adjudication::DEFAULT_NODES), after_ply),
        (Ruleset::Seegover(_), None) => Adjudication::by_table(after_ply),
        // The check of features has refused the key.
        (Ruleset::Quantum(_), _) => None,
        (Ruleset::Seegover(_), Some(_)) => {
            reader.note(section.key_offset("nodes"), Flaw::NoNodes);
            None
        }
    }
}

/// The number of plies in `openings = { plies = 2, balanced = true }`, 0 without the key, and whether the openings are balanced.
fn openings(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> (u32, bool) {
    const EXPECTED: &str = "a table such as { plies = 2 }";
    let Some(value) = section.get("openings") else {
        return (0, false);
    };
    let DeValue::Table(openings) = value.get_ref() else {
        reader.wrong_type("openings", value, EXPECTED);
        return (0, false);
    };
    let mut section = Section::new(openings);
    if !section.has("plies") {
        reader.note(value.span().start, Flaw::MissingPlies);
    }
    let plies = reader.integer(&mut section, "plies", 1..=MAX_OPENING_PLIES);
    let plies = plies.and_then(|plies| u32::try_from(plies).ok()).unwrap_or(0);
    let balanced = reader.boolean(&mut section, "balanced").unwrap_or(false);
    reader.unknown_keys(&section);
    if balanced && plies > 0 {
        let at = section.key_offset("balanced");
        if !balanced_openings::PLIES.contains(&plies) {
            reader.note(at, Flaw::BalancedPlies { plies, most: *balanced_openings::PLIES.end() });
        } else if let Err(unknown) = balanced_openings::balanced(plies) {
            reader.note(at, Flaw::BalancedUnknown(unknown));
        }
    }
    (plies, balanced)
}

/// The name or title at `key`, which must be printable.
pub(crate) fn sanitised_name(
    reader: &mut KeyReader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
) -> Option<String> {
    let name = reader.text(section, key, "a string such as \"CS 441 final\"")?;
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
fn time_control(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> TimeControl {
    // Less than a second would be 0 in the protocol's whole seconds.
    let range = SECOND..=WEEK;
    let both = reader.duration(section, "time", range.clone());
    let black = reader.duration(section, "black_time", range.clone());
    let white = reader.duration(section, "white_time", range);
    for (key, other) in [("black_time", "white_time"), ("white_time", "black_time")] {
        if !section.has(key) {
            continue;
        }
        if section.has("time") {
            reader.note(section.key_offset(key), Flaw::Excluding { key, other: "time" });
        } else if !section.has(other) {
            reader.note(section.key_offset(key), Flaw::OneClock { key, other });
        }
    }
    match (both, black, white) {
        (Some(time), _, _) => TimeControl::sudden_death(BySide { black: time, white: time }),
        (None, Some(black), Some(white)) => TimeControl::sudden_death(BySide { black, white }),
        _ => TimeControl::Unlimited,
    }
}

/// The default of `wall_limit`, as a multiple of the CPU time: more than the load of any machine that is fit to play on.
const WALL_FACTOR: u32 = 10;

/// What the clocks count: `clock`, and with CPU time `wall_limit`.
fn meter(reader: &mut KeyReader<'_>, section: &mut Section<'_>, time_control: TimeControl) -> Meter {
    let counts_cpu = reader.word(section, "clock", &[("wall", false), ("cpu", true)]).unwrap_or(false);
    let wall_limit = reader.duration(section, "wall_limit", SECOND..=WEEK).map(whole_micros);
    if !counts_cpu {
        if section.has("wall_limit") {
            reader.note(section.key_offset("wall_limit"), Flaw::WallLimitWithoutCpu);
        }
        return Meter::Wall;
    }
    let TimeControl::SuddenDeath(times) = time_control else {
        if !has_clocks(section) {
            reader.note(section.key_offset("clock"), Flaw::CpuWithoutTime);
        }
        return Meter::Wall;
    };
    Meter::Cpu { wall_limit: times.map(|time| wall_limit.unwrap_or(time * WALL_FACTOR)) }
}

/// Whether the file says anything about clocks, right or wrong.
fn has_clocks(section: &Section<'_>) -> bool {
    ["time", "black_time", "white_time"].iter().any(|key| section.has(key))
}

/// Whether workers scale the clocks, which there must be.
fn scale_time(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> bool {
    let scales = reader.boolean(section, "scale_time").unwrap_or(false);
    if scales && !has_clocks(section) {
        reader.note(section.key_offset("scale_time"), Flaw::ScaleWithoutTime);
    }
    scales
}

fn limits(reader: &mut KeyReader<'_>, section: &mut Section<'_>) -> GameLimits {
    let default = GameLimits::default();
    let instant = Duration::from_millis(100);
    GameLimits {
        illegal_tries: reader.tries(section, "illegal_tries", default.illegal_tries),
        garbled_tries: reader.tries(section, "garbled_tries", default.garbled_tries),
        hello_timeout: reader.duration(section, "hello_timeout", instant..=HOUR).unwrap_or(default.hello_timeout),
        void_retries: reader
            .integer(section, "void_retries", 0..=100)
            .and_then(|retries| u32::try_from(retries).ok())
            .unwrap_or(default.void_retries),
        join_timeout: reader.duration(section, "join_timeout", SECOND..=WEEK).unwrap_or(default.join_timeout),
        build_timeout: reader.duration(section, "build_timeout", SECOND..=WEEK).unwrap_or(default.build_timeout),
        game_limit: reader.duration_or_unlimited(section, "game_limit", SECOND..=WEEK, default.game_limit),
        quit_timeout: reader.duration(section, "quit_timeout", Duration::ZERO..=HOUR).unwrap_or(default.quit_timeout),
        output_cap: reader
            .size(section, "output_cap", 0..=MAX_OUTPUT_CAP)
            .and_then(|bytes| usize::try_from(bytes).ok())
            .unwrap_or(default.output_cap),
    }
}
