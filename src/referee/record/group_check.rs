//! Checks whether the record of a game with more than two seats describes a game that could have been played: moves,
//! clocks, refused lines, the seats that drop out, and the outcome.

use std::time::Duration;

use super::check_errors::Contradiction;
use super::checked_clocks::Clocks;
use super::checked_tries::{TriedTurn, check_tries};
use super::group_errors::{GroupCheckError, GroupContradiction, GroupPlace};
use super::group_print::listed;
use super::{GroupRecord, Out, Ply, Unfinished};
use crate::base::sanitise::sanitised;
use crate::game::quantum::Mode;
use crate::game::{BySeat, BySide, Position, Seat, Standing};
use crate::referee::clock::Meter;
use crate::referee::pace::TimeScale;
use crate::referee::result::Termination;
use crate::referee::time_control::TimeControl;
use crate::referee::times::whole_micros;

impl GroupRecord {
    /// Checks the whole record: every ply against the rules, every clock to the microsecond, refused lines, the seats
    /// that drop out, and the placing, totals, points and counts. Returns the last position.
    ///
    /// Like the record of a game with two seats, a record need not have times or clocks, and the time spent in a turn
    /// that ended without a move can exceed the clock, even if no flag fell.
    ///
    /// # Errors
    /// Returns the first error.
    pub fn check(&self) -> Result<Box<dyn Position>, GroupCheckError> {
        let mut game = CheckedGroup::new(self)?;
        for (index, ply) in self.plies.iter().enumerate() {
            game.drop_outs(index)?;
            let place = GroupPlace::Ply { ply: index + 1, seat: ply.seat, played: ply.played };
            game.play(ply).map_err(|reason| GroupCheckError { place, reason })?;
        }
        game.drop_outs(self.plies.len())?;
        let place = GroupPlace::After(self.plies.len());
        game.check_end().map_err(|reason| GroupCheckError { place, reason })?;
        Ok(game.position)
    }
}

/// A game that is replayed while its record is checked.
struct CheckedGroup<'a> {
    record: &'a GroupRecord,
    position: Box<dyn Position>,
    clocks: Clocks,
    /// How many moves each seat has made.
    moves: BySeat<usize>,
    /// The time that each seat has spent on its moves.
    used: BySeat<Duration>,
    /// The mode in which the last move was made, if the game has modes.
    last_mode: Option<Mode>,
    /// How many seats have dropped out.
    out: usize,
    /// The seat whose turn it is, or was when another seat ended the game by dropping out.
    mover: Seat,
    /// The turn of `mover`, if lines may have been refused in it.
    turn: Option<TriedTurn>,
    /// Whether a seat other than `mover` has ended the game by dropping out.
    is_cut_off: bool,
}

impl<'a> CheckedGroup<'a> {
    fn new(record: &'a GroupRecord) -> Result<Self, GroupCheckError> {
        let at_start = |reason| GroupCheckError { place: GroupPlace::After(0), reason };
        let (control, seats) = (record.clocks(), record.seats());
        if record.time_scale != TimeScale::ONE && !matches!(record.time_control, Some(TimeControl::Clocks(_))) {
            return Err(at_start(Contradiction::ScaleWithoutClocks.into()));
        }
        if matches!(record.time_control, Some(TimeControl::Clocks(BySide { black, white })) if black != white) {
            return Err(at_start(GroupContradiction::UnequalClocks("TimeControl")));
        }
        if matches!(record.meter, Meter::Cpu { wall_limit: BySide { black, white } } if black != white) {
            return Err(at_start(GroupContradiction::UnequalClocks("Clock")));
        }
        let position = record.ruleset.start();
        let mut game = Self {
            record,
            mover: position.seat_to_move(),
            position,
            clocks: Clocks::new(seats, control, record.plies.first()),
            moves: BySeat::from_fn(seats, |_| 0),
            used: BySeat::from_fn(seats, |_| Duration::ZERO),
            last_mode: None,
            out: 0,
            turn: None,
            is_cut_off: false,
        };
        game.begin_turn();
        Ok(game)
    }

    /// Begins the turn of the seat to move.
    fn begin_turn(&mut self) {
        self.mover = self.position.seat_to_move();
        let played: usize = self.moves.values().sum();
        let in_ply = self.record.plies.get(played).is_some_and(|ply| !ply.tries.is_empty());
        let has_tries = in_ply || self.unfinished(self.mover).is_some_and(|turn| !turn.tries.is_empty());
        let number = self.moves[self.mover] + 1;
        self.turn = has_tries.then(|| TriedTurn::of(number, &*self.position));
    }

