//! The progress of a sequential test for scripts, the same for all players.

use super::column::{RoundedFigure, TableCell, TableColumn};
use crate::results::standings::Test;

/// A column of a sequential test.
type TestColumn<'s> = TableColumn<'s, &'s Test>;

/// The figures of a test.
pub(super) fn columns<'s>() -> Vec<TestColumn<'s>> {
    let figure = |name, figure: fn(&Test) -> Option<f64>| {
        TestColumn::for_programs(name, move |test| figure(test).map(|figure| RoundedFigure::to(2, figure)))
    };
    let mut columns = vec![
        TestColumn::for_programs("player", |test| test.player.as_str()),
        TestColumn::for_programs("opponent", |test| test.opponent.as_str()),
        TestColumn::for_programs("elo0", |test| test.progress.sprt().elo0()),
        TestColumn::for_programs("elo1", |test| test.progress.sprt().elo1()),
        TestColumn::for_programs("alpha", |test| test.progress.sprt().alpha()),
        TestColumn::for_programs("beta", |test| test.progress.sprt().beta()),
        TestColumn::for_programs("lower", |test| RoundedFigure::to(4, test.progress.sprt().lower())),
        TestColumn::for_programs("upper", |test| RoundedFigure::to(4, test.progress.sprt().upper())),
        TestColumn::for_programs("llr", |test| RoundedFigure::to(4, test.progress.llr())),
        TestColumn::for_programs("verdict", |test| test.progress.verdict().name()),
        // Whether further pairs can no longer change the verdict.
        TestColumn::for_programs("final", |test| test.progress.is_over()),
        TestColumn::for_programs("pairs", |test| test.progress.all_pairs()),
        TestColumn::for_programs("distinct_pairs", |test| test.progress.pairs().pairs()),
        // The numbers of distinct pairs in which the player scored 0 to 4 half points.
        TestColumn::in_json("pentanomial", |test| Vec::from(test.progress.pairs().counts.map(TableCell::Count))),
    ];
    columns.extend((0..5).map(|half_points| {
        let count = move |test: &Test| test.progress.pairs().counts[half_points];
        TestColumn::in_csv(format!("half_points_{half_points}"), count)
    }));
    columns.extend([
        figure("normalized_elo", |test| Some(test.progress.pairs().normalized_elo()?.elo)),
        figure("normalized_elo_error95", |test| Some(test.progress.pairs().normalized_elo()?.error95)),
        figure("elo", |test| Some(test.progress.lead()?.elo)),
        figure("elo_low", |test| test.progress.lead()?.low),
        figure("elo_high", |test| test.progress.lead()?.high),
    ]);
    columns
}
