//! Tests of the queue: which game is next, and which player is called.

use super::*;
use crate::game::{BySide, Side};
use crate::host::line::{Connection, Stream};
use crate::referee::wire::SeatWish;
use crate::tournament::schedule::Decided;

const CAROL: PlayerIndex = 0;

/// A queue for `players`: carol and dave are remote, and all other players are local.
fn queue(players: &[&str]) -> Queue {
    queue_of("", players)
}

/// Like [`queue`], with `keys` at the top of the file.
fn queue_of(keys: &str, players: &[&str]) -> Queue {
    let players: String = players
        .iter()
        .map(|name| match *name {
            "carol" | "dave" => {
                format!("[[player]]\nname = \"{name}\"\nremote = true\ntoken = \"a word of {name}\"\n")
            }
            _ => format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n"),
        })
        .collect();
    let text = format!("listen = \"127.0.0.1:0\"\n{keys}\n{players}");
    let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems:?}"));
    let schedule = Schedule::new(&tournament);
    Queue::new(&tournament, schedule, Results::default())
}

/// Connects `player`, which requests the seat `wish`. The returned value keeps the connection open.
fn arrives(queue: &mut Queue, player: PlayerIndex, wish: SeatWish) -> tokio::io::DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1024);
    queue.receive(RemotePlayer { player, connection: Connection::new(Stream::Duplex(ours)), wish });
    theirs
}

fn side_of(next: &NextGame, player: PlayerIndex) -> Side {
    if next.spec.pair().black == player { Side::Black } else { Side::White }
}

fn plays(next: &NextGame, player: PlayerIndex) -> bool {
    Side::BOTH.iter().any(|&side| next.spec.players[side] == player)
}

#[tokio::test]
async fn local_games_do_not_wait_for_a_remote_player() {
    let mut queue = queue(&["carol", "ann", "bob"]);
    let picked: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
    assert_eq!(picked.len(), 2);
    assert!(picked.iter().all(|next| !plays(next, CAROL)));
    assert!(!queue.is_done());
    // Only one game at a time waits for carol, and she is called only once.
    assert_eq!(queue.call_players().len(), 1);
    assert_eq!(queue.call_players(), []);
}

#[tokio::test]
async fn a_player_that_asks_for_a_side_plays_its_next_game_with_that_side() {
    for side in Side::BOTH {
        let mut queue = queue(&["carol", "ann", "bob"]);
        let _open = arrives(&mut queue, CAROL, SeatWish::Only(side.into()));
        let next = queue.next_game().expect("a game");
        assert_eq!(side_of(&next, CAROL), side);
        let first = queue
            .schedule
            .games()
            .enumerate()
            .find(|(_, spec)| spec.players[side] == CAROL)
            .map(|(number, _)| number as u64);
        assert_eq!(Some(next.spec.number), first);
        assert!(matches!(next.attending[side], Some(Attendance::Seated(_))));
    }
}

#[tokio::test]
async fn a_player_that_takes_either_side_plays_its_games_in_order_one_at_a_time() {
    let mut queue = queue(&["carol", "ann"]);
    let _open = [arrives(&mut queue, CAROL, SeatWish::Any), arrives(&mut queue, CAROL, SeatWish::Any)];
    let first = queue.next_game().expect("a game");
    assert_eq!(first.spec.number, 0);
    assert!(queue.next_game().is_none(), "its first game is still on");
    queue.ended(&first.spec.players);
    assert_eq!(queue.next_game().map(|next| next.spec.number), Some(1));
    assert!(queue.is_done());
}

#[tokio::test]
async fn connections_are_refused_once_no_game_is_left_for_them() {
    let mut queue = queue(&["carol", "ann"]);
    let _first = arrives(&mut queue, CAROL, SeatWish::Only(Side::Black.into()));
    let mut second = arrives(&mut queue, CAROL, SeatWish::Only(Side::Black.into()));
    let next = queue.next_game().expect("a game");
    queue.ended(&next.spec.players);
    // The only game in which carol is black has begun, so the other connection has no game left.
    let mut heard = [0; 3];
    tokio::io::AsyncReadExt::read_exact(&mut second, &mut heard).await.expect("it is told");
    assert_eq!(&heard, b"191");
    assert!(!queue.waitlist.somebody_waits());
}

