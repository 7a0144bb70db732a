//! The outcomes of games, as lines for spectators.

use super::moments::certain_gap;
use super::{Appeal, DropOutNews, LiveState, Tone};
use crate::base::sanitise::sanitised;
use crate::game::{BySeat, BySide, Seat, Side};
use crate::page::shown::has_public_reason;
use crate::referee::record::{GameRecord, GroupRecord, LoggedGame, verdict};
use crate::referee::result::{Fault, GameResult, Termination};
use crate::results::standings::PlayedSummary;
use crate::results::victory::victory;
use crate::run::reporter::told_places;

/// The number of plies in the game that `summary` describes, if the game was won by play rather than by default.
/// With more than two seats, no player may have dropped out.
pub(super) fn plies_of_win(summary: &PlayedSummary, opening_plies: usize) -> Option<usize> {
    let (is_won, plies) = match summary {
        PlayedSummary::Pair(game) => {
            let is_won = |result: &GameResult| result.winner().is_some() && !result.termination().is_forfeit();
            (game.result.as_ref().is_some_and(is_won), game.plies)
        }
        PlayedSummary::Group(game) => (game.result.as_ref().is_some_and(|result| result.outs().is_empty()), game.plies),
    };
    (is_won && plies > opening_plies).then_some(plies)
}

impl LiveState {
    /// Adds a log line about a game that has ended. If the game is worth watching, also offers it as a game of the
    /// moment and for analysis.
    pub(super) fn tell(&mut self, game: &LoggedGame, players: &BySeat<usize>, shown_id: &str) {
        let appeal = Appeal::of(game, self.gap(game, players));
        if let Some(appeal) = appeal {
            self.moments.add(appeal, shown_id, game.plies().len());
            self.values.add(shown_id);
        }
        let (tone, text) = match game {
            LoggedGame::Two(record) => self.line(record, players),
            LoggedGame::Group(record) => self.group_line(record, players),
        };
        let (tone, text) = match appeal {
            // The gap is measured from the lowest-rated of the other players.
            Some(Appeal::Upset(gap)) => (Tone::Highlight, format!("Upset! {text} (+{gap})")),
            _ => (tone, text),
        };
        self.log.add(tone, text, Some(shown_id.to_owned()));
    }

    /// The difference in Elo by which the lowest-rated of the other players is rated above the winner of `game`, if it
    /// is certain that it is. In a sequential test, no gap is certain: finding out is the purpose of the test.
    fn gap(&self, game: &LoggedGame, players: &BySeat<usize>) -> Option<i64> {
        if self.premise.test.is_some() {
            return None;
        }
        let winner = winner(game)?;
        let others = players.iter().filter(|(seat, _)| *seat != winner);
        let others = others.map(|(_, &player)| self.standings.rating(player)).collect::<Option<Vec<_>>>()?;
        let lowest = others.into_iter().min_by_key(|(elo, _)| *elo)?;
        certain_gap(self.standings.rating(players[winner])?, lowest)
    }

    /// Adds a line if the game is the shortest so far that was won by play.
    pub(super) fn note_shortest(&mut self, game: &LoggedGame, players: &BySeat<usize>, id: &str) {
        let opening_plies = game.two().map_or(0, |record| record.opening_plies);
        let Some(plies) = plies_of_win(&PlayedSummary::from(game), opening_plies)
            .filter(|plies| self.shortest.is_none_or(|shortest| *plies < shortest))
        else {
            return;
        };
        if self.shortest.replace(plies).is_some() {
            let names: Vec<String> = players.values().map(|&player| self.shown_name(player)).collect();
            let count = if plies == 1 { "1 ply".to_owned() } else { format!("{plies} plies") };
            let text = format!("The shortest game so far: {}, {count}", names.join(" v "));
            self.log.add(Tone::Highlight, text, Some(id.to_owned()));
        }
    }

