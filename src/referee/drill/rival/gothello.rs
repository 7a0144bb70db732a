//! The rivals that know Gothello: each looks two moves ahead for what its scenario wants to see.

use super::{Aim, Reply, Rival, next_number};
use crate::base::random::SplitMix64;
use crate::game::rules::gothello::{Point, points};
use crate::game::rules::{Move, Ruleset, Side};
use crate::referee::drill::turning::Turning;
use crate::referee::record::Ply;

/// How many of its own moves a rival makes at random before it aims: every game differs, and the search stays small.
const AIMLESS: u32 = 2;

/// The rival's move as which [`Aim::AllCodes`] passes.
const EARLY_PASS: u32 = 3;

/// From this move on, [`Aim::PassAhead`] passes when it is ahead.
const LATE_PASS: u32 = 4;

/// A rival of Gothello with an aim.
#[derive(Debug)]
pub(super) struct Aimer {
    aim: Aim,
    random: SplitMix64,
}

impl Aimer {
    pub(super) const fn new(aim: Aim, seed: u64) -> Self {
        Self { aim, random: SplitMix64::new(seed) }
    }

    /// Whether to pass now.
    fn passes(&self, now: &Turning, number: u32) -> bool {
        match self.aim {
            Aim::AllCodes => number == EARLY_PASS && !now.game.passed(),
            Aim::DoublePass => now.game.passed(),
            Aim::PassAhead => {
                let bot_can_go_on = now.game.pass().placements() != 0;
                number >= LATE_PASS && !now.game.passed() && bot_can_go_on && own_lead(now, now.game.side()) > 0
            }
            Aim::MustPass | Aim::Captures => false,
        }
    }

    /// One of the placements with the highest score; `None` if there are none.
    fn place(&mut self, history: &History, number: u32) -> Option<Point> {
        let now = &history.now;
        let scored: Vec<(i64, Point)> = points(now.placements())
            .map(|point| (if number <= AIMLESS { 0 } else { self.score(history, point) }, point))
            .collect();
        let best = scored.iter().map(|(score, _)| *score).max()?;
        let equal: Vec<Point> = scored.into_iter().filter(|(score, _)| *score == best).map(|(_, point)| point).collect();
        let nth = usize::try_from(self.random.below(equal.len() as u64)).unwrap_or_default();
        equal.get(nth).copied()
    }

    /// What a placement is worth: what it brings at once, and on average over the bot's answers the best that can follow.
    fn score(&self, history: &History, point: Point) -> i64 {
        let after = history.place(point);
        let at_once = self.worth(history, &after);
        let answers: Vec<i64> = points(after.now.placements())
            .map(|answer| {
                let answered = after.place(answer);
                let next = points(answered.now.placements()).map(|next| self.worth(&answered, &answered.place(next)));
                self.worth_of_answer(&after, &answered) + next.max().unwrap_or_default()
            })
            .collect();
        let count = i64::try_from(answers.len()).unwrap_or(i64::MAX).max(1);
        at_once + answers.into_iter().sum::<i64>() / count
    }

    /// What the rival's step from `before` to `after` is worth to it.
    fn worth(&self, before: &History, after: &History) -> i64 {
        let own = before.now.game.side();
        let bots = i64::from(after.now.placements().count_ones());
        match self.aim {
            Aim::AllCodes | Aim::MustPass | Aim::DoublePass => {
                let owns = i64::from(after.now.game.pass().placements().count_ones());
                let is_squeezed = bots == 0 && (owns > 0 || self.aim == Aim::DoublePass);
                10 * (owns - 2 * bots) + i64::from(is_squeezed) * 1_000
            }
            Aim::PassAhead => 10 * i64::from(own_lead(&after.now, own)),
            Aim::Captures => {
                let new = after.seen.count().saturating_sub(before.seen.count());
                let (legal, unturned) = (after.now.placements(), after.now.placements_unturned());
                let traps = (legal ^ unturned).count_ones();
                300 * i64::from(new) + 10 * i64::from(traps) + i64::from(after.now.depends_on_turned()) * 200
            }
        }
    }

    /// What the bot's answer, from `before` to `after`, is worth to the rival.
    fn worth_of_answer(&self, before: &History, after: &History) -> i64 {
        let is_new = self.aim == Aim::Captures && after.seen.count() > before.seen.count();
        i64::from(is_new) * 100
    }
}

impl Rival for Aimer {
    fn reply(&mut self, ruleset: Ruleset, plies: &[Ply]) -> Reply {
        let Some(history) = History::of(ruleset, plies) else { return Reply::Resign };
        let number = next_number(plies, history.now.game.side());
        if self.passes(&history.now, number) {
            return Reply::Play(Move::PASS);
        }
        Reply::Play(self.place(&history, number).map_or(Move::PASS, Point::to_move))
    }
}

/// By how many stones `side` is ahead.
fn own_lead(now: &Turning, side: Side) -> i32 {
    side.own(now.game.board().margin())
}

/// A game with what has turned in it so far.
#[derive(Clone, Copy, Debug)]
struct History {
    rival: Side,
    now: Turning,
    seen: Seen,
}

/// Which kinds of captures have been seen.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// The rival turned groups of one stone, of two, and of four or more.
    by_rival: [bool; 3],
    by_bot: bool,
}

impl Seen {
    fn count(self) -> u32 {
        self.by_rival.into_iter().chain([self.by_bot]).map(u32::from).sum()
    }
}

impl History {
    /// The game after `plies`, in which the rival is on move.
    fn of(ruleset: Ruleset, plies: &[Ply]) -> Option<Self> {
        let now = Turning::after(ruleset, plies.iter().map(|ply| ply.played))?;
        let start = Self { rival: now.game.side(), now: Turning::after(ruleset, [])?, seen: Seen::default() };
        Some(plies.iter().fold(start, |history, ply| history.step(history.now.play(ply.played))))
    }

    fn place(&self, point: Point) -> Self {
        self.step(self.now.place(point))
    }

    fn step(&self, next: Turning) -> Self {
        let mut seen = self.seen;
        for size in self.now.turned_until(&next) {
            match size {
                _ if self.now.game.side() != self.rival => seen.by_bot = true,
                1 => seen.by_rival[0] = true,
                2 => seen.by_rival[1] = true,
                4.. => seen.by_rival[2] = true,
                _ => {}
            }
        }
        Self { now: next, seen, ..*self }
    }
}
