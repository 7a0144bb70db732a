use proptest::prelude::*;

use super::*;
use crate::course::grades::{Gradebook, GradedGame, MarkState};
use crate::course::handout::gradebooks_for_tests::{forfeited, gradebook, lost, mark, student};
use crate::drill::readiness::TrialStatus;
use crate::referee::record::Tries;
use crate::referee::result::Termination;
use crate::referee::time_control::TimeControl;

fn page_of(student: StudentGrade) -> FeedbackPage {
    let book = gradebook(vec![student]);
    FeedbackPage::of(&book, &book.students[0])
}

fn page(hostile: &str) -> FeedbackPage {
    page_of(student("Ada", hostile))
}

#[test]
fn games_that_are_not_listed_are_counted() {
    assert_eq!(more_forfeits(1), "One more game was forfeited.");
    assert!(more_forfeits(2).starts_with("2 more games were forfeited"));
}

#[test]
fn points_have_figures_and_intervals() {
    let page = page("why");
    assert_eq!(
        page.total,
        "48 of 90 so far, 10 open, including a bonus of 2.5; open items lack evidence, through no fault of your own"
    );
    let cells: Vec<[&str; 5]> = page
        .points
        .iter()
        .map(|line| [&line.title, &line.points, &line.worth, &line.figure, &line.interval].map(String::as_str))
        .collect();
    assert_eq!(cells[1], ["Legal moves", "18.5", "20", "60.0%", "50.0% to 70.0%; 70.0% counts"]);
    assert_eq!(cells[3][1], "12?");
    assert_eq!(cells[4], ["Accuracy in the middle of the game", "open", "10", "–", "–"]);
    assert_eq!(cells[5], ["Writeup", "by hand", "0", "–", "–"]);
    assert_eq!(cells[6][2], "5 bonus");
    assert_eq!(page.points[3].why, "12 points of 20 games");
    assert_eq!(page.doubts, "?: a few more games might change these points.");
    // If there were few games, the page says so once, and no mark gets a question mark.
    let mut few = gradebook(vec![student("Ada", "")]);
    (few.rubric.play.games, few.rubric.play.max_games) = (8, 8);
    let page = FeedbackPage::of(&few, &few.students[0]);
    let told = "There were at most 8 games against each opponent. That is few: more games might change the points.";
    assert_eq!((page.points[3].points.as_str(), page.doubts.as_str()), ("12", told));
    few.students[0].marks[3] = mark(12.0, MarkState::Settled);
    assert_eq!(FeedbackPage::of(&few, &few.students[0]).doubts, "");
}

#[test]
fn only_a_class_that_is_large_enough_is_told_of_and_nothing_tells_one_student_from_another() {
    let class = |size: u8| {
        let students = (0..size).map(|place| {
            let mut student = student("Ada", "");
            student.marks =
                [30.0, 20.0, 10.0, 30.0, 10.0, 0.0, 0.0].map(|worth| mark(worth, MarkState::Settled)).into();
            student.marks[0] = mark(f64::from(place) * 5.0, MarkState::Settled);
            student
        });
        gradebook(students.collect())
    };
    let page = |book: &Gradebook| FeedbackPage::of(book, &book.students[0]);
    assert_eq!(page(&class(4)).class, None);
    assert!(page(&class(4)).points.iter().all(|line| line.median.is_none()));
    let shown = page(&class(5));
    let note = shown.class.as_ref().expect("a class of 5");
    assert_eq!(note.text, "Class of 5: the median is 80 points, and half of the totals are between 75 and 85.");
    assert!((note.median - 0.8).abs() < 1e-9 && (shown.share - 0.7).abs() < 1e-9, "{} {}", note.median, shown.share);
    assert_eq!((shown.points[0].share, shown.points[0].median), (Some(0.0), Some(10.0 / 30.0)));
    assert!(shown.html().contains("class=\"got\" width=\"700\"") && shown.html().contains("x1=\"800\""));
    assert!(shown.markdown().contains("the median is 80 points"));
    // Students with open marks do not count, and neither do items without points.
    let mut open = class(5);
    open.students[4].marks[1] = mark(0.0, MarkState::Incomplete);
    let shown = page(&open);
    assert_eq!((shown.class, shown.points[1].median), (None, None));
    assert!(shown.points[0].median.is_some());
}

