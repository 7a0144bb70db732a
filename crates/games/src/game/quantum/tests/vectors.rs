//! Games, counts of move sequences, and positions from a simple reference program. See tests/data/quantum/README.md for
//! their format.

use std::collections::BTreeMap;

use flate2::{Crc, Decompress, FlushDecompress, Status};

use crate::game::quantum::game::LegalTurn;
use crate::game::quantum::{CountedPasses, Game, Lineup, Mode, QuantumRules, Seat, StartRule, StoneLimit};
use crate::game::{Move, Position as _};

/// The uncompressed contents of a file in tests/data/quantum.
macro_rules! file {
    ($name:literal) => {
        text(include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/quantum/", $name)))
    };
}

fn text(bytes: &[u8]) -> String {
    let Some(compressed) = bytes.strip_prefix(&[0x1f, 0x8b]) else {
        return std::str::from_utf8(bytes).expect("a text").to_owned();
    };
    // The rest of a gzip header without optional fields has eight bytes (RFC 1952).
    assert_eq!(compressed[1], 0);
    let mut text = Vec::with_capacity(1 << 22);
    let read = Decompress::new(false).decompress_vec(&compressed[8..], &mut text, FlushDecompress::Finish);
    assert_eq!(read.expect("a compressed text"), Status::StreamEnd);
    String::from_utf8(text).expect("a text")
}

/// The rules in a `lineup` line, whose words set every option.
fn rules(words: &str) -> QuantumRules {
    let (name, options) = words.split_once(' ').expect("options");
    let options: Vec<(&str, &str)> = options.split(' ').filter_map(|option| option.split_once('=')).collect();
    let value = |key: &str| options.iter().find(|(known, _)| *known == key).expect("an option").1;
    let number = |key| value(key).parse().expect("a number");
    let modes: Vec<Mode> = value("modes")
        .split(',')
        .map(|name| Mode::ALL.into_iter().find(|mode| mode.name() == name).expect("a mode"))
        .collect();
    let seats = number("players");
    let lineup = Lineup {
        name: String::leak(name.to_owned()),
        seats,
        squares: number("squares"),
        points: number("points"),
        modes: Vec::leak(modes),
        stones: if value("supplies") == "yes" { StoneLimit::Supplied } else { StoneLimit::Unlimited },
        start: if seats == 6 { StartRule::None } else { StartRule::Middle },
        ..*Lineup::named("quantum").expect("a line-up")
    };
    let of_lineup = ["players", "squares", "points", "modes", "supplies"];
    let words = options.iter().filter(|(key, _)| !of_lineup.contains(key)).map(|(key, value)| format!("{key}={value}"));
    let words: Vec<String> = words.collect();
    QuantumRules::read(Box::leak(Box::new(lineup)), words.iter().map(String::as_str)).expect("options that fit")
}

/// A game with the statements about it, by the first word of each line.
#[derive(Default)]
struct VectorGame {
    rules: String,
    lines: BTreeMap<String, Vec<String>>,
}

impl VectorGame {
    fn words(&self, key: &str) -> Vec<&str> {
        self.lines.get(key).map(|lines| lines[0].split(' ').collect()).unwrap_or_default()
    }

    fn number(&self) -> &str {
        self.words("game")[0]
    }

    /// The game after `plies` moves.
    fn after(&self, plies: usize) -> Game {
        let mut game = Game::new(rules(&self.rules));
        for text in &self.words("moves")[..plies] {
            assert_eq!(game.play(text).map(|played| played.to_string()), Ok((*text).to_owned()));
        }
        game
    }
}

fn cases(text: &str) -> Vec<VectorGame> {
    let (mut cases, mut rules) = (Vec::new(), String::new());
    for line in text.lines() {
        let (key, rest) = line.split_once(' ').expect("a key");
        match key {
            "lineup" => rest.clone_into(&mut rules),
            "game" => cases.push(VectorGame { rules: rules.clone(), ..VectorGame::default() }),
            _ => {}
        }
        if let (Some(case), false) = (cases.last_mut(), key == "lineup") {
            case.lines.entry(key.to_owned()).or_default().push(rest.trim_end().to_owned());
        }
    }
    cases
}

/// Plays a game and checks all statements about it.
fn replay(case: &VectorGame) {
    let rules = rules(&case.rules);
    let name = format!("{} of {}", case.words("game").join(" "), rules.lineup().name());
    let (mut game, mut crc) = (Game::new(rules), Crc::new());
    let (moves, counts) = (case.words("moves"), case.words("legal"));
    assert_eq!(moves.len(), counts.len(), "{name}");
    check_ends(case, &game, 0, &name);
    let stop = case.words("stop").first().map(|ply| ply.parse::<usize>().expect("a number of plies"));
    for (ply, (text, count)) in moves.iter().zip(counts).enumerate() {
        let legal = game.legal_moves();
        assert_eq!(legal.len().to_string(), count, "before ply {ply} ({text}) of {name}: {legal:?}\n{game}");
        let mut line: Vec<u8> = legal.iter().flat_map(|legal| [legal.as_bytes(), b" "].concat()).collect();
        line.pop();
        line.push(b'\n');
        crc.update(&line);
        check_tidy(case, &game, text, &name);
        assert_eq!(game.play(text).map(|played| played.to_string()), Ok((*text).to_owned()), "ply {ply} of {name}");
        check_ends(case, &game, ply + 1, &name);
        let is_proof = stop.is_some_and(|stop| stop <= ply + 1) && !game.is_over();
        assert_eq!(game.is_proof(), is_proof, "after ply {ply} of {name}");
    }
    assert!(game.is_over(), "{name}");
    assert_eq!([format!("{:08x}", crc.sum())], case.words("crc")[..], "{name}");
    check_result(case, &game, &name);
}

/// Checks the policy `tidy` for Go: a seat does not fill its own eyes; in the proof, it makes only captures; it passes
/// only if no other turn is left.
fn check_tidy(case: &VectorGame, game: &Game, text: &str, name: &str) {
    let Some(points) = game.points().filter(|_| case.words("game")[1] == "tidy" && game.mode() == Some(Mode::Go))
    else {
        return;
    };
    let seat = game.seat_to_move();
    let is_tidy = |turn: &LegalTurn| {
        let LegalTurn::Point(at) = *turn else { return false };
        (!game.is_proof() || points.would_take(seat, at) > 0) && !points.is_own_eye(seat, at)
    };
    let is_played = |turn: &LegalTurn| matches!(turn, LegalTurn::Point(at) if at.to_string() == text);
    let tidy: Vec<LegalTurn> = game.placements().into_iter().filter(is_tidy).collect();
    assert!(if tidy.is_empty() { text == "pass" } else { tidy.iter().any(is_played) }, "{text} of {name}\n{game}");
}

fn check_ends(case: &VectorGame, game: &Game, ply: usize, name: &str) {
    let seats = game.rules().seats();
    for line in case.lines.get("end").into_iter().flatten() {
        let words: Vec<&str> = line.split(' ').collect();
        let mode = Mode::ALL.into_iter().find(|mode| mode.name() == words[0]).expect("a mode");
        let end: usize = words[1].parse().expect("a number of plies");
        let counts = game.counts().get(mode);
        assert_eq!(counts.is_some(), end <= ply, "{mode} ends with ply {end} of {name}, and this is {ply}");
        if let (Some(counts), true) = (counts, end == ply) {
            let counts: Vec<String> = counts.of(seats).map(|(_, count)| count.to_string()).collect();
            assert_eq!(
                (game.to_string().replace('\n', "/").as_str(), counts.as_slice()),
                (words[2], &words[3..].iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()[..]),
                "{name}"
            );
        }
    }
}

fn check_result(case: &VectorGame, game: &Game, name: &str) {
    let (standing, seats) = (game.standing(), game.rules().seats());
    let each = |value: &dyn Fn(Seat) -> String| Seat::all(seats).map(value).collect::<Vec<_>>();
    assert_eq!(each(&|seat| standing.total(seat).to_string()), case.words("totals"), "{name}");
    assert_eq!(each(&|seat| game.prisoners()[seat].to_string()), case.words("prisoners"), "{name}");
    assert_eq!(each(&|seat| standing.points[seat].to_string()), case.words("points"), "{name}");
    assert_eq!(each(&|seat| standing.placing[seat].to_string()), case.words("placing"), "{name}");
    let winner = standing.winner().map_or_else(|| "-".to_owned(), |seat| seat.to_string());
    assert_eq!([winner], case.words("winner")[..], "{name}");
}

/// Checks the counts in the `perft` lines, whose sequences begin in positions of `games`. Returns how many lines belong
/// to known games.
fn check_perft(games: &[VectorGame], text: &str) -> usize {
    let (mut rules_line, mut lines) = (String::new(), 0);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[0] == "lineup" {
            line.split_once(' ').expect("options").1.clone_into(&mut rules_line);
            continue;
        }
        let ply: usize = words[2].parse().expect("a number of plies");
        let of_game = |case: &&VectorGame| case.rules == rules_line && case.number() == words[1];
        let start = match words[1] {
            "start" => Game::new(rules(&rules_line)),
            _ => match games.iter().find(of_game) {
                Some(game) => game.after(ply),
                // The game is not among `games`.
                None => continue,
            },
        };
        let counted = (1..=words.len() - 3)
            .map(|plies| start.perft(u32::try_from(plies).unwrap(), CountedPasses::All).to_string());
        assert_eq!(counted.collect::<Vec<_>>(), words[3..], "{line}\n{rules_line}");
        lines += 1;
    }
    lines
}

