//! The results of the self-test in a tier: a row for each deed.

use std::collections::BTreeMap;
use std::fmt;
use std::io;

use serde::Serialize;

use super::deed::{DeedOutcome, DeedReport, Expectation, TestDeed};
use crate::base::units::counted;
use crate::host::sandbox::Tier;
use crate::host::sandbox::exceeded::Exceeded;

/// The result of a deed, as judged by the arena.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DeedResult {
    /// The deed succeeded.
    Done,
    /// The deed was refused, with the system's error.
    Refused(String),
    /// The arena killed the program for exceeding this limit.
    Stopped(String),
    /// Trying the deed would prove nothing on this machine, for this reason.
    Untried(String),
}

/// A deed and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DeedRow {
    deed: TestDeed,
    result: DeedResult,
    expectation: Expectation,
}

impl DeedRow {
    /// Whether the row shows that the confinement does not work as required.
    fn is_breach(&self) -> bool {
        match (self.expectation, &self.result) {
            (Expectation::Refused, DeedResult::Done)
            | (Expectation::Done, DeedResult::Refused(_) | DeedResult::Stopped(_)) => true,
            (Expectation::Done | Expectation::Refused | Expectation::Possible, _) => false,
        }
    }

    /// The result in one word. Breaches are in capitals.
    const fn word(&self) -> &'static str {
        match (self.expectation, &self.result) {
            (_, DeedResult::Untried(_)) => "untried",
            (Expectation::Done, DeedResult::Done) => "works",
            (Expectation::Done, DeedResult::Refused(_) | DeedResult::Stopped(_)) => "FAILS",
            (Expectation::Refused, DeedResult::Done) => "REACHED",
            (Expectation::Possible, DeedResult::Done) => "possible",
            (_, DeedResult::Refused(_)) => "refused",
            (_, DeedResult::Stopped(_)) => "stopped",
        }
    }

    /// The system's error, the exceeded limit, or the reason why the deed was not tried.
    fn detail(&self) -> Option<&str> {
        match &self.result {
            DeedResult::Done => None,
            DeedResult::Refused(why) | DeedResult::Stopped(why) | DeedResult::Untried(why) => Some(why),
        }
    }
}

/// The results of the self-test in a tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demonstration {
    rows: Vec<DeedRow>,
}

/// A row of a demonstration, in machine-readable form.
#[derive(Debug, Serialize)]
pub(crate) struct DeedJson {
    deed: TestDeed,
    tries: &'static str,
    result: &'static str,
    detail: Option<String>,
    holds: bool,
}

impl Demonstration {
    /// Judges the `reports` of the test program in `tier`. `exceeded` is the limit that the program exceeded if the
    /// arena stopped it, and `untried` contains the deeds that would prove nothing on this machine, each with the
    /// reason.
    ///
    /// # Errors
    /// Returns the first deed that was not reported, unless the arena stopped the program during that deed. A program
    /// that did not report a deed ended early, so nothing is known about that deed and the deeds after it.
    pub(super) fn of(
        tier: Tier,
        reports: &[DeedReport],
        exceeded: Option<&Exceeded>,
        untried: &BTreeMap<TestDeed, String>,
    ) -> Result<Self, TestDeed> {
        let row = |deed: TestDeed| {
            let told = reports.iter().find(|report| report.deed == deed).map(|report| report.outcome);
            let result = match (untried.get(&deed), told, exceeded) {
                (Some(why), ..) => DeedResult::Untried(why.clone()),
                (None, Some(DeedOutcome::Done), _) => DeedResult::Done,
                (None, Some(DeedOutcome::Refused(errno)), _) => DeedResult::Refused(words_of(errno)),
                (None, None, Some(limit @ Exceeded::Processes(_))) if deed == TestDeed::Processes => {
                    DeedResult::Stopped(limit.to_string())
                }
                (None, None, _) => return Err(deed),
            };
            Ok(DeedRow { deed, result, expectation: deed.expectation(tier) })
        };
        Ok(Self { rows: TestDeed::ALL.into_iter().map(row).collect::<Result<_, _>>()? })
    }

