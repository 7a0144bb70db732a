//! The games to be analyzed next, and the values of the games that have been analyzed.

use std::collections::{HashMap, HashSet, VecDeque};

/// How many of the latest games may wait to be analyzed.
const WAITING: usize = 200;

/// The values of games. Each game is identified by the id that the page shows.
#[derive(Debug, Default)]
pub(super) struct GameValues {
    /// The games that may be analyzed, the oldest first.
    waiting: VecDeque<String>,
    /// The games that need not be analyzed again.
    taken: HashSet<String>,
    values: HashMap<String, String>,
    /// The games that were analyzed since the last frame.
    new: Vec<String>,
}

impl GameValues {
    /// Adds a game that has ended and can be analyzed.
    pub(super) fn add(&mut self, shown_id: &str) {
        self.waiting.push_back(shown_id.to_owned());
        if self.waiting.len() > WAITING {
            self.waiting.pop_front();
        }
    }

    /// The next game to be analyzed: one of `first`, or else the latest. No game is returned twice.
    pub(super) fn next(&mut self, first: [Option<&str>; 2]) -> Option<String> {
        let wanted = first.into_iter().flatten().find(|id| !self.taken.contains(*id)).map(str::to_owned);
        let next =
            wanted.or_else(|| std::iter::from_fn(|| self.waiting.pop_back()).find(|id| !self.taken.contains(id)))?;
        self.taken.insert(next.clone());
        Some(next)
    }

    /// Keeps the values of a game, as entries in `games` contain them.
    pub(super) fn keep(&mut self, shown_id: &str, values: String) {
        self.values.insert(shown_id.to_owned(), values);
        self.new.push(shown_id.to_owned());
    }

    /// The values of a game; empty if they are not known.
    pub(super) fn of(&self, shown_id: &str) -> &str {
        self.values.get(shown_id).map_or("", String::as_str)
    }

    /// The games that were analyzed since the last call, each with its values.
    pub(super) fn take_new(&mut self) -> Vec<(String, &str)> {
        let new = std::mem::take(&mut self.new);
        new.into_iter().filter_map(|id| self.values.get(&id).map(|values| (id, values.as_str()))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_game_of_the_moment_comes_first_then_the_latest_and_none_twice() {
        let mut values = GameValues::default();
        for id in ["a", "b", "c", "d"] {
            values.add(id);
        }
        let order =
            [[Some("b"), Some("a")], [Some("b"), Some("a")], [Some("b"), Some("a")], [None, None], [None, None]];
        let analyzed = order.map(|first| values.next(first));
        assert_eq!(analyzed, [Some("b"), Some("a"), Some("d"), Some("c"), None].map(|id| id.map(str::to_owned)));
    }

    #[test]
    fn of_many_games_the_latest_are_analyzed() {
        let mut values = GameValues::default();
        (0..=WAITING).for_each(|id| values.add(&id.to_string()));
        let analyzed: Vec<String> = std::iter::from_fn(|| values.next([None, None])).collect();
        assert_eq!((analyzed.len(), analyzed.last().map(String::as_str)), (WAITING, Some("1")));
    }

    #[test]
    fn values_are_new_once() {
        let mut values = GameValues::default();
        values.keep("a", "Z".to_owned());
        assert_eq!(values.take_new(), [("a".to_owned(), "Z")]);
        assert_eq!(values.take_new(), []);
        assert_eq!((values.of("a"), values.of("b")), ("Z", ""));
    }
}
