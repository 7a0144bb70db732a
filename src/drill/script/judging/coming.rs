//! How the bot connects to its seat.

use super::{Shortfall, TrialFailure};
use crate::base::sanitise::sanitised;
use crate::drill::script::{BoutFacts, Coming, Speaker};
use crate::referee::wire::{Hello, Role, SeatWish};

/// Requires the bot to connect to its seat.
pub(in crate::drill::script) fn comes(game: &BoutFacts) -> Option<Shortfall> {
    match &game.coming {
        Coming::Seated => None,
        Coming::Failed { reason, .. } => {
            Some(Shortfall::bad(TrialFailure::Absent, format!("It did not take its seat: {}.", sanitised(reason))))
        }
    }
}

/// Requires the bot to use only one connection. In a tournament, its seat is closed to further connections.
pub(in crate::drill::script) fn connects_once(game: &BoutFacts) -> Option<Shortfall> {
    (game.talkers > 1).then(|| {
        let summary = format!(
            "It sent lines on {} connections. Its seat accepts one connection, and refuses the others with 191.",
            game.talkers
        );
        Shortfall::poor(TrialFailure::ManyConnections, summary)
    })
}

/// Requires the bot to ask for the side that it was started to play. A bot that accepts either side is only reported,
/// since another server may assign the other side to it.
pub(in crate::drill::script) fn asks_for_its_side(game: &BoutFacts) -> Option<Shortfall> {
    let hellos = game.transcript.lines_by(Speaker::Bot).filter_map(|line| line.parse::<Hello>().ok());
    let takes_any = hellos.into_iter().any(|hello| hello.role == Role::Player(SeatWish::Any));
    takes_any.then(|| {
        Shortfall::told(
            "Its hello asks for either side (`player ?`), whichever side it was started for. The arena assigns the bot the side that it was started for, but another server may assign the other side.",
        )
    })
}
