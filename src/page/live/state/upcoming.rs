//! The games that are expected to begin next, in the order of the schedule.

use std::collections::{HashSet, VecDeque};

use serde::Serialize;

use crate::game::BySeat;
use crate::referee::record::LoggedGame;
use crate::results::standings::PlayedSummary;
use crate::tournament::schedule::{GameId, GameSpec, KnownEnding, Results, Schedule, Step};

/// The number of games to show.
const SHOWN: usize = 5;

/// A game that has not begun, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct UpcomingGame {
    #[serde(skip)]
    id: GameId,
    /// The numbers of the players, in turn order.
    players: BySeat<usize>,
    round: u32,
}

/// The next games. If pairings depend on results, only the pairings that are already certain are known.
#[derive(Debug)]
pub(crate) struct Upcoming {
    schedule: Schedule,
    /// The results so far, if the schedule needs them.
    results: Results,
    /// The number that the page gives to each player of the tournament.
    numbers: Vec<usize>,
    /// The first games of the schedule that have not begun.
    next: VecDeque<UpcomingGame>,
    /// The games that began before the schedule reached them, and void games that have begun again.
    begun: HashSet<GameId>,
    /// The games that are being played.
    playing: HashSet<GameId>,
    /// The games that the last call of [`Upcoming::news`] returned.
    told: Vec<UpcomingGame>,
}

impl Upcoming {
    /// The next games of `schedule`, from which no game may have been taken yet. `numbers` contains the page's number
    /// for each player of the tournament.
    pub(crate) fn new(schedule: Schedule, numbers: Vec<usize>) -> Self {
        let mut upcoming = Self {
            schedule,
            results: Results::default(),
            numbers,
            next: VecDeque::new(),
            begun: HashSet::new(),
            playing: HashSet::new(),
            told: Vec::new(),
        };
        upcoming.fill();
        upcoming
    }

    /// Records that the game `id` has begun.
    pub(super) fn begin(&mut self, id: &str) {
        if self.playing.insert(GameId::from_text(id)) {
            self.remove(id);
            self.fill();
        }
    }

    /// Removes the game `id` from the games that have not begun.
    fn remove(&mut self, id: &str) {
        match self.next.iter().position(|game| game.id.as_str() == id) {
            Some(place) => drop(self.next.remove(place)),
            None => drop(self.begun.insert(GameId::from_text(id))),
        }
    }

    /// Records that the game `id` has ended, as described by `record`.
    pub(super) fn end(&mut self, id: &str, record: &LoggedGame) {
        let ending = if self.schedule.needs_results() { KnownEnding::of(record) } else { None };
        self.end_as(id, ending);
    }

    /// Records that the game in `summary`, whose id is `id`, had ended before the page was started.
    pub(super) fn recall(&mut self, id: &str, summary: &PlayedSummary) {
        let (ending, is_void) = match summary {
            PlayedSummary::Pair(game) => (game.ended(), game.result.is_none()),
            PlayedSummary::Group(game) => (None, game.result.is_none()),
        };
        if !is_void {
            self.end_as(id, ending.filter(|_| self.schedule.needs_results()));
        }
    }

    fn end_as(&mut self, id: &str, ending: Option<KnownEnding>) {
        // The start of a game may have been missed, and a player that cannot be started loses games that never begin.
        if !self.playing.remove(&GameId::from_text(id)) {
            self.remove(id);
        }
        if let Some(ending) = ending {
            self.results.insert(GameId::from_text(id), ending);
        }
        self.fill();
    }

    /// Takes games from the schedule until there are enough to show.
    fn fill(&mut self) {
        let is_decided = self.schedule.is_decided(&self.results);
        if is_decided {
            self.next.clear();
        }
        while !is_decided && self.next.len() < SHOWN {
            let Step::Game(GameSpec { id, players, round, .. }) = self.schedule.next(&self.results) else { break };
            if !self.begun.remove(&id) {
                let players = players.map(|player| self.numbers[player]);
                self.next.push_back(UpcomingGame { id, players, round });
            }
        }
    }

