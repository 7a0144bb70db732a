//! Tests with a client whose connection consists of bytes in memory.

use super::*;
use crate::game::Side;
use crate::game::gothello::Game;
use crate::referee::uneven::Uneven;

fn start() -> Game {
    Game::default()
}

/// Lines that arrive one at a time.
struct OneByOne<'a>(std::slice::Iter<'a, &'a str>);

impl Read for OneByOne<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(line) = self.0.next() else { return Ok(0) };
        let line = format!("{line}\r\n");
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

fn first_besides(game: &Game, refused: &[Move]) -> Move {
    *game.legal_moves().iter().find(|legal| !refused.contains(legal)).expect("a move that is not refused")
}

/// Runs a client that plays the first legal move not yet refused, with a referee that sends `lines`. Returns what the
/// client sends and how it disconnects.
fn hear(wish: SeatWish, lines: &[&str]) -> (String, Result<(), ClientError>) {
    let mut sent = Vec::new();
    let end = play(
        start(),
        RefereeStream { input: OneByOne(lines.iter()), output: &mut sent },
        &hello(Ruleset::Gothello, wish, None),
        |game, _, refused| first_besides(game, refused),
    );
    (String::from_utf8(sent).unwrap(), end)
}

fn message(side: Side, lines: &[&str]) -> String {
    hear(SeatWish::Only(side.into()), lines).1.unwrap_err().to_string()
}

#[test]
fn a_greeting_is_heard_for_its_rule_set_and_then_again() {
    for (line, named) in [
        (GREETING, Some("gothello")),
        ("000 Gothello 0.9.1 seegover cycle=superko drop=2 is ready", Some("seegover cycle=superko drop=2")),
        ("100 fine", None),
    ] {
        let arrived = format!("{line}\r\n352 black\r\n");
        let stream = RefereeStream { input: arrived.as_bytes(), output: io::sink() };
        let (ruleset, mut again) = greeting(stream).unwrap();
        assert_eq!(ruleset.map(|ruleset| ruleset.to_string()).as_deref(), named);
        let mut heard = String::new();
        again.input.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, arrived);
    }
}

const GREETING: &str = "000 Gothello 0.9.1 hello";

#[test]
fn black_moves_once_a_turn_and_skips_what_it_hears_of_itself() {
    let lines = [GREETING, "100 fine", "352 black", "200 ok", "311 1 a1 is black move", "312 1 ... c3 is white move"];
    let (sent, end) = hear(SeatWish::Only(Side::Black.into()), &[&lines[..], &["200 ok", "327 black wins"]].concat());
    assert_eq!(sent, "0.9.1 player black\r1 a1\r2 b1\r");
    assert!(end.is_ok());
}

#[test]
fn white_waits_for_black_and_understands_clocks_and_passes() {
    let lines = [
        GREETING,
        "101 60 60 (you / opp)",
        "342 \"somebody\"",
        "351 white",
        "317 1 pass 58 (secs) is black move",
        "207 59 secs remaining",
        "314 1 ... a1 59 (secs)",
        "313 2 c3 57 (secs)",
        "361 Black wins by White time expiring",
    ];
    let (sent, end) = hear(SeatWish::Only(Side::White.into()), &lines);
    assert_eq!(sent, "0.9.1 player white\r1 ... a1\r2 ... b1\r");
    assert!(end.is_ok());
}

#[test]
fn plies_that_nobody_made_at_the_table_are_followed() {
    let lines = [GREETING, "100 fine", "351 white", "311 1 a1 x", "312 1 ... b1 x", "311 2 c1 x", "391 gone"];
    // The move for the first turn was sent before the opening was known; the next move is for the current board.
    assert_eq!(hear(SeatWish::Any, &lines).0, "0.9.1 player ?\r1 ... b1\r2 ... d1\r");
}

#[test]
fn an_opening_that_comes_with_the_start_is_heard_before_the_first_move() {
    for (start, request) in
        [("352 black\r\n311 1 a1 x\r\n312 1 ... b1 x\r\n", "2 c1\r"), ("351 white\r\n313 1 a1 60 x\r\n", "1 ... b1\r")]
    {
        let mut sent = Vec::new();
        let hello = hello(Ruleset::Gothello, SeatWish::Any, None);
        let end = play(
            Game::default(),
            RefereeStream { input: start.as_bytes(), output: &mut sent },
            &hello,
            |game, _, _| game.legal_moves()[0],
        );
        assert_eq!(String::from_utf8(sent).unwrap(), request);
        assert!(matches!(end, Err(ClientError::Closed)));
    }
}

