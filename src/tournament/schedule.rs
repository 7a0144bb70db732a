//! Which games a tournament consists of, lazily: a pure function of the tournament and of the results so far.

mod gauntlet;
mod ids;
mod knockout;
mod matching;
mod opening;
mod planned;
mod results;
mod round_robin;
mod sprt_pairs;
mod swiss;

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::base::random::mix;
use crate::exact::balance::Balanced;
use crate::game::rules::{BySide, Move, Ruleset, Side};
use crate::tournament::file::{Format, Tournament};
use crate::tournament::sprt::{Progress, Verdict};

pub use gauntlet::Gauntlet;
pub use ids::{Ids, Place};
pub use results::{Decided, Results};
pub use round_robin::RoundRobin;

use knockout::Knockout;
use opening::Openings;
use planned::Planned;
use sprt_pairs::SprtPairs;
use swiss::Swiss;

/// What names a game within its tournament: `r<round>-<black>-<white>` in slugs, with `-<n>` where a round holds the
/// pairing more than once.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GameId(String);

impl GameId {
    /// The id of the `nth` game (from 1) of this pairing in round `round` (from 1). The slugs are those of
    /// [`crate::tournament::file::PlayerName::slug`]; as they hold no `-`, different games have different ids.
    pub fn new(round: u32, black_slug: &str, white_slug: &str, nth: u32) -> Self {
        let first = format!("r{round}-{black_slug}-{white_slug}");
        Self(if nth > 1 { format!("{first}-{nth}") } else { first })
    }

    /// The id that was written down as `text`.
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The id as text, fit for a file name.
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

/// An index into [`crate::tournament::file::Tournament::players`].
pub type PlayerIndex = usize;

/// One game to be played.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct GameSpec {
    /// Its id.
    pub id: GameId,
    /// The round, from 1.
    pub round: u32,
    /// Who plays.
    pub players: BySide<PlayerIndex>,
    /// The game's own seed, a function of the tournament's seed and the id alone.
    pub seed: u64,
    /// The plies with which it starts, black's first: a function of the tournament's seed, the two players whatever their
    /// colours, round and number in the round alone. Empty in a tournament without openings.
    pub opening: Vec<Move>,
}

impl GameSpec {
    /// What `{seed}` stands for in the command of the player with `side`: a function of the game's seed and the side
    /// alone, less than 2^31, so that any program in any language can read it into a plain integer.
    pub fn seat_seed(&self, side: Side) -> u64 {
        mix(self.seed, side.name()) >> 33
    }
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<Game = GameSpec> {
    /// This game.
    Game(Game),
    /// What comes next depends on games that have no result yet.
    Wait,
    /// Nothing.
    Done,
}

/// Who plays whom in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fixture {
    /// The round, from 1.
    round: u32,
    /// Which game between the two with these colours it is in its round, from 1.
    nth: u32,
    players: BySide<PlayerIndex>,
}

/// The result of a fixture, if it has one.
type Known<'a> = &'a dyn Fn(&Fixture) -> Option<Decided>;

/// Which game comes at which place of the order.
#[derive(Clone, Debug)]
enum Plan {
    Planned(Planned),
    Swiss(Swiss),
    Knockout(Knockout),
    Sprt(SprtPairs),
}

/// What a schedule is made from: all that a tournament says of which games there are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The rules.
    pub ruleset: Ruleset,
    /// Who meets whom how often.
    pub format: Format,
    /// What all randomness derives from.
    pub seed: u64,
    /// With how many given plies each game starts.
    pub opening_plies: u32,
    /// The digest of the openings that are drawn from, where they are only those nearest to a draw: these depend on how much
    /// the program's book knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced: Option<String>,
    /// The players' slugs, in the order of the tournament.
    pub slugs: Vec<String>,
}

impl From<&Tournament> for Frame {
    fn from(tournament: &Tournament) -> Self {
        Self {
            ruleset: tournament.ruleset,
            format: tournament.format.clone(),
            seed: tournament.seed,
            opening_plies: tournament.opening_plies,
            balanced: chosen(tournament.opening_plies, tournament.balanced).map(Balanced::digest),
            slugs: tournament.players.iter().map(|player| player.name.slug()).collect(),
        }
    }
}

/// The openings that are drawn from, where it is not all of them.
fn chosen(plies: u32, balanced: bool) -> Option<&'static Balanced> {
    if balanced { crate::exact::balance::balanced(plies).ok() } else { None }
}

/// All games of a tournament, in the order in which they are to be started.
///
/// It is a pure function of the tournament and of the results that it is handed. Some formats are *planned*: their games
/// are known from the start, and any of them is there at once. In the others, what comes next may depend on results; but
/// the game at each place of the order is the same however many results were there when it was asked for, so that neither
/// concurrency nor a resumed run changes anything. (Only where a sequential test ends, games that were begun meanwhile lie
/// behind its end.)
///
/// A planned schedule holds nothing but its place in the order, so that the longest tournament takes no memory; the others
/// hold a few numbers for each player. A clone goes on from the same place.
#[derive(Clone, Debug)]
pub struct Schedule {
    plan: Plan,
    slugs: Arc<[String]>,
    seed: u64,
    openings: Option<Openings>,
}

impl Schedule {
    /// The schedule of `tournament`, from its first game on.
    pub fn new(tournament: &Tournament) -> Self {
        Self::of(&Frame::from(tournament), &[])
    }

