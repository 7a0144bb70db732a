//! Proves the outcome of a game after a move, while no clock is running.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use super::GameInPlay;
use crate::host::line::Input;
use crate::referee::sans_io::{Arrival, Sayings};
use crate::run::play::seated_players::PlayerEvent;

impl GameInPlay<'_> {
    /// Tries to prove the outcome of the position after the last move, and of each position that results from lines
    /// sent early, and returns what to say. Returns `None` if `stopped` is ready first.
    ///
    /// No clock is running: a turn begins when its player is notified. Lines that arrive in the meantime are kept. A
    /// player that leaves ends the game without a proof, unless it has sent lines ahead of its turn, which are judged
    /// first.
    pub(super) async fn settle(&mut self, mut stopped: Pin<&mut impl Future<Output = ()>>) -> Option<Sayings> {
        let mut said = Sayings::nothing(self.referee.seats());
        while let Some(case) = self.referee.to_prove() {
            let mut attempt = self.prover.begin(case);
            while self.referee.to_prove().is_some() {
                let on_move = self.on_move();
                let say = tokio::select! {
                    biased;
                    () = &mut stopped => return None,
                    found = &mut attempt => {
                        said.append_all(self.referee.proven(found));
                        break;
                    }
                    event = self.players.next_event(on_move, &self.presence.ended) => match event {
                        PlayerEvent::Input(seat, Input::Line(line, _)) => {
                            self.referee.receive(seat, line, Arrival::default())
                        }
                        PlayerEvent::Input(seat, Input::Closed) if self.referee.has_kept(seat) => {
                            self.presence.ended[seat] = true;
                            continue;
                        }
                        PlayerEvent::Input(seat, Input::Closed) => {
                            let how = self.players.departure(seat).await;
                            self.referee.departed(seat, how, Duration::ZERO)
                        }
                        PlayerEvent::Departed(seat, how) => self.referee.departed(seat, how, Duration::ZERO),
                    },
                };
                said.append_all(say);
            }
        }
        Some(said)
    }
}
