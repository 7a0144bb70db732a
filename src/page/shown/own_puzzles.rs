//! Puzzles from a player's own games.

/// A position in which a player missed the only right move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnPuzzle {
    /// The index of the game in the page's games.
    pub game: usize,
    /// The number of plies before the position.
    pub plies: usize,
    /// The ranks of the board from the top, in the letters `b`, `w` and `.`.
    pub ranks: Vec<String>,
    /// The reader's task, as a sentence.
    pub task: String,
    /// The only right move.
    pub answer: String,
}
