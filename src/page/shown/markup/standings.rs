//! The table of all players.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::{breakable, elo_of, percent, points, section_title};
use crate::base::digits::rounded;
use crate::base::units::grouped;
use crate::page::shown::content::{AnalyzedShare, PageContent};
use crate::page::shown::data::PagePlayer;
use crate::page::shown::prose::prose;
use crate::page::shown::rating_history::whole;
use crate::referee::result::Termination;
use crate::results::format_result::FormatResult;
use crate::results::rating::{Elo, Rating};
use crate::results::report::page_notes;
use crate::results::standings::PlayerRow;

pub(super) fn section(content: &PageContent<'_>) -> Markup {
    let rows = content.standings.rows();
    html! {
        section id="standings" {
            (section_title("standings", if ranks_by_format(content) { "Ratings" } else { "Standings" }))
            @if rows.is_empty() {
                p { "No game has been played yet." }
            } @else {
                (table(content))
                @if let Some(analyzed) = content.analyzed { p id="judged" class="legend" { (sentence(analyzed)) } }
                p class="legend" {
                    "Dot: Elo. Line: 95% confidence interval."
                    @if rows.iter().any(|row| elo_of(row).ends_with('?')) { " ?: too few links between players." }
                    @if content.standings.components() > 1 { " Only players of the same group can be compared." }
                }
                details {
                    summary { "How ratings work" }
                    p class="legend" { (prose(&page_notes(content.standings).ratings.join(" "))) }
                }
            }
        }
    }
}

/// Whether the places come from the rules of the format, in the result above, rather than from the ratings.
fn ranks_by_format(content: &PageContent<'_>) -> bool {
    content.standings.run().result.is_some()
}

/// What the share of kept moves is, where it stands.
const KEPT: &str = "the share of judged moves that did not change who wins with best play";

/// The optional columns of a table.
#[derive(Clone, Copy)]
struct Columns {
    scale: BarScale,
    /// Whether moves were analyzed.
    is_analyzed: bool,
    /// Whether the games divide the players into several groups that cannot be compared.
    has_pools: bool,
}

fn table(content: &PageContent<'_>) -> Markup {
    let rows = content.standings.rows();
    let scale = BarScale::of(rows.iter().map(|row| (row.rating, row.error95)));
    let is_analyzed = rows.iter().any(|row| row.accuracy.is_some());
    let columns = Columns { scale, is_analyzed, has_pools: content.standings.components() > 1 };
    html! {
        div class="scroll" { table class="standings cards" {
            caption {
                @match content.standings.run().result {
                    Some(FormatResult::Knockout(_)) => {
                        "By Elo, all games: the bracket decides the places, the ratings count every game"
                    }
                    Some(FormatResult::Swiss(_)) => {
                        "By Elo, all games: points and tiebreaks decide the places, the ratings count every game"
                    }
                    None => "All players, best first"
                }
            }
            thead { tr {
                th scope="col" class="num" { "#" }
                th scope="col" { "player" }
                th scope="col" class="num" { "Elo" }
                th scope="col" class="num wide" { "±95%" }
                th scope="col" { (scale.head()) }
                th scope="col" class="num" { "games" }
                th scope="col" class="num" { "W-D-L" }
                th scope="col" class="num" { "points" }
                @if is_analyzed { th scope="col" class="num" title=(KEPT) { "kept" } }
                th scope="col" class="num" { "forfeits" }
                @if columns.has_pools { th scope="col" class="num" { "group" } }
            } }
            tbody {
                @for (index, (row, player)) in rows.iter().zip(&content.data.players).enumerate() {
                    (line(index, row, player, columns))
                }
            }
        } }
    }
}

fn line(index: usize, row: &PlayerRow, player: &PagePlayer, columns: Columns) -> Markup {
    let total = row.total();
    let kept = row.accuracy.and_then(|all| all.all().winner_kept());
    let group = row.rated_component();
    html! {
        tr data-p=(index) {
            td class="num rank" { (row.shown_rank("–")) }
            th scope="row" { a href={ "#p=" (player.slug) } { (breakable(&player.name)) } }
            td class="num elo" { (elo_of(row)) }
            td class="num wide" { (row.error95.map_or_else(|| "–".to_owned(), |bar| whole(bar).to_string())) }
            td class="scaled" { (columns.scale.bar(row.rating, row.error95)) }
            td class="num games" { (grouped(total.games())) }
            td class="num" { (total.wins) "-" (total.draws) "-" (total.losses) }
            td class="num points" { (points(total.half_points())) }
            @if columns.is_analyzed {
                td class=(if kept.is_some() { "num kept" } else { "num kept none" }) { (percent(kept)) }
            }
            td class=(forfeits_class(&row.forfeits)) { (forfeits(row)) }
            @if columns.has_pools {
                td class="num component" { (group.map_or_else(|| "–".to_owned(), |group| group.to_string())) }
            }
        }
    }
}

/// `0`, or the number of forfeits with their kinds: `8 crash`, `2 time, 1 illegal`.
pub(super) fn forfeits(row: &PlayerRow) -> String {
    forfeits_by_kind(&row.forfeits)
}

/// The classes of the cell with `forfeits`. A phone leaves out cells that say nothing.
pub(in crate::page::shown) fn forfeits_class(forfeits: &BTreeMap<Termination, u64>) -> &'static str {
    if forfeits.is_empty() { "num forfeits none" } else { "num forfeits" }
}

/// The text of [`forfeits`] for the number of forfeits of each kind.
pub(in crate::page::shown) fn forfeits_by_kind(forfeits: &BTreeMap<Termination, u64>) -> String {
    if forfeits.is_empty() {
        return "0".to_owned();
    }
    let kinds: Vec<String> = forfeits.iter().map(|(kind, times)| format!("{times} {kind}")).collect();
    kinds.join(", ")
}

