//! A run's games with more than two seats as CSV: results.csv, written and read back.

use std::collections::HashMap;
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use super::csv_rows::{CsvColumns, RowError, RowProblem, read};
use super::csv_sheet::text_of;
use super::game_fields::{
    ODDS_COLUMN, OTHER_VERSION, UsageDraft, bad, left, left_text, odds_text, player, read_odds, repeated_ids, seconds,
    usage_count, usage_seconds,
};
use crate::game::{BySeat, Fraction, Seat};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::{Termination, Void};
use crate::referee::time_control::SideControl;
use crate::referee::times::seconds_text;
use crate::referee::usage::{TimeLoss, Usage};
use crate::results::standings::{GroupResult, GroupSummary, SeatOut, duplicates};
use crate::results::text_cell::{text_cell, text_of_cell};

/// A column of results.csv.
#[derive(Clone, Copy)]
enum GroupGameColumn {
    Game,
    Round,
    Player(Seat),
    Placing,
    Totals,
    Points,
    Termination,
    Outs,
    AtFault,
    Odds,
    Plies,
    Seconds(Seat),
    Left(Seat),
    Moves,
    DuplicateOf,
    Usage(Seat, UsageFigure),
    TimeLossCpu,
}

/// A figure of the resources that a seat's processes used.
#[derive(Clone, Copy)]
enum UsageFigure {
    UserSeconds,
    SystemSeconds,
    WallSeconds,
    PeakMemory,
    Processes,
    Written,
}

impl UsageFigure {
    const ALL: [(Self, &str); 6] = [
        (Self::UserSeconds, "user_seconds"),
        (Self::SystemSeconds, "system_seconds"),
        (Self::WallSeconds, "wall_seconds"),
        (Self::PeakMemory, "peak_memory"),
        (Self::Processes, "processes"),
        (Self::Written, "written"),
    ];

    fn write(self, usage: &Usage) -> String {
        match self {
            Self::UserSeconds => seconds_text(usage.user),
            Self::SystemSeconds => seconds_text(usage.system),
            Self::WallSeconds => seconds_text(usage.wall),
            Self::PeakMemory => usage.peak_memory.to_string(),
            Self::Processes => usage.processes.to_string(),
            Self::Written => usage.written.to_string(),
        }
    }

    fn read(self, draft: &mut UsageDraft, text: &str) -> Result<(), &'static str> {
        match self {
            Self::UserSeconds => usage_seconds(&mut draft.user, text),
            Self::SystemSeconds => usage_seconds(&mut draft.system, text),
            Self::WallSeconds => usage_seconds(&mut draft.wall, text),
            Self::PeakMemory => usage_count(&mut draft.peak_memory, text),
            Self::Processes => usage_count(&mut draft.processes, text),
            Self::Written => usage_count(&mut draft.written, text),
        }
    }
}

/// A game, and the facts about it that depend on other games.
struct ListedGroupGame<'g> {
    game: &'g GroupSummary<&'g str>,
    duplicate_of: Option<&'g str>,
}

/// A line while its columns are being read. Text whose meaning depends on other columns is stored unchanged.
struct GroupLineDraft<'r> {
    seats: u8,
    game: &'r str,
    round: Option<u32>,
    players: BySeat<&'r str>,
    placing: &'r str,
    totals: &'r str,
    points: &'r str,
    termination: &'r str,
    outs: &'r str,
    at_fault: &'r str,
    has_odds: bool,
    plies: usize,
    used: BySeat<Duration>,
    left: BySeat<Option<SideControl>>,
    usage: BySeat<UsageDraft>,
    moves: Option<MovesDigest>,
}

impl GroupGameColumn {
    /// The columns for games with `seats` seats.
    fn all(seats: u8) -> Vec<Self> {
        let each = |column: fn(Seat) -> Self| Seat::all(seats).map(column);
        let mut columns = vec![Self::Game, Self::Round];
        columns.extend(each(Self::Player));
        columns.extend([
            Self::Placing,
            Self::Totals,
            Self::Points,
            Self::Termination,
            Self::Outs,
            Self::AtFault,
            Self::Odds,
            Self::Plies,
        ]);
        columns.extend(each(Self::Seconds).chain(each(Self::Left)));
        columns.extend([Self::Moves, Self::DuplicateOf]);
        let figures = Seat::all(seats).flat_map(|seat| UsageFigure::ALL.map(|(figure, _)| Self::Usage(seat, figure)));
        columns.extend(figures.chain([Self::TimeLossCpu]));
        columns
    }

