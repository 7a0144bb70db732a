//! The tournament file as a whole.

use std::num::NonZeroUsize;

use toml::de::DeTable;

use super::flaw::Flaw;
use super::format_keys::FormatDraft;
use super::key::FileKey;
use super::key_kinds::OwnReader;
use super::keys::inner_tables;
use super::keys::top::{self, MAX_NAME};
use super::players::{self, Players};
use super::problem::{FileProblem, FileProblems};
use super::problem_places::KeyReader;
use super::program_keys::{ProgramDefaults, pass_env};
use super::resource_keys::resources;
use super::rules_table::{self, GivenRules};
use super::section::Section;
use super::{Site, clocks, features, format_keys, ladder_table, seats};
use crate::base::sanitise::is_unprintable;
use crate::exact::adjudication::Adjudication;
use crate::exact::balanced_openings;
use crate::game::{Feature, Ruleset, Side};
use crate::referee::clock::Meter;
use crate::tournament::ladder::Ladder;
use crate::tournament::{BetweenMoves, Format, GameLimits, Player, Resources, Tournament};

/// See [`Tournament::parse`].
pub(crate) fn tournament(text: &str, default_name: &str, site: &Site<'_>) -> Result<Tournament, FileProblems> {
    let (table, syntax_errors) = DeTable::parse_recoverable(text);
    let mut reader = KeyReader::new(text);
    let read = top(&mut reader, &Section::new(table.get_ref(), top::TOP_KEYS), default_name, site);
    if !syntax_errors.is_empty() {
        keep_what_is_sure(&mut reader, &syntax_errors);
    }
    match (read, FileProblems::new(reader.into_problems())) {
        (Some(tournament), None) => Ok(tournament),
        (_, Some(problems)) => Err(problems),
        (None, None) => unreachable!("a tournament is missing only where a problem was noted"),
    }
}

/// The problem with `content`, which is valid UTF-8 only up to byte `valid`.
pub(crate) fn not_utf8(content: &[u8], valid: usize) -> FileProblems {
    let text = String::from_utf8_lossy(&content[..valid]);
    let place = KeyReader::new(&text).place(valid);
    FileProblems::one(FileProblem { place, flaw: Flaw::NotUtf8 })
}

/// Records the first error of the TOML parser on each line, and drops the problems that those errors may have caused:
/// everything that seems to be missing, and everything on a line that the parser did not understand.
pub(crate) fn keep_what_is_sure(reader: &mut KeyReader<'_>, syntax_errors: &[toml::de::Error]) {
    let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    let mut errors: Vec<(usize, &str)> = syntax_errors.iter().map(|error| (start(error), error.message())).collect();
    // The first error on a line usually causes the others.
    errors.sort_by_key(|&(offset, _)| offset);
    errors.dedup_by_key(|&mut (offset, _)| reader.line(offset));
    let lines: Vec<usize> = errors.iter().map(|&(offset, _)| reader.line(offset)).collect();
    reader.retain(|line, flaw| !flaw.is_absence() && lines.binary_search(&line).is_err());
    for (offset, message) in errors {
        reader.note(offset, Flaw::Syntax(message.to_owned()));
    }
}

