//! The totals of games with more than two seats.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use super::Counting;
use super::group_summary::{GroupResult, GroupSummary};
use super::repeats::{PlayedGroup, ScheduleKey, schedule_key};
use crate::game::BySeat;
use crate::referee::result::Termination;
use crate::referee::usage::{TimeLoss, Total};
use crate::results::rating::{PairResults, PlacedGame, PlacedResults, Wdl};

/// The totals of all games so far. The order in which games are added does not matter.
#[derive(Clone, Debug)]
pub struct GroupTally {
    counting: Counting,
    /// The games that count for the ratings.
    rated: PlacedResults,
    /// How many times each player was placed ahead of each other player, in all games that count for points.
    placed_before: PairResults,
    facts: Vec<GroupFacts>,
    counts: GroupCounts,
    played: HashMap<PlayedGroup, Option<Box<FirstGroupGame>>>,
}

/// The number of games of each kind. Each game belongs to exactly one of the first five kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounts {
    /// Games with a result that counts for the ratings.
    pub rated: u64,
    /// Games that count for points, but not for the ratings, because a player had its own handicap or compensation.
    pub odds: u64,
    /// Games that every seat forfeited: they count as games, but yield no points and do not count for the ratings.
    pub forfeited_by_all: u64,
    /// Games without a result.
    pub void: u64,
    /// Games left out as forfeits; see [`Counting::without_forfeits`].
    pub forfeits_left_out: u64,
    /// Games that repeat an earlier game with the same players in the same seats move for move; see
    /// [`super::GameCounts::duplicates`].
    pub duplicates: u64,
    /// Seats that lost on time after using little CPU time; see [`TimeLoss::Idle`].
    pub idle_time_losses: u64,
}

impl GroupCounts {
    /// How many games count for points.
    pub const fn counted(self) -> u64 {
        self.rated + self.odds + self.forfeited_by_all
    }

    /// The number of games of all kinds.
    pub const fn all(self) -> u64 {
        self.counted() + self.void + self.forfeits_left_out
    }
}

/// The totals of one player in one seat, or in all seats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacingTotals {
    /// The number of games.
    pub games: u64,
    /// Twice the points.
    pub half_points: u64,
    /// How many times the player was first, second, and so on.
    pub places: Vec<u64>,
}

impl PlacingTotals {
    pub(super) fn new(seats: u8) -> Self {
        Self { places: vec![0; seats.into()], ..Self::default() }
    }

    /// The points.
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
    pub const fn points(&self) -> f64 {
        self.half_points as f64 / 2.0
    }

    /// The points divided by the maximum possible points; `None` without games.
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
    pub fn score(&self) -> Option<f64> {
        let most = self.games * (self.places.len() as u64).saturating_sub(1);
        (most > 0).then(|| self.points() / most as f64)
    }

    /// The mean place; `None` without games. Equal seats share the better place.
    #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53 games")]
    pub fn mean_placing(&self) -> Option<f64> {
        let sum: u64 = (1..).zip(&self.places).map(|(place, times)| place * times).sum();
        (self.games > 0).then(|| sum as f64 / self.games as f64)
    }

    /// Adds the totals of another seat.
    pub(super) fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.half_points += other.half_points;
        for (own, more) in self.places.iter_mut().zip(&other.places) {
            *own += more;
        }
    }
}

/// The totals of one player.
#[derive(Clone, Debug)]
pub(super) struct GroupFacts {
    pub(super) name: String,
    pub(super) by_seat: BySeat<PlacingTotals>,
    /// The number of games that count for the ratings.
    pub(super) rated: u64,
    pub(super) forfeits: BTreeMap<Termination, u64>,
    pub(super) resignations: u64,
    pub(super) duplicates: u64,
    pub(super) odds: u64,
    pub(super) usage: Total,
    pub(super) idle_time_losses: u64,
}

/// The first game so far of a group of identical games.
#[derive(Clone, Debug)]
struct FirstGroupGame {
    round: Option<u32>,
    game: Box<str>,
    result: GroupResult,
    has_odds: bool,
}

impl GroupTally {
    /// An empty tally, which will count the games with `seats` seats selected by `counting`.
    pub fn new(counting: Counting, seats: u8) -> Self {
        Self {
            counting,
            rated: PlacedResults::new(seats),
            placed_before: PairResults::default(),
            facts: Vec::new(),
            counts: GroupCounts::default(),
            played: HashMap::new(),
        }
    }

    /// The number of seats of each game.
    pub const fn seats(&self) -> u8 {
        self.rated.seats()
    }

