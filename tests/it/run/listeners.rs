//! Listeners of a run: they are notified of all events, and do not slow down the games.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use gothello_arena::base::stop;
use gothello_arena::game::{BySide, Move};
use gothello_arena::referee::record::GameRecord;
use gothello_arena::run::collector::Collector;
use gothello_arena::run::entrants::{Entrant, Identity, Needed, Preparer, ReadyBot};
use gothello_arena::run::event::{Ended, Event};
use gothello_arena::run::executor::{RemoteAddresses, Run};
use gothello_arena::run::journal::{self, Durability, FORMAT, Header, Journal, JournalError, Ledger};
use gothello_arena::run::listener::{EventReader, ListenerContext, Listeners, Missed, event_queue};
use gothello_arena::run::play::Arena;
use gothello_arena::run::reporter::{Reporter, Verbosity};
use gothello_arena::tournament::Tournament;
use gothello_arena::tournament::definition::Definition;
use gothello_arena::tournament::schedule::Results;
use tokio::sync::mpsc;

/// Games of random moves, all of which are determined by the seeds.
const FILE: &str = "seed = 3\nrounds = 2\nopenings = { plies = 2 }\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n\
                    [[player]]\nname = \"b\"\nbuiltin = \"random\"\n";

/// The contents of a game's line in the journal: the game, its moves and its result.
type Line = (String, Vec<Move>, String);

/// Prepares the players of `tournament` on this machine.
async fn entrants(tournament: &Tournament, base: &Path) -> Vec<Entrant> {
    let (events, _told) = mpsc::unbounded_channel();
    let preparer = Preparer { tournament, base, confinement: None, known: &[], events: &events, tell: &|_| () };
    let own = |entrant| match entrant {
        Entrant::Program { bots, .. } => Entrant::Program {
            bots: bots
                .into_iter()
                .map(|bot| ReadyBot { executable: crate::harness::arena::program().into(), ..bot })
                .collect(),
            identity: Box::new(Identity::of_builtin(None)),
        },
        other => other,
    };
    preparer.prepare(Needed::All).await.expect("ready").into_iter().map(own).collect()
}

/// Plays [`FILE`], one game at a time, with `listeners` attached. Returns the journal's games in order.
async fn play(mut listeners: Listeners<'_>) -> Vec<Line> {
    let dir = tempfile::tempdir().expect("a directory");
    let tournament = Tournament::parse(FILE, "test").unwrap_or_else(|problems| panic!("{problems}"));
    let entrants = entrants(&tournament, dir.path()).await;
    let definition = Definition::from(&tournament);
    let header = Header {
        format: FORMAT,
        program: String::new(),
        digest: definition.digest(),
        definition,
        players: Vec::new(),
        shard: None,
    };
    let journal = Journal::create(dir.path(), &header, Durability::Fast).expect("a journal");
    let ledger = Ledger::new(header).expect("a tournament");
    let schedule = ledger.definition.schedule(&[]);
    let mut collector = Collector::new(dir.path().to_owned(), journal, ledger.clone()).expect("a place for results");
    let arena = Arena { queues: listeners.queues(), ..Arena::new(Arc::new(tournament), entrants) };
    let (events, mut told) = mpsc::unbounded_channel();
    let (_, arrivals) = mpsc::unbounded_channel();
    let run = Run {
        arena: Arc::new(arena),
        schedule: schedule.clone(),
        results: Results::default(),
        concurrency: NonZeroUsize::MIN,
        events,
        remote_addresses: RemoteAddresses::new(),
        arrivals,
        elsewhere: None,
        additions: None,
    };
    let (_sender, signal) = stop::channel();
    listeners.begin(&ListenerContext {
        schedule: &schedule,
        results: &Results::default(),
        ledger: &ledger,
        spare_cpus: &[],
    });
    let (played, collected) = tokio::join!(run.play(signal), collector.collect(&mut told, &mut listeners));
    played.expect("threads");
    collected.expect("written");
    listeners.close();
    let mut lines = Vec::new();
    journal::each_game(dir.path(), |game| {
        let record: GameRecord = game.record.parse().unwrap_or_else(|error| panic!("{error}"));
        let moves = record.plies.iter().map(|ply| ply.played).collect();
        lines.push((game.id, moves, format!("{:?}", record.result)));
        Ok::<_, JournalError>(())
    })
    .expect("read");
    assert_eq!(lines.len(), 4);
    lines
}

fn reporter() -> Listeners<'static> {
    Listeners::default().with(Reporter::new(Verbosity::Quiet))
}

#[tokio::test]
async fn a_listener_that_never_reads_or_has_gone_changes_nothing() {
    let alone = play(reporter()).await;
    let (unread, reader) = event_queue(4);
    assert_eq!(play(reporter().with(unread)).await, alone);
    let moves: u64 = alone.iter().map(|(_, moves, _)| moves.len() as u64 - 2).sum();
    // The queue contains the start of the first game and, in the half that moves may use, one or two moves.
    let Missed { moves: missed, others } = reader.missed();
    assert!((moves - 2..moves).contains(&missed), "{missed} of {moves} moves");
    assert!((4..8).contains(&others), "{others} of 8 starts and ends");

    let (gone, reader) = event_queue(4);
    drop(reader);
    assert_eq!(play(reporter().with(gone)).await, alone);

    let (leaves, mut reader) = event_queue(4);
    let first = async {
        let event = reader.next().await;
        drop(reader);
        event
    };
    let (lines, event) = tokio::join!(play(reporter().with(leaves)), first);
    assert_eq!(lines, alone);
    assert!(matches!(event, Some(Event::Started { .. })), "{event:?}");
}

/// All events from `reader`, and how many events the reader missed.
async fn all(mut reader: EventReader) -> (Vec<Event>, Missed) {
    let mut events = Vec::new();
    while let Some(event) = reader.next().await {
        events.push(event);
    }
    (events, reader.missed())
}

#[tokio::test]
async fn a_listener_receives_every_game_from_its_start_through_its_moves_to_its_end() {
    let (queue, reader) = event_queue(1024);
    let (lines, (events, missed)) = tokio::join!(play(reporter().with(queue)), all(reader));
    assert_eq!(missed, Missed::default());
    let mut heard: Vec<Line> = Vec::new();
    let mut on: BTreeMap<String, Vec<Move>> = BTreeMap::new();
    for event in events {
        match event {
            Event::Started { game, players, opening } => {
                let BySide { black, white } = players.by_side().expect("two seats");
                assert_eq!(
                    (game.as_str(), opening.len()),
                    (format!("r{}-{black}-{white}", &game.as_str()[1..2]).as_str(), 2)
                );
                assert_eq!(on.insert(game.to_string(), opening), None);
            }
            Event::Moved { game, ply, played, .. } => {
                let moves = on.get_mut(game.as_str()).expect("a started game");
                moves.push(played);
                assert_eq!(ply, moves.len());
            }
            Event::Ended(Ended { game, record, .. }) => {
                assert_eq!(record.game(), Some(game.as_str()));
                let moves = on.remove(game.as_str()).expect("a started game");
                heard.push((game.to_string(), moves, format!("{:?}", record.into_two().expect("two seats").result)));
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(heard, lines);
}
