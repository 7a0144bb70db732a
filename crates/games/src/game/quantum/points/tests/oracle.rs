//! A simple second implementation of Go mode: one array of stones, no state except the full history, and every question
//! answered from the whole board. It shares no code with the first implementation except the names of the options.

use super::{KoRule, PointRefusal};

/// The state after a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlainTurn {
    /// For each point, 0 if it is empty, or else the number of the seat whose stone is there.
    cells: Vec<usize>,
    seat: usize,
    prisoners: Vec<i64>,
}

/// The Go mode of a game. Points are numbered from a1, rank by rank; seats are numbered from 1.
#[derive(Clone, Debug)]
pub(super) struct PlainGo {
    pub(super) size: usize,
    pub(super) seats: usize,
    pub(super) ko: KoRule,
    pub(super) suicide: bool,
    pub(super) cells: Vec<usize>,
    /// Which stones are proof stones.
    pub(super) proof: Vec<bool>,
    pub(super) is_proof: bool,
    pub(super) prisoners: Vec<i64>,
    past: Vec<PlainTurn>,
}

impl PlainGo {
    /// Creates a game that begins with `cells`, as if seat `before` had just made a turn.
    pub(super) fn new(
        size: usize,
        seats: usize,
        (ko, suicide): (KoRule, bool),
        cells: Vec<usize>,
        before: usize,
    ) -> Self {
        let prisoners = vec![0; seats];
        let past = vec![PlainTurn { cells: cells.clone(), seat: before, prisoners: prisoners.clone() }];
        let proof = vec![false; size * size];
        Self { size, seats, ko, suicide, cells, proof, is_proof: false, prisoners, past }
    }

    fn beside(&self, at: usize) -> Vec<usize> {
        let (file, rank) = (at % self.size, at / self.size);
        let mut beside = Vec::new();
        if file > 0 {
            beside.push(at - 1);
        }
        if file + 1 < self.size {
            beside.push(at + 1);
        }
        if rank > 0 {
            beside.push(at - self.size);
        }
        if rank + 1 < self.size {
            beside.push(at + self.size);
        }
        beside
    }

