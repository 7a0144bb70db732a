//! Games saved from the page: as pictures, and in the formats of other programs.

use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySide, Ruleset};
use gothello_arena::page::shown::game_code::GroupCode;
use gothello_arena::page::shown::page_boards::PageBoards;
use gothello_arena::page::shown::{PageKind, ShownGame};
use gothello_arena::referee::record::{GameRecord, LoggedGame, check};
use gothello_arena::results::replay::{NoGgf, NoSgf, PicturedGame, ggf, sgf};
use serde_json::{Value, json};

use super::chromium::Browser;
use super::pages::{Reported, written};
use super::scripts::{random_group, under_node};
use super::tab::Tab;
use crate::cli::sgf::{Node, nodes, random_game};

/// The script's files that produce pictures and other formats, each after the files on which it depends.
const FILES: [&str; 8] =
    ["dom.js", "words.js", "codes.js", "clocks.js", "game.js", "board.js", "picture.js", "formats.js"];

/// The boards of `ruleset` and the number of its seats, as in the data of a page.
fn page_data(ruleset: Ruleset) -> Value {
    let mut data = json!({ "ruleset": ruleset.to_string(), "terms": ["normal"] });
    if ruleset.seats() > 2 {
        data["seats"] = json!(ruleset.seats());
    }
    if let Some(Value::Object(boards)) = PageBoards::of(ruleset).map(|boards| json!(boards)) {
        data.as_object_mut().expect("an object").extend(boards);
    }
    data
}

/// The entry of a game in the data of a page.
fn entry(record: &GameRecord) -> Value {
    let ShownGame { code, .. } = ShownGame::of(record).expect("a legal game");
    let result = record.result.as_ref().expect("a result");
    let winner = result.winner().map_or(2, |winner| usize::from(winner.letter() == 'w'));
    json!([0, 1, 1, winner, result.margin(), 0, code.moves, code.times, "", 0, "r1-a-b", 1])
}

#[test]
fn the_script_draws_the_same_pictures_as_the_program() {
    let names = ["ada <b>", "囲碁の好きなボットの名前は長い"];
    let (mut games, mut input): (Vec<LoggedGame>, Vec<Value>) = (Vec::new(), Vec::new());
    for ruleset in [
        "gothello",
        "seegover",
        "seegover drop=2",
        "othello",
        "othello-10",
        "reverse",
        "go-9",
        "go-19",
        "quantum-8",
        "quantum rows=one",
    ] {
        let [black, white] = names.map(str::to_owned);
        let record = GameRecord { players: BySide { black, white }, ..random_game(ruleset, 9) };
        input.push(json!({ "data": page_data(record.ruleset), "entry": entry(&record), "names": names }));
        games.push(record.into());
    }
    let mut random = SplitMix64::new(14);
    for ruleset in ["quantum-4p", "quantum-6p"] {
        let record = random_group(ruleset.parse().expect("a rule set"), &mut random, 90);
        let GroupCode { code, .. } = GroupCode::of(&record).expect("a legal game");
        let places = record.result.as_ref().ok().map(|standing| standing.placing.values().copied().collect::<Vec<_>>());
        let names: Vec<&String> = record.players.values().collect();
        let entry = json!([[], null, 1, places, null, [], code.moves, code.times, "", 0, null, 1]);
        input.push(json!({ "data": page_data(record.ruleset), "entry": entry, "names": names }));
        games.push(record.into());
    }
    let script = "return input.map(({ data, entry, names }) => {
        codes.use(data);
        const read = game.read(entry);
        const result = codes.isOfTwo() ? words.result(entry) : picture.placing(entry[3]);
        const { film, still } = picture.of({ names, read, result, rules: data.ruleset });
        return [film(), still(0), still(9), still(read.plies.length)]; });";
    // Each rule set needs a script of its own, because the boards of a page never change.
    for (game, input) in games.iter().zip(input) {
        let Some(made) = under_node(&FILES, script, &json!([input])) else { return };
        let (ours, last) = (PicturedGame::of(game), game.plies().len());
        let expected = [Some(ours.film()), ours.still(0), ours.still(9), ours.still(last)];
        for (made, expected) in made[0].as_array().expect("pictures").iter().zip(expected) {
            let (made, expected) = (made.as_str().expect("a text"), expected.expect("a position"));
            for (one, other) in made.lines().zip(expected.lines()) {
                assert_eq!(one, other, "{}", game.ruleset());
            }
            assert_eq!(made.len(), expected.len(), "{}", game.ruleset());
        }
    }
}

/// The properties of `node` that the script also writes.
fn shared(node: &Node) -> Node {
    let own = ["AP", "GC", "C"];
    node.iter()
        .filter(|(name, _)| !own.contains(&name.as_str()))
        .map(|(name, all)| (name.clone(), all.clone()))
        .collect()
}

