use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::base::random::SplitMix64;
use crate::game::Side;
use crate::run::journal::{AcceptedEntry, FrozenEntry, HandInEntry, PlayerEntry, ProgramLine, StatusEntry};
use crate::tournament::Tournament;
use crate::tournament::definition::{Definition, PlayerDefinition};

const FILE: &str = "format = \"ladder\"\n[[player]]\nname = \"greedy\"\nbuiltin = \"greedy\"\n\
    [[player]]\nname = \"ada\"\nfolder = \"ada\"\n[[player]]\nname = \"bo\"\nfolder = \"bo\"\n";

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn start() -> LadderState {
    let ladder = Tournament::parse(FILE, "term").unwrap_or_else(|problems| panic!("{problems}"));
    after(LadderHistory::new(&Definition::from(&ladder)), [])
}

/// The state after `games` of the ladder that `history` describes.
fn after(mut history: LadderHistory, games: impl IntoIterator<Item = (u64, GameOutcome)>) -> LadderState {
    let tally = LadderTally::of(&mut history, games);
    LadderState::new(history, tally, 7)
}

fn terms() -> LadderTerms {
    LadderTerms { target_error: 80.0, first_games: 4, ..LadderTerms::default() }
}

fn accepted(of: &str, number: u32) -> JournalEntry {
    let version = HandInEntry {
        of: of.to_owned(),
        number,
        sources: number.to_string(),
        arrived: NOW,
        door: "folder".to_owned(),
        origin: String::new(),
    };
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
        at: NOW,
    }))
}

fn status(version: &str) -> StatusEntry {
    StatusEntry { version: version.to_owned(), reason: String::new(), at: NOW }
}

/// Takes `entry`, which must be valid.
fn take(state: &mut LadderState, entry: &JournalEntry) -> Option<GameSpec> {
    state.take(entry).unwrap_or_else(|error| panic!("{error}"))
}

const BLACK_WINS: GameOutcome = GameOutcome { winner: Some(Side::Black), is_rated: true, failed: None };

/// Decides on the next game, and returns its number with its players.
fn decide(state: &mut LadderState) -> Option<(u64, String, String)> {
    let pairing = state.next_pairing(&terms(), |_| true, NOW)?;
    let (black, white) = (pairing.black.clone(), pairing.white.clone());
    let spec = take(state, &JournalEntry::Pairing(pairing)).expect("a game");
    Some((spec.number, black, white))
}

/// Plays until no more games are decided on. `winner` returns the winner of each game. Returns the players of each
/// game.
fn play_on(state: &mut LadderState, mut winner: impl FnMut(&str, &str) -> Option<Side>) -> Vec<(String, String)> {
    let mut games = Vec::new();
    while let Some((number, black, white)) = decide(state) {
        let outcome = GameOutcome { winner: winner(&black, &white), is_rated: true, failed: None };
        state.end(number, outcome);
        games.push((black, white));
        assert!(games.len() < 5_000, "the ladder never rests");
    }
    games
}

/// A function that draws winners at random.
fn by_chance(seed: u64) -> impl FnMut(&str, &str) -> Option<Side> {
    let mut random = SplitMix64::new(seed);
    move |_, _| Some(if random.below(2) == 0 { Side::Black } else { Side::White })
}

#[test]
fn nobody_plays_alone() {
    let mut state = start();
    assert_eq!(decide(&mut state), None);
    take(&mut state, &accepted("ada", 1));
    assert!(decide(&mut state).is_some());
}

#[test]
fn a_new_version_plays_first_until_it_has_its_first_games_and_then_the_ladder_rests() {
    let mut state = start();
    take(&mut state, &accepted("ada", 1));
    take(&mut state, &accepted("bo", 1));
    play_on(&mut state, by_chance(1));
    let errors = state.ratings();
    assert!(errors.iter().flatten().all(|rating| rating.error.0 <= 80.5), "{errors:?}");
    take(&mut state, &accepted("bo", 2));
    let games = play_on(&mut state, by_chance(2));
    let first: Vec<bool> = games.iter().take(4).map(|(black, white)| black == "bo.2" || white == "bo.2").collect();
    // A randomly drawn game may come first.
    assert!(first.iter().filter(|is_new| **is_new).count() >= 3, "{games:?}");
    assert!(games.len() >= 4);
}

