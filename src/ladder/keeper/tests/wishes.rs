//! The end of a ladder, and the requests of its teacher.

use super::*;
use crate::ladder::doors::add;
use crate::ladder::places::inbox;

#[tokio::test]
async fn a_freeze_waits_for_everything_from_before_and_stays_in_the_mailbox_until_then() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    let before = wall_clock();
    kept.ask(&LadderRequest::Freeze { rounds: 2 });
    assert_eq!(names(&kept.poll()), [""; 0]);
    assert!(kept.requests() == 1 && !kept.keeping.is_frozen());
    // The doors deliver the hand-ins that have arrived, and then close.
    kept.hand_in("ada", "late", before);
    assert_eq!(names(&kept.act()), ["refused ada.2"]);
    assert!(!kept.keeping.is_frozen(), "the doors are open");
    kept.ask(&LadderRequest::Freeze { rounds: 1 });
    kept.poll();
    assert!(kept.told("the ladder is already frozen, so the request has no effect") && kept.requests() == 1);
    kept.close_doors();
    kept.end(0, Some(draw()));
    assert_eq!(names(&kept.act()), ["frozen 2"]);
    assert_eq!(kept.requests(), 0);
    assert!(!kept.keeping.has_ended());
    kept.close_doors();
    kept.play(0);
    assert!(kept.keeping.has_ended());
    assert!(kept.dir.path().join("class.toml").exists());
}

#[tokio::test]
async fn a_ladder_is_not_over_while_something_waits_and_can_be_reopened_when_it_was() {
    let mut kept = Kept::new(&TERM.replace("active = 2", "closes = 2020-01-01T00:00:00Z"), &[version("ada", 1)]);
    assert_eq!(names(&kept.act()), [""; 0], "the doors have not delivered everything");
    kept.hand_in("bo", "1", WallTime::UNIX_EPOCH);
    kept.close_doors();
    kept.end(0, Some(draw()));
    assert_eq!(names(&kept.act()), ["refused bo.1", "frozen 1"].map(str::to_owned));
    kept.play(0);
    assert!(kept.keeping.has_ended());
    // A request that was posted in the meantime comes first.
    let later = utc_now() + jiff::SignedDuration::from_hours(1);
    let text = TERM.replace("active = 2", "closes = 2020-01-01T00:00:00Z");
    let mut kept = kept.again(&text);
    kept.close_doors();
    kept.ask(&LadderRequest::Reopen { player: "ada".to_owned(), until: later });
    assert!(!kept.keeping.has_ended());
    assert_eq!(names(&kept.poll()), ["reopened ada"]);
    kept.close_doors();
    assert!(!kept.keeping.has_ended(), "ada may still hand in a version");
    kept.hand_in("ada", "2", wall_clock());
    assert_eq!(names(&kept.act()), ["refused ada.2"]);
    // A repeated request, a request for an unknown player, and a request for a time that has passed have no effect.
    for (player, until) in [("ada", later), ("eve", later), ("bo", Timestamp::UNIX_EPOCH)] {
        kept.ask(&LadderRequest::Reopen { player: player.to_owned(), until });
        assert_eq!(names(&kept.poll()), [""; 0]);
    }
    assert!(
        kept.told("ada may already hand in versions")
            && kept.told("no player named eve")
            && kept.told("has already passed")
    );
    assert_eq!(kept.requests(), 0);
}

/// Adds a bot with this source text for `player`, as the teacher does. Returns the digest of its sources.
fn add_for(kept: &Kept, player: &str, text: &str) -> String {
    let (dir, bot) = (kept.dir.path(), kept.dir.path().join("mail"));
    fs::create_dir_all(&bot).expect("made");
    fs::write(bot.join("bot.py"), text).expect("written");
    let added = add(&inbox(dir), &PlayerName::new(player).expect("a name"), &bot).expect("added");
    kept.ask(&LadderRequest::Add { player: player.to_owned(), entry: added.entry });
    added.digest
}

