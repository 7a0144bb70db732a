//! The pages of a graded class in a browser: the teacher's page, and the pages of students with and without a root
//! cause.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gothello_arena::course::grades::{
    FigureUnit, Gradebook, GradedGame, ItemMark, KeptDrill, MarkEvidence, MarkFigure, MarkState, StudentGrade,
};
use gothello_arena::course::handout::class_index::class_index;
use gothello_arena::course::handout::feedback::FeedbackPage;
use gothello_arena::course::handout::game_links::GameLinks;
use gothello_arena::course::rubric::{GradePoints, ItemRule, Rubric, RubricItem, RubricPlay};
use gothello_arena::game::{BySide, Outcome, Ruleset, Side};
use gothello_arena::referee::record::{GameRecord, Ply};
use gothello_arena::referee::result::{GameResult, Termination};
use gothello_arena::results::analysis::{Analysis, AnalyzedMove, BetterLines, Phase};
use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::corpus::{spelled, texts};
use super::hostile::assert_harmless;
use super::tab::Tab;

fn points(number: f64) -> GradePoints {
    GradePoints::new(number).expect("points")
}

/// A rubric with an item of 20 points for each of `titles`.
fn rubric(title: &str, titles: &[String]) -> Rubric {
    let item = |(at, title): (usize, &String)| RubricItem {
        id: format!("item-{at}"),
        title: Some(title.clone()),
        points: points(20.0),
        bonus: false,
        rule: ItemRule::Manual,
    };
    Rubric {
        title: title.to_owned(),
        total: titles.iter().map(|_| points(20.0)).sum(),
        rounding: points(0.5),
        one_side: 1.0,
        play: RubricPlay { games: 20, max_games: 100, control: None, seed: 1, analysis: Duration::ZERO },
        items: titles.iter().enumerate().map(item).collect(),
    }
}

fn mark(worth: f64, sentence: &str) -> ItemMark {
    let figure = MarkFigure { value: 0.6, interval: Some([0.5, 0.7]), counted: 0.7, unit: FigureUnit::Share };
    ItemMark {
        points: Some(points(worth)),
        figure: Some(figure),
        state: MarkState::Borderline,
        sentence: sentence.to_owned(),
        evidence: MarkEvidence::default(),
    }
}

/// A drill in which `scenario` failed on both sides because of an exception with the message `text`.
fn drill(scenario: &str, text: &str) -> KeptDrill {
    let cause = json!({ "code": "D18", "title": "an uncaught exception ends the bot", "text": text,
                        "evidence": [format!("stderr: {text}")], "fix": text, "file": "bot.py", "line": 7 });
    let trial = |side: &str| {
        json!({ "id": scenario, "side": side, "level": "MUST", "status": "fail", "summary": text, "diagnoses": [cause.clone()],
                "transcript": null, "made": 12, "refused": 0, "garbled": 0, "games": 1, "games_ms": 40, "void": false })
    };
    let drill = json!({ "format": 1, "program": env!("CARGO_PKG_VERSION"), "ruleset": "gothello", "control": "10",
                        "isolation": "A", "player": "Ada", "digest": "00", "files": {},
                        "definition": { "name": "Ada", "facts": {} }, "broken": null, "took_ms": 1500,
                        "trials": [trial("black"), trial("white")] });
    KeptDrill::read(drill.to_string().as_bytes()).expect("a drill")
}

/// A game that was lost by the move `2. c3`, or forfeited with `reason` and `stderr`.
fn game(number: usize, forfeit: Option<(&str, &str)>) -> GradedGame {
    let players = BySide { black: "Ada".to_owned(), white: "greedy".to_owned() };
    let result = match forfeit {
        Some((reason, _)) => GameResult::forfeit(Side::Black, Termination::Crash, reason),
        None => GameResult::played(Outcome::of_margin(-3)),
    };
    let mut record = GameRecord::of(Ruleset::Gothello, players, Ok(result));
    record.game = Some(format!("r{number}-ada-greedy"));
    let moves = Side::BOTH.into_iter().cycle().zip(["b2", "d4", "c3", "d2", "e5"]);
    record.plies = moves.map(|(side, played)| Ply::untimed(side, played.parse().expect("a move"))).collect();
    let value = |from: usize| Some(Outcome::of_margin(if from <= 2 { 3 } else { -3 }));
    let analyzed = |(index, ply): (usize, &Ply)| AnalyzedMove {
        side: ply.side(),
        played: ply.played,
        empty: 9,
        phase: Phase::Middle,
        given: false,
        before: value(index),
        after: value(index + 1),
        depths: [None; 2],
        better: (index == 2).then(|| "e1".parse().expect("a move")),
    };
    let moves = record.plies.iter().enumerate().map(analyzed).collect();
    GradedGame {
        id: format!("ada/greedy/r{number}-ada-greedy"),
        baseline: "greedy".to_owned(),
        side: Side::Black,
        is_first: true,
        analysis: forfeit.is_none().then_some(Analysis {
            ruleset: Ruleset::Gothello,
            moves,
            lines: BetterLines::default(),
        }),
        record,
        repeats: None,
        log: PathBuf::new(),
        stderr_tail: forfeit.map(|(_, stderr)| stderr.to_owned()),
    }
}

fn student(player: &str, items: usize, drill: Option<KeptDrill>, games: Vec<GradedGame>) -> StudentGrade {
    let worth = |at: usize| f64::from(20 - u8::try_from(at * 4 % 20).expect("less than 20"));
    let marks = (0..items).map(|at| mark(worth(at), "Passed 4 of 28 checks that every bot must pass.")).collect();
    StudentGrade { player: player.to_owned(), slug: "ada".to_owned(), marks, drill, games }
}

