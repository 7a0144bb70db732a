//! The results of Swiss tournaments and of knockouts: in every format of `standings`, in a run's tables, on a run's
//! page, and during a run.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::arena::{Arena, text};
use crate::house::json::{fits, strict};

/// Five players, one of which cannot be started.
const FIELD: &str = r#"
    seed = 4
    openings = { plies = 2 }
    [[player]]
    name = "greedy"
    builtin = "greedy"
    [[player]]
    name = "one"
    builtin = "random"
    seed = 1
    [[player]]
    name = "two"
    builtin = "random"
    seed = 2
    [[player]]
    name = "three"
    builtin = "random"
    seed = 3
    [[player]]
    name = "gone"
    command = ["/nowhere/to/be/found"]
    openings = true
"#;

fn swiss() -> Arena {
    played(&format!("format = \"swiss\"\nrounds = 4\ngames = 1\n{FIELD}"))
}

fn knockout() -> Arena {
    played(&format!("format = \"knockout\"\n{FIELD}"))
}

fn played(toml: &str) -> Arena {
    let arena = Arena::new(toml);
    let run = arena.run(&["--quiet"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let standings = arena.output(&["standings", "out"]);
    assert_eq!(text(&run.stdout), text(&standings.stdout), "the final report contains the result, too");
    arena
}

fn standings(arena: &Arena, format: &str) -> String {
    let standings = arena.output(&["standings", "out", "--format", format]);
    assert!(standings.status.success(), "{}", text(&standings.stderr));
    text(&standings.stdout)
}

/// Asserts that `printed` contains all columns of the run's standings.csv, with the same values in the same order.
fn assert_holds_file(arena: &Arena, printed: &str) {
    let file = fs::read_to_string(arena.out().join("standings.csv")).expect("read");
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let columns = cells(printed.lines().next().expect("a header"));
    let wanted = cells(file.lines().next().expect("a header"));
    let kept = |line: &str| {
        let shared = columns.iter().zip(cells(line)).filter(|(column, _)| wanted.contains(column));
        shared.map(|(_, cell)| cell).collect::<Vec<_>>()
    };
    let kept: Vec<Vec<String>> = printed.lines().map(kept).collect();
    assert_eq!(kept, file.lines().map(cells).collect::<Vec<_>>());
}

/// The objects of the players, by name.
fn objects(arena: &Arena) -> BTreeMap<String, Value> {
    let value = fits(&strict("standings"), &standings(arena, "json"));
    let name = |object: &Value| object["player"].as_str().expect("a name").to_owned();
    value.as_array().expect("an array").iter().map(|object| (name(object), object.clone())).collect()
}

/// Converts a number to quarters; all figures of a result are multiples of a quarter.
fn quarters(value: &Value) -> u64 {
    let quarters = 4.0 * value.as_f64().expect("a number");
    format!("{quarters}").parse().expect("a whole number")
}

/// The rows of a CSV file by player, and the fields of each row by column.
fn rows(text: &str) -> HashMap<String, HashMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize::<HashMap<String, String>>().map(|row| row.expect("a row"));
    rows.map(|row| (row["player"].trim_start_matches('\'').to_owned(), row)).collect()
}

/// The verdict of `--require` on each of `requirements`, and the exit code.
fn judged(arena: &Arena, requirements: &[String]) -> (Option<i32>, Vec<String>) {
    let options = requirements.iter().flat_map(|requirement| ["--require", requirement]);
    let judged = arena.output(&["standings", "out", "--quiet"].into_iter().chain(options).collect::<Vec<_>>());
    (judged.status.code(), text(&judged.stderr).lines().map(str::to_owned).collect())
}

/// Asserts that requirements can use all numbers and Booleans of each player's result.
fn assert_required(arena: &Arena, objects: &BTreeMap<String, Value>) {
    let mut requirements = Vec::new();
    for (name, object) in objects {
        for (field, value) in object["result"].as_object().expect("an object") {
            let number = value.as_f64().or(value.as_bool().map(|truth| f64::from(u8::from(truth))));
            requirements.extend(number.map(|number| format!("{name}.result.{field} == {number}")));
        }
    }
    assert!(requirements.len() >= 5 * objects.len(), "{requirements:?}");
    let (exit, said) = judged(arena, &requirements);
    assert_eq!((exit, said.len()), (Some(0), requirements.len()), "{said:?}");
}

/// Truncates the journal of the run after `lines` lines, as if it had been killed at that point, and removes the
/// derived files.
fn cut_off(arena: &Arena, lines: usize) {
    let journal = arena.out().join("journal.jsonl");
    let whole = fs::read_to_string(&journal).expect("read");
    fs::write(&journal, whole.split_inclusive('\n').take(lines).collect::<String>()).expect("written");
    fs::remove_dir_all(arena.out().join("games")).expect("removed");
}

#[test]
fn the_figures_of_a_swiss_tournament_follow_from_its_rounds() {
    let arena = swiss();
    let objects = objects(&arena);
    let points = |name: &str| quarters(&objects[name]["result"]["points"]);
    for (name, object) in &objects {
        let result = &object["result"];
        let rounds = result["rounds"].as_array().expect("rounds");
        assert_eq!((&result["kind"], &result["final"], rounds.len()), (&"swiss".into(), &true.into(), 4));
        let byes = rounds.iter().filter(|round| round["reason"] == "bye").count();
        assert_eq!(result["byes"], byes);
        assert_eq!(points(name), rounds.iter().map(|round| quarters(&round["points"])).sum::<u64>());
        assert_eq!(points(name), quarters(&object["points"]) + quarters(&result["byes"]));
        // A bye counts as a round against an opponent with the same number of points.
        let opponent = |round: &Value| round["opponent"].as_str().map_or(points(name), points);
        assert_eq!(quarters(&result["buchholz"]), rounds.iter().map(opponent).sum::<u64>());
        let weighed = rounds.iter().map(|round| opponent(round) * quarters(&round["points"]) / 4);
        assert_eq!(quarters(&result["sonneborn_berger"]), weighed.sum::<u64>());
        for (number, round) in rounds.iter().enumerate() {
            let Some(opponent) = round["opponent"].as_str() else { continue };
            assert_eq!(round["reason"] == "walkover", name == "gone" || opponent == "gone");
            assert_ne!(objects[opponent]["result"]["rounds"][number]["colour"], round["colour"]);
        }
    }
    let mut places: Vec<(u64, u64)> = objects
        .values()
        .map(|object| (quarters(&object["result"]["place"]), quarters(&object["result"]["points"])))
        .collect();
    places.sort_by_key(|&(place, points)| (place, std::cmp::Reverse(points)));
    assert!(places.iter().rev().is_sorted_by_key(|(_, points)| points) && places[0].0 == 4, "{places:?}");
}

#[test]
fn every_format_has_the_places_of_a_swiss_tournament() {
    let arena = swiss();
    let objects = objects(&arena);
    let (table, markdown) = (standings(&arena, "table"), standings(&arena, "markdown"));
    assert!(table.starts_with("Result of the Swiss tournament after 4 rounds\n #  player"), "{table}");
    assert!(markdown.starts_with("Result of the Swiss tournament after 4 rounds:\n\n| #"), "{markdown}");
    let elo = table.find(" Elo ").expect("the ratings");
    assert!(table.find("Byes: ").is_some_and(|at| at < elo), "the result comes before the ratings");
    assert!(table.contains("Walkovers, marked w/o, lost by: gone (round"), "{table}");
    let printed = standings(&arena, "csv");
    assert_holds_file(&arena, &printed);
    for (name, row) in rows(&printed) {
        let result = &objects[&name]["result"];
        for (column, field) in [
            ("result_place", "place"),
            ("result_points", "points"),
            ("result_byes", "byes"),
            ("buchholz", "buchholz"),
            ("sonneborn_berger", "sonneborn_berger"),
        ] {
            let cell: Value = serde_json::from_str(&row[column]).expect("a number");
            assert_eq!(quarters(&cell), quarters(&result[field]), "{name}: {column}");
        }
        assert_eq!(row["direct_encounter"].parse().ok(), result["direct_encounter"].as_f64());
    }
    let checked = arena.output(&["rebuild", "--check", "out"]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    assert_required(&arena, &objects);
    let (exit, said) = judged(&arena, &["champion == one".into(), "one.result.buchhloz > 0".into()]);
    assert_eq!((exit, said.len()), (Some(2), 2), "{said:?}");
    assert!(said[0].ends_with("a Swiss tournament has no champion: require a place, such as `NAME.result.place == 1`"));
    assert!(said[1].ends_with("no figure is named `buchhloz` (did you mean `buchholz`?)"), "{said:?}");
}

#[test]
fn the_table_of_rounds_names_opponents_by_line() {
    let arena = swiss();
    let (objects, table) = (objects(&arena), standings(&arena, "table"));
    let rounds = table.split_once("\nRounds: ").expect("the rounds").1;
    let lines: Vec<Vec<&str>> = rounds
        .lines()
        .skip(3)
        .take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines.len(), 5, "{table}");
    for (number, line) in (1..).zip(&lines) {
        let number: usize = number;
        assert_eq!(line[0], number.to_string());
        let rounds = objects[line[1]]["result"]["rounds"].as_array().expect("rounds");
        let cells: Vec<&str> = line[2..].iter().copied().filter(|word| *word != "w/o").collect();
        assert_eq!(cells.len(), 2 * rounds.len(), "{table}");
        for (round, cell) in rounds.iter().zip(cells.chunks(2)) {
            let opponent = round["opponent"].as_str();
            let wanted = opponent.and_then(|name| lines.iter().position(|line| line[1] == name)).map(|index| index + 1);
            assert_eq!(cell[0].trim_end_matches(['b', 'w']).parse().ok(), wanted, "{table}");
            let points: Value = serde_json::from_str(cell[1]).expect("points");
            assert_eq!(quarters(&points), quarters(&round["points"]), "{table}");
        }
    }
}

#[test]
fn a_swiss_tournament_under_way_shows_the_result_so_far() {
    let arena = swiss();
    // The header, both games of the first round, and one game of the second round are left.
    cut_off(&arena, 4);
    let table = standings(&arena, "table");
    assert!(table.starts_with("Result of the Swiss tournament so far, in round 2 of 4\n"), "{table}");
    for object in objects(&arena).values() {
        let rounds = object["result"]["rounds"].as_array().expect("rounds");
        assert_eq!((rounds.len(), &object["result"]["final"]), (2, &false.into()));
        let known = rounds.iter().filter(|round| !round["points"].is_null()).map(|round| quarters(&round["points"]));
        assert_eq!(quarters(&object["result"]["points"]), known.sum::<u64>());
    }
    let (exit, said) = judged(&arena, &["one.result.place >= 1".into()]);
    assert!(exit == Some(0) && said[0].ends_with(" >= 1: the tournament is not over)"), "{said:?}");
}

#[test]
fn a_player_that_has_had_only_a_bye_has_its_line_everywhere() {
    let arena = swiss();
    // The header and both games of the first round are left.
    cut_off(&arena, 3);
    let rebuilt = arena.output(&["rebuild", "out"]);
    assert!(rebuilt.status.success(), "{}", text(&rebuilt.stderr));
    let objects = objects(&arena);
    let (bye, object) = objects.iter().find(|(_, object)| object["games"] == 0).expect("a bye");
    assert_eq!((objects.len(), &object["elo"], &object["result"]["byes"]), (5, &Value::Null, &1.into()));
    assert!(object["result"]["points"] == 1.0 && object["points"] == 0.0, "{object}");
    let csv = standings(&arena, "csv");
    assert_eq!(rows(&csv)[bye]["result_byes"], "1");
    assert_holds_file(&arena, &csv);
    assert!(standings(&arena, "table").contains("Without a rank (-): 1 player without a rated game."));
    // A table that lacks the player is not accepted.
    let file = arena.out().join("standings.csv");
    let now = fs::read_to_string(&file).expect("read");
    let before: String = now.split_inclusive('\n').filter(|line| !line.contains(&format!(",{bye},"))).collect();
    assert_eq!(before.lines().count(), 5);
    for (held, success) in [(now.as_str(), true), (&before, false)] {
        fs::write(&file, held).expect("written");
        let checked = arena.output(&["rebuild", "--check", "out"]);
        assert_eq!(checked.status.success(), success, "{held}: {}", text(&checked.stderr));
    }
}

#[test]
fn every_format_has_the_champion_and_how_the_others_lost() {
    let arena = knockout();
    let objects = objects(&arena);
    let champion = objects.iter().find(|(_, object)| object["result"]["champion"] == true).expect("a champion").0;
    let (table, markdown) = (standings(&arena, "table"), standings(&arena, "markdown"));
    assert!(table.starts_with(&format!("Result of the knockout\nChampion: {champion}.\n\n")), "{table}");
    assert!(
        markdown.starts_with(&format!("Result of the knockout:\n\nChampion: {champion}.\n\n```text\n")),
        "{markdown}"
    );
    for object in objects.values() {
        let rounds = object["result"]["rounds"].as_array().expect("rounds");
        let (last, before) = rounds.split_last().expect("rounds");
        assert!(before.iter().all(|round| round["advances"] == true));
        assert_eq!(last["advances"], object["result"]["champion"]);
        assert_eq!(rounds.len() as u64, object["result"]["last_round"]);
        if object["result"]["champion"] == false {
            assert_eq!(last["opponent"], object["result"]["lost_to"]);
        }
    }
    // The fourth and the fifth seed meet in the first round, and the others have byes.
    assert_eq!(objects["gone"]["result"]["rounds"][0]["reason"], "walkover");
    assert_eq!(objects["greedy"]["result"]["rounds"][0]["reason"], "bye");
    assert!(table.contains("three  2 w/o ─┐") && table.contains("greedy bye   ─┐"), "{table}");
    let rows = rows(&standings(&arena, "csv"));
    assert_eq!(
        (rows[champion]["result_place"].as_str(), rows["gone"]["result_last_reason"].as_str()),
        ("1", "walkover")
    );
    assert_eq!(rows["gone"]["result_lost_to"], "three");
    assert_holds_file(&arena, &standings(&arena, "csv"));
    assert_required(&arena, &objects);
    let (exit, said) = judged(&arena, &[format!("champion == {champion}"), "champion == gone".into()]);
    let shown = format!("(the champion is `{champion}`)");
    assert_eq!(exit, Some(3));
    assert_eq!(said, [format!("held: champion == {champion} {shown}"), format!("NOT HELD: champion == gone {shown}")]);
}

#[test]
fn a_knockout_under_way_has_no_champion_yet() {
    let arena = knockout();
    cut_off(&arena, 3);
    let table = standings(&arena, "table");
    assert!(table.starts_with("Result of the knockout so far, in round 2 of 3\nNo champion yet.\n"), "{table}");
    let objects = objects(&arena);
    assert_eq!((&objects["gone"]["result"]["place"], &objects["three"]["result"]["place"]), (&5.into(), &Value::Null));
    assert_eq!(objects["three"]["result"]["rounds"][1].get("advances"), None);
    let (exit, said) = judged(&arena, &["champion == three".into(), "three.result.place <= 5".into()]);
    assert_eq!(exit, Some(3));
    assert!(said[0].ends_with("(there is no champion yet)") && said[1].contains("(the player is still in"), "{said:?}");
}

#[test]
fn a_bracket_is_drawn_within_80_columns_or_listed_by_round() {
    let of = |players: usize, name: &str| {
        let player = |number| format!("[[player]]\nname = \"{name}{number}\"\nbuiltin = \"greedy\"\n");
        let field: String = (0..players).map(player).collect();
        standings(&played(&format!("format = \"knockout\"\n{field}")), "table")
    };
    let drawn = of(9, "p");
    let bracket: Vec<&str> = drawn.lines().skip(3).take_while(|line| !line.is_empty()).collect();
    assert_eq!(bracket.len(), 31, "{drawn}");
    assert!(bracket.iter().all(|line| line.chars().count() <= 80) && drawn.contains("├─"), "{drawn}");
    let listed = of(9, "a rather long name of a player ");
    assert!(
        listed.contains("\nRound 1\n  a rather long name of a player 0, bye\n") && !listed.contains("├─"),
        "{listed}"
    );
    assert!(listed.contains("\nRound 4\n  a rather"), "{listed}");
}

/// The text of the page that `report` creates with `args`.
fn page(arena: &Arena, args: &[&str]) -> String {
    let file = arena.path().join("page.html");
    let path = file.to_str().expect("a path");
    let made = arena.output(&[&["report", "out", "--out", path][..], args].concat());
    assert!(made.status.success(), "{}", text(&made.stderr));
    read(&file)
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).expect("read")
}

