//! Data sets: their fields, their splits, and the score of predictions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use gothello_arena::dataset::example::class_of;
use gothello_arena::exact::solver::{Question, Solver, TranspositionTable};
use gothello_arena::game::gothello::Game;
use gothello_arena::game::{Move, Position as _, Side};
use tempfile::TempDir;

use crate::harness::arena::{program, text};
use crate::harness::waiting::InTime as _;
use crate::python::with_numpy;

fn dataset(dir: &Path, words: &str) -> Output {
    let mut command = Command::new(program());
    command.arg("dataset").args(words.split(' ')).current_dir(dir).env("XDG_CACHE_HOME", dir.join("cache"));
    command.output_in_time().expect("the program starts")
}

fn made(dir: &Path, words: &str) {
    let output = dataset(dir, words);
    assert!(output.status.success(), "{words}: {}", text(&output.stderr));
}

/// The rows of a data set, each with its cells by column. No cell needs quotes.
fn rows(file: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(file).expect("a data set");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    lines.map(|cells| header.iter().cloned().zip(cells).collect()).collect()
}

fn game(row: &BTreeMap<String, String>) -> Game {
    let side: Side = row["to_move"].parse().expect("a side");
    let board = row["board"].as_bytes().chunks(5).map(|rank| std::str::from_utf8(rank).expect("text"));
    let board = board.collect::<Vec<_>>().join(" ").parse().expect("a board");
    if row["passed"] == "1" { Game::from_board(board, side.opponent()).pass() } else { Game::from_board(board, side) }
}

fn new_dir() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The moves that a cell marks with 1.
fn moves(cell: &str) -> BTreeSet<String> {
    let names = "54321".chars().flat_map(|rank| "abcde".chars().map(move |file| format!("{file}{rank}")));
    let marked = names.chain([Move::PASS.to_string()]).zip(cell.split(' '));
    marked.filter(|(_, mark)| *mark == "1").map(|(name, _)| name).collect()
}

#[test]
fn every_field_is_what_the_rules_and_the_solver_say() {
    let dir = new_dir();
    made(dir.path(), "out.csv --random 60 --empty 0..10 --moves --seed 3");
    let rows = rows(&dir.path().join("out.csv"));
    assert!(rows.len() > 300, "{}", rows.len());
    for (id, row) in rows.iter().enumerate() {
        let game = game(row);
        assert_eq!((row["id"].as_str(), row["source"].as_str()), (id.to_string().as_str(), "random"));
        assert_eq!(row["class"], format!("{:016x}", class_of(&game)));
        assert_eq!(row["empty"], game.empty_points().to_string());
        assert_eq!(moves(&row["legal"]), game.legal_moves().iter().map(Move::to_string).collect());
        let table = TranspositionTable::for_game(&game);
        let solution = Solver::new(&table).solve(&game, Question::Margin).expect("no limit");
        let for_mover = |margin: i32| if game.side() == Side::Black { margin } else { -margin };
        let margin = for_mover(solution.outcome.margin.expect("a margin"));
        assert_eq!((row["margin"].clone(), row["winner"].clone()), (margin.to_string(), margin.signum().to_string()));
        assert_eq!(moves(&row["best"]), solution.best.iter().map(Move::to_string).collect(), "{row:?}");
        let values: Vec<i32> = row["values"].split(' ').map(|value| value.parse().expect("a number")).collect();
        let best: BTreeSet<usize> = (0..26).filter(|&place| values[place] == margin).collect();
        assert_eq!(values.iter().max(), Some(&margin));
        assert_eq!(best.len(), solution.best.len());
        assert_eq!(values.iter().filter(|&&value| value == -128).count(), 26 - game.legal_moves().len());
    }
    let card = fs::read_to_string(dir.path().join("out.csv.md")).expect("a card");
    let parts = [
        "# out.csv\n",
        "dataset out.csv --random 60 --empty 0..10 --moves --seed 3",
        "CC0-1.0",
        "| linear on 25 points |",
    ];
    assert!(parts.iter().all(|part| card.contains(part)), "{card}");
    assert!(!dir.path().join("out.csv.part").exists());
    let output = dataset(dir.path(), "out.csv --random 1");
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("exists"), "{output:?}");
}

#[test]
fn threads_change_nothing_and_no_class_is_in_two_splits() {
    let dir = new_dir();
    let words = "--random 40 --selfplay greedy --games 20 --empty 0..9 --split 50,25,25";
    made(dir.path(), &format!("one.csv {words} --threads 1"));
    made(dir.path(), &format!("two.csv {words} --threads 2"));
    let [one, two] = ["one.csv", "two.csv"].map(|name| fs::read(dir.path().join(name)).expect("written"));
    assert!(one == two);
    made(dir.path(), &format!("all.csv {words} --symmetries all"));
    let (rows, all) = (rows(&dir.path().join("one.csv")), rows(&dir.path().join("all.csv")));
    assert_eq!(all.len(), 8 * rows.len());
    let splits: BTreeMap<&String, BTreeSet<&String>> = all.iter().fold(BTreeMap::new(), |mut splits, row| {
        splits.entry(&row["class"]).or_insert_with(BTreeSet::new).insert(&row["split"]);
        splits
    });
    assert!(splits.len() == rows.len() && splits.values().all(|splits| splits.len() == 1));
    assert_eq!(rows.iter().map(|row| &row["split"]).collect::<BTreeSet<_>>().len(), 3);
    // The label of an image belongs to the image's own board.
    for row in all.iter().take(64) {
        assert_eq!(row["class"], format!("{:016x}", class_of(&game(row))));
        assert!(moves(&row["best"]).is_subset(&moves(&row["legal"])));
    }
}

