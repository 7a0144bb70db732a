//! The answer to each request.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use hyper::body::{Body, Bytes};
use hyper::{Method, Request, Response, StatusCode};
use serde::Serialize;
use serde_json::json;

use super::admission::{Doorkeeper, NotAdmitted, PageVisitor};
use super::judge::Judge;
use super::losses::{ShownLoss, printable_lines, shown_loss};
use super::picture::{LadderPicture, PicturedPlayer, VersionWord};
use super::views::{guest_view, student_view, teacher_view};
use super::{Pictures, markup};
use crate::base::time::uptime;
use crate::ladder::places::report_file;
use crate::page::http::{Access, AnswerBody, HttpSite, PeerHost, SiteAnswers};
use crate::run::results_dir::read_at_most;
use crate::tournament::PlayerName;

/// How many reports about refused versions a student can read at a time: the latest ones.
const REPORTS: usize = 5;

/// The longest report that is shown, in bytes.
const MAX_REPORT: u64 = 64 * 1024;

/// Everything that is needed to answer requests.
#[derive(Clone)]
pub(super) struct LeaderboardSite {
    answers: SiteAnswers,
    page: Bytes,
    shared: Rc<SharedSite>,
}

/// The part of the site that all connections share.
struct SharedSite {
    doorkeeper: Doorkeeper,
    pictures: Pictures,
    /// Distinguishes this run's pictures from those of an earlier one.
    epoch: String,
    dir: PathBuf,
    /// The answer to guests, with the number of the picture from which it was made.
    guest: RefCell<Option<(u64, Bytes)>>,
    judge: RefCell<Judge>,
}

/// What a request may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Ladder,
    Reports,
    Lost,
}

impl HttpSite for LeaderboardSite {
    fn access(&self) -> &Access {
        self.answers.access()
    }

    async fn answer<B: Body<Data = Bytes> + Unpin>(&self, request: Request<B>) -> Response<AnswerBody> {
        let answers = &self.answers;
        if let Some(refusal) = answers.refused_host(&request) {
            return refusal;
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return answers.refused_method("GET, HEAD", "this page is read-only\n");
        }
        let wanted = match request.uri().path() {
            "/" => return answers.page(self.page.clone()),
            "/healthz" => return answers.text(StatusCode::OK, "ok\n"),
            "/ladder" => Wanted::Ladder,
            "/reports" => Wanted::Reports,
            "/lost" => Wanted::Lost,
            _ => return answers.text(StatusCode::NOT_FOUND, "there is nothing here\n"),
        };
        let peer = request.extensions().get::<PeerHost>().copied();
        match self.shared.doorkeeper.admit(request.headers(), peer).await {
            Ok(visitor) => self.told(wanted, &visitor, request.uri().query()),
            Err(NotAdmitted::WrongToken) => answers.text(StatusCode::UNAUTHORIZED, WRONG_TOKEN),
            Err(NotAdmitted::TooMany) => answers.text(StatusCode::TOO_MANY_REQUESTS, TOO_MANY),
        }
    }
}

const WRONG_TOKEN: &str =
    "this link is not valid, perhaps because a newer one has replaced it: ask your teacher for a new one\n";

const TOO_MANY: &str = "too many wrong links were tried: wait a moment\n";

impl LeaderboardSite {
    /// The site of the ladder in `pictures`, whose results are in `dir`.
    pub(super) fn new(
        answers: SiteAnswers,
        doorkeeper: Doorkeeper,
        pictures: Pictures,
        (dir, judge): (PathBuf, Judge),
    ) -> Self {
        let epoch = format!("{:x}", uptime().as_micros());
        let shared =
            SharedSite { doorkeeper, pictures, epoch, dir, guest: RefCell::default(), judge: RefCell::new(judge) };
        Self { answers, page: markup::page().into(), shared: Rc::new(shared) }
    }

