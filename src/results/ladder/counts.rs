//! The results of a ladder's games, by ordered pair of versions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::game::Side;
use crate::results::rating::Wdl;

/// How a pairing was selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Selection {
    /// At random, regardless of the results so far.
    Drawn,
    /// Because of the results so far.
    Chosen,
}

/// How many games of an ordered pair black won, drew and lost.
type PairCount = [u32; 3];

/// The results of all games and, separately, of the games whose pairings were drawn at random. Only the first game of
/// an ordered pair takes memory; further games of the pair take none.
///
/// The serialized form has a row for each version that played black. A row contains the version, followed by four
/// numbers for each opponent: the distance from the previous opponent, wins, draws, losses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "StoredCounts", try_from = "StoredCounts")]
pub struct LadderCounts {
    all: BTreeMap<(u32, u32), PairCount>,
    drawn: BTreeMap<(u32, u32), PairCount>,
    /// The number of games that each version has played.
    games: Vec<u64>,
    total: u64,
}

impl LadderCounts {
    /// Adds a game of two versions, given by their positions in the list of versions.
    pub fn add(&mut self, black: usize, white: usize, winner: Option<Side>, selection: Selection) {
        let result = match winner {
            Some(Side::Black) => [1, 0, 0],
            None => [0, 1, 0],
            Some(Side::White) => [0, 0, 1],
        };
        let pair = (narrow(black), narrow(white));
        add(&mut self.all, pair, result);
        if selection == Selection::Drawn {
            add(&mut self.drawn, pair, result);
        }
        self.count(pair, 1);
    }

    /// Removes the games in `later`, which had been added to these counts.
    pub fn take_back(&mut self, later: &Self) {
        for (counts, later) in [(&mut self.all, &later.all), (&mut self.drawn, &later.drawn)] {
            for (pair, games) in later {
                let Some(count) = counts.get_mut(pair) else { continue };
                for (count, games) in count.iter_mut().zip(games) {
                    *count = count.saturating_sub(*games);
                }
                if *count == [0; 3] {
                    counts.remove(pair);
                }
            }
        }
        for (games, later) in self.games.iter_mut().zip(&later.games) {
            *games = games.saturating_sub(*later);
        }
        self.total = self.total.saturating_sub(later.total);
    }

    /// Returns whether the games in `part` may all be among the games counted here.
    pub fn contains(&self, part: &Self) -> bool {
        first_beyond(&part.all, &self.all).or_else(|| first_beyond(&part.drawn, &self.drawn)).is_none()
    }

    /// Returns a number of versions that is large enough to include all versions that have played.
    pub const fn players(&self) -> usize {
        self.games.len()
    }

    /// Adds `games` to the numbers of games of `black` and `white`, and to the total.
    fn count(&mut self, (black, white): (u32, u32), games: u64) {
        self.total += games;
        let needed = wide(black.max(white)) + 1;
        if self.games.len() < needed {
            self.games.resize(needed, 0);
        }
        self.games[wide(black)] += games;
        self.games[wide(white)] += games;
    }

    /// Returns the number of games.
    pub const fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of games of `version`.
    pub fn games_of(&self, version: usize) -> u64 {
        self.games.get(version).copied().unwrap_or(0)
    }

    /// Returns the games of `black` against `white`, from black's point of view.
    pub fn pair(&self, black: usize, white: usize) -> Wdl {
        self.all.get(&(narrow(black), narrow(white))).map_or(Wdl::default(), wdl)
    }

    /// Returns all games of `version`, from its point of view, regardless of its colour.
    pub fn results_of(&self, version: usize) -> Wdl {
        let own = narrow(version);
        let as_black = self.all.range((own, 0)..=(own, u32::MAX)).map(|(_, count)| wdl(count));
        let as_white = self.all.iter().filter(|((black, white), _)| *white == own && *black != own);
        as_black.chain(as_white.map(|(_, count)| wdl(count).reversed())).fold(Wdl::default(), |sum, games| sum + games)
    }

