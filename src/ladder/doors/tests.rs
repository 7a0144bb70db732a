//! The doors as a whole. The runtime's clock is paused, but the time of day advances.

use std::path::Path;

use super::*;

/// Open doors in a directory, with the channels to and from them.
struct OpenDoors {
    plans: mpsc::UnboundedSender<DoorsPlan>,
    news: mpsc::Receiver<DoorNews>,
}

fn plan(dir: &Path, closes: Option<WallTime>) -> DoorsPlan {
    let door = |name: &str, entrance| PlayerDoor {
        name: PlayerName::new(name).expect("a name"),
        entrance,
        closes,
        last_digest: None,
        recent: Vec::new(),
    };
    DoorsPlan {
        players: vec![door("ada", Entrance::Folder(FolderDoor { dir: dir.join("ada") })), door("cy", Entrance::Submit)],
        bounds: SubmissionBounds { bytes: 1000, files: 5 },
        poll: Duration::from_mins(2),
        versions_per_day: NonZeroUsize::new(20).expect("not zero"),
    }
}

impl OpenDoors {
    /// Opens the doors for the players of `plan` in the directory `dir`.
    fn open(dir: &Path, plan: DoorsPlan) -> Self {
        let inbox = dir.join("inbox");
        let intake = Intake::in_dir(inbox.join("trees")).expect("made");
        let (tell, news) = mpsc::channel(10);
        let day = DayLimit::new(plan.versions_per_day);
        let desk = DoorDesk::new((intake, inbox), None, (plan.bounds, plan.poll), day, tell);
        let (plans, coming) = mpsc::unbounded_channel();
        spawn_local(attend(Rc::new(desk), plan, coming, None, (TokenStore::in_dir(dir.join("tokens")), wall_clock())));
        Self { plans, news }
    }

    async fn hand_in(&mut self) -> HandIn {
        match self.news.recv().await.expect("news") {
            DoorNews::HandIn(hand_in) => hand_in,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until two doors have closed. Returns their players and when the doors closed.
    async fn closed(&mut self) -> Vec<(String, WallTime)> {
        let mut closed = Vec::new();
        while closed.len() < 2 {
            match self.news.recv().await.expect("news") {
                DoorNews::Closed { player, closes } => closed.push((player.to_string(), closes)),
                other => panic!("{other:?}"),
            }
        }
        closed.sort_unstable();
        closed
    }
}

fn write(dir: &Path, text: &str) {
    fs::create_dir_all(dir.join("ada")).expect("made");
    fs::write(dir.join("ada/bot.py"), text).expect("written");
}

fn both(closes: WallTime) -> Vec<(String, WallTime)> {
    ["ada", "cy"].map(|name| (name.to_owned(), closes)).to_vec()
}

#[tokio::test(start_paused = true)]
async fn doors_tell_that_they_have_closed_once_what_arrived_before_is_delivered() {
    let scenario = async {
        let dir = tempfile::tempdir().expect("a directory");
        write(dir.path(), "1");
        let mut doors = OpenDoors::open(dir.path(), plan(dir.path(), None));
        doors.hand_in().await;
        // Meanwhile, the door checks its directory again and finds nothing new.
        sleep_until(now() + Duration::from_secs(30)).await;
        // The door closes now: its last check finds the file, although the next regular check is not due for two
        // minutes.
        write(dir.path(), "2");
        let closes = wall_clock();
        doors.plans.send(plan(dir.path(), Some(closes))).expect("received");
        // By then, the door for uploads has closed without having received any.
        let first = doors.news.recv().await;
        assert!(matches!(&first, Some(DoorNews::Closed { player, .. }) if player.as_str() == "cy"), "{first:?}");
        // A check just before the closing time may have found the hand-in slightly earlier.
        assert!(doors.hand_in().await.arrived <= closes);
        let Some(DoorNews::Closed { player, closes: told }) = doors.news.recv().await else { panic!("not closed") };
        assert_eq!((player.as_str(), told), ("ada", closes));
        // Hand-ins that arrive later are not accepted until the doors are opened again.
        write(dir.path(), "3");
        sleep_until(now() + Duration::from_hours(1)).await;
        doors.plans.send(plan(dir.path(), Some(closes))).expect("received");
        sleep_until(now() + Duration::from_hours(1)).await;
        assert!(doors.news.try_recv().is_err());
        doors.plans.send(plan(dir.path(), None)).expect("received");
        doors.hand_in().await;
        let closes = wall_clock();
        doors.plans.send(plan(dir.path(), Some(closes))).expect("received");
        assert_eq!(doors.closed().await, both(closes));
    };
    LocalSet::new().run_until(scenario).await;
}

#[tokio::test(start_paused = true)]
async fn doors_that_closed_while_no_arena_was_there_say_so_at_once() {
    let scenario = async {
        let dir = tempfile::tempdir().expect("a directory");
        write(dir.path(), "1");
        let closes = wall_clock() - Duration::from_hours(1);
        let mut doors = OpenDoors::open(dir.path(), plan(dir.path(), Some(closes)));
        assert_eq!(doors.closed().await, both(closes));
        sleep_until(now() + Duration::from_hours(1)).await;
        assert!(doors.news.try_recv().is_err());
    };
    LocalSet::new().run_until(scenario).await;
}

#[tokio::test(start_paused = true)]
async fn what_was_not_settled_is_delivered_by_the_next_arena_with_its_arrival_even_if_the_doors_have_closed() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut arrivals = Vec::new();
    let first = async {
        let mut doors = OpenDoors::open(dir.path(), plan(dir.path(), None));
        for text in ["1", "2", "3"] {
            write(dir.path(), text);
            let hand_in = doors.hand_in().await;
            arrivals.push((hand_in.arrived, hand_in.digest.clone()));
            if text == "1" {
                hand_in.settle().expect("removed");
            }
        }
    };
    LocalSet::new().run_until(first).await;
    write(dir.path(), "late");
    let closes = wall_clock();
    let second = async {
        let mut plan = plan(dir.path(), Some(closes));
        // The journal already contains the second hand-in, which was not settled.
        plan.players[0].last_digest = Some(arrivals[1].1.clone());
        let mut doors = OpenDoors::open(dir.path(), plan.clone());
        let hand_in = doors.hand_in().await;
        assert_eq!((hand_in.arrived, &hand_in.digest), (arrivals[2].0, &arrivals[2].1));
        let sources = hand_in.sources.as_ref().expect("sources");
        assert_eq!(fs::read_to_string(sources.dir.join("bot.py")).expect("readable"), "3");
        assert_eq!(doors.closed().await, both(closes));
        hand_in.settle().expect("removed");
        let mut doors = OpenDoors::open(dir.path(), plan);
        assert_eq!(doors.closed().await, both(closes));
    };
    LocalSet::new().run_until(second).await;
}
