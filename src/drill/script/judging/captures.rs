//! Whether the bot turns captured stones.

use super::{Shortfall, TrialFailure};
use crate::base::sanitise::sanitised;
use crate::drill::script::turned_stones::Turning;
use crate::drill::script::{BoutEnd, BoutFacts};
use crate::exact::solver::{Question, Solver, TranspositionTable};
use crate::game::Move;
use crate::game::gothello::{Point, points};

/// For how many plies after a capture the bot's moves show whether it turned the stones.
const SHOWS_FOR: usize = 10;

/// How many nodes the solver may search to find out whether a pass was a best move. The positions in question have few
/// placements left, so the solver needs far fewer nodes.
const NODES: u64 = 50_000;

/// Requires that no move is refused soon after stones have turned.
pub(in crate::drill::script) fn is_legal_after_captures(game: &BoutFacts) -> Option<Shortfall> {
    let turned = turned_plies(game);
    let refusal = game.true_refusals().find(|refusal| soon_after(&turned, refusal.ply).is_some())?;
    let ago = refusal.ply - soon_after(&turned, refusal.ply)?;
    let (text, why) = (sanitised(&refusal.text), sanitised(&refusal.why));
    let summary = format!("`{text}` was refused, {} after stones had been turned over: {why}.", plies_text(ago));
    Some(Shortfall::bad(TrialFailure::of_refusal(refusal.kind), summary))
}

/// Requires that the bot does not pass when it can place a stone, but only because stones have turned, unless the pass
/// is a best move.
pub(in crate::drill::script) fn places_after_captures(game: &BoutFacts) -> Option<Shortfall> {
    let turned = turned_plies(game);
    let positions = positions(game);
    let passes = game.plies.iter().enumerate().filter(|(_, ply)| ply.side() == game.side && ply.played.is_pass());
    let (ply, now) = passes
        .filter(|(ply, _)| soon_after(&turned, *ply).is_some() && !ends_well(game, *ply))
        .filter_map(|(ply, _)| Some((ply, positions.get(ply)?)))
        .find(|(_, now)| now.depends_on_turned() && !is_pass_best(now))?;
    let legal: Vec<String> = points(now.placements()).map(|point| Point::to_move(point).to_string()).collect();
    let number = game.plies[..=ply].iter().filter(|made| made.side() == game.side).count();
    let verb = if legal.len() == 1 { "was" } else { "were" };
    let summary = format!(
        "Its move {number} was a pass, although {} {verb} legal: the surrounding stones had been turned over.",
        legal.join(", ")
    );
    Some(Shortfall::poor(TrialFailure::PassedOver, summary))
}

/// Whether the ply with index `ply` ends the game without a loss for the bot.
fn ends_well(game: &BoutFacts, ply: usize) -> bool {
    let is_lost = match &game.end {
        BoutEnd::Played(result) => result.winner() == Some(game.side.side().opponent()),
        _ => false,
    };
    ply + 1 == game.plies.len() && !is_lost
}

/// Whether no placement is worth more than a pass; `false` if the solver cannot decide this in time.
fn is_pass_best(now: &Turning) -> bool {
    let table = TranspositionTable::for_game(&now.game);
    let solution = Solver::new(&table).within(NODES).solve(&now.game, Question::Margin);
    solution.is_ok_and(|solution| solution.best.contains(&Move::PASS))
}

/// The position before each ply, and the final position; empty under rules other than Gothello's.
fn positions(game: &BoutFacts) -> Vec<Turning> {
    let Some(start) = Turning::after(game.ruleset, []) else { return Vec::new() };
    let mut positions = vec![start];
    for (index, ply) in game.plies.iter().enumerate() {
        positions.push(positions[index].play(ply.played));
    }
    positions
}

/// The numbers of plies after which stones had just turned.
fn turned_plies(game: &BoutFacts) -> Vec<usize> {
    let positions = positions(game);
    let steps = positions.windows(2).enumerate();
    steps.filter(|(_, step)| !step[0].turned_until(&step[1]).is_empty()).map(|(ply, _)| ply + 1).collect()
}

/// The last capture before `ply` among `turned`, if it is recent.
fn soon_after(turned: &[usize], ply: usize) -> Option<usize> {
    turned.iter().copied().filter(|at| (*at..=at + SHOWS_FOR).contains(&ply)).max()
}

fn plies_text(count: usize) -> String {
    match count {
        0 => "right".to_owned(),
        1 => "one ply".to_owned(),
        count => format!("{count} plies"),
    }
}
