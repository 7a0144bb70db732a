//! A game between two sides, each of which is a person or an opponent.

use thiserror::Error;

use crate::base::sanitise::sanitised;
use crate::game::{BySide, IllegalMove, Move, Outcome, Side};
use crate::practice::board_game::BoardGame;
use crate::referee::record::{GameRecord, Ply, check};
use crate::referee::result::{GameResult, Void};
use crate::referee::time_control::TimeControl;
use crate::results::replay::{Frames, Style, board};

/// The name of the game in its log.
const EVENT: &str = "practice";

/// Why a log of a game that was left early has no result.
const LEFT: &str = "the game was left before its end";

/// The maximum number of characters of a refused move that are repeated.
const REPEATED: usize = 24;

/// The reason why a move is refused, as a person reads it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{typed}: {why}{}", .example.map(|example| format!(" (a legal move is {example})")).unwrap_or_default())]
pub(crate) struct RefusedMove {
    /// The text of the move, which is printable.
    typed: String,
    why: IllegalMove,
    /// A legal move, if the text was not understood.
    example: Option<Move>,
}

/// A game of two seats from its start, or from any of its positions.
///
/// Invariant: `games` has one position more than there are plies, and the game is over at most in the last of them.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    players: BySide<String>,
    /// The first position, and the one after each ply.
    games: Vec<BoardGame>,
    plies: Vec<Ply>,
    /// How many of the plies were made before the session began.
    given: usize,
    /// Whether the first position is that of the rule set.
    is_from_start: bool,
    resigned: Option<Side>,
}

impl Session {
    /// A game that begins in `start`, which must have two seats and must not be over. `is_from_start` tells whether this is the
    /// position in which all games of its rule set begin, so that the game can be logged.
    pub(crate) fn new(start: BoardGame, is_from_start: bool, players: BySide<String>) -> Self {
        debug_assert_eq!(start.position().seats(), 2);
        Self { players, games: vec![start], plies: Vec::new(), given: 0, is_from_start, resigned: None }
    }

    /// The game with all plies so far counted as given, so that they cannot be taken back.
    #[must_use]
    pub(crate) fn with_plies_given(self) -> Self {
        Self { given: self.plies.len(), ..self }
    }

    /// The present position.
    pub(crate) fn game(&self) -> &BoardGame {
        self.games.last().expect("there is a first position")
    }

    /// The players' names.
    pub(crate) const fn players(&self) -> &BySide<String> {
        &self.players
    }

    /// The side whose turn it is; unspecified once the game is over.
    pub(crate) fn to_move(&self) -> Side {
        self.game().position().to_move()
    }

    /// The moves so far, including those that were given.
    pub(crate) fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The moves that were made before the session began.
    pub(crate) fn given(&self) -> &[Ply] {
        &self.plies[..self.given]
    }

    /// The result, once the game is over.
    pub(crate) fn result(&self) -> Option<GameResult> {
        let position = self.game().position();
        let by_rules = || position.outcome().map(|end| GameResult::played(end).because(position.reason()));
        self.resigned.map(GameResult::resigned).or_else(by_rules)
    }

