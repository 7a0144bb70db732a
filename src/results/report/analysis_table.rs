//! Analyses as text: the moves of a game with their values, and how well players played.

use serde::Serialize;

use super::grid::{Grid, Look};
use crate::base::printable::printable;
use crate::game::rules::{BySide, Outcome, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::{Accuracy, Analysis, JudgedMove, MARGIN_FROM, Mark, MoveTally, Phase, turning_point};

/// A whole game: its moves, what each move was worth, and what decided the game.
pub fn game(record: &GameRecord, analysis: &Analysis) -> String {
    let decisive = analysis.decisive();
    let mut grid = Grid::new(["ply", "move", "empty", "before it", "after it", "lost", "mark", "better"]);
    for (index, judged) in analysis.moves.iter().enumerate() {
        let value = |value: Option<Outcome>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        grid.push(vec![
            (index + 1).to_string(),
            record.numbered(index).to_string(),
            judged.empty.to_string(),
            value(judged.before),
            value(judged.after),
            judged
                .lost()
                .map_or_else(|| "?".to_owned(), |lost| if lost > 0 { lost.to_string() } else { String::new() }),
            mark(judged, decisive == Some(index)),
            judged.better.map(|better| better.to_string()).unwrap_or_default(),
        ]);
    }
    let names = record.players.as_ref().map(|name| printable(name));
    let unknown = if analysis.moves.iter().any(|judged| judged.lost().is_none()) {
        format!(
            "? is unknown: not solved in time, or stones lost with more than {MARGIN_FROM} empty points (only the winner is solved for).\n"
        )
    } else {
        String::new()
    };
    format!(
        "{} (black) against {} (white)\n{}{}.\n{unknown}",
        names.black,
        names.white,
        grid.render(Look::Plain),
        printable(&turning_point(record, analysis))
    )
}

/// One line about a game: what decided it.
pub fn summary(name: &str, record: &GameRecord, analysis: &Analysis) -> String {
    printable(&format!("{name}: {}", turning_point(record, analysis))) + "\n"
}

/// The effect of a move, in a word or two.
fn mark(judged: &JudgedMove, decisive: bool) -> String {
    let mark = match judged.mark() {
        Some(Mark::Blunder) if decisive => "decisive blunder",
        Some(Mark::Blunder) => "blunder",
        Some(Mark::LostStones) => "lost stones",
        None => "?",
        Some(Mark::Kept) => "",
    };
    match (judged.given, mark) {
        (true, "" | "?") => "opening".to_owned(),
        (true, mark) => format!("opening, {mark}"),
        (false, mark) => mark.to_owned(),
    }
}

/// How well each of `players` played, in all and by phase, and what the columns mean. Each player comes with its number.
pub fn accuracy<'a>(players: impl IntoIterator<Item = (usize, &'a str, Accuracy)>) -> String {
    let players: Vec<(usize, &str, Accuracy)> = players.into_iter().collect();
    let tables = tables(&players);
    let titled = |(title, grid): (&str, Grid)| format!("{title}\n{}", grid.render(Look::Plain));
    let notes = notes(players.iter().map(|&(_, _, accuracy)| accuracy)).join("\n");
    format!("{}\n{notes}\n", tables.map(titled).join("\n"))
}

/// The tables of [`accuracy`], each with its title.
pub(super) fn tables(players: &[(usize, &str, Accuracy)]) -> [(&'static str, Grid); 2] {
    let mut all = Grid::new(["#", "player", "moves", "judged", "blunders", "winner kept", "margin kept", "lost/move"]);
    let parts = ["winner", "margin", "lost"];
    let header = Phase::ALL.into_iter().flat_map(|phase| {
        let first = format!("{}: {}", phase.name(), parts[0]);
        [first, parts[1].to_owned(), parts[2].to_owned()]
    });
    let mut phases = Grid::new(["#", "player"].map(str::to_owned).into_iter().chain(header));
    for &(line, name, accuracy) in players {
        let total = accuracy.all();
        let counts = [total.moves, total.judged, total.blunders].map(|count| count.to_string());
        let named = || [line.to_string(), name.to_owned()].into_iter();
        all.push(named().chain(counts).chain(shares(total)).collect());
        phases.push(named().chain(Phase::ALL.into_iter().flat_map(|phase| shares(accuracy.phase(phase)))).collect());
    }
    [("Accuracy, by exact values", all), ("The same shares by phase of the game", phases)]
}

/// The share of moves that kept the winner, the share that kept the margin, and the stones lost per move.
fn shares(tally: MoveTally) -> [String; 3] {
    let percent = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", 100.0 * share));
    let lost = tally.average_loss().map_or_else(|| "-".to_owned(), |loss| format!("{loss:.2}"));
    [percent(tally.winner_kept()), percent(tally.margin_kept()), lost]
}

/// What the columns of [`tables`] mean, one note per line.
pub(super) fn notes(players: impl IntoIterator<Item = Accuracy>) -> Vec<String> {
    let all = players.into_iter().fold(MoveTally::default(), |sum, accuracy| sum.plus(accuracy.all()));
    let mut notes = vec![
        "Winner kept: of the judged moves, those that did not change who wins with best play; the others are blunders.".to_owned(),
        "Margin kept: those that gave no stone away; lost: stones given away per move; both where exact margins are known.".to_owned(),
        format!("Opening: more than {MARGIN_FROM} empty points; middle: 9 to {MARGIN_FROM}; end: up to 8. Moves given by openings do not count."),
    ];
    let unjudged = all.moves - all.judged;
    if unjudged > 0 {
        notes.push(format!(
            "{unjudged} of {} moves could not be judged in the time given for each game: `analyze --budget`, `standings --accuracy=` give more.",
            all.moves
        ));
    }
    notes
}

/// One game as JSON, on a line of its own.
pub fn game_json(file: &str, record: &GameRecord, analysis: &Analysis) -> String {
    let moves = analysis.moves.iter().enumerate().map(|(index, judged)| MoveObject {
        ply: index + 1,
        side: judged.side,
        played: judged.played.to_string(),
        empty: judged.empty,
        opening: judged.given,
        before: judged.before,
        after: judged.after,
        mark: judged.mark(),
        lost: judged.lost(),
        better: judged.better.map(|better| better.to_string()),
    });
    line(&GameObject {
        file,
        game: record.game.as_deref(),
        black: &record.players.black,
        white: &record.players.white,
        result: record.result_token(),
        moves: moves.collect(),
        decisive: analysis.decisive().map(|index| index + 1),
        accuracy: BySide::from_fn(|side| Accuracy::of(analysis, side).into()),
    })
}

/// How well players played, as JSON, on a line of its own.
pub fn accuracy_json<'a>(players: impl IntoIterator<Item = (&'a str, Accuracy)>) -> String {
    let players = players.into_iter().map(|(player, accuracy)| PlayerObject { player, accuracy: accuracy.into() });
    line(&PlayersObject { players: players.collect() })
}

