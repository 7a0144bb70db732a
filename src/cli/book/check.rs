//! `gothello-arena book check`.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};

use crate::base::sanitise::Shown as _;
use crate::base::sanitise::listed;
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, HELP, note, print};
use crate::exact::book::audit::{BookContradiction, Findings, Leaf, check, sample};
use crate::exact::book::planned_positions::BookPlan;
use crate::exact::book::{Book, BookError, Class};
use crate::exact::solver::Table;
use crate::exact::team::Team;
use crate::game::gothello::Game;

/// Check that the opening book is complete and consistent
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Reports what was checked and what was not; some positions at the ends of the
book's lines are solved again. If the book is wrong, the exit code is 3.
Example:
  gothello-arena book check --sample 100 --seed 7")]
pub(super) struct Args {
    /// Opening book [default: the one inside the program]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Solve N positions at the ends of lines again
    #[arg(long, value_name = "N", default_value = "10")]
    sample: usize,
    /// Choose these positions by seed S
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// Use N threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let book = self.read()?;
        let plan = BookPlan::default();
        let mut findings = check(&book, &plan);
        let leaves = sample(&findings.leaves, self.sample, self.seed);
        findings.contradictions.extend(self.solve(&leaves));
        print(report(&book, &plan, &findings, &leaves))?;
        if findings.contradictions.is_empty() {
            return Ok(Exit::Success);
        }
        let found = listed(findings.contradictions.iter());
        note(format_args!("{} does not hold: {} wrong{found}", self.name(), findings.contradictions.len()));
        Ok(Exit::DoesNotHold)
    }

    fn name(&self) -> String {
        self.file.as_ref().map_or_else(|| "the book".to_owned(), |file| format!("`{}`", file.shown()))
    }

    fn read(&self) -> Result<Book, Failure> {
        let Some(file) = &self.file else { return Ok(Book::embedded().clone()) };
        let text = std::fs::read_to_string(file);
        let text = text.with_context(|| format!("cannot read `{}`", file.shown())).map_err(Failure::usage)?;
        text.parse().map_err(|error: BookError| Failure::does_not_hold(anyhow!("{}: {error}", self.name())))
    }

    /// Solves `leaves` again, and returns the entries of the book that turn out to be wrong.
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method is bound to one lifetime of the table")]
    fn solve(&self, leaves: &[Leaf]) -> Vec<BookContradiction> {
        let games: Vec<Game> = leaves.iter().map(Leaf::game).collect();
        let Some(hardest) = games.iter().max_by_key(|game| game.board().empty().count_ones()) else {
            return Vec::new();
        };
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let mut progress = Progress::new();
        let mut broken = Vec::new();
        let mut solved = 0;
        let threads = self.threads.unwrap_or(cores);
        let team = Team { threads, table: &Table::for_game(hardest), stop: &AtomicBool::new(false) };
        team.solve_each(
            &games,
            |solver, game| solver.winner(game),
            |index, winner, _| {
                broken.extend(leaves[index].check(winner));
                solved += 1;
                progress.tell(format_args!("{solved} of {} positions solved again", games.len()));
                true
            },
        );
        progress.clear();
        broken
    }
}

/// A report of what was checked, and of what was not.
fn report(book: &Book, plan: &BookPlan, findings: &Findings, solved: &[Leaf]) -> String {
    let [lost, drawn, won] = findings.outcomes;
    let [black, white] = findings.choices;
    let (entries, leaves) = (book.len(), findings.leaves.len());
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(text, "entries:  {entries}; the side to move wins {won}, draws {drawn}, loses {lost}");
    let _ = writeln!(text, "margins:  {} known", findings.margins);
    let _ = writeln!(
        text,
        "plan:     {} positions of up to {} plies; black chooses a move in {black}, white in {white}",
        findings.first_plies, plan.plies
    );
    let _ = writeln!(
        text,
        "logic:    {} moves from one position of the book to another, {} replies through every answer",
        findings.moves, findings.replies
    );
    let start = if findings.following.contains(&Class::of(&plan.start).0) {
        "including that of the start"
    } else {
        "but not that of the start"
    };
    let _ = writeln!(
        text,
        "proof:    {} of {entries} outcomes follow from the leaves and the book's moves, {start}",
        findings.following.len()
    );
    let _ = writeln!(
        text,
        "leaves:   {leaves} positions of up to {} empty points with a promise, {} without",
        plan.live_from, findings.lost_leaves
    );
    let _ = writeln!(text, "solved:   {} of the leaves with a promise", solved.len());
    let _ = writeln!(
        text,
        "not covered: the other {} leaves, the other {} outcomes, and margins that do not follow from the book's own moves",
        leaves - solved.len(),
        entries - findings.following.len()
    );
    text
}
