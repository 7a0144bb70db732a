//! Watches the sources, and plays a round for each version that is saved.

use std::future::{Future, pending};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::bench_error::BenchError;
use super::decision::{Reaction, reaction};
use super::round::{Bench, BenchEars, BenchNews, RoundEnd};
use super::source_watch::{FailedLooks, SourceLook, SourceWatch};
use super::version::BenchVersion;
use crate::base::stop::{self, Stop, StopSender};
use crate::base::time::{now, sleep_until};
use crate::base::tree::Stamp;

/// How often to look at the sources.
const EVERY: Duration = Duration::from_millis(250);

/// A round that is being played.
struct RoundInPlay<'b> {
    /// Ends the round.
    stop: Arc<StopSender>,
    round: Pin<Box<dyn Future<Output = Result<RoundEnd, BenchError>> + 'b>>,
}

impl RoundInPlay<'_> {
    /// Ends the round immediately, and waits until everything that belongs to the round has ended.
    async fn cancel(self) {
        self.stop.raise(Stop::Now);
        // The outcome of the round no longer matters.
        let _ = self.round.await;
    }
}

/// Waits for the end of the round `playing`. If there is no round, waits forever.
async fn ended(playing: &mut Option<RoundInPlay<'_>>) -> Result<RoundEnd, BenchError> {
    match playing {
        Some(playing) => playing.round.as_mut().await,
        None => pending().await,
    }
}

/// What wakes the bench up.
enum Wake {
    Stop,
    Look,
    Ended(Result<RoundEnd, BenchError>),
}

impl Bench {
    /// The version with the current sources, which is added to the store if it is new.
    ///
    /// # Errors
    /// Fails if the sources cannot be read, or do not show how the bot is started.
    pub(crate) fn saved_version(
        &self,
        stamps: &[(PathBuf, Stamp)],
        ears: &BenchEars<'_>,
    ) -> Result<BenchVersion, BenchError> {
        let (recipe, flaws) = self.sources.recognised(stamps)?;
        for flaw in &flaws {
            (ears.news)(BenchNews::Flaw(flaw));
        }
        self.store.add(&self.sources, &recipe)
    }

    /// Plays one round with the current sources.
    ///
    /// # Errors
    /// Fails if no round can be played.
    pub(crate) async fn once(&self, ears: &BenchEars<'_>, stop: &StopSender) -> Result<RoundEnd, BenchError> {
        let version = self.saved_version(&self.sources.stamps()?, ears)?;
        self.store.tidy(&version.id, |error| (ears.news)(BenchNews::Untidy(error)));
        Box::pin(self.round(version, ears, stop)).await
    }

    /// Plays a round for each version that is saved, until `stop` is raised. A new version cancels the round that is
    /// being played. A round that fails is reported, and the bench waits for the next version.
    ///
    /// # Errors
    /// Fails if the sources cannot be read at the beginning.
    pub(crate) async fn watch(&self, ears: &BenchEars<'_>, stop: &StopSender) -> Result<(), BenchError> {
        let begun = now();
        let mut signal = stop.signal();
        let mut watch = SourceWatch::default();
        let mut failed = FailedLooks::default();
        // The version that is being played, or that was played to the end.
        let mut current: Option<String> = None;
        let mut has_looked = false;
        let mut playing: Option<RoundInPlay<'_>> = None;
        let mut due = begun;
        loop {
            let wake = tokio::select! {
                biased;
                () = signal.reached(Stop::Drain) => Wake::Stop,
                end = ended(&mut playing) => Wake::Ended(end),
                () = sleep_until(due) => Wake::Look,
            };
            match wake {
                Wake::Stop => {
                    if let Some(playing) = playing.take() {
                        playing.cancel().await;
                        (ears.news)(BenchNews::Ends);
                    }
                    return Ok(());
                }
                Wake::Ended(end) => {
                    playing = None;
                    // If another round may show something new, the next save begins one, even if it changes nothing.
                    current = current.filter(|_| end.as_ref().is_ok_and(RoundEnd::is_settled));
                    (ears.news)(end.map_or_else(BenchNews::Trouble, |_| BenchNews::Waits));
                }
                Wake::Look => {
                    let stamps = self.sources.stamps();
                    // Looking at many sources takes time, so the interval begins only now.
                    due = now() + EVERY;
                    let stamps = match stamps {
                        Ok(stamps) => stamps,
                        Err(error) if !has_looked => return Err(error),
                        Err(error) => {
                            if failed.failed(now() - begun) {
                                (ears.news)(BenchNews::Unreadable(error));
                            }
                            continue;
                        }
                    };
                    has_looked = true;
                    failed.succeeded();
                    if watch.look(now() - begun, stamps.clone()) != SourceLook::Saved {
                        continue;
                    }
                    let version = match self.saved_version(&stamps, ears) {
                        Ok(version) => version,
                        Err(error) => {
                            // The sources are no longer those of the version that is being played.
                            let id = current.take();
                            if let (Some(playing), Some(id)) = (playing.take(), id) {
                                playing.cancel().await;
                                (ears.news)(BenchNews::Cancels(&id));
                            }
                            (ears.news)(BenchNews::Trouble(error));
                            continue;
                        }
                    };
                    match reaction(&version.id, current.as_deref(), playing.is_some()) {
                        Reaction::GoOn => continue,
                        Reaction::Begin => {}
                        Reaction::Restart => {
                            if let Some(playing) = playing.take() {
                                playing.cancel().await;
                            }
                            (ears.news)(BenchNews::Cancels(current.as_deref().unwrap_or_default()));
                        }
                    }
                    // No version is playing now, so no version is deleted while it plays.
                    self.store.tidy(&version.id, |error| (ears.news)(BenchNews::Untidy(error)));
                    current = Some(version.id.clone());
                    playing = Some(self.begin(version, ears));
                }
            }
        }
    }

    /// Begins a round with `version`.
    fn begin<'b>(&'b self, version: BenchVersion, ears: &'b BenchEars<'_>) -> RoundInPlay<'b> {
        let (stop, _) = stop::channel();
        let stop = Arc::new(stop);
        let ends = Arc::clone(&stop);
        RoundInPlay { stop, round: Box::pin(async move { self.round(version, ears, &ends).await }) }
    }
}