    /// The turn of `seat` without a move.
    fn unfinished(&self, seat: Seat) -> Option<&'a Unfinished> {
        self.record.unfinished.iter().find(|turn| turn.seat == seat)
    }

    fn play(&mut self, ply: &Ply) -> Result<(), GroupContradiction> {
        if !self.position.is_over() && ply.seat != self.mover {
            let is_in = self.position.is_in(ply.seat);
            let (seat, mover) = (ply.seat, self.mover);
            return Err(if is_in { GroupContradiction::WrongSeat(mover) } else { GroupContradiction::OutMoves(seat) });
        }
        if let Some(turn) = &self.turn {
            check_tries(&ply.tries, turn)?;
        }
        self.last_mode = self.position.mode();
        let played = self.position.play(ply.played.as_str()).map_err(Contradiction::from)?;
        if played != ply.played {
            return Err(Contradiction::Spelling(played).into());
        }
        self.clocks.press(ply)?;
        self.moves[ply.seat] += 1;
        self.used[ply.seat] += ply.elapsed.unwrap_or_default();
        self.is_cut_off = false;
        self.begin_turn();
        Ok(())
    }

    /// Removes the seats that drop out after the first `plies` plies from the game.
    fn drop_outs(&mut self, plies: usize) -> Result<(), GroupCheckError> {
        let record = self.record;
        while let Some(out) = record.outs.get(self.out) {
            let place = GroupPlace::Out { after: plies, seat: out.seat };
            let at = |reason| GroupCheckError { place, reason };
            if out.after_plies < plies || out.after_plies > record.plies.len() {
                return Err(at(GroupContradiction::OutOfOrder(out.after_plies)));
            }
            if out.after_plies > plies {
                return Ok(());
            }
            self.drop_out(out).map_err(at)?;
            self.out += 1;
        }
        Ok(())
    }

    /// Whether a mode has begun since the last move was made, so that teams have to change programs.
    fn begins_mode(&self) -> bool {
        self.last_mode.is_some() && self.position.mode() != self.last_mode
    }

    fn drop_out(&mut self, out: &Out) -> Result<(), GroupContradiction> {
        let Out { seat, termination, .. } = *out;
        let begun = !self.record.plies.is_empty() || self.unfinished(seat).is_some();
        match termination {
            _ if !termination.is_of_one_player() => return Err(GroupContradiction::NoWayOut(termination)),
            Termination::NoShow | Termination::NotStarted
                if self.unfinished(seat).is_some() || out.after_plies > 0 && !self.begins_mode() =>
            {
                return Err(GroupContradiction::Late(termination));
            }
            _ => {}
        }
        if self.record.outs[..self.out].iter().any(|before| before.seat == seat) {
            return Err(GroupContradiction::OutMoves(seat));
        }
        if self.position.is_over() {
            // If no player shows up, even the last seat that is left drops out.
            let is_missing = matches!(termination, Termination::NoShow | Termination::NotStarted) && !begun;
            let is_last = self.out + 1 == usize::from(self.record.seats());
            return if is_missing && is_last { Ok(()) } else { Err(GroupContradiction::OutAfterEnd) };
        }
        let by_the_mover = match termination {
            Termination::Resignation | Termination::Illegal => true,
            Termination::Time => self.clocks.are_running(),
            _ => false,
        };
        if by_the_mover && seat != self.mover {
            return Err(GroupContradiction::NotToMove { termination, to_move: self.mover });
        }
        let turn = self.unfinished(seat);
        if seat != self.mover && turn.is_some() {
            return Err(GroupContradiction::UnexplainedTurn(seat));
        }
        if let Some(turn) = turn {
            self.check_turn_without_move(turn)?;
        }
        if termination == Termination::Time {
            self.check_time_loss(seat, turn.and_then(|turn| turn.elapsed))?;
        }
        self.position.drop_out(seat);
        if seat == self.mover {
            self.begin_turn();
        } else if self.position.is_over() {
            self.is_cut_off = true;
        } else if let Some(turn) = &mut self.turn {
            turn.go_on(&*self.position);
        }
        Ok(())
    }

    fn check_turn_without_move(&self, turn: &Unfinished) -> Result<(), GroupContradiction> {
        if turn.elapsed.is_some_and(|elapsed| elapsed != whole_micros(elapsed)) {
            return Err(Contradiction::FractionOfMicrosecond.into());
        }
        match &self.turn {
            Some(own) => Ok(check_tries(&turn.tries, own)?),
            None => Ok(()),
        }
    }

    /// Checks that `loser` spent more than all of its time or, without clocks, at least as much as every other seat
    /// that is still in. If the clocks count CPU time, a flag can also fall because of wall time, which is not
    /// recorded.
    fn check_time_loss(&self, loser: Seat, elapsed: Option<Duration>) -> Result<(), GroupContradiction> {
        match self.clocks.control {
            Some(TimeControl::Clocks(_)) if self.record.meter != Meter::Wall => Ok(()),
            Some(TimeControl::Clocks(_)) => match (elapsed, self.clocks.left[loser]) {
                (Some(elapsed), Some(left)) if elapsed <= left => Err(GroupContradiction::FlagStood { elapsed, left }),
                (None, _) if self.clocks.are_timed() => Err(GroupContradiction::NoLastTurn),
                _ => Ok(()),
            },
            Some(TimeControl::Unlimited) if self.clocks.are_timed() => {
                let own = self.used[loser] + elapsed.unwrap_or_default();
                let others = self.used.iter().filter(|(seat, _)| *seat != loser && self.position.is_in(*seat));
                let more = others.filter(|(_, used)| **used > own).map(|(seat, _)| seat);
                more.into_iter().next().map_or(Ok(()), |seat| Err(GroupContradiction::UsedLess(seat)))
            }
            Some(TimeControl::Unlimited) | None => Ok(()),
        }
    }

    /// Checks the turn that the end of the game cut off, and the outcome.
    fn check_end(&self) -> Result<(), GroupContradiction> {
        let is_over = self.position.is_over();
        for (index, turn) in self.record.unfinished.iter().enumerate() {
            let unexplained = Err(GroupContradiction::UnexplainedTurn(turn.seat));
            let is_last = index + 1 == self.record.unfinished.len();
            if self.record.unfinished[..index].iter().any(|before| before.seat == turn.seat) {
                return unexplained;
            }
            if self.record.out(turn.seat).is_some() {
                continue;
            }
            if is_over && !self.is_cut_off {
                return Err(Contradiction::TurnAfterEnd.into());
            }
            if turn.seat != self.mover {
                return Err(GroupContradiction::WrongSeat(self.mover));
            }
            if !is_last {
                return unexplained;
            }
            self.check_turn_without_move(turn)?;
        }
        let Some(board) = self.position.standing() else { return Ok(()) };
        let standing = match &self.record.result {
            Ok(standing) => standing,
            Err(void) if is_over => {
                let placing = listed(&board.placing, u8::to_string);
                return Err(GroupContradiction::Over { placing, recorded: sanitised(&void.to_string()) });
            }
            Err(_) => return Ok(()),
        };
        check_counts(standing, &board)?;
        if !is_over {
            let in_game = Seat::all(self.record.seats()).filter(|&seat| self.position.is_in(seat)).count();
            return Err(GroupContradiction::NotOver { in_game });
        }
        check_standing(standing, &board)
    }
}

