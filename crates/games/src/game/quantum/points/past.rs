//! The part of the history of Go mode needed to detect repetitions.

use std::sync::Arc;

use super::arrangement::{Arrangement, Stone};
use super::geometry::GoPoint;
use super::repetition::KoRule;
use crate::game::quantum::seats::{PerSeat, Seat};

/// How many turns a span contains. Copying a past copies only the last span; all copies share the earlier spans.
const SPAN: usize = 64;

/// A turn that has been made.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastTurn {
    /// The key of the arrangement after the turn.
    pub(super) key: u64,
    /// Where a stone was placed; `None` for a pass.
    pub(super) placed: Option<GoPoint>,
    /// The change in the difference between the seat's number of prisoners and any other seat's: the number of stones
    /// that the turn took, or minus the number of stones that it sacrificed.
    pub(super) gain: i16,
    pub(super) seat: Seat,
}

/// A series of turns, with a link to the earlier ones.
#[derive(Clone, Debug, Default)]
struct PastSpan {
    earlier: Option<Arc<PastSpan>>,
    /// Each turn, with the index in `removed` at which the stones that it removed begin.
    turns: Vec<(PastTurn, usize)>,
    /// The stones that the turns removed, in the order of the turns. A stone that was placed and sacrificed in the same
    /// turn is not among them.
    removed: Vec<Stone>,
}

impl PastSpan {
    /// Each turn with the stones that it removed, latest first.
    fn back(&self) -> impl Iterator<Item = (&PastTurn, &[Stone])> {
        let mut rest = &self.removed[..];
        self.turns.iter().rev().map(move |(turn, start)| {
            let (before, here) = rest.split_at(*start);
            rest = before;
            (turn, here)
        })
    }
}

/// The arrangements of Go mode in order, each with the turn that led to it.
///
/// The first entry is not a turn: it represents the arrangement when the mode began, and counts as a pass of the seat
/// before the one to move at that time.
#[derive(Clone, Debug)]
pub(super) struct Past {
    seats: u8,
    last: PastSpan,
}

/// The arrangement that would result from a turn.
pub(super) struct Prospect<'a> {
    pub(super) seat: Seat,
    pub(super) key: u64,
    /// The stones before the turn.
    pub(super) now: &'a Arrangement,
    /// Computes the resulting arrangement and the gain of the turn. This is needed only if keys are equal.
    pub(super) after: &'a dyn Fn() -> (Arrangement, i16),
}

impl Past {
    /// Creates the past of a mode with `seats` seats that begins with the arrangement of this key, after a turn of the
    /// seat `before`.
    pub(super) fn new(seats: u8, key: u64, before: Seat) -> Self {
        let mut past = Self { seats, last: PastSpan::default() };
        past.push(PastTurn { key, placed: None, gain: 0, seat: before }, &[]);
        past
    }

    /// Adds a turn that removed `removed`.
    pub(super) fn push(&mut self, turn: PastTurn, removed: &[Stone]) {
        if self.last.turns.len() == SPAN {
            let span = std::mem::take(&mut self.last);
            self.last.turns.reserve_exact(SPAN);
            self.last.earlier = Some(Arc::new(span));
        }
        let start = self.last.removed.len();
        self.last.removed.extend(removed.iter().filter(|stone| turn.placed != Some(stone.point)));
        self.last.turns.push((turn, start));
    }

    /// The spans, latest first.
    fn spans(&self) -> impl Iterator<Item = &PastSpan> {
        std::iter::successors(Some(&self.last), |span| span.earlier.as_deref())
    }

    /// Whether `ko` forbids the turn `prospect` as a repetition.
    ///
    /// Only arrangements with the same key can be equal. Each of these is reconstructed from the present arrangement by
    /// undoing the turns since then, so that two different arrangements that happen to have the same key are never
    /// confused.
    pub(super) fn forbids(&self, ko: KoRule, prospect: &Prospect) -> bool {
        let mut turns_ago = 0;
        for span in self.spans() {
            for (turn, _) in span.turns.iter().rev() {
                let is_own = turn.seat == prospect.seat;
                if turn.key == prospect.key && self.counts(ko, prospect, turns_ago, is_own) {
                    return true;
                }
                if is_own && ko == KoRule::Simple {
                    return false;
                }
                turns_ago += 1;
            }
        }
        false
    }

