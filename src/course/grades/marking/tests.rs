use super::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::course::grades::{DrillTerms, MarkState};
use crate::drill::readiness::TrialStatus;
use crate::drill::script::{BotSeat, OrdinaryClock};
use crate::game::{BySide, Move, Outcome, Ruleset};
use crate::referee::record::{GameRecord, Ply, Try, TryKind};
use crate::referee::result::{GameResult, Void};
use crate::referee::time_control::SideControl;
use crate::results::analysis::{Analysis, AnalyzedMove, BetterLines, Phase};
use crate::tournament::definition::PlayerDefinition;
use proptest::prelude::*;

/// A rubric with an item worth 20 points, and an item worth no points that requires games against greedy.
fn rubric(lines: &str) -> Rubric {
    let text = format!(
        "title = \"t\"\ntotal = 20\nrounding = 0.5\n[play]\ngames = 4\nmax_games = 4\n\
         [[item]]\nid = \"a\"\npoints = 20\n{lines}\n\
         [[item]]\nid = \"games\"\npoints = 0\nagainst = \"greedy\"\nscore = {{ full = 1.0, zero = 0.0 }}\n"
    );
    Rubric::parse(&text).unwrap_or_else(|problems| panic!("{problems}"))
}

/// How a student's game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Won,
    Drawn,
    Lost,
    Forfeited(Termination),
    Void,
}

/// Game `number`, from 0, of a student who plays black in every other game. Different values of `seed` make the moves
/// differ.
fn game(number: u32, end: End, seed: u32) -> GradedGame {
    let side = if number.is_multiple_of(2) { Side::Black } else { Side::White };
    let mut players = BySide { black: "greedy".to_owned(), white: "greedy".to_owned() };
    players[side] = "heron".to_owned();
    let winner = match end {
        End::Won => Some(side),
        End::Drawn | End::Void => None,
        End::Lost | End::Forfeited(_) => Some(side.opponent()),
    };
    let termination = if let End::Forfeited(kind) = end { kind } else { Termination::Normal };
    let result = match end {
        End::Void => Err(Void { reason: "no memory".to_owned() }),
        _ => Ok(GameResult::new(winner, termination, None, None).expect("a result")),
    };
    let mut record = GameRecord::of(Ruleset::Gothello, players, result);
    record.round = Some(number / 2 + 1);
    let id = format!("r{}-{}", number / 2 + 1, number % 2);
    record.game = Some(id.clone());
    let points = ["a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2"];
    let moves = [points[seed as usize % 8], points[(seed as usize / 8 + 1 + seed as usize) % 8]];
    for (side, text) in Side::BOTH.into_iter().zip(moves) {
        record.plies.push(Ply::untimed(side, text.parse::<Move>().expect("a move")));
    }
    GradedGame {
        id: format!("heron/greedy/{id}"),
        baseline: "greedy".to_owned(),
        side,
        is_first: false,
        record,
        repeats: None,
        analysis: None,
        log: PathBuf::from(format!("{id}.log")),
        stderr_tail: None,
    }
}

fn games(ends: [End; 4]) -> Vec<GradedGame> {
    (0..4).zip(ends).map(|(number, end)| game(number, end, number)).collect()
}

fn trial(id: &str, level: Level, status: TrialStatus) -> KeptTrial {
    KeptTrial {
        id: id.to_owned(),
        side: Side::Black.into(),
        level,
        status,
        summary: String::new(),
        diagnoses: Vec::new(),
        transcript: None,
        made: 100,
        refused: 0,
        garbled: 0,
        games: 1,
        games_ms: 1,
        void: false,
    }
}

const CONTROL: SideControl = SideControl::sudden_death(Duration::from_secs(10));

