//! Tests of valid and invalid lines.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::game::seegover::Options;
use crate::game::{BySide, Move, Position, Side};
use crate::referee::record::Ply;
use crate::referee::result::GameResult;
use crate::results::analysis::{BetterLines, MOST_PLIES};

/// A game of at most 60 random moves, as a record.
fn game_of(ruleset: Ruleset, choices: &[u16]) -> GameRecord {
    let mut position = ruleset.start();
    let mut plies = Vec::new();
    for &choice in choices {
        let legal = position.legal_moves();
        let Some(played) = legal.get(usize::from(choice) % legal.len().max(1)).copied() else { break };
        let side = position.to_move();
        position.play(played.as_str()).expect("legal");
        plies.push(Ply::untimed(side, played));
    }
    let players = BySide { black: "a".to_owned(), white: "b".to_owned() };
    let result = Ok(GameResult::played(position.outcome().unwrap_or(Outcome::of_margin(0))));
    GameRecord { plies, ..GameRecord::of(ruleset, players, result) }
}

/// The position of `record` before the ply at `index`.
fn before(record: &GameRecord, index: usize) -> Box<dyn Position> {
    let mut position = record.ruleset.start();
    for ply in &record.plies[..index] {
        position.play(ply.played.as_str()).expect("legal");
    }
    position
}

/// A consistent analysis: from the end backwards, each mover gave away the amounts in `given`, and `known` says which
/// of the values are known.
fn analysis_of(record: &GameRecord, given: &[u8], known: &[u8]) -> Analysis {
    let plies = record.plies.len();
    let end = before(record, plies).outcome().and_then(|ended| ended.margin).unwrap_or(0);
    let mut margins = vec![end; plies + 1];
    for index in (0..plies).rev() {
        let side = record.plies[index].side();
        // A move without an alternative loses nothing.
        let is_forced = before(record, index).legal_moves().len() < 2;
        let lost = if is_forced { 0 } else { i32::from(given[index % given.len()] % 4).saturating_sub(1).max(0) };
        margins[index] = side.own(side.own(margins[index + 1]) + lost).clamp(-25, 25);
    }
    let values: Vec<Option<Outcome>> = margins
        .iter()
        .enumerate()
        .map(|(index, &margin)| match known[index % known.len()] % 4 {
            0 => None,
            1 => Some(Outcome { margin: None, ..Outcome::of_margin(margin) }),
            _ => Some(Outcome::of_margin(margin)),
        })
        .collect();
    let mut analysis = of_values(record, &values).expect("a solver");
    for index in 0..plies {
        let legal = before(record, index).legal_moves();
        let analyzed = &mut analysis.moves[index];
        if analyzed.quality().is_some_and(|quality| quality != MoveQuality::Kept) {
            analyzed.better = legal.into_iter().find(|&other| other != analyzed.played);
        }
        if let Some(better) = analysis.moves[index].better {
            let mut position = before(record, index);
            position.play(better.as_str()).expect("legal");
            analysis.lines.follow(index, position, |position| {
                let next = *position.legal_moves().first().filter(|_| position.outcome().is_none())?;
                position.play(next.as_str()).ok()
            });
        }
    }
    analysis
}

fn record() -> impl Strategy<Value = GameRecord> {
    let rulesets =
        vec![Ruleset::Gothello, Ruleset::Seegover(Options::DEFAULT), "seegover drop=2".parse().expect("rules")];
    (proptest::sample::select(rulesets), proptest::collection::vec(any::<u16>(), 0..60))
        .prop_map(|(ruleset, choices)| game_of(ruleset, &choices))
}

fn analyzed() -> impl Strategy<Value = (GameRecord, Analysis)> {
    let bytes = || proptest::collection::vec(any::<u8>(), 1..61);
    (record(), bytes(), bytes()).prop_map(|(record, given, known)| {
        let analysis = analysis_of(&record, &given, &known);
        (record, analysis)
    })
}

const MINUTE: Duration = Duration::from_mins(1);

fn line_of(record: &GameRecord, analysis: &Analysis) -> String {
    KeptAnalysis::of(record, analysis, MINUTE).to_line()
}

