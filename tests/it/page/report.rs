//! The command `report`: the contents of the page for every kind of input, and the information that the page must not
//! contain.

mod analysis;
mod group;
mod inputs;
mod secrecy;

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use gothello_arena::page::shown::game_code::{CodeBoard, decoded_moves, decoded_times};
use serde_json::Value;

use crate::cli::command_line::text;
use crate::harness::arena::{Arena, program};
use crate::harness::waiting::InTime as _;

/// A tournament with wins, losses and forfeits.
const CLASS: &str = r#"
name = "Class of </script>"
rounds = 2
seed = 7
[[player]]
name = "Bob Smith"
builtin = "greedy"
[[player]]
name = "random"
builtin = "random"
[[player]]
name = "says-no"
command = ["/bin/sh", "-c", "echo 'Bob Smith <b>was</b> here' >&2; exit 3", "{port}"]
"#;

/// A page, split into its parts.
struct Page {
    html: String,
    data: Value,
}

impl Page {
    fn read(path: &Path) -> Self {
        let html = fs::read_to_string(path).expect("a page");
        let packed = between(&html, "<script type=\"application/octet-stream\" id=\"d\">", "</script>");
        let packed = BASE64_STANDARD.decode(packed).expect("base64");
        let mut json = String::new();
        GzDecoder::new(&*packed).read_to_string(&mut json).expect("gzip");
        let data = serde_json::from_str(&json).expect("JSON");
        Self { html, data }
    }

    /// The part of the page that is shown without its script, as XML.
    fn body(&self) -> String {
        let body = between(&self.html, "<body>", "<script type=");
        format!("<body>{body}</body>")
    }

    /// The text of the element with the id `id`.
    fn text_of(&self, id: &str) -> String {
        let body = self.body();
        let document = roxmltree::Document::parse(&body).expect("the markup is XML");
        let node = document.descendants().find(|node| node.attribute("id") == Some(id));
        let node = node.unwrap_or_else(|| panic!("no element has the id {id}"));
        node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
    }

    fn games(&self) -> &[Value] {
        self.data["games"].as_array().expect("games")
    }

    fn names(&self) -> Vec<&str> {
        self.data["players"]
            .as_array()
            .expect("players")
            .iter()
            .map(|player| player["n"].as_str().expect("a name"))
            .collect()
    }

    /// The player to which a game refers by `place`, its position in the list of players.
    fn player(&self, place: &Value) -> &Value {
        let place = place.as_u64().and_then(|place| usize::try_from(place).ok());
        &self.data["players"][place.expect("a place")]
    }

    fn id(&self, game: &Value) -> String {
        let slug = |side: usize| self.player(&game[side])["s"].as_str();
        let usual = || format!("r{}-{}-{}", game[2], slug(0).expect("a slug"), slug(1).expect("a slug"));
        game[10].as_str().map_or_else(usual, str::to_owned)
    }
}

fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

