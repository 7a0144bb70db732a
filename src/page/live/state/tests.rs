//! Tests of the fold: what a page shows after each event.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::game::{BySide, Ruleset};
use crate::referee::clock::Meter;
use crate::referee::time_control::TimeControl;
use crate::tournament::{Tournament, slug};

pub(super) const SECOND: Duration = Duration::from_secs(1);

pub(super) fn premise(names: &[&str], shown: &[&str]) -> Premise {
    let player = |(name, shown): (&&str, &&str)| ShownPlayer {
        name: (*name).to_owned(),
        slug: slug(name),
        shown: (*shown).to_owned(),
        shown_slug: slug(shown),
    };
    Premise {
        title: "test".to_owned(),
        date: None,
        table: RulesAndClocks {
            ruleset: Ruleset::Gothello,
            clocks: TimeControl::sudden_death(BySide { black: SECOND * 60, white: SECOND * 30 }),
            meter: Meter::Wall,
        },
        opening_plies: 0,
        total: Some(12),
        roster: ShownPlayers::new(names.iter().zip(shown).map(player).collect()),
        keeps: 0,
        address: None,
        history: None,
        is_test: false,
    }
}

/// The state of a run of `a`, `b` and `c`.
fn state() -> LiveState {
    LiveState::new(premise(&["a", "b", "c"], &["a", "b", "c"]), [])
}

