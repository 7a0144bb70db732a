//! Game logs. A log that is accepted is printed as text that reads back the same, and a valid log can be shown. A refusal
//! names a place in the text.

#![no_main]

use gothello_arena::exact::adjudication::ProofBy;
use gothello_arena::referee::record::{GameRecord, GroupRecord, LoggedGame, check};
use gothello_arena::results::replay::{Frames, GroupReplay, Style, ending, ggf, heading, sgf};
use gothello_arena_fuzz::{assert_message, assert_place, assert_printable};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match LoggedGame::from_bytes(data) {
        Ok(game) => {
            let printed = game.to_string();
            assert_printable(&printed);
            let again = printed.parse::<LoggedGame>();
            assert_eq!(again.as_ref(), Ok(&game), "printed as {printed}");
            assert_eq!(again.map(|again| again.to_string()).as_ref(), Ok(&printed));
            match &game {
                LoggedGame::Two(record) => show(record),
                LoggedGame::Group(record) => show_group(record),
            }
        }
        Err(error) => {
            let text = String::from_utf8_lossy(data);
            assert_place(&text, (error.line, error.column), &error.to_string());
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
    assert_printable(&heading(record, Style::PLAIN));
    assert_printable(&ending(record, Style::PLAIN));
    if record.adjudicate.is_some_and(|terms| !matches!(terms.by(), ProofBy::Nodes(nodes) if nodes <= MOST_NODES)) {
        return;
    }
    match check(record) {
        Ok(game) => {
            assert_eq!(game.boards().len(), record.plies.len() + 1);
            let frames = Frames::new(&game);
            for plies in 0..=record.plies.len() {
                let frame = frames.at(plies).expect("a board for every ply");
                assert_printable(&frame.render(Style::PLAIN));
            }
            assert!(frames.at(record.plies.len() + 1).is_none());
            assert_printable(&frames.ending(Style::PLAIN));
            let _ = sgf(&game).map(|text| assert_printable(&text));
            let _ = ggf(&game).map(|text| assert_printable(&text));
        }
        Err(error) => assert_printable(&error.to_string()),
    }
}

/// Shows a game with more than two seats.
fn show_group(record: &GroupRecord) {
    match record.check() {
        Ok(_) => {
            let replay = GroupReplay::new(record);
            assert_printable(&replay.heading(Style::PLAIN));
            for plies in 0..=record.plies.len() {
                assert_printable(&replay.at(plies, Style::PLAIN).expect("a position for every ply"));
            }
            assert!(replay.at(record.plies.len() + 1, Style::PLAIN).is_none());
            assert_printable(&replay.ending(Style::PLAIN));
        }
        Err(error) => assert_message(&error.to_string()),
    }
}