    /// Returns the games of all ordered pairs that met, in order, from black's point of view.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize, Wdl)> {
        rows(&self.all)
    }

    /// Like [`LadderCounts::pairs`], but returns only the games whose pairings were drawn at random.
    pub fn drawn_pairs(&self) -> impl Iterator<Item = (usize, usize, Wdl)> {
        rows(&self.drawn)
    }

    /// Like [`LadderCounts::pairs`], but returns only the games whose pairings were chosen.
    pub fn chosen_pairs(&self) -> impl Iterator<Item = (usize, usize, Wdl)> {
        let chosen = |(&pair, &all): (&(u32, u32), &PairCount)| {
            let [wins, draws, losses] = self.drawn.get(&pair).copied().unwrap_or_default();
            let count = [all[0] - wins, all[1] - draws, all[2] - losses];
            (count != [0; 3]).then(|| (wide(pair.0), wide(pair.1), wdl(&count)))
        };
        self.all.iter().filter_map(chosen)
    }
}

/// Returns the first pair that has more wins, draws or losses in `part` than in `all`.
fn first_beyond(part: &BTreeMap<(u32, u32), PairCount>, all: &BTreeMap<(u32, u32), PairCount>) -> Option<(u32, u32)> {
    let few = [0; 3];
    let is_beyond = |(pair, games): &(&(u32, u32), &PairCount)| {
        games.iter().zip(all.get(pair).unwrap_or(&few)).any(|(some, all)| some > all)
    };
    part.iter().find(is_beyond).map(|(pair, _)| *pair)
}

fn add(counts: &mut BTreeMap<(u32, u32), PairCount>, pair: (u32, u32), result: PairCount) {
    for (count, more) in counts.entry(pair).or_default().iter_mut().zip(result) {
        *count = count.saturating_add(more);
    }
}

fn rows(counts: &BTreeMap<(u32, u32), PairCount>) -> impl Iterator<Item = (usize, usize, Wdl)> {
    counts.iter().map(|(&(black, white), count)| (wide(black), wide(white), wdl(count)))
}

fn wdl(&[wins, draws, losses]: &PairCount) -> Wdl {
    Wdl { wins: wins.into(), draws: draws.into(), losses: losses.into() }
}

/// Converts the number of a version. A ladder has far fewer than four billion versions, so the number always fits.
fn narrow(version: usize) -> u32 {
    u32::try_from(version).unwrap_or(u32::MAX)
}

fn wide(version: u32) -> usize {
    usize::try_from(version).unwrap_or(usize::MAX)
}

/// Why stored counts are unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CountsProblem {
    /// A row does not have four numbers for each opponent, or has no opponents.
    #[error("the row of version {black} is incomplete")]
    Incomplete {
        /// The version of the row.
        black: u32,
    },
    /// A pair occurs twice or out of order.
    #[error("the rows or the opponents of version {black} are not in order")]
    Disorder {
        /// The version of the row.
        black: u32,
    },
    /// A version's number is too high.
    #[error("the version number {version} is too high")]
    TooHigh {
        /// The version.
        version: u32,
    },
    /// A pair has more randomly drawn games than games in total.
    #[error("version {black} has more randomly drawn games against version {white} than games in total")]
    TooManyDrawn {
        /// The pair's first version.
        black: u32,
        /// The pair's second version.
        white: u32,
    },
}

/// The serialized form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCounts {
    all: Vec<(u32, Vec<u32>)>,
    drawn: Vec<(u32, Vec<u32>)>,
}

impl From<LadderCounts> for StoredCounts {
    fn from(counts: LadderCounts) -> Self {
        Self { all: stored(&counts.all), drawn: stored(&counts.drawn) }
    }
}

impl TryFrom<StoredCounts> for LadderCounts {
    type Error = CountsProblem;

    fn try_from(stored: StoredCounts) -> Result<Self, CountsProblem> {
        let mut counts = Self { all: read(&stored.all)?, drawn: read(&stored.drawn)?, ..Self::default() };
        let too_many = first_beyond(&counts.drawn, &counts.all);
        if let Some((black, white)) = too_many {
            return Err(CountsProblem::TooManyDrawn { black, white });
        }
        let pairs: Vec<((u32, u32), u64)> =
            counts.all.iter().map(|(&pair, count)| (pair, wdl(count).games())).collect();
        for (pair, games) in pairs {
            counts.count(pair, games);
        }
        Ok(counts)
    }
}

