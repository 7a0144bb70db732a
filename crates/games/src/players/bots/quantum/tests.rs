//! Tests of how the bots play the games of Quantum Gothello.

use std::cmp::Ordering;
use std::num::NonZeroU32;

use super::worth;
use crate::base::random::SplitMix64;
use crate::game::quantum::{Game, LegalTurn, QuantumRules};
use crate::game::{BySide, Move, Position as _, Ruleset, Seat, Side};
use crate::players::bots::{Bot, Builtin, Thinker};

/// The thinkers that play these games.
const THINKERS: [Thinker; 4] = [Thinker::Random, Thinker::Greedy, Thinker::Alphabeta, Thinker::Mcts];

pub(super) fn game(ruleset: &str) -> Game {
    match ruleset.parse() {
        Ok(Ruleset::Quantum(rules)) => Game::new(rules),
        other => panic!("{ruleset}: {other:?}"),
    }
}

/// Plays up to `plies` random turns.
pub(super) fn after_random(mut game: Game, plies: u64, random: &mut SplitMix64) -> Game {
    for _ in 0..plies {
        let before = game.clone();
        let mut turns = game.placements();
        // Passes are rare, so that Go does not end immediately.
        if turns.is_empty() || game.may_pass() && random.below(20) == 0 {
            turns = vec![LegalTurn::Pass];
        }
        game.advance(turns[usize::try_from(random.below(turns.len() as u64)).expect("few")]);
        if game.is_over() {
            return before;
        }
    }
    game
}

fn bot(thinker: Thinker, effort: u32, seed: u64) -> Bot {
    let effort = NonZeroU32::new(effort);
    let builtin = match thinker {
        Thinker::Alphabeta => Builtin { depth: effort, ..Builtin::new(thinker) },
        _ => Builtin { playouts: effort, ..Builtin::new(thinker) },
    };
    Bot::of(builtin, seed)
}

/// Plays `game` to its end. Returns its moves and its final position.
fn play(mut game: Game, mut bots: BySide<Bot>) -> (Vec<Move>, Game) {
    let mut moves = Vec::new();
    while !game.is_over() {
        let chosen = bots[game.to_move()].choose(&game);
        moves.push(game.play(chosen.as_str()).unwrap_or_else(|why| panic!("{chosen}: {why}\n{game}")));
    }
    (moves, game)
}

/// Returns twice the points of `first` in `games` games against `other`, half of them with each colour.
fn points(ruleset: &str, first: (Thinker, u32), other: (Thinker, u32), games: u64) -> i32 {
    let of_game = |seed: u64| {
        let side = if seed.is_multiple_of(2) { Side::Black } else { Side::White };
        let bots = BySide::of(side, bot(first.0, first.1, seed), bot(other.0, other.1, seed + 1_000));
        let winner = play(game(ruleset), bots).1.outcome().expect("over").winner;
        1 + side.score(winner)
    };
    (0..games).map(of_game).sum()
}

#[test]
fn in_every_game_every_bot_plays_legal_moves_and_the_same_ones_for_a_seed() {
    let mut random = SplitMix64::new(1);
    for rules in QuantumRules::ALL {
        let fields = u64::from(rules.lineup().squares()).pow(2) + 2 * u64::from(rules.lineup().points()).pow(2);
        for thinker in THINKERS {
            let mut game = after_random(Game::new(rules), random.below(fields), &mut random);
            // With more than two seats, some games go on without one of the seats, often the seat whose turn it was.
            if rules.seats() > 2 && random.below(2) == 0 {
                let number = u8::try_from(1 + random.below(2 * u64::from(rules.seats()))).expect("few seats");
                let seat = Seat::new(number).filter(|seat| seat.number() <= rules.seats());
                game.resign(seat.unwrap_or(game.seat_to_move()));
            }
            let choose = || bot(thinker, 2, 7).choose(&game);
            let chosen = choose();
            assert!(game.legal_moves().contains(&chosen), "{thinker} plays {chosen} in {rules}\n{game}");
            assert_eq!(chosen, choose(), "{thinker} in {rules}\n{game}");
        }
    }
}

#[test]
fn bots_of_every_kind_play_whole_games_to_the_end() {
    for ruleset in ["quantum-8 scoring=modes", "reverse rows=one"] {
        for (black, white) in [(Thinker::Random, Thinker::Alphabeta), (Thinker::Mcts, Thinker::Greedy)] {
            let (moves, over) = play(game(ruleset), BySide { black: bot(black, 1, 3), white: bot(white, 1, 4) });
            assert!(over.outcome().is_some(), "{black} against {white} in {ruleset}: {moves:?}");
        }
    }
}

