use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::base::time::now;
use crate::game::{BySeat, BySide, Seat};
use crate::host::bot_output::BotOutput;
use crate::machines::messages::{Inability, WorkerLack};
use crate::referee::record::GameRecord;
use crate::referee::result::{GameResult, Termination};
use crate::run::journal::{FORMAT, Header, JournalEntry, PairingEntry};
use crate::run::unplayed_record::unplayed_record;
use crate::tournament::definition::Definition;
use crate::tournament::schedule::GameId;
use crate::tournament::{Player, PlayerName, Tournament};

/// The SHA-256 of player `b`'s files, as the coordinator has copied them.
pub(super) const BUNDLE: &str = "of the latest files";

/// An arena for two players, with `keys` at the top of the tournament file. Player `b` has a bundle.
pub(super) fn arena_of(keys: &str) -> Arc<Arena> {
    let text = format!(
        "{keys}[[player]]\nname = \"a\"\nbuiltin = \"random\"\n[[player]]\nname = \"b\"\ncommand = [\"./b\"]\n"
    );
    let tournament = Arc::new(Tournament::parse(&text, "test").unwrap_or_else(|problems| panic!("{problems}")));
    Arc::new(Arena::new(tournament, vec![Entrant::Remote, Entrant::Remote]))
}

/// The ledger of a run of `arena` that has just begun.
pub(super) fn ledger_of(arena: &Arena) -> Ledger {
    let definition = Definition::from(&*arena.tournament);
    let digest = definition.digest();
    let header =
        Header { format: FORMAT, program: String::new(), digest, definition, players: Vec::new(), shard: None };
    Ledger::new(header).unwrap_or_else(|error| panic!("{error}"))
}

/// A desk for two players that meet twice, with the receiver of returned games and the two games. Player `b` has a
/// bundle.
fn desk() -> (Desk, UnboundedReceiver<FromElsewhere>, Vec<GameSpec>) {
    let (desk, back, games) = desk_after("", &[], false);
    (staffed(desk), back, games)
}

fn staffed(mut desk: Desk) -> Desk {
    desk.staff([worker("one", &[])].iter());
    desk
}

/// A desk for two players, with `keys` at the top of the tournament file, after a restart with these `entries` in the
/// journal. There are no workers yet.
pub(super) fn desk_after(
    keys: &str,
    entries: &[JournalEntry],
    plays_here: bool,
) -> (Desk, UnboundedReceiver<FromElsewhere>, Vec<GameSpec>) {
    let arena = arena_of(keys);
    let mut ledger = ledger_of(&arena);
    for entry in entries {
        ledger.take(entry.clone()).unwrap_or_else(|error| panic!("{error}"));
    }
    let games = ledger.schedule().games().collect();
    let (played, back) = unbounded_channel();
    let mut desk = Desk::new(DeskContext { arena, ledger: &ledger, verify: |_| Ok(()), back: played, plays_here });
    desk.set_field(MANIFEST, &lines(&desk.arena, &[0, 1], BUNDLE));
    (desk, back, games)
}

/// The SHA-256 of the first manifest.
const MANIFEST: &str = "of the first manifest";

/// The entries of a manifest for the players of `arena` at `places`. Player `b` has the files `bundle`.
fn lines(arena: &Arena, places: &[PlayerIndex], bundle: &str) -> BTreeMap<PlayerIndex, SentPlayer> {
    let line = |place: &PlayerIndex| {
        let player = &arena.tournament.players[*place];
        let bundle = |_| (player.name.as_str() == "b").then(|| bundle.to_owned());
        (*place, SentPlayer::new(player, None, bundle).expect("not remote"))
    };
    places.iter().map(line).collect()
}

