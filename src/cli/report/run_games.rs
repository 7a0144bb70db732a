//! The games of a run as a page contains them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::anyhow;

use super::GamesShown;
use crate::base::sanitise::{output_line, sanitised};
use crate::cli::run_input::{each_game_of_csv, each_record};
use crate::cli::{Failure, note};
use crate::game::{BySide, Ruleset, Side};
use crate::page::shown::ShownGame;
use crate::page::shown::aliases::Aliases;
use crate::referee::record::GameRecord;
use crate::results::standings::{RunState, Standings};
use crate::run::analysis_cache::AnalysisCache;
use crate::run::journal::Ledger;
use crate::run::results_dir::{games_in, read_tail};

/// How many bytes of the end of a bot's stderr are shown on a private page.
const STDERR_TAIL: u64 = 4 << 10;

/// What to read besides the games themselves.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunReading {
    /// Whether to look up the results of earlier analyses.
    pub(super) with_kept_values: bool,
    /// Whether the page is only for its creator.
    pub(super) is_private: bool,
}

/// The games of a run, and what is known about the run.
#[derive(Debug, Default)]
pub(super) struct RunGames {
    /// The games in schedule order, as far as the schedule is known.
    pub(super) games: Vec<ShownGame>,
    /// The tournament's name.
    pub(super) name: String,
    /// The day of the last game.
    pub(super) date: Option<String>,
    /// The rules.
    pub(super) ruleset: Ruleset,
    /// What is known about the run besides its games.
    pub(super) state: RunState,
    /// How many games of the schedule have no result.
    pub(super) missing: u64,
    /// Whether the games come from a journal.
    pub(super) is_of_journal: bool,
    /// What identifies the tournament; empty if nothing does.
    pub(super) identity: String,
    /// The aliases of the players, if the page is anonymous.
    pub(super) aliases: Aliases,
}

impl RunGames {
    /// Reads the games in `path`, which is a run or a CSV file.
    pub(super) fn read(path: &Path, reading: RunReading) -> Result<Self, Failure> {
        if path.is_dir() { Self::of_run(path, reading) } else { Self::of_csv(path) }
    }

    fn of_csv(path: &Path) -> Result<Self, Failure> {
        let mut run = Self::default();
        each_game_of_csv(path, |game| run.games.push(ShownGame::of_result(game.to_summary())))?;
        Ok(run)
    }

    fn of_run(dir: &Path, reading: RunReading) -> Result<Self, Failure> {
        let mut reader = RunReader {
            cache: reading.with_kept_values.then(|| AnalysisCache::open(dir)),
            run: Self::default(),
            problem: None,
        };
        let ledger = each_record(dir, |record| reader.take(record))?;
        let mut run = reader.end()?;
        match ledger {
            Some(ledger) => run.in_order_of(&ledger),
            None => run.games.sort_by(|one, other| place(one).cmp(&place(other))),
        }
        for game in &mut run.games {
            if reading.is_private { add_stderr(game, dir) } else { game.make_public() }
        }
        Ok(run)
    }

    /// Keeps the games that count, in the order of the schedule.
    fn in_order_of(&mut self, ledger: &Ledger) {
        let mut last: HashMap<String, ShownGame> = HashMap::with_capacity(self.games.len());
        for game in self.games.drain(..) {
            last.insert(game.summary.game.clone(), game);
        }
        self.games = ledger.summaries().filter_map(|game| last.remove(game.game)).collect();
        self.state = ledger.state();
        self.missing = self.state.missing.games();
        self.is_of_journal = true;
        self.identity = ledger.definition.digest();
    }

    /// How many games have a result.
    pub(super) fn played(&self) -> u64 {
        self.games.iter().filter(|game| game.summary.result.is_some()).count() as u64
    }

    /// How many games have moves.
    pub(super) fn with_moves(&self) -> u64 {
        self.games.iter().filter(|game| !game.code.moves.is_empty()).count() as u64
    }

