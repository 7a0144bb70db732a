//! Moves that readers try out: the script follows the same rules and finds the same values as the arena, and variations
//! are shown on the board.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::exact::margin_table::known::KnownMargins;
use gothello_arena::exact::solver::{Solver, TranspositionTable};
use gothello_arena::game::gothello::Game;
use gothello_arena::game::{Position, Ruleset};
use gothello_arena::referee::record::GameRecord;
use serde_json::{Value, json};

use super::chromium::Browser;
use super::live_server::LiveRun;
use super::pages::Reported;
use super::report::BOARD;
use super::scripts::{random_game, under_node};
use super::tab::Tab;
use crate::harness::arena::Arena;

/// All rule sets on 5x5 fields.
const RULESETS: [&str; 7] = [
    "gothello",
    "seegover",
    "seegover drop=2",
    "seegover capture=single",
    "seegover back=capture",
    "seegover cycle=superko",
    "seegover cycle=superko drop=2 capture=single back=capture",
];

const FILES: [&str; 3] = ["codes.js", "rules.js", "alternatives.js"];

/// Compares the script with the rules at each position of random games: the legal moves, and the margin at the end.
#[test]
fn the_script_has_the_rules_of_the_games_on_five_by_five_fields() {
    let mut random = SplitMix64::new(55);
    for name in RULESETS {
        let ruleset: Ruleset = name.parse().expect("a rule set");
        let (mut input, mut expected) = (Vec::new(), Vec::new());
        for _ in 0..12 {
            let (record, _) = random_game(ruleset, &mut random);
            let mut position = ruleset.start();
            let mut told = vec![of_rules(&*position)];
            for ply in &record.plies {
                position.play(ply.played.as_str()).expect("legal");
                told.push(of_rules(&*position));
            }
            input.push(json!(record.plies.iter().map(|ply| ply.played.as_str()).collect::<Vec<_>>()));
            expected.push(json!(told));
        }
        let script = format!(
            "return input.map(texts => {{
                const game = rules.of({name:?});
                const tries = alternatives.of({{ plies: [], values: [] }}, {name:?});
                const states = [tries.state(0), ...tries.play(tries.state(0), texts).map(({{ after }}) => after)];
                return states.map(state => [tries.moves(state).map(({{ text }}) => text).sort(), game.end(state)]); }});"
        );
        let Some(seen) = under_node(&FILES, &script, &Value::Array(input)) else { return };
        assert_eq!(seen, Value::Array(expected), "{name}");
    }
}

/// The legal moves in alphabetical order, and the margin if the game is over.
fn of_rules(position: &dyn Position) -> Value {
    let mut moves: Vec<String> = position.legal_moves().iter().map(ToString::to_string).collect();
    moves.sort();
    json!([moves, position.outcome().and_then(|outcome| outcome.margin)])
}

/// Random positions of Gothello for which `wanted` holds, each with the moves that lead to it.
fn positions(random: &mut SplitMix64, wanted: impl Fn(&Game) -> bool) -> Vec<(Game, Vec<String>)> {
    let mut found = Vec::new();
    while found.len() < 60 {
        let mut game = Game::default();
        let mut moves = Vec::new();
        while !game.is_over() {
            let legal = game.legal_moves();
            let last = legal.len() as u64 - u64::from(legal.len() > 1 && random.below(12) > 0);
            let played = legal[usize::try_from(random.below(last)).expect("few")];
            game = game.after(played);
            moves.push(played.to_string());
            if wanted(&game) {
                found.push((game, moves.clone()));
            }
        }
    }
    found
}

#[test]
fn the_script_finds_the_margins_of_late_positions() {
    let games = positions(&mut SplitMix64::new(10), |game| game.empty_points() <= 10);
    let table = TranspositionTable::with_bytes(1 << 20);
    let expected: Vec<Value> =
        games.iter().map(|(game, _)| json!(Solver::new(&table).margin(game).expect("no limit"))).collect();
    let input = games.iter().map(|(_, moves)| json!(moves)).collect();
    let script = "const tries = alternatives.of({ plies: [], values: [] }, 'gothello');
        return input.map(texts => {
            const state = tries.play(tries.state(0), texts).at(-1).after;
            const steps = endgame.margin(state, '');
            for (;;) { const { done, value } = steps.next(); if (done) return value; } });";
    let files = [&FILES[..], &["endgame.js"]].concat();
    let Some(seen) = under_node(&files, script, &Value::Array(input)) else { return };
    assert_eq!(seen, Value::Array(expected));
}

