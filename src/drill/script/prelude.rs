//! The moves before the mode that a bot plays for its team.

use crate::base::random::SplitMix64;
use crate::game::quantum::Mode;
use crate::game::{Move, Ruleset};

/// How many random games to play at most to find a game that reaches the mode.
const TRIES: u64 = 16;

/// Random moves from the start of a game of `ruleset` to the beginning of `mode`, chosen by `seed`; empty if games
/// begin in this mode.
pub(super) fn moves_before(mode: Mode, ruleset: Ruleset, seed: u64) -> Vec<Move> {
    (0..TRIES).find_map(|attempt| played_until(mode, ruleset, seed.wrapping_add(attempt))).unwrap_or_default()
}

/// The moves of one random game before `mode`; `None` if the game ends without reaching it.
fn played_until(mode: Mode, ruleset: Ruleset, seed: u64) -> Option<Vec<Move>> {
    let (mut position, mut random, mut moves) = (ruleset.start(), SplitMix64::new(seed), Vec::new());
    while position.mode()? != mode {
        let legal = position.legal_moves();
        let chosen = usize::try_from(random.below(legal.len() as u64)).ok()?;
        let played = position.play(legal.get(chosen)?.as_str()).ok()?;
        moves.push(played);
    }
    Some(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moves_end_where_the_mode_begins() {
        for ruleset in ["quantum", "quantum-8", "quantum-8-4p", "quantum-6p"] {
            let ruleset: Ruleset = ruleset.parse().expect("a rule set");
            for &mode in ruleset.modes() {
                let moves = moves_before(mode, ruleset, 7);
                let mut position = ruleset.start();
                for played in &moves {
                    assert_ne!(position.mode(), Some(mode), "{ruleset}: {mode} begins before the last of {moves:?}");
                    position.play(played.as_str()).expect("legal");
                }
                assert_eq!(position.mode(), Some(mode), "{ruleset}");
                assert_eq!(moves.is_empty(), mode == ruleset.modes()[0]);
                assert_eq!(moves, moves_before(mode, ruleset, 7), "the seed decides");
            }
        }
    }
}