#[test]
fn the_script_writes_the_same_games_as_the_program() {
    let rules = [
        "gothello",
        "seegover drop=2",
        "othello",
        "othello-10",
        "othello start=open",
        "reverse",
        "go-9",
        "go-9 handicap=1,3",
        "quantum-8",
    ];
    for ruleset in rules {
        let mut record = random_game(ruleset, 4);
        record.players = BySide { black: "x]y\\z:[".to_owned(), white: "wren".to_owned() };
        (record.round, record.game) = (Some(1), Some("r1-a-b".to_owned()));
        let names = [&record.players.black, &record.players.white];
        let input =
            json!({ "data": page_data(record.ruleset), "entry": entry(&record), "id": "r1-a-b", "names": names });
        let script = "const { data, entry } = input;
            codes.use(data);
            const all = { ...input, controls: [null, null], read: game.read(entry) };
            return [formats.hasSgf() ? formats.sgf(all) : null, formats.hasGgf(data) ? formats.ggf(all) : null];";
        let Some(made) = under_node(&FILES, script, &input) else { return };
        let game = check(&record).expect("valid");
        assert_eq!(made[1].as_str().map(str::to_owned), ggf(&game).ok(), "{ruleset}");
        assert_eq!(made[1].is_null(), NoGgf::of(record.ruleset).is_some());
        assert_eq!(made[0].is_null(), NoSgf::of(record.ruleset).is_some(), "{ruleset}");
        let (Some(made), Ok(ours)) = (made[0].as_str(), sgf(&game)) else { continue };
        let (made, ours) = (nodes(made), nodes(&ours));
        assert_eq!(made.len(), ours.len());
        for (one, other) in made.iter().zip(&ours) {
            assert_eq!(shared(one), shared(other), "{ruleset}");
            assert_eq!(one.get("C"), other.get("C"), "{ruleset}: the move");
        }
    }
}

/// Clicks the button with the text `button`, and returns the name and the contents of the file that the browser saves
/// in `dir`.
fn save(tab: &Tab, dir: &Path, button: &str) -> (String, Vec<u8>) {
    tab.eval(&format!(
        "[...document.querySelectorAll('.saving button')].find(one => one.textContent === {}).click()",
        json!(button)
    ));
    let name = tab.saved();
    let contents = fs::read(dir.join(&name)).expect("saved");
    (name, contents)
}

#[test]
fn the_viewer_saves_games_and_positions_without_a_request() {
    let Some(browser) = Browser::start() else { return };
    for (ruleset, buttons) in [
        ("gothello", &["Position (PNG)", "Game (SVG)", "Game (SGF)"][..]),
        ("othello", &["Position (PNG)", "Game (SVG)", "Game (SGF)", "Game (GGF)"]),
        ("quantum-8", &["Position (PNG)", "Game (SVG)"]),
    ] {
        let reported = Reported::duel(ruleset);
        let record = reported.record("r1-kestrel-wren");
        let dir = tempfile::tempdir().expect("a directory");
        let tab = browser.tab();
        tab.save_to(dir.path());
        tab.goto(&format!("file://{}#g=r1-kestrel-wren&p=5", reported.page().display()));
        tab.wait("document.querySelector('.saving button')");
        assert_eq!(
            tab.eval("[...document.querySelectorAll('.saving button')].map(one => one.textContent)"),
            json!(buttons)
        );

        let (name, film) = save(&tab, dir.path(), "Game (SVG)");
        assert_eq!(name, "r1-kestrel-wren.svg");
        let ours = PicturedGame::of(&record.clone().into());
        assert_eq!(String::from_utf8(film).expect("text"), ours.film());

        let (name, png) = save(&tab, dir.path(), "Position (PNG)");
        assert_eq!(name, "r1-kestrel-wren-5.png");
        let still = ours.still(5).expect("a position");
        assert_same_colours(&tab, &png, &still);
        if buttons.contains(&"Game (SGF)") {
            let (name, text) = save(&tab, dir.path(), "Game (SGF)");
            assert_eq!(name, "r1-kestrel-wren.sgf");
            let text = String::from_utf8(text).expect("text");
            let ours = sgf(&check(&record).expect("valid")).expect("one board");
            assert_eq!(nodes(&text).len(), nodes(&ours).len());
        }
        if buttons.contains(&"Game (GGF)") {
            let (name, text) = save(&tab, dir.path(), "Game (GGF)");
            assert_eq!(name, "r1-kestrel-wren.ggf");
            let moves =
                |text: &str| text.split_once("]B[").map(|(_, moves)| moves.split('/').next().map(str::to_owned));
            let ours = ggf(&check(&record).expect("valid")).expect("Othello");
            assert_eq!(moves(&String::from_utf8(text).expect("text")), moves(&ours));
        }
        assert_eq!(tab.faults(), [""; 0]);
        let foreign: Vec<String> = tab
            .requests()
            .into_iter()
            .filter(|url| !url.starts_with("file:") && !url.starts_with("data:") && !url.starts_with("blob:"))
            .collect();
        assert_eq!(foreign, [""; 0]);
        assert_eq!(tab.eval("document.querySelectorAll('a[download], img, canvas').length"), 0);
    }
}

