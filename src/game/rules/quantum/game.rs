//! A game in progress: whose turn it is, in which mode, and how one mode leads to the next.

use super::choices::RowRule;
use super::lineup::{INNER, Mode};
use super::modes::ModeCounts;
use super::options::QuantumRules;
use super::seats::{PerSeat, Seat};
use super::square_layer::{Ground, SquareLayer, on_squares};
use super::supplies::Supplies;

/// A game in progress.
#[derive(Clone, Debug)]
pub struct Game {
    pub(super) rules: QuantumRules,
    pub(super) on_move: Seat,
    pub(super) state: ModeState,
    pub(super) squares: SquareLayer,
    pub(super) supplies: Supplies,
    pub(super) counts: ModeCounts,
    /// For each seat that has resigned, how many had resigned when it had; 0 for the others.
    pub(super) resigned: PerSeat<u8>,
}

/// Where in its course a game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModeState {
    /// In the line-up's mode with this index.
    Mode(usize),
    /// Over.
    Over,
}

/// A legal turn, as the boards know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LegalTurn {
    /// The square with this number; all rows are turned over.
    All(usize),
    /// The square with this number; the row that ends on the other one is turned over.
    One(usize, usize),
    /// Nothing is placed.
    Pass,
}

impl Game {
    /// The start of a game.
    pub fn new(rules: QuantumRules) -> Self {
        let lineup = rules.lineup();
        let first = field_size(lineup.modes()[0], lineup.squares());
        let mut game = Self {
            rules,
            on_move: Seat::FIRST,
            state: ModeState::Mode(0),
            squares: SquareLayer::new(&rules, first),
            supplies: Supplies::empty(lineup.stones()),
            counts: ModeCounts::default(),
            resigned: PerSeat::default(),
        };
        game.begin_mode();
        let standing = game.stones_on_squares();
        for (seat, &stones) in standing.of(rules.seats()) {
            (0..stones).for_each(|_| game.supplies.take(seat));
        }
        game.settle();
        game
    }

    /// The rules.
    pub const fn rules(&self) -> QuantumRules {
        self.rules
    }

    /// The seat whose turn it is; unspecified once the game is over.
    pub const fn seat_to_move(&self) -> Seat {
        self.on_move
    }

    /// The mode; `None` once the game is over.
    pub fn mode(&self) -> Option<Mode> {
        match self.state {
            ModeState::Mode(index) => self.rules.lineup().modes().get(index).copied(),
            ModeState::Over => None,
        }
    }

    /// Whether the game is over.
    pub fn is_over(&self) -> bool {
        self.state == ModeState::Over
    }

    /// Hands out the stones of the present mode and opens its field.
    fn begin_mode(&mut self) {
        let Some(mode) = self.mode() else { return };
        let lineup = self.rules.lineup();
        let size = field_size(mode, lineup.squares());
        let inner = if lineup.has(Mode::Reverse) { u16::from(INNER).pow(2) } else { 0 };
        let all = match mode {
            Mode::Reverse => inner,
            Mode::Othello => u16::from(lineup.squares()).pow(2) - inner,
            Mode::Go => u16::from(lineup.points()).pow(2),
        };
        if mode == Mode::Go {
            self.supplies.clear();
        }
        self.supplies.hand_out(all, self.rules.seats(), self.on_move);
        on_squares!(&mut self.squares, field => field.set_field(size), ());
    }

    /// Ends modes that are over, one after the other, and finds where the seat on move may place.
    pub(super) fn settle(&mut self) {
        while let Some(mode) = self.mode() {
            if mode != Mode::Go && self.settle_squares() {
                return;
            }
            self.end_mode(mode);
        }
    }

