//! Games in SGF, read back by an independent reader.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{BySide, Move, Outcome, Ruleset};
use gothello_arena::referee::record::{GameRecord, Ply, check};
use gothello_arena::referee::result::GameResult;
use gothello_arena::results::replay::sgf;

use crate::harness::arena::program;
use crate::harness::waiting::InTime as _;
use crate::referee::record::check::records;

/// The properties of a node, each with its values.
pub(crate) type Node = BTreeMap<String, Vec<String>>;

/// The nodes of a file without variations.
pub(crate) fn nodes(text: &str) -> Vec<Node> {
    let mut letters =
        text.trim_end().strip_prefix('(').and_then(|text| text.strip_suffix(')')).expect("a tree").chars();
    let (mut nodes, mut name): (Vec<Node>, String) = (Vec::new(), String::new());
    while let Some(letter) = letters.next() {
        match letter {
            ';' => nodes.push(Node::new()),
            'A'..='Z' => name.push(letter),
            '[' => {
                let mut value = String::new();
                loop {
                    match letters.next().expect("the value ends") {
                        '\\' => value.push(letters.next().expect("a letter after a backslash")),
                        ']' => break,
                        other => value.push(other),
                    }
                }
                nodes.last_mut().expect("a node").entry(name.clone()).or_default().push(value);
                if !letters.as_str().starts_with('[') {
                    name.clear();
                }
            }
            other => assert!(other.is_whitespace(), "{other:?} between properties"),
        }
    }
    nodes
}

/// A board, rank by rank from the top.
struct Goban(Vec<Vec<char>>);

impl Goban {
    fn at(point: &str) -> (usize, usize) {
        let [file, row] = point.as_bytes() else { panic!("{point}: two letters") };
        ((row - b'a').into(), (file - b'a').into())
    }

    fn put(&mut self, point: &str, stone: char) {
        let (row, file) = Self::at(point);
        self.0[row][file] = stone;
    }

    fn around(&self, (row, file): (usize, usize)) -> Vec<(usize, usize)> {
        let beside = [(row.wrapping_sub(1), file), (row + 1, file), (row, file.wrapping_sub(1)), (row, file + 1)];
        beside.into_iter().filter(|&(row, file)| row < self.0.len() && file < self.0.len()).collect()
    }

    /// Removes the chain at `point` if it has no liberty.
    fn take(&mut self, point: (usize, usize)) {
        let colour = self.0[point.0][point.1];
        let mut chain = vec![point];
        let mut next = 0;
        while let Some(&point) = chain.get(next) {
            for (row, file) in self.around(point) {
                match self.0[row][file] {
                    '.' => return,
                    stone if stone == colour && !chain.contains(&(row, file)) => chain.push((row, file)),
                    _ => {}
                }
            }
            next += 1;
        }
        for (row, file) in chain {
            self.0[row][file] = '.';
        }
    }

    /// Makes a move of Go.
    fn play(&mut self, point: &str, stone: char) {
        self.put(point, stone);
        let at = Self::at(point);
        for (row, file) in self.around(at) {
            if self.0[row][file] != '.' && self.0[row][file] != stone {
                self.take((row, file));
            }
        }
        self.take(at);
    }

    fn follow(&mut self, node: &Node) {
        for (name, stone) in [("AB", 'b'), ("AW", 'w'), ("AE", '.')] {
            node.get(name).into_iter().flatten().for_each(|point| self.put(point, stone));
        }
        for (name, stone) in [("B", 'b'), ("W", 'w')] {
            let points = node.get(name).into_iter().flatten().filter(|point| !point.is_empty());
            points.for_each(|point| self.play(point, stone));
        }
    }
}

/// Writes a valid record as SGF, reads it back, and compares every board. Returns the nodes.
fn reads_back(record: &GameRecord) -> Vec<Node> {
    let game = check(record).expect("a valid record");
    let text = sgf(&game).expect("one board");
    let nodes = nodes(&text);
    let size = nodes[0]["SZ"][0].parse().expect("a size");
    let mut board = Goban(vec![vec!['.'; size]; size]);
    assert_eq!(nodes.len(), game.boards().len(), "{text}");
    for (node, expected) in nodes.iter().zip(game.boards()) {
        board.follow(node);
        let lines: Vec<String> = board.0.iter().map(|line| line.iter().collect()).collect();
        assert_eq!(&lines.join("\n"), expected, "{text}");
    }
    nodes
}

/// A random game. After 150 plies, both sides pass whenever they may.
pub(crate) fn random_game(ruleset: &str, seed: u64) -> GameRecord {
    let ruleset: Ruleset = ruleset.parse().expect("a rule set");
    let (mut position, mut random, mut plies) = (ruleset.start(), SplitMix64::new(seed), Vec::new());
    while !position.is_over() {
        let mut legal = position.legal_moves();
        if plies.len() >= 150 && legal.iter().any(Move::is_pass) {
            legal.retain(Move::is_pass);
        } else if legal.len() > 1 {
            legal.retain(|played| !played.is_pass());
        }
        let played = legal[usize::try_from(random.below(legal.len() as u64)).expect("an index")];
        plies.push(Ply::untimed(position.seat_to_move(), played));
        position.play(played.as_str()).expect("a legal move");
    }
    let outcome = position.outcome().expect("the game is over");
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    GameRecord { plies, ..GameRecord::of(ruleset, players, Ok(GameResult::played(outcome))) }
}

