//! The live page of a real run, from its server: one event stream for all tabs, the games, and a server that is
//! restarted.

use std::fs;
use std::process::Stdio;
use std::time::Instant;

use serde_json::json;

use super::axe;
use super::chromium::Browser;
use super::devtools::TIMEOUT;
use super::scripts::letters;
use super::tab::Tab;
use crate::harness::arena::Arena;
use crate::harness::waiting::{InTime as _, Lines, Owned};

/// A run whose page stays available after the games.
pub(super) struct LiveRun {
    /// The process of the run, which ends with the test.
    _process: Owned,
    pub(super) url: String,
}

impl LiveRun {
    /// Starts the tournament of `arena` with its page at `address`, and waits until the page can be requested.
    fn start(arena: &Arena, address: &str) -> Self {
        Self::start_with(arena, address, &[])
    }

    /// Like [`LiveRun::start`], with the options `more`.
    pub(super) fn start_with(arena: &Arena, address: &str, more: &[&str]) -> Self {
        let mut command = arena.command(&["run", "class.toml", "--out", "out", "--isolation", "off", "--quiet"]);
        command.args(["--web", address, "--web-linger"]).args(more).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = command.start().expect("the program starts");
        let mut lines = Lines::new(process.stderr.take().expect("piped"));
        let line = lines.hear("the live page is at ");
        let (_, url) = line.trim_end().split_once("the live page is at ").expect("heard");
        lines.ignore_the_rest();
        Self { _process: process, url: url.trim_end_matches('/').to_owned() }
    }

    /// The address without the scheme.
    fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }
}

/// Twelve games of built-in bots.
const BUILTIN: &str = "name = \"CS 441\"\nrounds = 2\n[[player]]\nname = \"kestrel\"\nbuiltin = \"greedy\"\n\
                       [[player]]\nname = \"heron\"\nbuiltin = \"random\"\n[[player]]\nname = \"wren\"\nbuiltin = \"random\"\n";

/// Loads the page of `run` and waits until it shows `done` games.
fn open(tab: &Tab, run: &LiveRun, done: &str) {
    tab.goto(&format!("{}/", run.url));
    tab.wait(&format!("document.title.startsWith('{done} ')"));
}

/// Calls `look` with the page of a run whose twelve games between built-in bots have all ended.
fn after_twelve_games(look: impl FnOnce(&Tab, LiveRun, &Arena)) {
    let Some(browser) = Browser::start() else { return };
    let arena = Arena::new(BUILTIN);
    let run = LiveRun::start(&arena, "127.0.0.1:0");
    let tab = browser.tab();
    open(&tab, &run, "12/12");
    look(&tab, run, &arena);
}

/// The number of event streams that the tab has requested.
fn streams(tab: &Tab) -> usize {
    tab.requests().iter().filter(|request| request.ends_with("/events")).count()
}

#[test]
fn the_page_of_a_run_shows_its_games_and_asks_its_own_server_alone() {
    after_twelve_games(|tab, run, arena| {
        assert_eq!(tab.text("document.title"), "12/12 CS 441");
        tab.wait("document.querySelectorAll('#games tbody tr').length === 12 || (location.hash = '#t=games', false)");
        let log = fs::read_to_string(arena.out().join("games/r2-heron-wren.log")).expect("a log");
        let record: gothello_arena::referee::record::GameRecord = log.parse().expect("a record");
        tab.eval("location.hash = '#g=r2-heron-wren&p=0'");
        tab.wait("document.querySelectorAll('#viewer [role=gridcell]').length === 25");
        let mut position = record.ruleset.start();
        for ply in &record.plies {
            position.play(ply.played.as_str()).expect("legal");
            tab.keys(["ArrowRight"]);
        }
        tab.wait(&format!("{} === '{}'", super::report::BOARD, letters(&*position)));
        let points = "[...document.querySelectorAll('#crosstable td[data-a]')]
        .map(cell => cell.textContent.split('-').map(Number))
        .reduce((sum, [wins, draws]) => sum + wins + draws / 2, 0)";
        assert_eq!(tab.eval(points), json!(12), "every game is worth one point");
        assert_eq!(tab.faults(), [""; 0]);
        let foreign: Vec<String> =
            tab.requests().into_iter().filter(|request| !request.starts_with(&run.url)).collect();
        assert_eq!(foreign, [""; 0]);
    });
}

/// A sequential test whose pairs are too few to decide it.
const TEST: &str = "name = \"CS 441\"\nformat = \"sprt\"\nelo0 = 0\nelo1 = 20\nmax_pairs = 4\nopenings = { plies = 2 }\n\
                    [[player]]\nname = \"kestrel\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"heron\"\nbuiltin = \"random\"\n";

