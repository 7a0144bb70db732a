//! Teams: seats whose programs change when a mode begins.
//!
//! When a mode has begun, the referee judges no more lines until the programs for that mode have taken their seats, and
//! no time is charged. A new program is informed of the game so far as if it were an opening.

use super::{EarlyLines, Referee, Sayings};
use crate::game::quantum::Mode;
use crate::game::{BySeat, Move, Seat};
use crate::referee::clock::Clock;
use crate::referee::record::Ply;
use crate::referee::wire::{Response, seconds};

impl Referee {
    /// Returns the referee of a game in which the seats with `true` in `teams` belong to teams. The programs for the
    /// current mode occupy these seats.
    #[must_use]
    pub fn with_teams(mut self, teams: BySeat<bool>) -> Self {
        self.played_mode = self.position.mode();
        self.teams = Some(teams);
        self
    }

    /// Returns the referee of a game in which the moves in `given` have already been made. They cost no time, and no
    /// client is informed of them; [`Referee::relieve`] does that.
    ///
    /// # Panics
    /// Panics if the rules refuse a move, or a move ends the game.
    #[must_use]
    pub(crate) fn with_prelude(mut self, given: &[Move]) -> Self {
        for given in given {
            let seat = self.seat_to_move();
            let played = self.position.play(given.as_str()).expect("the moves before a mode are legal");
            self.plies.push(Ply::untimed(seat, played));
            self.moves[seat] += 1;
        }
        assert!(!self.position.is_over(), "a game that is over leaves nothing to play");
        self.opening_plies = given.len();
        self
    }

    /// The mode that has begun, if the programs of teams have to change before it is played.
    pub fn mode_to_relieve(&self) -> Option<Mode> {
        self.teams.as_ref()?;
        let mode = self.position.mode().filter(|_| !self.is_over() && self.untold.is_none())?;
        (self.played_mode != Some(mode) && self.seats_to_relieve().next().is_some()).then_some(mode)
    }

    /// The seats of teams that are still in the game.
    pub fn seats_to_relieve(&self) -> impl Iterator<Item = Seat> + use<'_> {
        let teams = self.teams.iter().flat_map(BySeat::iter);
        teams.filter_map(|(seat, &is_team)| (is_team && self.is_in(seat)).then_some(seat))
    }

    /// Whether this seat belongs to a team.
    pub fn is_of_team(&self, seat: Seat) -> bool {
        self.teams.as_ref().is_some_and(|teams| teams[seat])
    }

    /// Replaces the program in `seat`, and returns the responses that inform the new program of the game so far: the
    /// lines at the start, with the number of moves inserted before the last of these lines, and every move, including
    /// those of its own seat. Lines that the previous program sent early are discarded.
    pub fn relieve(&mut self, seat: Seat) -> Vec<Response> {
        self.kept[seat] = EarlyLines::default();
        let mut lines = self.start_of(seat, Some(self.plies.len()));
        lines.extend(self.moves_so_far());
        lines
    }

    /// Records that the programs for the mode `mode` have taken their seats, or have failed to do so. Judges the lines
    /// that arrived early, unless that mode is over as well.
    pub fn relieved(&mut self, mode: Mode) -> Sayings {
        let mut say = self.nothing();
        self.played_mode = Some(mode);
        self.judge_kept(&mut say);
        say
    }

    /// Every move so far, as reported to a player that did not make it, and every seat that has dropped out.
    fn moves_so_far(&self) -> Vec<Response> {
        let seats = self.seats();
        let mut lines = Vec::with_capacity(self.plies.len());
        let mut moves = BySeat::from_fn(seats, |_| 0);
        let mut outs = self.outs.iter().peekable();
        for (index, ply) in self.plies.iter().enumerate() {
            while let Some(out) = outs.next_if(|out| out.after_plies <= index) {
                lines.push(Response::DroppedOut { seat: out.seat, why: out.termination });
            }
            moves[ply.seat] += 1;
            // The plies of an opening cost no time.
            let untimed = || Clock::new(self.terms.time_control.of(ply.seat)).left();
            let left = ply.left.or_else(untimed).map(seconds);
            lines.push(Response::of_move(seats, ply.seat, moves[ply.seat], ply.played, left));
        }
        lines.extend(outs.map(|out| Response::DroppedOut { seat: out.seat, why: out.termination }));
        lines
    }
}
