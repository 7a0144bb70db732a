//! Shared by `book build` and `book extend`: a book in a file, to which positions are added one by one.

use std::fs;
use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;

use crate::base::files::write_whole;
use crate::base::sanitise::Shown as _;
use crate::base::time::{self, Instant};
use crate::cli::interrupt::Flag;
use crate::cli::{CommandResult, Exit, Failure, note};
use crate::exact::book::{Book, BookEntry, Class};
use crate::exact::solved_positions;
use crate::exact::solver::{Solver, TranspositionTable, Unsolved};
use crate::exact::team::Team;
use crate::game::gothello::Game;

/// The means of a long search.
#[derive(Debug, clap::Args)]
pub(super) struct SearchMeans {
    /// Use N threads [default: one per core]
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    threads: Option<NonZeroUsize>,
    /// Save to DIR the positions that took long, and reuse them
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
}

const CHECKPOINT_EVERY: Duration = Duration::from_mins(1);

/// Reads the book in `file`; `None` if there is no such file.
pub(super) fn read(file: &Path) -> Result<Option<Book>, Failure> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            let cannot = format!("cannot read `{}`", file.shown());
            return Err(Failure::usage(anyhow::Error::new(error).context(cannot)));
        }
    };
    text.parse().map(Some).with_context(|| format!("in `{}`", file.shown())).map_err(Failure::usage)
}

/// A book to which positions are being added, and its file.
pub(super) struct BookBuilding<'a> {
    file: &'a Path,
    /// The file for the positions that took long to solve.
    checkpoint: Option<PathBuf>,
    threads: NonZeroUsize,
    table: TranspositionTable,
    interrupt: Flag,
    pub(super) book: Book,
    begun: Instant,
    written: Instant,
    nodes: u64,
}

impl<'a> BookBuilding<'a> {
    /// Creates the table of `mebibytes`, with the positions saved by an earlier search.
    pub(super) fn begin(
        book: Book,
        file: &'a Path,
        means: &SearchMeans,
        mebibytes: NonZeroU32,
    ) -> Result<Self, Failure> {
        let table = TranspositionTable::try_with_mebibytes(mebibytes)?;
        let checkpoint = means.checkpoint.as_ref().map(|dir| dir.join(solved_positions::FILE));
        if let Some(file) = &checkpoint {
            let kept = solved_positions::restore(&table, file)?;
            note(format_args!("{kept} positions from `{}`", file.shown()));
        }
        let threads = means.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
        let (begun, interrupt) = (time::now(), Flag::watch()?);
        Ok(Self { file, checkpoint, threads, table, interrupt, book, begun, written: begun, nodes: 0 })
    }

    /// Adds the entries of `missing` one by one, as `solve` finds them. Returns whether all were added: a signal ends the work
    /// early.
    pub(super) fn add(
        &mut self,
        missing: &[Class],
        solve: impl Fn(&mut Solver<'_>, Class) -> Result<BookEntry, Unsolved> + Sync,
    ) -> anyhow::Result<bool> {
        let games: Vec<Game> = missing.iter().map(|class| class.game()).collect();
        note(format_args!("{} positions to solve", games.len()));
        let mut failed = None;
        let mut solved = 0;
        let team = Team { threads: self.threads, table: &self.table, stop: self.interrupt.raised() };
        team.solve_each(
            &games,
            |solver, game| solve(solver, Class::of(game).0),
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
                    failed = keep(&self.book, self.file, &self.table, self.checkpoint.as_deref()).err();
                    self.written = time::now();
                }
                failed.is_none()
            },
        );
        failed.map_or(Ok(solved == games.len()), Err)
    }

    /// Writes the book, and returns the result of the command.
    pub(super) fn end(self) -> CommandResult {
        keep(&self.book, self.file, &self.table, self.checkpoint.as_deref())?;
        if self.interrupt.which().is_none() {
            return Ok(Exit::Success);
        }
        note(format_args!("`{}` has the positions solved so far; the same command continues", self.file.shown()));
        Ok(self.interrupt.exit())
    }
}

fn keep(book: &Book, file: &Path, table: &TranspositionTable, checkpoint: Option<&Path>) -> anyhow::Result<()> {
    write_whole(file, book.to_string().as_bytes()).with_context(|| format!("cannot write `{}`", file.shown()))?;
    if let Some(positions) = checkpoint {
        solved_positions::keep(table, positions)?;
    }
    Ok(())
}