/// Checks that `first` has more than three quarters of the points against `other`.
fn assert_stronger(ruleset: &str, first: (Thinker, u32), other: (Thinker, u32), games: u64) {
    let points = points(ruleset, first, other, games);
    assert!(
        points > 3 * i32::try_from(games).expect("few") / 2,
        "{ruleset}, {first:?}, {other:?}: {points}/2 of {games}"
    );
}

#[test]
fn greedy_beats_random_on_points_and_alphabeta_beats_greedy_everywhere() {
    assert_stronger("go-9", (Thinker::Greedy, 1), (Thinker::Random, 1), 4);
    assert_stronger("go-9", (Thinker::Alphabeta, 1), (Thinker::Random, 1), 2);
    for ruleset in ["othello", "reverse"] {
        assert_stronger(ruleset, (Thinker::Alphabeta, 1), (Thinker::Greedy, 1), 8);
    }
    assert_stronger("quantum-8", (Thinker::Alphabeta, 1), (Thinker::Greedy, 1), 4);
}

#[test]
fn on_squares_greedy_wins_more_games_than_it_loses_against_random() {
    let points = points("othello-10", (Thinker::Greedy, 1), (Thinker::Random, 1), 100);
    assert!(points > 110, "{points}/2 of 100");
}

#[test]
fn more_playouts_play_better() {
    assert_stronger("reverse", (Thinker::Mcts, 20), (Thinker::Mcts, 2), 4);
    assert_stronger("quantum-8", (Thinker::Mcts, 24), (Thinker::Random, 1), 4);
}

/// Plays `game` to its end with a bot for each seat. `outs` contains the seats that drop out, each with the number of
/// the turn before which it does so.
fn play_group(mut game: Game, mut bots: Vec<Bot>, outs: &[(usize, Seat)]) -> Game {
    let mut turn = 0;
    while !game.is_over() {
        for (_, seat) in outs.iter().filter(|(at, _)| *at == turn) {
            game.resign(*seat);
        }
        if game.is_over() {
            break;
        }
        let chosen = bots[game.seat_to_move().index()].choose(&game);
        game.play(chosen.as_str()).unwrap_or_else(|why| panic!("{chosen}: {why}\n{game}"));
        turn += 1;
    }
    game
}

/// Returns the mean place of `first`, in hundredths, if all other seats are played by `other`. `first` plays in every
/// seat in turn, `rounds` times.
fn mean_place(ruleset: &str, first: (Thinker, u32), other: (Thinker, u32), rounds: u64) -> u64 {
    let seats = game(ruleset).rules().seats();
    let mut places = 0;
    for round in 0..rounds {
        for seat in Seat::all(seats) {
            let who = |at: Seat| if at == seat { first } else { other };
            let seed = |at: Seat| 1_000 * round + 10 * u64::from(seat.number()) + u64::from(at.number());
            let bots = Seat::all(seats).map(|at| bot(who(at).0, who(at).1, seed(at))).collect();
            places += u64::from(play_group(game(ruleset), bots, &[]).standing().placing[seat]);
        }
    }
    100 * places / (rounds * u64::from(seats))
}

#[test]
fn at_a_table_every_bot_is_placed_better_than_random_ones() {
    // Players of equal strength have a mean place of 250 in games with four seats, and of 350 in games of six.
    for (ruleset, first, rounds, worst) in [
        ("quantum-8-4p", (Thinker::Greedy, 1), 3, 200),
        ("quantum-8-4p", (Thinker::Alphabeta, 1), 1, 200),
        ("quantum-8-4p", (Thinker::Mcts, 20), 1, 200),
        ("quantum-6p", (Thinker::Greedy, 1), 1, 280),
    ] {
        let place = mean_place(ruleset, first, (Thinker::Random, 1), rounds);
        assert!(place <= worst, "{first:?} in {ruleset}: {place}/100");
    }
}

#[test]
fn bots_play_on_when_seats_drop_out() {
    let seat = |number| Seat::new(number).expect("a seat");
    for (ruleset, outs) in [
        ("quantum-8-4p", vec![(0, seat(1)), (37, seat(3))]),
        ("quantum-8-4p scoring=modes", vec![(70, seat(4))]),
        ("quantum-6p", vec![(1, seat(1)), (1, seat(2)), (55, seat(6)), (120, seat(3))]),
    ] {
        let seats = game(ruleset).rules().seats();
        for shift in 0..2 {
            let thinker = |at: Seat| THINKERS[(at.index() + shift) % THINKERS.len()];
            let bots = Seat::all(seats).map(|at| bot(thinker(at), 1, u64::from(at.number()))).collect();
            let over = play_group(game(ruleset), bots, &outs);
            for (nth, (_, out)) in outs.iter().enumerate() {
                assert_eq!(usize::from(over.standing().placing[*out]), usize::from(seats) - nth, "{ruleset}\n{over}");
            }
            assert_eq!(over.counts().iter().count(), over.rules().lineup().modes().len(), "{ruleset}\n{over}");
        }
    }
}

