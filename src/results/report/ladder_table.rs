//! The versions of a ladder with their ratings.

use std::fmt::Write as _;

use super::column::{JsonObject, RoundedFigure, TableCell, TableColumn, grid};
use super::text_table::{Look, shown};
use crate::base::units::counted;
use crate::results::ladder::SelectionTest;
use crate::results::rating::{Elo, Wdl};

/// A version of a ladder, or a player without versions.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRow {
    /// The place among the players that play, ordered by their best versions; `None` for other versions and for players
    /// that do not play.
    pub rank: Option<u64>,
    /// The name in games, such as `ada.7`.
    pub name: String,
    /// The player that handed in the version.
    pub player: String,
    /// Whether the version plays: `playing`, `resting` if newer versions play instead of it, `paused` or `retired`.
    pub status: &'static str,
    /// Why the version is paused or retired; empty if there is no reason.
    pub reason: String,
    /// The rating; `None` before the first game.
    pub elo: Option<Elo>,
    /// The change in the rating over the past week; `None` if the rating was unknown a week ago.
    pub change: Option<Elo>,
    /// Half of the rating's 95% interval.
    pub error95: Option<Elo>,
    /// The games won, drawn and lost.
    pub results: Wdl,
    /// When the version arrived, in RFC 3339 format; `None` for a player without versions.
    pub arrived: Option<String>,
}

/// A version that was refused and does not play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRow {
    /// The name of the version.
    pub name: String,
    /// Why the version does not play.
    pub reason: String,
    /// When the version arrived, in RFC 3339 format.
    pub arrived: String,
}

/// A version that has arrived and has no verdict yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingRow {
    /// The player that handed it in.
    pub player: String,
    /// How it arrived: `folder`, `git`, `submit` or `teacher`.
    pub door: &'static str,
    /// When it arrived, in RFC 3339 format.
    pub arrived: String,
}

/// The state of a ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderSummary {
    /// When the ladder froze, in RFC 3339 format; `None` if it has not frozen.
    pub frozen: Option<String>,
    /// How many games have been played.
    pub games: u64,
    /// How many games have been decided on but have not ended.
    pub in_flight: u64,
    /// The player whose rating is 0, if there is one.
    pub zero: Option<String>,
    /// How well the games whose players were drawn at random agree with the other games.
    pub selection: Option<SelectionTest>,
    /// The versions, best first.
    pub rows: Vec<LadderRow>,
    /// The refused versions, in the order in which they arrived.
    pub refused: Vec<RefusedRow>,
    /// The versions that wait for their check or are being checked, in the order in which they arrived.
    pub waiting: Vec<WaitingRow>,
}

type LadderColumn<'s> = TableColumn<'s, &'s LadderRow>;

fn columns<'s>() -> Vec<LadderColumn<'s>> {
    vec![
        LadderColumn::new("rank", "#", |row: &LadderRow| row.rank),
        LadderColumn::new("name", "version", |row: &'s LadderRow| row.name.as_str()),
        LadderColumn::in_json("player", |row: &'s LadderRow| row.player.as_str()),
        LadderColumn::new("elo", "Elo", |row: &LadderRow| row.elo),
        LadderColumn::new("change", "in a week", |row: &LadderRow| row.change),
        LadderColumn::new("error95", "±95%", |row: &LadderRow| row.error95),
        LadderColumn::new("games", "games", |row: &LadderRow| row.results.games()),
        LadderColumn::new("wins", "won", |row: &LadderRow| row.results.wins),
        LadderColumn::new("draws", "drawn", |row: &LadderRow| row.results.draws),
        LadderColumn::new("losses", "lost", |row: &LadderRow| row.results.losses),
        LadderColumn::new("status", "status", |row: &'s LadderRow| row.status),
        LadderColumn::in_json("reason", |row: &'s LadderRow| row.reason.as_str()),
        LadderColumn::in_json("arrived", |row: &'s LadderRow| row.arrived.as_deref()),
    ]
}

/// The state of a ladder as text for people.
pub fn ladder_text(summary: &LadderSummary) -> String {
    let mut text = grid(&columns(), &summary.rows).render(Look::Plain);
    let zero = summary.zero.as_ref().map(|zero| format!("; `{}` has the rating 0", shown(zero, Look::Plain)));
    let _ = writeln!(text, "\n{} played{}", counted(summary.games, "game"), zero.unwrap_or_default());
    if let Some(test) = summary.selection.filter(|test| test.disagrees) {
        let _ = writeln!(
            text,
            "The {} whose players were drawn at random disagree with the others (p = {:.4}): the ratings may be distorted, because \
             versions meet opponents of about their own strength",
            counted(test.drawn, "game"),
            test.p_value.unwrap_or_default()
        );
    }
    if let Some(frozen) = &summary.frozen {
        let _ = writeln!(text, "The ladder froze at {frozen}.");
    }
    let with_reason = summary.rows.iter().filter(|row| !row.reason.is_empty());
    for LadderRow { name, status, reason, .. } in with_reason {
        let _ = writeln!(text, "{} is {status}: {}", shown(name, Look::Plain), shown(reason, Look::Plain));
    }
    for RefusedRow { name, reason, .. } in &summary.refused {
        let _ = writeln!(text, "{} was refused: {}", shown(name, Look::Plain), shown(reason, Look::Plain));
    }
    for WaitingRow { player, door, arrived } in &summary.waiting {
        let player = shown(player, Look::Plain);
        let second = arrived.trim_end_matches('Z').split('.').next().unwrap_or_default();
        let _ = writeln!(text, "{player} has handed in a version that has not been checked yet ({door}, {second}Z)");
    }
    text
}

fn selection<'s>(test: SelectionTest) -> JsonObject<'s> {
    JsonObject::default()
        .with("drawn", test.drawn)
        .with("chi_squared", RoundedFigure::to(4, test.chi_squared))
        .with("degrees_of_freedom", test.degrees)
        .with("p_value", test.p_value.map(TableCell::PValue))
        .with("disagrees", test.disagrees)
}

/// The state of a ladder as one JSON object, as docs/reference/schemas/ladder.schema.json describes it.
pub fn ladder_json(summary: &LadderSummary) -> String {
    let columns = columns();
    let versions: Vec<_> = summary.rows.iter().map(|row| JsonObject::of(&columns, row).into()).collect();
    let refused = |row: &'_ RefusedRow| {
        JsonObject::default()
            .with("name", row.name.clone())
            .with("reason", row.reason.clone())
            .with("arrived", row.arrived.clone())
            .into()
    };
    let refused: Vec<_> = summary.refused.iter().map(refused).collect();
    let waiting = |row: &'_ WaitingRow| {
        JsonObject::default()
            .with("player", row.player.clone())
            .with("door", row.door)
            .with("arrived", row.arrived.clone())
            .into()
    };
    let waiting: Vec<_> = summary.waiting.iter().map(waiting).collect();
    let object = JsonObject::default()
        .with("format", 1_u64)
        .with("frozen", summary.frozen.clone())
        .with("games", summary.games)
        .with("in_flight", summary.in_flight)
        .with("zero", summary.zero.clone())
        .with("selection", summary.selection.map(selection))
        .with("versions", versions)
        .with("refused", refused)
        .with("waiting", waiting);
    // An object of plain values can always be represented.
    serde_json::to_string_pretty(&object).unwrap_or_else(|error| unreachable!("{error}")) + "\n"
}