fn read(line: &str) -> Result<KeptAnalysis, UnusableLine> {
    KeptAnalysis::read(&mut line.as_bytes().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_reads_back((record, analysis) in analyzed()) {
        let line = line_of(&record, &analysis);
        prop_assert_eq!(line.matches('\n').count(), 1);
        let kept = read(&line).expect("whole");
        prop_assert_eq!((kept.played(), kept.budget()), (GameMoves::of(&record), MINUTE));
        prop_assert_eq!(kept.to_line(), line);
        prop_assert_eq!(kept.analysis(&record), Some(analysis));
    }

    #[test]
    fn any_changed_bit_and_any_cut_is_damage((record, analysis) in analyzed(), at: usize, bit in 0..8_u8) {
        let line = line_of(&record, &analysis).into_bytes();
        let mut changed = line.clone();
        changed[at % line.len()] ^= 1 << bit;
        prop_assert_eq!(KeptAnalysis::read(&mut changed), Err(UnusableLine::Damaged));
        prop_assert_eq!(KeptAnalysis::read(&mut line[..at % line.len()].to_vec()), Err(UnusableLine::Damaged));
    }

    #[test]
    fn players_results_and_openings_do_not_matter((record, analysis) in analyzed(), opening: usize) {
        let mut other = record.clone();
        other.players = BySide { black: "x".to_owned(), white: "y".to_owned() };
        other.opening_plies = opening % (record.plies.len() + 1);
        let found = read(&line_of(&record, &analysis)).expect("whole").analysis(&other).expect("the same moves");
        for (index, (analyzed, own)) in found.moves.iter().zip(&analysis.moves).enumerate() {
            prop_assert_eq!(analyzed.given, index < other.opening_plies);
            prop_assert_eq!(AnalyzedMove { given: false, ..*analyzed }, *own);
        }
        prop_assert_eq!(line_of(&other, &found), line_of(&record, &analysis));
    }

    #[test]
    fn a_line_belongs_to_its_own_game_alone((record, analysis) in analyzed(), other in record()) {
        prop_assume!(GameMoves::of(&record) != GameMoves::of(&other));
        prop_assert_eq!(read(&line_of(&record, &analysis)).expect("whole").analysis(&other), None);
    }

    #[test]
    fn what_two_analyses_know_is_known_together(record in record(), given: Vec<u8>, one: Vec<u8>, two: Vec<u8>) {
        let bytes = |bytes: &[u8]| if bytes.is_empty() { vec![7] } else { bytes.to_vec() };
        let [one, two] = [one, two].map(|known| analysis_of(&record, &bytes(&given), &bytes(&known)));
        let joined = one.clone().joined_with(&two);
        for (index, analyzed) in joined.moves.iter().enumerate() {
            for (own, ways) in [
                (analyzed.before, [one.moves[index].before, two.moves[index].before]),
                (analyzed.after, [one.moves[index].after, two.moves[index].after]),
            ] {
                prop_assert_eq!(own.is_some(), ways.iter().any(Option::is_some));
                let margin = |value: &Option<Outcome>| value.and_then(|value| value.margin);
                prop_assert_eq!(margin(&own), ways.iter().find_map(margin));
            }
        }
        prop_assert_eq!(read(&line_of(&record, &joined)).expect("whole").analysis(&record), Some(joined));
    }
}

/// A game of Gothello that ended under the rules, with a complete analysis.
fn ended() -> (GameRecord, Analysis) {
    let choices: Vec<u16> = (0..60).map(|ply| ply * 7).collect();
    let record = game_of(Ruleset::Gothello, &choices);
    assert!(before(&record, record.plies.len()).outcome().is_some(), "sixty plies end a game");
    let analysis = analysis_of(&record, &[1, 3, 1, 2, 1], &[3]);
    (record, analysis)
}

/// The `line` with `change` applied to its object, and with a correct checksum.
fn changed(line: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut object: Value = serde_json::from_str(line).expect("JSON");
    object.as_object_mut().expect("an object").remove("sum");
    change(&mut object);
    with_checksum(object.to_string(), "")
}

/// A named change to a line's object.
type LineChange<'a> = (&'a str, Box<dyn Fn(&mut Value) + 'a>);

#[test]
fn a_line_that_contradicts_the_rules_is_not_believed() {
    let (record, analysis) = ended();
    let line = line_of(&record, &analysis);
    let last = record.plies.len() - 1;
    let kept_at =
        analysis.moves.iter().rposition(|analyzed| analyzed.quality() == Some(MoveQuality::Kept)).expect("a good move");
    let lost_at = analysis.moves.iter().position(|analyzed| analyzed.better.is_some()).expect("a mistake");
    let side = record.plies[kept_at].side();
    let gained = json!(Outcome::of_margin(side.own(25)));
    assert!(read(&changed(&line, |_| {})).expect("whole").analysis(&record).is_some(), "nothing is changed");
    let changes: Vec<LineChange<'_>> = vec![
        ("a missing move", Box::new(|object| drop(object["moves"].as_array_mut().expect("moves").pop()))),
        ("another move", Box::new(|object| object["moves"][0]["move"] = json!("pass"))),
        ("another side", Box::new(|object| object["moves"][0]["side"] = json!("white"))),
        ("another ply", Box::new(|object| object["moves"][0]["ply"] = json!(2))),
        ("other empty points", Box::new(|object| object["moves"][1]["empty"] = json!(25))),
        ("another phase", Box::new(|object| object["moves"][0]["phase"] = json!("end"))),
        ("an opening", Box::new(|object| object["moves"][0]["opening"] = json!(true))),
        (
            "another end",
            Box::new(|object| object["moves"][last]["after"] = json!({ "winner": "draw", "margin": null })),
        ),
        ("an unknown value between", Box::new(|object| object["moves"][2]["before"] = Value::Null)),
        (
            "a value without its mark",
            Box::new(|object| {
                object["moves"][kept_at]["after"] = gained.clone();
                if kept_at < last {
                    object["moves"][kept_at + 1]["before"] = gained.clone();
                }
            }),
        ),
        ("another mark", Box::new(|object| object["moves"][lost_at]["mark"] = json!("kept"))),
        ("another loss", Box::new(|object| object["moves"][lost_at]["lost"] = json!(24))),
        ("an illegal move", Box::new(|object| object["moves"][lost_at]["better"] = json!("z9"))),
        (
            "the played move",
            Box::new(|object| object["moves"][lost_at]["better"] = object["moves"][lost_at]["move"].clone()),
        ),
        ("an illegal line", Box::new(|object| object["moves"][lost_at]["line"] = json!(["a1", "a1"]))),
        (
            "a line that is too long",
            Box::new(|object| object["moves"][lost_at]["line"] = json!(vec!["pass"; MOST_PLIES])),
        ),
        ("a line of a good move", Box::new(|object| object["moves"][kept_at]["line"] = json!(["pass"]))),
        (
            "better than good",
            Box::new(|object| object["moves"][kept_at]["better"] = object["moves"][lost_at]["better"].clone()),
        ),
        ("a depth on one side", Box::new(|object| object["moves"][0]["depth_after"] = json!(3))),
        ("another rule set", Box::new(|object| object["ruleset"] = json!("seegover"))),
        ("other moves' digest", Box::new(|object| object["moves_sha256"] = json!("0".repeat(64)))),
    ];
    let is_believed = |change| read(&changed(&line, change)).expect("whole").analysis(&record).is_some();
    let believed: Vec<&str> =
        changes.into_iter().filter_map(|(what, change)| is_believed(change).then_some(what)).collect();
    assert_eq!(believed, Vec::<&str>::new());
}