#[test]
fn what_has_arrived_in_part_is_waited_for_and_blank_lines_are_not() {
    for (first, then, requests) in [
        ("352 black\r\n311 1 a1", " x\r\n312 1 ... b1 x\r\n", "2 c1\r"),
        ("352 black\r\n \r\n\r\n", "361 Black wins by White time expiring\r\n", "1 a1\r"),
    ] {
        let mut sent = Vec::new();
        let arrivals = first.as_bytes().chain(then.as_bytes());
        let end = play(
            start(),
            RefereeStream { input: arrivals, output: &mut sent },
            &hello(Ruleset::Gothello, SeatWish::Any, None),
            |game, _, _| game.legal_moves()[0],
        );
        assert!(matches!(end, Ok(()) | Err(ClientError::Closed)));
        assert_eq!(String::from_utf8(sent).unwrap(), requests);
    }
}

#[test]
fn a_side_that_moves_twice_in_a_row_is_asked_twice() {
    let lines = [GREETING, "100 fine", "351 white", "311 1 a1 x", "312 1 ... b1 x", "312 2 ... c1 x", "391 gone"];
    let mut sent = Vec::new();
    let hello = hello(Ruleset::Gothello, SeatWish::Any, None);
    let end = play(
        Uneven::default(),
        RefereeStream { input: OneByOne(lines.iter()), output: &mut sent },
        &hello,
        |game, _, _| game.legal_moves()[0],
    );
    assert_eq!(String::from_utf8(sent).unwrap(), "0.9.1 player ?\r1 ... b1\r2 ... c1\r");
    assert!(end.is_ok());
}

/// The dots before white's move if it is white's move that ends the game; nothing for other results.
const fn dots(code: u32) -> &'static str {
    if matches!(code, 323 | 324 | 326) { "... " } else { "" }
}

#[test]
fn every_ending_is_the_end() {
    for code in (201..=204).chain(321..=328).chain([361, 362, 391, 392]) {
        let (_, end) = hear(
            SeatWish::Any,
            &[GREETING, "100 fine", "351 white", &format!("{code} 3 {}pass over", dots(code)), "nonsense"],
        );
        assert!(end.is_ok(), "{code}");
    }
}

#[test]
fn a_connection_that_ends_without_a_result_is_an_error() {
    for heard in 0..4 {
        let (_, end) = hear(SeatWish::Any, &[GREETING, "100 fine", "352 black", "200 ok"][..heard]);
        assert!(matches!(end, Err(ClientError::Closed)), "{heard}");
    }
}

#[test]
fn a_result_is_heard_even_when_the_last_move_could_not_be_sent() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let hello = hello(Ruleset::Gothello, SeatWish::Any, None);
    let lines = "352 black\r\n362 White wins by Black time expiring\r\n";
    assert!(
        play(start(), RefereeStream { input: lines.as_bytes(), output: Gone }, &hello, |_, _, _| Move::PASS).is_ok()
    );
    let end =
        play(start(), RefereeStream { input: "352 black\r\n".as_bytes(), output: Gone }, &hello, |_, _, _| Move::PASS);
    assert!(matches!(end, Err(ClientError::Connection(_))));
}

#[test]
fn errors_say_what_the_referee_said() {
    let start = [GREETING, "100 fine", "352 black"];
    let after = |line: &'static str| message(Side::Black, &[&start[..], &[line]].concat());
    assert_eq!(
        after("312 1 ... a1 x"),
        "the referee reported `312 1 ... a1 x`, but the next move is number 1, by black"
    );
    assert_eq!(after("311 1 z9 x"), "the referee reported an impossible move: `311 1 z9 x`");
    assert_eq!(after("353 observe"), "unexpected line from the referee: `353 observe`");
    assert_eq!(after("+100"), "unexpected line from the referee: `+100`");
    assert_eq!(
        message(Side::White, &[GREETING, "191 no"]),
        "the referee refused the request `0.9.1 player white`: the other player holds that side (`191 no`)"
    );
}

/// Runs a client that plays the first legal move not yet refused, with a referee that sends `start` and then
/// `refusals`. Returns what the client sends and how it disconnects.
fn after_refusals(start: &[&str], refusals: &[&str]) -> (String, Result<(), ClientError>) {
    let (sent, end) = hear(SeatWish::Any, &[&[GREETING, "100 fine"], start, refusals].concat());
    (sent.strip_prefix("0.9.1 player ?\r").expect("a hello").to_owned(), end)
}

const ILLEGAL: &str = "291 Illegal move no";
const GARBLED: &str = "299 Not understood: what?";

