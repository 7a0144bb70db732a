use std::time::Duration;

use super::*;
use crate::referee::result::{Limit, Termination};
use crate::referee::time_control::SideControl;
use proptest::prelude::*;

/// The problems of `text`, one per line.
fn problems(text: &str) -> String {
    Rubric::parse(text).expect_err("it is wrong").to_string()
}

/// A rubric with `lines` in its only item, which is worth ten points.
fn with_item(lines: &str) -> String {
    format!("title = \"t\"\ntotal = 10\n[[item]]\nid = \"a\"\npoints = 10\n{lines}\n")
}

#[test]
fn the_example_has_what_it_says() {
    let rubric = Rubric::parse(RUBRIC_TOML).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!((rubric.title.as_str(), rubric.total.to_string().as_str()), ("CS 441 final", "100"));
    let kinds: Vec<&str> = rubric.items.iter().map(RubricItem::kind).collect();
    assert_eq!(kinds, ["check", "legality", "forfeits", "score", "score", "accuracy", "manual", "score"]);
    let baselines: Vec<String> = rubric.baselines().iter().map(ToString::to_string).collect();
    assert_eq!(baselines, ["greedy", "alphabeta 2", "alphabeta 3"]);
    assert_eq!(rubric.play.control, Some(SideControl::sudden_death(Duration::from_mins(1))));
    let ItemRule::Forfeits { kinds, scale } = &rubric.items[2].rule else { panic!("forfeits") };
    // A game lost because of a limit is a forfeit like any other.
    assert!(
        kinds.contains(&Termination::Limit(Limit::Memory)) && kinds.iter().all(|kind| kind.is_forfeit()),
        "{kinds:?}"
    );
    let ItemRule::Legality(legality) = &rubric.items[1].rule else { panic!("legality") };
    assert_eq!(legality.min_moves, 100);
    // With a fifth of the games, a fifth of the forfeits is enough to lose all points.
    let cut = rubric.clone().cut_to(4);
    let ItemRule::Forfeits { scale: cut_scale, .. } = &cut.items[2].rule else { panic!("forfeits") };
    assert_eq!((cut.play.games, cut.play.max_games), (4, 4));
    assert!((cut_scale.zero() - scale.zero() / 5.0).abs() < 1e-9 && cut_scale.full() == 0.0, "{cut_scale:?}");
    assert_eq!(rubric.clone().cut_to(20), rubric);
}

#[test]
fn forfeits_of_some_kinds_can_be_counted_alone() {
    let games = "[[item]]\nid = \"b\"\npoints = 0\nagainst = \"greedy\"\nscore = { full = 0.5, zero = 0.2 }\n";
    let text = with_item("forfeits = { full = 0, zero = 5, kinds = [\"time\", \"crash\"] }") + games;
    let rubric = Rubric::parse(&text).unwrap_or_else(|problems| panic!("{problems}"));
    let ItemRule::Forfeits { kinds, .. } = &rubric.items[0].rule else { panic!("forfeits") };
    assert_eq!(*kinds, [Termination::Time, Termination::Crash]);
}

#[test]
fn what_is_left_out_has_its_default() {
    let rubric = Rubric::parse(&with_item("against = \"greedy\"\nscore = { full = 0.5, zero = 0.2 }")).expect("right");
    assert_eq!(rubric.rounding.to_string(), "0.5");
    let play = RubricPlay { games: 20, max_games: 100, control: None, seed: 0, analysis: Duration::from_secs(5) };
    assert_eq!(rubric.play, play);
    let ItemRule::Score(score) = &rubric.items[0].rule else { panic!("a score") };
    assert_eq!((score.confidence.to_string().as_str(), score.doubt), ("0.9", crate::course::rubric::Doubt::Student));
}

