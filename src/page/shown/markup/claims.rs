//! A player's claims, compared with the outcomes of its games.

use maud::{Markup, html};

use super::percent;
use crate::base::digits::rounded;
use crate::base::units::counted;
use crate::page::shown::claim_tally::{ChanceClass, ClaimTally, TIMES};

pub(in crate::page::shown) fn section(claims: &ClaimTally) -> Markup {
    if claims.moves == 0 {
        return html! {};
    }
    html! {
        h4 { "Claims" }
        p { (summary(claims)) }
        @if claims.brier.count > 0 { (chances(claims)) }
        @if claims.depths.iter().any(|depths| depths.count > 0) { (depths(claims)) }
    }
}

/// `The player made claims before 34 moves. Its values were 4.2 points from the final margin on average. ...`
fn summary(claims: &ClaimTally) -> String {
    let mut facts = vec![format!("The player made claims before {}.", counted(claims.moves, "move"))];
    if let Some(away) = claims.points.mean() {
        facts.push(format!("Its values were {} points from the final margin on average.", rounded(away, 1)));
    }
    if let Some(score) = claims.brier.mean() {
        facts.push(format!(
            "The Brier score of its claimed chances is {:.3}: 0 is perfect, and always claiming 50% scores 0.25.",
            rounded(score, 3)
        ));
    }
    if let Some(speed) = claims.nodes_per_second() {
        facts.push(format!("It searched {} nodes per second.", grouped(speed)));
    }
    facts.join(" ")
}

/// A whole number with commas: `1,234,567`.
fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn chances(claims: &ClaimTally) -> Markup {
    html! {
        div class="scroll" { table {
            caption { "Claimed chances and actual results" }
            thead { tr { @for column in ["claimed", "moves", "mean claim", "actual"] { th scope="col" { (column) } } } }
            tbody {
                @for (tenth, ChanceClass { claimed, came }) in claims.chances.iter().enumerate() {
                    @if claimed.count > 0 {
                        tr {
                            th scope="row" { (10 * tenth) "–" (10 * tenth + 10) "%" }
                            td { (claimed.count) }
                            td { (percent(claimed.mean())) }
                            td { (percent(came.mean())) }
                        }
                    }
                }
            }
        } }
    }
}

fn depths(claims: &ClaimTally) -> Markup {
    html! {
        div class="scroll" { table {
            caption { "Depth by time spent" }
            thead { tr { @for column in ["time", "moves", "mean depth"] { th scope="col" { (column) } } } }
            tbody {
                @for ((_, times), depths) in TIMES.iter().zip(claims.depths) {
                    @if let Some(mean) = depths.mean() {
                        tr {
                            th scope="row" { (times) }
                            td { (depths.count) }
                            td { (rounded(mean, 1)) }
                        }
                    }
                }
            }
        } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_have_commas() {
        assert_eq!([0.4, 999.0, 1000.0, 1_234_567.0].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