fn drill(trials: Vec<KeptTrial>) -> KeptDrill {
    let player = crate::drill::readiness::TriedPlayer {
        player: "heron".to_owned(),
        command: String::new(),
        sides: BotSeat::all(2).collect(),
        dir: None,
        digest: Some("0".to_owned()),
        broken: None,
        control: CONTROL,
        trials: Vec::new(),
        took: Duration::ZERO,
    };
    let definition = PlayerDefinition { name: "heron".to_owned(), facts: BTreeMap::new() };
    let bot = crate::course::grades::TriedBot { files: BTreeMap::new(), products: None, submission: None, definition };
    let terms = DrillTerms { ruleset: Ruleset::Gothello, clock: OrdinaryClock::of_wall_time(CONTROL) };
    KeptDrill { trials, ..KeptDrill::of(&player, terms, "A", bot) }
}

/// The first mark of a student with the given `drill` and `games`.
fn mark(rubric: &Rubric, drill: KeptDrill, games: Vec<GradedGame>) -> ItemMark {
    let evidence = StudentEvidence { player: "heron".to_owned(), slug: "heron".to_owned(), drill, games };
    grade(rubric, evidence).marks.remove(0)
}

fn points(mark: &ItemMark) -> Option<f64> {
    mark.points.map(crate::course::rubric::GradePoints::number)
}

const MUST: Level = Level::Must;
const CHECK: &str = "check = { level = \"must\" }";
const FORFEITS: &str = "forfeits = { full = 0, zero = 4, kinds = [\"time\", \"crash\"] }";
const LEGALITY: &str = "legality = { refused_per_1000 = 0, zero_at = 50 }";

#[test]
fn a_check_counts_the_scenarios_of_its_level_and_a_warning_on_a_must_is_not_a_failure() {
    use TrialStatus::{Fail, Info, Pass, Skip, Timeout, Warn};
    let of = |statuses: &[TrialStatus]| {
        let trials = statuses.iter().map(|&status| trial("plain", MUST, status));
        drill(trials.chain([trial("win", Level::Should, Warn)]).collect())
    };
    for (statuses, all, share) in [
        (&[Pass, Info, Warn, Pass][..], false, 20.0),
        (&[Pass, Fail, Timeout, Skip], false, 5.0),
        (&[Pass, Fail], true, 0.0),
        (&[Pass, Pass], true, 20.0),
    ] {
        let rubric = rubric(if all { "check = { level = \"must\", all = true }" } else { CHECK });
        let mark = mark(&rubric, of(statuses), games([End::Won; 4]));
        assert_eq!(points(&mark), Some(share), "{statuses:?}");
        assert_eq!(mark.evidence.trials.len(), statuses.len());
    }
    let should = mark(&rubric("check = { level = \"should\" }"), of(&[Fail]), games([End::Won; 4]));
    assert_eq!((points(&should), should.sentence.as_str()), (Some(0.0), "Passed 0 of 1 check that a bot should pass."));
}

#[test]
fn what_was_left_out_because_the_machine_was_busy_leaves_the_item_open() {
    use crate::drill::readiness::{SkipReason, Trial};
    let scenario = crate::drill::script::Scenario::find("plain").expect("a scenario");
    for (why, points_given) in [
        (SkipReason::Starved { scenarios: 3, side: Side::White.into() }, None),
        (SkipReason::Hung { scenarios: 3, side: Side::White.into() }, Some(10.0)),
    ] {
        let skipped = Trial::skipped(scenario, Side::White, why);
        let mut drill = drill(vec![trial("plain", MUST, TrialStatus::Pass)]);
        drill.trials.push(KeptTrial::of(&skipped));
        assert_eq!(drill.is_final(), points_given.is_some());
        assert_eq!(points(&mark(&rubric(CHECK), drill, games([End::Won; 4]))), points_given);
    }
}