fn top(reader: &mut KeyReader<'_>, section: &Section<'_>, default_name: &str, site: &Site<'_>) -> Option<Tournament> {
    let name = sanitised_name(reader, section, &top::NAME).unwrap_or_else(|| default_name.to_owned());
    let GivenRules { ruleset, is_understood, of_players } = rules_table::given(reader, section);
    let draft = format_keys::draft(reader, section);
    let seed = reader.read(section, &top::SEED).unwrap_or_default();
    let concurrency = reader.given(section, &top::CONCURRENCY);
    let concurrency = concurrency.and_then(|games| NonZeroUsize::new(usize::try_from(games).ok()?));
    let time_control = clocks::time_control(reader, section);
    let meter = clocks::meter(reader, section, time_control, ruleset);
    let scale_time = clocks::scale_time(reader, section);
    let between_moves = reader.read(section, &top::BETWEEN_MOVES).unwrap_or_default();
    let limits = limits(reader, section);
    let endings = reader.read(section, &top::ENDINGS).unwrap_or_default();
    let adjudicate = adjudicate(reader, section, ruleset);
    let (opening_plies, balanced) = openings(reader, section, ruleset);
    let listen = reader.given(section, &top::LISTEN);
    let isolation = reader.read(section, &top::ISOLATION).unwrap_or_default();
    let affinity = reader.read(section, &top::AFFINITY).unwrap_or_default();
    let thoughts = reader.read(section, &top::THOUGHTS).unwrap_or_default();
    let resources = resources(reader, section, Resources::DEFAULT);
    let build_network = reader.read(section, &top::BUILD_NETWORK).unwrap_or_default();
    let defaults = ProgramDefaults { resources, pass_env: pass_env(reader, section), build_network };
    let needs = players::Needs {
        ruleset,
        site,
        public: listen,
        openings: opening_plies > 0,
        format: draft.as_ref().map(FormatDraft::word),
        processes: [
            matches!(draft, Some(FormatDraft::Ladder)).then_some("format = \"ladder\""),
            (meter != Meter::Wall).then_some("clock = \"cpu\""),
            (between_moves == BetweenMoves::Freeze).then_some("between_moves = \"freeze\""),
        ]
        .into_iter()
        .flatten()
        .next(),
    };
    let terms = ladder_table::terms(reader, section);
    let players = players::all(reader, section, needs, &defaults);
    rules_table::misplaced_keys(reader, section, ruleset);
    features::refuse_missing(reader, section, |feature| match feature {
        // With more than two seats, openings are refused altogether.
        Feature::BalancedOpenings if ruleset.seats() > 2 => Ok(()),
        feature => ruleset.require(feature),
    });
    if let Err(missing) = ruleset.gtp_form() {
        features::refuse_engines(reader, section, missing);
    }
    let suits = is_understood && seats::format_suits(reader, section, ruleset, draft.as_ref());
    if ruleset.seats() > 2 {
        seats::refuse_what_is_for_two(reader, section, ruleset, endings);
    }
    let Players { list: players, entries, challengers, sides } = players?;
    let format = draft.filter(|_| suits).and_then(|draft| draft.of(reader, section, ruleset, &challengers));
    let advantages = players.as_ref().map(|players| of_players.of(reader, ruleset, players));
    let (format, players, advantages) = (format?, players?, advantages?);
    sides_fit(reader, &format, &players, &sides);
    clocks::engines_can_be_told(reader, section, time_control, &players);
    let ladder = (format == Format::Ladder).then_some(Ladder { terms, entries });
    Some(Tournament {
        name,
        ruleset,
        advantages,
        format,
        seed,
        concurrency,
        time_control,
        meter,
        scale_time,
        between_moves,
        limits,
        endings,
        adjudicate,
        opening_plies,
        balanced,
        affinity,
        isolation,
        thoughts,
        listen,
        players,
        ladder,
    })
}

/// A player with a single side needs an opponent, and a format in which players do not have to change colours.
fn sides_fit(reader: &mut KeyReader<'_>, format: &Format, players: &[Player], offsets: &[Option<usize>]) {
    let sided =
        || players.iter().zip(offsets).filter_map(|(player, offset)| Some((player, player.only_side.and(*offset)?)));
    match format {
        Format::RoundRobin { .. } | Format::Gauntlet { .. } => {
            // Unless all players play the same single side, two players can take different sides, and thus meet.
            let first = players.first().and_then(|player| player.only_side);
            let has_game = first.is_none() || players.iter().any(|player| player.only_side != first);
            if let Some((player, offset)) = sided().next().filter(|_| !has_game) {
                reader.note(offset, Flaw::NobodyMeets { side: player.only_side.unwrap_or(Side::Black) });
            }
        }
        // The key has been refused for every player, whatever its value.
        Format::Group { .. } => {}
        Format::Swiss { .. } | Format::Knockout { .. } | Format::Sprt { .. } | Format::Ladder => {
            for (player, offset) in sided() {
                reader.note(
                    offset,
                    Flaw::SidesInFormat { player: player.name.clone(), format: format_keys::name_of(format) },
                );
            }
        }
    }
}

