//! A game on the page, from its start to its end.

use super::*;
use crate::exact::margin_table::known::KnownMargins;
use crate::game::Side;
use crate::game::gothello::Game;

#[test]
fn a_game_is_shown_from_its_start_over_its_moves_to_its_end() {
    let mut state = state();
    assert_eq!(framed(&mut state, SECOND), None, "nothing has happened");
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    let now = framed(&mut state, SECOND).expect("a frame")["on"][0].clone();
    assert_eq!(
        now,
        json!({
            "slot": 0, "id": "r1-a-b", "black": 0, "white": 1, "board": ".".repeat(25), "ply": 0, "to": "b",
            "left": ["60", "30"], "spent": [0, 0], "last": null, "run": true, "behind": false, "leads": 0, "calm": false,
        })
    );
    state.moved((SECOND * 3, "r1-a-b"), 1, played("c3"), Some(SECOND * 58));
    let now = seen(&state, SECOND * 5)["now"][0].clone();
    assert_eq!((&now["ply"], &now["to"], &now["last"]), (&json!(1), &json!("w"), &json!("c3")));
    assert_eq!((&now["left"], &now["spent"]), (&json!(["58", "30"]), &json!([0, 2_000])), "it is white's turn");
    assert_eq!(now["board"].as_str().map(|board| board.find('b')), Some(Some(12)));

    end(&mut state, SECOND * 6, ("r1-a-b", 0), &record(["a", "b"], "1. c3 d3", WON));
    let frame = framed(&mut state, SECOND * 6).expect("a frame");
    assert_eq!((&frame["on"], &frame["off"]), (&json!([]), &json!([0])));
    let ended = &frame["ended"][0];
    assert_eq!((&ended["id"], &ended["ply"], &ended["to"]), (&json!("r1-a-b"), &json!(1), &json!(null)));
    assert_eq!((&ended["run"], &ended["left"]), (&json!(false), &json!(["58", "30"])));
    assert_eq!(ended["spent"], json!([0, 3_000]), "as the clocks stood");
    assert_eq!(frame["done"], json!([[0, 1, 1, 0, 2, 0, "", "", "", 0, "r1-a-b", 1]]));
    assert_eq!(frame["log"][0]["text"], "a beats b by 2");
    assert_eq!(frame["moment"], "r1-a-b");
    let all = seen(&state, SECOND * 6);
    assert_eq!(all["page"]["games"], json!([[0, 1, 1, 0, 2, 0, "", "", "", 0, null, 1]]));
    assert_eq!(
        all["progress"],
        json!({"done": 1, "total": 12, "most": false, "eta_s": null, "test": null, "workers": null, "missed": 0})
    );
}

#[test]
fn the_line_of_a_game_says_whether_it_was_played_forfeited_or_void() {
    let forfeit = "[Result \"1-0\"]\n[Termination \"time\"]";
    let drawn = "[Result \"*\"]\n[Termination \"double forfeit\"]";
    for (ending, kind) in [(WON, "game"), (forfeit, "forfeit"), (drawn, "forfeit"), (VOID, "void")] {
        let mut state = state();
        end(&mut state, SECOND, ("r1-a-b", 0), &record(["a", "b"], "1. c3", ending));
        assert_eq!(framed(&mut state, SECOND).expect("a frame")["log"][0]["kind"], kind, "{ending}");
    }
}

#[test]
fn after_a_missed_move_the_board_stays_and_says_so() {
    let mut state = state();
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    state.moved((SECOND, "r1-a-b"), 1, played("c3"), Some(SECOND));
    let before = seen(&state, SECOND)["now"][0]["board"].clone();
    state.moved((SECOND, "r1-a-b"), 3, played("d3"), Some(SECOND));
    state.moved((SECOND, "r1-a-b"), 4, played("e3"), Some(SECOND));
    let now = seen(&state, SECOND)["now"][0].clone();
    assert_eq!((&now["behind"], &now["ply"], &now["to"]), (&json!(true), &json!(1), &json!(null)));
    assert_eq!((&now["board"], &now["run"]), (&before, &json!(false)));
    state.missed(1);
    assert_eq!(seen(&state, SECOND)["progress"]["missed"], 1);
    // A game whose start was missed has no board, but its end counts.
    state.moved((SECOND, "r1-b-a"), 1, played("c3"), None);
    end(&mut state, SECOND, ("r1-b-a", 1), &record(["b", "a"], "1. c3", WON));
    assert_eq!(seen(&state, SECOND)["now"].as_array().map(Vec::len), Some(1));
    assert_eq!(seen(&state, SECOND)["progress"]["done"], 1);
}

