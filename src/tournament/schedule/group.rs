//! Games of four and six players: tables of players, with as many games as seats at each table.

mod all_tables;
mod seatable_numbers;
mod table_draw;

use std::sync::{Arc, Mutex, PoisonError};

use super::planned_games::PlannedPart;
use super::{PlayerIndex, ScheduleFrame};
use crate::base::random::{SplitMix64, mix};
use crate::game::BySeat;
use crate::tournament::{Format, TablesEach};

use all_tables::{Stride, set, sets};
pub use seatable_numbers::Unseatable;
pub(in crate::tournament) use seatable_numbers::{least_tables, seating};
use table_draw::{Meetings, TableTerms, draw};

/// A game at a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GroupGame {
    /// The round, starting from 1.
    pub(super) round: u32,
    /// The number of the table within its round, starting from 1.
    pub(super) table: u64,
    /// The number of the game at this table, starting from 1.
    pub(super) game: u8,
    pub(super) players: BySeat<PlayerIndex>,
}

/// The games of a tournament with the format `group`.
///
/// A *table* is a set of players, one for each seat. They play one game for each seat, and take the next seat after
/// each game, so each player has every seat once. The order round the table is drawn from the seed, the round and the
/// number of the table.
///
/// The games of a table are consecutive. With [`TablesEach::Number`], the tables are grouped into sessions in which no
/// player sits at two tables.
#[derive(Clone, Debug)]
pub(super) struct GroupPart {
    players: usize,
    seats: u8,
    rounds: u32,
    seed: u64,
    tables: Tables,
}

#[derive(Clone, Debug)]
enum Tables {
    /// Every set of players once a round.
    All { a_round: u64 },
    /// Tables at which every player sits equally often.
    Even { each: usize, a_round: u64, drawn: Arc<Mutex<DrawnTables>> },
}

/// The tables of the first rounds. The tables of a round depend on the tables of all earlier rounds.
#[derive(Debug)]
struct DrawnTables {
    meetings: Meetings,
    /// The players of all tables of each round, table by table.
    rounds: Vec<Box<[PlayerIndex]>>,
}

/// How often any two players meet at tables in the first rounds of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evenness {
    /// How many rounds are counted.
    pub rounds: u32,
    /// The number of meetings of the two players that meet least often.
    pub least: u64,
    /// The number of meetings of the two players that meet most often.
    pub most: u64,
}

impl GroupPart {
    /// Returns the players at a table, given by its round and its number, both from 0, in the order of their seats in
    /// the first game.
    fn table(&self, round: u32, number: u64) -> Vec<PlayerIndex> {
        let mut players = match &self.tables {
            Tables::All { .. } => set(number, self.seats.into(), self.players as u64),
            Tables::Even { each, drawn, .. } => {
                let mut drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
                self.draw_up_to(&mut drawn, *each, round);
                let (seats, number) = (usize::from(self.seats), usize::try_from(number).unwrap_or(usize::MAX));
                let tables = drawn.rounds.get(round as usize).map(|round| round.chunks(seats));
                tables.and_then(|mut tables| tables.nth(number)).unwrap_or_default().to_vec()
            }
        };
        let mut random = SplitMix64::new(mix(self.seed, &format!("seats of r{}-t{}", round + 1, number + 1)));
        for place in (1..players.len()).rev() {
            let other = usize::try_from(random.below(place as u64 + 1)).unwrap_or(place);
            players.swap(place, other);
        }
        players
    }

    /// Draws the rounds up to `round`, starting from 0, that have not been drawn.
    fn draw_up_to(&self, drawn: &mut DrawnTables, each: usize, round: u32) {
        for round in u32::try_from(drawn.rounds.len()).unwrap_or(u32::MAX)..=round {
            let mut random = SplitMix64::new(mix(self.seed, &format!("tables of round {}", round + 1)));
            let terms = TableTerms { players: self.players, seats: self.seats.into(), each, round: round + 1 };
            let tables = draw(terms, &mut drawn.meetings, &mut random);
            drawn.rounds.push(tables.concat().into());
        }
    }

