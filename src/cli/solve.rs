//! `gothello-arena solve`.

mod input;
mod seegover;
mod whole_game;

use std::fmt::Write as _;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::anyhow;
use serde::Serialize;

use self::seegover::SeegoverQuery;
use super::progress::Progress;
use super::{CommandResult, Exit, Failure, HELP, print, threads_or_two};
use crate::base::time;
use crate::exact::solver::{Question, Solution, Table};
use crate::exact::team::{Answer, Team};
use crate::game::gothello::Game;
use crate::game::{Feature, Move, Outcome, Ruleset, Side};

/// Find out who wins a position with best play, and by how much
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, group = clap::ArgGroup::new("position").required(true), after_help = "\
Up to 18 empty points take seconds, the empty board an hour. Seegover needs the
table of `tablebase build seegover`, and takes seconds with 4 stones or more.
Examples:
  gothello-arena solve --board \".bbw. .wwb. w.bww .b.bw bww..\" --to-move black
  gothello-arena solve --log results/class/games/r1-greedy-random.log --ply 12")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(super) struct Args {
    // clap does not enforce `requires` if the required option conflicts with one that is given, so each option has both.
    /// Solve this board: ranks 5 to 1, or `-` for stdin
    #[arg(long, group = "position", requires = "to_move")]
    board: Option<String>,
    /// Set the side to move: black or white
    #[arg(long, value_name = "SIDE", requires = "board", conflicts_with_all = ["log", "start"])]
    to_move: Option<Side>,
    /// Treat the last move as a pass: a second ends the game
    #[arg(long, requires = "board", conflicts_with_all = ["log", "start"])]
    passed: bool,
    /// Solve a position of a game log, or `-` for stdin
    #[arg(long, value_name = "FILE", group = "position")]
    log: Option<PathBuf>,
    /// Take the position after N plies [default: the last]
    #[arg(long, value_name = "N", requires = "log", conflicts_with_all = ["board", "start"])]
    ply: Option<usize>,
    /// Solve the empty board, and each class of first moves
    #[arg(long, group = "position")]
    start: bool,
    /// Save progress of --start to DIR, and continue from it
    #[arg(long, value_name = "DIR", requires = "start", conflicts_with_all = ["board", "log"])]
    checkpoint: Option<PathBuf>,
    /// Set the rules, such as "seegover drop=2"
    #[arg(long, value_name = "RULES", conflicts_with = "log")]
    ruleset: Option<Ruleset>,
    /// Find the values of all legal turns, for Seegover
    #[arg(long)]
    all: bool,
    /// Use FILE for Seegover, not the cached table
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Find only who wins, not by how much or how soon
    #[arg(long)]
    wdl: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, value_name = "N", value_parser = super::threads)]
    threads: Option<NonZeroUsize>,
    /// Use a table of MIB mebibytes [default: as needed]
    #[arg(long, value_name = "MIB")]
    memory: Option<NonZeroU32>,
}

/// A position to solve.
#[derive(Debug)]
enum AskedPosition {
    Gothello(Game),
    /// The whole game of Gothello.
    Start,
    Seegover(SeegoverQuery),
}

/// How often to report the progress of a search.
const EVERY: Duration = Duration::from_secs(1);

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let game = match self.asked()? {
            AskedPosition::Seegover(inquiry) => return inquiry.answer(&self),
            AskedPosition::Start => return whole_game::run(&self),
            AskedPosition::Gothello(game) => game,
        };
        let begun = time::now();
        let table = self.sized_table(&game)?;
        let question = self.question();
        let mut progress = Progress::new();
        let tell = |nodes| {
            let seconds = begun.elapsed().as_secs();
            progress.tell(format_args!("{} million nodes in {seconds} s", nodes / 1_000_000));
        };
        let never = AtomicBool::new(false);
        let team = Team { threads: self.threads(), table: &table, stop: &never };
        let answer = team.solve_together(EVERY, tell, |solver| solver.solve(&game, question));
        progress.clear();
        let Answer { found, nodes } = answer;
        let report = Report::new(found?, nodes, begun.elapsed());
        print(if self.json { report.json()? } else { report.text() })?;
        Ok(Exit::Success)
    }

    /// The position given on the command line.
    fn asked(&self) -> Result<AskedPosition, Failure> {
        if let Some(ruleset @ Ruleset::Quantum(_)) = self.ruleset {
            ruleset.require(Feature::Solver).map_err(Failure::usage)?;
        }
        let asked = match (&self.log, self.ruleset) {
            (Some(log), _) => input::logged(log, self.ply)?,
            (None, Some(Ruleset::Seegover(rules))) => AskedPosition::Seegover(
                input::seegover(self.board.as_deref(), self.to_move.unwrap_or(Side::Black), rules)
                    .map_err(Failure::usage)?,
            ),
            (None, _) => match &self.board {
                Some(board) => AskedPosition::Gothello(
                    input::board(board, self.to_move.unwrap_or(Side::Black), self.passed).map_err(Failure::usage)?,
                ),
                None => AskedPosition::Start,
            },
        };
        if !matches!(asked, AskedPosition::Seegover(_)) {
            let given = [("--all", self.all), ("--table", self.table.is_some())];
            if let Some((name, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
                return Err(Failure::usage(anyhow!("{name} is for Seegover, and the position is one of Gothello")));
            }
        }
        Ok(asked)
    }

    const fn question(&self) -> Question {
        if self.wdl { Question::Winner } else { Question::Margin }
    }

    fn threads(&self) -> NonZeroUsize {
        threads_or_two(self.threads)
    }

    /// A table of the size chosen by the user, or else of the size that `game` needs.
    fn sized_table(&self, game: &Game) -> Result<Table, Failure> {
        let mebibytes = self.memory.or(self.start.then_some(whole_game::MEBIBYTES));
        mebibytes.map_or_else(|| Ok(Table::for_game(game)), super::table)
    }
}

/// The version of the JSON format. docs/reference/schemas/solution.schema.json describes it.
const FORMAT: u32 = 1;

/// The command's output.
#[derive(Debug, Serialize)]
struct Report {
    format: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    margin: Option<i32>,
    winner: &'static str,
    #[serde(skip)]
    outcome: Outcome,
    best: Vec<String>,
    line: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_moves: Option<Vec<whole_game::FirstMove>>,
    nodes: u64,
    seconds: f64,
}

impl Report {
    fn new(solution: Solution, nodes: u64, took: Duration) -> Self {
        let texts = |moves: Vec<Move>| moves.iter().map(ToString::to_string).collect();
        Self {
            format: FORMAT,
            margin: solution.outcome.margin,
            winner: solution.outcome.winner_name(),
            outcome: solution.outcome,
            best: texts(solution.best),
            line: texts(solution.line),
            first_moves: None,
            nodes,
            seconds: took.as_secs_f64(),
        }
    }

    fn json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n")
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", self.outcome);
        for first in self.first_moves.iter().flatten() {
            let _ = writeln!(text, "{first}");
        }
        let none = |words: String| if words.is_empty() { "none, the game is over".to_owned() } else { words };
        let _ = writeln!(text, "best: {}", none(self.best.join(" ")));
        let _ = writeln!(text, "line: {}", none(self.line.join(" ")));
        let _ = writeln!(text, "{} nodes in {:.3} s", self.nodes, self.seconds);
        text
    }
}
