//! What to do about new sources, which opponents a version plays, when the comparison of two players is settled, and
//! which versions are deleted.

use std::fmt;

use serde::Serialize;

use super::version::{BenchVersion, BenchedState};
use crate::base::word_enum::words;
use crate::course::rubric::Baseline;
use crate::tournament::sprt::{SprtProgress, SprtVerdict};

/// The lead in Elo that the test looks for, in either direction.
pub(crate) const LEAD: u32 = 20;

/// The default maximum number of pairs of games in a comparison. After these pairs, the answer is that there is no
/// clear difference.
pub(crate) const MOST_PAIRS: u32 = 500;

/// How many versions are kept, besides the version to beat.
pub(crate) const MOST_VERSIONS: usize = 20;

/// What to do about sources that were saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Nothing: the version with these sources is being played, or its games are over.
    GoOn,
    /// Begin a round.
    Begin,
    /// Cancel the round that is being played, and begin another one.
    Restart,
}

/// What to do about the version `saved`. `current` is the version that is being played if `is_playing`, and otherwise
/// the version that was last played to the end.
pub(crate) fn reaction(saved: &str, current: Option<&str>, is_playing: bool) -> Reaction {
    if current == Some(saved) {
        Reaction::GoOn
    } else if is_playing {
        Reaction::Restart
    } else {
        Reaction::Begin
    }
}

/// An opponent of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BenchOpponent {
    /// The version to beat.
    Version(String),
    /// A built-in bot.
    Builtin(Baseline),
}

impl fmt::Display for BenchOpponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(id) => f.pad(id),
            Self::Builtin(baseline) => fmt::Display::fmt(baseline, f),
        }
    }
}

/// The opponents of the version `id`, in order: first `promoted`, the version to beat, unless that is `id` itself; then
/// the bots that the user has chosen. If both are missing, the only opponent is greedy.
pub(crate) fn opponents(id: &str, promoted: Option<&str>, against: &[Baseline]) -> Vec<BenchOpponent> {
    let promoted =
        promoted.filter(|promoted| *promoted != id).map(|promoted| BenchOpponent::Version(promoted.to_owned()));
    let mut all: Vec<BenchOpponent> = promoted.into_iter().collect();
    for baseline in against {
        let opponent = BenchOpponent::Builtin(*baseline);
        if !all.contains(&opponent) {
            all.push(opponent);
        }
    }
    if all.is_empty() {
        all.extend("greedy".parse().map(BenchOpponent::Builtin));
    }
    all
}

/// The answer to whether a version is better or worse than its opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BenchAnswer {
    /// The version is better.
    Better,
    /// The version is worse.
    Worse,
    /// All games have been played, or new games only repeat earlier ones, and the version is neither clearly better nor
    /// clearly worse.
    Even,
    /// More games have to be played.
    Open,
}

words! { pub(crate) BenchAnswer; Better => "better", Worse => "worse", Even => "no clear difference", Open => "open" }

/// The answer according to the test `progress`; `is_complete` is `true` if no more games follow.
pub(crate) fn answer(progress: &SprtProgress, is_complete: bool) -> BenchAnswer {
    match progress.verdict() {
        SprtVerdict::H1 => BenchAnswer::Better,
        SprtVerdict::H0 => BenchAnswer::Worse,
        SprtVerdict::Undecided if is_complete || progress.is_over() => BenchAnswer::Even,
        SprtVerdict::Undecided => BenchAnswer::Open,
    }
}

/// The ids of the versions to delete: all but the version `promoted`, the version `current`, and the versions that were
/// saved last.
pub(crate) fn surplus<'v>(versions: &'v [BenchVersion], promoted: Option<&str>, current: &str) -> Vec<&'v str> {
    let mut others: Vec<&BenchVersion> =
        versions.iter().filter(|version| Some(version.id.as_str()) != promoted).collect();
    others.sort_by_key(|version| (version.id != current, std::cmp::Reverse((version.used, version.number))));
    others.into_iter().skip(MOST_VERSIONS).map(|version| version.id.as_str()).collect()
}

