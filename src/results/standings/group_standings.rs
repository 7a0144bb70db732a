//! The standings of a field that played games with more than two seats: points, places and ratings.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::group_tally::{GroupCounts, GroupTally, PlacingTotals};
use super::{Anchor, AnchorError, Components, Counting, RatingOptions, RowPlace, RunState, ShownRating};
use crate::game::{BySeat, Seat};
use crate::referee::result::Termination;
use crate::referee::usage::Total;
use crate::results::rating::{
    Basis, Elo, PlacingFit, PlayerGroups, PlayerRating, Prior, RankChances, Rating, SeatEffect, Wdl,
};

/// A player's row in the standings of a field that played games with more than two seats.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupRow {
    /// The rank, from 1, as in [`super::PlayerRow::rank`].
    pub rank: Option<usize>,
    /// The player.
    pub player: String,
    /// The player's rating; `None` without a rated game.
    pub rating: Option<Rating>,
    /// What the rating is based on.
    pub basis: Basis,
    /// Half the 95% interval of the rating.
    pub error95: Option<Elo>,
    /// The player's pool, from 1, as in [`super::PlayerRow::component`].
    pub component: usize,
    /// The player's games, points and places in all seats.
    pub total: PlacingTotals,
    /// The player's games, points and places in each seat.
    pub by_seat: BySeat<PlacingTotals>,
    /// How many times the player forfeited, by kind, regardless of what [`Counting`] leaves out.
    pub forfeits: BTreeMap<Termination, u64>,
    /// How many times the player resigned, regardless of what [`Counting`] leaves out.
    pub resignations: u64,
    /// How many of the player's games repeat another one.
    pub duplicates: u64,
    /// In how many of the player's games a player had its own handicap or compensation.
    pub odds: u64,
    /// The resources used by the player's processes in games with a result, regardless of what [`Counting`] leaves out.
    pub usage: Total,
    /// How many times the player lost on time after using little CPU time.
    pub idle_time_losses: u64,
}

impl GroupRow {
    /// The rating if it is finite.
    pub fn finite_rating(&self) -> Option<Elo> {
        self.rating.and_then(Rating::finite)
    }

    /// The component of a player with a rated game; `None` for other players.
    pub fn rated_component(&self) -> Option<usize> {
        self.rating.map(|_| self.component)
    }

    /// The rating as text for display, or `missing` if there is none.
    pub const fn shown_rating(&self, missing: &'static str) -> ShownRating {
        ShownRating { rating: self.rating, basis: self.basis, missing }
    }

    /// How many times the player forfeited.
    pub fn forfeit_count(&self) -> u64 {
        self.forfeits.values().sum()
    }
}

/// A seat's row in the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatRow {
    /// The seat.
    pub seat: Seat,
    /// The seat's advantage; `None` without a rated game.
    pub effect: Option<SeatEffect>,
    /// The games, points and places of all players in the seat.
    pub total: PlacingTotals,
}

/// The standings of a field that played games with more than two seats.
#[derive(Clone, Debug)]
pub struct GroupStandings {
    seats: u8,
    rows: Vec<GroupRow>,
    seat_rows: Vec<SeatRow>,
    counts: GroupCounts,
    counting: Counting,
    anchors: Vec<Anchor>,
    min_games: u64,
    fit: PlacingFit,
    places: Vec<RowPlace>,
    /// For each pair of rows, in their order, how many times the first row's player was placed ahead of the other
    /// player, shared a place with it, and was placed behind it.
    placed_before: Vec<Vec<Wdl>>,
    run: RunState,
}

impl GroupStandings {
    /// The standings after the games in `tally`: by Elo, then points, then name, as in [`super::Standings::new`]. The
    /// model in `options` is ignored, because there is only one model for placings.
    ///
    /// # Errors
    /// Returns an error if an anchor does not name a player, or if that player does not have a finite rating.
    pub fn of(tally: &GroupTally, options: &RatingOptions) -> Result<Self, AnchorError> {
        let fit = PlacingFit::anchored(tally.rated(), options.prior, &options.anchors)?;
        let totals = |index: usize| total_of(tally.facts(index).by_seat.values(), tally.seats());
        let mut places: Vec<RowPlace> = tally
            .rated()
            .players()
            .map(|(name, index)| {
                let fitted = fit.players.binary_search_by(|rated| rated.name.as_str().cmp(name)).ok();
                RowPlace { fitted, index, is_ranked: tally.facts(index).rated >= options.min_games.max(1) }
            })
            .collect();
        let merit = |place: &RowPlace| {
            let elo = place.fitted.map(|fitted| fit.players[fitted].merit());
            Reverse((place.is_ranked, elo, totals(place.index).half_points))
        };
        // The sort is stable, and the tally yields the players in order of their names.
        places.sort_by_cached_key(merit);
        let merits: Vec<_> = places.iter().map(merit).collect();
        let mut components = Components::default();
        let mut rank = 0;
        let mut rows = Vec::with_capacity(places.len());
        for (number, place) in places.iter().enumerate() {
            if number == 0 || merits[number] != merits[number - 1] {
                rank = number + 1;
            }
            let rated = place.fitted.map(|fitted| &fit.players[fitted]);
            let component = components.number(rated.map(|rated| rated.pool));
            let rank = place.is_ranked.then_some(rank);
            rows.push(GroupRow { rank, component, ..row(tally, place.index, rated) });
        }
        let versus = |one: &RowPlace, other: &RowPlace| {
            if one.index == other.index { Wdl::default() } else { tally.placed_before(one.index, other.index) }
        };
        let placed_before = places.iter().map(|one| places.iter().map(|other| versus(one, other)).collect()).collect();
        Ok(Self {
            seats: tally.seats(),
            seat_rows: seat_rows(&rows, &fit, tally.seats()),
            rows,
            counts: tally.counts(),
            counting: tally.counting(),
            anchors: options.anchors.clone(),
            min_games: options.min_games,
            fit,
            places,
            placed_before,
            run: RunState::default(),
        })
    }

