//! The results of the self-test in a tier: a row for each action.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use serde::Serialize;

use super::test_action::{ActionOutcome, ActionReport, Expectation, TestAction};
use crate::base::units::counted;
use crate::host::sandbox::Tier;
use crate::host::sandbox::exceeded::Exceeded;

/// The result of an action, as judged by the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ActionResult {
    /// The action succeeded.
    Done,
    /// The action was refused, with the system's error.
    Refused(String),
    /// The arena killed the program for exceeding this limit.
    Stopped(String),
    /// Trying the action would prove nothing on this machine, for this reason.
    Untried(String),
}

/// An action and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ActionRow {
    action: TestAction,
    result: ActionResult,
    expectation: Expectation,
}

impl ActionRow {
    /// Whether the row shows that the confinement does not work as required.
    fn is_breach(&self) -> bool {
        match (self.expectation, &self.result) {
            (Expectation::Refused, ActionResult::Done)
            | (Expectation::Done, ActionResult::Refused(_) | ActionResult::Stopped(_)) => true,
            (Expectation::Done | Expectation::Refused | Expectation::Possible, _) => false,
        }
    }

    /// The result in one word. Breaches are in capitals.
    const fn word(&self) -> &'static str {
        match (self.expectation, &self.result) {
            (_, ActionResult::Untried(_)) => "untried",
            (Expectation::Done, ActionResult::Done) => "works",
            (Expectation::Done, ActionResult::Refused(_) | ActionResult::Stopped(_)) => "FAILS",
            (Expectation::Refused, ActionResult::Done) => "REACHED",
            (Expectation::Possible, ActionResult::Done) => "possible",
            (_, ActionResult::Refused(_)) => "refused",
            (_, ActionResult::Stopped(_)) => "stopped",
        }
    }

    /// The system's error, the exceeded limit, or the reason why the action was not tried.
    fn detail(&self) -> Option<&str> {
        match &self.result {
            ActionResult::Done => None,
            ActionResult::Refused(why) | ActionResult::Stopped(why) | ActionResult::Untried(why) => Some(why),
        }
    }
}

/// The results of the self-test in a tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demonstration {
    rows: Vec<ActionRow>,
}

/// A row of a demonstration, in machine-readable form.
#[derive(Debug, Serialize)]
pub(crate) struct ActionJson {
    action: TestAction,
    tries: &'static str,
    result: &'static str,
    detail: Option<String>,
    holds: bool,
}

impl Demonstration {
    /// Judges the `reports` of the test program in `tier`. `exceeded` is the limit that the program exceeded if the
    /// arena stopped it, and `untried` contains the actions that would prove nothing on this machine, each with the
    /// reason.
    ///
    /// # Errors
    /// Returns the first action that was not reported, unless the arena stopped the program during that action. A
    /// program that did not report an action ended early, so nothing is known about that action and the actions after
    /// it.
    pub(super) fn of(
        tier: Tier,
        reports: &[ActionReport],
        exceeded: Option<&Exceeded>,
        untried: &BTreeMap<TestAction, String>,
    ) -> Result<Self, TestAction> {
        let row = |action: TestAction| {
            let told = reports.iter().find(|report| report.action == action).map(|report| report.outcome);
            let result = match (untried.get(&action), told, exceeded) {
                (Some(why), ..) => ActionResult::Untried(why.clone()),
                (None, Some(ActionOutcome::Done), _) => ActionResult::Done,
                (None, Some(ActionOutcome::Refused(errno)), _) => ActionResult::Refused(words_of(errno)),
                (None, None, Some(limit @ Exceeded::Processes(_))) if action == TestAction::Processes => {
                    ActionResult::Stopped(limit.to_string())
                }
                (None, None, _) => return Err(action),
            };
            Ok(ActionRow { action, result, expectation: action.expectation(tier) })
        };
        Ok(Self { rows: TestAction::ALL.into_iter().map(row).collect::<Result<_, _>>()? })
    }

