//! The opponents of a bot in the drill.

use std::fmt;

use crate::base::random::SplitMix64;
use crate::game::rules::{Move, Position, Ruleset, Side};
use crate::referee::record::Ply;

/// Who plays against the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RivalKind {
    /// Random legal moves; a pass only where nothing else is legal.
    Random,
    /// The move that leaves the bot the fewest legal moves, by chance among equals.
    Strangler,
    /// Nothing but passes.
    Passer,
    /// The best moves, which only the solver knows.
    Perfect,
    /// Random moves, then a resignation instead of the move with this number, from 1.
    ResignsAt(u32),
    /// Random moves, then it leaves instead of making the move with this number, from 1; with 0, it leaves before anybody has
    /// moved.
    LeavesAt(u32),
    /// Random moves, then its flag falls instead of the move with this number, from 1.
    FlagsAt(u32),
}

/// What a rival does in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It makes this move.
    Play(Move),
    /// It resigns.
    Resign,
    /// Its connection ends.
    Leave,
    /// Its flag falls.
    FlagFalls,
}

/// An opponent of a bot.
pub trait Rival: fmt::Debug + Send {
    /// What to do after `plies`, when the rival is on move.
    fn reply(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Reply;
}

/// The rival of this kind, or `None` if it needs a search. Equal seeds give equal games against equal bots.
pub fn pure_rival(kind: RivalKind, seed: u64) -> Option<Box<dyn Rival>> {
    if kind == RivalKind::Perfect {
        return None;
    }
    Some(Box::new(Mover { kind, random: SplitMix64::new(seed) }))
}

/// The position after `plies`.
pub(super) fn position_after(ruleset: Ruleset, plies: &[Ply]) -> Box<dyn Position> {
    let mut position = ruleset.start();
    for ply in plies {
        position.play(ply.played.as_str()).expect("the plies of a game are legal");
    }
    position
}

/// A rival that looks no further than one move.
#[derive(Debug)]
struct Mover {
    kind: RivalKind,
    random: SplitMix64,
}

impl Rival for Mover {
    fn reply(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Reply {
        let position = position_after(ruleset, plies);
        let own = position.to_move();
        let number = 1 + u32::try_from(plies.iter().filter(|ply| ply.side == own).count()).unwrap_or(u32::MAX);
        match self.kind {
            RivalKind::ResignsAt(at) if number >= at => return Reply::Resign,
            RivalKind::LeavesAt(at) if number >= at => return Reply::Leave,
            RivalKind::FlagsAt(at) if number >= at => return Reply::FlagFalls,
            _ => {}
        }
        let legal = position.legal_moves();
        let placements: Vec<Move> = legal.iter().copied().filter(|played| !played.is_pass()).collect();
        let choices = match self.kind {
            RivalKind::Passer if legal.contains(&Move::PASS) => vec![Move::PASS],
            RivalKind::Strangler => fewest_answers(ruleset, plies, &placements),
            _ => placements,
        };
        let choices = if choices.is_empty() { legal } else { choices };
        Reply::Play(choices[self.pick(choices.len())])
    }
}

impl Mover {
    fn pick(&mut self, among: usize) -> usize {
        usize::try_from(self.random.below(among as u64)).unwrap_or_default()
    }
}

/// The moves that leave the opponent the fewest legal moves.
fn fewest_answers(ruleset: Ruleset, plies: &[Ply], moves: &[Move]) -> Vec<Move> {
    let answers = |played: &Move| {
        let mut after = position_after(ruleset, plies);
        after.play(played.as_str()).map_or(usize::MAX, |_| after.legal_moves().len())
    };
    let counted: Vec<(usize, Move)> = moves.iter().map(|played| (answers(played), *played)).collect();
    let fewest = counted.iter().map(|(count, _)| *count).min();
    counted.into_iter().filter(|(count, _)| Some(*count) == fewest).map(|(_, played)| played).collect()
}

/// The line that makes `played` as the move with this number.
pub(super) fn move_line(side: Side, number: u32, played: Move) -> String {
    match side {
        Side::Black => format!("{number} {played}"),
        Side::White => format!("{number} ... {played}"),
    }
}