/// Plays all games of one file and counts the sequences in another.
fn check(games: &str, sequences: &str) -> [usize; 2] {
    let games = cases(games);
    games.iter().for_each(replay);
    [games.len(), check_perft(&games, sequences)]
}

#[test]
fn othello_is_played_as_by_the_reference_program() {
    assert_eq!(check(&file!("othello.txt.gz"), &file!("othello-perft.txt")), [50, 5]);
}

#[test]
fn go_is_played_as_by_the_reference_program() {
    assert_eq!(check(&file!("go-9.txt.gz"), &file!("go-9-perft.txt")), [50, 5]);
}

#[test]
fn quantum_gothello_is_played_as_by_the_reference_program() {
    assert_eq!(check(&file!("quantum.txt.gz"), &file!("quantum-perft.txt")), [50, 20]);
    assert_eq!(check(&file!("quantum-8.txt.gz"), &file!("quantum-8-perft.txt")), [50, 15]);
}

#[test]
fn games_of_four_and_six_are_played_as_by_the_reference_program() {
    assert_eq!(check(&file!("quantum-4p.txt.gz"), &file!("quantum-4p-perft.txt")), [50, 20]);
    assert_eq!(check(&file!("quantum-6p.txt.gz"), &file!("quantum-6p-perft.txt")), [50, 20]);
}

#[test]
fn every_option_is_played_as_by_the_reference_program() {
    assert_eq!(check(&file!("options.txt.gz"), &file!("options-perft.txt")), [291, 29]);
}

#[test]
fn passes_count_as_moves_where_they_are_asked_for() {
    let game = Game::new(QuantumRules::of(Lineup::named("othello").expect("a line-up")));
    let counted = |passes| (1..=7).map(|plies| game.perft(plies, passes)).collect::<Vec<_>>();
    // The two ways of counting differ only from the ninth move on; `benches/perft.rs` checks this.
    assert_eq!(counted(CountedPasses::All), [4, 12, 56, 244, 1396, 8200, 55092]);
    assert_eq!(counted(CountedPasses::None), [4, 12, 56, 244, 1396, 8200, 55092]);
    assert_eq!(game.legal_moves().iter().map(Move::to_string).collect::<Vec<_>>(), ["d3", "c4", "f5", "e6"]);
}
