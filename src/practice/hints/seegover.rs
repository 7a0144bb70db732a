//! The values of turns in Seegover, from its table or, in the drop phase, from a search that ends in the table.

use std::sync::Arc;

use super::MoveFindings;
use crate::exact::phase::Phase;
use crate::exact::seegover::{Expert, Value};
use crate::exact::tablebase::{build_command, read_named};
use crate::game::seegover::{Game, Options};
use crate::game::{Move, Outcome};
use crate::practice::findings::{MoveFinding, MoveValue};
use crate::results::analysis::{AnalyzedMove, MoveQuality};

/// The maximum number of turns in a better line.
const LONGEST_LINE: usize = 20;

/// What the thread knows about Seegover.
#[derive(Debug)]
pub(super) struct SeegoverKnowledge {
    /// Always present, except during a call to [`Expert::until`].
    expert: Option<Expert>,
}

impl SeegoverKnowledge {
    /// Reads the table from the cache.
    ///
    /// # Errors
    /// Returns the reason why there is no table, as printable text.
    pub(super) fn new(options: Options) -> Result<Self, String> {
        let rules = options.move_rules();
        let (_, table) = read_named(None, Some(rules))
            .map_err(|lack| format!("{lack}; `{}` builds it, in about a minute", build_command(rules)))?;
        Ok(Self { expert: Some(Expert::new(Arc::new(table), options.drop)) })
    }

    /// The expert, whose searches end when the search for `findings` must end.
    fn expert(&mut self, findings: &MoveFindings) -> Option<&mut Expert> {
        self.expert = self.expert.take().map(|expert| expert.until(Arc::clone(&findings.stop)));
        self.expert.as_mut()
    }

    /// Finds what each turn is worth.
    pub(super) fn moves(&mut self, game: &Game, findings: &MoveFindings) {
        let Some(expert) = self.expert(findings) else { return };
        for play in game.plays() {
            if findings.is_stopped() {
                return;
            }
            if let Some(value) = value(expert, &game.after(play)) {
                let plies = value.plies.map(|plies| plies + 1);
                findings.tell(MoveFinding::Value(play.to_move(), MoveValue { plies, ..value }));
            }
        }
    }

    /// Finds what `played` gave away, given the positions before and after it.
    pub(super) fn loss(&mut self, [before, after]: [&Game; 2], played: Move, findings: &MoveFindings) {
        let Some(expert) = self.expert(findings) else { return };
        let values = [before, after].map(|game| value(expert, game));
        let phase = if before.board().is_full() { Phase::Middle } else { Phase::Opening };
        let mut judged = AnalyzedMove {
            side: before.side(),
            played,
            empty: before.board().empty().count_ones(),
            phase,
            given: false,
            before: values[0].map(|value| value.outcome),
            after: values[1].map(|value| value.outcome),
            depths: values.map(|value| value?.plies),
            better: None,
        };
        findings.tell(MoveFinding::Judged(judged));
        if judged.quality() != Some(MoveQuality::Blunder) {
            return;
        }
        let line = best_line(expert, before, findings);
        judged.better = line.first().copied();
        findings.tell(MoveFinding::Judged(judged));
        findings.tell(MoveFinding::BetterLine(line));
    }
}

/// The value of a position, if it has been found.
fn value(expert: &mut Expert, game: &Game) -> Option<MoveValue> {
    let decided = |winner| MoveValue::from(Outcome { winner, margin: None });
    if !game.board().is_full() {
        return expert.winner(game).ok().map(decided);
    }
    let value = expert.value(game).ok()?;
    if expert.is_certain(game, value) {
        return Some(MoveValue { plies: value.depth, ..decided(value.winner) });
    }
    expert.winner_in_history(game).map(decided)
}

/// Turns that keep the value: up to the end of the game or, in the drop phase, only the first turn.
fn best_line(expert: &mut Expert, before: &Game, findings: &MoveFindings) -> Vec<Move> {
    let (mut line, mut game) = (Vec::new(), before.clone());
    while line.len() < LONGEST_LINE && game.ending().is_none() && !findings.is_stopped() {
        let Some(now) = value(expert, &game) else { break };
        let kept = Value { winner: now.outcome.winner, depth: now.plies };
        let Some(play) = expert.best(&game, kept).ok().and_then(|best| best.first().copied()) else { break };
        line.push(play.to_move());
        if !game.board().is_full() {
            break;
        }
        game = game.after(play);
    }
    line
}
