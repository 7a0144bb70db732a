//! Fetches players' files from the cache or from the broker, and unpacks them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::object_store::GetErrorKind;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;

use crate::base::hex::hex;
use crate::base::machine::away;
use crate::base::sanitise::sanitised;
use crate::machines::broker::{BrokerError, Say, bundles, jetstream, refused};
use crate::machines::bundle::{BundleError, MOST_ARCHIVE, unpack};
use crate::machines::cache::{BundleCache, Cached, is_digest};
use crate::machines::messages::{Inability, WorkerLack};

/// How long the transfer of a bundle may stall.
const STALL: Duration = Duration::from_secs(30);

/// The places from which a worker gets players' files.
#[derive(Clone, Copy)]
pub(super) struct BundleSources<'a> {
    pub(super) client: &'a Client,
    pub(super) cache: &'a BundleCache,
    pub(super) say: &'a Say,
}

impl BundleSources<'_> {
    /// Unpacks the bundle with the given `digest` into the new directory `dir`. Returns the reason if this is
    /// impossible.
    ///
    /// # Errors
    /// Fails if the broker is at fault.
    pub(super) async fn unpack(self, digest: &str, dir: &Path) -> Result<Option<Inability>, BrokerError> {
        let inability = |lacks, why: String| Ok(Some(Inability { lacks, why: sanitised(&why) }));
        if !is_digest(digest) {
            return inability(WorkerLack::Files, "the digest of its files is not a SHA-256".to_owned());
        }
        // This runs on another thread, because games in progress must keep sending signs of life.
        let (cache, wanted) = (self.cache.clone(), digest.to_owned());
        let kept = away(move || cache.get(&wanted)).await;
        if kept == Cached::Changed {
            (self.say)(format!("cached files have changed ({digest}), and are being fetched again"));
        }
        let bytes = match kept {
            Cached::Whole(bytes) => bytes,
            Cached::Changed | Cached::Missing => match fetched(self.client, digest).await? {
                FetchedBundle::Whole(bytes) => {
                    if let Err(error) = self.cache.put(digest, &bytes) {
                        (self.say)(format!("{error}; the files are used, but will have to be fetched again"));
                    }
                    bytes
                }
                FetchedBundle::Untrue(why) => return inability(WorkerLack::TrueFiles, why),
            },
        };
        let (digest, dir) = (digest.to_owned(), dir.to_owned());
        let unpacked = away(move || {
            let made = fs::create_dir_all(&dir).map_err(|source| BundleError::Io { path: dir.clone(), source });
            made.and_then(|()| unpack(&bytes, &digest, &dir))
        });
        match unpacked.await {
            Ok(()) => Ok(None),
            Err(error @ BundleError::Io { .. }) => {
                inability(WorkerLack::Files, format!("its files cannot be unpacked here (TMPDIR): {error}"))
            }
            Err(error) => inability(WorkerLack::Files, format!("its files are not used: {error}")),
        }
    }
}

/// The result of fetching a bundle from the broker.
enum FetchedBundle {
    /// The bundle.
    Whole(Vec<u8>),
    /// The broker does not have the bundle, or returned something else. Contains the reason.
    Untrue(String),
}

/// Fetches the bundle with the given `digest`.
async fn fetched(client: &Client, digest: &str) -> Result<FetchedBundle, BrokerError> {
    use FetchedBundle::{Untrue, Whole};
    let store = bundles(&jetstream(client)).await?;
    let object = match store.get(digest).await {
        Err(error) if error.kind() == GetErrorKind::NotFound => {
            return Ok(Untrue("the broker does not have its files".to_owned()));
        }
        object => object.map_err(refused("the files of a player cannot be fetched"))?,
    };
    let (mut object, mut bytes) = (object.take(MOST_ARCHIVE + 1), Vec::new());
    loop {
        match tokio::time::timeout(STALL, object.read_buf(&mut bytes)).await {
            Ok(Ok(0)) => break,
            Ok(Ok(_)) => {}
            Ok(Err(error)) => return Ok(Untrue(format!("its files cannot be read from the broker: {error}"))),
            Err(_) => {
                return Ok(Untrue(format!("the broker has not sent any more of its files for {} s", STALL.as_secs())));
            }
        }
    }
    let is_right = hex(&Sha256::digest(&bytes)) == digest;
    Ok(if is_right { Whole(bytes) } else { Untrue(format!("its files are not used: {}", BundleError::Digest)) })
}
