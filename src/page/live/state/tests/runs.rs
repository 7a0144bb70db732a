//! Tests of runs: how they begin and continue, their formats and their workers.

use super::*;
use crate::tournament::Tournament;
use crate::tournament::schedule::{GameSpec, Schedule};
use crate::tournament::sprt::{PlayedPair, Sprt, TestedPairs};

#[test]
fn a_page_of_a_run_that_goes_on_shows_the_games_of_before() {
    let [first, void] =
        [summary("r1-a-b", &record(["a", "b"], "1. c3", WON)), summary("r1-b-a", &record(["b", "a"], "", VOID))];
    let mut page = state();
    page.note(Some("c"), "is being built");
    let before = framed(&mut page, SECOND).expect("a frame")["seq"].clone();
    page.replace(LiveState::new(premise(&["a", "b", "c"], &["a", "b", "c"]), [(0, first), (1, void)]));
    let frame = framed(&mut page, SECOND).expect("a frame");
    assert_eq!((before, &frame["seq"]), (json!(1), &json!(2)));
    let all = seen(&page, SECOND);
    assert_eq!(all["page"]["games"].as_array().map(Vec::len), Some(2));
    assert_eq!((&all["progress"]["done"], &all["log"][0]["text"]), (&json!(1), &json!("c is being built")));
    assert_eq!(all["page"]["players"][0]["g"], json!([1, 0, 0]));
    assert_eq!((all["over"].clone(), all["page"]["soFar"].clone()), (json!(false), json!(true)));
    page.finish();
    let all = seen(&page, SECOND);
    assert_eq!((all["over"].clone(), all["page"]["soFar"].clone()), (json!(true), json!(true)), "games are missing");
}

#[test]
fn a_run_that_goes_on_tells_of_its_latest_games_and_of_shorter_ones_alone() {
    let long = record(["a", "b"], "1. c3 d3 2. d4", WON);
    let first = summary("r1-a-b", &long);
    let mut page = state();
    page.replace(LiveState::new(premise(&["a", "b", "c"], &["a", "b", "c"]), [(0, first)]));
    page.recall("r1-a-b", &long);
    page.recall("r1-x-b", &record(["x", "b"], "1. c3", WON));
    end(&mut page, SECOND, ("r1-c-b", 1), &record(["c", "b"], "1. c3 d3 2. d4 b2", WON));
    end(&mut page, SECOND, ("r1-a-c", 2), &record(["a", "c"], "1. c3", WON));
    let all = seen(&page, SECOND);
    let told: Vec<&str> =
        all["log"].as_array().expect("lines").iter().filter_map(|line| line["text"].as_str()).collect();
    let short = "The shortest game so far: a v c, 1 ply";
    assert_eq!(told, ["a beats b by 2", "c beats b by 2", short, "a beats c by 2"]);
    assert_eq!(all["progress"]["done"], 3, "a game that is recalled is not counted again");
}

/// The state of a knockout tournament between the players `names`, which the page calls `shown`.
fn knockout(names: &[&str], shown: &[&str]) -> LiveState {
    let player = |name: &&str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
    let text = format!("format = \"knockout\"\n{}", names.iter().map(player).collect::<String>());
    let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
    LiveState::new(Premise { history: FormatHistory::new(&tournament, None), ..premise(names, shown) }, [])
}

#[test]
fn the_page_has_the_result_by_the_format_as_of_the_last_fit() {
    let mut page = knockout(&["quux", "xyzzy"], &["Fox", "Owl"]);
    assert!(page.document().contains("id=\"result\"") && page.document().contains("No champion yet."));
    end(&mut page, SECOND, ("r1-quux-xyzzy", 0), &record(["quux", "xyzzy"], "1. c3", WON));
    end(
        &mut page,
        SECOND,
        ("r1-xyzzy-quux", 1),
        &record(["xyzzy", "quux"], "1. c3", &WON.replace("0-1", "1-0").replace("\"2", "\"-2")),
    );
    assert!(page.document().contains("No champion yet."));
    page.fit();
    let places: Vec<Value> =
        [0, 1].map(|player| seen(&page, SECOND)["page"]["players"][player]["place"].clone()).into();
    assert_eq!(places, [json!([0, 1, "champion"]), json!([1, 2, "out"])], "the champion comes first");
    let document = page.document();
    assert!(document.contains("<strong><a href=\"#p=fox\">Fox</a></strong>"), "{document}");
    assert!(!document.contains("quux") && !document.contains("xyzzy"), "{document}");
    assert!(!state().document().contains("id=\"result\""));
}

