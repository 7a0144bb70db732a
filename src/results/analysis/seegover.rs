//! The value of each turn in a Seegover game.
//!
//! The value of a position of the move phase is taken from the table, unless the history of the game can change it: a
//! repetition is a draw, so a position that would be won in a game starting from it may be worth only a draw. If it is
//! uncertain whether the history matters, the values of the positions before and after may still determine the value;
//! otherwise the value stays unknown.

mod good_turns;

use good_turns::{keeping, resisting};

use super::{Analysis, BetterLines, FEW_STONES, Phase, bound_by_next, bound_forwards};
use crate::exact::seegover::{Expert, Value};
use crate::exact::solver::Span;
use crate::game::seegover::{Board, FULL, Game, Options};
use crate::game::{Move, Outcome, Position as _, Side};
use crate::referee::record::GameRecord;

/// How many drops an analysis searches, counted back from the last one. Each further drop takes up to four times as
/// long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropsSearched {
    /// The last [`LAST_DROPS`] drops. Searching them takes less than a second for a hundred games.
    Last,
    /// All drops, until the expert ends its search.
    All,
}

/// If at most this many stones remain to be dropped, an analysis always searches the drops, regardless of the options
/// and of the time.
pub const LAST_DROPS: u32 = 10;

impl Analysis {
    /// Analyzes every move of `record`, a game under the rules of `expert` whose moves must be legal. Before each
    /// position in the drop phase is searched, `tell` is called with its number of empty squares. Values that `expert`
    /// cannot find within its limits stay unknown. The flag that stops `expert` only ends the search of drops before
    /// the last [`LAST_DROPS`].
    pub fn of_seegover(record: &GameRecord, expert: &mut Expert, drops: DropsSearched, tell: impl FnMut(u32)) -> Self {
        let games = games_of(record, expert.rules());
        let values: Vec<Option<Value>> = games.iter().map(|game| in_table(expert, game)).collect();
        let found = GameFindings::of(record, expert, GameInTable { games: &games, values: &values }, drops, tell);
        // The table contains no margins.
        let outcomes: Vec<Option<Outcome>> =
            found.spans.iter().map(|span| Some(Outcome { winner: span.winner()?, margin: None })).collect();
        let mut analysis = Self::of_values(record, &outcomes, |index| place(games[index].board()));
        let depth = |index: usize| {
            let (value, outcome) = (values[index]?, outcomes[index]?);
            value.depth.filter(|_| value.winner == outcome.winner)
        };
        for (index, (analyzed, better)) in analysis.moves.iter_mut().zip(found.better).enumerate() {
            analyzed.depths = [depth(index), depth(index + 1)];
            analyzed.better = better;
        }
        analysis.lines = found.lines;
        analysis
    }
}

/// The number of empty squares on `board`, and the phase.
fn place(board: Board) -> (u32, Phase) {
    (board.empty().count_ones(), phase(board))
}

/// The part of the game to which a turn on `board` belongs.
fn phase(board: Board) -> Phase {
    match Side::BOTH.map(|side| board.stones(side).count_ones()) {
        _ if !board.is_full() => Phase::Opening,
        stones if stones.into_iter().all(|stones| stones > FEW_STONES) => Phase::Middle,
        _ => Phase::End,
    }
}

/// The positions of a game: the first, and the one after each move.
#[derive(Clone, Copy)]
struct GameInTable<'a> {
    games: &'a [Game],
    /// The table's values for the positions in the move phase.
    values: &'a [Option<Value>],
}

impl GameInTable<'_> {
    /// The index of the first position that is searched regardless of the time.
    fn late(&self) -> usize {
        self.games.partition_point(|game| FULL.saturating_sub(game.board().count()) > LAST_DROPS)
    }
}

/// The findings about the positions of `record`, from the last one backwards.
struct GameFindings<'a, T> {
    record: &'a GameRecord,
    known: GameInTable<'a>,
    tell: T,
    /// The span of each position's possible values.
    spans: Vec<Span>,
    /// For each move that changed the winner, a move that would have kept the winner.
    better: Vec<Option<Move>>,
    /// The moves that would have followed the better moves.
    lines: BetterLines,
}

