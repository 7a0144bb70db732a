//! The caches of the runs whose games are judged.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::cli::note;
use crate::referee::record::GameRecord;
use crate::run::analysis_cache::{AnalysisCache, KnownGame};

/// The caches of the runs whose games are judged. Their warnings go to stderr.
#[derive(Debug, Default)]
pub(super) struct Caches(BTreeMap<PathBuf, AnalysisCache>);

impl Caches {
    /// What the cache of `run` knows about the game of `record`.
    pub(super) fn find(&mut self, run: &Path, record: &GameRecord) -> Option<KnownGame> {
        self.told(run, |cache| cache.find(record))
    }

    /// Stores what is now known about the game of `record` in the cache of `run`.
    pub(super) fn keep(&mut self, run: &Path, record: &GameRecord, known: &KnownGame) {
        self.told(run, |cache| cache.keep(record, known));
    }

    /// Tidies all caches.
    pub(super) fn tidy(mut self) {
        for cache in self.0.values_mut() {
            cache.tidy();
            cache.take_warnings().iter().for_each(note);
        }
    }

    /// Does something with the cache of `run`, and prints its warnings.
    fn told<T>(&mut self, run: &Path, act: impl FnOnce(&mut AnalysisCache) -> T) -> T {
        let cache = self.0.entry(run.to_owned()).or_insert_with(|| AnalysisCache::open(run));
        let result = act(cache);
        cache.take_warnings().iter().for_each(note);
        result
    }
}