fn stored(counts: &BTreeMap<(u32, u32), PairCount>) -> Vec<(u32, Vec<u32>)> {
    let mut rows: Vec<(u32, Vec<u32>)> = Vec::new();
    let mut last = 0;
    for (&(black, white), count) in counts {
        if rows.last().is_none_or(|(row, _)| *row != black) {
            rows.push((black, Vec::new()));
            last = 0;
        }
        if let Some((_, row)) = rows.last_mut() {
            row.push(white - last);
            row.extend(count);
        }
        last = white;
    }
    rows
}

fn read(rows: &[(u32, Vec<u32>)]) -> Result<BTreeMap<(u32, u32), PairCount>, CountsProblem> {
    /// A number of versions that no ladder ever reaches. This limit bounds the memory that a damaged file can claim.
    const MOST_VERSIONS: u32 = 1 << 24;

    let mut counts = BTreeMap::new();
    let mut last = None;
    for (black, row) in rows {
        let (black, mut white) = (*black, 0_u32);
        let (cells, rest) = row.as_chunks::<4>();
        if !rest.is_empty() || cells.is_empty() {
            return Err(CountsProblem::Incomplete { black });
        }
        for &[distance, wins, draws, losses] in cells {
            white = white.saturating_add(distance);
            if black.max(white) >= MOST_VERSIONS {
                return Err(CountsProblem::TooHigh { version: black.max(white) });
            }
            if last.is_some_and(|last| (black, white) <= last) {
                return Err(CountsProblem::Disorder { black });
            }
            last = Some((black, white));
            counts.insert((black, white), [wins, draws, losses]);
        }
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn winner(number: u8) -> Option<Side> {
        [Some(Side::Black), None, Some(Side::White)][usize::from(number % 3)]
    }

    proptest! {
        #[test]
        fn what_is_stored_is_read_back(games in prop::collection::vec((0..9_usize, 0..9_usize, any::<u8>(), any::<bool>()), 0..60)) {
            let mut counts = LadderCounts::default();
            for &(black, white, result, is_drawn) in &games {
                counts.add(black, white, winner(result), if is_drawn { Selection::Drawn } else { Selection::Chosen });
            }
            let text = serde_json::to_string(&counts).unwrap();
            prop_assert_eq!(serde_json::from_str::<LadderCounts>(&text).unwrap(), counts.clone());
            prop_assert_eq!(counts.total(), games.len() as u64);
            let sum = |pairs: Vec<(usize, usize, Wdl)>| pairs.iter().map(|(_, _, games)| games.games()).sum::<u64>();
            prop_assert_eq!(sum(counts.pairs().collect()), counts.total());
            prop_assert_eq!(
                sum(counts.drawn_pairs().collect()) + sum(counts.chosen_pairs().collect()), counts.total()
            );
        }
    }

    #[test]
    fn the_stored_form_is_short() {
        let mut counts = LadderCounts::default();
        for (black, white) in [(1, 4), (1, 2), (0, 1), (1, 4)] {
            counts.add(black, white, Some(Side::White), Selection::Chosen);
        }
        counts.add(1, 2, None, Selection::Drawn);
        let text = r#"{"all":[[0,[1,0,0,1]],[1,[2,0,1,1,2,0,0,2]]],"drawn":[[1,[2,0,1,0]]]}"#;
        assert_eq!(serde_json::to_string(&counts).unwrap(), text);
        assert_eq!((counts.games_of(1), counts.games_of(3), counts.games_of(99)), (5, 0, 0));
        assert_eq!(counts.results_of(1), Wdl { wins: 1, draws: 1, losses: 3 });
    }

    #[test]
    fn damaged_counts_are_refused() {
        for (text, problem) in [
            (r#"{"all":[[3,[1,0,0]]],"drawn":[]}"#, "the row of version 3 is incomplete"),
            (
                r#"{"all":[[3,[1,0,0,1,0,0,0,1]]],"drawn":[]}"#,
                "the rows or the opponents of version 3 are not in order",
            ),
            (r#"{"all":[[3,[1,0,0,1]],[2,[1,0,0,1]]],"drawn":[]}"#, "the rows or the opponents of version 2"),
            (r#"{"all":[[4000000000,[1,0,0,1]]],"drawn":[]}"#, "the version number 4000000000 is too high"),
            (
                r#"{"all":[],"drawn":[[3,[1,0,0,1]]]}"#,
                "version 3 has more randomly drawn games against version 1 than games in total",
            ),
        ] {
            let error = serde_json::from_str::<LadderCounts>(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