/// A worker with two slots that cannot start the players in `cannot`.
pub(super) fn worker(name: &str, cannot: &[(&str, WorkerLack)]) -> PresentWorker {
    let inability = |lacks| Inability { lacks, why: "not found".to_owned() };
    let cannot = cannot.iter().map(|(player, lacks)| ((*player).to_owned(), inability(*lacks)));
    PresentWorker { name: name.to_owned(), slots: 2, manifest: Some(MANIFEST.to_owned()), cannot: cannot.collect() }
}

fn nth_of(job: Option<LaneJob>) -> Option<u32> {
    job.map(|LaneJob { job, .. }| job.nth)
}

fn played(back: &mut UnboundedReceiver<FromElsewhere>) -> PlayedElsewhere {
    match back.try_recv() {
        Ok(FromElsewhere::Played(played)) => *played,
        other => panic!("{other:?}"),
    }
}

/// The answer of a worker that claims to have played the game `id` between `players`, which white won.
pub(super) fn answer(spec: &GameSpec, id: &str, players: [&str; 2]) -> Vec<u8> {
    answer_from(BUNDLE, spec, id, players)
}

/// Like [`answer`], but with player `b` started from `bundle`.
fn answer_from(bundle: &str, spec: &GameSpec, id: &str, players: [&str; 2]) -> Vec<u8> {
    answer_with(unplayed_record(spec, id, players, "0-1", "no show"), bundle, players)
}

/// The answer of a worker with this record of a game between `players`, of which `b` was started from `bundle`.
pub(super) fn answer_with(record: String, bundle: &str, [black, white]: [&str; 2]) -> Vec<u8> {
    let bundles = BySide { black, white };
    let outputs = bundles.map(|_| BotOutput::default());
    let bundles = bundles.map(|player| (player == "b").then(|| bundle.to_owned()));
    serde_json::to_vec(&JobAnswer::new("liar\n", record, outputs.into(), bundles.into())).expect("plain data")
}

/// The verdict about an answer with the result of the game `number`.
const fn kept(number: u64) -> Verdict {
    Verdict::Keep(SavedGame { number, is_void: false })
}

#[test]
fn the_first_answer_that_belongs_to_the_game_counts_and_no_other() {
    let (mut desk, mut back, games) = desk();
    let spec = &games[0];
    let right = answer(spec, "r1-b-a", ["b", "a"]);
    let at = |nth| GameTry { number: 0, nth };
    for foreign in [&b"{}"[..], &answer(spec, "r1-x-y", ["x", "y"])] {
        assert_eq!(desk.answered(at(1), foreign), Verdict::Late, "the tournament has no such game");
    }
    assert_eq!(desk.answered(at(1), &right), Verdict::Early, "the game was not requested, as after a restart");
    assert_eq!(nth_of(desk.send_out(spec.clone())), Some(1));
    assert_eq!(desk.answered(at(2), &right), Verdict::Late, "another try");
    assert_eq!(desk.answered(at(1), &right), kept(0));
    let played = played(&mut back);
    assert_eq!(played.spec, *spec);
    assert!(played.played.record.other_tags().contains(&(WORKER_TAG.to_owned(), "liar\\n".to_owned())));
    assert_eq!(desk.answered(at(1), &right), kept(0), "redelivered before the game is in the journal");
    assert_eq!(desk.answered(at(2), &right), Verdict::Late);
    assert!(desk.is_empty() && back.try_recv().is_err());
    desk.saved(SavedGame { number: 0, is_void: false });
    assert_eq!(desk.answered(at(7), &right), Verdict::Late);
}

#[test]
fn an_answer_that_nobody_has_asked_for_is_kept_only_if_it_can_be_of_use() {
    let (mut desk, _back, games) = desk();
    let right = answer(&games[1], "r1-a-b", ["a", "b"]);
    let at = |number, nth| GameTry { number, nth };
    for nowhere in [at(0, 1), at(2, 1), at(1_000_000, 1), at(u64::MAX, 1), at(1, u32::MAX)] {
        assert_eq!(desk.answered(nowhere, &right), Verdict::Late, "{nowhere:?}");
    }
    assert_eq!(desk.answered(at(1, 1), &right), Verdict::Early);
}