    /// Finds where the seat on move may place on squares. Returns whether any seat may place anywhere.
    fn settle_squares(&mut self) -> bool {
        let (seat, rules) = (self.on_move, self.rules);
        let has_stone = self.supplies.has(seat);
        if has_stone && on_squares!(&mut self.squares, field => field.look(seat, &rules), false) {
            return true;
        }
        on_squares!(&mut self.squares, field => field.close(), ());
        let others = Seat::all(rules.seats()).filter(|&other| other != seat && self.is_in(other));
        others
            .filter(|&other| self.supplies.has(other))
            .any(|other| on_squares!(&self.squares, field => !field.placements(other, &rules).1.is_empty(), false))
    }

    /// Counts, and goes on to the next mode.
    fn end_mode(&mut self, mode: Mode) {
        self.counts.set(mode, self.stones_on_squares());
        let ModeState::Mode(index) = self.state else { return };
        self.state =
            if index + 1 < self.rules.lineup().modes().len() { ModeState::Mode(index + 1) } else { ModeState::Over };
        self.begin_mode();
    }

    /// How many stones each seat has on the squares.
    pub(super) fn stones_on_squares(&self) -> PerSeat<u16> {
        PerSeat::from_fn(self.rules.seats(), |seat| {
            let stones = on_squares!(&self.squares, field => field.board().stones(seat).len(), 0);
            u16::try_from(stones).unwrap_or(u16::MAX)
        })
    }

    /// Whether `seat` has not resigned.
    pub(super) fn is_in(&self, seat: Seat) -> bool {
        self.resigned[seat] == 0
    }

    /// Whether a move names one of the rows that are enclosed.
    pub(super) fn has_rows(&self) -> bool {
        self.rules.rows() == RowRule::One && self.mode() == Some(Mode::Reverse)
    }

    /// Every legal turn on squares in the order of the documentation.
    pub(super) fn turns(&self) -> Vec<LegalTurn> {
        let seat = self.on_move;
        let placements = on_squares!(&self.squares, field => {
            let names_rows = self.has_rows() && field.ground() == Ground::Row;
            let turns = |index| {
                if !names_rows {
                    return vec![LegalTurn::All(index)];
                }
                let rows = field.board().rows(seat, index);
                rows.into_iter().map(|row| LegalTurn::One(index, row.far)).collect()
            };
            field.open().iter().flat_map(turns).collect()
        }, Vec::new());
        if self.is_over() {
            Vec::new()
        } else if placements.is_empty() {
            vec![LegalTurn::Pass]
        } else {
            placements
        }
    }

    /// Makes a legal turn.
    pub(super) fn advance(&mut self, turning: LegalTurn) {
        let seat = self.on_move;
        match turning {
            LegalTurn::Pass => {}
            LegalTurn::All(index) => {
                self.supplies.take(seat);
                on_squares!(&mut self.squares, field => field.place(seat, index), ());
            }
            LegalTurn::One(index, far) => {
                self.supplies.take(seat);
                on_squares!(&mut self.squares, field => field.place_row(seat, index, far), ());
            }
        }
        self.on_move = self.next_in();
        self.settle();
    }

    /// The next seat that has not resigned.
    fn next_in(&self) -> Seat {
        let seats = self.rules.seats();
        let mut next = self.on_move.next(seats);
        while !self.is_in(next) && next != self.on_move {
            next = next.next(seats);
        }
        next
    }

    /// The seat on move resigns. Its turns are left out from now on, and its stones stay.
    pub fn resign(&mut self) {
        if self.is_over() {
            return;
        }
        let seats = self.rules.seats();
        let out = Seat::all(seats).filter(|&seat| !self.is_in(seat)).count();
        self.resigned[self.on_move] = u8::try_from(out).unwrap_or(u8::MAX) + 1;
        if out + 2 == usize::from(seats) {
            self.state = ModeState::Over;
        }
        self.on_move = self.next_in();
        self.settle();
    }
}

/// Squares a side of the field of `mode`, on `squares` squares a side.
fn field_size(mode: Mode, squares: u8) -> u8 {
    if mode == Mode::Reverse { INNER.min(squares) } else { squares }
}
