//! The machine with the journal: publishes jobs, collects answers, and acknowledges an answer after its game has been
//! saved.
//!
//! Everything at the broker can be recreated. After any error, a new session creates everything that is missing and
//! republishes the outstanding jobs; this has no effect on jobs that are still at the broker.

mod answers;
mod attendance;
mod desk;
mod roll_call;
mod sent_field;
mod session;
mod told_pace;

use std::collections::BTreeSet;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use thiserror::Error;
use tokio::sync::{mpsc, watch};

use super::broker::{BrokerAccess, BrokerError, BrokerRole, ConnectionTeller};
use super::bundle::BundleError;
use super::messages::{Manifest, RunNotice};
use super::speed;
use crate::base::hex::hex;
use crate::host::program::resolved;
use crate::referee::pace::Speed;
use crate::referee::record::LoggedGame;
use crate::run::elsewhere::{CannotShare, Elsewhere, OtherMachines, Room, Sharing, SharingContext};
use crate::run::entrants::Entrant;
use crate::run::event::Event;
use crate::run::journal::Ledger;
use crate::run::listener::Listener;
use attendance::Attendees;
use desk::{Desk, DeskContext};
use sent_field::{SentField, UnsendablePlayer};
use session::Office;

/// How a run uses a broker.
#[derive(Clone, Debug)]
pub(crate) struct BrokerOptions {
    /// The broker.
    pub access: BrokerAccess,
    /// How many games the coordinator itself plays at a time; if `None`, as many as without a broker.
    pub slots: Option<usize>,
    /// How long a worker may be silent before its game is given to another worker.
    pub timeout: Duration,
    /// The text of the tournament file.
    pub text: String,
    /// The name of the tournament file, without its extension.
    pub stem: String,
}

/// Why games cannot be shared with workers.
#[derive(Debug, Error)]
pub(crate) enum CoordinationError {
    /// The broker failed.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The files of a player cannot be sent.
    #[error("the files of player `{player}` cannot be sent to workers: {why}")]
    Bundle {
        /// The player.
        player: String,
        /// The reason.
        why: BundleError,
    },
    /// The coordinator has no slot for the games of remote players, and workers cannot play these games.
    #[error("games of remote players are played on this machine, so --slots must be at least 1")]
    NoSlotForRemotePlayers,
}

/// Checks a record, and returns what is wrong with it, if anything.
pub(crate) type Verify = fn(&LoggedGame) -> Result<(), String>;

/// A listener that reports saved games, so that their answers are acknowledged.
#[derive(Debug)]
pub(crate) struct AnswerKeeper(Option<mpsc::UnboundedSender<SavedGame>>);

/// A game that has been saved to the journal, or will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SavedGame {
    /// The game's number in the schedule.
    pub(crate) number: u64,
    /// Whether the game is void.
    pub(crate) is_void: bool,
}

impl Listener for AnswerKeeper {
    fn tell(&mut self, event: &Event) {
        if let (Event::Ended(ended), Some(saved)) = (event, &self.0) {
            let _ = saved.send(SavedGame { number: ended.number, is_void: ended.record.void().is_some() });
        }
    }

    fn close(&mut self) {
        self.0 = None;
    }
}

impl OtherMachines for BrokerOptions {
    fn speed_here(&self) -> Option<Speed> {
        speed::measured()
    }

    fn share<'a>(
        &'a self,
        context: SharingContext<'a>,
    ) -> Pin<Box<dyn Future<Output = Result<Sharing, CannotShare>> + 'a>> {
        let sharing = begin(self, context);
        Box::pin(async {
            sharing.await.map_err(|error| match error {
                CoordinationError::NoSlotForRemotePlayers => CannotShare::Misused(Box::new(error)),
                CoordinationError::Broker(_) | CoordinationError::Bundle { .. } => CannotShare::Failed(Box::new(error)),
            })
        })
    }
}

