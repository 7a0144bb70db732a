//! Games over in-memory streams with paused time: time passes only while every task waits.

mod connections;
mod proofs;
mod suspension;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::{Lateness, Observers, SeatedPlayer, SeatedPlayers, Surroundings, take_turns};
use crate::base::stop::{self, Stop};
use crate::base::time::{SleepWatch, Suspended, now, sleep_until};
use crate::game::{BySide, Side};
use crate::host::line::{Connection, Stream};
use crate::referee::record::{GameRecord, Ply, check};
use crate::referee::result::Termination;
use crate::referee::sans_io::{Finished, Referee, Terms};
use crate::referee::time_control::TimeControl;
use crate::referee::uneven::{MOVERS, Uneven};

const SECOND: Duration = Duration::from_secs(1);

/// A player's end of its connection.
pub(super) struct Player {
    stream: DuplexStream,
    heard: String,
}

impl Player {
    pub(super) async fn say(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.expect("the referee listens");
    }

    /// Reads until `what` has been received, and drops everything up to it.
    async fn hear(&mut self, what: &str) {
        let mut buffer = [0; 256];
        while !self.heard.contains(what) {
            // With paused time, this costs nothing, and the test does not hang if the text never arrives.
            let read = tokio::time::timeout(Duration::from_hours(1), self.stream.read(&mut buffer)).await;
            let read = read.unwrap_or_else(|_| panic!("`{what}` never came after `{}`", self.heard));
            let read = read.expect("the referee speaks");
            assert!(read > 0, "the end came before `{what}`, after `{}`", self.heard);
            self.heard.push_str(&String::from_utf8_lossy(&buffer[..read]));
        }
        let end = self.heard.find(what).map_or(0, |at| at + what.len());
        self.heard.drain(..end);
    }

    /// The next line; `None` at the end.
    pub(super) async fn line(&mut self) -> Option<String> {
        let mut buffer = [0; 256];
        loop {
            if let Some((line, rest)) = self.heard.split_once("\r\n") {
                let line = line.to_owned();
                self.heard = rest.to_owned();
                return Some(line);
            }
            match self.stream.read(&mut buffer).await.expect("the referee speaks") {
                0 => return None,
                read => self.heard.push_str(&String::from_utf8_lossy(&buffer[..read])),
            }
        }
    }

    /// All lines that are still sent after the current one.
    async fn until_the_end(&mut self) -> String {
        self.stream.shutdown().await.expect("shut down");
        self.stream.read_to_string(&mut self.heard).await.expect("the referee speaks");
        self.heard.split_once('\n').map_or_else(String::new, |(_, rest)| rest.to_owned())
    }
}

fn terms(seconds: u64) -> Terms {
    let time = Duration::from_secs(seconds);
    Terms { time_control: TimeControl::sudden_death(BySide { black: time, white: time }), ..Terms::default() }
}

/// How long a player may take to leave.
const QUIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A player's connection, and the player's own end of it; `size` is the capacity of the stream between them.
pub(super) fn connected(size: usize) -> (Connection, Player) {
    let (ours, theirs) = tokio::io::duplex(size);
    (Connection::new(Stream::Duplex(ours)), Player { stream: theirs, heard: String::new() })
}

/// The seats of a game, and both players; `size` is the capacity of the streams between them.
fn table(size: usize) -> (SeatedPlayers, Player, Player) {
    let ((black, black_player), (white, white_player)) = (connected(size), connected(size));
    let seats = BySide { black, white }.map(SeatedPlayer::without_child);
    (SeatedPlayers::new(seats, QUIT_TIMEOUT), black_player, white_player)
}

async fn play(terms: Terms, seats: &mut SeatedPlayers) -> Finished {
    let (_sender, mut stop) = stop::channel();
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let around = Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE));
    take_turns(Referee::new(terms), seats, around).await.expect("it is not stopped")
}

/// A machine that never sleeps.
pub(super) const AWAKE: fn() -> Suspended = || exactly(Duration::ZERO);

fn exactly(suspended: Duration) -> Suspended {
    Suspended { least: suspended, most: suspended }
}

/// How the game ended: the termination, and the side that lost. Also checks that its record is valid.
fn ending(finished: Finished) -> (Termination, Option<Side>) {
    let record = record(finished);
    assert_holds(&record);
    let result = record.result.expect("a result");
    (result.termination(), result.winner().map(Side::opponent))
}

