//! One game with more than two seats as a page stores it.

use crate::game::Seat;
use crate::page::shown::aliases::Aliases;
use crate::page::shown::claims::ShownClaims;
use crate::page::shown::game_code::{GroupCode, Uncodable};
use crate::page::shown::shown_game::has_public_reason;
use crate::referee::record::GroupRecord;
use crate::referee::result::Termination;
use crate::referee::time_control::TimeControl;
use crate::results::standings::GroupSummary;

/// One game with more than two seats.
#[derive(Clone, Debug)]
pub struct ShownGroupGame {
    /// The summary that the standings need.
    pub summary: GroupSummary,
    /// The clocks that were used, if they are known.
    pub clocks: Option<TimeControl>,
    /// The moves and the times; empty if only the result is known.
    pub code: GroupCode,
    /// The seat of each ply.
    pub movers: Vec<Seat>,
    /// Why the game is void, if the page may show it.
    pub void: Option<String>,
    /// What the page says about each seat that dropped out.
    pub outs: Vec<DropOutText>,
    /// The players' claims, if the page may show them.
    pub claims: ShownClaims,
}

/// What the page says about a seat that dropped out of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DropOutText {
    /// The seat.
    pub seat: Seat,
    /// How it dropped out.
    pub termination: Termination,
    /// What happened, if the page may show it.
    pub reason: Option<String>,
    /// The end of the player's stderr, if the page may show it; otherwise empty.
    pub stderr: String,
}

impl ShownGroupGame {
    /// The game of `record`.
    ///
    /// # Errors
    /// Fails if a move of `record` cannot be replayed.
    pub fn of(record: &GroupRecord) -> Result<Self, Uncodable> {
        let outs = record.outs.iter().map(|out| DropOutText {
            seat: out.seat,
            termination: out.termination,
            reason: out.reason.clone(),
            stderr: String::new(),
        });
        Ok(Self {
            summary: GroupSummary::from(record),
            clocks: record.clocks(),
            code: GroupCode::of(record)?,
            movers: record.plies.iter().map(|ply| ply.seat).collect(),
            void: record.result.as_ref().err().map(|void| void.reason.clone()),
            outs: outs.collect(),
            claims: ShownClaims::of_group(record),
        })
    }

    /// The game of `summary`, if only its result is known.
    pub fn of_result(summary: GroupSummary) -> Self {
        let code = GroupCode::default();
        let claims = ShownClaims::default();
        Self { summary, clocks: None, code, movers: Vec::new(), void: None, outs: Vec::new(), claims }
    }

    /// Removes the moves and their times.
    pub fn forget_moves(&mut self) {
        self.code = GroupCode::default();
        self.movers.clear();
    }

    /// Removes information that only the author of the page should see.
    pub fn make_public(&mut self) {
        self.void = None;
        self.claims.make_public();
        for out in &mut self.outs {
            out.stderr.clear();
            out.reason = out.reason.take().filter(|_| has_public_reason(out.termination));
        }
    }

    /// Replaces names with aliases, even in an id that another program made from names.
    pub fn make_anonymous(&mut self, aliases: &Aliases) {
        self.summary.game = aliases.in_text(&self.summary.game);
        self.summary.players = self.summary.players.as_ref().map(|name| aliases.of(name).to_owned());
        self.void = self.void.as_deref().map(|reason| aliases.in_text(reason));
        for out in &mut self.outs {
            out.reason = out.reason.as_deref().map(|reason| aliases.in_text(reason));
            out.stderr = aliases.in_text(&out.stderr);
        }
    }
}
