//! `gothello-arena book build`.

use std::fs;
use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context as _;

use crate::base::files::write_whole;
use crate::base::printable::Shown as _;
use crate::base::time::{self, Instant};
use crate::cli::{CommandResult, Exit, Failure, HELP, note, solved_positions, table};
use crate::exact::book::planned_positions::BookPlan;
use crate::exact::book::{Book, BookEntry, Class};
use crate::exact::solver::Table;
use crate::exact::team::Team;
use crate::game::rules::gothello::Game;

/// Build the opening book, or continue building it
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, after_help = "\
Takes hours. If FILE exists, continues it; FILE is rewritten every minute.
Example:
  gothello-arena book build opening.txt --memory 8192")]
pub(super) struct Args {
    /// Opening book to write or to continue
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Use N threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,
    /// Use a table of MIB mebibytes
    #[arg(long, value_name = "MIB", default_value = "4096")]
    memory: NonZeroU32,
    /// Save positions that took long to DIR, and reuse them
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let book = match fs::read_to_string(&self.file) {
            Ok(text) => text.parse().with_context(|| format!("in `{}`", self.file.shown())).map_err(Failure::usage)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Book::default(),
            Err(error) => {
                return Err(Failure::usage(
                    anyhow::Error::new(error).context(format!("cannot read `{}`", self.file.shown())),
                ));
            }
        };
        let table = table(self.memory)?;
        if let Some(file) = self.positions() {
            let kept = solved_positions::restore(&table, &file).map_err(Failure::usage)?;
            note(format_args!("{kept} positions from `{}`", file.shown()));
        }
        let begun = time::now();
        let mut work = BookBuilding { args: &self, table: &table, book, begun, written: begun, nodes: 0 };
        loop {
            let missing = BookPlan::default().missing(&work.book);
            if missing.is_empty() {
                break;
            }
            work.solve(&missing)?;
        }
        work.keep()?;
        Ok(Exit::Success)
    }

    fn positions(&self) -> Option<PathBuf> {
        self.checkpoint.as_ref().map(|dir| dir.join(solved_positions::FILE))
    }
}

struct BookBuilding<'a> {
    args: &'a Args,
    table: &'a Table,
    book: Book,
    begun: Instant,
    written: Instant,
    nodes: u64,
}

impl BookBuilding<'_> {
    fn solve(&mut self, missing: &[Class]) -> anyhow::Result<()> {
        let games: Vec<Game> = missing.iter().map(|class| class.game()).collect();
        note(format_args!("{} positions to solve", games.len()));
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = self.args.threads.unwrap_or(cores);
        let mut failed = None;
        let mut solved = 0;
        let team = Team { threads, table: self.table, stop: &AtomicBool::new(false) };
        team.solve_each(
            &games,
            |solver, game| BookEntry::solved(solver, Class::of(game).0),
            |index, entry, nodes| {
                self.book.insert(missing[index], entry);
                self.nodes += nodes;
                solved += 1;
                if self.written.elapsed() >= CHECKPOINT_EVERY {
                    note(format_args!(
                        "{solved} of {} positions, {} million nodes in {} s",
                        games.len(),
                        self.nodes / 1_000_000,
                        self.begun.elapsed().as_secs()
                    ));
                    failed = self.keep().err();
                }
                failed.is_none()
            },
        );
        failed.map_or(Ok(()), Err)
    }

    fn keep(&mut self) -> anyhow::Result<()> {
        write_whole(&self.args.file, self.book.to_string().as_bytes())
            .with_context(|| format!("cannot write `{}`", self.args.file.shown()))?;
        if let Some(file) = self.args.positions() {
            solved_positions::keep(self.table, &file)?;
        }
        self.written = time::now();
        Ok(())
    }
}
