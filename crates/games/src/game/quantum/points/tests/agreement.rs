//! Random games, in which both implementations must agree on everything after every turn.

use super::oracle::PlainGo;
use super::{Arrangement, GoBoard, GoPoint, GoPoints, GoRules, KoRule, points, seat};
use crate::base::random::SplitMix64;
use crate::game::quantum::seats::{PerSeat, Seat};

/// The same game in both implementations.
struct Both {
    board: GoBoard,
    plain: PlainGo,
}

impl Both {
    /// A game that begins with a few random stones.
    fn new(size: u8, seats: u8, rules: GoRules, random: &mut SplitMix64) -> Self {
        let before = Seat::all(seats).nth(below(random, seats.into())).expect("a seat");
        loop {
            let mut stones = Arrangement::default();
            let mut cells = vec![0; usize::from(size).pow(2)];
            for _ in 0..below(random, 3) {
                let owner = Seat::all(seats).nth(below(random, seats.into())).expect("a seat");
                let at = below(random, cells.len());
                stones.put(owner, points(size).nth(at).expect("a point"));
                cells[at] = usize::from(owner.number());
            }
            if let Some(board) = GoBoard::new(size, seats, rules, &stones, before) {
                let options = (rules.ko, rules.suicide);
                let plain = PlainGo::new(size.into(), seats.into(), options, cells, before.number().into());
                return Self { board, plain };
            }
        }
    }

    /// Compares the counts.
    fn compare_counts(&self) {
        let (board, plain) = (&self.board, &self.plain);
        let of = |counts: PerSeat<u32>| counts.of(board.seats()).map(|(_, &points)| points).collect::<Vec<_>>();
        assert_eq!(of(board.territory()), plain.territory());
        assert_eq!(of(board.area()), plain.area());
    }

    /// Compares everything that does not depend on a seat.
    fn compare(&self) {
        let (board, plain) = (&self.board, &self.plain);
        self.compare_counts();
        for (at, point) in points(board.size()).enumerate() {
            let owner = board.stones().owner(point).map_or(0, Seat::number);
            assert_eq!(usize::from(owner), plain.cells[at], "{point}");
            assert_eq!(board.empty().contains(point), plain.cells[at] == 0, "{point}");
            assert_eq!(board.proof_stones().is_some_and(|stones| stones.contains(point)), plain.proof[at], "{point}");
        }
        for (at, seat) in Seat::all(board.seats()).enumerate() {
            assert_eq!(i64::from(board.prisoners()[seat]), plain.prisoners[at], "prisoners of {seat}");
        }
    }

    /// Compares the legal turns of `seat`. Returns the points on which it may place a stone.
    fn legal(&self, seat: Seat) -> Vec<(usize, GoPoint)> {
        let (board, plain) = (&self.board, &self.plain);
        let number = usize::from(seat.number());
        let mut legal = Vec::new();
        for (at, point) in points(board.size()).enumerate() {
            let attempt = plain.attempt(number, at);
            assert_eq!(board.check(seat, point), attempt.as_ref().map(|_| ()).map_err(|&why| why), "{seat} on {point}");
            if let Ok((_, removed)) = attempt {
                legal.push((at, point));
                let taken = removed.iter().filter(|&&stone| ![0, number].contains(&plain.cells[stone])).count();
                assert_eq!(board.would_take(seat, point) as usize, taken, "{seat} on {point}");
            }
            if plain.cells[at] == 0 {
                assert_eq!(board.is_own_eye(seat, point), plain.is_own_eye(number, at), "{seat} on {point}");
            }
        }
        let listed: Vec<GoPoint> = board.legal(seat).iter().collect();
        assert_eq!(listed, legal.iter().map(|&(_, point)| point).collect::<Vec<_>>());
        legal
    }

    /// Draws points until one is legal for `seat`, compares both implementations' answers for each point, and places a
    /// stone on the legal one. If `n` draws on a board of `n` points per side yield no legal point, `seat` passes.
    fn drawn_turn(&mut self, seat: Seat, random: &mut SplitMix64) {
        let number = usize::from(seat.number());
        for _ in 0..self.board.size() {
            let at = below(random, self.plain.cells.len());
            let point = points(self.board.size()).nth(at).expect("a point");
            let attempt = self.plain.attempt(number, at);
            assert_eq!(self.board.check(seat, point), attempt.as_ref().map(|_| ()).map_err(|&why| why), "{point}");
            if let Ok(turn) = attempt {
                self.board.play(seat, point).expect("legal");
                self.plain.play(at, turn);
                return;
            }
        }
        self.board.pass(seat);
        self.plain.pass(number);
    }

