//! Reads a game log's text as a record.

use std::str::FromStr;

use super::GameRecord;
use super::cursor::LogCursor;
use super::moves::{Movetext, ResultToken, read_moves};
use super::replayed::Turns;
use super::tags::Tags;
use super::text_errors::{LogProblem, LogTextError, MAX_BYTES};
use super::value_texts::{parse_adjudicate, parse_meter};
use crate::base::digits::parse_digits;
use crate::game::{BySide, Ruleset, Side};
use crate::referee::clock::Meter;
use crate::referee::pace::TimeScale;
use crate::referee::result::{GameResult, InconsistentResult, Termination, Void};
use crate::referee::time_control::TimeControl;

impl GameRecord {
    /// Reads a game log from bytes, for example the contents of a file.
    ///
    /// # Errors
    /// Fails in the same cases as [`GameRecord::from_str`], and if the bytes are not UTF-8.
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

/// Reads a game log. See the [module's documentation](super) for the accepted format.
impl FromStr for GameRecord {
    type Err = LogTextError;

    fn from_str(text: &str) -> Result<Self, LogTextError> {
        if text.len() > MAX_BYTES {
            return Err(LogCursor::new("").error(LogProblem::TooLong));
        }
        let mut cursor = LogCursor::new(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
        let mut tags = Tags::read(&mut cursor)?;
        tags.refuse_group()?;
        let players = BySide { black: tags.required("Black")?.value, white: tags.required("White")?.value };
        let result = tags.required("Result")?;
        let expected = "`1-0`, `0-1`, `1/2-1/2` or `*`";
        let token = result.read("Result", expected, ResultToken::parse)?;
        let ruleset = tags.ruleset()?;
        tags.refuse_missing(ruleset)?;
        let moves = read_moves(&mut cursor, token, Turns::of(ruleset))?;
        let result = read_result(&mut tags, token, result.at, ruleset)?;
        read_record(tags, GameRecord::of(ruleset, players, result), moves)
    }
}

/// Fills in `record` from the other tags and the moves.
fn read_record(mut tags: Tags<'_>, record: GameRecord, moves: Movetext<'_>) -> Result<GameRecord, LogTextError> {
    let number = "a whole number";
    let attempts = "an adjudication setting (`nodes 200000 after_ply 22` or `table after_ply 30`: 1000 to 10000000 nodes, up to 49 plies)";
    let CommonTags { event, site, date, round, game, seed, time_control, time_scale, meter } =
        CommonTags::take(&mut tags)?;
    let record = GameRecord {
        event,
        site,
        date,
        round,
        game,
        seed,
        time_control,
        time_scale,
        meter,
        adjudicate: tags.optional("Adjudicate", &[], attempts, parse_adjudicate)?,
        digests: BySide { black: tags.text("BlackDigest"), white: tags.text("WhiteDigest") },
        opening_plies: tags
            .optional("OpeningPlies", &["?", "-"], number, |text| usize::try_from(parse_digits(text)?).ok())?
            .unwrap_or_default(),
        usage: BySide {
            black: tags.optional("BlackUsage", &[], USAGE, |text| text.parse().ok())?,
            white: tags.optional("WhiteUsage", &[], USAGE, |text| text.parse().ok())?,
        },
        other_tags: tags.others(),
        ..record
    };
    moves.check_reserves(record.clocks())?;
    Ok(GameRecord { plies: moves.plies, unfinished: moves.unfinished.into_iter().next(), ..record })
}

/// The description of a valid usage in messages.
pub(super) const USAGE: &str =
    "a usage (`user 0.1 system 0.1 wall 0.1 memory 1 processes 1 written 1`, in seconds and bytes)";

/// The tags that games with any number of seats have.
pub(super) struct CommonTags {
    pub(super) event: Option<String>,
    pub(super) site: Option<String>,
    pub(super) date: Option<String>,
    pub(super) round: Option<u32>,
    pub(super) game: Option<String>,
    pub(super) seed: Option<u64>,
    pub(super) time_control: Option<TimeControl>,
    pub(super) time_scale: TimeScale,
    pub(super) meter: Meter,
}

impl CommonTags {
    pub(super) fn take(tags: &mut Tags<'_>) -> Result<Self, LogTextError> {
        let number = "a whole number";
        let counted = "a clock setting (`cpu wall 600`, in seconds)";
        let factor = "a clock scale (`1.25`: 0.25 to 4.00, with two decimals)";
        let control =
            "a time control (`-`, `60`, `60+1`, `600:5x30`, `1/move+60bank` or `black 120 white 60`, in seconds)";
        Ok(Self {
            event: tags.text("Event"),
            site: tags.text("Site"),
            date: tags.text("Date"),
            round: tags.optional("Round", &["?", "-"], number, |text| u32::try_from(parse_digits(text)?).ok())?,
            game: tags.text("Game"),
            seed: tags.optional("Seed", &[], number, parse_digits)?,
            time_control: tags.optional("TimeControl", &["?"], control, |text| text.parse().ok())?,
            time_scale: tags.optional("TimeScale", &[], factor, |text| text.parse().ok())?.unwrap_or_default(),
            meter: tags.optional("Clock", &[], counted, parse_meter)?.unwrap_or_default(),
        })
    }
}

/// How the game ended, according to the token and the tags Margin, Termination and Reason. Without the tag Termination,
/// a game with a result was played to its end, and a game without a result is void.
fn read_result(
    tags: &mut Tags<'_>,
    token: ResultToken,
    token_at: LogCursor<'_>,
    ruleset: Ruleset,
) -> Result<Result<GameResult, Void>, LogTextError> {
    let termination = tags.take("Termination");
    let at = termination.as_ref().map_or(token_at, |tag| tag.at);
    let margin_at = tags.left.iter().find(|tag| tag.name == "Margin").map_or(at, |tag| tag.at);
    let margin = tags.optional("Margin", &[], "a whole number", |text| text.parse::<i32>().ok())?;
    let reason = tags.text("Reason");
    let expected = "a termination (`normal`, `resignation`, `time`, `illegal`, `crash`, ...)";
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
        return Ok(Err(Void { reason: reason.unwrap_or_else(|| "the record states no result".to_owned()) }));
    };
    let winner = match token {
        ResultToken::White => Some(Side::White),
        ResultToken::Black => Some(Side::Black),
        ResultToken::Draw | ResultToken::None => None,
    };
    let at = if margin.is_some() && winner.is_some() { margin_at } else { at };
    let result = GameResult::new(winner, ending, margin, reason).map_err(|error| at.error(error.into()))?;
    if ruleset.margin_decides() {
        result.check_margin().map_err(|error| at.error(error.into()))?;
    }
    Ok(Ok(result))
}
