//! Games in which the programs of teams relieve each other, over in-memory streams with paused time.

use std::time::Duration;

use tokio::task::JoinSet;

use super::group_tests::{Follower, FollowerAction, record, table, terms};
use super::tests::{AWAKE, connected};
use super::{Lateness, Observers, ReliefSource, Reliefs, Surroundings, take_turns};
use crate::base::random::SplitMix64;
use crate::base::stop;
use crate::base::time::{SleepWatch, now, sleep_until};
use crate::game::quantum::Mode;
use crate::game::{BySeat, Move, Position, Seat};
use crate::host::seat::{Attendance, Opened, SeatFailure};
use crate::referee::record::GroupRecord;
use crate::referee::result::Termination;
use crate::referee::sans_io::Referee;
use crate::referee::wire::{Dialect, Response};

/// How long the programs for a mode take to arrive: longer than the time left on any clock.
const START: Duration = Duration::from_mins(1);

/// Programs for the later modes. The program for the seat `absent` never arrives.
#[derive(Debug)]
struct Programs<'a> {
    absent: Option<Seat>,
    playing: &'a mut JoinSet<(Seat, Vec<Response>)>,
    started: &'a mut Vec<(Mode, Vec<Seat>)>,
}

impl ReliefSource for Programs<'_> {
    fn start(&mut self, seats: Vec<Seat>, mode: Mode) -> Reliefs<'_> {
        Box::pin(async move {
            sleep_until(now() + START).await;
            self.started.push((mode, seats.clone()));
            let open = |seat| {
                if self.absent == Some(seat) {
                    let failure = SeatFailure::new(Termination::NoShow, "it did not come");
                    return (seat, Opened::without_child(Attendance::Failed(failure)));
                }
                let (connection, player) = connected(1 << 16);
                let follower = Follower::new(player, seat);
                self.playing.spawn(async move { (seat, follower.play(|_, _| FollowerAction::Play).await) });
                let connection = Box::new(connection.speaking(Dialect::NamesRules));
                (seat, Opened::without_child(Attendance::Seated(connection)))
            };
            Ok(seats.into_iter().map(open).collect())
        })
    }
}

/// What happened in a game with two teams, in the seats 2 and 3.
struct RelievedGame {
    record: GroupRecord,
    /// The lines that each of the first programs has received.
    former: BySeat<Vec<Response>>,
    /// The lines that each later program has received.
    later: Vec<(Seat, Vec<Response>)>,
    started: Vec<(Mode, Vec<Seat>)>,
}

fn teams() -> [Seat; 2] {
    [2, 3].map(|number| Seat::new(number).expect("a seat"))
}

/// Plays a game in which the program for Go of the team in `absent` does not come.
async fn play(absent: Option<Seat>) -> RelievedGame {
    let (mut seats, players) = table();
    let (mut playing, mut later, mut started) = (JoinSet::new(), JoinSet::new(), Vec::new());
    for (seat, follower) in players {
        let leaves = teams().contains(&seat);
        playing.spawn(async move { (seat, follower.in_first_mode(leaves).play(|_, _| FollowerAction::Play).await) });
    }
    let (_sender, mut stop) = stop::channel();
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let programs = Programs { absent, playing: &mut later, started: &mut started };
    let around = Surroundings {
        reliefs: Some(Box::new(programs)),
        ..Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE))
    };
    let referee = Referee::new(terms()).with_teams(BySeat::from_fn(4, |seat| teams().contains(&seat)));
    let finished = take_turns(referee, &mut seats, around).await.expect("it is not stopped");
    seats.leave().await;
    let mut former = BySeat::from_fn(4, |_| Vec::new());
    for (seat, lines) in playing.join_all().await {
        former[seat] = lines;
    }
    let record = record(finished.record(BySeat::from_fn(4, |seat| format!("p{seat}"))));
    RelievedGame { record, former, later: later.join_all().await, started }
}

/// The number of moves that were announced to a player.
fn moves(heard: &[Response]) -> usize {
    heard.iter().filter(|line| matches!(line, Response::MovedInGroup { .. })).count()
}

/// How many moves were made before Go.
fn before_go(record: &GroupRecord) -> usize {
    let mut position = record.ruleset.start();
    let is_before = |ply: &&crate::referee::record::Ply| {
        let is_before = position.mode() != Some(Mode::Go);
        position.play(ply.played.as_str()).expect("legal");
        is_before
    };
    record.plies.iter().take_while(is_before).count()
}

