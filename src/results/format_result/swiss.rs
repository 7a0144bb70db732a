//! The result of a Swiss tournament: points, including those for byes, and tie-breaks as in FIDE's handbook, C.07.

use std::cmp::Reverse;

use super::PlayedTournament;
use crate::game::Side;
use crate::tournament::Legs;
use crate::tournament::schedule::{DrawnPairing, PlayerIndex};

/// The result of a Swiss tournament, which may still be in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwissResult {
    /// The players, best first.
    pub places: Vec<SwissPlace>,
    /// How many rounds have been drawn.
    pub drawn: u32,
    /// How many rounds the tournament has.
    pub rounds: u32,
    /// The games in each pairing.
    pub legs: Legs,
    /// Whether all games have been played.
    pub is_final: bool,
}

/// A player's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwissPlace {
    /// The place, from 1. Players that no tie-break separates share a place.
    pub place: usize,
    /// The player.
    pub player: String,
    /// The half points from all games and byes.
    pub half_points: u32,
    /// How many byes the player had.
    pub byes: u32,
    /// The sum of the opponents' half points.
    pub buchholz: u32,
    /// The sum of the opponents' half points, each multiplied by the player's half points against that opponent. The
    /// unit is a quarter of a point.
    pub sonneborn_berger: u64,
    /// The player's half points in games against the other players that are level with it on points, Buchholz and
    /// Sonneborn-Berger. `None` if there are no such players, or if two of the level players have not met.
    pub direct_encounter: Option<u32>,
    /// The player's rounds.
    pub rounds: Vec<SwissRound>,
}

/// A player's result in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SwissRound {
    /// The opponent; `None` for a bye.
    pub opponent: Option<String>,
    /// The player's side in the first game; `None` for a bye.
    pub side: Option<Side>,
    /// The player's half points, and the opponent's; `None` if no game of the pairing has a result.
    pub half_points: Option<[u32; 2]>,
    /// Whether no game of the pairing was played because a player was absent or could not be started.
    pub is_walkover: bool,
}

/// A player while the places are being determined.
struct Contender {
    player: PlayerIndex,
    half_points: u32,
    byes: u32,
    /// The opponents, with the player's half points against each of them.
    met: Vec<(PlayerIndex, u32)>,
    rounds: Vec<SwissRound>,
}

impl SwissResult {
    /// The place of `player`.
    pub fn place(&self, player: &str) -> Option<&SwissPlace> {
        self.places.iter().find(|place| place.player == player)
    }

    pub(super) fn new(tournament: PlayedTournament<'_>, rounds: u32, legs: Legs) -> Self {
        let PlayedTournament { names, drawn, is_complete, .. } = tournament;
        let mut contenders: Vec<Contender> = (0..names.len()).map(Contender::new).collect();
        for round in drawn {
            for pairing in &round.pairings {
                match *pairing {
                    DrawnPairing::Bye(player) => contenders[player].sit_out(legs),
                    DrawnPairing::Meeting { sides, .. } => {
                        for side in Side::BOTH {
                            let [player, opponent] = [sides[side], sides[side.opponent()]];
                            let score = tournament.games.score(round.round, player, opponent);
                            let half_points = (score.games > 0).then_some(score.half_points);
                            contenders[player].meet(opponent, half_points);
                            contenders[player].rounds.push(SwissRound {
                                opponent: Some(names[opponent].clone()),
                                side: Some(side),
                                half_points,
                                is_walkover: score.games > 0 && score.unplayed == score.games,
                            });
                        }
                    }
                }
            }
        }
        let places = places(contenders, names, legs);
        let drawn = u32::try_from(drawn.len()).unwrap_or(rounds);
        Self { places, drawn, rounds, legs, is_final: is_complete }
    }

    pub(super) fn names_mut(&mut self) -> Vec<&mut String> {
        let mut names = Vec::new();
        for SwissPlace { player, rounds, .. } in &mut self.places {
            names.push(player);
            names.extend(rounds.iter_mut().filter_map(|round| round.opponent.as_mut()));
        }
        names
    }
}

impl Contender {
    const fn new(player: PlayerIndex) -> Self {
        Self { player, half_points: 0, byes: 0, met: Vec::new(), rounds: Vec::new() }
    }

    /// Records a bye, which counts as if the player had won all games of the pairing.
    fn sit_out(&mut self, legs: Legs) {
        let half_points = of_bye(legs);
        self.half_points += half_points;
        self.byes += 1;
        let half_points = Some([half_points, 0]);
        self.rounds.push(SwissRound { opponent: None, side: None, half_points, is_walkover: false });
    }

    fn meet(&mut self, opponent: PlayerIndex, half_points: Option<[u32; 2]>) {
        if let Some([own, _]) = half_points {
            self.half_points += own;
            self.met.push((opponent, own));
        }
    }

    /// The half points in games against `others`; `None` if the player has not met each of them.
    fn against(&self, others: impl Iterator<Item = PlayerIndex>) -> Option<u32> {
        let each = others.map(|other| {
            let mut met = self.met.iter().filter(|(opponent, _)| *opponent == other).peekable();
            met.peek()?;
            Some(met.map(|(_, half_points)| half_points).sum::<u32>())
        });
        each.sum()
    }
}