    /// The actions that a bot could do but must not be able to do, and the actions that it needs to do but could not,
    /// in one sentence; `None` if there are none.
    pub(crate) fn breach(&self) -> Option<String> {
        let of = |expectation: Expectation| {
            let rows = self.rows.iter().filter(move |row| row.is_breach() && row.expectation == expectation);
            rows.map(|row| row.action.words()).collect::<Vec<_>>()
        };
        let clause =
            |verb: &str, actions: Vec<&str>| (!actions.is_empty()).then(|| format!("{verb} {}", actions.join(", ")));
        let clauses = [clause("could", of(Expectation::Refused)), clause("could not", of(Expectation::Done))];
        let clauses: Vec<String> = clauses.into_iter().flatten().collect();
        (!clauses.is_empty()).then(|| format!("the self-test failed: a bot {}", clauses.join(" and ")))
    }

    /// The rows, in machine-readable form.
    pub(crate) fn json(&self) -> Vec<ActionJson> {
        let row = |row: &ActionRow| ActionJson {
            action: row.action,
            tries: row.action.words(),
            result: row.word(),
            detail: row.detail().map(str::to_owned),
            holds: !row.is_breach(),
        };
        self.rows.iter().map(row).collect()
    }

    /// A table with a row for each action and a column for each of `tiers`; the demonstration is `None` for a tier that
    /// does not start. The reasons for untried actions follow, each listed once.
    pub(crate) fn table(tiers: &[(Tier, Option<&Self>)]) -> String {
        const WIDTH: usize = 9;
        let line = |first: &str, cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:<WIDTH$}")).collect();
            format!("  {first:<35} {}", cells.concat()).trim_end().to_owned() + "\n"
        };
        let mut text = line("what the self-test tries", tiers.iter().map(|(tier, _)| format!("tier {tier}")).collect());
        for action in TestAction::ALL {
            let cell = |shown: Option<&Self>| shown.and_then(|shown| shown.row(action)).map_or("-", ActionRow::word);
            text += &line(action.words(), tiers.iter().map(|(_, shown)| cell(*shown).to_owned()).collect());
        }
        let rows = tiers.iter().filter_map(|(_, shown)| *shown).flat_map(|shown| &shown.rows);
        let notes: BTreeMap<TestAction, &str> = rows
            .filter_map(|row| match &row.result {
                ActionResult::Untried(why) => Some((row.action, why.as_str())),
                _ => None,
            })
            .collect();
        for (action, why) in notes {
            text.extend(["  untried: ", action.words(), ": ", why, "\n"]);
        }
        text
    }

    fn row(&self, action: TestAction) -> Option<&ActionRow> {
        self.rows.iter().find(|row| row.action == action)
    }
}

/// How many actions were prevented, and which ones were not.
impl fmt::Display for Demonstration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |words: &'static [&'static str]| self.rows.iter().filter(move |row| words.contains(&row.word()));
        write!(f, "self-test: {} prevented", counted(of(&["refused", "stopped"]).count() as u64, "attempt"))?;
        for (word, before) in [(&["possible"], "possible here"), (&["untried"], "untried")] {
            let actions: Vec<&str> = of(word).map(|row| row.action.words()).collect();
            if !actions.is_empty() {
                write!(f, ", {before}: {}", actions.join(", "))?;
            }
        }
        Ok(())
    }
}

