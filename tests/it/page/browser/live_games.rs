//! Games that a live page shows while they are played: the test plays both sides, and moves once it has looked at the
//! page.

use std::collections::BTreeSet;
use std::process::Stdio;

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{Position, Ruleset, Side};
use serde_json::{Value, json};

use super::chromium::Browser;
use super::tab::Tab;
use crate::harness::arena::{Arena, Client, Running};

/// A run of `serve` with a live page, and the addresses of both.
struct Watched {
    /// The run, which ends with the test.
    _running: Running,
    _arena: Arena,
    address: String,
    url: String,
}

impl Watched {
    fn start(ruleset: &str) -> Self {
        let arena = Arena::new("");
        let args = ["serve", "--games", "2", "--port", "0", "--ruleset", ruleset, "--web", "127.0.0.1:0"];
        let mut running = Arena::started(arena.command(&args).stdout(Stdio::null()));
        let address = crate::harness::arena::address(&running.hear("listening on")).to_owned();
        let line = running.hear("the live page is at ");
        let url = crate::harness::arena::address(&line).to_owned();
        Self { _running: running, _arena: arena, address, url }
    }

    fn players(&self) -> [Client; 2] {
        let mut black = Client::connect(&self.address, "0.9.1 player black \"Ann\"");
        let mut white = Client::connect(&self.address, "0.9.1 player white \"Bob\"");
        black.hear("352");
        white.hear("351");
        [black, white]
    }
}

/// The state of the board under `ROOT`: the stones of all boards from top to bottom; the names of the marked fields;
/// the kind of the board in play; and the text below it.
const SHOWN: &str = "(() => {
    const root = document.querySelector('ROOT');
    const stone = { black: 'b', white: 'w', empty: '.' };
    const layers = [...root.querySelectorAll('.layer')];
    const cells = layers.map(layer => [...layer.querySelectorAll('.cell')]);
    const board = cells.flat().map(cell => stone[cell.querySelector('.stone').classList[1]]).join('');
    const name = (layer, i) => {
        const kind = layers[layer].classList[1];
        const size = Math.sqrt(cells[layer].length);
        const files = kind === 'on-points' ? 'abcdefghjklmnopqrst' : 'abcdefghijklmnopqrst';
        const rank = Math.floor(i / size);
        return files[i % size] + (kind === 'on-squares' ? rank + 1 : size - rank);
    };
    const last = cells.flatMap((all, layer) => all.flatMap((cell, i) => cell.classList.contains('last') ? [name(layer, i)] : []));
    const played = layers.filter(layer => !layer.classList.contains('resting')).map(layer => layer.classList[1]);
    return [board, last.sort(), played.join(), root.querySelector('.ply, .caption').firstChild.textContent];
})()";

/// The expected state for `position`, to which ply `number`, the move `last`, has led.
fn expected(position: &dyn Position, number: usize, last: &str) -> Value {
    let board: String = position.to_string().split_whitespace().collect();
    let is_quantum = position.mode_name().is_some();
    let marked: BTreeSet<&str> = match last {
        "pass" => BTreeSet::new(),
        // In Quantum, only the first field of a move is marked; in Seegover, only
        // the last, on which the stone ends its turn.
        _ if is_quantum => last.split('-').take(1).collect(),
        _ => last.split('+').filter_map(|way| way.rsplit('-').next()).collect(),
    };
    let kind = match position.mode_name() {
        None => "on-board",
        Some("reverse" | "othello") => "on-squares",
        Some(_) => "on-points",
    };
    json!([board, marked, kind, format!("{number}. {last}")])
}

/// The state `shown`, but without the name of the mode in the text below the board.
fn without_mode(mut shown: Value) -> Value {
    let text = shown[3].as_str().unwrap_or_default();
    shown[3] = json!(text.split(" · ").next());
    shown
}

/// Waits until the board under `root` shows `wanted`. Reports the actual state if this does not happen.
fn await_shown(tab: &Tab, root: &str, wanted: &Value) {
    let script = SHOWN.replace("ROOT", root);
    let arrived = format!("document.querySelector('{root} :is(.ply, .caption)').textContent.startsWith({})", wanted[3]);
    tab.wait(&arrived);
    assert_eq!(&without_mode(tab.eval(&script)), wanted, "{root}");
}