#[test]
fn the_page_of_a_sequential_test_has_its_chart_and_its_verdict() {
    let Some(browser) = Browser::start() else { return };
    let arena = Arena::new(TEST);
    let run = LiveRun::start(&arena, "127.0.0.1:0");
    let tab = browser.tab();
    tab.goto(&format!("{}/", run.url));
    // The page may be opened before the first pair: the chart is drawn then, and grows.
    tab.wait("document.querySelector('.told')?.textContent.startsWith('The run is over. Not decided after 4 pairs: whether kestrel is ')");
    assert!(tab.text("document.querySelector('.told').textContent").contains(" stronger than heron."));
    assert_eq!(tab.eval("document.querySelectorAll('#live .aside #test').length"), 1);
    let pairs = tab.text("document.querySelector('#test figure text:last-of-type').textContent");
    assert_eq!(tab.text("document.querySelector('#live .count').textContent").rsplit(" after ").next(), Some(&*pairs));
    let line = "document.querySelector('#test .ratio').getAttribute('d')";
    let points = tab.text(line).matches(['M', 'L']).count();
    assert_eq!(format!("{} pairs", points - 1), pairs);
    let of_score = "[...document.querySelectorAll('#test tbody td:nth-child(2)')].reduce((sum, cell) => sum + Number(cell.textContent), 0)";
    assert_eq!(format!("{} pairs", tab.eval(of_score)), pairs);
    let ratio = tab.text("document.querySelector('#test figcaption span').textContent");
    let label = tab.text("document.querySelector('#test svg').getAttribute('aria-label')");
    assert!(label.contains(&format!(" now {ratio}, ")), "{label}");
    let drawn = tab.text(line);
    tab.eval("location.hash = '#projector'");
    tab.wait("document.querySelector('#projector .side > #test')");
    assert_eq!(tab.text(line), drawn);
    for (width, height) in [(1920, 1080), (1280, 720)] {
        tab.viewport(width, height);
        // The page learns of its new size a little later.
        tab.wait(&format!("{}.length === 0", super::projector::OUTSIDE));
        let letters = "Math.min(...[...document.querySelectorAll('#projector #test text')].map(text => text.getBoundingClientRect().height))";
        assert!(tab.eval(letters).as_f64() >= Some(28.0), "{width}x{height}: legible from afar");
    }
    tab.eval("location.hash = '#t=live'");
    tab.wait("document.querySelector('.aside #test')");
    assert_eq!(tab.faults(), [""; 0]);
    drop(run);
}

/// Lets the test decide when a minute has passed.
const MINUTES: &str = "window.minutes = new Map();
    const [later, never] = [setTimeout, clearTimeout];
    window.setTimeout = (action, time, ...rest) => {
        const timer = later(time === 60_000 ? () => {} : action, time, ...rest);
        if (time === 60_000) minutes.set(timer, action);
        return timer;
    };
    window.clearTimeout = (timer) => { minutes.delete(timer); never(timer); };";

/// A run that does not end, because it waits for a player that never connects.
fn waiting_arena() -> Arena {
    let arena = Arena::new("");
    let carol = "[[player]]\nname = \"carol\"\nremote = true\ntoken = \"a word of hers\"\n";
    let toml = format!("listen = \"127.0.0.1:0\"\n{BUILTIN}{carol}");
    fs::write(arena.path().join("class.toml"), toml).expect("written");
    arena
}

#[test]
fn tabs_of_one_browser_share_a_stream_and_hand_it_on() {
    let Some(browser) = Browser::with_hidden_tabs() else { return };
    let arena = waiting_arena();
    let run = LiveRun::start(&arena, "127.0.0.1:0");
    let [first, second] = [browser.tab(), browser.tab()];
    first.before_pages(MINUTES);
    first.activate();
    open(&first, &run, "12/24");
    second.activate();
    first.wait("document.visibilityState === 'hidden' && minutes.size === 1");
    open(&second, &run, "12/24");
    assert_eq!((streams(&first), streams(&second)), (1, 0), "the second tab gets its events from the first");
    first.eval("[...minutes.values()].forEach(action => action())");
    let deadline = Instant::now() + TIMEOUT;
    while streams(&second) == 0 {
        assert!(Instant::now() < deadline, "no tab receives events any more");
        second.eval("new Promise(resolve => setTimeout(resolve, 20))");
    }
    first.activate();
    second.wait("document.visibilityState === 'hidden'");
    first.wait("document.title.startsWith('12/24 ')");
    assert_eq!(streams(&first), 1, "the first tab now gets its events from the second");
}

