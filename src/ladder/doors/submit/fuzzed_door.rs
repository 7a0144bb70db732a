//! The door in memory: its process and the arena, without sockets, for the fuzz targets.

use std::fs;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncRead, AsyncWrite};

use super::door_messages::{ArenaSays, DoorOrder, DoorSays, UploadAsk, next_line, written};
use super::door_process::linked_site;
use super::gate::{self, Gate, GateAnswer, Guest};
use super::stored_upload::{StoredUpload, UploadAbout, UploadFault};
use crate::base::time::{now, wall_clock};
use crate::host::lobby::source_host::Host;
use crate::ladder::tokens::TokenDigest;
use crate::page::http::{Access, PeerHost, converse};
use crate::tournament::PlayerName;

/// The maximum size of an upload in bytes.
const MOST_BYTES: u64 = 4096;

/// The arena behind the door. Its only player has a token.
struct FuzzedArena<'a> {
    player: PlayerName,
    token: TokenDigest,
    gate: Gate,
    /// An existing directory with two directories: that of the door's process, and that of the uploads.
    dir: &'a Path,
    stored: Vec<Vec<u8>>,
}

/// Answers the request that arrives on `stream` for the only player, whose token is `token`. Uses the directories
/// `incoming` and `uploads` in `dir`, which exist and are empty, and leaves them empty. Returns the archives of the
/// uploads that were stored.
pub(crate) async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    (player, token): (&str, &str),
    dir: &Path,
) -> Vec<Vec<u8>> {
    let address: SocketAddr = "127.0.0.1:8080".parse().expect("an address");
    let access = Access::new(address, true, &[], NonZeroUsize::MIN).expect("loopback");
    let order = DoorOrder { most_connections: 1, most_bytes: MOST_BYTES, seconds: 10 };
    let (site, mut said, reply) = linked_site(access, order);
    let player = PlayerName::new(player).expect("a name");
    let mut gate = Gate::new(1);
    gate.admit([(player.clone(), None)].into_iter());
    let mut arena = FuzzedArena { player, token: TokenDigest::of(token), gate, dir, stored: Vec::new() };
    let peer = PeerHost(address.ip());
    let conversation = converse(stream, Some(peer), &site);
    tokio::pin!(conversation);
    loop {
        let said = tokio::select! {
            biased;
            said = said.recv() => said,
            () = &mut conversation => None,
        };
        let Some(said) = said else { break };
        // Both sides read what they were sent.
        let said = next_line(&mut &written(&said)[..]).await.expect("a line").expect("its message");
        if let Some(answer) = arena.hear(said) {
            reply(next_line(&mut &written(&answer)[..]).await.expect("a line").expect("its message"));
        }
    }
    while let Ok(said) = said.try_recv() {
        arena.hear(said);
    }
    let left = |name| fs::read_dir(dir.join(name)).expect("a directory").count();
    assert_eq!((left("incoming"), left("uploads")), (0, 0), "files are left behind");
    arena.stored
}

impl FuzzedArena<'_> {
    fn hear(&mut self, said: DoorSays) -> Option<ArenaSays> {
        match said {
            DoorSays::Ready | DoorSays::Gone { .. } => None,
            DoorSays::Ask(ask) => Some(self.decide(&ask)),
            DoorSays::Done { ticket } => {
                self.gate.left(&self.player);
                let answer = self.store(&ticket);
                Some(ArenaSays::Answer { number: 1, answer })
            }
            DoorSays::Dropped { .. } => {
                self.gate.left(&self.player);
                None
            }
        }
    }

    fn decide(&mut self, ask: &UploadAsk) -> ArenaSays {
        let digest = TokenDigest::parse(&ask.token).expect("a digest");
        let host = Host::from(ask.host.expect("the client's address"));
        let own = (ask.player == self.player.as_str()).then_some(self.token);
        let guest = Guest { player: &ask.player, digest, host, wait: None, bytes: ask.bytes };
        match self.gate.judge(&guest, own, now(), wall_clock()) {
            GateAnswer::Granted(player) => {
                assert_eq!(player, self.player);
                let ticket = self.incoming().join("1-1").display().to_string();
                ArenaSays::Granted { number: ask.number, ticket }
            }
            GateAnswer::Refused(answer) => ArenaSays::Answer { number: ask.number, answer },
            GateAnswer::Hold(_) => panic!("the first request is held"),
        }
    }

    fn incoming(&self) -> PathBuf {
        self.dir.join("incoming")
    }

    fn store(&mut self, ticket: &str) -> super::DoorAnswer {
        let about = UploadAbout::new(&self.player, wall_clock(), "127.0.0.1".to_owned());
        let name = Path::new(ticket).file_name().and_then(|name| name.to_str()).expect("a name");
        match StoredUpload::store(&self.incoming(), &self.dir.join("uploads"), name, &about, MOST_BYTES) {
            Ok(stored) => {
                let archive = fs::read(&stored.archive).expect("the upload is stored");
                assert!(archive.len() as u64 <= MOST_BYTES);
                self.stored.push(archive);
                fs::remove_dir_all(&stored.dir).expect("removed");
                gate::received()
            }
            Err(UploadFault::NoArchive) => gate::no_archive(),
            Err(UploadFault::TooLarge) => gate::too_large(MOST_BYTES),
            Err(UploadFault::Io(error)) => panic!("the upload cannot be stored: {error}"),
        }
    }
}