#[test]
fn players_that_nobody_announced_are_told_before_their_game() {
    let mut state = LiveState::new(premise(&[], &[]), []);
    assert_eq!(seen(&state, SECOND)["page"]["players"], json!([]));
    start(&mut state, SECOND, "game-1", ["ann", "<b>"]);
    let names = |players: &Value| {
        let players = players.as_array().expect("players").iter();
        players.map(|player| (player["n"].clone(), player["elo"].clone())).collect::<Vec<_>>()
    };
    let frame = framed(&mut state, SECOND).expect("a frame");
    let known = [(json!("ann"), Value::Null), (json!("<b>"), Value::Null)];
    assert_eq!(names(&frame["standings"]), known);
    assert_eq!(
        (names(&seen(&state, SECOND)["page"]["players"]), &frame["on"][0]["white"]),
        (known.to_vec(), &json!(1))
    );
    state.moved((SECOND, "game-1"), 1, played("c3"), None);
    assert_eq!(framed(&mut state, SECOND).expect("a frame").get("standings"), None, "no player is new");
    end(&mut state, SECOND, ("game-2", 1), &record(["eve", "ann"], "1. c3", WON));
    let frame = framed(&mut state, SECOND).expect("a frame");
    assert_eq!(names(&frame["standings"]).len(), 3, "the start of her game was missed");
    state.fit();
    assert_ne!(seen(&state, SECOND)["page"]["players"][2]["elo"], Value::Null);
}