#[test]
fn the_authors_games_read_back_to_the_same_boards() {
    for (record, _) in records() {
        let nodes = reads_back(&record);
        assert_eq!((nodes[0]["EV"][0].as_str(), nodes[0]["TM"][0].as_str()), ("a \"test\"", "60"));
        let Outcome { winner, margin } = check(&record).expect("valid").outcome().expect("an outcome");
        let by = margin.expect("a margin").abs();
        let result = winner.map_or_else(|| "0".to_owned(), |winner| format!("{}+{by}", winner.letter().to_uppercase()));
        assert_eq!(nodes[0]["RE"][0], result);
        assert!(nodes[1]["C"][0].ends_with("0:00.012 spent, 0:59.987 left"), "{:?}", nodes[1]);
        for (node, ply) in nodes[1..].iter().zip(&record.plies) {
            assert!(!node.contains_key("B") && !node.contains_key("W"));
            assert_eq!(node.contains_key("CR"), !ply.played.is_pass());
        }
    }
}

#[test]
fn games_of_every_kind_with_one_board_read_back() {
    let rules = ["seegover", "seegover drop=2", "othello", "othello-10", "reverse", "go-9", "go-9 count=territory"];
    for ruleset in rules {
        for seed in 0..4 {
            let record = random_game(ruleset, seed);
            let nodes = reads_back(&record);
            let moves = nodes.iter().filter(|node| node.contains_key("B") || node.contains_key("W")).count();
            match ruleset {
                "go-9" => assert_eq!(moves, record.plies.len()),
                // The proof of dead stones is not part of the game of Go.
                "go-9 count=territory" => assert!(moves > 100 && moves < record.plies.len()),
                _ => assert_eq!(moves, 0),
            }
        }
    }
    let handicap = reads_back(&random_game("go-9 handicap=1,3", 1));
    assert_eq!((handicap[0]["AB"].len(), handicap[0]["HA"][0].as_str(), handicap[0]["PL"][0].as_str()), (3, "3", "B"));
}

pub(crate) fn replay(dir: &std::path::Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output: Output =
        Command::new(program()).arg("replay").args(arguments).current_dir(dir).output_in_time().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_file_is_written_for_each_log_and_none_is_overwritten() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::create_dir(dir.path().join("games")).expect("created");
    for (name, (record, _)) in ["a", "b"].into_iter().zip(records()) {
        fs::write(dir.path().join(format!("games/{name}.log")), record.to_string()).expect("written");
    }
    let all = (Some(0), "2 SGF files in `out`\n".to_owned(), String::new());
    assert_eq!(replay(dir.path(), &["--sgf", "out", "games"]), all);
    let file = dir.path().join("out/b.sgf");
    let first = fs::read_to_string(&file).expect("written");
    assert_eq!(nodes(&first)[0]["PB"], ["a"]);
    assert_eq!(replay(dir.path(), &["--sgf", "out", "games"]), all, "the same contents");

    fs::write(&file, "mine").expect("written");
    fs::write(dir.path().join("c.log"), random_game("quantum", 1).to_string()).expect("written");
    fs::write(dir.path().join("d.log"), "[Black \"x\"").expect("written");
    let (code, out, err) = replay(dir.path(), &["--sgf", "out", "games", "c.log", "d.log"]);
    assert_eq!((code, out.as_str()), (Some(2), "1 SGF file in `out`\n"), "{err}");
    assert_eq!(fs::read_to_string(&file).expect("there"), "mine");
    let reasons = [
        "`out/b.sgf` already exists with different contents",
        "`quantum` is played on squares and on points",
        "d.log:1:11",
    ];
    assert!(reasons.iter().all(|reason| err.contains(reason)), "{err}");
    assert_eq!(fs::read_dir(dir.path().join("out")).expect("a directory").count(), 2);
}

#[test]
fn pictures_are_written_of_whole_games_and_of_positions() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("a.log"), random_game("seegover", 5).to_string()).expect("written");
    let written = |arguments: &[&str]| {
        let all = [&["--svg", "out"], arguments, &["a.log"]].concat();
        assert_eq!(replay(dir.path(), &all), (Some(0), "1 SVG file in `out`\n".to_owned(), String::new()));
    };
    written(&[]);
    written(&["--final"]);
    written(&["--ply", "3"]);
    let read = |name: &str| fs::read_to_string(dir.path().join("out").join(name)).expect("written");
    let [film, last, third] = ["a.svg", "a-final.svg", "a-3.svg"].map(read);
    assert!(film.contains("@keyframes") && !last.contains("@keyframes") && third.contains(">Ply 3 of "), "{third}");
    for svg in [film, last, third] {
        roxmltree::Document::parse(&svg).expect("XML");
    }
    let (code, out, err) = replay(dir.path(), &["--svg", "out", "--ply", "9999", "a.log"]);
    assert_eq!((code, out.as_str()), (Some(2), "0 SVG files in `out`\n"));
    assert!(err.contains("there is no position after ply 9999"), "{err}");
    for wrong in [["--sgf", "out", "--ply", "3"], ["--ggf", "out", "--sgf", "x"]] {
        assert_eq!(replay(dir.path(), &[&wrong[..], &["a.log"]].concat()).0, Some(2), "{wrong:?}");
    }
}