    /// How many games are judged.
    pub(super) fn judged(&self) -> u64 {
        self.games.iter().filter(|game| game.is_judged()).count() as u64
    }

    /// `text` with players' names replaced by aliases, if the page is anonymous.
    pub(super) fn without_names(&self, text: &str) -> String {
        self.aliases.in_text(text)
    }

    /// Drops the moves of the games that `shown` does not select.
    pub(super) fn keep_moves_of(&mut self, shown: GamesShown, standings: &Standings) {
        let ratings = ratings(standings);
        for game in &mut self.games {
            let stays = match shown {
                GamesShown::All => true,
                GamesShown::Lost => game.at_fault().is_some() || upset(game, &ratings).is_some(),
                GamesShown::None => false,
            };
            if !stays {
                game.forget_moves();
            }
        }
    }
}

/// The Elo of each player.
pub(super) fn ratings(standings: &Standings) -> HashMap<String, f64> {
    standings.rows().iter().filter_map(|row| Some((row.player.clone(), row.rating?.elo().0))).collect()
}

/// By how much Elo the winner of `game` is rated below the loser, if it is.
pub(super) fn upset(game: &ShownGame, ratings: &HashMap<String, f64>) -> Option<f64> {
    let winner = game.summary.result.as_ref()?.winner()?;
    let elo = |side: Side| ratings.get(&game.summary.players[side]).copied();
    let gap = elo(winner.opponent())? - elo(winner)?;
    (gap > 0.0).then_some(gap)
}

/// Sorts games without a schedule: by round, then by id, with shorter ids first.
fn place(game: &ShownGame) -> (Option<u32>, usize, &str) {
    let id = game.summary.game.as_str();
    (game.summary.round, id.len(), id)
}

/// Adds the end of the stderr of the side at fault, if the run in `dir` has it.
fn add_stderr(game: &mut ShownGame, dir: &Path) {
    let (Some(side), Ok(games)) = (game.at_fault(), games_in(dir)) else { return };
    let id = &game.summary.game;
    // Ids in untrusted logs may be any text, and must not lead to other files.
    if id.contains(['/', '\\']) {
        return;
    }
    let path: PathBuf = games.join(format!("{id}.{side}.stderr"));
    let Ok(tail) = read_tail(&path, STDERR_TAIL) else { return };
    let lines: Vec<String> = String::from_utf8_lossy(&tail).lines().map(output_line).collect();
    let mut texts = BySide::<String>::default();
    texts[side] = lines.join("\n");
    game.stderr = (!tail.is_empty()).then_some(texts);
}

/// Reads one record after the other.
struct RunReader {
    /// The results of earlier analyses, if they are wanted.
    cache: Option<AnalysisCache>,
    run: RunGames,
    /// The first game that cannot be replayed.
    problem: Option<String>,
}

impl RunReader {
    fn take(&mut self, record: &GameRecord) {
        let run = &mut self.run;
        if run.games.is_empty() {
            run.ruleset = record.ruleset;
            run.name = record.event.clone().unwrap_or_default();
        }
        let date = record.date.as_ref().map(|date| date.replace('.', "-"));
        run.date = run.date.take().max(date);
        match ShownGame::of(record) {
            Ok(mut game) => {
                if let Some(known) = self.cache.as_mut().and_then(|cache| cache.find(record)) {
                    game.judge(&known.analysis);
                }
                run.games.push(game);
            }
            Err(error) => {
                let id = sanitised(record.game.as_deref().unwrap_or("a game"));
                self.problem.get_or_insert(format!("`{id}`: {error}"));
            }
        }
    }

    fn end(mut self) -> Result<RunGames, Failure> {
        if let Some(cache) = &mut self.cache {
            cache.take_warnings().iter().for_each(note);
        }
        match self.problem {
            Some(problem) => Err(Failure::does_not_hold(anyhow!(problem))),
            None => Ok(self.run),
        }
    }
}
