//! What the fuzz targets call that is otherwise private. The module `gothello_arena::fuzzing` exists only in the builds
//! of cargo-fuzz, which set `cfg(fuzzing)`; see docs/dev/fuzzing.md.

#![expect(missing_docs, reason = "each function does what its name says, and only the fuzz targets call it")]

use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

use crate::course::unpacking::{EntryKind, Source, SubmissionBounds, UnpackError, unpack_one};
use crate::game::{BySide, Ruleset};
use crate::ladder::doors::{fuzzed_door, fuzzed_repository};
use crate::machines::bundle::unpack as unpack_bundle;
use crate::machines::messages::{Job, JobAnswer, Manifest, RunNotice, Taken, WorkerStatus};
use crate::page::http::{Access, HttpSite, converse};
use crate::page::live::{ShownRun, fuzzed_site as live_site};
use crate::practice::board_game::BoardGame;
use crate::practice::guided::GuidedGame;
use crate::practice::seating::BoardSeating;
use crate::practice::session::Session;
use crate::practice::watching::fuzzed_page;
use crate::practice::web::fuzzed_site as board_site;
use crate::run::journal::{Header, fuzzed_checkpoint};
use crate::tournament::Tournament;

/// An archive that was unpacked as a submission.
#[derive(Debug)]
pub struct UnpackedArchive {
    /// The directory with the files; `None` if there are none.
    pub tree: Option<PathBuf>,
    /// The paths of the files, relative to `tree`.
    pub files: Vec<String>,
    pub refusal: Option<String>,
    pub warnings: Vec<String>,
}

/// Unpacks the archive in the file `archive` into `dir`, which is empty, within `most` bytes and files.
pub fn unpack(archive: &Path, dir: &Path, most: (u64, usize)) -> UnpackedArchive {
    let bounds = SubmissionBounds { bytes: most.0, files: most.1 };
    let source = Source::open(archive).expect("a file");
    // No entry of an archive can make writing fail.
    let handed_in =
        unpack_one(dir, bounds, |visit| source.each(visit)).unwrap_or_else(|error| panic!("{error}: {error:?}"));
    UnpackedArchive {
        tree: handed_in.tree,
        files: handed_in.files,
        refusal: handed_in.refusal.map(|refusal| refusal.to_string()),
        warnings: handed_in.warnings,
    }
}

/// Unpacks `bytes` into `dir`, which is empty, as a worker unpacks the bundle with this `digest`. Returns the refusal, if
/// there is one.
pub fn bundle(bytes: &[u8], digest: &str, dir: &Path) -> Option<String> {
    unpack_bundle(bytes, digest, dir).err().map(|error| error.to_string())
}

/// How much of an answer is read. The pages themselves are longer.
const MOST_ANSWER: usize = 16 << 10;

/// The longest time, on a clock that runs only while nothing happens, for which an answer is read: streams never end.
const PATIENCE: Duration = Duration::from_secs(45);

thread_local! {
    static RUNTIME: Runtime =
        Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime without files");
}

/// The beginning of the answer to `request`, which `serve` gives on its end of a stream, and the result of `serve` if it
/// ended.
fn answer_of<F: Future>(request: &[u8], serve: impl FnOnce(DuplexStream) -> F) -> (Vec<u8>, Option<F::Output>) {
    RUNTIME.with(|runtime| {
        LocalSet::new().block_on(runtime, async {
            let (mut client, server) = duplex(64 << 10);
            let asking = async {
                let mut answer = vec![0; MOST_ANSWER];
                let mut length = 0;
                // The server may close the connection before it has read everything.
                let _ = client.write_all(request).await;
                while length < answer.len() {
                    match client.read(&mut answer[length..]).await {
                        Ok(0) | Err(_) => break,
                        Ok(more) => length += more,
                    }
                }
                answer.truncate(length);
                drop(client);
                answer
            };
            let mut served = None;
            let serving = async { served = Some(serve(server).await) };
            let both = async { tokio::join!(tokio::time::timeout(PATIENCE, asking), serving).0 };
            let answer = tokio::time::timeout(2 * PATIENCE, both).await;
            (answer.ok().and_then(Result::ok).unwrap_or_default(), served)
        })
    })
}

