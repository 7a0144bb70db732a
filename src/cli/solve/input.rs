//! Positions as users write them.

use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};

use crate::base::printable::Shown as _;
use crate::cli::Failure;
use crate::cli::named_logs::LogFile;
use crate::exact::solvable::position;
use crate::game::rules::Side;
use crate::game::rules::gothello::{Board, Game, Point, flood, neighbours};

/// The most bytes to read: more than any board has, however it is spaced.
const MAX_BOARD: u64 = 4096;

/// The position in `text`, or in standard input if `text` is `-`.
pub(super) fn board(text: &str, to_move: Side, passed: bool) -> anyhow::Result<Game> {
    let board: Board = if text == "-" {
        let mut read = String::new();
        io::stdin().lock().take(MAX_BOARD).read_to_string(&mut read).context("cannot read standard input")?;
        read.parse()?
    } else {
        text.parse()?
    };
    if let Some((side, point)) = breathless(board) {
        bail!("the {side} group at {point} has no liberty, which play cannot lead to");
    }
    let game = Game::from_board(board, to_move);
    // The same board and the same side to move, after the other side's pass.
    Ok(if passed { Game::from_board(board, to_move.opponent()).pass() } else { game })
}

/// A group without a liberty, if there is one.
fn breathless(board: Board) -> Option<(Side, Point)> {
    for side in Side::BOTH {
        let mut rest = board.stones(side);
        while let Some((point, _)) = Point::pop(rest) {
            let group = flood(point.bit(), board.stones(side));
            if neighbours(group) & board.empty() == 0 {
                return Some((side, point));
            }
            rest &= !group;
        }
    }
    None
}

/// The position after ply `ply` of the log `file`, or after its last ply. `-` is standard input.
pub(super) fn logged(file: &Path, ply: Option<usize>) -> Result<Game, Failure> {
    let record = LogFile::Named(file.to_owned()).whole()?;
    let plies = record.plies.len();
    let wanted = ply.unwrap_or(plies);
    if wanted > plies {
        return Err(Failure::usage(anyhow!("there is no position after ply {wanted}: the game has {plies} plies")));
    }
    let moves = record.plies.iter().take(wanted).map(|ply| ply.played);
    position(record.ruleset, moves)
        .map_err(|missing| Failure::usage(anyhow!("`{}` cannot be solved: {missing}", file.shown())))
}
