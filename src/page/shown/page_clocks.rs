//! The clocks of a page's games as JSON.

use serde::Serialize;

use crate::game::BySide;
use crate::referee::time_control::{SideControl, TimeControl};

/// The controls of black and white, as in game logs: `["60+1", "1/move"]`; `null` without clocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct PageClocks(Option<[String; 2]>);

impl PageClocks {
    /// The clocks of `control`, which is `None` if it is not known.
    pub(crate) fn of(control: Option<TimeControl>) -> Self {
        let text = |control: SideControl| control.to_string();
        Self(match control {
            Some(TimeControl::Clocks(BySide { black, white })) => Some([text(black), text(white)]),
            Some(TimeControl::Unlimited) | None => None,
        })
    }

    /// Whether there are no clocks.
    pub(super) const fn are_none(&self) -> bool {
        self.0.is_none()
    }

    /// The clocks of a game if they differ from those of its page.
    pub(crate) fn unlike(self, page: &Self) -> Option<Self> {
        (self != *page).then_some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(control: Option<&str>) -> String {
        let control = control.map(|text| text.parse().expect("a time control"));
        serde_json::to_string(&PageClocks::of(control)).expect("JSON")
    }

    #[test]
    fn clocks_have_the_texts_of_logs_and_a_game_only_those_that_differ() {
        assert_eq!(json(Some("60+1")), r#"["60+1","60+1"]"#);
        assert_eq!(json(Some("black 600:5x30 white 1/move+9bank")), r#"["600:5x30","1/move+9bank"]"#);
        assert_eq!([Some("-"), None].map(json), ["null", "null"]);
        let [one, other] = ["60", "75"].map(|text| PageClocks::of(text.parse().ok()));
        assert_eq!(one.clone().unlike(&one), None);
        assert_eq!(other.clone().unlike(&one), Some(other));
    }
}