/// The record of a game between `players` after `moves`, with the tags `end`, which say how the game ended.
fn record(players: [&str; 2], moves: &str, end: &str) -> LoggedGame {
    let result = if end.contains("1-0") {
        "1-0"
    } else if end.contains("0-1") {
        "0-1"
    } else {
        "*"
    };
    let [black, white] = players;
    let text = format!("[Black \"{black}\"]\n[White \"{white}\"]\n[Round \"1\"]\n{end}\n\n{moves} {result}\n");
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The summary of `record`, the game `id`.
fn summary(id: &str, record: &LoggedGame) -> PlayedSummary {
    match PlayedSummary::from(record) {
        PlayedSummary::Pair(game) => PlayedSummary::Pair(GameSummary { game: id.to_owned(), ..game }),
        PlayedSummary::Group(game) => PlayedSummary::Group(GroupSummary { game: id.to_owned(), ..game }),
    }
}

const WON: &str = "[Result \"0-1\"]\n[Margin \"2\"]\n[Termination \"normal\"]";
const VOID: &str = "[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]";

pub(super) fn played(text: &str) -> Move {
    text.parse().expect("a move")
}

fn start(state: &mut LiveState, at: Duration, id: &str, players: [&str; 2]) {
    state.started((at, id), &BySeat::from_fn(2, |seat| players[seat.index()].to_owned()), &[]);
}

fn end(state: &mut LiveState, at: Duration, (id, number): (&str, u64), record: &LoggedGame) {
    state.ended(at, EndedGame { id, number, record });
}

pub(super) fn seen(state: &LiveState, at: Duration) -> Value {
    serde_json::from_str(&state.snapshot(at)).expect("JSON")
}

pub(super) fn framed(state: &mut LiveState, at: Duration) -> Option<Value> {
    state.frame(at).map(|frame| serde_json::from_str(&frame).expect("JSON"))
}

#[test]
fn a_page_of_other_boards_says_which_there_are_and_where_the_last_stone_went() {
    let mut premise = premise(&["a", "b"], &["a", "b"]);
    premise.table.ruleset = "quantum-8".parse().expect("a rule set");
    let mut state = LiveState::new(premise, []);
    start(&mut state, SECOND, "r1-a-b", ["a", "b"]);
    let all = seen(&state, SECOND);
    let page = &all["page"];
    assert_eq!((&page["size"], &page["layers"]), (&json!(8), &json!([["squares", 8], ["points", 9]])));
    assert_eq!(page["modes"], json!([["othello", 0], ["go", 1], ["proof", 1]]));
    assert_eq!((&all["now"][0]["at"], &all["now"][0]["board"]), (&json!([null, 0]), &page["start"]));
    state.moved((SECOND, "r1-a-b"), 1, played("f5"), None);
    let now = seen(&state, SECOND)["now"][0].clone();
    assert_eq!((&now["at"], &now["last"]), (&json!([37, 0]), &json!("f5")));
    let board = now["board"].as_str().expect("letters");
    assert_eq!((board.len(), &board[32..40]), (64 + 81, "...bbb.."));
}

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
    assert_eq!(frame["log"][0]["text"], "a v b: black wins by 2");
    assert_eq!(frame["moment"], "r1-a-b");
    let all = seen(&state, SECOND * 6);
    assert_eq!(all["page"]["games"], json!([[0, 1, 1, 0, 2, 0, "", "", "", 0, null, 1]]));
    assert_eq!(
        all["progress"],
        json!({"done": 1, "total": 12, "eta_s": null, "test": null, "workers": null, "missed": 0})
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
    end(&mut state, SECOND, ("r1-a-b", 0), &record(["a", "b"], "1. c3", WON));
    end(&mut state, SECOND, ("r1-a-c", 1), &record(["a", "c"], "1. c3", WON));
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
fn a_pseudonym_leaves_no_trace_of_the_name() {
    let secret = ["ann", "bob"];
    let mut state = LiveState::new(premise(&secret, &["Fox", "Owl"]), []);
    state.note(Some("ann"), "is being built");
    start(&mut state, SECOND, "r1-ann-bob", secret);
    let mut texts = state.snapshot(SECOND);
    let crash = "[Result \"1-0\"]\n[Termination \"crash\"]\n[Reason \"ann ended with status 1\"]";
    let record = record(secret, "1. c3", crash);
    end(&mut state, SECOND, ("r1-ann-bob", 0), &record);
    state.fit();
    texts += &state.frame(SECOND).expect("a frame");
    texts += &state.snapshot(SECOND);
    texts += &state.game("r1-fox-owl", &record).expect("it is known");
    assert!(texts.contains("Fox") && texts.contains("r1-fox-owl") && texts.contains("(crash)"), "{texts}");
    assert!(secret.iter().all(|name| !texts.contains(name)), "{texts}");
    assert_eq!(state.id("r1-fox-owl"), Some("r1-ann-bob"));
    assert_eq!(state.id("r1-ann-bob"), None);
}

#[test]
fn hostile_text_is_data_and_nothing_invisible_is_among_it() {
    let name = "</script><img src=x onerror=alert(1)>\"'\u{202e}\u{1b}[2J";
    let mut state = LiveState::new(premise(&[name, "b"], &[name, "b"]), []);
    start(&mut state, SECOND, "r1-x-b", [name, "b"]);
    let reason = "[Result \"1-0\"]\n[Termination \"illegal\"]\n[Reason \"--><svg onload=x> \u{2028}\u{202e}\"]";
    let mut lost = record(["a", "b"], "1. c3", reason);
    let LoggedGame::Two(lost_by_name) = &mut lost else { unreachable!("two players") };
    lost_by_name.players.black = name.to_owned();
    end(&mut state, SECOND, ("r1-x-b", 0), &lost);
    let frame = state.frame(SECOND).expect("a frame");
    let all = state.snapshot(SECOND);
    for text in [&frame, &all] {
        assert!(!text.contains(['\n', '\r', '\u{1b}', '\u{2028}', '\u{202e}']), "{text}");
    }
    let all: Value = serde_json::from_str(&all).expect("JSON");
    let shown = "</script><img src=x onerror=alert(1)>\"'\\u{202e}\\u{1b}[2J";
    assert_eq!(all["page"]["players"][0]["n"], shown);
    let line = all["log"][0]["text"].as_str().expect("text");
    assert!(line.starts_with(shown) && line.ends_with("--><svg onload=x> \\u{2028}\\u{202e}"), "{line}");
}

#[test]
fn a_reason_that_names_a_file_stays_here() {
    let mut state = state();
    for reason in ["could not start `/home/ann/bot`", "no such file: bots/ann.py"] {
        let end = format!("[Result \"1-0\"]\n[Termination \"crash\"]\n[Reason \"{reason}\"]");
        self::end(&mut state, SECOND, ("r1-a-b", 0), &record(["a", "b"], "", &end));
    }
    let end = "[Result \"1-0\"]\n[Termination \"not started\"]\n[Reason \"python3 is missing\"]";
    self::end(&mut state, SECOND, ("r1-a-b", 0), &record(["a", "b"], "", end));
    let texts: Vec<String> = state.log.lines().iter().map(|line| line.text.clone()).collect();
    assert_eq!(texts, ["a v b: white wins (crash)", "a v b: white wins (crash)", "a v b: white wins (not started)"]);
}

#[test]
fn only_the_page_that_others_can_reach_has_a_code_for_their_telephones() {
    assert_eq!(seen(&state(), SECOND)["qr"], json!(null));
    let address = Some("http://192.0.2.7:8080/".to_owned());
    let all = seen(&LiveState::new(Premise { address, ..premise(&[], &[]) }, []), SECOND);
    assert_eq!(all["address"], "http://192.0.2.7:8080/");
    let rows: Vec<&str> = all["qr"].as_array().expect("rows").iter().filter_map(Value::as_str).collect();
    assert_eq!(rows.len(), 25, "version 2");
    assert!(
        rows.iter().all(|row| row.len() == 25) && rows[0].starts_with("11111110") && rows[1].starts_with("10000010")
    );
}

/// An event that may happen.
#[derive(Clone, Debug)]
enum Happening {
    BegunRun(usize),
    Move(usize, usize, usize),
    End(usize, bool),
    Frame,
    Fit,
}

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let game = || 0..6_usize;
    let one = prop_oneof![
        2 => game().prop_map(Happening::BegunRun),
        6 => (game(), 1..5_usize, 0..4_usize).prop_map(|(game, ply, point)| Happening::Move(game, ply, point)),
        2 => (game(), any::<bool>()).prop_map(|(game, is_void)| Happening::End(game, is_void)),
        3 => Just(Happening::Frame),
        1 => Just(Happening::Fit),
    ];
    proptest::collection::vec(one, 0..60)
}

/// A client: the view that a page builds from the events that it gets.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Watcher {
    games: BTreeMap<String, Value>,
    now: BTreeMap<u64, Value>,
    log: BTreeMap<u64, Value>,
    players: Value,
    seat_rows: Value,
    over: Value,
    progress: Value,
    moment: Value,
}