/// The access rules of a page on this machine.
fn access() -> Access {
    Access::new("127.0.0.1:8080".parse().expect("an address"), false, &[], NonZeroUsize::MIN).expect("loopback")
}

fn answered(request: &[u8], site: &impl HttpSite) -> Vec<u8> {
    answer_of(request, async |stream| converse(stream, None, site).await).0
}

/// The beginning of the answer of a live page, whose two players are ann and bob, to `request`.
pub fn live_page(request: &[u8]) -> Vec<u8> {
    thread_local! {
        static SITE: Box<dyn Fn(&[u8]) -> Vec<u8>> = answers_of_live_page();
    }
    SITE.with(|answer| answer(request))
}

fn answers_of_live_page() -> Box<dyn Fn(&[u8]) -> Vec<u8>> {
    const TOURNAMENT: &str =
        "[[player]]\nname = \"ann\"\nbuiltin = \"random\"\n[[player]]\nname = \"bob\"\nbuiltin = \"random\"\n";
    let tournament = Tournament::parse(TOURNAMENT, "fuzz").unwrap_or_else(|problems| panic!("{problems}"));
    let shown = ShownRun { tournament: Arc::new(tournament), address: None, aliases: None };
    // The state of a page knows when it began.
    let site = RUNTIME.with(|runtime| runtime.block_on(async { live_site::site(&shown, access()) }));
    let site = site.expect("headers");
    Box::new(move |request| answered(request, &site))
}

/// A board in a browser, on which two people play.
pub struct FuzzedTable {
    ask: Box<dyn Fn(&[u8]) -> Vec<u8>>,
    told: Box<dyn Fn() -> (String, usize, bool)>,
    pub token: String,
}

impl FuzzedTable {
    /// A new game. No solver can be asked about games of this rule set.
    pub fn new() -> Self {
        let ruleset: Ruleset = "quantum-8".parse().expect("a rule set");
        let players = BySide { black: "one".to_owned(), white: "other".to_owned() };
        let session = Session::new(BoardGame::start(ruleset), true, players);
        let board = RUNTIME.with(|runtime| {
            runtime.block_on(async {
                let game = GuidedGame::new(session, BoardSeating::Two, NonZeroUsize::MIN).expect("a thread");
                board_site::board(game, access()).expect("random numbers")
            })
        });
        let board = Rc::new(board);
        let told = Rc::clone(&board);
        Self {
            token: board.token.clone(),
            ask: Box::new(move |request| answered(request, &board.site)),
            told: Box::new(move || (told.told(), told.plies(), told.is_over())),
        }
    }

    /// The beginning of the answer to `request`.
    pub fn ask(&self, request: &[u8]) -> Vec<u8> {
        (self.ask)(request)
    }

    /// Everything that clients are told about the game, the number of moves, and whether the game is over.
    pub fn told(&self) -> (String, usize, bool) {
        (self.told)()
    }
}

impl Default for FuzzedTable {
    fn default() -> Self {
        Self::new()
    }
}

/// The beginning of the answer to `request` of the door for uploads, and the uploads that were stored. The only `player`
/// has a token. The directories `incoming` and `uploads` in `dir` are empty, and are left empty.
pub fn hand_in(request: &[u8], player: (&str, &str), dir: &Path) -> (Vec<u8>, Vec<Vec<u8>>) {
    let (answer, stored) = answer_of(request, async |stream| fuzzed_door::answer(stream, player, dir).await);
    (answer, stored.expect("the door closes every connection"))
}

/// The arguments with which `git` reads a repository; `None` if its address or its branch is refused.
pub fn git_words(address: &str, branch: &str) -> Option<Vec<String>> {
    fuzzed_repository::words(address, branch)
}

