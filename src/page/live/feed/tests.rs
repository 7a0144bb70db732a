use std::sync::Arc;

use serde_json::Value;

use super::*;
use crate::referee::record::GameRecord;
use crate::run::event::{Ended, Event};
use crate::run::listener::Listener as _;
use crate::tournament::Tournament;

const ROUNDS: u32 = 3000;

fn shown() -> ShownRun {
    let text = format!(
        "rounds = {ROUNDS}\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\nbuiltin = \"random\"\n"
    );
    let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
    ShownRun { tournament: Arc::new(tournament), address: None, aliases: None }
}

const fn site(dir: PathBuf) -> RunSite {
    RunSite { dir, files: 0, analyst: None, delay: Duration::ZERO }
}

fn record(round: u32) -> GameRecord {
    let text = format!(
        "[Black \"a\"]\n[White \"b\"]\n[Round \"{round}\"]\n[Result \"0-1\"]\n[Termination \"no show\"]\n\n0-1\n"
    );
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// The page's state after `drain`, and whether more events may follow.
fn drained(feed: &mut RunFeed, state: &mut LiveState) -> (Value, bool) {
    let is_open = feed.drain(state, Duration::from_secs(1));
    (serde_json::from_str(&state.snapshot(Duration::from_secs(1))).expect("JSON"), is_open)
}

#[test]
fn no_end_of_a_game_is_lost_when_the_queue_is_full() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dir.path().join("games")).expect("made");
    let (mut listener, mut feed) = of_run(shown(), site(dir.path().to_owned()));
    let mut state = LiveState::new(shown().premise(None), []);
    let games = 2 * u64::from(ROUNDS);
    for number in 0..games {
        let round = u32::try_from(number / 2).expect("a few") + 1;
        let id = format!("r{round}-a-b-{}", number % 2);
        let record = record(round);
        if number >= CAPACITY as u64 {
            std::fs::write(dir.path().join(format!("games/{id}.log")), record.to_string()).expect("written");
        }
        let (game, record, outputs) = (GameId::from_text(id), Box::new(record.into()), no_outputs());
        listener.tell(&Event::Ended(Ended { game, number, record, outputs, again: None }));
    }
    let (seen, is_open) = drained(&mut feed, &mut state);
    assert_eq!((seen["progress"]["done"].as_u64(), is_open), (Some(games), true));
    listener.close();
    assert!(!drained(&mut feed, &mut state).1);
}

#[test]
fn a_page_whose_run_has_gone_hears_the_end() {
    let (listener, mut feed) = of_run(shown(), site(PathBuf::new()));
    let mut state = LiveState::new(shown().premise(None), []);
    listener.queue.put(&Event::Building { player: "a".to_owned() });
    drop(listener);
    let (seen, is_open) = drained(&mut feed, &mut state);
    assert_eq!((seen["log"][0]["text"].as_str(), is_open), (Some("a is being built"), false));
}

#[test]
fn bots_output_does_not_reach_the_queue() {
    let (mut listener, mut feed) = of_run(shown(), site(PathBuf::new()));
    let outputs = BySeat::from_fn(2, |_| crate::host::bot_output::BotOutput {
        stderr: vec![b'x'; 1 << 20],
        ..Default::default()
    });
    let (game, record) = (GameId::from_text("r1-a-b"), Box::new(record(1).into()));
    listener.tell(&Event::Ended(Ended { game, number: 0, record, outputs, again: None }));
    let Some(Event::Ended(ended)) = feed.reader.ready() else { panic!("an end") };
    assert_eq!(ended.outputs, no_outputs());
}
