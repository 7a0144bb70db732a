//! Games on squares and points: both boards, the modes, and the counts of each mode.

use std::fmt::Write as _;
use std::iter;

use super::Style;
use super::grid::{BoardAxes, Drawing, captured, taken};
use crate::game::quantum::{CountRule, Game, Mode, ModeCounts, PerSeat, QuantumRules, ScoringRule, Seat};
use crate::game::{Move, Position as _};
use crate::referee::record::Out;

/// The maximum width of a line with boards, in columns.
const WIDTH: usize = 79;

/// The gap between two boards.
const GAP: &str = "    ";

/// A whole game, position by position.
#[derive(Clone, Debug)]
pub(super) struct ModeHistory {
    moves: Vec<Move>,
    boards: Vec<String>,
    stages: Vec<ModeStage>,
    /// The last position.
    last: Game,
}

/// The state of a position, apart from its stones.
#[derive(Clone, Debug)]
struct ModeStage {
    /// The mode; `None` when the game is over.
    mode: Option<Mode>,
    is_proof: bool,
    counts: ModeCounts,
    prisoners: PerSeat<u32>,
    /// The seat to move.
    on_move: Seat,
}

impl ModeStage {
    fn of(game: &Game) -> Self {
        Self {
            mode: game.mode(),
            is_proof: game.is_proof(),
            counts: game.counts(),
            prisoners: game.prisoners(),
            on_move: game.seat_to_move(),
        }
    }

    /// The name of the stage: `reverse`, `othello`, `go`, `the proof` or `the end`.
    const fn name(&self) -> &'static str {
        match self.mode {
            Some(_) if self.is_proof => "the proof",
            Some(mode) => mode.name(),
            None => "the end",
        }
    }
}

impl ModeHistory {
    /// The game with these `moves`, up to the first illegal move.
    pub(super) fn new(rules: QuantumRules, moves: impl IntoIterator<Item = Move>) -> Self {
        Self::with_outs(rules, moves, &[])
    }

    /// The game with these `moves`, up to the first illegal move, in which these seats drop out.
    pub(super) fn with_outs(rules: QuantumRules, moves: impl IntoIterator<Item = Move>, outs: &[Out]) -> Self {
        let mut last = Game::new(rules);
        let drop_out = |game: &mut Game, plies: usize| {
            outs.iter().filter(|out| out.after_plies == plies).for_each(|out| game.resign(out.seat));
        };
        drop_out(&mut last, 0);
        let (mut boards, mut stages) = (vec![last.to_string()], vec![ModeStage::of(&last)]);
        let mut played = Vec::new();
        for text in moves {
            let Ok(one) = last.play(text.as_str()) else { break };
            played.push(one);
            drop_out(&mut last, played.len());
            boards.push(last.to_string());
            stages.push(ModeStage::of(&last));
        }
        Self { moves: played, boards, stages, last }
    }

    /// How many plies were played.
    pub(super) fn plies(&self) -> usize {
        self.moves.len()
    }

    /// The seat that made the ply at `index`.
    pub(super) fn mover(&self, index: usize) -> Seat {
        self.stages[index].on_move
    }

    /// The move at `index`.
    pub(super) fn played(&self, index: usize) -> Move {
        self.moves[index]
    }

    /// The last position.
    #[cfg(test)]
    pub(super) const fn last(&self) -> &Game {
        &self.last
    }

    fn rules(&self) -> QuantumRules {
        self.last.rules()
    }

    /// The mode in which the last of `plies` plies was played, and how many stones that ply turned over or took: ` in
    /// othello, 3 turned over`.
    pub(super) fn played_in(&self, plies: usize) -> String {
        let Some(index) = plies.checked_sub(1) else { return format!(" of {}", self.stages[0].name()) };
        let [before, after] = [index, plies].map(|at| self.boards[at].as_str());
        let squares = usize::from(self.rules().lineup().squares());
        let [before, after] = [before, after].map(|board| TwoBoards::of(board, squares));
        let turned = captured(&before.squares.concat(), &after.squares.concat());
        let taken = taken(&before.points.concat(), &after.points.concat());
        let mut text = format!(" in {}", self.stages[index].name());
        if turned > 0 {
            let _ = write!(text, ", {turned} turned over");
        }
        if taken > 0 {
            let _ = write!(text, ", {taken} taken");
        }
        text
    }

