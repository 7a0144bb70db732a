//! Takes in what happens in a run: writes it down first, then tells the reporter.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::event::{Event, Outputs};
use crate::record::GameRecord;
use crate::report::results_dir::GAMES;
use crate::report::{results_csv, standings_csv};
use crate::reporter::Reporter;
use crate::rules::{BySide, Side};
use crate::standings::{AnchorError, GameSummary, RatingOptions, Standings, Tally};

/// Why results could not be kept.
#[derive(Debug, Error)]
pub enum CollectError {
    /// A file could not be written.
    #[error("could not write `{}`", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The standings could not be made.
    #[error(transparent)]
    Anchor(#[from] AnchorError),
}

/// The results of one run.
#[derive(Debug)]
pub struct Collector {
    dir: PathBuf,
    /// The games that have ended, each with its number in the schedule.
    games: Vec<(u64, GameSummary)>,
}

impl Collector {
    /// A collector for the results directory `dir`, which is made if need be.
    ///
    /// # Errors
    /// When it can't be made.
    pub fn new(dir: PathBuf) -> Result<Self, CollectError> {
        let games = dir.join(GAMES);
        fs::create_dir_all(&games).map_err(|source| CollectError::Write { path: games, source })?;
        Ok(Self { dir, games: Vec::new() })
    }

    /// Takes in events until there will be no more.
    ///
    /// # Errors
    /// The first file that could not be written; what was written before is whole.
    pub async fn collect(
        &mut self,
        events: &mut UnboundedReceiver<Event>,
        reporter: &mut Reporter,
    ) -> Result<(), CollectError> {
        while let Some(event) = events.recv().await {
            if let Event::Finished { number, record, outputs } = &event {
                self.write_game(*number, record, outputs)?;
                self.games.push((*number, GameSummary::from(record.as_ref())));
            }
            reporter.tell(&event);
        }
        Ok(())
    }

    /// Writes results.csv and standings.csv, the games in the schedule's order. Returns the standings.
    ///
    /// # Errors
    /// When a file could not be written.
    pub fn finish(&mut self) -> Result<Standings, CollectError> {
        self.games.sort_by_key(|(number, _)| *number);
        let games: Vec<GameSummary> = self.games.iter().map(|(_, game)| game.clone()).collect();
        let tally: Tally = games.iter().collect();
        let standings = Standings::new(&tally, &RatingOptions::default())?;
        write_whole(&self.dir.join("results.csv"), results_csv(&games).as_bytes())?;
        write_whole(&self.dir.join("standings.csv"), standings_csv(&standings).as_bytes())?;
        Ok(standings)
    }

    /// The games so far.
    pub fn games(&self) -> impl Iterator<Item = &GameSummary> {
        self.games.iter().map(|(_, game)| game)
    }

    fn write_game(&self, number: u64, record: &GameRecord, outputs: &BySide<Outputs>) -> Result<(), CollectError> {
        let id = record.game.clone().unwrap_or_else(|| format!("game-{number}"));
        let path = |ending: &str| self.dir.join(GAMES).join(format!("{id}.{ending}"));
        for side in Side::BOTH {
            let Outputs { stdout, stderr } = &outputs[side];
            for (name, bytes) in [("stdout", stdout), ("stderr", stderr)] {
                if !bytes.is_empty() {
                    write_whole(&path(&format!("{side}.{name}")), bytes)?;
                }
            }
        }
        // The log comes last: where it is, the rest is too.
        write_whole(&path("log"), record.to_string().as_bytes())
    }
}

/// Writes a file so that it is there whole or not at all.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CollectError> {
    use std::os::unix::fs::PermissionsExt;
    let write = || {
        let dir = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new()
            .prefix(".")
            .suffix(".tmp")
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(dir)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        io::Result::Ok(())
    };
    write().map_err(|source| CollectError::Write { path: path.to_owned(), source })
}
