//! The file `results.json` of an autograder on Gradescope.
//!
//! Gradescope defines its format ("Autograder specifications", "Output format"). There is no top-level score, since it
//! would compete with the sum of the items. The only exception is a file in which no item has a score: Gradescope
//! requires a score there. All output from a bot has the format `text`. docs/reference/schemas/gradescope.schema.json
//! describes the part of the format that the arena uses.

use std::fmt::Write as _;

use serde::Serialize;

use super::feedback::{FeedbackPage, forfeit_notes};
use super::mark_text;
use crate::base::digits::rounded;
use crate::course::grades::{Gradebook, ItemMark, MarkState, StudentGrade};
use crate::course::rubric::{GradePoints, ItemRule, Rubric, RubricItem};
use crate::game::Side;
use crate::results::quoting::shortened;

/// The maximum length of a bot's output in characters.
const LONGEST_OUTPUT: usize = 4096;

/// The output of an item that the teacher marks.
const BY_HAND: &str = "Your teacher gives these points.";

/// The contents of the file.
#[derive(Serialize)]
struct ResultsObject<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    tests: Vec<TestObject>,
    output: String,
    output_format: &'static str,
    visibility: &'static str,
    stdout_visibility: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    execution_time: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leaderboard: Vec<LeaderboardObject>,
    extra_data: ExtraData<'r>,
}

/// An item of the rubric.
#[derive(Serialize)]
struct TestObject {
    name: String,
    number: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    output: String,
    output_format: &'static str,
    visibility: &'static str,
}

#[derive(Serialize)]
struct LeaderboardObject {
    name: &'static str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'static str>,
}

#[derive(Serialize)]
struct ExtraData<'r> {
    arena: ArenaData<'r>,
}

/// Data that the arena adds to the format.
#[derive(Serialize)]
struct ArenaData<'r> {
    format: u32,
    program: &'static str,
    title: &'r str,
    is_finished: bool,
    total: f64,
    max: f64,
    bonus: f64,
    borderline: bool,
    incomplete: bool,
    games: usize,
}

/// The version of the arena's additions to Gradescope's format.
const FORMAT: u32 = 1;

/// The file's first contents, without points for any item. They remain if the autograder ends early.
pub fn unfinished_results(rubric: &Rubric) -> String {
    failed_results(
        rubric,
        "The autograder did not finish, so there are no points yet. Hand in your bot again, or ask your teacher.",
    )
}

/// The file for a submission that gets no points; `why` is the reason, which may be hostile text.
pub fn failed_results(rubric: &Rubric, why: &str) -> String {
    let test = |(index, item): (usize, &RubricItem)| {
        let is_manual = matches!(item.rule, ItemRule::Manual);
        TestObject {
            name: item.title(),
            number: (index + 1).to_string(),
            score: (!is_manual).then_some(0.0),
            max_score: (!is_manual).then(|| item.points.number()),
            status: (!is_manual).then_some("failed"),
            output: String::from(if is_manual { BY_HAND } else { "did not finish" }),
            output_format: "text",
            visibility: "visible",
        }
    };
    let arena = ArenaData {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION"),
        title: &rubric.title,
        is_finished: false,
        total: 0.0,
        max: rubric.total.number(),
        bonus: 0.0,
        borderline: false,
        incomplete: true,
        games: 0,
    };
    let tests: Vec<TestObject> = rubric.items.iter().enumerate().map(test).collect();
    json(&ResultsObject {
        score: score_without_items(&tests),
        tests,
        output: text_output(why),
        output_format: "text",
        visibility: "visible",
        stdout_visibility: "hidden",
        execution_time: None,
        leaderboard: Vec::new(),
        extra_data: ExtraData { arena },
    })
}

/// The file for `student`, who is in `book`. `note` tells the teacher about the run, for example that it was cut short.
pub fn results(book: &Gradebook, student: &StudentGrade, note: Option<&str>) -> String {
    let rubric = &book.rubric;
    let page = FeedbackPage::of(book, student);
    let marks = rubric.items.iter().zip(&student.marks).enumerate();
    let mut tests: Vec<TestObject> = marks.map(|(index, (item, mark))| test(index, item, mark)).collect();
    tests.extend(forfeits(student, tests.len() + 1));
    let note = note.map(|note| format!("\n{}\n", crate::results::quoting::markdown(note))).unwrap_or_default();
    let arena = ArenaData {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION"),
        title: &rubric.title,
        is_finished: true,
        total: student.total().number(),
        max: rubric.total.number(),
        bonus: student.bonus(rubric).number(),
        borderline: student.is_borderline(),
        incomplete: student.is_incomplete(),
        games: student.games.len(),
    };
    json(&ResultsObject {
        score: score_without_items(&tests),
        tests,
        output: page.summary() + &note,
        output_format: "md",
        visibility: "visible",
        stdout_visibility: "hidden",
        execution_time: Some(execution_time(student)),
        leaderboard: leaderboard(student),
        extra_data: ExtraData { arena },
    })
}

