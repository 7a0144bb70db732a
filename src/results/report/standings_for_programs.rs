//! Standings as JSON and CSV. Scripts rely on the names of columns and fields, so these never change.

use std::collections::BTreeMap;

use serde::Serialize;

use super::fit_table::FitObject;
use super::head_to_head_tables::{PairingObject, four_decimals, objects};
use super::ranks_table::RanksObject;
use super::standings_notes::points;
use super::{
    Extra, Extras, accuracy_figures, fit_table, format_result_fields, head_to_head_tables, ranks_table, sprt_fields,
    usage_table, workers_table,
};
use crate::game::Side;
use crate::referee::result::Termination;
use crate::results::rating::{Elo, HeadToHead, RankChances, Wdl};
use crate::results::standings::{PlayerRow, Standings};
use crate::results::text_cell::text_cell;

/// The version of the JSON. docs/reference/schemas/standings.schema.json describes it.
const FORMAT: u32 = 1;

/// One player in JSON.
#[derive(Serialize)]
struct RowObject<'s> {
    format: u32,
    rank: Option<usize>,
    player: &'s str,
    /// `null` if the rating is unbounded, which [`RowObject::elo_text`] says, or if the player has no rated game.
    elo: Option<f64>,
    elo_text: String,
    elo_error95: Option<f64>,
    rests_on: &'static str,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    points: f64,
    /// Points per game.
    score: Option<f64>,
    margin: i64,
    forfeits: u64,
    forfeits_by_kind: BTreeMap<&'static str, u64>,
    duplicates: u64,
    adjudicated: u64,
    black: Colour,
    white: Colour,
    component: Option<usize>,
    model: &'static str,
    prior: &'static str,
    expected: Option<f64>,
    opponents_elo: Option<f64>,
    performance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ranks: Option<RanksObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_to_head: Option<BTreeMap<&'s str, PairingObject>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fit: Option<FitObject<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superiority: Option<BTreeMap<&'s str, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<usage_table::UsageObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<accuracy_figures::AccuracyObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workers: Option<Vec<workers_table::MachineObject<'s>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sprt: Option<sprt_fields::SprtObject<'s>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<format_result_fields::ResultObject<'s>>,
}

/// A player's results with one colour.
#[derive(Serialize)]
struct Colour {
    wins: u64,
    draws: u64,
    losses: u64,
}

impl From<Wdl> for Colour {
    fn from(Wdl { wins, draws, losses }: Wdl) -> Self {
        Self { wins, draws, losses }
    }
}

pub(super) fn json(standings: &Standings, extras: Extras) -> String {
    let met = standings.head_to_head();
    let opposition = standings.opposition(&met);
    let chances = rank_chances(standings, extras);
    let objects: Vec<RowObject<'_>> = standings
        .rows()
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let (total, own) = (row.total(), &opposition[index]);
            RowObject {
                format: FORMAT,
                rank: row.rank,
                player: &row.player,
                elo: row.finite_rating().map(two_decimals),
                elo_text: elo_text(row),
                elo_error95: row.error95.map(two_decimals),
                rests_on: row.basis.name(),
                games: total.games(),
                wins: total.wins,
                draws: total.draws,
                losses: total.losses,
                points: number(total.half_points()) / 2.0,
                score: score(total),
                margin: row.margin,
                forfeits: row.forfeit_count(),
                forfeits_by_kind: row.forfeits.iter().map(|(kind, &count)| (kind.name(), count)).collect(),
                duplicates: row.duplicates,
                adjudicated: row.adjudicated,
                black: row.by_side.black.into(),
                white: row.by_side.white.into(),
                component: row.rated_component(),
                model: standings.model().name(),
                prior: standings.prior().name(),
                expected: (own.games > 0).then(|| four_decimals(own.expected)),
                opponents_elo: own.opponents.map(two_decimals),
                performance: own.performance.map(two_decimals),
                ranks: chances.get(index).map(Into::into),
                head_to_head: extras.has(Extra::HeadToHead).then(|| objects(standings, &met, index)),
                fit: extras.has(Extra::Fit).then(|| fit_table::object(standings, &met)),
                superiority: extras.has(Extra::Superiority).then(|| over_others(standings, index)),
                usage: extras.has(Extra::Usage).then(|| row.into()),
                accuracy: row.accuracy.map(Into::into),
                workers: extras.has(Extra::Workers).then(|| workers_table::objects(standings)).flatten(),
                sprt: standings.run().test.as_ref().map(Into::into),
                result: format_result_fields::object(standings.run().result.as_ref(), &row.player),
            }
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&objects).expect("numbers and strings are JSON");
    text.push('\n');
    text
}

