//! The live page: it shows a run, refuses some requests, and changes nothing.

pub(crate) mod client;
mod lingering;
mod values;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::harness::arena::{Arena, Client, Running, carol, random_and_greedy, text};
use crate::harness::on_terminal::OnTerminal;
use crate::harness::waiting::{is_refused, until};
use client::{Heard, Page};

/// A tournament with a player whose moves the test sends, and a built-in player as its opponent.
const WITH_CAROL: &str = concat!("time = \"60s\"\n", carol!(), "[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n");

/// Starts the tournament with a live page and the further arguments `args`.
fn start(arena: &Arena, args: &[&str]) -> (Running, Page) {
    let words = ["run", "class.toml", "--out", "out", "--isolation", "off", "--web", "127.0.0.1:0"];
    let mut command = arena.command(&[&words[..], args].concat());
    let mut running = Arena::started(command.stdout(Stdio::piped()));
    let page = Page::said(&running.hear("the live page is at"));
    (running, page)
}

/// Connects as carol, and waits until her game as `side` has begun.
fn carol(running: &mut Running, side: &str) -> Client {
    let address = running.hear_address("waiting for carol");
    let mut carol = Client::connect(&address, &format!("0.9.1 player {side} \"carol:a word of hers\""));
    carol.hear("35");
    carol
}

fn frame_with(name: &'static str) -> impl Fn(&Heard) -> bool {
    move |heard| heard.name == "frame" && heard.data[name].as_array().is_some_and(|values| !values.is_empty())
}

#[test]
fn a_page_shows_the_game_that_is_played_and_its_events_end_with_the_run() {
    let arena = Arena::new(WITH_CAROL);
    let (mut running, page) = start(&arena, &[]);
    let document = page.get("/");
    assert!(document.body.starts_with("<!DOCTYPE html>") && document.body.contains("data-kind=\"live\""));
    let mut events = page.events(None);
    let first = events.next().expect("an event");
    assert_eq!((first.name.as_str(), &first.data["page"]["title"]), ("state", &json!("class")));
    assert_eq!(first.data["page"]["players"][0]["n"], "carol");

    let mut carol = self::carol(&mut running, "black");
    let shown = events.until(frame_with("on"));
    let board = &shown.data["on"][0];
    assert_eq!((&board["id"], &board["slot"], &board["to"]), (&json!("r1-carol-greedy"), &json!(0), &json!("b")));
    carol.say("1 c3\r\n");
    let moved = events.until(|heard| frame_with("on")(heard) && heard.data["on"][0]["ply"].as_u64() >= Some(2));
    assert_eq!(moved.data["on"][0]["board"].as_str().map(|board| board.chars().nth(12)), Some(Some('b')));
    let now = &page.state()["now"][0];
    assert_eq!((&now["ply"], &now["run"], &now["behind"]), (&json!(2), &json!(true), &json!(false)));

    // A client that reconnects gets the events that it missed, and a client of another run gets all events.
    assert_eq!(page.events(Some(&shown.id)).next().map(|heard| heard.name).as_deref(), Some("frame"));
    assert_eq!(page.events(Some("1-1")).next().map(|heard| heard.name).as_deref(), Some("state"));

    carol.say("2 resign\r\n");
    drop(carol);
    let done = events.until(frame_with("done"));
    assert_eq!(done.data["done"][0][10], "r1-carol-greedy");
    assert_eq!(done.data["off"], json!([0]));
    let game = page.get("/game/r1-carol-greedy").json();
    assert!(game[6].as_str().is_some_and(|moves| moves.starts_with('M')), "{game}");
    assert_eq!(page.get("/game/r1-greedy-carol").status, 404, "the game has not ended");

    let mut second = self::carol(&mut running, "white");
    second.hear("31");
    second.say("1 ... resign\r\n");
    drop(second);
    let last = std::iter::from_fn(|| events.next()).last().expect("an end");
    assert_eq!(last.name, "end");
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    assert!(is_refused(page.0), "the page ends with the run");
}

