//! A game between two sides, each of which is a person or an opponent.

#[cfg(test)]
mod tests;

use std::time::Duration;

use thiserror::Error;

use crate::base::sanitise::sanitised;
use crate::game::{BySide, IllegalMove, Move, Outcome, Side};
use crate::practice::board_game::BoardGame;
use crate::referee::clock::Clock;
use crate::referee::record::{GameRecord, Ply, Tries, Unfinished, check};
use crate::referee::result::{GameResult, Termination, Void};
use crate::referee::time_control::TimeControl;
use crate::referee::times::whole_micros;
use crate::results::replay::{Frames, Style, board};

/// The name of the game in its log.
const EVENT: &str = "practice";

/// Why the log of an abandoned game has no result.
const LEFT: &str = "the game was abandoned";

/// How much of a refused move a message quotes, in characters.
const QUOTED: usize = 24;

/// The reason why a move is refused, worded for a person.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{typed}: {why}{}", .example.map(|example| format!(" (for example, {example} is legal)")).unwrap_or_default())]
pub(crate) struct RefusedMove {
    /// The text of the move, which is printable.
    typed: String,
    why: IllegalMove,
    /// A legal move, if the text was not understood.
    example: Option<Move>,
}

/// A game with two seats that begins at the usual start or in any other position.
///
/// Invariant: `games` is longer than `plies` by one, and the game is not over in any position but the last.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    players: BySide<String>,
    /// The initial position, and the position after each ply.
    games: Vec<BoardGame>,
    plies: Vec<Ply>,
    /// How many of the plies were made before the session began.
    given: usize,
    /// Whether the first position is the one in which all games of the rule set begin.
    is_from_start: bool,
    /// The clocks. Their times are computed from the plies, so taking back a ply also restores its time.
    control: TimeControl,
    /// How the game ended, if it was not ended by the rules.
    decided: Option<Result<GameResult, Void>>,
    /// The turn in which a flag fell.
    unfinished: Option<Unfinished>,
    /// The record made by the game's referee.
    concluded: Option<Box<GameRecord>>,
}

impl Session {
    /// A game that begins in `start`, which must have two seats and must not be over. `is_from_start` tells whether
    /// this is the position in which all games of its rule set begin, so that the game can be logged.
    pub(crate) fn new(start: BoardGame, is_from_start: bool, players: BySide<String>) -> Self {
        debug_assert_eq!(start.position().seats(), 2);
        Self {
            players,
            games: vec![start],
            plies: Vec::new(),
            given: 0,
            is_from_start,
            control: TimeControl::Unlimited,
            decided: None,
            unfinished: None,
            concluded: None,
        }
    }

    /// The game with these clocks, which begin to run now.
    #[must_use]
    pub(crate) fn with_clocks(self, control: TimeControl) -> Self {
        Self { control, ..self }
    }

    /// The game with all plies so far counted as made before the session, so that they cannot be taken back.
    #[must_use]
    pub(crate) fn with_plies_given(self) -> Self {
        Self { given: self.plies.len(), ..self }
    }

    /// The current position.
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

    /// The moves so far, including those made before the session began.
    pub(crate) fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// How many of the plies were made before the session began.
    pub(crate) const fn given(&self) -> usize {
        self.given
    }

    /// The result, once the game has one.
    pub(crate) fn result(&self) -> Option<GameResult> {
        self.end()?.ok()
    }

    /// How the game ended, once it is over: with a result, or without one.
    pub(crate) fn end(&self) -> Option<Result<GameResult, Void>> {
        let position = self.game().position();
        let by_rules = || position.outcome().map(|end| Ok(GameResult::played(end).because(position.reason())));
        self.decided.clone().or_else(by_rules)
    }

