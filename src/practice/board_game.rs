//! A position together with its rule set.

use crate::game::{Position, Ruleset, gothello, quantum, seegover};

/// A game at one of its positions. Unlike a [`Position`], it can be copied, and its rule set is known.
#[derive(Clone, Debug)]
pub(crate) enum BoardGame {
    /// Gothello.
    Gothello(gothello::Game),
    /// Seegover, with the history of the game.
    Seegover(Box<seegover::Game>),
    /// A game on squares, on points, or on both.
    Quantum(Box<quantum::Game>),
}

impl BoardGame {
    /// The position in which games of `ruleset` start.
    pub(crate) fn start(ruleset: Ruleset) -> Self {
        match ruleset {
            Ruleset::Gothello => Self::Gothello(gothello::Game::default()),
            Ruleset::Seegover(options) => Self::Seegover(Box::new(seegover::Game::new(options))),
            Ruleset::Quantum(rules) => Self::Quantum(Box::new(quantum::Game::new(rules))),
        }
    }

    /// The rule set of the game.
    pub(crate) fn ruleset(&self) -> Ruleset {
        match self {
            Self::Gothello(_) => Ruleset::Gothello,
            Self::Seegover(game) => Ruleset::Seegover(game.rules()),
            Self::Quantum(game) => Ruleset::Quantum(game.rules()),
        }
    }

    /// The position.
    pub(crate) fn position(&self) -> &dyn Position {
        match self {
            Self::Gothello(game) => game,
            Self::Seegover(game) => &**game,
            Self::Quantum(game) => &**game,
        }
    }

    /// The same position, borrowed mutably so that moves can be played in it.
    pub(crate) fn position_mut(&mut self) -> &mut dyn Position {
        match self {
            Self::Gothello(game) => game,
            Self::Seegover(game) => &mut **game,
            Self::Quantum(game) => &mut **game,
        }
    }
}
