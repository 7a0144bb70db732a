//! The boards of a page, and how points are counted on them, as JSON, for games on boards other than the 5x5 board.

use serde::Serialize;

use super::layers::{BoardLayer, Layers, PageMode, page_modes};
use crate::base::digits::rounded;
use crate::game::quantum::Mode;
use crate::game::{Ruleset, Seat};

/// The boards of a page, if they are not the 5x5 board.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageBoards {
    /// The boards.
    layers: Vec<BoardLayer>,
    /// The letters of all fields before the first ply.
    start: String,
    /// The modes of a game.
    modes: Vec<PageMode>,
    /// What counts in Go; `None` if no mode is Go.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<&'static str>,
    /// The points that each seat has in addition to its counts.
    compensation: Vec<f64>,
}

impl PageBoards {
    /// The description of the boards of `ruleset`; `None` for the 5x5 board.
    pub fn of(ruleset: Ruleset) -> Option<Self> {
        let Ruleset::Quantum(rules) = ruleset else { return None };
        let layers = Layers::of(ruleset);
        let start = layers.letters(&*ruleset.start()).into_iter().map(char::from).collect();
        let points = |seat| rounded(f64::from(rules.compensation().parts(seat)) / f64::from(rules.seats()), 4);
        Some(Self {
            layers: layers.all().to_vec(),
            start,
            modes: page_modes(ruleset),
            count: rules.lineup().has(Mode::Go).then(|| rules.count().name()),
            compensation: Seat::all(rules.seats()).map(points).collect(),
        })
    }
}
