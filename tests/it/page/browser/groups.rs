//! The report on games of four and six players.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySeat, Ruleset, Seat};
use gothello_arena::page::shown::layers::Layers;
use gothello_arena::referee::record::{GroupRecord, Out};
use gothello_arena::referee::result::Termination;
use gothello_arena::referee::time_control::TimeControl;
use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::pages::written_groups;
use super::scripts::random_group;
use super::tab::Tab;

/// The parts of the page.
const PARTS: [&str; 4] = ["standings", "crosstable", "games", "players"];

/// The letters of all fields that the viewer shows, read from the labels of their cells, and the shape of the stones
/// for each letter.
const BOARDS: &str = "(() => {
    const letter = label => label.match(/^[a-z][0-9]+ (?:seat ([1-6])|empty)/)[1] ?? '.';
    const cells = [...document.querySelectorAll('#viewer [role=gridcell]')];
    return cells.map(cell => letter(cell.getAttribute('aria-label'))).join('');
})()";

/// Three games of `ruleset`, each with the players in different seats. Players drop out of the first game.
fn games(ruleset: &str) -> Vec<GroupRecord> {
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let seats = usize::from(ruleset.seats());
    let mut random = SplitMix64::new(5);
    let mut game = |number: usize, one_in: u64| {
        let mut record = random_group(ruleset, &mut random, one_in);
        record.players = BySeat::from_fn(ruleset.seats(), |seat| format!("player {}", (seat.index() + number) % seats));
        record.game = Some(format!("r1-t1-g{number}"));
        record.time_control = "90+1".parse::<TimeControl>().ok();
        record
    };
    let games = vec![game(1, 60), game(2, 0), game(3, 0)];
    assert!(!games[0].outs.is_empty(), "another seed is needed");
    games
}

fn follow(tab: &Tab, hash: &str) {
    let came = "addEventListener('hashchange', () => setTimeout(() => { came = true; }), { once: true })";
    tab.eval(&format!("window.came = false; {came}; location.hash = {}", json!(hash)));
    tab.wait("came");
}

/// Calls `look` with the report of `games`, and checks that the page remains free of faults.
fn in_report(games: &[GroupRecord], look: impl Fn(&Tab)) {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let page = written_groups(dir.path(), "Groups", games);
    let tab = browser.tab();
    tab.open_file(&page);
    tab.wait("document.querySelector('#tabs a[aria-current]')");
    look(&tab);
    assert_eq!(tab.faults(), [""; 0]);
    assert_eq!(tab.requests(), [format!("file://{}", page.display())]);
}

#[test]
fn every_ply_of_a_game_of_four_and_of_six_is_the_one_that_the_rules_make() {
    for ruleset in ["quantum-8-4p", "quantum-6p"] {
        let games = games(ruleset);
        let record = &games[0];
        let seats = record.seats();
        in_report(&games, |tab| {
            follow(tab, "#g=r1-t1-g1&p=0");
            tab.wait("!document.getElementById('viewer').hidden && document.querySelector('#viewer [role=gridcell]')");
            let layers = Layers::of(record.ruleset);
            let mut position = record.ruleset.start();
            let mut outs = record.outs.iter().peekable();
            let mut gone = Vec::new();
            for (index, ply) in record.plies.iter().enumerate() {
                while let Some(out) = outs.next_if(|out| out.after_plies <= index) {
                    position.drop_out(out.seat);
                    gone.push(out.seat);
                }
                let shown = tab.text(&drawn());
                assert_eq!(
                    shown,
                    String::from_utf8_lossy(&layers.letters(&*position)),
                    "{ruleset}, before {}",
                    index + 1
                );
                let out: Vec<Value> = gone.iter().map(|seat| json!(seat.to_string())).collect();
                assert_eq!(tab.eval(OUT), json!(sorted(out)), "{ruleset}, before {}", index + 1);
                position.play(ply.played.as_str()).expect("legal");
                tab.keys(["ArrowRight"]);
                let what = tab.text("document.querySelector('#viewer .what').textContent");
                assert!(what.contains(&format!("(seat {})", ply.seat)) && what.contains(ply.played.as_str()), "{what}");
            }
            let lines = tab.eval("document.querySelectorAll('#viewer .seat').length");
            assert_eq!(lines, seats);
            let places = tab
                .text("[...document.querySelectorAll('#viewer .seat .state')].map(state => state.textContent).join()");
            assert!(places.contains("1st") && places.contains("out, crash"), "{places}");
            assert!(tab.text("document.querySelector('#viewer .moves').textContent").contains(" is out, crash"));
        });
    }
}

/// The seats that the viewer shows as out, in order.
const OUT: &str = "[...document.querySelectorAll('#viewer .seat.out .stone')].map(stone => stone.textContent).sort()";

fn sorted(mut texts: Vec<Value>) -> Vec<Value> {
    texts.sort_by_key(Value::to_string);
    texts
}

