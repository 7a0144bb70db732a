//! Pairings whose losers are out of the tournament.

use super::{DrawnPairing, DrawnRound, Fixture, KnownResult, PlayerIndex, Step};
use crate::game::{BySide, Side};

/// How many extra pairs of games may be played if the players are level after the regular ones.
pub(super) const EXTRA_PAIRS: u32 = 3;

/// A bracket in which the players are seeded in their order: if the better seed always wins, the best remaining player
/// meets the worst remaining one in every round, so that the first two can meet only in the final. If the number of
/// players is not a power of two, the best seeds have a bye in the first round.
///
/// A pairing is the best of `pairs` colour-swapped pairs of games. It ends with the pair after which the trailing
/// player can no longer catch up. If the players are level after all these pairs, up to [`EXTRA_PAIRS`] more are
/// played, until one player leads; if neither does, the better seed advances.
///
/// The order is as follows: in each round, the first pair of every pairing, then the second pair of every pairing that
/// is not over, and so on. All pairings of a round thus proceed in parallel.
#[derive(Clone, Debug)]
pub(super) struct Knockout {
    players: usize,
    pairs: u32,
    /// The round, starting from 1.
    round: u32,
    /// The players of the round, in the order of the bracket: neighbours meet. A `None` gives the neighbour a bye.
    bracket: Vec<Option<PlayerIndex>>,
    /// The brackets of the previous rounds.
    past: Vec<Vec<Option<PlayerIndex>>>,
    pairings: Vec<Pairing>,
    /// The number of the current pair of games, starting from 1.
    pair: u32,
    /// The index of the current pairing.
    turn: usize,
    /// The second game of the pair whose first game has been returned.
    second: Option<Fixture>,
}

/// Two players, one of whom advances.
#[derive(Clone, Debug)]
struct Pairing {
    /// The player with the better seed, which is the smaller index.
    better: PlayerIndex,
    worse: PlayerIndex,
    /// How many pairs, counted from the first, have both results.
    complete: u32,
    /// The better seed's wins minus its losses in the complete pairs.
    lead: i64,
    over: bool,
}

/// Whether a pair of games will be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    Yes,
    No,
    /// The answer depends on results that are still missing.
    Unknown,
}

impl Knockout {
    pub(super) fn new(players: usize, pairs: u32) -> Self {
        let bracket = seeded(players.next_power_of_two());
        let bracket = bracket.into_iter().map(|seed| Some(seed).filter(|&seed| seed < players)).collect();
        let mut knockout = Self {
            players,
            pairs,
            round: 1,
            bracket,
            past: Vec::new(),
            pairings: Vec::new(),
            pair: 1,
            turn: 0,
            second: None,
        };
        knockout.pairings = knockout.pairings_of_round();
        knockout
    }

    pub(super) const fn at_most(&self) -> u64 {
        // Every pairing eliminates one player.
        (self.players as u64).saturating_sub(1) * (self.pairs + EXTRA_PAIRS) as u64 * 2
    }

    pub(super) fn next(&mut self, known: KnownResult<'_>) -> Step<Fixture> {
        if let Some(second) = self.second.take() {
            return Step::Game(second);
        }
        loop {
            let Some(pairing) = self.pairings.get_mut(self.turn) else {
                if !self.advance() {
                    return Step::Done;
                }
                continue;
            };
            match pairing.need(self.round, self.pair, self.pairs, known) {
                Need::Unknown => return Step::Wait,
                Need::No => self.turn += 1,
                Need::Yes => {
                    let [first, second] = pairing.games(self.round, self.pair);
                    self.turn += 1;
                    self.second = Some(second);
                    return Step::Game(first);
                }
            }
        }
    }

    /// After the last pairing's turn, moves on to the next pair of games or to the next round. Returns false if the
    /// tournament is over.
    fn advance(&mut self) -> bool {
        self.turn = 0;
        if self.pairings.iter().any(|pairing| !pairing.over) {
            self.pair += 1;
            return true;
        }
        if self.bracket.len() < 2 {
            return false;
        }
        let neighbours = self.bracket.chunks(2).map(|seats| self.goes_on(seats)).collect();
        self.past.push(std::mem::replace(&mut self.bracket, neighbours));
        self.round += 1;
        self.pair = 1;
        self.pairings = self.pairings_of_round();
        self.bracket.len() > 1
    }

