//! The tournament in two lines: players, format, games, clocks, and the longest time that it can take.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::time::Duration;

use crate::base::units::{counted, spaced};
use crate::exact::adjudication::ProofBy;
use crate::game::{BySide, Ruleset};
use crate::referee::clock::Meter;
use crate::referee::time_control::{SideControl, TimeControl, many_moves};
use crate::tournament::ladder::{Ladder, LadderTerms};
use crate::tournament::schedule::Schedule;
use crate::tournament::{BetweenMoves, Format, Tournament};

/// The rules, unless they are those of Gothello, the numbers of players, games, and games at a time, and the thinking
/// time.
pub(crate) fn summary(tournament: &Tournament, at_a_time: NonZeroUsize) -> String {
    if let Some(ladder) = &tournament.ladder {
        return ladder_summary(tournament, ladder, at_a_time);
    }
    let schedule = Schedule::new(tournament);
    let (games, at_most) = (schedule.at_most(), if schedule.len().is_none() { "at most " } else { "" });
    let (players, format) = (tournament.players.len(), format_line(tournament));
    let (clocks, thinking) = clocks(tournament);
    let depends = tournament.meter == Meter::Wall && depends_on_moves(tournament.time_control);
    let moves = if depends {
        format!(", with {} moves a {}", many_moves(tournament.ruleset), one_player(tournament))
    } else {
        String::new()
    };
    let bound = thinking.map_or("no time limit".to_owned(), |one_game| {
        let whole_seconds = one_game.as_secs() + u64::from(one_game.subsec_nanos() > 0);
        let in_a_row = games.div_ceil(at_a_time.get() as u64);
        format!(
            "at most {} of thinking time in total{moves}",
            spaced(Duration::from_secs(whole_seconds.saturating_mul(in_a_row)))
        )
    });
    let rules = match tournament.ruleset {
        Ruleset::Gothello => String::new(),
        ruleset @ (Ruleset::Seegover(_) | Ruleset::Quantum(_)) => format!("{ruleset}: "),
    };
    let odds = odds(tournament);
    format!(
        "{rules}{players} players, {format}, {at_most}{games} games, {at_a_time} at a time\n{clocks}: {bound}\n{odds}"
    )
}

/// The summary of a ladder, which has no fixed number of games.
fn ladder_summary(tournament: &Tournament, ladder: &Ladder, at_a_time: NonZeroUsize) -> String {
    let rules = match tournament.ruleset {
        Ruleset::Gothello => String::new(),
        ruleset @ (Ruleset::Seegover(_) | Ruleset::Quantum(_)) => format!("{ruleset}: "),
    };
    let entries = counted(ladder.entries.len() as u64, "player");
    let others = counted(tournament.players.len() as u64, "player");
    let LadderTerms { target_error, first_games, active, closes, .. } = &ladder.terms;
    let closes = closes.map(|closes| format!(", closes {closes}")).unwrap_or_default();
    let (clocks, _) = clocks(tournament);
    format!(
        "{rules}ladder of {entries} with versions and {others} without, {at_a_time} games at a time{closes}\n\
         {clocks}: each new version plays {first_games} games; the {active} newest versions of a player play on until their \
         standard error is {target_error} Elo\n"
    )
}

/// The line about handicaps and compensations of players, if there are any.
fn odds(tournament: &Tournament) -> String {
    let players = &tournament.players;
    match tournament.advantages.text(0..players.len(), |player| players[player].name.as_str()) {
        Some(odds) => {
            format!("odds: {odds}; games with these odds are not rated unless `standings` is run with --with-odds\n")
        }
        None => String::new(),
    }
}

