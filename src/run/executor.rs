//! Plays a tournament's games, several at a time and each on a single thread, and decides which game is next.
//!
//! The executor neither prints nor writes files: everything that happens is sent as events.

mod original_port_use;
mod queue;
mod retries;
mod threads;
mod waitlist;

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::{JoinError, JoinSet};

use crate::base::stop::{Stop, StopSignal};
use crate::base::time::{now, sleep_until};
use crate::host::lobby::remote_players::RemotePlayer;
use crate::run::addition::Addition;
use crate::run::elsewhere::{Away, AwayEvent, Elsewhere, FromElsewhere, PlayedElsewhere};
use crate::run::event::{Ended, Event};
use crate::run::play::{Arena, PlayedGame};
use crate::tournament::schedule::{GameSpec, KnownEnding, PlayerIndex, Results, Schedule};
use original_port_use::OriginalPortUse;
use queue::{Call, NextGame, Queue};
pub(crate) use threads::GameThreads;

/// The addresses at which remote players connect: the key is a player with its own address, or `None` for all other
/// players.
pub type RemoteAddresses = BTreeMap<Option<PlayerIndex>, SocketAddr>;

/// How late the arena's check for remote players may be before it extends their deadlines.
const PUNCTUAL: Duration = Duration::from_millis(500);

/// A run that is about to begin.
#[derive(Debug)]
pub struct Run {
    /// The tournament and its players.
    pub arena: Arc<Arena>,
    /// The tournament's schedule, not yet advanced.
    pub schedule: Schedule,
    /// The results of the games that are already over.
    pub results: Results,
    /// How many games to play at a time.
    pub concurrency: NonZeroUsize,
    /// The channel to which events are sent.
    pub events: UnboundedSender<Event>,
    /// The addresses at which remote players connect.
    pub remote_addresses: RemoteAddresses,
    /// Delivers remote players once they have said hello; closed from the start if there are none.
    pub arrivals: UnboundedReceiver<RemotePlayer>,
    /// Other machines that play games without remote players; `None` if there are none.
    pub elsewhere: Option<Elsewhere>,
    /// The players and games that are added while games are played; `None` if there are no additions.
    pub additions: Option<UnboundedReceiver<Addition>>,
}

/// How many games may wait for a machine that can play them while other games begin.
const MOST_ASIDE: usize = 4096;

/// A game that has ended.
struct GameOver {
    spec: GameSpec,
    played: Option<PlayedGame>,
}

