//! Who won, and what the games do not show yet, in sentences.

#[cfg(test)]
mod tests;

use super::PageHeadline;
use super::result_points::{counted_points, halves};
use crate::base::units::{counted, grouped};
use crate::results::format_result::{FormatResult, KnockoutResult, SwissResult};
use crate::results::rating::{Basis, Elo, Rating};
use crate::results::standings::{GroupRow, GroupStandings, PlayerRow, RunState, Standings, Test};
use crate::tournament::sprt::{LeadEstimate, SprtVerdict};

/// The minimum probability that one of two players is stronger, for the two to count as told apart: 95% in a two-sided
/// test.
const TOLD_APART: f64 = 0.975;

/// The data about a player that the headline needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contestant<'s> {
    pub(super) player: &'s str,
    pub(super) rank: Option<usize>,
    pub(super) half_points: u64,
    /// The greatest possible number of half points in the player's games.
    pub(super) most: u64,
    /// The Elo, if the games determine it.
    pub(super) elo: Option<Elo>,
}

/// The data about standings that the headline needs.
#[derive(Clone, Debug)]
pub(super) struct Contest<'s> {
    /// The players, the best first.
    pub(super) contestants: Vec<Contestant<'s>>,
    /// The number of games that have a result.
    pub(super) games: u64,
    pub(super) run: &'s RunState,
}

impl<'s> Contest<'s> {
    pub(super) fn of_pairs(standings: &'s Standings) -> Self {
        let counts = standings.counts();
        let contestant = |row: &'s PlayerRow| Contestant {
            player: &row.player,
            rank: row.rank,
            half_points: row.total().half_points(),
            most: 2 * row.total().games(),
            elo: row.finite_rating().filter(|_| row.basis == Basis::Games),
        };
        Self {
            contestants: standings.rows().iter().map(contestant).collect(),
            games: counts.rated + counts.odds + counts.double_forfeits,
            run: standings.run(),
        }
    }

    pub(super) fn of_groups(standings: &'s GroupStandings) -> Self {
        let others = u64::from(standings.seats()) - 1;
        let contestant = |row: &'s GroupRow| Contestant {
            player: &row.player,
            rank: row.rank,
            half_points: row.total.half_points,
            most: 2 * others * row.total.games,
            elo: row.rating.and_then(Rating::finite).filter(|_| row.basis == Basis::Games),
        };
        Self {
            contestants: standings.rows().iter().map(contestant).collect(),
            games: standings.counts().counted(),
            run: standings.run(),
        }
    }

    /// The sentence that says who won.
    pub(super) fn headline(&self) -> String {
        if let Some(test) = &self.run.test {
            return of_test(test);
        }
        let of_format = self.run.result.as_ref().and_then(|result| match result {
            FormatResult::Knockout(KnockoutResult { champion, .. }) => {
                Some(format!("{} wins the knockout.", champion.as_ref()?))
            }
            FormatResult::Swiss(swiss) => of_swiss(swiss),
        });
        let missing = &self.run.missing;
        let so_far = match (missing.unplayed(), &of_format) {
            // Which games follow in a knockout or a Swiss tournament depends on the results.
            (1.., None) if self.run.result.is_some() => {
                let (count, are) = (counted(self.games, "game"), if self.games == 1 { "is" } else { "are" });
                format!("So far, {count} {are} finished: ")
            }
            (1.., None) => {
                let all = counted(self.games + missing.games(), "game");
                format!("So far, {} of {all} are finished: ", grouped(self.games))
            }
            _ => String::new(),
        };
        of_format.unwrap_or_else(|| so_far + &self.leader())
    }

    /// Who is first in the standings.
    fn leader(&self) -> String {
        let first: Vec<&Contestant<'_>> = self.first().collect();
        match first[..] {
            [] => "no player has a rank yet.".to_owned(),
            [one] => {
                let points = halves(one.half_points);
                format!("{} is first, with {points} of {}.", one.player, counted(one.most / 2, "point"))
            }
            _ => {
                let names: Vec<&str> = first.iter().map(|one| one.player).collect();
                format!("{} share first place.", listed(&names))
            }
        }
    }

    fn first(&self) -> impl Iterator<Item = &Contestant<'s>> {
        self.contestants.iter().filter(|one| one.rank == Some(1))
    }
}

