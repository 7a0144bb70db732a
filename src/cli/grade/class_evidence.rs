//! Gathers the evidence of a class and shows the progress, until the evidence is complete or a signal arrives.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, anyhow};

use crate::base::console::{clear_status, has_terminal, say};
use crate::base::sanitise::{Shown as _, sanitised};
use crate::base::stop::Stop;
use crate::base::time::{Instant, sleep_until};
use crate::cli::progress::Progress;
use crate::cli::{Failure, interrupt, telling, warn};
use crate::course::evidence::{ClassPlan, Ears, GradingNews, SpoiledThing, gather as gather_evidence};
use crate::course::grades::StudentEvidence;
use crate::run::campaign::Warning;
use crate::run::excused::Excused;

/// The topics of all warnings so far. Each topic is reported only once, because each of the many runs of games repeats
/// the same warnings about the machine.
static TOLD: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The evidence of all students; `None` once `until` has passed.
///
/// # Errors
/// After a signal, the failure has the exit code for that signal.
pub(super) fn gather(class: &ClassPlan, until: Option<Instant>) -> Result<Option<Vec<StudentEvidence>>, Failure> {
    fs::create_dir_all(&class.dir)
        .with_context(|| format!("--out: cannot create `{}`", class.dir.shown()))
        .map_err(Failure::usage)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("cannot start the async runtime")?;
    runtime.block_on(async {
        let interrupt = interrupt::watch()?;
        let progress = RefCell::new(Progress::new());
        let excused = RefCell::new(Excused::default());
        let news = |news: GradingNews<'_>| match news {
            GradingNews::Void { player, what, reason, again } => {
                excused.borrow_mut().add(&spoilable(player, what), reason);
                if !again {
                    progress.borrow_mut().clear();
                    warn(format_args!("`{player}`: {what} is void: {}", sanitised(reason)));
                }
            }
            GradingNews::Done { player, what } => excused.borrow_mut().make_good(&spoilable(player, what)),
            news => progress.borrow_mut().tell(format_args!("{}{}", which_student(class, &news), line(&news))),
        };
        let tell = move |warning: Warning| {
            let is_news = TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(warning.topic());
            if is_news && is_about_the_class(&warning) {
                telling::tell(warning);
            }
        };
        let ears = Ears { news: &news, tell: Arc::new(tell) };
        let mut gathering = pin!(gather_evidence(class, &ears, interrupt.flag()));
        let gathered = match until {
            None => gathering.await,
            Some(until) => tokio::select! {
                gathered = &mut gathering => gathered,
                () = sleep_until(until) => {
                    // Games in progress must be ended by the code that started them.
                    interrupt.flag().raise(Stop::Now);
                    gathering.await
                }
            },
        };
        progress.borrow_mut().clear();
        if has_terminal() {
            clear_status();
        }
        excused.borrow().lines().iter().for_each(say);
        match gathered? {
            Some(evidence) => Ok(Some(evidence)),
            None if until.is_some() && interrupt.which().is_none() => Ok(None),
            None => {
                let kept = anyhow!("the games played so far are kept; run the same command again to continue");
                Err(Failure::of(interrupt.exit(), kept))
            }
        }
    })
}

/// Whether `warning` is about the class. The other warnings are about the beginning, the end or the lateness of each of
/// the many runs.
fn is_about_the_class(warning: &Warning) -> bool {
    warning.is_urgent()
        || matches!(warning, Warning::Confined { .. } | Warning::SharedCores { .. } | Warning::NoCores(_))
}

/// The name under which `what`, which the machine may spoil, is listed for `player`.
fn spoilable(player: &str, what: SpoiledThing<'_>) -> String {
    format!("`{player}`: {what}")
}

/// `student 4 of 25: ` for the student that `news` are about; empty in a class of one.
fn which_student(class: &ClassPlan, news: &GradingNews<'_>) -> String {
    let (GradingNews::Drilling { player, .. }
    | GradingNews::Building { player }
    | GradingNews::Void { player, .. }
    | GradingNews::Done { player, .. }
    | GradingNews::Playing { player, .. }) = news;
    let all = class.students.len();
    let at = class.students.iter().position(|student| student.name.as_str() == *player);
    at.filter(|_| all > 1).map(|at| format!("student {} of {all}: ", at + 1)).unwrap_or_default()
}

/// A line about the current activity.
fn line(news: &GradingNews<'_>) -> String {
    match news {
        GradingNews::Drilling { player, scenario, side } => format!("check {player}: {} as {side}", scenario.id),
        GradingNews::Building { player } => format!("building {player}"),
        GradingNews::Playing { player, baseline, games, ended } => {
            format!("{player} against {baseline}: {ended} of {games} games")
        }
        GradingNews::Void { player, what, .. } | GradingNews::Done { player, what } => format!("{player}: {what}"),
    }
}
