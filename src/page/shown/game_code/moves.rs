//! Encodes moves as text.

use super::board::CodeBoard;
use super::ply_part::PlyPart;
use super::{Uncodable, UncodableMove};
use crate::game::{Move, Position, Ruleset, Side};
use crate::referee::record::GameRecord;

/// The moves of `record` as text.
pub(super) fn coded(record: &GameRecord) -> Result<String, Uncodable> {
    let mut position = record.ruleset.start();
    let mut before = CodeBoard::of(position.as_ref());
    let mut text = String::with_capacity(4 * record.plies.len());
    let mut expected = Side::Black;
    for (index, ply) in record.plies.iter().enumerate() {
        let uncodable = |problem| Uncodable { ply: index + 1, played: ply.played, problem };
        let side = position.to_move();
        if side != expected {
            text.push('~');
        }
        expected = side.opponent();
        let middle = middle(record.ruleset, position.as_ref(), ply.played);
        let played = position.play(ply.played.as_str()).map_err(|illegal| uncodable(illegal.into()))?;
        let after = CodeBoard::of(position.as_ref());
        write_all(&explained(side, played, before, middle, after).map_err(uncodable)?, &mut text);
        before = after;
    }
    Ok(text)
}

/// The single ply `played`, which turned the position `before` of `ruleset` into `after`.
pub(super) fn coded_ply(
    ruleset: Ruleset,
    [before, after]: [&dyn Position; 2],
    played: Move,
) -> Result<String, UncodableMove> {
    let middle = middle(ruleset, before, played);
    let mut text = String::new();
    let side = before.to_move();
    write_all(&explained(side, played, CodeBoard::of(before), middle, CodeBoard::of(after))?, &mut text);
    Ok(text)
}

/// The parts of the move `played` by `side`, which turned the board `before` into `after` via `middle`.
fn explained(
    side: Side,
    played: Move,
    before: CodeBoard,
    middle: Option<CodeBoard>,
    after: CodeBoard,
) -> Result<Vec<PlyPart>, UncodableMove> {
    let parts = parts(played, before, middle, after);
    let reached = parts.iter().fold(before, |mut board, part| {
        board.apply(part, side);
        board
    });
    if reached == after { Ok(parts) } else { Err(UncodableMove::Unexplained) }
}

/// The board between the two halves of `played`, if it has two.
fn middle(ruleset: Ruleset, position: &dyn Position, played: Move) -> Option<CodeBoard> {
    // In the current games, only moves with two dashes have two halves, so the text of a board is made only for these.
    let has_halves = played.as_str().matches('-').count() == 2;
    let text = has_halves.then(|| ruleset.between(&position.to_string(), played))??;
    Some(CodeBoard::of_text(&text))
}

/// The move `played` without its captures, as used for the better move of a mistake.
pub(super) fn coded_alone(played: Move, text: &mut String) {
    write_all(&places(played), text);
}

fn write_all(parts: &[PlyPart], text: &mut String) {
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            text.push('+');
        }
        part.write(text);
    }
}

/// The parts of `played`, which turned the board `before` into `after` via `middle`.
fn parts(played: Move, before: CodeBoard, middle: Option<CodeBoard>, after: CodeBoard) -> Vec<PlyPart> {
    let mut parts = places(played);
    match (&mut parts[..], middle) {
        ([first, second], Some(middle)) => {
            first.flips = before.flips(&middle, first.placed);
            second.flips = middle.flips(&after, second.placed);
        }
        ([.., last], _) => last.flips = before.flips(&after, last.placed),
        ([], _) => {}
    }
    parts
}

/// The parts of `played` without captures: `pass`, `c3`, `a1+c4`, `b1-a1` or `b1-a1-b1`.
fn places(played: Move) -> Vec<PlyPart> {
    let text = played.as_str();
    let mut parts = Vec::with_capacity(2);
    for one in text.split('+') {
        let points: Vec<Option<u8>> = one.split('-').map(point).collect();
        match points[..] {
            [at] => parts.push(PlyPart { placed: at, ..PlyPart::default() }),
            _ => parts.extend(points.windows(2).map(|ends| PlyPart {
                emptied: ends[0],
                placed: ends[1],
                flips: Vec::new(),
            })),
        }
    }
    parts
}

/// The number of the point that `text` names; `None` for anything else, such as a pass.
fn point(text: &str) -> Option<u8> {
    match *text.as_bytes() {
        [file @ b'a'..=b'e', rank @ b'1'..=b'5'] => Some((rank - b'1') * 5 + (file - b'a')),
        _ => None,
    }
}
