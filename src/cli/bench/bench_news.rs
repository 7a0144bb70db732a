//! The output of the bench while it works: verdicts and results on stdout, everything else on stderr.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::console;
use crate::base::exit::{CommandError as _, with_causes};
use crate::base::sanitise::sanitised;
use crate::base::units::counted;
use crate::bench::bench_report::{ListedVersion, games_words, list_json, result_words};
use crate::bench::round::{Bench, BenchEars, BenchNews};
use crate::bench::version::{BenchVersion, BenchedState};
use crate::cli::colour::style_for;
use crate::cli::progress::{self, Progress};
use crate::cli::{Failure, note, telling, warn};
use crate::drill::readiness::Readiness;
use crate::drill::report::{ReadinessFormat, readiness as render};
use crate::run::campaign::{Tell, Warning};
use crate::run::listener::Listener;
use crate::run::reporter::{Reporter, Verbosity};

/// Reports to the user what happens on the bench.
pub(super) struct BenchTeller<'b> {
    bench: &'b Bench,
    /// Whether each round ends with a JSON object instead of text.
    json: bool,
    verbosity: Verbosity,
    progress: RefCell<Progress>,
    /// The version of the current round.
    current: RefCell<Option<String>>,
    /// The flaws of the sources that have been reported.
    flaws: RefCell<BTreeSet<String>>,
}

impl<'b> BenchTeller<'b> {
    /// A teller for `bench`.
    pub(super) fn new(bench: &'b Bench, json: bool) -> Result<Self, Failure> {
        let verbosity = progress::verbosity(None)?;
        let progress = RefCell::new(Progress::new());
        Ok(Self { bench, json, verbosity, progress, current: RefCell::default(), flaws: RefCell::default() })
    }

    /// Calls `work` with callbacks that report to this teller.
    pub(super) async fn with_ears<T>(&self, work: impl AsyncFnOnce(BenchEars<'_>) -> T) -> T {
        let news = |news: BenchNews<'_>| self.tell(news);
        let verbosity = self.verbosity;
        let listener = || -> Box<dyn Listener> { Box::new(Reporter::new(verbosity).without_test()) };
        work(BenchEars { news: &news, listener: &listener, tell: tell_once() }).await
    }

    fn tell(&self, news: BenchNews<'_>) {
        if let BenchNews::Checking { done, of } = news {
            let doing = format!("checking version {}", self.current.borrow().as_deref().unwrap_or_default());
            let mut progress = self.progress.borrow_mut();
            if done == 0 {
                // The time that the build took must not count towards the estimate for the checks.
                progress.begin_step();
            }
            progress.count(done as u64, of as u64, doing);
            return;
        }
        self.progress.borrow_mut().clear();
        match news {
            BenchNews::Checking { .. } => {}
            BenchNews::Flaw(flaw) => {
                if self.flaws.borrow_mut().insert(flaw.to_owned()) {
                    warn(sanitised(flaw));
                }
            }
            BenchNews::Begins(version) => {
                self.current.replace(Some(version.id.clone()));
                self.progress.borrow_mut().begin_step();
                note(format_args!("version {}: {}", version.id, counted(version.files as u64, "source file")));
            }
            BenchNews::Checked(version, readiness) => self.verdict(version, readiness),
            BenchNews::Spoiled(why) => {
                warn(format_args!(
                    "a problem with the machine prevented a verdict; the next save will trigger another attempt: {}",
                    sanitised(why)
                ));
            }
            BenchNews::Plays(version, opponent) => note(format_args!("version {} plays {opponent}", version.id)),
            BenchNews::Result(version, result) => {
                self.line(&format!("{} against {}: {}", version.id, games_words(result), result_words(result)));
            }
            BenchNews::NoOpenings(version) => note(format_args!(
                "version {} cannot play games that begin with an opening, so its games begin from the initial position \
                 (docs/bot/bench.md)",
                version.id
            )),
            BenchNews::Cancels(id) => {
                note(format_args!("the sources have changed: version {id} is abandoned"));
                self.round_ends();
            }
            BenchNews::Ends => self.round_ends(),
            BenchNews::Untidy(error) => warn(with_causes(&error)),
            BenchNews::Unreadable(error) => {
                warn(format_args!("{}; the bench keeps watching", with_causes(&error)));
            }
            BenchNews::Waits => {
                self.round_ends();
                note("waiting for the next save");
            }
            BenchNews::Trouble(error) => {
                let hint = error.error_exit().hint;
                console::error(with_causes(&error), hint.as_deref());
                self.round_ends();
                note("waiting for the next save");
            }
        }
    }

    /// Reports the verdict on `version`: in one line if it is ready, and otherwise in the format of `check`.
    fn verdict(&self, version: &BenchVersion, readiness: Option<&Readiness>) {
        let Some(verdict) = &version.verdict else { return };
        match (verdict.state, readiness) {
            (BenchedState::Ready, _) => self.line(&format!("{}: ready", version.id)),
            (_, Some(readiness)) if !self.json => {
                // The bench continues even if the reader of stdout has gone away.
                let _ = console::data_with((), |out: &mut io::StdoutLock<'static>| {
                    let report = render(readiness, ReadinessFormat::Text, false, style_for(out));
                    out.write_all(report.as_bytes())
                });
            }
            (state, _) => {
                self.line(&format!("{}: {state}", version.id));
                verdict.trouble.iter().for_each(|trouble| self.line(&format!("  {}", sanitised(trouble))));
            }
        }
    }

    /// Prints a line for users on stdout, or on stderr if stdout is for programs.
    fn line(&self, line: &str) {
        if self.json {
            note(line);
        } else {
            let _ = console::data(format!("{line}\n"));
        }
    }

    /// Prints the JSON object of the round that has ended, if there was a round and stdout is for programs.
    pub(super) fn round_ends(&self) {
        let current = self.current.take();
        let store = &self.bench.store;
        if let Some(version) = current.filter(|_| self.json).and_then(|id| store.version(Some(&id)).ok()) {
            let results = store.results(&version.id, |error| warn(with_causes(&error)));
            let object = list_json(&[ListedVersion { version, results }], store.promoted().as_deref());
            let _ = console::data(object);
        }
    }
}

/// Returns a function that prints each warning once, since each run of a bench repeats the same warnings. The note that
/// bots are confined is never printed.
fn tell_once() -> Tell {
    let told = Mutex::new(BTreeSet::new());
    Arc::new(move |warning: Warning| {
        let is_new = told.lock().unwrap_or_else(PoisonError::into_inner).insert(warning.to_string());
        if is_new && (warning.is_urgent() || !matches!(warning, Warning::Confined { .. })) {
            telling::tell(warning);
        }
    })
}