    /// The deeds that a bot could do but must not be able to do, and the deeds that it needs to do but could not, in
    /// one sentence; `None` if there are none.
    pub(crate) fn breach(&self) -> Option<String> {
        let of = |expectation: Expectation| {
            let rows = self.rows.iter().filter(move |row| row.is_breach() && row.expectation == expectation);
            rows.map(|row| row.deed.words()).collect::<Vec<_>>()
        };
        let clause = |verb: &str, deeds: Vec<&str>| (!deeds.is_empty()).then(|| format!("{verb} {}", deeds.join(", ")));
        let clauses = [clause("could", of(Expectation::Refused)), clause("could not", of(Expectation::Done))];
        let clauses: Vec<String> = clauses.into_iter().flatten().collect();
        (!clauses.is_empty()).then(|| format!("the self-test failed: a bot {}", clauses.join(" and ")))
    }

    /// The rows, in machine-readable form.
    pub(crate) fn json(&self) -> Vec<DeedJson> {
        let row = |row: &DeedRow| DeedJson {
            deed: row.deed,
            tries: row.deed.words(),
            result: row.word(),
            detail: row.detail().map(str::to_owned),
            holds: !row.is_breach(),
        };
        self.rows.iter().map(row).collect()
    }

    /// A table with a row for each deed and a column for each of `tiers`; the demonstration is `None` for a tier that
    /// does not start. The reasons for untried deeds follow, each listed once.
    pub(crate) fn table(tiers: &[(Tier, Option<&Self>)]) -> String {
        const WIDTH: usize = 9;
        let line = |first: &str, cells: Vec<String>| {
            let cells: Vec<String> = cells.iter().map(|cell| format!("{cell:<WIDTH$}")).collect();
            format!("  {first:<35} {}", cells.concat()).trim_end().to_owned() + "\n"
        };
        let mut text = line("what the self-test tries", tiers.iter().map(|(tier, _)| format!("tier {tier}")).collect());
        for deed in TestDeed::ALL {
            let cell = |shown: Option<&Self>| shown.and_then(|shown| shown.row(deed)).map_or("-", DeedRow::word);
            text += &line(deed.words(), tiers.iter().map(|(_, shown)| cell(*shown).to_owned()).collect());
        }
        let rows = tiers.iter().filter_map(|(_, shown)| *shown).flat_map(|shown| &shown.rows);
        let notes: BTreeMap<TestDeed, &str> = rows
            .filter_map(|row| match &row.result {
                DeedResult::Untried(why) => Some((row.deed, why.as_str())),
                _ => None,
            })
            .collect();
        for (deed, why) in notes {
            text.extend(["  untried: ", deed.words(), ": ", why, "\n"]);
        }
        text
    }

    fn row(&self, deed: TestDeed) -> Option<&DeedRow> {
        self.rows.iter().find(|row| row.deed == deed)
    }
}

