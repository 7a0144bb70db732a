//! Recordings of the author's own server: the lines of the clients are replayed to the arena's referee. The text on
//! every connection and on stdout must be the same, except for [`DIFFERENCES`].

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::time::Duration;

use gothello_arena::game::{BySide, Ruleset, Side};
use gothello_arena::host::line::LineCutter;
use gothello_arena::referee::sans_io::{Arrival, Departure, Referee, Sayings, Terms};
use gothello_arena::referee::time_control::TimeControl;
use gothello_arena::referee::wire::{Dialect, Hello, Line, Response, Role, SeatWish};
use gothello_arena::run::serve::{Announcer, Client, ServeEvent, result_line};

/// Lines of the original that the arena replaces with others.
struct Difference {
    /// A prefix of the names of the places where the lines occur. The name of connection 1 in transcript 13 is `13 c1`,
    /// and that of its stdout is `13 stdout`.
    place: &'static str,
    /// The lines of the original, with a board as one line.
    original: &'static [&'static str],
    /// The lines of the arena.
    arena: &'static [&'static str],
}

const fn differs(place: &'static str, original: &'static [&'static str], arena: &'static [&'static str]) -> Difference {
    Difference { place, original, arena }
}

/// Marks the end of a connection or of stdout.
const END: &str = "(end)";

const EMPTY: &str = "382/...../...../...../...../.....";
const B1: &str = "382/...../...../...../...../.b...";
const B1_C3: &str = "382/...../...../..w../...../.b...";
const A2_B1_C3: &str = "382/...../...../..w../b..../.b...";

/// All differences; the first row that matches is used. The words after a greeting (000), an illegal move (291) and a
/// garbled line (299) may be chosen freely and are not compared.
const DIFFERENCES: &[Difference] = &[
    // Observers receive the board when they connect, not only after the first move.
    differs("13", &["353 You will observe"], &["353 You will observe", "381 1 2 2 b", EMPTY]),
    differs("", &["353 You will observe"], &["353 You will observe", "380 1 b", EMPTY]),
    // After the game, neither side is to move: the document specifies a dot, but the original sends a star.
    differs("", &["380 1 *"], &["380 1 ."]),
    differs("", &["380 3 *"], &["380 3 ."]),
    differs("", &["380 4 *"], &["380 4 ."]),
    differs("", &["380 5 *"], &["380 5 ."]),
    differs("", &["381 3 58 58 *"], &["381 3 58 58 ."]),
    // A flag falls at its exact time, not when the next line arrives, so a clock never shows less than 0.
    differs("13", &["381 1 1 -1 *"], &["381 1 1 0 ."]),
    // The loser does not receive a special line. The code is the same, and the text is the same as for every loss
    // without a move.
    differs("13", &["202 Your time expires, and you lose"], &["202 You lose"]),
    // The line for observers names the owners of the two times, as the line for players does.
    differs(
        "13",
        &["101 2 2 Request accepted with time controls"],
        &["101 2 2 Request accepted with time controls (you / opp)"],
    ),
    // When a player disconnects, the original crashes without a message.
    differs("14 c1", &[END], &["391 Black disconnected", "380 1 .", "382/...../...../..bw./...../.....", END]),
    differs("14 stdout", &[END], &["White player wins by disconnect.", END]),
    differs("14 c", &[END], &["391 Black disconnected", END]),
    // The original prints the board again after an illegal move.
    differs("06 stdout", &["", "380 1 w", B1, "", "380 1 w", B1], &["", "380 1 w", B1]),
    differs("06 stdout", &["", "380 2 b", B1_C3, "", "380 2 b", B1_C3, "", "380 2 b", B1_C3], &["", "380 2 b", B1_C3]),
    differs("06 stdout", &["", "380 2 w", A2_B1_C3, "", "380 2 w", A2_B1_C3], &["", "380 2 w", A2_B1_C3]),
];

/// An action of a client.
enum ClientAction {
    Connects,
    Says(String),
    Leaves,
}

/// A recorded run of the original.
struct Transcript {
    /// The number of the transcript, as two digits.
    number: String,
    time_control: TimeControl,
    /// The clients' actions: the time, the connection, and the action itself.
    actions: Vec<(Duration, String, ClientAction)>,
    /// The original's output, by connection; the name `stdout` stands for the original's stdout.
    said: BTreeMap<String, Vec<String>>,
}

impl Transcript {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let number = path.file_name().unwrap().to_str().unwrap()[..2].to_owned();
        let budget = text.lines().find_map(|line| line.strip_prefix("# gthd args: <n> "));
        let budget = budget.map(|seconds| Duration::from_secs(seconds.parse().unwrap()));
        let time_control = budget
            .map_or(TimeControl::Unlimited, |each| TimeControl::sudden_death(BySide { black: each, white: each }));

        let mut actions = Vec::new();
        let mut texts: BTreeMap<String, String> = BTreeMap::new();
        for entry in text.lines().filter(|line| !line.starts_with('#')) {
            let (time, rest) = entry.split_at(11);
            let (connection, action) = rest.trim_start().split_once(' ').unwrap();
            let action = action.trim_start();
            let heard = texts.entry(connection.to_owned()).or_default();
            let at = || Duration::from_secs_f64(time.trim().parse().unwrap());
            let mut does = |action| actions.push((at(), connection.to_owned(), action));
            match action.split_once(' ').unwrap() {
                ("CONNECT", _) => does(ClientAction::Connects),
                ("C->S", "EOF (client closed)") => does(ClientAction::Leaves),
                ("C->S", chunk) => does(ClientAction::Says(unquoted(chunk))),
                ("S->C", "EOF (referee closed)") => heard.push_str(END),
                ("S->C" | ".", chunk) => heard.push_str(&unquoted(chunk)),
                _ => panic!("{}: `{entry}`", path.display()),
            }
        }
        let stdout = text.lines().skip_while(|line| *line != "# gthd stdout:").skip(1);
        let stdout: Vec<_> = stdout.map_while(|line| line.strip_prefix("#   | ")).collect();
        texts.insert("stdout".to_owned(), stdout.join("\n").replace("\\r", "\r") + END);
        let said = texts.into_iter().map(|(place, text)| (place, lines(&text))).collect();
        Self { number, time_control, actions, said }
    }

    /// The expected output of the arena. Marks the used rows of [`DIFFERENCES`] in `used`.
    fn expected(&self, used: &mut [bool]) -> BTreeMap<String, Vec<String>> {
        let mut expected = BTreeMap::new();
        for (place, said) in &self.said {
            let full_place = format!("{} {place}", self.number);
            let mut lines = Vec::new();
            let mut rest = said.as_slice();
            while let [first, after @ ..] = rest {
                let fits = |row: &Difference| {
                    let same = row.original.iter().zip(rest).all(|(original, line)| original == line);
                    full_place.starts_with(row.place) && rest.len() >= row.original.len() && same
                };
                let Some(row) = DIFFERENCES.iter().position(fits) else {
                    lines.push(first.clone());
                    rest = after;
                    continue;
                };
                used[row] = true;
                lines.extend(DIFFERENCES[row].arena.iter().map(|&line| line.to_owned()));
                rest = &rest[DIFFERENCES[row].original.len()..];
            }
            expected.insert(place.clone(), lines);
        }
        expected
    }
}

/// The text of a chunk, without its quotes and with its escaped line ends restored.
fn unquoted(chunk: &str) -> String {
    let inner = chunk.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or_else(|| panic!("`{chunk}` is not quoted")).replace("\\r", "\r").replace("\\n", "\n")
}

/// The lines of `text`, without freely chosen words and with each board as one line.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut ranks = 0;
    for line in text.lines() {
        match lines.last_mut() {
            Some(board) if ranks > 0 => {
                ranks -= 1;
                board.push('/');
                board.push_str(line);
            }
            _ => {
                ranks = if line == "382" { 5 } else { 0 };
                let free = ["000 ", "291 ", "299 "].iter().find(|code| line.starts_with(**code));
                lines.push(free.map_or(line, |code| code.trim_end()).to_owned());
            }
        }
    }
    lines
}

