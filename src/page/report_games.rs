//! The games of a run as a report contains them.
//!
//! | room | contents |
//! | --- | --- |
//! | `alias_file` | the file of players' aliases next to a run's games |
//! | `aliasing` | aliases in place of players' names |
//! | `analyses` | the values of the games, the most interesting ones first |
//! | `error` | errors in making a report |
//! | `group_games` | games with more than two seats |

mod alias_file;
mod aliasing;
mod analyses;
mod error;
mod group_games;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

pub(crate) use alias_file::read_aliases;
pub(crate) use aliasing::{hide_names, hide_names_of_groups};
pub(crate) use analyses::{AnalysisAllowance, GamesByInterest};
pub(crate) use error::ReportError;

use crate::base::sanitise::{output_line, sanitised};
use crate::base::word_enum::words;
use crate::base::work_count::WorkCount;
use crate::game::{BySide, Ruleset, Seat, Side};
use crate::page::shown::ShownGame;
use crate::page::shown::aliases::Aliases;
use crate::page::shown::game_code::{GameCode, Uncodable};
use crate::page::shown::groups::ShownGroupGame;
use crate::referee::record::LoggedGame;
use crate::results::analysis::Accuracy;
use crate::results::rating::AnchorError;
use crate::results::standings::{Counting, PlayedSummary, RatingOptions, RunState, Standings, Tally};
use crate::run::analysis_cache::{AnalysisCache, CacheWarning};
use crate::run::game_files::{each_game_of_csv, each_record};
use crate::run::journal::{Ledger, about_games_in, is_in};
use crate::run::results_dir::{games_in, output_name, read_tail};

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

/// The games of a run, with any number of seats.
#[derive(Debug)]
pub(crate) enum FieldGames {
    /// Games with two seats, or no games.
    Pairs(Box<RunGames>),
    /// Games with more than two seats.
    Groups(Box<RunGames<ShownGroupGame>>),
}

/// A game as a page keeps it.
pub(crate) trait PageGame {
    /// The game's id.
    fn id(&self) -> &str;

    /// The round, from 1.
    fn round(&self) -> Option<u32>;

    /// Whether the game has a result.
    fn has_result(&self) -> bool;

    /// The moves and the times.
    fn code(&self) -> &GameCode;
}

impl PageGame for ShownGame {
    fn id(&self) -> &str {
        &self.summary.game
    }

    fn round(&self) -> Option<u32> {
        self.summary.round
    }

    fn has_result(&self) -> bool {
        self.summary.result.is_some()
    }

    fn code(&self) -> &GameCode {
        &self.code
    }
}

/// The games of a run, and what is known about the run. `G` is the type of its games, which have two seats, or more.
#[derive(Debug)]
pub(crate) struct RunGames<G = ShownGame> {
    /// The games in schedule order, as far as the schedule is known.
    pub(crate) games: Vec<G>,
    /// The tournament's name.
    pub(crate) name: String,
    /// The day of the last game.
    pub(crate) date: Option<String>,
    /// The rules.
    pub(crate) ruleset: Ruleset,
    /// The other facts about the run.
    pub(crate) state: RunState,
    /// The number of games in the schedule that have no result.
    pub(crate) missing: u64,
    /// Whether the games come from a journal.
    pub(crate) is_of_journal: bool,
    /// The identity of the tournament; empty if it is unknown.
    pub(crate) identity: String,
    /// The aliases of the players, if the page is anonymous.
    pub(crate) aliases: Aliases,
}

impl<G> Default for RunGames<G> {
    fn default() -> Self {
        Self {
            games: Vec::new(),
            name: String::new(),
            date: None,
            ruleset: Ruleset::default(),
            state: RunState::default(),
            missing: 0,
            is_of_journal: false,
            identity: String::new(),
            aliases: Aliases::default(),
        }
    }
}