#[test]
fn a_bot_with_one_side_has_pairs_of_that_side_and_the_share_that_the_rubric_gives_it() {
    // The student plays both games of each round as black.
    let black = |number: u32, end: End, seed: u32| {
        let mut game = game(number - number % 2, end, seed);
        game.id = format!("{}-{}", game.id, number % 2 + 1);
        game
    };
    let two = [black(0, End::Won, 1), black(1, End::Lost, 2), black(2, End::Won, 3), black(3, End::Won, 4)];
    let pairs: Vec<Option<u8>> = pairs_of(&two).into_iter().map(|pair| Some(pair?.half_points)).collect();
    assert_eq!(pairs, [Some(2), Some(4)]);
    let sided = || {
        let mut drill = drill(vec![trial("plain", MUST, TrialStatus::Pass)]);
        drill.definition.facts.insert("sides".to_owned(), "black".to_owned());
        drill
    };
    assert_eq!(points(&mark(&rubric(CHECK), sided(), two.to_vec())), Some(20.0));
    let half = Rubric { one_side: 0.5, ..rubric(CHECK) };
    let marked = mark(&half, sided(), two.to_vec());
    assert_eq!(points(&marked), Some(10.0));
    assert!(
        marked.sentence.ends_with("The bot plays only black, so it gets 50% of these points."),
        "{}",
        marked.sentence
    );
    assert_eq!(points(&mark(&half, drill(vec![trial("plain", MUST, TrialStatus::Pass)]), two.to_vec())), Some(20.0));
}

#[test]
fn scenarios_that_no_bot_could_play_by_these_rules_do_not_count() {
    let trials = vec![trial("plain", MUST, TrialStatus::Pass), trial("captures", MUST, TrialStatus::Skip)];
    let other = KeptDrill { ruleset: "othello".parse().expect("rules"), ..drill(trials.clone()) };
    assert_eq!(points(&mark(&rubric(CHECK), other, games([End::Won; 4]))), Some(20.0));
    assert_eq!(points(&mark(&rubric(CHECK), drill(trials), games([End::Won; 4]))), Some(10.0));
}

#[test]
fn a_void_trial_or_game_leaves_marks_incomplete_and_never_costs_points() {
    let void = KeptTrial { void: true, ..trial("plain", MUST, TrialStatus::Fail) };
    let pass = || drill(vec![trial("plain", MUST, TrialStatus::Pass)]);
    let unbuilt = || KeptDrill { void: Some("no room".to_owned()), ..drill(Vec::new()) };
    let with_void = || games([End::Won, End::Void, End::Won, End::Won]);
    for (rule, drill, games) in [
        (CHECK, drill(vec![void.clone()]), games([End::Won; 4])),
        (LEGALITY, drill(vec![void]), games([End::Won; 4])),
        (LEGALITY, pass(), with_void()),
        (CHECK, unbuilt(), Vec::new()),
        (LEGALITY, unbuilt(), games([End::Won; 4])),
        (FORFEITS, pass(), with_void()),
        (FORFEITS, pass(), games([End::Won; 4]).split_off(1)),
        ("against = \"greedy\"\nscore = { full = 0.5, zero = 0.2 }", pass(), with_void()),
        ("accuracy = { figure = \"winner_kept\", full = 0.9, zero = 0.1 }", pass(), with_void()),
    ] {
        let mark = mark(&rubric(rule), drill, games);
        assert_eq!((mark.points, mark.state), (None, MarkState::Incomplete), "{rule}: {}", mark.sentence);
    }
}

#[test]
fn a_bot_that_never_moves_gets_nothing_for_legal_moves_or_for_games_without_forfeits() {
    let mut idle = games([End::Forfeited(Termination::NotStarted); 4]);
    for game in &mut idle {
        game.record.plies.clear();
    }
    let broken = || KeptDrill { broken: Some("its build failed".to_owned()), ..drill(Vec::new()) };
    for rule in [CHECK, LEGALITY, FORFEITS] {
        let mark = mark(&rubric(rule), broken(), idle.clone());
        assert_eq!(points(&mark), Some(0.0), "{rule}");
        assert!(mark.figure.is_some_and(|figure| figure.value.is_finite()), "{rule}");
    }
}

#[test]
fn a_bot_that_made_no_move_in_one_game_keeps_its_points_for_the_others() {
    let mut ends = games([End::Forfeited(Termination::Crash), End::Lost, End::Lost, End::Lost]);
    let own = ends[0].side;
    ends[0].record.plies.retain(|ply| ply.side() != own);
    let mark = mark(&rubric(FORFEITS), drill(Vec::new()), ends);
    assert_eq!(points(&mark), Some(15.0), "{}", mark.sentence);
    assert!(mark.sentence.starts_with("Forfeited 1 of 4 games: 1 crash"), "{}", mark.sentence);
}