#[test]
fn a_resumed_version_is_not_paused_again_for_its_earlier_failures() {
    let mut state = start();
    take(&mut state, &accepted("ada", 1));
    let (mut entries, mut ended) = (vec![accepted("ada", 1)], Vec::new());
    let paired =
        |black: String, white: String| JournalEntry::Pairing(PairingEntry { black, white, random: false, at: NOW });
    for _ in 0..3 {
        let (number, black, white) = decide(&mut state).expect("a game");
        entries.push(paired(black.clone(), white));
        let side = if black == "ada.1" { Side::Black } else { Side::White };
        let outcome = GameOutcome { winner: Some(side.opponent()), is_rated: true, failed: Some(side) };
        state.end(number, outcome);
        ended.push((number, outcome));
    }
    let (late, black, white) = decide(&mut state).expect("a game that goes on while ada.1 is paused");
    entries.push(paired(black.clone(), white));
    let side = if black == "ada.1" { Side::Black } else { Side::White };
    let failed = GameOutcome { winner: Some(side.opponent()), is_rated: true, failed: Some(side) };
    assert_eq!(state.to_pause().len(), 1);
    for entry in [JournalEntry::Paused(status("ada.1")), JournalEntry::Resumed(status("ada.1"))] {
        take(&mut state, &entry);
        entries.push(entry);
    }
    assert!(state.to_pause().is_empty());
    // A failure in an earlier game does not count, whether the game ends now or the journal is read again.
    ended.push((late, failed));
    state.end(late, failed);
    let mut history = start().history().clone();
    for entry in &entries {
        history.take(entry).unwrap_or_else(|error| panic!("{error}"));
    }
    let again = after(history, ended);
    for state in [&state, &again] {
        assert!(state.to_pause().is_empty());
        assert_eq!(state.tally.failures(), [0; 2]);
    }
}

#[test]
fn versions_that_are_neither_new_nor_best_rest() {
    let mut state = start();
    for (of, number) in [("bo", 1), ("ada", 1), ("ada", 2), ("ada", 4), ("ada", 5)] {
        take(&mut state, &accepted(of, number));
        // The first version always wins.
        play_on(&mut state, |black, white| match (black, white) {
            ("ada.1", _) => Some(Side::Black),
            (_, "ada.1") => Some(Side::White),
            _ => None,
        });
    }
    let name = |place: PlayerIndex| state.history().players()[place].name.clone();
    let active: Vec<String> = state.active().into_iter().map(name).collect();
    assert_eq!(active, ["greedy", "bo.1", "ada.1", "ada.4", "ada.5"].map(str::to_owned));
}

#[test]
fn a_version_that_fails_three_times_in_a_row_is_to_be_paused_and_can_come_back() {
    let mut state = start();
    take(&mut state, &accepted("ada", 1));
    let fail = |state: &mut LadderState, fails: bool| {
        let (number, black, _) = decide(state).expect("a game");
        let own = if black == "ada.1" { Side::Black } else { Side::White };
        let failed = fails.then_some(own);
        state.end(number, GameOutcome { winner: Some(own.opponent()), is_rated: true, failed });
    };
    for fails in [true, true, false, true, true] {
        fail(&mut state, fails);
        assert_eq!(state.to_pause(), [], "not three in a row");
    }
    fail(&mut state, true);
    let to_pause = state.to_pause();
    assert_eq!(to_pause.len(), 1);
    assert_eq!(to_pause[0].0, 1);
    take(&mut state, &JournalEntry::Paused(status("ada.1")));
    assert_eq!((state.to_pause(), decide(&mut state)), (Vec::new(), None), "it is paused, and greedy has no opponent");
    take(&mut state, &JournalEntry::Resumed(status("ada.1")));
    assert_eq!(state.to_pause(), [], "the count starts again");
    assert!(decide(&mut state).is_some());
}

#[test]
fn nobody_is_paired_before_all_programs_are_prepared() {
    let mut state = start();
    take(&mut state, &accepted("ada", 1));
    assert_eq!(state.next_pairing(&terms(), |player| player != 1, NOW), None);
    assert!(state.next_pairing(&terms(), |_| true, NOW).is_some());
}

#[test]
fn a_frozen_ladder_plays_a_round_robin_of_the_last_versions_and_is_over() {
    let mut state = start();
    for (of, number) in [("ada", 1), ("bo", 1), ("ada", 2)] {
        take(&mut state, &accepted(of, number));
    }
    take(&mut state, &JournalEntry::Retired(status("ada.2")));
    let (number, ..) = decide(&mut state).expect("a game");
    take(&mut state, &JournalEntry::Frozen(FrozenEntry { at: NOW, rounds: 1 }));
    assert!(!state.is_over());
    state.end(number, BLACK_WINS);
    let games = play_on(&mut state, |_, _| None);
    let expected = [
        ("greedy", "ada.1"),
        ("ada.1", "greedy"),
        ("greedy", "bo.1"),
        ("bo.1", "greedy"),
        ("ada.1", "bo.1"),
        ("bo.1", "ada.1"),
    ];
    assert_eq!(games, expected.map(|(black, white)| (black.to_owned(), white.to_owned())));
    assert!(state.is_over());
    // A version that arrives later plays against the others.
    take(&mut state, &accepted("ada", 3));
    assert!(!state.is_over());
    let games = play_on(&mut state, |_, _| None);
    assert_eq!(games.len(), 4);
    assert!(games.iter().all(|(black, white)| (black == "ada.3") != (white == "ada.3")), "{games:?}");
    assert!(games.iter().all(|(black, white)| black != "ada.1" && white != "ada.1"), "{games:?}");
    assert!(state.is_over());
}