    /// The rounds drawn so far, with the players that advance.
    pub(super) fn drawn(&self, known: KnownResult<'_>) -> Vec<DrawnRound> {
        let brackets = self.past.iter().chain([&self.bracket]).filter(|bracket| bracket.len() > 1);
        let drawn = (1..).zip(brackets).map(|(round, bracket)| {
            let pairing = |seats: &[Option<PlayerIndex>]| match *seats {
                [Some(one), Some(other)] => {
                    let mut pairing = Pairing::new(one, other);
                    let winner = pairing.is_decided(round, self.pairs, known).then(|| pairing.winner());
                    Some(DrawnPairing::Meeting { sides: pairing.games(round, 1)[0].players, winner })
                }
                [Some(alone), None] | [None, Some(alone)] => Some(DrawnPairing::Bye(alone)),
                _ => None,
            };
            DrawnRound { round, pairings: bracket.chunks(2).filter_map(pairing).collect() }
        });
        drawn.collect()
    }

    /// Returns which of the neighbours in `seats` advances.
    fn goes_on(&self, seats: &[Option<PlayerIndex>]) -> Option<PlayerIndex> {
        let mut present = seats.iter().flatten().copied();
        let (one, other) = (present.next()?, present.next());
        let Some(other) = other else { return Some(one) };
        let pairing = self.pairings.iter().find(|pairing| pairing.better == one.min(other));
        pairing.map(Pairing::winner)
    }

    fn pairings_of_round(&self) -> Vec<Pairing> {
        let meet = |seats: &[Option<PlayerIndex>]| match seats {
            &[Some(one), Some(other)] => Some(Pairing::new(one, other)),
            _ => None,
        };
        self.bracket.chunks(2).filter_map(meet).collect()
    }
}

impl Pairing {
    fn new(one: PlayerIndex, other: PlayerIndex) -> Self {
        Self { better: one.min(other), worse: one.max(other), complete: 0, lead: 0, over: false }
    }

    /// Goes through the pairs of games from the first one on, and returns whether the pairing is known to be over.
    fn is_decided(&mut self, round: u32, regular: u32, known: KnownResult<'_>) -> bool {
        let needs = (1..).map(|pair| self.need(round, pair, regular, known));
        needs.into_iter().find(|&need| need != Need::Yes) == Some(Need::No)
    }

    /// Returns whether pair `pair` will be played, given `regular` regular pairs; all pairs before it have been played
    /// or will be.
    ///
    /// As results arrive, the answer can change only from [`Need::Unknown`] to [`Need::Yes`] or [`Need::No`].
    fn need(&mut self, round: u32, pair: u32, regular: u32, known: KnownResult<'_>) -> Need {
        if self.over {
            return Need::No;
        }
        while self.complete + 1 < pair {
            let games = self.games(round, self.complete + 1);
            let gained = games.map(|game| Some(self.gain(&game, known(&game)?)));
            let [Some(one), Some(other)] = gained else { break };
            self.lead += one + other;
            self.complete += 1;
        }
        // A pair changes the lead by at most 2.
        let open = 2 * i64::from(pair - 1 - self.complete);
        let to_come = 2 * i64::from((regular + 1).saturating_sub(pair));
        if pair <= regular && self.lead.abs() + open <= to_come {
            return Need::Yes;
        }
        if open > 0 {
            return Need::Unknown;
        }
        self.over = pair <= regular || self.lead != 0 || pair > regular + EXTRA_PAIRS;
        if self.over { Need::No } else { Need::Yes }
    }

    /// Returns a game's contribution to the lead.
    fn gain(&self, game: &Fixture, decided: super::Decided) -> i64 {
        let side = if game.players.black == self.better { Side::Black } else { Side::White };
        i64::from(decided.half_points(side) / 2) - i64::from(decided.half_points(side.opponent()) / 2)
    }

    /// Returns both games of a pair; the better seed begins as black in odd-numbered pairs.
    fn games(&self, round: u32, pair: u32) -> [Fixture; 2] {
        let begins = BySide { black: self.better, white: self.worse };
        let swapped = BySide { black: self.worse, white: self.better };
        let players = if pair.is_multiple_of(2) { [swapped, begins] } else { [begins, swapped] };
        players.map(|players| Fixture { round, nth: pair, players })
    }

    /// Returns the player that advances once the pairing is over.
    const fn winner(&self) -> PlayerIndex {
        if self.lead < 0 { self.worse } else { self.better }
    }
}

/// Returns the seeds, starting from 0, in the order of a bracket of `size` places, a power of two.
fn seeded(size: usize) -> Vec<PlayerIndex> {
    let mut order = vec![0];
    while order.len() < size {
        let last = 2 * order.len() - 1;
        order = order.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_seeds_meet_last() {
        assert_eq!(seeded(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        assert_eq!(seeded(1), [0]);
    }

    #[test]
    fn byes_go_to_the_best_seeds() {
        let knockout = Knockout::new(5, 1);
        let met: Vec<_> = knockout.pairings.iter().map(|pairing| (pairing.better, pairing.worse)).collect();
        assert_eq!(met, [(3, 4)]);
        let bracket = [Some(0), None, Some(3), Some(4), Some(1), None, Some(2), None];
        assert_eq!(knockout.bracket, bracket);
    }
}