#[test]
fn what_to_do_next_begins_with_what_costs_the_most() {
    let titles = |page: &FeedbackPage| page.next.iter().map(|step| step.title.clone()).collect::<Vec<_>>();
    let steps = page("Your board is wrong.").next;
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[0].title, "The bot does not turn over captured groups (bot.py, line 7)");
    assert_eq!(steps[0].aside(), "D04, up to 21.5 points");
    assert_eq!(steps[0].text, "Your board is wrong. Turn the group. It caused 2 checks to fail.");
    // The wrong board explains the refused moves, so they are not reported separately.
    assert_eq!(steps[0].gain(), "up to 21.5 points");
    assert_eq!(
        (steps[1].title.as_str(), steps[1].gain().as_str()),
        ("Keep your program running to the end of every game", "up to 5 points")
    );
    // Here, D04 explains only one of the two failed checks.
    let mut both = student("Ada", "");
    both.drill.as_mut().expect("a drill").trials[0].diagnoses.clear();
    let steps: Vec<(String, String)> =
        page_of(both).next.into_iter().map(|step| (step.title.clone(), step.aside())).collect();
    assert_eq!(steps[0].1, "D04, up to 11.5 points");
    assert_eq!((steps[1].0.as_str(), steps[1].1.as_str()), ("Pass more checks", "up to 10 points"));
    let mut unknown = student("Ada", "");
    unknown.drill.iter_mut().flat_map(|drill| &mut drill.trials).for_each(|trial| trial.diagnoses.clear());
    let steps = page_of(unknown).next;
    let refused = steps.iter().find(|step| step.title == "Play legal moves only").expect("a step");
    assert!(refused.text.starts_with("1 move was refused, first `3 b2<i>` at ply 3 of ada/greedy/r7-ada-greedy."));
    assert_eq!(refused.gain(), "up to 1.5 points");
    let late = |count: usize| {
        let mut student = student("Ada", "");
        student.drill = None;
        student.games.truncate(4);
        for number in 0..count {
            let mut game = forfeited(&format!("r{number}-ada-greedy"), Termination::Time, "", "");
            game.record.plies[2].tries = Tries::default();
            student.games.push(game);
        }
        page_of(student)
    };
    assert_eq!(titles(&late(2)), ["Watch the clock", "Work on the middle of the game"]);
    assert!(late(2).next[0].text.starts_with("2 games were lost on time. Your slowest move took 0.2 s."));
    let clocked = |control: &str| {
        let mut student = student("Ada", "");
        student.drill = None;
        let mut game = forfeited("r1-ada-greedy", Termination::Time, "", "");
        game.record.plies[2].tries = Tries::default();
        game.record.time_control = Some(TimeControl::both(control.parse().expect("a control")));
        student.games = vec![game];
        page_of(student).next.remove(0).text
    };
    for (control, advice) in [
        (
            "60",
            "1 game was lost on time. Your slowest move took 0.2 s. Give each move a share of the time that is left, and",
        ),
        ("60+1", "the time that is left, which includes the increments of earlier moves"),
        ("60:5x30", "a move that takes longer than 30s costs a period"),
        ("1/move", "A single move that takes longer than 1s loses the game"),
        ("1/move+60bank", "The time that a move takes beyond 1s comes from a bank of 1m, which is never refilled"),
    ] {
        let told = clocked(control);
        assert!(told.contains(advice), "{told}");
    }
    // In the middle of the game, twelve moves were judged, and a third of them changed the winner.
    assert_eq!(titles(&late(0)), ["Work on the middle of the game"]);
    assert!(late(0).next[0].text.starts_with("4 of 12 judged moves there changed who wins with best play. Search"));
}

