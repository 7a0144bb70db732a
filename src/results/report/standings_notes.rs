//! The notes below the standings, which explain the numbers.

use super::PageNotes;
use super::text_table::{Look, shown};
use crate::base::units::counted;
use crate::referee::result::Termination;
use crate::results::rating::{Anchor, Basis, Bootstrap, Elo, Model, PlayerGroups, Prior, Rating};
use crate::results::standings::{
    Counting, ForfeitKinds, MissingGame, PlayerRow, RatedRow, RatingFacts, RunState, Standings, Test,
};

/// The notes on `standings`, one per line: what the table does not show and, if `explains`, how its numbers were
/// computed.
pub(super) fn notes(standings: &Standings, explains: bool, look: Look) -> Vec<String> {
    let facts = standings.rating_facts();
    let mut notes = Vec::new();
    if explains {
        notes.extend([model(standings), bars(&facts, look), prior(standings)]);
    }
    notes.push(parameters(standings));
    notes.extend(on_ratings(&facts, "wins and draws"));
    notes.push(games(standings));
    if explains {
        notes.push(columns());
    }
    notes.extend(on_games(standings, look));
    notes
}

/// The limitations of the ratings that `facts` describes. Cycles of `results` connect the players of a component.
pub(super) fn on_ratings(facts: &RatingFacts<'_>, results: &str) -> Vec<String> {
    let components = (facts.components > 1).then(|| components(facts, results));
    [components, undetermined(facts), without_rank(facts)].into_iter().flatten().collect()
}

/// `notes` in the words of pages, which call a component a group.
pub(super) fn on_page(notes: Vec<String>) -> impl Iterator<Item = String> {
    notes.into_iter().map(|note| note.replace(" components (comp.) ", " groups of players "))
}

/// The notes on the games of `standings`, on the sequential test, and on missing games.
pub(super) fn on_games(standings: &Standings, look: Look) -> Vec<String> {
    let counts = standings.counts();
    let mut notes = Vec::from_iter(colours(standings));
    notes.extend(left_out(standings.counting(), counts.forfeits_left_out));
    notes.extend(duplicates(standings.counting(), counts.duplicates));
    notes.extend(adjudicated(standings));
    notes.extend(idle_time_losses(counts.idle_time_losses));
    notes.extend(starved_time_losses(standings));
    notes.extend(test(standings, look, str::to_owned));
    notes.extend(missing(standings.run(), look));
    notes
}

/// The number of games if some are not rated, and why.
pub(super) fn unrated(standings: &Standings) -> Option<String> {
    let counts = standings.counts();
    let unrated = counts.odds + counts.double_forfeits + counts.void + counts.after_test;
    (unrated > 0).then(|| games(standings))
}

/// The notes on `standings` for a page.
pub(super) fn of_page(standings: &Standings) -> PageNotes {
    let look = Look::Plain;
    let facts = standings.rating_facts();
    let mut ratings = vec![model(standings), bars(&facts, look), prior(standings)];
    ratings.extend(on_page(on_ratings(&facts, "wins and draws")));
    let counts = standings.counts();
    let has_games = counts.rated + counts.odds + counts.double_forfeits + counts.void + counts.after_test > 0;
    let mut games: Vec<String> = has_games.then(|| games(standings)).into_iter().collect();
    games.extend(colours(standings));
    games.extend(duplicates(standings.counting(), counts.duplicates));
    games.extend(adjudicated(standings));
    games.extend(idle_time_losses(counts.idle_time_losses));
    games.extend(starved_time_losses(standings));
    ratings.extend((counts.rated > 0).then(|| with_minus(&parameters(standings))));
    let is_known = standings.advantage().1.is_some_and(|error| error.0 <= WIDEST_FIRST_MOVE);
    let first_move = first_move(standings).filter(|_| counts.rated > 0 && is_known);
    let test = test(standings, look, with_minus);
    PageNotes { ratings, first_move: first_move.map(|text| with_minus(&text)), games, test }
}

/// The greatest half of an interval, in Elo, with which a page states the value of the first move: wider ones say
/// nothing.
const WIDEST_FIRST_MOVE: f64 = 200.0;

