//! What the facts say about the bot.
//!
//! A scenario's judgement consists of [`Check`]s, each of which looks at one game for one thing.

pub(super) mod captures;
pub(super) mod coming;
pub(super) mod costs;
pub(super) mod counts;
pub(super) mod course;
pub(super) mod leaving;
pub(super) mod passes;
pub(super) mod refusals;

use super::BoutFacts;

/// What the facts of a scenario say about the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The finding.
    pub finding: Finding,
    /// What the bot did, in one or two sentences; printable.
    pub summary: String,
    /// The index of the game that decides.
    pub decisive: usize,
}

/// How the bot did, the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// As the scenario expects.
    Good,
    /// Told, and not judged.
    Told,
    /// No result is lost, but somebody will be sorry: a warning at any level.
    Poor,
    /// As the scenario forbids.
    Bad,
    /// The scenario took too long.
    TooLong,
}

/// What a check found: how bad it is, and a sentence or two about it, printable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shortfall {
    finding: Finding,
    summary: String,
}

impl Shortfall {
    fn bad(summary: impl Into<String>) -> Self {
        Self { finding: Finding::Bad, summary: summary.into() }
    }

    fn poor(summary: impl Into<String>) -> Self {
        Self { finding: Finding::Poor, summary: summary.into() }
    }

    fn told(summary: impl Into<String>) -> Self {
        Self { finding: Finding::Told, summary: summary.into() }
    }
}

/// Looks for one thing in one game; `None` if all is well.
pub(super) type Check = fn(&BoutFacts) -> Option<Shortfall>;

impl Judgement {
    pub(super) const fn good() -> Self {
        Self { finding: Finding::Good, summary: String::new(), decisive: 0 }
    }
}

/// The worst that `checks` find in `games`, the first of equals.
pub(super) fn worst(games: &[BoutFacts], checks: &[Check]) -> Judgement {
    let mut judgement = Judgement::good();
    for (decisive, game) in games.iter().enumerate() {
        for Shortfall { finding, summary } in checks.iter().filter_map(|check| check(game)) {
            if finding > judgement.finding {
                judgement = Judgement { finding, summary, decisive };
            }
        }
    }
    judgement
}
