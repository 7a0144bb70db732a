//! A game in progress, as a row of the block on the terminal.

use std::fmt::Write as _;
use std::time::Duration;

use crate::base::sanitise::sanitised;
use crate::game::{BySeat, Move, Position, Ruleset};
use crate::tournament::schedule::GameId;

/// A game in progress. Its moves are played on a board only when the game is shown, because most games of a fast run
/// are never shown.
#[derive(Debug)]
pub(super) struct RunningGame {
    pub(super) id: GameId,
    begun: Duration,
    players: BySeat<String>,
    /// The number of the last ply.
    ply: usize,
    position: Box<dyn Position>,
    /// The moves that have not been played on the board yet.
    unplayed: Vec<(Move, Option<Duration>)>,
    /// The time left on each seat's clock, as of the seat's last move.
    left: BySeat<Option<Duration>>,
    /// Whether moves were missed, or a player dropped out, so that the seat to move is not known.
    is_behind: bool,
}

impl RunningGame {
    /// A game of `players` that begins at the time `begun`, with the moves of its opening.
    pub(super) fn new(
        ruleset: Ruleset,
        id: GameId,
        players: &BySeat<String>,
        opening: &[Move],
        begun: Duration,
    ) -> Self {
        Self {
            id,
            begun,
            players: players.clone(),
            ply: opening.len(),
            position: ruleset.start(),
            unplayed: opening.iter().map(|&played| (played, None)).collect(),
            left: BySeat::from_fn(players.seats(), |_| None),
            is_behind: false,
        }
    }

    /// Records ply `number`, which leaves `left` on the mover's clock.
    pub(super) fn play(&mut self, number: usize, played: Move, left: Option<Duration>) {
        self.is_behind |= number != self.ply + 1;
        self.ply = number;
        if !self.is_behind {
            self.unplayed.push((played, left));
        }
    }

    /// Records that a player has dropped out.
    pub(super) const fn lose_track(&mut self) {
        self.is_behind = true;
    }

    /// `r4-heron-kestrel  3.2s  ply 14  heron to move, 0:41 left`.
    pub(super) fn row(&mut self, now: Duration) -> String {
        for (played, left) in std::mem::take(&mut self.unplayed) {
            let mover = self.position.seat_to_move();
            if self.players.has(mover) {
                self.left[mover] = left;
            }
            self.is_behind |= self.position.play(played.as_str()).is_err();
        }
        let time = now.saturating_sub(self.begun).as_secs_f64();
        let mut row = format!("{}  {time:.1}s  ply {}", sanitised(self.id.as_str()), self.ply);
        let mover = self.position.seat_to_move();
        if !self.is_behind && !self.position.is_over() && self.players.has(mover) {
            let left = self.left[mover].map(|left| format!(", {} left", minutes(left))).unwrap_or_default();
            let _ = write!(row, "  {} to move{left}", sanitised(&self.players[mover]));
        }
        row
    }
}

/// `0:41`.
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game() -> RunningGame {
        let players = BySeat::new(vec!["ann".to_owned(), "b\u{1b}o".to_owned()]).expect("two");
        RunningGame::new(Ruleset::Gothello, GameId::from_text("r1-ann-bo"), &players, &[], Duration::from_secs(1))
    }

    fn played(text: &str) -> Move {
        text.parse().expect("a move")
    }

    #[test]
    fn the_row_names_the_player_to_move_and_its_clock() {
        let mut game = game();
        let at = Duration::from_millis(4200);
        assert_eq!(game.row(at), "r1-ann-bo  3.2s  ply 0  ann to move");
        game.play(1, played("c3"), Some(Duration::from_secs(59)));
        game.play(2, played("b3"), Some(Duration::from_secs(72)));
        assert_eq!(game.row(at), "r1-ann-bo  3.2s  ply 2  ann to move, 0:59 left");
        game.play(3, played("d3"), Some(Duration::from_secs(58)));
        assert_eq!(game.row(at), "r1-ann-bo  3.2s  ply 3  b\\u{1b}o to move, 1:12 left");
    }

    #[test]
    fn after_a_gap_only_the_ply_is_shown() {
        let mut game = game();
        game.play(3, played("c3"), None);
        assert_eq!(game.row(Duration::from_secs(2)), "r1-ann-bo  1.0s  ply 3");
    }
}