/// The top-level score, which Gradescope requires if no item has one.
fn score_without_items(tests: &[TestObject]) -> Option<f64> {
    tests.iter().all(|test| test.score.is_none()).then_some(0.0)
}

/// The test for `item`. Without points, the test has neither a score nor a status, since nothing has failed.
fn test(index: usize, item: &RubricItem, mark: &ItemMark) -> TestObject {
    let state = mark_text::state(mark).map(|state| format!("\n{state}")).unwrap_or_default();
    let [figure, interval] = [mark_text::figure(mark), mark_text::interval(mark)];
    let output = match (mark.state, mark.points) {
        (MarkState::Manual, _) => BY_HAND.to_owned(),
        (_, None) => format!("This item is open and has no points yet: {}{state}", mark.sentence),
        _ => format!("{}\nfigure: {figure}, interval: {interval}{state}", mark.sentence),
    };
    TestObject {
        name: item.title(),
        number: (index + 1).to_string(),
        score: mark.points.map(GradePoints::number),
        max_score: mark.points.map(|_| item.points.number()),
        status: mark.points.map(|points| if points == item.points { "passed" } else { "failed" }),
        output: text_output(&output),
        output_format: "text",
        visibility: "visible",
    }
}

/// The forfeited games with the bot's output, as an item without points.
fn forfeits(student: &StudentGrade, number: usize) -> Option<TestObject> {
    let (notes, more) = forfeit_notes(student);
    let mut output = String::new();
    for note in &notes {
        let _ = write!(output, "{}: {}\n{}\n", note.game, note.what, note.reason);
        output.extend(note.stderr.iter().map(|line| format!("  | {line}\n")));
    }
    if more > 0 {
        let _ = writeln!(output, "{more} more");
    }
    (!notes.is_empty()).then(|| TestObject {
        name: "forfeited games".to_owned(),
        number: number.to_string(),
        score: None,
        max_score: None,
        status: Some("failed"),
        output: text_output(&output),
        output_format: "text",
        visibility: "visible",
    })
}

/// `text` without terminal control sequences, truncated to the maximum length.
fn text_output(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(crate::base::sanitise::output_line).collect();
    shortened(&lines.join("\n"), LONGEST_OUTPUT)
}

/// The time in seconds that the drill took and that both sides used in all games, rounded up. It is computed from the
/// evidence, so the same evidence always leads to the same file.
fn execution_time(student: &StudentGrade) -> u64 {
    let drill = student.drill.as_ref().map_or(0, |drill| drill.took_ms);
    let thought = student.games.iter().flat_map(|game| Side::BOTH.map(|side| game.record.used(side)));
    let thought: u64 = thought.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)).sum();
    drill.saturating_add(thought).div_ceil(1000)
}

/// The mean score against all baselines, and the bot's accuracy.
fn leaderboard(student: &StudentGrade) -> Vec<LeaderboardObject> {
    let mut lines = Vec::new();
    let scores: Vec<i32> =
        student.games.iter().filter_map(|game| game.result().map(|result| game.side.score(result.winner()))).collect();
    let games = u32::try_from(scores.len()).unwrap_or(u32::MAX);
    if games > 0 {
        // A win counts 1, a loss -1.
        let mean = 0.5 + f64::from(scores.iter().sum::<i32>()) / (2.0 * f64::from(games));
        lines.push(LeaderboardObject { name: "Score", value: rounded(mean, 2), order: None });
    }
    let tally = student.accuracy().all();
    if let Some(kept) = tally.winner_kept() {
        lines.push(LeaderboardObject { name: "Winner kept %", value: rounded(100.0 * kept, 1), order: None });
    }
    let analyzed = student.games.iter().filter(|game| game.repeats.is_none() && game.analysis.is_some()).count();
    if let (true, Ok(blunders), Ok(analyzed)) =
        (tally.judged > 0, u32::try_from(tally.blunders), u32::try_from(analyzed))
    {
        let value = rounded(f64::from(blunders) / f64::from(analyzed.max(1)), 1);
        lines.push(LeaderboardObject { name: "Blunders per game", value, order: Some("asc") });
    }
    lines
}