    /// Makes a random turn for `seat`.
    fn turn(&mut self, seat: Seat, random: &mut SplitMix64) {
        let legal = self.legal(seat);
        let number = usize::from(seat.number());
        if legal.is_empty() || random.below(16) == 0 {
            self.board.pass(seat);
            self.plain.pass(number);
        } else {
            let (at, point) = legal[below(random, legal.len())];
            let turn = self.plain.attempt(number, at).expect("legal");
            self.board.play(seat, point).expect("legal");
            self.plain.play(at, turn);
        }
    }
}

fn below(random: &mut SplitMix64, n: usize) -> usize {
    usize::try_from(random.below(n as u64)).expect("below `n`")
}

/// Plays games of `longest` turns on `size` points per side: at least `turns` turns for each ko rule, with and without
/// suicide, with two, four and six seats. The proof begins in half of the games; with more than two seats, some seats
/// resign. Returns how many positions were compared.
fn agree(size: u8, turns: usize, longest: usize) -> usize {
    let mut random = SplitMix64::new(size.into());
    let mut positions = 0;
    for ko in KoRule::ALL {
        for (suicide, seats) in [false, true].into_iter().flat_map(|suicide| [2, 4, 6].map(|seats| (suicide, seats))) {
            for _ in 0..turns.div_ceil(longest) {
                let mut both = Both::new(size, seats, GoRules { ko, suicide }, &mut random);
                let proof = below(&mut random, 2 * longest);
                let resigned = Seat::all(seats).filter(|_| seats > 2 && random.below(8) == 0).collect::<Vec<_>>();
                for turn in 0..longest {
                    if turn == proof {
                        both.board.begin_proof();
                        both.plain.is_proof = true;
                    }
                    let on_move = seat(u8::try_from(turn % usize::from(seats)).expect("few") + 1);
                    if turn < longest / 2 || !resigned.contains(&on_move) {
                        both.turn(on_move, &mut random);
                        both.compare();
                        positions += 1;
                    }
                }
            }
        }
    }
    positions
}

#[test]
fn both_implementations_agree_on_small_boards() {
    let positions = agree(2, 900, 90) + agree(3, 2000, 100) + agree(4, 800, 130);
    assert!(positions > 85_000, "{positions}");
}

#[test]
fn both_implementations_agree_on_larger_boards() {
    let positions = agree(5, 640, 160) + agree(9, 120, 120);
    assert!(positions > 16_000, "{positions}");
}

#[test]
fn both_implementations_agree_on_a_hundred_thousand_positions_of_9x9() {
    let mut random = SplitMix64::new(9);
    let kinds: Vec<GoRules> =
        KoRule::ALL.into_iter().flat_map(|ko| [false, true].map(|suicide| GoRules { ko, suicide })).collect();
    let (mut positions, mut games) = (0, kinds.iter().cycle());
    while positions < 100_000 {
        let mut both = Both::new(9, 2, *games.next().expect("endless"), &mut random);
        for turn in 0..250 {
            both.drawn_turn(seat(turn % 2 + 1), &mut random);
            positions += 1;
            if turn % 16 == 0 {
                both.compare_counts();
            }
        }
        both.compare();
    }
}

#[test]
fn a_tidy_stone_is_any_legal_one_that_fills_no_eye() {
    let mut random = SplitMix64::new(5);
    for _ in 0..6 {
        let mut both = Both::new(4, 2, GoRules::default(), &mut random);
        for turn in 0..60 {
            let on_move = seat(turn % 2 + 1);
            let mut tidy: Vec<GoPoint> = both.legal(on_move).into_iter().map(|(_, point)| point).collect();
            tidy.retain(|&point| !both.board.is_own_eye(on_move, point));
            let drawn: GoPoints =
                (0..150).filter_map(|seed| both.board.clone().play_tidy(on_move, &mut SplitMix64::new(seed))).collect();
            assert_eq!(drawn.iter().collect::<Vec<_>>(), tidy);
            both.turn(on_move, &mut random);
        }
    }
}
