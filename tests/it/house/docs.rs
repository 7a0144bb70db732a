//! The statements in README.md and docs/ are true: names, columns, examples, links, and the transcript of the first
//! command.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use gothello_arena::cli::Exit;
use gothello_arena::exact::margin_table::known::KnownMargins;
use gothello_arena::game::gothello::{Game, Point};
use gothello_arena::game::{Move, Outcome, Side};
use gothello_arena::referee::record::GameRecord;
use gothello_arena::referee::result::Termination;
use gothello_arena::results::analysis::{Accuracy, Analysis};
use gothello_arena::results::report::analysis_json::{accuracy_json, game_json};
use gothello_arena::results::report::{
    Extra, Extras, RESULTS_COLUMNS, ReportFormat, group_results_columns, read_score_csv, render,
};
use gothello_arena::results::standings::{RatingOptions, Standings, Tally};
use gothello_arena::tournament::file::Flaw;
use gothello_arena::tournament::{Placeholder, Tournament};

use crate::confinement::incidents::{INCIDENTS, Incident};
use crate::confinement::probes::{PROBES, Probe};
use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of all pages: the pages at the top level, and every page below docs/.
pub(crate) fn pages() -> Vec<String> {
    let mut pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(str::to_owned).to_vec();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(
                    path.strip_prefix(root()).expect("below the root").to_str().expect("a plain name").to_owned(),
                );
            }
        }
    }
    pages
}

/// The contents of the code blocks of `language` in `text`.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// All text in backticks in the first `columns` columns of the tables in `text`.
fn in_tables(text: &str, columns: usize) -> BTreeSet<String> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let cells = rows.flat_map(|row| row.split('|').skip(1).take(columns));
    cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// The keys that the reader of tournament files accepts: the keys at the top level, and the keys of a player.
fn keys() -> [Vec<String>; 2] {
    let wrong = "zzzzzzzz = 1\n[[player]]\nzzzzzzzz = 1\n";
    let problems = Tournament::parse(wrong, "wrong").expect_err("unknown keys");
    let known: Vec<Vec<String>> = problems
        .iter()
        .filter_map(|problem| match &problem.flaw {
            Flaw::UnknownKey { known, .. } => Some(known.iter().map(|&key| key.to_owned()).collect()),
            _ => None,
        })
        .collect();
    known.try_into().expect("two unknown keys")
}

#[test]
fn every_key_and_placeholder_of_a_tournament_file_is_documented() {
    let details = text("docs/reference/tournament-file.md");
    let [top, player] = keys();
    let documented = in_tables(&details, 1);
    for key in top.iter().filter(|key| *key != "player").chain(&player) {
        assert!(documented.contains(key), "`{key}` is not in docs/reference/tournament-file.md");
    }
    for placeholder in Placeholder::ALL {
        let name = format!("`{{{}}}`", placeholder.name());
        assert!(details.contains(&name), "{name}");
        assert!(details.contains(placeholder.variable()), "{}", placeholder.variable());
    }
}

#[test]
fn every_tournament_file_in_the_documentation_is_valid() {
    let mut files = 0;
    for name in pages() {
        // A whole tournament file has at least two players; a block may also show only a part of a file.
        let whole = |block: &String| block.matches("[[player]]").count() >= 2;
        for block in blocks(&text(&name), "toml").into_iter().filter(whole) {
            Tournament::parse(&block, "example").unwrap_or_else(|problems| panic!("{name}: {problems}\n{block}"));
            files += 1;
        }
    }
    assert!(files >= 2, "{files} found");
}

