//! Tests of all paths of the page together: their answers and headers. A page that is behind its run must not reveal
//! anything too early.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use hyper::header;
use hyper::{Request, Response, StatusCode};
use tokio::time::advance;

use super::answer::StagePages;
use super::feed::RunFeed;
use super::hub::Hub;
use super::*;
use crate::game::{BySeat, Outcome};
use crate::host::bot_output::BotOutput;
use crate::page::http::{AnswerBody, HttpSite};
use crate::referee::record::LoggedGame;
use crate::run::event::{Ended, Event};
use crate::run::journal::{FORMAT, Header, Ledger, PlayerEntry};
use crate::run::listener::{Listener as _, ListenerContext};
use crate::tournament::Tournament;
use crate::tournament::definition::Definition;
use crate::tournament::schedule::{GameId, Results, Schedule};

const TOURNAMENT: &str =
    "rounds = 2\n[[player]]\nname = \"ann\"\nbuiltin = \"random\"\n[[player]]\nname = \"bob\"\nbuiltin = \"random\"\n";

const DELAY: Duration = Duration::from_secs(30);
const ALMOST: Duration = Duration::from_millis(29_999);
const MOMENT: Duration = Duration::from_millis(1);

/// Every path whose answer depends on the run.
const PATHS: [&str; 7] = ["/", "/state", "/events", "/game/r1-ann-bob", "/game/r1-bob-ann", "/overlay", "/embed"];

/// A page that is behind its run, with both ends of its feed.
struct BehindPage {
    listener: LiveListener,
    feed: RunFeed,
    site: PageSite,
    next_frame: Instant,
    dir: tempfile::TempDir,
    tournament: Arc<Tournament>,
}

