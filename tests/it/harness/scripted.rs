//! A minimal referee for testing players: it seats one player over any stream, plays random moves against it, judges
//! the player's lines by the crate's rules, and ends the game as the script says.

use std::io::{BufRead, BufReader, Read, Write};

use gothello_arena::game::gothello::Game;
use gothello_arena::game::{Move, Position, Side};
use gothello_arena::players::bots::Bot;
use gothello_arena::players::bots::Thinker;

/// The game that the referee plays with a player.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    /// The player's side.
    pub(crate) side: Side,
    /// The version that the player's request must contain.
    pub(crate) version: &'static str,
    /// The text that must follow `player ` in the player's request.
    pub(crate) request: &'static str,
    /// Whether the lines to the player contain clock times.
    pub(crate) clocks: bool,
    /// The seed of the opponent's moves.
    pub(crate) seed: u64,
    /// Checks more than the legality of the player's moves, and panics if a move is wrong.
    pub(crate) judge: fn(&Game, Move),
    /// The early end of the game; `None` means that the game is played to its end.
    pub(crate) cut_off: Option<CutOff>,
}

/// Lines that end a game in place of a fourth move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CutOff {
    /// The side whose fourth move is replaced.
    pub(crate) turn_of: Side,
    /// Everything sent to the player in place of that move.
    pub(crate) lines: &'static str,
}

/// Seats a player, plays the script's game with it, and returns the final position. Panics if the player makes a
/// mistake.
pub(crate) fn referee(input: impl Read, mut output: impl Write, script: Script) -> Game {
    let mut input = BufReader::new(input);
    let mut say = |text: &str| output.write_all(text.as_bytes()).expect("the player takes every line");
    greet(&mut input, &mut say, script);
    let (seated, role) = match (script.clocks, script.side) {
        (false, side) => ("100 Request accepted", side),
        (true, side) => ("101 60 60 Request accepted with time controls (you / opp)", side),
    };
    say(&format!("{seated}\r\n"));
    if script.version == "0.9.2" {
        let seat = if role == Side::White { 2 } else { 1 };
        say(&format!("345 gothello 2 {seat} is the game, seats, and your seat\r\n"));
        say(if script.clocks { "347 60 is the time control\r\n" } else { "" });
    }
    say(&format!("{} You will play {role}\r\n", if role == Side::White { 351 } else { 352 }));

    let (mut game, mut opponent) = (Game::default(), Bot::new(Thinker::Random, None, script.seed));
    for ply in 0.. {
        let (mover, number) = (game.side(), ply / 2 + 1);
        let ours = mover != script.side;
        if let Some(end) = script.cut_off.filter(|end| end.turn_of == mover && number == 4) {
            say(end.lines);
            return game;
        }
        let dots = if mover == Side::White { "... " } else { "" };
        let before = game;
        let played = if ours {
            opponent.choose(&game).to_string()
        } else {
            let line = hear(&mut input);
            let start = format!("{number} {dots}");
            line.strip_prefix(&start).unwrap_or_else(|| panic!("`{line}` does not start with `{start}`")).to_owned()
        };
        let accepted = game.play(&played).unwrap_or_else(|error| panic!("{mover} plays {played}: {error}\n{before}"));
        if !ours {
            (script.judge)(&before, accepted);
        }
        say(&report(&game, mover, &format!("{number} {dots}{played}"), script));
        if game.outcome().is_some() {
            return game;
        }
    }
    unreachable!("every game ends")
}

/// Refuses the version in the player's request, as an older server would. The caller then closes the connection.
pub(crate) fn refuse_version(input: impl Read, mut output: impl Write, script: Script) {
    let mut say = |text: &str| output.write_all(text.as_bytes()).expect("the player takes every line");
    greet(&mut BufReader::new(input), &mut say, script);
    say("198 Illegal version number, this is an older version\r\n");
}

/// Greets a player, and reads its request.
fn greet(input: &mut impl BufRead, say: &mut impl FnMut(&str), script: Script) {
    say("000 Gothello 0.9.1 scripted referee\r\n");
    assert_eq!(hear(input), format!("{} player {}", script.version, script.request));
}

/// Reads the player's next line, without the carriage return at its end.
fn hear(input: &mut impl BufRead) -> String {
    let mut line = Vec::new();
    input.read_until(b'\r', &mut line).expect("the player answers in time");
    assert_eq!(line.pop(), Some(b'\r'), "the player left, or sent a line without a carriage return");
    String::from_utf8(line).unwrap()
}

/// The lines that report the move `played` to the player.
fn report(game: &Game, mover: Side, played: &str, script: Script) -> String {
    let white = u16::from(mover == Side::White);
    let (answer, status) = match game.outcome().map(|outcome| outcome.winner) {
        None => {
            let (pass, clock) = (4 * u16::from(played.ends_with("pass")), 2 * u16::from(script.clocks));
            (if script.clocks { "207 59 secs remaining" } else { "200 Move accepted" }, 311 + white + pass + clock)
        }
        Some(None) => ("203 You draw", 325 + white),
        Some(Some(winner)) if winner == mover => ("201 You win", 321 + 2 * white),
        Some(Some(_)) => ("202 You lose", 322 + 2 * white),
    };
    let answer = if mover == script.side { format!("{answer}\r\n") } else { String::new() };
    let seconds = if matches!(status, 313 | 314 | 317 | 318) { " 59 (secs)" } else { "" };
    format!("{answer}{status} {played}{seconds} is the {mover} move\r\n")
}
