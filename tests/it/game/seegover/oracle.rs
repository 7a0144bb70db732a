//! A second opinion on the rules, written from their prose and using only plain arrays. It is slow, and shares no code
//! with the crate.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::seegover::{self, Ending};
use gothello_arena::game::{Position, Side};

use super::{flat, rules};

/// File and rank, from 0.
type Place = (i8, i8);

/// `b`, `w` or `.` by rank and file.
type Stones = [[char; 5]; 5];

const DIRECTIONS: [Place; 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];

/// The options, as named in the rules.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "four choices that do not depend on each other")]
struct Variant {
    superko: bool,
    two_drops: bool,
    single: bool,
    back_captures: bool,
}

impl Variant {
    /// The variant with this number; there are sixteen.
    fn nth(number: u64) -> Self {
        let has = |bit: u64| number >> bit & 1 == 1;
        Self { superko: has(0), two_drops: has(1), single: has(2), back_captures: has(3) }
    }

    fn options(self) -> seegover::Options {
        let words = [
            (self.superko, "cycle=superko"),
            (self.two_drops, "drop=2"),
            (self.single, "capture=single"),
            (self.back_captures, "back=capture"),
        ];
        let given: Vec<&str> = words.into_iter().filter(|(given, _)| *given).map(|(_, word)| word).collect();
        rules(&given.join(" "))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Wins(char),
    Cycle,
    NothingLegal,
}

/// A turn as text, and the stones after it.
type Turn = (String, Stones);

struct Match {
    variant: Variant,
    stones: Stones,
    mover: char,
    past: Vec<(Stones, char)>,
    verdict: Option<Verdict>,
}

fn places() -> impl Iterator<Item = Place> {
    (0..25).map(|i| (i % 5, i / 5))
}

fn at(stones: &Stones, (file, rank): Place) -> Option<char> {
    stones.get(usize::try_from(rank).ok()?)?.get(usize::try_from(file).ok()?).copied()
}

fn put(stones: &mut Stones, (file, rank): Place, what: char) {
    stones[usize::try_from(rank).unwrap()][usize::try_from(file).unwrap()] = what;
}

fn shifted((file, rank): Place, (right, up): Place) -> Place {
    (file + right, rank + up)
}

fn other(colour: char) -> char {
    if colour == 'b' { 'w' } else { 'b' }
}

fn name((file, rank): Place) -> String {
    format!("{}{}", char::from(b'a' + u8::try_from(file).unwrap()), rank + 1)
}

fn count(stones: &Stones, what: char) -> usize {
    stones.iter().flatten().filter(|&&stone| stone == what).count()
}

/// The stones after the captures by a stone that was put on `place`, and the number of captured stones.
fn capture(variant: Variant, stones: &Stones, place: Place) -> (Stones, usize) {
    let own = at(stones, place).unwrap();
    let (mut after, mut taken) = (*stones, 0);
    for direction in DIRECTIONS {
        let mut run = Vec::new();
        let mut next = shifted(place, direction);
        while at(stones, next) == Some(other(own)) {
            run.push(next);
            next = shifted(next, direction);
        }
        let counts = if variant.single { run.len() == 1 } else { !run.is_empty() };
        if counts && at(stones, next) == Some(own) {
            taken += run.len();
            for stone in run {
                put(&mut after, stone, own);
            }
        }
    }
    (after, taken)
}

fn moved(variant: Variant, stones: &Stones, from: Place, to: Place) -> (Stones, usize) {
    let mut after = *stones;
    put(&mut after, to, at(stones, from).unwrap());
    put(&mut after, from, '.');
    capture(variant, &after, to)
}

impl Match {
    fn new(variant: Variant, stones: Stones, mover: char) -> Self {
        let mut all = Self { variant, stones, mover, past: Vec::new(), verdict: None };
        all.judge();
        all
    }

