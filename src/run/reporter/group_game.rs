//! A game with more than two seats in one line, and a line for each player that dropped out.

use std::cmp::Reverse;

use crate::game::BySeat;
use crate::referee::record::{GroupRecord, Out};

/// `ann 1st, bo 2nd, cy 3rd, dee out (crash)`: the players, named as in `names`, in the order of their places. Players
/// that dropped out come last, with the first to drop out at the end. Empty for a void game.
pub(crate) fn told_places(record: &GroupRecord, names: &BySeat<String>) -> String {
    let Ok(standing) = &record.result else { return String::new() };
    let mut players: Vec<(Option<Reverse<usize>>, u8, String)> = Vec::new();
    for (seat, name) in names.iter() {
        let nth = record.outs.iter().position(|out| out.seat == seat);
        let place = standing.placing[seat];
        let fate = nth.map_or_else(
            || format!("{name} {}", ordinal(place)),
            |nth| format!("{name} out ({})", record.outs[nth].termination),
        );
        players.push((nth.map(Reverse), place, fate));
    }
    players.sort_by_key(|(out, place, _)| (*out, *place));
    players.into_iter().map(|(.., fate)| fate).collect::<Vec<_>>().join(", ")
}

/// Why a player dropped out, if the record has a reason.
pub(super) fn told_out(record: &GroupRecord, out: &Out) -> Option<String> {
    let Out { seat, after_plies, termination, reason } = out;
    let reason = reason.as_ref()?;
    let name = &record.players[*seat];
    Some(format!("  {name} (seat {seat}) dropped out after ply {after_plies} ({termination}): {reason}"))
}

/// `1st`, `2nd` and so on, up to the maximum number of seats.
fn ordinal(place: u8) -> String {
    let ending = match place {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{place}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Fraction, Ruleset, Seat, Standing};
    use crate::referee::result::Termination;

    #[test]
    fn players_are_listed_by_place_and_those_that_dropped_out_come_last() {
        let names = ["ann", "bo", "cy", "dee"];
        let players = BySeat::from_fn(4, |seat| names[seat.index()].to_owned());
        let standing = Standing {
            placing: BySeat::new(vec![1, 3, 1, 4]).expect("four"),
            totals: BySeat::from_fn(4, |_| Fraction::new(0, 1)),
            points: BySeat::from_fn(4, |_| 0),
            counts: Vec::new(),
        };
        let ruleset: Ruleset = "quantum-4p".parse().expect("a rule set");
        let out = |seat, after_plies, termination, reason: Option<&str>| Out {
            seat: Seat::new(seat).expect("a seat"),
            after_plies,
            termination,
            reason: reason.map(str::to_owned),
        };
        let mut record = GroupRecord::of(ruleset, players, Ok(standing));
        record.outs = vec![out(4, 7, Termination::Crash, Some("killed")), out(2, 9, Termination::Resignation, None)];
        assert_eq!(told_places(&record, &record.players), "ann 1st, cy 1st, bo out (resignation), dee out (crash)");
        let told: Vec<Option<String>> = record.outs.iter().map(|out| told_out(&record, out)).collect();
        let crash = "  dee (seat 4) dropped out after ply 7 (crash): killed".to_owned();
        assert_eq!(told, [Some(crash), None]);
    }
}
