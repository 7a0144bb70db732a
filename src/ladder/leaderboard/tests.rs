//! The page's server without sockets: who may read what, and what is refused.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroUsize;
use std::sync::Arc;

use hyper::body::Bytes;
use hyper::{Request, StatusCode};
use serde_json::{Value, json};

use super::picture::{LadderLoss, LadderPicture, PicturedPlayer, PicturedRating, PicturedVersion, VersionWord};
use super::*;
use crate::game::Side;
use crate::page::http::{AnswerBody, HttpSite as _, PeerHost};
use crate::tournament::PlayerName;

const HOST: &str = "127.0.0.1:8080";

/// A game that bo, as black, lost to ada.
const LOG: &str = "[Event \"term\"]\n[Black \"bo.1\"]\n[White \"ada.7\"]\n[Result \"1-0\"]\n[Termination \"crash\"]\n\
                   [Reason \"the program exited with status 1\"]\n\n1. e2 {[%eval +3 D2]} 1-0\n";

/// A page for tests, with the tokens of its readers.
struct Page {
    site: LeaderboardSite,
    pictures: PictureSender,
    bo: String,
    teacher: String,
    dir: tempfile::TempDir,
}

fn version(name: &str, state: VersionWord, elo: Option<f64>) -> PicturedVersion {
    PicturedVersion {
        name: name.to_owned(),
        state,
        rating: elo.map(|elo| PicturedRating { elo, error95: 40.0 }),
        arrived: Some(1),
        ..PicturedVersion::default()
    }
}

/// A ladder in which bo has lost a game to ada, and a version of each was refused.
fn picture(seq: u64) -> LadderPicture {
    let player = |name: &str, rank, elo| PicturedPlayer {
        name: name.to_owned(),
        rank: Some(rank),
        rating: Some(PicturedRating { elo, error95: 40.0 }),
        versions: vec![
            version(&format!("{name}.1"), VersionWord::Playing, Some(elo)),
            version(&format!("{name}.2"), VersionWord::Refused, None),
        ],
        ..PicturedPlayer::default()
    };
    let lost = LadderLoss {
        number: 4,
        id: "r1-bo_1-ada_7".to_owned(),
        side: Side::Black,
        version: "bo.1".to_owned(),
        opponent: "ada".to_owned(),
    };
    let bo = PicturedPlayer { lost: vec![lost], ..player("bo", 2, 50.0) };
    LadderPicture { seq, players: vec![player("ada", 1, 90.0), bo], ..LadderPicture::default() }
}

impl Page {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().to_owned();
        for made in ["games", "feedback"] {
            fs::create_dir(path.join(made)).expect("made");
        }
        for (file, text) in [
            ("games/r1-bo_1-ada_7.log", LOG),
            ("games/r1-bo_1-ada_7.black.stderr", "bo's \u{1b}[31mwords\ta\u{202e}\n"),
            ("games/r1-bo_1-ada_7.white.stderr", "ada's words\n"),
            ("feedback/bo_2.txt", "bo's report\u{7}\n<script>\n"),
            ("feedback/ada_2.txt", "ada's report\n"),
        ] {
            fs::write(path.join(file), text).expect("written");
        }
        let store = token_store(&path);
        let bo = store.issue(&PlayerName::new("bo").expect("a name")).expect("a token").text();
        let teacher = SubmissionToken::random().expect("a token");
        let access = Access::new(HOST.parse().expect("an address"), false, &[], NonZeroUsize::MIN).expect("loopback");
        let answers = SiteAnswers::new(&leaderboard_policy(), access).expect("a header");
        let (sender, received) = pictures();
        let judge = Judge::new(Ruleset::Gothello, path.clone());
        let site = LeaderboardSite::new(answers, Doorkeeper::new(store, &teacher), received, (path, judge));
        Self { site, pictures: sender, bo, teacher: format!(":{}", teacher.text()), dir }
    }

    fn show(&self, picture: LadderPicture) {
        self.pictures.send_replace(Some(Arc::new(picture)));
    }

    /// The status and the text of the answer to a request for `uri` with these `headers`.
    fn ask(&self, method: &str, uri: &str, headers: &[(&str, &str)]) -> (StatusCode, String) {
        let mut request = Request::builder().method(method).uri(uri);
        if headers.iter().all(|(name, _)| *name != "host") {
            request = request.header("host", HOST);
        }
        request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let request = request.extension(PeerHost(IpAddr::V4(Ipv4Addr::LOCALHOST)));
        let request = request.body(AnswerBody::Whole(Some(Bytes::new()))).expect("a request");
        let runtime = runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        let mut answer = runtime.expect("a runtime").block_on(self.site.answer(request));
        let text = match answer.body_mut() {
            AnswerBody::Whole(bytes) => bytes.take().unwrap_or_default(),
            AnswerBody::Stream(_) => panic!("there are no streams"),
        };
        (answer.status(), String::from_utf8(text.to_vec()).expect("text"))
    }

    /// The answer to a visitor with `token`, or to a guest if it is empty.
    fn get(&self, uri: &str, token: &str) -> (StatusCode, String) {
        let header = [("x-gothello-token", token)];
        self.ask("GET", uri, if token.is_empty() { &[] } else { &header })
    }

    fn json(&self, uri: &str, token: &str) -> Value {
        let (status, text) = self.get(uri, token);
        assert_eq!(status, StatusCode::OK, "{uri}: {text}");
        serde_json::from_str(&text).expect("JSON")
    }

    fn bo(&self) -> String {
        format!("bo:{}", self.bo)
    }
}

