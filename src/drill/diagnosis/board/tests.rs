//! Each wrong model of the board is detected in the games of a bot with this model.

use super::decisions::decisions;
use super::evidence::BoardEvidence;
use super::wrong_boards::{Belief, BelievedBoard};
use super::*;
use crate::base::random::SplitMix64;
use crate::drill::diagnosis::trials_for_tests::{facts, trial};
use crate::drill::readiness::TrialStatus;
use crate::drill::script::{BoutFacts, Refusal};
use crate::game::gothello::{ALL, Game, Point};
use crate::game::{Move, Side};
use crate::referee::record::{Ply, Tries, TryKind};

/// How a bot chooses its moves in these tests.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mindset {
    /// By the rules.
    True,
    /// By the rules, with an occasional pass.
    Passing,
    /// Any empty point.
    AnyEmpty,
    /// Any empty point in one turn out of three, and otherwise by the rules.
    EmptyAtTimes,
    /// Any point.
    AnyPoint,
    /// As in Go, where a capture gives a liberty.
    GoSuicide,
    /// As in Go in one turn out of three, and otherwise by the rules.
    GoSuicideAtTimes,
    /// By a wrong model of the board.
    Believing(Belief),
    /// By a wrong model of the board in eight turns out of nine, and at random in the ninth.
    BelievingMostly(Belief),
}

impl Mindset {
    fn choices(self, game: &Game, board: BelievedBoard, turn: u64) -> Points {
        let (knows_better, strays) = (!turn.is_multiple_of(3), turn == 0);
        let (board_now, side) = (game.board(), game.side());
        match self {
            Self::EmptyAtTimes | Self::GoSuicideAtTimes if knows_better => game.placements(),
            Self::EmptyAtTimes => Self::AnyEmpty.choices(game, board, 0),
            Self::GoSuicideAtTimes => Self::GoSuicide.choices(game, board, 0),
            Self::True | Self::Passing => game.placements(),
            Self::AnyEmpty => board_now.empty(),
            Self::AnyPoint => ALL,
            Self::GoSuicide => {
                let captures = |point: &Point| {
                    super::wrong_boards::would_capture(
                        board_now.stones(side),
                        board_now.stones(side.opponent()),
                        point.bit(),
                    )
                };
                game.placements() | points(board_now.empty()).filter(captures).fold(0, |set, point| set | point.bit())
            }
            Self::BelievingMostly(_) if strays => board_now.empty(),
            Self::Believing(belief) | Self::BelievingMostly(belief) => belief.legal(board),
        }
    }
}

/// A game of a bot with this `mindset` against a random opponent.
fn game(mindset: Mindset, side: Side, random: &mut SplitMix64) -> BoutFacts {
    let mut knowing = SplitMix64::new(random.next_u64());
    let mut pick = |set: Points| {
        let chosen = usize::try_from(random.below(u64::from(set.count_ones()))).unwrap();
        points(set).nth(chosen).unwrap()
    };
    let belief = match mindset {
        Mindset::Believing(belief) | Mindset::BelievingMostly(belief) => belief,
        _ => Belief::NothingTurns,
    };
    let mut found = facts(side);
    let (mut game, mut board) = (Game::default(), BelievedBoard::default());
    while !game.is_over() && found.plies.len() < 60 {
        let mover = game.side();
        let mut played = Move::PASS;
        if mover == side {
            let mut choices = mindset.choices(&game, board, knowing.below(9));
            let passes = mindset == Mindset::Passing && found.plies.len() % 7 == 3;
            while choices != 0 && !passes {
                let point = pick(choices);
                if game.placements() & point.bit() != 0 {
                    played = point.to_move();
                    break;
                }
                choices &= !point.bit();
                let text = format!("{} {point}", found.plies.len() / 2 + 1);
                let text = if side == Side::White { text.replace(' ', " ... ") } else { text };
                let kind = TryKind::Illegal;
                found.refusals.push(Refusal { ply: found.plies.len(), text, why: "no".into(), kind, forged: false });
            }
        } else if game.placements() != 0 {
            played = pick(game.placements()).to_move();
        }
        if let Some(point) = Point::parse(played.as_str()) {
            board = belief.place(board, point, mover == side);
        }
        game = game.after(played);
        let (elapsed, left, tries) = (None, None, Tries::default());
        found.plies.push(Ply {
            seat: mover.into(),
            played,
            elapsed,
            left,
            late_credit: false,
            tries,
            thought: None,
            note: None,
        });
    }
    found
}

/// The total number of games in the scenarios `captures` and `legal-20` on both sides.
const GAMES: usize = 46;

/// The fault that many games of a bot with this `mindset` reveal.
fn fault(mindset: Mindset, seed: u64) -> Option<BoardFault> {
    let mut random = SplitMix64::new(seed);
    let games = (0..GAMES).map(|number| game(mindset, Side::BOTH[number % 2], &mut random)).collect();
    BoardEvidence::of(&[trial("legal-20", Side::Black, TrialStatus::Fail, games)]).fault
}