    fn name(self) -> String {
        match self {
            Self::Game => "game".to_owned(),
            Self::Round => "round".to_owned(),
            Self::Player(seat) => format!("player{seat}"),
            Self::Placing => "placing".to_owned(),
            Self::Totals => "totals".to_owned(),
            Self::Points => "points".to_owned(),
            Self::Termination => "termination".to_owned(),
            Self::Outs => "outs".to_owned(),
            Self::AtFault => "at_fault".to_owned(),
            Self::Odds => ODDS_COLUMN.to_owned(),
            Self::Plies => "plies".to_owned(),
            Self::Seconds(seat) => format!("player{seat}_seconds"),
            Self::Left(seat) => format!("player{seat}_left"),
            Self::Moves => "moves_sha256".to_owned(),
            Self::DuplicateOf => "duplicate_of".to_owned(),
            Self::Usage(seat, figure) => format!("player{seat}_{}", UsageFigure::ALL[figure as usize].1),
            Self::TimeLossCpu => "time_loss_cpu".to_owned(),
        }
    }

    /// The text of the column for a game.
    fn write(self, listed: &ListedGroupGame<'_>) -> String {
        let game = listed.game;
        let of_result = |text: fn(&GroupResult) -> String| game.result.as_ref().map(text).unwrap_or_default();
        match self {
            Self::Game => text_cell(game.game).into_owned(),
            Self::Round => game.round.map(|round| round.to_string()).unwrap_or_default(),
            Self::Player(seat) => text_cell(game.players[seat]).into_owned(),
            Self::Placing => of_result(|result| listed_words(result.placing().values())),
            Self::Totals => of_result(|result| listed_words(result.totals().values().map(|total| total.shown()))),
            Self::Points => of_result(|result| listed_words(result.points().values())),
            Self::Termination => if game.result.is_some() { Termination::Normal.name() } else { Void::WORD }.to_owned(),
            Self::Outs => of_result(|result| outs_text(result.outs().iter().copied())),
            Self::AtFault => of_result(at_fault),
            Self::Odds => odds_text(game.has_odds).to_owned(),
            Self::Plies => game.plies.to_string(),
            Self::Seconds(seat) => seconds_text(game.used[seat]),
            Self::Left(seat) => left_text(game.left[seat]),
            Self::Moves => game.moves.to_string(),
            Self::DuplicateOf => text_cell(listed.duplicate_of.unwrap_or_default()).into_owned(),
            Self::Usage(seat, figure) => game.usage[seat].as_ref().map(|usage| figure.write(usage)).unwrap_or_default(),
            Self::TimeLossCpu => time_losses(game),
        }
    }

    /// Reads the column's text from a line, or returns a description of what the column expects. Checks that involve
    /// several columns follow later.
    fn read<'r>(self, draft: &mut GroupLineDraft<'r>, text: &'r str) -> Result<(), &'static str> {
        match self {
            Self::Game => draft.game = text_of_cell(text),
            Self::Round if text.is_empty() => draft.round = None,
            Self::Round => draft.round = Some(text.parse().map_err(|_| "a whole number (1 or more)")?),
            Self::Player(seat) => player(&mut draft.players[seat], text)?,
            Self::Placing => draft.placing = text,
            Self::Totals => draft.totals = text,
            Self::Points => draft.points = text,
            Self::Termination => draft.termination = text,
            Self::Outs => draft.outs = text,
            Self::AtFault => draft.at_fault = text,
            Self::Odds => draft.has_odds = read_odds(text)?,
            Self::Plies => draft.plies = text.parse().map_err(|_| "a number of moves")?,
            Self::Seconds(seat) => seconds(&mut draft.used[seat], text)?,
            Self::Left(seat) => left(&mut draft.left[seat], text)?,
            Self::Moves => {
                draft.moves = Some(text.parse().map_err(|_| "64 hexadecimal digits in lower case")?);
            }
            Self::Usage(seat, figure) => figure.read(&mut draft.usage[seat], text)?,
            // These follow from the other columns.
            Self::DuplicateOf | Self::TimeLossCpu => {}
        }
        Ok(())
    }
}

/// Values with spaces between them.
fn listed_words<T: Display>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
}

