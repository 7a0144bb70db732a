//! Ladders that continue from a checkpoint, and the logs of their games.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use tempfile::TempDir;
use tokio::sync::mpsc::unbounded_channel;

use super::{Campaign, CampaignError, CampaignOptions, CampaignPlan, check};
use crate::base::work_count::WorkCount;
use crate::game::BySeat;
use crate::host::bot_output::BotOutput;
use crate::run::collector::Collector;
use crate::run::entrants::Entrant;
use crate::run::event::{Ended, Event};
use crate::run::journal::{Journal, JournalEntry, Ledger, PairingEntry};
use crate::run::listener::Listeners;
use crate::run::results_dir::CHECKPOINT;
use crate::run::unplayed_record::unplayed_record;
use crate::tournament::Tournament;

const FILE: &str = "format = \"ladder\"\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n\
    [[player]]\nname = \"b\"\nbuiltin = \"random\"\n[[player]]\nname = \"ada\"\nfolder = \"ada\"\n";

struct LadderDir(TempDir);

impl LadderDir {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory"))
    }

    fn out(&self) -> PathBuf {
        self.0.path().join("out")
    }

    fn log(&self, id: &str) -> PathBuf {
        self.out().join(format!("games/{id}.log"))
    }

    fn begin(&self) -> Result<(Journal, Ledger), CampaignError> {
        let tournament = Tournament::parse(FILE, "test").unwrap_or_else(|problems| panic!("{problems:?}"));
        let (tournament, options) = (Arc::new(tournament), CampaignOptions::default());
        let plan = CampaignPlan { tournament, base: self.0.path().to_owned(), dir: self.out(), options };
        let campaign = Campaign::find(plan, Arc::new(|_| {}))?;
        campaign.begin(&[Entrant::Remote, Entrant::Remote])
    }

    /// Plays `games` games, which white wins, and a void one. Returns how many bytes of the journal a checkpoint
    /// covered.
    async fn play(&self, games: usize) -> u64 {
        let (journal, ledger) = self.begin().unwrap_or_else(|error| panic!("{error}"));
        let covered = ledger.covered();
        let mut history = ledger.ladder().expect("a ladder").clone();
        let mut collector = Collector::new(self.out(), journal, ledger).expect("prepared");
        let (events, mut told) = unbounded_channel();
        for game in 0..=games {
            let (black, white) = ("a".to_owned(), "b".to_owned());
            let pairing = PairingEntry { black, white, random: false, at: Timestamp::UNIX_EPOCH };
            let pairing = JournalEntry::Pairing(pairing);
            let spec = history.take(&pairing).expect("it fits").expect("a game");
            let (result, ending) = if game < games { ("0-1", "no show") } else { ("*", "void\"]\n[Reason \"none") };
            let text = unplayed_record(&spec, spec.id.as_str(), ["a", "b"], result, ending);
            let record = Box::new(text.parse().unwrap_or_else(|error| panic!("{error}")));
            let outputs = BySeat::from_fn(2, |_| BotOutput::default());
            events.send(Event::Enter(Box::new(pairing))).expect("taken");
            let ended = Ended { game: spec.id.clone(), number: spec.number, record, outputs, again: None };
            events.send(Event::Ended(ended)).expect("taken");
        }
        drop(events);
        collector.collect(&mut told, &mut Listeners::default()).await.expect("saved");
        collector.finish().expect("the tables");
        covered
    }

    fn length(&self) -> u64 {
        fs::metadata(self.out().join("journal.jsonl")).expect("it is there").len()
    }

    /// Whether all files agree with the journal.
    fn holds(&self) -> bool {
        check(&self.out(), &(Arc::new(|_| {}) as super::Tell), &WorkCount::default()).is_ok()
    }
}

#[tokio::test]
async fn a_ladder_continues_from_the_checkpoint_of_its_end_and_its_tables_have_all_games() {
    let dir = LadderDir::new();
    assert_eq!(dir.play(2).await, 0);
    for _ in 0..2 {
        let before = dir.length();
        assert_eq!(dir.play(3).await, before);
        assert!(dir.holds());
    }
    let results = fs::read_to_string(dir.out().join("results.csv")).expect("read");
    assert_eq!(results.lines().count(), 1 + 2 + 3 + 3 + 3, "a header, the games with results, and the void ones");
    // Only a run uses the checkpoint.
    fs::write(dir.out().join(CHECKPOINT), "nonsense").expect("written");
    assert!(dir.holds());
    assert_eq!(dir.play(1).await, 0);
}

#[tokio::test]
async fn a_log_that_was_edited_is_refused_although_a_checkpoint_covers_it() {
    for keeps_time in [false, true] {
        let dir = LadderDir::new();
        dir.play(3).await;
        let path = dir.log("r2-a-b");
        let (text, modified) =
            (fs::read_to_string(&path).expect("read"), fs::metadata(&path).expect("there").modified());
        fs::write(&path, text.replace("no show", "no shoe")).expect("written");
        if keeps_time {
            let file = File::options().write(true).open(&path).expect("opened");
            file.set_modified(modified.expect("known")).expect("set");
        }
        let error = dir.begin().expect_err("the log differs");
        let CampaignError::OtherLogs { logs, .. } = error else { panic!("{error}") };
        assert_eq!(logs, [path]);
    }
}

#[tokio::test]
async fn a_log_that_is_missing_is_written_again_although_a_checkpoint_covers_it() {
    let dir = LadderDir::new();
    dir.play(3).await;
    let before = fs::read(dir.log("r2-a-b")).expect("read");
    fs::remove_file(dir.log("r2-a-b")).expect("removed");
    assert_eq!(dir.play(0).await, 0, "the whole journal was read");
    assert_eq!(fs::read(dir.log("r2-a-b")).expect("read"), before);
    assert!(dir.holds());
    // The next checkpoint covers the new file.
    assert!(dir.play(0).await > 0);
}

#[tokio::test]
async fn a_log_of_no_game_is_refused_although_there_is_a_checkpoint() {
    let dir = LadderDir::new();
    dir.play(1).await;
    fs::write(dir.log("r9-a-b"), "not a log").expect("written");
    assert!(matches!(dir.begin(), Err(CampaignError::OtherLogs { .. })));
}

#[tokio::test]
async fn a_run_that_was_killed_before_it_wrote_a_log_writes_it_from_the_lines_after_the_checkpoint() {
    let dir = LadderDir::new();
    dir.play(2).await;
    let checkpoint = fs::read(dir.out().join(CHECKPOINT)).expect("read");
    let covered = dir.length();
    dir.play(2).await;
    fs::write(dir.out().join(CHECKPOINT), checkpoint).expect("written");
    // The void game of the first run, which the checkpoint covers, and a later game.
    for id in ["r3-a-b", "r5-a-b"] {
        fs::remove_file(dir.log(id)).expect("removed");
        assert_eq!(dir.begin().expect("it continues").1.covered(), covered);
        assert!(dir.log(id).exists(), "{id}");
    }
    fs::write(dir.log("r5-a-b"), "edited").expect("written");
    assert!(matches!(dir.begin(), Err(CampaignError::OtherLogs { .. })));
}
