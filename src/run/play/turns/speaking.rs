//! Sends what the referee says to the players.

use crate::game::Seat;
use crate::referee::sans_io::Sayings;
use crate::run::play::{SeatedPlayer, SeatedPlayers};

/// Sends `sayings` to the players in the order of their turns, starting with the player in the seat `first`.
///
/// After a move, all other players receive exactly the same last lines as the mover, and all should receive them as
/// soon as possible. So the text of these lines is created only once.
pub(super) async fn speak(sayings: &Sayings, first: Seat, players: &mut SeatedPlayers) {
    let said = |seat: Seat| &sayings.players[seat][..];
    let second = players.from(first).skip(1).find(|&seat| players.get(seat).is_some());
    let others = second.map(said).unwrap_or_default();
    let own = said(first).len().checked_sub(others.len()).filter(|&own| said(first)[own..] == *others);
    let (mut text, mut shared) = (String::new(), None);
    if let Some((own, speech)) = own.zip(players.get(first).map(|player| player.connection.speech())) {
        text.reserve(256);
        // Lines for all players are the same in every dialect.
        Sayings::append(&said(first)[..own], speech, &mut text);
        shared = Some((text.len(), speech.is_told_clock));
        Sayings::append(others, speech, &mut text);
    }
    for seat in players.from(first) {
        let Some(SeatedPlayer { connection, .. }) = players.get_mut(seat) else { continue };
        let text = match shared {
            Some(_) if seat == first => &text[..],
            Some((start, is_told)) if said(seat) == others && connection.speech().is_told_clock == is_told => {
                &text[start..]
            }
            _ => {
                connection.say(said(seat)).await;
                continue;
            }
        };
        if !text.is_empty() {
            connection.send(text.as_bytes()).await;
        }
    }
}
