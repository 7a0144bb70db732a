//! The figures of a player's accuracy for programs: its object in JSON and its columns in CSV.

use serde::Serialize;

use crate::results::analysis::{Accuracy, MoveTally, Phase};

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
