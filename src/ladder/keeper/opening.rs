//! The initial state of a ladder that is being played.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as StdError;
use std::sync::Arc;

use tokio::sync::mpsc::{self, UnboundedReceiver};

use super::door_plan::doors_plan;
use super::ending::ClosedDoors;
use super::field::PreparedPlayers;
use super::follower::LadderFollower;
use super::naps::Naps;
use super::requests::TeacherRequests;
use super::reread::TournamentFileWatch;
use super::showing::Showing;
use super::spoiled::SpoiledGames;
use super::{Keeping, LadderKeeper, LadderNews};
use crate::ladder::checking::CheckSite;
use crate::ladder::doors::{DoorNews, DoorPlaces, Doors, SubmitAddress};
use crate::ladder::places::{inbox, token_store};
use crate::ladder::queue::WaitingQueue;
use crate::ladder::state::LadderState;
use crate::run::addition::Addition;
use crate::run::growth::GrowthContext;

/// The maximum number of deliveries from the doors that may wait; further ones stay in the inbox.
const MOST_NEWS: usize = 64;

impl Keeping {
    /// Opens the doors of the ladder in `context`.
    pub(super) fn open(
        keeper: &LadderKeeper,
        context: GrowthContext<'_>,
    ) -> Result<(Self, UnboundedReceiver<Addition>, LadderFollower), Box<dyn StdError + Send + Sync>> {
        let cage = context.arena.confinement.as_ref().map(|confinement| Arc::new(confinement.cage.clone()));
        let (news_sender, news) = mpsc::channel(MOST_NEWS);
        let (mut keeping, additions, follower) = Self::new(keeper, context, news)?;
        let Self { ladder, site, state, .. } = &keeping;
        let submit =
            ladder.terms.submit.map(|address| SubmitAddress::new(address, keeper.is_submit_public)).transpose()?;
        let places = DoorPlaces { inbox: inbox(&site.dir), tokens: token_store(&site.dir), cage, submit };
        let plan = doors_plan(ladder, keeping.end_of_hand_ins(), state.history(), &site.base)?;
        let doors = Doors::open(plan, places, news_sender)?;
        if let Some(url) = doors.submit_url() {
            (keeper.tell)(LadderNews::Note(format!(
                "players submit to {url}NAME, over plain HTTP: put a reverse proxy with TLS in front of it"
            )));
        }
        keeping.doors = Some(doors);
        keeping.sweep_inbox();
        Ok((keeping, additions, follower))
    }

    /// The ladder in `context`. Its doors, which are not open yet, will send `news`.
    pub(super) fn new(
        keeper: &LadderKeeper,
        context: GrowthContext<'_>,
        news: mpsc::Receiver<DoorNews>,
    ) -> Result<(Self, UnboundedReceiver<Addition>, LadderFollower), Box<dyn StdError + Send + Sync>> {
        let GrowthContext { arena, ledger, base, dir, slots, events, tell, stop } = context;
        let tournament = Arc::clone(&arena.tournament);
        let (Some(ladder), Some((history, tally))) = (tournament.ladder.clone(), ledger.ladder_so_far()) else {
            return Err("the tournament is not a ladder".into());
        };
        let state = LadderState::new(history, tally, tournament.seed);
        let showing = Showing::new(keeper.pictures.clone());
        let site = CheckSite {
            tournament: Arc::clone(&tournament),
            base: base.to_owned(),
            dir: std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned()),
            confinement: arena.confinement.clone(),
            events: events.clone(),
            tell,
        };
        let (additions, added) = mpsc::unbounded_channel();
        let (follower, happened) = LadderFollower::new();
        let mut keeping = Self {
            state,
            players: PreparedPlayers::of(arena),
            tournament,
            file_players: keeper.players.clone(),
            ladder,
            site,
            slots,
            events,
            additions,
            happened,
            doors: None,
            news,
            closed: ClosedDoors::new(),
            watch: keeper.file.as_deref().map(TournamentFileWatch::new),
            tell: Arc::clone(&keeper.tell),
            stop,
            queue: WaitingQueue::default(),
            check: None,
            waking: None,
            joining: None,
            sent: BTreeMap::new(),
            is_deciding: false,
            is_freezing: false,
            freeze: None,
            requests: TeacherRequests::default(),
            spoiled: SpoiledGames::default(),
            naps: Naps::default(),
            unable: BTreeMap::new(),
            changing: BTreeSet::new(),
            may_have_left: true,
            playing: BTreeSet::new(),
            showing,
        };
        keeping.give_up_who_is_unknown();
        Ok((keeping, added, follower))
    }
}
