//! `gothello-arena tablebase check gothello`.

use std::fs::File;
use std::io;
use std::num::NonZeroUsize;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use sha2::{Digest as _, Sha256};

use crate::base::hex::hex;
use crate::base::random::SplitMix64;
use crate::base::sanitise::Shown as _;
use crate::base::time;
use crate::base::units::{grouped, spaced};
use crate::cli::interrupt::Flag;
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, print};
use crate::exact::margin_table::checking::{CheckedEntries, CheckedLayer, TableCheckError};
use crate::exact::margin_table::entry::EntryMeaning;
use crate::exact::margin_table::entry::ILLEGAL;
use crate::exact::margin_table::grid::BoardGrid;
use crate::exact::margin_table::known::{KnownMargins, board_at};
use crate::exact::margin_table::layer_files::LayerFiles;
use crate::exact::margin_table::numbering::{EntryPlace, Numbering};
use crate::exact::margin_table::table_file::{BUILD, MarginFile, default_place, index_of};
use crate::exact::margin_table::winners;
use crate::exact::solver::{Solver, TranspositionTable};
use crate::exact::team::Team;
use crate::exact::threads::Sharers;
use crate::game::Side;
use crate::game::gothello::Game;
use crate::host::dir_lock::{DirLock, DirLockError, DirUse};

/// The number of positions from the table's last layer, which has `stones` stones, that are compared with a search.
/// Positions with fewer stones take longer: positions with 9 stones take less than a second of CPU time each, and
/// positions with 7 stones several seconds.
const fn searched(stones: u32) -> usize {
    match stones {
        9.. => 300,
        8 => 100,
        _ => 20,
    }
}

/// The options that apply only to a check of Gothello's table.
#[derive(Debug, clap::Args)]
pub(super) struct MarginCheck {
    /// Check who wins in every position that a build kept in DIR
    #[arg(long, value_name = "DIR", conflicts_with = "table")]
    layers: Option<PathBuf>,
}

impl MarginCheck {
    /// Rejects the options for Gothello in a command for another game.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        match self.layers {
            Some(_) => Err(Failure::usage(anyhow!("--layers applies only to gothello, not to seegover"))),
            None => Ok(()),
        }
    }

    /// Checks the table in `file`, or the layers.
    pub(super) fn run(&self, file: Option<PathBuf>, threads: NonZeroUsize) -> CommandResult {
        let interrupt = Flag::watch()?;
        let sharers = Sharers { threads, stop: interrupt.raised() };
        let is_done = match &self.layers {
            Some(dir) => check_winners(dir, &sharers)?,
            None => check_table(file, &sharers)?,
        };
        Ok(if is_done { Exit::Success } else { interrupt.exit() })
    }
}

fn check_table(file: Option<PathBuf>, sharers: &Sharers<'_>) -> Result<bool, Failure> {
    let is_named = file.is_some();
    let nowhere = || Failure::usage(anyhow!("neither XDG_CACHE_HOME nor HOME is set; name a file with --table"));
    let file = file.or_else(|| default_place(5)).ok_or_else(nowhere)?;
    let table = MarginFile::open(&file).map_err(|error| {
        let failure = anyhow::Error::new(error).context(format!("cannot use the table in `{}`", file.shown()));
        let place = if is_named { format!(" --out '{}'", file.shown()) } else { String::new() };
        Failure::usage(failure).with_hint(Some(format!("to build it (in about an hour): {BUILD}{place}")))
    })?;
    let header = table.header();
    let (begun, numbering) = (time::now(), Numbering::new(BoardGrid::new(header.size)));
    let read = |stones, block| {
        let mut entries = vec![0; 1_usize << stones];
        table.read_block(stones, block, &mut entries)?;
        Ok(entries)
    };
    if *Sha256::digest(index_of(&numbering, header.kept)) != header.index {
        return Err(Failure::does_not_hold(anyhow!("the table is damaged: its index does not match its blocks")));
    }
    let checked = CheckedEntries { numbering: &numbering, kind: EntryMeaning::Margin, read };
    for layer in header.layers.iter().take(header.kept as usize + 1) {
        let Some(found) = check_layer(&checked, layer.stones, layer.stones < header.kept, sharers)? else {
            return Ok(false);
        };
        let counts = layer.tally.of_board;
        if found != (CheckedLayer { counts: [counts.won, counts.drawn, counts.lost], digest: layer.digest }) {
            let stones = layer.stones;
            let what = format!("the entries for {stones} stones do not match the header: the table is damaged");
            return Err(Failure::does_not_hold(anyhow!(what)));
        }
        print(line(layer.stones, &found))?;
    }
    if header.size == 5 && !compare_with_search(&table, &numbering, sharers)? {
        return Ok(false);
    }
    let took = spaced(Duration::from_secs(begun.elapsed().as_secs()));
    print(format!("checked against the rules in {took}\n"))?;
    Ok(true)
}

