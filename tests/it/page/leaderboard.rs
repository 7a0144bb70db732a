//! The page of a ladder, from a real run, as seen by guests, players and the teacher.

use std::fs;
use std::process::Stdio;

use serde_json::Value;

use super::live::client::{Answer, Page};
use crate::harness::arena::{Arena, Running, text};
use crate::harness::waiting::{LIMIT, until, until_within};

/// A ladder of two built-in bots, and two players that hand in versions through a directory.
const LADDER: &str = "name = \"CS 441\"\nformat = \"ladder\"\ntime = \"10s\"\n[ladder]\nanonymous = true\n\
    [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n\
    [[player]]\nname = \"ada\"\nfolder = \"ada\"\ncommand = [\"python3\", \"line_bot.py\"]\ntransport = \"stdio\"\n\
    [[player]]\nname = \"Eve Ö\"\nfolder = \"eve\"\n";

/// A running ladder, and its page.
pub(crate) struct LadderPage {
    arena: Arena,
    /// The run, which ends when this value is dropped.
    _running: Running,
    page: Page,
    /// The teacher's link.
    pub(crate) teacher: String,
}

/// The token in a link, which the page sends in a header.
fn token_of(link: &str) -> &str {
    link.split_once('#').expect("a token").1
}

impl LadderPage {
    /// Starts the ladder, whose players have handed in nothing yet.
    pub(crate) fn start() -> Self {
        let arena = Arena::new(LADDER);
        for player in ["ada", "eve"] {
            fs::create_dir(arena.path().join(player)).expect("made");
        }
        let words = ["run", "class.toml", "--out", "out", "--isolation", "off", "--web", "127.0.0.1:0"];
        let mut running = Arena::started(arena.command(&words).stdout(Stdio::null()));
        let page = Page::said(&running.hear("the ladder's page is at"));
        let line = running.hear("the teacher's page, which shows everything");
        let teacher = line.trim_end().rsplit(' ').next().expect("a link").to_owned();
        // The address is stored when the games begin.
        until("the address of the page", || arena.out().join("page-address").exists().then_some(()));
        Self { arena, _running: running, page, teacher }
    }