#[tokio::test(start_paused = true)]
async fn a_team_s_programs_change_while_no_clock_runs() {
    let RelievedGame { record, former, later, started } = play(None).await;
    assert!(record.result.is_ok() && record.outs.is_empty(), "{record}");
    assert_eq!(started, [(Mode::Go, teams().to_vec())]);
    let before = before_go(&record);
    for (seat, heard) in former.iter() {
        let expected = if teams().contains(&seat) { before } else { record.plies.len() };
        assert_eq!(moves(heard), expected, "an earlier program receives the last move of its mode, and no more");
    }
    assert_eq!(later.len(), 2);
    for (_, heard) in &later {
        assert!(heard.contains(&Response::MovesSoFar(before)));
        assert_eq!(moves(heard), record.plies.len());
        assert!(matches!(heard.last(), Some(Response::Placed(_))));
    }
    // Every player has less time left than a program takes to start.
    assert!(record.plies.iter().all(|ply| ply.elapsed.is_some_and(|elapsed| elapsed < Duration::from_secs(1))));
}

#[tokio::test(start_paused = true)]
async fn a_team_whose_later_program_does_not_come_drops_out() {
    let [absent, other] = teams();
    let RelievedGame { record, former, later, .. } = play(Some(absent)).await;
    let outs: Vec<_> = record.outs.iter().map(|out| (out.seat, out.after_plies, out.termination)).collect();
    assert_eq!(outs, [(absent, before_go(&record), Termination::NoShow)]);
    let reason = record.outs[0].reason.as_deref();
    assert_eq!(reason, Some("its bot for go: it did not come"));
    let told = Response::DroppedOut { seat: absent, why: Termination::NoShow };
    assert!(former[Seat::FIRST].contains(&told) && !former[absent].contains(&told));
    let [(seat, heard)] = &later[..] else { panic!("one program") };
    assert!(*seat == other && heard.contains(&told));
}

/// The moves before a turn in which the player on move has to pass, the seat to move, and the only seat that can still
/// place a stone, so that Go begins if this seat drops out.
fn before_a_lonely_seat() -> (Vec<Move>, Seat, Seat) {
    let after = |moves: &[Move]| -> Box<dyn Position> {
        let mut position = terms().ruleset.start();
        for played in moves {
            position.play(played.as_str()).expect("legal");
        }
        position
    };
    let mut random = SplitMix64::new(1);
    loop {
        let mut given = Vec::new();
        let mut position = after(&given);
        while position.mode() == Some(Mode::Othello) {
            let (legal, mover) = (position.legal_moves(), position.seat_to_move());
            let begins_go = |seat: &Seat| {
                let mut without = after(&given);
                without.drop_out(*seat);
                without.mode() == Some(Mode::Go)
            };
            let mut others = Seat::all(4).filter(|&seat| seat != mover);
            if legal == [Move::PASS]
                && let Some(lonely) = others.find(begins_go)
            {
                return (given, mover, lonely);
            }
            let chosen = usize::try_from(random.below(legal.len() as u64)).expect("few");
            given.push(position.play(legal[chosen].as_str()).expect("legal"));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_mode_that_another_player_s_end_begins_costs_the_team_on_move_no_time() {
    let (given, mover, leaver) = before_a_lonely_seat();
    let teams: Vec<Seat> = Seat::all(4).filter(|&seat| seat == mover || seat == mover.next(4)).collect();
    let of_team = |seat| teams.contains(&seat) && seat != leaver;
    let (mut seats, players) = table();
    let (mut playing, mut later, mut started) = (JoinSet::new(), JoinSet::new(), Vec::new());
    for (seat, follower) in players {
        let action = if seat == leaver { FollowerAction::Leave } else { FollowerAction::Play };
        let follower = follower.after(&given).in_first_mode(of_team(seat));
        playing.spawn(async move { follower.play(move |_, _| action).await });
    }
    let (_sender, mut stop) = stop::channel();
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let programs = Programs { absent: None, playing: &mut later, started: &mut started };
    let around = Surroundings {
        reliefs: Some(Box::new(programs)),
        ..Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE))
    };
    let referee = Referee::new(terms()).with_prelude(&given).with_teams(BySeat::from_fn(4, of_team));
    let finished = take_turns(referee, &mut seats, around).await.expect("it is not stopped");
    seats.leave().await;
    playing.join_all().await;
    let record = *finished.record(BySeat::from_fn(4, |seat| format!("p{seat}"))).into_two().expect_err("four seats");
    let outs: Vec<_> = record.outs.iter().map(|out| (out.seat, out.after_plies, out.termination)).collect();
    assert_eq!(outs, [(leaver, given.len(), Termination::Disconnect)], "{record}");
    let relieved: Vec<Seat> = Seat::all(4).filter(|&seat| of_team(seat)).collect();
    assert_eq!(started, [(Mode::Go, relieved)]);
    let first = &record.plies[given.len()];
    assert_eq!(first.seat, mover);
    assert!(
        record.plies[given.len()..]
            .iter()
            .all(|ply| ply.elapsed.is_some_and(|elapsed| elapsed < Duration::from_secs(1)))
    );
    for (_, heard) in later.join_all().await {
        assert!(heard.contains(&Response::MovesSoFar(given.len())), "{heard:?}");
        assert!(heard.contains(&Response::DroppedOut { seat: leaver, why: Termination::Disconnect }));
    }
}
