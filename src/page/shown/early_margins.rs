//! The margins of early positions of Gothello as text, for a page on which readers try out moves.

use std::sync::LazyLock;

use super::game_code::coded_margin;
use crate::exact::margin_table::embedded;
use crate::exact::margin_table::entry::ILLEGAL;
use crate::exact::margin_table::numbering::{EntryPlace, Numbering};
use crate::game::Ruleset;

/// The largest number of stones in a position that the text includes.
const STONES: u32 = 4;

/// The margins of all positions of `ruleset` with at most [`STONES`] stones, in the table's order, as letters like
/// those in the values of a game; `None` if there is no table of these margins. Arrangements in which a group has no
/// liberty have the letter of an unknown value.
pub(super) fn early_margins(ruleset: Ruleset) -> Option<&'static str> {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let mut text = String::new();
        for stones in 0..=STONES {
            for block in 0..Numbering::gothello().layer(stones).count() {
                text.extend((0..1 << stones).map(|index| {
                    let margin = embedded::margin(EntryPlace { stones, block, index });
                    coded_margin((margin != ILLEGAL).then_some(margin))
                }));
            }
        }
        text
    });
    matches!(ruleset, Ruleset::Gothello).then(|| TEXT.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::margin_table::known::KnownMargins;
    use crate::game::gothello::Game;

    #[test]
    fn the_text_begins_with_the_empty_board_and_has_a_letter_for_each_arrangement() {
        let text = early_margins(Ruleset::Gothello).expect("margins");
        let start = KnownMargins::Embedded.outcome(&Game::default()).and_then(|outcome| outcome.margin);
        let start = start.and_then(|margin| i8::try_from(margin).ok());
        assert_eq!(text.chars().next(), Some(coded_margin(start)));
        let arrangements: usize =
            (0..=STONES).map(|stones| Numbering::gothello().layer(stones).count() << stones).sum();
        assert_eq!(text.len(), arrangements);
        assert!(text.len() < 32 << 10, "{}", text.len());
        assert_eq!(early_margins("seegover".parse().expect("a rule set")), None);
    }
}