/// The arena's side: the referee, and everything else that a game needs.
struct House {
    time_control: TimeControl,
    seats: BySide<Option<String>>,
    observers: Vec<String>,
    referee: Option<Referee>,
    announcer: Announcer,
    /// When the turn began, and the number of moves before it.
    turn: (Duration, usize),
    ended: Option<Duration>,
    /// The output, by connection; the name `stdout` stands for stdout.
    said: BTreeMap<String, String>,
}

impl House {
    /// Repeats the actions of a transcript's clients.
    fn replay(transcript: &Transcript) -> Self {
        let time_control = transcript.time_control;
        let announcer = Announcer::new(Ruleset::Gothello, time_control);
        let (seats, observers, said) = (BySide::default(), Vec::new(), BTreeMap::new());
        let turn = (Duration::ZERO, 0);
        let mut house = Self { time_control, seats, observers, referee: None, announcer, turn, ended: None, said };
        let mut cutters: BTreeMap<&str, LineCutter> = BTreeMap::new();
        for (at, client, action) in &transcript.actions {
            house.time_passes(*at);
            match action {
                ClientAction::Connects => house.tell(client, &[Response::Greeting(Ruleset::Gothello)]),
                ClientAction::Leaves => house.leaves(client, *at),
                ClientAction::Says(chunk) => {
                    let mut lines = VecDeque::new();
                    cutters.entry(client).or_default().push(chunk.as_bytes(), &mut lines);
                    for line in lines {
                        house.hear(client, line, *at);
                    }
                }
            }
        }
        house
    }

