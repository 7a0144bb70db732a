//! Tests of a board's server without sockets: its answers, its reports about a game, and the end of the game.

use std::num::NonZeroUsize;
use std::rc::Rc;

use hyper::body::Bytes;
use hyper::http::request::Builder;
use hyper::{Request, Response, StatusCode};
use serde_json::{Value, json};

use super::admission::{MAX_BODY, TOKEN_HEADER};
use super::shared_table::SharedTable;
use super::table_site::TableSite;
use super::web_token::WebToken;
use super::{WebEnd, keep};
use crate::base::random::SplitMix64;
use crate::base::stop::{self, Stop};
use crate::base::time::now;
use crate::game::{BySide, Ruleset, Side};
use crate::page::http::{Access, AnswerBody, HttpSite as _, SiteAnswers};
use crate::page::shown::board_policy;
use crate::players::bots::{Builtin, Thinker};
use crate::practice::board_game::BoardGame;
use crate::practice::guided::GuidedGame;
use crate::practice::opponent::BuiltinOpponent;
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;

const HOST: &str = "127.0.0.1:8080";

/// A board for tests, and its token.
struct Board {
    site: TableSite,
    table: Rc<SharedTable>,
    token: String,
}

impl Board {
    fn new(ruleset: Ruleset, seating: BoardSeating) -> Self {
        let players = BySide { black: "person <1>\u{1b}".to_owned(), white: "person 2".to_owned() };
        let session = Session::new(BoardGame::start(ruleset), true, players);
        let table = Rc::new(SharedTable::new(GuidedGame::new(session, seating, NonZeroUsize::MIN).expect("a thread")));
        let access = Access::new(HOST.parse().expect("an address"), false, &[], NonZeroUsize::MIN).expect("loopback");
        let token = WebToken::random().expect("random numbers");
        let text = token.text();
        let answers = SiteAnswers::new(&board_policy(), access).expect("a header");
        Self { site: TableSite::new(answers, token, Rc::clone(&table)), table, token: text }
    }

    fn two(ruleset: &str) -> Self {
        Self::new(ruleset.parse().expect("a rule set"), BoardSeating::Two)
    }

    /// The answer to a request with `body` and the usual headers, except for those that `change` sets.
    async fn ask(
        &self,
        uri: &str,
        body: &str,
        change: impl FnOnce(Builder) -> Builder,
    ) -> (Response<AnswerBody>, String) {
        let method = if uri == "/act" { "POST" } else { "GET" };
        let request = change(Request::builder().method(method).uri(uri));
        let headers = request.headers_ref().cloned().unwrap_or_default();
        let usual = [
            ("host", HOST),
            (TOKEN_HEADER, self.token.as_str()),
            ("origin", "http://127.0.0.1:8080"),
            ("content-type", "application/json"),
        ];
        let usual = usual.iter().filter(|(name, _)| !headers.contains_key(*name));
        let request = usual.fold(request, |request, (name, value)| request.header(*name, *value));
        let body = AnswerBody::Whole(Some(Bytes::copy_from_slice(body.as_bytes())));
        let mut answer = self.site.answer(request.body(body).expect("a request")).await;
        let text = match answer.body_mut() {
            AnswerBody::Whole(bytes) => bytes.take().unwrap_or_default(),
            AnswerBody::Stream(_) => panic!("there are no streams"),
        };
        (answer, String::from_utf8(text.to_vec()).expect("text"))
    }

