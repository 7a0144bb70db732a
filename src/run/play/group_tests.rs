//! Games with more than two seats over in-memory streams with paused time.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use super::tests::{AWAKE, Player, connected};
use super::{Arena, Lateness, Observers, SeatedPlayer, SeatedPlayers, Surroundings, take_turns};
use crate::base::stop::{self, Stop};
use crate::base::time::{SleepWatch, now, sleep_until};
use crate::game::{BySeat, Move, Position, Ruleset, Seat};
use crate::host::seat::{Attendance, SeatFailure};
use crate::referee::record::{GroupRecord, LoggedGame};
use crate::referee::result::Termination;
use crate::referee::sans_io::{Referee, Terms};
use crate::referee::wire::{Dialect, Response};
use crate::run::entrants::Entrant;
use crate::tournament::Tournament;
use crate::tournament::schedule::{GameId, GameSpec};

const SECOND: Duration = Duration::from_secs(1);

/// How long a player may take to leave.
const QUIT_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a player thinks about each move.
const PAUSE: Duration = Duration::from_millis(20);

fn ruleset() -> Ruleset {
    "quantum-8-4p".parse().expect("a rule set")
}

pub(super) fn terms() -> Terms {
    let time_control = "5+1".parse().expect("a time control");
    Terms { ruleset: ruleset(), time_control, illegal_tries: Some(2), garbled_tries: Some(2), ..Terms::default() }
}

fn seat(number: u8) -> Seat {
    Seat::new(number).expect("a seat")
}