    fn tell(&mut self, client: &str, responses: &[Response]) {
        Sayings::append(responses, Dialect::Original, self.said.entry(client.to_owned()).or_default());
    }

    fn announce(&mut self, text: &str) {
        self.said.entry("stdout".to_owned()).or_default().push_str(text);
    }

    fn announce_event(&mut self, event: &ServeEvent) {
        let text = self.announcer.tell(event);
        self.announce(&text);
    }

    fn close(&mut self, client: &str) {
        self.said.entry(client.to_owned()).or_default().push_str(END);
    }

    /// The side of a seated client.
    fn side(&self, client: &str) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.seats[side].as_deref() == Some(client))
    }

    fn hear(&mut self, client: &str, line: Line, at: Duration) {
        match (self.side(client), &mut self.referee) {
            (Some(side), Some(referee)) => {
                let arrival = Arrival { elapsed: at.saturating_sub(self.turn.0), ..Arrival::default() };
                let say = referee.receive(side, line, arrival);
                self.go_on(&say, at);
            }
            (Some(side), None) => panic!("{side} speaks before the start"),
            (None, _) => self.greet(client, &line, at),
        }
    }

    /// Handles a client's hello. The game starts when both players are seated.
    fn greet(&mut self, client: &str, line: &Line, at: Duration) {
        let Line::Text(line) = line else { panic!("a hello that is too long") };
        match line.parse::<Hello>().unwrap().role {
            Role::Observer => {
                self.announce_event(&ServeEvent::Connected(Client::Observer(self.observers.len().try_into().unwrap())));
                self.observers.push(client.to_owned());
                self.tell(client, &[Response::granted(self.time_control, Side::White)]);
            }
            Role::Player(SeatWish::Only(seat)) if self.seats[seat.side()].is_none() => {
                let side = seat.side();
                self.announce_event(&ServeEvent::Connected(Client::Player(side.into())));
                self.seats[side] = Some(client.to_owned());
                self.tell(client, &[Response::granted(self.time_control, side)]);
            }
            Role::Player(_) => {
                self.announce_event(&ServeEvent::Refused);
                self.tell(client, &[Response::Taken]);
                self.close(client);
            }
        }
        if self.referee.is_none() && Side::BOTH.iter().all(|&side| self.seats[side].is_some()) {
            let referee = Referee::new(Terms { time_control: self.time_control, ..Terms::default() });
            let start = referee.start();
            self.referee = Some(referee);
            let players = BySide::from_fn(|side: Side| side.to_string());
            self.announce_event(&ServeEvent::Started { players: players.into() });
            self.go_on(&start, at);
            self.turn.0 = at;
        }
    }

    /// Lets the referee end the game if a flag has fallen since the last action.
    fn time_passes(&mut self, now: Duration) {
        let Some(referee) = self.referee.as_mut().filter(|referee| !referee.is_over()) else { return };
        let Some(allowance) = referee.allowance() else { return };
        let fallen = allowance + Duration::from_micros(1);
        if self.turn.0 + fallen <= now {
            let say = referee.time_is_up(fallen);
            self.go_on(&say, self.turn.0 + fallen);
        }
    }

    fn leaves(&mut self, client: &str, at: Duration) {
        if let (Some(side), Some(referee)) = (self.side(client), &mut self.referee) {
            let say = referee.departed(side, Departure::Disconnect, at.saturating_sub(self.turn.0));
            self.go_on(&say, at);
        }
    }

    /// Sends the referee's answers, and closes everything when the game is over.
    fn go_on(&mut self, say: &Sayings, at: Duration) {
        for side in Side::BOTH {
            let player = self.seats[side].clone().unwrap();
            self.tell(&player, &say.players[side]);
        }
        for observer in self.observers.clone() {
            self.tell(&observer, &say.observers);
        }
        let referee = self.referee.as_ref().unwrap();
        let result = referee.result().map(|result| result.cloned().map_err(Clone::clone));
        let moved = referee.plies()[self.turn.1..].to_vec();
        if !moved.is_empty() {
            self.turn = (at, self.turn.1 + moved.len());
        }
        for (number, ply) in (self.turn.1 + 1 - moved.len()..).zip(moved) {
            self.announce_event(&ServeEvent::Moved { number, played: ply.played, left: ply.left });
        }
        if let (Some(result), None) = (result, self.ended) {
            self.ended = Some(at);
            self.announce(&result_line(&result));
            let players = Side::BOTH.map(|side| self.seats[side].clone().unwrap());
            for place in players.into_iter().chain(self.observers.clone()).chain(["stdout".to_owned()]) {
                self.close(&place);
            }
        }
    }
}