/// Plays one game of `ruleset` and compares the page with it: after each of the first plies, around each change of the
/// mode, and from time to time.
fn watch(tab: &Tab, ruleset: &str, plies: usize) {
    let watched = Watched::start(ruleset);
    tab.goto(&watched.url);
    tab.wait("document.querySelector('.idle .told')?.textContent.startsWith('No game has begun yet.')");
    for part in ["crosstable", "standings", "live"] {
        tab.eval(&format!("location.hash = '#t={part}'"));
        tab.wait(&format!("!document.getElementById('{part}').hidden"));
    }
    assert_eq!(tab.faults(), [""; 0], "{ruleset}, before the first game");
    let mut players = watched.players();
    let mut position = ruleset.parse::<Ruleset>().expect("a rule set").start();
    let mut random = SplitMix64::new(31);
    let (mut modes, mut changed) = (BTreeSet::new(), 0);
    modes.extend(position.mode_name());
    for ply in 0..plies {
        let legal = position.legal_moves();
        // If there are other moves, the last move is the pass. If the pass were played as often as the others, most
        // games would end early.
        let choices = legal.len() as u64 - u64::from(legal.len() > 1 && random.below(20) > 0);
        let chosen = legal[usize::try_from(random.below(choices)).expect("few")];
        let side = position.to_move();
        let (mover, dots) = if side == Side::Black { (0, "") } else { (1, "... ") };
        players[mover].say(&format!("{} {dots}{chosen}\r\n", ply / 2 + 1));
        position.play(chosen.as_str()).expect("legal");
        if position.outcome().is_some() {
            break;
        }
        players[mover].hear("200");
        if position.mode_name().is_some_and(|mode| modes.insert(mode)) {
            changed = ply;
        }
        if ply - changed < 3 || ply % 7 == 0 {
            await_shown(tab, ".card", &expected(&*position, ply + 1, chosen.as_str()));
        }
        if ply + 1 == plies {
            tab.eval("location.hash = '#projector'");
            await_shown(tab, "#projector", &expected(&*position, ply + 1, chosen.as_str()));
            tab.screenshot(&format!("live-game-{}-projector", ruleset.replace(' ', "-")));
            tab.eval("location.hash = '#t=live'");
            tab.screenshot(&format!("live-game-{}", ruleset.replace(' ', "-")));
            let (mover, dots) = if position.to_move() == Side::Black { (0, "") } else { (1, "... ") };
            players[mover].say(&format!("{} {dots}resign\r\n", plies / 2 + 1));
            let winner = ["Bob", "Ann"][mover];
            tab.wait(&format!(
                "document.querySelector('.card.ended .outcome').textContent === '{winner} won (resignation)'"
            ));
            // The page still shows the board of the last move.
            await_shown(tab, ".card", &expected(&*position, ply + 1, chosen.as_str()));
        }
    }
    let wanted = ruleset.parse::<Ruleset>().expect("a rule set");
    let lineup: BTreeSet<&str> = match wanted {
        Ruleset::Quantum(rules) => rules.lineup().modes().iter().map(|mode| mode.name()).collect(),
        _ => BTreeSet::new(),
    };
    assert_eq!(modes, lineup, "{ruleset}: the game has reached all modes");
    assert_eq!(tab.faults(), [""; 0], "{ruleset}");
    // The page must be closed before its server ends.
    tab.goto("about:blank");
}

#[test]
fn a_live_page_shows_the_board_and_the_last_move_of_a_game_of_each_rule_set() {
    let Some(browser) = Browser::start() else { return };
    let tab = browser.tab();
    for (ruleset, plies) in [
        ("gothello", 15),
        ("seegover", 15),
        ("seegover back=capture", 15),
        ("othello", 12),
        ("reverse", 12),
        ("go-9", 12),
        ("quantum-8", 72),
        ("quantum", 112),
    ] {
        watch(&tab, ruleset, plies);
    }
}
