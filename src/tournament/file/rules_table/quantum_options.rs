//! The options of Quantum Gothello, Othello, Reverse and Go.

use toml::Spanned;
use toml::de::DeValue;

use crate::game::quantum::{Compensation, Fraction, Handicap, OptionValue, QuantumRules, Seat, SuicideRule};
use crate::tournament::Quoted;
use crate::tournament::file::flaw::Flaw;
use crate::tournament::file::keys::rules;
use crate::tournament::file::problem_places::KeyReader;
use crate::tournament::file::section::{Section, TomlValue};

/// Reads the rules with the options in the table `rules`; `defaults` contains the other options.
pub(super) fn read(reader: &mut KeyReader<'_>, rules: &Section<'_>, defaults: QuantumRules) -> QuantumRules {
    let mut read = defaults;
    for key in QuantumRules::KEYS {
        let Some(value) = rules.get(key) else { continue };
        let Some(option) = option(reader, rules, (key, value), defaults.seats()) else { continue };
        match read.with(option) {
            Ok(with) => read = with,
            Err(why) => reader.note(value.span().start, Flaw::Misfit(why)),
        }
    }
    read
}

/// The option at `key`; `None` if a problem has been recorded.
fn option<'t>(
    reader: &mut KeyReader<'_>,
    rules: &Section<'t>,
    (key, value): (&'static str, &'t TomlValue<'t>),
    seats: u8,
) -> Option<OptionValue> {
    let suicide = |is_allowed| if is_allowed { SuicideRule::Allowed } else { SuicideRule::Forbidden };
    match key {
        "start" => reader.given(rules, &rules::START).map(OptionValue::Start),
        "rows" => reader.given(rules, &rules::ROWS).map(OptionValue::Rows),
        "stuck" => reader.given(rules, &rules::STUCK).map(OptionValue::Stuck),
        "ko" => reader.given(rules, &rules::KO).map(OptionValue::Ko),
        "suicide" => reader.given(rules, &rules::SUICIDE).map(|is_allowed| OptionValue::Suicide(suicide(is_allowed))),
        "count" => reader.given(rules, &rules::COUNT).map(OptionValue::Count),
        "scoring" => reader.given(rules, &rules::SCORING).map(OptionValue::Scoring),
        "compensation" => compensation(reader, value, seats).map(OptionValue::Compensation),
        _ => handicap(reader, rules).map(|handicap| OptionValue::Handicap(Some(handicap))),
    }
}

/// Reads a compensation such as `[0, 0.5]`: one value for each seat, either a number or a text such as `"1/6"`.
fn compensation(reader: &mut KeyReader<'_>, value: &TomlValue<'_>, seats: u8) -> Option<Compensation> {
    let DeValue::Array(parts) = value.get_ref() else {
        reader.wrong_type("compensation", value, "a list with a number for each seat, such as [0, 0.5]");
        return None;
    };
    let read: Vec<Option<Fraction>> = parts.iter().map(|part| fraction(reader, part)).collect();
    let read: Vec<Fraction> = read.into_iter().collect::<Option<_>>()?;
    match Compensation::new(seats, &read) {
        Ok(compensation) => Some(compensation),
        Err(why) => {
            // A wrong part is reported at its own place, and a wrong number of parts at that of the whole list.
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
            reader.wrong_type("compensation", part, "a number such as 0.5, or a text such as \"1/6\"");
            return None;
        }
    };
    let read = text.parse().ok();
    if read.is_none() {
        reader.note(part.span().start, Flaw::NotAFraction { text: Quoted::new(text) });
    }
    read
}

/// Reads a handicap such as `{ seat = "white", stones = 4 }`.
fn handicap(reader: &mut KeyReader<'_>, rules: &Section<'_>) -> Option<Handicap> {
    const EXPECTED: &str = "a table such as { seat = \"white\", stones = 4 }";
    let (section, start) = reader.table(rules, &rules::HANDICAP, EXPECTED)?;
    for key in ["seat", "stones"].into_iter().filter(|key| !section.has(key)) {
        reader.note(start, Flaw::IncompleteHandicap { key });
    }
    let side = reader.given(&section, &rules::SEAT);
    let stones = reader.given(&section, &rules::STONES);
    reader.unknown_keys(&section);
    Some(Handicap { seat: Seat::from(side?), stones: u8::try_from(stones?).ok()? })
}
