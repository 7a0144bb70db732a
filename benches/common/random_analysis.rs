//! Analyses with invented values, as full of mistakes and better lines as analyses of weak bots' games.

use gothello_arena::base::random::SplitMix64;
use gothello_arena::game::{Move, Outcome, Side};
use gothello_arena::referee::record::GameRecord;
use gothello_arena::results::analysis::{Analysis, AnalyzedMove, BetterLines, Phase};

/// The largest margin on 25 points.
const MOST: i32 = 25;

/// An analysis of `record`, a game of Gothello that was played to its end. Half of the moves lose points, and each of
/// these has a better move with a line. The values are random, but contradict neither the rules nor one another.
pub(crate) fn invented_analysis(record: &GameRecord, random: &mut SplitMix64) -> Analysis {
    let margins = margins(record, random);
    let mut position = record.ruleset.start();
    let (mut moves, mut lines) = (Vec::new(), BetterLines::default());
    for (index, ply) in record.plies.iter().enumerate() {
        let empty = u32::try_from(position.to_string().matches('.').count()).expect("at most 25");
        let (before, after) = (margins[index], margins[index + 1]);
        let others: Vec<Move> = position.legal_moves().into_iter().filter(|played| *played != ply.played).collect();
        let better = (before != after).then(|| others[pick(random, others.len())]);
        if let Some(better) = better {
            lines.set(index, line(record, index, better, random));
        }
        moves.push(AnalyzedMove {
            side: ply.side(),
            played: ply.played,
            empty,
            phase: Phase::Middle,
            given: false,
            before: Some(Outcome::of_margin(before)),
            after: Some(Outcome::of_margin(after)),
            depths: [None; 2],
            better,
        });
        position.play(ply.played.as_str()).expect("legal");
    }
    Analysis { ruleset: record.ruleset, moves, lines }
}

fn pick(random: &mut SplitMix64, count: usize) -> usize {
    usize::try_from(random.below(count as u64)).expect("an index")
}

/// The margins before each ply and at the end: no move gains anything for its side.
fn margins(record: &GameRecord, random: &mut SplitMix64) -> Vec<i32> {
    let mut position = record.ruleset.start();
    let mut choices = Vec::new();
    for ply in &record.plies {
        choices.push(position.legal_moves().len());
        position.play(ply.played.as_str()).expect("legal");
    }
    let mut margin = position.outcome().and_then(|outcome| outcome.margin).expect("a game to its end");
    let mut margins = vec![margin];
    for (ply, choices) in record.plies.iter().zip(choices).rev() {
        let lost =
            if choices > 1 && random.below(2) == 0 { 1 + i32::try_from(random.below(20)).expect("few") } else { 0 };
        margin = (margin + if ply.side() == Side::Black { lost } else { -lost }).clamp(-MOST, MOST);
        margins.push(margin);
    }
    margins.reverse();
    margins
}

/// A line of random moves after `better`, which replaces the ply with this index.
fn line(record: &GameRecord, index: usize, better: Move, random: &mut SplitMix64) -> Vec<Move> {
    let mut position = record.ruleset.start();
    for ply in &record.plies[..index] {
        position.play(ply.played.as_str()).expect("legal");
    }
    position.play(better.as_str()).expect("legal");
    let mut line = Vec::new();
    while line.len() < 11 && !position.is_over() {
        let mut legal = position.legal_moves();
        if legal.len() > 1 {
            legal.retain(|played| !played.is_pass());
        }
        let played = legal[pick(random, legal.len())];
        position.play(played.as_str()).expect("legal");
        line.push(played);
    }
    line
}
