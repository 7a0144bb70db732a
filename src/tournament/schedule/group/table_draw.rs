//! Draws tables at which all players sit equally often, and meet each other as evenly as possible.

use super::super::PlayerIndex;
use crate::base::random::SplitMix64;

/// How often players have sat at the same table.
///
/// Invariant: `counts` is a symmetric square with `players` rows.
#[derive(Clone, Debug)]
pub(super) struct Meetings {
    players: usize,
    counts: Vec<u32>,
}

impl Meetings {
    /// Creates the meetings of `players` players that have not met.
    pub(super) fn none(players: usize) -> Self {
        Self { players, counts: vec![0; players * players] }
    }

    /// The meetings of `players` players at `tables`.
    pub(super) fn at<'a>(tables: impl Iterator<Item = &'a [PlayerIndex]>, players: usize) -> Self {
        let mut meetings = Self::none(players);
        tables.for_each(|table| meetings.add_table(table));
        meetings
    }

    fn add_table(&mut self, table: &[PlayerIndex]) {
        for (place, &one) in table.iter().enumerate() {
            table[..place].iter().for_each(|&other| self.add(one, other));
        }
    }

    /// How often two players have met.
    fn of(&self, one: PlayerIndex, other: PlayerIndex) -> u32 {
        self.counts[one * self.players + other]
    }

    fn add(&mut self, one: PlayerIndex, other: PlayerIndex) {
        self.counts[one * self.players + other] += 1;
        self.counts[other * self.players + one] += 1;
    }

    fn remove(&mut self, one: PlayerIndex, other: PlayerIndex) {
        self.counts[one * self.players + other] -= 1;
        self.counts[other * self.players + one] -= 1;
    }

    /// How often each pair of players has met.
    pub(super) fn all(&self) -> impl Iterator<Item = u32> {
        (0..self.players).flat_map(move |one| (0..one).map(move |other| self.of(one, other)))
    }

    /// The sum of all squared meeting counts, which is lowest if the numbers differ by at most one.
    fn unevenness(&self) -> u64 {
        self.all().map(|met| u64::from(met).pow(2)).sum()
    }

    /// The lowest possible [`Meetings::unevenness`] with this number of meetings.
    fn least_unevenness(&self) -> u64 {
        let total: u64 = self.all().map(u64::from).sum();
        let pairs = self.all().count().max(1) as u64;
        let (each, more) = (total / pairs, total % pairs);
        each * each * (pairs - more) + (each + 1) * (each + 1) * more
    }
}

/// The parameters for drawing the tables of a round.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableTerms {
    pub(super) players: usize,
    pub(super) seats: usize,
    /// At how many tables each player sits. All tables are full.
    pub(super) each: usize,
    /// The round, starting from 1.
    pub(super) round: u32,
}

/// Draws the tables of a round, and adds them to `meetings`, which contains the meetings of all earlier rounds. The
/// order of the tables spreads the tables of each player.
///
/// The first draw is greedy: the players with the most tables still to fill are seated first, with the players that
/// they have met least often. Then players of two tables are exchanged by simulated annealing until the numbers of
/// meetings differ by at most one, or until so many exchanges have failed that this is probably impossible. All
/// decisions are made with whole numbers, so every machine draws the same tables.
pub(super) fn draw(terms: TableTerms, meetings: &mut Meetings, random: &mut SplitMix64) -> Vec<Vec<PlayerIndex>> {
    let mut tables = greedy(terms, meetings, random);
    let least = meetings.least_unevenness();
    // For most numbers of players, far fewer exchanges would be enough, but slower cooling finds even tables more
    // often.
    let slots = (terms.players * terms.each) as u64;
    let most = (slots * TRIES_A_SLOT).clamp(LEAST_TRIES, MOST_TRIES) / u64::from(terms.round);
    let mut exchange = Exchange { unevenness: meetings.unevenness(), tables: &mut tables, meetings, random };
    for part in [16, 4, 1] {
        exchange.anneal((most / part).max(LEAST_TRIES / 16), least);
    }
    spread(tables, terms.players)
}

