//! Rubrics. The items of a rubric that is accepted add up to its total, and a refusal names places in the file.

#![no_main]

use std::collections::BTreeSet;

use gothello_arena::course::rubric::{Baseline, GradePoints, Rubric};
use gothello_arena_fuzz::assert_problems;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    match Rubric::parse_bytes(data) {
        Ok(rubric) => {
            let counted = rubric.items.iter().filter(|item| !item.bonus);
            assert_eq!(counted.map(|item| item.points).sum::<GradePoints>(), rubric.total);
            let ids: BTreeSet<&str> = rubric.items.iter().map(|item| item.id.as_str()).collect();
            assert_eq!(ids.len(), rubric.items.len(), "two items have the same id");
            assert!(rubric.rounding > GradePoints::ZERO);
            assert!(rubric.items.iter().all(|item| item.points.is_multiple_of(rubric.rounding)));
            let play = &rubric.play;
            assert!(play.games % 2 == 0 && play.max_games % 2 == 0 && play.games <= play.max_games);
        }
        Err(problems) => assert_problems(data, &problems),
    }
    if let Some(baseline) = std::str::from_utf8(data).ok().and_then(|text| text.parse::<Baseline>().ok()) {
        assert_eq!(baseline.to_string().parse::<Baseline>().as_ref(), Ok(&baseline), "{baseline}");
    }
});
