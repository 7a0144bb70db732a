//! The games of a run as a report contains them.
//!
//! | room | contents |
//! | --- | --- |
//! | `alias_file` | the file of players' aliases next to a run's games |
//! | `aliasing` | aliases in place of players' names |
//! | `analyses` | the values of the games, the most interesting ones first |
//! | `error` | errors in making a report |

mod alias_file;
mod aliasing;
mod analyses;
mod error;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

pub(crate) use alias_file::read_aliases;
pub(crate) use aliasing::hide_names;
pub(crate) use analyses::{AnalysisAllowance, GamesByInterest};
pub(crate) use error::ReportError;

use crate::base::sanitise::{output_line, sanitised};
use crate::base::word_enum::words;
use crate::game::{BySide, Ruleset, Side};
use crate::page::shown::ShownGame;
use crate::page::shown::aliases::Aliases;
use crate::referee::record::GameRecord;
use crate::results::analysis::Accuracy;
use crate::results::rating::AnchorError;
use crate::results::standings::{Counting, PlayedSummary, RatingOptions, RunState, Standings, Tally};
use crate::run::analysis_cache::{AnalysisCache, CacheWarning};
use crate::run::game_files::{each_game_of_csv, each_record};
use crate::run::journal::Ledger;
use crate::run::results_dir::{games_in, read_tail};

/// The number of bytes from the end of a bot's stderr that a private page shows.
const STDERR_TAIL: u64 = 4 << 10;

/// The games whose moves a page contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum GamesShown {
    /// All games.
    #[default]
    All,
    /// The games lost by the player with the higher rating, and all forfeited games.
    Lost,
    /// No games.
    None,
}

words! { pub(crate) GamesShown; All => "all", Lost => "lost", None => "none" }

/// The optional data to read in addition to the games.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunReading {
    /// Whether to look up the results of earlier analyses.
    pub(crate) with_kept_values: bool,
    /// Whether the page is only for its creator.
    pub(crate) is_private: bool,
}

/// The games of a run, and what is known about the run.
#[derive(Debug, Default)]
pub(crate) struct RunGames {
    /// The games in schedule order, as far as the schedule is known.
    pub(crate) games: Vec<ShownGame>,
    /// The tournament's name.
    pub(crate) name: String,
    /// The day of the last game.
    pub(crate) date: Option<String>,
    /// The rules.
    pub(crate) ruleset: Ruleset,
    /// The other facts about the run.
    pub(crate) state: RunState,
    /// The number of games of the schedule that have no result.
    pub(crate) missing: u64,
    /// Whether the games come from a journal.
    pub(crate) is_of_journal: bool,
    /// The identity of the tournament; empty if it is unknown.
    pub(crate) identity: String,
    /// The aliases of the players, if the page is anonymous.
    pub(crate) aliases: Aliases,
}

impl RunGames {
    /// Reads the games in `path`, which is a run or a CSV file. `warn` receives warnings about the cache of the run.
    ///
    /// # Errors
    /// Fails if the games cannot be read.
    pub(crate) fn read(path: &Path, reading: RunReading, warn: impl FnMut(CacheWarning)) -> Result<Self, ReportError> {
        if path.is_dir() { Self::of_run(path, reading, warn) } else { Self::of_csv(path) }
    }

    fn of_csv(path: &Path) -> Result<Self, ReportError> {
        let mut run = Self::default();
        each_game_of_csv(path, |game| {
            if let PlayedSummary::Pair(game) = game {
                run.games.push(ShownGame::of_result(game.to_summary()));
            }
        })?;
        Ok(run)
    }

    fn of_run(dir: &Path, reading: RunReading, warn: impl FnMut(CacheWarning)) -> Result<Self, ReportError> {
        let mut reader = RunReader {
            cache: reading.with_kept_values.then(|| AnalysisCache::open(dir)),
            run: Self::default(),
            problem: None,
        };
        let ledger = each_record(dir, |game| game.two().into_iter().for_each(|record| reader.take(record)))?;
        let mut run = reader.end(warn)?;
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

    /// The number of games that have a result.
    pub(crate) fn played(&self) -> u64 {
        self.games.iter().filter(|game| game.summary.result.is_some()).count() as u64
    }

    /// The number of games that have moves.
    pub(crate) fn with_moves(&self) -> u64 {
        self.games.iter().filter(|game| !game.code.moves.is_empty()).count() as u64
    }

    /// The number of games that are analyzed.
    pub(crate) fn analyzed(&self) -> u64 {
        self.games.iter().filter(|game| game.is_analyzed()).count() as u64
    }

    /// `text` with players' names replaced by aliases, if the page is anonymous.
    pub(crate) fn without_names(&self, text: &str) -> String {
        self.aliases.in_text(text)
    }

    /// The standings, with accuracy if any game is analyzed.
    ///
    /// # Errors
    /// Fails if the players cannot be rated.
    pub(crate) fn standings(&self) -> Result<Standings, AnchorError> {
        let mut tally = Tally::new(Counting { last_round: self.state.last_round(), ..Counting::default() });
        tally.extend(self.games.iter().map(|game| &game.summary));
        let standings = Standings::new(&tally, &RatingOptions::default())?;
        let mut players: BTreeMap<String, Accuracy> = BTreeMap::new();
        for game in &self.games {
            let Some(accuracy) = &game.accuracy else { continue };
            for side in Side::BOTH {
                let sum = players.entry(game.summary.players[side].clone()).or_default();
                *sum = sum.plus(accuracy[side]);
            }
        }
        let standings = if players.is_empty() { standings } else { standings.with_accuracy(&players) };
        Ok(standings.of_run(self.state.clone()))
    }

    /// Drops the moves of the games that `shown` does not select.
    pub(crate) fn keep_moves_of(&mut self, shown: GamesShown, standings: &Standings) {
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
fn ratings(standings: &Standings) -> HashMap<String, f64> {
    standings.rows().iter().filter_map(|row| Some((row.player.clone(), row.rating?.elo().0))).collect()
}

/// The difference in Elo by which the winner of `game` is rated below the loser; `None` if the winner is not rated lower.
fn upset(game: &ShownGame, ratings: &HashMap<String, f64>) -> Option<f64> {
    let winner = game.summary.result.as_ref()?.winner()?;
    let elo = |side: Side| ratings.get(&game.summary.players[side]).copied();
    let gap = elo(winner.opponent())? - elo(winner)?;
    (gap > 0.0).then_some(gap)
}

/// The sort key of a game without a schedule: games are sorted by round, then by id, with shorter ids first.
fn place(game: &ShownGame) -> (Option<u32>, usize, &str) {
    let id = game.summary.game.as_str();
    (game.summary.round, id.len(), id)
}

/// Adds the end of the stderr of the side at fault, if the run in `dir` contains that file.
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
                    game.add_analysis(&known.analysis);
                }
                run.games.push(game);
            }
            Err(error) => {
                let id = sanitised(record.game.as_deref().unwrap_or("a game"));
                self.problem.get_or_insert(format!("`{id}`: {error}"));
            }
        }
    }

    fn end(mut self, warn: impl FnMut(CacheWarning)) -> Result<RunGames, ReportError> {
        if let Some(cache) = &mut self.cache {
            cache.take_warnings().into_iter().for_each(warn);
        }
        match self.problem {
            Some(problem) => Err(ReportError::Unplayable { problem }),
            None => Ok(self.run),
        }
    }
}
