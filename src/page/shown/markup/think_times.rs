//! A histogram of a player's think times.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::seconds;
use crate::base::units::counted;
use crate::page::shown::think_times::{ThinkTimeBin, ThinkTimes};

/// The dimensions of the picture.
const BAR: u64 = 52;
const SIDE: u64 = 28;
const TALLEST: u64 = 88;
const FLOOR: u64 = 104;
const HEIGHT: u64 = 128;

pub(in crate::page::shown) fn section(times: &ThinkTimes) -> Markup {
    let (Some(median), Some(longest)) = (times.median(), times.longest()) else { return html! {} };
    let facts =
        format!("Median {}, longest {}, {}.", seconds(median), seconds(longest), counted(times.moves(), "move"));
    html! {
        h4 { "Think times" }
        p { (facts) }
        (picture(&times.bins(), &facts))
    }
}

fn picture(bins: &[ThinkTimeBin], facts: &str) -> Markup {
    let width = BAR * bins.len() as u64 + 2 * SIDE;
    let most = bins.iter().map(|bin| bin.moves).max().unwrap_or(1);
    let first = bins.first().map_or(0, |bin| bin.half_power);
    let left = |index: usize| SIDE + BAR * index as u64;
    html! {
        svg class="histogram" viewBox={ "0 0 " (width) " " (HEIGHT) } width=(width) height=(HEIGHT) role="img"
            aria-label={ "Histogram of think times. " (facts) } {
            line class="zero" x1=(SIDE) x2=(width - SIDE) y1=(FLOOR) y2=(FLOOR) {}
            path d=(bars(bins, most)) {}
            @for (index, bin) in bins.iter().enumerate() {
                @if bin.moves > 0 { (label(left(index) + BAR / 2, FLOOR - 4 - tallness(bin.moves, most), &bin.moves.to_string())) }
            }
            @for (index, half_power) in (first..).take(bins.len() + 1).enumerate() {
                line class="zero" x1=(left(index)) x2=(left(index)) y1=(FLOOR) y2=(FLOOR + 4) {}
                (label(left(index), FLOOR + 18, &edge(half_power)))
            }
        }
    }
}

fn label(x: u64, y: u64, text: &str) -> Markup {
    html! { text x=(x) y=(y) { (text) } }
}

fn tallness(moves: u64, most: u64) -> u64 {
    (moves * TALLEST / most).max(2)
}

/// The outlines of all bars.
fn bars(bins: &[ThinkTimeBin], most: u64) -> String {
    let mut path = String::new();
    for (index, bin) in (0..).zip(bins).filter(|(_, bin)| bin.moves > 0) {
        let (left, tall) = (SIDE + BAR * index + 2, tallness(bin.moves, most));
        let _ = write!(path, "M{left} {FLOOR}v-{tall}h{}v{tall}z", BAR - 4);
    }
    path
}

/// Ten to the power of `half_power` / 2 microseconds in one digit, with a unit: `1 µs`, `300 ms`.
fn edge(half_power: u32) -> String {
    let (unit, exponent) = match half_power / 2 {
        exponent @ 0..3 => ("µs", exponent),
        exponent @ 3..6 => ("ms", exponent - 3),
        exponent => ("s", exponent - 6),
    };
    let digit = if half_power.is_multiple_of(2) { 1 } else { 3 };
    format!("{} {unit}", digit * 10_u64.pow(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_have_the_largest_unit_that_fits() {
        assert_eq!([0, 4, 6, 10, 12, 18].map(edge), ["1 µs", "100 µs", "1 ms", "100 ms", "1 s", "1000 s"]);
        assert_eq!([1, 7, 11, 13].map(edge), ["3 µs", "3 ms", "300 ms", "3 s"]);
    }

    #[test]
    fn the_highest_bar_is_as_high_as_all_others_can_be_and_none_is_lost() {
        let bins = [(4, 1), (5, 0), (6, 1000)].map(|(half_power, moves)| ThinkTimeBin { half_power, moves });
        assert_eq!(bars(&bins, 1000), "M30 104v-2h48v2zM134 104v-88h48v88z");
    }
}