#[test]
fn the_last_board_of_a_game_is_told_if_its_slot_stays_empty() {
    let mut state = state();
    for id in ["r1-a-b", "r1-a-c", "r1-b-c"] {
        start(&mut state, SECOND, id, ["a", "b"]);
    }
    framed(&mut state, SECOND);
    state.moved((SECOND, "r1-a-b"), 1, played("c3"), None);
    end(&mut state, SECOND * 3, ("r1-a-b", 0), &record(["a", "b"], "1. c3", WON));
    end(&mut state, SECOND * 3, ("r1-a-c", 1), &record(["a", "c"], "1. c3", WON));
    state.broken_off("r1-b-c");
    start(&mut state, SECOND, "r2-a-b", ["a", "b"]);
    let frame = framed(&mut state, SECOND).expect("a frame");
    assert_eq!((&frame["on"][0]["id"], &frame["on"][0]["slot"]), (&json!("r2-a-b"), &json!(0)));
    assert_eq!(frame["off"], json!([1, 2]));
    let ids = |frame: &Value| {
        let ended = frame["ended"].as_array().expect("boards").iter();
        ended.map(|board| board["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&frame), ["r1-a-c"], "the first slot is taken again, and the third game was broken off");
    state.moved((SECOND, "r2-a-b"), 1, played("c3"), None);
    state.moved((SECOND, "r2-a-b"), 2, played("d3"), None);
    end(&mut state, SECOND, ("r2-a-b", 2), &record(["a", "b"], "1. c3 d3", WON));
    let frame = framed(&mut state, SECOND).expect("a frame");
    assert_eq!((ids(&frame), &frame["ended"][0]["last"]), (vec!["r2-a-b".to_owned()], &json!("d3")));
    state.note(None, "nothing");
    assert_eq!(ids(&framed(&mut state, SECOND).expect("a frame")), [""; 0]);
}

#[test]
fn a_game_that_begins_just_before_another_one_ends_takes_its_place() {
    let mut state = state();
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    start(&mut state, SECOND * 9, "r1-a-c", ["a", "c"]);
    end(&mut state, SECOND * 9, ("r1-a-b", 0), &record(["a", "b"], "1. c3", WON));
    assert_eq!(seen(&state, SECOND * 9)["ended"], json!([]), "the next game is already on another board");
    start(&mut state, SECOND * 10, "r1-b-c", ["b", "c"]);
    end(&mut state, SECOND * 20, ("r1-a-c", 1), &record(["a", "c"], "1. c3", WON));
    assert_eq!(seen(&state, SECOND * 20)["ended"][0]["id"], "r1-a-c", "no game has begun since");
}

#[test]
fn whoever_opens_the_page_between_two_games_sees_the_last_board_of_a_slot() {
    let mut state = state();
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    state.moved((SECOND, "r1-a-b"), 1, played("c3"), None);
    end(&mut state, SECOND, ("r1-a-b", 0), &record(["a", "b"], "1. c3", WON));
    let last = seen(&state, SECOND)["ended"].clone();
    assert_eq!((&last[0]["id"], &last[0]["last"], &last[0]["to"]), (&json!("r1-a-b"), &json!("c3"), &json!(null)));
    start(&mut state, SECOND, "r1-a-c", ["a", "c"]);
    assert_eq!(seen(&state, SECOND)["ended"], json!([]), "the slot is taken");
    state.broken_off("r1-a-c");
    assert_eq!(seen(&state, SECOND)["ended"], json!([]), "nothing is known of how it ended");
    state.finish();
    assert_eq!(seen(&state, SECOND)["ended"], json!([]));
}

#[test]
fn a_given_opening_is_named_with_its_value_if_that_is_known() {
    let mut state = state();
    let players = || BySeat::from_fn(2, |seat| ["a", "b"][seat.index()].to_owned());
    let opening = |moves: &[&str]| moves.iter().map(|text| played(text)).collect::<Vec<_>>();
    state.started((SECOND, "r1-a-b"), &players(), &opening(&["c3", "d3"]));
    let now = seen(&state, SECOND)["now"][0].clone();
    let worth = KnownMargins::Embedded.outcome(&Game::default().after(played("c3")).after(played("d3")));
    let margin = worth.and_then(|worth| worth.margin).expect("it is in the program");
    let side = if margin > 0 { "black" } else { "white" };
    let expected =
        if margin == 0 { "c3 d3 (a draw)".to_owned() } else { format!("c3 d3 ({side} by {})", margin.abs()) };
    assert_eq!((&now["opening"], &now["ply"]), (&json!(expected), &json!(2)));
    let long = "c3 d3 b2 d4 a5 e1 e5 a1 c5 c1";
    state.started((SECOND, "r1-b-a"), &players(), &opening(&long.split(' ').collect::<Vec<_>>()));
    assert_eq!(seen(&state, SECOND)["now"][1]["opening"], long, "too many stones for the table");
    state.started((SECOND, "r1-c-a"), &players(), &[]);
    assert_eq!(seen(&state, SECOND)["now"][2].get("opening"), None);
}

#[test]
fn a_void_game_gives_way_to_its_next_try_and_is_not_counted() {
    let mut state = state();
    end(&mut state, SECOND, ("r1-a-b", 4), &record(["a", "b"], "", VOID));
    let all = seen(&state, SECOND);
    assert_eq!((&all["page"]["games"][0][3], &all["progress"]["done"]), (&json!(4), &json!(0)));
    assert_eq!(all["log"][0]["kind"], "void");
    end(&mut state, SECOND, ("r1-a-b", 4), &record(["a", "b"], "1. c3", WON));
    let all = seen(&state, SECOND);
    assert_eq!((all["page"]["games"].as_array().map(Vec::len), &all["progress"]["done"]), (Some(1), &json!(1)));
    assert_eq!(all["page"]["games"][0][3], 0);
}

#[test]
fn a_clock_that_counts_cpu_time_stands_still_on_the_page() {
    let mut premise = premise(&["a", "b"], &["a", "b"]);
    premise.table.meter = Meter::Cpu { wall_limit: BySide { black: SECOND * 600, white: SECOND * 600 } };
    let mut state = LiveState::new(premise, []);
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    let now = seen(&state, SECOND * 9)["now"][0].clone();
    assert_eq!((&now["run"], &now["left"], &now["spent"]), (&json!(false), &json!(["60", "30"]), &json!([0, 0])));
}

#[test]
fn what_is_left_is_in_the_terms_of_each_sides_control() {
    let mut premise = premise(&["a", "b"], &["a", "b"]);
    premise.table.clocks = "black 60:3x30 white 1/move+9bank".parse().expect("clocks");
    let mut state = LiveState::new(premise, []);
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    let all = seen(&state, SECOND * 3);
    assert_eq!(all["page"]["clocks"], json!(["60:3x30", "1/move+9bank"]));
    assert_eq!(all["now"][0]["left"], all["page"]["clocks"]);
    assert_eq!(all["now"][0]["spent"], json!([2_000, 0]));
    state.moved((SECOND * 70, "r1-a-b"), 1, played("c3"), Some(SECOND * 60));
    state.moved((SECOND * 75, "r1-a-b"), 2, played("d3"), Some(SECOND * 6));
    let now = seen(&state, SECOND * 80)["now"][0].clone();
    assert_eq!((&now["left"], &now["spent"]), (&json!(["0:2x30", "1/move+5bank"]), &json!([5_000, 0])));
}

#[test]
fn a_game_whose_clocks_were_scaled_says_so() {
    let state = {
        let mut state = state();
        end(&mut state, SECOND, ("r1-a-b", 0), &record(["a", "b"], "1. c3", WON));
        state
    };
    let clocks = |tags: &str| {
        let game = state.game("r1-a-b", &record(["a", "b"], "1. c3", &format!("{tags}{WON}"))).expect("it is known");
        serde_json::from_str::<Value>(&game).expect("JSON")[12]["clocks"].clone()
    };
    let control = "[TimeControl \"black 60 white 30\"]\n";
    assert_eq!(clocks(control), Value::Null);
    assert_eq!(clocks(&format!("{control}[TimeScale \"1.50\"]\n")), json!(["90", "45"]));
}

#[test]
fn a_game_is_calm_once_it_has_lasted_and_while_its_plies_are_few() {
    let mut state = state();
    start(&mut state, Duration::ZERO, "r1-a-b", ["a", "b"]);
    let is_calm = |state: &LiveState, at: u64| seen(state, Duration::from_millis(at))["now"][0]["calm"] == true;
    assert!(!is_calm(&state, 2_999) && is_calm(&state, 3_000));
    for ply in 1..=20 {
        state.moved((Duration::from_millis(3_000 + ply * 10), "r1-a-b"), 99, played("c3"), None);
    }
    assert!(!is_calm(&state, 4_000), "20 plies in 4 s");
    assert!(!is_calm(&state, 10_000), "20 plies in 10 s");
    assert!(is_calm(&state, 11_000), "20 plies in 11 s");
}

#[test]
fn a_game_that_has_been_analyzed_has_its_values() {
    let mut page = state();
    let played = record(["a", "b"], "1. c3 d3", WON);
    end(&mut page, SECOND, ("r1-a-b", 0), &played);
    end(&mut page, SECOND, ("r1-b-c", 1), &record(["b", "c"], "", VOID));
    assert_eq!(framed(&mut page, SECOND).expect("a frame").get("judged"), None);
    assert_eq!(page.next_to_analyze().as_deref(), Some("r1-a-b"));
    assert_eq!(page.next_to_analyze(), None, "there is nothing to analyze in a game that is void");
    page.analyzed("r1-a-b", "Z22".to_owned());
    assert_eq!(framed(&mut page, SECOND).expect("a frame")["judged"], json!([["r1-a-b", "Z22"]]));
    let entry: Value = serde_json::from_str(&page.game("r1-a-b", &played).expect("an entry")).expect("JSON");
    assert_eq!(entry[8], "Z22");
}

#[test]
fn a_board_has_the_latest_claim_of_each_player_that_has_claimed_anything() {
    let mut state = state();
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    let board = |state: &LiveState| seen(state, SECOND)["now"][0].clone();
    assert_eq!(board(&state).get("say"), None);
    for (seat, claims) in [(Side::Black, "D9"), (Side::Black, "+3 W0.73"), (Side::Black, "N12"), (Side::White, "-1")] {
        state.told("r1-a-b", seat.into(), &claims.parse().expect("a thought"));
    }
    state.told("r9-a-b", Side::Black.into(), &"+9".parse().expect("a thought"));
    assert_eq!(board(&state)["say"], json!(["+3, 73%", "-1"]));
}
