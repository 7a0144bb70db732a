//! The stdout output of `serve`: the original server's lines, which scripts depend on.

use std::fmt::Write;
use std::time::Duration;

use super::event::{Client, ServeEvent};
use crate::game::{BySeat, BySide, Position, Ruleset, Side};
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::time_control::TimeControl;
use crate::referee::wire::{Dialect, Response, ToMove, seconds};

/// Turns events into the original server's lines.
#[derive(Debug)]
pub struct Announcer {
    ruleset: Ruleset,
    time_control: TimeControl,
    position: Box<dyn Position>,
    plies: usize,
    left: BySide<Option<Duration>>,
}

impl Announcer {
    /// An announcer for games with these rules and clocks.
    pub fn new(ruleset: Ruleset, time_control: TimeControl) -> Self {
        let left = BySide::from_fn(|side| time_control.first_allowance(side));
        Self { ruleset, time_control, position: ruleset.start(), plies: 0, left }
    }

    /// The lines for `event`, each with its newline.
    pub fn tell(&mut self, event: &ServeEvent) -> String {
        match event {
            ServeEvent::Connected(Client::Player(Side::Black)) => "Black player connected\n".to_owned(),
            ServeEvent::Connected(Client::Player(Side::White)) => "White player connected\n".to_owned(),
            ServeEvent::Connected(Client::Observer(number)) => format!("Observer {number} connected\n"),
            ServeEvent::Refused => "Failed connection attempt\n".to_owned(),
            ServeEvent::Ended(record) => result_line(&record.result),
            ServeEvent::Started { .. } => {
                *self = Self::new(self.ruleset, self.time_control);
                format!("\n{}", self.board())
            }
            ServeEvent::Moved { played, left, .. } => {
                let mover = self.position.to_move();
                // The referee has already accepted the move.
                let _ = self.position.play(played.as_str());
                self.left[mover] = *left;
                self.plies += 1;
                // The last board is not preceded by a blank line, as in the original.
                if self.position.outcome().is_some() { self.board() } else { format!("\n{}", self.board()) }
            }
        }
    }

    fn board(&self) -> String {
        let over = self.position.outcome().is_some();
        let number = if over { self.plies.div_ceil(2) } else { self.plies / 2 + 1 };
        let left = self.left.map(|left| left.map(seconds)).both().map(BySeat::from);
        let to_move = (!over).then(|| ToMove::Side(self.position.to_move()));
        let state = Response::State { number: u32::try_from(number).unwrap_or(u32::MAX), left, to_move };
        let mut text = String::new();
        // The original prints boards of five ranks after `382`, as scripts expect.
        let board = Response::of_board(self.ruleset, self.position.to_string());
        let board = Dialect::Original.say(&board).map(|board| board.to_string().replace('\r', ""));
        let _ = writeln!(text, "{state}\n{}", board.unwrap_or_default());
        text
    }
}

/// The line for a result.
pub fn result_line(result: &Result<GameResult, Void>) -> String {
    let result = match result {
        Ok(result) => result,
        Err(void) => return format!("Game void: {}.\n", void.reason),
    };
    let Some(winner) = result.winner() else { return "Game drawn.\n".to_owned() };
    let winner = match winner {
        Side::Black => "Black",
        Side::White => "White",
    };
    match result.termination() {
        Termination::Normal => format!("{winner} wins.\n"),
        Termination::Time => format!("{winner} player wins on time.\n"),
        Termination::Resignation => format!("{winner} player wins by resignation.\n"),
        other => format!("{winner} player wins by {other}.\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::record::GameRecord;

    #[test]
    fn every_event_has_the_line_that_scripts_look_for() {
        let mut announcer = Announcer::new(Ruleset::Gothello, TimeControl::Unlimited);
        let started = || ServeEvent::Started { players: BySide { black: "a".to_owned(), white: "b".to_owned() } };
        let moved = |number: usize, played: &str| ServeEvent::Moved {
            number,
            played: played.parse().expect("a move"),
            left: None,
        };
        let ended = |result: &str| {
            let text = format!("[Black \"a\"]\n[White \"b\"]\n{result}");
            let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
            ServeEvent::Ended(Box::new(record))
        };
        for (event, expected) in [
            (ServeEvent::Connected(Client::Player(Side::Black)), "Black player connected\n"),
            (ServeEvent::Connected(Client::Observer(3)), "Observer 3 connected\n"),
            (ServeEvent::Connected(Client::Player(Side::White)), "White player connected\n"),
            (ServeEvent::Refused, "Failed connection attempt\n"),
            (started(), "\n380 1 b\n"),
            (moved(1, "c3"), "\n380 1 w\n"),
            (moved(2, "d4"), "\n380 2 b\n"),
            (moved(3, "pass"), "\n380 2 w\n"),
            // The last board.
            (moved(4, "pass"), "380 2 .\n"),
            (ended("[Result \"0-1\"]\n[Termination \"time\"]\n\n0-1\n"), "Black player wins on time.\n"),
            (ended("[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]\n\n*\n"), "Game void: no port.\n"),
            // The next game begins from the start again.
            (started(), "\n380 1 b\n"),
        ] {
            let text = announcer.tell(&event);
            assert!(text.starts_with(expected), "{event:?}: {text}");
        }
    }
}
