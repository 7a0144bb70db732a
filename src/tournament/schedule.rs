//! Determines the games of a tournament, one at a time, as a pure function of the tournament and of the results so far.

mod decided_games;
mod drawn_rounds;
mod game_ids;
mod game_spec;
mod gauntlet;
mod gcd;
mod group;
mod knockout;
mod known_results;
mod min_weight;
mod opening;
mod pair_part;
mod planned_games;
mod round_robin;
mod schedule_frame;
mod sprt_pairs;
mod swiss;

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use crate::base::random::mix;
use crate::game::BySide;
use crate::tournament::shard::Shard;
use crate::tournament::sprt::SprtProgress;
use crate::tournament::{Format, Tournament};

pub use decided_games::{LadderFixture, LadderGames};
pub use drawn_rounds::{DrawnPairing, DrawnRound};
pub use game_ids::{GameId, GamePlace, Ids};
pub use game_spec::GameSpec;
pub use gauntlet::Gauntlet;
pub use group::{Evenness, Unseatable};
pub(in crate::tournament) use group::{least_tables, seating};
pub use known_results::{Decided, KnownEnding, Results};
pub use round_robin::RoundRobin;
pub use schedule_frame::ScheduleFrame;

use decided_games::DecidedGames;
use group::{GroupGame, GroupPart};
use knockout::Knockout;
use opening::Openings;
use pair_part::PairPart;
use planned_games::{NumberedGame, Planned};
use schedule_frame::chosen;
use sprt_pairs::SprtPairs;
use swiss::{Swiss, SwissTerms};

/// An index into [`crate::tournament::Tournament::players`].
pub type PlayerIndex = usize;

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<Game = GameSpec> {
    /// Play this game.
    Game(Game),
    /// Wait: the next game depends on games that have no result yet.
    Wait,
    /// Stop: there are no more games.
    Done,
}

/// The players of a game, and its place in the tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fixture {
    /// The round, starting from 1.
    round: u32,
    /// The number of the game among those in its round that have the same players with the same colours, starting from
    /// 1.
    nth: u32,
    players: BySide<PlayerIndex>,
}

/// Returns the result of a fixture, if it has one.
type KnownResult<'a> = &'a dyn Fn(&Fixture) -> Option<Decided>;

/// The order of the games, by format.
#[derive(Clone, Debug)]
enum FormatPlan {
    Pairs(Planned<PairPart>),
    Groups(Planned<GroupPart>),
    Swiss(Swiss),
    Knockout(Knockout),
    Sprt(SprtPairs),
    Ladder(DecidedGames),
}

/// All games of a tournament, in the order in which they are started.
///
/// The schedule is a pure function of the tournament and of the results passed to it. Some formats are *planned*: their
/// games are known from the start, and each of them is available immediately. In the other formats, the next game can
/// depend on results. But the game at each position in the order is always the same, however many results were known
/// when it was requested, so neither concurrency nor resuming a run changes the games. (There is one exception: games
/// that are already running when a sequential test ends.)
///
/// A planned schedule stores only its position in the order, so even the longest tournament takes almost no memory; the
/// others store a few numbers for each player. A clone continues from the same position.
#[derive(Clone, Debug)]
pub struct Schedule {
    plan: FormatPlan,
    slugs: Arc<[String]>,
    seed: u64,
    openings: Option<Openings>,
    /// How many games have been taken, if the schedule is not planned.
    taken: u64,
}

impl Schedule {
    /// Creates the schedule of `tournament`, starting at its first game.
    pub fn new(tournament: &Tournament) -> Self {
        Self::of(&ScheduleFrame::from(tournament), &[])
    }

