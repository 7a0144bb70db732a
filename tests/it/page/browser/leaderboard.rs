//! The page of a ladder in a browser: as seen by a guest, a student and the teacher, at four widths and in both themes.

use serde_json::{Value, json};

use super::axe;
use super::chromium::Browser;
use super::tab::Tab;
use crate::page::leaderboard::LadderPage;

/// The time of the made-up answers, in seconds.
const NOW: i64 = 1_790_000_000;

const HOSTILE: &str = "<img src=x onerror=alert(1)>";

/// The answers for `role` from a program that runs a ladder of 40 students.
fn told(role: &str) -> Value {
    let is_teacher = role == "teacher";
    let row = |rank: i64| {
        let elo = 900 - 45 * rank;
        let name = match rank {
            3 => "greedy".to_owned(),
            5 => HOSTILE.to_owned(),
            7 => "a student whose name is rather long, as some are".to_owned(),
            _ => format!("student{rank}"),
        };
        json!({
            "rank": rank, "player": name, "baseline": rank == 3, "elo": elo, "error95": 30 + rank * 3,
            "change": if rank % 4 == 0 { Value::Null } else { json!(40 - 9 * rank) }, "games": 1200 / rank,
            "handed_in": if rank == 3 { Value::Null } else { json!(NOW - 7_000 * rank * rank) },
            "spark": (0..rank % 9).map(|i| elo - 150 + i * 37 % 190).collect::<Vec<_>>(), "own": role == "student" && rank == 12,
        })
    };
    let rows: Vec<Value> =
        (1..=40).filter(|&rank| is_teacher || rank <= 10 || (role == "student" && rank == 12)).map(row).collect();
    let version = |name: &str, state: &str, reason: &str, origin: Option<&str>| {
        let is_rated = state != "refused";
        let mut version = json!({
            "version": name, "state": state, "reason": reason, "elo": is_rated.then_some(360), "error95": is_rated.then_some(66),
            "won": 31, "drawn": 2, "lost": 40, "arrived": NOW - 90_000, "door": "git",
        });
        if let Some(origin) = origin {
            version["origin"] = json!(origin);
        }
        version
    };
    let mut told = json!({
        "format": 1, "seq": "a-1", "role": role, "title": "CS 441, winter term", "activity": "playing", "anonymous": true,
        "closes": NOW + 900_000, "frozen": null, "target_error": 40, "games": 12_345, "in_flight": 2, "zero": "greedy",
        "unnamed": 40 - rows.len(), "rows": rows,
    });
    if role == "student" {
        told["own"] = json!({
            "player": "student12", "rank": 12, "lost": 2,
            "ahead": [{ "rank": 9, "elo": 495, "error95": 57 }, { "rank": 10, "elo": 450, "error95": 60 }, { "rank": 11, "elo": 405, "error95": 63 }],
            "versions": [
                version("student12.1", "retired", "superseded by its author", None),
                version("student12.2", "resting", "", None),
                version("student12.3", "refused", &format!("it fails `hello` as black: {HOSTILE}"), None),
                version("student12.4", "playing", "", None),
            ],
            "waiting": [{ "arrived": NOW - 60, "before": 2, "checking": false }],
        });
    }
    if is_teacher {
        told["all"] = json!({
            "versions": (1..30).map(|n| version(&format!("student{n}.{n}"), ["playing", "resting", "refused", "paused"][n % 4],
                if n % 4 > 1 { "it crashed or did not show up in 3 games in a row" } else { "" }, Some("commit 0123456789abcdef0123456789abcdef01234567"))).collect::<Vec<_>>(),
            "waiting": [{ "player": "student12", "arrived": NOW - 60 }, { "player": HOSTILE, "arrived": NOW - 30 }], "checking": true,
            "troubles": { "student8": "the repository could not be fetched: the host does not answer; check the URL", "": "the port is in use" },
            "selection": { "drawn": 1_230, "p_value": 0.42, "disagrees": false },
        });
    }
    told
}

