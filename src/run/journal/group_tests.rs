//! Tests of ledgers of games with more than two seats.

use std::collections::BTreeSet;

use super::*;
use crate::game::{Ruleset, Seat};
use crate::referee::record::GroupRecord;
use crate::referee::result::{Termination, Void};
use crate::results::standings::{GroupSummary, PlayedSummary};
use crate::run::unplayed_record::unplayed_group;
use crate::tournament::Tournament;
use crate::tournament::definition::Definition;
use crate::tournament::schedule::{Decided, GameSpec};

const NAMES: [&str; 6] = ["ann", "bo", "cy", "dee", "eve", "flo"];

/// The ledger of a tournament in which each of six players sits at two tables of four.
fn ledger() -> Ledger {
    let players = NAMES.map(|name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n")).concat();
    let text = format!("ruleset = \"quantum-8-4p\"\nformat = \"group\"\ntables = 2\n{players}");
    let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
    let definition = Definition::from(&tournament);
    let entry = |name: &str| PlayerEntry { name: name.to_owned(), ..player_entry() };
    Ledger::new(Header {
        format: FORMAT,
        program: String::new(),
        digest: definition.digest(),
        definition,
        players: NAMES.map(entry).to_vec(),
        shard: None,
    })
    .unwrap_or_else(|error| panic!("{error}"))
}

fn player_entry() -> PlayerEntry {
    PlayerEntry { name: String::new(), digest: None, files: std::collections::BTreeMap::default(), products: None }
}

/// The record of `spec`, won by a seat that depends on the game's number.
fn record(ruleset: Ruleset, spec: &GameSpec) -> GroupRecord {
    let seat = Seat::new(u8::try_from(spec.number % 4).expect("small") + 1).expect("a seat");
    unplayed_group(spec, ruleset, &NAMES, seat)
}

/// Adds `record` as the game `spec`.
fn take(ledger: &mut Ledger, spec: &GameSpec, record: &GroupRecord) -> Result<(), LedgerError> {
    let game = GameEntry { number: spec.number, id: spec.id.to_string(), record: record.to_string() };
    ledger.take(if record.result.is_ok() { JournalEntry::Game(game) } else { JournalEntry::Void(game) })
}

/// A ledger with all games, and the games.
fn played() -> (Ledger, Vec<GameSpec>) {
    let mut ledger = ledger();
    let games: Vec<GameSpec> = ledger.schedule().games().collect();
    let ruleset = ledger.definition.frame.ruleset;
    for spec in games.iter().rev() {
        take(&mut ledger, spec, &record(ruleset, spec)).unwrap_or_else(|error| panic!("{error}"));
    }
    (ledger, games)
}

#[test]
fn groups_are_kept_as_their_records_say_and_in_the_order_of_the_schedule() {
    let (mut ledger, games) = played();
    let ruleset = ledger.definition.frame.ruleset;
    // Six players at two tables each make three tables of four.
    assert_eq!((games.len(), ledger.finished(), ledger.state().missing.games()), (12, 12, 0));
    let summary = |spec: &GameSpec| GroupSummary::from(&record(ruleset, spec));
    assert!(ledger.groups().map(|game| game.to_summary()).eq(games.iter().map(summary)));
    assert_eq!(ledger.summaries().count(), 0);
    let results = ledger.results();
    assert!(games.iter().all(|spec| results.get(spec.id.as_str()) == Some(Decided::Placed)));
    // A record that was kept while the run was in progress is the same as a record read from a journal.
    let mut kept = self::ledger();
    for spec in &games {
        let game = record(ruleset, spec);
        let entry = GameEntry { number: spec.number, id: spec.id.to_string(), record: game.to_string() };
        kept.keep(&entry, &game.into()).unwrap_or_else(|error| panic!("{error}"));
    }
    assert!(kept.groups().eq(ledger.groups()));
    let again = take(&mut ledger, &games[0], &record(ruleset, &games[0]));
    assert!(matches!(again, Err(LedgerError::Twice { .. })));
}

#[test]
fn a_player_that_is_redone_plays_all_its_tables_again_and_no_others() {
    let (mut ledger, games) = played();
    let player = PlayerEntry { name: NAMES[2].to_owned(), ..player_entry() };
    assert!(ledger.has_result_of(NAMES[2]));
    ledger
        .take(JournalEntry::Redo { player, kept_to: None, definition: None })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(!ledger.has_result_of(NAMES[2]));
    let left: BTreeSet<&str> = ledger.ids().collect();
    let others = games.iter().filter(|spec| spec.players.values().all(|&player| player != 2));
    assert_eq!(left, others.map(|spec| spec.id.as_str()).collect());
    assert_eq!(ledger.state().missing.games(), 8);
}

#[test]
fn a_void_group_is_played_again_and_its_drop_outs_are_not_endings() {
    let (ledger, games) = played();
    let ruleset = ledger.definition.frame.ruleset;
    let ended = |ledger: &Ledger, ending| {
        [&games[0], &games[1]].map(|spec| ledger.game(spec.id.as_str()).is_some_and(|kept| kept.is_ended_by(ending)))
    };
    assert_eq!(ended(&ledger, Termination::NoShow), [true, true]);
    assert_eq!(ended(&ledger, Termination::Normal), [false, false]);
    let mut ledger = self::ledger();
    let void = GroupRecord { result: Err(Void { reason: "no port".to_owned() }), ..record(ruleset, &games[0]) };
    take(&mut ledger, &games[0], &void).unwrap_or_else(|error| panic!("{error}"));
    let mut normal = record(ruleset, &games[1]);
    normal.outs.clear();
    take(&mut ledger, &games[1], &normal).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ended(&ledger, Termination::NoShow), [false, false]);
    assert_eq!(ended(&ledger, Termination::Normal), [false, true]);
    assert_eq!(ledger.results().len(), 1);
    let missing = ledger.state().missing;
    assert_eq!((missing.games(), missing.unplayed()), (11, 10));
    assert_eq!(ledger.groups().map(|game| game.result.is_some()).collect::<Vec<_>>(), [false, true]);
    // The void record is replaced.
    take(&mut ledger, &games[0], &record(ruleset, &games[0])).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ledger.results().len(), 2);
}

