//! The game that all clients share, and the requests that they can make.

use std::cell::{Cell, RefCell};
use std::io;

use serde::{Deserialize, Serialize};
use tokio::sync::{Notify, watch};

use super::board_told::{BoardTold, TableNumbers, fields_after};
use crate::base::time::{Instant, now, timeout_at};
use crate::base::units::counted;
use crate::practice::guided::{ChosenField, GuidedGame};
use crate::practice::session::Session;

/// The refusal of a request that was made for an earlier position.
const OUTDATED: &str = "the board has changed in the meantime";

/// The kind of a client's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TableAsk {
    /// To play on a field, or to use it to begin or continue a move that names several fields.
    Field,
    /// To play a move.
    Move,
    /// To take back the last move and the answer to it.
    Undo,
    /// To show hints, or to hide them.
    Hint,
    /// To show what the last move gave away, or to hide it.
    Why,
    /// To resign.
    Resign,
    /// To leave the game, which ends the program.
    Leave,
}

/// A request of a client.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableAct {
    ask: TableAsk,
    /// The name of the field, or the text of the move.
    #[serde(default)]
    text: String,
    /// The fields of the move so far.
    #[serde(default)]
    begun: String,
    /// The number of the position that the client shows.
    turn: u64,
}

/// The answer to a request.
#[derive(Debug, Default, Serialize)]
struct ActTold {
    /// The message to the client about its request.
    told: String,
    /// The text of the fields chosen so far, if the move needs another field.
    begun: String,
    /// The fields that can come next in this move.
    next: Vec<usize>,
}

/// An answer together with the board after it.
#[derive(Serialize)]
struct ActAnswer<'a> {
    #[serde(flatten)]
    told: ActTold,
    board: BoardTold<'a>,
}

/// A game with the numbers by which clients identify its states.
#[derive(Debug)]
struct TableState {
    game: GuidedGame,
    numbers: TableNumbers,
    /// Why the referee of a distant opponent refused a move in this turn; empty if it did not.
    refused: String,
}

impl TableState {
    fn told(&self) -> BoardTold<'_> {
        BoardTold::of(&self.game, self.numbers, &self.refused)
    }
}

/// The game that all clients share. It is used on a single thread.
#[derive(Debug)]
pub(super) struct SharedTable {
    state: RefCell<TableState>,
    last_used: Cell<Instant>,
    uses: Notify,
    changes: watch::Sender<u64>,
}

impl SharedTable {
    pub(super) fn new(game: GuidedGame) -> Self {
        Self {
            state: RefCell::new(TableState {
                game,
                numbers: TableNumbers { seq: 1, turn: 1, left: false },
                refused: String::new(),
            }),
            last_used: Cell::new(now()),
            uses: Notify::new(),
            changes: watch::Sender::new(1),
        }
    }

    /// The game up to its latest move.
    pub(super) fn session(&self) -> Session {
        self.state.borrow().game.session().clone()
    }

    /// When the board was last used.
    pub(super) fn last_used(&self) -> Instant {
        self.last_used.get()
    }

    /// Waits until the board is used.
    pub(super) async fn used(&self) {
        self.uses.notified().await;
    }

    /// Records that the board is used now.
    pub(super) fn use_now(&self) {
        self.last_used.set(now());
        self.uses.notify_one();
    }

    /// Whether the game has been left.
    pub(super) fn is_left(&self) -> bool {
        self.state.borrow().numbers.left
    }

    /// Leaves the game.
    pub(super) fn leave(&self) {
        self.change(|state| state.numbers.left = true);
    }