fn json(results: &ResultsObject<'_>) -> String {
    // The results are plain data, which JSON can always represent.
    let text = serde_json::to_string_pretty(results);
    text.unwrap_or_else(|error| unreachable!("results are JSON: {error}")) + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::course::handout::gradebooks_for_tests::{gradebook, mark, rubric, student};

    fn read(text: &str) -> Value {
        let schema = include_str!("../../../docs/reference/schemas/gradescope.schema.json");
        let schema = serde_json::from_str(schema).expect("a schema is JSON");
        let results = serde_json::from_str(text).expect("JSON");
        let validator = jsonschema::draft202012::new(&schema).expect("a schema");
        let wrong: Vec<String> = validator.iter_errors(&results).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        results
    }

    /// The score that Gradescope computes from the file: the sum of the items' scores, unless there is a top-level
    /// score.
    fn score(results: &Value) -> f64 {
        assert_eq!(results.get("score"), None);
        let tests = results["tests"].as_array().expect("tests");
        tests.iter().filter_map(|test| test["score"].as_f64()).sum()
    }

    #[test]
    fn before_anything_is_known_there_are_no_points() {
        for text in [unfinished_results(&rubric()), failed_results(&rubric(), "no bot was found\u{1b}[2J")] {
            let results = read(&text);
            assert!(score(&results).abs() < 1e-9);
            let tests = results["tests"].as_array().expect("tests");
            assert_eq!(tests.len(), 7);
            let graded = tests.iter().filter(|test| test["status"] == "failed" && test["output"] == "did not finish");
            assert_eq!(graded.count(), 6);
            assert_eq!((tests[5].get("score"), tests[5].get("status")), (None, None), "the teacher's item");
            assert!(!text.contains('\u{1b}'));
            assert_eq!(results["extra_data"]["arena"]["is_finished"], false);
        }
        assert!(unfinished_results(&rubric()).contains("did not finish, so there are no points yet"));
    }

    #[test]
    fn the_scores_are_the_points_and_open_items_have_none() {
        let book = gradebook(vec![student("Ada", "why")]);
        let results = read(&results(&book, &book.students[0], Some("It was cut short.")));
        assert!((score(&results) - 48.0).abs() < 1e-9);
        let tests = results["tests"].as_array().expect("tests");
        assert_eq!((&tests[1]["name"], &tests[1]["number"]), (&"Legal moves".into(), &"2".into()));
        assert_eq!((&tests[1]["score"], &tests[1]["max_score"]), (&18.5.into(), &20.0.into()));
        for (place, why) in [(4, "This item is open and has no points yet: 12 points"), (5, "Your teacher gives")] {
            assert_eq!(
                [tests[place].get("score"), tests[place].get("status"), tests[place].get("max_score")],
                [None; 3]
            );
            assert!(tests[place]["output"].as_str().is_some_and(|text| text.starts_with(why)), "{}", tests[place]);
        }
        assert_eq!(results["output_format"], "md");
        // The names of students are unknown to an autograder.
        let title = format!("# {}\n\n48 of ", crate::results::quoting::markdown(&book.rubric.title));
        assert!(results["output"].as_str().expect("text").starts_with(&title), "{}", results["output"]);
        assert!(results["output"].as_str().expect("text").ends_with("\nIt was cut short\\.\n"));
        assert_eq!(results["execution_time"], 96);
        let names: Vec<&str> =
            results["leaderboard"].as_array().expect("lines").iter().filter_map(|line| line["name"].as_str()).collect();
        assert_eq!(names, ["Score", "Winner kept %", "Blunders per game"]);
        assert_eq!(results["leaderboard"][2]["order"], "asc");
        assert_eq!(results["leaderboard"][2]["value"], 1.0);
    }

    #[test]
    fn without_any_points_there_is_a_score_at_the_top() {
        let mut open = student("Ada", "");
        open.marks.fill(mark(0.0, MarkState::Incomplete));
        let book = gradebook(vec![open]);
        assert_eq!(read(&results(&book, &book.students[0], None))["score"], 0.0);
    }

    #[test]
    fn an_item_with_all_its_points_passes() {
        let mut best = student("Ada", "");
        best.marks[0] = mark(30.0, MarkState::Settled);
        let book = gradebook(vec![best]);
        let results = read(&results(&book, &book.students[0], None));
        assert_eq!(
            (&results["tests"][0]["status"], &results["tests"][1]["status"]),
            (&"passed".into(), &"failed".into())
        );
    }

    #[test]
    fn what_a_bot_wrote_is_plain_text_and_bounded() {
        let hostile = format!("<script>\u{1b}[31m\u{202e}{}", "x".repeat(9000));
        let book = gradebook(vec![student("Ada", &hostile)]);
        let text = results(&book, &book.students[0], None);
        assert!(!text.contains('\u{1b}') && !text.contains("\\u001b") && !text.contains('\u{202e}'));
        let results = read(&text);
        let tests = results["tests"].as_array().expect("tests");
        let wrote: Vec<&Value> =
            tests.iter().filter(|test| test["output"].as_str().is_some_and(|text| text.contains("<script>"))).collect();
        assert_eq!(wrote.len(), 1);
        assert_eq!((&wrote[0]["name"], &wrote[0]["output_format"]), (&"forfeited games".into(), &"text".into()));
        assert!(wrote[0]["output"].as_str().expect("text").chars().count() <= 4096);
        assert_eq!(wrote[0].get("score"), None);
        assert!(!results["output"].as_str().expect("text").contains("<script>"));
        assert!(tests.iter().all(|test| test["output_format"] == "text"));
    }
}