#[test]
fn a_report_of_gothello_has_the_margins_of_all_positions_of_up_to_four_stones() {
    let Some(browser) = Browser::start() else { return };
    let games = positions(&mut SplitMix64::new(4), |game| game.empty_points() >= 21);
    let expected: Vec<Value> =
        games.iter().map(|(game, _)| json!(KnownMargins::Embedded.outcome(game).and_then(|one| one.margin))).collect();
    let input: Vec<Value> = games.iter().map(|(_, moves)| json!(moves)).collect();
    let reported = Reported::duel("gothello");
    let tab = browser.tab();
    tab.open_file(&reported.page());
    tab.wait("document.querySelector('#tabs a[aria-current]')");
    let script = format!(
        "(() => {{ const tries = alternatives.of({{ plies: [], values: [] }}, 'gothello');
            return {}.map(texts => {{
                const state = tries.play(tries.state(0), texts).at(-1).after;
                const steps = endgame.margin(state, page.data.early);
                for (;;) {{ const {{ done, value }} = steps.next(); if (done) return value; }} }}); }})()",
        Value::Array(input)
    );
    assert_eq!(tab.eval(&script), Value::Array(expected));
}

/// The plies of the variation as text, and the value shown next to each ply.
const TRIED: &str =
    "[...document.querySelectorAll('.tried li')].map(one => [...one.children].map(part => part.textContent))";

fn open(tab: &Tab, path: &std::path::Path, hash: &str) {
    tab.goto(&format!("file://{}{hash}", path.display()));
    tab.wait("document.querySelector('#viewer [role=gridcell]')");
}

/// Clicks the field `name` on the board.
fn click(tab: &Tab, name: &str) {
    tab.eval(&format!(
        "[...document.querySelectorAll('#viewer .cell')].find(cell => cell.getAttribute('aria-label').startsWith({name:?})).click()"
    ));
}