fn played() -> Arena {
    let arena = Arena::new(CLASS);
    let run = arena.run(&[]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    arena
}

/// Runs `report` with `args`, which must succeed.
fn report(arena: &Arena, args: &[&str]) -> Page {
    let output = arena.output(&[&["report"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let out = args.iter().position(|&arg| arg == "--out").map_or("out/report.html", |at| args[at + 1]);
    Page::read(&arena.path().join(out))
}

/// Runs `report` in the directory `dir`.
fn report_in(dir: &Path, args: &[&str]) -> Output {
    Command::new(program()).arg("report").args(args).current_dir(dir).output_in_time().expect("it starts")
}

#[test]
fn the_page_of_a_run_has_all_its_games_and_is_the_same_twice() {
    let arena = played();
    let page = report(&arena, &["out"]);
    assert_eq!(report(&arena, &["out", "--out", "again.html"]).html, page.html);
    assert_eq!((page.data["v"].as_u64(), page.data["size"].as_u64()), (Some(1), Some(5)));
    assert_eq!((page.data["soFar"].as_bool(), page.data["total"].as_u64()), (Some(false), Some(12)));
    assert_eq!(page.games().len(), 12);
    for game in page.games() {
        let record = arena.record(&page.id(game));
        let plies = decoded_moves(game[6].as_str().expect("moves")).expect("a code");
        assert!(plies.iter().map(|ply| ply.played.as_str()).eq(record.plies.iter().map(|ply| ply.played.as_str())));
        let mut position = record.ruleset.start();
        for (ply, coded) in record.plies.iter().zip(&plies) {
            position.play(ply.played.as_str()).expect("legal");
            assert_eq!((coded.side, coded.board), (ply.side(), CodeBoard::of(position.as_ref())));
        }
        let times = decoded_times(game[7].as_str().expect("times")).expect("a code");
        assert!(times.iter().map(Option::is_some).eq(record.plies.iter().map(|ply| ply.elapsed.is_some())));
    }
}

#[test]
fn the_page_is_complete_without_its_script() {
    let page = report(&played(), &["out"]);
    let body = page.body();
    let document = roxmltree::Document::parse(&body).expect("the markup is XML");
    let ids: BTreeSet<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    for id in [
        "head",
        "summary",
        "tabs",
        "main",
        "standings",
        "crosstable",
        "ratings",
        "endings",
        "games",
        "viewer",
        "players",
    ] {
        assert!(ids.contains(id), "{id}");
    }
    for name in page.names() {
        assert!(page.text_of("standings").contains(name) && page.text_of("crosstable").contains(name), "{name}");
    }
    assert!(page.text_of("summary").starts_with("3 players · 12 games · 20"));
    assert!(page.text_of("endings").contains("no show"));
    assert!(page.text_of("p=says_no").contains("Forfeits") && page.text_of("p=bob_smith").contains("as black"));
    // Every link leads to something even without a script.
    for link in document.descendants().filter_map(|node| node.attribute("href")) {
        let target = link.strip_prefix('#').unwrap_or_else(|| panic!("{link} leads out of the page"));
        assert!(target.starts_with("g=") || ids.contains(target), "{link}");
    }
    for cell in document.descendants().filter(|node| node.has_tag_name("td") && node.has_attribute("data-a")) {
        let heat = cell.attribute("class").expect("a colour");
        assert!(heat.starts_with("heat") && cell.text().expect("a text").matches('-').count() == 2, "{heat}");
    }
}

#[test]
fn every_part_of_the_page_has_the_same_elo() {
    let page = report(&played(), &["out"]);
    let elos = page.data["players"].as_array().expect("players").iter().map(|player| {
        let elo = player["elo"].as_i64().expect("a whole number");
        let sign = ["−", "", "+"][usize::try_from(elo.signum() + 1).expect("three signs")];
        (player["s"].as_str().expect("a slug"), format!("{sign}{}", elo.abs()))
    });
    let (standings, course) = (page.text_of("standings"), page.text_of("ratings"));
    for (slug, elo) in elos {
        // A rating that is determined only by the prior has a mark.
        let is_shown = |mark| page.text_of(&format!("p={slug}")).contains(&format!(", Elo {elo}{mark} ± "));
        assert!(["", "?"].into_iter().any(is_shown), "{slug}: {elo}");
        assert!(standings.contains(&elo) && course.contains(&format!("{elo} ± ")), "{slug}: {elo}");
    }
    let body = page.body();
    assert!(!body.contains("+0<"), "no sign before 0");
    let after = |sign: &str| body.split(sign).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    assert!(!after(">-") && !after("Elo -") && !after(": -"), "one sign for all numbers");
}

#[test]
fn only_the_chosen_games_have_moves() {
    let arena = played();
    let with_moves = |args: &[&str]| -> Vec<String> {
        let page = report(&arena, &[&["out"], args].concat());
        page.games().iter().filter(|game| game[6] != "").map(|game| page.id(game)).collect()
    };
    assert!(with_moves(&["--games", "none"]).is_empty());
    let all = with_moves(&[]);
    let lost = with_moves(&["--games", "lost"]);
    assert_eq!(all.len(), 4, "the others were forfeited before a move");
    let page = report(&arena, &["out"]);
    let elo = |player: &Value| page.player(player)["elo"].as_f64();
    let is_upset = |game: &&Value| match game[3].as_u64() {
        Some(0) => elo(&game[0]) < elo(&game[1]),
        Some(1) => elo(&game[1]) < elo(&game[0]),
        _ => false,
    };
    let upsets = page.games().iter().filter(is_upset).map(|game| page.id(game)).filter(|id| all.contains(id));
    assert_eq!(lost, upsets.collect::<Vec<_>>());
}

#[test]
fn ratings_of_a_few_games_make_no_picture() {
    let players = "[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
    let arena = Arena::new(&format!("rounds = 5\n{players}"));
    arena.run(&["--quiet"]);
    let csv = fs::read_to_string(arena.out().join("results.csv")).expect("the results");
    for games in [1, 2, 9, 10] {
        let some: String = csv.lines().take(1 + games).flat_map(|line| [line, "\n"]).collect();
        fs::write(arena.path().join("some.csv"), some).expect("written");
        let printed = report_in(arena.path(), &["some.csv", "--out", "some.html"]);
        assert!(printed.status.success(), "{printed:?}");
        let page = Page::read(&arena.path().join("some.html"));
        assert_eq!(page.html.contains("Ratings over time"), games == 10, "{games}");
    }
}

#[test]
fn a_report_begins_with_who_won_or_with_the_verdict_of_its_test() {
    let page = report(&played(), &["out"]);
    let headline = page.text_of("headline");
    assert!(headline.contains(" is first, with ") || headline.contains(" share first place."), "{headline}");
    let description = between(&page.html, "<meta name=\"description\" content=\"", "\"");
    assert!(headline.starts_with(description), "{description}");
    let player =
        |name: &str, depth: u32| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"alphabeta\"\ndepth = {depth}\n");
    let test = "format = \"sprt\"\nelo0 = 0\nelo1 = 200\nmax_pairs = 30\nopenings = { plies = 2 }\n";
    let arena = Arena::new(&format!("{test}{}{}", player("Ada", 2), player("Quentin", 1)));
    assert_eq!(arena.run(&["--quiet"]).status.code(), Some(0));
    for args in [&["out"][..], &["out", "--anonymous"]] {
        let page = report(&arena, args);
        let headline = page.text_of("headline");
        assert!(headline.contains(" Elo stronger than "), "{headline}");
        assert_eq!(headline.contains("Quentin"), args.len() == 1, "{headline}");
        assert!(
            headline.contains("Log-likelihood ratio: ") && headline.contains("Pairs by the points of "),
            "{headline}"
        );
        assert!(!page.text_of("endings").contains("Sequential test"));
    }
}