#[test]
fn a_game_that_was_played_with_other_files_does_not_count_and_is_given_away_again() {
    let (mut desk, mut back, games) = desk();
    let spec = &games[0];
    let (id, players) = ("r1-b-a", ["b", "a"]);
    let [old, new] = ["of earlier files", BUNDLE].map(|bundle| answer_from(bundle, spec, id, players));
    let at = |nth| GameTry { number: 0, nth };
    assert_eq!(desk.answered(at(1), &old), Verdict::Late, "the answer is not kept for its game");
    desk.send_out(spec.clone());
    let Verdict::Wrong { again, why } = desk.answered(at(1), &old) else { panic!("accepted") };
    assert!(why.contains("player `b` was started from files other than this run's"), "{why}");
    assert_eq!(nth_of(again), Some(2));
    assert!(back.try_recv().is_err());
    assert_eq!(desk.answered(at(2), &new), kept(0));
    assert_eq!(played(&mut back).spec, *spec);
}

#[test]
fn lies_are_refused_and_the_third_one_voids_the_game() {
    let (mut desk, mut back, games) = desk();
    let spec = &games[0];
    desk.send_out(spec.clone());
    let lies = [answer(spec, "r1-a-b", ["a", "b"]), answer(spec, "r1-b-a", ["b", "c"]), b"{}".to_vec()];
    for (nth, lie) in (1..).zip(&lies) {
        let Verdict::Wrong { again, why } = desk.answered(GameTry { number: 0, nth }, lie) else {
            panic!("{}", String::from_utf8_lossy(lie))
        };
        assert_eq!(nth_of(again), (nth < 3).then_some(nth + 1), "{why}");
        assert!(nth == 3 || why.contains("liar\\n"), "{why}");
    }
    let reason = played(&mut back).played.record.void().expect("void").reason.clone();
    assert!(reason.starts_with("workers sent 3 wrong answers"), "{reason}");
    assert!(desk.is_empty());
}

#[test]
fn an_answer_must_have_the_output_of_each_bot_of_its_game() {
    let (mut desk, _back, games) = desk();
    let (spec, id) = (&games[0], "r1-b-a");
    desk.send_out(spec.clone());
    let record = unplayed_record(spec, id, ["b", "a"], "0-1", "no show");
    let outputs = BySeat::from_fn(4, |_| BotOutput::default());
    let bundles = BySeat::from_fn(4, |seat| (seat == Seat::FIRST).then(|| BUNDLE.to_owned()));
    let lie = serde_json::to_vec(&JobAnswer::new("liar", record, outputs, bundles)).expect("plain data");
    let Verdict::Wrong { why, .. } = desk.answered(GameTry { number: 0, nth: 1 }, &lie) else { panic!("accepted") };
    assert!(why.contains("r1-b-a: the answer contains the output of 4 bots, but the game has 2 seats"), "{why}");
}

#[test]
fn a_game_that_nobody_ends_is_void_with_the_names_of_its_workers() {
    let (mut desk, mut back, games) = desk();
    desk.send_out(games[1].clone());
    desk.taken(1, "one");
    desk.taken(1, "two");
    desk.taken(1, "one");
    desk.exhausted(GameTry { number: 1, nth: 9 });
    assert!(!desk.is_empty(), "another try");
    desk.exhausted(GameTry { number: 1, nth: 1 });
    let reason = played(&mut back).played.record.void().expect("void").reason.clone();
    assert!(reason.ends_with("(workers: one, two)"), "{reason}");
    assert_eq!(nth_of(desk.send_out(games[1].clone())), Some(2), "played again under another subject");
}

