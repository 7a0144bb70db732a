//! Hand-written positions of Go mode, with their properties according to the rules. Two other implementations agree
//! with these properties.

use super::played::{GoGame, GoLineup, GoStage};
use super::*;

const POSITIONS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/quantum/positions.txt"));

/// The default options of a position.
const GO: GoLineup =
    GoLineup { seats: 2, size: 0, rules: GoRules { ko: KoRule::Positional, suicide: false }, has_proof: false };

/// The arrangement shown by `lines`.
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

/// The reason why `text` is refused, as worded in the file of positions.
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
    let (mut lineup, mut lines, mut game, mut positions) = (GO, "", None, 0);
    for line in POSITIONS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
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
                // The first such line begins the position. Later ones check whose turn it is; if it is another seat's
                // turn, they restart the position.
                match &game {
                    Some(GoGame { on_move, .. }) if *on_move == turn => {}
                    _ => game = Some(GoGame::new(lineup, &stones(lines), turn)),
                }
            }
            _ => check(game.as_mut().expect("a turn"), (word, rest)),
        }
    }
    assert!(positions >= 39, "{positions}");
}

/// Checks one line of the file of positions.
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