#[test]
fn every_ending_and_exit_code_is_documented() {
    let details = text("docs/reference/log-format.md");
    for termination in Termination::ALL {
        let word = termination.name();
        let row = |line: &str| {
            let words = line.strip_prefix("| ").and_then(|line| line.split(" | ").next()).unwrap_or_default();
            words.split(", ").any(|found| found == word)
        };
        assert!(details.lines().any(row), "`{word}` is not in docs/reference/log-format.md");
    }
    let exits = text("docs/reference/exit-codes.md");
    for exit in [
        Exit::Success,
        Exit::ArenaFailed,
        Exit::Usage,
        Exit::DoesNotHold,
        Exit::Forfeits,
        Exit::Incomplete,
        Exit::Disturbed,
        Exit::Interrupted,
        Exit::Terminated,
    ] {
        let code = exit.code().to_string();
        let row = |line: &str| {
            let codes = line.strip_prefix("| ").and_then(|line| line.split(" | ").next()).unwrap_or_default();
            codes.split(", ").any(|found| found == code)
        };
        assert!(exits.lines().any(row), "exit code {code} is not in docs/reference/exit-codes.md");
    }
}

#[test]
fn every_column_and_field_that_scripts_can_use_is_documented() {
    let documented = in_tables(&text("docs/reference/log-format.md"), 2);
    for column in RESULTS_COLUMNS {
        assert!(documented.contains(column), "`{column}`");
    }
    for column in group_results_columns(4) {
        let of_any_seat = column.replacen(|letter: char| letter.is_ascii_digit(), "<n>", 1);
        assert!(documented.contains(&column) || documented.contains(&of_any_seat), "`{column}`");
    }
    let documented = in_tables(&text("docs/measure/standings.md"), 2);
    let games = read_score_csv("first,second,first_score\na,b,1\n").expect("a game");
    let standings = Standings::new(&games.iter().collect::<Tally>(), &RatingOptions::default()).expect("no anchor");
    let extras = [Extra::Usage, Extra::Ranks, Extra::Fit].into_iter().collect();
    let csv = render(&standings, ReportFormat::Csv, extras);
    for column in csv.lines().next().unwrap_or_default().split(',') {
        let pattern = column.starts_with("forfeits_") || column.starts_with("black_") || column.starts_with("white_");
        assert!(documented.contains(column) || pattern, "`{column}`");
    }
    let extras = Extra::ALL.into_iter().collect();
    let json = render(&standings, ReportFormat::Json, extras);
    let players: Vec<BTreeMap<String, serde_json::Value>> = serde_json::from_str(&json).expect("an array of objects");
    assert!(players[0].len() > 10);
    for field in players[0].keys() {
        assert!(documented.contains(field), "`{field}`");
    }
    let pairing = &players[0]["head_to_head"]["b"];
    for object in [&players[0]["usage"], &players[0]["ranks"], &players[0]["fit"], pairing] {
        for field in object.as_object().expect("an object").keys() {
            assert!(documented.contains(field), "`{field}`");
        }
    }
}

/// Collects the names of all fields in `value`.
fn fields(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::Object(object) => object.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            fields(value, found);
        }),
        serde_json::Value::Array(values) => values.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

#[test]
fn every_field_and_column_of_an_analysis_is_documented() {
    let text = text("docs/measure/analysis.md");
    let documented = in_tables(&text, 2);
    let log = "[Black \"a\"]\n[White \"b\"]\n[Result \"1/2-1/2\"]\n\n1. pass pass 1/2-1/2\n";
    let record: GameRecord = log.parse().expect("a log");
    let analysis =
        Analysis::of(&record, |_| Some(Outcome::of_margin(0)), |_, _, _| None).expect("Gothello has a solver");
    let accuracy = Accuracy::of(&analysis, Side::Black);
    let lines = [game_json("a.log", &record, &analysis), accuracy_json([("a", accuracy)])];
    let mut found = BTreeSet::new();
    for line in lines {
        fields(&serde_json::from_str(&line).expect("JSON"), &mut found);
    }
    assert!(found.len() > 25, "{found:?}");
    for field in found {
        assert!(documented.contains(&field), "`{field}`");
    }
    let games = read_score_csv("first,second,first_score\na,b,1\n").expect("a game");
    let standings = Standings::new(&games.iter().collect::<Tally>(), &RatingOptions::default()).expect("no anchor");
    let standings = standings.with_accuracy(&BTreeMap::from([("a".to_owned(), accuracy)]));
    let csv = render(&standings, ReportFormat::Csv, Extras::default());
    let header = csv.lines().next().unwrap_or_default();
    let columns: Vec<&str> = header.split(',').filter_map(|column| column.strip_prefix("accuracy_")).collect();
    assert_eq!(columns.len(), 36);
    for column in columns {
        let part = column.trim_start_matches("opening_").trim_start_matches("middle_").trim_start_matches("end_");
        assert!(documented.contains(part), "`{column}`");
    }
}