#[test]
fn a_game_goes_only_to_workers_that_can_start_both_players() {
    let (mut desk, mut back, games) = desk();
    let (fit, unfit) = (worker("fit", &[]), worker("unfit", &[("a", WorkerLack::Program)]));
    desk.staff([fit.clone(), unfit.clone()].iter());
    let sent: Vec<LaneJob> = games.iter().filter_map(|spec| desk.send_out(spec.clone())).collect();
    assert!(sent.len() == games.len() && sent.iter().all(|job| job.lane == Lane::without([])), "{sent:?}");
    // The only worker that can play leaves. Its games wait, and their jobs are taken back.
    let gone = desk.staff([unfit.clone()].iter());
    assert_eq!(gone.len(), games.len());
    assert!(desk.place_waiting().is_empty() && desk.jobs().is_empty());
    assert_eq!(desk.room().games, 2 * placing::AHEAD + games.len(), "other games may overtake them");
    // Another worker joins.
    desk.staff([unfit, worker("other", &[])].iter());
    let again = desk.place_waiting();
    assert_eq!(again.len(), games.len());
    assert!(again.iter().all(|job| job.job.nth == 2 && job.lane == Lane::without([])), "the subjects are different");
    assert!(back.try_recv().is_err());
}

#[test]
fn games_stay_where_they_are_while_no_worker_is_here_and_nobody_else_plays() {
    let (mut desk, _back, games) = desk();
    desk.send_out(games[0].clone());
    assert!(desk.staff([].iter()).is_empty());
    assert!(desk.look_for_unplayable(now(), Duration::ZERO).is_empty());
    assert_eq!(desk.jobs().len(), 1);
    desk.staff([worker("one", &[])].iter());
    assert_eq!(desk.jobs().len(), 1);
}

#[test]
fn what_no_worker_can_play_goes_back_to_a_coordinator_that_plays() {
    let (mut desk, mut back, games) = desk();
    desk.plays_here = true;
    desk.send_out(games[0].clone());
    desk.staff([worker("unfit", &[("b", WorkerLack::Files)])].iter());
    assert!(desk.place_waiting().is_empty() && desk.is_empty());
    assert!(matches!(back.try_recv(), Ok(FromElsewhere::Unplayed(spec)) if spec == games[0]));
    desk.staff([worker("one", &[])].iter());
    desk.send_out(games[0].clone());
    assert_eq!(desk.staff([].iter()).len(), 1, "the last worker has died");
    assert!(desk.place_waiting().is_empty());
    assert!(matches!(back.try_recv(), Ok(FromElsewhere::Unplayed(_))));
}

#[tokio::test]
async fn a_player_that_starts_nowhere_loses_and_a_machine_that_lacks_files_voids() {
    let lacks = |lack| [worker("one", &[("a", lack)]), worker("two", &[("a", WorkerLack::Program)])];
    let (timeout, start) = (Duration::from_secs(30), now());
    for (workers, expected) in [
        (
            lacks(WorkerLack::Program),
            "no machine can start it, and the coordinator plays no games: worker `one`: not found; \
                                      worker `two`: not found",
        ),
        (
            lacks(WorkerLack::Files),
            "no worker can play it, and the coordinator plays no games: worker `one`: not found; \
                                    worker `two`: not found",
        ),
        (
            [worker("one", &[("a", WorkerLack::Program)]), worker("two", &[("b", WorkerLack::Program)])],
            "no worker can play it, and the coordinator plays no games: ",
        ),
    ] {
        let (mut desk, mut back, games) = desk();
        desk.staff(workers.iter());
        assert_eq!(desk.send_out(games[0].clone()), None);
        assert_eq!(desk.look_for_unplayable(start, timeout).len(), 1);
        assert!(desk.look_for_unplayable(start + timeout, timeout).is_empty(), "said once");
        desk.end_unplayable(start + timeout / 2, timeout).await;
        assert!(back.try_recv().is_err(), "another worker may come");
        desk.end_unplayable(start + timeout, timeout).await;
        let record = played(&mut back).played.record;
        let reason = match record.void() {
            None => {
                let result = record.two().and_then(|record| record.result.as_ref().ok());
                assert_eq!(result.map(GameResult::termination), Some(Termination::NotStarted));
                record.to_string()
            }
            Some(void) => void.reason.clone(),
        };
        assert!(reason.contains(expected), "{reason}");
        assert_eq!(record.void().is_none(), expected.starts_with("no machine"));
        assert!(desk.is_empty());
    }
}

