//! Alpha-beta search (in negamax form) to a fixed depth, extended by captures.

use super::evaluation::estimate;
use super::{each_turn, has_occurred};
use crate::base::random::SplitMix64;
use crate::game::Side;
use crate::game::seegover::{CycleRule, Game, Play, View};
use crate::players::bots::choice::Choice;

/// The value of a win, which is more than any estimate. A win is worth one more for each ply by which it is earlier.
const WIN: i32 = 10_000;

/// A value above every score.
const INFINITY: i32 = 2 * WIN;

/// How many captures in a row are followed beyond the depth of a search, since stones can be captured back and forth
/// forever.
const CAPTURES: u32 = 6;

/// A search that begins with a game's current position and takes the game's history into account.
struct Lookahead<'g> {
    game: &'g Game,
    /// The positions between the game's and the current one, each as the view of the side to move and that side.
    path: Vec<(View, Side)>,
}

/// Returns the turn with the best score `depth` plies ahead; a turn that drops two stones counts as two plies. Among
/// turns with the same score, one is chosen at random. Returns `None` if the game is over.
pub(super) fn best(game: &Game, depth: u32, random: &mut SplitMix64) -> Option<Play> {
    let mut search = Lookahead { game, path: Vec::new() };
    let after = |play| game.view().after(play, game.rules()).swapped();
    let mut plays: Vec<(Play, View)> = game.plays().into_iter().map(|play| (play, after(play))).collect();
    plays.sort_by_key(|&(_, after)| estimate(after));
    let mut choice = Choice::default();
    for (play, after) in plays {
        // The bound is one below the best score, so that an equally good turn can be distinguished from a worse one.
        let alpha = choice.score().map_or(-INFINITY, |best| best - 1);
        let depth = depth.saturating_sub(search.plies(game.view()));
        choice.offer(-search.value((after, game.side().opponent()), depth, -INFINITY, -alpha), play, random);
    }
    choice.best.map(|(_, play)| play)
}

