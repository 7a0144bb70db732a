//! What happens in a run, as values of their own: for the reporter, and for whoever else looks on.

use std::time::Duration;

use crate::game::rules::{BySide, Move, Side};
use crate::referee::record::GameRecord;

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A client has come to a public port and got its place.
    Connected(Client),
    /// A client was turned away.
    Refused,
    /// Both players sit, and the game starts.
    Started {
        /// What the players call themselves, where they do.
        names: BySide<Option<String>>,
    },
    /// A player's build has begun.
    Building {
        /// Its name.
        player: String,
    },
    /// A player's files are being read, and that takes longer than a moment.
    Reading {
        /// Its name.
        player: String,
        /// How many bytes have been read so far.
        bytes: u64,
    },
    /// A player's program can't be started.
    Unstartable {
        /// Its name.
        player: String,
        /// Why.
        reason: String,
        /// What its build wrote, if it was that.
        output: String,
    },
    /// A game waits for a remote player.
    Waiting {
        /// Its name.
        player: String,
        /// Its side in that game.
        side: Side,
        /// Where it is to connect.
        address: String,
    },
    /// A game of a tournament has ended with a result.
    Finished {
        /// The game's number in the schedule, from 0.
        number: u64,
        /// All about it.
        record: Box<GameRecord>,
        /// What its bots wrote.
        outputs: BySide<Outputs>,
    },
    /// A game has come to nothing, by no player's fault.
    Void {
        /// The game's number in the schedule, from 0.
        number: u64,
        /// All about it, with the reason in place of a result.
        record: Box<GameRecord>,
        /// What its bots wrote.
        outputs: BySide<Outputs>,
        /// How it will be played again in this run, if it will.
        again: Option<Retry>,
    },
    /// A move was made.
    Moved {
        /// The move.
        played: Move,
        /// Time left on the mover's clock.
        left: Option<Duration>,
    },
}

/// A further try at a game that came to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retry {
    /// Which further try, from 1.
    pub nth: u32,
    /// How many there may be.
    pub of: u32,
}

/// What a bot wrote beside its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outputs {
    /// To stdout, unless that was its connection.
    pub stdout: Vec<u8>,
    /// To stderr.
    pub stderr: Vec<u8>,
}

/// Who connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// A player.
    Player(Side),
    /// The observer with this number, from 0.
    Observer(u32),
}
