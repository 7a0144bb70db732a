//! Tournaments of four and six players, followed on the live page from start to end: in each game, a remote player
//! resigns once the test has seen it on the page, and the built-in players play on.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Stdio;

use serde_json::Value;

use super::axe;
use super::chromium::Browser;
use super::tab::Tab;
use crate::harness::arena::{Arena, Client, Running, carol};

/// A tournament with `seats` players, one of whom is carol. Another player has a name that would be harmful as markup.
fn tournament(seats: u8) -> String {
    let ruleset = if seats == 4 { "quantum-8-4p" } else { "quantum-6p" };
    let mut toml = format!(
        "format = \"group\"\nruleset = \"{ruleset}\"\nseed = 3\ntime = \"600s\"\nconcurrency = 1\nisolation = \"off\"\n{}",
        carol!()
    );
    let harmful = "<img src=x onerror=window.canary=1>";
    for name in [harmful, "ann", "bo", "cy", "dee"].into_iter().take(usize::from(seats) - 1) {
        writeln!(toml, "[[player]]\nname = \"{name}\"\nbuiltin = \"random\"")
            .expect("writing to a string does not fail");
    }
    toml
}

/// Waits until carol is on a board of the page and in the projector's list, and then makes her resign.
fn resign(tab: &Tab, running: &mut Running, seats: u8) {
    let address = running.hear_address("waiting for carol");
    let mut carol = Client::connect(&address, "0.9.2 player ? \"carol:a word of hers\"");
    let line = carol.hear("354 ");
    let seat = line.trim_start_matches("354 ").split(' ').next().expect("a seat").to_owned();
    tab.wait(&format!(
        "document.querySelectorAll('.card:not(.ended) .seat').length === {seats}
         && document.querySelector('.card:not(.ended) .seat.seat{seat} .who').textContent === 'carol'
         && document.querySelectorAll('.card:not(.ended) .seat.turn').length === 1"
    ));
    carol.say("resign\r");
    carol.hear(&format!("335 {seat} is out, resignation"));
    tab.wait(&format!(
        "[...document.querySelectorAll('.log li')].some(line => line.textContent.startsWith('out: carol (seat {seat}) resigns after ply '))"
    ));
}

/// The points, the mean place and the places of each player, by name, and then the same figures for each seat, as the
/// page shows them.
const TABLES: &str = "[...document.querySelectorAll('#standings table')].map(table => {
    const heads = [...table.querySelectorAll('thead th')].map(head => head.textContent);
    const at = ['points', 'mean place', '1st', '2nd', '3rd', '4th'].map(head => heads.indexOf(head));
    return [...table.querySelectorAll('tbody tr')].map(row =>
        [row.querySelector('th').textContent, ...at.map(index => Number(row.children[index].textContent))]);
})";

/// The same figures as in [`TABLES`], from a row in the JSON of `standings`.
fn figures(row: &Value, name: String) -> (String, Vec<String>) {
    let places = row["places"].as_array().expect("places").iter().take(4);
    let mean = row["mean_placing"].as_f64().expect("a mean");
    let mut figures = vec![row["points"].as_f64().expect("points"), (mean * 100.0).round() / 100.0];
    figures.extend(places.map(|times| times.as_f64().expect("a number")));
    (name, figures.into_iter().map(|figure| format!("{figure:.2}")).collect())
}

fn shown(table: &Value) -> BTreeMap<String, Vec<String>> {
    let row = |row: &Value| {
        let cells = row.as_array().expect("cells");
        let figures = cells[1..].iter().map(|cell| format!("{:.2}", cell.as_f64().expect("a number"))).collect();
        (cells[0].as_str().expect("a name").to_owned(), figures)
    };
    table.as_array().expect("rows").iter().map(row).collect()
}

