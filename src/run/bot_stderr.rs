//! The stderr of a game's bots, read from the files next to the game's log.

use std::io;
use std::path::{Path, PathBuf};

use crate::base::sanitise::Shown as _;
use crate::game::{BySide, Side};
use crate::host::ply_offsets::PlyOffsets;
use crate::referee::record::{GameRecord, Ply};
use crate::results::replay::said;
use crate::run::results_dir;

/// The maximum number of bytes to read from a file: twice the largest `output_cap`, which leaves enough space for the
/// line that marks a cut.
const MOST: u64 = 2 << 30;

/// The contents of both bots' stderr files, which are next to a log. All text that this type returns is printable.
#[derive(Clone, Debug)]
pub(crate) struct StderrOfGame {
    names: BySide<String>,
    /// The side that made each ply.
    movers: Vec<Side>,
    bots: BySide<StderrOfBot>,
}

/// The stderr of one bot. Without `turns`, it is unknown which part belongs to which turn.
#[derive(Clone, Debug, Default)]
struct StderrOfBot {
    bytes: Vec<u8>,
    turns: Option<PlyOffsets>,
}

impl StderrOfGame {
    /// Reads the files next to `log`, which contains `record`. Each missing file is reported to `tell`.
    pub(crate) fn beside(log: &Path, record: &GameRecord, mut tell: impl FnMut(String)) -> Self {
        let bots = if log == Path::new("-") {
            tell("--stderr needs the name of the log: the bots' output is in files next to it".to_owned());
            BySide::default()
        } else {
            BySide::from_fn(|side| StderrOfBot::beside(log, side, &mut tell))
        };
        let movers = record.plies.iter().map(Ply::side).collect();
        Self { names: record.players.clone(), movers, bots }
    }

    /// The part for the position after `plies` plies: what the bot that made the last of them wrote in that turn or, if
    /// there are none, what both bots wrote before their first turns.
    pub(crate) fn at(&self, plies: usize) -> String {
        self.of_both(|side| self.part(side, plies))
    }

    /// The part for the end of the game: what a bot wrote in the turn that was cut off by the end, and all output whose
    /// turns are unknown.
    pub(crate) fn at_end(&self) -> String {
        self.of_both(|side| self.rest(side))
    }

    /// The part for the position after `plies` plies, which for the last position includes the part for the end. Only
    /// the last `most` bytes of each bot's output are included.
    pub(crate) fn tail_at(&self, plies: usize, most: usize) -> String {
        let tail = self.of_both(|side| last(self.part(side, plies), most));
        let end = || self.of_both(|side| last(self.rest(side), most));
        if plies < self.movers.len() { tail } else { tail + &end() }
    }

    fn part(&self, side: Side, plies: usize) -> &[u8] {
        let StderrOfBot { bytes, turns } = &self.bots[side];
        let Some(turns) = turns else { return &[] };
        match plies.checked_sub(1) {
            None => turns.before_first(bytes),
            Some(index) if self.movers.get(index) == Some(&side) => turns.of_ply(plies, bytes),
            Some(_) => &[],
        }
    }

    fn rest(&self, side: Side) -> &[u8] {
        let StderrOfBot { bytes, turns } = &self.bots[side];
        turns.as_ref().map_or(bytes.as_slice(), |turns| turns.of_ply(self.movers.len() + 1, bytes))
    }

    fn of_both<'s>(&'s self, part: impl Fn(Side) -> &'s [u8]) -> String {
        Side::BOTH.into_iter().map(|side| said(&self.names[side], side, part(side))).collect()
    }
}

impl StderrOfBot {
    fn beside(log: &Path, side: Side, tell: &mut impl FnMut(String)) -> Self {
        let stderr = file_beside(log, &format!("{side}.stderr"));
        let Some(bytes) = read(&stderr, "the bot wrote nothing, or the log was moved without this file", tell) else {
            return Self::default();
        };
        let plies = file_beside(log, &format!("{side}.stderr.plies"));
        let consequence = format!("all of {side}'s output is shown at the end, not ply by ply");
        let turns = read(&plies, &consequence, tell).and_then(|text| {
            let turns = String::from_utf8_lossy(&text).parse();
            turns.inspect_err(|error| tell(format!("`{}`: {error}: {consequence}", plies.shown()))).ok()
        });
        Self { bytes, turns }
    }
}

/// The last `most` bytes of `bytes`, or all of them if there are fewer.
fn last(bytes: &[u8], most: usize) -> &[u8] {
    &bytes[bytes.len().saturating_sub(most)..]
}

/// The file that the arena writes next to `log` under the same id, with the suffix `ending`.
fn file_beside(log: &Path, ending: &str) -> PathBuf {
    let name = log.file_name().unwrap_or_default().to_string_lossy();
    log.with_file_name(format!("{}.{ending}", name.strip_suffix(".log").unwrap_or(&name)))
}

/// The contents of `path`. If the file cannot be read, `tell` receives a message with the reason and the `consequence`.
fn read(path: &Path, consequence: &str, tell: &mut impl FnMut(String)) -> Option<Vec<u8>> {
    match results_dir::read_at_most(path, MOST) {
        Ok(bytes) => return Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            tell(format!("there is no `{}`: {consequence}", path.shown()));
        }
        Err(error) => tell(format!("cannot read `{}`: {error}: {consequence}", path.shown())),
    }
    None
}
