//! Who plays: programs that are not prepared, players that come and go, and changed files.

use super::*;
use crate::ladder::checking::{AcceptedVersion, CheckVerdict};
use crate::ladder::keeper::field::NotPrepared;
use crate::ladder::keeper::hand_ins::CheckInProgress;
use crate::ladder::keeper::naps::{NAP, WhyAsleep};
use crate::run::journal::PairingEntry;
use crate::tournament::schedule::PlayerIndex;

fn woken(player: PlayerIndex, why: NotPrepared) -> Vec<WokenPlayer> {
    vec![WokenPlayer { player, entrant: Err(why) }]
}

#[tokio::test(start_paused = true)]
async fn what_the_machine_lacks_costs_no_game_and_a_program_that_is_resumed_is_tried_again() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    let ada = kept.keeping.state.history().place("ada.1").expect("a player");
    let shortage = NotPrepared::Asleep(WhyAsleep::Shortage("the disk is full".to_owned()));
    for _ in 0..10 {
        kept.keeping.wake(Ok(woken(ada, shortage.clone())));
        assert!(kept.act().is_empty(), "no player is paired or paused");
        assert!(kept.keeping.waking.is_none(), "the program waits");
        tokio::time::advance(NAP).await;
    }
    let late = NotPrepared::Asleep(WhyAsleep::Late("its build took too long".to_owned()));
    for _ in 0..3 {
        assert_eq!(kept.status("ada.1"), VersionStatus::Playing);
        kept.keeping.wake(Ok(woken(ada, late.clone())));
        kept.act();
    }
    assert_eq!(kept.status("ada.1"), VersionStatus::Paused("its build took too long".to_owned()));
    // The others play on.
    assert!(kept.keeping.state.in_flight() > 0);
    let resume = |kept: &mut Kept| {
        kept.ask(&LadderRequest::Resume { version: "ada.1".to_owned() });
        kept.keeping.poll();
        kept.keeping.obey();
        assert_eq!(
            kept.write().as_ref().map(|entry| names(std::slice::from_ref(entry))),
            Some(vec!["resumed ada.1".to_owned()])
        );
        assert!(!kept.keeping.players.is_prepared(ada) && !kept.keeping.players.is_unstartable(ada));
        assert!(kept.keeping.naps.is_over(ada, now()));
    };
    assert!(kept.keeping.naps.has_given_up(ada));
    resume(&mut kept);
    kept.keeping.wake(Ok(woken(ada, NotPrepared::Unstartable("there is no `bot`".to_owned()))));
    assert_eq!(names(&kept.act()), ["paused ada.1"]);
    resume(&mut kept);
}

#[tokio::test]
async fn a_player_without_versions_that_leaves_the_file_is_retired_and_its_ladder_goes_on() {
    let without = TERM.replace("[[player]]\nname = \"random\"\nbuiltin = \"random\"\n", "");
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    kept.edit(&without);
    assert_eq!(names(&kept.poll()), ["retired random"]);
    kept.edit(TERM);
    kept.poll();
    // A run that starts with the changed file does the same.
    let mut kept = Kept::new(TERM, &[version("ada", 1)]).again(&without);
    let random = kept.keeping.state.history().place("random").expect("a player");
    assert_eq!(names(&kept.act()), ["retired random"]);
    assert!(!kept.keeping.players.is_prepared(random), "its program is unknown");
    assert!(kept.keeping.state.in_flight() == 1 && !kept.keeping.state.needed().contains(&random));
    // If it has a game to play, it must be in the file.
    let at = Timestamp::UNIX_EPOCH;
    let pairing = PairingEntry { black: "random".to_owned(), white: "ada.1".to_owned(), random: false, at };
    let with_game = Kept::new(TERM, &[version("ada", 1), JournalEntry::Pairing(pairing)]);
    let (file, ledger) = (read(&without), &with_game.ledger);
    let absent = ladder_field::absent(&file, ledger);
    assert!(absent.is_empty());
    let field = ladder_field::field(&file, ledger, &absent, with_game.dir.path());
    assert_eq!(field.map(|field| field.players.len()), Err("random".to_owned()));
}

#[tokio::test]
async fn a_changed_file_has_effect_at_once_or_the_teacher_reads_why_not() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    kept.play(0);
    let rested = kept.keeping.state.counts().total();
    let stricter = TERM.replace("active = 2", "target_error = 20\nsubmit = \"127.0.0.1:0\"");
    kept.edit(&stricter);
    kept.poll();
    assert!(kept.told("`submit` has changed"));
    assert_eq!(kept.keeping.state.in_flight(), 1, "{rested} games are no longer enough");
    kept.edit(&stricter.replace("folder = \"ada\"", "folder = \"ada\"\nmemory = \"1 GiB\""));
    kept.poll();
    assert!(kept.told("`memory` of player `ada` cannot change during a run"));
    assert_eq!(kept.keeping.watch.as_ref().and_then(|watch| watch.text()), Some(&*stricter));
}

#[tokio::test]
async fn a_player_that_leaves_during_its_check_gets_no_version() {
    let mut kept = Kept::new(TERM, &[]);
    let entry = kept.keeping.ladder.entries[0].clone();
    kept.keeping.queue.add(
        "ada",
        wall_clock(),
        CheckCandidate { hand_in: hand_in("ada", "1", wall_clock()), not_before: None },
    );
    let turn = kept.keeping.queue.next(wall_clock(), |_| true).expect("a turn");
    let JournalEntry::Version(accepted) = version("ada", 1) else { unreachable!("a version") };
    let (origin, line) = (accepted.version.clone().expect("one"), accepted.program.clone().expect("one"));
    kept.keeping.check = Some(CheckInProgress { turn, origin, task: tokio::spawn(std::future::pending()) });
    kept.edit(&TERM.replace("[[player]]\nname = \"ada\"\nfolder = \"ada\"\n", ""));
    kept.poll();
    let program = line.program().expect("a program");
    let player = entry.version(1, program.clone(), PathBuf::from("/ada")).expect("a player");
    let (entrant, entry) = (Arc::new(Entrant::Remote), accepted.player.clone());
    let version = AcceptedVersion { player, program, entrant, entry, report: String::new() };
    kept.keeping.judge(Ok(CheckVerdict::Accepted(Box::new(version))));
    assert_eq!(names(&kept.act()), [""; 0]);
    assert!(kept.told("ada is no longer in the tournament file"));
}

#[tokio::test]
async fn players_that_come_while_others_are_prepared_join_as_well() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    let more = |name: &str| format!("[[player]]\nname = \"{name}\"\nbuiltin = \"greedy\"\n");
    kept.edit(&format!("{TERM}{}", more("one")));
    kept.poll();
    kept.edit(&format!("{TERM}{}{}", more("one"), more("two")));
    kept.poll();
    let mut joined = Vec::new();
    while joined.len() < 2 {
        let prepared = ended(kept.keeping.joining.as_mut()).await;
        kept.keeping.join(prepared);
        joined.extend(names(&kept.act()));
    }
    assert_eq!(joined, ["version one", "version two"].map(str::to_owned));
    assert!(kept.keeping.joining.is_none());
}
