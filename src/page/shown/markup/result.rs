//! The result of the tournament's own format: the places of a Swiss tournament, or the bracket of a knockout.

use std::collections::HashMap;

use maud::{Markup, html};

use super::section_title;
use crate::base::sanitise::sanitised;
use crate::page::shown::content::PageContent;
use crate::page::shown::kind::PageKind;
use crate::page::shown::prose::prose;
use crate::results::format_result::{BracketPairing, BracketRound, BracketSeat, FormatResult, KnockoutResult, WonBy};
use crate::results::report::{ResultTexts, result_texts};

/// The section of the result; `None` if the tournament's format does not produce one.
pub(super) fn section(kind: PageKind, content: &PageContent<'_>) -> Option<Markup> {
    let result = content.standings.run().result.as_ref()?;
    let texts = result_texts(result);
    let rows = content.standings.rows().iter().map(|row| row.player.as_str());
    let slugs = Slugs(rows.zip(content.data.players.iter().map(|player| player.slug.as_str())).collect());
    Some(html! {
        section id="result" class="result" {
            (section_title("result", &texts.heading))
            @match result {
                FormatResult::Swiss(swiss) => (places(swiss.places.iter().map(|place| place.player.as_str()), &texts, &slugs)),
                FormatResult::Knockout(knockout) => {
                    // The headline of a report names the champion.
                    @if kind == PageKind::Live || knockout.champion.is_none() { (champion(knockout, &slugs)) }
                    (bracket(knockout, &slugs))
                    (places(knockout.places.iter().map(|place| place.player.as_str()), &texts, &slugs))
                }
            }
            @if !texts.notes.is_empty() {
                details {
                    summary { "How places are decided" }
                    @for note in &texts.notes { p class="legend" { (prose(note)) } }
                }
            }
        }
    })
}

/// The slug of each player that has one.
struct Slugs<'p>(HashMap<&'p str, &'p str>);

impl Slugs<'_> {
    /// The player's name, as a link if the player has a page.
    fn link(&self, name: &str) -> Markup {
        html! {
            @match self.0.get(name) {
                Some(slug) => a href={ "#p=" (slug) } { (sanitised(name)) },
                None => (sanitised(name)),
            }
        }
    }
}

/// The table of `texts`, whose rows belong to `players`.
fn places<'p>(players: impl Iterator<Item = &'p str>, texts: &ResultTexts, slugs: &Slugs<'_>) -> Markup {
    html! {
        div class="scroll" { table {
            caption { (texts.caption) }
            thead { tr {
                @for (index, column) in texts.header.iter().enumerate() {
                    th scope="col" class=[(index != 1).then_some("num")] { (column) }
                }
            } }
            tbody { @for (player, cells) in players.zip(&texts.lines) { (line(player, cells, slugs)) } }
        } }
    }
}

fn line(player: &str, cells: &[String], slugs: &Slugs<'_>) -> Markup {
    html! {
        tr {
            @for (index, cell) in cells.iter().enumerate() {
                @if index == 1 {
                    th scope="row" { (slugs.link(player)) }
                } @else {
                    td class="num" { (if cell == "-" { "–" } else { cell.as_str() }) }
                }
            }
        }
    }
}

fn champion(knockout: &KnockoutResult, slugs: &Slugs<'_>) -> Markup {
    html! {
        p class="champion" {
            @match &knockout.champion {
                Some(champion) => { "Champion: " strong { (slugs.link(champion)) } "." },
                None => "No champion yet.",
            }
        }
    }
}

fn bracket(knockout: &KnockoutResult, slugs: &Slugs<'_>) -> Markup {
    html! {
        div class="scroll" { div class="bracket" {
            @for (number, round) in (1..).zip(&knockout.rounds) { (bracket_round(number, round, knockout, slugs)) }
        } }
    }
}

fn bracket_round(number: usize, round: &BracketRound, knockout: &KnockoutResult, slugs: &Slugs<'_>) -> Markup {
    let left = knockout.rounds.len() - number;
    let is_last = left == 0;
    let class = if is_last && knockout.champion.is_some() { "pairing final" } else { "pairing" };
    html! {
        div class="round" {
            h3 { (round_name(number, left, round.pairings.len())) }
            ol { @for pairing in &round.pairings { li { div class=(class) { (seats(pairing, slugs)) } } } }
        }
    }
}

/// The name of the round `number`, which has `pairings` and is followed by `left` rounds.
fn round_name(number: usize, left: usize, pairings: usize) -> String {
    match (left, pairings) {
        (0, _) => "Final".to_owned(),
        (1, 2) => "Semi-finals".to_owned(),
        (2, 4) => "Quarter-finals".to_owned(),
        _ => format!("Round {number}"),
    }
}

/// Both seats of a pairing; the player that advances is marked, with the reason if the points did not decide.
fn seats(BracketPairing { seats, won }: &BracketPairing, slugs: &Slugs<'_>) -> Markup {
    html! {
        @for (place, seat) in seats.iter().enumerate() {
            @let by = won.and_then(|(winner, by)| (winner == place).then_some(by));
            div class=(if by.is_some() { "half won" } else { "half" }) {
                @match seat {
                    BracketSeat::Player { name, half_points } => {
                        span { (slugs.link(name)) }
                        " "
                        span class="num" {
                            @let reason = by.and_then(WonBy::reason);
                            @if let Some(half_points) = half_points {
                                (super::points(u64::from(*half_points)))
                                @if let Some(reason) = reason { " by " (reason) }
                            } @else if let Some(reason) = reason {
                                (reason)
                            }
                        }
                    },
                    BracketSeat::Bye => "–",
                    BracketSeat::Open => "?",
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_rounds_of_a_full_bracket_have_names() {
        assert_eq!(round_name(1, 2, 4), "Quarter-finals");
        assert_eq!(round_name(2, 1, 2), "Semi-finals");
        assert_eq!(round_name(3, 0, 1), "Final");
        assert_eq!([round_name(1, 3, 8), round_name(1, 2, 3)], ["Round 1", "Round 1"]);
    }

    #[test]
    fn a_line_links_its_player_and_has_figures_in_its_other_cells() {
        let slugs = Slugs([("Fox", "fox")].into());
        let cells = ["1", "Fox", "2.5"].map(str::to_owned);
        let head = "<th scope=\"row\"><a href=\"#p=fox\">Fox</a></th>";
        assert_eq!(
            line("Fox", &cells, &slugs).into_string(),
            format!("<tr><td class=\"num\">1</td>{head}<td class=\"num\">2.5</td></tr>")
        );
        assert!(line("<Owl>", &cells, &slugs).into_string().contains("<th scope=\"row\">&lt;Owl&gt;</th>"));
    }
}