#[tokio::test(start_paused = true)]
async fn a_player_that_does_not_come_in_time_is_a_no_show() {
    let mut queue = queue(&["carol", "ann"]);
    assert!(queue.next_game().is_none());
    assert_eq!(queue.call_players().len(), 1);
    let due = queue.next_deadline().expect("a deadline");
    assert_eq!(due, now() + Duration::from_mins(5));
    tokio::time::advance(Duration::from_mins(5)).await;
    let next = queue.next_game().expect("a game");
    let failure = Side::BOTH.into_iter().find_map(|side| match &next.attending[side] {
        Some(Attendance::Failed(failure)) => Some(failure.clone()),
        _ => None,
    });
    assert_eq!(failure.map(|failure| failure.termination), Some(Termination::NoShow));
}

#[tokio::test]
async fn two_remote_players_begin_when_both_are_there() {
    let mut queue = queue(&["carol", "dave"]);
    let dave = 1;
    let _carol = arrives(&mut queue, CAROL, SeatWish::Only(Side::White.into()));
    assert!(queue.next_game().is_none());
    let _dave = arrives(&mut queue, dave, SeatWish::Any);
    let next = queue.next_game().expect("a game");
    assert_eq!((side_of(&next, CAROL), side_of(&next, dave)), (Side::White, Side::Black));
    assert!(Side::BOTH.iter().all(|&side| matches!(next.attending[side], Some(Attendance::Seated(_)))));
}