#[test]
fn a_page_is_watched_on_a_terminal_until_the_run_ends() {
    let arena = Arena::new(WITH_CAROL);
    let (mut running, page) = start(&arena, &[]);
    let address = format!("http://{}", page.0);
    let mut screen = OnTerminal::start(arena.path(), &["watch", &address], (80, 24), "C.UTF-8");
    screen.see("0/2 games");
    let mut carol = self::carol(&mut running, "black");
    carol.say("1 c3\r\n");
    screen.see("game 1 of 1: r1-carol-greedy");
    screen.see("●");
    carol.say("2 resign\r\n");
    drop(carol);
    screen.see("1/2 games");
    let mut second = self::carol(&mut running, "white");
    second.hear("31");
    second.say("1 ... resign\r\n");
    drop(second);
    screen.see("the run is over");
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    screen.press("q");
    screen.assert_ends(0);
}

/// A tournament of built-in bots; its seed determines all games.
const ALIKE: &str = concat!("seed = 7\nrounds = 3\n", random_and_greedy!());

/// The games' moves and results, and the standings.
fn outcome(arena: &Arena, standings: &str) -> (Vec<String>, String) {
    let mut games: Vec<String> = arena
        .results()
        .iter()
        .map(|row| ["game", "winner", "margin", "termination", "moves_sha256"].map(|key| row[key].clone()).join(" "))
        .collect();
    games.sort();
    (games, standings.to_owned())
}

#[test]
fn a_run_has_the_same_results_with_a_page_and_without() {
    let (alone, shown) = (Arena::new(ALIKE), Arena::new(ALIKE));
    let printed = alone.run(&[]);
    let (running, page) = start(&shown, &[]);
    // This client never reads.
    let mut deaf = page.connect();
    deaf.write_all(format!("GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", page.0).as_bytes()).expect("sent");
    let (code, stderr) = running.end();
    assert_eq!(code, Some(0), "{stderr}");
    let standings = shown.output(&["standings", "out"]);
    assert_eq!(outcome(&shown, &text(&standings.stdout)), outcome(&alone, &text(&printed.stdout)));
    assert_eq!(outcome(&shown, "").0.len(), 6);
}

#[test]
fn a_page_that_goes_on_after_an_interruption_shows_the_whole_run() {
    let arena = Arena::new(WITH_CAROL);
    let (mut running, page) = start(&arena, &[]);
    let mut carol = self::carol(&mut running, "black");
    let mut events = page.events(None);
    carol.say("1 resign\r\n");
    drop(carol);
    let heard = events.until(frame_with("done"));
    running.signal(rustix::process::Signal::KILL);
    drop(running.end());

    let (running, page) = start(&arena, &[]);
    // The id of the last event is from the other run, so the client gets the state, and then the following events.
    page.events(Some(&heard.id)).until(|heard| heard.data["progress"]["done"] == 1);
    assert_eq!(page.state()["page"]["games"][0][2], 1);
    assert_eq!(page.get("/game/r1-carol-greedy").json()[10], "r1-carol-greedy");
    let log = page.state()["log"].as_array().cloned().unwrap_or_default();
    let told = log.iter().find(|line| line["game"] == "r1-carol-greedy").map(|line| line["text"].clone());
    assert_eq!(told, Some(json!("greedy beats carol (resignation)")), "{log:?}");
    drop(running);
}

