//! Tests that the programs agree with the library, with which they share no code, and that they notice errors.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gothello_arena::exact::margin_table::build::{Build, BuildError, MarginPlan};
use gothello_arena::exact::margin_table::grid::BoardGrid;
use gothello_arena::exact::margin_table::layer_files::LayerTotal;
use gothello_arena::exact::threads::Sharers;

mod margins;
mod winners;

/// Computes the layers of the board of 4x4 points, and keeps all of them in `dir`.
fn build(dir: &Path) -> Vec<LayerTotal> {
    let sharers = Sharers { threads: NonZeroUsize::MIN, stop: &AtomicBool::new(false) };
    let mut totals = Vec::new();
    let told = |total: &LayerTotal, _| {
        totals.push(*total);
        Ok::<_, BuildError>(())
    };
    let is_done = Build::new(BoardGrid::new(4), dir, MarginPlan::default()).run(&sharers, |_| (), told);
    assert!(is_done.expect("a build"));
    totals
}