#[test]
fn the_page_has_the_result_before_the_standings() {
    for (arena, word) in [(swiss(), "<caption>Places, and rounds: "), (knockout(), "<caption>Places</caption>")] {
        let page = page(&arena, &[]);
        let (result, rest) = page
            .split_once("<section id=\"result\" class=\"result\">")
            .expect("the result")
            .1
            .split_once("</section>")
            .expect("its end");
        assert!(rest.starts_with("<section id=\"standings\">"));
        assert!(result.contains(word) && ["walkover", "w/o"].iter().any(|mark| result.contains(mark)), "{result}");
        for name in ["greedy", "one", "two", "three", "gone"] {
            assert!(
                result.contains(&format!("<th scope=\"row\"><a href=\"#p={name}\">{name}</a></th>")),
                "{name}: {result}"
            );
        }
        assert!(page.contains("<a href=\"#result\">Result</a>"), "a link without a script");
    }
    let robin = played(FIELD);
    assert!(!["id=\"result\"", "#result"].iter().any(|text| page(&robin, &[]).contains(text)));
}

#[test]
fn an_anonymous_page_has_the_result_without_names() {
    for arena in [swiss(), knockout()] {
        let page = page(&arena, &["--anonymous"]);
        let result = page
            .split_once("<section id=\"result\" class=\"result\">")
            .expect("the result")
            .1
            .split_once("</section>")
            .expect("its end")
            .0;
        for name in ["greedy", "one", "two", "three", "gone"] {
            assert!(
                !result.contains(&format!(">{name}<")) && !result.contains(&format!("={name}\"")),
                "{name}: {result}"
            );
        }
    }
}