/// The last of the `versions` with the build command `build` and known products. A build that failed or was cancelled
/// may not have produced all files.
pub(crate) fn last_built<'v>(versions: &'v [BenchVersion], build: &[String]) -> Option<&'v BenchVersion> {
    let is_built = |version: &&BenchVersion| {
        let state = version.verdict.as_ref().map(|verdict| verdict.state);
        version.build.as_deref() == Some(build) && state.is_some_and(|state| state != BenchedState::Broken)
    };
    versions.iter().filter(is_built).max_by_key(|version| (version.used, version.number))
}

/// The version in `versions` that was saved last.
pub(crate) fn last_saved(versions: &[BenchVersion]) -> Option<&BenchVersion> {
    versions.iter().max_by_key(|version| (version.used, version.number))
}

/// The version in `versions` that `version` is compared with: `promoted` if it is a different version, and otherwise
/// the last version before `version` that is ready.
pub(crate) fn compared_with<'v>(
    version: &BenchVersion,
    promoted: Option<&'v str>,
    versions: &'v [BenchVersion],
) -> Option<&'v str> {
    let is_before = |other: &&BenchVersion| other.number < version.number && other.is_ready();
    let last_before = || versions.iter().filter(is_before).max_by_key(|other| other.number);
    promoted.filter(|promoted| *promoted != version.id).or_else(|| Some(last_before()?.id.as_str()))
}