#[test]
fn values_that_no_analysis_gives_are_damage() {
    let (record, analysis) = ended();
    let line = line_of(&record, &analysis);
    let changes: [(&str, &str, Value); 6] = [
        ("move", "not a word", json!("A B")),
        ("before", "the margin of another winner", json!({ "winner": "white", "margin": 3 })),
        ("before", "no winner", json!({ "winner": "green", "margin": null })),
        ("mark", "no mark", json!("brilliant")),
        ("side", "no side", json!("red")),
        ("phase", "no phase", json!("endgame")),
    ];
    for (field, what, value) in changes {
        let line = changed(&line, |object| object["moves"][0][field] = value);
        assert_eq!(read(&line), Err(UnusableLine::Damaged), "{what}");
    }
    for line in [
        "\n",
        "{}\n",
        &with_checksum("{\"format\":1}".to_owned(), "").replace('1', "2"),
        &with_checksum("{\"a\":1}".to_owned(), ""),
    ] {
        assert_eq!(read(line), Err(UnusableLine::Damaged), "{line}");
    }
}

/// `analysis` with `value` after the move at `index` and before the next one.
fn with_value(analysis: &Analysis, index: usize, value: Outcome) -> Analysis {
    let mut other = analysis.clone();
    other.lines = BetterLines::default();
    for analyzed in &mut other.moves {
        analyzed.better = None;
    }
    other.moves[index].after = Some(value);
    if let Some(next) = other.moves.get_mut(index + 1) {
        next.before = Some(value);
    }
    other
}

