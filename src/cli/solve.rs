//! `gothello-arena solve`.

mod input;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::anyhow;
use serde::Serialize;

use super::progress::Progress;
use super::{CommandResult, Exit, Failure, HELP, given_board, note, print, settings, warn};
use crate::base::time;
use crate::exact::answers::{GothelloAnswer, QueryNews, SeegoverDetail, SeegoverQuery};
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::seegover::Expert;
use crate::exact::solver::{Question, TranspositionTable};
use crate::exact::tablebase::read_named;
use crate::exact::team::{Answer, Team, watched};
use crate::exact::threads::threads_or_two;
use crate::game::gothello::Game;
use crate::game::{Feature, Ruleset, Side};
use crate::run::cached_analyst::table_of_positions;

/// Find out who wins a position with best play, and by how much
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, group = clap::ArgGroup::new("position").required(true), after_help = "\
Positions of up to 7 stones are known; those with 8 take 1 to 3 s. Seegover
needs a table from `tablebase build`, and takes seconds with 4 or more stones.
Examples:
  gothello-arena solve --board \".bbw. .wwb. w.bww .b.bw bww..\" --to-move black
  gothello-arena solve --log results/class/games/r1-greedy-random.log --ply 12")]
#[expect(clippy::struct_excessive_bools, reason = "each is a command-line flag")]
pub(super) struct Args {
    // clap does not enforce `requires` if the required option conflicts with an option that is given, so these options
    // specify both their requirements and their conflicts.
    /// Solve this board: ranks 5 to 1, or `-` for stdin
    #[arg(long, group = "position", requires = "to_move")]
    board: Option<String>,
    /// Set the side to move: black or white
    #[arg(long, value_name = "SIDE", requires = "board", conflicts_with_all = ["log", "start"])]
    to_move: Option<Side>,
    /// Treat the last move as a pass: a second ends the game
    #[arg(long, requires = "board", conflicts_with_all = ["log", "start"])]
    passed: bool,
    /// Solve a position in a game log, or `-` for stdin
    #[arg(long, value_name = "FILE", group = "position")]
    log: Option<PathBuf>,
    /// Take the position after N plies [default: the last]
    #[arg(long, value_name = "N", requires = "log", conflicts_with_all = ["board", "start"])]
    ply: Option<usize>,
    /// Solve the empty board, and each class of first moves
    #[arg(long, group = "position")]
    start: bool,
    /// Set the rules, such as "seegover drop=2"
    #[arg(long, value_name = "RULES", conflicts_with = "log")]
    ruleset: Option<Ruleset>,
    /// Find the values of all legal turns, for Seegover
    #[arg(long)]
    all: bool,
    /// Use FILE for Seegover instead of the cached table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Find only who wins, not by how much or how soon
    #[arg(long)]
    wdl: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, short = 'j', value_name = "N", value_parser = super::threads)]
    threads: Option<NonZeroUsize>,
    /// Use a table of MIB mebibytes [default: as needed]
    #[arg(long, value_name = "MIB")]
    memory: Option<NonZeroU32>,
}

/// A position to solve.
#[derive(Debug)]
enum AskedPosition {
    Gothello(Game),
    Seegover(SeegoverQuery),
}

/// The intervals between reports of a search's progress, and between checks of a search in Seegover.
const EVERY: Duration = Duration::from_secs(1);
const CHECK_EVERY: Duration = Duration::from_millis(200);

impl Args {
    pub(super) fn run(self) -> CommandResult {
        match self.asked()? {
            AskedPosition::Gothello(game) => self.solve_position(&game),
            AskedPosition::Seegover(query) => self.solve_seegover(&query),
        }
    }

    fn solve_position(&self, game: &Game) -> CommandResult {
        let begun = time::now();
        let table = self.sized_table(game)?;
        let question = self.question();
        let mut progress = Progress::new();
        let tell = |nodes| {
            let seconds = begun.elapsed().as_secs();
            progress.tell(format_args!("{} in {seconds} s", nodes_text(nodes)));
        };
        let never = AtomicBool::new(false);
        let file = table_of_positions(warn);
        let known = KnownMargins::with(file.as_ref());
        let team = Team { threads: self.threads(), table: &table, known, stop: &never };
        let answer = team.solve_together(EVERY, tell, |solver| solver.solve(game, question));
        progress.clear();
        let Answer { found, nodes } = answer;
        let answer = GothelloAnswer::new(found?, nodes, begun.elapsed());
        let answer = if self.start { answer.with_first_moves() } else { answer };
        print(if self.json { json(&answer)? } else { answer.text() })?;
        Ok(Exit::Success)
    }