/// How many deeds were prevented, and which ones were not.
impl fmt::Display for Demonstration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |words: &'static [&'static str]| self.rows.iter().filter(move |row| words.contains(&row.word()));
        write!(f, "self-test: {} prevented", counted(of(&["refused", "stopped"]).count() as u64, "attempt"))?;
        for (word, before) in [(&["possible"], "possible here"), (&["untried"], "untried")] {
            let deeds: Vec<&str> = of(word).map(|row| row.deed.words()).collect();
            if !deeds.is_empty() {
                write!(f, ", {before}: {}", deeds.join(", "))?;
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

    /// The reports of a program whose deeds have these outcomes. A deed without an outcome is not reported.
    fn reports(outcome: impl Fn(TestDeed) -> Option<DeedOutcome>) -> Vec<DeedReport> {
        TestDeed::ALL.into_iter().filter_map(|deed| Some(DeedReport { deed, outcome: outcome(deed)? })).collect()
    }

    /// The outcome of `deed` in `tier` if the tier works as required.
    fn proper(tier: Tier, deed: TestDeed) -> DeedOutcome {
        match deed.expectation(tier) {
            Expectation::Refused => DeedOutcome::Refused(Some(nix::libc::EACCES)),
            Expectation::Done | Expectation::Possible => DeedOutcome::Done,
        }
    }

    fn judged(tier: Tier, reports: &[DeedReport]) -> Demonstration {
        Demonstration::of(tier, reports, None, &BTreeMap::new()).expect("complete")
    }

    #[test]
    fn a_tier_holds_only_if_every_deed_comes_out_as_it_must() {
        for tier in [Tier::A, Tier::B, Tier::C] {
            let good = judged(tier, &reports(|deed| Some(proper(tier, deed))));
            assert_eq!(good.breach(), None, "{tier}");
            assert!(good.json().iter().all(|row| row.holds));
            for wrong in TestDeed::ALL {
                let turned = match proper(tier, wrong) {
                    DeedOutcome::Done => DeedOutcome::Refused(None),
                    DeedOutcome::Refused(_) => DeedOutcome::Done,
                };
                let turned = |deed| if deed == wrong { turned } else { proper(tier, deed) };
                let shown = judged(tier, &reports(|deed| Some(turned(deed))));
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
    fn a_program_that_ends_early_shows_nothing_unless_its_last_deed_was_stopped() {
        let but_the_last = |deed| (deed != TestDeed::Processes).then(|| proper(Tier::A, deed));
        let most = reports(but_the_last);
        let none = BTreeMap::new();
        assert_eq!(Demonstration::of(Tier::A, &most, None, &none), Err(TestDeed::Processes));
        assert_eq!(Demonstration::of(Tier::A, &most, Some(&Exceeded::Memory(1)), &none), Err(TestDeed::Processes));
        let stopped = Demonstration::of(Tier::A, &most, Some(&Exceeded::Processes(25)), &none).expect("complete");
        assert_eq!(stopped.breach(), None);
        assert_eq!(stopped.row(TestDeed::Processes).map(DeedRow::word), Some("stopped"));
        assert_eq!(Demonstration::of(Tier::A, &[], Some(&Exceeded::Processes(25)), &none), Err(TestDeed::OwnSeat));
    }

    #[test]
    fn the_table_has_a_row_for_each_deed_a_column_for_each_tier_and_the_reasons() {
        let untried = BTreeMap::from([(TestDeed::Vsock, "this kernel has no vsock".to_owned())]);
        let c = Demonstration::of(Tier::C, &reports(|deed| Some(proper(Tier::C, deed))), None, &untried).expect("all");
        let a = judged(Tier::A, &reports(|_| Some(DeedOutcome::Done)));
        let table = Demonstration::table(&[(Tier::A, Some(&a)), (Tier::B, None), (Tier::C, Some(&c))]);
        assert!(table.lines().all(|line| line.len() <= 80), "{table}");
        let cells = |deed: TestDeed| {
            let row = table.lines().find(|line| line.trim_start().starts_with(deed.words())).expect("a row");
            row.trim_start().trim_start_matches(deed.words()).split_whitespace().collect::<Vec<_>>()
        };
        assert_eq!(cells(TestDeed::OwnSeat), ["works", "-", "works"]);
        assert_eq!(cells(TestDeed::ReadJournal), ["REACHED", "-", "refused"]);
        assert_eq!(cells(TestDeed::SeeProcess), ["REACHED", "-", "possible"]);
        assert_eq!(cells(TestDeed::Vsock), ["REACHED", "-", "untried"]);
        assert!(table.ends_with("  untried: make a vsock: this kernel has no vsock\n"), "{table}");
        assert_eq!(
            c.to_string(),
            "self-test: 14 attempts prevented, possible here: see another bot's process, untried: make a vsock"
        );
    }
}
