//! The responses that the arena sends, by recipient.

use std::fmt::Write;

use crate::game::BySeat;
use crate::referee::wire::{Response, Speech};

/// The responses to one event. Each connection receives its responses in this order, in one write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sayings {
    /// To the players.
    pub players: BySeat<Vec<Response>>,
    /// To every observer.
    pub observers: Vec<Response>,
}

impl Sayings {
    /// Creates a value without any responses, for a game with `seats` seats.
    pub fn nothing(seats: u8) -> Self {
        Self { players: BySeat::from_fn(seats, |_| Vec::new()), observers: Vec::new() }
    }

    /// Whether there are no responses.
    pub fn is_empty(&self) -> bool {
        self.observers.is_empty() && self.players.values().all(Vec::is_empty)
    }

    /// Appends the responses to the next event.
    pub fn append_all(&mut self, mut next: Self) {
        for (seat, said) in next.players {
            self.players[seat].extend(said);
        }
        self.observers.append(&mut next.observers);
    }

    /// Appends `responses` to `text` in the form sent to a client with this `speech`, with CR LF after each line.
    pub fn append(responses: &[Response], speech: impl Into<Speech>, text: &mut String) {
        let speech = speech.into();
        for response in responses.iter().filter_map(|response| speech.say(response)) {
            // Writing to a string never fails.
            let _ = write!(text, "{response}");
            text.push_str("\r\n");
        }
    }
}
