//! The opponents of a bot in the drill.

mod captor;
mod gothello;
mod mover;

use std::fmt;

use crate::game::{Move, Position, Ruleset, Side};
use crate::referee::record::Ply;

/// The kinds of opponents in the drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RivalKind {
    /// Random legal moves; a pass only if nothing else is legal.
    Random,
    /// The move that leaves the bot the fewest legal moves, chosen at random among equals.
    Strangler,
    /// Nothing but passes.
    Passer,
    /// Random moves, but a pass in answer to each pass by the bot.
    PassesBack,
    /// Random moves, except that the move with this number, from 1, is a pass.
    PassesAt(u32),
    /// Strong moves, which only a search finds.
    Strong,
    /// Random moves, until the rival resigns instead of making the move with this number, from 1.
    ResignsAt(u32),
    /// Random moves, until the rival leaves instead of making the move with this number, from 1. With 0, the rival leaves
    /// before the first move.
    LeavesAt(u32),
    /// Random moves, until the rival's flag falls instead of the move with this number, from 1.
    FlagsAt(u32),
    /// Moves of Gothello that cause groups of all sizes to turn on both sides, until the bot's last placements depend on
    /// turned stones.
    Captor,
    /// Moves of Gothello that pursue the given aim.
    Aims(Aim),
}

/// The situation that a rival for Gothello aims for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// The bot has to pass while the rival can still place stones. The rival itself passes once before that.
    AllCodes,
    /// The bot's only legal move is a pass.
    MustPass,
    /// The bot passes first, and the rival's pass ends the game.
    DoublePass,
    /// The rival is ahead, and then passes.
    PassAhead,
}

/// A rival's action in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The rival makes this move.
    Play(Move),
    /// The rival resigns.
    Resign,
    /// The rival's connection ends.
    Leave,
    /// The rival's flag falls.
    FlagFalls,
}

/// An opponent of a bot.
pub trait Rival: fmt::Debug + Send {
    /// Returns the rival's action after `plies`, when it is to move.
    fn reply(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Reply;
}

/// Returns the rival of the given `kind`; `None` if that rival needs a search. Equal seeds lead to equal games against
/// equal bots.
pub fn pure_rival(kind: RivalKind, seed: u64) -> Option<Box<dyn Rival>> {
    rival_from(Ruleset::start, kind, seed)
}

/// Like [`pure_rival`], for games that start from another position.
pub(super) fn rival_from(start: StartingPosition, kind: RivalKind, seed: u64) -> Option<Box<dyn Rival>> {
    match kind {
        RivalKind::Strong => None,
        RivalKind::Captor => Some(Box::new(captor::Captor::new(seed))),
        RivalKind::Aims(aim) => Some(Box::new(gothello::Aimer::new(aim, seed))),
        other => Some(Box::new(mover::Mover::new(start, other, seed))),
    }
}

/// A function that returns the starting position of games.
pub(super) type StartingPosition = fn(Ruleset) -> Box<dyn Position>;

/// The position after `plies`, which must be legal in a game that starts from `position`.
pub(super) fn position_after(mut position: Box<dyn Position>, plies: &[Ply]) -> Box<dyn Position> {
    play_on(&mut *position, plies);
    position
}

/// Plays `plies`, which must be legal in a game that starts from `position`.
pub fn play_on(position: &mut dyn Position, plies: &[Ply]) {
    for ply in plies {
        position.play(ply.played.as_str()).expect("the plies of a game are legal");
    }
}

/// The number of the next move of `side`.
fn next_number(plies: &[Ply], side: Side) -> u32 {
    1 + u32::try_from(plies.iter().filter(|ply| ply.side() == side).count()).unwrap_or(u32::MAX)
}

/// The line with which `side` makes `played` as its move with the given `number`.
pub(super) fn move_line(side: Side, number: u32, played: Move) -> String {
    match side {
        Side::Black => format!("{number} {played}"),
        Side::White => format!("{number} ... {played}"),
    }
}