/// The headline of a page on games with two seats.
pub(super) fn of_pairs(standings: &Standings) -> Option<PageHeadline> {
    let contest = Contest::of_pairs(standings);
    let run = standings.run();
    let mut details = Vec::new();
    match &run.test {
        Some(test) => details.extend(test.progress.lead().map(|lead| likely_lead(test, lead))),
        None => details.extend(contest.lead()),
    }
    // The headline of a sequential test already states its outcome, and a knockout has a winner whatever the ratings are.
    let is_won = matches!(&run.result, Some(FormatResult::Knockout(knockout)) if knockout.champion.is_some());
    if run.test.is_none() && !is_won {
        details.extend(contest.level(|row, other| standings.superiority(row, other)));
    }
    contest.for_page(details)
}

/// The headline of a page on games with more than two seats.
pub(super) fn of_groups(standings: &GroupStandings) -> Option<PageHeadline> {
    let contest = Contest::of_groups(standings);
    let mut details = Vec::from_iter(contest.lead());
    details.extend(contest.level(|row, other| standings.superiority(row, other)));
    contest.for_page(details)
}

impl Contest<'_> {
    fn for_page(&self, details: Vec<String>) -> Option<PageHeadline> {
        let headline = self.headline();
        // A player's name at the beginning of a sentence is not capitalised.
        let starts_with_name = self.contestants.iter().any(|one| headline.starts_with(one.player));
        let sentence = if starts_with_name { headline } else { capital(&headline) };
        (!self.contestants.is_empty()).then_some(PageHeadline { sentence, details })
    }

    /// By how much the player in first place is ahead of the next player: `6.5 points and 289 Elo ahead of greedy.` If
    /// only the ratings differ, the sentence says that the points do not.
    fn lead(&self) -> Option<String> {
        let [first, next, ..] = self.contestants[..] else { return None };
        if self.first().count() != 1 || self.run.result.is_some() {
            return None;
        }
        let points = (first.most == next.most && first.half_points > next.half_points)
            .then(|| counted_points(first.half_points - next.half_points));
        let elo = first.elo.zip(next.elo).map(|(one, other)| one.0 - other.0).filter(|gap| *gap >= 0.5);
        let elo = elo.map(|gap| format!("{gap:.0} Elo"));
        if let (Some(elo), true) = (&elo, first.most == next.most && first.half_points == next.half_points) {
            return Some(format!("Equal on points with {}, but {elo} ahead.", next.player));
        }
        let leads: Vec<String> = points.into_iter().chain(elo).collect();
        (!leads.is_empty()).then(|| format!("{} ahead of {}.", leads.join(" and "), next.player))
    }

    /// The best players that the games cannot tell apart. `superiority` returns the likelihood that one player is
    /// stronger than another.
    fn level(&self, superiority: impl Fn(usize, usize) -> Option<f64>) -> Option<String> {
        let sets = level_sets(self.contestants.len(), &superiority);
        let name = |index: usize| self.contestants[index].player;
        let are_rated = (1..self.contestants.len()).all(|row| superiority(row - 1, row).is_some());
        match sets.first() {
            Some(&(first, last)) => {
                let players = match last - first {
                    1 => format!("{} and {}", name(first), name(last)),
                    // The rules of a Swiss tournament decide the places.
                    _ if self.run.result.is_some() && first == 0 => {
                        format!("the {} players with the highest ratings", last + 1)
                    }
                    _ => format!("places {} to {}", first + 1, last + 1),
                };
                Some(format!("The games cannot tell {players} apart (95%)."))
            }
            None if are_rated && self.contestants.len() > 1 => {
                Some("The games can tell all players apart (95%).".to_owned())
            }
            None => None,
        }
    }
}