#[test]
fn a_game_begins_with_the_opening_that_it_was_given() {
    let text = "[Black \"a\"]\n[White \"b\"]\n[Result \"*\"]\n[Termination \"void\"]\n[TimeControl \"-\"]\n[OpeningPlies \"2\"]\n\n\
                1. a1 b2 2. c3 *\n";
    let record: GameRecord = text.parse().unwrap_or_else(|error| panic!("{error}"));
    let moves: Vec<Move> = record.plies.iter().map(|ply| ply.played).collect();
    assert_eq!(record.opening_plies, 2);
    let game: LoggedGame = record.clone().into();
    assert!(begins_with(&game, &moves[..2]));
    for other in [&moves[..1], &moves[..], &moves[1..], &[]] {
        assert!(!begins_with(&game, other), "{other:?}");
    }
    let ended_at_once = GameRecord { plies: Vec::new(), opening_plies: 0, ..record };
    assert!(begins_with(&ended_at_once.into(), &moves[..2]));
}

/// A worker whose last manifest is `manifest`.
fn reader(manifest: &str) -> PresentWorker {
    PresentWorker { manifest: Some(manifest.to_owned()), ..worker("one", &[]) }
}

#[test]
fn a_game_of_a_player_that_has_been_added_waits_until_the_workers_of_a_lane_have_prepared_it() {
    let (mut desk, mut back, _) = ladder_desk();
    let arena = with_version(&desk.arena, Entrant::Remote);
    desk.set_arena(Arc::clone(&arena));
    let spec = decided(2, [0, 2]);
    assert_eq!(desk.send_out(spec.clone()), None, "no manifest contains the player");
    assert!(desk.look_for_unplayable(now(), Duration::ZERO).is_empty(), "a manifest is about to be published");
    desk.set_field("second", &lines(&arena, &[0, 1, 2], BUNDLE));
    let cannot = |desk: &Desk| desk.room().crews.iter().map(|crew| crew.cannot.clone()).collect::<Vec<_>>();
    desk.staff([worker("old", &[]), reader("second")].iter());
    assert_eq!((desk.place_waiting().len(), cannot(&desk)), (0, vec![[2].into()]), "a worker lacks the player");
    assert_eq!(desk.jobs().len(), 0);
    desk.staff([reader("second"), reader("second")].iter());
    assert_eq!((desk.place_waiting().len(), cannot(&desk)), (1, vec![[].into()]));
    // The answer is judged like any other.
    let lie = answer(&spec, "r1-a-c", ["a", "b"]);
    assert!(matches!(desk.answered(GameTry { number: 2, nth: 1 }, &lie), Verdict::Wrong { .. }));
    let right = answer(&spec, "r1-a-c", ["a", "c"]);
    assert_eq!(desk.answered(GameTry { number: 2, nth: 2 }, &right), kept(2));
    assert_eq!(played(&mut back).spec, spec);
    assert_eq!(desk.answered(GameTry { number: 2, nth: 2 }, &right), kept(2), "not in the journal yet");
    desk.saved(SavedGame { number: 2, is_void: false });
    assert_eq!(desk.answered(GameTry { number: 2, nth: 2 }, &right), Verdict::Late);
}

