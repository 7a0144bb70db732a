//! What bots report about their thinking, on stderr and in logs. A report that is accepted is written as text that reads
//! back the same, and a log keeps no more of the reports than there is room for.

#![no_main]

use gothello_arena::referee::thought::{Thought, fitted};
use gothello_arena_fuzz::{assert_message, assert_printable};
use libfuzzer_sys::fuzz_target;

/// The number of bytes around each report in a log.
const AROUND: usize = 9;

fuzz_target!(|data: &[u8]| {
    let mut thoughts = Vec::new();
    for line in data.split(|&byte| byte == b'\n') {
        let on_stderr = [Thought::WORD.as_bytes(), b" ", line].concat();
        match Thought::of_stderr(&on_stderr) {
            Some(Ok(thought)) => {
                assert!(on_stderr.len() <= Thought::LONGEST);
                reads_back(&thought);
                thoughts.push(Some(thought));
            }
            Some(Err(error)) => assert_message(&error.to_string()),
            None => panic!("the line begins with the word"),
        }
        assert!(Thought::of_stderr(line).is_none() || line.starts_with(Thought::WORD.as_bytes()));
        match std::str::from_utf8(line).map(str::parse::<Thought>) {
            Ok(Ok(thought)) => {
                reads_back(&thought);
                thoughts.push(Some(thought));
            }
            _ => thoughts.push(None),
        }
    }
    fits(thoughts);
});

fn reads_back(thought: &Thought) {
    let text = thought.to_string();
    assert_eq!(text.parse::<Thought>().as_ref(), Ok(thought), "{text}");
    // These letters would end the comment in a log.
    assert!(!text.contains(['[', ']', '{', '}', '"', '\\']), "{text}");
    assert_message(&text);
    assert_printable(&thought.in_words());
    assert!(thought.line().len() <= Thought::LONGEST_LINE);
    assert!(thought.in_short().is_none_or(|short| !short.is_empty()));
    assert!(thought.win().is_none_or(|win| (0.0..=1.0).contains(&win.chance())));
}

fn fits(thoughts: Vec<Option<Thought>>) {
    let length = |thoughts: &[Option<Thought>]| -> usize {
        thoughts.iter().flatten().map(|thought| AROUND + thought.to_string().len()).sum()
    };
    let whole = length(&thoughts);
    for room in [0, whole / 3, whole] {
        let kept = fitted(thoughts.clone(), room, AROUND);
        assert!(kept.len() == thoughts.len() && length(&kept) <= room);
        assert!(kept.iter().zip(&thoughts).all(|(kept, whole)| kept.is_none() || whole.is_some()));
        assert!(room < whole || kept == thoughts);
    }
}
