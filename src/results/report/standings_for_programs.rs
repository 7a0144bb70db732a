//! Standings as JSON and CSV. Scripts rely on the names of columns and fields, so these never change.

use std::collections::BTreeMap;

use serde::Serialize;

use super::standings_notes::points;
use super::text_cell::text_cell;
use super::{Extras, accuracy_figures, format_result_fields, usage_table};
use crate::game::rules::Side;
use crate::referee::result::Termination;
use crate::results::rating::{Elo, Wdl};
use crate::results::standings::{PlayerRow, Standings};

/// The version of the JSON. docs/standings.schema.json describes it.
const FORMAT: u32 = 1;

/// One player in JSON.
#[derive(Serialize)]
struct RowObject<'s> {
    format: u32,
    rank: usize,
    player: &'s str,
    /// `null` if the rating is unbounded; [`RowObject::elo_text`] has the bound.
    elo: Option<f64>,
    elo_text: String,
    elo_error95: Option<f64>,
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
    black: Colour,
    white: Colour,
    component: usize,
    model: &'static str,
    prior: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    superiority: Option<BTreeMap<&'s str, f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<usage_table::UsageObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<accuracy_figures::AccuracyObject>,
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
    let objects: Vec<RowObject<'_>> = standings
        .rows()
        .iter()
        .enumerate()
        .map(|(index, row)| {
            let total = row.total();
            RowObject {
                format: FORMAT,
                rank: row.rank,
                player: &row.player,
                elo: row.rating.finite().map(two_decimals),
                elo_text: row.rating.to_string(),
                elo_error95: row.error95.map(two_decimals),
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
                black: row.by_side.black.into(),
                white: row.by_side.white.into(),
                component: row.component,
                model: standings.model().name(),
                prior: standings.prior().name(),
                superiority: extras.superiority.then(|| over_others(standings, index)),
                usage: extras.usage.then(|| row.into()),
                accuracy: row.accuracy.map(Into::into),
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

pub(super) fn csv(standings: &Standings, extras: Extras) -> String {
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
    if extras.usage {
        header.extend(usage_table::COLUMNS.map(str::to_owned));
    }
    let judged = standings.rows().iter().any(|row| row.accuracy.is_some());
    if judged {
        header.extend(accuracy_figures::columns());
    }
    if extras.superiority {
        header.extend(standings.rows().iter().map(|row| format!("superiority_over_{}", row.player)));
    }
    let result = standings.run().result.as_ref();
    header.extend(format_result_fields::columns(result).iter().map(|&column| column.to_owned()));
    let mut records = vec![header];
    for (index, row) in standings.rows().iter().enumerate() {
        let mut record = fields(row, &kinds);
        record.extend([row.component.to_string(), standings.model().name().into(), standings.prior().name().into()]);
        if extras.usage {
            record.extend(usage_table::fields(row));
        }
        if judged {
            record.extend(accuracy_figures::fields(row.accuracy.unwrap_or_default()));
        }
        if extras.superiority {
            let over = |other| standings.superiority(index, other).map(|likelihood| format!("{likelihood:.4}"));
            record.extend((0..standings.rows().len()).map(|other| over(other).unwrap_or_default()));
        }
        record.extend(format_result_fields::cells(result, &row.player));
        records.push(record);
    }
    text_of(&records)
}

/// A player's own columns.
fn fields(row: &PlayerRow, kinds: &[Termination]) -> Vec<String> {
    let total = row.total();
    let mut fields = vec![
        row.rank.to_string(),
        text_cell(&row.player).into_owned(),
        row.rating.finite().map(|elo| elo.to_string()).unwrap_or_default(),
        row.rating.to_string(),
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