fn over_others(standings: &Standings, index: usize) -> BTreeMap<&str, f64> {
    let others = standings.rows().iter().enumerate();
    let known = others.filter_map(|(other, row)| Some((row, standings.superiority(index, other)?)));
    known.map(|(row, likelihood)| (row.player.as_str(), (likelihood * 1e4).round() / 1e4)).collect()
}

/// The chances of the rows with a rank, if `extras` asks for them and there are any.
fn rank_chances(standings: &Standings, extras: Extras) -> Vec<RankChances> {
    let chances = extras.has(Extra::Ranks).then(|| standings.rank_chances()).flatten();
    chances.unwrap_or_default()
}

/// The columns of standings.csv: each player's own, and those of the result.
pub(super) fn file(standings: &Standings) -> String {
    let mut records = own_columns(standings);
    add_result(standings, &mut records);
    text_of(records)
}

/// Adds the columns of the result, which come after all others.
fn add_result(standings: &Standings, records: &mut [Vec<String>]) {
    let result = standings.run().result.as_ref();
    records[0].extend(format_result_fields::columns(result).iter().map(|&column| column.to_owned()));
    for (record, row) in records[1..].iter_mut().zip(standings.rows()) {
        record.extend(format_result_fields::cells(result, &row.player));
    }
}

/// Each player's own columns, those that always follow, those of `extras`, and those of a sequential test and of the result.
pub(super) fn csv(standings: &Standings, extras: Extras) -> String {
    let rows = standings.rows();
    let met = standings.head_to_head();
    let opposition = standings.opposition(&met);
    let mut records = own_columns(standings);
    let mut add = |columns: Vec<String>, fields: &dyn Fn(usize, &PlayerRow) -> Vec<String>| {
        records[0].extend(columns);
        for (index, row) in rows.iter().enumerate() {
            records[index + 1].extend(fields(index, row));
        }
    };
    let owned = |columns: &[&str]| columns.iter().map(|&column| column.to_owned()).collect::<Vec<_>>();
    let of_each =
        |words: &str| rows.iter().map(|row| format!("{words}_{}", text_cell(&row.player))).collect::<Vec<_>>();
    add(owned(&["rests_on", "adjudicated"]), &|_, row| vec![row.basis.name().to_owned(), row.adjudicated.to_string()]);
    add(owned(&head_to_head_tables::COLUMNS), &|index, _| head_to_head_tables::fields(&opposition[index]).into());
    if extras.has(Extra::Usage) {
        add(owned(&usage_table::COLUMNS), &|_, row| usage_table::fields(row).into());
    }
    if rows.iter().any(|row| row.accuracy.is_some()) {
        add(accuracy_figures::columns(), &|_, row| accuracy_figures::fields(row.accuracy.unwrap_or_default()));
    }
    if extras.has(Extra::Ranks) {
        let chances = rank_chances(standings, extras);
        add(owned(&ranks_table::COLUMNS), &|index, _| ranks_table::fields(chances.get(index)).into());
    }
    if extras.has(Extra::Fit) {
        let goodness = standings.goodness(&met);
        add(owned(&fit_table::COLUMNS), &|_, _| fit_table::fields(&goodness).into());
    }
    if extras.has(Extra::HeadToHead) {
        let score = |pairing: HeadToHead| pairing.score().to_string();
        let expected = |pairing: HeadToHead| four_decimals(pairing.expected).to_string();
        add(of_each("score_against"), &|index, _| against(&met, index, rows.len(), score));
        add(of_each("expected_against"), &|index, _| against(&met, index, rows.len(), expected));
    }
    if extras.has(Extra::Superiority) {
        let over = |index, other| standings.superiority(index, other).map(|likelihood| format!("{likelihood:.4}"));
        let fields =
            |index, _: &PlayerRow| (0..rows.len()).map(|other| over(index, other).unwrap_or_default()).collect();
        add(of_each("superiority_over"), &fields);
    }
    if let Some(test) = &standings.run().test {
        add(owned(&sprt_fields::COLUMNS), &|_, _| sprt_fields::cells(test));
    }
    add_result(standings, &mut records);
    text_of(&records)
}

