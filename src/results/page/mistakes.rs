//! The worst mistakes of each player.

use std::cmp::Reverse;

use crate::game::rules::{BySide, Outcome};
use crate::results::analysis::{Analysis, JudgedMove, Mark};

/// The most mistakes of a player that a page shows.
pub(super) const WORST: usize = 10;

/// A move that lost something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownMistake {
    /// The ply, from 1.
    pub(super) ply: usize,
    /// The move.
    pub(super) judged: JudgedMove,
}

impl ShownMistake {
    /// The mistakes in a game, but for moves that the opening gave.
    pub(super) fn all_of(analysis: &Analysis) -> Vec<Self> {
        let is_mistake =
            |judged: &JudgedMove| !judged.given && matches!(judged.mark(), Some(Mark::Blunder | Mark::LostStones));
        let moves = (1..).zip(&analysis.moves).filter(|(_, judged)| is_mistake(judged));
        moves.map(|(ply, &judged)| Self { ply, judged }).collect()
    }

    /// How bad the mistake is: first the halves of a point that it gave away, then the stones.
    fn weight(&self) -> (u8, u32) {
        let winner = |value: Option<Outcome>| value.map(|value| value.winner);
        let halves = match (winner(self.judged.before), winner(self.judged.after)) {
            (Some(before), Some(after)) if before == after => 0,
            (Some(Some(_)), Some(Some(_))) => 2,
            _ => 1,
        };
        (halves, self.judged.lost().unwrap_or(0))
    }

    /// What the move lost: `blunder: white wins by 1 instead of black by 3`.
    pub(super) fn loss(&self) -> String {
        JudgedMove { better: None, ..self.judged }.comment().unwrap_or_default()
    }
}

/// The worst mistakes of each of so many `players`, the worst first: the place of the game in `games`, and the ply. Of equal
/// mistakes, the earlier one comes first.
pub(super) fn worst_mistakes<'g>(
    players: usize,
    games: impl Iterator<Item = (BySide<usize>, &'g [ShownMistake])>,
) -> Vec<Vec<(usize, usize)>> {
    let mut all: Vec<Vec<(Reverse<(u8, u32)>, usize, usize)>> = vec![Vec::new(); players];
    for (game, (seats, mistakes)) in games.enumerate() {
        for mistake in mistakes {
            all[seats[mistake.judged.side]].push((Reverse(mistake.weight()), game, mistake.ply));
        }
    }
    let worst = |mut own: Vec<(_, usize, usize)>| {
        own.sort_unstable();
        own.into_iter().take(WORST).map(|(_, game, ply)| (game, ply)).collect()
    };
    all.into_iter().map(worst).collect()
}