impl FieldGames {
    /// Reads the games in `path`, which is a run or a CSV file. `work` counts the games, and `warn` receives warnings
    /// about the run's cache.
    ///
    /// # Errors
    /// Fails if the games cannot be read, or if some have two seats and others have more.
    pub(crate) fn read(
        path: &Path,
        reading: RunReading,
        work: &WorkCount,
        warn: impl FnMut(CacheWarning),
    ) -> Result<Self, ReportError> {
        if path.is_dir() { Self::of_run(path, reading, work, warn) } else { Self::of_csv(path) }
    }

    fn of_csv(path: &Path) -> Result<Self, ReportError> {
        let (mut pairs, mut groups) = (RunGames::default(), RunGames::default());
        each_game_of_csv(path, |game| match game {
            PlayedSummary::Pair(game) => pairs.games.push(ShownGame::of_result(game.to_summary())),
            PlayedSummary::Group(game) => groups.games.push(ShownGroupGame::of_result(game.to_summary())),
        })?;
        Self::of(pairs, groups, path)
    }

    fn of_run(
        dir: &Path,
        reading: RunReading,
        work: &WorkCount,
        warn: impl FnMut(CacheWarning),
    ) -> Result<Self, ReportError> {
        let mut reader = RunReader {
            cache: reading.with_kept_values.then(|| AnalysisCache::open(dir)),
            pairs: RunGames::default(),
            groups: RunGames::default(),
            problem: None,
        };
        work.begin("games read", is_in(dir).then(|| about_games_in(dir)));
        let ledger = each_record(dir, |game| {
            work.add_one();
            reader.take(game);
        })?;
        let mut field = reader.end(dir, warn)?;
        match &mut field {
            Self::Pairs(run) => {
                run.put_in_order(ledger.as_ref());
                for game in &mut run.games {
                    if reading.is_private { add_stderr(game, dir) } else { game.make_public() }
                }
            }
            Self::Groups(run) => {
                run.put_in_order(ledger.as_ref());
                for game in &mut run.games {
                    if reading.is_private { group_games::add_stderr(game, dir) } else { game.make_public() }
                }
            }
        }
        Ok(field)
    }

    fn of(pairs: RunGames, groups: RunGames<ShownGroupGame>, path: &Path) -> Result<Self, ReportError> {
        match (pairs.games.is_empty(), groups.games.is_empty()) {
            (_, true) => Ok(Self::Pairs(Box::new(pairs))),
            (true, false) if group_games::have_same_seats(&groups.games) => Ok(Self::Groups(Box::new(groups))),
            _ => Err(ReportError::Mixed { path: path.to_owned() }),
        }
    }
}

impl<G: PageGame> RunGames<G> {
    /// Puts the games in the order of the schedule or, without a ledger, in the order of their rounds and ids.
    fn put_in_order(&mut self, ledger: Option<&Ledger>) {
        match ledger {
            Some(ledger) => self.in_order_of(ledger),
            None => self.games.sort_by(|one, other| place(one).cmp(&place(other))),
        }
    }

    /// Keeps the games that count, in the order of the schedule.
    fn in_order_of(&mut self, ledger: &Ledger) {
        let mut last: HashMap<String, G> = HashMap::with_capacity(self.games.len());
        for game in self.games.drain(..) {
            last.insert(game.id().to_owned(), game);
        }
        let ids = ledger.summaries().map(|game| game.game).chain(ledger.groups().map(|game| game.game));
        self.games = ids.filter_map(|id| last.remove(id)).collect();
        self.state = ledger.state();
        self.missing = self.state.missing.games();
        self.is_of_journal = true;
        self.identity = ledger.definition.digest();
    }

    /// The number of games that have a result.
    pub(crate) fn played(&self) -> u64 {
        self.games.iter().filter(|game| game.has_result()).count() as u64
    }

    /// The number of games that have moves.
    pub(crate) fn with_moves(&self) -> u64 {
        self.games.iter().filter(|game| !game.code().moves.is_empty()).count() as u64
    }

    /// `text` with players' names replaced by aliases, if the page is anonymous.
    pub(crate) fn without_names(&self, text: &str) -> String {
        self.aliases.in_text(text)
    }

