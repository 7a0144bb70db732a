//! Games and positions from elsewhere, which two other implementations agree on.

use std::io::Read as _;

use flate2::read::GzDecoder;

use super::played::{GoGame, GoLineup, GoStage};
use super::*;

/// The path of a file with answers from elsewhere.
fn path(name: &str) -> String {
    format!("{}/tests/data/quantum/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The text of a file.
fn plain(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect(name)
}

/// The text of a compressed file.
fn unpacked(name: &str) -> String {
    let mut text = String::new();
    let file = std::fs::File::open(path(name)).expect(name);
    GzDecoder::new(file).read_to_string(&mut text).expect(name);
    text
}

const GO: GoLineup = GoLineup {
    seats: 2,
    size: 0,
    rules: GoRules { ko: KoRule::Positional, suicide: false },
    has_proof: false,
    is_supplied: false,
    handicap: (0, 0),
};

/// The policy `tidy`: no stone into an own eye; in the proof, captures alone; a pass only if nothing else is left.
fn is_tidy(game: &GoGame, text: &str, name: &str) {
    let is_tidy = |&point: &GoPoint| {
        let is_wanted = game.stage == GoStage::Go || game.board.would_take(game.on_move, point) > 0;
        is_wanted && !game.board.is_own_eye(game.on_move, point)
    };
    let tidy: Vec<String> = game.placements().iter().filter(|point| is_tidy(point)).map(ToString::to_string).collect();
    assert!(if tidy.is_empty() { text == "pass" } else { tidy.iter().any(|point| point == text) }, "{name}: {text}");
}

/// The games of a file that are Go alone and `tidy`: the line-up, a name for messages, and the moves.
fn tidy_games(text: &str) -> Vec<(GoLineup, String, &str)> {
    let (mut games, mut lineup, mut name) = (Vec::new(), None, "");
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').expect("two words");
        match word {
            "lineup" => {
                let mut go = GO;
                rest.split(' ').skip(1).for_each(|option| go.set(option));
                lineup = rest.contains(" modes=go ").then_some(go);
            }
            "game" => name = rest,
            "moves" if name.contains(" tidy ") => games.extend(lineup.map(|lineup| (lineup, name.to_owned(), rest))),
            _ => {}
        }
    }
    games
}

#[test]
fn tidy_games_from_elsewhere_leave_alone_what_is_an_eye_here() {
    let mut played = 0;
    for text in [unpacked("go-9.txt.gz"), unpacked("options.txt.gz")] {
        for (lineup, name, moves) in tidy_games(&text) {
            let mut game = GoGame::new(lineup, Arrangement::default(), Seat::FIRST);
            for text in moves.split(' ') {
                is_tidy(&game, text, &name);
                game.play(text);
            }
            assert_eq!(game.stage, GoStage::Over, "{name}");
            played += 1;
        }
    }
    assert_eq!(played, 144);
}

/// The arrangement that `lines` shows.
fn stones(lines: &str) -> Arrangement {
    let mut stones = Arrangement::default();
    for (rank, line) in (0..).zip(lines.split('/').rev()) {
        for (file, letter) in (0..).zip(line.chars()) {
            let owner = match letter {
                '.' => continue,
                'b' => 1,
                'w' => 2,
                digit => digit.to_digit(10).and_then(|digit| u8::try_from(digit).ok()).expect("a seat"),
            };
            stones.put(seat(owner), GoPoint::new(file, rank).expect("a point"));
        }
    }
    stones
}

/// Why `text` is refused, in the words of the positions' file.
fn refusal(game: &mut GoGame, text: &str) -> &'static str {
    let Ok(point) = text.parse() else { return "move" };
    match game.place(point).expect_err(text) {
        PointRefusal::Off => "move",
        PointRefusal::Occupied => "occupied",
        PointRefusal::NoLiberty => "liberty",
        PointRefusal::Repetition => "repetition",
    }
}

#[test]
fn hand_written_positions_are_judged_as_elsewhere() {
    let (text, mut lineup, mut lines, mut game, mut positions) = (plain("positions.txt"), GO, "", None, 0);
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (word, rest) = line.split_once(' ').expect("two words");
        match word {
            "position" => {
                (lineup, game) = (GO, None);
                rest.split(' ').skip(1).for_each(|option| lineup.set(option));
                positions += 1;
            }
            "lines" => {
                lines = rest;
                lineup.size = u8::try_from(rest.split('/').count()).expect("a size");
            }
            "turn" => {
                let turn = seat(rest.parse().expect("a number"));
                // The same line begins a position and asks whose turn it is; after another turn, it begins it anew.
                match &game {
                    Some(GoGame { on_move, .. }) if *on_move == turn => {}
                    _ => game = Some(GoGame::new(lineup, stones(lines), turn)),
                }
            }
            _ => check(game.as_mut().expect("a turn"), (word, rest)),
        }
    }
    assert!(positions >= 39, "{positions}");
}

/// Checks one line of the positions' file.
fn check(game: &mut GoGame, (word, rest): (&str, &str)) {
    let seats = game.board.seats();
    match word {
        "play" => rest.split(' ').for_each(|text| game.play(text)),
        "refuse" => {
            let (text, reason) = rest.split_once(' ').expect("a reason");
            assert_eq!(refusal(game, text), reason, "{text}");
        }
        "board" => assert_eq!(game.stones(), rest),
        "prisoners" => {
            let counts: Vec<String> = game.board.prisoners().of(seats).map(|(_, count)| count.to_string()).collect();
            assert_eq!(counts.join(" "), rest);
        }
        "mode" => assert_eq!(format!("{:?}", game.stage).to_lowercase(), rest),
        "counts" => {
            assert_eq!(game.stage, GoStage::Over);
            assert_eq!(game.counts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), rest);
        }
        _ => panic!("{word} {rest}"),
    }
}
