//! Tests of the state for games with more than two seats.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::tests::{SECOND, Watcher, framed, played, premise, seen};
use super::*;
use crate::game::{Fraction, Ruleset, Seat, Standing};
use crate::referee::record::{GroupRecord, Out, Ply, Tries};
use crate::referee::result::{Termination, Void};

const NAMES: [&str; 4] = ["ann", "bo", "cy", "dee"];

fn table_of(seats: u8, names: &[&str], shown: &[&str]) -> LiveState {
    let mut premise = premise(names, shown);
    premise.table.ruleset = if seats == 4 { "quantum-8-4p" } else { "quantum-6p" }.parse().expect("a rule set");
    premise.table.clocks = "60".parse().expect("clocks");
    LiveState::new(premise, [])
}

fn state() -> LiveState {
    table_of(4, &NAMES, &NAMES)
}

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

fn names(names: &[&str]) -> BySeat<String> {
    BySeat::new(names.iter().map(|name| (*name).to_owned()).collect()).expect("seats")
}

fn out(number: u8, after_plies: usize, why: Termination) -> DropOutNews {
    DropOutNews { seat: seat(number), after_plies: Some(after_plies), why }
}

/// The record of a game between `players` that ended with the places `placing`. The seats `outs` dropped out, one after
/// each ply.
fn record(players: &[&str], placing: &[u8], outs: &[u8]) -> GroupRecord {
    let ruleset = if players.len() == 4 { "quantum-8-4p" } else { "quantum-6p" }.parse().expect("a rule set");
    let standing = Standing {
        placing: BySeat::new(placing.to_vec()).expect("seats"),
        totals: BySeat::new(placing.iter().map(|&place| Fraction::new(60 - 9 * i32::from(place), 2)).collect())
            .expect("seats"),
        points: BySeat::new(placing.iter().map(|_| 0).collect()).expect("seats"),
        counts: Vec::new(),
    };
    let mut record = GroupRecord::of(ruleset, names(players), Ok(standing));
    let how = |(after_plies, &seat): (usize, &u8)| Out {
        seat: self::seat(seat),
        after_plies,
        termination: Termination::Crash,
        reason: Some("could not read `/home/ann/bot`".to_owned()),
    };
    record.outs = outs.iter().enumerate().map(how).collect();
    record.round = Some(1);
    record
}

fn end(state: &mut LiveState, (id, number): (&str, u64), record: GroupRecord) {
    state.ended(SECOND, EndedGame { id, number, record: &record.into() });
}

#[test]
fn a_game_of_four_is_shown_by_its_seats_from_its_start_over_a_drop_out_to_its_places() {
    let mut state = state();
    state.started((SECOND, "r1-t1-g1"), &names(&["dee", "cy", "bo", "ann"]), &[]);
    let page = seen(&state, SECOND)["page"].clone();
    assert_eq!((&page["seats"], page["seatRows"].as_array().map(Vec::len)), (&json!(4), Some(4)));
    let now = framed(&mut state, SECOND).expect("a frame")["on"][0].clone();
    assert_eq!((&now["players"], &now["black"], &now["white"]), (&json!([3, 2, 1, 0]), &Value::Null, &Value::Null));
    assert_eq!(
        (&now["to"], &now["left"], &now["spent"]),
        (&json!(1), &json!(["60", "60", "60", "60"]), &json!([0, 0, 0, 0]))
    );
    assert_eq!((&now["outs"], now["stones"].as_array().map(Vec::len)), (&json!([]), Some(4)));
    let before = now["stones"][0].as_u64().expect("a supply");

    let mut position = "quantum-8-4p".parse::<Ruleset>().expect("a rule set").start();
    let first = position.legal_moves()[0];
    position.play(first.as_str()).expect("legal");
    state.moved((SECOND * 3, "r1-t1-g1"), 1, first, Some(SECOND * 58));
    let now = seen(&state, SECOND * 5)["now"][0].clone();
    assert_eq!((&now["to"], &now["left"][0], &now["spent"]), (&json!(2), &json!("58"), &json!([0, 2_000, 0, 0])));
    assert_eq!(now["stones"][0].as_u64(), Some(before - 1));

    // If a player drops out during another player's turn, the clock runs on.
    state.dropped_out((SECOND * 6, "r1-t1-g1"), out(3, 1, Termination::Crash));
    let now = seen(&state, SECOND * 7)["now"][0].clone();
    assert_eq!((&now["to"], &now["spent"][1]), (&json!(2), &json!(4_000)));
    assert_eq!(now["outs"], json!([{"seat": 3, "ply": 1, "why": "crash"}]));
    let line = &seen(&state, SECOND)["log"][0];
    assert_eq!((&line["kind"], &line["game"]), (&json!("out"), &Value::Null));
    assert_eq!(line["text"], "bo (seat 3) drops out (crash) after ply 1; the others play on");

    // Seat 4's turn follows seat 2's.
    position.drop_out(seat(3));
    let second = position.legal_moves()[0];
    position.play(second.as_str()).expect("legal");
    state.moved((SECOND * 8, "r1-t1-g1"), 2, second, Some(SECOND * 55));
    let now = seen(&state, SECOND * 8)["now"][0].clone();
    assert_eq!((&now["to"], &now["behind"], &now["ply"]), (&json!(4), &json!(false), &json!(2)));
    let letters: String = now["board"].as_str().expect("letters").chars().take(64).collect();
    assert_eq!(letters, position.to_string().split_whitespace().take(8).collect::<String>());

    framed(&mut state, SECOND * 8);
    end(&mut state, ("r1-t1-g1", 0), record(&["dee", "cy", "bo", "ann"], &[1, 1, 4, 3], &[3]));
    let frame = framed(&mut state, SECOND * 9).expect("a frame");
    assert_eq!((&frame["ended"][0]["id"], &frame["ended"][0]["to"]), (&json!("r1-t1-g1"), &Value::Null));
    let totals = json!(["25.5", "25.5", "12", "16.5"]);
    let entry = json!([[3, 2, 1, 0], null, 1, [1, 1, 4, 3], totals, [[3, "crash"]], "", "", "", 0, "r1-t1-g1", 1]);
    assert_eq!(frame["done"], json!([entry]));
    let line = &frame["log"][0];
    assert_eq!((&line["kind"], &line["game"]), (&json!("forfeit"), &json!("r1-t1-g1")));
    assert_eq!(line["text"], "dee 1st, cy 1st, ann 3rd, bo out (crash)", "the reason names a file");
}