/// Compares positions of the table's last layer with a search. Returns `false` if the search was interrupted.
fn compare_with_search(table: &MarginFile, numbering: &Numbering, sharers: &Sharers<'_>) -> Result<bool, Failure> {
    let stones = table.header().kept;
    let mut random = SplitMix64::new(u64::from(stones));
    let mut games: Vec<(Game, i32)> = Vec::new();
    let below = |random: &mut SplitMix64, bound: usize| usize::try_from(random.below(bound as u64)).unwrap_or(0);
    let searched = searched(stones);
    while games.len() < searched {
        let block = below(&mut random, numbering.layer(stones).count());
        let place = EntryPlace { stones, block, index: below(&mut random, 1 << stones) };
        let margin = table.margin(place).context("cannot read the table")?;
        if margin != ILLEGAL {
            games.push((Game::from_board(board_at(numbering, place), Side::Black), margin.into()));
        }
    }
    let positions: Vec<Game> = games.iter().map(|&(game, _)| game).collect();
    let transpositions = TranspositionTable::for_game(&games[0].0);
    let stop = AtomicBool::new(false);
    let team = Team { threads: sharers.threads, table: &transpositions, known: KnownMargins::Nothing, stop: &stop };
    let (mut progress, mut done, mut wrong) = (Progress::new(), 0, None);
    let is_stopped = || sharers.stop.load(std::sync::atomic::Ordering::Relaxed);
    let ask = |solver: &mut Solver<'_>, game: &Game| solver.margin(game);
    team.solve_each(&positions, ask, |index, found, _| {
        done += 1;
        progress.count(done as u64, searched as u64, "positions searched");
        if found != games[index].1 {
            wrong = Some((index, found));
        }
        wrong.is_none() && !is_stopped()
    });
    drop(progress);
    if let Some((index, found)) = wrong {
        let (game, margin) = &games[index];
        let board = game.to_string().replace('\n', "/");
        let what = format!("black to move on `{board}`: the table says {margin:+}, but a search found {found:+}");
        return Err(Failure::does_not_hold(anyhow!(what)));
    }
    if done == searched {
        print(format!("{searched} positions of {stones} stones agree with a search\n"))?;
    }
    Ok(done == searched)
}

fn check_winners(dir: &Path, sharers: &Sharers<'_>) -> Result<bool, Failure> {
    let _lock = DirLock::take(dir, DirUse::Play).map_err(|error| match error {
        DirLockError::Held(_) => Failure::usage(anyhow!("a build is using `{}`: wait until it has ended", dir.shown())),
        DirLockError::Unlockable(error) => {
            Failure::usage(anyhow::Error::new(error).context(format!("cannot lock `{}`", dir.shown())))
        }
    })?;
    let is_there = |size: &u8| LayerFiles::new(dir, *size, u32::from(size * size - 1)).winners().exists();
    let size = (3..=5).rev().find(is_there).unwrap_or(5);
    let (begun, numbering, layers) = (time::now(), Numbering::new(BoardGrid::new(size)), u32::from(size * size));
    let open = |stones| {
        let file = LayerFiles::new(dir, size, stones).winners();
        let missing = || format!("cannot read `{}`; a build with --keep-winners creates it", file.shown());
        File::open(&file).with_context(missing).map_err(Failure::usage)
    };
    let files: Vec<File> = (0..layers).map(open).collect::<Result<_, _>>()?;
    let read = |stones: u32, block: usize| -> io::Result<Vec<u8>> {
        let mut bits = vec![0; winners::block_bytes(stones)];
        files[stones as usize].read_exact_at(&mut bits, (block * winners::block_bytes(stones)) as u64)?;
        Ok(winners::unpacked(&bits, stones))
    };
    let checked = CheckedEntries { numbering: &numbering, kind: EntryMeaning::Winner, read };
    for stones in (0..layers).rev() {
        let Some(found) = check_layer(&checked, stones, true, sharers)? else { return Ok(false) };
        print(line(stones, &found))?;
    }
    let took = spaced(Duration::from_secs(begun.elapsed().as_secs()));
    print(format!("checked against the rules in {took}\n"))?;
    Ok(true)
}

fn check_layer<R: Fn(u32, usize) -> io::Result<Vec<u8>> + Sync>(
    checked: &CheckedEntries<'_, R>,
    stones: u32,
    has_next: bool,
    sharers: &Sharers<'_>,
) -> Result<Option<CheckedLayer>, Failure> {
    let mut progress = Progress::new();
    let tick = |part: f64| progress.tell(format_args!("{stones} stones: {:.0}% of the layer checked", 100.0 * part));
    checked.layer(stones, has_next, sharers, tick).map_err(|error| match error {
        TableCheckError::File(_) => anyhow::Error::new(error).into(),
        TableCheckError::Wrong { .. } => Failure::does_not_hold(error),
    })
}

/// The findings about a layer, in one line.
fn line(stones: u32, found: &CheckedLayer) -> String {
    let [won, drawn, lost] = found.counts.map(grouped);
    format!("{stones:>2} stones: {won} won, {drawn} drawn, {lost} lost, sha256 {}\n", hex(&found.digest))
}
