//! Results as CSV. The games that are accepted are written as a file that reads back the same, and a refusal names lines
//! of the file.

#![no_main]

use gothello_arena::results::report::{
    RowError, group_results_csv, read_group_results_csv, read_results_csv, read_score_csv, results_csv,
};
use gothello_arena_fuzz::kind;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let (kind, data) = kind(data, 3);
    let Ok(text) = std::str::from_utf8(data) else { return };
    match kind {
        0 => match read_results_csv(text) {
            Ok(games) => {
                let written = results_csv(&games);
                let again = read_results_csv(&written).unwrap_or_else(|errors| panic!("{}: {written}", errors[0]));
                assert_eq!(again, games, "{written}");
                assert_eq!(results_csv(&again), written);
            }
            Err(errors) => have_lines(text, &errors),
        },
        1 => match read_group_results_csv(text) {
            Ok(games) => {
                let Some(seats) = games.first().map(|game| game.players.seats()) else { return };
                assert!(games.iter().all(|game| game.players.seats() == seats));
                let written = group_results_csv(&games, seats);
                let again =
                    read_group_results_csv(&written).unwrap_or_else(|errors| panic!("{}: {written}", errors[0]));
                assert_eq!(again, games, "{written}");
                assert_eq!(group_results_csv(&again, seats), written);
            }
            Err(errors) => have_lines(text, &errors),
        },
        _ => match read_score_csv(text) {
            Ok(games) => {
                for game in games {
                    assert!(game.players.black != game.players.white && game.result.is_some());
                }
            }
            Err(errors) => have_lines(text, &errors),
        },
    }
});

fn have_lines(text: &str, errors: &[RowError]) {
    assert!(!errors.is_empty());
    let lines = text.split(['\n', '\r']).count() as u64;
    for error in errors {
        assert!(error.line >= 1 && error.line <= lines, "{error}");
        assert!(!error.to_string().is_empty());
    }
}
