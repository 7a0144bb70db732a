//! The figures of a sequential test: its log-likelihood ratio between the bounds, and the pairs by their score.

use std::cell::RefCell;
use std::fmt::Write as _;

use maud::{Markup, html};

use super::{points, signed};
use crate::base::digits::rounded;
use crate::base::sanitise::sanitised;
use crate::base::units::{counted, grouped};
use crate::page::shown::content::PageContent;
use crate::page::shown::prose::prose;
use crate::page::shown::test_figures::TestFigures;
use crate::results::report::page_notes;
use crate::results::standings::Test;
use crate::tournament::sprt::SprtProgress;

/// The maximum number of points of the ratio's line: more points than pixels would not be visible.
const POINTS: usize = 500;

/// The frame of the picture, in its own units.
const WIDTH: f64 = 558.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 28.0;

/// The figures for a report.
pub(super) fn figures(figures: &TestFigures) -> Markup {
    drawn(figures, &ChangingValues::default())
}

/// The figures for a live page, whose script replaces the values in them by those of [`values`].
pub(super) fn live_figures(figures: &TestFigures) -> Markup {
    drawn(figures, &ChangingValues::new())
}

/// The values in the figures that change during a run, in document order.
pub(in crate::page) fn values(figures: &TestFigures) -> Vec<String> {
    let values = ChangingValues::new();
    let _ = drawn(figures, &values);
    values.0.into_iter().flat_map(RefCell::into_inner).collect()
}

fn drawn(TestFigures { test, ratios }: &TestFigures, values: &ChangingValues) -> Markup {
    html! {
        div class="test" {
            // A live page keeps the picture that it has before the first pair.
            @if ratios.len() > 2 || values.0.is_some() { (picture(&test.progress, ratios, values)) }
            (by_score(test, values))
        }
    }
}

/// The values in figures that change during a run, in document order; `None` in a report. The attribute `data-v` of an
/// element names the attributes that contain its values, in this order, and `text` if its text is a value.
#[derive(Default)]
struct ChangingValues(Option<RefCell<Vec<String>>>);

impl ChangingValues {
    fn new() -> Self {
        Self(Some(RefCell::default()))
    }

    /// Records `value`, and returns its text.
    fn put(&self, value: &impl ToString) -> String {
        let text = value.to_string();
        if let Some(values) = &self.0 {
            values.borrow_mut().push(text.clone());
        }
        text
    }

    /// The attribute `data-v` of an element with values in the attributes `names`.
    fn names(&self, names: &'static str) -> Option<&'static str> {
        self.0.as_ref().map(|_| names)
    }
}

/// How the test of `figures` works, unfolded on request.
pub(super) fn explained(content: &PageContent<'_>, TestFigures { test, .. }: &TestFigures) -> Markup {
    let sprt = test.progress.sprt();
    html! {
        details {
            summary { "How the test works" }
            @for note in page_notes(content.standings).test { p class="legend" { (prose(&note)) } }
            p class="legend" {
                "The ratio compares how well two hypotheses explain the pairs: H1, that " (sanitised(&test.player)) " is "
                (sprt.elo1()) " Elo stronger, and H0, that it is " (sprt.elo0())
                ". The test ends when the ratio leaves the band between the two bounds. Two games with the same opening and \
                 the colours exchanged are a pair; a pair that repeats an earlier one move for move does not count."
            }
        }
    }
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
        rounded(LEFT + pair as f64 / self.pairs.max(1) as f64 * (WIDTH - LEFT - RIGHT), 1)
    }

    fn y(&self, ratio: f64) -> f64 {
        rounded(HEIGHT - BOTTOM - (ratio - self.least) / (self.most - self.least) * (HEIGHT - TOP - BOTTOM), 1)
    }
}

fn picture(progress: &SprtProgress, ratios: &[f64], values: &ChangingValues) -> Markup {
    let axes = RatioAxes::of(progress, ratios);
    let sprt = progress.sprt();
    let [ratio, lower, upper] = [progress.llr(), sprt.lower(), sprt.upper()].map(ratio_text);
    let label = format!("Log-likelihood ratio after each pair, now {ratio}, between its bounds {lower} and {upper}.");
    html! {
        figure {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) role="img"
                data-v=[values.names("aria-label")] aria-label=(values.put(&label)) {
                @for (ratio, name) in [(sprt.upper(), "H1"), (0.0, "0"), (sprt.lower(), "H0")] {
                    line class=(if name == "0" { "zero" } else { "bound" }) x1=(LEFT) x2=(WIDTH - RIGHT) data-v=[values.names("y1 y2")]
                        y1=(values.put(&axes.y(ratio))) y2=(values.put(&axes.y(ratio))) stroke="currentColor" stroke-opacity="0.4" {}
                    text class="tick" x=(LEFT - 6.0) data-v=[values.names("y")] y=(values.put(&(axes.y(ratio) + 4.0)))
                        text-anchor="end" fill="currentColor" font-size="12" { (name) }
                }
                path class="ratio" data-v=[values.names("d")] d=(values.put(&line(&axes, ratios))) fill="none" stroke="currentColor"
                    stroke-width="2" {}
                text class="tick" x=(LEFT) y=(HEIGHT - 6.0) fill="currentColor" font-size="12" { "0" }
                text class="tick" x=(WIDTH - RIGHT) y=(HEIGHT - 6.0) text-anchor="end" fill="currentColor" font-size="12"
                    data-v=[values.names("text")] { (values.put(&counted(axes.pairs as u64, "pair"))) }
            }
            figcaption class="legend" {
                "Log-likelihood ratio: " span data-v=[values.names("text")] { (values.put(&ratio)) } ". At " (upper) ", H1 (" (elo(sprt.elo1()))
                " Elo) is accepted; at " (lower) ", H0 (" (elo(sprt.elo0())) " Elo)."
            }
        }
    }
}

