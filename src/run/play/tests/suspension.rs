//! Machines that sleep.

use std::sync::Arc;

use super::super::Arena;
use super::*;
use crate::host::seat::{Attendance, SeatFailure};
use crate::referee::result::Void;
use crate::run::entrants::Entrant;
use crate::tournament::Tournament;
use crate::tournament::schedule::Schedule;

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
        // A busy machine may cause a delay of this length.
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
