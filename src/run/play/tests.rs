//! Games over in-memory streams with paused time: time passes only while every task waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::{Arena, Attempt, Lateness, Observers, Prover, SeatedPlayer, SeatedPlayers, Surroundings, take_turns};
use crate::base::stop::{self, Stop, StopSignal};
use crate::base::time::{SleepWatch, Suspended, now, sleep_until};
use crate::exact::adjudication::{Adjudication, Case};
use crate::game::{BySide, Outcome, Side};
use crate::host::line::{Connection, Stream};
use crate::host::seat::{Attendance, SeatFailure};
use crate::referee::record::{GameRecord, Ply, check};
use crate::referee::result::{GameEnd, GameResult, Termination, Void};
use crate::referee::sans_io::{Finished, Referee, Terms};
use crate::referee::time_control::TimeControl;
use crate::referee::uneven::{MOVERS, Uneven};
use crate::run::entrants::Entrant;
use crate::tournament::Tournament;
use crate::tournament::schedule::Schedule;

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

/// Asserts that the record describes a game that could have been played, and survives being written and read.
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
async fn complete_lines_before_the_connections_end_are_judged_first() {
    let (mut seats, mut black, mut white) = table(4096);
    let players = async {
        black.hear("352 ").await;
        black.say("1 pass\r").await;
        white.hear("315 ").await;
        white.say("1 ... pass").await;
        drop(white);
        black.hear("326 1 ... pass").await;
    };
    let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
    assert_eq!(ending(finished), (Termination::Normal, None));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_connection_ends_the_game_whoever_is_on_move() {
    for gone in Side::BOTH {
        let (mut seats, mut black, mut white) = table(4096);
        let players = async {
            black.hear("352 ").await;
            white.hear("351 ").await;
            let left = match gone {
                Side::Black => {
                    drop(black);
                    &mut white
                }
                Side::White => {
                    drop(white);
                    &mut black
                }
            };
            left.hear(if gone == Side::Black { "391 Black disconnected" } else { "392 White disconnected" }).await;
        };
        let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
        assert_eq!(ending(finished), (Termination::Disconnect, Some(gone)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_player_that_sends_its_moves_and_closes_its_sending_half_has_them_judged() {
    for moves in ["1 c3\r2 pass\r", "1 c3\r2 pass"] {
        let (mut seats, mut black, mut white) = table(4096);
        let players = async {
            black.say(moves).await;
            black.stream.shutdown().await.expect("shut down");
            white.hear("311 1 c3 ").await;
            white.say("1 ... d4\r").await;
            black.hear("312 1 ... d4 ").await;
            white.hear("315 2 pass ").await;
            // The answer to its last move ends the game, so the player does not owe another line.
            white.say("2 ... pass\r").await;
            black.hear("2 ... pass and ").await;
        };
        let (finished, ()) = tokio::join!(play(Terms::default(), &mut seats), players);
        assert_eq!(ending(finished), (Termination::Normal, None));
    }
}

#[tokio::test(start_paused = true)]
async fn a_player_that_never_reads_holds_up_nobody() {
    // The stream has a capacity of eight bytes; everything else sent to the player stays with the arena.
    let (mut seats, mut black, mut white) = table(8);
    let players = async {
        for number in 1..=3 {
            white.hear(&format!("317 {number} pass")).await;
            white.say(&format!("{number} ... {}\r", ["c3", "d4", "e5"][number - 1])).await;
        }
    };
    let writer = async {
        black.say("1 pass\r2 pass\r3 pass\r").await;
        black
    };
    let game = play(terms(60), &mut seats);
    let (finished, (), _black) = tokio::join!(game, players, writer);
    assert_eq!(finished.plies.len(), 6);
    assert_eq!(ending(finished), (Termination::Time, Some(Side::Black)));
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

/// Terms under which a proof of the outcome is attempted after every move.
fn adjudicated(seconds: u64) -> Terms {
    Terms { adjudicate: Adjudication::new(1_000, 0), ..terms(seconds) }
}

/// Records that it was dropped.
struct Dropped<'a>(&'a AtomicU64);

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Relaxed);
    }
}

/// A game whose proofs are attempted by `prover`, and which `stop` aborts.
async fn play_proving(
    terms: Terms,
    seats: &mut SeatedPlayers,
    prover: Prover<'_>,
    stop: &mut StopSignal,
) -> Option<Finished> {
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let around =
        Surroundings { prover, ..Surroundings::new(&mut observers, stop, &mut lateness, SleepWatch::new(&AWAKE)) };
    take_turns(Referee::new(terms), seats, around).await
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_proof_is_charged_to_nobody() {
    let (mut seats, mut black, mut white) = table(4096);
    // Far longer than the clocks; the second attempt succeeds.
    let slow = |case: Case| -> Attempt {
        Box::pin(async move {
            sleep_until(now() + 50 * SECOND).await;
            let is_second = case.position().to_string().contains(Side::White.letter());
            is_second.then_some(Outcome { winner: Some(Side::White), margin: None })
        })
    };
    let start = now();
    let players = async {
        black.hear("352 ").await;
        sleep_until(now() + SECOND / 2).await;
        black.say("1 c3\r").await;
        white.hear("313 1 c3 1 ").await;
        assert_eq!(now() - start, SECOND / 2 + 50 * SECOND, "it is told when the attempt is over");
        sleep_until(now() + SECOND).await;
        white.say("1 ... d4\r").await;
        white.hear("201 Move d4 accepted, You win").await;
        white.hear("323 1 ... d4 and white wins").await;
        black.hear("323 1 ... d4 and white wins").await;
    };
    let (_sender, mut stop) = stop::channel();
    let (finished, ()) = tokio::join!(play_proving(adjudicated(2), &mut seats, Prover::new(&slow), &mut stop), players);
    let finished = finished.expect("it is not stopped");
    let times: Vec<_> = finished.plies.iter().map(|ply| (ply.elapsed, ply.left)).collect();
    let millis = |millis| Some(Duration::from_millis(millis));
    assert_eq!(times, [(millis(500), millis(1_500)), (millis(1_000), millis(1_000))]);
    assert_eq!(
        finished.result,
        Ok(GameEnd::Two(GameResult::adjudicated(Outcome { winner: Some(Side::White), margin: None })))
    );
    // This was not a real proof, which is detected when the proof is repeated.
    assert!(check(&record(finished)).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_proof_is_given_up_when_the_run_is_stopped_and_when_a_player_leaves() {
    for stopped in [true, false] {
        let (mut seats, mut black, mut white) = table(4096);
        let (begun, dropped) = (&*Box::leak(Box::new(AtomicU64::new(0))), &*Box::leak(Box::new(AtomicU64::new(0))));
        let endless = |_: Case| -> Attempt {
            begun.fetch_add(1, Relaxed);
            let guard = Dropped(dropped);
            Box::pin(async move {
                let _guard = guard;
                std::future::pending().await
            })
        };
        let (sender, mut stop) = stop::channel();
        let players = async {
            black.hear("352 ").await;
            black.say("1 c3\r").await;
            while begun.load(Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(dropped.load(Relaxed), 0);
            if stopped {
                sender.raise(Stop::Now);
            } else {
                drop(black);
                white.hear("313 1 c3 ").await;
                white.hear("391 Black disconnected").await;
            }
        };
        let game = play_proving(adjudicated(2), &mut seats, Prover::new(&endless), &mut stop);
        let (finished, ()) = tokio::join!(game, players);
        assert_eq!((begun.load(Relaxed), dropped.load(Relaxed)), (1, 1));
        match finished {
            None => assert!(stopped),
            Some(finished) => {
                assert!(!stopped && finished.plies.len() == 1);
                assert_eq!(ending(finished), (Termination::Disconnect, Some(Side::Black)));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lines_sent_before_the_end_of_a_connection_during_a_proof_are_judged() {
    let slow = |_: Case| -> Attempt {
        Box::pin(async move {
            sleep_until(now() + 50 * SECOND).await;
            None
        })
    };
    let (mut seats, mut black, mut white) = table(4096);
    let (_sender, mut stop) = stop::channel();
    let players = async {
        black.hear("352 ").await;
        black.say("1 c3\r").await;
        sleep_until(now() + SECOND).await;
        white.say("1 ... d4\r").await;
        white.stream.shutdown().await.expect("shut down");
        black.hear("314 1 ... d4 ").await;
        black.say("2 e3\r").await;
        black.hear("392 White disconnected").await;
    };
    let game = play_proving(adjudicated(2), &mut seats, Prover::new(&slow), &mut stop);
    let (finished, ()) = tokio::join!(game, players);
    let finished = finished.expect("it is not stopped");
    assert_eq!(finished.plies.len(), 3);
    assert_eq!(ending(finished), (Termination::Disconnect, Some(Side::White)));
}
#[tokio::test(start_paused = true)]
async fn a_thread_that_tries_a_proof_keeps_no_other_game_waiting() {
    // The first move does not decide anything that could be proven this early.
    let terms = Terms { adjudicate: Adjudication::new(10_000_000, 0), ..terms(2) };
    let (mut seats, mut black, _white) = table(4096);
    let (sender, mut stop) = stop::channel();
    let turns = AtomicU64::new(0);
    let players = async {
        black.hear("352 You will play black\r\n").await;
        black.say("1 c3\r").await;
        // The attempt takes the solver far longer than these steps.
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
            turns.fetch_add(1, Relaxed);
        }
        tokio::select! {
            biased;
            () = black.hear("207 ") => panic!("everything else has waited for the attempt"),
            () = tokio::task::yield_now() => {}
        }
        sender.raise(Stop::Now);
    };
    let game = play_proving(terms, &mut seats, Prover::default(), &mut stop);
    let (finished, ()) = tokio::join!(game, players);
    assert_eq!((finished, turns.load(Relaxed)), (None, 1_000));
}

/// The reason why a game is void if the machine slept during it.
const SLEPT: &str = "the machine was suspended for 3.2 s";

#[tokio::test(start_paused = true)]
async fn a_game_during_which_the_machine_slept_is_void() {
    let (mut seats, mut black, mut white) = table(4096);
    let slept = AtomicU64::new(7);
    let suspended = || exactly(Duration::from_millis(slept.load(Relaxed)));
    let (_sender, mut stop) = stop::channel();
    let mut observers = Observers::closed();
    let sleep = SleepWatch::new(&suspended);
    let mut lateness = Lateness::default();
    let around = Surroundings::new(&mut observers, &mut stop, &mut lateness, sleep);
    let players = async {
        black.hear("352 ").await;
        // This is no longer than a busy machine may take.
        slept.fetch_add(100, Relaxed);
        black.say("1 pass\r").await;
        white.hear("317 ").await;
        white.say("1 ... z9\r").await;
        white.hear("299 ").await;
        slept.fetch_add(3_100, Relaxed);
        sleep_until(now() + SECOND).await;
        // This line would have ended the game.
        white.say("1 ... pass\r").await;
        for player in [&mut black, &mut white] {
            player.hear(&format!("399 Problem: the game is void: {SLEPT}")).await;
        }
    };
    let (finished, ()) = tokio::join!(take_turns(Referee::new(terms(60)), &mut seats, around), players);
    let record = record(finished.expect("it is not stopped"));
    assert_eq!(record.result, Err(Void { reason: SLEPT.to_owned() }));
    assert_eq!((record.plies.len(), record.unfinished.as_ref().and_then(|turn| turn.elapsed)), (1, Some(SECOND)));
    assert_holds(&record);
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_slept_while_its_players_came_makes_the_game_void_before_it_starts() {
    let tournament = Tournament::parse(
        "listen = \"127.0.0.1:0\"\n[[player]]\nname = \"a\"\nremote = true\ntoken = \"a word of a\"\n\
         [[player]]\nname = \"b\"\nremote = true\ntoken = \"a word of b\"\n",
        "test",
    );
    let tournament = Arc::new(tournament.unwrap_or_else(|problems| panic!("{problems:?}")));
    let spec = Schedule::new(&tournament).games().next().expect("a game");
    let arena = Arena::new(tournament, vec![Entrant::Remote, Entrant::Remote]);
    for absent in [None, Some(Side::White)] {
        let ((black_connection, mut black), (white_connection, mut white)) = (connected(4096), connected(4096));
        let connections = BySide { black: (Side::Black, black_connection), white: (Side::White, white_connection) };
        let attending = connections.map(|(side, connection)| {
            Some(if absent == Some(side) {
                Attendance::Failed(SeatFailure::new(Termination::NoShow, "it slept"))
            } else {
                Attendance::Seated(Box::new(connection))
            })
        });
        let slept = AtomicU64::new(7);
        let suspended = || exactly(Duration::from_millis(slept.fetch_add(3_200, Relaxed)));
        let (_sender, stop) = stop::channel();
        let players = async {
            black.hear("100 ").await;
            assert!(black.until_the_end().await.starts_with(&format!("399 Problem: the game is void: {SLEPT}")));
            let left = white.until_the_end().await;
            assert_eq!(left.contains("399 "), absent.is_none(), "{left}");
        };
        let game = arena.play_watched(&spec, attending.into(), stop, SleepWatch::new(&suspended));
        let (played, ()) = tokio::join!(game, players);
        let record = played.expect("it is not stopped").record.into_two().expect("two seats");
        assert_eq!(record.result, Err(Void { reason: SLEPT.to_owned() }));
        assert_holds(&record);
    }
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
