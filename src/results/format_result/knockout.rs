//! The result of a knockout: the bracket, the champion, and the rounds in which the other players lost.

use std::cmp::Reverse;

use super::{PairingScore, PlayedTournament};
use crate::game::Side;
use crate::tournament::schedule::{DrawnPairing, PlayerIndex};

/// The result of a knockout, which may still be in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnockoutResult {
    /// The winner of the last round.
    pub champion: Option<String>,
    /// All rounds of the bracket, including future ones.
    pub rounds: Vec<BracketRound>,
    /// The players: first those that are still in, then the others, in both cases starting with those that got
    /// furthest; among equals, better seeds come first.
    pub places: Vec<KnockoutPlace>,
}

/// One round of the bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracketRound {
    /// The round's pairings from the top of the bracket: the winners of pairings 2 i and 2 i + 1 meet in pairing i of
    /// the next round.
    pub pairings: Vec<BracketPairing>,
}

/// One pairing of the bracket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BracketPairing {
    /// The two opponents.
    pub seats: [BracketSeat; 2],
    /// The index of the seat of the player that advances, and why.
    pub won: Option<(usize, WonBy)>,
}

/// One half of a pairing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BracketSeat {
    /// A player, with its half points in the games of the pairing if any game has a result.
    Player {
        /// The name.
        name: String,
        /// The half points.
        half_points: Option<u32>,
    },
    /// No player: the opponent advances.
    Bye,
    /// A player that is not known yet.
    Open,
}

/// Why a player advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WonBy {
    /// The player scored more points than its opponent.
    Points,
    /// The player scored more points, but no game was played because its opponent was absent or could not be started.
    Walkover,
    /// Both players scored the same, and this player has the better seed.
    Seed,
    /// The player has no opponent.
    Bye,
}

impl WonBy {
    /// The reason, if it is something other than points on the board.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Points => None,
            Self::Walkover => Some("walkover"),
            Self::Seed => Some("seed"),
            Self::Bye => Some("bye"),
        }
    }
}

/// How far a player got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnockoutPlace {
    /// The place, from 1, shared by all players that lost in the same round; `None` if the player is still in.
    pub place: Option<usize>,
    /// The player.
    pub player: String,
    /// The seed, from 1.
    pub seed: usize,
    /// The last round that the player reached, from 1.
    pub round: usize,
    /// The player to whom this player lost.
    pub lost_to: Option<String>,
}

impl KnockoutResult {
    /// The place of `player`.
    pub fn place(&self, player: &str) -> Option<&KnockoutPlace> {
        self.places.iter().find(|place| place.player == player)
    }

    pub(super) fn new(tournament: PlayedTournament<'_>) -> Self {
        let names = tournament.names;
        let size = names.len().next_power_of_two();
        let mut rounds: Vec<BracketRound> = Vec::new();
        let mut places: Vec<KnockoutPlace> = names
            .iter()
            .enumerate()
            .map(|(index, player)| KnockoutPlace {
                place: None,
                player: player.clone(),
                seed: index + 1,
                round: 1,
                lost_to: None,
            })
            .collect();
        let count = size.ilog2() as usize;
        for number in 1..=count {
            let pairings = match tournament.drawn.get(number - 1) {
                Some(drawn) => {
                    let pairing = |pairing: &DrawnPairing| drawn_pairing(tournament, number, *pairing);
                    in_order_of(rounds.last(), drawn.pairings.iter().map(pairing).collect())
                }
                None => to_come(rounds.last(), size >> number),
            };
            let round = BracketRound { pairings };
            reach(&mut places, &round, (number, count));
            rounds.push(round);
        }
        let champion = places.iter().find(|place| place.place == Some(1)).map(|place| place.player.clone());
        // The champion is never out, and the sort is stable, so better seeds stay first.
        places.sort_by_key(|place| (place.place.unwrap_or(0), Reverse(place.round)));
        Self { champion, rounds, places }
    }

    pub(super) fn names_mut(&mut self) -> Vec<&mut String> {
        let seats = self.rounds.iter_mut().flat_map(|round| &mut round.pairings).flat_map(|pairing| &mut pairing.seats);
        let seated = seats.filter_map(|seat| match seat {
            BracketSeat::Player { name, .. } => Some(name),
            BracketSeat::Bye | BracketSeat::Open => None,
        });
        let placed = self.places.iter_mut().flat_map(|place| [&mut place.player].into_iter().chain(&mut place.lost_to));
        seated.chain(placed).chain(&mut self.champion).collect()
    }