fn line(object: &impl Serialize) -> String {
    serde_json::to_string(object).expect("numbers and strings are JSON") + "\n"
}

#[derive(Serialize)]
struct GameObject<'a> {
    file: &'a str,
    game: Option<&'a str>,
    black: &'a str,
    white: &'a str,
    result: &'static str,
    moves: Vec<MoveObject>,
    decisive: Option<usize>,
    accuracy: BySide<AccuracyObject>,
}

#[derive(Serialize)]
struct MoveObject {
    ply: usize,
    side: Side,
    #[serde(rename = "move")]
    played: String,
    empty: u32,
    opening: bool,
    before: Option<Outcome>,
    after: Option<Outcome>,
    mark: Option<Mark>,
    lost: Option<u32>,
    better: Option<String>,
}

#[derive(Serialize)]
struct PlayersObject<'a> {
    players: Vec<PlayerObject<'a>>,
}

#[derive(Serialize)]
struct PlayerObject<'a> {
    player: &'a str,
    accuracy: AccuracyObject,
}

/// A player's accuracy in JSON: over all moves, and over those of each phase.
#[derive(Serialize)]
pub(super) struct AccuracyObject {
    #[serde(flatten)]
    all: TallyObject,
    opening: TallyObject,
    middle: TallyObject,
    end: TallyObject,
}

impl From<Accuracy> for AccuracyObject {
    fn from(accuracy: Accuracy) -> Self {
        Self {
            all: accuracy.all().into(),
            opening: accuracy.opening.into(),
            middle: accuracy.middle.into(),
            end: accuracy.end.into(),
        }
    }
}

#[derive(Serialize)]
struct TallyObject {
    moves: u64,
    judged: u64,
    blunders: u64,
    measured: u64,
    exact: u64,
    lost: u64,
    winner_kept: Option<f64>,
    margin_kept: Option<f64>,
    average_loss: Option<f64>,
}

/// Rounds to four decimals.
fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

impl From<MoveTally> for TallyObject {
    fn from(tally: MoveTally) -> Self {
        let MoveTally { moves, judged, blunders, measured, exact, lost } = tally;
        let [winner_kept, margin_kept, average_loss] =
            [tally.winner_kept(), tally.margin_kept(), tally.average_loss()].map(|share| share.map(rounded));
        Self { moves, judged, blunders, measured, exact, lost, winner_kept, margin_kept, average_loss }
    }
}

/// The ends of the names of CSV columns, after `accuracy_` for all moves, and after that and a phase for its moves.
const PARTS: [&str; 9] =
    ["moves", "judged", "blunders", "measured", "exact", "lost", "winner_kept", "margin_kept", "average_loss"];

/// The CSV columns.
pub(super) fn columns() -> Vec<String> {
    let of = |prefix: String| PARTS.map(|part| format!("accuracy_{prefix}{part}"));
    let phases = Phase::ALL.into_iter().flat_map(|phase| of(format!("{}_", phase.name())));
    of(String::new()).into_iter().chain(phases).collect()
}

/// The values of [`columns`].
pub(super) fn fields(accuracy: Accuracy) -> Vec<String> {
    let share = |share: Option<f64>| share.map(|share| rounded(share).to_string()).unwrap_or_default();
    let of = |tally: MoveTally| {
        let MoveTally { moves, judged, blunders, measured, exact, lost } = tally;
        let counts = [moves, judged, blunders, measured, exact, lost].map(|count| count.to_string());
        let shares = [tally.winner_kept(), tally.margin_kept(), tally.average_loss()].map(share);
        counts.into_iter().chain(shares).collect::<Vec<_>>()
    };
    let phases = Phase::ALL.into_iter().flat_map(|phase| of(accuracy.phase(phase)));
    of(accuracy.all()).into_iter().chain(phases).collect()
}