/// A student whose checks all fail with `code` because of an exception in line 7 of `bot.py`, described by `headline`.
/// The exception also ends the `games`.
fn raising(code: &str, headline: &str, games: Vec<GradedGame>) -> StudentGrade {
    let mut student = StudentGrade { games, ..student("Ada", "") };
    for cause in student.drill.iter_mut().flat_map(|drill| &mut drill.trials).flat_map(|trial| &mut trial.diagnoses) {
        (cause.code, cause.evidence) = (code.to_owned(), vec![format!("stderr: {headline}")]);
    }
    student
}

/// A game that ended before the first move.
fn crash(id: &str, stderr: &str) -> GradedGame {
    let mut game = forfeited(id, Termination::Crash, "it ended with status 1", stderr);
    (game.record.plies, game.record.unfinished) = (Vec::new(), None);
    game
}

#[test]
fn an_exception_that_explains_all_failures_is_the_root_cause_and_says_so_once() {
    let error = "NameError: name 'black_time_control' is not defined";
    let traceback = format!(
        "Traceback (most recent call last):\n  File \"/home/teacher/bots/ada/bot.py\", line 7, in go\n    self.time = black_time_control\n{error}\n"
    );
    // The checks that fail because of D01 cost 20 points, and the crashes cost 5. The games against greedy cost
    // nothing.
    let games = || vec![crash("r1-ada-alphabeta_2", &traceback), crash("r3-ada-alphabeta_2", &traceback)];
    for code in ["D01", "D18"] {
        let page = page_of(raising(code, error, games()));
        let root = page.root.as_ref().expect("a root cause");
        let games = "2 of 2 games.";
        assert_eq!(root.step.title, format!("Your bot stops with `{error}` (bot.py, line 7) in 2 checks and {games}"));
        assert_eq!((root.step.aside(), root.is_total), (format!("{code}, up to 25 points"), false));
        assert_eq!(root.step.output, ["bot.py, line 7:", "    self.time = black_time_control", error]);
        assert!(page.next.is_empty(), "{:?}", page.next);
        let html = page.html();
        let callout = html.find("<section class=\"root\">").expect("the root cause");
        assert!(callout < html.find("<table").expect("points"), "{html}");
        let folded = html.find("<details class=\"consequences\">").expect("what follows");
        assert!(folded < html.find("Your bot forfeited 2 of 2 games.").expect("forfeits"), "{html}");
        assert!(!html.contains("/home/teacher/bots/ada/bot.py\", line 7, in go</p>"));
    }
    // All points for the games against a baseline depend on the exception, too.
    let mut all = raising("D01", error, games());
    for game in &mut all.games {
        "alphabeta 2".clone_into(&mut game.baseline);
    }
    assert_eq!(page_of(all).root.expect("a root cause").step.gain(), "up to 43 points");
    // A game has another cause if it ended later, or with an exception other than the one behind D18.
    for (code, last) in [
        ("D01", forfeited("r5-ada-greedy", Termination::Crash, "it ended with status 1", error)),
        ("D18", crash("r5-ada-greedy", "IndexError: list index out of range")),
    ] {
        let page = page_of(raising(code, error, [games(), vec![last]].concat()));
        assert_eq!(page.root, None);
        assert!(page.next.iter().any(|step| step.title.starts_with("Keep your program running")), "{:?}", page.next);
        let step = page.next.iter().find(|step| step.code == code).expect("the cause");
        let told = "It caused 2 checks to fail. 2 games were forfeited because of it, too.";
        assert!(step.text.contains(told), "{}", step.text);
    }
    // A cause is a root cause only if it is an exception, and the only one.
    assert_eq!(page_of(raising("D04", error, games())).root, None);
    let mut two = raising("D18", error, games());
    two.drill.as_mut().expect("a drill").trials[1].diagnoses[0].line = Some(8);
    let page = page_of(two);
    assert_eq!((page.root, page.next.iter().filter(|step| step.code == "D18").count()), (None, 2));
}

