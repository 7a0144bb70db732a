//! The grammar of requirements, and the figures that they compare.

mod junit;
mod sequential_tests;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::game::{Move, Side};
use crate::referee::moves_digest::MovesDigest;
use crate::referee::result::Termination;
use crate::results::rating::{Elo, Prior};
use crate::results::report::{self, Extra, ReportFormat};
use crate::results::standings::tests::{forfeit, game, mixed, won};
use crate::results::standings::{Anchor, GameSummary, RatingOptions, Standings};
use sequential_tests::{pairs, tested};

/// Ada beats Bea in 3 of 4 games and beats bot 2 in every game; bot 2 loses one of its games by a crash.
fn field() -> Vec<GameSummary> {
    let mut games = vec![
        game(1, "ada", "bea", won(Some(Side::Black), 5)),
        game(2, "bea", "ada", won(Some(Side::White), -3)),
        game(3, "ada", "bea", won(Some(Side::Black), 1)),
        game(4, "bea", "ada", won(Some(Side::Black), 2)),
        game(5, "ada", "bot 2", won(Some(Side::Black), 9)),
        game(6, "bot 2", "ada", forfeit(Side::Black, Termination::Crash)),
        game(7, "bea", "bot 2", won(None, 0)),
    ];
    for (game, number) in games.iter_mut().zip(0..) {
        // The moves differ, so that no game repeats another.
        game.moves = MovesDigest::of(std::iter::repeat_n(Move::PASS, number));
    }
    games
}

fn anchored(player: &str, elo: f64) -> RatingOptions {
    let anchors = vec![Anchor { player: player.to_owned(), elo: Elo(elo), deviation: None }];
    RatingOptions { anchors, ..RatingOptions::default() }
}

fn standings(options: &RatingOptions) -> Standings {
    Standings::new(&field().iter().collect(), options).unwrap()
}

fn judge_with(
    text: &str,
    standings: &Standings,
    confidence: Option<f64>,
) -> Result<JudgedRequirement, RequirementError> {
    Requirement::parse(text)?.judge(Grounds { standings: standings.into(), confidence })
}

fn judge(text: &str) -> Result<JudgedRequirement, RequirementError> {
    judge_with(text, &standings(&RatingOptions::default()), None)
}