#[test]
fn games_that_are_out_stay_out_when_players_are_added() {
    let (mut desk, _back, games) = ladder_desk();
    desk.staff([worker("one", &[])].iter());
    let jobs: Vec<LaneJob> = games.iter().filter_map(|spec| desk.send_out(spec.clone())).collect();
    assert_eq!(jobs.len(), 2);
    let arena = with_version(&desk.arena, Entrant::Remote);
    desk.set_arena(Arc::clone(&arena));
    desk.set_field("second", &lines(&arena, &[0, 1, 2], BUNDLE));
    for worker in [worker("one", &[]), reader("second")] {
        assert_eq!(desk.staff([worker].iter()), Vec::new());
        assert!(desk.place_waiting().is_empty());
        assert_eq!(desk.jobs(), jobs);
    }
    let right = answer(&games[0], "r1-a-b", ["a", "b"]);
    assert_eq!(desk.answered(GameTry { number: 0, nth: 1 }, &right), kept(0));
}

#[test]
fn an_answer_to_a_game_that_was_decided_on_before_a_restart_is_kept() {
    let (mut desk, _back, games) = ladder_desk();
    let at = |number| GameTry { number, nth: 1 };
    let right = answer(&games[1], "r1-b-a", ["b", "a"]);
    assert_eq!(desk.answered(at(1), &right), Verdict::Early);
    assert_eq!(desk.answered(at(2), &answer(&games[1], "r2-b-a", ["b", "a"])), Verdict::Late, "never decided on");
}

#[test]
fn the_games_of_a_player_that_could_not_be_prepared_are_void_at_once() {
    let (mut desk, mut back, _) = ladder_desk();
    desk.staff([worker("one", &[])].iter());
    desk.set_arena(with_version(&desk.arena, Entrant::Void("the disk is full".to_owned())));
    assert_eq!(desk.send_out(decided(2, [0, 2])), None);
    let record = played(&mut back).played.record;
    let reason = record.void().expect("void").reason.clone();
    assert_eq!(reason, "player `c` could not be prepared: the disk is full");
    assert!(desk.is_empty());
}

#[tokio::test]
async fn the_games_of_a_player_whose_files_cannot_be_sent_stay_here_or_are_void() {
    for plays_here in [true, false] {
        let (mut desk, mut back, _) = ladder_desk();
        desk.plays_here = plays_here;
        desk.set_arena(with_version(&desk.arena, Entrant::Remote));
        desk.leave_out(2, "its files cannot be sent to workers: a link".to_owned());
        desk.staff([worker("one", &[])].iter());
        assert_eq!(desk.send_out(decided(2, [0, 2])), None);
        if plays_here {
            assert!(matches!(back.try_recv(), Ok(FromElsewhere::Unplayed(spec)) if spec.number == 2));
            continue;
        }
        let (start, timeout) = (now(), Duration::from_secs(30));
        assert_eq!(desk.look_for_unplayable(start, timeout).len(), 1);
        desk.end_unplayable(start + timeout, timeout).await;
        let record = played(&mut back).played.record;
        let reason = record.void().expect("void").reason.clone();
        assert!(reason.ends_with("its files cannot be sent to workers: a link"), "{reason}");
    }
}

#[tokio::test]
async fn no_version_of_a_ladder_loses_because_the_workers_are_away_that_have_its_program() {
    let (mut desk, mut back, games) = ladder_desk();
    desk.staff([worker("one", &[("b", WorkerLack::Program)])].iter());
    assert_eq!(desk.send_out(games[0].clone()), None);
    let (start, timeout) = (now(), Duration::from_secs(30));
    desk.look_for_unplayable(start, timeout);
    desk.end_unplayable(start + timeout, timeout).await;
    let reason = played(&mut back).played.record.void().expect("void").reason.clone();
    assert!(reason.ends_with("worker `one`: not found"), "{reason}");
}

