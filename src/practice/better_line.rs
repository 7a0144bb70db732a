//! A line of play that is shown on the board but not played.

use crate::game::{Move, Side};
use crate::practice::board_game::BoardGame;
use crate::results::replay::{Style, board};

/// A line of legal moves from a position.
///
/// Invariant: there is at least one move, and `games` is longer than `moves` by one.
#[derive(Clone, Debug)]
pub(crate) struct BetterLine {
    games: Vec<BoardGame>,
    moves: Vec<Move>,
}

impl BetterLine {
    /// The line `moves` from the position `before`, up to its first illegal move; `None` if the first move is illegal.
    pub(crate) fn new(before: &BoardGame, moves: &[Move]) -> Option<Self> {
        let (mut games, mut played) = (vec![before.clone()], Vec::new());
        for &next in moves {
            let mut game = games[games.len() - 1].clone();
            if game.position_mut().play(next.as_str()).is_err() {
                break;
            }
            games.push(game);
            played.push(next);
        }
        (!played.is_empty()).then_some(Self { games, moves: played })
    }

    /// The number of moves in the line.
    pub(crate) const fn moves(&self) -> usize {
        self.moves.len()
    }

    /// The position after `moves` moves of the line, which must have at least that many.
    pub(crate) fn game(&self, moves: usize) -> &BoardGame {
        &self.games[moves]
    }

    /// The last of the first `moves` moves, and the side that makes it.
    pub(crate) fn last(&self, moves: usize) -> Option<(Move, Side)> {
        let index = moves.checked_sub(1)?;
        Some((*self.moves.get(index)?, self.games[index].position().to_move()))
    }

    /// Describes in words the last of the first `moves` moves of the line.
    pub(crate) fn heading(&self, moves: usize) -> String {
        match self.last(moves) {
            None => "better line: the position before your move".to_owned(),
            Some((played, side)) => format!("better line, move {moves} of {}: {played} by {side}", self.moves()),
        }
    }

    /// The heading and the board after each move of the line.
    pub(crate) fn text(&self, style: Style) -> String {
        let mut text = String::new();
        for moves in 1..=self.moves() {
            let [now, before] = [moves, moves - 1].map(|moves| self.games[moves].position().to_string());
            let last = self.last(moves).map(|(played, _)| played);
            text = text + "\n" + &self.heading(moves) + "\n\n" + &board(&now, &before, last, style);
        }
        text + "\nback in the game\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Ruleset;

    #[test]
    fn a_line_is_shown_move_by_move_as_far_as_it_is_legal() {
        let start = BoardGame::start(Ruleset::Gothello);
        let moves: Vec<Move> = ["c3", "b2", "b2", "a1"].map(|text| text.parse().expect("a move")).to_vec();
        let line = BetterLine::new(&start, &moves).expect("two moves are legal");
        assert_eq!((line.moves(), line.last(0), line.last(2)), (2, None, Some((moves[1], Side::White))));
        let text = line.text(Style::PLAIN);
        assert!(text.contains("better line, move 1 of 2: c3 by black\n\n5 . . ."), "{text}");
        assert!(text.contains("2 .[w]. . .") && text.ends_with("\nback in the game\n"), "{text}");
        assert!(BetterLine::new(&start, &[]).is_none());
    }
}
