//! Detects which confinement works on this machine.

use std::io;
use std::path::Path;

use thiserror::Error;

use super::Tier;
use super::cage_error::{CageError, io_error};
use super::cgroup::Accounting;
use super::connection_peer;
use super::control_messages::{Blame, Failed};
use super::root;
use super::self_test::{Bait, Demonstration};

/// An error that prevents the arena from finding out whether a tier works.
#[derive(Debug, Error)]
#[error("could not determine whether confinement tier {tier} works here: {error}")]
pub(crate) struct Undecided {
    /// The tier.
    pub tier: Tier,
    /// The error.
    pub error: CageError,
}

/// The best confinement that works on this machine.
#[derive(Debug)]
pub(crate) struct Detected {
    /// The tier.
    pub tier: Tier,
    /// How the memory of bots is counted in this tier.
    pub accounting: Accounting,
    /// The result of the self-test in the tier; `None` for [`Tier::D`], which prevents nothing.
    pub shown: Option<Demonstration>,
    /// The better tiers, each with the reason why it does not work.
    pub failures: Vec<(Tier, CageError)>,
}

/// Determines the best tier that works on this machine and in which the self-test finds no breach. `dir` is the
/// directory of the tournament file.
///
/// # Errors
/// Returns any failure that does not mean that the machine is unable to confine programs. After such a failure, a
/// weaker tier would not help.
pub(crate) async fn detect(dir: &Path) -> Result<Detected, Undecided> {
    let mut tests = TierTests::new();
    let mut failures = Vec::new();
    for tier in [Tier::A, Tier::B, Tier::C] {
        let tested = tests.test(tier, dir).await;
        let failure = match tested.map(|shown| (shown.breach(), shown)) {
            Ok((None, shown)) => {
                return Ok(Detected { tier, accounting: tests.accounting, shown: Some(shown), failures });
            }
            Ok((Some(breach), _)) => CageError::Breached(breach),
            Err(error) if error.is_inability() => error,
            Err(error) => return Err(Undecided { tier, error }),
        };
        failures.push((tier, failure));
    }
    Ok(Detected { tier: Tier::D, accounting: tests.accounting, shown: None, failures })
}

/// Whether the root directory is a mount point, which tiers A and B need.
pub(crate) fn has_mounted_root() -> bool {
    root::is_mounted()
}

/// The self-tests of several tiers, which share their bait.
#[derive(Debug)]
pub(crate) struct TierTests {
    accounting: Accounting,
    bait: Option<Bait>,
}

impl TierTests {
    /// Prepares self-tests with the best accounting that the machine offers.
    pub(crate) fn new() -> Self {
        Self { accounting: Accounting::best(), bait: None }
    }

    /// How memory is counted, according to the tests so far.
    pub(crate) const fn accounting(&self) -> &Accounting {
        &self.accounting
    }

    /// Runs the self-test in `tier`. If the test fails with groups but succeeds with the watch, the watch replaces the
    /// groups as the accounting.
    ///
    /// # Errors
    /// Returns the reason why the tier does not work. A tier with a breach works; see [`Demonstration::breach`].
    pub(crate) async fn test(&mut self, tier: Tier, dir: &Path) -> Result<Demonstration, CageError> {
        let bait = match self.bait.take() {
            Some(bait) => bait,
            None => Bait::lay().map_err(io_error("prepare the self-test"))?,
        };
        let bait = self.bait.insert(bait);
        if !tier.has_namespaces() {
            let untold = |error: io::Error| Failed {
                step: "find out which process made a connection".to_owned(),
                errno: error.raw_os_error(),
                blame: Blame::Machine,
            };
            connection_peer::check().map_err(|error| CageError::Failed(untold(error)))?;
        }
        let first = bait.test(tier, &self.accounting, dir).await;
        if matches!(self.accounting, Accounting::Watch { .. }) {
            return first;
        }
        let why = match &first {
            Ok(shown) => shown.breach(),
            Err(error) => Some(error.to_string()),
        };
        let Some(why) = why else { return first };
        let watch = Accounting::Watch { why };
        let second = bait.test(tier, &watch, dir).await?;
        if second.breach().is_none() {
            self.accounting = watch;
        }
        Ok(second)
    }
}
