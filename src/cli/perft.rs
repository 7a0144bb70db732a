//! `gothello-arena perft`.

use anyhow::anyhow;
use serde::Serialize;

use super::progress::Progress;
use super::{CommandResult, Exit, Failure, print};
use crate::base::sanitise::sanitised;
use crate::base::time::now;
use crate::game::{Move, Position, Ruleset, Side, gothello, quantum, seegover};

/// The maximum number of plies whose count certainly fits into 64 bits: Gothello has at most 26 moves at each ply,
/// Seegover 24 and, if a turn drops two stones, 276. On larger boards, longer sequences would take centuries to count.
const MAX_PLIES: i64 = 13;

/// The same maximum if a turn of Seegover drops two stones.
const MAX_PLIES_OF_PAIRS: u32 = 9;

/// The minimum number of plies for which the sequences are counted, and the progress is shown, move by move.
const LONG: u32 = 4;

/// Count the move sequences from a board
#[derive(Debug, clap::Args)]
#[command(after_help = "A sequence in which the game ends before the last ply is not counted. Published
counts for Othello include these: 24571284 at 10 plies, 24571056 here. In
Gothello, each additional ply takes about twenty times as long: 7 plies take a
second. Without --passes, forced passes are made, but not counted as plies.

Examples (they print 303424 and 8200):
  gothello-arena perft 4
  gothello-arena perft 6 --ruleset othello --passes")]
pub(super) struct Args {
    /// Length of the sequences, from 0 to 13
    #[arg(value_parser = clap::value_parser!(u32).range(..=MAX_PLIES))]
    plies: u32,
    /// Count by RULES: gothello, othello, "go-9 ko=simple"
    #[arg(long, value_name = "RULES", default_value_t)]
    ruleset: Ruleset,
    /// Start from BOARD, ranks 5 to 1 (5x5 only)
    #[arg(long, value_name = "BOARD")]
    board: Option<String>,
    /// Let SIDE move first (5x5 only)
    #[arg(long, value_name = "SIDE", default_value_t = Side::Black)]
    to_move: Side,
    /// Count passes as moves, wherever they are legal
    #[arg(long)]
    passes: bool,
    /// Print one JSON object, including the time
    #[arg(long)]
    json: bool,
}

/// A count, for programs.
#[derive(Debug, Serialize)]
struct PerftCount {
    format: u32,
    ruleset: String,
    plies: u32,
    passes: bool,
    count: u64,
    seconds: f64,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let begun = now();
        let count = match self.ruleset {
            Ruleset::Gothello => self.of_gothello(),
            Ruleset::Seegover(options) => self.of_seegover(options),
            Ruleset::Quantum(rules) => self.of_quantum(rules),
        }?;
        let Self { plies, passes, .. } = self;
        let (ruleset, seconds) = (self.ruleset.to_string(), begun.elapsed().as_secs_f64());
        let counted = PerftCount { format: 1, ruleset, plies, passes, count, seconds };
        print(if self.json { serde_json::to_string(&counted)? + "\n" } else { format!("{count}\n") })?;
        Ok(Exit::Success)
    }

    fn of_gothello(&self) -> Result<u64, Failure> {
        let board = self.board.as_deref().map_or_else(|| Ok(gothello::Board::default()), str::parse);
        let start = gothello::Game::from_board(board.map_err(|why| self.bad_board(&why))?, self.to_move);
        Ok(self
            .summed(&start, |game, plies| if self.passes { game.perft_with_passes(plies) } else { game.perft(plies) }))
    }

    fn of_seegover(&self, options: seegover::Options) -> Result<u64, Failure> {
        if self.passes {
            return Err(Failure::usage(anyhow!("`--passes` is for other rule sets: there are no passes in Seegover")));
        }
        if options.drop == seegover::DropRule::Two && self.plies > MAX_PLIES_OF_PAIRS {
            let most = MAX_PLIES_OF_PAIRS;
            return Err(Failure::usage(anyhow!(
                "with `drop=2`, sequences of more than {most} plies cannot be counted"
            )));
        }
        let board = self.board.as_deref().map_or_else(|| Ok(seegover::Board::default()), str::parse);
        let board = board.map_err(|why| self.bad_board(&why))?;
        let start = seegover::Game::from_board(options, board, self.to_move).map_err(|why| self.bad_board(&why))?;
        Ok(self.summed(&start, seegover::Game::perft))
    }

    fn of_quantum(&self, rules: quantum::QuantumRules) -> Result<u64, Failure> {
        for (option, is_given) in [("--board", self.board.is_some()), ("--to-move", self.to_move != Side::Black)] {
            if is_given {
                let name = rules.lineup().name();
                return Err(Failure::usage(anyhow!(
                    "`{option}` is only for Gothello and Seegover: `{name}` has a fixed initial position"
                )));
            }
        }
        let passes = if self.passes { quantum::CountedPasses::All } else { quantum::CountedPasses::None };
        Ok(self.summed(&quantum::Game::new(rules), |game, plies| game.perft(plies, passes)))
    }

    /// The sum of the results of `count` after each first move. Shows the progress on stderr unless the count is short.
    fn summed<G: Position + Clone>(&self, start: &G, count: impl Fn(&G, u32) -> u64) -> u64 {
        let moves: Vec<Move> =
            start.legal_moves().into_iter().filter(|played| self.passes || !played.is_pass()).collect();
        // A forced pass is not counted as a ply. Only the rule set's own count takes this into account.
        if self.plies < LONG || moves.is_empty() {
            return count(start, self.plies);
        }
        let mut progress = Progress::new();
        let mut sum = 0;
        for (done, played) in (0..).zip(&moves) {
            progress.count(done, moves.len() as u64, format_args!("sequences that begin with {played}"));
            let mut next = start.clone();
            if next.play(played.as_str()).is_ok() {
                sum += count(&next, self.plies - 1);
            }
        }
        sum
    }

    /// The error for an invalid board on the command line.
    fn bad_board(&self, why: &impl std::fmt::Display) -> Failure {
        let board = sanitised(self.board.as_deref().unwrap_or_default());
        Failure::usage(anyhow!("`--board`: `{board}`: {}", sanitised(&why.to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_over_the_first_moves_is_the_whole_count() {
        for (text, passes) in [("gothello", false), ("gothello", true), ("reverse", false), ("othello", true)] {
            let ruleset: Ruleset = text.parse().expect("a rule set");
            let args = Args { plies: LONG, ruleset, board: None, to_move: Side::Black, passes, json: false };
            let start = gothello::Game::default();
            let (found, expected) = match ruleset {
                Ruleset::Quantum(rules) => {
                    let counted = if passes { quantum::CountedPasses::All } else { quantum::CountedPasses::None };
                    (args.of_quantum(rules), quantum::Game::new(rules).perft(LONG, counted))
                }
                _ if passes => (args.of_gothello(), start.perft_with_passes(LONG)),
                _ => (args.of_gothello(), start.perft(LONG)),
            };
            assert_eq!(found.ok(), Some(expected), "{text} {passes}");
        }
    }
}