impl Run {
    /// Plays all games of the schedule, or as many as `stop` allows.
    ///
    /// # Errors
    /// Fails if the threads for the games cannot be started.
    pub async fn play(mut self, mut stop: StopSignal) -> std::io::Result<()> {
        let tournament = &self.arena.tournament;
        let threads = GameThreads::start(self.concurrency)?;
        let results = std::mem::take(&mut self.results);
        let mut queue = Queue::new(tournament, self.schedule.clone(), results);
        let mut port = OriginalPortUse::new(&self.arena);
        let mut running: JoinSet<GameOver> = JoinSet::new();
        let mut arriving = true;
        let mut additions = self.additions.take();
        let mut away = Away::new(self.elsewhere.take());
        let slots = away.local_slots().unwrap_or(self.concurrency.get());
        // Games without remote players that were due, but could begin neither here nor on another machine.
        let mut aside: VecDeque<GameSpec> = VecDeque::new();
        loop {
            let draining = stop.get() != Stop::No;
            if !aside.is_empty() && queue.is_decided() {
                aside.clear();
            }
            while !draining && running.len() < slots {
                let Some(next) = next_here(&mut port, &mut aside, &mut queue) else { break };
                let NextGame { spec, attending } = next;
                port.begin(&spec);
                let Some((thread, load)) = threads.least_loaded() else { break };
                let (arena, stop) = (Arc::clone(&self.arena), stop.clone());
                let game = async move {
                    let played = arena.play(spec.clone(), attending, stop).await;
                    drop(load);
                    GameOver { spec, played }
                };
                running.spawn_on(game, thread);
            }
            while !draining && away.has_room() {
                let Some(spec) = next_for(&away, &mut aside, &mut queue) else { break };
                away.give(spec);
            }
            // Other machines finish the games that are away, and a later run collects them.
            let is_done = || away.is_empty() && aside.is_empty() && queue.is_done() && additions.is_none();
            if running.is_empty() && (draining || is_done()) {
                break;
            }
            for call in queue.call_players() {
                let _ = self.events.send(self.waiting(call));
            }
            let has_room = !draining && (running.len() < slots || away.has_room());
            let deadline = queue.next_deadline().filter(|_| has_room);
            tokio::select! {
                Some(ended) = running.join_next() => {
                    self.end(ended, (&mut queue, &mut port), stop.get());
                    // Handle every game that has already ended, because finding the next game takes time.
                    while let Some(ended) = running.try_join_next() {
                        self.end(ended, (&mut queue, &mut port), stop.get());
                    }
                }
                event = away.next(), if !draining => {
                    if let AwayEvent::Back(back) = event {
                        match back {
                            FromElsewhere::Played(played) => {
                                let PlayedElsewhere { spec, played } = *played;
                                self.finish(spec, played, &mut queue, stop.get());
                            }
                            FromElsewhere::Unplayed(spec) => aside.push_back(spec),
                        }
                    }
                }
                arrival = self.arrivals.recv(), if arriving => {
                    arriving = arrival.is_some();
                    let more = std::iter::from_fn(|| self.arrivals.try_recv().ok());
                    arrival.into_iter().chain(more).for_each(|arrival| queue.receive(arrival));
                }
                addition = added(&mut additions), if !draining => match addition {
                    Some(addition) => {
                        away.tell(&addition);
                        self.add(addition, (&mut queue, &mut port));
                    }
                    None => additions = None,
                },
                () = queue.somebody_leaves() => {}
                () = self.arena.addresses.freed() => {}
                () = sleep_until(deadline.unwrap_or_else(now)), if deadline.is_some() => {}
                () = stop.reached(Stop::Drain), if !draining => {}
            }
            // If the arena itself was suspended in the meantime, it has not noticed the players that connected in time.
            let late = deadline.map(|deadline| now().saturating_duration_since(deadline)).unwrap_or_default();
            if late > PUNCTUAL {
                queue.postpone(late);
            }
        }
        queue.dismiss().await;
        Ok(())
    }

    /// Puts `addition` into effect.
    fn add(&mut self, addition: Addition, (queue, port): (&mut Queue, &mut OriginalPortUse)) {
        match addition {
            Addition::Arena(arena) => {
                port.add_players(&arena);
                self.arena = arena;
            }
            Addition::Game(spec) => queue.add(spec),
            // This machine has already prepared every player that it can.
            Addition::Playing(_) => {}
        }
    }

    fn end(&self, ended: Result<GameOver, JoinError>, (queue, port): (&mut Queue, &mut OriginalPortUse), stop: Stop) {
        let GameOver { spec, played } = match ended {
            Ok(ended) => ended,
            // A bug must surface as a panic, never as a result.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => return,
            },
        };
        port.end(&spec);
        let Some(played) = played else {
            queue.ended(&spec.players);
            return;
        };
        self.finish(spec, played, queue, stop);
    }

    /// Handles a game that has been played, or is void.
    fn finish(&self, spec: GameSpec, PlayedGame { record, outputs }: PlayedGame, queue: &mut Queue, stop: Stop) {
        queue.ended(&spec.players);
        let again = match KnownEnding::of(&record) {
            Some(game) => {
                queue.add_result(spec.id.clone(), game);
                None
            }
            // A run that is stopping does not begin any more games.
            None if stop != Stop::No => None,
            // The game would be void again.
            None if self.arena.lacks_a_player(&spec) => None,
            None => queue.put_back(&spec),
        };
        let ended = Ended { game: spec.id, number: spec.number, record: Box::new(record), outputs, again };
        let _ = self.events.send(Event::Ended(ended));
    }

    fn waiting(&self, call: Call) -> Event {
        let Call { game, player, seat } = call;
        let address = self.remote_addresses.get(&Some(player)).or_else(|| self.remote_addresses.get(&None));
        Event::Waiting {
            game,
            player: self.arena.tournament.players[player].name.to_string(),
            seat,
            seats: self.arena.tournament.ruleset.seats(),
            address: address.map(ToString::to_string).unwrap_or_default(),
        }
    }
}

