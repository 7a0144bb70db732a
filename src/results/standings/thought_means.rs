//! The means of a bot's claims over its moves in a game.

use std::fmt;

use crate::base::digits::{parse_digits, rounded};
use crate::game::{BySide, Side};
use crate::referee::record::{GameRecord, Ply};
use crate::referee::thought::{ClaimedChance, ClaimedPoints, Thought};

/// The means of a side's claims over its moves in a game, as far as the log contains them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThoughtMeans {
    /// How many points the side would win by.
    pub value: Option<ClaimedPoints>,
    /// The chance that the side would win.
    pub win: Option<ClaimedChance>,
    /// How many plies the side had looked ahead.
    pub depth: Option<MeanDepth>,
    /// How many positions the side had looked at, rounded to a whole number.
    pub nodes: Option<u64>,
}

/// A mean number of plies, in hundredths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeanDepth(u64);

impl MeanDepth {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a mean of 32-bit numbers")]
    fn of(plies: f64) -> Self {
        Self((100.0 * plies).round() as u64)
    }

    /// Reads what `Display` writes: plies with at most two decimals.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
        if !(1..=2).contains(&decimals.len()) {
            return None;
        }
        let hundredths = parse_digits(&format!("{decimals:0<2}"))?;
        Some(Self(parse_digits(whole)?.checked_mul(100)?.checked_add(hundredths)?))
    }
}

/// Writes `6` or `6.25`.
impl fmt::Display for MeanDepth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, hundredths) = (self.0 / 100, self.0 % 100);
        match hundredths {
            0 => write!(f, "{whole}"),
            tenths if tenths % 10 == 0 => write!(f, "{whole}.{}", tenths / 10),
            _ => write!(f, "{whole}.{hundredths:02}"),
        }
    }
}

impl ThoughtMeans {
    /// The means of `side` in the game in `record`.
    pub fn of(record: &GameRecord, side: Side) -> Self {
        let own = || record.plies.iter().filter(|ply| ply.side() == side).filter_map(thought);
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a mean"
        )]
        let nodes = mean(own().filter_map(|thought| thought.nodes().map(|nodes| nodes as f64)))
            .map(|nodes| nodes.round() as u64);
        Self {
            value: mean(own().filter_map(Thought::value).map(ClaimedPoints::points)).and_then(ClaimedPoints::of),
            win: mean(own().filter_map(Thought::win).map(ClaimedChance::chance)).and_then(ClaimedChance::of),
            depth: mean(own().filter_map(|thought| thought.depth().map(f64::from))).map(MeanDepth::of),
            nodes,
        }
    }

    /// The means of both sides, if either side claimed anything.
    pub fn of_both(sides: BySide<Self>) -> Option<Box<BySide<Self>>> {
        (sides != BySide::default()).then(|| Box::new(sides))
    }
}

fn thought(ply: &Ply) -> Option<&Thought> {
    ply.thought.as_deref()
}

/// The mean of `values`; `None` if there are none.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| rounded(sum / f64::from(count), 6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_over_the_moves_of_one_side_that_have_the_claim() {
        let text = "[Black \"a\"]\n[White \"b\"]\n[Result \"0-1\"]\n\n1. c3 {[%eval +3 W0.5 D6 N100]} b2 {[%eval -9 D2]} \
                    2. d4 {[%eval -1.25 D7]} e5 3. a1 {[%eval W0.75 N201]} 0-1\n";
        let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let means = [Side::Black, Side::White].map(|side| {
            let ThoughtMeans { value, win, depth, nodes } = ThoughtMeans::of(&record, side);
            format!("{} {} {} {}", shown(value), shown(win), shown(depth), shown(nodes))
        });
        assert_eq!(means, ["+0.88 0.625 6.5 151", "-9 - 2 -"]);
    }

    fn shown(mean: Option<impl fmt::Display>) -> String {
        mean.map_or_else(|| "-".to_owned(), |mean| mean.to_string())
    }

    #[test]
    fn a_mean_depth_is_read_back() {
        for (hundredths, text) in [(0, "0"), (5, "0.05"), (600, "6"), (650, "6.5"), (625, "6.25")] {
            assert_eq!(MeanDepth(hundredths).to_string(), text);
            assert_eq!(MeanDepth::parse(text), Some(MeanDepth(hundredths)));
        }
        for text in ["", ".5", "6.", "-1", "6.255", "184467440737095517"] {
            assert_eq!(MeanDepth::parse(text), None, "{text:?}");
        }
    }
}
