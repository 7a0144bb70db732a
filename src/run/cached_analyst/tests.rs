//! The results that an analyst stores, and the games that it leaves to be searched again.

use std::num::{NonZeroU32, NonZeroUsize};

use super::*;
use crate::game::{BySide, Outcome, Ruleset, Side};
use crate::referee::record::Ply;
use crate::referee::result::GameResult;

const SECOND: Duration = Duration::from_secs(1);

const PLAN: AnalystPlan = AnalystPlan { threads: NonZeroUsize::MIN, mebibytes: NonZeroU32::MIN, seegover: None };

/// A game of Gothello in which both sides pass after eight stones, which takes far longer to solve than a test may
/// take.
fn game() -> GameRecord {
    let moves = ["c3", "b2", "d2", "b4", "d4", "c1", "a3", "e3", "pass", "pass"];
    let ply = |(side, played): (Side, &str)| Ply::untimed(side, played.parse().expect("a move"));
    let plies = Side::BOTH.into_iter().cycle().zip(moves).map(ply).collect();
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    let result = Ok(GameResult::played(Outcome::of_margin(0)));
    GameRecord { plies, ..GameRecord::of(Ruleset::Gothello, players, result) }
}

/// The result in the cache of a new run after a search within `limit`, and whether the search was complete. If
/// `is_stopped`, the flag is raised from the start.
fn kept_after(limit: SearchLimit, is_stopped: bool) -> (Option<Duration>, bool) {
    let (dir, stop) = (tempfile::tempdir().expect("a directory"), AtomicBool::new(is_stopped));
    let mut analyst = CachedAnalyst::planned(PLAN, 1, &stop, |_| {});
    let outcome = analyst.analyze(Some(dir.path()), &game(), &limit).expect("an analysis");
    let is_complete = matches!(outcome, SearchOutcome::Complete(_));
    assert_eq!(analyst.end().analyzed, usize::from(is_complete));
    (AnalysisCache::open(dir.path()).find(&game()).map(|known| known.budget), is_complete)
}

#[test]
fn a_search_counts_as_its_time_or_as_what_the_end_of_all_left_of_it() {
    let limit = SearchLimit { effort: SearchEffort::Time(Duration::ZERO), budget: SECOND, end: None };
    assert_eq!(kept_after(limit, false), (Some(Duration::ZERO), true), "no more time than the search had");
    let limit = SearchLimit { effort: SearchEffort::Time(SECOND), end: Some(now()), ..limit };
    assert_eq!(kept_after(limit, false), (Some(Duration::ZERO), true), "the end came first");
    let begin = now();
    let at = |end| SearchLimit { end, ..limit };
    for (end, budget) in [(None, SECOND), (Some(begin + SECOND / 2), SECOND / 2), (Some(begin + 2 * SECOND), SECOND)] {
        assert_eq!(at(end).kept_budget(begin, at(end).deadline(begin)), Some(budget), "{end:?}");
    }
    let of_a_page = SearchLimit { budget: Duration::ZERO, ..at(None) };
    assert_eq!(of_a_page.kept_budget(begin, of_a_page.deadline(begin)), Some(Duration::ZERO), "its time says little");
}

#[test]
fn a_search_without_a_time_of_its_own_is_not_stored_if_the_end_of_all_cuts_it_short() {
    let limit = SearchLimit { effort: SearchEffort::Whole, budget: Duration::ZERO, end: Some(now()) };
    assert_eq!(kept_after(limit, false), (None, true));
    assert_eq!(limit.kept_budget(now(), None), Some(Duration::ZERO));
}

#[test]
fn a_search_of_nodes_counts_as_its_budget() {
    let limit = SearchLimit { effort: SearchEffort::Nodes(10), budget: SECOND, end: None };
    assert_eq!(kept_after(limit, false), (Some(SECOND), true));
}

#[test]
fn a_search_that_was_stopped_is_not_stored() {
    for effort in [SearchEffort::Whole, SearchEffort::Time(SECOND), SearchEffort::Nodes(10)] {
        let limit = SearchLimit { effort, budget: SECOND, end: None };
        assert_eq!(kept_after(limit, true), (None, false), "{effort:?}");
    }
}

#[test]
fn a_game_is_searched_only_if_its_cache_does_not_know_enough() {
    let (dir, stop) = (tempfile::tempdir().expect("a directory"), AtomicBool::new(false));
    let within = |budget| SearchLimit { effort: SearchEffort::Nodes(10), budget, end: None };
    let searches = |budget| {
        let mut count = 0;
        let mut analyst = CachedAnalyst::planned(PLAN, 1, &stop, |news| {
            count += usize::from(matches!(news, AnalysisNews::Searched));
        });
        analyst.analyze(Some(dir.path()), &game(), &within(budget)).expect("an analysis");
        analyst.end();
        count
    };
    let budgets = [SECOND, SECOND, Duration::ZERO, 2 * SECOND, SECOND];
    assert_eq!(budgets.map(searches), [1, 0, 0, 1, 0]);
}
