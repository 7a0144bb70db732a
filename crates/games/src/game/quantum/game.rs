//! A game in progress: the seat to move, the mode, and the transitions between modes.

use super::choices::RowRule;
use super::lineup::{INNER, Mode};
use super::modes::ModeCounts;
use super::options::QuantumRules;
use super::point_layer::PointLayer;
use super::points::{GoBoard, GoPoint, GoPoints};
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
    /// The points, once Go has begun.
    pub(super) points: Option<Box<PointLayer>>,
    pub(super) supplies: Supplies,
    pub(super) counts: ModeCounts,
    /// For each seat that has resigned, its position in the order of resignations, from 1; 0 for the others.
    pub(super) resigned: PerSeat<u8>,
}

/// The stage of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModeState {
    /// The game is in the line-up's mode with this index.
    Mode(usize),
    /// The game is over.
    Over,
}

/// A turn, in terms of the boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegalTurn {
    /// A stone on the square with this number; all rows that it encloses are turned over.
    Square(usize),
    /// A stone on the square with the first number; the row that ends on the second is turned over.
    Row(usize, usize),
    /// A stone on a point.
    Point(GoPoint),
    /// A pass.
    Pass,
}

impl Game {
    /// Creates a game at its start.
    pub fn new(rules: QuantumRules) -> Self {
        let lineup = rules.lineup();
        let first = field_size(lineup.modes()[0], lineup.squares());
        let mut game = Self {
            rules,
            on_move: Seat::FIRST,
            state: ModeState::Mode(0),
            squares: SquareLayer::new(&rules, first),
            points: None,
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

    /// Whether dead stones are being proven: Go has stopped, and seats place proof stones.
    pub fn is_proof(&self) -> bool {
        !self.is_over() && self.points().is_some_and(|points| points.proof_stones().is_some())
    }

    /// The points with their stones, once Go has begun.
    pub fn points(&self) -> Option<&GoBoard> {
        self.points.as_deref().map(PointLayer::board)
    }

    /// The squares with their stones.
    pub const fn squares(&self) -> &SquareLayer {
        &self.squares
    }

    /// How many stones `seat` has left to place; `None` if there is no limit.
    pub fn stones_left(&self, seat: Seat) -> Option<u16> {
        self.supplies.left(seat)
    }

    /// Whether `seat` has not resigned.
    pub fn is_in(&self, seat: Seat) -> bool {
        self.resigned[seat] == 0
    }

    /// The seats that have not resigned.
    pub fn seats_in(&self) -> impl Iterator<Item = Seat> {
        Seat::all(self.rules.seats()).filter(|&seat| self.is_in(seat))
    }

    /// Distributes the stones of the current mode and opens its board.
    fn begin_mode(&mut self) {
        let Some(mode) = self.mode() else { return };
        let lineup = self.rules.lineup();
        let inner = if lineup.has(Mode::Reverse) { u16::from(INNER).pow(2) } else { 0 };
        let all = match mode {
            Mode::Reverse => inner,
            Mode::Othello => u16::from(lineup.squares()).pow(2) - inner,
            Mode::Go => {
                self.points = Some(Box::new(PointLayer::new(&self.rules, self.before())));
                self.hand_out_for_points();
                return;
            }
        };
        self.supplies.hand_out(all, self.rules.seats(), self.on_move);
        on_squares!(&mut self.squares, field => field.set_field(field_size(mode, lineup.squares())), ());
    }

    /// Distributes one stone for each point, and takes back any that are left from earlier modes.
    fn hand_out_for_points(&mut self) {
        self.supplies.clear();
        let all = u16::from(self.rules.lineup().points()).pow(2);
        self.supplies.hand_out(all, self.rules.seats(), self.on_move);
    }

    /// Ends modes that are over, one after another, and finds out where the seat to move may place a stone.
    fn settle(&mut self) {
        while let Some(mode) = self.mode() {
            let goes_on = if mode == Mode::Go { self.settle_points() } else { self.settle_squares() };
            if goes_on {
                return;
            }
            self.end_mode(mode);
        }
    }

    /// Finds the squares on which the seat to move may place a stone. Returns whether any seat may place a stone
    /// anywhere.
    #[inline]
    fn settle_squares(&mut self) -> bool {
        let (seat, rules) = (self.on_move, self.rules);
        let has_stone = self.supplies.has(seat);
        if has_stone && on_squares!(&mut self.squares, field => field.look(seat, &rules), false) {
            return true;
        }
        on_squares!(&mut self.squares, field => field.close(), ());
        let mut others = self.seats_in().filter(|&other| other != seat && self.supplies.has(other));
        on_squares!(&self.squares, field => others.any(|other| !field.placements(other, &rules).1.is_empty()), false)
    }

    /// Begins the proof when Go stops, if there is one. Returns whether Go or the proof goes on.
    fn settle_points(&mut self) -> bool {
        let has_stones = self.seats_in().any(|seat| self.supplies.has(seat));
        let everybody: Vec<Seat> = self.seats_in().collect();
        let Some(points) = &mut self.points else { return false };
        if has_stones && !points.have_passed(&everybody) {
            return true;
        }
        let begins = points.stop(self.rules.count());
        if begins {
            self.hand_out_for_points();
        }
        begins
    }

    /// Counts the points for `mode`, and continues with the next mode.
    fn end_mode(&mut self, mode: Mode) {
        let counts = match &self.points {
            Some(points) if mode == Mode::Go => points.count(self.rules.count()),
            _ => self.stones_on_squares(),
        };
        self.counts.set(mode, counts);
        let ModeState::Mode(index) = self.state else { return };
        let is_last = index + 1 == self.rules.lineup().modes().len();
        self.state = if is_last { ModeState::Over } else { ModeState::Mode(index + 1) };
        self.begin_mode();
    }

    /// How many stones each seat has on the squares.
    pub fn stones_on_squares(&self) -> PerSeat<u16> {
        PerSeat::from_fn(self.rules.seats(), |seat| {
            let stones = on_squares!(&self.squares, field => field.board().stones(seat).len(), 0);
            u16::try_from(stones).unwrap_or(u16::MAX)
        })
    }

    /// Whether only one row is turned over in the current mode.
    pub(super) fn has_rows(&self) -> bool {
        self.rules.rows() == RowRule::One && self.mode() == Some(Mode::Reverse)
    }

    /// Whether moves name one of the rows that they enclose.
    pub(super) fn names_rows(&self) -> bool {
        self.has_rows() && on_squares!(&self.squares, field => field.ground() == Ground::Row, false)
    }

    /// Every legal placement, in the documented order.
    pub fn placements(&self) -> Vec<LegalTurn> {
        let seat = self.on_move;
        match self.mode() {
            None => Vec::new(),
            Some(Mode::Go) => self.open_points().iter().flat_map(|open| open.iter()).map(LegalTurn::Point).collect(),
            Some(_) if self.names_rows() => on_squares!(&self.squares, field => {
                let rows = |at| field.board().rows(seat, at).into_iter().map(move |row| LegalTurn::Row(at, row.far));
                field.open().iter().flat_map(rows).collect()
            }, Vec::new()),
            Some(_) => {
                on_squares!(&self.squares, field => field.open().iter().map(LegalTurn::Square).collect(), Vec::new())
            }
        }
    }

    /// The number of legal placements.
    pub fn count_placements(&self) -> u64 {
        match self.mode() {
            None => 0,
            Some(Mode::Go) => self.open_points().map_or(0, |open| open.len().into()),
            Some(_) if self.names_rows() => self.placements().len() as u64,
            Some(_) => on_squares!(&self.squares, field => field.open().len().into(), 0),
        }
    }

    /// The points on which the seat to move may place a stone.
    fn open_points(&self) -> Option<GoPoints> {
        self.points().filter(|_| self.supplies.has(self.on_move)).map(|points| points.legal(self.on_move))
    }

    /// Whether the seat to move may pass.
    pub fn may_pass(&self) -> bool {
        match self.mode() {
            None => false,
            Some(Mode::Go) => true,
            Some(_) => on_squares!(&self.squares, field => field.open().is_empty(), true),
        }
    }

    /// Makes a legal turn.
    #[inline]
    pub fn advance(&mut self, turn: LegalTurn) {
        let seat = self.on_move;
        if turn != LegalTurn::Pass {
            self.supplies.take(seat);
        }
        match turn {
            LegalTurn::Square(at) => on_squares!(&mut self.squares, field => field.place(seat, at), ()),
            LegalTurn::Row(at, far) => on_squares!(&mut self.squares, field => field.place_row(seat, at, far), ()),
            LegalTurn::Point(_) | LegalTurn::Pass => {
                // The points exist once Go has begun; passes on squares occur before that.
                if let Some(points) = &mut self.points {
                    match turn {
                        LegalTurn::Point(point) => points.place(seat, point),
                        _ => points.pass(seat),
                    }
                }
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

    /// Of the seats that have not resigned, the nearest one before the seat to move.
    fn before(&self) -> Seat {
        let seats = self.rules.seats();
        let mut before = self.on_move.previous(seats);
        while !self.is_in(before) && before != self.on_move {
            before = before.previous(seats);
        }
        before
    }

    /// Makes `seat` resign. Its turns are skipped from now on, and its stones stay. When only one seat is left, the
    /// game is over. Nothing changes if `seat` has resigned already, or the game is over.
    pub fn resign(&mut self, seat: Seat) {
        if self.is_over() || !self.is_in(seat) {
            return;
        }
        let seats = self.rules.seats();
        let left = self.seats_in().count();
        self.resigned[seat] = seats + 1 - u8::try_from(left).unwrap_or(u8::MAX);
        if left == 2 {
            self.state = ModeState::Over;
        }
        if seat == self.on_move {
            self.on_move = self.next_in();
        }
        self.settle();
    }
}

/// The size of the area of `mode`, on a board of `squares` squares per side.
fn field_size(mode: Mode, squares: u8) -> u8 {
    if mode == Mode::Reverse { INNER.min(squares) } else { squares }
}
