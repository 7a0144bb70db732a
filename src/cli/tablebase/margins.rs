//! `gothello-arena tablebase build gothello`.

use std::ffi::OsString;
use std::fs;
use std::num::NonZeroUsize;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, anyhow};

use crate::base::machine::{cache_dir, disk_left, step_back};
use crate::base::sanitise::Shown as _;
use crate::base::time::{self, Instant};
use crate::base::units::{bytes, counted, grouped, spaced};
use crate::cli::interrupt::Flag;
use crate::cli::progress::Progress;
use crate::cli::{CommandResult, Exit, Failure, note, note_of, print, settings};
use crate::exact::margin_table::build::{Build, Headway, MarginPlan};
use crate::exact::margin_table::grid::BoardGrid;
use crate::exact::margin_table::layer_files::LayerTotal;
use crate::exact::margin_table::table_file::{MarginFile, default_place};
use crate::exact::tablebase::try_place;
use crate::exact::threads::{Sharers, threads_or_two};
use crate::host::dir_lock::{DirLock, DirLockError, DirUse};

/// How much a build raises its niceness, so that it yields to other programs.
const NICENESS: i32 = 10;

/// The options that apply only to a build of Gothello's table.
#[derive(Debug, clap::Args)]
pub(super) struct MarginBuild {
    /// Solve the board with N times N points, N from 3 to 5 [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(3..=5))]
    size: Option<u8>,
    /// Work in DIR, and continue there [default: in the cache]
    #[arg(long, value_name = "DIR")]
    layers: Option<PathBuf>,
    /// Compute every position twice, in different ways
    #[arg(long)]
    verify: bool,
    /// Keep in DIR who wins in every position (27 GB)
    #[arg(long, requires = "layers")]
    keep_winners: bool,
    /// Run PROGRAM DIR STONES --size N after each layer
    #[arg(long, value_name = "PROGRAM")]
    checker: Option<PathBuf>,
}