/// The half points awarded for a bye.
const fn of_bye(legs: Legs) -> u32 {
    2 * legs.games()
}

/// A contender with its tie-breaks. Contenders that are level on `merit` may differ in `direct`.
struct Ranked {
    contender: Contender,
    merit: Merit,
    /// The half points in games between the level players, then between those that are still level, and so on.
    direct: Vec<u32>,
}

/// The criteria that come before the direct encounter, in order of importance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Merit {
    half_points: u32,
    buchholz: u32,
    sonneborn_berger: u64,
}

impl Merit {
    /// Returns the criteria for `contender`. `all` contains the half points of all players. A bye counts as a round
    /// against an opponent with the player's own points (C.07, article 16.4).
    fn of(contender: &Contender, all: &[u32], legs: Legs) -> Self {
        let &Contender { half_points, byes, ref met, .. } = contender;
        let weighed = |opponent: u32, own: u32| u64::from(opponent) * u64::from(own);
        let against_players: u64 = met.iter().map(|&(opponent, own)| weighed(all[opponent], own)).sum();
        Self {
            half_points,
            buchholz: met.iter().map(|&(opponent, _)| all[opponent]).sum::<u32>() + byes * half_points,
            sonneborn_berger: against_players + weighed(half_points, byes * of_bye(legs)),
        }
    }
}

fn places(contenders: Vec<Contender>, names: &[String], legs: Legs) -> Vec<SwissPlace> {
    let all: Vec<u32> = contenders.iter().map(|contender| contender.half_points).collect();
    let with_merit = |contender| Ranked { merit: Merit::of(&contender, &all, legs), contender, direct: Vec::new() };
    let mut ranked: Vec<Ranked> = contenders.into_iter().map(with_merit).collect();
    ranked.sort_by_key(|one| Reverse(one.merit));
    for level in ranked.chunk_by_mut(|one, next| one.merit == next.merit) {
        sort_by_encounters(level);
    }
    // Players are in the order of their places, and players that share a place are in the order of their names.
    ranked.sort_by(|one, other| {
        let merit = |ranked: &Ranked| Reverse((ranked.merit, ranked.direct.clone()));
        merit(one).cmp(&merit(other)).then_with(|| names[one.contender.player].cmp(&names[other.contender.player]))
    });
    let mut places: Vec<SwissPlace> = Vec::with_capacity(ranked.len());
    for (index, one) in ranked.iter().enumerate() {
        let is_level = index > 0 && (one.merit, &one.direct) == (ranked[index - 1].merit, &ranked[index - 1].direct);
        places.push(SwissPlace {
            place: if is_level { places[index - 1].place } else { index + 1 },
            player: names[one.contender.player].clone(),
            half_points: one.merit.half_points,
            byes: one.contender.byes,
            buchholz: one.merit.buchholz,
            sonneborn_berger: one.merit.sonneborn_berger,
            direct_encounter: one.direct.first().copied(),
            rounds: one.contender.rounds.clone(),
        });
    }
    places
}

/// Sorts level players by their scores against each other, if all of them have met. Players that are still level are
/// then sorted among themselves in the same way.
fn sort_by_encounters(level: &mut [Ranked]) {
    if level.len() < 2 {
        return;
    }
    let group: Vec<PlayerIndex> = level.iter().map(|one| one.contender.player).collect();
    let scores: Option<Vec<u32>> = level
        .iter()
        .map(|one| one.contender.against(group.iter().copied().filter(|&other| other != one.contender.player)))
        .collect();
    let Some(scores) = scores else { return };
    for (one, &score) in level.iter_mut().zip(&scores) {
        one.direct.push(score);
    }
    if scores.iter().all(|score| *score == scores[0]) {
        return;
    }
    level.sort_by(|one, other| other.direct.cmp(&one.direct));
    for still_level in level.chunk_by_mut(|one, next| one.direct == next.direct) {
        sort_by_encounters(still_level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_still_level_are_separated_by_their_own_encounters() {
        // The players a and b score 2 points each, c and d score 1 each; a beat b, and d beat c.
        let points = [[0, 2, 0, 2], [0, 0, 2, 2], [2, 0, 0, 0], [0, 0, 2, 0]];
        let mut level: Vec<Ranked> = points
            .iter()
            .enumerate()
            .map(|(player, points)| {
                let others = (0..4).filter(|&other| other != player);
                let met = others.map(|other| (other, points[other])).collect();
                let contender = Contender { met, ..Contender::new(player) };
                Ranked {
                    contender,
                    merit: Merit { half_points: 0, buchholz: 0, sonneborn_berger: 0 },
                    direct: Vec::new(),
                }
            })
            .collect();
        level.reverse();
        sort_by_encounters(&mut level);
        let order: Vec<_> = level.iter().map(|one| (one.contender.player, one.direct.clone())).collect();
        assert_eq!(order, [(0, vec![4, 2]), (1, vec![4, 0]), (3, vec![2, 2]), (2, vec![2, 0])]);
    }
}
