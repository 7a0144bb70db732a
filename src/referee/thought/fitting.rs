//! How much of what bots report is kept in a log.

use super::Thought;

/// Of the claims that a log has no room for on each move, every eighth is better than none.
const SPARSEST: usize = 8;

/// The kinds of claims, the most important first.
#[derive(Clone, Copy)]
enum ClaimKind {
    Value,
    Win,
    Nodes,
    Depth,
    Line,
}

impl ClaimKind {
    const ALL: [Self; 5] = [Self::Value, Self::Win, Self::Nodes, Self::Depth, Self::Line];

    /// Copies this claim of `whole` to `kept`.
    fn copy(self, whole: &Thought, kept: &mut Thought) {
        match self {
            Self::Value => kept.value = whole.value,
            Self::Win => kept.win = whole.win,
            Self::Nodes => kept.nodes = whole.nodes,
            Self::Depth => kept.depth = whole.depth,
            Self::Line => kept.line.clone_from(&whole.line),
        }
    }
}

/// The part of `thoughts` that fits into `room` bytes of a log; each stays at its place, or becomes `None`. In the log, each
/// has `around` bytes around it.
///
/// Values come first, then chances, nodes, depths and expected moves. If there is no room for all claims of a kind, every second one is kept, or
/// every third, and so on.
pub fn fitted(thoughts: Vec<Option<Thought>>, room: usize, around: usize) -> Vec<Option<Thought>> {
    let fits = |thoughts: &[Option<Thought>]| {
        thoughts.iter().flatten().map(|thought| around + thought.to_string().len()).sum::<usize>() <= room
    };
    if fits(&thoughts) {
        return thoughts;
    }
    let mut kept: Vec<Option<Thought>> = vec![None; thoughts.len()];
    for claim in ClaimKind::ALL {
        let mut sparser = (1..=SPARSEST).map(|every| with(claim, every, &thoughts, &kept));
        if let Some(more) = sparser.find(|more| fits(more)) {
            kept = more;
        }
    }
    kept
}

/// What is `kept`, with each claim of a kind added whose thought is the first of `every` ones.
fn with(
    claim: ClaimKind,
    every: usize,
    thoughts: &[Option<Thought>],
    kept: &[Option<Thought>],
) -> Vec<Option<Thought>> {
    let mut kept = kept.to_vec();
    // Both of two players think in turns, so neighbours are counted in pairs.
    let places = thoughts.iter().zip(&mut kept).enumerate().filter(|(index, _)| index / 2 % every == 0);
    for (_, (whole, kept)) in places {
        let Some(whole) = whole else { continue };
        let mut more = kept.take().unwrap_or_default();
        claim.copy(whole, &mut more);
        *kept = Some(more).filter(|more| !more.is_empty());
    }
    kept
}