    /// Processes the answers of the opponent and of the solver. Returns whether there may be more.
    ///
    /// # Errors
    /// Fails if the opponent is gone.
    pub(super) fn collect(&self) -> io::Result<bool> {
        let mut state = self.state.borrow_mut();
        let progress = |game: &GuidedGame| (game.session().plies().len(), game.session().end().is_some());
        let before = progress(&state.game);
        let has_news = state.game.collect()?;
        let has_moved = progress(&state.game) != before;
        let refusal = state.game.take_refusal();
        let is_busy = state.game.is_busy();
        drop(state);
        if has_news || refusal.is_some() {
            self.change(|state| {
                state.numbers.turn += u64::from(has_moved || refusal.is_some());
                if has_moved || refusal.is_some() {
                    state.refused = refusal.unwrap_or_default();
                }
            });
        }
        if has_moved {
            self.last_used.set(now());
        }
        Ok(is_busy)
    }

    /// Changes what clients can see, and notifies them.
    fn change(&self, change: impl FnOnce(&mut TableState)) {
        let mut state = self.state.borrow_mut();
        change(&mut state);
        state.numbers.seq += 1;
        self.changes.send_replace(state.numbers.seq);
    }

    /// Waits until there is a newer board than the one with the number `seq`, or until `deadline`.
    pub(super) async fn newer_than(&self, seq: u64, deadline: Instant) {
        let mut changes = self.changes.subscribe();
        // A number that no board has had yet must be from another game.
        let newer = changes.wait_for(|now| *now != seq);
        let _ = timeout_at(deadline, newer).await;
    }

    /// The game as JSON.
    pub(super) fn told(&self) -> String {
        json(&self.state.borrow().told())
    }

    /// Carries out a client's request, and returns the answer as JSON.
    pub(super) fn act(&self, act: &TableAct) -> String {
        self.use_now();
        let told = self.obey(act);
        json(&ActAnswer { told, board: self.state.borrow().told() })
    }

    fn obey(&self, act: &TableAct) -> ActTold {
        let is_outdated = act.turn != self.state.borrow().numbers.turn;
        if is_outdated && !matches!(act.ask, TableAsk::Hint | TableAsk::Why | TableAsk::Leave) {
            return said(OUTDATED);
        }
        match act.ask {
            TableAsk::Field => self.choose_field(act),
            TableAsk::Move => self.moved(|game| game.play(&act.text.trim().to_lowercase()).map(|_| String::new())),
            TableAsk::Undo => self.moved(|game| {
                let plies = u32::try_from(game.take_back()?).unwrap_or(u32::MAX);
                Ok(format!("took back {}", counted(plies, "move")))
            }),
            TableAsk::Resign => self.moved(|game| game.resign().map(|()| String::new()).map_err(str::to_owned)),
            TableAsk::Hint => {
                self.change(|state| state.game.toggle_hints());
                ActTold::default()
            }
            TableAsk::Why => {
                let mut asked = Ok(());
                self.change(|state| asked = state.game.explain());
                asked.map_or_else(said, |()| ActTold::default())
            }
            TableAsk::Leave => {
                self.leave();
                ActTold::default()
            }
        }
    }

    fn choose_field(&self, act: &TableAct) -> ActTold {
        let chosen = self.state.borrow_mut().game.choose_field(&act.text, &act.begun);
        match chosen {
            ChosenField::Played(_) => {
                self.change(|state| state.numbers.turn += 1);
                ActTold::default()
            }
            ChosenField::Refused(why) => said(&why),
            ChosenField::Begun(begun) => {
                let next = fields_after(self.state.borrow().game.session(), &begun);
                ActTold { told: String::new(), begun, next }
            }
        }
    }

    /// Tries to change the position, and reports the outcome.
    fn moved(&self, change: impl FnOnce(&mut GuidedGame) -> Result<String, String>) -> ActTold {
        let result = change(&mut self.state.borrow_mut().game);
        match result {
            Ok(told) => {
                self.change(|state| state.numbers.turn += 1);
                said(&told)
            }
            Err(why) => said(&why),
        }
    }
}

fn said(text: &str) -> ActTold {
    ActTold { told: text.to_owned(), ..ActTold::default() }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("these values can always be written as JSON")
}
