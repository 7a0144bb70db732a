//! The figures of a sequential test: its log-likelihood ratio between the bounds, and the pairs by their score.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::{points, signed};
use crate::base::digits::rounded;
use crate::base::sanitise::sanitised;
use crate::base::units::{counted, grouped};
use crate::page::shown::content::PageContent;
use crate::page::shown::prose::prose;
use crate::results::report::page_notes;
use crate::results::standings::{Test, played_pairs};
use crate::tournament::sprt::{Pentanomial, SprtProgress, TestedPairs};

/// The maximum number of points of the ratio's line: more points than pixels would not be visible.
const POINTS: usize = 500;

/// The frame of the picture, in its own units.
const WIDTH: f64 = 558.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;

pub(super) fn figures(content: &PageContent<'_>, test: &Test) -> Markup {
    let progress = &test.progress;
    let ratios = ratios(content, test);
    html! {
        div class="test" {
            @if ratios.len() > 2 { (picture(progress, &ratios)) }
            (by_score(test, progress.pairs()))
        }
        details {
            summary { "How the test works" }
            @for note in page_notes(content.standings).test { p class="legend" { (prose(&note)) } }
            p class="legend" {
                "The ratio compares how well two hypotheses explain the pairs: H1, that " (sanitised(&test.player)) " is "
                (progress.sprt().elo1()) " Elo stronger, and H0, that it is " (progress.sprt().elo0())
                ". The test ends when the ratio leaves the band between the two bounds. Two games with the same opening and \
                 the colours exchanged are a pair; a pair that repeats an earlier one move for move does not count."
            }
        }
    }
}

/// The ratio before the first pair, and after each pair that the test has seen.
fn ratios(content: &PageContent<'_>, Test { player, opponent, progress }: &Test) -> Vec<f64> {
    let mut tested = TestedPairs::new(*progress.sprt());
    let games = content.games.iter().map(|game| &game.summary);
    let after = played_pairs(games, player, opponent).into_iter().map_while(|pair| {
        let seen = tested.progress().all_pairs();
        tested.add(pair);
        (tested.progress().all_pairs() > seen).then(|| tested.progress().llr())
    });
    std::iter::once(0.0).chain(after).collect()
}

/// Converts numbers of pairs and ratios to positions in the picture.
struct RatioAxes {
    pairs: usize,
    least: f64,
    most: f64,
}

impl RatioAxes {
    fn of(progress: &SprtProgress, ratios: &[f64]) -> Self {
        let bounds = [progress.sprt().lower(), progress.sprt().upper()];
        let all = || ratios.iter().chain(&bounds).copied();
        Self {
            pairs: ratios.len() - 1,
            least: all().fold(0.0, f64::min).floor(),
            most: all().fold(0.0, f64::max).ceil(),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "a picture is not that fine")]
    fn x(&self, pair: usize) -> f64 {
        rounded(LEFT + pair as f64 / self.pairs as f64 * (WIDTH - LEFT - RIGHT), 1)
    }

    fn y(&self, ratio: f64) -> f64 {
        rounded(HEIGHT - BOTTOM - (ratio - self.least) / (self.most - self.least) * (HEIGHT - TOP - BOTTOM), 1)
    }
}

fn picture(progress: &SprtProgress, ratios: &[f64]) -> Markup {
    let axes = RatioAxes::of(progress, ratios);
    let sprt = progress.sprt();
    let label = format!(
        "Log-likelihood ratio after each pair, now {:.2}, between its bounds {:.2} and {:.2}.",
        progress.llr(),
        sprt.lower(),
        sprt.upper()
    );
    html! {
        figure {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img" aria-label=(label.replace('-', "−")) {
                @for (ratio, name) in [(sprt.upper(), "H1"), (0.0, "0"), (sprt.lower(), "H0")] {
                    line class=(if name == "0" { "zero" } else { "bound" }) x1=(LEFT) x2=(WIDTH - RIGHT) y1=(axes.y(ratio)) y2=(axes.y(ratio))
                        stroke="currentColor" stroke-opacity="0.4" {}
                    text class="tick" x=(LEFT - 6.0) y=(axes.y(ratio) + 4.0) text-anchor="end" fill="currentColor" font-size="12" { (name) }
                }
                path class="ratio" d=(line(&axes, ratios)) fill="none" stroke="currentColor" stroke-width="2" {}
                text class="tick" x=(LEFT) y=(HEIGHT - 6.0) fill="currentColor" font-size="12" { "0" }
                text class="tick" x=(WIDTH - RIGHT) y=(HEIGHT - 6.0) text-anchor="end" fill="currentColor" font-size="12" {
                    (counted(axes.pairs as u64, "pair"))
                }
            }
            figcaption class="legend" {
                "Log-likelihood ratio: " (minus(progress.llr())) ". At " (minus(sprt.upper())) ", H1 (" (elo(sprt.elo1()))
                " Elo) is accepted; at " (minus(sprt.lower())) ", H0 (" (elo(sprt.elo0())) " Elo)."
            }
        }
    }
}

/// `2.94` or `−2.94`, with the minus sign of pages.
fn minus(ratio: f64) -> String {
    format!("{ratio:.2}").replace('-', "−")
}

/// `+50`, `0` or `−2.5`.
fn elo(elo: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number, and far smaller")]
    if elo.fract() == 0.0 { signed(elo as i64) } else { format!("{elo:+}").replace('-', "−") }
}

/// The line of the ratio. If there are many pairs, only every nth pair and the last pair have a point.
fn line(axes: &RatioAxes, ratios: &[f64]) -> String {
    let step = ratios.len().div_ceil(POINTS);
    let mut path = String::new();
    for (pair, ratio) in ratios.iter().enumerate() {
        if pair.is_multiple_of(step) || pair == axes.pairs {
            let sign = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{sign}{} {}", axes.x(pair), axes.y(*ratio));
        }
    }
    path
}

/// The numbers of pairs by the first player's points, each with a bar.
fn by_score(test: &Test, pairs: &Pentanomial) -> Markup {
    const BAR: u64 = 160;
    let most = pairs.counts.iter().copied().max().unwrap_or(0).max(1);
    html! {
        table class="scores" {
            caption { "Pairs by the points of " (sanitised(&test.player)) }
            thead { tr {
                th scope="col" class="num" { "points" }
                th scope="col" class="num" { "pairs" }
                th scope="col" { span class="sr" { "share" } }
            } }
            tbody {
                @for (half_points, &count) in pairs.counts.iter().enumerate().rev() {
                    tr {
                        th scope="row" class="num" { (points(half_points as u64)) }
                        td class="num" { (grouped(count)) }
                        td {
                            svg viewBox={ "0 0 " (BAR) " 14" } width=(BAR) height="14" aria-hidden="true" {
                                rect class="part" x="0" y="1" width=(count * BAR / most) height="12" fill="currentColor" {}
                            }
                        }
                    }
                }
            }
        }
    }
}