#[test]
fn each_link_shows_its_role_and_a_token_in_the_address_means_nothing() {
    let page = Page::new();
    assert_eq!(page.json("/ladder", ""), json!({ "format": 1, "seq": null }), "before the first picture");
    page.show(picture(1));
    for (uri, token, role) in [
        ("/ladder".to_owned(), String::new(), "guest"),
        ("/ladder".to_owned(), page.bo(), "student"),
        ("/ladder".to_owned(), page.teacher.clone(), "teacher"),
        (format!("/ladder?token={}", page.bo()), String::new(), "guest"),
        (format!("/ladder?{}", page.teacher), String::new(), "guest"),
    ] {
        let told = page.json(&uri, &token);
        assert_eq!(told["role"], role, "{uri}");
        assert_eq!((told["own"].is_object(), told["all"].is_object()), (role == "student", role == "teacher"), "{uri}");
        assert!(!told.to_string().contains(&page.bo) && !told.to_string().contains(&page.teacher), "{told}");
    }
    assert_eq!(page.get("/ladder", &format!("ada:{}", page.bo)).0, StatusCode::UNAUTHORIZED);
    assert_eq!(page.get("/ladder", &format!(":{}", page.bo)).0, StatusCode::UNAUTHORIZED);
    for private in ["/reports", "/lost"] {
        for token in [String::new(), page.teacher.clone()] {
            assert_eq!(page.get(private, &token).0, StatusCode::FORBIDDEN, "{private}");
        }
    }
}

#[test]
fn who_has_the_latest_picture_is_told_no_more_than_that() {
    let page = Page::new();
    page.show(picture(1));
    for token in [String::new(), page.bo(), page.teacher.clone()] {
        let told = page.json("/ladder", &token);
        let seq = told["seq"].as_str().expect("a text").to_owned();
        assert_eq!(page.json(&format!("/ladder?after={seq}"), &token), json!({ "format": 1, "seq": seq }));
        assert!(page.json("/ladder?after=other-1", &token)["rows"].is_array());
        let last = page.pictures.borrow().as_ref().map_or(0, |picture| picture.seq);
        page.show(picture(last + 1));
        assert!(page.json(&format!("/ladder?after={seq}"), &token)["rows"].is_array(), "a new picture");
    }
}

#[test]
fn a_student_reads_its_own_report_and_its_own_stderr_made_printable() {
    let page = Page::new();
    page.show(picture(1));
    let reports = page.json("/reports", &page.bo());
    assert_eq!(reports["reports"], json!([{ "version": "bo.2", "text": "bo's report\\u{7}\n<script>" }]));
    let lost = page.json("/lost", &page.bo());
    let game = &lost["games"][0];
    assert_eq!(game["number"], 4);
    assert_eq!(game["stderr"], "bo's \\u{1b}[31mwords a\\u{202e}");
    assert_eq!((&game["version"], &game["opponent"], &game["side"]), (&json!("bo.1"), &json!("ada"), &json!("black")));
    let reason = json!("the program exited with status 1");
    assert_eq!((&game["ending"], &game["reason"]), (&json!("crash"), &reason), "{game}");
    assert_eq!(game["moves"], json!(["e2"]));
    assert_eq!(game["claims"], json!([[1, "claims +3, depth 2"]]));
    for text in [reports.to_string(), lost.to_string()] {
        assert!(!text.contains("ada's") && !text.contains("ada.7") && !text.contains("ada_7"), "{text}");
        assert!(!text.contains(&*page.dir.path().to_string_lossy()), "{text}");
    }
    page.show(LadderPicture { is_anonymous: true, ..picture(2) });
    assert_eq!(page.json("/lost", &page.bo())["games"][0]["opponent"], "ada", "she is among the first ten");
    let mut hidden = LadderPicture { is_anonymous: true, ..picture(3) };
    hidden.players[0].rank = Some(11);
    page.show(hidden);
    let lost = page.json("/lost", &page.bo());
    assert_eq!(lost["games"][0]["opponent"], Value::Null);
    assert!(!lost.to_string().contains("ada"), "{lost}");
}

#[test]
fn a_lost_game_is_judged_later() {
    let page = Page::new();
    page.show(picture(1));
    assert_eq!(page.json("/lost", &page.bo())["pending"], true);
    let judged = loop {
        let lost = page.json("/lost", &page.bo());
        if lost["pending"] == false {
            break lost["games"][0]["judgement"].clone();
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert_eq!(judged["moves"], 1, "{judged}");
}

#[test]
fn requests_of_other_kinds_are_refused() {
    let page = Page::new();
    page.show(picture(1));
    for (method, uri, headers, status) in [
        ("GET", "/", &[][..], StatusCode::OK),
        ("HEAD", "/", &[], StatusCode::OK),
        ("GET", "/healthz", &[], StatusCode::OK),
        ("POST", "/", &[], StatusCode::METHOD_NOT_ALLOWED),
        ("PUT", "/ladder", &[], StatusCode::METHOD_NOT_ALLOWED),
        ("OPTIONS", "/ladder", &[], StatusCode::METHOD_NOT_ALLOWED),
        ("GET", "/ladder", &[("host", "evil.example")], StatusCode::FORBIDDEN),
        ("GET", "/", &[("host", "evil.example:8080")], StatusCode::FORBIDDEN),
        ("GET", "/state", &[], StatusCode::NOT_FOUND),
        ("GET", "/../feedback/bo_2.txt", &[], StatusCode::NOT_FOUND),
        ("GET", "/feedback/bo_2.txt", &[], StatusCode::NOT_FOUND),
        ("GET", "/ladder", &[("x-gothello-token", "bo:")], StatusCode::UNAUTHORIZED),
    ] {
        assert_eq!(page.ask(method, uri, headers).0, status, "{method} {uri} {headers:?}");
    }
    assert!(page.get("/", "").1.contains("data-kind=\"ladder\""));
}
