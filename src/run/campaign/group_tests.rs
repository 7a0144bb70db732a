//! Runs of games with more than two seats: continued, extended, replayed, rebuilt and merged.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Mutex;

use tempfile::TempDir;

use super::*;
use crate::base::work_count::WorkCount;
use crate::game::{Ruleset, Seat};
use crate::referee::record::GroupRecord;
use crate::run::derived::Derived;
use crate::run::journal::{self, GameEntry, JournalEntry};
use crate::run::unplayed_record::unplayed_group;
use crate::tournament::schedule::GameSpec;

const NAMES: [&str; 5] = ["ann", "bo", "cy", "dee", "eve"];

/// A directory for runs, and the warnings of campaigns in it.
struct RunsDir {
    dir: TempDir,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl RunsDir {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a directory"), warnings: Arc::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn tell(&self) -> Tell {
        let warnings = Arc::clone(&self.warnings);
        Arc::new(move |warning: Warning| warnings.lock().expect("whole").push(warning.to_string()))
    }

    /// The campaign in the directory `name`, in which every set of four of the first `players` players shares a table
    /// in each of `rounds` rounds.
    fn campaign(&self, name: &str, (players, rounds): (usize, u32), options: CampaignOptions) -> Campaign {
        let players = NAMES.iter().take(players);
        let players = players.map(|name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n"));
        let keys = format!("ruleset = \"quantum-8-4p\"\nformat = \"group\"\ntables = \"all\"\nrounds = {rounds}");
        let text = format!("{keys}\n{}", players.collect::<String>());
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let (base, dir) = (self.dir.path().to_owned(), self.path(name));
        let plan = CampaignPlan { tournament: Arc::new(tournament), base, dir, options };
        Campaign::find(plan, self.tell()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Plays up to `most` of the campaign's missing games, and writes their logs and all tables. Returns the ids of the
    /// games.
    fn play(campaign: Campaign, most: usize) -> Vec<String> {
        let (dir, players) = (campaign.dir().to_owned(), campaign.tournament().players.len());
        let entrants: Vec<Entrant> = (0..players).map(|_| Entrant::Remote).collect();
        let (mut journal, mut ledger) = campaign.begin(&entrants).unwrap_or_else(|error| panic!("{error}"));
        let ruleset = ledger.definition.frame.ruleset;
        let lacks = |spec: &GameSpec| ledger.game(spec.id.as_str()).is_none();
        let games: Vec<GameSpec> = ledger.schedule().games().filter(lacks).take(most).collect();
        let entries: Vec<JournalEntry> =
            games.iter().map(|spec| JournalEntry::Game(entry(spec, &record(spec, ruleset)))).collect();
        journal.append(&entries).expect("written");
        for entry in entries {
            ledger.take(entry).unwrap_or_else(|error| panic!("{error}"));
        }
        let derived = Derived::in_dir(dir);
        derived.prepare().and_then(|()| derived.write_logs(&ledger, |_| true)).expect("the logs");
        derived.write_tables(&ledger).expect("the tables");
        games.into_iter().map(|spec| spec.id.to_string()).collect()
    }

    fn warnings(&self) -> String {
        std::mem::take(&mut *self.warnings.lock().expect("whole")).join("\n")
    }
}

/// The record of `spec`. Which seat wins depends on the game's number.
fn record(spec: &GameSpec, ruleset: Ruleset) -> GroupRecord {
    let seat = Seat::new(u8::try_from(spec.number % 3).expect("small") + 1).expect("a seat");
    unplayed_group(spec, ruleset, &NAMES, seat)
}

fn entry(spec: &GameSpec, record: &GroupRecord) -> GameEntry {
    GameEntry { number: spec.number, id: spec.id.to_string(), record: record.to_string() }
}

/// The contents of all files in `dir` except the journal, by name.
fn derived_files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for folder in [dir.to_owned(), dir.join("games")] {
        for path in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_file() && name != "journal.jsonl" {
                files.insert(name, fs::read(&path).expect("read"));
            }
        }
    }
    files
}

/// All games of every set of four among five players: five tables with four games each.
const WHOLE: (usize, u32) = (5, 1);

#[test]
fn a_run_of_groups_continues_with_the_games_that_it_lacks() {
    let house = RunsDir::new();
    let first = RunsDir::play(house.campaign("out", WHOLE, CampaignOptions::default()), 7);
    // The run was killed before it had written a log, and in the middle of writing a line.
    fs::remove_file(house.path("out/games").join(format!("{}.log", first[6]))).expect("removed");
    let journal = house.path("out/journal.jsonl");
    let whole = fs::read(&journal).expect("read");
    fs::write(&journal, [&whole[..], b"{\"game\":{"].concat()).expect("written");
    let second = RunsDir::play(house.campaign("out", WHOLE, CampaignOptions::default()), 100);
    assert_eq!((first.len(), second.len()), (7, 13));
    assert!(house.warnings().contains("7 of 20 games have been played"));
    RunsDir::play(house.campaign("one", WHOLE, CampaignOptions::default()), 100);
    assert_eq!(derived_files(&house.path("out")), derived_files(&house.path("one")));
    let checked =
        check(&house.path("out"), &house.tell(), &WorkCount::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(checked, Checked::All { lines: 20 });
}

#[test]
fn a_run_of_groups_can_be_extended_and_a_players_tables_played_again() {
    let house = RunsDir::new();
    RunsDir::play(house.campaign("out", (4, 1), CampaignOptions::default()), 100);
    let extend = CampaignOptions { beginning: Beginning::Extend, ..CampaignOptions::default() };
    // The new round of four players has one table, and a new player adds four tables to each round.
    let added = RunsDir::play(house.campaign("out", (4, 2), extend.clone()), 100);
    assert_eq!(added, ["r2-t1-g1", "r2-t1-g2", "r2-t1-g3", "r2-t1-g4"]);
    let redo = CampaignOptions { redo: vec!["bo".to_owned()], ..CampaignOptions::default() };
    let campaign = house.campaign("out", (4, 2), redo);
    assert_eq!(RunsDir::play(campaign, 100).len(), 8, "the player is at every table");
    let redo = CampaignOptions { redo: vec!["no-show".to_owned()], ..CampaignOptions::default() };
    assert_eq!(RunsDir::play(house.campaign("out", (4, 2), redo), 100).len(), 8);
    let redo = CampaignOptions { redo: vec!["r1-t1-g3".to_owned()], ..CampaignOptions::default() };
    assert_eq!(RunsDir::play(house.campaign("out", (4, 2), redo), 100), ["r1-t1-g3"]);
    check(&house.path("out"), &house.tell(), &WorkCount::default()).unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn merged_shards_of_groups_have_the_files_of_the_whole_run() {
    let house = RunsDir::new();
    RunsDir::play(house.campaign("one", WHOLE, CampaignOptions::default()), 100);
    let mut dirs = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let shard = shard.parse().expect("a shard");
        let options = CampaignOptions { shard: Some(shard), ..CampaignOptions::default() };
        let name = shard.dir_name();
        RunsDir::play(house.campaign(&name, WHOLE, options), 100);
        dirs.push(house.path(&name));
    }
    let plan = Merge { out: house.path("out"), dirs, keep: None };
    merge(&plan, &house.tell(), &WorkCount::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(derived_files(&house.path("out")), derived_files(&house.path("one")));
    let [merged, one] = ["out", "one"].map(|name| fs::read(house.path(name).join("journal.jsonl")).expect("read"));
    assert_eq!(merged, one);
}

#[test]
fn a_log_with_a_wrong_placing_is_not_used_and_a_journal_with_such_a_game_is_refused() {
    let house = RunsDir::new();
    let campaign = house.campaign("out", WHOLE, CampaignOptions::default());
    let ruleset = campaign.tournament().ruleset;
    RunsDir::play(campaign, 6);
    let (ledger, _) = journal::read(&house.path("out"), |_| {}).expect("whole");
    let games: Vec<GameSpec> = ledger.schedule().games().skip(6).take(2).collect();
    let wrong = |spec: &GameSpec| {
        let mut record = record(spec, ruleset);
        let standing = record.result.as_mut().expect("a result");
        let places: Vec<u8> = standing.placing.values().rev().copied().collect();
        standing.placing = crate::game::BySeat::new(places).expect("four seats");
        record
    };
    let log = |spec: &GameSpec| house.path("out/games").join(format!("{}.log", spec.id));
    fs::write(log(&games[0]), record(&games[0], ruleset).to_string()).expect("written");
    fs::write(log(&games[1]), wrong(&games[1]).to_string()).expect("written");
    let repairs = Repairs { from_logs: true, ..Repairs::default() };
    rebuild(&house.path("out"), repairs, &house.tell(), &WorkCount::default())
        .unwrap_or_else(|error| panic!("{error}"));
    let said = house.warnings();
    assert!(said.contains(&format!("{}.log` is not used: ", games[1].id)) && said.contains("`Placing`"), "{said}");
    let (ledger, _) = journal::read(&house.path("out"), |_| {}).expect("whole");
    assert_eq!((ledger.finished(), ledger.game(games[1].id.as_str()).is_some()), (7, false));
    // The same invalid record, this time in the journal.
    let (mut journal, ..) = Journal::resume(&house.path("out"), Durability::Fast).expect("whole");
    journal.append(&[JournalEntry::Game(entry(&games[1], &wrong(&games[1])))]).expect("written");
    drop(journal);
    for refused in [
        rebuild(&house.path("out"), Repairs::default(), &house.tell(), &WorkCount::default()).map(drop),
        check(&house.path("out"), &house.tell(), &WorkCount::default()).map(drop),
    ] {
        let Err(CampaignError::Faults { faults, .. }) = refused else { panic!("{refused:?}") };
        assert!(faults.len() == 1 && faults[0].starts_with(&format!("{}: ", games[1].id)), "{faults:?}");
    }
}