    /// Creates the token of `player`, and returns its link.
    pub(crate) fn link(&self, player: &str) -> String {
        let made = self.arena.output(&["ladder", "token", "out", player, "--json"]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let answer: Value = serde_json::from_str(&text(&made.stdout)).expect("JSON");
        answer["link"].as_str().expect("a link").to_owned()
    }

    fn ask(&self, path: &str, token: Option<&str>) -> Answer {
        let token = token.map(|token| format!("X-Gothello-Token: {token}\r\n")).unwrap_or_default();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{token}\r\n", self.page.0);
        self.page.ask(request.as_bytes()).expect("an answer")
    }

    /// Requests `path` for `link` until `is_it` accepts the answer, and returns the answer. Lost games are judged with
    /// the lowest priority, so this may take a long time.
    pub(crate) fn when(&self, path: &str, link: Option<&str>, is_it: impl Fn(&Value) -> bool) -> Value {
        until_within(LIMIT, path, || Some(self.ask(path, link.map(token_of)).json()).filter(&is_it))
    }
}

#[test]
fn guests_players_and_the_teacher_are_told_what_they_may_know() {
    let ladder = LadderPage::start();
    let link = ladder.link("ada");
    let guest = ladder.when("/ladder", None, |told| told["rows"].as_array().is_some_and(|rows| rows.len() == 2));
    assert_eq!((&guest["role"], &guest["title"]), (&"guest".into(), &"CS 441".into()));
    assert!(guest["own"].is_null() && guest["all"].is_null() && guest["rows"][0]["baseline"] == true, "{guest}");
    let student = ladder.when("/ladder", Some(&link), |told| told["own"]["player"] == "ada");
    assert_eq!(student["own"]["versions"], serde_json::json!([]));
    let teacher = ladder.when("/ladder", Some(&ladder.teacher), |told| told["role"] == "teacher");
    let names: Vec<&str> =
        teacher["rows"].as_array().expect("rows").iter().filter_map(|row| row["player"].as_str()).collect();
    assert!(names.contains(&"ada") && names.contains(&"Eve Ö"), "{names:?}");

    let eve = ladder.link("Eve Ö");
    assert!(eve.contains("#Eve%20%C3%96:"), "{eve}");
    assert_eq!(ladder.ask("/ladder", Some(token_of(&eve))).json()["own"]["player"], "Eve Ö");
    let newer = ladder.link("ada");
    for wrong in [token_of(&link).to_owned(), token_of(&newer).replacen("ada", "random", 1), "ada:".to_owned()] {
        assert_eq!(ladder.ask("/ladder", Some(&wrong)).status, 401, "{wrong}");
    }
    assert_eq!(ladder.ask(&format!("/ladder?{}", token_of(&newer)), None).json()["role"], "guest");
    assert_eq!(ladder.page.request("GET", "/ladder", "evil.example").status, 403);
    assert_eq!(ladder.page.request("POST", "/ladder", &ladder.page.0.to_string()).status, 405);
    let long = ladder.ask("/ladder", Some(&"a".repeat(9000)));
    assert!((400..500).contains(&long.status), "{long:?}");
    let document = ladder.page.get("/");
    assert!(
        document.head.contains("connect-src 'self'") && document.head.contains("x-frame-options: deny"),
        "{document:?}"
    );
    assert!(!document.body.contains(token_of(&ladder.teacher)));
    for file in ["page-address", "journal.jsonl"] {
        let stored = fs::read_to_string(ladder.arena.out().join(file)).expect("there");
        assert!(
            [&link, &newer, &eve, &ladder.teacher].iter().all(|link| {
                let token = token_of(link).split_once(':').expect("a token").1;
                !stored.contains(token)
            }),
            "{file}"
        );
    }
}

#[test]
fn players_read_why_a_version_was_refused_and_what_their_bots_said_in_lost_games() {
    let ladder = LadderPage::start();
    let [ada, eve] = ["ada", "Eve Ö"].map(|player| ladder.link(player));
    let bot = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/line_bot.py")).expect("there");
    // The bot is random, so it loses some games to `greedy`.
    let bot = bot.replacen("import sys\n", "import sys\nprint('words of ada', file=sys.stderr)\n", 1);
    fs::write(ladder.arena.path().join("ada/line_bot.py"), bot).expect("written");
    fs::write(ladder.arena.path().join("eve/notes.txt"), "no bot at all\n").expect("written");
    let told = ladder.when("/ladder", Some(&eve), |told| told["own"]["versions"][0]["state"] == "refused");
    assert!(!told["own"]["versions"][0]["reason"].as_str().expect("a reason").is_empty(), "{told}");
    let reports = ladder.when("/reports", Some(&eve), |told| told["reports"][0]["version"] == "Eve Ö.1");
    assert!(!reports["reports"][0]["text"].as_str().expect("a text").is_empty());
    ladder.when("/ladder", Some(&ada), |told| told["own"]["versions"][0]["state"] == "playing");
    ladder.when("/ladder", Some(&ada), |told| told["own"]["lost"].as_u64() > Some(0));
    let lost = ladder.when("/lost", Some(&ada), |told| {
        told["games"].as_array().is_some_and(|games| games.iter().any(|game| game["judgement"].is_object()))
    });
    assert_eq!(lost["games"][0]["stderr"], "words of ada", "{lost}");
    let guest = ladder.ask("/ladder", None).body;
    for secret in ["Eve", "refused", "words of ada"] {
        assert!(!guest.contains(secret), "{secret} in {guest}");
    }
    let eve = ladder.ask("/ladder", Some(token_of(&eve))).body;
    assert!(!eve.contains("ada.1"), "{eve}");
}
