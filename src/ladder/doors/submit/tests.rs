//! The arena's side of the door, without its process.

use std::fs;
use std::io::Write as _;
use std::num::NonZeroUsize;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt as _, BufReader};

use super::door_messages::{ArenaSays, DoorSays, next_line, written};
use super::serving::{MOST_ASKS, converse};
use super::*;
use crate::course::unpacking::SubmissionBounds;
use crate::ladder::doors::day_limit::DayLimit;
use crate::ladder::doors::intake::Intake;
use crate::ladder::hand_in::HandIn;

/// The arena's side of a door for `ada`, without its process, the receiver of its news, and the token of `ada`.
fn hall(dir: &TempDir, most_a_day: usize) -> (Rc<SubmitHall>, mpsc::Receiver<DoorNews>, String) {
    let inbox = dir.path().join("inbox");
    let intake = Intake::in_dir(inbox.join("trees")).expect("made");
    let (tell, news) = mpsc::channel(10);
    let bounds = SubmissionBounds { bytes: 1000, files: 5 };
    let day = DayLimit::new(NonZeroUsize::new(most_a_day).expect("not zero"));
    let desk = DoorDesk::new((intake, inbox), None, (bounds, Duration::from_mins(2)), day, tell);
    let tokens = TokenStore::in_dir(dir.path().join("tokens"));
    let ada = PlayerName::new("ada").expect("a name");
    let token = tokens.issue(&ada).expect("a token").text();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let hall = SubmitHall::new(Rc::new(desk), listener, tokens);
    for dir in [&hall.incoming, &hall.uploads] {
        fs::create_dir_all(dir).expect("made");
    }
    let (entrance, closes, last_digest) = (Entrance::Submit, None, None);
    hall.admit(&[PlayerDoor { name: ada, entrance, closes, last_digest, recent: Vec::new() }]);
    (Rc::new(hall), news, token)
}

fn ask(token: &str) -> UploadAsk {
    let host = Some(IpAddr::V4(Ipv4Addr::LOCALHOST));
    UploadAsk { number: 1, player: "ada".to_owned(), token: TokenDigest::of(token).text(), host, bytes: Some(5) }
}

fn archive(text: &str) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o644);
    builder.append_data(&mut header, "bot.py", text.as_bytes()).expect("appended");
    builder.into_inner().and_then(GzEncoder::finish).expect("complete")
}

/// Stores an upload, as the process of the door would have written it.
async fn stored(hall: &SubmitHall, bytes: &[u8]) -> Result<StoredUpload, DoorAnswer> {
    let player = PlayerName::new("ada").expect("a name");
    let (ticket, host) = (hall.ticket(), Some(IpAddr::V4(Ipv4Addr::LOCALHOST)));
    fs::File::create(hall.incoming.join(&ticket)).and_then(|mut file| file.write_all(bytes)).expect("written");
    hall.store(&ticket, &AdmittedUpload { player, number: 1, host }).await
}