/// A class of six: good bots, a bot that always stops with the same exception, and a bot that does not start.
fn class() -> Gradebook {
    const ITEMS: [&str; 4] =
        ["Checks that every bot must pass", "Legal moves", "Games played to the end", "Score against greedy"];
    let raised = "IndexError: list index out of range";
    let lost = || (1..4).map(|number| game(number, None)).collect::<Vec<_>>();
    let crash = || game(9, Some(("exited with code 1", raised)));
    let with = |drill: KeptDrill, games: Vec<GradedGame>| student("Ada", ITEMS.len(), Some(drill), games);
    let mut students = vec![
        student("Ada", ITEMS.len(), None, lost()),
        with(drill("plain", raised), [lost(), vec![crash()]].concat()),
        with(drill("hello", raised), vec![crash()]),
    ];
    students
        .extend((0..3).map(|_| student("A student whose name is rather long, as some are", ITEMS.len(), None, lost())));
    let rubric = rubric("CS 441 final", &ITEMS.map(str::to_owned));
    Gradebook { rubric, ruleset: Ruleset::Gothello, students, ungraded: Vec::new() }
}

/// Writes the pages of `book`: the teacher's page, and the pages of the first three students.
fn write(dir: &Path, book: &Gradebook) -> Vec<(&'static str, PathBuf)> {
    let mut pages = vec![("index", class_index(book, None, &GameLinks::default()))];
    let students = ["good", "exception", "absent"].into_iter().zip(&book.students);
    pages.extend(students.map(|(name, student)| (name, FeedbackPage::of(book, student).html())));
    let write = |(name, page): (&'static str, String)| {
        let file = dir.join(name).join("page.html");
        fs::create_dir_all(dir.join(name)).expect("made");
        fs::write(&file, page).expect("written");
        (name, file)
    };
    pages.into_iter().map(write).collect()
}

/// Unfolds all parts of the page.
fn unfold(tab: &Tab) {
    tab.eval("document.querySelectorAll('details').forEach(part => { part.open = true; })");
}

#[test]
fn no_page_of_a_class_is_wider_than_its_window() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    for (name, page) in write(dir.path(), &class()) {
        for (width, height) in [(1920, 1080), (1280, 720), (390, 844)] {
            tab.viewport(width, height);
            for theme in ["light", "dark"] {
                tab.media("screen", theme);
                tab.open_file(&page);
                tab.screenshot(&format!("grades-{name}-{width}x{height}-{theme}"));
                unfold(&tab);
                let sizes = tab.eval("[document.scrollingElement.scrollWidth, innerWidth]");
                assert_eq!(sizes, json!([width, width]), "{name} at {width}x{height}");
                let edge = |part: &str| {
                    let padding = format!("parseFloat(getComputedStyle(document.querySelector('{part}')).paddingLeft)");
                    tab.eval(&format!("document.querySelector('{part}').getBoundingClientRect().left + {padding}"))
                };
                assert_eq!(edge("main"), edge("footer"), "the footer begins where the page does: {name} at {width}");
            }
        }
    }
}

#[test]
fn nothing_bars_people_from_the_pages_of_a_class() {
    let Some(script) = axe::script() else { return };
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    let mut found: Vec<Value> = Vec::new();
    for (name, page) in write(dir.path(), &class()) {
        for theme in ["light", "dark"] {
            tab.media("screen", theme);
            tab.open_file(&page);
            unfold(&tab);
            found.extend(axe::violations(&tab, &script).into_iter().map(|line| json!([theme, name, line])));
        }
    }
    assert!(found.is_empty(), "{:#}", Value::Array(found));
}

#[test]
fn what_bots_and_rubrics_say_is_text_on_the_pages_of_a_class() {
    let Some(browser) = Browser::start() else { return };
    let texts = texts();
    let dir = tempfile::tempdir().expect("a directory");
    let tab = browser.tab();
    let shown = |text: &str| spelled(text).replace('`', "");
    // Every text serves as the title and the sentence of one item. In addition, five texts at a time serve as the
    // reasons for forfeits, the diagnoses and the bot's last output.
    for five in texts.chunks(5).step_by(8) {
        let games = five.iter().enumerate().map(|(at, text)| game(at, Some((text, text)))).collect();
        let mut ada = student(&texts[0], texts.len(), Some(drill("plain", &five[0])), games);
        for (mark, text) in ada.marks.iter_mut().zip(&texts) {
            text.clone_into(&mut mark.sentence);
        }
        let rubric = rubric(&texts[1], &texts);
        let book = Gradebook { rubric, ruleset: Ruleset::Gothello, students: vec![ada], ungraded: Vec::new() };
        for (name, page) in write(dir.path(), &book) {
            tab.open_file(&page);
            unfold(&tab);
            assert_eq!(tab.text("typeof window.canary"), "undefined");
            assert_eq!(tab.faults(), [""; 0]);
            let all = tab.text("document.body.textContent").replace('`', "");
            let told: Vec<&String> = if name == "index" { texts[..1].iter().collect() } else { texts.iter().collect() };
            let untold: Vec<&&String> = told.iter().filter(|text| !all.contains(&shown(text))).collect();
            assert!(untold.is_empty(), "{name}: {untold:?}");
            if name != "index" {
                assert_harmless(&tab);
            }
        }
    }
}
