//! The options of Quantum Gothello, Othello, Reverse and Go.

use toml::Spanned;
use toml::de::DeValue;

use crate::game::quantum::{Compensation, Handicap, OptionValue, QuantumRules, SuicideRule};
use crate::game::{Fraction, Seat, Side};
use crate::tournament::Quoted;
use crate::tournament::file::advantages::{AdvantagesDraft, NamedPlayer};
use crate::tournament::file::flaw::Flaw;
use crate::tournament::file::key::{FileKey, KeyKind};
use crate::tournament::file::key_kinds::{OneWord, WholeNumber, one_word};
use crate::tournament::file::keys::rules::{self, COMPENSATION_KEYS};
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::read_values::ReadableKind as _;
use crate::tournament::file::section::{Section, TomlValue};

/// Reads the rules with the options in the table `rules`; `defaults` supplies the options that the table does not
/// contain. Options that belong to a player are returned in the second value.
pub(super) fn read(
    reader: &mut KeyReader<'_>,
    rules: &Section<'_>,
    defaults: QuantumRules,
) -> (QuantumRules, AdvantagesDraft) {
    let (mut read, mut of_players) = (defaults, AdvantagesDraft::default());
    for key in QuantumRules::KEYS {
        let Some(value) = rules.get(key) else { continue };
        let start = value.span().start;
        let option = match option(reader, rules, (key, value), defaults.seats()) {
            Some(Read::Option(option)) => option,
            Some(Read::Handicap(of_player, stones)) => {
                of_players.handicap = Some((of_player, stones, start));
                continue;
            }
            Some(Read::Compensation(of_player, points)) => {
                of_players.compensation = Some((of_player, points, start));
                continue;
            }
            None => continue,
        };
        match read.with(option) {
            Ok(with) => read = with,
            Err(why) => reader.note(start, Flaw::Misfit(why)),
        }
    }
    (read, of_players)
}

/// The value of an option.
enum Read {
    /// The value applies to one seat, or to all of them.
    Option(OptionValue),
    /// A player gets this number of stones.
    Handicap(NamedPlayer, u8),
    /// A player gets this number of points.
    Compensation(NamedPlayer, Fraction),
}

/// The option at `key`; `None` if a problem has been recorded.
fn option<'t>(
    reader: &mut KeyReader<'_>,
    rules: &Section<'t>,
    (key, value): (&'static str, &'t TomlValue<'t>),
    seats: u8,
) -> Option<Read> {
    let suicide = |is_allowed| if is_allowed { SuicideRule::Allowed } else { SuicideRule::Forbidden };
    let option = match key {
        "start" => reader.given(rules, &rules::START).map(OptionValue::Start),
        "rows" => reader.given(rules, &rules::ROWS).map(OptionValue::Rows),
        "stuck" => reader.given(rules, &rules::STUCK).map(OptionValue::Stuck),
        "ko" => reader.given(rules, &rules::KO).map(OptionValue::Ko),
        "suicide" => reader.given(rules, &rules::SUICIDE).map(|is_allowed| OptionValue::Suicide(suicide(is_allowed))),
        "count" => reader.given(rules, &rules::COUNT).map(OptionValue::Count),
        "scoring" => reader.given(rules, &rules::SCORING).map(OptionValue::Scoring),
        "compensation" => {
            if let DeValue::Table(table) = value.get_ref() {
                let section = Section::new(table, COMPENSATION_KEYS);
                return compensation_of_player(reader, &section, value.span().start);
            }
            compensation(reader, value, seats).map(OptionValue::Compensation)
        }
        _ => return handicap(reader, rules, seats),
    };
    option.map(Read::Option)
}

