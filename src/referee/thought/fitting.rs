//! Selects which of the bots' reports a log keeps.

use super::Thought;

/// If a log has no room for a kind of claim on every move, at least every eighth claim must fit; otherwise no claim of
/// this kind is kept.
const SPARSEST: usize = 8;

/// The kinds of claims, most important first.
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

/// The part of `thoughts` that fits into `room` bytes of a log; each thought keeps its index, but may lose claims or
/// become `None`. In the log, `around` additional bytes surround each thought.
///
/// Values come first, then chances, nodes, depths and expected moves. If there is no room for all claims of a kind,
/// only every second claim is kept, or every third, and so on.
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

/// Returns `kept` with the claims of one kind added, taken from every `every`-th thought of each player.
fn with(
    claim: ClaimKind,
    every: usize,
    thoughts: &[Option<Thought>],
    kept: &[Option<Thought>],
) -> Vec<Option<Thought>> {
    let mut kept = kept.to_vec();
    // Two players take turns, so their thoughts are counted in pairs.
    let places = thoughts.iter().zip(&mut kept).enumerate().filter(|(index, _)| index / 2 % every == 0);
    for (_, (whole, kept)) in places {
        let Some(whole) = whole else { continue };
        let mut more = kept.take().unwrap_or_default();
        claim.copy(whole, &mut more);
        *kept = Some(more).filter(|more| !more.is_empty());
    }
    kept
}