/// The explanation of a failure that `git` describes as `text`.
pub fn git_explanation(text: &str) -> String {
    fuzzed_repository::explanation(text)
}

/// Reads a commit with this `listing`, whose objects are in `contents`, within `most` bytes and files. Returns the number
/// of bytes and files that were read, and the refusal, if there is one.
pub fn git_commit(listing: &[u8], contents: &mut File, most: (u64, usize)) -> (u64, usize, Option<String>) {
    let bounds = SubmissionBounds { bytes: most.0, files: most.1 };
    let (mut bytes, mut files) = (0, 0);
    let read = fuzzed_repository::commit(listing, contents, bounds, &mut |entry| {
        assert_ne!(entry.kind, EntryKind::HardLink);
        let mut content = Vec::new();
        // An object that is cut off is noticed at its end.
        bytes += entry.content.read_to_end(&mut content).expect("memory and a file") as u64;
        files += 1;
        Ok(())
    });
    let refusal = match read {
        Ok(()) => None,
        Err(UnpackError::Refused(refusal)) => Some(refusal.to_string()),
        Err(error @ UnpackError::Io { .. }) => panic!("{error}"),
    };
    (bytes, files, refusal)
}

/// Reads `text` as each kind of message between coordinators and workers, and checks that a message that was read is
/// written as text that reads back the same.
pub fn nats_message(text: &[u8]) {
    if let Some(job) = read_back::<Job>(text) {
        for seats in [2, 4, 6] {
            if let Some(spec) = job.spec(seats, 4) {
                assert!(spec.players.seats() == seats && spec.players.values().all(|&player| player < 4));
                assert_eq!(Job::new(&spec, job.nth), job);
            }
        }
    }
    if let Some(answer) = read_back::<JobAnswer>(text) {
        assert_eq!(answer.bundles().seats(), answer.outputs_number());
        let bundles = answer.bundles().map(|bundle| bundle.map(str::to_owned));
        let (worker, record) = (answer.worker.clone(), answer.record.clone());
        let outputs = answer.clone().outputs();
        assert_eq!(outputs.seats(), answer.outputs_number());
        assert_eq!(JobAnswer::new(&worker, record, outputs, bundles), answer);
    }
    if let Some(manifest) = read_back::<Manifest>(text) {
        let notice = RunNotice::of(manifest.run.clone(), text);
        assert_eq!(notice.manifest(text).as_ref(), Some(&manifest));
        assert!(notice.manifest(&[text, b" "].concat()).is_none(), "another text has the same digest");
        let _ = manifest.isolation();
        for player in manifest.players.values() {
            assert_eq!(player.bundles().count() == 0, player.bundle_text().is_none());
            if let Some(read) = player.player(|number| Some(format!("/at/{number}").into())) {
                assert!(!read.name.as_str().is_empty());
            }
        }
    }
    if let Some(notice) = read_back::<RunNotice>(text) {
        assert!(notice.continues_in(&notice));
    }
    read_back::<Taken>(text);
    read_back::<WorkerStatus>(text);
}

fn read_back<T: DeserializeOwned + Serialize + PartialEq + std::fmt::Debug>(text: &[u8]) -> Option<T> {
    let message: T = serde_json::from_slice(text).ok()?;
    let written = serde_json::to_string(&message).expect("plain data");
    let again: T = serde_json::from_str(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    assert_eq!(again, message, "{written}");
    Some(message)
}

/// Everything that is drawn while a live page with these `events` is watched; see [`fuzzed_page::drawn`].
pub fn watched_page(events: &str) -> Vec<String> {
    fuzzed_page::drawn(events)
}

/// Reads the state in the checkpoint of a journal that begins with `header` and has `lines` lines. Returns the state as
/// it would be written again, and the number of decided games in it; `None` if the state cannot be used.
pub fn checkpoint(state: &[u8], header: Header, lines: u64) -> Option<(String, usize)> {
    fuzzed_checkpoint::restored(state, header, lines)
}