/// Returns a script that gives the page made-up answers for `role` instead of the answers of its program.
fn answers(role: &str) -> String {
    let lost = json!({
        "format": 1, "pending": false, "judges": true,
        "games": [
            { "number": 41, "version": "student12.4", "opponent": "student3", "side": "black", "date": "2026.09.21", "ending": "normal", "margin": 6,
              "reason": null, "moves": ["e2", "a5", "a4", "b4", "c3", "d4", "b2"], "claims": [[1, "claims +3, depth 3"]], "stderr": "depth 3\nvalue 12 \\u{1b}[31m",
              "judgement": { "judged": 3, "moves": 4, "mistakes": [
                { "ply": 5, "move": "c3", "comment": "lost 4 stones: black by 2 instead of black by 6 (d2)", "blunder": false },
                { "ply": 7, "move": "b2", "comment": "blunder: white by 6 instead of black by 2 (d3)", "blunder": true }] } },
            { "number": 17, "version": "student12.2", "opponent": null, "side": "white", "date": "2026.09.20", "ending": "crash", "margin": null,
              "reason": "the program exited with status 1", "moves": [], "claims": [], "stderr": HOSTILE, "judgement": { "judged": 0, "moves": 0, "mistakes": [] } },
        ],
    });
    let reports = json!({ "format": 1, "reports": [{ "version": "student12.3", "text": format!("FAIL hello as black\n  {HOSTILE}\n") }] });
    let date = "Mon, 21 Sep 2026 14:13:20 GMT";
    format!(
        "window.asked = [];
        window.fetch = async (path, options) => {{
            asked.push([path, options.headers]);
            const told = path.startsWith('ladder?') ? {{ seq: 'a-1' }} : {{ ladder: {}, reports: {reports}, lost: {lost} }}[path];
            return {{ ok: true, headers: new Headers({{ Date: '{date}' }}), json: async () => told }};
        }};",
        told(role)
    )
}

/// Opens the page of `ladder` as `role`, with made-up answers.
fn open(tab: &Tab<'_>, ladder: &LadderPage, role: &str) {
    tab.before_pages(&answers(role));
    let (url, _) = ladder.teacher.split_once('#').expect("a link");
    let hash = if role == "guest" { String::new() } else { "#student12:0123456789abcdef0123456789abcdef".to_owned() };
    tab.goto(&format!("{url}{hash}"));
    tab.wait("document.querySelectorAll('#ranking tbody tr').length >= 10");
}

#[test]
fn guests_students_and_teachers_see_their_page_at_every_width() {
    let Some(browser) = Browser::start() else { return };
    let ladder = LadderPage::start();
    let script = axe::script();
    for role in ["guest", "student", "teacher"] {
        for theme in ["light", "dark"] {
            let tab = browser.tab();
            tab.media("screen", theme);
            tab.viewport(1280, 900);
            open(&tab, &ladder, role);
            if role == "student" {
                tab.wait("document.querySelector('#versions details')");
                tab.eval("document.querySelectorAll('details').forEach(node => (node.open = true))");
                tab.wait("document.querySelectorAll('#losses details details').length === 2");
                tab.eval("document.querySelectorAll('details').forEach(node => (node.open = true))");
            }
            for width in [1920, 1280, 800, 390] {
                tab.viewport(width, if width == 390 { 844 } else { 900 });
                assert_eq!(tab.eval("document.documentElement.scrollWidth <= innerWidth"), true, "{role} at {width}");
                if let Some(script) = &script {
                    assert_eq!(axe::violations(&tab, script), [""; 0], "{role} at {width} in the {theme} theme");
                }
                tab.screenshot(&format!("ladder-{role}-{width}-{theme}"));
            }
            assert_eq!(tab.faults(), [""; 0]);
            assert_eq!(tab.eval("document.querySelectorAll('img').length"), 0, "hostile text is text");
            let sent =
                tab.text("JSON.stringify(asked.map(([path, headers]) => [path, headers['X-Gothello-Token'] ?? '']))");
            assert_eq!(sent.contains("student12:"), role != "guest", "{sent}");
            assert!(
                !tab.requests().iter().any(|request| request.contains("0123456789abcdef")),
                "no address contains the token"
            );
        }
    }
}