#[test]
fn a_wrong_idea_of_captures_is_found_and_taken_for_nothing_else() {
    for belief in [Belief::NothingTurns, Belief::Removes] {
        assert_eq!(fault(Mindset::Believing(belief), 2), Some(BoardFault::Captures(belief)));
    }
    // The other models rarely lead to an illegal move, and a single refused move is not enough to detect them.
    for belief in Belief::OF_CAPTURES {
        let found = fault(Mindset::Believing(belief), 1);
        assert!(matches!(found, None | Some(BoardFault::Captures(_))), "{belief:?}: {found:?}");
    }
}

#[test]
fn every_turned_board_is_found_with_the_way_in_which_it_is_turned() {
    for belief in Belief::of_turned_boards() {
        assert_eq!(fault(Mindset::Believing(belief), 3), Some(BoardFault::Turned(belief)));
    }
}

/// The bot has a second fault, so no board explains all of its moves.
#[test]
fn a_turned_board_with_another_fault_is_not_taken_for_ignorance_of_the_rules() {
    for belief in Belief::of_turned_boards() {
        for seed in 0..3 {
            let found = fault(Mindset::BelievingMostly(belief), seed);
            assert!(!matches!(found, Some(BoardFault::TriesPoints { .. })), "{belief:?}: {found:?}");
        }
    }
}

#[test]
fn a_bot_that_captures_first_is_distinguished_from_one_that_ignores_liberties() {
    for seed in 0..3 {
        assert_eq!(fault(Mindset::GoSuicide, seed), Some(BoardFault::CapturesFirst));
        assert_eq!(fault(Mindset::AnyEmpty, seed), Some(BoardFault::TriesPoints { occupied: false }));
        assert_eq!(fault(Mindset::AnyPoint, seed), Some(BoardFault::TriesPoints { occupied: true }));
    }
}

/// The number of checks, out of 40, in which a bot with this `mindset` shows `fault`.
fn shown(mindset: Mindset, fault: BoardFault) -> usize {
    (0..40).filter(|&seed| self::fault(mindset, 1000 + seed) == Some(fault)).count()
}

#[test]
fn as_many_refused_moves_as_expected_are_distinguished_from_a_third() {
    let (first, tries) = (BoardFault::CapturesFirst, BoardFault::TriesPoints { occupied: false });
    for (mindset, fault) in [(Mindset::GoSuicide, first), (Mindset::AnyEmpty, tries)] {
        let shown = shown(mindset, fault);
        assert!(shown >= 39, "{mindset:?}: {shown} of 40");
    }
    // At most one in 100 is expected, so the probability of more than 3 in 40 is below one in a thousand.
    for (mindset, fault) in [(Mindset::GoSuicideAtTimes, first), (Mindset::EmptyAtTimes, tries)] {
        let shown = shown(mindset, fault);
        assert!(shown <= 3, "{mindset:?}: {shown} of 40");
    }
}

#[test]
fn bots_that_know_the_rules_have_no_fault_even_if_they_pass_by_choice() {
    for seed in 0..4 {
        assert_eq!(fault(Mindset::True, seed), None);
        assert_eq!(fault(Mindset::Passing, seed), None);
    }
}

#[test]
fn a_refused_move_alone_shows_no_wrong_board() {
    let mut random = SplitMix64::new(5);
    for mindset in [Mindset::Believing(Belief::NothingTurns), Mindset::Believing(Belief::of_turned_boards()[0])] {
        let mut one = game(mindset, Side::Black, &mut random);
        one.refusals.truncate(1);
        one.plies.truncate(one.refusals.first().map_or(0, |refusal| refusal.ply));
        let evidence = BoardEvidence::of(&[trial("plain", Side::Black, TrialStatus::Fail, vec![one])]);
        assert!(!matches!(evidence.fault, Some(BoardFault::Captures(_) | BoardFault::Turned(_))), "{evidence:?}");
    }
}

#[test]
fn hostile_refused_lines_are_not_decisions() {
    let mut one = facts(Side::Black);
    for text in ["\u{1b}[31m", "1 zz", "", &"1 c3 ".repeat(1 << 18)] {
        one.refusals.push(Refusal {
            ply: 0,
            text: text.into(),
            why: "x".into(),
            kind: TryKind::Illegal,
            forged: false,
        });
    }
    assert_eq!(decisions(&[trial("plain", Side::Black, TrialStatus::Fail, vec![one])]).len(), 1);
}

#[test]
fn games_by_other_rules_are_not_decisions() {
    let mut one = game(Mindset::True, Side::Black, &mut SplitMix64::new(7));
    let number =
        |one: &BoutFacts| decisions(&[trial("plain", Side::Black, TrialStatus::Fail, vec![one.clone()])]).len();
    assert!(number(&one) > 1);
    for ruleset in ["othello", "seegover", "go-9"] {
        one.ruleset = ruleset.parse().unwrap();
        assert_eq!(number(&one), 0, "{ruleset}");
    }
}
