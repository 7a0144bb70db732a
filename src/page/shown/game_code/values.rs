//! Encodes values as text: one letter per position, and better moves.
//!
//! A letter represents a number: 0 to 50 is a margin plus 25, 51 is a win for black and 52 a win for white with an
//! unknown margin, 53 is a draw with an unknown margin, and 54 is an unknown value. The letter of the position before a
//! mistake is followed by `!` and the better move, written like a ply without captures, and, in parentheses, by the plies
//! that would have followed the better move.

use super::moves::coded_alone;
use super::times::LETTERS;
use crate::exact::margin_table::known::KnownMargins;
use crate::game::gothello::Game;
use crate::game::{Outcome, Ruleset, Side};
use crate::referee::record::GameRecord;
use crate::results::analysis::{Analysis, AnalyzedMove};

/// The number of the margin 0.
pub(super) const EVEN: i32 = 25;

/// The values of the positions of a game as text; empty if none is known.
pub fn coded_values(analysis: &Analysis) -> String {
    let moves = &analysis.moves;
    if moves.iter().all(|analyzed| analyzed.before.is_none() && analyzed.after.is_none()) {
        return String::new();
    }
    let mut text = String::with_capacity(moves.len() + 1);
    for (index, AnalyzedMove { before, better, .. }) in moves.iter().enumerate() {
        text.push(letter(*before));
        let Some(better) = better else { continue };
        text.push('!');
        coded_alone(*better, &mut text);
        let line = analysis.lines.after(index);
        if !line.is_empty() {
            text.push('(');
            for &played in line {
                coded_alone(played, &mut text);
            }
            text.push(')');
        }
    }
    text.push(letter(moves.last().and_then(|analyzed| analyzed.after)));
    text
}

/// The values of the first positions in the game of `record`, as letters like those of [`coded_values`]. They end
/// before the first position whose value the program does not know without a search.
///
/// # Panics
/// Panics if a ply of `record` is not legal.
pub fn early_values(record: &GameRecord) -> String {
    let mut text = String::new();
    if record.ruleset != Ruleset::Gothello {
        return text;
    }
    let mut game = Game::default();
    let mut plies = record.plies.iter();
    while let Some(value) = KnownMargins::Embedded.outcome(&game) {
        text.push(letter(Some(value)));
        let Some(ply) = plies.next() else { break };
        game = game.after(ply.played);
    }
    text
}

/// The letter of the value of a position with this margin; `None` stands for an unknown value.
pub fn coded_margin(margin: Option<i8>) -> char {
    letter(margin.map(|margin| Outcome::of_margin(margin.into())))
}

/// Who wins a position whose value has the letter `letter`; `None` if that is unknown.
pub fn winner_of_letter(letter: u8) -> Option<Option<Side>> {
    let number = LETTERS.iter().position(|&known| known == letter)?;
    match i32::try_from(number).ok()? {
        51 => Some(Some(Side::Black)),
        52 => Some(Some(Side::White)),
        53 => Some(None),
        margin @ 0..=50 => Some(Side::ahead(margin - EVEN)),
        _ => None,
    }
}

fn letter(value: Option<Outcome>) -> char {
    let number = match value {
        Some(Outcome { margin: Some(margin), .. }) if margin.abs() <= EVEN => margin + EVEN,
        Some(Outcome { winner: Some(Side::Black), .. }) => 51,
        Some(Outcome { winner: Some(Side::White), .. }) => 52,
        Some(Outcome { winner: None, .. }) => 53,
        None => 54,
    };
    char::from(LETTERS[usize::try_from(number).expect("none is negative")])
}