/// How many exchanges are tried in the last and longest pass of the first round, for each seat at a table. The later
/// rounds compensate for the unevenness of the first, so they need fewer exchanges.
const TRIES_A_SLOT: u64 = 5_000;
/// The minimum number of exchanges that are tried. They take a few milliseconds.
const LEAST_TRIES: u64 = 100_000;
/// The maximum number of exchanges that are tried. They take half a second.
const MOST_TRIES: u64 = 1_000_000;

fn greedy(terms: TableTerms, meetings: &mut Meetings, random: &mut SplitMix64) -> Vec<Vec<PlayerIndex>> {
    let mut left = vec![terms.each; terms.players];
    let number = terms.players * terms.each / terms.seats;
    let mut draw_table = || {
        let mut table: Vec<PlayerIndex> = Vec::with_capacity(terms.seats);
        while table.len() < terms.seats {
            // All seats can be filled because the players with the most tables left come first.
            let merit = |player: &PlayerIndex| {
                let met: u64 = table.iter().map(|&other| 2 * u64::from(meetings.of(*player, other)) + 1).sum();
                (std::cmp::Reverse(left[*player]), met)
            };
            let free = (0..terms.players).filter(|player| left[*player] > 0 && !table.contains(player));
            let best = free.min_by_key(|player| (merit(player), random.next_u64()));
            table.extend(best);
            if best.is_none() {
                break;
            }
        }
        for &player in &table {
            left[player] -= 1;
        }
        meetings.add_table(&table);
        table
    };
    (0..number).map(|_| draw_table()).collect()
}

/// The tables of a round while players are exchanged between them.
struct Exchange<'a> {
    tables: &'a mut Vec<Vec<PlayerIndex>>,
    meetings: &'a mut Meetings,
    random: &'a mut SplitMix64,
    /// See [`Meetings::unevenness`].
    unevenness: u64,
}

/// A seat, as the indices of its table and of the player there.
type TableSeat = (usize, usize);

impl Exchange<'_> {
    /// Tries `tries` exchanges of two players, and stops early if the unevenness has dropped to `least`.
    fn anneal(&mut self, tries: u64, least: u64) {
        for tried in 0..tries {
            if self.unevenness <= least {
                return;
            }
            let (one, other) = (self.any_seat(), self.any_seat());
            let Some(change) = self.change(one, other) else { continue };
            if change <= 0 || self.accepts(change.unsigned_abs(), tried * STEPS / tries) {
                self.exchange(one, other);
                self.unevenness = self.unevenness.saturating_add_signed(change);
            }
        }
    }

    fn any_seat(&mut self) -> TableSeat {
        let table = index(self.random.below(self.tables.len() as u64));
        (table, index(self.random.below(self.tables[table].len() as u64)))
    }

    /// The change in unevenness if the players in two seats are exchanged; `None` if they cannot be.
    fn change(&self, one: TableSeat, other: TableSeat) -> Option<i64> {
        let (its_table, other_table) = (&self.tables[one.0], &self.tables[other.0]);
        let (player, other_player) = (its_table[one.1], other_table[other.1]);
        if one.0 == other.0 || its_table.contains(&other_player) || other_table.contains(&player) {
            return None;
        }
        // One meeting fewer changes a square by 1 - 2m, and one more by 1 + 2m.
        let moves = |table: &[PlayerIndex], leaves: PlayerIndex, joins: PlayerIndex| -> i64 {
            let stay = table.iter().filter(|&&stays| stays != leaves);
            stay.map(|&stays| {
                2 + 2 * i64::from(self.meetings.of(joins, stays)) - 2 * i64::from(self.meetings.of(leaves, stays))
            })
            .sum()
        };
        // Players who sit at both tables meet both of the exchanged players before and after.
        let at_both = its_table.iter().filter(|player| other_table.contains(player)).count();
        let change = moves(its_table, player, other_player) + moves(other_table, other_player, player);
        Some(change - 4 * i64::try_from(at_both).unwrap_or(0))
    }

    fn exchange(&mut self, one: TableSeat, other: TableSeat) {
        let (player, other_player) = (self.tables[one.0][one.1], self.tables[other.0][other.1]);
        for (table, leaves, joins) in [(one.0, player, other_player), (other.0, other_player, player)] {
            for &stays in self.tables[table].iter().filter(|&&stays| stays != leaves) {
                self.meetings.remove(leaves, stays);
                self.meetings.add(joins, stays);
            }
        }
        self.tables[one.0][one.1] = other_player;
        self.tables[other.0][other.1] = player;
    }

    /// Whether an exchange is made although it increases the unevenness by `change`, in this step of cooling. The
    /// probability is `2^-(change * b / 16)`, where `b` increases from 8 to 100.
    fn accepts(&mut self, change: u64, step: u64) -> bool {
        let bits = change * (8 + 4 * step) / 2;
        let (whole, eighths) = (bits / 8, index(bits % 8));
        if whole > 40 {
            return false;
        }
        let drawn = self.random.next_u64();
        drawn & 0xffff < EIGHTHS_OF_A_BIT[eighths] && (whole == 0 || drawn >> (64 - whole) == 0)
    }
}

