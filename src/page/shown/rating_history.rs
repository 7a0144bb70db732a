//! The history of the ratings: a fit after each part of the games.

use std::collections::HashMap;

use serde::Serialize;

use crate::results::rating::Elo;
use crate::results::standings::{GameSummary, RatingOptions, Standings, Tally};

/// The number of parts into which the games are divided.
const CUTS: usize = 50;

/// The number of players above which there are fewer cuts: the time for a fit grows with the cube of this number.
const PLAYERS: usize = 150;

/// The ratings of all players after each part of the games.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RatingHistory {
    /// The number of games at each cut.
    pub at: Vec<usize>,
    /// For each player, in the order of the standings, its Elo at each cut; `None` before its first game.
    pub elo: Vec<Vec<Option<i64>>>,
    /// Like `elo`, but half of the 95% interval.
    pub e95: Vec<Vec<Option<i64>>>,
}

impl RatingHistory {
    /// The ratings of the players of `standings` after each part of `games`, which are in the schedule's order.
    pub fn new<'g>(standings: &Standings, games: impl ExactSizeIterator<Item = &'g GameSummary>) -> Self {
        let players = standings.rows().len();
        let mut history = Self { at: Vec::new(), elo: vec![Vec::new(); players], e95: vec![Vec::new(); players] };
        let count = games.len();
        let times = players.div_ceil(PLAYERS).max(1);
        let cuts = (CUTS / times.pow(3)).clamp(1, CUTS).min(count);
        let cuts: Vec<usize> = (1..=cuts).map(|cut| cut * count / cuts).collect();
        let mut tally = Tally::new(standings.counting());
        let mut next = cuts.into_iter().peekable();
        for (number, game) in (1..).zip(games) {
            tally.add(game);
            if next.next_if_eq(&number).is_none() {
                continue;
            }
            if number == count {
                history.cut(number, standings, standings);
            } else if let Ok(then) = Standings::new(&tally, &RatingOptions::default()) {
                history.cut(number, &then, standings);
            }
        }
        history
    }

    /// Adds the ratings of `then`, the standings after `at` games. The players are in the order of `last`.
    fn cut(&mut self, at: usize, then: &Standings, last: &Standings) {
        let rows: HashMap<&str, _> = then.rows().iter().map(|row| (row.player.as_str(), row)).collect();
        self.at.push(at);
        for (index, row) in last.rows().iter().enumerate() {
            let then = rows.get(row.player.as_str()).filter(|row| row.total().games() > 0);
            self.elo[index].push(then.and_then(|row| row.finite_rating()).map(whole));
            self.e95[index].push(then.and_then(|row| row.error95).map(whole));
        }
    }
}

/// The nearest whole number of Elo.
pub(crate) const fn whole(elo: Elo) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "saturates, far beyond any rating")]
    let whole = elo.0.round() as i64;
    whole
}
