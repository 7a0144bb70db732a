//! Bots' outputs from attempts that do not count. The next attempt at the game replaces them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use super::OUTPUTS;
use crate::game::Seat;
use crate::run::results_dir::seat_word;

/// The ids of games that have files with bots' output, but no result.
#[derive(Debug, Default)]
pub(crate) struct LeftoverOutputs(HashSet<Box<str>>);

impl LeftoverOutputs {
    /// The leftovers in the directory `games`. `has_result` says which games will not be played again.
    ///
    /// # Errors
    /// Fails if the directory cannot be read.
    pub(crate) fn of(games: &Path, has_result: impl Fn(&str) -> bool) -> io::Result<Self> {
        let mut leftovers = Self::default();
        for entry in fs::read_dir(games)? {
            let name = entry?.file_name();
            if let Some(id) = name.to_str().and_then(game_of).filter(|id| !has_result(id)) {
                leftovers.insert(id);
            }
        }
        Ok(leftovers)
    }

    /// Adds the game `id`.
    pub(crate) fn insert(&mut self, id: &str) {
        self.0.insert(id.into());
    }

    /// Removes the game `id`. Returns whether it was in the set.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.0.remove(id)
    }
}

/// The game whose bots' output is in the file `name`; `None` if the file is not an output.
pub(crate) fn game_of(name: &str) -> Option<&str> {
    let whose = OUTPUTS.iter().find_map(|output| name.strip_suffix(output)?.strip_suffix('.'))?;
    let (game, word) = whose.rsplit_once('.')?;
    let is_word = |seats| Seat::all(seats).any(|seat| seat_word(seat, seats) == word);
    [2, 6].into_iter().any(is_word).then_some(game)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_games_without_a_result_are_leftovers_and_logs_are_not() {
        let dir = tempfile::tempdir().expect("a directory");
        for name in [
            "r1-a-b.black.stderr",
            "r1-a-b.black.stderr.plies",
            "r2-a-b.white.stdout",
            "r3-a-b.log",
            "r1-t2-g3.seat4.stderr",
        ] {
            fs::write(dir.path().join(name), "").expect("written");
        }
        let mut leftovers = LeftoverOutputs::of(dir.path(), |id| id == "r2-a-b").expect("read");
        assert_eq!(
            ["r1-a-b", "r1-a-b", "r2-a-b", "r3-a-b", "r1-t2-g3"].map(|id| leftovers.remove(id)),
            [true, false, false, false, true]
        );
    }
}
