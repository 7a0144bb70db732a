//! The site of a page in memory, for the fuzz targets.

use std::rc::Rc;
use std::time::Duration;

use super::ShownRun;
use super::answer::{PageSite, StagePages};
use super::hub::Hub;
use super::state::{LiveState, ServingTerms};
use crate::page::http::{Access, FrameOrigin, HttpSite, SiteAnswers};
use crate::page::shown::PageKind;

/// The site of the page of `shown`, whose games have not begun. Nobody answers the questions of its readers. `None` if a
/// policy is not a valid header value.
pub(crate) fn site(shown: &ShownRun, access: Access) -> Option<impl HttpSite> {
    let mut state = LiveState::new(shown.premise(None), []);
    state.serve_under(ServingTerms { delay: Duration::ZERO, answers: true });
    let embedder: FrameOrigin = "https://example.org".parse().ok()?;
    Some(PageSite {
        answers: SiteAnswers::new(&PageKind::Live.policy(), access).ok()?,
        stages: Rc::new(StagePages::new(state.title(), &[embedder]).ok()?),
        hub: Hub::new(state),
        archive: Rc::new(|_: &str| None),
        tried: Some(Rc::default()),
    })
}
