//! Reads the log of a game with more than two seats.

use std::fmt;
use std::str::FromStr;

use super::cursor::LogCursor;
use super::group::of_either;
use super::moves::{RecordedOut, ResultToken, read_moves};
use super::parse::{CommonTags, USAGE};
use super::replayed::Turns;
use super::tags::{Tag, Tags};
use super::text_errors::{LogProblem, LogTextError, MAX_BYTES};
use super::{GameRecord, GroupRecord, LoggedGame, Out};
use crate::game::quantum::Mode;
use crate::game::{BySeat, Fraction, MOST_SEATS, Ruleset, Seat, Standing};
use crate::referee::result::{Termination, Void};

impl LoggedGame {
    /// Reads a game log from bytes, for example the contents of a file.
    ///
    /// # Errors
    /// Fails in the same cases as [`GameRecord::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LogTextError> {
        match (GameRecord::from_bytes(bytes), std::str::from_utf8(bytes)) {
            (Ok(record), _) => Ok(record.into()),
            (Err(error), Ok(text)) if error.problem == LogProblem::Group => {
                text.parse().map(|record: GroupRecord| record.into())
            }
            (Err(error), _) => Err(error),
        }
    }
}

impl FromStr for LoggedGame {
    type Err = LogTextError;

    fn from_str(text: &str) -> Result<Self, LogTextError> {
        Self::from_bytes(text.as_bytes())
    }
}

impl fmt::Display for LoggedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        of_either!(self, record => record.fmt(f))
    }
}

/// Reads the log of a game with more than two seats. See the [module's documentation](super) for the accepted format.
impl FromStr for GroupRecord {
    type Err = LogTextError;

    fn from_str(text: &str) -> Result<Self, LogTextError> {
        if text.len() > MAX_BYTES {
            return Err(LogCursor::new("").error(LogProblem::TooLong));
        }
        let mut cursor = LogCursor::new(text.strip_prefix('\u{feff}').unwrap_or(text));
        let mut tags = Tags::read(&mut cursor)?;
        let result = tags.required("Result")?;
        let expected = "`*`, the only result of a game with more than two seats";
        result.read("Result", expected, |text| (text == ResultToken::None.name()).then_some(()))?;
        let ruleset = tags.ruleset()?;
        let seats = tags.seats(ruleset)?;
        tags.refuse_missing(ruleset)?;
        tags.refuse_tags_of_two()?;
        let players = Seat::all(seats).map(|seat| tags.text(&format!("Player{seat}"))).collect();
        let players: Option<BySeat<String>> = BySeat::new(players).and_then(BySeat::all);
        let players = players.ok_or_else(|| result.at.error(LogProblem::NoSeats { name: ruleset.name(), seats }))?;
        tags.refuse_seats_beyond(seats)?;
        let outcome = OutcomeTags::take(&mut tags, seats)?;
        let moves = read_moves(&mut cursor, ResultToken::None, Turns::of(ruleset))?;
        let outs = read_outs(&mut tags, &moves.outs)?;
        let result = read_result(&mut tags, outcome, &moves.turns)?;
        let record = read_record(tags, ruleset, players, result)?;
        moves.check_reserves(record.clocks())?;
        Ok(Self { plies: moves.plies, unfinished: moves.unfinished, outs, ..record })
    }
}

/// Creates the record from its other tags.
fn read_record(
    mut tags: Tags<'_>,
    ruleset: Ruleset,
    players: BySeat<String>,
    result: Result<Standing, Void>,
) -> Result<GroupRecord, LogTextError> {
    let CommonTags { event, site, date, round, game, seed, time_control, time_scale, meter } =
        CommonTags::take(&mut tags)?;
    let mut record = GroupRecord::of(ruleset, players, result);
    for (seat, digest) in record.digests.iter_mut() {
        *digest = tags.text(&format!("Digest{seat}"));
    }
    for (seat, usage) in record.usage.iter_mut() {
        let tag = tags.take(&format!("Usage{seat}"));
        *usage = tag.map(|tag| tag.read("Usage", USAGE, |text| text.parse().ok())).transpose()?;
    }
    let other_tags = tags.others();
    Ok(GroupRecord { event, site, date, round, game, seed, time_control, time_scale, meter, other_tags, ..record })
}

/// The tags with the outcome of a game.
struct OutcomeTags<'a> {
    placing: Option<BySeat<u8>>,
    totals: Option<BySeat<Fraction>>,
    points: Option<BySeat<u8>>,
    counts: Vec<(&'static str, BySeat<u16>)>,
    /// The first of these tags in the order of this struct, and its place.
    first: Option<(&'static str, LogCursor<'a>)>,
}

