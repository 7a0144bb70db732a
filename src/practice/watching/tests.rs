//! Servers that only send a few lines, and screens that are only buffers.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::num::NonZeroUsize;
use std::time::Duration;

use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;

use super::*;
use crate::practice::screen_loop::{ScreenEnd, ScreenView};
use crate::practice::screen_text::ScreenLook;

const PATIENCE: Duration = Duration::from_mins(1);

/// A server that accepts one client, sends `text` and waits until the client has gone.
fn serving(text: &str) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let (address, text) = (listener.local_addr().expect("an address"), text.to_owned());
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a client");
        client.write_all(text.as_bytes()).expect("a client that reads");
        let _ = client.read_to_end(&mut Vec::new());
    });
    address
}

/// Lets `view` process everything until `is_enough` returns `true` for its contents, or until `view` fails.
fn until_enough<V: ScreenView>(view: &mut V, is_enough: impl Fn(&str) -> bool) -> Result<String, String> {
    loop {
        view.collect().map_err(|error| error.to_string())?;
        let text = shown(view, 80, 24);
        if is_enough(&text) {
            return Ok(text);
        }
    }
}

fn shown(view: &impl ScreenView, width: u16, height: u16) -> String {
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    view.draw(ScreenLook { unicode: false, colours: false }, &mut buffer);
    let rows = buffer.content().chunks(usize::from(width));
    rows.map(|cells| cells.iter().map(Cell::symbol).collect::<String>() + "\n").collect()
}

fn press(view: &mut impl ScreenView, key: char) -> Option<ScreenEnd> {
    view.press(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE))
}

#[test]
fn a_game_of_a_server_is_on_the_screen_of_replays() {
    let lines = "000 Gothello 0.9.1 server is ready\r\n101 60 50 Request accepted\r\n342 \"an\u{1b}n\" is black\r\n353 The game \
                 starts\r\n313 1 c3 49 (secs) is the black move, game continues\r\n381 1 60 49 w\r\n382\r\n.....\r\n.....\r\n..b..\r\n\
                 .....\r\n.....\r\n999 \u{1b}[2J what is this\r\n";
    let address = serving(lines);
    let mut watch =
        ServerWatch::connect(("127.0.0.1", address.port()), None, PATIENCE, NonZeroUsize::MIN).expect("a server");
    let text = until_enough(&mut watch, |text| text.contains("what is this")).expect("a game");
    assert!(text.contains("ply 1/1: 1. c3") && text.contains("0:49.0") && !text.contains('\u{1b}'), "{text}");
    for (width, height) in [(80, 24), (40, 16), (20, 3), (1, 1), (200, 60)] {
        shown(&watch, width, height);
    }
    press(&mut watch, 'y');
    assert!(shown(&watch, 80, 24).contains("solve --board \""), "{}", shown(&watch, 80, 24));
    assert_eq!(press(&mut watch, 'q'), Some(ScreenEnd::Left));
}

#[test]
fn a_server_without_a_greeting_is_given_up() {
    let address = serving("");
    let mut watch =
        ServerWatch::connect(("127.0.0.1", address.port()), None, Duration::ZERO, NonZeroUsize::MIN).expect("a server");
    let failed = until_enough(&mut watch, |_| false);
    assert_eq!(failed, Err("the server sent no greeting".to_owned()));
}

#[test]
fn a_live_page_is_on_the_screen() {
    let state = r#"{"page":{"title":"Cup","ruleset":"gothello","players":[{"n":"ann","rank":1,"elo":120},{"n":"bo","rank":2,
        "elo":-120}],"games":[]},"seq":3,"now":[{"slot":0,"id":"r1-ann-bo","black":0,"white":1,
        "board":"b........................","ply":1,"left":["59","60"],"last":"a5"},{"slot":2,"id":"r1-bo-ann","black":1,
        "white":0,"board":".........................","ply":0,"left":[]}],"log":[{"text":"it begins"}],
        "progress":{"done":3,"total":60}}"#;
    let state = state.replace('\n', " ");
    let answer = format!(
        "HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 1000\n\nevent: state\nid: a-3\ndata: {state}\n\n"
    );
    let address = serving(&answer);
    let mut watch = LivePageWatch::open("127.0.0.1", address.port(), "/", PATIENCE).expect("a page");
    let text = until_enough(&mut watch, |text| text.contains("Cup")).expect("a state");
    for part in ["3/60 games", "game 1 of 2: r1-ann-bo", "black ann 59", "5(b)", "1 ann +120", "it begins"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    press(&mut watch, ']');
    assert!(shown(&watch, 80, 24).contains("game 2 of 2: r1-bo-ann"));
    for (width, height) in [(40, 16), (20, 3), (1, 1), (200, 60)] {
        shown(&watch, width, height);
    }
    assert_eq!(press(&mut watch, 'q'), Some(ScreenEnd::Left));
}

#[test]
fn a_page_that_is_none_or_ends_early_is_given_up() {
    for (answer, expected) in [
        ("HTTP/1.0 403 Forbidden\r\n\r\n", "the page answered `HTTP/1.0 403 Forbidden`"),
        ("HTTP/1.0 404 Not Found\r\n\r\n", "404 Not Found`; open a ladder's page in a browser"),
        ("000 Gothello 0.9.1 server is ready\r\n", "the page answered `000 Gothello"),
        ("HTTP/1.0 200 OK\r\n\r\nevent: state\ndata: {}\n\n", "this is not the live page of a run"),
    ] {
        let address = serving(answer);
        let mut watch = LivePageWatch::open("127.0.0.1", address.port(), "/", PATIENCE).expect("a page");
        let failed = until_enough(&mut watch, |_| false).expect_err("no page");
        assert!(failed.contains(expected), "{failed}");
    }
    let address = serving("");
    let mut watch = LivePageWatch::open("127.0.0.1", address.port(), "/", Duration::ZERO).expect("a page");
    assert_eq!(until_enough(&mut watch, |_| false), Err("the page sent nothing".to_owned()));
}