#[test]
fn games_have_any_time_control_of_a_tournament() {
    let with = |play: &str| with_item("manual = true").replace("[[item]]", &format!("[play]\n{play}\n[[item]]"));
    for (play, expected) in [
        ("time = \"60s + 1s\"", "60+1"),
        ("time = \"10m, 5 x 30s\"", "600:5x30"),
        ("move_time = \"1s\"", "1/move"),
        ("move_time = \"1s\"\nbank = \"60s\"", "1/move+60bank"),
    ] {
        let rubric = Rubric::parse(&with(play)).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(rubric.play.control.map(|control| control.to_string()).as_deref(), Some(expected));
    }
    for (play, flaw) in [
        (
            "time = \"60s\"\nmove_time = \"1s\"",
            "5:1: `move_time` and `time` cannot be used together (remove one of them)",
        ),
        ("bank = \"60s\"", "4:1: `bank` also needs `move_time`"),
        ("time = \"1s/move\"", "4:8: `time`"),
    ] {
        let said = problems(&with(play));
        assert!(said.starts_with(flaw) && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn more_games_than_the_default_maximum_are_the_maximum() {
    let rubric = "title = \"t\"\ntotal = 0\n[play]\ngames = 200\n[[item]]\nid = \"a\"\npoints = 0\nmanual = true\n";
    assert_eq!(Rubric::parse(rubric).expect("right").play.max_games, 200);
}

#[test]
fn everything_wrong_is_said_at_once_with_its_place() {
    let text = "titel = \"t\"\ntotal = 30\nrounding = 0.4\n[play]\ngames = 7\nmax_games = 4\n\n[[item]]\nid = \"a b\"\npoints = 10\n\
                chek = { level = \"must\" }\n[[item]]\nid = \"b\"\npoints = 20\nagainst = \"gredy\"\nscore = { full = 0.2, zero = 0.5, \
                doubt = \"studnet\" }\n";
    let said = problems(text);
    for line in [
        "1:1: unknown key `titel`: did you mean `title`?",
        "1:1: this rubric has no `title` (write `title = \"CS 441 final\"`)",
        "5:1: `games` must be even, since half of the games against each opponent are played as black, but it is 7",
        "8:1: this item has nothing to grade (write `check`, `legality`, `forfeits`, `score`, `accuracy` or `manual = true` under it)",
        "9:6: `id` must consist of 1 to 60 letters, digits, `-` and `_`, and must not begin with `-`",
        "11:1: unknown key `chek`: did you mean `check`?",
        "15:11: `against`: `gredy`: there is no such built-in bot; did you mean `greedy`?",
        "16:11: `score`: the figure for all points must be more than the figure for no points, but `full` is 0.2 and `zero` is 0.5",
        "16:43: `doubt`: unknown value `studnet`: did you mean `student`?",
    ] {
        assert!(said.lines().any(|problem| problem == line), "{line}\n\n{said}");
    }
    assert_eq!(said.lines().count(), 9, "{said}");
}

#[test]
fn each_rule_that_holds_between_values_is_stated() {
    for (text, message) in [
        (
            with_item("manual = true").replace("total = 10", "total = 11"),
            "2:1: `total` is 11, but the points of all items without `bonus` add up to 10",
        ),
        (
            with_item("manual = true\nbonus = true"),
            "2:1: `total` is 10, but the points of all items without `bonus` add up to 0",
        ),
        (
            with_item("manual = true").replace("total = 10\n", "total = 10\nrounding = 3\n"),
            "6:10: `points`: 10 is not a multiple of `rounding`, which is 3",
        ),
        (
            with_item("manual = true").replace("total = 10\n", "total = 10\nrounding = 0\n"),
            "3:1: `rounding` must be more than 0 (write `rounding = 0.5`)",
        ),
        (with_item("manual = false"), "6:1: `manual`: `false` has no effect (write `manual = true`, or leave it out)"),
        (
            with_item("manual = true\ncheck = { level = \"must\" }"),
            "6:1: `manual` and `check` cannot be used together: an item grades one thing",
        ),
        (
            with_item("score = { full = 0.5, zero = 0.2 }"),
            "6:1: `score` needs an opponent (write `against = \"greedy\"` next to it)",
        ),
        (with_item("against = \"greedy\"\nmanual = true"), "6:1: `against` is only for an item with `score`"),
        (
            with_item("forfeits = { full = 0, zero = 5 }"),
            "6:1: `forfeits` needs games, but no item has `against` (add an item with `against` and `score`)",
        ),
        (
            with_item("legality = { refused_per_1000 = 5 }"),
            "6:12: `legality` has no `zero_at` (write `legality = { refused_per_1000 = 0, zero_at = 50 }`)",
        ),
        (
            with_item("legality = { refused_per_1000 = 5, zero_at = 5 }"),
            "6:14: `refused_per_1000` and `zero_at` are equal, so no points lie between them (write two different values)",
        ),
        (with_item("check = { levle = \"must\" }"), "6:11: unknown key `levle`: did you mean `level`?"),
        (with_item("check = true"), "6:9: `check`: expected a table in braces, found a boolean"),
        (
            format!("{}[[item]]\nid = \"a\"\npoints = 0\nmanual = true\n", with_item("manual = true")),
            "8:6: item `a` is defined twice (first at line 4)",
        ),
        (
            "title = \"t\"\ntotal = 0\n[item]\nid = \"a\"\n".to_owned(),
            "3:2: `item` needs double brackets: write `[[item]]` above each item",
        ),
        (
            "title = \"t\"\ntotal = 0\n".to_owned(),
            "1:1: a rubric needs at least one item, each under a line `[[item]]`",
        ),
        (
            with_item("manual = true").replace("points = 10", "points = 10.0001"),
            "5:10: `points`: points may have at most three decimals",
        ),
    ] {
        let said = problems(&text);
        assert!(said.lines().any(|problem| problem == message), "{message}\n\n{said}\n\n{text}");
    }
    for phase in ["opening", "middle", "end", "all"] {
        for (figure, ends) in
            [("winner_kept", "0.9, zero = 0.7"), ("margin_kept", "0.9, zero = 0.7"), ("average_loss", "0, zero = 2")]
        {
            let item = format!("accuracy = {{ figure = \"{figure}\", phase = \"{phase}\", full = {ends} }}");
            let said = Rubric::parse(&with_item(&item)).map_or_else(|flaws| flaws.to_string(), |_| String::new());
            assert!(!said.contains("`figure`"), "{phase}, {figure}: {said}");
        }
    }
    let accurate = "accuracy = { figure = \"winner_kept\", full = 0.9, zero = 0.7 }\n[play]\nanalysis = \"none\"";
    assert!(problems(&with_item(accurate)).contains("`accuracy` needs analyses"));
    let wrong = problems(&with_item(&accurate.replace("none", "2h")));
    assert!(wrong.contains("`analysis`") && !wrong.contains("needs analyses"), "{wrong}");
    let kinds = problems(&with_item("forfeits = { full = 0, zero = 5, kinds = [\"time\", \"boredom\"] }"));
    assert!(
        kinds.contains("6:51: `kinds`: `boredom` is not a kind of forfeit (choose from time, illegal, protocol,"),
        "{kinds}"
    );
}

#[test]
fn an_error_of_the_toml_hides_what_seems_to_be_missing() {
    let said = problems("title = \"t\"\ntotal = = 3\n");
    assert_eq!(said.lines().count(), 1, "{said}");
}

proptest! {
    #[test]
    fn no_text_panics(lines in proptest::collection::vec("(title|total|rounding|\\[play\\]|\\[\\[item\\]\\]|id|points|against|score|check|forfeits|kinds)?( = )?(1|\"a\"|\\{ ?|\\[|full = 1\\}?|\"greedy\"|true)?", 0..12)) {
        let _ = Rubric::parse(&lines.join("\n"));
    }
}