    /// The outcome by the rules, once they have ended the game.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.game().position().outcome()
    }

    /// Plays the move that `text` names for the side to move.
    ///
    /// # Errors
    /// Fails if the rules forbid the move, or if the game is over. The game is then unchanged.
    pub(crate) fn play(&mut self, text: &str) -> Result<Move, RefusedMove> {
        let refused = |why, example| {
            let typed = sanitised(&text.chars().take(REPEATED).collect::<String>());
            RefusedMove { typed, why, example }
        };
        if self.resigned.is_some() {
            return Err(refused(IllegalMove::GameOver, None));
        }
        let mut game = self.game().clone();
        let mover = game.position().seat_to_move();
        match game.position_mut().play(text) {
            Ok(played) => {
                self.plies.push(Ply::untimed(mover, played));
                self.games.push(game);
                Ok(played)
            }
            Err(why @ IllegalMove::NotUnderstood) => {
                Err(refused(why, self.game().position().legal_moves().first().copied()))
            }
            Err(why) => Err(refused(why, None)),
        }
    }

    /// The index of the last ply of `side` that was not given.
    pub(crate) fn last_of(&self, side: Side) -> Option<usize> {
        self.plies.iter().rposition(|ply| ply.side() == side).filter(|&index| index >= self.given)
    }

    /// Takes back the last ply of `side`, and what came after it. A resignation is taken back first. Returns how many plies were
    /// taken back; `None` if there is nothing to take back.
    pub(crate) fn take_back(&mut self, side: Side) -> Option<usize> {
        if self.resigned.take().is_some() {
            return Some(0);
        }
        let index = self.last_of(side)?;
        let taken = self.plies.len() - index;
        self.plies.truncate(index);
        self.games.truncate(index + 1);
        Some(taken)
    }

    /// Lets the side to move resign. Does nothing if the game is over.
    pub(crate) fn resign(&mut self) {
        if self.result().is_none() {
            self.resigned = Some(self.to_move());
        }
    }

    /// The position before the ply with this `index`, the ply, and the position after it.
    ///
    /// # Panics
    /// Panics if there is no such ply.
    pub(crate) fn around(&self, index: usize) -> (&BoardGame, &Ply, &BoardGame) {
        (&self.games[index], &self.plies[index], &self.games[index + 1])
    }

    /// The record of the game so far, with the result or, before the end, without one. `None` if the game began on a board of
    /// its own, which logs cannot describe.
    pub(crate) fn record(&self) -> Option<GameRecord> {
        let result = self.result().ok_or_else(|| Void { reason: LEFT.to_owned() });
        self.is_from_start.then(|| GameRecord {
            event: Some(EVENT.to_owned()),
            time_control: Some(TimeControl::Unlimited),
            opening_plies: self.given,
            plies: self.plies.clone(),
            ..GameRecord::of(self.game().ruleset(), self.players.clone(), result)
        })
    }

    /// The last move and the board after it, as `replay` shows them.
    pub(crate) fn shown(&self, style: Style) -> String {
        if let Some(record) = self.record()
            && let Ok(game) = check(&record)
            && let Some(frame) = Frames::new(&game).at(self.plies.len())
        {
            return frame.render(style);
        }
        let [now, before] = [self.plies.len(), self.plies.len().saturating_sub(1)]
            .map(|index| self.games[index].position().to_string());
        let last = self.plies.last();
        let heading = last.map_or_else(
            || "start".to_owned(),
            |ply| {
                let name = sanitised(&self.players[ply.side()]);
                format!("ply {}: {} by {name} ({})", self.plies.len(), ply.played, ply.side())
            },
        );
        format!("{heading}\n\n{}", board(&now, &before, last.map(|ply| ply.played), style))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::game::{Ruleset, gothello};

    fn session(ruleset: Ruleset) -> Session {
        let players = BySide { black: "person".to_owned(), white: "bot".to_owned() };
        Session::new(BoardGame::start(ruleset), true, players)
    }

    fn two_seats() -> impl Iterator<Item = Ruleset> {
        Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2)
    }

    fn random_move(session: &Session, random: &mut SplitMix64) -> Move {
        let legal = session.game().position().legal_moves();
        let placing: Vec<Move> = legal.iter().copied().filter(|played| !played.is_pass()).collect();
        let choice = if placing.is_empty() { &legal } else { &placing };
        choice[usize::try_from(random.below(choice.len() as u64)).expect("small")]
    }

    #[test]
    fn a_game_of_every_rule_set_is_a_log_that_checks_at_each_of_its_plies() {
        for ruleset in two_seats() {
            let (mut session, mut random) = (session(ruleset), SplitMix64::new(7));
            for ply in 0..400 {
                if session.result().is_some() {
                    break;
                }
                let played = random_move(&session, &mut random);
                assert_eq!(session.play(played.as_str()), Ok(played), "{ruleset}");
                if ply % 40 == 3 || session.result().is_some() {
                    let text = session.record().expect("a game from its start").to_string();
                    let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{ruleset}: {error}"));
                    assert!(check(&record).is_ok(), "{ruleset}: {text}");
                }
            }
        }
    }

    #[test]
    fn taking_back_restores_the_position_before_the_own_move() {
        for ruleset in two_seats() {
            let (mut session, mut random) = (session(ruleset), SplitMix64::new(3));
            for _ in 0..12 {
                let played = random_move(&session, &mut random);
                session.play(played.as_str()).expect("a legal move");
            }
            let side = session.to_move();
            let index = session.last_of(side).expect("its own move");
            let before = session.around(index).0.position().to_string();
            assert_eq!(session.take_back(side), Some(12 - index), "{ruleset}");
            let restored = session.game().position();
            assert_eq!((restored.to_string(), restored.to_move(), session.plies().len()), (before, side, index));
        }
    }

    #[test]
    fn what_was_given_cannot_be_taken_back() {
        let mut session = session(Ruleset::Gothello);
        session.play("c3").expect("legal");
        session.play("b2").expect("legal");
        let mut session = session.with_plies_given();
        assert_eq!(session.take_back(Side::Black), None);
        session.play("d4").expect("legal");
        assert_eq!((session.take_back(Side::Black), session.plies().len()), (Some(1), 2));
        assert_eq!(session.record().map(|record| record.opening_plies), Some(2));
    }

    #[test]
    fn a_refusal_names_the_rule_and_changes_nothing() {
        let mut session = session(Ruleset::Gothello);
        session.play("c3").expect("legal");
        for (typed, said) in [
            ("c3", "c3: the point is occupied"),
            ("x9", "x9: not a move of this game (a legal move is a1)"),
            ("\u{1b}[2J", "\\u{1b}[2J: not a move of this game (a legal move is a1)"),
        ] {
            let refused = session.play(typed).expect_err("illegal").to_string();
            assert_eq!((refused.as_str(), session.plies().len()), (said, 1));
        }
        assert!(session.play(&"a".repeat(100_000)).expect_err("illegal").to_string().len() < 100);
    }

    #[test]
    fn a_resignation_is_the_result_and_can_be_taken_back() {
        let mut session = session(Ruleset::Gothello);
        session.play("c3").expect("legal");
        session.resign();
        assert_eq!(session.result(), Some(GameResult::resigned(Side::White)));
        assert!(check(&session.record().expect("a log")).is_ok());
        assert!(session.play("b2").is_err());
        assert_eq!((session.take_back(Side::White), session.result()), (Some(0), None));
    }

    #[test]
    fn a_board_of_its_own_has_no_log() {
        let board: gothello::Board = ".bbw. .wwbb w.bww .bbbw bww..".parse().expect("a board");
        let start = BoardGame::Gothello(gothello::Game::from_board(board, Side::White));
        let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
        let mut session = Session::new(start, false, players);
        assert!(session.shown(Style::PLAIN).starts_with("start\n\n5 . b b w .\n"), "{}", session.shown(Style::PLAIN));
        session.play("pass").expect("legal");
        assert!(session.shown(Style::PLAIN).starts_with("ply 1: pass by b (white)\n"));
        assert_eq!(session.record(), None);
    }
}
