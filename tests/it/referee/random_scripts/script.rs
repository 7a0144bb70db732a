//! The actions of all participants of a game, decoded from arbitrary bytes.

use std::time::Duration;

use gothello_arena::exact::adjudication::Adjudication;
use gothello_arena::game::{BySide, Move, Ruleset};
use gothello_arena::referee::clock::Meter;
use gothello_arena::referee::sans_io::Endings;
use gothello_arena::referee::sans_io::Terms;
use gothello_arena::referee::time_control::{SideControl, TimeControl};

/// One game with all participants. Every sequence of bytes is a script; missing bytes count as 0.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// The terms that the referee gets.
    pub(crate) terms: Terms,
    /// The house in which the game takes place.
    pub(crate) house: House,
    /// The players.
    pub(crate) players: BySide<Part>,
    /// The observers, in a house open to the public.
    pub(crate) observers: Vec<Part>,
    /// The incident during the game, and its time.
    pub(crate) incident: Option<(Duration, Incident)>,
}

/// The two ways to run a game.
#[derive(Clone, Debug)]
pub(crate) enum House {
    /// A game as in a tournament, between remote players and without observers.
    Tournament {
        /// The opening plies.
        opening: Vec<Move>,
    },
    /// A game as with `serve`, where observers come and go.
    Service,
}

/// An incident during the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incident {
    /// The arena is stopped.
    Stop,
    /// The machine is suspended. A tournament cannot simulate this, because it reads the real clocks.
    Suspension,
}

/// The actions of one participant, in order.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// How many bytes each of the participant's streams holds.
    pub(crate) room: usize,
    /// The participant's actions.
    pub(crate) acts: Vec<Act>,
}

/// An action during a game.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Wait for the participant's own turn and make the move that `pick` chooses, which is illegal about one time in
    /// eight. The move's line is sent in two pieces with the pause `dawdle` between them.
    Play { pick: u8, dawdle: Duration },
    /// Move without waiting for the participant's own turn.
    Rush { pick: u8 },
    /// Send `line` followed by the line end `end`, and repeat this until it has been sent `times` times.
    Lines { line: &'static [u8], times: usize, end: &'static [u8] },
    /// Send bytes without a line end.
    Bytes(Vec<u8>),
    /// Send this many bytes of a single line.
    Long(usize),
    /// Do nothing.
    Pause(Duration),
    /// Stop reading.
    Deaf,
    /// Resume reading.
    Listen,
    /// Close the sending end and keep reading.
    LastWord,
    /// Close both ends.
    HangUp,
    /// Connect as an observer, even if the participant is already connected.
    Come,
}

const LINES: [&[u8]; 16] = [
    b"pass",
    b"resign",
    b"1 c3",
    b"1 ... c3",
    b"2 ... pass",
    b"1 z9",
    b"1",
    b"99999999999999999999 c3",
    b"-1 ... pass",
    b"0.9.1 player black",
    b"\0\0\0",
    b"\xff\xfe 1 \xc3",
    b"1 c3 \x1b[2J\x07",
    b" \t ",
    b"",
    b"1 \xf0\x9f\xa6\x80",
];

const ENDS: [&[u8]; 4] = [b"\r", b"\n", b"\r\n", b"\r\r\n\n"];

/// Bytes that are consumed as choices.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[usize::from(self.byte()) % choices.len()].clone()
    }

    /// A duration of up to 4 s, usually a short one.
    fn time(&mut self) -> Duration {
        let scale = self.of(&[0, 1, 1, 20, 400, 15_000]);
        Duration::from_micros(u64::from(self.byte()) * scale)
    }
}