#[test]
fn legality_counts_what_was_refused_in_the_drill_and_in_the_games() {
    let bad = KeptTrial { refused: 2, garbled: 1, made: 93, ..trial("plain", MUST, TrialStatus::Fail) };
    let mut games = games([End::Won; 4]);
    let refused = Try::new(TryKind::Illegal, "c3");
    games[0].record.plies[0].tries.push(refused.clone());
    // Refused lines of the opponent do not count against the student.
    games[0].record.plies[1].tries.push(refused);
    let mark = mark(&rubric(LEGALITY), drill(vec![bad]), games);
    // 97 moves were accepted, and 4 lines were refused.
    assert_eq!(mark.figure.map(|figure| (figure.value * 101.0).round()), Some(4000.0));
    assert_eq!(points(&mark), Some(4.0));
}

#[test]
fn a_bot_that_ends_its_games_early_gets_points_for_the_moves_it_has_shown() {
    // The bot makes one move in each game and in each scenario, and passes no scenario; then it makes 50 moves in a
    // scenario that it passes.
    let crashed = || games([End::Forfeited(Termination::Crash); 4]);
    let failed = || trial("legal-20", MUST, TrialStatus::Fail);
    let passed = KeptTrial { made: 50, ..trial("plain", MUST, TrialStatus::Pass) };
    for (trials, games, share) in [
        (vec![failed()], crashed(), 0.0),
        (vec![failed(), passed.clone()], crashed(), 10.0),
        (vec![failed(), passed.clone(), passed.clone()], crashed(), 20.0),
        (vec![failed()], games([End::Lost; 4]), 20.0),
    ] {
        let mark = mark(&rubric(LEGALITY), drill(trials), games);
        assert_eq!(points(&mark), Some(share), "{}", mark.sentence);
    }
    let less = "legality = { refused_per_1000 = 0, zero_at = 50, min_moves = 50 }";
    assert_eq!(points(&mark(&rubric(less), drill(vec![passed]), crashed())), Some(20.0));
}

#[test]
fn a_student_forfeits_the_games_that_end_by_the_students_own_forfeit() {
    let (black, white) = (Some(Side::Black), Some(Side::White));
    for (winner, termination, of_black, of_white) in [
        (black, Termination::Normal, false, false),
        (white, Termination::Resignation, false, false),
        (None, Termination::Normal, false, false),
        (white, Termination::Time, true, false),
        (black, Termination::NotStarted, false, true),
        (None, Termination::DoubleForfeit, true, true),
    ] {
        for (side, is_forfeit) in [(Side::Black, of_black), (Side::White, of_white)] {
            let mut game = game(0, End::Won, 0);
            game.side = side;
            game.record.result = Ok(GameResult::new(winner, termination, None, None).expect("a result"));
            assert_eq!(game.forfeit(), is_forfeit.then_some(termination), "{termination} as {side}");
        }
    }
    assert_eq!(game(0, End::Void, 0).forfeit(), None);
}

#[test]
fn forfeits_count_by_kind() {
    let played =
        games([End::Forfeited(Termination::Time), End::Forfeited(Termination::Illegal), End::Lost, End::Drawn]);
    let mark = mark(&rubric(FORFEITS), drill(Vec::new()), played);
    assert_eq!((points(&mark), mark.evidence.games.len()), (Some(15.0), 1));
    assert_eq!(mark.sentence, "Forfeited 1 of 4 games: 1 time. 1 more forfeit does not count: 1 illegal.");
}

