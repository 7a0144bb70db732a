//! Game logs. An accepted log is printed as text that parses to an equal log. A valid log can be shown. An error about
//! a refused log names an existing place.

#![no_main]

use gothello_arena::referee::record::{GameRecord, check};
use gothello_arena::results::replay::{Frames, Style, ending, heading};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match GameRecord::from_bytes(data) {
        Ok(record) => {
            let printed = record.to_string();
            assert!(!printed.contains(|letter: char| letter.is_control() && letter != '\n'), "{printed:?}");
            let again = printed.parse::<GameRecord>();
            assert_eq!(again.as_ref(), Ok(&record), "printed as {printed}");
            assert_eq!(again.map(|again| again.to_string()).as_ref(), Ok(&printed));
            show(&record);
        }
        Err(error) => {
            let text = String::from_utf8_lossy(data);
            assert!(error.line >= 1 && error.line <= text.matches('\n').count() + 1, "{error}");
            let line = text.split('\n').nth(error.line - 1).unwrap_or_default();
            assert!(error.column >= 1 && error.column <= line.chars().count() + 1, "{error}: {line:?}");
            assert!(!error.to_string().contains(char::is_control), "{error}");
        }
    }
});

/// The maximum number of nodes of a proof that is repeated here. A proof with this many nodes takes negligible time;
/// the limit that the arena used is given in the log.
const MOST_NODES: u64 = 20_000;

/// Shows a game in every way that `replay` does. The output must be plain text for a terminal, whatever the log
/// contains.
fn show(record: &GameRecord) {
    let for_a_terminal =
        |text: &str| assert!(!text.contains(|letter: char| letter.is_control() && letter != '\n'), "{text:?}");
    for_a_terminal(&heading(record, Style::Plain));
    for_a_terminal(&ending(record, Style::Plain));
    if record.adjudicate.is_some_and(|terms| terms.nodes() > MOST_NODES) {
        return;
    }
    match check(record) {
        Ok(game) => {
            assert_eq!(game.boards().len(), record.plies.len() + 1);
            let frames = Frames::new(&game);
            for plies in 0..=record.plies.len() {
                let frame = frames.at(plies).expect("a board for every ply");
                for_a_terminal(&frame.render(Style::Plain));
            }
            assert!(frames.at(record.plies.len() + 1).is_none());
            for_a_terminal(&frames.ending(Style::Plain));
        }
        Err(error) => for_a_terminal(&error.to_string()),
    }
}
