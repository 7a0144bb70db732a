//! Adds what bots told about their thinking to a game's record.

use super::group::of_either;
use super::{LoggedGame, Ply};
use crate::game::BySeat;
use crate::referee::thought::{Thought, fitted};

/// By how much thoughts may lengthen a log: 15 bytes for each 100.
const SHARE: (usize, usize) = (15, 100);

impl LoggedGame {
    /// Returns the record with the `thoughts` of each seat, which are pairs of a ply, from 1, and a thought. Of several for a
    /// ply, the last one counts. Thoughts on plies that the seat has not made are dropped, and so is what would make the log
    /// more than 15 % longer (see [`fitted`]).
    #[must_use]
    pub fn with_thoughts(mut self, thoughts: BySeat<Vec<(usize, Thought)>>) -> Self {
        if thoughts.values().all(Vec::is_empty) {
            return self;
        }
        let room = self.to_string().len() * SHARE.0 / SHARE.1;
        let mut by_ply = vec![None; self.plies().len()];
        for (seat, thoughts) in thoughts {
            for (ply, thought) in thoughts {
                let index = ply.wrapping_sub(1);
                if self.plies().get(index).is_some_and(|ply| ply.seat == seat) {
                    by_ply[index] = Some(thought);
                }
            }
        }
        let mut thinking = self.plies().iter().zip(&by_ply).filter(|(_, thought)| thought.is_some());
        let has_comments = thinking.all(|(ply, _)| ply.elapsed.is_some() || ply.left.is_some());
        let around = if has_comments { " [%eval ]".len() } else { " {[%eval ]}".len() };
        let kept = fitted(by_ply, room, around);
        for (Ply { thought, .. }, kept) in of_either!(&mut self, record => &mut record.plies).iter_mut().zip(kept) {
            *thought = kept.map(Box::new);
        }
        self
    }
}