#[test]
fn the_results_of_a_week_ago_are_those_of_the_days_before() {
    const DAY: i64 = super::DAY;
    let mut state = start();
    take(&mut state, &accepted("ada", 1));
    let mut totals = Vec::new();
    for day in 0..20_i64 {
        totals.push(state.counts().total());
        let at = Timestamp::from_second(day * DAY + 3_600).expect("in range");
        for _ in 0..=day % 3 {
            let pairing = PairingEntry { black: "ada.1".to_owned(), white: "greedy".to_owned(), random: false, at };
            let spec = take(&mut state, &JournalEntry::Pairing(pairing)).expect("a game");
            state.end(spec.number, BLACK_WINS);
        }
    }
    let week_ago = |day: i64| state.tally.week_ago(day * DAY + 7_200).map(|counts| counts.total());
    // The games on the day exactly a week earlier count.
    assert_eq!(week_ago(19), Some(totals[13]));
    assert_eq!(week_ago(20), Some(totals[14]));
    assert_eq!(week_ago(200), Some(state.counts().total()));
    assert_eq!(week_ago(5), None, "nothing was played before");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A run that is killed and continued decides on the same games as a run that is not interrupted.
    #[test]
    fn what_is_read_back_from_the_journal_leads_to_the_same_decisions(seed: u64, at in 0..60_usize) {
        let mut undisturbed = start();
        let mut entries = vec![accepted("ada", 1), accepted("bo", 1)];
        for entry in &entries {
            take(&mut undisturbed, entry);
        }
        let (mut winner, mut ended) = (by_chance(seed), Vec::new());
        for game in 0..80 {
            if game == 30 {
                let entry = accepted("ada", 2);
                take(&mut undisturbed, &entry);
                entries.push(entry);
            }
            let Some(pairing) = undisturbed.next_pairing(&terms(), |_| true, NOW) else { break };
            if game == at {
                // The continued run knows only what is in the journal.
                let mut history = start().history().clone();
                for entry in &entries {
                    history.take(entry).unwrap_or_else(|error| panic!("{error}"));
                }
                let mut resumed = after(history, ended.iter().copied());
                prop_assert_eq!(resumed.next_pairing(&terms(), |_| true, NOW), Some(pairing.clone()));
                prop_assert_eq!(resumed.counts(), undisturbed.counts());
            }
            let outcome = GameOutcome { winner: winner(&pairing.black, &pairing.white), is_rated: true, failed: None };
            let entry = JournalEntry::Pairing(pairing);
            let spec = take(&mut undisturbed, &entry).expect("a game");
            entries.push(entry);
            undisturbed.end(spec.number, outcome);
            ended.push((spec.number, outcome));
        }
    }

    /// The order in which games end has no effect on the ratings.
    #[test]
    fn the_order_of_the_results_does_not_matter(seed: u64) {
        let decided = |state: &mut LadderState| {
            take(state, &accepted("ada", 1));
            take(state, &accepted("bo", 1));
            let pairs = [("ada.1", "bo.1"), ("bo.1", "greedy"), ("greedy", "ada.1")];
            for (black, white) in pairs.iter().cycle().take(30) {
                let pairing = PairingEntry { black: (*black).to_owned(), white: (*white).to_owned(), random: false, at: NOW };
                take(state, &JournalEntry::Pairing(pairing));
            }
        };
        let outcome = |number: u64| GameOutcome {
            winner: [Some(Side::Black), Some(Side::White), None][usize::try_from((seed ^ (number * 7)) % 3).expect("small")],
            is_rated: true,
            failed: None,
        };
        let (mut one, mut other) = (start(), start());
        decided(&mut one);
        decided(&mut other);
        (0..30).for_each(|number| one.end(number, outcome(number)));
        (0..30).rev().for_each(|number| other.end(number, outcome(number)));
        one.fit(&terms());
        other.fit(&terms());
        prop_assert_eq!(one.ratings(), other.ratings());
    }
}