#[test]
fn a_score_is_a_mean_of_pairs_with_its_interval_and_repeated_games_count_once() {
    let rule = "against = \"greedy\"\nscore = { full = 0.75, zero = 0.25, confidence = 0.5, doubt = \"none\" }";
    let distinct = mark(&rubric(rule), drill(Vec::new()), games([End::Won, End::Drawn, End::Lost, End::Won]));
    assert_eq!((points(&distinct), distinct.evidence.distinct), (Some(15.0), Some(4)));
    assert_eq!(distinct.sentence, "Scored 2.5 of 4 games against greedy: 62.5%.");
    // The second pair repeats the first pair move for move.
    let ends = [End::Won, End::Lost, End::Won, End::Lost];
    let same = (0..4).zip(ends).map(|(number, end)| game(number, end, number % 2)).collect();
    let same = mark(&rubric(rule), drill(Vec::new()), same);
    assert_eq!((points(&same), same.evidence.distinct), (Some(10.0), Some(2)));
    assert_eq!(same.sentence, "Scored 2 of 4 games against greedy, 2 of them different: 50.0%.");
}

#[test]
fn the_points_follow_from_the_figure_as_it_is_shown_everywhere() {
    let text = |doubt: &str| {
        let rubric = rubric(&format!(
            "against = \"greedy\"\nscore = {{ full = 0.9, zero = 0.2, confidence = 0.8, doubt = \"{doubt}\" }}"
        ));
        let mut rubric = Rubric { rounding: crate::course::rubric::GradePoints::new(0.001).expect("points"), ..rubric };
        (rubric.play.games, rubric.play.max_games) = (20, 20);
        let ends = [End::Won, End::Drawn, End::Lost, End::Won];
        let played: Vec<GradedGame> =
            (0..20).zip(ends.into_iter().cycle()).map(|(number, end)| game(number, end, number)).collect();
        let mark = mark(&rubric, drill(Vec::new()), played);
        let figure = mark.figure.expect("a figure");
        let numbers = figure.interval.into_iter().flatten().chain([figure.value, figure.counted]);
        for number in numbers {
            assert!((number * 1000.0 - (number * 1000.0).round()).abs() < 1e-9, "{number}");
        }
        let expected = 20.0 * (figure.counted - 0.2) / 0.7;
        assert!((points(&mark).expect("points") - expected.clamp(0.0, 20.0)).abs() < 1e-3, "{mark:?}");
        (mark.sentence, format!("{:.1}%", 100.0 * figure.counted))
    };
    let (sentence, counted) = text("student");
    let plain = "Scored 12.5 of 20 games against greedy: 62.5%, and with the benefit of the doubt,";
    assert_eq!(sentence, format!("{plain} {counted} counts."));
    let (sentence, counted) = text("teacher");
    let plain = "Scored 12.5 of 20 games against greedy: 62.5%, but only";
    assert_eq!(sentence, format!("{plain} {counted} is certain, so only that counts."));
    assert_eq!(text("none").0, "Scored 12.5 of 20 games against greedy: 62.5%.");
}

#[test]
fn a_few_games_leave_no_benefit_of_the_doubt_and_a_borderline_mark() {
    let rule = "against = \"greedy\"\nscore = { full = 0.5, zero = 0.2, doubt = \"student\" }";
    let lost = mark(&rubric(rule), drill(Vec::new()), games([End::Lost; 4]));
    assert_eq!((points(&lost), lost.state), (Some(0.0), MarkState::Borderline));
    assert_eq!(lost.sentence, "Scored 0 of 4 games against greedy: 0.0%.");
    let won = mark(&rubric(rule), drill(Vec::new()), games([End::Won; 4]));
    assert_eq!((points(&won), won.state), (Some(20.0), MarkState::Borderline));
}

#[test]
fn a_bot_that_never_moves_against_a_baseline_gets_nothing_for_that_score() {
    let mut idle = games([End::Forfeited(Termination::NotStarted); 4]);
    for game in &mut idle {
        let side = game.side;
        game.record.plies.retain(|ply| ply.side() != side);
    }
    let rule = "against = \"greedy\"\nscore = { full = 0.1, zero = 0.0, confidence = 0.99 }";
    let idle = mark(&rubric(rule), drill(Vec::new()), idle);
    assert_eq!((points(&idle), idle.state), (Some(0.0), MarkState::Settled));
    assert_eq!(idle.sentence, "The bot made no move in any of its 4 games against greedy.");
}