impl BehindPage {
    fn new(delay: Duration, embedders: &[&str]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(dir.path().join("games")).expect("made");
        let tournament = Tournament::parse(TOURNAMENT, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let tournament = Arc::new(tournament);
        let shown = ShownRun { tournament: Arc::clone(&tournament), address: None, aliases: None };
        let mut state = LiveState::new(shown.premise(None), []);
        state.serve_under(ServingTerms { delay, answers: true });
        let site = RunSite { dir: dir.path().to_owned(), files: 0, analyst: None, delay };
        let (listener, feed) = of_run(shown, site);
        let access = Access::new("127.0.0.1:0".parse().expect("an address"), false, &[], NonZeroUsize::MIN);
        let embedders: Vec<FrameOrigin> = embedders.iter().map(|origin| origin.parse().expect("an origin")).collect();
        let site = PageSite {
            answers: SiteAnswers::new(&PageKind::Live.policy(), access.expect("loopback")).expect("a header"),
            hub: Hub::new(state),
            archive: feed.archive(),
            stages: Rc::new(StagePages::new("test", &embedders).expect("headers")),
            tried: Some(Rc::default()),
        };
        Self { listener, feed, site, next_frame: now(), dir, tournament }
    }

    /// Lets the page process the events that are due. Returns whether more events may follow.
    fn turn(&mut self) -> bool {
        self.next_frame = now();
        turn(&self.site.hub, &mut self.feed, &mut self.next_frame)
    }

    /// Begins the run.
    fn begin(&mut self) {
        let definition = Definition::from(&*self.tournament);
        let player =
            |name: &str| PlayerEntry { name: name.to_owned(), digest: None, files: BTreeMap::new(), products: None };
        let header = Header {
            format: FORMAT,
            program: String::new(),
            digest: definition.digest(),
            definition,
            players: ["ann", "bob"].map(player).to_vec(),
            shard: None,
        };
        let ledger = Ledger::new(header).unwrap_or_else(|error| panic!("{error}"));
        let schedule = Schedule::new(&self.tournament);
        let results = Results::default();
        self.listener.begin(&ListenerContext {
            schedule: &schedule,
            results: &results,
            ledger: &ledger,
            spare_cpus: &[],
        });
        self.turn();
    }

    fn tell(&mut self, event: &Event) {
        match event {
            Event::Started { .. } | Event::Moved { .. } => {
                assert!(self.listener.queue().expect("it wants moves").put(event));
            }
            event => self.listener.tell(event),
        }
    }

    /// Plays the first moves of the game `id`.
    fn play(&mut self, id: &str, players: [&str; 2]) {
        let game = GameId::from_text(id);
        let players = BySeat::from_fn(2, |seat| players[seat.index()].to_owned());
        self.tell(&Event::Started { game: game.clone(), players, opening: Vec::new() });
        for (ply, played) in [(1, "c3"), (2, "d3")] {
            let played = played.parse().expect("a move");
            self.tell(&Event::Moved { game: game.clone(), ply, played, left: None });
        }
        self.turn();
    }

    /// Ends the game `id` with the tags `end`. Its log is written first, as in a run.
    fn end(&mut self, (id, number): (&str, u64), [black, white]: [&str; 2], end: &str) {
        let result = if end.contains("void") { "*" } else { "0-1" };
        let text = format!(
            "[Black \"{black}\"]\n[White \"{white}\"]\n[Round \"1\"]\n[Result \"{result}\"]\n{end}\n\n1. c3 d3 {result}\n"
        );
        std::fs::write(self.dir.path().join(format!("games/{id}.log")), &text).expect("written");
        let record: LoggedGame = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let outputs = BySeat::from_fn(2, |_| BotOutput::default());
        let (game, record) = (GameId::from_text(id), Box::new(record));
        self.tell(&Event::Ended(Ended { game, number, record, outputs, again: None }));
        self.turn();
    }

    async fn ask(&self, path: &str) -> (StatusCode, String, Response<AnswerBody>) {
        let request = Request::builder().uri(path).header("host", "127.0.0.1");
        let mut answer = self.site.answer(request.body(AnswerBody::Whole(None)).expect("a request")).await;
        let mut text = Vec::new();
        match answer.body_mut() {
            AnswerBody::Whole(bytes) => text.extend(bytes.take().unwrap_or_default()),
            AnswerBody::Stream(events) => {
                // The first event says when to reconnect, and the second one contains the state.
                for _ in 0..2 {
                    text.extend(events.recv().await.expect("an event"));
                }
            }
        }
        (answer.status(), String::from_utf8(text).expect("UTF-8"), answer)
    }

    /// The answer to each of [`PATHS`].
    async fn all(&self) -> Vec<(&'static str, StatusCode, String)> {
        let mut all = Vec::new();
        for path in PATHS {
            let (status, text, _) = self.ask(path).await;
            all.push((path, status, text));
        }
        all
    }

    /// Lets `time` pass and the page process the events that are due, and then requests [`PATHS`].
    async fn after(&mut self, time: Duration) -> Vec<(&'static str, StatusCode, String)> {
        advance(time).await;
        self.turn();
        self.all().await
    }
}

/// The paths whose answers differ.
fn changed(
    before: &[(&'static str, StatusCode, String)],
    after: &[(&'static str, StatusCode, String)],
) -> Vec<&'static str> {
    let differ = before.iter().zip(after).filter(|(before, after)| before != after);
    differ.map(|(_, (path, ..))| *path).collect()
}

const WON: &str = "[Margin \"2\"]\n[Termination \"normal\"]";
const VOID: &str = "[Termination \"void\"]\n[Reason \"no port\"]";
const FIRST: [&str; 2] = ["ann", "bob"];
const SECOND: [&str; 2] = ["bob", "ann"];

/// Runs `test` in a context in which local tasks can be spawned.
async fn locally(test: impl Future<Output = ()>) {
    LocalSet::new().run_until(test).await;
}

#[tokio::test(start_paused = true)]
async fn no_path_tells_anything_before_its_time() {
    locally(async {
        let mut page = BehindPage::new(DELAY, &["https://club.example"]);
        page.turn();
        let before = page.all().await;
        page.begin();
        page.play("r1-ann-bob", FIRST);
        assert_eq!(changed(&before, &page.after(ALMOST).await), [""; 0], "the start of a game");
        let started = page.after(MOMENT).await;
        // The page itself changes with its standings. No game has ended, so the games' own paths do not change.
        assert_eq!(changed(&before, &started), ["/", "/state", "/events"]);
        assert!(started[1].2.contains("\"ply\":2") && started[1].2.contains("\"delay_s\":30"), "{}", started[1].2);

        page.end(("r1-ann-bob", 0), FIRST, WON);
        assert_eq!(changed(&started, &page.after(ALMOST).await), ["/state", "/events"], "the clocks of the game go on");
        let still = page.all().await;
        assert!(still[1].2.contains("\"done\":0") && !still[1].2.contains("wins"), "{}", still[1].2);
        assert_eq!(still[3].1, StatusCode::NOT_FOUND);
        let ended = page.after(MOMENT).await;
        assert_eq!(changed(&still, &ended), ["/", "/state", "/events", "/game/r1-ann-bob"], "results and standings");
        assert!(ended[1].2.contains("\"done\":1") && ended[3].2.contains("r1-ann-bob"), "{}", ended[3].2);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_log_of_the_next_try_of_a_void_game_is_not_told_early() {
    locally(async {
        let mut page = BehindPage::new(DELAY, &[]);
        page.begin();
        page.end(("r1-ann-bob", 0), FIRST, VOID);
        page.after(DELAY).await;
        assert!(page.ask("/state").await.1.contains("void, through no player's fault"));
        assert_eq!(page.ask("/game/r1-ann-bob").await.0, StatusCode::NOT_FOUND);
        page.end(("r1-ann-bob", 0), FIRST, WON);
        page.after(ALMOST).await;
        assert_eq!(page.ask("/game/r1-ann-bob").await.0, StatusCode::NOT_FOUND);
        page.after(MOMENT).await;
        assert_eq!(page.ask("/game/r1-ann-bob").await.0, StatusCode::OK);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_run_is_told_when_everything_before_has_been_shown() {
    locally(async {
        let mut page = BehindPage::new(DELAY, &[]);
        page.begin();
        page.end(("r1-ann-bob", 0), FIRST, WON);
        advance(Duration::from_secs(20)).await;
        page.end(("r1-bob-ann", 1), SECOND, WON);
        page.listener.close();
        assert!(page.turn());
        page.after(Duration::from_secs(10)).await;
        assert!(page.ask("/state").await.1.contains("\"done\":1"));
        page.after(Duration::from_millis(19_999)).await;
        assert!(page.turn() && page.ask("/state").await.1.contains("\"done\":1"));
        advance(MOMENT).await;
        assert!(!page.turn(), "that was all");
        assert!(page.ask("/state").await.1.contains("\"done\":2"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn moves_beyond_the_bound_are_dropped_and_no_end_is() {
    let mut page = BehindPage::new(DELAY, &[]);
    page.begin();
    page.play("r1-ann-bob", FIRST);
    let played = "e5".parse().expect("a move");
    let mut put = 0;
    while put < 101_000 {
        for ply in 0..1000 {
            page.tell(&Event::Moved { game: GameId::from_text("r1-ann-bob"), ply: 50 + ply, played, left: None });
        }
        put += 1000;
        page.turn();
    }
    for number in 0..1100 {
        page.end((&format!("r{number}-ann-bob"), number), FIRST, WON);
    }
    advance(DELAY).await;
    page.turn();
    let state = page.site.hub.snapshot();
    let state: serde_json::Value = serde_json::from_slice(&state).expect("JSON");
    assert_eq!(state["progress"]["done"], 1100);
    let missed = state["progress"]["missed"].as_u64().expect("a number");
    assert!((1000..3000).contains(&missed), "{missed}");
}

#[tokio::test]
async fn only_one_page_can_be_in_a_frame_and_only_of_the_origins_that_the_user_names() {
    locally(async {
        let page = BehindPage::new(Duration::ZERO, &["https://club.example", "http://127.0.0.1:8000"]);
        for path in ["/", "/state", "/events", "/overlay", "/healthz", "/nothing", "/value", "/embed"] {
            let (_, text, answer) = page.ask(path).await;
            let header = |name| answer.headers().get(name).map(|value| value.to_str().expect("text").to_owned());
            let policy = header(header::CONTENT_SECURITY_POLICY).expect("a policy");
            let (frames, option) = match path {
                "/embed" => ("; frame-ancestors https://club.example http://127.0.0.1:8000", None),
                _ => ("; frame-ancestors 'none'", Some("DENY".to_owned())),
            };
            assert!(policy.ends_with(frames) && policy.starts_with("default-src 'none'; "), "{path}: {policy}");
            assert_eq!(header(header::X_FRAME_OPTIONS), option, "{path}");
            let is_page = ["/", "/overlay", "/embed"].contains(&path);
            assert_eq!(text.starts_with("<!DOCTYPE html>"), is_page, "{path}");
        }
        let alone = BehindPage::new(Duration::ZERO, &[]);
        assert_eq!(alone.ask("/embed").await.0, StatusCode::NOT_FOUND);
        assert_eq!(alone.ask("/overlay").await.0, StatusCode::OK);
    })
    .await;
}

#[tokio::test]
async fn a_question_about_moves_is_checked_and_answered() {
    locally(async {
        let page = BehindPage::new(Duration::ZERO, &[]);
        for (query, said) in [
            ("", "`reader` is missing"),
            ("?moves=c3", "`reader` is missing"),
            ("?reader=%3Cb%3E&moves=c3", "`reader` is missing"),
            ("?reader=a", "`moves` is missing"),
            ("?reader=a&moves=%zz", "`moves` is missing"),
            ("?reader=a&moves=c3,c3", "not legal"),
            ("?reader=a&moves=pass,pass,c3", "not legal"),
            ("?reader=a&moves=z9", "not legal"),
        ] {
            let (status, text, _) = page.ask(&format!("/value{query}")).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{query}");
            assert!(text.contains(said), "{query}: {text}");
        }
        let tried = Rc::clone(page.site.tried.as_ref().expect("questions"));
        let answered = async {
            let moves = loop {
                let next = tried.borrow_mut().next(page.site.hub.at());
                match next {
                    Some(moves) => break moves,
                    None => tokio::task::yield_now().await,
                }
            };
            assert_eq!(moves.iter().map(ToString::to_string).collect::<Vec<_>>(), ["c3", "d3"]);
            tried.borrow_mut().found(Some(Outcome::of_margin(-3)));
        };
        let ((status, text, _), ()) = tokio::join!(page.ask("/value?reader=a&moves=c3%2Cd3"), answered);
        assert_eq!((status, text.as_str()), (StatusCode::OK, r#"{"margin":-3,"winner":"white"}"#));
        let without = PageSite { tried: None, ..page.site.clone() };
        let request = Request::builder().uri("/value?reader=a&moves=c3").header("host", "127.0.0.1");
        let answer = without.answer(request.body(AnswerBody::Whole(None)).expect("a request")).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "only with --web-analysis");
    })
    .await;
}