    /// The position after `plies` plies: its boards, its stones, and the modes that begin or end with the last ply.
    pub(super) fn position(&self, plies: usize, style: Style) -> String {
        let changes = self.changes(plies);
        let changes = if changes.is_empty() { changes } else { style.bold(&changes) + "\n" };
        self.drawn(plies, style) + &self.stones(plies) + &changes
    }

    /// The boards after `plies` plies: squares and points side by side if they fit. Otherwise, the positions at the
    /// start and at the end of the game show both boards, one below the other, and all others show only the board in
    /// use.
    fn drawn(&self, plies: usize, style: Style) -> String {
        let before = plies.saturating_sub(1);
        let squares = usize::from(self.rules().lineup().squares());
        let [from, to] = [before, plies].map(|at| TwoBoards::of(&self.boards[at], squares));
        let played = plies.checked_sub(1).map(|index| self.moves[index]);
        let is_go = self.stages[before].mode == Some(Mode::Go);
        let draw = |axes, on_this: bool, board: &[&str], before: &[&str]| {
            if board.is_empty() {
                return Vec::new();
            }
            Drawing { axes, played: played.filter(|_| on_this), style }.lines(board, before)
        };
        let squares = draw(BoardAxes::Squares, !is_go, &to.squares, &from.squares);
        let points = draw(BoardAxes::Points, is_go, &to.points, &from.points);
        if squares.is_empty() || points.is_empty() {
            return squares.concat() + &points.concat();
        }
        let [left, right] = [to.squares.len(), to.points.len()].map(|size| width(size) + 1);
        if left + GAP.len() + right <= WIDTH {
            side_by_side(&squares, &points, left)
        } else if plies == 0 || plies == self.plies() {
            squares.concat() + "\n" + &points.concat()
        } else if is_go {
            points.concat()
        } else {
            squares.concat()
        }
    }

    /// How many stones each seat has, and how many prisoners it has taken.
    fn stones(&self, plies: usize) -> String {
        let (lineup, stage) = (self.rules().lineup(), &self.stages[plies]);
        let boards = TwoBoards::of(&self.boards[plies], lineup.squares().into());
        let standing = |lines: &[&str]| {
            let text = lines.concat();
            self.each(|seat| text.matches(seat.letter(lineup.seats())).count().to_string())
        };
        let mut parts = Vec::new();
        if lineup.squares() > 0 {
            parts.push(format!("stones on squares: {}", standing(&boards.squares)));
        }
        if lineup.has(Mode::Go) && stage.mode.is_none_or(|mode| mode == Mode::Go) {
            parts.push(format!("stones on points: {}", standing(&boards.points)));
            parts.push(format!("prisoners: {}", self.each(|seat| stage.prisoners[seat].to_string())));
        }
        parts.join("\n") + "\n"
    }

    /// Which modes end with the last of `plies` plies, with their counts, and which mode begins.
    fn changes(&self, plies: usize) -> String {
        let (now, before) = (&self.stages[plies], plies.checked_sub(1).map(|index| &self.stages[index]));
        let is_new = |mode: Mode| before.is_none_or(|before| before.counts.get(mode).is_none());
        let ended = now.counts.iter().filter(|(mode, _)| is_new(*mode));
        let mut lines: Vec<String> =
            ended.map(|(mode, count)| format!("{mode} ends: {}", self.each(|seat| count[seat].to_string()))).collect();
        let changed = before.is_some_and(|before| (before.mode, before.is_proof) != (now.mode, now.is_proof));
        if changed && now.is_proof {
            lines.push("go stops; the proof of dead stones begins".to_owned());
        } else if changed && let Some(mode) = now.mode {
            lines.push(format!("{mode} begins"));
        }
        lines.join("\n")
    }