    /// Creates the schedule of a tournament from its frame, starting at its first game. `earlier` contains the frames
    /// before each extension, oldest first; the games of these frames keep their positions.
    pub fn of(frame: &ScheduleFrame, earlier: &[ScheduleFrame]) -> Self {
        let slugs: Arc<[String]> = frame.slugs.iter().cloned().collect();
        let seed = frame.seed;
        let plan = match &frame.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => FormatPlan::Pairs(Planned::new(frame, earlier)),
            Format::Group { .. } => FormatPlan::Groups(Planned::new(frame, earlier)),
            Format::Swiss { rounds, legs } => {
                let terms = SwissTerms { rounds: rounds.get(), legs: *legs, seed };
                FormatPlan::Swiss(Swiss::new(Arc::clone(&slugs), terms))
            }
            Format::Knockout { pairs } => FormatPlan::Knockout(Knockout::new(slugs.len(), pairs.get())),
            Format::Sprt { test, max_pairs } => FormatPlan::Sprt(SprtPairs::new(*test, max_pairs.get())),
            Format::Ladder => FormatPlan::Ladder(DecidedGames::default()),
        };
        let openings = Openings::new(frame.ruleset, frame.opening_plies);
        let openings = match chosen(frame.opening_plies, frame.balanced.is_some()) {
            Some(chosen) => openings.map(|openings| openings.among(chosen)),
            None => openings,
        };
        Self { plan, slugs, seed, openings, taken: 0 }
    }

    /// Returns a schedule of only the games of `shard`, starting from the first; `None` if the schedule is not planned.
    /// The games keep their numbers in the whole tournament.
    #[must_use]
    pub fn of_shard(&self, shard: Shard) -> Option<Self> {
        let plan = match &self.plan {
            FormatPlan::Pairs(pairs) => FormatPlan::Pairs(pairs.of_shard(shard)),
            FormatPlan::Groups(groups) => FormatPlan::Groups(groups.of_shard(shard)),
            FormatPlan::Swiss(_) | FormatPlan::Knockout(_) | FormatPlan::Sprt(_) | FormatPlan::Ladder(_) => {
                return None;
            }
        };
        Some(Self { plan, ..self.clone() })
    }

    /// Returns whether the next game may depend on results. If not, [`Schedule::next`] needs no results.
    pub const fn needs_results(&self) -> bool {
        !matches!(self.plan, FormatPlan::Pairs(_) | FormatPlan::Groups(_))
    }

    /// Returns whether the games can be divided into shards, that is, whether all of them are known before the first
    /// result.
    pub const fn has_shards(&self) -> bool {
        matches!(self.plan, FormatPlan::Pairs(_) | FormatPlan::Groups(_))
    }

    /// Adds a player, whose slug is `slug`, to a ladder. Schedules of other formats ignore it.
    pub fn add_player(&mut self, slug: &str) {
        if matches!(self.plan, FormatPlan::Ladder(_)) {
            self.slugs = self.slugs.iter().cloned().chain([slug.to_owned()]).collect();
        }
    }

    /// Decides on the next game of a ladder, and returns it; `None` if the format is not `ladder`, or if one of the
    /// players does not exist.
    pub fn decide(&mut self, players: BySide<PlayerIndex>) -> Option<GameSpec> {
        let exist = players.black.max(players.white) < self.slugs.len() && players.black != players.white;
        let FormatPlan::Ladder(games) = &mut self.plan else { return None };
        let game = exist.then(|| games.add(players))?;
        Some(self.spec(game))
    }

    /// Returns the games of a ladder that have been decided on and have not been forgotten, by number; `None` for other
    /// formats.
    pub fn fixtures(&self) -> Option<&BTreeMap<u64, LadderFixture>> {
        self.decided().map(DecidedGames::fixtures)
    }

    /// Forgets game `number` of a ladder, and returns it; `None` if there is no such game. [`Schedule::games`],
    /// [`Schedule::get`] and similar functions no longer return the game, but it still counts as decided on.
    pub fn forget(&mut self, number: u64) -> Option<LadderFixture> {
        if let FormatPlan::Ladder(games) = &mut self.plan { games.forget(number) } else { None }
    }

    /// Returns whether a game of a ladder was decided on and then forgotten.
    pub fn has_forgotten(&self, round: u32, players: BySide<PlayerIndex>) -> bool {
        self.decided().is_some_and(|games| games.has_forgotten(round, players))
    }

    /// Returns the id of a game of a ladder.
    ///
    /// # Panics
    /// Panics if one of the players does not exist.
    pub fn id_of(&self, fixture: LadderFixture) -> GameId {
        id(&self.slugs, &Fixture { round: fixture.round, nth: 1, players: fixture.players() })
    }

    /// Returns the games of a ladder in a form that can be stored; `None` for other formats.
    pub fn stored_games(&self) -> Option<LadderGames> {
        self.decided().map(DecidedGames::stored)
    }

    /// Restores the games of a ladder from `stored`, as games that have not been taken. Returns whether the games are
    /// possible with the ladder's players; if not, nothing changes.
    pub fn restore_games(&mut self, stored: LadderGames) -> bool {
        let players = self.slugs.len();
        let FormatPlan::Ladder(games) = &mut self.plan else { return false };
        DecidedGames::restored(stored, players).map(|restored| *games = restored).is_some()
    }

    /// Counts `decided` games of a ladder as decided on, until [`Schedule::restore_games`] restores them.
    pub const fn set_decided(&mut self, decided: u64) {
        if let FormatPlan::Ladder(games) = &mut self.plan {
            games.set_decided(decided);
        }
    }

    /// Returns how many games the tournament, or the shard, has, including those already taken from the schedule;
    /// `None` if this depends on the results.
    pub fn len(&self) -> Option<u64> {
        match &self.plan {
            FormatPlan::Knockout(_) | FormatPlan::Sprt(_) | FormatPlan::Ladder(_) => None,
            FormatPlan::Pairs(_) | FormatPlan::Groups(_) | FormatPlan::Swiss(_) => Some(self.at_most()),
        }
    }

    /// Returns whether the tournament has no games, which happens only if there are fewer than two players, or if all
    /// of them play the same single side.
    pub fn is_empty(&self) -> bool {
        self.at_most() == 0
    }

    /// Returns the maximum number of games in the tournament, or in the shard; in a ladder, how many games have been
    /// decided on.
    pub fn at_most(&self) -> u64 {
        match &self.plan {
            FormatPlan::Pairs(pairs) => pairs.games(),
            FormatPlan::Groups(groups) => groups.games(),
            FormatPlan::Swiss(swiss) => swiss.games(),
            FormatPlan::Knockout(knockout) => knockout.at_most(),
            FormatPlan::Sprt(pairs) => pairs.at_most(),
            FormatPlan::Ladder(games) => games.len(),
        }
    }

    /// Returns game `number` of a planned schedule or of a ladder, starting from 0, regardless of whether it has been
    /// taken and of whether it is in the shard; `None` for other formats, or if there is no such game.
    pub fn get(&self, number: u64) -> Option<GameSpec> {
        match &self.plan {
            FormatPlan::Pairs(pairs) => pairs.get(number).map(|game| self.spec(game)),
            FormatPlan::Groups(groups) => groups.get(number).map(|game| self.group_spec(game)),
            FormatPlan::Ladder(games) => games.get(number).map(|game| self.spec(game)),
            FormatPlan::Swiss(_) | FormatPlan::Knockout(_) | FormatPlan::Sprt(_) => None,
        }
    }

    /// Returns all games of a planned schedule, or all games of a ladder that have been decided on and have not been
    /// forgotten, including those already taken; empty for other formats.
    pub fn games(&self) -> impl Iterator<Item = GameSpec> {
        let decided = self.decided().into_iter().flat_map(DecidedGames::all).map(|game| self.spec(game));
        self.specs(self.pairs().map(Planned::restarted), self.groups().map(Planned::restarted)).chain(decided)
    }

    /// Returns the games of a planned schedule, or those of a ladder that have been decided on, that have not been
    /// taken; empty for other formats.
    pub fn rest(&self) -> impl Iterator<Item = GameSpec> {
        let decided = self.decided().into_iter().flat_map(DecidedGames::rest).map(|game| self.spec(game));
        self.specs(self.pairs().cloned(), self.groups().cloned()).chain(decided)
    }

    /// Returns the next game, given `results`. Results that were passed once must be passed in every later call.
    pub fn next(&mut self, results: &Results) -> Step {
        let slugs = Arc::clone(&self.slugs);
        let known = |fixture: &Fixture| results.get(id(&slugs, fixture).as_str());
        let ended = |fixture: &Fixture| results.ended(id(&slugs, fixture).as_str());
        let step = match &mut self.plan {
            FormatPlan::Pairs(pairs) => {
                return pairs.next().map_or(Step::Done, |game| Step::Game(self.spec(game)));
            }
            FormatPlan::Groups(groups) => {
                return groups.next().map_or(Step::Done, |game| Step::Game(self.group_spec(game)));
            }
            FormatPlan::Ladder(games) => {
                return games.next().map_or(Step::Done, |game| Step::Game(self.spec(game)));
            }
            FormatPlan::Swiss(swiss) => swiss.next(&known),
            FormatPlan::Knockout(knockout) => knockout.next(&known),
            FormatPlan::Sprt(pairs) => pairs.next(&ended),
        };
        match step {
            Step::Game(fixture) => {
                let number = self.taken;
                self.taken += 1;
                Step::Game(self.spec(NumberedGame { number, game: fixture }))
            }
            Step::Wait => Step::Wait,
            Step::Done => Step::Done,
        }
    }

    /// Returns whether `results` decide the tournament's sequential test, if there is one. If so, games that were taken
    /// but have not begun no longer need to be played.
    pub fn is_decided(&mut self, results: &Results) -> bool {
        self.progress(results).is_some_and(SprtProgress::is_over)
    }

    /// Returns the progress of the test, given `results`; `None` if the format is not `sprt`. The progress counts the
    /// completed pairs up to the first incomplete one, in schedule order. Pairs with a double forfeit do not count, and
    /// a pair that repeats an earlier one is not counted again.
    pub fn progress(&mut self, results: &Results) -> Option<&SprtProgress> {
        let slugs = Arc::clone(&self.slugs);
        let FormatPlan::Sprt(pairs) = &mut self.plan else { return None };
        Some(pairs.progress(&|fixture| results.ended(id(&slugs, fixture).as_str())))
    }

    /// Returns the games that are required, given `results`, but are missing from `results`; empty if the tournament is
    /// complete. Games that depend on a missing game are unknown. No games may have been taken from the schedule
    /// before.
    pub fn missing(&mut self, results: &Results) -> impl Iterator<Item = GameSpec> {
        let next = move || match self.next(results) {
            Step::Game(spec) => Some(spec),
            Step::Wait | Step::Done => None,
        };
        std::iter::from_fn(next).filter(|spec| results.get(spec.id.as_str()).is_none())
    }

    /// Returns the rounds that have been drawn while games were taken from the schedule, given `results`; empty if the
    /// pairings do not depend on results.
    pub fn drawn(&self, results: &Results) -> Vec<DrawnRound> {
        match &self.plan {
            FormatPlan::Swiss(swiss) => swiss.drawn(),
            FormatPlan::Knockout(knockout) => knockout.drawn(&|fixture| results.get(id(&self.slugs, fixture).as_str())),
            FormatPlan::Pairs(_) | FormatPlan::Groups(_) | FormatPlan::Sprt(_) | FormatPlan::Ladder(_) => Vec::new(),
        }
    }

    const fn pairs(&self) -> Option<&Planned<PairPart>> {
        if let FormatPlan::Pairs(pairs) = &self.plan { Some(pairs) } else { None }
    }

    const fn decided(&self) -> Option<&DecidedGames> {
        if let FormatPlan::Ladder(games) = &self.plan { Some(games) } else { None }
    }

    const fn groups(&self) -> Option<&Planned<GroupPart>> {
        if let FormatPlan::Groups(groups) = &self.plan { Some(groups) } else { None }
    }

    fn specs(
        &self,
        pairs: Option<Planned<PairPart>>,
        groups: Option<Planned<GroupPart>>,
    ) -> impl Iterator<Item = GameSpec> {
        let pairs = pairs.into_iter().flatten().map(|game| self.spec(game));
        pairs.chain(groups.into_iter().flatten().map(|game| self.group_spec(game)))
    }

    /// Returns how many tables a round has; `None` if players do not meet at tables.
    pub fn tables_a_round(&self) -> Option<u64> {
        self.groups()?.last_part().map(GroupPart::tables_a_round)
    }

    /// Returns how often players meet at tables in the rounds up to `most_rounds`; `None` if they do not meet at
    /// tables.
    pub fn evenness(&self, most_rounds: NonZeroU32) -> Option<Evenness> {
        self.groups()?.last_part().map(|groups| groups.evenness(most_rounds.get()))
    }

    fn spec(&self, NumberedGame { number, game: fixture }: NumberedGame<Fixture>) -> GameSpec {
        let id = id(&self.slugs, &fixture);
        let seed = mix(self.seed, id.as_str());
        let Fixture { round, nth, players } = fixture;
        let slugs = players.map(|player| self.slugs[player].as_str());
        let opening = self.openings.as_ref().map(|openings| openings.of(self.seed, slugs, round, nth));
        GameSpec { id, number, round, players: players.into(), seed, opening: opening.unwrap_or_default() }
    }

    fn group_spec(&self, NumberedGame { number, game }: NumberedGame<GroupGame>) -> GameSpec {
        let GroupGame { round, table, game, players } = game;
        let id = GameId::at_table(round, table, game);
        let seed = mix(self.seed, id.as_str());
        GameSpec { id, number, round, players, seed, opening: Vec::new() }
    }
}

fn id(slugs: &[String], fixture: &Fixture) -> GameId {
    let Fixture { round, nth, players } = fixture;
    GameId::new(*round, &slugs[players.black], &slugs[players.white], *nth)
}
