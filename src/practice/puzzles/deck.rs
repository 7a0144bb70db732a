//! Puzzles as flash cards, in the text format that Anki imports: one card per line, in columns separated by tabs.
//!
//! The header names the separator and the columns, so the import requires no manual choices. Each card has its own
//! identifier: importing a later deck updates the cards that it shares with an earlier one.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::puzzle_text::{board, task};
use super::{Puzzle, class_of};
use crate::base::hex::hex;
use crate::exact::margin_table::grid::BoardGrid;

/// The puzzles as a deck.
pub fn deck(puzzles: &[Puzzle]) -> String {
    let grid = BoardGrid::new(5);
    let mut text =
        "#separator:tab\n#html:true\n#guid column:1\n#tags column:4\n#columns:Id\tFront\tBack\tTags\n".to_owned();
    for puzzle in puzzles {
        let (own, theirs, passed) = class_of(&grid, &puzzle.game);
        let goal = puzzle.goal;
        let id = hex(&Sha256::digest(format!("gothello {own} {theirs} {passed} {goal:?}"))[..8]);
        let ranks: Vec<String> = (1..=5).rev().zip(board(puzzle).split(' ')).map(rank).collect();
        let front = format!("<pre>{}<br>  a b c d e</pre>{}", ranks.join("<br>"), task(puzzle));
        let _ = writeln!(text, "{id}\t{front}\t{}\tgothello difficulty-{}", puzzle.answer, puzzle.difficulty);
    }
    text
}

fn rank((number, letters): (u32, &str)) -> String {
    let spaced: Vec<&str> = letters
        .chars()
        .map(|letter| match letter {
            'b' => "●",
            'w' => "○",
            _ => "·",
        })
        .collect();
    format!("{number} {}", spaced.join(" "))
}