    /// `34 black, 30 white`, or with more than two seats `1: 12, 2: 8, 3: 20, 4: 6`.
    fn each(&self, value: impl Fn(Seat) -> String) -> String {
        let seats = self.rules().seats();
        let one = |seat: Seat| match seats {
            2 => format!("{} {}", value(seat), seat.side()),
            _ => format!("{seat}: {}", value(seat)),
        };
        Seat::all(seats).map(one).collect::<Vec<_>>().join(", ")
    }

    /// A table of the counts of each mode that has ended; empty if none has.
    pub(super) fn counted(&self) -> String {
        let (rules, counts, standing) = (self.rules(), self.last.counts(), self.last.standing());
        if counts.iter().next().is_none() {
            return String::new();
        }
        let seats = rules.seats();
        let row = |name: &str, value: &dyn Fn(Seat) -> String| {
            let cells: Vec<String> = Seat::all(seats).map(|seat| format!("{:>9}", value(seat))).collect();
            format!("{name:<12}{}\n", cells.concat())
        };
        let heading = |seat: Seat| if seats == 2 { seat.side().to_string() } else { format!("seat {seat}") };
        let mut text = row("", &heading);
        for (mode, count) in counts.iter() {
            text += &row(mode.name(), &|seat| count[seat].to_string());
            if mode == Mode::Go && rules.count() == CountRule::Territory {
                text += &row("  prisoners", &|seat| self.last.prisoners()[seat].to_string());
            }
        }
        if counts.iter().count() < rules.lineup().modes().len() {
            return text;
        }
        let compensation = rules.compensation();
        if Seat::all(seats).any(|seat| compensation.parts(seat) != 0) {
            text += &row("compensation", &|seat| compensation.points(seat).shown());
        }
        text += &row("total", &|seat| standing.total(seat).shown());
        if rules.scoring() == ScoringRule::Modes {
            text += &row("modes won", &|seat| standing.points[seat].to_string());
        }
        if seats > 2 && self.last.is_over() {
            text += &row("place", &|seat| standing.placing[seat].to_string());
        }
        text
    }
}

/// The two boards of a position.
struct TwoBoards<'b> {
    squares: Vec<&'b str>,
    points: Vec<&'b str>,
}

impl<'b> TwoBoards<'b> {
    /// Cuts a board's text after its first `squares` lines.
    fn of(board: &'b str, squares: usize) -> Self {
        let mut lines = board.lines();
        Self { squares: lines.by_ref().take(squares).collect(), points: lines.collect() }
    }
}

/// The width of a drawn board with `size` fields per side, without a mark at its edge.
fn width(size: usize) -> usize {
    size.to_string().len() + 2 * size
}

/// How many columns a drawn line takes up on a screen: escape sequences have no width.
fn columns(line: &str) -> usize {
    let pieces = line.split('\x1b').enumerate();
    let shown =
        pieces.map(|(number, piece)| if number == 0 { piece } else { piece.split_once('m').map_or("", |cut| cut.1) });
    shown.map(|piece| piece.chars().count()).sum()
}