    /// Adds the state of the run.
    #[must_use]
    pub fn of_run(self, run: RunState) -> Self {
        Self { run, ..self }
    }

    /// The state of the run; empty unless [`GroupStandings::of_run`] added it.
    pub const fn run(&self) -> &RunState {
        &self.run
    }

    /// The number of seats of each game.
    pub const fn seats(&self) -> u8 {
        self.seats
    }

    /// The players, best first.
    pub fn rows(&self) -> &[GroupRow] {
        &self.rows
    }

    /// The seats, seat 1 first.
    pub fn seat_rows(&self) -> &[SeatRow] {
        &self.seat_rows
    }

    /// How many games there were.
    pub const fn counts(&self) -> GroupCounts {
        self.counts
    }

    /// Which games count.
    pub const fn counting(&self) -> Counting {
        self.counting
    }

    /// The players whose ratings were given.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// How many rated games a player needs for a rank.
    pub const fn min_games(&self) -> u64 {
        self.min_games
    }

    /// What the ratings assume before the first game.
    pub const fn prior(&self) -> Prior {
        self.fit.prior
    }

    /// How many components of rated players there are; see [`GroupRow::component`].
    pub const fn components(&self) -> usize {
        self.fit.pools
    }

    /// How games connect the rated players.
    pub const fn connection(&self) -> PlayerGroups {
        self.fit.connection
    }

    /// How many times the player in row `row` was placed ahead of the player in row `other` (wins), shared a place with
    /// it (draws), and was placed behind it (losses), in the games that both played.
    pub fn placed_before(&self, row: usize, other: usize) -> Wdl {
        self.placed_before[row][other]
    }

    /// The probability that the player in row `row` is stronger than the player in row `other`.
    pub fn superiority(&self, row: usize, other: usize) -> Option<f64> {
        self.fit.superiority_by(self.places[row].fitted?, self.places[other].fitted?, Elo(0.0))
    }

    /// The probability that the rating of the player in row `row` is above `elo`.
    pub fn superiority_over(&self, row: usize, elo: Elo) -> Option<f64> {
        self.fit.superiority_over(self.places[row].fitted?, elo)
    }

    /// The rank chances of the rows with a rank, which come first.
    pub fn rank_chances(&self) -> Option<Vec<RankChances>> {
        let ranked: Vec<usize> =
            self.places.iter().filter(|place| place.is_ranked).filter_map(|place| place.fitted).collect();
        self.fit.rank_chances(&ranked)
    }
}

/// The row of the player at `index` in `tally`, without rank and component.
fn row(tally: &GroupTally, index: usize, rated: Option<&PlayerRating>) -> GroupRow {
    let facts = tally.facts(index);
    GroupRow {
        rank: None,
        player: facts.name.clone(),
        rating: rated.map(|rated| rated.rating),
        basis: rated.map_or(Basis::Nothing, |rated| rated.basis),
        error95: rated.and_then(|rated| rated.error95),
        component: 0,
        total: total_of(facts.by_seat.values(), tally.seats()),
        by_seat: facts.by_seat.clone(),
        forfeits: facts.forfeits.clone(),
        resignations: facts.resignations,
        duplicates: facts.duplicates,
        odds: facts.odds,
        usage: facts.usage,
        idle_time_losses: facts.idle_time_losses,
    }
}

fn seat_rows(rows: &[GroupRow], fit: &PlacingFit, seats: u8) -> Vec<SeatRow> {
    let row = |seat: Seat| SeatRow {
        seat,
        effect: fit.seats.get(seat.index()).copied().filter(|_| !fit.players.is_empty()),
        total: total_of(rows.iter().map(|row| &row.by_seat[seat]), seats),
    };
    Seat::all(seats).map(row).collect()
}

fn total_of<'t>(parts: impl Iterator<Item = &'t PlacingTotals>, seats: u8) -> PlacingTotals {
    let mut total = PlacingTotals::new(seats);
    parts.for_each(|part| total.add(part));
    total
}