    /// The schedule of a tournament by its frame, from its first game on. `earlier` is what the tournament was before each
    /// extension, the oldest first: no game of those changes its place.
    pub fn of(frame: &Frame, earlier: &[Frame]) -> Self {
        let slugs: Arc<[String]> = frame.slugs.iter().cloned().collect();
        let seed = frame.seed;
        let plan = match &frame.format {
            Format::RoundRobin { .. } | Format::Gauntlet { .. } => Plan::Planned(Planned::new(frame, earlier)),
            Format::Swiss { rounds, legs } => Plan::Swiss(Swiss::new(Arc::clone(&slugs), rounds.get(), *legs, seed)),
            Format::Knockout { pairs } => Plan::Knockout(Knockout::new(slugs.len(), pairs.get())),
            Format::Sprt { test, max_pairs } => Plan::Sprt(SprtPairs::new(*test, max_pairs.get())),
        };
        let openings = Openings::new(frame.ruleset, frame.opening_plies);
        let openings = match chosen(frame.opening_plies, frame.balanced.is_some()) {
            Some(chosen) => openings.map(|openings| openings.among(chosen)),
            None => openings,
        };
        Self { plan, slugs, seed, openings }
    }

    /// Whether what comes next may depend on results. [`Schedule::next`] needs no results of other schedules.
    pub const fn needs_results(&self) -> bool {
        !matches!(self.plan, Plan::Planned(_))
    }

    /// How many games the tournament has, whatever has been taken from the schedule; `None` where the results decide.
    pub fn len(&self) -> Option<u64> {
        match &self.plan {
            Plan::Knockout(_) | Plan::Sprt(_) => None,
            Plan::Planned(_) | Plan::Swiss(_) => Some(self.at_most()),
        }
    }

    /// Whether the tournament has no game at all, which needs fewer than two players.
    pub fn is_empty(&self) -> bool {
        self.at_most() == 0
    }

    /// How many games the tournament can have.
    pub fn at_most(&self) -> u64 {
        match &self.plan {
            Plan::Planned(planned) => planned.games(),
            Plan::Swiss(swiss) => swiss.games(),
            Plan::Knockout(knockout) => knockout.at_most(),
            Plan::Sprt(pairs) => pairs.at_most(),
        }
    }

    /// Game `number` of a planned schedule, from 0 in its order, whatever has been taken from it; of others none.
    pub fn get(&self, number: u64) -> Option<GameSpec> {
        let Plan::Planned(planned) = &self.plan else { return None };
        planned.get(number).map(|fixture| self.spec(fixture))
    }

    /// All games of a planned schedule, whatever has been taken from it; of others none.
    pub fn games(&self) -> impl Iterator<Item = GameSpec> {
        self.planned().map(Planned::restarted).into_iter().flatten().map(|fixture| self.spec(fixture))
    }

    /// The games of a planned schedule that have not been taken; of others none.
    pub fn rest(&self) -> impl Iterator<Item = GameSpec> {
        self.planned().cloned().into_iter().flatten().map(|fixture| self.spec(fixture))
    }

    /// The next game by these results. Results that it was handed once must be there ever after.
    pub fn next(&mut self, results: &Results) -> Step {
        let slugs = Arc::clone(&self.slugs);
        let known = |fixture: &Fixture| results.get(id(&slugs, fixture).as_str());
        let step = match &mut self.plan {
            Plan::Planned(planned) => planned.next().map_or(Step::Done, Step::Game),
            Plan::Swiss(swiss) => swiss.next(&known),
            Plan::Knockout(knockout) => knockout.next(&known),
            Plan::Sprt(pairs) => pairs.next(&known),
        };
        match step {
            Step::Game(fixture) => Step::Game(self.spec(fixture)),
            Step::Wait => Step::Wait,
            Step::Done => Step::Done,
        }
    }

    /// Whether these results have decided what the tournament is for, so that games which were taken but have not begun
    /// need not be played any more.
    pub fn is_decided(&mut self, results: &Results) -> bool {
        self.progress(results).is_some_and(|progress| progress.verdict() != Verdict::Undecided)
    }

    /// How far the test of a format `sprt` has come by these results: on the completed pairs up to the first that is not,
    /// in the schedule's order. Pairs with a double forfeit do not count. `None` with other formats.
    pub fn progress(&mut self, results: &Results) -> Option<&Progress> {
        let slugs = Arc::clone(&self.slugs);
        let Plan::Sprt(pairs) = &mut self.plan else { return None };
        Some(pairs.progress(&|fixture| results.get(id(&slugs, fixture).as_str())))
    }

    /// Those of the games that these results call for which have none; none where the tournament is complete. Of games that
    /// depend on such a game, nothing is known. The schedule must be one from which nothing has been taken.
    pub fn missing(mut self, results: &Results) -> impl Iterator<Item = GameSpec> {
        let next = move || match self.next(results) {
            Step::Game(spec) => Some(spec),
            Step::Wait | Step::Done => None,
        };
        std::iter::from_fn(next).filter(|spec| results.get(spec.id.as_str()).is_none())
    }

    const fn planned(&self) -> Option<&Planned> {
        match &self.plan {
            Plan::Planned(planned) => Some(planned),
            Plan::Swiss(_) | Plan::Knockout(_) | Plan::Sprt(_) => None,
        }
    }

    fn spec(&self, fixture: Fixture) -> GameSpec {
        let id = id(&self.slugs, &fixture);
        let seed = mix(self.seed, id.as_str());
        let Fixture { round, nth, players } = fixture;
        let slugs = players.map(|player| self.slugs[player].as_str());
        let opening = self.openings.as_ref().map(|openings| openings.of(self.seed, slugs, round, nth));
        GameSpec { id, round, players, seed, opening: opening.unwrap_or_default() }
    }
}

fn id(slugs: &[String], fixture: &Fixture) -> GameId {
    let Fixture { round, nth, players } = fixture;
    GameId::new(*round, &slugs[players.black], &slugs[players.white], *nth)
}