/// The next addition, or `None` if there will be no more; waits forever if no additions are possible.
async fn added(additions: &mut Option<UnboundedReceiver<Addition>>) -> Option<Addition> {
    match additions {
        Some(additions) => additions.recv().await,
        None => std::future::pending().await,
    }
}

/// The next game that can begin on this machine. Earlier games that cannot begin because port 29068 is unavailable are
/// put `aside`.
fn next_here(port: &mut OriginalPortUse, aside: &mut VecDeque<GameSpec>, queue: &mut Queue) -> Option<NextGame> {
    let alone = |spec: GameSpec| NextGame { attending: spec.players.as_ref().map(|_| None), spec };
    port.look();
    if let Some(waiting) = aside.iter().position(|spec| port.has_room(spec)) {
        return aside.remove(waiting).map(alone);
    }
    while aside.len() < MOST_ASIDE {
        let next = queue.next_game()?;
        // Games with remote players must not be put aside, because the arena would not notice if a player left.
        if next.attending.values().any(Option::is_some) || port.has_room(&next.spec) {
            return Some(next);
        }
        aside.push_back(next.spec);
    }
    None
}

/// The next game that other machines can accept. Earlier games that the machines cannot currently accept are put
/// `aside`.
fn next_for(away: &Away, aside: &mut VecDeque<GameSpec>, queue: &mut Queue) -> Option<GameSpec> {
    if let Some(waiting) = aside.iter().position(|spec| away.takes(spec)) {
        return aside.remove(waiting);
    }
    while aside.len() < MOST_ASIDE {
        let spec = queue.next_without_remote_players()?;
        if away.takes(&spec) {
            return Some(spec);
        }
        aside.push_back(spec);
    }
    None
}

#[cfg(test)]
mod tests {
    use tokio::sync::{mpsc, watch};

    use super::*;
    use crate::base::stop;
    use crate::game::BySeat;
    use crate::host::bot_output::BotOutput;
    use crate::referee::record::GameRecord;
    use crate::referee::result::{Termination, Void};
    use crate::run::elsewhere::Room;
    use crate::run::entrants::Entrant;
    use crate::run::event::Retry;
    use crate::tournament::Tournament;

    /// The game `spec`, void after it was played.
    fn void(spec: &GameSpec) -> GameOver {
        let text = "[Black \"a\"]\n[White \"b\"]\n[Result \"*\"]\n[Termination \"void\"]\n[Reason \"no port\"]\n\n*\n";
        let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let record = record.into();
        GameOver {
            spec: spec.clone(),
            played: Some(PlayedGame { record, outputs: BySeat::from_fn(2, |_| BotOutput::default()) }),
        }
    }

    /// A tournament with two players that cannot be started here, so all games end immediately.
    fn unstartable(keys: &str) -> (Arc<Tournament>, Arc<Arena>) {
        let player = |name: &str| format!("[[player]]\nname = \"{name}\"\ncommand = [\"none\"]\n");
        let text = format!("{keys}\n{}{}", player("a"), player("b"));
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let tournament = Arc::new(tournament);
        let entrants = vec![Entrant::Unstartable("none".to_owned()), Entrant::Unstartable("none".to_owned())];
        (Arc::clone(&tournament), Arc::new(Arena::new(tournament, entrants)))
    }

