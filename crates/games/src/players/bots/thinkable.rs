//! The information about a game, beyond its rules, that the built-in bots need.

use crate::base::random::SplitMix64;
use crate::game::{Move, Position};

/// A game that the built-in bots can play. Everything that they do in the same way for every game needs only a
/// [`Position`].
pub trait Thinkable: Position {
    /// Returns the lead of the seat to move after `played`, which must be legal: its stones minus its opponent's. With
    /// more than two seats, this is the sum of its leads over each other seat.
    fn lead_after(&self, played: Move) -> i32;

    /// Returns whether the seat to move wins immediately if it passes.
    fn wins_by_passing(&self) -> bool {
        false
    }

    /// Returns whether the seat to move should pass rather than place a stone, given the lead after its best placement.
    fn passes_rather(&self, _lead_by_placing: i32) -> bool {
        false
    }

    /// Returns whether even a bot that plays at random avoids `played`, because games with such moves would hardly ever
    /// end.
    fn is_idle(&self, _played: Move) -> bool {
        false
    }

    /// Returns the move with the best score `depth` plies ahead. Among moves with the same score, one is chosen at
    /// random.
    fn by_alphabeta(&self, depth: u32, random: &mut SplitMix64) -> Move;

    /// Returns the move that was tried most often in `playouts` playouts. `go_on` is called before each playout; when
    /// it returns `false`, there are no more playouts.
    fn by_playouts(&self, playouts: u32, go_on: impl FnMut() -> bool, random: &mut SplitMix64) -> Move
    where
        Self: Sized;
}