#[test]
fn predictions_are_scored_by_phase_and_mistakes_have_their_lines() {
    let dir = new_dir();
    made(dir.path(), "out.csv --random 20 --empty 0..10 --moves");
    let rows = rows(&dir.path().join("out.csv"));
    let perfect: Vec<String> = rows
        .iter()
        .map(|row| format!("{},{},{}\n", row["id"], row["margin"], moves(&row["best"]).first().expect("a move")))
        .collect();
    fs::write(dir.path().join("p.csv"), format!("id,value,move\n{}", perfect.concat())).expect("written");
    let output = dataset(dir.path(), "score out.csv p.csv");
    let table = text(&output.stdout);
    let all: Vec<&str> = table.lines().filter(|line| line.starts_with("all ")).collect();
    assert_eq!(all.len(), 2, "{table}{}", text(&output.stderr));
    assert!(
        all[0].ends_with("0.000        100.0%") && all[1].ends_with("100.0%        100.0%                 0.000"),
        "{table}"
    );
    for (predictions, said) in [
        ("id,value\n0,x\n", "p.csv:2: `x` is not a number"),
        ("id,value\n0,1\n0,1\n", "p.csv:3: position 0 is predicted twice"),
        ("id,value\n99999999,1\n", "p.csv:2: position 99999999 is not in the data set"),
        ("id,move\n0,z9\n", "p.csv:2: `z9` is not a legal move"),
        ("id,value\n0,1\n1\n", "p.csv:3: this line is not valid CSV: "),
        ("id\n0\n", "p.csv:1: expected the columns `id,value` or `id,move`"),
    ] {
        fs::write(dir.path().join("p.csv"), predictions).expect("written");
        let output = dataset(dir.path(), "score out.csv p.csv");
        assert!(output.status.code() == Some(2) && text(&output.stderr).contains(said), "{said}: {output:?}");
    }
}

#[test]
fn numpy_reads_all_formats_to_the_same_arrays() {
    let dir = new_dir();
    for name in ["out.csv", "out.jsonl", "out.npz"] {
        made(dir.path(), &format!("{name} --random 20 --empty 0..9 --moves"));
    }
    let script = "
import numpy
from gothello import Position, load
raw = numpy.load('out.npz')
sets = [load('out.' + ending) for ending in ('npz', 'csv', 'jsonl')]
for arrays in sets:
    assert set(arrays) == set(raw.files), (set(arrays), raw.files)
    for name in raw.files:
        assert arrays[name].dtype == raw[name].dtype and numpy.array_equal(arrays[name], raw[name]), name
for board, side, passed, legal in zip(raw['board'], raw['to_move'], raw['passed'], raw['legal']):
    assert Position(board.tolist(), int(side), int(passed)).legal() == numpy.flatnonzero(legal).tolist()
print(raw['planes'].shape[1:], raw['cls'].dtype, len(raw['split']) > 100)
";
    let Some(output) = with_numpy(dir.path(), &["-c", script]) else { return };
    assert_eq!(text(&output.stdout), "(3, 5, 5) uint64 True\n", "{}", text(&output.stderr));
}

#[test]
fn the_linear_example_beats_the_count_of_stones() {
    let dir = new_dir();
    made(dir.path(), "out.csv --random 1000 --empty 4..10 --per-empty 300 --split 70,0,30");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/train_linear.py");
    let words = [example.to_str().expect("a plain path"), "out.csv", "linear.csv"];
    let Some(output) = with_numpy(dir.path(), &words) else { return };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let tests: Vec<_> = rows(&dir.path().join("out.csv")).into_iter().filter(|row| row["split"] == "test").collect();
    let lead = |row: &BTreeMap<String, String>| {
        row["own"].split(' ').map(|value| value.parse::<i32>().expect("a number")).sum::<i32>()
    };
    let stones: Vec<String> = tests.iter().map(|row| format!("{},{}\n", row["id"], lead(row))).collect();
    fs::write(dir.path().join("stones.csv"), format!("id,value\n{}", stones.concat())).expect("written");
    let [linear, stones] = ["linear.csv", "stones.csv"].map(|name| {
        let table = text(&dataset(dir.path(), &format!("score out.csv {name}")).stdout);
        let all = table.lines().find(|line| line.starts_with("all ")).expect("a line").to_owned();
        let figures: Vec<f64> =
            all.split_whitespace().filter_map(|word| word.trim_end_matches('%').parse().ok()).collect();
        (figures[1], figures[2])
    });
    assert!(linear.0 < stones.0 && linear.1 > stones.1, "linear {linear:?}, stones {stones:?}");
}
