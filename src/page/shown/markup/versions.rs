//! The ratings of all versions of a player. The versions of a ladder are separate players, called `ada.1`, `ada.2` and
//! so on.

use maud::{Markup, html};

use super::elo_of;
use crate::base::digits::rounded;
use crate::page::shown::content::PageContent;
use crate::results::standings::PlayerRow;

/// The maximum number of versions on a player's page. Each version has a page, so the total size of the pages
/// grows with the square of this number.
const MOST: usize = 40;

/// The frame of the picture, in its own units.
const STEP: f64 = 36.0;
const LEFT: f64 = 12.0;
const HEIGHT: f64 = 140.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 24.0;

/// A version of a player.
struct RatedVersion<'p> {
    number: u32,
    index: usize,
    row: &'p PlayerRow,
}

/// The ratings of the versions of the player with this `index`; nothing if it is the only version.
pub(super) fn section(content: &PageContent<'_>, index: usize) -> Markup {
    let rows = content.standings.rows();
    let Some((stem, _)) = version_of(&rows[index].player) else { return html! {} };
    let mut versions: Vec<RatedVersion<'_>> = rows
        .iter()
        .enumerate()
        .filter_map(|(index, row)| {
            let (other, number) = version_of(&row.player)?;
            (other == stem).then_some(RatedVersion { number, index, row })
        })
        .collect();
    if versions.len() < 2 {
        return html! {};
    }
    versions.sort_by_key(|version| version.number);
    // The latest versions are the most interesting ones.
    let shown = &versions[versions.len().saturating_sub(MOST)..];
    html! {
        h4 { "Versions" }
        (picture(shown, index))
        p class="legend" {
            "Elo with its 95% interval by version:"
            @for version in shown {
                " "
                @if version.index == index { b { (version.number) } }
                @else { a href={ "#p=" (content.data.players[version.index].slug) } { (version.number) } }
            }
        }
    }
}

/// The name of the player of which `player` is a version, and the number of the version.
fn version_of(player: &str) -> Option<(&str, u32)> {
    let (stem, number) = player.rsplit_once('.')?;
    let is_number = number.bytes().all(|digit| digit.is_ascii_digit()) && !number.starts_with('0');
    number.parse().ok().filter(|_| is_number && !stem.is_empty()).map(|number| (stem, number))
}

fn picture(versions: &[RatedVersion<'_>], own: usize) -> Markup {
    let half = |row: &PlayerRow| row.error95.map_or(0.0, |bar| bar.0);
    let rated: Vec<(usize, &RatedVersion<'_>, f64)> = versions
        .iter()
        .enumerate()
        .filter_map(|(place, version)| Some((place, version, version.row.finite_rating()?.0)))
        .collect();
    let least = rated.iter().map(|(_, version, elo)| elo - half(version.row)).fold(f64::INFINITY, f64::min);
    let most = rated.iter().map(|(_, version, elo)| elo + half(version.row)).fold(f64::NEG_INFINITY, f64::max);
    if rated.is_empty() {
        return html! {};
    }
    let range = (most - least).max(1.0);
    let y = |elo: f64| rounded(TOP + (most - elo) / range * (HEIGHT - TOP - BOTTOM), 1);
    #[expect(clippy::cast_precision_loss, reason = "at most MOST versions")]
    let x = |place: usize| LEFT + STEP * (place as f64 + 0.5);
    let width = x(versions.len()) - STEP / 2.0 + LEFT;
    let texts = rated.iter().map(|(_, version, _)| format!("{}: {}", version.number, elo_of(version.row)));
    let label = format!("Elo by version. {}.", texts.collect::<Vec<_>>().join(", "));
    html! {
        svg class="versions" viewBox={ "0 0 " (width) " " (HEIGHT) } width=(width) height=(HEIGHT) role="img" aria-label=(label) {
            @for &(place, version, elo) in &rated {
                line class="ci" x1=(x(place)) x2=(x(place)) y1=(y(elo + half(version.row))) y2=(y(elo - half(version.row))) stroke="currentColor" {}
                circle class=(if version.index == own { "dot own" } else { "dot" }) cx=(x(place)) cy=(y(elo)) r=(if version.index == own { 6 } else { 4 }) {
                    title { (elo_of(version.row)) }
                }
                text x=(x(place)) y=(HEIGHT - 6.0) { (version.number) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_a_name_and_a_number() {
        assert_eq!(version_of("ada.12"), Some(("ada", 12)));
        assert_eq!(version_of("bot v1.3"), Some(("bot v1", 3)));
        for other in ["ada", "ada.", ".3", "ada.03", "ada.x", "ada.+3", "ada.99999999999"] {
            assert_eq!(version_of(other), None, "{other}");
        }
    }
}
