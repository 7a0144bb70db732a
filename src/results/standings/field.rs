//! Standings of games with any number of seats. Games with different numbers of seats are never mixed.

use thiserror::Error;

use super::{
    AnchorError, Counting, GroupStandings, GroupTally, PlayedSummary, RatingOptions, RunState, Standings, Tally,
};

/// The totals of games that all have the same number of seats.
#[derive(Clone, Debug)]
pub enum FieldTally {
    /// Games with two seats, or no games.
    Pairs(Tally),
    /// Games with more than two seats.
    Groups(GroupTally),
}

/// The error for games with different numbers of seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "games with {first} and {other} players cannot share standings; keep the logs for each number of players in a \
     separate directory"
)]
pub struct MixedSeats {
    /// The number of seats of the first game.
    pub first: u8,
    /// The number of seats of a later game.
    pub other: u8,
}

impl FieldTally {
    /// An empty tally, which will count the games selected by `counting`. The first game determines the number of seats
    /// of all games.
    pub fn new(counting: Counting) -> Self {
        Self::Pairs(Tally::new(counting))
    }

    /// An empty tally, which will count the games with `seats` seats selected by `counting`.
    pub fn of_seats(counting: Counting, seats: u8) -> Self {
        if seats == 2 { Self::new(counting) } else { Self::Groups(GroupTally::new(counting, seats)) }
    }

    /// Adds a game.
    ///
    /// # Errors
    /// Fails if the games so far have a different number of seats.
    pub fn add<S: AsRef<str>>(&mut self, game: &PlayedSummary<S>) -> Result<(), MixedSeats> {
        match (&mut *self, game) {
            (Self::Pairs(tally), PlayedSummary::Pair(game)) => tally.add(game),
            (Self::Groups(tally), PlayedSummary::Group(game)) if game.players.seats() == tally.seats() => {
                tally.add(game);
            }
            (Self::Pairs(tally), PlayedSummary::Group(game)) if tally.counts().all() == 0 => {
                let mut groups = GroupTally::new(tally.counting(), game.players.seats());
                groups.know(tally.players());
                groups.add(game);
                *self = Self::Groups(groups);
            }
            (tally, game) => return Err(MixedSeats { first: tally.seats(), other: game.seats() }),
        }
        Ok(())
    }

    /// Adds players without games, unless they are already known.
    pub fn know<'n>(&mut self, players: impl IntoIterator<Item = &'n str>) {
        match self {
            Self::Pairs(tally) => tally.know(players),
            Self::Groups(tally) => tally.know(players),
        }
    }

    /// The players' names in order.
    pub fn players(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Pairs(tally) => Box::new(tally.players()),
            Self::Groups(tally) => Box::new(tally.players()),
        }
    }

    /// The number of games of all kinds.
    pub const fn games(&self) -> u64 {
        match self {
            Self::Pairs(tally) => tally.counts().all(),
            Self::Groups(tally) => tally.counts().all(),
        }
    }

    /// Which games count.
    pub const fn counting(&self) -> Counting {
        match self {
            Self::Pairs(tally) => tally.counting(),
            Self::Groups(tally) => tally.counting(),
        }
    }

    /// The number of seats of each game.
    pub const fn seats(&self) -> u8 {
        match self {
            Self::Pairs(_) => 2,
            Self::Groups(tally) => tally.seats(),
        }
    }

    /// The standings after these games.
    ///
    /// # Errors
    /// Returns an error if an anchor does not name a player, or if that player does not have a finite rating.
    pub fn standings(&self, options: &RatingOptions) -> Result<FieldStandings, AnchorError> {
        Ok(match self {
            Self::Pairs(tally) => FieldStandings::Pairs(Box::new(Standings::new(tally, options)?)),
            Self::Groups(tally) => FieldStandings::Groups(Box::new(GroupStandings::of(tally, options)?)),
        })
    }
}

/// The standings of a field whose games all have the same number of seats.
#[derive(Clone, Debug)]
pub enum FieldStandings {
    /// Standings of games with two seats.
    Pairs(Box<Standings>),
    /// Standings of games with more than two seats.
    Groups(Box<GroupStandings>),
}

impl FieldStandings {
    /// Adds the state of the run.
    #[must_use]
    pub fn of_run(self, run: RunState) -> Self {
        match self {
            Self::Pairs(standings) => Self::Pairs(Box::new(standings.of_run(run))),
            Self::Groups(standings) => Self::Groups(Box::new(standings.of_run(run))),
        }
    }

    /// The state of the run; empty unless [`FieldStandings::of_run`] added it.
    pub const fn run(&self) -> &RunState {
        match self {
            Self::Pairs(standings) => standings.run(),
            Self::Groups(standings) => standings.run(),
        }
    }

    /// Whether any player forfeited a game.
    pub fn has_forfeits(&self) -> bool {
        match self {
            Self::Pairs(standings) => standings.rows().iter().any(|row| row.forfeit_count() > 0),
            Self::Groups(standings) => standings.rows().iter().any(|row| row.forfeit_count() > 0),
        }
    }
}
