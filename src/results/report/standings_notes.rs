//! The notes below the standings, which explain the numbers.

use super::PageNotes;
use super::text_table::{Look, shown};
use crate::base::units::counted;
use crate::results::rating::{Bootstrap, Elo, Model, Prior, Rating, Wdl};
use crate::results::standings::{MissingGame, Standings, Test};

/// The notes, one per line.
pub(super) fn notes(standings: &Standings, look: Look) -> Vec<String> {
    let mut notes = vec![model(standings), bars(standings, look), prior(standings), parameters(standings)];
    if standings.components() > 1 {
        notes.push(components(standings));
    }
    notes.push(games(standings));
    notes.push(columns());
    notes.extend(left_out(standings));
    notes.extend(duplicates(standings));
    notes.extend(idle_time_losses(standings));
    notes.extend(test(standings, look));
    notes.extend(missing(standings, look));
    notes
}

/// The notes for a page.
pub(super) fn of_page(standings: &Standings) -> PageNotes {
    let look = Look::Plain;
    let mut ratings = vec![model(standings), bars(standings, look), prior(standings)];
    if standings.components() > 1 {
        ratings.push(components(standings));
    }
    let mut games = vec![games(standings)];
    games.extend(duplicates(standings));
    games.extend(idle_time_losses(standings));
    games.extend(test(standings, look));
    PageNotes { ratings, parameters: parameters(standings), games }
}

fn model(standings: &Standings) -> String {
    let (model, scale) = match standings.model() {
        Model::Davidson => {
            ("Davidson's model with order effect", "400-point scale, wider than Ordo's where there are draws")
        }
        Model::BtHalf => ("bt-half, a draw as half a win", "400-point scale, like Ordo's"),
    };
    format!("Elo by {model} ({scale}).")
}

fn bars(standings: &Standings, look: Look) -> String {
    let own_pools = standings.prior() == Prior::None && standings.components() > 1;
    let zero = match standings.anchor() {
        Some(anchor) => format!("{} is set to {}", shown(&anchor.player, look), anchor.elo),
        None if own_pools => "0 is the mean of the largest component".to_owned(),
        None => "0 is the mean of all players".to_owned(),
    };
    let frame = if own_pools { "the player's own component" } else { "all players" };
    let bars = match standings.bootstrap() {
        None => "±95% is half of a 95 % interval".to_owned(),
        Some(Bootstrap { samples, seed }) => {
            format!("±95% holds 95 % of {samples} fits to games drawn from this one (seed {seed})")
        }
    };
    format!("{zero}; {bars}, relative to the mean of {frame}.")
}

fn prior(standings: &Standings) -> String {
    match standings.prior() {
        Prior::Weak => {
            "Weak prior: each rating and the first-move advantage 0 with sd 400 Elo, ln nu = ln 0.3 with sd 2."
        }
        Prior::None => "No prior: `>` and `<` mark unbounded ratings, shown as the weak prior would give them.",
    }
    .to_owned()
}

fn parameters(standings: &Standings) -> String {
    let (advantage, error) = standings.advantage();
    let bar = |error: Option<Elo>| error.map_or_else(|| "unknown".to_owned(), |error| format!("{error:.1}"));
    let advantage = match advantage {
        Rating::Finite(elo) => format!("{elo:+.1} ± {} Elo for black", bar(error)),
        Rating::Above(_) => "unbounded, for black".to_owned(),
        Rating::Below(_) => "unbounded, for white".to_owned(),
    };
    let draws = standings.draws();
    let share = 100.0 * draws.between_equals();
    let nu = if draws.nu.is_infinite() { "unbounded".to_owned() } else { format!("{:.3}", draws.nu) };
    format!("First move: {advantage}. Draws between equals: {share:.1} % (nu {nu}).")
}

fn components(standings: &Standings) -> String {
    let count = standings.components();
    let bound = match standings.prior() {
        Prior::Weak => "only the prior bounds the gap between them",
        Prior::None => "nothing bounds the gap between them",
    };
    format!("{count} components (comp.) that no cycle of wins and draws connects: not comparable, {bound}.")
}

fn games(standings: &Standings) -> String {
    let counts = standings.counts();
    let played = counts.rated + counts.double_forfeits;
    let mut text = counted(played, "game");
    let mut unrated = Vec::new();
    if counts.double_forfeits > 0 {
        unrated.push(format!("{} among them (lost by both)", counted(counts.double_forfeits, "double forfeit")));
    }
    if counts.void > 0 {
        unrated.push(format!("{} besides", counted(counts.void, "void game")));
    }
    if unrated.is_empty() {
        text.push_str(", all rated.");
    } else {
        text.push_str("; not rated: ");
        text.push_str(&unrated.join(", "));
        text.push('.');
    }
    text
}

fn columns() -> String {
    "Points: 1 for a win, 0.5 for a draw. Margin: stones ahead, summed where board or proof decided. As black, as \
     white: W-D-L."
        .to_owned()
}

fn left_out(standings: &Standings) -> Option<String> {
    let forfeits = standings.counts().forfeits_left_out;
    standings
        .counting()
        .without_forfeits
        .then(|| format!("Without forfeits: {} left out of ratings, points and tables.", counted(forfeits, "game")))
}

fn duplicates(standings: &Standings) -> Option<String> {
    let duplicates = standings.counts().duplicates;
    let (repeat, each) = if duplicates == 1 { ("repeats", "it is") } else { ("repeat", "they are") };
    let games = counted(duplicates, "game");
    if standings.counting().distinct {
        Some(format!("Distinct games only: {games} that {repeat} an earlier one move for move left out."))
    } else {
        (duplicates > 0).then(|| format!("{games} {repeat} an earlier one move for move; {each} still counted."))
    }
}

fn idle_time_losses(standings: &Standings) -> Option<String> {
    let idle = standings.counts().idle_time_losses;
    let losses = if idle == 1 { "1 loss".to_owned() } else { format!("{idle} losses") };
    (idle > 0).then(|| format!("{losses} on time with little CPU used: the machine, a sleep or a wait, not thinking."))
}

fn test(standings: &Standings, look: Look) -> Option<String> {
    let Test { player, opponent, progress } = standings.run().test.as_ref()?;
    let (player, opponent) = (shown(player, look), shown(opponent, look));
    let lead = progress
        .lead()
        .map_or_else(String::new, |lead| format!(" With the stopping rule allowed for, {player} leads by {lead}."));
    Some(format!("Sequential test of {player} against {opponent} ({}): {progress}.{lead}", progress.sprt()))
}

fn missing(standings: &Standings, look: Look) -> Option<String> {
    let missing = &standings.run().missing;
    if missing.games() == 0 {
        return None;
    }
    let mut listed: Vec<String> = Vec::new();
    for MissingGame { id, void } in missing.listed() {
        let void = void.as_ref().map(|reason| format!(" (void: {})", shown(reason, look)));
        listed.push(format!("{}{}", shown(id, look), void.unwrap_or_default()));
    }
    let others = missing.games() - listed.len() as u64;
    if others > 0 {
        listed.push(format!("{others} more"));
    }
    Some(format!("Missing: {} without a result: {}.", counted(missing.games(), "game"), listed.join(", ")))
}

/// `7` or `7.5`.
pub(super) fn points(games: Wdl) -> String {
    let half_points = games.half_points();
    format!("{}{}", half_points / 2, if half_points % 2 == 1 { ".5" } else { "" })
}
