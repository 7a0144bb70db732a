//! A ladder whose versions have known strengths: results are drawn with the probabilities of Davidson's model. A bench
//! that includes this file must import the types of the ladder.

use super::{
    Elo, LadderCounts, LadderFit, LadderPairer, LadderVersion, Model, PairingRules, Selection, Side, SplitMix64,
    VersionState, active_versions, fit_interval, normal,
};

/// One Elo in logits.
const LOGITS_PER_ELO: f64 = std::f64::consts::LN_10 / 400.0;

/// The first-move advantage in Elo.
const ADVANTAGE: f64 = 30.0;

/// How often equal players draw, as a parameter of the model: in 13% of their games.
const NU: f64 = 0.3;

/// A ladder, along with facts about it that only the simulation knows.
pub(crate) struct SimulatedLadder {
    pub(crate) rules: PairingRules,
    pub(crate) versions: Vec<LadderVersion>,
    /// The true strength of each version in Elo.
    pub(crate) strengths: Vec<f64>,
    pub(crate) counts: LadderCounts,
    /// How many pairings have been decided.
    pub(crate) decisions: u64,
    fit: Option<LadderFit>,
    random: SplitMix64,
}

impl SimulatedLadder {
    pub(crate) fn new(rules: PairingRules) -> Self {
        Self {
            rules,
            versions: Vec::new(),
            strengths: Vec::new(),
            counts: LadderCounts::default(),
            decisions: 0,
            fit: None,
            random: SplitMix64::new(rules.seed),
        }
    }

    /// A field of players with one version each, whose strengths have a standard deviation of 300 Elo.
    pub(crate) fn of_static_players(players: usize, rules: PairingRules) -> Self {
        let mut ladder = Self::new(rules);
        for player in 0..players {
            let strength = 300.0 * normal::draw(&mut ladder.random);
            ladder.hand_in(player, strength);
        }
        ladder
    }

    /// Hands in a version of `player`. Returns its position in the list.
    pub(crate) fn hand_in(&mut self, player: usize, strength: f64) -> usize {
        let last = (0..self.versions.len()).rev().find(|&version| self.versions[version].player == player);
        self.versions.push(LadderVersion {
            player,
            number: last.map_or(1, |last| self.versions[last].number + 1),
            predecessor: last,
            state: VersionState::Accepted,
            is_baseline: false,
        });
        self.strengths.push(strength);
        self.versions.len() - 1
    }

    /// Draws a number with mean 0 and standard deviation 1.
    pub(crate) fn draw(&mut self) -> f64 {
        normal::draw(&mut self.random)
    }

