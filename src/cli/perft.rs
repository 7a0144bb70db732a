//! `gothello-arena perft`.

use super::{CommandResult, Exit, print};
use crate::game::rules::gothello::Game;

/// The most plies whose count certainly fits into 64 bits, with at most 26 moves at each ply.
const MAX_PLIES: i64 = 13;

/// Count the move sequences from the empty board
#[derive(Debug, clap::Args)]
#[command(after_help = "Each further ply takes about twenty times as long: 7 plies take a second, 9 take
minutes.

Example (prints 303424):
  gothello-arena perft 4")]
pub(super) struct Args {
    /// Length of the sequences, from 0 to 13
    #[arg(value_parser = clap::value_parser!(u32).range(..=MAX_PLIES))]
    plies: u32,
    /// Count passes as moves; two in a row end a sequence
    #[arg(long)]
    passes: bool,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let start = Game::default();
        let count = if self.passes { start.perft_with_passes(self.plies) } else { start.perft(self.plies) };
        print(format!("{count}\n"))?;
        Ok(Exit::Success)
    }
}
