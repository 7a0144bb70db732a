//! `gothello-arena puzzles`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context as _, anyhow};

use super::colour::style_for;
use super::interrupt::Flag;
use super::progress::Progress;
use super::{CommandResult, Exit, Failure, HELP, note, note_of, pager, print, settings, warn};
use crate::base::console;
use crate::base::files::write_whole;
use crate::base::sanitise::Shown as _;
use crate::base::units::counted;
use crate::exact::margin_table::known::KnownMargins;
use crate::exact::threads::threads_or_two;
use crate::game::Feature;
use crate::practice::puzzles::{
    PlayedPositions, Puzzle, PuzzleMaker, PuzzleWish, RandomPositions, deck, puzzles_json, puzzles_text, sheet,
};
use crate::run::cached_analyst::table_of_positions;
use crate::run::game_files::logs_of;

/// Find positions in which only one move is right
#[derive(Debug, clap::Args)]
#[command(help_template = HELP, group = clap::ArgGroup::new("source").required(true).multiple(true), after_help = "\
One move keeps the win, or the draw, by exact values. No two puzzles are the
same position turned, mirrored or with colours swapped. The puzzles get harder.
Examples:
  gothello-arena puzzles results/class --html exam.html
  gothello-arena puzzles --random 20 --empty 6..10")]
pub(super) struct Args {
    /// Take positions from these runs and game logs
    #[arg(value_name = "DIR", group = "source")]
    games: Vec<PathBuf>,
    /// Make N puzzles from random positions
    #[arg(long, value_name = "N", group = "source", conflicts_with = "games")]
    random: Option<NonZeroUsize>,
    /// Draw positions with A to B empty points
    #[arg(long, value_name = "A..B", requires = "random", conflicts_with = "games", default_value = "6..14")]
    empty: EmptyPoints,
    /// Seed for drawing positions
    #[arg(long, value_name = "N", requires = "random", conflicts_with = "games", default_value_t = 1)]
    seed: u64,
    /// Include positions in which only one move keeps the margin
    #[arg(long)]
    margin: bool,
    /// Include puzzles that `greedy` may solve
    #[arg(long)]
    easy: bool,
    /// Show only the N hardest puzzles
    #[arg(long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Write a page to FILE, to read or print, with the answers on a separate sheet
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write flash cards to FILE, for Anki to import
    #[arg(long, value_name = "FILE")]
    deck: Option<PathBuf>,
    /// Use N threads [default: 2, or 1 if there is one core]
    #[arg(long, short = 'j', value_name = "N", value_parser = super::threads)]
    threads: Option<NonZeroUsize>,
}

/// A range of numbers of empty points.
#[derive(Clone, Copy, Debug)]
struct EmptyPoints {
    least: u32,
    most: u32,
}

impl FromStr for EmptyPoints {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let [least, most] = [least, most].map(|bound| bound.parse().ok().filter(|bound| (2..=24).contains(bound)));
        match (least, most) {
            (Some(least), Some(most)) if least <= most => Ok(Self { least, most }),
            _ => Err("expected a number from 2 to 24, or a range such as 6..14"),
        }
    }
}

impl std::fmt::Display for EmptyPoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.least, self.most)
    }
}

