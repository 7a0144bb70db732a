//! A bot's decisions in its games, with the boards that the bot may have had in mind.

use super::wrong_boards::{Belief, BelievedBoard, would_capture};
use crate::drill::readiness::Trial;
use crate::drill::script::{BoutFacts, Refusal};
use crate::game::gothello::{Game, Point, Points, points};
use crate::game::{Move, Ruleset};
use crate::referee::record::TryKind;
use crate::referee::wire::Action;

/// One decision of a bot in a game.
#[derive(Clone, Debug)]
pub(super) struct BoardDecision {
    /// The index of the trial.
    pub(super) trial: usize,
    /// The index of the game in the trial.
    pub(super) bout: usize,
    /// The number of plies before the decision.
    pub(super) ply: usize,
    pub(super) decided: DecidedMove,
    /// The line as the bot sent it, and the referee's reason if the line was refused.
    line: (String, Option<String>),
    /// Whether no move was refused earlier in the game.
    pub(super) is_clean: bool,
    /// Whether the opponent has just passed.
    pub(super) answers_pass: bool,
    /// The legal points.
    pub(super) legal: Points,
    /// The bot's stones minus its opponent's.
    pub(super) lead: i32,
    game: Game,
    /// The points that are legal under each belief.
    by_belief: Vec<(Belief, Points)>,
}

/// A bot's decision. Each set of points has exactly one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DecidedMove {
    Placed(Points),
    Refused(Points),
    Pass,
}

impl BoardDecision {
    /// The points that are legal under `belief`.
    pub(super) fn legal_by(&self, belief: Belief) -> Points {
        self.by_belief.iter().find(|(other, _)| *other == belief).map_or(self.legal, |(_, legal)| *legal)
    }

    /// The points without a stone.
    pub(super) fn empty(&self) -> Points {
        self.game.board().empty()
    }

    /// The empty points that are illegal, although a stone there would capture.
    pub(super) fn capturing(&self) -> Points {
        let (board, side) = (self.game.board(), self.game.side());
        let captures = |point: &Point| would_capture(board.stones(side), board.stones(side.opponent()), point.bit());
        points(board.empty() & !self.legal).filter(captures).fold(0, |set, point| set | point.bit())
    }

    /// Whether this decision is a refused move on an empty point that would capture if it were allowed.
    pub(super) fn would_capture(&self) -> bool {
        let DecidedMove::Refused(point) = self.decided else { return false };
        self.capturing() & point != 0
    }

    /// The bot's line, the reason why it was refused, and the board.
    pub(super) fn evidence(&self) -> Vec<String> {
        let (line, why) = &self.line;
        let side = self.game.side();
        let mut lines = vec![format!("bot: {line}")];
        lines.extend(why.as_ref().map(|why| format!("arena: 291 {why}")));
        lines.push(format!(
            "the board, rank 5 to 1, {side} to move: {}",
            self.game.board().to_string().replace('\n', " ")
        ));
        lines
    }
}

/// All decisions of the bot in its games of Gothello.
pub(super) fn decisions(trials: &[Trial]) -> Vec<BoardDecision> {
    let games = trials
        .iter()
        .enumerate()
        .flat_map(|(trial, one)| one.games.iter().enumerate().map(move |(bout, game)| ((trial, bout), game)));
    let games = games.filter(|(_, game)| game.ruleset == Ruleset::Gothello && !game.is_void());
    games.flat_map(|(index, game)| of_game(index, game)).collect()
}

fn of_game((trial, bout): (usize, usize), facts: &BoutFacts) -> Vec<BoardDecision> {
    let mut boards: Vec<(Belief, BelievedBoard)> =
        Belief::all().into_iter().map(|belief| (belief, BelievedBoard::default())).collect();
    let mut game = Game::default();
    let mut found = Vec::new();
    let mut is_clean = true;
    for ply in 0..=facts.plies.len() {
        let played = facts.plies.get(ply);
        let is_own = game.side() == facts.side && !game.is_over();
        if is_own {
            let decision = |decided, line, is_clean| BoardDecision {
                trial,
                bout,
                ply,
                decided,
                line,
                is_clean,
                answers_pass: game.passed(),
                legal: game.placements(),
                lead: facts.side.side().own(game.board().margin()),
                game,
                by_belief: boards.iter().map(|(belief, board)| (*belief, belief.legal(*board))).collect(),
            };
            for refusal in facts.refusals.iter().filter(|refusal| refusal.ply == ply) {
                if let Some(point) = illegal_point(refusal) {
                    found.push(decision(
                        DecidedMove::Refused(point.bit()),
                        (refusal.text.clone(), Some(refusal.why.clone())),
                        is_clean,
                    ));
                }
                is_clean = false;
            }
            if let Some(played) = played {
                let decided = Point::parse(played.played.as_str())
                    .map_or(DecidedMove::Pass, |point| DecidedMove::Placed(point.bit()));
                found.push(decision(decided, (played.played.to_string(), None), is_clean));
            }
        }
        let Some(played) = played else { break };
        if let Some(point) = Point::parse(played.played.as_str()) {
            for (belief, board) in &mut boards {
                *board = belief.place(*board, point, is_own);
            }
        }
        if !is_legal(&game, played.played) {
            break;
        }
        game = game.after(played.played);
    }
    found
}

/// Whether `played` is legal in `game`. Every accepted move is legal.
fn is_legal(game: &Game, played: Move) -> bool {
    Point::parse(played.as_str()).map_or(!game.is_over(), |point| game.placements() & point.bit() != 0)
}

/// The point of a move that was illegal under the true rules, and not just badly formatted.
fn illegal_point(refusal: &Refusal) -> Option<Point> {
    let Ok(Action::Numbered { text, .. }) = refusal.text.parse() else { return None };
    Point::parse(&text).filter(|_| refusal.kind == TryKind::Illegal && !refusal.forged)
}