/// How the page says that the run has ended: whether it is complete, and the text.
fn ending(page: &mut LiveState) -> (bool, String) {
    assert_eq!(seen(page, SECOND)["ending"], json!(null), "games may follow");
    page.finish();
    let ending = framed(page, SECOND).expect("a frame")["ending"].clone();
    assert_eq!(ending, seen(page, SECOND)["ending"]);
    assert_eq!(ending["complete"], !seen(page, SECOND)["page"]["soFar"].as_bool().expect("a bool"));
    (ending["complete"] == true, ending["text"].as_str().expect("text").to_owned())
}

#[test]
fn the_leader_of_an_interrupted_run_has_not_won_it() {
    let of_three_games = || LiveState::new(Premise { total: Some(3), ..premise(&["a", "b"], &["Fox", "Owl"]) }, []);
    let mut page = of_three_games();
    end(&mut page, SECOND, ("r1-a-b", 0), &record(["a", "b"], "1. c3", WON));
    end(&mut page, SECOND, ("r1-b-a", 1), &record(["b", "a"], "", VOID));
    let early = "The run has ended early. So far, 1 of 3 games are finished: Fox is first, with 1 of 1 point.";
    let (is_complete, text) = ending(&mut page);
    assert!(!is_complete && text.starts_with(early), "{text}");
    assert!(page.document().contains("So far: 1 of 3 games are finished."));

    let mut page = of_three_games();
    for (number, id) in ["r1-a-b", "r2-a-b", "r3-a-b"].into_iter().enumerate() {
        end(&mut page, SECOND, (id, number as u64), &record(["a", "b"], "1. c3", WON));
    }
    let (is_complete, text) = ending(&mut page);
    let over = "The run is over. Fox is first, with 3 of 3 points.";
    assert!(is_complete && text.starts_with(&format!("{over} ")), "{text}");
    let log = seen(&page, SECOND)["log"].clone();
    let last = log.as_array().and_then(|lines| lines.last()).expect("a line");
    assert_eq!((&last["kind"], &last["text"]), (&json!("highlight"), &json!(over)));
    assert!(!page.document().contains("So far"));
    assert_eq!(ending(&mut of_three_games()), (false, "The run has ended early.".to_owned()));
}

#[test]
fn a_knockout_is_over_with_its_champion_and_has_at_most_so_many_games() {
    let mut page = knockout(&["quux", "xyzzy"], &["Fox", "Owl"]);
    page.premise.total = Some(8);
    page.premise.is_most = true;
    end(&mut page, SECOND, ("r1-quux-xyzzy", 0), &record(["quux", "xyzzy"], "1. c3", WON));
    assert!(page.document().contains("So far: 0 of at most 8 games are finished."), "as of the last fit");
    let mut early = knockout(&["quux", "xyzzy"], &["Fox", "Owl"]);
    early.premise.total = Some(8);
    end(&mut early, SECOND, ("r1-quux-xyzzy", 0), &record(["quux", "xyzzy"], "1. c3", WON));
    let (is_complete, text) = ending(&mut early);
    let so_far = "The run has ended early. So far, 1 game is finished: Fox is first, with 1 of 1 point.";
    assert!(!is_complete && text.starts_with(so_far), "{text}");
    let second = record(["xyzzy", "quux"], "1. c3", &WON.replace("0-1", "1-0").replace("\"2", "\"-2"));
    end(&mut page, SECOND, ("r1-xyzzy-quux", 1), &second);
    assert_eq!(ending(&mut page), (true, "The run is over. Fox wins the knockout.".to_owned()));
}