#[test]
fn a_record_with_other_players_seats_or_rules_is_foreign() {
    let mut ledger = ledger();
    let ruleset = ledger.definition.frame.ruleset;
    let spec = ledger.schedule().games().next().expect("a game");
    let good = record(ruleset, &spec);
    let mut swapped = good.clone();
    let names: Vec<String> = good.players.values().rev().cloned().collect();
    swapped.players = crate::game::BySeat::new(names).expect("four seats");
    let other: Ruleset = "quantum-4p".parse().expect("a rule set");
    let other_rules = unplayed_group(&spec, other, &NAMES, Seat::FIRST);
    for (record, tag) in [
        (swapped, "`Player1`"),
        (other_rules, "`Ruleset`"),
        (GroupRecord { round: Some(2), ..good.clone() }, "`Round`"),
        (GroupRecord { seed: Some(1), ..good.clone() }, "`Seed`"),
        (GroupRecord { time_control: None, ..good.clone() }, "`TimeControl`"),
    ] {
        let error = take(&mut ledger, &spec, &record).expect_err(tag).to_string();
        assert!(error.contains(tag), "{error}");
    }
    let pair = format!("[Game \"{}\"]\n[Black \"ann\"]\n[White \"bo\"]\n[Result \"0-1\"]\n\n0-1\n", spec.id);
    let entry = GameEntry { number: 0, id: spec.id.to_string(), record: pair };
    let error = ledger.take(JournalEntry::Game(entry)).expect_err("two seats").to_string();
    assert!(error.contains("`Ruleset`"), "{error}");
    assert!(matches!(PlayedSummary::from(&good.into()), PlayedSummary::Group(_)));
}