#[test]
fn the_reason_why_a_bot_never_connects_is_all_that_is_reported_and_costs_everything() {
    let mut absent = student("Ada", "");
    let drill = absent.drill.as_mut().expect("a drill");
    drill.trials.truncate(2);
    for trial in &mut drill.trials {
        trial.id = "hello".to_owned();
    }
    let shown = |student: &StudentGrade| {
        let page = page_of(student.clone());
        assert!(page.next.is_empty(), "{:?}", page.next);
        let root = page.root.clone().expect("a root cause");
        assert!(root.is_total && root.step.text.ends_with(" Everything else depends on this."), "{}", root.step.text);
        assert_eq!(root.step.gain(), "up to 47 points");
        let html = page.html();
        assert!(html.find("<details class=\"consequences\">") < html.find("<table"), "the points are folded: {html}");
        (root.step.title, root.step.output)
    };
    let place = "(bot.py, line 7)";
    assert_eq!(
        shown(&absent).0,
        format!("Your bot does not start: the bot does not turn over captured groups {place}.")
    );
    let drill = absent.drill.as_mut().expect("a drill");
    for cause in drill.trials.iter_mut().flat_map(|trial| &mut trial.diagnoses) {
        cause.evidence = vec!["stderr: ModuleNotFoundError: `x`".to_owned()];
    }
    let title = format!("Your bot does not start: it stops with `ModuleNotFoundError: 'x'` {place}.");
    assert_eq!(shown(&absent).0, title);
    let drill = absent.drill.as_mut().expect("a drill");
    drill.trials.iter_mut().for_each(|trial| trial.diagnoses.clear());
    assert_eq!(shown(&absent).0, "Your bot does not start.");
    let mut broken = |why: &str| {
        let drill = absent.drill.as_mut().expect("a drill");
        (drill.trials, drill.broken) = (Vec::new(), Some(why.to_owned()));
        shown(&absent)
    };
    assert_eq!(broken("no `bot.py`").0, "Your bot could not be started: no `bot.py`.");
    let output = "javac Bot.java\nBot.java:27: error: ';' expected\n1 error\n";
    let (title, lines) = broken(&format!("its build failed: exited with code 1\n{output}"));
    assert_eq!(title, "Your bot could not be built because of an error in Bot.java, line 27.");
    assert_eq!(lines, ["Bot.java:27: error: ';' expected", "1 error"]);
    assert_eq!(broken("its build failed: exited with code 1\nmake: *** Error 1\n").0, "Your bot could not be built.");
    // If a bot can play on one side, other faults are reported, too.
    let mut half = student("Ada", "");
    half.drill.as_mut().expect("a drill").trials[0].id = "hello".to_owned();
    half.drill.as_mut().expect("a drill").trials[2].id = "hello".to_owned();
    assert!(page_of(half).next.len() > 1);
}

#[test]
fn a_cause_that_fails_no_check_is_reported_with_its_cost_on_the_board() {
    let steps = |code: &str| {
        let mut warned = student("Ada", "");
        for trial in warned.drill.iter_mut().flat_map(|drill| &mut drill.trials) {
            trial.status = if trial.diagnoses.is_empty() { TrialStatus::Pass } else { TrialStatus::Warn };
            for cause in &mut trial.diagnoses {
                code.clone_into(&mut cause.code);
            }
        }
        page_of(warned).next
    };
    let step = &steps("D04")[0];
    assert_eq!(
        (step.gain().as_str(), step.text.contains("It caused 2 warnings, but no check failed because of it.")),
        ("up to 20.5 points", true)
    );
    // A step that costs no points comes last. It is missing here, since three other steps come before it.
    assert!(steps("D11").iter().all(|step| !step.gain().is_empty() && step.code != "D11"));
}

#[test]
fn checks_that_failed_for_no_known_cause_are_reported_too() {
    let mut resigning = student("Ada", "");
    resigning.games.truncate(4);
    for trial in resigning.drill.iter_mut().flat_map(|drill| &mut drill.trials) {
        trial.diagnoses.clear();
        "It resigned.".clone_into(&mut trial.summary);
    }
    let failed = resigning.failed_trials().iter().filter(|trial| trial.has_failed()).count();
    let step = page_of(resigning).next.into_iter().find(|step| step.title == "Pass more checks").expect("a step");
    assert!(step.text.starts_with(&format!("{failed} checks failed, the first ")), "{}", step.text);
    assert!(step.text.contains(": It resigned. `gothello-arena check --only "), "{}", step.text);
    assert_eq!(step.gain(), "up to 20 points");
}