fn transcripts() -> Vec<Transcript> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/transcripts");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| Transcript::read(path)).collect()
}

#[test]
fn clients_of_the_original_receive_the_same_except_for_known_differences() {
    let transcripts = transcripts();
    assert_eq!(transcripts.len(), 9);
    let mut used = vec![false; DIFFERENCES.len()];
    for transcript in &transcripts {
        let house = House::replay(transcript);
        let expected = transcript.expected(&mut used);
        assert!(house.said.keys().eq(expected.keys()));
        for (place, expected) in expected {
            assert_eq!(lines(&house.said[&place]), expected, "{} {place}", transcript.number);
        }
    }
    for (row, used) in DIFFERENCES.iter().zip(used) {
        assert!(used, "no transcript contains the difference {:?} of `{}` any more", row.original, row.place);
    }
}

#[test]
fn a_flag_falls_on_time_and_not_when_the_late_line_arrives() {
    let transcripts = transcripts();
    let transcript = transcripts.iter().find(|transcript| transcript.number == "13").unwrap();
    let times = |text| {
        let said = |action: &ClientAction| matches!(action, ClientAction::Says(chunk) if chunk == text);
        transcript.actions.iter().find(|(_, _, action)| said(action)).map(|(at, ..)| *at).unwrap()
    };
    let ended = House::replay(transcript).ended.unwrap();
    assert_eq!(ended.saturating_sub(times("1 c3\r")), Duration::from_micros(2_000_001));
    assert!(ended < times("1 ... d4\r"));
}
