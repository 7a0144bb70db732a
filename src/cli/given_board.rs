//! Boards on the command line or on standard input.

use std::borrow::Cow;
use std::io::{self, Read};

use anyhow::{Context as _, bail};

use crate::game::Side;
use crate::game::gothello::{Board, Game};
use crate::game::seegover::{self, Options};

/// The maximum number of bytes to read: more than any board needs, however it is spaced.
const MAX_BOARD: u64 = 4096;

/// The text of a board: `text`, or standard input if `text` is `-`.
fn text(text: &str) -> anyhow::Result<Cow<'_, str>> {
    if text != "-" {
        return Ok(text.into());
    }
    let mut read = String::new();
    io::stdin().lock().take(MAX_BOARD).read_to_string(&mut read).context("cannot read standard input")?;
    Ok(read.into())
}

/// The Gothello position in `board`, or in standard input if `board` is `-`.
pub(super) fn gothello(board: &str, to_move: Side, passed: bool) -> anyhow::Result<Game> {
    let board: Board = text(board)?.parse()?;
    if let Some((side, point)) = board.breathless() {
        bail!("the {side} group at {point} has no liberties, which is impossible in a game");
    }
    let game = Game::from_board(board, to_move);
    // The same board and the same side to move, after the other side's pass.
    Ok(if passed { Game::from_board(board, to_move.opponent()).pass() } else { game })
}

/// The Seegover position in `board`, or in standard input if `board` is `-`; the empty board if `board` is `None`.
pub(super) fn seegover(board: Option<&str>, to_move: Side, rules: Options) -> anyhow::Result<seegover::Game> {
    let board = board.map_or_else(|| Ok(seegover::Board::default()), |board| anyhow::Ok(text(board)?.parse()?))?;
    let game = seegover::Game::from_board(rules, board, to_move)?;
    check_counts(&game)?;
    Ok(game)
}

/// Rejects a board of the drop phase whose numbers of stones are impossible: black begins, and both sides drop the same
/// number of stones in each turn.
fn check_counts(game: &seegover::Game) -> anyhow::Result<()> {
    let board = game.board();
    let stones = board.count();
    if stones >= seegover::FULL {
        return Ok(());
    }
    let (each, found) = (game.rules().drop.stones(), Side::BOTH.map(|side| board.stones(side).count_ones()));
    let turns = stones / each;
    let [blacks, whites] = [turns.div_ceil(2), turns / 2].map(|turns| turns * each);
    let to_move = if turns.is_multiple_of(2) { Side::Black } else { Side::White };
    if (found, game.side()) == ([blacks, whites], to_move) {
        return Ok(());
    }
    bail!(
        "no drops lead to {} black and {} white stones with {} to move: after {stones} stones, {blacks} are black and \
         {whites} white, and {to_move} is to move",
        found[0],
        found[1],
        game.side()
    )
}