    /// The round that is being played, from 1.
    pub fn current_round(&self) -> usize {
        let is_open = |round: &BracketRound| round.pairings.iter().any(|pairing| pairing.won.is_none());
        self.rounds.iter().position(is_open).map_or(self.rounds.len(), |round| round + 1)
    }
}

impl BracketPairing {
    /// The winner's name.
    pub fn winner(&self) -> Option<&str> {
        self.seats[self.won?.0].name()
    }

    /// The name of the player that is out.
    fn loser(&self) -> Option<&str> {
        self.seats[1 - self.won?.0].name()
    }
}

impl BracketSeat {
    /// The player's name.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Player { name, .. } => Some(name),
            Self::Bye | Self::Open => None,
        }
    }
}

/// A pairing of the schedule, with the better seed first.
fn drawn_pairing(tournament: PlayedTournament<'_>, round: usize, pairing: DrawnPairing) -> BracketPairing {
    let name = |player: PlayerIndex| tournament.names[player].clone();
    match pairing {
        DrawnPairing::Bye(player) => BracketPairing {
            seats: [BracketSeat::Player { name: name(player), half_points: None }, BracketSeat::Bye],
            won: Some((0, WonBy::Bye)),
        },
        DrawnPairing::Meeting { sides, winner } => {
            let [one, other] = Side::BOTH.map(|side| sides[side]);
            let players = [one.min(other), one.max(other)];
            let round = u32::try_from(round).unwrap_or(u32::MAX);
            let score = tournament.games.score(round, players[0], players[1]);
            let seat = |place: usize| BracketSeat::Player {
                name: name(players[place]),
                half_points: (score.games > 0).then_some(score.half_points[place]),
            };
            let won = winner.map(|winner| (usize::from(winner != players[0]), won_by(score)));
            BracketPairing { seats: [seat(0), seat(1)], won }
        }
    }
}

/// Orders `pairings` so that the winner of pairing 2 i of the previous round is first in pairing i.
fn in_order_of(before: Option<&BracketRound>, mut pairings: Vec<BracketPairing>) -> Vec<BracketPairing> {
    let Some(before) = before else { return pairings };
    for (place, pairing) in pairings.iter_mut().enumerate() {
        if before.pairings[2 * place].winner() != pairing.seats[0].name() {
            pairing.seats.swap(0, 1);
            pairing.won = pairing.won.map(|(winner, by)| (1 - winner, by));
        }
    }
    pairings
}

const fn won_by(PairingScore { games, half_points, unplayed }: PairingScore) -> WonBy {
    if half_points[0] == half_points[1] {
        WonBy::Seed
    } else if unplayed == games {
        WonBy::Walkover
    } else {
        WonBy::Points
    }
}

/// The `count` pairings of a round that has not been drawn, with the players that are known to reach this round.
fn to_come(before: Option<&BracketRound>, count: usize) -> Vec<BracketPairing> {
    let seat = |place: usize| {
        let winner = before.and_then(|round| round.pairings.get(place)?.winner());
        winner.map_or(BracketSeat::Open, |name| BracketSeat::Player { name: name.to_owned(), half_points: None })
    };
    (0..count).map(|pairing| BracketPairing { seats: [seat(2 * pairing), seat(2 * pairing + 1)], won: None }).collect()
}

/// Records how far players got in `round`, which is round `number` of `count`.
fn reach(places: &mut [KnockoutPlace], round: &BracketRound, (number, count): (usize, usize)) {
    for pairing in &round.pairings {
        for name in pairing.seats.iter().filter_map(BracketSeat::name) {
            let Some(place) = places.iter_mut().find(|place| place.player == name) else { continue };
            place.round = number;
            if pairing.loser() == Some(name) {
                // The number of players that are still in equals the number of pairings in this round.
                place.place = Some((1 << (count - number)) + 1);
                place.lost_to = pairing.winner().map(str::to_owned);
            } else if number == count && pairing.winner() == Some(name) {
                place.place = Some(1);
            }
        }
    }
}
