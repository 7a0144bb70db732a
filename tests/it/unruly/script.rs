//! What everybody at a game does, as any bytes at all tell it.

use std::time::Duration;

use gothello_arena::exact::adjudication::Adjudication;
use gothello_arena::game::rules::{BySide, Move, Ruleset};
use gothello_arena::referee::clock::{Meter, TimeControl};
use gothello_arena::referee::sans_io::Endings;
use gothello_arena::referee::sans_io::Terms;

/// One game with all who take part. Every sequence of bytes is one: what it does not say is 0.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    /// What the referee knows.
    pub(crate) terms: Terms,
    /// Who holds the game.
    pub(crate) house: House,
    /// The players.
    pub(crate) players: BySide<Part>,
    /// Those who look on, in a public house.
    pub(crate) observers: Vec<Part>,
    /// What comes between.
    pub(crate) incident: Option<(Duration, Incident)>,
}

/// The two ways in which a game comes about.
#[derive(Clone, Debug)]
pub(crate) enum House {
    /// As in a tournament, between remote players; nobody looks on.
    Tournament {
        /// The plies with which the game starts.
        opening: Vec<Move>,
    },
    /// As in the service, where observers come and go.
    Service,
}

/// What may come between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incident {
    /// The arena is stopped.
    Stop,
    /// The machine is suspended; a tournament's house reads the real clocks, which know nothing of it.
    Suspension,
}

/// What one does, after the other.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// How many bytes each stream of its holds.
    pub(crate) room: usize,
    /// What it does.
    pub(crate) acts: Vec<Act>,
}

/// Something to do at a game.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// Wait until it is one's turn, as far as one has heard, and make a move, which this number chooses, and which one
    /// time in eight is illegal; its line comes in two pieces with a pause between them.
    Play { pick: u8, dawdle: Duration },
    /// The same without waiting for the turn, which may be the other's.
    Rush { pick: u8 },
    /// Send this as often, each time with the end of a line.
    Lines { line: &'static [u8], times: usize, end: &'static [u8] },
    /// Send this without one.
    Bytes(Vec<u8>),
    /// Send so many bytes of one line.
    Long(usize),
    /// Do nothing.
    Pause(Duration),
    /// Leave unread whatever comes.
    Deaf,
    /// Read it again.
    Listen,
    /// Close one's sending end, and read on.
    LastWord,
    /// Close both.
    HangUp,
    /// An observer's coming: at first, again, or once more.
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

/// Bytes, taken as choices.
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

    /// Any time up to 4 s, short ones as a rule.
    fn time(&mut self) -> Duration {
        let scale = self.of(&[0, 1, 1, 20, 400, 15_000]);
        Duration::from_micros(u64::from(self.byte()) * scale)
    }
}

impl Script {
    /// The script that `bytes` tell.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut choices = Choices(bytes);
        let mut terms = terms(&mut choices);
        let kind = choices.byte();
        let house = match kind % 4 {
            0 => House::Tournament { opening: opening(&mut choices) },
            _ => House::Service,
        };
        // The service's proofs can be tried without threads, so that the same happens every time.
        if matches!(house, House::Service) && kind / 4 % 2 == 1 {
            terms.adjudicate = Adjudication::new(1_000 + 40 * u64::from(kind), u32::from(kind / 16));
        }
        let incident = match choices.byte() % 16 {
            0 => Some((choices.time(), Incident::Stop)),
            1 if matches!(house, House::Service) => Some((choices.time(), Incident::Suspension)),
            _ => None,
        };
        // What is left is dealt out byte by byte, so that nobody is left without a part.
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
            _ => TimeControl::sudden_death(times),
        },
        // There are no processes whose CPU time could count.
        meter: Meter::Wall,
        illegal_tries: choices.of(&tries),
        garbled_tries: choices.of(&tries),
        // Without it, two who say nothing would sit there for ever.
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
            // The last is the pass, of which two would end the game.
            let chosen = choices.of(&legal[..legal.len() - 1]);
            position.play(chosen.as_str()).expect("it is legal")
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
