//! A test in progress, which receives pairs in the order of the schedule.

use std::collections::HashSet;
use std::fmt;

use super::{LeadEstimate, Pentanomial, Sprt};
use crate::base::units::counted;
use crate::base::word_enum::words;

/// The outcome of a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SprtVerdict {
    /// No bound has been crossed.
    #[default]
    Undecided,
    /// The first player's advantage is `elo0` rather than `elo1`.
    H0,
    /// The first player's advantage is `elo1` rather than `elo0`.
    H1,
}

words! { pub SprtVerdict; Undecided => "undecided", H0 => "H0", H1 => "H1" }

/// Two games with colours swapped, both of which count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayedPair {
    /// The first player's half points, 0 to 4.
    pub half_points: u8,
    /// The fingerprints of the moves of the game in which the first player had black, and of the other game; `None` if
    /// a game had no moves, in which case the pair never counts as a repeat.
    pub moves: Option<[u64; 2]>,
}

/// How far a test has progressed.
///
/// Once a bound has been crossed, further pairs have no effect: the verdict depends only on the first pairs in order,
/// however many others were in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SprtProgress {
    sprt: Sprt,
    pairs: Pentanomial,
    repeats: u64,
    /// The number of repeats in a row, up to the last pair; 0 if that pair was not a repeat.
    repeats_in_a_row: u64,
    /// How many pairs have been completed up to the end of the test, including those with a double forfeit.
    completed: u32,
    llr: f64,
    verdict: SprtVerdict,
}

impl SprtProgress {
    /// The number of repeated pairs in a row after which a test ends without a verdict, because the players no longer
    /// produce new games.
    pub const MOST_REPEATS_IN_A_ROW: u64 = 100;

    /// Returns whether further pairs no longer have an effect, because there is a verdict or the last pairs were all
    /// repeats.
    pub fn is_over(&self) -> bool {
        self.verdict != SprtVerdict::Undecided || self.repeats_in_a_row >= Self::MOST_REPEATS_IN_A_ROW
    }

    /// Returns the question of the test.
    pub const fn sprt(&self) -> &Sprt {
        &self.sprt
    }

    /// Returns the pairs that count.
    pub const fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Returns how many further pairs repeated one of those that count.
    pub const fn repeats(&self) -> u64 {
        self.repeats
    }

    /// Returns how many pairs the test has seen, including those that repeat earlier ones.
    pub fn all_pairs(&self) -> u64 {
        self.pairs.pairs() + self.repeats
    }

    /// Returns the last round that counts, where each pair is a round; `None` while the test continues, because all
    /// rounds then count. Games of later rounds were in progress when the test ended. Their number depends on how many
    /// games are played at the same time.
    pub fn last_round(&self) -> Option<u32> {
        self.is_over().then_some(self.completed)
    }

    /// Returns the log-likelihood ratio of the pairs that count.
    pub const fn llr(&self) -> f64 {
        self.llr
    }

    /// Returns the outcome of the test so far.
    pub const fn verdict(&self) -> SprtVerdict {
        self.verdict
    }

    /// Returns the first player's lead with an interval that allows for the stopping rule; `None` if no pair counts.
    pub fn lead(&self) -> Option<LeadEstimate> {
        LeadEstimate::of(self)
    }
}

/// Writes the progress as `LLR 1.23 (-2.94, 2.94), 57 pairs, 4 of them distinct, by score 0-1-2-1-0, nElo 0.0 ± 240.7,
/// undecided`.
impl fmt::Display for SprtProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sprt, pairs, repeats, repeats_in_a_row, llr, verdict, completed: _ } = self;
        let (lower, upper, distinct) = (sprt.lower(), sprt.upper(), pairs.pairs());
        write!(f, "LLR {llr:.2} ({lower:.2}, {upper:.2}), {}", counted(self.all_pairs(), "pair"))?;
        match (*repeats, distinct) {
            (0, 0 | 1) => {}
            (0, _) => f.write_str(", all distinct")?,
            _ => write!(f, ", {distinct} of them distinct")?,
        }
        if distinct > 0 {
            write!(f, ", by score {pairs}")?;
        }
        if let Some(nelo) = pairs.normalized_elo() {
            write!(f, ", nElo {nelo}")?;
        }
        write!(f, ", {verdict}")?;
        if *verdict == SprtVerdict::Undecided && self.is_over() {
            write!(f, ": the last {repeats_in_a_row} pairs repeat earlier ones")?;
        }
        Ok(())
    }
}

/// A test, and the pairs that it has seen.
#[derive(Clone, Debug, PartialEq)]
pub struct TestedPairs {
    progress: SprtProgress,
    seen: HashSet<[u64; 2]>,
}

impl TestedPairs {
    /// Starts the test, before its first pair.
    pub fn new(sprt: Sprt) -> Self {
        let (pairs, verdict) = (Pentanomial::default(), SprtVerdict::Undecided);
        Self {
            progress: SprtProgress { sprt, pairs, repeats: 0, repeats_in_a_row: 0, completed: 0, llr: 0.0, verdict },
            seen: HashSet::new(),
        }
    }

    /// Skips the next pair, because one of its games ended in a double forfeit. Such games are not rated.
    pub const fn pass_over(&mut self) {
        self.progress.completed += 1;
    }

    /// Adds the next pair.
    pub fn add(&mut self, pair: PlayedPair) {
        let progress = &mut self.progress;
        if progress.is_over() {
            return;
        }
        progress.completed += 1;
        if pair.moves.is_some_and(|moves| !self.seen.insert(moves)) {
            progress.repeats += 1;
            progress.repeats_in_a_row += 1;
            return;
        }
        progress.repeats_in_a_row = 0;
        progress.pairs.add(pair.half_points);
        progress.llr = progress.sprt.llr(&progress.pairs);
        if progress.llr >= progress.sprt.upper() {
            progress.verdict = SprtVerdict::H1;
        } else if progress.llr <= progress.sprt.lower() {
            progress.verdict = SprtVerdict::H0;
        }
    }

    /// Returns how far the test has progressed.
    pub const fn progress(&self) -> &SprtProgress {
        &self.progress
    }
}

impl Extend<PlayedPair> for TestedPairs {
    fn extend<T: IntoIterator<Item = PlayedPair>>(&mut self, pairs: T) {
        pairs.into_iter().for_each(|pair| self.add(pair));
    }
}