    /// The answer to `visitor`.
    fn told(&self, wanted: Wanted, visitor: &PageVisitor, query: Option<&str>) -> Response<AnswerBody> {
        let (answers, shared) = (&self.answers, &self.shared);
        let picture = shared.pictures.borrow().clone();
        let Some(picture) = picture else { return answers.json(as_json(&json!({ "format": 1, "seq": null }))) };
        match (wanted, visitor) {
            (Wanted::Ladder, _) => answers.json(shared.ladder(&picture, visitor, query)),
            (Wanted::Reports, PageVisitor::Student(name)) => answers.json(shared.reports(&picture, name)),
            (Wanted::Lost, PageVisitor::Student(name)) => answers.json(shared.lost(&picture, name)),
            (Wanted::Reports | Wanted::Lost, PageVisitor::Guest | PageVisitor::Teacher) => {
                answers.text(StatusCode::FORBIDDEN, "only players can see this, each with a personal link\n")
            }
        }
    }
}

impl SharedSite {
    /// The ladder as `visitor` sees it, unless the `query` says that the visitor already has this picture.
    fn ladder(&self, picture: &LadderPicture, visitor: &PageVisitor, query: Option<&str>) -> Bytes {
        let seq = format!("{}-{}", self.epoch, picture.seq);
        if query.and_then(|query| query.strip_prefix("after=")) == Some(seq.as_str()) {
            return as_json(&json!({ "format": 1, "seq": seq }));
        }
        match visitor {
            PageVisitor::Guest => {
                let mut kept = self.guest.borrow_mut();
                if let Some((_, text)) = kept.as_ref().filter(|(of, _)| *of == picture.seq) {
                    return text.clone();
                }
                let text = as_json(&guest_view(picture, seq));
                *kept = Some((picture.seq, text.clone()));
                text
            }
            PageVisitor::Student(name) => as_json(&student_view(picture, seq, name.as_str())),
            PageVisitor::Teacher => as_json(&teacher_view(picture, seq)),
        }
    }

    /// The reports about the latest versions of `name` that were refused, latest first.
    fn reports(&self, picture: &LadderPicture, name: &PlayerName) -> Bytes {
        let versions = player(picture, name).map_or(&[][..], |player| player.versions.as_slice());
        let refused = versions.iter().rev().filter(|version| version.state == VersionWord::Refused);
        let report = |version: &super::picture::PicturedVersion| {
            let bytes = read_at_most(&report_file(&self.dir, &version.name), MAX_REPORT).ok()?;
            Some(json!({ "version": version.name, "text": printable_lines(&bytes) }))
        };
        let reports: Vec<_> = refused.take(REPORTS).filter_map(report).collect();
        as_json(&json!({ "format": 1, "reports": reports }))
    }

    /// The latest games that `name` lost. Games that have not been judged are judged from now on.
    fn lost(&self, picture: &LadderPicture, name: &PlayerName) -> Bytes {
        let mut judge = self.judge.borrow_mut();
        let lost = player(picture, name).map_or(&[][..], |player| player.lost.as_slice());
        let games: Vec<ShownLoss> =
            lost.iter().filter_map(|loss| shown_loss(picture, loss, &self.dir, &mut judge)).collect();
        let is_pending = judge.is_working() && games.iter().any(|game| game.judgement.is_none());
        as_json(&json!({ "format": 1, "pending": is_pending, "judges": judge.can_judge(), "games": games }))
    }
}

fn player<'p>(picture: &'p LadderPicture, name: &PlayerName) -> Option<&'p PicturedPlayer> {
    picture.players.iter().find(|player| player.name == name.as_str())
}

fn as_json(value: &impl Serialize) -> Bytes {
    // All values here have string keys and finite numbers, so they can be written as JSON.
    serde_json::to_vec(value).unwrap_or_default().into()
}

/// A picture that the keeper and the page share; `None` until there is one.
pub(super) type SharedPicture = Option<Arc<LadderPicture>>;
