//! The teacher's page for a class: a table of all students, in which those whose marks need attention come first.
//!
//! The table is complete without JavaScript; a script makes it sortable by any column.
//!
//! | room | contents |
//! | --- | --- |
//! | `statistics` | mean, quartiles and histogram of the class |

mod statistics;

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};

use super::game_links::GameLinks;
use super::mark_text::{self, few_games};
use super::points_bar::{self, points_bar, share};
use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::course::grades::{Gradebook, ItemMark, KeptCause, StudentGrade};
use crate::course::roster::ClassRoll;
use crate::page::shown::{PlainPage, plain_page, prose};

const STYLE: &str = include_str!("class_index/class_index.css");
const SCRIPT: &str = include_str!("class_index/class_index.js");

/// Renders `book` as one HTML file. Students with borderline marks come first, then those with open marks, then the
/// others; within each group, they are in the order of the tournament file. The names link to the feedback pages in the
/// same directory, and the points to the games in `links` that they are based on. `roll` determines which students are shown as late.
pub fn class_index(book: &Gradebook, roll: Option<&ClassRoll>, links: &GameLinks) -> String {
    let title = format!("{}: grades", sanitised(&book.rubric.title));
    let causes = told_causes(book);
    let mut students: Vec<&StudentGrade> = book.students.iter().collect();
    students.sort_by_key(|student| concern(book, student));
    let body = html! {
        main id="main" {
            h1 { (title) }
            p class="facts" { (facts(book)) }
            @if book.has_too_few_games() {
                p class="few" {
                    (prose(&few_games(
                        book,
                        "the plain average counts, and more games might change each score. Raise `max_games` to 10 or more.",
                    )))
                }
            }
            (statistics::section(book))
            section {
                h2 { "Students" }
                div class="scroll" { (table(book, &students, roll, links)) }
            }
            @if !book.ungraded.is_empty() {
                h2 { "Not graded" }
                ul { @for player in &book.ungraded { li { (sanitised(&player.player)) ": " (prose(&player.why)) } } }
            }
            p class="legend" {
                @if !book.has_too_few_games() { "Borderline, with a question mark: a few more games might change the points. " }
                "Open: evidence is missing, through no fault of the student. "
                a href="grades.csv" { "grades.csv" } " contains all figures with their intervals, and "
                a href="audit.json" { "audit.json" } " contains the games and scenarios that the figures are based on."
            }
            @if !causes.is_empty() { p class="legend" { "Causes: " (prose(&causes)) "." } }
        }
        footer { p { "Made by gothello-arena " (env!("CARGO_PKG_VERSION")) ". This page contains the grades of the whole class." } }
    };
    plain_page(&PlainPage { title: &title, styles: &[points_bar::STYLE, STYLE], script: Some(SCRIPT), body: &body })
}

