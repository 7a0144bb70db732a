//! Tests with the books of small games, complete and damaged.

use std::sync::LazyLock;

use super::*;
use crate::exact::book::small_books::{any_start, build};
use crate::exact::solver::{Question, Solver, Table};
use crate::game::gothello::Board;

/// A game that begins in a late position, and its book.
struct Small {
    plan: BookPlan,
    book: Book,
}

/// Games whose start is won, drawn and lost for the side to move, with both black and white to move.
static SMALL: LazyLock<Vec<Small>> = LazyLock::new(|| {
    let mut random = SplitMix64::new(31);
    let mut small: Vec<Small> = Vec::new();
    while small.len() < 4 {
        let Some(start) = any_start(10, small.len() % 2, &mut random) else { continue };
        let outcome =
            BookEntry::solved(&mut Solver::new(&Table::for_game(&start)), Class::of(&start).0).map(|e| e.outcome);
        if outcome == Ok([1, 0, -1, 0][small.len()]) {
            let plan = BookPlan { start, plies: 2, live_from: 6 };
            small.push(Small { plan, book: build(&plan) });
        }
    }
    small
});

/// Returns the problems with a book after all its leaves are solved, and the outcomes that follow from it.
fn all_wrong(book: &Book, plan: &BookPlan) -> (Vec<BookContradiction>, BTreeSet<Class>) {
    let findings = check(book, plan);
    let table = Table::for_game(&plan.start);
    let mut solver = Solver::new(&table);
    let leaves = findings.leaves.iter();
    let broken = leaves.filter_map(|leaf| leaf.check(solver.winner(&leaf.game()).unwrap())).collect::<Vec<_>>();
    ([findings.contradictions, broken].concat(), findings.following)
}

/// Returns the same book with a different entry, or none, for one class.
fn with(book: &Book, class: Class, entry: Option<BookEntry>) -> Book {
    let mut other = Book::default();
    for (of, old) in book.entries() {
        if let Some(entry) = if of == class { entry } else { Some(old) } {
            other.insert(of, entry);
        }
    }
    other
}

/// Returns every `step`-th entry.
fn some(book: &Book, step: usize) -> impl Iterator<Item = (Class, BookEntry)> {
    book.entries().step_by(step)
}

#[test]
fn a_solved_book_holds_and_its_start_follows_from_its_leaves() {
    for Small { plan, book } in SMALL.iter() {
        let (wrong, following) = all_wrong(book, plan);
        assert_eq!(wrong, [], "{}", plan.start);

        assert!(following.contains(&Class::of(&plan.start).0), "{}", plan.start);
        let findings = check(book, plan);
        assert!(findings.replies > 20 && findings.moves > 100 && findings.leaves.len() > 20, "{findings:?}");
        assert_eq!(findings.outcomes.iter().sum::<usize>(), book.len());
        assert_eq!(book.to_string().parse::<Book>().as_ref(), Ok(book));
    }
}

/// Plays every game that can arise while `side` follows the book, one by one and ignoring symmetries.
fn follow(small: &Small, game: &Game, side: Side, solver: &mut Solver<'_>, turns: &mut usize) {
    if game.is_over() || small.plan.is_live(game) {
        return;
    }
    if game.side() == side {
        let reply = small.book.reply(game).unwrap_or_else(|| panic!("no move for\n{game}"));
        let legal = points(game.placements()).any(|point| point.to_move() == reply) || reply == Move::PASS;
        assert!(legal, "{reply} on\n{game}");
        let next = game.after(reply);
        assert_eq!(solver.winner(&next), solver.winner(game), "{reply} on\n{game}");
        *turns += 1;
        follow(small, &next, side, solver, turns);
    } else {
        for point in points(game.placements()) {
            follow(small, &game.place(point), side, solver, turns);
        }
        follow(small, &game.pass(), side, solver, turns);
    }
}

#[test]
fn following_a_book_always_finds_a_move_and_never_changes_who_wins() {
    for small in SMALL.iter() {
        let table = Table::for_game(&small.plan.start);
        let mut solver = Solver::new(&table);
        for side in Side::BOTH {
            let mut turns = 0;
            follow(small, &small.plan.start, side, &mut solver, &mut turns);
            assert!(turns > 8, "{turns}");
        }
    }
}

#[test]
fn every_missing_entry_and_every_missing_move_is_found() {
    for Small { plan, book } in SMALL.iter() {
        for (class, entry) in some(book, 7) {
            let wrong = check(&with(book, class, None), plan).contradictions;
            assert!(wrong.contains(&BookContradiction { class, problem: BookProblem::Missing }), "{class:?}");
            let wrong = check(&with(book, class, Some(BookEntry { reply: None, ..entry })), plan).contradictions;
            assert!(wrong.contains(&BookContradiction { class, problem: BookProblem::NoReply }), "{class:?}");
        }
    }
}

