//! Games with more than two seats as a report contains them.

use std::collections::HashMap;
use std::path::Path;

use super::{GamesShown, PageGame, RunGames, stderr_of};
use crate::game::Seat;
use crate::page::shown::game_code::GameCode;
use crate::page::shown::groups::ShownGroupGame;
use crate::results::rating::AnchorError;
use crate::results::standings::{Counting, GroupStandings, GroupSummary, GroupTally, RatingOptions};

impl PageGame for ShownGroupGame {
    fn id(&self) -> &str {
        &self.summary.game
    }

    fn round(&self) -> Option<u32> {
        self.summary.round
    }

    fn has_result(&self) -> bool {
        self.summary.result.is_some()
    }

    fn code(&self) -> &GameCode {
        &self.code.code
    }
}

impl RunGames<ShownGroupGame> {
    /// The standings.
    ///
    /// # Errors
    /// Fails if the players cannot be rated.
    pub(crate) fn standings(&self) -> Result<GroupStandings, AnchorError> {
        let seats = self.games.first().map_or(0, |game| game.summary.players.seats());
        let mut tally = GroupTally::new(Counting::default(), seats);
        for game in &self.games {
            tally.add(&game.summary);
        }
        Ok(GroupStandings::of(&tally, &RatingOptions::default())?.of_run(self.state.clone()))
    }

    /// Drops the moves of the games that `shown` does not select.
    pub(crate) fn keep_moves_of(&mut self, shown: GamesShown, standings: &GroupStandings) {
        let ratings: HashMap<&str, f64> =
            standings.rows().iter().filter_map(|row| Some((row.player.as_str(), row.rating?.elo().0))).collect();
        for game in &mut self.games {
            let stays = match shown {
                GamesShown::All => true,
                GamesShown::Lost => !game.outs.is_empty() || is_upset(&game.summary, &ratings),
                GamesShown::None => false,
            };
            if !stays {
                game.forget_moves();
            }
        }
    }
}

/// Whether `game` has a single highest-rated player, and this player was not first. `ratings` contains the Elo of each
/// player.
fn is_upset(game: &GroupSummary, ratings: &HashMap<&str, f64>) -> bool {
    let Some(result) = &game.result else { return false };
    let elo = |seat: Seat| ratings.get(game.players[seat].as_str()).copied();
    let best = game.players.all_seats().filter_map(|seat| Some((elo(seat)?, seat)));
    let best = best.max_by(|(one, _), (other, _)| one.total_cmp(other));
    let Some((highest, seat)) = best else { return false };
    let is_alone = game.players.all_seats().all(|other| other == seat || elo(other) != Some(highest));
    is_alone && result.placing()[seat] > 1
}

/// Whether all of `games` have the same number of seats.
pub(super) fn have_same_seats(games: &[ShownGroupGame]) -> bool {
    let mut seats = games.iter().map(|game| game.summary.players.seats());
    seats.next().is_none_or(|first| seats.all(|other| other == first))
}

/// Adds the end of the stderr output of the seats that dropped out, as far as the run in `dir` contains this output.
pub(super) fn add_stderr(game: &mut ShownGroupGame, dir: &Path) {
    let seats = game.summary.players.seats();
    for out in &mut game.outs {
        out.stderr = stderr_of(dir, &game.summary.game, (out.seat, seats));
    }
}
