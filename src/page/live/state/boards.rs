//! The games that are being played, each with its board.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::lead::leader;

use crate::exact::margin_table::known::KnownMargins;
use crate::exact::solvable;
use crate::game::{BySeat, Move, Outcome, Position, Ruleset, Seat};
use crate::page::shown::PageClocks;
use crate::page::shown::layers::{Layers, PageMode, mode_at, page_modes};
use crate::referee::clock::Meter;
use crate::referee::result::Termination;
use crate::referee::thought::Thought;
use crate::referee::time_control::TimeControl;

/// The rules that determine how games begin and how their clocks run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RulesAndClocks {
    /// The rules of all games.
    pub ruleset: Ruleset,
    /// The clocks of all games.
    pub clocks: TimeControl,
    /// The kind of time that the clocks measure.
    pub meter: Meter,
}

impl RulesAndClocks {
    /// The clocks as the page shows them.
    pub(super) fn shown_clocks(&self) -> PageClocks {
        PageClocks::of(Some(self.clocks))
    }
}

/// A game on the page, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct BoardObject {
    slot: usize,
    id: String,
    #[serde(flatten)]
    players: BoardPlayers,
    board: String,
    ply: usize,
    to: Option<SeatOnMove>,
    left: BySeat<Option<String>>,
    spent: BySeat<u64>,
    last: Option<String>,
    run: bool,
    behind: bool,
    leads: u32,
    calm: bool,
    /// The field on which the last stone was placed, and the number of the mode, on boards that are not the 5x5 board.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<[Option<usize>; 2]>,
    /// The number of stones that each seat may still place, in games with more than two seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    stones: Option<BySeat<Option<u16>>>,
    /// The seats that have dropped out, in chronological order, in games with more than two seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    outs: Option<Vec<OutObject>>,
    /// Each player's latest claim, if there are any claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    say: Option<BySeat<Option<String>>>,
    /// The opening as text, if the game began with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    opening: Option<Arc<str>>,
}

/// The numbers of the players of a game: `black` and `white` with two seats, and `players` with more, seat 1 first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum BoardPlayers {
    Two { black: usize, white: usize },
    Group { players: BySeat<usize> },
}

impl From<&BySeat<usize>> for BoardPlayers {
    fn from(players: &BySeat<usize>) -> Self {
        match players.clone().by_side() {
            Ok(pair) => Self::Two { black: pair.black, white: pair.white },
            Err(players) => Self::Group { players },
        }
    }
}

/// The seat whose turn it is: `"b"` or `"w"` with two seats, and its number with more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SeatOnMove {
    seat: Seat,
    seats: u8,
}

impl Serialize for SeatOnMove {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.seats {
            ..=2 => serializer.serialize_char(self.seat.letter(self.seats)),
            _ => self.seat.serialize(serializer),
        }
    }
}

/// A seat that has dropped out, as JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct OutObject {
    seat: Seat,
    /// The number of plies made before the seat dropped out.
    ply: usize,
    /// The reason: a resignation or a forfeit.
    why: &'static str,
}

/// The news that a seat has dropped out of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DropOutNews {
    /// The seat.
    pub seat: Seat,
    /// The number of plies made before the seat dropped out; `None` if unknown.
    pub after_plies: Option<usize>,
    /// The reason: a resignation or a forfeit.
    pub why: Termination,
}

/// A game that is being played.
#[derive(Debug)]
pub(crate) struct OngoingGame {
    slot: usize,
    /// The id that the page shows.
    shown_id: String,
    players: BySeat<usize>,
    position: Box<dyn Position>,
    /// The number of plies that the board shows.
    plies: usize,
    last: Option<Move>,
    /// The field on which the last stone was placed.
    placed: Option<usize>,
    /// The number of the mode.
    mode: usize,
    /// The time that each seat may use for its next turn.
    left: BySeat<Option<Duration>>,
    outs: Vec<OutObject>,
    /// The latest claim of each player.
    claims: BySeat<Option<String>>,
    opening: Option<Arc<str>>,
    /// When the game and its current turn began.
    begun: Duration,
    turn_begun: Duration,
    /// Whether a move is missing, in which case the board stays as it is.
    is_behind: bool,
    ahead: Option<Seat>,
    leads: u32,
    /// When the plies of the last minute were made; no more of them are kept than are needed to decide that a game is
    /// not calm.
    recent: VecDeque<Duration>,
    is_changed: bool,
}