/// The number of steps in which the annealing cools down.
const STEPS: u64 = 24;

/// `2^(16 - n/8)` for each `n`.
const EIGHTHS_OF_A_BIT: [u64; 8] = [65_536, 60_097, 55_109, 50_535, 46_341, 42_495, 38_968, 35_734];

/// Orders tables by sessions. No player sits at two tables of a session, and every table of a later session shares a
/// player with one of its tables.
fn spread(tables: Vec<Vec<PlayerIndex>>, players: usize) -> Vec<Vec<PlayerIndex>> {
    let mut ordered = Vec::with_capacity(tables.len());
    let mut rest = tables;
    while !rest.is_empty() {
        let mut is_seated = vec![false; players];
        let (session, later): (Vec<_>, Vec<_>) = rest.into_iter().partition(|table| {
            let is_free = !table.iter().any(|&player| is_seated[player]);
            if is_free {
                for &player in table {
                    is_seated[player] = true;
                }
            }
            is_free
        });
        ordered.extend(session);
        rest = later;
    }
    ordered
}

/// Converts an index that is less than the length of a vector.
#[expect(clippy::cast_possible_truncation, reason = "less than the length of a vector")]
const fn index(number: u64) -> usize {
    number as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_without_a_common_player_come_first() {
        let table = |players: [PlayerIndex; 4]| players.to_vec();
        let (one, two, three, four) =
            (table([0, 1, 2, 3]), table([0, 4, 5, 6]), table([4, 5, 6, 7]), table([1, 2, 3, 7]));
        let drawn = vec![one.clone(), two.clone(), three.clone(), four.clone()];
        assert_eq!(spread(drawn, 8), [one, three, two, four]);
    }

    /// The annealing keeps the counts up to date, so this also holds for the tables that it produces.
    #[test]
    fn the_meetings_are_those_at_the_tables() {
        let terms = TableTerms { players: 10, seats: 4, each: 6, round: 1 };
        let mut meetings = Meetings::none(10);
        let tables = draw(terms, &mut meetings, &mut SplitMix64::new(3));
        let counted = Meetings::at(tables.iter().map(Vec::as_slice), 10);
        assert_eq!(counted.counts, meetings.counts);
        let mut exchange = Exchange {
            unevenness: meetings.unevenness(),
            tables: &mut tables.clone(),
            meetings: &mut meetings,
            random: &mut SplitMix64::new(4),
        };
        // An unevenness of 0 is impossible, so all exchanges are tried.
        exchange.anneal(1_000, 0);
        assert_eq!(exchange.unevenness, exchange.meetings.unevenness());
    }
}