#[test]
fn a_bot_without_a_fault_has_nothing_to_do() {
    let mut best = student("Ada", "");
    (best.drill, best.games) = (None, Vec::new());
    best.marks = [30.0, 20.0, 10.0, 30.0, 10.0, 0.0, 5.0].map(|worth| mark(worth, MarkState::Settled)).into();
    let page = page_of(best);
    assert_eq!(page.total, "105 of 100 points, including a bonus of 5");
    assert!(page.next.is_empty() && page.lost.is_empty() && page.forfeits.is_empty() && page.used.is_empty());
    let markdown = page.markdown();
    assert!(
        markdown.matches("##").count() == 1 && markdown.contains("\n## The figures behind the points\n"),
        "{markdown}"
    );
    assert!(!page.html().contains("<h2"));
}

#[test]
fn the_clearest_blunders_come_from_different_opponents() {
    let page = page("why");
    let shown: Vec<(&str, &str)> = page.lost.iter().map(|lost| (lost.game.as_str(), lost.what.as_str())).collect();
    assert_eq!(
        shown,
        [
            ("ada/greedy/r3-ada-greedy", "2. c3: won by 8 before, lost by 8 after; e1 keeps it"),
            ("ada/alphabeta 2/r1-ada-alphabeta_2", "2. c3: won by 2 before, lost by 2 after; e1 keeps it"),
            ("ada/greedy/r5-ada-greedy", "2. c3: won by 4 before, lost by 2 after; e1 keeps it"),
        ]
    );
    let first = &page.lost[0];
    assert_eq!(first.heading, "against greedy, as black");
    assert_eq!(
        first.decisive.text(),
        " 5  .  .  .  .  .\n 4  .  .  .  w  .\n 3  .  . (b) .  .\n 2  .  b  .  .  .\n 1  .  .  .  .  *\n    a  b  c  d  e\n"
    );
    let html = page.html();
    for (number, class, caption) in
        [(3, "cell better", "Before your move: * is the better e1."), (3, "cell last", "After your c3.")]
    {
        assert_eq!(html.matches(&format!("<div class=\"{class}\">")).count(), number, "{class}");
        assert!(html.contains(&format!("<figcaption class=\"legend\">{caption}")), "{html}");
    }
    assert_eq!(first.decisive.legend(), "(b) is your move c3; * is the better e1");
    assert_eq!((first.ply, first.file.as_str()), (3, "r3-ada-greedy.log"));
    // The log can be replayed, and does not name a machine.
    assert!(first.log.parse::<crate::referee::record::GameRecord>().is_ok_and(|record| record.plies.len() == 5));
    assert!(page.markdown().contains("`gothello-arena replay --ply 3 r3-ada-greedy.log` shows the move"));
}

#[test]
fn games_that_repeat_or_were_not_decided_by_the_student_are_not_shown() {
    let mut student = student("Ada", "");
    student.games = vec![lost("r1-ada-greedy", "greedy", [3, -3]), lost("r3-ada-greedy", "greedy", [5, 5])];
    student.games[0].repeats = Some("ada/greedy/r9-ada-greedy".to_owned());
    assert!(page_of(student).lost.is_empty());
}

#[test]
fn forfeits_have_their_reason_and_fifteen_lines() {
    let stderr = (1..=40).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n\n");
    let mut student = student("Ada", "");
    student.games = vec![
        forfeited("r1-ada-greedy", Termination::Crash, "it ended with status 1", &stderr),
        forfeited("r2-ada-greedy", Termination::Crash, "it ended with status 1", &stderr),
        forfeited("r3-ada-greedy", Termination::Time, "", ""),
    ];
    let page = page_of(student);
    assert_eq!((page.forfeits.len(), page.more_forfeits), (2, 1));
    assert_eq!(page.forfeits_in_all, "Your bot forfeited 3 of 3 games.");
    let first = &page.forfeits[0];
    assert_eq!(first.what, "crash against greedy as black after 5 plies");
    assert_eq!(first.stderr.len(), 15);
    assert_eq!((first.stderr[0].as_str(), first.stderr[14].as_str()), ("line 26", "line 40"));
}

