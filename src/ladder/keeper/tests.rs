//! The keeper without a run: entries reach the disk when a test says so.

mod disorder;
mod players;
mod wishes;

use std::fs;
use std::sync::Mutex;

use tempfile::TempDir;
use tokio::sync::mpsc;

use super::*;
use crate::base::random::SplitMix64;
use crate::base::stop::{self, StopSender};
use crate::base::time::WallTime;
use crate::game::{Outcome, Side};
use crate::ladder::hand_in::DoorKind;
use crate::ladder::mailbox::{LadderRequest, post};
use crate::referee::result::GameResult;
use crate::run::campaign::ladder_field;
use crate::run::journal::{
    AcceptedEntry, FORMAT, GameOutcome, HandInEntry, Header, Ledger, PlayerEntry, ProgramLine, VersionStatus,
};
use crate::run::play::Arena;
use crate::tournament::PlayerName;
use crate::tournament::definition::{Definition, PlayerDefinition};

const TERM: &str = "format = \"ladder\"\n[ladder]\nactive = 2\n\
    [[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n[[player]]\nname = \"random\"\nbuiltin = \"random\"\n\
    [[player]]\nname = \"ada\"\nfolder = \"ada\"\n[[player]]\nname = \"bo\"\nfolder = \"bo\"\n";

/// A ladder with its keeper and its journal.
struct Kept {
    keeping: Keeping,
    ledger: Ledger,
    dir: TempDir,
    /// The games that have ended with results.
    ended: Vec<(u64, GameOutcome)>,
    events: UnboundedReceiver<Event>,
    _sender: UnboundedSender<Event>,
    added: UnboundedReceiver<Addition>,
    told: Arc<Mutex<Vec<String>>>,
    /// Without these, the keeper would end.
    _stop: StopSender,
    _news: mpsc::Sender<DoorNews>,
}

fn read(text: &str) -> Tournament {
    Tournament::parse(text, "term").unwrap_or_else(|problems| panic!("{problems}\n{text}"))
}

fn begun(text: &str) -> Ledger {
    let definition = Definition::from(&read(text));
    let players = definition.players.iter().map(|player| PlayerEntry {
        name: player.name.clone(),
        digest: None,
        files: BTreeMap::new(),
        products: None,
    });
    let (digest, players, program) = (definition.digest(), players.collect(), String::new());
    let header = Header { format: FORMAT, program, digest, definition, players, shard: None };
    Ledger::new(header).unwrap_or_else(|error| panic!("{error}"))
}

/// A version that was accepted.
fn version(of: &str, number: u32) -> JournalEntry {
    let at = Timestamp::UNIX_EPOCH;
    let (door, origin, sources) = ("folder".to_owned(), String::new(), format!("{of} {number}"));
    let version = HandInEntry { of: of.to_owned(), number, sources, arrived: at, door, origin };
    let name = version.name();
    let program = ProgramLine {
        command: vec!["./bot".to_owned()],
        build: None,
        transport: "tcp".to_owned(),
        dir: String::new(),
        hosts: Vec::new(),
        untold: false,
    };
    JournalEntry::Version(Box::new(AcceptedEntry {
        player: PlayerEntry { name: name.clone(), digest: None, files: BTreeMap::new(), products: None },
        definition: PlayerDefinition { name, facts: BTreeMap::new() },
        version: Some(version),
        program: Some(program),
        at,
    }))
}

impl Kept {
    /// The ladder of a tournament file with this `text`, whose journal contains `entries`.
    fn new(text: &str, entries: &[JournalEntry]) -> Self {
        let mut ledger = begun(text);
        for entry in entries {
            ledger.take(entry.clone()).unwrap_or_else(|error| panic!("{error}"));
        }
        Self::begin(text, ledger, tempfile::tempdir().expect("a directory"))
    }