    /// Whether `ko` forbids `prospect` because of the arrangement before the last `turns_ago` turns, which has the same
    /// key. `is_own` means that the arrangement arose from a turn of the same seat.
    #[cold]
    fn counts(&self, ko: KoRule, prospect: &Prospect, turns_ago: usize, is_own: bool) -> bool {
        let (then, mut gains) = self.taken_back(prospect.now, turns_ago);
        let (after, gain) = (prospect.after)();
        if then != after {
            return false;
        }
        gains[prospect.seat] += i32::from(gain);
        // Like the simple rule, every rule forbids the arrangements since the end of the seat's own last turn.
        let is_recent =
            || self.spans().flat_map(PastSpan::back).take(turns_ago).all(|(turn, _)| turn.seat != prospect.seat);
        match ko {
            KoRule::Simple | KoRule::Positional => true,
            KoRule::Situational => is_own || is_recent(),
            KoRule::Balanced => is_own && self.are_equal(&gains) || is_recent(),
        }
    }

    /// The arrangement before the last `turns` turns, which led to `now`, and each seat's gains in these turns.
    fn taken_back(&self, now: &Arrangement, turns: usize) -> (Arrangement, PerSeat<i32>) {
        let (mut arrangement, mut gains) = (*now, PerSeat::default());
        for (turn, removed) in self.spans().flat_map(PastSpan::back).take(turns) {
            gains[turn.seat] += i32::from(turn.gain);
            if let Some(point) = turn.placed {
                arrangement.remove(Stone { seat: turn.seat, point });
            }
            for &stone in removed {
                arrangement.add(stone);
            }
        }
        (arrangement, gains)
    }

    fn are_equal(&self, gains: &PerSeat<i32>) -> bool {
        gains.of(self.seats).all(|(_, &gain)| gain == gains[Seat::FIRST])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A past of alternating turns in which every arrangement has the same key. Each turn moves the only stone by one
    /// point.
    fn past_of_one_key(turns: u8) -> (Past, Vec<Arrangement>) {
        let seats = [Seat::FIRST, Seat::FIRST.next(2)];
        let mut past = Past::new(2, 7, seats[1]);
        let mut arrangements = vec![Arrangement::default()];
        for turn in 0..turns {
            let seat = seats[usize::from(turn % 2)];
            let point = GoPoint::new(turn % 20, turn / 20);
            let removed = if turn == 0 { vec![] } else { stones(&arrangements[usize::from(turn)]) };
            past.push(PastTurn { key: 7, placed: point, gain: 1, seat }, &removed);
            let mut arrangement = Arrangement::default();
            arrangement.put(seat, point.expect("on the board"));
            arrangements.push(arrangement);
        }
        (past, arrangements)
    }

    fn stones(arrangement: &Arrangement) -> Vec<Stone> {
        arrangement
            .occupied()
            .iter()
            .filter_map(|point| Some(Stone { seat: arrangement.owner(point)?, point }))
            .collect()
    }

    fn forbids(past: &Past, seat: Seat, now: &Arrangement, after: &Arrangement) -> bool {
        past.forbids(KoRule::Positional, &Prospect { seat, key: 7, now, after: &|| (*after, 0) })
    }

    #[test]
    fn arrangements_that_share_a_key_by_chance_are_not_taken_for_one_another() {
        let (past, arrangements) = past_of_one_key(200);
        let now = &arrangements[200];
        for then in &arrangements {
            assert!(forbids(&past, Seat::FIRST, now, then));
        }
        let mut new = arrangements[50];
        new.put(Seat::FIRST, GoPoint::new(20, 20).expect("a corner"));
        assert!(!forbids(&past, Seat::FIRST, now, &new));
    }

    #[test]
    fn a_copy_shares_what_happened_long_ago_and_goes_its_own_way() {
        let (mut past, arrangements) = past_of_one_key(200);
        let copy = past.clone();
        let shared = |past: &Past| past.last.earlier.clone().expect("turns long ago");
        assert!(Arc::ptr_eq(&shared(&past), &shared(&copy)));
        assert!(copy.last.turns.len() <= SPAN);
        let mut after = Arrangement::default();
        after.put(Seat::FIRST, GoPoint::new(20, 20).expect("a corner"));
        past.push(
            PastTurn { key: 7, placed: GoPoint::new(20, 20), gain: 0, seat: Seat::FIRST },
            &stones(&arrangements[200]),
        );
        assert!(forbids(&past, Seat::FIRST, &after, &after));
        assert!(!forbids(&copy, Seat::FIRST, &arrangements[200], &after));
    }
}