#[test]
fn every_probe_is_documented_with_its_ending() {
    let text = text("docs/reference/confinement.md");
    let table = text.lines().skip_while(|line| !line.starts_with("| probe | what it does |")).skip(2);
    let documented: Vec<[String; 4]> = table
        .map_while(|line| {
            let cells: Vec<&str> = line.split(" | ").collect();
            let [probe, _, tiers, ending, remote, contained] = cells[..] else { return None };
            assert!(contained.len() > 2, "{line}");
            Some([probe.trim_start_matches("| "), tiers, ending, remote].map(str::to_owned))
        })
        .collect();
    assert_eq!(documented, PROBES.iter().map(Probe::row).collect::<Vec<_>>());
}

#[test]
fn every_incident_is_documented_with_its_source() {
    let text = text("docs/reference/confinement-incidents.md");
    let table = text.lines().skip_while(|line| !line.starts_with("| incident | what happened |")).skip(2);
    let rows: Vec<&str> = table.take_while(|line| line.starts_with('|')).collect();
    let expected: Vec<String> = INCIDENTS.iter().map(Incident::row).collect();
    assert_eq!(rows, expected);
}

/// The anchor of the heading `line`: its letters and digits in lower case, with a hyphen for each space.
fn anchor(line: &str) -> String {
    let words = line.trim_start_matches('#').trim().to_lowercase();
    words
        .chars()
        .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter))
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

#[test]
fn relative_links_lead_to_existing_files_and_headings() {
    for name in pages() {
        let text = text(&name);
        let folder = root().join(&name).parent().expect("a file has a folder").to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.starts_with("http") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if file.is_empty() { root().join(&name) } else { folder.join(file) };
            assert!(path.exists(), "{name} links to {target}");
            if !heading.is_empty() {
                let text = fs::read_to_string(&path).expect("a text");
                let mut headings = text.lines().filter(|line| line.starts_with('#')).map(anchor);
                assert!(headings.any(|known| known == heading), "{name} links to {target}");
            }
        }
    }
}

#[test]
fn the_places_in_the_recipes_exist() {
    let sources = ["src", "crates/games/src"].map(|folder| root().join(folder));
    let wings: Vec<String> = sources
        .iter()
        .flat_map(|folder| fs::read_dir(folder).expect("a folder"))
        .map(|entry| format!("{}/", entry.expect("an entry").file_name().to_string_lossy()))
        .collect();
    let page = text("docs/dev/recipes.md");
    let places: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    let places = places.into_iter().filter(|place| wings.iter().any(|wing| place.starts_with(wing.as_str())));
    let places: Vec<&str> = places.filter(|place| !place.contains('*')).collect();
    assert!(places.len() > 50, "{places:?}");
    for place in places {
        let paths = sources.iter().map(|folder| folder.join(place));
        let exists = paths.into_iter().any(|path| path.exists() || path.with_extension("rs").exists());
        assert!(exists, "`{place}` does not exist");
    }
}