/// Reads `adjudicate = { nodes = 200000, after_ply = 22 }`. Each key has a default. Seegover uses a table instead of a
/// search, so it has no `nodes`.
fn adjudicate(reader: &mut KeyReader<'_>, section: &Section<'_>, ruleset: Ruleset) -> Option<Adjudication> {
    let expected = match ruleset {
        Ruleset::Gothello | Ruleset::Quantum(_) => "a table such as { nodes = 200000, after_ply = 22 }",
        Ruleset::Seegover(_) => "a table such as { after_ply = 30 }",
    };
    let (section, _) = reader.table(section, &top::ADJUDICATE, expected)?;
    let nodes = reader.given(&section, &inner_tables::NODES);
    let after_ply = reader.read(&section, &inner_tables::AFTER_PLY);
    reader.unknown_keys(&section);
    let after_ply = u32::try_from(after_ply.unwrap_or_default()).ok()?;
    match (ruleset, nodes) {
        (Ruleset::Gothello, nodes) => Adjudication::new(nodes.unwrap_or(Adjudication::DEFAULT_NODES), after_ply),
        (Ruleset::Seegover(_), None) => Adjudication::by_table(after_ply),
        // The key has already been refused by the check of features.
        (Ruleset::Quantum(_), _) => None,
        (Ruleset::Seegover(_), Some(_)) => {
            reader.note(section.key_offset("nodes"), Flaw::NoNodes);
            None
        }
    }
}

/// The number of plies in `openings = { plies = 2, balanced = true }`, or 0 if the key is missing, and whether the
/// openings are balanced.
fn openings(reader: &mut KeyReader<'_>, section: &Section<'_>, ruleset: Ruleset) -> (u32, bool) {
    if ruleset.seats() > 2 && section.has(top::OPENINGS.name) {
        reader.note(section.key_offset(top::OPENINGS.name), Flaw::OpeningsOfMany { seats: ruleset.seats() });
        return (0, false);
    }
    let Some((section, start)) = reader.table(section, &top::OPENINGS, "a table such as { plies = 2 }") else {
        return (0, false);
    };
    if !section.has("plies") {
        reader.note(start, Flaw::MissingPlies);
    }
    let plies = reader.given(&section, &inner_tables::PLIES);
    let plies = plies.and_then(|plies| u32::try_from(plies).ok()).unwrap_or(0);
    let balanced = reader.read(&section, &inner_tables::BALANCED).unwrap_or_default();
    reader.unknown_keys(&section);
    if balanced && plies > 0 && !balanced_openings::PLIES.contains(&plies) {
        let most = *balanced_openings::PLIES.end();
        reader.note(section.key_offset("balanced"), Flaw::BalancedPlies { plies, most });
    }
    (plies, balanced)
}

/// The name or title at `key`, which must be printable.
pub(crate) fn sanitised_name(
    reader: &mut KeyReader<'_>,
    section: &Section<'_>,
    key: &FileKey<OwnReader>,
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

fn limits(reader: &mut KeyReader<'_>, section: &Section<'_>) -> GameLimits {
    let mut tries = |key| reader.read(section, key).flatten().and_then(|tries| u32::try_from(tries).ok());
    let (illegal_tries, garbled_tries) = (tries(&top::ILLEGAL_TRIES), tries(&top::GARBLED_TRIES));
    let (void_retries, output_cap) = (reader.read(section, &top::VOID_RETRIES), reader.read(section, &top::OUTPUT_CAP));
    GameLimits {
        illegal_tries,
        garbled_tries,
        hello_timeout: reader.read(section, &top::HELLO_TIMEOUT).unwrap_or_default(),
        void_retries: void_retries.and_then(|retries| u32::try_from(retries).ok()).unwrap_or_default(),
        join_timeout: reader.read(section, &top::JOIN_TIMEOUT).unwrap_or_default(),
        build_timeout: reader.read(section, &top::BUILD_TIMEOUT).unwrap_or_default(),
        game_limit: reader.read(section, &top::GAME_LIMIT).flatten(),
        quit_timeout: reader.read(section, &top::QUIT_TIMEOUT).unwrap_or_default(),
        output_cap: output_cap.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default(),
    }
}