fn record(finished: Finished) -> GameRecord {
    let players = BySide { black: "b".to_owned(), white: "w".to_owned() };
    finished.record(players.into()).into_two().expect("two seats")
}

/// Asserts that the record describes a game that could have been played, and that the record survives being written and
/// read.
fn assert_holds(record: &GameRecord) {
    if let Err(error) = check(record) {
        panic!("{error}\n{record}");
    }
    assert_eq!(record.to_string().parse().as_ref(), Ok(record));
}

#[tokio::test(start_paused = true)]
async fn a_player_that_never_answers_loses_at_the_moment_its_time_is_spent() {
    let (mut seats, _black, _white) = table(4096);
    let start = now();
    let finished = play(terms(2), &mut seats).await;
    let spent = now() - start;
    // Tokio's timers tick in milliseconds.
    assert!(spent > 2 * SECOND && spent <= 2 * SECOND + Duration::from_millis(2), "{spent:?}");
    assert_eq!(ending(finished), (Termination::Time, Some(Side::Black)));
}

#[tokio::test(start_paused = true)]
async fn chatter_extends_no_deadline() {
    let mut terms = terms(2);
    terms.garbled_tries = None;
    let (mut seats, mut black, _white) = table(1 << 16);
    let start = now();
    let chatter = async {
        loop {
            black.say("1 z9\r").await;
            sleep_until(now() + Duration::from_millis(10)).await;
        }
    };
    let finished = tokio::select! {
        finished = play(terms, &mut seats) => finished,
        () = chatter => unreachable!("it never ends"),
    };
    assert!(now() - start <= 2 * SECOND + Duration::from_millis(2));
    assert_eq!(ending(finished), (Termination::Time, Some(Side::Black)));
}

#[tokio::test(start_paused = true)]
async fn each_side_pays_for_its_own_time_alone() {
    let (mut seats, mut black, mut white) = table(4096);
    let players = async {
        black.hear("352 ").await;
        sleep_until(now() + Duration::from_millis(700)).await;
        black.say("1 c3\r").await;
        black.hear("207 1 secs").await;
        white.hear("313 1 c3 1 ").await;
        sleep_until(now() + Duration::from_millis(1_300)).await;
        white.say("1 ... d4\r").await;
        black.hear("314 1 ... d4 0 ").await;
    };
    let (finished, ()) = tokio::join!(play(terms(2), &mut seats), players);
    let times: Vec<_> = finished.plies.iter().map(|ply| (ply.elapsed, ply.left)).collect();
    let millis = |millis| Some(Duration::from_millis(millis));
    assert_eq!(times, [(millis(700), millis(1_300)), (millis(1_300), millis(700))]);
    assert_eq!(ending(finished), (Termination::Time, Some(Side::Black)));
}

#[tokio::test(start_paused = true)]
async fn without_clocks_the_game_limit_falls_on_the_side_that_used_more() {
    let terms = Terms { game_limit: Some(10 * SECOND), ..Terms::default() };
    let (mut seats, mut black, mut white) = table(4096);
    let start = now();
    let players = async {
        black.hear("352 ").await;
        sleep_until(now() + 8 * SECOND).await;
        black.say("1 c3\r").await;
        white.hear("311 1 c3 ").await;
    };
    let (finished, ()) = tokio::join!(play(terms, &mut seats), players);
    assert!(now() - start <= 10 * SECOND + Duration::from_millis(2));
    assert_eq!(ending(finished), (Termination::Time, Some(Side::Black)));
}

#[tokio::test(start_paused = true)]
async fn a_line_that_arrived_in_time_counts_although_the_arena_was_late() {
    let (mut seats, mut black, mut white) = table(4096);
    let players = async {
        black.hear("352 ").await;
        // The line arrives in time, but the arena only reads it much later.
        black.say("1 c3\r").await;
        tokio::time::advance(3 * SECOND).await;
        black.hear("207 0 secs").await;
        white.hear("313 1 c3 0 ").await;
        white.say("1 ... resign\r").await;
    };
    let (finished, ()) = tokio::join!(play(terms(2), &mut seats), players);
    assert!(finished.plies[0].late_credit);
    assert_eq!(finished.plies[0].left, Some(Duration::ZERO));
    assert_eq!(ending(finished), (Termination::Resignation, Some(Side::White)));
}

