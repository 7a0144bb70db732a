//! A second implementation of Reverse and Othello, on plain arrays, for comparison with the bitboards.

use crate::base::random::SplitMix64;
use crate::game::quantum::{Game, QuantumRules, RowRule, Seat, StartRule, StuckRule};
use crate::game::{Position as _, Ruleset};

const STEPS: [(i32, i32); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// The requirements for a placement.
#[derive(PartialEq)]
enum Demand {
    /// The stone is one of the first four, and is in the middle.
    Middle,
    /// The stone is the seat's first, and is next to another stone.
    Entry,
    /// The stone encloses rows.
    Rows,
    /// The stone encloses a row, and the move names that row.
    NamedRow,
}

/// The stones by rank and file, as the letters in the board's text, and everything else on which the rules depend.
struct PlainSquares {
    ranks: Vec<Vec<u8>>,
    /// The first rank and file of the mode's area, and the first ones beyond it.
    field: (i32, i32),
    letter: u8,
    demand: Demand,
    is_beside: bool,
}

impl PlainSquares {
    fn at(&self, file: i32, rank: i32) -> Option<u8> {
        let rank = self.ranks.get(usize::try_from(rank).ok()?)?;
        rank.get(usize::try_from(file).ok()?).copied()
    }

    /// The far ends of all rows that a stone on this square encloses.
    fn far_ends(&self, file: i32, rank: i32) -> Vec<(i32, i32)> {
        let mut ends = Vec::new();
        for (right, down) in STEPS {
            for steps in 1.. {
                let square = (file + steps * right, rank + steps * down);
                match self.at(square.0, square.1) {
                    None | Some(b'.') => break,
                    Some(stone) if stone == self.letter => {
                        if steps > 1 {
                            ends.push((square.1, square.0));
                        }
                        break;
                    }
                    Some(_) => {}
                }
            }
        }
        ends.sort_unstable();
        ends
    }

    fn empty(&self) -> Vec<(i32, i32)> {
        let side = self.field.0..self.field.1;
        let all = side.clone().flat_map(|rank| side.clone().map(move |file| (file, rank)));
        all.filter(|&(file, rank)| self.at(file, rank) == Some(b'.')).collect()
    }

    fn is_next_to_a_stone(&self, (file, rank): (i32, i32)) -> bool {
        STEPS.iter().any(|(right, down)| self.at(file + right, rank + down).is_some_and(|stone| stone != b'.'))
    }

    fn moves(&self) -> Vec<String> {
        let name = |(file, rank): (i32, i32)| format!("{}{}", (b'a' + u8::try_from(file).unwrap()) as char, rank + 1);
        let empty = self.empty();
        if self.demand == Demand::Middle {
            let size = i32::try_from(self.ranks.len()).unwrap();
            let is_middle = |at: i32| at == size / 2 || at == size / 2 - 1;
            return empty.into_iter().filter(|at| is_middle(at.0) && is_middle(at.1)).map(name).collect();
        }
        let is_blank = self.ranks.iter().flatten().all(|&stone| stone == b'.');
        let anywhere =
            || empty.iter().filter(|&&at| is_blank || self.is_next_to_a_stone(at)).map(|&at| name(at)).collect();
        if self.demand == Demand::Entry {
            return anywhere();
        }
        let mut moves = Vec::new();
        for &(file, rank) in &empty {
            let ends = self.far_ends(file, rank);
            if self.demand == Demand::NamedRow {
                moves.extend(ends.iter().map(|&(far, end)| format!("{}-{}", name((file, rank)), name((end, far)))));
            } else if !ends.is_empty() {
                moves.push(name((file, rank)));
            }
        }
        if moves.is_empty() && self.is_beside { anywhere() } else { moves }
    }

    /// Plays a legal move that places a stone.
    fn play(&mut self, text: &str) {
        let square = |text: &str| (i32::from(text.as_bytes()[0] - b'a'), text[1..].parse::<i32>().unwrap() - 1);
        let (at, far) = text.split_once('-').map_or((text, None), |(at, far)| (at, Some(far)));
        let (file, rank) = square(at);
        let turns = matches!(self.demand, Demand::Rows | Demand::NamedRow);
        for (far_rank, far_file) in if turns { self.far_ends(file, rank) } else { Vec::new() } {
            if far.is_none_or(|far| square(far) == (far_file, far_rank)) {
                let (right, down) = ((far_file - file).signum(), (far_rank - rank).signum());
                let (mut file, mut rank) = (file + right, rank + down);
                while (file, rank) != (far_file, far_rank) {
                    self.ranks[usize::try_from(rank).unwrap()][usize::try_from(file).unwrap()] = self.letter;
                    (file, rank) = (file + right, rank + down);
                }
            }
        }
        self.ranks[usize::try_from(rank).unwrap()][usize::try_from(file).unwrap()] = self.letter;
    }
}

/// The squares of a game in the form of the simple implementation. `entered` contains the seats that have placed a
/// stone.
fn plain(game: &Game, entered: &[Seat]) -> PlainSquares {
    let rules: QuantumRules = game.rules();
    let size = usize::from(rules.lineup().squares());
    let ranks: Vec<Vec<u8>> = game.to_string().lines().take(size).map(|rank| rank.as_bytes().to_vec()).collect();
    let is_reverse = game.mode().is_some_and(|mode| mode.name() == "reverse");
    let margin = if is_reverse { i32::try_from(size).unwrap() / 2 - 4 } else { 0 };
    let stones = ranks.iter().flatten().filter(|&&stone| stone != b'.').count();
    let seat = game.seat_to_move();
    let demand = if rules.start() == StartRule::Open && stones < 4 {
        Demand::Middle
    } else if rules.start() == StartRule::None && !entered.contains(&seat) {
        Demand::Entry
    } else if rules.rows() == RowRule::One && is_reverse {
        Demand::NamedRow
    } else {
        Demand::Rows
    };
    PlainSquares {
        field: (margin, i32::try_from(size).unwrap() - margin),
        ranks,
        letter: seat.letter(rules.seats()) as u8,
        demand,
        is_beside: rules.stuck() == StuckRule::Beside,
    }
}

/// Plays a random game until it reaches Go or ends, and compares every position. Returns the number of positions.
fn compare(ruleset: &str, seed: u64) -> usize {
    let Ok(Ruleset::Quantum(rules)) = ruleset.parse() else { panic!("{ruleset} is a line-up") };
    let (mut game, mut random) = (Game::new(rules), SplitMix64::new(seed));
    let (mut entered, mut positions) = (Vec::new(), 0);
    while game.mode().is_some_and(|mode| mode.name() != "go") {
        let mut squares = plain(&game, &entered);
        let has_stone = game.stones_left(game.seat_to_move()) != Some(0);
        let mut expected = if has_stone { squares.moves() } else { Vec::new() };
        if expected.is_empty() {
            expected.push("pass".to_owned());
        }
        let legal: Vec<String> = game.legal_moves().iter().map(ToString::to_string).collect();
        assert_eq!(legal, expected, "{ruleset}, {seed}\n{game}");
        let played = &legal[usize::try_from(random.below(legal.len() as u64)).unwrap()];
        if played != "pass" {
            squares.play(played);
            entered.push(game.seat_to_move());
        }
        game.play(played).expect("a legal move");
        let ranks: Vec<String> = squares.ranks.into_iter().map(|rank| String::from_utf8(rank).unwrap()).collect();
        assert!(game.to_string().starts_with(&ranks.join("\n")), "{ruleset}, {seed}: after {played}\n{game}");
        positions += 1;
    }
    positions
}

#[test]
fn both_implementations_agree_on_squares_of_all_sizes_with_all_options() {
    let rulesets = [
        "othello",
        "othello start=open",
        "othello-10",
        "reverse rows=one",
        "quantum rows=one start=open",
        "quantum-12",
        "quantum-14 rows=one",
        "quantum-16",
        "quantum-18",
        "quantum-20 start=open",
        "quantum-4p",
        "quantum-4p start=corners rows=one",
        "quantum-4p-beside start=open rows=one",
        "quantum-8-4p start=corners",
        "quantum-8-4p stuck=beside",
        "quantum-6p rows=one",
        "quantum-6p-beside",
    ];
    let positions = rulesets.iter().flat_map(|ruleset| (0..4).map(|seed| compare(ruleset, seed))).sum::<usize>();
    assert!(positions > 5000, "{positions}");
}
