//! The notes below the standings of games with more than two seats.

use super::standings_notes::{bars, duplicates, idle_time_losses, left_out, missing, on_page, on_ratings, with_odds};
use super::text_table::Look;
use crate::base::units::counted;
use crate::results::rating::Prior;
use crate::results::standings::GroupStandings;

/// The results that connect components.
pub(super) const RESULTS: &str = "placings ahead of each other";

/// The notes on `standings`, one per line: what the table does not show and, if `explains`, how its numbers were
/// computed.
pub(super) fn notes(standings: &GroupStandings, explains: bool, look: Look) -> Vec<String> {
    let facts = standings.rating_facts();
    let mut notes = Vec::new();
    if explains {
        notes.extend([model(), bars(&facts, look), prior(standings.prior())]);
    }
    notes.extend(on_ratings(&facts, RESULTS));
    notes.push(games(standings));
    if explains {
        notes.push(columns());
    }
    notes.extend(on_games(standings));
    notes.extend(missing(standings.run(), look));
    notes
}

/// The notes on the games of `standings`.
pub(super) fn on_games(standings: &GroupStandings) -> Vec<String> {
    let counts = standings.counts();
    let notes = [
        left_out(standings.counting(), counts.forfeits_left_out),
        duplicates(standings.counting(), counts.duplicates),
        idle_time_losses(counts.idle_time_losses),
    ];
    notes.into_iter().flatten().collect()
}

/// The number of games if some are not rated, and why.
pub(super) fn unrated(standings: &GroupStandings) -> Option<String> {
    let counts = standings.counts();
    (counts.odds + counts.forfeited_by_all + counts.void > 0).then(|| games(standings))
}

/// The notes on `standings` for a page.
pub(super) fn of_page(standings: &GroupStandings) -> Vec<String> {
    let counts = standings.counts();
    let facts = standings.rating_facts();
    let mut notes = vec![model(), bars(&facts, Look::Plain), prior(standings.prior())];
    notes.extend(on_page(on_ratings(&facts, RESULTS)));
    notes.extend([games(standings), columns()]);
    notes.extend(duplicates(standings.counting(), counts.duplicates));
    notes.extend(idle_time_losses(counts.idle_time_losses));
    notes
}

fn model() -> String {
    "Elo by the Plackett-Luce model of placings, with an advantage for each seat (400-point scale: a player that is 400 \
     ahead is ten times as likely to be placed ahead of an opponent as behind it)."
        .to_owned()
}

fn prior(prior: Prior) -> String {
    match prior {
        Prior::Weak => "Weak prior: each rating and the difference between any two seats have mean 0 and sd 400 Elo.",
        Prior::None => "No prior: `>` and `<` mark unbounded values, shown as the weak prior would give them.",
    }
    .to_owned()
}

fn games(standings: &GroupStandings) -> String {
    let counts = standings.counts();
    let mut unrated = Vec::new();
    if counts.odds > 0 {
        unrated.push(with_odds(counts.odds));
    }
    if counts.forfeited_by_all > 0 {
        unrated.push(format!("{} that every player forfeited", counted(counts.forfeited_by_all, "game")));
    }
    if counts.void > 0 {
        unrated.push(counted(counts.void, "additional void game"));
    }
    let games = counted(counts.counted(), "game");
    let seats = standings.seats();
    if unrated.is_empty() {
        format!("{games} with {seats} players, all rated.")
    } else {
        format!("{games} with {seats} players; not rated: {}.", unrated.join(", "))
    }
}

fn columns() -> String {
    "Points: 1 for each player placed behind, 0.5 for each player in the same place. A player that drops out is placed behind \
     all players that play on; this is a forfeit unless it resigned."
        .to_owned()
}