#[test]
fn the_readme_is_short_and_leads_to_the_index_of_all_pages() {
    let readme = text("README.md");
    assert!(readme.lines().count() <= 160, "README.md has {} lines", readme.lines().count());
    assert!(readme.contains("](docs/README.md)"), "README.md does not link to docs/README.md");
    let [index, decisions] = [text("docs/README.md"), text("docs/dev/decisions/README.md")];
    for name in pages() {
        let Some(page) = name.strip_prefix("docs/").filter(|page| *page != "README.md") else { continue };
        let decision = page.strip_prefix("dev/decisions/").filter(|page| *page != "README.md");
        let (list, page) = decision.map_or((&index, page), |page| (&decisions, page));
        assert!(list.contains(&format!("({page})")), "no index lists {name}");
    }
}

#[test]
fn the_first_command_prints_what_the_documents_show() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = Command::new(program())
        .args(["run", "--out"])
        .arg(dir.path().join("class"))
        .output_in_time()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    let readme = text("README.md");
    assert!(blocks(&readme, "text")[0].contains(&*printed), "README.md does not show\n{printed}");

    let log = fs::read_to_string(dir.path().join("class/games/r1-greedy-random.log")).expect("a log");
    let page = text("docs/reference/log-format.md");
    let shown = blocks(&page, "text").into_iter().find(|block| block.starts_with("[Event \"Class")).expect("a log");
    let machine = |tag: &str| {
        ["[Site", "[Date", "[BlackDigest", "[WhiteDigest", "[BlackUsage", "[WhiteUsage", "[Lateness"]
            .iter()
            .any(|own| tag.starts_with(own))
    };
    let moves = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !machine(line));
        lines.map(|line| line.split(" {").next().unwrap_or_default().to_owned()).collect()
    };
    let (shown, log) = (moves(&shown), moves(&log));
    let cut = shown.iter().position(|line| line == "...").expect("the log is shortened");
    assert_eq!(shown[..cut], log[..cut]);
    assert_eq!(shown.last(), log.last());
}

#[test]
fn the_documented_solution_is_the_one_in_the_program() {
    let text = text("docs/measure/solution.md");
    let after = |game: Game, name: &str| {
        game.after(if name == "pass" { Move::PASS } else { Point::parse(name).expect(name).to_move() })
    };
    let margin =
        |game: &Game| KnownMargins::Embedded.outcome(game).and_then(|outcome| outcome.margin).expect("few stones");
    let start = Game::default();
    assert!(text.contains(&format!("**black, who moves first, wins by {}**", margin(&start))));
    // A row for each class of first moves.
    let rows = text.lines().skip_while(|line| !line.starts_with("| first move |")).skip(2);
    let mut moves = BTreeSet::new();
    for row in rows.take_while(|line| line.starts_with('|')) {
        let [_, first, others, documented, _] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        for cell in [first, others] {
            for name in cell.split('`').skip(1).step_by(2) {
                let outcome = Outcome::of_margin(margin(&after(start, name)));
                assert_eq!(outcome.to_string(), documented.trim(), "{row}");
                assert!(moves.insert(name.to_owned()), "{name} twice");
            }
        }
    }
    let every: BTreeSet<String> = Point::all().map(|point| point.to_string()).chain(["pass".to_owned()]).collect();
    assert_eq!(moves, every);
    // The margins after each second move, shown on boards.
    let mut boards = 0;
    for (number, line) in text.lines().enumerate() {
        let Some(first) = line.strip_prefix("After `").and_then(|line| line.strip_suffix("`:")) else { continue };
        let game = after(start, first);
        for (rank, line) in (1..=5).rev().zip(text.lines().skip(number + 2)) {
            for (file, cell) in ('a'..='e').zip(line.split_whitespace()) {
                let name = format!("{file}{rank}");
                let found = if name == first { "x".to_owned() } else { format!("{:+}", margin(&after(game, &name))) };
                assert_eq!(cell, found, "{first} {name}");
            }
        }
        boards += 1;
    }
    assert_eq!(boards, 6);
}