impl<'a, T: FnMut(u32)> GameFindings<'a, T> {
    fn of(record: &'a GameRecord, expert: &mut Expert, known: GameInTable<'a>, drops: DropsSearched, tell: T) -> Self {
        let certain = |(game, value): (&Game, &Option<Value>)| match value {
            Some(value) => span(expert, game, *value),
            None if is_first_turns(game) || expert.is_won_by_opening(game) => Span::won_by(Some(Side::Black)),
            None => Span::OPEN,
        };
        let spans = known.games.iter().zip(known.values).map(certain).collect();
        let better = vec![None; record.plies.len()];
        let mut findings = Self { record, known, tell, spans, better, lines: BetterLines::default() };
        bound_forwards(record, &mut findings.spans);
        let (late, end) = (known.late(), known.games.len());
        expert.unstopped(|expert| {
            (late..end).rev().for_each(|index| findings.search(expert, index));
            bound_forwards(record, &mut findings.spans);
            (late..end).rev().for_each(|index| findings.suggest(expert, index));
            (late..end).for_each(|index| findings.follow(expert, index));
        });
        for index in (0..late).rev() {
            bound_by_next(record, &mut findings.spans, index);
            if drops == DropsSearched::All {
                findings.search(expert, index);
            }
            // This is done immediately, while the search still remembers its results and before the time is up.
            findings.suggest(expert, index);
        }
        findings
    }

    /// Determines who wins from the position with this `index`, based on the next position or else by a search.
    fn search(&mut self, expert: &mut Expert, index: usize) {
        bound_by_next(self.record, &mut self.spans, index);
        if self.spans[index].winner().is_some() {
            return;
        }
        let game = &self.known.games[index];
        let found = if self.known.values[index].is_some() {
            expert.winner_in_history(game)
        } else {
            (self.tell)(game.board().empty().count_ones());
            expert.winner_in(game, self.spans[index]).ok()
        };
        self.spans[index] = found.map_or(self.spans[index], Span::won_by);
    }

    /// Finds a move that keeps the winner, if the move played in the position with this `index` does not.
    fn suggest(&mut self, expert: &mut Expert, index: usize) {
        let (Some(better), Some(next)) = (self.better.get_mut(index), self.spans.get(index + 1)) else { return };
        if let (Some(before), Some(after)) = (self.spans[index].winner(), next.winner())
            && before != after
        {
            *better = keeping(expert, &self.known.games[index], before);
        }
    }

    /// Finds the moves that follow the better move in the position with this `index`, if there is one. Lines begin only
    /// in positions that are searched regardless of the time.
    fn follow(&mut self, expert: &mut Expert, index: usize) {
        let Some(better) = self.better.get(index).copied().flatten() else { return };
        let mut game = self.known.games[index].clone();
        if game.play(better.as_str()).is_err() {
            return;
        }
        let winner = self.spans[index].winner().flatten();
        self.lines.follow(index, game, |game| {
            let played = if winner == Some(game.side().opponent()) {
                resisting(expert, game)?
            } else {
                keeping(expert, game, winner)?
            };
            game.play(played.as_str()).ok()
        });
    }
}

/// Whether at most one turn of `game` has been played. Under all rules that have a table, black wins after every first
/// turn; docs/measure/seegover.md says how this was found.
pub(super) const fn is_first_turns(game: &Game) -> bool {
    game.board().count() <= game.rules().drop.stones()
}

/// The positions of `record`, each with its history: the first, then one after each move.
fn games_of(record: &GameRecord, options: Options) -> Vec<Game> {
    let mut games = vec![Game::new(options)];
    for (index, ply) in record.plies.iter().enumerate() {
        let mut next = games[index].clone();
        // A checked record contains only legal moves.
        let _ = next.play(ply.played.as_str());
        games.push(next);
    }
    games
}

