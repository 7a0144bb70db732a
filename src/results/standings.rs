//! The standings of a field: points, forfeits, a crosstable and ratings, computed from games.
//!
//! A [`Tally`] takes game summaries in any order, and uses memory proportional to the number of pairs of players. The
//! [`Standings`] are computed from it.

mod field;
mod forfeit_kinds;
mod game_summary;
mod group_standings;
mod group_summary;
mod group_tally;
mod machines;
mod opposition;
mod pairs;
mod played_summary;
mod rating_facts;
mod repeats;
mod run_state;
mod sums;
mod tally;
mod thought_means;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use crate::game::BySide;
use crate::referee::result::Termination;
use crate::referee::usage::Total;
use crate::results::analysis::Accuracy;
pub use crate::results::rating::{Anchor, AnchorError};
use crate::results::rating::{
    Basis, Bootstrap, DrawTendency, Elo, Fit, Model, PlayerGroups, PlayerRating, Prior, Rating, Wdl,
};
pub use field::{FieldStandings, FieldTally, MixedSeats};
pub use forfeit_kinds::ForfeitKinds;
pub use game_summary::GameSummary;
pub use group_standings::{GroupRow, GroupStandings, SeatRow};
pub use group_summary::{GroupResult, GroupSummary, InconsistentGroup, SeatOut};
pub use group_tally::{GroupCounts, GroupTally, PlacingTotals};
pub use machines::{Machine, MachineGames, MachineRow};
pub use opposition::{Opposition, worst_fitted};
pub use pairs::played_pairs;
pub use played_summary::PlayedSummary;
pub use rating_facts::{RatedRow, RatingFacts};
pub use repeats::{Repeatable, duplicates};
pub use run_state::{MissingGame, MissingGames, RunState, Test};
use sums::{by_side, crosstable, rated_games};
pub use tally::{Counting, GameCounts, Tally};
pub use thought_means::{MeanDepth, ThoughtMeans};

/// How to rate the players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RatingOptions {
    /// The rating model.
    pub model: Model,
    /// What the fit assumes before the first game.
    pub prior: Prior,
    /// The players whose ratings are given. Without an anchor, the mean of all rated players is 0. A single exact
    /// anchor only shifts the zero point.
    pub anchors: Vec<Anchor>,
    /// How many rated games a player needs for a rank. Players without rated games never get a rank.
    pub min_games: u64,
    /// The bootstrap that computes the error bars, if the normal approximation is not used.
    pub bootstrap: Option<Bootstrap>,
}

/// A player's row in the standings.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRow {
    /// The rank, from 1. Players with the same Elo (to a hundredth) and the same points share a rank. Players with too
    /// few rated games have no rank.
    pub rank: Option<usize>,
    /// The player.
    pub player: String,
    /// The player's rating; `None` without a rated game.
    pub rating: Option<Rating>,
    /// What the rating is based on.
    pub basis: Basis,
    /// Half the 95% interval; see [`crate::results::rating::PlayerRating::error95`].
    pub error95: Option<Elo>,
    /// The player's pool, from 1; pools are numbered by their best players. See
    /// [`crate::results::rating::PlayerRating::pool`].
    pub component: usize,
    /// The player's results with each colour; a double forfeit counts as a loss.
    pub by_side: BySide<Wdl>,
    /// The player's stones minus its opponents', over all games with a margin.
    pub margin: i64,
    /// How many times the player forfeited, by kind, including double forfeits, regardless of what [`Counting`] leaves
    /// out.
    pub forfeits: BTreeMap<Termination, u64>,
    /// How many of the player's games repeat another one; see [`GameCounts::duplicates`].
    pub duplicates: u64,
    /// How many of the player's games ended by proof; see [`GameCounts::adjudicated`].
    pub adjudicated: u64,
    /// The resources used by the player's processes in games with a result, regardless of what [`Counting`] leaves out.
    pub usage: Total,
    /// How many times the player lost on time after using little CPU time; see [`GameCounts::idle_time_losses`].
    pub idle_time_losses: u64,
    /// How accurately the player played, if its games were judged; see [`Standings::with_accuracy`].
    pub accuracy: Option<Accuracy>,
}

