//! The standings of a live page, fitted again now and then, and how the ratings came about.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use super::roster::{Roster, ShownPlayer};
use crate::results::rating::{Elo, Wdl};
use crate::results::standings::{Counting, GameSummary, PlayerRow, RatingOptions, Standings, Tally};

/// How often to fit the ratings at most.
const FIT_EVERY: Duration = Duration::from_secs(2);

/// How many times as long as a fit itself to wait until the next one.
const REST: u32 = 50;

/// How many cuts the course of the ratings has at most.
const CUTS: usize = 50;

/// A player's place, as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct PlaceObject {
    n: String,
    s: String,
    rank: usize,
    elo: Option<i64>,
    e95: Option<i64>,
    pts: f64,
    g: [u64; 3],
    b: [u64; 3],
    f: BTreeMap<&'static str, u64>,
    acc: Option<()>,
}

/// The ratings after parts of the games, as JSON: see `over` of the page.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct CourseObject {
    at: Vec<u64>,
    elo: Vec<Vec<Option<i64>>>,
    e95: Vec<Vec<Option<i64>>>,
}

/// The standings so far.
#[derive(Debug, Default)]
pub(crate) struct Ladder {
    tally: Tally,
    games: u64,
    /// Whether games have been added since the last fit.
    is_stale: bool,
    next_fit: Duration,
    places: Vec<PlaceObject>,
    course: CourseObject,
}

impl Ladder {
    /// The standings before the first game.
    pub(crate) fn new(roster: &Roster) -> Self {
        let mut ladder = Self { tally: Tally::new(Counting::default()), ..Self::default() };
        ladder.fit(roster);
        ladder
    }

    /// Adds a game.
    pub(crate) fn add(&mut self, game: &GameSummary) {
        self.tally.add(game);
        self.games += 1;
        self.is_stale = true;
    }

    /// Whether to fit the ratings now, at the time `at`.
    pub(crate) fn wants_fit(&self, at: Duration) -> bool {
        self.is_stale && at >= self.next_fit
    }

    /// The last fit was made at `at` and took `cost`, which decides when the next one may be.
    pub(crate) fn rest(&mut self, at: Duration, cost: Duration) {
        self.next_fit = at + FIT_EVERY.max(cost * REST);
    }

    /// Fits the ratings to all games so far.
    pub(crate) fn fit(&mut self, roster: &Roster) {
        self.is_stale = false;
        // Without an anchor, there is nothing that a fit could refuse.
        let Ok(standings) = Standings::new(&self.tally, &RatingOptions::default()) else { return };
        let rows: BTreeMap<&str, &PlayerRow> = standings.rows().iter().map(|row| (row.player.as_str(), row)).collect();
        let last = standings.rows().len() + 1;
        let place = |player: &ShownPlayer| PlaceObject::new(player, rows.get(player.name.as_str()).copied(), last);
        self.places = roster.players().iter().map(place).collect();
        self.cut();
    }

    /// Adds the ratings of now to their course. A course that has become too long loses every second cut.
    fn cut(&mut self) {
        if self.games == 0 {
            return;
        }
        let Self { course: CourseObject { at, elo, e95 }, places, games, .. } = self;
        if at.last() == Some(games) {
            at.pop();
            elo.iter_mut().chain(&mut *e95).for_each(|cuts| cuts.truncate(at.len()));
        }
        at.push(*games);
        for (courses, value) in [(elo, (|place| place.elo) as fn(&PlaceObject) -> _), (e95, |place| place.e95)] {
            // A player may be new.
            courses.resize_with(places.len(), || vec![None; at.len() - 1]);
            for (cuts, place) in courses.iter_mut().zip(&*places) {
                cuts.push(value(place).filter(|_| place.g.iter().sum::<u64>() > 0));
            }
            if at.len() > CUTS {
                courses.iter_mut().for_each(|cuts| halve(cuts));
            }
        }
        if at.len() > CUTS {
            halve(at);
        }
    }

    /// The Elo of the player with this number, if it has one.
    pub(crate) fn elo(&self, player: usize) -> Option<i64> {
        self.places.get(player).filter(|place| place.g.iter().sum::<u64>() > 0).and_then(|place| place.elo)
    }

    /// The players, as a JSON array in the order of their numbers.
    pub(crate) fn players(&self) -> String {
        json(&self.places)
    }

    /// The course of the ratings, as a JSON object.
    pub(crate) fn course(&self) -> String {
        json(&self.course)
    }
}

/// Keeps every second of `cuts`, and always the last.
fn halve<T>(cuts: &mut Vec<T>) {
    let mut keep = cuts.len() % 2 == 0;
    cuts.retain(|_| {
        keep = !keep;
        keep
    });
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("numbers and strings are JSON")
}

impl PlaceObject {
    /// The place of `player`, whose row is `row`; a player without games shares the rank `last`.
    fn new(player: &ShownPlayer, row: Option<&PlayerRow>, last: usize) -> Self {
        let ShownPlayer { shown, shown_slug, .. } = player;
        let named = Self { n: shown.clone(), s: shown_slug.clone(), rank: last, ..Self::default() };
        let Some(row) = row else { return named };
        let total = row.total();
        Self {
            rank: row.rank,
            elo: row.rating.finite().map(whole),
            e95: row.error95.map(whole),
            pts: half(total.half_points()),
            g: counts(total),
            b: counts(row.by_side.black),
            f: row.forfeits.iter().map(|(kind, &count)| (kind.name(), count)).collect(),
            ..named
        }
    }
}

const fn counts(Wdl { wins, draws, losses }: Wdl) -> [u64; 3] {
    [wins, draws, losses]
}

fn half(half_points: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "nobody plays 2^52 games")]
    let points = half_points as f64 / 2.0;
    points
}

/// The nearest whole number of Elo.
const fn whole(elo: Elo) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any rating")]
    let whole = elo.0.round() as i64;
    whole
}
