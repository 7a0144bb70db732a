//! Requirements on the standings of games of four.

use super::*;
use crate::results::rating::Elo;
use crate::results::standings::group_tests::{field, standings, tally};
use crate::results::standings::{Anchor, Counting, GroupStandings, RatingOptions};

fn judged(text: &str, standings: &GroupStandings) -> Result<JudgedRequirement, String> {
    let grounds = Grounds { standings: standings.into(), confidence: None };
    Requirement::parse(text).and_then(|requirement| requirement.judge(grounds)).map_err(|error| error.to_string())
}

#[test]
fn points_places_and_ratings_can_be_required() {
    let standings = standings(&field(), Counting::default());
    for (text, expected) in [
        ("ada.points == 10", "held: ada.points == 10 (10 == 10)"),
        ("ada.mean_placing <= 2", "NOT HELD: ada.mean_placing <= 2 (2.333333 <= 2)"),
        ("cyd.mean_placing < ada.mean_placing", "held: cyd.mean_placing < ada.mean_placing (2.166667 < 2.333333)"),
        ("ada.score > 0.5", "held: ada.score > 0.5 (0.555556 > 0.5)"),
        ("ada.places.1 >= 3", "held: ada.places.1 >= 3 (3 >= 3)"),
        ("ada.forfeits == 0", "NOT HELD: ada.forfeits == 0 (1 == 0)"),
        ("dov.forfeits_by_kind.time == 1", "held: dov.forfeits_by_kind.time == 1 (1 == 1)"),
        ("cyd.resignations == 1", "held: cyd.resignations == 1 (1 == 1)"),
        ("ada.head_to_head.bea.before > 3", "held: ada.head_to_head.bea.before > 3 (4 > 3)"),
        ("dov.head_to_head.eli.games == 0", "held: dov.head_to_head.eli.games == 0 (0 == 0)"),
    ] {
        assert_eq!(judged(text, &standings).map(|judged| judged.to_string()).as_deref(), Ok(expected), "{text}");
    }
    let ratings = judged("cyd > dov", &standings).expect("ratings");
    assert!(ratings.holds && ratings.probability.is_some_and(|probability| probability > 0.5), "{ratings}");
}

#[test]
fn a_rating_is_compared_with_a_number_if_an_anchor_fixes_the_zero() {
    let anchor = Anchor { player: "bea".to_owned(), elo: Elo(1500.0), deviation: None };
    let options = RatingOptions { anchors: vec![anchor], ..RatingOptions::default() };
    let anchored = GroupStandings::of(&tally(&field(), Counting::default()), &options).expect("a player");
    assert!(judged("bea == 1500", &anchored).expect("anchored").holds);
    assert!(judged("dov < 1500", &anchored).expect("anchored").holds);
    let free = standings(&field(), Counting::default());
    let error = judged("bea >= 1500", &free).expect_err("no zero");
    assert!(error.contains("add `--anchor NAME=ELO`"), "{error}");
}

#[test]
fn a_figure_that_only_games_of_two_have_is_refused() {
    let standings = standings(&field(), Counting::default());
    for (text, expected) in [
        ("fit.p_value > 0.01", "character 1: `fit` applies only to games with two players"),
        ("workers.differing == 0", "character 1: `workers` applies only to games with two players"),
        ("ada.result.place == 1", "character 5: `result` applies only to games with two players"),
        ("sprt == H1", "character 1: `sprt` applies only to games with two players"),
        ("ada.margin > 0", "character 5: no figure is named `margin` (choose from `rank`, `elo`,"),
        ("ada.places.5 > 0", "character 12: no figure is named `5` (choose from `1`, `2`, `3`, `4`)"),
        ("ada.places > 0", "character 5: `places` contains several figures: continue with `.1`, `.2`, `.3`, `.4`"),
        ("adda > bea", "character 1: no player is named `adda` (did you mean `ada`?)"),
    ] {
        let error = judged(text, &standings).expect_err(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}
