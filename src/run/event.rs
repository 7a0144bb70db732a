//! The events of a run, as owned values for listeners on this machine or elsewhere.
//!
//! An event about a game carries the game's id, which distinguishes it from events of concurrent games. Every event is
//! serialised as an object whose member `event` is its kind.

use std::time::Duration;

use crate::game::{BySeat, Move, Seat};
use crate::host::bot_output::BotOutput;
use crate::referee::record::LoggedGame;
use crate::referee::result::Termination;
use crate::referee::thought::Thought;
use crate::run::journal::line::JournalEntry;
use crate::tournament::schedule::GameId;

/// Something that happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A player's build has begun.
    Building {
        /// The player's name.
        player: String,
    },
    /// Reading a player's files is taking longer than a moment.
    Reading {
        /// The player's name.
        player: String,
        /// How many bytes have been read so far.
        bytes: u64,
    },
    /// A player's program cannot be started.
    Unstartable {
        /// The player's name.
        player: String,
        /// Why not.
        reason: String,
        /// The output of the player's build, if the build was the reason.
        output: String,
    },
    /// A player could not be prepared because the machine lacked a resource, or because the player's build did not
    /// finish in time. The player's games are void.
    Unprepared {
        /// The player's name.
        player: String,
        /// The resource that the machine lacked, or the build's timeout.
        reason: String,
        /// The output of the player's build, if it did not finish in time.
        output: String,
    },
    /// A game is waiting for a remote player.
    Waiting {
        /// The game.
        game: GameId,
        /// The player's name.
        player: String,
        /// The player's seat in the game.
        seat: Seat,
        /// How many seats the game has.
        seats: u8,
        /// The address at which the player should connect.
        address: String,
    },
    /// All players are seated, and the game starts.
    Started {
        /// The game.
        game: GameId,
        /// The players' names.
        players: BySeat<String>,
        /// The moves of the opening, which precede the players' own moves.
        opening: Vec<Move>,
    },
    /// A move was made.
    Moved {
        /// The game.
        game: GameId,
        /// The number of the ply, from 1, including the opening. A gap means that the listener missed a move.
        ply: usize,
        /// The move.
        played: Move,
        /// The time left on the mover's clock.
        left: Option<Duration>,
    },
    /// A player has reported on its thinking, in a tournament that lets everybody read these reports.
    Told {
        /// The game.
        game: GameId,
        /// The player's seat.
        seat: Seat,
        /// The ply of the player's turn, from 1.
        ply: usize,
        /// The player's claim.
        thought: Thought,
    },
    /// A player has dropped out of a game with more than two seats, or has not taken its seat.
    DroppedOut {
        /// The game.
        game: GameId,
        /// The player's seat.
        seat: Seat,
        /// How many plies had been played before.
        after_plies: usize,
        /// The reason: a resignation or a forfeit.
        why: Termination,
    },
    /// The run's workers, or their numbers of slots, have changed.
    Staffed {
        /// How many workers there are.
        workers: usize,
        /// How many games all workers together play at a time.
        slots: usize,
    },
    /// In a ladder: a request to add this entry to the journal. The collector writes it, and then sends
    /// [`Event::Entered`].
    Enter(Box<JournalEntry>),
    /// In a ladder: this entry is now in the journal.
    Entered(Box<JournalEntry>),
    /// A game has ended.
    Ended(Ended),
}

/// A game that has ended: with a result, or void through no player's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The game.
    pub game: GameId,
    /// The game's number in the schedule, from 0.
    pub number: u64,
    /// The game's record; a void game has the reason instead of a result.
    pub record: Box<LoggedGame>,
    /// The output of the game's bots.
    pub outputs: BySeat<BotOutput>,
    /// The next attempt at a void game in this run, if there will be one.
    pub again: Option<Retry>,
}

/// A further attempt at a void game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// The number of this further attempt, from 1.
    pub nth: u32,
    /// The maximum number of further attempts at a game.
    pub of: u32,
}
