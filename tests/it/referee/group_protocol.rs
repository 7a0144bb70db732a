//! The four-seat game in docs/bot/protocol.md and its log in docs/reference/log-format.md: a referee sends and records
//! exactly the lines that the documents show.

use std::fs;
use std::time::Duration;

use gothello_arena::game::{BySeat, Seat};
use gothello_arena::referee::record::{Circumstances, LoggedGame, RecordedClocks};
use gothello_arena::referee::sans_io::{Arrival, Departure, Referee, Sayings, Terms};
use gothello_arena::referee::wire::{Hello, Line, Response};

/// The seat whose lines the document shows.
const SHOWN: u8 = 3;

/// An event of the game: the seat that it is about, the milliseconds since the start of the turn, and what happens.
struct Happening(u8, u64, What);

enum What {
    Says(&'static str),
    RunsOutOfTime,
    Crashes,
}

const GAME: [Happening; 13] = [
    Happening(1, 1_200, What::Says("1 g5")),
    Happening(2, 60_000, What::RunsOutOfTime),
    Happening(3, 500, What::Says("1 ... ... g5")),
    Happening(3, 2_100, What::Says("1 ... ... h4")),
    Happening(4, 800, What::Says("1 ... ... ... e4")),
    Happening(1, 1_000, What::Says("2 h5")),
    Happening(3, 1_500, What::Says("2 ... ... d4")),
    Happening(4, 700, What::Says("2 ... ... ... g6")),
    Happening(1, 2_000, What::Says("3 i3")),
    Happening(3, 1_000, What::Says("3 ... ... e7")),
    Happening(4, 400, What::Says("3 ... ... ... resign")),
    Happening(1, 900, What::Crashes),
    Happening(3, 900, What::Says("nothing more")),
];

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// The lines between the arena and the shown seat, the lines for observers, and the game's record.
fn conducted() -> (Vec<String>, Vec<String>, LoggedGame) {
    let terms = Terms {
        ruleset: "quantum-4p".parse().expect("a rule set"),
        time_control: "60".parse().expect("a time control"),
        ..Terms::default()
    };
    let mut referee = Referee::new(terms);
    let hello = Hello::for_game("0.9.2 player 3 \"cyd\"", referee.seats()).expect("a hello");
    let first = [Response::Greeting(terms.ruleset), Response::granted_in(4, terms.time_control, seat(SHOWN))];
    let [greeting, granted] = first.map(|response| format!("arena  {response}"));
    let mut lines = vec![greeting, format!("bot    {hello}"), granted];
    let mut observed = Vec::new();
    let mut hear = |lines: &mut Vec<String>, say: &Sayings| {
        lines.extend(say.players[seat(SHOWN)].iter().map(|response| format!("arena  {response}")));
        observed.extend(say.observers.iter().map(|response| response.to_string().replace('\r', "")));
    };
    hear(&mut lines, &referee.start());
    for Happening(number, millis, what) in GAME {
        let elapsed = Duration::from_millis(millis);
        let say = match what {
            What::Says(text) => {
                if number == SHOWN && !referee.is_over() {
                    lines.push(format!("bot    {text}"));
                }
                referee.receive(seat(number), Line::Text(text.to_owned()), Arrival { elapsed, ..Arrival::default() })
            }
            What::RunsOutOfTime => referee.time_is_up(elapsed + Duration::from_micros(1_204)),
            What::Crashes => {
                let how = "the program was ended by signal 11 (SIGSEGV)".to_owned();
                referee.departed(seat(number), Departure::Crash(how), elapsed)
            }
        };
        hear(&mut lines, &say);
    }
    assert!(referee.is_over());
    let players = BySeat::new(["ann", "bob", "cyd", "dan"].map(str::to_owned).to_vec()).expect("four seats");
    let circumstances = Circumstances {
        event: Some("Tables".to_owned()),
        site: Some("lab".to_owned()),
        date: Some("2026.11.27".to_owned()),
        round: Some(1),
        game: Some("r1-t1-g1".to_owned()),
        seed: Some(1_868_155_929_962_425_081),
        clocks: RecordedClocks {
            time_control: terms.time_control,
            time_scale: "1.00".parse().expect("a scale"),
            meter: terms.meter,
        },
        digests: BySeat::from_fn(4, |_| None),
        usage: BySeat::from_fn(4, |_| None),
        other_tags: Vec::new(),
    };
    (lines, observed, referee.finish().record(players).under(circumstances))
}

fn document(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The lines as a document shows them.
fn indented<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.fold(String::new(), |text, line| text + "    " + line + "\n")
}

#[test]
fn the_game_in_the_document_is_what_a_referee_says() {
    let (lines, observed, _) = conducted();
    let shown = indented(lines.iter().map(String::as_str));
    let text = document("docs/bot/protocol.md");
    assert!(text.contains(&shown), "{shown}");
    // The lines that observers receive after the first move, with the first lines of the board.
    let first = observed.iter().position(|line| line.starts_with("332 ")).expect("a move");
    let told = indented(observed[first..][..3].iter().flat_map(|lines| lines.lines()).take(8));
    assert!(text.contains(&told), "{told}");
}

#[test]
fn the_log_in_the_document_is_that_of_the_same_game() {
    let (_, _, game) = conducted();
    let text = document("docs/reference/log-format.md");
    let log = game.to_string();
    assert!(text.contains(&format!("```text\n{log}```\n")), "{log}");
    game.group().expect("four seats").check().expect("a valid record");
    assert_eq!(log.parse(), Ok(game));
}
