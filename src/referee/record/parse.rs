//! Reads a game log's text: the tags, and the record as a whole.

use std::str::FromStr;

use super::GameRecord;
use super::cursor::{LogCursor, excerpt};
use super::error::{LogProblem, LogTextError, MAX_BYTES};
use super::fields::{parse_adjudicate, parse_meter, parse_time_control, unquote};
use super::moves::{Movetext, ResultToken, read_moves};
use super::replayed::Turns;
use crate::base::digits::parse_digits;
use crate::game::rules::{BySide, Feature, Ruleset, Side};
use crate::referee::result::{GameResult, InconsistentResult, Termination, Void};

/// A tag's value and where it stands.
struct Tag<'a> {
    name: &'a str,
    value: String,
    at: LogCursor<'a>,
    start: LogCursor<'a>,
}

impl Tag<'_> {
    /// The value as `parse` reads it.
    fn read<T>(
        &self,
        name: &'static str,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, LogTextError> {
        let bad = || self.at.error(LogProblem::BadValue { name, value: excerpt(&self.value), expected });
        parse(&self.value).ok_or_else(bad)
    }
}

/// The tags of a log that have not been taken yet.
struct Tags<'a> {
    tags: Vec<Tag<'a>>,
    end: LogCursor<'a>,
}

impl<'a> Tags<'a> {
    /// Reads the tags at the cursor and leaves it at the moves.
    fn read(cursor: &mut LogCursor<'a>) -> Result<Self, LogTextError> {
        let mut tags: Vec<Tag<'_>> = Vec::with_capacity(24);
        loop {
            cursor.skip_blank();
            if cursor.peek() != Some('[') {
                return Ok(Self { tags, end: *cursor });
            }
            let start = *cursor;
            let tag = read_tag(cursor)?;
            if let Some(first) = tags.iter().find(|first| first.name == tag.name) {
                let first = first.start.line();
                return Err(start.error(LogProblem::DuplicateTag { name: tag.name.to_owned(), first }));
            }
            tags.push(tag);
        }
    }

    /// Refuses tags for features that the rule set lacks.
    fn refuse_missing(&self, ruleset: Ruleset) -> Result<(), LogTextError> {
        let Some(tag) = self.tags.iter().find(|tag| tag.name == "Adjudicate") else { return Ok(()) };
        ruleset.require(Feature::Adjudication).map_err(|missing| tag.start.error(missing.into()))
    }

