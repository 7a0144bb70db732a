//! The totals of games.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::repeats::{Played, ScheduleKey, schedule_key};
use super::{ForfeitKinds, GameSummary};
use crate::game::{BySide, Side};
use crate::referee::result::{Fault, GameResult, Termination};
use crate::referee::usage::{TimeLoss, Total};
use crate::results::rating::{PairResults, Wdl};

/// Which games count for ratings, points and tables. Forfeits are shown separately, even if they do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counting {
    /// Games that ended with a forfeit of one of these kinds are left out.
    pub without_forfeits: ForfeitKinds,
    /// Whether identical games, with the same players, colours and moves, count only once, with the result of the first
    /// one in schedule order.
    pub distinct: bool,
    /// The last round whose games count, if later rounds were in progress when a sequential test ended.
    pub last_round: Option<u32>,
    /// Whether games in which a player had its own handicap or compensation count for the ratings. They always count
    /// for points and tables.
    pub with_odds: bool,
}

impl Counting {
    /// Returns whether games of `round` count.
    pub fn has_round(self, round: Option<u32>) -> bool {
        self.last_round.is_none_or(|last| round.is_none_or(|round| round <= last))
    }
}

/// The totals of all games so far. The order in which games are added does not matter.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counting: Counting,
    rated: PairResults,
    /// The games that both sides lost, by ordered pair.
    double_forfeits: HashMap<(usize, usize), u64>,
    /// The games that count for points only, by ordered pair, from black's point of view; see [`GameCounts::odds`].
    odds: HashMap<(usize, usize), Wdl>,
    facts: Vec<PlayerFacts>,
    counts: GameCounts,
    played: HashMap<Played, Option<Box<First>>>,
}

/// The number of games of each kind. Each game belongs to exactly one of the first six kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameCounts {
    /// Games with a result that counts for the ratings.
    pub rated: u64,
    /// Games that count for points, but not for the ratings, because a player had its own handicap or compensation;
    /// see [`Counting::with_odds`].
    pub odds: u64,
    /// Games that both sides lost.
    pub double_forfeits: u64,
    /// Games without a result.
    pub void: u64,
    /// Games left out as forfeits; see [`Counting::without_forfeits`].
    pub forfeits_left_out: u64,
    /// Games in rounds after the last round that counts; see [`Counting::last_round`].
    pub after_test: u64,
    /// Games that repeat an earlier game of the same ordered pair move for move. These games are also counted as rated
    /// games or double forfeits unless [`Counting::distinct`] leaves them out.
    pub duplicates: u64,
    /// Games ended by proof, among the rated games.
    pub adjudicated: u64,
    /// Losses on time in which the loser used little CPU time, regardless of what [`Counting`] leaves out; see
    /// [`TimeLoss::Idle`].
    pub idle_time_losses: u64,
    /// Losses on time in which the loser was starved for longer than it ran in its turns, regardless of what
    /// [`Counting`] leaves out.
    pub starved_time_losses: u64,
}

impl GameCounts {
    /// The number of games of all kinds.
    pub const fn all(self) -> u64 {
        let Self { rated, odds, double_forfeits, void, forfeits_left_out, after_test, .. } = self;
        rated + odds + double_forfeits + void + forfeits_left_out + after_test
    }
}

/// The totals of one player.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayerFacts {
    name: String,
    pub(super) margin: i64,
    pub(super) forfeits: BTreeMap<Termination, u64>,
    pub(super) duplicates: u64,
    pub(super) adjudicated: u64,
    pub(super) usage: Total,
    pub(super) idle_time_losses: u64,
}

/// The first game so far of a group of identical games.
#[derive(Clone, Debug, PartialEq, Eq)]
struct First {
    round: Option<u32>,
    game: Box<str>,
    result: GameResult,
    has_odds: bool,
}

impl Tally {
    /// An empty tally, which will count the games selected by `counting`.
    pub fn new(counting: Counting) -> Self {
        Self { counting, ..Self::default() }
    }