#[test]
fn a_page_tells_nothing_of_others_and_of_the_machine() {
    let book = gradebook(vec![student("Ada", "own words"), student("Classmate", "secret")]);
    let page = FeedbackPage::of(&book, &book.students[0]);
    let html = page.html();
    let prose = html.split("<pre").map(|part| part.split_once("</pre>").map_or(part, |(_, after)| after));
    assert!(prose.clone().all(|part| !part.contains('`')), "{html}");
    for text in [page.html(), page.markdown()] {
        for other in ["Classmate", "secret", "a-machine", "/home/teacher"] {
            assert!(!text.contains(other), "{other}");
        }
        let text = text.replace('\\', "");
        assert!(text.contains("own words") && text.contains("250.0 ms"));
    }
}

/// Returns the elements of a page's body in order, except inline code, and all text of the body.
fn parsed(html: &str) -> (Vec<String>, String) {
    let body = &html[html.find("<body>").expect("a body")..html.find("</html>").expect("an end")];
    let body = roxmltree::Document::parse(body).expect("well-formed markup");
    let is_code = |node: roxmltree::Node| node.ancestors().any(|outer| outer.has_tag_name("code"));
    let elements = body.descendants().filter(|node| node.is_element() && !is_code(*node));
    let text: String = body.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect();
    (elements.map(|node| node.tag_name().name().to_owned()).collect(), text)
}

const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "--><svg onload=alert(1)>",
    "\u{1b}]0;x\u{7}\u{202e}",
    "](javascript:alert(1))",
    "| a | b |\n| - | - |",
    "```\n# h\n```````\n<img src=x>",
    "</pre></td></table><h1>",
    "&lt;b&gt; \u{0} \u{85} ::error::x ##[error]",
];

#[test]
fn hostile_texts_stay_texts() {
    let harmless = parsed(&page("x").html()).0;
    for hostile in HOSTILE {
        let page = page(hostile);
        let html = page.html();
        let (elements, text) = parsed(&html);
        let lines = |elements: &[String]| elements.iter().filter(|name| *name != "br").cloned().collect::<Vec<_>>();
        assert_eq!(lines(&elements), lines(&harmless), "{hostile:?}");
        let markdown = page.markdown();
        for text in [&html, &markdown, &text] {
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{85}']), "{hostile:?}");
        }
        assert!(!html.contains("<script") && html.contains("script-src 'none'"));
        // Escaped text is not markup.
        let outside = outside_of_fences(&markdown).replace("\\<", "").replace("\\]", "");
        for wrong in ["<script", "<svg", "<img", "](", "\n# h", "\n| a | b |"] {
            assert!(!outside.contains(wrong), "{wrong}: {outside}");
        }
    }
}

/// Returns `markdown` without its code blocks. Each block must end with a fence as long as its opening fence.
fn outside_of_fences(markdown: &str) -> String {
    let (mut outside, mut fence) = (String::new(), None::<String>);
    for line in markdown.lines() {
        let ticks: String = line.chars().take_while(|&letter| letter == '`').collect();
        match &fence {
            Some(open) => fence = if line == open { None } else { fence },
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => outside.extend(["\n", line]),
        }
    }
    assert!(fence.is_none(), "a block of code without an end");
    outside
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_a_bot_writes_the_page_keeps_its_shape(hostile in "[ -~\u{1b}\u{202e}\u{2028}ä]{0,80}") {
        prop_assume!(!hostile.trim().is_empty());
        let page = page(&hostile);
        prop_assert_eq!(parsed(&page.html()).0, parsed(&self::page("x").html()).0);
        outside_of_fences(&page.markdown());
        let has_escape = page.summary().contains('\u{1b}');
        prop_assert!(!has_escape);
    }
}