#[test]
fn requests_that_do_not_belong_here_are_refused() {
    let arena = Arena::new(WITH_CAROL);
    let (mut running, page) = start(&arena, &["--web-host", "arena.example.edu"]);
    for good in [page.0.to_string().as_str(), "localhost:1", "[::1]", "beamer.local", "arena.example.edu"] {
        assert_eq!(page.request("GET", "/healthz", good).status, 200, "{good}");
    }
    for evil in ["evil.example", "localhost.evil.example", "arena.example.edu.evil.example", "x@localhost"] {
        for path in ["/", "/state", "/events", "/healthz", "/nowhere"] {
            let answer = page.request("GET", path, evil);
            assert_eq!(answer.status, 403, "{evil} {path}");
            assert!(answer.body.contains("`--web-host NAME`"), "{answer:?}");
        }
    }
    let host = format!("Host: {}\r\n", page.0);
    for (request, status) in [
        ("GET /healthz HTTP/1.1\r\n\r\n".to_owned(), 403),
        (format!("GET /healthz HTTP/1.1\r\n{host}Host: evil.example\r\n\r\n"), 403),
        (format!("GET http://evil.example/healthz HTTP/1.1\r\n{host}\r\n"), 403),
        (format!("POST / HTTP/1.1\r\n{host}Content-Length: 1\r\n\r\nx"), 405),
        (format!("PUT /state HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("DELETE /game/r1-carol-greedy HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("OPTIONS * HTTP/1.1\r\n{host}\r\n"), 405),
        (format!("GET /../.. HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET /game/../../class.toml HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET /game/..%2f..%2fjournal.jsonl HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET /game/r1-carol-greedy HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET /journal.jsonl HTTP/1.1\r\n{host}\r\n"), 404),
        (format!("GET / HTTP/1.1\r\n{host}X: {}\r\n\r\n", "x".repeat(1 << 20)), 431),
        (format!("GET /{} HTTP/1.1\r\n{host}\r\n", "x".repeat(9000)), 414),
        ("nonsense\r\n\r\n".to_owned(), 400),
    ] {
        let line = request.lines().next().unwrap_or_default().chars().take(60).collect::<String>();
        // If a connection still has unread bytes, its reset may overtake the answer.
        let Some(answer) = page.ask(request.as_bytes()) else {
            assert!(status == 431 || status == 414, "{line}: no answer");
            continue;
        };
        assert!(answer.status == status || (status == 414 && answer.status == 431), "{line}: {answer:?}");
    }
    let answer = page.get("/state");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'sha256-",
        "connect-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
        "cross-origin-resource-policy: same-origin",
        "x-frame-options: deny",
    ] {
        assert!(answer.head.contains(header), "{header}: {}", answer.head);
    }
    assert!(!answer.head.contains("access-control"), "{}", answer.head);
    let head = page.request("HEAD", "/", &page.0.to_string());
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert!(head.head.contains("content-length: "), "{}", head.head);
    // None of these requests has reached the run.
    drop(self::carol(&mut running, "black"));
}

#[test]
fn clients_beyond_the_places_are_turned_away_and_the_run_goes_on() {
    let arena = Arena::new(WITH_CAROL);
    let (mut running, page) = start(&arena, &["--web-clients", "2"]);
    // Two clients that never finish their requests keep their places for five seconds.
    let slow: Vec<_> = (0..2)
        .map(|_| {
            let mut stream = page.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").expect("sent");
            stream
        })
        .collect();
    for _ in 0..10_000 {
        // It does not matter whether this connection succeeds.
        drop(page.connect());
    }
    let mut carol = self::carol(&mut running, "black");
    carol.say("1 resign\r\n");
    running.hear("r1-carol-greedy");
    for mut stream in slow {
        let mut rest = Vec::new();
        // These clients are disconnected without an answer, or with an answer that contains the reason.
        let _ = stream.read_to_end(&mut rest);
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    }
    let answer = until("an answer from the page once it has room again", || {
        // Some of the refused connections may still exist.
        let answer = page.ask(format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", page.0).as_bytes());
        answer.filter(|answer| answer.status != 503)
    });
    assert_eq!(answer.status, 200);
}

#[test]
fn one_client_too_many_is_told_so() {
    let arena = Arena::new(WITH_CAROL);
    let (_running, page) = start(&arena, &["--web-clients", "1"]);
    let mut events = page.events(None);
    assert_eq!(events.next().map(|heard| heard.name).as_deref(), Some("state"));
    let mut told = String::new();
    page.connect().read_to_string(&mut told).expect("the page ends the connection in time");
    assert!(told.starts_with("HTTP/1.1 503 ") && told.ends_with("\r\n\r\nthe page is busy; please retry\n"), "{told}");
    let (head, body) = told.split_once("\r\n\r\n").expect("a head");
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
}

#[test]
fn an_address_that_cannot_be_had_ends_the_run_before_its_first_game() {
    let arena = Arena::new(ALIKE);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    for (args, why) in [
        (&["--web", address.as_str()][..], "could not listen on 127.0.0.1:"),
        (&["--web", "0.0.0.0:0"], "add --web-public to allow this"),
        (&["--web", "192.0.2.1:0", "--web-public"], "could not listen on 192.0.2.1:0"),
        (&["--web", "127.0.0.1:0", "--web-host", "http://a"], "is not a host name"),
        (&["--web", "class"], "a tournament file must come before --web"),
        (&["--web", "other.toml"], "put it before --web, as in `run other.toml --web`"),
        (&["--web-analysis"], "--web"),
        (&["--web-public"], "--web"),
        (&["--web", "127.0.0.1:0", "--web-clients", "0"], "1 or more"),
        (&["--web", "127.0.0.1:0", "--web-delay", "2h"], "must be between 1s and 1h"),
        (&["--web", "127.0.0.1:0", "--web-delay", "soon"], "not a duration"),
        (&["--web-delay", "30s"], "--web"),
        (&["--web", "127.0.0.1:0", "--web-embed", "https://*.example.edu"], "not an origin"),
        (&["--web", "127.0.0.1:0", "--web-embed", "https://example.edu/page"], "write the scheme and the host"),
        (&["--web-embed", "https://example.edu"], "--web"),
    ] {
        let output = arena.run(args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(why), "{args:?}: {stderr}");
        assert!(!arena.out().exists(), "{args:?}");
    }
}

#[test]
fn the_page_of_a_ladder_is_not_behind_and_has_no_boards_to_show_in_frames() {
    let arena = Arena::new(concat!("format = \"ladder\"\n[ladder]\nactive = 2\n", random_and_greedy!()));
    for option in [["--web-delay", "30s"], ["--web-embed", "https://example.edu"]] {
        let output = arena.run(&["--web", "127.0.0.1:0", option[0], option[1]]);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("do not apply to a ladder") && !arena.out().exists(), "{stderr}");
    }
}

