//! Bars of points.

use maud::{Markup, html};

/// The style of bars.
pub(super) const STYLE: &str = include_str!("points_bar.css");

/// The length of a whole bar. The unit is a tenth of a percent.
const WHOLE: f64 = 1000.0;

/// A bar of which `share`, from 0 to 1, is filled, with a line at `median` if it is known. Screen readers skip it,
/// since the number is beside it.
pub(super) fn points_bar(share: f64, median: Option<f64>) -> Markup {
    let at = |share: f64| format!("{:.0}", WHOLE * share.clamp(0.0, 1.0));
    html! {
        svg class="points-bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
            rect class="all" width="1000" height="10" {}
            rect class="got" width=(at(share)) height="10" {}
            @if let Some(median) = median {
                line class="median" x1=(at(median)) x2=(at(median)) y1="0" y2="10" {}
            }
        }
    }
}

/// `points` as a share of `worth`; 0 if `worth` is 0.
pub(super) fn share(points: f64, worth: f64) -> f64 {
    if worth > 0.0 { points / worth } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share_and_never_longer_than_the_whole() {
        let bar = |points: f64, worth: f64| points_bar(share(points, worth), Some(0.5)).into_string();
        assert!(bar(5.0, 20.0).contains("class=\"got\" width=\"250\""));
        assert!(bar(25.0, 20.0).contains("class=\"got\" width=\"1000\""));
        assert!(bar(0.0, 0.0).contains("class=\"got\" width=\"0\"") && bar(0.0, 0.0).contains("x1=\"500\""));
        assert!(!points_bar(1.0, None).into_string().contains("median"));
    }
}
