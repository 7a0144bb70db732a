//! The outcomes of games, as lines for spectators.

use super::{Appeal, LiveState, Tone};
use crate::base::sanitise::sanitised;
use crate::game::{BySide, Side};
use crate::page::shown::has_public_reason;
use crate::referee::record::{GameRecord, verdict};
use crate::referee::result::{Fault, GameResult};
use crate::results::standings::GameSummary;

/// Whether the game of `summary` was won by play, rather than by default.
pub(super) fn is_won(summary: &GameSummary, opening_plies: usize) -> bool {
    let result = summary.result.as_ref();
    let is_won = result.is_some_and(|result| result.winner().is_some() && !result.termination().is_forfeit());
    is_won && summary.plies > opening_plies
}

impl LiveState {
    /// Adds the line of a game that has ended. If it is worth watching, offers it as a game of the moment and for
    /// an analysis.
    pub(super) fn tell(&mut self, record: &GameRecord, players: BySide<usize>, shown_id: &str) {
        if let Some(appeal) = Appeal::of(record, self.gap(record, players)) {
            self.moments.add(appeal, shown_id, record.plies.len());
            self.values.add(shown_id);
            self.note_upset(record, players, (appeal, shown_id));
        }
        let (tone, text) = self.line(record, players);
        self.log.add(tone, text, Some(shown_id.to_owned()));
    }

    /// The difference in Elo by which the loser of `record` is rated above the winner.
    fn gap(&self, record: &GameRecord, players: BySide<usize>) -> Option<i64> {
        let winner = record.result.as_ref().ok()?.winner()?;
        Some(self.ladder.elo(players[winner.opponent()])? - self.ladder.elo(players[winner])?)
    }

    /// Adds a line if the game is an upset.
    fn note_upset(&mut self, record: &GameRecord, players: BySide<usize>, (appeal, id): (Appeal, &str)) {
        let winner = record.result.as_ref().ok().and_then(GameResult::winner);
        let (Appeal::Upset(gap), Some(winner)) = (appeal, winner) else { return };
        let (winner, loser) = (self.shown_name(players[winner]), self.shown_name(players[winner.opponent()]));
        let text = format!("upset: {winner} beats {loser}, who is rated {gap} Elo higher");
        self.log.add(Tone::Highlight, text, Some(id.to_owned()));
    }

    /// Adds a line if the game is the shortest so far that was won by play.
    pub(super) fn note_shortest(&mut self, record: &GameRecord, players: BySide<usize>, id: &str) {
        let plies = record.plies.len();
        let is_short = self.shortest.is_none_or(|shortest| plies < shortest);
        if !is_short || !is_won(&GameSummary::from(record), record.opening_plies) {
            return;
        }
        if self.shortest.replace(plies).is_some() {
            let (black, white) = (self.shown_name(players.black), self.shown_name(players.white));
            let count = if plies == 1 { "1 ply".to_owned() } else { format!("{plies} plies") };
            let text = format!("the shortest game so far: {black} v {white}, {count}");
            self.log.add(Tone::Highlight, text, Some(id.to_owned()));
        }
    }

    /// The outcome of a game, as a line.
    fn line(&self, record: &GameRecord, players: BySide<usize>) -> (Tone, String) {
        let name = |side: Side| self.shown_name(players[side]);
        let (black, white) = (name(Side::Black), name(Side::White));
        let Ok(result) = &record.result else {
            return (Tone::Void, format!("{black} v {white}: void, through no player's fault"));
        };
        let tone = if result.fault() == Fault::Nobody { Tone::Game } else { Tone::Forfeit };
        let reason = self.reason(result).map(|reason| format!(": {}", sanitised(reason))).unwrap_or_default();
        (tone, format!("{black} v {white}: {}{reason}", verdict(&record.result)))
    }

    /// The reason for a result, if it is public and names no player that a pseudonym hides.
    fn reason<'r>(&self, result: &'r GameResult) -> Option<&'r str> {
        let is_public = has_public_reason(result.termination()) && !self.premise.roster.is_anonymous();
        result.reason().filter(|_| is_public)
    }

    /// The name that the page shows for the player `number`, for a line.
    fn shown_name(&self, number: usize) -> String {
        sanitised(self.premise.roster.shown(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let summary = GameSummary { plies, ..GameSummary::from(&record) };
            assert_eq!(is_won(&summary, opening_plies), expected, "{ending} {plies} {opening_plies}");
        }
    }
}