impl Args {
    pub(super) fn run(self) -> CommandResult {
        let interrupt = Flag::watch()?;
        let file = table_of_positions(warn);
        let maker = PuzzleMaker {
            threads: threads_or_two(settings::threads(self.threads)),
            known: KnownMargins::with(file.as_ref()),
            wish: PuzzleWish { margin: self.margin, easy: self.easy },
            stop: interrupt.raised(),
        };
        let mut progress = Progress::new();
        let found = match self.random {
            Some(wanted) => {
                let mut positions = RandomPositions::new(self.seed, self.empty.least, self.empty.most);
                let wanted = wanted.get();
                maker.random(&mut positions, wanted, |found| {
                    progress.count(found as u64, wanted as u64, "puzzles found");
                })
            }
            None => {
                let positions = self.positions()?;
                let all = positions.len();
                let found =
                    maker.played(&positions, |judged| progress.count(judged as u64, all as u64, "positions judged"));
                progress.clear();
                if found.as_ref().is_some_and(Vec::is_empty) {
                    note(self.none_of(all));
                }
                found
            }
        };
        drop(progress);
        let Some(mut puzzles) = found else { return Ok(interrupt.exit()) };
        if let Some(wanted) = self.random.filter(|wanted| wanted.get() > puzzles.len()) {
            note(format_args!(
                "found only {} of {wanted} puzzles: try a different number of empty points",
                puzzles.len()
            ));
        }
        puzzles.sort_by_key(|puzzle| puzzle.difficulty);
        let surplus = self.limit.map_or(0, |limit| puzzles.len().saturating_sub(limit.get()));
        puzzles.drain(..surplus);
        self.tell(&puzzles)?;
        Ok(Exit::Success)
    }

    /// The positions of the named games. Games whose rules have no solver are left out, and a note says so.
    fn positions(&self) -> Result<PlayedPositions, Failure> {
        let mut positions = PlayedPositions::default();
        let mut without = 0_u64;
        for named in &self.games {
            for log in logs_of(named)? {
                let record = log.whole()?;
                if record.ruleset.require(Feature::Solver).is_err() {
                    without += 1;
                    continue;
                }
                let name = record.game.clone().unwrap_or_else(|| log.path().shown());
                positions.add(&name, &record);
            }
        }
        if positions.is_empty() {
            return Err(Failure::usage(anyhow!("no game contains a position that the solver can solve")));
        }
        if without > 0 {
            note(format_args!("left out {}, whose rules the solver does not support", counted(without, "game")));
        }
        Ok(positions)
    }

    /// The message that none of `all` positions is a puzzle, with suggestions for what to try.
    fn none_of(&self, all: usize) -> String {
        let tried = match (self.easy, self.margin) {
            (false, false) => "; try --easy or --margin",
            (true, false) => "; try --margin",
            (false, true) => "; try --easy",
            (true, true) => "",
        };
        match all {
            1 => format!("the only position is not a puzzle{tried}"),
            _ => format!("none of the {} is a puzzle{tried}", counted(all as u64, "position")),
        }
    }

    fn tell(&self, puzzles: &[Puzzle]) -> Result<(), Failure> {
        let write = |file: &PathBuf, text: &str| {
            write_whole(file, text.as_bytes()).with_context(|| format!("cannot write `{}`", file.shown()))
        };
        if let Some(file) = &self.html {
            write(file, &sheet("Puzzles", puzzles))?;
        }
        if let Some(file) = &self.deck {
            write(file, &deck(puzzles))?;
        }
        if self.json {
            print(puzzles_json(puzzles))?;
        } else if self.html.is_none() && self.deck.is_none() {
            pager::show(&puzzles_text(puzzles, style_for(&console::stream())))?;
        } else {
            for file in self.html.iter().chain(&self.deck) {
                let puzzles = counted(puzzles.len() as u64, "puzzle");
                note_of(file, format_args!("wrote `{}` ({puzzles})", file.shown()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn without_a_puzzle_the_note_names_the_options_that_are_left_to_try() {
        let told_of = |all, options: &[&str]| {
            let words = ["puzzles", "dir"].iter().chain(options);
            Line::try_parse_from(words).expect("a command line").args.none_of(all)
        };
        let told = |options: &[&str]| told_of(3, options);
        assert_eq!(told(&[]), "none of the 3 positions is a puzzle; try --easy or --margin");
        assert_eq!(told(&["--easy"]), "none of the 3 positions is a puzzle; try --margin");
        assert_eq!(told(&["--margin"]), "none of the 3 positions is a puzzle; try --easy");
        assert_eq!(told(&["--margin", "--easy"]), "none of the 3 positions is a puzzle");
        assert_eq!(told_of(1, &["--easy"]), "the only position is not a puzzle; try --margin");
    }
}
