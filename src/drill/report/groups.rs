//! Trials with the same outcome, reported once.

use crate::drill::readiness::{Trial, TrialStatus, TriedPlayer};
use crate::drill::script::{BotSeat, TrialFailure};

/// Trials of one player that have the same outcome for the same reason.
pub(super) struct TrialGroup<'a> {
    /// The outcome; a timeout counts as a failure.
    pub(super) status: TrialStatus,
    /// The trials, at least one, in the order in which they were played.
    pub(super) trials: Vec<&'a Trial>,
}

/// The outcomes in the order in which reports list them.
const ORDER: [TrialStatus; 5] =
    [TrialStatus::Pass, TrialStatus::Fail, TrialStatus::Warn, TrialStatus::Info, TrialStatus::Skip];

/// The outcome under which `trial` is reported.
const fn told_as(trial: &Trial) -> TrialStatus {
    match trial.status {
        TrialStatus::Timeout => TrialStatus::Fail,
        status => status,
    }
}

/// All trials of `player`, grouped by outcome and reason.
pub(super) fn groups(player: &TriedPlayer) -> Vec<TrialGroup<'_>> {
    let mut groups: Vec<TrialGroup<'_>> = Vec::new();
    for status in ORDER {
        for trial in player.trials.iter().filter(|trial| told_as(trial) == status) {
            match groups.iter_mut().find(|group| group.status == status && has_same_reason(group.first(), trial)) {
                Some(group) => group.trials.push(trial),
                None => groups.push(TrialGroup { status, trials: vec![trial] }),
            }
        }
    }
    groups
}

fn has_same_reason(one: &Trial, other: &Trial) -> bool {
    let causes = |trial: &Trial| trial.diagnoses.iter().map(|diagnosis| diagnosis.cause).collect::<Vec<_>>();
    if one.status == TrialStatus::Pass {
        return true;
    }
    if one.diagnoses.is_empty() && other.diagnoses.is_empty() {
        let are_refused = |trial: &Trial| {
            trial.failure.filter(|failure| matches!(failure, TrialFailure::Illegal | TrialFailure::Garbled))
        };
        let is_refused_alike = are_refused(one).is_some() && are_refused(one) == are_refused(other);
        return is_refused_alike || unquoted(&one.summary) == unquoted(&other.summary);
    }
    causes(one) == causes(other)
}

/// Returns `summary` without any text in back-quotes, since a move or one of the arena's codes says little about the
/// reason.
fn unquoted(summary: &str) -> String {
    summary.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The sides or seats, worded to follow `as`, such as `black and as white`.
pub(super) fn in_words(sides: &[BotSeat]) -> String {
    let sides: Vec<String> = sides.iter().map(ToString::to_string).collect();
    sides.join(" and as ")
}

impl<'a> TrialGroup<'a> {
    /// The first trial, which represents all trials of the group.
    pub(super) fn first(&self) -> &'a Trial {
        self.trials[0]
    }

    /// Whether all trials have the same summary as the first.
    pub(super) fn agrees(&self) -> bool {
        self.trials.iter().all(|trial| trial.summary == self.first().summary)
    }

    /// The scenario of the group; `None` if the group contains several.
    pub(super) fn only_scenario(&self) -> Option<&'a str> {
        let id = self.first().scenario.id;
        self.trials.iter().all(|trial| trial.scenario.id == id).then_some(id)
    }

    /// The scenarios with the sides on which they were played, such as `clock, plain (as black and as white); split (as
    /// black)`.
    pub(super) fn labels(&self) -> String {
        let mut clusters: Vec<(Vec<BotSeat>, Vec<&str>)> = Vec::new();
        for (id, sides) in self.scenarios() {
            match clusters.iter_mut().find(|(others, _)| *others == sides) {
                Some((_, ids)) => ids.push(id),
                None => clusters.push((sides, vec![id])),
            }
        }
        let clusters = clusters.into_iter().map(|(sides, ids)| format!("{} (as {})", ids.join(", "), in_words(&sides)));
        clusters.collect::<Vec<_>>().join("; ")
    }

    /// Each scenario once, with the sides on which it was played.
    pub(super) fn scenarios(&self) -> Vec<(&'a str, Vec<BotSeat>)> {
        let mut scenarios: Vec<(&str, Vec<BotSeat>)> = Vec::new();
        for trial in &self.trials {
            match scenarios.iter_mut().find(|(id, _)| *id == trial.scenario.id) {
                Some((_, sides)) => sides.push(trial.side),
                None => scenarios.push((trial.scenario.id, vec![trial.side])),
            }
        }
        scenarios
    }
}