impl PlayerRow {
    /// The row of the player at `index` in `tally`, without rank, component and results.
    fn new(tally: &Tally, index: usize, rated: Option<&PlayerRating>) -> Self {
        let facts = tally.facts(index);
        Self {
            rank: None,
            player: tally.name(index).to_owned(),
            rating: rated.map(|rated| rated.rating),
            basis: rated.map_or(Basis::Nothing, |rated| rated.basis),
            error95: rated.and_then(|rated| rated.error95),
            component: 0,
            by_side: BySide::default(),
            margin: facts.margin,
            forfeits: facts.forfeits.clone(),
            duplicates: facts.duplicates,
            adjudicated: facts.adjudicated,
            usage: facts.usage,
            idle_time_losses: facts.idle_time_losses,
            accuracy: None,
        }
    }

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

    /// The rank as text, or `missing` if there is none.
    pub fn shown_rank(&self, missing: &str) -> String {
        self.rank.map_or_else(|| missing.to_owned(), |rank| rank.to_string())
    }

    /// The results with both colours together.
    pub fn total(&self) -> Wdl {
        self.by_side.black + self.by_side.white
    }

    /// How many times the player forfeited.
    pub fn forfeit_count(&self) -> u64 {
        self.forfeits.values().sum()
    }
}

/// A rating for display. It has two decimals, or the precision in the format string. A question mark marks a rating
/// that the games do not determine.
#[derive(Clone, Copy, Debug)]
pub struct ShownRating {
    rating: Option<Rating>,
    basis: Basis,
    missing: &'static str,
}

impl fmt::Display for ShownRating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(rating) = self.rating else {
            return f.write_str(self.missing);
        };
        fmt::Display::fmt(&rating, f)?;
        // A rating that is only a bound has its own mark.
        let is_marked = self.basis == Basis::Prior && rating.finite().is_some();
        f.write_str(if is_marked { "?" } else { "" })
    }
}

/// The standings of a field.
#[derive(Clone, Debug)]
pub struct Standings {
    rows: Vec<PlayerRow>,
    counts: GameCounts,
    counting: Counting,
    anchors: Vec<Anchor>,
    min_games: u64,
    fit: Fit,
    /// For each row, the player's place in `fit` and in `crosstable`.
    places: Vec<RowPlace>,
    crosstable: HashMap<(usize, usize), Wdl>,
    machines: Option<Vec<MachineRow>>,
    run: RunState,
}