/// A desk for a ladder of the players `a` and `b`, in which both games of this pair have been decided on.
fn ladder_desk() -> (Desk, UnboundedReceiver<FromElsewhere>, Vec<GameSpec>) {
    let text = "format = \"ladder\"\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n\
                [[player]]\nname = \"b\"\ncommand = [\"./b\"]\n";
    let tournament = Arc::new(Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}")));
    let definition = Definition::from(&*tournament);
    let digest = definition.digest();
    let header =
        Header { format: FORMAT, program: String::new(), digest, definition, players: Vec::new(), shard: None };
    let mut ledger = Ledger::new(header).unwrap_or_else(|error| panic!("{error}"));
    for [black, white] in [["a", "b"], ["b", "a"]] {
        let (black, white, at) = (black.to_owned(), white.to_owned(), jiff::Timestamp::UNIX_EPOCH);
        let pairing = JournalEntry::Pairing(PairingEntry { black, white, random: false, at });
        ledger.take(pairing).unwrap_or_else(|error| panic!("{error}"));
    }
    let games = ledger.schedule().games().collect();
    let arena = Arc::new(Arena::new(tournament, vec![Entrant::Remote, Entrant::Remote]));
    let (sender, back) = unbounded_channel();
    let context = DeskContext { arena, ledger: &ledger, verify: |_| Ok(()), back: sender, plays_here: false };
    let mut desk = Desk::new(context);
    desk.set_field(MANIFEST, &lines(&desk.arena, &[0, 1], BUNDLE));
    (desk, back, games)
}

/// The arena with another player, called `c`.
fn with_version(arena: &Arena, entrant: Entrant) -> Arc<Arena> {
    let mut tournament = (*arena.tournament).clone();
    let player = Player { name: PlayerName::new("c").expect("a name"), ..tournament.players[0].clone() };
    tournament.players.push(player);
    let entrants = arena.entrants.iter().cloned().chain([Arc::new(entrant)]).collect();
    Arc::new(arena.with_players(Arc::new(tournament), entrants, None))
}

/// The first game of these players, which was decided on as game `number`.
fn decided(number: u64, [black, white]: [PlayerIndex; 2]) -> GameSpec {
    let name = |player: PlayerIndex| ["a", "b", "c"][player];
    let id = format!("r1-{}-{}", name(black), name(white));
    let seed = crate::base::random::mix(0, &id);
    let players = BySide { black, white }.into();
    GameSpec { id: GameId::from_text(id.as_str()), number, round: 1, players, seed, opening: Vec::new() }
}

#[test]
fn a_game_that_is_played_again_is_not_saved_with_its_void_try() {
    let (mut desk, _back, games) = desk();
    let spec = &games[0];
    let at = |nth| GameTry { number: 0, nth };
    let void = SavedGame { number: 0, is_void: true };
    let record = unplayed_record(spec, "r1-b-a", ["b", "a"], "*", "void\"]\n[Reason \"none");
    desk.send_out(spec.clone());
    assert_eq!(desk.answered(at(1), &answer_with(record, BUNDLE, ["b", "a"])), Verdict::Keep(void));
    desk.send_out(spec.clone());
    let right = answer(spec, "r1-b-a", ["b", "a"]);
    assert_eq!(desk.answered(at(2), &right), kept(0));
    // The disk is so slow that only now the void try is in the journal.
    desk.saved(void);
    assert_eq!(desk.answered(at(2), &right), kept(0), "redelivered before the game is in the journal");
}

#[test]
fn a_job_that_has_been_out_for_long_is_published_again_but_not_all_the_time() {
    let (mut desk, _back, games) = desk();
    let job = desk.send_out(games[0].clone()).expect("a job");
    let (time, timeout) = (now(), Duration::from_secs(30));
    assert_eq!(desk.jobs_to_renew(time + timeout / 2, timeout), Vec::new());
    assert_eq!(desk.jobs_to_renew(time + timeout, timeout), std::slice::from_ref(&job));
    assert_eq!(desk.jobs_to_renew(time + timeout * 3 / 2, timeout), Vec::new());
    assert_eq!(desk.jobs_to_renew(time + timeout * 2, timeout), [job]);
    // Games that are in no lane have no jobs.
    desk.staff([worker("unfit", &[("a", WorkerLack::Program)])].iter());
    assert_eq!(desk.jobs_to_renew(time + timeout * 4, timeout), Vec::new());
}
