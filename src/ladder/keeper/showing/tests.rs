use std::collections::BTreeMap as Map;

use super::*;
use crate::game::Side;
use crate::ladder::leaderboard::pictures;
use crate::referee::result::GameResult;
use crate::run::journal::{
    AcceptedEntry, GameOutcome, JournalEntry, LadderTally, PairingEntry, PlayerEntry, RefusedEntry, StatusEntry,
};
use crate::tournament::Tournament;
use crate::tournament::definition::{Definition, PlayerDefinition};

const FILE: &str = "format = \"ladder\"\n[ladder]\nanonymous = true\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
    [[player]]\nname = \"ada\"\nfolder = \"ada\"\n[[player]]\nname = \"bo\"\nfolder = \"bo\"\n\
    [[player]]\nname = \"cy\"\nfolder = \"cy\"\n";

/// A ladder, and the pictures for its page.
struct Shown {
    tournament: Tournament,
    state: LadderState,
    showing: Showing,
    received: crate::ladder::leaderboard::Pictures,
}

fn day(days: i64) -> Timestamp {
    Timestamp::from_second(days * DAY).expect("a time")
}

fn hand_in(of: &str, number: u32, at: Timestamp) -> HandInEntry {
    HandInEntry {
        of: of.to_owned(),
        number,
        sources: number.to_string(),
        arrived: at,
        door: "folder".to_owned(),
        origin: "/home/teacher/\u{202e}ada".to_owned(),
    }
}

impl Shown {
    fn new() -> Self {
        let tournament = Tournament::parse(FILE, "term").unwrap_or_else(|problems| panic!("{problems}"));
        let history = LadderHistory::new(&Definition::from(&tournament));
        let tally = LadderTally::new(&history);
        let state = LadderState::new(history, tally, 7);
        let (sender, received) = pictures();
        Self { tournament, state, showing: Showing::new(Some(sender)), received }
    }

    fn take(&mut self, entry: &JournalEntry) -> Option<u64> {
        self.state.take(entry).unwrap_or_else(|error| panic!("{error}")).map(|spec| spec.number)
    }

    fn accept(&mut self, of: &str, number: u32, at: Timestamp) {
        let version = hand_in(of, number, at);
        let name = version.name();
        self.take(&JournalEntry::Version(Box::new(AcceptedEntry {
            player: PlayerEntry { name: name.clone(), digest: None, files: Map::new(), products: None },
            definition: PlayerDefinition { name, facts: Map::new() },
            version: Some(version),
            program: None,
            at,
        })));
    }

    /// Lets `loser`, as black, lose a game to `winner`. The game is decided on at the time `at`.
    fn lose(&mut self, loser: &str, winner: &str, at: Timestamp) -> u64 {
        let pairing = PairingEntry { black: loser.to_owned(), white: winner.to_owned(), random: false, at };
        let number = self.take(&JournalEntry::Pairing(pairing)).expect("a game");
        self.state.end(number, GameOutcome::from(&GameResult::resigned(Side::Black)));
        number
    }

    fn picture(&mut self, waiting: Vec<(String, WallTime)>, checked: Option<(String, WallTime)>) -> LadderPicture {
        let ladder = self.tournament.ladder.as_ref().expect("a ladder");
        self.state.fit(&ladder.terms);
        let title = "term\u{1b}";
        let moment = Moment { title, ladder, state: &self.state, waiting, checked, is_busy: false, is_end: false };
        self.showing.show(&moment);
        let picture = self.received.borrow().clone();
        picture.map(|picture| (*picture).clone()).expect("a picture")
    }
}

fn player<'p>(picture: &'p LadderPicture, name: &str) -> &'p PicturedPlayer {
    picture.players.iter().find(|player| player.name == name).expect("a player")
}

