//! The moves of games with several boards, or with boards larger than 5x5, as text: the changes at every ply.
//!
//! ```text
//! moves  = ply*
//! ply    = ">"* ( "!" | field ("/" field)? ) (change+ ";")?
//! change = ":" field+        these stones take the mover's colour
//!        | "." field+        these stones are taken off
//!        | "(" field+        black stones appear
//!        | ")" field+        white stones appear
//! ```
//!
//! Each `>` stands for a mode that ended before the ply. `!` is a pass; the first field of any other ply gets the
//! mover's stone, and the one after `/` is the far end of a row, which is only part of the move's text. A field is a
//! base-64 number, with one digit if there are at most 64 fields, and with two otherwise. Black moves first, and the
//! sides alternate.

use super::times::LETTERS;
use super::{Uncodable, UncodableMove};
use crate::game::{Move, Side};
use crate::page::shown::layers::{Layers, PageMode, mode_at, page_modes};
use crate::referee::record::GameRecord;

/// The moves of `record` as text.
pub(super) fn coded(record: &GameRecord) -> Result<String, Uncodable> {
    let (layers, modes) = (Layers::of(record.ruleset), page_modes(record.ruleset));
    let mut writer =
        PlyWriter { is_long: layers.fields() > LETTERS.len(), text: String::with_capacity(6 * record.plies.len()) };
    let mut position = record.ruleset.start();
    let (mut before, mut mode) = (layers.letters(&*position), 0);
    for (index, ply) in record.plies.iter().enumerate() {
        let uncodable = |problem| Uncodable { ply: index + 1, played: ply.played, problem };
        let side = position.to_move();
        let now = mode_at(&modes, mode, &*position);
        (mode..now).for_each(|_| writer.text.push('>'));
        mode = now;
        let placed = fields(ply.played, &modes, mode, &layers).map_err(uncodable)?;
        position.play(ply.played.as_str()).map_err(|illegal| uncodable(illegal.into()))?;
        let after = layers.letters(&*position);
        writer.write(&placed, side, &before, &after);
        before = after;
    }
    Ok(writer.text)
}

/// The fields that `played` names, none for a pass.
fn fields(played: Move, modes: &[PageMode], mode: usize, layers: &Layers) -> Result<Vec<usize>, UncodableMove> {
    if played.is_pass() {
        return Ok(Vec::new());
    }
    let layer = modes.get(mode).map_or(0, |mode| mode.1);
    let named = played.as_str().split('-').map(|name| layers.field(layer, name));
    named.collect::<Option<Vec<usize>>>().ok_or(UncodableMove::Unexplained)
}

/// The text so far.
struct PlyWriter {
    /// Whether a field has two digits.
    is_long: bool,
    text: String,
}

impl PlyWriter {
    fn field(&mut self, field: usize) {
        if self.is_long {
            self.text.push(char::from(LETTERS[field / LETTERS.len()]));
        }
        self.text.push(char::from(LETTERS[field % LETTERS.len()]));
    }

    /// Writes a ply by `side` that names the fields `named` and changes the letters from `before` to `after`.
    fn write(&mut self, named: &[usize], side: Side, before: &[u8], after: &[u8]) {
        match *named {
            [] => self.text.push('!'),
            [at] => self.field(at),
            [at, far, ..] => {
                self.field(at);
                self.text.push('/');
                self.field(far);
            }
        }
        let mover = letter(side);
        let placed = |field: usize| named.first() == Some(&field);
        // The stone that the ply places is implied, unless it has been removed again.
        let changed = |field: &usize| {
            let was = if placed(*field) { mover } else { before[*field] };
            was != after[*field]
        };
        let changed: Vec<usize> = (0..before.len()).filter(changed).collect();
        let is_turned = |field: usize| before[field] != b'.' && after[field] == mover;
        let ends = if changed.is_empty() { "" } else { ";" };
        for (sign, letter) in [(':', mover), ('.', b'.'), ('(', b'b'), (')', b'w')] {
            let group = |&field: &usize| after[field] == letter && is_turned(field) == (sign == ':');
            let group: Vec<usize> = changed.iter().copied().filter(group).collect();
            if !group.is_empty() {
                self.text.push(sign);
                for field in group {
                    self.field(field);
                }
            }
        }
        self.text.push_str(ends);
    }
}

/// The letter of a side's stones.
const fn letter(side: Side) -> u8 {
    match side {
        Side::Black => b'b',
        Side::White => b'w',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_is_written_as_the_fields_that_change() {
        let write = |is_long, named: &[usize], side, before: &str, after: &str| {
            let mut writer = PlyWriter { is_long, text: String::new() };
            writer.write(named, side, before.as_bytes(), after.as_bytes());
            writer.text
        };
        assert_eq!(write(false, &[0], Side::Black, "....", "b..."), "A");
        assert_eq!(write(false, &[0], Side::Black, ".wwb", "bbbb"), "A:BC;", "turned over");
        assert_eq!(write(false, &[0, 3], Side::Black, ".wwb", "bbbb"), "A/D:BC;", "with the far end of the row");
        assert_eq!(write(true, &[1], Side::White, "b.b.", ".w.."), "AB.AAAC;", "taken off");
        assert_eq!(write(false, &[1], Side::White, "b.b.", "b.b."), "B.B;", "gone at once");
        assert_eq!(write(false, &[], Side::White, "bw..", ".wbw"), "!.A(C)D;", "a pass that changes stones");
    }
}