impl Script {
    /// Decodes the script from `bytes`.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut choices = Choices(bytes);
        let mut terms = terms(&mut choices);
        let kind = choices.byte();
        let house = match kind % 4 {
            0 => House::Tournament { opening: opening(&mut choices) },
            _ => House::Service,
        };
        // With `serve`, proofs can be tried without threads, so that the script remains reproducible.
        if matches!(house, House::Service) && kind / 4 % 2 == 1 {
            terms.adjudicate = Adjudication::new(1_000 + 40 * u64::from(kind), u32::from(kind / 16));
        }
        let incident = match choices.byte() % 16 {
            0 => Some((choices.time(), Incident::Stop)),
            1 if matches!(house, House::Service) => Some((choices.time(), Incident::Suspension)),
            _ => None,
        };
        // The remaining bytes are dealt out one by one, so that each participant gets a part.
        let observers = usize::from(choices.byte() % 4);
        let deal = |nth: usize| choices.0.iter().skip(nth).step_by(2 + observers).copied().collect::<Vec<u8>>();
        let players = BySide { black: Part::player(&deal(0)), white: Part::player(&deal(1)) };
        let observers = (0..observers).map(|nth| Part::observer(&deal(2 + nth))).collect();
        Self { terms, house, players, observers, incident }
    }
}

fn terms(choices: &mut Choices<'_>) -> Terms {
    let millis = Duration::from_millis;
    let mut time = || choices.of(&[millis(5_000), millis(60_000), millis(1_000), millis(40), millis(1)]);
    let times = BySide { black: time(), white: time() };
    let tries = [Some(3), Some(0), Some(40), None];
    Terms {
        ruleset: Ruleset::Gothello,
        time_control: match choices.byte() % 4 {
            0 => TimeControl::Unlimited,
            3 => TimeControl::Clocks(times.map(|time| match choices.byte() % 3 {
                0 => SideControl::Game { time, increment: millis(20) },
                1 => SideControl::ByoYomi { time: time / 2, periods: 2, period: time / 4 },
                _ => SideControl::PerMove { move_time: time, bank: millis(20) },
            })),
            _ => TimeControl::sudden_death(times),
        },
        // There are no processes with CPU time to count.
        meter: Meter::Wall,
        illegal_tries: choices.of(&tries),
        garbled_tries: choices.of(&tries),
        // Without a limit, a game of two silent players would never end.
        game_limit: Some(times.black + times.white),
        endings: choices.of(&[Endings::Documented, Endings::Compatible]),
        adjudicate: None,
    }
}

fn opening(choices: &mut Choices<'_>) -> Vec<Move> {
    let mut position = Ruleset::Gothello.start();
    (0..choices.byte() % 4)
        .map(|_| {
            let legal = position.legal_moves();
            // The last legal move is the pass, and two passes would end the game.
            let chosen = choices.of(&legal[..legal.len() - 1]);
            position.play(chosen.as_str()).expect("legal")
        })
        .collect()
}

impl Part {
    fn player(bytes: &[u8]) -> Self {
        Self::with(bytes, |choices| match choices.byte() % 24 {
            0..12 => Act::Play { pick: choices.byte(), dawdle: Duration::ZERO },
            12 => Act::Play { pick: choices.byte(), dawdle: choices.time() },
            13 | 14 => Act::Rush { pick: choices.byte() },
            _ => Act::unruly(choices),
        })
    }

    fn observer(bytes: &[u8]) -> Self {
        Self::with(bytes, |choices| match choices.byte() % 8 {
            0 => Act::Come,
            1 | 2 => Act::Pause(choices.time()),
            _ => Act::unruly(choices),
        })
    }

    fn with(bytes: &[u8], act: impl Fn(&mut Choices<'_>) -> Act) -> Self {
        let mut choices = Choices(bytes);
        let room = choices.of(&[4096, 1, 16, 1 << 17]);
        let acts = std::iter::from_fn(|| (!choices.0.is_empty()).then(|| act(&mut choices))).collect();
        Self { room, acts }
    }
}

impl Act {
    fn unruly(choices: &mut Choices<'_>) -> Self {
        match choices.byte() % 16 {
            0..4 => Self::Lines { line: choices.of(&LINES), times: 1, end: choices.of(&ENDS) },
            4 => {
                Self::Lines { line: choices.of(&LINES), times: 2 * usize::from(choices.byte()), end: choices.of(&ENDS) }
            }
            5 | 6 => {
                let length = choices.byte() % 8;
                Self::Bytes((0..length).map(|_| choices.byte()).collect())
            }
            7 => Self::Long(16 * usize::from(choices.byte())),
            8..11 => Self::Pause(choices.time()),
            11 => Self::Deaf,
            12 => Self::Listen,
            13 => Self::LastWord,
            14 => Self::HangUp,
            _ => Self::Bytes(b"\r".to_vec()),
        }
    }
}