    /// The outcome by the rules, once they have ended the game.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        self.game().position().outcome()
    }

    /// Plays the move that `text` names for the side to move, without a time.
    ///
    /// # Errors
    /// Fails if the rules forbid the move, or if the game is over. The game is then unchanged.
    pub(crate) fn play(&mut self, text: &str) -> Result<Move, RefusedMove> {
        self.play_after(text, Duration::ZERO)
    }

    /// Plays the move that `text` names for the side to move, which has thought for `elapsed`. If there are clocks and
    /// the flag has fallen by then, the side loses instead.
    ///
    /// # Errors
    /// Fails if the rules forbid the move, or if the game is over. The game is then unchanged.
    pub(crate) fn play_after(&mut self, text: &str, elapsed: Duration) -> Result<Move, RefusedMove> {
        let refused = |why, example| {
            let typed = sanitised(&text.chars().take(QUOTED).collect::<String>());
            RefusedMove { typed, why, example }
        };
        if self.tick(elapsed) || self.decided.is_some() {
            return Err(refused(IllegalMove::GameOver, None));
        }
        let mut game = self.game().clone();
        let mover = game.position().seat_to_move();
        match game.position_mut().play(text) {
            Ok(played) => {
                let mut clock = self.clock(mover.side());
                let mut ply = Ply::untimed(mover, played);
                if let Ok(Some(left)) = clock.press(elapsed) {
                    (ply.elapsed, ply.left) = (Some(whole_micros(elapsed)), Some(left));
                }
                self.plies.push(ply);
                self.games.push(game);
                Ok(played)
            }
            Err(why @ IllegalMove::NotUnderstood) => {
                Err(refused(why, self.game().position().legal_moves().first().copied()))
            }
            Err(why) => Err(refused(why, None)),
        }
    }

    /// The clock of `side` at the beginning of its next turn.
    pub(crate) fn clock(&self, side: Side) -> Clock {
        let mut clock = Clock::new(self.control.of(side));
        for ply in self.plies.iter().skip(self.given).filter(|ply| ply.side() == side) {
            // No move is made once a flag has fallen.
            let _ = clock.press(ply.elapsed.unwrap_or_default());
        }
        clock
    }

    /// Ends the game if the flag of the side to move has fallen `elapsed` after its turn began. Returns whether the
    /// flag has fallen.
    pub(crate) fn tick(&mut self, elapsed: Duration) -> bool {
        let side = self.to_move();
        let clock = self.clock(side);
        let (Some((control, left)), None) = (clock.control().zip(clock.left()), self.end()) else { return false };
        if whole_micros(elapsed) <= left {
            return false;
        }
        let number = self.plies.iter().filter(|ply| ply.side() == side).count() + 1;
        let reason = format!("used {}", control.overrun(left, u32::try_from(number).unwrap_or(u32::MAX)));
        self.decided = Some(Ok(GameResult::forfeit(side, Termination::Time, reason)));
        let elapsed = Some(whole_micros(elapsed));
        self.unfinished = Some(Unfinished { seat: side.into(), elapsed, tries: Tries::default() });
        true
    }

    /// The index of the last ply that `side` has made since the session began.
    pub(crate) fn last_of(&self, side: Side) -> Option<usize> {
        self.plies.iter().rposition(|ply| ply.side() == side).filter(|&index| index >= self.given)
    }

    /// Takes back the last ply of `side`, and everything after it. If something other than the rules has ended the
    /// game, such as a resignation, takes back only this end. Returns how many plies were taken back; `None` if there
    /// is nothing to take back.
    pub(crate) fn take_back(&mut self, side: Side) -> Option<usize> {
        if self.decided.take().is_some() {
            (self.unfinished, self.concluded) = (None, None);
            return Some(0);
        }
        let index = self.last_of(side)?;
        let taken = self.plies.len() - index;
        self.plies.truncate(index);
        self.games.truncate(index + 1);
        Some(taken)
    }

    /// Makes the side to move resign. Does nothing if the game is over.
    pub(crate) fn resign(&mut self) {
        self.decide(Ok(GameResult::resigned(self.to_move())));
    }

    /// Ends the game with `end`. Does nothing if the game is over.
    pub(crate) fn decide(&mut self, end: Result<GameResult, Void>) {
        if self.end().is_none() {
            self.decided = Some(end);
        }
    }

    /// Ends the game as its referee's `record` describes it. From now on, the moves are those in the record.
    pub(crate) fn conclude(&mut self, record: GameRecord) {
        let mut games = vec![self.games[0].clone()];
        for ply in &record.plies {
            let mut game = games[games.len() - 1].clone();
            // A referee accepts only legal moves.
            if game.position_mut().play(ply.played.as_str()).is_err() {
                break;
            }
            games.push(game);
        }
        self.plies = record.plies[..games.len() - 1].to_vec();
        self.games = games;
        self.decided = Some(record.result.clone());
        self.concluded = Some(Box::new(record));
    }

    /// Sets the name of the player on `side`.
    pub(crate) fn name(&mut self, side: Side, name: &str) {
        name.clone_into(&mut self.players[side]);
    }

    /// The position before the ply with this `index`, the ply, and the position after it.
    ///
    /// # Panics
    /// Panics if there is no such ply.
    pub(crate) fn around(&self, index: usize) -> (&BoardGame, &Ply, &BoardGame) {
        (&self.games[index], &self.plies[index], &self.games[index + 1])
    }

    /// The record of the game so far, with the result if the game is over. `None` if the game did not begin in the
    /// position in which all games of its rule set begin, because logs cannot describe other boards.
    pub(crate) fn record(&self) -> Option<GameRecord> {
        if let Some(record) = &self.concluded {
            return Some(GameRecord::clone(record));
        }
        let result = self.end().unwrap_or_else(|| Err(Void { reason: LEFT.to_owned() }));
        self.is_from_start.then(|| GameRecord {
            event: Some(EVENT.to_owned()),
            time_control: Some(self.control),
            opening_plies: self.given,
            plies: self.plies.clone(),
            unfinished: self.unfinished.clone(),
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
