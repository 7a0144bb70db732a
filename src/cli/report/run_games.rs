//! The games of a run as a page keeps them.

use std::collections::HashMap;
use std::path::Path;

use anyhow::anyhow;

use crate::base::printable::printable;
use crate::cli::Failure;
use crate::cli::run_input::{each_game_of_csv, each_record};
use crate::game::rules::Ruleset;
use crate::referee::record::GameRecord;
use crate::results::page::ShownGame;
use crate::run::journal::Ledger;

/// The games of a run, and what is known of the run.
#[derive(Debug, Default)]
pub(super) struct RunGames {
    /// The games in the schedule's order, as far as the schedule is known.
    pub(super) games: Vec<ShownGame>,
    /// The tournament's name.
    pub(super) name: String,
    /// The day of the last game.
    pub(super) date: Option<String>,
    /// The rules.
    pub(super) ruleset: Ruleset,
    /// How many games of the schedule have no result.
    pub(super) missing: u64,
    /// Whether the games come from a journal.
    pub(super) is_of_journal: bool,
}

impl RunGames {
    /// Reads the games in `path`, which is a run or a CSV file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        if path.is_dir() { Self::of_run(path) } else { Self::of_csv(path) }
    }

    fn of_csv(path: &Path) -> Result<Self, Failure> {
        let mut run = Self { name: "Games".to_owned(), ..Self::default() };
        each_game_of_csv(path, |game| run.games.push(ShownGame::of_result(game.to_summary())))?;
        Ok(run)
    }

    fn of_run(dir: &Path) -> Result<Self, Failure> {
        let mut collected = Collected::default();
        let ledger = each_record(dir, |record| collected.take(record))?;
        if let Some(problem) = collected.problem {
            return Err(Failure::does_not_hold(anyhow!("{problem}")));
        }
        let mut run = collected.run;
        match ledger {
            Some(ledger) => run.in_order_of(&ledger),
            None => run.games.sort_by(|one, other| place(one).cmp(&place(other))),
        }
        Ok(run)
    }

    /// Keeps the games that count, in the order of the schedule.
    fn in_order_of(&mut self, ledger: &Ledger) {
        let mut last: HashMap<String, ShownGame> = HashMap::with_capacity(self.games.len());
        for game in self.games.drain(..) {
            last.insert(game.summary.game.clone(), game);
        }
        let games = ledger.summaries();
        self.games = games.into_iter().filter_map(|game| last.remove(&game.game)).collect();
        self.missing = ledger.state().missing.games();
        self.is_of_journal = true;
    }

    /// How many games have a result.
    pub(super) fn played(&self) -> u64 {
        self.games.iter().filter(|game| game.summary.result.is_some()).count() as u64
    }
}

/// Sorts games without a schedule: by round, then by id, where a shorter id comes first.
fn place(game: &ShownGame) -> (Option<u32>, usize, &str) {
    let id = game.summary.game.as_str();
    (game.summary.round, id.len(), id)
}

/// The games so far, and the first that cannot be replayed.
#[derive(Debug, Default)]
struct Collected {
    run: RunGames,
    problem: Option<String>,
}

impl Collected {
    fn take(&mut self, record: &GameRecord) {
        let run = &mut self.run;
        if run.games.is_empty() {
            run.ruleset = record.ruleset;
            run.name = record.event.clone().unwrap_or_default();
        }
        let date = record.date.as_ref().map(|date| date.replace('.', "-"));
        run.date = run.date.take().max(date);
        match ShownGame::of(record) {
            Ok(game) => run.games.push(game),
            Err(error) => {
                let id = printable(record.game.as_deref().unwrap_or("a game"));
                self.problem.get_or_insert(format!("`{id}`: {error}"));
            }
        }
    }
}