#[test]
fn a_page_finds_its_server_again_and_shows_the_whole_run() {
    let Some(browser) = Browser::start() else { return };
    let arena = waiting_arena();
    let run = LiveRun::start(&arena, "127.0.0.1:0");
    let tab = browser.tab();
    open(&tab, &run, "12/24");
    let address = run.address().to_owned();
    drop(run);
    tab.wait("/^The connection is lost. .* at [0-9:]{8}, /.test(document.querySelector('#lost').textContent)");
    assert_eq!(tab.eval("document.querySelectorAll('#standings tbody tr').length"), 4, "the last state stays");
    tab.eval("document.title = 'before'");
    let run = LiveRun::start(&arena, &address);
    tab.wait("document.title === '12/24 CS 441' && document.querySelector('#lost').hidden");
    tab.wait("document.querySelectorAll('#games tbody tr').length === 12 || (location.hash = '#t=games', false)");
    drop(run);
}

#[test]
fn the_page_of_a_run_that_is_over_has_all_parts_and_bars_nobody() {
    after_twelve_games(|tab, run, _| {
        tab.wait("!document.querySelector('.idle').hidden && document.querySelectorAll('.past .stone').length === 225");
        tab.wait("document.querySelector('.moment .caption').textContent !== ''");
        tab.wait("document.querySelector('.idle .told').textContent.startsWith('The run is over. ')");
        tab.eval("location.hash = '#t=standings'");
        tab.reload_by("document.querySelector('#ratings .dated button').click()");
        tab.wait("location.hash === '#t=standings' && document.querySelector('#ratings .dated')?.hidden");
        // On a busy machine, the page may receive all games together and fit the ratings only once; then there is no
        // history to draw.
        assert_eq!(tab.eval("document.querySelector('#endings tbody td').textContent"), "12");
        tab.eval("location.hash = '#p=heron'");
        tab.wait("document.querySelector('article.player.shown')?.textContent.includes('in 8 games')");
        let score = "[...document.querySelectorAll('article.player.shown tbody tr')].map(row => row.children[4].textContent.split('-').map(Number))
        .reduce((games, wdl) => games + wdl[0] + wdl[1] + wdl[2], 0)";
        assert_eq!(tab.eval(score), json!(8), "the games against all opponents");
        if let Some(script) = axe::script() {
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                for (hash, part) in [
                    ("#t=live", "live"),
                    ("#t=standings", "standings"),
                    ("#p=heron", "players"),
                    ("#g=r1-wren-heron&p=3", "viewer"),
                ] {
                    tab.eval(&format!("location.hash = '{hash}'"));
                    tab.wait(&format!("!document.getElementById('{part}').hidden"));
                    // The board in the live part has a caption once it shows a game.
                    tab.wait(
                        "location.hash !== '#t=live' || document.querySelector('.moment .caption').textContent !== ''",
                    );
                    assert_eq!(axe::violations(tab, &script), [""; 0], "{hash} in the {theme} theme");
                }
            }
        }
        drop(run);
        tab.eval("location.hash = '#t=live'");
        tab.wait("document.querySelector('.idle .told').textContent.startsWith('The run is over. ')");
        assert_eq!(tab.eval("document.querySelector('#lost').hidden"), true, "no tab waits for a run that is over");
    });
}

#[test]
fn keys_step_through_a_game_that_the_live_page_opens() {
    after_twelve_games(|tab, _run, _| {
        tab.wait("document.querySelectorAll('.log a').length >= 12");
        tab.eval("document.querySelector('.log a[href*=r1-heron-wren]').click()");
        tab.wait(
            "location.hash.endsWith('&p=0') && document.querySelectorAll('#viewer [role=gridcell]').length === 25",
        );
        let ply = |number: &str| format!("location.hash.endsWith('&p={number}')");
        for (key, number) in
            [("ArrowRight", "1"), ("l", "2"), ("j", "3"), ("ArrowLeft", "2"), ("k", "1"), ("Home", "0")]
        {
            tab.keys([key]);
            tab.wait(&ply(number));
        }
        tab.keys(["End"]);
        tab.wait("!location.hash.endsWith('&p=0')");
        let game = tab.text("location.hash.split('&')[0]");
        tab.keys(["]"]);
        tab.wait(&format!("location.hash.startsWith('#g=') && !location.hash.startsWith('{game}&')"));
        tab.keys(["Escape"]);
        tab.wait("location.hash === '#t=games' && document.getElementById('viewer').hidden");
        tab.keys(["5"]);
        tab.wait("!document.getElementById('live').hidden");
        tab.keys(["P"]);
        tab.wait("!document.getElementById('projector').hidden");
        tab.keys(["Escape"]);
        tab.wait("document.getElementById('projector').hidden && location.hash === '#t=live'");
        assert_eq!(tab.faults(), [""; 0]);
    });
}