#[test]
fn the_page_of_a_real_ladder_fills_itself_and_a_wrong_link_shows_what_guests_see() {
    let Some(browser) = Browser::start() else { return };
    let ladder = LadderPage::start();
    ladder.when("/ladder", None, |told| told["rows"].as_array().is_some_and(|rows| rows.len() == 2));
    let tab = browser.tab();
    tab.goto(&ladder.teacher);
    tab.wait("document.querySelector('#everything tbody tr')");
    assert_eq!(tab.text("document.title"), "Teacher · CS 441");
    let student = browser.tab();
    student.goto(&ladder.link("ada"));
    student.wait("document.querySelector('#you h2')?.textContent === 'ada'");
    assert_eq!(student.text("document.title"), "ada · CS 441");
    assert_eq!(student.eval("document.querySelectorAll('#everything, #queue').length"), 0);
    for tab in [&tab, &student] {
        assert_eq!(tab.faults(), [""; 0]);
    }
    let wrong = browser.tab();
    wrong.goto(&format!("{}0", ladder.teacher));
    wrong.wait("document.querySelector('#trouble')?.textContent.includes('not valid')");
    wrong.wait("document.querySelector('#ranking tbody tr')");
    assert_eq!(wrong.eval("document.querySelectorAll('#everything').length"), 0);
}

#[test]
fn an_opened_lost_game_stays_open_after_another_one_and_only_one_timer_waits() {
    let Some(browser) = Browser::start() else { return };
    let ladder = LadderPage::start();
    let tab = browser.tab();
    tab.before_pages(
        "window.waiting = new Set();
        const [later, never] = [setTimeout, clearTimeout];
        window.setTimeout = (work, ...rest) => {
            const id = later(work, ...rest);
            if (String(work).includes('fetchLosses')) waiting.add(id);
            return id;
        };
        window.clearTimeout = (id) => (waiting.delete(id), never(id));",
    );
    open(&tab, &ladder, "student");
    tab.wait("document.querySelector('#losses details')");
    tab.eval("document.querySelector('#losses details').open = true");
    tab.wait("document.querySelectorAll('#losses details details').length === 2");
    tab.eval("document.querySelectorAll('#losses details details')[0].open = true");
    tab.eval(
        "const before = window.fetch;
        window.answered = 0;
        window.fetch = async (path, options) => {
            const answer = await before(path, options);
            const told = await answer.json();
            if (path === 'ladder') return { ...answer, json: async () => ({ ...told, seq: 'a-2' }) };
            if (path !== 'lost') return { ...answer, json: async () => told };
            const newest = { ...told.games[1], number: 50 };
            answered += 1;
            return { ...answer, json: async () => ({ ...told, pending: true, games: [newest, ...told.games] }) };
        };
        window.fold = () => document.querySelector('#losses details');
        history.replaceState(null, '', '#student12:1123456789abcdef0123456789abcdef');
        dispatchEvent(new HashChangeEvent('hashchange'));",
    );
    for answers in 1..=3 {
        tab.eval("fold().open = false");
        tab.wait("!fold().open");
        tab.eval("fold().open = true");
        tab.wait(&format!("answered >= {answers}"));
    }
    tab.wait("document.querySelectorAll('#losses details details').length === 3");
    let opened = tab.eval("[...document.querySelectorAll('#losses details details')].map((node) => node.open).join()");
    assert_eq!(opened, "false,true,false");
    assert_eq!(tab.eval("waiting.size <= 1"), true);
}