#[tokio::test]
async fn a_player_that_leaves_while_waiting_is_forgotten() {
    let mut queue = queue(&["carol", "ann"]);
    drop(arrives(&mut queue, CAROL, SeatWish::Any));
    queue.somebody_leaves().await;
    assert!(queue.next_game().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_void_game_is_played_again_after_longer_and_longer_pauses() {
    let mut queue = queue(&["ann", "bob"]);
    let first = queue.next_game().expect("a game");
    let other = queue.next_game().expect("a game");
    assert!(queue.next_game().is_none() && queue.is_done());
    for (pause, nth) in [(250, 1), (1000, 2)] {
        assert_eq!(queue.put_back(&first.spec), Some(Retry { nth, of: 2 }));
        assert!(!queue.is_done() && queue.next_game().is_none());
        let start = now();
        crate::base::time::sleep_until(queue.next_deadline().expect("it is due")).await;
        assert_eq!((now() - start).as_millis(), pause);
        let again = queue.next_game().expect("it is played again");
        assert_eq!((again.spec.number, &again.spec), (first.spec.number, &first.spec));
        assert!(queue.is_done());
    }
    // By default, there are two more attempts at a game, independently of other games.
    assert!(queue.put_back(&first.spec).is_none() && queue.is_done());
    assert!(queue.put_back(&other.spec).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_remote_player_gets_its_void_game_again() {
    let mut queue = queue(&["carol", "ann"]);
    let _first = arrives(&mut queue, CAROL, SeatWish::Only(Side::Black.into()));
    let next = queue.next_game().expect("a game");
    queue.ended(&next.spec.players);
    assert!(queue.put_back(&next.spec).is_some());
    crate::base::time::sleep_until(queue.next_deadline().expect("it is due")).await;
    let _second = arrives(&mut queue, CAROL, SeatWish::Only(Side::Black.into()));
    let again = queue.next_game().expect("the same game");
    assert_eq!((again.spec.number, &again.spec), (next.spec.number, &next.spec));
    let black = again.attending.into_iter().next().and_then(|(_, attendance)| attendance);
    assert!(black.is_some_and(|attendance| matches!(attendance, Attendance::Seated(_))));
}

#[tokio::test(start_paused = true)]
async fn games_that_depend_on_a_void_game_wait_for_it() {
    let mut queue = queue_of("format = \"knockout\"\nvoid_retries = 1", &["ann", "bob", "cid"]);
    let semifinal: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
    let [one, other] = &semifinal[..] else { panic!("two games, not {}", semifinal.len()) };
    queue.add_result(one.spec.id.clone(), Decided::Won(side_of(one, 2)));
    assert!(queue.put_back(&other.spec).is_some());
    assert!(queue.next_game().is_none() && !queue.is_done());
    crate::base::time::sleep_until(queue.next_deadline().expect("it is due")).await;
    let again = queue.next_game().expect("it is played again");
    assert_eq!(again.spec.number, other.spec.number);
    assert!(queue.put_back(&again.spec).is_none());
    assert!(queue.next_game().is_none() && queue.is_done(), "the final cannot be played");
}

#[tokio::test]
async fn games_that_depend_on_results_come_up_once_these_are_in() {
    let mut queue = queue_of("format = \"knockout\"", &["ann", "bob", "cid"]);
    let first: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
    assert_eq!(first.iter().map(|next| next.spec.number).collect::<Vec<_>>(), [0, 1]);
    assert!(queue.is_done(), "nothing can begin before these have ended");
    for next in first {
        let winner = side_of(&next, 2);
        queue.add_result(next.spec.id, Decided::Won(winner));
    }
    assert!(!queue.is_done());
    let last: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
    assert_eq!(last.iter().map(|next| next.spec.number).collect::<Vec<_>>(), [2, 3]);
    assert!(last.iter().all(|next| plays(next, 0) && plays(next, 2)));
    assert!(queue.is_done());
}

#[tokio::test]
async fn a_remote_player_waits_for_games_that_depend_on_results() {
    let mut queue = queue_of("format = \"knockout\"", &["carol", "ann", "bob"]);
    let mut open = arrives(&mut queue, CAROL, SeatWish::Only(Side::White.into()));
    let first: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
    assert!(first.len() == 2 && !first.iter().any(|next| plays(next, CAROL)));
    for next in first {
        let winner = next_winner(next.spec.pair());
        queue.add_result(next.spec.id, Decided::Won(winner));
    }
    let white = queue.next_game().expect("the final");
    assert_eq!((side_of(&white, CAROL), white.spec.number), (Side::White, 3));
    queue.ended(&white.spec.players);
    drop(open);
    let _black = arrives(&mut queue, CAROL, SeatWish::Only(Side::Black.into()));
    let black = queue.next_game().expect("the other game of the final");
    assert_eq!((side_of(&black, CAROL), black.spec.number), (Side::Black, 2));
    queue.ended(&black.spec.players);
    for (next, winner) in [(white, Side::White), (black, Side::Black)] {
        queue.add_result(next.spec.id, Decided::Won(winner));
    }
    assert!(queue.next_game().is_none() && queue.is_done());
    // A tie is no longer possible, so a player that connects now is turned away.
    open = arrives(&mut queue, CAROL, SeatWish::Any);
    let mut heard = [0; 3];
    tokio::io::AsyncReadExt::read_exact(&mut open, &mut heard).await.expect("it is told");
    assert_eq!(&heard, b"191");
}

/// Player 1, Ann, wins.
fn next_winner(players: BySide<PlayerIndex>) -> Side {
    if players.black == 1 { Side::Black } else { Side::White }
}

#[tokio::test]
async fn a_decided_test_calls_off_all_games_that_have_not_begun() {
    let mut queue = queue_of("format = \"sprt\"\nelo1 = 1000\nmax_pairs = 50", &["carol", "ann"]);
    let mut rounds = 0;
    while !queue.is_done() || rounds == 0 {
        rounds += 1;
        let _open = arrives(&mut queue, CAROL, SeatWish::Any);
        let Some(next) = queue.next_game() else { break };
        queue.ended(&next.spec.players);
        let winner = side_of(&next, CAROL);
        queue.add_result(next.spec.id, Decided::Won(winner));
    }
    assert!(rounds < 40 && queue.next_game().is_none() && queue.is_done(), "{rounds} games");
    assert!(queue.held.is_empty() && queue.next_deadline().is_none());
}

#[tokio::test]
async fn games_with_results_are_skipped() {
    for format in ["round-robin", "swiss"] {
        let keys = format!("format = \"{format}\"");
        let text = format!(
            "{keys}\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n"
        );
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut schedule = Schedule::new(&tournament);
        let Step::Game(first) = schedule.next(&Results::default()) else { panic!("a game") };
        let results: Results = [(first.id, Decided::Drawn)].into_iter().collect();
        let schedule = Schedule::new(&tournament);
        let mut queue = Queue::new(&tournament, schedule, results);
        assert_eq!(queue.next_game().map(|next| next.spec.number), Some(1));
        assert!(queue.next_game().is_none() && queue.is_done());
    }
}
