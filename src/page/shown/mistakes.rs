//! The worst mistakes of each player.

use std::cmp::Reverse;

use crate::game::{BySide, Outcome, Side};
use crate::results::analysis::{Analysis, AnalyzedMove, MoveQuality};

/// The maximum number of mistakes that a page shows for each player.
pub(super) const WORST: usize = 10;

/// A move that lost something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownMistake {
    /// The ply, from 1.
    pub(super) ply: usize,
    /// The move.
    pub(super) analyzed: AnalyzedMove,
}

impl ShownMistake {
    /// The mistakes in a game, excluding moves from the opening.
    pub(super) fn all_of(analysis: &Analysis) -> Vec<Self> {
        let is_mistake = |analyzed: &AnalyzedMove| {
            !analyzed.given && matches!(analyzed.quality(), Some(MoveQuality::Blunder | MoveQuality::LostStones))
        };
        let moves = (1..).zip(&analysis.moves).filter(|(_, analyzed)| is_mistake(analyzed));
        moves.map(|(ply, &analyzed)| Self { ply, analyzed }).collect()
    }

    /// The ply, from 1, if the move changed who wins.
    pub fn lost_result(&self) -> Option<usize> {
        let (before, after) = self.analyzed.before.zip(self.analyzed.after)?;
        (before.winner != after.winner).then_some(self.ply)
    }

    /// The side that made the move, and how many points were empty before it.
    pub const fn by(&self) -> (Side, u32) {
        (self.analyzed.side, self.analyzed.empty)
    }

    /// The size of the mistake: first by the half points that it gave away, then by the stones.
    fn weight(&self) -> (u8, u32) {
        let winner = |value: Option<Outcome>| value.map(|value| value.winner);
        let halves = match (winner(self.analyzed.before), winner(self.analyzed.after)) {
            (Some(before), Some(after)) if before == after => 0,
            (Some(Some(_)), Some(Some(_))) => 2,
            _ => 1,
        };
        (halves, self.analyzed.lost().unwrap_or(0))
    }

    /// The loss caused by the move: `blunder: white wins by 1 instead of black by 3`.
    pub(super) fn loss(&self) -> String {
        AnalyzedMove { better: None, ..self.analyzed }.comment().unwrap_or_default()
    }
}

/// Each player's worst mistakes, the worst first: the index of the game in `games`, and the ply. Equal mistakes are in
/// the order in which they were made. The seats in `games` number the players from 0 to `players` - 1.
pub(super) fn worst_mistakes<'g>(
    players: usize,
    games: impl Iterator<Item = (BySide<usize>, &'g [ShownMistake])>,
) -> Vec<Vec<(usize, usize)>> {
    let mut all = vec![Vec::new(); players];
    for (game, (seats, mistakes)) in games.enumerate() {
        for mistake in mistakes {
            all[seats[mistake.analyzed.side]].push((Reverse(mistake.weight()), game, mistake.ply));
        }
    }
    let worst = |mut own: Vec<(_, usize, usize)>| {
        own.sort_unstable();
        own.into_iter().take(WORST).map(|(_, game, ply)| (game, ply)).collect()
    };
    all.into_iter().map(worst).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;
    use crate::results::analysis::{BetterLines, Phase};

    /// A ply by `side` between positions with the values `before` and `after`.
    fn analyzed(side: Side, before: impl Into<Option<Outcome>>, after: impl Into<Option<Outcome>>) -> AnalyzedMove {
        let (before, after) = (before.into(), after.into());
        let played = "c3".parse().expect("a move");
        AnalyzedMove {
            side,
            played,
            empty: 9,
            phase: Phase::Middle,
            given: false,
            before,
            after,
            depths: [None; 2],
            better: None,
        }
    }

    fn margin(margin: i32) -> Outcome {
        Outcome::of_margin(margin)
    }

    const UNKNOWN: Option<Outcome> = None;
    const WON: Option<Outcome> = Some(Outcome { winner: Some(Side::Black), margin: None });
    const LOST: Option<Outcome> = Some(Outcome { winner: Some(Side::White), margin: None });

    fn mistakes(moves: Vec<AnalyzedMove>) -> Vec<ShownMistake> {
        ShownMistake::all_of(&Analysis { ruleset: Ruleset::Gothello, moves, lines: BetterLines::default() })
    }

    #[test]
    fn mistakes_are_analyzed_moves_of_players_that_lost_something() {
        let (black, white) = (Side::Black, Side::White);
        let given = AnalyzedMove { given: true, ..analyzed(black, margin(3), margin(-3)) };
        let found = mistakes(vec![
            given,
            analyzed(white, margin(3), margin(3)),
            analyzed(black, margin(3), margin(1)),
            analyzed(white, UNKNOWN, margin(1)),
            analyzed(black, WON, LOST),
        ]);
        assert_eq!(found.iter().map(|mistake| mistake.ply).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(found[0].loss(), "lost 2 stones: black wins by 1 instead of black by 3");
        assert_eq!(found[1].loss(), "blunder: white wins instead of black");
    }

    #[test]
    fn the_worst_mistakes_come_first_and_there_are_ten() {
        let (black, white) = (Side::Black, Side::White);
        let first = mistakes(vec![
            analyzed(black, margin(9), margin(1)),
            analyzed(white, margin(-2), margin(0)),
            analyzed(black, margin(1), margin(0)),
            analyzed(white, margin(-1), margin(0)),
        ]);
        let second = mistakes(vec![analyzed(white, WON, WON), analyzed(white, WON, WON), analyzed(black, WON, LOST)]);
        // The same players with swapped colours.
        let seats = [BySide { black: 0, white: 1 }, BySide { black: 1, white: 0 }];
        let worst = worst_mistakes(3, seats.into_iter().zip([&*first, &*second]));
        assert_eq!(worst, [vec![(0, 3), (0, 1)], vec![(1, 3), (0, 2), (0, 4)], vec![]]);
        let many = mistakes(vec![analyzed(black, margin(2), margin(1)); 25]);
        let worst = worst_mistakes(2, [(seats[0], &*many)].into_iter());
        assert_eq!(worst[0], (1..=10).map(|ply| (0, ply)).collect::<Vec<_>>());
    }
}