/// The description of the system's error `errno`.
fn words_of(errno: Option<i32>) -> String {
    errno.map_or_else(|| "no error number".to_owned(), |errno| io::Error::from_raw_os_error(errno).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reports of a program whose actions have these outcomes. An action without an outcome is not reported.
    fn reports(outcome: impl Fn(TestAction) -> Option<ActionOutcome>) -> Vec<ActionReport> {
        TestAction::ALL
            .into_iter()
            .filter_map(|action| Some(ActionReport { action, outcome: outcome(action)? }))
            .collect()
    }

    /// The outcome of `action` in `tier` if the tier works as required.
    fn proper(tier: Tier, action: TestAction) -> ActionOutcome {
        match action.expectation(tier) {
            Expectation::Refused => ActionOutcome::Refused(Some(nix::libc::EACCES)),
            Expectation::Done | Expectation::Possible => ActionOutcome::Done,
        }
    }

    fn judged(tier: Tier, reports: &[ActionReport]) -> Demonstration {
        Demonstration::of(tier, reports, None, &BTreeMap::new()).expect("complete")
    }

    #[test]
    fn a_tier_holds_only_if_every_action_comes_out_as_it_must() {
        for tier in [Tier::A, Tier::B, Tier::C] {
            let good = judged(tier, &reports(|action| Some(proper(tier, action))));
            assert_eq!(good.breach(), None, "{tier}");
            assert!(good.json().iter().all(|row| row.holds));
            for wrong in TestAction::ALL {
                let turned = match proper(tier, wrong) {
                    ActionOutcome::Done => ActionOutcome::Refused(None),
                    ActionOutcome::Refused(_) => ActionOutcome::Done,
                };
                let turned = |action| if action == wrong { turned } else { proper(tier, action) };
                let shown = judged(tier, &reports(|action| Some(turned(action))));
                let is_breach = wrong.expectation(tier) != Expectation::Possible;
                assert_eq!(shown.breach().is_some(), is_breach, "{tier} {wrong:?}");
                assert_eq!(shown.json().iter().filter(|row| !row.holds).count(), usize::from(is_breach));
                if is_breach {
                    let breach = shown.breach().expect("one");
                    assert!(breach.contains(wrong.words()), "{breach}");
                }
            }
        }
    }

    #[test]
    fn a_program_that_ends_early_shows_nothing_unless_its_last_action_was_stopped() {
        let but_the_last = |action| (action != TestAction::Processes).then(|| proper(Tier::A, action));
        let most = reports(but_the_last);
        let none = BTreeMap::new();
        assert_eq!(Demonstration::of(Tier::A, &most, None, &none), Err(TestAction::Processes));
        assert_eq!(Demonstration::of(Tier::A, &most, Some(&Exceeded::Memory(1)), &none), Err(TestAction::Processes));
        let stopped = Demonstration::of(Tier::A, &most, Some(&Exceeded::Processes(25)), &none).expect("complete");
        assert_eq!(stopped.breach(), None);
        assert_eq!(stopped.row(TestAction::Processes).map(ActionRow::word), Some("stopped"));
        assert_eq!(Demonstration::of(Tier::A, &[], Some(&Exceeded::Processes(25)), &none), Err(TestAction::OwnSeat));
    }

    #[test]
    fn the_table_has_a_row_for_each_action_a_column_for_each_tier_and_the_reasons() {
        let untried = BTreeMap::from([(TestAction::Vsock, "this kernel has no vsock".to_owned())]);
        let c =
            Demonstration::of(Tier::C, &reports(|action| Some(proper(Tier::C, action))), None, &untried).expect("all");
        let a = judged(Tier::A, &reports(|_| Some(ActionOutcome::Done)));
        let table = Demonstration::table(&[(Tier::A, Some(&a)), (Tier::B, None), (Tier::C, Some(&c))]);
        assert!(table.lines().all(|line| line.len() <= 80), "{table}");
        let cells = |action: TestAction| {
            let row = table.lines().find(|line| line.trim_start().starts_with(action.words())).expect("a row");
            row.trim_start().trim_start_matches(action.words()).split_whitespace().collect::<Vec<_>>()
        };
        assert_eq!(cells(TestAction::OwnSeat), ["works", "-", "works"]);
        assert_eq!(cells(TestAction::ReadJournal), ["REACHED", "-", "refused"]);
        assert_eq!(cells(TestAction::SeeProcess), ["REACHED", "-", "possible"]);
        assert_eq!(cells(TestAction::Vsock), ["REACHED", "-", "untried"]);
        assert!(table.ends_with("  untried: make a vsock: this kernel has no vsock\n"), "{table}");
        assert_eq!(
            c.to_string(),
            "self-test: 14 attempts prevented, possible here: see another bot's process, untried: make a vsock"
        );
    }
}