/// A game is calm, and worth showing while it is played, if people can follow it: it has lasted for [`CALM_AFTER`], and
/// has had fewer plies than this number in the last minute, which means fewer than 2 per second.
const CALM_PLIES: usize = 120;
const CALM_WINDOW: Duration = Duration::from_mins(1);
const CALM_AFTER: Duration = Duration::from_secs(3);

impl OngoingGame {
    /// Plays `played` on the board.
    fn play(&mut self, played: Move, kind: &BoardKind) {
        // The referee has accepted the move. If the board refuses it, the board is out of sync with the game.
        if self.position.play(played.as_str()).is_err() {
            self.is_behind = true;
            return;
        }
        self.plies += 1;
        self.last = Some(played);
        self.placed = kind.layers.placed(played, &kind.modes, self.mode);
        self.mode = mode_at(&kind.modes, self.mode, &*self.position);
        let ahead = leader(&kind.layers, &*self.position);
        if ahead.is_some() && ahead != self.ahead {
            self.leads += u32::from(self.ahead.is_some());
            self.ahead = ahead;
        }
    }

    fn note_ply(&mut self, at: Duration) {
        self.turn_begun = at;
        self.recent.push_back(at);
        if self.recent.len() > CALM_PLIES {
            self.recent.pop_front();
        }
    }

    /// Whether people can follow the game at the time `at`.
    fn is_calm(&self, at: Duration) -> bool {
        let lasted = at.saturating_sub(self.begun);
        let window = lasted.min(CALM_WINDOW);
        let plies = self.recent.iter().filter(|&&ply| at.saturating_sub(ply) <= window).count();
        lasted >= CALM_AFTER && plies as u64 * 1000 < 2 * u64::try_from(window.as_millis()).unwrap_or(u64::MAX)
    }

    fn object(&self, at: Duration, table: RulesAndClocks, kind: &BoardKind) -> BoardObject {
        let RulesAndClocks { clocks, meter, .. } = table;
        let seats = self.players.seats();
        let is_group = seats > 2;
        let to_move = (!self.position.is_over() && !self.is_behind).then(|| self.position.seat_to_move());
        let run = to_move.is_some_and(|seat| self.left[seat].is_some()) && meter == Meter::Wall;
        let left = |seat: Seat| Some(clocks.of(seat.side())?.remaining(self.left[seat]?).to_string());
        let spent = |seat| {
            let is_running = run && to_move == Some(seat);
            if is_running { millis(at.saturating_sub(self.turn_begun)) } else { 0 }
        };
        BoardObject {
            slot: self.slot,
            id: self.shown_id.clone(),
            players: BoardPlayers::from(&self.players),
            board: kind.letters(&*self.position),
            ply: self.plies,
            to: to_move.map(|seat| SeatOnMove { seat, seats }),
            left: BySeat::from_fn(seats, left),
            spent: BySeat::from_fn(seats, spent),
            last: self.last.map(|played| played.to_string()),
            run,
            behind: self.is_behind,
            leads: self.leads,
            calm: self.is_calm(at),
            at: (!kind.modes.is_empty()).then_some([self.placed, Some(self.mode)]),
            stones: is_group.then(|| BySeat::from_fn(seats, |seat| self.position.stones_left(seat))),
            outs: is_group.then(|| self.outs.clone()),
            say: self.claims.values().any(Option::is_some).then(|| self.claims.clone()),
            opening: self.opening.clone(),
        }
    }
}

/// The kind of board that all games use.
#[derive(Debug)]
struct BoardKind {
    layers: Layers,
    /// The modes; empty for the 5x5 board.
    modes: Vec<PageMode>,
}

impl BoardKind {
    /// The letters of `position`: for the 5x5 board as it is displayed, with the highest rank first, and for other
    /// boards in the order of their fields.
    fn letters(&self, position: &dyn Position) -> String {
        if self.modes.is_empty() {
            return position.to_string().split_whitespace().collect();
        }
        self.layers.letters(position).into_iter().map(char::from).collect()
    }
}