impl Lookahead<'_> {
    /// Returns how many plies a turn in the position `view` counts as.
    const fn plies(&self, view: View) -> u32 {
        if view.hole().is_some() { 1 } else { self.game.rules().drop.stones() }
    }

    /// Returns the score for the side to move, looking `depth` plies ahead, if it is between `alpha` and `beta`;
    /// otherwise, returns a bound on the same side of this range.
    fn value(&mut self, position: (View, Side), depth: u32, mut alpha: i32, beta: i32) -> i32 {
        let (view, side) = position;
        if let Some(score) = self.ended(position, depth) {
            return score;
        }
        if depth == 0 {
            return self.quiet(view, CAPTURES, alpha, beta);
        }
        let depth = depth.saturating_sub(self.plies(view));
        let children = self.children(position, depth);
        if children.is_empty() {
            // The rule against cycles forbids all turns under consideration.
            return 0;
        }
        self.path.push(position);
        for after in children {
            alpha = alpha.max(-self.value((after, side.opponent()), depth, -beta, -alpha));
            if alpha >= beta {
                break;
            }
        }
        self.path.pop();
        alpha
    }

    /// Returns the score of a position that ends the game, for the side to move, with `depth` plies left.
    fn ended(&self, position: (View, Side), depth: u32) -> Option<i32> {
        let (view, _) = position;
        view.hole()?;
        if view.is_lost() {
            return Some(-WIN - depth.cast_signed());
        }
        self.repeats(position).then_some(0)
    }

    /// Returns whether the position has occurred in the game or on the search path to it.
    fn repeats(&self, position: (View, Side)) -> bool {
        self.path.contains(&position) || has_occurred(self.game, position.0, position.1)
    }

    /// Returns the opponent's view after each turn, starting with the turns that look best for the side to move.
    fn children(&self, (view, side): (View, Side), depth: u32) -> Vec<View> {
        let rules = self.game.rules();
        let mut children = Vec::with_capacity(24);
        each_turn(view, rules, |_, after| children.push(after));
        if rules.cycle == CycleRule::Superko {
            children.retain(|&after| !self.repeats((after, side.opponent())));
        }
        // Sorting does not pay off at the last ply.
        if depth > 0 {
            children.sort_by_key(|&after| estimate(after));
        }
        children
    }

    /// Returns the score for the side to move, like [`Lookahead::value`], if the sides take turns choosing whether to
    /// stop or to capture, up to `captures` times.
    fn quiet(&self, view: View, captures: u32, mut alpha: i32, beta: i32) -> i32 {
        alpha = alpha.max(estimate(view));
        if captures == 0 {
            return alpha;
        }
        let mut found = Vec::new();
        if view.hole().is_some() {
            view.each_turn(self.game.rules(), |_, after| {
                if after.enemy() & view.enemy() != view.enemy() {
                    found.push(after.swapped());
                }
            });
        }
        found.sort_by_key(|&after| estimate(after));
        for after in found {
            if alpha >= beta {
                break;
            }
            let score = if after.is_lost() { WIN } else { -self.quiet(after, captures - 1, -beta, -alpha) };
            alpha = alpha.max(score);
        }
        alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Position as _;
    use crate::game::seegover::Options;

    /// Computes the same score as [`Lookahead::value`], but without bounds.
    fn minimax(search: &mut Lookahead<'_>, (view, side): (View, Side), depth: u32) -> i32 {
        if let Some(score) = search.ended((view, side), depth) {
            return score;
        }
        if depth == 0 {
            return quiet_minimax(search, view, CAPTURES);
        }
        let depth = depth.saturating_sub(search.plies(view));
        let children = search.children((view, side), depth);
        search.path.push((view, side));
        let score = children.into_iter().map(|after| -minimax(search, (after, side.opponent()), depth)).max();
        search.path.pop();
        score.unwrap_or(0)
    }

    fn quiet_minimax(search: &Lookahead<'_>, view: View, captures: u32) -> i32 {
        let mut best = estimate(view);
        if captures > 0 && view.hole().is_some() {
            view.each_turn(search.game.rules(), |_, after| {
                if after.enemy().count_ones() < view.enemy().count_ones() {
                    let after = after.swapped();
                    let score = if after.is_lost() { WIN } else { -quiet_minimax(search, after, captures - 1) };
                    best = best.max(score);
                }
            });
        }
        best
    }

    /// Plays at most `plies` random turns, and stops before the game is over.
    fn any_game(options: &str, plies: u64, random: &mut SplitMix64) -> Game {
        let rules = Options::read(options.split_whitespace()).expect("options");
        let mut game = Game::new(rules);
        for _ in 0..plies {
            let plays = game.plays();
            let nth = usize::try_from(random.below(plays.len() as u64)).expect("few");
            let next = game.after(plays[nth]);
            if next.outcome().is_some() {
                break;
            }
            game = next;
        }
        game
    }

    #[test]
    fn pruning_changes_neither_scores_nor_choices() {
        let mut random = SplitMix64::new(5);
        for number in 0..120 {
            let options = ["", "cycle=superko", "drop=2", "capture=single back=capture"][number % 4];
            let plies = 8 + random.below(60);
            let game = any_game(options, plies, &mut random);
            let depths: &[u32] = if game.view().hole().is_some() { &[1, 2, 3, 4] } else { &[1, 2] };
            let depth = depths[number % depths.len()];
            let mut search = Lookahead { game: &game, path: Vec::new() };
            let mut score = |play: Play| {
                let after = game.view().after(play, game.rules()).swapped();
                let depth = depth.saturating_sub(search.plies(game.view()));
                let position = (after, game.side().opponent());
                let exact = -minimax(&mut search, position, depth);
                assert_eq!(-search.value(position, depth, -INFINITY, INFINITY), exact, "depth {depth}\n{game}");
                exact
            };
            let best_score = game.plays().into_iter().map(&mut score).max();
            let chosen = best(&game, depth, &mut random).expect("a turn");
            assert_eq!(Some(score(chosen)), best_score, "{options}, depth {depth}\n{game}");
        }
    }

    #[test]
    fn an_estimate_never_looks_like_a_result_and_colours_do_not_matter() {
        let mut random = SplitMix64::new(6);
        for _ in 0..300 {
            let plies = random.below(80);
            let view = any_game("", plies, &mut random).view();
            assert!(estimate(view).abs() < WIN);
            assert_eq!(estimate(view), -estimate(view.swapped()));
        }
    }

    #[test]
    fn what_has_occurred_is_a_draw_or_forbidden() {
        // The second example in the rules, before the turn that repeats its first position.
        for cycle in CycleRule::ALL {
            let rules = Options { cycle, ..Options::DEFAULT };
            let board = "wwbww/wwbww/w.www/bbwbb/bbwbb".parse().expect("a board");
            let mut game = Game::from_board(rules, board, Side::Black).expect("a position");
            for text in ["b2-b3", "c2-b2", "d2-c2", "d3-d2", "c3-d3"] {
                game.play(text).expect("legal");
            }
            let fresh = Game::from_board(rules, game.board(), game.side()).expect("a position");
            let repeating = Play::parse("b3-c3", rules.drop).expect("a turn");
            let first = (game.view().after(repeating, rules).swapped(), Side::Black);
            let value = |game| Lookahead { game, path: Vec::new() }.value(first, 2, -INFINITY, INFINITY);
            assert_eq!((value(&game) == 0, value(&fresh) == 0), (true, false));
            let children = |game| Lookahead { game, path: Vec::new() }.children((game.view(), game.side()), 1);
            assert!(children(&fresh).contains(&first.0));
            assert_eq!(children(&game).contains(&first.0), cycle == CycleRule::Draw);
        }
    }

    #[test]
    fn an_earlier_win_is_better() {
        let game = Game::new(Options::DEFAULT);
        let search = Lookahead { game: &game, path: Vec::new() };
        let lost = View::new(0b1111, (1 << 24) - 1 - 0b1111).expect("a view");
        let score = |depth| search.ended((lost, Side::White), depth).expect("over");
        assert!(score(2) < score(0) && score(0) < 0);
    }
}