#[tokio::test]
async fn what_the_teacher_adds_is_refused_for_nobody_and_if_it_is_known() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    let digest = add_for(&kept, "eve", "1");
    assert_eq!(names(&kept.poll()), [""; 0]);
    assert!(kept.told("no player named eve hands in versions, so the added sources are not accepted"));
    // The same files came through the player's door.
    kept.hand_in("ada", &digest, wall_clock());
    assert_eq!(names(&kept.act()), ["refused ada.2"]);
    add_for(&kept, "ada", "1");
    assert_eq!(names(&kept.poll()), [""; 0]);
    assert!(kept.told("the sources added for ada are identical to those of ada.2, so they are not accepted"));
    kept.ask(&LadderRequest::Add { player: "ada".to_owned(), entry: "77".to_owned() });
    kept.poll();
    assert!(kept.told("the sources added for ada are no longer there: add them again"));
    let left = fs::read_dir(kept.dir.path().join("inbox/added")).map_or(0, Iterator::count);
    assert_eq!((kept.requests(), left), (0, 0));
}

#[tokio::test]
async fn what_the_teacher_adds_after_the_end_needs_an_extension() {
    let text = TERM.replace("active = 2", "closes = 2020-01-01T00:00:00Z");
    let mut kept = Kept::new(&text, &[version("ada", 1)]);
    add_for(&kept, "ada", "1");
    kept.poll();
    assert!(kept.told(
        "ada can no longer hand in versions (`ladder reopen` grants more time), so the added sources are not \
    accepted"
    ));
    assert_eq!(kept.requests(), 0);
    let until = utc_now() + jiff::SignedDuration::from_hours(1);
    kept.ask(&LadderRequest::Reopen { player: "ada".to_owned(), until });
    let digest = add_for(&kept, "ada", "2");
    kept.poll();
    let waiting = kept.keeping.queue.order(wall_clock()).len();
    let is_checked = kept.keeping.check.as_ref().is_some_and(|check| check.turn.thing.hand_in.digest == digest);
    assert!(waiting == 1 || is_checked, "{waiting}");
}

#[tokio::test]
async fn files_behind_a_players_own_door_stay_known_when_the_teacher_adds_others() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    // The player's own version, then two from the teacher.
    let mut by_teacher = |digest: &str| {
        let added = HandIn { door: DoorKind::Teacher, ..hand_in("ada", digest, wall_clock()) };
        kept.keeping.hear(DoorNews::HandIn(added));
        names(&kept.act())
    };
    assert_eq!(by_teacher("x"), ["refused ada.2"]);
    assert_eq!(by_teacher("z"), ["refused ada.3"]);
    for known in ["ada 1", "x", "z"] {
        kept.hand_in("ada", known, wall_clock());
        assert_eq!(names(&kept.act()), [""; 0], "{known}");
    }
    kept.hand_in("ada", "new", wall_clock());
    assert_eq!(names(&kept.act()), ["refused ada.4"]);
    // From now on, the earlier files count as new again.
    kept.hand_in("ada", "x", wall_clock());
    assert_eq!(names(&kept.act()), ["refused ada.5"]);
}

#[tokio::test]
async fn requests_are_fulfilled_one_after_another_and_removed_once_they_are_on_disk() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    let (version, reason) = ("ada.1".to_owned(), String::new());
    kept.ask(&LadderRequest::Pause { version: version.clone(), reason: reason.clone() });
    kept.ask(&LadderRequest::Resume { version: version.clone() });
    kept.ask(&LadderRequest::Retire { version: version.clone(), reason });
    kept.ask(&LadderRequest::Resume { version: "ada.7".to_owned() });
    kept.ask(&LadderRequest::Resume { version });
    kept.keeping.poll();
    kept.keeping.act();
    assert_eq!(kept.requests(), 5, "nothing is on disk");
    let entries = kept.act();
    assert_eq!(names(&entries), ["paused ada.1", "resumed ada.1", "retired ada.1"].map(str::to_owned));
    assert_eq!(kept.requests(), 0);
    assert!(kept.told("there is no version ada.7, so") && kept.told("ada.1 is retired, and will not play again, so"));
}

#[tokio::test]
async fn an_interrupted_run_leaves_its_request_for_the_next_one() {
    let mut kept = Kept::new(TERM, &[version("ada", 1)]);
    kept.ask(&LadderRequest::Pause { version: "ada.1".to_owned(), reason: String::new() });
    kept.keeping.poll();
    kept.keeping.act();
    let mut kept = kept.again(TERM);
    assert_eq!(names(&kept.poll()), ["paused ada.1"]);
}