    /// Other machines that accept `games` games, but turn out to be unable to play them.
    fn unable(games: usize) -> (Elsewhere, impl Future<Output = usize>) {
        let (offer, room) = watch::channel(Room { slots: games, games, crews: Vec::new() });
        let (jobs, mut given) = mpsc::unbounded_channel();
        let (give_back, back) = mpsc::unbounded_channel();
        let refusing = async move {
            let mut refused = 0;
            while let Some(Addition::Game(spec)) = given.recv().await {
                refused += 1;
                offer.send_replace(Room::default());
                give_back.send(FromElsewhere::Unplayed(spec)).expect("the run waits for it");
            }
            refused
        };
        (Elsewhere { local_slots: 1, room, jobs, back }, refusing)
    }

    #[tokio::test]
    async fn every_game_is_played_once_even_if_other_machines_took_it_and_cannot_play_it() {
        for (games_away, least_refused) in [(0, 0), (1, 1), (3, 1)] {
            let (tournament, arena) = unstartable("rounds = 3");
            let (elsewhere, refusing) = unable(games_away);
            let (events, mut told) = mpsc::unbounded_channel();
            let (_, arrivals) = mpsc::unbounded_channel();
            let run = Run {
                arena,
                schedule: Schedule::new(&tournament),
                results: Results::default(),
                concurrency: NonZeroUsize::MIN,
                events,
                remote_addresses: RemoteAddresses::new(),
                arrivals,
                elsewhere: Some(elsewhere),
                additions: None,
            };
            let (_sender, stop) = stop::channel();
            let (ended, refused) = tokio::join!(run.play(stop), refusing);
            ended.expect("threads");
            let mut played = Vec::new();
            while let Some(event) = told.recv().await {
                if let Event::Ended(ended) = event {
                    let record = ended.record.into_two().expect("two seats");
                    assert_eq!(record.result.map(|result| result.termination()), Ok(Termination::DoubleForfeit));
                    played.push(ended.number);
                }
            }
            played.sort_unstable();
            assert_eq!(played, [0, 1, 2, 3, 4, 5]);
            assert!((least_refused..=games_away).contains(&refused), "{refused} of {games_away}");
        }
    }

    #[tokio::test]
    async fn a_void_game_is_played_again_unless_the_run_is_stopping() {
        let text = "void_retries = 3\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n\
                    [[player]]\nname = \"b\"\nbuiltin = \"random\"\n";
        let tournament = Arc::new(Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems:?}")));
        for (stop, again) in [(Stop::No, Some(Retry { nth: 1, of: 3 })), (Stop::Drain, None), (Stop::Now, None)] {
            let arena = Arena::new(Arc::clone(&tournament), vec![Entrant::Remote, Entrant::Remote]);
            let (events, mut told) = tokio::sync::mpsc::unbounded_channel();
            let (_arrivals, arrivals) = tokio::sync::mpsc::unbounded_channel();
            let schedule = Schedule::new(&tournament);
            let mut queue = Queue::new(&tournament, schedule.clone(), Results::default());
            let spec = queue.next_game().expect("a game").spec;
            let run = Run {
                arena: Arc::new(arena),
                schedule,
                results: Results::default(),
                concurrency: NonZeroUsize::MIN,
                events,
                remote_addresses: RemoteAddresses::new(),
                arrivals,
                elsewhere: None,
                additions: None,
            };
            let mut port = OriginalPortUse::new(&run.arena);
            run.end(Ok(void(&spec)), (&mut queue, &mut port), stop);
            let Some(Event::Ended(ended)) = told.recv().await else { panic!("void") };
            let Ended { game, number, record, again: found, .. } = ended;
            assert_eq!((game, number), (spec.id, 0));
            assert_eq!((record.void(), found), (Some(&Void { reason: "no port".to_owned() }), again));
            assert_eq!(queue.next_deadline().map(|due| due > now() + Duration::from_millis(100)), again.map(|_| true));
        }
    }
}