    /// Draws a number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.random.below(n as u64)).expect("less than n")
    }

    /// Fits all games so far.
    pub(crate) fn fit(&mut self) -> LadderFit {
        let fit = LadderFit::new(Model::Davidson, &self.versions, &[], &self.counts, self.fit.as_ref());
        self.fit = Some(fit.clone());
        fit
    }

    /// The versions that play: the two newest of each player, and its best.
    pub(crate) fn active(&self, fit: &LadderFit) -> Vec<usize> {
        let all: Vec<usize> = (0..self.versions.len()).collect();
        let ratings = fit.ratings(&all);
        active_versions(&self.versions, 2, |version| ratings[version].map(|rating| rating.elo.0))
    }

    /// Plays until every version is settled, or until `most` games have been played. Returns the number of games.
    pub(crate) fn play(&mut self, most: u64) -> u64 {
        let mut played = 0;
        loop {
            let fit = self.fit();
            let active = self.active(&fit);
            let mut pairer = LadderPairer::new(self.rules, &self.versions, &active, &fit, (&self.counts, &[]));
            let before = played;
            while played < most && played - before < fit_interval(active.len()) {
                let Some(pairing) = pairer.next(self.decisions) else { break };
                self.decisions += 1;
                self.play_game(pairing.black, pairing.white, pairing.reason.selection());
                played += 1;
            }
            if played == before {
                return played;
            }
        }
    }

    /// Plays rounds in which each pair of active versions meets once, until every error is below the target. Returns
    /// the number of games.
    pub(crate) fn play_round_robin(&mut self) -> u64 {
        let mut played = 0;
        for round in 0.. {
            let fit = self.fit();
            let active = self.active(&fit);
            let is_exact = |&version: &usize| Self::errors(&fit, &active)[version] < self.rules.target_error.0;
            if active.iter().all(is_exact) {
                break;
            }
            for (i, &one) in active.iter().enumerate() {
                for (j, &other) in active[..i].iter().enumerate() {
                    let (black, white) = if (i + j + round) % 2 == 0 { (one, other) } else { (other, one) };
                    self.play_game(black, white, Selection::Chosen);
                    played += 1;
                }
            }
        }
        played
    }

    /// The standard error of each version.
    pub(crate) fn errors(fit: &LadderFit, active: &[usize]) -> Vec<f64> {
        fit.ratings(active).into_iter().map(|rating| rating.map_or(0.0, |rating| rating.error.0)).collect()
    }

    /// How many of the versions have a true strength within their error bars, relative to the mean of the active
    /// versions.
    pub(crate) fn within_bars(&self, fit: &LadderFit) -> usize {
        let active = self.active(fit);
        let ratings = fit.ratings(&active);
        let zero = mean(active.iter().map(|&version| self.strengths[version]));
        let is_within = |version: &usize| {
            let rating = ratings[*version].expect("no version was refused");
            (rating.elo.0 - (self.strengths[*version] - zero)).abs() <= rating.error95().0
        };
        (0..self.versions.len()).filter(is_within).count()
    }

    /// Plays a game, and counts its result.
    pub(crate) fn play_game(&mut self, black: usize, white: usize, selection: Selection) {
        let d = (self.strengths[black] + ADVANTAGE - self.strengths[white]) * LOGITS_PER_ELO;
        let (win, draw, loss) = ((d / 2.0).exp(), NU, (-d / 2.0).exp());
        let drawn = normal::unit(&mut self.random) * (win + draw + loss);
        let winner = match drawn {
            _ if drawn < win => Some(Side::Black),
            _ if drawn < win + draw => None,
            _ => Some(Side::White),
        };
        self.counts.add(black, white, winner, selection);
    }
}

/// The pairing rules of a ladder with default settings.
pub(crate) fn usual_rules(seed: u64) -> PairingRules {
    PairingRules {
        target_error: Elo(40.0),
        first_games: 20,
        random_share: 0.1,
        most_games: PairingRules::MOST_GAMES,
        seed,
    }
}

pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = f64::from(u32::try_from(values.len().max(1)).unwrap_or(u32::MAX));
    values.sum::<f64>() / count
}

/// Plays a term: `players` players hand in `each` versions at random times, and between two hand-ins, the ladder plays
/// until every version is settled. The first versions have strengths with a standard deviation of 300 Elo. Each later
/// version is stronger than the player's previous one by `progress` on average, with a standard deviation between 60
/// and 120 Elo that depends on the player.
pub(crate) fn term(ladder: &mut SimulatedLadder, players: u32, each: usize, progress: Elo) {
    let mut waiting: Vec<u32> = (0..players).flat_map(|player| std::iter::repeat_n(player, each)).collect();
    let mut last: Vec<Option<f64>> = vec![None; waiting.len()];
    while !waiting.is_empty() {
        let chosen = ladder.below(waiting.len());
        let player = waiting.swap_remove(chosen);
        let spread = 60.0 + 60.0 * f64::from(player) / f64::from(players);
        let position = usize::try_from(player).expect("few");
        let drawn = ladder.draw();
        let strength = last[position].map_or(300.0 * drawn, |last| last + progress.0 + spread * drawn);
        last[position] = Some(strength);
        ladder.hand_in(position, strength);
        ladder.play(u64::MAX);
    }
}
