//! The lead in stones, which makes a game worth watching if it changes often.

use crate::game::quantum::Mode;
use crate::game::{Position, Seat};
use crate::page::shown::layers::{LayerKind, Layers};
use crate::referee::record::LoggedGame;

/// The seat with more stones on squares than any other seat, if there is one. While `position` is played on points, no
/// seat leads, since the number of stones says little there.
pub(super) fn leader(layers: &Layers, position: &dyn Position) -> Option<Seat> {
    let seats = position.seats();
    if seats == 2 {
        return layers.lead(position).map(Seat::from);
    }
    let is_on_squares = position.mode_name().is_none_or(|mode| mode != Mode::Go.name() && mode != "proof");
    let board = layers.all().first().filter(|board| board.0 == LayerKind::Squares && is_on_squares)?;
    let fields = usize::from(board.1).pow(2);
    let letters = layers.letters(position);
    let count = |seat: Seat| {
        let letter = seat.letter(seats);
        letters.iter().take(fields).filter(|&&found| char::from(found) == letter).count()
    };
    let most = Seat::all(seats).map(count).max()?;
    let mut ahead = Seat::all(seats).filter(|&seat| count(seat) == most);
    ahead.next().filter(|_| ahead.next().is_none())
}

/// The number of times that the lead in stones passes from one seat to another in `game`.
pub(super) fn changes_of_lead(game: &LoggedGame) -> u32 {
    let (layers, mut position) = (Layers::of(game.ruleset()), game.ruleset().start());
    let outs = game.group().map_or(&[][..], |record| &record.outs);
    let (mut ahead, mut leads) = (None::<Seat>, 0);
    for (index, ply) in game.plies().iter().enumerate() {
        for out in outs.iter().filter(|out| out.after_plies == index) {
            position.drop_out(out.seat);
        }
        if position.play(ply.played.as_str()).is_err() {
            break;
        }
        let now = leader(&layers, &*position);
        if now.is_some() && now != ahead {
            leads += u32::from(ahead.is_some());
            ahead = now;
        }
    }
    leads
}
