//! A live page that is fed by a test instead of its server. Its clock stands still unless the test advances it.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::Ruleset;
use gothello_arena::page::shown::PageKind;
use gothello_arena::page::shown::game_code::GameCode;
use serde_json::{Value, json};

use super::chromium::Browser;
use super::pages;
use super::scripts::random_game;
use super::tab::Tab;

/// The players in the test's run, best first.
pub(super) const NAMES: [&str; 12] = [
    "kestrel",
    "heron",
    "a bot with a rather long name",
    "wren",
    "robin",
    "finch",
    "osprey",
    "magpie",
    "jay",
    "crow",
    "rook",
    "swift",
];

/// The players as sent by the server, `step` Elo apart.
pub(super) fn players(step: i64) -> Value {
    let player = |(index, name): (i64, &&str)| {
        json!({ "n": name, "s": format!("p{index}"), "rank": index + 1, "elo": 300 - step * index, "e95": 40, "pts": 3,
                "g": [3, 0, 2], "b": [1, 0, 1], "f": {}, "acc": null })
    };
    (0..).zip(&NAMES).map(player).collect()
}

/// The board of the game in `slot`; black is to move and has `left` milliseconds.
pub(super) fn ongoing(slot: usize, left: u32) -> Value {
    let text = |millis: u32| (f64::from(millis) / 1000.0).to_string();
    json!({ "slot": slot, "id": format!("r{slot}-p{}-p{}", slot % 12, (slot + 1) % 12), "black": slot % 12,
            "white": (slot + 1) % 12, "board": "w...................b..bb", "ply": 4, "to": "b", "left": [text(left), text(65_000)],
            "spent": [0, 0], "last": "e1",
            "run": true, "behind": false, "leads": slot, "calm": true })
}

/// A state with thirty games, with the time controls that take the most room.
pub(super) fn thirty_games() -> Value {
    let controls = json!(["120:5x30", "1/move+60bank"]);
    let long = |slot| {
        let mut game = ongoing(slot, 0);
        game["left"] = controls.clone();
        game
    };
    let mut state = state(&(0..30).map(long).collect::<Vec<_>>());
    state["page"]["clocks"] = controls.clone();
    state
}

/// The contents of a frame about `game` after black has won it by 5: the game's last board, and its entry.
pub(super) fn ended(game: &Value) -> (Value, Value) {
    let mut board = game.clone();
    (board["to"], board["run"], board["last"]) = (Value::Null, json!(false), json!("e2"));
    let entry = json!([game["black"], game["white"], 1, 0, 5, 0, "", "", "", 0, game["id"], 1]);
    (board, entry)
}

/// A finished game in round `round` that player `black` won against player `white`, as an entry of `games`.
pub(super) fn won(round: u32, black: usize, white: usize) -> Value {
    json!([black, white, round, 0, 5, 0, "", "", "", 0, format!("r{round}-p{black}-p{white}"), 1])
}

pub(super) fn line(number: u64, kind: &str, text: &str, game: Option<&str>) -> Value {
    json!({ "n": number, "kind": kind, "text": text, "game": game })
}

/// The server's state while the games `now` are being played.
pub(super) fn state(now: &[Value]) -> Value {
    json!({
        "page": { "v": 1, "title": "CS 441", "name": "class", "date": "2026-11-21", "ruleset": "gothello", "size": 5, "clocks": ["70", "70"],
                  "soFar": true, "total": 660, "players": players(40), "terms": ["normal", "crash"],
                  "over": { "at": [], "elo": [], "e95": [] }, "games": [won(901, 0, 1), won(902, 1, 2)] },
        "seq": 7, "now": now, "log": [line(1, "game", "kestrel beats heron by 5", Some("r901-p0-p1")),
                                      line(2, "forfeit", "heron beats wren (crash)", None)],
        "progress": { "done": 412, "total": 660, "eta_s": 180, "test": null, "missed": 0 },
        "moment": null, "address": "http://192.0.2.17:8080/", "qr": ["101", "010", "111"], "over": false
    })
}

/// The caption of the replay that can be seen.
const CAPTION: &str = "[...document.querySelectorAll('.stage .caption')].find(node => node.checkVisibility())";

/// Whether a replay shows the position after `ply` plies of a game that `kestrel` won by 5, with this number of `boards`.
pub(super) fn replay_is_at(ply: usize, boards: usize) -> String {
    let expected = match ply {
        0 => "the game of the moment".to_owned(),
        _ if ply + 1 == boards => "kestrel won by 5".to_owned(),
        _ => format!("{}{} ", ply.div_ceil(2), if ply % 2 == 1 { '.' } else { '…' }),
    };
    format!("{CAPTION}?.textContent.startsWith('{expected}')")
}

/// Lets the time pass for which a replay stays with a position: longer if its caption says more than the ply.
pub(super) const NEXT_PLY: &str = "{
    const caption = [...document.querySelectorAll('.stage .caption')].find(node => node.checkVisibility());
    time += /moment|: /.test(caption.textContent) ? 2_100 : 700;
}";

/// A frame in which nothing happens.
pub(super) fn frame(seq: u64) -> Value {
    json!({ "seq": seq, "on": [], "off": [], "ended": [], "done": [], "log": [],
            "progress": { "done": 413, "total": 660, "eta_s": 170, "test": null, "missed": 0 } })
}

pub(super) fn emit(tab: &Tab, kind: &str, data: &Value) {
    tab.eval(&format!("emit({}, {data})", json!(kind)));
}

/// Opens a live page at `hash`, after it has received `state`.
pub(super) fn open(tab: &Tab, dir: &tempfile::TempDir, hash: &str, state: &Value) {
    let (record, _) = random_game(Ruleset::Gothello, &mut SplitMix64::new(1));
    let path = pages::written(dir.path(), PageKind::Live, "CS 441", &[record]);
    tab.before_pages(include_str!("feed.js"));
    tab.goto(&format!("file://{}{hash}", path.display()));
    tab.wait("feeds.length > 0");
    emit(tab, "state", state);
    tab.wait("document.querySelector('#tabs a[aria-current]')");
}

/// Runs `look` on a live page at `hash`, after it has received `state`.
pub(super) fn shown(hash: &str, state: &Value, look: impl FnOnce(&Tab)) {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    open(&tab, &dir, hash, state);
    look(&tab);
    assert_eq!(tab.faults(), [""; 0]);
    let foreign = |request: &String| !request.starts_with("file://") || !request.contains("page.html");
    assert_eq!(tab.requests().into_iter().filter(foreign).collect::<Vec<_>>(), [""; 0]);
}

/// The entry of the game `r901-p0-p1`, a random game that black won, and in which ply `decisive` turned a loss into a
/// win.
pub(super) fn judged(decisive: usize) -> (Value, Vec<String>) {
    let (record, boards) = random_game(Ruleset::Gothello, &mut SplitMix64::new(4));
    let code = GameCode::of(&record).expect("a legal game");
    let values = "W".repeat(decisive) + &"e".repeat(boards.len() - decisive);
    (json!([0, 1, 901, 0, 5, 0, code.moves, code.times, values, 0, null, 1]), boards)
}

/// Opens a live page at `hash`, after it has received `state`, with `entry` as the entry of the game `r901-p0-p1`.
pub(super) fn open_with(tab: &Tab, dir: &tempfile::TempDir, (hash, entry): (&str, &Value), state: &Value) {
    tab.before_pages(&format!(
        "addEventListener('DOMContentLoaded', () => {{ games['game/r901-p0-p1'] = {entry}; }});"
    ));
    open(tab, dir, hash, state);
}