impl Standings {
    /// The standings after the games in `tally`: by Elo, then points, then name. Players with too few rated games for a
    /// rank come after the others, and players without rated games come last.
    ///
    /// # Errors
    /// Returns an error if an anchor does not name a player, or if that player does not have a finite rating.
    pub fn new(tally: &Tally, options: &RatingOptions) -> Result<Self, AnchorError> {
        let mut fit = Fit::anchored(tally.rated(), options.model, options.prior, &options.anchors)?;
        if let Some(bootstrap) = options.bootstrap {
            fit.bootstrap(bootstrap);
        }
        let rated_games = rated_games(tally);
        let by_side = by_side(tally);
        let players = tally.rated().players();
        let mut places: Vec<RowPlace> = players
            .map(|(name, index)| {
                let fitted = fit.players.binary_search_by(|rated| rated.name.as_str().cmp(name)).ok();
                RowPlace { fitted, index, is_ranked: rated_games[index] >= options.min_games.max(1) }
            })
            .collect();
        let merit = |place: &RowPlace| {
            let half_points = (by_side[place.index].black + by_side[place.index].white).half_points();
            let elo = place.fitted.map(|fitted| fit.players[fitted].merit());
            Reverse((place.is_ranked, elo, half_points))
        };
        // The sort is stable, and the tally yields the players in order of their names.
        places.sort_by_key(merit);
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
            rows.push(PlayerRow {
                rank: place.is_ranked.then_some(rank),
                component,
                by_side: by_side[place.index],
                ..PlayerRow::new(tally, place.index, rated)
            });
        }
        Ok(Self {
            rows,
            counts: tally.counts(),
            counting: tally.counting(),
            anchors: options.anchors.clone(),
            min_games: options.min_games,
            fit,
            places,
            crosstable: crosstable(tally),
            machines: None,
            run: RunState::default(),
        })
    }

    /// Adds how accurately players played. A player without any judged moves gets an empty accuracy.
    #[must_use]
    pub fn with_accuracy(mut self, players: &BTreeMap<String, Accuracy>) -> Self {
        for row in &mut self.rows {
            row.accuracy = Some(players.get(&row.player).copied().unwrap_or_default());
        }
        self
    }

    /// Adds the state of the run.
    #[must_use]
    pub fn of_run(self, run: RunState) -> Self {
        Self { run, ..self }
    }

    /// The state of the run; empty unless [`Standings::of_run`] added it.
    pub const fn run(&self) -> &RunState {
        &self.run
    }

    /// The players, the best first.
    pub fn rows(&self) -> &[PlayerRow] {
        &self.rows
    }

    /// How many games there were.
    pub const fn counts(&self) -> GameCounts {
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

    /// The rating model.
    pub const fn model(&self) -> Model {
        self.fit.model
    }

    /// What the ratings assume before the first game.
    pub const fn prior(&self) -> Prior {
        self.fit.prior
    }

    /// The bootstrap that computed the error bars, if the normal approximation was not used.
    pub const fn bootstrap(&self) -> Option<Bootstrap> {
        self.fit.bootstrap
    }

    /// Black's first-move advantage in Elo, and half its 95% interval.
    pub const fn advantage(&self) -> (Rating, Option<Elo>) {
        (self.fit.advantage, self.fit.advantage_error95)
    }

    /// How often equally strong players draw.
    pub const fn draws(&self) -> DrawTendency {
        self.fit.draws
    }

    /// How many components of rated players there are; see [`PlayerRow::component`].
    pub const fn components(&self) -> usize {
        self.fit.pools
    }

    /// How games connect the rated players.
    pub const fn connection(&self) -> PlayerGroups {
        self.fit.connection
    }

    /// The results of the player in row `row` against the player in row `opponent`.
    pub fn versus(&self, row: usize, opponent: usize) -> Wdl {
        let key = (self.places[row].index, self.places[opponent].index);
        self.crosstable.get(&key).copied().unwrap_or_default()
    }

    /// The probability that the player in row `row` is stronger than the player in row `other`; see
    /// [`Fit::superiority_by`].
    pub fn superiority(&self, row: usize, other: usize) -> Option<f64> {
        self.superiority_by(row, other, Elo(0.0))
    }

    /// The probability that the player in row `row` is stronger than the player in row `other` by more than `lead`.
    pub fn superiority_by(&self, row: usize, other: usize, lead: Elo) -> Option<f64> {
        self.fit.superiority_by(self.places[row].fitted?, self.places[other].fitted?, lead)
    }

    /// The probability that the rating of the player in row `row` is above `elo`; see [`Fit::superiority_over`].
    pub fn superiority_over(&self, row: usize, elo: Elo) -> Option<f64> {
        self.fit.superiority_over(self.places[row].fitted?, elo)
    }
}

/// The indices of a player's figures.
#[derive(Clone, Copy, Debug)]
struct RowPlace {
    /// The index in the fit, if the player has a rated game.
    fitted: Option<usize>,
    /// The index in the tally.
    index: usize,
    is_ranked: bool,
}

/// Numbers the components from 1, in the order in which they are first mentioned.
#[derive(Default)]
struct Components {
    last: usize,
    of_pool: HashMap<usize, usize>,
}

impl Components {
    /// The number of `pool`. Each player without a pool gets a separate number.
    fn number(&mut self, pool: Option<usize>) -> usize {
        let known = pool.and_then(|pool| self.of_pool.get(&pool)).copied();
        known.unwrap_or_else(|| {
            self.last += 1;
            pool.map(|pool| self.of_pool.insert(pool, self.last));
            self.last
        })
    }
}

#[cfg(test)]
pub(super) mod group_tests;
#[cfg(test)]
pub(super) mod tests;