#[test]
fn standings_of_a_group_have_places_and_seats_have_advantages() {
    let mut state = state();
    end(&mut state, ("r1-t1-g1", 0), record(&NAMES, &[1, 2, 3, 4], &[]));
    end(&mut state, ("r1-t1-g2", 1), record(&["dee", "ann", "bo", "cy"], &[4, 1, 2, 2], &[1]));
    state.fit();
    let frame = framed(&mut state, SECOND).expect("a frame");
    let ann = &frame["standings"][0];
    assert_eq!((&ann["n"], &ann["rank"], &ann["games"]), (&json!("ann"), &json!(1), &json!(2)));
    assert_eq!((&ann["pts"], &ann["mean"], &ann["places"]), (&json!(6.0), &json!(1.0), &json!([2, 0, 0, 0])));
    assert_eq!((&frame["standings"][3]["f"], &frame["standings"][2]["pts"]), (&json!({"crash": 1}), &json!(2.5)));
    assert!(ann["elo"].as_i64() > frame["standings"][1]["elo"].as_i64());
    let games: Vec<&Value> = frame["seatRows"].as_array().expect("seats").iter().map(|seat| &seat["games"]).collect();
    assert_eq!(games, [2, 2, 2, 2]);
    assert!(state.document().contains("Placed ahead") && state.document().contains("data-kind=\"live\""));
}

#[test]
fn after_a_missed_drop_out_the_boards_of_groups_stay() {
    let mut state = state();
    state.started((SECOND, "r1-t1-g1"), &names(&NAMES), &[]);
    let before = seen(&state, SECOND)["now"][0]["board"].clone();
    state.lost_track();
    state.moved((SECOND, "r1-t1-g1"), 1, played("c4"), None);
    let now = seen(&state, SECOND)["now"][0].clone();
    assert_eq!((&now["behind"], &now["to"], &now["board"]), (&json!(true), &Value::Null, &before));
    // A seat that drops out after a missed ply is marked nevertheless.
    state.dropped_out((SECOND, "r1-t1-g1"), out(2, 9, Termination::Time));
    state.dropped_out((SECOND, "r1-t1-g1"), out(2, 9, Termination::Time));
    assert_eq!(seen(&state, SECOND)["now"][0]["outs"], json!([{"seat": 2, "ply": 9, "why": "time"}]));
    assert_eq!(seen(&state, SECOND)["log"].as_array().map(Vec::len), Some(1), "a seat drops out once");
}

#[test]
fn pseudonyms_and_hostile_names_of_a_group_are_data() {
    let hostile = "</script><img src=x onerror=alert(1)>\u{202e}";
    let secret = ["xyzzy", "plugh", "quux", hostile];
    let mut state = table_of(4, &secret, &["Fox", "Owl", "Elk", "Hen"]);
    state.started((SECOND, "r1-t1-g1"), &names(&secret), &[]);
    state.dropped_out((SECOND, "r1-t1-g1"), out(4, 0, Termination::Resignation));
    end(&mut state, ("r1-t1-g1", 0), record(&secret, &[1, 2, 3, 4], &[4]));
    state.fit();
    let (text, document) = (state.snapshot(SECOND), state.document());
    assert!(text.contains("Hen (seat 4) resigns after ply 0") && text.contains("Fox 1st, Owl 2nd"), "{text}");
    assert!(["xyzzy", "plugh", "quux", "onerror", "\u{202e}"].iter().all(|secret| !text.contains(secret)), "{text}");
    assert!(["xyzzy", "plugh", "quux", "<img"].iter().all(|secret| !document.contains(secret)));

    let mut open = table_of(4, &["ann", "bo", "cy", hostile], &["ann", "bo", "cy", hostile]);
    end(&mut open, ("r1-t1-g1", 0), record(&["ann", "bo", "cy", hostile], &[4, 2, 3, 1], &[1]));
    open.fit();
    let line = seen(&open, SECOND)["log"][0]["text"].as_str().expect("text").to_owned();
    assert!(line.starts_with("</script><img src=x onerror=alert(1)>\\u{202e} 1st"), "{line}");
    assert!(!open.document().contains("<img"), "names are never markup");
}

