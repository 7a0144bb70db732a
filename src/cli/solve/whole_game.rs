//! `--start`: solves the whole game, from the empty board.

use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::{Args, Report};
use crate::base::sanitise::Shown as _;
use crate::base::time::{self, Instant};
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, note, print, solved_positions};
use crate::exact::solver::{Question, Solver, Span, Table, Unsolved};
use crate::exact::team::Team;
use crate::game::Outcome;
use crate::game::gothello::{Game, Point};

/// The default size of the table in MiB.
pub(super) const MEBIBYTES: NonZeroU32 = NonZeroU32::new(4096).unwrap();

/// One first move of each class: the others are its images under the symmetries of the board. The strongest comes first,
/// since each result helps with the next.
const CLASSES: [&str; 6] = ["c3", "c2", "b2", "c1", "b1", "a1"];

/// How often to write the results to the checkpoint, and how often to check whether that is due.
const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);
const TICK: Duration = Duration::from_secs(1);

/// By how much the next bound to try may exceed the proven lower bound on the margin.
const FARTHEST: i32 = 5;

/// What is known about a first move.
#[derive(Debug, Serialize)]
pub(super) struct FirstMove {
    #[serde(rename = "move")]
    name: &'static str,
    winner: &'static str,
}

impl fmt::Display for FirstMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let outcome = if self.winner == "draw" { "draw".to_owned() } else { format!("{} wins", self.winner) };
        write!(f, "{:>4}: {outcome}", self.name)
    }
}

pub(super) fn run(args: &Args) -> CommandResult {
    let start = Game::default();
    let table = args.sized_table(&start)?;
    let (begun, progress) = (time::now(), Progress::new());
    let mut work = Solving { args, table: &table, begun, nodes: 0, written: begun, progress };
    if let Some(file) = work.file() {
        let kept = solved_positions::restore(&table, &file).map_err(Failure::usage)?;
        note(format_args!("{kept} positions from `{}`", file.shown()));
    }
    let mut first_moves = Vec::new();
    for name in CLASSES {
        if let Some(point) = Point::parse(name) {
            let game = start.place(point);
            first_moves.push(work.first_move(name, &game)?);
        }
    }
    let passed = start.pass();
    first_moves.push(work.first_move("pass", &passed)?);
    let winners = work.ask("who wins", |solver| solver.solve(&start, Question::Winner))?;
    let solution = match args.question() {
        Question::Winner => winners,
        Question::Margin => {
            work.find_margin(&start, Span::won_by(winners.outcome.winner))?;
            work.ask("best moves", |solver| solver.solve(&start, Question::Margin))?
        }
    };
    let mut report = Report::new(solution, work.nodes, work.begun.elapsed());
    report.first_moves = Some(first_moves);
    print(if args.json { report.json()? } else { report.text() })?;
    Ok(Exit::Success)
}

/// The proven bounds on the margin, in words.
fn certain(span: Span) -> String {
    match span.margin() {
        Some(margin) => format!("the margin is {margin:+}"),
        None => format!("the margin is at least {:+} and at most {:+}", span.lower, span.upper),
    }
}

/// The search, with its checkpoint and its progress.
struct Solving<'a> {
    args: &'a Args,
    table: &'a Table,
    begun: Instant,
    /// The nodes used by earlier questions.
    nodes: u64,
    written: Instant,
    progress: Progress,
}

impl Solving<'_> {
    fn file(&self) -> Option<PathBuf> {
        self.args.checkpoint.as_ref().map(|dir| dir.join(solved_positions::FILE))
    }

    /// Solves the position `game` after the first move `name`, and reports the result at once: the next may take as long.
    fn first_move(&mut self, name: &'static str, game: &Game) -> anyhow::Result<FirstMove> {
        let winner = self.ask(name, |solver| solver.winner(game))?;
        let found = FirstMove { name, winner: Outcome { winner, margin: None }.winner_name() };
        note(format_args!("{found}"));
        Ok(found)
    }

    /// Answers one question, `what`, and writes the checkpoint meanwhile.
    fn ask<T: Send>(
        &mut self,
        what: &str,
        ask: impl Fn(&mut Solver<'_>) -> Result<T, Unsolved> + Sync,
    ) -> anyhow::Result<T> {
        let (table, threads) = (self.table, self.args.threads());
        let mut failed = None;
        let stop = AtomicBool::new(false);
        let tick = |nodes| {
            self.tell(what, nodes);
            if self.written.elapsed() >= CHECKPOINT_EVERY
                && let Err(error) = self.keep()
            {
                stop.store(true, Ordering::Relaxed);
                failed = Some(error);
            }
        };
        let answer = Team { threads, table, stop: &stop }.solve_together(TICK, tick, ask);
        self.progress.clear();
        self.nodes += answer.nodes;
        match (failed, answer.found) {
            (Some(error), Err(_)) => Err(error),
            (_, found) => {
                self.keep()?;
                Ok(found?)
            }
        }
    }

    /// Finds the margin of a position with black to move, one bound after the other, and reports each: the last may take long.
    fn find_margin(&mut self, game: &Game, mut span: Span) -> anyhow::Result<()> {
        note(format_args!("{}; now the margin", certain(span)));
        while span.margin().is_none() {
            // Try the middle, unless it is far away: a bound far from the value says little.
            let least = (span.lower + (span.upper - span.lower + 1) / 2).min(span.lower + FARTHEST);
            let what = format!("whether it is {least} or more");
            span = span.and(self.ask(&what, |solver| solver.ask(game, least))?);
            note(format_args!("{}", certain(span)));
        }
        Ok(())
    }

    /// A line of progress on stderr.
    fn tell(&mut self, what: &str, nodes: u64) {
        let nodes = (self.nodes + nodes) / 1_000_000;
        let seconds = self.begun.elapsed().as_secs();
        self.progress.tell(format_args!("{what}: {nodes} million nodes in {seconds} s"));
    }

    /// Writes the checkpoint, if there is one.
    fn keep(&mut self) -> anyhow::Result<()> {
        if let Some(file) = self.file() {
            solved_positions::keep(self.table, &file)?;
        }
        self.written = time::now();
        Ok(())
    }
}
