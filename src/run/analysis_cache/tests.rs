//! A cache on disk: the lines that it finds again, the lines that it drops, and the lines left by two processes.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::game::{BySide, Outcome, Ruleset, Side};
use crate::referee::record::Ply;
use crate::referee::result::GameResult;
use crate::results::analysis::kept::SOLVER;

const SECOND: Duration = Duration::from_secs(1);

/// A game of Gothello in which both sides pass, after black has played `stone` if it is given.
fn game(stone: Option<&str>) -> GameRecord {
    let texts: Vec<&str> = stone.into_iter().chain(["pass", "pass"]).collect();
    let ply = |(index, text): (usize, &&str)| Ply::untimed(Side::BOTH[index % 2], text.parse().expect("a move"));
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    let result = Ok(GameResult::played(Outcome::of_margin(i32::from(stone.is_some()))));
    let plies = texts.iter().enumerate().map(ply).collect();
    let game = Some(format!("r1-{}", stone.unwrap_or("none")));
    GameRecord { game, plies, ..GameRecord::of(Ruleset::Gothello, players, result) }
}

/// An analysis of `record` with the value of the last position, or with all values if `is_complete`.
fn known(record: &GameRecord, budget: Duration, is_complete: bool) -> KnownGame {
    let end = Outcome::of_margin(record.result.as_ref().ok().and_then(GameResult::margin).expect("a margin"));
    let count = std::cell::Cell::new(0);
    let value = |_: &_| {
        count.set(count.get() + 1);
        (is_complete || count.get() > record.plies.len()).then_some(end)
    };
    KnownGame { analysis: Analysis::of(record, value, |_, _, _| None).expect("a solver"), budget }
}

/// A game whose incomplete analysis was stored with a budget of one second.
fn part(stone: &str) -> (GameRecord, KnownGame) {
    let record = game(Some(stone));
    let known = known(&record, SECOND, false);
    (record, known)
}

fn opened(dir: &TempDir) -> (AnalysisCache, Vec<String>) {
    let mut cache = AnalysisCache::open(dir.path());
    let warnings = told(&mut cache);
    (cache, warnings)
}

fn told(cache: &mut AnalysisCache) -> Vec<String> {
    cache.take_warnings().iter().map(ToString::to_string).collect()
}

fn text(dir: &TempDir) -> String {
    fs::read_to_string(dir.path().join(CACHE)).expect("text")
}

/// A directory whose cache contains these games.
fn with(games: &[&(GameRecord, KnownGame)]) -> TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let (mut cache, warnings) = opened(&dir);
    for (record, known) in games {
        cache.keep(record, known);
    }
    assert_eq!((warnings, told(&mut cache)), (vec![], vec![]));
    dir
}

#[test]
fn what_was_kept_is_found_again_by_what_was_played() {
    let (one, two) = (part("c3"), part("d3"));
    let dir = with(&[&one]);
    let (mut cache, warnings) = opened(&dir);
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(cache.find(&one.0), Some(one.1.clone()));
    assert_eq!(cache.find(&two.0), None);
    let mut others = one.0.clone();
    others.players = BySide { black: "x".to_owned(), white: "y".to_owned() };
    others.opening_plies = 1;
    let found = cache.find(&others).expect("the same moves").analysis;
    assert_eq!(found.moves.iter().map(|judged| judged.given).collect::<Vec<_>>(), [true, false, false]);
    let before = text(&dir);
    cache.tidy();
    assert_eq!(text(&dir), before, "there is nothing to replace");
}

#[test]
fn a_budget_is_enough_if_it_was_as_large_or_if_nothing_is_left_to_find() {
    let (record, half) = part("c3");
    assert!(half.is_enough(&record, SECOND) && !half.is_enough(&record, 2 * SECOND));
    let record = game(None);
    let whole = known(&record, SECOND, true);
    assert!(whole.is_enough(&record, 100 * SECOND));
}

#[test]
fn a_larger_budget_replaces_the_line_of_a_smaller_one() {
    let (record, half) = part("c3");
    let dir = with(&[&(record.clone(), half), &part("d3")]);
    let (mut cache, _) = opened(&dir);
    let more = known(&record, 2 * SECOND, false);
    cache.keep(&record, &more);
    assert_eq!(text(&dir).lines().count(), 3, "before the end, lines are only appended");
    assert_eq!(opened(&dir).0.find(&record), Some(more.clone()), "even before the cache is tidied");
    cache.tidy();
    assert_eq!(text(&dir).lines().count(), 2);
    let (mut cache, warnings) = opened(&dir);
    assert_eq!((cache.find(&record), warnings), (Some(more), vec![]));
}

#[test]
fn damaged_and_torn_lines_are_dropped_and_said_once() {
    let (one, two) = (part("c3"), part("d3"));
    let dir = with(&[&one, &two]);
    let path = dir.path().join(CACHE);
    let whole = text(&dir);
    let (first, second) = whole.split_once('\n').expect("two lines");
    for (damaged, lines) in [
        (
            format!("{}\n{second}", first.replacen("kept", "kepT", 1).replacen("budget", "Budget", 1)),
            "1 line is damaged (the first is line 1)",
        ),
        (format!("\n{first}\nx\n{second}"), "2 lines are damaged (the first is line 1)"),
        (format!("{second}{}", &first[..first.len() / 2]), "1 line is damaged (the first is line 2)"),
        (format!("{second}{first}"), "1 line is damaged (the first is line 2)"),
    ] {
        fs::write(&path, &damaged).expect("written");
        let (mut cache, warnings) = opened(&dir);
        assert!(warnings.len() == 1 && warnings[0].contains(lines), "{warnings:?}\n{damaged}");
        assert_eq!(cache.find(&two.0), Some(two.1.clone()));
        if cache.find(&one.0).is_none() {
            cache.keep(&one.0, &one.1);
            assert_eq!(opened(&dir).0.find(&one.0), Some(one.1.clone()), "a torn line does not affect any other line");
        }
        cache.tidy();
        assert_eq!(told(&mut cache), Vec::<String>::new());
        assert_eq!(text(&dir).lines().count(), 2);
        assert_eq!(opened(&dir).1, Vec::<String>::new());
    }
}

