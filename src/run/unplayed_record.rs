//! Records of games without moves, for tests.

use crate::game::{Ruleset, Seat};
use crate::referee::record::{GroupRecord, Out};
use crate::referee::result::Termination;
use crate::referee::time_control::TimeControl;
use crate::tournament::schedule::GameSpec;

/// The text of the record of `spec` with the id `id`, in which `black` and `white` made no move. `ending` is the value
/// of the tag `Termination`.
pub(crate) fn unplayed_record(
    spec: &GameSpec,
    id: &str,
    [black, white]: [&str; 2],
    result: &str,
    ending: &str,
) -> String {
    format!(
        "[Round \"{}\"]\n[Black \"{black}\"]\n[White \"{white}\"]\n[Result \"{result}\"]\n[Termination \"{ending}\"]\n\
         [TimeControl \"-\"]\n[Game \"{id}\"]\n[Seed \"{}\"]\n\n{result}\n",
        spec.round, spec.seed
    )
}

/// The record of `spec`, a game with more than two seats, in which only the player in seat `winner` took its seat, so
/// no move was made. `names` contains the names of all players of the tournament.
pub(crate) fn unplayed_group(spec: &GameSpec, ruleset: Ruleset, names: &[&str], winner: Seat) -> GroupRecord {
    let mut position = ruleset.start();
    let absent = spec.players.all_seats().filter(|&seat| seat != winner);
    let outs: Vec<Out> = absent
        .map(|seat| {
            position.drop_out(seat);
            Out { seat, after_plies: 0, termination: Termination::NoShow, reason: Some("it did not come".to_owned()) }
        })
        .collect();
    let standing = position.standing().expect("there are more than two seats");
    GroupRecord {
        round: Some(spec.round),
        game: Some(spec.id.to_string()),
        seed: Some(spec.seed),
        time_control: Some(TimeControl::Unlimited),
        outs,
        ..GroupRecord::of(ruleset, spec.players.clone().map(|player| names[player].to_owned()), Ok(standing))
    }
}