fn drawn() -> String {
    // The letters of each board begin with rank 1, but boards of points show the highest rank at the top.
    format!(
        "(() => {{ const letters = {BOARDS}; let from = 0;
            return [...document.querySelectorAll('#viewer .layer')].map(layer => {{
                const size = Math.sqrt(layer.querySelectorAll('[role=gridcell]').length);
                const rows = Array.from({{ length: size }}, (_, i) => letters.slice(from + i * size, from + (i + 1) * size));
                from += size * size;
                return (layer.classList.contains('on-points') ? rows.reverse() : rows).join('');
            }}).join(''); }})()"
    )
}

#[test]
fn stones_of_six_seats_have_six_shapes_and_six_labels() {
    in_report(&games("quantum-6p"), |tab| {
        follow(tab, "#g=r1-t1-g2&p=60");
        tab.wait("document.querySelectorAll('#viewer .seat').length === 6");
        let looks = tab.eval(
            "[...document.querySelectorAll('#viewer .seat .stone')].map(stone => {
                const { borderRadius, clipPath } = getComputedStyle(stone);
                return [borderRadius + ' ' + clipPath, stone.textContent];
            })",
        );
        let looks: Vec<(String, String)> = serde_json::from_value(looks).expect("pairs");
        assert_eq!(looks.len(), 6);
        for (index, (shape, text)) in looks.iter().enumerate() {
            assert!(looks[..index].iter().all(|other| other.0 != *shape && other.1 != *text), "{looks:?}");
        }
    });
}

#[test]
fn the_tables_of_larger_games_are_there_and_the_filters_work() {
    for (ruleset, seats) in [("quantum-8-4p", 4), ("quantum-6p", 6)] {
        in_report(&games(ruleset), |tab| {
            let rows = |selector: &str| tab.eval(&format!("document.querySelectorAll({selector:?}).length"));
            assert_eq!(rows("#standings table:first-of-type tbody tr[data-p]"), seats, "players");
            assert_eq!(rows("#standings tbody tr"), 2 * seats, "players and seats");
            for part in PARTS {
                follow(tab, &format!("#t={part}"));
                assert_eq!(tab.eval(&format!("document.getElementById('{part}').hidden")), false, "{part}");
            }
            assert_eq!(rows("#crosstable tbody td"), seats * seats);
            assert_eq!(tab.text("document.querySelector('#tabs [data-tab=crosstable]').textContent"), "Head to head");
            tab.wait("document.querySelectorAll('#games tbody tr').length === 3");
            assert_eq!(rows("#games tbody tr:first-child .placed"), seats);
            tab.eval("[...document.querySelectorAll('#games .tick input')].at(-1).click()");
            tab.wait("document.querySelectorAll('#games tbody tr').length === 1");
            assert_eq!(rows("#ratings, .valuebar"), 0, "nothing about values or ratings over time");
        });
    }
}

#[test]
fn no_part_of_the_report_of_larger_games_violates_a_rule_of_accessibility() {
    let Some(script) = axe::script() else { return };
    for ruleset in ["quantum-8-4p", "quantum-6p"] {
        in_report(&games(ruleset), |tab| {
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                for hash in ["#t=standings", "#t=crosstable", "#t=games", "#p=player_1", "#g=r1-t1-g1&p=70"] {
                    follow(tab, hash);
                    assert_eq!(axe::violations(tab, &script), [""; 0], "{ruleset}: {hash}, {theme}");
                    tab.screenshot(&format!("{ruleset} {} {theme}", hash.replace(['#', '=', '&'], " ")));
                }
            }
        });
    }
}

/// Games with four players. The players' names, and all other text that a bot or a file provides, are taken from
/// `texts`.
pub(super) fn named(texts: &[String]) -> Vec<GroupRecord> {
    let ruleset: Ruleset = "quantum-8-4p".parse().expect("a rule set");
    let text = |at: usize| texts[at % texts.len()].clone();
    let template = GroupRecord::of(ruleset, BySeat::from_fn(4, |_| String::new()), Ok(standing(ruleset)));
    let game = |at: usize| {
        let players = BySeat::from_fn(4, |seat| text(at + seat.index()));
        let seat = Seat::FIRST;
        let out = Out { seat, after_plies: 0, termination: Termination::Crash, reason: Some(text(at + 4)) };
        let (event, game) = (Some(text(at + 5)), Some(text(at + 6)));
        GroupRecord { players, event, game, round: Some(1), outs: vec![out], ..template.clone() }
    };
    (0..texts.len()).map(game).collect()
}

/// The places in a game with four players in which seats 1 to 3 dropped out before any move.
fn standing(ruleset: Ruleset) -> gothello_arena::game::Standing {
    let mut position = ruleset.start();
    Seat::all(3).for_each(|seat| position.drop_out(seat));
    position.standing().expect("the places of a game of four")
}
