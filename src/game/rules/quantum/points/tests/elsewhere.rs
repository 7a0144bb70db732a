//! Games and positions from elsewhere, which two other implementations agree on.

use std::collections::BTreeMap;
use std::io::Read as _;

use flate2::Crc;
use flate2::read::GzDecoder;

use super::played::{GoGame, GoLineup, Stage};
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

/// A game as it was written down.
#[derive(Default)]
struct Written<'a> {
    policy: &'a str,
    moves: Vec<&'a str>,
    /// The other lines: what comes after the first word, by the first word.
    lines: BTreeMap<&'a str, Vec<&'a str>>,
}

impl Written<'_> {
    fn words(&self, line: &str) -> Vec<&str> {
        self.lines.get(line).into_iter().flatten().flat_map(|rest| rest.split(' ')).collect()
    }

    /// Plays the game and compares everything that is written of it.
    fn verify(&self, lineup: GoLineup, name: &str) {
        let mut game = GoGame::new(lineup, Arrangement::default(), Seat::FIRST);
        let (mut legal, mut crc, mut stop) = (Vec::new(), Crc::new(), None);
        for (ply, text) in self.moves.iter().enumerate() {
            let moves = game.legal();
            legal.push(moves.len().to_string());
            crc.update(format!("{}\n", moves.join(" ")).as_bytes());
            if self.policy == "tidy" {
                is_tidy(&game, text, name);
            }
            let stage = game.stage;
            game.play(text);
            if (stage, game.stage) == (Stage::Go, Stage::Proof) {
                stop = Some((ply + 1).to_string());
            }
        }
        assert_eq!(legal, self.words("legal"), "{name}");
        assert_eq!(format!("{:08x}", crc.sum()), self.words("crc").concat(), "{name}");
        assert_eq!(stop.unwrap_or_default(), self.words("stop").concat(), "{name}");
        assert_eq!(game.stage, Stage::Over, "{name}");
        let counts = game.counts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let end = format!("go {} {} {counts}", self.moves.len(), game.stones());
        assert_eq!(self.words("end").join(" "), end, "{name}");
        let prisoners: Vec<String> =
            game.board.prisoners().of(lineup.seats).map(|(_, count)| count.to_string()).collect();
        assert_eq!(self.words("prisoners"), prisoners, "{name}");
    }
}

/// The policy `tidy`: no stone into an own eye; in the proof, captures alone; a pass only if nothing else is left.
fn is_tidy(game: &GoGame, text: &str, name: &str) {
    let is_tidy = |&point: &GoPoint| {
        let is_wanted = game.stage == Stage::Go || game.board.would_take(game.on_move, point) > 0;
        is_wanted && !game.board.is_own_eye(game.on_move, point)
    };
    let tidy: Vec<String> = game.placements().iter().filter(|point| is_tidy(point)).map(ToString::to_string).collect();
    assert!(if tidy.is_empty() { text == "pass" } else { tidy.iter().any(|point| point == text) }, "{name}: {text}");
}

/// The games of a file that are Go alone, with their line-ups and names.
fn games(text: &str) -> Vec<(String, GoLineup, Written<'_>)> {
    let (mut games, mut lineup, mut name) = (Vec::new(), None, "");
    for line in text.lines() {
        let (word, rest) = line.split_once(' ').expect("two words");
        match word {
            "lineup" => {
                let (first, options) = rest.split_once(' ').expect("options");
                let mut go = GO;
                options.split(' ').for_each(|option| go.set(option));
                (name, lineup) = (first, options.contains("modes=go ").then_some(go));
            }
            "game" => {
                let mut words = rest.split(' ');
                let number = words.next().expect("a number");
                let written = Written { policy: words.next().expect("a policy"), ..Written::default() };
                games.extend(lineup.map(|lineup| (format!("{name} {number}"), lineup, written)));
            }
            _ if lineup.is_none() => {}
            "moves" => games.last_mut().expect("a game").2.moves = rest.split(' ').collect(),
            _ => games.last_mut().expect("a game").2.lines.entry(word).or_default().push(rest),
        }
    }
    games
}

#[test]
fn games_of_go_alone_are_played_as_elsewhere() {
    let mut played = 0;
    for text in [unpacked("go-9.txt.gz"), unpacked("options.txt.gz")] {
        for (name, lineup, written) in games(&text) {
            written.verify(lineup, &name);
            played += 1;
        }
    }
    assert!(played >= 100, "{played}");
}

#[test]
fn lines_of_go_alone_are_as_many_as_elsewhere() {
    let games_files = [unpacked("go-9.txt.gz"), unpacked("options.txt.gz")];
    let all: BTreeMap<String, (GoLineup, Written)> = games_files
        .iter()
        .flat_map(|text| games(text))
        .map(|(name, lineup, written)| (name, (lineup, written)))
        .collect();
    let mut checked = 0;
    for text in [plain("go-9-perft.txt"), plain("options-perft.txt")] {
        let mut name = "";
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["lineup", lineup, ..] => name = lineup,
                ["perft", number, ply, ref counts @ ..] => {
                    let first = all.keys().find(|key| key.starts_with(&format!("{name} ")));
                    let key = if number == "start" { first.cloned() } else { Some(format!("{name} {number}")) };
                    let Some((lineup, written)) = key.and_then(|key| all.get(&key)) else { continue };
                    let mut game = GoGame::new(*lineup, Arrangement::default(), Seat::FIRST);
                    written.moves[..ply.parse().expect("a number")].iter().for_each(|text| game.play(text));
                    for (plies, count) in (1..).zip(counts) {
                        assert_eq!(game.perft(plies).to_string(), *count, "{line}");
                        checked += 1;
                    }
                }
                _ => panic!("{line}"),
            }
        }
    }
    assert!(checked >= 46, "{checked}");
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
            assert_eq!(game.stage, Stage::Over);
            assert_eq!(game.counts().iter().map(ToString::to_string).collect::<Vec<_>>().join(" "), rest);
        }
        _ => panic!("{word} {rest}"),
    }
}
