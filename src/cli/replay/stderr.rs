//! The stderr of the bots of a game, from the files next to its log.

use std::io;
use std::path::{Path, PathBuf};

use crate::base::sanitise::Shown as _;
use crate::cli::warn;
use crate::game::{BySide, Side};
use crate::host::ply_offsets::PlyOffsets;
use crate::referee::record::GameRecord;
use crate::results::replay::said;
use crate::run::results_dir;

/// The maximum number of bytes to read of a file: twice the largest `output_cap`, which leaves enough space for the mark of
/// a cut.
const MOST: u64 = 2 << 30;

/// The contents of both bots' stderr files, which are next to a log.
pub(super) struct StderrOfGame<'r> {
    record: &'r GameRecord,
    bots: BySide<StderrOfBot>,
}

/// The stderr of one bot. Without `turns`, it is unknown which part belongs to which turn.
#[derive(Default)]
struct StderrOfBot {
    bytes: Vec<u8>,
    turns: Option<PlyOffsets>,
}

impl<'r> StderrOfGame<'r> {
    /// Reads the files next to `log`, which contains `record`. Reports missing files on stderr.
    pub(super) fn beside(log: &Path, record: &'r GameRecord) -> Self {
        if log == Path::new("-") {
            warn(format_args!("--stderr needs the name of the log: the bots' output is in files next to it"));
            return Self { record, bots: BySide::default() };
        }
        Self { record, bots: BySide::from_fn(|side| StderrOfBot::beside(log, side)) }
    }

    /// The part for the position after `plies` plies: what its mover wrote in that turn, or before the first ply, what both wrote
    /// before their first turns.
    pub(super) fn at(&self, plies: usize) -> String {
        let part = |bot: &StderrOfBot, side: Side| {
            let part = bot.turns.as_ref().map(|turns| match plies.checked_sub(1) {
                None => turns.before_first(&bot.bytes),
                Some(index) if self.record.plies.get(index).is_some_and(|ply| ply.side() == side) => {
                    turns.of_ply(plies, &bot.bytes)
                }
                Some(_) => &[],
            });
            part.unwrap_or_default().to_owned()
        };
        self.of_both(part)
    }

    /// The part for the end of the game: what a bot wrote in the turn that was cut off by the end, and all output whose
    /// turns are unknown.
    pub(super) fn at_end(&self) -> String {
        let unfinished = self.record.plies.len() + 1;
        self.of_both(|bot, _| match &bot.turns {
            Some(turns) => turns.of_ply(unfinished, &bot.bytes).to_owned(),
            None => bot.bytes.clone(),
        })
    }

    fn of_both(&self, part: impl Fn(&StderrOfBot, Side) -> Vec<u8>) -> String {
        let text = |side: Side| said(&self.record.players[side], side, &part(&self.bots[side], side));
        Side::BOTH.into_iter().map(text).collect()
    }
}

impl StderrOfBot {
    fn beside(log: &Path, side: Side) -> Self {
        let stderr = file_beside(log, &format!("{side}.stderr"));
        let Some(bytes) = read(&stderr, "the bot wrote nothing, or the log was moved without this file") else {
            return Self::default();
        };
        let plies = file_beside(log, &format!("{side}.stderr.plies"));
        let consequence = format!("all output of {side} is shown at the end, not by ply");
        let turns = read(&plies, &consequence).and_then(|text| {
            let turns = String::from_utf8_lossy(&text).parse();
            turns.inspect_err(|error| warn(format_args!("`{}`: {error}: {consequence}", plies.shown()))).ok()
        });
        Self { bytes, turns }
    }
}

/// The file that the arena writes next to `log` under the same id, with the suffix `ending`.
fn file_beside(log: &Path, ending: &str) -> PathBuf {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    log.with_file_name(format!("{}.{ending}", name.strip_suffix(".log").unwrap_or(&name)))
}

/// The contents of `path`. If the file cannot be read, reports why, and the consequence.
fn read(path: &Path, consequence: &str) -> Option<Vec<u8>> {
    match results_dir::read_at_most(path, MOST) {
        Ok(bytes) => return Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            warn(format_args!("there is no `{}`: {consequence}", path.shown()));
        }
        Err(error) => warn(format_args!("cannot read `{}`: {error}: {consequence}", path.shown())),
    }
    None
}