    fn begin(text: &str, ledger: Ledger, dir: TempDir) -> Self {
        let file = read(text);
        let absent = ladder_field::absent(&file, &ledger);
        let field = ladder_field::field(&file, &ledger, &absent, dir.path()).unwrap_or_else(|name| panic!("{name}"));
        let entrant = |player| if absent.contains(&player) { Entrant::Resting } else { Entrant::Remote };
        let arena = Arena::new(Arc::new(field.clone()), (0..field.players.len()).map(entrant).collect());
        let term = dir.path().join("term.toml");
        fs::write(&term, text).expect("written");
        let told = Arc::new(Mutex::new(Vec::new()));
        let telling = Arc::clone(&told);
        let keeper = LadderKeeper {
            file: Some(term),
            players: file.players,
            is_submit_public: false,
            tell: Arc::new(move |news| {
                let (LadderNews::Note(text) | LadderNews::Warning(text)) = news;
                telling.lock().expect("not poisoned").push(text);
            }),
            pictures: None,
        };
        let (sender, events) = mpsc::unbounded_channel();
        let (news_sender, news) = mpsc::channel(1);
        let (stop, signal) = stop::channel();
        let context = GrowthContext {
            arena: &Arc::new(arena),
            ledger: &ledger,
            base: dir.path(),
            dir: dir.path(),
            slots: RunSlots::of_this_machine(1),
            events: sender.clone(),
            tell: Arc::new(|_| {}),
            stop: signal,
        };
        let (keeping, added, _) = Keeping::new(&keeper, context, news).unwrap_or_else(|error| panic!("{error}"));
        Self {
            keeping,
            ledger,
            dir,
            ended: Vec::new(),
            events,
            added,
            told,
            _sender: sender,
            _stop: stop,
            _news: news_sender,
        }
    }

    /// The ladder after a restart with a tournament file with this `text`.
    fn again(self, text: &str) -> Self {
        let mut again = Self::begin(text, self.ledger, self.dir);
        for (number, outcome) in self.ended {
            again.end(number, Some(outcome));
        }
        again
    }

    /// Writes the next entry that was sent to the journal, if there is one.
    fn write(&mut self) -> Option<JournalEntry> {
        let event = self.events.try_recv().ok()?;
        let Event::Enter(entry) = event else { return self.write() };
        self.ledger.take((*entry).clone()).unwrap_or_else(|error| panic!("the journal refuses an entry: {error}"));
        self.keeping.follow(LadderFact::Entered(entry.clone()));
        Some(*entry)
    }

    /// Acts and writes until nothing more happens. Returns the entries.
    fn act(&mut self) -> Vec<JournalEntry> {
        let mut written = Vec::new();
        loop {
            self.keeping.act();
            match self.write() {
                Some(entry) => written.push(entry),
                None => return written,
            }
        }
    }

    fn poll(&mut self) -> Vec<JournalEntry> {
        self.keeping.poll();
        self.act()
    }

    /// Hands in sources that are refused without a check.
    fn hand_in(&mut self, of: &str, digest: &str, arrived: WallTime) {
        self.keeping.hear(DoorNews::HandIn(hand_in(of, digest, arrived)));
    }

    fn ask(&self, request: &LadderRequest) {
        post(self.dir.path(), request).expect("posted");
    }

    fn requests(&self) -> usize {
        fs::read_dir(self.dir.path().join("mailbox")).map_or(0, Iterator::count)
    }

    fn edit(&self, text: &str) {
        fs::write(self.dir.path().join("term.toml"), text).expect("written");
    }

    /// Closes all doors that should be closed by now according to the plan.
    fn close_doors(&mut self) {
        let end = self.keeping.end_of_hand_ins();
        for entry in self.keeping.ladder.entries.clone() {
            let closes = door_plan::closing(&entry, end, self.keeping.state.history());
            if let Some(closes) = closes.filter(|closes| *closes <= wall_clock()) {
                self.keeping.hear(DoorNews::Closed { player: entry.name, closes });
            }
        }
    }

    /// Ends all games from number `first` on that have been decided on, and those that are decided on afterwards.
    fn play(&mut self, first: u64) {
        loop {
            let games = self.keeping.state.history().schedule().at_most();
            (first..games).for_each(|number| self.end(number, Some(by_chance(number))));
            if self.act().is_empty() {
                return;
            }
        }
    }

    fn end(&mut self, number: u64, outcome: Option<GameOutcome>) {
        self.ended.extend(outcome.map(|outcome| (number, outcome)));
        self.keeping.follow(LadderFact::Ended { number, outcome, is_final: true });
    }

    fn told(&self, what: &str) -> bool {
        self.told.lock().expect("not poisoned").iter().any(|text| text.contains(what))
    }

    fn status(&self, name: &str) -> VersionStatus {
        let history = self.keeping.state.history();
        history.players()[history.place(name).expect("a player")].status.clone()
    }
}

fn hand_in(of: &str, digest: &str, arrived: WallTime) -> HandIn {
    HandIn {
        player: PlayerName::new(of).expect("a name"),
        door: DoorKind::Folder,
        arrived,
        origin: String::new(),
        digest: digest.to_owned(),
        sources: Err("it contains no files".to_owned()),
        entries: Vec::new(),
    }
}