impl MarginBuild {
    /// Rejects the options for Gothello in a command for another game.
    pub(super) fn refuse(&self) -> Result<(), Failure> {
        let given = [
            ("--size", self.size.is_some()),
            ("--layers", self.layers.is_some()),
            ("--verify", self.verify),
            ("--checker", self.checker.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => Err(Failure::usage(anyhow!("{name} applies only to gothello, not to seegover"))),
            None => Ok(()),
        }
    }

    /// Builds the table and writes it to `out`.
    pub(super) fn run(&self, out: Option<PathBuf>, threads: Option<NonZeroUsize>) -> CommandResult {
        let size = self.size.unwrap_or(5);
        let nowhere =
            |option| Failure::usage(anyhow!("neither XDG_CACHE_HOME nor HOME is set; name a place with {option}"));
        let file = out.or_else(|| default_place(size)).ok_or_else(|| nowhere("--out"))?;
        let unwritable = || format!("cannot write `{}`", file.shown());
        let kept = || anyhow!("`{}` was not changed: name another file with --out", file.shown());
        match MarginFile::open(&file) {
            Ok(table) if table.header().size != size => {
                let other = table.header().size;
                let why = anyhow!("it contains the table for the {other}x{other} board").context(kept());
                return Err(Failure::usage(why));
            }
            Err(error) if !error.is_replaceable() => {
                return Err(Failure::usage(anyhow::Error::new(error).context(kept())));
            }
            Ok(_) | Err(_) => {}
        }
        try_place(&file).with_context(unwritable).map_err(Failure::usage)?;
        let in_cache = || Some(cache_dir()?.join(format!("gothello-{size}x{size}-layers")));
        let dir = self.layers.clone().or_else(in_cache).ok_or_else(|| nowhere("--layers"))?;
        fs::create_dir_all(&dir).with_context(|| format!("cannot create `{}`", dir.shown())).map_err(Failure::usage)?;
        let _lock = DirLock::take(&dir, DirUse::Change).map_err(|error| unlockable(error, &dir))?;

        let (begun, interrupt) = (time::now(), Flag::watch()?);
        // A system that refuses this does not support niceness.
        let _ = step_back(NICENESS);
        let build =
            Build::new(BoardGrid::new(size), &dir, MarginPlan { verify: self.verify, keep_winners: self.keep_winners });
        check_room(&build, &dir, &file)?;
        let sharers = Sharers { threads: threads_or_two(settings::threads(threads)), stop: interrupt.raised() };
        let mut progress = Progress::new();
        let told = |total: &LayerTotal, has_entries: bool| {
            print(line(total) + "\n")?;
            match &self.checker {
                Some(program) if has_entries => checked(program, &dir, total.stones, size),
                Some(_) => {
                    let why = "its entries, or the entries that they were computed from, were deleted earlier";
                    note(format_args!("the {}-stone layer is not checked again: {why}", total.stones));
                    Ok(())
                }
                None => Ok(()),
            }
        };
        let is_done = build.run(&sharers, |headway| progress.tell(remaining(headway, begun)), told)?;
        drop(progress);
        if !is_done {
            note_of(&dir, format_args!("stopped; the same command continues from `{}`", dir.shown()));
            return Ok(interrupt.exit());
        }
        let header = build.write_table(&file)?;
        build.delete_layers().with_context(|| format!("cannot delete the layers in `{}`", dir.shown()))?;
        if self.layers.is_none() {
            // The directory may contain other files, in which case it is kept.
            let _ = fs::remove_dir(&dir);
        }
        let took = spaced(Duration::from_secs(begun.elapsed().as_secs()));
        note_of(&file, format_args!("wrote `{}` after {took}: {} entries", file.shown(), grouped(header.entries())));
        Ok(Exit::Success)
    }
}

/// Checks that there is room for the rest of the build in `dir`, and for the table `file`.
fn check_room(build: &Build, dir: &Path, file: &Path) -> Result<(), Failure> {
    let place = file.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let disk = |dir: &Path| fs::metadata(dir).ok().map(|metadata| metadata.dev());
    let is_one_disk = disk(dir) == disk(place);
    let unreadable = || format!("cannot read the layers in `{}`", dir.shown());
    let needed = build.bytes_needed(is_one_disk).with_context(unreadable).map_err(Failure::usage)?;
    has_room(dir, needed, "the build", "another directory with --layers")?;
    if is_one_disk { Ok(()) } else { has_room(place, build.table_bytes(), "the table", "another file with --out") }
}

/// Checks that `place` has room for the `needed` bytes of `what`; `instead` is the alternative that the message
/// suggests.
fn has_room(place: &Path, needed: u64, what: &str, instead: &str) -> Result<(), Failure> {
    match disk_left(place) {
        Some(left) if left < needed => Err(Failure::usage(anyhow!(
            "{what} needs {} in `{}`, which has {} left: make room, or name {instead}",
            bytes(needed),
            place.shown(),
            bytes(left),
        ))),
        _ => Ok(()),
    }
}

/// The failure that says why `dir` cannot be used.
fn unlockable(error: DirLockError, dir: &Path) -> Failure {
    match error {
        DirLockError::Held(_) => {
            Failure::usage(anyhow!("another build is using `{}`: name another directory with --layers", dir.shown()))
        }
        DirLockError::Unlockable(error) => {
            let what = format!("cannot lock `{}`: name a directory on a local disk with --layers", dir.shown());
            Failure::usage(anyhow::Error::new(error).context(what))
        }
    }
}

/// Runs `program`, the checker, on the layer with `stones` stones. Its output goes where this program's output goes.
fn checked(program: &Path, dir: &Path, stones: u32, size: u8) -> Result<(), Failure> {
    let words = [OsString::from(dir), stones.to_string().into(), "--size".into(), size.to_string().into()];
    let status = Command::new(program).args(words).status();
    let status =
        status.with_context(|| format!("cannot start `{}` (--checker)", program.shown())).map_err(Failure::usage)?;
    let what = |says: &str| anyhow!("`{}` {says} the {stones}-stone layer ({status})", program.shown());
    match status.code() {
        Some(0) => Ok(()),
        Some(_) => Err(Failure::does_not_hold(what("does not confirm"))),
        None => Err(what("was killed before it had finished checking").into()),
    }
}

/// The counts of a complete layer, in one line.
fn line(total: &LayerTotal) -> String {
    let counts = total.tally.of_board;
    let verified = if total.is_verified { ", verified" } else { "" };
    format!(
        "{:>2} stones: {}, {} won, {} drawn, {} lost{verified}",
        total.stones,
        counted(counts.positions(), "position"),
        grouped(counts.won),
        grouped(counts.drawn),
        grouped(counts.lost),
    )
}

/// How far the build has got, and how much longer it will take at the speed of this process so far.
fn remaining(headway: Headway, begun: Instant) -> String {
    let Headway { stones, of_layer, of_all, before } = headway;
    let own = of_all - before;
    let so_far = format!("{stones} stones: {:.0}% of the layer, {:.0}% of all", 100.0 * of_layer, 100.0 * of_all);
    // The first seconds say nothing about the speed.
    if begun.elapsed() < Duration::from_secs(20) || own <= 0.0 {
        return so_far;
    }
    let left = begun.elapsed().mul_f64((1.0 - of_all) / own).as_secs();
    format!("{so_far}, about {} left", spaced(Duration::from_secs(60 * left.div_ceil(60))))
}