#[test]
fn merits_agree_with_places_however_many_seats_are_left() {
    let mut random = SplitMix64::new(4);
    for ruleset in ["quantum-8-4p", "quantum-8-4p scoring=modes compensation=20,0,0,5", "quantum-6p"] {
        for outs in 0..3 {
            let mut game = game(ruleset);
            Seat::all(outs).for_each(|seat| game.resign(seat));
            while !game.is_over() {
                let mut placements = game.placements();
                // Frequent passes keep Go short.
                placements.retain(|_| !game.may_pass() || random.below(3) > 0);
                let nth = usize::try_from(random.below(placements.len().max(1) as u64)).expect("few");
                game.advance(placements.get(nth).copied().unwrap_or(LegalTurn::Pass));
            }
            let (merits, standing) = (worth::merits(&game, None), game.standing());
            for (one, other) in game.seats_in().flat_map(|one| game.seats_in().map(move |other| (one, other))) {
                let placed = standing.placing[other].cmp(&standing.placing[one]);
                assert_eq!(merits[one].cmp(&merits[other]), placed, "{ruleset}\n{game}");
            }
            let lead: i32 = game.seats_in().map(|seat| worth::lead(&game, &worth::counted(&game), seat)).sum();
            assert_eq!(lead, 0, "the leads of all seats cancel out");
            let shares = worth::shares(&game, &merits, 60);
            let sum: i32 = game.seats_in().map(|seat| shares[seat]).sum();
            let seats = i32::from(game.rules().seats() - outs);
            assert_eq!(sum, 30 * seats, "{ruleset}\n{game}");
        }
    }
}

#[test]
fn what_counts_are_worth_agrees_with_the_result() {
    let mut random = SplitMix64::new(2);
    for ruleset in ["quantum-8", "quantum-8 scoring=modes", "go-9", "othello", "quantum-8 compensation=30,0"] {
        for _ in 0..3 {
            let mut game = game(ruleset);
            while !game.is_over() {
                let mut placements = game.placements();
                // Frequent passes keep Go short.
                placements.retain(|_| !game.may_pass() || random.below(3) > 0);
                let nth = usize::try_from(random.below(placements.len().max(1) as u64)).expect("few");
                game.advance(placements.get(nth).copied().unwrap_or(LegalTurn::Pass));
            }
            let outcome = game.outcome().expect("over");
            let merits = worth::merits(&game, None);
            let winner = match merits[Seat::from(Side::Black)].cmp(&merits[Seat::from(Side::White)]) {
                Ordering::Greater => Some(Side::Black),
                Ordering::Equal => None,
                Ordering::Less => Some(Side::White),
            };
            assert_eq!(winner, outcome.winner, "{ruleset}\n{game}");
            let margin = worth::lead(&game, &worth::counted(&game), Side::Black.into());
            assert_eq!(Some(margin), outcome.margin, "{ruleset}\n{game}");
        }
    }
}

/// The game after these moves.
fn played(ruleset: &str, moves: &str) -> Game {
    let mut game = game(ruleset);
    for text in moves.split_whitespace() {
        game.play(text).unwrap_or_else(|why| panic!("{text}: {why}\n{game}"));
    }
    game
}

#[test]
fn a_pass_that_wins_is_found_and_one_that_loses_is_not_made() {
    // Black has all points, and white has passed.
    let black = played("go-9", "e5 pass");
    // White has its compensation, and black has passed on an empty board.
    let white = played("go-9", "pass");
    for thinker in [Thinker::Greedy, Thinker::Alphabeta] {
        assert_eq!(bot(thinker, 1, 1).choose(&black), Move::PASS, "{thinker}");
        assert_eq!(bot(thinker, 1, 1).choose(&white), Move::PASS, "{thinker}");
    }
    // Black's pass would end the game, and white has 7.5 points.
    let behind = played("go-9", "a1 e5 b1 pass");
    for thinker in [Thinker::Greedy, Thinker::Alphabeta] {
        assert_ne!(bot(thinker, 1, 1).choose(&behind), Move::PASS, "{thinker}");
    }
}

#[test]
fn random_leaves_its_eyes_alone_so_that_games_on_points_end() {
    for seed in 0..3 {
        let mut game = game("go-9");
        let mut bots = BySide::from_fn(|side| bot(Thinker::Random, 1, 2 * seed + side as u64));
        let mut plies = 0;
        while !game.is_over() {
            let seat = game.seat_to_move();
            let before = game.clone();
            let chosen = bots[game.to_move()].choose(&game);
            game.play(chosen.as_str()).expect("a legal move");
            if let Ok(point) = chosen.as_str().parse() {
                assert!(!before.points().expect("Go has points").is_own_eye(seat, point), "{chosen}\n{before}");
            }
            plies += 1;
        }
        assert!(plies < 400, "{plies} plies with seed {seed}");
    }
}