    /// Returns how many tables a round has.
    pub(super) const fn tables_a_round(&self) -> u64 {
        match &self.tables {
            Tables::All { a_round } | Tables::Even { a_round, .. } => *a_round,
        }
    }

    const fn places_a_round(&self) -> u64 {
        self.tables_a_round() * self.seats as u64
    }

    /// Returns a game by its numbers, all from 1; `None` if there is no such game.
    pub(super) fn find(&self, round: u32, table: u64, game: u8) -> Option<GroupGame> {
        let exists = (1..=self.rounds).contains(&round)
            && (1..=self.tables_a_round()).contains(&table)
            && (1..=self.seats).contains(&game);
        if !exists {
            return None;
        }
        let order = self.table(round - 1, table - 1);
        let players = BySeat::from_fn(self.seats, |seat| {
            order[(seat.index() + usize::from(self.seats + 1 - game)) % usize::from(self.seats)]
        });
        Some(GroupGame { round, table, game, players })
    }

    /// Returns how often players meet in the rounds up to `most_rounds`.
    pub(super) fn evenness(&self, most_rounds: u32) -> Evenness {
        let rounds = self.rounds.min(most_rounds);
        match &self.tables {
            Tables::All { .. } => {
                let (players, seats) =
                    ((self.players as u64).saturating_sub(2), u64::from(self.seats.saturating_sub(2)));
                let met = sets(players, seats).unwrap_or(u64::MAX).saturating_mul(self.rounds.into());
                Evenness { rounds: self.rounds, least: met, most: met }
            }
            Tables::Even { each, drawn, .. } => {
                let mut drawn = drawn.lock().unwrap_or_else(PoisonError::into_inner);
                self.draw_up_to(&mut drawn, *each, rounds - 1);
                let tables =
                    drawn.rounds.iter().take(rounds as usize).flat_map(|round| round.chunks(self.seats.into()));
                let met = Meetings::at(tables, self.players);
                let met = || met.all().map(u64::from);
                Evenness { rounds, least: met().min().unwrap_or(0), most: met().max().unwrap_or(0) }
            }
        }
    }
}

impl PlannedPart for GroupPart {
    type Game = GroupGame;

    fn new(frame: &ScheduleFrame) -> Option<Self> {
        let Format::Group { rounds, tables } = &frame.format else { return None };
        let (players, seats) = (frame.slugs.len(), frame.ruleset.seats());
        seating(players, seats, *rounds, *tables).ok()?;
        let tables = match tables {
            TablesEach::All => Tables::All { a_round: sets(players as u64, seats.into())? },
            TablesEach::Number(each) => {
                let each = usize::try_from(each.get()).ok()?;
                let a_round = (players * each / usize::from(seats)) as u64;
                let drawn = DrawnTables { meetings: Meetings::none(players), rounds: Vec::new() };
                Tables::Even { each, a_round, drawn: Arc::new(Mutex::new(drawn)) }
            }
        };
        Some(Self { players, seats, rounds: rounds.get(), seed: frame.seed, tables })
    }

    fn places(&self) -> u64 {
        self.places_a_round() * u64::from(self.rounds)
    }

    fn games(&self) -> u64 {
        self.places()
    }

    fn game(&self, place: u64) -> Option<GroupGame> {
        let seats = u64::from(self.seats);
        let round = u32::try_from(place / self.places_a_round()).ok()? + 1;
        let place = place % self.places_a_round();
        let table = match &self.tables {
            Tables::All { a_round } => Stride::draw(self.seed, round, *a_round).at(place / seats),
            Tables::Even { .. } => place / seats,
        };
        self.find(round, table + 1, u8::try_from(place % seats).ok()? + 1)
    }

    fn bundle(&self, place: u64) -> u64 {
        place / u64::from(self.seats)
    }

    fn games_a_bundle(&self) -> u64 {
        self.seats.into()
    }

    fn holds(&self, game: &GroupGame) -> bool {
        game.round <= self.rounds && game.players.values().all(|&player| player < self.players)
    }
}

#[cfg(test)]
mod tests;
