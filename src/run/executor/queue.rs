//! Decides which game is next. Games begin in the schedule's order, except that a game with remote players waits for them
//! without holding up the others. Games that have results are skipped.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use super::retries::Retries;
use super::waitlist::Waitlist;
use crate::base::time::{Instant, now};
use crate::game::rules::{BySide, Side};
use crate::host::lobby::remote_players::RemotePlayer;
use crate::host::seat::{Attendance, SeatFailure};
use crate::referee::result::Termination;
use crate::run::event::Retry;
use crate::tournament::file::Tournament;
use crate::tournament::schedule::{Decided, GameId, GameSpec, PlayerIndex, Results, Schedule, Step};

/// A game to begin now.
#[derive(Debug)]
pub(super) struct NextGame {
    /// The game's number in the schedule, from 0.
    pub(super) number: u64,
    /// The game.
    pub(super) spec: GameSpec,
    /// The attendance of the game's remote players.
    pub(super) attending: BySide<Option<Attendance>>,
}

/// A remote player that a game waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    /// The game.
    pub(super) game: GameId,
    /// The player.
    pub(super) player: PlayerIndex,
    /// The player's side in that game.
    pub(super) side: Side,
}

/// The games that have not begun.
#[derive(Debug)]
pub(super) struct Queue {
    schedule: Schedule,
    results: Results,
    /// The number of the first game whose turn has not come.
    frontier: u64,
    /// What is known about the games from there on.
    beyond: Beyond,
    /// Games whose turn has come, but which lack a remote player.
    held: BTreeMap<u64, GameSpec>,
    /// Games that began before their turn, because their remote player asked for that side.
    begun_early: HashSet<u64>,
    /// When the wait for a held game ends. At most one game at a time waits for any remote player.
    deadlines: BTreeMap<u64, Instant>,
    join_timeout: Duration,
    /// Void games that will be played again.
    retries: Retries,
    /// The remote players.
    waitlist: Waitlist,
}

/// What is known about the games whose turn has not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beyond {
    /// The schedule has not been asked since the last change.
    Unasked,
    /// They depend on games that have no result yet.
    Unknown,
    /// There are none.
    Nothing,
}

impl Queue {
    /// A queue of those games of `schedule`, the schedule of `tournament`, that have no result. The schedule must not have
    /// been advanced.
    pub(super) fn new(tournament: &Tournament, schedule: Schedule, results: Results) -> Self {
        Self {
            waitlist: Waitlist::new(tournament, &schedule, &results),
            schedule,
            results,
            frontier: 0,
            beyond: Beyond::Unasked,
            held: BTreeMap::new(),
            begun_early: HashSet::new(),
            deadlines: BTreeMap::new(),
            join_timeout: tournament.limits.join_timeout,
            retries: Retries::new(tournament.limits.void_retries),
        }
    }

    /// Whether no more games can begin without another result: every game has begun, or the next one depends on a missing
    /// result.
    pub(super) fn is_done(&self) -> bool {
        self.held.is_empty() && self.retries.is_empty() && self.beyond != Beyond::Unasked
    }

    /// Receives a remote player that has said hello.
    pub(super) fn receive(&mut self, arrival: RemotePlayer) {
        self.waitlist.receive(arrival);
    }

    /// Waits until a remote player closes its connection before its game has begun.
    pub(super) async fn somebody_leaves(&mut self) {
        self.waitlist.somebody_leaves().await;
    }

    /// Turns away every remote player that still waits.
    pub(super) async fn dismiss(self) {
        self.waitlist.dismiss().await;
    }

    /// The game of `players` has ended, so they can begin another.
    pub(super) fn ended(&mut self, players: BySide<PlayerIndex>) {
        self.waitlist.end_game(players);
    }

    /// Adds the result of a game.
    pub(super) fn add_result(&mut self, game: GameId, result: Decided) {
        if !self.schedule.needs_results() {
            return;
        }
        self.results.insert(game, result);
        self.beyond = Beyond::Unasked;
        if self.schedule.is_decided(&self.results) {
            for spec in std::mem::take(&mut self.held).into_values().chain(self.retries.take_all()) {
                self.waitlist.uncount_game(&spec);
            }
            self.deadlines.clear();
        }
    }

    /// Puts back a void game. Returns which further try it will get, if any.
    pub(super) fn put_back(&mut self, number: u64, spec: &GameSpec) -> Option<Retry> {
        if self.schedule.is_decided(&self.results) {
            return None;
        }
        let retry = self.retries.add(number, spec.clone(), now())?;
        self.waitlist.count_game(spec);
        Some(retry)
    }