/// Two boards side by side, the left one `left` columns wide.
fn side_by_side(squares: &[String], points: &[String], left: usize) -> String {
    let rows = squares.len().max(points.len());
    let lines = squares.iter().map(|line| line.trim_end_matches('\n')).chain(iter::repeat("")).take(rows);
    let joined = lines
        .zip(points)
        .map(|(one, other)| format!("{one}{}{GAP}{other}", " ".repeat(left.saturating_sub(columns(one)))));
    joined.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::SplitMix64;
    use crate::game::Ruleset;

    /// A game of random placements, with only passes after 250 plies, because games without supplies end with passes.
    fn random_game(ruleset: &str) -> ModeHistory {
        let Ok(Ruleset::Quantum(rules)) = ruleset.parse() else { panic!("{ruleset}") };
        let (mut game, mut random, mut moves) = (Game::new(rules), SplitMix64::new(7), Vec::new());
        while !game.is_over() {
            let mut legal = game.legal_moves();
            if moves.len() < 250 && legal.len() > 1 {
                legal.retain(|played| !played.is_pass());
            } else if legal.contains(&Move::PASS) {
                legal = vec![Move::PASS];
            }
            let played = legal[usize::try_from(random.below(legal.len() as u64)).expect("an index")];
            game.play(played.as_str()).expect("a legal move");
            moves.push(played);
        }
        ModeHistory::new(rules, moves)
    }

    #[test]
    fn no_line_of_any_line_up_is_wider_than_a_terminal() {
        for ruleset in Ruleset::ALL.iter().filter(|ruleset| matches!(ruleset, Ruleset::Quantum(_))) {
            let course = random_game(ruleset.name());
            let texts = (0..=course.plies()).map(|plies| course.position(plies, Style::PLAIN));
            let text = texts.chain([course.counted()]).collect::<String>();
            let widest = text.lines().map(str::len).max();
            assert!(widest.is_some_and(|widest| widest < 80), "{ruleset}: {widest:?}");
        }
    }

    #[test]
    fn a_game_tells_its_modes_their_counts_and_the_totals() {
        let course = random_game("quantum");
        let text: String = (0..=course.plies()).map(|plies| course.position(plies, Style::PLAIN)).collect();
        let counts = course.last().counts();
        for (mode, count) in counts.iter() {
            let [black, white] = [Seat::FIRST, Seat::FIRST.next(2)].map(|seat| count[seat]);
            assert_eq!(text.matches(&format!("{mode} ends: {black} black, {white} white\n")).count(), 1, "{text}");
        }
        for line in ["othello begins\n", "go begins\n", "go stops; the proof of dead stones begins\n"] {
            assert_eq!(text.matches(line).count(), 1, "{line}");
        }
        let sum = |seat| counts.iter().map(|(_, count)| f64::from(count[seat])).sum::<f64>();
        let (black, white) = (sum(Seat::FIRST), sum(Seat::FIRST.next(2)) + 0.5);
        let table = course.counted();
        assert!(table.ends_with(&format!("total       {black:>9}{white:>9}\n")), "{table}");
        assert!(table.starts_with("                black    white\nreverse     "), "{table}");
    }

    #[test]
    fn boards_stand_beside_each_other_where_there_is_room_and_else_the_one_in_play() {
        let lines = |ruleset: &str, plies| random_game(ruleset).drawn(plies, Style::PLAIN).lines().count();
        // The boards with their letters: 10 and 11 ranks, 20 and 21 ranks.
        assert_eq!([lines("quantum", 0), lines("quantum", 1)], [12, 12]);
        assert_eq!([lines("quantum-20", 0), lines("quantum-20", 1)], [21 + 1 + 22, 21]);
        let start = random_game("quantum-8").drawn(0, Style::PLAIN);
        let first = "1 . . . . . . . .    9 . . . . . . . . .";
        assert_eq!(start.lines().next().map(str::trim_end), Some(first.replace("    9", "     9").as_str()));
    }

    #[test]
    fn what_a_move_did_is_described_with_its_mode() {
        let Ok(Ruleset::Quantum(rules)) = "othello".parse() else { panic!("a rule set") };
        let course = ModeHistory::new(rules, ["f5".parse().expect("a move")]);
        assert_eq!([course.played_in(0), course.played_in(1)], [" of othello", " in othello, 1 turned over"]);
        assert_eq!(course.stones(1), "stones on squares: 4 black, 1 white\n");
        let Ok(Ruleset::Quantum(rules)) = "go-9".parse() else { panic!("a rule set") };
        let course = ModeHistory::new(rules, ["a2", "a1", "b1"].map(|text| text.parse().expect("a move")));
        assert_eq!(course.played_in(3), " in go, 1 taken");
        assert_eq!(course.stones(3), "stones on points: 2 black, 0 white\nprisoners: 1 black, 0 white\n");
    }
}