#[test]
fn an_illegal_move_is_followed_by_another_of_the_same_turn() {
    let black = ["352 black", ILLEGAL, ILLEGAL, "200 ok", "311 1 c1 x", "312 1 ... c3 x", "200 ok", "391 gone"];
    let (sent, end) = after_refusals(&[], &black);
    assert_eq!(sent, "1 a1\r1 b1\r1 c1\r2 a1\r", "in the next turn, all moves can be tried again");
    assert!(end.is_ok());
    let white = ["351 white", "313 1 a1 60 x", ILLEGAL, "207 59 secs remaining", "314 1 ... c1 59 x", "313 2 c3 58 x"];
    assert_eq!(after_refusals(&white, &[ILLEGAL]).0, "1 ... b1\r1 ... c1\r2 ... b1\r2 ... d1\r");
}

#[test]
fn a_move_that_was_not_understood_is_sent_once_more_and_then_another_is() {
    for (refusals, sent) in [
        (&[GARBLED][..], "1 a1\r1 a1\r"),
        (&[GARBLED, GARBLED], "1 a1\r1 a1\r1 b1\r"),
        (&[GARBLED, ILLEGAL], "1 a1\r1 a1\r1 b1\r"),
        (&[GARBLED, GARBLED, GARBLED], "1 a1\r1 a1\r1 b1\r1 c1\r"),
        (&[ILLEGAL, GARBLED, GARBLED], "1 a1\r1 b1\r1 b1\r1 c1\r"),
    ] {
        assert_eq!(after_refusals(&["352 black"], refusals).0, sent, "{refusals:?}");
    }
    let next_turn = ["200 ok", "311 1 a1 x", "312 1 ... c3 x", GARBLED, "200 ok", "391 gone"];
    let (sent, end) = after_refusals(&["352 black", GARBLED], &next_turn);
    assert_eq!(sent, "1 a1\r1 a1\r2 b1\r2 b1\r", "each turn allows one repetition");
    assert!(end.is_ok());
}

#[test]
fn a_client_leaves_when_every_legal_move_is_refused() {
    let all: Vec<String> = start().legal_moves().iter().map(|legal| format!("1 {legal}\r")).collect();
    let message = "the referee refused the move `1 pass`: `291 Illegal move no`";
    let tried = |refusals: &[&str]| {
        let (sent, end) = after_refusals(&["352 black"], refusals);
        (sent, end.map_err(|error| error.to_string()))
    };
    let closed = Err(ClientError::Closed.to_string());
    assert_eq!(tried(&vec![ILLEGAL; all.len() - 1]), (all.concat(), closed.clone()));
    assert_eq!(tried(&vec![ILLEGAL; all.len()]), (all.concat(), Err(message.to_owned())));
    let repeated = format!("{}{}", all[0], all.concat());
    let garbled_first = [&[GARBLED][..], &vec![ILLEGAL; all.len() - 1]].concat();
    assert_eq!(tried(&garbled_first), (repeated.clone(), closed));
    assert_eq!(tried(&[&garbled_first[..], &[ILLEGAL]].concat()), (repeated, Err(message.to_owned())));
}

#[test]
fn a_refusal_of_a_move_whose_turn_an_opening_took_is_no_refusal_of_the_next_one() {
    for refusal in [ILLEGAL, GARBLED] {
        let opening = ["351 white", "311 1 a1 x", "312 1 ... b1 x", "311 2 c1 x"];
        let then = [refusal, "200 ok", "312 2 ... d1 x", "311 3 a3 x", refusal, "391 gone"];
        let (sent, end) = after_refusals(&opening, &then);
        let again = if refusal == GARBLED { "e1" } else { "a2" };
        assert_eq!(sent, format!("1 ... b1\r2 ... d1\r3 ... e1\r3 ... {again}\r"));
        assert!(end.is_ok());
    }
}

#[test]
fn a_refusal_of_nothing_that_was_sent_is_an_error() {
    let (sent, end) = after_refusals(&["352 black", "200 ok"], &[ILLEGAL]);
    assert_eq!(sent, "1 a1\r");
    assert!(matches!(end, Err(ClientError::MoveRefused { .. })));
}

/// Runs a client that plays the first legal move not yet refused in a game with four seats, like [`hear`].
fn hear_of_four(lines: &[&str]) -> (String, Result<(), ClientError>) {
    let ruleset: Ruleset = "quantum-4p".parse().expect("a rule set");
    let Ruleset::Quantum(rules) = ruleset else { panic!("{ruleset} is a line-up") };
    let mut sent = Vec::new();
    let end = play(
        crate::game::quantum::Game::new(rules),
        RefereeStream { input: OneByOne([&[GREETING], lines].concat().iter()), output: &mut sent },
        &hello(ruleset, SeatWish::Any, None),
        |game, left, refused| {
            assert_eq!(left.is_some(), lines[0].starts_with("102"), "the time is known");
            *game.legal_moves().iter().find(|legal| !refused.contains(legal)).expect("a legal move")
        },
    );
    (String::from_utf8(sent).unwrap().strip_prefix("0.9.2 player ?\r").expect("a hello").to_owned(), end)
}