#[test]
fn values_that_contradict_the_rules_are_not_believed_however_well_they_fit_each_other() {
    let (record, analysis) = ended();
    let side = record.plies[0].side();
    let last = record.plies.len() - 1;
    let start = analysis.moves[0].before.and_then(|before| before.lead(side)).expect("known");
    let with = |index, margin| line_of(&record, &with_value(&analysis, index, margin));
    let is_believed = |line: &str| read(line).expect("whole").analysis(&record).is_some();
    assert!(start < 25 && is_believed(&with(0, Outcome::of_margin(side.own(start)))), "the value is kept");
    for (what, line) in [
        ("a gain in stones", with(0, Outcome::of_margin(side.own(start + 1)))),
        ("another end", with(last, Outcome { winner: Some(Side::White), margin: None })),
        (
            "more stones than points",
            line_of(
                &record,
                &with_value(&with_value(&analysis, 0, Outcome::of_margin(-26)), 1, Outcome::of_margin(26)),
            ),
        ),
    ] {
        assert!(!is_believed(&line), "{what}");
    }
    let mut thrown = with_value(&analysis, 0, Outcome { winner: Some(side), margin: None });
    thrown.moves[0].before = Some(Outcome { winner: Some(side.opponent()), margin: None });
    assert!(!is_believed(&line_of(&record, &thrown)), "a gain of the game");
}

#[test]
fn lines_of_other_versions_are_foreign() {
    let (record, analysis) = ended();
    let line = line_of(&record, &analysis);
    let own = Some(GameMoves::of(&record));
    for (field, value) in
        [("solver", json!("0.3")), ("solver", json!("0.1.1")), ("solver", Value::Null), ("format", json!(2))]
    {
        assert_eq!(read(&changed(&line, |object| object[field] = value)), Err(UnusableLine::Foreign(own)), "{field}");
    }
    let unknown = with_checksum(json!({ "format": 7, "games": [] }).to_string(), "");
    assert_eq!(read(&unknown), Err(UnusableLine::Foreign(None)));
}

/// Removes a finding from an analysis.
type Forget = fn(&mut Analysis);

#[test]
fn an_analysis_is_complete_when_a_longer_search_would_find_nothing() {
    let (record, analysis) = ended();
    assert!(analysis.is_complete(record.ruleset));
    let forget: [(&str, Forget); 4] = [
        ("a value", |analysis| analysis.moves[3].before = None),
        ("a margin", |analysis| {
            let late = analysis.moves.iter_mut().rfind(|analyzed| analyzed.before.is_some()).expect("a judged move");
            late.before = late.before.map(|before| Outcome { margin: None, ..before });
        }),
        ("a line", |analysis| analysis.lines = BetterLines::default()),
        ("a better move", |analysis| analysis.moves.iter_mut().for_each(|analyzed| analyzed.better = None)),
    ];
    for (what, change) in forget {
        let mut less = analysis.clone();
        change(&mut less);
        assert!(!less.is_complete(record.ruleset), "{what}");
        let (all, less) = [&analysis, &less].map(|analysis| KeptAnalysis::of(&record, analysis, MINUTE)).into();
        assert!(all.surpasses(&less) && !less.surpasses(&all), "{what}");
    }
    let longer = KeptAnalysis::of(&record, &analysis, 2 * MINUTE);
    assert!(longer.surpasses(&KeptAnalysis::of(&record, &analysis, MINUTE)));
}

#[test]
fn the_digest_is_that_of_results_csv() {
    let (record, analysis) = ended();
    let line = line_of(&record, &analysis);
    let moves: Vec<Move> = record.plies.iter().map(|ply| ply.played).collect();
    let object: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(object["moves_sha256"], MovesDigest::of(moves).to_string());
    assert_eq!(object["moves"][0]["side"], Side::Black.name());
}
