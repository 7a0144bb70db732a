//! Games in which the programs of teams relieve each other, over in-memory streams with paused time.

use std::time::Duration;

use tokio::task::JoinSet;

use super::group_tests::{Deed, Follower, record, table, terms};
use super::tests::{AWAKE, connected};
use super::{Lateness, Observers, ReliefSource, Reliefs, Surroundings, take_turns};
use crate::base::stop;
use crate::base::time::{SleepWatch, now, sleep_until};
use crate::game::quantum::Mode;
use crate::game::{BySeat, Seat};
use crate::host::seat::{Attendance, Opened, SeatFailure};
use crate::referee::record::GroupRecord;
use crate::referee::result::Termination;
use crate::referee::sans_io::Referee;
use crate::referee::wire::{Dialect, Response};

/// How long the programs for a mode take to come: longer than any clock shows.
const START: Duration = Duration::from_mins(1);

/// Programs for the later modes. That of the seat `absent` does not come.
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
                self.playing.spawn(async move { (seat, follower.play(|_, _| Deed::Play).await) });
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
    /// What each of the first programs has heard.
    former: BySeat<Vec<Response>>,
    /// What each later program has heard.
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
        playing.spawn(async move { (seat, follower.in_first_mode(leaves).play(|_, _| Deed::Play).await) });
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

/// The moves that a player has been told.
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
        assert_eq!(moves(heard), expected, "a former program hears the last move of its mode, and no more");
    }
    assert_eq!(later.len(), 2);
    for (_, heard) in &later {
        assert!(heard.contains(&Response::MovesSoFar(before)));
        assert_eq!(moves(heard), record.plies.len());
        assert!(matches!(heard.last(), Some(Response::Placed(_))));
    }
    // Everybody has less time than a program takes to start.
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