/// `3 time, 1 resignation`.
fn outs_text(outs: impl Iterator<Item = SeatOut>) -> String {
    outs.map(|out| format!("{} {}", out.seat, out.termination)).collect::<Vec<_>>().join(", ")
}

/// The seats that forfeited, in the order in which they dropped out: `3 1`.
fn at_fault(result: &GroupResult) -> String {
    listed_words(result.forfeits().map(|out| out.seat))
}

/// Whether the seats that lost on time used little CPU, as far as that is known: `3 idle, 1 busy`.
fn time_losses(game: &GroupSummary<&str>) -> String {
    let outs = game.result.as_ref().map(GroupResult::outs).unwrap_or_default();
    let on_time = outs.iter().filter(|out| out.termination == Termination::Time);
    let known = on_time.filter_map(|out| {
        let usage = game.usage[out.seat].as_ref()?;
        Some(format!("{} {}", out.seat, TimeLoss::of(usage, game.used[out.seat]).name()))
    });
    known.collect::<Vec<_>>().join(", ")
}

impl<'r> GroupLineDraft<'r> {
    fn new(seats: u8) -> Self {
        Self {
            seats,
            game: "",
            round: None,
            players: BySeat::from_fn(seats, |_| ""),
            placing: "",
            totals: "",
            points: "",
            termination: "",
            outs: "",
            at_fault: "",
            has_odds: false,
            plies: 0,
            used: BySeat::from_fn(seats, |_| Duration::ZERO),
            left: BySeat::from_fn(seats, |_| None),
            usage: BySeat::from_fn(seats, |_| UsageDraft::default()),
            moves: None,
        }
    }

    /// The game on the line, once all its columns have been read.
    fn finish(self) -> Result<GroupSummary<&'r str>, RowProblem> {
        let result = self.result()?;
        if self.at_fault != result.as_ref().map(at_fault).unwrap_or_default() {
            return Err(RowProblem::SeatsAtFault(self.at_fault.to_owned()));
        }
        for (seat, name) in self.players.iter() {
            if self.players.iter().any(|(other, known)| other < seat && known == name) {
                return Err(RowProblem::Itself((*name).to_owned()));
            }
        }
        let mut usage = BySeat::from_fn(self.seats, |_| None);
        for (seat, draft) in self.usage.iter() {
            usage[seat] = draft.finish(&format!("player{seat}"))?;
        }
        Ok(GroupSummary {
            game: self.game,
            round: self.round,
            players: self.players,
            result,
            plies: self.plies,
            used: self.used,
            left: self.left,
            usage,
            has_odds: self.has_odds,
            moves: self.moves.unwrap_or_else(|| MovesDigest::of([])),
        })
    }

    fn result(&self) -> Result<Option<GroupResult>, RowProblem> {
        const EMPTY: &str = "an empty field, because the game is void";

        let lists = [("placing", self.placing), ("totals", self.totals), ("points", self.points), ("outs", self.outs)];
        if self.termination == Void::WORD {
            let filled = lists.into_iter().find(|(_, text)| !text.is_empty());
            return filled.map_or(Ok(None), |(column, text)| Err(bad(column, text, EMPTY)));
        }
        if self.termination != Termination::Normal.name() {
            return Err(bad("termination", self.termination, "`normal` or `void`"));
        }
        let placing = self.list("placing", self.placing, "a place for each seat (`2 1 4 3`)")?;
        let totals: BySeat<Fraction> =
            self.list("totals", self.totals, "a total for each seat (`88 90.25 71.5 541/6`)")?;
        let points = self.list("points", self.points, "the number of modes each seat won (`1 2 0 0`)")?;
        Ok(Some(GroupResult::new(placing, totals, points, self.outs()?)?))
    }

    fn list<T: FromStr>(
        &self,
        column: &'static str,
        text: &str,
        expected: &'static str,
    ) -> Result<BySeat<T>, RowProblem> {
        let values = text.split(' ').map(|word| word.parse().ok()).collect::<Option<Vec<T>>>();
        let values = values.and_then(BySeat::new).filter(|values| values.seats() == self.seats);
        values.ok_or_else(|| bad(column, text, expected))
    }

    fn outs(&self) -> Result<Vec<SeatOut>, RowProblem> {
        if self.outs.is_empty() {
            return Ok(Vec::new());
        }
        let out = |text: &str| {
            let (seat, termination) = text.split_once(' ')?;
            Some(SeatOut { seat: Seat::new(seat.parse().ok()?)?, termination: termination.parse().ok()? })
        };
        let outs = self.outs.split(", ").map(out).collect::<Option<Vec<SeatOut>>>();
        outs.ok_or_else(|| bad("outs", self.outs, "the seats that dropped out (`3 time, 1 resignation`)"))
    }
}

