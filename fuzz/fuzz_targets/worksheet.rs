//! Moodle's grading worksheets and Gradescope's lists of students. A worksheet that is accepted is written byte for byte
//! as it was, and a filled worksheet can be filled again with the same result.

#![no_main]

use gothello_arena::course::handout::worksheet::{
    ColumnNumbers, GradeFit, SheetMark, SheetTotals, Worksheet, WorksheetProblem,
};
use gothello_arena::course::submissions::gradescope::submitters;
use gothello_arena::course::submissions::worksheet::ClassList;
use gothello_arena_fuzz::assert_message;
use libfuzzer_sys::fuzz_target;

const TOTALS: SheetTotals =
    SheetTotals { total: 80.0, bonus: 5.0, fit: GradeFit { is_scaled: true, is_capped: true } };

fuzz_target!(|data: &[u8]| {
    match Worksheet::read(data, &ColumnNumbers::default()) {
        Ok(sheet) => {
            let unchanged = sheet.filled(&[], TOTALS).expect("the grades are scaled");
            assert_eq!(unchanged.bytes, data);
            fill(data, &sheet);
        }
        Err(problems) => are_messages(&problems),
    }
    match ClassList::parse(data) {
        Ok(list) => {
            for listed in &list.students {
                let participant = listed.student.participant.as_deref().expect("every row has a participant");
                assert!(list.of_participant(participant).is_some());
                assert!(participant.bytes().all(|digit| digit.is_ascii_digit()), "{participant}");
            }
        }
        Err(problems) => are_messages(&problems),
    }
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(submitters(text).keys().all(|key| key.starts_with("submission_")));
        if let Ok(numbers) = text.parse::<ColumnNumbers>() {
            let _ = Worksheet::read(data, &numbers);
        }
    }
});

fn are_messages(problems: &[WorksheetProblem]) {
    assert!(!problems.is_empty());
    for problem in problems {
        assert_message(&problem.to_string());
    }
}

/// Fills in a grade for each participant, and then the same grades again.
fn fill(data: &[u8], sheet: &Worksheet) {
    let participants = ClassList::parse(data).map(|list| list.students).unwrap_or_default();
    let mut marks: Vec<SheetMark> = Vec::new();
    for listed in participants {
        let Some(participant) = listed.student.participant.and_then(|number| number.parse().ok()) else { continue };
        if sheet.has_row(participant) {
            let (player, comment) = ("ann".to_owned(), "legal 20/20; \"<b>\"".to_owned());
            marks.push(SheetMark { player, participant, points: Some(41.5), comment });
        }
    }
    if marks.is_empty() {
        return;
    }
    let filled = sheet.filled(&marks, TOTALS).expect("each mark has a row");
    filled.warnings.iter().for_each(|warning| assert_message(&warning.to_string()));
    let again = Worksheet::read(&filled.bytes, &ColumnNumbers::default());
    let again = again.unwrap_or_else(|problems| panic!("a filled worksheet is refused: {}", problems[0]));
    assert_eq!(again.filled(&[], TOTALS).expect("as before").bytes, filled.bytes);
    assert_eq!(again.filled(&marks, TOTALS).expect("as before").bytes, filled.bytes);
}