    /// Uses the table named by the user, or else the table in the cache directory.
    fn solve_seegover(&self, query: &SeegoverQuery) -> CommandResult {
        self.refuse_options_of_gothello()?;
        // Report that there is no solver before reading a table, because no table would help.
        let rules = query.rules();
        Ruleset::Seegover(rules).require(Feature::Solver).map_err(Failure::usage)?;
        let (_, table) = read_named(self.table.clone(), Some(rules.move_rules()))?;
        let mut expert = Expert::new(Arc::new(table), rules.drop);
        let (begun, searched, mut progress) = (time::now(), expert.searched(), Progress::new());
        let (sender, received) = mpsc::channel();
        let (mut doing, mut turns) = (String::new(), None);
        let tell = || {
            for news in received.try_iter() {
                match news {
                    QueryNews::Begins(what) => (doing, turns) = (what, None),
                    QueryNews::FirstTurn { name, done, of } => {
                        if done == 0 {
                            progress.begin_step();
                        }
                        (doing, turns) = (name, Some((done, of)));
                    }
                    QueryNews::Found(line) => {
                        progress.clear();
                        note(line);
                    }
                }
            }
            let (nodes, seconds) = (nodes_text(searched.load(Ordering::Relaxed)), begun.elapsed().as_secs());
            match turns {
                Some((done, of)) => progress.count(done, of, format_args!("{doing}, {nodes} in all")),
                None => progress.tell(format_args!("{doing}: {nodes} in {seconds} s")),
            }
        };
        let detail = SeegoverDetail { depth: !self.wdl, first_turns: self.start, all_turns: self.all };
        let answer = watched(CHECK_EVERY, tell, || {
            query.answer(detail, &mut expert, &|news| {
                // There may be no listener.
                let _ = sender.send(news);
            })
        })?;
        progress.clear();
        let answer = answer.after(begun.elapsed());
        print(if self.json { json(&answer)? } else { answer.text() })?;
        Ok(Exit::Success)
    }

    /// Rejects options that apply only to Gothello.
    fn refuse_options_of_gothello(&self) -> Result<(), Failure> {
        let given =
            [("--passed", self.passed), ("--threads", self.threads.is_some()), ("--memory", self.memory.is_some())];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(anyhow!("{name} is for Gothello, but this is a Seegover position"))),
            None => Ok(()),
        }
    }

    /// The position given on the command line.
    fn asked(&self) -> Result<AskedPosition, Failure> {
        if let Some(ruleset @ Ruleset::Quantum(_)) = self.ruleset {
            ruleset.require(Feature::Solver).map_err(Failure::usage)?;
        }
        let asked = match (&self.log, self.ruleset) {
            (Some(log), _) => input::logged(log, self.ply)?,
            (None, Some(Ruleset::Seegover(rules))) => AskedPosition::Seegover(
                given_board::seegover(self.board.as_deref(), self.to_move.unwrap_or(Side::Black), rules)
                    .map(SeegoverQuery::of_start)
                    .map_err(Failure::usage)?,
            ),
            (None, _) => match &self.board {
                Some(board) => AskedPosition::Gothello(
                    given_board::gothello(board, self.to_move.unwrap_or(Side::Black), self.passed)
                        .map_err(Failure::usage)?,
                ),
                None => AskedPosition::Gothello(Game::default()),
            },
        };
        if !matches!(asked, AskedPosition::Seegover(_)) {
            let given = [("--all", self.all), ("--table", self.table.is_some())];
            if let Some((name, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                return Err(Failure::usage(anyhow!("{name} is for Seegover, but this is a Gothello position")));
            }
        }
        Ok(asked)
    }

    const fn question(&self) -> Question {
        if self.wdl { Question::Winner } else { Question::Margin }
    }

    fn threads(&self) -> NonZeroUsize {
        threads_or_two(settings::threads(self.threads))
    }

    /// A table of the size chosen by the user, or else of the size that `game` needs.
    fn sized_table(&self, game: &Game) -> Result<TranspositionTable, Failure> {
        Ok(self
            .memory
            .map_or_else(|| Ok(TranspositionTable::for_game(game)), TranspositionTable::try_with_mebibytes)?)
    }
}

/// `answer` as a line of JSON.
fn json(answer: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(answer)? + "\n")
}

/// A number of nodes, rounded down to millions or thousands.
fn nodes_text(nodes: u64) -> String {
    if nodes < 1000 {
        format!("{nodes} nodes")
    } else if nodes < 1_000_000 {
        format!("{} thousand nodes", nodes / 1000)
    } else {
        format!("{} million nodes", nodes / 1_000_000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_nodes_are_told_in_thousands_and_millions() {
        for (nodes, text) in [
            (999, "999 nodes"),
            (999_999, "999 thousand nodes"),
            (1_000_000, "1 million nodes"),
            (23_900_000, "23 million nodes"),
        ] {
            assert_eq!(nodes_text(nodes), text);
        }
    }
}