#[test]
fn a_line_that_contradicts_its_game_is_dropped_although_its_checksum_is_right() {
    let (one, two) = (part("c3"), part("d3"));
    let dir = with(&[&one, &two]);
    let (mut cache, _) = opened(&dir);
    // The line for one game with the moves of another, as if it had been edited by hand.
    let mut forged = one.1.clone();
    forged.analysis.moves[2].after = Some(Outcome::of_margin(-1));
    forged.budget = 100 * SECOND;
    cache.keep(&one.0, &forged);
    let (mut cache, warnings) = opened(&dir);
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(cache.find(&one.0), Some(one.1.clone()), "the other line for the game is correct");
    let warnings = told(&mut cache);
    assert!(warnings.len() == 1 && warnings[0].contains("the line for r1-c3 contradicts the game"), "{warnings:?}");
    cache.tidy();
    let (mut cache, _) = opened(&dir);
    assert_eq!((cache.find(&one.0), cache.find(&two.0)), (Some(one.1), Some(two.1)));
    assert!(told(&mut cache).is_empty() && text(&dir).lines().count() == 2);
}

#[test]
fn lines_of_other_versions_stay_until_this_one_has_judged_the_game() {
    let (one, two) = (part("c3"), part("d3"));
    let dir = with(&[&one, &two]);
    let foreign: String = text(&dir)
        .lines()
        .map(|line| {
            let object = line
                .split_once(",\"sum\"")
                .expect("a sum")
                .0
                .replace(&format!("\"solver\":\"{SOLVER}\""), "\"solver\":\"9.9\"");
            crate::base::checksummed_line::with_checksum(object + "}", "")
        })
        .collect();
    fs::write(dir.path().join(CACHE), &foreign).expect("written");
    let (mut cache, warnings) = opened(&dir);
    assert!(warnings.len() == 1 && warnings[0].contains("2 lines are from another version"), "{warnings:?}");
    assert_eq!((cache.find(&one.0), cache.find(&two.0)), (None, None));
    cache.tidy();
    assert_eq!(text(&dir), foreign);
    cache.keep(&one.0, &one.1);
    cache.tidy();
    assert_eq!(text(&dir).matches("\"solver\":\"9.9\"").count(), 1);
    assert_eq!(text(&dir).matches(&format!("\"solver\":\"{SOLVER}\"")).count(), 1);
}

#[test]
fn many_that_append_and_tidy_at_a_time_lose_nothing() {
    let points = ["a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2", "d2", "e2", "a3", "b3"];
    let dir = with(&[]);
    let path = dir.path();
    std::thread::scope(|scope| {
        for own in points.chunks(3) {
            scope.spawn(move || {
                for stone in own {
                    let (record, known) = part(stone);
                    let mut cache = AnalysisCache::open(path);
                    for budget in 1..=5 {
                        cache.keep(&record, &KnownGame { budget: budget * SECOND, ..known.clone() });
                        cache.tidy();
                    }
                    assert_eq!(told(&mut cache), Vec::<String>::new());
                }
            });
        }
    });
    let (mut cache, warnings) = opened(&dir);
    assert_eq!((warnings, text(&dir).lines().count()), (vec![], points.len()));
    for stone in points {
        assert_eq!(cache.find(&game(Some(stone))).expect("kept").budget, 5 * SECOND);
    }
}

#[test]
fn while_another_process_holds_the_file_nothing_is_kept() {
    let one = part("c3");
    let dir = with(&[&one]);
    let (mut cache, _) = opened(&dir);
    let held = fs::File::open(dir.path().join(CACHE)).expect("there");
    held.lock().expect("locked");
    let two = part("d3");
    cache.keep(&two.0, &two.1);
    let warnings = told(&mut cache);
    assert!(warnings.len() == 1 && warnings[0].contains("another process is using it"), "{warnings:?}");
    assert_eq!(cache.find(&two.0), Some(two.1), "it is known nevertheless");
    drop(held);
    assert_eq!(text(&dir).lines().count(), 1);
}

/// Creates something at a path.
type MakeAt<'a> = Box<dyn Fn(&Path) + 'a>;

#[test]
fn anything_but_a_file_is_left_alone() {
    let (one, outside) = (part("c3"), tempfile::tempdir().expect("a directory"));
    let target = outside.path().join("target");
    let makes: [(&str, MakeAt<'_>); 2] = [
        ("a directory", Box::new(|path| fs::create_dir(path).expect("made"))),
        ("a symbolic link", Box::new(|path| std::os::unix::fs::symlink(&target, path).expect("made"))),
    ];
    for (what, make) in makes {
        let dir = with(&[]);
        make(&dir.path().join(CACHE));
        let (mut cache, warnings) = opened(&dir);
        assert!(warnings.len() == 1 && warnings[0].contains(what), "{warnings:?}");
        cache.keep(&one.0, &one.1);
        cache.tidy();
        assert_eq!((cache.find(&one.0), told(&mut cache)), (Some(one.1.clone()), vec![]));
        assert!(!target.exists());
    }
}
