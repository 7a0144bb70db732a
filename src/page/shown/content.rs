//! The contents of a page.

use super::data::PageData;
use super::own_puzzles::OwnPuzzle;
use super::shown_game::ShownGame;
use super::test_figures::TestFigures;
use crate::results::standings::Standings;

/// The contents of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageContent<'p> {
    /// The data for the page's script.
    pub data: &'p PageData,
    /// The standings from which `data` was made.
    pub standings: &'p Standings,
    /// The games from which `data` was made.
    pub games: &'p [ShownGame],
    /// The puzzles from the games of each player, in the order of `data`; empty if none were looked for.
    pub puzzles: &'p [Vec<OwnPuzzle>],
    /// The figures of a sequential test, if the run is one.
    pub figures: Option<&'p TestFigures>,
    /// The number of analyzed games; `None` if no games were to be analyzed.
    pub analyzed: Option<AnalyzedShare>,
    /// Whether the page shows information that only its author should see.
    pub is_private: bool,
    /// Whether the players' names are made up.
    pub is_anonymous: bool,
}

/// How many of the games are analyzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnalyzedShare {
    /// The games with values.
    pub analyzed: u64,
    /// All games with moves.
    pub of: u64,
}
