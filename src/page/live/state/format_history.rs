//! Tracks the result of the tournament's format as games end.

use super::roster::ShownPlayers;
use crate::game::BySide;
use crate::results::format_result::{FormatResult, PlayedGames, PlayedTournament};
use crate::results::standings::GameSummary;
use crate::tournament::schedule::{GameId, Results, Schedule, Step};
use crate::tournament::{Format, Tournament};

/// The games of a tournament whose format produces a result, and the rounds drawn from them.
#[derive(Clone, Debug)]
pub(crate) struct FormatHistory {
    format: Format,
    /// The players' names, in the order of the tournament.
    names: Vec<String>,
    schedule: Schedule,
    results: Results,
    games: PlayedGames,
    /// The games taken from the schedule that had no result at the last check.
    open: Vec<GameId>,
}

impl FormatHistory {
    /// The history of `tournament` before its first game; `None` if its format does not produce a result. No game may
    /// have been taken from `schedule` yet; without a schedule, the games are those of a new run.
    pub(crate) fn new(tournament: &Tournament, schedule: Option<&Schedule>) -> Option<Self> {
        FormatResult::is_of(&tournament.format).then(|| Self {
            format: tournament.format.clone(),
            names: tournament.players.iter().map(|player| player.name.to_string()).collect(),
            schedule: schedule.map_or_else(|| Schedule::new(tournament), Schedule::clone),
            results: Results::default(),
            games: PlayedGames::default(),
            open: Vec::new(),
        })
    }

    /// Adds a game, unless it is void.
    pub(super) fn add(&mut self, game: &GameSummary) {
        let index = |name: &String| self.names.iter().position(|known| known == name);
        let [black, white] = [index(&game.players.black), index(&game.players.white)];
        let (Some(black), Some(white)) = (black, white) else { return };
        if let (Some(ended), Some(result), Some(round)) = (game.ended(), &game.result, game.round) {
            self.results.insert(GameId::from_text(&*game.game), ended);
            self.games.add(round, BySide { black, white }, result);
        }
    }

    /// The result so far, with the names that the page shows.
    pub(super) fn result(&mut self, roster: &ShownPlayers) -> Option<FormatResult> {
        let is_complete = self.draw();
        let drawn = self.schedule.drawn(&self.results);
        let Self { format, names, games, .. } = self;
        let result = FormatResult::of(PlayedTournament { format, names, drawn: &drawn, games, is_complete })?;
        let shown = |name: &str| roster.find(name).map_or("", |number| roster.shown(number)).to_owned();
        Some(result.renamed(shown))
    }

    /// Draws the rounds that can be drawn. Returns whether all games have results.
    fn draw(&mut self) -> bool {
        let is_all = loop {
            match self.schedule.next(&self.results) {
                Step::Game(spec) => self.open.push(spec.id),
                Step::Wait => break false,
                Step::Done => break true,
            }
        };
        let results = &self.results;
        self.open.retain(|id| results.get(id.as_str()).is_none());
        is_all && self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::page::live::state::ShownPlayer;
    use crate::referee::record::GameRecord;
    use crate::tournament::schedule::GameSpec;

    const NAMES: [&str; 5] = ["ann", "bob", "cyd", "dov", "eli"];

    fn tournament(format: &str) -> Tournament {
        let player = |name: &&str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
        let text = format!("format = {format}\n{}", NAMES.iter().map(player).collect::<String>());
        Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"))
    }

    /// The game `spec`, won by a random player.
    fn played(spec: &GameSpec, random: &mut SplitMix64) -> GameSummary {
        let (result, end) = [("1-0", 1), ("0-1", 2)][usize::from(random.below(2) == 0)];
        let BySide { black, white } = spec.pair().map(|player| NAMES[player]);
        let text = format!(
            "[Black \"{black}\"]\n[White \"{white}\"]\n[Round \"{}\"]\n[Result \"{result}\"]\n[Margin \"{end}\"]\n\
             [Termination \"normal\"]\n\n1. c3 {result}\n",
            spec.round
        );
        let record: GameRecord = text.replace("[Margin \"1\"]", "[Margin \"-1\"]").parse().expect("a record");
        GameSummary { game: spec.id.to_string(), ..GameSummary::from(&record) }
    }

    /// The result of `tournament` after `played`, computed in one step.
    fn found_at_once(tournament: &Tournament, played: &[GameSummary]) -> Option<FormatResult> {
        let mut history = FormatHistory::new(tournament, None)?;
        for game in played {
            history.add(game);
        }
        let is_complete = history.schedule.missing(&history.results).next().is_none();
        let drawn = history.schedule.drawn(&history.results);
        let FormatHistory { format, names, games, .. } = &history;
        FormatResult::of(PlayedTournament { format, names, drawn: &drawn, games, is_complete })
    }

    /// The first game of `tournament` without a result.
    fn next_game(tournament: &Tournament, results: &Results) -> Option<GameSpec> {
        Schedule::new(tournament).missing(results).next()
    }

    fn roster() -> ShownPlayers {
        let player = |name: &&str| {
            let name = (*name).to_owned();
            ShownPlayer { slug: name.clone(), shown: name.clone(), shown_slug: name.clone(), name }
        };
        ShownPlayers::new(NAMES.iter().map(player).collect())
    }

    #[test]
    fn the_result_after_each_game_is_the_one_that_all_games_so_far_give() {
        let roster = roster();
        for (format, seed) in
            [("\"swiss\"\nrounds = 3\ngames = 1", 1), ("\"swiss\"\nrounds = 2", 2), ("\"knockout\"", 3)]
        {
            let tournament = tournament(format);
            let mut random = SplitMix64::new(seed);
            let mut history = FormatHistory::new(&tournament, None).expect("a result of its own");
            let mut games = Vec::new();
            while let Some(spec) = next_game(&tournament, &history.results) {
                let so_far = history.result(&roster);
                assert_eq!(so_far, found_at_once(&tournament, &games));
                assert!(so_far.is_some_and(|result| !result.is_final()));
                let game = played(&spec, &mut random);
                // A void game changes nothing.
                history.add(&GameSummary { result: None, ..game.clone() });
                history.add(&game);
                games.push(game);
            }
            let result = history.result(&roster).expect("a result");
            assert!(result.is_final() && games.len() > 4, "{result:?}");
        }
    }

    #[test]
    fn only_swiss_tournaments_and_knockouts_have_one() {
        assert!(FormatHistory::new(&tournament("\"round-robin\""), None).is_none());
    }
}
