//! The standings of a field: a fold of games into points, forfeits, a crosstable and ratings.
//!
//! A [`Tally`] takes one [`GameSummary`] after another, in any order, in memory proportional to the number of pairs of
//! players. The [`Standings`] follow from it.

mod game_summary;
mod pairs;
mod repeats;
mod run_state;
mod tally;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use thiserror::Error;

use crate::game::rules::BySide;
use crate::referee::result::Termination;
use crate::referee::usage::Total;
use crate::results::analysis::Accuracy;
use crate::results::rating::{Bootstrap, DrawTendency, Elo, Fit, Model, Prior, Rating, Wdl};
pub use game_summary::GameSummary;
pub use pairs::played_pairs;
pub use repeats::duplicates;
pub use run_state::{MissingGame, MissingGames, RunState, Test};
pub use tally::{Counting, GameCounts, Tally};

/// How to rate the players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RatingOptions {
    /// The model of the ratings.
    pub model: Model,
    /// What the fit assumes before the first game.
    pub prior: Prior,
    /// The player whose rating is set. Without an anchor, the mean of all players is 0.
    pub anchor: Option<Anchor>,
    /// How to draw the error bars, if not by the normal approximation.
    pub bootstrap: Option<Bootstrap>,
}

/// A player whose rating is given. An anchor moves the zero and nothing else.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor {
    /// The player.
    pub player: String,
    /// The rating.
    pub elo: Elo,
}

/// Why a player cannot be the anchor.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AnchorError {
    /// No player has this name.
    #[error("no player is named `{name}`")]
    Unknown {
        /// The name.
        name: String,
    },
    /// The player's rating is unbounded.
    #[error("`{name}` cannot be the anchor: without a prior, its rating is unbounded")]
    Unbounded {
        /// The player.
        name: String,
    },
}

/// One player's place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerRow {
    /// The rank, from 1. Players with the same Elo (to a hundredth) and the same points share a rank.
    pub rank: usize,
    /// The player.
    pub player: String,
    /// The player's rating.
    pub rating: Rating,
    /// Half the 95 % interval, see [`crate::results::rating::PlayerRating::error95`].
    pub error95: Option<Elo>,
    /// The player's pool, from 1; pools are numbered by their best players. See [`crate::results::rating::PlayerRating::pool`].
    pub component: usize,
    /// The player's results with each colour, where a double forfeit is a loss.
    pub by_side: BySide<Wdl>,
    /// The player's stones minus its opponents', over all games with a margin.
    pub margin: i64,
    /// How often the player forfeited, by kind, double forfeits included, whatever [`Counting`] leaves out.
    pub forfeits: BTreeMap<Termination, u64>,
    /// How many of the player's games repeat another one, see [`GameCounts::duplicates`].
    pub duplicates: u64,
    /// What the player's processes used in games with a result, whatever [`Counting`] leaves out.
    pub usage: Total,
    /// How often the player lost on time with little CPU used, see [`GameCounts::idle_time_losses`].
    pub idle_time_losses: u64,
    /// How accurately the player played, if its games were judged, see [`Standings::with_accuracy`].
    pub accuracy: Option<Accuracy>,
}

impl PlayerRow {
    /// Results with both colours.
    pub fn total(&self) -> Wdl {
        self.by_side.black + self.by_side.white
    }

    /// How often the player forfeited.
    pub fn forfeit_count(&self) -> u64 {
        self.forfeits.values().sum()
    }
}

/// The standings of a field.
#[derive(Clone, Debug)]
pub struct Standings {
    rows: Vec<PlayerRow>,
    counts: GameCounts,
    counting: Counting,
    anchor: Option<Anchor>,
    fit: Fit,
    /// For each row, the player's index in `fit` and in `crosstable`.
    indices: Vec<(usize, usize)>,
    crosstable: HashMap<(usize, usize), Wdl>,
    run: RunState,
}

impl Standings {
    /// The standings after the games of `tally`: by Elo, then points, then name.
    ///
    /// # Errors
    /// When the anchor names no player, or a player without a finite rating.
    pub fn new(tally: &Tally, options: &RatingOptions) -> Result<Self, AnchorError> {
        let mut fit = Fit::new(tally.rated(), options.model, options.prior);
        if let Some(bootstrap) = options.bootstrap {
            fit.bootstrap(tally.rated(), bootstrap);
        }
        // Sort before anchoring: the anchor's rounding must not change the order.
        let mut order: Vec<(usize, usize)> = tally.rated().players().map(|(_, index)| index).enumerate().collect();
        let by_side = by_side(tally);
        let merit = |&(fitted, index): &(usize, usize)| {
            let half_points = (by_side[index].black + by_side[index].white).half_points();
            Reverse((fit.players[fitted].rating.elo().hundredths(), half_points))
        };
        // The sort is stable, and the fit holds the players in the order of their names.
        order.sort_by_key(merit);
        let merits: Vec<_> = order.iter().map(merit).collect();
        if let Some(anchor) = &options.anchor {
            set_anchor(&mut fit, anchor)?;
        }
        let mut components = Components::default();
        let mut rank = 0;
        let mut rows = Vec::with_capacity(order.len());
        for (place, &(fitted, index)) in order.iter().enumerate() {
            if place == 0 || merits[place] != merits[place - 1] {
                rank = place + 1;
            }
            let (rated, facts) = (&fit.players[fitted], tally.facts(index));
            rows.push(PlayerRow {
                rank,
                player: rated.name.clone(),
                rating: rated.rating,
                error95: rated.error95,
                component: components.number(rated.pool),
                by_side: by_side[index],
                margin: facts.margin,
                forfeits: facts.forfeits.clone(),
                duplicates: facts.duplicates,
                usage: facts.usage,
                idle_time_losses: facts.idle_time_losses,
                accuracy: None,
            });
        }
        let (counts, counting) = (tally.counts(), tally.counting());
        let anchor = options.anchor.clone();
        Ok(Self {
            rows,
            counts,
            counting,
            anchor,
            fit,
            indices: order,
            crosstable: crosstable(tally),
            run: RunState::default(),
        })
    }

