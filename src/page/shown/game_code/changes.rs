//! The moves of games with several boards, or with boards larger than 5x5, as text: the changes at every ply.
//!
//! ```text
//! moves  = ply* (out+ "$")?
//! ply    = (">" | out | to)* ( "!" | field ("/" field)? ) (change+ ";")?
//! out    = "^" seat          this seat drops out
//! to     = "@" seat          this seat moves, although it is not the next one
//! change = ":" field+        these stones take the mover's colour
//!        | "." field+        these stones are taken off
//!        | "(" field+        stones of black, or of seat 1, appear
//!        | ")" field+        stones of white, or of seat 2, appear
//!        | "[" field+        stones of seat 3 appear, and so on with "]", "{" and "}"
//! ```
//!
//! Each `>` stands for a mode that ended before the ply. `!` is a pass; the first field of any other ply gets the
//! mover's stone, and the field after `/` is the far end of a row, which matters only for the text of the move. A field
//! is a base-64 number, with one digit if there are at most 64 fields, and with two otherwise. Black moves first, and
//! the sides alternate; with more seats, seat 1 moves first, and then each remaining seat in turn.

use super::times::LETTERS;
use super::{Uncodable, UncodableMove};
use crate::game::{BySeat, Move, Position, Ruleset, Seat};
use crate::page::shown::layers::{Layers, PageMode, mode_at, page_modes};
use crate::referee::record::{GameRecord, GroupRecord};

/// The moves of `record` as text.
pub(super) fn coded(record: &GameRecord) -> Result<String, Uncodable> {
    let (layers, modes) = (Layers::of(record.ruleset), page_modes(record.ruleset));
    let mut writer = PlyWriter::new(&layers, record.plies.len());
    let mut position = record.ruleset.start();
    let (mut before, mut mode) = (layers.letters(&*position), 0);
    for (index, ply) in record.plies.iter().enumerate() {
        let uncodable = |problem| Uncodable { ply: index + 1, played: ply.played, problem };
        let mover = position.to_move().letter() as u8;
        let now = mode_at(&modes, mode, &*position);
        (mode..now).for_each(|_| writer.text.push('>'));
        mode = now;
        let placed = fields(ply.played, &modes, mode, &layers).map_err(uncodable)?;
        position.play(ply.played.as_str()).map_err(|illegal| uncodable(illegal.into()))?;
        let after = layers.letters(&*position);
        writer.write(&placed, mover, &before, &after);
        before = after;
    }
    Ok(writer.text)
}

/// The single ply `played`, which turned the position `before` of `ruleset` into `after`.
pub(super) fn coded_ply(
    ruleset: Ruleset,
    [before, after]: [&dyn Position; 2],
    played: Move,
) -> Result<String, UncodableMove> {
    let (layers, modes) = (Layers::of(ruleset), page_modes(ruleset));
    let named = fields(played, &modes, mode_at(&modes, 0, before), &layers)?;
    let mut writer = PlyWriter::new(&layers, 1);
    writer.write(&named, before.to_move().letter() as u8, &layers.letters(before), &layers.letters(after));
    Ok(writer.text)
}

/// The supplies of [`super::GroupCode`].
type SupplyCode = Vec<Option<BySeat<u16>>>;

/// The moves and the drop-outs of `record` as text, and the supplies of [`super::GroupCode`].
pub(super) fn coded_group(record: &GroupRecord) -> Result<(String, SupplyCode), Uncodable> {
    let (layers, modes, seats) = (Layers::of(record.ruleset), page_modes(record.ruleset), record.seats());
    let mut writer = PlyWriter::new(&layers, record.plies.len());
    let mut position = record.ruleset.start();
    let (mut before, mut mode, mut next) = (layers.letters(&*position), 0, Seat::FIRST);
    let mut outs = record.outs.iter().peekable();
    let mut supplies = Vec::new();
    for (index, ply) in record.plies.iter().enumerate() {
        let uncodable = |problem| Uncodable { ply: index + 1, played: ply.played, problem };
        while let Some(out) = outs.next_if(|out| out.after_plies <= index) {
            position.drop_out(out.seat);
            writer.seat('^', out.seat);
        }
        let now = mode_at(&modes, mode, &*position);
        (mode..now).for_each(|_| writer.text.push('>'));
        mode = now;
        if supplies.len() <= mode {
            supplies.resize(mode, None);
            supplies.push(BySeat::from_fn(seats, |seat| position.stones_left(seat)).all());
        }
        let seat = position.seat_to_move();
        if next_in(&*position, next) != Some(seat) {
            writer.seat('@', seat);
        }
        next = seat.next(seats);
        let placed = fields(ply.played, &modes, mode, &layers).map_err(uncodable)?;
        position.play(ply.played.as_str()).map_err(|illegal| uncodable(illegal.into()))?;
        let after = layers.letters(&*position);
        writer.write(&placed, seat.letter(seats) as u8, &before, &after);
        before = after;
    }
    if outs.peek().is_some() {
        outs.for_each(|out| writer.seat('^', out.seat));
        writer.text.push('$');
    }
    Ok((writer.text, supplies))
}