/// The columns that distinguish a results.csv of games with more than two seats from a results.csv of games with two
/// seats.
pub const GROUP_COLUMNS: [&str; 4] = ["player1", "player2", "player3", "placing"];

/// The names of the columns of results.csv for games with `seats` seats.
pub fn group_results_columns(seats: u8) -> Vec<String> {
    GroupGameColumn::all(seats).into_iter().map(GroupGameColumn::name).collect()
}

/// The content of results.csv for `games` with `seats` seats, in the given order.
pub fn group_results_csv(games: &[GroupSummary], seats: u8) -> String {
    group_results_csv_parts(games.iter().map(GroupSummary::view), seats).collect()
}

/// The content of results.csv for `games`, which all have `seats` seats, in the given order, split into parts of a
/// limited number of lines.
pub fn group_results_csv_parts<'g>(
    games: impl Iterator<Item = GroupSummary<&'g str>> + Clone,
    seats: u8,
) -> impl Iterator<Item = String> {
    /// The number of games in a part.
    const GAMES: usize = 256;

    let columns = GroupGameColumn::all(seats);
    let first = duplicates(games.clone());
    let ids = repeated_ids(&first, games.clone().map(|game| game.game));
    let mut listed = games.zip(first);
    let header = text_of([group_results_columns(seats)]);
    let part = move || {
        let rows: Vec<Vec<String>> = listed
            .by_ref()
            .take(GAMES)
            .map(|(game, first)| {
                let listed =
                    ListedGroupGame { game: &game, duplicate_of: first.and_then(|first| ids.get(&first).copied()) };
                columns.iter().map(|column| column.write(&listed)).collect()
            })
            .collect();
        (!rows.is_empty()).then(|| text_of(rows))
    };
    std::iter::once(header).chain(std::iter::from_fn(part))
}

/// The games of a results.csv of games with more than two seats.
///
/// # Errors
/// Returns an error for every line that [`group_results_csv`] would not have written, or only for the header if the
/// header is wrong.
pub fn read_group_results_csv(text: &str) -> Result<Vec<GroupSummary>, Vec<RowError>> {
    let mut games = Vec::new();
    each_group_result(text, |game| games.push(game.to_summary()))?;
    Ok(games)
}

/// Passes each game of a results.csv to `take`, in the order of the file. After an error, the caller must discard all
/// games.
///
/// # Errors
/// Returns the same errors as [`read_group_results_csv`].
pub fn each_group_result(text: &str, mut take: impl FnMut(&GroupSummary<&str>)) -> Result<(), Vec<RowError>> {
    let seats = seats_of_header(text);
    let (columns, names) = (GroupGameColumn::all(seats), group_results_columns(seats));
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut first_lines: HashMap<Box<str>, u64> = HashMap::new();
    read(text, &CsvColumns { names: &names, optional: 0, trim: csv::Trim::None, remedy: OTHER_VERSION }, |row| {
        let mut draft = GroupLineDraft::new(seats);
        for (index, column) in columns.iter().enumerate() {
            column.read(&mut draft, row.field(index)).map_err(|expected| row.bad(index, expected))?;
        }
        let game = draft.finish()?;
        if !game.game.is_empty()
            && let Some(first) = first_lines.insert(game.game.into(), row.line)
        {
            return Err(RowProblem::Duplicate { game: game.game.to_owned(), first });
        }
        take(&game);
        Ok(())
    })
}

/// The number of seats of the games in `text`, according to its header: the number of players, or the next larger
/// number of seats that a line-up can have.
fn seats_of_header(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let has = |name: &str| header.split(',').any(|cell| cell.trim_matches(['\u{feff}', '"', ' ', '\r']) == name);
    let named = |seats: u8| Seat::all(seats).filter(|seat| has(&GroupGameColumn::Player(*seat).name())).count();
    if named(6) > 4 { 6 } else { 4 }
}
