//! `gothello-arena play --puzzles`.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::AtomicBool;

use anyhow::{Context as _, anyhow};

use crate::base::console;
use crate::base::sanitise::Shown as _;
use crate::cli::colour::style_for;
use crate::cli::interrupt::Flag;
use crate::cli::on_screen::{exit_of, screen_look};
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, UNPRINTED, print, settings, warn};
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::margin_table::table_file::MarginFile;
use crate::exact::threads::threads_or_two;
use crate::host::tournament_file::read_bounded;
use crate::practice::plain::PlainEnd;
use crate::practice::plain_puzzles::solve_lines;
use crate::practice::puzzle_round::PuzzleRound;
use crate::practice::puzzles::{Puzzle, PuzzleMaker, PuzzleWish, RandomPositions, puzzles_of};
use crate::practice::terminal::ScreenPuzzles;
use crate::practice::typed_lines::TypedLines;

/// The number of random puzzles if no file is given, and the range of their numbers of empty points.
const RANDOM: usize = 10;
const EMPTY: (u32, u32) = (6, 12);

/// Where the puzzles come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PuzzleSource {
    /// The puzzles are random.
    Random,
    /// The puzzles are in this file.
    File(PathBuf),
}

/// Reads the name of a file; an empty name means random puzzles.
impl FromStr for PuzzleSource {
    type Err = Infallible;

    fn from_str(name: &str) -> Result<Self, Infallible> {
        Ok(if name.is_empty() { Self::Random } else { Self::File(PathBuf::from(name)) })
    }
}

impl PuzzleSource {
    /// Lets the person solve the puzzles line by line or on the screen. Random puzzles are drawn with the seed `seed`.
    pub(super) fn solve(&self, seed: u64, is_plain: bool) -> CommandResult {
        let signals = Flag::watch_quietly()?;
        let puzzles = match self {
            Self::File(file) => puzzles_in(file)?,
            Self::Random => match random(seed, signals.raised()) {
                Some(puzzles) => puzzles,
                None => return Ok(signals.exit()),
            },
        };
        let mut round = PuzzleRound::new(puzzles);
        if !is_plain {
            return solve_on_screen(round);
        }
        let input = TypedLines::of(BufReader::new(io::stdin()))?;
        let solved = console::data_with(PlainEnd::Left, |out| {
            let style = style_for(out);
            solve_lines(&mut round, (&input, style), out, signals.raised())
        });
        Ok(match solved.context(UNPRINTED)? {
            PlainEnd::Left => Exit::Success,
            PlainEnd::Signalled => signals.exit(),
        })
    }
}

fn solve_on_screen(round: PuzzleRound) -> CommandResult {
    let (score, end) = ScreenPuzzles::new(round).solve(screen_look(style_for(&console::stream())))?;
    print(format!("{score}\n"))?;
    Ok(exit_of(end))
}

fn puzzles_in(file: &Path) -> Result<Vec<Puzzle>, Failure> {
    if file.as_os_str() == "-" {
        return Err(Failure::usage(anyhow!(
            "`--puzzles -` would read the puzzles from stdin, which is needed for the moves"
        )));
    }
    let unreadable = || format!("cannot read `{}`", file.shown());
    let bytes = File::open(file).and_then(read_bounded).with_context(unreadable).map_err(Failure::usage)?;
    let text = String::from_utf8_lossy(&bytes);
    puzzles_of(&text).with_context(unreadable).map_err(Failure::usage)
}

/// Random puzzles, from the easiest to the hardest; `None` if a signal arrived first.
fn random(seed: u64, stop: &AtomicBool) -> Option<Vec<Puzzle>> {
    let file = MarginFile::cached_or(warn);
    let maker = PuzzleMaker {
        threads: threads_or_two(settings::threads(None)),
        known: KnownMargins::with(file.as_ref()),
        wish: PuzzleWish { margin: false, easy: false },
        stop,
    };
    let mut progress = Progress::new();
    let mut positions = RandomPositions::new(seed, EMPTY.0, EMPTY.1);
    let tell = |found: usize| progress.count(found as u64, RANDOM as u64, "puzzles found");
    let mut puzzles = maker.random(&mut positions, RANDOM, tell)?;
    puzzles.sort_by_key(|puzzle| puzzle.difficulty);
    Some(puzzles)
}
