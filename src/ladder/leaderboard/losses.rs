//! A lost game as its loser sees it.

use std::path::Path;

use serde::Serialize;

use super::judge::{Judge, JudgedLoss};
use super::picture::{LadderLoss, LadderPicture};
use super::views::opponent_name;
use crate::base::sanitise::{output_line, sanitised};
use crate::game::{Seat, Side};
use crate::referee::record::GameRecord;
use crate::run::derived::Derived;
use crate::run::results_dir::{GAMES, output_name, read_log, read_tail};

/// How many bytes of the loser's stderr are shown.
const STDERR: u64 = 8 * 1024;

/// A lost game. It contains nothing that the winner wrote, and neither the winner's version nor, unless it is public,
/// the winner's name.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ShownLoss {
    /// The number by which the page recognises the game.
    number: u64,
    version: String,
    opponent: Option<String>,
    side: Side,
    date: Option<String>,
    ending: &'static str,
    /// By how much the game was lost, if that is known.
    margin: Option<u32>,
    /// What the loser did wrong, if it lost for another reason than its play.
    reason: Option<String>,
    moves: Vec<String>,
    /// The loser's claims, each with the number of its ply, from 1.
    claims: Vec<(usize, String)>,
    /// The judgement of the loser's moves; `None` if they have not been judged yet.
    pub(super) judgement: Option<JudgedLoss>,
    stderr: String,
}

/// The game `loss` in the results `dir`, with the moves that `judge` has judged. `None` if its log cannot be read.
pub(super) fn shown_loss(
    picture: &LadderPicture,
    loss: &LadderLoss,
    dir: &Path,
    judge: &mut Judge,
) -> Option<ShownLoss> {
    let log = Derived::in_dir(dir.to_owned()).log(&loss.id);
    let record: GameRecord = read_log(&log).ok()?.into_two().ok()?;
    let result = record.result.as_ref().ok()?;
    let is_at_fault = result.fault().is_on(loss.side);
    let (ending, margin) = (result.termination().name(), result.margin().map(i32::unsigned_abs));
    let reason = result.reason().filter(|_| is_at_fault).map(sanitised);
    let file = dir.join(GAMES).join(output_name(&loss.id, (Seat::from(loss.side), 2), "stderr"));
    // Most bots write nothing to stderr, and their games have no such file.
    let stderr = read_tail(&file, STDERR).map(|bytes| printable_lines(&bytes)).unwrap_or_default();
    let (date, moves) = (record.date.clone(), record.plies.iter().map(|ply| ply.played.to_string()).collect());
    let own = (1..).zip(&record.plies).filter(|(_, ply)| ply.side() == loss.side);
    let claims = own.filter_map(|(ply, made)| Some((ply, made.thought.as_ref()?.in_words()))).collect();
    let judgement = if judge.can_judge() { judge.loss(loss.number, loss.side, || Some(record)) } else { None };
    Some(ShownLoss {
        number: loss.number,
        version: loss.version.clone(),
        opponent: opponent_name(picture, &loss.opponent).map(str::to_owned),
        side: loss.side,
        date,
        ending,
        margin,
        reason,
        moves,
        claims,
        judgement,
        stderr,
    })
}

/// The output of a program as printable lines.
pub(super) fn printable_lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(output_line).collect::<Vec<_>>().join("\n")
}
