//! Rivals for Gothello that look two moves ahead, to bring about the passes that their scenarios need.

use super::{Aim, Reply, Rival, SoFar, next_number};
use crate::base::random::SplitMix64;
use crate::exact::solvable;
use crate::game::gothello::{Game, Point, points};
use crate::game::{Move, Ruleset, Side};

/// How many of its own moves a rival makes at random before it pursues its aim, so that games differ and the search
/// stays small.
const AIMLESS: u32 = 2;

/// The number of the rival's move at which [`Aim::AllCodes`] passes.
const EARLY_PASS: u32 = 3;

/// The number of the rival's move from which [`Aim::PassAhead`] passes when the rival is ahead.
const LATE_PASS: u32 = 4;

/// A rival for Gothello with an aim.
#[derive(Debug)]
pub(super) struct Aimer {
    aim: Aim,
    random: SplitMix64,
}

impl Aimer {
    pub(super) const fn new(aim: Aim, seed: u64) -> Self {
        Self { aim, random: SplitMix64::new(seed) }
    }

    /// Whether the rival passes as its move `number`.
    const fn passes(&self, game: &Game, number: u32) -> bool {
        match self.aim {
            Aim::AllCodes => number == EARLY_PASS && !game.passed(),
            Aim::DoublePass => game.passed(),
            Aim::PassAhead => {
                let bot_can_go_on = game.pass().placements() != 0;
                number >= LATE_PASS && !game.passed() && bot_can_go_on && own_lead(game, game.side()) > 0
            }
            Aim::MustPass => false,
        }
    }

    /// One of the placements with the highest score; `None` if no placement is legal.
    fn place(&mut self, game: &Game, number: u32) -> Option<Point> {
        let scored: Vec<(i64, Point)> = points(game.placements())
            .map(|point| (if number <= AIMLESS { 0 } else { self.score(&game.place(point)) }, point))
            .collect();
        let best = scored.iter().map(|(score, _)| *score).max()?;
        let equal: Vec<Point> =
            scored.into_iter().filter(|(score, _)| *score == best).map(|(_, point)| point).collect();
        let nth = usize::try_from(self.random.below(equal.len() as u64)).unwrap_or_default();
        equal.get(nth).copied()
    }

    /// The value of the position `after`, in which the bot is to move: its immediate value, plus the value of the
    /// rival's best reply, averaged over the bot's answers.
    fn score(&self, after: &Game) -> i64 {
        let answers: Vec<i64> = points(after.placements())
            .map(|answer| {
                let answered = after.place(answer);
                let next = points(answered.placements()).map(|next| self.worth(&answered.place(next)));
                next.max().unwrap_or_default()
            })
            .collect();
        let count = i64::try_from(answers.len()).unwrap_or(i64::MAX).max(1);
        self.worth(after) + answers.into_iter().sum::<i64>() / count
    }

    /// The immediate value of the position `after`, in which the bot is to move.
    fn worth(&self, after: &Game) -> i64 {
        if self.aim == Aim::PassAhead {
            return 10 * i64::from(own_lead(after, after.side().opponent()));
        }
        let [bots, owns] = [*after, after.pass()].map(|game| i64::from(game.placements().count_ones()));
        let is_squeezed = bots == 0 && (owns > 0 || self.aim == Aim::DoublePass);
        10 * (owns - 2 * bots) + i64::from(is_squeezed) * 1_000
    }
}

impl Rival for Aimer {
    fn reply(&mut self, ruleset: Ruleset, so_far: &SoFar<'_>) -> Reply {
        let plies = so_far.plies;
        let Ok(game) = solvable::position(ruleset, plies.iter().map(|ply| ply.played)) else { return Reply::Resign };
        let number = next_number(plies, game.side());
        if self.passes(&game, number) {
            return Reply::Play(Move::PASS);
        }
        Reply::Play(self.place(&game, number).map_or(Move::PASS, Point::to_move))
    }
}

/// The number of stones by which `side` is ahead.
const fn own_lead(game: &Game, side: Side) -> i32 {
    side.own(game.board().margin())
}