fn sentence(AnalyzedShare { analyzed, of }: AnalyzedShare) -> String {
    let kept = "Kept: the share of a player's judged moves that did not change who wins with best play.";
    format!("{} of {} games judged by exact values. {kept}", grouped(analyzed), grouped(of))
}

/// The range of Elo that the error bars cover.
#[derive(Clone, Copy)]
pub(in crate::page::shown) struct BarScale {
    /// The maximum Elo above or below 0, a whole number of hundreds.
    reach: u32,
}

impl BarScale {
    /// The width of a bar's picture in its own units.
    const WIDTH: f64 = 200.0;

    /// The maximum Elo to show. Longer bars are cut off, and end in an arrow.
    const MOST: f64 = 2000.0;

    /// The scale for these ratings, each with half of its interval.
    pub(in crate::page::shown) fn of(ratings: impl IntoIterator<Item = (Option<Rating>, Option<Elo>)>) -> Self {
        let end = |(rating, bar): (Option<Rating>, Option<Elo>)| {
            rating.map_or(0.0, |rating| rating.elo().0.abs()) + bar.map_or(0.0, |bar| bar.0)
        };
        let ends = ratings.into_iter().map(end).fold(1.0, f64::max);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 20")]
        let hundreds = (ends.min(Self::MOST) / 100.0).ceil() as u32;
        Self { reach: 100 * hundreds }
    }

    /// The heading of the column, with the ends and the middle of the scale.
    pub(in crate::page::shown) fn head(self) -> Markup {
        let reach = grouped(self.reach);
        html! { span class="scale" { span { "−" (reach) } " " span { "0" } " " span { "+" (reach) } } }
    }

    /// Whether `elo` is outside the picture.
    fn cuts(self, elo: f64) -> bool {
        elo.abs() > f64::from(self.reach)
    }

    /// The position of `elo` in the picture, to a tenth of its units.
    fn place(self, elo: f64) -> f64 {
        let reach = f64::from(self.reach);
        let share = (elo.clamp(-reach, reach) + reach) / (2.0 * reach);
        rounded(share * Self::WIDTH, 1)
    }

    /// The picture of a rating with half of its interval.
    pub(in crate::page::shown) fn bar(self, rating: Option<Rating>, error95: Option<Elo>) -> Markup {
        let Some(rating) = rating else { return html! {} };
        let elo = rating.elo().0;
        let half = error95.map_or(0.0, |bar| bar.0);
        let (zero, at) = (self.place(0.0), self.place(elo));
        let (low, high) = (elo - half, elo + half);
        html! {
            svg class="bar" viewBox="0 0 200 16" width="200" height="16" aria-hidden="true" {
                line class="zero" x1=(zero) x2=(zero) y1="0" y2="16" stroke="currentColor" stroke-opacity="0.4" {}
                @if half > 0.0 {
                    line class="ci" x1=(self.place(low)) x2=(self.place(high)) y1="8" y2="8" stroke="currentColor" {}
                    (self.end(low))
                    (self.end(high))
                }
                @if !self.cuts(elo) { circle class="dot" cx=(at) cy="8" r="4" {} }
            }
        }
    }

    /// The end of a bar at `elo`: a stroke, or an arrow if the bar extends beyond the picture.
    fn end(self, elo: f64) -> Markup {
        let at = self.place(elo);
        if !self.cuts(elo) {
            return html! { line class="ci" x1=(at) x2=(at) y1="4" y2="12" stroke="currentColor" {} };
        }
        let back = if elo < 0.0 { at + 6.0 } else { at - 6.0 };
        html! { path class="ci cut" d={ "M" (back) " 4L" (at) " 8L" (back) " 12" } fill="none" stroke="currentColor" {} }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_that_is_cut_ends_in_an_arrow_and_others_in_a_stroke() {
        let scale = BarScale { reach: 2000 };
        let end = |elo: f64| scale.end(elo).into_string();
        for (inside, at) in [(-2000.0, "0"), (0.0, "100"), (1999.9, "200"), (2000.0, "200")] {
            assert!(end(inside).contains(&format!("x1=\"{at}\" x2=\"{at}\"")), "{}", end(inside));
        }
        assert!(end(2000.1).contains("M194 4L200 8L194 12") && end(-2092.0).contains("M6 4L0 8L6 12"));
        assert!(scale.cuts(-2000.1) && !scale.cuts(-2000.0));
    }

    #[test]
    fn the_scale_reaches_to_the_next_hundred_beyond_the_longest_bar() {
        let rated = |elo: f64, half: Option<f64>| (Some(Rating::Finite(Elo(elo))), half.map(Elo));
        for (ratings, reach) in [
            (vec![], 100),
            (vec![(None, None)], 100),
            (vec![rated(100.0, None)], 100),
            (vec![rated(100.1, None)], 200),
            (vec![rated(-210.0, Some(40.0)), rated(210.0, None)], 300),
            (vec![rated(-950.0, Some(60.0))], 1100),
            (vec![rated(1900.0, Some(300.0))], 2000),
        ] {
            assert_eq!(BarScale::of(ratings.iter().copied()).reach, reach, "{ratings:?}");
        }
    }

    #[test]
    fn the_scale_has_its_ends_and_its_middle() {
        assert_eq!(
            BarScale { reach: 2000 }.head().into_string(),
            "<span class=\"scale\"><span>−2,000</span> <span>0</span> <span>+2,000</span></span>"
        );
    }
}