impl Watcher {
    pub(super) fn of(state: &Value) -> Self {
        let mut watcher = Self::default();
        watcher.show(&state["page"]["games"], &state["now"], &state["log"]);
        Self {
            players: state["page"]["players"].clone(),
            seat_rows: state["page"]["seatRows"].clone(),
            over: state["page"]["over"].clone(),
            progress: state["progress"].clone(),
            moment: state["moment"].clone(),
            ..watcher
        }
    }

    fn show(&mut self, games: &Value, now: &Value, log: &Value) {
        let array = |value: &Value| value.as_array().cloned().unwrap_or_default();
        for mut game in array(games) {
            let name =
                |index: &Value| ["a", "b", "c"][usize::try_from(index.as_u64().expect("a player")).expect("small")];
            if game[10].is_null() {
                game[10] = json!(format!("r{}-{}-{}", game[2], name(&game[0]), name(&game[1])));
            }
            self.games.insert(game[10].to_string(), game);
        }
        self.now.extend(array(now).into_iter().map(|board| (board["slot"].as_u64().expect("a slot"), board)));
        self.log.extend(array(log).into_iter().map(|line| (line["n"].as_u64().expect("a number"), line)));
    }

    pub(super) fn apply_some(&mut self, frame: Option<&Value>) {
        let Some(frame) = frame else { return };
        for slot in frame["off"].as_array().expect("slots") {
            self.now.remove(&slot.as_u64().expect("a slot"));
        }
        self.show(&frame["done"], &frame["on"], &frame["log"]);
        self.progress = frame["progress"].clone();
        for (own, new) in [
            (&mut self.players, "standings"),
            (&mut self.seat_rows, "seatRows"),
            (&mut self.over, "ratings"),
            (&mut self.moment, "moment"),
        ] {
            if let Some(new) = frame.get(new) {
                *own = new.clone();
            }
        }
    }
}

proptest! {
    #[test]
    fn whoever_applies_the_frames_sees_what_a_late_comer_sees(
        happenings in happenings(),
        join in 0..60_usize,
    ) {
        let names = ["a", "b", "c"];
        let pairs = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)];
        let id = |game: usize| format!("r1-{}-{}", names[pairs[game].0], names[pairs[game].1]);
        let players = |game: usize| [names[pairs[game].0], names[pairs[game].1]];
        // The time stays the same, so even clocks do not advance without an event.
        let at = SECOND;
        let mut state = state();
        let mut watcher = Watcher::of(&seen(&state, at));
        for (number, happening) in happenings.into_iter().enumerate() {
            if number == join {
                // A client that joins between two frames gets some news twice.
                watcher = Watcher::of(&seen(&state, at));
            }
            match happening {
                Happening::BegunRun(game) => start(&mut state, at, &id(game), players(game)),
                Happening::Move(game, ply, point) => {
                    let point = ["c3", "d3", "b2", "pass"][point];
                    state.moved((at, &id(game)), ply, played(point), Some(SECOND));
                }
                Happening::End(game, is_void) => {
                    let record = record(players(game), if is_void { "" } else { "1. c3 d3" }, if is_void { VOID } else { WON });
                    end(&mut state, at, (&id(game), game as u64), &record);
                }
                Happening::Frame => watcher.apply_some(framed(&mut state, at).as_ref()),
                Happening::Fit => state.fit(),
            }
        }
        watcher.apply_some(framed(&mut state, at).as_ref());
        prop_assert_eq!(watcher, Watcher::of(&seen(&state, at)));
    }
}

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
    assert_eq!((all["over"].clone(), all["page"]["soFar"].clone()), (json!(true), json!(false)));
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
    let short = "the shortest game so far: a v c, 1 ply";
    assert_eq!(told, ["a v b: black wins by 2", "c v b: black wins by 2", short, "a v c: black wins by 2"]);
    assert_eq!(all["progress"]["done"], 3, "a game that is recalled is not counted again");
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

/// The state of a knockout of `names`, shown as `shown`.
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
    let document = page.document();
    assert!(document.contains("<strong><a href=\"#p=fox\">Fox</a></strong>"), "{document}");
    assert!(!document.contains("quux") && !document.contains("xyzzy"), "{document}");
    assert!(!state().document().contains("id=\"result\""));
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
    assert_eq!(board(&state)["say"], json!(["+3, 73 %", "-1"]));
}
