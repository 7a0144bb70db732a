//! The opponents of a bot in the drill.
//!
//! With more than two seats, one rival makes the moves of all seats but the bot's.

mod captor;
mod gothello;
mod mover;

use std::fmt;

use crate::game::{Move, Position, Ruleset, Seat};
use crate::referee::record::Ply;

/// The kinds of opponents in the drill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RivalKind {
    /// Random legal moves; a pass only if nothing else is legal.
    Random,
    /// The move that leaves the bot the fewest legal moves; ties are broken at random.
    Strangler,
    /// Nothing but passes.
    Passer,
    /// Random moves, but a pass in answer to each pass by the bot.
    PassesBack,
    /// Random moves, except that the move with this number, counted from 1, is a pass.
    PassesAt(u32),
    /// Strong moves, which only a search finds.
    Strong,
    /// Random moves, until the rival resigns instead of making the move with this number, counted from 1.
    ResignsAt(u32),
    /// Random moves, until the rival leaves instead of making the move with this number, counted from 1. With 0, the
    /// rival leaves before the first move.
    LeavesAt(u32),
    /// Random moves, until one of several rivals resigns instead of making the move with this number, counted from 1.
    /// With 0, one rival leaves before the first move. The others play on.
    OneFailsAt(u32),
    /// Random moves, until the rival's flag falls instead of the move with this number, counted from 1.
    FlagsAt(u32),
    /// Moves of Gothello that cause groups of all sizes to turn on both sides, until the bot's last placements depend
    /// on turned stones.
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
pub trait Rival: fmt::Debug + Send + Sync {
    /// Returns the rival's action in the game `so_far`, when one of its seats is to move.
    fn reply(&mut self, ruleset: Ruleset, so_far: &SoFar<'_>) -> Reply;
}

/// Returns the rival of the given `kind`; `None` if that rival needs a search. Equal seeds lead to equal games against
/// equal bots.
pub fn pure_rival(kind: RivalKind, seed: u64) -> Option<Box<dyn Rival>> {
    rival_from(Ruleset::start, kind, seed)
}

/// Like [`pure_rival`], but for games that start from another position.
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

/// The number of plies before a seat dropped out, and that seat.
pub type DropOut = (usize, Seat);

/// What has happened in a game so far.
#[derive(Clone, Copy, Debug)]
pub struct SoFar<'a> {
    /// The plies.
    pub plies: &'a [Ply],
    /// The seats that have dropped out, in chronological order. Some may have dropped out after the last ply.
    pub outs: &'a [DropOut],
}

/// How much of a game has been followed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FollowedPlies {
    plies: usize,
    outs: usize,
}

impl SoFar<'_> {
    /// Plays the game in `position`, which must be the game's starting position. Stops before an illegal ply, which
    /// only a damaged file can contain.
    pub fn play_in(&self, position: &mut dyn Position) {
        self.play_rest(position, &mut FollowedPlies::default());
    }

    /// Plays the rest of the game in `position`, which already includes everything in `known`.
    fn play_rest(&self, position: &mut dyn Position, known: &mut FollowedPlies) {
        loop {
            while let Some((_, seat)) = self.outs.get(known.outs).filter(|(plies, _)| *plies <= known.plies) {
                position.drop_out(*seat);
                known.outs += 1;
            }
            let Some(ply) = self.plies.get(known.plies) else { return };
            if position.play(ply.played.as_str()).is_err() {
                return;
            }
            known.plies += 1;
        }
    }
}

/// The position reached by playing `so_far` from `position`.
pub(super) fn position_after(mut position: Box<dyn Position>, so_far: &SoFar<'_>) -> Box<dyn Position> {
    so_far.play_in(&mut *position);
    position
}

/// The number of the next move of `seat`.
fn next_number(plies: &[Ply], seat: impl Into<Seat>) -> u32 {
    let seat = seat.into();
    1 + u32::try_from(plies.iter().filter(|ply| ply.seat == seat).count()).unwrap_or(u32::MAX)
}

/// The line with which `seat` makes the move `played`. `number` is the number of this move.
pub(super) fn move_line(seat: Seat, number: u32, played: Move) -> String {
    format!("{number} {}{played}", "... ".repeat(seat.index()))
}