    fn drops(&self) -> Vec<Turn> {
        let free: Vec<Place> = places().filter(|&p| p != (2, 2) && at(&self.stones, p) == Some('.')).collect();
        let mut turns = Vec::new();
        for (index, &first) in free.iter().enumerate() {
            let mut one = self.stones;
            put(&mut one, first, self.mover);
            if !self.variant.two_drops {
                turns.push((name(first), one));
                continue;
            }
            for &second in &free[index + 1..] {
                let mut two = one;
                put(&mut two, second, self.mover);
                turns.push((format!("{}+{}", name(first), name(second)), two));
            }
        }
        turns
    }

    /// Steps and returns, before the rule against cycles is applied.
    fn steps(&self, hole: Place) -> Vec<Turn> {
        let mut turns = Vec::new();
        for direction in DIRECTIONS {
            let from = shifted(hole, direction);
            if at(&self.stones, from) != Some(self.mover) {
                continue;
            }
            let (stepped, taken) = moved(self.variant, &self.stones, from, hole);
            turns.push((format!("{}-{}", name(from), name(hole)), stepped));
            if taken > 0 {
                let (returned, more) = moved(self.variant, &stepped, hole, from);
                if more > 0 || !self.variant.back_captures {
                    turns.push((format!("{0}-{1}-{0}", name(from), name(hole)), returned));
                }
            }
        }
        turns
    }

    fn lifts(&self, hole: Place) -> Vec<Turn> {
        let own = places().filter(|&place| at(&self.stones, place) == Some(self.mover));
        own.map(|from| (format!("{}-{}", name(from), name(hole)), moved(self.variant, &self.stones, from, hole).0))
            .collect()
    }

    fn without_repetitions(&self, turns: Vec<Turn>) -> Vec<Turn> {
        if !self.variant.superko {
            return turns;
        }
        turns.into_iter().filter(|(_, after)| !self.past.contains(&(*after, other(self.mover)))).collect()
    }

    fn turns(&self) -> Vec<Turn> {
        if self.verdict.is_some() { Vec::new() } else { self.open_turns() }
    }

    fn open_turns(&self) -> Vec<Turn> {
        if count(&self.stones, '.') > 1 {
            return self.drops();
        }
        let hole = places().find(|&place| at(&self.stones, place) == Some('.')).unwrap();
        let steps = self.without_repetitions(self.steps(hole));
        if steps.is_empty() { self.without_repetitions(self.lifts(hole)) } else { steps }
    }

    fn judge(&mut self) {
        if count(&self.stones, '.') > 1 {
            return;
        }
        if let Some(loser) = ['b', 'w'].into_iter().find(|&colour| count(&self.stones, colour) <= 4) {
            self.verdict = Some(Verdict::Wins(other(loser)));
            return;
        }
        if self.past.contains(&(self.stones, self.mover)) {
            self.verdict = Some(Verdict::Cycle);
            return;
        }
        self.past.push((self.stones, self.mover));
        if self.open_turns().is_empty() {
            self.verdict = Some(Verdict::NothingLegal);
        }
    }

    fn play(&mut self, after: Stones) {
        self.stones = after;
        self.mover = other(self.mover);
        self.judge();
    }

