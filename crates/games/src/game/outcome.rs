//! Who wins a game, and by how much.

use std::borrow::Cow;
use std::fmt;

use serde::de::Error as _;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Side;

/// The winner and the margin: how a game ended by its rules, or the value of a position under best play by both sides.
///
/// In JSON, the winner is `black`, `white` or `draw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner; `None` means a draw.
    pub winner: Option<Side>,
    /// Black's points minus white's, not counting any compensation; `None` if only the winner is known. With
    /// compensation, the winner can be behind.
    pub margin: Option<i32>,
}

impl Outcome {
    /// The outcome of a game in which the side with more points wins.
    pub const fn of_margin(margin: i32) -> Self {
        Self { winner: Side::ahead(margin), margin: Some(margin) }
    }

    /// `black`, `white` or `draw`.
    pub const fn winner_name(self) -> &'static str {
        match self.winner {
            Some(side) => side.name(),
            None => "draw",
        }
    }

    /// The margin from the perspective of `side`: its own points minus its opponent's.
    pub fn lead(self, side: Side) -> Option<i32> {
        self.margin.map(|margin| side.own(margin))
    }
}

impl Serialize for Outcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Outcome", 2)?;
        object.serialize_field("winner", self.winner_name())?;
        object.serialize_field("margin", &self.margin)?;
        object.end()
    }
}

/// Fails if the margin implies a different winner: files contain proven values of positions, and rule sets with proofs
/// do not have compensation.
impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct OutcomeObject<'a> {
            #[serde(borrow)]
            winner: Cow<'a, str>,
            margin: Option<i32>,
        }
        let OutcomeObject { winner, margin } = OutcomeObject::deserialize(deserializer)?;
        let winner = match &*winner {
            "draw" => None,
            side => Some(side.parse().map_err(|_| D::Error::custom("expected `black`, `white` or `draw`"))?),
        };
        match margin {
            Some(margin) if Side::ahead(margin) != winner => {
                Err(D::Error::custom("the margin does not match the winner"))
            }
            _ => Ok(Self { winner, margin }),
        }
    }
}

/// Writes `black wins by 3`, `white wins` or `draw`. A winner that is not ahead, for example because of its
/// compensation, is described as such: `white wins, level on points`, `white wins, 2 points behind`.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(winner) = self.winner else {
            f.write_str("draw")?;
            return match self.margin.and_then(Side::ahead) {
                Some(ahead) => write!(f, ", {ahead} ahead on points"),
                None => Ok(()),
            };
        };
        write!(f, "{winner} wins")?;
        match self.lead(winner) {
            None => Ok(()),
            Some(0) => f.write_str(", level on points"),
            Some(-1) => f.write_str(", 1 point behind"),
            Some(lead @ ..0) => write!(f, ", {} points behind", lead.unsigned_abs()),
            Some(lead) => write!(f, " by {lead}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_tells_who_wins_and_by_how_much() {
        let texts = [5, 0, -1].map(|margin| Outcome::of_margin(margin).to_string());
        assert_eq!(texts, ["black wins by 5", "draw", "white wins by 1"]);
        assert_eq!(Outcome { winner: Some(Side::White), margin: None }.to_string(), "white wins");
        let compensated =
            [2, 1, 0, -1].map(|margin| Outcome { winner: Some(Side::White), margin: Some(margin) }.to_string());
        let behind = ["white wins, 2 points behind", "white wins, 1 point behind"];
        assert_eq!(compensated, [behind[0], behind[1], "white wins, level on points", "white wins by 1"]);
        assert_eq!(Outcome { winner: None, margin: Some(3) }.to_string(), "draw, black ahead on points");
    }
}
