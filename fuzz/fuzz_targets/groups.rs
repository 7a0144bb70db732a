//! Games of four and six seats under the referee, with players that do anything. Every game ends with a record that is
//! correct and reads back the same; each player hears how it ended; and nobody hears anything after dropping out.

#![no_main]

use std::time::Duration;

use gothello_arena::game::{BySeat, Position, Ruleset, Seat};
use gothello_arena::referee::record::{GroupRecord, LoggedGame};
use gothello_arena::referee::result::{Limit, Termination};
use gothello_arena::referee::sans_io::{Arrival, Departure, Referee, Sayings, Terms};
use gothello_arena::referee::wire::{Line, Response};
use gothello_arena::results::replay::{GroupReplay, Style};
use gothello_arena_fuzz::assert_printable;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut script = data.iter().copied();
    let first = script.next().unwrap_or_default();
    let ruleset: Ruleset = ["quantum-4p", "quantum-6p"][usize::from(first & 1)].parse().expect("a rule set");
    let control = ["unlimited", "60", "30/5", "20 move"][usize::from(first >> 1 & 3)];
    let time_control = control.parse().unwrap_or_default();
    let tries = (first & 8 != 0).then_some(2);
    let terms = Terms { ruleset, time_control, illegal_tries: tries, garbled_tries: tries, ..Terms::default() };
    let mut table = FuzzedGroup::new(terms);
    if first & 16 != 0 {
        let missing = script.next().unwrap_or_default();
        for seat in Seat::all(table.referee.seats()).filter(|seat| missing >> seat.index() & 1 != 0) {
            let said = table.referee.did_not_come(seat, Termination::NoShow, "nobody came".to_owned());
            table.hear(&said);
        }
    }
    if !table.referee.is_over() {
        let said = table.referee.start();
        table.hear(&said);
    }
    while !table.referee.is_over() {
        match (script.next(), script.next()) {
            (Some(act), Some(how)) => table.act(act, how),
            _ => {
                let said = table.referee.void("the script ends".to_owned(), Duration::ZERO);
                table.hear(&said);
            }
        }
    }
    table.ends();
});

struct FuzzedGroup {
    referee: Referee,
    /// The position after the moves and drop-outs so far.
    position: Box<dyn Position>,
    plies: usize,
    outs: usize,
    /// Everything that each player was told.
    heard: BySeat<Vec<Response>>,
}

impl FuzzedGroup {
    fn new(terms: Terms) -> Self {
        let heard = BySeat::from_fn(terms.ruleset.seats(), |_| Vec::new());
        Self { referee: Referee::new(terms), position: terms.ruleset.start(), plies: 0, outs: 0, heard }
    }

    fn hear(&mut self, said: &Sayings) {
        let outs = self.referee.outs();
        for (seat, responses) in said.players.iter() {
            let was_in = outs[..self.outs].iter().all(|out| out.seat != seat);
            assert!(was_in || responses.is_empty(), "seat {seat} has dropped out, but hears {responses:?}");
            self.heard[seat].extend(responses.iter().cloned());
        }
        self.catch_up();
    }

    /// Repeats what has happened in the referee's game.
    fn catch_up(&mut self) {
        loop {
            let out = self.referee.outs().get(self.outs).filter(|out| out.after_plies == self.plies);
            if let Some(out) = out {
                self.position.drop_out(out.seat);
                self.outs += 1;
            } else if let Some(ply) = self.referee.plies().get(self.plies) {
                assert_eq!(ply.seat, self.position.seat_to_move());
                assert_eq!(self.position.play(ply.played.as_str()).as_ref(), Ok(&ply.played));
                self.plies += 1;
            } else {
                break;
            }
        }
        if !self.referee.is_over() {
            assert_eq!(self.position.seat_to_move(), self.referee.seat_to_move());
        }
    }

    /// Makes the next event happen.
    fn act(&mut self, act: u8, how: u8) {
        let mover = self.referee.seat_to_move();
        let someone = Seat::all(self.referee.seats()).nth(usize::from(how) % usize::from(self.referee.seats()));
        let someone = someone.expect("a seat");
        let most = self.referee.allowance().unwrap_or(Duration::from_secs(9)).min(Duration::from_secs(9));
        let elapsed = most * u32::from(how) / 512;
        let arrival = Arrival { elapsed, ..Arrival::default() };
        let said = match act {
            255 => self.referee.departed(someone, Departure::Disconnect, elapsed),
            254 => self.referee.departed(someone, Departure::Crash("signal 11".to_owned()), elapsed),
            253 => self.referee.departed(someone, Departure::Limit(Limit::Memory, "too much".to_owned()), elapsed),
            252 => self.referee.departed(someone, Departure::Void("the machine failed".to_owned()), elapsed),
            // Without a time control, time is never up.
            251 if let Some(most) = self.referee.allowance() => self.referee.time_is_up(most + Duration::from_micros(1)),
            250 => self.referee.receive(someone, Line::TooLong, arrival),
            249 => self.referee.receive(someone, Line::Text("what?".to_owned()), arrival),
            248 => self.referee.receive(mover, self.line("resign"), arrival),
            247 => self.referee.receive(someone, Line::Text("1 pass".to_owned()), arrival),
            246 => self.referee.receive(mover, self.line("z99"), arrival),
            245 => self.referee.forfeits(someone, Termination::Protocol, "mumbled".to_owned(), elapsed),
            _ => {
                let legal = self.position.legal_moves();
                // Frequent passes shorten the modes that are played on points.
                let pass = legal.last().filter(|last| last.is_pass() && how % 3 == 0);
                let played = *pass.unwrap_or(&legal[usize::from(act) % legal.len()]);
                self.referee.receive(mover, self.line(played.as_str()), arrival)
            }
        };
        self.hear(&said);
    }

    /// The line with which the seat to move plays `played`.
    fn line(&self, played: &str) -> Line {
        let dots = "... ".repeat(self.referee.seat_to_move().index());
        Line::Text(format!("{} {dots}{played}", self.referee.number()))
    }

    fn ends(self) {
        let Self { referee, heard, position, .. } = self;
        let seats = referee.seats();
        let is_void = matches!(referee.end(), Some(Err(_)));
        for (seat, responses) in heard.iter() {
            let is_told = responses.iter().filter(|response| {
                matches!(response, Response::Placed(_) | Response::Problem(_))
            });
            assert!(!referee.is_in(seat) || is_told.count() <= 1, "seat {seat} is told about the end twice");
        }
        assert!(is_void || position.is_over(), "{position}");
        let names = BySeat::from_fn(seats, |seat| format!("p{seat}"));
        let record = *referee.finish().record(names).into_two().expect_err("a group");
        is_correct(&record);
    }
}

fn is_correct(record: &GroupRecord) {
    let text = record.to_string();
    assert_printable(&text);
    let again: LoggedGame = text.parse().unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(again.group(), Some(record), "{text}");
    assert_eq!(again.group().map(ToString::to_string).as_ref(), Some(&text));
    record.check().unwrap_or_else(|error| panic!("{error}: {text}"));
    let replay = GroupReplay::new(record);
    assert_printable(&replay.heading(Style::PLAIN));
    assert_printable(&replay.ending(Style::PLAIN));
    assert!(replay.at(record.plies.len(), Style::PLAIN).is_some());
    assert!(replay.at(record.plies.len() + 1, Style::PLAIN).is_none());
}
