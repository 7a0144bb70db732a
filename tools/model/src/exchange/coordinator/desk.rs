//! The desk of a coordinator: the games that are out, and its verdicts about answers.

use crate::exchange::{ExchangeModel, Games, Kind, Line, MOST_GAMES, MOST_WRONG, Try};

/// A game that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutGame {
    /// The current try.
    pub nth: u8,
    /// Whether its job is in a lane.
    pub is_in_lane: bool,
    /// How many wrong answers it has received.
    pub wrong: u8,
}

/// A try whose answer has been taken, but not saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TakenIn {
    /// The try.
    pub nth: u8,
    /// Whether the game is void.
    pub is_void: bool,
}

/// What to do about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It ends its game, and is kept until the game is saved.
    Taken,
    /// It is the answer that has ended its game, and is kept until the game is saved.
    TakenBefore,
    /// It is kept until its game is given away.
    Early,
    /// It is useless.
    Late,
    /// It is wrong.
    Wrong {
        /// The next try, unless the game is void.
        nth: Option<u8>,
    },
}

/// A desk.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Desk {
    /// The games that are out.
    pub out: [Option<OutGame>; MOST_GAMES],
    /// The games whose answers have been taken, but not saved.
    pub taken_in: [Option<TakenIn>; MOST_GAMES],
    /// How many tries each game has had.
    pub tries: [u8; MOST_GAMES],
    /// The games that have a result in the journal.
    pub done: Games,
    /// Whether there are workers.
    pub is_staffed: bool,
    /// The jobs to be taken back.
    pub gone: Vec<Try>,
}

impl Desk {
    pub(super) fn new(done: Games) -> Self {
        Self {
            out: [None; MOST_GAMES],
            taken_in: [None; MOST_GAMES],
            tries: [0; MOST_GAMES],
            done,
            is_staffed: false,
            gone: Vec::new(),
        }
    }

    /// The jobs that are in lanes.
    pub fn jobs(&self) -> Vec<Try> {
        let out = (0..).zip(&self.out).filter_map(|(game, out)| Some((game, out.as_ref()?)));
        out.filter(|(_, out)| out.is_in_lane).map(|(game, out)| Try { game, nth: out.nth }).collect()
    }

    /// Whether no game is out.
    pub fn is_empty(&self) -> bool {
        self.out.iter().all(Option::is_none)
    }

    pub(super) fn is_in_lane(&self, game: u8) -> bool {
        self.out[game as usize].is_some_and(|out| out.is_in_lane)
    }

    fn next_try(&mut self, game: u8) -> u8 {
        self.tries[game as usize] += 1;
        self.tries[game as usize]
    }

    pub(super) fn send_out(&mut self, game: u8) -> Option<Try> {
        let nth = self.next_try(game);
        self.out[game as usize] = Some(OutGame { nth, is_in_lane: self.is_staffed, wrong: 0 });
        self.is_staffed.then_some(Try { game, nth })
    }

    pub(super) fn expect(&mut self, game: u8, nth: u8) {
        if let Some(out) = &mut self.out[game as usize] {
            out.nth = nth;
            let tries = &mut self.tries[game as usize];
            *tries = nth.max(*tries);
        }
    }

    /// Workers have come. Returns the jobs to publish.
    pub(super) fn staff(&mut self) -> Vec<Try> {
        self.is_staffed = true;
        let mut jobs = Vec::new();
        for (game, out) in (0..).zip(&mut self.out) {
            if let Some(out) = out.as_mut().filter(|out| !out.is_in_lane) {
                out.is_in_lane = true;
                jobs.push(Try { game, nth: out.nth });
            }
        }
        jobs
    }

    /// All workers have gone. Returns the games that go back to the executor.
    pub(super) fn unstaff(&mut self, games: u8, plays_here: bool) -> Vec<u8> {
        self.is_staffed = false;
        if !plays_here {
            return Vec::new();
        }
        let mut back = Vec::new();
        for game in 0..games {
            let Some(out) = self.out[game as usize].take() else { continue };
            if out.is_in_lane {
                self.gone.push(Try { game, nth: out.nth });
                self.next_try(game);
            }
            back.push(game);
        }
        back
    }

    pub(super) fn saved(&mut self, line: Line, tells_voids_apart: bool) {
        let taken = &mut self.taken_in[line.game as usize];
        if line.kind != Kind::Void {
            *taken = None;
            self.done = self.done.with(line.game);
        } else if !tells_voids_apart || taken.is_some_and(|taken| taken.is_void) {
            *taken = None;
        }
    }

    /// The job was delivered too many times. Returns whether this ends its game.
    pub(super) fn exhausted(&mut self, at: Try) -> bool {
        let is_meant = self.out[at.game as usize].is_some_and(|out| out.nth == at.nth);
        if is_meant {
            self.out[at.game as usize] = None;
        }
        is_meant
    }

    fn wrong(&mut self, game: u8) -> Verdict {
        let Some(mut out) = self.out[game as usize] else { return Verdict::Late };
        out.wrong += 1;
        if out.wrong >= MOST_WRONG {
            self.out[game as usize] = None;
            return Verdict::Wrong { nth: None };
        }
        out.nth = self.next_try(game);
        self.out[game as usize] = Some(out);
        Verdict::Wrong { nth: Some(out.nth) }
    }
}

impl ExchangeModel {
    /// The desk's verdict about an answer.
    pub(super) fn judge(&self, desk: &mut Desk, at: Try, kind: Kind) -> Verdict {
        let Try { game, nth } = at;
        let is_plausible = kind != Kind::Lie && game < self.games || !self.protections.checks_answers;
        if game >= self.games && self.protections.checks_answers {
            return Verdict::Late;
        }
        if !self.protections.compares_tries {
            desk.out[game as usize] = None;
            return Verdict::Taken;
        }
        if desk.done.has(game) {
            return Verdict::Late;
        }
        let Some(out) = desk.out[game as usize] else {
            return match (desk.taken_in[game as usize], desk.tries[game as usize]) {
                (Some(taken), _) if taken.nth == nth => Verdict::TakenBefore,
                (_, 0) if is_plausible => Verdict::Early,
                _ => Verdict::Late,
            };
        };
        if out.nth != nth {
            return Verdict::Late;
        }
        if !is_plausible {
            return desk.wrong(game);
        }
        desk.out[game as usize] = None;
        desk.taken_in[game as usize] = Some(TakenIn { nth, is_void: kind == Kind::Void });
        Verdict::Taken
    }
}