#[test]
fn a_sequential_test_has_figures_and_ends_with_its_verdict() {
    let sprt = Sprt::new(0.0, 50.0, 0.05, 0.05).expect("a test");
    let progress = *TestedPairs::new(sprt).progress();
    let test = Some(Test { player: "Fox".to_owned(), opponent: "Owl".to_owned(), progress });
    let mut page =
        LiveState::new(Premise { test, total: Some(20), is_most: true, ..premise(&["a", "b"], &["Fox", "Owl"]) }, []);
    let before = seen(&page, SECOND)["figures"].clone();
    let values = before.as_array().expect("values");
    assert!(values.contains(&json!("0 pairs")) && page.document().contains("<section id=\"test\""), "{values:?}");
    end(&mut page, SECOND, ("r1-a-b", 0), &record(["a", "b"], "1. c3", WON));
    let second = record(["b", "a"], "1. c3", &WON.replace("0-1", "1-0").replace("\"2", "\"-2"));
    end(&mut page, SECOND, ("r1-b-a", 1), &second);
    let mut tested = TestedPairs::new(sprt);
    tested.add(PlayedPair { half_points: 4, moves: None });
    page.tested(tested.progress());
    assert!(page.wants_fit(SECOND));
    page.fit();
    let frame = framed(&mut page, SECOND).expect("a frame");
    assert!(frame["figures"].as_array().expect("values").contains(&json!("1 pair")), "{frame}");
    let test_text = frame["progress"]["test"].as_str().expect("text");
    assert!(test_text.starts_with("LLR 0.") && test_text.ends_with(" after 1 pair"), "{test_text}");
    assert_eq!((&frame["progress"]["total"], &frame["progress"]["most"]), (&json!(20), &json!(true)));
    let (is_complete, said) = ending(&mut page);
    assert!(
        !is_complete && said.starts_with("The run has ended early. Not decided after 1 pair: whether Fox is "),
        "{said}"
    );
}

#[test]
fn the_next_games_are_told_when_they_change() {
    let player = |name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
    let tournament = Tournament::parse(&["a", "b", "c"].map(player).concat(), "test");
    let tournament = tournament.unwrap_or_else(|problems| panic!("{problems}"));
    let games: Vec<_> = Schedule::new(&tournament).games().collect();
    // The page numbers the players differently.
    let upcoming = Some(Upcoming::new(Schedule::new(&tournament), vec![2, 0, 1]));
    let mut page = LiveState::new(Premise { upcoming, ..premise(&["b", "c", "a"], &["b", "c", "a"]) }, []);
    let number = |player: usize| [2, 0, 1][player];
    let told = |game: &GameSpec| json!({ "players": game.players.as_ref().map(|&player| number(player)), "round": 1 });
    assert_eq!(seen(&page, SECOND)["next"], json!(games.iter().take(5).map(told).collect::<Vec<_>>()));
    let name = |player: usize| ["a", "b", "c"][player].to_owned();
    page.started((SECOND, games[0].id.as_str()), &games[0].players.as_ref().map(|&player| name(player)), &[]);
    let frame = framed(&mut page, SECOND).expect("a frame");
    assert_eq!(frame["next"], json!(games.iter().skip(1).take(5).map(told).collect::<Vec<_>>()));
    page.note(None, "nothing");
    assert_eq!(framed(&mut page, SECOND).expect("a frame").get("next"), None);
}

#[test]
fn a_page_that_is_behind_says_so_also_without_a_script() {
    let mut page = state();
    assert!(!page.document().contains("This page is"));
    page.serve_under(ServingTerms { delay: SECOND * 90, answers: false });
    assert!(page.document().contains("This page is 1m 30s behind."));
    page.replace(state());
    assert!(page.document().contains("This page is 1m 30s behind."), "the run has begun");
    assert_eq!(seen(&page, SECOND)["delay_s"], 90);
}

#[test]
fn a_run_that_begins_makes_a_new_document() {
    let mut page = state();
    let fits = page.fits();
    page.replace(state());
    assert_ne!(page.fits(), fits);
}

#[test]
fn workers_are_counted_and_not_named() {
    let mut state = state();
    for (workers, slots, said) in
        [(1, 1, "1 worker, 1 game at a time"), (3, 10, "3 workers, 10 games at a time"), (0, 0, "no workers left")]
    {
        state.staffed(workers, slots);
        let frame: Value = serde_json::from_str(&state.frame(SECOND).expect("news")).expect("JSON");
        assert_eq!(frame["progress"]["workers"], said);
    }
}