impl<'a> OutcomeTags<'a> {
    fn take(tags: &mut Tags<'a>, seats: u8) -> Result<Self, LogTextError> {
        const NAMES: [&str; 4] = ["Placing", "Totals", "Points", "Counts"];
        let at = |name: &str| tags.left.iter().find(|tag| tag.name == name).map(|tag| tag.at);
        let first = NAMES.into_iter().find_map(|name| Some((name, at(name)?)));
        let mut counts = Vec::new();
        while let Some(tag) = tags.take("Counts") {
            counts.push(tag.read("Counts", "a mode and a count for each seat (`go 20 22 12 10`)", |text| {
                let (mode, list) = text.split_once(' ')?;
                let mode = Mode::ALL.into_iter().find(|known| known.name() == mode)?;
                Some((mode.name(), one_a_seat(list, seats)?))
            })?);
        }
        Ok(Self {
            placing: read_list(tags.take("Placing"), "Placing", "a place for each seat (`2 1 4 3`)", seats)?,
            totals: read_list(tags.take("Totals"), "Totals", "a total for each seat (`88 90.25 71.5 60.75`)", seats)?,
            points: read_list(tags.take("Points"), "Points", "the number of modes each seat won (`1 2 0 0`)", seats)?,
            counts,
            first,
        })
    }
}

fn read_list<T: FromStr>(
    tag: Option<Tag<'_>>,
    name: &'static str,
    expected: &'static str,
    seats: u8,
) -> Result<Option<BySeat<T>>, LogTextError> {
    tag.map(|tag| tag.read(name, expected, |text| one_a_seat(text, seats))).transpose()
}

/// Parses one value for each seat from words separated by spaces.
fn one_a_seat<T: FromStr>(text: &str, seats: u8) -> Option<BySeat<T>> {
    let values: Option<Vec<T>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    BySeat::new(values?).filter(|values| values.seats() == seats)
}

/// How the game ended, according to the tags Termination and Reason and the tags of its outcome. If a log from another
/// tool lacks some of these tags, the board provides the same figures. Without the tag Termination, a game that is over
/// or has one of these tags has a result.
fn read_result(
    tags: &mut Tags<'_>,
    outcome: OutcomeTags<'_>,
    turns: &Turns,
) -> Result<Result<Standing, Void>, LogTextError> {
    let termination = tags.take("Termination");
    let expected = "`normal` or `void`, the only terminations of a game with more than two seats";
    let ending = termination.map(|tag| {
        tag.read("Termination", expected, |text| match text {
            Void::WORD => Some(false),
            text => (text == Termination::Normal.name()).then_some(true),
        })
    });
    let has_result = ending.transpose()?.unwrap_or(outcome.first.is_some() || turns.is_over());
    let board = turns.standing().filter(|_| has_result);
    let Some(board) = board else {
        if let Some((tag, at)) = outcome.first {
            return Err(at.error(LogProblem::VoidPlaced(tag)));
        }
        let reason = tags.text("Reason");
        return Ok(Err(Void { reason: reason.unwrap_or_else(|| "the record states no result".to_owned()) }));
    };
    if let Some(tag) = tags.take("Reason") {
        return Err(tag.at.error(LogProblem::NotInGroup("Reason")));
    }
    Ok(Ok(Standing {
        placing: outcome.placing.unwrap_or(board.placing),
        totals: outcome.totals.unwrap_or(board.totals),
        points: outcome.points.unwrap_or(board.points),
        counts: if outcome.counts.is_empty() { board.counts } else { outcome.counts },
    }))
}

/// The seats that dropped out according to the moves, with the terminations and reasons from their tags.
fn read_outs(tags: &mut Tags<'_>, recorded: &[RecordedOut<'_>]) -> Result<Vec<Out>, LogTextError> {
    let expected = "a way to drop out (`resignation`, `time`, `illegal`, `crash`, ...)";
    let read = |out: &RecordedOut<'_>| {
        let RecordedOut { at, seat, after_plies } = *out;
        let tag = tags.take(&format!("Out{seat}")).ok_or_else(|| at.error(LogProblem::NoOutTag(seat)))?;
        let termination =
            tag.read("Out", expected, |text| text.parse().ok().filter(|why: &Termination| why.is_of_one_player()))?;
        Ok(Out { seat, after_plies, termination, reason: tags.text(&format!("Reason{seat}")) })
    };
    let outs = recorded.iter().map(read).collect::<Result<Vec<Out>, _>>()?;
    let seats = u8::try_from(MOST_SEATS).unwrap_or(u8::MAX);
    let names = Seat::all(seats).flat_map(|seat| ["Out", "Reason"].map(|name| (format!("{name}{seat}"), seat)));
    for (name, seat) in names {
        if let Some(Tag { at, .. }) = tags.take(&name) {
            return Err(at.error(LogProblem::NoOut { tag: name, seat }));
        }
    }
    Ok(outs)
}
