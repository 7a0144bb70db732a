//! Recordings of drills: transcripts, and the files from which grading continues. A line that is accepted is written as
//! one that reads back the same, and a transcript shows every byte without a control character.

#![no_main]

use std::time::Duration;

use gothello_arena::course::grades::{DrillBeginning, FinishedTrial, KeptDrill};
use gothello_arena::referee::transcript::{Speaker, Transcript};
use gothello_arena_fuzz::{assert_printable, kind, parts};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (kind, data) = kind(data, 3);
    match kind {
        0 => {
            if let Some(drill) = KeptDrill::read(data) {
                let written = drill.to_json();
                assert_eq!(KeptDrill::read(written.as_bytes()).as_ref(), Some(&drill), "{written}");
                assert!(drill.void.is_none() || !drill.is_final());
            }
        }
        1 => data.split(|&byte| byte == b'\n').for_each(reads_back),
        _ => is_shown(data),
    }
});

fn reads_back(line: &[u8]) {
    if let Some(beginning) = DrillBeginning::read(line) {
        let written = beginning.line();
        assert_eq!(DrillBeginning::read(written.as_bytes()).as_ref(), Some(&beginning), "{written}");
        assert!(beginning.continues(&beginning));
    }
    if let Some(trial) = FinishedTrial::read(line) {
        assert!(trial.decisive < trial.games.len());
        // A trial in which the machine failed is repeated rather than kept.
        let Some(kept) = FinishedTrial::of(&trial) else { return };
        let written = kept.line();
        let again = FinishedTrial::read(written.as_bytes()).expect("its own line");
        assert_eq!(FinishedTrial::of(&again).map(|kept| kept.line()).as_ref(), Some(&written));
        assert_eq!(written.matches('\n').count(), 1);
    }
}

/// The parts of `data` are what a bot and the arena say in turns.
fn is_shown(data: &[u8]) {
    let mut transcript = Transcript::default();
    let mut total = 0;
    for (index, part) in parts(data).enumerate() {
        let at = Duration::from_millis(index as u64);
        let speaker = if index % 2 == 0 { Speaker::Bot } else { Speaker::Arena };
        let repeated = part.repeat(if index % 8 == 7 { 100 } else { 1 });
        transcript.add(at, speaker, &repeated);
        total += repeated.len();
    }
    let shown = transcript.to_string();
    assert_printable(&shown);
    assert!(shown.is_ascii());
    // Each byte takes at most four characters, and each line has a time and a speaker before it.
    assert!(shown.len() <= 4 * Transcript::MAX_BYTES + 20 * shown.lines().count() + 100);
    assert_eq!(shown.contains("were left out"), total > Transcript::MAX_BYTES);
    assert_eq!(transcript.is_empty(), total == 0);
    for speaker in [Speaker::Bot, Speaker::Arena] {
        assert!(transcript.lines_by(speaker).all(|line| !line.trim().is_empty() && !line.contains(['\r', '\n'])));
    }
}
