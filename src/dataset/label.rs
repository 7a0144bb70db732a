//! The value and the best moves of a position under best play.

use serde::{Deserialize, Serialize};

use super::move_places::{MOVES, marked, place_of};
use super::symmetry::image_of_move;
use crate::exact::solver::{Question, Solver, Unsolved};
use crate::game::gothello::Game;
use crate::game::{Move, Position as _, Side};

/// The value of an illegal move.
pub const ILLEGAL_MOVE: i8 = -128;

/// An unknown value.
pub const UNKNOWN: i8 = 127;

/// The facts to find out about each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelWish {
    /// The margin, or only the winner.
    pub question: Question,
    /// Whether to find the value of each move.
    pub moves: bool,
}

/// The known facts about a position, from the point of view of the side to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactLabel {
    /// 1 if the side to move wins, 0 for a draw, -1 if it loses.
    pub winner: i8,
    /// The margin; `None` if it was not requested.
    pub margin: Option<i8>,
    /// The places of the moves that keep the margin, or the winner if only the winner is known.
    pub best: Vec<u8>,
    /// The margin after each legal move, in the order of the moves' places; `None` if these margins were not requested.
    pub values: Option<Vec<i8>>,
}

impl ExactLabel {
    /// The best moves, as a list with a 1 at the place of each.
    pub fn marks(&self) -> [u8; MOVES] {
        let mut marks = [0; MOVES];
        self.best.iter().for_each(|&place| marks[usize::from(place)] = 1);
        marks
    }

    /// The margin after each move in `game`, at the move's place. `game` has this label.
    pub fn values(&self, game: &Game) -> [i8; MOVES] {
        let mut all = marked(game.legal_moves()).map(|legal| if legal == 1 { UNKNOWN } else { ILLEGAL_MOVE });
        if let Some(values) = &self.values {
            let legal = all.iter_mut().filter(|value| **value == UNKNOWN);
            legal.zip(values).for_each(|(place, &value)| *place = value);
        }
        all
    }

    /// The label of the image of `game` under the symmetry with the number `image`. `game` has this label.
    #[must_use]
    pub fn of_image(&self, game: &Game, image: u8) -> Self {
        let mut moves = game.legal_moves();
        moves.sort_by_key(|&played| place_of(played));
        let place = |played: Move| u8::try_from(place_of(image_of_move(played, image))).expect("less than 26");
        let is_best = |played: &Move| self.best.iter().any(|&best| usize::from(best) == place_of(*played));
        let mut best: Vec<u8> = moves.iter().copied().filter(is_best).map(place).collect();
        best.sort_unstable();
        let values = self.values.as_ref().map(|values| {
            let mut valued: Vec<(u8, i8)> =
                moves.iter().map(|&played| place(played)).zip(values.iter().copied()).collect();
            valued.sort_unstable();
            valued.into_iter().map(|(_, value)| value).collect()
        });
        Self { best, values, ..*self }
    }
}

/// Finds the label of `game`, which must not be over.
///
/// # Errors
/// Fails if a limit of `solver` is reached.
pub fn label(solver: &mut Solver<'_>, game: &Game, wish: LabelWish) -> Result<ExactLabel, Unsolved> {
    let for_mover = |side: Side, margin: i32| {
        i8::try_from(if side == Side::Black { margin } else { -margin }).expect("a margin is at most 25")
    };
    let margin = match wish.question {
        Question::Margin => Some(for_mover(game.side(), solver.margin(game)?)),
        Question::Winner => None,
    };
    let winner = match margin {
        Some(margin) => margin.signum(),
        None => match solver.winner(game)? {
            None => 0,
            Some(winner) => {
                if winner == game.side() {
                    1
                } else {
                    -1
                }
            }
        },
    };
    let mut best: Vec<u8> = Vec::new();
    for played in solver.best_moves(game, wish.question)? {
        best.push(u8::try_from(place_of(played)).expect("less than 26"));
    }
    best.sort_unstable();
    let values = if wish.moves {
        let mut moves = game.legal_moves();
        moves.sort_by_key(|&played| place_of(played));
        let value = |played: Move| Ok(for_mover(game.side(), solver.margin(&game.after(played))?));
        Some(moves.into_iter().map(value).collect::<Result<_, Unsolved>>()?)
    } else {
        None
    };
    Ok(ExactLabel { winner, margin, best, values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::sample::random_game;
    use crate::dataset::symmetry::{IMAGES, image};
    use crate::exact::solver::TranspositionTable;

    #[test]
    fn the_label_of_an_image_is_what_the_solver_finds_for_it() {
        let wish = LabelWish { question: Question::Margin, moves: true };
        for seed in 0..3 {
            let mut game = Game::default();
            for played in random_game(seed) {
                if game.empty_points() > 9 {
                    game = game.after(played);
                }
            }
            let table = TranspositionTable::for_game(&game);
            let mut solver = Solver::new(&table);
            let found = label(&mut solver, &game, wish).expect("no limit");
            for number in 0..IMAGES {
                let of_image = label(&mut solver, &image(&game, number), wish).expect("no limit");
                assert_eq!(found.of_image(&game, number), of_image, "{game} {number}");
            }
        }
    }

    #[test]
    fn a_label_has_the_margin_for_the_side_to_move_and_the_moves_that_keep_it() {
        let board = ".bbw. .wwb. w.bww .b.bw bww..".parse().expect("a board");
        let game = Game::from_board(board, Side::Black);
        let table = TranspositionTable::for_game(&game);
        let wish = LabelWish { question: Question::Margin, moves: true };
        let found = label(&mut Solver::new(&table), &game, wish).expect("no limit");
        // These values are given in docs/measure/solution.md.
        assert_eq!((found.winner, found.margin), (-1, Some(-4)));
        assert_eq!(found.best, [u8::try_from(place_of("a4".parse().expect("a move"))).expect("small")]);
        let values = found.values(&game);
        assert_eq!(values.iter().filter(|&&value| value != ILLEGAL_MOVE).max(), Some(&-4));
        assert_eq!((values[place_of("a4".parse().expect("a move"))], values[1]), (-4, ILLEGAL_MOVE));
        let wish = LabelWish { question: Question::Winner, moves: false };
        let found = label(&mut Solver::new(&table), &game, wish).expect("no limit");
        assert_eq!((found.winner, found.margin, found.best.len()), (-1, None, game.legal_moves().len()));
    }
}
