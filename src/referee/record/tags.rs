//! Reads the tags of a game log, `[Name "value"]`, and returns them one by one.

use super::cursor::{LogCursor, excerpt};
use super::quoting::unquote;
use super::text_errors::{LogProblem, LogTextError};
use crate::game::{Feature, Ruleset, UnknownRuleset};

/// A tag's value and its position in the text.
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    pub(super) value: String,
    pub(super) at: LogCursor<'a>,
    start: LogCursor<'a>,
}

impl Tag<'_> {
    /// The value as parsed by `parse`.
    pub(super) fn read<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, LogTextError> {
        let bad = || self.at.error(LogProblem::BadValue { name, value: excerpt(&self.value), expected });
        parse(&self.value).ok_or_else(bad)
    }
}

/// The tags in a log that have not been taken yet.
pub(super) struct Tags<'a> {
    pub(super) left: Vec<Tag<'a>>,
    end: LogCursor<'a>,
    /// The error for a second tag [`REPEATED`], if there is one.
    twice: Option<LogTextError>,
}

/// The tag that can occur more than once in the log of a game with more than two seats.
const REPEATED: &str = "Counts";

/// The tag with the number of seats, if there are more than two.
const SEATS: &str = "Seats";

impl<'a> Tags<'a> {
    /// Reads the tags at the cursor, and leaves the cursor at the moves.
    pub(super) fn read(cursor: &mut LogCursor<'a>) -> Result<Self, LogTextError> {
        let (mut tags, mut twice): (Vec<Tag<'_>>, _) = (Vec::with_capacity(24), None);
        loop {
            cursor.skip_blank();
            if cursor.peek() != Some('[') {
                return Ok(Self { left: tags, end: *cursor, twice });
            }
            let start = *cursor;
            let tag = read_tag(cursor)?;
            if let Some(first) = tags.iter().find(|first| first.name == tag.name) {
                let first = first.start.line();
                let error = start.error(LogProblem::DuplicateTag { name: tag.name.to_owned(), first });
                if tag.name != REPEATED {
                    return Err(error);
                }
                twice.get_or_insert(error);
            }
            tags.push(tag);
        }
    }

    /// Refuses the tags of a game with more than two seats.
    pub(super) fn refuse_group(&self) -> Result<(), LogTextError> {
        match self.left.iter().find(|tag| tag.name == SEATS && tag.value != "2") {
            Some(seats) => Err(seats.start.error(LogProblem::Group)),
            None => self.twice.clone().map_or(Ok(()), |twice| Err(self.no_seats().unwrap_or(twice))),
        }
    }

    /// The error for a log that does not state its number of seats, although its rule set has more than two.
    fn no_seats(&self) -> Option<LogTextError> {
        let tag = self.left.iter().find(|tag| tag.name == "Ruleset")?;
        let ruleset = tag.value.parse::<Ruleset>().ok().filter(|ruleset| ruleset.seats() != 2)?;
        Some(tag.start.error(LogProblem::NoSeats { name: ruleset.name(), seats: ruleset.seats() }))
    }

    /// Takes the number of seats, which must match `ruleset`.
    pub(super) fn seats(&mut self, ruleset: Ruleset) -> Result<u8, LogTextError> {
        let tag = self.required(SEATS)?;
        let seats = tag.read(SEATS, "a number of seats (`4`)", |text| text.parse::<u8>().ok())?;
        let (name, expected) = (ruleset.name(), ruleset.seats());
        if seats == expected {
            Ok(seats)
        } else {
            Err(tag.at.error(LogProblem::SeatsDisagree { seats, name, expected }))
        }
    }

    /// Takes the rule set, which is Gothello if there is no tag.
    pub(super) fn ruleset(&mut self) -> Result<Ruleset, LogTextError> {
        let Some(tag) = self.take("Ruleset") else { return Ok(Ruleset::default()) };
        let is_group = self.left.iter().any(|tag| tag.name == SEATS);
        match tag.value.parse::<Ruleset>() {
            Ok(ruleset) if ruleset.seats() != 2 && !is_group => {
                Err(tag.at.error(LogProblem::NoSeats { name: ruleset.name(), seats: ruleset.seats() }))
            }
            Ok(ruleset) => Ok(ruleset),
            Err(UnknownRuleset::Name { near: None }) => tag.read("Ruleset", Ruleset::EXPECTED, |_| None),
            Err(why) => Err(tag.at.error(LogProblem::BadOptions { value: excerpt(&tag.value), why: Box::new(why) })),
        }
    }

    /// Refuses tags for features that the rule set lacks.
    pub(super) fn refuse_missing(&self, ruleset: Ruleset) -> Result<(), LogTextError> {
        let Some(tag) = self.left.iter().find(|tag| tag.name == "Adjudicate") else { return Ok(()) };
        ruleset.require(Feature::Adjudication).map_err(|missing| tag.start.error(Box::new(missing).into()))
    }

    /// Refuses the tags of seats that a game with `seats` seats does not have.
    pub(super) fn refuse_seats_beyond(&self, seats: u8) -> Result<(), LogTextError> {
        const OF_SEAT: [&str; 3] = ["Player", "Digest", "Usage"];
        let seat = |name: &str| {
            let number = OF_SEAT.iter().find_map(|of_seat| name.strip_prefix(of_seat))?;
            number.parse::<u8>().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))
        };
        match self.left.iter().find(|tag| seat(tag.name).is_some_and(|seat| !(1..=seats).contains(&seat))) {
            Some(tag) => Err(tag.start.error(LogProblem::SeatTag { tag: tag.name.to_owned(), seats })),
            None => Ok(()),
        }
    }

    /// Refuses the tags that only games with two seats have.
    pub(super) fn refuse_tags_of_two(&self) -> Result<(), LogTextError> {
        const OF_TWO: [&str; 8] =
            ["Black", "White", "Margin", "OpeningPlies", "BlackDigest", "WhiteDigest", "BlackUsage", "WhiteUsage"];
        let find = |name: &'static str| Some((name, self.left.iter().find(|tag| tag.name == name)?.start));
        match OF_TWO.into_iter().find_map(find) {
            Some((name, start)) => Err(start.error(LogProblem::NotInGroup(name))),
            None => Ok(()),
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Tag<'a>> {
        let index = self.left.iter().position(|tag| tag.name == name)?;
        Some(self.left.remove(index))
    }

    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.take(name).map(|tag| tag.value)
    }

    /// The tags that have not been taken, in file order.
    pub(super) fn others(self) -> Vec<(String, String)> {
        self.left.into_iter().map(|tag| (tag.name.to_owned(), tag.value)).collect()
    }

    pub(super) fn required(&mut self, name: &'static str) -> Result<Tag<'a>, LogTextError> {
        self.take(name).ok_or_else(|| self.end.error(LogProblem::MissingTag(name)))
    }

    /// The tag `name` as parsed by `parse`, if it is present and not one of PGN's words for an absent value.
    pub(super) fn optional<T>(
        &mut self,
        name: &'static str,
        absent: &[&str],
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, LogTextError> {
        let tag = self.take(name).filter(|tag| !absent.contains(&tag.value.as_str()));
        tag.map(|tag| tag.read(name, expected, parse)).transpose()
    }
}

/// Reads `[Name "value"]`.
fn read_tag<'a>(cursor: &mut LogCursor<'a>) -> Result<Tag<'a>, LogTextError> {
    let start = *cursor;
    cursor.take("[");
    cursor.skip_blank();
    let name = cursor.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if name.is_empty() {
        return Err(cursor.expected("a tag's name"));
    }
    cursor.skip_blank();
    if cursor.peek() != Some('"') {
        return Err(cursor.expected("the tag's value in double quotes"));
    }
    let at = *cursor;
    let (value, after) = unquote(cursor.rest()).ok_or_else(|| at.error(LogProblem::Unclosed("string")))?;
    cursor.advance(cursor.rest().len() - after.len());
    cursor.skip_blank();
    if !cursor.take("]") {
        return Err(cursor.expected("`]`"));
    }
    Ok(Tag { name, value, at, start })
}
