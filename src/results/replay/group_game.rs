//! Games with more than two seats as text for users.

use super::Style;
use super::layers::ModeHistory;
use crate::base::sanitise::sanitised;
use crate::game::Ruleset;
use crate::referee::record::GroupRecord;

/// A game with more than two seats, position by position.
#[derive(Debug)]
pub struct GroupReplay<'a> {
    record: &'a GroupRecord,
    course: ModeHistory,
}

impl<'a> GroupReplay<'a> {
    /// The positions of a valid game.
    pub fn new(record: &'a GroupRecord) -> Self {
        let Ruleset::Quantum(rules) = record.ruleset else { panic!("only Quantum Gothello has more than two seats") };
        Self { record, course: ModeHistory::new(rules, record.plies.iter().map(|ply| ply.played)) }
    }

    /// The players, and the rules.
    pub fn heading(&self, style: Style) -> String {
        let players = self.record.players.iter();
        let players = players.map(|(seat, name)| format!("seat {seat}: {}\n", style.bold(&sanitised(name))));
        players.collect::<String>() + &format!("{}\n", self.record.ruleset)
    }

    /// The position after `plies` plies, with the move that led to it; `None` if the game has fewer plies.
    pub fn at(&self, plies: usize, style: Style) -> Option<String> {
        if plies > self.course.plies() {
            return None;
        }
        let heading = match plies.checked_sub(1) {
            None => style.bold("start"),
            Some(index) => {
                let seat = self.course.mover(index);
                let number = index / usize::from(self.record.seats()) + 1;
                let played = style.bold(&format!("ply {plies}: {number}. {}", self.course.played(index)));
                format!("{played} by {} (seat {seat})", sanitised(&self.record.players[seat]))
            }
        };
        let played_in = self.course.played_in(plies);
        Some(format!("{heading}{played_in}\n\n{}", self.course.position(plies, style)))
    }

    /// The counts of each mode, the totals and the places.
    pub fn ending(&self, style: Style) -> String {
        let last = if self.course.last().is_over() { self.places() } else { "the game is not over".to_owned() };
        self.course.counted() + &style.bold(&last) + "\n"
    }

    /// `placing 2 1 4 3`: the place of each seat; `not over` if the game is still being played.
    pub fn verdict(&self) -> String {
        if !self.course.last().is_over() {
            return "not over".to_owned();
        }
        let placing = self.course.last().standing().placing;
        let places: Vec<String> = placing.of(self.record.seats()).map(|(_, place)| place.to_string()).collect();
        format!("placing {}", places.join(" "))
    }

    /// `1. ann, 2. bob, 3. cyd, 4. dan`: the players by their places.
    fn places(&self) -> String {
        let placing = self.course.last().standing().placing;
        let mut places: Vec<(u8, String)> = placing
            .of(self.record.seats())
            .map(|(seat, place)| (*place, sanitised(&self.record.players[seat])))
            .collect();
        places.sort_by_key(|(place, _)| *place);
        places.into_iter().map(|(place, name)| format!("{place}. {name}")).collect::<Vec<_>>().join(", ")
    }
}
