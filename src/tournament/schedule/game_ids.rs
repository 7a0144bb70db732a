//! The ids of games, and the ids that are possible in a tournament.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::group::GroupPart;
use super::planned_games::PlannedPart as _;
use super::{PlayerIndex, ScheduleFrame, knockout};
use crate::game::{BySeat, BySide, Side};
use crate::tournament::{Format, PlayerName};

/// The name of a game within its tournament: `r<round>-<black>-<white>` with the players' slugs, followed by `-<n>` if
/// the pairing occurs more than once in the round. A game at a table of more than two players has the id
/// `r<round>-t<table>-g<game>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GameId(Arc<str>);

impl GameId {
    /// Creates the id of the `nth` game (from 1) of this pairing in round `round` (from 1). The slugs come from
    /// [`crate::tournament::PlayerName::slug`]. They contain no `-`, so different games have different ids.
    pub fn new(round: u32, black_slug: &str, white_slug: &str, nth: u32) -> Self {
        let first = format!("r{round}-{black_slug}-{white_slug}");
        Self(if nth > 1 { format!("{first}-{nth}") } else { first }.into())
    }

    /// Creates the id of a game at a table: `r<round>-t<table>-g<game>`, all from 1.
    pub fn at_table(round: u32, table: u64, game: u8) -> Self {
        Self(format!("r{round}-t{table}-g{game}").into())
    }

    /// Creates the id that was stored as `text`. Several ids can share one text.
    pub fn from_text(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the id as text that is safe as a file name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Borrow<str> for GameId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The information in a game's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GamePlace {
    /// The round, starting from 1.
    pub round: u32,
    /// The player in each seat.
    pub players: BySeat<PlayerIndex>,
}

/// The possible ids of games of one tournament.
#[derive(Clone, Debug)]
pub struct Ids(IdKind);

#[derive(Clone, Debug)]
enum IdKind {
    Pairs(PairIds),
    Groups(GroupPart),
}

/// The possible ids of games with two players.
#[derive(Clone, Debug)]
struct PairIds {
    players: HashMap<String, PlayerIndex>,
    rounds: u32,
    /// How often a pairing with the same colours may occur in a round.
    most: u32,
    /// Whether each player is a challenger, in a gauntlet.
    challengers: Option<Vec<bool>>,
    /// The only side of each player, for those that play just one; empty if all players play both.
    sides: Vec<Option<Side>>,
}

impl Ids {
    /// Returns the ids that `frame` allows; `None` if its slugs are not valid, or if two of them are equal.
    pub fn new(frame: &ScheduleFrame) -> Option<Self> {
        let count = frame.slugs.len();
        let players: HashMap<String, PlayerIndex> = frame.slugs.iter().cloned().zip(0..).collect();
        if players.len() != count || !frame.slugs.iter().all(|slug| is_slug(slug)) {
            return None;
        }
        let mut challengers = None;
        let (rounds, most) = match &frame.format {
            Format::RoundRobin { rounds } | Format::Swiss { rounds, .. } => (rounds.get(), 1),
            Format::Gauntlet { rounds, challengers: named } => {
                let mut marked = vec![false; count];
                for &index in named {
                    *marked.get_mut(index)? = true;
                }
                challengers = Some(marked);
                (rounds.get(), 1)
            }
            Format::Knockout { pairs } => {
                (count.next_power_of_two().ilog2(), pairs.get().saturating_add(knockout::EXTRA_PAIRS))
            }
            Format::Group { .. } => return GroupPart::new(frame).map(|groups| Self(IdKind::Groups(groups))),
            Format::Sprt { max_pairs, .. } => (max_pairs.get(), 1),
            Format::Ladder => (u32::MAX, 1),
        };
        Some(Self(IdKind::Pairs(PairIds { players, rounds, most, challengers, sides: frame.sides.clone() })))
    }

    /// Adds a player, whose slug is `slug`, to a ladder.
    pub fn add_player(&mut self, slug: &str) {
        if let IdKind::Pairs(pairs) = &mut self.0 {
            let place = pairs.players.len();
            pairs.players.insert(slug.to_owned(), place);
        }
    }

    /// Parses `id`, if it is possible in the tournament. If the pairings depend on results, not every possible game is
    /// played.
    pub fn find(&self, id: &str) -> Option<GamePlace> {
        match &self.0 {
            IdKind::Pairs(pairs) => pairs.find(id),
            IdKind::Groups(groups) => game_at_table(groups, id),
        }
    }
}

/// Finds the game at a table with this id.
fn game_at_table(groups: &GroupPart, id: &str) -> Option<GamePlace> {
    let mut parts = id.strip_prefix('r')?.split('-');
    let round = parts.next()?.parse().ok()?;
    let table = parts.next()?.strip_prefix('t')?.parse().ok()?;
    let game = parts.next()?.strip_prefix('g')?.parse().ok()?;
    let is_canonical = GameId::at_table(round, table, game).as_str() == id;
    let found = groups.find(round, table, game).filter(|_| is_canonical)?;
    Some(GamePlace { round, players: found.players })
}

impl PairIds {
    fn find(&self, id: &str) -> Option<GamePlace> {
        let mut parts = id.strip_prefix('r')?.split('-');
        let round: u32 = parts.next()?.parse().ok()?;
        let (black_slug, white_slug) = (parts.next()?, parts.next()?);
        let nth: u32 = parts.next().map_or(Some(1), |nth| nth.parse().ok())?;
        let is_canonical = GameId::new(round, black_slug, white_slug, nth).as_str() == id;
        let players = BySide { black: *self.players.get(black_slug)?, white: *self.players.get(white_slug)? };
        // If one player plays just one side, both games of the pair have the same colours.
        let is_sided = Side::BOTH.iter().any(|&side| self.only_side(players[side]).is_some());
        let most = if is_sided { 2 } else { self.most };
        if !is_canonical || !(1..=self.rounds).contains(&round) || !(1..=most).contains(&nth) {
            return None;
        }
        self.may_meet(players).then(|| GamePlace { round, players: players.into() })
    }