    /// The points connected to `at` that have the same content, and the points next to these.
    fn flood(&self, cells: &[usize], at: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut inside, mut border, mut seen) = (vec![at], Vec::new(), vec![false; cells.len()]);
        seen[at] = true;
        let mut next = 0;
        while next < inside.len() {
            for beside in self.beside(inside[next]) {
                if !std::mem::replace(&mut seen[beside], true) {
                    if cells[beside] == cells[at] { inside.push(beside) } else { border.push(beside) }
                }
            }
            next += 1;
        }
        (inside, border)
    }

    /// Every stone of every chain without a liberty.
    fn breathless(&self, cells: &[usize]) -> Vec<usize> {
        let (mut done, mut all) = (vec![false; cells.len()], Vec::new());
        for at in 0..cells.len() {
            if cells[at] != 0 && !done[at] {
                let (chain, border) = self.flood(cells, at);
                for &stone in &chain {
                    done[stone] = true;
                }
                if border.iter().all(|&beside| cells[beside] != 0) {
                    all.extend(chain);
                }
            }
        }
        all
    }

    /// The state after `seat` places a stone at `at`, and the stones that this removes.
    pub(super) fn attempt(&self, seat: usize, at: usize) -> Result<(PlainTurn, Vec<usize>), PointRefusal> {
        if self.cells[at] != 0 {
            return Err(PointRefusal::Occupied);
        }
        let (mut cells, mut prisoners) = (self.cells.clone(), self.prisoners.clone());
        cells[at] = seat;
        let mut removed: Vec<usize> =
            self.breathless(&cells).into_iter().filter(|&stone| cells[stone] != seat).collect();
        for &stone in &removed {
            cells[stone] = 0;
        }
        prisoners[seat - 1] += self.old(&removed, at);
        let (own, border) = self.flood(&cells, at);
        if border.iter().all(|&beside| cells[beside] != 0) {
            if !self.suicide {
                return Err(PointRefusal::NoLiberty);
            }
            for &stone in &own {
                cells[stone] = 0;
            }
            for other in (1..=self.seats).filter(|&other| other != seat) {
                prisoners[other - 1] += self.old(&own, at);
            }
            removed.extend(own);
        }
        let turn = PlainTurn { cells, seat, prisoners };
        if self.is_repetition(&turn) { Err(PointRefusal::Repetition) } else { Ok((turn, removed)) }
    }

    /// How many of `stones` become prisoners, if the stone at `placed` has just been placed.
    fn old(&self, stones: &[usize], placed: usize) -> i64 {
        let is_old = |stone: usize| if stone == placed { !self.is_proof } else { !self.proof[stone] };
        stones.iter().map(|&stone| i64::from(is_old(stone))).sum()
    }

    fn is_repetition(&self, turn: &PlainTurn) -> bool {
        let same = |then: &&PlainTurn| then.cells == turn.cells;
        let own_last = self.past.iter().skip(1).rposition(|then| then.seat == turn.seat).map_or(0, |place| place + 1);
        let is_simple = self.past[own_last..].iter().any(|then| same(&then));
        let mut repeated = self.past.iter().filter(same);
        let differences = |turn: &PlainTurn| -> Vec<i64> {
            turn.prisoners.iter().flat_map(|one| turn.prisoners.iter().map(move |other| one - other)).collect()
        };
        match self.ko {
            KoRule::Simple => is_simple,
            KoRule::Positional => repeated.next().is_some(),
            KoRule::Situational => is_simple || repeated.any(|then| then.seat == turn.seat),
            KoRule::Balanced => {
                is_simple || repeated.any(|then| then.seat == turn.seat && differences(then) == differences(turn))
            }
        }
    }

    /// Places a stone, which must be legal.
    pub(super) fn play(&mut self, at: usize, (turn, removed): (PlainTurn, Vec<usize>)) {
        self.proof[at] = self.is_proof;
        for &stone in &removed {
            self.proof[stone] = false;
        }
        (self.cells, self.prisoners) = (turn.cells.clone(), turn.prisoners.clone());
        self.past.push(turn);
    }

    pub(super) fn pass(&mut self, seat: usize) {
        self.past.push(PlainTurn { cells: self.cells.clone(), seat, prisoners: self.prisoners.clone() });
    }

    /// The stones without those of the proof.
    fn lifted(&self) -> Vec<usize> {
        self.cells.iter().zip(&self.proof).map(|(&cell, &is_proof)| if is_proof { 0 } else { cell }).collect()
    }

    /// Each seat's territory plus the number of its stones, seat 1 first, after the stones of the proof have been
    /// lifted.
    pub(super) fn area(&self) -> Vec<u32> {
        let mut area = self.territory();
        for owner in self.lifted().into_iter().filter(|&owner| owner != 0) {
            area[owner - 1] += 1;
        }
        area
    }

    /// The number of points in each seat's territory, seat 1 first, after the stones of the proof have been lifted.
    pub(super) fn territory(&self) -> Vec<u32> {
        let lifted = self.lifted();
        let mut territory = vec![0; self.seats];
        for at in (0..lifted.len()).filter(|&at| lifted[at] == 0) {
            let (_, border) = self.flood(&lifted, at);
            let owner = border.first().map_or(0, |&first| lifted[first]);
            if owner != 0 && border.iter().all(|&beside| lifted[beside] == owner) {
                territory[owner - 1] += 1;
            }
        }
        territory
    }

    /// Whether all points next to `at` have stones of `seat`.
    pub(super) fn is_own_eye(&self, seat: usize, at: usize) -> bool {
        self.beside(at).iter().all(|&beside| self.cells[beside] == seat)
    }
}