fn follow(seats: u8) {
    let Some(browser) = Browser::start() else { return };
    let arena = Arena::new(&tournament(seats));
    let args = ["run", "class.toml", "--out", "out", "--web", "127.0.0.1:0", "--web-linger"];
    let mut running = Arena::started(arena.command(&args).stdout(Stdio::null()));
    let line = running.hear("the live page is at ");
    let url = crate::harness::arena::address(&line).to_owned();
    let tab = browser.tab();
    tab.goto(&url);
    tab.wait("document.querySelector('.idle .told')?.textContent.startsWith('No game has begun yet.')");
    for game in 1..=seats {
        resign(&tab, &mut running, seats);
        tab.wait(&format!("document.title.startsWith('{game}/{seats} ')"));
        assert_eq!(tab.faults(), [""; 0], "game {game}");
    }
    tab.wait("document.querySelector('.told').textContent.startsWith('The run is over. ')");
    // All games are among the latest games, each with its last board.
    tab.wait(&format!("document.querySelectorAll('.latest .past .stone[class*=seat]').length > {seats}"));
    tab.screenshot(&format!("live-groups-{seats}-end"));

    let output = arena.output(&["standings", "out", "--format", "json"]);
    let standings: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = |rows: &Value| rows.as_array().unwrap_or_else(|| panic!("rows in {standings}")).clone();
    let name = |row: &Value| row["player"].as_str().expect("a name").to_owned();
    let players: BTreeMap<_, _> = rows(&standings).iter().map(|row| figures(row, name(row))).collect();
    let by_seat = rows(&standings[0]["seat_advantages"]);
    let by_seat: BTreeMap<_, _> = by_seat.iter().map(|row| figures(row, row["seat"].to_string())).collect();
    tab.eval("location.hash = '#t=standings'");
    tab.wait("document.querySelectorAll('#standings table').length === 2");
    let tables = tab.eval(TABLES);
    assert_eq!((shown(&tables[0]), shown(&tables[1])), (players, by_seat));
    assert_eq!(tables[0][usize::from(seats) - 1][0], "carol", "she was last in every game");
    let before = "[...document.querySelectorAll('#crosstable td[data-a]')].every(cell =>
        cell.textContent.split('-').map(Number).reduce((sum, count) => sum + count) === GAMES)";
    tab.eval("location.hash = '#t=crosstable'");
    tab.wait(&before.replace("GAMES", &seats.to_string()));

    // The projector replays a game, with all seats around the board and carol marked once she is out.
    tab.eval("location.hash = '#projector'");
    tab.wait(&format!(
        "document.querySelector('#projector .mode').textContent === 'replay'
         && document.querySelectorAll('#projector .seat').length === {seats}"
    ));
    tab.wait("document.querySelector('#projector .seat.out .who').textContent === 'carol'");
    assert_eq!(tab.text("document.querySelector('#projector .seat.out .fate').textContent"), "out (resignation)");
    assert_eq!(tab.eval("window.canary ?? null"), Value::Null);
    for (width, height) in [(1280, 720), (390, 844)] {
        tab.viewport(width, height);
        let fits = "document.documentElement.scrollWidth <= innerWidth";
        assert_eq!(tab.eval(fits), true, "the projector at {width} pixels");
        tab.screenshot(&format!("live-groups-{seats}-projector-{width}"));
        for part in ["live", "standings", "crosstable", "games", "players"] {
            tab.eval(&format!("location.hash = '#t={part}'"));
            tab.wait(&format!("!document.getElementById('{part}').hidden"));
            assert_eq!(tab.eval(fits), true, "{part} at {width} pixels");
        }
        tab.eval("location.hash = '#projector'");
        tab.wait("!document.getElementById('projector').hidden");
    }
    assert_eq!(tab.faults(), [""; 0]);
    if let Some(script) = axe::script() {
        for theme in ["light", "dark"] {
            tab.media("screen", theme);
            for part in ["#t=live", "#t=standings", "#t=crosstable", "#projector"] {
                tab.eval(&format!("location.hash = '{part}'"));
                assert_eq!(axe::violations(&tab, &script), [""; 0], "{part}, {theme}");
            }
        }
    }
    tab.goto("about:blank");
}

#[test]
fn a_tournament_of_four_is_followed_from_start_to_end() {
    follow(4);
}

#[test]
fn a_tournament_of_six_is_followed_from_start_to_end() {
    follow(6);
}