#[test]
fn an_anonymous_page_names_nobody_and_the_report_uses_the_same_names() {
    let arena = Arena::new(concat!("name = \"greedy and others\"\n", "seed = 7\n", random_and_greedy!()));
    let (mut running, page) = start(&arena, &["--anonymous", "--web-linger"]);
    running.hear("the live page stays");
    page.events(None).until(|heard| heard.name == "end");
    let state = page.get("/state");
    let id = state.json()["page"]["games"][0][10].as_str().map(str::to_owned);
    let players: Vec<String> = [0, 1]
        .map(|player: usize| state.json()["page"]["players"][player]["s"].as_str().expect("a slug").to_owned())
        .into();
    let id = id.unwrap_or_else(|| format!("r1-{}-{}", players[0], players[1]));
    let game = page.get(&format!("/game/{id}"));
    assert_eq!(game.status, 200, "{id}");
    // The script is left out, because it contains `getRandomValues`.
    let document = page.get("/").body;
    for text in [state.body.as_str(), &game.body, document.split("<script>").next().expect("markup")] {
        for name in ["random", "greedy"] {
            assert!(!text.to_lowercase().contains(name), "{name}: {text}");
        }
    }
    assert_eq!(page.get("/game/r1-random-greedy").status, 404);
    running.signal(rustix::process::Signal::INT);
    assert_eq!(running.end().0, Some(0));
    let aliases = std::fs::read_to_string(arena.out().join("aliases.json")).expect("written");
    let report = arena.output(&["report", "out", "--anonymous", "--analysis", "none"]);
    assert!(report.status.success(), "{}", text(&report.stderr));
    assert_eq!(std::fs::read_to_string(arena.out().join("aliases.json")).expect("there"), aliases);
}

#[test]
fn games_at_the_referee_are_shown_too() {
    let arena = Arena::new("");
    let mut command = arena.command(&["serve", "--port", "0", "--web", "0", "--web-linger", "--time", "60s"]);
    let mut running = Arena::started(command.stdout(Stdio::piped()));
    let line = running.hear("listening on");
    let address = crate::harness::arena::address(&line).to_owned();
    let page = Page::said(&running.hear("the live page is at"));
    let mut events = page.events(None);
    let mut black = Client::connect(&address, "0.9.1 player black \"<b>Ann\"");
    let mut white = Client::connect(&address, "0.9.1 player white \"<b>Ann\"");
    black.hear("352");
    white.hear("351");
    let begun = events.until(frame_with("on"));
    assert_eq!(begun.data["on"][0]["id"], "game-1");
    black.say("1 c3\r\n");
    let moved = events.until(|heard| frame_with("on")(heard) && heard.data["on"][0]["ply"] == 1);
    assert_eq!(moved.data["on"][0]["to"], "w");
    white.say("1 ... resign\r\n");
    events.until(frame_with("done"));
    let game: Value = page.get("/game/game-1").json();
    assert_eq!((&game[3], &game[6]), (&json!(0), &json!("M")));
    let state = page.state();
    let names = [0, 1].map(|player: usize| state["page"]["players"][player]["n"].clone());
    assert_eq!(names, ["<b>Ann (black)", "<b>Ann (white)"].map(Value::from));
    running.hear("the live page stays");
    running.signal(rustix::process::Signal::TERM);
    assert_eq!(running.end().0, Some(0));
}