/// A sort key for how urgently the teacher should look at the marks of `student`: a lower key is more urgent.
fn concern(book: &Gradebook, student: &StudentGrade) -> u8 {
    match (student.marks.iter().any(|mark| book.is_doubtful(mark)), student.is_incomplete()) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

/// The number of students, and how many of them need attention. With too few games, no student counts as borderline.
fn facts(book: &Gradebook) -> String {
    let of = |wanted: u8| book.students.iter().filter(|student| concern(book, student) == wanted).count();
    let students = counted(book.students.len() as u64, "student");
    let borderline = if book.has_too_few_games() { String::new() } else { format!("{} borderline, ", of(0)) };
    format!("{students}; {borderline}{} open. {} points in all.", of(1), book.rubric.total)
}

fn table(book: &Gradebook, students: &[&StudentGrade], roll: Option<&ClassRoll>, links: &GameLinks) -> Markup {
    let items = &book.rubric.items;
    html! {
        table id="grades" {
            caption { "Points of all students" }
            thead { tr {
                th scope="col" { "player" }
                th scope="col" { "state" }
                th scope="col" class="num" { "total" }
                @for item in items {
                    th scope="col" class="num" title=(item.title()) {
                        // Lines break before the points, not at a hyphen.
                        (item.id.replace('-', "\u{2011}")) @if item.points.number() > 0.0 { " /" (item.points) }
                    }
                }
                th scope="col" class="num" { "forfeits" }
                th scope="col" { "causes" }
            } }
            tbody { @for student in students { (row(book, student, roll, links)) } }
        }
    }
}

fn row(book: &Gradebook, student: &StudentGrade, roll: Option<&ClassRoll>, links: &GameLinks) -> Markup {
    let is_late = roll.is_some_and(|roll| roll.is_late(&student.player));
    let (class, state) = match concern(book, student) {
        0 => ("state borderline", "borderline"),
        1 => ("state open", "open"),
        _ => ("state", ""),
    };
    html! {
        tr {
            th scope="row" { a href={ "feedback/" (student.slug) ".html" } { (sanitised(&student.player)) } }
            td class=(class) { (state) @if is_late { @if !state.is_empty() { ", " } "late" } }
            td class="num total" data-sort=(student.total()) {
                (total(book, student)) (points_bar(share(student.total().number(), book.rubric.total.number()), None))
            }
            @for mark in &student.marks { (points(book, mark, links)) }
            td class="num" data-sort=(student.forfeits().count()) {
                (linked(links.games(student.forfeits().map(|game| game.id.as_str())), &student.forfeits_text()))
            }
            td { (codes(student)) }
        }
    }
}

/// The points, followed by the possible points if some are open.
fn total(book: &Gradebook, student: &StudentGrade) -> String {
    if student.is_incomplete() { student.points_text(&book.rubric) } else { student.total().to_string() }
}

/// `text`, as a link if there is an address.
fn linked(address: Option<String>, text: &str) -> Markup {
    html! { @if let Some(address) = address { a href=(address) { (text) } } @else { (text) } }
}

fn points(book: &Gradebook, mark: &ItemMark, links: &GameLinks) -> Markup {
    let key = mark.points.map(|points| points.to_string()).unwrap_or_default();
    let (class, sign) = if book.is_doubtful(mark) { ("num borderline", "?") } else { ("num", "") };
    let games = links.games(mark.evidence.games.iter().map(String::as_str));
    html! { td class=(class) data-sort=(key) { (linked(games, &format!("{}{sign}", mark_text::points(mark)))) } }
}

/// The causes that the drill found, once for each trial.
fn causes(student: &StudentGrade) -> impl Iterator<Item = &KeptCause> {
    student.failed_trials().into_iter().flat_map(|trial| &trial.diagnoses)
}

/// The codes of the causes that the drill found: `D04, D18`.
fn codes(student: &StudentGrade) -> String {
    let codes: BTreeSet<&str> = causes(student).map(|cause| cause.code.as_str()).collect();
    codes.into_iter().collect::<Vec<_>>().join(", ")
}

/// What the codes on the page mean: `D04: the bot does not turn over captured groups; D18: ...`.
fn told_causes(book: &Gradebook) -> String {
    let found = book.students.iter().flat_map(causes);
    let titles: BTreeMap<&str, &str> = found.map(|cause| (cause.code.as_str(), cause.title.as_str())).collect();
    let texts: Vec<String> = titles.into_iter().map(|(code, title)| format!("{code}: {title}")).collect();
    texts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::course::grades::{MarkState, UngradedPlayer};
    use crate::course::handout::feedback::FeedbackPage;
    use crate::course::handout::gradebooks_for_tests::{gradebook, mark, student};

    fn with_state(player: &str, state: MarkState) -> StudentGrade {
        let mut student = student(player, "");
        student.marks = (0..7).map(|_| mark(5.0, MarkState::Settled)).collect();
        student.marks[3] = mark(12.5, state);
        student
    }

    #[test]
    fn students_whose_marks_need_attention_come_first() {
        let book = gradebook(vec![
            with_state("Sure", MarkState::Settled),
            with_state("Open", MarkState::Incomplete),
            with_state("Narrow", MarkState::Borderline),
            with_state("Sure too", MarkState::Settled),
        ]);
        let page = class_index(&book, None, &GameLinks::default());
        let places: Vec<usize> =
            ["Narrow", "Open</a>", "Sure</a>", "Sure too"].iter().map(|name| page.find(name).expect("a row")).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(page.contains("4 students; 1 borderline, 1 open. 100 points in all."));
        assert!(page.contains("<td class=\"num borderline\" data-sort=\"12.5\">12.5?</td>"));
        assert!(page.contains("<td class=\"num\" data-sort=\"12.5\">12.5</td>"));
        let mut few = book.clone();
        (few.rubric.play.games, few.rubric.play.max_games) = (8, 8);
        let told = class_index(&few, None, &GameLinks::default());
        assert!(
            told.contains("4 students; 1 open.") && !told.contains("borderline,") && !told.contains("12.5?"),
            "{told}"
        );
        assert_eq!((told.matches("That is few:").count(), page.contains("That is few:")), (1, false));
        for (class, state, number) in
            [("state borderline", "borderline", 1), ("state open", "open", 1), ("state", "", 2)]
        {
            assert_eq!(page.matches(&format!("<td class=\"{class}\">{state}</td>")).count(), number, "{state}");
        }
        assert!(page.contains("<a href=\"feedback/ada.html\">Narrow</a>") && page.contains("<td>D04</td>"));
        assert_eq!(page.matches("Causes: D04: ").count(), 1, "{page}");
    }

    #[test]
    fn the_pages_of_class_and_student_tell_the_same_number_of_forfeits() {
        let book = gradebook(vec![student("Ada", "")]);
        let page = FeedbackPage::of(&book, &book.students[0]).html();
        assert!(
            class_index(&book, None, &GameLinks::default()).contains("<td class=\"num\" data-sort=\"1\">1 of 5</td>")
        );
        assert!(page.contains("<p>Your bot forfeited 1 of 5 games.</p>"), "{page}");
    }

    #[test]
    fn the_class_has_statistics_of_totals_and_items_that_leave_out_what_is_open() {
        let mut book = gradebook(vec![
            with_state("One", MarkState::Settled),
            with_state("Two", MarkState::Settled),
            with_state("Open", MarkState::Incomplete),
        ]);
        book.students[1].marks[0] = mark(25.0, MarkState::Settled);
        let page = class_index(&book, None, &GameLinks::default());
        assert!(page.contains("2 complete totals: mean 52.5, median 52.5 of 100 points."), "{page}");
        assert!(page.contains("aria-label=\"Students by total: 1 from 40 to 50, 1 from 60 to 70\""), "{page}");
        let row = |title: &str| {
            let row = page.split_once(&format!("<th scope=\"row\">{title}</th>")).expect("a row").1;
            let cells = row.split("</tr>").next().expect("its end").split("<td class=\"num\">").skip(1);
            cells.map(|cell| cell.trim_end_matches("</td>")).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(row("Total"), "100 52.5 42.5 47.5 52.5 57.5 62.5");
        assert_eq!(row("Checks that every bot must pass"), "30 11.7 5 5 5 15 25");
        assert_eq!(row("Score against alphabeta 2"), "30 12.5 12.5 12.5 12.5 12.5 12.5");
        book.students.retain(StudentGrade::is_incomplete);
        assert!(!class_index(&book, None, &GameLinks::default()).contains("id=\"class\""));
    }

    #[test]
    fn points_lead_to_the_games_that_they_are_based_on() {
        let mut student = student("Ada", "");
        for game in &mut student.games {
            game.log = "run/ada/greedy/games/one.log".into();
        }
        let games = ["ada/greedy/r1-ada-greedy", "ada/greedy/r3-ada-greedy"].map(str::to_owned);
        student.marks[3].evidence.games = games.to_vec();
        let book = gradebook(vec![student]);
        let page = class_index(&book, None, &GameLinks::of(&book.students, |_| true));
        let report = "run/ada/greedy/report.html";
        assert!(page.contains(&format!("data-sort=\"12\"><a href=\"{report}#t=games\">12?</a></td>")), "{page}");
        let forfeit = format!("data-sort=\"1\"><a href=\"{report}#g=r7-ada-greedy&amp;p=0\">1 of 5</a></td>");
        assert!(page.contains(&forfeit), "{page}");
        assert!(!class_index(&book, None, &GameLinks::default()).contains(report), "there is no report");
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut book = gradebook(vec![student("<script>x</script>\u{202e}", "")]);
        let why = "no <b>bot</b>\u{1b}".to_owned();
        book.ungraded.push(UngradedPlayer { player: "\"><img src=x>".to_owned(), why });
        let page = class_index(&book, None, &GameLinks::default());
        assert!(page.contains("&lt;script&gt;x") && page.contains("no &lt;b&gt;bot"));
        assert!(!page.contains("<img") && !page.contains(['\u{202e}', '\u{1b}']));
        assert_eq!(page.matches("<script>").count(), 1, "the page's own script");
    }

    #[test]
    fn the_script_makes_no_markup_of_text() {
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "</script", "://", "`"] {
            assert!(!SCRIPT.contains(way), "{way}");
        }
    }
}
