//! The positions that the solver supports, by rule set.
//!
//! This connects a game's moves with the solver, for code that is independent of the particular game.

use crate::game::gothello::Game;
use crate::game::{Feature, MissingFeature, Move, Ruleset};

/// A position that the solver supports. If the solver supported a second rule set, this would become an enum.
pub type Solvable = Game;

/// The positions of a game that consists of `moves`, which must be legal: the starting position, then the position
/// after each move.
///
/// # Errors
/// Returns an error if the rule set has no solver.
pub fn positions(ruleset: Ruleset, moves: impl IntoIterator<Item = Move>) -> Result<Vec<Solvable>, MissingFeature> {
    let mut positions = vec![start(ruleset)?];
    for (index, played) in moves.into_iter().enumerate() {
        positions.push(positions[index].after(played));
    }
    Ok(positions)
}

/// The position after the moves `moves`, which must be legal.
///
/// # Errors
/// Returns an error if the rule set has no solver.
pub fn position(ruleset: Ruleset, moves: impl IntoIterator<Item = Move>) -> Result<Solvable, MissingFeature> {
    Ok(moves.into_iter().fold(start(ruleset)?, |position, played| position.after(played)))
}

fn start(ruleset: Ruleset) -> Result<Solvable, MissingFeature> {
    ruleset.require(Feature::Solver)?;
    match ruleset {
        Ruleset::Gothello => Ok(Game::default()),
        Ruleset::Seegover(_) | Ruleset::Quantum(_) => {
            Err(MissingFeature { ruleset: ruleset.name(), feature: Feature::Solver, option: None })
        }
    }
}