    /// Moves the frontier past the next game that has neither begun nor got a result. Returns that game and its number.
    fn advance(&mut self) -> Option<(u64, GameSpec)> {
        loop {
            match self.schedule.next(&self.results) {
                Step::Game(spec) => {
                    let number = self.frontier;
                    self.frontier += 1;
                    if self.begun_early.remove(&number) || self.results.get(spec.id.as_str()).is_some() {
                        continue;
                    }
                    if self.schedule.needs_results() {
                        self.waitlist.count_game(&spec);
                    }
                    return Some((number, spec));
                }
                Step::Wait => {
                    self.beyond = Beyond::Unknown;
                    return None;
                }
                Step::Done => {
                    self.beyond = Beyond::Nothing;
                    self.waitlist.no_more_games();
                    return None;
                }
            }
        }
    }

    /// When the next game is due, either because the wait for its players ends or because a retry may begin.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.values().min().copied().into_iter().chain(self.retries.next()).min()
    }

    /// Extends all deadlines by `late`, the time by which the arena was late to check for players.
    pub(super) fn postpone(&mut self, late: Duration) {
        for deadline in self.deadlines.values_mut() {
            *deadline += late;
        }
    }

    /// The next game that can begin, if any.
    pub(super) fn next_game(&mut self) -> Option<NextGame> {
        loop {
            let number = self.choose()?;
            let players = self.held.get(&number).map(|spec| spec.players);
            let players = players.or_else(|| Some(self.schedule.get(number)?.players))?;
            // A player whose connection is known to be closed cannot begin a game, but another player may be able to.
            if !self.waitlist.forget_gone(players) {
                return self.begin(number);
            }
        }
    }

    /// The number of the next game that could begin if all waiting players are still there.
    fn choose(&mut self) -> Option<u64> {
        let time = now();
        while let Some((number, spec)) = self.retries.take(time) {
            if self.hold(number, spec) {
                return Some(number);
            }
        }
        if let Some(number) = self.first_for_waiting() {
            return Some(number);
        }
        if let Some((&number, _)) = self.deadlines.iter().find(|&(_, deadline)| *deadline <= time) {
            return Some(number);
        }
        while let Some((number, spec)) = self.advance() {
            if self.hold(number, spec) {
                return Some(number);
            }
        }
        // A planned schedule's games were known before their turn came; any others may be what a waiting player wants.
        if self.schedule.needs_results() { self.first_for_waiting() } else { None }
    }

    /// Holds a game whose turn has come. Returns whether it can begin at once, because no player in it is remote.
    fn hold(&mut self, number: u64, spec: GameSpec) -> bool {
        let is_local = Side::BOTH.iter().all(|&side| !self.waitlist.is_remote(spec.players[side]));
        self.held.insert(number, spec);
        is_local
    }

    /// Calls the players that held games wait for and that have not been called yet.
    pub(super) fn call_players(&mut self) -> Vec<Call> {
        let mut claimed = BTreeSet::new();
        let mut calls = Vec::new();
        for (&number, spec) in &self.held {
            let remote = || Side::BOTH.into_iter().map(|side| (spec.players[side], side));
            let remote = || remote().filter(|(player, _)| self.waitlist.is_remote(*player));
            let free = remote().all(|(player, _)| !self.waitlist.is_busy(player) && !claimed.contains(&player));
            claimed.extend(remote().map(|(player, _)| player));
            if !free {
                self.deadlines.remove(&number);
            } else if !self.deadlines.contains_key(&number) {
                self.deadlines.insert(number, now() + self.join_timeout);
                let absent = remote().filter(|&(player, side)| !self.waitlist.can_begin(player, side));
                calls.extend(absent.map(|(player, side)| Call { game: spec.id.clone(), player, side }));
            }
        }
        calls
    }

    /// The first game that can begin with a waiting remote player.
    fn first_for_waiting(&self) -> Option<u64> {
        if !self.waitlist.somebody_waits() {
            return None;
        }
        let suits = |spec: &GameSpec| {
            let mut players = Side::BOTH.into_iter().map(|side| (spec.players[side], side));
            players.clone().any(|(player, _)| self.waitlist.is_remote(player))
                && players.all(|(player, side)| self.waitlist.can_begin(player, side))
        };
        let held = self.held.iter().find(|(_, spec)| suits(spec)).map(|(&number, _)| number);
        held.or_else(|| {
            let mut later = (self.frontier..).zip(self.schedule.rest());
            let unplayed = |(number, spec): &(u64, GameSpec)| {
                !self.begun_early.contains(number) && self.results.get(spec.id.as_str()).is_none()
            };
            later.find(|game| suits(&game.1) && unplayed(game)).map(|(number, _)| number)
        })
    }

    fn begin(&mut self, number: u64) -> Option<NextGame> {
        let spec = match self.held.remove(&number) {
            Some(spec) => spec,
            None => {
                self.begun_early.insert(number);
                self.schedule.get(number)?
            }
        };
        self.deadlines.remove(&number);
        let attending = BySide::from_fn(|side| {
            let player = spec.players[side];
            self.waitlist.is_remote(player).then(|| match self.waitlist.take_connection(player, side) {
                Some(connection) => Attendance::Seated(Box::new(connection)),
                None => {
                    let timeout = humantime::format_duration(self.join_timeout);
                    let reason = format!("not connected within {timeout}");
                    Attendance::Failed(SeatFailure::new(Termination::NoShow, reason))
                }
            })
        });
        self.waitlist.begin_game(&spec);
        Some(NextGame { number, spec, attending })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::line::{Connection, Stream};
    use crate::referee::wire::SideWish;

    const CAROL: PlayerIndex = 0;

    /// A queue for `players`: carol and dave are remote, the others local.
    fn queue(players: &[&str]) -> Queue {
        queue_of("", players)
    }

    /// The same, with `keys` at the top of the file.
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

    /// A connection of `player` that asks for `side`; the returned value keeps it open.
    fn arrives(queue: &mut Queue, player: PlayerIndex, wish: SideWish) -> tokio::io::DuplexStream {
        let (ours, theirs) = tokio::io::duplex(1024);
        queue.receive(RemotePlayer { player, connection: Connection::new(Stream::Duplex(ours)), wish });
        theirs
    }

    fn side_of(next: &NextGame, player: PlayerIndex) -> Side {
        if next.spec.players.black == player { Side::Black } else { Side::White }
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
            let _open = arrives(&mut queue, CAROL, SideWish::Only(side));
            let next = queue.next_game().expect("a game");
            assert_eq!(side_of(&next, CAROL), side);
            let first = queue
                .schedule
                .games()
                .enumerate()
                .find(|(_, spec)| spec.players[side] == CAROL)
                .map(|(number, _)| number as u64);
            assert_eq!(Some(next.number), first);
            assert!(matches!(next.attending[side], Some(Attendance::Seated(_))));
        }
    }

    #[tokio::test]
    async fn a_player_that_takes_either_side_plays_its_games_in_order_one_at_a_time() {
        let mut queue = queue(&["carol", "ann"]);
        let _open = [arrives(&mut queue, CAROL, SideWish::Any), arrives(&mut queue, CAROL, SideWish::Any)];
        let first = queue.next_game().expect("a game");
        assert_eq!(first.number, 0);
        assert!(queue.next_game().is_none(), "its first game is still on");
        queue.ended(first.spec.players);
        assert_eq!(queue.next_game().map(|next| next.number), Some(1));
        assert!(queue.is_done());
    }

    #[tokio::test]
    async fn connections_are_refused_once_no_game_is_left_for_them() {
        let mut queue = queue(&["carol", "ann"]);
        let _first = arrives(&mut queue, CAROL, SideWish::Only(Side::Black));
        let mut second = arrives(&mut queue, CAROL, SideWish::Only(Side::Black));
        let next = queue.next_game().expect("a game");
        queue.ended(next.spec.players);
        // The only game with black has begun, so the other connection has none left.
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
        let _carol = arrives(&mut queue, CAROL, SideWish::Only(Side::White));
        assert!(queue.next_game().is_none());
        let _dave = arrives(&mut queue, dave, SideWish::Any);
        let next = queue.next_game().expect("a game");
        assert_eq!((side_of(&next, CAROL), side_of(&next, dave)), (Side::White, Side::Black));
        assert!(Side::BOTH.iter().all(|&side| matches!(next.attending[side], Some(Attendance::Seated(_)))));
    }

    #[tokio::test]
    async fn a_player_that_leaves_while_waiting_is_forgotten() {
        let mut queue = queue(&["carol", "ann"]);
        drop(arrives(&mut queue, CAROL, SideWish::Any));
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
            assert_eq!(queue.put_back(first.number, &first.spec), Some(Retry { nth, of: 2 }));
            assert!(!queue.is_done() && queue.next_game().is_none());
            let start = now();
            crate::base::time::sleep_until(queue.next_deadline().expect("it is due")).await;
            assert_eq!((now() - start).as_millis(), pause);
            let again = queue.next_game().expect("it is played again");
            assert_eq!((again.number, &again.spec), (first.number, &first.spec));
            assert!(queue.is_done());
        }
        // By default a game gets two more tries, independently of other games.
        assert!(queue.put_back(first.number, &first.spec).is_none() && queue.is_done());
        assert!(queue.put_back(other.number, &other.spec).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_remote_player_gets_its_void_game_again() {
        let mut queue = queue(&["carol", "ann"]);
        let _first = arrives(&mut queue, CAROL, SideWish::Only(Side::Black));
        let next = queue.next_game().expect("a game");
        queue.ended(next.spec.players);
        assert!(queue.put_back(next.number, &next.spec).is_some());
        crate::base::time::sleep_until(queue.next_deadline().expect("it is due")).await;
        let _second = arrives(&mut queue, CAROL, SideWish::Only(Side::Black));
        let again = queue.next_game().expect("the same game");
        assert_eq!((again.number, &again.spec), (next.number, &next.spec));
        assert!(again.attending.black.is_some_and(|attendance| matches!(attendance, Attendance::Seated(_))));
    }

    #[tokio::test(start_paused = true)]
    async fn games_that_depend_on_a_void_game_wait_for_it() {
        let mut queue = queue_of("format = \"knockout\"\nvoid_retries = 1", &["ann", "bob", "cid"]);
        let semifinal: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
        let [one, other] = &semifinal[..] else { panic!("two games, not {}", semifinal.len()) };
        queue.add_result(one.spec.id.clone(), Decided::Won(side_of(one, 2)));
        assert!(queue.put_back(other.number, &other.spec).is_some());
        assert!(queue.next_game().is_none() && !queue.is_done());
        crate::base::time::sleep_until(queue.next_deadline().expect("it is due")).await;
        let again = queue.next_game().expect("it is played again");
        assert_eq!(again.number, other.number);
        assert!(queue.put_back(again.number, &again.spec).is_none());
        assert!(queue.next_game().is_none() && queue.is_done(), "the final cannot be played");
    }

    #[tokio::test]
    async fn games_that_depend_on_results_come_up_once_these_are_in() {
        let mut queue = queue_of("format = \"knockout\"", &["ann", "bob", "cid"]);
        let first: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
        assert_eq!(first.iter().map(|next| next.number).collect::<Vec<_>>(), [0, 1]);
        assert!(queue.is_done(), "nothing can begin before these have ended");
        for next in first {
            let winner = side_of(&next, 2);
            queue.add_result(next.spec.id, Decided::Won(winner));
        }
        assert!(!queue.is_done());
        let last: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
        assert_eq!(last.iter().map(|next| next.number).collect::<Vec<_>>(), [2, 3]);
        assert!(last.iter().all(|next| plays(next, 0) && plays(next, 2)));
        assert!(queue.is_done());
    }

    #[tokio::test]
    async fn a_remote_player_waits_for_games_that_depend_on_results() {
        let mut queue = queue_of("format = \"knockout\"", &["carol", "ann", "bob"]);
        let mut open = arrives(&mut queue, CAROL, SideWish::Only(Side::White));
        let first: Vec<NextGame> = std::iter::from_fn(|| queue.next_game()).collect();
        assert!(first.len() == 2 && !first.iter().any(|next| plays(next, CAROL)));
        for next in first {
            queue.add_result(next.spec.id, Decided::Won(next_winner(&next.spec.players)));
        }
        let white = queue.next_game().expect("the final");
        assert_eq!((side_of(&white, CAROL), white.number), (Side::White, 3));
        queue.ended(white.spec.players);
        drop(open);
        let _black = arrives(&mut queue, CAROL, SideWish::Only(Side::Black));
        let black = queue.next_game().expect("the other game of the final");
        assert_eq!((side_of(&black, CAROL), black.number), (Side::Black, 2));
        queue.ended(black.spec.players);
        for (next, winner) in [(white, Side::White), (black, Side::Black)] {
            queue.add_result(next.spec.id, Decided::Won(winner));
        }
        assert!(queue.next_game().is_none() && queue.is_done());
        // No tie is possible any more, so a player that connects now is turned away.
        open = arrives(&mut queue, CAROL, SideWish::Any);
        let mut heard = [0; 3];
        tokio::io::AsyncReadExt::read_exact(&mut open, &mut heard).await.expect("it is told");
        assert_eq!(&heard, b"191");
    }

    /// Ann, player 1, wins.
    fn next_winner(players: &BySide<PlayerIndex>) -> Side {
        if players.black == 1 { Side::Black } else { Side::White }
    }

    #[tokio::test]
    async fn a_decided_test_calls_off_all_games_that_have_not_begun() {
        let mut queue = queue_of("format = \"sprt\"\nelo1 = 1000\nmax_pairs = 50", &["carol", "ann"]);
        let mut rounds = 0;
        while !queue.is_done() || rounds == 0 {
            rounds += 1;
            let _open = arrives(&mut queue, CAROL, SideWish::Any);
            let Some(next) = queue.next_game() else { break };
            queue.ended(next.spec.players);
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
            assert_eq!(queue.next_game().map(|next| next.number), Some(1));
            assert!(queue.next_game().is_none() && queue.is_done());
        }
    }
}
