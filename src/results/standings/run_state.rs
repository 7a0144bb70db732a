//! What is known of a run besides its games: which are missing, and how far its test has come.

use crate::tournament::sprt::Progress;

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunState {
    /// The games that are called for and have no result.
    pub missing: Missing,
    /// Its sequential test, if it is one.
    pub test: Option<Test>,
}

/// A sequential test of two players.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The player that it is about.
    pub player: String,
    /// The one that it plays against.
    pub opponent: String,
    /// How far it has come.
    pub progress: Progress,
}

/// How many games are missing, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing {
    games: u64,
    listed: Vec<MissingGame>,
}

/// A game without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingGame {
    /// Its id.
    pub id: String,
    /// Why it came to nothing, if it is void; else it has not been played.
    pub void: Option<String>,
}

impl Missing {
    /// So many are listed of the games that have not been played, and so many of the void ones.
    const LISTED: usize = 10;

    /// Adds a game.
    pub fn add(&mut self, id: &str, void: Option<String>) {
        self.games += 1;
        let alike = self.listed.iter().filter(|game| game.void.is_some() == void.is_some()).count();
        if alike < Self::LISTED {
            self.listed.push(MissingGame { id: id.to_owned(), void });
        }
    }

    /// Whether no further game that has not been played will be listed.
    pub fn has_listed_all(&self) -> bool {
        self.listed.iter().filter(|game| game.void.is_none()).count() == Self::LISTED
    }

    /// Adds `games` games that have not been played, none of which will be listed.
    pub const fn count(&mut self, games: u64) {
        self.games += games;
    }

    /// How many there are.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The first of them, void ones and others.
    pub fn listed(&self) -> &[MissingGame] {
        &self.listed
    }
}