    /// Adds players without games, unless they are already known.
    pub fn know<'n>(&mut self, players: impl IntoIterator<Item = &'n str>) {
        for name in players {
            self.player(name);
        }
    }

    /// Adds a game, which must have as many seats as the tally. A void game only adds its players.
    ///
    /// # Panics
    /// Panics if the game has a different number of seats.
    pub fn add<S: AsRef<str>>(&mut self, game: &GroupSummary<S>) {
        assert_eq!(game.players.seats(), self.seats(), "all games in a tally have the same number of seats");
        let players = game.players.as_ref().map(|name| self.player(name.as_ref()));
        let can_repeat = game.can_repeat();
        let Some(result) = &game.result else {
            self.counts.void += 1;
            return;
        };
        self.add_facts(game, &players, result);
        if result.forfeits().any(|out| self.counting.without_forfeits.contains(out.termination)) {
            self.counts.forfeits_left_out += 1;
            return;
        }
        if can_repeat && self.is_left_out(game, &players, result) {
            return;
        }
        self.count(&players, result, game.has_odds, true);
    }

    /// Records the moves, and decides which of several identical games counts, as in [`super::Tally`].
    fn is_left_out<S>(&mut self, game: &GroupSummary<S>, players: &BySeat<usize>, result: &GroupResult) -> bool
    where
        S: AsRef<str>,
    {
        let new = || FirstGroupGame {
            round: game.round,
            game: game.game.as_ref().into(),
            result: result.clone(),
            has_odds: game.has_odds,
        };
        let first = self.counting.distinct.then(|| Box::new(new()));
        let mut place = match self.played.entry(PlayedGroup::of_group(players, &game.moves)) {
            Entry::Vacant(place) => {
                place.insert(first);
                return false;
            }
            Entry::Occupied(place) => place,
        };
        self.counts.duplicates += 1;
        for (_, &player) in players.iter() {
            self.facts[player].duplicates += 1;
        }
        let (Some(counted), Some(new)) = (place.get_mut(), first) else {
            return false;
        };
        if new.key() < counted.key() {
            let old = std::mem::replace(counted, new);
            self.count(players, &old.result, old.has_odds, false);
            self.count(players, result, game.has_odds, true);
        }
        true
    }

    /// Adds a game to the counts or, unless it `is_new`, removes it from them.
    fn count(&mut self, players: &BySeat<usize>, result: &GroupResult, has_odds: bool, is_new: bool) {
        let change = |count: &mut u64, by: u64| *count = if is_new { *count + by } else { *count - by };
        let all_failed = result.is_forfeited_by_all();
        let is_rated = !all_failed && (self.counting.with_odds || !has_odds);
        let half_points = result.half_points();
        for (seat, &player) in players.iter() {
            let facts = &mut self.facts[player];
            change(&mut facts.rated, is_rated.into());
            change(&mut facts.odds, has_odds.into());
            let totals = &mut facts.by_seat[seat];
            change(&mut totals.games, 1);
            change(&mut totals.half_points, half_points[seat].into());
            let place = if all_failed { result.seats() } else { result.placing()[seat] };
            change(&mut totals.places[usize::from(place) - 1], 1);
        }
        change(
            match (all_failed, is_rated) {
                (true, _) => &mut self.counts.forfeited_by_all,
                (false, true) => &mut self.counts.rated,
                (false, false) => &mut self.counts.odds,
            },
            1,
        );
        let game = PlacedGame::new(players, result.placing());
        if !all_failed {
            for ((one, other), pair) in game.pairs(self.seats()) {
                if is_new {
                    self.placed_before.add(one, other, pair);
                } else {
                    self.placed_before.take_back(one, other, pair);
                }
            }
        }
        match (is_rated, is_new) {
            (true, true) => self.rated.add(game),
            (true, false) => self.rated.take_back(game),
            (false, _) => {}
        }
    }

    /// Adds the facts about the players that count even if the result does not.
    fn add_facts<S>(&mut self, game: &GroupSummary<S>, players: &BySeat<usize>, result: &GroupResult) {
        for (seat, usage) in game.usage.iter() {
            if let Some(usage) = usage {
                self.facts[players[seat]].usage.add(usage);
            }
        }
        for out in result.outs() {
            let facts = &mut self.facts[players[out.seat]];
            if !out.termination.is_forfeit() {
                facts.resignations += 1;
                continue;
            }
            *facts.forfeits.entry(out.termination).or_default() += 1;
            let usage = game.usage[out.seat].as_ref().filter(|_| out.termination == Termination::Time);
            if usage.is_some_and(|usage| TimeLoss::of(usage, game.used[out.seat]) == TimeLoss::Idle) {
                facts.idle_time_losses += 1;
                self.counts.idle_time_losses += 1;
            }
        }
    }

    /// The counts of the games added so far.
    pub const fn counts(&self) -> GroupCounts {
        self.counts
    }

    /// Which games count.
    pub const fn counting(&self) -> Counting {
        self.counting
    }

    /// The players' names in order.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        self.rated.players().map(|(name, _)| name)
    }

    pub(super) const fn rated(&self) -> &PlacedResults {
        &self.rated
    }

    pub(super) fn facts(&self, player: usize) -> &GroupFacts {
        &self.facts[player]
    }

    /// How many times `player` was placed ahead of `other`, shared a place with it, and was placed behind it.
    pub(super) fn placed_before(&self, player: usize, other: usize) -> Wdl {
        let (one, another) = (player.min(other), player.max(other));
        let games = self.placed_before.pair(one, another);
        if player == one { games } else { games.reversed() }
    }

    fn player(&mut self, name: &str) -> usize {
        let index = self.rated.player(name);
        if index == self.facts.len() {
            let seats = self.seats();
            self.facts.push(GroupFacts {
                name: name.to_owned(),
                by_seat: BySeat::from_fn(seats, |_| PlacingTotals::new(seats)),
                rated: 0,
                forfeits: BTreeMap::new(),
                resignations: 0,
                duplicates: 0,
                odds: 0,
                usage: Total::default(),
                idle_time_losses: 0,
            });
        }
        index
    }
}

impl FirstGroupGame {
    /// A key that sorts games in schedule order. Games without ids are sorted by their results, so that the order in
    /// which they are added does not matter.
    fn key(&self) -> (ScheduleKey<'_>, Vec<u8>, bool) {
        let placing = self.result.placing().values().copied().collect();
        (schedule_key(self.round, &self.game), placing, self.has_odds)
    }
}
