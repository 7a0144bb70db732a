//! The stdout output of `serve`: the original server's lines, which scripts depend on.

use std::fmt::Write;
use std::time::Duration;

use super::event::{Client, ServeEvent};
use crate::game::{BySeat, Position, Ruleset, Seat, Side};
use crate::referee::record::LoggedGame;
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::time_control::TimeControl;
use crate::referee::wire::{Dialect, Response, ToMove, seconds};

/// Turns events into the original server's lines.
#[derive(Debug)]
pub struct Announcer {
    ruleset: Ruleset,
    time_control: TimeControl,
    position: Box<dyn Position>,
    /// How many moves each seat has made.
    moves: BySeat<u32>,
    last: Seat,
    left: BySeat<Option<Duration>>,
}

impl Announcer {
    /// An announcer for games with these rules and clocks.
    pub fn new(ruleset: Ruleset, time_control: TimeControl) -> Self {
        let seats = ruleset.seats();
        let left = BySeat::from_fn(seats, |seat| time_control.first_allowance(seat));
        let moves = BySeat::from_fn(seats, |_| 0);
        Self { ruleset, time_control, position: ruleset.start(), moves, last: Seat::FIRST, left }
    }

    /// The lines for `event`, each with its newline.
    pub fn tell(&mut self, event: &ServeEvent) -> String {
        match event {
            ServeEvent::Connected(Client::Player(seat)) => match (self.ruleset.seats(), seat.side()) {
                (2, Side::Black) => "Black player connected\n".to_owned(),
                (2, Side::White) => "White player connected\n".to_owned(),
                _ => format!("Player {seat} connected\n"),
            },
            ServeEvent::Connected(Client::Observer(number)) => format!("Observer {number} connected\n"),
            ServeEvent::Refused => "Failed connection attempt\n".to_owned(),
            ServeEvent::Ended(record) => last_line(record),
            ServeEvent::Started { .. } => {
                *self = Self::new(self.ruleset, self.time_control);
                format!("\n{}", self.board())
            }
            ServeEvent::Moved { played, left, .. } => {
                let mover = self.position.seat_to_move();
                // The referee has already accepted the move.
                let _ = self.position.play(played.as_str());
                self.left[mover] = *left;
                self.moves[mover] += 1;
                self.last = mover;
                // The last board is not preceded by a blank line, as in the original.
                if self.position.is_over() { self.board() } else { format!("\n{}", self.board()) }
            }
            ServeEvent::DroppedOut { seat, why } => {
                self.position.drop_out(*seat);
                let line = format!("Player {seat} is out, {why}.\n");
                if self.position.is_over() { line } else { format!("{line}\n{}", self.board()) }
            }
        }
    }

    fn board(&self) -> String {
        let over = self.position.is_over();
        let mover = self.position.seat_to_move();
        let number = if over { self.moves[self.last] } else { self.moves[mover] + 1 };
        let left = self.left.clone().map(|left| left.map(seconds)).all();
        let to_move = (!over).then(|| ToMove::of(self.ruleset.seats(), mover));
        let state = Response::State { number, left, to_move };
        let mut text = String::new();
        // The original prints boards of five ranks after `382`, as scripts expect.
        let board = Response::of_board(self.ruleset, self.position.to_string());
        let board = Dialect::Original.say(&board).map(|board| board.to_string().replace('\r', ""));
        let _ = writeln!(text, "{state}\n{}", board.unwrap_or_default());
        text
    }
}

/// The line for the end of a game.
fn last_line(game: &LoggedGame) -> String {
    match game {
        LoggedGame::Two(record) => result_line(&record.result),
        LoggedGame::Group(record) => match &record.result {
            Ok(standing) => {
                let places: Vec<String> = standing.placing.values().map(ToString::to_string).collect();
                format!("Game over, the placing is {}.\n", places.join(" "))
            }
            Err(void) => void_line(void),
        },
    }
}

fn void_line(void: &Void) -> String {
    format!("Game void: {}.\n", void.reason)
}

/// The line for the result of a game with two seats.
pub fn result_line(result: &Result<GameResult, Void>) -> String {
    let result = match result {
        Ok(result) => result,
        Err(void) => return void_line(void),
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
    use crate::game::BySide;

    #[test]
    fn every_event_has_the_line_that_scripts_look_for() {
        let mut announcer = Announcer::new(Ruleset::Gothello, TimeControl::Unlimited);
        let started = || ServeEvent::Started { players: BySide { black: "a", white: "b" }.map(str::to_owned).into() };
        let moved = |number: usize, played: &str| ServeEvent::Moved {
            number,
            played: played.parse().expect("a move"),
            left: None,
        };
        let ended = |result: &str| {
            let text = format!("[Black \"a\"]\n[White \"b\"]\n{result}");
            let record: LoggedGame = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
            ServeEvent::Ended(Box::new(record))
        };
        for (event, expected) in [
            (ServeEvent::Connected(Client::Player(Side::Black.into())), "Black player connected\n"),
            (ServeEvent::Connected(Client::Observer(3)), "Observer 3 connected\n"),
            (ServeEvent::Connected(Client::Player(Side::White.into())), "White player connected\n"),
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