/// Compares the colour in the middle of each stone in `png` with the colour of the same stone in the picture `svg`.
fn assert_same_colours(tab: &Tab, png: &[u8], svg: &str) {
    let document = roxmltree::Document::parse(svg).expect("XML");
    let root = document.root_element();
    let stones: Vec<(f64, f64, bool)> = document
        .descendants()
        .filter_map(|node| {
            let symbol = node.attribute("href")?.strip_prefix("#s")?;
            Some((node.attribute("x")?.parse().ok()?, node.attribute("y")?.parse().ok()?, symbol.starts_with('b')))
        })
        .collect();
    assert!(!stones.is_empty());
    let script = format!(
        "(async () => {{
            const bytes = Uint8Array.from(atob('{}'), letter => letter.charCodeAt(0));
            const bitmap = await createImageBitmap(new Blob([bytes], {{ type: 'image/png' }}));
            const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', {{ willReadFrequently: true }});
            context.drawImage(bitmap, 0, 0);
            const colours = {}.map(([x, y]) => context.getImageData(2 * x, 2 * y, 1, 1).data[0]);
            return [bitmap.width, bitmap.height, colours]; }})()",
        STANDARD.encode(png),
        json!(stones)
    );
    let seen = tab.eval(&script);
    let twice = |name: &str| root.attribute(name).and_then(|text| text.parse::<u32>().ok()).map(|size| 2 * size);
    assert_eq!((seen[0].as_u64(), seen[1].as_u64()), (twice("width").map(u64::from), twice("height").map(u64::from)));
    let colours: Vec<bool> = seen[2].as_array().expect("colours").iter().map(|red| red.as_u64() < Some(100)).collect();
    assert_eq!(colours, stones.iter().map(|stone| stone.2).collect::<Vec<_>>());
}

#[test]
fn a_position_of_a_variation_can_be_saved() {
    let Some(browser) = Browser::start() else { return };
    let reported = Reported::duel("gothello");
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    tab.save_to(dir.path());
    tab.goto(&format!("file://{}#g=r1-kestrel-wren&p=0", reported.page().display()));
    tab.wait("document.querySelector('#viewer [role=gridcell]')");
    // A first move that differs from the first move of the game.
    let first = reported.record("r1-kestrel-wren").plies[0].played.as_str().to_owned();
    let other = if first == "c3" { "d4" } else { "c3" };
    tab.eval(&format!(
        "[...document.querySelectorAll('#viewer [role=gridcell]')].find(cell => cell.getAttribute('aria-label').startsWith('{other} ')).click()"
    ));
    tab.wait("!document.querySelector('.variation').hidden");
    let (name, png) = save(&tab, dir.path(), "Position (PNG)");
    assert_eq!(name, "r1-kestrel-wren-variation.png");
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(tab.faults(), [""; 0]);
}

#[test]
fn hostile_names_and_ids_are_harmless_in_saved_files() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let mut record = random_game("gothello", 2);
    record.players =
        BySide { black: "</title><script>window.canary=1</script>".to_owned(), white: "\u{202e}&lt;".to_owned() };
    record.game = Some("../../etc/<x>".to_owned());
    let page = written(dir.path(), PageKind::Report, "saved", &[record.clone()]);
    let tab = browser.tab();
    tab.save_to(dir.path());
    tab.open_file(&page);
    tab.wait("document.querySelector('#games tbody tr, #tabs a[aria-current]')");
    tab.eval("location.hash = '#g=' + encodeURIComponent(page.id(page.data.games[0])) + '&p=1'");
    tab.wait("document.querySelector('.saving button')");
    let (name, film) = save(&tab, dir.path(), "Game (SVG)");
    assert!(!name.contains('/') && name.is_ascii(), "{name}");
    assert_eq!(Path::new(&name).extension(), Some("svg".as_ref()));
    let film = String::from_utf8(film).expect("text");
    let document = roxmltree::Document::parse(&film).expect("XML");
    assert!(!document.descendants().any(|node| node.has_tag_name("script")));
    tab.goto(&format!("file://{}", dir.path().join(&name).display()));
    assert_eq!(tab.text("typeof window.canary"), "undefined");
    assert_eq!(tab.faults(), [""; 0]);
}
