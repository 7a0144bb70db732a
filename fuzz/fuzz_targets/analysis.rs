//! The lines of the analysis cache. The checksum would hide nearly every change, so the target computes it. A line that
//! is accepted is written as one that reads back the same. An analysis that is used agrees with its game, and its line
//! says the same as before.

#![no_main]

use std::sync::LazyLock;

use gothello_arena::referee::record::GameRecord;
use gothello_arena::results::analysis::kept::{GameMoves, KeptAnalysis, UnusableLine};
use gothello_arena_fuzz::summed;
use libfuzzer_sys::fuzz_target;

/// Games whose analyses are among the seeds.
static GAMES: LazyLock<Vec<GameRecord>> = LazyLock::new(|| {
    let judged = include_bytes!("../corpus/log/judged");
    [&judged[..], include_bytes!("../corpus/log/opening"), include_bytes!("../corpus/log/analyzed")]
        .map(|log| GameRecord::from_bytes(log).unwrap_or_else(|error| panic!("{error}")))
        .into()
});

fuzz_target!(|data: &[u8]| {
    for line in data.split(|&byte| byte == b'\n') {
        let mut damaged = line.to_vec();
        damaged.push(b'\n');
        assert!(KeptAnalysis::read(&mut damaged).is_err() || line.ends_with(b"\"}"));
        let content = line.strip_suffix(b"}").unwrap_or(line);
        match KeptAnalysis::read(&mut summed(content)) {
            Ok(kept) => is_kept(&kept),
            Err(UnusableLine::Foreign(_) | UnusableLine::Damaged) => {}
        }
    }
});

fn is_kept(kept: &KeptAnalysis) {
    let written = kept.to_line();
    assert_eq!(KeptAnalysis::read(&mut written.clone().into_bytes()).as_ref(), Ok(kept), "{written}");
    assert!(!kept.surpasses(kept));
    for record in GAMES.iter() {
        let Some(analysis) = kept.analysis(record) else { continue };
        assert_eq!(kept.played(), GameMoves::of(record));
        assert_eq!(analysis.moves.len(), record.plies.len());
        assert_eq!(KeptAnalysis::of(record, &analysis, kept.budget()), *kept);
        let _ = analysis.is_complete(record.ruleset);
        let joined = analysis.clone().joined_with(&analysis);
        assert_eq!(KeptAnalysis::of(record, &joined, kept.budget()), *kept, "an analysis has nothing to add to itself");
    }
}