/// What a player does when it is on move, or when it has received a line while another player is on move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FollowerAction {
    /// The player plays, if it is on move.
    Play,
    /// The player sends this line, and does not play before it has received another line.
    Say(&'static str),
    /// The player sends this line many times.
    Flood(&'static str),
    /// The player never sends anything again.
    Hang,
    /// The player closes its connection.
    Leave,
}

/// A player that follows its game by the lines that it receives.
pub(super) struct Follower {
    player: Player,
    seat: Seat,
    position: Box<dyn Position>,
    /// How many moves the player has made.
    moves: usize,
    /// How many moves all players have made.
    plies: usize,
    /// How many moves all players had made when this player sent its last line in its own turn, unless that line was
    /// refused.
    said_at: Option<usize>,
    heard: Vec<Response>,
    /// How many moves are announced to the player before its first turn.
    told: usize,
    /// Whether the player leaves when a mode ends.
    leaves_after_mode: bool,
}

impl Follower {
    pub(super) fn new(player: Player, seat: Seat) -> Self {
        let position = ruleset().start();
        let heard = Vec::new();
        Self { player, seat, position, moves: 0, plies: 0, said_at: None, heard, told: 0, leaves_after_mode: false }
    }

    /// The same player, which leaves at the end of the first mode if `leaves` is true.
    pub(super) fn in_first_mode(self, leaves: bool) -> Self {
        Self { leaves_after_mode: leaves, ..self }
    }

    /// The same player, in a game in which the moves `given` have already been played.
    pub(super) fn after(mut self, given: &[Move]) -> Self {
        for given in given {
            self.moves += usize::from(self.position.seat_to_move() == self.seat);
            self.position.play(given.as_str()).expect("legal");
        }
        self
    }

    /// Plays to the end, unless `action` says otherwise. `action` receives the number of the player's moves, and
    /// whether the player is on move. Returns everything that the player has received.
    pub(super) async fn play(mut self, mut action: impl FnMut(usize, bool) -> FollowerAction) -> Vec<Response> {
        while let Some(line) = self.player.line().await {
            let response: Response = line.parse().unwrap_or_else(|error| panic!("{line}: {error}"));
            self.heard.push(response.clone());
            match response {
                Response::MovedInGroup { seat, played, .. } => {
                    assert_eq!(seat, self.position.seat_to_move(), "{line}");
                    self.position.play(played.as_str()).unwrap_or_else(|why| panic!("{line}: {why}"));
                    self.plies += 1;
                    self.moves += usize::from(seat == self.seat && self.plies <= self.told);
                }
                Response::MovesSoFar(moves) => self.told = moves,
                Response::DroppedOut { seat, .. } => self.position.drop_out(seat),
                Response::YouPlaySeat(seat) => assert_eq!(seat, self.seat),
                Response::Illegal(_) | Response::Garbled(_) => self.said_at = None,
                _ => continue,
            }
            let has_begun = self.plies >= self.told && self.heard.iter().any(|line| line.code() == 354);
            if !has_begun || self.position.is_over() || !self.position.is_in(self.seat) {
                continue;
            }
            if self.leaves_after_mode && self.position.mode() != ruleset().start().mode() {
                continue;
            }
            let is_on_move = self.position.seat_to_move() == self.seat;
            // A player that drops out does not begin another turn.
            if is_on_move && self.said_at.replace(self.plies) == Some(self.plies) {
                continue;
            }
            match action(self.moves, is_on_move) {
                FollowerAction::Play if is_on_move => self.make_move().await,
                FollowerAction::Play => {}
                FollowerAction::Say(text) => self.player.say(&format!("{text}\r")).await,
                FollowerAction::Flood(text) => self.player.say(&format!("{text}\r").repeat(40)).await,
                FollowerAction::Hang => {
                    while let Some(line) = self.player.line().await {
                        self.heard.push(line.parse().expect("a response"));
                    }
                }
                FollowerAction::Leave => return self.heard,
            }
        }
        self.heard
    }

    async fn make_move(&mut self) {
        sleep_until(now() + PAUSE).await;
        // Passes shorten the game.
        let legal = self.position.legal_moves();
        let played = legal.iter().rev().find(|played| played.is_pass()).unwrap_or(&legal[0]);
        self.moves += 1;
        let dots = "... ".repeat(self.seat.index());
        self.player.say(&format!("{} {dots}{played}\r", self.moves)).await;
    }
}

/// The seats of a game of four, and their players.
pub(super) fn table() -> (SeatedPlayers, BySeat<Follower>) {
    let (mut seats, mut players) = (Vec::new(), Vec::new());
    for seat in Seat::all(4) {
        let (connection, player) = connected(1 << 14);
        let speaking = connection.speaking(Dialect::NamesRules);
        seats.push(SeatedPlayer::without_child(speaking));
        players.push(Follower::new(player, seat));
    }
    let seats = BySeat::new(seats).expect("four seats");
    (SeatedPlayers::new(seats, QUIT_TIMEOUT), BySeat::new(players).expect("four seats"))
}

/// Plays a game in which the player in each seat behaves as `action` says, and returns its record and what each player
/// has received.
async fn play(
    terms: Terms,
    action: impl Fn(Seat, usize, bool) -> FollowerAction + Clone + Send + 'static,
) -> (GroupRecord, BySeat<Vec<Response>>) {
    let (mut seats, players) = table();
    let mut playing = JoinSet::new();
    for (seat, follower) in players {
        let action = action.clone();
        playing.spawn(
            async move { (seat, follower.play(move |moves, is_on_move| action(seat, moves, is_on_move)).await) },
        );
    }
    let (_sender, mut stop) = stop::channel();
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let around = Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE));
    let finished = take_turns(Referee::new(terms), &mut seats, around).await.expect("it is not stopped");
    seats.leave().await;
    let mut heard = BySeat::from_fn(4, |_| Vec::new());
    for (seat, lines) in playing.join_all().await {
        heard[seat] = lines;
    }
    (record(finished.record(BySeat::from_fn(4, |seat| format!("p{seat}")))), heard)
}

/// The record of a game of four. Checks that the game could have been played, and that its record survives being
/// written and read.
pub(super) fn record(game: LoggedGame) -> GroupRecord {
    assert_eq!(game.to_string().parse().as_ref(), Ok(&game));
    let record = *game.into_two().expect_err("four seats");
    if let Err(error) = record.check() {
        panic!("{error}\n{record}");
    }
    record
}

/// The seats that have dropped out, and why.
fn outs(record: &GroupRecord) -> Vec<(u8, Termination)> {
    record.outs.iter().map(|out| (out.seat.number(), out.termination)).collect()
}

#[tokio::test(start_paused = true)]
async fn four_players_play_to_the_end_and_each_pays_for_its_own_time() {
    let (record, heard) = play(terms(), |_, _, _| FollowerAction::Play).await;
    assert!(record.result.is_ok() && record.outs.is_empty());
    assert!(record.plies.iter().all(|ply| ply.elapsed == Some(PAUSE)), "{record:?}");
    let placings = heard.values().map(|lines| lines.last());
    let placing = record.result.map(|standing| Response::Placed(standing.placing));
    assert!(placings.eq(std::iter::repeat_n(placing.as_ref().ok(), 4)));
}