/// The moves of an opening and, if the program knows it without a search, the value of the position after them: `c3 d3
/// (black by 2)`.
fn opening_name(ruleset: Ruleset, opening: &[Move]) -> Option<String> {
    if opening.is_empty() {
        return None;
    }
    let moves: Vec<&str> = opening.iter().map(Move::as_str).collect();
    let game = solvable::position(ruleset, opening.iter().copied()).ok();
    let worth = match game.and_then(|game| KnownMargins::Embedded.outcome(&game)) {
        Some(Outcome { winner: Some(side), margin: Some(margin) }) => format!(" ({side} by {})", margin.abs()),
        Some(Outcome { winner: None, .. }) => " (a draw)".to_owned(),
        Some(_) | None => String::new(),
    };
    Some(moves.join(" ") + &worth)
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The games that are being played, by their ids in the tournament.
#[derive(Debug)]
pub(crate) struct Boards {
    table: RulesAndClocks,
    kind: BoardKind,
    games: BTreeMap<String, OngoingGame>,
    taken: BTreeSet<usize>,
    /// The slots that have become empty since the last frame.
    left: Vec<usize>,
    /// The final boards of games that have been played to the end since the last frame, by slot.
    ended: BTreeMap<usize, BoardObject>,
    /// The last board in each empty slot.
    resting: BTreeMap<usize, BoardObject>,
    /// The slots that had no board when their games began, with the times of these beginnings.
    early: BTreeMap<usize, Duration>,
}

/// A game that begins within this time before another one ends takes its place: that end is still being written then.
const OVERLAP: Duration = Duration::from_secs(1);

/// The changes on the boards.
#[derive(Debug, Default)]
pub(crate) struct BoardChanges {
    /// The games that have changed and are still being played.
    pub(crate) on: Vec<BoardObject>,
    /// The slots that have become empty.
    pub(crate) off: Vec<usize>,
    /// The final boards of the last games in the slots of `off`. Games that were broken off are not included.
    pub(crate) ended: Vec<BoardObject>,
}

impl Boards {
    /// Creates boards without any games.
    pub(crate) fn new(table: RulesAndClocks) -> Self {
        let kind = BoardKind { layers: Layers::of(table.ruleset), modes: page_modes(table.ruleset) };
        Self {
            table,
            kind,
            games: BTreeMap::new(),
            taken: BTreeSet::new(),
            left: Vec::new(),
            ended: BTreeMap::new(),
            resting: BTreeMap::new(),
            early: BTreeMap::new(),
        }
    }

    /// Begins the game `id`, with the moves of `opening` on its board. If a game with this id is being played, the new
    /// one replaces it.
    pub(crate) fn begin(
        &mut self,
        (at, id): (Duration, &str),
        shown_id: String,
        players: BySeat<usize>,
        opening: &[Move],
    ) {
        self.break_off(id);
        let slot = (0..=self.taken.len()).find(|slot| !self.taken.contains(slot)).unwrap_or_default();
        self.taken.insert(slot);
        if self.resting.remove(&slot).is_none() {
            self.early.insert(slot, at);
        }
        let seats = players.seats();
        let RulesAndClocks { ruleset, clocks, .. } = self.table;
        let mut game = OngoingGame {
            slot,
            shown_id,
            players,
            position: ruleset.start(),
            plies: 0,
            last: None,
            placed: None,
            mode: 0,
            left: BySeat::from_fn(seats, |seat| clocks.first_allowance(seat.side())),
            outs: Vec::new(),
            claims: BySeat::from_fn(seats, |_| None),
            opening: opening_name(ruleset, opening).map(Arc::from),
            begun: at,
            turn_begun: at,
            is_behind: false,
            ahead: None,
            leads: 0,
            recent: VecDeque::new(),
            is_changed: true,
        };
        for &played in opening {
            game.play(played, &self.kind);
        }
        self.games.insert(id.to_owned(), game);
    }

    /// Plays ply `number`, from 1, of the game `id`, which leaves `left` for the mover's next turn. After a gap, the
    /// board stays as it is and is marked as behind.
    pub(crate) fn play(&mut self, (at, id): (Duration, &str), number: usize, played: Move, left: Option<Duration>) {
        let Some(game) = self.games.get_mut(id) else { return };
        game.is_changed = true;
        game.note_ply(at);
        if number != game.plies + 1 {
            game.is_behind = true;
        }
        if !game.is_behind {
            let mover = game.position.seat_to_move();
            game.left[mover] = left;
            game.play(played, &self.kind);
        }
    }

    /// Shows the claim of the player in `seat` of the game `id`, if it contains a value or a chance.
    pub(crate) fn tell(&mut self, id: &str, seat: Seat, thought: &Thought) {
        let Some(game) = self.games.get_mut(id).filter(|game| game.players.has(seat)) else { return };
        if let Some(claim) = thought.in_short() {
            game.claims[seat] = Some(claim);
            game.is_changed = true;
        }
    }

    /// Records that a seat has dropped out of the game `id`. If earlier moves are missing, the board stays as it is.
    /// Returns the numbers of the players, and the number of plies made before the seat dropped out.
    pub(crate) fn drop_out(&mut self, (at, id): (Duration, &str), out: DropOutNews) -> Option<(BySeat<usize>, usize)> {
        let game = self.games.get_mut(id).filter(|game| game.players.seats() > 2 && game.players.has(out.seat))?;
        let ply = out.after_plies.unwrap_or(game.plies);
        if game.outs.iter().any(|known| known.seat == out.seat) {
            return None;
        }
        game.outs.push(OutObject { seat: out.seat, ply, why: out.why.name() });
        game.is_changed = true;
        game.is_behind |= ply != game.plies;
        if !game.is_behind {
            let mover = game.position.seat_to_move();
            game.position.drop_out(out.seat);
            // A seat can drop out during another seat's turn, which then goes on.
            if mover == out.seat {
                game.turn_begun = at;
            }
            game.mode = mode_at(&self.kind.modes, game.mode, &*game.position);
        }
        Some((game.players.clone(), ply))
    }

    /// Freezes the boards of games with more than two seats, because a seat may have dropped out of any of these games.
    pub(crate) fn lose_track(&mut self) {
        for game in self.games.values_mut().filter(|game| game.players.seats() > 2) {
            game.is_behind = true;
            game.is_changed = true;
        }
    }

    /// Ends the game `id`, which has been played to the end, at the time `at`.
    pub(crate) fn end(&mut self, (at, id): (Duration, &str)) {
        if let Some(game) = self.break_off(id) {
            let board = game.object(at, self.table, &self.kind);
            let board = BoardObject { to: None, run: false, ..board };
            self.early.retain(|_, begun| at.saturating_sub(*begun) <= OVERLAP);
            if self.early.pop_first().is_none() {
                self.resting.insert(game.slot, board.clone());
                self.ended.insert(game.slot, board);
            }
        }
    }

    /// Removes and returns the game `id`, which is no longer being played.
    pub(crate) fn break_off(&mut self, id: &str) -> Option<OngoingGame> {
        let game = self.games.remove(id)?;
        self.taken.remove(&game.slot);
        self.early.remove(&game.slot);
        self.left.push(game.slot);
        self.ended.remove(&game.slot);
        Some(game)
    }

    /// Ends all games.
    pub(crate) fn end_all(&mut self) {
        self.left.extend(std::mem::take(&mut self.games).into_values().map(|game| game.slot));
        self.taken.clear();
        self.resting.clear();
    }

    /// The boards of all games at the time `at`.
    pub(crate) fn all(&self, at: Duration) -> Vec<BoardObject> {
        let mut games: Vec<BoardObject> =
            self.games.values().map(|game| game.object(at, self.table, &self.kind)).collect();
        games.sort_by_key(|game| game.slot);
        games
    }

    /// The last board in each empty slot.
    pub(crate) fn resting(&self) -> Vec<&BoardObject> {
        self.resting.values().collect()
    }

    /// The changes since the last call.
    pub(crate) fn take_changes(&mut self, at: Duration) -> BoardChanges {
        let (table, kind) = (self.table, &self.kind);
        let changed = self.games.values_mut().filter(|game| game.is_changed);
        let changed = changed.map(|game| {
            game.is_changed = false;
            game.object(at, table, kind)
        });
        let on = changed.collect();
        let mut off = std::mem::take(&mut self.left);
        off.retain(|slot| !self.taken.contains(slot));
        off.sort_unstable();
        off.dedup();
        let ended = std::mem::take(&mut self.ended);
        let ended = ended.into_iter().filter(|(slot, _)| !self.taken.contains(slot)).map(|(_, board)| board).collect();
        BoardChanges { on, off, ended }
    }
}