    fn only_side(&self, player: PlayerIndex) -> Option<Side> {
        self.sides.get(player).copied().flatten()
    }

    fn may_meet(&self, BySide { black, white }: BySide<PlayerIndex>) -> bool {
        black != white
            && self.only_side(black) != Some(Side::White)
            && self.only_side(white) != Some(Side::Black)
            && self.challengers.as_ref().is_none_or(|is_challenger| is_challenger[black] != is_challenger[white])
    }
}

/// Returns whether `text` is safe as a part of a file name, where it must not lead to another directory, and as a part
/// of an id, where it must not be ambiguous. This is less strict than the rules for slugs, because conversion to lower
/// case can produce combining characters.
fn is_slug(text: &str) -> bool {
    let is_fit = |c: char| !c.is_control() && !['/', '.', '-'].contains(&c);
    (1..=PlayerName::MAX_SLUG).contains(&text.len()) && text.chars().all(is_fit)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::tournament::Tournament;
    use crate::tournament::schedule::{Decided, GameSpec, Results, Schedule, Step};

    /// Creates a frame of players `p0`, `p1` and so on. In a gauntlet, `p0` and `p3` are the challengers.
    fn frame(format: &str, players: usize) -> ScheduleFrame {
        let mut toml = format!("{format}\n");
        for index in 0..players {
            let is_challenger = format.contains("gauntlet") && [0, 3].contains(&index);
            let challenger = if is_challenger { "challenger = true\n" } else { "" };
            let _ = write!(toml, "[[player]]\nname = \"p{index}\"\nbuiltin = \"random\"\n{challenger}");
        }
        ScheduleFrame::from(&Tournament::parse(&toml, "test").unwrap_or_else(|problems| panic!("{problems:?}")))
    }

    /// Plays all games of a tournament. Every third game is drawn, and Black wins the others.
    fn games(frame: &ScheduleFrame) -> Vec<GameSpec> {
        let (mut schedule, mut results, mut games) = (Schedule::of(frame, &[]), Results::default(), Vec::new());
        while let Step::Game(spec) = schedule.next(&results) {
            let decided = if games.len() % 3 == 2 { Decided::Drawn } else { Decided::Won(Side::Black) };
            results.insert(spec.id.clone(), decided);
            games.push(spec);
        }
        games
    }

    #[test]
    fn every_game_of_every_format_is_found_by_its_id() {
        for (format, players) in [
            ("rounds = 3", 5),
            ("format = \"gauntlet\"\nrounds = 2", 5),
            ("format = \"swiss\"\nrounds = 3", 6),
            ("format = \"knockout\"\npairs = 1", 5),
            ("format = \"knockout\"\npairs = 2", 8),
            ("format = \"sprt\"\nelo1 = 400\nmax_pairs = 7", 2),
        ] {
            let frame = frame(format, players);
            let ids = Ids::new(&frame).expect("a tournament");
            let games = games(&frame);
            assert!(games.len() > players, "{format}");
            for GameSpec { id, round, players, .. } in games {
                assert_eq!(ids.find(id.as_str()), Some(GamePlace { round, players }), "{format}: {id}");
            }
        }
    }

    #[test]
    fn other_texts_are_not_ids() {
        let ids = Ids::new(&frame("rounds = 3", 3)).expect("a tournament");
        assert!(ids.find("r3-p0-p1").is_some());
        for id in [
            "",
            "r",
            "r1",
            "r1-p0",
            "r0-p0-p1",
            "r4-p0-p1",
            "r01-p0-p1",
            "r+1-p0-p1",
            "r1-p0-p0",
            "r1-p0-p3",
            "r1-p0-p1-1",
            "r1-p0-p1-2",
            "r1-p0-p1-",
            "r1-p0-p1-2-2",
            "R1-p0-p1",
            "r1-p0-p1/../x",
            "../r1-p0-p1",
            "r1-p0-p1\n",
            " r1-p0-p1",
        ] {
            assert_eq!(ids.find(id), None, "{id:?}");
        }
        let gauntlet = Ids::new(&frame("format = \"gauntlet\"", 3)).expect("a tournament");
        assert!(gauntlet.find("r1-p0-p2").is_some() && gauntlet.find("r1-p1-p2").is_none());
    }
}
