//! Tests of the state: what a page shows after each event.

mod games;
mod runs;

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::game::{BySide, Ruleset};
use crate::referee::clock::Meter;
use crate::referee::record::LoggedGame;
use crate::referee::time_control::TimeControl;
use crate::results::standings::{GameSummary, GroupSummary};
use crate::tournament::slug;

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
        is_most: false,
        roster: ShownPlayers::new(names.iter().zip(shown).map(player).collect()),
        keeps: 0,
        address: None,
        history: None,
        test: None,
        upcoming: None,
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

/// The summary of `record`, with the game id `id`.
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
    assert!(
        line.starts_with(&format!("b beats {shown} (illegal): "))
            && line.ends_with("--><svg onload=x> \\u{2028}\\u{202e}"),
        "{line}"
    );
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
    assert_eq!(texts, ["b beats a (crash)", "b beats a (crash)", "b beats a (not started)"]);
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

/// A client: the view that a page builds from the events that it receives.
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
                // A client that joins between two frames receives some news twice.
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
