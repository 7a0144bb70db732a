//! The interface through which players and games are added to a run while the run is played.
//!
//! A ladder is the only format with such additions. The run does not depend on how the additions are chosen: `ladder`
//! decides on them. Every decision is first written as a line of the journal: the decision is sent to the collector as
//! [`Event::Enter`], comes back as [`Event::Entered`] once the line is on disk, and only then leads to an [`Addition`].
//!
//! [`Event::Enter`]: crate::run::event::Event::Enter
//! [`Event::Entered`]: crate::run::event::Event::Entered

use std::error::Error as StdError;
use std::fmt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;

use crate::base::exit::Exit;
use crate::base::stop::StopSignal;
use crate::run::addition::Addition;
use crate::run::elsewhere::RunSlots;
use crate::run::entrants::DirNews;
use crate::run::event::Event;
use crate::run::journal::Ledger;
use crate::run::listener::Listener;
use crate::run::play::Arena;

/// Why a field cannot grow.
#[derive(Debug)]
pub struct NoGrowth {
    /// How a command ends that cannot grow its field.
    pub exit: Exit,
    /// The reason.
    pub source: Box<dyn StdError + Send + Sync>,
}

/// Adds players and games to a run.
pub trait GrowingField: fmt::Debug + Send + Sync {
    /// Starts adding players and games, and continues in the background.
    ///
    /// # Errors
    /// Fails if nothing can be added, for example because an address is in use.
    fn grow<'a>(&'a self, context: GrowthContext<'a>) -> Pin<Box<dyn Future<Output = Result<Growth, NoGrowth>> + 'a>>;
}

/// The context in which a field starts to grow.
pub struct GrowthContext<'a> {
    /// The players so far.
    pub arena: &'a Arc<Arena>,
    /// The state of the journal.
    pub ledger: &'a Ledger,
    /// The directory of the tournament file.
    pub base: &'a Path,
    /// The results directory.
    pub dir: &'a Path,
    /// How many games are played at a time.
    pub slots: RunSlots,
    /// The channel to the collector.
    pub events: UnboundedSender<Event>,
    /// A function that receives news about the players' directories for the user.
    pub tell: Arc<dyn Fn(DirNews) + Send + Sync>,
    /// Raised when the run ends.
    pub stop: StopSignal,
}

/// The parts of a field that grows.
pub struct Growth {
    /// The channel that delivers additions. The run ends once this channel is closed and all games have been played.
    pub additions: UnboundedReceiver<Addition>,
    /// The listener that receives everything that has been written to the journal.
    pub follower: Box<dyn Listener>,
    /// The background task.
    pub task: JoinHandle<()>,
}