/// The format with the players that it names, how games begin, and how they are adjudicated.
fn format_line(tournament: &Tournament) -> String {
    let name = |index: usize| format!("`{}`", tournament.players[index].name);
    let names = |indices: &[usize]| indices.iter().map(|&index| name(index)).collect::<Vec<_>>().join(", ");
    let mut line = match &tournament.format {
        Format::Gauntlet { rounds, challengers } => {
            let rounds = counted(rounds.get(), "round");
            format!("gauntlet of {} against the others, {rounds}", names(challengers))
        }
        Format::Sprt { test, .. } => format!("sprt of {} against {}, {test}", name(0), name(1)),
        format @ Format::RoundRobin { .. } => format!("round-robin, {format}"),
        format @ (Format::Group { .. } | Format::Swiss { .. } | Format::Knockout { .. } | Format::Ladder) => {
            format.to_string()
        }
    };
    match tournament.opening_plies {
        0 => {}
        1 => line.push_str(", openings of 1 ply"),
        plies => {
            let _ = write!(line, ", openings of {plies} plies");
        }
    }
    if let Some(adjudicate) = tournament.adjudicate {
        let by = match adjudicate.by() {
            ProofBy::Nodes(nodes) => format!("proof within {nodes} nodes"),
            ProofBy::SeegoverTable => "the Seegover table".to_owned(),
        };
        let _ = write!(line, ", ended by {by} after ply {}", adjudicate.after_ply());
    }
    line
}

/// Whether a side's total thinking time depends on the number of its moves.
fn depends_on_moves(time_control: TimeControl) -> bool {
    time_control != TimeControl::Unlimited && time_control.sudden_death_times().is_none()
}

/// The clocks in words, and how long all players of a game may think in total.
fn clocks(tournament: &Tournament) -> (String, Option<Duration>) {
    let (mut words, mut bound) = wall_clocks(tournament);
    if let Meter::Cpu { wall_limit } = tournament.meter {
        words.push_str(" of CPU time");
        let pairs = u32::from(tournament.ruleset.seats()) / 2;
        bound = Some((wall_limit.black + wall_limit.white).saturating_mul(pairs));
    }
    if tournament.scale_time {
        words.push_str(", scaled by the speed of each worker");
    }
    if tournament.between_moves == BetweenMoves::Freeze {
        words.push_str(match tournament.ruleset.seats() {
            2 => ", none of it during the opponent's turn",
            _ => ", none of it during the others' turns",
        });
    }
    (words, bound)
}

/// The word for one of the players of a game.
const fn one_player(tournament: &Tournament) -> &'static str {
    if tournament.ruleset.seats() > 2 { "seat" } else { "side" }
}

/// The result of [`clocks`], as if the clocks counted wall time.
fn wall_clocks(tournament: &Tournament) -> (String, Option<Duration>) {
    match tournament.time_control {
        TimeControl::Clocks(BySide { black, white }) => {
            let words = match black {
                _ if black != white => format!("{} for black, {} for white", black.shown(), white.shown()),
                SideControl::PerMove { .. } => black.shown(),
                SideControl::Game { .. } | SideControl::ByoYomi { .. } => {
                    format!("{} a {}", black.shown(), one_player(tournament))
                }
            };
            let moves = many_moves(tournament.ruleset);
            let pairs = u32::from(tournament.ruleset.seats()) / 2;
            (words, Some((black.usable_in(moves) + white.usable_in(moves)).saturating_mul(pairs)))
        }
        TimeControl::Unlimited => match tournament.limits.game_limit {
            Some(limit) => (format!("no clocks, {} a game", spaced(limit)), Some(limit)),
            None => ("no clocks".to_owned(), None),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odds_are_shown_with_the_players_that_have_them() {
        let text = |rules: &str| {
            let player = |name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n");
            let toml = format!("ruleset = \"go-9\"\n{rules}\n{}{}", player("ada"), player("bo"));
            let tournament = Tournament::parse(&toml, "test").unwrap_or_else(|problems| panic!("{problems}"));
            summary(&tournament, NonZeroUsize::MIN)
        };
        let with_odds = text(
            "rules = { handicap = { player = \"bo\", stones = 4 }, compensation = { player = \"ada\", points = \"1/2\" } }",
        );
        let line = "odds: bo: handicap 4, ada: compensation 0.5; games with these odds are not rated";
        assert!(with_odds.lines().any(|shown| shown.starts_with(line)), "{with_odds}");
        let by_seat = text("rules = { handicap = { seat = \"white\", stones = 4 } }");
        assert!(!by_seat.contains("odds") && by_seat.contains("handicap"), "{by_seat}");
    }
}