/// Reads a compensation such as `[0, 0.5]`: one value for each seat, either a number or a string such as `"1/6"`.
fn compensation(reader: &mut KeyReader<'_>, value: &TomlValue<'_>, seats: u8) -> Option<Compensation> {
    let DeValue::Array(parts) = value.get_ref() else {
        const EXPECTED: &str = "a list with a number for each seat, such as [0, 0.5], or a table such as { player = \"bo\", points = 6.5 }";
        reader.wrong_type("compensation", value, EXPECTED);
        return None;
    };
    let read: Vec<Option<Fraction>> = parts.iter().map(|part| fraction(reader, part)).collect();
    let read: Vec<Fraction> = read.into_iter().collect::<Option<_>>()?;
    match Compensation::new(seats, &read) {
        Ok(compensation) => Some(compensation),
        Err(why) => {
            // A wrong part is reported at its own place, and a wrong number of parts at the place of the whole list.
            let is_wrong = |part: &Fraction| Compensation::new(seats, &vec![*part; usize::from(seats)]).is_err();
            let wrong = (read.len() == usize::from(seats)).then(|| read.iter().position(is_wrong)).flatten();
            let at = wrong.map_or_else(|| value.span().start, |index| parts[index].span().start);
            reader.note(at, Flaw::Misfit(why.into()));
            None
        }
    }
}

fn fraction(reader: &mut KeyReader<'_>, part: &Spanned<DeValue<'_>>) -> Option<Fraction> {
    let text = match part.get_ref() {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str(),
        DeValue::Float(number) => number.as_str(),
        DeValue::String(text) => text,
        _ => {
            reader.wrong_type("compensation", part, "a number such as 0.5, or a string such as \"1/6\"");
            return None;
        }
    };
    let read = text.parse().ok();
    if read.is_none() {
        reader.note(part.span().start, Flaw::NotAFraction { text: Quoted::new(text) });
    }
    read
}

/// Reads a compensation such as `{ player = "bo", points = 6.5 }`, which begins at byte `start`.
fn compensation_of_player(reader: &mut KeyReader<'_>, section: &Section<'_>, start: usize) -> Option<Read> {
    for key in ["player", "points"].into_iter().filter(|key| !section.has(key)) {
        reader.note(start, Flaw::IncompleteCompensation { key });
    }
    let player = named_player(reader, section, &rules::COMPENSATION_PLAYER);
    let points = section.get(rules::POINTS.name).and_then(|value| fraction(reader, value));
    reader.unknown_keys(section);
    Some(Read::Compensation(player?, points?))
}

/// Reads a handicap such as `{ seat = "white", stones = 4 }` or `{ player = "bo", stones = 4 }`.
fn handicap(reader: &mut KeyReader<'_>, rules: &Section<'_>, seats: u8) -> Option<Read> {
    let expected = match seats {
        2 => "a table such as { seat = \"white\", stones = 4 } or { player = \"bo\", stones = 4 }",
        _ => "a table such as { seat = 2, stones = 4 } or { player = \"bo\", stones = 4 }",
    };
    let (section, start) = reader.table(rules, &rules::HANDICAP, expected)?;
    let (has_seat, has_player) = (section.has("seat"), section.has("player"));
    if has_seat && has_player {
        reader.note(section.key_offset("player"), Flaw::Excluding { key: "player", other: "seat" });
    }
    for (key, is_missing) in [("seat", !has_seat && !has_player), ("stones", !section.has("stones"))] {
        if is_missing {
            reader.note(start, Flaw::IncompleteHandicap { key, seats });
        }
    }
    let seat = section.get(rules::SEAT.name).map(|value| seat(reader, value, seats));
    let player = named_player(reader, &section, &rules::PLAYER);
    let stones = reader.given(&section, &rules::STONES).and_then(|stones| u8::try_from(stones).ok());
    reader.unknown_keys(&section);
    match seat {
        Some(seat) => Some(Read::Option(OptionValue::Handicap(Some(Handicap { seat: seat?, stones: stones? })))),
        None => Some(Read::Handicap(player?, stones?)),
    }
}

/// Reads a seat: a side in a game with two seats, and a number in any other.
fn seat(reader: &mut KeyReader<'_>, value: &TomlValue<'_>, seats: u8) -> Option<Seat> {
    if seats == 2 {
        return SIDES.read(reader, rules::SEAT.name, value).map(Seat::from);
    }
    let number = WholeNumber(1..=seats.into()).read(reader, rules::SEAT.name, value)?;
    u8::try_from(number).ok().and_then(Seat::new)
}

const SIDES: OneWord<Side> = one_word!(Side);

fn named_player(reader: &mut KeyReader<'_>, section: &Section<'_>, key: &FileKey<impl KeyKind>) -> Option<NamedPlayer> {
    let text = reader.text(section, key, "the name of a player, such as \"bo\"")?;
    Some(NamedPlayer { name: text.content.to_owned(), offset: text.span.start })
}