/// Replaces the hyphens before negative numbers in `text` with the minus signs that pages use. `text` must not contain
/// names.
fn with_minus(text: &str) -> String {
    // The space makes the beginning of the text the beginning of a word.
    format!(" {text}").replace(" -", " −").replace("(-", "(−").split_off(1)
}

/// The number of games that each player has played with each colour, if some player has played only one colour.
fn colours(standings: &Standings) -> Option<String> {
    /// The maximum number of players that are listed: enough for a class. The table shows the numbers of the other
    /// players.
    const NAMED: usize = 100;
    let of = |row: &PlayerRow| (row.by_side.black.games(), row.by_side.white.games());
    let has_one = |row: &PlayerRow| matches!(of(row), (0, games) | (games, 0) if games > 1);
    if !standings.rows().iter().any(has_one) {
        return None;
    }
    let each = standings.rows().iter().take(NAMED).map(|row| {
        let (black, white) = of(row);
        format!("{} {black} and {white}", shown(&row.player, Look::Plain))
    });
    let mut each = each.collect::<Vec<_>>().join(", ");
    if standings.rows().len() > NAMED {
        each += ", and more";
    }
    Some(format!("Not every player has played both colours. Games as black and as white: {each}."))
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

/// The meaning of the error bars, and the position of the zero point.
pub(super) fn bars(facts: &RatingFacts<'_>, look: Look) -> String {
    let own_pools = facts.prior == Prior::None && facts.components > 1;
    let anchors = facts.anchors;
    let frame = if anchors.len() > 1 || anchors.iter().any(|anchor| anchor.deviation.is_some()) {
        "the anchors"
    } else if own_pools {
        "the mean of the player's own component"
    } else if facts.are_all_rated() {
        "the mean of all players"
    } else {
        "the mean of all rated players"
    };
    let bars = match facts.bootstrap {
        None => "±95% is half of a 95% interval".to_owned(),
        Some(Bootstrap { samples, seed }) => {
            format!("±95% contains 95% of {samples} fits to games drawn from this fit (seed {seed})")
        }
    };
    format!("{}; {bars}, relative to {frame}.", zero(facts, look))
}

/// The position of the zero point.
fn zero(facts: &RatingFacts<'_>, look: Look) -> String {
    let PlayerGroups { count, have_pools } = facts.connection;
    let own_groups = facts.prior == Prior::None && count > 1;
    let anchors = facts.anchors;
    if !anchors.is_empty() {
        let others =
            if own_groups { "; players that are not connected to an anchor by games have their own zero" } else { "" };
        return format!("{}{others}", given(anchors, look));
    }
    let is_split = facts.prior == Prior::None && facts.components > 1;
    match (own_groups, is_split && have_pools) {
        (true, true) => "Each group of players connected by games has its own 0, the mean of its largest component",
        (true, false) => "Each group of players connected by games has its own 0, the mean of the group",
        (false, true) => "0 is the mean of the largest component",
        (false, false) if facts.are_all_rated() => "0 is the mean of all players",
        (false, false) => "0 is the mean of all rated players",
    }
    .to_owned()
}

/// `greedy is set to 1500.00, alice is held near 1700.00 (sd 30.00)`.
fn given(anchors: &[Anchor], look: Look) -> String {
    /// The maximum number of anchors that are named.
    const NAMED: usize = 4;

    let one = |Anchor { player, elo, deviation }: &Anchor| match deviation {
        None => format!("{} is set to {elo}", shown(player, look)),
        Some(deviation) => format!("{} is held near {elo} (sd {deviation})", shown(player, look)),
    };
    let mut texts: Vec<String> = anchors.iter().take(NAMED).map(one).collect();
    if anchors.len() > NAMED {
        texts.push(format!("{} more anchors", anchors.len() - NAMED));
    }
    texts.join(", ")
}

/// The meaning of question marks, if there are any.
fn undetermined(facts: &RatingFacts<'_>) -> Option<String> {
    let is_marked = |row: &RatedRow| row.basis == Basis::Prior && row.rating.and_then(Rating::finite).is_some();
    let from = match (facts.prior, facts.anchors.is_empty()) {
        (Prior::None, _) => "",
        (Prior::Weak, true) => ": their distance from the others depends only on the prior",
        (Prior::Weak, false) => ": their distance from the anchors depends only on the prior",
    };
    let text = || format!("`?`: the games do not determine these ratings{from}.");
    facts.rows.iter().any(is_marked).then(text)
}

/// How many players have no rank, if any, and why.
fn without_rank(facts: &RatingFacts<'_>) -> Option<String> {
    let without = |is_rated: bool| {
        facts.rows.iter().filter(|row| !row.has_rank && row.rating.is_some() == is_rated).count() as u64
    };
    let mut texts = Vec::new();
    if without(true) > 0 {
        let few = counted(facts.min_games, "rated game");
        texts.push(format!("{} with fewer than {few}", counted(without(true), "player")));
    }
    if without(false) > 0 {
        texts.push(format!("{} without a rated game", counted(without(false), "player")));
    }
    (!texts.is_empty()).then(|| format!("Without a rank (-): {}.", texts.join(", ")))
}

fn prior(standings: &Standings) -> String {
    match standings.prior() {
        Prior::Weak => {
            "Weak prior: each rating and the first-move advantage have mean 0 and sd 400 Elo, ln nu has mean ln 0.3 and sd 2."
        }
        Prior::None => "No prior: `>` and `<` mark unbounded ratings, shown as the weak prior would give them.",
    }
    .to_owned()
}

/// The value of the first move, if it is known.
pub(super) fn first_move(standings: &Standings) -> Option<String> {
    let (Rating::Finite(elo), Some(error)) = standings.advantage() else { return None };
    Some(format!("Black's first move is worth {elo:+.0} ± {error:.0} Elo."))
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
    let draws = match (draws.nu.is_infinite(), standings.model()) {
        (true, Model::BtHalf) => "Draws: as many as the expected scores allow (nu unbounded)".to_owned(),
        (true, Model::Davidson) => format!("Draws between equals: {share:.1}% (nu unbounded)"),
        (false, _) => format!("Draws between equals: {share:.1}% (nu {:.3})", draws.nu),
    };
    format!("First move: {advantage}. {draws}.")
}

/// The components, which no cycle of `results` connects.
fn components(facts: &RatingFacts<'_>, results: &str) -> String {
    let count = facts.components;
    let bound = match facts.prior {
        Prior::Weak => "only the prior bounds the gap between them",
        Prior::None => "nothing bounds the gap between them",
    };
    format!("{count} components (comp.) not connected by any cycle of {results}: not comparable, {bound}.")
}

fn games(standings: &Standings) -> String {
    let counts = standings.counts();
    let played = counts.rated + counts.odds + counts.double_forfeits;
    let mut text = counted(played, "game");
    let mut unrated = Vec::new();
    if counts.odds > 0 {
        unrated.push(with_odds(counts.odds));
    }
    if counts.double_forfeits > 0 {
        unrated.push(format!("{} among them (lost by both)", counted(counts.double_forfeits, "double forfeit")));
    }
    if counts.void > 0 {
        unrated.push(counted(counts.void, "additional void game"));
    }
    if counts.after_test > 0 {
        let games = counted(counts.after_test, "additional game");
        unrated.push(format!("{games} that were in progress when the test ended"));
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

/// The description of `games` that count for points only.
pub(super) fn with_odds(games: u64) -> String {
    let games = counted(games, "game");
    format!("{games} in which a player had its own handicap or compensation (--with-odds rates them)")
}

fn columns() -> String {
    "Points: 1 for a win, 0.5 for a draw. Margin: stones or points ahead, summed over the games that were decided on the \
     board or by proof. As black, as white: W-D-L."
        .to_owned()
}

/// The number of `forfeits` that were left out, if any are.
pub(super) fn left_out(counting: Counting, forfeits: u64) -> Option<String> {
    let kinds = counting.without_forfeits;
    let by_kind = if kinds == ForfeitKinds::all() {
        String::new()
    } else {
        let names: Vec<&str> = kinds.kinds().map(Termination::name).collect();
        format!(" by {}", names.join(", "))
    };
    (!kinds.is_empty()).then(|| {
        format!("Without forfeits{by_kind}: {} left out of ratings, points and tables.", counted(forfeits, "game"))
    })
}

/// The number of games that repeat an earlier game.
pub(super) fn duplicates(counting: Counting, duplicates: u64) -> Option<String> {
    let (repeat, each, are) = if duplicates == 1 { ("repeats", "it", "is") } else { ("repeat", "they", "are") };
    let games = counted(duplicates, "game");
    if counting.distinct {
        Some(format!("Distinct games only: {games} that {repeat} an earlier one move for move {are} left out."))
    } else {
        (duplicates > 0).then(|| format!("{games} {repeat} an earlier one move for move; {each} {are} still counted."))
    }
}

fn adjudicated(standings: &Standings) -> Option<String> {
    let adjudicated = standings.counts().adjudicated;
    let games = counted(adjudicated, "game");
    (adjudicated > 0).then(|| {
        format!(
            "{games} ended by proof (adjudicated), with the result of best play, which bots that play on do not always reach."
        )
    })
}

/// The number of losses on time with little CPU used.
pub(super) fn idle_time_losses(idle: u64) -> Option<String> {
    let losses = if idle == 1 { "1 loss".to_owned() } else { format!("{idle} losses") };
    (idle > 0).then(|| {
        format!("{losses} on time with little CPU used: the loser slept, waited or was held up by the machine instead of thinking.")
    })
}

fn starved_time_losses(standings: &Standings) -> Option<String> {
    let starved = standings.counts().starved_time_losses;
    let losses = if starved == 1 { "1 loss".to_owned() } else { format!("{starved} losses") };
    (starved > 0).then(|| {
        format!("{losses} on time while the machine was busy: the loser waited longer for a core than it ran. Such losses still count.")
    })
}

/// The progress of the sequential test, and the lead that it shows. `numbers` formats the numbers.
fn test(standings: &Standings, look: Look, numbers: fn(&str) -> String) -> Vec<String> {
    let Some(Test { player, opponent, progress }) = &standings.run().test else { return Vec::new() };
    let (player, opponent) = (shown(player, look), shown(opponent, look));
    let lead = progress.lead().map(|lead| numbers(&lead.to_string()));
    let lead = lead.map(|lead| format!("Allowing for the stopping rule, the lead of {player} is {lead}."));
    let (sprt, progress) = (numbers(&progress.sprt().to_string()), numbers(&progress.to_string()));
    let test = format!("Sequential test of {player} against {opponent} ({sprt}): {progress}.");
    [Some(test), lead].into_iter().flatten().collect()
}

/// The games of the run that have no result.
pub(super) fn missing(run: &RunState, look: Look) -> Option<String> {
    let missing = &run.missing;
    if missing.games() == 0 {
        return None;
    }
    // In most cases, many games are void for the same reason.
    let mut reasons: Vec<(Option<&str>, Vec<String>)> = Vec::new();
    for MissingGame { id, void } in missing.listed() {
        let (void, id) = (void.as_deref(), shown(id, look));
        match reasons.iter_mut().find(|(reason, _)| *reason == void) {
            Some((_, ids)) => ids.push(id),
            None => reasons.push((void, vec![id])),
        }
    }
    let mut listed: Vec<String> = Vec::new();
    for (void, ids) in &reasons {
        let each = if ids.len() == 1 { "" } else { "each " };
        let void = void.map(|reason| format!(" ({each}void: {})", shown(reason, look)));
        listed.push(ids.join(", ") + &void.unwrap_or_default());
    }
    let others = missing.games() - missing.listed().len() as u64;
    if others > 0 {
        listed.push(format!("{others} more"));
    }
    // A sequential test may end before its last pair.
    let bound = if run.test.is_some() { "at most " } else { "" };
    Some(format!("Missing: {bound}{} without a result: {}.", counted(missing.games(), "game"), listed.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_negative_number_has_the_minus_sign_of_pages() {
        assert_eq!(
            with_minus("-1.5 Elo (-2 to 3), by score 3-0-1, nElo -4"),
            "−1.5 Elo (−2 to 3), by score 3-0-1, nElo −4"
        );
    }
}