    /// The outcome of a game with two seats, as a line.
    fn line(&self, record: &GameRecord, players: &BySeat<usize>) -> (Tone, String) {
        let names = BySide::from_fn(|side: Side| self.shown_name(players[side]));
        let BySide { black, white } = &names;
        let Ok(result) = &record.result else {
            return (Tone::Void, format!("{black} v {white}: void, through no player's fault"));
        };
        let tone = if result.fault() == Fault::Nobody { Tone::Game } else { Tone::Forfeit };
        let reason = self.reason(result).map(|reason| format!(": {}", sanitised(reason))).unwrap_or_default();
        let ending =
            victory(&names, record).unwrap_or_else(|| format!("{black} v {white}: {}", verdict(&record.result)));
        (tone, format!("{ending}{reason}"))
    }

    /// The places of a game with more than two seats, as a line.
    fn group_line(&self, record: &GroupRecord, players: &BySeat<usize>) -> (Tone, String) {
        let names = players.as_ref().map(|&player| self.shown_name(player));
        if record.result.is_err() {
            let names: Vec<&str> = names.values().map(String::as_str).collect();
            return (Tone::Void, format!("{}: void, through no player's fault", names.join(" v ")));
        }
        let is_forfeited = record.outs.iter().any(|out| out.termination.is_forfeit());
        (if is_forfeited { Tone::Forfeit } else { Tone::Game }, told_places(record, &names))
    }

    /// Adds a line about a player that has dropped out of a game in progress.
    pub(super) fn tell_of_drop_out(&mut self, players: &BySeat<usize>, ply: usize, out: DropOutNews) {
        let DropOutNews { seat, why, .. } = out;
        let how = match why {
            Termination::Resignation => "resigns".to_owned(),
            _ => format!("drops out ({why})"),
        };
        let name = self.shown_name(players[seat]);
        self.log.add(Tone::Out, format!("{name} (seat {seat}) {how} after ply {ply}; the others play on"), None);
    }

    /// The reason for a result, if it is public and names no player that a pseudonym hides.
    fn reason<'r>(&self, result: &'r GameResult) -> Option<&'r str> {
        let is_public = has_public_reason(result.termination()) && !self.premise.roster.is_anonymous();
        result.reason().filter(|_| is_public)
    }

    /// The name that the page shows for the player `number`, sanitised for a line.
    fn shown_name(&self, number: usize) -> String {
        sanitised(self.premise.roster.shown(number))
    }
}

/// The only winner of `game`; `None` if the game has no result, or if several seats share the first place.
fn winner(game: &LoggedGame) -> Option<Seat> {
    match game {
        LoggedGame::Two(record) => record.result.as_ref().ok()?.winner().map(Seat::from),
        LoggedGame::Group(record) => record.result.as_ref().ok()?.winner(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::standings::GameSummary;

    #[test]
    fn a_game_is_won_by_play_if_a_move_after_its_opening_and_no_forfeit_won_it() {
        for (ending, plies, opening_plies, expected) in [
            ("[Result \"0-1\"]\n[Termination \"resignation\"]", 1, 0, true),
            ("[Result \"0-1\"]\n[Termination \"resignation\"]", 3, 2, true),
            ("[Result \"0-1\"]\n[Termination \"resignation\"]", 2, 2, false),
            ("[Result \"0-1\"]\n[Termination \"resignation\"]", 0, 0, false),
            ("[Result \"0-1\"]\n[Termination \"time\"]", 3, 0, false),
            ("[Result \"1/2-1/2\"]\n[Margin \"0\"]\n[Termination \"normal\"]", 3, 0, false),
            ("[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]", 3, 0, false),
        ] {
            let result = ending.split('"').nth(1).expect("a result");
            let text = format!("[Black \"a\"]\n[White \"b\"]\n[Round \"1\"]\n{ending}\n\n{result}\n");
            let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
            let summary = PlayedSummary::Pair(GameSummary { plies, ..GameSummary::from(&record) });
            assert_eq!(plies_of_win(&summary, opening_plies).is_some(), expected, "{ending} {plies} {opening_plies}");
        }
    }
}
