//! The rules of Gothello against answers from elsewhere.

use gothello_arena::rules::gothello::Game;

#[test]
fn placement_sequences_are_as_many_as_known() {
    let counts: Vec<u64> = (1..=4).map(|plies| Game::default().perft(plies)).collect();
    assert_eq!(counts, [25, 600, 13_800, 303_424]);
}

#[test]
fn move_sequences_with_passes_are_as_many_as_known() {
    let counts: Vec<u64> = (1..=4).map(|plies| Game::default().perft_with_passes(plies)).collect();
    assert_eq!(counts, [26, 651, 15_650, 361_041]);
}