    /// The next games.
    pub(super) const fn next(&self) -> &VecDeque<UpcomingGame> {
        &self.next
    }

    /// The next games, if they have changed since the last call.
    pub(super) fn news(&mut self) -> Option<&[UpcomingGame]> {
        if self.next == self.told {
            return None;
        }
        self.told = self.next.iter().cloned().collect();
        Some(&self.told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::Tournament;

    fn tournament(format: &str) -> Tournament {
        let player = |name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
        let text = format!("{format}\n{}", ["ann", "bob", "cyd", "dov"].map(player).concat());
        Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn upcoming(format: &str) -> (Upcoming, Vec<GameSpec>) {
        let tournament = tournament(format);
        let games = Schedule::new(&tournament).games().collect();
        (Upcoming::new(Schedule::new(&tournament), vec![3, 2, 1, 0]), games)
    }

    fn ids(upcoming: &Upcoming) -> Vec<String> {
        upcoming.next().iter().map(|game| game.id.to_string()).collect()
    }

    #[test]
    fn the_next_games_are_the_first_ones_that_have_not_begun() {
        let (mut upcoming, games) = upcoming("rounds = 2");
        let scheduled = |places: &[usize]| places.iter().map(|&place| games[place].id.to_string()).collect::<Vec<_>>();
        assert_eq!(ids(&upcoming), scheduled(&[0, 1, 2, 3, 4]));
        // Another machine may take games out of order.
        for place in [2, 0, 7] {
            upcoming.begin(games[place].id.as_str());
        }
        assert_eq!(ids(&upcoming), scheduled(&[1, 3, 4, 5, 6]));
        for place in [1, 3, 4] {
            upcoming.begin(games[place].id.as_str());
        }
        assert_eq!(ids(&upcoming), scheduled(&[5, 6, 8, 9, 10]));
        assert!(upcoming.begun.is_empty(), "a game is forgotten once the schedule has reached it");
        // A game can also end without having begun.
        for game in &games {
            upcoming.end_as(game.id.as_str(), None);
        }
        assert_eq!(ids(&upcoming), [""; 0]);
        assert!(upcoming.begun.is_empty() && upcoming.playing.is_empty(), "{upcoming:?}");
    }

    #[test]
    fn players_have_the_numbers_of_the_page_and_only_changes_are_news() {
        let (mut upcoming, games) = upcoming("rounds = 1");
        let first = upcoming.news().expect("news")[0].clone();
        assert_eq!(first.players, games[0].players.as_ref().map(|&player| 3 - player));
        assert_eq!(first.round, 1);
        assert_eq!(upcoming.news(), None);
        upcoming.begin(games[0].id.as_str());
        assert_eq!(upcoming.news().map(<[_]>::len), Some(5));
    }

    #[test]
    fn if_pairings_depend_on_results_only_certain_games_are_shown() {
        let (mut upcoming, _) = upcoming("format = \"knockout\"");
        let first = ids(&upcoming);
        assert_eq!(first.len(), 4, "two games of each of two pairs");
        for id in &first {
            let [_, black, white] = id.split('-').collect::<Vec<_>>()[..] else { panic!("{id}") };
            let (result, margin) = if black == "ann" || black == "bob" { ("0-1", 1) } else { ("1-0", -1) };
            let text = format!(
                "[Black \"{black}\"]\n[White \"{white}\"]\n[Round \"1\"]\n[Result \"{result}\"]\n[Margin \"{margin}\"]\n\
                 [Termination \"normal\"]\n\n1. c3 {result}\n"
            );
            upcoming.end(id, &text.parse().unwrap_or_else(|error| panic!("{error}")));
        }
        let final_games = ids(&upcoming);
        assert!(!final_games.is_empty() && final_games.iter().all(|id| id.starts_with("r2-")), "{final_games:?}");
    }
}
