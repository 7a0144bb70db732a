//! The table `ladder` at the top of the file.

use jiff::Timestamp;
use toml::de::DeValue;

use super::flaw::Flaw;
use super::keys::{ladder, top};
use super::problem_places::KeyReader;
use super::section::Section;
use crate::tournament::Quoted;
use crate::tournament::ladder::LadderTerms;

/// Reads the table `ladder`. Each key has a default.
pub(super) fn terms(reader: &mut KeyReader<'_>, top: &Section<'_>) -> LadderTerms {
    let expected = "a table such as { target_error = 30 }, or a line `[ladder]` above its keys";
    let empty = toml::de::DeTable::default();
    let section = reader.table(top, &top::LADDER_TABLE, expected).map(|(section, _)| section);
    let section = section.unwrap_or_else(|| Section::new(&empty, ladder::LADDER_KEYS));
    let terms = read_terms(reader, &section);
    reader.unknown_keys(&section);
    terms
}

fn read_terms(reader: &mut KeyReader<'_>, section: &Section<'_>) -> LadderTerms {
    let number = |number: Option<u64>| number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
    LadderTerms {
        target_error: reader.read(section, &ladder::TARGET_ERROR).unwrap_or_default(),
        first_games: number(reader.read(section, &ladder::FIRST_GAMES)),
        random_share: reader.read(section, &ladder::RANDOM_SHARE).unwrap_or_default(),
        active: number(reader.read(section, &ladder::ACTIVE)),
        poll: reader.read(section, &ladder::POLL).unwrap_or_default(),
        submit: reader.given(section, &ladder::SUBMIT),
        closes: closes(reader, section),
        versions_per_day: number(reader.read(section, &ladder::VERSIONS_PER_DAY)),
        anonymous: reader.read(section, &ladder::ANONYMOUS).unwrap_or_default(),
    }
}

/// The instant at `closes`. It must have a UTC offset, because a class may be in a different time zone from the
/// machine.
fn closes(reader: &mut KeyReader<'_>, section: &Section<'_>) -> Option<Timestamp> {
    let value = section.get(ladder::CLOSES.name)?;
    let DeValue::Datetime(written) = value.get_ref() else {
        reader.wrong_type(
            "closes",
            value,
            "a date with a time and an offset such as 2026-12-01T23:59:00+01:00, without quotes",
        );
        return None;
    };
    let text = written.to_string();
    let instant = text.parse().ok();
    if instant.is_none() {
        reader.note(value.span().start, Flaw::NotAnInstant { text: Quoted::new(&text) });
    }
    instant
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::tournament::Tournament;

    fn read(table: &str) -> Result<LadderTerms, String> {
        let text = format!(
            "format = \"ladder\"\n{table}\n[[player]]\nname = \"a\"\nfolder = \"a\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n"
        );
        let read = Tournament::parse(&text, "test").map_err(|problems| problems.to_string())?;
        assert_eq!((read.players.len(), read.ladder.as_ref().map(|ladder| ladder.entries.len())), (1, Some(1)));
        read.ladder.map(|ladder| ladder.terms).ok_or_else(|| "no ladder".to_owned())
    }

    #[test]
    fn every_key_has_a_default() {
        let terms = read("").expect("read");
        assert_eq!(read("[ladder]").as_ref(), Ok(&terms));
        let LadderTerms {
            target_error,
            first_games,
            random_share,
            active,
            poll,
            submit,
            closes,
            versions_per_day,
            anonymous,
        } = terms;
        assert!((target_error - 40.0).abs() < 1e-9 && (random_share - 0.1).abs() < 1e-9);
        assert_eq!((first_games, active, versions_per_day), (20, 2, 20));
        assert_eq!((poll, submit, closes, anonymous), (Duration::from_mins(2), None, None, false));
    }

    #[test]
    fn a_ladder_closes_at_an_instant() {
        let closes = |text: &str| read(&format!("[ladder]\ncloses = {text}")).map(|terms| terms.closes);
        let expected = "2026-12-01T22:59:00Z".parse().ok();
        assert_eq!(closes("2026-12-01T23:59:00+01:00"), Ok(expected));
        assert_eq!(closes("2026-12-01 22:59:00Z"), Ok(expected));
        for (text, error) in [
            ("2026-12-01T23:59:00", "is not a date with a time and an offset"),
            ("2026-12-01", "is not a date with a time and an offset"),
            ("\"2026-12-01T23:59:00Z\"", "expected a date with a time and an offset"),
        ] {
            assert!(closes(text).is_err_and(|found| found.contains(error)), "{text}");
        }
    }

    #[test]
    fn the_table_is_for_ladders_only() {
        let text = "[ladder]\nactive = 3\n[[player]]\nname = \"a\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
        let found = Tournament::parse(text, "test").expect_err("no ladder").to_string();
        assert!(found.contains("`ladder` is for `format = \"ladder\"`"), "{found}");
    }
}