    async fn board(&self) -> Value {
        let (answer, text) = self.ask("/board", "", |request| request).await;
        assert_eq!(answer.status(), StatusCode::OK, "{text}");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Sends the request `ask` for the current position.
    async fn act(&self, ask: &str, text: &str, begun: &str) -> Value {
        let turn = self.board().await["turn"].clone();
        let body = json!({ "ask": ask, "text": text, "begun": begun, "turn": turn }).to_string();
        let (answer, text) = self.ask("/act", &body, |request| request).await;
        assert_eq!(answer.status(), StatusCode::OK, "{text}");
        serde_json::from_str(&text).expect("JSON")
    }

    /// Waits for the answers from the threads.
    fn settle(&self) {
        while self.table.collect().expect("threads") {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

#[tokio::test]
async fn each_refusal_has_its_status_and_changes_nothing() {
    let board = Board::two("gothello");
    let before = board.board().await;
    let act = json!({ "ask": "move", "text": "c3", "turn": 1 }).to_string();
    let long = json!({ "ask": "move", "text": "x".repeat(MAX_BODY), "turn": 1 }).to_string();
    let header = |name: &'static str, value: &'static str| move |request: Builder| request.header(name, value);
    let refused = [
        (board.ask("/act", &act, header("host", "evil.example")).await, 403, "`--web-host NAME`"),
        (board.ask("/", "", header("host", "evil.example")).await, 403, "`--web-host NAME`"),
        (board.ask("/board", "", header(TOKEN_HEADER, "0123")).await, 401, "the full link"),
        (board.ask("/act", &act, header(TOKEN_HEADER, "0123")).await, 401, "the full link"),
        (board.ask("/act", &act, header("origin", "http://evil.example")).await, 403, "the board's own page"),
        (board.ask("/act", &act, header("content-type", "text/plain")).await, 415, "application/json"),
        (board.ask("/act", &act, header("content-length", "9999")).await, 413, "too long"),
        (board.ask("/act", &long, |request| request).await, 413, "too long"),
        (board.ask("/act", &act, |request| request.method("GET")).await, 405, "this method"),
        (board.ask("/act/", &act, |request| request).await, 404, "nothing here"),
        (board.ask("/act", "", |request| request).await, 400, "not a request"),
        (board.ask("/act", r#"{"ask":"open","turn":1}"#, |request| request).await, 400, "not a request"),
        (board.ask("/act", r#"{"ask":"undo","turn":1,"file":"x"}"#, |request| request).await, 400, "not a request"),
        (board.ask("/act", r#"{"ask":"undo"}"#, |request| request).await, 400, "not a request"),
    ];
    for ((answer, text), status, said) in refused {
        assert_eq!(answer.status().as_u16(), status, "{text}");
        assert!(text.contains(said) && !text.contains(&board.token), "{text}");
        for name in ["content-security-policy", "x-content-type-options", "cross-origin-resource-policy"] {
            assert!(answer.headers().contains_key(name), "{name}");
        }
    }
    assert_eq!(board.board().await, before);
    let (page, text) = board.ask("/", "", |request| request.header(TOKEN_HEADER, "none")).await;
    assert_eq!(page.status(), StatusCode::OK);
    assert!(text.starts_with("<!DOCTYPE html>") && !text.contains(&board.token) && !text.contains("person 2"));
    let policy = page.headers()["content-security-policy"].to_str().expect("text").to_owned();
    assert!(policy.starts_with("default-src 'none'; ") && !policy.contains("unsafe"), "{policy}");
}

#[tokio::test]
async fn two_people_play_at_one_board_and_refusals_are_words() {
    let board = Board::two("gothello");
    let start = board.board().await;
    assert_eq!((&start["toMove"], start["legal"].as_array().map(Vec::len)), (&json!("b"), Some(25)));
    assert_eq!(start["players"][0], "person <1>\\u{1b}");
    let told = board.act("field", "c3", "").await;
    assert_eq!(
        (&told["told"], &told["board"]["moves"], &told["board"]["last"]),
        (&json!(""), &json!([["b", "c3"]]), &json!("M"))
    );
    let told = board.act("field", "c3", "").await;
    assert_eq!(told["told"], "c3: the point is occupied");
    let told = board.act("move", " \u{1b}[2J ", "").await;
    assert!(told["told"].as_str().expect("text").starts_with("\\u{1b}[2j: not a move"), "{told}");
    let outdated = json!({ "ask": "undo", "turn": 1 }).to_string();
    let (_, told) = board.ask("/act", &outdated, |request| request).await;
    assert!(told.contains("the board has changed in the meantime") && told.contains("c3"), "{told}");
    board.act("move", "D3", "").await;
    let told = board.act("undo", "", "").await;
    assert_eq!((&told["told"], &told["board"]["moves"]), (&json!("took back 1 move"), &json!([["b", "c3"]])));
    let told = board.act("resign", "", "").await;
    assert_eq!(
        (&told["board"]["result"], &told["board"]["toMove"]),
        (&json!("black wins (resignation)"), &Value::Null)
    );
    assert_eq!(board.act("move", "a1", "").await["told"], "a1: the game is over");
}

#[tokio::test]
async fn help_is_shown_when_it_is_asked_for_and_a_mistake_is_marked_after_it_was_made() {
    let board = Board::two("gothello");
    assert_eq!(board.board().await["hint"], Value::Null);
    assert_eq!(board.act("why", "", "").await["told"], "you have not moved yet");
    board.act("hint", "", "").await;
    board.settle();
    let hint = board.board().await["hint"].clone();
    assert!(hint["lines"][0].as_str().expect("text").starts_with("black wins by 3: "), "{hint}");
    assert_eq!((hint["fields"].as_array().map(Vec::len), &hint["more"]), (Some(25), &json!(false)));
    assert!(
        hint["fields"]
            .as_array()
            .expect("fields")
            .contains(&json!({ "at": 12, "brief": "+3", "value": "black wins by 3", "score": 1 }))
    );
    board.act("move", "a1", "").await;
    assert_eq!(board.board().await["why"], Value::Null);
    board.act("why", "", "").await;
    board.settle();
    let why = board.board().await["why"].clone();
    assert_eq!((&why["ply"], &why["mistake"], &why["more"]), (&json!(0), &json!(true), &json!(false)), "{why}");
    assert!(why["lines"][0].as_str().expect("text").contains("instead of black by 3"), "{why}");
    board.act("hint", "", "").await;
    assert_eq!(board.board().await["hint"], Value::Null);
}

#[tokio::test]
async fn the_opponent_answers_and_clients_that_wait_are_told() {
    let bot = BuiltinOpponent::start(Builtin::new(Thinker::Greedy), 1, Ruleset::Gothello, None).expect("a thread");
    let board = Board::new(Ruleset::Gothello, BoardSeating::Against(Side::Black, bot));
    let told = board.act("field", "c3", "").await;
    assert_eq!((&told["board"]["thinking"], &told["board"]["persons"]), (&json!(true), &json!([true, false])));
    assert_eq!(board.act("field", "a1", "").await["told"], "the opponent is thinking");
    let uri = format!("/board?after={}", told["board"]["seq"]);
    let waiting = board.ask(&uri, "", |request| request);
    let ((_, text), ()) = tokio::join!(waiting, async { board.settle() });
    let newer: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((newer["moves"].as_array().map(Vec::len), &newer["toMove"]), (Some(2), &json!("b")), "{newer}");
    assert_eq!(board.act("undo", "", "").await["told"], "took back 2 moves");
}

#[tokio::test]
async fn every_rule_set_of_two_seats_tells_its_fields_and_what_a_ply_changed() {
    for ruleset in Ruleset::ALL.into_iter().filter(|ruleset| ruleset.seats() == 2) {
        let (board, mut random) = (Board::new(ruleset, BoardSeating::Two), SplitMix64::new(3));
        for ply in 0..30 {
            let told = board.board().await;
            let Some(letters) = told["letters"].as_str().filter(|_| told["result"].is_null()) else { break };
            let legal = told["legal"].as_array().expect("fields");
            assert!(legal.iter().all(|field| field.as_u64().is_some_and(|at| at < letters.len() as u64)), "{ruleset}");
            let all = board.table.session().game().position().legal_moves();
            let placing: Vec<_> = all.iter().filter(|played| !played.is_pass()).collect();
            assert_eq!(placing.is_empty(), legal.is_empty(), "{ruleset}: {told}");
            let choice = if placing.is_empty() {
                all[0]
            } else {
                *placing[usize::try_from(random.below(placing.len() as u64)).expect("small")]
            };
            let after = board.act("move", choice.as_str(), "").await;
            assert!(after["board"]["last"].is_string(), "{ruleset}: ply {ply}: {choice}: {after}");
        }
    }
}

#[tokio::test]
async fn a_move_of_several_fields_is_chosen_field_by_field() {
    let board = Board::two("seegover");
    let mut random = SplitMix64::new(5);
    let step = loop {
        let all = board.table.session().game().position().legal_moves();
        if let Some(step) = all.iter().find(|played| played.as_str().matches(['-', '+']).count() == 1) {
            break *step;
        }
        let choice = all[usize::try_from(random.below(all.len() as u64)).expect("small")];
        board.act("move", choice.as_str(), "").await;
    };
    let (first, second) = step.as_str().split_once(['-', '+']).expect("two fields");
    let told = board.act("field", first, "").await;
    assert_eq!(told["begun"], first, "{step}: {told}");
    let at = |name: &str| u64::from(name.as_bytes()[0] - b'a') + 5 * u64::from(name.as_bytes()[1] - b'1');
    assert!(told["next"].as_array().expect("fields").contains(&json!(at(second))), "{step}: {told}");
    let plies = told["board"]["moves"].as_array().map(Vec::len);
    let told = board.act("field", second, first).await;
    let is_played = told["board"]["moves"].as_array().map(Vec::len) > plies;
    assert!(is_played || told["begun"].as_str().is_some_and(|begun| begun.starts_with(first)), "{step}: {told}");
}

#[tokio::test(start_paused = true)]
async fn a_game_ends_when_it_is_left_stopped_or_forgotten() {
    let board = Board::two("gothello");
    let (sender, signal) = stop::channel();
    let begin = now();
    assert_eq!(keep(&board.table, signal.clone()).await.expect("threads"), WebEnd::Idle);
    assert!(begin.elapsed() >= super::IDLE_END);
    board.act("move", "c3", "").await;
    let told = board.act("leave", "", "").await;
    assert_eq!(told["board"]["left"], true);
    assert_eq!(keep(&board.table, signal.clone()).await.expect("threads"), WebEnd::Left);
    assert_eq!(board.table.session().plies().len(), 1);
    let board = Board::two("gothello");
    sender.raise(Stop::Drain);
    assert_eq!(keep(&board.table, signal).await.expect("threads"), WebEnd::Stopped);
}
