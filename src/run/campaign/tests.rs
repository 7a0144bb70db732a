//! Tests of new, continued and refused campaigns in which no game is played.

use std::fs;
use std::sync::Mutex;

use tempfile::TempDir;

use super::errors::Remedy;
use super::*;
use crate::base::work_count::WorkCount;
use crate::run::derived::{RESULTS, STANDINGS};
use crate::run::journal::{GameEntry, JournalEntry, JournalError};
use crate::run::unplayed_record::unplayed_record;

/// A results directory, and the warnings of campaigns in it.
struct House {
    dir: TempDir,
    warnings: Arc<Mutex<Vec<String>>>,
}

/// The players `a` and `b`, which play two games against each other.
const TWO: [&str; 2] = ["a", "b"];

impl House {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a directory"), warnings: Arc::default() }
    }

    fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    /// A campaign of built-in bots with these names, with `keys` at the top of the file.
    fn campaign(&self, keys: &str, players: &[&str], options: CampaignOptions) -> Result<Campaign, CampaignError> {
        let players = players.iter().map(|name| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"random\"\n"));
        let text = format!("{keys}\n{}", players.collect::<String>());
        let tournament = Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}"));
        let plan = CampaignPlan {
            tournament: Arc::new(tournament),
            base: self.dir.path().to_owned(),
            dir: self.out(),
            options,
        };
        let warnings = Arc::clone(&self.warnings);
        Campaign::find(
            plan,
            Arc::new(move |warning: Warning| warnings.lock().expect("whole").push(warning.to_string())),
        )
    }

    /// Begins or continues the campaign of [`TWO`].
    fn begin(&self, options: CampaignOptions) -> (Journal, Ledger) {
        begun(self.campaign("", &TWO, options).unwrap_or_else(|error| panic!("{error}")), 2)
    }

    /// Plays the campaign of [`TWO`] to its end: white wins every game.
    fn play(&self) {
        let (mut journal, mut ledger) = self.begin(CampaignOptions::default());
        let games: Vec<JournalEntry> = ledger
            .definition
            .schedule(&[])
            .games()
            .zip(0..)
            .map(|(spec, number)| {
                let names = [spec.pair().black, spec.pair().white].map(|player| TWO[player]);
                let record = unplayed_record(&spec, spec.id.as_str(), names, "0-1", "no show");
                JournalEntry::Game(GameEntry { number, id: spec.id.to_string(), record })
            })
            .collect();
        assert_eq!(games.len(), 2);
        for game in &games {
            ledger.take(game.clone()).unwrap_or_else(|error| panic!("{error}"));
        }
        journal.append(&games).expect("written");
        let logs = mended_logs::held_against(&self.out(), &mut journal, &mut ledger).expect("no logs yet");
        mended_logs::mend(&self.out(), &mut ledger, &logs).expect("the logs");
    }

    fn warnings(&self) -> String {
        std::mem::take(&mut *self.warnings.lock().expect("whole")).join("\n")
    }

    fn journal(&self) -> PathBuf {
        self.out().join("journal.jsonl")
    }

    /// Every file of the results, with its contents.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.out()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read(path).expect("read")));
                }
            }
        }
        files.sort();
        files
    }
}

/// Players about which nothing is known except that they can play.
fn entrants(players: usize) -> Vec<Entrant> {
    (0..players).map(|_| Entrant::Remote).collect()
}

fn begun(campaign: Campaign, players: usize) -> (Journal, Ledger) {
    campaign.begin(&entrants(players)).unwrap_or_else(|error| panic!("{error}"))
}

fn redo(words: &[&str]) -> CampaignOptions {
    CampaignOptions { redo: words.iter().map(|word| (*word).to_owned()).collect(), ..CampaignOptions::default() }
}

fn wish(beginning: Beginning) -> CampaignOptions {
    CampaignOptions { beginning, ..CampaignOptions::default() }
}

/// Panics on any warning: there should be none.
fn silent() -> Tell {
    Arc::new(|warning| panic!("{warning}"))
}

#[test]
fn a_new_run_begins_with_a_header_and_no_games() {
    let house = House::new();
    let (_journal, ledger) = house.begin(CampaignOptions::default());
    assert_eq!((ledger.ids().count(), ledger.players.len(), house.warnings().as_str()), (0, 2, ""));
    assert_eq!(fs::read_to_string(house.journal()).expect("read").lines().count(), 1);
}