/// Every way a player can fail in its own turn.
const ON_MOVE: [(FollowerAction, Termination); 6] = [
    (FollowerAction::Leave, Termination::Disconnect),
    (FollowerAction::Hang, Termination::Time),
    (FollowerAction::Say("9 a1"), Termination::Protocol),
    (FollowerAction::Say("3 ... d4"), Termination::Illegal),
    (FollowerAction::Say("resign"), Termination::Resignation),
    (FollowerAction::Flood("1 1 1"), Termination::Protocol),
];

#[tokio::test(start_paused = true)]
async fn a_player_that_fails_in_its_turn_is_placed_last_and_costs_the_others_nothing() {
    for (action, why) in ON_MOVE {
        let (record, heard) =
            play(
                terms(),
                move |seat, moves, is_on_move| {
                    if seat.number() == 2 && moves == 2 && is_on_move { action } else { FollowerAction::Play }
                },
            )
            .await;
        assert_eq!(outs(&record), [(2, why)], "{action:?}: {record}");
        let standing = record.result.as_ref().expect("a result");
        assert_eq!(standing.placing[seat(2)], 4, "{action:?}");
        assert!(record.plies.iter().all(|ply| ply.elapsed == Some(PAUSE)), "{action:?}: {record}");
        assert_eq!(record.plies.iter().filter(|ply| ply.seat == seat(2)).count(), 2);
        for other in [1, 3, 4].map(seat) {
            let out = Response::DroppedOut { seat: seat(2), why };
            assert_eq!(heard[other].iter().filter(|response| **response == out).count(), 1, "{action:?}");
            assert!(matches!(heard[other].last(), Some(Response::Placed(_))), "{action:?}: {:?}", heard[other].last());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_player_that_fails_while_another_thinks_leaves_that_turn_alone() {
    for (action, why) in
        [(FollowerAction::Leave, Termination::Disconnect), (FollowerAction::Flood("5 pass"), Termination::Protocol)]
    {
        let (record, _) =
            play(
                terms(),
                move |seat, moves, is_on_move| {
                    if seat.number() == 4 && moves == 1 && !is_on_move { action } else { FollowerAction::Play }
                },
            )
            .await;
        assert_eq!(outs(&record), [(4, why)], "{action:?}");
        // When a player can no longer be reached, it is known to have left, and not just to have closed its sending
        // half.
        assert_eq!(record.outs[0].after_plies, if action == FollowerAction::Leave { 5 } else { 4 });
        assert!(record.plies.iter().all(|ply| ply.elapsed == Some(PAUSE)), "{action:?}: {record}");
        assert!(record.unfinished.is_empty(), "{action:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_player_that_is_left_wins_at_once() {
    let (record, heard) = play(terms(), |seat, moves, is_on_move| match (seat.number(), is_on_move) {
        (1, true) | (4, false) if moves == 1 => FollowerAction::Leave,
        (3, true) if moves == 1 => FollowerAction::Say("resign"),
        _ => FollowerAction::Play,
    })
    .await;
    assert_eq!(record.result.as_ref().map(gothello_games::game::Standing::winner), Ok(Some(seat(2))));
    assert_eq!(record.outs.len(), 3);
    assert!(matches!(heard[seat(2)].last(), Some(Response::Placed(_))));
}

#[tokio::test(start_paused = true)]
async fn a_player_that_has_dropped_out_is_seen_off_while_the_others_play() {
    let (mut seats, players) = table();
    let begun = now();
    let mut playing = JoinSet::new();
    for (seat, follower) in players {
        playing.spawn(async move {
            let is_first = seat == Seat::FIRST;
            follower
                .play(
                    move |_, is_on_move| {
                        if is_first && is_on_move { FollowerAction::Say("resign") } else { FollowerAction::Play }
                    },
                )
                .await;
            (seat, now() - begun)
        });
    }
    let (_sender, mut stop) = stop::channel();
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let around = Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE));
    let finished = take_turns(Referee::new(terms()), &mut seats, around).await.expect("it is not stopped");
    let took = now() - begun;
    assert!(took > QUIT_TIMEOUT, "{} plies", finished.plies.len());
    seats.leave().await;
    let left = playing.join_all().await;
    let gone = |number| left.iter().find(|(seat, _)| seat.number() == number).map(|(_, gone)| *gone).expect("it left");
    assert!(gone(1) <= SECOND / 2 && (2..=4).all(|number| gone(number) >= took), "{left:?} {took:?}");
}

#[tokio::test(start_paused = true)]
async fn a_stop_breaks_off_a_game_of_four() {
    let (mut seats, players) = table();
    let mut playing = JoinSet::new();
    for (seat, follower) in players {
        playing.spawn(follower.play(move |moves, is_on_move| match seat.number() {
            3 if moves == 1 && is_on_move => FollowerAction::Leave,
            4 if moves == 1 && is_on_move => FollowerAction::Hang,
            _ => FollowerAction::Play,
        }));
    }
    let (sender, mut stop) = stop::channel();
    let (mut observers, mut lateness) = (Observers::closed(), Lateness::default());
    let around = Surroundings::new(&mut observers, &mut stop, &mut lateness, SleepWatch::new(&AWAKE));
    let stopping = async {
        sleep_until(now() + SECOND).await;
        sender.raise(Stop::Now);
    };
    let (finished, ()) = tokio::join!(take_turns(Referee::new(terms()), &mut seats, around), stopping);
    assert_eq!(finished, None);
    drop(seats);
    playing.join_all().await;
}

/// An arena with four remote players, and a game between them.
fn group_of_remote_players() -> (Arena, GameSpec) {
    let player = |name: &str| format!("[[player]]\nname = \"{name}\"\nremote = true\ntoken = \"a word of {name}\"\n");
    let text = format!("listen = \"127.0.0.1:0\"\n{}", ["a", "b", "c", "d"].map(player).concat());
    let mut tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
    tournament.ruleset = ruleset();
    let players = BySeat::from_fn(4, gothello_games::game::Seat::index);
    let id = GameId::from_text("r1-t1-g1");
    let spec = GameSpec { id, number: 0, round: 1, players, seed: 1, opening: Vec::new() };
    (Arena::new(Arc::new(tournament), (0..4).map(|_| Entrant::Remote).collect()), spec)
}

/// Plays a game of four whose players in the seats `absent` do not come, beginning with the opening of the seats.
async fn play_without(absent: &[u8]) -> (GroupRecord, BySeat<Vec<Response>>) {
    let (arena, spec) = group_of_remote_players();
    let mut attending = BySeat::from_fn(4, |_| None);
    let mut playing = JoinSet::new();
    for seat in Seat::all(4) {
        attending[seat] = Some(if absent.contains(&seat.number()) {
            Attendance::Failed(SeatFailure::new(Termination::NoShow, "not connected within 1s"))
        } else {
            let (connection, player) = connected(1 << 14);
            let follower = Follower::new(player, seat);
            playing.spawn(async move { (seat, follower.play(|_, _| FollowerAction::Play).await) });
            Attendance::Seated(Box::new(connection.speaking(Dialect::NamesRules)))
        });
    }
    let (_sender, stop) = stop::channel();
    let played = arena.play_watched(&spec, attending, stop, SleepWatch::new(&AWAKE)).await;
    let mut heard = BySeat::from_fn(4, |_| Vec::new());
    for (seat, lines) in playing.join_all().await {
        heard[seat] = lines;
    }
    (record(played.expect("it is not stopped").record), heard)
}

#[tokio::test(start_paused = true)]
async fn a_game_begins_without_the_players_that_have_not_come_if_two_have() {
    for absent in [&[3][..], &[1, 4]] {
        let (record, heard) = play_without(absent).await;
        let expected: Vec<_> = absent.iter().map(|&number| (number, Termination::NoShow)).collect();
        assert_eq!(outs(&record), expected);
        let standing = record.result.as_ref().expect("a result");
        assert!(absent.iter().zip([4, 3]).all(|(&number, place)| standing.placing[seat(number)] == place));
        assert!(record.plies.iter().all(|ply| !absent.contains(&ply.seat.number())) && record.plies.len() > 8);
        assert!(heard.iter().all(|(seat, lines)| lines.is_empty() == absent.contains(&seat.number())));
    }
}

#[tokio::test(start_paused = true)]
async fn a_game_for_which_fewer_than_two_players_have_come_is_over() {
    let (record, heard) = play_without(&[1, 2, 4]).await;
    assert_eq!((record.plies.len(), record.outs.len()), (0, 3));
    assert_eq!(record.result.as_ref().map(gothello_games::game::Standing::winner), Ok(Some(seat(3))));
    assert!(matches!(heard[seat(3)].last(), Some(Response::Placed(_))), "{:?}", heard[seat(3)]);
    let (record, _) = play_without(&[1, 2, 3, 4]).await;
    assert!(record.is_failed_by_all() && record.plies.is_empty());
}