/// The first seat, from `seat` on, that is still in the game.
fn next_in(position: &dyn Position, seat: Seat) -> Option<Seat> {
    let seats = position.seats();
    std::iter::successors(Some(seat), |seat| Some(seat.next(seats)))
        .take(seats.into())
        .find(|&seat| position.is_in(seat))
}

/// The fields that `played` names; none for a pass.
fn fields(played: Move, modes: &[PageMode], mode: usize, layers: &Layers) -> Result<Vec<usize>, UncodableMove> {
    if played.is_pass() {
        return Ok(Vec::new());
    }
    let layer = modes.get(mode).map_or(0, |mode| mode.1);
    let named = played.as_str().split('-').map(|name| layers.field(layer, name));
    named.collect::<Option<Vec<usize>>>().ok_or(UncodableMove::Unexplained)
}

/// Writes the plies of a game, one after another.
struct PlyWriter {
    /// Whether a field has two digits.
    is_long: bool,
    text: String,
}

impl PlyWriter {
    /// A writer for about `plies` plies on the boards `layers`.
    fn new(layers: &Layers, plies: usize) -> Self {
        Self { is_long: layers.fields() > LETTERS.len(), text: String::with_capacity(6 * plies) }
    }

    fn field(&mut self, field: usize) {
        if self.is_long {
            self.text.push(char::from(LETTERS[field / LETTERS.len()]));
        }
        self.text.push(char::from(LETTERS[field % LETTERS.len()]));
    }

    fn seat(&mut self, sign: char, seat: Seat) {
        self.text.push(sign);
        self.text.push(char::from(b'0' + seat.number()));
    }

    /// Writes a ply that puts a stone with the letter `mover`, names the fields `named` and changes the letters from `before`
    /// to `after`.
    fn write(&mut self, named: &[usize], mover: u8, before: &[u8], after: &[u8]) {
        match *named {
            [] => self.text.push('!'),
            [at] => self.field(at),
            [at, far, ..] => {
                self.field(at);
                self.text.push('/');
                self.field(far);
            }
        }
        let placed = |field: usize| named.first() == Some(&field);
        // The stone that the ply places is implied, unless it has been removed again.
        let changed = |field: &usize| {
            let was = if placed(*field) { mover } else { before[*field] };
            was != after[*field]
        };
        let changed: Vec<usize> = (0..before.len()).filter(changed).collect();
        let is_turned = |field: usize| before[field] != b'.' && after[field] == mover;
        let ends = if changed.is_empty() { "" } else { ";" };
        let appearing = if matches!(mover, b'b' | b'w') { &APPEARING_OF_TWO[..] } else { &APPEARING[..] };
        for &(sign, letter) in [(':', mover), ('.', b'.')].iter().chain(appearing) {
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

/// The signs for stones that appear, with their letters, in games with two seats.
const APPEARING_OF_TWO: [(char, u8); 2] = [('(', b'b'), (')', b'w')];

/// The signs for stones that appear, with their letters, in games with more than two seats.
const APPEARING: [(char, u8); 6] = [('(', b'1'), (')', b'2'), ('[', b'3'), (']', b'4'), ('{', b'5'), ('}', b'6')];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ply_is_written_as_the_fields_that_change() {
        let write = |is_long, named: &[usize], mover, before: &str, after: &str| {
            let mut writer = PlyWriter { is_long, text: String::new() };
            writer.write(named, mover, before.as_bytes(), after.as_bytes());
            writer.text
        };
        assert_eq!(write(false, &[0], b'b', "....", "b..."), "A");
        assert_eq!(write(false, &[0], b'b', ".wwb", "bbbb"), "A:BC;", "turned over");
        assert_eq!(write(false, &[0, 3], b'b', ".wwb", "bbbb"), "A/D:BC;", "with the far end of the row");
        assert_eq!(write(true, &[1], b'w', "b.b.", ".w.."), "AB.AAAC;", "taken off");
        assert_eq!(write(false, &[1], b'w', "b.b.", "b.b."), "B.B;", "gone at once");
        assert_eq!(write(false, &[], b'w', "bw..", ".wbw"), "!.A(C)D;", "a pass that changes stones");
    }
}