/// The version that the user calls `name`, which is the beginning of its id or of its digest.
///
/// # Errors
/// Returns the ids that begin with `name`, unless there is exactly one.
pub(crate) fn named<'v>(versions: &'v [BenchVersion], name: &str) -> Result<&'v BenchVersion, Vec<String>> {
    let fitting: Vec<&BenchVersion> =
        versions.iter().filter(|version| !name.is_empty() && version.sha256.starts_with(name)).collect();
    match fitting[..] {
        [only] => Ok(only),
        _ => Err(fitting.into_iter().map(|version| version.id.clone()).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::version::VersionVerdict;
    use crate::bench::version::tests::version;
    use crate::tournament::sprt::{PlayedPair, Sprt, TestedPairs};

    #[test]
    fn a_save_during_games_cancels_them_unless_nothing_has_changed() {
        for (saved, current, is_playing, expected) in [
            ("a", None, false, Reaction::Begin),
            ("a", Some("a"), true, Reaction::GoOn),
            ("a", Some("a"), false, Reaction::GoOn),
            ("b", Some("a"), true, Reaction::Restart),
            ("b", Some("a"), false, Reaction::Begin),
        ] {
            assert_eq!(reaction(saved, current, is_playing), expected, "{saved} {current:?} {is_playing}");
        }
    }

    #[test]
    fn the_version_to_beat_comes_first_and_greedy_only_if_there_is_nobody_else() {
        let names = |id, promoted, against: &[&str]| {
            let against: Vec<Baseline> = against.iter().map(|name| name.parse().expect("a baseline")).collect();
            opponents(id, promoted, &against).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(names("b", None, &[]), ["greedy"]);
        assert_eq!(names("b", Some("b"), &[]), ["greedy"]);
        assert_eq!(names("b", Some("a"), &[]), ["a"]);
        assert_eq!(names("b", Some("a"), &["greedy", "alphabeta 2", "greedy"]), ["a", "greedy", "alphabeta 2"]);
        assert_eq!(names("b", Some("b"), &["random"]), ["random"]);
    }

    #[test]
    fn a_question_is_settled_by_the_test_or_by_its_last_game() {
        let lead = f64::from(LEAD);
        let sprt = Sprt::new(-lead, lead, 0.05, 0.05).expect("a test");
        let after = |half_points: u8, pairs: u64| {
            let mut tested = TestedPairs::new(sprt);
            tested.extend((0..pairs).map(|number| PlayedPair { half_points, moves: Some([number, 0]) }));
            *tested.progress()
        };
        assert_eq!(answer(&after(4, 0), false), BenchAnswer::Open);
        assert_eq!(answer(&after(4, 0), true), BenchAnswer::Even);
        assert_eq!(answer(&after(2, 50), false), BenchAnswer::Open);
        assert_eq!(answer(&after(4, 200), false), BenchAnswer::Better);
        assert_eq!(answer(&after(0, 200), true), BenchAnswer::Worse);
    }

    #[test]
    fn old_versions_are_deleted_but_never_the_one_to_beat_or_the_current_one() {
        let versions: Vec<BenchVersion> = (1..=25).map(|number| version(&format!("{number:08x}"), number)).collect();
        let all = surplus(&versions, None, "00000019");
        assert_eq!(all.len(), 5);
        assert!((1..=5).all(|number| all.contains(&format!("{number:08x}").as_str())), "{all:?}");
        let kept = surplus(&versions, Some("00000001"), "00000002");
        assert_eq!(kept.len(), 4);
        assert!(!kept.contains(&"00000001") && !kept.contains(&"00000002"), "{kept:?}");
        assert!(surplus(&versions[..20], None, "00000001").is_empty());
    }

    fn verdict(state: BenchedState) -> VersionVerdict {
        VersionVerdict { state, trouble: Vec::new(), terms: None }
    }

    #[test]
    fn sources_that_are_saved_again_are_the_last_version_and_are_kept() {
        let mut versions: Vec<BenchVersion> =
            (1..=25).map(|number| version(&format!("{number:08x}"), number)).collect();
        for version in &mut versions {
            version.used = version.number;
        }
        versions[0].used = 26;
        assert_eq!(last_saved(&versions).map(|last| last.number), Some(1));
        let deleted = surplus(&versions, None, "00000019");
        assert_eq!(deleted.len(), 5);
        assert!(!deleted.contains(&"00000001") && deleted.contains(&"00000006"), "{deleted:?}");
    }

    #[test]
    fn products_are_those_of_the_last_build_that_has_not_failed() {
        let mut versions = [version("a", 1), version("b", 2), version("c", 3), version("d", 4)];
        let build = versions[0].build.clone().expect("a build");
        assert_eq!(last_built(&versions, &build), None);
        for (index, state) in
            [BenchedState::Ready, BenchedState::NotReady, BenchedState::Broken].into_iter().enumerate()
        {
            versions[index].verdict = Some(verdict(state));
        }
        assert_eq!(last_built(&versions, &build).map(|version| version.number), Some(2));
        versions[1].build = None;
        assert_eq!(last_built(&versions, &build).map(|version| version.number), Some(1));
    }

    #[test]
    fn a_version_is_compared_with_the_one_to_beat_or_the_last_one_that_could_play() {
        let mut versions = [version("a", 1), version("b", 2), version("c", 3)];
        versions[0].verdict = Some(verdict(BenchedState::Ready));
        for (of, promoted, expected) in [
            (2, None, Some("a")),
            (0, None, None),
            (2, Some("b"), Some("b")),
            (0, Some("c"), Some("c")),
            (2, Some("c"), Some("a")),
        ] {
            assert_eq!(compared_with(&versions[of], promoted, &versions), expected, "{of} {promoted:?}");
        }
    }

    #[test]
    fn a_version_is_named_by_a_beginning_that_only_it_has() {
        let versions = [version("aaaa0000", 1), version("aaab0000", 2)];
        assert_eq!(named(&versions, "aaab").map(|version| version.number), Ok(2));
        assert_eq!(named(&versions, "aaa"), Err(vec!["aaaa0000".to_owned(), "aaab0000".to_owned()]));
        for none in ["", "b", "aaaa0000f"] {
            assert_eq!(named(&versions, none), Err(Vec::new()), "{none}");
        }
    }
}