    /// Fills in the facts about the tournament that a page shows, given the record of one of its games.
    fn describe(&mut self, game: &LoggedGame) {
        if self.games.is_empty() {
            self.ruleset = game.ruleset();
            game.event().unwrap_or_default().clone_into(&mut self.name);
        }
        let date = game.date().map(|date| date.replace('.', "-"));
        self.date = self.date.take().max(date);
    }
}

impl RunGames {
    /// The number of games that are analyzed.
    pub(crate) fn analyzed(&self) -> u64 {
        self.games.iter().filter(|game| game.is_analyzed()).count() as u64
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

/// The difference in Elo by which the winner of `game` is rated below the loser; `None` if the winner is not rated
/// lower.
fn upset(game: &ShownGame, ratings: &HashMap<String, f64>) -> Option<f64> {
    let winner = game.summary.result.as_ref()?.winner()?;
    let elo = |side: Side| ratings.get(&game.summary.players[side]).copied();
    let gap = elo(winner.opponent())? - elo(winner)?;
    (gap > 0.0).then_some(gap)
}

/// The sort key of a game without a schedule: games are sorted by round, then by id, with shorter ids first.
fn place(game: &impl PageGame) -> (Option<u32>, usize, &str) {
    let id = game.id();
    (game.round(), id.len(), id)
}

/// Adds the end of the stderr output of the side at fault, if the run in `dir` contains this output.
fn add_stderr(game: &mut ShownGame, dir: &Path) {
    let Some(side) = game.at_fault() else { return };
    let mut texts = BySide::<String>::default();
    texts[side] = stderr_of(dir, &game.summary.game, (side.into(), 2));
    game.stderr = (!texts[side].is_empty()).then_some(texts);
}

/// The end of the stderr output of `seat` in the game `id`; empty if the run in `dir` does not contain this output.
fn stderr_of(dir: &Path, id: &str, seat: (Seat, u8)) -> String {
    // Ids in untrusted logs may be any text, and must not lead to other files.
    let games = games_in(dir).ok().filter(|_| !id.contains(['/', '\\']));
    let path = games.map(|games| games.join(output_name(id, seat, "stderr")));
    let Some(tail) = path.and_then(|path| read_tail(&path, STDERR_TAIL).ok()) else { return String::new() };
    let lines: Vec<String> = String::from_utf8_lossy(&tail).lines().map(output_line).collect();
    lines.join("\n")
}

/// Reads one record after another.
struct RunReader {
    /// The results of earlier analyses, if they were requested.
    cache: Option<AnalysisCache>,
    pairs: RunGames,
    groups: RunGames<ShownGroupGame>,
    /// The first game that cannot be replayed.
    problem: Option<String>,
}

impl RunReader {
    fn take(&mut self, game: &LoggedGame) {
        let taken = match game {
            LoggedGame::Two(record) => {
                self.pairs.describe(game);
                ShownGame::of(record).map(|mut shown| {
                    if let Some(known) = self.cache.as_mut().and_then(|cache| cache.find(record)) {
                        shown.add_analysis(&known.analysis);
                    }
                    self.pairs.games.push(shown);
                })
            }
            LoggedGame::Group(record) => {
                self.groups.describe(game);
                ShownGroupGame::of(record).map(|shown| self.groups.games.push(shown))
            }
        };
        if let Err(error) = taken {
            self.note(game, &error);
        }
    }

    fn note(&mut self, game: &LoggedGame, error: &Uncodable) {
        let id = sanitised(game.game().unwrap_or("a game"));
        self.problem.get_or_insert_with(|| format!("`{id}`: {error}"));
    }

    fn end(mut self, dir: &Path, warn: impl FnMut(CacheWarning)) -> Result<FieldGames, ReportError> {
        if let Some(cache) = &mut self.cache {
            cache.take_warnings().into_iter().for_each(warn);
        }
        match self.problem {
            Some(problem) => Err(ReportError::Unplayable { problem }),
            None => FieldGames::of(self.pairs, self.groups, dir),
        }
    }
}