/// For each position of `record`, the number of empty squares and the phase.
pub(super) fn places(record: &GameRecord, options: Options) -> Vec<(u32, Phase)> {
    games_of(record, options).iter().map(|game| place(game.board())).collect()
}

/// The table's value for a position; `None` in the drop phase.
fn in_table(expert: &mut Expert, game: &Game) -> Option<Value> {
    if game.board().is_full() { expert.value(game).ok() } else { None }
}

/// The span of possible values of a position to which a table assigns `value`.
fn span(expert: &Expert, game: &Game, value: Value) -> Span {
    if expert.is_certain(game, value) {
        return Span::won_by(value.winner);
    }
    // At worst, a position is repeated, and the game is a draw.
    match value.winner {
        Some(Side::Black) => Span { lower: 0, ..Span::OPEN },
        Some(Side::White) => Span { upper: 0, ..Span::OPEN },
        None => Span::won_by(None),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeSet;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::exact::seegover::{Opening, Tablebase, Worth};
    use crate::game::seegover::{ALL, CENTRE, DropRule, Play, Square, View, squares};
    use crate::game::{BySide, Ruleset};
    use crate::referee::record::Ply;
    use crate::referee::result::GameResult;
    use crate::results::analysis::MoveQuality;
    use crate::results::report::{analysis_json, analysis_text};

    /// A random game from the reference program that ends because one side has too few stones.
    fn won() -> (GameRecord, Game) {
        ending_with(";stones")
    }

    /// A random game from the reference program whose line ends with `reason`, and its last position.
    fn ending_with(reason: &str) -> (GameRecord, Game) {
        let lines = include_str!("../../../tests/data/seegover/games_seegover.txt").lines();
        let line = lines.filter(|line| !line.starts_with('#')).find(|line| line.ends_with(reason)).expect("a game");
        let mut game = Game::new(Options::DEFAULT);
        let mut plies = Vec::new();
        for text in line.split(';').next().expect("turns").split(' ') {
            let side = game.side();
            let played = game.play(text).expect("legal");
            plies.push(Ply::untimed(side, played));
        }
        let result = GameResult::played(game.outcome().expect("over"));
        let players = BySide { black: "b".to_owned(), white: "w".to_owned() };
        let ruleset = Ruleset::Seegover(Options::DEFAULT);
        (GameRecord { plies, ..GameRecord::of(ruleset, players, Ok(result)) }, game)
    }

    #[test]
    fn the_move_that_lets_a_draw_go_is_marked_and_nothing_else() {
        let (record, end) = won();
        let games = games_of(&record, Options::DEFAULT);
        let winner = end.outcome().and_then(|outcome| outcome.winner).expect("a winner");
        // Every position is a draw except the end of this game and the position before it.
        let last = &games[games.len() - 2];
        let table = Tablebase::drawn_but([(end.view(), Worth::Lost(0)), (last.view(), Worth::Won(1))]);
        let mut expert = Expert::without_opening(Arc::new(table), DropRule::One);
        let analysis = Analysis::of_seegover(&record, &mut expert, DropsSearched::Last, |_| {});
        let blunder = record.plies.len() - 2;
        for (index, analyzed) in analysis.moves.iter().enumerate() {
            let drops = FULL.saturating_sub(games[index].board().count());
            let expected = match index {
                // Black wins after every first turn, however white replies.
                0 | 1 => Some(MoveQuality::Kept),
                _ if drops > LAST_DROPS => None,
                _ if index == blunder => Some(MoveQuality::Blunder),
                _ => Some(MoveQuality::Kept),
            };
            assert_eq!(analyzed.quality(), expected, "ply {}", index + 1);
        }
        assert_eq!(analysis.decisive(), Some(blunder));
        let analyzed = &analysis.moves[blunder];
        assert_eq!(
            (analyzed.before.map(|value| value.winner), analyzed.after.map(|value| value.winner)),
            (Some(None), Some(Some(winner)))
        );
        assert_eq!(analyzed.depths, [None, Some(1)]);
        let better = analyzed.better.expect("a turn that draws");
        assert!(better != analyzed.played && games[blunder].legal_moves().contains(&better));
        let comment = analyzed.comment().expect("a comment");
        assert_eq!(comment, format!("blunder: {winner} wins instead of a draw ({better})"));
        assert!(analysis_text::game(&record, &analysis).contains(&format!("{winner} wins in 1")));
        assert!(analysis_json::game_json("a.log", &record, &analysis).contains("\"depth_after\":1"));
    }

    /// The first 23 turns of [`won()`], and a table with a value for each full board that the remaining drops can
    /// produce after 12 of these turns.
    fn dropped() -> (GameRecord, Arc<Tablebase>) {
        let (mut record, _) = won();
        record.plies.truncate(23);
        let board = games_of(&record, Options::DEFAULT)[12].board();
        let free: Vec<Square> = squares(board.empty() & !CENTRE.bit()).collect();
        let ends = (0..1_u32 << free.len()).filter(|choice| choice.count_ones() == 6).map(|choice| {
            let more = (0..free.len()).filter(|bit| choice >> bit & 1 == 1).fold(0, |set, bit| set | free[bit].bit());
            let black = board.stones(Side::Black) | more;
            let worth =
                [Worth::Lost(2), Worth::Drawn, Worth::Won(3)][(choice.wrapping_mul(0x9E37_79B9) >> 28) as usize % 3];
            (View::new(black, ALL & !black & !CENTRE.bit()).expect("a full board"), worth)
        });
        (record, Arc::new(Tablebase::drawn_but(ends)))
    }

    #[test]
    fn a_drop_has_the_mark_of_the_values_before_and_after_it() {
        let (record, table) = dropped();
        let expert = || Expert::without_opening(Arc::clone(&table), DropRule::One);
        let told = RefCell::new(Vec::new());
        let analysis = Analysis::of_seegover(&record, &mut expert().within(20_000), DropsSearched::All, |empty| {
            told.borrow_mut().push(empty);
        });
        let mut marks = BTreeSet::new();
        for (analyzed, game) in analysis.moves.iter().zip(games_of(&record, Options::DEFAULT)).skip(12) {
            let after = game.after(Play::parse(analyzed.played.as_str(), Options::DEFAULT.drop).expect("a drop"));
            let winner = |game: &Game| expert().winner(game).ok();
            let values = [analyzed.before, analyzed.after].map(|value| value.map(|value| value.winner));
            assert_eq!(values, [winner(&game), winner(&after)], "with {} empty", analyzed.empty);
            assert_eq!(analyzed.phase, Phase::Opening);
            marks.extend(analyzed.quality().map(|quality| quality == MoveQuality::Kept));
            if let Some(better) = analyzed.better {
                let better = Play::parse(better.as_str(), Options::DEFAULT.drop).expect("a drop");
                assert_eq!(winner(&game.after(better)), winner(&game));
            }
            assert_eq!(analyzed.better.is_some(), analyzed.quality() == Some(MoveQuality::Blunder));
        }
        assert_eq!(marks.len(), 2, "some drops are blunders and others are not");
        let told = told.into_inner();
        assert!(told.is_sorted(), "from the last position back: {told:?}");
    }

    #[test]
    fn what_is_not_searched_in_time_stays_unknown_and_the_opening_needs_no_time() {
        let (mut record, table) = dropped();
        let stop = Arc::new(AtomicBool::new(true));
        let expert = Expert::new(table, DropRule::One);
        let mut expert = expert.until(Arc::clone(&stop));
        let analysis = Analysis::of_seegover(&record, &mut expert, DropsSearched::All, |_| {});
        assert_eq!(analysis.moves[0].before.map(|value| value.winner), Some(Some(Side::Black)));
        let analyzed = analysis.moves.iter().skip(2).position(|analyzed| analyzed.quality().is_some());
        assert!(analyzed.is_some_and(|index| (11..=12).contains(&index)), "{analyzed:?}");
        assert!(analysis.moves.iter().any(|analyzed| analyzed.better.is_some()), "a blunder among the last drops");
        stop.store(false, Ordering::Relaxed);
        assert_eq!(Analysis::of_seegover(&record, &mut expert, DropsSearched::Last, |_| {}), analysis);
        // The turn in the built-in opening keeps the win.
        let start = Game::new(Options::DEFAULT);
        let opening = Opening::embedded(Options::DEFAULT).expect("an opening");
        record.plies[0].played = opening.turn(&start).expect("a turn").to_move();
        record.plies.truncate(1);
        stop.store(true, Ordering::Relaxed);
        let analysis = Analysis::of_seegover(&record, &mut expert, DropsSearched::All, |_| {});
        assert_eq!(analysis.moves[0].quality(), Some(MoveQuality::Kept));
    }

    #[test]
    fn a_win_that_the_loser_can_answer_with_a_repetition_is_a_draw() {
        let (record, end) = ending_with(";cycle");
        let games = games_of(&record, Options::DEFAULT);
        let last = games.len() - 1;
        let (before, answered) = (&games[last - 2], &games[last - 1]);
        let winner = before.side();
        // The only turn that wins according to the table leads to a position from which the other side can repeat an
        // earlier position.
        let table = Tablebase::drawn_but([(answered.view(), Worth::Lost(4)), (end.view(), Worth::Won(1))]);
        let mut expert = Expert::without_opening(Arc::new(table), DropRule::One);
        assert_eq!(expert.value(before), Ok(Value { winner: Some(winner), depth: Some(5) }));
        let alone = Game::from_board(Options::DEFAULT, before.board(), winner).expect("a game");
        assert_eq!([before, &alone].map(|game| expert.winner_in_history(game)), [Some(None), Some(Some(winner))]);
        let turns = expert.turns_in_history(before).expect("no limit");
        assert!(turns.len() > 1 && turns.iter().all(|(_, value)| value.winner.is_none()), "{turns:?}");
        let analysis = Analysis::of_seegover(&record, &mut expert, DropsSearched::Last, |_| {});
        let analyzed = &analysis.moves[last - 2];
        assert_eq!(
            (analyzed.quality(), analyzed.before.map(|value| value.winner)),
            (Some(MoveQuality::Kept), Some(None))
        );
    }

    #[test]
    fn a_side_with_few_stones_is_in_the_end_of_the_game() {
        let of = |text: &str| phase(text.parse().expect("a board"));
        assert_eq!(of("bbbbb bbbbb wwww. ..... ....."), Phase::Opening);
        assert_eq!(of("wwwww wwwwb bb.bb bbbbb bbbbb"), Phase::Middle);
        assert_eq!(of("bbbbb bbbbb bb.bb bbwww wwwww"), Phase::End);
        assert_eq!(of("wwwww wwwww ww.ww wwbbb bbbbb"), Phase::End);
    }

    #[test]
    fn a_draw_by_repetition_shows_that_the_win_was_gone() {
        // Black could win in three according to the table, but an earlier position was already won in one.
        let (record, end) = won();
        let games = games_of(&record, Options::DEFAULT);
        let winner = end.outcome().and_then(|outcome| outcome.winner).expect("a winner");
        let (early, late) = (&games[games.len() - 4], &games[games.len() - 2]);
        assert_eq!((early.side(), late.side()), (winner, winner));
        let mut ways = Vec::new();
        late.view().each_turn(late.rules(), |_, after| ways.push((after.swapped(), Worth::Lost(2))));
        let table = Tablebase::drawn_but(ways.into_iter().chain([(early.view(), Worth::Won(1))]));
        let mut expert = Expert::new(Arc::new(table), DropRule::One);
        let value = expert.value(late).expect("in the table");
        assert_eq!(value.winner, Some(winner));
        let open =
            if winner == Side::Black { Span { lower: 0, ..Span::OPEN } } else { Span { upper: 0, ..Span::OPEN } };
        assert_eq!(span(&expert, late, value), open);
        assert_eq!(span(&expert, late, Value { winner: None, depth: None }), Span::won_by(None));
    }
}