#[test]
fn a_click_tries_a_move_with_its_exact_value_and_escape_returns() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("gothello");
    let record = reported.record("r1-kestrel-wren");
    let tab = browser.tab();
    open(&tab, &reported.page(), "#g=r1-kestrel-wren&p=2");
    let before = tab.text(BOARD);
    let mut game = Game::default();
    for ply in &record.plies[..2] {
        game = game.after(ply.played);
    }
    let tried = |game: &Game, not: &str| {
        let moves = game.legal_moves();
        *moves.iter().find(|one| !one.is_pass() && one.as_str() != not).expect("another move")
    };
    let first = tried(&game, record.plies[2].played.as_str());
    click(&tab, first.as_str());
    game = game.after(first);
    let value = KnownMargins::Embedded.outcome(&game).expect("three stones").margin.expect("a margin");
    let told = match value {
        0 => "draw".to_owned(),
        1.. => format!("black by {value}"),
        _ => format!("white by {}", -value),
    };
    tab.wait(&format!("{TRIED}[0]?.[1] === {}", json!(told)));
    assert_eq!(tab.eval(&format!("{TRIED}[0][0]")), json!(format!("2. {first}")));
    assert_eq!(tab.text(BOARD).matches('b').count() + tab.text(BOARD).matches('w').count(), 3);
    click(&tab, first.as_str());
    tab.wait("document.getElementById('toast').textContent.includes('is legal here')");
    // The next move is made with the keyboard.
    let second = tried(&game, "");
    let focus = "document.querySelector('#viewer .cell[tabindex=\"0\"]').tabIndex = -1;
        const cell = [...document.querySelectorAll('#viewer .cell')].find(cell => cell.getAttribute('aria-label').startsWith(";
    tab.eval(&format!("{{ {focus}{:?})); cell.tabIndex = 0; cell.focus(); }}", second.as_str()));
    tab.keys(["Enter"]);
    tab.wait(&format!("{TRIED}.length === 2 && {TRIED}[1][1] !== '…'"));
    tab.keys(["k", "k"]);
    assert_eq!(tab.text(BOARD), before, "before the first ply of the variation");
    tab.keys(["j"]);
    assert_eq!(tab.eval("document.querySelector('.tried [aria-current]').textContent"), json!(format!("2. {first}")));
    tab.screenshot("viewer-variation");
    tab.keys(["Escape"]);
    assert_eq!(tab.text(BOARD), before);
    assert_eq!(
        tab.eval("[document.querySelector('.variation').hidden, document.getElementById('viewer').hidden]"),
        json!([true, false])
    );
    assert!(tab.text("location.hash").ends_with("p=2"));
    // The move that was played in the game does not begin a variation.
    if !record.plies[2].played.is_pass() {
        click(&tab, record.plies[2].played.as_str());
        assert_eq!(tab.eval("document.querySelector('.variation').hidden"), true);
        tab.wait("location.hash.endsWith('p=3')");
    }
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn a_live_page_asks_the_arena_for_the_values_of_moves_if_the_user_wants_it() {
    let Some(browser) = Browser::start() else { return };
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
    let arena = Arena::new(&format!("seed = 7\nrounds = 1\n{}", ["kestrel", "wren"].map(player).concat()));
    for options in [&["--web-analysis"][..], &[]] {
        let run = LiveRun::start_with(&arena, "127.0.0.1:0", options);
        let tab = browser.tab();
        tab.goto(&format!("{}/", run.url));
        tab.wait("document.title.startsWith('2/2 ')");
        tab.eval("location.hash = '#g=r1-kestrel-wren&p=0'");
        tab.wait("document.querySelector('#viewer [role=gridcell]')");
        let log = std::fs::read_to_string(arena.out().join("games/r1-kestrel-wren.log")).expect("a log");
        let record: GameRecord = log.parse().expect("a record");
        let first = if record.plies[0].played.as_str() == "b2" { "c4" } else { "b2" };
        click(&tab, first);
        click(&tab, "e1");
        let game = [first, "e1"].iter().fold(Game::default(), |game, text| game.after(text.parse().expect("a move")));
        let margin = KnownMargins::Embedded.outcome(&game).and_then(|worth| worth.margin).expect("two stones");
        let told = match margin {
            _ if options.is_empty() => "?".to_owned(),
            0 => "draw".to_owned(),
            1.. => format!("black by {margin}"),
            _ => format!("white by {}", -margin),
        };
        // On a busy machine, the arena may not find the value in time, and the user asks again.
        let seen = format!("{TRIED}[1]?.[1] ?? '…'");
        for _ in 0..20 {
            tab.wait(&format!("({seen}) !== '…'"));
            if options.is_empty() || tab.eval(&seen) != json!("?") {
                break;
            }
            tab.keys(["Escape"]);
            click(&tab, first);
            click(&tab, "e1");
        }
        assert_eq!(tab.eval(&seen), json!(told));
        let asked = tab.requests().into_iter().filter(|request| request.contains("/value?")).count();
        assert_eq!(asked > 0, !options.is_empty());
        assert_eq!(tab.faults(), [""; 0]);
        tab.goto("about:blank");
    }
}

#[test]
fn a_step_in_seegover_is_two_clicks_and_a_return_a_third() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("seegover");
    let record = reported.record("r1-kestrel-wren");
    let mut position = record.ruleset.start();
    let mut found = None;
    for (index, ply) in record.plies.iter().enumerate() {
        let returns = position.legal_moves().into_iter().find(|one| one.as_str().len() == 8 && *one != ply.played);
        if let Some(one) = returns.filter(|one| !one.as_str().starts_with(ply.played.as_str())) {
            found = Some((index, one));
            break;
        }
        position.play(ply.played.as_str()).expect("legal");
    }
    let Some((index, one)) = found else { return };
    let tab = browser.tab();
    open(&tab, &reported.page(), &format!("#g=r1-kestrel-wren&p={index}"));
    let fields: Vec<&str> = one.as_str().split('-').collect();
    for field in &fields[..2] {
        click(&tab, field);
    }
    assert_eq!(tab.eval("document.querySelector('.variation').hidden"), true, "the turn may continue");
    click(&tab, fields[1]);
    assert!(tab.text(&format!("{TRIED}[0][0]")).ends_with(&fields[..2].join("-")));
    tab.keys(["Escape"]);
    for field in &fields {
        click(&tab, field);
    }
    assert!(tab.text(&format!("{TRIED}[0][0]")).ends_with(one.as_str()));
    assert_eq!(tab.text(&format!("{TRIED}[0][1]")), "?", "nothing is guessed");
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn the_better_line_of_a_mistake_plays_out_on_the_board() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("gothello");
    let tab = browser.tab();
    let page = reported.judged_page();
    open(&tab, &page, "#g=r1-kestrel-wren&p=0");
    let find = "(() => {
        for (const entry of page.data.games) {
            const { plies, values } = game.read(entry);
            const at = plies.findIndex(({ better, line }) => better && line.length > 1);
            if (at >= 0) return [page.id(entry), at + 1, [plies[at].better, ...plies[at].line].map(codes.plyText), words.value(values[at])];
        }
        return null; })()";
    let found = tab.eval(find);
    let [id, ply, line, value] = found.as_array().map(Vec::as_slice).expect("a mistake with a line") else {
        panic!("{found}")
    };
    open(&tab, &page, &format!("#g={}&p={ply}", id.as_str().expect("an id")));
    tab.keys(["b"]);
    let plies = line.as_array().expect("a list");
    tab.wait(&format!("document.querySelectorAll('.tried li').length === {}", plies.len()));
    tab.wait("document.querySelector('.tried li:last-child [aria-current]')");
    let tried = tab.eval(TRIED);
    for (tried, played) in tried.as_array().expect("a list").iter().zip(plies) {
        let text = tried[0].as_str().expect("text");
        assert!(text.ends_with(played.as_str().expect("text")), "{tried} {played}");
    }
    // Best play does not change the value; where only the winner is known, the script may find the margin.
    let told = tried.as_array().and_then(|list| list.last()).and_then(|last| last[1].as_str()).expect("a value");
    let value = value.as_str().expect("text").replace(" wins", "");
    assert!(told.starts_with(&value), "{told} instead of {value}");
    tab.keys(["Escape"]);
    tab.wait(&format!("location.hash.endsWith('p={ply}')"));
    assert_eq!(tab.eval("document.querySelector('.variation').hidden"), true);
    assert_eq!(tab.faults(), [""; 0]);
}