async fn delivered(hall: &Rc<SubmitHall>, uploads: Vec<StoredUpload>, news: &mut mpsc::Receiver<DoorNews>) -> HandIn {
    let (arrived, unpacking) = mpsc::unbounded_channel();
    for upload in uploads {
        arrived.send(upload).expect("received");
    }
    let again = arrived.downgrade();
    drop(arrived);
    unpack(Rc::clone(hall), again, unpacking).await;
    match news.try_recv().expect("news") {
        DoorNews::HandIn(hand_in) => hand_in,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_upload_is_delivered_until_it_is_settled_even_if_the_arena_is_killed() {
    let dir = tempfile::tempdir().expect("a directory");
    let (hall, mut news, token) = self::hall(&dir, 5);
    assert_eq!(hall.decide(&ask(&token)).await.expect("the right token").as_str(), "ada");
    let upload = stored(&hall, &archive("1")).await.expect("stored");
    let first = delivered(&hall, vec![upload.clone()], &mut news).await;
    assert_eq!(first.sources.as_ref().expect("sources").files, ["bot.py"]);
    assert_eq!(first.origin, "an upload from 127.0.0.1");
    // The arena is killed before it has settled the hand-in, and the next arena delivers it again.
    let (hall, mut news, _) = self::hall(&dir, 5);
    hall.desk.deliver_left().await;
    assert!(news.try_recv().is_err());
    let left = StoredUpload::left(&hall.uploads).expect("readable");
    assert_eq!(left, [upload]);
    let second = delivered(&hall, left, &mut news).await;
    assert_eq!((&first.digest, first.door), (&second.digest, DoorKind::Submit));
    second.settle().expect("removed");
    assert!(StoredUpload::left(&hall.uploads).expect("readable").is_empty());
    assert_eq!(fs::read_dir(hall.desk.inbox.join("trees")).expect("readable").count(), 0);
}

#[tokio::test]
async fn an_archive_that_cannot_be_unpacked_is_a_hand_in_with_its_reason() {
    let dir = tempfile::tempdir().expect("a directory");
    let (hall, mut news, _) = self::hall(&dir, 5);
    let upload = stored(&hall, &archive(&"x".repeat(1001))).await.expect("stored");
    let refused = delivered(&hall, vec![upload], &mut news).await;
    assert!(refused.sources.expect_err("too large").contains("contains more than"));
    assert_eq!(stored(&hall, b"no archive").await.expect_err("none").status, 415);
    assert_eq!(fs::read_dir(&hall.incoming).expect("readable").count(), 0);
}

#[tokio::test(start_paused = true)]
async fn tokens_and_limits_are_checked_for_each_request() {
    let dir = tempfile::tempdir().expect("a directory");
    let (hall, _news, token) = self::hall(&dir, 1);
    assert_eq!(hall.decide(&ask("wrong")).await.expect_err("wrong").status, 401);
    // The right token is held because of the wrong one, and is then accepted.
    let begun = now();
    let player = hall.decide(&ask(&token)).await.expect("the right token");
    assert!(now() - begun >= Duration::from_millis(50));
    hall.gate.borrow_mut().left(&player);
    // A new token replaces the old one immediately.
    let newer = hall.tokens.issue(&player).expect("a token").text();
    assert_eq!(hall.decide(&ask(&token)).await.expect_err("old").status, 401);
    assert!(hall.decide(&ask(&newer)).await.is_ok());
    hall.gate.borrow_mut().left(&player);
    stored(&hall, &archive("1")).await.expect("stored");
    assert_eq!(hall.decide(&ask(&newer)).await.expect_err("often enough").status, 429);
    // The next arena counts the uploads that this arena left behind.
    let (hall, _news, token) = self::hall(&dir, 1);
    let (arrived, mut left) = mpsc::unbounded_channel();
    hall.take_left(&arrived).await;
    assert!(left.try_recv().is_ok());
    assert_eq!(hall.decide(&ask(&token)).await.expect_err("often enough").status, 429);
}

/// The process's end of a conversation with the arena.
struct ProcessEnd {
    heard: BufReader<tokio::io::DuplexStream>,
    ended: tokio::task::JoinHandle<std::io::Result<()>>,
}

/// Begins a conversation about the uploads of `hall`.
fn conversation(hall: &Rc<SubmitHall>) -> ProcessEnd {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (heard, say) = tokio::io::split(theirs);
    let (hall, (arrived, _)) = (Rc::clone(hall), mpsc::unbounded_channel());
    let ended = spawn_local(async move { converse(&hall, &arrived, (BufReader::new(heard), say)).await });
    ProcessEnd { heard: BufReader::new(ours), ended }
}

impl ProcessEnd {
    async fn say(&mut self, says: &DoorSays) {
        self.heard.get_mut().write_all(&written(says)).await.expect("heard");
    }

    async fn ask(&mut self, number: u64, token: &str) {
        self.say(&DoorSays::Ask(UploadAsk { number, ..ask(token) })).await;
    }

    /// The number of the request that the arena answers next, and the status of the answer; 0 if the request is
    /// granted.
    async fn hear(&mut self) -> (u64, u16) {
        match next_line(&mut self.heard).await.expect("a line").expect("an answer") {
            ArenaSays::Granted { number, .. } => (number, 0),
            ArenaSays::Answer { number, answer } => (number, answer.status),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_wrong_tokens_is_answered_in_time_and_the_process_goes_on() {
    let scenario = async {
        let dir = tempfile::tempdir().expect("a directory");
        let (hall, _news, token) = self::hall(&dir, 5);
        let mut process = conversation(&hall);
        let begun = now();
        let most = u64::try_from(MOST_ASKS).expect("small");
        for number in 0..most + 100 {
            process.ask(number, "wrong").await;
        }
        let mut answers = std::collections::BTreeMap::new();
        for _ in 0..most + 100 {
            *answers.entry(process.hear().await.1).or_insert(0) += 1;
        }
        // No request was held for longer than the limit.
        assert!(now() - begun <= LONGEST_HOLD);
        // Some requests were answered before the others arrived, so a few more may have been let in.
        assert!(answers[&503] > 80 && answers[&401] > 1 && answers[&429] > most - 20, "{answers:?}");
        sleep_until(now() + Duration::from_secs(1)).await;
        process.ask(most + 100, &token).await;
        assert_eq!(process.hear().await, (most + 100, 0));
    };
    tokio::task::LocalSet::new().run_until(scenario).await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_leaves_is_not_held_and_a_process_that_ends_is_not_waited_for() {
    let scenario = async {
        let dir = tempfile::tempdir().expect("a directory");
        let (hall, _news, token) = self::hall(&dir, 5);
        let mut process = conversation(&hall);
        process.ask(1, "wrong").await;
        assert_eq!(process.hear().await, (1, 401));
        // The right token is held because of the wrong one; its client disconnects, and the next client is let in.
        process.ask(2, &token).await;
        process.say(&DoorSays::Gone { number: 2 }).await;
        process.ask(3, &token).await;
        assert_eq!(process.hear().await, (3, 0));
        // More requests are held when the process ends. The player may upload as soon as the process runs again.
        hall.gate.borrow_mut().left(&PlayerName::new("ada").expect("a name"));
        for number in 4..8 {
            process.ask(number, "wrong").await;
        }
        assert_eq!(process.hear().await.1, 401);
        let begun = now();
        let ProcessEnd { heard, ended } = process;
        drop(heard);
        ended.await.expect("no panic").expect("it has ended");
        assert_eq!(now(), begun);
    };
    tokio::task::LocalSet::new().run_until(scenario).await;
}

#[tokio::test]
async fn trouble_with_the_process_is_told_once_and_cleared_once_it_listens() {
    let scenario = async {
        let dir = tempfile::tempdir().expect("a directory");
        let (hall, mut news, _) = self::hall(&dir, 5);
        for _ in 0..2 {
            for _ in 0..2 {
                hall.tell("it has ended".to_owned()).await;
            }
            let ready = [written(&DoorSays::Ready), written(&DoorSays::Ready)].concat();
            let (arrived, _) = mpsc::unbounded_channel();
            converse(&hall, &arrived, (&ready[..], tokio::io::sink())).await.expect("it has ended");
            assert!(matches!(news.try_recv(), Ok(DoorNews::SubmitTrouble { .. })));
            assert!(matches!(news.try_recv(), Ok(DoorNews::SubmitMended)));
            assert!(news.try_recv().is_err());
        }
    };
    tokio::task::LocalSet::new().run_until(scenario).await;
}

#[test]
fn only_a_loopback_address_needs_no_permission() {
    for own in ["127.0.0.1:8444", "[::1]:0"] {
        assert!(SubmitAddress::new(own.parse().expect("an address"), false).is_ok());
    }
    let public = "0.0.0.0:8444".parse().expect("an address");
    let error = SubmitAddress::new(public, false).expect_err("public").to_string();
    assert!(error.contains("--submit-public") && error.contains("reverse proxy"), "{error}");
    assert!(SubmitAddress::new(public, true).is_ok());
}
