//! How a player fares in a run.

use crate::record::GameRecord;
use crate::result::Termination;
use crate::rules::Side;

/// What became of a player's games.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    games: u64,
    /// Those that it forfeited without a move of its own.
    idle: u64,
    last: Option<Loss>,
}

/// A game that was forfeited without a move.
#[derive(Clone, Debug)]
struct Loss {
    game: String,
    side: Side,
    termination: Termination,
    reason: String,
    /// Whether the bot wrote anything to stderr.
    spoke: bool,
}

impl Fate {
    /// Adds a game of the player with `side`; `spoke` says whether its bot wrote anything to stderr.
    pub(super) fn add(&mut self, record: &GameRecord, side: Side, spoke: bool) {
        let Ok(result) = &record.result else { return };
        self.games += 1;
        let moved = (record.opening_plies..record.plies.len()).any(|index| GameRecord::side_of(index) == side);
        if result.fault().is_on(side) && !moved {
            self.idle += 1;
            self.last = Some(Loss {
                game: record.game.clone().unwrap_or_default(),
                side,
                termination: result.termination(),
                reason: result.reason().unwrap_or_default().to_owned(),
                spoke,
            });
        }
    }

    /// What to say of a player that lost every one of its games without a move, where there were several.
    pub(super) fn summary(&self) -> Option<String> {
        let Loss { game, side, termination, reason, spoke } = self.last.as_ref().filter(|_| self.idle == self.games)?;
        let look = match termination {
            Termination::NotStarted => "see its `command`, `dir` and `build`; `gothello-arena check` tries them".to_owned(),
            _ if *spoke => format!("what it said is in games/{game}.{side}.stderr"),
            _ => "it said nothing on stderr; `--isolation off` shows whether it lacks something in its confinement, which \
                  `dir` and `readable` give it"
                .to_owned(),
        };
        let games = self.games;
        (games > 1)
            .then(|| format!("lost all its {games} games of this run without a move ({termination}: {reason}): {look}"))
    }
}