    /// Adds how accurately players played. A player without any judged move gets an empty accuracy.
    #[must_use]
    pub fn with_accuracy(mut self, players: &BTreeMap<String, Accuracy>) -> Self {
        for row in &mut self.rows {
            row.accuracy = Some(players.get(&row.player).copied().unwrap_or_default());
        }
        self
    }

    /// Adds what is known of the run.
    #[must_use]
    pub fn of_run(self, run: RunState) -> Self {
        Self { run, ..self }
    }

    /// What is known of the run, which is nothing unless [`Standings::of_run`] added it.
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

    /// The player whose rating was set.
    pub const fn anchor(&self) -> Option<&Anchor> {
        self.anchor.as_ref()
    }

    /// The model behind the ratings.
    pub const fn model(&self) -> Model {
        self.fit.model
    }

    /// What the ratings assume before the first game.
    pub const fn prior(&self) -> Prior {
        self.fit.prior
    }

    /// How the error bars were drawn, if not by the normal approximation.
    pub const fn bootstrap(&self) -> Option<Bootstrap> {
        self.fit.bootstrap
    }

    /// Black's first-move advantage in Elo, and half its 95 % interval.
    pub const fn advantage(&self) -> (Rating, Option<Elo>) {
        (self.fit.advantage, self.fit.advantage_error95)
    }

    /// How often equally strong players draw.
    pub const fn draws(&self) -> DrawTendency {
        self.fit.draws
    }

    /// How many components there are, see [`PlayerRow::component`].
    pub const fn components(&self) -> usize {
        self.fit.pools
    }

    /// The results of the player in row `row` against the one in row `opponent`.
    pub fn versus(&self, row: usize, opponent: usize) -> Wdl {
        let key = (self.indices[row].1, self.indices[opponent].1);
        self.crosstable.get(&key).copied().unwrap_or_default()
    }

    /// The probability that the player in row `row` is stronger than the one in row `other`, see [`Fit::superiority_by`].
    pub fn superiority(&self, row: usize, other: usize) -> Option<f64> {
        self.superiority_by(row, other, Elo(0.0))
    }

    /// The probability that the player in row `row` is stronger than the one in row `other` by more than `lead`.
    pub fn superiority_by(&self, row: usize, other: usize, lead: Elo) -> Option<f64> {
        self.fit.superiority_by(self.indices[row].0, self.indices[other].0, lead)
    }
}

fn set_anchor(fit: &mut Fit, anchor: &Anchor) -> Result<(), AnchorError> {
    let name = || anchor.player.clone();
    let Some(index) = fit.players.iter().position(|player| player.name == anchor.player) else {
        return Err(AnchorError::Unknown { name: name() });
    };
    if fit.anchor(index, anchor.elo) { Ok(()) } else { Err(AnchorError::Unbounded { name: name() }) }
}

/// The results of all ordered pairs as black and as white see them: a double forfeit is a loss for both.
fn seen(tally: &Tally) -> impl Iterator<Item = ((usize, usize), BySide<Wdl>)> {
    let rated = tally.rated().pairs().map(|(pair, games)| (pair, BySide { black: games, white: games.reversed() }));
    let lost = tally.double_forfeits().iter().map(|(&pair, &losses)| {
        let lost = Wdl { losses, ..Wdl::default() };
        (pair, BySide { black: lost, white: lost })
    });
    rated.chain(lost)
}

/// Each player's results with each colour.
fn by_side(tally: &Tally) -> Vec<BySide<Wdl>> {
    let mut by_side = vec![BySide::<Wdl>::default(); tally.players().count()];
    for ((black, white), games) in seen(tally) {
        by_side[black].black += games.black;
        by_side[white].white += games.white;
    }
    by_side
}

/// The results of each player against each opponent, as the player sees them.
fn crosstable(tally: &Tally) -> HashMap<(usize, usize), Wdl> {
    let mut crosstable: HashMap<(usize, usize), Wdl> = HashMap::new();
    for ((black, white), games) in seen(tally) {
        *crosstable.entry((black, white)).or_default() += games.black;
        *crosstable.entry((white, black)).or_default() += games.white;
    }
    crosstable
}

/// Numbers from 1 in the order of first mention.
#[derive(Default)]
struct Components(HashMap<usize, usize>);

impl Components {
    fn number(&mut self, pool: usize) -> usize {
        let next = self.0.len() + 1;
        *self.0.entry(pool).or_insert(next)
    }
}
