//! The exact values on a page: how they are found and kept, and what is shown of them.

use std::collections::BTreeSet;
use std::fs;

use gothello_arena::referee::record::GameRecord;
use serde_json::Value;

use super::{Page, played, report};
use crate::cli::command_line::text;
use crate::harness::arena::{Arena, random_and_greedy};

#[test]
fn values_are_kept_and_shown_by_later_pages() {
    let arena = played();
    let values = |page: &Page| -> Vec<Value> { page.games().iter().map(|game| game[8].clone()).collect() };
    let judged = report(&arena, &["out", "--analysis", "4s", "--budget", "1s"]);
    let found = values(&judged);
    assert!(found.iter().any(|values| values != ""), "judging the ends of games takes no time");
    assert!(judged.text_of("judged").contains(" of 4 games judged by exact values."), "{}", judged.text_of("judged"));
    let kept = report(&arena, &["out"]);
    assert_eq!(values(&kept), found);
    assert_eq!(kept.data["players"], judged.data["players"]);
    assert!(values(&report(&arena, &["out", "--analysis", "none"])).iter().all(|values| values == ""));
    for (game, values) in kept.games().iter().zip(&found).filter(|(_, values)| *values != "") {
        let record: GameRecord = arena.record(&kept.id(game));
        // There is one letter per position, and better moves have two letters each, without the lines in parentheses.
        let text = values.as_str().expect("a text");
        let lines: Vec<&str> = text.split('(').skip(1).map(|rest| rest.split_once(')').expect("a line").0).collect();
        assert!(lines.iter().all(|line| (1..=11).contains(&line.len())), "{text}");
        let positions =
            text.split('!').map(str::len).sum::<usize>() - lines.iter().map(|line| line.len() + 2).sum::<usize>();
        let better = text.matches('!').count();
        assert_eq!(positions - better, record.plies.len() + 1);
    }
}

#[test]
fn the_page_of_a_player_has_its_mistakes_accuracy_and_times_without_the_script() {
    let arena = played();
    let page = report(&arena, &["out", "--analysis", "4s", "--budget", "1s"]);
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let players = page.data["players"].as_array().expect("players");
    let of_game =
        |place: &Value| page.id(&page.games()[usize::try_from(place.as_u64().expect("a place")).expect("few")]);
    for player in players {
        let slug = player["s"].as_str().expect("a slug");
        let text = page.text_of(&format!("p={slug}"));
        assert_eq!(text.contains("Think times") && text.contains("Median "), slug != "says_no", "{slug}: {text}");
        let is_judged = player["acc"]["judged"].as_u64().is_some_and(|judged| judged > 0);
        assert_eq!(text.contains("as black") && text.contains("winner kept"), is_judged, "{slug}");
        let worst = player["worst"].as_array().cloned().unwrap_or_default();
        let wanted = worst.iter().map(|mistake| format!("#g={}&p={}", of_game(&mistake[0]), mistake[1]));
        let article = document.descendants().find(|node| node.attribute("id") == Some(&format!("p={slug}")));
        let is_puzzle = |node: &roxmltree::Node<'_, '_>| {
            node.ancestors().any(|around| around.attribute("class") == Some("puzzles"))
        };
        let nodes = article.expect("an article").descendants().filter(|node| !is_puzzle(node));
        let links = nodes.filter_map(|node| node.attribute("href"));
        let shown = links.filter(|link| link.contains("&p="));
        assert!(shown.eq(wanted), "{slug}");
    }
    assert!(players.iter().any(|player| player["worst"].is_array()), "random play makes mistakes");
}

#[test]
fn a_player_has_the_puzzles_that_it_missed_and_they_are_those_of_the_run() {
    let arena = Arena::new(concat!("rounds = 4\nseed = 2\n", random_and_greedy!()));
    assert!(arena.run(&[]).status.success());
    let without = report(&arena, &["out", "--analysis", "none"]);
    assert!(!without.html.contains("class=\"puzzles\""), "nothing is judged yet");
    let page = report(&arena, &["out", "--analysis", "10m"]);
    assert_eq!(page.html, report(&arena, &["out"]).html, "the same values give the same puzzles");
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let answers = document.descendants().filter(|node| node.tag_name().name() == "details");
    let answers: Vec<String> = answers
        .map(|node| node.descendants().filter_map(|part| part.text()).next_back().unwrap_or_default().to_owned())
        .collect();
    assert!((1..=6).contains(&answers.len()), "{answers:?}");
    let listed = arena.output(&["puzzles", "out", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let listed: BTreeSet<&str> =
        listed["puzzles"].as_array().into_iter().flatten().filter_map(|puzzle| puzzle["answer"].as_str()).collect();
    // A position may be shown in an orientation in which it was played later; its answer is then an image of the listed
    // answer.
    assert!(answers.iter().any(|answer| listed.contains(answer.as_str())), "{answers:?} {listed:?}");
    assert!(!report(&arena, &["out", "--games", "none"]).html.contains("class=\"puzzles\""));
}

#[test]
fn a_page_may_leave_what_earlier_analyses_found_alone() {
    let arena = played();
    let kept = arena.out().join("analysis.jsonl");
    let is_judged = |page: &Page| page.games().iter().any(|game| game[8] != "");
    assert!(is_judged(&report(&arena, &["out", "--analysis", "4s", "--budget", "1s", "--no-cache"])));
    assert!(!kept.exists());
    assert!(is_judged(&report(&arena, &["out", "--analysis", "4s", "--budget", "1s"])));
    let before = fs::read(&kept).expect("a cache");
    assert!(!is_judged(&report(&arena, &["out", "--analysis", "kept", "--no-cache"])));
    report(&arena, &["out", "--analysis", "4s", "--budget", "1s", "--no-cache"]);
    assert_eq!(fs::read(&kept).expect("a cache"), before);
    let output = arena.output(&["report", "out", "--no-cache"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--analysis"), "{}", text(&output.stderr));
}

#[test]
fn the_last_line_says_how_many_games_were_judged() {
    let arena = Arena::new(concat!("rounds = 100\n", random_and_greedy!()));
    assert_eq!(arena.run(&[]).status.code(), Some(0));
    // The first few games use up all of the time.
    let output = arena.output(&["report", "out", "--analysis", "1s"]);
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(
        stderr.contains(" of 200 games were judged within 1s (`--analysis`); there was no time for the other "),
        "{stderr}"
    );
}