/// Connects to the broker, and starts sharing games with workers.
///
/// # Errors
/// Fails if the broker cannot be reached, or if a player's files cannot be sent.
async fn begin(options: &BrokerOptions, context: SharingContext<'_>) -> Result<Sharing, CoordinationError> {
    let SharingContext { arena, ledger, base, dir, isolation, concurrency, verify, say } = context;
    let local_slots = options.slots.unwrap_or(concurrency.get());
    if local_slots == 0 && arena.entrants.iter().any(|entrant| matches!(**entrant, Entrant::Remote)) {
        return Err(CoordinationError::NoSlotForRemotePlayers);
    }
    let (field, unsendable) = SentField::new(arena, base);
    // The versions of a ladder are not the user's own, and a faulty one must not stop the others.
    let is_fatal = arena.tournament.ladder.is_none();
    let (fatal, unsendable): (Vec<_>, Vec<_>) = unsendable.into_iter().partition(|_| is_fatal);
    if let Some(UnsendablePlayer { player, why, .. }) = fatal.into_iter().next() {
        return Err(CoordinationError::Bundle { player, why });
    }
    let run = run_name(ledger, dir, arena.site.as_deref());
    let manifest = Manifest {
        run: run.clone(),
        stem: options.stem.clone(),
        tournament: text_for_workers(&options.text),
        speed: arena.pace.speed,
        isolation: isolation.map(|isolation| isolation.name().to_owned()),
        players: field.lines(),
        timeout_ms: u64::try_from(options.timeout.as_millis()).unwrap_or(u64::MAX),
    };
    let meanwhile = meanwhile(local_slots > 0);
    let teller = ConnectionTeller { say: Arc::clone(&say), meanwhile };
    let client = options.access.connect(BrokerRole::Coordinator, &format!("gothello-arena {run}"), teller).await?;
    let manifest_text = serde_json::to_vec(&manifest).unwrap_or_default();
    let (jobs, asked) = mpsc::unbounded_channel();
    let (back_sender, back) = mpsc::unbounded_channel();
    let (room_sender, room) = watch::channel(Room::default());
    let (saved_sender, saved) = mpsc::unbounded_channel();
    let mut office = Office {
        client,
        notice: RunNotice::of(run, &manifest_text),
        manifest_text,
        timeout: options.timeout,
        manifest,
        field,
        desk: Desk::new(DeskContext {
            arena: Arc::clone(arena),
            ledger,
            verify,
            back: back_sender,
            plays_here: local_slots > 0,
        }),
        queues: arena.queues.clone(),
        asked,
        saved,
        room: room_sender,
        attendees: Attendees::new(arena.tournament.players.iter().map(|player| player.name.as_str())),
        gone: Vec::new(),
        doubted: BTreeSet::new(),
        meanwhile,
        say,
    };
    office.tell_desk();
    office.leave_out(unsendable);
    office.set_up_first().await?;
    let task = tokio::spawn(office.run());
    let elsewhere = Elsewhere { local_slots, room, jobs, back };
    Ok(Sharing { elsewhere, keeper: Box::new(AnswerKeeper(Some(saved_sender))), task })
}

/// What happens while the broker is unavailable.
const fn meanwhile(plays_here: bool) -> &'static str {
    if plays_here {
        "games continue here, and with workers once the broker is back"
    } else {
        "games continue with workers once the broker is back (--slots 0)"
    }
}

/// The run's name at the broker. It is always the same for the same definition in the same directory of the same
/// machine. For a ladder, this is the definition with which the ladder began, because each version changes the
/// definition.
fn run_name(ledger: &Ledger, dir: &Path, site: Option<&str>) -> String {
    let digest = match ledger.ladder() {
        Some(_) => ledger.seal().digest().to_owned(),
        None => ledger.definition.digest(),
    };
    let text = format!("{digest} {} {}", resolved(dir).display(), site.unwrap_or_default());
    hex(&Sha256::digest(text.as_bytes()))[..16].to_owned()
}

/// The text of the tournament file for workers, without the tokens of remote players.
fn text_for_workers(text: &str) -> String {
    // The file has been parsed before.
    let Ok(mut table) = text.parse::<toml::Table>() else { return text.to_owned() };
    if let Some(toml::Value::Array(players)) = table.get_mut("player") {
        for (number, player) in players.iter_mut().enumerate() {
            if let Some(token) = player.get_mut("token") {
                *token = toml::Value::String(format!("a token hidden from workers, {number}"));
            }
        }
    }
    toml::to_string(&table).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;

    use super::*;
    use crate::run::journal::{AcceptedEntry, FORMAT, Header, JournalEntry, PlayerEntry};
    use crate::tournament::Tournament;
    use crate::tournament::definition::{Definition, PlayerDefinition};

    #[test]
    fn a_ladder_keeps_its_name_at_the_broker_when_a_version_arrives() {
        let text = "format = \"ladder\"\n[[player]]\nname = \"a\"\nbuiltin = \"random\"\n\
            [[player]]\nname = \"b\"\nfolder = \"b\"\n";
        let begun = |text: &str| {
            let tournament = Tournament::parse(text, "test").unwrap_or_else(|problems| panic!("{problems}"));
            let definition = Definition::from(&tournament);
            let digest = definition.digest();
            let header =
                Header { format: FORMAT, program: String::new(), digest, definition, players: Vec::new(), shard: None };
            Ledger::new(header).unwrap_or_else(|error| panic!("{error}"))
        };
        let mut ledger = begun(text);
        let name = |ledger: &Ledger| run_name(ledger, Path::new("/results"), Some("here"));
        let before = name(&ledger);
        let (name_of, digest) = ("b.1".to_owned(), None);
        let player = PlayerEntry { name: name_of.clone(), digest, files: BTreeMap::new(), products: None };
        let definition = PlayerDefinition { name: name_of, facts: BTreeMap::new() };
        let at = Timestamp::UNIX_EPOCH;
        let accepted = AcceptedEntry { player, definition, version: None, program: None, at };
        ledger.take(JournalEntry::Version(Box::new(accepted))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(name(&ledger), before);
        assert_ne!(name(&begun(&format!("seed = 2\n{text}"))), before);
    }
}