#[tokio::test(start_paused = true)]
async fn lines_before_the_turn_are_judged_in_it() {
    let (mut seats, mut black, mut white) = table(4096);
    let players = async {
        white.say("1 ... pass\r").await;
        black.say("1 pass\r").await;
        black.hear("200 Move pass accepted").await;
        white.hear("203 ").await;
        black.hear("326 1 ... pass").await;
    };
    let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
    assert_eq!(ending(finished), (Termination::Normal, None));
}

#[tokio::test(start_paused = true)]
async fn a_flood_out_of_turn_is_a_forfeit() {
    let (mut seats, mut black, mut white) = table(1 << 16);
    let players = async {
        white.say(&"1 ... c3\r".repeat(17)).await;
        black.hear("392 White disconnected").await;
        white.hear("202 ").await;
    };
    let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
    assert_eq!(ending(finished), (Termination::Protocol, Some(Side::White)));
}

#[tokio::test(start_paused = true)]
async fn a_stop_breaks_the_game_off() {
    let (mut seats, mut black, _white) = table(4096);
    let (sender, mut signal) = stop::channel();
    let mut observers = Observers::closed();
    let mut lateness = Lateness::default();
    let around = Surroundings::new(&mut observers, &mut signal, &mut lateness, SleepWatch::new(&AWAKE));
    let stopping = async {
        black.hear("352 ").await;
        sender.raise(Stop::Drain);
        tokio::task::yield_now().await;
        sender.raise(Stop::Now);
    };
    let (finished, ()) = tokio::join!(take_turns(Referee::new(terms(60)), &mut seats, around), stopping);
    assert_eq!(finished, None);
}

#[tokio::test]
async fn a_flood_of_refused_lines_leaves_others_their_turn() {
    const LINES: usize = 1_000;
    let (mut seats, mut black, _white) = table(1 << 20);
    black.say(&"1 z9\r".repeat(LINES)).await;
    let (sender, mut stop) = stop::channel();
    let mut observers = Observers::closed();
    let mut lateness = Lateness::default();
    let around = Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE));
    let mut game = Box::pin(take_turns(Referee::new(Terms::default()), &mut seats, around));
    // As in `serve`, where the task that plays the game also receives late arrivals.
    let finished = loop {
        tokio::select! {
            biased;
            finished = &mut game => break finished,
            () = tokio::task::consume_budget() => sender.raise(Stop::Now),
        }
    };
    assert!(finished.is_none());
    drop(game);
    drop(seats);
    let mut heard = String::new();
    black.stream.read_to_string(&mut heard).await.expect("read");
    assert!(heard.matches("299").count() < LINES / 2, "the flood came first");
}

#[tokio::test(start_paused = true)]
async fn a_side_that_moves_twice_in_a_row_is_charged_for_both_turns() {
    let (mut seats, mut black, mut white) = table(4096);
    let (_sender, mut stop) = stop::channel();
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let around = Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE));
    let referee = Referee::starting_at(Box::new(Uneven::default()), terms(60));
    let players = async {
        black.hear("352 ").await;
        black.say("1 a1\r").await;
        white.hear("313 1 a1 ").await;
        for (turn, seconds) in [("1 ... b1\r", 1), ("2 ... c1\r", 2)] {
            sleep_until(now() + seconds * SECOND).await;
            white.say(turn).await;
            white.hear("207 ").await;
        }
        black.hear("314 2 ... c1 57 ").await;
        for (turn, seconds) in [("2 d1\r", 4), ("3 e1\r", 8)] {
            sleep_until(now() + seconds * SECOND).await;
            black.say(turn).await;
            black.hear("207 ").await;
        }
        white.hear("313 3 e1 ").await;
        white.say("3 ... f1\r").await;
    };
    let (finished, ()) = tokio::join!(take_turns(referee, &mut seats, around), players);
    let finished = finished.expect("it is not stopped");
    assert!(finished.plies.iter().map(Ply::side).eq(MOVERS));
    let record = record(finished);
    assert_eq!(Side::BOTH.map(|side| record.used(side)), [12 * SECOND, 3 * SECOND]);
}
