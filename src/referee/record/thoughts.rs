//! Adds what bots reported about their thinking to a game's record.

use super::group::of_either;
use super::{GameRecord, GroupRecord, LoggedGame, PUBLIC, Ply, THOUGHTS_TAG};
use crate::game::BySeat;
use crate::referee::thought::{Thought, fitted};

/// By how much thoughts may lengthen a log: 15 bytes for each 100.
const SHARE: (usize, usize) = (15, 100);

impl LoggedGame {
    /// Returns the record with the `thoughts` of each seat, which are pairs of a ply, from 1, and a thought. If a ply
    /// has several thoughts, the last one counts. Thoughts on plies that the seat did not make are dropped, and so are
    /// claims that would make the log more than 15% longer (see [`fitted`]). If any thoughts remain, the record says
    /// whether they `are_public`.
    #[must_use]
    pub fn with_thoughts(mut self, thoughts: BySeat<Vec<(usize, Thought)>>, are_public: bool) -> Self {
        if thoughts.values().all(Vec::is_empty) {
            return self;
        }
        let tag = if are_public { format!("[{THOUGHTS_TAG} \"{PUBLIC}\"]\n").len() } else { 0 };
        let Some(room) = (self.to_string().len() * SHARE.0 / SHARE.1).checked_sub(tag) else { return self };
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
        if are_public && kept.iter().any(Option::is_some) {
            self.other_tags_mut().push((THOUGHTS_TAG.to_owned(), PUBLIC.to_owned()));
        }
        for (Ply { thought, .. }, kept) in of_either!(&mut self, record => &mut record.plies).iter_mut().zip(kept) {
            *thought = kept.map(Box::new);
        }
        self
    }

    /// Whether the bots' reports about their thinking may be published.
    pub fn has_public_thoughts(&self) -> bool {
        of_either!(self, record => are_public(&record.other_tags))
    }
}

impl GameRecord {
    /// Whether the bots' reports about their thinking may be published.
    pub fn has_public_thoughts(&self) -> bool {
        are_public(&self.other_tags)
    }
}

impl GroupRecord {
    /// Whether the bots' reports about their thinking may be published.
    pub fn has_public_thoughts(&self) -> bool {
        are_public(&self.other_tags)
    }
}

fn are_public(tags: &[(String, String)]) -> bool {
    tags.iter().any(|(name, value)| name == THOUGHTS_TAG && value == PUBLIC)
}
