//! Games with more than two seats as text for users.

use std::fmt::Write as _;

use super::layers::ModeHistory;
use super::{Style, clock, clocks_words, facts_line, refused, times_of};
use crate::base::sanitise::sanitised;
use crate::game::{Ruleset, Seat};
use crate::referee::record::{GroupRecord, Out, Unfinished};

/// A game with more than two seats, position by position.
#[derive(Debug)]
pub struct GroupReplay<'a> {
    record: &'a GroupRecord,
    course: ModeHistory,
}

impl<'a> GroupReplay<'a> {
    /// The positions of a valid game.
    ///
    /// # Panics
    /// Panics if the rule set has only two seats.
    pub fn new(record: &'a GroupRecord) -> Self {
        let Ruleset::Quantum(rules) = record.ruleset else { panic!("`{}` has two seats", record.ruleset) };
        Self { record, course: ModeHistory::with_outs(rules, record.plies.iter().map(|ply| ply.played), &record.outs) }
    }

    /// The players, and the place of the game in its tournament.
    pub fn heading(&self, style: Style) -> String {
        let record = self.record;
        let players = record.players.iter();
        let players = players.map(|(seat, name)| format!("seat {seat}: {}\n", style.bold(&sanitised(name))));
        let control = record.clocks().map(|control| clocks_words(control, record.time_scale));
        let round = record.round.map(|round| format!("round {round}"));
        let rules = Some(record.ruleset.to_string());
        let facts = [&record.event, &round, &record.game, &record.date, &control, &rules];
        players.collect::<String>() + &facts_line(&facts)
    }

    /// The position after `plies` plies, with the move that led to it; `None` if the game has fewer plies.
    pub fn at(&self, plies: usize, style: Style) -> Option<String> {
        if plies > self.course.plies() {
            return None;
        }
        let mut text = match plies.checked_sub(1) {
            None => style.bold("start"),
            Some(index) => {
                let seat = self.course.mover(index);
                let number = self.record.plies[..=index].iter().filter(|ply| ply.seat == seat).count();
                let played = style.bold(&format!("ply {plies}: {number}. {}", self.course.played(index)));
                format!("{played} by {}", self.named(seat))
            }
        };
        text += &self.course.played_in(plies);
        text += "\n";
        if let Some(ply) = plies.checked_sub(1).map(|index| &self.record.plies[index]) {
            text += &times_of(ply, self.record.clocks().and_then(|clocks| clocks.of(ply.seat)));
            text += &refused(&ply.tries);
        }
        text += "\n";
        text += &self.course.position(plies, style);
        let outs = self.record.outs.iter().filter(|out| out.after_plies == plies);
        Some(outs.fold(text, |text, out| text + &self.dropped_out(out)))
    }

    /// `cyd (seat 3)`.
    fn named(&self, seat: Seat) -> String {
        format!("{} (seat {seat})", sanitised(&self.record.players[seat]))
    }

    /// How a seat dropped out, with its turn if it was to move.
    fn dropped_out(&self, out: &Out) -> String {
        let turn = self.record.unfinished.iter().find(|turn| turn.seat == out.seat);
        let mut text = turn.map(|turn| self.turn_without_move(turn)).unwrap_or_default();
        let _ = write!(text, "{} drops out: {}", self.named(out.seat), out.termination);
        if let Some(reason) = &out.reason {
            let _ = write!(text, " ({})", sanitised(reason));
        }
        text + "\n"
    }

    fn turn_without_move(&self, turn: &Unfinished) -> String {
        let spent = turn.elapsed.map_or_else(String::new, |time| format!(": {} spent", clock(time)));
        format!("{} made no further move{spent}\n", self.named(turn.seat)) + &refused(&turn.tries)
    }

    /// The counts of each mode, the totals and the places.
    pub fn ending(&self, style: Style) -> String {
        let cut_off = self.record.unfinished.iter().filter(|turn| self.record.out(turn.seat).is_none());
        let turns: String = cut_off.map(|turn| self.turn_without_move(turn)).collect();
        let last = match &self.record.result {
            Ok(_) => self.places(),
            Err(void) => sanitised(&void.to_string()),
        };
        turns + &self.course.counted() + &style.bold(&last) + "\n"
    }

    /// `placing 2 1 4 3`: the place of each seat; `void: ...` without a result.
    pub fn verdict(&self) -> String {
        match &self.record.result {
            Ok(standing) => {
                let places: Vec<String> = standing.placing.values().map(u8::to_string).collect();
                format!("placing {}", places.join(" "))
            }
            Err(void) => void.to_string(),
        }
    }

    /// `1. ann, 2. bob, 3. cyd, 4. dan`: the players by their places.
    fn places(&self) -> String {
        let Ok(standing) = &self.record.result else { return String::new() };
        let names = self.record.players.values().map(|name| sanitised(name));
        let mut places: Vec<(u8, String)> = standing.placing.values().copied().zip(names).collect();
        places.sort_by_key(|(place, _)| *place);
        places.into_iter().map(|(place, name)| format!("{place}. {name}")).collect::<Vec<_>>().join(", ")
    }
}