    fn take(&mut self, name: &str) -> Option<Tag<'a>> {
        let index = self.tags.iter().position(|tag| tag.name == name)?;
        Some(self.tags.remove(index))
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.take(name).map(|tag| tag.value)
    }

    fn required(&mut self, name: &'static str) -> Result<Tag<'a>, LogTextError> {
        self.take(name).ok_or_else(|| self.end.error(LogProblem::MissingTag(name)))
    }

    /// The tag `name` as `parse` reads it, if it is present and not one of PGN's words for an absent value.
    fn optional<T>(
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

impl GameRecord {
    /// Reads a game log from bytes, for example those of a file.
    ///
    /// # Errors
    /// As [`GameRecord::from_str`], and on bytes that are not UTF-8.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LogTextError> {
        if bytes.len() > MAX_BYTES {
            return Err(LogCursor::new("").error(LogProblem::TooLong));
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => text.parse(),
            Err(error) => {
                let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
                let mut cursor = LogCursor::new(valid.strip_prefix(BYTE_ORDER_MARK).unwrap_or(valid));
                cursor.advance(cursor.rest().len());
                Err(cursor.error(LogProblem::NotUtf8))
            }
        }
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Reads a game log. See the [module's documentation](super) for what is accepted.
impl FromStr for GameRecord {
    type Err = LogTextError;

    fn from_str(text: &str) -> Result<Self, LogTextError> {
        if text.len() > MAX_BYTES {
            return Err(LogCursor::new("").error(LogProblem::TooLong));
        }
        let mut cursor = LogCursor::new(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
        let mut tags = Tags::read(&mut cursor)?;
        let players = BySide { black: tags.required("Black")?.value, white: tags.required("White")?.value };
        let result = tags.required("Result")?;
        let expected = "one of `1-0`, `0-1`, `1/2-1/2` and `*`";
        let token = result.read("Result", expected, ResultToken::parse)?;
        let ruleset = tags.optional("Ruleset", &[], Ruleset::EXPECTED, |text| text.parse().ok())?.unwrap_or_default();
        tags.refuse_missing(ruleset)?;
        let moves = read_moves(&mut cursor, token, Turns::of(ruleset))?;
        let result = read_result(&mut tags, token, result.at)?;
        read_record(tags, GameRecord::of(ruleset, players, result), moves)
    }
}

/// Fills `record` in from the other tags and the moves.
fn read_record(mut tags: Tags<'_>, record: GameRecord, moves: Movetext) -> Result<GameRecord, LogTextError> {
    let number = "a whole number";
    let counted = "what the clocks count (`cpu wall 600`, in seconds)";
    let attempts = "how proofs are tried (`nodes 200000 after_ply 10`: 1000 to 10000000 nodes, up to 49 plies)";
    let used = "a usage (`user 0.1 system 0.1 wall 0.1 memory 1 processes 1 written 1`, in seconds and bytes)";
    let seconds = "a time control (`-`, `60` or `black 120 white 60`, in seconds)";
    Ok(GameRecord {
        event: tags.text("Event"),
        site: tags.text("Site"),
        date: tags.text("Date"),
        round: tags.optional("Round", &["?", "-"], number, |text| u32::try_from(parse_digits(text)?).ok())?,
        game: tags.text("Game"),
        seed: tags.optional("Seed", &[], number, parse_digits)?,
        time_control: tags.optional("TimeControl", &["?"], seconds, parse_time_control)?,
        meter: tags.optional("Clock", &[], counted, parse_meter)?.unwrap_or_default(),
        adjudicate: tags.optional("Adjudicate", &[], attempts, parse_adjudicate)?,
        digests: BySide { black: tags.text("BlackDigest"), white: tags.text("WhiteDigest") },
        opening_plies: tags
            .optional("OpeningPlies", &["?", "-"], number, |text| usize::try_from(parse_digits(text)?).ok())?
            .unwrap_or_default(),
        usage: BySide {
            black: tags.optional("BlackUsage", &[], used, |text| text.parse().ok())?,
            white: tags.optional("WhiteUsage", &[], used, |text| text.parse().ok())?,
        },
        other_tags: tags.tags.into_iter().map(|tag| (tag.name.to_owned(), tag.value)).collect(),
        plies: moves.plies,
        unfinished: moves.unfinished,
        ..record
    })
}

/// How the game ended, according to the token and the tags Margin, Termination and Reason. Without a Termination, a
/// game with a result was played to its end, and a game without one is void.
fn read_result(
    tags: &mut Tags<'_>,
    token: ResultToken,
    token_at: LogCursor<'_>,
) -> Result<Result<GameResult, Void>, LogTextError> {
    let termination = tags.take("Termination");
    let at = termination.as_ref().map_or(token_at, |tag| tag.at);
    let margin_at = tags.tags.iter().find(|tag| tag.name == "Margin").map_or(at, |tag| tag.at);
    let margin = tags.optional("Margin", &[], "a whole number", |text| text.parse::<i32>().ok())?;
    let reason = tags.text("Reason");
    let expected = "a termination (`normal`, `resignation`, `time`, `illegal`, `crash`, ..)";
    let ending = match &termination {
        None if token == ResultToken::None => None,
        None => Some(Termination::Normal),
        Some(tag) if tag.value == Void::WORD => None,
        Some(tag) => Some(tag.read("Termination", expected, |text| text.parse().ok())?),
    };
    let without_result = matches!(ending, None | Some(Termination::DoubleForfeit));
    if without_result != (token == ResultToken::None) {
        let termination = ending.map_or(Void::WORD, Termination::name).to_owned();
        return Err(at.error(LogProblem::TerminationDisagrees { termination, result: token.name() }));
    }
    let Some(ending) = ending else {
        if margin.is_some() {
            return Err(margin_at.error(InconsistentResult::UnexpectedMargin.into()));
        }
        return Ok(Err(Void { reason: reason.unwrap_or_else(|| "the record names no result".to_owned()) }));
    };
    let winner = match token {
        ResultToken::White => Some(Side::White),
        ResultToken::Black => Some(Side::Black),
        ResultToken::Draw | ResultToken::None => None,
    };
    let at = if margin.is_some() && winner.is_some() { margin_at } else { at };
    GameResult::new(winner, ending, margin, reason).map(Ok).map_err(|error| at.error(error.into()))
}