#[test]
fn a_group_is_an_upset_if_its_winner_is_rated_below_all_others() {
    let mut state = state();
    for (number, turn) in (0..150).zip((0..4).cycle()) {
        // The last player wins every fifth game, and the players take turns in the seats, so that ratings are certain.
        let mut placing = if number % 5 == 0 { [2, 2, 2, 1] } else { [1, 1, 1, 4] };
        let mut names = NAMES;
        placing.rotate_left(turn);
        names.rotate_left(turn);
        end(&mut state, (&format!("r1-t1-g{number}"), number), record(&names, &placing, &[]));
    }
    state.fit();
    let mut won = record(&["bo", "dee", "ann", "cy"], &[2, 1, 3, 4], &[]);
    won.plies.push(ply());
    end(&mut state, ("r1-t2-g1", 999), won);
    let log = seen(&state, SECOND)["log"].clone();
    let told = log.as_array().expect("lines").iter().find(|line| line["kind"] == "highlight").expect("an upset");
    let text = told["text"].as_str().expect("a text");
    assert!(text.starts_with("Upset! dee 1st, ") && text.contains(" (+"), "{told}");
    assert_eq!(log.as_array().map(Vec::len), Some(151), "an upset is told in the line of its game");
}

/// A ply of seat 1.
fn ply() -> Ply {
    Ply {
        seat: seat(1),
        played: played("c4"),
        elapsed: None,
        left: None,
        late_credit: false,
        tries: Tries::default(),
        thought: None,
        note: None,
    }
}

#[derive(Clone, Debug)]
enum Happening {
    Begin(usize),
    Move(usize, usize, usize),
    DropOutNews(usize, u8, usize),
    End(usize, bool),
    Lose,
    Frame,
    Fit,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let game = || 0..3_usize;
    let one = prop_oneof![
        2 => game().prop_map(Happening::Begin),
        6 => (game(), 1..5_usize, 0..60_usize).prop_map(|(game, ply, nth)| Happening::Move(game, ply, nth)),
        3 => (game(), 1..=6_u8, 0..4_usize).prop_map(|(game, seat, ply)| Happening::DropOutNews(game, seat, ply)),
        2 => (game(), any::<bool>()).prop_map(|(game, is_void)| Happening::End(game, is_void)),
        1 => Just(Happening::Lose),
        3 => Just(Happening::Frame),
        1 => Just(Happening::Fit),
    ];
    proptest::collection::vec(one, 0..50)
}

proptest! {
    #[test]
    fn whoever_applies_the_frames_of_groups_sees_what_a_late_comer_sees(
        happenings in happenings(),
        join in 0..50_usize,
        is_six in any::<bool>(),
    ) {
        let all = ["a", "b", "c", "d", "e", "f"];
        let seats = if is_six { 6 } else { 4 };
        let players = &all[..usize::from(seats)];
        let mut state = table_of(seats, players, players);
        let mut watcher = Watcher::of(&seen(&state, SECOND));
        for (number, happening) in happenings.into_iter().enumerate() {
            if number == join {
                watcher = Watcher::of(&seen(&state, SECOND));
            }
            let id = |game: usize| format!("r1-t1-g{game}");
            match happening {
                Happening::Begin(game) => state.started((SECOND, &id(game)), &names(players), &[]),
                Happening::Move(game, ply, nth) => {
                    let text = format!("{}{}", ["c", "d", "e", "f"][nth % 4], nth / 15 + 3);
                    state.moved((SECOND, &id(game)), ply, played(&text), Some(SECOND));
                }
                Happening::DropOutNews(game, number, ply) => {
                    state.dropped_out((SECOND, &id(game)), out(number, ply, Termination::Crash));
                }
                Happening::End(game, is_void) => {
                    let placing: Vec<u8> = (1..=seats).collect();
                    let mut record = record(players, &placing, &[seats]);
                    if is_void {
                        record.result = Err(Void { reason: "no port".to_owned() });
                    }
                    end(&mut state, (&id(game), game as u64), record);
                }
                Happening::Lose => state.lost_track(),
                Happening::Frame => watcher.apply_some(framed(&mut state, SECOND).as_ref()),
                Happening::Fit => state.fit(),
            }
        }
        watcher.apply_some(framed(&mut state, SECOND).as_ref());
        prop_assert_eq!(watcher, Watcher::of(&seen(&state, SECOND)));
    }
}