#[test]
fn a_run_continues_with_existing_results_and_mends_the_logs() {
    let house = House::new();
    house.play();
    let log = house.out().join("games/r1-a-b.log");
    let text = fs::read(&log).expect("a log");
    fs::remove_file(&log).expect("removed");
    for table in [RESULTS, STANDINGS] {
        fs::write(house.out().join(table), "of the run as it was").expect("written");
    }
    house.warnings();
    let (_journal, ledger) = house.begin(CampaignOptions::default());
    assert_eq!(ledger.results().len(), 2);
    assert!(house.warnings().ends_with("is complete: 2 games"));
    assert_eq!(fs::read(&log).expect("written again"), text);
    assert!([RESULTS, STANDINGS].iter().all(|table| !house.out().join(table).exists()));
}

#[test]
fn a_journal_that_another_run_writes_is_refused() {
    let house = House::new();
    let _running = house.begin(CampaignOptions::default());
    let refused = house.campaign("", &TWO, CampaignOptions::default()).err();
    assert!(matches!(refused, Some(CampaignError::InUse { dir }) if dir == house.out()));
}

#[test]
fn a_fresh_run_takes_the_first_free_name() {
    let house = House::new();
    house.play();
    let before = house.files();
    for name in ["out-2", "out-3"] {
        let campaign = house.campaign("", &TWO, wish(Beginning::Fresh)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(campaign.plan.dir, house.dir.path().join(name));
        assert!(house.warnings().contains(&format!("{name}`")));
        assert_eq!(begun(campaign, 2).1.results().len(), 0);
    }
    assert_eq!(house.files(), before);
}

#[test]
fn a_larger_tournament_continues_only_when_extended() {
    let house = House::new();
    house.play();
    let three = ["a", "b", "c"];
    let refused = house.campaign("", &three, CampaignOptions::default()).err();
    assert!(matches!(refused, Some(CampaignError::OtherTournament { remedy: Remedy::Extend, .. })));
    let campaign = house.campaign("", &three, wish(Beginning::Extend)).unwrap_or_else(|error| panic!("{error}"));
    let (_journal, ledger) = begun(campaign, 3);
    assert_eq!((ledger.results().len(), ledger.earlier.len()), (2, 1));
    assert_eq!(ledger.definition.schedule(&ledger.earlier).len(), Some(6));
}

#[test]
fn another_tournament_is_refused_and_changes_nothing() {
    let house = House::new();
    house.play();
    let before = house.files();
    let asked = |keys: &str, players: &[&str], options| house.campaign(keys, players, options).err();
    for (refused, remedy) in [
        (asked("seed = 7", &TWO, CampaignOptions::default()), Remedy::Undo),
        (asked("time = \"7s\"", &TWO, wish(Beginning::Extend)), Remedy::NotByExtending),
    ] {
        let Some(CampaignError::OtherTournament { changes, remedy: found, .. }) = refused else { panic!("refused") };
        assert_eq!((changes.is_empty(), found), (false, remedy));
    }
    assert_eq!(house.files(), before);
}

#[test]
fn replayed_games_no_longer_count() {
    let house = House::new();
    for (word, left) in [("r1-a-b", 1), ("no show", 0), ("a", 0)] {
        let _ = fs::remove_dir_all(house.out());
        house.play();
        let (_journal, ledger) = house.begin(redo(&[word]));
        assert_eq!(ledger.results().len(), left, "{word}");
        assert_eq!(fs::read_dir(house.out().join("games")).expect("a folder").count(), left, "{word}: the logs");
    }
    house.warnings();
    house.begin(redo(&["time"]));
    assert!(house.warnings().contains("no other game has ended this way"));
    let refused = house.campaign("", &TWO, redo(&["r1-a-bb"])).err();
    let Some(CampaignError::UnknownWord { word, meant }) = refused else { panic!("there is no such game") };
    assert_eq!((word.as_str(), meant), ("r1-a-bb", None), "no game counts, so there is none to suggest");
    let nothing = House::new();
    let refused = nothing.campaign("", &TWO, redo(&["a"])).err();
    assert!(matches!(refused, Some(CampaignError::NothingPlayed { word, .. }) if word == "a"));
}

#[test]
fn a_changed_player_is_refused_until_its_games_are_replayed() {
    let house = House::new();
    house.play();
    let before = house.files();
    let changed = || {
        let mut entrants = entrants(2);
        entrants[1] = Entrant::Changed("`bot.c`".to_owned());
        entrants
    };
    let find = |options| house.campaign("", &TWO, options).unwrap_or_else(|error| panic!("{error}"));
    let refused = find(CampaignOptions::default()).begin(&changed()).err();
    let Some(CampaignError::OtherPlayers { players }) = refused else { panic!("it has played") };
    assert_eq!(players, [("b".to_owned(), "`bot.c`".to_owned())]);
    assert_eq!(house.files(), before);
    let campaign = find(redo(&["b"]));
    let bound: Vec<bool> = campaign.known().iter().map(|known| known.is_bound).collect();
    assert_eq!(bound, [true, false]);
    assert_eq!(begun(campaign, 2).1.results().len(), 0);
}

#[test]
fn a_damaged_journal_is_refused_and_changes_nothing() {
    let house = House::new();
    house.play();
    let text = fs::read_to_string(house.journal()).expect("read");
    fs::write(house.journal(), text.replacen("no show", "on show", 1)).expect("written");
    let before = house.files();
    let refused = house.campaign("", &TWO, CampaignOptions::default()).err();
    let Some(CampaignError::Damaged { error, .. }) = refused else { panic!("it is damaged") };
    assert!(matches!(error, JournalError::Damaged { line: 2, .. }), "{error}");
    assert_eq!(house.files(), before);
}

#[test]
fn an_unfinished_last_line_is_dropped_with_a_warning() {
    let house = House::new();
    house.play();
    let text = fs::read_to_string(house.journal()).expect("read");
    fs::write(house.journal(), &text[..text.len() - 9]).expect("written");
    fs::remove_file(house.out().join("games/r1-a-b.log")).expect("a log");
    house.warnings();
    assert_eq!(house.begin(CampaignOptions::default()).1.results().len(), 1);
    assert!(house.warnings().contains("was cut off when the previous run ended"));
}

#[test]
fn logs_that_differ_from_the_journal_are_refused_and_rebuilding_mends_them() {
    let house = House::new();
    house.play();
    let log = house.out().join("games/r1-a-b.log");
    fs::write(&log, "edited").expect("written");
    let campaign = house.campaign("", &TWO, CampaignOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let refused = campaign.begin(&entrants(2)).err();
    assert!(matches!(refused, Some(CampaignError::OtherLogs { logs, .. }) if logs == [log.clone()]));
    assert!(matches!(verified(&house.out(), |_| {}), Err(CampaignError::OtherLogs { .. })));
    assert!(matches!(check(&house.out(), &silent(), &WorkCount::default()), Err(CampaignError::OtherLogs { .. })));
    let tell = silent();
    rebuild(&house.out(), Repairs::default(), &tell, &WorkCount::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(check(&house.out(), &silent(), &WorkCount::default()).ok(), Some(Checked::All { lines: 2 }));
}

#[test]
fn a_log_that_a_power_failure_has_emptied_is_written_again() {
    let house = House::new();
    house.play();
    let (log, unknown) = (house.out().join("games/r1-a-b.log"), house.out().join("games/r1-x-y.log"));
    let text = fs::read(&log).expect("a log");
    for path in [&log, &unknown] {
        fs::write(path, "").expect("emptied");
    }
    assert!(verified(&house.out(), |_| {}).is_ok());
    let checked = check(&house.out(), &silent(), &WorkCount::default());
    assert!(matches!(checked, Err(CampaignError::OtherLogs { .. })), "it is not as the run would have left it");
    assert_eq!(house.begin(CampaignOptions::default()).1.results().len(), 2);
    assert_eq!(fs::read(&log).expect("a log"), text);
}

#[test]
fn logs_that_a_power_failure_has_torn_are_written_again() {
    let house = House::new();
    house.play();
    let [one, other] = ["games/r1-a-b.log", "games/r1-b-a.log"].map(|name| house.out().join(name));
    let before = fs::read(&other).expect("a log");
    fs::remove_file(&one).expect("removed");
    fs::write(&other, [&before[..20], &vec![0; before.len() - 20]].concat()).expect("written");
    drop(house.begin(CampaignOptions::default()));
    assert_eq!(fs::read(&other).expect("a log"), before);
    assert!(verified(&house.out(), |_| {}).is_ok());
    // A log that differs in another way is refused, even next to a torn log.
    fs::write(&one, "").expect("written");
    fs::write(&other, "edited").expect("written");
    let campaign = house.campaign("", &TWO, CampaignOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let refused = campaign.begin(&entrants(2)).err();
    assert!(matches!(refused, Some(CampaignError::OtherLogs { logs, .. }) if logs == [other]));
    assert_eq!(fs::read(&one).expect("a log"), b"");
}

#[test]
fn a_directory_that_holds_anything_else_is_refused() {
    let house = House::new();
    fs::create_dir(house.out()).expect("made");
    fs::write(house.out().join(".tmp-left"), "").expect("written");
    fs::write(house.out().join("notes"), "").expect("written");
    let refused = house.campaign("", &TWO, CampaignOptions::default()).err();
    assert!(matches!(refused, Some(CampaignError::Occupied { .. })));
    assert!(matches!(check(&house.out(), &silent(), &WorkCount::default()), Err(CampaignError::NoJournal { .. })));
}