#[test]
fn a_picture_has_every_player_with_its_versions_best_first() {
    let mut shown = Shown::new();
    for (player, number) in [("ada", 1), ("bo", 1), ("ada", 3)] {
        shown.accept(player, number, day(number.into()));
    }
    let refused = RefusedEntry { version: hand_in("cy", 1, day(4)), reason: "no \u{7}bot".to_owned(), at: day(4) };
    shown.take(&JournalEntry::Refused(refused));
    let paused = StatusEntry { version: "ada.1".to_owned(), reason: "it crashed".to_owned(), at: day(5) };
    shown.take(&JournalEntry::Paused(paused));
    let lost: Vec<u64> = (0..12).map(|_| shown.lose("bo.1", "ada.3", day(5))).collect();
    for _ in 0..20 {
        shown.lose("greedy", "bo.1", day(5));
    }
    let now = WallTime::UNIX_EPOCH;
    let picture = shown.picture(vec![("bo".to_owned(), now)], Some(("cy".to_owned(), now)));
    assert_eq!((picture.title.as_str(), picture.is_anonymous, picture.games), ("term\\u{1b}", true, 32));
    assert_eq!((picture.activity, picture.zero.as_deref()), (LadderActivity::Idle, Some("greedy")));
    let ranks: Vec<_> = picture.players.iter().map(|player| (player.name.as_str(), player.rank)).collect();
    assert_eq!(ranks, [("ada", Some(1)), ("bo", Some(2)), ("greedy", Some(3)), ("cy", None)]);
    let states = |name| player(&picture, name).versions.iter().map(|version| version.state).collect::<Vec<_>>();
    assert_eq!(states("ada"), [VersionWord::Paused, VersionWord::Playing]);
    assert_eq!(states("cy"), [VersionWord::Refused]);
    assert_eq!(player(&picture, "cy").versions[0].reason, "no \\u{7}bot");
    assert_eq!(player(&picture, "ada").versions[0].origin, "/home/teacher/\\u{202e}ada");
    assert_eq!((player(&picture, "bo").games, player(&picture, "ada").games), (32, 12));
    assert_eq!(player(&picture, "bo").versions[0].results, [20, 0, 12]);
    let kept: Vec<u64> = player(&picture, "bo").lost.iter().map(|loss| loss.number).collect();
    assert_eq!(kept, lost.iter().rev().take(10).copied().collect::<Vec<_>>(), "the last ten, latest first");
    assert!(player(&picture, "greedy").lost.is_empty(), "lost games of a built-in bot are not listed");
    let waiting: Vec<&str> = picture.waiting.iter().map(|hand_in| hand_in.player.as_str()).collect();
    assert_eq!((waiting, picture.is_checking), (vec!["cy", "bo"], true));
}

#[test]
fn a_picture_is_due_when_something_has_changed() {
    let mut shown = Shown::new();
    assert!(shown.showing.is_due());
    let first = shown.picture(Vec::new(), None);
    assert!(!shown.showing.is_due());
    shown.showing.trouble("ada", Some("no \u{1b}host"));
    assert!(!shown.showing.is_due(), "the last picture is less than a second old");
    let second = shown.picture(Vec::new(), None);
    assert_eq!((second.seq, &*second.troubles["ada"]), (first.seq + 1, "no \\u{1b}host"));
    shown.showing.trouble("ada", None);
    assert!(shown.picture(Vec::new(), None).troubles.is_empty());
    assert!(!Showing::new(None).is_due(), "there is no page");
}

#[test]
fn the_change_of_a_week_compares_with_the_best_version_of_that_time() {
    let today = Timestamp::now().as_second().div_euclid(DAY);
    let mut shown = Shown::new();
    shown.accept("ada", 1, day(today - 20));
    shown.accept("bo", 1, day(today - 20));
    for _ in 0..10 {
        shown.lose("bo.1", "ada.1", day(today - 8));
    }
    shown.lose("greedy", "bo.1", day(today - 8));
    let before = shown.state.ratings_week_ago(today * DAY).expect("known");
    shown.accept("bo", 2, day(today - 1));
    for _ in 0..20 {
        shown.lose("ada.1", "bo.2", day(today - 1));
    }
    assert_eq!(shown.state.ratings_week_ago(today * DAY), Some(before.clone()), "later games change nothing");
    assert!(before.len() == 3 && before[2].is_some());
    let picture = shown.picture(Vec::new(), None);
    let bo = player(&picture, "bo");
    let change = bo.rating.expect("rated").elo - before[2].expect("rated").elo.0;
    assert_eq!(bo.change, Some(change));
    assert!(change > 50.0, "{change}");
    assert!(player(&picture, "ada").change.is_some_and(|change| change < 0.0));
}