/// The outcome of game `number`, which one of the players wins.
fn by_chance(number: u64) -> GameOutcome {
    let winner = if SplitMix64::new(number).below(2) == 0 { Side::Black } else { Side::White };
    GameOutcome::from(&GameResult::played(Outcome { winner: Some(winner), margin: None }))
}

fn draw() -> GameOutcome {
    GameOutcome::from(&GameResult::played(Outcome { winner: None, margin: None }))
}

fn names(entries: &[JournalEntry]) -> Vec<String> {
    let name = |entry: &JournalEntry| match entry {
        JournalEntry::Version(entry) => format!("version {}", entry.player.name),
        JournalEntry::Refused(entry) => format!("refused {}", entry.version.name()),
        JournalEntry::Paused(entry) => format!("paused {}", entry.version),
        JournalEntry::Resumed(entry) => format!("resumed {}", entry.version),
        JournalEntry::Retired(entry) => format!("retired {}", entry.version),
        JournalEntry::Pairing(_) => "pairing".to_owned(),
        JournalEntry::Frozen(entry) => format!("frozen {}", entry.rounds),
        JournalEntry::Reopened(entry) => format!("reopened {}", entry.player),
        other => format!("{other:?}"),
    };
    entries.iter().map(name).filter(|name| name != "pairing").collect()
}

#[tokio::test]
async fn hand_ins_of_one_player_that_wait_together_have_different_numbers() {
    let mut kept = Kept::new(TERM, &[]);
    for (digest, owner) in [("1", "ada"), ("2", "ada"), ("3", "bo"), ("4", "ada")] {
        kept.hand_in(owner, digest, wall_clock());
    }
    // No other hand-in is judged before the first verdict is on disk.
    kept.keeping.act();
    kept.keeping.act();
    let sent = kept.keeping.sent.values().filter(|sent| sent.hand_in.is_some()).count();
    assert_eq!(sent, 1);
    assert_eq!(
        names(&kept.act()),
        ["refused ada.1", "refused bo.1", "refused ada.2", "refused ada.3"].map(str::to_owned)
    );
}

#[tokio::test(start_paused = true)]
async fn a_spoiled_game_is_sent_again_and_does_not_keep_a_frozen_ladder_alive() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    kept.act();
    kept.end(0, None);
    let sent = |kept: &mut Kept| {
        let added = std::iter::from_fn(|| kept.added.try_recv().ok());
        added
            .filter_map(|addition| if let Addition::Game(spec) = addition { Some(spec.number) } else { None })
            .collect()
    };
    let _: Vec<u64> = sent(&mut kept);
    kept.keeping.act();
    kept.write();
    let now: Vec<u64> = sent(&mut kept);
    assert!(!now.contains(&0), "{now:?}");
    tokio::time::advance(Duration::from_mins(6)).await;
    kept.keeping.send_spoiled_again();
    assert_eq!(sent(&mut kept), vec![0_u64]);
    kept.end(0, None);
    kept.ask(&LadderRequest::Freeze { rounds: 1 });
    kept.poll();
    kept.close_doors();
    kept.end(1, Some(draw()));
    assert_eq!(names(&kept.act()), ["frozen 1"]);
    kept.close_doors();
    assert!(!kept.keeping.has_ended());
    kept.play(1);
    assert!(kept.keeping.has_ended() && kept.told("has spoiled 1 of the last games"));
    assert!(!kept.dir.path().join("class.toml").exists());
}

#[tokio::test]
async fn the_run_knows_who_plays_before_it_gets_their_games() {
    let mut kept = Kept::new(TERM, &[version("ada", 1), version("bo", 1)]);
    kept.act();
    let added: Vec<Addition> = std::iter::from_fn(|| kept.added.try_recv().ok()).collect();
    let playing = |addition: &Addition| match addition {
        Addition::Playing(players) => Some(players.clone()),
        Addition::Arena(_) | Addition::Game(_) => None,
    };
    let first = added.iter().position(|addition| matches!(addition, Addition::Game(_))).expect("a game");
    assert_eq!(added[..first].iter().filter_map(playing).collect::<Vec<_>>(), [(0..4).collect::<BTreeSet<_>>()]);
    kept.ask(&LadderRequest::Retire { version: "bo.1".to_owned(), reason: String::new() });
    kept.poll();
    kept.end(0, Some(draw()));
    kept.act();
    let playing = std::iter::from_fn(|| kept.added.try_recv().ok()).filter_map(|addition| playing(&addition)).last();
    assert_eq!(playing, Some([0, 1, 2].into()), "its last game has been played");
}