fn check_counts(recorded: &Standing, board: &Standing) -> Result<(), GroupContradiction> {
    for (mode, counts) in &recorded.counts {
        let counted = board.counts.iter().find(|(known, _)| known == mode);
        let (_, counted) = counted.ok_or(GroupContradiction::NotCounted(mode))?;
        agree("Counts", counts, counted, u16::to_string)?;
    }
    Ok(())
}

fn check_standing(recorded: &Standing, board: &Standing) -> Result<(), GroupContradiction> {
    let modes = |standing: &Standing| standing.counts.iter().map(|(mode, _)| *mode).collect::<Vec<_>>().join(", ");
    if modes(recorded) != modes(board) {
        return Err(GroupContradiction::OtherModes { board: modes(board), recorded: modes(recorded) });
    }
    agree("Placing", &recorded.placing, &board.placing, u8::to_string)?;
    agree("Totals", &recorded.totals, &board.totals, |total| total.shown())?;
    agree("Points", &recorded.points, &board.points, u8::to_string)
}

/// Compares a tag's list with the list according to the board.
fn agree<T: PartialEq>(
    tag: &'static str,
    recorded: &BySeat<T>,
    board: &BySeat<T>,
    text: impl Fn(&T) -> String,
) -> Result<(), GroupContradiction> {
    if board == recorded {
        return Ok(());
    }
    Err(GroupContradiction::Differs { tag, recorded: listed(recorded, &text), board: listed(board, &text) })
}