/// Who won a Swiss tournament, once it is over.
fn of_swiss(swiss: &SwissResult) -> Option<String> {
    let first: Vec<_> = swiss.places.iter().filter(|place| place.place == 1 && swiss.is_final).collect();
    let names: Vec<&str> = first.iter().map(|place| place.player.as_str()).collect();
    match first[..] {
        [] => None,
        [place] => {
            Some(format!("{} wins the Swiss tournament, with {}.", place.player, counted_points(place.half_points)))
        }
        _ => Some(format!("{} share first place in the Swiss tournament.", listed(&names))),
    }
}

/// The outcome of a sequential test, in a sentence.
fn of_test(Test { player, opponent, progress }: &Test) -> String {
    let sprt = progress.sprt();
    let (low, high) = (sprt.elo0(), sprt.elo1());
    let pairs = counted(progress.all_pairs(), "pair");
    match progress.verdict() {
        SprtVerdict::H1 => {
            format!("{player} is {high} rather than {low} Elo stronger than {opponent} (H1, accepted after {pairs}).")
        }
        SprtVerdict::H0 => {
            format!("{player} is not {high} Elo stronger than {opponent} (H0: {low} Elo, accepted after {pairs}).")
        }
        SprtVerdict::Undecided => {
            format!("Not decided after {pairs}: whether {player} is {low} or {high} Elo stronger than {opponent}.")
        }
    }
}

/// The lead that a sequential test shows, in words: `Ada is likely between 12 Elo weaker and 80 Elo stronger than Bea.`
fn likely_lead(Test { player, opponent, .. }: &Test, LeadEstimate { elo, low, high }: LeadEstimate) -> String {
    let side = |elo: f64| if elo < 0.0 { format!("{:.0} Elo weaker", -elo) } else { format!("{elo:.0} Elo stronger") };
    let range = match (low, high) {
        (Some(low), Some(high)) if high < 0.0 => format!("likely between {:.0} and {}", -high, side(low)),
        (Some(low), Some(high)) if low >= 0.0 => format!("likely between {low:.0} and {}", side(high)),
        (Some(low), Some(high)) => format!("likely between {} and {}", side(low), side(high)),
        (Some(low), None) => format!("likely at {} {}", if low < 0.0 { "most" } else { "least" }, side(low)),
        (None, Some(high)) => format!("likely at {} {}", if high < 0.0 { "least" } else { "most" }, side(high)),
        (None, None) => format!("about {}", side(elo)),
    };
    format!("{player} is {range} than {opponent} (95%, allowing for the stopping rule).")
}

/// The sets of players that the games cannot tell apart, each as its first and last row, among `rows` players.
/// `superiority` returns the likelihood that one player is stronger than another.
pub(super) fn level_sets(rows: usize, superiority: impl Fn(usize, usize) -> Option<f64>) -> Vec<(usize, usize)> {
    let is_level = |row, other| superiority(row, other).is_some_and(|likely| likely < TOLD_APART);
    let mut sets: Vec<(usize, usize)> = Vec::new();
    for first in 0..rows {
        let last = (first + 1..rows).take_while(|&last| is_level(first, last)).last().unwrap_or(first);
        if last > sets.last().map_or(first, |&(_, last)| last.max(first)) {
            sets.push((first, last));
        }
    }
    sets
}

/// `a, b and c`. If there are many names, only the first few are listed.
fn listed(names: &[&str]) -> String {
    const NAMED: usize = 4;
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] if names.len() <= NAMED => format!("{} and {last}", all.join(", ")),
        _ => format!("{} and {} more", names[..NAMED - 1].join(", "), names.len() - NAMED + 1),
    }
}

/// `sentence`, beginning with a capital letter.
fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