/// `2.94` or `−2.94`, with the minus sign of pages.
pub(in crate::page) fn ratio_text(ratio: f64) -> String {
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
fn by_score(Test { player, progress, .. }: &Test, values: &ChangingValues) -> Markup {
    const BAR: u64 = 160;
    let counts = progress.pairs().counts;
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    html! {
        table class="scores" {
            caption { "Pairs by the points of " (sanitised(player)) }
            thead { tr {
                th scope="col" class="num" { "points" }
                th scope="col" class="num" { "pairs" }
                th scope="col" { span class="sr" { "share" } }
            } }
            tbody {
                @for (half_points, &count) in counts.iter().enumerate().rev() {
                    tr {
                        th scope="row" class="num" { (points(half_points as u64)) }
                        td class="num" data-v=[values.names("text")] { (values.put(&grouped(count))) }
                        td {
                            svg viewBox={ "0 0 " (BAR) " 14" } width=(BAR) height="14" aria-hidden="true" {
                                rect class="part" x="0" y="1" data-v=[values.names("width")] width=(values.put(&(count * BAR / most))) height="12"
                                    fill="currentColor" {}
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::record::GameRecord;
    use crate::results::standings::{GameSummary, played_pairs};
    use crate::tournament::sprt::{Sprt, TestedPairs};

    fn game(round: u32, [black, white]: [&str; 2], end: &str) -> GameSummary {
        let result = end.split('"').nth(1).expect("a result");
        let text = format!("[Black \"{black}\"]\n[White \"{white}\"]\n[Round \"{round}\"]\n{end}\n\n{result}\n");
        let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
        GameSummary { game: format!("r{round}-{black}-{white}"), ..GameSummary::from(&record) }
    }

    /// The figures of a test in which the first player has won a game of each of `pairs` pairs, and drawn the other.
    fn after(pairs: u32) -> TestFigures {
        let won = "[Result \"0-1\"]\n[Termination \"resignation\"]";
        let drawn = "[Result \"1/2-1/2\"]\n[Margin \"0\"]\n[Termination \"normal\"]";
        let pair = |round| [game(round, ["ada", "bea"], won), game(round, ["bea", "ada"], drawn)];
        let games: Vec<GameSummary> = (1..=pairs).flat_map(pair).collect();
        let mut tested = TestedPairs::new(Sprt::new(0.0, 50.0, 0.05, 0.05).expect("a test"));
        tested.extend(played_pairs(&games, "ada", "bea"));
        let test = Test { player: "ada".to_owned(), opponent: "bea".to_owned(), progress: *tested.progress() };
        TestFigures::of(test, &games)
    }

    /// The figures on a live page without the values that its script replaces, and these values.
    fn split(figures: &TestFigures) -> (String, Vec<String>) {
        let markup = live_figures(figures).into_string();
        let mut elements = markup.split("data-v=\"");
        let mut rest = elements.next().unwrap_or_default().to_owned();
        let mut values = Vec::new();
        for element in elements {
            let (names, mut element) = element.split_once('"').expect("the names of values");
            for name in names.split(' ') {
                let (start, end) = if name == "text" { (">".to_owned(), '<') } else { (format!(" {name}=\""), '"') };
                let (before, after) = element.split_once(&start).expect("a value");
                let (value, after) = after.split_once(end).expect("its end");
                rest += before;
                values.push(value.to_owned());
                element = after;
            }
            rest += element;
        }
        (rest, values)
    }

    #[test]
    fn the_values_for_a_live_page_are_all_that_changes_in_its_figures() {
        let (rest, values) = split(&after(7));
        assert_eq!(values, super::values(&after(7)));
        assert_eq!(rest, split(&after(0)).0);
        assert!(values.contains(&"7 pairs".to_owned()) && !split(&after(0)).1.contains(&"7".to_owned()), "{values:?}");
    }

    #[test]
    fn a_report_has_no_picture_of_one_pair_and_a_live_page_has_one_before_the_first() {
        assert!(!super::figures(&after(1)).into_string().contains("<figure>"));
        let report = super::figures(&after(2)).into_string();
        assert!(report.contains("<figure>") && !report.contains("data-v"), "{report}");
        assert!(live_figures(&after(0)).into_string().contains("<figure>"));
    }
}