#[test]
fn a_wrong_outcome_is_found_or_does_not_count_as_following() {
    let mut found = 0;
    for Small { plan, book } in SMALL.iter() {
        for (class, entry) in some(book, 5) {
            for outcome in (-1..=1).filter(|&outcome| outcome != entry.outcome) {
                let broken = with(book, class, Some(BookEntry { outcome, ..entry }));
                let (wrong, following) = all_wrong(&broken, plan);
                found += usize::from(!wrong.is_empty());
                assert!(!wrong.is_empty() || !following.contains(&class), "{outcome} for {entry:?} of {class:?}");
            }
        }
        let start = Class::of(&plan.start).0;
        for outcome in -1..=1 {
            let entry = book.entry(start).unwrap();
            let wrong = check(&with(book, start, Some(BookEntry { outcome, ..entry })), plan).contradictions;
            assert_eq!(wrong.iter().any(|wrong| wrong.class == start), outcome != entry.outcome);
        }
    }
    assert!(found > 50, "{found}");
}

#[test]
fn a_losing_move_is_found_or_does_not_count_as_following() {
    let mut found = 0;
    for Small { plan, book } in SMALL.iter() {
        let table = Table::for_game(&plan.start);
        let mut solver = Solver::new(&table);
        for (class, entry) in some(book, 2).filter(|(_, entry)| entry.outcome >= 0) {
            let game = class.game();
            let keeping = solver.best_moves(&game, Question::Winner).unwrap();
            let losing = points(game.placements()).map(Point::to_move).chain([Move::PASS]);
            let Some(reply) = losing.into_iter().find(|by| !keeping.contains(by)) else { continue };
            let (wrong, following) =
                all_wrong(&with(book, class, Some(BookEntry { reply: Some(reply), ..entry })), plan);
            found += usize::from(!wrong.is_empty());
            assert!(!wrong.is_empty() || !following.contains(&class), "{reply} in {entry:?} of {class:?}");
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn a_move_that_loses_by_another_entry_is_found_without_a_search() {
    for Small { plan, book } in SMALL.iter() {
        let class = Class::of(&plan.start).0;
        let entry = book.entry(class).unwrap();
        let table = Table::for_game(&plan.start);
        let keeping = Solver::new(&table).best_moves(&class.game(), Question::Winner).unwrap();
        for reply in points(class.game().placements()).map(Point::to_move).chain([Move::PASS]) {
            let wrong = check(&with(book, class, Some(BookEntry { reply: Some(reply), ..entry })), plan).contradictions;
            let loses =
                |wrong: &BookContradiction| wrong.class == class && matches!(wrong.problem, BookProblem::Loses { .. });
            assert_eq!(wrong.iter().any(loses), !keeping.contains(&reply), "{reply} on\n{}", class.game());
        }
    }
}

#[test]
fn a_reply_is_compared_with_the_book_after_every_answer() {
    for Small { plan, .. } in SMALL.iter().filter(|small| small.book.outcome(&small.plan.start) >= Some(0)) {
        // This book contains only the lines of both sides.
        let plan = BookPlan { plies: 0, ..*plan };
        let book = build(&plan);
        let class = Class::of(&plan.start).0;
        let entry = book.entry(class).unwrap();
        let next = class.game().after(entry.reply.unwrap());
        let mut answers = 0;
        for point in points(next.placements()) {
            let answered = Class::of(&next.place(point)).0;
            let broken = with(&book, answered, Some(BookEntry { outcome: -1, ..book.entry(answered).unwrap() }));
            let wrong = check(&broken, &plan).contradictions;
            let loses =
                |wrong: &BookContradiction| wrong.class == class && matches!(wrong.problem, BookProblem::Loses { .. });
            assert!(wrong.iter().any(loses), "{point} on\n{next}");
            answers += 1;
        }
        assert!(answers > 3, "{answers}");
    }
}

#[test]
fn nothing_follows_from_a_pass_that_lets_the_game_end_with_less() {
    let start = Game::from_board("..... ..w.. ..... ..b.. .....".parse().unwrap(), Side::Black);
    let plan = BookPlan { start, plies: 0, live_from: 23 };
    let (class, _) = Class::of(&start);
    for (outcome, follows) in [(0, true), (1, false)] {
        let mut book = Book::default();
        book.insert(class, BookEntry { outcome, margin: None, reply: Some(Move::PASS) });
        let findings = check(&book, &plan);
        let at_least = Following::new(&book, &plan).at_least(&start);
        assert_eq!((at_least, findings.contradictions.is_empty()), (follows, follows), "{outcome}");
    }
}

#[test]
fn illegal_moves_and_margins_of_another_outcome_are_found() {
    let Small { plan, book } = &SMALL[0];
    for (class, entry) in some(book, 9) {
        let taken = Point::all().find(|point| class.game().placements() & point.bit() == 0).unwrap().to_move();
        let wrong = check(&with(book, class, Some(BookEntry { reply: Some(taken), ..entry })), plan).contradictions;
        assert_eq!(wrong, [BookContradiction { class, problem: BookProblem::Illegal(taken) }]);
        let margin = if entry.outcome > 0 { -2 } else { 2 };
        let wrong = check(&with(book, class, Some(BookEntry { margin: Some(margin), ..entry })), plan).contradictions;
        let problem = BookProblem::Margin { margin, outcome: entry.outcome };
        assert_eq!(wrong, [BookContradiction { class, problem }]);
    }
}

#[test]
fn a_wrong_margin_is_found_if_the_margins_after_all_moves_are_known() {
    for Small { plan, book } in SMALL.iter() {
        let table = Table::for_game(&plan.start);
        let mut solver = Solver::new(&table);
        let mut exact = book.clone();
        for class in plan.first_plies() {
            let margin = Some(solver.margin(&class.game()).unwrap());
            exact.insert(class, BookEntry { margin, ..book.entry(class).unwrap() });
        }
        assert_eq!(check(&exact, plan).contradictions, []);
        let class = Class::of(&plan.start).0;
        let entry = exact.entry(class).unwrap();
        for margin in entry.margin.map(|margin| [margin - 1, margin + 1]).into_iter().flatten() {
            let wrong = BookEntry { margin: Some(margin), outcome: margin.signum(), ..entry };
            let wrong = check(&with(&exact, class, Some(wrong)), plan).contradictions;
            assert!(wrong.iter().any(|wrong| wrong.class == class), "{margin} for {entry:?}");
        }
    }
}

#[test]
fn entries_by_which_neither_side_wants_to_move_contradict_each_other() {
    let lost = |board: &str| {
        let class = Class::of(&Game::from_board(board.parse().unwrap(), Side::Black)).0;
        (class, BookEntry { outcome: -1, margin: None, reply: None })
    };
    let both = [lost("..... ..... .w... ..... b...."), lost("..... ..... .b... ..... w....")];
    let mut book = Book::default();
    for (class, entry) in both {
        book.insert(class, entry);
    }
    let wrong = check(&book, &BookPlan::default()).contradictions;
    let (said, found) = (Span::won_by(Some(Side::White)), Span::won_by(Some(Side::Black)));
    for (class, _) in both {
        assert!(wrong.contains(&BookContradiction { class, problem: BookProblem::OnMove { said, found } }));
    }
}

#[test]
fn a_contradiction_is_readable() {
    let board: Board = "..... ..... ..... ..... .....".parse().unwrap();
    let (class, _) = Class::of(&Game::from_board(board, Side::Black));
    let (said, found) = (Span::won_by(Some(Side::White)), Span { lower: 1, upper: 24 });
    for (problem, text) in [
        (BookProblem::Missing, "its entry is missing"),
        (BookProblem::TooLittle { said, by: Move::PASS, found }, "a loss is too little: `pass` leads to a win"),
        (BookProblem::Margin { margin: -3, outcome: 1 }, "the margin -3 does not fit a win"),
        (
            BookProblem::Leaf { passed: true, promised: 1, found: 0 },
            "after a pass, a win was promised, but it is a draw",
        ),
    ] {
        assert_eq!(BookContradiction { class, problem }.to_string(), format!("..... ..... ..... ..... .....: {text}"));
    }
}

#[test]
fn samples_follow_the_seed_without_repetition_and_are_never_larger_than_the_whole() {
    let Small { plan, book } = &SMALL[0];
    let leaves = check(book, plan).leaves;
    let ten = sample(&leaves, 10, 1);
    assert_eq!(ten, sample(&leaves, 10, 1));
    assert_ne!(ten, sample(&leaves, 10, 2));
    assert_eq!(ten.iter().collect::<BTreeSet<_>>().len(), 10);
    let mut all = sample(&leaves, usize::MAX, 3);
    all.sort_unstable();
    assert_eq!(all, leaves);
}

#[test]
fn a_small_plan_has_all_positions_of_its_first_plies() {
    for Small { plan, .. } in SMALL.iter() {
        let mut reached = BTreeSet::new();
        let mut games = vec![plan.start];
        for _ in 0..=plan.plies {
            reached.extend(games.iter().map(|game| Class::of(game).0));
            games = games
                .iter()
                .flat_map(|game| points(game.placements()).map(|point| game.place(point)).chain([game.pass()]))
                .filter(|game| !game.is_over())
                .collect();
        }
        assert_eq!(plan.first_plies().into_iter().collect::<BTreeSet<_>>(), reached);
    }
}
