//! Compares the rules with positions from the arena's own rules, and asks the bot for a move in each of them.
//!
//! Run it with `make test`. Each line of vectors.json contains a board, the side to move, its legal points, and one
//! move with the board after it.

use crate::gothello_client::TimeControl;
use crate::rules::{self, Board};
use crate::{Random, choose, plan_turn};

/// The string that belongs to `key` in a line of JSON without escapes.
fn value<'a>(line: &'a str, key: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!("\"{key}\":\"")).expect(key);
    rest.split('"').next().expect(key)
}

fn board(text: &str) -> Board {
    text.as_bytes().try_into().expect("25 points")
}

/// Calls `check` with the board, the side to move and the line of each position.
fn for_each_vector(mut check: impl FnMut(&Board, u8, &str)) {
    let lines: Vec<&str> = include_str!("vectors.json").lines().filter(|line| line.starts_with('{')).collect();
    assert_eq!(lines.len(), 500);
    for line in lines {
        check(&board(value(line, "board")), value(line, "to_move").as_bytes()[0], line);
    }
}

#[test]
fn legal_points() {
    for_each_vector(|board, side, line| {
        let legal: Vec<String> = rules::legal_points(board, side).into_iter().map(|p| rules::name(Some(p))).collect();
        assert_eq!(legal.join(" "), value(line, "legal"), "{line}");
    });
}

#[test]
fn moves() {
    for_each_vector(|position, side, line| {
        let after = rules::play(position, side, rules::named(value(line, "move")));
        assert_eq!(after, board(value(line, "after")), "{line}");
    });
}

#[test]
fn the_bot_chooses_legal_moves() {
    for_each_vector(|board, side, line| {
        let legal = rules::legal_points(board, side);
        match choose(board, side, false, plan_turn(None, TimeControl::default()), &[], &mut Random(1)) {
            Some(point) => assert!(legal.contains(&point), "{line}"),
            None => assert!(legal.is_empty(), "{line}"),
        }
    });
}