/// A figure of the pairings of the player in `row` with each of `players`; empty where they did not meet.
fn against(met: &[HeadToHead], row: usize, players: usize, figure: impl Fn(HeadToHead) -> String) -> Vec<String> {
    let mut fields = vec![String::new(); players];
    for pairing in met.iter().flat_map(|pairing| [*pairing, pairing.reversed()]).filter(|pairing| pairing.player == row)
    {
        fields[pairing.other] = figure(pairing);
    }
    fields
}

/// The header, and each player's own columns.
fn own_columns(standings: &Standings) -> Vec<Vec<String>> {
    let kinds: Vec<Termination> = Termination::ALL.into_iter().filter(|kind| kind.is_forfeit()).collect();
    let mut header: Vec<String> = ["rank", "player", "elo", "elo_text", "elo_error95", "games", "wins", "draws"]
        .into_iter()
        .chain(["losses", "points", "score", "margin", "forfeits"])
        .map(str::to_owned)
        .collect();
    header.extend(kinds.iter().map(|kind| format!("forfeits_{}", kind.name().replace(' ', "_"))));
    header.push("duplicates".to_owned());
    for side in Side::BOTH {
        header.extend(["wins", "draws", "losses"].map(|result| format!("{side}_{result}")));
    }
    header.extend(["component", "model", "prior"].map(str::to_owned));
    let mut records = vec![header];
    for row in standings.rows() {
        let mut record = fields(row, &kinds);
        record.extend([row.component.to_string(), standings.model().name().into(), standings.prior().name().into()]);
        records.push(record);
    }
    records
}

/// The rating as text, with the sign of a bound.
fn elo_text(row: &PlayerRow) -> String {
    row.rating.map_or_else(|| "-".to_owned(), |rating| rating.to_string())
}

/// A player's own columns.
fn fields(row: &PlayerRow, kinds: &[Termination]) -> Vec<String> {
    let total = row.total();
    let mut fields = vec![
        row.shown_rank(""),
        text_cell(&row.player).into_owned(),
        row.finite_rating().map(|elo| elo.to_string()).unwrap_or_default(),
        elo_text(row),
        row.error95.map(|bar| bar.to_string()).unwrap_or_default(),
        total.games().to_string(),
        total.wins.to_string(),
        total.draws.to_string(),
        total.losses.to_string(),
        points(total),
        score(total).map(|score| score.to_string()).unwrap_or_default(),
        row.margin.to_string(),
        row.forfeit_count().to_string(),
    ];
    fields.extend(kinds.iter().map(|kind| row.forfeits.get(kind).copied().unwrap_or(0).to_string()));
    fields.push(row.duplicates.to_string());
    for side in Side::BOTH {
        let Wdl { wins, draws, losses } = row.by_side[side];
        fields.extend([wins, draws, losses].map(|count| count.to_string()));
    }
    fields
}

/// Records as CSV. Each line ends with a newline.
pub(super) fn text_of<R, F>(records: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator<Item = F>,
    F: AsRef<[u8]>,
{
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.write_record(record).expect("records are of equal length, and memory takes them");
    }
    let bytes = writer.into_inner().expect("memory takes all bytes");
    String::from_utf8(bytes).expect("what was text is text")
}

/// Points per game, to four decimals.
fn score(games: Wdl) -> Option<f64> {
    let score = number(games.half_points()) / 2.0 / number(games.games());
    (games.games() > 0).then(|| (score * 1e4).round() / 1e4)
}

fn two_decimals(elo: Elo) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "exact for any rating")]
    let hundredths = elo.hundredths() as f64;
    hundredths / 100.0
}

#[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
const fn number(count: u64) -> f64 {
    count as f64
}
