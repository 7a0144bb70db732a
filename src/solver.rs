//! Exact values.
mod safe;
mod search;
mod stones;
mod table;

pub use table::Table;
use search::Search;
pub use search::W;
use stones::Stones;
use crate::rules::gothello::Game;

/// dev
pub struct Solver<'a> { search: Search<'a> }
impl<'a> Solver<'a> {
    /// dev
    pub fn new(table: &'a Table) -> Self { Self { search: Search::new(table) } }
    /// dev
    pub fn nodes(&self) -> u64 { self.search.nodes }
    fn stones(game: &Game) -> Stones {
        let b = game.board();
        Stones { own: b.stones(game.side()), theirs: b.stones(game.side().opponent()) }
    }
    /// dev
    pub fn at_least(&mut self, game: &Game, least: i32) -> i32 { self.search.value(Self::stones(game), least).unwrap() }
    /// dev
    pub fn stat(&self) -> [[u64;6];26] { self.search.stat }
    /// sign for mover
    pub fn wdl(&mut self, game: &Game) -> i32 {
        if self.at_least(game, 1) >= 1 { return 1; }
        if self.at_least(game, 0) >= 0 { return 0; }
        -1
    }
    /// exact for mover
    pub fn margin(&mut self, game: &Game) -> i32 {
        let (mut lo, mut hi) = (-24, 24);
        let mut t = 1;
        while lo < hi {
            let v = self.at_least(game, t);
            if v >= t { lo = v } else { hi = v }
            t = if v >= t { v + 1 } else { v };
            t = t.clamp(lo + 1, hi.max(lo + 1));
        }
        lo
    }
}