#[test]
fn a_seat_among_four_moves_after_all_before_it() {
    let lines = [
        "102 60 60 50 60 Request accepted with time controls",
        "348 1 \"alice\" is the player",
        "345 quantum-4p 4 3 is the game, seats, and your seat",
        "354 3 You will play seat 3",
        "332 1 g5 58 (secs) is seat 1 move, game continues",
        "332 1 ... pass 58 (secs) is seat 2 move, game continues",
        "207 49 secs remaining after move h4 accepted, continue playing",
        "332 1 ... ... h4 49 (secs) is seat 3 move, game continues",
        "336 2 1 4 3 is the placing, game over",
        "nonsense",
    ];
    let (sent, end) = hear_of_four(&lines);
    let first = {
        let mut game = "quantum-4p".parse::<Ruleset>().expect("a rule set").start();
        for text in ["g5", "pass"] {
            game.play(text).expect("a legal move");
        }
        game.legal_moves()[0]
    };
    assert_eq!(sent, format!("1 ... ... {first}\r"));
    assert!(end.is_ok(), "{end:?}");
}

#[test]
fn turns_of_seats_that_have_dropped_out_are_skipped() {
    let start = ["100 fine", "354 4 You will play seat 4", "331 1 g5 is seat 1 move"];
    let outs = ["335 2 is out, time", "335 3 is out, crash"];
    let (sent, end) = hear_of_four(&[&start[..], &outs, &["335 1 is out, resignation"]].concat());
    assert_eq!(sent.matches('\r').count(), 1);
    assert!(sent.starts_with("1 ... ... ... "), "{sent}");
    assert!(matches!(end, Err(ClientError::Closed)), "the referee ends the game: {end:?}");
    let (sent, _) = hear_of_four(&[&start[..], &outs[..1]].concat());
    assert_eq!(sent, "", "it is the turn of seat 3");
}

#[test]
fn a_client_leaves_when_its_own_seat_is_out_or_the_game_is_over() {
    for line in ["335 4 is out, time", "336 1 2 3 4 is the placing", "201 You win", "202 You lose", "203 You draw"] {
        let (sent, end) = hear_of_four(&["100 fine", "354 4 You will play seat 4", line, "nonsense"]);
        assert_eq!((sent.as_str(), end.is_ok()), ("", true), "{line}");
    }
}

#[test]
fn what_makes_no_sense_among_four_is_an_error() {
    for (line, message) in [
        ("331 1 ... g5 x", "the referee reported `331 1 ... g5 x`, but the next move is number 1, by seat 1"),
        ("331 2 g5 x", "the referee reported `331 2 g5 x`, but the next move is number 1, by seat 1"),
        ("331 1 a1 x", "the referee reported an impossible move: `331 1 a1 x`"),
        ("335 5 is out", "unexpected line from the referee: `335 5 is out`"),
        ("331 1 ... ...", "unexpected line from the referee: `331 1 ... ...`"),
    ] {
        let (_, end) = hear_of_four(&["100 fine", "354 4 You will play seat 4", line]);
        assert_eq!(end.expect_err("makes no sense").to_string(), message);
    }
}

#[test]
fn no_error_gives_a_name_away_as_it_may_hold_a_token() {
    let hello = hello(Ruleset::Gothello, SeatWish::Any, EntityName::new("carol:a word"));
    for line in ["191 no", "299 what?", "nonsense", ""] {
        let error = play(
            start(),
            RefereeStream { input: format!("{GREETING}\r\n{line}").as_bytes(), output: io::sink() },
            &hello,
            |_, _, _| Move::PASS,
        )
        .unwrap_err();
        assert!(!format!("{error} {error:?}").contains("word"), "{error:?}");
    }
}

#[test]
fn a_line_without_end_does_not_fill_the_memory() {
    let endless = io::BufReader::new(GREETING.as_bytes().chain(io::repeat(b'x')));
    let end = play(
        start(),
        RefereeStream { input: endless, output: io::sink() },
        &hello(Ruleset::Gothello, SeatWish::Any, None),
        |_, _, _| Move::PASS,
    );
    assert!(matches!(end, Err(ClientError::NotUnderstood { .. })));
}