#[test]
fn requirements_compare_the_figures_of_the_standings() {
    for (text, holds, figure) in [
        ("ada.score == 0.8333333333333334", true, "0.833333 == 0.833333"),
        ("ada.points >= 5", true, "5 >= 5"),
        ("ada.points > 5", false, "5 > 5"),
        ("ada.points<=4.5", false, "5 <= 4.5"),
        ("  'bot 2'.forfeits < 1 ", false, "1 < 1"),
        ("\"bot 2\".forfeits_by_kind.crash == 1", true, "1 == 1"),
        ("bea.forfeits_by_kind.\"no show\" == 0", true, "0 == 0"),
        ("ada.white.losses == 1", true, "1 == 1"),
        ("ada.margin >= bea.margin", true, "16 >= -7"),
        ("ada.games == +6e0", true, "6 == 6"),
        ("bea.margin > -7.5", true, "-7 > -7.5"),
        ("ada.rank < bea.rank", true, "1 < 2"),
        ("ada.duplicates == 0", true, "0 == 0"),
    ] {
        let judged = judge(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((judged.holds, judged.figure.as_str(), judged.probability), (holds, figure, None), "{text}");
        assert_eq!(judged.requirement, text);
    }
}

#[test]
fn requirements_on_ratings_come_with_their_probability() {
    let standings = standings(&RatingOptions::default());
    let judge = |text: &str, confidence| judge_with(text, &standings, confidence).unwrap();
    let superior = standings.superiority(0, 1).unwrap();
    assert!(superior > 0.6 && superior < 0.95, "{superior}");
    for (text, probability) in [
        ("ada > bea", superior),
        ("ada >= bea.elo", superior),
        ("bea < ada", superior),
        ("bea > ada", 1.0 - superior),
        ("ada <= bea", 1.0 - superior),
        ("ada == bea", 0.0),
        ("ada >= ada", 1.0),
        ("ada > ada", 0.0),
    ] {
        let judged = judge(text, None);
        assert!((judged.probability.unwrap() - probability).abs() < 1e-9, "{judged}");
        assert_eq!(judged.holds, probability > 0.5, "{judged}");
        // With a confidence, the probability decides instead of the estimate, so the test uses values just below and
        // just above the probability.
        for (more, holds) in [(-1e-6, true), (1e-6, false)] {
            let confidence = probability + more;
            if confidence > 0.0 && confidence < 1.0 {
                assert_eq!(judge(text, Some(confidence)).holds, holds, "{text} {confidence}");
            }
        }
    }
    assert!(judge("ada.points >= 5", Some(0.999)).holds);
}

#[test]
fn a_rating_compared_with_a_number_is_a_lead_over_the_anchor() {
    let anchored = standings(&anchored("bea", 1500.0));
    let lead = anchored.rows()[0].finite_rating().unwrap().0 - 1500.0;
    let judge = |text: &str| judge_with(text, &anchored, None).unwrap();
    let at_the_anchor = judge("ada > 1500");
    assert_eq!(at_the_anchor.probability, anchored.superiority(0, 1));
    assert!(at_the_anchor.holds);
    let even = judge(&format!("ada >= {}", 1500.0 + lead)).probability.unwrap();
    assert!((even - 0.5).abs() < 1e-6, "{even}");
    assert!(!judge(&format!("ada >= {:.2}", 1500.01 + lead)).holds);
    assert!(judge("ada > 1400").probability > at_the_anchor.probability);
    // The anchor's rating is given and therefore certain.
    let own = judge("bea >= 1500");
    assert!(own.holds && own.probability == Some(1.0), "{own}");
    assert_eq!(judge("bea > 1500").probability, Some(0.0));
}

#[test]
fn requirements_on_incomparable_players_do_not_hold() {
    let options = RatingOptions { prior: Prior::None, ..RatingOptions::default() };
    let games = [game(1, "ada", "bea", won(Some(Side::Black), 5))];
    let standings = Standings::new(&games.iter().collect(), &options).unwrap();
    for text in ["ada > bea", "ada < bea", "ada.elo_error95 < 1000", "ada.superiority.bea > 0"] {
        let judged = judge_with(text, &standings, None).unwrap();
        assert!(!judged.holds && judged.probability.is_none(), "{judged}");
    }
}

#[test]
fn a_difference_that_rests_only_on_the_prior_is_marked() {
    let games = [game(1, "ada", "bea", won(Some(Side::Black), 5))];
    let figure = |requirement: &str| {
        let standings = Standings::new(&games.iter().collect(), &anchored("bea", 0.0)).unwrap();
        judge_with(requirement, &standings, None).unwrap().figure
    };
    let said = ", which depends on the prior: the games do not link these players";
    assert!(figure("ada > bea").ends_with(said) && figure("ada >= 100").ends_with(said));
    // The anchor's rating is given, and points do not depend on the prior.
    assert!(!figure("bea >= 0").contains("prior") && !figure("ada.points > bea.points").contains("prior"));
    // Ada and Bea have both won games against each other.
    let joined = standings(&RatingOptions::default());
    assert!(!judge_with("ada > bea", &joined, None).unwrap().figure.contains("prior"));
}

#[test]
fn errors_are_reported_with_their_place() {
    for (text, expected) in [
        ("", "character 1: expected a player's name"),
        ("ada", "character 4: expected `>=`, `>`, `<=`, `<` or `==`"),
        ("ada >", "character 6: expected a player's name"),
        ("ada >> bea", "character 6: expected a player's name"),
        ("ada = 3", "character 5: expected `>=`"),
        ("bot 2 > 3", "character 5: expected `>=`, `>`, `<=`, `<` or `==` (quote a name with"),
        ("ada > bot 2", "character 11: expected the end (quote a name with"),
        ("'größe\" > 3", "character 1: this quotation mark is not closed"),
        ("ada. > 3", "character 5: expected a figure, such as `score`"),
        ("sprt > 3", "character 6: expected `==` after `sprt` (a player with that name needs quotes)"),
        ("sprt == H2", "character 9: expected `H1` or `H0`"),
        ("sprt == H1", "character 1: `sprt` needs to know what is tested: add `--sprt player=NAME,elo0=0,elo1=10`"),
        ("ada > aba", "character 7: no player is named `aba` (did you mean `ada`?)"),
        ("'x y z' > ada", "character 1: no player is named `x y z` (choose from `ada`, `bea`, `bot 2`)"),
        ("ada.scor > 1", "character 5: no figure is named `scor` (did you mean `score`?)"),
        ("ada.model == 1", "character 5: no figure is named `model` (choose from `rank`, `elo`,"),
        ("ada.score.elo == 1", "character 11: expected a comparison"),
        ("ada.black == 1", "character 5: `black` contains several figures: continue with `.wins`, `.draws`, `.losses`"),
        ("ada.black.win == 1", "character 11: no figure is named `win` (did you mean `wins`?)"),
        ("ada.forfeits_by_kind.normal == 1", "character 22: no figure is named `normal` (choose from `time`,"),
        ("ada.superiority.bee > 0", "character 17: no player is named `bee` (did you mean `bea`?)"),
        ("ada.ranks > 0", "character 5: `ranks` contains several figures: continue with `.first_probability`, `.best`"),
        (
            "ada.ranks.frist_probability > 0",
            "character 11: no figure is named `frist_probability` (did you mean `first",
        ),
        ("fit.p_valu > 0", "character 5: no figure is named `p_valu` (did you mean `p_value`?)"),
        ("fit > 0", "character 1: `fit` contains several figures: continue with `.chi_squared`"),
        ("fti.p_value > 0", "character 1: no player is named `fti` (did you mean `fit`?)"),
        ("ada.head_to_head > 0", "character 5: `head_to_head` contains several figures: continue with `.ada`, `.bea`"),
        ("ada.head_to_head.bee.wins > 0", "character 18: no player is named `bee` (did you mean `bea`?)"),
        ("ada.head_to_head.bea > 0", "character 18: `bea` contains several figures: continue with `.games`"),
        ("ada.head_to_head.bea.win > 0", "character 22: no figure is named `win` (did you mean `wins`?)"),
        ("sprt.llr > 0", "character 1: `sprt` needs to know what is tested: add `--sprt player=NAME"),
        ("champion == ada", "character 1: `champion` needs the run directory of a Swiss or knockout"),
        ("ada.result.place == 1", "character 5: `result` needs the run directory of a Swiss or knockout"),
        ("champion > ada", "character 1: expected a name, or exactly `champion == NAME`"),
        ("champoin == ada", "character 1: no player is named `champoin` (did you mean `champion`?)"),
        ("champion == ", "character 13: expected a player's name"),
        ("champion == ada.score", "character 16: expected the end"),
        ("ada > 1200", "character 1: comparing `ada` with a number needs a fixed zero point: add `--anchor NAME=ELO`"),
        ("ada.elo > 0", "character 1: comparing `ada.elo` with a number needs a fixed zero point"),
        ("ada.performance > 0", "character 1: comparing `ada.performance` with a number needs a fixed zero point"),
        ("ada.opponents_elo < 0", "character 1: comparing `ada.opponents_elo` with a number needs a fixed zero point"),
        ("ada.performance > bea.score", "character 19: a rating can only be compared with"),
        ("ada.score > bea.performance", "character 1: a rating can only be compared with"),
        ("ada > bea.performance", "character 1: a rating can only be compared with"),
        ("ada > bea.score", "character 7: a rating can only be compared with a rating or a number"),
        ("bea.score > ada", "character 1: a rating can only be compared with a rating or a number"),
        ("ada.points > inf", "character 14: no player is named `inf`"),
        ("ada.points > 1e999", "character 14: no player is named `1e999`"),
    ] {
        let error = judge(text).map(|judged| judged.to_string()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "`{text}`: {error}");
    }
}

/// Every number in the JSON can be used in a requirement by its key, and has the same value there.
#[test]
fn the_keys_of_requirements_are_those_of_the_json() {
    // Figures on the scale of ratings need an anchor.
    let standings = standings(&anchored("bea", 1500.0)).of_run(tested(&pairs(&[4, 3, 2, 3, 1].map(Some))));
    let extras = Extra::ALL.into_iter().filter(|extra| *extra != Extra::Usage).collect();
    let json: Value = serde_json::from_str(&report::render(&standings, ReportFormat::Json, extras)).unwrap();
    let mut seen = 0;
    for row in json.as_array().unwrap() {
        let term = format!("\"{}\"", row["player"].as_str().unwrap());
        seen += agree(&standings, &term, row);
    }
    assert!(seen > 3 * (18 + 3 + 2 * 8 + 3 + 14), "{seen}");
    // Figures shared by all players need no name.
    let shared = agree(&standings, "fit", &json[0]["fit"]) + agree(&standings, "sprt", &json[0]["sprt"]);
    assert_eq!(shared, 3 + 14, "all but `elo`, which is not compared, and `p_value`, which is null");
}

#[test]
fn a_player_named_as_what_all_players_share_comes_first() {
    let games = [game(1, "fit", "champion", won(Some(Side::Black), 5))];
    let standings = Standings::new(&games.iter().collect(), &RatingOptions::default()).unwrap();
    for (text, figure) in [
        ("fit.wins == 1", "1 == 1"),
        ("champion.wins == fit.losses", "0 == 0"),
        ("champion.fit.pairings == 1", "1 == 1"),
        ("fit.fit.pairings == 1", "1 == 1"),
    ] {
        let judged = judge_with(text, &standings, None).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((judged.holds, judged.figure.as_str()), (true, figure), "{text}");
    }
    assert!(judge_with("fit > champion", &standings, None).unwrap().holds);
    assert!(judge_with("'champion' == fit", &standings, None).is_ok_and(|judged| !judged.holds));
}

#[test]
fn figures_that_the_games_do_not_yield_do_not_hold() {
    let games = [game(1, "ada", "bea", won(Some(Side::Black), 5)), game(2, "cyd", "dov", None)];
    let none = RatingOptions { prior: Prior::None, ..RatingOptions::default() };
    for (options, text, why) in [
        (RatingOptions::default(), "cyd.ranks.best >= 1", "the player has no rank"),
        (none, "ada.ranks.best >= 1", "the games do not link all players, so they cannot be compared"),
        (RatingOptions::default(), "fit.p_value >= 0", "the fit has no degrees of freedom"),
        (
            RatingOptions::default(),
            "ada.head_to_head.cyd.score >= 0",
            "they have played no rated games against each other",
        ),
        (RatingOptions::default(), "sprt.elo >= -2000", "no pair counts, or all pairs have the same score"),
    ] {
        let standings = Standings::new(&games.iter().collect(), &options).unwrap().of_run(tested(&games));
        let judged = judge_with(text, &standings, None).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!((judged.holds, judged.figure.as_str()), (false, why), "{text}");
    }
}

/// Asserts that requirements on `term` use the same numbers as the JSON, where its value is `value`. Returns how many
/// numbers agree.
fn agree(standings: &Standings, term: &str, value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            // The field `format` describes the JSON, not the player.
            let fields = fields.iter().filter(|(key, _)| *key != "format");
            fields.map(|(key, value)| agree(standings, &format!("{term}.\"{key}\""), value)).sum()
        }
        Value::Bool(truth) => {
            let judged = judge_with(&format!("{term} == {}", u8::from(*truth)), standings, None);
            assert!(judged.as_ref().is_ok_and(|judged| judged.holds), "{term}: {judged:?}");
            1
        }
        Value::Number(number) if !term.ends_with("\"elo\"") => {
            // The JSON rounds to two or four decimals.
            let number = number.as_f64().unwrap();
            for (comparison, bound) in [(">", number - 0.006), ("<", number + 0.006)] {
                let judged = judge_with(&format!("{term} {comparison} {bound}"), standings, None);
                assert!(judged.as_ref().is_ok_and(|judged| judged.holds), "{term}: {judged:?}");
            }
            1
        }
        _ => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_text_is_parsed_or_refused_at_a_valid_place(text in "[ab.'\"<>=0-9 é-]{0,12}") {
        match Requirement::parse(&text) {
            Ok(requirement) => prop_assert_eq!(requirement.text(), text),
            Err(error) => prop_assert!((1..=text.chars().count() + 1).contains(&error.at), "{}", error),
        }
    }

    #[test]
    fn blanks_do_not_matter(left in "[a-z]{1,5}", key in "[a-z]{1,5}", number in -1e6..1e6_f64, blanks in " {1,3}") {
        let tight = Requirement::parse(&format!("{left}.{key}>={number}")).unwrap();
        let wide = Requirement::parse(&format!("{blanks}{left}.{key}{blanks}>={blanks}{number}{blanks}")).unwrap();
        let games = [game(1, &left, "B", won(Some(Side::Black), 5))];
        let standings = Standings::new(&games.iter().collect(), &RatingOptions::default()).unwrap();
        let judge = |requirement: &Requirement| {
            let judged = requirement.judge(Grounds { standings: (&standings).into(), confidence: None });
            judged.map(|judged| (judged.holds, judged.figure)).map_err(|error| error.problem)
        };
        prop_assert_eq!(judge(&tight), judge(&wide));
    }
}

#[test]
fn requirements_can_use_the_counts_of_double_forfeits_and_void_games() {
    let standings = Standings::new(&mixed().iter().collect(), &RatingOptions::default()).unwrap();
    assert!(judge_with("cyd.games == 4", &standings, None).unwrap().holds);
    assert!(judge_with("bea.forfeits_by_kind.'double forfeit' == 1", &standings, None).unwrap().holds);
}
