//! Which numbers of players can be seated at which numbers of tables.

use std::num::NonZeroU32;

use thiserror::Error;

use super::super::gcd::gcd;
use super::all_tables::sets;
use crate::base::units::counted;
use crate::tournament::TablesEach;

/// The maximum number of games in a tournament: more than any class can play, but few enough that no computation with
/// them overflows.
const MOST_GAMES: u64 = 1_000_000_000_000;

/// The reason why the players cannot be seated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unseatable {
    /// There are fewer players than seats.
    #[error("{} cannot fill a table of {seats} seats (add players until there are at least {seats})", counted(*players as u64, "player"))]
    TooFewPlayers {
        /// How many players there are.
        players: usize,
        /// How many seats a table has.
        seats: u8,
    },
    /// The last table would not be full.
    #[error(
        "{players} players cannot each sit at {} of {seats} seats without leaving a seat empty (write `tables = {step}` or \
         another multiple of {step}, or let {} take part)", counted(*tables, "table"), fitting_players(*players, *seats)
    )]
    Remainder {
        /// How many players there are.
        players: usize,
        /// How many seats a table has.
        seats: u8,
        /// The number of tables at which each player was supposed to sit.
        tables: u32,
        /// The smallest number of tables that works.
        step: u64,
    },
    /// There are not enough different tables.
    #[error(
        "with {players} players, each can sit at no more than {} of {seats} seats (write `tables = \"all\"`, or more `rounds`)",
        counted(*most, "different table")
    )]
    TooManyTables {
        /// How many players there are.
        players: usize,
        /// How many seats a table has.
        seats: u8,
        /// The maximum number of different tables at which each player can sit.
        most: u64,
    },
    /// There would be more games than the arena can number.
    #[error(
        "{players} players with these tables and rounds would play more than 10^12 games (write a smaller number of tables or \
         rounds)"
    )]
    TooManyGames {
        /// How many players there are.
        players: usize,
    },
}

/// The nearest numbers of players that fill tables of `seats` seats: at most `players`, and more than `players`.
fn fitting_players(players: usize, seats: u8) -> String {
    let seats = usize::from(seats);
    let less = players / seats * seats;
    format!("{less} or {} players", less + seats)
}

/// The smallest number of tables at which each player can sit without leaving a seat empty anywhere.
pub(in crate::tournament) fn least_tables(players: usize, seats: u8) -> NonZeroU32 {
    let seats = u64::from(seats);
    let tables = seats / gcd(seats, players as u64);
    u32::try_from(tables).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
}

/// Checks that `players` players can play `rounds` rounds at tables of `seats` seats.
///
/// # Errors
/// Returns the reason if they cannot.
pub(in crate::tournament) fn seating(
    players: usize,
    seats: u8,
    rounds: NonZeroU32,
    tables: TablesEach,
) -> Result<(), Unseatable> {
    if players < usize::from(seats) {
        return Err(Unseatable::TooFewPlayers { players, seats });
    }
    let a_round = match tables {
        TablesEach::All => sets(players as u64, seats.into()),
        TablesEach::Number(each) => {
            let step = u64::from(least_tables(players, seats).get());
            let most = sets(players as u64 - 1, u64::from(seats) - 1);
            if let Some(most) = most.filter(|&most| u64::from(each.get()) > most) {
                return Err(Unseatable::TooManyTables { players, seats, most });
            }
            if !u64::from(each.get()).is_multiple_of(step) {
                return Err(Unseatable::Remainder { players, seats, tables: each.get(), step });
            }
            (players as u64).checked_mul(each.get().into()).map(|sittings| sittings / u64::from(seats))
        }
    };
    let games = a_round.and_then(|tables| tables.checked_mul(seats.into())?.checked_mul(rounds.get().into()));
    if games.is_some_and(|games| games <= MOST_GAMES) { Ok(()) } else { Err(Unseatable::TooManyGames { players }) }
}
