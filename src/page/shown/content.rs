//! The contents of a page.

use super::data::PageData;
use super::shown_game::ShownGame;
use crate::results::standings::Standings;

/// The contents of a page.
#[derive(Clone, Copy, Debug)]
pub struct PageContent<'p> {
    /// The data for its script.
    pub data: &'p PageData,
    /// The standings from which `data` was made.
    pub standings: &'p Standings,
    /// The games from which `data` was made.
    pub games: &'p [ShownGame],
    /// How many of the games are judged, if games were to be judged at all.
    pub judged: Option<JudgedShare>,
    /// Whether the page shows information that only its author should see.
    pub is_private: bool,
    /// Whether the players' names are made up.
    pub is_anonymous: bool,
}

/// How many games are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JudgedShare {
    /// The games with values.
    pub judged: u64,
    /// All games with moves.
    pub of: u64,
}
