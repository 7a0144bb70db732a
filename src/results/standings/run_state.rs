//! The state of a run, without its games: missing games, the progress of its sequential test, and the result according
//! to its format.

use crate::results::format_result::FormatResult;
use crate::tournament::sprt::SprtProgress;

/// The state of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunState {
    /// The scheduled games without a result.
    pub missing: MissingGames,
    /// The sequential test, if the run has one.
    pub test: Option<Test>,
    /// The result according to the tournament's own format, if the format produces one.
    pub result: Option<FormatResult>,
}

impl RunState {
    /// Returns the last round whose games count; `None` if all rounds count.
    pub fn last_round(&self) -> Option<u32> {
        self.test.as_ref().and_then(|test| test.progress.last_round())
    }
}

/// A sequential test of two players.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The player whose strength is tested.
    pub player: String,
    /// The opponent of this player.
    pub opponent: String,
    /// The progress of the test.
    pub progress: SprtProgress,
}

/// The number of missing games, and a list of the first ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingGames {
    games: u64,
    void: u64,
    listed: Vec<MissingGame>,
}

/// A game without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingGame {
    /// The game's id.
    pub id: String,
    /// Why the game is void; `None` if it has not been played.
    pub void: Option<String>,
}

impl MissingGames {
    /// The maximum number of unplayed games in the list. The number of void games in the list has the same limit.
    const LISTED: usize = 10;

    /// Adds a missing game.
    pub fn add(&mut self, id: &str, void: Option<String>) {
        self.games += 1;
        self.void += u64::from(void.is_some());
        let alike = self.listed.iter().filter(|game| game.void.is_some() == void.is_some()).count();
        if alike < Self::LISTED {
            self.listed.push(MissingGame { id: id.to_owned(), void });
        }
    }

    /// Whether the list of unplayed games is full.
    pub fn has_listed_all(&self) -> bool {
        self.listed.iter().filter(|game| game.void.is_none()).count() == Self::LISTED
    }

    /// Counts `games` unplayed games without listing any of them.
    pub const fn count(&mut self, games: u64) {
        self.games += games;
    }

    /// How many games are missing.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// How many of the missing games have not been played. The others are void, and stay void unless they are played
    /// again.
    pub const fn unplayed(&self) -> u64 {
        self.games - self.void
    }

    /// The first missing games, both void and unplayed.
    pub fn listed(&self) -> &[MissingGame] {
        &self.listed
    }
}