    /// Adds players without games, unless they are already known.
    pub fn know<'n>(&mut self, players: impl IntoIterator<Item = &'n str>) {
        for name in players {
            self.player(name);
        }
    }

    /// Adds a game. A void game, or one in a round that does not count, only adds its players.
    pub fn add<S: AsRef<str>>(&mut self, game: &GameSummary<S>) {
        let players = game.players.as_ref().map(|name| self.player(name.as_ref()));
        let can_repeat = game.can_repeat();
        let Some(result) = game.result.clone() else {
            self.counts.void += 1;
            return;
        };
        if !self.counting.has_round(game.round) {
            self.counts.after_test += 1;
            return;
        }
        self.add_usage(game, players, &result);
        if result.fault() != Fault::Nobody {
            for side in Side::BOTH.into_iter().filter(|&side| result.fault().is_on(side)) {
                *self.facts[players[side]].forfeits.entry(result.termination()).or_default() += 1;
            }
            if self.counting.without_forfeits.contains(result.termination()) {
                self.counts.forfeits_left_out += 1;
                return;
            }
        }
        if can_repeat && self.is_left_out(game, players, &result) {
            return;
        }
        self.count(players, &result, game.has_odds);
    }

    /// Records the moves, and decides which of several identical games counts. Returns whether the game has already
    /// been handled and must not be counted.
    fn is_left_out<S>(&mut self, game: &GameSummary<S>, players: BySide<usize>, result: &GameResult) -> bool
    where
        S: AsRef<str>,
    {
        let first = self.counting.distinct.then(|| Box::new(First::new(game, result)));
        let mut place = match self.played.entry(Played::of_pair(players, &game.moves)) {
            Entry::Vacant(place) => {
                place.insert(first);
                return false;
            }
            Entry::Occupied(place) => place,
        };
        self.counts.duplicates += 1;
        for side in Side::BOTH {
            self.facts[players[side]].duplicates += 1;
        }
        let (Some(counted), Some(new)) = (place.get_mut(), first) else {
            return false;
        };
        if new.key() < counted.key() {
            let old = std::mem::replace(counted, new);
            self.take_back(players, &old.result, old.has_odds);
            self.count(players, result, game.has_odds);
        }
        true
    }

    /// The counts of the games added so far.
    pub const fn counts(&self) -> GameCounts {
        self.counts
    }

    /// Which games count.
    pub const fn counting(&self) -> Counting {
        self.counting
    }

    /// The name of the player at `index`.
    pub(super) fn name(&self, index: usize) -> &str {
        &self.facts[index].name
    }

    /// The players' names in order.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.rated.players().map(|(name, _)| name)
    }

    pub(super) const fn rated(&self) -> &PairResults {
        &self.rated
    }

    /// The games that both sides lost, by ordered pair.
    pub(super) const fn double_forfeits(&self) -> &HashMap<(usize, usize), u64> {
        &self.double_forfeits
    }

    /// The games that count for points only, by ordered pair, from black's point of view.
    pub(super) const fn odds(&self) -> &HashMap<(usize, usize), Wdl> {
        &self.odds
    }

    pub(super) fn facts(&self, player: usize) -> &PlayerFacts {
        &self.facts[player]
    }

    /// Whether a game counts for points only, although its result could be rated.
    const fn is_for_points_only(&self, result: &GameResult, has_odds: bool) -> bool {
        result.is_rated() && has_odds && !self.counting.with_odds
    }

    fn count(&mut self, players: BySide<usize>, result: &GameResult, has_odds: bool) {
        let pair = (players.black, players.white);
        let game = Wdl::game(Side::Black, result.winner());
        if self.is_for_points_only(result, has_odds) {
            self.counts.odds += 1;
            *self.odds.entry(pair).or_default() += game;
        } else if result.is_rated() {
            self.counts.rated += 1;
            self.rated.add(pair.0, pair.1, game);
        } else {
            self.counts.double_forfeits += 1;
            *self.double_forfeits.entry(pair).or_default() += 1;
        }
        if result.termination() == Termination::Adjudicated {
            self.counts.adjudicated += 1;
            for side in Side::BOTH {
                self.facts[players[side]].adjudicated += 1;
            }
        }
        self.add_margin(players, i64::from(result.margin().unwrap_or(0)));
    }

    /// Adds the resources used by the processes, whether or not the result counts.
    fn add_usage<S>(&mut self, game: &GameSummary<S>, players: BySide<usize>, result: &GameResult) {
        for side in Side::BOTH {
            if let Some(usage) = &game.usage[side] {
                self.facts[players[side]].usage.add(usage);
            }
        }
        self.counts.starved_time_losses += u64::from(game.starved == Some(true));
        if let Some((loser, TimeLoss::Idle)) = TimeLoss::in_game(Some(result), &game.used, &game.usage) {
            self.counts.idle_time_losses += 1;
            self.facts[players[loser]].idle_time_losses += 1;
        }
    }

    /// Undoes [`Tally::count`].
    fn take_back(&mut self, players: BySide<usize>, result: &GameResult, has_odds: bool) {
        let pair = (players.black, players.white);
        let game = Wdl::game(Side::Black, result.winner());
        if self.is_for_points_only(result, has_odds) {
            self.counts.odds -= 1;
            *self.odds.entry(pair).or_default() -= game;
        } else if result.is_rated() {
            self.counts.rated -= 1;
            self.rated.take_back(pair.0, pair.1, game);
        } else {
            self.counts.double_forfeits -= 1;
            *self.double_forfeits.entry(pair).or_default() -= 1;
        }
        if result.termination() == Termination::Adjudicated {
            self.counts.adjudicated -= 1;
            for side in Side::BOTH {
                self.facts[players[side]].adjudicated -= 1;
            }
        }
        self.add_margin(players, -i64::from(result.margin().unwrap_or(0)));
    }

    fn add_margin(&mut self, players: BySide<usize>, margin: i64) {
        self.facts[players.black].margin += margin;
        self.facts[players.white].margin -= margin;
    }

    fn player(&mut self, name: &str) -> usize {
        let index = self.rated.player(name);
        if index == self.facts.len() {
            self.facts.push(PlayerFacts { name: name.to_owned(), ..PlayerFacts::default() });
        }
        index
    }
}

impl First {
    fn new<S: AsRef<str>>(game: &GameSummary<S>, result: &GameResult) -> Self {
        let game_id = game.game.as_ref().into();
        Self { round: game.round, game: game_id, result: result.clone(), has_odds: game.has_odds }
    }

    /// A key that sorts games in schedule order, and games without ids in an order that does not depend on which was
    /// added first.
    fn key(&self) -> (ScheduleKey<'_>, Termination, Option<&'static str>, Option<i32>, bool) {
        let result = &self.result;
        let winner = result.winner().map(Side::name);
        (schedule_key(self.round, &self.game), result.termination(), winner, result.margin(), self.has_odds)
    }
}

impl<'g> Extend<&'g GameSummary> for Tally {
    fn extend<T: IntoIterator<Item = &'g GameSummary>>(&mut self, games: T) {
        games.into_iter().for_each(|game| self.add(game));
    }
}

impl<'g> FromIterator<&'g GameSummary> for Tally {
    fn from_iter<T: IntoIterator<Item = &'g GameSummary>>(games: T) -> Self {
        let mut tally = Self::default();
        tally.extend(games);
        tally
    }
}