/// A judged move by black that did not change who wins.
fn kept_move() -> AnalyzedMove {
    let value = Some(Outcome::of_margin(3));
    AnalyzedMove {
        side: Side::Black,
        played: Move::PASS,
        empty: 10,
        phase: Phase::Middle,
        given: false,
        before: value,
        after: value,
        depths: [None; 2],
        better: None,
    }
}

#[test]
fn too_few_judged_moves_make_a_mark_borderline_and_cost_points_only_if_all_games_were_forfeited() {
    let rule = "accuracy = { figure = \"winner_kept\", full = 0.9, zero = 0.1, min_judged = 9 }";
    for ends in [[End::Lost; 4], [End::Lost, End::Forfeited(Termination::Crash), End::Lost, End::Lost]] {
        let mut few = games(ends);
        let kept = kept_move();
        few[0].analysis =
            Some(Analysis { ruleset: Ruleset::Gothello, moves: vec![kept], lines: BetterLines::default() });
        let few = mark(&rubric(rule), drill(Vec::new()), few);
        assert_eq!((points(&few), few.state), (Some(20.0), MarkState::Borderline), "{}", few.sentence);
        assert!(
            few.sentence.ends_with(" threw away neither a win nor a draw; a final mark needs 9 moves."),
            "{}",
            few.sentence
        );
        assert!(few.figure.and_then(|figure| figure.interval).is_some_and(|[low, high]| low < 0.5 && high > 0.99));
    }
    let unjudged = mark(&rubric(rule), drill(Vec::new()), games([End::Lost; 4]));
    assert_eq!(unjudged.state, MarkState::Incomplete);
    let crashed = mark(&rubric(rule), drill(Vec::new()), games([End::Forfeited(Termination::Crash); 4]));
    assert_eq!((points(&crashed), crashed.state), (Some(0.0), MarkState::Settled));
}

#[test]
fn games_beyond_those_that_are_wanted_do_not_count() {
    let rule = "against = \"greedy\"\nscore = { full = 0.5, zero = 0.2 }";
    let all = games([End::Won; 4]).into_iter().chain([game(4, End::Lost, 20), game(5, End::Lost, 21)]).collect();
    let mark = mark(&rubric(rule), drill(Vec::new()), all);
    assert_eq!((mark.evidence.games.len(), points(&mark)), (4, Some(20.0)));
}

fn ends() -> impl Strategy<Value = End> {
    prop_oneof![
        Just(End::Won),
        Just(End::Drawn),
        Just(End::Lost),
        Just(End::Forfeited(Termination::Time)),
        Just(End::Forfeited(Termination::Crash)),
    ]
}

proptest! {
    #[test]
    fn marks_do_not_depend_on_the_order_of_the_evidence(
        ends in proptest::array::uniform4(ends()), seeds in proptest::array::uniform4(0_u32..3), shuffle in any::<proptest::sample::Index>(),
    ) {
        let played: Vec<GradedGame> = (0..4).zip(ends.into_iter().zip(seeds)).map(|(number, (end, seed))| game(number, end, seed)).collect();
        let mut other = played.clone();
        other.rotate_left(shuffle.index(4));
        for rule in [CHECK, LEGALITY, FORFEITS, "against = \"greedy\"\nscore = { full = 0.5, zero = 0.2 }"] {
            let of = |games| mark(&rubric(rule), drill(vec![trial("plain", MUST, TrialStatus::Pass)]), games);
            let (one, two) = (of(played.clone()), of(other.clone()));
            prop_assert_eq!(&one, &two);
            let points = one.points.map_or(0.0, crate::course::rubric::GradePoints::number);
            prop_assert!((0.0..=20.0).contains(&points));
            prop_assert!((points * 2.0).fract() == 0.0);
        }
    }

    #[test]
    fn winning_a_game_more_never_costs_points(ends in proptest::array::uniform4(ends()), which in 0_usize..4) {
        let rule = "against = \"greedy\"\nscore = { full = 0.75, zero = 0.25, doubt = \"none\" }";
        let mut better = ends;
        better[which] = End::Won;
        let of = |ends| points(&mark(&rubric(rule), drill(Vec::new()), games(ends)));
        prop_assert!(of(better) >= of(ends));
    }
}