    fn text(&self) -> String {
        text(&self.stones)
    }
}

fn text(stones: &Stones) -> String {
    stones.iter().rev().map(|rank| rank.iter().collect::<String>()).collect::<Vec<_>>().join("/")
}

fn theirs(colour: char) -> Side {
    if colour == 'b' { Side::Black } else { Side::White }
}

fn verdict(game: &seegover::Game) -> Option<Verdict> {
    game.ending().map(|ending| match ending {
        Ending::Won(side) => Verdict::Wins(side.letter()),
        Ending::Repeated => Verdict::Cycle,
        Ending::NoTurn => Verdict::NothingLegal,
    })
}

/// A random index into something with `len` items.
fn any_of(random: &mut SplitMix64, len: usize) -> usize {
    usize::try_from(random.below(len as u64)).unwrap()
}

/// Checks the legal turns and the stones after each of them. Returns the turns.
fn check_turns(oracle: &Match, game: &seegover::Game) -> Vec<Turn> {
    assert_eq!((flat(game), verdict(game)), (oracle.text(), oracle.verdict));
    let mut turns = oracle.turns();
    turns.sort_unstable();
    let options = oracle.variant.options();
    let mut found: Vec<Turn> = Vec::new();
    for play in game.plays() {
        let after = seegover::Board::of(game.side(), game.view().after(play, options));
        let stones = stones_of(after);
        found.push((play.to_move().to_string(), stones));
    }
    found.sort_unstable();
    if !oracle.variant.superko && game.ending().is_none() && game.view().hole().is_some() {
        let mut made: Vec<Turn> = Vec::new();
        game.view().each_turn(options, |play, after| {
            made.push((play.to_move().to_string(), stones_of(seegover::Board::of(game.side(), after))));
        });
        made.sort_unstable();
        assert_eq!(made, found, "{}", oracle.text());
    }
    assert_eq!(found, turns, "{} {:?} {:?}", oracle.text(), oracle.mover, oracle.variant);
    turns
}

fn stones_of(board: seegover::Board) -> Stones {
    let mut stones = [['.'; 5]; 5];
    for side in Side::BOTH {
        for square in seegover::squares(board.stones(side)) {
            stones[usize::from(square.rank())][usize::from(square.file())] = side.letter();
        }
    }
    stones
}

/// Plays one random game and checks every position. Returns the number of positions.
fn check_one_game(random: &mut SplitMix64, variant: Variant, endings: &mut Vec<Verdict>) -> usize {
    let mut oracle = Match::new(variant, [['.'; 5]; 5], 'b');
    let mut game = seegover::Game::new(variant.options());
    // With superko, games can go on for thousands of turns.
    for positions in 1..400 {
        let turns = check_turns(&oracle, &game);
        let Some(_) = turns.first() else {
            endings.extend(oracle.verdict);
            return positions;
        };
        let (chosen, after) = turns[any_of(random, turns.len())].clone();
        assert_eq!(game.side(), theirs(oracle.mover));
        oracle.play(after);
        assert_eq!(game.play(&chosen).unwrap().as_str(), chosen);
    }
    400
}

#[test]
fn random_games_agree_with_the_prose() {
    let mut random = SplitMix64::new(1977);
    let (mut positions, mut endings) = (0, Vec::new());
    for game in 0.. {
        positions += check_one_game(&mut random, Variant::nth(game), &mut endings);
        if positions >= 50_000 {
            break;
        }
    }
    for verdict in [Verdict::Wins('b'), Verdict::Wins('w'), Verdict::Cycle] {
        assert!(endings.contains(&verdict), "{verdict:?} occurs");
    }
}

/// Boards of the move phase with any number of stones of each side. Some of them can never arise in play.
#[test]
fn arbitrary_boards_agree_with_the_prose() {
    let mut random = SplitMix64::new(66);
    for number in 0..50_000 {
        let variant = Variant::nth(number);
        let share = 3 + random.below(11);
        let hole = any_of(&mut random, 25);
        let mut stones = [['.'; 5]; 5];
        for (_, place) in places().enumerate().filter(|&(index, _)| index != hole) {
            put(&mut stones, place, if random.below(16) < share { 'b' } else { 'w' });
        }
        let mover = if random.below(2) == 0 { 'b' } else { 'w' };
        let oracle = Match::new(variant, stones, mover);
        let board = text(&stones).parse().unwrap();
        let game = seegover::Game::from_board(variant.options(), board, theirs(mover)).unwrap();
        for (chosen, after) in check_turns(&oracle, &game) {
            let mut next = Match { past: oracle.past.clone(), ..Match::new(variant, stones, mover) };
            next.play(after);
            let mut played = game.clone();
            played.play(&chosen).unwrap();
            assert_eq!((flat(&played), verdict(&played)), (next.text(), next.verdict), "{chosen}");
        }
    }
}
