//! Decodes text into plies and times, as a page's script does.

use std::iter::Peekable;
use std::str::Chars;
use std::time::Duration;

use thiserror::Error;

use super::board::{CodeBoard, POINTS};
use super::ply_part::PlyPart;
use super::times::{LETTERS, STEPS, UNKNOWN};
use crate::game::Side;

/// One ply of a coded game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodedPly {
    /// The side that moved.
    pub side: Side,
    /// The canonical text of the move.
    pub played: String,
    /// The board after the ply.
    pub board: CodeBoard,
}

/// The text is not a valid code of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a valid game code")]
pub struct BadCode;

/// Decodes the plies of `moves`, played on an empty board.
///
/// # Errors
/// Fails if `moves` is not a valid code.
pub fn decoded_moves(moves: &str) -> Result<Vec<CodedPly>, BadCode> {
    let mut letters = moves.chars().peekable();
    let (mut board, mut next) = (CodeBoard::default(), Side::Black);
    let mut plies = Vec::new();
    while letters.peek().is_some() {
        let side = if letters.next_if_eq(&'~').is_some() { next.opponent() } else { next };
        next = side.opponent();
        let mut parts = vec![part(&mut letters)?];
        while letters.next_if_eq(&'+').is_some() {
            parts.push(part(&mut letters)?);
        }
        for part in &parts {
            board.apply(part, side);
        }
        plies.push(CodedPly { side, played: text_of(&parts), board });
    }
    Ok(plies)
}

fn part(letters: &mut Peekable<Chars<'_>>) -> Result<PlyPart, BadCode> {
    if letters.next_if_eq(&'Z').is_some() {
        return Ok(PlyPart::default());
    }
    let emptied = letters.next_if(char::is_ascii_lowercase);
    let emptied = emptied.map(|letter| point(letter.to_ascii_uppercase())).transpose()?;
    let placed = Some(point(letters.next().ok_or(BadCode)?)?);
    let mut flips = Vec::new();
    if letters.next_if_eq(&'(').is_some() {
        loop {
            match letters.next().ok_or(BadCode)? {
                ')' => break,
                letter => flips.push(point(letter)?),
            }
        }
    }
    Ok(PlyPart { emptied, placed, flips })
}

/// The number of the point with the capital letter `letter`.
fn point(letter: char) -> Result<u8, BadCode> {
    let number = u32::from(letter).checked_sub(u32::from('A')).and_then(|number| u8::try_from(number).ok());
    number.filter(|&number| usize::from(number) < POINTS).ok_or(BadCode)
}

/// The canonical text of a move that consists of `parts`.
fn text_of(parts: &[PlyPart]) -> String {
    let mut text = String::new();
    for part in parts {
        let Some(placed) = part.placed else { return "pass".to_owned() };
        match part.emptied {
            // The second half of a return begins where the first half ended.
            Some(_) if !text.is_empty() => text.push('-'),
            Some(from) => text.extend([name(from), "-".to_owned()]),
            None if !text.is_empty() => text.push('+'),
            None => {}
        }
        text.push_str(&name(placed));
    }
    text
}

fn name(point: u8) -> String {
    format!("{}{}", char::from(b'a' + point % 5), point / 5 + 1)
}

/// Decodes the times in `times`, which are in the order of the plies.
///
/// # Errors
/// Fails if `times` is not a valid code.
pub fn decoded_times(times: &str) -> Result<Vec<Option<Duration>>, BadCode> {
    let digit = |letter: u8| LETTERS.iter().position(|&other| other == letter).and_then(|at| u16::try_from(at).ok());
    let mut decoded = Vec::with_capacity(times.len() / 2);
    for pair in times.as_bytes().chunks(2) {
        let &[high, low] = pair else { return Err(BadCode) };
        let number = digit(high).ok_or(BadCode)? << 6 | digit(low).ok_or(BadCode)?;
        let microseconds = f64::exp2(f64::from(number) / STEPS) - 1.0;
        decoded.push((number != UNKNOWN).then(|| Duration::from_secs_f64(microseconds / 1e6)));
    }
    Ok(decoded)
}
