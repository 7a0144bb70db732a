//! The statistics on the teacher's page for a class.

use maud::{Markup, html};

use crate::base::units::counted;
use crate::course::grades::{BARS, ClassStatistics, Gradebook, PointSpread};
use crate::course::handout::number_text::short;
use crate::page::shown::prose;

/// The width of a bar of the histogram with its gap, the height of the highest bar, and the space for numbers on each
/// side.
const STEP: usize = 36;
const HEIGHT: usize = 96;
const EDGE: usize = 18;

/// The statistics of `book`; empty if no student has a complete mark.
pub(super) fn section(book: &Gradebook) -> Markup {
    let statistics = ClassStatistics::of(book);
    let Some(total) = statistics.total else { return html! {} };
    let rows = book.rubric.items.iter().zip(&statistics.items);
    html! {
        section id="class" {
            h2 { "The class" }
            p class="facts" {
                (counted(total.count as u64, "complete total")) ": mean " (short(total.mean)) ", median "
                (short(total.median())) " of " (book.rubric.total) " points."
            }
            div class="statistics" {
                figure {
                    (histogram(&statistics, book.rubric.total.number()))
                    figcaption class="legend" { "Students by total" }
                }
                div class="scroll" { table {
                    caption class="sr" { "Statistics of the totals and of each item" }
                    thead { tr {
                        th scope="col" { "item" }
                        @for column in ["of", "mean", "lowest", "lower quartile", "median", "upper quartile", "highest"] {
                            th scope="col" class="num" { (column) }
                        }
                    } }
                    tbody {
                        (row("Total", &book.rubric.total.to_string(), &total))
                        @for (item, spread) in rows {
                            @if let Some(spread) = spread { (row(&item.title(), &item.points.to_string(), spread)) }
                        }
                    }
                } }
            }
        }
    }
}

fn row(title: &str, worth: &str, spread: &PointSpread) -> Markup {
    let [low, median, high] = spread.quartiles;
    let [lowest, highest] = spread.range;
    html! {
        tr {
            th scope="row" { (prose(title)) }
            td class="num" { (worth) }
            @for figure in [spread.mean, lowest, low, median, high, highest] { td class="num" { (short(figure)) } }
        }
    }
}

/// A histogram of the students' totals, with one bar for each tenth of `whole`.
fn histogram(statistics: &ClassStatistics, whole: f64) -> Markup {
    let counts = &statistics.histogram;
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let high = |count: usize| count * HEIGHT / most;
    #[expect(clippy::cast_precision_loss, reason = "ten bars")]
    let from = |bar: usize| short(crate::base::digits::rounded(whole * bar as f64 / BARS as f64, 1));
    let told: Vec<String> = (0..BARS)
        .filter(|&bar| counts[bar] > 0)
        .map(|bar| format!("{} from {} to {}", counts[bar], from(bar), from(bar + 1)))
        .collect();
    let (width, bottom) = (BARS * STEP + 2 * EDGE, HEIGHT + EDGE);
    html! {
        svg class="histogram" viewBox={ "0 0 " (width) " " (bottom + EDGE) } width=(width) height=(bottom + EDGE) role="img"
            aria-label={ "Students by total: " (told.join(", ")) } {
            @for (bar, &count) in counts.iter().enumerate() {
                rect class="got" x=(bar * STEP + EDGE + 2) y=(bottom - high(count)) width=(STEP - 4) height=(high(count)) {}
                @if count > 0 {
                    text class="count" x=(bar * STEP + EDGE + STEP / 2) y=(bottom - high(count) - 4) { (count) }
                }
            }
            line class="rule" x1=(EDGE) x2=(width - EDGE) y1=(bottom) y2=(bottom) {}
            @for edge in (0..=BARS).step_by(2) {
                text class="tick" x=(edge * STEP + EDGE) y=(bottom + EDGE - 4) { (from(edge)) }
            }
        }
    }
}
